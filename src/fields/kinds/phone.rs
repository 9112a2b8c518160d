//! `phone`: a country and a local number.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::{self, Json};
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set};
use crate::base::text;
use crate::base::text::texts::{Texts as Words, texts};
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Control, Cx, Facets, Grading, InputCx, Kind, KindRow, Masking, Operand, Sample, Sheet,
};
use crate::fields::places;
use crate::fields::places::phones::{self, Country};
use crate::fields::report::texts::Texts;
use crate::fields::values::formula::Type;
use crate::fields::values::known_keys;
use crate::fields::{grading, inputs};

const MAX_TYPED: usize = 40;
/// Numbers with fewer digits are masked entirely.
const SHORT_NUMBER: usize = 8;
/// Minimum number of masked digits.
const HIDDEN: usize = 4;

pub static KIND: KindRow = KindRow {
    name: "phone",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        protectable: true,
        unique: true,
        in_cells: true,
        becomes: &["short_text"],
        asked_by: &[
            "phone",
            "phone number",
            "telephone",
            "=tel",
            "tel number",
            "mobile",
            "mobile number",
            "cell phone",
            "=cell",
            "手机",
            "手机号",
            "电话",
            "联系电话",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"default_country": "CN"}"#,
            write: r#"{"country_id": "CN", "number": "138 0013 8000"}"#,
            stored: r#"{"country_id": "CN", "country_code": "86", "number": "13800138000"}"#,
            text: "+86 138 0013 8000",
        },
        Sample {
            definition: r#"{"allowed_countries": ["US", "GB"]}"#,
            write: r#"{"country_id": "US", "country_code": "44", "number": "2025550123"}"#,
            stored: r#"{"country_id": "US", "country_code": "1", "number": "2025550123"}"#,
            text: "+1 202-555-0123",
        },
        Sample {
            definition: r#"{"default_country": "DE"}"#,
            write: r#"{"country_id": "DE", "number": "0151 23456789"}"#,
            stored: r#"{"country_id": "DE", "country_code": "49", "number": "15123456789"}"#,
            text: "+49 1512 3456789",
        },
    ],
};

#[derive(Serialize)]
struct Phone {
    #[serde(skip_serializing_if = "Option::is_none")]
    default_country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_countries: Option<Vec<String>>,
}

/// Maximum countries that a hint lists.
const MAX_TOLD: usize = 5;
const NO_COUNTRY: Reason = Reason::MustBe(Expected::Country);

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    reader.note("default_country", || json!({"format": "country"}));
    let default_country = reader.opt_text("default_country", 2);
    if default_country.as_deref().is_some_and(|id| phones::country(id).is_none()) {
        reader.fault("default_country", NO_COUNTRY);
    }
    let allowed_countries =
        reader.opt_texts("allowed_countries", 2, |id| phones::country(id).map(|_| ()).ok_or(NO_COUNTRY));
    Box::new(Phone { default_country, allowed_countries })
}

/// Parts with a spreadsheet column of their own.
const PARTS: [&str; 3] = ["country_id", "country_code", "number"];

impl Phone {
    fn allows(&self, id: &str) -> bool {
        self.allowed_countries
            .as_ref()
            .is_none_or(|allowed| allowed.is_empty() || allowed.iter().any(|known| known == id))
    }

    /// The country of a number: the one that the number itself names, else the given one.
    fn country(&self, given: &Map<String, Json>, typed: &str, at: &mut Issues) -> Option<&'static Country> {
        let named = named_country(given, at)?;
        let default = self.default_country.as_deref().and_then(phones::country);
        let near: Vec<&Country> = named.into_iter().chain(default).collect();
        match (phones::country_of(typed, &near), named) {
            (Some(own), _) if self.allows(own.id) => return Some(own),
            (Some(own), _) => at.push_at("number", Reason::PhoneNotAllowed(own.name)),
            (None, Some(named)) if self.allows(named.id) => return Some(named),
            (None, Some(_)) => at.push_at("country_id", Reason::NotOneOf(Set::Countries)),
            (None, None) => at.push_at("country_id", Reason::NoCountry),
        }
        None
    }
}

