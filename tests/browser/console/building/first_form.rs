//! The first hour: from the set-up link to a published form of ten questions and its first answer, by keys alone, by
//! touch on a phone, and without scripts. The test counts what somebody does on the way.

use std::time::Instant;

use serde_json::json;
use support::Server;

use crate::console::people::{OWNER, PASSWORD, account, sign_in};
use crate::driver::steps::PATIENT;
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
const ESCAPE: char = '\u{e00c}';
/// Ten questions, as somebody types them.
const LIST: &str = "Your name *\nEmail *\nPhone\nDate of birth\nHow many people will come?\nWhich day?\n\
    Rate last year 1-5\nYour website\nAnything else?\nWhat shall we bring?";
/// More presses of the Tab key than any page should take.
const MOST_TABS: usize = 60;
/// The pages from the link to the receipt, both included.
const PAGES: usize = 9;

#[derive(Clone, Copy, PartialEq)]
enum By {
    Keys,
    Touch,
    /// Presses without scripts of the page.
    Plain,
}

struct Way {
    by: By,
    browser: Browser,
    /// Presses of Tab and Enter, or taps.
    presses: usize,
    /// Texts that were typed.
    texts: usize,
    pages: usize,
}

impl Way {
    /// Goes to what a selector finds, as this way does.
    fn reach(&mut self, selector: &str) {
        match self.by {
            By::Keys => {
                let is_there = format!("return document.activeElement.matches({})", json!(selector));
                for _ in 0..MOST_TABS {
                    if self.browser.run(&is_there) == json!(true) {
                        return;
                    }
                    self.browser.keys([TAB]);
                    self.presses += 1;
                }
                panic!("{selector} is out of reach: {}", self.browser.text("main"));
            }
            By::Touch => {
                self.browser.tap(selector);
                self.presses += 1;
            }
            By::Plain => {
                self.browser.run(&format!("document.querySelector({}).focus()", json!(selector)));
                self.presses += 1;
            }
        }
    }

    fn type_into(&mut self, selector: &str, text: &str) {
        self.reach(selector);
        // A touch needs a moment to become the focus.
        self.browser.until(&format!("document.activeElement.matches({})", json!(selector)));
        self.browser.keys(text.chars().map(|c| if c == '\n' { ENTER } else { c }));
        self.texts += 1;
    }

    /// Presses a button or a link, and waits for the page that it leads to.
    fn press(&mut self, selector: &str, arrived: &str) {
        match self.by {
            By::Plain => {
                self.browser.run(&format!("document.querySelector({}).click()", json!(selector)));
                self.presses += 1;
            }
            By::Touch => self.reach(selector),
            By::Keys => {
                self.reach(selector);
                self.browser.keys([ENTER]);
                self.presses += 1;
            }
        }
        self.arrive(arrived);
    }

    fn arrive(&mut self, arrived: &str) {
        self.browser.until(&format!("document.readyState === 'complete' && {arrived}"));
        self.pages += 1;
    }
}

