//! "Files, signatures, recordings and linked entries are edited there too" (handbook), and by programs.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::multipart::{Body, fetched, kept};
use support::steps::set;
use support::uploads::{png, wav};
use support::{Caller, Form, Response, Server, field};

use crate::queries::edits::action;
use crate::queries::suggestions::{directory, link};
use crate::queries::{Query, all_of, body, fill};

struct Case {
    owner: Caller,
    form: Form,
    query: Query,
    directory: Form,
}

/// A form with all that is no text, closed to respondents, and a query that lets it be edited.
fn case() -> Case {
    let owner = Server::shared().user();
    let directory = directory(&owner);
    for (name, town) in [("Ada Lovelace", "mk-london"), ("Grace Hopper", "mk-york")] {
        let values = json!({"field_1": name, "field_2": {"country_id": "CN", "number": "13800138000"},
            "field_3": format!("{town}@example.com"), "field_4": town, "field_5": 4});
        fill(&owner, &directory, &[values]);
    }
    let mut hidden = link(&directory);
    hidden["hidden"] = json!(true);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Number"})),
        field(
            "attachment",
            json!({"label": "Papers", "max_count": 2, "media_type": "custom",
            "content_types": ["text/plain", "image/png"], "max_size": 1})
        ),
        field("signature", json!({"label": "Signature"})),
        field("audio", json!({"label": "Voice"})),
        link(&directory),
        field("attachment", json!({"label": "Hidden", "hidden": true})),
        field("attachment", json!({"label": "Others"})),
        hidden,
    ]));
    fill(&owner, &form, &[json!({"field_1": "A1"}), json!({"field_1": "A2"})]);
    let rules: Value =
        (1..=8).map(|i| json!({"field": format!("field_{i}"), "editable": ![1, 7].contains(&i)})).collect();
    let query = Query::new(&owner, body(&form, all_of(&["field_1"]), rules));
    Case { owner, form, query, directory }
}

impl Case {
    fn stored(&self) -> Value {
        self.owner.get(self.form.entry(1)).data()
    }

    fn page(&self) -> Response {
        self.query.anon().get(self.query.page() + "?field_1=A1").is(200)
    }

    /// The form of the row as a browser posts it, with the shown values.
    fn body(&self, page: &Response) -> Body {
        let mut body = Body::default().text("edit_token", &hidden(page, "edit_token")).text("_page", "0");
        for (field, (_, id)) in inputs_of_kept(page).into_iter().zip(kept(page)) {
            body = body.text(&field, &id);
        }
        body
    }

    fn post(&self, page: &Response, body: Body) -> Response {
        body.send(&self.query.anon(), &action(page))
    }

    fn linked(&self, serial: i64) -> String {
        let entry = self.owner.get(self.directory.entry(serial)).data();
        entry["token"].as_str().expect("a token").to_owned()
    }
}

