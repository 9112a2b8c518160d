//! The pages of a respondent who has answered already: on one the own answers are changed, another says that the form
//! takes one from each. From the thanks to the saved change, with and without a script.

use serde_json::{Value, json};
use support::{Caller, Form, Server};

use crate::driver::steps::{NOTHING, set};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::looks::look_at;

/// The words of the pages in one language.
struct Words {
    locale: &'static str,
    thanks: &'static str,
    change: &'static str,
    changing: &'static str,
    save: &'static str,
    email: &'static str,
    saved: &'static str,
}

const ENGLISH: Words = Words {
    locale: "en",
    thanks: "Thank you",
    change: "Edit your answers",
    changing: "Editing your answers",
    save: "Save changes",
    email: "Enter an email address",
    saved: "Your changes are saved",
};

const CHINESE: Words = Words {
    locale: "zh-CN",
    thanks: "谢谢您",
    change: "修改回答",
    changing: "修改您的回答",
    save: "保存修改",
    email: "请输入电子邮箱地址",
    saved: "修改已保存",
};

/// Questions before a party, on two pages or one question at a time.
fn party(layout: &str, words: &Words) -> Value {
    let (say, at) = (|both: [&'static str; 2], at: usize| both[at], usize::from(words.locale != "en"));
    json!({
        "name": say(["Garden party", "花园聚会"], at), "layout": layout, "locale": words.locale,
        "fields": [
            {"type": "name", "label": say(["Your name", "姓名"], at), "required": true},
            {"type": "email", "label": say(["Your e-mail address", "电子邮箱"], at), "required": true},
            {"type": "radio", "label": say(["What do you bring?", "您带什么来？"], at), "choices": [
                {"api_code": "cake", "label": say(["A cake", "蛋糕"], at)},
                {"api_code": "else", "label": say(["Something else", "其他"], at), "is_other": true}]},
            {"type": "page_break"},
            {"type": "number", "label": say(["How many are you?", "你们几位？"], at), "min": 1},
            {"type": "long_text", "label": say(["Anything else?", "还有什么要说的？"], at)},
            {"type": "short_text", "label": say(["Which table?", "哪一桌？"], at), "hidden": true},
        ]
    })
}

fn allowing(owner: &Caller, body: Value) -> Form {
    let form = owner.form_with(body);
    let options = json!({"allow_edit_after_submission": true});
    set(owner, &form, json!({"submission_options": options}));
    form
}

/// A submission, and the address at which it is changed.
fn submitted(form: &Form, values: &Value) -> String {
    let anon = Server::shared().anon();
    let made = anon.post(form.submissions(), json!({"field_values": values}));
    assert_eq!(made.status, 201, "{made}");
    let data = made.data();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let (entry, right) = (text(&data["entry"]["token"]), text(&data["edit_token"]));
    let base = &Server::shared().base;
    format!("{base}{}/entries/{entry}?edit_token={right}", form.page())
}

fn values() -> Value {
    json!({"field_1": "Ada", "field_2": "ada@example.com", "field_3": {"value": "else", "other_text": "Tea"}, "field_5": 2})
}

fn loaded(browser: &Browser) {
    browser.until("document.readyState === 'complete'");
}

/// The control of that id, or of that name.
fn control(id: &str) -> String {
    let id = json!(id);
    format!("(document.getElementById({id}) ?? document.getElementsByName({id})[0])")
}

fn sees(browser: &Browser, id: &str) -> bool {
    let seen = format!("return {}?.checkVisibility() ?? false", control(id));
    browser.run(&seen) == json!(true)
}

fn value(browser: &Browser, id: &str) -> Value {
    browser.run(&format!("return {}?.value", control(id)))
}

/// Presses the button that leads on, and waits for the next page.
fn forward(browser: &Browser) {
    // A page that is on its way has no number yet.
    let is_done = "location.pathname.endsWith('/done')";
    browser
        .until(&format!("document.readyState === 'complete' && (document.querySelector('[name=_page]') || {is_done})"));
    if browser.run(&format!("return {is_done}")) == json!(true) {
        return;
    }
    browser.run(
        "document.body.dataset.was = document.querySelector('[name=_page]').value;
         for (const field of document.querySelectorAll('.field.wrong')) field.dataset.was = '';
         document.getElementById('forward').focus()",
    );
    browser.keys([ENTER]);
    // A fault of the page before the answer is none of this one.
    browser.until(
        "document.readyState === 'complete'
            && (!document.body.dataset.was || document.querySelector('.field.wrong:not([data-was])')
                || document.querySelector('[name=_page]').value !== document.body.dataset.was)",
    );
}

/// Goes on until a control is there.
fn reach(browser: &Browser, id: &str) {
    for _ in 0..8 {
        if sees(browser, id) {
            return;
        }
        forward(browser);
    }
    panic!("{id} is on no page: {}", browser.text("main"));
}

/// Types into a control in place of its text.
fn put(browser: &Browser, id: &str, text: &str) {
    reach(browser, id);
    browser.run(&format!("const e = {}; e.focus(); e.select()", control(id)));
    browser.keys(text.chars().chain([TAB]));
}

/// Goes on until the form is sent.
fn send(browser: &Browser) {
    browser.until("performance.now() > 2100");
    for _ in 0..8 {
        let at = browser.run("return location.pathname");
        if at.as_str().is_some_and(|path| path.ends_with("/done")) {
            return;
        }
        forward(browser);
    }
    panic!("the form was not sent: {}", browser.text("main"));
}

/// Checks that a page is whole: narrow enough for the smallest phone, and without findings of axe-core.
fn is_whole(browser: &Browser, name: &str, look: Look) {
    browser.shot(&format!("own-{name}"), look);
    let narrow = Look { width: 320, ..look };
    browser.look(narrow);
    let wide = browser.run("return document.documentElement.scrollWidth");
    assert_eq!(wide, json!(320), "{name}");
    browser.look(look);
    assert_eq!(browser.complaints(), NOTHING, "{name}");
    if look.script {
        assert_eq!(browser.axe(), NOTHING, "{name}");
        browser.complaints(); // What axe itself provokes is not the page's.
    }
}

fn journey(look: Look, layout: &str, words: &Words) {
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, party(layout, words));
    let browser = Browser::open(look);
    let name = format!("{layout}-{}-{}{}", words.locale, look.width, if look.script { "" } else { "-plain" });
    browser.go(&format!("{}{}", server.base, form.page()));
    loaded(&browser);
    browser.until("performance.now() > 2100");
    put(&browser, "field_1", "Ada");
    put(&browser, "field_2", "ada@example.com");
    reach(&browser, "field_3.else");
    browser.run("document.getElementById('field_3.else').click()");
    put(&browser, "field_3.else.other_text", "Tea");
    put(&browser, "field_5", "2");
    send(&browser);
    assert!(browser.text("h1").contains(words.thanks), "{}", browser.text("main"));
    is_whole(&browser, &format!("thanks-{name}"), look);

    // From the thanks to the answers as they are stored.
    let link = format!("[...document.querySelectorAll('main a')].find(a => a.textContent === {})", json!(words.change));
    browser.run(&format!("{link}.focus()"));
    browser.keys([ENTER]);
    browser.until("location.pathname.includes('/entries/')");
    loaded(&browser);
    let said = browser.text("main");
    assert!(said.contains(words.changing), "{said}");
    assert_eq!(value(&browser, "field_1"), "Ada");
    assert_eq!(value(&browser, "field_2"), "ada@example.com");
    assert_eq!(browser.run("return document.getElementById('field_3.else').checked"), json!(true));
    assert_eq!(value(&browser, "field_3.else.other_text"), "Tea");
    assert_eq!(value(&browser, "field_5"), "2");
    assert_eq!(browser.run("return document.getElementsByName('field_7').length"), json!(0));
    assert_eq!(browser.run("return Object.keys(localStorage).length"), json!(0));
    is_whole(&browser, &name, look);

    // A fault is shown above and beside, and everything else stays.
    put(&browser, "field_1", "Ada King");
    put(&browser, "field_2", "not an address");
    forward(&browser);
    // On a card of one question the fault stands at the question alone.
    let said = "document.querySelector('#summary') ?? document.querySelector('.field.wrong')";
    browser.until(&format!("({said})?.contains(document.activeElement)"));
    let said = browser.run(&format!("return ({said}).innerText"));
    assert!(said.as_str().is_some_and(|said| said.contains(words.email)), "{}", said);
    let beside = browser.text("[data-field=field_2]");
    assert!(beside.contains(words.email), "{beside}");
    assert_eq!(value(&browser, "field_1"), "Ada King");
    assert_eq!(value(&browser, "field_2"), "not an address");
    assert_eq!(value(&browser, "field_3.else.other_text"), "Tea");
    is_whole(&browser, &format!("faults-{name}"), look);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Ada");

    // Put right, it is saved.
    put(&browser, "field_2", "ada.king@example.com");
    put(&browser, "field_5", "3");
    for _ in 0..8 {
        if browser.run("return document.getElementById('forward').value") == "submit" {
            break;
        }
        forward(&browser);
    }
    assert_eq!(browser.text("#forward"), words.save);
    send(&browser);
    assert!(browser.text("h1").contains(words.saved), "{}", browser.text("main"));
    is_whole(&browser, &format!("saved-{name}"), look);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_1"], "Ada King", "{entry}");
    assert_eq!(entry["field_2"], "ada.king@example.com", "{entry}");
    assert_eq!(entry["field_3"], json!({"value": "else", "other_text": "Tea"}), "{entry}");
    assert_eq!(entry["field_5"], 3, "{entry}");
    assert_eq!(owner.get(form.entries()).data().as_array().map(Vec::len), Some(1));

    // And there it stands, changed.
    browser.run(&format!("{link}.click()"));
    browser.until("location.pathname.includes('/entries/')");
    loaded(&browser);
    assert_eq!(value(&browser, "field_1"), "Ada King");
    assert_eq!(value(&browser, "field_5"), "3");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn answers_are_changed_on_a_phone_with_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::PHONE, "classic", &ENGLISH);
    journey(Look::PHONE, "card", &CHINESE);
}

