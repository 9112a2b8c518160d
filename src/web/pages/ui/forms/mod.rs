//! Parts of pages about forms: their folders, and their names.

pub mod folders;
pub mod name;
#[cfg(test)]
pub mod sample;
