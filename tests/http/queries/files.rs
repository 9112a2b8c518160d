//! Links to results, files and certificates are signed, work for an hour, and end with the row (handbook).

use serde_json::{Value, json};
use support::clock::Clock;
use support::steps::set;
use support::uploads::{send, uploaded};
use support::{Caller, Form, Response, Server, field};

use crate::queries::{Query, all_of, body, condition, fill, links, local, restore, set_values, shown};

/// A form of names, a file that is shown, one that is not, and a number for the scope.
fn filled(server: &Server) -> (Caller, Form, Query) {
    let owner = server.user();
    let form = owner.form(json!([
        field("attachment", json!({"label": "Shown", "max_count": 2})),
        field("attachment", json!({"label": "Inside"})),
        field("name", json!({"label": "Name"})),
        field("number", json!({"label": "Group"})),
    ]));
    for name in ["Ada", "Ada", "Bea"] {
        let file = |text: &str| uploaded(&owner, &form, "a.txt", "text/plain", text.as_bytes());
        let shown = file(&format!("shown {name}"));
        let inside = owner.post(
            format!("{}/entry_attachments", form.published()),
            json!({"field_api_code": "field_2", "file_name": "b.txt", "content_type": "text/plain", "file_size": 6}),
        );
        let inside = inside.data();
        send(&owner, &inside, "text/plain", b"inside").is(200);
        fill(
            &owner,
            &form,
            &[json!({"field_1": [shown], "field_2": [inside["upload_id"]], "field_3": name, "field_4": 1})],
        );
    }
    let rules = shown(&["serial_number", "field_3", "field_1"]);
    let query = Query::with(
        &owner,
        &form,
        all_of(&["field_3"]),
        rules,
        json!({"scope_conditions": [condition("field_4", "eq", json!(1))]}),
    );
    (owner, form, query)
}

fn ada() -> Value {
    json!({"field_3": "Ada"})
}

/// The path of the file that a search shows of an entry.
fn file(query: &Query, serial: i64) -> String {
    let (row, _) = query.row(&ada(), serial);
    let url = row["field_1"][0]["url"].as_str().expect("a link").to_owned();
    local(&query.anon(), &url)
}

/// The links of a page of results below the query, but for exports and other pages.
fn details(query: &Query, page: &Response) -> Vec<String> {
    let below = format!("{}/", query.page());
    let all = links(page).into_iter().map(|link| local(&query.anon(), &link));
    all.filter(|link| link.starts_with(&below) && !link.contains("/export")).collect()
}

/// A link with another letter at the beginning of its signature.
fn altered(link: &str) -> String {
    let (before, signature) = link.split_once("signature=").expect("signed");
    let first = if signature.starts_with('A') { "B" } else { "A" };
    format!("{before}signature={first}{}", &signature[1..])
}

fn closed(answer: &Response, what: &str) {
    assert!([403, 404].contains(&answer.status), "{what}: {answer}");
    for mark in ["shown", "inside", "Ada"] {
        assert!(!answer.text.contains(mark), "{what}: {answer}");
    }
}

#[test]
fn files_need_the_link_of_the_search() {
    let (owner, form, query) = filled(Server::shared());
    let (row, _) = query.row(&ada(), 1);
    let file = &row["field_1"][0];
    assert_eq!(
        (&file["name"], &file["file_size"], &file["content_type"]),
        (&json!("a.txt"), &json!(9), &json!("text/plain"))
    );
    let anon = query.anon();
    let path = self::file(&query, 1);
    let there = anon.get(&path);
    assert_eq!((there.status, there.text.as_str()), (200, "shown Ada"), "{there}");
    assert!(there.header("content-disposition").starts_with("attachment"));
    assert_eq!(there.header("x-content-type-options"), "nosniff");
    // Not without its signature, nor with another.
    let (place, rest) = path.split_once('?').expect("signed");
    closed(&anon.get(place), "bare");
    closed(&anon.get(altered(&path)), "altered");
    // The file that is not shown has no link, and another's signature is none for it.
    let entry = owner.get(form.entry(1)).data();
    let other = entry["field_2"][0]["url"].as_str().expect("a link");
    let other = local(&owner, other);
    let (other, _) = other.split_once('?').expect("signed");
    closed(&anon.get(format!("{other}?{rest}")), "of another file");
    for answer in [query.search(&ada()), anon.get(query.typed(&ada()))] {
        assert!(!answer.text.contains("b.txt"), "{answer}");
    }
    // The page links to it too.
    let page = anon.get(query.typed(&ada()));
    let all = links(&page);
    let all = all.iter().map(|link| local(&anon, link));
    let shown = all.filter(|link| link.contains("a.txt") || link.contains("/files/"));
    let shown: Vec<String> = shown.collect();
    assert!(!shown.is_empty(), "{page}");
    for link in shown {
        assert_eq!(anon.get(&link).status, 200, "{link}");
    }
}

