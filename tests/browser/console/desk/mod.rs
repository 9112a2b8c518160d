//! The work of people at a desk: they go somewhere by its name, look for entries, and let people in.

mod day_of_bookings;
mod every_key;
mod palette;
mod seen_focus;
mod table_tools;
mod week;
mod week_by_keys;
mod wide_table;
