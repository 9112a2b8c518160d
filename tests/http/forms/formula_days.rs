//! Formulas with `TODAY()`: it is the day of the reading in the form's timezone, wherever an entry is read.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use support::steps::{bulk, set};
use support::store::{count, database};
use support::{Caller, Form, Response, Server, field, formsvc, text};

use crate::forms::rules::{rule, when};

fn formula(expression: &str, result: &str) -> Value {
    field("formula", json!({"expression": expression, "result_type": result}))
}

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
    i64::from(span.expect("a span").get_days())
}

/// Runs a check in which the day does not change: one that fails over midnight is run once more.
fn within_a_day(check: impl Fn() + std::panic::RefUnwindSafe) {
    let before = today("UTC");
    let first = std::panic::catch_unwind(&check);
    if first.is_err() && today("UTC") == before {
        std::panic::resume_unwind(first.expect_err("it failed"));
    }
    if first.is_err() {
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

/// What the service stored of such an entry on 29 February 2024.
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
    /// What the respondent got.
    sent: Value,
}

impl Case {
    fn new() -> Self {
        let server = Server::alone("its data dir is looked at");
        let owner = server.user();
        let form = owner.form_with(json!({"name": "x", "timezone": "UTC", "fields": fields()}));
        let options = json!({"allow_edit_after_submission": true});
        let message = json!({"mode": "show_message", "show_message": {"style": "text",
            "text": {"title": "Thanks", "description": "It is {{field_5}}, {{field_6}}."}}});
        let settings = json!({"submission_options": options, "after_submission": message});
        set(&owner, &form, settings);
        let values = json!({"field_values": {"field_1": 7, "field_4": "2024-02-01"}});
        let sent = server.anon().post(form.submissions(), values);
        assert_eq!(sent.status, 201, "{sent}");
        let case = Self { sent: sent.data(), server, owner, form };
        assert_eq!(age(&case.server, STORED), 1);
        case
    }

    fn matching(&self, field: &str, operator: &str, value: Value) -> usize {
        let filters = json!([{"field": field, "operator": operator, "value": value}]);
        found(&self.owner, &self.form, json!({"filters": filters}))
    }
}

/// How many entries a query finds.
fn found(owner: &Caller, form: &Form, query: Value) -> usize {
    let listed = owner.post(form.query(), query);
    assert_eq!(listed.status, 200, "{listed}");
    let total = listed.json()["pagination"]["total"].as_u64();
    usize::try_from(total.expect("a number")).expect("few")
}

/// That an entry shows what is true today.
fn is_of_today(entry: &Value) {
    let due = format!("due {}", tomorrow());
    let shown = ["field_1", "field_2", "field_3", "field_4", "field_5", "field_6"].map(|code| &entry[code]);
    let expected = [json!(7), json!(tomorrow()), json!(days()), json!("2024-02-01"), json!(due), json!("late")];
    assert_eq!(shown, expected.each_ref(), "{entry}");
}

#[test]
fn every_read_shows_what_is_true_today() {
    within_a_day(|| {
        let Case { server, owner, form, sent } = Case::new();
        is_of_today(&sent["entry"]);
        is_of_today(&owner.get(form.entry(1)).data());
        is_of_today(&owner.get(form.entries()).data()[0]);
        is_of_today(&owner.post(form.query(), json!({"keyword": "late"})).data()[0]);
        // Its respondent, over the API and on the page of thanks.
        let token = sent["entry"]["token"].as_str().expect("a token");
        let right = sent["edit_token"].as_str().expect("a right");
        let own = server.anon().header("x-edit-token", right);
        is_of_today(&own.get(format!("/api/v1/f/{}/entries/{token}", form.token)).data());
        let page = form.page() + &format!("/entries/{token}?edit_token={right}");
        let page = server.anon().get(page);
        assert!(page.text.contains(&format!("due {}", tomorrow())), "{page}");
        // Nobody edited it.
        let entry = owner.get(form.entry(1)).data();
        assert_eq!(entry["updated_at"], "2024-02-29T12:00:00.000Z");
        // The trash, and out of it.
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        is_of_today(&owner.get(form.trash()).data()[0]);
        let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
        is_of_today(&restored.data());
        // An edit of something else.
        let edited = owner.patch(form.entry(1), json!({"field_values": {"field_1": 8}}));
        assert_eq!(edited.data()["field_3"], days(), "{edited}");
    });
}

#[test]
fn receipts_show_what_is_true_today() {
    within_a_day(|| {
        let case = Case::new();
        let anon = case.server.anon();
        let sent = anon.post_form(case.form.page(), &[("field_4", "2024-02-01")]);
        assert_eq!(sent.status, 303, "{sent}");
        assert_eq!(age(&case.server, STORED), 2);
        let page = anon.get(sent.header("location"));
        let message = format!("It is due {}, late.", tomorrow());
        assert!(page.text.contains(&message), "{page}");
        assert!(!page.text.contains("2024-03-01"), "{page}");
    });
}

#[test]
fn exports_and_reports_show_what_is_true_today() {
    within_a_day(|| {
        let case = Case::new();
        let (owner, form) = (&case.owner, &case.form);
        let export = |format: &str| {
            let answer = owner.get(format!("{}/export?format={format}", form.entries()));
            assert_eq!(answer.status, 200, "{answer}");
            answer
        };
        is_of_today(&export("json").json()[0]);
        let csv = export("csv").text;
        for part in [tomorrow(), days().to_string(), format!("due {}", tomorrow())] {
            assert!(csv.contains(&part), "{part}: {csv}");
        }
        assert!(!csv.contains("2024-03") && !csv.contains("early"), "{csv}");
        let book = std::io::Cursor::new(export("xlsx").bytes);
        let mut book: calamine::Xlsx<_> = calamine::Reader::new(book).expect("a workbook");
        let sheet = calamine::Reader::worksheet_range_at(&mut book, 0).expect("a sheet");
        let rows: Vec<Vec<String>> =
            sheet.expect("rows").rows().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let row = rows.last().expect("a row");
        assert!(row.contains(&tomorrow()), "{row:?}");
        assert!(row.contains(&days().to_string()), "{row:?}");
        assert!(row.contains(&"late".to_owned()), "{row:?}");
        let report = owner.get(format!("{}/entries/report", form.path())).data();
        assert_eq!(report["fields"][2]["max"], days(), "{report}");
        assert!(report["fields"][1].to_string().contains(&tomorrow()), "{report}");
        assert!(report["fields"][5].to_string().contains("late"), "{report}");
    });
}

#[test]
fn conditions_and_keywords_are_decided_by_todays_value() {
    within_a_day(|| {
        let case = Case::new();
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
            let found = case.matching(field, operator, value.clone());
            assert_eq!(found, expected, "{field} {operator} {value}");
        }
        for (keyword, expected) in [("late", 1), ("early", 0), ("due 2024", 0)] {
            let found = found(&case.owner, &case.form, json!({"keyword": keyword}));
            assert_eq!(found, expected, "{keyword}");
        }
        // An export and a report of what matches, and the trash.
        let filters = |value: &str| {
            let one = json!([{"field": "field_6", "operator": "eq", "value": value}]);
            url::form_urlencoded::Serializer::new(String::new()).append_pair("filters", &one.to_string()).finish()
        };
        let (owner, form) = (&case.owner, &case.form);
        for (value, expected) in [("late", 1), ("early", 0)] {
            let query = filters(value);
            let json = owner.get(format!("{}/export?format=json&{query}", form.entries()));
            assert_eq!(json.json().as_array().map(Vec::len), Some(expected));
            let report = owner.get(format!("{}/entries/report?{query}", form.path()));
            assert_eq!(report.data()["total"], expected, "{report}");
        }
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        for (value, expected) in [("late", 1), ("early", 0)] {
            let listed = owner.get(format!("{}?{}", form.trash(), filters(value)));
            assert_eq!(listed.json()["pagination"]["total"], expected, "{listed}");
        }
    });
}

