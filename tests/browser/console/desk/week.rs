//! A week with the list of a party: people are looked up at the door, an address is corrected, a double registration is
//! deleted, the list is exported, and on Friday the form closes. Each task is counted in presses and in typed texts.

use std::cell::Cell;

use serde_json::json;
use support::{Caller, Form, Server};

use crate::console::entries::registration;
use crate::console::people::{OWNER, PASSWORD};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};

pub(super) const CONTROL: char = '\u{e009}';

/// One task, step by step.
struct Task<'b> {
    browser: &'b Browser,
    name: &'static str,
    most: usize,
    steps: Cell<usize>,
}

impl<'b> Task<'b> {
    /// A task of at most so many steps.
    fn new(browser: &'b Browser, name: &'static str, most: usize) -> Self {
        Self { browser, name, most, steps: Cell::new(0) }
    }

    fn step(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    /// Presses the element of this selector, as a person does: it is seen, and nothing covers it.
    fn press(&self, selector: &str) {
        self.step();
        let script = format!(
            "const e = [...document.querySelectorAll({})].find(it => it.checkVisibility());
             e.scrollIntoView({{block: 'center'}}); e.focus(); e.click(); return true",
            json!(selector)
        );
        self.browser
            .until(&format!("[...document.querySelectorAll({})].some(it => it.checkVisibility())", json!(selector)));
        self.browser.run(&script);
    }

    /// Presses the button with these words.
    fn press_words(&self, words: &str) {
        self.step();
        let found = format!(
            "[...document.querySelectorAll('main :is(a, button, summary, label)')].find(it => it.checkVisibility() && it.textContent.trim().startsWith({}))",
            json!(words)
        );
        self.browser.until(&format!("Boolean({found})"));
        self.browser.run(&format!("{found}.click()"));
    }

    /// Types into a control, in place of its text.
    fn types(&self, selector: &str, text: &str) {
        self.step();
        self.browser.until(&format!("document.querySelector({})", json!(selector)));
        self.browser.run(&format!("const e = document.querySelector({}); e.focus(); e.select()", json!(selector)));
        self.browser.keys(text.chars());
    }

    fn key(&self, key: char) {
        self.step();
        self.browser.keys([key]);
    }

    fn until(&self, expression: &str) {
        self.browser.until(expression);
    }

    fn ends(self) {
        let steps = self.steps.get();
        eprintln!("{}: {steps} steps", self.name);
        assert!(steps <= self.most, "{}: {steps} steps", self.name);
    }
}

pub(super) const READY: &str = "document.querySelector('tbody [tabindex=\"0\"]') && document.readyState === 'complete'";

pub(super) fn party(server: &Server) -> (Caller, Form) {
    let form = registration(server);
    let owner = server.token(OWNER, "form:read entry:read entry:write");
    // Somebody has registered a second time.
    let again = json!({"field_values": {"field_1": "Ines Faber", "field_2": "guest41@example.org", "field_4": 2}});
    owner.post(form.entries(), again).is(201);
    (owner, form)
}

fn signs_in(browser: &Browser, server: &Server, most: usize) {
    browser.go(&format!("{}/sign-in", server.base));
    let task = Task::new(browser, "sign in", most);
    task.types("[name=email]", OWNER);
    task.types("[name=password]", PASSWORD);
    task.key(ENTER);
    task.until("location.pathname === '/forms' && document.readyState === 'complete'");
    task.ends();
}

/// The lines of the file that the link of the export leads to.
fn exported(browser: &Browser) -> usize {
    let script = "const [done] = [arguments[arguments.length - 1]];
        const link = document.querySelector('#export a[href*=\"format=csv\"]');
        fetch(link.href).then(answer => answer.text()).then(text => done(text.trim().split('\\n').length))";
    browser.wait_for(script, json!([])).as_u64().expect("a number") as usize
}

pub(super) fn is_closed(server: &Server, form: &Form) -> bool {
    server.anon().get(form.page()).text.contains("This form is closed")
}

/// The end of the week, which is the same on both: the export for the treasurer, and the form closed.
fn exports_and_closes(browser: &Browser, server: &Server, form: &Form) {
    let task = Task::new(browser, "export a filter", 7);
    task.press(".view-tabs a");
    task.until(&format!("!location.search && {READY}"));
    task.press_words("Filter");
    task.step();
    browser.run("const e = document.getElementById('add'); e.value = 'field_7'; e.dispatchEvent(new Event('change', {bubbles: true}))");
    task.until("document.getElementsByName('f[0].operator')[0]?.options.length > 5");
    task.step();
    browser.run("const e = document.getElementsByName('f[0].operator')[0]; e.value = 'not_null'; e.dispatchEvent(new Event('change', {bubbles: true}))");
    task.press_words("Apply");
    task.until("document.querySelector('#entries')?.textContent.startsWith('15 of 60')");
    task.press("[popovertarget=export]");
    task.press("#export a[href*='format=csv']");
    assert_eq!(exported(browser), 16, "a line of headings");
    task.ends();
    let task = Task::new(browser, "close the form", 2);
    task.press(".tabs a[href$='/share']");
    task.press_words("Close now");
    task.until("document.querySelector('main').textContent.includes('Closed by hand')");
    assert!(is_closed(server, form));
    task.ends();
    assert_eq!(browser.axe(), NOTHING);
}

#[test]
fn a_week_at_the_desk() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK);
    signs_in(&browser, &server, 3);
    let shows = |serial: i64, page: &str| {
        format!(
            "document.querySelector('#beside iframe').contentWindow.location.pathname.endsWith('/entries/{serial}{page}')
             && document.querySelector('#beside iframe').contentDocument.readyState === 'complete'"
        )
    };
    // The first row of the results has the focus: Enter opens it.
    let task = Task::new(&browser, "look somebody up", 4);
    task.press("tbody th a");
    task.until(&format!("location.pathname.endsWith('/entries') && {READY}"));
    task.types("#keyword", "guest40@");
    task.key(ENTER);
    task.until("location.search.includes('keyword=') && document.activeElement?.textContent === '40'");
    task.key(ENTER);
    task.until(&shows(40, ""));
    task.ends();
    let task = Task::new(&browser, "correct an address", 4);
    browser.run("document.querySelector('tbody th a').focus()");
    task.key('e');
    task.until(&shows(40, "/edit"));
    browser.frame(Some(0));
    task.types("[name=field_2]", "ines.faber@example.org");
    task.step();
    browser.chord(&[CONTROL, ENTER]);
    task.until("document.querySelector('.message.good')?.textContent.includes('Entry 40 is saved')");
    browser.frame(None);
    task.press("#beside [data-close]");
    // Closed, the table is loaded again: with its new address the entry is not found by the old one.
    task.until("document.querySelector('#entries')?.textContent.startsWith('0 of 60')");
    task.ends();
    assert_eq!(owner.get(form.entry(40)).data()["field_2"], "ines.faber@example.org");
    let task = Task::new(&browser, "trash a double registration, and undo", 4);
    task.until("document.querySelector('#keyword')");
    task.types("#keyword", "guest41@");
    task.key(ENTER);
    task.until("document.querySelector('#entries')?.textContent.startsWith('2 of 60') && document.activeElement?.textContent === '61'");
    task.key('#');
    task.until("document.querySelector('.message.good')?.textContent.includes('Entry 61 is in the trash')");
    owner.get(form.entry(61)).is(404);
    task.press(".message.good form button");
    task.until("document.querySelector('#entries')?.textContent.startsWith('2 of 60')");
    owner.get(form.entry(61)).is(200);
    task.ends();
    exports_and_closes(&browser, &server, &form);
}

