//! `/find`: forms, questions and entries by a typed text, each as far as the user's roles reach; and the user's
//! preferences for pages.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::store::database;
use support::{field, steps};

use super::{ALL, ANN, BOB, anns};

fn found(browser: &Session, query: &str) -> Vec<Value> {
    let answer = browser.get(&format!("/find?{query}")).is(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.header("content-type").starts_with("application/json"), "{answer}");
    answer.data().as_array().expect("a list").clone()
}

#[test]
fn forms_questions_and_entries_are_found_as_far_as_roles_reach() {
    let (server, ann) = anns();
    account(&server, BOB);
    let caller = server.token(ANN, ALL);
    let form = caller.form_with(json!({"name": "Summer <party>", "fields": [
        field("short_text", json!({"label": "Your ＴＯＷＮ"})), field("number", json!({"label": "Guests"}))]}));
    steps::add(&caller, &form, json!({"field_1": "Oddham"}));
    let gone = caller.form_with(json!({"name": "Summer school", "fields": [field("short_text", json!({}))]}));
    caller.delete(gone.path()).is(200);
    let of_form = |kind: &str, name: &str, rest: &str| json!({"kind": kind, "name": name, "url": format!("/forms/{}{rest}", form.token)});
    assert_eq!(found(&ann, "q=summer"), [of_form("form", "Summer <party>", "")]);
    assert_eq!(found(&ann, "q=+%EF%BC%B3UMMER+"), [of_form("form", "Summer <party>", "")]);
    assert_eq!(found(&ann, "q=town"), [] as [Value; 0]);
    let here = format!("form={}", form.token);
    let town = of_form("question", "Your ＴＯＷＮ", "/build?field=field_1");
    assert_eq!(found(&ann, &format!("q=town&{here}")), std::slice::from_ref(&town));
    let entry = of_form("entry", "Entry 1", "/entries/1");
    for text in ["%231", "%EF%BC%831", "%23+1"] {
        assert_eq!(found(&ann, &format!("q={text}&{here}")), std::slice::from_ref(&entry), "{text}");
    }
    for query in
        ["", "q=", "q=%231", &format!("q=%232&{here}"), &format!("q=%23x&{here}"), "q=nothing&form=nothinghere"]
    {
        assert_eq!(found(&ann, query), [] as [Value; 0], "{query}");
    }
    // A colleague without a role finds none of it, a viewer all.
    let bob = Session::on(&server).signed_in(BOB);
    for query in ["q=summer".to_owned(), format!("q=town&{here}"), format!("q=%231&{here}")] {
        assert_eq!(found(&bob, &query), [] as [Value; 0], "{query}");
    }
    share(&caller, &form, &server.token(BOB, "form:read"), "viewer");
    assert_eq!(found(&bob, &format!("q=town&{here}")), [town]);
    assert_eq!(found(&bob, &format!("q=%231&{here}")), [entry]);
    assert_eq!(found(&bob, "q=summer").len(), 1);
    for n in 1..=24 {
        caller.form_with(json!({"name": format!("Course {n}"), "fields": [field("short_text", json!({}))]}));
    }
    assert_eq!(found(&ann, "q=course").len(), 20);
    // What fits best comes first, however long ago it was changed; forms come before questions.
    let first = |query: &str| found(&ann, query).first().map(|it| it["name"].clone()).unwrap_or_default();
    assert_eq!(first("q=course+1"), "Course 1");
    caller.form_with(json!({"name": "A discourse", "fields": [field("short_text", json!({}))]}));
    assert!(first("q=course").as_str().is_some_and(|name| name.starts_with("Course ")));
    let guests = caller.form_with(json!({"name": "Our guests", "fields": [field("short_text", json!({}))]}));
    let kinds: Vec<Value> = found(&ann, &format!("q=guests&{here}")).iter().map(|it| it["kind"].clone()).collect();
    assert_eq!(kinds, ["form", "question"]);
    caller.delete(guests.path()).is(200);
    // Without a session a script is told so.
    let anon = server.anon();
    let refused = anon.header("accept", "application/json").get("/find?q=summer");
    assert_eq!(refused.status, 401, "{refused}");
    assert!(refused.json()["error"].is_string(), "{refused}");
    assert_eq!(anon.get("/find?q=summer").status, 303);
}

#[test]
fn pages_are_as_their_reader_likes_them() {
    let (server, ann) = anns();
    let caller = server.token(ANN, ALL);
    let form = caller.form(json!([field("short_text", json!({"label": "Town"}))]));
    let values: Vec<Value> = (1..=60).map(|n| json!({"field_1": format!("Town {n}")})).collect();
    steps::bulk(&caller, &form, &values);
    let list = format!("/forms/{}/entries", form.token);
    let rows = || ann.get(&list).is(200).text.matches("scope=\"row\"").count();
    assert_eq!(rows(), 50);
    ann.get("/profile").has(["name=\"letter_keys\"", "checked"]).lacks(["data-no-letters", "console compact"]);
    ann.get("/profile");
    let liked = [("rows", "25"), ("density", "compact"), ("first_tab", "report")];
    ann.post("/profile/preferences", &liked).leads_to("/profile?done=preferences");
    ann.get("/profile?done=preferences").has(["Saved", "data-no-letters", "console compact"]);
    assert_eq!(rows(), 25);
    // A form opens on the page that was chosen.
    let home = format!("/forms/{}", form.token);
    ann.get(&home).leads_to(&format!("{home}/report"));
    ann.get("/profile").has(["<option value=\"report\" selected>Report</option>"]);
    ann.get(&list).has(["Keys of one letter are off"]);
    ann.get("/profile");
    let liked = [("letter_keys", "on"), ("rows", "100"), ("density", "comfortable"), ("first_tab", "fitting")];
    ann.post("/profile/preferences", &liked).leads();
    ann.get(&home).leads_to(&format!("{home}/entries"));
    ann.get("/profile");
    ann.post("/profile/preferences", &[&liked[..3], &[("first_tab", "build")]].concat()).leads();
    ann.get(&home).leads_to(&format!("{home}/build"));
    assert_eq!(rows(), 60);
    ann.get(&list).lacks(["Keys of one letter are off", "data-no-letters"]);
    ann.get("/profile");
    ann.post("/profile/preferences", &[("rows", "26"), ("density", "comfortable"), ("first_tab", "x")]).is(422);
    // Programs learn nothing of it.
    assert_eq!(caller.get("/api/v1/me").data().get("preferences"), None);
    // Values of an older or newer program count as the default.
    database(&server.dir).execute("UPDATE users SET preferences = '{\"rows\": \"x\"}'", []).expect("an update");
    assert_eq!(rows(), 50);
}
