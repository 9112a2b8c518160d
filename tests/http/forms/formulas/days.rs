//! Formulas with `TODAY()`: it is the day of the reading in the form's timezone, wherever an entry is read.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use support::steps::{add, bulk, set};
use support::store::{count, database};
use support::world::World;
use support::{Caller, Form, Server, field, until};

use crate::forms::{alone, entry, formula, has, is_healthy, next_serial, run_jobs, set_rules, when};

/// The day in a timezone.
fn today(zone: &str) -> Date {
    let zone = jiff::tz::TimeZone::get(zone).expect("a timezone");
    Timestamp::now().to_zoned(zone).date()
}

fn tomorrow() -> String {
    let next = today("UTC").checked_add(1.day());
    next.expect("a day").to_string()
}

/// Days since the first of February 2024.
fn days() -> i64 {
    let first: Date = "2024-02-01".parse().expect("a day");
    let span = first.until((jiff::Unit::Day, today("UTC")));
    span.expect("a span").get_days().into()
}

/// Runs a check in which the day does not change: one that fails over midnight is run once more.
fn within_a_day(check: impl Fn() + std::panic::RefUnwindSafe) {
    let before = today("UTC");
    if let Err(failure) = std::panic::catch_unwind(&check) {
        if today("UTC") == before {
            std::panic::resume_unwind(failure);
        }
        check();
    }
}

fn fields() -> Value {
    json!([
        field("number", json!({})),
        formula("DATE_ADD(TODAY(), 1, \"day\")", "date"),
        formula("DATE_DIFF(field_4, TODAY(), \"day\")", "number"),
        field("date", json!({})),
        formula("CONCAT(\"due \", field_2)", "text"),
        formula("IF(field_3 > 30, \"late\", \"early\")", "text"),
    ])
}

/// The values stored by the service for such an entry on 29 February 2024.
const STORED: &str = r#"{"1":7,"2":"2024-03-01","3":28,"4":"2024-02-01","5":"due 2024-03-01","6":"early"}"#;
/// 2024-02-29T12:00:00Z
const SAVED: i64 = 1_709_208_000_000;

/// Makes all entries of a data dir as old as that.
fn age(server: &Server, stored: &str) -> usize {
    let sql = "UPDATE entries SET created_at = ?1, updated_at = ?1, \"values\" = ?2";
    let done = database(&server.dir).execute(sql, (SAVED, stored));
    done.expect("SQL")
}

/// A form in UTC with an entry that was saved on 29 February 2024.
struct Case {
    server: Server,
    owner: Caller,
    form: Form,
    /// The entry as the respondent got it.
    sent: Value,
}

impl Case {
    fn new() -> Self {
        let (server, owner, form) = alone("its database is changed", fields());
        let text = json!({"title": "Thanks", "description": "It is {{field_5}}, {{field_6}}."});
        let message = json!({"mode": "show_message", "show_message": {"style": "text", "text": text}});
        let options = json!({"allow_edit_after_submission": true});
        set(&owner, &form, json!({"submission_options": options, "after_submission": message}));
        let values = json!({"field_values": {"field_1": 7, "field_4": "2024-02-01"}});
        let sent = server.anon().post(form.submissions(), values).is(201).data();
        assert_eq!(age(&server, STORED), 1);
        Self { server, owner, form, sent }
    }
}

/// How many entries a query finds.
fn found(owner: &Caller, form: &Form, query: Value) -> u64 {
    let listed = owner.post(form.query(), query).is(200);
    listed.json()["pagination"]["total"].as_u64().expect("a number")
}

/// How many entries match one condition.
fn matching(owner: &Caller, form: &Form, field: &str, operator: &str, value: impl Into<Value>) -> u64 {
    found(owner, form, json!({"filters": [when(field, operator, value)]}))
}

/// Asserts that an entry shows today's values.
#[track_caller]
fn is_of_today(entry: &Value) {
    has(
        entry,
        json!({
            "field_1": 7, "field_2": tomorrow(), "field_3": days(), "field_4": "2024-02-01",
            "field_5": format!("due {}", tomorrow()), "field_6": "late",
        }),
    );
}

