//! Each key that a page lists does what the list says. The lists are read from the pages: a key without a case fails.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Server, field};

use crate::console::desk::week::READY;
use crate::console::entries::registration;
use crate::console::people::{OWNER, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

/// A key as the list names it, a script before it, and what is true once it was pressed.
type Case<'c> = (&'c str, &'c str, &'c str);

/// Where the page of the case before is gone on with.
const STAY: &str = "stay";
const FINDS: Case = ("Ctrl+K", "", "document.getElementById('finder').open");
const HELPS: Case = ("?", "", "document.getElementById('keys').open");

/// Presses a key, or keys that are held together.
fn press(browser: &Browser, name: &str) {
    let key = |name: &str| match name {
        "Ctrl" => '\u{e009}',
        "Alt" => '\u{e00a}',
        "Shift" => '\u{e008}',
        "↑" => '\u{e013}',
        "↓" => '\u{e015}',
        "←" => '\u{e012}',
        "→" => '\u{e014}',
        "Home" => '\u{e011}',
        "End" => '\u{e010}',
        "Enter" => '\u{e007}',
        "Esc" => '\u{e00c}',
        "Delete" => '\u{e017}',
        "F2" => '\u{e032}',
        letter => letter.chars().next().expect("a key"),
    };
    match name.split('+').collect::<Vec<_>>().as_slice() {
        [one] if one.contains('\u{a0}') => browser.keys(one.chars().filter(|it| *it != '\u{a0}')),
        [one] => browser.keys([key(one)]),
        several => {
            let keys = several.iter().map(|one| key(one).to_ascii_lowercase());
            browser.chord(&keys.collect::<Vec<_>>());
        }
    }
}

/// Presses all keys of a page; `ready` says when its scripts are there, and `start` puts the focus where its keys begin.
fn all_keys(browser: &Browser, page: &str, ready: &str, start: &str, cases: &[Case]) {
    browser.go(page);
    browser.until(ready);
    let listed = browser.run("return [...document.querySelectorAll('#keys kbd')].map((key) => key.textContent)");
    let listed: BTreeSet<&str> = listed.as_array().expect("keys").iter().filter_map(Value::as_str).collect();
    let pressed: BTreeSet<&str> = cases.iter().map(|(key, ..)| *key).collect();
    assert_eq!(listed, pressed, "{page}");
    for (key, before, expected) in cases {
        if *before != STAY {
            browser.go(page);
        }
        browser.until(ready);
        browser.run(start);
        if *before != STAY {
            browser.run(before);
        }
        assert_eq!(browser.run(&format!("return Boolean({expected})")), json!(false), "{page} before {key}");
        press(browser, key);
        browser.until(&format!("document.readyState === 'complete' && ({expected})"));
    }
    assert_eq!(browser.complaints(), NOTHING, "{page}");
}

/// Whether the link with the focus says this.
fn at(text: &str) -> String {
    format!("document.activeElement.textContent.trim() === '{text}'")
}

#[test]
fn each_key_of_the_list_of_forms() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = crate::console::people::account(&server, OWNER, "Ada Lovelace");
    for name in ["Poll", "Garden party", "Registration"] {
        owner.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}));
    }
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.until(READY);
    let moves = "return [...document.querySelectorAll('#keys kbd')].some((key) => key.textContent === 'm')";
    assert_eq!(browser.run(moves), json!(false), "there is no folder yet");
    owner.post("/api/v1/folders", json!({"name": "Events"})).is(201);
    let [first, second, last] = ["Registration", "Garden party", "Poll"].map(at);
    let to = |n: usize| format!("document.querySelectorAll('tbody th a')[{n}].focus()");
    let (second_row, last_row) = (to(1), to(2));
    let path = |end: &str| format!("location.pathname.endsWith('{end}')");
    let [build, entries, share, folder, new] = ["/build", "/entries", "/share", "/folder", "/forms/new"].map(path);
    let trashed =
        |name: &str| format!("document.querySelector('.message.good')?.textContent.includes('{name}') && {READY}");
    let [gone, second_gone] = ["Registration", "Garden party"].map(trashed);
    all_keys(
        &browser,
        &format!("{}/forms", server.base),
        READY,
        "document.querySelector('tbody th a').focus()",
        &[
            ("j", "", &second),
            ("↓", "", &second),
            ("k", &second_row, &first),
            ("↑", &second_row, &first),
            ("→", "", "document.activeElement.closest('td')?.cellIndex === 1"),
            ("←", "document.querySelector('tbody td').focus()", &first),
            ("Home", &last_row, &first),
            ("End", "", &last),
            ("Enter", "", &build),
            ("o", "", &build),
            ("b", "", &build),
            ("e", "", &entries),
            ("s", "", &share),
            ("m", "", &folder),
            ("n", "", &new),
            ("/", "", "document.activeElement.id === 'name'"),
            FINDS,
            HELPS,
            ("#", "", &gone),
            ("Delete", "", &second_gone),
        ],
    );
}

