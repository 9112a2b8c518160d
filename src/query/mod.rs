//! Finds entries: everything between a list of conditions and the serial numbers that match.
//!
//! # Code map
//! 1. A **condition** is parsed by [`fields::filter`](crate::fields::filter): its subject, and the test of its value.
//!    `Filter::holds` is its one meaning; everything else must agree with it (an oracle in the tests compares them).
//! 2. [`request`] reads a request's conditions against a form, once: a [`Query`](request::Query).
//! 3. `planner` turns a query into a plan, `executor` runs it, cheapest source first:
//!    - **exact keys** ([`exact`], `store::entries::entry_keys`) where a unique field, or one that public queries
//!      search, must equal one value;
//!    - **segments**: [`segments`] is their format, [`segment_builder`] builds those of full blocks in the
//!      background, `store::entries::segments` keeps them and notes which entries changed since;
//!    - the **tail**: `tail_cache` keeps segments in memory of the newest entries, which fill no block yet;
//!    - the **scan** (`scan`) evaluates the filter on the entries themselves, for those that the others don't know.
//!
//! [`answer_order`] sorts the found entries by an answer, from the same segments. [`form_cache`] keeps parsed forms,
//! [`linked_entries`] loads the entries that linked fields lead to, [`as_read`] computes the values of an entry that
//! depend on the day.
//! Nothing here decides permission.

pub mod answer_order;
pub mod as_read;
pub mod exact;
mod executor;
pub mod form_cache;
pub mod linked_entries;
mod planner;
pub mod request;
mod scan;
pub mod segment_builder;
pub mod segments;
mod tail_cache;

pub use executor::{is_matching, matching};
