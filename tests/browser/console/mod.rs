//! Pages of accounts and of those who are signed in.

pub(crate) mod account_pages;
pub(crate) mod beginnings;
pub(crate) mod builder;
pub(crate) mod consent;
pub(crate) mod editing;
pub(crate) mod entries;
pub(crate) mod first_hour;
pub(crate) mod form_list;
pub(crate) mod jobs;
pub(crate) mod mail_pages;
pub(crate) mod panel;
pub(crate) mod parts;
pub(crate) mod people;
pub(crate) mod settings;
pub(crate) mod share;
pub(crate) mod table;
