//! The same week without a pointer: by keys alone, and by keys where no script runs. Each task is counted in presses and
//! in typed texts, without scripts also in pages and posts; and whatever has the focus is seen.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Form, Server, until};

use crate::console::desk::seen_focus::COVERED;
use crate::console::desk::week::{CONTROL, READY, is_closed, party};
use crate::console::people::{OWNER, PASSWORD};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};

const ESCAPE: char = '\u{e00c}';
/// More presses of the Tab key than any page should take.
const MOST_TABS: usize = 70;
/// The element with the focus, also in a frame.
const FOCUSED: &str = "(() => { let own = document.activeElement;
    while (own?.contentDocument) own = own.contentDocument.activeElement;
    return own ?? document.body })()";

/// What somebody did for a task.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    presses: usize,
    texts: usize,
    pages: usize,
    posts: usize,
}

/// Somebody with a keyboard alone.
struct Hands<'b> {
    browser: &'b Browser,
    done: Cell<Steps>,
}

impl<'b> Hands<'b> {
    fn on(browser: &'b Browser) -> Self {
        Self { browser, done: Cell::default() }
    }

    fn count(&self, add: impl FnOnce(&mut Steps)) {
        let mut done = self.done.get();
        add(&mut done);
        self.done.set(done);
    }

    /// What an expression about `own`, the element with the focus, says.
    fn of_focus(&self, expression: &str) -> Value {
        self.browser.run(&format!("const own = {FOCUSED}; return {expression}"))
    }

