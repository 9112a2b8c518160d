//! Settings, theme and field rules of a form (spec 2.10, contract section 5).

use std::fs;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

/// A user, and a form of a radio, two lines of text and a number.
fn simple() -> (Caller, Form) {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([
        field("radio", json!({"choices": choices})),
        field("short_text", json!({})),
        field("short_text", json!({})),
        field("number", json!({})),
        field("description", json!({"content": "x"})),
    ]));
    (owner, form)
}

/// The one fault of a refused change.
fn refused(owner: &Caller, path: &str, body: Value) -> String {
    let answer = owner.patch(path, body.clone());
    let faults = answer.faults();
    assert_eq!((answer.status, faults.len()), (422, 1), "{body}: {answer}");
    faults.concat()
}

#[test]
fn settings_have_defaults() {
    let (owner, form) = simple();
    assert_eq!(
        owner.get(form.part("settings")).to_string(),
        concat!(
            r#"200 {"data":{"locale":"en","timezone":"UTC","#,
            r#""after_submission":{"mode":"show_message","show_message":{"style":"text","rich_text":"","text":{"title":"","description":""}},"redirect":{"url":null,"fields":[]},"report":{"score_based_feedbacks":[]},"show_answers":true},"#,
            r#""availability":{"manually_closed":false,"schedule":{"start_at":null,"end_at":null},"entries_limit":null,"show_countdown":false,"show_form_before_open":false},"#,
            r#""access_control":{"access_password":null},"#,
            r#""submission_options":{"show_progress":false,"show_field_number":false,"one_per_respondent":"none","allow_edit_after_submission":false},"#,
            r#""verification_code":{"enabled":false,"length":8},"#,
            r#""certificate":{"enabled":false,"title":"","body":"","min_score":null},"#,
            r#""exam":{"duration_minutes":null,"pass_score":null,"show_score":false,"show_answers":false,"questions":{}},"#,
            r#""pricing":{"currency":"USD","discounts":[]},"capacity":{"hold_minutes":0,"waiting_list":false},"#,
            r#""browse_linked_entries":false,"#,
            r#""notifications":{"receipt":{"enabled":false,"field":null,"subject":null,"message":null},"notice":{"enabled":false,"to":[],"include_values":false}}}}"#
        )
    );
}

#[test]
fn settings_are_merged_and_null_clears() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let whole = json!({
        "locale": "de", "timezone": "Europe/Berlin",
        "after_submission": {
            "mode": "redirect",
            "show_message": {"style": "rich_text", "rich_text": "<b>Thanks</b>", "text": {"title": "T", "description": "D"}},
            "redirect": {"url": "https://example.com/done?a=1", "fields": ["field_2", "field_4"]},
            "report": {"score_based_feedbacks": [{"start_point": 0.0, "end_point": 5.5, "comment": "ok"}]},
            "show_answers": false,
        },
        "availability": {
            "manually_closed": true, "entries_limit": 2, "show_countdown": true, "show_form_before_open": true,
            "schedule": {"start_at": "2026-01-01T00:00:00.000Z", "end_at": "2027-01-01T00:00:00.000Z"},
        },
        "access_control": {"access_password": "sesame"},
        "submission_options": {"show_progress": true, "show_field_number": true, "one_per_respondent": "browser", "allow_edit_after_submission": true},
        "verification_code": {"enabled": true, "length": 6},
        "certificate": {"enabled": true, "title": "C", "body": "for {{field_2}}", "min_score": 1.5},
        "exam": {
            "duration_minutes": 30, "pass_score": 2.0, "show_score": true, "show_answers": true,
            "questions": {"field_1": {"scored": true, "score": 2.0, "partial": "none", "answer": "a"}},
        },
        "pricing": {"currency": "EUR", "discounts": [{"min_total": 10.0, "percent_off": 5.0}, {"min_total": 20.0, "amount_off": 3.0}]},
        "capacity": {"hold_minutes": 15, "waiting_list": true},
        "browse_linked_entries": true,
        "notifications": {
            "receipt": {"enabled": false, "field": null, "subject": "Thanks", "message": "<p>Bye</p>"},
            "notice": {"enabled": true, "to": ["a@example.com"], "include_values": true},
        },
    });
    let set = owner.patch(&path, whole.clone());
    assert_eq!(set.status, 200, "{set}");
    assert_eq!(set.data(), whole);
    assert_eq!(owner.get(&path).data(), whole);
    // A member alone leaves its neighbours.
    let one = owner.patch(&path, json!({"availability": {"manually_closed": false}, "exam": {"pass_score": null}}));
    let mut expected = whole.clone();
    expected["availability"]["manually_closed"] = json!(false);
    expected["exam"]["pass_score"] = json!(null);
    assert_eq!(one.data(), expected);
    // Questions are one value.
    let questions = json!({"field_4": {"scored": true, "score": 1.0, "answer": 7}});
    let set = owner.patch(&path, json!({"exam": {"questions": questions}}));
    assert_eq!(set.data()["exam"]["questions"], questions);
    // Null takes a group back to its defaults.
    let keys = [
        "after_submission",
        "availability",
        "access_control",
        "submission_options",
        "verification_code",
        "certificate",
        "exam",
        "pricing",
        "capacity",
        "browse_linked_entries",
        "notifications",
    ];
    let nulls: Value = keys.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
    let cleared = owner.patch(&path, nulls).data();
    let (_, fresh) = simple();
    let mut defaults = owner.get(owner.form(json!([field("date", json!({}))])).part("settings")).data();
    defaults["locale"] = json!("de");
    defaults["timezone"] = json!("Europe/Berlin");
    assert_eq!(cleared, defaults);
    assert_ne!(fresh.token, form.token);
}

