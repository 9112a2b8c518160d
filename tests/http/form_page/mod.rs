//! The hosted page of a form and the published API: filled in, sent, changed and cancelled by respondents.

pub mod agreement;
pub mod availability;
pub mod cancel;
pub mod files;
pub mod language;
pub mod layouts;
pub mod leaks;
pub mod one_per_respondent;
pub mod own_entries;
pub mod page;
pub mod parts;
pub mod passwords;
pub mod prefill;
pub mod previews;
pub mod published;
pub mod receipts;
pub mod recordings;
pub mod safety;
pub mod thanks;

use serde_json::{Value, json};
use support::form_page::{hidden, patient};
use support::steps::{count, set, set_part};
use support::world::World;
use support::{Caller, Form, Response, Server, at_once, field};

/// One question, a short text.
fn one_line(own: Value) -> Value {
    json!([field("short_text", own)])
}

/// A form of one question that may stay blank.
fn simple() -> World {
    World::with(one_line(json!({})))
}

/// Fields of `[{"short_text": {"required": true}}]`: a type and the keys that are not as always.
fn fields(of: Value) -> Value {
    let of = of.as_array().expect("a list").iter().flat_map(|of| of.as_object().expect("a type"));
    of.map(|(kind, own)| field(kind, own.clone())).collect()
}

/// A form of these fields.
fn asking(of: Value) -> World {
    World::with(fields(of))
}

/// Fields of every kind that shows words of its owner, each of which is this one.
fn every_kind(word: &str, unit: &str) -> Value {
    let named = |code: &str| json!({"api_code": code, "label": word});
    let other = json!({"api_code": "else", "label": word, "is_other": true});
    let choices = json!([{"api_code": "one1", "label": word, "allow_extended_text": true}, named("two2"), other]);
    let [plain, rows] = [["one1", "two2"], ["row1", "row2"]].map(|codes| json!(codes.map(named)));
    let cells = fields(json!([{"short_text": {"label": word, "notes": word, "required": true}}]));
    let tree =
        ["aaaa", "bbbb"].map(|code| json!({"api_code": code, "label": word, "children": [named(&format!("{code}1"))]}));
    let options = json!([{"name": word, "options": [{"name": word}, {"name": word}]}]);
    let goods = json!([{"name": word, "description": word, "price": 3.5, "original_price": 4, "dimensions": options}]);
    let slot = json!({"code": "a", "weekday": 1, "start_time": "09:00", "end_time": "10:00", "quota": null});
    let slots = json!({"kind": "time_range", "daily_time_range_quotas": [slot]});
    let days = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 2, "quota": 3}]});
    let rooms = [slots, days].map(|quota| json!({"name": word, "description": word, "quota_setting": quota}));
    let mut fields = fields(json!([
        {"short_text": {}}, {"long_text": {}}, {"number": {"unit": unit}}, {"radio": {"choices": choices}},
        {"checkbox": {"choices": choices}}, {"dropdown": {"choices": [named("one1"), other]}},
        {"dropdown": {"choices": plain}}, {"cascade": {"choices": tree}}, {"ranking": {"choices": plain}},
        {"rating": {}}, {"nps": {"min_label": word, "max_label": word}},
        {"likert": {"statements": rows, "choices": plain}}, {"matrix": {"statements": plain, "dimensions": cells}},
        {"matrix_rating": {"statements": plain, "rating_max": 3, "dimensions": [{"label": word}, {"label": word}]}},
        {"table": {"dimensions": cells}}, {"product": {"goods_items": goods, "unit": unit}},
        {"booking": {"reservation_items": rooms}},
        {"booking": {"reservation_items": rooms, "allow_multiple_items": true}},
        {"name": {}}, {"email": {}}, {"url": {}}, {"phone": {}}, {"date": {}}, {"time": {}}, {"address": {}},
        {"location": {}}, {"attachment": {}}, {"audio": {}}, {"signature": {}}, {"description": {"content": word}},
    ]));
    for field in fields.as_array_mut().expect("a list") {
        let keys =
            if field["type"] == "description" { &["label", "notes"][..] } else { &["label", "notes", "placeholder"] };
        keys.iter().for_each(|key| field[*key] = json!(word));
    }
    fields
}

/// Inputs of a page as `name=value&name=value`, each value as typed.
fn typed(inputs: &str) -> Vec<(&str, &str)> {
    inputs.split('&').map(|input| input.split_once('=').expect("name=value")).collect()
}

/// Submits these values over the API.
fn submit(caller: &Caller, form: &Form, values: Value) -> Response {
    caller.post(form.submissions(), json!({ "field_values": values }))
}

/// The setting of a form's password.
fn password(password: &str) -> Value {
    json!({"access_control": {"access_password": password}})
}

/// The setting that lets respondents change their answers, or not.
fn editable(is_allowed: bool) -> Value {
    json!({"submission_options": {"allow_edit_after_submission": is_allowed}})
}

/// A field rule: its action on one field while another one has this value.
fn rule(field: &str, value: &str, action: &str, target: &str) -> Value {
    let items = json!([{"field": field, "operator": "eq", "value": value}]);
    json!({"condition": {"operand": "and", "items": items}, "action": action, "fields": [target]})
}

fn set_rules(owner: &Caller, form: &Form, rules: Value) {
    owner.put(form.part("field_rules"), json!({ "rules": rules })).is(200);
}

/// The address of the first link of a page that holds this.
fn link(page: &Response, holding: &str) -> Option<String> {
    let links = page.text.split("href=\"").skip(1);
    let mut links = links.filter_map(|rest| rest.split('"').next());
    links.find(|link| link.contains(holding)).map(|link| link.replace("&amp;", "&"))
}
