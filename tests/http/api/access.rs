//! The access matrix: every route of the API by every caller, made from the table that `formsvc routes` prints. A new
//! route without a row here, or without a role there, fails.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field, formsvc};

const SCOPES: &str = "form:read form:write form:delete entry:read entry:write entry:delete \
                      form:respond integration:read integration:write";

/// Roles with a form, least first; the owner's is the last.
const ROLES: [&str; 4] = ["viewer", "editor", "manager", "owner"];

/// The routes whose path names no form that belongs to somebody: anyone with the scope may use them.
const NO_FORM: &[&str] = &[
    "GET /api/v1/forms",
    "POST /api/v1/forms",
    "GET /api/v1/folders",
    "POST /api/v1/folders",
    "GET /api/v1/folders/{folder_token}",
    "PATCH /api/v1/folders/{folder_token}",
    "DELETE /api/v1/folders/{folder_token}",
    "GET /api/v1/opensearch/queries",
    "POST /api/v1/opensearch/queries",
    "GET /api/v1/opensearch/queries/suggestions",
    "GET /api/v1/opensearch/queries/{query_token}",
    "PATCH /api/v1/opensearch/queries/{query_token}",
    "DELETE /api/v1/opensearch/queries/{query_token}",
    "GET /api/v1/participated_forms",
    "GET /api/v1/me",
    "GET /api/v1/organization",
    "PATCH /api/v1/organization",
    "PATCH /api/v1/me",
    "GET /api/v1/members",
    "GET /api/v1/audit_events",
    "POST /api/v1/attachments",
    "POST /api/v1/attachment_commitments",
];

struct Row {
    method: String,
    path: String,
    access: String,
    role: Option<String>,
}

impl Row {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

fn rows() -> Vec<Row> {
    let printed = formsvc(std::path::Path::new("/nowhere"), &["routes", "--json"], "");
    let listed: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    let text = |row: &Value, key: &str| row[key].as_str().map(str::to_owned);
    listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| Row {
            method: text(row, "method").expect("a method"),
            path: text(row, "path").expect("a path"),
            access: text(row, "access").expect("an access"),
            role: text(row, "role"),
        })
        .filter(|row| row.path.starts_with("/api/"))
        .collect()
}

/// All callers, and a form that they have rights to.
struct People {
    /// By role.
    related: BTreeMap<&'static str, Caller>,
    colleague: Caller,
    stranger: Caller,
    guest: String,
}

impl People {
    fn meet(server: &Server) -> Self {
        let related = ROLES.map(|role| (role, server.user()));
        let guest = server.user().get("/api/v1/me").data()["id"].clone();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let elsewhere = &format!("stranger{count}-of-the-matrix@example.com");
        let made = server.run(&["user", "create", elsewhere, "--name", "S", "--organization", "Elsewhere"]);
        assert!(made.status.success());
        Self {
            related: related.into_iter().collect(),
            colleague: server.user(),
            stranger: server.token(elsewhere, SCOPES),
            guest: guest.as_str().expect("an id").to_owned(),
        }
    }

    fn owner(&self) -> &Caller {
        &self.related["owner"]
    }

    /// A form of the owner's that is shared with each of the others, with an entry and one in the trash.
    fn form(&self) -> Form {
        let owner = self.owner();
        let form = owner.form(json!([field("short_text", json!({}))]));
        for role in &ROLES[..3] {
            let shared = share(owner, &form, &self.related[role], role);
            assert_eq!(shared.status, 200, "{shared}");
        }
        let guest = format!("{}/collaborators/{}", form.path(), self.guest);
        assert_eq!(owner.put(guest, json!({"role": "viewer"})).status, 200);
        for _ in 0..2 {
            let values = json!({"field_values": {"field_1": "x"}});
            assert_eq!(owner.post(form.entries(), values).status, 201);
        }
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        form
    }

    /// A webhook of the form, where the row is about one.
    fn webhook(&self, row: &Row, form: &Form) -> String {
        if !row.path.contains("{webhook_id}") {
            return String::new();
        }
        let webhooks = format!("{}/integrations/webhooks", form.path());
        let known = self.owner().get(&webhooks).data()[0]["id"].clone();
        if let Some(known) = known.as_str() {
            return known.to_owned();
        }
        // Refused without a request.
        let body = json!({"url": "http://127.0.0.1", "trigger_events": ["entry_created"]});
        let made = self.owner().post(&webhooks, body).data()["id"].clone();
        made.as_str().map(str::to_owned).unwrap_or_default()
    }

