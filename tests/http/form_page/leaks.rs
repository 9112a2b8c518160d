//! Leaks: every secret spot of a form, of its settings and of other people's entries holds a mark, and no address that
//! a respondent or an anonymous caller reaches gives one away before it may, whatever the state of the form.

use std::path::Path;

use serde_json::{Value, json};
use support::form_page::hidden;
use support::steps::{add, set};
use support::{Caller, Form, Response, Server, field, formsvc};

/// What no respondent ever gets.
const NEVER: &[&str] = &[
    // Fields, choices and goods that are hidden, and what looks at them.
    "mk-hidden-label",
    "mk-hidden-notes",
    "mk-hidden-default",
    "mk-hidden-placeholder",
    "mk-hidden-choice",
    "mk-hidden-good",
    "mk-formula-text",
    "mk-rule-value",
    // Scores of choices, and stocks.
    "739.25",
    "48617",
    "48619",
    // Settings for the owner alone.
    "mk-redirect",
    "mk-feedback",
    "mk-notice",
    "mk-receipt-subject",
    "mk-receipt-message",
    "mk-certificate",
    "mk-password",
    "617.25",
    // Other people and their entries.
    "mk-owner",
    "mk-folder",
    "mk-other-answer",
    "mk-other-file",
    "mk-other-address",
    "mk-trashed",
    "mk-unlisted",
    "mk-linked-private",
    "mk-linked-protected",
];

/// Keys that only reads for collaborators have.
const KEYS: &[&str] = &["\"scored\"", "proportional", "exam.questions", "rescored_at", "creator_name"];

/// The right answers and what they are worth: after a submission, where the settings show them.
const KEY: &[&str] = &[
    "mk-right-text",
    "283.75",
    "917.25",
    "463.25",
    // All of them.
    "1664.25",
    "1,664.25",
];

/// What is said after a submission.
const AFTER: &[&str] = &["mk-after-title", "mk-after-text"];

/// What is asked: not before the form opens.
const QUESTIONS: &[&str] = &["mk-question", "mk-offered", "mk-shown-rule"];

struct Walk {
    server: Server,
    owner: Caller,
    /// The form that entries link to.
    list: Form,
}

/// A form with all its marks, and somebody's entry in it.
struct Marked {
    form: Form,
    /// Of an entry of somebody else.
    entry: String,
    /// What only that one has.
    theirs: Vec<String>,
}

impl Walk {
    fn new() -> Self {
        let server = Server::alone("its data dir is looked at");
        // The organisation has the name of its first user.
        server.user();
        let owner = server.user_named("mk-owner@example.com", "mk-owner-name");
        let list = owner.form(json!([
            field("short_text", json!({"label": "Public"})),
            field("short_text", json!({"label": "Private"})),
            field("phone", json!({"label": "Protected"})),
        ]));
        let phone = json!({"country_id": "CN", "number": "13800138000"});
        add(&owner, &list, json!({"field_1": "Tulip", "field_2": "mk-linked-private", "field_3": phone}));
        Self { server, owner, list }
    }