#[test]
fn many_entries_are_searched_by_todays_values_sealed_or_not() {
    within_a_day(|| {
        let server = Server::alone("its jobs run now");
        let owner = server.user();
        let form = owner.form_with(json!({"name": "x", "timezone": "UTC", "fields": fields()}));
        // As if those before were gone for good, so that one block is full soon: by those that come after the others
        // are changed behind the service's back.
        let near = "UPDATE form_counters SET next_serial = 3000 WHERE next_serial = 1";
        assert_eq!(database(&server.dir).execute(near, []).expect("SQL"), 1);
        let values = |i: i64| json!({"field_1": i, "field_4": "2024-02-01"});
        bulk(&owner, &form, &(0..900).map(values).collect::<Vec<_>>());
        assert_eq!(age(&server, STORED), 900);
        let numbered = "UPDATE entries SET \"values\" = json_set(\"values\", '$.\"1\"', (id & 4294967295) - 3000)";
        database(&server.dir).execute(numbered, []).expect("SQL");
        bulk(&owner, &form, &(900..1200).map(values).collect::<Vec<_>>());
        for job in ["", "sealing", "resealing"] {
            if !job.is_empty() {
                let done = formsvc(&server.dir, &["jobs", "run-once", job], "");
                assert!(done.status.success(), "{}", text(&done.stderr));
                assert!(count(&server.dir, "SELECT count(*) FROM segments") > 0);
            }
            let all = |conditions: &[(&str, &str, Value)]| {
                let filters: Vec<Value> =
                    conditions.iter().map(|(field, op, value)| when(field, op, value.clone())).collect();
                found(&owner, &form, json!({ "filters": filters }))
            };
            assert_eq!(all(&[("field_3", "gt", json!(30))]), 1200, "{job}");
            assert_eq!(all(&[("field_6", "eq", json!("early"))]), 0, "{job}");
            let some = [("field_1", "lt", json!(10)), ("field_2", "eq", json!(tomorrow()))];
            assert_eq!(all(&some), 10, "{job}");
            assert_eq!(found(&owner, &form, json!({"keyword": "LATE"})), 1200);
            assert_eq!(found(&owner, &form, json!({"keyword": "early"})), 0);
        }
        let doctor = server.run(&["doctor"]);
        assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
    });
}

