//! Uploads, files of entries, images and their variants.

pub mod crash;
pub mod disk;
pub mod image_variants;
pub mod images;
pub mod uploads;
pub mod values;
