//! The fields of a form and their meaning. Pure: no IO, no clock, no SQL, no HTTP.
//!
//! From the lowest up: [`kind`] is the trait, [`field`] a field of a form; families of kinds share [`choices`],
//! [`grid`], [`scales`] and the like; [`kinds`] is the table of the implementations, which no kind names;
//! [`definition`] reads and edits the list of a form's fields by that table, [`values`] reads and shows a whole
//! entry, with the rules that say which fields of it are shown and required, and the formulas that compute some of
//! them. [`filter`] finds values, [`columns`] writes them to files and reads them from there, [`display`] and [`texts`]
//! write them for people.

pub mod catalog;
pub mod choices;
pub mod columns;
pub mod definition;
pub mod display;
pub mod field;
pub mod files;
pub mod filter;
pub mod form_part;
pub mod grading;
pub mod grid;
pub mod images;
pub mod inputs;
pub mod kind;
pub mod kinds;
pub mod links;
pub mod panel;
pub mod paste;
pub mod places;
#[cfg(test)]
pub(crate) mod properties;
pub mod public_query;
pub mod report;
pub mod scales;
pub mod schedule;
pub mod schemas;
pub mod system;
pub mod texts;
pub mod values;

pub use field::{Field, Fields, number_of};
