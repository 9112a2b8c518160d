//! A form's entries: the table, one entry, the trash, in every light; by keyboard, and without a script.

use serde_json::{Value, json};
use support::session::Session;
use support::{Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

/// A form of ten questions with entries of short and long answers.
pub fn registration(server: &Server) -> Form {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write entry:delete");
    let choices = json!([{"label": "Soup"}, {"label": "Pie with mushrooms, leek and a little cream"}]);
    let mut fields = vec![
        field("name", json!({"label": "Your name"})),
        field("email", json!({"label": "Email"})),
        field("phone", json!({"label": "Phone"})),
        field("number", json!({"label": "How many people will come?"})),
        field("radio", json!({"label": "What will you eat at the table of the founders?", "choices": choices})),
        field("date", json!({"label": "Day of arrival"})),
        field("long_text", json!({"label": "Anything else?"})),
        field("rating", json!({"label": "Rate last year"})),
    ];
    fields.push(field("short_text", json!({"label": "Table"})));
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": fields}));
    let pie = form.body["fields"][4]["choices"][1]["api_code"].clone();
    let wish = "A place in the shade. ".repeat(20);
    let entry = |n: i64| -> Value {
        let name = ["Ines Faber", "Bartholomew Featherstonehaugh-Cholmondeley", "李小龙"][n as usize % 3];
        json!({"field_values": {
            "field_1": name, "field_2": format!("guest{n}@example.org"), "field_4": n, "field_5": pie,
            "field_6": "2026-12-24", "field_7": if n % 4 == 0 { wish.as_str() } else { "" }, "field_8": 4,
        }})
    };
    let all: Vec<Value> = (1..=60).map(entry).collect();
    owner.post(format!("{}/bulk", form.entries()), json!({"entries": all})).is(201);
    owner.delete(form.entry(3)).is(200);
    form
}

#[test]
fn entries_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    look_at(&browser, "entries", &page("entries"));
    look_at(&browser, "entries-none-found", &page("entries?keyword=nobody"));
    look_at(&browser, "entries-refused", &page("entries?sort=x"));
    look_at(&browser, "entry", &page("entries/8"));
    look_at(&browser, "entries-trash", &page("trash"));
}

/// Somebody is looked up on a phone, goes to the trash and comes back, without a script.
#[test]
fn an_entry_is_found_and_trashed_on_a_phone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}", server.base, form.token));
    browser.until("location.pathname.endsWith('/entries')");
    browser.run("document.querySelector('[name=keyword]').value = 'guest41@'");
    browser.run("document.querySelector('.search button').click()");
    browser.until("document.querySelector('#entries').textContent.startsWith('1 of')");
    // Each answer stands beside its question, which needs no colon, and nothing is cut.
    let cards = "const cells = [...document.querySelectorAll('tbody td')].filter(cell => cell.checkVisibility());
                 const label = cell => cell.querySelector('.cell-label');
                 return cells.length > 3 && cells.every(cell => {
                     const value = cell.querySelector(':not(.cell-label)')?.getBoundingClientRect();
                     return (!value || value.left >= label(cell).getBoundingClientRect().right - 1)
                         && cell.scrollWidth <= cell.clientWidth
                         && getComputedStyle(label(cell), '::after').content === 'none';
                 })";
    assert_eq!(browser.run(cards), json!(true));
    browser.run("document.querySelector('tbody th a').click()");
    browser.until("document.querySelector('h1')?.textContent === 'Entry 41'");
    browser.run("document.querySelector('form[action*=\"/41/trash\"] button').click()");
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 41 is in the trash')");
    browser.run("document.querySelector('form[action*=\"/trash/chosen\"] button').click()");
    browser.until("document.querySelector('#entries').textContent.startsWith('1 of')");
}

const ESCAPE: char = '\u{e00c}';
const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';
const CONTROL: char = '\u{e009}';

/// The number of the row that has the focus.
fn focused(browser: &Browser) -> String {
    browser.run("return document.activeElement.textContent").as_str().expect("a text").to_owned()
}

fn chosen(browser: &Browser) -> String {
    browser.run("return document.querySelector('.selection > p').textContent").as_str().expect("a text").to_owned()
}