#[test]
fn answers_are_changed_on_a_phone_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::PHONE.without_script(), "classic", &CHINESE);
    journey(Look::PHONE.without_script(), "card", &ENGLISH);
}

#[test]
fn answers_are_changed_on_a_desk() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK, "classic", &CHINESE);
    journey(Look::DESK.dark(), "card", &ENGLISH);
    journey(Look::DESK.without_script(), "classic", &ENGLISH);
    journey(Look::DESK.without_script(), "card", &CHINESE);
}

#[test]
fn own_pages_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for (words, layout) in [(&ENGLISH, "classic"), (&CHINESE, "card")] {
        let form = allowing(&owner, party(layout, words));
        look_at(&browser, &format!("own-{}", words.locale), &submitted(&form, &values()));
        assert!(browser.text("main").contains(words.changing));
    }
    let mut arabic = crate::forms::arabic();
    arabic["layout"] = json!("card");
    let form = allowing(&owner, arabic);
    let choice = form.body["fields"][3]["choices"][1]["api_code"].clone();
    let given = json!({"field_1": "آدا", "field_2": "ada@example.com", "field_4": {"value": choice}});
    look_at(&browser, "own-rtl", &submitted(&form, &given));
}

#[test]
fn without_the_right_nothing_is_told() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, party("classic", &ENGLISH));
    let address = submitted(&form, &values());
    let browser = Browser::open(Look::PHONE);
    let status = "return performance.getEntriesByType('navigation')[0].responseStatus";
    let (bare, right) = address.split_once("?edit_token=").expect("a right");
    let shorter = format!("{bare}?edit_token={}", &right[..right.len() - 1]);
    for wrong in [bare.to_owned(), shorter, format!("{bare}?edit_token=x")] {
        browser.go(&wrong);
        loaded(&browser);
        assert_eq!(browser.run(status), json!(404));
        assert_eq!(browser.text("h1"), "These answers can’t be found");
        assert!(!browser.text("body").contains("Garden party"));
    }
    look_at(&browser, "own-not-found", &format!("{bare}?edit_token=x"));
    // When it is switched off later, a respondent with the right is told so in the form's own words and looks.
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": false}}));
    look_at(&browser, "own-fixed", &address);
    assert_eq!(browser.run(status), json!(403));
    assert!(browser.text("main").contains("Garden party"));
    assert!(browser.text("h1").contains("can no longer be changed"), "{}", browser.text("main"));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_form_that_closed_meanwhile_keeps_what_was_typed() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for look in [Look::PHONE, Look::DESK.without_script()] {
        let form = allowing(&owner, party("classic", &ENGLISH));
        let address = submitted(&form, &values());
        let browser = Browser::open(look);
        browser.go(&address);
        loaded(&browser);
        put(&browser, "field_1", "Ada King");
        put(&browser, "field_5", "3");
        set(&owner, &form, json!({"availability": {"manually_closed": true}}));
        browser.run("document.getElementById('forward').focus()");
        browser.keys([ENTER]);
        browser.until("document.readyState === 'complete' && !document.getElementById('forward')");
        let status = "return performance.getEntriesByType('navigation')[0].responseStatus";
        assert_eq!(browser.run(status), json!(403));
        let said = browser.text("main");
        assert!(said.contains("This form is closed"), "{said}");
        assert!(said.contains("still below"), "{said}");
        // All of it can be seen: no button leads to the other page.
        for (id, typed) in [("field_1", "Ada King"), ("field_5", "3")] {
            assert!(sees(&browser, id), "{id}");
            assert_eq!(value(&browser, id), typed);
        }
        is_whole(&browser, &format!("closed-{}", look.width), look);
        assert_eq!(owner.get(form.entry(1)).data()["field_1"], "Ada");
        // A visitor who comes now is told before typing.
        browser.go(&address);
        loaded(&browser);
        let said = browser.text("main");
        assert!(said.contains("can’t be changed now"), "{said}");
        is_whole(&browser, &format!("shut-{}", look.width), look);
    }
}

