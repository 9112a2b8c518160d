//! A respondent's own entry (`allow_edit_after_submission`): read and changed with the `edit_token` that came with the
//! answer to the submission, over the API and on the page.

use super::*;

/// A form whose respondents may change their answers.
fn world() -> World {
    asking(json!([
        {"short_text": {"label": "Name", "required": true}}, {"number": {"label": "Age"}},
        {"short_text": {"label": "Inside", "hidden": true}}
    ]))
    .settings(editable(true))
}

/// A submission, and the caller who may change it.
pub struct Own {
    path: String,
    right: String,
    caller: Caller,
}

impl Own {
    pub fn of(form: &Form, field_values: Value) -> Self {
        let anon = Server::shared().anon();
        let data = submit(&anon, form, field_values).is(201).data();
        let right = data["edit_token"].as_str().expect("a right").to_owned();
        let token = data["entry"]["token"].as_str().expect("a token");
        let path = format!("{}/{token}", form.submissions());
        Self { path, caller: anon.header("x-edit-token", &right), right }
    }

    /// Its `edit_token`.
    pub fn right(&self) -> &str {
        &self.right
    }

    fn get(&self) -> Response {
        self.caller.get(&self.path)
    }

    pub fn patch(&self, field_values: Value) -> Response {
        self.caller.patch(&self.path, json!({ "field_values": field_values }))
    }

    /// The address of the page on which it is changed.
    fn page(&self) -> String {
        format!("{}?edit_token={}", self.path.trim_start_matches("/api/v1"), self.right)
    }
}

/// A form with one submission of these values.
fn case(values: Value) -> (World, Own) {
    let w = world();
    let own = Own::of(&w.form, values);
    (w, own)
}

/// A value of the first entry, as its owner reads it.
fn stored(w: &World, key: &str) -> Value {
    w.owner.get(w.form.entry(1)).data()[key].clone()
}

#[test]
fn edit_token_comes_with_the_answer_where_settings_allow_it() {
    let w = world();
    let send = || submit(&w.anon, &w.form, json!({"field_1": "Adèle"})).is(201).data()["edit_token"].clone();
    set(&w.owner, &w.form, editable(false));
    assert_eq!(send(), Value::Null);
    set(&w.owner, &w.form, editable(true));
    let (one, two) = (send(), send());
    let right = one.as_str().expect("a right");
    assert!(right.len() >= 40 && one != two, "{one} {two}");
    // No other answer holds it.
    let added = w.owner.post(w.form.entries(), json!({"field_values": {"field_1": "x"}}));
    for answer in [w.owner.get(w.form.entries()), w.owner.get(w.form.entry(2)), added] {
        answer.lacks(["edit_token", right]);
    }
}

#[test]
fn respondent_reads_and_changes_the_own_entry() {
    let (w, own) = case(json!({"field_1": "Adèle", "field_2": 36}));
    w.owner.patch(w.form.entry(1), json!({"field_values": {"field_3": "kept"}})).is(200);
    let shown = |age: u32| {
        format!(
            r#"200 {{"data":{{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_1":"Adèle","field_2":{age}}}}}"#
        )
    };
    let read = own.get();
    assert_eq!(read.to_string(), shown(36));
    let same = own.caller.header("if-none-match", read.header("etag")).get(&own.path);
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    // The named fields change, hidden ones never.
    let changed = own.patch(json!({"field_2": 37, "field_3": "mine", "field_9": 1}));
    let told = ["field_3", "field_9"];
    let told = told.map(|key| json!({"attribute": format!("field_values.{key}"), "message": "is not a known key"}));
    assert_eq!(changed.json()["warnings"], json!(told));
    assert_eq!(own.get().to_string(), shown(37));
    assert_ne!(changed.header("etag"), read.header("etag"));
    assert_eq!(changed.header("etag"), own.get().header("etag"));
    assert_eq!((stored(&w, "field_2"), stored(&w, "field_3")), (json!(37), json!("kept")));
    assert_eq!(own.patch(json!({"field_2": null})).data()["field_2"], Value::Null);
    let faults = own.patch(json!({"field_1": "", "field_2": "x"})).faults();
    assert_eq!(faults, ["field_values.field_1: can't be blank", "field_values.field_2: must be a number"]);
    assert_eq!(own.caller.patch(&own.path, json!({})).faults(), ["field_values: is required"]);
    assert_eq!(stored(&w, "field_1"), "Adèle");
}

