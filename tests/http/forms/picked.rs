//! Questions of another form: picked in the builder or for a new form, copied with new codes, without what names
//! others.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::{Caller, Form, Server, field, sharing};

use super::{choices, rules};

const ANN: &str = "ann@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    ann: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write form:delete entry:read entry:write");
    let ann = Session::on(&server).signed_in(ANN);
    Desk { server, owner, ann }
}

/// A price list: two numbers, their product, a track of two choices, and a table.
fn source(owner: &Caller) -> Form {
    let columns = json!([field("short_text", json!({"label": "Name"}))]);
    let form = owner.form_with(json!({"name": "Prices", "fields": [
        field("number", json!({"label": "Width", "required": true})),
        field("number", json!({"label": "Price"})),
        field("formula", json!({"label": "Total", "expression": "field_1 * field_2", "result_type": "number"})),
        field("radio", json!({"label": "Track", "choices": choices(["aaaa", "bbbb"]), "default_value": "bbbb"})),
        field("table", json!({"label": "Guests", "dimensions": columns})),
    ]}));
    owner.put(form.part("field_rules"), rules(&["show 5: 4 eq aaaa", "show 2: 1 not_null"])).is(200);
    form
}

impl Desk {
    fn form(&self, body: Value) -> Form {
        self.owner.form_with(body)
    }

    fn draft(&self, token: &str) -> Value {
        let headers = self.ann.caller().header("accept", "application/json");
        headers.get(format!("/forms/{token}/build")).is(200).data()
    }
}

fn labels(draft: &Value) -> Vec<&str> {
    draft["fields"].as_array().expect("fields").iter().map(|field| field["label"].as_str().expect("a label")).collect()
}

/// The text without the marks that keep names apart from the words around them.
fn plain(text: &str) -> String {
    text.replace(['\u{2068}', '\u{2069}'], "")
}

#[test]
fn picked_questions_are_added_after_the_chosen_one_as_copies() {
    let desk = desk();
    let source = source(&desk.owner);
    let form = desk.form(json!({"name": "Order", "fields": [
        field("short_text", json!({"label": "Name"})), field("long_text", json!({"label": "Remark"})),
    ]}));
    let from = format!("/forms/{}/build/from", form.token);
    desk.ann.get(&format!("/forms/{}/build?add=field_1", form.token)).is(200).has([&*format!("{from}?after=field_1")]);
    let forms = desk.ann.get(&format!("{from}?after=field_1")).is(200);
    forms.has(["Prices"]).lacks([&*format!("value=\"{}\"", form.token)]);
    let shown = desk.ann.get(&format!("{from}?after=field_1&form={}", source.token)).is(200);
    let words = plain(&page_text(&shown));
    for line in ["Width", "computed from Width · Price", "has rules", "Guests"] {
        assert!(words.contains(line), "{line} in {words}");
    }
    let add = |codes: &[&str]| {
        let mut pairs = vec![("after", "field_1"), ("form", source.token.as_str())];
        pairs.extend(codes.iter().map(|code| ("code", *code)));
        desk.ann.post(&from, &pairs)
    };
    add(&[]).is(422).has(["Tick at least one question."]);
    // A formula comes with what it is computed from; the ticks stay.
    let refused = add(&["field_3", "field_1"]).is(422);
    let words = plain(&page_text(&refused));
    assert!(words.contains("“Total” is computed from “Price”"), "{words}");
    assert_eq!(refused.text.matches(" checked").count(), 2);
    let led = add(&["field_3", "field_2", "field_1", "field_4", "field_5"]).leads();
    assert_eq!(led, format!("/forms/{}/build?field=field_3&done=picked", form.token));
    desk.ann.get(&led).is(200).has(["The questions were added."]);
    let draft = desk.draft(&form.token);
    assert_eq!(labels(&draft), ["Name", "Width", "Price", "Total", "Track", "Guests", "Remark"]);
    let fields = &draft["fields"];
    assert_eq!((&fields[1]["api_code"], &fields[1]["required"]), (&json!("field_3"), &json!(true)));
    assert_eq!(fields[3]["expression"], "field_3 * field_4");
    let rule = &draft["rules"][0];
    assert_eq!(rule["fields"], json!(["field_7"]));
    assert_eq!(rule["condition"]["items"][0], json!({"field": "field_6", "operator": "eq", "value": "aaaa"}));
    // It is one step, and what is published is sound.
    desk.ann.post(&format!("/forms/{}/build/undo", form.token), &[]).leads();
    let back = desk.draft(&form.token);
    assert_eq!((labels(&back), &back["rules"]), (vec!["Name", "Remark"], &json!([])));
    desk.ann.post(&format!("/forms/{}/build/redo", form.token), &[]).leads();
    let page = desk.ann.get(&format!("/forms/{}/publish", form.token)).is(200);
    let version = desk.draft(&form.token)["version"].to_string();
    page.has([&*format!("name=\"draft_version\" value=\"{version}\"")]);
    desk.ann.post(&format!("/forms/{}/publish", form.token), &[("draft_version", &version)]).leads();
    let answers = json!({"field_values": {"field_3": 2, "field_4": 5}});
    let stored = desk.server.anon().post(form.submissions(), answers).is(201).data();
    assert_eq!(stored["entry"]["field_5"], 10);
    let unchanged = desk.owner.get(source.path()).is(200).data();
    assert_eq!(unchanged["fields"], source.body["fields"]);
}