/// The given country, which may be absent; `None` after a fault.
fn named_country(given: &Map<String, Json>, at: &mut Issues) -> Option<Option<&'static Country>> {
    match given.get("country_id") {
        None | Some(Json::Null) => return Some(None),
        Some(Json::String(id)) if id.is_empty() => return Some(None),
        Some(Json::String(id)) => match phones::country(id) {
            Some(country) => return Some(Some(country)),
            None => at.push_at("country_id", NO_COUNTRY),
        },
        Some(_) => at.push_at("country_id", Reason::MustBe(Expected::Text)),
    }
    None
}

/// The number as typed; `None` after a fault, empty if there is none.
fn typed_number(given: &Map<String, Json>, at: &mut Issues) -> Option<String> {
    match given.get("number") {
        None | Some(Json::Null) => Some(String::new()),
        Some(Json::String(typed)) if text::length(typed) > MAX_TYPED => {
            at.push_at("number", Reason::TooLong { most: MAX_TYPED });
            None
        }
        Some(Json::String(typed)) => {
            let clean = text::clean(typed.clone());
            if clean.is_none() {
                at.push_at("number", Reason::Nul);
            }
            clean
        }
        Some(_) => {
            at.push_at("number", Reason::MustBe(Expected::Text));
            None
        }
    }
}

/// A number as it is stored. A member that is missing or not a text is empty.
#[derive(Serialize)]
struct StoredNumber<'v> {
    country_id: &'v str,
    country_code: &'v str,
    number: &'v str,
}

impl<'v> StoredNumber<'v> {
    /// Decodes a stored value.
    fn of(stored: &'v Json) -> Self {
        let [country_id, country_code, number] = PARTS.map(|part| stored[part].as_str().unwrap_or_default());
        Self { country_id, country_code, number }
    }
}

impl Kind for Phone {
    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "properties": {
                "country_id": {"type": "string", "pattern": "^[A-Z]{2}$"},
                "country_code": {"type": "string"},
                "number": {"type": "string"},
            },
            "required": ["country_id", "country_code", "number"],
        })
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        schema["required"] = json!(["country_id"]);
        schema
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let Json::Object(given) = raw else {
            at.push(Reason::MustBe(Expected::Other("an object with country_id and number")));
            return Json::Null;
        };
        if !known_keys::check(&given, PARTS.into_iter(), at) {
            return Json::Null;
        }
        let typed = typed_number(&given, at);
        if typed.as_deref().is_some_and(text::is_blank) {
            // A country alone counts as blank.
            return Json::Null;
        }
        let country = self.country(&given, typed.as_deref().unwrap_or_default(), at);
        if let Some(code) = given.get("country_code")
            && !code.is_null()
            && !code.is_string()
        {
            at.push_at("country_code", Reason::MustBe(Expected::Text));
        }
        let (Some(typed), Some(country)) = (typed, country) else {
            return Json::Null;
        };
        let Some(number) = phones::national_number(country, &typed) else {
            at.push_at("number", Reason::NotPhoneOf(country.name));
            return Json::Null;
        };
        json!(StoredNumber { country_id: country.id, country_code: &country.dialing_code, number: &number })
    }

    /// Some numbers were stored with the trunk prefix.
    fn reads_as_stored(&self) -> bool {
        false
    }

    fn prune(&self, mut stored: Json, _: &Cx) -> Json {
        let own = StoredNumber::of(&stored);
        let today = phones::as_today(own.country_id, own.number);
        if today != own.number {
            stored["number"] = json!(today);
        }
        stored
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let own = StoredNumber::of(stored);
        phones::display_text(own.country_code, own.number)
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let own = StoredNumber::of(stored);
        let ways = phones::ways(own.country_id, own.country_code, own.number);
        let shown = Key::label(&self.text(stored, cx));
        ways.iter().map(|way| Key::text(way)).chain([shown]).collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::TEXT
    }

    /// Finds the number as it is stored, as it is dialled within its country, or with `+` from abroad, however it is
    /// grouped.
    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        let is_part = matches!(op, Op::Like | Op::NotLike);
        let wanted = |value: &Json| match value {
            Json::String(typed) => Json::String(phones::search_text(typed, is_part)),
            other => other.clone(),
        };
        let wanted = match value {
            Json::Array(values) => values.iter().map(wanted).collect(),
            one => wanted(one),
        };
        cond::by_text(op, &wanted)
    }

    fn unique_key(&self, stored: &Json) -> Option<String> {
        let own = StoredNumber::of(stored);
        Some(text::fold(&format!("+{} {}", own.country_code, own.number)))
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Texts::new(room))
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Text)
    }
}

