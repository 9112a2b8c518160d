//! The report on the entries of a form, question by question (contract section 4).

use serde_json::{Value, json};
use support::steps::add;
use support::{Caller, Form, Server, field};

fn report(owner: &Caller, form: &Form) -> Value {
    let told = owner.get(format!("{}/entries/report", form.path()));
    assert_eq!(told.status, 200, "{told}");
    told.data()
}

/// The report on a form's only question with these answers.
fn of(kind: &str, own: Value, answers: &[Value]) -> Value {
    let owner = Server::shared().user();
    let form = owner.form(json!([field(kind, own)]));
    for answer in answers {
        add(&owner, &form, json!({"field_1": answer}));
    }
    let mut told = report(&owner, &form);
    assert_eq!(told["total"], answers.len());
    let mut told = told["fields"][0].take();
    let head = ["api_code", "type", "label"].map(|key| told[key].take());
    assert_eq!(head, [json!("field_1"), json!(kind), json!(kind)]);
    let own = told.as_object_mut().expect("an object");
    for key in ["api_code", "type", "label"] {
        own.shift_remove(key);
    }
    told
}

fn choices() -> Value {
    json!([
        {"api_code": "a", "label": "Tea"},
        {"api_code": "b", "label": "Milk", "allow_extended_text": true},
        {"api_code": "o", "label": "Other", "is_other": true},
        {"api_code": "h", "label": "Gin", "hidden": true},
    ])
}

fn counted(counts: [u64; 4]) -> Value {
    json!([
        {"api_code": "a", "label": "Tea", "count": counts[0]},
        {"api_code": "b", "label": "Milk", "count": counts[1]},
        {"api_code": "o", "label": "Other", "count": counts[2]},
        {"api_code": "h", "label": "Gin", "count": counts[3]},
    ])
}

#[test]
fn a_form_without_entries_has_a_report() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("number", json!({})),
        field("page_break", json!({})),
        field("radio", json!({"choices": choices()})),
        field("short_text", json!({})),
        field("nps", json!({})),
        field("date", json!({})),
        field("signature", json!({})),
        field("description", json!({"content": "x"})),
    ]));
    let points: Vec<Value> = (0..=10).map(|n| json!({"value": n, "count": 0})).collect();
    let numbers = json!({"min": null, "max": null, "mean": null, "sum": 0, "histogram": []});
    let head = |code: &str, kind: &str| json!({"api_code": code, "type": kind, "label": kind, "answered": 0});
    let with = |mut head: Value, own: Value| {
        for (key, value) in own.as_object().expect("an object") {
            head[key] = value.clone();
        }
        head
    };
    let nps = with(with(head("field_5", "nps"), numbers.clone()), json!({"distribution": points, "nps_score": null}));
    assert_eq!(
        report(&owner, &form),
        json!({
            "total": 0,
            "fields": [
                with(head("field_1", "number"), numbers),
                with(head("field_3", "radio"), json!({"choices": counted([0; 4]), "other_texts": [], "extended_texts": []})),
                with(head("field_4", "short_text"), json!({"newest": []})),
                nps,
                with(head("field_6", "date"), json!({"min": null, "max": null, "per": "day", "dates": []})),
                head("field_7", "signature"),
            ],
        })
    );
}

#[test]
fn choices_are_counted_and_what_was_typed_is_listed() {
    let other = json!({"value": "o", "other_text": "Water"});
    let more = json!({"value": "b", "extended_text": "warm"});
    let answers = [json!("a"), other.clone(), json!("a"), more.clone(), json!("h"), json!(null)];
    let own = || json!({"choices": choices()});
    let typed = |serial: i64, text: &str| json!([{"serial_number": serial, "value": text}]);
    let wanted = json!({
        "answered": 5,
        "choices": counted([2, 1, 1, 1]),
        "other_texts": typed(2, "Water"),
        "extended_texts": typed(4, "warm"),
    });
    assert_eq!(of("radio", own(), &answers), wanted);
    let several = [json!(["a", other]), json!([]), json!(["a", more, "h"])];
    let wanted = json!({
        "answered": 2,
        "choices": counted([2, 1, 1, 1]),
        "other_texts": typed(1, "Water"),
        "extended_texts": typed(3, "warm"),
    });
    assert_eq!(of("checkbox", own(), &several), wanted);
    let plain = json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]});
    let wanted = json!({
        "answered": 2,
        "choices": [{"api_code": "a", "label": "A", "count": 0}, {"api_code": "b", "label": "B", "count": 2}],
        "other_texts": [],
        "extended_texts": [],
    });
    for kind in ["dropdown", "image_radio"] {
        assert_eq!(of(kind, plain.clone(), &[json!("b"), json!("b")]), wanted, "{kind}");
    }
    assert_eq!(of("image_checkbox", plain, &[json!(["b"]), json!(["b"])]), wanted);
}

