//! The properties of questions in the builder: each key of each kind is changed over plain posts and published.

pub mod chinese;
pub mod chinese_pages;
pub mod long_lists;
pub mod parts;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Server, field};

use super::controls::panel;

const ANN: &str = "ann@example.org";

/// Properties of all kinds; a kind without the control has not the key.
const COMMON: &[(&str, &str)] = &[
    ("label", "Changed"),
    ("notes", "<p>Help</p>"),
    ("required", "true"),
    ("hidden", "true"),
    ("placeholder", "Type here"),
    ("unique", "true"),
];
const TEXT: &[(&str, &str)] =
    &[("min_length", "2"), ("max_length", "9"), ("pattern", "[a-z]+"), ("pattern_message", "Small letters")];
const CHOICES: &[(&str, &str)] = &[
    ("choices[0].label", "First"),
    ("choices[0].score", "2.5"),
    ("choices[0].quota", "7"),
    ("choices[1].hidden", "true"),
];
const SELECTED: &[(&str, &str)] = &[("min_selected", "1"), ("max_selected", "2")];
const MIXED: &[(&str, &str)] = &[("random_order", "true")];

const GOODS: &[(&str, &str)] = &[
    ("goods_items[0].name", "Tea"),
    ("goods_items[0].description", "Green"),
    ("goods_items[0].price", "4"),
    ("goods_items[0].original_price", "5"),
    ("goods_items[0].stock", "9"),
    ("goods_items[0].min_number", "1"),
    ("goods_items[0].max_number", "3"),
    ("goods_items[0].dimensions[0].name", "Size"),
    ("goods_items[0].dimensions[0].options[0].name", "Small"),
    ("goods_items[0].dimensions[0].options[1].name", "Large"),
    ("goods_items[0].hidden", "true"),
];
const PLAN: &[(&str, &str)] = &[
    ("reservation_items[0].name", "Sauna"),
    ("reservation_items[0].description", "Hot"),
    ("reservation_items[0].quota_setting.kind", "weekly"),
    ("reservation_items[0].quota_setting.start_date", "2026-01-01"),
    ("reservation_items[0].quota_setting.end_date", "2026-12-31"),
    ("reservation_items[0].quota_setting.closed_dates", "2026-05-01\n2026-12-24"),
    ("reservation_items[0].quota_setting.min_days_ahead", "1"),
    ("reservation_items[0].quota_setting.max_days_ahead", "30"),
    ("reservation_items[0].quota_setting.weekly_quotas[0].weekday", "1"),
    ("reservation_items[0].quota_setting.weekly_quotas[0].quota", "4"),
];
const COLUMNS: &[(&str, &str)] = &[
    ("dimensions[0].label", "How many"),
    ("dimensions[0].required", "true"),
    ("dimensions[0].hidden", "true"),
    ("dimensions[0].placeholder", "Type here"),
    ("dimensions[0].notes", "<p>Help</p>"),
];

/// Paths and values.
type Changes = [(&'static str, &'static str)];

