//! Formulas: their faults with their places, over the API and in the builder, which also shows their results.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Caller, Form, Server, field, sharing};

use crate::forms::choices;
use crate::forms::controls::panel;

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

fn formula(label: &str, expression: &str) -> Value {
    field("formula", json!({"label": label, "expression": expression, "result_type": "number"}))
}

#[test]
fn faults_of_a_formula_have_a_place_over_the_api() {
    let server = Server::shared();
    let owner = server.user();
    let fields = json!([field("number", json!({"label": "Hours"})), formula("Sum", "\"é\" + field_1 * (2")]);
    let refused = owner.post("/api/v1/forms", json!({"name": "x", "fields": fields})).is(422);
    let fault = &refused.json()["error_details"][0];
    assert_eq!(
        *fault,
        json!({"attribute": "fields[1].expression", "position": 16, "length": 1,
        "message": "has an opening bracket without its closing one"})
    );
    let form = owner.form_with(json!({"name": "x", "fields": [field("number", json!({"label": "Hours"}))]}));
    let more = json!({"fields": [field("number", json!({"api_code": "field_1", "label": "Hours", "max": "x"})),
        formula("Sum", "1 + field_9 + UPPER(field_1)")]});
    let refused = owner.patch(form.path(), more).is(422);
    let details = refused.json()["error_details"].as_array().expect("faults").clone();
    let places: Vec<Value> =
        details.iter().map(|fault| json!([fault["attribute"], fault["position"], fault["length"]])).collect();
    assert_eq!(places[0], json!(["fields[0].max", null, null]), "no other fault has a place: {refused}");
}

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let scored =
        json!([{"api_code": "aaaa", "label": "Good", "score": 5}, {"api_code": "bbbb", "label": "Bad", "score": 1}]);
    let form = owner.form_with(json!({"name": "Invoice", "fields": [
        field("number", json!({"label": "Hours"})),
        field("number", json!({"label": "Rate", "precision": 2})),
        formula("Total", "field_1 * field_2"),
        formula("Twice", "field_3 * 2"),
        field("radio", json!({"label": "Mood", "choices": scored})),
        field("date", json!({"label": "Day"})),
        field("radio", json!({"label": "Plain", "choices": choices(["a", "b"])})),
    ]}));
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    Desk { server, owner, form, ann }
}

impl Desk {
    fn address(&self) -> String {
        format!("/forms/{}/build/formula", self.form.token)
    }

    fn look(&self, expression: &str, more: &[(&str, &str)]) -> Value {
        let pairs = [&[("code", "field_3"), ("expression", expression)], more].concat();
        self.ann.post(&self.address(), &pairs).is(200).data()
    }
}

#[test]
fn a_formula_is_checked_while_it_is_typed() {
    let desk = desk();
    let found = desk.look("field_1 * (field_9 + 2)", &[]);
    let fault = json!({"position": 11, "length": 7,
        "message": "names field_9, which is not a field of this form (character 12)"});
    assert_eq!(found, json!({"faults": [fault], "result_type": null, "sample": null}));
    let found = desk.look("field_1 * field_2", &[("field_1", "40"), ("field_2", "2.5")]);
    assert_eq!((&found["faults"], &found["result_type"]), (&json!([]), &json!("number")));
    let sample = found["sample"].as_str().expect("a sample");
    assert!(sample.contains("Hours") && sample.contains("= 40") && sample.ends_with(": 100"), "{sample}");
    // Where the preview is blank, an example is used.
    let sample = desk.look("field_1 * field_2", &[("field_1", "many")])["sample"].clone();
    assert!(sample.as_str().expect("a sample").ends_with(": 6"), "{sample}");
    let sample = desk.look("SCORE(field_5) + 1", &[("field_5", "aaaa")])["sample"].clone();
    assert!(sample.as_str().expect("a sample").ends_with(": 6"), "{sample}");
    assert_eq!(desk.look("1 + 1", &[])["sample"], "Result: 2");
    assert_eq!(desk.look("1 / 0", &[])["sample"], json!(null));
    let found = desk.look("DATE_ADD(field_6, 1, \"day\")", &[("result_type", "date"), ("field_6", "2090-06-05")]);
    assert_eq!(found["result_type"], "date", "{found}");
    assert!(found["sample"].as_str().expect("a sample").contains("2090"), "{found}");
    // Nothing of it is saved.
    let draft = desk.ann.caller().header("accept", "application/json");
    let draft = draft.get(format!("/forms/{}/build", desk.form.token)).is(200).data();
    assert_eq!(draft["fields"][2]["expression"], "field_1 * field_2");
}

#[test]
fn a_circle_is_named_by_labels() {
    let desk = desk();
    let found = desk.look("field_1 + field_4", &[]);
    let fault = &found["faults"][0];
    let message = fault["message"].as_str().expect("words").replace(['\u{2068}', '\u{2069}'], "");
    assert_eq!(message, "depends on itself: Total → Twice → Total");
    assert_eq!((&fault["position"], &fault["length"]), (&json!(10), &json!(7)));
    // Without a script its panel says the same.
    let build = |rest: &str| format!("/forms/{}/build{rest}", desk.form.token);
    let page = desk.ann.get(&build("?field=field_3")).is(200);
    page.has([
        "What you can write here",
        "data-option=\"field_1\"",
        "data-option=\"DATE_DIFF\"",
        "data-option=\"field_5\"",
    ]);
    page.lacks(["data-option=\"field_3\""]);
    let save = |expression: &str| {
        let page = desk.ann.get(&build("?field=field_3")).is(200);
        let pairs = panel(&page.text, "field_3", &[("expression", expression)]);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        desk.ann.post_on(&build("/fields/field_3"), &pairs).is(200)
    };
    assert!(save("field_4").text.contains("depends on itself"));
    save("1 + * 2").has(["where a value must stand (character 5)"]);
}

#[test]
fn managers_alone_ask() {
    let desk = desk();
    desk.ann.post(&desk.address(), &[("code", "field_1"), ("expression", "1")]).is(404);
    desk.ann.post(&desk.address(), &[("code", "field_99"), ("expression", "1")]).is(404);
    account(&desk.server, BOB);
    let bob = desk.server.token(BOB, "form:read");
    let browser = Session::on(&desk.server).signed_in(BOB);
    let pairs = [("code", "field_3"), ("expression", "1")];
    browser.post(&desk.address(), &pairs).is(404);
    sharing::share(&desk.owner, &desk.form, &bob, "editor");
    browser.post(&desk.address(), &pairs).is(403);
    browser.get(&format!("/forms/{}/build?field=field_3", desk.form.token)).is(200).lacks(["data-formula"]);
}
