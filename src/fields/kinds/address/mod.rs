//! `address`: a postal address in six parts.

mod order;
#[cfg(test)]
mod tests;
mod written;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::texts::{Texts, texts};
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::grid::draw;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, Ask, BuildCx, Control, Cx, Facets, Grading, InputCx, Kind, Operand, Row, Sample, Sheet,
};
use crate::fields::kinds::address::order::{order_of, orders};
use crate::fields::places::{self, Country, PARTS, postal_codes};
use crate::fields::report::places::Countries;
use crate::fields::values::formula::Type;
use crate::fields::values::known_keys;
use crate::fields::{grading, inputs};

pub static KIND: Row = Row {
    name: "address",
    facets: Facets {
        displayable: true,
        conditions: Some(
            "An object of any of `address_line1`, `address_line2`, `city`, `state`, `postal_code` and `country`; the given parts must be equal. `like` searches the whole address.",
        ),
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"default_country": "CN", "required_parts": ["city", "country"]}"#,
            write: r#"{"address_line1": "南京东路1号", "city": "上海", "state": "CN-SH", "country": "CN", "x": 1}"#,
            stored: r#"{"address_line1": "南京东路1号", "address_line2": null, "city": "上海",
                "state": "CN-SH", "postal_code": null, "country": "CN"}"#,
            text: "China Shanghai 上海 南京东路1号",
        },
        Sample {
            definition: "{}",
            write: r#"{"address_line1": "1 Main St", "address_line2": "", "city": "Springfield",
                "state": "US-IL", "postal_code": "62701", "country": "US"}"#,
            stored: r#"{"address_line1": "1 Main St", "address_line2": null, "city": "Springfield",
                "state": "US-IL", "postal_code": "62701", "country": "US"}"#,
            text: "1 Main St, Springfield, Illinois 62701, United States",
        },
    ],
};

#[derive(Serialize)]
struct Address {
    #[serde(skip_serializing_if = "Option::is_none")]
    default_country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_parts: Option<Vec<String>>,
}

const NO_COUNTRY: Reason = Reason::MustBe(Expected::Country);
const NO_STATE: Reason = Reason::MustBe(Expected::State);
const NO_OBJECT: Reason = Reason::MustBe(Expected::Other(
    "an object with address_line1, address_line2, city, state, postal_code and country",
));

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let default_country = reader.opt_text("default_country", 2);
    if default_country.as_deref().is_some_and(|id| places::country(id).is_none()) {
        reader.fault("default_country", NO_COUNTRY);
    }
    reader.note("required_parts", || json!({"items": {"type": "string", "enum": PARTS}}));
    let required_parts = reader.opt_texts("required_parts", 32, |name| {
        let is_part = PARTS.contains(&name).then_some(());
        is_part.ok_or_else(|| Reason::one_of(PARTS))
    });
    Box::new(Address { default_country, required_parts })
}

/// Maximum characters of a part.
const fn room(part: &str) -> usize {
    match part.as_bytes() {
        b"postal_code" => 20,
        b"state" => 100,
        b"city" => 200,
        _ => 500,
    }
}

impl Address {
    fn requires(&self, part: &str) -> bool {
        let parts = self.required_parts.iter().flatten();
        parts.into_iter().any(|name| name == part)
    }

