//! On the way through a form and out of it: faults are counted down, sending is announced, nobody recognised as a
//! person has to wait, and cards and moments are counted as they are.

use serde_json::{Value, json};
use support::{Response, Server, field, until};

use crate::driver::steps::{NOTHING, PATIENT, click, count, load, put, set, soon};
use crate::driver::webdriver::{Browser, Look};

fn questions(labels: &[&str], own: &Value) -> Value {
    labels
        .iter()
        .map(|label| {
            let mut made = field("short_text", own.clone());
            made["label"] = json!(label);
            made
        })
        .collect()
}

#[test]
fn what_is_left_to_correct_is_counted_and_the_tab_says_so() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let fields = questions(&["Name", "Town", "Street"], &json!({"required": true}));
    for (locale, words) in [("en", ["with 3 answers", "with 2 answers", "with one answer"]), ("zh-CN", ["3", "2", "1"])]
    {
        let form = owner.form_with(json!({"name": "A party", "locale": locale, "fields": fields}));
        // Drawn by the script, and by the server.
        for drawn_by_server in [false, true] {
            let browser = Browser::open(Look::PHONE);
            load(&browser, server, &form);
            let title = browser.run("return document.title");
            if drawn_by_server {
                browser.run("form.submit()");
            } else {
                click(&browser, "#forward");
            }
            for (nth, words) in words.iter().enumerate() {
                browser.until(&format!(
                    "document.readyState === 'complete' && document.querySelector('#summary h2')?.textContent.includes({})",
                    json!(words)
                ));
                assert_ne!(browser.run("return document.title"), title);
                put(&browser, &format!("field_{}", nth + 1), "x");
            }
            browser.until("!document.getElementById('summary')");
            assert_eq!(browser.run("return document.title"), title);
            assert_eq!(browser.complaints(), NOTHING);
        }
    }
}

#[test]
fn sending_says_so_and_happens_once() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(questions(&["Name"], &json!({})));
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    let shape = "const box = forward.getBoundingClientRect(); return [box.x, box.width, box.height].join()";
    let before = browser.run(shape);
    // It is on its way until the test lets it go.
    browser.run(
        "const plain = window.fetch, held = new Promise(go => { window.letGo = go; });
         window.fetch = (...all) => held.then(() => plain(...all))",
    );
    let said = browser.run(
        "forward.focus(); forward.click(); forward.click(); const status = document.getElementById('sending');
         return [forward.textContent, status.textContent, status.getAttribute('role')].join()",
    );
    assert_eq!(said, "Sending…,Sending…,status");
    assert_eq!(
        browser.run("const style = getComputedStyle(forward); return [forward.getAttribute('aria-disabled'), forward.getAttribute('aria-busy'), forward.disabled, style.opacity, style.filter, document.activeElement.id].join()"),
        "true,true,false,1,none,forward"
    );
    assert_eq!(browser.run(shape), before);
    browser.shot("sending-1280", Look::DESK);
    click(&browser, "#forward");
    browser.run("letGo()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(count(&owner, &form), 1);

    // Without a network it goes back.
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    browser.run("window.fetch = () => new Promise((done, fail) => { setTimeout(fail, 200, new TypeError('no')); })");
    assert_eq!(browser.run("forward.click(); return forward.textContent"), "Sending…");
    browser.until("forward.textContent === 'Submit'");
    assert_eq!(
        browser.run("return [forward.ariaDisabled, forward.ariaBusy, forward.style.inlineSize, document.getElementById('sending').textContent].join()"),
        ",,,"
    );
    assert!(browser.text("#before-fields").contains("offline"));
    assert_eq!(browser.complaints(), NOTHING);
}

