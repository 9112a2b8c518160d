//! Decision tables, in `tables/`: scores of answers, prices of orders, and recipients of mail about an entry.

use rust_decimal::Decimal;
use serde_json::{Value, json};
use support::peers::mail::{Mail, MailServer, serving};
use support::steps::{newest, set};
use support::tables::table_rows;
use support::{Caller, Form, Server, field, until};

const SCORING: &str = include_str!("../tables/scoring.txt");
const COUNTING: &str = include_str!("../tables/counting.txt");
const DISCOUNTS: &str = include_str!("../tables/discounts.txt");
const QUANTITIES: &str = include_str!("../tables/quantities.txt");
const MAIL: &str = include_str!("../tables/mail.txt");

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|e| panic!("{cell}: {e}"))
}

/// Points of the four questions, so that their sum tells which of them counted.
const WORTH: [u32; 4] = [6, 600, 60_000, 600_000];

/// A gate, and a question for each row of `COUNTING`.
fn exam(owner: &Caller, mode: &str) -> Form {
    let choices = |codes: &str| -> Value {
        let codes = codes.chars().map(|code| code.to_string());
        codes.map(|code| json!({"api_code": code, "label": code})).collect()
    };
    let gate = json!([{"api_code": "on", "label": "On"}, {"api_code": "off", "label": "Off"}]);
    let mut fields = vec![field("radio", json!({"choices": gate}))];
    for row in table_rows(COUNTING) {
        let own = json!({"choices": choices("abcd"), "hidden": row[0] == "hidden"});
        fields.push(field("checkbox", own));
    }
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": fields}));
    let rule = |action: &str, target: &str| {
        json!({
            "action": action, "fields": [target],
            "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "on"}]},
        })
    };
    let rules = json!({"rules": [rule("show", "field_3"), rule("hide", "field_4")]});
    assert_eq!(owner.put(form.part("field_rules"), rules).status, 200);
    set(
        owner,
        &form,
        json!({
            "exam": {"show_score": true, "questions": key(mode)},
            "submission_options": {"allow_edit_after_submission": true},
        }),
    );
    form
}

fn key(mode: &str) -> Value {
    let questions = WORTH.iter().zip(2..).map(|(score, place)| {
        let question = json!({"scored": true, "score": score, "answer": ["a", "b", "c"], "partial": mode});
        (format!("field_{place}"), question)
    });
    Value::Object(questions.collect())
}

#[test]
fn answers_score_by_mode_ticks_and_what_is_hidden() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (mode, column) in [("none", 1), ("proportional", 2), ("per_choice", 3)] {
        let form = exam(&owner, mode);
        let mut expected = Vec::new();
        let mut own: Option<Caller> = None;
        let mut path = String::new();
        for row in table_rows(SCORING) {
            let ticked: Value =
                row[0].chars().filter(|code| *code != '-').map(|code| json!(code.to_string())).collect();
            for (gate, counted) in [("on", 1), ("off", 2)] {
                let shares = table_rows(COUNTING).zip(WORTH);
                let shares = shares.filter(|(question, _)| question[counted] == "yes");
                let score: f64 = shares.map(|(_, worth)| f64::from(worth) / 6.0 * number(row[column])).sum();
                let what = format!("{mode} {} {gate}", row[0]);
                let mut values = json!({"field_1": gate});
                for place in 2..6 {
                    values[format!("field_{place}")] = ticked.clone();
                }
                let body = json!({"field_values": values});
                let sent = anon.post(form.submissions(), body.clone()).data();
                assert_eq!(sent["exam_score"].as_f64(), Some(score), "{what}: {sent}");
                let made = owner.post(form.entries(), body.clone()).data();
                assert_eq!(made["exam_score"].as_f64(), Some(score), "{what}: {made}");
                expected.extend([score, score]);
                // One entry is changed to each of them in turn, by its respondent.
                let respondent = own.get_or_insert_with(|| {
                    let token = sent["entry"]["token"].as_str().expect("a token");
                    path = format!("{}/{token}", form.submissions());
                    let right = sent["edit_token"].as_str().expect("a right");
                    anon.header("x-edit-token", right)
                });
                let changed = respondent.patch(&path, body);
                assert_eq!(changed.status, 200, "{what}: {changed}");
                let entry = owner.get(form.entry(1)).data();
                assert_eq!(entry["exam_score"].as_f64(), Some(score), "{what}: {entry}");
            }
        }
        // The same again, where the key was another one in between.
        for mode in ["none", "per_choice", "proportional", mode] {
            let questions = key(mode);
            set(&owner, &form, json!({"exam": {"questions": questions}}));
        }
        let exported = owner.get(format!("{}/export?format=json", form.entries()));
        let mut all = exported.json().as_array().expect("entries").clone();
        all.sort_by_key(|entry| entry["serial_number"].as_i64());
        for (entry, score) in all.iter().zip(&expected).skip(1) {
            assert_eq!(entry["exam_score"].as_f64(), Some(*score), "{mode}: {entry}");
        }
        assert_eq!(all.len(), expected.len());
    }
}

