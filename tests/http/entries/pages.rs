//! The pages of a form's entries: the table, one entry, the trash; their visitors, and their actions.

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account};
use support::steps::add;
use support::{Caller, Form, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    /// Signed in as the owner.
    browser: Session,
}

/// A form of a text and a number with these many entries, and its owner's browser.
fn desk(count: i64) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let text = json!({"label": "Town <b>"});
    let form = owner.form(json!([field("short_text", text), field("number", json!({"label": "Guests"}))]));
    for n in 1..=count {
        let town = if n % 2 == 0 { "Evenford" } else { "Oddham" };
        add(&owner, &form, json!({"field_1": format!("{town} {n}"), "field_2": n * 10}));
    }
    let browser = Session::on(&server).signed_in("ann@example.org");
    Desk { server, owner, form, browser }
}

impl Desk {
    fn page(&self, rest: &str) -> String {
        format!("/forms/{}/{rest}", self.form.token)
    }

    fn export(&self) -> String {
        format!("/forms/{}/entries/export", self.form.token)
    }

    /// The address that moves an entry to the trash.
    fn to_trash(&self, serial: i64) -> String {
        format!("/forms/{}/entries/{serial}/trash", self.form.token)
    }

    fn restore(&self, serial: i64) -> String {
        format!("/forms/{}/trash/{serial}/restore", self.form.token)
    }

    fn delete(&self, serial: i64) -> String {
        format!("/forms/{}/trash/{serial}/delete", self.form.token)
    }

    /// The numbers that the table at this address shows, from its top on.
    fn numbers(&self, address: &str) -> Vec<i64> {
        let page = self.browser.get(address).is(200);
        let rows = page.text.split("scope=\"row\"").skip(1);
        let number = |row: &str| row.split_once("</a>")?.0.rsplit('>').next()?.parse().ok();
        rows.map(|row| number(row).expect("a number")).collect()
    }

    fn link(&self, address: &str, words: &str) -> Option<String> {
        let page = self.browser.get(address).is(200);
        let (before, _) = page.text.split_once(&format!(">{words}</a>"))?;
        let address = before.rsplit("href=\"").next()?.split('"').next()?;
        Some(address.replace("&amp;", "&"))
    }
}

#[test]
fn the_table_shows_what_the_api_lists() {
    let desk = desk(4);
    desk.owner.patch(desk.form.entry(2), json!({"field_values": {"field_2": 7}})).is(200);
    let list = desk.page("entries");
    assert_eq!(desk.browser.get(&format!("/forms/{}", desk.form.token)).leads(), list);
    let page = desk.browser.get(&list).is(200);
    page.has(["4 entries", "Town &lt;b&gt;", "Guests", "Evenford 4", "aria-current=\"page\""]);
    assert_eq!(desk.numbers(&list), [4, 3, 2, 1]);
    let filters = json!([{"field": "field_1", "operator": "like", "value": "oddham"}]).to_string();
    let filtered: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    for (query, expected) in [
        ("sort=serial_number", vec![1, 2, 3, 4]),
        ("sort=-updated_at", vec![2, 4, 3, 1]),
        ("sort=field_1", vec![2, 4, 1, 3]),
        ("sort=-field_2&keyword=evenford", vec![4, 2]),
        ("keyword=evenford", vec![4, 2]),
        (&format!("filters={filtered}"), vec![3, 1]),
        (&format!("filters={filtered}&keyword=oddham+3"), vec![3]),
        ("keyword=nowhere", vec![]),
    ] {
        assert_eq!(desk.numbers(&format!("{list}?{query}")), expected, "{query}");
    }
    desk.browser.get(&format!("{list}?keyword=oddham")).has(["2 of 4 entries match"]);
    // Columns by a list or by ticks; unknown names are left out.
    let ticked = desk.browser.get(&format!("{list}?column=field_2&column=created_at&freeze=&add=")).leads();
    assert_eq!(ticked, format!("{list}?columns=field_2%2Ccreated_at"));
    for address in [format!("{list}?columns=field_2,created_at,field_9"), ticked] {
        let page = desk.browser.get(&address).is(200);
        let head = page.text.split("</thead>").next().expect("a head").to_owned();
        let head = head.rsplit("<thead").next().expect("a head");
        assert!(head.contains("Guests") && !head.contains("Town") && head.contains("Submitted at"), "{head}");
    }
    // A sorted column turns round, and keeps the rest.
    let turned = desk.link(&format!("{list}?keyword=oddham"), "Number").expect("a link");
    assert_eq!(turned, format!("{list}?keyword=oddham&sort=serial_number"));
    for (query, status, said) in [
        ("filters=%5B", 400, "filters is not valid JSON"),
        ("filters=%5B%7B%22field%22%3A%22field_9%22%7D%5D", 422, "Condition 1"),
        ("sort=field_9", 422, "is not a field of this form"),
        ("sort=town", 400, "sort must be one of"),
        ("cursor=x", 400, "cursor is not valid"),
    ] {
        desk.browser.get(&format!("{list}?{query}")).is(status).has([said, "Show all entries"]);
    }
}

