//! The times of a day, each with the people who come.

use maud::{Markup, html};

use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::words::muted;

/// A time of a day, or the whole of it.
pub struct DayTime {
    /// Large, for the door; nothing for a whole day.
    pub hours: String,
    /// How many places are taken.
    pub places: String,
    pub is_full: bool,
    pub rows: Vec<Row>,
}

/// The times of an item, one below the other. `none` stands where nobody comes.
pub fn times(all: Vec<DayTime>, none: &str) -> Markup {
    html! {
        div.day-times {
            @for time in all {
                div.day-time {
                    div.day-hours {
                        @if !time.hours.is_empty() { h3 { (time.hours) } }
                        p class=(if time.is_full { "day-places full" } else { "day-places" }) { (time.places) }
                    }
                    div.day-people {
                        @if time.rows.is_empty() { (muted(none)) } @else { (list(time.rows)) }
                    }
                }
            }
        }
    }
}
