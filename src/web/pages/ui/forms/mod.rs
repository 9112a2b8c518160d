//! Parts of pages about forms: the folders that they lie in, and their names.

pub mod folders;
pub mod name;
#[cfg(test)]
pub mod sample;
