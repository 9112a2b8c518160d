//! Addresses, locations, files, recordings and signatures: the help of scripts, and that each works without one.

use serde_json::{Value, json};
use support::{Caller, Form, Server};

use crate::driver::steps::{NOTHING, PATIENT, press_button, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::forms;
use crate::looks::look_at;

/// Name, content type and size of the files in an input.
fn files(browser: &Browser, name: &str) -> Value {
    browser.run(&format!(
        "return [...document.getElementsByName({})[0].files].map(f => [f.name, f.type, f.size])",
        json!(name)
    ))
}

fn open(look: Look) -> (Caller, Form, Browser) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::places_and_files());
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    (owner, form, browser)
}

#[test]
fn places_and_files_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let mut form = forms::places_and_files();
    let page = |form: &Value| format!("{}{}", server.base, owner.form_with(form.clone()).page());
    look_at(&browser, "places", &page(&form));
    form["locale"] = json!("ar");
    look_at(&browser, "places-rtl", &page(&form));
    form["locale"] = json!("zh-CN");
    look_at(&browser, "places-zh", &page(&form));
}

#[test]
fn states_follow_the_country_and_the_device_knows_its_place() {
    if !Browser::is_installed() {
        return;
    }
    let (owner, form, browser) = open(Look::PHONE);
    let state = "document.getElementsByName('field_1.state')[0]";
    // The visitor's own country is offered.
    browser.until(&format!("{state}.localName === 'select'"));
    assert_eq!(
        browser.run("return document.getElementsByName('field_1.country')[0].value"),
        browser.run("return navigator.language.split('-')[1]")
    );
    set_value(&browser, "field_1.country", "US");
    browser.until(&format!("[...{state}.options].some(o => o.value === 'US-CA')"));
    set_value(&browser, "field_1.country", "HK");
    browser.until(&format!("!{state}.checkVisibility()"));
    set_value(&browser, "field_1.country", "DE");
    browser.until(&format!("[...{state}.options].some(o => o.value === 'DE-TH')"));
    assert!(browser.shifted() < 0.1);
    set_value(&browser, "field_1.state", "DE-TH");
    set_value(&browser, "field_1.address_line1", "Am Markt 1");
    set_value(&browser, "field_1.city", "Jena");

    browser.stand_at(50.927_054_3, 11.589_237_2);
    press_button(&browser, "Use my location");
    browser.until("document.getElementsByName('field_2.latitude')[0].value !== ''");
    assert!(browser.text("[data-location] [role=status]").contains("filled in"));

    // Typed values are there again after a look elsewhere, the state too.
    browser.until("localStorage.length > 0 && JSON.stringify(localStorage).includes('11.589')");
    browser.go("about:blank");
    browser.go(&format!("{}{}", Server::shared().base, form.page()));
    browser.until(&format!("{state}.value === 'DE-TH'"));
    press_button(&browser, "Type");
    set_value(&browser, "field_5.typed", "Ada Lovelace");
    browser.until("document.getElementsByName('field_5')[0].files.length === 1");
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(
        entry["field_1"],
        json!({"address_line1": "Am Markt 1", "address_line2": null, "city": "Jena",
            "state": "DE-TH", "postal_code": null, "country": "DE"})
    );
    assert_eq!(entry["field_2"], json!({"longitude": 11.589_237, "latitude": 50.927_054, "address": ""}));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_postal_code_that_can_not_be_one_is_doubted_and_taken() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(Look::PHONE);
    let doubt = || browser.text("[data-part=postal_code] .hint");
    set_value(&browser, "field_1.country", "HK");
    for (code, is_doubted) in [
        ("", false),
        ("999077", false),
        ("00000", false),
        ("---", true),
        ("+", true),
        ("GB-SW1A 1AA", false),
        ("+852 2123 4567", true),
        ("邮编999077", false),
        (" ", false),
        ("n/a", false),
        ("hong kong island", true),
    ] {
        set_value(&browser, "field_1.postal_code", code);
        let words = doubt();
        assert_eq!(words.contains("Is this postal code right"), is_doubted, "{code}: {words}");
        assert_eq!(words.is_empty(), !is_doubted, "{code}: {words}");
    }
    // Again where a draft brings it back.
    browser.until("Object.values(localStorage).some(text => text.includes('hong kong island'))");
    browser.run("window.isOld = true; location.reload()");
    browser.until("!window.isOld && document.querySelector('[data-part=postal_code] .hint')?.textContent");
    browser.shot("postal-code-doubt-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
}

#[test]
fn files_are_listed_and_taken_out_again() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(Look::DESK);
    let choose = |list: &str| {
        browser.run(&format!(
            "const e = document.getElementsByName('field_3')[0]; const t = new DataTransfer();
             const head = [137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0];
             for (const [name, size] of {list}) {{
                 const bytes = new Uint8Array(size);
                 bytes.set(head);
                 t.items.add(new File([bytes], name, {{type: 'image/png', lastModified: 1}}));
             }}
             e.files = t.files; e.dispatchEvent(new Event('change', {{bubbles: true}}))"
        ));
    };
    choose("[['a.png', 2048]]");
    browser.until("document.querySelector('.file-list li.there')");
    choose("[['b.png', 40], ['huge.png', 2000000]]");
    assert_eq!(browser.text(".file-said"), "huge.png is larger than 1 MB and was not added.");
    let listed = || {
        browser.until("!document.querySelector('.file-list li:not(.there)')");
        browser.run("return [...document.querySelectorAll('.file-list .file-name')].map(e => e.textContent)")
    };
    assert_eq!(listed(), json!(["a.png", "b.png"]));
    assert!(browser.text(".file-list").contains("2 kB"), "{}", browser.text(".file-list"));
    choose("[['c.png', 50], ['d.png', 60]]");
    assert!(browser.text(".file-said").contains("You can add up to 3 files"));
    press_button(&browser, "Remove a.png");
    assert_eq!(listed(), json!(["b.png", "c.png"]));
    assert_eq!(browser.run("return document.activeElement.ariaLabel"), json!("Remove b.png"));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_voice_is_recorded_heard_and_deleted() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(Look::PHONE);
    assert_eq!(browser.text(".recorder-time"), "0:00 / 1:30");
    press_button(&browser, "Record");
    browser.until("!document.querySelector('.recorder-time').textContent.startsWith('0:00')");
    press_button(&browser, "Stop");
    browser.until("document.getElementsByName('field_4')[0].files.length === 1");
    let kept = files(&browser, "field_4");
    assert_eq!(kept[0][0], "recording.webm");
    assert!(kept[0][2].as_u64().is_some_and(|size| size > 100), "{kept}");
    browser.until("document.querySelector('.recorder audio').readyState >= 1");
    assert_eq!(browser.complaints(), NOTHING);
    press_button(&browser, "Delete recording");
    assert_eq!(files(&browser, "field_4"), json!([]));
    assert!(browser.text(".recorder-said").contains("deleted"));
}

