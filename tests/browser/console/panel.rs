//! The properties of the builder's chosen question: they save themselves, show their faults, and edit choices as a
//! typed list.

use serde_json::{Value, json};
use support::session::Session;
use support::{Caller, Form, Server, field};

use crate::console::panel_steps::{drafted, open, put};
use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

const ENTER: char = '\u{e007}';
const BACKSPACE: char = '\u{e003}';
const ALT: char = '\u{e00a}';
const CONTROL: char = '\u{e009}';
const UP: char = '\u{e013}';

fn workshop(server: &Server) -> (Caller, Form) {
    let owner = account(server, OWNER, "Ada Lovelace");
    let choices = json!([{"label": "Soup"}, {"label": "Pie"}, {"label": "Salad"}]);
    let form = owner.form_with(json!({"name": "Workshop", "fields": [
        field("radio", json!({"label": "What will you eat?", "choices": choices})),
        field("number", json!({"label": "How many people will come?"})),
        field("product", json!({"label": "Drinks", "goods_items": [{"name": "Tea", "price": 3}]})),
        field("address", json!({"label": "Where do you live?"})),
    ]}));
    (owner, form)
}

fn labels(browser: &Browser) -> Value {
    browser
        .run("return [...document.querySelectorAll('#panel .part:not(.spare) [data-line]')].map((line) => line.value)")
}

#[test]
fn panels_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    for (code, name) in [("field_1", "choices"), ("field_2", "number"), ("field_3", "products"), ("field_4", "address")]
    {
        let address = format!("{}/forms/{}/build?field={code}", server.base, form.token);
        look_at(&browser, &format!("panel-{name}"), &address);
    }
}

#[test]
fn a_question_saves_itself_and_says_what_is_wrong() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open(&browser, &server, &form, "field_2");
    assert!(!browser.run("return document.querySelector('.panel-save').checkVisibility()").as_bool().expect("a fact"));
    // The list follows each key, the draft a pause.
    browser.run(
        "const label = document.querySelector('#panel [name=label]'); label.focus(); label.setSelectionRange(99, 99)",
    );
    browser.keys("!".chars());
    browser.until("document.querySelectorAll('.outline-label')[1].textContent.endsWith('come?!')");
    browser.until("document.querySelector('[data-save-chip]').dataset.state === 'saved'");
    browser.until(&format!("{} === 'How many people will come?!'", drafted(1, "field.label")));
    // Wrong values are kept, said beside their controls, and hinder publishing.
    put(&browser, "min", "5");
    put(&browser, "max", "1");
    browser.until("document.getElementById('max')?.ariaInvalid === 'true'");
    let told = browser.text("#max-fault");
    assert!(!told.is_empty());
    browser.until(&format!("{} === 1", drafted(1, "field.max")));
    open(&browser, &server, &form, "field_2");
    assert_eq!(browser.text("#max-fault"), told, "the page says the same");
    assert!(browser.run("return document.querySelectorAll('.outline-fault').length === 1").as_bool().expect("a fact"));
    assert_eq!(browser.axe(), Vec::<String>::new());
    // Without a connection it waits.
    browser.offline(true);
    put(&browser, "max", "9");
    browser.until("document.querySelector('[data-save-chip]').textContent.includes('no connection')");
    let leaves = "return dispatchEvent(new Event('beforeunload', {cancelable: true}))";
    assert_eq!(browser.run(leaves), json!(false), "leaving meanwhile asks");
    browser.offline(false);
    browser.until(&format!("{} === 9", drafted(1, "field.max")));
    browser.until("!document.querySelector('#panel .fault')");
    // Typed values are sent before the next page.
    browser.run(
        "const unit = document.querySelector('#panel [name=unit]'); unit.value = 'people';
         unit.dispatchEvent(new Event('input', {bubbles: true})); document.querySelector('.outline-row a').click()",
    );
    browser.until("location.search === '?field=field_1'");
    browser.until(&format!("{} === 'people'", drafted(1, "field.unit")));
    // Values kept by a tab are saved when the question is opened again.
    open(&browser, &server, &form, "field_2");
    let kept = browser.run(
        "const form = document.getElementById('panel'); const kept = new URLSearchParams(new FormData(form));
         kept.set('unit', 'guests'); return ['formsvc.panel.' + form.action, String(kept)]",
    );
    // On another page, since a question that is left without a change keeps nothing.
    browser.go(&format!("{}/forms", server.base));
    browser.run(&format!("sessionStorage.setItem({}, {})", kept[0], kept[1]));
    open(&browser, &server, &form, "field_2");
    browser.until(&format!("{} === 'guests'", drafted(1, "field.unit")));
    browser.until("document.querySelector('#panel [name=unit]')?.value === 'guests'");
    let published = owner.get(form.path()).is(200).data();
    assert_eq!(published["fields"][1]["label"], json!("How many people will come?"), "nothing is published yet");
}

