//! Files as they are served and received: files of entries and queries, images, certificates, uploads.

pub mod certificates;
pub mod content;
pub mod definition;
pub mod entry_export;
pub mod entry_files;
pub mod images;
pub mod posted_image;
pub mod posted_sheet;
pub mod query_files;
pub mod upload;