    /// A delivery of that webhook that came to an end, where the row is about one.
    fn delivery(&self, row: &Row, form: &Form, webhook: &str) -> String {
        if !row.path.contains("{delivery_id}") {
            return String::new();
        }
        let webhook = format!("{}/integrations/webhooks/{webhook}", form.path());
        let known = self.owner().get(format!("{webhook}/deliveries"));
        let known = known.data()[0]["id"].clone();
        let id = match known {
            Value::Null => {
                let test = self.owner().post(format!("{webhook}/test"), json!({}));
                test.data()["id"].clone()
            }
            known => known,
        };
        id.as_str().map(str::to_owned).expect("an id")
    }

    /// A job of the editor's, which the editor may stop and undo, where the row is about one.
    fn job(&self, row: &Row, form: &Form) -> String {
        if !row.path.contains("{job_id}") {
            return String::new();
        }
        let path = format!("{}/entries/bulk_trash", form.path());
        let begun = self.related["editor"].post(path, json!({"serial_numbers": [99], "expected_total": 0}));
        begun.data()["id"].as_str().map(str::to_owned).unwrap_or_default()
    }

    /// Sends a request that would succeed for the right caller.
    fn ask(&self, caller: &Caller, row: &Row, form: &Form) -> Response {
        let serial = if row.path.contains("/trash/") { "2" } else { "1" };
        let webhook = self.webhook(row, form);
        let path = row
            .path
            .replace("{form_token}", &form.token)
            .replace("{serial_number}", serial)
            .replace("{user_id}", &self.guest)
            .replace("{version}", "1")
            .replace("{folder_token}", "AAAAAAAAAA")
            .replace("{query_token}", "AAAAAAAAAA")
            .replace("{webhook_id}", &webhook)
            .replace("{job_id}", &self.job(row, form))
            .replace("{delivery_id}", &self.delivery(row, form, &webhook));
        assert!(!path.contains('{'), "{path}: what stands there?");
        let body = match (row.method.as_str(), row.path.as_str()) {
            // A caller who may read the stream is told at once that this event is not known.
            (_, path) if path.ends_with("/events") => {
                let caller = caller.header("Last-Event-ID", "evt_0000000000000000000000");
                let address = path.replace("{form_token}", &form.token);
                return caller.get(address);
            }
            ("GET" | "DELETE", _) => return caller.send(&row.method, &path, None, b""),
            (_, path) if path.ends_with("/import") => {
                let address = path.replace("{form_token}", &form.token);
                return caller.send("POST", &address, Some("text/csv"), b"field_1\nx\n");
            }
            (_, path) if path.ends_with("/bulk") => {
                json!({"entries": [{"field_values": {"field_1": "x"}}]})
            }
            (_, path) if path.ends_with("/folder") => json!({"folder_token": null}),
            ("PUT", path) if path.ends_with("/field_rules") => json!({"rules": []}),
            ("PUT", path) if path.ends_with("/{user_id}") => json!({"role": "editor"}),
            (_, path) if path.contains("/entries") && !path.ends_with("/query") => {
                json!({"field_values": {"field_1": "y"}})
            }
            _ => json!({}),
        };
        let body = body.to_string();
        caller.send(&row.method, &path, Some("application/json"), body.as_bytes())
    }
}

fn share(owner: &Caller, form: &Form, with: &Caller, role: &str) -> Response {
    let id = with.get("/api/v1/me").data()["id"].clone();
    let path = format!("{}/collaborators/{}", form.path(), id.as_str().expect("an id"));
    owner.put(path, json!({"role": role}))
}

#[test]
fn every_route_under_a_form_says_which_role_it_needs_and_the_others_are_known() {
    for row in rows() {
        let is_public = ["open", "open or known", "open or form:respond", "client", "page", "signature"]
            .contains(&row.access.as_str());
        let is_forms = row.path.starts_with("/api/v1/forms/{form_token}");
        let name = row.name();
        match &row.role {
            Some(role) => {
                assert!(is_forms, "{name}");
                assert!(ROLES.contains(&role.as_str()), "{name}: {role}");
            }
            None if is_public => {}
            None => assert!(NO_FORM.contains(&name.as_str()), "{name} has no row in the matrix"),
        }
    }
}

