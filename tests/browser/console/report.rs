//! The report of a form: in every light, without a script, on paper; its tables are copied.

use serde_json::{Value, json};
use support::{Form, Server, field, pdf};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::click;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

/// A survey with an answer of each kind that is drawn.
pub fn survey(server: &Server) -> Form {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write entry:delete");
    let named = |labels: &[&str]| -> Value {
        labels.iter().map(|label| json!({"api_code": code(label), "label": label})).collect()
    };
    let days = ["Monday: engines", "Tuesday: tables, and how they were computed by hand before", "Wednesday: letters"];
    let tree = json!([
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy"}, {"api_code": "fr", "label": "France"}]},
        {"api_code": "as", "label": "Asia"},
    ]);
    let fields = vec![
        field("radio", json!({"label": "Which day did you like best?", "choices": named(&days)})),
        field("checkbox", json!({"label": "What did you eat?", "choices": named(&["Soup", "Pie", "Cake"])})),
        field("number", json!({"label": "How many miles did you travel?"})),
        field("rating", json!({"label": "Rate the lectures", "rating_max": 5})),
        field("nps", json!({"label": "Would you recommend us?"})),
        field("date", json!({"label": "When did you arrive?"})),
        field("cascade", json!({"label": "Where do you come from?", "choices": tree})),
        field(
            "likert",
            json!({
                "label": "How was it?", "statements": named(&["Lectures", "Food and drink"]),
                "choices": named(&["Good", "Neither", "Bad"]),
            }),
        ),
        field("ranking", json!({"label": "Rank the speakers", "choices": named(&["Ada", "Charles", "Mary"])})),
        field("long_text", json!({"label": "Anything else?"})),
    ];
    let form = owner.form_with(json!({"name": "After the summer party", "fields": fields}));
    let entry = |n: usize| -> Value {
        let (lands, opinions, tastes) = (["it", "fr"], ["good", "neither"], ["bad", "good", "good"]);
        let (stars, points) = ([5, 4, 4, 3, 5, 2], [10, 9, 7, 8, 3, 10, 6]);
        let food = ["Soup", "Pie", "Cake"].iter().enumerate().filter(|(at, _)| n.is_multiple_of(at + 2));
        let country = if n.is_multiple_of(3) {
            json!({"level_1": "as"})
        } else {
            json!({"level_1": "eu", "level_2": lands[n % 2]})
        };
        let order = [["ada", "charles", "mary"], ["mary", "ada", "charles"]][n % 2];
        let ranks: Value = order.iter().zip(1..).map(|(code, rank)| ((*code).to_owned(), json!(rank))).collect();
        json!({"field_values": {
            "field_1": code(days[[0, 0, 1, 0, 2, 1][n % 6]]),
            "field_2": food.map(|(_, label)| code(label)).collect::<Vec<_>>(),
            "field_3": (n * n * 7) % 400,
            "field_4": stars[n % 6],
            "field_5": points[n % 7],
            "field_6": format!("2026-07-{:02}", 1 + (n * n) % 20),
            "field_7": country,
            "field_8": {"lectures": [opinions[n % 2]], "food_and_drink": [tastes[n % 3]]},
            "field_9": ranks,
            "field_10": if n.is_multiple_of(4) { "A place in the shade would have been pleasant." } else { "" },
        }})
    };
    let all: Vec<Value> = (1..=60).map(entry).collect();
    owner.post(format!("{}/bulk", form.entries()), json!({"entries": all})).is(201);
    form
}

fn code(label: &str) -> String {
    let words = label.to_lowercase();
    let words: String = words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    words.chars().take(20).collect()
}

#[test]
fn the_report_in_every_light_and_on_paper() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = survey(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let report = format!("{}/forms/{}/report", server.base, form.token);
    let empty = format!("{report}?keyword=nobody");
    look_at(&browser, "report", &report);
    look_at(&browser, "report-split", &format!("{report}?split=field_1"));
    look_at(&browser, "report-none", &empty);
    // Tables are copied as spreadsheets take them.
    browser.go(&report);
    browser.run(
        "window.copied = []; Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => copied.push(text)}})",
    );
    click(&browser, "[aria-labelledby=report-field_1] summary");
    click(&browser, "[aria-labelledby=report-field_1] [data-copy-table]");
    browser.until("document.querySelector('[aria-labelledby=report-field_1] [role=status]').textContent !== ''");
    let copied = browser.run("return copied[0]");
    assert!(copied.as_str().expect("a text").contains("Monday: engines\t"), "{copied}");
    // A bar leads to its entries by the keyboard too.
    browser.run("document.querySelector('[aria-labelledby=report-field_1] a.chart-row').focus()");
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/entries')");
    assert!(browser.text("h2#entries").contains("30 of 60 entries match"), "{}", browser.text("main"));
    // On paper: which entries, the open tables, two cards a sheet.
    let filters = r#"[{"field":"field_4","operator":"gte","value":4}]"#;
    let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    browser.go(&format!("{report}?filters={filters}"));
    let paper = browser.pdf();
    let said = pdf::poppler_output("pdftotext", &["-layout"], &paper);
    for text in ["Only entries where: Rate the lectures is at least 4", "Detractors", "Share", "Mean place"] {
        assert!(said.contains(text), "{text}: {said}");
    }
    assert!(!said.contains("Copy as table"), "{said}");
    let pages = pdf::poppler_output("pdfinfo", &[], &paper);
    let pages = pages.lines().find_map(|line| line.strip_prefix("Pages:")).expect("a number").trim().to_owned();
    let pages: usize = pages.parse().expect("a number");
    assert!((6..=9).contains(&pages), "{pages} sheets for 11 cards");
}

#[test]
fn the_report_works_on_a_phone_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = survey(&server);
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/report", server.base, form.token));
    let shown = browser.text("main");
    for text in
        ["60 entries", "60 of 60 answered (100%)", "Monday: engines", "Net promoter score", "Show all 15 answers"]
    {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("Copy as table"), "{shown}");
    click(&browser, "[aria-labelledby=report-field_2] a.chart-row");
    browser.until("location.pathname.endsWith('/entries')");
    assert!(browser.text("main").contains("30 of 60 entries match"), "{}", browser.text("main"));
}
