//! Enter in the lines of a form, the keys of a card before anything has the focus, letters that are composed of several
//! keys, and the focused control under a bar that stays.

use serde_json::{Value, json};
use support::{Server, field};

use crate::driver::steps::{NOTHING, PATIENT, count, load};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::forms;

const CONTROL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';

/// The name of the focused control, or its id.
fn at(browser: &Browser) -> Value {
    browser
        .run("const e = document.activeElement; return e.name && e.name !== '_action' ? e.name : e.id || e.localName")
}

fn long_form() -> Value {
    json!({"name": "Registration", "fields": [
        {"type": "name", "label": "Name"},
        {"type": "address", "label": "Address", "default_country": "GB"},
        {"type": "radio", "label": "Track", "choices": [{"api_code": "a", "label": "Letterpress"}, {"api_code": "b", "label": "Other", "is_other": true}]},
        {"type": "rating", "label": "Food"},
        {"type": "long_text", "label": "Wishes"},
        {"type": "number", "label": "Years"},
        {"type": "page_break"},
        {"type": "email", "label": "Email"},
    ]})
}

#[test]
fn enter_leads_from_line_to_line_and_to_the_button() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(long_form());
    let browser = Browser::open(Look::DESK);
    load(&browser, Server::shared(), &form);
    browser.run("field_1.focus()");
    assert_eq!(browser.run("return field_1.enterKeyHint"), "next");
    let mut way = vec![at(&browser)];
    for _ in 0..12 {
        // A list opens with Enter.
        let is_list = browser.run("return document.activeElement.localName") == "select";
        browser.keys([if is_list { TAB } else { ENTER }]);
        way.push(at(&browser));
        if at(&browser) == "field_5" {
            break;
        }
    }
    let lines = way.iter().filter_map(Value::as_str);
    let lines: Vec<&str> = lines.filter(|name| !name.starts_with("field_2.")).collect();
    assert_eq!(lines, ["field_1", "field_3", "field_4", "field_5"], "{way:?}");
    assert!(way.contains(&json!("field_2.city")), "every line of an address: {way:?}");
    // A text of several lines keeps its Enter.
    browser.keys(['a', ENTER, 'b']);
    assert_eq!(browser.run("return field_5.value"), "a\nb");
    browser.run("field_6.focus()");
    assert_eq!(browser.run("return field_6.enterKeyHint"), "done");
    browser.keys(['3', ENTER]);
    assert_eq!(at(&browser), "forward");
    assert_eq!(browser.run("return document.querySelector('[name=_page]').value"), "0");
    browser.keys([ENTER]);
    browser.until("document.querySelector('[name=_page]').value === '1'");
    browser.run("field_8.focus()");
    browser.keys([ENTER]);
    assert_eq!(at(&browser), "forward");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(count(&owner, &form), 0, "nothing was sent");
    assert_eq!(browser.complaints(), NOTHING);
    // The text of a choice that was made, and of none that was not.
    load(&browser, Server::shared(), &owner.form_with(long_form()));
    browser.run("const a = document.getElementsByName('field_3'); a[0].focus(); a[1].focus()");
    browser.keys([ENTER]);
    assert_eq!(at(&browser), "field_4");
    browser.run("const a = document.getElementsByName('field_3'); a[1].focus(); a[1].click()");
    browser.keys([ENTER]);
    assert_eq!(at(&browser), "field_3.b.other_text");
}

#[test]
fn enter_in_the_only_line_leads_to_the_button() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let browser = Browser::open(Look::PHONE);
    load(&browser, Server::shared(), &form);
    browser.run("field_1.focus()");
    browser.keys("Ada".chars().chain([ENTER]));
    assert_eq!(at(&browser), "forward");
    assert_eq!(count(&owner, &form), 0);
    browser.until(PATIENT);
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(count(&owner, &form), 1);
    // Without a script the browser decides.
    drop(browser);
    let browser = Browser::open(Look::PHONE.without_script());
    load(&browser, Server::shared(), &form);
    browser.until(PATIENT);
    browser.run("field_1.focus()");
    browser.keys("Ada".chars().chain([ENTER]));
    browser.until("location.pathname.endsWith('/done')");
}

