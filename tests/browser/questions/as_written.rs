//! Numbers, dates and money are read and shown as the form's locale writes them.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};

fn form(owner: &Caller, locale: &str, fields: Value) -> Form {
    owner.form_with(json!({"name": "A form", "locale": locale, "fields": fields}))
}

/// The values of the only entry of a form.
fn stored(owner: &Caller, form: &Form) -> Value {
    let entries = owner.get(form.entries()).data();
    assert_eq!(entries.as_array().map(Vec::len), Some(1), "{entries}");
    entries[0].clone()
}

#[test]
fn a_page_reads_numbers_as_people_write_them() {
    let server = Server::shared();
    let owner = server.user();
    for (locale, typed, read) in [
        ("de", "72,5", json!(72.5)),
        ("de", "1.234,5", json!(1234.5)),
        ("de", "1.234", json!(1234)),
        ("de", "1,234", json!(1.234)),
        ("en", "1,234", json!(1234)),
        ("fr", "1 234,5", json!(1234.5)),
        ("fr", "1\u{202f}234,5", json!(1234.5)),
        ("de-CH", "1’234.5", json!(1234.5)),
        ("ar", "٧٢٫٥", json!(72.5)),
        ("fa", "۱٬۲۳۴٫۵", json!(1234.5)),
        ("hi", "१२,३४,५६७", json!(1_234_567)),
        ("zh-CN", "７２．５", json!(72.5)),
        ("en", "\u{2212}3", json!(-3)),
    ] {
        let form = form(&owner, locale, json!([field("number", json!({}))]));
        let answer = server.anon().post_form(form.page(), &[("field_1", typed)]);
        assert_eq!(answer.status, 303, "{locale} {typed}: {answer}");
        assert_eq!(stored(&owner, &form)["field_1"], read, "{locale} {typed}");
        // The API takes JSON's numbers alone.
        let entry = json!({"field_values": {"field_1": typed}});
        assert_eq!(owner.post(form.entries(), entry).status, 422, "{locale} {typed}");
    }
    let form = form(&owner, "en", json!([field("number", json!({}))]));
    for nonsense in ["1,2,3", "12,34,56", "1.2.3", "72 5"] {
        let answer = server.anon().post_form(form.page(), &[("field_1", nonsense)]);
        assert_eq!(answer.status, 422, "{nonsense}");
        assert!(answer.text.contains(&format!("value=\"{nonsense}\"")), "{nonsense}");
        assert!(answer.text.contains("Enter a number"), "{nonsense}");
    }
}

