//! Rules in the builder: what a choice's new label changes of them, what copies take along, and what the
//! preview says of them.

pub mod copies;
pub mod inspector;
pub mod renamed_choices;
