//! The page of a public query: every state in every light, by keyboard alone, on paper, and with hostile text.

use serde_json::{Value, json};
use support::clock::Clock;
use support::{Caller, Server, field};

use crate::driver::steps::{NOTHING, click, put, set_value};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::looks::look_at_on;
use crate::query::query_forms::{self, Query};

/// Of any page, whatever it shows.
const MOST: u64 = 60_000;

/// As wide as most phones are.
pub const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };

pub fn look_at(browser: &Browser, name: &str, address: &str) {
    look_at_on(browser, name, PHONE, &|| browser.go(address));
}

fn start() -> Option<(Caller, Browser)> {
    Browser::is_installed().then(|| (Server::shared().user(), Browser::open(Look::DESK)))
}

pub fn go(browser: &Browser, address: &str) {
    browser.go(address);
    browser.until("document.readyState === 'complete'");
}

/// The address of the first row's own page.
pub fn first_row(browser: &Browser) -> String {
    let found = browser.run("return document.querySelector('.cell-link a').href");
    found.as_str().expect("an address").to_owned()
}

#[test]
fn a_query_in_every_light() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::results(&owner);
    look_at(&browser, "query", &query.address(""));
    look_at(&browser, "query-faults", &query.address("?field_1=&field_2=&field_4="));
    look_at(&browser, "query-short", &query.address("?field_1=2&field_4=math"));
    look_at(&browser, "query-none", &query.address("?field_1=99999&field_4=math"));
    look_at(&browser, "query-results", &query.address("?field_1=2026&field_4=math"));
    go(&browser, &query.address("?field_1=2026-001&field_4=math"));
    let row = first_row(&browser);
    look_at(&browser, "query-row", &row);
    look_at(&browser, "query-link", &row.replace("expires=", "expires=1"));
    look_at(&browser, "query-page-gone", &query.address("?field_1=2026&field_4=math&cursor=x"));
}

#[test]
fn many_columns_and_other_scripts_in_every_light() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::many_columns(&owner);
    look_at(&browser, "query-many", &query.address("?field_1=club"));
    for locale in ["ar", "zh-CN"] {
        let query = query_forms::in_locale(&owner, locale);
        look_at(&browser, &format!("query-{locale}"), &query.address(""));
        look_at(&browser, &format!("query-{locale}-results"), &query.address("?field_1=A-100"));
        go(&browser, &query.address("?field_1=A-100"));
        look_at(&browser, &format!("query-{locale}-row"), &first_row(&browser));
    }
}

#[test]
fn pages_in_place_of_a_query_in_every_light() {
    let Some((owner, browser)) = start() else {
        return;
    };
    look_at(&browser, "query-unknown", &format!("{}/q/nothinghere", Server::shared().base));
    let query = query_forms::in_locale(&owner, "zh-CN");
    go(&browser, &query.address("?field_1=A-100"));
    let row = first_row(&browser);
    let serial = owner.get(query.form.entries()).json()["data"][0]["serial_number"].clone();
    owner.delete(query.form.entry(serial.as_i64().expect("a number")));
    look_at(&browser, "query-row-gone", &row);
    query.patch(&owner, json!({"enabled": false}));
    look_at(&browser, "query-disabled", &query.address(""));
    owner.delete(query.form.path());
    look_at(&browser, "query-gone", &query.address(""));
}

#[test]
fn a_search_and_an_edit_by_keyboard_alone() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::results(&owner);
    browser.look(PHONE);
    search_and_edit(&browser, &query, "https://example.com/first");
    drop(browser);
    let browser = Browser::open(PHONE.without_script());
    search_and_edit(&browser, &query, "https://example.com/second");
    let entries = owner.get(format!("{}?page_size=100", query.form.entries())).json();
    let entries = entries["data"].as_array().expect("a list");
    let edited: Vec<&Value> =
        entries.iter().filter(|entry| entry["field_7"] == json!("https://example.com/second")).collect();
    assert_eq!(edited.len(), 1);
    // The masked value is unchanged.
    assert_eq!(edited[0]["field_8"], json!("candidate2@example.com"));
}

