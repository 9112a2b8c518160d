//! Bookings and orders, as letters say them: item, day and time; goods, options, quantity and prices.

use jiff::civil::{DateTime, Time};
use rust_decimal::Decimal;

use crate::base::text::texts::Texts;
use crate::fields::display::{local_date, moment, money};
use crate::fields::kind::{Booked, Ordered};
use crate::fields::values::results::pricing;
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::model::outbox::MailFile;
use crate::model::results::ReservationStatus;
use crate::ops::delivery::mail_templates::calendar_file::{Event, Span};
use crate::ops::delivery::mail_templates::entry::LetterCx;
use crate::ops::delivery::mail_templates::{Booking, MailPart, PriceLine};
use crate::query::as_read;

/// A booking with the identity of its calendar file: the field, and its index there.
type Place<'l> = (&'l Field, usize, Booked);

/// The bookings and orders of an entry, as far as respondents see them.
pub struct Facts<'l> {
    bookings: Vec<Place<'l>>,
    orders: Vec<Ordered>,
    is_cancelled: bool,
}

impl<'l> Facts<'l> {
    pub fn of(letter: &'l LetterCx, entry: &Entry) -> Self {
        let stored = as_read::values(letter.parsed, &entry.values, &letter.cx).unwrap_or_default();
        let mut facts = Self {
            bookings: Vec::new(),
            orders: Vec::new(),
            is_cancelled: entry.results.reservation_status == Some(ReservationStatus::Cancelled),
        };
        for field in letter.parsed.definition.fields.with_values().filter(|field| !field.hidden) {
            let Some(value) = values::today(field, stored.get(&field.api_code), &letter.cx) else {
                continue;
            };
            let booked = field.kind.booked(&value).into_iter().enumerate();
            facts.bookings.extend(booked.map(|(index, booked)| (field, index, booked)));
            facts.orders.extend(field.kind.ordered(&value));
        }
        facts
    }

    pub fn has_bookings(&self) -> bool {
        !self.bookings.is_empty()
    }

    pub fn has_orders(&self) -> bool {
        !self.orders.is_empty()
    }

    /// True if answers to this field are among the facts.
    pub fn has(field: &Field) -> bool {
        field.kind.calendar().is_some() || pricing::is_priced(&*field.kind)
    }

    /// Only the bookings that `is` accepts.
    pub fn only(mut self, is: impl Fn(&Booked) -> bool) -> Self {
        self.bookings.retain(|(_, _, booked)| is(booked));
        self.orders.clear();
        self
    }

    pub fn bookings(&self) -> impl Iterator<Item = &Booked> {
        self.bookings.iter().map(|(_, _, booked)| booked)
    }

    /// The booking that begins first.
    pub fn first(&self) -> Option<&Booked> {
        self.bookings().min_by_key(|booked| booked.from)
    }

    /// The parts of a letter. They include prices if `with_totals`.
    pub fn parts(&self, letter: &LetterCx, with_totals: bool) -> Vec<MailPart> {
        let texts = letter.texts();
        let mut parts = Vec::new();
        for (_, _, booked) in &self.bookings {
            let places = (booked.number > 1).then(|| texts.fill("mail-places", &[("count", booked.number.into())]));
            parts.push(MailPart::Booking(Booking {
                item: booked.item.clone(),
                when: when(booked, letter, texts),
                places,
                is_cancelled: self.is_cancelled,
            }));
        }
        if !self.orders.is_empty() {
            parts.push(MailPart::Prices(self.prices(letter, with_totals)));
        }
        parts
    }