fn shop(owner: &Caller) -> Form {
    let good = |code: &str, price: Value| json!({"api_code": code, "name": code, "price": price});
    let mut cup = good("cup", json!(10));
    cup["dimensions"] = json!([{"api_code": "size", "name": "Size", "options": [
        {"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]}]);
    cup["skus"] = json!([{"specification": {"size": "l"}, "price": "12.25"}]);
    let mut boxed = good("box", json!(1));
    boxed["min_number"] = json!(2);
    boxed["max_number"] = json!(5);
    let goods = json!([
        good("tea", json!(3.335)),
        cup,
        good("pot", json!("25.50")),
        good("leaflet", json!(0)),
        good("gold", json!(999_999_999)),
        boxed,
    ]);
    let product = field("product", json!({"goods_items": goods}));
    let email = field("email", json!({}));
    owner.form_with(json!({"name": "Shop", "scene": "order", "fields": [product, email]}))
}

/// `cup.s*2 tea*1` in the write shape.
fn order(cell: &str) -> Value {
    let lines = cell.split_whitespace().filter(|line| *line != "-");
    lines
        .map(|line| {
            let (item, number) = line.split_once('*').expect("a number");
            let number: Value = serde_json::from_str(number).expect("a number");
            match item.split_once('.') {
                Some((item, size)) => {
                    json!({"api_code": item, "number": number, "specification": {"size": size}})
                }
                None => json!({"api_code": item, "number": number}),
            }
        })
        .collect()
}

/// The same as a page posts it.
fn inputs(order: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (place, line) in order.as_array().expect("lines").iter().enumerate() {
        let mut put = |key: &str, value: &Value| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            out.push((format!("field_1[{place}].{key}"), value));
        };
        put("api_code", &line["api_code"]);
        put("number", &line["number"]);
        if line["specification"].is_object() {
            put("specification.size", &line["specification"]["size"]);
        }
    }
    out
}

/// The amount in a line of the page, such as `To pay: $1,000.00`.
fn amount(page: &str, words: &str) -> Option<Decimal> {
    let rest = page.split(words).nth(1)?;
    let shown = rest.split('<').next()?;
    let digits: String = shown.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    Some(digits.parse().expect("an amount"))
}

#[test]
fn orders_cost_by_discounts_decimals_and_quantities() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    for row in table_rows(DISCOUNTS) {
        let what = row.join(" | ");
        let discounts: Value = serde_json::from_str(row[1]).expect("JSON");
        let pricing = json!({"currency": row[0], "discounts": discounts});
        set(&owner, &form, json!({"pricing": pricing}));
        let lines = order(row[2]);
        let sent = anon.post(
            form.submissions(),
            json!({"field_values": {"field_1": lines, "total_price": 1}, "preferential_price": 1}),
        );
        assert_eq!(sent.status, 201, "{what}: {sent}");
        let entry = &sent.data()["entry"];
        for (key, cell) in [("total_price", row[3]), ("preferential_price", row[4])] {
            assert_eq!(entry[key].as_f64(), Some(number(cell)), "{what}: {entry}");
        }
        // The page says the same before anything is sent.
        let mut typed = inputs(&lines);
        typed.extend([("_page", "0"), ("_action", "more")].map(|(a, b)| (a.into(), b.into())));
        let typed: Vec<(&str, &str)> = typed.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let page = anon.post_form(form.page(), &typed);
        let exact = |cell: &str| Some(cell.parse::<Decimal>().expect("a number"));
        if discounts != json!([]) && row[3] != "0" {
            let [before, discount, pay] =
                [">Subtotal: ", ">Discount: ", ">To pay: "].map(|own| amount(&page.text, own));
            assert_eq!((before, pay), (exact(row[3]), exact(row[4])), "{what}");
            assert_eq!(discount, before.zip(pay).map(|(before, pay)| before - pay), "{what}");
        }
    }
}

#[test]
fn quantities_have_a_least_and_a_most() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = shop(&owner);
    for row in table_rows(QUANTITIES) {
        let body = json!({"field_values": {"field_1": order(row[0])}});
        for answer in [anon.post(form.submissions(), body.clone()), owner.post(form.entries(), body)] {
            let expected = match row[1] {
                "-" => vec![],
                fault => vec![format!("field_values.field_1{fault}")],
            };
            let status = if expected.is_empty() { 201 } else { 422 };
            assert_eq!(answer.status, status, "{row:?}: {answer}");
            if status == 422 {
                assert_eq!(answer.faults(), expected, "{row:?}");
            }
        }
    }
}

/// Members, who get every notice.
const NOTIFIED: [&str; 2] = ["a@example.org", "b@example.org"];

/// An address, a text, and a rule that takes the address away.
fn mailing(owner: &Caller, row: &[&str], name: &str) -> Form {
    let fields = json!([
        field("short_text", json!({"label": "Gate"})),
        field("email", json!({"label": "Address"})),
        field("short_text", json!({"label": "Secret", "hidden": true, "default_value": "mk-inside"})),
    ]);
    let form = owner.form_with(json!({"name": name, "fields": fields}));
    let rules = json!({"rules": [{
        "action": "hide", "fields": ["field_2"],
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "ruled"}]},
    }]});
    assert_eq!(owner.put(form.part("field_rules"), rules).status, 200);
    set(
        owner,
        &form,
        json!({
            "notifications": {
                "receipt": {"enabled": row[1] == "on", "for_programs": !["program", "page", "signed in"].contains(&row[0])},
                "notice": {"enabled": row[4] != "off", "to": NOTIFIED, "include_values": row[4] == "values"},
            },
            "submission_options": {"allow_edit_after_submission": row[3] == "yes"},
        }),
    );
    form
}

