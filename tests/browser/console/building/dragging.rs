//! A question is dragged over the whole of a long list, which scrolls by itself; what is broken off puts it back. Its
//! choices and columns are dragged too, and each way to move a question leads to the same order.

use serde_json::{Value, json};
use support::{Form, field};

use super::saving::draft;
use super::{Desk, desk};
use crate::driver::webdriver::Look;

const ESCAPE: char = '\u{e00c}';
const ALT: char = '\u{e00a}';
const DOWN: char = '\u{e015}';
const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };

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
    let Some(desk) = desk(PHONE) else {
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
    let beside = middle(&desk, "[data-code=field_4] .outline-label");
    let up = |by: f64| (beside.0, beside.1 - by);
    browser.swipe(&[beside, up(40.0), up(80.0), up(120.0), up(160.0), up(200.0)]);
    browser.until("window.scrollY > 50");
    assert_eq!(browser.run(&format!("return {}", place("field_4"))), 3);
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
    browser.chord(&[ALT, DOWN]);
    browser.until(&format!("{marks} === '2! 1! 3'"));
    assert_eq!(browser.run("return document.activeElement.closest('.outline-row')?.dataset.code"), "field_1");
    browser.chord(&['\u{e00a}', '\u{e013}']);
    browser.until(&format!("{marks} === '1 2 3'"));
}

/// The points of a way from a handle to just below the middle of a row.
fn way(desk: &Desk, from: &str, to: &str) -> [(f64, f64); 4] {
    let (from, to) = (middle(desk, from), middle(desk, to));
    [from, (from.0, from.1 + 20.0), (to.0, to.1 - 5.0), (to.0, to.1 + 8.0)]
}

/// The codes of a list of questions.
fn codes(fields: &Value) -> String {
    let codes = fields.as_array().expect("a list").iter().map(|it| it["api_code"].as_str().expect("a code"));
    codes.collect::<Vec<_>>().join(" ")
}

fn by_mouse(desk: &Desk, _: &Form) {
    desk.browser.drag(&way(desk, "[data-code=field_1] .handle", "[data-code=field_3] .handle"));
}

fn by_finger(desk: &Desk, _: &Form) {
    desk.browser.swipe(&way(desk, "[data-code=field_1] .handle", "[data-code=field_3] .handle"));
}

/// Waits until the first question is at a place of the list, from 1.
fn is_at(desk: &Desk, at: usize) {
    desk.browser.until(&format!("{} === {at} && document.querySelector('.outline[data-live]')", place("field_1")));
}

fn by_keys(desk: &Desk, _: &Form) {
    desk.browser.run("document.querySelector('[data-code=field_1] a').focus()");
    for at in [2, 3] {
        desk.browser.chord(&[ALT, DOWN]);
        is_at(desk, at);
    }
}

fn by_ticks(desk: &Desk, _: &Form) {
    for at in [2, 3] {
        desk.browser.run(
            "document.querySelector('[data-code=field_1] .row-tick').checked = true;
             document.querySelector('.selection [value=down]').click()",
        );
        is_at(desk, at);
    }
}

fn by_buttons(desk: &Desk, form: &Form) {
    for at in [2, 3] {
        desk.build(form, "field_1");
        desk.browser.run("document.querySelector('[formaction$=\"field_1/down\"]').click()");
        is_at(desk, at);
    }
}

fn by_choice(desk: &Desk, form: &Form) {
    desk.build(form, "field_1");
    desk.browser.run(
        "const after = document.getElementById('question-after'); after.value = 'field_3'; after.form.requestSubmit()",
    );
    is_at(desk, 3);
}

