//! Nothing that was typed is lost: not by the way back, not when the form or its password changes meanwhile,
//! not before it opens, not by a script that does not come. And nothing is stored twice.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, click, count, load, put, reload, send, set, soon};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};

/// Waits until the page with this in it is there.
fn at(browser: &Browser, selector: &str) {
    browser.until(&format!(
        "document.readyState === 'complete' && document.querySelector({})?.checkVisibility()",
        json!(selector)
    ));
}

fn value(browser: &Browser, id: &str) -> Value {
    browser.run(&format!("return document.getElementById({})?.value", json!(id)))
}

fn change(owner: &Caller, form: &Form, mut changes: Value) {
    changes["confirm_data_loss"] = json!(true);
    let done = owner.patch(form.path(), changes);
    assert_eq!(done.status, 200, "{done}");
}

/// The same fields as a new form is given them: without codes.
fn uncoded(mut fields: Value) -> Value {
    let list = fields.as_array_mut().into_iter().flatten();
    for field in list.filter_map(Value::as_object_mut) {
        field.remove("api_code");
        if let Some(columns) = field.get_mut("dimensions") {
            *columns = uncoded(columns.take());
        }
    }
    fields
}

#[test]
fn whoever_comes_back_after_sending_finds_the_receipt() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "Your name"})),
        field("page_break", json!({})),
        field("short_text", json!({"label": "Your town"})),
    ]));
    let browser = Browser::open(Look::PHONE);
    // As browsers keep pages that are left, and as they load them again.
    for keeps_pages in [true, false] {
        let before = count(&owner, &form);
        load(&browser, server, &form);
        put(&browser, "field_1", "Ada");
        click(&browser, "#forward");
        at(&browser, "#field_3");
        put(&browser, "field_3", "London");
        if !keeps_pages {
            browser.run("addEventListener('unload', () => {})");
        }
        let once = browser.run("return document.querySelector('[name=_once]').value");
        click(&browser, "#forward");
        browser.until("location.pathname.endsWith('/done')");
        let receipt = browser.run("return location.pathname + location.search");
        assert_eq!(count(&owner, &form), before + 1);

        browser.back();
        at(&browser, "#was-sent");
        let text = browser.text("#was-sent");
        assert!(text.contains("already submitted"), "{text}");
        assert_eq!(
            browser.run("return document.querySelector('#was-sent a').getAttribute('href').replace('&stay=1', '')"),
            receipt
        );
        assert_eq!(browser.run("return form.checkVisibility()"), json!(false));
        if keeps_pages {
            browser.shot("was-sent-360", Look::PHONE);
            assert_eq!(browser.axe(), NOTHING);
        }
        // A post that might be sent all the same is the same sending.
        assert_eq!(browser.run("return document.querySelector('[name=_once]').value"), once);
        // A page further back belongs to it too.
        browser.back();
        at(&browser, "#was-sent");
        click(&browser, "#was-sent a");
        browser.until("location.pathname.endsWith('/done')");
        assert_eq!(count(&owner, &form), before + 1);

        // Another answer is another one.
        browser.back();
        at(&browser, "#was-sent");
        click(&browser, "#was-sent button");
        at(&browser, "#field_1");
        assert_eq!(value(&browser, "field_1"), "");
        assert_ne!(browser.run("return document.querySelector('[name=_once]').value"), once);
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_form_that_was_sent_is_not_sent_again_by_a_key() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let fields = json!([field("short_text", json!({"label": "Your name"}))]);
    let form = owner.form_with(json!({"name": "A card", "layout": "card", "fields": fields}));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    click(&browser, "#forward");
    browser.until("location.pathname.endsWith('/done')");
    browser.back();
    reload(&browser);
    at(&browser, "#was-sent");
    browser.keys([ENTER]);
    thread::sleep(Duration::from_millis(500));
    at(&browser, "#was-sent");
    assert_eq!(count(&owner, &form), 1);
}