fn focused(browser: &Browser) -> String {
    let id = browser.run("return document.activeElement.id || document.activeElement.textContent");
    id.as_str().unwrap_or_default().to_owned()
}

pub fn tab_to(browser: &Browser, id: &str) {
    for _ in 0..60 {
        if focused(browser) == id {
            return;
        }
        browser.keys([TAB]);
    }
    panic!("no way to {id}: {}", focused(browser));
}

fn search_and_edit(browser: &Browser, query: &Query, new: &str) {
    go(browser, &query.address(""));
    // Enter in a line searches; a missing value takes the focus.
    tab_to(browser, "search-field_1");
    browser.keys("2026-003".chars().chain([ENTER]));
    browser.until("document.readyState === 'complete' && document.activeElement.id === 'summary'");
    assert_eq!(browser.run("return document.getElementById('search-field_1').value"), json!("2026-003"));
    browser.keys([TAB, ENTER]);
    browser.until("document.activeElement.id === 'search-field_4'");
    browser.keys(['M', TAB, ENTER]);
    browser
        .until("document.readyState === 'complete' && document.getElementById('results')?.textContent === '1 result'");
    assert_eq!(browser.run("return document.title"), json!("Results – Exam results 2026"));
    // From the heading on to the row.
    tab_to(browser, "open-0");
    browser.keys([ENTER]);
    browser.until("document.readyState === 'complete' && document.querySelector('p.query-back') && document.getElementById('field_7')");
    assert_eq!(browser.run("return field_8.value"), json!("c***@example.com"));
    tab_to(browser, "field_7");
    browser.chord(&['\u{e009}', 'a']);
    browser.keys("nothing".chars().chain([ENTER]));
    browser.until("document.readyState === 'complete' && document.activeElement.id === 'summary'");
    assert_eq!(browser.run("return field_7.value"), json!("nothing"));
    tab_to(browser, "field_7");
    browser.chord(&['\u{e009}', 'a']);
    browser.keys(new.chars().chain([ENTER]));
    browser.until("document.readyState === 'complete' && document.querySelector('.message.good')");
    assert!(browser.text(".query-facts").contains(new));
    click(browser, ".query-back a");
    browser.until("document.readyState === 'complete' && document.getElementById('results')");
    assert_eq!(browser.run("return document.getElementById('search-field_1').value"), json!("2026-003"));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_button_says_that_a_search_runs_and_the_results_take_the_focus() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::results(&owner);
    go(&browser, &query.address(""));
    put(&browser, "search-field_1", "2026");
    set_value(&browser, "field_4", "math");
    let said = browser.run(
        "const button = document.querySelector('.query-form button');
         addEventListener('submit', () => { sessionStorage.said = button.textContent + button.ariaBusy; });
         button.click(); return null",
    );
    assert_eq!(said, Value::Null);
    browser.until("document.readyState === 'complete' && document.activeElement.id === 'results'");
    assert_eq!(browser.run("return sessionStorage.said"), json!("Searching…true"));
    assert_eq!(browser.text("#results"), "12 results");
    // Back again, the page is as it was left, and its button too.
    browser.back();
    browser.until("document.readyState === 'complete' && document.querySelector('.query-form button').textContent === 'Find my result'");
    assert!(browser.shifted() < 0.05);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn results_are_a_table_for_screen_readers_on_every_screen() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::results(&owner);
    for look in [PHONE, Look::DESK] {
        browser.look(look);
        go(&browser, &query.address("?field_1=2026-001&field_4=math"));
        let read = browser.tree();
        let named = |role: &str| -> Vec<&str> {
            let own = read.iter().filter(|(known, _)| known == role);
            own.map(|(_, name)| name.as_str()).collect()
        };
        assert_eq!(named("table"), ["1 result"]);
        let headers = ["Name", "Points of 100", "Candidate number", "Phone", "Portfolio", "Email", "View or edit"];
        browser.until("document.getElementById('edit')");
        assert_eq!(named("columnheader"), headers);
        assert_eq!(named("rowheader"), ["Ada Lovelace"]);
        // The form of the only row is one more.
        assert_eq!(named("cell").len(), 7);
        assert!(named("link").contains(&"Details Ada Lovelace"), "{read:?}");
        assert!(named("region").contains(&"Change your registration : Ada Lovelace"), "{read:?}");
    }
}