#[test]
fn the_day_is_that_of_the_forms_timezone() {
    // At no time do these two have the same day.
    let (west, east) = ("Pacific/Pago_Pago", "Pacific/Kiritimati");
    let owner = Server::shared().user();
    let day = json!([formula("TODAY()", "date")]);
    let form = owner.form_with(json!({"name": "x", "timezone": west, "fields": day}));
    let made = owner.post(form.entries(), json!({"field_values": {}}));
    let serial = made.data()["serial_number"].as_i64().expect("a number");
    let shown = |zone: &str| {
        let (before, entry) = (today(zone), owner.get(form.entry(serial)).data());
        let days = [before.to_string(), today(zone).to_string()];
        let shown = entry["field_1"].as_str().expect("a day").to_owned();
        assert!(days.contains(&shown), "{shown} in {zone}");
        shown
    };
    let first = shown(west);
    let changed = owner.patch(form.path(), json!({"timezone": east}));
    assert_eq!(changed.status, 200, "{changed}");
    assert!(shown(east) > first);
    let settings = json!({"timezone": west});
    set(&owner, &form, settings);
    assert!(shown(west) < today(east).to_string());
}

fn tag(answer: &Response) -> String {
    answer.header("etag").to_owned()
}

#[test]
fn a_tag_is_of_one_day() {
    let (west, east) = ("Pacific/Pago_Pago", "Pacific/Kiritimati");
    let owner = Server::shared().user();
    for (expression, differs) in [("TODAY()", true), ("\"2026-11-20\"", false)] {
        let own = json!([formula(expression, "date")]);
        let form = owner.form_with(json!({"name": "x", "timezone": west, "fields": own}));
        owner.post(form.entries(), json!({"field_values": {}}));
        let first = owner.get(form.entry(1));
        let same = |tag: &str| owner.header("if-none-match", tag).get(form.entry(1)).status;
        let changed = owner.patch(form.path(), json!({"timezone": east}));
        assert_eq!(changed.status, 200, "{changed}");
        let expected = if differs { 200 } else { 304 };
        assert_eq!(same(&tag(&first)), expected, "{expression}");
        let now = tag(&owner.get(form.entry(1)));
        assert_eq!(now != tag(&first), differs, "{expression}");
        let body = || json!({"field_values": {}});
        let late = owner.header("if-match", &tag(&first)).patch(form.entry(1), body());
        assert_eq!(late.status, if differs { 412 } else { 200 }, "{late}");
        let now = tag(&owner.get(form.entry(1)));
        let done = owner.header("if-match", &now).patch(form.entry(1), body());
        assert_eq!(done.status, 200, "{done}");
    }
}