/// Rows of controls lead to the one address of the list that they ask for.
#[test]
fn conditions_are_chosen_in_rows() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let choices = json!([{"label": "Soup"}, {"label": "Pie"}, {"label": "Cake"}]);
    let form = owner.form(json!([
        field("number", json!({"label": "Guests"})),
        field("radio", json!({"label": "Food", "choices": choices})),
        field("date", json!({"label": "Day"})),
        field("cascade", json!({"label": "Place", "choices": [{"label": "North", "children": [{"label": "Hall"}]}]})),
        field(
            "booking",
            json!({"label": "When", "reservation_items": [{"api_code": "room", "name": "Room", "quota_setting":
            {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 4}]}}]})
        ),
    ]));
    let code = |at: usize| form.body["fields"][1]["choices"][at]["api_code"].as_str().expect("a code").to_owned();
    for n in 1..=6_usize {
        let day = format!("2026-12-0{n}");
        add(&owner, &form, json!({"field_1": n, "field_2": code(n % 3), "field_3": day}));
    }
    add(&owner, &form, json!({"field_1": 7}));
    let browser = Session::on(&server).signed_in("ann@example.org");
    let list = format!("/forms/{}/entries", form.token);
    let (soup, pie) = (code(0), code(1));
    for (rows, filters, found) in [
        (vec![("field_1", "gt", vec!["4"])], json!([{"field": "field_1", "operator": "gt", "value": 4}]), 3),
        (
            vec![("field_1", "between", vec!["2", "3.5"])],
            json!([{"field": "field_1", "operator": "between", "value": [2, 3.5]}]),
            2,
        ),
        (
            vec![("field_2", "eq", vec![&soup, &pie]), ("field_3", "gte", vec!["2026-12-03"])],
            json!([
                {"field": "field_2", "operator": "any_in", "value": [soup, pie]},
                {"field": "field_3", "operator": "gte", "value": "2026-12-03"},
            ]),
            3,
        ),
        (vec![("field_2", "null", vec!["", ""])], json!([{"field": "field_2", "operator": "null"}]), 1),
        (
            vec![("created_at", "gte", vec!["2020-01-01"])],
            json!([{"field": "created_at", "operator": "gte", "value": "2020-01-01"}]),
            7,
        ),
    ] {
        let mut asked = url::form_urlencoded::Serializer::new(String::new());
        for (at, (field, operator, values)) in rows.iter().enumerate() {
            asked.append_pair(&format!("f[{at}].field"), field).append_pair(&format!("f[{at}].operator"), operator);
            for value in values {
                asked.append_pair(&format!("f[{at}].value"), value);
            }
        }
        let asked = asked.append_pair("add", "").append_pair("sort", "serial_number").finish();
        let led = browser.get(&format!("{list}?{asked}")).leads();
        let own: String = url::form_urlencoded::byte_serialize(filters.to_string().as_bytes()).collect();
        assert_eq!(led, format!("{list}?filters={own}&sort=serial_number"));
        let page = browser.get(&led).is(200);
        let api = owner.post(form.query(), json!({"filters": filters})).is(200);
        assert_eq!(api.json()["pagination"]["total"], json!(found));
        page.has([format!("{found} of 7 entries match"), format!("Filter: {} condition", rows.len())]);
    }
    // A further row; a condition that these controls can't show stays as it is.
    let page = browser.get(&format!("{list}?add=field_3")).is(200);
    page.has(["name=\"f[0].was\" value=\"field_3\"", "type=\"date\"", "is on or after"]);
    // A value with parts is chosen from all of them, a booking by its items or a day.
    let page = browser.get(&format!("{list}?add=field_4")).is(200);
    page.has(["North / Hall"]);
    let hall = page.text.split("name=\"f[0].value\" value=\"").nth(2).and_then(|rest| rest.split('"').next());
    let hall = hall.expect("two places").replace("&quot;", "\"");
    let place: Value = serde_json::from_str(&hall).expect("a place");
    add(&owner, &form, json!({"field_4": place, "field_5": [{"api_code": "room", "scheduled_at": "2090-06-05"}]}));
    for (field, operator, value, wanted) in [
        ("field_4", "eq", &*hall, json!([{"field": "field_4", "operator": "eq", "value": place}])),
        ("field_5", "eq", "room", json!([{"field": "field_5", "operator": "eq", "value": "room"}])),
        ("field_5", "gte", "2090-06-05", json!([{"field": "field_5", "operator": "gte", "value": "2090-06-05"}])),
    ] {
        let mut asked = url::form_urlencoded::Serializer::new(String::new());
        asked.append_pair("f[0].field", field).append_pair("f[0].operator", operator).append_pair("f[0].value", value);
        let led = browser.get(&format!("{list}?{}", asked.finish())).leads();
        let own: String = url::form_urlencoded::byte_serialize(wanted.to_string().as_bytes()).collect();
        assert_eq!(led, format!("{list}?filters={own}"));
        browser.get(&led).is(200).has(["1 of 8 entries match", "name=\"f[0].value\""]).lacks(["f[0].other"]);
    }
    let path = json!([{"field": "field_4", "operator": "any_in", "value": [["North"]]}]).to_string();
    let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    let page = browser.get(&format!("{list}?filters={path}"));
    page.has(["name=\"f[0].other\""]);
    // Another question takes nothing of the choices for the one before, without a script too.
    let changed = "f%5B0%5D.was=field_1&f%5B0%5D.field=field_3&f%5B0%5D.operator=gt&f%5B0%5D.value=7&add=field_4";
    let led = browser.get(&format!("{list}?{changed}")).leads();
    assert_eq!(led, format!("{list}?add=field_3&add=field_4"));
    browser.get(&led).is(200).has(["name=\"f[1].was\" value=\"field_4\"", "type=\"date\""]);
    // For the script: how a question is compared.
    let compared = |field: &str| browser.get(&format!("/forms/{}/entries/condition?field={field}", form.token));
    let answer: Value = serde_json::from_str(&compared("field_3").is(200).text).expect("JSON");
    let data = &answer["data"];
    assert_eq!((&data["input"], &data["choices"]), (&json!("date"), &json!([])), "{answer}");
    let between = json!({"value": "between", "label": "is between", "takes": "two"});
    assert!(data["operators"].as_array().expect("a list").contains(&between), "{answer}");
    let place: Value = serde_json::from_str(&compared("field_4").is(200).text).expect("JSON");
    assert_eq!(
        (&place["data"]["input"], &place["data"]["choices"][1]["label"]),
        (&Value::Null, &json!("North / Hall"))
    );
    compared("field_99").is(404);
    // A fault is shown at its row, with a link to the list without that condition.
    let wrong = json!([{"field": "field_1", "operator": "gt", "value": "many"}]).to_string();
    let wrong: String = url::form_urlencoded::byte_serialize(wrong.as_bytes()).collect();
    let page = browser.get(&format!("{list}?filters={wrong}&keyword=a")).is(422);
    page.has(["f[0]-fault", "must be a number", &format!("href=\"{list}?keyword=a\"")]);
}

