//! Random definitions, data and searches: page, JSON and CSV show the same entries, those that the list of entries
//! gives for equivalent filters. The suite makes 60 definitions, with six searches each; `TEST_PUBLIC_QUERIES=600` sets
//! their number.

mod plan;
mod searched;
mod world;

use std::collections::{BTreeSet, VecDeque};

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use support::sheets::csv;
use support::{Server, rounds};

use crate::queries::random::plan::{Plan, plan};
use crate::queries::random::searched::{Searched, searched};
use crate::queries::random::world::{MARK, World, one};
use crate::queries::{Query, links, local};

/// Definitions for each random set of entries.
const TO_EACH: usize = 6;

/// A value of an entry as a row shows it.
fn value(entry: &Value, code: &str, protected: bool) -> Value {
    let linked = code.strip_prefix("field_12_associated_");
    let value = match linked {
        Some("serial_number") => &entry["field_12"]["serial_number"],
        Some(inner) => &entry["field_12"]["display_fields"][inner],
        None => &entry[code],
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    match (code, protected && !value.is_null()) {
        ("field_4", true) => {
            let name = text(value);
            let first: String = name.chars().take(1).collect();
            let is_short = name.chars().count() == 1;
            json!(format!("{}**", if is_short { "" } else { &first }))
        }
        ("field_5", true) => {
            let mut phone = value.clone();
            let number = text(&phone["number"]);
            phone["number"] = json!(format!("{}****{}", &number[..3], &number[7..]));
            phone
        }
        ("field_6", true) => {
            let mail = text(value);
            let (own, rest) = mail.split_once('@').expect("an address");
            let first = if own.len() > 2 { &own[..1] } else { "" };
            json!(format!("{first}***@{rest}"))
        }
        _ => value.clone(),
    }
}

/// The text of a value where its cell in a file is sure to be the same.
fn cell(code: &str, value: &Value) -> Option<String> {
    if value.is_null() {
        let is_one_cell = !["field_5", "field_10", "field_11", "field_13"].contains(&code);
        return is_one_cell.then(String::new);
    }
    let text = value.as_str().map(str::to_owned);
    match code {
        "field_9" => Some(match value["value"].as_str() {
            Some("red") => "Dark red".to_owned(),
            _ => "Red and blue".to_owned(),
        }),
        "field_1"
        | "field_2"
        | "field_3"
        | "field_4"
        | "field_6"
        | "field_8"
        | "gen_code"
        | "field_12_associated_field_1" => text.map(|text| match text.starts_with('=') {
            true => format!("'{text}"),
            false => text,
        }),
        "field_7"
        | "field_14"
        | "serial_number"
        | "field_12_associated_serial_number"
        | "field_12_associated_field_2" => Some(value.to_string().trim_end_matches(".0").to_owned()),
        _ => None,
    }
}

/// All rows by pages of a random size.
fn by_pages(query: &Query, values: &Value, size: usize, total: usize) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = query.ask(json!({"values": values, "page_size": size, "cursor": cursor}));
        assert_eq!(page.status, 200, "{values}: {page}");
        let page = page.json();
        assert_eq!(page["pagination"]["total"], total, "{values}");
        all.extend(page["data"].as_array().expect("rows").clone());
        cursor = page["pagination"]["next_cursor"].as_str().expect("a text").to_owned();
        if cursor.is_empty() {
            return all;
        }
        assert!(all.len() <= total, "{values}: pages without an end");
    }
}

