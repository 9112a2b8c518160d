//! A respondent's own entry: read and changed with the `edit_token` that came with the answer to the
//! submission, over the API and on the page (contract section 5).

use serde_json::{Value, json};
use support::form_page::hidden;
use support::steps::set;
use support::{Caller, Form, Response, Server, at_once, field};

fn allowing(owner: &Caller, fields: Value) -> Form {
    let form = owner.form(fields);
    allow(owner, &form, true);
    form
}

fn allow(owner: &Caller, form: &Form, allowed: bool) {
    let options = json!({"allow_edit_after_submission": allowed});
    set(owner, form, json!({"submission_options": options}));
}

fn named() -> Value {
    json!([
        field("short_text", json!({"label": "Name", "required": true})),
        field("number", json!({"label": "Age"})),
        field("short_text", json!({"label": "Inside", "hidden": true})),
    ])
}

/// A submission, and who may change it.
pub struct Own {
    path: String,
    right: String,
    caller: Caller,
}

impl Own {
    pub fn of(form: &Form, field_values: Value) -> Self {
        let anon = Server::shared().anon();
        let made = anon.post(form.submissions(), json!({"field_values": field_values}));
        assert_eq!(made.status, 201, "{made}");
        let data = made.data();
        let right = data["edit_token"].as_str().expect("a right").to_owned();
        let token = data["entry"]["token"].as_str().expect("a token");
        Self {
            path: format!("/api/v1/f/{}/entries/{token}", form.token),
            caller: anon.header("x-edit-token", &right),
            right,
        }
    }

    /// Its `edit_token`.
    pub fn right(&self) -> &str {
        &self.right
    }

    fn get(&self) -> Response {
        self.caller.get(&self.path)
    }

    pub fn patch(&self, field_values: Value) -> Response {
        self.caller.patch(&self.path, json!({"field_values": field_values}))
    }

    /// The page on which it is changed.
    fn page(&self) -> String {
        let path = self.path.trim_start_matches("/api/v1");
        format!("{path}?edit_token={}", self.right)
    }
}

#[test]
fn the_right_comes_with_the_answer_where_the_settings_allow_it() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(named());
    let submit = || {
        let body = json!({"field_values": {"field_1": "Ada"}});
        server.anon().post(form.submissions(), body)
    };
    assert_eq!(submit().data().get("edit_token"), None);
    allow(&owner, &form, true);
    let (one, two) = (submit().data(), submit().data());
    let right = |data: &Value| data["edit_token"].as_str().expect("a right").to_owned();
    assert!(right(&one).len() >= 40, "{one}");
    assert_ne!(right(&one), right(&two));
    // No other answer holds it.
    for answer in [owner.get(form.entries()), owner.get(form.entry(2))] {
        assert!(!answer.text.contains("edit_token"), "{answer}");
        assert!(!answer.text.contains(&right(&one)), "{answer}");
    }
    let added = owner.post(form.entries(), json!({"field_values": {"field_1": "x"}}));
    assert!(!added.text.contains("edit_token"), "{added}");
}

#[test]
fn a_respondent_reads_and_changes_the_own_entry() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada", "field_2": 36}));
    let inside = json!({"field_values": {"field_3": "kept"}});
    assert_eq!(owner.patch(form.entry(1), inside).status, 200);

    let read = own.get();
    assert_eq!(
        read.to_string(),
        r#"200 {"data":{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_1":"Ada","field_2":36}}"#
    );
    let tag = read.header("etag").to_owned();
    let same = own.caller.header("if-none-match", &tag).get(&own.path);
    assert_eq!((same.status, same.text.as_str()), (304, ""));

    // The named fields change, hidden ones never.
    let changed = own.patch(json!({"field_2": 37, "field_3": "mine", "field_9": 1}));
    assert_eq!(
        changed.to_string(),
        r#"200 {"data":{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_1":"Ada","field_2":37}}"#
    );
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(changed.header("etag"), own.get().header("etag"));
    let whole = owner.get(form.entry(1)).data();
    assert_eq!(whole["field_3"], "kept");
    assert_eq!(whole["field_2"], 37);
    assert_eq!(own.patch(json!({"field_2": null})).data()["field_2"], Value::Null);

    let faults = own.patch(json!({"field_1": "", "field_2": "x"}));
    assert_eq!(faults.faults(), ["field_values.field_1: can't be blank", "field_values.field_2: must be a number"]);
    let none = own.caller.patch(&own.path, json!({}));
    assert_eq!(none.faults(), ["field_values: is required"]);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Ada");
}