#[test]
fn pages_and_entries_lead_both_ways() {
    let desk = desk(53);
    let list = format!("{}?keyword=d", desk.page("entries"));
    assert_eq!(desk.link(&list, "Previous page"), None);
    let second = desk.link(&list, "Next page").expect("a link");
    assert_eq!(desk.numbers(&second), [3, 2, 1]);
    assert_eq!(desk.link(&second, "Next page"), None);
    let first = desk.link(&second, "Previous page").expect("a link");
    assert_eq!(desk.numbers(&first).len(), 50);
    // One entry leads to its neighbours in the same list.
    let odd = |serial: i64| format!("{}?keyword=oddham", desk.page(&format!("entries/{serial}")));
    assert_eq!(desk.link(&odd(5), "Next entry"), Some(odd(3)));
    assert_eq!(desk.link(&odd(5), "Previous entry"), Some(odd(7)));
    assert_eq!(desk.link(&odd(1), "Next entry"), None);
    assert_eq!(desk.link(&odd(4), "Next entry"), Some(odd(3)), "it is no part of that list");
    let by_town = |serial: i64| format!("{}?sort=field_1", desk.page(&format!("entries/{serial}")));
    assert_eq!(desk.link(&by_town(10), "Next entry"), Some(by_town(12)), "texts are sorted as texts");
    assert_eq!(desk.link(&by_town(10), "Previous entry"), None);
    let up = desk.page("entries/52?sort=serial_number");
    assert_eq!(desk.link(&up, "Next entry"), Some(desk.page("entries/53?sort=serial_number")));
    assert_eq!(desk.link(&odd(5), "All entries"), Some(format!("{}?keyword=oddham", desk.page("entries"))));
    for none in ["entries/54", "entries/0", "entries/x"] {
        desk.browser.get(&desk.page(none)).is(404);
    }
}

