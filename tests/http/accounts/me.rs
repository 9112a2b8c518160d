//! `/api/v1/me`: who calls (contract section 2).

use std::thread;

use serde_json::json;
use support::Server;

#[test]
fn the_caller_is_told_who_they_are() {
    let server = Server::alone("commands change all of it");
    let ann = server.user_named("ann@example.org", "Ann Lee");
    let ann = server.token(&ann.email, "entry:read form:write");
    let me = ann.get("/api/v1/me");
    assert_eq!(me.status, 200);
    assert_eq!(me.header("cache-control"), "no-store");
    let body = me.data();
    let (id, organization) = (body["id"].clone(), body["organization"]["id"].clone());
    for id in [&id, &organization] {
        assert_eq!(id.as_str().map(str::len), Some(10), "{id}");
    }
    assert_eq!(
        body,
        json!({
            "id": id,
            "name": "Ann Lee",
            "email": "ann@example.org",
            "locale": "en",
            "timezone": "UTC",
            "organization": {
                "id": organization,
                "name": "Ann Lee",
                "role": "owner",
                "plan": "unlimited",
                "capabilities": {
                    "public_queries": true,
                    "scoped_data": true,
                    "editable_results": true,
                    "entries_per_form": null,
                },
            },
            "token": {"kind": "personal", "scopes": ["form:write", "entry:read"]},
        })
    );
    let bob = server.user_named("bob@example.org", "Bob");
    let bob = bob.get("/api/v1/me").data();
    assert_eq!(bob["organization"]["role"], "member");
    assert_eq!(bob["organization"]["id"], organization);
}

#[test]
fn any_token_reads_and_form_write_changes() {
    let server = Server::shared();
    let user = server.user();
    let reader = server.token(&user.email, "entry:delete");
    assert_eq!(reader.get("/api/v1/me").status, 200);
    let refused = reader.patch("/api/v1/me", json!({"name": "X"}));
    assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    assert_eq!(server.anon().get("/api/v1/me").status, 401);
    assert_eq!(server.anon().with_token("fsv_x").get("/api/v1/me").status, 401);
}

#[test]
fn name_locale_and_time_zone_can_be_changed() {
    let user = Server::shared().user();
    let changed = user.patch(
        "/api/v1/me",
        json!({"name": " Zoë Li\u{7} ", "locale": "zh-cn", "timezone": "asia/shanghai", "email": "x@y", "odd": 1}),
    );
    assert_eq!(changed.status, 200);
    let body = changed.data();
    assert_eq!(body["name"], "Zoë Li");
    assert_eq!(body["locale"], "zh-CN");
    assert_eq!(body["timezone"], "Asia/Shanghai");
    assert_eq!(body["email"], user.email);
    assert_eq!(user.get("/api/v1/me").json(), changed.json());
    let kept = user.patch("/api/v1/me", json!({}));
    assert_eq!(kept.json(), changed.json());
    // New forms take both from the account.
    let form = user.form(json!([{"type": "short_text", "label": "A"}]));
    assert_eq!(form.body["timezone"], "Asia/Shanghai");
    assert_eq!(form.body["locale"], "zh-CN");
}

#[test]
fn changes_of_different_things_at_once_are_all_kept() {
    let user = Server::shared().user();
    for round in 0..10 {
        let name = format!("Round {round}");
        let zone = ["Asia/Tokyo", "Europe/Berlin"][round % 2];
        let locale = ["de", "fr"][round % 2];
        thread::scope(|scope| {
            for body in [json!({"name": name}), json!({"timezone": zone}), json!({"locale": locale})] {
                let user = &user;
                scope.spawn(move || assert_eq!(user.patch("/api/v1/me", body).status, 200));
            }
        });
        let now = user.get("/api/v1/me").data();
        assert_eq!([&now["name"], &now["timezone"], &now["locale"]], [&name, zone, locale]);
    }
}

#[test]
fn every_fault_is_named_and_nothing_is_changed() {
    let user = Server::shared().user();
    let before = user.get("/api/v1/me").json();
    let faults = |body| {
        let refused = user.patch("/api/v1/me", body);
        assert_eq!(refused.status, 422, "{refused}");
        refused.faults()
    };
    assert_eq!(
        faults(json!({"name": " ", "locale": "Klingon!", "timezone": "Mars/Base"})),
        [
            "name: can't be blank",
            "locale: must be a language tag such as en or zh-CN",
            "timezone: must be an IANA time zone such as Europe/Berlin",
        ]
    );
    assert_eq!(
        faults(json!({"name": null, "locale": null, "timezone": null})),
        ["name: can't be blank", "locale: can't be blank", "timezone: can't be blank"]
    );
    assert_eq!(
        faults(json!({"name": 1, "locale": true, "timezone": []})),
        ["name: must be a string", "locale: must be a string", "timezone: must be a string"]
    );
    assert_eq!(faults(json!({"name": "x".repeat(201)})), ["name: is too long (at most 200 characters)"]);
    assert_eq!(faults(json!({"name": "a\0b"})), ["name: must not contain NUL characters"]);
    assert_eq!(faults(json!([])), [": must be an object"]);
    assert_eq!(user.get("/api/v1/me").json(), before);
    assert_eq!(user.send("PATCH", "/api/v1/me", Some("application/json"), b"{").status, 400);
    assert_eq!(user.send("PATCH", "/api/v1/me", Some("text/plain"), b"{}").status, 415);
}