fn inputs_of_kept(page: &Response) -> Vec<String> {
    let inputs = page.text.split("<input type=\"checkbox\" name=\"").skip(1);
    let inputs = inputs.filter(|rest| rest.split('>').next().is_some_and(|input| input.contains("data-name")));
    inputs.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

#[test]
fn files_are_edited_while_the_form_is_closed_or_unpublished() {
    let case = case();
    case.owner.patch(case.form.path(), json!({"published": false})).is(200);
    let page = case.page();
    assert!(page.text.contains("enctype=\"multipart/form-data\""), "{page}");
    for (name, is_there) in
        [("field_2", true), ("field_3", true), ("field_4", true), ("field_6", true), ("field_7", false)]
    {
        let input = format!("type=\"file\" id=\"{name}\" name=\"{name}\"");
        assert_eq!(page.text.contains(&input), is_there, "{name}: {page}");
    }
    case.post(
        &page,
        case.body(&page)
            .file("field_2", "a.txt", "text/plain", b"one")
            .file("field_2", "b.png", "image/png", &png(2, 2))
            .file("field_6", "c.txt", "text/plain", b"hidden")
            .file("field_4", "v.wav", "audio/wav", &wav(1250))
            .file("field_7", "d.txt", "text/plain", b"stray")
            .text("field_3.typed", "Ada"),
    )
    .is(303);
    let now = case.stored();
    let names = |value: &Value| -> Vec<String> {
        let files = value.as_array().into_iter().flatten();
        files.map(|file| file["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&now["field_2"]), ["a.txt", "b.png"], "{now}");
    assert_eq!(names(&now["field_6"]), ["c.txt"], "{now}");
    assert_eq!(now["field_7"], json!([]), "{now}");
    assert_eq!(now["field_4"]["duration"], json!(1.25), "{now}");
    assert_eq!(fetched(&case.owner, &now["field_2"][0]["url"]).text, "one");
    assert_eq!(&fetched(&case.owner, &now["field_3"]).bytes[1..4], b"PNG");
    // In a form that is closed, one goes and the other stays.
    case.owner.patch(case.form.path(), json!({"published": true})).is(200);
    set(&case.owner, &case.form, json!({"availability": {"manually_closed": true}}));
    let page = case.page();
    let names_kept: Vec<String> = kept(&page).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names_kept, ["a.txt", "b.png", "signature.png", "v.wav", "c.txt"], "{page}");
    let (_, second) = kept(&page)[1].clone();
    let token = hidden(&page, "edit_token");
    let saved =
        case.post(&page, Body::default().text("edit_token", &token).text("_page", "0").text("field_2", &second));
    assert_eq!(saved.status, 303, "{saved}");
    let now = case.stored();
    assert_eq!(names(&now["field_2"]), ["b.png"], "{now}");
    assert_eq!((&now["field_3"], &now["field_6"]), (&json!(null), &json!([])), "{now}");
}

#[test]
fn refused_files_are_told_at_the_row_and_others_stay() {
    let case = case();
    let page = case.page();
    let refused = case
        .post(
            &page,
            case.body(&page).file("field_2", "a.txt", "text/plain", b"one").file(
                "field_2",
                "b.pdf",
                "application/pdf",
                b"%PDF-",
            ),
        )
        .is(422);
    assert!(refused.text.contains("id=\"field_2-fault\"") && refused.text.contains("href=\"#field_2\""), "{refused}");
    assert!(refused.text.contains(">1 result</h2>"), "{refused}");
    assert_eq!(case.stored()["field_2"], json!([]));
    assert_eq!(kept(&refused).len(), 1, "{refused}");
    case.post(&refused, case.body(&refused)).is(303);
    assert_eq!(case.stored()["field_2"][0]["name"], "a.txt");
    let large = vec![b'x'; (1 << 20) + 1];
    let page = case.page();
    let refused = case.post(&page, case.body(&page).file("field_2", "l.txt", "text/plain", &large)).is(422);
    assert!(refused.text.contains("l.txt"), "{refused}");
}

#[test]
fn files_need_the_edit_token_of_their_row() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page();
    let action = action(&page);
    let token = hidden(&page, "edit_token");
    let other = anon.get(case.query.page() + "?field_1=A2");
    let others = hidden(&other, "edit_token");
    let file = |token: &str| Body::default().text("edit_token", token).file("field_2", "a.txt", "text/plain", b"one");
    for wrong in ["", "1.x", &others] {
        file(wrong).send(&anon, &action).is(404);
    }
    // A file that comes before the right is not kept.
    let early = Body::default().file("field_2", "a.txt", "text/plain", b"one").text("edit_token", &token);
    early.send(&anon, &action).is(422);
    let refused = file(&token).send(&anon, &action.replace("signature=", "signature=x")).is(403);
    assert!(refused.text.contains("This link has expired"), "{refused}");
    case.owner.delete(case.form.entry(1));
    let gone = file(&token).send(&anon, &action).is(404);
    assert!(gone.text.contains("No longer available"), "{gone}");
}

#[test]
fn linked_entries_are_searched_and_chosen_as_respondents_do() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page();
    let token = hidden(&page, "edit_token");
    let action = action(&page);
    let ada = case.linked(1);
    assert!(page.text.contains("name=\"_find.field_5\"") && !page.text.contains(&ada), "{page}");
    let find = |who: &Caller, right: &str, field: &str, text: &str| {
        let field = format!("_find.{field}");
        who.post_form(&action, &[("edit_token", right), ("_action", "find"), (&field, text)])
    };
    let found = find(&anon, &token, "field_5", "ovelac").is(200);
    found.has([ada.as_str(), ">1 result</h2>"]);
    found.lacks([case.linked(2)]);
    // The script gets the same; without the right nobody does.
    let script = anon.header("accept", "application/json");
    let options = find(&script, &token, "field_5", "ovelac");
    assert_eq!(options.json()["options"][0]["token"], json!(ada), "{options}");
    find(&script, "1.x", "field_5", "ovelac").is(404);
    // Nor does another field find anything, a hidden one, or a masked or private one in the other form.
    for (field, text) in [("field_1", "ovelac"), ("field_8", "ovelac"), ("field_5", "mk-london")] {
        let options = find(&script, &token, field, text);
        assert_eq!(options.json()["options"], json!([]), "{field} {text}: {options}");
    }
    // As on the form's page.
    let form_page =
        anon.post_form(case.form.page(), &[("_page", "0"), ("_action", "find"), ("_find.field_5", "mk-london")]);
    assert!(!form_page.text.contains(&ada), "{form_page}");
    anon.post_form(&action, &[("edit_token", token.as_str()), ("field_5", ada.as_str())]).is(303);
    assert_eq!(case.stored()["field_5"]["entry_token"], json!(ada), "{}", case.stored());
    let page = case.page();
    assert!(page.text.contains(&format!("value=\"{ada}\"")), "{page}");
    // On the row's own page too.
    let row = anon.get(links_of_row(&page));
    row.has(["enctype=\"multipart/form-data\"".to_owned(), format!("value=\"{ada}\"")]);
    // A hidden field offers nothing, so it has no control.
    assert!(!page.text.contains("name=\"_find.field_8\""), "{page}");
}

fn links_of_row(page: &Response) -> String {
    let all = crate::queries::links(page);
    let row = all
        .into_iter()
        .find(|link| link.contains("/entries/") && link.contains("signature=") && !link.contains("/files/"));
    row.expect("a row")
}

#[test]
fn programs_upload_files_with_the_edit_token() {
    let case = case();
    case.owner.patch(case.form.path(), json!({"published": false})).is(200);
    let rows = case.query.rows(&json!({"field_1": "A1"}));
    let entry = rows[0]["entry_token"].as_str().expect("a token");
    let token = rows[0]["edit_token"].as_str().expect("a right").to_owned();
    let row = format!("{}/entries/{entry}", case.query.public());
    let announced = |field: &str| json!({"field_api_code": field, "file_name": "plan.txt", "content_type": "text/plain", "file_size": 2});
    let by = |token: &str| case.query.anon().header("x-edit-token", token);
    let path = format!("/api/v1/q/{}/entries/{entry}/attachments", case.query.token);
    for wrong in ["", "1.x"] {
        by(wrong).post(&path, announced("field_2")).is(404);
    }
    // Only editable files are taken, under their rules, also hidden ones.
    for field in ["field_1", "field_3", "field_7", "field_9"] {
        let refused = by(&token).post(&path, announced(field)).is(422);
        assert_eq!(refused.attributes(), ["field_api_code"], "{refused}");
    }
    let mut large = announced("field_2");
    large["file_size"] = json!((1 << 20) + 1);
    large["content_type"] = json!("application/pdf");
    let refused = by(&token).post(&path, large);
    assert_eq!(refused.attributes(), ["content_type", "file_size"], "{refused}");
    for (field, in_body) in [("field_2", false), ("field_6", true)] {
        let mut body = announced(field);
        let prepared = if in_body {
            body["edit_token"] = json!(token);
            case.query.anon().post(&path, body)
        } else {
            by(&token).post(&path, body)
        };
        assert_eq!(prepared.status, 201, "{prepared}");
        let prepared = prepared.data();
        let address = support::uploads::path_of(&case.owner, prepared["upload_url"].as_str().expect("an address"));
        case.query.anon().send("PUT", address, Some("text/plain"), b"hi").is(200);
        let mut values = json!({});
        values[field] = json!([{"upload_id": prepared["upload_id"]}]);
        let done = by(&token).patch(&row, json!({ "field_values": values })).is(200);
        assert_eq!(done.data()[field][0]["name"], "plan.txt", "{done}");
    }
    let gone =
        case.query.anon().post(format!("{}/entries/nothing/attachments", case.query.public()), announced("field_2"));
    assert_eq!(gone.status, 404, "{gone}");
}
