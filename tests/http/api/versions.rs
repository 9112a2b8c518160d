//! ETags: the changes that give new ones, and the reads and writes that compare them (contract section 1).

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

fn made() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({})), field("short_text", json!({}))]));
    (owner, form)
}

/// The readable parts of a form that have a version of their own, an entry among them.
fn parts(form: &Form) -> [String; 5] {
    [
        form.path(),
        format!("{}/settings", form.path()),
        format!("{}/theme", form.path()),
        format!("{}/field_rules", form.path()),
        form.entry(1),
    ]
}

fn tags(owner: &Caller, form: &Form) -> [String; 5] {
    parts(form).map(|path| {
        let tag = owner.get(&path).header("etag").to_owned();
        assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{path}: {tag}");
        tag
    })
}

/// The texts of the parts, without counters.
fn bodies(owner: &Caller, form: &Form) -> [String; 5] {
    parts(form).map(|path| {
        let mut body = owner.get(&path).data();
        for counted in ["entries_count", "last_entry_created_at"] {
            if let Some(value) = body.get_mut(counted) {
                *value = json!(null);
            }
        }
        body.to_string()
    })
}

fn entry(value: &str) -> Value {
    json!({"field_values": {"field_1": value}})
}

/// The parts whose tags have changed.
fn changed(before: &[String; 5], after: &[String; 5]) -> Vec<&'static str> {
    ["form", "settings", "theme", "field_rules", "entry"]
        .into_iter()
        .zip(before.iter().zip(after))
        .filter(|(_, (before, after))| before != after)
        .map(|(part, _)| part)
        .collect()
}

#[test]
fn each_part_has_a_version_of_its_own() {
    let (owner, form) = made();
    assert_eq!(owner.post(form.entries(), entry("a")).status, 201);
    let rule = json!({"rules": [{
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "x"}]},
        "action": "show",
        "fields": ["field_2"],
    }]});
    let [path, settings, theme, rules, first] = parts(&form);
    type Act<'a> = &'a dyn Fn() -> u16;
    let acts: [(&[&str], Act); 9] = [
        (&["form"], &|| owner.patch(&path, json!({"name": "b"})).status),
        (&["settings"], &|| owner.patch(&settings, json!({"availability": {"show_countdown": true}})).status),
        (&["theme"], &|| owner.patch(&theme, json!({"font": "mono"})).status),
        (&["field_rules"], &|| owner.put(&rules, rule.clone()).status),
        (&["entry"], &|| owner.patch(&first, entry("b")).status),
        // Counters change no version.
        (&[], &|| owner.post(form.entries(), entry("c")).status - 1),
        (&[], &|| owner.delete(form.entry(2)).status),
        // The locale is in the form and in its settings.
        (&["form", "settings"], &|| owner.patch(&path, json!({"locale": "de"})).status),
        (&["form", "settings"], &|| owner.patch(&settings, json!({"timezone": "Asia/Tokyo"})).status),
    ];
    for (number, (expected, act)) in acts.into_iter().enumerate() {
        let (before, texts) = (tags(&owner, &form), bodies(&owner, &form));
        assert_eq!(act(), 200, "act {number}");
        let (after, now) = (tags(&owner, &form), bodies(&owner, &form));
        assert_eq!(changed(&before, &after), expected, "act {number}");
        // The same tag means the same text.
        assert_eq!(changed(&texts, &now), expected, "act {number}");
    }
}

#[test]
fn a_rule_of_a_removed_field_changes_the_rules_too() {
    let (owner, form) = made();
    let rules = format!("{}/field_rules", form.path());
    let rule = json!({"rules": [{
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "not_null"}]},
        "action": "hide",
        "fields": ["field_2"],
    }]});
    let before = owner.put(&rules, rule).header("etag").to_owned();
    let fields = json!({"fields": [{"api_code": "field_1", "type": "short_text", "label": "a"}]});
    assert_eq!(owner.patch(form.path(), fields).status, 200);
    let after = owner.header("If-None-Match", &before).get(&rules);
    assert_eq!(after.to_string(), r#"200 {"data":{"rules":[]}}"#);
}

