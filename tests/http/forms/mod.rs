//! Forms: made, changed, listed, their settings, rules, folders and formulas.

pub mod field_edits;
pub mod folders;
pub mod formula_changes;
pub mod formula_days;
pub mod lifecycle;
pub mod lists;
pub mod placeholders;
pub mod removed_values;
pub mod rules;
pub mod settings;
