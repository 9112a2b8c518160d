//! Pages stay as they are: nothing moves by itself while they load, nor when others do something; where somebody wants no
//! motion nothing moves at all; and the way back and forth shows a page as it was left.

use serde_json::{Value, json};
use support::{Server, session, sharing};

use crate::console::desk::every_page;
use crate::console::desk::week::READY;
use crate::console::entries::registration;
use crate::console::people::{OWNER, sign_in};
use crate::driver::steps::{NOTHING, click};
use crate::driver::webdriver::{Browser, Look};

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
const BOB: &str = "bob@example.org";

#[test]
fn pages_of_a_form_do_not_move_while_they_load() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let mut pages = every_page(&server);
    pages.push(format!("{}?open=60", pages[0]));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let look_at = |look: Look, page: &str| {
        browser.look(look);
        browser.go(&format!("{}{page}", server.base));
        browser.until("document.readyState === 'complete'");
        let moved = browser.shifted();
        assert!(moved < 0.001, "{page} {}: {moved} {}", look.width, browser.shifts());
    };
    for look in [Look::DESK, PHONE] {
        pages.iter().for_each(|page| look_at(look, page));
    }
    // Their stylesheets are there before them now, and they come bit by bit.
    browser.mobile_network();
    let shapes = ["/entries", "/build", "/rules", "/report", "/history", "/trash"];
    let shapes = pages.iter().filter(|page| shapes.iter().any(|shape| page.ends_with(shape)));
    shapes.for_each(|page| look_at(Look::DESK, page));
    assert_eq!(browser.complaints(), NOTHING);
}

/// What others do is told where nothing has to make room for it.
#[test]
fn news_of_others_move_nothing() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    session::account(&server, BOB);
    let owner = server.token(OWNER, "form:read form:write entry:write");
    let bob = server.token(BOB, "form:read");
    sharing::share(&owner, &form, &bob, "manager");
    let bob = session::Session::on(&server).signed_in(BOB).caller().header("accept", "application/json");
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    for look in [Look::DESK, PHONE] {
        browser.look(look);
        browser.go(&page("entries"));
        browser.until(READY);
        owner.post(form.entries(), json!({"field_values": {"field_1": "Somebody"}})).is(201);
        browser.until("document.getElementById('new-entries').checkVisibility()");
        let moved = browser.shifted();
        assert!(moved < 0.001, "{}: {moved} {}", look.width, browser.shifts());
        assert_eq!(browser.axe(), NOTHING);
        browser.complaints();
        browser.shot(&format!("entries-news-{}", look.width), look);
        let within = "const box = document.getElementById('new-entries').getBoundingClientRect();
                      const link = document.querySelector('#new-entries a').getBoundingClientRect();
                      const at = document.elementFromPoint(link.x + link.width / 2, link.y + link.height / 2);
                      return [box.left >= 0, box.right <= innerWidth, Boolean(at.closest('#new-entries'))]";
        assert_eq!(browser.run(within), json!([true, true, true]), "{}", look.width);
        browser.go(&page("build"));
        browser.until("document.querySelector('.outline[data-live]') !== null");
        // Who asks for nothing is soon gone again.
        support::until("Bob is here", || {
            bob.get(format!("/forms/{}/build/state?since=0&field=field_2", form.token)).is(200);
            browser.text("#people").contains("Ann")
        });
        let moved = browser.shifted();
        assert!(moved < 0.001, "{}: {moved} {}", look.width, browser.shifts());
        assert_eq!(browser.axe(), NOTHING);
        browser.complaints();
        browser.shot(&format!("build-people-{}", look.width), look);
    }
}

/// The ticked rows, or questions, and how far the page is scrolled.
const LEFT: &str = "[[...document.querySelectorAll('.row-tick:checked')].map((tick) => tick.value).sort().join(), Math.round(scrollY)]";