#[test]
fn paper_shows_the_results_alone() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let paper = Look { width: 718, height: 1000, ..Look::DESK };
    let few = query_forms::in_locale(&owner, "zh-CN");
    let query = query_forms::results(&owner);
    browser.look(paper);
    for (name, address) in
        [("few", few.address("?field_1=A-100")), ("many", query.address("?field_1=2026-00&field_4=math"))]
    {
        browser.look(paper);
        go(&browser, &address);
        browser.print();
        browser.shot(&format!("query-print-{name}"), paper);
        let seen = browser.run(
            "return [...document.querySelectorAll('.query-form, .query-export, .query-pages, .cell-link, .beside, .site-foot, button')].filter(e => e.checkVisibility()).length",
        );
        assert_eq!(seen, json!(0));
        assert!(!browser.text(".results").is_empty());
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert_eq!(wide, json!(718));
        let display = browser.run("return getComputedStyle(document.querySelector('.results tbody tr')).display");
        assert_eq!(display, json!(if name == "few" { "table-row" } else { "grid" }));
    }
    go(&browser, &query.address("?field_1=2026-001&field_4=math"));
    let row = first_row(&browser);
    browser.look(paper);
    go(&browser, &row);
    browser.print();
    browser.shot("query-print-row", paper);
    assert_eq!(browser.text(".query-edit"), "");
}

#[test]
fn any_page_of_a_query_is_light_and_comes_in_one_hop() {
    let Some((owner, first)) = start() else {
        return;
    };
    drop(first);
    let query = query_forms::results(&owner);
    let many = query_forms::many_columns(&owner);
    let twenty = json!({"display_field_rules": (1..=8).map(|i| json!({"field": format!("field_{i}"), "editable": true})).collect::<Value>()});
    query.patch(&owner, twenty);
    for address in
        [query.address("?field_1=2026&field_2=&field_4=math"), query.address(""), many.address("?field_1=club")]
    {
        let browser = Browser::open(PHONE);
        let found = crate::weight::loaded(&browser, &address);
        // The owner's picture aside.
        let all = found["all"].as_array().expect("a list").iter();
        let ours = all.filter(|one| one["picture"] != json!(true));
        let bytes: u64 = ours.clone().filter_map(|one| one["bytes"].as_u64()).sum();
        assert!(bytes < MOST, "{found:#}");
        let mut ours = ours;
        assert!(ours.all(|one| one["late"] == json!(false)), "{found:#}");
        if address.contains("2026") {
            let row = first_row(&browser);
            drop(browser);
            let browser = Browser::open(PHONE);
            let found = crate::weight::loaded(&browser, &row);
            assert!(found["bytes"].as_u64().is_some_and(|bytes| bytes < MOST), "{found:#}");
            assert_eq!(found["late"], json!([]), "{found:#}");
        }
    }
}

