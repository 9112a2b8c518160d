//! Black-box tests: every one of them starts from the built program and speaks HTTP or the command line
//! to it. One binary, so that the library is linked once.
//!
//! Settings, all environment variables: `TEST_QUESTIONS=20000` asks as many random filter questions,
//! `TEST_PUBLIC_QUERIES=600` makes as many random public queries, `TEST_CRASH_ROUNDS=50` crashes as often in each crash
//! test, `TEST_EVENT_STEPS=2000` makes the random changes that events come of as many, `TEST_MAY_SKIP=1` passes tests
//! whose programs or rights are missing.

mod accounts;
mod api;
mod backups;
mod capacity;
mod checkup;
mod cli;
mod delivery;
mod entries;
mod exams;
mod fields;
mod files;
mod form_page;
mod forms;
mod oauth;
mod queries;
mod server;
mod store;
mod transfer;
