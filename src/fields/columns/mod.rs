//! Column segments: the keys of one column over a block of 4,096 serial numbers, as bytes of which a
//! condition can be asked all at once. A segment is a cache: what it answers is what asking
//! `cond::holds_in_cells` of every row answers. Pure: nothing here reads or writes files.

mod batch;
pub mod bits;
mod block;
mod cells;
mod dictionary;
mod list;
mod numbers;
mod parted;
mod parts;
mod seal;
mod segment;
mod split;
#[cfg(test)]
mod tests;
mod texts;

pub use bits::{Bits, ROWS};
pub use block::{Block, Remembered, Room};
pub use list::{Column, columns};
pub use parts::Packing;
pub use seal::{LaidOut, Sealer};
pub use segment::Segment;

/// Goes up whenever segments look otherwise than before: older ones are then made again.
pub const FORMAT: u32 = 4;

// How a segment's values are laid out: its first byte.
const EMPTY: u8 = 0;
const NUMBERS: u8 = 1;
const DICTIONARY: u8 = 2;
const TEXTS: u8 = 3;
const PARTED: u8 = 4;
const SPLIT: u8 = 5;
