//! Email addresses and the like, split at the last `@`: heads are stored one by one, tails once each. Neither has to be
//! compressed, so that a search unpacks nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use memchr::memmem;

use crate::fields::filter::cond::{Cond, Key, holds_in_cells};
use crate::model::bits::Bits;
use crate::query::segments::cells::Variant;
use crate::query::segments::encoding::{self, Packing};
use crate::query::segments::texts::Texts;

/// Texts are split before the last one of these.
const SIGN: u8 = b'@';
/// Fewer bytes are not worth splitting.
const WORTH_SPLITTING: usize = 8 << 10;
/// The texts that are tested for the sign.
const SOME: usize = 16;
/// The most tails. The first one is empty: a text with a tail beyond these is all head.
const TAILS: usize = 256;

/// Several texts, none of them empty, in heads and tails.
pub(super) struct Split<'b> {
    variant: Variant,
    heads: Texts<'b>,
    tails: Texts<'b>,
    /// The index of each text's tail.
    codes: Cow<'b, [u8]>,
}

impl Split<'static> {
    /// Splits texts; `None` if that saves little.
    pub(super) fn of(texts: &Texts) -> Option<Self> {
        let variant = texts.only()?;
        let has_sign = |text: &[u8]| memchr::memchr(SIGN, text).is_some();
        if texts.size() < WORTH_SPLITTING || !texts.values().take(SOME).any(has_sign) {
            return None;
        }
        let mut out = Self {
            variant,
            heads: Texts::new(Some(variant)),
            tails: Texts::new(Some(variant)),
            codes: Cow::Owned(Vec::new()),
        };
        let add = |part: &[u8], to: &mut Texts<'static>| {
            to.push(|bytes| bytes.extend_from_slice(part));
        };
        add(b"", &mut out.tails);
        let mut known: HashMap<&[u8], u8, RandomState> = HashMap::from_iter([(&b""[..], 0)]);
        for text in texts.values() {
            let (head, tail) = split_at_sign(text);
            let code = match known.get(tail) {
                Some(code) => *code,
                None if out.tails.len() == TAILS => 0,
                None => {
                    // Below TAILS.
                    let code = out.tails.len() as u8;
                    known.insert(tail, code);
                    add(tail, &mut out.tails);
                    code
                }
            };
            add(if code == 0 { text } else { head }, &mut out.heads);
            out.codes.to_mut().push(code);
        }
        let kept = out.heads.size() + out.tails.size() + out.codes.len();
        (kept <= texts.size() / 4 * 3).then_some(out)
    }
}

impl<'b> Split<'b> {
    /// Appends them.
    pub(super) fn put(&self, packing: Packing, out: &mut Vec<u8>) {
        self.heads.put_searched(packing, out);
        self.tails.put(packing, out);
        encoding::put(&self.codes, packing, out);
    }