#[test]
fn rules_that_name_others_stay_behind_and_that_is_said() {
    let desk = desk();
    let source = source(&desk.owner);
    let form = desk.form(json!({"name": "Empty", "published": false}));
    let from = format!("/forms/{}/build/from", form.token);
    desk.ann.get(&from).is(200);
    let led = desk.ann.post(&from, &[("form", &source.token), ("code", "field_5")]).leads();
    assert!(led.ends_with("?field=field_1&done=picked-left"), "{led}");
    desk.ann.get(&led).is(200).has(["Rules that involve questions you did not tick"]);
    assert_eq!(desk.draft(&form.token)["rules"], json!([]));
}

#[test]
fn a_new_form_begins_with_picked_questions() {
    let desk = desk();
    let source = source(&desk.owner);
    desk.ann.get("/forms/new").is(200).has(["Questions of another form"]);
    let page = desk.ann.post("/forms/new", &[("from", "pick"), ("form", &source.token)]).is(200);
    page.has(["Questions to copy", "Width"]);
    let make = |name: &str, codes: &[&str]| {
        let mut pairs = vec![("from", "picked"), ("form", source.token.as_str()), ("name", name)];
        pairs.extend(codes.iter().map(|code| ("code", *code)));
        desk.ann.post("/forms/new", &pairs)
    };
    // All that is wrong at once, and nothing is made.
    let refused = make(" ", &[]).is(422);
    refused.has(["Tick at least one question.", "name-fault"]);
    make(&"x".repeat(201), &["field_1"]).is(422).has(["Use at most 200 characters"]);
    desk.ann.post("/forms/new", &[("from", "pick")]).is(422);
    desk.ann.post("/forms/new", &[("from", "pick"), ("form", "aaaaaaaaaa")]).is(404);
    let led = make("Widths", &["field_2", "field_1"]).leads();
    let token = led.strip_prefix("/forms/").and_then(|rest| rest.split('/').next()).expect("a form").to_owned();
    desk.ann.get(&led).is(200);
    let draft = desk.draft(&token);
    assert_eq!((labels(&draft), &draft["head"]["name"]), (vec!["Width", "Price"], &json!("Widths")));
    desk.server.anon().get(format!("/f/{token}")).is(404);
}

#[test]
fn who_reads_a_form_may_pick_from_it_and_who_manages_one_may_add() {
    let desk = desk();
    let other = desk.server.user();
    let theirs = other.form_with(json!({"name": "Theirs", "fields": [field("short_text", json!({"label": "Town"}))]}));
    let own = desk.form(json!({"name": "Own", "published": false}));
    let from = format!("/forms/{}/build/from", own.token);
    let pick = [("form", theirs.token.as_str()), ("code", "field_1")];
    desk.ann.get(&format!("{from}?form={}", theirs.token)).is(404);
    desk.ann.get(&from).is(200).has(["There is no other form"]);
    desk.ann.post(&from, &pick).is(404);
    sharing::share(&other, &theirs, &desk.owner, "viewer");
    desk.ann.get(&from).is(200).has(["Theirs"]);
    desk.ann.post(&from, &pick).leads();
    assert_eq!(labels(&desk.draft(&own.token)), ["Town"]);
    // To add questions takes more.
    let there = format!("/forms/{}/build/from", theirs.token);
    desk.ann.get(&there).is(403);
    desk.ann.post(&there, &[("form", own.token.as_str()), ("code", "field_1")]).is(403);
}
