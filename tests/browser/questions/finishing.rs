//! The last touches: files, telephone numbers, searches, scales, places and signatures.

use std::fs;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field, until};

use crate::driver::steps::{NOTHING, load, send, set_value};
use crate::driver::webdriver::{Browser, Look};

const DOWN: char = '\u{e015}';
fn open(look: Look, body: Value) -> (Caller, Form, Browser) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(body);
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    (owner, form, browser)
}

fn of(fields: Value) -> Value {
    json!({"name": "A form", "fields": fields})
}

#[test]
fn files_are_asked_for_until_there_are_enough() {
    if !Browser::is_installed() {
        return;
    }
    let types = json!(["image/png", "image/jpeg", "image/webp"]);
    let (owner, form, browser) = open(
        Look::PHONE,
        of(json!([
            field("attachment", json!({"label": "Papers", "max_count": 2})),
            field("attachment", json!({"label": "Photo", "media_type": "custom", "content_types": types}))
        ])),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, size: usize| {
        let path = folder.path().join(name);
        fs::write(&path, vec![b'x'; size]).expect("a file");
        path
    };
    let said = |what: &str| browser.text(&format!("[data-field=field_1] {what}"));
    browser.until("document.querySelector('.files.ready')");
    // The button is the label of the input that is behind it.
    assert_eq!(said(".file-pick"), "Choose files");
    assert_eq!(browser.text("[data-field=field_2] .file-pick"), "Choose a file");
    assert!(browser.text("[data-field=field_2]").contains("Only PNG, JPEG or WebP images."));
    browser.run("field_1.focus()");
    let ring = "return getComputedStyle(document.querySelector('.file-pick')).outlineStyle";
    assert_eq!(browser.run(ring), "solid");
    assert_eq!(browser.axe(), NOTHING);
    browser.choose("field_1", &[file("a.txt", 45), file("b.txt", 1)]);
    browser.until("document.querySelectorAll('.file-list li.there').length === 2");
    let sizes = "return [...document.querySelectorAll('.file-size')].map((size) => size.textContent)";
    assert_eq!(browser.run(sizes), json!(["45 bytes", "1 byte"]));
    assert_eq!(said(".file-picker"), "");
    assert!(said(".files").contains("You’ve added 2 files. Remove one to add another."));
    assert!(!browser.text("main").contains("No file chosen"));
    browser.shot("files-full", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.run("document.querySelector('.file-list li button').click()");
    assert_eq!(said(".file-pick"), "Choose files");
    // The refusal of a file names the accepted types.
    browser.choose("field_2", &[file("plan.pdf", 400)]);
    let told = "plan.pdf can’t be used. Choose PNG, JPEG or WebP images.";
    browser.until(&format!("document.querySelector('[data-field=field_2] .file-said').textContent === '{told}'"));
    browser.shot("files-refused", Look::PHONE);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(owner.get(form.entries()).data()[0]["field_1"][0]["name"], "b.txt");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn without_a_script_a_refused_file_is_told_the_same() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(
        Look::PHONE.without_script(),
        of(json!([
            field("attachment", json!({"label": "Photo", "media_type": "image"})),
            field("short_text", json!({"required": true}))
        ])),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.pdf");
    fs::write(&path, b"%PDF-1.4").expect("a file");
    assert_eq!(browser.text(".file-pick"), "");
    browser.choose("field_1", &[path]);
    send(&browser);
    browser.until("document.getElementById('summary')");
    assert!(
        browser.text("#summary").contains("plan.pdf can’t be used. Choose images."),
        "{}",
        browser.text("#summary")
    );
}

#[test]
fn who_picks_a_country_types_the_number_next() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(
        Look::PHONE,
        of(json!([
            field("phone", json!({"label": "Phone"})),
            field("phone", json!({"label": "Here", "allowed_countries": ["DE", "AT"]}))
        ])),
    );
    assert!(browser.text("[data-field=field_2]").contains("Only phone numbers from Germany or Austria"));
    let country = "document.getElementsByName('field_1.country_id')[0]";
    let pick = |code: &str| {
        browser.run(&format!(
            "{country}.value = '{code}'; {country}.dispatchEvent(new Event('change', {{bubbles: true}}))"
        ));
    };
    let at = "return document.activeElement.name";
    // The keyboard stays at the list.
    browser.run(&format!("{country}.focus()"));
    browser.keys([DOWN]);
    pick("FR");
    assert_eq!(browser.run(at), "field_1.country_id");
    browser.run(&format!("{country}.dispatchEvent(new PointerEvent('pointerdown', {{bubbles: true}}))"));
    pick("DE");
    assert_eq!(browser.run(at), "field_1.number");
    browser.keys("1".chars());
    send(&browser);
    browser.until("document.querySelector('.field.wrong')");
    let wrong =
        "return [...document.querySelectorAll('[data-field=field_1] [aria-invalid=true]')].map((one) => one.name)";
    assert_eq!(browser.run(wrong), json!(["field_1.number"]));
    assert_eq!(browser.run("return document.querySelectorAll('[data-field=field_1] .fault').length"), 1);
    browser.shot("phone", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    // The same without a script.
    let answer = Server::shared()
        .anon()
        .post_form(browser.run("return location.pathname").as_str().expect("a path"), &[("field_1.number", "1")]);
    let text = answer.text.replace("><", ">\n<");
    let invalid: Vec<_> = text.lines().filter(|line| line.contains("aria-invalid=\"true\"")).collect();
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert!(invalid[0].contains("field_1.country_id"), "{invalid:?}");
}

#[test]
fn a_search_says_that_it_is_one_and_loses_nothing() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let rivers = owner.form(json!([field("name", json!({"label": "Name"}))]));
    let made = owner.post(rivers.entries(), json!({"field_values": {"field_1": "River Ouse"}}));
    assert_eq!(made.status, 201);
    let form = owner.form(json!([field(
        "linked_form",
        json!({"label": "River", "form_token": rivers.token,
        "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}]})
    )]));
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.querySelector('[role=combobox]')");
    assert_eq!(browser.shifted(), 0.0);
    assert_eq!(browser.run("return field_1.placeholder"), "Search…");
    let described = "return field_1.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ').trim()";
    assert_eq!(browser.run(described), "Type to search, then choose from the list.");
    browser.shot("search", Look::PHONE);
    browser.run("field_1.focus()");
    browser.keys("river".chars());
    browser.until("!document.querySelector('[role=listbox]').hidden");
    browser.run("field_1.blur()");
    let said = "Nothing chosen yet: choose one from the list, or clear this.";
    assert_eq!(browser.text(".linked-said"), said);
    // It is not sent so, though the question is optional.
    send(&browser);
    browser.until("document.activeElement.id === 'field_1'");
    assert_eq!(browser.text(".linked-said"), said);
    browser.shot("search-open", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.run("document.querySelector('.linked-clear').click()");
    assert_eq!(browser.text(".linked-said"), "");
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_ends_of_a_scale_stand_where_they_belong() {
    if !Browser::is_installed() {
        return;
    }
    let body = of(json!([
        field(
            "nps",
            json!({"label": "Recommend?", "min_label": "Not at all likely", "max_label": "Extremely likely", "required": true})
        ),
        field("rating", json!({"label": "Stars", "required": true})),
    ]));
    let narrow = Look { width: 320, ..Look::PHONE };
    let (_, _, browser) = open(narrow, body.clone());
    let top = |what: &str| {
        browser
            .run(&format!("return document.querySelector({}).getBoundingClientRect().top", json!(what)))
            .as_f64()
            .expect("a number")
    };
    assert_eq!(browser.text(".scale-first"), "0 – Not at all likely");
    assert_eq!(browser.text(".scale-ends"), "10 – Extremely likely");
    assert!(top(".scale-first") < top(".scale") && top(".scale") < top(".scale-ends"));
    browser.shot("nps-320", narrow);
    assert_eq!(browser.axe(), NOTHING);
    browser.look(Look::DESK);
    assert_eq!(browser.text(".scale-first"), "");
    let words = "return [...document.querySelectorAll('.scale-ends bdi')].map((end) => end.textContent)";
    assert_eq!(browser.run(words), json!(["Not at all likely", "Extremely likely"]));
    // Up to the one that has the focus.
    let lit = "return [...document.querySelectorAll('[data-field=field_2] svg')].map((star) => getComputedStyle(star).fill !== 'none')";
    assert_eq!(browser.run(lit), json!([false, false, false, false, false]));
    browser.run("document.getElementById('field_2').focus()");
    browser.keys([DOWN, DOWN]);
    browser.until("document.querySelector('[data-field=field_2] input:checked')?.value === '3'");
    until("three stars are lit", || browser.run(lit) == json!([true, true, true, false, false]));
    browser.shot("nps-desk", Look::DESK);
}

#[test]
fn a_place_has_its_name_first_and_an_address_its_countrys_order() {
    if !Browser::is_installed() {
        return;
    }
    let body = of(json!([
        field("location", json!({"label": "Where?"})),
        field("address", json!({"label": "Address", "default_country": "DE"})),
    ]));
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let (_, _, browser) = open(look, body.clone());
        let lines = "return [...document.querySelectorAll('[data-field=field_1] .input')].filter((one) => one.checkVisibility()).map((one) => one.name)";
        // Without a script, only typing gives coordinates.
        if look.script {
            assert_eq!(browser.run(lines), json!(["field_1.address"]));
            // Before this test moves the parts below the coordinates.
            assert_eq!(browser.shifted(), 0.0);
            browser.run("document.querySelector('.location-point summary').click()");
        }
        assert_eq!(browser.run(lines), json!(["field_1.address", "field_1.latitude", "field_1.longitude"]));
        let parts = "return [...document.querySelectorAll('[data-part]')].map((one) => one.dataset.part)";
        assert_eq!(
            browser.run(parts),
            json!(["country", "address_line1", "address_line2", "postal_code", "city", "state"])
        );
        browser.shot(&format!("place-{}", look.script), look);
        if !look.script {
            continue;
        }
        assert_eq!(browser.axe(), NOTHING);
        let choose = |code: &str| {
            browser.run(&format!(
                "const one = document.getElementsByName('field_2.country')[0]; one.focus(); one.value = '{code}';
             one.dispatchEvent(new Event('change', {{bubbles: true}})); return document.activeElement.name"
            ))
        };
        browser.run("document.getElementsByName('field_2.city')[0].value = 'Kyoto'");
        assert_eq!(choose("JP"), "field_2.country");
        assert_eq!(
            browser.run(parts),
            json!(["country", "postal_code", "state", "city", "address_line1", "address_line2"])
        );
        choose("US");
        assert_eq!(
            browser.run(parts),
            json!(["country", "address_line1", "address_line2", "city", "state", "postal_code"])
        );
        assert_eq!(browser.run("return document.getElementsByName('field_2.city')[0].value"), "Kyoto");
        // Faults of the coordinates are seen.
        browser.run("document.querySelector('.location-point').open = false; document.getElementsByName('field_1.address')[0].value = 'The old mill'");
        send(&browser);
        browser.until(
            "document.querySelector('[data-field=field_1].wrong') && document.querySelector('.location-point').open",
        );
        assert_eq!(browser.axe(), NOTHING);
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn a_typed_signature_is_seen_in_the_hand_that_is_kept() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) =
        open(Look::PHONE.dark(), of(json!([field("signature", json!({"label": "Sign", "required": true}))])));
    let fonts = "return performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.ttf')).length";
    browser.until("document.querySelector('.signature-pad')");
    assert_eq!(browser.run(fonts), 0);
    browser.run("document.querySelectorAll('.signature-ways button')[1].click()");
    browser.keys("Ada Lovelace".chars());
    browser.until("document.querySelector('.signature-pad').dataset.font === 'loaded'");
    assert_eq!(browser.run(fonts), 1);
    let size = "return performance.getEntriesByType('resource').find((one) => one.name.endsWith('.ttf')).transferSize";
    assert!(browser.run(size).as_f64() < Some(60_000.0), "{}", browser.run(size));
    // Dark ink on paper that is not clear.
    let shades = browser.run(
        "const pad = document.querySelector('.signature-pad'); const all = pad.getContext('2d').getImageData(0, 0, pad.width, pad.height).data;
         let clear = 0, dark = 0; for (let i = 0; i < all.length; i += 4) { clear += all[i + 3] < 255; dark += all[i] < 80; } return [clear, dark > 1000]",
    );
    assert_eq!(shades, json!([0, true]));
    browser.shot("signature-dark", Look::PHONE.dark());
    browser.run("document.activeElement.blur()");
    browser.until("document.getElementsByName('field_1')[0].files.length === 1");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn each_part_with_an_error_is_a_link_to_its_control() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let parts = ["address_line1", "city", "postal_code"];
    let size = json!({"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "S"}, {"api_code": "m", "name": "M"}]});
    let goods = json!([{"api_code": "shirt", "name": "Shirt", "price": 12, "dimensions": [size]}]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name", "required": true})),
        field("address", json!({"label": "Address", "required_parts": parts, "default_country": "DE"})),
        field("product", json!({"label": "Club T-shirt", "goods_items": goods})),
    ]));
    for look in [Look::PHONE, Look::DESK] {
        let browser = Browser::open(look);
        load(&browser, server, &form);
        let needs = "If you enter an address, it needs";
        assert!(browser.text("[data-field=field_2]").contains(needs));
        set_value(&browser, "field_2.address_line1", "Am Markt 1");
        set_value(&browser, "field_2.postal_code", "743");
        set_value(&browser, "field_3[0].number", "2");
        send(&browser);
        browser.until("document.querySelector('#summary')");
        let lines = browser.run("return [...document.querySelectorAll('#summary a')].map(a => a.textContent)");
        let expected = [
            "Name – Answer this question",
            "Address, city or town – Enter it",
            "Address, postal code – Enter a postal code of Germany, such as 10115",
            "Club T-shirt, Size – Choose one",
        ];
        assert_eq!(lines, json!(expected));
        for (look, side) in [(look, "light"), (look.dark(), "dark")] {
            browser.look(look);
            browser.shot(&format!("parts-{}-{side}", look.width), look);
            assert_eq!(browser.axe(), NOTHING);
        }
        browser.look(look);
        let names = ["field_1", "field_2.city", "field_2.postal_code", "field_3[0].specification.size"];
        for (at, name) in names.into_iter().enumerate() {
            browser.run(&format!("document.querySelectorAll('#summary a')[{at}].click()"));
            assert_eq!(browser.run("return document.activeElement.name"), name);
        }
        // A corrected fault goes from the list, and the rest of its question stays.
        set_value(&browser, "field_2.city", "Jena");
        browser.until("document.querySelectorAll('#summary a').length === 3");
        assert!(browser.text("#summary").contains("problem with 3 answers"), "{}", browser.text("#summary"));
        set_value(&browser, "field_2.postal_code", "07743");
        browser.until("document.querySelectorAll('#summary a').length === 2");
        assert!(browser.text("#summary").contains("problem with 2 answers"), "{}", browser.text("#summary"));
        assert_eq!(browser.complaints(), NOTHING);
    }
}
