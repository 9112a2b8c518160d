//! Rules in the builder: the effect of a choice's new label, the rules of copies, rules about whole pages, removed
//! questions, and the preview's reasons.

pub mod copies;
pub mod inspector;
pub mod removed_questions;
pub mod renamed_choices;
pub mod whole_pages;
