//! Pages of accounts and of those who are signed in.

pub(crate) mod account_pages;
pub(crate) mod beginnings;
pub(crate) mod builder;
mod building;
pub(crate) mod consent;
mod desk;
pub(crate) mod editing;
pub(crate) mod entries;
pub(crate) mod filling_in;
pub(crate) mod first_hour;
pub(crate) mod form_list;
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod logic;
pub(crate) mod look;
pub(crate) mod mail_pages;
pub(crate) mod panel;
pub(crate) mod parts;
mod parts_of_questions;
pub(crate) mod people;
pub(crate) mod queries;
pub(crate) mod report;
pub(crate) mod rich_text;
pub(crate) mod settings;
pub(crate) mod share;
pub(crate) mod table;
mod webhooks;
