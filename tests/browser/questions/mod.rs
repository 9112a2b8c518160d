//! Kinds of questions: each with and without a script, by keyboard, on a telephone and on a desk.

pub(crate) mod as_written;
pub(crate) mod attach;
pub(crate) mod choices;
pub(crate) mod clearing;
pub(crate) mod every_kind;
pub(crate) mod finishing;
pub(crate) mod grids;
pub(crate) mod images;
pub(crate) mod linked;
pub(crate) mod picker;
pub(crate) mod places;
pub(crate) mod rhythm;
pub(crate) mod shop;
