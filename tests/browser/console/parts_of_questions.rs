//! Questions with parts of their own in the builder: columns, products, bookings, trees of choices, other forms. Parts are
//! added, moved and saved without a load.

use serde_json::json;
use support::{Caller, Form, Server, field};

use crate::console::panel_steps::{drafted, open, put};
use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

fn workshop(server: &Server) -> (Caller, Form, Form) {
    let owner = account(server, OWNER, "Ada Lovelace");
    let members = owner.form_with(json!({"name": "Members", "fields": [
        field("name", json!({"label": "Full name"})), field("email", json!({"label": "Mail"})),
    ]}));
    let days = json!([{"weekday": 1, "quota": 4}, {"weekday": 3}]);
    let form = owner.form_with(json!({"name": "Workshop", "fields": [
        field("table", json!({"label": "Who comes with you?", "dimensions": [
            field("name", json!({"label": "Name"})),
            field("radio", json!({"label": "Meal", "choices": [{"label": "Soup"}, {"label": "Pie"}]})),
        ]})),
        field("product", json!({"label": "Shirts", "goods_items": [{"name": "Shirt", "price": 20, "dimensions": [
            {"name": "Size", "options": [{"name": "S"}, {"name": "L"}]},
            {"name": "Colour", "options": [{"name": "Red"}, {"name": "Green"}, {"name": "Blue"}]},
        ]}]})),
        field("booking", json!({"label": "When?", "reservation_items": [
            {"name": "Sauna", "quota_setting": {"kind": "weekly", "weekly_quotas": days}}]})),
        field("cascade", json!({"label": "Where?", "choices": [
            {"label": "Europe", "children": [{"label": "Italy"}, {"label": "France"}]}, {"label": "Asia"}]})),
        field("linked_form", json!({"label": "Who are you?", "form_token": members.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]})),
    ]}));
    (owner, form, members)
}

