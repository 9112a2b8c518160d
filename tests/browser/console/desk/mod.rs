//! What people at a desk do all day: they go somewhere by its name, and let people in.

mod day_of_bookings;
mod palette;
