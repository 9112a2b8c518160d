//! The page of a day's bookings.

use jiff::ToSpan as _;
use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::fields::display::local_date;
use crate::model::entry::Entry;
use crate::model::results::ReservationStatus;
use crate::ops::capacity::day_sheet::{self, BookedPlaces, DaySheet, ItemOfDay, TimeOfDay};
use crate::web::pages::console;
use crate::web::pages::console::bookings::{DAY, ITEM, WAS, address_of_act, address_with, state_words};
use crate::web::pages::console::checkin;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::bookings::day_bar::DayBar;
use crate::web::pages::ui::bookings::times::{DayTime, times};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::entries::sheet::PrintButton;
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::Row;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::PageLink;
use crate::web::pages::ui::words::name;
use crate::web::request::reply::Answer;

pub struct DayPage<'a> {
    pub frame: &'a FormFrame<'a>,
    pub sheet: &'a DaySheet,
}

impl DayPage<'_> {
    /// The page; `notice` tells the last action.
    pub fn answer(&self, status: StatusCode, notice: &Markup) -> Answer {
        let (frame, sheet) = (self.frame, self.sheet);
        let day = local_date::with_weekday(sheet.day, frame.texts, frame.texts.locale());
        let heading = frame.texts.fill("bookings-of", &[("day", day.into())]);
        let content = html! {
            (frame.head(FormPage::Entries, false))
            (PageHead {
                back: Some(Back { address: &frame.address("entries"), label: &frame.say("entries-back") }),
                title: html! { (heading) },
                actions: PrintButton { label: &frame.say("entries-print"), is_small: true }.render(),
                ..PageHead::default()
            })
            (notice)
            (self.bar())
            @if sheet.left_out > 0 { (message(Tone::Warn, &self.cut(), "")) }
            @if sheet.items.is_empty() {
                (EmptyState { text: &frame.say("bookings-closed"), ..EmptyState::default() })
            }
            @for (at, item) in sheet.items.iter().enumerate() { (self.item(at, item)) }
        };
        let title = frame.title(&heading);
        let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
        page.script("print.js").answer(status, &content)
    }

    fn cut(&self) -> String {
        let most = i64::try_from(day_sheet::MOST).unwrap_or(i64::MAX);
        let words = [("most", most.into()), ("count", self.sheet.left_out.into())];
        self.frame.texts.fill("bookings-cut", &words)
    }

    fn bar(&self) -> Markup {
        let (frame, sheet) = (self.frame, self.sheet);
        let at = |days: i64| sheet.day.checked_add(days.days()).unwrap_or(sheet.day).to_string();
        let address = |day: &str| address_with(frame.call, &[(DAY, day)]);
        let (before, after) = (address(&at(-1)), address(&at(1)));
        let today = address(&sheet.today.to_string());
        let words = ["previous", "today", "next"].map(|which| frame.say(&format!("bookings-{which}")));
        let [to_previous, to_today, to_next] = &words;
        let wanted = frame.call.query(ITEM).unwrap_or_default();
        let items = day_sheet::items(&frame.view.parsed);
        let mut choices: Vec<Choice> = items
            .iter()
            .map(|(address, label)| Choice {
                lang: frame.owners_lang(),
                ..Choice::new(address, label, *address == wanted)
            })
            .collect();
        if choices.len() > 1 {
            choices.insert(0, Choice::new("", frame.say("bookings-all-items"), wanted.is_empty()));
        }
        DayBar {
            of: html! { span lang=[frame.owners_lang()] { (name(&frame.view.form.name)) } },
            previous: PageLink { address: &before, label: to_previous },
            today: PageLink { address: &today, label: to_today },
            next: PageLink { address: &after, label: to_next },
            action: &frame.address("bookings"),
            day: (DAY, &frame.say("bookings-day"), &sheet.day.to_string()),
            narrowing: (ITEM, &frame.say("bookings-item"), choices),
            show: &frame.say("bookings-show"),
        }
        .render()
    }

    fn item(&self, at: usize, item: &ItemOfDay) -> Markup {
        let none = self.frame.say("bookings-none");
        Section {
            id: &format!("item-{at}"),
            title: html! { span lang=[self.frame.owners_lang()] { (name(&item.name)) } },
            content: times(item.times.iter().map(|time| self.time(time)).collect(), &none),
            ..Section::default()
        }
        .render()
    }

    fn time(&self, time: &TimeOfDay) -> DayTime {
        let texts = self.frame.texts;
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let taken = number(time.taken);
        let places = match time.places {
            Some(places) => texts.fill("bookings-taken-of", &[("count", taken.into()), ("all", number(places).into())]),
            None => texts.fill("bookings-taken", &[("count", taken.into())]),
        };
        DayTime {
            hours: time.hours.as_ref().map(|(from, to)| format!("{from}–{to}")).unwrap_or_default(),
            places,
            is_full: time.places.is_some_and(|places| time.taken >= places),
            rows: time.bookings.iter().map(|booking| self.row(booking)).collect(),
        }
    }

    fn row(&self, booking: &BookedPlaces) -> Row {
        let (frame, shape) = (self.frame, &self.sheet.shape);
        let entry = &self.sheet.entries[booking.entry];
        let who = shape.who(entry, &shape.cx(frame.call.now)).ok().flatten();
        let address = frame.address(&format!("entries/{}", entry.serial));
        let number = frame.texts.fill("entries-entry", &[("serial", entry.serial.into())]);
        let title = match &who {
            Some(who) => html! { a href=(address) lang=[frame.owners_lang()] { (name(who)) } },
            None => html! { a href=(address) { (number) } },
        };
        let places = frame.texts.fill("bookings-places", &[("count", booking.number.into())]);
        Row {
            title,
            chips: html! {
                (self.chip(entry))
                @if self.sheet.there.contains_key(&entry.serial) {
                    (Chip { tone: Tone::Good, text: &frame.say("checkin-is-there") })
                }
            },
            facts: vec![
                html! { @if who.is_some() { (number) } },
                html! { @if booking.number > 1 { (places) } },
                html! { @if let Some(found) = self.sheet.there.get(&entry.serial) { (checkin::since(frame, found)) } },
            ],
            actions: self.acts(entry),
            ..Row::default()
        }
    }

    fn chip(&self, entry: &Entry) -> Markup {
        let frame = self.frame;
        if let Some(position) = entry.waiting_position {
            let text = frame.texts.fill("bookings-waits", &[("position", position.into())]);
            return Chip { tone: Tone::Warn, text: &text }.render();
        }
        let Some(status) = entry.results.reservation_status else {
            return Markup::default();
        };
        let tone = match status {
            ReservationStatus::Reserved => Tone::Note,
            ReservationStatus::Completed => Tone::Good,
            ReservationStatus::Cancelled => Tone::Bad,
        };
        Chip { tone, text: &state_words(frame, status) }.render()
    }

    /// The states that a booking can get.
    fn acts(&self, entry: &Entry) -> Markup {
        let frame = self.frame;
        let status = entry.results.reservation_status.filter(|_| frame.may_change_entries());
        let (was, acts): (&str, &[&str]) = match status {
            None => return Markup::default(),
            Some(ReservationStatus::Reserved) => ("reserved", &["completed", "cancelled"]),
            Some(ReservationStatus::Completed) => ("completed", &["reserved"]),
            Some(ReservationStatus::Cancelled) => ("cancelled", &["reserved"]),
        };
        let about = html! { (frame.texts.fill("entries-entry", &[("serial", entry.serial.into())])) };
        let buttons = acts.iter().map(|act| {
            let label = frame.say(&format!("bookings-to-{act}"));
            let press = Press::SubmitAs("status", act);
            Button { label: &label, press, is_small: true, about: about.clone(), ..Button::default() }.render()
        });
        PostForm {
            action: &address_of_act(frame, entry.serial),
            csrf: &frame.csrf,
            content: html! { (hidden(WAS, was)) @for button in buttons { (button) } },
            is_row: true,
            ..PostForm::default()
        }
        .render()
    }
}
