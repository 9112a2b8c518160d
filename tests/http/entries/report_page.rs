//! The page of a report: its numbers are those of the API, and each bar leads to the entries that it counts.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{PASSWORD, Session, account};
use support::steps::{add, bulk};
use support::{Caller, Form, Response, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

fn desk(fields: Value) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let form = owner.form(fields);
    let browser = Session::on(&server).signed_in("ann@example.org");
    Desk { server, owner, form, browser }
}

impl Desk {
    fn page(&self, query: &str) -> Response {
        self.browser.get(&format!("/forms/{}/report{query}", self.form.token))
    }

    fn api(&self, query: &str) -> Response {
        self.owner.get(format!("{}/entries/report{query}", self.form.path()))
    }
}

fn choices(codes: &[&str]) -> Value {
    codes.iter().map(|code| json!({"api_code": code, "label": format!("Choice <{code}>")})).collect()
}

fn named(codes: &[&str]) -> Value {
    codes.iter().map(|code| json!({"api_code": code, "label": format!("Line {code}")})).collect()
}

/// A question of each kind that is counted.
fn fields() -> Value {
    let tree = json!([
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy"}, {"api_code": "fr", "label": "France"}]},
        {"api_code": "as", "label": "Asia"},
    ]);
    let goods =
        json!([{"api_code": "tea", "name": "Tea", "price": 2}, {"api_code": "pot", "name": "Pot", "price": 20}]);
    let both = json!({"choices": choices(&["x", "y"]), "statements": named(&["s", "t"])});
    let grid = json!({"statements": named(&["s", "t"]), "dimensions": named(&["u", "v"]), "rating_max": 5});
    let columns = json!({"statements": named(&["s", "t"]), "dimensions": [
        field("radio", json!({"choices": choices(&["x", "y"])})), field("number", json!({"label": "How many"}))]});
    let days: Value = (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect();
    let room = |code: &str| json!({"api_code": code, "name": code, "quota_setting": {"kind": "weekly", "weekly_quotas": days}});
    let rooms = json!({"reservation_items": [room("hall"), room("attic")], "allow_multiple_items": true});
    json!([
        field("radio", json!({"label": "Radio & co", "choices": choices(&["a", "b", "c"])})),
        field("checkbox", json!({"choices": choices(&["d", "e", "f"])})),
        field("dropdown", json!({"choices": choices(&["g", "h"])})),
        field("cascade", json!({"choices": tree})),
        field("number", json!({"precision": 2})),
        field("rating", json!({"rating_max": 5})),
        field("nps", json!({})),
        field("date", json!({})),
        field("time", json!({})),
        field("address", json!({})),
        field("product", json!({"goods_items": goods})),
        field("likert", both),
        field("matrix_rating", grid),
        field("matrix", columns),
        field("ranking", json!({"choices": choices(&["k", "l", "m"])})),
        field("short_text", json!({})),
        field("formula", json!({"expression": "field_5 * 2", "result_type": "number", "precision": 2})),
        field("booking", rooms),
    ])
}

fn pick<'c>(dice: &mut StdRng, codes: &[&'c str]) -> &'c str {
    codes[dice.random_range(0..codes.len())]
}