#[test]
fn every_read_shows_what_is_true_today() {
    within_a_day(|| {
        let Case { server, owner, form, sent } = Case::new();
        is_of_today(&sent["entry"]);
        is_of_today(&entry(&owner, &form, 1));
        is_of_today(&owner.get(form.entries()).data()[0]);
        is_of_today(&owner.post(form.query(), json!({"keyword": "late"})).data()[0]);
        // Its respondent, over the API and on the page of thanks.
        let token = sent["entry"]["token"].as_str().expect("a token");
        let right = sent["edit_token"].as_str().expect("a right");
        let own = server.anon().header("x-edit-token", right);
        is_of_today(&own.get(format!("{}/{token}", form.submissions())).data());
        let page = server.anon().get(format!("{}/entries/{token}?edit_token={right}", form.page()));
        assert!(page.text.contains(&format!("due {}", tomorrow())), "{page}");
        // Nobody edited it.
        assert_eq!(entry(&owner, &form, 1)["updated_at"], "2024-02-29T12:00:00.000Z");
        // The trash, and out of it.
        owner.delete(form.entry(1)).is(200);
        is_of_today(&owner.get(form.trash()).data()[0]);
        is_of_today(&owner.post(format!("{}/restore", form.trashed(1)), json!({})).data());
        // An edit of something else.
        let edited = owner.patch(form.entry(1), json!({"field_values": {"field_1": 8}}));
        assert_eq!(edited.data()["field_3"], days(), "{edited}");
    });
}

#[test]
fn receipts_show_what_is_true_today() {
    within_a_day(|| {
        let Case { server, form, .. } = Case::new();
        let sent = server.anon().post_form(form.page(), &[("field_4", "2024-02-01")]).is(303);
        assert_eq!(age(&server, STORED), 2);
        let page = server.anon().get(sent.header("location"));
        assert!(page.text.contains(&format!("It is due {}, late.", tomorrow())), "{page}");
        assert!(!page.text.contains("2024-03-01"), "{page}");
    });
}

#[test]
fn exports_and_reports_show_what_is_true_today() {
    within_a_day(|| {
        let Case { server: _server, owner, form, .. } = Case::new();
        let export = |format: &str| owner.get(format!("{}/export?format={format}", form.entries())).is(200);
        is_of_today(&export("json").json()[0]);
        let csv = export("csv").text;
        for part in [tomorrow(), days().to_string(), format!("due {}", tomorrow())] {
            assert!(csv.contains(&part), "{part}: {csv}");
        }
        assert!(!csv.contains("2024-03") && !csv.contains("early"), "{csv}");
        let rows = support::sheets::xlsx(&export("xlsx"));
        let row = rows.last().expect("a row");
        for part in [tomorrow(), days().to_string(), "late".to_owned()] {
            assert!(row.contains(&part), "{part}: {row:?}");
        }
        let report = owner.get(form.part("entries/report")).data();
        assert_eq!(report["fields"][2]["max"], days(), "{report}");
        assert!(report["fields"][1].to_string().contains(&tomorrow()), "{report}");
        assert!(report["fields"][5].to_string().contains("late"), "{report}");
    });
}