#[test]
fn a_change_over_what_was_not_seen_is_refused() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada"}));
    let tag = own.get().header("etag").to_owned();
    let guarded = own.caller.header("if-match", &tag);
    let body = json!({"field_values": {"field_1": "Bea"}});
    assert_eq!(guarded.patch(&own.path, body.clone()).status, 200);
    let stale = guarded.patch(&own.path, body.clone());
    assert_eq!((stale.status, &stale.json()["code"]), (412, &json!("version_conflict")));
    assert_eq!(own.caller.header("if-match", "*").patch(&own.path, body).status, 200);
    // At once, each names a field of its own and none is lost.
    let statuses = at_once(2, |n| match n {
        0 => own.patch(json!({"field_1": "Cy"})).status,
        _ => own.patch(json!({"field_2": 5})).status,
    });
    assert_eq!(statuses, [200, 200]);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("Cy"), &json!(5)));
}

#[test]
fn without_the_right_an_entry_is_unknown() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let (own, other) = (Own::of(&form, json!({"field_1": "Ada"})), Own::of(&form, json!({"field_1": "Bea"})));
    let elsewhere = allowing(&owner, named());
    let token = own.path.rsplit('/').next().expect("a token");
    let unknown = format!("{}/{}", form.submissions(), "a".repeat(22));
    let astray = format!("{}/{token}", elsewhere.submissions());
    let body = json!({"field_values": {"field_1": "x"}});
    let anon = server.anon();
    let mut forged = own.right.clone();
    let first = if forged.starts_with('A') { "B" } else { "A" };
    forged.replace_range(0..1, first);
    let callers = [
        (anon.clone(), &own.path),
        (anon.header("x-edit-token", ""), &own.path),
        (anon.header("x-edit-token", token), &own.path),
        (anon.header("x-edit-token", &forged), &own.path),
        (anon.header("x-edit-token", &other.right), &own.path),
        (anon.header("cookie", &format!("X-Edit-Token={}", own.right)), &own.path),
        (own.caller.clone(), &unknown),
        (own.caller.clone(), &astray),
        (owner.clone(), &own.path),
    ];
    for (i, (caller, path)) in callers.iter().enumerate() {
        for answer in [caller.get(path), caller.patch(path, body.clone())] {
            assert_eq!(answer.to_string(), r#"404 {"error":"Entry not found"}"#, "{i}");
        }
    }
    let by_query = anon.get(format!("{}?edit_token={}", own.path, own.right));
    assert_eq!(by_query.status, 404, "{by_query}");
    // The right is to the respondent's page and API alone.
    let as_bearer = anon.with_token(&own.right).get(form.entries());
    assert_eq!(as_bearer.status, 401, "{as_bearer}");
    // In the trash it is gone, out of it it is back.
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(own.get().status, 404);
    assert_eq!(own.patch(json!({"field_1": "x"})).status, 404);
    let back = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_eq!(back.status, 200, "{back}");
    assert_eq!(own.get().status, 200);
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(own.get().to_string(), r#"404 {"error":"Form not found"}"#);
}

#[test]
fn what_is_switched_off_or_closed_later_is_refused() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada"}));
    allow(&owner, &form, false);
    for answer in [own.get(), own.patch(json!({"field_1": "x"})), own.patch(json!(1))] {
        assert_eq!(answer.to_string(), r#"403 {"error":"Forbidden"}"#);
    }
    let fixed = server.anon().get(own.page());
    assert_eq!(fixed.status, 403, "{fixed}");
    assert!(fixed.text.contains("can no longer be changed"), "{fixed}");
    assert!(!fixed.text.contains("Ada"), "{fixed}");
    // Who lacks the right learns nothing of that.
    assert_eq!(server.anon().get(&own.path).status, 404);
    allow(&owner, &form, true);
    let code = |availability: Value| {
        set(&owner, &form, json!({"availability": availability}));
        assert_eq!(own.get().status, 200);
        let answer = own.patch(json!({"field_1": "Ada"}));
        (answer.status, answer.json()["code"].clone())
    };
    assert_eq!(code(json!({"manually_closed": true})), (403, json!("form_closed")));
    let page = server.anon().get(own.page());
    assert!(page.text.contains("This form is closed"), "{page}");
    assert!(page.text.contains("can’t be changed now"), "{page}");
    let posted = server.anon().post_form(own.page(), &[("_page", "0"), ("field_1", "x")]);
    assert_eq!(posted.status, 403, "{posted}");
    assert!(posted.text.contains("This form is closed"), "{posted}");
    // What was typed is not lost.
    assert!(posted.text.contains("value=\"x\""), "{posted}");
    let later = json!({"manually_closed": null, "schedule": {"start_at": "2999-01-01T00:00:00Z"}});
    assert_eq!(code(later), (403, json!("form_not_open")));
    // A full form has room for who is in it.
    Own::of_full(&owner, &form);
    assert_eq!(own.patch(json!({"field_1": "Full"})).status, 200);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Full");
}

impl Own {
    /// Fills the form up: nobody else gets in.
    fn of_full(owner: &Caller, form: &Form) {
        set(owner, form, json!({"availability": {"schedule": null, "entries_limit": 2}}));
        let _ = Self::of(form, json!({"field_1": "Second"}));
        let body = json!({"field_values": {"field_1": "Third"}});
        let full = Server::shared().anon().post(form.submissions(), body);
        assert_eq!(full.json()["code"], "form_full", "{full}");
    }
}

#[test]
fn the_password_is_needed_here_too() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada"}));
    set(&owner, &form, json!({"access_control": {"access_password": "open sesame"}}));
    let code = |answer: &Response| (answer.status, answer.json()["code"].clone());
    assert_eq!(code(&own.get()), (403, json!("password_required")));
    assert_eq!(code(&own.patch(json!({}))), (403, json!("password_required")));
    let wrong = own.caller.header("x-form-password", "x");
    assert_eq!(code(&wrong.get(&own.path)), (403, json!("password_invalid")));
    let right = own.caller.header("x-form-password", "open sesame");
    assert_eq!(right.get(&own.path).status, 200);
    let body = json!({"field_values": {"field_1": "Bea"}, "password": "open sesame"});
    assert_eq!(own.caller.patch(&own.path, body).status, 200);

    let anon = server.anon();
    let locked = anon.get(own.page());
    assert_eq!(locked.status, 403, "{locked}");
    assert!(!locked.text.contains("Bea"), "{locked}");
    let open = |password: &str| {
        let pairs = [("_action", "open"), ("_password", password)];
        anon.post_form(own.page(), &pairs)
    };
    assert_eq!(open("x").status, 403);
    let page = open("open sesame");
    assert_eq!(page.status, 200, "{page}");
    assert!(page.text.contains("value=\"Bea\""), "{page}");
    let grant = hidden(&page, "_grant");
    let saved = anon.post_form(own.page(), &[("_page", "0"), ("_grant", &grant), ("field_1", "Cy"), ("field_2", "")]);
    assert_eq!(saved.status, 303, "{saved}");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Cy");
}