/// Random answers, each question left out now and then.
fn answers(dice: &mut StdRng) -> Value {
    let paths = [
        json!({"level_1": "eu", "level_2": "it"}),
        json!({"level_1": "eu", "level_2": "fr"}),
        json!({"level_1": "as"}),
    ];
    let cells = |dice: &mut StdRng| json!({"u": dice.random_range(1..=5), "v": dice.random_range(1..=5)});
    let several: Vec<&str> = ["d", "e", "f"].into_iter().filter(|_| dice.random_bool(0.5)).collect();
    let mut values = json!({
        "field_1": pick(dice, &["a", "a", "b", "c"]),
        "field_2": several,
        "field_3": pick(dice, &["g", "h"]),
        "field_4": paths[dice.random_range(0..3)],
        "field_5": f64::from(dice.random_range(-500..5_000)) / 100.0,
        "field_6": dice.random_range(1..=5),
        "field_7": dice.random_range(0..=10),
        "field_8": format!("2026-{:02}-{:02}", dice.random_range(10..12), dice.random_range(1..29)),
        "field_9": {"hour": dice.random_range(0..24), "minute": dice.random_range(0..60)},
        "field_10": {"city": "X", "country": pick(dice, &["CN", "DE", "CN"])},
        "field_11": [{"api_code": pick(dice, &["tea", "pot"]), "number": dice.random_range(1..4)}],
        "field_16": format!("text {}", dice.random_range(0..1000)),
    });
    values["field_12"] = json!({"s": [pick(dice, &["x", "y"])], "t": [pick(dice, &["x", "y"])]});
    values["field_13"] = json!({"s": cells(dice), "t": cells(dice)});
    let booked = |dice: &mut StdRng, code: &str| json!({"api_code": code, "scheduled_at": format!("2090-06-{:02}", dice.random_range(5..9))});
    values["field_18"] = json!([booked(dice, "hall"), booked(dice, "attic")]);
    let codes = [["k", "l", "m"], ["m", "k", "l"], ["l", "m", "k"]][dice.random_range(0..3)];
    values["field_15"] = codes.iter().zip(1..).map(|(code, rank)| ((*code).to_owned(), json!(rank))).collect();
    let all: Vec<String> = values.as_object().expect("answers").keys().cloned().collect();
    for code in all {
        if dice.random_bool(0.2) {
            values.as_object_mut().expect("answers").remove(&code);
        }
    }
    values
}

/// A desk with so many entries.
fn full(count: usize) -> Desk {
    let desk = desk(fields());
    let mut dice = StdRng::seed_from_u64(7);
    let values: Vec<Value> = (0..count).map(|_| answers(&mut dice)).collect();
    bulk(&desk.owner, &desk.form, &values);
    desk
}

/// The card of a question, as HTML.
pub fn card<'p>(page: &'p str, id: &str) -> &'p str {
    let after = page.split_once(&format!("aria-labelledby=\"{id}\"")).unwrap_or_else(|| panic!("no card {id}")).1;
    after.split("<section").next().expect("a card")
}

fn number(text: &str) -> u64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number: {text:?}"))
}

/// The numbers of the table of a card, by their place in a row.
pub fn column(card: &str, at: usize) -> Vec<u64> {
    let table = card.split("<tbody").nth(1).and_then(|rest| rest.split("</tbody>").next()).unwrap_or_default();
    let rows = table.split("<tr").skip(1);
    rows.map(|row| {
        let cell = row.split("<td").nth(at).expect("a cell");
        let own = cell.split_once("</span>").map_or(cell, |(_, own)| own);
        number(own.split("</td>").next().expect("its text"))
    })
    .collect()
}

/// The counts that the API tells of a question.
fn counts(told: &Value) -> Vec<u64> {
    let lists = ["choices", "histogram", "dates", "hours", "countries", "goods_items", "reservation_items"];
    let list = match told.get("distribution") {
        Some(list) => list,
        None => lists.iter().find_map(|key| told.get(*key)).expect("a list"),
    };
    list.as_array().expect("a list").iter().map(|bar| bar["count"].as_u64().expect("a count")).collect()
}

/// The links of a part of a page whose text ends in a number, and that number.
pub fn bars(card: &str) -> Vec<(String, u64)> {
    let links = card.split("<a ").skip(1).map(|rest| rest.split("</a>").next().expect("a link"));
    links
        .filter_map(|link| {
            let address = link.split("href=\"").nth(1)?.split('"').next()?.replace("&amp;", "&");
            let told =
                match (link.split_once("chart-value\">"), link.split_once("<title>"), link.split_once("<strong>")) {
                    (Some((_, rest)), ..) | (.., Some((_, rest))) => rest.split('<').next()?,
                    (_, Some((_, rest)), _) => rest.split('<').next()?.rsplit(": ").next()?,
                    _ => return None,
                };
            Some((address, number(told)))
        })
        .collect()
}

