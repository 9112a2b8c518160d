//! The table of a form's entries: its columns, its ends, the filter by a cell, and an entry beside it.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::steps::add;
use support::{Form, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

struct Desk {
    server: Server,
    form: Form,
    /// Signed in as the owner.
    browser: Session,
}

/// A form of a town, a number, dishes and a plan, with these many entries.
fn desk(count: usize) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let choices = json!([{"label": "Soup"}, {"label": "Pie"}]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Town"})),
        field("number", json!({"label": "Guests"})),
        field("checkbox", json!({"label": "Dishes", "choices": choices})),
        field("attachment", json!({"label": "Plan"})),
        field("table", json!({"label": "Things", "dimensions": [field("short_text", json!({"label": "Thing"}))]})),
    ]));
    let code = |at: usize| form.body["fields"][2]["choices"][at]["api_code"].clone();
    for n in 1..=count {
        let dishes = match n % 3 {
            0 => json!([code(0), code(1)]),
            1 => json!([code(0)]),
            _ => json!([]),
        };
        let town = if n % 2 == 0 { "Evenford & <Sons>" } else { "Oddham" };
        add(&owner, &form, json!({"field_1": town, "field_2": n % 4, "field_3": dishes}));
    }
    let browser = Session::on(&server).signed_in("ann@example.org");
    Desk { server, form, browser }
}

impl Desk {
    fn page(&self, rest: &str) -> String {
        format!("/forms/{}/{rest}", self.form.token)
    }

    /// The numbers of the rows at this address, from the top on.
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

/// The conditions in an address.
fn filters(address: &str) -> Value {
    let (_, query) = address.split_once('?').expect("a query");
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, text) = pairs.find(|(name, _)| name == "filters").expect("conditions");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_cell_narrows_the_list_to_its_answer() {
    let desk = desk(12);
    let list = desk.page("entries");
    let narrowed = |cell: &str| desk.browser.get(&format!("{list}?keyword=d&cell={cell}")).leads();
    for (cell, operators, found) in [
        ("4.field_1", vec!["eq"], vec![12, 10, 8, 6, 4, 2]),
        ("5.field_2", vec!["eq"], vec![9, 5, 1]),
        ("3.field_3", vec!["any_in", "any_in"], vec![12, 9, 6, 3]),
        ("1.field_3", vec!["eq"], vec![10, 7, 4, 1]),
        ("2.field_3", vec!["null"], vec![11, 8, 5, 2]),
        ("2.field_4", vec!["null"], (1..=12).rev().collect()),
        ("7.created_at", vec!["eq"], (1..=12).rev().collect()),
        ("7.serial_number", vec!["eq"], vec![7]),
    ] {
        let to = narrowed(cell);
        let conditions = filters(&to);
        let named: Vec<&str> =
            conditions.as_array().expect("a list").iter().filter_map(|it| it["operator"].as_str()).collect();
        assert_eq!(named, operators, "{cell} {to}");
        assert_eq!(desk.numbers(&to), found, "{cell} {to}");
        assert!(to.contains("keyword=d"), "{to}");
    }
    // Further conditions are added, none twice.
    let town = narrowed("4.field_1");
    let both = desk.browser.get(&format!("{town}&cell=8.field_2")).leads();
    assert_eq!(desk.numbers(&both), [12, 8, 4]);
    assert_eq!(desk.browser.get(&format!("{both}&cell=4.field_1")).leads(), both);
    desk.browser.get(&both).has(["Filter: 2 conditions", "data-column=\"field_2\"", "data-column=\"serial_number\""]);
    // A column that can't be compared says so, and nothing is lost.
    let to = narrowed("4.field_5");
    assert_eq!(to, format!("{list}?keyword=d&unfiltered=field_5"));
    desk.browser.get(&to).is(200).has(["Things", "be filtered by this answer", "12 of 12 entries match"]);
    for gone in ["99.field_1", "4.field_9", "x.field_1", "4"] {
        desk.browser.get(&format!("{list}?cell={gone}")).is(404);
    }
}

#[test]
fn a_list_has_two_ends() {
    let desk = desk(105);
    for query in ["", "?sort=field_1", "?keyword=d&sort=-field_2", "?sort=-created_at"] {
        let list = format!("{}{query}", desk.page("entries"));
        assert_eq!(desk.link(&list, "First page"), None);
        let first = desk.numbers(&list);
        let last = desk.link(&list, "Last page").expect("a link");
        let ends = desk.numbers(&last);
        assert_eq!(ends.len(), 50, "{query}");
        assert_eq!(desk.link(&last, "Last page"), None, "{query}");
        assert_eq!(desk.link(&last, "First page"), Some(list.clone()));
        let middle = desk.link(&last, "Previous page").expect("a link");
        let middle_rows = desk.numbers(&middle);
        let mut all = [first, middle_rows, ends].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 105, "{query}");
        desk.numbers(&desk.link(&middle, "Last page").expect("a link"));
    }
}