/// An Enter that ends a composition: some browsers say so by its key code alone.
fn ends_composition(browser: &Browser, on: &str) -> Value {
    browser.run(&format!(
        "const event = new KeyboardEvent('keydown', {{key: 'Enter', keyCode: 229, bubbles: true, cancelable: true}});
         {on}.dispatchEvent(event); return [event.keyCode, event.defaultPrevented]"
    ))
}

#[test]
fn an_enter_that_ends_a_composition_does_nothing_else() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for layout in ["classic", "card"] {
        let mut body = long_form();
        body["layout"] = json!(layout);
        let form = owner.form_with(body);
        load(&browser, Server::shared(), &form);
        browser.run("field_1.focus()");
        assert_eq!(ends_composition(&browser, "field_1"), json!([229, false]), "{layout}");
        assert_eq!(at(&browser), "field_1", "{layout}");
        browser.keys([ENTER]);
        browser.until("document.activeElement.name?.startsWith('field_2.')");
    }
    // The search in another form waits for the whole letter.
    let people = owner.form(json!([{"type": "name", "label": "Name"}]));
    let made = owner.post(people.entries(), json!({"field_values": {"field_1": "王小明"}}));
    assert_eq!(made.status, 201, "{made}");
    let form = owner.form(json!([{"type": "linked_form", "label": "Who", "form_token": people.token,
        "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}]}]));
    load(&browser, Server::shared(), &form);
    browser.run(
        "window.box = document.querySelector('[role=combobox]'); window.asked = 0; box.focus();
         const fetched = window.fetch; window.fetch = (...all) => { asked += 1; return fetched(...all); };
         box.value = 'wang xiao'; box.dispatchEvent(new InputEvent('input', {bubbles: true, isComposing: true}))",
    );
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(browser.run("return asked"), json!(0));
    assert_eq!(ends_composition(&browser, "box"), json!([229, false]));
    assert_eq!(browser.run("return asked"), json!(0));
    browser.run("box.value = '王小'; box.dispatchEvent(new CompositionEvent('compositionend', {bubbles: true}))");
    browser.until("!document.querySelector('[role=listbox]').hidden && asked === 1");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_first_card_takes_keys_from_the_start() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "Poll", "layout": "card", "fields": [
        {"type": "radio", "label": "Track", "required": true, "choices": [
            {"api_code": "photo", "label": "Photography"}, {"api_code": "press", "label": "Letterpress"}]},
        {"type": "nps", "label": "How likely?"},
        {"type": "phone", "label": "Phone", "default_country": "GB"},
        {"type": "short_text", "label": "Anything else?"},
    ]}));
    let browser = Browser::open(Look::DESK);
    load(&browser, Server::shared(), &form);
    browser.until("document.querySelector('.choice[data-key=B]')");
    // The header is read first: nothing has taken the focus.
    assert_eq!(at(&browser), "body");
    browser.chord(&[CONTROL, 'b']);
    let chosen = "return document.querySelector('[name=field_1]:checked')?.value ?? null";
    assert_eq!(browser.run(chosen), Value::Null, "the browser keeps its keys");
    browser.run("document.querySelector('.site-foot').tabIndex = -1; document.querySelector('.site-foot').append(document.createElement('a')); document.querySelector('.site-foot a').href = '#x'; document.querySelector('.site-foot a').focus()");
    browser.keys(['b']);
    assert_eq!(browser.run(chosen), Value::Null, "a link keeps its keys");
    browser.run("document.activeElement.blur()");
    browser.keys(['b']);
    assert_eq!(browser.run(chosen), "press");
    assert_eq!(at(&browser), "field_1");
    browser.run("document.activeElement.blur()");
    browser.keys([ENTER]);
    browser.until("document.activeElement?.name === 'field_2'");
    browser.keys(['9', ENTER]);
    // A question of two lines: on to the second, then to the next question.
    browser.until("document.activeElement?.name?.startsWith('field_3')");
    browser.run("document.getElementsByName('field_3.number')[0].focus()");
    browser.keys([ENTER]);
    browser.until("document.activeElement?.name === 'field_4'");
    assert_eq!(browser.run("return document.activeElement.enterKeyHint"), "send");
    browser.until(PATIENT);
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(browser.complaints(), NOTHING);
    // Enter on an empty first card reports the missing answer.
    load(&browser, Server::shared(), &form);
    browser.until("document.querySelector('.choice[data-key=B]')");
    browser.keys([ENTER]);
    browser.until("document.querySelector('.field.wrong')");
}

