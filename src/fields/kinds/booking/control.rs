//! The control of `booking`: item, day, and time slot. Without a script a short plan is one list; else all slots are
//! listed by day of the week. With one, days are chosen in a calendar.

use maud::{Markup, html};
use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::display::{local_date, local_number};
use crate::fields::images::{Image, pictures};
use crate::fields::inputs;
use crate::fields::kind::{Counted, Day, InputCx, Places};
use crate::fields::schedule::{Schedule, Slot, When};

/// Maximum number of items shown as radio buttons.
const MAX_RADIOS: usize = 7;
/// The `sizes` of their pictures.
const PICTURE: &str = "(min-width: 40rem) 15rem, 50vw";

/// An item that can be booked.
pub struct Choice<'b> {
    pub code: &'b str,
    pub name: &'b str,
    pub description: Option<&'b str>,
    pub images: &'b [Image],
    /// When it can be booked.
    pub schedule: &'b Schedule,
}

/// The owner's settings.
#[derive(Clone, Copy)]
pub struct Options {
    /// Allows several lines.
    pub several: bool,
    /// Allows several places on a line.
    pub numbered: bool,
}

/// Draws the filled lines, and an empty one. `list` are all days of the only item, if they are few.
pub fn draw(choices: &[Choice], options: Options, list: Option<&[Day]>, cx: &InputCx) -> Markup {
    let null = Json::Null;
    let filled: Vec<&Json> = cx.value.as_array().into_iter().flatten().collect();
    let shown = filled.len().max(1);
    html! {
        div.bookings data-bookings data-grows data-items=(for_script(choices, cx)) data-words=(words(cx)) data-own=[own(cx)]
            data-waits[cx.cx.found.occupancy.may_wait()]
            data-time=(cx.texts.say("shop-choose-time")) data-remove=(cx.texts.say("shop-remove"))
            data-group=(local_number::group_mark(cx.cx.locale))
            data-less=(cx.texts.say("shop-less")) data-more=(cx.texts.say("shop-more")) {
            @if choices.len() > 1 && !are_side_by_side(choices, options) { (all_pictures(choices, cx)) }
            (inputs::rows((0..shown).map(|i| {
                line(choices, options, list, (i, filled.get(i).copied().unwrap_or(&null)), cx)
            })))
            @if options.several {
                details.more data-more {
                    summary { (cx.texts.say("shop-booking")) }
                    (line(choices, options, list, (shown, &null), cx))
                }
            }
        }
    }
}

/// When each item can be booked, for the script: its window, closed days, days of the week and slots.
fn for_script(choices: &[Choice], cx: &InputCx) -> String {
    let items: Map<String, Json> = choices
        .iter()
        .map(|choice| {
            let own = choice.schedule;
            let (first, last) = own.window(false, cx.cx);
            let slots = own.slots.iter();
            let slots: Vec<Json> = slots
                .map(|slot| json!({"value": value_of(choice, slot), "weekday": slot.weekday, "text": hours(slot)}))
                .collect();
            let item = json!({
                "first": first, "last": last, "closed": own.closed_dates, "days": own.weekdays(), "slots": slots,
            });
            (choice.code.to_owned(), item)
        })
        .collect();
    Json::Object(items).to_string()
}

/// Texts for the script, with placeholders in braces.
fn words(cx: &InputCx) -> String {
    let say = |key: &str| cx.texts.say(key);
    let fill = |key: &str, place: &'static str| {
        let mark = format!("{{{place}}}");
        cx.texts.fill(key, &[(place, mark.into())])
    };
    json!({
        "previous": say("picker-previous"),
        "next": say("picker-next"),
        "closed": say("picker-closed"),
        "outside": say("picker-outside"),
        "full": say("picker-full"),
        "wait": say("left-wait"),
        "none": say("left-none"),
        "left": fill("left-places", "count"),
        "notBookable": fill("shop-nothing", "day"),
        "isFull": fill("picker-is-full", "day"),
        "times": fill("picker-times", "day"),
        "empty": fill("picker-empty", "month"),
        "legend": say("picker-legend"),
        "failed": say("picker-failed"),
    })
    .to_string()
}

