//! Repeated values, each stored once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::query::segments::texts::Texts;

/// The largest dictionary.
const WIDE: usize = 1024;
/// If nearly all of the first values differ, few repeat.
const FIRST: usize = 256;
const NEARLY_ALL: usize = FIRST - FIRST / 32;

/// The distinct values and the code of each row, where few values repeat often.
pub(super) fn dictionary(values: &Texts) -> Option<(Texts<'static>, Vec<u16>)> {
    let mut distinct = Texts::new(values.only());
    let mut codes = Vec::with_capacity(values.len());
    let mut known: HashMap<&[u8], u16, RandomState> = HashMap::default();
    for value in values.values() {
        let count = distinct.len();
        let code = match known.get(value) {
            Some(code) => *code,
            None if count == WIDE || (codes.len() < FIRST && count == NEARLY_ALL) => return None,
            None => {
                distinct.push(|out| out.extend_from_slice(value));
                // Below WIDE.
                known.insert(value, count as u16);
                count as u16
            }
        };
        codes.push(code);
    }
    (distinct.len() * 4 <= codes.len() || distinct.len() <= 16).then_some((distinct, codes))
}