#[test]
fn who_changes_what_another_changed_is_asked() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = allowing(&owner, party("classic", &ENGLISH));
    let browser = Browser::open(Look::PHONE);
    browser.go(&submitted(&form, &values()));
    loaded(&browser);
    put(&browser, "field_1", "Ada King");
    let other = json!({"field_values": {"field_5": 9}});
    assert_eq!(owner.patch(form.entry(1), other).status, 200);
    reach(&browser, "field_5");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.readyState === 'complete' && document.querySelector('.message.warn')");
    let said = browser.text("main");
    assert!(said.contains("have changed"), "{said}");
    is_whole(&browser, "overtaken", Look::PHONE);
    send(&browser);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_5"]), (&json!("Ada King"), &json!(2)));
}

#[test]
fn one_answer_from_each_browser() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for (look, words, title) in
        [(Look::PHONE, &ENGLISH, "You’ve already responded"), (Look::DESK.without_script(), &CHINESE, "您已经填写过了")]
    {
        let form = owner.form_with(party("classic", words));
        set(&owner, &form, json!({"submission_options": {"one_per_respondent": "browser"}}));
        let address = format!("{}{}", server.base, form.page());
        let browser = Browser::open(look);
        let fill = |name: &str| {
            put(&browser, "field_1", name);
            put(&browser, "field_2", "ada@example.com");
            reach(&browser, "field_5");
        };
        browser.go(&address);
        loaded(&browser);
        fill("Ada");
        send(&browser);
        // Nobody is asked to answer once more where that is refused.
        assert_eq!(
            browser.run(&format!(
                "return [...document.querySelectorAll('main a')].filter(a => a.pathname === {}).length",
                json!(form.page())
            )),
            json!(0)
        );
        // The form in its place says so; one that stood open before is refused.
        if look.script {
            look_at(&browser, &format!("answered-{}", words.locale), &address);
        }
        browser.go(&address);
        loaded(&browser);
        is_whole(&browser, &format!("answered-{}-{}", words.locale, look.width), look);
        assert_eq!(browser.text("h1"), title);
        browser.look(look);
        browser.run(
            "const form = document.createElement('form'); form.method = 'post';
             for (const [name, value] of [['field_1', 'Bea'], ['field_2', 'bea@example.com']]) {
                 form.append(Object.assign(document.createElement('input'), {name, value}));
             }
             document.body.append(form); form.submit()",
        );
        let status = "performance.getEntriesByType('navigation')[0].responseStatus";
        browser.until(&format!("document.readyState === 'complete' && {status} === 409"));
        assert_eq!(browser.text("h1"), title);
        is_whole(&browser, &format!("refused-{}-{}", words.locale, look.width), look);
        assert_eq!(owner.get(form.entries()).data().as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn a_form_that_stood_open_twice_is_sent_once() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(party("classic", &ENGLISH));
    set(&owner, &form, json!({"submission_options": {"one_per_respondent": "browser"}}));
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    loaded(&browser);
    put(&browser, "field_1", "Ada");
    put(&browser, "field_2", "ada@example.com");
    reach(&browser, "field_5");
    // As in another window: the same form is sent from there first.
    let sent = browser.wait_for(
        "const done = arguments[1]; const body = new URLSearchParams(arguments[0]);
         fetch(form.action, {method: 'POST', body}).then(answer => done(answer.url))",
        json!([{"field_1": "Bea", "field_2": "bea@example.com"}]),
    );
    assert!(sent.as_str().is_some_and(|url| url.contains("/done?")), "{sent}");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.readyState === 'complete' && !document.getElementById('forward')");
    assert_eq!(browser.text("h1"), "You’ve already responded");
    is_whole(&browser, "refused-twice", Look::PHONE);
    // The answers typed here are nobody's now.
    assert_eq!(
        browser.run("return Object.keys(localStorage).filter(k => k.startsWith('formsvc.form.')).length"),
        json!(0)
    );
    assert_eq!(owner.get(form.entries()).data().as_array().map(Vec::len), Some(1));
}

#[test]
fn in_another_sites_frame_a_form_for_one_answer_leads_out() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(party("classic", &ENGLISH));
    set(&owner, &form, json!({"submission_options": {"one_per_respondent": "browser"}}));
    let browser = Browser::open(Look::PHONE);
    look_at(&browser, "alone", &format!("{}{}?embed=1", server.base, form.page()));
    assert!(browser.text("h1").contains("its own page"), "{}", browser.text("main"));
}