impl Sheet for Phone {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        let word = |part: &str| match part {
            "country_id" => words.say("phone-country"),
            "country_code" => words.say("phone-code"),
            _ => words.say("phone-number"),
        };
        PARTS.map(|part| Column::part(part, word(part))).to_vec()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let own = StoredNumber::of(stored);
        [own.country_id, own.country_code, own.number].map(Cell::text).to_vec()
    }

    /// The country may be omitted if the dialling code implies it, or the field has one.
    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let cell = |i: usize| cells.get(i).map_or("", |cell| cell.trim());
        let (country, code, number) = (cell(0), cell(1).trim_start_matches('+'), cell(2));
        if !country.is_empty() {
            return json!({"country_id": country, "number": number});
        }
        if code.is_empty() {
            return self.sheet_whole(number, cx, at);
        }
        self.sheet_whole(&format!("+{code} {number}"), cx, at)
    }

    /// `+86 138 0013 8000`, or a number of the field's own country.
    fn sheet_whole(&self, cell: &str, _: &Cx, _: &mut Issues) -> Json {
        let typed = cell.trim();
        if let Ok(value @ Json::Object(_)) = json::parse(typed.as_bytes()) {
            return value;
        }
        json!({"country_id": self.default_country, "number": typed})
    }
}

impl Operand for Phone {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Masking for Phone {
    /// Hides the middle: `138****5678`, with or without the dialling code. About a third remains at each end, and at
    /// least four digits are hidden; a short number is hidden entirely.
    fn mask(&self, text: &str) -> String {
        let (code, number) = text.split_once(' ').filter(|_| text.starts_with('+')).unwrap_or(("", text));
        let digits: Vec<char> = number.chars().filter(char::is_ascii_digit).collect();
        let shown = if digits.len() < SHORT_NUMBER { 0 } else { digits.len() - HIDDEN };
        let tail = digits.len().div_ceil(3).min(shown.div_ceil(2)).min(4);
        let head = (digits.len() / 3).min(shown - tail).min(3);
        let part = |chars: &[char]| chars.iter().collect::<String>();
        let space = if code.is_empty() { "" } else { " " };
        format!("{code}{space}{}****{}", part(&digits[..head]), part(&digits[digits.len() - tail..]))
    }

    fn masked(&self, stored: &Json, _: &Cx) -> Json {
        let mut masked = stored.clone();
        masked["number"] = json!(self.mask(StoredNumber::of(stored).number));
        masked
    }
}

/// National numbers that exist in many countries.
const EXAMPLES: [&str; 8] =
    ["2025550123", "13800138000", "0612345678", "015123456789", "07400123456", "612345678", "91234567", "5123456"];

impl Control for Phone {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let allowed = self.allowed_countries.iter().flatten();
        let countries = self.default_country.iter().chain(allowed);
        countries
            .flat_map(|id| EXAMPLES.iter().map(move |number| json!({"country_id": id, "number": number})))
            .collect()
    }