/// The places that the edited entry has, by counter, for the script: they are left to it.
fn own(cx: &InputCx) -> Option<String> {
    let own = cx.cx.found.occupancy.own(cx.name);
    let own: Map<String, Json> = own.map(|(counter, amount)| (counter.to_owned(), json!(amount))).collect();
    (!own.is_empty()).then(|| Json::Object(own).to_string())
}

fn value_of(choice: &Choice, slot: &Slot) -> String {
    format!("{}/{}", choice.code, slot.code)
}

fn hours(slot: &Slot) -> String {
    format!("{}–{}", slot.start_time, slot.end_time)
}

fn line(
    choices: &[Choice],
    options: Options,
    list: Option<&[Day]>,
    (i, value): (usize, &Json),
    cx: &InputCx,
) -> Markup {
    let name = format!("{}[{i}]", cx.name);
    let fault = |key: &str| cx.fault_at(&format!("[{i}].{key}"));
    let when = fault("scheduled_at").or_else(|| fault("end_at"));
    let when_fault = when.map(|_| format!("{name}.scheduled_at-fault"));
    let is_only = choices.len() == 1;
    html! {
        div.booking data-line {
            (what(choices, options, &name, i, value, cx))
            // Above the calendar, whose height differs from month to month.
            @if options.numbered { (places(&name, value, fault("number"), cx)) }
            @if let Some(text) = when { p.fault id=[when_fault.as_ref()] { (text) } }
            div.booking-when {
                @if let Some(days) = list {
                    (listed(days, choices, (&name, i == 0), value, when_fault.as_deref(), cx))
                } @else {
                    (day(choices, &name, i == 0 && is_only, value, when_fault.as_deref(), cx))
                }
                @if list.is_none() && choices.iter().any(|choice| !choice.schedule.slots.is_empty()) {
                    (slots(choices, &name, value, when_fault.as_deref(), cx))
                }
            }
            p.hint role="status" data-says {}
        }
    }
}

/// Whether all items are shown as radio buttons for one choice.
fn are_side_by_side(choices: &[Choice], options: Options) -> bool {
    choices.len() > 1 && choices.len() <= MAX_RADIOS && !options.several
}

/// Pictures of the items that a drop-down list offers.
fn all_pictures(choices: &[Choice], cx: &InputCx) -> Markup {
    html! {
        @for choice in choices.iter().filter(|choice| !choice.images.is_empty()) {
            (pictures(choice.images, choice.name, cx.owners_lang()))
            p.good-about lang=[cx.owners_lang()] { bdi { (choice.name) } }
        }
    }
}

/// The choice of an item: nothing to choose if there is only one.
fn what(choices: &[Choice], options: Options, line: &str, i: usize, value: &Json, cx: &InputCx) -> Markup {
    let name = format!("{line}.api_code");
    let chosen = value["api_code"].as_str();
    let fault = cx.fault_at(&format!("[{i}].api_code"));
    let fault_id = fault.map(|_| format!("{name}-fault"));
    let id = if i == 0 { cx.name } else { &name };
    html! {
        @if let Some(text) = fault { p.fault id=[fault_id.as_ref()] { (text) } }
        @if let [only] = choices {
            @if i == 0 { (pictures(only.images, only.name, cx.owners_lang())) }
            input type="hidden" name=(name) value=(only.code);
            @if let Some(text) = only.description { p.good-about lang=[cx.owners_lang()] { bdi { (text) } } }
        } @else if are_side_by_side(choices, options) {
            div.choices.pictures[choices.iter().any(|choice| !choice.images.is_empty())] lang=[cx.owners_lang()] {
                @for (at, choice) in choices.iter().enumerate() {
                    @let id = if at == 0 { id.to_owned() } else { format!("{name}.{}", choice.code) };
                    label.choice for=(id) {
                        @if let Some(image) = choice.images.first() { (image.draw("", PICTURE)) }
                        input type="radio" id=(id) name=(name) value=(choice.code)
                            checked[chosen == Some(choice.code)] required[cx.required]
                            aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault_id.as_ref()];
                        span.choice-label {
                            bdi { (choice.name) }
                            @if let Some(text) = choice.description { span.good-about { bdi { (text) } } }
                        }
                    }
                }
            }
        } @else {
            div.good-cell {
                label for=(id) { (cx.texts.say("shop-what")) }
                select.input id=(id) name=(name) required[cx.required && i == 0]
                    aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault_id.as_ref()] {
                    option value="" { (cx.texts.say("shop-choose")) }
                    @for choice in choices {
                        option value=(choice.code) lang=[cx.owners_lang()] selected[chosen == Some(choice.code)] { (choice.name) }
                    }
                }
            }
        }
    }
}

