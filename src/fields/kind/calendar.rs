//! Days on which an item can be booked, and times of bookings.

use jiff::civil::{Date, DateTime};

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};

/// A kind whose values are bookings of days, or of slots on them.
pub trait Calendar {
    /// The codes of the items that respondents can book.
    fn bookable(&self) -> Vec<&str>;

    /// The days from one to another, both included, on which an item can be booked, full or not; empty for an unknown
    /// item.
    fn days(&self, item: &str, from: Date, to: Date, cx: &Cx) -> Vec<Day>;

    /// The bookings of a stored value, in its order.
    fn booked(&self, stored: &Json) -> Vec<Booked>;

    /// The codes and names of all items, hidden ones too.
    fn all_items(&self) -> Vec<(&str, &str)>;

    /// The places of an item on a day that it is open on, even where it is too late to book them.
    fn places(&self, item: &str, day: Date, cx: &Cx) -> Option<Places>;
}

impl dyn Kind + '_ {
    /// The bookings of a stored value; none if the kind has no calendar.
    pub fn booked(&self, stored: &Json) -> Vec<Booked> {
        self.calendar().map_or_else(Vec::new, |calendar| calendar.booked(stored))
    }
}

/// A booking, on the form's wall clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booked {
    /// The item's name.
    pub item: String,
    /// The counter, as in [`crate::fields::kind::Take`].
    pub counter: String,
    pub from: DateTime,
    /// The end; `None` for whole days and where it is not known.
    pub to: Option<DateTime>,
    /// Number of places.
    pub number: i64,
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
    /// Places of the day itself.
    Whole(Counted),
    /// Places of each slot, in their order.
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
    /// The counter, as in [`crate::fields::kind::Take`].
    pub counter: String,
    /// `None` for any number.
    pub places: Option<u64>,
}
