//! `address`: a postal address in six parts.

mod order;
mod page;
#[cfg(test)]
mod tests;
mod written;

use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::phrase::phrase;
use crate::base::text::texts::texts;
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::compared::Compared;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::grading;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Cx, Facets, Grading, Kind, KindRow, Operand, Sample, Sheet};
use crate::fields::places::addresses::{AddressPart, PostalAddress, line};
use crate::fields::places::{self, Country, postal_codes};
use crate::fields::report::places::Countries;
use crate::fields::values::formula::Type;
use crate::fields::values::known_keys;

pub static KIND: KindRow = KindRow {
    name: "address",
    facets: Facets {
        displayable: true,
        conditions: Some(
            "An object of any of `address_line1`, `address_line2`, `city`, `state`, `postal_code` and `country`; the given parts must be equal. `like` searches the whole address.",
        ),
        asked_by: &[
            "=address",
            "your address",
            "postal address",
            "street address",
            "home address",
            "delivery address",
            "shipping address",
            "地址",
            "住址",
        ],
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
    required_parts: Option<Vec<AddressPart>>,
}

const COUNTRY: &str = AddressPart::Country.name();
const STATE: &str = AddressPart::State.name();
const NO_COUNTRY: Reason = Reason::MustBe(Expected::Country);
const NO_STATE: Reason = Reason::MustBe(Expected::State);
const NO_OBJECT: Reason = Reason::MustBe(Expected::Other(
    "an object with address_line1, address_line2, city, state, postal_code and country",
));

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    reader.note("default_country", || json!({"format": "country"}));
    let default_country = reader.opt_text("default_country", 2);
    if default_country.as_deref().is_some_and(|id| places::country(id).is_none()) {
        reader.fault("default_country", NO_COUNTRY);
    }
    reader.note("required_parts", || json!({"items": {"type": "string", "enum": AddressPart::ALL}}));
    let required_parts = reader.opt_texts("required_parts", 32, |name| {
        AddressPart::by_name(name).map(|_| ()).ok_or_else(|| Reason::one_of(AddressPart::names()))
    });
    let required_parts =
        required_parts.map(|names| names.iter().filter_map(|name| AddressPart::by_name(name)).collect());
    Box::new(Address { default_country, required_parts })
}

/// Maximum characters of a part.
const fn room(part: AddressPart) -> usize {
    match part {
        AddressPart::PostalCode => 20,
        AddressPart::State => 100,
        AddressPart::City => 200,
        AddressPart::Line1 | AddressPart::Line2 | AddressPart::Country => 500,
    }
}

impl Address {
    fn requires(&self, part: AddressPart) -> bool {
        self.required_parts.iter().flatten().any(|required| *required == part)
    }

    /// Reads one part; null if it is blank or invalid.
    fn part(part: AddressPart, raw: Option<Json>, country: Option<&Country>, at: &mut Issues) -> Json {
        let text = match raw {
            None | Some(Json::Null) => return Json::Null,
            Some(Json::String(text)) if text::length(&text) > room(part) => {
                at.push_at(part.name(), Reason::TooLong { most: room(part) });
                return Json::Null;
            }
            Some(Json::String(text)) => text,
            Some(_) => {
                at.push_at(part.name(), Reason::MustBe(Expected::Text));
                return Json::Null;
            }
        };
        let Some(text) = text::clean(text) else {
            at.push_at(part.name(), Reason::Nul);
            return Json::Null;
        };
        if text::is_blank(&text) {
            return Json::Null;
        }
        match (part, country) {
            (AddressPart::Country, None) => at.push_at(part.name(), NO_COUNTRY),
            (AddressPart::State, Some(country)) if country.state(&text).is_none() => {
                let name = country.name;
                at.push_at(part.name(), Reason::NotStateOf(name));
            }
            (AddressPart::State, None) if places::state(&text).is_none() => at.push_at(part.name(), NO_STATE),
            (AddressPart::PostalCode, Some(country)) => match postal_codes::refused(country.id, &text) {
                Some(example) => at.push_at(part.name(), Reason::NotPostalCodeOf { country: country.name, example }),
                None => return json!(text),
            },
            _ => return json!(text),
        }
        Json::Null
    }
}

/// The key of the label's text.
fn label_of(part: AddressPart) -> &'static str {
    match part {
        AddressPart::Line1 => "place-line1",
        AddressPart::Line2 => "place-line2",
        AddressPart::City => "place-city",
        AddressPart::State => "place-state",
        AddressPart::PostalCode => "place-postal-code",
        AddressPart::Country => "place-country",
    }
}

