//! Parts of pages about entries: answers, controls that change them, sheets to print, the conditions of a list, and the
//! actions on some of them.

pub mod answers;
pub mod beside;
pub mod columns;
pub mod conditions;
pub mod difference;
pub mod editor;
pub mod keys;
pub mod missing;
pub mod progress;
pub mod question;
#[cfg(test)]
pub mod sample;
pub mod selection;
pub mod sheet;