#[test]
fn cascades_are_counted_on_every_level() {
    let tree = json!({"choices": [
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy"}, {"api_code": "fr", "label": "France"}]},
        {"api_code": "as", "label": "Asia"},
    ]});
    let italy = json!({"level_1": "eu", "level_2": "it"});
    let answers = [italy.clone(), italy, json!({"level_1": "as"}), json!(null)];
    let node = |code: &str, label: &str, level: u64, count: u64| json!({"api_code": code, "label": label, "level": level, "count": count});
    assert_eq!(
        of("cascade", tree, &answers),
        json!({"answered": 3, "choices": [
            node("eu", "Europe", 1, 2),
            node("it", "Italy", 2, 2),
            node("fr", "France", 2, 0),
            node("as", "Asia", 1, 1),
        ]})
    );
}

#[test]
fn numbers_have_their_ends_a_mean_an_exact_sum_and_steps() {
    let answers = [json!(0.1), json!(0.2), json!(null), json!(-3), json!(12.5)];
    assert_eq!(
        of("number", json!({}), &answers),
        json!({
            "answered": 4,
            "min": -3,
            "max": 12.5,
            "mean": 2.45,
            "sum": 9.8,
            "histogram": [
                {"from": -4, "to": -2, "count": 1},
                {"from": -2, "to": 0, "count": 0},
                {"from": 0, "to": 2, "count": 2},
                {"from": 2, "to": 4, "count": 0},
                {"from": 4, "to": 6, "count": 0},
                {"from": 6, "to": 8, "count": 0},
                {"from": 8, "to": 10, "count": 0},
                {"from": 10, "to": 12, "count": 0},
                {"from": 12, "to": 14, "count": 1},
            ],
        })
    );
    // A tenth is a tenth, however often.
    let told = of("number", json!({}), &vec![json!(0.1); 10]);
    assert_eq!((&told["sum"], &told["mean"]), (&json!(1), &json!(0.1)));
    assert_eq!(told["histogram"], json!([{"from": 0.1, "to": 0.1, "count": 10}]));
    let told = of("number", json!({}), &[json!(1e300), json!(-1e300), json!(5e-9)]);
    assert_eq!(told["answered"], 3);
    let counts = told["histogram"].as_array().expect("steps").iter();
    assert_eq!(counts.map(|step| step["count"].as_u64().expect("a count")).sum::<u64>(), 3);
    let told = of("number", json!({}), &[json!(1.7e308), json!(1.7e308)]);
    assert_eq!((&told["sum"], &told["mean"], &told["max"]), (&json!(null), &json!(null), &json!(1.7e308)));
    // A formula's values count as values of its result type.
    let owner = Server::shared().user();
    let formula =
        |expression: &str, result: &str| field("formula", json!({"expression": expression, "result_type": result}));
    let form = owner.form(json!([
        field("number", json!({})),
        formula("field_1 * 2", "number"),
        formula("CONCAT(\"n\", field_1)", "text"),
        formula("DATE_ADD(\"2026-01-31\", field_1, \"day\")", "date"),
    ]));
    for n in [1, 2] {
        add(&owner, &form, json!({"field_1": n}));
    }
    let told = report(&owner, &form);
    assert_eq!((&told["fields"][1]["answered"], &told["fields"][1]["sum"]), (&json!(2), &json!(6)));
    assert_eq!(told["fields"][2]["newest"][0], json!({"serial_number": 2, "value": "n2"}));
    assert_eq!(
        told["fields"][3]["dates"],
        json!([{"date": "2026-02-01", "count": 1}, {"date": "2026-02-02", "count": 1}])
    );
}