/// The value of a hidden input.
fn hidden(page: &Response, name: &str) -> String {
    let rest = page.text.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn nobody_waits_who_was_seen_to_be_a_person() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(questions(&["Name"], &json!({})));
    // The server asks for a sign or for two seconds; the trap stays one.
    let page = || anon.get(form.page());
    assert_eq!(hidden(&page(), "_sign"), "");
    let send = |sign: &str, trap: &str| {
        let stamp = hidden(&page(), "_time");
        let pairs = [("_page", "0"), ("_time", &stamp), ("_sign", sign), ("_homepage", trap), ("field_1", "Ada")];
        anon.post_form(form.page(), &pairs).status
    };
    // The machine itself may be slower than two seconds.
    until("a post that comes soon is asked", || send("", "") == 422);
    assert_eq!(send("keydown", "https://spam.example/"), 422);
    assert_eq!(send("keydown", ""), 303);
    let stamp = hidden(&page(), "_time");
    let forged = stamp.replacen(char::is_numeric, "1", 3);
    let asked = anon.post_form(form.page(), &[("_page", "0"), ("_time", &forged), ("_sign", "keydown")]);
    assert_eq!(asked.status, 422);

    // Keys are a sign: the answer is sent at once. Whoever waits has it checked first.
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    let first = browser.run(
        "const plain = window.fetch; return new Promise(done => {
             window.fetch = (...all) => { done([form.elements._sign.value !== '', all[1].body.get('_action')]); return plain(...all); };
             forward.click() })",
    );
    assert_eq!(first, json!([true, "submit"]));
    browser.until("location.pathname.endsWith('/done')");
    // A click that a script makes is none: it waits, and is not asked again.
    load(&browser, server, &form);
    click(&browser, "#forward");
    browser.until("location.pathname.endsWith('/done')");
    let entries = owner.get(form.entries()).data();
    let newest = entries.as_array().and_then(|all| all.iter().max_by_key(|one| one["serial_number"].as_i64()));
    let took = newest.expect("an entry")["info_filling_duration"].as_i64().expect("seconds");
    assert!(took >= 2, "{took}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_script_is_told_the_receipt_or_what_is_wrong() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(questions(&["Name"], &json!({"required": true})));
    let stamp = hidden(&anon.get(form.page()), "_time");
    let pairs = |name: &'static str| {
        [("_page", "0"), ("_once", "first"), ("_time", stamp.as_str()), ("_sign", "keydown"), ("field_1", name)]
    };
    let ask = |name: &'static str, status: u16| {
        let script = server.anon().header("accept", "application/json");
        let told = script.post_form(form.page(), &pairs(name));
        assert_eq!(told.status, status, "{told}");
        told.json()
    };
    let wrong = ask("", 422);
    assert_eq!(
        (&wrong["says_more"], &wrong["titles"], &wrong["faults"][0]["field"]),
        (&json!(false), &json!(["There’s a problem with one answer"]), &json!("field_1")),
        "{wrong}"
    );
    // A page that sends the same without the script gets the same receipt.
    let told = ask("Ada", 200);
    let done = anon.post_form(form.page(), &pairs("Ada"));
    assert_eq!(done.status, 303, "{done}");
    assert_eq!(told, json!({"receipt": done.header("location")}));
    assert_eq!(count(&owner, &form), 1);
    // An answer that needs more than faults needs a page.
    assert_eq!(ask("Grace", 409)["says_more"], json!(true));
    set(&owner, &form, json!({"availability": {"manually_closed": true}}));
    assert_eq!(ask("Grace", 409)["says_more"], json!(true));
}

