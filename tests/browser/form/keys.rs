//! A form with every kind of question is answered and sent by keys alone: Tab leads from control to control,
//! and each takes its answer from the keyboard.

use serde_json::{Value, json};
use support::Server;

use crate::driver::steps::{NOTHING, PATIENT};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::questions::every_kind;

const DOWN: char = '\u{e015}';

/// The text to type into the control of that name; others get a word, or a number where they ask for one.
const TYPED: [(&str, &str); 8] = [
    ("field_5", "ada@example.com"),
    ("field_6", "https://example.com/ada"),
    ("field_7.number", "2079460018"),
    ("field_10", "0930A"), // Morning, where the hours are twelve.
    ("field_24.postal_code", "SW1Y 4JH"),
    ("field_25.latitude", "51.5"),
    ("field_25.longitude", "-0.13"),
    ("field_26[1].number", "2"),
];

/// The control that has the focus.
const AT: &str = "
    const e = document.activeElement; const box = e.getBoundingClientRect();
    const group = e.name ? [...document.getElementsByName(e.name)] : [];
    return {
        name: e.name ?? '', id: e.id, tag: e.localName, type: e.type ?? '', role: e.role ?? '',
        words: e.ariaLabel ?? e.textContent.trim(), value: e.value ?? '', isNumber: /decimal|numeric/.test(e.inputMode),
        isAnswered: ['radio', 'checkbox'].includes(e.type) ? group.some(one => one.checked) : Boolean(e.value),
        isOpen: Boolean(e.closest('details')?.open), isDay: Boolean(e.closest('[role=grid]')),
        isSeen: box.width > 0 && box.height > 0, field: e.closest('.field')?.dataset.field ?? '',
    }";

/// The keys that answer the focused control; none where it needs no answer.
fn keys(at: &Value, ranks: &mut usize) -> Vec<char> {
    let word = |key: &str| at[key].as_str().unwrap_or_default();
    let (name, kind) = (word("name"), word("type"));
    // The first day that can be booked.
    if at["isDay"] == json!(true) {
        return vec![ENTER];
    }
    if word("tag") == "button" {
        // A ranking by buttons, and a signature that is typed rather than drawn.
        let is_wanted = word("words").starts_with("Rank ") || word("words") == "Type";
        return if is_wanted { vec![' '] } else { Vec::new() };
    }
    // The coordinates of a place, on demand.
    if word("tag") == "summary" && word("field") == "field_25" && at["isOpen"] == json!(false) {
        return vec![' '];
    }
    // An input that searches in another form is no answer.
    let is_named = word("tag") == "select" || !name.is_empty() && !name.starts_with('_');
    if at["isAnswered"] == json!(true) || !is_named {
        return Vec::new();
    }
    match (word("tag"), kind) {
        ("select", _) if word("field") == "field_17" => {
            *ranks += 1;
            vec![DOWN; *ranks]
        }
        ("select", _) => vec![DOWN],
        ("input", "radio" | "checkbox") => vec![' '],
        ("input", "file") => Vec::new(),
        ("input", "date") => "06062089".chars().collect(), // A Monday, days or months first.
        _ => {
            let own = TYPED.iter().find(|(known, _)| *known == name);
            // Columns of numbers that may be negative have no keyboard of their own.
            let columns = [("field_21", ".field_1"), ("field_23", ".field_2")];
            let is_cell = columns.iter().any(|(field, cell)| word("field") == *field && name.ends_with(cell));
            let other = if at["isNumber"] == json!(true) || is_cell { "3" } else { "Ada" };
            own.map_or(other, |(_, text)| text).chars().collect()
        }
    }
}

fn journey(look: Look) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until(&format!("document.readyState === 'complete' && {PATIENT}"));
    let (mut ranks, mut way) = (0, Vec::new());
    for _ in 0..300 {
        browser.keys([TAB]);
        let at = browser.run(AT);
        assert_eq!(at["isSeen"], json!(true), "the focus is where nothing is seen: {at}");
        if at["id"] == "forward" {
            browser.keys([ENTER]);
            browser.until("location.pathname.endsWith('/done') || document.getElementById('summary')");
            break;
        }
        if at["role"] == "combobox" {
            // The fewest letters that search: the list is drawn once.
            browser.keys("ri".chars());
            browser.until("!document.querySelector('[role=listbox]').hidden");
            browser.keys([DOWN, ENTER]);
            continue;
        }
        let pressed = keys(&at, &mut ranks);
        way.push(format!("{} {}", at["name"], pressed.iter().collect::<String>()));
        let opens = at["tag"] == "summary" && !pressed.is_empty();
        browser.keys(pressed);
        if opens {
            browser.until("document.activeElement.closest('details')?.open");
        }
    }
    assert!(browser.text("main").contains("Your booking is confirmed"), "{} after {way:#?}", browser.text("main"));
    let entry = owner.get(form.entries()).data()[0].clone();
    for code in every_kind::answers().as_object().expect("an object").keys() {
        let value = &entry[code];
        assert!(!value.is_null() && *value != json!([]), "{code}: {entry} after {way:#?}");
    }
    assert_eq!(entry["field_9"], "2089-06-06", "{entry}");
    assert_eq!(entry["field_10"], json!({"hour": 9, "minute": 30}), "{entry}");
    assert_eq!(entry["field_17"].as_object().map(serde_json::Map::len), Some(3), "{entry}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn every_kind_is_answered_by_keys() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK);
}

#[test]
fn every_kind_is_answered_by_keys_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::PHONE.without_script());
}
