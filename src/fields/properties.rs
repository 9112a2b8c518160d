//! Property tests of all kinds: nothing panics, read values can be written again, and a condition and its negation
//! split the values.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, json};

use crate::base::cases::cases;
use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts::texts;
use crate::fields::Field;
use crate::fields::columns::Cell;
use crate::fields::columns::fill::{self, Filler};
use crate::fields::columns::form::Sheet;
use crate::fields::definition::Definition;
use crate::fields::filter::Filter;
use crate::fields::filter::cond::{Key, Op, holds_in_cells};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::Room as ReportRoom;
use crate::fields::kind::{Cx, InputCx, KindRow, Sample};
use crate::fields::kinds::KINDS;
use crate::fields::links::associated;
use crate::fields::report::{FieldTally, Report};
use crate::fields::values::{self, Values, is_blank, stored};
use crate::model::entry::Entry;
use crate::model::results::Results;

/// Every sample of the table as a field of a form, with its value in the write shape.
pub(crate) static SAMPLES: LazyLock<Vec<(&'static KindRow, Definition, Json)>> = LazyLock::new(samples);

fn samples() -> Vec<(&'static KindRow, Definition, Json)> {
    let made = |row: &'static KindRow, sample: &Sample| {
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

/// All filterable names, and some that are not.
fn names(definition: &Definition) -> Vec<String> {
    let field = field(definition);
    let columns = field.kind.sub_fields().iter();
    let columns = columns.map(|column| format!("field_1.{}", column.api_code));
    let linked = ["serial_number", "field_1", "field_2"].into_iter();
    let linked = linked.filter(|_| field.kind.link_rules().is_some());
    let own = ["field_1", "serial_number", "created_at"].map(str::to_owned);
    own.into_iter().chain(columns).chain(linked.map(|code| associated::name("field_1", code))).collect()
}

const OPPOSITES: [(Op, Op); 4] =
    [(Op::Eq, Op::Ne), (Op::AnyIn, Op::NoneIn), (Op::Like, Op::NotLike), (Op::NotNull, Op::Null)];

pub(crate) fn entry() -> Entry {
    Entry {
        serial: 7,
        token: EntryToken::new(""),
        created_at: Time::from_millis(1_000_000_000_000),
        updated_at: Time::from_millis(1_000_000_000_001),
        version: 1,
        creator_name: None,
        duration_secs: None,
        x_field_1: None,
        waiting_position: None,
        values: String::new(),
        results: Results::default(),
    }
}

pub(crate) fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(Json::from),
        (-20_i64..200).prop_map(Json::from),
        ".{0,20}".prop_map(Json::from),
        "[0-9:/ T.+-]{0,20}".prop_map(Json::from),
        prop::sample::select(vec!["2026-11-20", "2026-11-20 10:30", "10:30", "a", "CN", "CN-SH", ""])
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

/// A change to a sample's value: its n-th part is replaced, removed or duplicated.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Put(usize, Json),
    Drop(usize),
    Double(usize),
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
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
            members.values_mut().for_each(|member| apply(member, change, seen));
        }
        _ => {}
    }
}

/// Checks that a value is refused with a reason, or stored so that its read shape can be written again.
fn is_settled(row: &KindRow, field: &Field, value: &Json) {
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
    assert!(at.is_empty(), "{}: {value} reads {read}: {:?}", row.name, at.into_list());
    assert_eq!(again, stored, "{}: {value} reads {read}", row.name);
    field.kind.text(&stored, &cx);
    field.kind.uses(&stored);
    for left in [field.kind.prune(stored.clone(), &cx), field.kind.without_removed(stored.clone(), &cx)] {
        assert_eq!(left, stored, "{}: {value}", row.name);
    }
}