#[test]
fn conditions_and_keywords_are_decided_by_todays_value() {
    within_a_day(|| {
        let Case { server: _server, owner, form, .. } = Case::new();
        for (field, operator, value, expected) in [
            ("field_2", "eq", json!(tomorrow()), 1),
            ("field_2", "eq", json!("2024-03-01"), 0),
            ("field_3", "gt", json!(30), 1),
            ("field_3", "lte", json!(30), 0),
            ("field_3", "not_null", json!(null), 1),
            ("field_5", "like", json!(format!("due {}", tomorrow())), 1),
            ("field_5", "like", json!("2024-03"), 0),
            ("field_6", "eq", json!("late"), 1),
            ("field_6", "eq", json!("early"), 0),
        ] {
            let found = matching(&owner, &form, field, operator, value.clone());
            assert_eq!(found, expected, "{field} {operator} {value}");
        }
        for (keyword, expected) in [("late", 1), ("early", 0), ("due 2024", 0)] {
            assert_eq!(found(&owner, &form, json!({ "keyword": keyword })), expected, "{keyword}");
        }
        // An export and a report of the matches, and the trash.
        let filters = |value: &str| {
            let one = json!([when("field_6", "eq", value)]).to_string();
            url::form_urlencoded::Serializer::new(String::new()).append_pair("filters", &one).finish()
        };
        for (value, expected) in [("late", 1), ("early", 0)] {
            let query = filters(value);
            let exported = owner.get(format!("{}/export?format=json&{query}", form.entries()));
            assert_eq!(exported.json().as_array().map(Vec::len), Some(expected), "{exported}");
            let report = owner.get(format!("{}?{query}", form.part("entries/report")));
            assert_eq!(report.data()["total"], expected, "{report}");
        }
        owner.delete(form.entry(1)).is(200);
        for (value, expected) in [("late", 1), ("early", 0)] {
            let listed = owner.get(format!("{}?{}", form.trash(), filters(value)));
            assert_eq!(listed.json()["pagination"]["total"], expected, "{listed}");
        }
    });
}

#[test]
fn many_entries_are_searched_by_todays_values_sealed_or_not() {
    within_a_day(|| {
        let (server, owner, form) = alone("its database is changed", fields());
        // The block gets full by entries that come after the others are changed behind the service's back.
        next_serial(&server, &form, 3000);
        let values = |i: i64| json!({"field_1": i, "field_4": "2024-02-01"});
        bulk(&owner, &form, &(0..900).map(values).collect::<Vec<_>>());
        assert_eq!(age(&server, STORED), 900);
        let numbered = "UPDATE entries SET \"values\" = json_set(\"values\", '$.\"1\"', (id & 4294967295) - 3000)";
        database(&server.dir).execute(numbered, []).expect("SQL");
        bulk(&owner, &form, &(900..1200).map(values).collect::<Vec<_>>());
        for jobs in [&[][..], &["sealing"], &["resealing"]] {
            // The service may be building the same block, and then does it alone.
            until("the block has segments", || {
                run_jobs(&server, jobs);
                jobs.is_empty() || count(&server.dir, "SELECT count(*) FROM segments") > 0
            });
            for (query, expected) in [
                (json!({"filters": [when("field_3", "gt", 30)]}), 1200),
                (json!({"filters": [when("field_6", "eq", "early")]}), 0),
                (json!({"filters": [when("field_1", "lt", 10), when("field_2", "eq", tomorrow())]}), 10),
                (json!({"keyword": "LATE"}), 1200),
                (json!({"keyword": "early"}), 0),
            ] {
                assert_eq!(found(&owner, &form, query.clone()), expected, "{query} after {jobs:?}");
            }
        }
        is_healthy(&server);
    });
}

/// Two timezones that at no time have the same day.
const WEST: &str = "Pacific/Pago_Pago";
const EAST: &str = "Pacific/Kiritimati";

/// A form in the west of one formula, and its one entry.
fn western(expression: &str) -> World {
    let body = json!({"name": "x", "timezone": WEST, "fields": [formula(expression, "date")]});
    World::of(body).entries([json!({})])
}

#[test]
fn day_is_that_of_the_forms_timezone() {
    let World { owner, form, .. } = western("TODAY()");
    let shown = |zone: &str| {
        let (before, entry) = (today(zone), entry(&owner, &form, 1));
        let days = [before.to_string(), today(zone).to_string()];
        let shown = entry["field_1"].as_str().expect("a day").to_owned();
        assert!(days.contains(&shown), "{shown} in {zone}");
        shown
    };
    let first = shown(WEST);
    owner.patch(form.path(), json!({"timezone": EAST})).is(200);
    assert!(shown(EAST) > first);
    set(&owner, &form, json!({"timezone": WEST}));
    assert!(shown(WEST) < today(EAST).to_string());
}