    fn prices(&self, letter: &LetterCx, with_totals: bool) -> Vec<PriceLine> {
        let texts = letter.texts();
        let currency = &letter.parsed.settings.pricing.currency;
        let price = |amount: Decimal| money::price(amount, currency, letter.cx.locale);
        let line = |label: String, amount: String| PriceLine { label, amount, is_last: false };
        let mut lines: Vec<PriceLine> = self
            .orders
            .iter()
            .map(|ordered| line(ordered.text.clone(), ordered.cost.map(price).unwrap_or_default()))
            .collect();
        let results = &letter.entry.results;
        if let Some(total) = results.total_price.map(money::exact).filter(|_| with_totals) {
            let to_pay = results.preferential_price.map_or(total, money::exact);
            if to_pay < total {
                lines.push(line(texts.say("mail-subtotal"), price(total)));
                lines.push(line(texts.say("mail-discount"), format!("−{}", price(total - to_pay))));
            }
            lines.push(PriceLine { is_last: true, ..line(texts.say("mail-to-pay"), price(to_pay)) });
        }
        lines
    }

    /// The calendar files: one for each booking, and one to cancel each booking that only `before` had.
    pub fn files(&self, letter: &LetterCx, before: Option<&Facts>) -> Vec<MailFile> {
        let is_there = |(field, index, _): &&Place| {
            self.bookings.iter().any(|(own, at, _)| own.api_code == field.api_code && at == index)
        };
        let gone = before.into_iter().flat_map(|before| &before.bookings).filter(|place| !is_there(place));
        let all = self.bookings.iter().map(|place| (place, self.is_cancelled)).chain(gone.map(|place| (place, true)));
        all.enumerate()
            .filter_map(|(nth, ((field, index, booked), is_cancelled))| {
                let name = if nth == 0 { "booking.ics".to_owned() } else { format!("booking-{}.ics", nth + 1) };
                let item = match booked.number {
                    2.. => format!("{} × {}", booked.number, booked.item),
                    _ => booked.item.clone(),
                };
                let event = Event {
                    uid: format!("{}-{}-{index}@{}", letter.entry.token, field.api_code, letter.host()),
                    sequence: letter.entry.version,
                    written_at: letter.cx.now,
                    span: span(booked, letter)?,
                    summary: format!("{item} – {}", letter.form.name),
                    organizer: letter.sender,
                    is_cancelled,
                };
                Some(event.file(name))
            })
            .collect()
    }
}

/// True for a booking of a day, not of a time on it.
pub fn is_whole_day(booked: &Booked) -> bool {
    booked.to.is_none() && booked.from.time() == Time::midnight()
}

/// The days of a booking, without times.
pub fn day(booked: &Booked, letter: &LetterCx) -> String {
    local_date::with_weekday(booked.from.date(), letter.texts(), letter.cx.locale)
}

/// Day and time, a line each: `Sunday, 29 November 2026` and `11:15–12:00 (Beijing time)`.
fn when(booked: &Booked, letter: &LetterCx, texts: &Texts) -> Vec<String> {
    let first = day(booked, letter);
    if is_whole_day(booked) {
        return vec![first];
    }
    let clock = |at: DateTime| at.strftime("%H:%M").to_string();
    let zoned = |time: String| match letter.cx.timezone.to_zoned(booked.from) {
        Ok(at) => moment::with_zone(&time, &at, texts),
        Err(_) => time,
    };
    let from = booked.from;
    let time = match booked.to {
        None => clock(from),
        Some(to) if to.date() == from.date() => format!("{}–{}", clock(from), clock(to)),
        // The end of the day.
        Some(to) if to.time() == Time::midnight() && from.date().tomorrow().ok() == Some(to.date()) => {
            format!("{}–24:00", clock(from))
        }
        Some(to) => {
            let last = local_date::with_weekday(to.date(), texts, letter.cx.locale);
            let at = |day: String, time| texts.fill("moment-day-time", &[("day", day.into()), ("time", time)]);
            let (from, to) = (at(first, clock(from).into()), at(last, clock(to).into()));
            return vec![format!("{from} –"), zoned(to)];
        }
    };
    vec![first, zoned(time)]
}

fn span(booked: &Booked, letter: &LetterCx) -> Option<Span> {
    if is_whole_day(booked) {
        return Some(Span::Day(booked.from.date()));
    }
    let moment = |local: DateTime| letter.cx.timezone.to_timestamp(local).ok();
    Some(Span::Moments(moment(booked.from)?, booked.to.and_then(moment)))
}
