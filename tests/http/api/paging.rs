//! Lists by pages: sizes, cursors, and walks while others write (contract section 1, "Paging").

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

/// A user, and a form with this many entries.
fn filled(count: usize) -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    for n in 0..count {
        add(&owner, &form, n);
    }
    (owner, form)
}

fn add(owner: &Caller, form: &Form, n: usize) {
    let body = json!({"field_values": {"field_1": n.to_string()}});
    assert_eq!(owner.post(form.entries(), body).status, 201);
}

fn next(page: &Value) -> String {
    let cursor = page["pagination"]["next_cursor"].as_str();
    cursor.expect("a string").to_owned()
}

/// Walks a list page by page; `between` happens after each. Rows are named by this key.
fn walk(caller: &Caller, list: &str, key: &str, size: usize, between: &dyn Fn()) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = caller.get(format!("{list}&page_size={size}&cursor={cursor}"));
        assert_eq!(page.status, 200, "{page}");
        let page = page.json();
        let rows = page["data"].as_array().expect("rows");
        assert!(rows.len() <= size);
        all.extend(rows.iter().map(|row| row[key].clone()));
        cursor = next(&page);
        if cursor.is_empty() {
            return all;
        }
        assert_eq!(rows.len(), size, "only the last page may be short");
        between();
    }
}

#[test]
fn a_page_has_1_to_100_rows_and_10_by_default() {
    let (owner, form) = filled(11);
    let page = owner.get(form.entries()).json();
    assert_eq!(page["data"].as_array().map(Vec::len), Some(10));
    assert_eq!(page["pagination"]["total"], 11);
    for (list, _) in [(form.entries(), 0), ("/api/v1/forms".to_owned(), 0)] {
        for size in ["0", "101", "-1", "x", "", "1.5", "+5", "99999999999999999999"] {
            let refused = owner.get(format!("{list}?page_size={size}"));
            assert_eq!(refused.to_string(), r#"400 {"error":"page_size must be 1 to 100"}"#, "{size}");
        }
        for size in [1, 100] {
            assert_eq!(owner.get(format!("{list}?page_size={size}")).status, 200);
        }
    }
}

#[test]
fn the_last_page_names_no_next_one() {
    let (owner, form) = filled(4);
    let list = |query: &str| owner.get(format!("{}?{query}", form.entries())).json();
    let first = list("page_size=2");
    let second = list(&format!("page_size=2&cursor={}", next(&first)));
    assert_eq!(next(&second), "");
    assert_eq!(second["pagination"]["total"], 4);
    assert_eq!(next(&list("page_size=4")), "");
    // An empty cursor asks for the first page.
    assert_eq!(list("page_size=2&cursor="), first);
    // The size may change on the way.
    let rest = list(&format!("page_size=50&cursor={}", next(&first)));
    assert_eq!(rest["data"].as_array().map(Vec::len), Some(2));
    let empty = owner.form(json!([field("short_text", json!({}))]));
    let body = r#"{"data":[],"pagination":{"total":0,"next_cursor":"","previous_cursor":""}}"#;
    assert_eq!(owner.get(empty.entries()).to_string(), format!("200 {body}"));
}

#[test]
fn a_cursor_is_good_for_its_list_alone() {
    let (owner, form) = filled(3);
    let (stranger, _) = filled(0);
    let other = owner.form(json!([field("short_text", json!({}))]));
    let first = owner.get(format!("{}?page_size=1", form.entries())).json();
    let cursor = next(&first);
    let mut tampered = URL_SAFE_NO_PAD.decode(&cursor).expect("base64");
    *tampered.last_mut().expect("bytes") ^= 1;
    let tampered = URL_SAFE_NO_PAD.encode(tampered);
    let garbled = format!("{cursor}x");
    let cut = &cursor[..cursor.len() - 1];
    let entries = form.entries();
    for asked in [
        format!("{entries}?cursor={tampered}"),
        format!("{entries}?cursor={garbled}"),
        format!("{entries}?cursor={cut}"),
        format!("{entries}?cursor=x"),
        format!("{entries}?cursor=%00%7f"),
        format!("{entries}?cursor={}", "A".repeat(4000)),
        format!("{entries}?sort=created_at&cursor={cursor}"),
        format!("{}?cursor={cursor}", other.entries()),
        format!("/api/v1/forms?cursor={cursor}"),
    ] {
        assert_eq!(owner.get(&asked).to_string(), r#"400 {"error":"cursor is not valid for this list"}"#, "{asked}");
    }
    assert_eq!(owner.get(format!("{entries}?cursor={cursor}")).status, 200);
    // Another user's list of forms is another list, and so is one with another filter.
    owner.form(json!([field("short_text", json!({}))]));
    let forms = next(&owner.get("/api/v1/forms?page_size=1").json());
    for (caller, query) in [(&stranger, ""), (&owner, "&name=a"), (&owner, "&sort=updated_at")] {
        let asked = caller.get(format!("/api/v1/forms?cursor={forms}{query}"));
        assert_eq!(asked.status, 400, "{query}: {asked}");
    }
    assert_eq!(owner.get(format!("/api/v1/forms?cursor={forms}")).status, 200);
}

#[test]
fn nothing_is_skipped_or_doubled_while_entries_come_and_go() {
    let (owner, form) = filled(40);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (owner, form, is_over) = (&owner, &form, &is_over);
        let writer = scope.spawn(move || {
            // Entries 1 to 8 go, others come.
            let mut n = 0;
            while !is_over.load(Ordering::Relaxed) && n < 400 {
                n += 1;
                add(owner, form, n);
                if n <= 8 {
                    owner.delete(form.entry(i64::try_from(n).expect("small")));
                }
            }
        });
        for sort in ["serial_number", "-serial_number", "created_at", "-created_at", "updated_at", "-updated_at"] {
            let list = format!("{}?sort={sort}", form.entries());
            let seen = walk(owner, &list, "serial_number", 3, &|| ());
            let serials: Vec<i64> = seen.iter().filter_map(Value::as_i64).collect();
            let distinct: HashSet<i64> = serials.iter().copied().collect();
            assert_eq!(distinct.len(), serials.len(), "{sort}: a row came twice");
            for serial in 9..=40 {
                assert!(distinct.contains(&serial), "{sort}: {serial} was skipped");
            }
            let rising = serials.is_sorted();
            let falling = serials.iter().rev().is_sorted();
            assert!(if sort.starts_with('-') { falling } else { rising }, "{sort}");
        }
        is_over.store(true, Ordering::Relaxed);
        writer.join().expect("no panic");
    });
}

