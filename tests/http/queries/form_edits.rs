//! Changes of a form whose fields a query uses: one that would remove a used field is refused (contract sections 3 and
//! 8).

use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

use crate::queries::suggestions::{directory, link};
use crate::queries::{Query, all_of, any_of, body, condition, fill, monday, shown};

fn choices() -> Value {
    json!([{"api_code": "a", "label": "Anna"}, {"api_code": "b", "label": "Bert"}])
}

fn room() -> Value {
    json!([{"api_code": "room", "name": "Room", "quota_setting": {
        "kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": null}]}}])
}

/// Each field is used in one way: searched by, shown, in the scope, by a part of it, or not at all.
struct Case {
    owner: Caller,
    form: Form,
    query: Query,
}

impl Case {
    fn new() -> Self {
        let owner = Server::shared().user();
        let directory = directory(&owner);
        let form = owner.form(json!([
            field("short_text", json!({"label": "Searched"})),
            field("email", json!({"label": "Shown"})),
            field("number", json!({"label": "Scope"})),
            field("booking", json!({"label": "Part", "reservation_items": room()})),
            link(&directory),
            field("radio", json!({"label": "Searched choice", "choices": choices()})),
            field("radio", json!({"label": "Shown choice", "choices": choices()})),
            field("short_text", json!({"label": "Unused"})),
        ]));
        let query = Query::with(
            &owner,
            &form,
            json!([
                {"operand": "and", "fields": [{"field": "field_1"}]},
                {"operand": "or", "fields": [
                    {"field": "field_4_attribute_api_code"}, {"field": "field_6"},
                    {"field": "field_5_associated_field_1"}]},
            ]),
            shown(&["serial_number", "field_2", "field_7", "field_5_associated_field_5"]),
            json!({"name": "Wer sucht, der findet", "scope_conditions": [condition("field_3", "not_null", Value::Null)]}),
        );
        Self { owner, form, query }
    }

    fn fields(&self) -> Vec<Value> {
        let form = self.owner.get(self.form.path()).data();
        form["fields"].as_array().expect("fields").clone()
    }

    fn edit(&self, fields: Vec<Value>) -> Response {
        self.owner.patch(self.form.path(), json!({"fields": fields, "confirm_data_loss": true}))
    }

    /// The form without this field.
    fn without(&self, code: &str) -> Vec<Value> {
        let mut fields = self.fields();
        fields.retain(|field| field["api_code"] != code);
        fields
    }

    /// The form with this field of another type.
    fn as_type(&self, code: &str, kind: &str) -> (usize, Vec<Value>) {
        let mut fields = self.fields();
        let at = fields.iter().position(|field| field["api_code"] == code);
        let at = at.expect("the field");
        fields[at]["type"] = json!(kind);
        (at, fields)
    }

    fn refuses(&self, fields: Vec<Value>, attribute: &str) {
        let refused = self.edit(fields);
        assert_eq!((refused.status, refused.attributes()), (422, vec![attribute.to_owned()]), "{refused}");
        let told = refused.faults().remove(0);
        assert!(told.contains("Wer sucht, der findet"), "{told}");
    }
}

#[test]
fn fields_in_use_are_not_removed() {
    let case = Case::new();
    for code in ["field_1", "field_2", "field_3", "field_4", "field_5", "field_6", "field_7"] {
        case.refuses(case.without(code), "fields");
    }
    // Also while the query is switched off.
    case.query.change(&case.owner, json!({"enabled": false}));
    case.refuses(case.without("field_1"), "fields");
    case.edit(case.without("field_8")).is(200);
    // Fields that the query no longer names may go.
    let rules = json!({
        "search_field_rules": all_of(&["field_6"]), "display_field_rules": shown(&["field_7"]),
        "scope_conditions": [],
    });
    case.query.change(&case.owner, rules);
    for code in ["field_1", "field_2", "field_3", "field_4", "field_5"] {
        let done = case.edit(case.without(code));
        assert_eq!(done.status, 200, "{code}: {done}");
    }
    case.refuses(case.without("field_6"), "fields");
    case.owner.delete(case.query.path()).is(200);
    case.edit(case.without("field_6")).is(200);
}