#[test]
fn the_first_answer_is_near_by_keys_by_touch_and_without_scripts() {
    if !Browser::is_installed() {
        return;
    }
    for (by, look) in [(By::Keys, Look::DESK), (By::Touch, PHONE), (By::Plain, PHONE.without_script())] {
        let server = Server::alone("it has no account yet");
        let began = Instant::now();
        let mut way = Way { by, browser: Browser::open(look), presses: 0, texts: 0, pages: 0 };
        way.browser.go(server.setup_link.as_deref().expect("a link"));
        way.arrive("document.getElementById('email')");
        for (name, text) in
            [("name", "Ada Lovelace"), ("organization", "The Society"), ("email", OWNER), ("password", PASSWORD)]
        {
            way.type_into(&format!("main [name={name}]"), text);
        }
        way.press("main form button[type=submit]", "location.pathname === '/welcome'");
        let token = way.browser.text("#token");
        way.press("main a[href$='/forms/new']", "location.pathname === '/forms/new'");
        way.type_into("#list", LIST);
        way.press("[aria-labelledby=from-list] button", "document.querySelectorAll('.paste-label').length === 10");
        way.type_into("main [name=name]", "Summer party");
        // Enter in the name is the button.
        match by {
            By::Keys => {
                way.browser.keys([ENTER]);
                way.presses += 1;
                way.arrive("location.pathname.endsWith('/build')");
            }
            By::Touch | By::Plain => {
                way.press("[aria-labelledby=questions] .row > button", "location.pathname.endsWith('/build')");
            }
        }
        assert_eq!(way.browser.run("return document.querySelectorAll('.outline-row').length"), 10);
        way.press(".builder-bar a[href$=publish]", "location.pathname.endsWith('/publish')");
        way.press("form[action$=publish] button.button", "location.pathname.endsWith('/share')");
        way.press("main a.button[href*='/f/']", "location.pathname.startsWith('/f/')");
        way.type_into("#field_1", "Grace Hopper");
        way.type_into("#field_2", "grace@example.org");
        way.browser.until(PATIENT);
        way.press("#forward", "!document.getElementById('forward') && location.pathname.includes('/f/')");
        let seconds = began.elapsed().as_secs_f64();
        let owner = server.anon().with_token(&token);
        let forms = owner.get("/api/v1/forms").is(200).json();
        assert_eq!(forms["data"][0]["entries_count"], 1, "{forms}");
        let kind = match by {
            By::Keys => "keys",
            By::Touch => "touch",
            By::Plain => "no scripts",
        };
        eprintln!("{kind}: {} pages, {} presses, {} texts, {seconds:.0} s", way.pages, way.presses, way.texts);
        assert_eq!(way.pages, PAGES, "{kind}");
        let most = if by == By::Keys { 140 } else { 20 };
        assert!(way.presses <= most, "{kind}: {} presses", way.presses);
        assert_eq!(way.browser.complaints(), Vec::<String>::new(), "{kind}");
    }
}

/// Ten questions, added one by one: a word that finds the kind, and what is asked.
const BY_HAND: [(&str, &str); 10] = [
    ("/short", "Your name"),
    ("email", "Your email"),
    ("phone", "Phone"),
    ("date", "Date of birth"),
    ("single", "Which group?"),
    ("dropdown", "Shirt size"),
    ("multiple", "What do you eat?"),
    ("number", "How many nights?"),
    ("long", "Anything else?"),
    ("file", "A photo"),
];

#[test]
fn ten_questions_are_added_without_leaving_the_keys() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let form = owner.form_with(json!({"name": "Camp", "published": false, "fields": []}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/build", server.base, form.token));
    for (at, (kind, label)) in BY_HAND.iter().enumerate() {
        if at > 0 {
            browser.keys(['/']);
        }
        browser.until("document.activeElement.type === 'search'");
        browser.keys(kind.chars());
        browser.keys([ENTER]);
        let code = format!("field_{}", at + 1);
        browser.until(&format!("location.search === '?field={code}' && document.activeElement.id === 'label'"));
        let marks = "document.querySelectorAll('.outline-fault').length";
        browser.until(&format!("{marks} === 1"));
        browser.keys(label.chars());
        // Enter ends the text: the list has the keys, and nothing is left to complete.
        browser.keys([ENTER]);
        browser.until(&format!("document.activeElement.closest('.outline-row')?.dataset.code === '{code}'"));
        browser.until(&format!("{marks} === 0 && !document.querySelector('.untitled')"));
    }
    let labels = browser.run("return [...document.querySelectorAll('.outline-label')].map((it) => it.textContent)");
    assert_eq!(labels, json!(BY_HAND.map(|(_, label)| label)));
    // Escape leaves any property for the list.
    browser.run("document.getElementById('label').focus()");
    browser.keys([ESCAPE]);
    browser.until("document.activeElement.closest('.outline-row')?.dataset.code === 'field_10'");
    // Nothing promises to save itself where a button saves.
    let chip = "document.querySelector('.save-state').checkVisibility()";
    assert_eq!(browser.run(&format!("return {chip}")), true);
    let plain = Browser::open(PHONE.without_script());
    sign_in(&plain, &server);
    plain.go(&format!("{}/forms/{}/build?field=field_1", server.base, form.token));
    plain.until("document.querySelector('.panel-save')?.checkVisibility()");
    assert_eq!(plain.run(&format!("return {chip}")), false);
}
