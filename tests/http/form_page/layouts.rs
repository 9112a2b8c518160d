//! The layouts of the form's page and their options: one question at a time, numbers, progress, answers kept in the
//! browser.

use super::*;

/// The cards of a page, and those of them that are shown.
fn cards(page: &Response) -> (usize, Vec<usize>) {
    let sections: Vec<&str> = page.text.split("<section").skip(1).collect();
    let is_shown = |text: &str| !text.split('>').next().unwrap_or_default().contains(" hidden");
    (sections.len(), (0..sections.len()).filter(|at| is_shown(sections[*at])).collect())
}

/// Asserts the status of an answer, and which card it shows.
#[track_caller]
fn shows(page: Response, status: u16, card: usize) -> Response {
    assert_eq!((page.status, cards(&page).1), (status, vec![card]), "{page}");
    page
}

fn card_form() -> World {
    World::of(json!({"name": "One by one", "layout": "card", "description": "It takes a minute.", "fields": [
        {"type": "description", "label": "Before we begin", "content": "<p>Nothing here is graded.</p>"},
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "long_text", "label": "Story"},
        {"type": "page_break", "next_text": "Now the numbers", "previous_text": "To the story"},
        {"type": "number", "label": "Years", "min": 3},
        {"type": "description", "label": "The end", "content": "<p>That was all.</p>"},
    ]}))
}

#[test]
fn cards_are_pages_without_a_script() {
    let w = card_form();
    let first = shows(w.page(), 200, 0);
    assert_eq!(cards(&first).0, 3, "{first}");
    first.has(["class=\"cards\"", "card.js", ">1 of 3</span>"]);
    // Enter presses the first button of all, whatever buttons a question has.
    let form = first.text.split_once("<form").map_or("", |(_, form)| form);
    let button = form.split("<button").nth(1).unwrap_or_default();
    assert!(button.starts_with(r#" class="enter" name="_action" value="next""#), "{first}");
    let go = |page: &str, action: &str, years: &str| {
        let typed = [("field_2", "Ada"), ("field_3", "Long\nago"), ("field_5", years)];
        w.post(&[&[("_page", page), ("_action", action)], &typed[..]].concat())
    };
    shows(w.post(&[("_page", "0"), ("_action", "next")]), 422, 0);
    // The head steps back, and round trips keep everything.
    shows(go("0", "next", "2"), 200, 1).has(["form-head later", ">Now the numbers</button>"]);
    shows(go("1", "next", "2"), 200, 2).has([">To the story</button>", "That was all"]);
    shows(go("2", "back", "2"), 200, 1).has(["value=\"Ada\"", "Long\nago</textarea>", "value=\"2\""]);
    shows(go("2", "submit", "2"), 422, 2);
    go("2", "submit", "4").is(303);
    // The same form by pages: no data changes.
    w.owner.patch(w.form.path(), json!({"layout": "classic"})).is(200);
    let classic = w.page();
    assert_eq!(cards(&classic), (2, vec![0]), "{classic}");
    classic.lacks(["card.js"]);
    assert_eq!(w.newest()["field_3"], "Long\nago");
}

#[test]
fn cards_that_rules_hide_are_passed_over() {
    let fields = fields(json!([{"short_text": {}}, {"short_text": {}}, {"short_text": {}}]));
    let w = World::of(json!({"name": "Short ways", "layout": "card", "fields": fields}));
    set_rules(&w.owner, &w.form, json!([rule("field_1", "long", "show", "field_2")]));
    let go = |page: &str, action: &str, way: &str| {
        let known = if way == "long" { "" } else { "field_2" };
        w.post(&[("_page", page), ("_action", action), ("_hidden", known), ("field_1", way), ("field_2", "within")])
    };
    for (page, action, way, card) in
        [("0", "next", "short", 2), ("2", "back", "short", 0), ("0", "next", "long", 1), ("2", "back", "long", 1)]
    {
        let answer = go(page, action, way);
        assert_eq!(cards(&answer).1, [card], "{action} from {page}, the {way} way: {answer}");
    }
    go("2", "submit", "short").is(303);
    assert_eq!(w.newest()["field_2"], json!(null));
}

#[test]
fn options_show_numbers_and_how_far_one_has_come() {
    let w = asking(json!([
        {"short_text": {"default_value": "x"}}, {"checkbox": {"choices": [{"label": "A"}]}},
        {"description": {"content": "<p>x</p>"}}, {"number": {}}
    ]));
    let options = json!({"submission_options": {"show_progress": true, "show_field_number": true}});
    w.page().lacks(["<progress", "class=\"number\""]);
    set(&w.owner, &w.form, options.clone());
    let page = w.page();
    page.has([r#"max="3" value="1""#, "1 of 3 answered", "progress.js"]);
    let numbers: Vec<&str> = page.text.split("class=\"number\">").skip(1).map(|rest| &rest[..2]).collect();
    assert_eq!(numbers, ["1.", "2.", "3."], "{page}");
    let paged = card_form();
    let label = r#"<span role="status">1 of 3</span>"#;
    // Cards have the bar always.
    paged.page().has([label, r#"max="3" value="1""#]);
    set(&paged.owner, &paged.form, options);
    paged.page().has([label, r#"max="3" value="1""#]);
}

#[test]
fn what_is_kept_in_the_browser_is_said_and_bounded() {
    let w = World::with(one_line(json!({"required": true})));
    let token = w.form.token.as_str();
    let keep = format!("data-keep=\"{token}\"");
    // A script that is late keeps nothing from being drawn.
    let said = "stays on this device until you send it";
    w.page().has([&*keep, "data-fresh", said, "data-modules=\"keep.js"]).lacks(["blocking="]);
    // The last typed values are on the page itself.
    w.post(&[("_page", "0")]).has(["data-keep"]).lacks(["data-fresh"]);
    // A change of the form keeps the name: each answer comes back whose question still has its type.
    set_part(&w.owner, &w.form, "theme", json!({"primary_color": "#00AA55"}));
    w.page().has([&keep]);
    let fields = json!({"fields": [{"type": "short_text", "label": "Another"}], "confirm_data_loss": true});
    w.owner.patch(w.form.path(), fields).is(200);
    w.page().has([&*keep, r#"data-field="field_2" data-type="short_text""#]);
    w.anon.get(w.post(&[("field_2", "x")]).leads()).has([&*format!("data-sent=\"{token}\""), "keep.js"]);
    // Never in another site's page, and never behind a password.
    let framed = w.anon.get(format!("{}?embed=1", w.form.page()));
    framed.lacks(["data-keep", "keep.js", "saved on this device"]);
    set(&w.owner, &w.form, password("open sesame"));
    let opened = w.post(&[("_action", "open"), ("_password", "open sesame")]).is(200);
    opened.lacks(["data-keep", "keep.js"]);
}