#[test]
fn a_list_is_worked_by_keys_alone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    browser.go(&list);
    browser.until("document.querySelectorAll('tbody [tabindex=\"0\"]').length === 1");
    let stops = "return document.querySelectorAll('tbody :is(a, input):not([tabindex=\"-1\"])').length";
    assert_eq!(browser.run(stops), json!(1), "the table is one stop");
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("jjk".chars());
    assert_eq!(focused(&browser), "59");
    browser.keys("x".chars());
    assert_eq!(chosen(&browser), "Selected: 1");
    browser.keys("jj".chars());
    browser.keys("X".chars());
    assert_eq!(chosen(&browser), "Selected: 3");
    look_at(&browser, "entries-keys", &list);
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("xj".chars());
    browser.keys([ESCAPE]);
    assert_eq!(chosen(&browser), "");
    // The documented keys, and the way back from them.
    browser.keys("?".chars());
    browser.until("document.getElementById('keys').open");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.keys([ESCAPE]);
    browser.until("!document.getElementById('keys').open");
    // Outside of the list they are no keys.
    let nothing = || {
        assert_eq!((chosen(&browser), browser.run("return location.search")), (String::new(), json!("")));
        assert_eq!(browser.run("return document.activeElement.closest('tbody, .search')"), json!(null));
    };
    browser.run("document.querySelector('.tabs a').focus()");
    browser.keys("x#fjkeocpG[]/".chars());
    nothing();
    // Where nothing has the focus, two of them lead into the list, and the others are none.
    browser.run("document.activeElement.blur()");
    browser.keys("x#fkeocpG[]".chars());
    nothing();
    browser.keys("j".chars());
    assert_eq!(browser.run("return document.activeElement.matches('tbody th > a')"), json!(true));
    browser.run("document.activeElement.blur()");
    browser.keys("/".chars());
    assert_eq!(browser.run("return document.activeElement.id"), json!("keyword"));
    // Letters are letters where something is typed.
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("/".chars());
    browser.keys("jx#?".chars());
    assert_eq!(browser.run("return document.getElementById('keyword').value"), json!("jx#?"));
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("c".chars());
    browser.until("document.querySelector('#column-choice details').open");
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("]".chars());
    browser.until("location.search.includes('cursor=') && document.querySelectorAll('tbody tr').length === 9");
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("j#".chars());
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 9 is in the trash')");
}

#[test]
fn new_entries_are_told_and_rows_stay_where_they_are() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries?keyword=guest", server.base, form.token));
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    let owner = server.token(OWNER, "entry:write");
    for email in ["guest61@example.org", "somebody@example.org"] {
        owner.post(form.entries(), json!({"field_values": {"field_2": email}})).is(201);
    }
    browser.until("document.getElementById('new-entries').checkVisibility()");
    assert_eq!(browser.run("return document.querySelector('#new-entries > span').textContent"), json!("1 new entry"));
    assert_eq!(browser.run("return document.querySelector('tbody th a').textContent"), json!("60"));
    browser.run("document.querySelector('#new-entries a').click()");
    browser.until("document.querySelector('tbody th a')?.textContent === '61'");
    assert!(browser.run("return location.search").as_str().expect("a query").contains("keyword=guest"));
}

#[test]
fn what_was_typed_outlives_the_session() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/profile", server.base));
    browser.until("document.readyState === 'complete'");
    browser.run("document.querySelector('[name=name]').value = 'Ada King'");
    browser.forget_cookies();
    browser.run("document.querySelector('[name=name]').form.requestSubmit()");
    browser.until("document.getElementById('signed-out').open");
    assert_eq!(browser.axe(), Vec::<String>::new());
    // As another tab or window does it: whoever comes back from a tab tells the page twice.
    let session = Session::on(&server).signed_in(OWNER).cookie("formsvc_session").expect("a session");
    browser.set_cookie(&server.base, "formsvc_session", &session);
    browser.run("dispatchEvent(new Event('focus')); dispatchEvent(new Event('visibilitychange'))");
    browser.until("document.querySelector('.message.good')");
    assert_eq!(browser.run("return document.querySelector('[name=name]').value"), json!("Ada King"));
}

