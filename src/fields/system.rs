//! System fields: what every entry has of itself, and what its form adds (contract 3.3). They are kinds
//! like those of questions, so that filters, columns and public queries need no special case. Nothing
//! writes them from a request, and no page asks for them.

use std::fmt;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::texts::{self, Texts};
use crate::fields::Fields;
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::dates;
use crate::fields::kind::{Cx, Facets, InputCx, Kind};
use crate::fields::values::Values;
use crate::model::entry::Entry;

/// A system field.
pub struct SystemField {
    /// The key in entries.
    pub name: &'static str,
    /// What a public query may use it for.
    pub facets: Facets,
    /// What its values are and mean.
    pub kind: &'static dyn Kind,
    source: Source,
    belongs: Belongs,
}

impl fmt::Debug for SystemField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for SystemField {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What an entry's row says of it.
#[derive(Clone, Copy, Debug)]
pub enum Own<'e> {
    /// Nothing.
    Nothing,
    /// A number.
    Number(i64),
    /// A text.
    Text(&'e str),
    /// A moment.
    Moment(Time),
}

impl From<Own<'_>> for Json {
    fn from(own: Own) -> Self {
        match own {
            Own::Nothing => Self::Null,
            Own::Number(number) => json!(number),
            Own::Text(text) => json!(text),
            Own::Moment(at) => Self::from(at),
        }
    }
}

impl<'e> Own<'e> {
    fn text(text: Option<&'e String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Text(text))
    }
}

/// Where a value comes from.
enum Source {
    /// The entry's row.
    Row(fn(&Entry) -> Own),
    /// What was computed at submission and is kept beside the answers, under the field's name.
    Kept,
}

/// Which forms have it.
enum Belongs {
    /// All.
    Everywhere,
    /// All; but an entry without a value does not have the key.
    WhereGiven,
    /// Forms of a scene.
    Scene(&'static str),
    /// Forms one of whose settings is `true`.
    Setting(&'static str),
    /// Forms with a question of which this key of the definition tells.
    Question(&'static str),
}

const SHOWN: Facets = Facets {
    displayable: true,
    ..Facets::NONE
};
const SEARCHED: Facets = Facets {
    searchable: true,
    ..SHOWN
};
const FUZZY: Facets = Facets {
    fuzzy: true,
    ..SEARCHED
};
const NEITHER: Facets = Facets {
    displayable: false,
    ..SHOWN
};

/// All of them. What entries always show comes first, in the order that they show it.
#[rustfmt::skip] // A table is read by columns.
pub static SYSTEM: &[SystemField] = &[
    row ("serial_number",         SEARCHED, &SERIAL,      |entry| Own::Number(entry.serial)),
    row ("created_at",            SHOWN,    &MOMENT,      |entry| Own::Moment(entry.created_at)),
    row ("updated_at",            SHOWN,    &MOMENT,      |entry| Own::Moment(entry.updated_at)),
    row ("info_filling_duration", SHOWN,    &WHOLE,       |entry| entry.duration_secs.map_or(Own::Nothing, Own::Number)),
    row ("creator_name",          NEITHER,  &TEXT,        |entry| Own::text(entry.creator_name.as_ref())),
    row ("x_field_1",             NEITHER,  &TEXT,        |entry| Own::text(entry.x_field_1.as_ref())).where_given(),
    kept("exam_score",            SEARCHED, &NUMBER,      Belongs::Scene("exam")),
    kept("gen_code",              FUZZY,    &TEXT,        Belongs::Setting("/verification_code/enabled")),
    kept("total_price",           SHOWN,    &NUMBER,      Belongs::Question("goods_items")),
    kept("preferential_price",    SHOWN,    &NUMBER,      Belongs::Question("goods_items")),
    kept("reservation_status_fsf_field", SHOWN, &STATUS,  Belongs::Question("reservation_items")),
    kept("x_field_certificate",   SHOWN,    &CERTIFICATE, Belongs::Setting("/certificate/enabled")),
    kept("evaluation_report",     SHOWN,    &REPORT,      Belongs::Scene("evaluation")),
];

const fn row(
    name: &'static str,
    facets: Facets,
    kind: &'static dyn Kind,
    value: fn(&Entry) -> Own,
) -> SystemField {
    SystemField {
        name,
        facets,
        kind,
        source: Source::Row(value),
        belongs: Belongs::Everywhere,
    }
}

const fn kept(
    name: &'static str,
    facets: Facets,
    kind: &'static dyn Kind,
    belongs: Belongs,
) -> SystemField {
    SystemField {
        name,
        facets,
        kind,
        source: Source::Kept,
        belongs,
    }
}

/// The system field of that name.
pub fn by_name(name: &str) -> Option<&'static SystemField> {
    SYSTEM.iter().find(|field| field.name == name)
}

/// What every entry says of itself, before all else; the only ones by which lists are filtered.
pub const FIXED: [&str; 3] = ["serial_number", "created_at", "updated_at"];

/// What the entry's row gives beside the fixed keys: names and values.
pub fn beside(entry: &Entry) -> impl Iterator<Item = (&'static str, Json)> {
    SYSTEM
        .iter()
        .filter(|field| !FIXED.contains(&field.name))
        .filter_map(|field| match &field.source {
            Source::Row(value) => Some((field, Json::from(value(entry)))),
            Source::Kept => None,
        })
        .filter(|(field, value)| !(value.is_null() && matches!(field.belongs, Belongs::WhereGiven)))
        .map(|(field, value)| (field.name, value))
}

impl SystemField {
    const fn where_given(mut self) -> Self {
        self.belongs = Belongs::WhereGiven;
        self
    }

    /// What people call it.
    pub fn label(&self, texts: &Texts) -> String {
        texts.say(&format!("system-{}", self.name.replace('_', "-")))
    }

    /// Whether entries of such a form have it.
    pub fn belongs_to(&self, scene: &str, settings: &Json, fields: &Fields) -> bool {
        match &self.belongs {
            Belongs::Everywhere | Belongs::WhereGiven => true,
            Belongs::Scene(own) => *own == scene,
            Belongs::Setting(path) => settings.pointer(path) == Some(&json!(true)),
            Belongs::Question(key) => fields
                .iter()
                .any(|field| field.kind.as_json().get(key).is_some()),
        }
    }

    /// What the entry's row says; none where what is kept beside the answers does.
    pub fn own<'e>(&self, entry: &'e Entry) -> Option<Own<'e>> {
        match &self.source {
            Source::Row(value) => Some(value(entry)),
            Source::Kept => None,
        }
    }

