//! The page at `/q/TOKEN`: its form, results, a result's own page, edits, and each state (handbook).

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::form_page::hidden;
use support::page_text::page_text;
use support::steps::bulk;
use support::{Caller, Form, Response, Server, field};

use crate::queries::{Query, all_of, fill, shown};

struct Desk {
    owner: Caller,
    form: Form,
    query: Query,
}

/// A form with a query over it; `own` are further keys of the query.
fn desk_on(server: &Server, own: Value) -> Desk {
    let owner = server.user();
    let subjects = json!([{"label": "Mathematics", "api_code": "math"}, {"label": "Physics", "api_code": "phys"}]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Number"})),
        field("name", json!({"label": "Name"})),
        field("phone", json!({"label": "Phone", "default_country": "CN"})),
        field("radio", json!({"label": "Subject", "choices": subjects})),
        field("number", json!({"label": "Points", "max": 100})),
        field("date", json!({"label": "Born"})),
        field("url", json!({"label": "Site"})),
        field("short_text", json!({"label": "Secret"})),
        field("email", json!({"label": "Email"})),
        field("attachment", json!({"label": "Papers"})),
    ]));
    let mut all = json!({"name": "Results of 2026"});
    for (key, value) in own.as_object().expect("keys") {
        all[key] = value.clone();
    }
    let query = Query::with(&owner, &form, all_of(&["field_1"]), shown(&["field_2", "field_5"]), all);
    Desk { owner, form, query }
}

fn desk(own: Value) -> Desk {
    desk_on(Server::shared(), own)
}

impl Desk {
    fn add(&self, values: Value) -> Value {
        self.owner.post(self.form.entries(), json!({"field_values": values})).is(201).data()
    }

    fn path(&self, search: &str) -> String {
        self.query.page() + search
    }

    /// The page, with the checks for every page of a query.
    fn get(&self, search: &str) -> Response {
        self.get_path(&self.path(search))
    }

    fn get_path(&self, path: &str) -> Response {
        let page = self.query.anon().get(path);
        assert_eq!(page.header("set-cookie"), "", "{page}");
        assert_eq!(page.header("cache-control"), "no-store", "{page}");
        assert_eq!(page.header("x-robots-tag"), "noindex", "{page}");
        page
    }

    fn patch(&self, body: Value) {
        self.query.change(&self.owner, body);
    }

    fn count(&self, key: &str) -> i64 {
        self.owner.get(self.query.path()).data()[key].as_i64().expect("a count")
    }
}

/// The addresses of links whose path begins so.
fn links(page: &Response, start: &str) -> Vec<String> {
    let all = crate::queries::links(page).into_iter();
    all.filter(|address| address.starts_with(start)).collect()
}

fn row_of(desk: &Desk, search: &str) -> String {
    let page = desk.get(search).is(200);
    let start = format!("/q/{}/entries/", desk.query.token);
    let mut all = links(&page, &start).into_iter();
    all.find(|address| !address.contains("/files/")).unwrap_or_else(|| panic!("no row: {page}"))
}