#[test]
fn an_entry_is_shown_whole() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let choices = json!([{"label": "Soup"}, {"label": "Pie"}]);
    let form = owner.form(json!([
        field("checkbox", json!({"label": "Food", "choices": choices})),
        field("long_text", json!({"label": "Wishes"})),
        field("attachment", json!({"label": "Plan"})),
        field("short_text", json!({"label": "Inside", "hidden": true})),
    ]));
    let codes = |at: usize| form.body["fields"][0]["choices"][at]["api_code"].clone();
    let made = owner
        .post(form.entries(), json!({"field_values": {"field_1": [codes(0), codes(1)], "field_4": "for <i>us</i>"}}));
    made.is(201);
    let browser = Session::on(&server).signed_in("ann@example.org");
    let page = browser.get(&format!("/forms/{}/entries/1", form.token)).is(200);
    page.has(["<h1>Entry 1</h1>", "Food", "Soup", "Pie", "Wishes", "Not answered", "Inside", "About this entry"]);
    page.has(["for &lt;i&gt;us&lt;/i&gt;", "Submitted at"]);
}

#[test]
fn an_entry_goes_to_the_trash_and_back() {
    let desk = desk(3);
    desk.browser.get(&desk.page("entries/2")).is(200);
    let list = desk.browser.post_on(&desk.to_trash(2), &[]);
    list.has(["Entry 2 is in the trash", "Undo"]);
    assert_eq!(desk.numbers(&desk.page("entries")), [3, 1]);
    desk.owner.get(desk.form.entry(2)).is(404);
    desk.browser.get(&desk.page("trash")).has(["1 entry", "Evenford 2", "Restore"]);
    let back = desk.browser.post_on(&desk.restore(2), &[]);
    back.has(["Entry 2", "Evenford 2"]);
    desk.browser.get(&desk.page("trash")).has(["The trash is empty."]);
    // For good, after a question.
    desk.browser.get(&desk.page("entries/1")).is(200);
    desk.browser.post_on(&desk.to_trash(1), &[]);
    desk.browser.get(&desk.delete(1)).is(200).has(["Delete entry 1 permanently?"]);
    desk.browser.post_on(&desk.delete(1), &[]).has(["The trash is empty."]);
    desk.browser.post(&desk.restore(1), &[]).is(404);
}