#[test]
fn ratings_and_recommendations_are_counted_by_point() {
    let told = of("rating", json!({}), &[json!(5), json!(2), json!(5)]);
    assert_eq!(
        told,
        json!({
            "answered": 3,
            "min": 2,
            "max": 5,
            "mean": 4,
            "sum": 12,
            "histogram": [
                {"from": 2, "to": 3, "count": 1},
                {"from": 3, "to": 4, "count": 0},
                {"from": 4, "to": 5, "count": 0},
                {"from": 5, "to": 6, "count": 2},
            ],
            "distribution": [
                {"value": 1, "count": 0},
                {"value": 2, "count": 1},
                {"value": 3, "count": 0},
                {"value": 4, "count": 0},
                {"value": 5, "count": 2},
            ],
        })
    );
    for (answers, score) in [
        (vec![10, 9, 8, 7, 6, 0, 10, 9], json!(25)),
        (vec![10], json!(100)),
        (vec![0, 6], json!(-100)),
        (vec![7, 8], json!(0)),
    ] {
        let answers: Vec<Value> = answers.into_iter().map(Value::from).collect();
        let told = of("nps", json!({}), &answers);
        assert_eq!(told["nps_score"], score, "{answers:?}");
        let points = told["distribution"].as_array().expect("points");
        assert_eq!(points.len(), 11);
        let counted: u64 = points.iter().map(|point| point["count"].as_u64().expect("a count")).sum();
        assert_eq!(counted, answers.len() as u64);
    }
}

#[test]
fn texts_show_the_ten_newest() {
    for kind in ["short_text", "long_text", "name"] {
        let answers: Vec<Value> = (1..=12).map(|n| json!(format!("text {n}"))).collect();
        let told = of(kind, json!({}), &answers);
        assert_eq!(told["answered"], 12);
        let newest: Vec<Value> =
            (3..=12).rev().map(|n| json!({"serial_number": n, "value": format!("text {n}")})).collect();
        assert_eq!(told["newest"], json!(newest), "{kind}");
    }
    let one = |kind: &str, value: Value, text: &str| {
        assert_eq!(
            of(kind, json!({}), &[json!(null), value]),
            json!({"answered": 1, "newest": [{"serial_number": 2, "value": text}]}),
            "{kind}"
        );
    };
    one("email", json!("ada@example.com"), "ada@example.com");
    one("url", json!("https://example.com"), "https://example.com");
    one("phone", json!({"country_id": "CN", "number": "13800138000"}), "+86 138 0013 8000");
    one("location", json!({"longitude": 1.5, "latitude": 2, "address": "Here"}), "Here (2, 1.5)");
    let long = "é".repeat(1001);
    let told = of("long_text", json!({}), &[json!(long)]);
    let shown = format!("{}…", "é".repeat(1000));
    assert_eq!(told["newest"][0]["value"], json!(shown));
}

#[test]
fn dates_are_counted_by_day_or_month_and_times_by_hour() {
    let day = |date: &str| json!(date);
    assert_eq!(
        of("date", json!({}), &[day("2026-11-20"), day("2026-03-01"), day("2026-11-20")]),
        json!({
            "answered": 3,
            "min": "2026-03-01",
            "max": "2026-11-20",
            "per": "day",
            "dates": [{"date": "2026-03-01", "count": 1}, {"date": "2026-11-20", "count": 2}],
        })
    );
    let minutes = [day("2026-11-20 08:00"), day("2026-11-20 23:59")];
    let told = of("date", json!({"precision": "minute"}), &minutes);
    assert_eq!(told["dates"], json!([{"date": "2026-11-20", "count": 2}]));
    assert_eq!((&told["min"], &told["max"]), (&minutes[0], &minutes[1]));
    let told = of("date", json!({"precision": "month"}), &[day("2026-11"), day("2026-11")]);
    assert_eq!((&told["per"], &told["dates"]), (&json!("month"), &json!([{"date": "2026-11", "count": 2}])));
    let at = |hour: i64| json!({"hour": hour, "minute": 30});
    let told = of("time", json!({}), &[at(9), at(23), at(9)]);
    let hours: Vec<Value> =
        (0..24).map(|hour| json!({"hour": hour, "count": match hour { 9 => 2, 23 => 1, _ => 0 }})).collect();
    assert_eq!(told, json!({"answered": 3, "hours": hours}));
}