/// The covered corners of the focused control: other things that are found there.
const COVERED: &str = "
    const e = document.activeElement; const box = e.getBoundingClientRect();
    const shown = e.closest('.choice, .point') ?? e;
    const points = [[box.left + 3, box.top + 3], [box.right - 3, box.top + 3], [box.left + 3, Math.min(box.bottom, box.top + 44) - 3]];
    return {name: e.name || e.id || e.localName, over: points.map(([x, y]) => document.elementFromPoint(x, y))
        .filter(found => !found || !(shown.contains(found) || found.contains(e) && !found.closest('.progress, .toast')))
        .map(found => found ? found.outerHTML.slice(0, 100) : 'outside')}";

#[test]
fn the_bar_of_progress_covers_nothing_that_has_the_focus() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let mut body = forms::workshop();
    if let Some(fields) = body["fields"].as_array_mut() {
        fields.retain(|field| field["type"] != "page_break");
    }
    let form = owner.form_with(body);
    let done = owner.patch(format!("{}/settings", form.path()), json!({"submission_options": {"show_progress": true}}));
    assert_eq!(done.status, 200, "{done}");
    let small = |width, height| Look { width, height, ..Look::DESK };
    let browser = Browser::open(Look::DESK);
    // A window of 1280 × 1024 at 400 %, 200 % and 100 %, and a phone.
    for look in [small(320, 256), small(640, 512), Look::DESK, Look::PHONE] {
        browser.look(look);
        load(&browser, Server::shared(), &form);
        browser.run("document.getElementById('forward').focus()");
        let mut reached = 0;
        for _ in 0..60 {
            browser.chord(&[SHIFT, TAB]);
            if browser.run("return document.activeElement.matches('.skip, body')") == json!(true) {
                break;
            }
            let seen = browser.run(COVERED);
            assert_eq!(seen["over"], json!([]), "{} × {}: {seen}", look.width, look.height);
            reached += 1;
        }
        assert!(reached > 10, "{reached}");
        // The links of the summary, from the end of the page.
        browser.run("document.getElementById('forward').click()");
        browser.until("document.activeElement?.id === 'summary'");
        let links = browser.run("return document.querySelectorAll('#summary a').length");
        for link in 0..links.as_u64().expect("a count") {
            browser.run(&format!(
                "scrollTo(0, document.body.scrollHeight); document.querySelectorAll('#summary a')[{link}].click()"
            ));
            browser.until("document.activeElement.closest('.field.wrong')");
            let seen = browser.run(COVERED);
            assert_eq!(seen["over"], json!([]), "{} × {}: {seen}", look.width, look.height);
        }
        let stays = browser.run("return getComputedStyle(document.querySelector('.progress')).position");
        let is_tall = look.height > 512;
        assert_eq!(stays == json!("sticky"), is_tall, "{}", look.height);
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_key_that_is_held_sends_nothing() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let line = |label: &str| field("short_text", json!({"label": label}));
    for layout in ["classic", "card"] {
        let fields = json!([line("One"), line("Two"), line("Three")]);
        let form = owner.form_with(json!({"name": "Three lines", "layout": layout, "fields": fields}));
        let browser = Browser::open(Look::DESK);
        load(&browser, Server::shared(), &form);
        browser.until(PATIENT);
        browser.run("field_1.focus()");
        browser.keys("Ada".chars());
        browser.hold_enter(30);
        // Requests to the server meanwhile have their answers.
        browser.run("return new Promise(done => setTimeout(() => done(null), 500))");
        browser.until("!document.getElementById('forward').ariaBusy");
        assert_eq!(count(&owner, &form), 0, "{layout}");
        assert_eq!(browser.run("return location.pathname.endsWith('/done')"), json!(false), "{layout}");
    }
}
