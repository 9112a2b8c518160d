//! Field rules with a script: at once, and the same as the server says for the same answers.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

fn choices() -> Value {
    json!({"choices": [
        {"api_code": "a", "label": "Straße"}, {"api_code": "b", "label": "Ave"}, {"api_code": "c", "label": "Other", "is_other": true}]})
}

/// The questions of conditions.
fn questions() -> Vec<Value> {
    vec![
        field("radio", choices()),
        field("checkbox", choices()),
        field("number", json!({"precision": 1})),
        field("short_text", json!({})),
        field("long_text", json!({})),
        field("date", json!({})),
        field("date", json!({"precision": "minute"})),
        field("date", json!({"precision": "second"})),
        field("date", json!({"precision": "month"})),
        field("dropdown", json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]})),
        field("rating", json!({})),
        field("nps", json!({})),
        field("email", json!({})),
        field("phone", json!({"default_country": "DE"})),
    ]
}

/// Conditions; for each there is a field that is shown while it holds.
#[rustfmt::skip] // A table is read by lines.
fn conditions() -> Vec<Value> {
    let when = |field: u32, operator: &str, value: Value| json!({"field": format!("field_{field}"), "operator": operator, "value": value});
    vec![
        when(1, "eq", json!("a")), when(1, "ne", json!("a")), when(1, "any_in", json!(["b", "c"])), when(1, "none_in", json!(["b"])),
        when(1, "like", json!("STRASSE")), when(1, "like", json!("a")), when(1, "null", json!(null)), when(1, "not_null", json!(null)),
        when(2, "eq", json!(["a", "b"])), when(2, "ne", json!(["a"])), when(2, "any_in", json!(["c"])), when(2, "none_in", json!(["a", "c"])), when(2, "like", json!("ave")),
        when(3, "eq", json!(2.4)), when(3, "gt", json!(2)), when(3, "lte", json!(-1.5)), when(3, "between", json!([0, 10])), when(3, "not_between", json!([0, 10])), when(3, "any_in", json!([1, 2.4])), when(3, "null", json!(null)),
        when(4, "eq", json!("straße")), when(4, "ne", json!("x")), when(4, "like", json!("ΣΑΣ")), when(4, "not_like", json!("%")), when(4, "any_in", json!(["ＡＢ", "é"])), when(4, "null", json!(null)),
        when(5, "eq", json!("one\ntwo")), when(5, "like", json!("TWO")),
        when(6, "eq", json!("2026-02")), when(6, "gt", json!("2026-02-10")), when(6, "between", json!(["2026-01-31", "2026-02-10"])), when(6, "like", json!("-02-")), when(6, "none_in", json!(["2026-02-10"])),
        when(7, "eq", json!("2026-02-10")), when(7, "gte", json!("2026-02-10 09:30")), when(7, "lt", json!("2026-02-10T08:00:00Z")),
        when(8, "eq", json!("2026-02-10 09:30")), when(8, "gt", json!("2026-02-10 09:30:00")),
        when(9, "eq", json!("2026-02")), when(9, "gt", json!("2026-02-10")),
        when(10, "eq", json!("b")), when(10, "null", json!(null)), when(11, "gte", json!(4)), when(12, "eq", json!(0)), when(12, "null", json!(null)),
        when(13, "like", json!("@EXAMPLE")), when(14, "not_null", json!(null)),
    ]
}

/// Answers, by the controls' names.
#[rustfmt::skip] // A table is read by lines.
fn answers() -> Vec<Value> {
    vec![
        json!({}),
        json!({"field_1": ["a"], "field_2": ["a", "b"], "field_3": "2.35", "field_4": "STRASSE", "field_5": "ONE\ntwo", "field_6": "2026-02-10", "field_7": "2026-02-10T09:30", "field_8": "2026-02-10T09:30:15", "field_9": "2026-02", "field_10": "a", "field_11": ["4"], "field_12": ["0"], "field_13": "a@Example.com"}),
        json!({"field_1": ["b"], "field_2": ["a"], "field_3": " -1.5 ", "field_4": "σας", "field_5": "two", "field_6": "2026-01-31", "field_7": "2026-02-10T00:00", "field_8": "2026-02-10T09:30", "field_9": "2026-03", "field_10": "b", "field_11": ["1"], "field_12": ["10"]}),
        json!({"field_1": ["c"], "field_2": ["c"], "field_3": "1e1", "field_4": "É", "field_5": "one\ntwo", "field_6": "2026-02-28", "field_7": "2026-03-01T10:00", "field_9": "2026-01"}),
        json!({"field_2": ["a", "b", "c"], "field_3": "abc", "field_4": "   ", "field_6": "2027-01-01"}),
        json!({"field_2": ["b"], "field_3": "0.05", "field_4": "100 % ab"}),
        json!({"field_3": "10.04", "field_4": "ab"}),
        json!({"field_3": "-0", "field_4": "ﬁ x"}),
        json!({"field_3": ".5", "field_14.number": "030 123456"}),
    ]
}

