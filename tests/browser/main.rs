//! Journeys that need a real browser: a form filled in with and without a script, by keyboard alone, on
//! a phone and on a desk; what axe-core says of the pages; no console message and no policy report.
//! Without a browser the tests fail; `TEST_MAY_SKIP=1` skips those that need one.

#[allow(dead_code, unused_imports, reason = "a tool box, of which each time some part rests")]
#[path = "../http/support/mod.rs"]
mod support;

mod account_pages;
mod agreement;
mod appearance;
mod as_written;
mod attach;
mod cards;
mod choices;
mod clearing;
mod consent;
mod dead_ends;
mod docs_page;
mod every_kind;
mod fill_in;
mod finishing;
mod first_hour;
mod forms;
mod grids;
mod images;
mod journeys;
mod keep;
mod keyboard;
mod keys;
mod language;
mod languages;
mod linked;
mod looks;
mod mail_pages;
mod nothing_lost;
mod own;
mod people;
mod picker;
mod places;
mod query;
mod query_edit;
mod query_forms;
mod receipt;
mod results;
mod rules;
mod sending;
mod shop;
mod steps;
mod verify;
mod waiting;
mod webdriver;
mod weight;
