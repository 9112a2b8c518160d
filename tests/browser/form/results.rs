//! Results: the price of an order as it is chosen, the time of an exam as it runs, and the contents of the thank-you
//! page.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, press_button, set, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

fn shop(owner: &Caller) -> Form {
    let pots = json!([{"api_code": "pot", "name": "Teapot", "price": 20}]);
    let teas = json!([
        {"api_code": "tea", "name": "Green tea", "price": 3.335},
        {"api_code": "cup", "name": "Cup", "price": 10},
    ]);
    let form = owner.form_with(json!({"name": "Tea shop", "scene": "order", "fields": [
        field("product", json!({"label": "Tea and cups", "goods_items": teas})),
        field("product", json!({"label": "Pots", "goods_items": pots})),
        field("radio", json!({"label": "Pots too?", "choices": [{"api_code": "y", "label": "Yes"}, {"api_code": "n", "label": "No"}]})),
    ]}));
    let discounts = json!([{"min_total": 15, "percent_off": 10}, {"min_total": 50, "amount_off": 7.5}]);
    set(owner, &form, json!({"pricing": {"currency": "EUR", "discounts": discounts}}));
    form
}

fn exam(owner: &Caller, settings: Value) -> Form {
    let planets = json!([{"api_code": "m", "label": "Mercury"}, {"api_code": "v", "label": "Venus"}]);
    let moons = json!([
        {"api_code": "p", "label": "Phobos"},
        {"api_code": "d", "label": "Deimos"},
        {"api_code": "t", "label": "Titan"},
    ]);
    let form = owner.form_with(json!({"name": "The solar system", "scene": "exam", "fields": [
        field("radio", json!({"label": "Which planet is closest to the sun?", "choices": planets})),
        field("checkbox", json!({"label": "Which are moons of Mars?", "choices": moons})),
        field("short_text", json!({"label": "Which planet has the most moons?"})),
        field("long_text", json!({"label": "Anything to add?"})),
    ]}));
    let questions = json!({
        "field_1": {"scored": true, "score": 2, "answer": "m"},
        "field_2": {"scored": true, "score": 3, "answer": ["p", "d"], "partial": "per_choice"},
        "field_3": {"scored": true, "score": 5, "answer": "Saturn"},
    });
    set(owner, &form, json!({"exam": {"questions": questions}}));
    set(owner, &form, settings);
    form
}

fn whole(server: &Server, path: &str) -> String {
    format!("{}{path}", server.base)
}

/// The decision table that the service is tested with.
const DISCOUNTS: &str = include_str!("../../http/tables/discounts.txt");

/// The price of a line such as `cup.l*2`, in the script's units.
fn units(line: &str) -> i128 {
    let (item, number) = line.split_once('*').expect("a number");
    let price = match item {
        "tea" => 33_350,
        "cup.s" => 100_000,
        "cup.l" => 122_500,
        "pot" => 255_000,
        "leaflet" => 0,
        "gold" => 9_999_999_990_000,
        other => panic!("{other}"),
    };
    price * number.parse::<i128>().expect("a number")
}