    /// The value of an entry as it is kept; null where it has none.
    pub fn stored(&self, entry: &Entry, values: &Values) -> Json {
        match &self.source {
            Source::Row(value) => value(entry).into(),
            Source::Kept => values.get(self.name).cloned().unwrap_or_default(),
        }
    }
}

/// What is the same in all of them: they have values that nobody gives.
macro_rules! nobody_gives_it {
    () => {
        fn is_written(&self) -> bool {
            false
        }

        fn parse(&self, _: Json, _: &Cx, at: &mut Issues) -> Json {
            at.push("can't be set");
            Json::Null
        }

        fn input(&self, _: &InputCx) -> Markup {
            html! {}
        }
    };
}

/// A number.
#[derive(Serialize)]
struct Number {
    #[serde(skip)]
    is_whole: bool,
    #[serde(skip)]
    operators: &'static [Op],
}

static SERIAL: Number = Number {
    is_whole: true,
    operators: Op::NUMBER,
};
static WHOLE: Number = Number {
    is_whole: true,
    operators: &[],
};
static NUMBER: Number = Number {
    is_whole: false,
    operators: &[],
};

impl Kind for Number {
    nobody_gives_it!();

    fn read_schema(&self) -> Json {
        json!({"type": if self.is_whole { "integer" } else { "number" }})
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored
            .as_number()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        stored.as_f64().map(Key::Number).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        self.operators
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| {
            value.as_f64().map(Key::Number).ok_or("must be a number")
        })
    }
}

/// A point in time: read in UTC, shown and searched on the form's wall clock.
#[derive(Serialize)]
struct Moment;

static MOMENT: Moment = Moment;

impl Kind for Moment {
    nobody_gives_it!();

    fn read_schema(&self) -> Json {
        json!({"type": "string", "format": "date-time"})
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        time_of(stored)
            .map(|time| dates::local(time.timestamp(), cx.timezone))
            .unwrap_or_default()
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let Some(time) = time_of(stored) else {
            return Vec::new();
        };
        vec![dates::moment_key(time), Key::label(&self.text(stored, cx))]
    }