#[test]
fn a_week_on_a_phone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look { width: 390, height: 844, ..Look::PHONE });
    signs_in(&browser, &server, 3);
    let entry = |n: i64| format!("document.querySelector('h1')?.textContent === 'Entry {n}'");
    let task = Task::new(&browser, "look somebody up", 4);
    task.press("tbody th a");
    task.until(&format!("location.pathname.endsWith('/entries') && {READY}"));
    task.types("#keyword", "guest40@");
    task.press(".search button");
    task.until(&format!("document.querySelector('#entries')?.textContent.startsWith('1 of 60') && {READY}"));
    task.press("tbody th a");
    task.until(&entry(40));
    task.ends();
    let task = Task::new(&browser, "correct an address", 3);
    task.press("a[href*='/40/edit']");
    task.until("document.querySelector('[name=field_2]') && document.readyState === 'complete'");
    task.types("[name=field_2]", "ines.faber@example.org");
    task.press("#forward");
    task.until("document.querySelector('.message.good')?.textContent.includes('Entry 40 is saved')");
    task.ends();
    assert_eq!(owner.get(form.entry(40)).data()["field_2"], "ines.faber@example.org");
    let task = Task::new(&browser, "trash a double registration, and undo", 7);
    task.press(".page-back a");
    task.until("location.pathname.endsWith('/entries')");
    task.types("#keyword", "guest41@");
    task.press(".search button");
    task.until(&format!("document.querySelector('#entries')?.textContent.startsWith('2 of 60') && {READY}"));
    task.press("tbody th a");
    task.until(&entry(61));
    task.press("[popovertarget=entry-more]");
    task.press("form[action*='/61/trash'] button");
    task.until("document.querySelector('.message.good')?.textContent.includes('Entry 61 is in the trash')");
    task.press(".message.good form button");
    task.until("document.querySelector('#entries')?.textContent.startsWith('2 of 60')");
    owner.get(form.entry(61)).is(200);
    task.ends();
    exports_and_closes(&browser, &server, &form);
}
