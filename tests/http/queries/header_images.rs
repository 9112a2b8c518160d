//! The image above the page: uploaded, focused, kept, changed, removed (contract sections 6 and 8).

use serde_json::{Value, json};
use support::images::{picture, prepared, uploaded};
use support::uploads::png;
use support::{Caller, Form, Response, Server};

use crate::queries::{PATH, Query, all_of, body, people, shown, simple, stranger};

const PURPOSE: &str = "opensearch_header_image";

fn image(caller: &Caller) -> String {
    uploaded(caller, PURPOSE, "image/png", &png(30, 20))
}

fn with(form: &Form, background: Value) -> Value {
    let mut whole = body(form, all_of(&["field_1"]), shown(&["field_1"]));
    whole["header"] = json!({"background_image": background});
    whole
}

fn background(answer: &Response) -> Value {
    assert!([200, 201].contains(&answer.status), "{answer}");
    answer.data()["header"]["background_image"].clone()
}

/// As reads show it.
fn at(caller: &Caller, id: &Value, x: Value, y: Value) -> Value {
    let mut out = picture(caller, id.as_str().expect("an id"));
    out["position_x"] = x;
    out["position_y"] = y;
    out
}

#[test]
fn uploads_become_an_image_once() {
    let (owner, form) = people(Server::shared());
    let id = image(&owner);
    let made = owner.post(PATH, with(&form, json!({"upload_id": id, "position_x": 12.5, "position_y": 100})));
    let shown = background(&made);
    assert_eq!(shown, at(&owner, &shown["id"], json!(12.5), json!(100.0)));
    let query = Query::of(&made, &owner);
    assert_eq!(background(&owner.get(query.path())), shown);
    let url = shown["image_url"].as_str().expect("an address");
    let there = query.anon().get(crate::queries::local(&owner, url));
    assert_eq!((there.status, there.header("content-type")), (200, "image/png"));
    // The page shows it.
    let page = query.anon().get(query.page());
    assert!(page.text.contains(shown["id"].as_str().expect("an id")), "{page}");
    let again = owner.post(PATH, with(&form, json!({"upload_id": id})));
    assert_eq!(again.faults(), ["header.background_image.upload_id: has already been used"]);
    assert_eq!(again.json()["code"], "upload_used", "{again}");
}

#[test]
fn images_are_kept_moved_changed_and_removed() {
    let (owner, form) = people(Server::shared());
    let made = owner.post(PATH, with(&form, json!({"upload_id": image(&owner)})));
    let first = background(&made);
    assert_eq!(first, at(&owner, &first["id"], Value::Null, Value::Null), "no focal point");
    let query = Query::of(&made, &owner);
    let change = |image: Value| {
        let header = json!({"header": {"background_image": image}});
        background(&query.change(&owner, header))
    };
    // As it was read, and with another focal point.
    let named = json!({"id": first["id"], "position_x": 0, "position_y": 50.25});
    assert_eq!(change(named), at(&owner, &first["id"], json!(0.0), json!(50.25)));
    // Another key of the query leaves it.
    let kept = query.change(&owner, json!({"name": "Other"}));
    assert_eq!(background(&kept)["id"], first["id"]);
    let kept = query.change(&owner, json!({"header": {}}));
    assert_eq!(background(&kept)["id"], first["id"]);
    let second = change(json!({"upload_id": image(&owner)}));
    assert_ne!(second["id"], first["id"]);
    assert_eq!(change(Value::Null), Value::Null);
    // Another query of the organisation may have the same one.
    let other = simple(&owner, &form);
    let colleague = Server::shared().user();
    support::sharing::share(&owner, &form, &colleague, "manager");
    let third = change(json!({"upload_id": image(&owner)}));
    let header = json!({"header": {"background_image": {"id": third["id"], "position_x": 1}}});
    let shared = colleague.patch(other.path(), header);
    assert_eq!(background(&shared), at(&owner, &third["id"], json!(1.0), Value::Null));
}