#[test]
fn rankings_show_each_choice_with_its_ranks() {
    let three = json!({"choices": [
        {"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}, {"api_code": "c", "label": "C"}]});
    let answers = [json!({"a": 1, "b": 2, "c": 3}), json!({"b": 1, "a": 2}), json!({"b": 1})];
    let ranks = |counts: [u64; 3]| -> Value {
        (1..).zip(counts).map(|(rank, count)| json!({"rank": rank, "count": count})).collect()
    };
    assert_eq!(
        of("ranking", three, &answers),
        json!({"answered": 3, "choices": [
            {"api_code": "a", "label": "A", "count": 2, "mean": 1.5, "ranks": ranks([1, 1, 0])},
            {"api_code": "b", "label": "B", "count": 3, "mean": 1.3333333333333333, "ranks": ranks([2, 1, 0])},
            {"api_code": "c", "label": "C", "count": 1, "mean": 3, "ranks": ranks([0, 0, 1])},
        ]})
    );
    let none = of("ranking", json!({"choices": [{"api_code": "a", "label": "A"}]}), &[]);
    assert_eq!(
        none["choices"],
        json!([{"api_code": "a", "label": "A", "count": 0, "mean": null, "ranks": [{"rank": 1, "count": 0}]}])
    );
}

fn two_statements() -> Value {
    json!([{"api_code": "s", "label": "Speed"}, {"api_code": "t", "label": "Taste"}])
}

#[test]
fn grids_are_told_by_statement() {
    let likert = json!({
        "statements": two_statements(),
        "choices": [{"api_code": "a", "label": "Good"}, {"api_code": "b", "label": "Bad"}],
        "multiple": true,
    });
    let row = |code: &str, label: &str, answered: u64, good: u64, bad: u64| {
        json!({"api_code": code, "label": label, "answered": answered, "choices": [
            {"api_code": "a", "label": "Good", "count": good}, {"api_code": "b", "label": "Bad", "count": bad}]})
    };
    assert_eq!(
        of("likert", likert, &[json!({"s": ["a", "b"], "t": ["b"]}), json!({"s": ["a"], "t": []}), json!({})]),
        json!({"answered": 2, "statements": [row("s", "Speed", 2, 2, 1), row("t", "Taste", 1, 0, 1)]})
    );
    let rating = json!({
        "statements": two_statements(),
        "dimensions": [{"api_code": "d", "label": "Now"}, {"api_code": "e", "label": "Then"}],
        "rating_max": 2,
    });
    let told = of("matrix_rating", rating, &[json!({"s": {"d": 1, "e": 2}}), json!({"s": {"d": 2}, "t": {"e": 2}})]);
    assert_eq!(told["answered"], 2);
    assert_eq!(
        told["statements"][0]["dimensions"][0],
        json!({
            "api_code": "d", "label": "Now", "answered": 2, "min": 1, "max": 2, "mean": 1.5, "sum": 3,
            "histogram": [{"from": 1, "to": 2, "count": 1}, {"from": 2, "to": 3, "count": 1}],
            "distribution": [{"value": 1, "count": 1}, {"value": 2, "count": 1}],
        })
    );
    assert_eq!(told["statements"][1]["answered"], 1);
    assert_eq!(told["statements"][1]["dimensions"][0]["answered"], 0);
    assert_eq!(told["statements"][1]["dimensions"][1]["mean"], 2);
    let columns = || json!([{"type": "number", "label": "Guests"}, {"type": "short_text", "label": "Notes"}]);
    let matrix = json!({"statements": two_statements(), "dimensions": columns()});
    let answers =
        [json!({"s": {"field_1": 2, "field_2": "late"}, "t": {"field_1": 0.5}}), json!({"s": {"field_1": 4}})];
    let told = of("matrix", matrix, &answers);
    assert_eq!(told["answered"], 2);
    let speed = &told["statements"][0];
    assert_eq!((&speed["api_code"], &speed["label"], &speed["answered"]), (&json!("s"), &json!("Speed"), &json!(2)));
    assert_eq!(
        speed["dimensions"][1],
        json!({"api_code": "field_2", "type": "short_text", "label": "Notes", "answered": 1, "newest": [{"serial_number": 1, "value": "late"}]})
    );
    assert_eq!((&speed["dimensions"][0]["type"], &speed["dimensions"][0]["sum"]), (&json!("number"), &json!(6)));
    assert_eq!(told["statements"][1]["dimensions"][0]["sum"], 0.5);
    assert_eq!(told["statements"][1]["dimensions"][1]["answered"], 0);
    let table = json!({"dimensions": columns()});
    let rows =
        [json!([{"field_1": 1, "field_2": "x"}, {"field_1": 2}, {"field_2": "y"}]), json!([]), json!([{"field_1": 3}])];
    let told = of("table", table, &rows);
    assert_eq!((&told["answered"], &told["rows"]), (&json!(2), &json!(4)));
    let numbers = &told["dimensions"][0];
    assert_eq!((&numbers["answered"], &numbers["sum"], &numbers["mean"]), (&json!(3), &json!(6), &json!(2)));
    assert_eq!(
        told["dimensions"][1]["newest"],
        json!([{"serial_number": 1, "value": "x"}, {"serial_number": 1, "value": "y"}])
    );
}

#[test]
fn goods_bookings_and_addresses() {
    let goods = json!({"goods_items": [
        {"api_code": "tea", "name": "Tea", "price": 0.1},
        {"api_code": "cake", "name": "Cake", "price": "12.30", "dimensions": [
            {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "S"}, {"api_code": "l", "name": "L"}]}]},
        {"api_code": "gin", "name": "Gin", "price": 20},
    ]});
    let cake = |size: &str, number: u64| json!({"api_code": "cake", "number": number, "specification": {"size": size}});
    let answers = [
        json!([{"api_code": "tea", "number": 3}, cake("s", 1), cake("l", 2)]),
        json!([{"api_code": "tea", "number": 4}]),
        json!([]),
    ];
    assert_eq!(
        of("product", goods, &answers),
        json!({
            "answered": 2,
            "goods_items": [
                {"api_code": "tea", "name": "Tea", "count": 2, "number": 7},
                {"api_code": "cake", "name": "Cake", "count": 1, "number": 3},
                {"api_code": "gin", "name": "Gin", "count": 0, "number": 0},
            ],
            "total_price": 37.6,
        })
    );
    let days: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect();
    let weekly = json!({"kind": "weekly", "weekly_quotas": days});
    let rooms = json!({"reservation_items": [
        {"api_code": "room", "name": "Room", "quota_setting": weekly},
        {"api_code": "hall", "name": "Hall", "quota_setting": weekly},
    ], "allow_multiple_items": true, "allow_multiple_number": true});
    let on = |day: &str, number: u64| json!({"api_code": "room", "scheduled_at": day, "number": number});
    let answers = [json!([on("2030-01-01", 2), on("2030-01-02", 1)]), json!([on("2030-01-01", 5)])];
    assert_eq!(
        of("booking", rooms, &answers),
        json!({"answered": 2, "reservation_items": [
            {"api_code": "room", "name": "Room", "count": 2, "number": 8},
            {"api_code": "hall", "name": "Hall", "count": 0, "number": 0},
        ]})
    );
    let in_country = |country: &str| json!({"city": "X", "country": country});
    let answers = [in_country("CN"), in_country("DE"), in_country("CN"), json!({"city": "nowhere"})];
    assert_eq!(
        of("address", json!({}), &answers),
        json!({"answered": 4, "countries": [
            {"country": "CN", "label": "China", "count": 2},
            {"country": "DE", "label": "Germany", "count": 1},
        ]})
    );
}

#[test]
fn a_link_counts_while_it_leads_somewhere() {
    let owner = Server::shared().user();
    let people = owner.form(json!([field("name", json!({}))]));
    let tokens: Vec<Value> = ["Ada", "Grace"]
        .into_iter()
        .map(|name| {
            let made = owner.post(people.entries(), json!({"field_values": {"field_1": name}}));
            made.data()["token"].clone()
        })
        .collect();
    let link = json!({"form_token": people.token, "search_fields": ["field_1"], "display_fields": []});
    let form = owner.form(json!([field("linked_form", link)]));
    for token in [&tokens[0], &tokens[1], &json!(null)] {
        add(&owner, &form, json!({"field_1": token}));
    }
    let told = || report(&owner, &form)["fields"][0].clone();
    assert_eq!(told()["answered"], 2);
    assert_eq!(told()["newest"][0], json!({"serial_number": 2, "value": "Grace"}));
    owner.delete(people.entry(2));
    assert_eq!(told()["answered"], 1);
    assert_eq!(told()["newest"], json!([{"serial_number": 1, "value": "Ada"}]));
}

#[test]
fn values_count_as_they_are_read_today() {
    let owner = Server::shared().user();
    let of_choices =
        |codes: &[&str]| -> Value { codes.iter().map(|code| json!({"api_code": code, "label": code})).collect() };
    let form = owner.form(json!([
        field("radio", json!({"choices": of_choices(&["a", "b"])})),
        field("number", json!({})),
        field("short_text", json!({"hidden": true})),
    ]));
    add(&owner, &form, json!({"field_1": "a", "field_2": 1.5, "field_3": "seen"}));
    add(&owner, &form, json!({"field_1": "b", "field_2": 2}));
    add(&owner, &form, json!({"field_1": "b"}));
    let change = |fields: Value| {
        let body = json!({"fields": fields, "confirm_data_loss": true});
        let changed = owner.patch(form.path(), body);
        assert_eq!(changed.status, 200, "{changed}");
    };
    let hidden = field("short_text", json!({"api_code": "field_3", "hidden": true}));
    change(json!([
        field("checkbox", json!({"api_code": "field_1", "choices": of_choices(&["a", "b"])})),
        field("short_text", json!({"api_code": "field_2"})),
        hidden,
    ]));
    add(&owner, &form, json!({"field_1": ["a", "b"], "field_2": "text"}));
    let told = report(&owner, &form);
    assert_eq!(told["fields"][0]["type"], "checkbox");
    assert_eq!(
        told["fields"][0]["choices"],
        json!([{"api_code": "a", "label": "a", "count": 2}, {"api_code": "b", "label": "b", "count": 3}])
    );
    assert_eq!(
        told["fields"][1],
        json!({"api_code": "field_2", "type": "short_text", "label": "short_text", "answered": 3, "newest": [
            {"serial_number": 4, "value": "text"},
            {"serial_number": 2, "value": "2"},
            {"serial_number": 1, "value": "1.5"},
        ]})
    );
    // Hidden from respondents, not from readers of entries.
    assert_eq!(told["fields"][2]["newest"], json!([{"serial_number": 1, "value": "seen"}]));
    // A choice that is gone is no answer, nor is a field that is.
    change(json!([
        field("checkbox", json!({"api_code": "field_1", "choices": of_choices(&["a", "c"])})),
        field("short_text", json!({"api_code": "field_2"})),
    ]));
    let told = report(&owner, &form);
    assert_eq!(told["fields"].as_array().map(Vec::len), Some(2));
    assert_eq!(told["fields"][0]["answered"], 2);
    assert_eq!(
        told["fields"][0]["choices"],
        json!([{"api_code": "a", "label": "a", "count": 2}, {"api_code": "c", "label": "c", "count": 0}])
    );
    // Entries in the trash are not counted; restored ones are.
    owner.delete(form.entry(4));
    assert_eq!(report(&owner, &form)["fields"][0]["answered"], 1);
    let back = format!("{}/restore", form.trashed(4));
    owner.send("POST", &back, None, b"");
    assert_eq!(report(&owner, &form)["fields"][0]["answered"], 2);
}

#[test]
fn it_is_about_the_entries_that_are_asked_for() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("number", json!({})), field("short_text", json!({}))]));
    // Enough that pieces begin and end among skipped entries.
    let entries: Vec<Value> = (1..=900)
        .map(|n| json!({"field_values": {"field_1": n, "field_2": if n % 2 == 0 { "even" } else { "odd" }}}))
        .collect();
    let path = format!("{}/entries/bulk", form.path());
    assert_eq!(owner.post(path, json!({"entries": entries})).status, 201);
    let ask = |filters: Value, keyword: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("filters", &filters.to_string())
            .append_pair("keyword", keyword)
            .finish();
        owner.get(format!("{}/entries/report?{query}", form.path()))
    };
    let of = |filters: Value, keyword: &str| {
        let told = ask(filters, keyword).data();
        let numbers = &told["fields"][0];
        let pick = |value: &Value| value.as_i64().unwrap_or(-1);
        [&told["total"], &numbers["answered"], &numbers["min"], &numbers["max"], &numbers["sum"]].map(pick)
    };
    let above = |n: i64| json!({"field": "field_1", "operator": "gt", "value": n});
    let below = |n: i64| json!({"field": "field_1", "operator": "lt", "value": n});
    assert_eq!(of(json!([]), ""), [900, 900, 1, 900, 405_450]);
    assert_eq!(of(json!([above(898)]), ""), [2, 2, 899, 900, 1799]);
    assert_eq!(of(json!([below(3)]), ""), [2, 2, 1, 2, 3]);
    assert_eq!(of(json!([]), "EVEN"), [450, 450, 2, 900, 202_950]);
    assert_eq!(of(json!([above(10), below(701)]), "odd"), [345, 345, 11, 699, 122_475]);
    assert_eq!(of(json!([above(900)]), ""), [0, 0, -1, -1, 0]);
    let serial = json!({"field": "serial_number", "operator": "any_in", "value": [1, 450, 900]});
    assert_eq!(of(json!([serial]), ""), [3, 3, 1, 900, 1351]);
    let refused = ask(
        json!([{"field": "field_9", "operator": "eq", "value": 1}, {"field": "field_1", "operator": "like", "value": "1"}]),
        "",
    );
    assert_eq!(
        (refused.status, refused.attributes()),
        (422, vec!["filters[0].field".to_owned(), "filters[1].operator".to_owned()])
    );
    let garbled = owner.get(format!("{}/entries/report?filters=[", form.path()));
    assert_eq!(garbled.status, 400, "{garbled}");
}