/// Puts the cursor behind the label, and types.
fn type_at_label(browser: &Browser, text: &str) {
    browser.run("const label = document.getElementById('label'); label.focus(); label.setSelectionRange(999, 999)");
    browser.keys(text.chars());
}

#[test]
fn a_label_is_typed_whatever_happens_meanwhile() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open(&browser, &server, &form, "field_2");
    let label = "document.getElementById('label').value";
    // The browser takes back what was typed, and nothing else.
    put(&browser, "unit", "people");
    browser.until(&format!("{} === 'people'", drafted(1, "field.unit")));
    type_at_label(&browser, " Really");
    browser.chord(&[CONTROL, 'z']);
    browser.until(&format!("!{label}.includes('Really')"));
    assert_eq!(browser.run(&format!("return {}", drafted(1, "field.unit"))), "people");
    // Nothing half-composed is saved, however long it takes.
    type_at_label(&browser, "!");
    browser.compose("ren");
    browser.until(&format!("{label}.endsWith('!ren')"));
    browser.run("window.began = performance.now()");
    browser.until("performance.now() > began + 1500");
    let saved = browser.run(&format!("return {}", drafted(1, "field.label")));
    assert!(saved.as_str().is_some_and(|saved| !saved.contains("ren")), "{saved}");
    browser.composed("人");
    browser.until(&format!("{}.endsWith('!人')", drafted(1, "field.label")));
    // Where the session ends, somebody signs in in another tab, and the text is saved.
    browser.forget_cookies();
    type_at_label(&browser, "");
    browser.composed(" And who?");
    browser.until("document.getElementById('signed-out').open");
    let session = Session::on(&server).signed_in(OWNER).cookie("formsvc_session").expect("a session");
    browser.set_cookie(&server.base, "formsvc_session", &session);
    browser.run("dispatchEvent(new Event('visibilitychange'))");
    browser.until(&format!("{}.endsWith('And who?')", drafted(1, "field.label")));
    browser.until("!document.getElementById('signed-out').open");
    assert_eq!(browser.run(&format!("return {label}.endsWith('And who?')")), json!(true));
}

#[test]
fn what_is_too_much_for_a_minute_stays_in_the_tab() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::with(&[]);
    let (_, form) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open(&browser, &server, &form, "field_2");
    let refused = browser.wait_for(
        "const [done] = arguments; const panel = document.getElementById('panel');
         const body = () => new URLSearchParams([['csrf', panel.elements.csrf.value], ['_tag', '-1'], ['label', 'Of another tab']]);
         const post = () => fetch(panel.action, {method: 'POST', body: body(), headers: {Accept: 'application/json'}});
         Promise.all(Array.from({length: 130}, post)).then((all) => done(all.filter((it) => it.status === 429).length))",
        json!([]),
    );
    assert_eq!(refused, json!(10));
    type_at_label(&browser, " Really?");
    browser.until("document.querySelector('[data-save-chip]').dataset.state === 'unsaved'");
    let kept = "return [document.getElementById('label').value, new URLSearchParams(sessionStorage.getItem(
                'formsvc.panel.' + document.getElementById('panel').action)).get('label')].map((text) => text.endsWith('Really?'))";
    assert_eq!(browser.run(kept), json!([true, true]));
}

