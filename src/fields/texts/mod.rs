//! Texts of owners and respondents: rich text, patterns and lengths, placeholders.

pub mod after_template;
pub mod pattern;
pub mod placeholders;
pub mod plain_text;
pub mod rich_text;
pub mod rich_tree;
pub(in crate::fields) mod text_kind;
pub mod text_rules;