    fn operators(&self) -> &'static [Op] {
        Op::DATE
    }

    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        dates::moment_condition(op, value, cx)
    }
}

fn time_of(stored: &Json) -> Option<Time> {
    stored.as_str().and_then(Time::parse)
}

/// Text.
#[derive(Serialize)]
struct Text;

static TEXT: Text = Text;

impl Kind for Text {
    nobody_gives_it!();

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let text = stored.as_str().filter(|text| !text.is_empty());
        text.map(Key::text).into_iter().collect()
    }
}

/// What became of a booking.
#[derive(Serialize)]
struct Status;

static STATUS: Status = Status;
const STATUSES: [(&str, &str); 3] = [
    ("reserved", "system-status-reserved"),
    ("cancelled", "system-status-cancelled"),
    ("completed", "system-status-completed"),
];

impl Kind for Status {
    nobody_gives_it!();

    fn read_schema(&self) -> Json {
        json!({"enum": STATUSES.map(|(word, _)| word)})
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let word = stored.as_str().unwrap_or_default();
        STATUSES
            .iter()
            .find(|(known, _)| *known == word)
            .map_or_else(
                || word.to_owned(),
                |(_, id)| texts::texts(cx.locale).say(id),
            )
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        stored.as_str().map_or_else(Vec::new, |word| {
            vec![
                Key::Code(word.to_owned()),
                Key::label(&self.text(stored, cx)),
            ]
        })
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| match value.as_str() {
            Some("") => Err("must not be empty"),
            Some(word) => Ok(Key::Code(word.to_owned())),
            None => Err("must be a string"),
        })
    }
}

/// Where the certificate is.
#[derive(Serialize)]
struct Certificate;

static CERTIFICATE: Certificate = Certificate;

impl Kind for Certificate {
    nobody_gives_it!();

    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "required": ["url"],
            "properties": {"url": {"type": "string", "format": "uri"}},
            "additionalProperties": false,
        })
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored["url"].as_str().unwrap_or_default().to_owned()
    }
}

/// What an evaluation came to.
#[derive(Serialize)]
struct Report;

static REPORT: Report = Report;

