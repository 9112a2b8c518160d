//! Rules as sentences.

pub mod sentence;
pub mod value;
