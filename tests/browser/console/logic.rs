//! The page of rules: sentences that save themselves and keep the focus.

use serde_json::{Value, json};
use support::{Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

const TAB: char = '\u{e004}';
const ALT: char = '\u{e00a}';
const UP: char = '\u{e013}';
const DELETE: char = '\u{e017}';

/// The rules of the draft.
fn rules(browser: &Browser, token: &str) -> Value {
    browser.wait_for(
        "const [token, done] = arguments;
         fetch(`/forms/${token}/build`, {headers: {Accept: 'application/json'}}).then((answer) => answer.json())
            .then(({data}) => done(data.rules))",
        json!([token]),
    )
}

/// Sets a control of the first rule, and leaves it.
fn put(browser: &Browser, name: &str, value: &str) {
    browser.run(&format!(
        "const control = document.querySelector('#rule-1 [name=\"{name}\"]'); control.focus(); control.value = '{value}';
         control.dispatchEvent(new Event('change', {{bubbles: true}}))"
    ));
}

#[test]
fn a_rule_is_made_by_its_sentence() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let choices = json!([{"api_code": "soup", "label": "Soup"}, {"api_code": "pie", "label": "Pie"}]);
    let form = owner.form_with(json!({"name": "Workshop", "fields": [
        field("radio", json!({"label": "What will you eat?", "choices": choices})),
        field("checkbox", json!({"label": "Which days?", "choices": choices})),
        field("short_text", json!({"label": "Your name"})),
        field("long_text", json!({"label": "Anything that we should know?"})),
    ]}));
    for name in ["Ada", "Bob"] {
        owner.post(form.entries(), json!({"field_values": {"field_1": "soup", "field_3": name}})).is(201);
    }
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let address = format!("{}/forms/{}/rules", server.base, form.token);
    look_at(&browser, "rules-none", &address);
    browser.look(Look::DESK);
    browser.go(&address);
    browser.run("document.querySelector('#sentences form .button').click()");
    browser.until("document.querySelector('#rule-1 .sentence-form')");
    assert!(
        !browser.run("return document.querySelector('.sentence-save').checkVisibility()").as_bool().expect("a fact")
    );
    // Each change saves itself, and the other controls follow.
    put(&browser, "condition.items[0].field", "field_1");
    browser.until("document.querySelector('#rule-1 [name=\"condition.items[0].value\"]')");
    // The focus stays.
    browser.until("document.activeElement.name === 'condition.items[0].field'");
    put(&browser, "condition.items[0].value", "soup");
    browser.until("document.querySelector('#rule-1').textContent.includes('Holds for 2 of 2')");
    browser.run(
        "const select = [...document.querySelectorAll('#rule-1 select[name=fields]')].at(-1); select.value = 'field_4';
         select.dispatchEvent(new Event('change', {bubbles: true}))",
    );
    browser.until("document.querySelector('#rule-1 .target')");
    let first = json!([{
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "soup"}]},
        "action": "show", "fields": ["field_4"],
    }]);
    assert_eq!(rules(&browser, &form.token), first);
    browser.run("document.querySelector('#rule-1 [value=\"condition.items.add\"]').click()");
    browser.until("document.querySelector('#rule-1 [name=\"condition.items[1].field\"]')");
    put(&browser, "condition.items[1].field", "field_3");
    browser.until("document.querySelector('#rule-1 input[name=\"condition.items[1].value\"]')");
    browser.until("document.activeElement.name === 'condition.items[1].field'");
    // A typed value is saved when it is left.
    browser.run("document.querySelector('#rule-1 input[name=\"condition.items[1].value\"]').focus()");
    browser.keys("Ada".chars());
    browser.keys([TAB]);
    browser.until("document.querySelector('#rule-1').getAttribute('aria-label').includes('Ada')");
    browser.until("document.querySelector('#rule-1').textContent.includes('Holds for 1 of 2')");
    browser.run("document.getElementById('undo').click()");
    browser.until("!document.querySelector('#rule-1').getAttribute('aria-label').includes('Ada')");
    look_at(&browser, "rules", &address);
    // The preview tells why, of a rule that is whole.
    browser.look(Look::DESK);
    browser.go(&address);
    browser.run("document.querySelector('#rule-1 [value=\"condition.items[1].remove\"]').click()");
    browser.until("document.querySelector('#rule-1').textContent.includes('Holds for 2 of 2')");
    browser.go(&format!("{}/forms/{}/preview", server.base, form.token));
    browser.until("document.querySelector('[data-why=field_4]')");
    assert_eq!(browser.axe(), Vec::<String>::new());
    // Keys: a new rule, through the rules, one moves, one goes.
    browser.go(&address);
    browser.until("document.querySelector('#rule-1')");
    browser.run("document.querySelector('#rule-1').focus()");
    browser.keys(['n']);
    browser.until("document.querySelectorAll('.sentence').length === 2 && location.hash === '#rule-2'");
    browser.run("document.querySelector('#rule-1').focus()");
    browser.keys(['j']);
    assert_eq!(browser.run("return document.activeElement.id"), json!("rule-2"));
    browser.chord(&[ALT, UP]);
    browser.until("location.hash === '#rule-1' && document.querySelector('#rule-2').textContent.includes('Holds for')");
    browser.run("document.querySelector('#rule-1').focus()");
    browser.keys([DELETE]);
    browser.until("document.querySelectorAll('.sentence').length === 1");
    assert_eq!(rules(&browser, &form.token), first);
}

