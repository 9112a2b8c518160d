//! A bookable item: its definition, and the time slot that a line refers to.

use std::collections::HashSet;

use jiff::civil::DateTime;
use serde::Serialize;

use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::definition::items::{MAX_CHOICES, item_code};
use crate::fields::images::Image;
use crate::fields::kind::{BuildCx, Cx};
use crate::fields::schedule::{Schedule, Scheme, Slot, When};

const MAX_NAME: usize = 500;
const MAX_DESCRIPTION: usize = 5000;

#[derive(Serialize)]
pub struct Bookable {
    /// Its code in values.
    pub api_code: String,
    pub name: String,
    /// A description in plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<bool>,
    pub images: Vec<Image>,
    /// When it can be booked, and the number of places.
    pub quota_setting: Schedule,
}

/// Reads `reservation_items`.
pub fn read_items(reader: &mut Reader, cx: &BuildCx) -> Vec<Bookable> {
    let mut seen = HashSet::new();
    let items = reader.objects("reservation_items", |item| {
        let api_code = item_code(item, cx, &mut seen);
        let name = item.text("name", MAX_NAME);
        let description = item.opt_text("description", MAX_DESCRIPTION);
        let hidden = item.opt_bool("hidden").filter(|hidden| *hidden);
        let images = cx.images.read_list(item, "images", "booking_image");
        let quota_setting = Schedule::read(item, cx, &api_code);
        Some(Bookable { api_code, name, description, hidden, images, quota_setting: quota_setting? })
    });
    let Some(items) = items else {
        return Vec::new();
    };
    if items.is_empty() || items.len() > MAX_CHOICES {
        reader.fault("reservation_items", Reason::not_one_to(MAX_CHOICES, Things::Other("items")));
    }
    items.into_iter().flatten().collect()
}

/// The time of a booking on the form's wall clock.
pub struct BookedTime<'b> {
    pub from: DateTime,
    /// The end, if it is known.
    pub to: Option<DateTime>,
    /// The slot of the day.
    pub slot: Option<&'b Slot>,
}

impl Bookable {
    pub fn is_hidden(&self) -> bool {
        self.hidden == Some(true)
    }

    /// Finds the day or slot that a line refers to.
    pub fn place(&self, line: &mut Reader, cx: &Cx) -> Option<BookedTime<'_>> {
        let no_day = || Reason::NoDay(self.name.clone());
        let from = moment(line, "scheduled_at", no_day);
        let to = if line.has("end_at") { Some(moment(line, "end_at", || Reason::Blank)?) } else { None };
        let from = from?;
        let day = from.local(cx.timezone).date();
        if let Some(fault) = self.quota_setting.day_fault(day, cx) {
            line.fault("scheduled_at", fault);
            return None;
        }
        match self.quota_setting.scheme {
            Scheme::Weekly => {
                let from = settled(from.local(cx.timezone), cx);
                let to = to.map(|to| settled(to.local(cx.timezone), cx));
                if to.is_some_and(|to| to < from) {
                    line.fault("end_at", Reason::NotBefore("scheduled_at".to_owned()));
                    return None;
                }
                Some(BookedTime { from, to, slot: None })
            }
            Scheme::TimeRange => {
                if matches!(from, When::Day(_)) {
                    line.fault("scheduled_at", Reason::MustBe(Expected::SlotStart));
                    return None;
                }
                let slots = self.quota_setting.slots_from(day, from, cx.timezone);
                let slot = match (&slots[..], to) {
                    ([], _) => {
                        line.fault("scheduled_at", Reason::NotSlotStart);
                        return None;
                    }
                    ([slot], None) => *slot,
                    (_, None) => {
                        line.fault("end_at", Reason::SlotEndMissing);
                        return None;
                    }
                    (slots, Some(to)) => {
                        let Some(slot) = to.end_of(slots, day, cx.timezone) else {
                            line.fault("end_at", Reason::NotSlotEnd);
                            return None;
                        };
                        slot
                    }
                };
                if cx.respondent && Schedule::has_begun(slot, day, cx) {
                    line.fault("scheduled_at", Reason::SlotBegun);
                    return None;
                }
                Some(BookedTime { from: slot.start_time.on(day), to: Some(slot.end_time.on(day)), slot: Some(slot) })
            }
        }
    }
}

/// Checks the times of a line whose item is unknown.
pub fn check_times(line: &mut Reader) {
    moment(line, "scheduled_at", || Reason::Blank);
    if line.has("end_at") {
        moment(line, "end_at", || Reason::Blank);
    }
}

fn moment(line: &mut Reader, key: &str, blank: impl Fn() -> Reason) -> Option<When> {
    if !line.has(key) {
        line.fault(key, blank());
    }
    let text = line.opt_text(key, 64)?;
    let found = When::parse(text.trim());
    if text.trim().is_empty() {
        line.fault(key, blank());
    } else if found.is_none() {
        line.fault(key, Reason::MustBe(Expected::DateTime));
    }
    found
}

/// Moves a wall clock time in a gap past the gap, so that it reads as it is stored.
fn settled(local: DateTime, cx: &Cx) -> DateTime {
    let there = cx.timezone.to_timestamp(local);
    let local = there.map_or(local, |at| cx.timezone.to_datetime(at));
    local.with().subsec_nanosecond(0).build().unwrap_or(local)
}