#[test]
fn choices_are_typed_as_a_list() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = workshop(&server);
    let codes: Vec<&str> =
        (0..3).map(|at| form.body["fields"][0]["choices"][at]["api_code"].as_str().expect("a code")).collect();
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open(&browser, &server, &form, "field_1");
    browser.run("document.querySelectorAll('#panel [data-line]')[2].focus()");
    browser.keys([ENTER]);
    browser.keys("Cake".chars());
    browser.keys([ENTER, BACKSPACE]);
    assert_eq!(labels(&browser), json!(["Soup", "Pie", "Salad", "Cake"]));
    assert_eq!(browser.run("return document.activeElement.value"), json!("Cake"), "the row before has the focus");
    browser.chord(&[ALT, UP]);
    browser.chord(&[ALT, UP]);
    assert_eq!(labels(&browser), json!(["Soup", "Cake", "Pie", "Salad"]));
    assert_eq!(browser.run("return document.activeElement.ariaLabel"), json!("Choices 2"));
    browser
        .until(&format!("{} === 'Soup Cake Pie Salad'", drafted(0, "field.choices.map((it) => it.label).join(' ')")));
    browser.until(&format!(
        "{} === '{}'",
        drafted(0, "[0, 2, 3].map((at) => field.choices[at].api_code).join()"),
        codes.join(",")
    ));
    // Ten lines into a row, as spreadsheets copy them.
    browser.keys([ENTER]);
    browser.run(
        "const data = new DataTransfer();
         data.setData('text/plain', Array.from({length: 10}, (_, at) => `Dish ${at}\\t${at}\\t5`).join('\\n'));
         document.activeElement.dispatchEvent(new ClipboardEvent('paste',
             {clipboardData: data, bubbles: true, cancelable: true}))",
    );
    browser.until(&format!("{} === 14", drafted(0, "field.choices.length")));
    browser.until(&format!("{} === '9 5'", drafted(0, "`${field.choices[11].score} ${field.choices[11].quota}`")));
    // A code is given once.
    let code = "document.querySelectorAll('#panel .part')[11].querySelector('input').value";
    browser.until(code);
    let code = browser.run(&format!("return {code}"));
    put(&browser, "choices[11].label", "The last dish");
    browser.until(&format!("{} === 'The last dish'", drafted(0, "field.choices[11].label")));
    browser.until(&format!("{} === {code}", drafted(0, "field.choices[11].api_code")));
    // All as text: lines that stay keep their codes, and a renamed one too.
    for text in ["Soup\nPie\nSalad", "Soup of the day\t1\nPie\nSalad\t\t7"] {
        browser.run("document.querySelector('.parts .panel-more').open = true");
        browser.run(&format!("document.querySelector('[name=\"_text.choices\"]').value = {}", json!(text)));
        browser.run("document.body.dataset.left = ''; document.querySelector('[value=\"choices.text\"]').click()");
        browser
            .until("document.body.dataset.left === undefined && document.querySelector('#panel')?.dataset.live === ''");
    }
    assert_eq!(labels(&browser), json!(["Soup of the day", "Pie", "Salad"]));
    let field = browser.run(&format!("return {}", drafted(0, "field")));
    let kept: Vec<&str> = (0..3).map(|at| field["choices"][at]["api_code"].as_str().expect("a code")).collect();
    assert_eq!(kept, codes);
    assert_eq!((&field["choices"][0]["score"], &field["choices"][2]["quota"]), (&json!(1), &json!(7)));
}
