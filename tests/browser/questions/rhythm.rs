//! The space between questions is always the same, whatever appears at them later, and options that are not chosen are
//! less prominent.

use serde_json::json;
use support::Server;

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

#[test]
fn questions_keep_one_distance() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let mark = json!([{"api_code": "a", "label": "Apple"}, {"api_code": "b", "label": "Pear"}]);
    let form = server.user().form(json!([
        {"type": "short_text", "label": "Name", "max_length": 20},
        {"type": "radio", "label": "Fruit", "choices": mark},
        {"type": "rating", "label": "Stars"},
        {"type": "long_text", "label": "Story", "max_length": 200},
        {"type": "nps", "label": "Likely?"},
        {"type": "number", "label": "Hidden by a rule"},
        {"type": "email", "label": "Email"},
    ]));
    let browser = Browser::open(Look::PHONE);
    for look in [Look::PHONE, Look::DESK, Look::DESK.dark()] {
        browser.look(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete' && document.querySelector('button.clear')");
        // From the last thing that is seen of a question to the label of the next.
        let gaps = || {
            browser.run(
                "document.querySelector('[data-field=field_6]').hidden = true;
                 const fields = [...document.querySelectorAll('.field:not([hidden])')];
                 const seen = e => e.checkVisibility({visibilityProperty: true}) && !e.matches('.clear, .clear *, .counter, legend, label.label');
                 const end = field => Math.max(...[...field.querySelectorAll('*')].filter(seen).map(e => e.getBoundingClientRect().bottom));
                 return fields.slice(1).map((field, at) => Math.round(field.getBoundingClientRect().top - end(fields[at])))",
            )
        };
        let before = gaps();
        assert_eq!(before, json!([32, 32, 32, 32, 32]), "{}", look.width);
        browser
            .run("for (const name of ['field_2', 'field_3', 'field_5']) document.getElementsByName(name)[0].click()");
        browser.run("field_4.value = 'x'.repeat(199); field_4.dispatchEvent(new Event('input', {bubbles: true}))");
        browser.until("document.querySelector('[data-field=field_4] .counter').textContent");
        assert_eq!(gaps(), before, "{}", look.width);
        // The button is in the label's line, and options that are not chosen have a paler frame than an input.
        let found = browser.run(
            "const field = document.querySelector('[data-field=field_2]'), middle = e => { const b = e.getBoundingClientRect(); return b.top + b.height / 2; };
             const frame = e => getComputedStyle(e).borderTopColor, own = field.querySelectorAll('.choice');
             const radio = getComputedStyle(own[1].querySelector('input')).backgroundColor;
             return [Math.abs(middle(field.querySelector('.clear')) - middle(field.querySelector('legend'))) < 6,
                 frame(own[0]) === frame(own[1]), frame(own[1]) === frame(field_1),
                 radio === getComputedStyle(document.querySelector('main')).backgroundColor]",
        );
        assert_eq!(found, json!([true, false, false, true]), "{}", look.width);
    }
    assert_eq!(browser.complaints(), NOTHING);
}
