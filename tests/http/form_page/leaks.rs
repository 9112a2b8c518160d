//! Leaks: every secret spot of a form, of its settings and of other people's entries holds a mark, and no address that
//! a respondent or an anonymous caller reaches gives one away before it may, whatever the state of the form.

use std::path::Path;

use support::formsvc;
use support::steps::add;
use support::uploads::send as upload;

use super::*;

/// Marks that no respondent ever gets: hidden fields, choices and goods, and formulas and rules about them; scores of
/// choices, and stocks; settings for the owner alone; other people and their entries.
const NEVER: &str = "
    mk-hidden-label mk-hidden-notes mk-hidden-default mk-hidden-placeholder mk-hidden-choice mk-hidden-good
    mk-formula-text mk-rule-value 739.25 48617 48619
    mk-redirect mk-feedback mk-notice mk-receipt-subject mk-receipt-message mk-certificate mk-password 617.25
    mk-owner mk-folder mk-other-answer mk-other-file mk-other-address mk-trashed mk-unlisted
    mk-linked-private mk-linked-protected";

/// Keys that only reads for collaborators have.
const KEYS: &str = "\"scored\" proportional exam.questions rescored_at creator_name";

/// The right answers and their points: after a submission, where the settings show them.
const KEY: &str = "mk-right-text 283.75 917.25 463.25";

/// The sum of their points.
const MOST: &str = "1664.25 1,664.25";

/// The words after a submission.
const AFTER: &str = "mk-after-title mk-after-text";

/// The questions: not before the form opens.
const QUESTIONS: &str = "mk-question mk-offered mk-shown-rule";

/// The public parts of a form with a password.
const ITSELF: &str = "Entrance mk-theme mk-button mk-description";