#[test]
fn settings_are_refused_with_paths() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let in_group = |group: &str, key: &str, value: Value| json!({group: {key: value}});
    for (group, key, value, fault) in [
        ("after_submission", "mode", json!("fly"), "mode: must be one of show_message, redirect, report"),
        ("after_submission", "mode", json!("redirect"), "redirect.url: can't be blank"),
        (
            "after_submission",
            "show_message",
            json!({"style": "loud"}),
            "show_message.style: must be one of rich_text, text",
        ),
        (
            "after_submission",
            "show_message",
            json!({"text": {"title": "t".repeat(201)}}),
            "show_message.text.title: is too long (at most 200 characters)",
        ),
        (
            "after_submission",
            "redirect",
            json!({"url": "javascript:alert(1)"}),
            "redirect.url: must be an http or https address",
        ),
        (
            "after_submission",
            "redirect",
            json!({"url": "https://u:p@example.com"}),
            "redirect.url: must be an http or https address",
        ),
        (
            "after_submission",
            "redirect",
            json!({"fields": ["field_2", "field_5"]}),
            "redirect.fields[1]: is not a field of this form",
        ),
        (
            "after_submission",
            "report",
            json!({"score_based_feedbacks": [{"start_point": 2, "end_point": 1}]}),
            "report.score_based_feedbacks[0].end_point: must not be less than start_point",
        ),
        ("availability", "manually_closed", json!("yes"), "manually_closed: must be true or false"),
        ("availability", "entries_limit", json!(1), "entries_limit: must be 2 to 4294967295"),
        ("availability", "entries_limit", json!(2.5), "entries_limit: must be a whole number"),
        (
            "availability",
            "schedule",
            json!({"start_at": "2026-01-01"}),
            "schedule.start_at: must be an RFC 3339 date-time",
        ),
        (
            "availability",
            "schedule",
            json!({"start_at": "2026-01-02T00:00:00Z", "end_at": "2026-01-01T00:00:00Z"}),
            "schedule.end_at: must be after start_at",
        ),
        ("access_control", "access_password", json!(7), "access_password: must be a string"),
        (
            "submission_options",
            "one_per_respondent",
            json!("all"),
            "one_per_respondent: must be one of none, browser, account",
        ),
        ("verification_code", "length", json!(5), "length: must be 6 to 16"),
        ("certificate", "min_score", json!("x"), "min_score: must be a number"),
        ("exam", "duration_minutes", json!(0), "duration_minutes: must be 1 to 10080"),
        ("exam", "questions", json!([]), "questions: must be an object"),
        ("exam", "questions", json!({"field_9": {}}), "questions.field_9: is not a field of this form"),
        ("exam", "questions", json!({"field_5": {}}), "questions.field_5: is not a field of this form"),
        (
            "exam",
            "questions",
            json!({"field_1": {"score": 1, "answer": "z"}}),
            "questions.field_1.answer: is not one of the choices",
        ),
        (
            "exam",
            "questions",
            json!({"field_1": {"scored": false, "partial": "half"}}),
            "questions.field_1.partial: must be one of none, proportional, per_choice",
        ),
        ("pricing", "currency", json!("euro"), "currency: is too long (at most 3 characters)"),
        ("pricing", "currency", json!("eur"), "currency: must be an ISO 4217 code such as EUR"),
        (
            "after_submission",
            "report",
            json!({"score_based_feedbacks": [{"start_point": "x", "end_point": 1}]}),
            "report.score_based_feedbacks[0].start_point: must be a number",
        ),
        (
            "after_submission",
            "report",
            json!({"score_based_feedbacks": [{"start_point": 1}]}),
            "report.score_based_feedbacks[0].end_point: is required",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": "x", "amount_off": 1}]),
            "discounts[0].min_total: must be a number",
        ),
        ("pricing", "discounts", json!([{"amount_off": 1}]), "discounts[0].min_total: is required"),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 1}]),
            "discounts[0].percent_off: must be given, or amount_off, and not both",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 1, "percent_off": 101}]),
            "discounts[0].percent_off: must be 0 to 100",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": -1, "amount_off": 1}]),
            "discounts[0].min_total: must be 0 to 999999999999",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 1e300, "amount_off": 1}]),
            "discounts[0].min_total: must be 0 to 999999999999",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 1, "amount_off": 1e12}]),
            "discounts[0].amount_off: must be 0 to 999999999999",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 1, "percent_off": 1e-30}]),
            "discounts[0].percent_off: may have at most 4 decimals",
        ),
        (
            "pricing",
            "discounts",
            json!([{"min_total": 0.00001, "percent_off": 100}]),
            "discounts[0].min_total: may have at most 4 decimals",
        ),
        (
            "exam",
            "questions",
            json!({"field_1": {"scored": true, "answer": "a"}}),
            "questions.field_1.score: is required",
        ),
        (
            "exam",
            "questions",
            json!({"field_1": {"score": 1, "answer": null}}),
            "questions.field_1.answer: is required",
        ),
    ] {
        assert_eq!(refused(&owner, &path, in_group(group, key, value)), format!("{group}.{fault}"));
    }
    assert_eq!(
        refused(&owner, &path, json!({"timezone": "x"})),
        "timezone: must be an IANA time zone such as Europe/Berlin"
    );
    assert_eq!(refused(&owner, &path, json!({"exam": 7})), "exam: must be an object");
    assert_eq!(
        refused(&owner, &path, json!({"browse_linked_entries": 1})),
        "browse_linked_entries: must be true or false"
    );
    // The ends of a schedule may come one after the other, and are judged together.
    assert_eq!(
        owner.patch(&path, json!({"availability": {"schedule": {"start_at": "2026-01-02T00:00:00Z"}}})).status,
        200
    );
    assert_eq!(
        refused(&owner, &path, json!({"availability": {"schedule": {"end_at": "2026-01-01T00:00:00Z"}}})),
        "availability.schedule.end_at: must be after start_at"
    );
    let both = owner.patch(&path, json!({"verification_code": {"length": 99, "enabled": "x"}, "locale": "?"}));
    assert_eq!(both.attributes(), ["locale", "verification_code.enabled", "verification_code.length"]);
    assert_eq!(owner.get(&path).data()["verification_code"], json!({"enabled": false, "length": 8}));
}