/// Makes the entry in the way of a row.
fn answer(server: &Server, owner: &Caller, form: &Form, row: &[&str], address: &str) {
    let anon = server.anon();
    let gate = if row[2] == "ruled" { "ruled" } else { "mk-said" };
    let given = if row[2] == "blank" { "" } else { address };
    let body = json!({"field_values": {"field_1": gate, "field_2": given}});
    let status = match row[0] {
        "page" => {
            let typed = [("field_1", gate), ("field_2", given)];
            anon.post_form(form.page(), &typed).status - 102
        }
        "signed in" => {
            let who = server.token(&owner.email, "form:respond");
            who.post(form.submissions(), body).status
        }
        "twice" => {
            let once = anon.header("idempotency-key", "the-same");
            once.post(form.submissions(), body.clone());
            once.post(form.submissions(), body).status
        }
        "refused" => {
            let body = json!({"field_values": {"field_1": 5, "field_2": given}});
            anon.post(form.submissions(), body).status - 221
        }
        "collaborator" => owner.post(form.entries(), body).status,
        "bulk" => {
            let path = format!("{}/bulk", form.entries());
            owner.post(path, json!({"entries": [body]})).status
        }
        "import" => {
            let path = format!("{}/import", form.entries());
            let file = format!("field_1,field_2\nmk-said,{given}\n");
            let sent = owner.send("POST", &path, Some("text/csv"), file.as_bytes());
            sent.status
        }
        _ => {
            let sent = anon.post(form.submissions(), body);
            let data = sent.data();
            if row[0] == "own edit" {
                let token = data["entry"]["token"].as_str().expect("a token");
                let right = data["edit_token"].as_str().expect("a right");
                let me = anon.header("x-edit-token", right);
                let change = json!({"field_values": {"field_1": "changed"}});
                let changed = me.patch(format!("{}/{token}", form.submissions()), change.clone());
                assert_eq!(changed.status, 200, "{changed}");
                assert_eq!(owner.patch(form.entry(1), change).status, 200);
            }
            if row[0] == "restore" {
                assert_eq!(owner.delete(form.entry(1)).status, 200);
                let path = format!("{}/restore", form.trashed(1));
                assert_eq!(owner.post(path, json!({})).status, 200);
            }
            sent.status
        }
    };
    assert_eq!(status, 201, "{row:?}");
    if row[0] != "refused" {
        assert!(newest(owner, form)["serial_number"] == 1, "{row:?}");
    }
}

