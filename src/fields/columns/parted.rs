//! Long texts in parts that are compressed one by one, with marks of the letters that stand in each: a search
//! unpacks only the parts in which it may find something.

use std::array;

use crate::fields::columns::parts::{self, Packing};
use crate::fields::columns::texts::Texts;
use crate::fields::cond::{Cond, Key};

/// Values in a part: of a whole block, the parts are as many as a mark has bits.
const PART: usize = 64;
/// From so many bytes on the marks are small beside the texts.
pub(super) const WORTH_PARTING: usize = 512 << 10;
/// Three bytes that follow each other fall into one of so many slots.
const SLOTS: usize = 4096;
const MARKED: usize = 3;
/// So many of them are made in one go.
const AT_ONCE: usize = 16;

/// Several values, none of them empty, in parts.
pub(super) struct Parted<'b> {
    /// How many there are.
    length: usize,
    /// Of each slot, the parts in which one of its threes stands.
    marks: Vec<u64>,
    parts: Vec<&'b [u8]>,
}

/// Appends values.
pub(super) fn put(values: &Texts, out: &mut Vec<u8>) {
    let mut marks = vec![0_u64; SLOTS];
    let mut packed = Vec::new();
    let mut stands_there = [0_u8; SLOTS];
    for (nth, first) in (0..values.len()).step_by(PART).enumerate() {
        let part = first..values.len().min(first + PART);
        for value in part.clone().map(|i| values.value(i)) {
            each_slot(value, |slot| stands_there[slot] = 1);
        }
        for (mark, slot) in marks.iter_mut().zip(&mut stands_there) {
            *mark |= u64::from(std::mem::take(slot)) << (nth % PART);
        }
        let mut bytes = Vec::new();
        values.some(part).put(Packing::Packed, &mut bytes);
        parts::put_number(bytes.len(), &mut packed);
        packed.extend_from_slice(&bytes);
    }
    parts::put_number(values.len(), out);
    let marks: Vec<u8> = marks.iter().flat_map(|mark| mark.to_le_bytes()).collect();
    parts::put(&marks, Packing::Packed, out);
    out.extend_from_slice(&packed);
}

/// Takes them; none where they are damaged.
pub(super) fn take<'b>(bytes: &mut &'b [u8]) -> Option<Parted<'b>> {
    let length = parts::take_number(bytes).filter(|length| *length <= PART * PART)?;
    let marks = parts::take(bytes)?;
    let marks: Vec<u64> = marks
        .as_chunks::<8>()
        .0
        .iter()
        .map(|mark| u64::from_le_bytes(*mark))
        .collect();
    if marks.len() != SLOTS {
        return None;
    }
    let mut parts = Vec::with_capacity(PART);
    for _ in 0..length.div_ceil(PART) {
        let size = parts::take_number(bytes)?;
        let (part, rest) = bytes.split_at_checked(size)?;
        *bytes = rest;
        parts.push(part);
    }
    Some(Parted {
        length,
        marks,
        parts,
    })
}

/// Gives the slots of all threes of bytes in a text to `f`.
fn each_slot(mut text: &[u8], mut f: impl FnMut(usize)) {
    // The upper twelve bits of sixteen: no wider, so that one instruction makes eight of them.
    let slot = |a: u8, b: u8, c: u8| {
        let two = u16::from_le_bytes([a, b]).wrapping_mul(0x9e35);
        two.wrapping_add(u16::from(c).wrapping_mul(0x6a97)) >> 4
    };
    while let Some(some) = text.first_chunk::<{ AT_ONCE + MARKED - 1 }>() {
        let slots: [u16; AT_ONCE] = array::from_fn(|i| slot(some[i], some[i + 1], some[i + 2]));
        slots.into_iter().for_each(|slot| f(usize::from(slot)));
        text = &text[AT_ONCE..];
    }
    for [a, b, c] in text.array_windows::<MARKED>() {
        f(usize::from(slot(*a, *b, *c)));
    }
}