#[test]
fn a_forms_language_and_time_zone_stand_in_both_places() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let tags = || [&form.path(), &path].map(|path| owner.get(path).header("etag").to_owned());
    let first = tags();
    owner.patch(form.path(), json!({"timezone": "Asia/Tokyo"}));
    assert_eq!(owner.get(&path).data()["timezone"], "Asia/Tokyo");
    let second = tags();
    assert!(first[0] != second[0] && first[1] != second[1], "{second:?}");
    owner.patch(&path, json!({"locale": "de"}));
    assert_eq!(owner.get(form.path()).data()["locale"], "de");
    let third = tags();
    assert!(second[0] != third[0] && second[1] != third[1], "{third:?}");
    // A name is no setting.
    owner.patch(form.path(), json!({"name": "x"}));
    assert_eq!(tags()[1], third[1]);
}

#[test]
fn a_closed_form_says_so_and_opens_again() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let path = form.part("settings");
    let close = |closed: bool| {
        let body = json!({"availability": {"manually_closed": closed}});
        assert_eq!(owner.patch(&path, body).status, 200);
    };
    let submit = || anon.post(form.submissions(), json!({"field_values": {}}));
    close(true);
    let shown = anon.get(form.published()).data();
    assert_eq!((&shown["status"], &shown["fields"]), (&json!("closed"), &json!([])));
    assert_eq!(submit().to_string(), r#"403 {"error":"This form no longer takes submissions","code":"form_closed"}"#);
    // Its people go on.
    assert_eq!(owner.post(form.entries(), json!({"field_values": {}})).status, 201);
    close(false);
    assert_eq!(anon.get(form.published()).data()["status"], "open");
    assert_eq!(submit().status, 201);
}