#[test]
fn it_is_for_those_who_read_entries() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let path = format!("{}/entries/report", form.path());
    assert_eq!(server.token(&owner.email, "entry:read").get(&path).status, 200);
    assert_eq!(server.token(&owner.email, "entry:write").get(&path).status, 403);
    assert_eq!(server.anon().get(&path).status, 401);
    assert_eq!(server.user().get(&path).to_string(), r#"404 {"error":"Form not found"}"#);
}

#[test]
fn many_entries_are_counted_in_pieces() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("number", json!({})), field("short_text", json!({}))]));
    let entries: Vec<Value> = (1..=1000)
        .map(|n| json!({"field_values": {"field_1": f64::from(n) / 10.0, "field_2": format!("text {n}")}}))
        .collect();
    for _ in 0..2 {
        let path = format!("{}/entries/bulk", form.path());
        assert_eq!(owner.post(path, json!({"entries": entries})).status, 201);
    }
    let told = report(&owner, &form);
    assert_eq!(told["total"], 2000);
    let numbers = &told["fields"][0];
    assert_eq!(
        (&numbers["answered"], &numbers["sum"], &numbers["mean"]),
        (&json!(2000), &json!(100_100), &json!(50.05))
    );
    let steps = numbers["histogram"].as_array().expect("steps");
    let counted: u64 = steps.iter().map(|step| step["count"].as_u64().expect("a count")).sum();
    assert_eq!((counted, steps.len()), (2000, 6));
    assert_eq!(told["fields"][1]["answered"], 2000);
    assert_eq!(told["fields"][1]["newest"][9], json!({"serial_number": 1991, "value": "text 991"}));
}
