//! Field rules at work on the page of a form, as a browser without a script uses it.

use serde_json::json;
use support::form_page::hidden;
use support::world::World;
use support::{Form, Response, Server, field};

use crate::forms::rules::simple;
use crate::forms::{entry, formula, has, line, set_rules};

/// The post of a page by a browser without a script: the fields and where to go.
fn post(form: &Form, page: &str, action: &str, hidden: &str, fields: &[(&str, &str)]) -> Response {
    let mut pairs = vec![("_page", page), ("_action", action), ("_hidden", hidden)];
    pairs.extend(fields);
    Server::shared().anon().post_form(form.page(), &pairs)
}

fn is_hidden(page: &Response, code: &str) -> bool {
    let rest = page.text.split(&format!("data-field=\"{code}\"")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no {code}: {page}"));
    rest.trim_start().starts_with("hidden")
}

#[test]
fn round_trip_shows_what_became_visible() {
    let server = Server::shared();
    let owner = server.user();
    let form = simple(&owner);
    set_rules(&owner, &form, &["show 3: 1 eq a", "show 4: 1 eq b"]);
    let first = server.anon().get(form.page());
    assert_eq!(hidden(&first, "_hidden"), "field_3 field_4");
    assert!(is_hidden(&first, "field_3") && !is_hidden(&first, "field_2"), "{first}");
    // New questions are shown before anything is stored, with the faults and all typed values.
    let typed = [("field_1", "a"), ("field_2", "kept"), ("field_4", "typed before")];
    let again = post(&form, "0", "submit", "field_3 field_4", &typed).is(422);
    for part in ["There are more questions", "id=\"field_3-fault\"", "value=\"kept\"", "value=\"typed before\""] {
        assert!(again.text.contains(part), "{part}: {again}");
    }
    assert_eq!((&*hidden(&again, "_hidden"), is_hidden(&again, "field_3")), ("field_4", false), "{again}");
    // Also where it need not be answered.
    let optional = post(&form, "0", "submit", "field_3 field_4", &[("field_1", "b"), ("field_4", "")]).is(422);
    assert!(optional.text.contains("There are more questions") && !optional.text.contains("-fault\""), "{optional}");
    // Shown questions are stored, hidden ones are not.
    post(&form, "0", "submit", "field_4", &[typed[0], typed[1], typed[2], ("field_3", "3")]).is(303);
    has(&entry(&owner, &form, 1), json!({"field_3": "3", "field_4": null}));
    // Others may post without the page, and are taken at their word.
    server.anon().post_form(form.page(), &[("field_1", "b"), ("field_4", "4")]).is(303);
}

#[test]
fn pages_without_a_question_are_passed_over() {
    let World { owner, form, .. } = World::with(json!([
        line(),
        {"type": "page_break"},
        field("short_text", json!({"required": true})),
        {"type": "description", "label": "d", "content": "<p>Only for those who are asked.</p>"},
        {"type": "page_break"},
        line(),
        line(),
    ]));
    set_rules(&owner, &form, &["show 3 4: 1 eq more", "hide 6 7: 1 eq less", "show 7: 6 not_null"]);
    let to = |page: &str, action: &str, first: &str, hidden: &str| {
        post(&form, page, action, hidden, &[("field_1", first), ("field_3", "3")])
    };
    for (page, action, first, unseen, expected) in [
        ("0", "next", "x", "field_3 field_4 field_7", (200, "2")),
        ("0", "next", "more", "field_3 field_4 field_7", (200, "1")),
        ("2", "back", "x", "field_3 field_4 field_7", (200, "0")),
        ("2", "back", "more", "field_7", (200, "1")),
        // Answers that bring pages back show them first.
        ("0", "submit", "x", "field_3 field_4 field_6 field_7", (422, "2")),
    ] {
        let answer = to(page, action, first, unseen);
        assert_eq!((answer.status, &*hidden(&answer, "_page")), expected, "{action} on {page} of {first}: {answer}");
    }
    // Without a question behind it, a page is the last one.
    let last = to("1", "back", "less", "field_3 field_4 field_6 field_7");
    assert!(last.text.contains("value=\"submit\"") && !last.text.contains("value=\"next\""), "{last}");
    to("0", "submit", "less", "field_3 field_4 field_6 field_7").is(303);
    // A question that appears on the page itself holds it back.
    let held = post(&form, "2", "next", "field_3 field_4 field_7", &[("field_1", "x"), ("field_6", "6")]).is(422);
    assert_eq!((&*hidden(&held, "_page"), is_hidden(&held, "field_7")), ("2", false), "{held}");
}

#[test]
fn marks_and_outputs_follow_the_answers() {
    let World { owner, anon, form, .. } =
        World::with(json!([field("number", json!({})), line(), formula("field_1 * 1.1", "number")]));
    set_rules(&owner, &form, &["require 2: 1 gt 5"]);
    let fresh = anon.get(form.page());
    assert!(fresh.text.contains("data-mark=\"required\" hidden>(required)"), "{fresh}");
    assert!(fresh.text.contains("<output"), "{fresh}");
    let faulty = post(&form, "0", "submit", "", &[("field_1", "6")]).is(422);
    assert!(faulty.text.contains("data-mark=\"required\">(required)"), "{faulty}");
    assert!(faulty.text.contains(">6.6</output>"), "{faulty}");
    let script = anon.header("Accept", "application/json");
    let asked = script.post_form(form.page(), &[("_page", "0"), ("_action", "check"), ("field_1", "0.2")]);
    has(&asked.json(), json!({"hidden": [], "outputs": {"field_3": "0.22"}}));
}