#[test]
fn each_way_moves_a_question_to_the_same_place() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    type Way = (&'static str, Look, fn(&Desk, &Form));
    let ways: [Way; 6] = [
        ("mouse", Look::DESK, by_mouse),
        ("finger", PHONE, by_finger),
        ("keys", Look::DESK, by_keys),
        ("ticks", Look::DESK, by_ticks),
        ("buttons", Look::DESK, by_buttons),
        ("choice", Look::DESK, by_choice),
    ];
    for (way, look, act) in ways {
        desk.browser.look(look);
        let form = desk.form(4);
        desk.build(&form, "");
        act(&desk, &form);
        let wanted = "field_2 field_3 field_1 field_4";
        support::until(way, || codes(&draft(&desk)) == wanted);
        desk.browser.go(&format!("{}/forms/{}/publish", desk.server.base, form.token));
        desk.browser.run("document.querySelector('form[action$=publish] button').click()");
        desk.browser.until("location.pathname.endsWith('/share')");
        let published = desk.owner.get(form.path()).is(200).data();
        assert_eq!(codes(&published["fields"]), wanted, "{way}");
    }
}

#[test]
fn parts_of_a_question_are_dragged_by_their_handles() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let labels = |names: [&str; 4]| -> Value { names.iter().map(|name| json!({ "label": name })).collect() };
    let names = |names: [&str; 3]| -> Value { names.iter().map(|name| json!({ "name": name })).collect() };
    let columns: Value = ["A", "B", "C"].iter().map(|label| field("short_text", json!({ "label": label }))).collect();
    let sizes = json!([{"name": "Size", "options": names(["S", "M", "L"])}]);
    let form = desk.owner.form(json!([
        field("radio", json!({"label": "Which one?", "choices": labels(["A", "B", "C", "D"])})),
        field("table", json!({"label": "Who?", "dimensions": columns})),
        field(
            "product",
            json!({"label": "Shirts", "goods_items": [{"name": "Shirt", "price": 20, "dimensions": sizes}]})
        ),
    ]));
    let browser = &desk.browser;
    // Where the list stands, its keys in the draft, the line of a row, and the order after the first row went behind the
    // third one.
    type Order = fn(&Value) -> &Value;
    let lists: [(&str, &str, &str, Order, &str); 3] = [
        ("field_1", "choices", "label", |field| &field["choices"], "B C A D"),
        ("field_2", "dimensions", "label", |field| &field["dimensions"], "B C A"),
        ("field_3", "goods_items[0].dimensions[0].options", "name", options, "M L S"),
    ];
    for look in [Look::DESK, PHONE] {
        browser.look(look);
        for (at, (code, list, line, order, wanted)) in lists.iter().enumerate() {
            let told = || -> String {
                let fields = draft(&desk);
                let rows = order(&fields[at]).as_array().expect("a list").iter();
                rows.map(|row| row[*line].as_str().expect("a label")).collect::<Vec<_>>().join(" ")
            };
            desk.build(&form, code);
            if look.width == PHONE.width {
                // Where a finger was, everything is larger.
                browser.tap(".panel-head h2");
            }
            let part = |row: usize| format!("[data-parts='{list}'] > ol > .part:nth-child({row})");
            let handle = format!("{} > .handle", part(1));
            browser.run(&format!(
                "const handle = document.querySelector({}); for (let box = handle.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
                 handle.scrollIntoView({{block: 'center', behavior: 'instant'}})",
                json!(handle)
            ));
            let points = way(&desk, &handle, &part(3));
            if look.width == PHONE.width {
                browser.swipe(&points)
            } else {
                browser.drag(&points)
            }
            support::until(&format!("{code} is {wanted}"), || told() == *wanted);
            // It stands so after a load too, and undo takes it back.
            desk.build(&form, code);
            let lines = format!(
                "[...document.querySelectorAll(\"[data-parts='{list}'] > ol > .part > [data-line]\")].map((line) => line.value).join(' ')"
            );
            assert_eq!(browser.run(&format!("return {lines}")), *wanted);
            browser.run("document.body.dataset.left = ''; document.getElementById('undo').click()");
            browser.until("document.body.dataset.left === undefined && document.readyState === 'complete'");
            assert_ne!(told(), *wanted);
        }
    }
}

/// The options of the first product's first property.
fn options(field: &Value) -> &Value {
    &field["goods_items"][0]["dimensions"][0]["options"]
}
