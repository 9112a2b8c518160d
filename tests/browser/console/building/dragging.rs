//! A question is dragged over the whole of a long list, which scrolls by itself; what is broken off puts it back.

use serde_json::json;

use super::{Desk, desk};
use crate::driver::webdriver::Look;

const ESCAPE: char = '\u{e00c}';

/// The middle of what a selector finds, in the window.
fn middle(desk: &Desk, selector: &str) -> (f64, f64) {
    let script = format!(
        "const box = document.querySelector({}).getBoundingClientRect(); \
         return [box.x + box.width / 2, box.y + box.height / 2]",
        json!(selector)
    );
    let at = desk.browser.run(&script);
    (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
}

/// The place of a question in the list, from 1.
fn place(code: &str) -> String {
    format!("[...document.querySelectorAll('.outline-row')].findIndex((row) => row.dataset.code === '{code}') + 1")
}

fn is_still(desk: &Desk) {
    assert_eq!(desk.browser.run("return document.querySelectorAll('[data-dragged], [data-drop]').length"), 0);
    assert_eq!(desk.browser.run(&format!("return {}", place("field_3"))), 3);
}

#[test]
fn a_question_is_dragged_from_one_end_of_a_long_list_to_the_other() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.form(300);
    desk.build(&form, "");
    let browser = &desk.browser;
    let handle = "[data-code=field_3] .handle";
    let take = || {
        let from = middle(&desk, handle);
        browser.mouse("mousePressed", from);
        browser.mouse("mouseMoved", (from.0, from.1 + 20.0));
        browser.mouse("mouseMoved", (from.0, from.1 + 160.0));
        browser.until("document.querySelector('[data-dragged]') && document.querySelector('[data-drop]')");
        (from.0, from.1 + 160.0)
    };
    // Escape puts it back, and so does a pointer that is lost.
    let at = take();
    browser.keys([ESCAPE]);
    browser.until("!document.querySelector('[data-dragged]')");
    browser.mouse("mouseReleased", at);
    is_still(&desk);
    let at = take();
    browser.run(&format!(
        "document.querySelector('{handle}').dispatchEvent(new PointerEvent('pointercancel', {{bubbles: true}}))"
    ));
    browser.mouse("mouseReleased", at);
    is_still(&desk);
    // Near the lower edge the list's own box scrolls to its end; the page stays.
    let at = take();
    let edge = browser.run("return document.querySelector('[data-scrolls]').getBoundingClientRect().bottom - 6");
    browser.mouse("mouseMoved", (at.0, edge.as_f64().expect("a place").min(f64::from(Look::DESK.height) - 6.0)));
    browser.until(
        "(() => { const box = document.querySelector('[data-scrolls]');
            return box.scrollTop > 0 && box.scrollTop + box.clientHeight > box.scrollHeight - 2 })()",
    );
    // The page scrolls only as far as its end is below the window.
    browser.until("document.querySelector('[data-scrolls]').getBoundingClientRect().bottom <= innerHeight + 1");
    let target = middle(&desk, "[data-code=field_295]");
    browser.mouse("mouseMoved", (at.0, target.1 + 4.0));
    browser.until("document.querySelector('[data-code=field_295]').dataset.drop === 'after'");
    browser.mouse("mouseReleased", (at.0, target.1 + 4.0));
    browser.until(&format!("{} === 295", place("field_3")));
    browser.until("document.querySelector('.selection > p').textContent.includes('is now 295 of 300')");
    desk.build(&form, "");
    assert_eq!(browser.run(&format!("return {}", place("field_3"))), 295);
}

/// On a phone a finger drags by the handle; beside it, it scrolls the page.
#[test]
fn a_finger_drags_by_the_handle_and_scrolls_beside_it() {
    let Some(desk) = desk(Look { width: 390, height: 844, ..Look::PHONE }) else {
        return;
    };
    let form = desk.form(30);
    desk.build(&form, "");
    let browser = &desk.browser;
    let from = middle(&desk, "[data-code=field_3] .handle");
    let to = middle(&desk, "[data-code=field_6] .handle");
    browser.swipe(&[from, (from.0, from.1 + 20.0), (to.0, to.1 - 5.0), (to.0, to.1 + 8.0)]);
    browser.until(&format!("{} === 6", place("field_3")));
    assert_eq!(browser.run("return window.scrollY"), 0);
    desk.build(&form, "");
    assert_eq!(browser.run(&format!("return {}", place("field_3"))), 6, "it is saved");
    let beside = middle(&desk, "[data-code=field_7] .outline-label");
    let up = |by: f64| (beside.0, beside.1 - by);
    browser.swipe(&[beside, up(40.0), up(80.0), up(120.0), up(160.0), up(200.0)]);
    browser.until("window.scrollY > 50");
    assert_eq!(browser.run(&format!("return {}", place("field_7"))), 7);
}

#[test]
fn a_question_that_is_moved_shows_what_it_breaks() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.form(3);
    let rule = json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "not_null"}]},
        "action": "show", "fields": ["field_2"]});
    desk.owner.put(form.part("field_rules"), json!({"rules": [rule]})).is(200);
    desk.build(&form, "");
    let browser = &desk.browser;
    browser.run("document.querySelector('[data-code=field_1] a').focus()");
    let marks = "[...document.querySelectorAll('.outline-row')].map((row) => row.dataset.code.at(-1)
        + (row.querySelector('.outline-fault') ? '!' : '')).join(' ')";
    browser.chord(&['\u{e00a}', '\u{e015}']);
    browser.until(&format!("{marks} === '2! 1! 3'"));
    assert_eq!(browser.run("return document.activeElement.closest('.outline-row')?.dataset.code"), "field_1");
    browser.chord(&['\u{e00a}', '\u{e013}']);
    browser.until(&format!("{marks} === '1 2 3'"));
}
