//! The form's page, without a script: the waiting list at `/f/{form_token}/entries/{entry_token}/waiting`, and holds
//! kept from page to page.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::{Caller, Form, Response, Server, field, steps};

use super::assert_counted;

/// A name, a page on, a meal of which there is one pie, a page on, and a word.
fn dinner(owner: &Caller, settings: Value) -> Form {
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        {"type": "page_break"},
        field("radio", json!({"label": "Meal", "choices": [
            {"api_code": "pie", "label": "Pie", "quota": 1}, {"api_code": "soup", "label": "Soup"}]})),
        {"type": "page_break"},
        field("short_text", json!({"label": "Word"})),
    ]));
    steps::set(owner, &form, settings);
    form
}

const MEAL: &str = "field_3";
const PIE: &str = "name=\"field_3\" value=\"pie\"";

fn pie_of(page: &Response) -> &str {
    let (_, rest) = page.text.split_once("<input type=\"radio\"").expect("a choice");
    rest.split_once("</label>").expect("its end").0
}

/// Presses a button of a page on which the meal was chosen.
fn press(caller: &Caller, form: &Form, action: &str, meal: &str, extra: &[(&str, &str)]) -> Response {
    let mut pairs = vec![("_action", action), ("field_1", "Ada"), (MEAL, meal)];
    pairs.extend(extra);
    caller.post_form(form.page(), &pairs)
}

fn position(owner: &Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).data()["waiting_position"].clone()
}

/// The address of a way on a page that has this in it.
fn link(page: &Response, part: &str) -> Option<String> {
    let links = page.text.split("href=\"").skip(1);
    let mut links = links.filter_map(|rest| rest.split('"').next());
    links.find(|link| link.contains(part)).map(|link| link.replace("&amp;", "&"))
}

#[test]
fn whoever_finds_no_room_may_join_the_waiting_list() {
    let server = Server::alone("doctor counts all of it");
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(
        &owner,
        json!({"capacity": {"waiting_list": true},
        "after_submission": {"mode": "redirect", "redirect": {"enabled": true, "url": "https://example.com/"}}}),
    );
    let first = press(&anon, &form, "submit", "pie", &[]);
    assert_eq!(first.status, 303, "{first}");
    // A full choice can be chosen, and says so.
    let page = anon.get(form.page());
    assert!(page.text.contains(PIE), "{page}");
    assert!(pie_of(&page).contains("Join the waiting list") && !pie_of(&page).contains("disabled"), "{page}");
    // Nobody gets on the list unasked. It is a question, and no fault; the typed values go along unseen.
    let refused = press(&anon, &form, "submit", "pie", &[]);
    assert_eq!(refused.status, 409, "{refused}");
    for said in [
        "<title>This choice is full. Join the waiting list?</title>",
        "<h2>This choice is full. Join the waiting list?</h2>",
        "<li dir=\"auto\">Meal</li>",
        "name=\"_action\" value=\"wait\">Join the waiting list<",
        "name=\"_action\" value=\"more\"",
        "#field_3\">Choose something else<",
        "<div hidden><section",
    ] {
        assert!(refused.text.contains(said), "{said}: {refused}");
    }
    for fault in ["class=\"fault\"", "id=\"summary\"", "aria-invalid", "id=\"forward\"", "class=\"enter\""] {
        assert!(!refused.text.contains(fault), "{fault}: {refused}");
    }
    // Back on the page, its button names its effect; with another choice it submits again.
    let back = press(&anon, &form, "more", "pie", &[("_page", "2")]);
    assert_eq!(back.status, 200, "{back}");
    for said in ["value=\"wait\" data-texts", ">Join the waiting list</button>", ">What you chose is full. "] {
        assert!(back.text.contains(said), "{said}: {back}");
    }
    // The script leaves the button as it is.
    let is_told = |page: &Response| {
        let tag = page.text.split_once(" id=\"form\"").expect("a form").1;
        tag.split('>').next().expect("its tag").contains(" data-waits")
    };
    assert!(is_told(&back), "{back}");
    let other = press(&anon, &form, "more", "soup", &[("_page", "2")]);
    assert!(!is_told(&other), "{other}");
    assert!(
        other.text.contains("value=\"submit\" data-texts") && !other.text.contains(">What you chose is full"),
        "{other}"
    );
    // The script gets the answer, and nothing is a fault.
    let check = press(&anon.header("accept", "application/json"), &form, "check", "pie", &[]).json();
    assert_eq!((&check["waits"], &check["faults"]), (&json!(true), &json!([])), "{check}");
    assert_eq!(owner.get(form.entry(2)).status, 404);
    let once = hidden(&refused, "_once");
    let joined = press(&anon, &form, "wait", "pie", &[("_once", &once)]);
    assert_eq!(joined.status, 303, "{joined}");
    assert_eq!(position(&owner, &form, 2), 1);
    // The same press twice is one entry.
    let again = press(&anon, &form, "wait", "pie", &[("_once", &once)]);
    assert_eq!(again.header("location"), joined.header("location"));
    assert_eq!(owner.get(form.entry(3)).status, 404);
    let receipt = anon.get(joined.header("location"));
    for said in ["You are on the waiting list", "You are number 1 on the waiting list."] {
        assert!(receipt.text.contains(said), "{said}: {receipt}");
    }
    assert!(!receipt.text.contains("https://example.com/"), "nothing leads away: {receipt}");
    let leave = link(&receipt, "/waiting?").expect("a way to leave");
    // Moved up, the same address thanks, and there is nothing to leave.
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    let receipt = anon.get(joined.header("location"));
    assert!(!receipt.text.contains("waiting list"), "{receipt}");
    let question = anon.get(&leave);
    assert!(question.text.contains("You are not on the waiting list"), "{question}");
    let late = anon.post_form(&leave, &[("_action", "submit")]);
    assert_eq!(late.status, 303, "{late}");
    assert_eq!(position(&owner, &form, 2), Value::Null, "it stays");
    assert_counted(&server);
}

