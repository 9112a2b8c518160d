//! `location`: a point on the globe, and its name.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::{Json, digits};
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::texts::texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::display::local_number;
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::grid::draw;
use crate::fields::inputs;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Control, Cx, Facets, InputCx, Kind, KindRow, Sample, Sheet};
use crate::fields::report::texts::Texts;
use crate::fields::values::known_keys;

pub static KIND: KindRow = KindRow {
    name: "location",
    facets: Facets {
        displayable: true, asked_by: &["location", "where are you", "定位", "所在位置"], ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#"{"longitude": 116.397, "latitude": 39.909, "address": "Tiananmen", "x": 1}"#,
            stored: r#"{"longitude": 116.397, "latitude": 39.909, "address": "Tiananmen"}"#,
            text: "Tiananmen (39.909, 116.397)",
        },
        Sample {
            definition: "{}",
            write: r#"{"longitude": -180, "latitude": 0}"#,
            stored: r#"{"longitude": -180, "latitude": 0, "address": ""}"#,
            text: "0, -180",
        },
    ],
};

/// Spreadsheet columns: the member, and the key of its label.
const IN_CELLS: [(&str, &str); 3] =
    [("longitude", "location-longitude"), ("latitude", "location-latitude"), ("address", "location-address")];
/// The coordinates, and the range of each to both sides of zero.
const COORDINATES: [(&str, f64); 2] = [("longitude", 180.0), ("latitude", 90.0)];
const MAX_ADDRESS: usize = 500;

#[derive(Serialize)]
struct Location {}

fn build(_: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Location {})
}

/// Reads a coordinate; null if it is blank or invalid.
fn coordinate(name: &str, far: f64, raw: Option<Json>, missing: &Reason, at: &mut Issues) -> Json {
    match raw {
        None | Some(Json::Null) => at.push_at(name, missing.clone()),
        Some(Json::Number(number)) => {
            let is_within = number.as_f64().is_some_and(|value| value.abs() <= far);
            if is_within {
                return Json::Number(number);
            }
            at.push_at(name, Reason::between(-far, far));
        }
        Some(_) => at.push_at(name, Reason::MustBe(Expected::Number)),
    }
    Json::Null
}

fn address(raw: Option<Json>, at: &mut Issues) -> String {
    match raw {
        None | Some(Json::Null) => {}
        Some(Json::String(typed)) if text::length(&typed) > MAX_ADDRESS => {
            at.push_at("address", Reason::TooLong { most: MAX_ADDRESS })
        }
        Some(Json::String(typed)) => match text::clean(typed) {
            Some(clean) if text::is_blank(&clean) => {}
            Some(clean) => return clean,
            None => at.push_at("address", Reason::Nul),
        },
        Some(_) => at.push_at("address", Reason::MustBe(Expected::Text)),
    }
    String::new()
}

impl Kind for Location {
    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "properties": {
                "longitude": {"type": "number", "minimum": -180, "maximum": 180},
                "latitude": {"type": "number", "minimum": -90, "maximum": 90},
                "address": {"type": "string", "maxLength": MAX_ADDRESS},
            },
            "required": ["longitude", "latitude", "address"],
        })
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        schema["required"] = json!(["longitude", "latitude"]);
        schema
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let Json::Object(mut given) = raw else {
            at.push(Reason::MustBe(Expected::Other("an object with longitude, latitude and address")));
            return Json::Null;
        };
        if !known_keys::check(&given, IN_CELLS.into_iter().map(|(key, _)| key), at) {
            return Json::Null;
        }
        let is_blank = |value: &Json| value.is_null() || value.as_str().is_some_and(text::is_blank);
        let is_absent = |name: &str| given.get(name).is_none_or(is_blank);
        if is_absent("longitude") && is_absent("latitude") && is_absent("address") {
            return Json::Null;
        }
        let mut stored = Map::new();
        let is_null = |name: &str| given.get(name).is_none_or(Json::is_null);
        let missing = match COORDINATES.iter().all(|(name, _)| is_null(name)) {
            true => Reason::NoCoordinates,
            false => Reason::Blank,
        };
        for (name, far) in COORDINATES {
            let value = coordinate(name, far, given.shift_remove(name), &missing, at);
            stored.insert(name.to_owned(), value);
        }
        let address = address(given.shift_remove("address"), at);
        stored.insert("address".to_owned(), json!(address));
        Json::Object(stored)
    }

    /// Latitude first, as on maps.
    fn text(&self, stored: &Json, _: &Cx) -> String {
        let point = format!("{}, {}", stored["latitude"], stored["longitude"]);
        match stored["address"].as_str() {
            Some(address) if !address.is_empty() => format!("{address} ({point})"),
            _ => point,
        }
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Texts::new(room))
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Sheet for Location {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        IN_CELLS.map(|(part, id)| Column::part(part, words.say(id))).to_vec()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        IN_CELLS.map(|(part, _)| Cell::of(&stored[part], String::new)).to_vec()
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let given = IN_CELLS.into_iter().zip(cells);
        let value = given.map(|((part, _), cell)| {
            let value = if part == "address" { json!(cell) } else { columns::number(cell, cx.locale) };
            (part.to_owned(), value)
        });
        Json::Object(value.collect())
    }

    /// `48.137, 11.575`, with the name of the place before it or without: `Marienplatz (48.137, 11.575)`.
    fn written(&self, cell: &str, _: &Cx) -> Option<Json> {
        let (address, point) = match cell.strip_suffix(')').and_then(|cell| cell.rsplit_once('(')) {
            Some((address, point)) => (address.trim(), point),
            None => ("", cell),
        };
        let (latitude, longitude) = point.split_once([',', ';'])?;
        // `48,137` is one number in many countries.
        let is_one = point.split_once(',').is_some_and(|(whole, rest)| !whole.contains('.') && !rest.starts_with(' '));
        let degrees = |typed: &str| {
            let typed = typed.trim();
            typed.parse::<f64>().ok().filter(|_| !is_one && digits::is_kept(typed))
        };
        Some(json!({"latitude": degrees(latitude)?, "longitude": degrees(longitude)?, "address": address}))
    }
}

