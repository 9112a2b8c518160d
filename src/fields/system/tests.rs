//! Tests of system fields.

use std::collections::HashSet;

use jiff::tz::TimeZone;

use super::*;
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::base::text::texts::{locales, texts};
use crate::fields::definition::Definition;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::links::NOTHING;
use crate::model::results::{EvaluationReport, ReservationStatus};
use crate::model::settings::Settings;

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
        waiting_position: Some(2),
        values: "{}".to_owned(),
        results: Results {
            exam_score: Some(9.5),
            gen_code: Some("AB12".to_owned()),
            total_price: Some(12.5),
            preferential_price: Some(10.25),
            reservation_status: Some(ReservationStatus::Cancelled),
            is_waiting: false,
            is_by_program: false,
            waits_from: None,
            evaluation_report: Some(EvaluationReport { score: 3.0, comment: Some("Well done".to_owned()) }),
            due_at: None,
            is_late: true,
            rescored_at: Time::parse("2026-11-20T18:00:00Z"),
        },
    }
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
        pass_score: Some(9.5),
        has_waiting_list: true,
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
            (json!(2), "2"),
            (json!(9.5), "9.5"),
            (json!(true), "Yes"),
            (json!("AB12"), "AB12"),
            (json!(12.5), "12.5"),
            (json!(10.25), "10.25"),
            (json!("cancelled"), "Cancelled"),
            (json!(null), ""),
            (json!({"score": 3, "comment": "Well done"}), "3: Well done"),
            (json!(true), "Yes"),
            (json!("2026-11-20T18:00:00.000Z"), "2026-11-21 02:00:00"),
        ]) {
            assert!(names.insert(field.name), "{}", field.name);
            let own = field.stored(&entry(), cx);
            assert_eq!(own, stored, "{}", field.name);
            assert_eq!(field.kind.text(&own, cx), text, "{}", field.name);
            assert_eq!(field.kind.read(&own, cx), stored, "{}", field.name);
            assert!(!field.kind.is_written(), "{}", field.name);
            for locale in locales() {
                assert!(!field.label(texts(locale)).starts_with("system-"));
            }
            // Every value has a filter key.
            let keyed = own.is_null() || !field.kind.keys(&own, cx).is_empty();
            assert!(keyed, "{}", field.name);
        }
    });
    assert_eq!(names.len(), 17);
}

#[test]
fn public_queries_may_use_what_the_spec_lists() {
    let of = |wanted: fn(&Facets) -> bool| -> Vec<&str> {
        let fields = SYSTEM.iter().filter(|field| wanted(&field.facets));
        fields.map(|field| field.name).collect()
    };
    assert_eq!(of(|facets| facets.searchable), ["serial_number", "exam_score", "gen_code"]);
    assert_eq!(of(|facets| facets.fuzzy), ["gen_code"]);
    assert_eq!(
        of(|facets| !facets.displayable),
        ["creator_name", "x_field_1", "waiting_position", "exam_passed", "is_late", "rescored_at"]
    );
    assert!(of(|facets| facets.protectable || facets.unique).is_empty());
    let filtered: Vec<&str> =
        SYSTEM.iter().filter(|field| !field.kind.operators().is_empty()).map(|field| field.name).collect();
    assert_eq!(filtered, ["serial_number", "created_at", "updated_at", "waiting_position", "exam_passed"]);
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
    let shop = fields(json!([{"type": "product", "label": "p", "goods_items": [{"name": "x", "price": 1}]}]));
    let own = |scene: &str, settings: Json, fields: &Fields| -> Vec<&str> {
        let own = SYSTEM.iter().skip(6);
        let settings = Settings::of(&settings).expect("sound settings");
        own.filter(|field| field.belongs_to(scene, &settings, fields)).map(|field| field.name).collect()
    };
    assert_eq!(own("form", json!({}), &plain), [""; 0]);
    assert_eq!(own("exam", json!({}), &plain), ["exam_score", "is_late", "rescored_at"]);
    let passable = json!({"exam": {"pass_score": 5}});
    assert_eq!(own("exam", passable.clone(), &plain), ["exam_score", "exam_passed", "is_late", "rescored_at"]);
    assert_eq!(own("form", passable, &plain), [""; 0]);
    assert_eq!(own("evaluation", json!({}), &plain), ["evaluation_report", "rescored_at"]);
    assert_eq!(own("form", json!({}), &shop), ["total_price", "preferential_price"]);
    assert_eq!(
        own("form", json!({"verification_code": {"enabled": true}, "certificate": {"enabled": false}}), &plain),
        ["gen_code"]
    );
    let waits = json!({"capacity": {"waiting_list": true}});
    assert_eq!(own("form", waits, &plain), ["waiting_position"]);
    assert!(SYSTEM.iter().take(6).all(|f| f.belongs_to("form", &Settings::default(), &plain)));
}

fn holds(name: &str, op: Op, value: Json) -> bool {
    let field = by_name(name).expect("a system field");
    let mut out = false;
    shanghai(|cx| {
        let cond = field.kind.condition(op, &value, cx);
        let cond = cond.unwrap_or_else(|issue| panic!("{name} {value}: {issue:?}"));
        out = cond.holds(&field.kind.keys(&field.stored(&entry(), cx), cx));
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
        for bad in [json!(5), json!("soon"), json!("2026-13-01"), json!(""), json!(["x"])] {
            let kind = by_name("created_at").expect("it").kind;
            assert!(kind.condition(Op::Eq, &bad, cx).is_err(), "{bad}");
        }
    });
}

#[test]
fn an_hour_that_comes_twice_is_the_first_one() {
    let timezone = TimeZone::get("Europe/Berlin").expect("a zone");
    let cx = Cx { timezone: &timezone, ..Cx::of_a_test(false) };
    let kind = by_name("created_at").expect("it").kind;
    let eq = |value: &str, stored: &str| {
        let cond = kind.condition(Op::Eq, &json!(value), &cx).expect("a condition");
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