    fn fields(&self) -> Value {
        let choices = |codes: &[&str]| -> Value {
            let all = codes
                .iter()
                .map(|code| json!({"api_code": code, "label": format!("mk-offered-{code}"), "score": 739.25}));
            all.chain([json!({"api_code": "gone", "label": "mk-hidden-choice", "hidden": true, "score": 739.25, "quota": 48617})])
                .collect()
        };
        let links = json!({
            "form_token": self.list.token, "search_fields": ["field_1", "field_2"],
            "display_fields": [
                {"api_code": "field_1", "public": true},
                {"api_code": "field_2", "public": false},
                {"api_code": "field_3", "public": true, "protected": true},
            ],
        });
        json!([
            field("radio", json!({"label": "mk-question-1", "choices": choices(&["a", "b"])})),
            field("checkbox", json!({"label": "mk-question-2", "choices": choices(&["c", "d", "e"])})),
            field("short_text", json!({"label": "mk-question-3"})),
            field(
                "short_text",
                json!({
                    "label": "mk-hidden-label", "notes": "<p>mk-hidden-notes</p>", "hidden": true,
                    "default_value": "mk-hidden-default", "placeholder": "mk-hidden-placeholder",
                })
            ),
            field(
                "product",
                json!({"label": "mk-question-5", "goods_items": [
                    {"api_code": "tea", "name": "mk-offered-tea", "price": 2, "dimensions": [
                        {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}]}],
                        "skus": [{"specification": {"size": "s"}, "price": 3}]},
                    {"api_code": "gin", "name": "mk-hidden-good", "price": 48619, "hidden": true, "stock": 48617},
                ]})
            ),
            field("email", json!({"label": "mk-question-6"})),
            field("linked_form", links),
            field("attachment", json!({"label": "mk-question-8"})),
            field(
                "formula",
                json!({"label": "mk-question-9", "expression": "IF(field_4 = \"mk-formula-text\", 1, SCORE(field_1) * 0)", "result_type": "number"})
            ),
            field("long_text", json!({"label": "mk-question-10"})),
            field("short_text", json!({"label": "mk-question-11"})),
        ])
    }

    /// The form, closed to nobody yet; `settings` come last.
    fn marked(&self, layout: &str, settings: Value) -> Marked {
        let owner = &self.owner;
        let folder = owner.post("/api/v1/folders", json!({"name": "mk-folder"}));
        let folder = match folder.status {
            201 => folder.data()["token"].clone(),
            _ => owner.get("/api/v1/folders").data()[0]["token"].clone(),
        };
        let form = owner.form_with(json!({
            "name": "Entrance exam", "scene": "exam", "layout": layout, "fields": self.fields(),
            "folder_token": folder,
        }));
        let rule = |on: &str, operator: &str, value: &str, target: &str| {
            json!({
                "action": "hide", "fields": [target],
                "condition": {"operand": "and", "items": [{"field": on, "operator": operator, "value": value}]},
            })
        };
        let rules = json!({"rules": [
            rule("field_4", "eq", "mk-rule-value", "field_10"),
            rule("field_3", "like", "mk-shown-rule", "field_11"),
        ]});
        let ruled = owner.put(form.part("field_rules"), rules);
        assert_eq!(ruled.status, 200, "{ruled}");
        set(
            owner,
            &form,
            json!({
                "exam": {"duration_minutes": 45, "pass_score": 617.25, "questions": {
                    "field_1": {"scored": true, "score": 463.25, "answer": "a"},
                    "field_2": {"scored": true, "score": 283.75, "answer": ["c", "d"], "partial": "proportional"},
                    "field_3": {"scored": true, "score": 917.25, "answer": "mk-right-text"},
                }},
                "after_submission": {
                    "show_message": {"text": {"title": "mk-after-title", "description": "mk-after-text"}},
                    "redirect": {"url": "https://mk-redirect.example.com/"},
                    "report": {"score_based_feedbacks": [{"start_point": 0, "end_point": 99999, "comment": "mk-feedback"}]},
                },
                "notifications": {
                    "notice": {"to": ["mk-notice@example.com"], "include_values": true},
                    "receipt": {"subject": "mk-receipt-subject", "message": "<p>mk-receipt-message</p>"},
                },
                "verification_code": {"enabled": true},
                "certificate": {"enabled": true, "title": "mk-certificate", "body": "mk-certificate {{field_3}}", "min_score": 617.25},
                "submission_options": {"allow_edit_after_submission": true},
            }),
        );
        let anon = self.server.anon();
        let file = anon.post(
            format!("{}/entry_attachments", form.published()),
            json!({"field_api_code": "field_8", "file_name": "mk-other-file.txt", "content_type": "text/plain", "file_size": 3}),
        );
        let file = file.data();
        let to = file["upload_url"].as_str().expect("an address");
        let to = to.strip_prefix(&self.server.base).expect("ours");
        let put = anon.send("PUT", to, Some("text/plain"), b"abc");
        assert_eq!(put.status, 200, "{put}");
        let other = json!({
            "field_1": "a", "field_2": ["c", "d"], "field_3": "mk-right-text",
            "field_6": "mk-other-address@example.com", "field_8": [file["upload_id"]], "field_10": "mk-other-answer",
        });
        let sent = anon.post(form.submissions(), json!({"field_values": other}));
        assert_eq!(sent.status, 201, "{sent}");
        let sent = sent.data();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let entry = text(&sent["entry"]["token"]);
        let certificate = text(&sent["x_field_certificate"]["url"]);
        let (_, signature) = certificate.split_once("signature=").expect("signed");
        let theirs = vec![text(&sent["edit_token"]), text(&sent["gen_code"]), signature.to_owned()];
        add(owner, &form, json!({"field_10": "mk-trashed"}));
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        set(owner, &form, settings);
        Marked { form, entry, theirs }
    }

    fn check(&self, what: &str, answers: &[Response], marked: &Marked, more: &[&[&str]]) {
        let marks = [NEVER].into_iter().chain(more.iter().copied()).flatten();
        let marks: Vec<&str> = marks.copied().chain(marked.theirs.iter().map(String::as_str)).collect();
        for answer in answers {
            let text = format!("{} {:?}", answer.text, answer.headers);
            for mark in &marks {
                let found = text.split_once(mark);
                let before = found.map(|(before, _)| before.chars().rev().take(300).collect());
                let before: Option<String> = before.map(|it: String| it.chars().rev().collect());
                let status = answer.status;
                assert_eq!(before, None, "{what}: {mark} in an answer of status {status}");
            }
            assert!(answer.status < 500, "{what}: {answer}");
        }
    }
}

