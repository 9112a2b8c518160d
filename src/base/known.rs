//! What texts come to that come again and again, so that each of them is looked at once. It takes no more
//! room than it was given, and stops to look where hardly any text comes twice.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Longer texts seldom come twice.
const LONGEST: usize = 128;
/// After so many texts it is seen whether looking is worth it, which takes far less time than making: of so
/// many, one must have come before.
const TRIED: u32 = 2_048;
const ONE_OF: u32 = 8;
/// What keeping one takes beside its bytes.
const EACH: usize = 64;

/// What was made of texts.
pub struct Known<T> {
    places: HashMap<Box<str>, usize, RandomState>,
    made: Vec<T>,
    /// What was made last, where it is not kept.
    last: Option<T>,
    room: usize,
    asked: u32,
    found: u32,
    is_idle: bool,
}

impl<T> Known<T> {
    /// Nothing so far; at most about so many bytes.
    pub fn new(room: usize) -> Self {
        Self {
            places: HashMap::default(),
            made: Vec::new(),
            last: None,
            room,
            asked: 0,
            found: 0,
            is_idle: false,
        }
    }

    /// What a text comes to: as it was made before, or as `make` makes it, with how many bytes that has.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of<E>(
        &mut self,
        text: &str,
        make: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<&T, E> {
        self.of_numbered(text, make).map(|(_, made)| made)
    }

    /// The same with the number that it has as long as anything is kept; none where it is not kept.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of_numbered<E>(
        &mut self,
        text: &str,
        make: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<(Option<usize>, &T), E> {
        if self.is_idle || text.len() > LONGEST {
            return Ok((None, self.last.insert(make()?.0)));
        }
        self.asked += 1;
        if let Some(place) = self.places.get(text).copied() {
            self.found += 1;
            return Ok((Some(place), &self.made[place]));
        }
        let (made, size) = make()?;
        if self.asked == TRIED && self.found < TRIED / ONE_OF {
            self.is_idle = true;
            (self.places, self.made) = (HashMap::default(), Vec::new());
        }
        let size = size + text.len() + EACH;
        if self.is_idle || size > self.room {
            return Ok((None, self.last.insert(made)));
        }
        self.room -= size;
        let place = self.made.len();
        self.places.insert(text.into(), place);
        self.made.push(made);
        Ok((Some(place), &self.made[place]))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn look(known: &mut Known<String>, text: &str, made: &mut u32) -> String {
        let make = || {
            *made += 1;
            Ok::<_, Infallible>((text.to_uppercase(), text.len()))
        };
        match known.of(text, make) {
            Ok(found) => found.clone(),
            Err(never) => match never {},
        }
    }

    #[test]
    fn what_comes_again_is_made_once_and_all_that_comes_is_right() {
        let (mut known, mut made) = (Known::new(10_000), 0);
        for n in 0..10_000 {
            let text = format!("t{}", n % 7);
            assert_eq!(look(&mut known, &text, &mut made), text.to_uppercase());
        }
        assert_eq!(made, 7);
        let long = "x".repeat(LONGEST + 1);
        look(&mut known, &long, &mut made);
        assert_eq!(look(&mut known, &long, &mut made), long.to_uppercase());
        assert_eq!(made, 9);
    }

    #[test]
    fn it_keeps_to_its_room_and_gives_up_where_nothing_comes_twice() {
        let (mut known, mut made) = (Known::new(300), 0);
        for n in 0..100 {
            let text = format!("t{}", n % 50);
            assert_eq!(look(&mut known, &text, &mut made), text.to_uppercase());
        }
        assert!(known.made.len() < 5 && made > 90);
        let (mut known, mut made) = (Known::new(1 << 20), 0);
        for n in 0..5_000 {
            let text = format!("t{n}");
            assert_eq!(look(&mut known, &text, &mut made), text.to_uppercase());
        }
        assert!(known.is_idle && known.places.is_empty());
    }
}
