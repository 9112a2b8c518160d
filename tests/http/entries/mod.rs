//! Entries: created, listed, filtered, changed, unique, trashed, reported.

pub mod answer_order;
pub mod availability;
pub mod bulk;
pub mod bulk_pages;
pub mod editing;
pub mod filter_rows;
pub mod filters;
pub mod import_pages;
mod imports_at_once;
pub mod job_crashes;
pub mod jobs;
pub mod lifecycle;
pub mod lists;
pub mod pages;
pub mod races;
pub mod report;
pub mod report_over_time;
pub mod report_page;
pub mod segments;
pub mod table;
pub mod trash;
pub mod unique;
pub mod views;