#[test]
fn the_way_back_shows_a_page_as_it_was_left() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look { width: 1024, ..Look::DESK });
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    let ready = |end: &str| format!("location.pathname.endsWith('{end}') && document.readyState === 'complete'");
    let is_left = |left: &Value| browser.until(&format!("JSON.stringify({LEFT}) === {}", json!(left.to_string())));
    let bar = "document.querySelector('.selection > p').textContent";
    browser.go(&page("entries?keyword=guest"));
    browser.until(READY);
    for serial in [58, 41, 30] {
        click(&browser, &format!(".row-tick[value='{serial}']"));
    }
    click(&browser, ".row-tick[value='41']");
    browser.run("scrollTo(0, 700)");
    let left = browser.run(&format!("return {LEFT}"));
    assert_eq!(left, json!(["30,58", 700]));
    // Somewhere in between, another page.
    browser.run("[...document.querySelectorAll('tbody th > a')].find((link) => link.textContent === '45').click()");
    browser.until(&ready("/entries/45"));
    click(&browser, ".tabs a[href$='/report']");
    browser.until(&ready("/report"));
    browser.run("scrollTo(0, 500)");
    browser.back();
    browser.until(&ready("/entries/45"));
    browser.back();
    browser.until(READY);
    is_left(&left);
    assert_eq!(browser.run(&format!("return {bar}")), json!("Selected: 2"));
    assert_eq!(browser.run("return document.querySelectorAll('tr[data-chosen]').length"), json!(2));
    browser.forward();
    browser.until(&ready("/entries/45"));
    browser.forward();
    browser.until(&ready("/report"));
    browser.until("Math.round(scrollY) === 500");
    // On a phone the cards are being selected then; what is done with them is not done again.
    browser.look(PHONE);
    browser.go(&page("entries"));
    browser.until(READY);
    click(&browser, "[data-select]");
    for serial in [59, 57] {
        click(&browser, &format!(".row-tick[value='{serial}']"));
    }
    click(&browser, "[name=act][value=set]");
    browser.until("!document.querySelector('table.data .row-tick') && document.readyState === 'complete'");
    browser.back();
    browser.until(READY);
    browser.until(&format!("document.querySelector('table.data[data-selecting]') && {bar} === 'Selected: 2'"));
    click(&browser, "[name=act][value=trash]");
    browser.until("document.querySelector('.message.good')?.textContent.includes('2 entries are in the trash')");
    browser.until(READY);
    assert_eq!(browser.run(&format!("return {LEFT}[0]")), json!(""));
    browser.back();
    browser.until(&format!("{READY} && !document.querySelector('.message.good')"));
    assert_eq!(browser.run(&format!("return {LEFT}[0]")), json!(""), "they are in the trash");
    // The questions of the builder.
    browser.look(Look::DESK);
    browser.go(&page("build"));
    browser.until("document.querySelector('.outline[data-live]') !== null");
    for code in ["field_2", "field_6"] {
        click(&browser, &format!(".row-tick[value='{code}']"));
    }
    let left = browser.run(&format!("return {LEFT}"));
    click(&browser, ".tabs a[href$='/settings']");
    browser.until(&ready("/settings"));
    browser.back();
    browser.until("document.querySelector('.outline[data-live]') !== null");
    is_left(&left);
    assert!(browser.run(&format!("return {bar}")).as_str().is_some_and(|said| said.starts_with('2')));
}

/// The names of what moves while `act` is on its way.
fn motion(browser: &Browser, act: &str) -> Value {
    let script = format!(
        "const done = arguments[0]; const names = new Set(); let left = 15;
         const look = () => {{
             for (const view of [window, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentWindow)])
                 for (const one of view.document.getAnimations()) names.add(one.animationName ?? one.transitionProperty ?? 'motion');
             if ((left -= 1) > 0) requestAnimationFrame(look);
             else done([...names]);
         }};
         {{ {act} }}
         look()"
    );
    browser.wait_for(&script, json!([]))
}

#[test]
fn signed_in_pages_stand_still_where_no_motion_is_wanted() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let pages = every_page(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.stand_still();
    let find = "dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, cancelable: true}))";
    // Everything that opens, closes, is pointed at or comes.
    let opens = "for (const part of document.querySelectorAll('details')) part.open = !part.open;
                 for (const menu of document.querySelectorAll('[popover]')) menu.togglePopover();";
    let hovers = "for (const e of document.querySelectorAll('a, button, input, .outline-row')) e.focus()";
    let jumps = "scrollTo(0, 0); document.querySelector('footer').scrollIntoView()";
    for page in &pages {
        browser.go(&format!("{}{page}", server.base));
        browser.until("document.readyState === 'complete'");
        let open = if page.ends_with("/entries") { "document.querySelector('tbody th a').click()" } else { "" };
        for act in [open, opens, hovers, jumps, find] {
            assert_eq!(motion(&browser, act), json!([]), "{page}: {act}");
        }
        let smooth = "return [...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).scrollBehavior === 'smooth').length";
        assert_eq!(browser.run(smooth), json!(0), "{page}");
    }
    let moves = "document.body.animate([{opacity: 0}, {opacity: 1}], 500)";
    assert_eq!(motion(&browser, moves), json!(["motion"]), "it would be seen");
}
