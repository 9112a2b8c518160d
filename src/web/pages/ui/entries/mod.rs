//! Parts of pages about entries: answers, the conditions of a list, and what is done with some of them.

pub mod answers;
pub mod conditions;
pub mod keys;
pub mod selection;