/// Two stored values of a sample's field, changed at random; maybe blank.
pub(crate) fn stored_pair(definition: &Definition, write: &Json, changes: &[Change; 2], odd: &[Json; 2]) -> [Json; 2] {
    let cx = Cx::of_a_test(false);
    let field = field(definition);
    [0, 1].map(|i| {
        // Plain values may be used whatever was stored.
        if field.kind.plain().is_some() && !is_blank(&odd[i]) {
            return odd[i].clone();
        }
        let mut value = write.clone();
        apply(&mut value, &changes[i], &mut 0);
        let mut at = Issues::new();
        let is_given = field.kind.is_written() && !value.is_null();
        let stored = if is_given { field.kind.parse(value, &cx, &mut at) } else { Json::Null };
        if at.is_empty() && !is_blank(&stored) {
            return stored;
        }
        if field.kind.is_written() { field.kind.parse(write.clone(), &cx, &mut Issues::new()) } else { write.clone() }
    })
}

/// Checks that spreadsheets and reports of many entries, which parse little, agree with the kind about each value.
/// The first value comes three times, with another between.
fn walks_agree(row: &KindRow, definition: &Definition, stored: [&Json; 2]) {
    let cx = Cx::of_a_test(false);
    let (fields, field) = (&definition.fields, field(definition));
    let sheet = Sheet::of_form(fields, &[], None, &cx);
    let width = sheet.heads().len() - Sheet::of_form(fields, &[], Some(&[]), &cx).heads().len() - 3;
    let mut filler = Filler::of(&sheet, fields);
    let mut report = Report::new(fields);
    let mut tally = FieldTally::new(field, ReportRoom::FIELD);
    for (nth, stored) in [stored[0], stored[1], stored[0], stored[0]].into_iter().enumerate() {
        let mut entry = entry();
        let values = Values::from_iter([("field_1".to_owned(), stored.clone())]);
        entry.values = stored::text(&values);
        let today = values::today(field, Some(stored), &cx);

        let mut filled: Vec<Cell> = Vec::new();
        filler
            .row(
                &sheet,
                fields,
                fill::SheetEntry { entry: &entry, stored: &entry.values, certificate: &Json::Null },
                &cx,
                &mut filled,
            )
            .expect("JSON");
        let mut cells = today.as_ref().map_or_else(Vec::new, |it| field.kind.sheet_cells(it, &cx));
        cells.resize(width, Cell::Blank);
        assert_eq!(filled[filled.len() - width..], cells, "{}: {stored}", row.name);

        let serial = 9 - i64::try_from(nth).expect("small");
        report.add(serial, &entry.values, &cx).expect("JSON");
        if let Some(today) = &today {
            tally.add(serial, today, &cx);
        }
    }
    assert_eq!(report.to_json(&cx)["fields"][0], tally.result(&cx), "{}: {stored:?}", row.name);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn walks_over_many_entries_come_to_what_kinds_say(
        changes in [change(), change()], odd in [leaf(), leaf()],
        start in any::<prop::sample::Index>(),
    ) {
        for (row, definition, write) in SAMPLES.iter().cycle().skip(start.index(SAMPLES.len())).take(3) {
            let stored = stored_pair(definition, write, &changes, &odd);
            if stored.iter().all(|stored| !is_blank(stored)) {
                walks_agree(row, definition, [&stored[0], &stored[1]]);
            }
        }
    }

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
            for (op, opposite) in OPPOSITES {
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
    fn a_filter_holds_where_all_its_conditions_do_and_none_of_their_opposites(
        wanted in any_json(), numbers in any::<[usize; 2]>(), keyword in "[^\\x00]{0,3}",
        start in any::<prop::sample::Index>(),
    ) {
        let cx = Cx::of_a_test(false);
        // A few of them each time: all would take too long.
        for (row, definition, write) in SAMPLES.iter().cycle().skip(start.index(SAMPLES.len())).take(5) {
            let fields = &definition.fields;
            let stored = field(definition).kind.parse(write.clone(), &cx, &mut Issues::new());
            let mut values = Values::new();
            values.insert("field_1".to_owned(), stored);
            let read = |conditions: &Json, keyword: Option<&str>| {
                let mut at = Issues::new();
                let filter = Filter::read(conditions, keyword, fields, &cx, &mut at);
                let faults = at.into_list();
                let stand_there = faults.iter().all(|it| it.attribute.starts_with("filters"));
                assert!(stand_there, "{faults:?}");
                faults.is_empty().then_some(filter)
            };
            let holds = |filter: &Filter, values: &Values| {
                // The fields that the filter names are enough.
                let codes = filter.codes(fields);
                let text = stored::text(values);
                let picked = stored::pick(&text, &codes).expect("an object");
                let entry = entry();
                let holds = filter.holds(fields, &entry, values, &cx);
                assert_eq!(filter.holds(fields, &entry, &picked, &cx), holds, "{}", row.name);
                holds
            };
            let names = names(definition);
            let both: Vec<Json> = numbers
                .iter()
                .map(|n| {
                    let op = Op::ALL[n / names.len() % Op::ALL.len()];
                    json!({"field": names[n % names.len()], "operator": op.name(), "value": wanted})
                })
                .collect();
            for values in [&values, &Values::new()] {
                let each: Vec<Option<bool>> = both
                    .iter()
                    .map(|one| Some(holds(&read(&json!([one]), None)?, values)))
                    .collect();
                for (one, is) in both.iter().zip(&each) {
                    let opposite = OPPOSITES.iter().find(|(op, _)| one["operator"] == op.name());
                    let Some((_, opposite)) = opposite else { continue };
                    let mut other = one.clone();
                    other["operator"] = json!(opposite.name());
                    let other = read(&json!([other]), None);
                    if let (Some(is), Some(other)) = (is, other) {
                        prop_assert_ne!(*is, holds(&other, values), "{}: {}", row.name, one);
                    }
                }
                for pair in [[&both[0], &both[1]], [&both[1], &both[0]]] {
                    let all = read(&json!(pair), Some(&keyword));
                    if let ([Some(a), Some(b)], Some(all)) = (&each[..], all) {
                        let word = read(&Json::Null, Some(&keyword)).expect("a keyword");
                        let expected = *a && *b && holds(&word, values);
                        prop_assert_eq!(holds(&all, values), expected, "{}", row.name);
                    }
                }
            }
        }
    }

    #[test]
    fn any_conditions_are_read_or_refused_where_they_stand(conditions in any_json(), keyword in ".{0,5}") {
        let cx = Cx::of_a_test(false);
        for (_, definition, _) in SAMPLES.iter().take(3) {
            let mut at = Issues::new();
            let filter = Filter::read(&conditions, Some(&keyword), &definition.fields, &cx, &mut at);
            let is_list = conditions.is_null() || conditions.as_array().is_some_and(Vec::is_empty);
            prop_assert_eq!(at.into_list().iter().all(|issue| issue.attribute == "keyword"), is_list);
            filter.holds(&definition.fields, &entry(), &Values::new(), &cx);
        }
    }

    #[test]
    fn of_one_cell_a_condition_says_what_it_says_of_cells(
        wanted in any_json(), start in any::<prop::sample::Index>(),
    ) {
        let cx = Cx::of_a_test(false);
        for (row, definition, write) in SAMPLES.iter().cycle().skip(start.index(SAMPLES.len())).take(10) {
            let kind = &field(definition).kind;
            let stored = kind.parse(write.clone(), &cx, &mut Issues::new());
            for op in kind.operators() {
                let Ok(cond) = kind.condition(*op, &wanted, &cx) else { continue };
                for keys in [kind.keys(&stored, &cx), Vec::new()] {
                    let is = cond.holds(&keys);
                    prop_assert_eq!(holds_in_cells(&cond, &[keys]), is, "{}: {:?}", row.name, cond);
                }
                // No cell is equivalent to an empty one.
                prop_assert_eq!(holds_in_cells(&cond, &[]), cond.holds(&[]), "{}: {:?}", row.name, cond);
            }
        }
    }
}

proptest! {
    // Each case draws all kinds, twice.
    #![proptest_config(ProptestConfig { cases: 500, ..cases() })]

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
            let posted = part.map_or(Json::Null, |part| field.kind.form_value(part, &Cx::of_a_test(true)));
            is_settled(row, field, &posted);
            for value in [&posted, &prefilled] {
                let drawn = field.kind.input(&InputCx {
                    name: "field_1",
                    label: "",
                    value,
                    posted: Some(&tree),
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