#[test]
fn who_has_room_does_not_wait_and_where_there_is_no_list_nobody_does() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"waiting_list": true}}));
    assert_eq!(press(&anon, &form, "wait", "pie", &[]).status, 303);
    assert_eq!(position(&owner, &form, 1), Value::Null);
    steps::set(&owner, &form, json!({"capacity": {"waiting_list": false}}));
    let page = anon.get(form.page());
    assert!(pie_of(&page).contains("disabled") && !page.text.contains("waiting list"), "{page}");
    let check = press(&anon.header("accept", "application/json"), &form, "check", "soup", &[]).json();
    assert_eq!(check.get("waits"), None, "{check}");
    for action in ["submit", "wait"] {
        let refused = press(&anon, &form, action, "pie", &[]);
        assert_eq!(refused.status, 409, "{refused}");
        assert!(!refused.text.contains("waiting list"), "{refused}");
    }
}

#[test]
fn the_waiting_list_is_left_after_a_question() {
    let server = Server::alone("doctor counts all of it");
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"waiting_list": true}}));
    press(&anon, &form, "submit", "pie", &[]);
    let joined = press(&anon, &form, "wait", "pie", &[]);
    let leave = link(&anon.get(joined.header("location")), "/waiting?").expect("a way to leave");
    let question = anon.get(&leave);
    assert_eq!(question.status, 200, "{question}");
    for said in ["Leave the waiting list?", "Stay on the waiting list"] {
        assert!(question.text.contains(said), "{said}: {question}");
    }
    assert_eq!(position(&owner, &form, 2), 1, "a question changes nothing");
    // The right to the entry is asked for, and a closed form lets everybody go.
    let stranger = leave.split('?').next().unwrap_or_default();
    assert_eq!(anon.get(stranger).status, 404);
    assert_eq!(anon.post_form(stranger, &[("_action", "submit")]).status, 404);
    steps::set(&owner, &form, json!({"availability": {"is_open": false}}));
    let left = anon.post_form(&leave, &[("_action", "submit")]);
    assert_eq!(left.status, 303, "{left}");
    assert_eq!(owner.get(form.entry(2)).status, 404);
    for receipt in [left.header("location"), joined.header("location")] {
        let said = anon.get(receipt);
        assert!(said.text.contains("You have left the waiting list"), "{said}");
        assert!(!said.text.contains("Your entry number"), "the number of an entry that is gone: {said}");
    }
    assert_counted(&server);
}

#[test]
fn what_is_chosen_is_kept_from_page_to_page() {
    let server = Server::alone("doctor counts all of it");
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"hold_minutes": 10}}));
    let first = press(&anon, &form, "next", "", &[("_page", "0")]);
    assert_eq!(hidden(&first, "_hold"), "", "nothing was chosen");
    let last = press(&anon, &form, "next", "pie", &[("_page", "1")]);
    assert_eq!(last.status, 200, "{last}");
    let hold = hidden(&last, "_hold");
    assert!(hold.len() == 22 && last.text.contains("is reserved until"), "{last}");
    let cookie = last.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    assert_eq!(cookie, format!("formsvc_hold={hold}"));
    // Others find it taken, also on opening the page now; its holder does not, also on a new page.
    let others = server.anon();
    let page = others.get(form.page());
    assert!(pie_of(&page).contains("Full") && pie_of(&page).contains("disabled"), "{page}");
    assert_eq!(press(&others, &form, "submit", "pie", &[]).status, 409);
    let late = press(&others, &form, "next", "pie", &[("_page", "1")]);
    assert_eq!(late.status, 409, "{late}");
    let again = anon.header("cookie", &cookie).get(form.page());
    assert!(pie_of(&again).contains("1 left") && again.text.contains("is reserved until"), "{again}");
    // Another choice frees it, the old one takes it again.
    let soup = press(&anon, &form, "next", "soup", &[("_page", "1"), ("_hold", &hold)]);
    assert!(!soup.text.contains("is reserved until"), "{soup}");
    assert!(pie_of(&others.get(form.page())).contains("1 left"));
    let pie = press(&anon, &form, "next", "pie", &[("_page", "1")]);
    let hold = hidden(&pie, "_hold");
    let sent = press(&anon, &form, "submit", "pie", &[("_page", "2"), ("_hold", &hold)]);
    assert_eq!(sent.status, 303, "{sent}");
    assert!(sent.header("set-cookie").starts_with("formsvc_hold=;"), "{sent}");
    assert_counted(&server);
}