/// Cells, ends, editing and the entry's own page, all by keys.
#[test]
fn cells_and_entries_are_worked_by_keys() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look { width: 1024, ..Look::DESK });
    sign_in(&browser, &server);
    let entry = |n: i64| format!("location.pathname.endsWith('/entries/{n}') && document.readyState === 'complete'");
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    let tree = browser.tree();
    assert!(tree.iter().any(|(role, _)| role == "grid"), "{tree:?}");
    // The way back leads to the place that was left.
    browser.run("scrollTo(0, 700)");
    browser.run("document.querySelectorAll('tbody th a')[31].click()");
    browser.until(&entry(29));
    browser.back();
    browser.until("document.querySelector('tbody [tabindex=\"0\"]') && document.readyState === 'complete'");
    browser.until("scrollY === 700");
    browser.run("document.querySelector('tbody th a').focus()");
    // The column of the number of people, and back by one.
    browser.keys([RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT, 'j']);
    assert_eq!(browser.run("return document.activeElement.cellIndex"), json!(5));
    let stops = "return document.querySelectorAll('tbody :is(a, input, td):not([tabindex=\"-1\"])').length";
    assert_eq!(browser.run(stops), json!(1));
    browser.keys("f".chars());
    browser.until("document.querySelector('#entries').textContent.startsWith('1 of 59 entries')");
    browser.back();
    browser.until(
        "document.querySelector('tbody [tabindex=\"0\"]') && document.querySelectorAll('tbody tr').length === 50",
    );
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("G".chars());
    browser.until("document.activeElement.textContent === '1' && location.search.includes('cursor=')");
    browser.keys("gg".chars());
    browser.until("document.activeElement.textContent === '60' && !location.search.includes('cursor=')");
    browser.keys("jo".chars());
    browser.until(&entry(59));
    browser.keys("]".chars());
    browser.until(&entry(58));
    browser.keys("[".chars());
    browser.until(&entry(59));
    browser.keys("?".chars());
    browser.until("document.getElementById('keys').open");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.keys([ESCAPE]);
    browser.until("!document.getElementById('keys').open");
    browser.keys("e".chars());
    browser.until("location.pathname.endsWith('/59/edit') && document.readyState === 'complete'");
    browser.keys([ESCAPE]);
    browser.until(&entry(59));
    browser.keys("e".chars());
    browser.until("location.pathname.endsWith('/59/edit') && document.readyState === 'complete'");
    browser.run("document.querySelector('[name=field_4]').focus()");
    browser.keys("0".chars());
    browser.chord(&[CONTROL, ENTER]);
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 59 is saved')");
}

/// A view is saved, shared and changed; its tabs stand on the report too.
#[test]
fn a_list_is_saved_as_a_view_and_changed() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    browser.go(&format!("{list}?keyword=guest4&sort=field_4"));
    browser.until("document.readyState === 'complete'");
    let name = "Guests in the forties who sit in the shade";
    browser.run("document.querySelector('.view-bar summary').click()");
    browser.run(&format!("document.querySelector('[name=view_name]').value = '{name}'"));
    browser.run("document.querySelector('[name=is_shared]').click()");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.run("document.querySelector('form[action$=\"/views\"] [type=submit]').click()");
    let here = "document.querySelector('.view-tabs [aria-current]')?.textContent";
    browser.until(&format!("location.search.includes('view=') && {here} === '{name} shared'"));
    look_at(&browser, "entries-view", browser.run("return location.href").as_str().expect("an address"));
    browser.look(Look::DESK);
    // Another order is a change of the view.
    browser.until("document.readyState === 'complete'");
    browser.run("document.querySelector('th[data-column=field_4] a').click()");
    browser.until("document.querySelector('.view-bar > form button')?.textContent === 'Save changes'");
    look_at(&browser, "entries-view-changed", browser.run("return location.href").as_str().expect("an address"));
    browser.look(Look::DESK);
    browser.run("document.querySelector('.view-bar > form button').click()");
    browser.until("document.querySelector('.view-bar') && !document.querySelector('.view-bar > form')");
    browser.run("document.querySelector('.view-tabs a').click()");
    browser.until(&format!("!location.search && {here} === 'All'"));
    // The same views stand on the report.
    browser.go(&format!("{}/forms/{}/report", server.base, form.token));
    browser.run("document.querySelector('.view-tabs a:last-child').click()");
    browser.until(&format!("location.search.includes('sort=-field_4') && {here} === '{name} shared'"));
}
