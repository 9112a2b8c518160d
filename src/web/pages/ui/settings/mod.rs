//! Parts of pages of settings: sections side by side with their list, controls of all sorts, rows of controls.

pub mod bands;
pub mod control;
pub mod rows;
pub mod sections;
pub mod texts;
