//! One of each thing that a signed-in user can own, and the addresses that name them: a page with another parameter
//! gets its value here.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::multipart::Body;
use support::session::{Session, account};
use support::sharing::{id, share};
use support::{Caller, Form, Server, field, steps};

use super::{ALL, ANN, anns, folder, invited};

/// The roles on a form, the least first.
pub const ROLES: [&str; 4] = ["viewer", "editor", "manager", "owner"];

/// A text that breaks out wherever it is not escaped.
pub const MARK: &str = "mk \"'><m4rk onload=x>{{7*7}}\u{202e}";

/// The parameters of an address, with the values of Ann's things.
pub type Own = BTreeMap<&'static str, String>;

/// Ann's things.
pub struct Desk {
    pub server: Server,
    pub ann: Session,
    pub own: Own,
    /// Those with a lesser role on her form.
    pub people: BTreeMap<&'static str, Session>,
}

/// The path with the values of its parameters.
pub fn filled(path: &str, own: &Own) -> String {
    let mut before = String::new();
    for part in path.split('/').skip(1) {
        let name = match part {
            // A part without a name of its own is named by the part before it.
            "{id}" | "{token}" => before.clone() + "/" + part,
            _ => part.to_owned(),
        };
        let value = match part.starts_with('{') {
            true => own.get(name.as_str()).unwrap_or_else(|| panic!("{path}: what of Ann's is {name}?")),
            false => part,
        };
        before = before + "/" + value;
    }
    before
}

pub fn word(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A form with one of everything, whose every text is the mark.
fn form(owner: &Caller) -> Form {
    let choices = json!([{"api_code": "a", "label": MARK}, {"api_code": "b", "label": "B"}]);
    let items = json!([{"api_code": "hall", "name": MARK, "description": MARK, "quota_setting":
        {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 3}]}}]);
    let notes = format!("<p>{}</p>", MARK.replace('<', "&lt;"));
    let form =
        owner.form_with(json!({"name": format!("Fair {MARK}"), "description": MARK, "locale": "zh-CN", "fields": [
            field("short_text", json!({"label": MARK, "notes": notes, "placeholder": MARK})),
            field("radio", json!({"label": MARK, "choices": choices})),
            field("image_radio", json!({"label": MARK, "choices": choices})),
            field("booking", json!({"label": MARK, "reservation_items": items})),
            field("long_text", json!({"label": MARK})),
        ]}));
    let settings = json!({
        "verification_code": {"enabled": true},
        "certificate": {"enabled": true, "title": MARK, "body": MARK},
        "after_submission": {"mode": "show_message", "show_message": {"style": "text", "text": {"title": MARK, "description": MARK}}},
        "notifications": {"receipt": {"subject": MARK}},
    });
    steps::set(owner, &form, settings);
    steps::set_part(
        owner,
        &form,
        "theme",
        json!({"header": {"type": "text", "text": MARK}, "submit_button": {"text": MARK}}),
    );
    let items = json!([{"field": "field_1", "operator": "like", "value": MARK}]);
    let rule = json!({"condition": {"operand": "and", "items": items}, "action": "show", "fields": ["field_5"]});
    owner.put(form.part("field_rules"), json!({"rules": [rule]})).is(200);
    let values = json!({"field_1": MARK, "field_2": "a", "field_3": "a", "field_5": MARK,
        "field_4": [{"api_code": "hall", "scheduled_at": "2090-01-09"}]});
    for _ in 0..2 {
        steps::add(owner, &form, values.clone());
    }
    form
}

pub fn desk() -> Desk {
    let (server, ann) = anns();
    let owner = server.token(ANN, &format!("{ALL} integration:write"));
    let form = form(&owner);
    owner.delete(form.entry(2)).is(200);
    let people: BTreeMap<&str, Session> = ROLES[..3]
        .iter()
        .map(|role| {
            let email = format!("{role}@example.org");
            account(&server, &email);
            share(&owner, &form, &server.token(&email, "form:read"), role);
            (*role, Session::on(&server).signed_in(&email))
        })
        .collect();
    let folder = folder(&owner, MARK);
    owner.put(form.part("folder"), json!({ "folder_token": folder })).is(200);
    invited(&server, &ann, "member");
    let app = crate::oauth::app(&server, &[]);
    app.tokens(&ann);
    let page = [ann.get("/profile").text, ann.get("/members").text].concat();
    let number = |begin: &str| {
        let rest = page.split_once(begin).unwrap_or_else(|| panic!("no {begin}")).1;
        rest.split('/').next().expect("a number").to_owned()
    };
    let rules = json!({
        "form_token": form.token, "name": MARK, "description": MARK,
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": true, "label": MARK}]}],
        "display_field_rules": [{"field": "field_1", "label": MARK, "editable": true}],
    });
    let query = owner.post("/api/v1/opensearch/queries", rules).is(201).data();
    let webhook = json!({"url": "https://example.com", "trigger_events": ["entry_created"]});
    let webhook = owner.post(form.part("integrations/webhooks"), webhook).is(201).data();
    let bulk = json!({"serial_numbers": [99], "expected_total": 0});
    let job = owner.post(form.part("entries/bulk_trash"), bulk).is(202).data();
    let at = |rest: &str| format!("/forms/{}/{rest}", form.token);
    ann.get(&at("entries"));
    let led = ann.post(&at("views"), &[("view_name", MARK), ("query", "keyword=mk")]).leads();
    let view = led.rsplit_once("view=").expect("a view").1.to_owned();
    let file = Body::default().text("csrf", &ann.csrf()).file(
        "file",
        "mk <m4rk.csv",
        "text/csv",
        format!("{MARK}\nx\n").as_bytes(),
    );
    let import = file.send(&ann.caller().header("origin", &server.base), &at("entries/import")).leads();
    ann.get(&at("entries/import"));
    let own = Own::from([
        ("{job_id}", word(&job["id"])),
        ("{import_token}", import.rsplit('/').next().expect("a token").to_owned()),
        ("/profile/tokens/{id}", number("/profile/tokens/")),
        ("{grant}", number("/profile/apps/")),
        ("{folder_token}", folder.clone()),
        ("{form_token}", form.token.clone()),
        ("{view_id}", view),
        ("{webhook_id}", word(&webhook["id"])),
        ("{delivery_id}", "dlv_x".to_owned()),
        ("{section}", "general".to_owned()),
        ("{code}", "field_3".to_owned()),
        ("{part}", "rules".to_owned()),
        ("{rule}", "0123abcd".to_owned()),
        ("{act}", "remove".to_owned()),
        ("{version}", "1".to_owned()),
        ("{user_id}", id(&server.token("editor@example.org", "form:read"))),
        ("/members/invitations/{id}", number("/members/invitations/")),
        ("{query_token}", word(&query["token"])),
        ("{serial_number}", "1".to_owned()),
        ("{entry_token}", word(&owner.get(form.entry(1)).data()["token"])),
        // Nobody knows the secrets of these.
        ("/setup/{token}", "x".repeat(43)),
        ("/reset-password/{token}", "x".repeat(43)),
        ("/invitation/{token}", "x".repeat(43)),
    ]);
    Desk { server, ann, own, people }
}