#[test]
fn rules_and_unique_values_hold_for_a_change() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(
        &owner,
        json!([
            field("short_text", json!({"label": "Nick", "unique": true})),
            field("short_text", json!({"label": "Kind"})),
            field("short_text", json!({"label": "More"})),
        ]),
    );
    let rule = json!({"rules": [{
        "condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": "a"}]},
        "action": "hide", "fields": ["field_3"],
    }]});
    let put = owner.put(format!("{}/field_rules", form.path()), rule);
    assert_eq!(put.status, 200, "{put}");
    let own = Own::of(&form, json!({"field_1": "ada", "field_2": "b", "field_3": "x"}));
    Own::of(&form, json!({"field_1": "bea"}));
    let taken = own.patch(json!({"field_1": "BEA"}));
    assert_eq!(taken.faults(), ["field_values.field_1: has already been taken"]);
    // All that is wrong at once, whoever asks.
    let wrong = json!({"field_1": "BEA", "field_2": 7});
    let all = ["field_values.field_2: must be a string", "field_values.field_1: has already been taken"];
    assert_eq!(own.patch(wrong.clone()).faults(), all);
    let by_owner = owner.patch(form.entry(1), json!({"field_values": wrong}));
    assert_eq!(by_owner.faults(), all);
    assert_eq!(own.patch(json!({"field_1": "Ada"})).status, 200);
    assert_eq!(own.patch(json!({"field_2": "a"})).data()["field_3"], Value::Null);
}