#[test]
fn the_page_has_the_form_alone_before_a_search() {
    let desk =
        desk(json!({"description": "Look up\nyour result", "search_button": {"text": "Find", "color": "#FFFFFF"}}));
    desk.add(json!({"field_1": "A1", "field_2": "Adèle"}));
    let page = desk.get("").is(200);
    page.has([
        "<title>Results of 2026</title>",
        "<bdi>Results of 2026</bdi>",
        "Look up\nyour result",
        ">Find<",
        "method=\"get\"",
        "--button:#ffffff;--button-ink:#0b1220",
    ]);
    insta::assert_snapshot!(page_text(&page), @"
    # Results of 2026
    Look up your result
    Number
    Find
    ");
    // A page without the owner's words has a text of its own, until it has results.
    let about = "Search for a record here: fill in what you know about it.";
    desk.patch(json!({"description": ""}));
    desk.get("").is(200).has([about]);
    desk.get("?field_1=A1").is(200).lacks([about]);
    assert!(!page.text.contains("Adèle") && !page.text.contains("id=\"results\""), "{page}");
    // A parameter that is no field of the query is no search.
    assert!(!desk.get("?utm_source=x&field_2=Adèle").text.contains("id=\"results\""));
}

#[test]
fn each_kind_of_field_has_the_control_that_fits() {
    let rules = |fuzzy: bool| {
        let field = |code: &str, may: bool| json!({"field": code, "fuzzy": fuzzy && may});
        json!([{"operand": "or", "fields": [
            field("field_1", true), field("field_3", true), field("field_4", true), field("field_5", false),
            field("field_6", true), field("field_9", true), field("serial_number", false)]}])
    };
    let desk = desk(json!({"search_field_rules": rules(false)}));
    let exact = desk.get("").text;
    for control in [
        "<legend>Fill in at least one</legend>",
        "id=\"search-field_1\" name=\"field_1\" type=\"text\"",
        "id=\"search-field_3\" name=\"field_3\" type=\"tel\"",
        "<select class=\"input\" id=\"search-field_4\" name=\"field_4\"",
        "<option value=\"phys\">Physics</option>",
        "name=\"field_5\" type=\"text\" value=\"\" inputmode=\"decimal\"",
        "name=\"field_6\" type=\"date\"",
        "name=\"field_9\" type=\"email\"",
        "name=\"serial_number\" type=\"text\" value=\"\" inputmode=\"numeric\"",
    ] {
        assert!(exact.contains(control), "{control}: {exact}");
    }
    desk.patch(json!({"search_field_rules": rules(true)}));
    let fuzzy = desk.get("").text;
    for control in [
        "id=\"search-field_4\" name=\"field_4\" type=\"text\"",
        "id=\"search-field_6\" name=\"field_6\" type=\"text\"",
        "The whole date or its beginning, for example 2026-11",
        "id=\"search-field_9\" name=\"field_9\" type=\"text\"",
        "Part of it is enough.",
    ] {
        assert!(fuzzy.contains(control), "{control}: {fuzzy}");
    }
}

#[test]
fn missing_values_are_told_beside_their_field() {
    let desk = desk(json!({"search_field_rules": [
        {"operand": "and", "fields": [{"field": "field_1"}, {"field": "field_4"}]},
        {"operand": "or", "fields": [{"field": "field_2", "fuzzy": true}, {"field": "field_6", "fuzzy": true}]}]}));
    desk.add(json!({"field_1": "A1", "field_2": "Adèle"}));
    let page = desk.get("?field_1=+A1+&field_4=&field_2=&field_6=").is(422);
    page.has([
        "<title>Error: Results of 2026</title>",
        "id=\"summary\" tabindex=\"-1\" autofocus role=\"alert\"",
        "<p class=\"fault\" id=\"search-field_4-fault\">Choose one</p>",
        "value=\" A1 \"",
    ]);
    insta::assert_snapshot!(page_text(&page).replace(&desk.query.token, "[token]"), @"
    # Results of 2026
    Search for a record here: fill in what you know about it. Only what matches is shown.
    ## There’s a problem with your search
    * [Subject – Choose one][1]
    * [Fill in Name or Born][2]
    Number
    Subject
    Choose one
    Choose oneMathematicsPhysics
    Fill in at least one
    Fill in Name or Born
    Name
    Part of it is enough.
    Born
    The whole date or its beginning, for example 2026-11
    Search[Clear][3]
    [1]: #search-field_4
    [2]: #search-field_2
    [3]: /q/[token]
    ");
    assert!(!page.text.contains("search-field_1-fault") && !page.text.contains("Adèle"), "{page}");
    let short = desk.get("?field_1=A1&field_4=math&field_2=A&field_6=May").is(422);
    assert!(short.text.contains("id=\"search-field_2-fault\">Use at least 2 characters"), "{short}");
    assert!(
        short.text.contains("id=\"search-field_6-fault\">Enter the beginning of a date, for example 2026-11"),
        "{short}"
    );
    assert!(short.text.contains("<option value=\"math\" selected>"), "{short}");
}

#[test]
fn results_show_what_the_query_shows_and_nothing_else() {
    let server = Server::alone("its searches are counted");
    let desk = desk_on(
        &server,
        json!({
            "scope_conditions": [{"field": "field_5", "operator": "gte", "value": 10}],
            "messages": {"has_result": "<p>Well <strong>done</strong></p>", "no_result": "<p>Nobody</p>"},
            "display_field_rules": [
                {"field": "field_2", "label": "Who"},
                {"field": "field_3", "protected": true},
                {"field": "field_7"},
                {"field": "field_5", "highlight": {"color": "#FFFF00", "position": 2}},
                {"field": "field_4", "highlight": {"color": "#2563EB", "position": 1}}],
        }),
    );
    let row = |name: &str, points: i64| {
        json!({"field_1": "A1", "field_2": name, "field_5": points, "field_4": "math", "field_7": "https://example.com/a?b=1&c=2",
            "field_3": {"country_id": "CN", "number": "13800138000"}, "field_8": "hush"})
    };
    let shown = desk.add(row("Adèle", 90));
    let outside = desk.add(row("Below", 5));
    let gone = desk.add(row("Trashed", 50));
    desk.owner.delete(desk.form.entry(gone["serial_number"].as_i64().expect("a number")));
    let page = desk.get("?field_1=A1").is(200);
    page.has([
        "<title>Results – Results of 2026</title>",
        "<h2 id=\"results\" tabindex=\"-1\">1 result</h2>",
        "<p>Well <strong>done</strong></p>",
        " (partly hidden)</span>",
        "href=\"https://example.com/a?b=1&amp;c=2\" rel=\"nofollow noopener noreferrer\"",
        "--mark:#2563eb",
        "value=\"A1\"",
    ]);
    let headers: Vec<&str> = page
        .text
        .split("<th role=\"columnheader\" scope=\"col\"><bdi>")
        .skip(1)
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert_eq!(headers, ["Subject", "Points", "Who", "Phone", "Site"]);
    page.lacks(["hush", "Below", "Trashed", "13800138000", "0138000", "Secret"]);
    let token = |entry: &Value| entry["token"].as_str().expect("a token").to_owned();
    for entry in [&outside, &gone] {
        assert!(!page.text.contains(&token(entry)), "{page}");
    }
    // The entry's own token occurs in signed links alone.
    let uses = page.text.matches(&token(&shown)).count();
    let signed = links(&page, &format!("/q/{}/entries/{}?expires=", desk.query.token, token(&shown)));
    assert!(uses == signed.len() && uses == 1, "{page}");
    let none = desk.get("?field_1=A2");
    assert!(none.text.contains(">No results</h2>") && none.text.contains("<p>Nobody</p>"), "{none}");
    assert!(!none.text.contains("<table"), "{none}");
    // Each look is counted, searches too.
    assert!(!desk.get("").text.contains("Adèle"));
    support::until("views and searches are counted", || {
        desk.count("views_count") == 3 && desk.count("searches_count") == 2
    });
}

#[test]
fn pages_of_results_and_exports_keep_their_search() {
    let desk = desk(json!({"allow_to_export_results": true}));
    for i in 0..45 {
        desk.add(json!({"field_1": "A1", "field_2": format!("Row-{i:02}.")}));
    }
    let mut page = desk.get("?field_1=A1");
    let mut seen = BTreeSet::new();
    let mut sizes = Vec::new();
    let mut addresses = Vec::new();
    loop {
        let names: Vec<&str> = page.text.split("Row-").skip(1).map(|rest| &rest[..2]).collect();
        sizes.push(names.len());
        seen.extend(names.into_iter().map(str::to_owned));
        assert!(page.text.contains(">45 results</h2>"), "{page}");
        let next = links(&page, &format!("/q/{}?field_1=A1&cursor=", desk.query.token));
        let Some(next) = next.first() else { break };
        assert!(page.text.contains("rel=\"next\"") && next.ends_with("#results"), "{page}");
        addresses.push(next.trim_end_matches("#results").to_owned());
        page = desk.get_path(addresses.last().expect("one"));
    }
    assert_eq!((sizes, seen.len()), (vec![20, 20, 5], 45));
    let other = addresses[0].replace("field_1=A1", "field_1=A2");
    let refused = desk.get_path(&other).is(400);
    assert!(refused.text.contains("value=\"A2\""), "{refused}");
    let first = desk.get("?field_1=A1");
    let files = links(&first, &format!("/q/{}/export", desk.query.token));
    let export = |format: &str| format!("/q/{}/export?format={format}&field_1=A1", desk.query.token);
    assert_eq!(files, [export("csv"), export("xlsx")]);
    let file = desk.query.anon().get(&files[0]);
    assert_eq!(file.text.lines().count(), 46, "{file}");
    // The fault of an export is shown on the search's page.
    let missing = desk.get("/export?format=csv&field_1=").is(422);
    assert!(missing.text.contains("id=\"search-field_1-fault\""), "{missing}");
    desk.patch(json!({"allow_to_export_results": false}));
    assert!(!desk.get("?field_1=A1").text.contains("/export"));
    let off = desk.get("/export?format=csv&field_1=A1").is(403);
    assert!(off.text.contains("Downloads are switched off"), "{off}");
}

#[test]
fn details_need_a_signed_link() {
    let desk = desk(json!({"display_field_rules": [{"field": "field_2"}, {"field": "field_10"}]}));
    let prepared = desk.owner.post(
        format!("/api/v1/f/{}/entry_attachments", desk.form.token),
        json!({"field_api_code": "field_10", "file_name": "a<b>.txt", "content_type": "text/plain", "file_size": 2}),
    );
    let prepared = prepared.data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let path = url.strip_prefix(&desk.owner.base).expect("ours");
    desk.owner.send("PUT", path, Some("text/plain"), b"hi").is(200);
    let entry = desk.add(json!({"field_1": "A 1&b", "field_2": "Adèle", "field_8": "hush",
        "field_10": [{"upload_id": prepared["upload_id"]}]}));
    let address = row_of(&desk, "?field_1=A+1%26b");
    let page = desk.get_path(&address).is(200);
    assert!(page.text.contains("<title>Details – Results of 2026</title>"), "{page}");
    assert!(page.text.contains("Adèle") && !page.text.contains("hush"), "{page}");
    let back = links(&page, &format!("/q/{}?", desk.query.token));
    assert_eq!(back, [format!("/q/{}?field_1=A+1%26b#results", desk.query.token)]);
    // Nothing is editable: there is no form.
    assert!(!page.text.contains("edit_token"), "{page}");
    let file = links(&page, &format!("/q/{}/entries/", desk.query.token));
    assert_eq!(desk.query.anon().get(&file[0]).text, "hi");
    assert!(page.text.contains("a&lt;b&gt;.txt"), "{page}");
    let token = entry["token"].as_str().expect("a token");
    let bare = format!("/q/{}/entries/{token}", desk.query.token);
    let altered = address.replace("signature=", "signature=x");
    let other = address.replace(token, "other");
    let bad_file = file[0].replace("signature=", "signature=x");
    for bad in [&bare, &altered, &other, &bad_file] {
        let refused = desk.get_path(bad);
        assert_eq!(refused.status, 403, "{bad}: {refused}");
        assert!(refused.text.contains("This link has expired"), "{refused}");
        assert!(refused.text.contains("Back to the search"), "{refused}");
    }
    let serial = entry["serial_number"].as_i64().expect("a number");
    desk.owner.delete(desk.form.entry(serial));
    for lost in [&address, &file[0]] {
        let gone = desk.get_path(lost).is(404);
        assert!(gone.text.contains("No longer available"), "{gone}");
    }
}

#[test]
fn visitors_edit_editable_fields_alone() {
    let desk = desk(json!({"display_field_rules": [
        {"field": "field_2"},
        {"field": "field_3", "protected": true, "editable": true},
        {"field": "field_5", "label": "Score", "editable": true},
        {"field": "field_9", "protected": true, "editable": true},
        {"field": "field_10", "editable": true}]}));
    let entry = desk.add(
        json!({"field_1": "A1", "field_2": "Adèle", "field_5": 50, "field_8": "hush", "field_9": "jane@example.com",
        "field_3": {"country_id": "CN", "number": "13800138000"}}),
    );
    let serial = entry["serial_number"].as_i64().expect("a number");
    let stored = || desk.owner.get(desk.form.entry(serial)).data();
    let address = row_of(&desk, "?field_1=A1");
    let page = desk.get_path(&address);
    page.lacks(["13800138000", "jane@", "hush"]);
    assert!(page.text.contains("value=\"j***@example.com\""), "{page}");
    assert!(page.text.contains("value=\"138****8000\""), "{page}");
    assert!(page.text.contains("<bdi>Score</bdi>") && !page.text.contains("name=\"field_2\""), "{page}");
    assert!(page.text.contains("name=\"field_10\""), "{page}");
    let right = hidden(&page, "edit_token");
    let masked = [
        ("edit_token", right.as_str()),
        ("field_3.country_id", "CN"),
        ("field_3.number", "138****8000"),
        ("field_9", "j***@example.com"),
    ];
    let post = |more: &[(&str, &str)]| {
        let pairs: Vec<(&str, &str)> = masked.iter().chain(more).copied().collect();
        desk.query.anon().post_form(&address, &pairs)
    };
    // Faulty values come back as they were typed, and nothing is stored.
    let refused = post(&[("field_5", "many")]).is(422);
    refused.has([
        "id=\"summary\"",
        "href=\"#field_5\"",
        "value=\"many\"",
        "id=\"field_5-fault\"",
        "value=\"138****8000\"",
    ]);
    post(&[("field_5", "101")]).is(422);
    assert_eq!(stored()["field_5"], json!(50));
    let saved = post(&[("field_5", "61.5"), ("field_2", "Eve"), ("field_8", "told")]).is(303);
    let next = saved.header("location").to_owned();
    assert_eq!(next, format!("{address}&saved=1"));
    let next = desk.get_path(&next);
    assert!(next.text.contains("<h2>Saved</h2>") && next.text.contains("61.5"), "{next}");
    let now = stored();
    assert_eq!(
        [&now["field_5"], &now["field_2"], &now["field_8"], &now["field_9"], &now["field_3"]["number"]],
        [&json!(61.5), &json!("Adèle"), &json!("hush"), &json!("jane@example.com"), &json!("13800138000")]
    );
    // Typed over, a masked value is another.
    let pairs = [
        ("edit_token", right.as_str()),
        ("field_9", "eve@example.com"),
        ("field_5", "61.5"),
        ("field_3.country_id", "CN"),
        ("field_3.number", "138****8000"),
    ];
    desk.query.anon().post_form(&address, &pairs).is(303);
    assert_eq!(stored()["field_9"], json!("eve@example.com"));
    // Another right, or none, opens nothing.
    for wrong in ["", "1.x"] {
        let pairs = [("edit_token", wrong), ("field_5", "7")];
        desk.query.anon().post_form(&address, &pairs).is(404);
        let altered = address.replace("signature=", "signature=x");
        desk.query.anon().post_form(&altered, &[("edit_token", right.as_str()), ("field_5", "7")]).is(403);
    }
    assert_eq!(stored()["field_5"], json!(61.5));
}

#[test]
fn each_state_has_a_page_of_its_own() {
    let server = Server::alone("commands change all of it");
    let desk = desk_on(&server, json!({}));
    desk.add(json!({"field_1": "A1", "field_2": "Adèle"}));
    let row = row_of(&desk, "?field_1=A1");
    let unknown = desk.get_path("/q/nothinghere?field_1=A1").is(404);
    assert!(unknown.text.contains("Search not found"), "{unknown}");
    let all = ["?field_1=A1", "", "/export?format=csv&field_1=A1"].map(|search| desk.path(search));
    let all: Vec<&String> = all.iter().chain([&row]).collect();
    let told = |status: u16, title: &str| {
        for path in &all {
            let page = desk.get_path(path);
            assert_eq!(page.status, status, "{path}: {page}");
            assert!(page.text.contains(title), "{path}: {page}");
            assert!(!page.text.contains("Adèle") && !page.text.contains("Results of 2026"), "{page}");
        }
        let chinese = desk.query.anon().header("accept-language", "zh-CN").get(all[0]);
        assert!(chinese.text.contains("lang=\"zh-CN\""), "{chinese}");
    };
    desk.patch(json!({"enabled": false}));
    told(403, "This search is switched off");
    desk.patch(json!({"enabled": true}));
    let plan = |name: &str| {
        let set = server.run(&["plan", "set", "Ada Lovelace", name]);
        assert!(set.status.success());
    };
    plan("free");
    bulk(&desk.owner, &desk.form, &vec![json!({}); 1000]);
    told(403, "This search isn’t available at the moment");
    plan("standard");
    desk.get("?field_1=A1").is(200);
    desk.owner.delete(desk.form.path()).is(200);
    told(404, "This search no longer exists");
}

#[test]
fn searching_too_fast_keeps_what_was_typed() {
    let server = Server::with(&["--limit-searches", "2"]);
    let desk = desk_on(&server, json!({"display_field_rules": [{"field": "field_2", "editable": true}]}));
    desk.add(json!({"field_1": "A1", "field_2": "Adèle"}));
    let row = row_of(&desk, "?field_1=A1");
    let page = desk.get_path(&row);
    let right = hidden(&page, "edit_token");
    desk.get("?field_1=A1").is(200);
    let refused = desk.get("?field_1=A1").is(429);
    assert_ne!(refused.header("retry-after"), "", "{refused}");
    assert!(refused.text.contains("Too many searches") && refused.text.contains("value=\"A1\""), "{refused}");
    assert!(!refused.text.contains("Adèle"), "{refused}");
    let edit = [("edit_token", right.as_str()), ("field_2", "Grace")];
    let refused = desk.query.anon().post_form(&row, &edit).is(429);
    assert_ne!(refused.header("retry-after"), "", "{refused}");
    assert!(refused.text.contains("value=\"Grace\""), "{refused}");
    // The form itself and its rows are read all the same.
    desk.get("").is(200);
    desk.get_path(&row).is(200);
}

#[test]
fn certificates_are_links_on_the_page() {
    let desk = desk(json!({}));
    let settings = json!({"certificate": {"enabled": true, "title": "Certificate", "body": "{{field_2}}"}});
    support::steps::set(&desk.owner, &desk.form, settings);
    desk.patch(json!({"display_field_rules": [{"field": "field_2"}, {"field": "x_field_certificate"}]}));
    let entry = desk.add(json!({"field_1": "A1", "field_2": "Adèle"}));
    let token = entry["token"].as_str().expect("a token");
    let page = desk.get("?field_1=A1");
    let certificate = format!("/q/{}/entries/{}/certificate", desk.query.token, token);
    let links = links(&page, &certificate);
    assert_eq!(links.len(), 1, "{page}");
    assert!(page.text.contains(">Certificate (PDF)</a>"), "{page}");
    let document = desk.query.anon().get(&links[0]);
    assert_eq!((document.status, &document.bytes[..5]), (200, &b"%PDF-"[..]));
    let file = format!("/q/{}/entries/{}/files/{}/{}", desk.query.token, token, "none", "a.txt");
    for bad in [&certificate, &file] {
        let refused = desk.get_path(bad).is(403);
        assert!(refused.text.contains("This link has expired"), "{refused}");
    }
}

#[test]
fn searches_that_cannot_run_keep_what_was_typed() {
    let server = Server::alone("its data dir is looked at");
    let desk = desk_on(
        &server,
        json!({"search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": true}]}]}),
    );
    desk.add(json!({"field_1": "A123", "field_2": "Adèle"}));
    desk.get("").is(200);
    // Long searches open the database for themselves.
    let (database, aside) = (server.dir.join("formsvc.db"), server.dir.join("aside.db"));
    std::fs::rename(&database, &aside).expect("moved");
    let busy = desk.get("?field_1=12");
    std::fs::rename(&aside, &database).expect("moved back");
    assert_eq!(busy.status, 503, "{busy}");
    assert_eq!(busy.header("retry-after"), "5", "{busy}");
    assert!(busy.text.contains("The search couldn’t run just now") && busy.text.contains("value=\"12\""), "{busy}");
    assert!(!busy.text.contains("Adèle"), "{busy}");
    let found = desk.get("?field_1=12").is(200);
    assert!(found.text.contains("Adèle"), "{found}");
}