#[test]
fn an_old_receipt_takes_no_newer_draft_away() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"label": "Your name"}))]));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    click(&browser, "#forward");
    browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
    let receipt = browser.run("return location.href");
    assert_eq!(browser.run("return localStorage.length"), json!(0));
    load(&browser, server, &form);
    put(&browser, "field_1", "Grace");
    browser.until("Object.values(localStorage).some(kept => kept.includes('Grace'))");
    browser.go(receipt.as_str().expect("an address"));
    browser.until("document.readyState === 'complete'");
    load(&browser, server, &form);
    browser.until("document.querySelector('#toast button')");
    assert_eq!(value(&browser, "field_1"), "Grace");
    // A record that can't be read does no harm to the page.
    browser.run("for (const name of Object.keys(localStorage)) localStorage.setItem(name, JSON.stringify({at: Date.now(), types: {field_1: 'short_text'}}))");
    load(&browser, server, &form);
    at(&browser, "#field_1");
    browser.until("getComputedStyle(form).opacity === '1'");
}

#[test]
fn where_the_owner_leads_on_the_way_back_finds_the_receipt_too() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"label": "Your name"}))]));
    let shop = json!({"mode": "redirect", "redirect": {"url": format!("{}/sign-in", server.base)}});
    set(&owner, &form, json!({"after_submission": shop}));
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    click(&browser, "#forward");
    browser.until("location.pathname === '/sign-in' && document.readyState === 'complete'");
    browser.back();
    at(&browser, "#was-sent");
    browser.until("document.activeElement.id === 'was-sent'");
    assert_eq!(count(&owner, &form), 1);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn loaded_again_a_page_goes_on_with_its_sending() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"label": "Your name"}))]));
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    // The answer of the server is lost on its way.
    browser.run(
        "const own = window.fetch; window.fetch = async (...all) => { await own(...all); throw new TypeError('lost'); }",
    );
    click(&browser, "#forward");
    browser.until("document.querySelector('#before-fields .message')");
    assert_eq!(count(&owner, &form), 1);
    assert_eq!(browser.text("#forward"), "Submit");
    browser.run("location.reload()");
    browser.until("document.readyState === 'complete' && field_1.value === 'Ada' && !document.querySelector('#before-fields .message')");
    put(&browser, "field_1", "");
    click(&browser, "#forward");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(count(&owner, &form), 1, "sent twice, stored once");
}

