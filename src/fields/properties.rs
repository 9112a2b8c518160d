//! What holds for every kind whatever comes: nothing panics, what was read can be written again, and a
//! condition and its opposite part the values between them. Tests alone.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, json};

use crate::base::cases::cases;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::texts::texts;
use crate::fields::Field;
use crate::fields::cond::{Key, Op};
use crate::fields::definition::Definition;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{Cx, InputCx, Row, Sample};
use crate::fields::kinds::KINDS;
use crate::fields::values::is_blank;

/// Every sample of the table as a field of a form, with its value in the write shape.
static SAMPLES: LazyLock<Vec<(&'static Row, Definition, Json)>> = LazyLock::new(samples);

fn samples() -> Vec<(&'static Row, Definition, Json)> {
    let made = |row: &'static Row, sample: &Sample| {
        let mut field: Json = serde_json::from_str(sample.definition).expect("JSON");
        field["type"] = json!(row.name);
        field["label"] = json!("A label");
        let mut at = Issues::new();
        let definition = Definition::create(json!([field]), &Cx::of_a_test(true), &mut at);
        assert!(at.is_empty(), "{}: {:?}", row.name, at.into_list());
        let write = serde_json::from_str(sample.write).expect("JSON");
        (row, definition, write)
    };
    KINDS
        .iter()
        .flat_map(|row| row.samples.iter().map(move |sample| made(row, sample)))
        .filter(|(_, definition, _)| definition.fields.with_values().next().is_some())
        .collect()
}

fn field(definition: &Definition) -> &Field {
    definition.fields.iter().next().expect("the field")
}

fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(Json::from),
        (-20_i64..200).prop_map(Json::from),
        ".{0,20}".prop_map(Json::from),
        "[0-9:/ T.+-]{0,20}".prop_map(Json::from),
        prop::sample::select(vec![
            "2026-11-20",
            "2026-11-20 10:30",
            "10:30",
            "a",
            "CN",
            "CN-SH",
            ""
        ])
        .prop_map(Json::from),
    ]
}

fn any_json() -> impl Strategy<Value = Json> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        let key = prop::sample::select(vec![
            "value",
            "number",
            "country_id",
            "other_text",
            "level_1",
            "api_code",
            "field_1",
            "hour",
            "scheduled_at",
            "longitude",
            "a",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| {
                let members = members.into_iter().map(|(k, v)| (k.to_owned(), v));
                Json::Object(members.collect::<Map<_, _>>())
            }),
        ]
    })
}

/// How a value of a sample is changed: the n-th of its parts becomes another, goes, or stands twice.
#[derive(Clone, Debug)]
enum Change {
    Put(usize, Json),
    Drop(usize),
    Double(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0_usize..24, any_json()).prop_map(|(at, value)| Change::Put(at, value)),
        (0_usize..24).prop_map(Change::Drop),
        (0_usize..24).prop_map(Change::Double),
    ]
}

fn apply(value: &mut Json, change: &Change, seen: &mut usize) {
    let here = *seen;
    *seen += 1;
    if let Change::Put(at, other) = change
        && *at == here
    {
        *value = other.clone();
        return;
    }
    match value {
        Json::Array(items) => {
            match change {
                Change::Drop(at) if *at == here && !items.is_empty() => {
                    items.remove(0);
                }
                Change::Double(at) if *at == here => items.extend(items.first().cloned()),
                _ => {}
            }
            items.iter_mut().for_each(|item| apply(item, change, seen));
        }
        Json::Object(members) => {
            if let Change::Drop(at) = change
                && *at == here
                && let Some(key) = members.keys().next().cloned()
            {
                members.shift_remove(&key);
            }
            members
                .values_mut()
                .for_each(|member| apply(member, change, seen));
        }
        _ => {}
    }
}

/// That a value is refused with a reason, or stored so that what a read shows can be written again.
fn is_settled(row: &Row, field: &Field, value: &Json) {
    let cx = Cx::of_a_test(true);
    if value.is_null() || !field.kind.is_written() {
        return;
    }
    let mut at = Issues::new();
    let stored = field.kind.parse(value.clone(), &cx, &mut at);
    if !at.is_empty() || is_blank(&stored) {
        return;
    }
    let read = field.kind.read(&stored, &cx);
    let mut at = Issues::new();
    let again = field.kind.parse(read.clone(), &cx, &mut at);
    assert!(
        at.is_empty(),
        "{}: {value} reads {read}: {:?}",
        row.name,
        at.into_list()
    );
    assert_eq!(again, stored, "{}: {value} reads {read}", row.name);
    field.kind.text(&stored, &cx);
    field.kind.uses(&stored);
    assert_eq!(
        field.kind.prune(stored.clone(), &cx),
        stored,
        "{}: {value}",
        row.name
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_value_is_refused_or_can_be_written_again(value in any_json()) {
        for (row, definition, _) in SAMPLES.iter() {
            is_settled(row, field(definition), &value);
        }
    }

    #[test]
    fn a_changed_value_is_refused_or_can_be_written_again(
        changes in prop::collection::vec(change(), 1..3)
    ) {
        for (row, definition, write) in SAMPLES.iter() {
            let mut value = write.clone();
            for change in &changes {
                apply(&mut value, change, &mut 0);
            }
            is_settled(row, field(definition), &value);
        }
    }

    #[test]
    fn a_condition_and_its_opposite_part_all_values(wanted in any_json()) {
        let cx = Cx::of_a_test(false);
        for (row, definition, write) in SAMPLES.iter() {
            let field = field(definition);
            let stored = field.kind.parse(write.clone(), &cx, &mut Issues::new());
            let keys: [Vec<Key>; 2] = [field.kind.keys(&stored, &cx), Vec::new()];
            let cond = |op: Op| {
                let op = field.kind.operators().iter().find(|known| **known == op)?;
                field.kind.condition(*op, &wanted, &cx).ok()
            };
            for (op, opposite) in [
                (Op::Eq, Op::Ne),
                (Op::AnyIn, Op::NoneIn),
                (Op::Like, Op::NotLike),
                (Op::NotNull, Op::Null),
            ] {
                let (Some(op), Some(opposite)) = (cond(op), cond(opposite)) else { continue };
                for keys in &keys {
                    prop_assert_ne!(op.holds(keys), opposite.holds(keys), "{}: {}", row.name, wanted);
                }
            }
            for op in field.kind.operators() {
                if let Ok(cond) = field.kind.condition(*op, &wanted, &cx) {
                    cond.holds(&keys[0]);
                }
            }
        }
    }

    #[test]
    fn whatever_is_posted_or_stands_in_an_address_is_drawn_and_settled(
        pairs in prop::collection::vec(
            ("field_1([.\\[](value|number|0|1|a|b|level_1|field_1|api_code|country|hour|.{0,3})\\]?){0,4}", ".{0,12}"),
            0..6,
        ),
        prefilled in any_json(),
    ) {
        let tree = FormPart::tree(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())));
        for (row, definition, _) in SAMPLES.iter() {
            let field = field(definition);
            let part = tree.member("field_1");
            let posted = part.map_or(Json::Null, |part| field.kind.form_value(part));
            is_settled(row, field, &posted);
            for value in [&posted, &prefilled] {
                let drawn = field.kind.input(&InputCx {
                    name: "field_1",
                    label: "",
                    value,
                    required: false,
                    placeholder: None,
                    invalid: false,
                    faults: &[],
                    described_by: "",
                    texts: texts("en"),
                    currency: "USD",
                    seed: "",
                    cx: &Cx::of_a_test(true),
                });
                drop(drawn.into_string());
            }
        }
    }
}