    /// Reads one part; null if it is blank or invalid.
    fn part(part: &str, raw: Option<Json>, country: Option<&Country>, at: &mut Issues) -> Json {
        let text = match raw {
            None | Some(Json::Null) => return Json::Null,
            Some(Json::String(text)) if text::length(&text) > room(part) => {
                at.push_at(part, Reason::TooLong { most: room(part) });
                return Json::Null;
            }
            Some(Json::String(text)) => text,
            Some(_) => {
                at.push_at(part, Reason::MustBe(Expected::Text));
                return Json::Null;
            }
        };
        let Some(text) = text::clean(text) else {
            at.push_at(part, Reason::Nul);
            return Json::Null;
        };
        if text::is_blank(&text) {
            return Json::Null;
        }
        match (part, country) {
            ("country", None) => at.push_at(part, NO_COUNTRY),
            ("state", Some(country)) if country.state(&text).is_none() => {
                let name = country.name;
                at.push_at(part, Reason::NotStateOf(name));
            }
            ("state", None) if places::state(&text).is_none() => at.push_at(part, NO_STATE),
            ("postal_code", Some(country)) => match postal_codes::refused(country.id, &text) {
                Some(example) => at.push_at(part, Reason::NotPostalCodeOf { country: country.name, example }),
                None => return json!(text),
            },
            _ => return json!(text),
        }
        Json::Null
    }
}

fn part_of<'v>(stored: &'v Json, part: &str) -> &'v str {
    stored[part].as_str().unwrap_or_default()
}

/// The filter key of a part: codes as they are, text folded.
fn key(part: &str, value: &str) -> Key {
    if part == "state" || part == "country" {
        Key::Code(format!("{part}={value}"))
    } else {
        Key::Code(format!("{part}={}", text::fold(value)))
    }
}

/// The condition for one address in a filter: a value must match all parts that it gives.
fn wanted(value: &Json) -> Result<Cond, Issue> {
    let fault = |reason: Reason| Issue::new("value", reason);
    let Json::Object(given) = value else {
        return Err(fault(NO_OBJECT));
    };
    let mut all: Option<Cond> = None;
    for part in PARTS {
        let text = match given.get(part) {
            None | Some(Json::Null) => continue,
            Some(Json::String(text)) if text.is_empty() => continue,
            Some(Json::String(text)) => text,
            Some(_) => return Err(fault(Reason::other(format!("{part} must be a string")))),
        };
        let one = Cond::In(vec![key(part, text)]);
        all = Some(match all {
            Some(others) => Cond::Both(Box::new(others), Box::new(one)),
            None => one,
        });
    }
    all.ok_or_else(|| fault(Reason::other(format!("must have at least one of {}", PARTS.join(", ")))))
}

impl Kind for Address {
    fn read_schema(&self) -> Json {
        let part = json!({"type": ["string", "null"]});
        let mut properties: Map<String, Json> = PARTS.into_iter().map(|name| (name.to_owned(), part.clone())).collect();
        properties["state"]["pattern"] = json!("^[A-Z]{2}-[A-Z0-9]{1,3}$");
        properties["country"]["pattern"] = json!("^[A-Z]{2}$");
        json!({"type": "object", "properties": properties, "required": PARTS})
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        schema["required"] = json!(self.required_parts.as_deref().unwrap_or_default());
        schema
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let Json::Object(mut given) = raw else {
            at.push(NO_OBJECT);
            return Json::Null;
        };
        if !known_keys::check(&given, PARTS.into_iter(), at) {
            return Json::Null;
        }
        let country = given.get("country").and_then(Json::as_str);
        let country = country.and_then(places::country);
        let is_blank = |value: &Json| value.is_null() || value.as_str().is_some_and(text::is_blank);
        if PARTS.iter().all(|part| given.get(*part).is_none_or(is_blank)) {
            return Json::Null;
        }
        let mut stored = Map::new();
        for part in PARTS {
            let faults = at.count();
            let value = Self::part(part, given.shift_remove(part), country, at);
            // In a country without states nobody can name one.
            let is_possible = part != "state" || country.is_none_or(|c| !c.states.is_empty());
            if value.is_null() && self.requires(part) && is_possible && at.count() == faults {
                at.push_at(part, Reason::Blank);
            }
            stored.insert(part.to_owned(), value);
        }
        Json::Object(stored)
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let words = texts(cx.locale);
        let state = places::state(part_of(stored, "state"));
        let state = state.map(|state| state.name_in(words)).unwrap_or_default();
        let country = places::country(part_of(stored, "country"));
        let name = country.map(|country| country.name_in(words));
        let name = name.unwrap_or_default();
        places::line(part_of(stored, "country"), |part| match part {
            "state" => &state,
            "country" => &name,
            _ => part_of(stored, part),
        })
    }

