//! The builder with hundreds of questions: it leaks nothing, and each figure is printed. `TEST_SPEED=1`, on a machine that
//! does nothing else, also holds the figures to limits of double the goals.

use serde_json::json;

use super::{Desk, desk};
use crate::driver::webdriver::Look;

const ALT: char = '\u{e00a}';
const DOWN: char = '\u{e015}';
/// The parts of the work that a change makes: scripts, styles and layout.
const WORK: [&str; 3] = ["ScriptDuration", "RecalcStyleDuration", "LayoutDuration"];

/// The milliseconds that each of so many rounds makes the page work, on average.
fn work(desk: &Desk, rounds: u32, parts: &[&str], f: impl Fn()) -> f64 {
    let spent = || -> f64 {
        let metrics = desk.browser.metrics();
        parts.iter().map(|part| metrics[*part]).sum()
    };
    let before = spent();
    f();
    (spent() - before) * 1000.0 / f64::from(rounds)
}

/// Prints a figure; on a quiet machine it may not be above the limit.
pub(super) fn figure(words: &str, found: f64, most: f64) {
    eprintln!("{words}: {found:.1} (at most {most})");
    assert!(std::env::var_os("TEST_SPEED").is_none() || found < most, "{words}: {found:.1}, not under {most}");
}

#[test]
fn a_builder_of_hundreds_of_questions_is_usable_at_once_and_follows_each_key() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let browser = &desk.browser;
    let mut last = None;
    for (count, most) in [(100, 300.0), (300, 500.0)] {
        let form = desk.form(count);
        let loads = (0..support::rounds("TEST_BUILDER_LOADS", 2)).map(|_| {
            desk.build(&form, "field_3");
            let found = browser.run(
                "const [page] = performance.getEntriesByType('navigation');
                 return page.domContentLoadedEventEnd - page.responseEnd",
            );
            found.as_f64().expect("a time")
        });
        let best = loads.fold(f64::INFINITY, f64::min);
        figure(&format!("milliseconds until {count} questions can be used"), best, most);
        last = Some(form);
    }
    let form = last.expect("a form");
    desk.previewed(&form);
    desk.at_label();
    let word = "abcdefghij";
    let typed = work(&desk, 60, &WORK, || {
        for _ in 0..6 {
            browser.keys(word.chars());
        }
    });
    figure("milliseconds of work for a key", typed, 100.0);
    desk.saved();
    desk.previewed(&form);
    browser.run("document.querySelector('[data-code=field_3] > a').focus()");
    let moved = work(&desk, 10, &["ScriptDuration"], || {
        for step in 1..=10 {
            browser.chord(&[ALT, DOWN]);
            browser.until(&format!(
                "[...document.querySelectorAll('.outline-row')][{}].dataset.code === 'field_3'",
                2 + step
            ));
        }
    });
    figure("milliseconds of scripts for a move", moved, 32.0);
}

#[test]
fn five_hundred_questions_are_dragged_and_edited_without_a_long_wait_or_a_leak() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let browser = &desk.browser;
    let form = desk.form(500);
    desk.build(&form, "field_3");
    desk.previewed(&form);
    let at = browser.run(
        "const box = document.querySelector('[data-code=field_3] .handle').getBoundingClientRect();
         return [box.x + box.width / 2, box.y + box.height / 2]",
    );
    let (x, y) = (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"));
    browser.mouse("mousePressed", (x, y));
    let dragged = work(&desk, 60, &WORK, || {
        for step in 0..60 {
            browser.mouse("mouseMoved", (x, y + 10.0 + f64::from(step) * 8.0));
        }
    });
    browser.run("document.querySelector('[data-code=field_3] .handle').dispatchEvent(new PointerEvent('pointercancel', {bubbles: true}))");
    browser.mouse("mouseReleased", (x, y));
    figure("milliseconds of work for a move of the pointer", dragged, 16.0);
    // As many edits as an hour has, but for the pauses.
    let edits = support::rounds("TEST_BUILDER_EDITS", 12);
    for edit in 0..edits {
        browser.run("const label = document.getElementById('label'); label.focus(); label.select()");
        browser.keys(format!("Edit {edit}").chars());
        browser.run("document.activeElement.blur()");
        desk.saved();
    }
    browser.until(&format!(
        "document.getElementById('preview').contentDocument.querySelector('[data-field=field_3]').textContent.includes('Edit {}')",
        edits - 1
    ));
    desk.previewed(&form);
    let detached = browser.detached();
    let heap = browser.metrics()["JSHeapUsedSize"] / 1e6;
    figure("megabytes in use", heap, 160.0);
    // The list keeps the row that was dragged last; edits leave nothing.
    assert!(detached < 5, "{detached} detached nodes");
    assert_eq!(browser.run("return document.querySelectorAll('iframe').length"), json!(1));
}
