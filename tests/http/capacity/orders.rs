//! The price of an order before and after the discount, from any sender and by any way.

use serde_json::{Value, json};
use support::steps::{bulk, set};
use support::{Caller, Form, Server, field};

fn goods(api_code: Option<&str>, tea: f64) -> Value {
    json!([
        field(
            "product",
            json!({"api_code": api_code, "goods_items": [
                {"api_code": "tea", "name": "Tea", "price": tea},
                {"api_code": "cup", "name": "Cup", "price": 10, "dimensions": [{"api_code": "size", "name": "Size", "options": [
                    {"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]}],
                    "skus": [{"specification": {"size": "l"}, "price": 12.25}]},
            ]})
        ),
        field(
            "product",
            json!({"api_code": api_code.map(|_| "field_2"), "goods_items": [{"api_code": "pot", "name": "Pot", "price": 20}]})
        ),
        field("short_text", json!({"api_code": api_code.map(|_| "field_3"), "label": "Name"})),
    ])
}

fn shop(owner: &Caller) -> Form {
    let form = owner.form_with(json!({"name": "Shop", "scene": "order", "fields": goods(None, 3.335)}));
    let discounts = json!([{"min_total": 15, "percent_off": 10}, {"min_total": 50, "amount_off": 7.5}]);
    set(owner, &form, json!({"pricing": {"currency": "EUR", "discounts": discounts}}));
    form
}

fn tea(number: i64) -> Value {
    json!({"api_code": "tea", "number": number})
}

fn cup(size: &str) -> Value {
    json!({"api_code": "cup", "number": 1, "specification": {"size": size}})
}

fn pots(number: i64) -> Value {
    json!([{"api_code": "pot", "number": number}])
}

/// Orders, with their prices before and after the discount.
fn table() -> Vec<(Value, Value, Value)> {
    vec![
        (json!({}), json!(0), json!(0)),
        (json!({"field_1": [tea(1)]}), json!(3.34), json!(3.34)),
        (json!({"field_1": [tea(2)]}), json!(6.67), json!(6.67)),
        (json!({"field_1": [cup("s")]}), json!(10), json!(10)),
        (json!({"field_1": [cup("l"), tea(1)]}), json!(15.59), json!(14.03)),
        (json!({"field_1": [cup("s")], "field_2": pots(2)}), json!(50), json!(42.5)),
    ]
}

#[test]
fn all_ways_in_cost_alike_whatever_a_client_says() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    for (values, total, preferential) in table() {
        let mut given = values.clone();
        given["total_price"] = json!(0.01);
        given["preferential_price"] = json!(0.01);
        let prices = |entry: &Value| (entry["total_price"].clone(), entry["preferential_price"].clone());
        let expected = (total, preferential);
        let body = json!({"field_values": given, "total_price": 0, "preferential_price": 0});
        let sent = anon.post(form.submissions(), body);
        assert_eq!(prices(&sent.data()["entry"]), expected, "{sent}");
        let made = owner.post(form.entries(), json!({"field_values": given}));
        assert_eq!(prices(&made.data()), expected, "{made}");
        bulk(&owner, &form, &[values]);
        let newest = owner.get(form.entries()).data()[0].clone();
        assert_eq!(prices(&newest), expected, "{newest}");
    }
    let exported = owner.get(format!("{}/export?format=csv&headers=api_codes", form.entries()));
    assert!(exported.text.contains(r#""total_price","preferential_price","#), "{exported}");
    let path = format!("{}/import", form.entries());
    // Prices in the file are ignored.
    let file = exported.text.replace("15.59", "1").replace("14.03", "1");
    let imported = owner.send("POST", &path, Some("text/csv"), file.as_bytes());
    assert_eq!(imported.status, 201, "{imported}");
    let all = owner.get(format!("{}?page_size=100", form.entries())).data();
    for (values, total, preferential) in table() {
        let of = |entry: &&Value| entry["total_price"] == total && entry["preferential_price"] == preferential;
        let found = all.as_array().expect("entries").iter().filter(of).count();
        assert_eq!(found, 6, "{values}");
    }
}

#[test]
fn a_price_is_that_of_the_day_on_which_the_goods_were_chosen() {
    let owner = Server::shared().user();
    let form = shop(&owner);
    bulk(&owner, &form, &[json!({"field_1": [tea(2)], "field_3": "Ann"})]);
    let price = || owner.get(form.entry(1)).data()["total_price"].clone();
    let edited = owner.patch(form.path(), json!({"fields": goods(Some("field_1"), 100.0)}));
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(price(), 6.67);
    // Nor does it change with other values computed for the same edit, or with other answers.
    let mut fields = goods(Some("field_1"), 200.0);
    let formula = field("formula", json!({"expression": "CONCAT(field_3, \"!\")", "result_type": "text"}));
    fields.as_array_mut().expect("fields").push(formula);
    let edited = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(edited.status, 200, "{edited}");
    assert_eq!(owner.get(form.entry(1)).data()["field_4"], "Ann!");
    assert_eq!(price(), 6.67);
    set(&owner, &form, json!({"pricing": {"currency": "JPY", "discounts": []}}));
    assert_eq!(price(), 6.67);
    let change = |values: Value| {
        let changed = owner.patch(form.entry(1), json!({"field_values": values}));
        assert_eq!(changed.status, 200, "{changed}");
        changed.data()["total_price"].clone()
    };
    assert_eq!(change(json!({"field_3": "Ben"})), 6.67);
    assert_eq!(change(json!({"field_1": [tea(2)]})), 6.67);
    assert_eq!(change(json!({"field_1": [tea(3)]})), 600);
}

#[test]
fn the_page_says_what_an_order_costs_without_a_script() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    set(&owner, &form, json!({"locale": "de"}));
    let empty = anon.get(form.page());
    assert!(empty.runs("order.js"), "{empty}");
    assert!(empty.text.contains("id=\"order-total\""), "{empty}");
    let typed = [
        ("_page", "0"),
        ("field_1[0].api_code", "cup"),
        ("field_1[0].number", "1"),
        ("field_1[0].specification.size", "s"),
        ("field_2[0].api_code", "pot"),
        ("field_2[0].number", "2"),
    ];
    let more: Vec<(&str, &str)> = typed.into_iter().chain([("_action", "more")]).collect();
    let shown = anon.post_form(form.page(), &more);
    for text in ["Subtotal: 50,00\u{a0}€", "Discount: −7,50\u{a0}€", "To pay: 42,50\u{a0}€"] {
        assert!(shown.text.contains(text), "{text}: {shown}");
    }
    let done = anon.post_form(form.page(), &typed);
    let thanks = anon.get(done.header("location"));
    thanks.has([
        "<dt>Subtotal</dt><dd>50,00\u{a0}€</dd>",
        "<dt>Discount</dt><dd>−7,50\u{a0}€</dd>",
        "<dt>To pay</dt><dd>42,50\u{a0}€</dd>",
    ]);
    // A sold-out good is folded, also where a fault leads to it; the last of a good and of a choice look so.
    let good = |code: &str, stock: i64| json!({"api_code": code, "name": code, "price": 1, "stock": stock});
    let choice = |code: &str, quota: i64| json!({"api_code": code, "label": code, "quota": quota});
    let stall = owner.form(json!([
        field("product", json!({"label": "Goods", "required": true, "goods_items": [good("rye", 1), good("oat", 10), good("nut", 10)]})),
        field("radio", json!({"label": "Day", "choices": [choice("sat", 5), choice("sun", 1)]})),
    ]));
    let take = |code: &str, number: i64| json!({"api_code": code, "number": number});
    for day in ["sat"; 4] {
        let first = json!([take("oat", 2)]);
        let sent = anon.post(stall.submissions(), json!({"field_values": {"field_1": first, "field_2": day}}));
        assert_eq!(sent.status, 201, "{sent}");
    }
    let sent = anon.post(stall.submissions(), json!({"field_values": {"field_1": [take("rye", 1)]}}));
    assert_eq!(sent.status, 201, "{sent}");
    let page = anon.get(stall.page()).text;
    assert!(page.contains("<span class=\"left full\">Sold out</span>"), "{page}");
    assert_eq!(page.matches("name=\"field_1[0].number\"").count(), 1, "{page}");
    assert_eq!(page.matches("inputmode=\"numeric\"").count(), 2, "{page}");
    assert!(page.contains("<div class=\"good plain sold\" id=\"field_1\" tabindex=\"-1\""), "{page}");
    assert!(page.contains("<span class=\"left last\">2 left</span>"), "{page}");
    assert!(page.contains("<span class=\"left\">10 left</span>"), "{page}");
    assert!(page.contains("<span class=\"left last\">1 left</span>"), "{page}");
    let refused = anon.post_form(stall.page(), &[("_page", "0")]);
    assert!(refused.text.contains("href=\"#field_1\""), "{refused}");
    // One question without a discount has its own total.
    let one = owner.form(json!([goods(None, 1.0)[0]]));
    assert!(!anon.get(one.page()).text.contains("order-total"));
}

#[test]
fn what_rules_hide_is_not_paid() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    let rules = json!({"rules": [{
        "action": "hide", "fields": ["field_2"],
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "any_in", "value": ["cup"]}]},
    }]});
    let ruled = owner.put(form.part("field_rules"), rules);
    assert_eq!(ruled.status, 200, "{ruled}");
    for (values, total) in [
        (json!({"field_1": [tea(2)], "field_2": pots(1)}), 26.67),
        (json!({"field_1": [cup("s")], "field_2": pots(1)}), 10.0),
    ] {
        let sent = anon.post(form.submissions(), json!({"field_values": values}));
        assert_eq!(sent.data()["entry"]["total_price"].as_f64(), Some(total), "{sent}");
    }
}

#[test]
fn messages_and_addresses_may_name_results() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    let text = "{{total_price}} {{preferential_price}} {{exam_score}}";
    set(&owner, &form, json!({"locale": "de", "after_submission": {"show_message": {"text": {"title": text}}}}));
    let values = json!({"field_values": {"field_1": [cup("s")], "field_2": pots(2)}});
    let sent = anon.post(form.submissions(), values.clone()).data();
    let title = &sent["after_submission"]["show_message"]["text"]["title"];
    assert_eq!(title, "50 42.5 {{exam_score}}");
    let typed = [("field_2[0].api_code", "pot"), ("field_2[0].number", "1")];
    let done = anon.post_form(form.page(), &typed);
    let thanks = anon.get(done.header("location"));
    assert!(thanks.text.contains("20,00\u{a0}€ 18,00\u{a0}€ {{exam_score}}"), "{thanks}");
    let address = "https://example.com/pay?amount={{preferential_price}}";
    set(&owner, &form, json!({"after_submission": {"mode": "redirect", "redirect": {"url": address}}}));
    let sent = anon.post(form.submissions(), values).data();
    assert_eq!(sent["after_submission"]["redirect"]["url"], "https://example.com/pay?amount=42.5");
}
