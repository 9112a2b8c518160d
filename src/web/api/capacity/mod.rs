//! Capacity over the API: days and slots with room, and holds.

pub(in crate::web::api) mod booking_days;
pub(in crate::web::api) mod holds;
