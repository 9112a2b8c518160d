//! The times at which the entries of an example come: a year with its weeks, its days and its rushes.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use crate::base::clock::Time;
use crate::ops::server::demo::chance::Chance;
use crate::ops::server::demo::recipe::Rhythm;

/// The hours with which the parts of a day begin, and the day's end.
const PARTS: [i64; 7] = [0, 6, 11, 14, 17, 20, 24];
const MINUTES: i64 = 60;
const DAY_MINUTES: i64 = 24 * MINUTES;

/// Something that came, and how far on in the year that was: from 0 to 1.
pub struct Moment {
    pub at: Zoned,
    pub progress: f64,
}

impl Moment {
    pub fn time(&self) -> Time {
        Time::from_millis(self.at.timestamp().as_millisecond())
    }
}

/// So many times before `now`, in order.
pub fn moments(rhythm: &Rhythm, count: usize, zone: &TimeZone, now: Time, chance: &mut Chance) -> Vec<Moment> {
    let now = now.timestamp();
    let today = now.to_zoned(zone.clone()).date();
    let (first, last) = rhythm.days;
    let days: Vec<(Date, f64, f64)> = (last..=first).rev().filter_map(|ago| day(rhythm, today, ago)).collect();
    let mut moments: Vec<Moment> = (0..count)
        .filter_map(|_| {
            let (date, progress, _) = days.get(chance.weighted(days.iter().map(|day| day.2)))?;
            let at = on_day(rhythm, *date, zone, chance)?;
            // Only hours of today that are over.
            let at = if at.timestamp() < now { at } else { sooner(&at, now, chance)? };
            Some(Moment { at, progress: *progress })
        })
        .collect();
    moments.sort_by_key(|moment| moment.at.timestamp());
    moments
}

/// A day, how far on it is, and how much comes on it.
fn day(rhythm: &Rhythm, today: Date, ago: i64) -> Option<(Date, f64, f64)> {
    let date = today.checked_sub(Span::new().days(ago)).ok()?;
    let (first, last) = rhythm.days;
    let progress = as_float(first - ago) / as_float((first - last).max(1));
    let weekday = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default();
    let rushes = rhythm.rushes.iter().map(|(peak, times, width)| {
        let distance = as_float(ago - peak) / width;
        // It begins at once and fades away.
        if distance > 0.0 { 0.0 } else { (times - 1.0) * distance.exp() }
    });
    let weight = rhythm.growth.powf(progress) * rhythm.week[weekday] * (1.0 + rushes.sum::<f64>());
    Some((date, progress, weight))
}

fn on_day(rhythm: &Rhythm, date: Date, zone: &TimeZone, chance: &mut Chance) -> Option<Zoned> {
    let part = chance.weighted(rhythm.parts.iter().copied());
    let (from, to) = (*PARTS.get(part)? * MINUTES, *PARTS.get(part + 1)? * MINUTES);
    let minute = chance.between(from, to - 1).min(DAY_MINUTES - 1);
    let at = date.at(i8::try_from(minute / MINUTES).ok()?, i8::try_from(minute % MINUTES).ok()?, 0, 0);
    let at = at.checked_add(Span::new().milliseconds(chance.between(0, 59_999))).ok()?;
    at.to_zoned(zone.clone()).ok()
}

/// A time of the last hours instead of one that is yet to come.
fn sooner(at: &Zoned, now: Timestamp, chance: &mut Chance) -> Option<Zoned> {
    let ago = Span::new().seconds(chance.between(60, 9 * 3600));
    Some(now.checked_sub(ago).ok()?.to_zoned(at.time_zone().clone()))
}

/// Days and counts are small.
pub fn as_float(number: i64) -> f64 {
    i32::try_from(number).map_or(f64::MAX, f64::from)
}
