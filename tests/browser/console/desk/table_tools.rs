//! The table of entries with its tools: conditions that follow their question, widths by a pointer, an entry beside it,
//! rows that others changed; and the head of a form with a long name.

use serde_json::json;
use support::steps::bulk;
use support::{Server, field};

use crate::console::entries::registration;
use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, click, set_value};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::looks::look_at;

const ESCAPE: char = '\u{e00c}';
const LEFT: char = '\u{e012}';
const CONTROL: char = '\u{e009}';
const READY: &str = "document.querySelector('tbody [tabindex=\"0\"]') && document.readyState === 'complete'";

/// The middle of an element in the window.
fn middle(browser: &Browser, element: &str) -> (f64, f64) {
    let script = format!(
        "const box = {element}.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]"
    );
    let place = browser.run(&script);
    let number = |at: usize| place[at].as_f64().expect("a number");
    (number(0), number(1))
}

/// Another question has other operators and values at once, and each operator as many values as it takes.
#[test]
fn conditions_follow_their_question() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.until(READY);
    browser.run("[...document.querySelectorAll('summary')].find(it => it.textContent === 'Filter').click()");
    let choose = |name: &str, value: &str| set_value(&browser, name, value);
    let shown = |selector: &str| {
        let script = format!(
            "return [...document.querySelectorAll('{selector}')].filter(it => it.checkVisibility() && !it.disabled).length"
        );
        browser.run(&script)
    };
    let values = "[name=\"f[0].value\"]:not([type=checkbox])";
    let ticks = "[name=\"f[0].value\"][type=checkbox]";
    // A row appears without a load, with the focus on its question, whose keys go on choosing.
    choose("add", "field_4");
    browser.until("document.getElementsByName('f[0].operator')[0]?.options.length > 5");
    assert_eq!(browser.run("return document.activeElement.name"), json!("f[0].field"));
    assert_eq!(browser.run("return location.search"), json!(""));
    assert_eq!(shown(values), json!(1));
    choose("f[0].operator", "between");
    assert_eq!(shown(values), json!(2));
    choose("f[0].operator", "null");
    assert_eq!(shown(values), json!(0));
    choose("f[0].field", "field_5");
    browser.until("document.querySelectorAll('[name=\"f[0].value\"][type=checkbox]').length === 2");
    assert_eq!((shown(values), shown(ticks)), (json!(0), json!(0)), "an empty answer takes no value");
    choose("f[0].operator", "eq");
    assert_eq!(shown(ticks), json!(2));
    choose("f[0].field", "field_6");
    browser.until("document.querySelector('[name=\"f[0].value\"]').type === 'date'");
    // Two of them, the first taken away: the other is the first then.
    choose("add", "field_2");
    browser.until("document.getElementsByName('f[1].operator')[0]?.options.length > 5");
    browser.run("document.querySelector('[data-undo-add]').click()");
    assert_eq!(browser.run("return document.getElementsByName('f[0].field')[0].value"), json!("field_2"));
    choose("f[0].operator", "any_in");
    for address in ["guest7@example.org", "guest8@example.org"] {
        browser.run("[...document.querySelectorAll('.condition-value')].at(-1).focus()");
        browser.keys(address.chars());
    }
    assert_eq!(browser.axe(), NOTHING);
    browser.shot("conditions-1280", Look::DESK);
    browser.keys([ENTER]);
    browser.until("document.querySelector('#entries')?.textContent.startsWith('2 of 59 entries')");
    // The conditions that were sent are drawn as they were left.
    browser.until(READY);
    assert_eq!(shown(values), json!(3), "both, and room for another");
    look_at(&browser, "entries-conditions", browser.run("return location.href").as_str().expect("an address"));
}