    /// Each part by itself; `like` matches the text for people, and the codes.
    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let given = PARTS.into_iter().map(|part| (part, part_of(stored, part))).filter(|(_, value)| !value.is_empty());
        given
            .flat_map(|(part, value)| [key(part, value), Key::label(value)])
            .chain([Key::label(&self.text(stored, cx))])
            .collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        let several = || cond::list(value)?.iter().map(wanted).collect::<Result<_, _>>();
        Ok(match op {
            Op::Eq => wanted(value)?,
            Op::Ne => wanted(value)?.negated(),
            Op::AnyIn => Cond::Any(several()?),
            Op::NoneIn => Cond::Any(several()?).negated(),
            _ => return cond::by_text(op, value),
        })
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Countries::default())
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Text)
    }
}

impl Sheet for Address {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        PARTS.map(|part| Column::part(part, words.say(label_of(part)))).to_vec()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        PARTS.map(|part| Cell::text(part_of(stored, part))).to_vec()
    }

    /// A state may be given by its name.
    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let given = PARTS.into_iter().zip(cells);
        let mut value: Map<String, Json> = given.map(|(part, cell)| (part.to_owned(), json!(cell))).collect();
        for key in ["country", "state"] {
            if let Some(Json::String(code)) = value.get_mut(key) {
                *code = code.trim().to_owned();
            }
        }
        let country = value.get("country").and_then(Json::as_str);
        let country = country.and_then(places::country);
        if let (Some(country), Some(Json::String(state))) = (country, value.get_mut("state"))
            && !state.is_empty()
            && let Some(known) = country.state_called(state)
        {
            *state = known.code.to_owned();
        }
        Json::Object(value)
    }

    fn written(&self, cell: &str, cx: &Cx) -> Option<Json> {
        written::read(cell, self.default_country.as_deref(), |stored| self.text(stored, cx))
    }
}