#[test]
fn types_that_do_not_fit_the_query_are_refused() {
    let case = Case::new();
    // A checkbox can be shown, but not searched by.
    let (at, fields) = case.as_type("field_6", "checkbox");
    case.refuses(fields, &format!("fields[{at}].type"));
    let (_, fields) = case.as_type("field_7", "checkbox");
    case.edit(fields).is(200);
    for (code, kind) in [
        ("field_1", "long_text"),
        ("field_2", "short_text"),
        ("field_6", "dropdown"),
        ("field_3", "short_text"),
        ("field_8", "name"),
    ] {
        let (_, fields) = case.as_type(code, kind);
        let done = case.edit(fields);
        assert_eq!(done.status, 200, "{code} to {kind}: {done}");
    }
    // Both at once, each at its place.
    let (at, mut fields) = case.as_type("field_6", "checkbox");
    fields.retain(|field| field["api_code"] != "field_8");
    fields.retain(|field| field["api_code"] != "field_2");
    let refused = case.edit(fields).is(422);
    let mut told = refused.attributes();
    told.sort();
    assert_eq!(told, ["fields".to_owned(), format!("fields[{}].type", at - 1)]);
}

#[test]
fn other_changes_of_the_form_are_taken() {
    let case = Case::new();
    let at = monday();
    fill(
        &case.owner,
        &case.form,
        &[
            json!({"field_1": "Ada", "field_2": "ada@example.com", "field_3": 1, "field_6": "a", "field_7": "b",
                "field_4": [{"api_code": "room", "scheduled_at": at}]}),
            json!({"field_1": "Ada", "field_3": 2, "field_6": "b"}),
        ],
    );
    case.query.finds(json!({"field_1": "Ada", "field_6": "a"}), &[1]);
    // Another label, another order, a new field, a hidden one, a choice less.
    let mut fields = case.fields();
    for field in &mut fields {
        field["label"] = json!("Renamed");
        field["hidden"] = json!(true);
    }
    fields.reverse();
    fields.push(json!({"type": "short_text", "label": "New"}));
    case.edit(fields).is(200);
    case.query.finds(json!({"field_1": "Ada", "field_6": "a"}), &[1]);
    let mut fields = case.fields();
    for field in &mut fields {
        if field["api_code"] == "field_6" {
            field["choices"].as_array_mut().expect("choices").remove(0);
        }
    }
    case.edit(fields).is(200);
    case.query.finds(json!({"field_1": "Ada", "field_6": "a"}), &[]);
    case.query.finds(json!({"field_1": "Ada", "field_6": "b"}), &[2]);
}

#[test]
fn fields_removed_from_linked_forms_fail_closed() {
    let owner = Server::shared().user();
    let directory = directory(&owner);
    let form = owner.form(json!([field("name", json!({})), link(&directory)]));
    let made = owner.post(directory.entries(), json!({"field_values": {"field_1": "Grace", "field_5": 3}}));
    let grace = made.data()["token"].clone();
    fill(&owner, &form, &[json!({"field_1": "Ada", "field_2": grace})]);
    let rules = shown(&["serial_number", "field_1", "field_2_associated_field_1", "field_2_associated_field_5"]);
    let by_own = Query::ruled(&owner, &form, all_of(&["field_1"]), rules.clone());
    let by_linked = Query::ruled(&owner, &form, all_of(&["field_2_associated_field_1"]), rules.clone());
    let either = Query::ruled(&owner, &form, any_of(&["field_2_associated_field_1", "field_1"]), rules.clone());
    let mut scoped = body(&form, all_of(&["field_1"]), rules);
    scoped["scope_conditions"] = json!([condition("field_2_associated_field_1", "ne", json!("Nobody"))]);
    let scoped = Query::new(&owner, scoped);
    let ada = json!({"field_1": "Ada"});
    let linked = json!({"field_2_associated_field_1": "Grace"});
    let row = by_own.rows(&ada).remove(0);
    assert_eq!(row["field_2_associated_field_1"], "Grace");
    assert_eq!(row["field_2_associated_field_5"], 3);
    by_linked.finds(linked.clone(), &[1]);
    scoped.finds(ada.clone(), &[1]);
    // The directory's name goes. Its form is another's affair: it is not refused.
    let fields = directory.body["fields"].as_array().expect("fields")[1..].to_vec();
    owner.patch(directory.path(), json!({"fields": fields, "confirm_data_loss": true})).is(200);
    let row = by_own.rows(&ada).remove(0);
    assert_eq!(row.get("field_2_associated_field_1"), None, "{row}");
    assert_eq!(row["field_2_associated_field_5"], 3);
    by_linked.finds(linked.clone(), &[]);
    scoped.finds(ada.clone(), &[]);
    either.finds(ada.clone(), &[1]);
    let page = by_own.anon().get(by_own.typed(&ada)).is(200);
    assert!(page.text.contains("Ada"), "{page}");
    by_linked.anon().get(by_linked.typed(&linked)).is(200);
}

