//! The frame with the form's page: a new one takes the place of the old one without a jump, and its width and light are
//! those that the form's own page knows.

use serde_json::json;

use super::desk;
use crate::driver::webdriver::{ENTER, Look, TAB};

/// How much a page has moved by itself since it took its place: until then nobody sees it.
const MOVED: &str = "
    const view = document.getElementById('preview').contentWindow;
    const placed = view.performance.getEntriesByType('navigation')[0].loadEventStart;
    return new Promise((done) => {
        let sum = 0;
        const add = (shifts) => {
            for (const one of shifts) if (one.startTime > placed) sum += one.value;
        };
        const observer = new view.PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({type: 'layout-shift', buffered: true});
        setTimeout(() => {
            add(observer.takeRecords());
            done(sum);
        }, 200);
    })";

#[test]
fn a_new_frame_takes_the_place_of_the_old_one_without_a_jump() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.form(60);
    desk.build(&form, "field_30");
    desk.previewed(&form);
    let browser = &desk.browser;
    // The list takes one stop; a link leads past the questions of the frame, which take one each.
    browser.run("document.querySelector('.outline [data-code=field_30] a').focus()");
    browser.keys([TAB]);
    assert_eq!(browser.run("return document.activeElement.textContent"), "Skip the preview");
    browser.keys([ENTER, TAB]);
    assert_eq!(browser.run("return document.activeElement.closest('.builder-panel') !== null"), true);
    // It shows the chosen question; somebody scrolls on.
    let scrolled = "Math.round(document.getElementById('preview').contentWindow.scrollY)";
    browser.run("document.getElementById('preview').contentWindow.scrollTo(0, 1234)");
    assert_eq!(browser.run(&format!("return {scrolled}")), 1234);
    // In each frame of the screen there is a page with questions in view.
    browser.run(
        "window.seen = {frames: 0, empty: 0}; window.first = document.getElementById('preview');
         const look = () => {
             const shown = [...document.querySelectorAll('.builder-preview > iframe')].filter((frame) => !frame.classList.contains('loading'));
             seen.frames += 1;
             if (shown.length !== 1 || !shown[0].contentDocument?.querySelector('[data-field]')) seen.empty += 1;
             requestAnimationFrame(look);
         };
         look()",
    );
    // Nothing has moved since the first paint, neither when the scripts came nor when the frame did.
    assert!(browser.shifted() < 0.001, "{}", browser.shifts());
    desk.at_label();
    browser.keys(" And why?".chars());
    desk.saved();
    browser.until("document.getElementById('preview') !== first");
    desk.previewed(&form);
    browser.until(
        "document.getElementById('preview').contentDocument.querySelector('[data-field=field_30]').textContent.includes('And why?')",
    );
    let now = browser.run(&format!("return {scrolled}")).as_f64().expect("a place");
    assert!((now - 1234.0).abs() <= 2.0, "{now}");
    assert_eq!(browser.run("return seen.empty"), 0, "{}", browser.run("return seen"));
    assert!(browser.shifted() < 0.001, "{}", browser.shifts());
    let moved = browser.run(MOVED).as_f64().expect("a sum");
    assert!(moved < 0.001, "{moved}");
    // A save while a frame is on its way comes with the next one, and no frame is left behind.
    for word in ["One", "Two", "Three"] {
        desk.at_label();
        browser.keys(word.chars());
        browser.run("document.activeElement.blur()");
    }
    browser.until(
        "document.getElementById('preview').contentDocument?.querySelector('[data-field=field_30]')?.textContent.includes('OneTwoThree')",
    );
    desk.saved();
    desk.previewed(&form);
}

#[test]
fn widths_and_light_of_the_frame_are_those_of_the_page() {
    let Some(desk) = desk(Look { width: 1600, ..Look::DESK }) else {
        return;
    };
    let browser = &desk.browser;
    let columns = ["One", "Two", "Three"].map(|label| json!({"label": label}));
    let likert =
        json!({"type": "likert", "label": "How was it?", "statements": [{"label": "Food"}], "choices": columns});
    let form = desk.owner.form_with(json!({"name": "Widths", "fields": [likert]}));
    browser.go(&format!("{}/forms/{}/theme", desk.server.base, form.token));
    browser.until("document.querySelector('#panel')?.dataset.live === ''");
    browser.until(
        "(page => page.readyState === 'complete' && page.querySelector('.grid'))(document.getElementById('preview').contentDocument)",
    );
    let of_frame = |script: &str| {
        browser.run(&format!("const view = document.getElementById('preview').contentWindow; return {script}"))
    };
    // A grid is cards on a phone and a table where there is room: the page's own rule says so.
    let display = "view.getComputedStyle(view.document.querySelector('.grid tbody')).display";
    for (word, width, is_table) in [("mobile", 390, false), ("tablet", 768, true)] {
        browser.run(&format!("document.querySelector('[data-frame=width][value={word}]').click()"));
        let wide = of_frame("view.innerWidth").as_i64().expect("a width");
        assert!((width - 4..=width).contains(&wide), "{word}: {wide}");
        assert_eq!(of_frame(&format!("view.matchMedia('(max-width: {width}px)').matches")), json!(true), "{word}");
        assert_eq!(of_frame(display) == json!("table-row-group"), is_table, "{word}: {}", of_frame(display));
    }
    browser.run("document.querySelector('[data-frame=width]:not([value=mobile], [value=tablet])').click()");
    let whole = of_frame("view.innerWidth").as_i64().expect("a width");
    assert!(whole > 768, "{whole}");
    let ground = "view.getComputedStyle(view.document.documentElement).getPropertyValue('--bg').trim()";
    let light = of_frame(ground);
    browser.run("document.querySelector('[data-frame=scheme][value=dark]').click()");
    let dark = of_frame(ground);
    assert_ne!(light, dark);
    browser.run("document.querySelector('[data-frame=scheme][value=light]').click()");
    assert_eq!(of_frame(ground), light);
}