#[test]
fn what_the_owner_changes_meanwhile_is_asked_with_all_that_was_typed() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let letters = |codes: &[&str]| -> Value {
        codes.iter().map(|code| json!({"api_code": code, "label": code.to_uppercase()})).collect()
    };
    let browser = Browser::open(Look::PHONE);
    for layout in ["classic", "card"] {
        let name = json!({"api_code": "field_1", "type": "short_text", "label": "Your name", "required": true});
        let radio = |codes: &[&str]| json!({"api_code": "field_2", "type": "radio", "label": "Your group", "choices": letters(codes)});
        let form = owner.form_with(
            json!({"name": "A form", "layout": layout, "fields": uncoded(json!([name, radio(&["old", "both"])]))}),
        );
        let on = |page: usize| {
            if layout == "card" {
                click(&browser, "#forward");
                browser.until(&format!("document.querySelector('[name=_page]').value === '{page}'"));
            }
        };
        load(&browser, server, &form);
        put(&browser, "field_1", "Ada");
        on(1);
        click(&browser, "input[value=old]");
        let email = json!({"type": "email", "label": "Your email", "required": true});
        change(&owner, &form, json!({"fields": [name, radio(&["old", "both"]), email]}));
        click(&browser, "#forward");
        at(&browser, "#field_3");
        assert!(browser.text("[data-field=field_3]").contains("Answer this"));
        assert_eq!(value(&browser, "field_1"), "Ada");
        assert_eq!(browser.run("return document.querySelector('input[value=old]').checked"), json!(true));
        // A choice goes that was taken: the ones that there are now are shown.
        change(
            &owner,
            &form,
            json!({"fields": [name, radio(&["both", "new"]), json!({"api_code": "field_3", "type": "email", "label": "Your email", "required": true})]}),
        );
        put(&browser, "field_3", "ada@example.com");
        click(&browser, "#forward");
        at(&browser, "input[value=new]");
        assert_eq!(value(&browser, "field_3"), "ada@example.com");
        click(&browser, "input[value=new]");
        on(2);
        click(&browser, "#forward");
        browser.until("location.pathname.endsWith('/done')");
        let stored = owner.get(form.entries()).data()[0].clone();
        assert_eq!(stored["field_1"], "Ada", "{layout} {stored}");
        assert_eq!(stored["field_3"], "ada@example.com", "{layout} {stored}");
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn kept_answers_come_back_to_a_form_that_was_corrected() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let choices =
        |codes: &[&str]| -> Value { codes.iter().map(|code| json!({"api_code": code, "label": code})).collect() };
    let one = |code: &str, kind: &str, own: Value| {
        let mut made = field(kind, own);
        made["api_code"] = json!(code);
        made
    };
    let form = owner.form(uncoded(json!([
        one("field_1", "short_text", json!({"label": "Name"})),
        one("field_2", "radio", json!({"choices": choices(&["a", "b"])})),
        one("field_3", "dropdown", json!({"choices": choices(&["c", "d"])})),
        one("field_4", "short_text", json!({})),
        one("field_5", "page_break", json!({})),
        one("field_6", "long_text", json!({"label": "Why"})),
        one("field_7", "table", json!({"max_rows": 4, "dimensions": [
            {"type": "short_text", "label": "Who", "api_code": "field_1"}, {"type": "number", "label": "Age", "api_code": "field_2"}]})),
    ])));
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_1", "Ada");
    click(&browser, "[name=field_2][value=a]");
    browser.run("field_3.value = 'd'");
    put(&browser, "field_4", "away");
    click(&browser, "#forward");
    at(&browser, "#field_6");
    put(&browser, "field_6", "Because");
    browser.run("document.querySelector('[name=\"field_7[0].field_1\"]').focus()");
    browser.keys("Grace".chars().chain([TAB]));
    browser.until("Object.values(localStorage).some(kept => kept.includes('Grace'))");
    browser.go(&format!("{}/sign-in", server.base));

    // Renamed, a label corrected, one more question, one less, one of another type, another order, a choice gone.
    change(
        &owner,
        &form,
        json!({"name": "A better name", "fields": [
            one("field_1", "short_text", json!({"label": "Your full name"})),
            one("field_3", "dropdown", json!({"choices": choices(&["c"])})),
            one("field_5", "page_break", json!({})),
            field("short_text", json!({"label": "A new one", "default_value": "as always"})),
            field("page_break", json!({})),
            one("field_7", "table", json!({"max_rows": 4, "dimensions": [
                {"type": "short_text", "label": "Who?", "api_code": "field_1"}, {"type": "number", "label": "Age", "api_code": "field_2"}]})),
            one("field_6", "long_text", json!({"label": "And why?"})),
            one("field_2", "radio", json!({"choices": choices(&["a", "b", "z"])})),
            field("email", json!({"label": "In the place of field 4"})),
        ]}),
    );
    load(&browser, server, &form);
    assert_eq!(value(&browser, "field_1"), "Ada");
    assert_eq!(value(&browser, "field_6"), "Because");
    assert_eq!(value(&browser, "field_3"), "");
    assert_eq!(value(&browser, "field_8"), "as always");
    assert_eq!(browser.run("return document.querySelector('[name=field_2]:checked').value"), "a");
    assert_eq!(browser.run("return document.querySelector('[name=\"field_7[0].field_1\"]').value"), "Grace");
    // Where the question is by now that was on the screen.
    assert!(browser.text(".page:not([hidden])").contains("And why?"));
    assert!(browser.text("#toast").contains("restored"));
    assert!(browser.shifted() < 0.001, "{}", browser.shifted());

    // Another type has another meaning.
    change(&owner, &form, json!({"fields": [field("email", json!({"api_code": "field_10", "label": "New"}))]}));
    load(&browser, server, &form);
    assert_eq!(browser.text("#toast"), "");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_password_that_changes_meanwhile_costs_nothing() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "Inner circle", "fields": [
        {"type": "short_text", "label": "Secret question", "required": true},
        {"type": "page_break"},
        {"type": "checkbox", "label": "Days", "choices": [{"api_code": "mo", "label": "Mo"}, {"api_code": "tu", "label": "Tu"}]},
        {"type": "attachment", "label": "A file", "media_type": "document"},
    ]}));
    let password = |word: &str| set(&owner, &form, json!({"access_control": {"access_password": word}}));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.pdf");
    std::fs::write(&file, b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").expect("a file");
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        password("first");
        let browser = Browser::open(look);
        let unlock = |word: &str| {
            browser.run("document.getElementById('_password').focus()");
            browser.keys(word.chars().chain([ENTER]));
        };
        load(&browser, server, &form);
        unlock("first");
        at(&browser, "#field_1");
        put(&browser, "field_1", "It's <me> & \"you\"");
        click(&browser, "#forward");
        at(&browser, "[value=tu]");
        click(&browser, "[value=mo]");
        click(&browser, "[value=tu]");
        if !look.script {
            // A file that came already stays.
            browser.choose("field_4", std::slice::from_ref(&file));
            click(&browser, "#backward");
            at(&browser, "#field_1");
            click(&browser, "#forward");
            at(&browser, "[value=tu]");
            assert!(browser.text("[data-field=field_4]").contains("plan.pdf"));
        }
        if look.script {
            browser.choose("field_4", std::slice::from_ref(&file));
        }
        password("second");
        click(&browser, "#forward");
        at(&browser, "#_password");
        let seen = browser.text("main");
        assert!(seen.contains("answers are still here"), "{seen}");
        assert!(!seen.contains("Inner circle") && !seen.contains("Secret"), "{seen}");
        unlock("first");
        at(&browser, "#_password-fault");
        browser.shot(if look.script { "locked-again-360" } else { "locked-again-plain-360" }, look);
        unlock("second");
        at(&browser, "#forward");
        assert_eq!(value(&browser, "field_1"), "It's <me> & \"you\"");
        assert_eq!(
            browser.run("return [...document.querySelectorAll('[name=field_3]:checked')].map(one => one.value).join()"),
            "mo,tu"
        );
        if look.script {
            // No file is sent without the password: the page names the missing one.
            assert!(browser.text("[data-field=field_4]").contains("Choose plan.pdf again"));
            assert!(browser.text("#summary").contains("plan.pdf"));
            browser.shot("unlocked-file-360", look);
            browser.choose("field_4", std::slice::from_ref(&file));
        }
        send(&browser);
        browser.until("location.pathname.endsWith('/done')");
        let stored = owner.get(form.entries()).data()[0].clone();
        assert_eq!(stored["field_1"], "It's <me> & \"you\"");
        assert!(browser.text("main").contains("plan.pdf"));
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn a_form_that_opens_later_is_read_and_opens_in_place() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for is_locked in [false, true] {
        let form = owner.form(json!([
            field("short_text", json!({"label": "Your name", "required": true})),
            field("page_break", json!({})),
            field(
                "radio",
                json!({"label": "Size", "choices": [{"api_code": "s", "label": "S"}, {"api_code": "m", "label": "M"}]})
            ),
            field("signature", json!({"label": "Signature"})),
        ]));
        let password = if is_locked { json!("open") } else { json!(null) };
        let browser = Browser::open(Look::PHONE);
        let load_before = |secs: u64| {
            set(
                &owner,
                &form,
                json!({"access_control": {"access_password": password}, "availability": {"show_form_before_open": true, "show_countdown": true, "schedule": {"start_at": soon(secs)}}}),
            );
            let query = if is_locked { "" } else { "?field_1=Ada" };
            browser.go(&format!("{}{}{query}", server.base, form.page()));
            browser.until("document.readyState === 'complete'");
            if is_locked {
                browser.run("document.getElementById('_password').focus()");
                browser.keys("open".chars().chain([ENTER]));
                at(&browser, "#field_1");
            }
        };
        load_before(3600);
        assert!(browser.text("main").contains("read the questions now"), "{}", browser.text("main"));
        // All of it is inert: for the mouse, the keyboard and a screen reader.
        let inert = "return [...document.querySelectorAll('.inert :is(input, select, textarea, button)')].every(one => one.matches(':disabled'))";
        assert_eq!(browser.run(inert), json!(true));
        let reached = "document.getElementById('field_1').focus(); return document.activeElement.id";
        assert_eq!(browser.run(reached), json!(""));
        if !is_locked {
            for (look, side) in [(Look::PHONE, "light"), (Look::PHONE.dark(), "dark")] {
                browser.look(look);
                browser.shot(&format!("early-360-{side}"), look);
                assert_eq!(browser.axe(), NOTHING);
            }
            browser.look(Look::PHONE);
        }
        // The moment comes.
        load_before(5);
        at(&browser, "#forward");
        assert_eq!(value(&browser, "field_1"), if is_locked { "" } else { "Ada" });
        put(&browser, "field_1", "Ada");
        click(&browser, "#forward");
        at(&browser, "[value=m]");
        click(&browser, "[value=m]");
        click(&browser, "#forward");
        browser.until("location.pathname.endsWith('/done')");
        assert_eq!(owner.get(form.entries()).data()[0]["field_1"], "Ada");
        assert_eq!(browser.complaints(), NOTHING);
    }
    // Without a script, a visitor who checks whether it is open has the questions once it is.
    let form = owner.form(json!([field("short_text", json!({"label": "Your name"}))]));
    let opens = |at: &str| {
        set(&owner, &form, json!({"availability": {"show_form_before_open": true, "schedule": {"start_at": at}}}))
    };
    opens("2090-01-01T08:00:00Z");
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&format!("{}{}?field_1=Ada", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    browser.shot("early-plain-360", Look::PHONE);
    click(&browser, "#check-open");
    at(&browser, "#check-open");
    opens("2020-01-01T08:00:00Z");
    click(&browser, "#check-open");
    at(&browser, "#forward");
    assert_eq!(value(&browser, "field_1"), "Ada");
    assert_eq!(count(&owner, &form), 0);
}

/// A way to the server on which files whose names end so are held: they come once `hold` returns.
fn slow_files(base: &str, ending: &'static str, hold: impl Fn() + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = format!("http://{}", listener.local_addr().expect("bound"));
    let server = base.trim_start_matches("http://").to_owned();
    let hold = Arc::new(hold);
    thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let (server, hold) = (server.clone(), Arc::clone(&hold));
            thread::spawn(move || pass_on(near, &server, ending, &*hold));
        }
    });
    own
}