#[test]
fn the_row_that_a_cursor_names_may_go() {
    let (owner, form) = filled(6);
    for sort in ["serial_number", "updated_at"] {
        let list = format!("{}?sort={sort}", form.entries());
        let first = owner.get(format!("{list}&page_size=2")).json();
        let last = first["data"][1]["serial_number"].as_i64().expect("a number");
        owner.delete(form.entry(last));
        let second = owner.get(format!("{list}&page_size=2&cursor={}", next(&first))).json();
        assert_eq!(second["data"][0]["serial_number"], last + 1, "{sort}");
    }
}

#[test]
fn forms_are_walked_while_others_are_made_and_deleted() {
    let owner = Server::shared().user();
    let make = || owner.form(json!([field("short_text", json!({}))]));
    let kept: Vec<Form> = (0..12).map(|_| make()).collect();
    let going: Vec<Form> = (0..6).map(|_| make()).collect();
    for sort in ["created_at", "updated_at", "last_entry_created_at"] {
        let between = || {
            make();
            if let Some(form) = going.iter().find(|form| owner.get(form.path()).status == 200) {
                owner.delete(form.path());
            }
        };
        let list = format!("/api/v1/forms?sort={sort}");
        let seen = walk(&owner, &list, "token", 4, &between);
        let distinct: HashSet<&str> = seen.iter().filter_map(Value::as_str).collect();
        assert_eq!(distinct.len(), seen.len(), "{sort}: a form came twice");
        for form in &kept {
            assert!(distinct.contains(form.token.as_str()), "{sort}");
        }
    }
}