#[test]
fn change_over_what_was_not_seen_is_refused() {
    let (w, own) = case(json!({"field_1": "Adèle"}));
    let body = json!({"field_values": {"field_1": "Béa"}});
    let given = |tag: &str| own.caller.header("if-match", tag).patch(&own.path, body.clone());
    let tag = own.get().header("etag").to_owned();
    given(&tag).is(200);
    given(&tag).refuses(412, "version_conflict");
    given("*").is(200);
    // At once, each names its own field and none is lost.
    let changes = [json!({"field_1": "Cy"}), json!({"field_2": 5})];
    assert_eq!(at_once(2, |n| own.patch(changes[n].clone()).status), [200, 200]);
    assert_eq!((stored(&w, "field_1"), stored(&w, "field_2")), (json!("Cy"), json!(5)));
}

#[test]
fn entry_is_unknown_without_its_edit_token() {
    let (w, own) = case(json!({"field_1": "Adèle"}));
    let other = Own::of(&w.form, json!({"field_1": "Béa"}));
    let token = own.path.rsplit('/').next().expect("a token");
    let unknown = format!("{}/{}", w.form.submissions(), "a".repeat(22));
    let astray = format!("{}/{token}", world().form.submissions());
    let mut forged = own.right.clone();
    forged.replace_range(0..1, if forged.starts_with('A') { "B" } else { "A" });
    let given = |right: &str| w.anon.header("x-edit-token", right);
    for (what, caller, path) in [
        ("no right", w.anon.clone(), &own.path),
        ("an empty one", given(""), &own.path),
        ("the entry's token", given(token), &own.path),
        ("a forged one", given(&forged), &own.path),
        ("another entry's", given(&other.right), &own.path),
        ("a cookie", w.anon.header("cookie", &format!("X-Edit-Token={}", own.right)), &own.path),
        ("an unknown entry", own.caller.clone(), &unknown),
        ("another form", own.caller.clone(), &astray),
        ("the form's owner", w.owner.clone(), &own.path),
    ] {
        for answer in [caller.get(path), caller.patch(path, json!({"field_values": {"field_1": "x"}}))] {
            assert_eq!(answer.to_string(), r#"404 {"error":"Entry not found"}"#, "{what}");
        }
    }
    w.anon.get(format!("{}?edit_token={}", own.path, own.right)).is(404);
    // The right is to the respondent's page and API alone.
    w.anon.with_token(&own.right).get(w.form.entries()).is(401);
    // The page is not there either.
    let page = own.page();
    let bare = page.split('?').next().expect("a path");
    for path in [bare, &format!("{bare}?edit_token=x")] {
        w.anon.get(path).is(404).lacks(["Adèle"]);
        w.anon.post_form(path, &[("field_1", "x")]).is(404).lacks(["Adèle"]);
    }
    // In the trash it is gone, out of it it is back.
    w.owner.delete(w.form.entry(1)).is(200);
    own.get().is(404);
    own.patch(json!({"field_1": "x"})).is(404);
    w.owner.post(format!("{}/restore", w.form.trashed(1)), json!({})).is(200);
    own.get().is(200);
    w.owner.delete(w.form.path()).is(200);
    assert_eq!(own.get().to_string(), r#"404 {"error":"Form not found"}"#);
}

#[test]
fn what_is_switched_off_or_closed_later_is_refused() {
    let (w, own) = case(json!({"field_1": "Adèle"}));
    set(&w.owner, &w.form, editable(false));
    for answer in [own.get(), own.patch(json!({"field_1": "x"})), own.patch(json!(1))] {
        assert_eq!(answer.to_string(), r#"403 {"error":"Forbidden"}"#);
    }
    w.anon.get(own.page()).is(403).has(["can no longer be changed"]).lacks(["Adèle"]);
    // A visitor without the right learns nothing of that.
    w.anon.get(&own.path).is(404);
    set(&w.owner, &w.form, editable(true));
    let later = json!({"manually_closed": null, "schedule": {"start_at": "2999-01-01T00:00:00Z"}});
    for (group, code) in [(later, "form_not_open"), (json!({"schedule": null, "manually_closed": true}), "form_closed")]
    {
        set(&w.owner, &w.form, json!({ "availability": group }));
        own.get().is(200);
        own.patch(json!({"field_1": "Adèle"})).refuses(403, code);
    }
    w.anon.get(own.page()).has(["This form is closed", "can’t be changed now"]);
    // Typed values are not lost.
    let posted = w.anon.post_form(own.page(), &typed("_page=0&field_1=x")).is(403);
    posted.has(["This form is closed", r#"value="x""#]);
    // A full form has room for entries that it already has.
    set(&w.owner, &w.form, json!({"availability": {"manually_closed": null, "entries_limit": 2}}));
    Own::of(&w.form, json!({"field_1": "Second"}));
    submit(&w.anon, &w.form, json!({"field_1": "Third"})).refuses(403, "form_full");
    own.patch(json!({"field_1": "Full"})).is(200);
    assert_eq!(stored(&w, "field_1"), "Full");
}

#[test]
fn password_is_needed_for_the_own_entry_too() {
    let (w, own) = case(json!({"field_1": "Adèle"}));
    set(&w.owner, &w.form, password("open sesame"));
    own.get().refuses(403, "password_required");
    own.patch(json!({})).refuses(403, "password_required");
    own.caller.header("x-form-password", "x").get(&own.path).refuses(403, "password_invalid");
    own.caller.header("x-form-password", "open sesame").get(&own.path).is(200);
    own.caller.patch(&own.path, json!({"field_values": {"field_1": "Béa"}, "password": "open sesame"})).is(200);

    w.anon.get(own.page()).is(403).lacks(["Béa"]);
    let open = |given| w.anon.post_form(own.page(), &[("_action", "open"), ("_password", given)]);
    open("x").is(403);
    let page = open("open sesame").is(200);
    let grant = hidden(page.has([r#"value="Béa""#]), "_grant");
    let inputs = [("_page", "0"), ("_grant", &grant), ("field_1", "Cy"), ("field_2", "")];
    w.anon.post_form(own.page(), &inputs).is(303);
    assert_eq!(stored(&w, "field_1"), "Cy");
}

#[test]
fn rules_and_unique_values_hold_for_a_change() {
    let w = asking(json!([
        {"short_text": {"label": "Nick", "unique": true}}, {"short_text": {"label": "Kind"}},
        {"short_text": {"label": "More"}}
    ]))
    .settings(editable(true));
    set_rules(&w.owner, &w.form, json!([rule("field_2", "a", "hide", "field_3")]));
    let own = Own::of(&w.form, json!({"field_1": "ada", "field_2": "b", "field_3": "x"}));
    Own::of(&w.form, json!({"field_1": "bea"}));
    let taken = "field_values.field_1: has already been taken";
    assert_eq!(own.patch(json!({"field_1": "BEA"})).faults(), [taken]);
    // All faults at once, for any caller.
    let wrong = json!({"field_1": "BEA", "field_2": 7});
    let by_owner = w.owner.patch(w.form.entry(1), json!({ "field_values": wrong }));
    for answer in [own.patch(wrong), by_owner] {
        assert_eq!(answer.faults(), ["field_values.field_2: must be a string", taken]);
    }
    own.patch(json!({"field_1": "Adèle"})).is(200);
    assert_eq!(own.patch(json!({"field_2": "a"})).data()["field_3"], Value::Null);
}

#[test]
fn same_sending_gets_the_same_edit_token() {
    let w = world();
    let send = || submit(&w.anon.header("idempotency-key", "again"), &w.form, json!({"field_1": "Adèle"}));
    let first = send();
    assert_eq!(first.json(), send().json());
    // Nothing that was handed out lies about in the data dir.
    let data = first.data();
    let right = data["edit_token"].as_str().expect("a right").as_bytes();
    for name in ["formsvc.db", "formsvc.db-wal"] {
        let bytes = std::fs::read(w.server.dir.join(name)).unwrap_or_default();
        assert!(!bytes.windows(right.len()).any(|part| part == right), "{name}");
    }
}

#[test]
fn thanks_lead_to_a_page_that_changes_the_answers() {
    let w = world();
    let receipt = w.post(&typed("field_1=Adèle&field_2=36")).leads();
    let thanks = w.anon.get(&receipt);
    let change = link(&thanks, "/entries/").expect("a link");
    // The receipt without the right, or with another one, thanks and no more.
    let (bare, _) = receipt.split_once("&edit_token=").expect("a right");
    for other in [bare.to_owned(), format!("{bare}&edit_token=x")] {
        assert_eq!(link(&w.anon.get(&other).is(200), "/entries/"), None, "{other}");
    }

    let page = w.anon.get(&change).is(200);
    // Nothing of it is kept in the browser, nothing of it is for search engines.
    page.has([r#"value="Adèle""#, r#"value="36""#, "Save changes", "Editing your answers"]).lacks(["data-keep"]);
    let headers = [thanks.header("x-robots-tag"), page.header("x-robots-tag"), page.header("content-encoding")];
    assert_eq!(headers, ["noindex", "noindex", ""]);
    let tag = hidden(&page, "_tag");
    let post =
        |name, age| w.anon.post_form(&change, &[("_page", "0"), ("_tag", &tag), ("field_1", name), ("field_2", age)]);
    post("", "x").is(422).has([r#"value="x""#, "Save changes"]);
    assert_eq!(stored(&w, "field_1"), "Adèle");
    let saved = post("Adèle King", "36").leads();
    let said = w.anon.get(&saved).is(200);
    assert_eq!(link(said.has(["Your changes are saved"]), "/entries/").as_ref(), Some(&change));
    assert_eq!((stored(&w, "field_1"), stored(&w, "field_2")), (json!("Adèle King"), json!(36)));
    // A second click finds the values stored already, and nothing to change.
    let stored = w.owner.get(w.form.entry(1));
    assert_eq!(post("Adèle King", "36").leads(), saved);
    assert_eq!(w.owner.get(w.form.entry(1)).text, stored.text);
}

#[test]
fn changes_in_a_frame_stay_in_the_frame() {
    let w = world();
    let thanks = w.anon.post_form(format!("{}?embed=1", w.form.page()), &[("field_1", "Adèle")]).leads();
    let change = link(&w.anon.get(thanks), "/entries/").expect("a link");
    assert!(change.ends_with("&embed=1"), "{change}");
    let page = w.anon.get(&change).is(200);
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("frame-ancestors 'none'"), "{policy}");
    page.has([format!("action=\"{}\"", change.replace('&', "&amp;"))]).lacks(["site-foot"]);
    assert_eq!(link(&page, "/entries/"), None);
    let saved = w.anon.post_form(&change, &typed("_page=0&field_1=Béa&field_2=")).leads();
    assert!(saved.contains("&embed=1"), "{saved}");
    w.anon.get(saved).has(["Your changes are saved"]);
    // The news that nothing is changed any more is framed too.
    set(&w.owner, &w.form, editable(false));
    w.anon.get(&change).is(403).lacks(["site-foot"]);
}

#[test]
fn page_does_not_write_over_what_it_has_not_shown() {
    let (w, own) = case(json!({"field_1": "Adèle", "field_2": 1}));
    let tag = hidden(&w.anon.get(own.page()), "_tag");
    w.owner.patch(w.form.entry(1), json!({"field_values": {"field_2": 2}})).is(200);
    let typed = typed("_page=0&field_1=Béa&field_2=1");
    let asked = w.anon.post_form(own.page(), &[&typed[..], &[("_tag", &tag)]].concat()).is(412);
    asked.has(["These answers have changed", r#"value="Béa""#]).lacks([r#"name="_tag""#]);
    assert_eq!(stored(&w, "field_1"), "Adèle");
    // Sent again, it is meant.
    w.anon.post_form(own.page(), &typed).is(303);
    assert_eq!((stored(&w, "field_1"), stored(&w, "field_2")), (json!("Béa"), json!(1)));
}

#[test]
fn answers_that_are_left_alone_need_not_fit_a_later_rule() {
    let (w, own) = case(json!({"field_1": "Adèle", "field_2": 5}));
    let fields = json!({"fields": [{"api_code": "field_1", "type": "short_text", "label": "Name"},
        {"api_code": "field_2", "type": "number", "label": "Age", "min": 18}], "confirm_data_loss": true});
    w.owner.patch(w.form.path(), fields).is(200);
    for (age, status) in [("5", 303), ("6", 422)] {
        w.anon.post_form(own.page(), &[("_page", "0"), ("field_1", "Béa"), ("field_2", age)]).is(status);
    }
}