/// An address is compared by its parts: with one, or with several, whose controls come as they are needed.
#[test]
fn an_address_is_compared_by_its_parts() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write");
    let form =
        owner.form(json!([field("short_text", json!({"label": "Name"})), field("address", json!({"label": "Home"}))]));
    let places = [("Shanghai", "CN"), ("Jena", "DE"), ("Ulm", "DE")];
    let homes = places.map(|(city, country)| json!({"field_2": {"city": city, "country": country}}));
    bulk(&owner, &form, &homes);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.until(READY);
    browser.run("[...document.querySelectorAll('summary')].find(it => it.textContent === 'Filter').click()");
    let choose = |name: &str, value: &str| set_value(&browser, name, value);
    let shown = || {
        browser.run(
            "return ['.condition-value', '.condition-parts input'].map(controls => [...document.querySelectorAll(controls)]
                .filter(it => it.checkVisibility() && !it.disabled).length)",
        )
    };
    let write = |part: &str, text: &str| {
        browser.run(&format!("document.getElementsByName('f[0].value{part}')[0].focus()"));
        browser.keys(text.chars());
    };
    choose("add", "field_1");
    browser.until("document.getElementsByName('f[0].operator')[0]?.options.length === 8");
    assert_eq!(shown(), json!([1, 0]));
    choose("f[0].field", "field_2");
    browser.until("document.getElementsByName('f[0].operator')[0].options.length === 7");
    assert_eq!(shown(), json!([0, 6]));
    for (operator, controls) in [("like", [1, 0]), ("null", [0, 0]), ("eq", [0, 6])] {
        choose("f[0].operator", operator);
        assert_eq!(shown(), json!(controls), "{operator}");
    }
    write("[0].city", "Shanghai");
    // What was written stays, and there is room for another.
    choose("f[0].operator", "any_in");
    assert_eq!(shown(), json!([0, 12]));
    write("[1].country", "DE");
    write("[1].city", "Ulm");
    assert_eq!(shown(), json!([0, 18]));
    assert_eq!(browser.axe(), NOTHING);
    browser.keys([ENTER]);
    browser.until("document.querySelector('#entries')?.textContent.startsWith('2 of 3 entries')");
    browser.until(READY);
    assert_eq!(shown(), json!([0, 18]));
    assert_eq!(browser.run("return document.getElementsByName('f[0].value[1].city')[0].value"), json!("Ulm"));
    look_at(&browser, "entries-address", browser.run("return location.href").as_str().expect("an address"));
}

/// The edges of columns and of the entry beside the table are pulled, and moved by keys; a row that was changed
/// elsewhere is marked; Ctrl+K in the entry opens the page's own dialog.
#[test]
fn the_table_makes_room_and_tells_of_changes() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    browser.go(&list);
    browser.until(READY);
    let (x, y) = middle(&browser, "document.querySelector('th[data-column=field_2] [data-grip]')");
    browser.drag(&[(x, y), (x + 40.0, y), (x + 260.0, y)]);
    browser.until("new URLSearchParams(location.search).get('columns')?.includes('field_2:wide')");
    browser.until(READY);
    assert_eq!(browser.run("return document.getElementById('width.field_2').value"), json!("wide"));
    // A row that others changed.
    let owner = server.token(OWNER, "entry:write");
    owner.patch(form.entry(59), json!({"field_values": {"field_4": 90}})).is(200);
    browser.until("document.querySelectorAll('tr[data-changed]').length === 1");
    let words = "return document.querySelector('tr[data-changed] .row-dot').textContent";
    assert_eq!(browser.run(words), json!("Changed since this list was loaded"));
    assert_eq!(browser.run("return document.querySelector('tr[data-changed] th > a').textContent"), json!("59"));
    // Beside the table.
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys([ENTER]);
    let is_there =
        "document.querySelector('#beside iframe').contentDocument?.querySelector('h1')?.textContent === 'Entry 60'";
    browser.until(is_there);
    let width = || browser.run("return document.querySelector('#beside').getBoundingClientRect().width");
    let line = "document.querySelector('#beside [role=separator]')";
    let (x, y) = middle(&browser, line);
    browser.drag(&[(x, y), (700.0, y), (512.0, y)]);
    assert_eq!(width(), json!(768), "60 % of the window");
    browser.run(&format!("{line}.focus()"));
    browser.keys([LEFT]);
    assert_eq!(browser.run(&format!("return {line}.getAttribute('aria-valuenow')")), json!("65"));
    browser.run("document.querySelector('[data-widen=\"-5\"]').click()");
    assert_eq!(width(), json!(768));
    assert_eq!(browser.axe(), NOTHING);
    browser.shot("entries-divider-1280", Look::DESK);
    browser.go(&format!("{list}?open=60"));
    browser.until(is_there);
    assert_eq!(width(), json!(768), "where it was left");
    browser.run("document.querySelector('#beside iframe').contentWindow.focus()");
    browser.frame(Some(0));
    browser.chord(&[CONTROL, 'k']);
    browser.frame(None);
    browser.until("document.getElementById('finder').open");
    browser.keys([ESCAPE]);
    browser.until("!document.getElementById('finder').open");
    // An entry that leaves the filter by a change stays in view as long as it is open beside the table.
    browser.go(&format!("{list}?keyword=guest60@&open=60"));
    browser.until(is_there);
    browser.frame(Some(0));
    browser.run("document.querySelector('a[href*=\"/60/edit\"]').click()");
    browser.until("document.querySelector('[name=field_2]') && document.readyState === 'complete'");
    browser.run("document.querySelector('[name=field_2]').select()");
    browser.keys("ines@example.org".chars());
    browser.chord(&[CONTROL, ENTER]);
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 60 is saved')");
    browser.frame(None);
    assert_eq!(browser.run("return document.querySelector('tbody th a').textContent"), json!("60"));
    click(&browser, "#beside [data-close]");
    browser.until("document.querySelector('#entries')?.textContent.startsWith('0 of 59 entries')");
}