#[test]
fn file_links_are_signed_for_their_row() {
    let (owner, form, query) = filled(Server::shared());
    let anon = query.anon();
    let signed = self::file(&query, 1);
    let (_, rest) = signed.split_once('?').expect("signed");
    for serial in 1..=3 {
        let entry = owner.get(form.entry(serial)).data();
        let token = entry["token"].as_str().expect("a token");
        for field in ["field_1", "field_2"] {
            let id = entry[field][0]["id"].as_str().expect("an id");
            let name = entry[field][0]["name"].as_str().expect("a name");
            let path = format!("/q/{}/entries/{token}/files/{id}/{name}", query.token);
            closed(&anon.get(&path), "bare");
            closed(&owner.get(&path), "with a bearer token");
            let with = format!("{path}?{rest}");
            match (serial, field) {
                (1, "field_1") => assert_eq!(anon.get(&with).status, 200, "{with}"),
                _ => closed(&anon.get(&with), "with another's signature"),
            }
        }
    }
}

#[test]
fn certificates_need_the_link_of_the_search() {
    let owner = Server::shared().user();
    let form =
        owner.form(json!([field("name", json!({"label": "Name"})), field("number", json!({"label": "Group"})),]));
    let certificate = json!({"enabled": true, "title": "Diploma", "body": "For {{field_1}}"});
    set(&owner, &form, json!({"certificate": certificate}));
    fill(&owner, &form, &[json!({"field_1": "Ada", "field_2": 1}), json!({"field_1": "Ada", "field_2": 1})]);
    let rules = shown(&["serial_number", "x_field_certificate"]);
    let query = Query::with(
        &owner,
        &form,
        all_of(&["field_1"]),
        rules,
        json!({"scope_conditions": [condition("field_2", "eq", json!(1))]}),
    );
    let anon = query.anon();
    let link = |serial: i64| {
        let (row, _) = query.row(&json!({"field_1": "Ada"}), serial);
        let url = row["x_field_certificate"]["url"].as_str();
        local(&anon, url.unwrap_or_else(|| panic!("no link: {row}")))
    };
    let (one, two) = (link(1), link(2));
    for path in [&one, &two] {
        let pdf = anon.get(path);
        assert_eq!(pdf.status, 200, "{path}");
        assert!(pdf.bytes.starts_with(b"%PDF"), "{path}");
        closed(&anon.get(altered(path)), "altered");
    }
    let (_, rest) = one.split_once('?').expect("signed");
    let token = owner.get(form.entry(2)).data()["token"].clone();
    let token = token.as_str().expect("a token");
    let path = format!("/q/{}/entries/{token}/certificate", query.token);
    closed(&anon.get(&path), "bare");
    closed(&anon.get(format!("{path}?{rest}")), "another row's");
    // The owner's own link stays valid when the row is gone, the visitor's does not.
    set_values(&owner, &form, 1, json!({"field_2": 2}));
    closed(&anon.get(&one), "out of the scope");
    anon.get(&two).is(200);
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number"])}));
    closed(&anon.get(&two), "no longer shown");
}

