//! Pages of signed-in users.

pub(crate) mod account;
pub(crate) mod beginnings;
pub(crate) mod builder;
mod building;
mod desk;
pub(crate) mod editing;
pub(crate) mod entries;
pub(crate) mod filling_in;
pub(crate) mod first_hour;
pub(crate) mod form_list;
pub(crate) mod history;
mod import;
pub(crate) mod jobs;
pub(crate) mod logic;
pub(crate) mod look;
pub(crate) mod panel;
mod panel_steps;
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