/// A long name is cut beside the tabs, and whole where it is changed; on a phone the rest of the tabs are a menu, by
/// touch and by keys.
#[test]
fn a_long_name_leaves_room_for_the_tabs() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let owner = server.token(OWNER, "form:read form:write");
    let name = "Registration for the summer party of the society of friends of the difference engine, with tour";
    owner.patch(form.path(), json!({"name": name})).is(200);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = format!("{}/forms/{}/settings", server.base, form.token);
    browser.go(&page);
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run("return document.title"), json!(format!("Settings – {name}")));
    let lines = "return [document.querySelector('.form-bar').offsetHeight < 60, \
                 document.querySelector('.form-name').scrollWidth > document.querySelector('.form-name').clientWidth, \
                 document.documentElement.scrollWidth, document.querySelector('.form-name').title]";
    assert_eq!(browser.run(lines), json!([true, true, 1280, name]));
    look_at(&browser, "long-name", &page);
    // The way between the pages stays where it is.
    let end = "return document.querySelector('.tabs').getBoundingClientRect().right";
    let before = browser.run(end);
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run(end), before);
    browser.look(Look::PHONE);
    browser.go(&page);
    browser.until("document.readyState === 'complete'");
    // The name begins beside the way back.
    let beside = "const [back, name] = ['.form-bar-back', '.form-bar-title'].map(s => document.querySelector(s).getBoundingClientRect()); \
                  return name.left > back.right && name.top < back.bottom && back.top < name.bottom && name.right <= innerWidth";
    assert_eq!(browser.run(beside), json!(true));
    browser.run("document.querySelector('.tab-more').focus()");
    browser.keys([ENTER]);
    browser.until("document.querySelector('#tabs-more:popover-open')");
    browser.keys([TAB]);
    assert_eq!(browser.run("return Boolean(document.activeElement.closest('#tabs-more'))"), json!(true));
    assert_eq!(browser.axe(), NOTHING);
    browser.shot("tabs-more-360", Look::PHONE);
    let small = "return [...document.querySelectorAll('#tabs-more a')].filter(it => it.offsetHeight < 44).length";
    assert_eq!(browser.run(small), json!(0));
    let outside = "return [...document.querySelectorAll('#tabs-more a')].filter(it => { const box = it.getBoundingClientRect(); \
                   return box.top < 0 || box.bottom > innerHeight || box.right > innerWidth }).length";
    assert_eq!(browser.run(outside), json!(0));
    browser.keys([ESCAPE]);
    browser.until("document.activeElement.matches('.tab-more')");
    click(&browser, ".tab-more");
    click(&browser, "#tabs-more a[href$='/theme']");
    browser.until("location.pathname.endsWith('/theme')");
}
