//! What a question is called, and what it asks for, before anybody typed in its panel.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::{Server, field};

use super::controls::panel;

const ANN: &str = "ann@example.org";

#[test]
fn a_question_without_a_label_is_told_from_the_others() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form =
        owner.form(json!([field("short_text", json!({"label": "Name"})), field("page_break", json!({"label": ""}))]));
    let ann = Session::on(&server).signed_in(ANN);
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    ann.get(&build("")).is(200);
    for (kind, after) in [("rating", "field_2"), ("date", "field_3")] {
        ann.post(&build("/fields"), &[("type", kind), ("after", after)]).leads();
    }
    // A new page is called so once.
    let outline = ann.get(&build("")).is(200).text;
    let (_, row) = outline.split_once("data-code=\"field_2\"").expect("its row");
    assert_eq!(row.split("</li>").next().expect("its end").matches("New page").count(), 2, "its tick, and its label");
    // The preview shows where it will be.
    let preview = ann.get(&format!("/forms/{}/preview?canvas=1&field=field_3", form.token)).is(200);
    preview.has(["data-field=\"field_3\"", "data-field=\"field_4\""]);
    let told =
        page_text(&ann.get(&format!("/forms/{}/publish", form.token)).is(200)).replace(['\u{2068}', '\u{2069}'], "");
    for name in ["Untitled question 2 (Rating)", "Untitled question 3 (Date)"] {
        assert!(told.contains(name), "{told}");
    }
}

#[test]
fn a_new_question_asks_for_the_country_of_the_form_first() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let ann = Session::on(&server).signed_in(ANN);
    for (locale, kind, wanted) in [
        ("zh-CN", "phone", json!("CN")),
        ("zh-CN", "address", json!("CN")),
        ("de-AT", "phone", json!("AT")),
        ("en", "phone", Value::Null),
        ("zh-CN", "short_text", Value::Null),
    ] {
        let form = owner.form_with(
            json!({"name": "Guests", "locale": locale, "fields": [field("name", json!({"label": "Name"}))]}),
        );
        let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
        ann.get(&build("")).is(200);
        ann.post(&build("/fields"), &[("type", kind), ("after", "field_1")]).leads();
        let draft = ann.caller().header("accept", "application/json").get(build("")).is(200).data();
        assert_eq!(draft["fields"][1]["default_country"], wanted, "{locale} {kind}");
    }
}

#[test]
fn an_added_column_is_named_and_whole() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    let ann = Session::on(&server).signed_in(ANN);
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    let save = |changes: &[(&str, &str)]| {
        let page = ann.get(&build("?field=field_2")).is(200);
        let pairs = panel(&page.text, "field_2", changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        ann.post(&build("/fields/field_2"), &pairs).leads();
    };
    ann.get(&build("")).is(200);
    ann.post(&build("/fields"), &[("type", "table"), ("after", "field_1")]).leads();
    save(&[("label", "Who comes?"), ("_action", "dimensions.add-radio")]);
    save(&[("_action", "dimensions.add-email")]);
    let draft = ann.caller().header("accept", "application/json").get(build("")).is(200).data();
    let columns = draft["fields"][1]["dimensions"].as_array().expect("columns");
    let labels: Vec<&str> = columns.iter().filter_map(|column| column["label"].as_str()).collect();
    assert_eq!(labels, ["Column 1", "Column 2", "Column 3", "Column 4"]);
    assert_eq!(columns[2]["choices"][1]["label"], "Choice 2");
    assert!(columns.iter().all(|column| column["required"] != true), "nobody asked for that: {columns:?}");
    let publish = format!("/forms/{}/publish", form.token);
    ann.get(&publish).is(200).has(["name=\"draft_version\""]);
    // What is wrong with a part is told with its place.
    save(&[("dimensions[3].label", "")]);
    let told = page_text(&ann.get(&publish).is(200)).replace(['\u{2068}', '\u{2069}'], "");
    assert!(told.contains("Who comes? – Columns 4"), "{told}");
}