#[test]
fn each_key_of_entries() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    let [first, second] = ["60", "59"].map(at);
    let to = |n: usize| format!("document.querySelectorAll('tbody th > a')[{n}].focus()");
    let (second_row, sixth_row) = (to(1), to(5));
    let beside = |end: &str| {
        format!("document.querySelector('#beside iframe').contentWindow.location.pathname.endsWith('/entries/60{end}')")
    };
    let (opened, edited) = (beside(""), beside("/edit"));
    let trashed =
        format!("document.querySelector('.message.good')?.textContent.includes('Entry 60 is in the trash') && {READY}");
    let chosen = "document.querySelector('.selection > p').textContent === 'Selected: 1'";
    let is_first = "document.querySelector('tbody th > a')?.textContent === '60' && document.querySelector('table.data').rows.length === 51";
    all_keys(
        &browser,
        &page("entries"),
        READY,
        "document.querySelector('tbody th > a').focus()",
        &[
            ("j", "", &second),
            ("↓", "", &second),
            ("k", &second_row, &first),
            ("↑", &second_row, &first),
            ("→", "", "document.activeElement.closest('td')?.cellIndex === 1"),
            ("←", "document.querySelector('tbody td').focus()", &first),
            ("Home", &sixth_row, &first),
            ("End", "", "document.activeElement.closest('tr')?.rowIndex === 50"),
            ("g\u{a0}g", &sixth_row, &first),
            ("G", "", &format!("{} && {READY}", at("1"))),
            ("]", "", &format!("location.search.includes('cursor=') && {READY}")),
            ("[", STAY, &format!("{is_first} && {READY}")),
            ("Enter", "", &opened),
            ("o", "", &opened),
            ("e", "", &edited),
            ("x", "", chosen),
            ("Esc", "document.querySelector('.row-tick').click()", "!document.querySelector('.row-tick:checked')"),
            (
                "p",
                "",
                "location.pathname.endsWith('/print') && document.querySelectorAll('.sheet').length === 1 && document.querySelector('main').textContent.includes('guest60@')",
            ),
            (
                "f",
                "document.querySelector('tbody tr').cells[document.querySelector('th[data-column=field_2]').cellIndex].focus()",
                "document.querySelector('#entries')?.textContent.startsWith('1 of 59')",
            ),
            ("/", "", "document.activeElement.id === 'keyword'"),
            ("c", "", "document.querySelector('#column-choice details').open"),
            FINDS,
            HELPS,
            ("#", "", &trashed),
            ("Ctrl+Z", STAY, &format!("!document.querySelector('.message.good') && {is_first} && {READY}")),
            ("Delete", "", &trashed),
        ],
    );
    let heading = |n: i64| format!("document.querySelector('h1')?.textContent === 'Entry {n}'");
    all_keys(
        &browser,
        &page("entries/50"),
        "document.readyState === 'complete'",
        "",
        &[
            ("[", "", &heading(51)),
            ("]", "", &heading(49)),
            ("e", "", "location.pathname.endsWith('/50/edit')"),
            FINDS,
            HELPS,
        ],
    );
    all_keys(
        &browser,
        &page("entries/50/edit"),
        "document.readyState === 'complete'",
        "document.activeElement.blur()",
        &[
            (
                "Ctrl+Enter",
                "document.querySelector('[name=field_4]').focus()",
                "document.querySelector('.message.good')?.textContent.includes('Entry 50 is saved')",
            ),
            ("Esc", "", "location.pathname.endsWith('/entries/50')"),
            FINDS,
            HELPS,
        ],
    );
}

/// Types into a control while nothing is saved by itself, and leaves the focus in it.
const TYPED: &str = "window.setTimeout = () => 0; const label = document.getElementById('label');
    label.focus(); document.execCommand('insertText', false, '!')";

