//! Field kinds and the values of each, links to other forms, and results of values.

pub mod decisions;
pub mod digits;
pub mod kinds;
pub mod linked;
pub mod linked_views;
pub mod phones;
pub mod settled;
