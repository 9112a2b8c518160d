//! Files: uploads, the files of entries, images.

pub(in crate::ops) mod bare_images;
pub(in crate::ops) mod content_types;
pub mod entry_files;
pub mod form_uploads;
pub(in crate::ops) mod image_variants;
pub mod images;
pub mod posted_images;
pub mod received_files;
pub mod state;
pub mod upload_quota;
pub mod uploads;
