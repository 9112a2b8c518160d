//! The work of people at a desk: they go somewhere by its name, look for entries, and let people in.

mod day_of_bookings;
mod every_key;
mod palette;
mod seen_focus;
mod still;
mod table_tools;
mod targets;
mod touch;
mod week;
mod week_by_keys;
mod wide_table;

use serde_json::{Value, json};
use support::Server;

use crate::console::entries::registration;
use crate::console::people::OWNER;
use crate::questions::every_kind;

/// The addresses of a form's pages: lists, charts, rules, and the properties of questions of many kinds.
fn every_page(server: &Server) -> Vec<String> {
    let form = registration(server);
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write");
    let pie = form.body["fields"][4]["choices"][1]["api_code"].clone();
    let rule = json!({"condition": {"operand": "and", "items": [{"field": "field_5", "operator": "eq", "value": pie}]},
        "action": "show", "fields": ["field_7"]});
    owner.put(form.part("field_rules"), json!({"rules": [rule]})).is(200);
    let kinds = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let fields = kinds.body["fields"].as_array().expect("fields");
    let panels = fields.iter().filter(|field| {
        let has_parts = ["email", "radio", "cascade", "matrix", "product", "booking", "formula"];
        has_parts.iter().any(|kind| field["type"] == *kind)
    });
    let panels: Vec<&Value> = panels.map(|field| &field["api_code"]).collect();
    assert!(panels.len() > 6, "{panels:?}");
    let filters = r#"[{"field":"field_5","operator":"not_null"}]"#;
    let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    let own = [
        "entries",
        &format!("entries?filters={filters}&choosing=field_1"),
        "entries/8",
        "entries/8/edit",
        "build",
        "build?add=field_2",
        "rules",
        "theme",
        "report",
        "settings",
        "history",
        "share",
        "trash",
    ];
    let own = own.map(|page| format!("/forms/{}/{page}", form.token));
    let panels =
        panels.iter().filter_map(|code| Some(format!("/forms/{}/build?field={}", kinds.token, code.as_str()?)));
    own.into_iter().chain(panels).collect()
}
