//! The hosted page of a form and the published API: filled in, sent, changed and cancelled by respondents.

pub mod agreement;
pub mod cancel;
pub mod files;
pub mod language;
pub mod layouts;
pub mod leaks;
pub mod one_per_respondent;
pub mod own_entries;
pub mod page;
pub mod previews;
pub mod published;
pub mod receipts;
pub mod recordings;
pub mod safety;
