//! The table of entries: its columns, its cards on a phone, and an entry beside it.

use serde_json::json;
use support::Server;

use crate::console::entries::registration;
use crate::console::people::sign_in;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

#[test]
fn columns_are_found_ordered_and_kept_in_view() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    browser.go(&list);
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    // Numbers stand below the end of their heading.
    let gaps = "return [...document.querySelectorAll('tbody tr:first-child > .numbers > .clipped')].map((text) =>
        Math.round(text.parentElement.getBoundingClientRect().right - text.getBoundingClientRect().right
            - parseFloat(getComputedStyle(text.parentElement).paddingRight)))";
    let gaps = browser.run(gaps);
    assert!(gaps.as_array().is_some_and(|gaps| !gaps.is_empty() && gaps.iter().all(|gap| *gap == 0)), "{gaps}");
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys("c".chars());
    browser.until("document.querySelector('#column-choice details').open");
    browser.run("document.getElementById('column-words').focus()");
    browser.keys("anything".chars().chain([ENTER]));
    let rows = "return [...document.querySelectorAll('.column-rows > li')].filter(row => row.checkVisibility()).length";
    assert_eq!(browser.run(rows), json!(1), "Enter does not send the form");
    browser.run("document.getElementById('column-words').select()");
    browser.keys(['\u{e003}']);
    // By keys alone: the button has the focus after it moved its column, so that it can be pressed again.
    browser.run("document.querySelector('[value=\"up:field_4\"]').focus()");
    browser.keys([ENTER]);
    browser.until("document.activeElement.value === 'up:field_4' && location.search.includes('choosing')");
    browser.keys([ENTER]);
    let order = "[...document.querySelectorAll('thead th')].slice(1, 5).map(head => head.dataset.column).join()";
    browser.until(&format!("{order} === 'created_at,field_1,field_4,field_2' && document.readyState === 'complete'"));
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.run("document.getElementById('width.field_7').value = 'wide'");
    browser.run("document.getElementById('freeze').value = 'field_1'");
    browser.run("document.querySelector('.column-choice').requestSubmit()");
    browser.until("location.search.includes('freeze=field_1') && document.querySelector('table[data-frozen]')");
    // They stay where they are while the others move beneath them.
    let left = "return [...document.querySelectorAll('tbody tr:first-child > *')].slice(0, 4).map(cell => Math.round(cell.getBoundingClientRect().left))";
    let before = browser.run(left);
    browser.run("document.querySelector('.table-wrap').scrollLeft = 150");
    browser.until("document.querySelector('.table-wrap').scrollLeft === 150");
    let after = browser.run(left);
    assert_eq!(before[0], after[0]);
    assert_eq!(before[2], after[2]);
    assert_ne!(before[3], after[3]);
    look_at(
        &browser,
        "entries-columns",
        &format!("{list}?columns=field_1,field_7:wide,field_2:narrow,field_5&freeze=field_1&choosing=field_7"),
    );
    // On paper all columns are there, and nothing is cut off.
    browser.go(&list);
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    browser.look(Look { width: 720, ..Look::DESK });
    browser.print();
    let cut =
        "return [...document.querySelectorAll('.data :is(th, td, .clipped)')].filter(cell => cell.checkVisibility())
        .filter(cell => cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth + 1)
        .map(cell => cell.textContent)";
    assert_eq!(browser.run(cut), json!([]));
}

