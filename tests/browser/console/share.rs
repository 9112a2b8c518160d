//! The page that gives a form's address on, in every light: closing and opening without a script, the poster on paper, and
//! pages of other sites that embed the form.

use regex::bytes::Regex;
use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, PATIENT, click, press_button, set};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::{host, look_at};

const ALL: &str = "form:read form:write entry:read entry:write";

fn party(server: &Server) -> (Caller, Form) {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, ALL);
    let fields = json!([field("name", json!({"label": "Your name", "required": true}))]);
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": fields}));
    (owner, form)
}

fn page(server: &Server, form: &Form) -> String {
    format!("{}/forms/{}/share", server.base, form.token)
}

#[test]
fn sharing_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let address = page(&server, &form);
    let schedule = json!({"start_at": "2090-05-01T16:00:00Z", "end_at": "2090-05-03T16:00:00Z"});
    look_at(&browser, "share", &address);
    look_at(&browser, "share-poster", &format!("{}/forms/{}/poster", server.base, form.token));
    account(&server, "bob@analytical-society.example.com", "Bob Wolfeschlegelsteinhausenbergerdorff");
    let shared = format!("{}/collaborators/bob@analytical-society.example.com", form.path());
    owner.put(shared, json!({"role": "editor"})).is(200);
    set(
        &owner,
        &form,
        json!({"availability": {"schedule": schedule, "entries_limit": 100}, "access_control": {"access_password": "sesame"},
            "submission_options": {"one_per_respondent": "browser"}}),
    );
    look_at(&browser, "share-later", &address);
    // The faults of all fields, above and beside.
    for (look, name) in [(Look::PHONE, "share-faults-360"), (Look::DESK, "share-faults-1280")] {
        browser.look(look);
        browser.go(&address);
        browser.run(
            "document.querySelector('details').open = true;
             document.getElementsByName('availability.schedule.end_at')[0].value = '2090-04-01T10:00';
             document.getElementsByName('availability.entries_limit')[0].value = '1'",
        );
        click(&browser, "form[action$='/share/availability'] button");
        browser.until("document.activeElement.id === 'summary'");
        browser.shot(name, look);
        let told = browser.run("return document.querySelectorAll('#summary a').length");
        assert_eq!(told, json!(2), "{}", browser.text("#summary"));
        assert_eq!(browser.axe(), NOTHING);
        browser.complaints();
        let typed =
            "return ['end_at', 'limit'].map(end => document.querySelector(`main [name^=avail][name$=${end}]`).value)";
        assert_eq!(browser.run(typed), json!(["2090-04-01T10:00", "1"]));
    }
    owner.patch(form.path(), json!({"published": false})).is(200);
    look_at(&browser, "share-unpublished", &address);
    look_at(&browser, "share-published", &format!("{address}?done=saved"));
}

/// On a phone without a script: the respondents' page follows at once.
#[test]
fn a_form_is_closed_and_the_closing_is_undone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = party(&server);
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    let send = || server.anon().post_form(form.page(), &[("field_1", "Ines")]);
    browser.go(&page(&server, &form));
    press_button(&browser, "Close now");
    browser.until("document.querySelector('.message.good')?.textContent.includes('The form is closed')");
    assert!(browser.text(".standing").contains("Closed by hand"), "{}", browser.text("main"));
    browser.shot("share-closed-360", Look::PHONE);
    // A respondent who was filling it in is told.
    send().is(403).has(["This form is closed"]);
    press_button(&browser, "Undo");
    browser.until("document.querySelector('.message.good')?.textContent.includes('The form is open')");
    assert!(browser.text(".standing").contains("Open – 0 entries so far"));
    send().is(303);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_link_is_copied_by_a_key_and_the_poster_is_one_sheet() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&page(&server, &form));
    browser.until("document.querySelector('[data-copy=link]').checkVisibility()");
    browser.run(
        "window.copied = []; Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => copied.push(text)}});
         document.querySelector('#link').focus()",
    );
    // Not while the focus is in a line of text.
    browser.keys(['c']);
    browser.run("document.querySelector('[data-copy=link]').focus()");
    browser.keys(['c']);
    browser.until("document.querySelector('[data-copy=link]').textContent === 'Copied'");
    assert_eq!(browser.run("return copied"), json!([format!("{}{}", server.base, form.page())]));

    let sheets = |name: &str| {
        owner.patch(form.path(), json!({"name": name})).is(200);
        browser.go(&format!("{}/forms/{}/poster", server.base, form.token));
        browser.until("document.readyState === 'complete'");
        let pdf = browser.pdf();
        Regex::new(r"/Type\s*/Page\b").expect("a pattern").find_iter(&pdf).count()
    };
    assert_eq!(sheets("Summer party"), 1);
    assert_eq!(sheets(&"Donaudampfschifffahrtsgesellschaft ".repeat(5)), 1);
    browser.print();
    browser.shot("share-poster-print", Look::DESK);
    let seen =
        "[...document.querySelectorAll('header, button, .toolbar, footer')].filter(e => e.checkVisibility()).length";
    assert_eq!(browser.run(&format!("return {seen}")), json!(0), "the sheet alone is on paper");
}