impl Kind for Report {
    nobody_gives_it!();

    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "required": ["score", "comment"],
            "properties": {
                "score": {"type": "number"},
                "comment": {"type": ["string", "null"]},
            },
            "additionalProperties": false,
        })
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let score = stored["score"].as_number().map(ToString::to_string);
        let comment = stored["comment"].as_str().filter(|text| !text.is_empty());
        let parts: Vec<&str> = score.as_deref().into_iter().chain(comment).collect();
        parts.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::tz::TimeZone;

    use super::*;
    use crate::base::id::EntryToken;
    use crate::base::texts::{locales, texts};
    use crate::fields::definition::Definition;
    use crate::fields::links::NOTHING;

    fn entry() -> Entry {
        let at = |text: &str| Time::parse(text).expect("a time");
        Entry {
            serial: 7,
            token: EntryToken::new("0"),
            created_at: at("2026-11-20T16:08:04.123Z"),
            updated_at: at("2026-11-21T00:00:00Z"),
            version: 1,
            creator_name: Some("Ada".to_owned()),
            duration_secs: Some(75),
            x_field_1: None,
            values: "{}".to_owned(),
        }
    }

    fn kept() -> Values {
        let values = json!({
            "exam_score": 9.5, "gen_code": "AB12", "total_price": 12.5, "preferential_price": 10,
            "reservation_status_fsf_field": "cancelled", "x_field_certificate": {"url": "https://example.com/c"},
            "evaluation_report": {"score": 3, "comment": "Well done"},
        });
        values.as_object().cloned().expect("an object")
    }

    fn shanghai(f: impl FnOnce(&Cx)) {
        let timezone = TimeZone::get("Asia/Shanghai").expect("a zone");
        f(&Cx {
            timezone: &timezone,
            locale: "en",
            now: Time::from_millis(0),
            respondent: false,
            found: &NOTHING,
            files: crate::fields::files::links::FilesCx::default(),
        });
    }

    #[test]
    fn each_has_a_value_a_text_and_words_in_every_language() {
        let mut names = HashSet::new();
        shanghai(|cx| {
            for (field, (stored, text)) in SYSTEM.iter().zip([
                (json!(7), "7"),
                (json!("2026-11-20T16:08:04.123Z"), "2026-11-21 00:08:04"),
                (json!("2026-11-21T00:00:00.000Z"), "2026-11-21 08:00:00"),
                (json!(75), "75"),
                (json!("Ada"), "Ada"),
                (json!(null), ""),
                (json!(9.5), "9.5"),
                (json!("AB12"), "AB12"),
                (json!(12.5), "12.5"),
                (json!(10), "10"),
                (json!("cancelled"), "Cancelled"),
                (
                    json!({"url": "https://example.com/c"}),
                    "https://example.com/c",
                ),
                (json!({"score": 3, "comment": "Well done"}), "3: Well done"),
            ]) {
                assert!(names.insert(field.name), "{}", field.name);
                let own = field.stored(&entry(), &kept());
                assert_eq!(own, stored, "{}", field.name);
                assert_eq!(field.kind.text(&own, cx), text, "{}", field.name);
                assert_eq!(field.kind.read(&own, cx), stored, "{}", field.name);
                assert!(!field.kind.is_written(), "{}", field.name);
                for locale in locales() {
                    assert!(!field.label(texts(locale)).starts_with("system-"));
                }
                // A filter needs something to look at.
                let keyed = own.is_null() || !field.kind.keys(&own, cx).is_empty();
                assert!(keyed, "{}", field.name);
            }
        });
        assert_eq!(names.len(), 13);
    }

    #[test]
    fn public_queries_may_use_what_the_spec_lists() {
        let of = |wanted: fn(&Facets) -> bool| -> Vec<&str> {
            let fields = SYSTEM.iter().filter(|field| wanted(&field.facets));
            fields.map(|field| field.name).collect()
        };
        assert_eq!(
            of(|facets| facets.searchable),
            ["serial_number", "exam_score", "gen_code"]
        );
        assert_eq!(of(|facets| facets.fuzzy), ["gen_code"]);
        assert_eq!(
            of(|facets| !facets.displayable),
            ["creator_name", "x_field_1"]
        );
        assert!(of(|facets| facets.protectable || facets.unique).is_empty());
        let filtered: Vec<&str> = SYSTEM
            .iter()
            .filter(|field| !field.kind.operators().is_empty())
            .map(|field| field.name)
            .collect();
        assert_eq!(filtered, ["serial_number", "created_at", "updated_at"]);
    }

    #[test]
    fn forms_have_what_belongs_to_them() {
        let fields = |raw: Json| {
            let mut at = Issues::new();
            let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
            assert!(at.is_empty(), "{:?}", at.into_list());
            definition.fields
        };
        let plain = fields(json!([{"type": "short_text", "label": "a"}]));
        let shop = fields(
            json!([{"type": "product", "label": "p", "goods_items": [{"name": "x", "price": 1}]}]),
        );
        let own = |scene: &str, settings: Json, fields: &Fields| -> Vec<&str> {
            let own = SYSTEM.iter().skip(6);
            own.filter(|field| field.belongs_to(scene, &settings, fields))
                .map(|field| field.name)
                .collect()
        };
        assert_eq!(own("form", json!({}), &plain), [""; 0]);
        assert_eq!(own("exam", json!({}), &plain), ["exam_score"]);
        assert_eq!(own("evaluation", json!({}), &plain), ["evaluation_report"]);
        assert_eq!(
            own("form", json!({}), &shop),
            ["total_price", "preferential_price"]
        );
        assert_eq!(
            own(
                "form",
                json!({"verification_code": {"enabled": true}, "certificate": {"enabled": false}}),
                &plain
            ),
            ["gen_code"]
        );
        assert!(
            SYSTEM
                .iter()
                .take(6)
                .all(|f| f.belongs_to("form", &json!({}), &plain))
        );
    }

    fn holds(name: &str, op: Op, value: Json) -> bool {
        let field = by_name(name).expect("a system field");
        let mut out = false;
        shanghai(|cx| {
            let cond = field.kind.condition(op, &value, cx);
            let cond = cond.unwrap_or_else(|issue| panic!("{name} {value}: {issue:?}"));
            out = cond.holds(&field.kind.keys(&field.stored(&entry(), &kept()), cx));
        });
        out
    }

    #[test]
    fn moments_are_whole_days_in_the_forms_timezone() {
        // On the wall clock it is 2026-11-21 00:08:04.123.
        for (op, value, is) in [
            (Op::Eq, json!("2026-11-21"), true),
            (Op::Eq, json!("2026-11-20"), false),
            (Op::Eq, json!("2026-11"), true),
            (Op::Eq, json!("2026-12"), false),
            (Op::Eq, json!("2026-11-20T16:08:04.123Z"), true),
            (Op::Eq, json!("2026-11-21T00:08:04.123+08:00"), true),
            (Op::Eq, json!("2026-11-21T00:08:04.123"), true),
            (Op::Eq, json!("2026-11-21 00:08"), false),
            (Op::Ne, json!("2026-11-21"), false),
            (Op::Gt, json!("2026-11-20"), true),
            (Op::Gt, json!("2026-11-21"), false),
            (Op::Gte, json!("2026-11-21"), true),
            (Op::Lt, json!("2026-11-21"), false),
            (Op::Lt, json!("2026-11-22"), true),
            (Op::Lte, json!("2026-11-21"), true),
            (Op::Lte, json!("2026-11-20"), false),
            (Op::Gt, json!("2026-11-21 00:08"), true),
            (Op::Gt, json!("2026-11-20T16:08:04.123Z"), false),
            (Op::Gt, json!("2026-11-20T16:08:04.122Z"), true),
            (Op::Between, json!(["2026-11-21", "2026-11-21"]), true),
            (Op::Between, json!(["2026-11-22", "2026-11-20"]), false),
            (Op::NotBetween, json!(["2026-11-01", "2026-11-20"]), true),
            (Op::AnyIn, json!(["2026-01-01", "2026-11-21"]), true),
            (Op::NoneIn, json!(["2026-01-01", "2026-11-21"]), false),
            (Op::Like, json!("2026-11-21 00:08"), true),
            (Op::Like, json!("16:08"), false),
            (Op::Null, json!(null), false),
            (Op::NotNull, json!(null), true),
            (Op::Lte, json!("9999-12-31"), true),
        ] {
            assert_eq!(holds("created_at", op, value.clone()), is, "{op:?} {value}");
        }
        shanghai(|cx| {
            for bad in [
                json!(5),
                json!("soon"),
                json!("2026-13-01"),
                json!(""),
                json!(["x"]),
            ] {
                let kind = by_name("created_at").expect("it").kind;
                assert!(kind.condition(Op::Eq, &bad, cx).is_err(), "{bad}");
            }
        });
    }

    #[test]
    fn an_hour_that_comes_twice_is_the_first_one() {
        let timezone = TimeZone::get("Europe/Berlin").expect("a zone");
        let cx = Cx {
            timezone: &timezone,
            ..Cx::of_a_test(false)
        };
        let kind = by_name("created_at").expect("it").kind;
        let eq = |value: &str, stored: &str| {
            let cond = kind
                .condition(Op::Eq, &json!(value), &cx)
                .expect("a condition");
            cond.holds(&kind.keys(&json!(stored), &cx))
        };
        assert!(eq("2026-10-25 02:30", "2026-10-25T00:30:00Z"));
        assert!(!eq("2026-10-25 02:30", "2026-10-25T01:30:00Z"));
        // A day of 25 hours is one day.
        assert!(eq("2026-10-25", "2026-10-24T22:00:00Z"));
        assert!(eq("2026-10-25", "2026-10-25T22:59:59.999Z"));
        assert!(!eq("2026-10-25", "2026-10-25T23:00:00Z"));
    }

    #[test]
    fn numbers_texts_and_words() {
        assert!(holds("serial_number", Op::Between, json!([7, 9])));
        assert!(!holds("serial_number", Op::Gt, json!(7)));
        assert!(holds("exam_score", Op::Eq, json!(9.5)));
        assert!(holds("gen_code", Op::Eq, json!("ab12")));
        assert!(holds("gen_code", Op::Like, json!("b1")));
        assert!(holds("x_field_1", Op::Null, json!(null)));
        let status = "reservation_status_fsf_field";
        assert!(holds(status, Op::Eq, json!("cancelled")));
        assert!(holds(status, Op::Like, json!("CANC")));
        assert!(!holds(status, Op::Eq, json!("Cancelled")));
    }
}
