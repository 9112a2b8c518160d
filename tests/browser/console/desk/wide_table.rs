//! A table of many columns and rows: it scrolls without work, and what has the focus is whole in view.

use serde_json::{Value, json};
use support::steps::bulk;
use support::{Server, field};

use crate::console::desk::week::READY;
use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{click, set_value};
use crate::driver::webdriver::{Browser, Look, TAB};

const SHIFT: char = '\u{e008}';
const RIGHT: char = '\u{e014}';
const COLUMNS: usize = 40;
const ROWS: usize = 100;

/// Scrolls to all edges, a step in each frame of the screen, and says how long the longest tasks took meanwhile.
const SCROLL: &str = "
    const done = arguments[0]; const long = []; const [box, page] = [document.querySelector('.table-wrap'), document.scrollingElement];
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((task) => Math.round(task.duration))));
    observer.observe({type: 'longtask'});
    const steps = [...Array(80).keys()];
    const next = () => {
        const step = steps.shift();
        if (step === undefined) setTimeout(() => done([long, box.scrollLeft, page.scrollTop]), 100);
        else {
            box.scrollLeft = box.scrollWidth * step / 79;
            page.scrollTop = page.scrollHeight * (step % 40) / 39;
            requestAnimationFrame(next);
        }
    };
    next()";

/// Where the element with the focus is not in view; empty if it is.
const OUTSIDE: &str = "
    const [own, box] = [document.activeElement, document.querySelector('.table-wrap')];
    const {left, right, top, bottom} = own.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    const frozen = own.closest('tr').querySelectorAll('.frozen');
    const start = own.closest('.frozen') ? frame.left : Math.max(...[...frozen].map((cell) => cell.getBoundingClientRect().right));
    return left >= start - 1 && right <= frame.right + 1 && top >= 0 && bottom <= innerHeight ? ''
        : `${own.textContent}: ${left} to ${right}, not in ${start} to ${frame.right}`";

#[test]
fn a_table_of_forty_columns_and_a_hundred_rows_scrolls_without_work() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write");
    let choices = json!([{"api_code": "soup", "label": "Soup"}, {"api_code": "pie", "label": "Pie with mushrooms"}]);
    let kinds = [
        ("short_text", json!({}), json!("A place in the shade, near the water")),
        ("number", json!({}), json!(1234.5)),
        ("radio", json!({ "choices": choices }), json!("pie")),
        ("date", json!({}), json!("2026-12-24")),
    ];
    let fields: Vec<Value> = (0..COLUMNS)
        .map(|at| {
            let (kind, mut own, _) = kinds[at % kinds.len()].clone();
            own["label"] = json!(format!("Question {}: what would you like?", at + 1));
            field(kind, own)
        })
        .collect();
    let form = owner.form_with(json!({"name": "Forty questions", "fields": fields}));
    let entry: Value =
        (0..COLUMNS).map(|at| (format!("field_{}", at + 1), kinds[at % kinds.len()].2.clone())).collect();
    bulk(&owner, &form, &vec![entry; ROWS]);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/profile", server.base));
    set_value(&browser, "rows", &ROWS.to_string());
    click(&browser, "form[action$='/profile/preferences'] button");
    browser.until("location.search === '?done=preferences'");
    let columns: Vec<String> = (1..=COLUMNS).map(|at| format!("field_{at}")).collect();
    browser.go(&format!("{}/forms/{}/entries?columns={}&freeze=field_1", server.base, form.token, columns.join(",")));
    browser.until(&format!("{READY} && document.querySelector('table[data-frozen]')"));
    let size = "const table = document.querySelector('table.data'); return [table.tBodies[0].rows.length, table.rows[1].cells.length]";
    assert_eq!(browser.run(size), json!([ROWS, COLUMNS + 1]));
    // No work is done for a step: nothing is laid out anew. How long the rest takes depends on the machine.
    let before = browser.metrics();
    let found = browser.wait_for(SCROLL, json!([]));
    let after = browser.metrics();
    let layouts = after["LayoutCount"] - before["LayoutCount"];
    eprintln!("long tasks of 80 steps: {}; layouts: {layouts}", found[0]);
    assert!(layouts < 5.0, "{layouts} layouts");
    assert!(found[1].as_f64() > Some(2000.0) && found[2].as_f64() > Some(2000.0), "{found}");
    assert!(std::env::var_os("TEST_SPEED").is_none() || found[0] == json!([]), "{}", found[0]);
    // By keys each heading is whole in view, on the way there and back, and so is each cell.
    browser.run("document.querySelector('.table-wrap').scrollLeft = 0; document.querySelector('thead a').focus()");
    for _ in 0..COLUMNS {
        assert_eq!(browser.run(OUTSIDE), json!(""));
        browser.keys([TAB]);
    }
    assert_eq!(browser.run("return document.activeElement.closest('th').dataset.column"), json!("field_40"));
    for _ in 0..COLUMNS {
        assert_eq!(browser.run(OUTSIDE), json!(""));
        browser.chord(&[SHIFT, TAB]);
    }
    browser.run("document.querySelector('tbody th a').focus()");
    for _ in 0..COLUMNS {
        browser.keys([RIGHT]);
        assert_eq!(browser.run(OUTSIDE), json!(""));
    }
    // What a pointer presses does not move beneath it.
    let moved = "const box = document.querySelector('.table-wrap'); box.scrollLeft = 0;
        const cut = [...document.querySelectorAll('thead a')].find((link) => link.getBoundingClientRect().right > box.getBoundingClientRect().right);
        const at = cut.getBoundingClientRect(); return [at.left + 4, at.top + at.height / 2]";
    let at = browser.run(moved);
    let number = |at: &Value| at.as_f64().expect("a number");
    browser.mouse("mousePressed", (number(&at[0]), number(&at[1])));
    assert_eq!(browser.run("return document.querySelector('.table-wrap').scrollLeft"), json!(0));
    browser.mouse("mouseReleased", (number(&at[0]), number(&at[1])));
    browser.until("location.search.includes('sort=')");
}
