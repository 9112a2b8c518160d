//! Values that come again and again, each of them once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::fields::columns::texts::Texts;

/// More different ones are no dictionary.
const WIDE: usize = 1024;
/// Where nearly all of the first so many are different, few come again.
const FIRST: usize = 256;
const NEARLY_ALL: usize = FIRST - FIRST / 32;

/// Where few values come again and again: those, and each row's number among them. A value that has a number by
/// which it is known need be looked at only once.
pub(super) fn dictionary(values: &Texts, numbered: &[u32]) -> Option<(Texts<'static>, Vec<u16>)> {
    let mut distinct = Distinct::of(values);
    let mut known: HashMap<&[u8], u16, RandomState> =
        HashMap::with_capacity_and_hasher(WIDE, RandomState::default());
    let numbered = match numbered.len() == values.len() {
        true => numbered,
        false => &[],
    };
    let most = numbered.iter().max().map_or(0, |most| *most as usize + 1);
    let mut by_number: Vec<Option<u16>> = vec![None; most];
    for (nth, value) in values.values().enumerate() {
        let number = numbered.get(nth).map(|number| *number as usize);
        let code = match number.and_then(|number| by_number[number]) {
            Some(code) => code,
            None => match known.get(value) {
                // Two numbers may be of the same bytes.
                Some(code) => *code,
                None => {
                    let code = distinct.add(value)?;
                    known.insert(value, code);
                    code
                }
            },
        };
        if let Some(number) = number {
            by_number[number] = Some(code);
        }
        distinct.codes.push(code);
    }
    distinct.if_few()
}

/// The different ones among values, and by value which of them it is.
struct Distinct {
    values: Texts<'static>,
    codes: Vec<u16>,
}

impl Distinct {
    /// None so far.
    fn of(values: &Texts) -> Self {
        Self {
            values: Texts::new(values.only()),
            codes: Vec::with_capacity(values.len()),
        }
    }

    /// The code of one more; none where there are too many, or are likely to be.
    fn add(&mut self, value: &[u8]) -> Option<u16> {
        let count = self.values.len();
        let is_hopeless = self.codes.len() < FIRST && count == NEARLY_ALL;
        if is_hopeless || count == WIDE {
            return None;
        }
        self.values
            .push(value.len(), 0, |out| out.extend_from_slice(value));
        // Below WIDE.
        Some(count as u16)
    }

    fn if_few(self) -> Option<(Texts<'static>, Vec<u16>)> {
        let few = self.values.len() * 4 <= self.codes.len() || self.values.len() <= 16;
        few.then_some((self.values, self.codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_values_say_what_their_bytes_do() {
        for different in [1, 16, 200, 247, 300, 1024, 1025, 3000] {
            let (mut values, mut numbers) = (Texts::new(None), Vec::new());
            for n in 0..4096_u32 {
                // Not one after the other, and not from zero on.
                let number = 7 + (n * n) % different;
                let value = format!("value {number}");
                values.push(value.len(), 0, |out| {
                    out.extend_from_slice(value.as_bytes());
                });
                // Each value by either of two.
                numbers.push(2 * number + n % 2);
            }
            let of = |numbers: &[u32]| {
                let (distinct, codes) = dictionary(&values, numbers)?;
                let distinct: Vec<Vec<u8>> = distinct.values().map(<[u8]>::to_vec).collect();
                Some((distinct, codes))
            };
            let (numbered, looked_at) = (of(&numbers), of(&[]));
            assert_eq!(numbered, looked_at, "{different}");
            if let Some((distinct, codes)) = numbered {
                for (i, code) in codes.iter().enumerate() {
                    assert_eq!(distinct[usize::from(*code)], values.value(i));
                }
            }
        }
    }
}
