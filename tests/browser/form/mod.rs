//! Forms as respondents meet them: filled in, kept, sent, and the pages after that.

pub(crate) mod agreement;
pub(crate) mod appearance;
pub(crate) mod cards;
pub(crate) mod fill_in;
pub(crate) mod keep;
pub(crate) mod keyboard;
pub(crate) mod keys;
pub(crate) mod language;
pub(crate) mod languages;
pub(crate) mod nothing_lost;
pub(crate) mod own;
pub(crate) mod receipt;
pub(crate) mod results;
pub(crate) mod rules;
pub(crate) mod sending;
pub(crate) mod verify;
pub(crate) mod waiting;
