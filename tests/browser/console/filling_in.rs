//! Values filled in for others: a default that is taken from the preview, a link that fills the form in, and a formula
//! that is completed, checked and shown with the values of the preview.

use serde_json::json;
use support::session::Session;
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, click};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;
use crate::questions::every_kind::{answers, form_in};

const DOWN: char = '\u{e015}';
const TAB: char = '\u{e004}';
const ESCAPE: char = '\u{e00c}';

fn invoice(server: &Server) -> (Caller, Form) {
    let owner = account(server, OWNER, "Ada Lovelace");
    let form = owner.form_with(json!({"name": "Invoice", "fields": [
        field("number", json!({"label": "Hours"})),
        field("number", json!({"label": "Hourly rate"})),
        field("formula", json!({"label": "Total", "expression": "field_1", "result_type": "number"})),
        field("date", json!({"label": "Day", "default_value": "2090-06-05"})),
    ]}));
    (owner, form)
}

/// Types into a control of the preview.
fn answer(browser: &Browser, name: &str, value: &str) {
    let page = "document.getElementById('preview').contentDocument";
    let control = format!("{page}.querySelector('[name={name}]')");
    browser
        .until(&format!("{control} && {page}.readyState === 'complete' && !document.querySelector('iframe.loading')"));
    browser.run(&format!(
        "const input = {control}; input.value = '{value}'; input.dispatchEvent(new Event('input', {{bubbles: true}}));
         input.dispatchEvent(new Event('change', {{bubbles: true}}))"
    ));
}

fn open(browser: &Browser, server: &Server, form: &Form, code: &str) {
    browser.go(&format!("{}/forms/{}/build?field={code}", server.base, form.token));
    browser.until("document.querySelector('#panel')?.dataset.live === ''");
}