#[test]
fn each_route_is_open_to_its_role_and_those_above_alone() {
    let server = Server::shared();
    let people = People::meet(server);
    for row in rows().iter().filter(|row| row.role.is_some()) {
        let name = row.name();
        let needed = row.role.as_deref().and_then(|role| ROLES.iter().position(|r| *r == role));
        let needed = needed.expect("a known role");
        let form = people.form();
        if row.path.ends_with("/restore") && row.role.as_deref() == Some("owner") {
            assert_eq!(people.owner().delete(form.path()).status, 200);
        }
        let answer = |caller: &Caller| people.ask(caller, row, &form);

        let nobody = answer(&server.anon());
        assert_eq!(nobody.to_string(), r#"401 {"error":"Missing access token"}"#, "{name}");
        let garbage = answer(&server.anon().with_token("garbage"));
        assert_eq!(garbage.to_string(), r#"401 {"error":"Invalid access token"}"#, "{name}");

        // Scope before resource: the owner with another scope and a stranger hear the same.
        let others: Vec<&str> = SCOPES.split_whitespace().filter(|s| *s != row.access).collect();
        for email in [&people.owner().email, &people.stranger.email] {
            let refused = answer(&server.token(email, &others.join(" ")));
            assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#, "{name}");
        }
        for unrelated in [&people.colleague, &people.stranger] {
            let none = answer(unrelated);
            assert_eq!(none.to_string(), r#"404 {"error":"Form not found"}"#, "{name}");
        }
        for (i, role) in ROLES.iter().enumerate() {
            let answered = answer(&people.related[role]);
            if i < needed {
                assert_eq!(answered.to_string(), r#"403 {"error":"Forbidden"}"#, "{name}: {role}");
                continue;
            }
            // The thing may be gone, deleted by the role before; but the request is never refused.
            let is_gone = answered.status == 404 && !answered.text.contains("Form not found");
            let is_well = answered.status < 300 || [410, 422].contains(&answered.status);
            assert!(is_well || is_gone, "{name}: {role}: {answered}");
            if i == needed {
                assert!(is_well, "{name}: {answered}");
            }
        }
    }
}

#[test]
fn routes_without_a_form_ask_for_a_token_and_its_scope() {
    let server = Server::shared();
    let people = People::meet(server);
    for row in rows() {
        if !NO_FORM.contains(&row.name().as_str()) {
            continue;
        }
        let name = row.name();
        let form = Form { token: String::new(), body: Value::Null };
        let answer = |caller: &Caller| people.ask(caller, &row, &form);
        assert_eq!(answer(&server.anon()).status, 401, "{name}");
        assert_eq!(answer(&server.anon().with_token("fsv_x")).status, 401, "{name}");
        if row.access != "known" {
            let others: Vec<&str> = SCOPES.split_whitespace().filter(|s| *s != row.access).collect();
            let refused = answer(&server.token(&people.colleague.email, &others.join(" ")));
            assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#, "{name}");
        }
        let allowed = answer(&people.colleague);
        // The log and the organization's looks are for its owners alone.
        if ["GET /api/v1/audit_events", "PATCH /api/v1/organization"].contains(&name.as_str()) {
            assert_eq!(allowed.to_string(), r#"403 {"error":"Forbidden"}"#);
            continue;
        }
        assert!(![401, 403].contains(&allowed.status), "{name}: {allowed}");
    }
}

#[test]
fn nested_ids_are_looked_for_below_their_parent_alone() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    let form = |owner: &Caller| owner.form(json!([field("short_text", json!({}))]));
    let (anns, bobs) = (form(&ann), form(&bob));
    for n in 0..3 {
        let made = bob.post(bobs.entries(), json!({"field_values": {"field_1": n.to_string()}}));
        assert_eq!(made.status, 201);
    }
    assert_eq!(bob.delete(bobs.entry(3)).status, 200);
    let webhook = json!({"url": "https://example.com", "trigger_events": ["entry_created"]});
    let made = bob.post(bobs.part("integrations/webhooks"), webhook);
    let id = made.data()["id"].as_str().expect("an id").to_owned();
    let there = anns.part(&format!("integrations/webhooks/{id}"));
    let deliveries = format!("{there}/deliveries");
    for refused in [
        ann.get(&there),
        ann.patch(&there, json!({})),
        ann.delete(&there),
        ann.post(format!("{there}/rotate_secret"), json!({})),
        ann.get(&deliveries),
    ] {
        assert_eq!(refused.to_string(), r#"404 {"error":"Webhook not found"}"#);
    }
    for path in [anns.entry(1), anns.entry(3)] {
        assert_eq!(ann.get(&path).to_string(), r#"404 {"error":"Entry not found"}"#);
        let changed = ann.patch(&path, json!({"field_values": {"field_1": "x"}}));
        assert_eq!(changed.status, 404);
        assert_eq!(ann.delete(&path).status, 404);
    }
    assert_eq!(ann.delete(anns.trashed(3)).status, 404);
    assert_eq!(ann.post(format!("{}/restore", anns.trashed(3)), json!({})).status, 404);
    // A collaborator of one form is none of another.
    assert_eq!(share(&bob, &bobs, &ann, "editor").status, 200);
    let id = ann.get("/api/v1/me").data()["id"].clone();
    let other = form(&bob);
    let path = format!("{}/collaborators/{}", other.path(), id.as_str().expect("an id"));
    assert_eq!(bob.delete(path).to_string(), r#"404 {"error":"Collaborator not found"}"#);
}