/// On a phone: cards, a mode in which a press chooses them, and the actions on them.
#[test]
fn cards_are_selected_by_touch() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::PHONE);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    let ticks = "document.querySelector('.row-tick').checkVisibility()";
    let bar = "document.querySelector('.selection').checkVisibility()";
    assert_eq!(browser.run(&format!("return [{ticks}, {bar}]")), json!([false, false]));
    browser.tap("[data-select]");
    browser.until(&format!("{ticks} && {bar}"));
    browser.tap("tbody tr:nth-child(2) td");
    browser.tap("tbody tr:nth-child(3) th a");
    browser.tap("tbody tr:nth-child(4) .row-tick");
    browser.until("document.querySelector('.selection > p').innerText === 'Selected: 3'");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.shot("entries-selecting-360", Look::PHONE);
    browser.tap("tbody tr:nth-child(4) .row-tick");
    browser.tap(".selection [value=trash]");
    browser.until("document.querySelector('.message.good')?.textContent.includes('2 entries are in the trash')");
    // Outside the mode a press opens the entry, and nothing stays ticked.
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    browser.tap("[data-select]");
    browser.until(&format!("{ticks} && {bar}"));
    browser.tap("tbody td");
    browser.until("document.querySelector('.selection > p').innerText === 'Selected: 1'");
    browser.tap("[data-select]");
    browser.until(&format!("!{ticks} && !{bar}"));
    browser.tap("tbody th a");
    browser.until("document.querySelector('h1')?.textContent === 'Entry 60'");
}

/// On a desk an entry opens beside the table, is skipped, edited and left by keys; links of it that lead elsewhere have
/// the whole window.
#[test]
fn an_entry_is_read_beside_the_table() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries?keyword=guest", server.base, form.token));
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    let shows = |serial: i64, page: &str| {
        format!(
            "document.querySelector('#beside iframe').contentWindow.location.pathname.endsWith('/entries/{serial}{page}')
             && document.querySelector('#beside iframe').contentDocument.readyState === 'complete'
             && location.search.includes('open={serial}')"
        )
    };
    browser.run("document.querySelector('tbody th a').focus()");
    browser.keys([ENTER]);
    browser.until(&shows(60, ""));
    browser.keys("jj".chars());
    browser.until(&shows(58, ""));
    browser.keys("k".chars());
    browser.until(&shows(59, ""));
    assert_eq!(browser.run("return document.activeElement.textContent"), json!("59"), "the table keeps the focus");
    let widths = "return [document.querySelector('#beside').getBoundingClientRect().width / innerWidth, document.documentElement.scrollWidth]";
    assert_eq!(browser.run(widths), json!([0.45, 1280]));
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.shot("entries-beside-1280", Look::DESK);
    browser.look(Look::DESK.dark());
    browser.shot("entries-beside-1280-dark", Look::DESK.dark());
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // Again, into the entry; from there its neighbours follow, and the row with them.
    browser.keys([ENTER]);
    browser.until("document.activeElement.localName === 'iframe'");
    browser.keys("]".chars());
    browser.until(&shows(58, ""));
    browser.keys("e".chars());
    browser.until(&shows(58, "/edit"));
    browser.frame(Some(0));
    browser.run("document.querySelector('[name=field_1]').focus()");
    browser.keys("Grace ".chars());
    browser.chord(&['\u{e009}', ENTER]);
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 58 is saved')");
    browser.frame(None);
    browser.until(&shows(58, ""));
    // Closed, the table shows the saved values, at its row.
    browser.keys(['\u{e00c}']);
    browser.until("document.querySelector('#beside')?.hidden && document.activeElement.textContent === '58'");
    browser.until("document.activeElement.closest('tr').textContent.includes('Grace')");
    assert_eq!(browser.run("return location.search"), json!("?keyword=guest"));
    // The editor at once, and back to the entry.
    browser.keys("e".chars());
    browser.until(&shows(58, "/edit"));
    browser.until("document.activeElement.localName === 'iframe'");
    browser.keys(['\u{e00c}']);
    browser.until(&shows(58, ""));
    browser.frame(Some(0));
    browser.run("document.querySelector('form[action*=\"/58/trash\"] button').click()");
    browser.frame(None);
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 58 is in the trash')");
    // Where the window has no room for both, it is a page.
    browser.look(Look { width: 1024, ..Look::DESK });
    browser.until("document.querySelector('tbody [tabindex=\"0\"]')");
    browser.run("document.querySelector('tbody th a').click()");
    browser.until("document.querySelector('h1')?.textContent === 'Entry 60'");
}
