//! Parts of pages about entries: answers, controls that change them, sheets to print, and the conditions of a list.

pub mod answers;
pub mod conditions;
pub mod difference;
pub mod editor;
pub mod question;
pub mod sheet;