#[test]
fn unused_images_are_deleted() {
    let server = Server::alone("its jobs run now");
    let (owner, form) = people(&server);
    let query = Query::of(&owner.post(PATH, with(&form, json!({"upload_id": image(&owner)}))), &owner);
    let url = background(&owner.get(query.path()))["image_url"].clone();
    let url = crate::queries::local(&owner, url.as_str().expect("an address"));
    let sweep = || {
        let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
        let change = "UPDATE images SET idle_since = idle_since - 90000000";
        database.execute(change, []).expect("changed");
        let swept = server.run(&["jobs", "run-once", "files"]);
        assert!(swept.status.success());
        owner.get(&url).status
    };
    assert_eq!(sweep(), 200);
    query.change(&owner, json!({"header": {"background_image": null}}));
    assert_eq!(sweep(), 404);
    // So it is deleted with its query.
    let query = Query::of(&owner.post(PATH, with(&form, json!({"upload_id": image(&owner)}))), &owner);
    let url = background(&owner.get(query.path()))["image_url"].clone();
    let url = crate::queries::local(&owner, url.as_str().expect("an address"));
    owner.get(&url).is(200);
    owner.delete(query.path()).is(200);
    sweep();
    owner.get(&url).is(404);
}

#[test]
fn other_images_are_refused() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let far = stranger(server, "Queries with images");
    let theirs = far.form(json!([support::field("name", json!({}))]));
    let their_query = far.post(PATH, with(&theirs, json!({"upload_id": image(&far)})));
    let their_id = background(&their_query)["id"].clone();
    let themed = uploaded(&owner, "header_image", "image/png", &png(30, 20));
    let theme = json!({"header": {"type": "image", "images": [{"upload_id": themed}]}});
    let theme = owner.patch(form.part("theme"), theme);
    let theme_id = theme.data()["header"]["images"][0]["id"].clone();
    assert!(theme_id.is_string(), "{theme}");
    let open = prepared(&owner, PURPOSE, "image/png", &png(30, 20))["upload_id"].clone();
    let id = image(&owner);
    let by_upload = "header.background_image.upload_id";
    let by_id = "header.background_image.id";
    for (background, attribute, code) in [
        (json!({"upload_id": "none"}), by_upload, "upload_not_found"),
        (json!({"upload_id": open}), by_upload, "upload_incomplete"),
        (json!({"upload_id": image(&far)}), by_upload, "upload_not_found"),
        (
            json!({"upload_id": uploaded(&owner, "header_image", "image/png", &png(3, 2))}),
            by_upload,
            "upload_purpose_mismatch",
        ),
        (
            json!({"upload_id": uploaded(&owner, "choice_image", "image/png", &png(3, 2))}),
            by_upload,
            "upload_purpose_mismatch",
        ),
        (json!({"upload_id": 5}), by_upload, ""),
        (json!({"id": "none"}), by_id, ""),
        (json!({"id": ""}), by_id, ""),
        (json!({"id": 5}), by_id, ""),
        (json!({ "id": id }), by_id, ""),
        (json!({"id": their_id}), by_id, ""),
        // Attached to a form, but to no query.
        (json!({"id": theme_id}), by_id, ""),
        (json!({"upload_id": id, "position_x": -0.1}), "header.background_image.position_x", ""),
        (json!({"upload_id": id, "position_y": 100.5}), "header.background_image.position_y", ""),
        (json!({"upload_id": id, "position_x": "50"}), "header.background_image.position_x", ""),
        (json!({"upload_id": id, "url": "https://example.com/a.png"}), "header.background_image.url", ""),
        (json!("x"), "header.background_image", ""),
        (json!([]), "header.background_image", ""),
    ] {
        let refused = owner.post(PATH, with(&form, background.clone()));
        assert_eq!(
            (refused.status, refused.attributes()),
            (422, vec![attribute.to_owned()]),
            "{background}: {refused}"
        );
        if !code.is_empty() {
            assert_eq!(refused.json()["code"], code, "{background}: {refused}");
        }
    }
    // Exactly one of the two.
    for background in [
        json!({}),
        json!({"position_x": 5}),
        json!({"id": theme_id, "upload_id": id}),
        json!({"id": null, "upload_id": null}),
    ] {
        let refused = owner.post(PATH, with(&form, background.clone()));
        assert_eq!(refused.status, 422, "{background}: {refused}");
        let attributes = refused.attributes();
        assert!(attributes.iter().all(|it| it.starts_with("header.background_image")), "{background}: {refused}");
    }
    // A refused upload can still be used.
    owner.post(PATH, with(&form, json!({"upload_id": id}))).is(201);
}