#[test]
fn the_same_sending_gets_the_same_right() {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, named());
    let anon = server.anon().header("idempotency-key", "again");
    let submit = || anon.post(form.submissions(), json!({"field_values": {"field_1": "Ada"}}));
    let (first, again) = (submit(), submit());
    assert_eq!(first.json(), again.json());
    assert!(first.data()["edit_token"].is_string(), "{first}");
    // Nothing that was handed out lies about in the data dir.
    let right = first.data()["edit_token"].as_str().expect("a right").to_owned();
    for name in ["formsvc.db", "formsvc.db-wal"] {
        let bytes = std::fs::read(server.dir.join(name)).unwrap_or_default();
        let found = bytes.windows(right.len()).any(|part| part == right.as_bytes());
        assert!(!found, "{name}");
    }
}

#[test]
fn thanks_lead_to_another_answer_while_one_is_taken() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(named());
    let receipt = |path: &str| {
        let done = anon.post_form(path, &[("field_1", "Ada")]);
        assert_eq!(done.status, 303, "{done}");
        done.header("location").to_owned()
    };
    let leads = |receipt: &str, to: &str| {
        let thanks = anon.get(receipt);
        assert_eq!(thanks.status, 200, "{thanks}");
        thanks.text.contains(&format!("href=\"{to}\""))
    };
    let first = receipt(&form.page());
    assert!(leads(&first, &form.page()));
    // In a frame it stays in the frame.
    let framed = format!("{}?embed=1", form.page());
    assert!(leads(&receipt(&framed), &framed));
    for shut in [
        json!({"availability": {"entries_limit": 2}}),
        json!({"availability": {"entries_limit": null, "manually_closed": true}}),
        json!({"availability": {"manually_closed": false}, "submission_options": {"one_per_respondent": "browser"}}),
    ] {
        set(&owner, &form, shut.clone());
        assert!(!leads(&first, &form.page()), "{shut}");
    }
}

/// The address that a link of a page leads to.
fn link(page: &Response, holding: &str) -> Option<String> {
    let mut links = page.text.split("href=\"").skip(1);
    links.find_map(|part| {
        let address = part.split('"').next()?;
        address.contains(holding).then(|| address.replace("&amp;", "&"))
    })
}

#[test]
fn thanks_lead_to_a_page_that_changes_the_answers() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = allowing(&owner, named());
    let done = anon.post_form(form.page(), &[("field_1", "Ada"), ("field_2", "36")]);
    assert_eq!(done.status, 303, "{done}");
    let receipt = done.header("location").to_owned();
    assert!(receipt.contains("&edit_token="), "{receipt}");
    let thanks = anon.get(&receipt);
    let change = link(&thanks, "/entries/").expect("a link");
    assert_eq!(thanks.header("x-robots-tag"), "noindex");
    // The receipt without the right, or with another one, thanks and no more.
    let (bare, _) = receipt.split_once("&edit_token=").expect("a right");
    for other in [bare.to_owned(), format!("{bare}&edit_token=x")] {
        let thanks = anon.get(&other);
        assert_eq!((thanks.status, link(&thanks, "/entries/")), (200, None), "{thanks}");
    }

    let page = anon.get(&change);
    assert_eq!(page.status, 200, "{page}");
    for part in ["value=\"Ada\"", "value=\"36\"", "Save changes", "Editing your answers"] {
        assert!(page.text.contains(part), "{part}: {page}");
    }
    // Nothing of it is kept in the browser, nothing of it is for search engines.
    assert!(!page.text.contains("data-keep"), "{page}");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert_eq!(page.header("content-encoding"), "");
    let tag = hidden(&page, "_tag");
    let post = |name: &str, age: &str| {
        let pairs = [("_page", "0"), ("_tag", &tag), ("field_1", name), ("field_2", age)];
        anon.post_form(&change, &pairs)
    };
    let wrong = post("", "x");
    assert_eq!(wrong.status, 422, "{wrong}");
    assert!(wrong.text.contains("value=\"x\""), "{wrong}");
    assert!(wrong.text.contains("Save changes"), "{wrong}");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Ada");

    let saved = post("Ada King", "36");
    assert_eq!(saved.status, 303, "{saved}");
    let said = anon.get(saved.header("location"));
    assert_eq!(said.status, 200, "{said}");
    assert!(said.text.contains("Your changes are saved"), "{said}");
    assert_eq!(link(&said, "/entries/"), Some(change.clone()));
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("Ada King"), &json!(36)));
    // A second click finds what is stored already, and nothing to change.
    let stored = owner.get(form.entry(1));
    assert_eq!(post("Ada King", "36").header("location"), saved.header("location"));
    assert_eq!(owner.get(form.entry(1)).text, stored.text);
}