#[test]
fn ticked_entries_are_trashed_saved_and_restored_together() {
    let desk = desk(5);
    let list = desk.page("entries?keyword=d");
    desk.browser.get(&list).is(200).has(["name=\"serial\" value=\"4\"", "Move to trash", "Export Excel"]);
    let chosen = format!("/forms/{}/entries/chosen?keyword=d", desk.form.token);
    let trash = format!("/forms/{}/trash/chosen", desk.form.token);
    let ticks = |serials: &[&'static str], act: &'static str| {
        serials.iter().map(|serial| ("serial", *serial)).chain([("act", act)]).collect::<Vec<_>>()
    };
    // Into a file, with the columns of the list.
    let file = desk.browser.post(&format!("{chosen}&columns=field_2"), &ticks(&["2", "4"], "csv")).leads();
    let file = desk.browser.get(&file).is(200);
    assert_eq!(file.text.lines().count(), 3, "{}", file.text);
    file.has(["40", "20"]);
    // To the trash: entries already gone are not counted, and one post restores all.
    let after = desk.browser.post_on(&chosen, &ticks(&["2", "4", "4", "99", "x"], "trash"));
    after.has(["2 entries are in the trash", "Undo", "3 of 3 entries match"]);
    desk.owner.get(desk.form.entry(4)).is(404);
    let back = desk.browser.post_on(&format!("{trash}?keyword=d"), &ticks(&["2", "4"], "restore"));
    back.has(["5 of 5 entries match"]);
    desk.browser.post_on(&chosen, &ticks(&[], "trash")).has(["No entry was selected"]);
    // For good, after a question that keeps the ticks.
    desk.browser.post(&chosen, &ticks(&["1", "2", "3"], "trash")).leads();
    let asked = desk.browser.post(&trash, &ticks(&["1", "2"], "delete")).is(200);
    asked.has(["Delete 2 entries permanently?", "name=\"serial\" value=\"2\""]);
    desk.browser.post_on(&trash, &ticks(&["1", "2"], "deleted")).has(["1 entry", "Oddham 3"]);
    desk.browser.post(&trash, &ticks(&[], "restore")).leads();
}

#[test]
fn a_list_tells_what_came_since() {
    let desk = desk(2);
    let state = |rest: &str| {
        let address = format!("/forms/{}/entries/state?{rest}", desk.form.token);
        let answer = desk.browser.get(&address).is(200);
        serde_json::from_str::<Value>(&answer.text).expect("JSON")["data"].clone()
    };
    desk.browser.get(&desk.page("entries")).has(["entries/state?after=2"]);
    assert_eq!(state("after=2"), json!({"new_entries": 0, "words": "0 new entries", "changed": []}));
    for town in ["Oddham", "Evenford"] {
        add(&desk.owner, &desk.form, json!({"field_1": town}));
    }
    assert_eq!(state("after=2")["new_entries"], json!(2));
    assert_eq!(state("after=2&keyword=oddham"), json!({"new_entries": 1, "words": "1 new entry", "changed": []}));
    // Shown rows that were changed since the list was loaded, or went to the trash.
    let page = desk.browser.get(&desk.page("entries")).is(200);
    let since = page.text.split("since=").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    desk.owner.patch(desk.form.entry(1), json!({"field_values": {"field_2": 8}})).is(200);
    desk.owner.delete(desk.form.entry(3)).is(200);
    assert_eq!(state(&format!("after=4&since={since}&shown=4,3,2,1,x"))["changed"], json!([1, 3]));
    assert_eq!(state("after=9")["new_entries"], json!(0));
    for odd in ["", "after=x", "after=-1", "after=99999999999999999999"] {
        desk.browser.get(&format!("/forms/{}/entries/state?{odd}", desk.form.token)).is(400);
    }
}

#[test]
fn a_script_hears_that_the_session_is_over() {
    let desk = desk(1);
    let token = desk.browser.get("/csrf").is(200);
    let token = serde_json::from_str::<Value>(&token.text).expect("JSON")["data"]["csrf"].clone();
    assert!(token.as_str().is_some_and(|token| token.len() > 20), "{token}");
    let stranger = desk.server.anon();
    for path in ["/csrf".to_owned(), format!("/forms/{}/entries/state", desk.form.token)] {
        stranger.get(&path).is(303);
        stranger.header("Accept", "application/json").get(&path).is(401);
    }
}

#[test]
fn a_refused_restore_says_why() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let form = owner.form(json!([field("email", json!({"label": "Email", "unique": true}))]));
    let ada = json!({"field_values": {"field_1": "ada@example.org"}});
    owner.post(form.entries(), ada.clone()).is(201);
    owner.delete(form.entry(1)).is(200);
    owner.post(form.entries(), ada.clone()).is(201);
    let browser = Session::on(&server).signed_in("ann@example.org");
    let trash = format!("/forms/{}/trash", form.token);
    browser.get(&trash).is(200);
    browser.post(&format!("{trash}/1/restore"), &[]).is(422).has([
        "The entry was not restored",
        "Email\u{2069}: has already been taken",
        "ada@example.org",
    ]);
    // Of several at once each is told by its number, and the others are back.
    owner.post(form.entries(), json!({"field_values": {"field_1": "bob@example.org"}})).is(201);
    owner.delete(form.entry(3)).is(200);
    browser.get(&trash).is(200);
    let several = [("serial", "1"), ("serial", "3"), ("act", "restore")];
    let told = browser.post(&format!("{trash}/chosen"), &several);
    let told = if told.status == 303 { browser.get(told.header("location")) } else { told };
    told.has(["has already been taken", "ada@example.org"]).lacks(["bob@example.org"]);
    owner.get(form.entry(3)).is(200);
    assert_eq!(owner.get(form.trash()).data()[0]["serial_number"], 1);
    // Several at once.
    let chosen = browser.post(&format!("{trash}/chosen"), &[("serial", "1"), ("act", "restore")]);
    chosen.is(422).has(["Email\u{2069}: has already been taken"]).lacks(["field_1 has"]);
    // A condition in the address is told by its place.
    let list = format!(
        "/forms/{}/entries?filters=%5B%7B%22field%22%3A%22field_1%22%2C%22operator%22%3A%22gt%22%7D%5D",
        form.token
    );
    browser.get(&list).is(422).has(["Condition 1: "]).lacks(["filters[0]"]);
}