#[test]
fn entry_tokens_open_nothing() {
    let (owner, form, query) = filled(Server::shared());
    let anon = query.anon();
    let page = anon.get(query.typed(&ada()));
    let details = details(&query, &page);
    assert!(!details.is_empty(), "there is a detail view: {page}");
    for link in &details {
        let there = anon.get(link);
        assert_eq!(there.status, 200, "{link}: {there}");
        assert!(there.text.contains("Ada"), "{there}");
        assert!(!there.text.contains("Group") && !there.text.contains("b.txt"), "{there}");
        let (place, _) = link.split_once('?').expect("signed");
        closed(&anon.get(place), "bare");
        closed(&anon.get(altered(link)), "altered");
    }
    let tokens: Vec<String> = (1..=3)
        .map(|serial| {
            let entry = owner.get(form.entry(serial)).data();
            entry["token"].as_str().expect("a token").to_owned()
        })
        .collect();
    for token in &tokens {
        for place in [
            format!("{}/entries/{token}", query.page()),
            format!("{}/{token}", query.page()),
            format!("{}/entries/{token}", query.public()),
        ] {
            let answer = anon.get(&place);
            assert!([403, 404, 405].contains(&answer.status), "{place}: {answer}");
        }
    }
    // One entry's signature is none for another.
    for link in &details {
        for (one, other) in [(0, 1), (1, 0), (0, 2), (1, 2)] {
            if link.contains(&tokens[one]) {
                closed(&anon.get(link.replace(&tokens[one], &tokens[other])), "swapped");
            }
        }
    }
    // Nor is one query's for another.
    let mut other = body(&form, all_of(&["field_3"]), shown(&["field_4"]));
    other["name"] = json!("Other");
    let other = Query::new(&owner, other);
    for link in &details {
        closed(&anon.get(link.replace(&query.token, &other.token)), "another query");
    }
}

#[test]
fn links_pass_the_scope_again() {
    let (owner, form, query) = filled(Server::shared());
    let anon = query.anon();
    let page = anon.get(query.typed(&ada()));
    let mut all = details(&query, &page);
    let count = all.len();
    assert!(count > 0);
    all.push(file(&query, 1));
    all.push(file(&query, 2));
    let open = |what: &str, expected: usize| {
        let open = all.iter().filter(|link| {
            let answer = anon.get(link);
            if answer.status != 200 {
                closed(&answer, what);
            }
            answer.status == 200
        });
        assert_eq!(open.count(), expected, "{what}");
    };
    open("at first", all.len());
    let change = |serial: i64, values: Value| set_values(&owner, &form, serial, values);
    let half = all.len() / 2;
    change(1, json!({"field_4": 2}));
    open("out of the scope", half);
    change(1, json!({"field_4": 1}));
    open("in the scope again", all.len());
    owner.delete(form.entry(2)).is(200);
    open("in the trash", half);
    restore(&owner, form.trashed(2));
    query.change(&owner, json!({"enabled": false}));
    open("switched off", 0);
    query.change(&owner, json!({"enabled": true}));
    // A field that is no longer shown takes its files along.
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number", "field_3"])}));
    for link in &all[count..] {
        closed(&anon.get(link), "not shown");
    }
    query.change(&owner, json!({"display_field_rules": shown(&["serial_number", "field_3", "field_1"])}));
    owner.delete(form.path()).is(200);
    open("the form in the trash", 0);
    restore(&owner, form.path());
    owner.delete(query.path()).is(200);
    open("deleted", 0);
    // The owner's own link to the file stays valid.
    let entry = owner.get(form.entry(1)).data();
    let own = local(&owner, entry["field_1"][0]["url"].as_str().expect("a link"));
    anon.get(own).is(200);
}

#[test]
fn links_end_after_an_hour() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let server = clock.server(dir.path(), &["--rate-limits", "off"]);
    let (owner, form, query) = filled(&server);
    let anon = query.anon();
    let mut all = details(&query, &anon.get(query.typed(&ada())));
    all.push(file(&query, 1));
    let own = owner.get(form.entry(1)).data()["field_1"][0]["url"].clone();
    let own = local(&owner, own.as_str().expect("a link"));
    clock.ahead(3500);
    for link in &all {
        assert_eq!(anon.get(link).status, 200, "{link}");
    }
    clock.ahead(3700);
    for link in &all {
        closed(&anon.get(link), "late");
    }
    anon.get(own).is(200);
    assert_eq!(anon.get(file(&query, 1)).status, 200, "a new one");
}
