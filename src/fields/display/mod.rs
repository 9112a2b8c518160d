//! How values are written for people: dates, numbers and money, in a language's order and signs.

pub mod dates;
pub mod local_date;
pub mod local_number;
pub mod moment;
pub mod money;
