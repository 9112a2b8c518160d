//! Values as bytes in one arena, which is searched as a whole.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::memmem;

use crate::fields::filter::cond::{Cond, Key, holds_in_cells};
use crate::query::segments::cells::{self, FirstKey, Variant};
use crate::query::segments::encoding::{self, Packing};

// So few values are decoded and evaluated one by one.
const FEW: usize = 256;
// Up to this many wanted texts are searched for in the whole arena.
const SEARCHES: usize = 4;
// Up to this many wanted texts are compared with each value; more are hashed.
const COMPARISONS: usize = 16;

const CELLS: u8 = 0;
const TEXT: u8 = 1;
const CODE: u8 = 2;

/// Several values, none of them empty.
pub(super) struct Texts<'b> {
    /// The kind of the values where each is one text; otherwise they are cells.
    only: Option<Variant>,
    /// The end of each value; a value begins at the end of the one before it.
    ends: Vec<u32>,
    bytes: Cow<'b, [u8]>,
}

impl Texts<'static> {
    /// Without a value so far.
    pub(super) fn new(only: Option<Variant>) -> Self {
        Self { only, ends: Vec::new(), bytes: Cow::Owned(Vec::new()) }
    }

    /// Adds the value that `write` appends.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let bytes = self.bytes.to_mut();
        write(bytes);
        // A sealer takes a few megabytes in all.
        self.ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    }
}

