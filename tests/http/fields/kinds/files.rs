//! `attachment`, `audio` and `signature`: their definitions, their values while no file was uploaded, and their
//! controls.

use serde_json::{Value, json};
use support::{Response, Server, field};

use super::Group;
use crate::fields::kinds::faults;

pub fn groups() -> Vec<Group> {
    let kinds = ["image", "video", "audio", "document"];
    let mut groups: Vec<Group> = kinds
        .into_iter()
        .map(|media| Group::of("attachment", json!({"media_type": media})).keeps([json!([])]))
        .collect();
    let list = "must be a list of files";
    let id = "must be an id, or an object with id or upload_id";
    groups.push(
        Group::of("attachment", json!({"max_count": 2}))
            .keeps([json!([])])
            .takes(json!(null), json!([]))
            .refuses(json!("u1"), list)
            .refuses(json!({"upload_id": "u1"}), list)
            .refuses(json!(5), list)
            .refuses(json!(["u1"]), "[0]: is not an uploaded file")
            .refuses(json!([{"upload_id": "u1"}]), "[0]: is not an uploaded file")
            .refuses(json!([{"id": "f1", "name": "a.png"}]), "[0]: is not an uploaded file")
            .refuses_for(json!(["", {"id": "f1"}]), &["[0]: is not an uploaded file", "[1]: is not an uploaded file"])
            .refuses_for(json!([null, {"id": 5}]), &[&format!("[0]: {id}"), &format!("[1]: {id}")])
            .refuses_for(json!([{}, ["u1"]]), &[&format!("[0]: {id}"), &format!("[1]: {id}")])
            .refuses(json!(["u1", "u2", "u3"]), "may have at most 2 files"),
    );
    groups
}

#[test]
fn every_key_is_kept() {
    let owner = Server::shared().user();
    let types = json!(["image/png", "application/vnd.ms-excel", "audio/*"]);
    for (kind, own, shown) in [
        ("attachment", json!({}), json!({"max_size": 10, "max_count": 1, "media_type": "all"})),
        (
            "attachment",
            json!({"max_size": 1, "max_count": 20, "media_type": "custom", "content_types": types}),
            json!({"max_size": 1, "max_count": 20, "media_type": "custom", "content_types": types}),
        ),
        // Types count for `custom` alone.
        (
            "attachment",
            json!({"media_type": "image", "content_types": types}),
            json!({"max_size": 10, "max_count": 1, "media_type": "image", "content_types": null}),
        ),
        ("audio", json!({}), json!({"max_duration": 60})),
        ("audio", json!({"max_duration": 5}), json!({"max_duration": 5})),
        ("signature", json!({"required": true}), json!({"required": true})),
    ] {
        let form = owner.form(json!([field(kind, own)]));
        let kept = form.body["fields"][0].clone();
        for (key, value) in shown.as_object().into_iter().flatten() {
            assert_eq!(kept[key], *value, "{kind} {key}: {kept}");
        }
        let again = owner.patch(form.path(), json!({"fields": [kept]}));
        assert_eq!(again.data()["fields"], json!([kept]), "{kind}: {again}");
    }
}

#[test]
fn definitions_are_checked() {
    let owner = Server::shared().user();
    let content_type = "must be a content type such as image/png";
    for (kind, own, expected) in [
        (
            "attachment",
            json!({"max_size": 0, "max_count": 21, "media_type": "picture"}),
            vec![
                ".max_size: must be 1 to 1048576".to_owned(),
                ".max_count: must be 1 to 20".to_owned(),
                ".media_type: must be one of all, image, video, audio, document, custom".to_owned(),
            ],
        ),
        (
            "attachment",
            json!({"max_size": "10", "max_count": 1.5}),
            vec![".max_size: must be a whole number".to_owned(), ".max_count: must be a whole number".to_owned()],
        ),
        ("attachment", json!({"media_type": "custom"}), vec![".content_types: is required".to_owned()]),
        (
            "attachment",
            json!({"media_type": "image", "content_types": [5]}),
            vec![".content_types[0]: must be a string".to_owned()],
        ),
        (
            "attachment",
            json!({"media_type": "custom", "content_types": []}),
            vec![".content_types: must have 1 to 50 content types".to_owned()],
        ),
        (
            "attachment",
            json!({"media_type": "custom", "content_types": ["png", 5, "Image/PNG", "image/png"]}),
            vec![
                format!(".content_types[0]: {content_type}"),
                ".content_types[1]: must be a string".to_owned(),
                format!(".content_types[2]: {content_type}"),
            ],
        ),
        ("attachment", json!({"default_value": ["u1"]}), vec![".default_value[0]: is not an uploaded file".to_owned()]),
        ("audio", json!({"max_duration": 0}), vec![".max_duration: must be 1 to 3600".to_owned()]),
        (
            "audio",
            json!({"max_duration": "1:00", "unique": true}),
            vec![".unique: is not possible for audio".to_owned(), ".max_duration: must be a whole number".to_owned()],
        ),
        ("signature", json!({"unique": true}), vec![".unique: is not possible for signature".to_owned()]),
    ] {
        assert_eq!(faults(&owner, kind, &own), expected, "{kind} {own}");
    }
}

