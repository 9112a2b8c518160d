//! The first hour: from the set-up link to a published form of ten questions and its first answer, by keys alone, by
//! touch on a phone, and without scripts. The test counts what somebody does on the way.

use std::time::Instant;

use serde_json::json;
use support::Server;

use crate::console::people::{OWNER, PASSWORD};
use crate::driver::steps::PATIENT;
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
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
