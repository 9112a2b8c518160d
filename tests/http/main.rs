//! Black-box tests: every one of them starts from the built program and speaks HTTP or the command line
//! to it. One binary, so that the library is linked once.
//!
//! Settings, all environment variables: `TEST_QUESTIONS=20000` asks as many random filter questions,
//! `TEST_PUBLIC_QUERIES=600` makes as many random public queries, `TEST_CRASH_ROUNDS=50` crashes as often in each crash
//! test, `TEST_EVENT_STEPS=2000` makes the random changes that events come of as many, `TEST_MAY_SKIP=1` passes tests
//! whose programs or rights are missing.

#[allow(
    dead_code,
    unused_imports,
    reason = "a tool box, of which each time some part rests"
)]
mod support;

mod access;
mod access_log;
mod account_faults;
mod account_pages;
mod accounts;
mod acme;
mod addresses;
mod agreement;
mod audit;
mod availability;
mod backups;
mod base_path;
mod booking_days;
mod bounds;
mod bulk;
mod busy;
mod cancel_page;
mod capacity;
mod certificates;
mod cli;
mod collaborators;
mod conventions;
mod crash;
mod crash_files;
mod crash_many;
mod credentials;
mod damage;
mod data_dir;
mod decisions;
mod demo;
mod disk;
mod disk_files;
mod doctor;
mod entries;
mod entry_files;
mod entry_lists;
mod errors;
mod evaluations;
mod event_stream;
mod events_kept;
mod exam_time;
mod exams;
mod exports;
mod field_edits;
mod files;
mod filters;
mod floods;
mod folders;
mod form_folders;
mod form_layouts;
mod form_lists;
mod form_page;
mod forms;
mod formula_changes;
mod formula_days;
mod headers;
mod hostile;
mod image_variants;
mod images;
mod imports;
mod injection;
mod json_corpus;
mod kinds;
mod leaks;
mod linked;
mod linked_views;
mod mail;
mod manual;
mod me;
mod members;
mod metrics;
mod oauth;
mod odd_values;
mod one_per_respondent;
mod openapi;
mod orders;
mod own_entries;
mod page_files;
mod page_language;
mod page_recordings;
mod page_safety;
mod paging;
mod placeholders;
mod plans;
mod power;
mod previews;
mod proof_of_work;
mod public_queries;
mod public_queries_page;
mod published;
mod query_keys;
mod races;
mod receipts;
mod released;
mod removed_values;
mod report;
mod routes;
mod rules;
mod second_factor;
mod segments;
mod settings;
mod settled;
mod signatures;
mod standby;
mod stop;
mod supervisor;
mod terminal;
mod tls;
mod transport;
mod trash;
mod unique;
mod unknown_keys;
mod uploads;
mod users;
mod verification;
mod versions;
mod webhooks;
mod webhooks_out;
