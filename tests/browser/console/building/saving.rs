//! What is typed saves itself: the page says so in order and soon, also of a thousand choices at once.

use std::fmt::Write as _;

use serde_json::{Value, json};
use support::field;

use super::speed::figure;
use super::{Desk, desk};
use crate::driver::webdriver::Look;

/// The questions of the draft, as the page's own JSON has them.
pub(super) fn draft(desk: &Desk) -> Value {
    desk.browser.wait_for(
        "const [done] = arguments;
         fetch(location.pathname, {headers: {Accept: 'application/json'}}).then((answer) => answer.json())
            .then(({data}) => done(data.fields))",
        json!([]),
    )
}

#[test]
fn what_is_typed_is_being_saved_and_then_saved() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.form(3);
    desk.build(&form, "field_1");
    let browser = &desk.browser;
    browser.run(
        "const chip = document.querySelector('[data-save-chip]'); window.said = [];
         new MutationObserver(() => {
           const {state} = chip.dataset;
           if (said.at(-1)?.state !== state) said.push({state, text: chip.firstChild.textContent, at: performance.now()});
         }).observe(chip, {attributes: true, childList: true, characterData: true, subtree: true});
         document.getElementById('label').addEventListener('input', () => { window.lastKey = performance.now(); })",
    );
    desk.at_label();
    browser.keys(" And why?".chars());
    support::until("the text is saved", || {
        draft(&desk)[0]["label"].as_str().is_some_and(|it| it.ends_with("And why?"))
    });
    desk.saved();
    let said = browser.run("return said");
    // Whoever types slowly sees it several times.
    let said: Vec<(&str, &str)> = said
        .as_array()
        .expect("changes of the words")
        .iter()
        .map(|it| (it["state"].as_str().expect("a state"), it["text"].as_str().expect("words")))
        .collect();
    for both in said.chunks(2) {
        assert!(matches!(both, [("saving", "Saving …"), ("saved", saved)] if saved.starts_with("Saved ")), "{said:?}");
    }
    let last = browser.run("return said.at(-1).at - lastKey").as_f64().expect("a time");
    figure("milliseconds from the last key until it says that it is saved", last, 1_000.0);
    desk.build(&form, "field_1");
    let label = "return document.getElementById('label').value.endsWith('And why?')";
    assert_eq!(browser.run(label), json!(true), "a reload shows it");
}

#[test]
fn a_thousand_choices_are_applied_as_text() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let choices: Value = (1..=1_000).map(|at| json!({"label": format!("Choice {at}")})).collect();
    let form = desk.owner.form(json!([field("radio", json!({"label": "Which one?", "choices": choices}))]));
    desk.build(&form, "field_1");
    let before = draft(&desk)[0]["choices"].clone();
    let mut text = String::new();
    for at in 1..=1_000 {
        let _ = writeln!(text, "Choice {at}\t{at}");
    }
    let browser = &desk.browser;
    browser.run(&format!(
        "document.querySelector('[name=\"_text.choices\"]').value = {};
         sessionStorage.setItem('began', performance.timeOrigin + performance.now());
         document.body.dataset.left = ''; document.querySelector('[value=\"choices.text\"]').click()",
        json!(text)
    ));
    browser.until("document.body.dataset.left === undefined && document.querySelector('#panel')?.dataset.live === ''");
    let spent = browser.run(
        "const [page] = performance.getEntriesByType('navigation');
         return performance.timeOrigin + page.domContentLoadedEventEnd - sessionStorage.getItem('began')",
    );
    let after = draft(&desk)[0]["choices"].clone();
    assert_eq!(after.as_array().map(Vec::len), Some(1_000));
    for (at, (old, new)) in
        before.as_array().into_iter().flatten().zip(after.as_array().into_iter().flatten()).enumerate()
    {
        assert_eq!((&new["api_code"], &new["score"]), (&old["api_code"], &json!(at + 1)), "{at}");
    }
    figure("milliseconds to apply a thousand choices", spent.as_f64().expect("a time"), 600.0);
    long_list(&desk, after);
}

/// Rows of a long list that is drawn in part are changed and added; the others stay, and are shown when they are asked for.
fn long_list(desk: &Desk, mut expected: Value) {
    let browser = &desk.browser;
    let rows = "return document.querySelectorAll('#choices > ol > .part').length";
    let nodes = browser.run("return document.querySelectorAll('*').length").as_u64().expect("a number");
    assert!(nodes < 6_000, "{nodes} nodes");
    assert_eq!(browser.run(rows), json!(100));
    browser.run("const line = document.getElementById('choices[2].label'); line.focus(); line.select()");
    browser.keys("Third\u{e007}Between".chars());
    browser.run("document.activeElement.blur()");
    desk.saved();
    let after = draft(desk)[0]["choices"].clone();
    assert_eq!(after[3]["label"], "Between");
    let all = expected.as_array_mut().expect("choices");
    all[2]["label"] = json!("Third");
    all.insert(3, after[3].clone());
    assert_eq!(after, expected);
    browser.run("document.body.dataset.left = ''; document.querySelector('#choices > .notes > a').click()");
    browser.until("document.body.dataset.left === undefined && document.querySelector('#panel')?.dataset.live === ''");
    assert_eq!(browser.run(rows), json!(1_001));
    assert_eq!(browser.run("return document.querySelector('[name=\"choices.rest\"]')"), json!(null));
}
