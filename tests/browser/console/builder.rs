//! The builder: a form made by keys alone, questions moved by keys and by the pointer, two people at once, the preview
//! that is filled in; in every light.

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account as stranger};
use support::{Caller, Form, Server, field, sharing};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

const ENTER: char = '\u{e007}';
const ALT: char = '\u{e00a}';
const CONTROL: char = '\u{e009}';
const UP: char = '\u{e013}';
const F2: char = '\u{e032}';
const DELETE: char = '\u{e017}';
const BOB: &str = "bob@example.org";

fn course(server: &Server) -> (Caller, Form) {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read");
    let choices = json!([{"api_code": "a", "label": "Letterpress"}, {"api_code": "b", "label": "Sourdough"}]);
    let form = owner.form_with(json!({"name": "Evening course", "fields": [
        field("name", json!({"label": "Your name", "required": true})),
        field("radio", json!({"label": "Which track would you like to take this summer?", "choices": choices})),
        field("page_break", json!({})),
        field("rating", json!({"label": "Rate last year"})),
        field("long_text", json!({"label": "Anything else?"})),
    ]}));
    (owner, form)
}

fn labels(owner: &Caller, form: &Form) -> Vec<String> {
    let fields = owner.get(form.path()).is(200).data()["fields"].clone();
    let fields = fields.as_array().expect("fields").iter();
    fields.map(|field| field["label"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The codes of the list, in its order.
fn order(browser: &Browser) -> Value {
    browser.run("return [...document.querySelectorAll('.outline-row')].map((row) => row.dataset.code)")
}

fn focus_row(browser: &Browser, code: &str) {
    browser.run(&format!("document.querySelector('.outline-row[data-code={code}] > a').focus()"));
}

/// Waits until the list has this order.
fn stands(browser: &Browser, codes: &[&str]) {
    let wanted = codes.join(" ");
    browser.until(&format!(
        "[...document.querySelectorAll('.outline-row')].map((row) => row.dataset.code).join(' ') === '{wanted}'"
    ));
}

#[test]
fn a_form_is_made_by_keys_alone_and_published() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = course(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}", server.base, form.token));
    browser.until("location.pathname.endsWith('/build') && document.querySelector('.outline[data-live]') !== null");
    // A new question after the first one, found by a Chinese word.
    focus_row(&browser, "field_1");
    browser.keys(['/']);
    browser.until("document.activeElement.type === 'search'");
    // Each kind is the first by its own name, and found by a Chinese word.
    let found = browser.run(
        "const input = document.activeElement; const kinds = [...document.querySelectorAll('.palette-kind')];
         const type = (text) => { input.value = text; input.dispatchEvent(new Event('input')); };
         const lost = [];
         for (const kind of kinds) {
           type(kind.textContent.trim());
           if (!kind.hasAttribute('data-first')) lost.push(kind.value);
           const word = kind.dataset.search.match(/\\p{Script=Han}+/u)?.[0];
           type(word ?? '?');
           if (kind.hidden) lost.push(`${kind.value} by ${word}`);
         }
         type('');
         return [kinds.length, lost]",
    );
    assert_eq!(found, json!([33, []]));
    browser.keys("邮箱".chars());
    browser.keys([ENTER]);
    browser.until("location.search.includes('field_6') && document.activeElement.id === 'label'");
    browser.keys("Your e-mail".chars());
    // The list shows it at once, and it is saved a moment later.
    browser.until("document.querySelector('[data-code=field_6] .outline-label').textContent === 'Your e-mail'");
    browser.until("document.querySelector('[data-save-chip]').textContent.startsWith('Saved ')");
    assert_eq!(order(&browser), json!(["field_1", "field_6", "field_2", "field_3", "field_4", "field_5"]));
    browser.until("document.getElementById('preview').contentDocument.body.textContent.includes('Your e-mail')");
    assert_eq!(labels(&owner, &form).len(), 5, "a draft is nobody's business");
    // Moves, and back.
    focus_row(&browser, "field_6");
    browser.chord(&[ALT, UP]);
    stands(&browser, &["field_6", "field_1", "field_2", "field_3", "field_4", "field_5"]);
    browser.until("document.querySelector('.selection > p').textContent.includes('is now 1 of 6, on page 1')");
    assert_eq!(browser.run("return document.activeElement.closest('.outline-row').dataset.code"), "field_6");
    browser.chord(&[CONTROL, 'z']);
    stands(&browser, &["field_1", "field_6", "field_2", "field_3", "field_4", "field_5"]);
    // Several at once.
    focus_row(&browser, "field_4");
    browser.keys("xj".chars());
    browser.keys("x".chars());
    browser.until("document.querySelector('.selection > p').textContent.startsWith('2')");
    browser.keys([DELETE]);
    stands(&browser, &["field_1", "field_6", "field_2", "field_3"]);
    // A press on a label of the preview leads to where it is typed, and so does F2; the preview follows at once.
    browser.until(
        "(page => page.readyState === 'complete' && page.querySelector('[data-field=field_1] .label'))(document.getElementById('preview').contentDocument)",
    );
    browser
        .run("document.getElementById('preview').contentDocument.querySelector('[data-field=field_1] .label').click()");
    browser.until("location.search === '?field=field_1' && document.activeElement.id === 'label'");
    browser
        .until("document.getElementById('preview').contentDocument.querySelector('[data-field=field_1] bdi') !== null");
    let typed = "dispatchEvent(new CustomEvent('question-typed', \
        {detail: {code: 'field_1', path: 'label', value: 'At once'}})); \
        return document.getElementById('preview').contentDocument.querySelector('[data-field=field_1] bdi').textContent";
    assert_eq!(browser.run(typed), "At once");
    focus_row(&browser, "field_1");
    browser.keys([F2]);
    browser.until("document.activeElement.id === 'label'");
    focus_row(&browser, "field_2");
    browser.keys([F2]);
    browser.until("location.search === '?field=field_2' && document.activeElement.id === 'label'");
    // The keys are listed, and a link between two rows adds there.
    focus_row(&browser, "field_2");
    browser.keys("?".chars());
    browser.until("document.getElementById('keys').open && document.getElementById('keys').textContent.includes('F2')");
    browser.run("document.getElementById('keys').close()");
    browser.run(
        "document.querySelector('[data-code=field_6]').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))",
    );
    browser.run("document.querySelector('[data-code=field_6] > .outline-add').click()");
    browser.until("document.querySelector('#palette input[name=after]')?.value === 'field_6'");
    // Letters are text where somebody types.
    browser.go(&format!("{}/forms/{}/build?field=field_2", server.base, form.token));
    browser.until("document.getElementById('label') !== null");
    browser.run("const label = document.getElementById('label'); label.focus(); label.value = ''");
    browser.keys("x/jk?".chars());
    browser.until("document.querySelector('[data-save-chip]').textContent.startsWith('Saved ')");
    assert_eq!(browser.run("return document.getElementById('label').value"), "x/jk?");
    browser.run("document.querySelector('.builder-bar a[href$=publish]').click()");
    browser.until("document.querySelector('.changes') !== null");
    browser.run("document.querySelector('form[action$=publish] button').click()");
    browser.until("location.pathname.endsWith('/share')");
    assert_eq!(labels(&owner, &form), ["Your name", "Your e-mail", "x/jk?", "page_break"]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn questions_are_dragged_by_their_handles() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = course(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/build", server.base, form.token));
    browser.until("document.querySelector('.outline[data-live]') !== null");
    let place = |code: &str| -> (f64, f64) {
        let script = format!(
            "const box = document.querySelector('[data-code={code}] .handle').getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]"
        );
        let at = browser.run(&script);
        (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
    };
    let (from, to) = (place("field_1"), place("field_4"));
    browser.drag(&[from, (from.0, from.1 + 20.0), (to.0, to.1 - 5.0), (to.0, to.1 + 8.0)]);
    stands(&browser, &["field_2", "field_3", "field_4", "field_1", "field_5"]);
    browser.go(&format!("{}/forms/{}/build", server.base, form.token));
    stands(&browser, &["field_2", "field_3", "field_4", "field_1", "field_5"]);
}

#[test]
fn two_people_see_one_another_and_both_texts() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = course(&server);
    stranger(&server, BOB);
    let bob = server.token(BOB, "form:read");
    sharing::share(&owner, &form, &bob, "manager");
    let bob = Session::on(&server).signed_in(BOB);
    let build = format!("/forms/{}/build", form.token);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}{build}?field=field_1", server.base));
    browser.until("document.querySelector('.outline[data-live]') !== null");
    let page = bob.get(&format!("{build}?field=field_1")).is(200);
    let state = bob.caller().header("accept", "application/json");
    // Who asks for nothing is soon gone again.
    support::until("Bob is here", || {
        state.get(format!("{build}/state?field=field_1")).is(200);
        browser.run("return document.getElementById('people').textContent.includes('is here')") == json!(true)
    });
    // Another question: its row follows.
    bob.post(&format!("{build}/fields/field_5"), &[("_tag", "0"), ("label", "Remarks?")]).leads();
    browser.until("document.querySelector('[data-code=field_5] .outline-label').textContent === 'Remarks?'");
    // The same one: both texts are shown, and nothing typed is lost.
    assert!(page.text.contains("_tag"));
    bob.post(&format!("{build}/fields/field_1"), &[("_tag", "0"), ("label", "Bob's question")]).leads();
    browser.run("const label = document.getElementById('label'); label.focus(); label.setSelectionRange(99, 99)");
    browser.composed(" and title");
    browser.until("document.body.textContent.includes('Somebody else changed this question')");
    browser.until("document.querySelector('main').textContent.includes(\"Bob's question\")");
    assert_eq!(browser.run("return document.getElementById('label').value"), "Your name and title");
    // Whoever takes the other's text gets it, also right after a key.
    browser.until("document.querySelector('#panel')?.dataset.live === ''");
    browser.run(
        "const label = document.getElementById('label'); label.focus(); label.value += '!';
         label.dispatchEvent(new Event('input', {bubbles: true}));
         document.querySelector('.versions a').click()",
    );
    browser.until("location.search === '?field=field_1' && document.querySelector('#panel')?.dataset.live === ''");
    assert_eq!(browser.run("return document.getElementById('label').value"), "Bob's question");
    browser.go(&format!("{}{build}?field=field_1", server.base));
    browser.until("document.querySelector('#panel')?.dataset.live === ''");
    assert_eq!(browser.run("return document.getElementById('label').value"), "Bob's question");
}

#[test]
fn the_builder_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = course(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    look_at(&browser, "build", &page("build"));
    look_at(&browser, "build-question", &page("build?field=field_2"));
    look_at(&browser, "build-palette", &page("build?add=field_2"));
    look_at(&browser, "publish-nothing", &page("publish"));
    let ada = Session::on(&server);
    ada.sign_in(OWNER, PASSWORD);
    ada.get(&format!("/forms/{}/build", form.token)).is(200);
    ada.post(&format!("/forms/{}/build/fields", form.token), &[("type", "date"), ("after", "field_1")]).leads();
    ada.post(&format!("/forms/{}/build/fields/field_4/remove", form.token), &[]).leads();
    look_at(&browser, "build-faulty", &page("build?field=field_6"));
    look_at(&browser, "publish-faulty", &page("publish"));
    look_at(&browser, "preview", &page("preview"));
    drop(owner);
}

/// A question is added, moved and removed on a phone, without a script.
#[test]
fn a_phone_without_a_script_builds_too() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = course(&server);
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/build", server.base, form.token));
    browser.run("document.querySelector('.builder-bar a[href*=add]').click()");
    browser.until("document.querySelector('.palette-kind[value=number]') !== null");
    browser.run("document.querySelector('.palette-kind[value=number]').click()");
    browser.until("location.search.includes('field_6')");
    browser.run("document.getElementById('label').value = 'How many guests?'");
    for button in [".panel-save", "button[formaction$='field_6/up']"] {
        browser.run(&format!("document.body.dataset.left = ''; document.querySelector(\"{button}\").click()"));
        browser.until(
            "document.body.dataset.left === undefined && document.querySelector('.panel-back').checkVisibility()",
        );
    }
    browser.run("document.querySelector('.panel-back').click()");
    stands(&browser, &["field_1", "field_2", "field_3", "field_4", "field_6", "field_5"]);
    browser.run("document.querySelector('.builder-bar a[href$=publish]').click()");
    browser.until("document.querySelector('.changes') !== null");
    browser.run("document.querySelector('form[action$=publish] button').click()");
    browser.until("location.pathname.endsWith('/share')");
    assert_eq!(labels(&owner, &form)[4], "How many guests?");
}