#[test]
fn codes_that_are_switched_off_fail_closed() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("name", json!({}))]));
    let codes = |enabled: bool| json!({"verification_code": {"enabled": enabled}});
    set(&owner, &form, codes(true));
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let code = owner.get(form.entry(1)).data()["gen_code"].clone();
    let rules = shown(&["serial_number", "gen_code"]);
    let by_code = Query::ruled(&owner, &form, all_of(&["gen_code"]), rules.clone());
    let by_name = Query::ruled(&owner, &form, all_of(&["field_1"]), rules);
    by_code.finds(json!({"gen_code": code}), &[1]);
    set(&owner, &form, codes(false));
    by_code.finds(json!({"gen_code": code}), &[]);
    let row = by_name.rows(&json!({"field_1": "Ada"})).remove(0);
    assert_eq!(row.get("gen_code"), None, "{row}");
    set(&owner, &form, codes(true));
    by_code.finds(json!({"gen_code": code}), &[1]);
}

#[test]
fn scored_questions_are_not_edited() {
    let owner = Server::shared().user();
    let fields = json!([field("radio", json!({"choices": choices()})), field("name", json!({}))]);
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": fields}));
    fill(&owner, &form, &[json!({"field_1": "b", "field_2": "Ada"})]);
    let rules = json!([{"field": "serial_number"}, {"field": "field_1", "editable": true}]);
    let query = Query::ruled(&owner, &form, all_of(&["field_2"]), rules);
    let (row, path) = query.row(&json!({"field_2": "Ada"}), 1);
    let right = row["edit_token"].as_str().expect("a right").to_owned();
    let scored = json!({"exam": {"questions": {"field_1": {"scored": true, "score": 2, "answer": "a"}}}});
    set(&owner, &form, scored);
    let changed = query.anon().header("x-edit-token", &right).patch(&path, json!({"field_values": {"field_1": "a"}}));
    assert!([403, 404].contains(&changed.status), "{changed}");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"]["value"], "b");
    let (row, _) = query.row(&json!({"field_2": "Ada"}), 1);
    assert_eq!(row.get("edit_token"), None, "{row}");
}

#[test]
fn queries_do_not_change_their_form() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("name", json!({})), field("short_text", json!({}))]));
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let tags = || {
        let parts = ["settings", "theme", "field_rules"].map(|part| form.part(part));
        let all = parts.into_iter().chain([form.path(), form.entry(1)]);
        all.map(|path| owner.get(path).header("etag").to_owned()).collect::<Vec<_>>()
    };
    let (before, body) = (tags(), owner.get(form.path()).data());
    let query = Query::ruled(&owner, &form, all_of(&["field_1"]), shown(&["field_2"]));
    // The index for its searches is built in the background.
    let build = || {
        let ran = server.run(&["jobs", "run-once", "query-keys"]);
        assert!(ran.status.success());
    };
    build();
    assert_eq!(tags(), before);
    assert_eq!(query.rows(&json!({"field_1": "Ada"})).len(), 1);
    query.change(&owner, json!({"search_field_rules": all_of(&["field_2"])}));
    build();
    assert_eq!(tags(), before);
    let guarded = owner.header("if-match", &before[3]);
    guarded.patch(form.path(), json!({"name": "Other"})).is(200);
    owner.delete(query.path()).is(200);
    build();
    assert_eq!(owner.get(form.path()).data()["created_at"], body["created_at"]);
    assert_eq!(owner.get(form.entry(1)).header("etag"), before[4]);
}
