//! Files: announced uploads, the files of entries, images, and the contents of them all.

pub mod blobs;
pub mod entry_files;
pub mod images;
pub mod uploads;
