//! Rows of a public query edited in place: every state in every light, by keyboard alone, with and without a script; and
//! the states that take a server of their own.

use serde_json::{Value, json};
use support::clock::Clock;
use support::{Caller, Server, field};

use crate::driver::steps::{NOTHING, click, put};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at_on;
use crate::query::page::{PHONE, first_row, go, look_at, tab_to};
use crate::query::query_forms::{self, Query};

fn start() -> Option<(Caller, Browser)> {
    Browser::is_installed().then(|| (Server::shared().user(), Browser::open(Look::DESK)))
}

fn found(browser: &Browser) {
    browser.until("document.readyState === 'complete' && document.getElementById('results')");
}

/// The form of the second of two rows.
fn open_second(browser: &Browser, query: &Query) {
    go(browser, &query.address("?field_1=A-1"));
    click(browser, "#edit-1");
    browser.until("document.readyState === 'complete' && document.getElementById('edit')");
}

fn save(browser: &Browser) {
    click(browser, "#form .actions .button");
    browser.until("document.readyState === 'complete' && (document.getElementById('saved') || document.getElementById('summary'))");
}

#[test]
fn editing_in_place_in_every_light() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let query = query_forms::editable(&owner);
    look_at(&browser, "query-edit-rows", &query.address("?field_1=A-1"));
    look_at(&browser, "query-edit-only", &query.address("?field_1=B-2"));
    look_at_on(&browser, "query-edit-open", PHONE, &|| {
        open_second(&browser, &query);
    });
    look_at_on(&browser, "query-edit-faults", PHONE, &|| {
        open_second(&browser, &query);
        put(&browser, "field_5", "200");
        put(&browser, "field_3", "nobody");
        save(&browser);
    });
    look_at_on(&browser, "query-edit-saved", PHONE, &|| {
        open_second(&browser, &query);
        put(&browser, "field_5", "37");
        save(&browser);
    });
    look_at(&browser, "query-edit-elsewhere", &query.address("?field_1=A-1&saved=x"));
    go(&browser, &query.address("?field_1=A-1"));
    let row = first_row(&browser);
    look_at(&browser, "query-edit-row", &row);
    look_at(&browser, "query-edit-row-saved", &format!("{row}&saved=1"));
    let wide = query_forms::many_columns(&owner);
    let rules = json!({"display_field_rules": (2..=21).map(|i| json!({"field": format!("field_{i}"), "editable": i > 17})).collect::<Value>()});
    wide.patch(&owner, rules);
    look_at_on(&browser, "query-edit-wide", PHONE, &|| {
        go(&browser, &wide.address("?field_1=club"));
        click(&browser, "#edit-0");
        browser.until("document.readyState === 'complete' && document.getElementById('edit')");
    });
    // The form stays in the window however far the table goes.
    browser.look(Look::DESK);
    go(&browser, &wide.address("?field_1=club"));
    click(&browser, "#edit-0");
    browser.until("document.readyState === 'complete' && document.getElementById('edit')");
    let inside = "const form = document.getElementById('edit').getBoundingClientRect();
        return form.left >= 0 && form.right <= innerWidth";
    assert_eq!(browser.run(inside), json!(true));
    browser.run("document.querySelector('.table-wrap').scrollLeft = 600; return null");
    assert_eq!(browser.run(inside), json!(true));
    let chinese = query_forms::in_locale(&owner, "zh-CN");
    chinese.patch(&owner, json!({"display_field_rules": [{"field": "field_2"}, {"field": "field_3", "editable": true}, {"field": "created_at"}]}));
    look_at_on(&browser, "query-edit-zh", PHONE, &|| {
        go(&browser, &chinese.address("?field_1=A-100"));
        click(&browser, "#edit-1");
        browser.until("document.readyState === 'complete' && document.getElementById('edit')");
    });
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_row_is_edited_in_place_by_keyboard_alone() {
    let Some((owner, browser)) = start() else {
        return;
    };
    drop(browser);
    let query = query_forms::editable(&owner);
    for (look, age) in [(PHONE, "41"), (PHONE.without_script(), "42")] {
        let browser = Browser::open(look);
        go(&browser, &query.address("?field_1=A-1"));
        tab_to(&browser, "edit-1");
        browser.keys([ENTER]);
        browser.until("document.readyState === 'complete' && document.getElementById('edit')");
        assert!(browser.text("#edit-title").contains("Change your registration"));
        if look.script {
            browser.until("document.activeElement.id === 'edit'");
        }
        // One form, and no id twice.
        let ids = browser.run(
            "const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size",
        );
        assert_eq!(ids, json!(0));
        tab_to(&browser, "field_5");
        browser.chord(&['\u{e009}', 'a']);
        browser.keys("500".chars().chain([ENTER]));
        browser.until("document.readyState === 'complete' && document.activeElement.id === 'summary'");
        assert_eq!(browser.run("return field_5.value"), json!("500"));
        browser.keys(['\u{e004}', ENTER]);
        browser.until("document.activeElement.id === 'field_5'");
        browser.chord(&['\u{e009}', 'a']);
        browser.keys(age.chars().chain([ENTER]));
        browser.until("document.readyState === 'complete' && document.getElementById('saved')");
        assert_eq!(browser.run("return location.hash"), json!("#saved"));
        if look.script {
            browser.until("document.activeElement.id === 'saved'");
        }
        assert!(browser.text(".results").contains(age));
        assert_eq!(browser.text("#results"), "2 results");
        // Only pages with scripts are measured.
        assert!(!look.script || browser.shifted() < 0.05);
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn files_signatures_and_linked_entries_are_edited_in_place() {
    let Some((owner, browser)) = start() else {
        return;
    };
    drop(browser);
    let query = query_forms::editable(&owner);
    let folder = tempfile::tempdir().expect("a folder");
    let entry = || owner.get(query.form.entry(1)).data();
    for (look, boat) in [(PHONE, "Amazon"), (PHONE.without_script(), "Swallow")] {
        let browser = Browser::open(look);
        go(&browser, &query.address("?field_1=B-2"));
        let file = folder.path().join(format!("{boat}.txt"));
        std::fs::write(&file, boat).expect("a file");
        browser.choose("field_6", &[file]);
        if look.script {
            click(&browser, ".signature-ways button:nth-child(2)");
            put(&browser, "field_7.typed", "Ada");
            browser.run("document.getElementById('field_7.typed').dispatchEvent(new Event('change', {bubbles: true})); return null");
            tab_to(&browser, "field_8");
            // The fewest letters that search: the list is drawn once.
            browser.keys(boat.chars().take(2));
            browser.until("document.querySelector('.linked-list li')");
            browser.keys(['\u{e015}', ENTER]);
        } else {
            // Another one is looked for once none is chosen.
            click(&browser, "[for='field_8.none']");
            put(&browser, "field_8", boat);
            click(&browser, ".linked-find button");
            browser.until("document.readyState === 'complete' && document.getElementById('field_8.0')");
            found(&browser);
            // The file was kept over that.
            assert!(browser.text(".query-in-place").contains("Swallow.txt"));
            click(&browser, "[for='field_8.0']");
        }
        save(&browser);
        assert!(browser.text(".results").contains(&format!("{boat}.txt")), "{}", browser.text(".results"));
        assert!(browser.text(".results").contains(boat));
        assert_eq!(browser.complaints(), NOTHING);
        let stored = entry();
        assert!(stored["field_7"].is_string(), "{stored}");
    }
    let stored = entry();
    let names: Vec<&str> =
        stored["field_6"].as_array().into_iter().flatten().filter_map(|file| file["name"].as_str()).collect();
    assert_eq!(names, ["Amazon.txt", "Swallow.txt"]);
}

#[test]
fn paper_hides_the_form_in_place() {
    let Some((owner, browser)) = start() else {
        return;
    };
    let paper = Look { width: 718, height: 1000, ..Look::DESK };
    let query = query_forms::editable(&owner);
    browser.look(paper);
    go(&browser, &query.address("?field_1=B-2"));
    browser.print();
    browser.shot("query-print-edit", paper);
    assert_eq!(browser.run("return document.getElementById('edit').checkVisibility()"), json!(false));
    assert!(!browser.text(".results").is_empty());
}

/// A query on its own server.
fn on(server: &Server, own: Value) -> (Caller, Query, String) {
    let owner = server.user();
    let form =
        owner.form(json!([field("short_text", json!({"label": "Number"})), field("name", json!({"label": "Name"})),]));
    for name in ["Ada Lovelace", "Bo Ek"] {
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": "A-100", "field_2": name}}));
        assert_eq!(made.status, 201, "{made}");
    }
    let mut rules = json!({
        "name": "Members of the boat club",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": true}]}],
        "display_field_rules": [{"field": "field_2", "editable": true}, {"field": "created_at"}]});
    for (key, value) in own.as_object().into_iter().flatten() {
        rules[key] = value.clone();
    }
    let query = Query::over(&owner, form, rules);
    let address = format!("{}{}", server.base, query.path);
    (owner, query, address)
}

#[test]
fn too_many_searches_and_edits_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let browser = Browser::open(Look::DESK);
    // All of it is of the same minute.
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &["--limit-searches", "2"]);
    let (_, _, address) = on(&server, json!({}));
    go(&browser, &format!("{address}?field_1=A-100"));
    click(&browser, "#edit-0");
    browser.until("document.readyState === 'complete' && document.getElementById('edit')");
    let again = || {
        put(&browser, "field_2", "Grace Hopper");
        browser.run("window.before = true; return null");
        click(&browser, "#form .actions .button");
        browser.until("!window.before && document.readyState === 'complete' && document.querySelector('.message.bad')");
    };
    again();
    assert_eq!(browser.run("return field_2.value"), json!("Grace Hopper"));
    look_at_on(&browser, "query-edit-wait", PHONE, &again);
    look_at(&browser, "query-wait", &format!("{address}?field_1=A-100"));
    let server = Server::with(&["--proof-of-work", "10", "--limit-searches", "10"]);
    let (_, _, address) = on(&server, json!({}));
    go(&browser, &format!("{address}?field_1=A-100"));
    look_at(&browser, "query-unproven", &format!("{address}?field_1=A-100"));
}

#[test]
fn a_busy_service_and_a_full_plan_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let browser = Browser::open(Look::DESK);
    let server = Server::alone("its data dir is looked at");
    let (owner, query, address) = on(&server, json!({"allow_to_export_results": true}));
    go(&browser, &address);
    let (database, aside) = (server.dir.join("formsvc.db"), server.dir.join("aside.db"));
    std::fs::rename(&database, &aside).expect("moved");
    look_at(&browser, "query-busy", &format!("{address}?field_1=100"));
    std::fs::rename(&aside, &database).expect("moved back");
    // More than a file may have.
    for _ in 0..20 {
        let many: Vec<Value> = (0..500).map(|_| json!({"field_values": {"field_1": "A-100"}})).collect();
        let made = owner.post(format!("{}/bulk", query.form.entries()), json!({"entries": many}));
        assert_eq!(made.status, 201, "{made}");
    }
    look_at(&browser, "query-export-many", &format!("{address}?field_1=A-100"));
    look_at(&browser, "query-export-refused", &format!("{address}/export?format=csv&field_1=A-100"));
    let set = server.run(&["plan", "set", "Ada Lovelace", "free"]);
    assert!(set.status.success());
    look_at(&browser, "query-over-plan", &address);
}
