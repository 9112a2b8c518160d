//! The page of rules over plain posts: rules are sentences, nothing that is moved or removed deletes one, and the page
//! says which can't hold.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field, sharing};

use super::controls::{attribute, sent_by, value_of};
use super::{choices, rules, set_rules};

const ALL: &str = "form:read form:write form:delete entry:read entry:write";
pub(super) const ANN: &str = "ann@example.org";
pub(super) const BOB: &str = "bob@example.org";

/// A form whose rules are looked at.
pub(super) struct Desk {
    pub server: Server,
    pub owner: Caller,
    pub form: Form,
    pub ann: Session,
}

/// A form of these fields.
pub(super) fn desk(fields: Value) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    account(&server, BOB);
    let owner = server.token(ANN, ALL);
    let form = owner.form_with(json!({"name": "Workshop", "fields": fields}));
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/rules", form.token)).is(200);
    Desk { server, owner, form, ann }
}

/// A name, a track of three choices, an age and a remark.
pub(super) fn workshop() -> Desk {
    desk(json!([
        field("short_text", json!({"label": "Your name"})),
        field("radio", json!({"label": "Track", "choices": choices(["a", "b", "c"])})),
        field("number", json!({"label": "Age"})),
        field("long_text", json!({"label": "Remark"})),
    ]))
}

impl Desk {
    pub fn at(&self, rest: &str) -> String {
        format!("/forms/{}{rest}", self.form.token)
    }

    /// Somebody's browser, signed in, for a manager of the form.
    pub fn manager(&self, email: &str) -> Session {
        sharing::share(&self.owner, &self.form, &self.server.token(email, "form:read"), "manager");
        let session = Session::on(&self.server).signed_in(email);
        session.get(&self.at("/rules")).is(200);
        session
    }

    pub fn page(&self) -> Response {
        self.ann.get(&self.at("/rules")).is(200)
    }

    /// The draft.
    pub fn draft(&self) -> Value {
        let headers = self.ann.caller().header("accept", "application/json");
        headers.get(self.at("/build")).is(200).data()
    }

    pub fn rules(&self) -> Value {
        self.draft()["rules"].clone()
    }