#[test]
fn what_was_typed_is_shown_again_and_what_was_stored_is_shown_as_the_locale_writes_it() {
    let server = Server::shared();
    let owner = server.user();
    let cell = json!({"type": "number", "label": "Wert"});
    let goods = json!([{"api_code": "tea", "name": "Tee", "price": 3}]);
    let form = owner.form_with(json!({"name": "Messung", "locale": "de", "fields": [
        field("number", json!({"default_value": 2.5})),
        field("table", json!({"dimensions": [cell]})),
        field("location", json!({})),
        field("product", json!({"goods_items": goods})),
        field("short_text", json!({"required": true})),
        field("rating", json!({})),
    ]}));
    let page = server.anon().get(form.page()).text;
    assert!(page.contains(r#"name="field_1" type="text" value="2,5""#), "{page}");
    let prefilled = server.anon().get(format!("{}?field_1=72,5", form.page())).text;
    assert!(prefilled.contains(r#"value="72,5""#), "{prefilled}");

    let pairs = [
        ("field_1", "1.234,50"),
        ("field_2[0].field_1", "0,5"),
        ("field_3.latitude", "48,137"),
        ("field_3.longitude", "11,575"),
        ("field_4[0].api_code", "tea"),
        ("field_4[0].number", "２"),
        ("field_6", "４"),
    ];
    let refused = server.anon().post_form(form.page(), &pairs);
    assert_eq!(refused.status, 422);
    for typed in ["1.234,50", "0,5", "48,137", "11,575", "２"] {
        assert!(refused.text.contains(&format!("value=\"{typed}\"")), "{typed}");
    }
    let whole: Vec<_> = pairs.into_iter().chain([("field_5", "x")]).collect();
    let taken = server.anon().post_form(form.page(), &whole);
    assert_eq!(taken.status, 303, "{taken}");
    let entry = stored(&owner, &form);
    assert_eq!(entry["field_1"], 1234.5);
    assert_eq!(entry["field_2"], json!([{"field_1": 0.5}]));
    assert_eq!((&entry["field_3"]["latitude"], &entry["field_3"]["longitude"]), (&json!(48.137), &json!(11.575)));
    assert_eq!(entry["field_4"][0]["number"], 2);
    assert_eq!(entry["field_6"], 4);
}

#[test]
fn rules_and_totals_follow_at_once() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let goods = json!([{"api_code": "tea", "name": "Tee", "price": "3.1"}]);
    let form = form(
        &owner,
        "de",
        json!([
            field("number", json!({"label": "Gewicht"})),
            field("short_text", json!({"label": "Warum so schwer?"})),
            field("product", json!({"goods_items": goods})),
            field("number", json!({"label": "Anzahl", "min": 0})),
        ]),
    );
    let rules = json!({"rules": [{"condition": {"operand": "and", "items": [
        {"field": "field_1", "operator": "gt", "value": 72}]}, "action": "show", "fields": ["field_2"]}]});
    let told = owner.put(format!("{}/field_rules", form.path()), rules);
    assert_eq!(told.status, 200, "{told}");
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.querySelector('.step')");
    let type_in = |id: &str, text: &str| {
        browser.run(&format!("const e = document.getElementById('{id}'); e.value = ''; e.focus()"));
        browser.keys(text.chars());
    };
    let is_shown = "!document.querySelector('[data-field=field_2]').hidden";
    for (typed, shown) in [("72,5", true), ("1,5", false), ("７３", true), ("1.234", true), ("72", false)] {
        type_in("field_1", typed);
        browser.until(&format!("({is_shown}) === {shown}"));
    }
    type_in("field_3", "٢");
    browser.until("document.querySelector('.goods-total').textContent.includes('6,20')");
    browser.run("document.querySelectorAll('.step')[1].click()");
    assert_eq!(browser.run("return field_3.value"), "3");
    assert_eq!(browser.run("return field_1.inputMode"), "");
    assert_eq!(browser.run("return field_4.inputMode"), "decimal");
    assert_eq!(browser.run("return document.querySelectorAll('[type=number]').length"), 0);
    browser.keys([ENTER]);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn dates_and_money_are_written_as_the_locale_writes_them() {
    let server = Server::shared();
    let owner = server.user();
    for (locale, date, price, total, number) in [
        ("en", "Choose 23 November 2090 or later", "€15.50", "Total: €31.00", "Enter 1.5 or more"),
        ("de", "Choose 23 November 2090 or later", "15,50\u{a0}€", "Total: 31,00\u{a0}€", "Enter 1,5 or more"),
        ("en-US", "Choose November 23, 2090 or later", "€15.50", "Total: €31.00", "Enter 1.5 or more"),
        ("zh-CN", "请选择 2090年11月23日 或更晚的日期", "€15.50", "合计：€31.00", "请输入不小于 1.5 的数"),
    ] {
        let form = owner.form_with(json!({"name": "A form", "locale": locale, "fields": [
            field("date", json!({"min": "2090-11-23"})),
            field("product", json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": "15.5"}]})),
            field("number", json!({"min": 1.5})),
        ]}));
        let priced = owner.patch(format!("{}/settings", form.path()), json!({"pricing": {"currency": "EUR"}}));
        assert_eq!(priced.status, 200, "{priced}");
        let refused = server.anon().post_form(
            form.page(),
            &[("field_1", "2026-01-01"), ("field_2[0].api_code", "tea"), ("field_2[0].number", "2"), ("field_3", "1")],
        );
        assert_eq!(refused.status, 422);
        for words in [date, price, total, number] {
            assert!(refused.text.contains(words), "{locale}: {words} in {}", refused.text);
        }
        // The API's messages stay as they are.
        let entry = json!({"field_values": {"field_1": "2026-01-01", "field_3": 1}});
        let said = owner.post(form.entries(), entry).faults();
        assert_eq!(
            said,
            ["field_values.field_1: must not be before 2090-11-23", "field_values.field_3: must be 1.5 or more",]
        );
    }
}

#[test]
fn the_script_reads_numbers_as_the_server_does() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = form(&server.user(), "en", json!([field("number", json!({}))]));
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    let cases = json!([
        [".", "72,5", 72.5],
        [",", "72,5", 72.5],
        [".", "72.5", 72.5],
        [",", "７２．５", 72.5],
        [",", "٧٢٫٥", 72.5],
        [",", "۷۲٫۵", 72.5],
        [",", "७२.५", 72.5],
        ["", "1 234,5", 1234.5],
        ["", "1\u{202f}234,5", 1234.5],
        ["", "1’234.5", 1234.5],
        ["", "1'234'567", 1_234_567],
        [".", "1.234,5", 1234.5],
        [",", "1.234,5", 1234.5],
        [".", "1,234.5", 1234.5],
        [",", "1,234", 1234],
        [".", "1,234", 1.234],
        [".", "1.234", 1234],
        [",", "1.234", 1.234],
        ["", "1.234", 1.234],
        [",", "0,123", 0.123],
        [",", "1234,567", 1234.567],
        [",", "1,234,567", 1_234_567],
        [",", "12,34,567.5", 1_234_567.5],
        [",", "١٬٢٣٤٫٥", 1234.5],
        [",", "\u{2212}3", -3],
        [",", "－３", -3],
        [",", "- 3", -3],
        [",", "+5", 5],
        [",", "007", 7],
        [",", ".5", 0.5],
        [",", "5.", 5],
        [",", "1e3", 1000],
        [",", " 5 ", 5],
        [",", "", null],
        [",", "-", null],
        [",", ".", null],
        [",", "1,2,3", null],
        [",", "12,34,56", null],
        [",", "1.2.3", null],
        [",", "1,234,56", null],
        [",", "72 5", null],
        [",", "1,234.5,6", null],
        [",", "1 234'567", null],
        [",", "0,123,456", null],
        [",", "five", null],
        [",", "5 kg", null],
        [",", "1e", null],
        [",", "1e99999", null],
        [",", "--5", null],
        [",", "5-", null],
        [",", "1,,234", null],
        [",", "½", null],
        [",", "0x10", null],
        [",", "1_000", null],
        [",", "Infinity", null],
    ]);
    // The module as it is written: pages have it joined with others.
    let module = include_str!("../../../assets/js/number.js").replace("export ", "");
    let odd = browser.wait_for(
        &format!(
            "const [cases, done] = arguments; {module}
         done(cases.filter(([group, typed, number]) => (readNumber(typed, group) ?? null) !== number)
             .map(([group, typed]) => `${{group}} ${{typed}}: ${{readNumber(typed, group)}}`))"
        ),
        json!([cases]),
    );
    assert_eq!(odd, json!([]));
}