#[test]
fn dates_are_in_the_forms_language_and_time_zone() {
    let desk = desk(json!({"display_field_rules": [
        {"field": "field_2"}, {"field": "field_6"}, {"field": "created_at"}, {"field": "updated_at"}]}));
    for (locale, zone) in [("en-GB", "Asia/Shanghai"), ("zh-CN", "America/New_York")] {
        let done =
            desk.owner.patch(format!("/api/v1/forms/{}", desk.form.token), json!({"locale": locale, "timezone": zone}));
        assert_eq!(done.status, 200, "{done}");
        let entry = desk.add(json!({"field_1": locale, "field_2": "Adèle", "field_6": "2008-03-04"}));
        let page = desk.get(&format!("?field_1={locale}"));
        let made: jiff::Timestamp = entry["created_at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        let there = made.in_tz(zone).expect("a zone");
        let (born, moment) = match locale {
            "en-GB" => ("4 March 2008", there.strftime("%-d %B %Y at %H:%M").to_string()),
            _ => ("2008年3月4日", there.strftime("%Y年%-m月%-d日 %H:%M").to_string()),
        };
        assert!(page.text.contains(born), "{born}: {page}");
        assert!(page.text.matches(&moment).count() >= 2, "{moment}: {page}");
        assert!(!page.text.contains(entry["created_at"].as_str().expect("a time")), "{page}");
    }
}

#[test]
fn texts_of_people_are_escaped() {
    let owner = Server::shared().user();
    let mark = "<img src=x onerror=alert(1)>\"'&amp;</script>{{7*7}}";
    let choices = json!([{"api_code": "a", "label": mark}]);
    let form = owner.form_with(json!({"name": mark, "fields": [
        field("short_text", json!({"label": mark, "notes": "<b>n</b>"})),
        field("radio", json!({"label": mark, "choices": choices})),
        field("attachment", json!({"label": mark})),
        field("short_text", json!({"label": "Key"})),
    ]}));
    fill(&owner, &form, &[json!({"field_1": mark, "field_2": "a", "field_4": mark})]);
    let rules =
        json!([{"field": "field_1", "label": mark, "editable": true}, {"field": "field_2"}, {"field": "field_3"}]);
    let groups = json!([
        {"operand": "and", "fields": [{"field": "field_4", "label": mark}]},
        {"operand": "or", "fields": [{"field": "field_2"}, {"field": "field_1"}]}]);
    let query = Query::with(
        &owner,
        &form,
        groups,
        rules,
        json!({"name": mark, "description": mark, "search_button": {"text": mark}, "messages": {"has_result": mark, "no_result": mark}, "allow_to_export_results": true}),
    );
    let found = json!({"field_4": mark, "field_2": "a"});
    let anon = query.anon();
    let first = anon.get(query.typed(&found));
    let mut pages = vec![
        anon.get(query.page()),
        anon.get(query.typed(&json!({"field_4": mark, "field_2": "", "field_1": mark}))),
        anon.get(query.typed(&json!({"field_4": "", "field_1": mark}))),
        anon.get(query.typed(&json!({"field_4": format!("{mark}x"), "field_1": mark}))),
        anon.get(format!("/q/{}", "%3Cimg%20src%3Dx%3E")),
    ];
    for link in links(&first, &query.page()) {
        if !link.contains("/export") {
            pages.push(anon.get(link));
        }
    }
    pages.push(first);
    for page in pages {
        assert!(page.header("content-type").starts_with("text/html"), "{page}");
        page.lacks(["<img src=x", "onerror=alert(1)>", "</script>{{", "javascript:"]);
        assert!(!page.text.contains("<script>"), "nothing inline: {page}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert!(page.header("cache-control").contains("no-store"), "{page}");
        let referrer = page.header("referrer-policy");
        assert!(["no-referrer", "same-origin"].contains(&referrer), "{referrer}");
    }
}