#[test]
fn the_script_is_told_what_is_kept_and_what_is_full() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"hold_minutes": 10}}));
    let script = |meal: &str, extra: &[(&str, &str)]| {
        let anon = anon.header("accept", "application/json");
        let found = press(&anon, &form, "check", meal, extra);
        assert_eq!(found.status, 200, "{found}");
        found.json()
    };
    assert_eq!(script("soup", &[])["hold"], Value::Null);
    let held = script("pie", &[]);
    assert_eq!(held["hold"]["own"], json!({"field_3": {"pie": 1}}), "{held}");
    assert_eq!((&held["full"], &held["faults"]), (&json!([]), &json!([])));
    let token = held["hold"]["token"].as_str().expect("a token").to_owned();
    let kept = script("pie", &[("_hold", &token)]);
    assert_eq!(kept["hold"], held["hold"], "it is the same, with the same end");
    let other = script("pie", &[]);
    assert_eq!((&other["full"], &other["hold"]), (&json!(["field_3"]), &Value::Null), "{other}");
    assert_eq!(other["faults"][0]["field"], "field_3", "{other}");
    // One that is not there any more is no fault.
    assert_eq!(script("soup", &[("_hold", &token)])["hold"], Value::Null);
    assert_eq!(script("pie", &[("_hold", &token)])["hold"]["own"], json!({"field_3": {"pie": 1}}));
    // Where the settings say nothing of it, nothing is kept or told.
    steps::set(&owner, &form, json!({"capacity": {"hold_minutes": 0}}));
    assert_eq!(script("soup", &[]).get("hold"), None);
}

#[test]
fn whoever_may_wait_goes_on_without_a_hold() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"hold_minutes": 10, "waiting_list": true}}));
    press(&anon, &form, "submit", "pie", &[]);
    let on = press(&anon, &form, "next", "pie", &[("_page", "1")]);
    assert_eq!(on.status, 200, "{on}");
    assert_eq!((hidden(&on, "_page").as_str(), hidden(&on, "_hold").as_str()), ("2", ""));
    assert!(on.text.contains(">Join the waiting list</button>"), "{on}");
    assert_eq!(press(&anon, &form, "submit", "pie", &[("_page", "2")]).status, 409);
    assert_eq!(press(&anon, &form, "wait", "pie", &[("_page", "2")]).status, 303);
    assert_eq!(position(&owner, &form, 2), 1);
}

#[test]
fn more_holds_than_an_address_may_have_stop_nobody() {
    let server = Server::alone("doctor counts all of it");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("radio", json!({"choices": [{"api_code": "pie", "label": "Pie", "quota": 7}]})),
        {"type": "page_break"},
        field("short_text", json!({})),
    ]));
    steps::set(&owner, &form, json!({"capacity": {"hold_minutes": 10}}));
    for place in 1..=6 {
        let pairs = [("_action", "next"), ("_page", "0"), ("field_1", "pie")];
        let on = anon.post_form(form.page(), &pairs);
        assert_eq!((on.status, hidden(&on, "_page").as_str()), (200, "1"), "{on}");
        assert_eq!(hidden(&on, "_hold").is_empty(), place == 6, "{place}");
    }
    assert_counted(&server);
}

