//! The fields of a form and their meaning. Pure: no IO, no clock, no SQL, no HTTP.
//!
//! From the lowest up: [`kind`] is the trait, [`field`] a field of a form; families of kinds share [`choices`],
//! [`grid`], [`scales`] and the like; [`kinds`] is the table of the implementations, which no kind names;
//! [`definition`] reads and edits the list of a form's fields by that table, [`values`] reads and shows a whole
//! entry, [`rules`] says which fields of it are shown and required, [`formula`] computes some of them.

pub mod after_template;
pub mod associated;
pub mod choices;

pub mod cond;
pub mod convert;
pub mod dates;
pub mod definition;
pub mod depends;
pub mod field;
mod field_reader;
pub mod files;
pub mod filter;
pub mod form_part;
pub mod formula;
pub mod goods;
pub mod grading;
pub mod grid;
pub mod images;
pub mod inputs;
pub mod items;
pub mod kind;
pub mod kinds;
pub mod known_keys;
pub mod lines;
pub mod linked;
pub mod links;
pub mod live;
pub mod local_date;
pub mod local_number;
pub mod money;
pub mod occupancy;
pub mod page_size;
pub mod pattern;
pub mod phones;
pub mod placeholders;
pub mod places;
pub mod plain_text;
pub mod postal_codes;
#[cfg(test)]
pub(crate) mod properties;
pub mod public_query;
pub mod report;
pub mod results;
pub mod rewrite;
pub mod rich_text;
pub mod rules;
pub mod scales;
pub mod schedule;
pub mod schemas;
pub mod sheet;
pub mod stored;
pub mod system;
#[cfg(test)]
mod test_links;
mod text_kind;
pub mod text_rules;
pub mod unparsed;
pub mod values;

pub use field::{Field, Fields, number_of};