#[test]
fn a_signature_is_drawn_or_typed() {
    if !Browser::is_installed() {
        return;
    }
    let (_, _, browser) = open(Look::DESK);
    browser.until("document.querySelector('.signature-pad')");
    let place = browser.run(
        "const pad = document.querySelector('.signature-pad'); pad.scrollIntoView({block: 'center'});
         const box = pad.getBoundingClientRect(); return [box.left, box.top]",
    );
    let (left, top) = (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"));
    let line = |x: f64| [(left + x, top + 40.0), (left + x + 60.0, top + 90.0), (left + x + 90.0, top + 30.0)];
    browser.drag(&line(30.0));
    browser.until("document.getElementsByName('field_5')[0].files.length === 1");
    let one = files(&browser, "field_5");
    assert_eq!((&one[0][0], &one[0][1]), (&json!("signature.png"), &json!("image/png")));
    browser.drag(&line(150.0));
    browser.until(&format!("document.getElementsByName('field_5')[0].files[0].size > {}", one[0][2]));
    press_button(&browser, "Undo");
    browser.until(&format!("document.getElementsByName('field_5')[0].files[0].size === {}", one[0][2]));
    press_button(&browser, "Clear");
    browser.until("document.getElementsByName('field_5')[0].files.length === 0");
    // A typed name is as good, and needs no more than keys.
    press_button(&browser, "Type");
    browser.keys("Ada Lovelace".chars());
    set_value(&browser, "field_5.typed", "Ada Lovelace");
    browser.until("document.getElementsByName('field_5')[0].files.length === 1");
    assert_eq!(browser.axe(), NOTHING);
    press_button(&browser, "Draw");
    browser.until("document.getElementsByName('field_5')[0].files.length === 0");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn all_of_it_goes_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let (owner, form, browser) = open(Look::PHONE.without_script());
    for name in ["field_3", "field_4", "field_5", "field_5.typed"] {
        let seen = format!("document.getElementsByName('{name}')[0].checkVisibility()");
        assert_eq!(browser.run(&format!("return {seen}")), json!(true), "{name}");
    }
    for (name, value) in [
        ("field_1.address_line1", "Am Markt 1"),
        ("field_1.city", "Jena"),
        ("field_1.state", "Thüringen"),
        ("field_1.country", "DE"),
        ("field_2.latitude", "50.9"),
        ("field_2.longitude", "11.6"),
        ("field_5.typed", "Ada"),
    ] {
        browser.run(&format!("document.getElementsByName({})[0].value = {}", json!(name), json!(value)));
    }
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(owner.get(form.entry(1)).data()["field_1"]["state"], "DE-TH");
}

#[test]
fn a_place_without_coordinates_has_one_fault() {
    if !Browser::is_installed() {
        return;
    }
    const FAULT: &str = "Add the coordinates: use “Use my location” or enter them below.";
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "Report damage", "fields": [
        {"type": "location", "label": "Where is the damage?"},
        {"type": "short_text", "label": "What is damaged?"},
    ]}));
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        set_value(&browser, "field_1.address", "Town hall");
        browser.until(PATIENT);
        browser.run("document.getElementById('forward').click()");
        browser.until("document.querySelector('.field.wrong') && document.readyState === 'complete'");
        let found = browser.run(
            "const shown = [...document.querySelectorAll('.field .fault')].filter(e => e.checkVisibility());
             const wrong = [...document.querySelectorAll('[aria-invalid=true]')];
             return [
                 shown.map(e => e.textContent),
                 document.querySelector('#summary li .told').textContent,
                 wrong.map(e => e.name),
                 wrong.every(e => e.checkVisibility()),
                 wrong.every(e => (e.getAttribute('aria-describedby') ?? '').split(' ').includes('field_1-fault')),
             ]",
        );
        let inputs = ["field_1.latitude", "field_1.longitude"];
        assert_eq!(found, json!([[FAULT], FAULT, inputs, true, true]));
    }
}