#[test]
fn in_a_frame_all_of_it_stays_in_the_frame() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = allowing(&owner, named());
    let framed = format!("{}?embed=1", form.page());
    let done = anon.post_form(framed, &[("field_1", "Ada")]);
    let thanks = anon.get(done.header("location"));
    let change = link(&thanks, "/entries/").expect("a link");
    assert!(change.ends_with("&embed=1"), "{change}");
    let page = anon.get(&change);
    assert_eq!(page.status, 200, "{page}");
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!page.text.contains("site-foot"), "{page}");
    assert_eq!(link(&page, "/entries/"), None);
    assert!(page.text.contains(&format!("action=\"{}\"", change.replace('&', "&amp;"))), "{page}");
    let saved = anon.post_form(&change, &[("_page", "0"), ("field_1", "Bea"), ("field_2", "")]);
    assert_eq!(saved.status, 303, "{saved}");
    assert!(saved.header("location").contains("&embed=1"), "{saved}");
    let said = anon.get(saved.header("location"));
    assert!(said.text.contains("Your changes are saved"), "{said}");
    // The password and the news that nothing is changed any more are framed too.
    allow(&owner, &form, false);
    let fixed = anon.get(&change);
    assert_eq!(fixed.status, 403, "{fixed}");
    assert!(!fixed.text.contains("site-foot"), "{fixed}");
}

#[test]
fn a_page_does_not_write_over_what_it_has_not_shown() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada", "field_2": 1}));
    let page = anon.get(own.page());
    let tag = hidden(&page, "_tag");
    let other = json!({"field_values": {"field_2": 2}});
    assert_eq!(owner.patch(form.entry(1), other).status, 200);
    let pairs = [("_page", "0"), ("_tag", tag.as_str()), ("field_1", "Bea"), ("field_2", "1")];
    let asked = anon.post_form(own.page(), &pairs);
    assert_eq!(asked.status, 412, "{asked}");
    assert!(asked.text.contains("These answers have changed"), "{asked}");
    assert!(asked.text.contains("value=\"Bea\""), "{asked}");
    assert!(!asked.text.contains("name=\"_tag\""), "{asked}");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Ada");
    // Sent again, it is meant.
    let pairs = [("_page", "0"), ("field_1", "Bea"), ("field_2", "1")];
    assert_eq!(anon.post_form(own.page(), &pairs).status, 303);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("Bea"), &json!(1)));
}

#[test]
fn a_page_without_the_right_is_not_there() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = allowing(&owner, named());
    let own = Own::of(&form, json!({"field_1": "Ada"}));
    let bare = own.page().split('?').next().expect("a path").to_owned();
    for path in [bare.clone(), format!("{bare}?edit_token=x")] {
        for answer in [anon.get(&path), anon.post_form(&path, &[("field_1", "x")])] {
            assert_eq!(answer.status, 404, "{answer}");
            assert!(!answer.text.contains("Ada"), "{answer}");
        }
    }
}

#[test]
fn what_is_left_alone_fits_no_later_rule() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = allowing(
        &owner,
        json!([field("short_text", json!({"label": "Name"})), field("number", json!({"label": "Age"})),]),
    );
    let own = Own::of(&form, json!({"field_1": "Ada", "field_2": 5}));
    let fields = json!({"fields": [
        {"api_code": "field_1", "type": "short_text", "label": "Name"},
        {"api_code": "field_2", "type": "number", "label": "Age", "min": 18},
    ]});
    let narrowed = owner.patch(form.path(), fields);
    assert_eq!(narrowed.status, 200, "{narrowed}");
    let pairs = [("_page", "0"), ("field_1", "Bea"), ("field_2", "5")];
    assert_eq!(anon.post_form(own.page(), &pairs).status, 303);
    let pairs = [("_page", "0"), ("field_1", "Bea"), ("field_2", "6")];
    assert_eq!(anon.post_form(own.page(), &pairs).status, 422);
}