fn day(choices: &[Choice], line: &str, leads: bool, value: &Json, fault: Option<&str>, cx: &InputCx) -> Markup {
    let name = format!("{line}.scheduled_at");
    let id = if leads { cx.name } else { &name };
    let windows = || choices.iter().map(|choice| choice.schedule.window(false, cx.cx));
    let first = windows().map(|(first, _)| first).min().flatten();
    // If one window has no last day, there is no upper bound.
    let lasts: Option<Vec<_>> = windows().map(|(_, last)| last).collect();
    let last = lasts.and_then(|lasts| lasts.into_iter().max());
    let typed = inputs::typed(&value["scheduled_at"]);
    let shown = When::parse(&typed).map_or(typed, |when| when.local(cx.cx.timezone).date().to_string());
    html! {
        div.good-cell data-when {
            label for=(id) { (cx.texts.say("shop-day")) }
            input.input type="date" id=(id) name=(name) value=(shown) data-day
                min=[first.map(|day| day.to_string())] max=[last.map(|day| day.to_string())]
                aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault];
        }
    }
}

/// One list of all days, or of all slots by day.
fn listed(
    days: &[Day],
    choices: &[Choice],
    (line, leads): (&str, bool),
    value: &Json,
    fault: Option<&str>,
    cx: &InputCx,
) -> Markup {
    let name = format!("{line}.scheduled_at");
    let id = if leads { cx.name } else { &name };
    let has_slots = days.iter().any(|day| matches!(day.places, Places::Slots(_)));
    let chosen = chosen_in_list(choices, value, cx);
    let words_of = |day: &Day| local_date::with_weekday(day.date, cx.texts, cx.cx.locale);
    let option = |value: String, words: &str, limit: &Counted| {
        let is_chosen = chosen.as_ref() == Some(&value);
        let left = cx.left_of(limit);
        html! {
            option value=(value) selected[is_chosen] disabled[inputs::is_shut(left, is_chosen)] {
                (inputs::with_left(words, left, cx))
            }
        }
    };
    let is_listed = |chosen: &str| {
        days.iter().any(|day| match &day.places {
            Places::Whole(_) => day.date.to_string() == chosen,
            Places::Slots(slots) => slots.iter().any(|slot| format!("{}/{}", day.date, slot.code) == chosen),
        })
    };
    html! {
        div.good-cell data-when data-listed {
            label for=(id) { (cx.texts.say(if has_slots { "shop-when" } else { "shop-day" })) }
            select.input id=(id) name=(name) data-day
                aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault] {
                option value="" { (cx.texts.say(if has_slots { "shop-choose-time" } else { "picker-choose" })) }
                // A booked or typed choice stays although it can't be booked any more.
                @if let Some(chosen) = chosen.as_deref().filter(|chosen| !is_listed(chosen)) {
                    option value=(chosen) selected { (chosen.replace('/', " ")) }
                }
                @for day in days {
                    @match &day.places {
                        Places::Whole(limit) => (option(day.date.to_string(), &words_of(day), limit)),
                        Places::Slots(slots) => optgroup label=(words_of(day)) {
                            @for slot in slots {
                                @let hours = format!("{}–{}", slot.start_time, slot.end_time);
                                (option(format!("{}/{}", day.date, slot.code), &hours, &slot.limit))
                            }
                        },
                    }
                }
            }
        }
    }
}

