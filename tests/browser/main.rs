//! Journeys that need a real browser: a form filled in with and without a script, by keyboard alone, on
//! a phone and on a desk; what axe-core says of the pages; no console message and no policy report.

#[allow(
    dead_code,
    unused_imports,
    reason = "a tool box, of which each time some part rests"
)]
#[path = "../http/support/mod.rs"]
mod support;

mod attach;
mod cards;
mod choices;
mod consent;
mod every_kind;
mod fill_in;
mod forms;
mod grids;
mod images;
mod keep;
mod keys;
mod language;
mod linked;
mod looks;
mod own;
mod people;
mod places;
mod rules;
mod shop;
mod webdriver;