#[test]
fn its_numbers_are_those_of_the_api_and_each_bar_leads_to_its_entries() {
    let desk = full(60);
    let page = desk.page("").is(200);
    let told = desk.api("").is(200).data();
    page.has(["60 entries", "Radio &amp; co", "Choice &lt;a&gt;", "Net promoter score", "Mean place"]);
    for told in told["fields"].as_array().expect("fields") {
        let code = told["api_code"].as_str().expect("a code");
        let own = card(&page.text, &format!("report-{code}"));
        let answered = told["answered"].as_u64().expect("a count");
        assert!(own.contains(&format!("{answered} of 60 answered")), "{code}: {own}");
        match code {
            "field_12" => {
                for (at, statement) in told["statements"].as_array().expect("statements").iter().enumerate() {
                    let wanted: Vec<u64> = counts(statement);
                    let table = own.split("<details").nth(1).expect("a table");
                    assert_eq!([column(table, 1)[at], column(table, 2)[at]], *wanted, "{code}");
                }
            }
            "field_15" => {
                let mut choices = told["choices"].as_array().expect("choices").clone();
                choices.sort_by(|a, b| a["mean"].as_f64().partial_cmp(&b["mean"].as_f64()).expect("numbers"));
                let of = |read: &dyn Fn(&Value) -> &Value| -> Vec<u64> {
                    choices.iter().map(|choice| read(choice).as_u64().expect("a count")).collect()
                };
                assert_eq!(column(own, 2), of(&|choice| &choice["ranks"][0]["count"]), "{code}");
                assert_eq!(column(own, 3), of(&|choice| &choice["count"]), "{code}");
            }
            "field_13" | "field_14" | "field_16" => {}
            _ => assert_eq!(column(own, 1), counts(told), "{code}"),
        }
    }
    // Beside how many answered is the way to those who did not.
    for (at, told) in told["fields"].as_array().expect("fields").iter().enumerate() {
        let own = card(&page.text, &format!("report-field_{}", at + 1));
        let (head, _) = own.split_once("</header>").expect("a head");
        let Some((_, link)) = head.split_once(" · <a href=\"") else { continue };
        let missing = 60 - told["answered"].as_u64().expect("a count");
        assert!(link.contains(&format!("{missing} without an answer")), "field_{}: {link}", at + 1);
        let address = link.split('"').next().expect("an address").replace("&amp;", "&");
        desk.browser.get(&address).is(200).has([format!("{missing} of 60 entries match")]);
    }
    let goods = &told["fields"][10];
    let own = card(&page.text, "report-field_11");
    let sold = goods["goods_items"][0]["number"].as_u64().expect("a number");
    assert!(own.contains(" · <a ") && own.contains(&format!("<span class=\"chart-share\">{sold}</span>")), "{own}");
    let total = goods["total_price"].as_f64().expect("a price");
    assert!(own.contains(&format!("<dd>${total:.2}</dd>")), "{own}");
    // The kinds that filters can tell apart have a link behind each bar that counts something.
    let mut linked = 0;
    for at in (1..=11).chain([17, 18]) {
        let id = format!("report-field_{at}");
        let own = card(&page.text, &id);
        let bars = bars(own);
        let wanted = column(own, 1).into_iter().filter(|count| *count > 0).count();
        assert!(bars.len() >= wanted, "{id}: {} of {wanted} bars lead on", bars.len());
        for (address, count) in bars {
            let list = desk.browser.get(&address).is(200);
            assert!(list.text.contains(&format!("{count} of 60 entries match")), "{id}: {count} behind {address}");
            linked += 1;
        }
    }
    assert!(linked > 80, "{linked}");
    assert!(bars(card(&page.text, "report-field_12")).is_empty());
    // Texts lead to their entries, and to all.
    let texts = card(&page.text, "report-field_16");
    let all = texts.rsplit("href=\"").next().and_then(|rest| rest.split('"').next()).expect("a link");
    let count = told["fields"][15]["answered"].as_u64().expect("a count");
    desk.browser.get(&all.replace("&amp;", "&")).is(200).has([format!("{count} of 60 entries match")]);
}