/// All that a respondent can ask of a form without having answered it, right or wrong.
fn before(anon: &Caller, marked: &Marked) -> Vec<Response> {
    let (form, entry) = (&marked.form, &marked.entry);
    let (page, api) = (form.page(), form.published());
    let script = anon.header("accept", "application/json");
    let wrong = json!({"field_values": {
        "field_1": "gone", "field_2": ["x"], "field_5": [{"api_code": "gin", "number": 1}], "field_6": "none",
        "field_7": "AAAAAAAAAAAAAAAAAAAAAA", "field_8": ["x"],
    }});
    let mut out = vec![
        anon.get(&api),
        anon.send("HEAD", &page, None, b""),
        anon.get(&page),
        anon.get(format!("{page}?embed=1")),
        anon.get(format!("{page}?field_1=a&field_2=c&field_3=x&field_4=y&field_10=z")),
        script.get(&page),
        anon.post(form.submissions(), wrong),
        anon.post(form.submissions(), json!({"field_values": []})),
        anon.post(form.submissions(), json!([])),
        anon.send("POST", &form.submissions(), Some("application/json"), b"{"),
        anon.post(format!("{api}/entry_attachments"), json!({})),
        anon.post(
            format!("{api}/entry_attachments"),
            json!({"field_api_code": "field_4", "file_name": "x.txt", "content_type": "text/plain", "file_size": 1}),
        ),
        anon.get(format!("{api}/verify?code=AAAAAAAA")),
        anon.get(format!("{api}/verify")),
        anon.get(format!("{page}/verify")),
        anon.get(format!("{page}/verify?code=AAAAAAAA")),
        script.get(format!("{page}/verify?code=AAAAAAAA")),
        anon.get(format!("{page}/done")),
        anon.get(format!("{page}/done?n=1&s=x")),
        anon.get(format!("{page}/notices?to=mk-n0tice@example.com&s=x")),
        anon.post_form(format!("{page}/notices?to=x&s=x"), &[]),
        anon.get(format!("{page}/entries/{entry}")),
        anon.get(format!("{page}/entries/{entry}?edit_token=x")),
        anon.post_form(format!("{page}/entries/{entry}?edit_token=x"), &[("field_3", "x")]),
        anon.get(format!("{}/{entry}", form.submissions())),
        anon.header("x-edit-token", "x").get(format!("{}/{entry}", form.submissions())),
        anon.header("x-edit-token", "x")
            .patch(format!("{}/{entry}", form.submissions()), json!({"field_values": {"field_3": "x"}})),
        anon.get(format!("/certificates/{entry}")),
        anon.get(format!("/certificates/{entry}?expires=99999999999&signature=x")),
    ];
    for (field, keyword) in [
        ("field_7", ""),
        ("field_7", "Tulip"),
        ("field_7", "mk-linked"),
        ("field_7", "138"),
        ("field_4", "x"),
        ("field_3", "x"),
    ] {
        out.push(anon.get(format!("{api}/associated_entry_options?field={field}&keyword={keyword}")));
    }
    let posts: [&[(&str, &str)]; 9] = [
        &[("_action", "check"), ("field_1", "a"), ("field_3", "x")],
        &[("_action", "check"), ("field_2", "e"), ("field_6", "none")],
        &[("_action", "next"), ("field_1", "b")],
        &[("_action", "back")],
        &[("_action", "more"), ("field_1", "a")],
        &[("_action", "find"), ("_find.field_7", "Tulip")],
        &[("_action", "open"), ("_password", "wrong")],
        &[("_action", "submit"), ("field_1", "gone"), ("field_6", "none")],
        &[("field_1", "gone"), ("_time", "1.x"), ("_hidden", "field_4")],
    ];
    for pairs in posts {
        let pairs: Vec<(&str, &str)> = [("_page", "0")].into_iter().chain(pairs.iter().copied()).collect();
        out.push(anon.post_form(&page, &pairs));
        out.push(anon.post_form(format!("{page}?embed=1"), &pairs));
        out.push(script.post_form(&page, &pairs));
    }
    out
}