#[test]
fn mail_goes_to_whom_the_settings_say() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    NOTIFIED.iter().for_each(|to| drop(server.user_named(to, "Olga")));
    for (place, row) in table_rows(MAIL).enumerate() {
        let name = format!("Form {place}.");
        let form = mailing(&owner, &row, &name);
        let address = format!("respondent{place}@example.org");
        answer(&server, &owner, &form, &row, &address);
        let [receipts, link, notices, values] = row[5..] else {
            panic!("{row:?}");
        };
        let list = format!("{}/notifications?page_size=100", form.path());
        let listed = owner.get(&list).data();
        let listed = listed.as_array().expect("a list");
        let to = |kind: &str| -> Vec<String> {
            let own = listed.iter().filter(|sent| sent["kind"] == kind);
            let mut to: Vec<String> = own.map(|sent| sent["to"].as_str().expect("an address").to_owned()).collect();
            to.sort();
            to
        };
        let expected: Vec<String> = match receipts {
            "0" => vec![],
            _ => vec![address.clone()],
        };
        assert_eq!(to("receipt"), expected, "{row:?}");
        let expected = if notices == "0" { vec![] } else { NOTIFIED.map(str::to_owned).to_vec() };
        assert_eq!(to("notice"), expected, "{row:?}");
        until("all is delivered", || {
            let all = owner.get(&list).data();
            let mut all = all.as_array().expect("a list").iter();
            all.all(|sent| sent["status"] == "delivered")
        });
        let all = |to: &str| -> Vec<Mail> {
            let mut all = mail.mails();
            all.retain(|mail| mail.to() == to && mail.subject().contains(&name));
            all
        };
        let awaited = (receipts.parse::<usize>().expect("a number"), usize::from(notices != "0"));
        until("all has arrived", || (all(&address).len(), all(NOTIFIED[1]).len()) >= awaited);
        let (receipt, notice) = (all(&address), all(NOTIFIED[1]));
        assert_eq!(receipt.len(), receipts.parse::<usize>().expect("a number"), "{row:?}");
        assert_eq!(notice.len(), usize::from(notices != "0"), "{row:?}");
        for mail in receipt {
            assert_eq!(mail.text().contains("edit_token="), link == "yes", "{row:?}");
            assert!(!mail.text().contains("mk-"), "{row:?}: {mail:?}");
        }
        for mail in notice {
            // Hidden answers too: these are the form's own people.
            for part in ["mk-inside", if row[2] == "ruled" { "ruled" } else { "mk-said" }] {
                for text in [mail.text(), mail.html()] {
                    assert_eq!(text.contains(part), values == "yes", "{row:?}: {text}");
                }
            }
            assert!(!mail.text().contains("edit_token"), "{row:?}");
        }
    }
}
