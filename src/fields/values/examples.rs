//! Examples of answers: for pages that show what becomes of them, and for a preview that is filled in with them.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::display::dates::local_now;
use crate::fields::kind::{Calendar, Cx, Places};
use crate::fields::values::is_blank;

/// Days in which a free place is looked for.
const DAYS: i64 = 62;
/// The most items that are tried.
const MOST_ITEMS: usize = 20;

/// An answer as it would be stored; `None` if it is none or wrong.
pub fn stored(field: &Field, raw: Json, cx: &Cx) -> Option<Json> {
    let mut faults = Issues::new();
    let stored = (!raw.is_null()).then(|| field.kind.parse(raw, cx, &mut faults))?;
    (faults.is_empty() && !is_blank(&stored)).then_some(stored)
}

/// An example of an answer as it is stored; `None` for a question that takes none, and for files.
pub fn answer(field: &Field, cx: &Cx) -> Option<Json> {
    stored(field, written(field, cx)?, cx)
}

/// The same in the write shape: whole, as a required question asks for it.
pub fn written(field: &Field, cx: &Cx) -> Option<Json> {
    if !field.kind.is_written() || field.kind.has_files() {
        return None;
    }
    candidates(field, cx).into_iter().find(|raw| {
        let mut faults = Issues::new();
        let Some(stored) = stored(field, raw.clone(), cx) else {
            return false;
        };
        field.kind.check_whole(&stored, &mut faults);
        faults.is_empty()
    })
}

/// Candidates for an example, the likeliest first: each is parsed before it is taken.
fn candidates(field: &Field, cx: &Cx) -> Vec<Json> {
    let kind = &*field.kind;
    let mut found = kind.examples(cx);
    found.extend(kind.calendar().and_then(|calendar| free_place(calendar, cx)));
    found.extend(filled_grid(field, cx));
    let mut samples: Vec<&str> = field.row.samples.iter().map(|sample| sample.write).collect();
    // Those in the letters of the form's language come first.
    let is_latin = !cx.locale.starts_with("zh");
    samples.sort_by_key(|sample| sample.chars().all(|c| !('\u{4e00}'..='\u{9fff}').contains(&c)) != is_latin);
    found.extend(samples.into_iter().filter_map(|sample| serde_json::from_str(sample).ok()));
    found.extend(by_schema(&kind.write_schema()));
    let items = kind.items();
    let codes = items.iter().map(|item| item.code).filter(|code| !code.contains('.')).take(MOST_ITEMS);
    found.extend(codes.flat_map(|code| [json!(code), json!([code])]));
    found
}

/// A booking of the first place that is not over.
fn free_place(calendar: &dyn Calendar, cx: &Cx) -> Option<Json> {
    let today: Date = local_now(cx).get(..10)?.parse().ok()?;
    let upto = today.checked_add(DAYS.days()).ok()?;
    calendar.bookable().into_iter().find_map(|item| {
        let days = calendar.days(item, today, upto, cx);
        let at = days.into_iter().find_map(|day| match day.places {
            Places::Whole(_) => Some(day.date.to_string()),
            Places::Slots(slots) => {
                let slot = slots.into_iter().find(|slot| !slot.has_begun)?;
                Some(format!("{}T{}", day.date, slot.start_time))
            }
        })?;
        Some(json!([{"api_code": item, "scheduled_at": at, "number": 1}]))
    })
}

/// A row of examples: once, and for each statement.
fn filled_grid(field: &Field, cx: &Cx) -> Vec<Json> {
    let columns = field.kind.sub_fields();
    if columns.is_empty() {
        return Vec::new();
    }
    let cells = columns.iter().filter_map(|column| Some((column.api_code.clone(), written(column, cx)?)));
    let row = Json::Object(cells.collect());
    let statements = field.kind.items().into_iter().filter(|item| item.list == "statements");
    let rows: Map<String, Json> = statements.map(|item| (item.code.to_owned(), row.clone())).collect();
    vec![json!([row]), Json::Object(rows)]
}

