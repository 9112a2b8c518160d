//! Parts of pages about entries: answers, and the conditions of a list.

pub mod answers;
pub mod conditions;
