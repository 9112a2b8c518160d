//! Units that bookings take: places of an item's day, or of a slot on it.

use jiff::civil::Date;

use crate::base::json::Json;
use crate::fields::kind::{Capacity, Counters, Cx, Limit, Remaining, Take, UsedOf, put_remaining};
use crate::fields::kinds::booking::Booking;
use crate::fields::kinds::booking::item::Bookable;
use crate::fields::kinds::booking::line::BookingLine;
use crate::fields::schedule::{Schedule, counters_between, date, today};
use crate::model::capacity::Resource;

/// The counter of an item's day, or of a slot of it.
pub fn counter_of(item: &str, day: Date, slot: Option<&str>) -> String {
    match slot {
        Some(slot) => format!("{item}/{day}/{slot}"),
        None => format!("{item}/{day}"),
    }
}

impl Capacity for Booking {
    fn resource(&self) -> Resource {
        Resource::Places
    }

    fn takes(&self, stored: &Json) -> Vec<Take> {
        let take = |(i, line): (usize, BookingLine)| {
            let (item, day, slot) = line.place();
            Some(Take {
                counter: counter_of(item?, day?, slot),
                amount: line.number.and_then(|number| u64::try_from(number).ok()).unwrap_or(1),
                at: format!("[{i}].scheduled_at"),
            })
        };
        BookingLine::all(stored).enumerate().filter_map(take).collect()
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        let mut steps = counter.split('/');
        let (item, day, slot) = (steps.next()?, date(steps.next()?)?, steps.next());
        let own = |own: &Bookable| own.api_code == item;
        let place = self.reservation_items.iter().position(own)?;
        let limit = self.reservation_items[place].quota_setting.limit(day, slot)?;
        let at = format!("reservation_items[{place}].quota_setting.{}", limit.at);
        Some(Limit { at, ..limit })
    }

    /// Of a weekday, or a slot of it: what is left on the next day that can be booked.
    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, cx: &Cx) {
        let shown = shown.get_mut("reservation_items").and_then(Json::as_array_mut);
        for item in shown.into_iter().flatten() {
            let code = item["api_code"].as_str().unwrap_or_default().to_owned();
            let Some(own) = self.find(&code) else {
                continue;
            };
            let setting = &mut item["quota_setting"];
            for list in ["weekly_quotas", "daily_time_range_quotas"] {
                let days = setting.get_mut(list).and_then(Json::as_array_mut);
                for day in days.into_iter().flatten() {
                    let slot = day["code"].as_str();
                    let weekday = day["weekday"].as_i64().unwrap_or_default();
                    let setting = &own.quota_setting;
                    let remaining = setting.has_limit(weekday, slot).then(|| {
                        let next = setting.next_day(weekday, slot, cx);
                        let used = taken(&next.map_or_else(String::new, |next| counter_of(&code, next, slot)));
                        let limit = next.and_then(|next| setting.limit(next, slot));
                        limit.map_or(Remaining { left: 0, held: used.held }, |limit| limit.remaining(used))
                    });
                    put_remaining(day, remaining);
                }
            }
        }
    }

    fn is_over(&self, counter: &str, cx: &Cx) -> bool {
        let mut steps = counter.split('/');
        let (item, day, slot) = (steps.next(), steps.next().and_then(date), steps.next());
        let Some(day) = day else {
            return false;
        };
        let slots = item.and_then(|item| self.find(item)).map_or(&[][..], |item| &item.quota_setting.slots[..]);
        let mut begun = slots.iter().filter(|own| slot == Some(own.code.as_str()));
        day < today(cx) || begun.any(|slot| Schedule::has_begun(slot, day, cx))
    }

    fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        let list = self.short_list(cx);
        let range = list.and_then(|(item, days)| {
            let (first, last) = (days.first()?.date, days.last()?.date);
            Some(counters_between(&item.api_code, first, last))
        });
        range.into_iter().collect()
    }
}
