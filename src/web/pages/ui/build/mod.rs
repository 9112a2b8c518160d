//! Parts of the builder: the list of questions, the palette of kinds, what publishing changes.

pub mod beginnings;
pub mod history;
pub mod outline;
pub mod palette;
pub mod panel;
pub mod paste;
pub mod publishing;
