//! `linked_form`: entries of another form as values, and definitions that link to forms.

use std::sync::OnceLock;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use super::Group;

/// A form to link to, with two live entries and one in the trash; another form with one entry.
pub struct Linked {
    pub owner: Caller,
    pub form: Form,
    /// The tokens of its entries: two that live, one in the trash.
    pub tokens: [String; 3],
    /// The token of the other form's entry.
    pub foreign: String,
}

fn token_of(owner: &Caller, form: &Form, name: &str) -> String {
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": name}}));
    assert_eq!(made.status, 201, "{made}");
    made.data()["token"].as_str().expect("a token").to_owned()
}

pub fn linked() -> &'static Linked {
    static LINKED: OnceLock<Linked> = OnceLock::new();
    LINKED.get_or_init(|| {
        let owner = Server::shared().user();
        let fields = json!([
            field("name", json!({})),
            field("number", json!({"default_value": 5})),
            field("checkbox", json!({"choices": [{"api_code": "a", "label": "A"}]})),
            field("description", json!({"content": "x"})),
        ]);
        let (form, other) = (owner.form(fields.clone()), owner.form(fields));
        let tokens = ["Ada", "Grace", "Alan"].map(|name| token_of(&owner, &form, name));
        assert_eq!(owner.delete(form.entry(3)).status, 200);
        let foreign = token_of(&owner, &other, "Emmy");
        Linked { owner, form, tokens, foreign }
    })
}

fn own() -> Value {
    json!({
        "form_token": linked().form.token,
        "search_fields": ["field_1"],
        "display_fields": [
            {"api_code": "field_1", "public": true},
            {"api_code": "field_2", "public": true, "protected": true},
            {"api_code": "field_3", "public": true},
        ],
    })
}

pub fn groups() -> Vec<Group> {
    let linked = linked();
    let [ada, grace, trashed] = &linked.tokens;
    let read = |token: &str, serial: i64, name: &str| {
        json!({
            "entry_token": token,
            "serial_number": serial,
            "associated_fields": {"field_1": name},
            "display_fields": {"field_1": name, "field_2": 5, "field_3": []},
        })
    };
    let mut altered = ada.clone();
    let last = if altered.ends_with('a') { "b" } else { "a" };
    altered.replace_range(21.., last);
    let unknown = "is not an entry of the linked form";
    let shape = "must be the token of an entry, or an object with entry_token";
    let mut group = Group::of("linked_form", own())
        .takes(json!(ada), read(ada, 1, "Ada"))
        .takes(json!(grace), read(grace, 2, "Grace"))
        .takes(json!({"entry_token": ada}), read(ada, 1, "Ada"))
        .takes(read(grace, 2, "Somebody else"), read(grace, 2, "Grace"))
        .takes(json!(""), json!(null))
        .takes(json!(" "), json!(null));
    for bad in [
        json!(trashed),
        json!(linked.foreign),
        json!(altered),
        json!(ada.to_lowercase()),
        json!(format!("{ada} ")),
        json!("1"),
        json!("zzzzzzzzzzzzzzzzzzzzzz"),
        json!("0000000000000000000000"),
        json!("ａｄａ"),
        json!({"entry_token": trashed}),
        json!({"deleted": true}),
    ] {
        group = group.refuses(bad, unknown);
    }
    for bad in [json!(1), json!(true), json!([ada]), json!({}), json!({"entry_token": 1}), json!({"serial_number": 1})]
    {
        group = group.refuses(bad, shape);
    }
    group.owner = Some(linked.owner.clone());
    vec![group]
}

/// The faults of one definition, behind `fields[0]`.
fn faults(owner: &Caller, own: Value) -> Vec<String> {
    let fields = json!([field("linked_form", own)]);
    let answer = owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}));
    assert_eq!(answer.status, 422, "{answer}");
    let cut = |fault: String| fault.trim_start_matches("fields[0].").to_owned();
    answer.faults().into_iter().map(cut).collect()
}

fn with(change: Value) -> Value {
    let mut own = own();
    for (key, value) in change.as_object().expect("an object") {
        own[key] = value.clone();
    }
    own
}