#[test]
fn forms_are_listed_newest_first_by_each_of_three_times() {
    let owner = Server::shared().user();
    let forms: Vec<Form> = (0..4).map(|_| owner.form(json!([field("short_text", json!({}))]))).collect();
    owner.patch(forms[1].path(), json!({"name": "changed"}));
    add(&owner, &forms[2], 1);
    add(&owner, &forms[0], 1);
    let order = |sort: &str, size| -> Vec<usize> {
        let list = format!("/api/v1/forms?sort={sort}");
        let tokens = walk(&owner, &list, "token", size, &|| ());
        tokens.iter().filter_map(|token| forms.iter().position(|form| *token == *form.token)).collect()
    };
    for size in [1, 3, 10] {
        assert_eq!(order("created_at", size), [3, 2, 1, 0]);
        assert_eq!(order("updated_at", size), [1, 3, 2, 0]);
        // Forms without entries come last.
        assert_eq!(order("last_entry_created_at", size)[..2], [0, 2]);
        assert_eq!(order("last_entry_created_at", size).len(), 4);
    }
}

/// Serials in the order of pages of a list that a body asks for.
fn queried(owner: &Caller, form: &Form, sort: &str, size: usize) -> Vec<i64> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    while all.len() < 100 {
        let body = json!({"sort": sort, "page_size": size, "cursor": cursor});
        let page = owner.post(format!("{}/query", form.entries()), body).json();
        let rows = page["data"].as_array().expect("rows").iter();
        all.extend(rows.map(|row| row["serial_number"].as_i64().expect("a number")));
        cursor = next(&page);
        if cursor.is_empty() {
            break;
        }
    }
    all
}

#[test]
fn gaps_between_serials_repeat_and_skip_nothing() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let entries = vec![json!({"field_values": {}}); 12];
    let made = owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
    assert_eq!(made.status, 201, "{made}");
    for serial in [4, 8, 9] {
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
    }
    let left = [1, 2, 3, 5, 6, 7, 10, 11, 12];
    let mut back = left;
    back.reverse();
    for size in [1, 2, 5] {
        for sort in ["serial_number", "created_at", "updated_at"] {
            assert_eq!(queried(&owner, &form, sort, size), left, "{sort} {size}");
            let down = format!("-{sort}");
            assert_eq!(queried(&owner, &form, &down, size), back, "{down} {size}");
        }
    }
    // Edited ones come last, by when they were.
    let change = json!({"field_values": {"field_1": "x"}});
    assert_eq!(owner.patch(form.entry(2), change).status, 200);
    for size in [1, 2, 5] {
        let edited = [1, 3, 5, 6, 7, 10, 11, 12, 2];
        assert_eq!(queried(&owner, &form, "updated_at", size), edited, "{size}");
    }
    let list = format!("/api/v1/forms/{}/trash/entries?sort=updated_at", form.token);
    let trashed = walk(&owner, &list, "serial_number", 1, &|| {});
    assert_eq!(trashed, [4, 8, 9]);
}

#[test]
fn what_says_nothing_of_the_rows_does_not_bind_a_cursor() {
    let (owner, form) = filled(3);
    let first = owner.get(format!("{}?page_size=1", form.entries())).json();
    let cursor = next(&first);
    for more in ["", "&fields=field_1", "&filters=[]", "&keyword=", "&page_size=2"] {
        let page = owner.get(format!("{}?cursor={cursor}{more}", form.entries()));
        assert_eq!(page.status, 200, "{more}: {page}");
    }
    for other in ["&sort=created_at", "&keyword=1"] {
        let page = owner.get(format!("{}?cursor={cursor}{other}", form.entries()));
        assert_eq!(page.status, 400, "{other}: {page}");
    }
}