const FILL: &str = "
    const [answers, done] = arguments;
    const form = document.getElementById('form');
    (async () => {
        const found = [];
        for (const answer of answers) {
            for (const control of form.elements) {
                if (!/^field_\\d/.test(control.name) || control.type === 'hidden') continue;
                const given = answer[control.name] ?? '';
                if (['radio', 'checkbox'].includes(control.type)) control.checked = given.includes(control.value);
                else if (control.localName !== 'select' || control.name in answer || !control.name.includes('.')) control.value = given;
            }
            form.dispatchEvent(new Event('input', {bubbles: true}));
            const hidden = () => [...form.querySelectorAll('.field[hidden]')].map((box) => box.dataset.field);
            const live = hidden();
            const body = new URLSearchParams(new FormData(form));
            body.set('_action', 'check');
            const answered = await (await fetch(form.action, {method: 'POST', body, headers: {Accept: 'application/json'}})).json();
            const needed = [...form.querySelectorAll('.field')].filter((box) => box.querySelector('.mark[data-mark]:not([hidden])')).map((box) => box.dataset.field);
            found.push({live, told: form.elements._hidden.value, hidden: answered.hidden, needed,
                blank: answered.faults.filter((fault) => fault.text.startsWith('Answer this')).map((fault) => fault.field)});
        }
        done(found);
    })().catch((fault) => done([String(fault)]));
";

fn with_rules(owner: &Caller, fields: Vec<Value>, rules: Vec<Value>) -> Form {
    let form = owner.form_with(json!({"name": "Rules", "timezone": "Europe/Berlin", "fields": fields}));
    let set = owner.put(format!("{}/field_rules", form.path()), json!({"rules": rules}));
    assert_eq!(set.status, 200, "{set}");
    form
}

#[test]
fn the_script_and_the_server_say_the_same() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let mut fields = questions();
    let first = fields.len() + 1;
    let conditions = conditions();
    let mut rules = Vec::new();
    for (at, condition) in conditions.iter().enumerate() {
        fields.push(field("short_text", json!({})));
        let target = format!("field_{}", first + at);
        // Every third needs its answer too.
        let actions: &[&str] = if at % 3 == 0 { &["show", "require"] } else { &["show"] };
        for action in actions {
            rules.push(
                json!({"condition": {"operand": "and", "items": [condition]}, "action": action, "fields": [target]}),
            );
        }
    }
    // Chains, and several conditions: on questions that the ones before show.
    let link = first + conditions.len();
    fields.push(field("radio", choices()));
    fields.push(field("short_text", json!({})));
    let (a, b) = (format!("field_{link}"), format!("field_{}", link + 1));
    rules.push(json!({"condition": {"operand": "or", "items": [conditions[0], conditions[14]]}, "action": "hide", "fields": [a]}));
    rules.push(json!({"condition": {"operand": "and", "items": [{"field": a, "operator": "null"}, conditions[25]]}, "action": "show", "fields": [b]}));
    let form = with_rules(&owner, fields, rules);
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    let answers = answers();
    let found = browser.wait_for(FILL, json!([answers]));
    let found = found.as_array().expect("a list");
    assert_eq!(found.len(), answers.len(), "{found:?}");
    let mut shown = 0;
    for (answer, found) in answers.iter().zip(found) {
        let list = |key: &str| -> Vec<String> {
            let items = found[key].as_array().unwrap_or_else(|| panic!("{found}"));
            items.iter().map(|item| item.as_str().unwrap_or("?").to_owned()).collect()
        };
        // Values that only the server knows stay as it sent them before.
        let only_server = format!("field_{}", first + conditions.len() - 1);
        let but = |codes: Vec<String>| codes.into_iter().filter(|code| *code != only_server).collect::<Vec<_>>();
        let (live, hidden) = (but(list("live")), but(list("hidden")));
        assert_eq!(live, hidden, "{answer}");
        assert_eq!(list("needed"), list("blank"), "{answer}");
        shown += conditions.len() - hidden.len().min(conditions.len());
    }
    assert!(shown > 100, "{shown}");
    // The script gets that one by a request, soon after a change.
    browser.until(&format!(
        "!document.querySelector('[data-field={}_{}]').hidden",
        "field",
        first + conditions.len() - 1
    ));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn fields_come_and_go_at_once_and_pages_with_them() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = with_rules(
        &owner,
        vec![
            field("radio", choices()),
            field("short_text", json!({"required": true})),
            field("formula", json!({"expression": "field_5 * 1.1", "result_type": "number"})),
            json!({"type": "page_break"}),
            field("number", json!({})),
        ],
        vec![
            json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "a"}]}, "action": "show", "fields": ["field_2"]}),
            json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "b"}]}, "action": "hide", "fields": ["field_5"]}),
        ],
    );
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    let is_seen =
        |code: &str| browser.run(&format!("return document.querySelector('[data-field={code}]').checkVisibility()"));
    let forward = || browser.run("return document.getElementById('forward').value");
    assert_eq!((is_seen("field_2"), forward()), (json!(false), json!("next")));
    browser.run("document.getElementById('field_1').click()");
    assert_eq!(is_seen("field_2"), json!(true));
    browser.run("field_2.value = 'typed'; document.getElementById('field_1.b').click()");
    assert_eq!(is_seen("field_2"), json!(false));
    browser.until("document.getElementById('forward').value === 'submit'");
    browser.run("document.getElementById('field_1').click()");
    assert_eq!(browser.run("return field_2.value"), "typed");
    browser.until("document.getElementById('forward').value === 'next'");
    // Computed values follow.
    browser.run("field_5.value = '3'; field_5.dispatchEvent(new Event('input', {bubbles: true}))");
    browser.until("document.getElementById('field_3').textContent.trim() === '3.3'");
    assert_eq!(browser.axe(), NOTHING);
    // An answer that was typed and is hidden again is not stored.
    browser.run("document.getElementById('field_1.b').click()");
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(
        (&entry["field_1"]["value"], &entry["field_2"], &entry["field_3"], &entry["field_5"]),
        (&json!("b"), &json!(null), &json!(null), &json!(null)),
        "{entry}"
    );
    assert_eq!(browser.complaints(), NOTHING);
}
