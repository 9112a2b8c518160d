//! On which days something can be booked.

use jiff::civil::Date;

use crate::fields::kind::Cx;

/// A kind whose values are bookings of days, or of slots on them.
pub trait Calendar {
    /// The codes of the items that respondents can book.
    fn bookable(&self) -> Vec<&str>;

    /// The days from one to another, both included, on which an item can be booked, full or not; empty for an unknown
    /// item.
    fn days(&self, item: &str, from: Date, to: Date, cx: &Cx) -> Vec<Day>;
}

/// A day that can be booked.
#[derive(Debug)]
pub struct Day {
    pub date: Date,
    pub places: Places,
}

/// The places of a day.
#[derive(Debug)]
pub enum Places {
    /// Of the day itself.
    Whole(Counted),
    /// Of each slot, in their order.
    Slots(Vec<SlotPlaces>),
}

/// A slot on a day.
#[derive(Debug)]
pub struct SlotPlaces {
    pub code: String,
    /// `HH:MM`.
    pub start_time: String,
    /// `HH:MM`; `24:00` is the end of the day.
    pub end_time: String,
    /// Whether respondents can't book it any more.
    pub has_begun: bool,
    pub limit: Counted,
}

/// A number of places that is counted.
#[derive(Debug)]
pub struct Counted {
    /// As in [`crate::fields::kind::Take`].
    pub counter: String,
    /// `None` for any number.
    pub places: Option<u64>,
}
