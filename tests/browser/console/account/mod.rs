//! Pages of accounts, and those that lead to them.

pub(crate) mod account_pages;
pub(crate) mod consent;
pub(crate) mod mail_pages;