impl<'b> Texts<'b> {
    /// The kind of the values where each is one text; `None` where they are cells.
    pub(super) fn only(&self) -> Option<Variant> {
        self.only
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.value(i))
    }

    fn lengths(&self) -> impl Iterator<Item = u32> {
        (0..self.ends.len()).map(|i| self.ends[i] - self.start(i))
    }

    /// How many bytes the length of each takes.
    fn width(&self) -> usize {
        match self.lengths().max() {
            None | Some(..=0xff) => 1,
            Some(..=0xffff) => 2,
            Some(_) => 4,
        }
    }

    /// Appends them.
    pub(super) fn put(&self, packing: Packing, out: &mut Vec<u8>) {
        self.put_lengths(packing, out);
        encoding::put(&self.bytes, packing, out);
    }

    /// Appends them without compressing the texts, so that a search need not unpack them.
    pub(super) fn put_searched(&self, packing: Packing, out: &mut Vec<u8>) {
        self.put_lengths(packing, out);
        encoding::put(&self.bytes, Packing::Plain, out);
    }

    fn put_lengths(&self, packing: Packing, out: &mut Vec<u8>) {
        out.push(match self.only {
            None => CELLS,
            Some(Variant::Text) => TEXT,
            Some(Variant::Code) => CODE,
        });
        let width = self.width();
        // 1, 2 or 4.
        out.push(width as u8);
        let lengths = self.lengths();
        let lengths: Vec<u8> = match width {
            1 => lengths.map(|length| length as u8).collect(),
            2 => lengths.flat_map(|it| (it as u16).to_le_bytes()).collect(),
            _ => lengths.flat_map(u32::to_le_bytes).collect(),
        };
        encoding::put(&lengths, packing, out);
    }

    /// Reads them; `None` where they are damaged.
    pub(super) fn take(bytes: &mut &'b [u8]) -> Option<Self> {
        let only = match encoding::take_byte(bytes)? {
            CELLS => None,
            TEXT => Some(Variant::Text),
            CODE => Some(Variant::Code),
            _ => return None,
        };
        let width = encoding::take_byte(bytes)?;
        let lengths = encoding::take(bytes)?;
        // An overflow of 32 bits shows in the last end.
        let mut end = 0_u64;
        let mut add = |length: u32| {
            end += u64::from(length);
            end as u32
        };
        let ends: Vec<u32> = match width {
            1 => lengths.iter().map(|it| add(u32::from(*it))).collect(),
            2 => {
                let lengths = lengths.as_chunks::<2>().0.iter();
                lengths.map(|it| add(u32::from(u16::from_le_bytes(*it)))).collect()
            }
            4 => {
                let lengths = lengths.as_chunks::<4>().0.iter();
                lengths.map(|it| add(u32::from_le_bytes(*it))).collect()
            }
            _ => return None,
        };
        let bytes = encoding::take(bytes)?;
        (bytes.len() as u64 == end).then_some(Self { only, ends, bytes })
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes they have.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    fn start(&self, i: usize) -> u32 {
        i.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The bytes of one.
    pub(super) fn value(&self, i: usize) -> &[u8] {
        &self.bytes[self.start(i) as usize..self.ends[i] as usize]
    }

    /// The text of a value that is one text; `None` where it is damaged.
    pub(super) fn text(&self, i: usize) -> Option<&str> {
        std::str::from_utf8(self.value(i)).ok()
    }

    /// The keys of a value; `None` where it is damaged.
    pub(super) fn cells(&self, i: usize) -> Option<Vec<Vec<Key>>> {
        match self.only {
            None => cells::read(self.value(i)),
            Some(variant) => Some(vec![vec![variant.key(self.text(i)?)]]),
        }
    }

    /// The first key of a value; `None` where it is damaged.
    pub(super) fn first_key(&self, i: usize) -> Option<FirstKey<'_>> {
        match self.only {
            Some(_) => self.text(i).map(FirstKey::Text),
            None => cells::first_key(self.value(i)),
        }
    }

    /// Calls `found` with the index of each value for which a condition holds; `None` where something is damaged. The
    /// condition must not hold for empty values.
    pub(super) fn ask(&self, cond: &Cond, found: &mut dyn FnMut(usize)) -> Option<()> {
        if self.len() <= FEW {
            return self.one_by_one(0..self.len(), cond, found);
        }
        match (self.only, cond) {
            (Some(_), Cond::Like(part)) => self.containing(part.as_bytes(), found),
            (None, Cond::Like(part)) => return self.near(&[part], cond, found),
            (Some(variant), Cond::In(wanted)) => {
                let wanted: Vec<&str> = wanted.iter().filter_map(|key| variant.of(key)).collect();
                self.equal(&wanted, found);
            }
            (None, Cond::In(wanted)) if wanted.len() <= SEARCHES => {
                let texts: Option<Vec<&str>> = wanted.iter().map(text).collect();
                return match texts {
                    Some(texts) => self.near(&texts, cond, found),
                    None => self.one_by_one(0..self.len(), cond, found),
                };
            }
            (Some(variant), Cond::Range { low, high }) => {
                // A bound of another kind excludes all values.
                let bound = |bound: &Option<(Key, bool)>| match bound {
                    None => Some(None),
                    Some((key, inside)) => {
                        let text = variant.of(key)?;
                        Some(Some((text.to_owned().into_bytes(), *inside)))
                    }
                };
                if let (Some(low), Some(high)) = (bound(low), bound(high)) {
                    self.between(low.as_ref(), high.as_ref(), found);
                }
            }
            _ => return self.one_by_one(0..self.len(), cond, found),
        }
        Some(())
    }

    /// Decodes and evaluates some values.
    fn one_by_one(
        &self,
        values: impl IntoIterator<Item = usize>,
        cond: &Cond,
        found: &mut dyn FnMut(usize),
    ) -> Option<()> {
        for i in values {
            if holds_in_cells(cond, &self.cells(i)?) {
                found(i);
            }
        }
        Some(())
    }

    /// Evaluates the values whose bytes contain one of these texts: no other can have it as a key.
    fn near<T: AsRef<str>>(&self, texts: &[T], cond: &Cond, found: &mut dyn FnMut(usize)) -> Option<()> {
        let mut near = Vec::new();
        for text in texts {
            self.containing(text.as_ref().as_bytes(), &mut |i| near.push(i));
        }
        near.sort_unstable();
        near.dedup();
        self.one_by_one(near, cond, found)
    }

    /// The values whose bytes contain these.
    pub(super) fn containing(&self, part: &[u8], found: &mut dyn FnMut(usize)) {
        if part.is_empty() {
            (0..self.len()).for_each(found);
            return;
        }
        let finder = memmem::Finder::new(part);
        let (mut at, mut i) = (0, 0);
        while let Some(hit) = finder.find(&self.bytes[at..]) {
            let hit = at + hit;
            while self.ends[i] as usize <= hit {
                i += 1;
            }
            if hit + part.len() <= self.ends[i] as usize {
                found(i);
                // One hit in a value is enough.
                at = self.ends[i] as usize;
            } else {
                // The hit spans two values.
                at = hit + 1;
            }
        }
    }

    fn equal(&self, wanted: &[&str], found: &mut dyn FnMut(usize)) {
        match wanted {
            [] => {}
            [one] => {
                let one = one.as_bytes();
                (0..self.len()).filter(|i| self.value(*i) == one).for_each(found);
            }
            few if few.len() <= COMPARISONS => {
                (0..self.len()).filter(|i| few.iter().any(|one| one.as_bytes() == self.value(*i))).for_each(found)
            }
            several => {
                let several: HashSet<&[u8]> = several.iter().map(|text| text.as_bytes()).collect();
                (0..self.len()).filter(|i| several.contains(self.value(*i))).for_each(found);
            }
        }
    }

    /// Texts compare as their bytes.
    fn between(&self, low: Option<&(Vec<u8>, bool)>, high: Option<&(Vec<u8>, bool)>, found: &mut dyn FnMut(usize)) {
        let is_inside = |value: &[u8]| {
            low.is_none_or(|(low, inside)| value > &low[..] || (*inside && value == &low[..]))
                && high.is_none_or(|(high, inside)| value < &high[..] || (*inside && value == &high[..]))
        };
        (0..self.len()).filter(|i| is_inside(self.value(*i))).for_each(found);
    }
}

fn text(key: &Key) -> Option<&str> {
    match key {
        Key::Text(text) | Key::Code(text) | Key::Label(text) => Some(text),
        Key::Number(_) => None,
    }
}