#[test]
fn the_password_is_sealed_at_rest() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let path = form.part("settings");
    let secret = "open-sesame-4711";
    let set = owner.patch(&path, json!({"access_control": {"access_password": secret}}));
    assert_eq!(set.data()["access_control"]["access_password"], secret);
    let mut looked_at = 0;
    for file in fs::read_dir(&server.dir).expect("the data dir") {
        let file = file.expect("an entry").path();
        if file.is_file() {
            let bytes = fs::read(&file).expect("bytes");
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{}", file.display());
            looked_at += 1;
        }
    }
    assert!(looked_at >= 2, "the database and its log");
    // Empty and null both take it away.
    for none in [json!(""), json!(null)] {
        owner.patch(&path, json!({"access_control": {"access_password": secret}}));
        assert_eq!(server.anon().get(form.published()).status, 403);
        let set = owner.patch(&path, json!({"access_control": {"access_password": none}}));
        assert_eq!(set.data()["access_control"]["access_password"], json!(null));
        assert_eq!(server.anon().get(form.published()).status, 200);
    }
}

#[test]
fn a_theme_has_colours_and_warns_of_weak_contrast() {
    let (owner, form) = simple();
    let path = form.part("theme");
    assert_eq!(
        owner.get(&path).to_string(),
        r##"200 {"data":{"primary_color":"#2563EB","background_color":"#FFFFFF","text_color":"#111827","font":"system","header":{"type":"none","text":null,"images":[]},"wallpaper":{"color":null,"image":null},"submit_button":{"text":null,"color":null}}}"##
    );
    let set = owner.patch(
        &path,
        json!({
            "primary_color": "#aa0000", "font": "serif", "header": {"type": "text", "text": "Hi"},
            "wallpaper": {"color": "#EEEEEE"}, "submit_button": {"text": "Go", "color": "#003300"},
        }),
    );
    assert_eq!(
        set.to_string(),
        r##"200 {"data":{"primary_color":"#AA0000","background_color":"#FFFFFF","text_color":"#111827","font":"serif","header":{"type":"text","text":"Hi","images":[]},"wallpaper":{"color":"#EEEEEE","image":null},"submit_button":{"text":"Go","color":"#003300"}}}"##
    );
    let weak = owner.patch(&path, json!({"text_color": "#CCCCCC"}));
    assert_eq!(weak.status, 200);
    assert_eq!(
        weak.json()["warnings"],
        json!([{
            "attribute": "text_color",
            "message": "has a contrast of 1.6:1 on background_color; people with low vision need 4.5:1",
        }])
    );
    let cleared = owner.patch(&path, json!({"text_color": null, "submit_button": null, "header": {"text": null}}));
    let theme = cleared.data();
    assert_eq!(theme["text_color"], "#111827");
    assert_eq!(theme["submit_button"], json!({"text": null, "color": null}));
    assert_eq!(theme["header"], json!({"type": "text", "text": null, "images": []}));
    // Respondents get the same colours.
    let shown = Server::shared().anon().get(form.published()).data();
    assert_eq!(shown["theme"], owner.get(&path).data());
    for (body, fault) in [
        (json!({"primary_color": "red"}), "primary_color: must be a colour such as #2563EB"),
        (json!({"text_color": "#12345"}), "text_color: must be a colour such as #2563EB"),
        (json!({"background_color": "#12345g"}), "background_color: must be a colour such as #2563EB"),
        (json!({"text_color": "#111111;}body{display:none"}), "text_color: must be a colour such as #2563EB"),
        (json!({"font": "comic"}), "font: must be one of system, serif, mono"),
        (json!({"header": {"type": "film"}}), "header.type: must be one of none, image, text"),
        (json!({"header": {"images": [{"id": "x"}]}}), "header.images[0].id: is not an image of this organisation"),
        (json!({"wallpaper": {"image": {"upload_id": "x"}}}), "wallpaper.image.upload_id: is not an uploaded file"),
        (json!({"wallpaper": 1}), "wallpaper: must be an object"),
        (json!({"submit_button": {"text": "t".repeat(61)}}), "submit_button.text: is too long (at most 60 characters)"),
    ] {
        assert_eq!(refused(&owner, &path, body), fault);
    }
}