/// The keys of each kind, with a value for each.
const KINDS: &[(&str, &[&Changes])] = &[
    ("short_text", &[TEXT]),
    ("long_text", &[TEXT]),
    ("name", &[TEXT]),
    ("email", &[&[("allowed_domains", "example.org\nexample.com")]]),
    ("url", &[]),
    ("phone", &[&[("default_country", "DE"), ("allowed_countries", "DE\nCN")]]),
    ("number", &[&[("min", "1.5"), ("max", "9"), ("precision", "1"), ("unit", "kg")]]),
    ("date", &[&[("precision", "day"), ("min", "2026-01-01"), ("max", "2026-12-31")]]),
    ("time", &[&[("include_second", "true")]]),
    ("radio", &[CHOICES, MIXED]),
    ("checkbox", &[CHOICES, SELECTED, MIXED]),
    ("image_radio", &[&[("choices[0].label", "First")]]),
    ("image_checkbox", &[&[("choices[0].label", "First")], SELECTED]),
    ("dropdown", &[CHOICES]),
    ("cascade", &[&[("levels", "3"), ("choices", "Europe\n  Italy\n    Rome\nAsia")]]),
    ("ranking", &[&[("choices[0].label", "First"), ("min_ranked", "1"), ("max_ranked", "2")]]),
    ("rating", &[&[("rating_max", "7"), ("icon", "heart")]]),
    ("nps", &[&[("min_label", "Never"), ("max_label", "Always")]]),
    ("likert", &[&[("statements[0].label", "It works"), ("choices[1].label", "Second"), ("multiple", "true")]]),
    ("product", &[GOODS, &[("unit", "cups")]]),
    ("booking", &[PLAN, &[("allow_multiple_items", "true"), ("allow_multiple_number", "true")]]),
    ("formula", &[&[("expression", "1 + 1"), ("result_type", "number"), ("precision", "2")]]),
    ("matrix_rating", &[&[("statements[0].label", "Soup"), ("dimensions[0].label", "Taste"), ("rating_max", "4")]]),
    ("matrix", &[&[("statements[0].label", "Soup")], COLUMNS]),
    ("table", &[COLUMNS, &[("min_rows", "1"), ("max_rows", "3")]]),
    ("address", &[&[("default_country", "DE"), ("required_parts", "city")]]),
    ("location", &[]),
    (
        "attachment",
        &[&[("max_size", "3"), ("max_count", "2"), ("media_type", "custom"), ("content_types", "application/pdf")]],
    ),
    ("audio", &[&[("max_duration", "30")]]),
    ("signature", &[]),
    ("page_break", &[&[("previous_text", "Before"), ("next_text", "Then")]]),
    ("description", &[&[("content", "<p>Welcome</p>")]]),
];

/// The value of the API at a path, as it is typed.
fn typed(field: &Value, path: &str) -> String {
    if field["choices"][0]["children"].is_array() && path == "choices" {
        return outline(&field["choices"], 0);
    }
    let pointer = format!("/{}", path.replace(['[', '.'], "/").replace(']', ""));
    match field.pointer(&pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        other => other.unwrap_or(&Value::Null).to_string(),
    }
}