/// The option of such a list that a line has chosen.
fn chosen_in_list(choices: &[Choice], value: &Json, cx: &InputCx) -> Option<String> {
    let typed = inputs::typed(&value["scheduled_at"]);
    let day = match When::parse(&typed) {
        Some(when) => when.local(cx.cx.timezone).date().to_string(),
        None if typed.is_empty() => return None,
        None => typed,
    };
    let slot = chosen_slot(choices, value, cx);
    let code = slot.as_deref().and_then(|slot| slot.split_once('/'));
    Some(code.map_or_else(|| day.clone(), |(_, code)| format!("{day}/{code}")))
}

fn slots(choices: &[Choice], line: &str, value: &Json, fault: Option<&str>, cx: &InputCx) -> Markup {
    let name = format!("{line}.time_range_code");
    let chosen = chosen_slot(choices, value, cx);
    html! {
        div.good-cell data-when data-slots {
            label for=(name) { (cx.texts.say("shop-time")) }
            select.input id=(name) name=(name) aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault] {
                option value="" { (cx.texts.say("shop-choose-time")) }
                @for choice in choices {
                    @for weekday in choice.schedule.weekdays() {
                        @let of_day = || choice.schedule.slots.iter().filter(move |slot| slot.weekday == weekday);
                        @if of_day().next().is_some() {
                            optgroup label=(group(choices, choice, weekday, cx)) {
                                @for slot in of_day() {
                                    @let own = value_of(choice, slot);
                                    option value=(own) selected[chosen.as_ref() == Some(&own)] { (hours(slot)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `Monday`, or `Room A · Monday` if there are several items.
fn group(choices: &[Choice], choice: &Choice, weekday: i64, cx: &InputCx) -> String {
    let day = cx.texts.fill("shop-weekday", &[("day", weekday.into())]);
    if choices.len() > 1 { format!("{} · {day}", choice.name) } else { day }
}

/// The slot of a line: as the page posted it, else by its times.
fn chosen_slot(choices: &[Choice], value: &Json, cx: &InputCx) -> Option<String> {
    if let Some(posted) = value["time_range_code"].as_str().filter(|posted| posted.contains('/')) {
        return Some(posted.to_owned());
    }
    let choice = choices.iter().find(|choice| value["api_code"] == choice.code)?;
    let from = When::parse(value["scheduled_at"].as_str()?)?;
    let day = from.local(cx.cx.timezone).date();
    let begun = choice.schedule.slots_from(day, from, cx.cx.timezone);
    let to = value["end_at"].as_str().and_then(When::parse);
    let ended = to.and_then(|to| to.end_of(&begun, day, cx.cx.timezone));
    ended.or(begun.first().copied()).map(|slot| value_of(choice, slot))
}

fn places(line: &str, value: &Json, fault: Option<&str>, cx: &InputCx) -> Markup {
    let name = format!("{line}.number");
    html! {
        div.good-cell {
            label for=(name) { (cx.texts.say("shop-places")) }
            @if let Some(text) = fault { p.fault id={ (name) "-fault" } { (text) } }
            div.with-unit data-stepper {
                input.input.short type="text" inputmode="numeric" id=(name) name=(name) autocomplete="off"
                    placeholder="1" value=(cx.number_in(&name, &value["number"])) data-least="1"
                    aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault.map(|_| format!("{name}-fault"))];
            }
        }
    }
}
