//! `/api/v1/me`: the caller (contract section 2).

use serde_json::json;
use support::{Server, at_once};

use super::{ANN, BOB, me};

const PATH: &str = "/api/v1/me";

#[test]
fn callers_are_told_who_they_are() {
    let server = Server::alone("commands change all of it");
    server.user_named(ANN, "Ann Lee");
    // No scope is asked for.
    let answer = server.token(ANN, "entry:read form:write").get(PATH).is(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.data();
    let (id, organization) = (body["id"].clone(), body["organization"]["id"].clone());
    for id in [&id, &organization] {
        assert_eq!(id.as_str().map(str::len), Some(10), "{id}");
    }
    let capabilities =
        json!({"public_queries": true, "scoped_data": true, "editable_results": true, "entries_per_form": null});
    let expected = json!({
        "id": id, "name": "Ann Lee", "email": ANN, "locale": "en", "timezone": "UTC",
        "organization": {
            "id": organization, "name": "Ann Lee", "role": "owner", "plan": "unlimited", "capabilities": capabilities,
        },
        "token": {"kind": "personal", "scopes": ["form:write", "entry:read"]},
    });
    assert_eq!(body, expected);
    let bob = me(&server.user_named(BOB, "Bob"))["organization"].clone();
    assert_eq!((&bob["role"], &bob["id"]), (&json!("member"), &organization));
}

#[test]
fn name_locale_and_time_zone_can_be_changed() {
    let user = Server::shared().user();
    let typed =
        json!({"name": " Zoë Li\u{7} ", "locale": "zh-cn", "timezone": "asia/shanghai", "email": "x@y", "odd": 1});
    let changed = user.patch(PATH, typed).is(200);
    let body = changed.data();
    let told = ["name", "locale", "timezone", "email"].map(|key| &body[key]);
    assert_eq!(told, ["Zoë Li", "zh-CN", "Asia/Shanghai", &user.email]);
    for same in [user.get(PATH), user.patch(PATH, json!({}))] {
        assert_eq!(same.data(), body);
    }
    // New forms take both from the account.
    let form = user.form(json!([{"type": "short_text", "label": "A"}])).body;
    assert_eq!([&form["timezone"], &form["locale"]], ["Asia/Shanghai", "zh-CN"]);
}

#[test]
fn changes_of_different_things_at_once_are_all_kept() {
    let user = Server::shared().user();
    for round in 0..10 {
        let (name, zone) = (format!("Round {round}"), ["Asia/Tokyo", "Europe/Berlin"][round % 2]);
        let locale = ["de", "fr"][round % 2];
        let bodies = [json!({"name": name}), json!({"timezone": zone}), json!({"locale": locale})];
        at_once(3, |n| user.patch(PATH, bodies[n].clone()).is(200));
        let now = me(&user);
        assert_eq!([&now["name"], &now["timezone"], &now["locale"]], [&name, zone, locale]);
    }
}

#[test]
fn faults_of_me_are_all_named_and_nothing_is_changed() {
    let user = Server::shared().user();
    let before = me(&user);
    for (body, faults) in [
        (
            json!({"name": " ", "locale": "Klingon!", "timezone": "Mars/Base"}),
            "name: can't be blank; locale: must be a language tag such as en or zh-CN; \
             timezone: must be an IANA time zone such as Europe/Berlin",
        ),
        (
            json!({"name": null, "locale": null, "timezone": null}),
            "name: can't be blank; locale: can't be blank; timezone: can't be blank",
        ),
        (
            json!({"name": 1, "locale": true, "timezone": []}),
            "name: must be a string; locale: must be a string; timezone: must be a string",
        ),
        (json!({"name": "x".repeat(201)}), "name: is too long (at most 200 characters)"),
        (json!({"name": "a\0b"}), "name: must not contain NUL characters"),
        (json!([]), ": must be an object"),
    ] {
        let refused = user.patch(PATH, body.clone()).is_for(422, &body);
        assert_eq!(refused.faults().join("; "), faults, "{body}");
    }
    user.send("PATCH", PATH, Some("application/json"), b"{").is(400);
    user.send("PATCH", PATH, Some("text/plain"), b"{}").is(415);
    assert_eq!(me(&user), before);
}
