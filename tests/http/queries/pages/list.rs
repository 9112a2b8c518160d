//! The list of a form's queries: made from a name, switched on and off, deleted, by managers alone.

use serde_json::json;
use support::{field, until};

use super::desk;
use crate::queries::PATH;

#[test]
fn a_name_makes_a_query_that_works() {
    let desk = desk();
    desk.browser
        .get(&format!("/forms/{}/share", desk.form.token))
        .is(200)
        .has(["Let people look up their entry", "Am I registered?"]);
    let blank = desk.browser.post(&desk.list(), &[("name", " ")]).is(422);
    blank.has(["Fill in this field"]);
    let made = desk.browser.post_on(&desk.list(), &[("name", "Find <me>")]);
    made.has(["The page is on", "Find &lt;me&gt;", "/q/"]);
    let all = desk.owner.get(format!("{PATH}?form_token={}", desk.form.token)).json();
    let query = &all["data"][0];
    // Found by visitors' own data, the address first; other personal data is masked.
    let codes = |list: &serde_json::Value| {
        let items = list.as_array().expect("a list").iter();
        items.map(|it| it["field"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&query["search_field_rules"][0]["fields"]), ["field_2", "field_1"]);
    assert_eq!(codes(&query["display_field_rules"]), ["field_1", "field_2", "field_3", "field_4"]);
    support::steps::add(&desk.owner, &desk.form, json!({"field_1": "Ada", "field_2": "ada@example.org"}));
    let found = format!("/q/{}?field_1=Ada&field_2=ada@example.org", query["token"].as_str().expect("a token"));
    desk.server.anon().get(&found).is(200).has(["Ada"]);
    // A form without anything personal begins with its first question that can be searched.
    let plain = desk.owner.form(json!([field("number", json!({"label": "Order"})), field("rating", json!({}))]));
    let path = format!("/forms/{}/queries", plain.token);
    desk.browser.get(&path).is(200).has(["Give the first one a name"]);
    desk.browser.post(&path, &[("name", "Orders")]).leads();
    let all = desk.owner.get(format!("{PATH}?form_token={}", plain.token)).json();
    assert_eq!(codes(&all["data"][0]["search_field_rules"][0]["fields"]), ["field_1"]);
}

#[test]
fn a_query_is_switched_off_seen_in_its_frame_and_deleted() {
    let desk = desk();
    let page = desk.browser.get(&desk.page()).is(200);
    page.has([&*format!("src=\"/q/{}\"", desk.query), "Searches 0 entries", "Switch off"]);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("frame-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    let public = format!("/q/{}", desk.query);
    let seen = desk.server.anon().get(&public).is(200);
    assert!(seen.header("content-security-policy").contains("frame-ancestors 'self'"), "{:?}", seen.headers);
    let off = desk.browser.post_on(&desk.switch(), &[("enabled", "false")]);
    off.has(["The page is switched off", "Switch on", "Switched off"]).lacks(["<iframe"]);
    desk.server.anon().get(&public).is(403);
    let on = desk.browser.post_on(&desk.switch(), &[("enabled", "true")]);
    on.has(["The page is on", "<iframe"]);
    // Over the plan, the list shows its limit.
    desk.plan("free");
    desk.browser.get(&desk.list()).is(200).has(["Searches 0 of the 1000 entries", "0 searches"]);
    desk.plan("unlimited");
    let asked = desk.browser.get(&desk.deletion()).is(200);
    asked.has(["Delete the public query", "Its link stops working at once"]);
    desk.browser.post_on(&desk.deletion(), &[]).has(["The public query is deleted"]);
    desk.server.anon().get(&public).is(404);
    desk.browser.get(&desk.page()).is(404);
}

#[test]
fn what_managers_try_is_not_counted() {
    let desk = desk();
    let public = format!("/q/{}", desk.query);
    let tried = desk.server.anon().header("sec-fetch-dest", "iframe");
    tried.get(&public).is(200);
    tried.get(format!("{public}?field_2=ada@example.org")).is(200);
    // The last count shows that all before it was looked at.
    desk.server.anon().get(&public).is(200);
    until("a view is counted", || desk.stored()["views_count"] != 0);
    let stored = desk.stored();
    assert_eq!((&stored["views_count"], &stored["searches_count"]), (&json!(1), &json!(0)));
}

#[test]
fn managers_alone_see_queries() {
    let desk = desk();
    let pages = [desk.list(), desk.page(), desk.deletion()];
    let parts = ["search", "shows", "only", "page"].map(|part| desk.part(part));
    let others = [desk.list(), desk.switch(), desk.picture(), desk.no_picture(), desk.deletion()];
    let acts: Vec<String> = parts.into_iter().chain(others).collect();
    let before = desk.stored();
    let share = format!("/forms/{}/share", desk.form.token);
    for (role, status) in [("", 404), ("viewer", 403), ("editor", 403)] {
        let bob = if role.is_empty() {
            support::session::Session::on(&desk.server).signed_in(super::BOB)
        } else {
            desk.share(role)
        };
        for page in &pages {
            bob.get(page).is_for(status, role);
        }
        if status == 403 {
            bob.get(&share).is(200).lacks(["Let people look up their entry", "/queries"]);
        }
        for act in &acts {
            bob.post(act, &[("name", "Mine"), ("enabled", "false")]).is_for(status, (role, act));
        }
    }
    assert_eq!(desk.stored(), before);
    let bob = desk.share("manager");
    bob.get(&desk.page()).is(200);
    // A query of another form has no page below this one.
    let other = desk.owner.form(json!([field("short_text", json!({}))]));
    desk.browser.get(&format!("/forms/{}/queries/{}", other.token, desk.query)).is(404);
}