fn outline(choices: &Value, level: usize) -> String {
    let lines = choices.as_array().into_iter().flatten().map(|choice| {
        let below = outline(&choice["children"], level + 1);
        let line = format!("{}{}", "  ".repeat(level), choice["label"].as_str().expect("a label"));
        if below.is_empty() { line } else { format!("{line}\n{below}") }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of a panel's controls, without the places of parts.
fn keys(panel: &str) -> BTreeSet<&str> {
    let names = panel.split(" name=\"").skip(1).filter_map(|rest| rest.split(['"', '[']).next());
    names.filter(|name| !name.starts_with('_') && *name != "csrf").collect()
}

#[test]
fn each_key_of_each_kind_is_changed_in_its_panel_and_published() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form_with(json!({"name": "All", "fields": [field("url", json!({"label": "Site"}))]}));
    let ann = Session::on(&server).signed_in(ANN);
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    ann.get(&build("")).is(200);
    let palette = ann.get(&build("?add=")).is(200).text;
    let offered = palette.split("name=\"type\" value=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut offered: Vec<&str> = offered.collect();
    let mut all: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).chain(["linked_form"]).collect();
    offered.sort_unstable();
    all.sort_unstable();
    assert_eq!(offered, all);
    let mut changed = Vec::new();
    for (kind, own) in KINDS {
        let led = ann.post(&build("/fields"), &[("type", kind), ("after", "")]).leads();
        let code = led.split_once("?field=").expect("the new one is chosen").1.to_owned();
        let page = ann.get(&build(&format!("?field={code}"))).is(200).text;
        let (_, form) = page.split_once("id=\"panel\"").expect("a panel");
        let form = form.split("</form>").next().expect("its end");
        let known = keys(form);
        let common = COMMON.iter().filter(|(key, _)| known.contains(key));
        let changes: Vec<(&str, &str)> = common.chain(own.iter().copied().flatten()).copied().collect();
        let told: BTreeSet<&str> = changes.iter().filter_map(|(path, _)| path.split('[').next()).collect();
        assert_eq!(known, told, "{kind}");
        let pairs = panel(&page, &code, &changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        ann.post(&build(&format!("/fields/{code}")), &pairs).leads();
        changed.push((*kind, code, changes));
    }
    let page = ann.get(&format!("/forms/{}/publish", form.token)).is(200).text;
    let version = page.split("name=\"draft_version\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let version = version.unwrap_or_else(|| panic!("it can't be published: {page}"));
    ann.post(&format!("/forms/{}/publish", form.token), &[("draft_version", version)]).leads();
    let published = owner.get(form.path()).is(200).data();
    let fields = published["fields"].as_array().expect("fields");
    for (kind, code, changes) in &changed {
        let field = fields.iter().find(|field| field["api_code"] == **code).expect("published");
        for (path, value) in changes {
            assert_eq!(typed(field, path), **value, "{kind} {path}");
        }
    }
}

#[test]
fn buttons_work_on_choices_without_a_script() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form_with(json!({"name": "All", "fields": [field("url", json!({"label": "Site"}))]}));
    let ann = Session::on(&server).signed_in(ANN);
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    ann.get(&build("")).is(200);
    let led = ann.post(&build("/fields"), &[("type", "radio"), ("after", "")]).leads();
    let code = led.split_once("?field=").expect("the new one is chosen").1.to_owned();
    let choices = || {
        let draft = ann.caller().header("accept", "application/json").get(build("")).is(200).data();
        draft["fields"][0]["choices"].as_array().expect("choices").clone()
    };
    let labels = || -> String {
        let choices = choices();
        choices.iter().map(|choice| choice["label"].as_str().expect("a label")).collect::<Vec<_>>().join(" ")
    };
    let press = |changes: &[(&str, &str)]| {
        let page = ann.get(&build(&format!("?field={code}"))).is(200).text;
        let pairs = panel(&page, &code, changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        ann.post(&build(&format!("/fields/{code}")), &pairs).leads();
    };
    // A ready list replaces a new question's choices, and follows typed ones.
    press(&[("label", "When?"), ("_action", "choices.ready.days")]);
    assert_eq!(labels(), "Monday Tuesday Wednesday Thursday Friday Saturday Sunday");
    press(&[("_action", "choices.ready.yes")]);
    assert!(labels().ends_with("Sunday Yes No"));
    press(&[("_action", "choices[8].up")]);
    press(&[("_action", "choices[1].remove")]);
    assert_eq!(labels(), "Monday Wednesday Thursday Friday Saturday Sunday No Yes");
    press(&[("_action", "choices.sort")]);
    assert_eq!(labels(), "Friday Monday No Saturday Sunday Thursday Wednesday Yes");
    press(&[("_action", "choices.text"), ("_text.choices", "No\tx\nYes\t2\t3")]);
    assert_eq!(labels(), "No Yes");
    // Text where a number is meant is kept, and said.
    assert_eq!((&choices()[0]["score"], &choices()[1]["quota"]), (&json!("x"), &json!(3)));
    let page = ann.get(&build(&format!("?field={code}"))).is(200).text;
    assert!(page.contains("id=\"choices[0].score-fault\""), "the fault stands beside its control");
    assert!(page.contains("outline-fault"), "the list tells of it");
    // Codes stay when a choice is renamed.
    press(&[("choices[0].score", "1")]);
    let before = choices();
    press(&[("_action", "choices.text"), ("_text.choices", "Never\t1\nYes\t2\t3")]);
    assert_eq!(choices()[0]["api_code"], before[0]["api_code"]);
    for odd in ["choices.ready.x", "label.ready.days", "label.text", "choices[99].up", "type.sort", ""] {
        press(&[("_action", odd)]);
        assert_eq!(labels(), "Never Yes", "{odd}");
    }
}