/// The filter key of a part: codes as they are, text folded.
fn key(part: AddressPart, value: &str) -> Key {
    let name = part.name();
    match part {
        AddressPart::State | AddressPart::Country => Key::Code(format!("{name}={value}")),
        _ => Key::Code(format!("{name}={}", text::fold(value))),
    }
}

/// The condition for one address in a filter: a value must match all parts that it gives.
fn condition_on_parts(value: &Json) -> Result<Cond, Issue> {
    let fault = |reason: Reason| Issue::new("value", reason);
    let Json::Object(given) = value else {
        return Err(fault(NO_OBJECT));
    };
    let mut all: Option<Cond> = None;
    for part in AddressPart::ALL {
        let text = match given.get(part.name()) {
            None | Some(Json::Null) => continue,
            Some(Json::String(text)) if text.is_empty() => continue,
            Some(Json::String(text)) => text,
            Some(_) => return Err(fault(Reason::other(phrase!("{} must be a string", part.name())))),
        };
        let one = Cond::In(vec![key(part, text)]);
        all = Some(match all {
            Some(others) => Cond::Both(Box::new(others), Box::new(one)),
            None => one,
        });
    }
    all.ok_or_else(|| fault(Reason::other(phrase!("must have at least one of {}", AddressPart::names().join(", ")))))
}

impl Kind for Address {
    fn read_schema(&self) -> Json {
        let part = json!({"type": ["string", "null"]});
        let mut properties: Map<String, Json> =
            AddressPart::names().into_iter().map(|name| (name.to_owned(), part.clone())).collect();
        properties["state"]["pattern"] = json!("^[A-Z]{2}-[A-Z0-9]{1,3}$");
        properties["country"]["pattern"] = json!("^[A-Z]{2}$");
        json!({"type": "object", "properties": properties, "required": AddressPart::ALL})
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
        if !known_keys::check(&given, AddressPart::names().into_iter(), at) {
            return Json::Null;
        }
        let country = given.get(COUNTRY).and_then(Json::as_str);
        let country = country.and_then(places::country);
        let is_blank = |value: &Json| value.is_null() || value.as_str().is_some_and(text::is_blank);
        if AddressPart::names().into_iter().all(|name| given.get(name).is_none_or(is_blank)) {
            return Json::Null;
        }
        let mut stored = Map::new();
        for part in AddressPart::ALL {
            let faults = at.count();
            let value = Self::part(part, given.shift_remove(part.name()), country, at);
            // In a country without states, no state is possible.
            let is_possible = part != AddressPart::State || country.is_none_or(|c| !c.states.is_empty());
            if value.is_null() && self.requires(part) && is_possible && at.count() == faults {
                at.push_at(part.name(), Reason::Blank);
            }
            stored.insert(part.name().to_owned(), value);
        }
        Json::Object(stored)
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let words = texts(cx.locale);
        let stored = PostalAddress::of(stored);
        let state = places::state(stored.state).map(|state| state.name_in(words)).unwrap_or_default();
        let country = places::country(stored.country).map(|country| country.name_in(words)).unwrap_or_default();
        line(stored.country, &PostalAddress { state: &state, country: &country, ..stored })
    }

    /// Each part by itself; `like` matches the text for people, and the codes.
    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let own = PostalAddress::of(stored);
        let given =
            AddressPart::ALL.into_iter().map(|part| (part, own.part(part))).filter(|(_, value)| !value.is_empty());
        given
            .flat_map(|(part, value)| [key(part, value), Key::label(value)])
            .chain([Key::label(&self.text(stored, cx))])
            .collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn compared(&self) -> Compared {
        Compared::Members(AddressPart::ALL.into_iter().map(|part| (part.name(), label_of(part))).collect())
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        let several = || cond::list(value)?.iter().map(condition_on_parts).collect::<Result<_, _>>();
        Ok(match op {
            Op::Eq => condition_on_parts(value)?,
            Op::Ne => condition_on_parts(value)?.negated(),
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
        AddressPart::ALL.map(|part| Column::part(part.name(), words.say(label_of(part)))).to_vec()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let own = PostalAddress::of(stored);
        AddressPart::ALL.map(|part| Cell::text(own.part(part))).to_vec()
    }

    /// A state may be given by its name.
    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let given = AddressPart::names().into_iter().zip(cells);
        let mut value: Map<String, Json> = given.map(|(part, cell)| (part.to_owned(), json!(cell))).collect();
        for key in [COUNTRY, STATE] {
            if let Some(Json::String(code)) = value.get_mut(key) {
                *code = code.trim().to_owned();
            }
        }
        let country = value.get(COUNTRY).and_then(Json::as_str);
        let country = country.and_then(places::country);
        if let (Some(country), Some(Json::String(state))) = (country, value.get_mut(STATE))
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