#[test]
fn each_key_of_the_builder() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = crate::console::people::account(&server, OWNER, "Ada Lovelace");
    let fields: Vec<Value> =
        (1..=5).map(|at| field("short_text", json!({"label": format!("Question {at}")}))).collect();
    let form = owner.form_with(json!({"name": "Workshop", "fields": fields}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    let row = |n: usize| format!("document.activeElement.closest('.outline-row')?.dataset.code === 'field_{n}'");
    let [first, second_moved, third, last] = [row(1), row(2), row(3), row(5)];
    assert_ne!(second_moved, third);
    let place = |n: usize| {
        format!(
            "[...document.querySelectorAll('.outline-row')].findIndex((row) => row.dataset.code === 'field_2') === {n}"
        )
    };
    let (moved_up, moved_back) = (place(1), place(2));
    let live = "document.querySelector('.outline[data-live]') && document.readyState === 'complete'";
    let own = "document.querySelector('.outline-row[data-code=field_2]')";
    let kind = |word: &str| format!("{own}?.querySelector('.outline-kind').textContent.includes('{word}')");
    let (required, hidden) = (kind("required"), kind("hidden"));
    let gone = format!("{live} && !{own}");
    let back = format!("{live} && Boolean({own})");
    let count = |n: usize| format!("document.querySelectorAll('.row-tick:checked').length === {n}");
    let (one, four) = (count(1), count(4));
    let saved = "document.querySelector('[data-save-chip]').dataset.state === 'saved'";
    all_keys(
        &browser,
        &page("build?field=field_4"),
        live,
        "document.querySelector('.outline-row[data-code=field_2] > a')?.focus()",
        &[
            ("/", "", "location.search === '?add=field_2' && document.activeElement.type === 'search'"),
            ("j", "", &third),
            ("↓", "", &third),
            ("k", "", &first),
            ("↑", "", &first),
            ("Home", "", &first),
            ("End", "", &last),
            ("Enter", "", "location.search === '?field=field_2'"),
            ("F2", "", "location.search === '?field=field_2' && document.activeElement.id === 'label'"),
            ("Alt+↓", "", &moved_back),
            ("Alt+↑", "", &moved_up),
            (
                "m",
                "",
                "location.search === '?field=field_2' && document.getElementById('question-after')?.checkVisibility()",
            ),
            ("x", "", &one),
            (
                "X",
                "document.querySelector('.row-tick').click(); document.querySelector('.outline-row[data-code=field_4] > a').focus()",
                &four,
            ),
            ("r", "", &required),
            ("h", "", &hidden),
            ("D", "", &format!("{live} && document.querySelectorAll('.outline-row').length === 6")),
            ("Delete", "", &gone),
            ("Ctrl+Z", "", &back),
            ("Ctrl+Shift+Z", "", &gone),
            ("Ctrl+S", TYPED, saved),
            FINDS,
            HELPS,
        ],
    );
    let rule = |value: &str| {
        json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": value}]},
        "action": "show", "fields": ["field_5"]})
    };
    let form = owner.form_with(json!({"name": "Workshop", "fields": fields}));
    owner.put(form.part("field_rules"), json!({"rules": [rule("one"), rule("two")]})).is(200);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    let first_is = |value: &str| {
        format!(
            "document.querySelector('#sentences[data-live]') && document.querySelector('#rule-1').getAttribute('aria-label').includes('{value}')"
        )
    };
    let [is_one, is_two, is_three] = ["one", "two", "three"].map(first_is);
    let rules = |n: usize| {
        format!(
            "document.querySelector('#sentences[data-live]') && document.querySelectorAll('.sentence').length === {n}"
        )
    };
    let (two, three) = (rules(2), rules(3));
    let second = "document.getElementById('rule-2').focus()";
    // As if the field were not left: that saves, too.
    let typed =
        "document.querySelector('#rule-1 input[name$=\".value\"]').focus(); document.activeElement.value = 'three'";
    all_keys(
        &browser,
        &page("rules"),
        "document.querySelector('#sentences[data-live]') && document.readyState === 'complete'",
        "document.getElementById('rule-1').focus()",
        &[
            ("j", "", "document.activeElement.id === 'rule-2'"),
            ("↓", "", "document.activeElement.id === 'rule-2'"),
            ("k", second, "document.activeElement.id === 'rule-1'"),
            ("↑", second, "document.activeElement.id === 'rule-1'"),
            ("Alt+↓", "", &is_two),
            ("Alt+↑", second, &is_one),
            ("Ctrl+S", typed, &is_three),
            ("/", "", "document.activeElement.id === 'find-rule'"),
            ("n", "", &three),
            ("Delete", "", &two),
            FINDS,
            HELPS,
        ],
    );
}