/// The snippet of the page, in a page of another origin.
#[test]
fn an_embedded_form_grows_and_its_script_hears_its_own_frames_alone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let fields: Vec<Value> = (0..30).map(|_| field("short_text", json!({"label": "One more question"}))).collect();
    let long = owner.form_with(json!({"name": "Census", "fields": fields}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let snippets = [&form, &long].map(|form| {
        browser.go(&page(&server, form));
        browser.until("document.querySelector('#embed-growing')");
        let snippet = browser.run("return document.querySelector('#embed-growing').textContent");
        snippet.as_str().expect("a snippet").to_owned()
    });
    // Another site's frame and the page itself tell heights too.
    let loud = "<!doctype html><title>Ad</title><script>parent.postMessage({height: 7777}, '*')</script>";
    let ad = host(loud);
    browser.go(&host(
        &format!(
            "<!doctype html><meta name=viewport content='width=device-width'><title>Host</title>\
             <script>let told = 0; addEventListener('message', event => {{ if (event.data.height === 7777) told += 1; }}); \
             postMessage({{height: 7777}})</script>{}<p>Between</p>{}\
             <iframe id=ad src='{ad}' height=100></iframe>",
            snippets[0], snippets[1]
        ),
    ));
    browser.until("told === 2");
    let height = |at: usize| {
        browser.frame(Some(at));
        let height = browser.run("return Math.ceil(document.body.getBoundingClientRect().height)");
        browser.frame(None);
        height.as_u64().expect("a height")
    };
    let grown = |at: usize| {
        let mut page = 0;
        support::until("the frame is as high as its page", || {
            page = height(at);
            browser.run(&format!("return document.querySelectorAll('iframe')[{at}].offsetHeight")) == json!(page)
        });
        page
    };
    browser.until("[...document.querySelectorAll('iframe')].every(frame => ![640, 641].includes(frame.offsetHeight))");
    let (short, long) = (grown(0), grown(1));
    assert!(long > 2000 && short < 640 && short > 100, "{short} {long}");
    browser.shot("embedded-two-1280", Look::DESK);
    // The page with the fault is higher than the one before.
    browser.frame(Some(0));
    browser.until(PATIENT);
    click(&browser, "#forward");
    browser.until("document.querySelector('.fault')?.checkVisibility()");
    browser.frame(None);
    browser.until(&format!("document.querySelectorAll('iframe')[0].offsetHeight > {short}"));
    assert!(grown(0) > short);
    assert_eq!(grown(1), long);
    // A late height of a stranger changes nothing either.
    browser.run("postMessage({height: 7777})");
    browser.until("told === 3");
    assert_eq!(browser.run("return ad.offsetHeight"), json!(104), "its frame is as it was");
    assert_eq!([grown(0) > short, grown(1) == long], [true, true]);
    assert_eq!(browser.complaints(), NOTHING);
}
