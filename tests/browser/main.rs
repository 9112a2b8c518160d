//! Journeys that need a real browser: a form filled in with and without a script, by keyboard alone, on a phone and on
//! a desk; the findings of axe-core on the pages; no console message and no policy report. Without a browser the tests
//! fail; `TEST_MAY_SKIP=1` skips those that need one.

mod console;
mod dead_ends;
mod docs_page;
mod driver;
mod form;
mod forms;
mod journeys;
mod looks;
mod query;
mod questions;
mod weight;
