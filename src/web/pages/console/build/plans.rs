//! The plan of bookable times, and the variants of products, in the reader's words.

use maud::{Markup, Render};

use crate::base::json::Json;
use crate::fields::panel::{self, variants};
use crate::web::pages::console::build::properties::{Here, Properties, label, text_of};
use crate::web::pages::ui::build::plan::{Cell, Day, Slot, Slots, Variant, Variants, Week};

const DAYS: usize = 7;

fn cell(draw: &Properties, name: String, path: &str, label: String, value: &Json) -> Cell {
    Cell { fault: draw.fault(path), name, label, value: text_of(value), blank: String::new() }
}

/// The names of the days, from Monday on.
fn days(draw: &Properties) -> Vec<String> {
    draw.texts.say("build-ready-days-lines").lines().map(str::to_owned).collect()
}

/// The days of the week that have places.
pub fn week(draw: &Properties, here: &Here, value: &Json) -> Markup {
    let quotas = value.as_array().map_or(&[][..], Vec::as_slice);
    let day = |(at, name): (usize, String)| {
        let place = quotas.iter().position(|quota| quota["weekday"] == at + 1);
        let prefix = format!("{}[{at}]", here.name);
        let path = format!("{}[{}].quota", here.name, place.unwrap_or(DAYS));
        let quota = place.map_or(&Json::Null, |place| &quotas[place]["quota"]);
        let label = draw.texts.fill("build-week-places", &[("day", name.as_str().into())]);
        Day {
            name: format!("{prefix}.weekday"),
            number: at + 1,
            label: name,
            is_open: place.is_some(),
            places: Cell {
                blank: draw.texts.say("build-places-any"),
                ..cell(draw, format!("{prefix}.quota"), &path, label, quota)
            },
        }
    };
    Week {
        name: here.name,
        label: here.label,
        notes: here.notes,
        fault: draw.fault(here.name),
        days: days(draw).into_iter().take(DAYS).enumerate().map(day).collect(),
    }
    .render()
}

/// The times that have places.
pub fn slots(draw: &Properties, here: &Here, value: &Json) -> Markup {
    let names = days(draw);
    let say = |key: &str| draw.texts.say(&format!("prop-{key}"));
    let slot = |at: usize, slot: &Json| {
        let prefix = format!("{}[{at}]", here.name);
        let cell = |key: &str, value: &Json| {
            let path = format!("{prefix}.{key}");
            cell(draw, path.clone(), &path, say(key), value)
        };
        // The clock of a control has no end of the day.
        let end = match slot["end_time"].as_str() {
            Some("24:00") => Json::from("00:00"),
            _ => slot["end_time"].clone(),
        };
        let day = format!("{prefix}.weekday");
        Slot {
            code: text_of(&slot["code"]),
            day: (
                day.clone(),
                say("weekday"),
                draw.fault(&day) + &draw.fault(&prefix) + &draw.fault(&format!("{prefix}.code")),
            ),
            days: names
                .iter()
                .enumerate()
                .map(|(at, name)| (at + 1, name.clone(), slot["weekday"] == at + 1))
                .collect(),
            from: cell("start_time", &slot["start_time"]),
            to: cell("end_time", &end),
            places: Cell {
                label: say("quota"),
                blank: draw.texts.say("build-places-any"),
                ..cell("quota", &slot["quota"])
            },
            prefix,
        }
    };
    let known = value.as_array().map_or(&[][..], Vec::as_slice);
    let first = panel::first_slot();
    Slots {
        name: here.name,
        label: here.label,
        notes: here.notes,
        fault: draw.fault(here.name),
        rows: known.iter().enumerate().map(|(at, it)| slot(at, it)).collect(),
        template: slot(known.len(), &first),
        add: &draw.texts.say("build-slot-add"),
        copy: &draw.texts.say("build-slot-copy"),
        copy_workdays: &draw.texts.say("build-slot-copy-workdays"),
        remove: &draw.texts.say("build-part-remove"),
    }
    .render()
}

/// The variants of a product; nothing for one without options.
pub fn variants(draw: &Properties, here: &Here, good: &Json) -> Markup {
    let price = label(draw.texts, here.row, "price");
    let stock = label(draw.texts, here.row, "stock");
    let variant = |(at, variant): (usize, variants::Variant)| {
        let prefix = format!("{}[{at}]", here.name);
        let set = variant.place.map_or(&Json::Null, |place| &good["skus"][place]);
        let cell = |key: &str, word: &str| {
            let path = variant.place.map_or_else(String::new, |place| format!("{}[{place}].{key}", here.name));
            cell(draw, format!("{prefix}.{key}"), &path, format!("{word} {}", variant.label), &set[key])
        };
        Variant {
            options: variant
                .specification
                .iter()
                .map(|(code, option)| (format!("{prefix}.specification.{code}"), text_of(option)))
                .collect(),
            price: Cell { blank: text_of(&good["price"]), ..cell("price", &price) },
            stock: cell("stock", &stock),
            label: variant.label.clone(),
        }
    };
    let rows: Vec<Variant> = variants::of(good).into_iter().enumerate().map(variant).collect();
    let notes = if rows.is_empty() { "build-variants-none" } else { "build-variants" };
    Variants {
        name: here.name,
        label: here.label,
        notes: &draw.texts.say(notes),
        fault: draw.fault(here.name),
        heads: [here.label, &price, &stock],
        rows,
        again: (format!("{}.again", here.name), &draw.texts.say("build-variants-again")),
    }
    .render()
}