#[test]
fn ticked_entries_are_printed() {
    let desk = desk(3);
    let chosen = format!("/forms/{}/entries/chosen?keyword=d", desk.form.token);
    let to = desk.browser.post_on(&chosen, &[("serial", "3"), ("serial", "1"), ("act", "print")]);
    to.has(["Entry 1", "Entry 3"]).lacks(["Entry 2"]);
}

#[test]
fn pages_tell_their_keys() {
    let desk = desk(1);
    let viewer = "viewer@example.org";
    account(&desk.server, viewer);
    let owner = desk.server.token("ann@example.org", ALL);
    let put = format!("/api/v1/forms/{}/collaborators/{viewer}", desk.form.token);
    owner.put(put, json!({"role": "viewer"})).is(200);
    let reader = Session::on(&desk.server).signed_in(viewer);
    for (page, all, change) in [
        ("entries", vec!["Show the entries with the same answer", "Last page, then its last entry"], "Edit the entry"),
        ("entries/1", vec!["Previous and next entry"], "Edit the entry"),
    ] {
        desk.browser.get(&desk.page(page)).has(&all).has([change]);
        reader.get(&desk.page(page)).has(&all).lacks([change]);
    }
    desk.browser.get(&desk.page("entries/1/edit")).has(["Leave without saving", "Ctrl+Enter"]);
}

/// Without a script too: the buttons send the ticks, and the address holds it all.
#[test]
fn columns_have_an_order_and_widths() {
    let desk = desk(2);
    let list = desk.page("entries");
    let heads = |address: &str| -> Vec<String> {
        let page = desk.browser.get(address).is(200).text;
        let head =
            page.split("</thead>").next().expect("a head").rsplit("<thead").next().expect("its start").to_owned();
        let names = head.split("data-column=\"").skip(1);
        names.map(|rest| rest.split('"').next().expect("a name").to_owned()).collect()
    };
    let form = "column=field_1&width.field_1=normal&column=field_2&width.field_2=wide&column=created_at\
                &width.created_at=narrow&width.field_3=wide&freeze=field_1&keyword=d";
    let shown = desk.browser.get(&format!("{list}?{form}")).leads();
    assert_eq!(
        shown,
        format!("{list}?keyword=d&columns=field_1%2Cfield_2%3Awide%2Ccreated_at%3Anarrow&freeze=field_1")
    );
    assert_eq!(heads(&shown), ["serial_number", "field_1", "field_2", "created_at"]);
    let page = desk.browser.get(&shown);
    page.has([
        "class=\"frozen\"",
        "class=\"numbers broad\"",
        "class=\"slim\"",
        "value=\"up:field_2\"",
        "value=\"down:field_2\"",
    ]);
    page.lacks(["value=\"up:field_1\"", "value=\"down:created_at\"", "value=\"up:field_3\""]);
    // Entries, files and pages of the list keep it; files have their own columns.
    page.has(["columns=field_1%2Cfield_2%3Awide%2Ccreated_at%3Anarrow&amp;freeze=field_1\">2</a>"]);
    page.has([format!("{}?keyword=d&amp;format=csv", desk.page("entries/export"))]);
    for (pressed, order) in [
        ("up:field_2", ["field_2", "field_1", "created_at"]),
        ("down:field_2", ["field_1", "created_at", "field_2"]),
        ("up:field_1", ["field_1", "field_2", "created_at"]),
        ("down:field_9", ["field_1", "field_2", "created_at"]),
    ] {
        let moved = desk.browser.get(&format!("{list}?{form}&move={pressed}")).leads();
        assert_eq!(heads(&moved)[1..], order, "{pressed} {moved}");
        assert!(
            moved.contains("field_2%3Awide")
                && moved.ends_with(&format!("choosing={}", &pressed.split_once(':').expect("a name").1))
        );
        let is_open = desk.browser.get(&moved).text.contains("<details class=\"disclosure\" open");
        assert!(is_open, "{pressed}");
    }
    // Of odd addresses, the understandable parts are used.
    assert_eq!(
        heads(&format!("{list}?columns=field_2:huge,field_2,x,field_1:&freeze=x")),
        ["serial_number", "field_2", "field_1"]
    );
    desk.browser.get(&format!("{list}?columns=field_2:huge&freeze=x")).lacks(["class=\"frozen", "broad"]);
}

