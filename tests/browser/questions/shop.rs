//! Orders and bookings: the help of scripts, and that all of it works without one.

use serde_json::{Value, json};
use support::Server;

use crate::driver::steps::{NOTHING, press_button, send, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::forms;
use crate::looks::look_at;

fn options(browser: &Browser, name: &str) -> Value {
    browser.run(&format!("return [...document.getElementsByName({})[0].options].map(e => e.textContent)", json!(name)))
}

#[test]
fn orders_and_bookings_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let mut form = forms::shop();
    look_at(&browser, "shop", &format!("{}{}", server.base, owner.form_with(form.clone()).page()));
    form["locale"] = json!("ar");
    look_at(&browser, "shop-rtl", &format!("{}{}", server.base, owner.form_with(form).page()));
}

#[test]
fn an_order_and_bookings_with_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::shop());
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.step')");
    let total = || browser.text(".goods-total");
    assert_eq!(total(), "");
    press_button(&browser, "More: Pot of tea");
    press_button(&browser, "More: Pot of tea");
    assert_eq!(total(), "Total: $6.20");
    press_button(&browser, "Less: Pot of tea");
    set_value(&browser, "field_1[1].specification.size", "l");
    set_value(&browser, "field_1[1].specification.icing", "p");
    press_button(&browser, "More: Victoria sponge");
    assert_eq!(total(), "Total: $23.15");
    press_button(&browser, "Add another");
    browser.shot("shop-variants-360", Look::PHONE);
    set_value(&browser, "field_1[2].specification.size", "s");
    set_value(&browser, "field_1[2].number", "2");
    assert_eq!(total(), "Total: $47.15");
    for _ in 0..7 {
        press_button(&browser, "More: Pot of tea");
    }
    assert_eq!(total(), "Total: $59.55", "five at most");

    // Nothing on a Wednesday, nor on a closed Monday; two times on another Monday.
    set_value(&browser, "field_2[0].api_code", "terrace");
    let says = || browser.text("[data-field=field_2] [data-says]");
    let slots = "field_2[0].time_range_code";
    for (day, word) in [("2090-01-04", "Wednesday"), ("2090-01-09", "Monday"), ("2089-12-26", "Monday")] {
        set_value(&browser, "field_2[0].scheduled_at", day);
        assert!(says().contains(word), "{day}: {}", says());
        assert_eq!(options(&browser, slots), json!(["Choose a time"]));
    }
    set_value(&browser, "field_2[0].scheduled_at", "2090-01-02");
    assert_eq!(says(), "");
    assert_eq!(options(&browser, slots), json!(["Choose a time", "09:00–10:30", "10:30–12:00"]));
    set_value(&browser, slots, "terrace/b");
    press_button(&browser, "Add another booking");
    set_value(&browser, "field_2[1].api_code", "walk");
    let has_times =
        "const all = document.getElementsByName('field_2[1].time_range_code'); return all[0].checkVisibility()";
    assert_eq!(browser.run(has_times), json!(false));
    set_value(&browser, "field_2[1].scheduled_at", "2090-01-07");
    press_button(&browser, "Add another booking");
    set_value(&browser, "field_2[2].api_code", "terrace");
    press_button(&browser, "Add another booking");
    browser.shot("shop-bookings-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints(); // What axe itself provokes is not the page's.
    // Away, and back: every line is unchanged.
    browser.go(&format!("{}/sign-in", server.base));
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.querySelector('.goods-total')?.textContent.includes('59.55')");
    for (name, value) in [
        ("field_1[0].api_code", "tea"),
        ("field_1[0].number", "5"),
        ("field_1[1].specification.icing", "p"),
        ("field_1[2].specification.size", "s"),
        ("field_1[2].number", "2"),
        ("field_1[3].api_code", "bun"),
        ("field_2[0].time_range_code", "terrace/b"),
        ("field_2[1].scheduled_at", "2090-01-07"),
        ("field_2[2].api_code", "terrace"),
    ] {
        let found = browser.run(&format!("return document.getElementsByName({})[0]?.value", json!(name)));
        assert_eq!(found, value, "{name}");
    }
    assert_eq!(browser.complaints(), NOTHING);
    // The third is incomplete: that is reported; then it is removed.
    send(&browser);
    browser.until("document.getElementById('summary') && document.readyState === 'complete'");
    browser.until("document.querySelector('.step')");
    browser.shot("shop-faults-360", Look::PHONE);
    let own = browser.text("[id='field_1[2].specification.icing-fault']");
    assert!(own.contains("Choose one"), "{own}");
    let own = browser.text("[id='field_2[2].scheduled_at-fault']");
    assert!(own.contains("Choose a day for Terrace"), "{own}");
    assert_eq!(total(), "Total: $59.55");
    set_value(&browser, "field_1[2].specification.icing", "w");
    browser.run("[...document.querySelectorAll('[data-field=field_2] [data-line]')][2].querySelector(':scope > button').click()");
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(
        entry["field_1"],
        json!([
            {"api_code": "tea", "number": 5},
            {"api_code": "cake", "number": 1, "specification": {"size": "l", "icing": "p"}},
            {"api_code": "cake", "number": 2, "specification": {"size": "s", "icing": "w"}},
        ])
    );
    let booked: Vec<_> = entry["field_2"].as_array().expect("a list").iter().collect();
    assert_eq!(booked.len(), 2, "{entry}");
    assert_eq!(booked[0]["time_range_code"], "b");
    assert_eq!(booked[1]["item_name"], "Garden walk");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn an_order_and_a_booking_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::shop());
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    browser.shot("shop-plain-360", Look::PHONE);
    set_value(&browser, "field_1[0].number", "2");
    set_value(&browser, "field_2[0].api_code", "terrace");
    set_value(&browser, "field_2[0].scheduled_at", "2090-01-03");
    set_value(&browser, "field_2[0].time_range_code", "terrace/a");
    browser.run("document.getElementById('field_3').click()");
    send(&browser);
    browser.until("document.getElementById('summary') && document.readyState === 'complete'");
    let said = browser.text("main");
    assert!(said.contains("one of the times on that day"), "{said}");
    assert!(said.contains("Total: $6.20"), "{said}");
    set_value(&browser, "field_2[0].time_range_code", "terrace/c");
    // The first Wednesday from here on.
    browser.run(
        "const day = new Date(); while (day.getUTCDay() !== 3) day.setUTCDate(day.getUTCDate() + 1);
         document.getElementsByName('field_3[0].scheduled_at')[0].value = day.toISOString().slice(0, 10)",
    );
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_1"], json!([{"api_code": "tea", "number": 2}]));
    assert_eq!(entry["field_2"][0]["time_range_code"], "c");
    assert_eq!(entry["field_3"][0]["api_code"], "kitchen");
    assert_eq!(browser.complaints(), NOTHING);
}