/// A value that a schema describes by lists, numbers and members alone; `None` where it takes any text.
fn by_schema(schema: &Json) -> Option<Json> {
    if let Some(first) = schema["enum"].get(0) {
        return Some(first.clone());
    }
    if let Some(ways) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return ways.iter().find_map(by_schema);
    }
    let types = &schema["type"];
    let is = |name: &str| *types == name || types.as_array().is_some_and(|types| types.contains(&json!(name)));
    if let Some(members) = schema["properties"].as_object().filter(|_| is("object")) {
        let members: Option<Map<String, Json>> =
            members.iter().map(|(key, member)| Some((key.clone(), by_schema(member)?))).collect();
        return members.filter(|members| !members.is_empty()).map(Json::Object);
    }
    if is("array") {
        return by_schema(&schema["items"]).map(|item| json!([item]));
    }
    let number = [&schema["minimum"], &schema["maximum"]].into_iter().find(|bound| bound.is_number());
    (is("integer") || is("number")).then(|| number.cloned().unwrap_or_else(|| json!(1)))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::base::clock::Time;
    use crate::fields::definition::Definition;
    use crate::fields::files::links::FilesCx;
    use crate::fields::kinds::KINDS;
    use crate::fields::links::LinkedData;

    fn field(mut definition: Json) -> Definition {
        definition["label"] = json!("A question");
        let mut at = Issues::new();
        let made = Definition::create(json!([definition]), &Cx::of_a_test(false), &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        made
    }

    fn cx(timezone: &TimeZone) -> Cx<'_> {
        Cx {
            timezone,
            locale: "en",
            now: Time::parse("2026-11-20T12:00:00Z").expect("a time"),
            respondent: true,
            found: LinkedData::of_a_test(),
            files: FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        }
    }

    #[test]
    fn each_kind_has_an_example_that_its_settings_allow() {
        let utc = TimeZone::UTC;
        let cx = cx(&utc);
        for row in KINDS {
            for sample in row.samples {
                let mut definition: Json = serde_json::from_str(sample.definition).expect("JSON");
                definition["type"] = json!(row.name);
                let definition = field(definition);
                let field = definition.fields.get("field_1").expect("the field");
                // Files come by pages, and entries of another form are looked up.
                let takes = field.kind.has_value() && field.kind.is_written() && !field.kind.has_files();
                if takes && field.kind.link_rules().is_none() {
                    assert!(written(field, &cx).is_some(), "{} {}", row.name, sample.definition);
                }
            }
        }
    }

    #[test]
    fn an_example_keeps_to_bounds() {
        let utc = TimeZone::UTC;
        let cx = cx(&utc);
        let cases = [
            json!({"type": "number", "min": 18, "max": 99}),
            json!({"type": "number", "max": -5}),
            json!({"type": "date", "min": "today"}),
            json!({"type": "date", "max": "1999-12-31"}),
            json!({"type": "date", "precision": "month", "min": "2030-01"}),
            json!({"type": "short_text", "min_length": 40}),
            json!({"type": "short_text", "max_length": 3}),
            json!({"type": "long_text", "min_length": 200}),
            json!({"type": "email", "allowed_domains": ["club.example"]}),
            json!({"type": "phone", "allowed_countries": ["FR"]}),
            json!({"type": "rating", "rating_max": 3}),
            json!({"type": "address", "required_parts": ["address_line1", "city", "country", "postal_code"]}),
            json!({"type": "radio", "choices": [
                {"api_code": "h", "label": "Hidden", "hidden": true}, {"api_code": "x", "label": "X"}]}),
            json!({"type": "checkbox", "min_selected": 2, "choices": [
                {"api_code": "x", "label": "X"}, {"api_code": "y", "label": "Y"}]}),
            json!({"type": "ranking", "max_ranked": 1, "choices": [
                {"api_code": "x", "label": "X"}, {"api_code": "y", "label": "Y"}]}),
            json!({"type": "product", "goods_items": [{"api_code": "cake", "name": "Cake", "price": 12, "images": [],
                "min_number": 3, "dimensions": [{"api_code": "d", "name": "Size", "options": [
                    {"api_code": "s", "name": "S"}, {"api_code": "l", "name": "L"}]}]}]}),
        ];
        for case in cases {
            let definition = field(case.clone());
            let field = definition.fields.get("field_1").expect("the field");
            assert!(written(field, &cx).is_some(), "{case}");
        }
    }
}