/// Answers a form; what its respondent gets from then on.
fn after(server: &Server, marked: &Marked) -> Vec<Response> {
    let (anon, form) = (server.anon(), &marked.form);
    let script = anon.header("accept", "application/json");
    let stamp = anon.get(form.published()).data()["exam"]["start_token"].clone();
    let values = json!({"field_1": "b", "field_2": ["c", "e"], "field_3": "wrong"});
    let sent = anon.post(form.submissions(), json!({"field_values": values, "start_token": stamp}));
    assert_eq!(sent.status, 201, "{sent}");
    let data = sent.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("a right");
    let typed = [("field_1", "b"), ("field_2", "c"), ("field_3", "wrong")];
    let posted = anon.post_form(form.page(), &typed);
    assert_eq!(posted.status, 303, "{posted}");
    let done = posted.header("location").to_owned();
    let own = format!("{}/{token}", form.submissions());
    let page = format!("{}/entries/{token}?edit_token={right}", form.page());
    let me = anon.header("x-edit-token", right);
    let drawn = anon.get(&page);
    let tag = hidden(&drawn, "_tag");
    let change = |text: &'static str| {
        [("_page", "0".to_owned()), ("_tag", tag.clone()), ("field_1", "b".to_owned()), ("field_3", text.to_owned())]
    };
    let post = |caller: &Caller, text: &'static str, more: Option<(&str, &str)>| {
        let pairs = change(text);
        let mut pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (*a, b.as_str())).collect();
        pairs.extend(more);
        caller.post_form(&page, &pairs)
    };
    let mut out = vec![
        anon.get(&done),
        anon.get(format!("{done}&stay=1")),
        anon.get(format!("{done}&embed=1")),
        anon.get(format!("{done}&changed=1")),
        script.get(&done),
        me.get(&own),
        me.patch(&own, json!({"field_values": {"field_3": "still wrong"}})),
        me.patch(&own, json!({"field_values": {"field_1": "gone", "field_4": "x"}})),
        anon.get(format!("{page}&embed=1")),
        post(&script, "again", Some(("_action", "check"))),
        post(&anon, "again", Some(("_action", "more"))),
        post(&anon, "again", Some(("field_6", "none"))),
        drawn,
        posted,
        sent,
    ];
    let changed = post(&anon, "once more", None);
    if changed.status == 303 {
        out.push(anon.get(changed.header("location")));
    }
    out.push(changed);
    out
}