impl Operand for Address {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Control for Address {
    fn input(&self, cx: &InputCx) -> Markup {
        let typed = cx.value["country"].as_str();
        let country = typed.or(self.default_country.as_deref());
        let states = country.and_then(places::country);
        let states = states.map_or_else(Vec::new, |country| country.states_in(cx.texts));
        let order = order_of(country, cx.texts.locale());
        let needed = self.needed_once_begun(cx);
        html! {
            @if let Some(needed) = needed { p.limits id={ (cx.name) "-parts" } { (needed) } }
            div.address data-address data-locale=(cx.texts.locale())
                data-choose=(cx.texts.say("place-choose-state")) data-of=(country.unwrap_or_default())
                data-doubt=(cx.texts.say("place-postal-code-doubt")) data-orders=(orders(cx.texts.locale())) {
                // The country always comes first: the states and the order of the other parts depend on it.
                (self.part_input("country", true, country, &states, cx))
                @for part in order { (self.part_input(part, false, country, &states, cx)) }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("address.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let part = path.strip_prefix('.').filter(|part| PARTS.contains(part))?;
        let has_states = |country: &Country| !country.states.is_empty();
        let is_chosen = match part {
            "country" => true,
            "state" => value["country"].as_str().and_then(places::country).is_some_and(has_states),
            _ => false,
        };
        Some(AnswerPart {
            label: texts.say(label_of(part)).to_lowercase(),
            control: if part == "country" { String::new() } else { path.to_owned() },
            ask: if is_chosen { Ask::Choose } else { Ask::Enter },
        })
    }

    /// A country alone counts as blank, because one is preselected, unless no other part is asked for. A state may be
    /// given by its name.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let mut value = part.object(&PARTS);
        let Json::Object(given) = &mut value else {
            return Json::Null;
        };
        let only_country =
            self.requires("country") && PARTS.into_iter().filter(|part| self.requires(part)).count() == 1;
        if given.len() == 1 && given.contains_key("country") && !only_country {
            return Json::Null;
        }
        let country = given.get("country").and_then(Json::as_str);
        let country = country.and_then(places::country);
        if let (Some(country), Some(Json::String(state))) = (country, given.get_mut("state"))
            && let Some(known) = country.state_called(state)
        {
            *state = known.code.to_owned();
        }
        value
    }
}

/// The `autocomplete` token of a part.
fn token(part: &str) -> &'static str {
    match part {
        "address_line1" => "address-line1",
        "address_line2" => "address-line2",
        "city" => "address-level2",
        "state" => "address-level1",
        "postal_code" => "postal-code",
        _ => "country",
    }
}

/// The key of the label's text.
fn label_of(part: &str) -> &'static str {
    match part {
        "address_line1" => "place-line1",
        "address_line2" => "place-line2",
        "city" => "place-city",
        "state" => "place-state",
        "postal_code" => "place-postal-code",
        _ => "place-country",
    }
}

impl Address {
    /// What an address that may be left out needs once it is begun.
    fn needed_once_begun(&self, cx: &InputCx) -> Option<String> {
        if cx.required {
            return None;
        }
        // In the order of the page, without the country, which is mostly chosen already.
        let shown = order_of(None, cx.texts.locale()).into_iter().filter(|part| self.requires(part));
        let parts: Vec<String> = shown.map(|part| cx.texts.say(label_of(part)).to_lowercase()).collect();
        let parts = cx.texts.all_of(&parts)?;
        Some(cx.texts.fill("place-needed", &[("parts", parts.into())]))
    }

    fn part_input(
        &self,
        part: &str,
        is_first: bool,
        country: Option<&str>,
        states: &[(&str, String)],
        cx: &InputCx,
    ) -> Markup {
        let path = format!(".{part}");
        let name = format!("{}{path}", cx.name);
        // The first control has the group's own id, so that an error's link leads to it.
        let id = if is_first { cx.name } else { &name };
        let fault = cx.fault_at(&path);
        let described = draw::described(cx, &path, fault);
        let invalid = (fault.is_some() || (cx.invalid && cx.faults.is_empty())).then_some("true");
        let required = cx.required && self.requires(part);
        let some_required = self.required_parts.as_ref().is_some_and(|parts| !parts.is_empty());
        let is_optional = if some_required { !self.requires(part) } else { part == "address_line2" };
        let typed = inputs::typed(&cx.value[part]);
        html! {
            div.place-part data-part=(part) {
                label.part-label for=(id) {
                    (cx.texts.say(label_of(part)))
                    @if is_optional && part != "country" { " " span.mark { (cx.texts.say("form-optional")) } }
                }
                (draw::said(cx, &path, fault))
                @if part == "country" {
                    select.input id=(id) name=(name) autocomplete=(token(part)) required[required]
                        aria-invalid=[invalid] aria-describedby=[described] {
                        option value="" { (cx.texts.say("place-choose-country")) }
                        @for (id, name) in places::countries_in(cx.texts) {
                            option value=(id) selected[country == Some(id)] { (name) }
                        }
                    }
                } @else if part == "state" && !states.is_empty() {
                    select.input id=(id) name=(name) autocomplete=(token(part)) required[required]
                        aria-invalid=[invalid] aria-describedby=[described] {
                        option value="" { (cx.texts.say("place-choose-state")) }
                        @for (code, name) in states {
                            option value=(code) selected[typed == *code] { (name) }
                        }
                    }
                } @else {
                    input.input id=(id) name=(name) type="text" value=(typed)
                        autocomplete=(token(part)) required[required] aria-invalid=[invalid]
                        aria-describedby=[described] dir="auto";
                }
            }
        }
    }
}
