//! Files over the API: uploads.

pub(in crate::web::api) mod uploads;