fn rule(items: Value, fields: Value) -> Value {
    json!({"condition": {"operand": "or", "items": items}, "action": "show", "fields": fields})
}

fn eq(field: &str, value: Value) -> Value {
    json!({"field": field, "operator": "eq", "value": value})
}

#[test]
fn rules_are_replaced_as_a_whole() {
    let (owner, form) = simple();
    let path = form.part("field_rules");
    assert_eq!(owner.get(&path).to_string(), r#"200 {"data":{"rules":[]}}"#);
    let rules = json!({"rules": [
        rule(json!([eq("field_1", json!("a")), {"field": "field_2", "operator": "null"}]), json!(["field_3", "field_4"])),
        {"condition": {"operand": "and", "items": [eq("field_2", json!("x"))]}, "action": "require", "fields": ["field_5"]},
    ]});
    let set = owner.put(&path, rules.clone());
    assert_eq!(set.status, 200, "{set}");
    assert_eq!(set.data(), rules);
    assert_eq!(owner.get(&path).data(), rules);
    assert_eq!(Server::shared().anon().get(form.published()).data()["field_rules"], rules["rules"]);
    assert_eq!(owner.put(&path, json!({"rules": []})).data(), json!({"rules": []}));
}

#[test]
fn rules_are_refused_with_paths() {
    let (owner, form) = simple();
    let path = form.part("field_rules");
    let one = |item: Value| rule(json!([item]), json!(["field_3"]));
    for (rule, fault) in [
        (one(eq("field_9", json!("x"))), "condition.items[0].field: is not a field of this form"),
        (
            one(eq("field_3", json!("x"))),
            "condition.items[0].field: must stand before the fields that the rule is about",
        ),
        (one(eq("field_4", json!(1))), "condition.items[0].field: must stand before the fields that the rule is about"),
        (
            one(json!({"field": "field_1", "operator": "gt", "value": 1})),
            "condition.items[0].operator: must be one of eq, ne, any_in, none_in, like, null, not_null",
        ),
        (one(json!({"field": "field_2", "operator": "eq"})), "condition.items[0].value: must be a string"),
        (
            one(json!({"field": "field_2", "operator": "any_in", "value": "x"})),
            "condition.items[0].value: must be a list with at least one value",
        ),
        (
            json!({"condition": {"items": [eq("field_1", json!("a"))]}, "action": "show", "fields": ["field_3"]}),
            "condition.operand: is required",
        ),
        (rule(json!([]), json!(["field_3"])), "condition.items: must have 1 to 100 conditions"),
        (rule(json!([eq("field_1", json!("a"))]), json!([])), "fields: must name at least one field"),
        (
            rule(json!([eq("field_1", json!("a"))]), json!(["field_2", "field_9"])),
            "fields[1]: is not a field of this form",
        ),
        (json!({"action": "show", "fields": ["field_3"]}), "condition: is required"),
        (
            json!({"condition": {"operand": "and", "items": [eq("field_1", json!("a"))]}, "fields": ["field_3"]}),
            "action: is required",
        ),
        (
            json!({"condition": {"operand": "and", "items": [eq("field_1", json!("a"))]}, "action": "explode", "fields": ["field_3"]}),
            "action: must be one of show, hide, require",
        ),
    ] {
        let answer = owner.put(&path, json!({"rules": [rule]}));
        assert_eq!(answer.faults(), [format!("rules[0].{fault}")], "{answer}");
    }
    assert_eq!(owner.put(&path, json!({})).faults(), ["rules: is required"]);
    assert_eq!(owner.put(&path, json!({"rules": {}})).faults(), ["rules: must be a list"]);
    assert_eq!(owner.get(&path).data(), json!({"rules": []}));
}

#[test]
fn a_removed_field_leaves_rules_and_settings() {
    let (owner, form) = simple();
    let set = owner.patch(
        form.part("settings"),
        json!({
            "after_submission": {"redirect": {"fields": ["field_2", "field_4"]}},
            "exam": {"questions": {"field_2": {"scored": false}, "field_4": {"scored": false}}},
        }),
    );
    assert_eq!(set.status, 200, "{set}");
    let kept = rule(json!([eq("field_1", json!("a"))]), json!(["field_3"]));
    let rules = json!({"rules": [
        rule(json!([eq("field_1", json!("a")), eq("field_2", json!("x"))]), json!(["field_3", "field_4"])),
        rule(json!([eq("field_2", json!("x"))]), json!(["field_3"])),
        rule(json!([eq("field_1", json!("a"))]), json!(["field_2"])),
    ]});
    assert_eq!(owner.put(form.part("field_rules"), rules).status, 200);
    let mut list = form.body["fields"].as_array().expect("fields").clone();
    list.retain(|field| !["field_2", "field_4"].contains(&field["api_code"].as_str().unwrap_or_default()));
    assert_eq!(owner.patch(form.path(), json!({"fields": list})).status, 200);
    let settings = owner.get(form.part("settings")).data();
    assert_eq!(settings["after_submission"]["redirect"]["fields"], json!([]));
    assert_eq!(settings["exam"]["questions"], json!({}));
    assert_eq!(owner.get(form.part("field_rules")).data(), json!({"rules": [kept]}));
}

#[test]
fn a_password_may_be_in_any_script() {
    let (owner, form) = simple();
    let set = json!({"access_control": {"access_password": "каша мё\u{0065}\u{0301}"}});
    assert_eq!(owner.patch(form.part("settings"), set).status, 200);
    let anon = Server::shared().anon();
    // Composed or not: keyboards differ.
    for password in ["каша мё\u{e9}", "каша мё\u{0065}\u{0301}"] {
        let right = anon.header("X-Form-Password", password);
        assert_eq!(right.get(form.published()).status, 200, "{password:?}");
        let body = json!({"field_values": {}, "password": password});
        assert_eq!(anon.post(form.submissions(), body).status, 201);
        let page = anon.post_form(form.page(), &[("_action", "open"), ("_password", password)]);
        assert_eq!(page.status, 200, "{page}");
    }
    let wrong = anon.header("X-Form-Password", "каша");
    assert_eq!(wrong.get(form.published()).json()["code"], "password_invalid");
}

#[test]
fn the_answer_to_a_submission_says_where_to_go_on() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    let submit = || {
        let body = json!({"field_values": {"field_1": "a", "field_2": "c&d="}});
        anon.post(form.submissions(), body).data()["after_submission"].clone()
    };
    let unset = owner.get(form.part("settings")).data()["after_submission"].clone();
    assert_eq!(submit(), unset);
    assert_eq!(unset["mode"], "show_message");
    let after = json!({
        "mode": "redirect",
        "redirect": {"url": "https://shop.example/thanks?a=1", "fields": ["field_2", "field_1", "field_4"]},
    });
    let set = owner.patch(form.part("settings"), json!({"after_submission": after.clone()}));
    assert_eq!(set.status, 200, "{set}");
    let mut complete = unset.clone();
    complete["mode"] = json!("redirect");
    complete["redirect"] = after["redirect"].clone();
    complete["redirect"]["url"] = json!("https://shop.example/thanks?a=1&field_2=c%26d%3D&field_1=A");
    assert_eq!(submit(), complete);
    // Before a submission nobody learns it.
    let shown = anon.get(form.published()).data();
    assert_eq!(shown["after_submission"], json!({"mode": "redirect"}));
    // Nor does anybody once the form goes on by a message again.
    let back = json!({"after_submission": {"mode": "show_message"}});
    assert_eq!(owner.patch(form.part("settings"), back).status, 200);
    assert_eq!(submit(), unset);
}