/// The marks of all pages that a visitor gets to, in their order, and the text from each on.
fn on_pages(query: &Query, values: &Value) -> Vec<(String, String)> {
    let anon = query.anon();
    let first = query.typed(values);
    let (mut waiting, mut been) = (VecDeque::from([first.clone()]), BTreeSet::from([first]));
    let mut out: Vec<(String, String)> = Vec::new();
    while let Some(address) = waiting.pop_front() {
        let page = anon.get(&address);
        assert_eq!(page.status, 200, "{address}: {page}");
        for rest in page.text.split("((").skip(1) {
            let (mark, rest) = rest.split_once("))").expect("a whole mark");
            match out.iter_mut().find(|(known, _)| known == mark) {
                Some((_, text)) => text.push_str(rest),
                None => out.push((mark.to_owned(), rest.to_owned())),
            }
        }
        for link in links(&page) {
            let link = local(&anon, &link);
            let link = match link.strip_prefix('?') {
                Some(rest) => format!("{}?{rest}", query.page()),
                None => link,
            };
            let is_page = link.starts_with(&query.page()) && link.contains("cursor=");
            if is_page && !link.contains("/export") && been.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
        assert!(been.len() < 100, "pages without an end");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn check(world: &World, plan: &Plan, query: &Query, values: &Value, all: &[Searched], size: usize) -> usize {
    let at = format!(
        "{:?} {:?} {:?} for {values}",
        plan.groups
            .iter()
            .map(|(operand, fields)| {
                let names: Vec<String> = fields
                    .iter()
                    .map(|(at, fuzzy)| format!("{}{}", all[*at].code, if *fuzzy { "~" } else { "" }))
                    .collect();
                format!("{operand} {names:?}")
            })
            .collect::<Vec<_>>(),
        plan.rules,
        plan.scope
    );
    let serials = match plan.expected(world, all, values) {
        Ok(serials) => serials,
        Err(mut missing) => {
            let refused = query.search(values);
            assert_eq!(refused.status, 422, "{at}: {refused}");
            let mut told = refused.attributes();
            told.sort();
            missing.sort();
            assert_eq!(told, missing, "{at}");
            let file = query.anon().get(query.export("csv", values));
            assert_eq!(file.status, 422, "{at}: {file}");
            let page = query.anon().get(query.typed(values));
            assert!([200, 422].contains(&page.status) && !page.text.contains("(("), "{at}: {page}");
            return 0;
        }
    };
    let entries: Vec<&Value> = serials.iter().map(|serial| &world.entries[serial]).collect();
    let mark = |entry: &Value| entry[MARK].as_str().expect("a mark").to_owned();
    let marks: Vec<String> = entries.iter().map(|entry| mark(entry)).collect();

    let rows = by_pages(query, values, size, entries.len());
    let told: Vec<String> = rows.iter().map(mark).collect();
    assert_eq!(told, marks, "{at}");
    for (row, entry) in rows.iter().zip(&entries) {
        let mut expected = json!({"entry_token": entry["token"]});
        for (code, protected) in &plan.rules {
            expected[*code] = value(entry, code, *protected);
        }
        assert_eq!(*row, expected, "{at}");
    }

    let pages = on_pages(query, values);
    let told: Vec<String> = pages.iter().map(|(mark, _)| format!("(({mark}))")).collect();
    assert_eq!(told, marks, "{at}");
    for ((_, text), entry) in pages.iter().zip(&entries) {
        for (code, protected) in &plan.rules[1..] {
            let value = value(entry, code, *protected);
            let shown = match *code {
                "field_2" | "field_3" | "field_4" | "field_6" | "gen_code" | "field_12_associated_field_1" => {
                    value.as_str().map(escaped)
                }
                "field_5" => value["number"].as_str().map(grouped),
                _ => None,
            };
            if let Some(shown) = shown {
                let is_there = text.contains(&shown) || text.contains(&shown.replace('\'', "&#39;"));
                assert!(is_there, "{at}: {code}: {shown} in {text}");
            }
            if let ("field_5" | "field_6", true) = (*code, *protected) {
                let hidden = [&entry["field_5"]["number"], &entry["field_6"]];
                let hidden = hidden[usize::from(*code == "field_6")].as_str();
                // A visitor's typed values come back to them.
                let was_typed = hidden.is_some_and(|hidden| values.to_string().contains(hidden));
                let is_shown = |hidden: &str| *code == "field_5" && text.contains(&grouped(hidden));
                let is_there = hidden.is_some_and(|hidden| text.contains(hidden) || is_shown(hidden));
                assert!(was_typed || !is_there, "{at}: {code} in {text}");
            }
        }
    }

    let file = csv(&query.anon().get(query.export("csv", values)));
    let (head, lines) = file.split_first().expect("a header");
    assert_eq!(lines.len(), entries.len(), "{at}");
    let first = head.iter().position(|label| *label == format!("L {MARK}"));
    let first = first.expect("the mark's column");
    for entry in &entries {
        let own = lines.iter().find(|line| line[first] == mark(entry));
        let own = own.unwrap_or_else(|| panic!("{at}: {} is not in {lines:?}", mark(entry)));
        for (code, protected) in &plan.rules {
            let Some(expected) = cell(code, &value(entry, code, *protected)) else {
                continue;
            };
            let column = head.iter().position(|label| *label == format!("L {code}"));
            if let Some(column) = column {
                assert_eq!(own[column], expected, "{at}: {code}");
            } else {
                // A value of several cells has a column for each.
                assert!(head.iter().any(|label| label.starts_with(&format!("L {code}"))), "{at}: {code}: {head:?}");
            }
        }
    }
    entries.len()
}

#[test]
fn page_json_and_csv_show_what_the_list_of_entries_gives() {
    let count = rounds("TEST_PUBLIC_QUERIES", 30_usize);
    let all = searched();
    let mut hits = 0;
    for seed in 0..count.div_ceil(TO_EACH) {
        let dice = &mut StdRng::seed_from_u64(u64::try_from(seed).expect("few"));
        let mut world = World::new(dice);
        let plans: Vec<(Plan, Query)> = (0..TO_EACH.min(count - seed * TO_EACH))
            .map(|_| {
                let plan = plan(dice, &all);
                let query = plan.make(&world, &all);
                (plan, query)
            })
            .collect();
        // As it is just made, with its exact keys built, and after changes that those have to follow.
        for phase in 0..3 {
            match phase {
                1 => {
                    let ran = Server::shared().run(&["jobs", "run-once", "query-keys"]);
                    assert!(ran.status.success());
                }
                2 => world.disturb(dice),
                _ => {}
            }
            for (plan, query) in &plans {
                for _ in 0..2 {
                    let values = plan.values(dice, &all);
                    let size = one(dice, &[1, 3, 10, 100]);
                    hits += check(&world, plan, query, &values, &all, size);
                }
            }
        }
    }
    assert!(hits > count, "searches find something: {hits}");
}

/// A number of a Chinese mobile phone as pages group it; a masked one is not.
fn grouped(number: &str) -> String {
    if number.contains('*') {
        return number.to_owned();
    }
    format!("{} {} {}", &number[..3], &number[3..7], &number[7..])
}