#[test]
fn the_page_stays_where_it_is_and_takes_what_is_typed_along() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let fields: Vec<Value> =
        (1..=4).map(|at| field("short_text", json!({"label": format!("Question {at}")}))).collect();
    let form = owner.form_with(json!({"name": "Workshop", "fields": fields}));
    let rule = json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "x"}]},
        "action": "show", "fields": ["field_4"]});
    owner.put(form.part("field_rules"), json!({"rules": vec![rule; 6]})).is(200);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/rules", server.base, form.token));
    browser.until("document.querySelector('#sentences[data-live]')");
    let top = "Math.round(document.getElementById('rule-3.operand').getBoundingClientRect().top)";
    let before = browser.run(&format!(
        "const operand = document.getElementById('rule-3.operand'); operand.scrollIntoView({{block: 'center'}});
         operand.focus(); const top = {top}; document.body.dataset.old = ''; operand.value = 'or';
         operand.dispatchEvent(new Event('change', {{bubbles: true}})); return top"
    ));
    browser.until(&format!("document.body.dataset.old === undefined && {top} === {before}"));
    assert_eq!(browser.run("return document.activeElement.id"), json!("rule-3.operand"));
    // The rule is sent while somebody types in its line.
    let line = "document.getElementById('rule-3.condition.items[0].value.0')";
    browser.run(&format!(
        "document.body.dataset.old = ''; {line}.focus(); {line}.form.requestSubmit(); {line}.value = 'xyz'"
    ));
    browser.until(&format!("document.body.dataset.old === undefined && {line}.value === 'xyz'"));
    browser.keys([TAB]);
    browser.until("document.querySelector('#rule-3').getAttribute('aria-label').includes('xyz')");
    assert_eq!(rules(&browser, &form.token)[2]["condition"]["items"][0]["value"], json!("xyz"));
}

/// The page that asks lists the rules, whatever way the question is removed.
#[test]
fn rules_are_listed_before_a_question_that_they_name_goes() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let rule = json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "x"}]},
        "action": "show", "fields": ["field_2"]});
    type Way = (&'static str, Look, &'static str);
    let ways: [Way; 4] = [
        ("keys", Look::DESK, ""),
        (
            "ticks",
            Look::DESK,
            "document.querySelector('[data-code=field_1] .row-tick').click(); document.querySelector('.selection [value=remove]').click()",
        ),
        ("buttons", Look::DESK, "document.querySelector('[formaction$=\"field_1/remove\"]').click()"),
        (
            "no script",
            Look::PHONE.without_script(),
            "document.querySelector('[formaction$=\"field_1/remove\"]').click()",
        ),
    ];
    for (way, look, act) in ways {
        let fields: Vec<Value> =
            (1..=3).map(|at| field("short_text", json!({"label": format!("Question {at}")}))).collect();
        let form = owner.form_with(json!({"name": "Workshop", "fields": fields}));
        owner.put(form.part("field_rules"), json!({"rules": [rule]})).is(200);
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        let rows = |browser: &Browser| {
            browser
                .run("return [...document.querySelectorAll('.outline-row')].map((row) => row.dataset.code).join(' ')")
        };
        let ask = || {
            browser.go(&format!("{}/forms/{}/build?field=field_1", server.base, form.token));
            if way == "no script" {
                browser.until("document.readyState === 'complete'");
            } else {
                browser.until("document.querySelector('.outline[data-live]') && document.querySelector('#panel')?.dataset.live === ''");
            }
            if act.is_empty() {
                browser.run("document.querySelector('[data-code=field_1] a').focus()");
                browser.keys([DELETE]);
            } else {
                browser.run(act);
            }
            browser.until("document.querySelector('[name=rules_shown]')");
            let shown = browser.text("main").replace(['\u{2068}', '\u{2069}'], "");
            assert!(shown.contains("When Question 1 is x, then show Question 2"), "{way}: {shown}");
        };
        ask();
        browser.run("[...document.querySelectorAll('main a.button')].at(-1).click()");
        browser.until("document.querySelector('.outline')");
        assert_eq!(rows(&browser), "field_1 field_2 field_3", "{way}");
        ask();
        browser.run("document.querySelector('[name=rules_shown]').form.querySelector('button').click()");
        browser.until("document.querySelectorAll('.outline-row').length === 2");
        assert_eq!(rows(&browser), "field_2 field_3", "{way}");
    }
}