/// All that a respondent can ask of a form without having answered it, right or wrong: `METHOD path body`. `FORM` posts
/// a page, `+script` is its script, and `+right` comes with an `edit_token`, here a wrong one.
const BEFORE: &str = r#"
    GET {api}
    HEAD {page}
    GET {page}
    GET {page}?embed=1
    GET {page}?start=1
    GET {page}?embed=1&start=1
    GET {page}?field_1=a&field_2=c&field_3=x&field_4=y&field_10=z
    GET+script {page}
    POST {api}/entries {"field_values": {"field_1": "gone", "field_2": ["x"], "field_6": "none", "field_8": ["x"]}}
    POST {api}/entries {"field_values": {"field_5": [{"api_code": "gin", "number": 1}], "field_7": "AAAAAAAAAAAAAAAAAAAAAA"}}
    POST {api}/entries {"field_values": []}
    POST {api}/entries []
    POST {api}/entries {
    POST {api}/entry_attachments {}
    POST {api}/entry_attachments {"field_api_code": "field_4", "file_name": "x.txt", "content_type": "text/plain", "file_size": 1}
    GET {api}/verify?code=AAAAAAAA
    GET {api}/verify
    GET {page}/verify
    GET {page}/verify?code=AAAAAAAA
    GET+script {page}/verify?code=AAAAAAAA
    GET {page}/done
    GET {page}/done?n=1&s=x
    GET {page}/notices?to=mk-n0tice@example.com&s=x
    FORM {page}/notices?to=x&s=x
    GET {page}/entries/{entry}
    GET {page}/entries/{entry}?edit_token=x
    FORM {page}/entries/{entry}?edit_token=x field_3=x
    GET {api}/entries/{entry}
    GET+right {api}/entries/{entry}
    PATCH+right {api}/entries/{entry} {"field_values": {"field_3": "x"}}
    GET /certificates/{entry}
    GET /certificates/{entry}?expires=99999999999&signature=x
    GET {api}/associated_entry_options?field=field_7&keyword=
    GET {api}/associated_entry_options?field=field_7&keyword=Tulip
    GET {api}/associated_entry_options?field=field_7&keyword=mk-linked
    GET {api}/associated_entry_options?field=field_7&keyword=138
    GET {api}/associated_entry_options?field=field_4&keyword=x
    GET {api}/associated_entry_options?field=field_3&keyword=x"#;

/// Posts to the page, to the page in a frame, and by its script.
const POSTS: &str = "
    _action=check&field_1=a&field_3=x
    _action=check&field_2=e&field_6=none
    _action=next&field_1=b
    _action=back
    _action=more&field_1=a
    _action=find&_find.field_7=Tulip
    _action=open&_password=wrong
    _action=submit&field_1=gone&field_6=none
    field_1=gone&_time=1.x&_hidden=field_4";

/// Requests of a respondent who has answered the form, with the right to the entry.
const SINCE: &str = r#"
    GET {done}
    GET {done}&stay=1
    GET {done}&embed=1
    GET {done}&changed=1
    GET+script {done}
    GET+right {own}
    GET {mine}
    GET {mine}&embed=1
    FORM+script {mine} _page=0&_tag={tag}&field_1=b&field_3=again&_action=check
    FORM {mine} _page=0&_tag={tag}&field_1=b&field_3=again&_action=more
    FORM {mine} _page=0&_tag={tag}&field_1=b&field_3=again&field_6=none
    FORM {mine} _page=0&_tag={tag}&field_1=b&field_3=once more
    PATCH+right {own} {"field_values": {"field_3": "still wrong"}}
    PATCH+right {own} {"field_values": {"field_1": "gone", "field_4": "x"}}
    FORM {mine} _page=0&field_1=b&field_3=at last"#;

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// A request and its answer.
type Asked = (String, Response);

/// Sends the request of a line, with its words in braces replaced.
fn ask(anon: &Caller, right: &str, line: String, names: &[(&str, &str)]) -> Asked {
    let line = names.iter().fold(line, |line, (name, value)| line.replace(name, value));
    let mut parts = line.splitn(3, ' ');
    let [how, path, body] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let (method, who) = how.split_once('+').unwrap_or((how, ""));
    let caller = match who {
        "script" => anon.header("accept", "application/json"),
        "right" => anon.header("x-edit-token", right),
        _ => anon.clone(),
    };
    let answer = match method {
        "GET" | "HEAD" => caller.send(method, path, None, b""),
        "FORM" if body.is_empty() => caller.post_form(path, &[]),
        "FORM" => caller.post_form(path, &typed(body)),
        _ => caller.send(method, path, Some("application/json"), body.as_bytes()),
    };
    (line, answer)
}

struct Walk {
    server: Server,
    owner: Caller,
    anon: Caller,
    /// The form that entries link to.
    list: Form,
}

/// A form with all its marks, and somebody's entry in it.
struct Marked {
    form: Form,
    /// Of an entry of somebody else.
    entry: String,
    /// The marks that only that one has.
    theirs: Vec<String>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

impl Walk {
    fn new() -> Self {
        let server = Server::alone("names of its people are marks");
        // The organisation has the name of its first user.
        server.user();
        let owner = server.user_named("mk-owner@example.com", "mk-owner-name");
        let of = json!([{"short_text": {"label": "Public"}}, {"short_text": {"label": "Private"}}, {"phone": {}}]);
        let list = owner.form(fields(of));
        let phone = json!({"country_id": "CN", "number": "13800138000"});
        add(&owner, &list, json!({"field_1": "Tulip", "field_2": "mk-linked-private", "field_3": phone}));
        let anon = server.anon();
        Self { server, owner, anon, list }
    }

    fn fields(&self) -> Value {
        let choices = |codes: &str| -> Value {
            let all = codes.split(' ');
            let all = all.map(|code| json!({"api_code": code, "label": format!("mk-offered-{code}"), "score": 739.25}));
            let gone = json!({"api_code": "gone", "label": "mk-hidden-choice", "hidden": true,
                "score": 739.25, "quota": 48617});
            all.chain([gone]).collect()
        };
        let links = json!({"form_token": self.list.token, "search_fields": ["field_1", "field_2"], "display_fields": [
            {"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": false},
            {"api_code": "field_3", "public": true, "protected": true}]});
        let inside = json!({"label": "mk-hidden-label", "notes": "<p>mk-hidden-notes</p>", "hidden": true,
            "default_value": "mk-hidden-default", "placeholder": "mk-hidden-placeholder"});
        let size = json!({"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}]});
        let goods = json!([
            {"api_code": "tea", "name": "mk-offered-tea", "price": 2, "dimensions": [size],
                "skus": [{"specification": {"size": "s"}, "price": 3}]},
            {"api_code": "gin", "name": "mk-hidden-good", "price": 48619, "hidden": true, "stock": 48617}]);
        let formula = "IF(field_4 = \"mk-formula-text\", 1, SCORE(field_1) * 0)";
        fields(json!([
            {"radio": {"label": "mk-question-1", "choices": choices("a b")}},
            {"checkbox": {"label": "mk-question-2", "choices": choices("c d e")}},
            {"short_text": {"label": "mk-question-3"}}, {"short_text": inside},
            {"product": {"label": "mk-question-5", "goods_items": goods}}, {"email": {"label": "mk-question-6"}},
            {"linked_form": links}, {"attachment": {"label": "mk-question-8"}},
            {"formula": {"label": "mk-question-9", "expression": formula, "result_type": "number"}},
            {"long_text": {"label": "mk-question-10"}}, {"short_text": {"label": "mk-question-11"}},
        ]))
    }

    /// The form, closed to nobody yet; `settings` come last.
    fn marked(&self, layout: &str, settings: Value) -> Marked {
        let (owner, anon) = (&self.owner, &self.anon);
        let folder = owner.post("/api/v1/folders", json!({"name": "mk-folder"}));
        let folder = match folder.status {
            201 => folder.data()["token"].clone(),
            _ => owner.get("/api/v1/folders").data()[0]["token"].clone(),
        };
        let form = owner.form_with(json!({"name": "Entrance exam", "scene": "exam", "layout": layout,
            "fields": self.fields(), "folder_token": folder}));
        let mut likes = rule("field_3", "mk-shown-rule", "hide", "field_11");
        likes["condition"]["items"][0]["operator"] = json!("like");
        set_rules(owner, &form, json!([rule("field_4", "mk-rule-value", "hide", "field_10"), likes]));
        let questions = json!({
            "field_1": {"scored": true, "score": 463.25, "answer": "a"},
            "field_2": {"scored": true, "score": 283.75, "answer": ["c", "d"], "partial": "proportional"},
            "field_3": {"scored": true, "score": 917.25, "answer": "mk-right-text"}});
        let after = json!({
            "show_message": {"text": {"title": "mk-after-title", "description": "mk-after-text"}},
            "redirect": {"url": "https://mk-redirect.example.com/"},
            "report": {"score_based_feedbacks": [{"start_point": 0, "end_point": 99999, "comment": "mk-feedback"}]}});
        let mail = json!({
            "notice": {"to": ["mk-notice@example.com"], "include_values": true, "subject": "mk-notice-subject"},
            "reminder": {"subject": "mk-reminder-subject", "message": "<p>mk-reminder-message</p>"},
            "receipt": {"subject": "mk-receipt-subject", "message": "<p>mk-receipt-message</p>"}});
        let paper = json!({"enabled": true, "title": "mk-certificate", "body": "mk-certificate {{field_3}}",
            "min_score": 617.25});
        let exam = json!({"duration_minutes": 45, "pass_score": 617.25, "questions": questions});
        let all = json!({"exam": exam, "after_submission": after, "notifications": mail, "certificate": paper,
            "verification_code": {"enabled": true}});
        set(owner, &form, all);
        set(owner, &form, editable(true));
        let file = json!({"field_api_code": "field_8", "file_name": "mk-other-file.txt", "content_type": "text/plain",
            "file_size": 3});
        let file = anon.post(format!("{}/entry_attachments", form.published()), file).is(201).data();
        upload(anon, &file, "text/plain", b"abc").is(200);
        let other = json!({"field_1": "a", "field_2": ["c", "d"], "field_3": "mk-right-text",
            "field_6": "mk-other-address@example.com", "field_8": [file["upload_id"]], "field_10": "mk-other-answer"});
        let sent = submit(anon, &form, other).is(201).data();
        let certificate = text(&sent["x_field_certificate"]["url"]);
        let (_, signature) = certificate.split_once("signature=").expect("signed");
        let theirs = vec![text(&sent["edit_token"]), text(&sent["gen_code"]), signature.to_owned()];
        add(owner, &form, json!({"field_10": "mk-trashed"}));
        owner.delete(form.entry(2)).is(200);
        set(owner, &form, settings);
        Marked { form, entry: text(&sent["entry"]["token"]), theirs }
    }
}

impl Marked {
    /// Asserts that no answer holds any of these marks, or those of `NEVER`.
    fn check(&self, state: &str, answers: &[Asked], more: &[&str]) {
        let marks = more.iter().chain([&NEVER]).flat_map(|marks| marks.split_whitespace());
        let marks: Vec<&str> = marks.chain(self.theirs.iter().map(String::as_str)).collect();
        for (asked, answer) in answers {
            let text = format!("{} {:?}", answer.text, answer.headers);
            for mark in &marks {
                let Some((before, _)) = text.split_once(mark) else { continue };
                let from = before.char_indices().rev().nth(300).map_or(0, |(at, _)| at);
                panic!("{state}: {asked}: {mark} in an answer of status {}: {}", answer.status, &before[from..]);
            }
            assert!(answer.status < 500, "{state}: {asked}: {answer}");
        }
    }

    /// The answers to all of `BEFORE`, and to posting all of `POSTS`.
    fn before(&self, anon: &Caller) -> Vec<Asked> {
        let names = [("{page}", &*self.form.page()), ("{api}", &self.form.published()), ("{entry}", &self.entry)];
        let ways = ["FORM {page}", "FORM {page}?embed=1", "FORM+script {page}"];
        let posts = lines(POSTS).flat_map(|inputs| ways.map(|way| format!("{way} _page=0&{inputs}")));
        lines(BEFORE).map(str::to_owned).chain(posts).map(|line| ask(anon, "x", line, &names)).collect()
    }

    /// Answers the form; returns the answers to all of `SINCE` then.
    fn after(&self, anon: &Caller) -> Vec<Asked> {
        let form = &self.form;
        let stamp = anon.get(form.published()).data()["exam"]["start_token"].clone();
        let values = json!({"field_1": "b", "field_2": ["c", "e"], "field_3": "wrong"});
        let sent = anon.post(form.submissions(), json!({"field_values": values, "start_token": stamp})).is(201);
        let (token, right) = (text(&sent.data()["entry"]["token"]), text(&sent.data()["edit_token"]));
        let posted = anon.post_form(form.page(), &typed("field_1=b&field_2=c&field_3=wrong"));
        let (own, mine) = (format!("{}/{token}", form.submissions()), format!("{}/entries/{token}", form.page()));
        let mine = format!("{mine}?edit_token={right}");
        let tag = hidden(&anon.get(&mine), "_tag");
        let names = [("{done}", &*posted.leads()), ("{own}", &own), ("{mine}", &mine), ("{tag}", &tag)];
        let mut out: Vec<Asked> = lines(SINCE).map(|line| ask(anon, &right, line.to_owned(), &names)).collect();
        let changed = out[out.len() - 1].1.leads();
        let changed = ("the thanks for a change".to_owned(), anon.get(changed));
        out.extend([("the submission".to_owned(), sent), ("the post".to_owned(), posted), changed]);
        out
    }
}

#[test]
fn before_a_submission_nothing_is_told_in_any_state() {
    let walk = Walk::new();
    let (soon, past) = ("2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
    let shown = json!({"exam": {"show_score": true, "show_answers": true}});
    let early = json!({"availability": {"schedule": {"start_at": soon}, "show_form_before_open": true}});
    // A state; whether its questions are there to be read.
    for (state, settings, is_read) in [
        ("open", json!({}), true),
        ("early", json!({"availability": {"schedule": {"start_at": soon}}}), false),
        ("early and shown", early, true),
        ("closed", json!({"availability": {"manually_closed": true, "show_form_before_open": true}}), false),
        ("over", json!({"availability": {"schedule": {"end_at": past}}}), false),
        ("locked", password("mk-password"), false),
        ("one each", json!({"submission_options": {"one_per_respondent": "account"}}), true),
    ] {
        for layout in ["classic", "card"] {
            let marked = walk.marked(layout, shown.clone());
            set(&walk.owner, &marked.form, settings.clone());
            let questions = if is_read { "" } else { QUESTIONS };
            marked.check(state, &marked.before(&walk.anon), &[KEY, MOST, AFTER, KEYS, questions]);
        }
    }
    let marked = walk.marked("classic", json!({"availability": {"entries_limit": 2}}));
    add(&walk.owner, &marked.form, json!({}));
    assert_eq!(walk.anon.get(marked.form.published()).data()["status"], "full");
    marked.check("full", &marked.before(&walk.anon), &[KEY, MOST, AFTER, KEYS, QUESTIONS]);
    walk.owner.patch(marked.form.path(), json!({"published": false})).is(200);
    marked.check("unpublished", &marked.before(&walk.anon), &[KEY, MOST, AFTER, KEYS, QUESTIONS, "Entrance"]);
}

#[test]
fn form_with_a_password_tells_nothing_of_itself() {
    let walk = Walk::new();
    let marked = walk.marked("classic", password("mk-password"));
    let theme = json!({"header": {"type": "text", "text": "mk-theme"}, "submit_button": {"text": "mk-button"}});
    set_part(&walk.owner, &marked.form, "theme", theme);
    walk.owner.patch(marked.form.path(), json!({"description": "mk-description"})).is(200);
    // A visitor with somebody's code learns that it is valid.
    let form = Form { token: marked.form.token.clone(), body: Value::Null };
    let mut known = Marked { theirs: marked.theirs.clone(), entry: marked.entry.clone(), form };
    let code = known.theirs.remove(1);
    let valid = walk.anon.get(format!("{}/verify?code={code}", marked.form.page()));
    valid.has(["This code is valid"]);
    known.check("locked", &[("a valid code".to_owned(), valid)], &[KEY, MOST, AFTER, QUESTIONS, ITSELF]);
    let mut answers = marked.before(&walk.anon);
    let wrong = walk.anon.header("x-form-password", "wrong").get(marked.form.published());
    answers.push(("a wrong password".to_owned(), wrong));
    marked.check("locked", &answers, &[KEY, MOST, AFTER, QUESTIONS, ITSELF]);
    // A visitor with the password gets no more than others of an open form.
    let mut answers = marked.before(&walk.anon.header("x-form-password", "mk-password"));
    answers[0].1.has(["mk-question-1"]);
    let opened = walk.anon.post_form(marked.form.page(), &[("_action", "open"), ("_password", "mk-password")]);
    answers.push(("the page that is opened".to_owned(), opened));
    marked.check("let in", &answers, &[KEY, MOST, AFTER]);
}

#[test]
fn after_a_submission_only_what_the_settings_show_is_told() {
    let walk = Walk::new();
    for layout in ["classic", "card"] {
        // The score alone is nothing, since a wrong one is ticked, or half of a question.
        for (state, settings, secret, said) in [
            ("nothing shown", json!({}), &[KEY, MOST, KEYS][..], "mk-after-title"),
            ("score shown", json!({"exam": {"show_score": true}}), &[KEY], "of 1664.25"),
        ] {
            let marked = walk.marked(layout, settings);
            let answers = marked.after(&walk.anon);
            marked.check(state, &answers, secret);
            answers[0].1.has([said]);
        }
    }
}

#[test]
fn right_answers_are_told_when_they_can_no_longer_be_given() {
    let walk = Walk::new();
    let marked = walk.marked("classic", json!({"exam": {"show_answers": true}}));
    let done = walk.anon.post_form(marked.form.page(), &[("field_1", "b"), ("field_3", "wrong")]).leads();
    // A respondent who may still change the answers is not shown the right ones.
    marked.check("may edit", &marked.after(&walk.anon), &[KEY, MOST]);
    let later = "once answers can no longer be changed";
    walk.anon.get(&done).has([later]);
    let mut fixed = editable(false);
    fixed["availability"] = json!({"manually_closed": false});
    for (state, settings) in [("closed", json!({"availability": {"manually_closed": true}})), ("fixed", fixed)] {
        set(&walk.owner, &marked.form, settings);
        let told = walk.anon.get(&done);
        // With the right answers shown, nobody is asked to answer again.
        told.has(["mk-right-text"]).lacks(["once answers can no longer", "Submit another response"]);
        marked.check(state, &[("thanks".to_owned(), told)], &[]);
    }
}

#[test]
fn no_route_tells_anybody_else_anything() {
    let walk = Walk::new();
    let marked = walk.marked("classic", json!({"exam": {"show_answers": true}}));
    let stranger = "mk-stranger@example.org";
    walk.server.stranger(stranger);
    let scopes = "form:read form:write form:delete entry:read entry:write entry:delete form:respond \
                  integration:read integration:write";
    let callers = [walk.anon.clone(), walk.server.token(stranger, scopes), walk.server.user()];
    // The rows of the route table.
    let printed = formsvc(Path::new("/nowhere"), &["routes", "--json"], "");
    let rows: Vec<Value> = serde_json::from_slice(&printed.stdout).expect("a list");
    assert!(rows.len() > 60, "{}", rows.len());
    for row in rows {
        let (method, path) = (text(&row["method"]), text(&row["path"]));
        let address = path.replace("{form_token}", &marked.form.token).replace("{entry_token}", &marked.entry);
        let mut address = address.replace("{serial_number}", "1");
        while let (Some(start), Some(end)) = (address.find('{'), address.find('}')) {
            address.replace_range(start..=end, "x");
        }
        // The public words of a form are another test's subject.
        let is_own = path == "/api/v1/f/{form_token}" || path == "/f/{form_token}";
        for (who, caller) in ["nobody", "a stranger", "a colleague"].iter().zip(&callers) {
            // Members of an organization know each other.
            if path == "/api/v1/members" && *who == "a colleague" {
                continue;
            }
            let answer = match method.as_str() {
                "GET" | "HEAD" | "DELETE" => caller.send(&method, &address, None, b""),
                _ => caller.send(&method, &address, Some("application/json"), b"{}"),
            };
            let questions = if is_own { "" } else { QUESTIONS };
            marked.check(who, &[(format!("{method} {path}"), answer)], &[KEY, MOST, AFTER, questions]);
        }
    }
}
