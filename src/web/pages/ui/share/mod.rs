//! Parts of pages that give a form's address on: the link to copy, its code, the sheet to hang up, and whether the form
//! is open.

pub mod channels;
pub mod code;
pub mod link_line;
pub mod poster;
pub mod standing;