#[test]
fn the_script_computes_what_the_service_does() {
    let server = Server::shared();
    let form = shop(&server.user());
    let browser = Browser::open(Look::PHONE);
    browser.go(&whole(server, &form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.step')");
    // The part of the module that computes, which pages get in one file with others.
    let (computing, _) = include_str!("../../../assets/js/order.js")
        .split_once("// Only where it changes")
        .expect("the part that draws");
    let (_, computing) = computing.split_once('\n').expect("a first line");
    let computing = computing.replace("import \"./product.js\";", "").replace("export const", "const");
    let mut count = 0;
    for line in DISCOUNTS.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('|').map(str::trim).collect();
        let lines = row[2].split_whitespace().filter(|line| *line != "-");
        let sum: i128 = lines.map(units).sum();
        let decimals = match row[0] {
            "JPY" => 0,
            "KWD" => 3,
            _ => 2,
        };
        let found = browser.run(&format!(
            "{computing}
             const {{ total, after }} = prices({sum}n, {}, {decimals});
             return [total, after].map(sum => Number(sum / 10000n) + Number(sum % 10000n) / 1e4)",
            row[1]
        ));
        let number = |cell: &str| cell.parse::<f64>().expect("a number");
        let found: Vec<f64> = serde_json::from_value(found).expect("two numbers");
        assert_eq!(found, [number(row[3]), number(row[4])], "{line}");
        count += 1;
    }
    assert!(count > 30, "{count}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_price_of_an_order_follows_what_is_chosen() {
    let server = Server::shared();
    let owner = server.user();
    let form = shop(&owner);
    let rules = json!({"rules": [{
        "action": "hide", "fields": ["field_2"],
        "condition": {"operand": "and", "items": [{"field": "field_3", "operator": "eq", "value": "n"}]},
    }]});
    // A rule looks at fields before its targets alone.
    let mut fields = owner.get(form.path()).data()["fields"].as_array().expect("fields").clone();
    fields.swap(0, 2);
    assert_eq!(owner.patch(form.path(), json!({"fields": fields})).status, 200);
    assert_eq!(owner.put(form.part("field_rules"), rules).status, 200);
    let browser = Browser::open(Look::PHONE);
    browser.go(&whole(server, &form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.step')");
    let shown = || {
        browser.run(
            "return [...document.querySelectorAll('#order-total:not([hidden]) p:not([hidden])')].map(e => e.textContent)",
        )
    };
    assert_eq!(shown(), json!([]));
    press_button(&browser, "More: Green tea");
    assert_eq!(shown(), json!(["To pay: €3.34"]));
    press_button(&browser, "More: Green tea");
    assert_eq!(shown(), json!(["To pay: €6.67"]));
    let less = json!(["Subtotal: €16.67", "Discount: −€1.67", "To pay: €15.00"]);
    let more = json!(["Subtotal: €56.67", "Discount: −€7.50", "To pay: €49.17"]);
    press_button(&browser, "More: Cup");
    assert_eq!(shown(), less);
    // The price is shown in one place, and the amount to pay is the largest text of it.
    assert_eq!(
        browser.run("return [...document.querySelectorAll('.goods-total')].some(e => e.checkVisibility())"),
        false
    );
    let sizes =
        "return [...document.querySelectorAll('#order-total > p')].map(e => parseFloat(getComputedStyle(e).fontSize))";
    let sizes: Vec<f64> = serde_json::from_value(browser.run(sizes)).expect("sizes");
    assert!(sizes[2] > sizes[0] && sizes[2] > sizes[1], "{sizes:?}");
    press_button(&browser, "More: Teapot");
    press_button(&browser, "More: Teapot");
    assert_eq!(shown(), more);
    browser.shot("order-total-360", Look::PHONE);
    browser.run("document.querySelector('input[value=n]').click()");
    assert_eq!(shown(), less);
    browser.run("document.querySelector('input[value=y]').click()");
    assert_eq!(shown(), more);
    assert_eq!(browser.complaints(), NOTHING);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
    assert_eq!(browser.text("h1"), "Your order is placed");
    let totals = browser
        .run("return [...document.querySelectorAll('.totals > div')].map(e => e.innerText.replace(/\\s+/g, ' '))");
    assert_eq!(totals, json!(["Subtotal €56.67", "Discount −€7.50", "To pay €49.17"]));
    let address = browser.run("return location.href");
    look_at(&browser, "order-done", address.as_str().expect("an address"));
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["total_price"], &entry["preferential_price"]), (&json!(56.67), &json!(49.17)));
}

#[test]
fn an_exam_counts_down_and_goes_with_all_that_was_typed() {
    let server = Server::shared();
    let owner = server.user();
    let form = exam(&owner, json!({"exam": {"duration_minutes": 30}}));
    let browser = Browser::open(Look::PHONE);
    let address = whole(server, &form.page());
    look_at(&browser, "exam-start", &address);
    // The time begins with a press, and no question is shown before.
    assert!(!browser.text("main").contains("Which planet"), "{}", browser.text("main"));
    browser.look(Look::PHONE);
    press_button(&browser, "Start");
    browser.until("document.querySelector('.exam-time') && document.readyState === 'complete'");
    look_at(&browser, "exam", &format!("{address}?start=1"));
    browser.look(Look::PHONE);
    let until = browser.run("return document.querySelector('.exam-time .countdown').dataset.until");
    let line = "const e = [...document.querySelector('.exam-time').children].map(e => e.getBoundingClientRect());
        return e.length === 3 && e.every(one => Math.abs(one.top + one.bottom - e[0].top - e[0].bottom) < 4)";
    assert_eq!(browser.run(line), json!(true), "{}", browser.text(".exam-time"));
    browser.until("document.querySelector('.exam-time > progress').value < 1800");
    // Loading it again gives no new time.
    browser.go(&address);
    browser.until("document.readyState === 'complete'");
    let again = browser.run("return document.querySelector('.exam-time .countdown').dataset.until");
    assert_eq!(again, until);
    browser.run("document.querySelector('input[value=m]').click()");
    set_value(&browser, "field_3", "Saturn");
    set_value(&browser, "field_4", "Not finished yet");
    // The typed answers are there at either address.
    browser.until("Object.keys(localStorage).length === 1");
    browser.go(&format!("{address}?start=1"));
    browser
        .until("document.readyState === 'complete' && document.getElementById('field_4').value === 'Not finished yet'");
    assert_eq!(browser.run("return location.pathname.endsWith('/done')"), json!(false));
    browser
        .run("const {dataset} = document.querySelector('.exam-time .countdown'); dataset.until = dataset.now - 1000");
    browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
    assert_eq!(browser.complaints(), NOTHING);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_4"], "Not finished yet");
    assert_eq!((&entry["exam_score"], &entry["is_late"]), (&json!(7), &json!(false)));
}

#[test]
fn without_a_script_the_end_is_written() {
    let server = Server::shared();
    let owner = server.user();
    let form = exam(&owner, json!({"exam": {"duration_minutes": 30}}));
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&whole(server, &form.page()));
    press_button(&browser, "Start");
    browser.until("document.querySelector('.exam-time') !== null");
    let text = browser.text(".exam-time");
    assert!(text.contains("until ") && text.contains("(UTC)"), "{text}");
}

#[test]
fn thank_you_pages_with_results_in_every_light() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let browser = Browser::open(Look::DESK);
    let sent = |form: &Form, typed: &[(&str, &str)]| {
        let done = anon.post_form(form.page(), typed);
        assert_eq!(done.status, 303, "{done}");
        whole(server, done.header("location"))
    };
    let typed = [("field_1", "m"), ("field_2", "p"), ("field_3", "Jupiter"), ("field_4", "I liked it.\nThank you.")];
    for (name, pass_score) in [("exam-passed", 3), ("exam-failed", 4)] {
        let shown = json!({"show_score": true, "show_answers": true, "pass_score": pass_score});
        let form = exam(&owner, json!({"exam": shown}));
        look_at(&browser, name, &sent(&form, &typed));
    }
    let chinese = |minutes: u64| {
        let shown = json!({"show_score": true, "show_answers": true, "pass_score": 3, "duration_minutes": minutes});
        exam(&owner, json!({"locale": "zh-CN", "exam": shown}))
    };
    look_at(&browser, "exam-late-zh", &sent(&chinese(1), &typed));
    let form = chinese(30);
    look_at(&browser, "exam-start-zh", &whole(server, &form.page()));
    look_at(&browser, "exam-zh", &whole(server, &format!("{}?start=1", form.page())));
    let choices = json!([{"api_code": "a", "label": "Often", "score": 4}, {"api_code": "b", "label": "Never"}]);
    let form = owner.form_with(json!({"name": "How do you sleep?", "scene": "evaluation", "fields": [
        field("radio", json!({"label": "Do you wake up rested?", "choices": choices})),
    ]}));
    let comment = "You sleep well.\nKeep going to bed at the same time.";
    let report = json!({"score_based_feedbacks": [{"start_point": 0, "end_point": 9, "comment": comment}]});
    set(&owner, &form, json!({"after_submission": {"mode": "report", "report": report}}));
    look_at(&browser, "evaluation-done", &sent(&form, &[("field_1", "a")]));
}