    /// Reads them; `None` if they are damaged.
    pub(super) fn take(bytes: &mut &'b [u8]) -> Option<Self> {
        let (heads, tails) = (Texts::take(bytes)?, Texts::take(bytes)?);
        let codes = encoding::take(bytes)?;
        let highest = codes.iter().fold(0, |most: u8, code| most.max(*code));
        let is_whole = codes.len() == heads.len() && usize::from(highest) < tails.len();
        let variant = heads.only().filter(|_| is_whole)?;
        Some(Self { variant, heads, tails, codes })
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    fn tail(&self, i: usize) -> &[u8] {
        self.tails.value(usize::from(self.codes[i]))
    }

    /// A text; `None` if it is damaged.
    pub(super) fn text(&self, i: usize) -> Option<String> {
        String::from_utf8([self.heads.value(i), self.tail(i)].concat()).ok()
    }

    /// The keys of a value; `None` if it is damaged.
    pub(super) fn cells(&self, i: usize) -> Option<Vec<Vec<Key>>> {
        Some(vec![vec![self.variant.key(&self.text(i)?)]])
    }

    /// The places of the values for which a condition holds; `None` if something is damaged. The condition must not
    /// hold for empty values.
    pub(super) fn ask(&self, cond: &Cond) -> Option<Bits> {
        match cond {
            Cond::Like(part) => Some(self.containing(part.as_bytes())),
            Cond::In(wanted) => {
                let wanted = wanted.iter().filter_map(|key| self.variant.of(key));
                Some(self.equal(wanted.map(str::as_bytes)))
            }
            _ => {
                let mut out = Bits::none();
                for i in 0..self.len() {
                    if holds_in_cells(cond, &self.cells(i)?) {
                        out.add(i);
                    }
                }
                Some(out)
            }
        }
    }

    fn containing(&self, part: &[u8]) -> Bits {
        let mut out = Bits::none();
        self.heads.containing(part, &mut |i| out.add(i));
        let finder = memmem::Finder::new(part);
        if let Some(wanted) = self.with_tail(|tail| finder.find(tail).is_some()) {
            let is_wanted = |i: usize| wanted[usize::from(self.codes[i])];
            out = out.or(&Bits::where_holds(self.len(), is_wanted));
        }
        // Hits that span head and tail.
        let (before, behind) = split_at_sign(part);
        if before.is_empty() || behind.is_empty() {
            return out;
        }
        if let Some(wanted) = self.with_tail(|tail| tail.starts_with(behind)) {
            self.heads.containing(before, &mut |i| {
                if wanted[usize::from(self.codes[i])] && self.heads.value(i).ends_with(before) {
                    out.add(i);
                }
            });
        }
        out
    }

    /// Which tails meet a condition; `None` if none does.
    fn with_tail(&self, is_such: impl Fn(&[u8]) -> bool) -> Option<[bool; TAILS]> {
        let mut wanted = [false; TAILS];
        for (own, tail) in wanted.iter_mut().zip(self.tails.values()) {
            *own = is_such(tail);
        }
        wanted.contains(&true).then_some(wanted)
    }

    fn equal<'w>(&self, wanted: impl Iterator<Item = &'w [u8]>) -> Bits {
        let mut both: HashSet<(&[u8], u8), RandomState> = HashSet::default();
        for text in wanted {
            let (head, tail) = split_at_sign(text);
            both.insert((text, 0));
            let code = self.tails.values().position(|own| own == tail);
            both.extend(code.and_then(|code| Some((head, u8::try_from(code).ok()?))));
        }
        if let [(head, code)] = both.iter().copied().collect::<Vec<_>>()[..] {
            let is_it = |i: usize| self.codes[i] == code && self.heads.value(i) == head;
            return Bits::where_holds(self.len(), is_it);
        }
        Bits::where_holds(self.len(), |i| both.contains(&(self.heads.value(i), self.codes[i])))
    }
}

/// Splits a text before its last sign.
fn split_at_sign(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(memchr::memrchr(SIGN, text).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases().cases / 4, ..cases() })]

        #[test]
        fn two_parts_say_what_the_whole_says(
            texts in prop::collection::vec(prop_oneof![
                "[ab好]{1,3}(@[ab]{0,2}){0,2}@(example|b\\.a)\\.(com|org)",
                "[ab@]{1,6}",
            ], 1..40),
            parts in prop::collection::vec("[ab]{0,2}@?[ab好@.]{0,2}|@example.c|a@exa|om|b@b", 1..5),
            from in 0..40_usize,
        ) {
            let mut whole = Texts::new(Some(Variant::Text));
            // Enough of them for it to be worth while, and more ends than are kept apart.
            let filling = (0..900_usize).map(|n| format!("ab@{}.example.com", n % 400));
            let all: Vec<String> = texts.iter().cloned().chain(filling).collect();
            for text in &all {
                whole.push(|out| out.extend_from_slice(text.as_bytes()));
            }
            let Some(split) = Split::of(&whole) else {
                // None of the first has a sign.
                prop_assert!(texts.len() >= SOME);
                return Ok(());
            };
            for packing in [Packing::Plain, Packing::Packed] {
                let mut bytes = Vec::new();
                split.put(packing, &mut bytes);
                let mut left = &bytes[..];
                let split = Split::take(&mut left).expect("what was just put");
                prop_assert!(left.is_empty());
                let key = |text: &String| Key::Text(text.clone());
                let mut conds: Vec<Cond> = parts.iter().cloned().map(Cond::Like).collect();
                let wanted: Vec<Key> = all.iter().skip(from).take(3).map(key).collect();
                conds.push(Cond::In(wanted[..1].to_vec()));
                conds.push(Cond::In(wanted.clone()));
                conds.push(Cond::Set(wanted[..1].to_vec()));
                conds.push(Cond::In(parts.iter().map(key).collect()));
                conds.push(Cond::In(vec![Key::Code(all[0].clone())]));
                conds.push(Cond::Range { low: Some((wanted[0].clone(), false)), high: None });
                for (i, text) in all.iter().enumerate() {
                    prop_assert_eq!(split.cells(i), Some(vec![vec![key(text)]]));
                }
                for cond in conds {
                    let found = split.ask(&cond).expect("nothing is damaged");
                    for (i, text) in all.iter().enumerate() {
                        let holds = holds_in_cells(&cond, &[vec![key(text)]]);
                        prop_assert_eq!(found.has(i), holds, "{:?} of {}", cond, text);
                    }
                }
            }
        }
    }
}