#[test]
fn tag_is_of_one_day() {
    for (expression, is_other, read, written) in [("TODAY()", true, 200, 412), ("\"2026-11-20\"", false, 304, 200)] {
        let World { owner, form, .. } = western(expression);
        let tag = || owner.get(form.entry(1)).header("etag").to_owned();
        let first = tag();
        owner.patch(form.path(), json!({"timezone": EAST})).is(200);
        let again = owner.header("if-none-match", &first).get(form.entry(1));
        assert_eq!((again.status, tag() != first), (read, is_other), "{expression}: {again}");
        let write = |tag: &str| owner.header("if-match", tag).patch(form.entry(1), json!({"field_values": {}}));
        write(&first).is(written);
        write(&tag()).is(200);
    }
}

#[test]
fn rules_hide_formulas_by_what_is_true_today() {
    within_a_day(|| {
        let fields = json!([
            field("date", json!({})),
            formula("DATE_DIFF(field_1, TODAY(), \"day\")", "number"),
            field("number", json!({})),
            formula("field_3 * 2", "number"),
            formula("CONCAT(\"pay \", field_3)", "text"),
            formula("field_2 + 1", "number"),
        ]);
        let (server, owner, form) = alone("its database is changed", fields);
        set_rules(&owner, &form, &["show 5: 2 gt 30", "hide 3 6: 2 gt 30"]);
        add(&owner, &form, json!({"field_1": "2024-02-01", "field_3": 5}));
        assert_eq!(age(&server, r#"{"1":"2024-02-01","2":28,"3":5,"4":10,"6":29}"#), 1);
        // The answer stays as it is stored, though it is hidden and nothing is computed from it.
        let shown = json!({"field_2": days(), "field_3": 5, "field_4": null, "field_5": "pay ", "field_6": null});
        has(&entry(&owner, &form, 1), shown);
        for (code, operator, expected) in
            [("field_4", "null", 1), ("field_4", "not_null", 0), ("field_5", "not_null", 1), ("field_6", "null", 1)]
        {
            let found = found(&owner, &form, json!({"filters": [{"field": code, "operator": operator}]}));
            assert_eq!(found, expected, "{code} {operator}");
        }
    });
}

#[test]
fn linked_entries_show_what_is_true_today() {
    within_a_day(|| {
        let Case { server, owner, form: people, sent } = Case::new();
        set(&owner, &people, json!({"browse_linked_entries": true}));
        let shown = ["field_2", "field_3", "field_6"].map(|code| json!({"api_code": code, "public": true}));
        let own = json!({"form_token": people.token, "search_fields": ["field_6"], "display_fields": shown});
        // One form reads dates as the linked form does, one does not.
        for timezone in ["UTC", "Asia/Shanghai"] {
            let fields = [field("linked_form", own.clone())];
            let form = owner.form_with(json!({"name": "x", "timezone": timezone, "fields": fields}));
            let made = owner.post(form.entries(), json!({"field_values": {"field_1": sent["entry"]["token"]}}));
            let expected = json!({"field_2": tomorrow(), "field_3": days(), "field_6": "late"});
            for entry in [made.data(), entry(&owner, &form, 1)] {
                assert_eq!(entry["field_1"]["display_fields"], expected, "{entry}");
            }
            next_serial(&server, &form, 4050);
            for more in [0, 100] {
                bulk(&owner, &form, &vec![json!({}); more]);
                run_jobs(&server, &["sealing"]);
                for (code, operator, value, expected) in [
                    ("field_3", "gt", json!(30), 1),
                    ("field_3", "lte", json!(30), 0),
                    ("field_2", "eq", json!(tomorrow()), 1),
                    ("field_6", "eq", json!("early"), 0),
                ] {
                    let found = matching(&owner, &form, &format!("field_1_associated_{code}"), operator, value);
                    assert_eq!(found, expected, "{code} {operator} with {more} more in {timezone}");
                }
            }
            let options = |keyword: &str| {
                let path = format!("{}/associated_entry_options", form.published());
                server.anon().get(format!("{path}?field=field_1&keyword={keyword}")).is(200).data()
            };
            assert_eq!(options("late")[0]["label"], "late");
            assert_eq!(options("")[0]["display_fields"], expected);
            assert_eq!(options("early"), json!([]));
        }
    });
}