/// One request and its answer.
fn pass_on(near: TcpStream, server: &str, ending: &str, hold: &dyn Fn()) -> Option<()> {
    let mut reader = BufReader::new(near.try_clone().ok()?);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let lower = line.to_ascii_lowercase();
        if let Some(text) = lower.strip_prefix("content-length:") {
            length = text.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if head.lines().next()?.contains(&format!("{ending} ")) {
        hold();
    }
    let mut far = TcpStream::connect(server).ok()?;
    far.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).ok()?;
    far.write_all(&body).ok()?;
    std::io::copy(&mut far, &mut &near).ok()?;
    Some(())
}

#[test]
fn a_script_that_is_late_keeps_no_page_white_and_nothing_moves_when_answers_come_back() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let questions = json!([
        field(
            "radio",
            json!({"label": "Do you come?", "choices": [{"api_code": "yes", "label": "Yes"}, {"api_code": "no", "label": "No"}]})
        ),
        field("long_text", json!({"label": "What do you eat?"})),
        field(
            "table",
            json!({"label": "Who comes with you?", "max_rows": 5, "dimensions": [{"type": "short_text", "label": "Name"}]})
        ),
        field("short_text", json!({"label": "Anything else?"})),
    ]);
    for (layout, look) in [("classic", Look::DESK), ("card", Look::PHONE)] {
        let form = owner.form_with(json!({"name": "A party", "layout": layout, "fields": questions}));
        let rules = json!({"rules": [{"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "yes"}]}, "action": "show", "fields": ["field_2", "field_3"]}]});
        assert_eq!(owner.put(format!("{}/field_rules", form.path()), rules).status, 200);
        let browser = Browser::open(look);
        load(&browser, server, &form);
        click(&browser, "[value=yes]");
        if layout == "card" {
            click(&browser, "#forward");
            at(&browser, "#field_2");
        }
        put(&browser, "field_2", "Anything\nbut\nnuts");
        browser.run("document.querySelector('[name=field_4]').value = 'No'");
        browser.run("form.dispatchEvent(new Event('input', {bubbles: true}))");
        browser.until("Object.values(localStorage).some(kept => kept.includes('nuts'))");
        // Back again, at once and by a way that is a little slow.
        let kept = browser.run("return JSON.stringify(localStorage)");
        let after = |millis| move || thread::sleep(Duration::from_millis(millis));
        let slow = slow_files(&server.base, ".js", after(60));
        let late = slow_files(&server.base, "/form_controls.js", after(700));
        for (base, is_still) in [(&server.base, false), (&slow, false), (&late, false), (&slow, true)] {
            if is_still {
                browser.stand_still();
            }
            browser.go(&format!("{base}/sign-in"));
            browser.run(&format!(
                "for (const [name, text] of Object.entries(JSON.parse({kept}))) localStorage.setItem(name, text)"
            ));
            browser.go(&format!("{base}{}", form.page()));
            browser.until("document.readyState === 'complete'");
            assert_eq!(value(&browser, "field_2"), "Anything\nbut\nnuts");
            assert!(browser.text("#toast").contains("restored"));
            let moved = browser.shifted();
            assert!(moved < 0.001, "{layout} {base} {moved}");
        }
        browser.shot(&format!("restored-{layout}"), look);

        // They do not come for long: the page is there, and the typed answers stay.
        let (open, gate) = channel::<()>();
        let gate = Mutex::new(gate);
        let until_opened = move || drop(gate.lock().map(|gate| gate.recv()));
        let base = slow_files(&server.base, ".js", until_opened);
        browser.go(&format!("{base}/f/nothinghere"));
        browser.run(&format!(
            "for (const [name, text] of Object.entries(JSON.parse({kept}))) localStorage.setItem(name, text)"
        ));
        browser.run(&format!("window.other = window.open({}); return null", json!(form.page())));
        browser.until("other.document.querySelector('[name=field_4]')");
        browser.until("[...other.document.querySelectorAll('[name^=field_]')].some(one => one.checkVisibility({opacityProperty: true, visibilityProperty: true}))");
        browser.run("other.document.getElementById('field_4').value = 'Typed meanwhile'");
        drop(open);
        browser.until("other.document.readyState === 'complete'");
        let values =
            "['field_2', 'field_4'].map(id => other.document.getElementById(id).value.replaceAll('\\n', ' ')).join()";
        assert_eq!(browser.run(&format!("return {values}")), "Anything but nuts,Typed meanwhile");
        browser.run("other.close()");
        assert_eq!(browser.complaints(), NOTHING);
    }
}