#[test]
fn null_takes_language_and_time_zone_back_to_the_accounts() {
    let (owner, form) = simple();
    let path = form.part("settings");
    let before = owner.get(&path).data();
    let set = json!({"locale": "zh-CN", "timezone": "Asia/Shanghai"});
    assert_eq!(owner.patch(&path, set).data()["timezone"], "Asia/Shanghai");
    let after = owner.patch(&path, json!({"locale": null, "timezone": null})).data();
    assert_eq!((&after["locale"], &after["timezone"]), (&before["locale"], &before["timezone"]));
}

#[test]
fn only_what_there_is_is_a_currency_or_a_time_zone() {
    let (owner, form) = simple();
    let path = form.part("settings");
    for code in ["XXZ", "eur", "EURO", ""] {
        let body = json!({"pricing": {"currency": code}});
        assert!(refused(&owner, &path, body).starts_with("pricing.currency: "));
    }
    let euro = json!({"pricing": {"currency": "EUR"}});
    assert_eq!(owner.patch(&path, euro).status, 200);
    for zone in ["localtime", "posixrules", "right/Europe/Berlin", "Mars/Base"] {
        let fault = refused(&owner, &path, json!({"timezone": zone}));
        assert!(fault.starts_with("timezone: "), "{zone}: {fault}");
    }
}
