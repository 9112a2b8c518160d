//! Parts of the page of a day's bookings.

pub mod day_bar;
pub mod desk;
pub mod times;
