//! Rules as sentences.

pub mod search;
pub mod sentence;
pub mod value;
