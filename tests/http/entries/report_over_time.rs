//! The head of a report: when entries came. And the report of many entries, whose page begins before they are counted.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use support::clock::Clock;
use support::page_text::page_text;
use support::session::{Session, account};
use support::steps::{add, bulk};
use support::{Caller, Form, Server, field};

use crate::entries::report_page::{bars, card, column};

const DAY: i64 = 86_400;
const ZONE: &str = "Asia/Shanghai";

/// How many entries came on each day of the form's time zone, as the API tells it.
fn days(owner: &Caller, form: &Form) -> BTreeMap<String, u64> {
    let zone = TimeZone::get(ZONE).expect("a zone");
    let list = owner.get(format!("{}?page_size=100", form.entries())).is(200).data();
    let mut days = BTreeMap::new();
    for entry in list.as_array().expect("entries") {
        let at: Timestamp = entry["created_at"].as_str().expect("a moment").parse().expect("a moment");
        *days.entry(at.to_zoned(zone.clone()).date().to_string()).or_default() += 1;
    }
    days
}

#[test]
fn entries_over_time_lead_to_those_of_each_day_and_each_week() {
    let (clock, home) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(home.path(), &["--rate-limits", "off"]);
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let fields = json!([field("radio", json!({"choices": choices}))]);
    let form = owner.form_with(json!({"name": "A form", "timezone": ZONE, "fields": fields}));
    // Sessions end by themselves in such times.
    let signed_in = || Session::on(&server).signed_in("ann@example.org");
    let address = format!("/forms/{}/report", form.token);
    add(&owner, &form, json!({"field_1": "a"}));
    // Of one day alone nothing is drawn.
    let one = signed_in().get(&address).is(200);
    assert!(page_text(&one).contains("Entries over time") && page_text(&one).contains("1 entry"));
    one.lacks(["Busiest day", "by day"]);
    // Moments on both sides of the midnights of the time zone and of UTC.
    for (n, hours) in [30, 41, 47, 53, 54, 61, 100, 103].into_iter().enumerate() {
        clock.ahead(hours * 3600);
        add(&owner, &form, json!({"field_1": if n % 2 == 0 { "a" } else { "b" }}));
    }
    let browser = signed_in();
    let page = browser.get(&address).is(200);
    let own = card(&page.text, "report-total");
    let wanted = days(&owner, &form);
    let counts: Vec<u64> = wanted.values().copied().collect();
    assert_eq!(bars_that_lead(&browser, own, 9), counts, "{wanted:?}");
    assert_eq!(column(own, 1), counts);
    page.has(["by day", "Busiest day", "Entries on that day"]);
    let most = wanted.values().max().expect("a day");
    assert!(own.contains(&format!("<dd>{most}</dd>")), "{own}");
    // The same conditions and search hold for it.
    let filters = r#"[{"field":"field_1","operator":"eq","value":"b"}]"#;
    let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    let some = browser.get(&format!("{address}?filters={filters}")).is(200);
    let some = card(&some.text, "report-total");
    assert!(some.contains("4 of 9 entries"), "{some}");
    assert_eq!(bars_that_lead(&browser, some, 9).iter().sum::<u64>(), 4);
    // A longer range is shown in weeks, which count the same entries.
    clock.ahead(80 * DAY);
    add(&owner, &form, json!({"field_1": "a"}));
    let browser = signed_in();
    let page = browser.get(&address).is(200);
    page.has(["by week", "Week of"]);
    let weeks = bars_that_lead(&browser, card(&page.text, "report-total"), 10);
    assert_eq!(weeks.iter().sum::<u64>(), 10, "{weeks:?}");
    assert_eq!(weeks.last(), Some(&1));
}

/// The numbers of the bars of a card, each of which leads to as many entries.
fn bars_that_lead(browser: &Session, own: &str, all: usize) -> Vec<u64> {
    let bars = bars(own);
    for (address, count) in &bars {
        let list = browser.get(address).is(200);
        assert!(list.text.contains(&format!("{count} of {all} entries match")), "{count} behind {address}");
    }
    bars.into_iter().map(|(_, count)| count).collect()
}

#[test]
fn the_page_of_many_entries_begins_before_they_are_counted() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([field("radio", json!({"choices": choices}))]));
    let values: Vec<Value> = (0..5_001).map(|n| json!({"field_1": if n % 3 == 0 { "b" } else { "a" }})).collect();
    bulk(&owner, &form, &values);
    let browser = Session::on(&server).signed_in("ann@example.org");
    let page = |query: &str| browser.get(&format!("/forms/{}/report{query}", form.token));
    let is_in_parts = |page: &support::Response| page.headers.contains_key("transfer-encoding");
    let first = page("").is(200);
    assert!(is_in_parts(&first), "{:?}", first.headers);
    first.has(["Counting 5,001 entries…", "</main>", "</html>"]);
    // It is painted when its beginning is there, and a whole page with its last element.
    first.has([
        "<link rel=\"expect\" href=\"#report-waiting\" blocking=\"render\">",
        "<p class=\"report-waiting\" id=\"report-waiting\">",
    ]);
    assert_eq!(column(card(&first.text, "report-field_1"), 1), [3334, 1667]);
    // Known, it comes whole; a new entry makes it new.
    let again = page("").is(200);
    assert!(!is_in_parts(&again), "{:?}", again.headers);
    again.lacks(["Counting"]);
    again.has(["<link rel=\"expect\" href=\"#foot\" blocking=\"render\">", "<footer class=\"site-foot\" id=\"foot\">"]);
    assert_eq!(column(card(&again.text, "report-field_1"), 1), [3334, 1667]);
    add(&owner, &form, json!({"field_1": "b"}));
    let new = page("").is(200);
    assert!(is_in_parts(&new), "{:?}", new.headers);
    assert_eq!(column(card(&new.text, "report-field_1"), 1), [3334, 1668]);
    // Faults of the address are reported before anything is sent.
    page("?split=field_9").is(422).has(["is not a field of this form"]);
    page("?filters=%5B").is(400).has(["filters is not valid JSON"]);
    let unknown = r#"[{"field":"field_9","operator":"null"}]"#;
    let unknown: String = url::form_urlencoded::byte_serialize(unknown.as_bytes()).collect();
    page(&format!("?filters={unknown}")).is(422).has(["This report can’t be shown"]);
}