#[test]
fn hostile_text_is_text_on_every_page() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let mark = "\"'><img src=x onerror=alert(1)><script>alert(2)</script></textarea>\u{202e}";
    let form = owner.form_with(json!({"name": mark, "fields": [
        field("short_text", json!({"label": mark, "notes": mark})),
        field("name", json!({"label": mark})),
        field("radio", json!({"label": mark, "choices": [{"label": mark, "api_code": "a"}, {"label": "b", "api_code": "b"}]})),
        field("attachment", json!({"label": mark})),
        field("url", json!({"label": mark})),
    ]}));
    let name = "\"><img src=x onerror=alert(1)>.txt";
    let prepared = owner
        .post(
            format!("/api/v1/f/{}/entry_attachments", form.token),
            json!({"field_api_code": "field_4", "file_name": name, "content_type": "text/plain", "file_size": 1}),
        )
        .data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let path = url.strip_prefix(&owner.base).expect("ours").to_owned();
    assert_eq!(owner.send("PUT", &path, Some("text/plain"), b"x").status, 200);
    let values = json!({"field_1": mark, "field_2": mark, "field_3": "a",
        "field_4": [{"upload_id": prepared["upload_id"]}], "field_5": "https://example.com/\"><script>alert(3)</script>"});
    let made = owner.post(form.entries(), json!({"field_values": values}));
    let mut values = values;
    if made.status != 201 {
        // Such an address is none.
        values["field_5"] = json!("https://example.com/");
        let made = owner.post(form.entries(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
    }
    let query = Query::over(
        &owner,
        form,
        json!({
            "name": mark, "description": mark,
            "allow_to_export_results": true,
            "search_button": {"text": "\"><script>alert(4)</script>", "color": "#2563EB"},
            "messages": {"has_result": format!("<p>hello</p>{mark}"), "no_result": mark},
            "search_field_rules": [{"operand": "or", "fields": [
                {"field": "field_1", "label": mark, "fuzzy": true}, {"field": "field_2", "label": mark}, {"field": "field_3", "label": mark}]}],
            "display_field_rules": (1..=5).map(|i| json!({"field": format!("field_{i}"), "label": mark, "editable": true,
                "protected": i == 2})).collect::<Value>(),
        }),
    );
    let typed: String = url::form_urlencoded::byte_serialize(mark.trim_end_matches('\u{202e}').as_bytes()).collect();
    let unharmed = |at: &str| {
        browser.until("document.readyState === 'complete'");
        let planted = "return document.querySelectorAll('main img, main script, main [onerror]').length";
        assert_eq!(browser.run(planted), json!(0), "{at}");
        assert_eq!(browser.complaints(), NOTHING, "{at}");
    };
    for search in ["", "?field_1=", "?field_1=%22%3E%3Cscript%3Ealert(5)%3C/script%3E&field_2=%00", "?field_3=a"] {
        browser.go(&query.address(search));
        unharmed(search);
        assert!(browser.text("h1").contains("<script>"), "{search}");
    }
    browser.go(&query.address(&format!("?field_1={typed}")));
    unharmed("results");
    assert!(browser.text(".results").contains("<script>"));
    assert!(browser.text(".query-files").contains(name));
    assert!(browser.run("return field_1.value").as_str().is_some_and(|text| text.contains("<script>")));
    browser.go(&first_row(&browser));
    unharmed("row");
    assert!(browser.run("return field_1.value").as_str().is_some_and(|text| text.contains("<script>")));
    set_value(&browser, "field_5", "javascript:alert(6)");
    click(&browser, ".query-edit .actions .button");
    browser.until("document.getElementById('summary')");
    unharmed("faults");
}

#[test]
fn the_script_does_the_work_that_the_operator_asks_for() {
    if !Browser::is_installed() {
        return;
    }
    // All searches are of the same minute.
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &["--proof-of-work", "10", "--limit-searches", "20"]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    for _ in 0..21 {
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": "Zoë & 欧阳"}}));
        assert_eq!(made.status, 201, "{made}");
    }
    let query = Query::over(
        &owner,
        form,
        json!({"search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "field_1"}]}),
    );
    let address = format!("{}{}", server.base, query.path);
    let browser = Browser::open(Look::DESK);
    let found =
        "document.readyState === 'complete' && document.getElementById('results')?.textContent === '21 results'";
    // Two a minute go without it.
    for _ in 0..4 {
        go(&browser, &address);
        put(&browser, "search-field_1", "Zoë & 欧阳");
        click(&browser, ".query-form button");
        browser.until(found);
    }
    // The next page, and the way back from a row, need no more work.
    click(&browser, "[rel=next]");
    browser.until("document.readyState === 'complete' && document.querySelectorAll('tbody tr').length === 1");
    click(&browser, ".cell-link a");
    browser.until("document.readyState === 'complete' && document.querySelector('.query-facts')");
    click(&browser, ".query-back a");
    browser.until(found);
    assert_eq!(browser.complaints(), NOTHING);
    drop(browser);
    let browser = Browser::open(Look::DESK.without_script());
    let mut titles = Vec::new();
    for _ in 0..3 {
        go(&browser, &address);
        put(&browser, "search-field_1", "Zoë & 欧阳");
        click(&browser, ".query-form button");
        browser.until("document.readyState === 'complete' && location.search");
        titles.push(browser.text("h2"));
    }
    assert_eq!(titles, ["21 results", "21 results", "Too many searches"]);
}