#[test]
fn before_a_submission_nothing_is_told_in_any_state() {
    let walk = Walk::new();
    let anon = walk.server.anon();
    let (soon, past) = ("2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
    let shown = json!({"exam": {"show_score": true, "show_answers": true}});
    // A state; whether its questions are there to be read.
    for (state, settings, is_read) in [
        ("open", json!({}), true),
        ("early", json!({"availability": {"schedule": {"start_at": soon}}}), false),
        (
            "early and shown",
            json!({"availability": {"schedule": {"start_at": soon}, "show_form_before_open": true}}),
            true,
        ),
        ("closed", json!({"availability": {"manually_closed": true, "show_form_before_open": true}}), false),
        ("over", json!({"availability": {"schedule": {"end_at": past}}}), false),
        ("locked", json!({"access_control": {"access_password": "mk-password"}}), false),
        ("one each", json!({"submission_options": {"one_per_respondent": "account"}}), true),
    ] {
        for layout in ["classic", "card"] {
            let marked = walk.marked(layout, shown.clone());
            set(&walk.owner, &marked.form, settings.clone());
            let answers = before(&anon, &marked);
            let questions = if is_read { &[][..] } else { QUESTIONS };
            walk.check(state, &answers, &marked, &[KEY, AFTER, KEYS, questions]);
        }
    }
    let marked = walk.marked("classic", json!({"availability": {"entries_limit": 2}}));
    add(&walk.owner, &marked.form, json!({}));
    assert_eq!(anon.get(marked.form.published()).data()["status"], "full");
    walk.check("full", &before(&anon, &marked), &marked, &[KEY, AFTER, KEYS, QUESTIONS]);
    let gone = json!({"published": false});
    assert_eq!(walk.owner.patch(marked.form.path(), gone).status, 200);
    walk.check("unpublished", &before(&anon, &marked), &marked, &[KEY, AFTER, KEYS, QUESTIONS, &["Entrance exam"]]);
}

#[test]
fn a_form_with_a_password_tells_nothing_of_itself() {
    let walk = Walk::new();
    let anon = walk.server.anon();
    let marked = walk.marked("classic", json!({"access_control": {"access_password": "mk-password"}}));
    let theme = json!({"header": {"type": "text", "text": "mk-theme"}, "submit_button": {"text": "mk-button"}});
    let themed = walk.owner.patch(marked.form.part("theme"), theme);
    assert_eq!(themed.status, 200, "{themed}");
    let described = json!({"description": "mk-description"});
    let described = walk.owner.patch(marked.form.path(), described);
    assert_eq!(described.status, 200, "{described}");
    let own = ["Entrance exam", "mk-theme", "mk-button", "mk-description"];
    let mut answers = before(&anon, &marked);
    let code = &marked.theirs[1];
    let valid = anon.get(format!("{}/verify?code={code}", marked.form.page()));
    assert!(valid.text.contains("This code is valid"), "{valid}");
    let known = Marked {
        theirs: vec![marked.theirs[0].clone()],
        entry: marked.entry.clone(),
        form: Form { token: marked.form.token.clone(), body: Value::Null },
    };
    walk.check("verified", &[valid], &known, &[KEY, AFTER, QUESTIONS, &own]);
    answers.push(anon.header("x-form-password", "wrong").get(marked.form.published()));
    walk.check("locked", &answers, &marked, &[KEY, AFTER, QUESTIONS, &own]);
    // Who has the password gets no more than others of an open form.
    let let_in = anon.header("x-form-password", "mk-password");
    let answers: Vec<Response> = before(&let_in, &marked)
        .into_iter()
        .chain([anon.post_form(marked.form.page(), &[("_action", "open"), ("_password", "mk-password")])])
        .collect();
    assert!(answers[0].text.contains("mk-question-1"), "{}", answers[0]);
    walk.check("let in", &answers, &marked, &[KEY, AFTER]);
}

#[test]
fn after_a_submission_only_what_the_settings_show_is_told() {
    let walk = Walk::new();
    for layout in ["classic", "card"] {
        let marked = walk.marked(layout, json!({}));
        let answers = after(&walk.server, &marked);
        walk.check("nothing shown", &answers, &marked, &[KEY, KEYS]);
        assert!(answers[0].text.contains("mk-after-title"), "{}", answers[0]);
        // The score alone, which is nothing, since a wrong one is ticked, or half of a question.
        let marked = walk.marked(layout, json!({"exam": {"show_score": true}}));
        let answers = after(&walk.server, &marked);
        let most = ["1664.25", "1,664.25"];
        let key: Vec<&str> = KEY.iter().copied().filter(|mark| !most.contains(mark)).collect();
        walk.check("score shown", &answers, &marked, &[&key]);
        assert!(answers[0].text.contains("of 1664.25"), "{}", answers[0]);
    }
}

#[test]
fn right_answers_are_told_when_they_can_no_longer_be_given() {
    let walk = Walk::new();
    let marked = walk.marked("classic", json!({"exam": {"show_answers": true}}));
    let anon = walk.server.anon();
    let typed = [("field_1", "b"), ("field_3", "wrong")];
    let posted = anon.post_form(marked.form.page(), &typed);
    let done = posted.header("location").to_owned();
    // Who may still change the answers is not told how.
    let answers = after(&walk.server, &marked);
    walk.check("may edit", &answers, &marked, &[KEY]);
    let early = anon.get(&done);
    assert!(early.text.contains("once answers can no longer be changed"), "{early}");
    set(&walk.owner, &marked.form, json!({"availability": {"manually_closed": true}}));
    let closed = anon.get(&done);
    assert!(closed.text.contains("mk-right-text"), "{closed}");
    assert!(!closed.text.contains("once answers can no longer"), "{closed}");
    set(
        &walk.owner,
        &marked.form,
        json!({"availability": {"manually_closed": false}, "submission_options": {"allow_edit_after_submission": false}}),
    );
    let fixed = anon.get(&done);
    assert!(fixed.text.contains("mk-right-text"), "{fixed}");
    walk.check("fixed", &[closed, fixed], &marked, &[]);
}

/// The rows of the route table, each with its method and path.
fn routes() -> Vec<(String, String)> {
    let printed = formsvc(Path::new("/nowhere"), &["routes", "--json"], "");
    let rows: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    let text = |row: &Value, key: &str| row[key].as_str().expect("text").to_owned();
    let rows = rows.as_array().expect("a list").iter();
    rows.map(|row| (text(row, "method"), text(row, "path"))).collect()
}

#[test]
fn no_route_tells_anybody_else_anything() {
    let walk = Walk::new();
    let marked = walk.marked("classic", json!({"exam": {"show_answers": true}}));
    let stranger = "mk-stranger@example.org";
    walk.server.stranger(stranger);
    let scopes = "form:read form:write form:delete entry:read entry:write entry:delete form:respond \
                  integration:read integration:write";
    let stranger = walk.server.token(stranger, scopes);
    let colleague = walk.server.user();
    let rows = routes();
    assert!(rows.len() > 60, "{}", rows.len());
    for (method, path) in rows {
        let mut address = path
            .replace("{form_token}", &marked.form.token)
            .replace("{serial_number}", "1")
            .replace("{entry_token}", &marked.entry);
        while let Some((before, rest)) = address.split_once('{') {
            let (_, after) = rest.split_once('}').expect("a parameter");
            address = format!("{before}x{after}");
        }
        // What a form says of itself to everybody is another test's.
        let is_own = path == "/api/v1/f/{form_token}" || path == "/f/{form_token}";
        for caller in [&walk.server.anon(), &stranger, &colleague] {
            let answer = match method.as_str() {
                "GET" | "HEAD" | "DELETE" => caller.send(&method, &address, None, b""),
                _ => caller.send(&method, &address, Some("application/json"), b"{}"),
            };
            let questions = if is_own { &[][..] } else { QUESTIONS };
            walk.check(&format!("{method} {path}"), &[answer], &marked, &[KEY, AFTER, questions]);
        }
    }
}