impl Parted<'_> {
    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    fn part(&self, nth: usize) -> Option<Texts<'_>> {
        let mut bytes = *self.parts.get(nth)?;
        let texts = Texts::take(&mut bytes)?;
        let wanted = PART.min(self.length.checked_sub(nth * PART)?);
        (texts.len() == wanted).then_some(texts)
    }

    /// What each value has; none where something is damaged.
    pub(super) fn cells(&self) -> Option<Vec<Vec<Vec<Key>>>> {
        let mut out = Vec::with_capacity(self.length);
        for nth in 0..self.parts.len() {
            let part = self.part(nth)?;
            for i in 0..part.len() {
                out.push(part.cells(i)?);
            }
        }
        Some(out)
    }

    /// Adds the numbers of the values for which a condition holds; none where something is damaged. The
    /// condition is one that doesn't hold for empty values.
    pub(super) fn ask(&self, cond: &Cond, found: &mut dyn FnMut(usize)) -> Option<()> {
        let near = self.near(cond);
        for nth in (0..self.parts.len()).filter(|nth| near >> nth & 1 == 1) {
            let first = nth * PART;
            self.part(nth)?.ask_all(cond, &mut |i| found(first + i))?;
        }
        Some(())
    }

    /// The parts in which a condition may hold.
    fn near(&self, cond: &Cond) -> u64 {
        match cond {
            Cond::Like(part) => self.having(part),
            Cond::In(wanted) => wanted.iter().fold(0, |near, key| match key {
                Key::Text(text) | Key::Code(text) | Key::Label(text) => near | self.having(text),
                Key::Number(_) => u64::MAX,
            }),
            _ => u64::MAX,
        }
    }

    /// The parts that may have a text: all its threes stand there.
    fn having(&self, text: &str) -> u64 {
        let mut near = u64::MAX;
        each_slot(text.as_bytes(), |slot| near &= self.marks[slot]);
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::columns::cells::Variant;
    use crate::fields::columns::{Bits, ROWS, Sealer, Segment};
    use crate::fields::cond::holds_in_cells;

    const WORDS: [&str; 8] = [
        "paper",
        "garden",
        "答案",
        "straße",
        "letter",
        "é",
        "2026-11-20",
        "🦀",
    ];

    fn text(n: usize) -> String {
        let mut dice = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
        let mut out = String::new();
        while out.len() < 180 {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            out.push_str(WORDS[dice >> 33 & 7]);
            out.push(' ');
        }
        if n % 700 == 5 {
            out.push_str("marzipan");
        }
        out
    }

    fn rows(has_labels: bool) -> Vec<Vec<Vec<Key>>> {
        (0..ROWS)
            .map(|n| match n {
                _ if n % 11 == 3 => Vec::new(),
                _ if has_labels && n % 2 == 0 => {
                    vec![vec![Key::Code(text(n)), Key::Label(format!("label {n}"))]]
                }
                _ => vec![vec![Key::Text(text(n))]],
            })
            .collect()
    }

    #[test]
    fn parts_say_what_the_scan_says() {
        let words = [
            "marzipan",
            "garden 答案",
            "é",
            "ma",
            "z",
            "",
            "nowhere",
            "label 77",
            "n marzipan",
            "rzip",
        ];
        let word = |text: &str| Key::Text(text.to_owned());
        let mut conds: Vec<Cond> = words
            .iter()
            .map(|word| Cond::Like((*word).to_owned()))
            .collect();
        conds.push(Cond::In(vec![word(&text(705)), word("marzipan")]));
        conds.push(Cond::In(vec![
            word(&text(0)),
            word(&text(9)),
            Key::Number(3.0),
        ]));
        conds.push(Cond::Set(vec![word(&text(9))]));
        conds.push(Cond::Range {
            low: Some((word("letter"), true)),
            high: None,
        });
        conds.push(Cond::Null);
        for has_labels in [false, true] {
            let rows = rows(has_labels);
            let mut sealer = Sealer::default();
            for (row, cells) in rows.iter().enumerate() {
                sealer.add(row, cells, usize::MAX);
            }
            let size = sealer.size();
            assert!(size > WORTH_PARTING);
            let bytes = sealer.seal(Packing::Packed);
            assert!(bytes.len() < size / 2, "{}", bytes.len());
            let segment = Segment::read(&bytes).expect("what was just made");
            let kept: Vec<usize> = segment
                .cells()
                .expect("not damaged")
                .into_iter()
                .map(|(row, cells)| {
                    assert_eq!(cells, rows[row]);
                    row
                })
                .collect();
            assert_eq!(Bits::of(kept), Bits::of((0..ROWS).filter(|n| n % 11 != 3)));
            for cond in conds
                .iter()
                .flat_map(|cond| [cond.clone(), cond.clone().negated()])
            {
                let wanted = (0..ROWS).filter(|row| holds_in_cells(&cond, &rows[*row]));
                assert_eq!(segment.ask(&cond), Some(Bits::of(wanted)), "{cond:?}");
            }
        }
    }

    #[test]
    fn only_parts_that_may_have_it_are_unpacked() {
        let mut texts = Texts::new(Some(Variant::Text));
        for text in (0..ROWS).map(text) {
            texts.push(text.len(), 0, |out| out.extend_from_slice(text.as_bytes()));
        }
        let mut bytes = Vec::new();
        put(&texts, &mut bytes);
        let parted = take(&mut &bytes[..]).expect("what was just made");
        assert_eq!(parted.len(), ROWS);
        // 705 has it, 704 has not: in one part of 64 or of each of several, never in all.
        let near = parted.having("marzipan");
        assert!(
            near.count_ones() < 10 && near >> (705 / PART) & 1 == 1,
            "{near:b}"
        );
        assert_eq!(parted.having("nowhere"), 0);
        assert_eq!(parted.having("ga"), u64::MAX);
        assert!(take(&mut &bytes[..bytes.len() - 1]).is_none());
    }
}