impl Control for Location {
    fn input(&self, cx: &InputCx) -> Markup {
        let is_wrong = |part: &str| cx.is_wrong_at(&format!(".{part}"));
        let only_address = is_wrong("address") && !COORDINATES.iter().any(|(part, _)| is_wrong(part));
        html! {
            div.location data-location data-found=(cx.texts.say("location-found"))
                data-seeking=(cx.texts.say("location-seeking")) data-denied=(cx.texts.say("location-denied"))
                data-failed=(cx.texts.say("location-failed")) {
                // Only for the script: the device can't be asked without one.
                p.location-find {
                    button.button.quiet type="button" { (cx.texts.say("location-find")) }
                }
                p.location-said.muted role="status" {}
                div.location-address {
                    @let name = format!("{}.address", cx.name);
                    @let fault = cx.fault_at(".address");
                    label.part-label for=(name) {
                        (cx.texts.say("location-address")) " " span.mark { (cx.texts.say("form-optional")) }
                    }
                    (draw::said(cx, ".address", fault))
                    input.input id=(name) name=(name) type="text" value=(inputs::typed(&cx.value["address"]))
                        placeholder=[cx.placeholder] dir="auto" lang=[cx.owners_lang()]
                        aria-invalid=[fault.is_some().then_some("true")]
                        aria-describedby=[draw::described(cx, ".address", fault)];
                }
                // The stored coordinates, mostly found by the device: few people type them.
                details.location-point open[cx.invalid && !only_address] {
                    summary { (cx.texts.say("location-point")) }
                    div.location-parts {
                        (coordinate_input("latitude", "location-latitude", cx.name, 90, cx))
                        (coordinate_input("longitude", "location-longitude", &format!("{}.longitude", cx.name), 180, cx))
                    }
                }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("location.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let mut value = part.object(&["longitude", "latitude", "address"]);
        for (name, _) in COORDINATES {
            if let Some(Json::String(typed)) = value.get(name) {
                value[name] = local_number::small_of_form(typed);
            }
        }
        value
    }
}

/// The input of a coordinate. Not `type=number`, which loses typed text that is not a number, and some phones' numeric
/// keyboards have no minus sign.
fn coordinate_input(part: &str, label: &str, id: &str, far: u8, cx: &InputCx) -> Markup {
    let path = format!(".{part}");
    let name = format!("{}{path}", cx.name);
    let fault = cx.fault_at(&path);
    let invalid = cx.is_wrong_at(&path) || cx.is_wrong_as_a_whole();
    html! {
        div.location-part {
            label.part-label for=(id) {
                (cx.texts.say(label)) " " span.mark { "−" (far) "…" (far) }
            }
            (draw::said(cx, &path, fault))
            input.input.coordinate id=(id) name=(name) type="text" inputmode="text" autocomplete="off"
                value=(cx.number_in(&name, &cx.value[part])) required[cx.required]
                aria-invalid=[invalid.then_some("true")] aria-describedby=[draw::described(cx, &path, fault)]
                dir="ltr";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_keeps_what_is_no_number() {
        let posted = |pairs: &[(&str, &str)]| {
            let tree = FormPart::tree(pairs.iter().copied());
            Location {}.form_value(tree.member("f").expect("posted"), &Cx::of_a_test(true))
        };
        assert_eq!(
            posted(&[("f.longitude", " +13.4"), ("f.latitude", "-52"), ("f.address", "")]),
            json!({"longitude": 13.4, "latitude": -52})
        );
        assert_eq!(
            posted(&[("f.longitude", "east"), ("f.latitude", "1,5,2"), ("f.address", "x")]),
            json!({"longitude": "east", "latitude": "1,5,2", "address": "x"})
        );
        assert_eq!(posted(&[("f.longitude", "")]), Json::Null);
    }
}