#[test]
fn what_a_reader_has_is_not_sent_again() {
    let (owner, form) = made();
    owner.post(form.entries(), entry("a"));
    for path in parts(&form) {
        let tag = owner.get(&path).header("etag").to_owned();
        let asked = |tags: &str| {
            let answer = owner.header("If-None-Match", tags).get(&path);
            assert_eq!(answer.header("etag"), tag, "{path} {tags}");
            (answer.status, answer.text.is_empty())
        };
        for tags in
            [tag.clone(), format!("W/{tag}"), format!("\"a\", {tag}"), format!("\"a\",W/{tag} , \"b\""), "*".to_owned()]
        {
            assert_eq!(asked(&tags), (304, true), "{path} {tags}");
        }
        for tags in ["\"a\"", "W/\"a\", \"b\"", "nonsense", ""] {
            assert_eq!(asked(tags), (200, false), "{path} {tags}");
        }
        let head = owner.header("If-None-Match", &tag).send("HEAD", &path, None, b"");
        assert_eq!(head.status, 304);
    }
}

#[test]
fn a_write_with_an_old_version_changes_nothing() {
    let (owner, form) = made();
    owner.post(form.entries(), entry("a"));
    let [path, settings, theme, rules, first] = parts(&form);
    let writes: [(&str, &str, Value); 5] = [
        ("PATCH", &path, json!({"name": "b"})),
        ("PATCH", &settings, json!({"availability": {"show_countdown": true}})),
        ("PATCH", &theme, json!({"font": "mono"})),
        ("PUT", &rules, json!({"rules": []})),
        ("PATCH", &first, entry("b")),
    ];
    for (method, path, body) in writes {
        let write = |caller: &Caller| {
            let body = body.to_string();
            caller.send(method, path, Some("application/json"), body.as_bytes())
        };
        let read = owner.get(path);
        let tag = read.header("etag");
        for odd in ["\"old\"".to_owned(), "\"a\", \"b\"".to_owned(), format!("W/{tag}")] {
            let refused = write(&owner.header("If-Match", &odd));
            assert_eq!(refused.status, 412, "{path} {odd}: {refused}");
            assert_eq!(refused.json()["code"], "version_conflict");
        }
        assert_eq!(owner.get(path).text, read.text, "{path}");
        let done = write(&owner.header("If-Match", &format!("\"a\", {tag}")));
        assert_eq!(done.status, 200, "{path}: {done}");
        assert_ne!(done.header("etag"), tag, "{path}");
        assert_eq!(done.header("etag"), owner.get(path).header("etag"), "{path}");
        assert_eq!(write(&owner.header("If-Match", tag)).status, 412, "{path}");
        assert_eq!(write(&owner.header("If-Match", "*")).status, 200, "{path}");
        // Without it, the last write wins.
        assert_eq!(write(&owner).status, 200, "{path}");
    }
    let old = owner.header("If-Match", "\"old\"");
    assert_eq!([old.delete(&first).status, old.delete(&path).status], [412, 412]);
    let tag = owner.get(&path).header("etag").to_owned();
    assert_eq!(owner.header("If-Match", &tag).delete(&path).status, 200);
}

#[test]
fn an_if_match_that_is_no_list_is_refused() {
    let (owner, form) = made();
    for odd in ["nonsense", "\"a", "\"a\" \"b\"", "*, \"a\"", "\u{e9}"] {
        let refused = owner.header("If-Match", odd).patch(form.path(), json!({"name": "b"}));
        assert_eq!(refused.status, 400, "{odd}: {refused}");
    }
    assert_eq!(owner.get(form.path()).data()["name"], "A form");
}

#[test]
fn of_two_writers_of_one_version_one_wins() {
    let (owner, form) = made();
    owner.post(form.entries(), entry("a"));
    for path in [form.path(), form.entry(1), format!("{}/settings", form.path())] {
        let tag = owner.get(&path).header("etag").to_owned();
        let statuses = support::at_once(8, |n| {
            let body = json!({
                "name": format!("{n}"), "field_values": {"field_1": format!("{n}")},
                "certificate": {"title": format!("{n}")},
            });
            owner.header("If-Match", &tag).patch(&path, body).status
        });
        let won = statuses.iter().filter(|status| **status == 200).count();
        let lost = statuses.iter().filter(|status| **status == 412).count();
        assert_eq!((won, lost), (1, 7), "{path}: {statuses:?}");
    }
}