#[test]
fn definitions_are_kept_as_they_were_given() {
    let owner = &linked().owner;
    let mut own = own();
    own["default_value"] = json!(linked().tokens[0]);
    own["multiple"] = json!(false);
    let form = owner.form(json!([field("linked_form", own.clone())]));
    for (key, value) in own.as_object().expect("an object") {
        assert_eq!(form.body["fields"][0][key], *value, "{key}");
    }
    // Respondents aren't told which form it is, nor the fields that they don't see.
    let mut hidden = with(json!({"display_fields": [
        {"api_code": "field_1", "public": false}, {"api_code": "field_2", "public": true},
    ]}));
    hidden["search_fields"] = json!(["field_1", "field_2"]);
    let form = owner.form(json!([field("linked_form", hidden)]));
    let shown = Server::shared().anon().get(form.published()).data();
    assert_eq!(
        shown["fields"][0],
        json!({
            "api_code": "field_1", "type": "linked_form", "label": "linked_form", "required": false,
            "search_fields": ["field_2"], "display_fields": [{"api_code": "field_2", "public": true}],
            "multiple": false,
        })
    );
}

#[test]
fn definitions_are_refused_where_they_are_wrong() {
    let owner = &linked().owner;
    let unmanaged = "form_token: must be a form that you manage";
    let unknown = "is not a field of the linked form";
    let mut trashed = owner.form(json!([field("name", json!({}))]));
    owner.delete(trashed.path());
    for (change, said) in [
        (json!({"form_token": null}), vec!["form_token: can't be blank"]),
        (json!({"form_token": " "}), vec!["form_token: can't be blank"]),
        (json!({"form_token": 1}), vec!["form_token: must be a string"]),
        (json!({"form_token": "nosuchform"}), vec![unmanaged]),
        (json!({"form_token": std::mem::take(&mut trashed.token)}), vec![unmanaged]),
        (json!({"search_fields": null}), vec!["search_fields: is required"]),
        (json!({"search_fields": "field_1"}), vec!["search_fields: must be a list"]),
        (json!({"search_fields": [1]}), vec!["search_fields[0]: must be a string"]),
        (
            json!({"search_fields": ["field_1", "field_9", "field_4", "serial_number", "field_1"]}),
            vec![
                &format!("search_fields[1]: {unknown}"),
                &format!("search_fields[2]: {unknown}"),
                &format!("search_fields[3]: {unknown}"),
                "search_fields[4]: is listed twice",
            ],
        ),
        (json!({"display_fields": null}), vec!["display_fields: is required"]),
        (json!({"display_fields": {}}), vec!["display_fields: must be a list"]),
        (json!({"display_fields": ["field_1"]}), vec!["display_fields[0]: must be an object"]),
        (json!({"display_fields": [{"api_code": "field_1"}]}), vec!["display_fields[0].public: is required"]),
        (
            json!({"display_fields": [{"api_code": "field_1", "public": "yes", "protected": 1}]}),
            vec![
                "display_fields[0].public: must be true or false",
                "display_fields[0].protected: must be true or false",
            ],
        ),
        (
            json!({"display_fields": [{"public": true}, {"api_code": "field_8", "public": true}]}),
            vec!["display_fields[0].api_code: can't be blank", &format!("display_fields[1].api_code: {unknown}")],
        ),
        (json!({"multiple": true}), vec!["multiple: must be false"]),
        (json!({"multiple": "no"}), vec!["multiple: must be true or false"]),
        (json!({"default_value": linked().foreign}), vec!["default_value: is not an entry of the linked form"]),
        (
            json!({"default_value": 5}),
            vec!["default_value: must be the token of an entry, or an object with entry_token"],
        ),
        (json!({"unique": true}), vec!["unique: is not possible for linked_form"]),
    ] {
        assert_eq!(faults(owner, with(change.clone())), said, "{change}");
    }
    // Somebody else's form is as good as none.
    let stranger = Server::shared().user();
    assert_eq!(faults(&stranger, own()), [unmanaged]);
    // A linked field shows no linked field.
    let chain = owner.form(json!([field("linked_form", own())]));
    let own = json!({
        "form_token": chain.token, "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}],
    });
    let said = "links to another form itself and can't be shown here";
    assert_eq!(
        faults(owner, own),
        [format!("search_fields[0]: {said}"), format!("display_fields[0].api_code: {said}")]
    );
}