#[test]
fn files_are_no_larger_than_the_server_takes() {
    let server = Server::with(&["--max-upload-mb", "20"]);
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({"max_size": 20}))]));
    let large = json!({"max_size": 21});
    let column = field("attachment", large.clone());
    let fields = json!([
        field("short_text", json!({})),
        field("attachment", large),
        field("table", json!({"dimensions": [column]})),
    ]);
    let expected = ["fields[1].max_size: must be 1 to 20", "fields[2].dimensions[0].max_size: must be 1 to 20"];
    let body = json!({"name": "x", "fields": fields});
    assert_eq!(owner.post("/api/v1/forms", body.clone()).faults(), expected);
    assert_eq!(owner.patch(form.path(), body).faults(), expected);
}

#[test]
fn nobody_writes_a_recording_or_a_signature() {
    let server = Server::shared();
    let (owner, respondent) = (server.user(), server.anon());
    for kind in ["audio", "signature"] {
        let form = owner.form(json!([field(kind, json!({"required": true}))]));
        for value in [
            json!("https://example.com/a.png"),
            json!({"id": "a", "name": "a", "url": "a", "file_size": 1, "content_type": "a/b"}),
            json!([{"upload_id": "u1"}]),
            json!(5),
            json!(null),
        ] {
            let body = json!({"field_values": {"field_1": value}});
            let made = owner.post(form.entries(), body.clone());
            assert_eq!((made.status, &made.data()["field_1"]), (201, &json!(null)), "{made}");
            let sent = respondent.post(form.submissions(), body.clone());
            assert_eq!(sent.status, 201, "{sent}");
            assert_eq!(sent.data()["entry"]["field_1"], json!(null));
            let changed = owner.patch(form.entry(1), body);
            assert_eq!((changed.status, &changed.data()["field_1"]), (200, &json!(null)));
        }
    }
}

/// The input of that name.
fn control<'p>(page: &'p Response, name: &str) -> &'p str {
    let at = page.text.find(&format!("name=\"{name}\""));
    let at = at.unwrap_or_else(|| panic!("no {name}: {page}"));
    let start = page.text[..at].rfind('<').expect("a tag");
    let end = page.text[at..].find('>').expect("an end") + at;
    &page.text[start..end]
}

#[test]
fn pages_have_inputs_for_files() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let of = |kind: &str, own: Value| {
        let form = owner.form(json!([field(kind, own)]));
        let page = anon.get(form.page());
        assert_eq!(page.status, 200, "{page}");
        page
    };
    for (own, expected) in [
        (json!({}), None),
        (json!({"media_type": "image", "max_count": 3}), Some("accept=\"image/*\" multiple")),
        (json!({"media_type": "document"}), Some("accept=\".pdf,.doc,")),
        (
            json!({"media_type": "custom", "content_types": ["image/png", "video/*"]}),
            Some("accept=\"image/png,video/*\""),
        ),
    ] {
        let page = of("attachment", own.clone());
        let input = control(&page, "field_1");
        assert!(input.contains("type=\"file\""), "{input}");
        match expected {
            Some(expected) => assert!(input.contains(expected), "{own}: {input}"),
            None => assert!(!input.contains("accept") && !input.contains("multiple"), "{input}"),
        }
        assert!(page.runs("files.js"));
        assert!(page.text.contains(" of up to 10 MB"));
    }
    let page = of("audio", json!({"max_duration": 90}));
    assert!(control(&page, "field_1").contains("accept=\"audio/*\""));
    assert!(page.text.contains("Up to 1:30.") && page.runs("recorder.js"));
    let page = of("signature", json!({}));
    assert!(control(&page, "field_1").contains("accept=\"image/*\""));
    assert!(control(&page, "field_1.typed").contains("autocomplete=\"name\""));
    assert!(page.runs("signature.js"));
}

#[test]
fn a_name_of_a_file_is_no_file() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({"required": true})), field("signature", json!({})),]));
    let pairs = [("field_1", "photo.jpg"), ("field_2.typed", "Ada \"A\" Lovelace")];
    let refused = anon.post_form(form.page(), &pairs);
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("This file wasn’t uploaded. Choose it again."));
    // Typed values are kept as far as possible.
    assert!(control(&refused, "field_2.typed").contains("value=\"Ada &quot;A&quot; Lovelace\""));
    let empty = anon.post_form(form.page(), &[("field_1", "")]);
    assert!(empty.text.contains("Answer this question"));
}