#[test]
fn rules_hide_formulas_by_what_is_true_today() {
    within_a_day(|| {
        let server = Server::alone("its database is changed");
        let owner = server.user();
        let form = owner.form_with(json!({"name": "x", "timezone": "UTC", "fields": [
            field("date", json!({})),
            formula("DATE_DIFF(field_1, TODAY(), \"day\")", "number"),
            field("number", json!({})),
            formula("field_3 * 2", "number"),
            formula("CONCAT(\"pay \", field_3)", "text"),
            formula("field_2 + 1", "number"),
        ]}));
        let late = json!([when("field_2", "gt", json!(30))]);
        let rules = json!({"rules": [
            rule("show", "and", late.clone(), json!(["field_5"])),
            rule("hide", "and", late.clone(), json!(["field_3", "field_6"])),
        ]});
        let done = owner.put(format!("{}/field_rules", form.path()), rules);
        assert_eq!(done.status, 200, "{done}");
        let values = json!({"field_values": {"field_1": "2024-02-01", "field_3": 5}});
        assert_eq!(owner.post(form.entries(), values).status, 201);
        assert_eq!(age(&server, r#"{"1":"2024-02-01","2":28,"3":5,"4":10,"6":29}"#), 1);
        let entry = owner.get(form.entry(1)).data();
        // What was answered stays as it is stored, though it is hidden and nothing is computed from it.
        let shown = ["field_2", "field_3", "field_4", "field_5", "field_6"].map(|code| &entry[code]);
        let expected = [json!(days()), json!(5), json!(null), json!("pay "), json!(null)];
        assert_eq!(shown, expected.each_ref(), "{entry}");
        for (code, operator, expected) in
            [("field_4", "null", 1), ("field_4", "not_null", 0), ("field_5", "not_null", 1), ("field_6", "null", 1)]
        {
            let filters = json!([{"field": code, "operator": operator}]);
            let found = found(&owner, &form, json!({ "filters": filters }));
            assert_eq!(found, expected, "{code} {operator}");
        }
    });
}

#[test]
fn linked_entries_show_what_is_true_today() {
    within_a_day(|| {
        let Case { server, owner, form: people, sent } = Case::new();
        set(&owner, &people, json!({"browse_linked_entries": true}));
        let token = sent["entry"]["token"].as_str().expect("a token");
        let shown = ["field_2", "field_3", "field_6"];
        let shown = shown.map(|code| json!({"api_code": code, "public": true}));
        let own = json!({"form_token": people.token, "search_fields": ["field_6"], "display_fields": shown});
        // One form reads dates as the linked form does, one does not.
        for timezone in ["UTC", "Asia/Shanghai"] {
            let form = owner
                .form_with(json!({"name": "x", "timezone": timezone, "fields": [field("linked_form", own.clone())]}));
            let made = owner.post(form.entries(), json!({"field_values": {"field_1": token}}));
            let expected = json!({"field_2": tomorrow(), "field_3": days(), "field_6": "late"});
            for entry in [made.data(), owner.get(form.entry(1)).data()] {
                assert_eq!(entry["field_1"]["display_fields"], expected, "{entry}");
            }
            let filled: Vec<Value> = vec![json!({}); 100];
            for (count, filled) in [(1, &filled[..0]), (101, &filled[..])] {
                // As if those between were gone for good, so that one block is full soon.
                let near = "UPDATE form_counters SET next_serial = 4050 WHERE next_serial = 2";
                database(&server.dir).execute(near, []).expect("SQL");
                bulk(&owner, &form, filled);
                let done = formsvc(&server.dir, &["jobs", "run-once", "sealing"], "");
                assert!(done.status.success(), "{}", text(&done.stderr));
                for (code, operator, value, found_here) in [
                    ("field_3", "gt", json!(30), 1),
                    ("field_3", "lte", json!(30), 0),
                    ("field_2", "eq", json!(tomorrow()), 1),
                    ("field_6", "eq", json!("early"), 0),
                ] {
                    let code = format!("field_1_associated_{code}");
                    let filters = json!([{"field": code, "operator": operator, "value": value}]);
                    let found = found(&owner, &form, json!({ "filters": filters }));
                    assert_eq!(found, found_here, "{code} {operator} of {count}");
                }
            }
            let options = |keyword: &str| {
                let path = format!("/api/v1/f/{}/associated_entry_options", form.token);
                let listed = server.anon().get(format!("{path}?field=field_1&keyword={keyword}"));
                assert_eq!(listed.status, 200, "{listed}");
                listed.data()
            };
            assert_eq!(options("late")[0]["label"], "late");
            assert_eq!(options("")[0]["display_fields"], expected);
            assert_eq!(options("early"), json!([]));
        }
    });
}
