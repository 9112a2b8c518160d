//! Parts of the builder: the list of questions, the palette of kinds, the changes of publishing.

pub mod beginnings;
pub mod default;
pub mod exam;
pub mod formula;
pub mod history;
pub mod linked;
pub mod outline;
pub mod palette;
pub mod panel;
pub mod parts;
pub mod paste;
pub mod picked;
pub mod plan;
pub mod publishing;
pub mod removed;