#[test]
fn it_is_split_by_a_question() {
    let desk = full(40);
    let told = desk.api("?split=field_1").is(200).data();
    let plain = desk.api("").is(200).data();
    assert_eq!(plain["fields"], told["fields"]);
    assert_eq!(plain.get("split"), None);
    let groups = told["split"].as_array().expect("groups");
    let codes: Vec<&Value> = groups.iter().map(|group| &group["choice"]).collect();
    assert_eq!(codes, [&json!("a"), &json!("b"), &json!("c"), &Value::Null]);
    for group in groups {
        let filter = match &group["choice"] {
            Value::Null => json!([{"field": "field_1", "operator": "null"}]),
            code => json!([{"field": "field_1", "operator": "eq", "value": code}]),
        };
        let filters: String = url::form_urlencoded::byte_serialize(filter.to_string().as_bytes()).collect();
        let own = desk.api(&format!("?filters={filters}")).is(200).data();
        assert_eq!((&own["total"], &own["fields"]), (&group["total"], &group["fields"]), "{group}");
    }
    // The page has a chart for each choice, whose bars lead to entries with both answers.
    let page = desk.page("?split=field_1").is(200);
    page.has(["Split by: Radio &amp; co", "No answer", "Not split"]);
    let own = card(&page.text, "report-field_3");
    let bars = bars(own);
    let all: u64 = bars.iter().map(|(_, count)| count).sum();
    assert_eq!(told["fields"][2]["answered"], all);
    for (address, count) in bars {
        desk.browser.get(&address).is(200).has([format!("{count} of 40 entries match")]);
    }
    for (code, said) in [
        ("field_2", "must be a question with one choice as its answer"),
        ("field_16", "must be a question with one choice as its answer"),
        ("field_99", "is not a field of this form"),
    ] {
        let refused = desk.api(&format!("?split={code}")).is(422);
        assert_eq!(refused.json()["error_details"][0]["attribute"], "split");
        refused.has([said]);
        desk.page(&format!("?split={code}")).is(422).has([said, "This report can’t be shown"]);
    }
    let many: Vec<String> = (0..9).map(|at| format!("c{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let wide = desk.owner.form(json!([field("radio", json!({"choices": choices(&many)}))]));
    let refused = desk.owner.get(format!("{}/entries/report?split=field_1", wide.path())).is(422);
    refused.has(["has 9 choices; a report can be split by 8 at most"]);
}

/// Groups compare: their columns are units of one length, from the first date of all to the last.
#[test]
fn dates_of_all_groups_have_one_unit() {
    let desk = desk(json!([
        field("radio", json!({"label": "Food", "choices": choices(&["a", "b"])})),
        field("date", json!({"label": "When"})),
    ]));
    for (food, day) in [("a", "2026-05-01"), ("a", "2026-05-02"), ("b", "2024-12-31")] {
        add(&desk.owner, &desk.form, json!({"field_1": food, "field_2": day}));
    }
    let page = desk.page("?split=field_1").is(200);
    let own = card(&page.text, "report-field_2");
    // A column for each month of both, in the table a row with the numbers of both.
    assert_eq!(own.matches("<rect class=\"fill\"").count(), 2 * 18, "{own}");
    assert!(own.contains(">Month<") && !own.contains(">Day<"), "{own}");
    assert!(own.contains("1 May 2026 to 2 May 2026") && own.contains(">31 December 2024<"), "{own}");
    assert_eq!(column(own, 1), [1, 2], "{own}");
    assert!(own.contains(">Choice &lt;a&gt;</th>") && own.contains(">Choice &lt;b&gt;</th>"), "{own}");
}

#[test]
fn it_has_the_conditions_of_the_table_and_is_new_after_each_change() {
    let desk = desk(json!([
        field("radio", json!({"label": "Food", "choices": choices(&["a", "b"])})),
        field("short_text", json!({"label": "Town"})),
    ]));
    let none = desk.page("").is(200);
    none.has(["Nothing to count yet", "aria-current=\"page\""]);
    for n in 0..4 {
        add(
            &desk.owner,
            &desk.form,
            json!({"field_1": if n == 0 { "b" } else { "a" }, "field_2": format!("Town {n}")}),
        );
    }
    let count = |query: &str| column(card(&desk.page(query).is(200).text, "report-field_1"), 1);
    assert_eq!(count(""), [3, 1]);
    assert_eq!(count(""), [3, 1], "remembered");
    assert_eq!(count("?keyword=town+1"), [1, 0]);
    let filters = r#"[{"field":"field_1","operator":"eq","value":"b"}]"#;
    let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    let filtered = desk.page(&format!("?filters={filters}&keyword=town")).is(200);
    filtered.has(["1 of 4 entries", "Only entries where: Food is Choice &lt;b&gt;; an answer contains “town”"]);
    filtered.has([format!("/forms/{}/entries?keyword=town&amp;filters={filters}", desk.form.token)]);
    // Rows of controls lead to one address, which keeps the question that splits it.
    let sent = "?split=field_1&f%5B0%5D.field=field_1&f%5B0%5D.operator=eq&f%5B0%5D.value=b&add=";
    assert_eq!(desk.page(sent).leads(), format!("/forms/{}/report?filters={filters}&split=field_1", desk.form.token));
    desk.page("?keyword=nobody").is(200).has(["No entries match."]);
    // The file of them says so in the reader's language too.
    let export = format!("/forms/{}/entries/export?filters=%5B", desk.form.token);
    for (locale, said) in [("zh-CN", "filters 不是有效的 JSON"), ("en", "filters is not valid JSON")] {
        desk.owner.patch("/api/v1/me", json!({ "locale": locale })).is(200);
        desk.browser.get(&export).is(400).has([said]);
    }
    desk.page("?filters=%5B").is(400).has(["filters is not valid JSON", "This report can’t be shown"]);
    // The table leads back to it with its conditions.
    let list = desk.browser.get(&format!("/forms/{}/entries?filters={filters}", desk.form.token)).is(200);
    list.has([format!("/forms/{}/report?filters={filters}", desk.form.token)]);
    // Each change is in it.
    desk.owner.patch(desk.form.entry(1), json!({"field_values": {"field_1": "a"}})).is(200);
    assert_eq!(count(""), [4, 0]);
    desk.owner.delete(desk.form.entry(1)).is(200);
    assert_eq!(count(""), [3, 0]);
    add(&desk.owner, &desk.form, json!({"field_1": "b"}));
    assert_eq!(count(""), [3, 1]);
    let mut fields = desk.owner.get(desk.form.path()).data()["fields"].clone();
    fields[0]["choices"].as_array_mut().expect("choices").remove(1);
    desk.owner.patch(desk.form.path(), json!({"fields": fields, "confirm_data_loss": true})).is(200);
    assert_eq!(count(""), [3]);
    let text = page_text(&desk.page("").is(200));
    assert!(text.contains("Show all 3 answers") && text.contains("4 entries"), "{text}");
}

#[test]
fn viewers_read_it_and_strangers_do_not() {
    let desk = desk(json!([field("radio", json!({"choices": choices(&["a", "b"])}))]));
    add(&desk.owner, &desk.form, json!({"field_1": "a"}));
    for email in ["vera@example.org", "stan@example.org"] {
        account(&desk.server, email);
    }
    let put = format!("/api/v1/forms/{}/collaborators/vera@example.org", desk.form.token);
    desk.owner.put(put, json!({"role": "viewer"}));
    let address = format!("/forms/{}/report", desk.form.token);
    let vera = Session::on(&desk.server).signed_in("vera@example.org");
    vera.get(&address).is(200).has(["1 entry", "1 of 1 answered"]);
    let stan = Session::on(&desk.server);
    stan.sign_in("stan@example.org", PASSWORD);
    stan.get(&address).is(404);
    let nobody = Session::on(&desk.server);
    assert!(nobody.get(&address).leads().contains("/sign-in"));
}