#[test]
fn a_table_has_forty_columns_at_most() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let questions: Vec<Value> =
        (1..=45).map(|n| field("short_text", json!({"label": format!("Question {n}")}))).collect();
    let form = owner.form(json!(questions));
    add(&owner, &form, json!({"field_1": "a"}));
    let browser = Session::on(&server).signed_in("ann@example.org");
    let all: Vec<String> = (1..=45).map(|n| format!("field_{n}")).collect();
    let list = format!("/forms/{}/entries", form.token);
    let page = browser.get(&format!("{list}?columns={}", all.join(","))).is(200);
    page.has(["A table shows 40 columns at most", "data-column=\"field_40\""]).lacks(["data-column=\"field_41\""]);
    browser.get(&format!("{list}?columns={}", all[..40].join(","))).lacks(["A table shows 40 columns at most"]);
}

#[test]
fn an_entry_stands_beside_the_table() {
    let desk = desk(3);
    desk.browser.get(&desk.page("entries?keyword=d")).is(200).has(["id=\"beside\"", "<iframe title"]);
    let entry = |n: i64, page: &str| format!("{}?keyword=d&frame=1", desk.page(&format!("entries/{n}{page}")));
    let page = desk.browser.get(&entry(2, "")).is(200);
    page.has(["<base target=\"_top\"", "<h1>Entry 2</h1>", "id=\"signed-out\"", "framed.js"]);
    page.lacks(["<header", "<footer", "class=\"tabs\"", "All entries"]);
    // Its neighbours and its editor stay in the frame; links that lead away do not.
    let as_link = |address: String| address.replace('&', "&amp;");
    page.has([entry(1, ""), entry(3, ""), entry(2, "/edit")].map(as_link));
    page.has([format!("action=\"{}?keyword=d\"", desk.page("entries/2/trash"))]);
    let editor = desk.browser.get(&entry(2, "/edit")).is(200);
    editor.lacks(["<header", "class=\"tabs\""]).has([as_link(entry(2, "/edit")), as_link(entry(2, ""))]);
    let saved = desk.browser.post(&entry(2, "/edit"), &[("field_1", "Delft"), ("_page", "0")]).leads();
    assert_eq!(saved, format!("{}?keyword=d&saved=1&frame=1", desk.page("entries/2")));
    desk.browser.get(&desk.page("entries/2?frame=0")).is(200).has(["<header", "class=\"tabs\"", "All entries"]);
}