#[test]
fn a_countdown_says_the_two_largest_units() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(questions(&["Name"], &json!({})));
    let opens = |secs: u64| {
        set(&owner, &form, json!({"availability": {"show_countdown": true, "schedule": {"start_at": soon(secs)}}}));
    };
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    for script in [true, false] {
        let look = if script { Look::PHONE } else { Look::PHONE.without_script() };
        let browser = Browser::open(look);
        for (secs, words) in [
            (51 * HOUR + 20 * MINUTE, "2 days 3 hours"),
            (48 * HOUR + 20 * MINUTE, "2 days"),
            (HOUR + 5 * MINUTE + 30, "1 hour 5 minutes"),
            (42 * MINUTE + 30, "42 minutes"),
        ] {
            opens(secs);
            load(&browser, server, &form);
            assert_eq!(browser.text(".countdown"), words);
        }
        if script {
            // The last minute is shown by seconds, and no screen reader reads each of them.
            opens(50);
            load(&browser, server, &form);
            browser.until("/^[1-4]?[0-9] seconds$/.test(document.querySelector('.countdown').textContent)");
            let first = browser.text(".countdown");
            browser.until(&format!("document.querySelector('.countdown').textContent !== {}", json!(first)));
            assert_eq!(browser.run("return document.querySelector('.countdown').getAttribute('role')"), "timer");
            // When it is over the form is there.
            opens(3);
            load(&browser, server, &form);
            browser.until("document.getElementById('field_1')");
        }
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn cards_that_can_be_reached_are_counted_and_a_formula_is_none() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "A party", "layout": "card", "fields": [
        {"type": "radio", "label": "Do you come?", "choices": [{"api_code": "yes", "label": "Yes"}, {"api_code": "no", "label": "No"}]},
        {"type": "number", "label": "How many are you?"},
        {"type": "formula", "label": "Chairs", "expression": "field_2 + 1", "result_type": "number"},
        {"type": "short_text", "label": "What do you eat?"},
        {"type": "short_text", "label": "What do you bring?"},
        {"type": "short_text", "label": "Anything else?"},
    ]}));
    let rules = json!({"rules": [{"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "yes"}]},
        "action": "show", "fields": ["field_2", "field_3", "field_4", "field_5"]}]});
    let put_rules = owner.put(format!("{}/field_rules", form.path()), rules);
    assert_eq!(put_rules.status, 200, "{put_rules}");
    let options = json!({"show_progress": true});
    set(&owner, &form, json!({"submission_options": options}));
    for script in [true, false] {
        let look = if script { Look::PHONE } else { Look::PHONE.without_script() };
        let browser = Browser::open(look);
        let at = |words: &str| {
            browser.until(&format!(
                "document.readyState === 'complete' && document.querySelector('.progress span').textContent.trim() === {}",
                json!(words)
            ));
            let (label, bar) = (
                browser.run("return document.querySelector('.page:not([hidden])').getAttribute('aria-label')"),
                browser.run(
                    "const bar = document.querySelector('.progress progress'); return `${bar.value} of ${bar.max}`",
                ),
            );
            assert_eq!((label, bar), (json!(words), json!(words)));
        };
        load(&browser, server, &form);
        at("1 of 2");
        click(&browser, "[value=no]");
        click(&browser, "#forward");
        at("2 of 2");
        assert!(browser.text("main").contains("Anything else?"));
        assert_eq!(browser.text("#forward"), "Submit");
        click(&browser, "#backward");
        at("1 of 2");
        click(&browser, "[value=yes]");
        if script {
            at("1 of 5");
        }
        click(&browser, "#forward");
        at("2 of 5");
        let card = browser.text(".page:not([hidden])");
        assert!(card.contains("How many") && card.contains("Chairs"), "{card}");
        for words in ["3 of 5", "4 of 5", "5 of 5"] {
            click(&browser, "#forward");
            at(words);
        }
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn where_answers_are_kept_is_said_on_the_first_and_the_last_card() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "A party", "layout": "card",
        "fields": questions(&["Name", "Town", "Street"], &json!({}))}));
    for script in [true, false] {
        let look = if script { Look::PHONE } else { Look::PHONE.without_script() };
        let browser = Browser::open(look);
        load(&browser, server, &form);
        let is_said = "getComputedStyle(document.querySelector(document.querySelector('#kept.here') ? '#kept span + span' : '#kept span')).visibility === 'visible'";
        for (card, said) in [("0", true), ("1", false), ("2", true)] {
            browser.until(&format!(
                "document.readyState === 'complete' && document.querySelector('[name=_page]').value === '{card}'"
            ));
            assert_eq!(browser.run(&format!("return {is_said}")), json!(said), "{card}");
            if card == "0" && script {
                put(&browser, "field_1", "Ada");
            }
            click(&browser, "#forward");
        }
    }
    // The notice of restored answers covers nothing.
    for (layout, look) in [("classic", Look::PHONE), ("card", Look::DESK)] {
        let form = owner.form_with(json!({"name": "A party", "layout": layout,
            "fields": questions(&["Name", "Town", "Street"], &json!({}))}));
        let browser = Browser::open(look);
        load(&browser, server, &form);
        put(&browser, "field_1", "Ada");
        browser.until("Object.values(localStorage).some(kept => kept.includes('Ada'))");
        load(&browser, server, &form);
        assert!(browser.text("#toast").contains("restored"));
        assert_eq!(
            browser.run("const toast = document.getElementById('toast'); return [getComputedStyle(toast).position, toast.compareDocumentPosition(form) & 4, toast.getAttribute('role')].join()"),
            "static,4,status"
        );
        assert!(browser.shifted() < 0.001, "{}", browser.shifted());
        browser.shot(&format!("toast-{layout}"), look);
        assert_eq!(browser.axe(), NOTHING);
        click(&browser, "#toast [value=close]");
        until("the toast is gone", || browser.text("#toast").is_empty());
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn a_slow_network_is_explained_while_answers_are_on_their_way() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(questions(&["Name"], &json!({})));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_1", &"A".repeat(60));
    browser.until(PATIENT);
    assert_eq!(browser.text("#sending"), "");
    browser.slow(20);
    click(&browser, "#forward");
    browser.until("document.querySelector('#sending:not(.visually-hidden)')");
    let said = browser.text("#sending");
    assert!(said.contains("Still sending") && said.contains("slow"), "{said}");
    for (look, side) in [(Look::PHONE, "light"), (Look::PHONE.dark(), "dark")] {
        browser.look(look);
        browser.shot(&format!("slow-360-{side}"), look);
    }
    browser.slow(1_000_000);
    browser.until("location.pathname.endsWith('/done')");
}
