//! Parts of lists that are seen in several ways.

pub mod tabs;