    /// What has the focus is marked, and nothing covers it; a page may still be moving.
    fn sees_the_focus(&self) {
        let script = format!(
            "const own = {FOCUSED};
             if (own !== own.ownerDocument.body && !own.matches(':focus-visible')) return `${{own.outerHTML.slice(0, 160)}} is not marked`;
             {{ {COVERED} }}"
        );
        let begun = Instant::now();
        loop {
            let found = self.browser.run(&script);
            if found == json!("") {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{found}");
        }
    }

    fn key(&self, key: char) {
        self.count(|done| done.presses += 1);
        self.browser.keys([key]);
    }

    fn chord(&self, keys: [char; 2]) {
        self.count(|done| done.presses += 1);
        self.browser.chord(&keys);
    }

    /// Types over the text that has the focus, or chooses by letters.
    fn types(&self, text: &str) {
        assert_eq!(self.of_focus("own.matches('input, textarea, select')"), json!(true), "{text}");
        self.count(|done| done.texts += 1);
        self.browser.keys(text.chars());
        self.sees_the_focus();
    }

    fn until(&self, expression: &str) {
        self.browser.until(expression);
        self.sees_the_focus();
    }

    /// Goes on by the Tab key until the focus is on one of these.
    fn reach(&self, selector: &str) {
        let is_there = format!("own.matches({})", json!(selector));
        for _ in 0..MOST_TABS {
            if self.of_focus(&is_there) == json!(true) {
                return;
            }
            self.key(TAB);
            self.sees_the_focus();
        }
        panic!("{selector} is out of reach: {}", self.browser.text("main"));
    }

    /// Goes past the head of the site, and past that of a form.
    fn skip(&self) {
        for part in ["main", "work"] {
            self.key(TAB);
            assert_eq!(self.of_focus("own.getAttribute('href')"), json!(format!("#{part}")));
            self.sees_the_focus();
            self.key(ENTER);
        }
    }

    /// Presses what has the focus, which leads to another page.
    fn enter(&self, arrived: &str) {
        let posts = "(own.matches('button, input') && own.form?.getAttribute('method') === 'post')";
        let is_post = self.of_focus(posts) == json!(true);
        self.key(ENTER);
        self.until(&format!("document.readyState === 'complete' && {arrived}"));
        self.count(|done| {
            done.pages += 1;
            done.posts += usize::from(is_post);
        });
    }

    fn reach_and_enter(&self, selector: &str, arrived: &str) {
        self.reach(selector);
        self.enter(arrived);
    }

    /// Goes to something by its name.
    fn go_to(&self, typed: &str, name: &str) {
        self.chord([CONTROL, 'k']);
        self.until("document.getElementById('finder').open");
        self.types(typed);
        self.until(&format!(
            "document.querySelector('#finder-list [aria-selected=true] bdi')?.textContent === {}",
            json!(name)
        ));
        self.key(ENTER);
    }

    /// The task is done: at most so many presses and texts.
    fn ends(&self, way: &str, task: &str, presses: usize, texts: usize) {
        let done = self.done.take();
        eprintln!("{way}, {task}: {done:?}");
        assert!(done.presses <= presses && done.texts <= texts, "{way}, {task}: {done:?}");
    }

    /// The same, and so many pages and posts.
    fn ends_after(&self, task: &str, presses: usize, texts: usize, pages: (usize, usize)) {
        let done = self.done.get();
        self.ends("without scripts", task, presses, texts);
        assert_eq!((done.pages, done.posts), pages, "{task}");
    }
}

/// The lines of the one file in a folder, once it is there.
fn lines(folder: &Path) -> usize {
    let whole = || {
        let files = fs::read_dir(folder).expect("a folder").filter_map(Result::ok).map(|file| file.path());
        files
            .filter(|file| file.extension().is_some_and(|kind| kind == "csv"))
            .find_map(|file| fs::read_to_string(file).ok())
    };
    until("a file", || whole().is_some_and(|text| text.ends_with('\n')));
    whole().expect("a file").lines().count()
}

fn entries(count: &str) -> String {
    format!("document.querySelector('#entries')?.textContent.startsWith('{count}')")
}

fn signs_in(hands: &Hands, server: &Server) {
    hands.browser.go(&format!("{}/sign-in", server.base));
    hands.reach("[name=email]");
    hands.types(OWNER);
    hands.reach("[name=password]");
    hands.types(PASSWORD);
    hands.enter("location.pathname === '/forms'");
}

fn address_of(server: &Server, form: &Form, serial: i64) -> Value {
    server.token(OWNER, "entry:read").get(form.entry(serial)).data()["field_2"].clone()
}

#[test]
fn a_week_by_keys_alone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK);
    let files = tempfile::tempdir().expect("a folder");
    browser.keep_files(files.path());
    let hands = Hands::on(&browser);
    let ends = |task: &str, presses: usize, texts: usize| hands.ends("by keys", task, presses, texts);
    signs_in(&hands, &server);
    ends("sign in", 4, 2);
    let beside = |serial: i64, page: &str| {
        format!(
            "document.querySelector('#beside iframe').contentWindow.location.pathname.endsWith('/entries/{serial}{page}')
             && document.querySelector('#beside iframe').contentDocument.readyState === 'complete'"
        )
    };
    let found = |count: &str, focused: i64| {
        format!("{} && document.activeElement?.textContent === '{focused}' && {READY}", entries(count))
    };

    hands.go_to("summer", "Summer party of the society");
    hands.until(&format!("location.pathname.endsWith('/entries') && {READY}"));
    // Nothing has the focus yet: the key leads to the search all the same.
    hands.key('/');
    hands.types("guest40@");
    hands.key(ENTER);
    hands.until(&found("1 of 60", 40));
    hands.key(ENTER);
    hands.until(&beside(40, ""));
    ends("look somebody up", 5, 2);

    hands.key('e');
    hands.until(&beside(40, "/edit"));
    hands.reach("[name=field_2]");
    hands.types("ines.faber@example.org");
    hands.chord([CONTROL, ENTER]);
    hands.until(&beside(40, ""));
    hands.key(ESCAPE);
    hands.until(&entries("0 of 60"));
    ends("correct an address", 7, 1);
    assert_eq!(address_of(&server, &form, 40), "ines.faber@example.org");

    // Where the list is empty the key is the same, and what was looked for is typed over.
    hands.until("document.readyState === 'complete'");
    hands.key('/');
    hands.types("guest41@");
    hands.key(ENTER);
    hands.until(&found("2 of 60", 61));
    hands.key('#');
    // The row after it has the focus.
    hands.until(&found("1 of 59", 41));
    hands.until("document.querySelector('.message.good')?.textContent.includes('Entry 61 is in the trash')");
    owner.get(form.entry(61)).is(404);
    hands.chord([CONTROL, 'z']);
    hands.until(&found("2 of 60", 61));
    owner.get(form.entry(61)).is(200);
    ends("trash a double registration, and undo", 4, 1);

    hands.go_to("entries", "Entries 60");
    hands.until(&format!("!location.search && {READY}"));
    hands.go_to("filter", "Filter");
    hands.until("document.activeElement.textContent === 'Filter'");
    hands.reach("#add");
    hands.types("Anything");
    hands.until("document.getElementsByName('f[0].operator')[0]?.options.length > 5");
    hands.reach("[name='f[0].operator']");
    hands.types("has an answer");
    hands.until("document.getElementsByName('f[0].operator')[0].value === 'not_null'");
    hands.reach("[data-conditions] ~ button");
    hands.key(ENTER);
    hands.until(&format!("{} && {READY}", entries("15 of 60")));
    hands.go_to("csv", "Export › CSV");
    assert_eq!(lines(files.path()), 16, "a line of headings");
    ends("export a filter", 12, 5);

    hands.go_to("share", "Share");
    hands.until("location.pathname.endsWith('/share') && document.readyState === 'complete'");
    // An act is led to, not done.
    hands.go_to("close", "Close now");
    hands.until("document.activeElement.textContent === 'Close now'");
    assert!(!is_closed(&server, &form));
    hands.key(ENTER);
    hands.until("document.querySelector('main').textContent.includes('Closed by hand')");
    assert!(is_closed(&server, &form));
    ends("close the form", 5, 2);
    assert_eq!(browser.axe(), NOTHING);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_week_without_scripts() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK.without_script());
    let files = tempfile::tempdir().expect("a folder");
    browser.keep_files(files.path());
    let hands = Hands::on(&browser);
    signs_in(&hands, &server);
    hands.ends_after("sign in", 4, 2, (1, 1));
    let entry = |n: i64| format!("document.querySelector('h1')?.textContent === 'Entry {n}'");

    hands.reach_and_enter("tbody th a", "location.pathname.endsWith('/entries')");
    hands.skip();
    hands.reach("#keyword");
    hands.types("guest40@");
    hands.enter(&entries("1 of 60"));
    hands.reach_and_enter("tbody th a", &entry(40));
    hands.ends_after("look somebody up", 62, 1, (3, 0));

    hands.reach_and_enter("a[href*='/40/edit']", "document.querySelector('[name=field_2]')");
    hands.skip();
    hands.reach("[name=field_2]");
    hands.types("ines.faber@example.org");
    hands.enter("document.querySelector('.message.good')?.textContent.includes('Entry 40 is saved')");
    hands.ends_after("correct an address", 29, 1, (2, 1));
    assert_eq!(address_of(&server, &form, 40), "ines.faber@example.org");

    hands.reach_and_enter(".page-back a", &entries("0 of 60"));
    hands.skip();
    hands.reach("#keyword");
    hands.types("guest41@");
    hands.enter(&entries("2 of 60"));
    hands.skip();
    hands.reach(".row-tick[value='61']");
    hands.key(' ');
    hands.reach_and_enter(
        "[name=act][value=trash]",
        "document.querySelector('.message.good')?.textContent.includes('Entry 61 is in the trash')",
    );
    owner.get(form.entry(61)).is(404);
    hands.skip();
    hands.reach_and_enter(".message.good form button", &entries("2 of 60"));
    owner.get(form.entry(61)).is(200);
    hands.ends_after("trash a double registration, and undo", 71, 1, (4, 2));

    hands.reach_and_enter(".view-tabs a", "!location.search");
    hands.skip();
    hands.reach("details:has(#add) > summary");
    hands.key(ENTER);
    hands.reach("#add");
    hands.types("Anything");
    hands.reach_and_enter("details:has(#add) form > button", "document.getElementsByName('f[0].operator')[0]");
    hands.skip();
    hands.reach("[name='f[0].operator']");
    hands.types("has an answer");
    hands.reach_and_enter("details:has(#add) form > button", &entries("15 of 60"));
    hands.skip();
    hands.reach("[popovertarget=export]");
    hands.key(ENTER);
    hands.reach("#export a[href*='format=csv']");
    hands.key(ENTER);
    assert_eq!(lines(files.path()), 16, "a line of headings");
    hands.ends_after("export a filter", 68, 2, (3, 0));

    hands.reach_and_enter(".tabs a[href$='/share']", "location.pathname.endsWith('/share')");
    hands.skip();
    hands.reach_and_enter(
        "form[action$='/share/close'] button",
        "document.querySelector('main').textContent.includes('Closed by hand')",
    );
    assert!(is_closed(&server, &form));
    hands.ends_after("close the form", 76, 0, (2, 1));
    assert_eq!(browser.complaints(), NOTHING);
}