    /// Saves a rule as a page shows it, but for these values.
    pub fn save_from(&self, session: &Session, page: &Response, number: usize, changes: &[(&str, &str)]) -> Response {
        let (address, pairs) = rule_form(&page.text, number, changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        session.post(&address, &pairs)
    }

    pub fn save(&self, number: usize, changes: &[(&str, &str)]) {
        self.save_from(&self.ann, &self.page(), number, changes).leads();
    }

    /// Adds a rule by its controls: question, operator and value of its condition, its action and its target.
    pub fn add(&self, condition: [&str; 3], action: &str, target: &str) {
        let led = self.ann.post(&self.at("/rules"), &[]).leads();
        let number = led.split_once("#rule-").expect("its place").1.parse().expect("a number");
        self.save(number, &[("condition.items[0].field", condition[0])]);
        let mut changes = vec![("condition.items[0].operator", condition[1]), ("action", action)];
        if !condition[2].is_empty() {
            changes.push(("condition.items[0].value", condition[2]));
        }
        self.save(number, &[("condition.items[0].operator", condition[1])]);
        self.save(number, &[&changes[..], &[("fields", target)]].concat());
    }

    /// Presses a button of a rule.
    pub fn act(&self, number: usize, act: &str, more: &[(&str, &str)]) -> Response {
        let (address, _) = rule_form(&self.page().text, number, &[]);
        self.ann.post(&format!("{address}/{act}"), more)
    }

    /// Publishes the draft that the page shows.
    pub fn publish(&self) -> String {
        let page = self.ann.get(&self.at("/publish")).is(200);
        let version = value_of(&page.text, "draft_version").expect("something to publish");
        self.ann.post(&self.at("/publish"), &[("draft_version", &*version)]).leads()
    }
}

/// The address of a rule's form, and its post.
pub(super) fn rule_form(page: &str, number: usize, changes: &[(&str, &str)]) -> (String, Vec<(String, String)>) {
    let (_, rule) = page.split_once(&format!("id=\"rule-{number}\"")).expect("the rule");
    let (_, form) = rule.split_once("<form").expect("its form");
    let form = form.split("</form>").next().expect("its end");
    (attribute(form, "action").expect("an address"), sent_by(form, changes))
}

/// The sentence of a rule.
fn sentence(page: &str, number: usize) -> String {
    let (_, rule) = page.split_once(&format!("id=\"rule-{number}\"")).expect("the rule");
    let text = attribute(rule, "aria-label").expect("a sentence");
    text.chars().filter(|c| !('\u{2066}'..='\u{2069}').contains(c)).collect()
}

#[test]
fn a_rule_is_a_sentence_of_controls() {
    let desk = workshop();
    desk.page().has(["Rules show, hide or ask for questions"]);
    desk.add(["field_2", "eq", "a"], "show", "field_4");
    assert_eq!(desk.rules(), rules(&["show 4: 2 eq a"])["rules"]);
    assert_eq!(sentence(&desk.page().text, 1), "Rule 1: When Track is A, then show Remark");
    // A further condition, with an operator that takes two numbers.
    desk.save(1, &[("_action", "condition.items.add")]);
    desk.save(1, &[("condition.items[1].field", "field_3"), ("condition.operand", "or")]);
    desk.save(1, &[("condition.items[1].operator", "between")]);
    let page = desk.page();
    let (address, mut pairs) = rule_form(&page.text, 1, &[("condition.items[1].value", "6")]);
    pairs.push(("condition.items[1].value".to_owned(), "16".to_owned()));
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    desk.ann.post(&address, &pairs).leads();
    let items = desk.rules()[0]["condition"].clone();
    assert_eq!(items["items"][1], json!({"field": "field_3", "operator": "between", "value": [6, 16]}));
    assert_eq!(sentence(&desk.page().text, 1), "Rule 1: When Track is A or Age is between 6 – 16, then show Remark");
    // Parts are taken out again, and rules change places.
    desk.save(1, &[("_action", "condition.items[0].remove")]);
    desk.add(["field_1", "not_null", ""], "require", "field_3");
    desk.act(2, "up", &[]).leads();
    assert_eq!(sentence(&desk.page().text, 1), "Rule 1: When Your name has an answer, then ask for Age");
    desk.act(1, "down", &[]).leads();
    desk.act(1, "remove", &[]).leads();
    assert_eq!(desk.rules(), rules(&["require 3: 1 not_null"])["rules"]);
    desk.ann.post(&desk.at("/rules/undo"), &[]).leads();
    assert_eq!(desk.rules().as_array().map(Vec::len), Some(2));
    desk.ann.post(&desk.at("/rules/redo"), &[]).leads();
    assert_eq!(desk.rules().as_array().map(Vec::len), Some(1));
    assert_eq!(desk.ann.post(&desk.at("/rules/redo"), &[]).leads(), desk.at("/rules?done=nothing"));
    // An unfinished one is kept, and names its missing parts once somebody has left it.
    let lacks = ["Choose a question</p>", "Choose at least one question", "Say what it is compared with"];
    let led = desk.ann.post(&desk.at("/rules"), &[]).leads();
    assert!(led.ends_with("/rules?open=2#rule-2"), "{led}");
    desk.ann.get(&led).is(200).has(["Choose a question …"]).lacks(lacks);
    let (address, pairs) = rule_form(&desk.page().text, 2, &[("condition.items[0].field", "field_3")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    let led = desk.ann.post(&address, &pairs).leads();
    desk.ann.get(&led).is(200).lacks(lacks);
    desk.page().has(&lacks[1..]);
    // A faulty value is reported at once.
    let (address, pairs) = rule_form(&desk.page().text, 2, &[("condition.items[0].value", "many")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    let led = desk.ann.post(&address, &pairs).leads();
    desk.ann.get(&led).is(200).has(["aria-invalid"]).lacks(["Choose at least one question"]);
    desk.save(2, &[("condition.items[0].field", "")]);
    desk.page().has(["Choose a question", "Choose at least one question"]);
    let publish = desk.ann.get(&desk.at("/publish")).is(200);
    publish.has(["Rule 2"]).lacks(["name=\"draft_version\""]);
    assert_eq!(publish.text.matches("rules#rule-2").count(), 2, "its question and what it is about: {publish}");
}

#[test]
fn each_operator_of_each_kind_reads_back_as_it_was() {
    let goods = json!({"goods_items": [{"api_code": "cake", "name": "Cake", "price": 5}]});
    let desk = desk(json!([
        field("short_text", json!({"label": "Text"})),
        field("number", json!({"label": "Number"})),
        field("date", json!({"label": "Date"})),
        field("time", json!({"label": "Time"})),
        field("radio", json!({"label": "One", "choices": choices(["a", "b"])})),
        field("checkbox", json!({"label": "Several", "choices": choices(["a", "b"])})),
        field("rating", json!({"label": "Rating"})),
        field(
            "cascade",
            json!({"label": "Place", "levels": 2, "choices": [
            {"api_code": "fr", "label": "France", "children": [{"api_code": "p", "label": "Paris"}]}]})
        ),
        field("address", json!({"label": "Address"})),
        field("product", json!({"label": "Order", "goods_items": goods["goods_items"]})),
        field("attachment", json!({"label": "File"})),
        field("phone", json!({"label": "Phone"})),
        field(
            "booking",
            json!({"label": "When", "reservation_items": [{"api_code": "room", "name": "Room", "quota_setting":
            {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 4}]}}]})
        ),
        field("long_text", json!({"label": "Remark"})),
    ]));
    let text = ["eq", "ne", "any_in", "none_in", "like", "not_like", "null", "not_null"];
    let choice = ["eq", "ne", "any_in", "none_in", "like", "null", "not_null"];
    let score = ["eq", "ne", "any_in", "none_in", "gt", "gte", "lt", "lte", "null", "not_null"];
    let number = [&score[..], &["between", "not_between"]].concat();
    let date = [&number[..], &["like"]].concat();
    let paris = json!({"level_1": "fr", "level_2": "p"});
    let same = ["eq", "ne", "any_in", "none_in"];
    let other = ["gt", "gte", "lt", "lte", "between", "not_between", "null", "not_null"];
    let kinds: [(usize, &[&str], Value); 15] = [
        (1, &text, json!("x")),
        (2, &number, json!(5)),
        (3, &date, json!("2026-01-02")),
        (4, &choice, json!("09:30")),
        (5, &choice, json!("a")),
        (6, &choice, json!("a")),
        (7, &score, json!(4)),
        (8, &choice, paris),
        (9, &choice, json!({"city": "Paris"})),
        (10, &["any_in", "none_in", "like", "null", "not_null"], json!("cake")),
        (11, &["like", "null", "not_null"], json!("x")),
        (12, &text, json!("555")),
        (13, &same, json!("room")),
        (13, &same, json!("2026-01-02")),
        (13, &other, json!("2026-01-02")),
    ];
    let mut all = Vec::new();
    for (number, operators, value) in kinds {
        for operator in operators {
            let mut item = json!({"field": format!("field_{number}"), "operator": operator});
            match *operator {
                "null" | "not_null" => {}
                "any_in" | "none_in" => item["value"] = json!([value]),
                "between" | "not_between" => item["value"] = json!([value, value]),
                "like" | "not_like" => item["value"] = json!("2026"),
                _ => item["value"] = value.clone(),
            }
            let condition = json!({"operand": "and", "items": [item]});
            all.push(json!({"condition": condition, "action": "show", "fields": ["field_14"]}));
        }
    }
    desk.owner.put(desk.form.part("field_rules"), json!({"rules": all})).is(200);
    let page = desk.page();
    let mut sentences = Vec::new();
    for (at, rule) in all.iter().enumerate() {
        let condition = &rule["condition"]["items"][0];
        let (address, pairs) = rule_form(&page.text, at + 1, &[]);
        assert!(pairs.iter().all(|(name, _)| !name.ends_with(".kept")), "{condition} has no controls: {pairs:?}");
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        // The other action tells whether the post was read.
        let pairs: Vec<_> = pairs
            .into_iter()
            .map(|(name, value)| if name == "action" { (name, "hide") } else { (name, value) })
            .collect();
        desk.ann.post(&address, &pairs).leads();
        sentences.push(sentence(&page.text, at + 1).replace("then show", "then hide"));
    }
    let hidden: Vec<Value> = all
        .iter()
        .map(|rule| {
            let mut rule = rule.clone();
            rule["action"] = json!("hide");
            rule
        })
        .collect();
    assert_eq!(desk.rules(), json!(hidden));
    let page = desk.page();
    for (at, told) in sentences.iter().enumerate() {
        assert_eq!(sentence(&page.text, at + 1), *told);
    }
}

#[test]
fn later_questions_are_moved_before_a_rule_looks_at_them() {
    let desk = workshop();
    desk.ann.post(&desk.at("/rules"), &[]).leads();
    desk.save(1, &[("fields", "field_2")]);
    let page = desk.page();
    page.has(["Age\u{2069} — comes after", "Use a later question"]);
    assert!(page.text.contains("value=\"field_3\" disabled"), "{page}");
    desk.act(1, "before", &[("before", "field_3")]).leads();
    let fields = desk.draft()["fields"].clone();
    assert_eq!(fields[1]["api_code"], "field_3");
    assert!(!desk.page().text.contains("value=\"field_3\" disabled"));
}

#[test]
fn moving_and_removing_questions_deletes_no_rule() {
    let desk = workshop();
    desk.owner.put(desk.form.part("field_rules"), rules(&["show 4: 2 eq a", "hide 3: 1 eq x"])).is(200);
    let before = desk.rules();
    let build = |rest: &str| desk.at(&format!("/build{rest}"));
    // Behind the questions that depend on it.
    desk.ann.post(&build("/fields/field_2/move"), &[("after", "field_4")]).leads();
    assert_eq!(desk.rules(), before);
    desk.page().has(["must come before the ones that the rule is about", "Move \u{2068}Track\u{2069} before"]);
    let panel = desk.ann.get(&build("?field=field_2")).is(200);
    panel.has(["Logic of this question", "rules#rule-1", "Needs your attention"]);
    let publish = desk.ann.get(&desk.at("/publish")).is(200);
    publish.has(["/rules#rule-1", "Rule 1"]).lacks(["name=\"draft_version\""]);
    let version = desk.draft()["version"].to_string();
    desk.ann.post(&desk.at("/publish"), &[("draft_version", &version)]).is(422);
    desk.ann.post(&build("/undo"), &[]).leads();
    desk.page().lacks(["must stand before"]);
    // Removed: the rule stays, and names the missing question; removing the condition is a way, undo another.
    desk.ann.post(&build("/fields/field_1/remove"), &[("rules_shown", "true")]).leads();
    assert_eq!(desk.rules(), before);
    desk.page().has(["(removed)", "This question is no longer there"]);
    desk.ann.get(&desk.at("/publish")).is(200).has(["Rule 2"]).lacks(["name=\"draft_version\""]);
    desk.ann.post(&desk.at("/rules/undo"), &[]).leads();
    desk.page().lacks(["(removed)"]);
    assert_eq!(desk.draft()["fields"].as_array().map(Vec::len), Some(4));
}

/// In the reader's words, whatever the API says.
#[test]
fn what_another_kind_makes_wrong_is_said_in_the_readers_language() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["show 4: 3 gt 9", "show 4: 2 eq a"]);
    desk.ann.post(&desk.at("/build/fields/field_3/type"), &[("type", "short_text")]).leads();
    desk.ann.post(&desk.at("/build/fields/field_2/move"), &[("after", "field_4")]).leads();
    let pages = ["/rules", "/publish"].map(|page| desk.at(page));
    for page in &pages {
        desk.ann
            .get(page)
            .is(200)
            .has(["can’t be compared this way", "must come before the ones"])
            .lacks(["must be one of"]);
    }
    desk.owner.patch("/api/v1/me", json!({"locale": "zh-CN"})).is(200);
    for page in &pages {
        desk.ann.get(page).is(200).has(["不能这样比较", "必须排在规则"]).lacks(["must stand", "must be one of"]);
    }
}

#[test]
fn the_page_counts_entries_and_says_what_can_never_hold() {
    let desk = workshop();
    for (name, track, age) in [("Ada", "a", 5), ("Bob", "b", 20), ("Eve", "a", 30)] {
        let values = json!({"field_1": name, "field_2": track, "field_3": age});
        desk.owner.post(desk.form.entries(), json!({"field_values": values})).is(201);
    }
    let all = [
        "show 4: 2 eq a",
        "hide 4: 2 eq a",
        "show 4: 1 eq Bob or 1 eq Eve",
        "require 4: 2 eq a and 2 eq b",
        "require 4: 3 gt 9 and 3 lt 3",
    ];
    let body = rules(&all[..3]);
    let mut list = body["rules"].as_array().expect("rules").clone();
    let item = |operator: &str, code: &str, value: Value| json!({"field": code, "operator": operator, "value": value});
    for items in [
        json!([item("eq", "field_2", json!("a")), item("eq", "field_2", json!("b"))]),
        json!([item("gt", "field_3", json!(9)), item("lt", "field_3", json!(3))]),
    ] {
        list.push(json!({"condition": {"operand": "and", "items": items}, "action": "require", "fields": ["field_4"]}));
    }
    desk.owner.put(desk.form.part("field_rules"), json!({"rules": list})).is(200);
    let page = page_text(&desk.page());
    for words in ["Holds for 2 of 3 entries", "Contradicts rule 2", "Contradicts rule 1", "Holds for 0 of 3 entries"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    assert_eq!(page.matches("Holds for 2 of 3").count(), 3);
    assert_eq!(page.matches("Can never hold").count(), 2);
}

#[test]
fn readers_read_rules_and_strangers_nothing() {
    let desk = workshop();
    desk.owner.put(desk.form.part("field_rules"), rules(&["show 4: 2 eq a"])).is(200);
    sharing::share(&desk.owner, &desk.form, &desk.server.token(BOB, "form:read"), "viewer");
    let bob = Session::on(&desk.server).signed_in(BOB);
    let page = bob.get(&desk.at("/rules")).is(200);
    page.has(["Only managers change this form", "then show"]).lacks(["sentence-form", "Add a rule"]);
    bob.post(&desk.at("/rules"), &[]).is(403);
    bob.post(&format!("/forms/{}/rules/{}", desk.form.token, "0123abcd"), &[]).is(403);
    bob.post(&format!("/forms/{}/rules/{}/{}", desk.form.token, "0123abcd", "up"), &[]).is(403);
    bob.post(&format!("/forms/{}/rules/undo", desk.form.token), &[]).is(403);
    bob.post(&format!("/forms/{}/rules/redo", desk.form.token), &[]).is(403);
}

#[test]
fn the_preview_tells_why_a_question_is_shown() {
    let desk = workshop();
    desk.add(["field_2", "eq", "a"], "show", "field_4");
    desk.save(1, &[("_action", "condition.items.add")]);
    desk.save(1, &[("condition.items[1].field", "field_3")]);
    desk.save(1, &[("condition.items[1].operator", "gt")]);
    desk.save(1, &[("condition.items[1].value", "10")]);
    let preview = desk.at("/preview");
    let fresh = desk.ann.get(&preview).is(200);
    fresh.has(["Why is “Remark” hidden?", "Why is this shown?"]);
    for (track, age, holds) in [("a", "20", [true, true]), ("a", "3", [true, false]), ("b", "20", [false, true])] {
        let typed = [("field_2", track), ("field_3", age), ("_page", "0"), ("_action", "more")];
        let page = desk.ann.post(&preview, &typed).is(200).text;
        let (_, why) = page.split_once("data-why=\"field_4\"").expect("the rules about it");
        let why = why.split("</details>").next().expect("its end");
        let told: Vec<bool> = why.split("data-holds=\"").skip(1).map(|rest| rest.starts_with("true")).collect();
        assert_eq!(told, holds, "{track} {age}: {why}");
        let shown = if holds == [true, true] { "shown?" } else { "hidden?" };
        assert!(why.contains(shown), "{why}");
    }
    // The frame of the builder shows the form alone.
    desk.ann.get(&format!("{preview}?canvas=1")).is(200).lacks(["data-why"]);
}

#[test]
fn rules_are_found_by_question_and_by_words() {
    let desk = workshop();
    desk.page().lacks(["id=\"find-rule\""]);
    desk.add(["field_1", "eq", "Ada"], "show", "field_4");
    desk.add(["field_2", "eq", "a"], "hide", "field_4");
    desk.add(["field_3", "gt", "40"], "require", "field_4");
    desk.page().has(["id=\"find-rule\"", "rule-1\"", "rule-2\"", "rule-3\""]).lacks(["of 3 rules"]);
    // A rule keeps its number.
    let found = |query: &str, numbers: &[usize]| {
        let page = desk.ann.get(&desk.at(&format!("/rules?{query}"))).is(200);
        page.has([format!("{} of 3 rules.", numbers.len()).as_str(), "Show all rules"]);
        for number in 1..=3 {
            let is_there = page.text.contains(&format!("id=\"rule-{number}\""));
            assert_eq!(is_there, numbers.contains(&number), "{query}: {number}");
        }
        page
    };
    found("field=field_2", &[2]);
    found("q=ADA+remark", &[1]);
    found("field=field_4&q=more", &[3]);
    found("q=nobody", &[]);
    // A change of one leads back to the search.
    let page = found("field=field_4&q=age", &[3]);
    let (address, pairs) = rule_form(&page.text, 3, &[("action", "show")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    let led = desk.ann.post(&address.replace("&amp;", "&"), &pairs).leads();
    assert!(led.ends_with("/rules?field=field_4&q=age#rule-3"), "{led}");
    assert_eq!(desk.rules()[2]["action"], "show");
}

#[test]
fn changed_rules_are_told_as_sentences() {
    let desk = workshop();
    // Marks of differences are within sentences.
    let plain = |page: &Response| -> String {
        let parts = page.text.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        parts.flat_map(str::chars).filter(|c| !('\u{2066}'..='\u{2069}').contains(c)).collect()
    };
    let publishing = || plain(&desk.ann.get(&desk.at("/publish")).is(200));
    desk.add(["field_1", "eq", "Ada"], "show", "field_4");
    let words = publishing();
    assert!(words.contains("When Your name is Ada, then show Remark"), "{words}");
    desk.publish();
    desk.save(1, &[("condition.items[0].value", "Grace")]);
    desk.add(["field_1", "eq", "Bob"], "hide", "field_2");
    let words = publishing();
    for told in ["show Remark – before: When Your name is Ada", "When Your name is Bob, then hide Track"] {
        assert!(words.contains(told), "{told}: {words}");
    }
    desk.publish();
    let history = plain(&desk.ann.get(&desk.at("/history/2?compare=1")).is(200));
    for told in ["Rule 2", "When Your name is Ada, then show Remark", "When Your name is Grace", "then hide Track"] {
        assert!(history.contains(told), "{told}: {history}");
    }
    assert!(!history.contains("operand"), "{history}");
}
