//! The work of people at a desk: they go somewhere by its name, and let people in.

mod day_of_bookings;
mod palette;
