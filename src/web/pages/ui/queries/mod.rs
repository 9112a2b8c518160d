//! Parts of the pages on which public queries are made: the search and the shown fields, beside the page that visitors
//! see.

pub mod editor;
pub mod focal;
#[cfg(test)]
pub mod sample;
pub mod search;
pub mod shown;
