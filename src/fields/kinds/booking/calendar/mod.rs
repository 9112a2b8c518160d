//! The days on which an item can be booked, and what is counted on each.

#[cfg(test)]
mod tests;

use jiff::civil::Date;

use crate::base::json::Json;
use crate::fields::kind::{Booked, Calendar, Counted, Cx, Day, Places, SlotPlaces};
use crate::fields::kinds::booking::Booking;
use crate::fields::kinds::booking::capacity::counter_of;
use crate::fields::kinds::booking::item::Bookable;
use crate::fields::kinds::booking::line::BookingLine;
use crate::fields::schedule::{Schedule, Scheme, Slot, weekday};

impl Bookable {
    /// The counter of a day, or of a slot on it.
    fn counted(&self, day: Date, slot: Option<&str>) -> Counted {
        let limit = self.quota_setting.limit(day, slot);
        Counted { counter: counter_of(&self.api_code, day, slot), places: limit.map(|limit| limit.most) }
    }

    /// The days from one to another, both included, that can be booked.
    pub fn days(&self, from: Date, to: Date, cx: &Cx) -> Vec<Day> {
        let own = &self.quota_setting;
        let (first, last) = own.window(false, cx);
        let from = first.map_or(from, |first| first.max(from));
        let to = last.map_or(to, |last| last.min(to));
        let days = std::iter::successors(Some(from), |day| day.tomorrow().ok());
        let days = days.take_while(|day| *day <= to);
        days.filter(|day| own.day_fault(*day, cx).is_none())
            .map(|date| Day { date, places: self.places(date, cx) })
            .collect()
    }

    fn places(&self, date: Date, cx: &Cx) -> Places {
        if self.quota_setting.scheme == Scheme::Weekly {
            return Places::Whole(self.counted(date, None));
        }
        let slots = self.quota_setting.slots.iter();
        let mut slots: Vec<&Slot> = slots.filter(|slot| slot.weekday == weekday(date)).collect();
        slots.sort_by_key(|slot| (slot.start_time, slot.end_time));
        let places = slots.into_iter().map(|slot| {
            let has_begun = cx.respondent && Schedule::has_begun(slot, date, cx);
            let limit = self.counted(date, Some(&slot.code));
            SlotPlaces {
                code: slot.code.clone(),
                start_time: slot.start_time.to_string(),
                end_time: slot.end_time.to_string(),
                has_begun,
                limit: Counted { places: if has_begun { Some(0) } else { limit.places }, ..limit },
            }
        });
        Places::Slots(places.collect())
    }
}

/// Maximum options of a list of all days and slots.
const MAX_LISTED: usize = 60;
/// Maximum days from the first to the last.
const MAX_SPAN: i32 = 366;

impl Booking {
    /// The only item, where all its days and slots together are few enough for one list. Slots that have begun are not
    /// offered.
    pub fn short_list(&self, cx: &Cx) -> Option<(&Bookable, Vec<Day>)> {
        let mut shown = self.reservation_items.iter().filter(|it| !it.is_hidden());
        let (Some(item), None) = (shown.next(), shown.next()) else {
            return None;
        };
        let (first, last) = item.bounds(cx)?;
        let mut days = item.days(first, last, cx);
        days.retain_mut(|day| match &mut day.places {
            Places::Whole(_) => true,
            Places::Slots(slots) => {
                slots.retain(|slot| !slot.has_begun);
                !slots.is_empty()
            }
        });
        let count = |day: &Day| match &day.places {
            Places::Whole(_) => 1,
            Places::Slots(slots) => slots.len(),
        };
        let options: usize = days.iter().map(count).sum();
        (1..=MAX_LISTED).contains(&options).then_some((item, days))
    }
}

impl Bookable {
    /// The first and the last day, where they are not far apart.
    fn bounds(&self, cx: &Cx) -> Option<(Date, Date)> {
        let (first, last) = self.quota_setting.window(false, cx);
        let (first, last) = first.zip(last)?;
        let span = first.until(last).ok()?.get_days();
        (0..=MAX_SPAN).contains(&span).then_some((first, last))
    }
}

impl Calendar for Booking {
    fn bookable(&self) -> Vec<&str> {
        let shown = self.reservation_items.iter().filter(|it| !it.is_hidden());
        shown.map(|item| item.api_code.as_str()).collect()
    }

    fn days(&self, item: &str, from: Date, to: Date, cx: &Cx) -> Vec<Day> {
        let item = self.find(item).filter(|item| !item.is_hidden());
        item.map_or_else(Vec::new, |item| item.days(from, to, cx))
    }

    fn booked(&self, stored: &Json) -> Vec<Booked> {
        let booked = |line: BookingLine| {
            let (item, _, slot) = line.place();
            let from = line.start()?;
            Some(Booked {
                item: self.name_of(&line).to_owned(),
                counter: counter_of(item.unwrap_or_default(), from.date(), slot),
                from,
                to: line.end(),
                number: line.number.unwrap_or(1),
            })
        };
        BookingLine::all(stored).filter_map(booked).collect()
    }

    fn all_items(&self) -> Vec<(&str, &str)> {
        self.named().collect()
    }

    fn places(&self, item: &str, day: Date, cx: &Cx) -> Option<Places> {
        let item = self.find(item).filter(|item| item.quota_setting.is_open_on(day))?;
        Some(item.places(day, cx))
    }
}