    fn line_type(&self) -> &'static str {
        "tel"
    }

    fn limits(&self, texts: &Words, _: &Cx) -> Option<String> {
        let allowed = self.allowed_countries.as_deref().unwrap_or_default();
        let name = |id: &String| {
            let known = phones::country(id);
            known.map_or_else(|| id.clone(), |known| known.name_in(texts))
        };
        let names: Vec<String> = allowed.iter().map(name).collect();
        let countries = texts.any_of(&names)?;
        let is_short = names.len() <= MAX_TOLD;
        is_short.then(|| texts.fill("limit-countries", &[("countries", countries.into())]))
    }

    fn script(&self) -> Option<&'static str> {
        Some("phone.js")
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let chosen = cx.value["country_id"].as_str().or(self.default_country.as_deref());
        let number = inputs::typed(&cx.value["number"]);
        let name = |country: &Country| country.name_in(cx.texts);
        let (country, line) = (cx.fault_at(".country_id"), cx.fault_at(".number"));
        // A fault of neither part marks both.
        let is_whole = cx.invalid && country.is_none() && line.is_none();
        let invalid = |own: Option<&str>| (is_whole || own.is_some()).then_some("true");
        let allowed = phones::countries().iter().filter(|country| self.allows(country.id));
        let mut countries: Vec<&phones::Country> = allowed.collect();
        countries.sort_by_cached_key(|country| places::rank(country.id, cx.texts));
        html! {
            div.phone data-phone {
                select.input.phone-country id=(format!("{}.country_id", cx.name))
                    name=(format!("{}.country_id", cx.name)) autocomplete="tel-country-code"
                    aria-label=(cx.texts.say("phone-country")) lang=[cx.own_lang()]
                    aria-invalid=[invalid(country)] aria-describedby=[inputs::described_by(cx)] {
                    @if chosen.is_none() { option value="" { (cx.texts.say("phone-choose-country")) } }
                    @for country in &countries {
                        option value=(country.id) selected[chosen == Some(country.id)] {
                            (name(country)) " (+" (country.dialing_code) ")"
                        }
                    }
                }
                input.input.phone-number id=(cx.name) name=(format!("{}.number", cx.name)) type="tel"
                    value=(number) autocomplete="tel-national" required[cx.required]
                    placeholder=[cx.placeholder] aria-invalid=[invalid(line)]
                    aria-describedby=[inputs::described_by(cx)] lang=[cx.owners_lang()];
            }
        }
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let number = part.member("number").and_then(FormPart::first).map(str::trim);
        match number.filter(|number| !number.is_empty()) {
            None => Json::Null,
            Some(_) => part.object(&["country_id", "country_code", "number"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn mask(text: &str) -> String {
        let (default_country, allowed_countries) = (None, None);
        let phone = Phone { default_country, allowed_countries };
        phone.mask(text)
    }

    #[test]
    fn the_middle_of_a_number_is_hidden() {
        for (text, masked) in [
            ("+86 138 1234 5678", "+86 138****5678"),
            ("+86 13812345678", "+86 138****5678"),
            ("+1 202-555-0123", "+1 202****123"),
            ("13812345678", "138****5678"),
            ("+1 2025550123", "+1 202****123"),
            ("+65 81234567", "+65 81****67"),
            ("+47 400000001", "+47 40****001"),
            ("+44 1234567", "+44 ****"),
            ("+1 112", "+1 ****"),
            ("+ ", "+ ****"),
            ("", "****"),
        ] {
            assert_eq!(mask(text), masked);
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn a_mask_shows_a_third_at_each_end_and_hides_four(number in "[0-9]{0,17}") {
            let masked = mask(&format!("+86 {number}"));
            let (head, tail) = masked.strip_prefix("+86 ").and_then(|own| own.split_once("****")).expect("a mask");
            prop_assert!(number.starts_with(head) && number.ends_with(tail));
            let third = number.len().div_ceil(3);
            prop_assert!(head.len() <= third && tail.len() <= third);
            prop_assert!(head.len() + tail.len() + 4 <= number.len() || head.len() + tail.len() == 0);
        }
    }
}