#[test]
fn a_formula_is_completed_checked_and_shown() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = invoice(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let address = format!("{}/forms/{}/build?field=field_3", server.base, form.token);
    look_at(&browser, "formula", &address);
    browser.look(Look::DESK);
    open(&browser, &server, &form, "field_3");
    browser.until("document.querySelector('[data-formula] [data-state]').textContent.startsWith('With')");
    answer(&browser, "field_1", "40");
    browser.until("document.querySelector('[data-formula] [data-state]').textContent.includes('40')");
    // By a label, then by a function's name.
    browser.run("expression.focus(); expression.setSelectionRange(99, 99)");
    browser.keys(" * rate".chars());
    browser.until("!document.getElementById('formula-list').hidden");
    browser.shot("formula-list-1280", Look::DESK);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    browser.run("expression.focus()");
    browser.keys([TAB]);
    assert_eq!(browser.run("return expression.value"), json!("field_1 * field_2"));
    answer(&browser, "field_2", "2.5");
    browser.until("document.querySelector('[data-formula] [data-state]').textContent.endsWith('100')");
    browser.run("expression.focus(); expression.setSelectionRange(0, 0)");
    browser.keys("ma".chars());
    browser.until("!document.getElementById('formula-list').hidden");
    browser.keys([ESCAPE]);
    assert!(browser.run("return document.getElementById('formula-list').hidden").as_bool().expect("a fact"));
    browser.run("expression.value = ''; expression.dispatchEvent(new Event('input', {bubbles: true}))");
    browser.keys("av".chars());
    browser.until("!document.getElementById('formula-list').hidden");
    browser.keys([DOWN, TAB]);
    browser.until("expression.value === 'AVERAGE('");
    assert_eq!(browser.text("[data-hint] strong"), "number");
    browser.keys("field_1, field_9)".chars());
    browser.keys([ESCAPE]);
    browser.until("document.querySelector('.formula-mirror mark')?.textContent === 'field_9'");
    assert!(
        browser.text("[data-formula] [data-state]").contains("character 18"),
        "{}",
        browser.text("[data-formula] [data-state]")
    );
    browser.shot("formula-fault-1280", Look::DESK);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_default_is_taken_from_the_preview() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = invoice(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    look_at(&browser, "default", &format!("{}/forms/{}/build?field=field_4", server.base, form.token));
    look_at(&browser, "default-alone", &format!("{}/forms/{}/preview?take=field_4", server.base, form.token));
    browser.look(Look::DESK);
    open(&browser, &server, &form, "field_1");
    answer(&browser, "field_1", "7");
    click(&browser, "[data-take]");
    browser.until("location.search.endsWith('done=default')");
    assert_eq!(browser.text(".default-text"), "7");
    // Where the preview has no answer, and on a phone, which shows none, a page asks for the answer.
    for (look, code, value) in [(Look::DESK, "field_2", "8"), (Look::PHONE, "field_2", "9")] {
        browser.look(look);
        open(&browser, &server, &form, code);
        if look.width > 600 {
            browser.until("document.getElementById('preview')?.contentDocument?.querySelector('[name=field_2]')");
        }
        click(&browser, "[data-take]");
        browser.until("location.pathname.endsWith('/preview') && document.getElementById('forward')");
        browser.run(&format!("document.querySelector('[name={code}]').value = '{value}'"));
        click(&browser, "#forward");
        browser.until("location.search.endsWith('done=default')");
        assert_eq!(browser.text(".default-text"), value);
        assert_eq!(browser.complaints(), NOTHING);
    }
    let published = owner.get(form.path()).is(200).data();
    assert_eq!(published["fields"][0]["default_value"], json!(null), "nothing is published yet");
}

#[test]
fn a_link_fills_in_every_kind() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let form = owner.form_with(form_in(&owner, "en", "classic"));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (code, value) in answers().as_object().expect("an object") {
        query.append_pair(code, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let query = query.finish();
    let posted =
        "return JSON.stringify([...new FormData(form)].filter(([n, v]) => n.startsWith('field_') && v !== '').sort())";
    browser.go(&format!("{}{}?{query}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    let wanted = browser.run(posted);
    browser.go(&format!("{}/forms/{}/preview?prefill=1&{query}", server.base, form.token));
    browser.until("document.readyState === 'complete'");
    click(&browser, "#forward");
    browser.until("location.pathname.endsWith('/share/prefilled')");
    let made = browser.run("return location.href + '&channels=Poster%0ANewsletter'");
    look_at(&browser, "prefilled", made.as_str().expect("an address"));
    let link = browser.run("return document.getElementById('link').value");
    browser.look(Look::DESK);
    browser.go(link.as_str().expect("a link"));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run(posted), wanted);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_right_answer_is_taken_from_the_preview() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let choices = json!([{"api_code": "a", "label": "Two"}, {"api_code": "b", "label": "Three"}, {"label": "Four"}]);
    let form = owner.form_with(json!({"name": "Finals", "scene": "exam", "fields": [
        field("number", json!({"label": "Six by seven"})),
        field("checkbox", json!({"label": "Which are prime?", "choices": choices})),
        field("short_text", json!({"label": "Your name"})),
    ]}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open(&browser, &server, &form, "field_1");
    // Ticks and typed values are saved; the rest of the page follows and the focus stays.
    assert_eq!(browser.run("return document.getElementById('exam.score').checkVisibility()"), json!(false));
    browser.run("document.getElementById('exam.scored').focus()");
    browser.keys([' ']);
    browser.until("document.querySelector('#exam .fault')?.textContent.startsWith('Give the right answer')");
    assert_eq!(browser.text("#points-total"), "Total: 1 pt");
    assert_eq!(browser.run("return document.activeElement.id"), json!("exam.scored"));
    browser.run("document.getElementById('exam.score').select(); document.getElementById('exam.score').focus()");
    browser.keys("2.5".chars());
    browser.keys([TAB]);
    browser.until("document.querySelector('[data-code=field_1] .outline-points')?.textContent === '2.5 pt'");
    answer(&browser, "field_1", "42");
    click(&browser, "#exam [data-take]");
    browser.until("location.search.endsWith('done=answer')");
    assert_eq!(browser.text("#exam .default-text"), "42");
    assert_eq!(browser.run("return document.querySelector('#exam .fault')"), json!(null));
    // A value that is typed and not yet left is saved before another button does its work.
    open(&browser, &server, &form, "field_1");
    browser.run("document.getElementById('exam.score').focus(); document.getElementById('exam.score').select()");
    browser.keys("3".chars());
    click(&browser, "#exam .panel-default button");
    browser.until("document.querySelector('#exam .fault')");
    assert_eq!(browser.run("return document.getElementById('exam.score').value"), json!("3"));
    click(&browser, "#undo");
    browser.until(
        "document.readyState === 'complete' && document.querySelector('#exam .default-text')?.textContent === '42'",
    );
    // Where the session ends, what was typed is saved once somebody has signed in in another tab.
    browser.forget_cookies();
    browser.run("document.getElementById('exam.score').focus(); document.getElementById('exam.score').select()");
    browser.keys("4".chars());
    browser.keys([TAB]);
    browser.until("document.getElementById('signed-out').open");
    let session = Session::on(&server).signed_in(OWNER).cookie("formsvc_session").expect("a session");
    browser.set_cookie(&server.base, "formsvc_session", &session);
    browser.run("dispatchEvent(new Event('visibilitychange'))");
    browser.until("document.querySelector('[data-code=field_1] .outline-points')?.textContent === '4 pt'");
    for code in ["field_2", "field_3"] {
        open(&browser, &server, &form, code);
        click(&browser, "[id=\"exam.scored\"]");
        browser.until("document.querySelector('#exam [data-take]')");
    }
    let address = |page: &str| format!("{}/forms/{}/{page}", server.base, form.token);
    look_at(&browser, "exam-question", &address("build?field=field_2"));
    look_at(&browser, "exam-answer", &address("preview?answer=field_2"));
    owner.patch(form.part("settings"), json!({"certificate": {"enabled": true, "body": "for the exam"}})).is(200);
    look_at(&browser, "exam-settings", &address("settings#exam"));
    // A placeholder is inserted at the text cursor, and the sample shows the typed text.
    browser.look(Look::DESK);
    browser.go(&address("settings#codes"));
    browser.until("document.readyState === 'complete'");
    browser.run(
        "const text = document.getElementById('certificate.body'); text.focus(); text.setSelectionRange(4, 4);
         document.querySelector('#codes [data-insert=\"{{field_3}}\"]').closest('details').open = true;
         document.querySelector('#codes [data-insert=\"{{field_3}}\"]').click();
         document.querySelector('#codes [data-sample]').addEventListener('click', (event) => event.preventDefault());
         document.querySelector('#codes [data-sample]').click()",
    );
    assert_eq!(
        browser.run("return document.getElementById('certificate.body').value"),
        json!("for {{field_3}}the exam")
    );
    let sample = browser.run("return document.querySelector('#codes [data-sample]').href");
    assert!(sample.as_str().expect("an address").ends_with("certificate.body=for+%7B%7Bfield_3%7D%7Dthe+exam"));
}