#[test]
fn who_waits_has_neither_code_nor_certificate() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(
        &owner,
        json!({"capacity": {"waiting_list": true}, "verification_code": {"enabled": true, "length": 8},
            "certificate": {"enabled": true, "title": "Ticket", "body": "For {{field_1}}"}}),
    );
    press(&anon, &form, "submit", "pie", &[]);
    let joined = press(&anon, &form, "wait", "pie", &[]);
    let entry = owner.get(form.entry(2)).data();
    assert_eq!(entry["x_field_certificate"], Value::Null, "{entry}");
    let code = entry["gen_code"].as_str().expect("a code").to_owned();
    let receipt = || anon.get(joined.header("location"));
    assert!(!receipt().text.contains(&code), "{}", receipt());
    let verify = || {
        let asks = anon.header("accept", "application/json");
        asks.get(format!("/f/{}/verify?code={code}", form.token)).data()["valid"].clone()
    };
    assert_eq!(verify(), false);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(verify(), true);
    assert!(receipt().text.contains(&code), "{}", receipt());
    assert!(owner.get(form.entry(2)).data()["x_field_certificate"]["url"].is_string());
}

/// A box of pies and a word, a page each.
fn bakery(owner: &Caller) -> Form {
    let form = owner.form(json!([
        field("product", json!({"goods_items": [{"api_code": "pie", "name": "Pie", "price": 3, "stock": 10}]})),
        {"type": "page_break"},
        field("short_text", json!({})),
    ]));
    steps::set(owner, &form, json!({"capacity": {"hold_minutes": 10}}));
    form
}

const PIE_NAMED: (&str, &str) = ("field_1[0].api_code", "pie");
const NOT_KEPT: &str = "Your place isn’t reserved while you fill in the form. You can still submit it.";

#[test]
fn a_page_goes_on_without_a_hold_and_says_so() {
    let server = Server::alone("doctor counts all of it");
    let (owner, anon) = (server.user(), server.anon());
    let pies = |form: &Form, action: &str, number: &str, hold: &str| {
        let pairs = [("_action", action), ("_page", "0"), ("_hold", hold), PIE_NAMED, ("field_1[0].number", number)];
        anon.post_form(form.page(), &pairs)
    };
    // More than half of the rest.
    let form = bakery(&owner);
    let on = pies(&form, "next", "6", "");
    assert_eq!((on.status, hidden(&on, "_page").as_str(), hidden(&on, "_hold").as_str()), (200, "1", ""), "{on}");
    assert!(on.text.contains(NOT_KEPT), "{on}");
    assert_eq!(pies(&form, "submit", "6", "").status, 303);
    // After two that were let go: by another choice, and by none.
    let form = bakery(&owner);
    for _ in 0..2 {
        let on = pies(&form, "next", "2", "");
        let hold = hidden(&on, "_hold");
        assert!(!hold.is_empty() && on.text.contains("is reserved until"), "{on}");
        let none = pies(&form, "next", "", &hold);
        assert_eq!(hidden(&none, "_hold"), "", "{none}");
        assert!(!none.text.contains(NOT_KEPT), "nothing was chosen: {none}");
    }
    let on = pies(&form, "next", "2", "");
    assert_eq!((on.status, hidden(&on, "_page").as_str(), hidden(&on, "_hold").as_str()), (200, "1", ""), "{on}");
    assert!(on.text.contains(NOT_KEPT), "{on}");
    assert_eq!(pies(&form, "submit", "2", "").status, 303);
    assert_counted(&server);
}

#[test]
fn the_script_is_told_that_nothing_is_kept() {
    let server = Server::shared();
    let owner = server.user();
    let form = bakery(&owner);
    let script = server.anon().header("accept", "application/json");
    let check = |number: &str, hold: &str| {
        let pairs = [("_action", "check"), ("_hold", hold), PIE_NAMED, ("field_1[0].number", number)];
        script.post_form(form.page(), &pairs).is(200).json()
    };
    let none = check("6", "");
    assert_eq!((&none["hold"], &none["held"]), (&Value::Null, &json!(NOT_KEPT)), "{none}");
    assert_eq!((&none["full"], &none["faults"]), (&json!([]), &json!([])), "{none}");
    let some = check("5", "");
    assert_eq!(some["hold"]["own"], json!({"field_1": {"pie": 5}}), "{some}");
    assert!(some["held"].as_str().is_some_and(|text| text.contains("is reserved until")), "{some}");
    let nothing = check("", "");
    assert_eq!((&nothing["hold"], &nothing["held"]), (&Value::Null, &json!("")), "{nothing}");
}

#[test]
fn the_page_says_that_a_network_has_all_its_places_in_the_waiting_list() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = dinner(&owner, json!({"capacity": {"waiting_list": true}}));
    press(&anon, &form, "submit", "pie", &[]);
    for _ in 0..20 {
        assert_eq!(press(&anon, &form, "wait", "pie", &[]).status, 303);
    }
    let refused = press(&anon, &form, "wait", "pie", &[]);
    assert_eq!(refused.status, 409, "{refused}");
    assert!(refused.text.contains("The waiting list takes no more from your network"), "{refused}");
    assert!(refused.text.contains("value=\"Ada\""), "what was typed is still there: {refused}");
}
