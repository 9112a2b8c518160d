//! Column segments: the keys of one column over a block of 4,096 serial numbers, encoded so that a condition is
//! evaluated for all rows at once. A segment is a cache: it agrees with `cond::holds_in_cells` for every row. Pure:
//! nothing here reads or writes files.
//!
//! `column` lists the columns of a form, `collector` takes the rows of a block, `sealer` chooses a layout and writes
//! the bytes, `segment` reads and queries them. Layouts: `numbers`, `dictionary`, `split`, `texts`.

mod cells;
mod collector;
mod column;
mod dictionary;
mod encoding;
#[cfg(test)]
mod kind_tests;
mod numbers;
mod sealer;
mod segment;
mod split;
#[cfg(test)]
mod tests;
mod texts;

pub use cells::FirstKey;
pub use collector::{Collector, SizeLimits};
pub use column::{Column, columns};
pub use encoding::Packing;
pub use sealer::Sealer;
pub use segment::Segment;

/// Goes up whenever the format or the keys of a kind change: older segments are then rebuilt.
pub const FORMAT: u32 = 6;

// How a segment's values are laid out: its first byte.
const EMPTY: u8 = 0;
const NUMBERS: u8 = 1;
const DICTIONARY: u8 = 2;
const TEXTS: u8 = 3;
const SPLIT: u8 = 4;