fn press(browser: &Browser, action: &str) {
    browser.run(&format!(
        "const button = document.querySelector('#panel [name=_action][value=\"{action}\"]');
         for (let box = button.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
         button.click()"
    ));
}

#[test]
fn parts_of_questions_are_edited_without_a_load() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form, _) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let pages = [
        ("field_1", "columns"),
        ("field_2", "variants"),
        ("field_3", "plan"),
        ("field_4", "outline"),
        ("field_5", "other"),
    ];
    for (code, name) in pages {
        look_at(
            &browser,
            &format!("parts-{name}"),
            &format!("{}/forms/{}/build?field={code}", server.base, form.token),
        );
    }
    browser.look(Look::DESK);
    // Options make variants as soon as they are saved; values typed there stay.
    open(&browser, &server, &form, "field_2");
    let rows = "document.querySelectorAll('.variants tbody tr').length";
    browser.until(&format!("{rows} === 6"));
    put(&browser, "goods_items[0].skus[4].stock", "3");
    browser.until(&format!("{} === 3", drafted(1, "field.goods_items[0].skus?.[0].stock")));
    press(&browser, "goods_items[0].dimensions[0].options.add");
    put(&browser, "goods_items[0].dimensions[0].options[2].name", "XL");
    browser.until(&format!("{rows} === 9"));
    assert_eq!(
        browser.run("return document.querySelector('[name=\"goods_items[0].skus[4].stock\"]').value"),
        json!("3")
    );
    press(&browser, "goods_items.add");
    put(&browser, "goods_items[1].name", "Mug");
    browser.until("document.querySelector('[id=\"goods_items[1].price\"]')?.ariaInvalid === 'true'");
    put(&browser, "goods_items[1].price", "8.5");
    browser.until(&format!("{} === 8.5", drafted(1, "field.goods_items[1].price")));
    press(&browser, "goods_items[1].dimensions.add");
    put(&browser, "goods_items[1].dimensions[0].name", "Size");
    press(&browser, "goods_items[1].dimensions[0].options.add");
    put(&browser, "goods_items[1].dimensions[0].options[0].name", "Big");
    press(&browser, "goods_items[1].up");
    browser.until(&format!(
        "{} === 'Mug Big Shirt 9'",
        drafted(1, "(([a, b]) => `${a.name} ${a.dimensions?.[0].options?.[0].name} ${b.name} ${b.dimensions[0].options.length * 3}`)(field.goods_items)")
    ));
    let code = drafted(1, "field.goods_items[0].dimensions[0].options[0].api_code");
    let code = browser.run(&format!("return {code}"));
    put(&browser, "goods_items[0].dimensions[0].options[0].name", "Large");
    browser.until(&format!("{} === 'Large'", drafted(1, "field.goods_items[0].dimensions[0].options[0].name")));
    browser.until(&format!("{} === {code}", drafted(1, "field.goods_items[0].dimensions[0].options[0].api_code")));
    assert_eq!(browser.axe(), Vec::<String>::new());
    // A plan of days becomes one of times.
    let quota = "reservation_items[0].quota_setting";
    open(&browser, &server, &form, "field_3");
    let shows = |class: &str| browser.run(&format!("return document.querySelector('{class}').checkVisibility()"));
    assert_eq!((shows(".plan-week"), shows(".plan-slots")), (json!(true), json!(false)));
    // A day that is none is named by its line, beside the days.
    put(&browser, &format!("{quota}.closed_dates"), "2026-12-24\nChristmas");
    let closed = format!("document.querySelector('#panel [name=\"{quota}.closed_dates\"]')");
    browser.until(&format!("{closed}.closest('.wrong')?.querySelector('.fault')?.textContent.startsWith('Line 2')"));
    put(&browser, &format!("{quota}.closed_dates"), "2026-12-24");
    browser.until(&format!("!{closed}.closest('.wrong')"));
    press(&browser, &format!("{quota}.daily_time_range_quotas.add"));
    put(&browser, &format!("{quota}.kind"), "time_range");
    assert_eq!((shows(".plan-week"), shows(".plan-slots")), (json!(false), json!(true)));
    put(&browser, &format!("{quota}.daily_time_range_quotas[0].quota"), "2");
    let slots = "field.reservation_items[0].quota_setting.daily_time_range_quotas";
    browser.until(&format!("{} === 1", drafted(2, &format!("{slots}?.length"))));
    open(&browser, &server, &form, "field_3");
    browser.run("document.body.dataset.left = ''");
    press(&browser, &format!("{quota}.daily_time_range_quotas.week"));
    browser.until("document.body.dataset.left === undefined && document.querySelector('#panel')?.dataset.live === ''");
    assert_eq!(browser.run("return document.querySelectorAll('.slot').length"), json!(7));
    assert_eq!(browser.axe(), Vec::<String>::new());
    // A column is added by its kind, and its choices as a list.
    open(&browser, &server, &form, "field_1");
    browser.run("document.body.dataset.left = ''");
    press(&browser, "dimensions.add-dropdown");
    browser.until("document.body.dataset.left === undefined && document.querySelector('#panel')?.dataset.live === ''");
    put(&browser, "dimensions[2].label", "Drink");
    press(&browser, "dimensions[2].choices.add");
    put(&browser, "dimensions[2].choices[0].label", "Tea");
    browser.until(&format!(
        "{} === 'Drink Tea'",
        drafted(0, "`${field.dimensions[2].label} ${field.dimensions[2].choices?.[0]?.label}`")
    ));
    assert_eq!(browser.axe(), Vec::<String>::new());
    // A line that is too deep is named.
    open(&browser, &server, &form, "field_4");
    put(&browser, "choices", "Europe\n    Italy");
    browser.until("document.getElementById('choices-fault')?.textContent.startsWith('Line 2')");
    // The note on who sees which answers follows the ticks.
    open(&browser, &server, &form, "field_5");
    let told = "document.getElementById('display_fields-told').textContent";
    browser.run(
        "const tick = document.querySelector('[name=\"display_fields[1].api_code\"]'); tick.focus(); tick.click()",
    );
    browser.until(&format!("{told}.includes('Your team alone sees: Mail.')"));
    put(&browser, "form_token", "");
    browser.until(&format!("{told}.includes('Choose the other form first.')"));
}