#[test]
fn roles_decide_what_the_pages_offer() {
    let desk = desk(1);
    let people = [("viewer", false), ("editor", true), ("manager", true)];
    for (role, _) in people {
        let email = format!("{role}@example.org");
        account(&desk.server, &email);
        let put = format!("/api/v1/forms/{}/collaborators/{email}", desk.form.token);
        desk.owner.put(put, json!({"role": role})).is(200);
    }
    account(&desk.server, "stranger@example.org");
    desk.owner.delete(desk.form.entry(1)).is(200);
    add(&desk.owner, &desk.form, json!({"field_1": "Evenford"}));
    let own = ["entries", "entries/2", "trash", "entries/export?format=csv"];
    for (role, may_change) in people {
        let browser = Session::on(&desk.server).signed_in(&format!("{role}@example.org"));
        for page in own {
            browser.get(&desk.page(page)).is_for(200, (role, page));
        }
        let (entry, trash) = (browser.get(&desk.page("entries/2")), browser.get(&desk.page("trash")));
        assert_eq!(entry.text.contains("Move to trash"), may_change, "{role}");
        assert_eq!(trash.text.contains("Restore"), may_change, "{role}");
        if !may_change {
            for post in ["entries/2/trash", "trash/1/restore", "trash/1/delete"] {
                browser.post(&desk.page(post), &[]).is_for(403, (role, post));
            }
        }
    }
    let stranger = Session::on(&desk.server);
    assert_eq!(stranger.sign_in("stranger@example.org", PASSWORD).status, 303);
    for page in own {
        stranger.get(&desk.page(page)).is_for(404, page);
    }
    let nobody = Session::on(&desk.server);
    for page in own {
        assert!(nobody.get(&desk.page(page)).leads().starts_with("/sign-in"), "{page}");
    }
}

#[test]
fn a_page_exports_what_its_list_shows() {
    let desk = desk(4);
    let exported = |query: &str| desk.browser.get(&format!("{}?{query}", desk.export())).is(200).text;
    let api = |query: &str| desk.owner.get(format!("{}/export?{query}", desk.form.entries())).is(200).text;
    for query in ["format=csv", "format=csv&keyword=oddham", "format=json&keyword=oddham&fields=field_2"] {
        assert_eq!(exported(query), api(query), "{query}");
    }
    let sheet = desk.browser.get(&format!("{}?format=xlsx&keyword=oddham", desk.export())).is(200);
    let rows = support::sheets::xlsx(&sheet);
    assert_eq!(rows.len(), 3, "a header and two: {rows:?}");
    let link = desk.link(&format!("{}?keyword=oddham&sort=serial_number", desk.page("entries")), "CSV");
    assert_eq!(link, Some(desk.page("entries/export?keyword=oddham&format=csv")));
    let rows: Value = serde_json::from_str(&exported("format=json&keyword=oddham")).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
}
