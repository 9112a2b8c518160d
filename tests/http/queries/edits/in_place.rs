//! "Each result has a form below it, which is open at once where a search finds a single one" (handbook).

use serde_json::{Value, json};
use support::form_page::hidden;
use support::{Caller, Form, Response, Server, field};

use crate::queries::edits::action;
use crate::queries::{Query, all_of, body, condition, fill, links, shown};

struct Case {
    owner: Caller,
    form: Form,
    query: Query,
}

/// Entries of one town, and of another one alone.
fn case_on(server: &Server) -> Case {
    let owner = server.user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field("short_text", json!({"label": "Town"})),
        field("number", json!({"label": "Age", "max": 120})),
        field("email", json!({"label": "Email"})),
    ]));
    let entry = |name: &str, town: &str, age: i64| json!({"field_1": name, "field_2": town, "field_3": age, "field_4": "jane@example.com"});
    fill(&owner, &form, &[entry("Adèle", "York", 36), entry("Bo", "York", 40), entry("Cy", "Hull", 50)]);
    let rules = json!([
        {"field": "field_1"}, {"field": "field_2", "editable": true}, {"field": "field_3", "editable": true},
        {"field": "field_4", "editable": true, "protected": true}]);
    let query = Query::new(&owner, body(&form, all_of(&["field_2"]), rules));
    Case { owner, form, query }
}

fn case() -> Case {
    case_on(Server::shared())
}

impl Case {
    fn page(&self, search: &str) -> Response {
        self.query.anon().get(self.query.page() + search).is(200)
    }

    fn stored(&self, serial: i64) -> Value {
        self.owner.get(self.form.entry(serial)).data()
    }

    fn token(&self, serial: i64) -> String {
        let stored = self.stored(serial);
        stored["token"].as_str().expect("a token").to_owned()
    }

    fn patch(&self, change: Value) {
        self.query.change(&self.owner, change);
    }
}

fn post(caller: &Caller, page: &Response, pairs: &[(&str, &str)]) -> Response {
    let right = hidden(page, "edit_token");
    let mut all = vec![("edit_token", right.as_str())];
    all.extend(pairs);
    caller.post_form(action(page), &all)
}

/// Ids that stand twice in a page.
fn twice(page: &Response) -> Vec<String> {
    let ids = page.text.split(" id=\"").skip(1);
    let mut ids: Vec<String> = ids.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
    ids.sort();
    let again = ids.windows(2).filter(|pair| pair[0] == pair[1]);
    again.map(|pair| pair[0].clone()).collect()
}

#[test]
fn each_row_links_to_its_form() {
    let case = case();
    let page = case.page("?field_2=York");
    assert!(!page.text.contains("name=\"edit_token\""), "{page}");
    let edits: Vec<String> = links(&page).into_iter().filter(|link| link.ends_with("#edit")).collect();
    let (bo, ada) = (case.token(2), case.token(1));
    let expected = [&bo, &ada].map(|token| format!("{}?field_2=York&edit={token}#edit", case.query.page()));
    assert_eq!(edits, expected);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    assert_eq!(twice(&page), [""; 0], "{page}");
    page.has([
        "<h3 id=\"edit-title\">Change your registration<span class=\"visually-hidden\">: <bdi>Adèle</bdi></span></h3>",
        "id=\"edit\" tabindex=\"-1\" aria-labelledby=\"edit-title\"",
        "<td role=\"cell\" colspan=\"5\">",
        "id=\"search-field_2\" name=\"field_2\" type=\"text\" value=\"York\"",
        "id=\"field_2\"",
        "value=\"j***@example.com\"",
        ">2 results</h2>",
    ]);
    // Right below its row, and the other row has its link.
    let place = |text: &str| page.text.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("id=\"row-1\"") < place("id=\"edit\"") && place(">Bo<") < place("id=\"row-1\""));
    assert!(page.text.contains("id=\"edit-0\"") && !page.text.contains("id=\"edit-1\""));
    assert!(links(&page).contains(&format!("{}?field_2=York#results", case.query.page())));
    // Of an entry that the search doesn't find there is no form.
    for other in [case.token(3), "nothing".to_owned(), String::new()] {
        let page = case.page(&format!("?field_2=York&edit={other}"));
        assert!(!page.text.contains("name=\"edit_token\""), "{page}");
        assert!(!page.text.contains(">Cy<"), "{page}");
    }
}

#[test]
fn the_form_of_the_only_result_is_open_at_once() {
    let case = case();
    let page = case.page("?field_2=Hull");
    assert!(page.text.contains(">: <bdi>Cy</bdi></span></h3>"), "{page}");
    assert!(action(&page).contains("&in=results"), "{page}");
    assert!(!page.text.contains(">Cancel<"), "{page}");
    // Where nothing may be edited, there is none.
    case.patch(json!({"display_field_rules": [{"field": "field_1"}]}));
    let page = case.page("?field_2=Hull");
    assert!(!page.text.contains("id=\"edit\"") && !page.text.contains("#edit"), "{page}");
}

#[test]
fn fields_left_out_of_a_post_stay_unless_it_is_the_pages() {
    let case = case();
    let anon = case.query.anon();
    let ada = case.token(1);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    post(&anon, &page, &[("field_3", "37")]).is(303);
    let stored = case.stored(1);
    assert_eq!(
        [&stored["field_2"], &stored["field_3"], &stored["field_4"]],
        [&json!("York"), &json!(37), &json!("jane@example.com")]
    );
    // Also where it is refused: the form shows the stored values.
    let refused = post(&anon, &page, &[("field_3", "x")]).is(422);
    assert!(refused.text.contains("value=\"York\""), "{refused}");
    // A post of nothing changes nothing.
    post(&anon, &page, &[]).is(303);
    assert_eq!(case.stored(1), stored);
    // The page marks a post as its own: a missing control was cleared, such as ticks.
    assert!(page.text.contains("<input type=\"hidden\" name=\"_page\" value=\"0\">"), "{page}");
    post(&anon, &page, &[("_page", "0"), ("field_2", "York"), ("field_3", "38")]).is(303);
    let stored = case.stored(1);
    assert_eq!(
        [&stored["field_2"], &stored["field_3"], &stored["field_4"]],
        [&json!("York"), &json!(38), &Value::Null]
    );
}

#[test]
fn saved_edits_stand_in_the_results() {
    let case = case();
    let anon = case.query.anon();
    let ada = case.token(1);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    let typed = [("field_2", "York"), ("field_3", "37"), ("field_4", "j***@example.com")];
    let saved = post(&anon, &page, &typed).is(303);
    let next = saved.header("location").to_owned();
    assert_eq!(next, format!("{}?field_2=York&saved={ada}#saved", case.query.page()));
    let next = anon.get(next.trim_end_matches("#saved")).is(200);
    next.has(["id=\"saved\" tabindex=\"-1\"", "<h2>Saved</h2>", "shows your changes", ">37<", ">2 results</h2>"]);
    assert!(!next.text.contains("name=\"edit_token\""), "{next}");
    assert_eq!(twice(&next), [""; 0], "{next}");
    let stored = case.stored(1);
    assert_eq!([&stored["field_3"], &stored["field_4"]], [&json!(37), &json!("jane@example.com")]);
    // An entry that the search no longer finds was saved all the same.
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    let saved = post(&anon, &page, &[("field_2", "Leeds"), ("field_3", "37"), ("field_4", "j***@example.com")]).is(303);
    let next = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(next.text.contains("<h2>Saved</h2>") && next.text.contains("no longer in this list"), "{next}");
    assert!(next.text.contains(">1 result</h2>") && !next.text.contains("Adèle"), "{next}");
    assert_eq!(case.stored(1)["field_2"], "Leeds");
    // And where it was the only one.
    let page = case.page("?field_2=Leeds");
    let saved = post(&anon, &page, &[("field_2", "Bath"), ("field_3", "37"), ("field_4", "j***@example.com")]);
    let next = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(next.text.contains("No results") && next.text.contains("no longer in this list"), "{next}");
}

#[test]
fn edits_stay_on_their_page_of_results() {
    let case = case();
    let many: Vec<Value> =
        (0..25).map(|i| json!({"field_1": format!("N{i}."), "field_2": "Rye", "field_3": i})).collect();
    fill(&case.owner, &case.form, &many);
    let anon = case.query.anon();
    let first = case.page("?field_2=Rye");
    let next = links(&first).into_iter().find(|link| link.contains("cursor="));
    let next = next.expect("a next page");
    let second = anon.get(next.trim_end_matches("#results"));
    let edit = links(&second).into_iter().find(|link| link.ends_with("#edit"));
    let edit = edit.expect("an edit link");
    assert!(edit.contains("&cursor="), "{edit}");
    let page = anon.get(edit.trim_end_matches("#edit"));
    let wrong = post(&anon, &page, &[("field_2", "Rye"), ("field_3", "121")]).is(422);
    assert!(wrong.text.contains(">25 results</h2>") && wrong.text.contains("N0."), "{wrong}");
    let saved = post(&anon, &wrong, &[("field_2", "Rye"), ("field_3", "120")]).is(303);
    let back = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(back.text.contains("<h2>Saved</h2>") && back.text.contains(">120<"), "{back}");
    assert!(back.text.contains("N0.") && !back.text.contains("N24."), "{back}");
}

#[test]
fn faults_are_told_at_the_row_and_keep_what_was_typed() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page(&format!("?field_2=York&edit={}", case.token(1)));
    let wrong =
        post(&anon, &page, &[("field_2", "Elsewhere"), ("field_3", "many"), ("field_4", "j***@example.com")]).is(422);
    wrong.has([
        "<title>Error: Look up</title>",
        "id=\"summary\" tabindex=\"-1\" autofocus",
        "href=\"#field_3\"",
        "id=\"field_3-fault\"",
        "value=\"many\"",
        "value=\"Elsewhere\"",
        ">2 results</h2>",
        ">Bo<",
        "id=\"search-field_2\" name=\"field_2\" type=\"text\" value=\"York\"",
    ]);
    assert_eq!(twice(&wrong), [""; 0], "{wrong}");
    assert_eq!(case.stored(1)["field_2"], "York");
    // A right of another row opens nothing, nor does none.
    let other = hidden(&case.page(&format!("?field_2=York&edit={}", case.token(2))), "edit_token");
    for wrong in [other.as_str(), "", "1.x"] {
        anon.post_form(action(&page), &[("edit_token", wrong), ("field_2", "Eve")]).is(404);
    }
    let altered = action(&page).replace("signature=", "signature=x");
    anon.post_form(altered, &[("edit_token", hidden(&page, "edit_token").as_str())]).is(403);
}

#[test]
fn an_outdated_mask_is_refused() {
    let case = case();
    let page = case.page("?field_2=Hull");
    assert!(page.text.contains("value=\"j***@example.com\""), "{page}");
    let email = json!({"field_values": {"field_4": "zoe@example.org"}});
    case.owner.patch(case.form.entry(3), email).is(200);
    let who = case.query.anon();
    let typed = |mask| [("field_2", "Hull"), ("field_3", "51"), ("field_4", mask)];
    let refused = post(&who, &page, &typed("j***@example.com")).is(422);
    assert!(refused.text.contains("id=\"field_4-fault\""), "{refused}");
    assert!(refused.text.contains("value=\"z***@example.org\""), "{refused}");
    assert!(refused.text.contains("value=\"51\""), "{refused}");
    // It can be left unchanged.
    post(&who, &refused, &typed("z***@example.org")).is(303);
    let stored = case.stored(3);
    assert_eq!((&stored["field_3"], &stored["field_4"]), (&json!(51), &json!("zoe@example.org")));
}

#[test]
fn full_choices_are_told_at_the_row() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field(
            "radio",
            json!({"label": "Course", "choices": [
            {"label": "Rowing", "api_code": "row", "quota": 1}, {"label": "Chess", "api_code": "chess"}]})
        ),
    ]));
    fill(&owner, &form, &[json!({"field_1": "Adèle", "field_2": "row"}), json!({"field_1": "Bo", "field_2": "chess"})]);
    let mut rules = shown(&["field_1", "field_2"]);
    rules[1]["editable"] = json!(true);
    let query = Query::new(&owner, body(&form, all_of(&["field_1"]), rules));
    let anon = query.anon();
    let page = anon.get(query.page() + "?field_1=Bo");
    let full = post(&anon, &page, &[("field_2", "row")]).is(409);
    assert!(full.text.contains("id=\"field_2-fault\"") && full.text.contains(">1 result</h2>"), "{full}");
    assert!(full.text.contains("<h3 id=\"edit-title\">"), "{full}");
}

#[test]
fn editing_too_fast_keeps_what_was_typed() {
    let server = Server::with(&["--limit-searches", "2"]);
    let case = case_on(&server);
    let anon = case.query.anon();
    let page = case.page(&format!("?field_2=York&edit={}", case.token(1)));
    let typed = [("field_2", "York"), ("field_3", "130"), ("field_4", "eve@example.com")];
    post(&anon, &page, &typed).is(422);
    // The address names another search by now: that runs no more.
    let moved = action(&page).replace("field_2=York", "field_2=Hull");
    let right = hidden(&page, "edit_token");
    let mut pairs = vec![("edit_token", right.as_str())];
    pairs.extend(typed);
    for path in [action(&page), moved] {
        let refused = anon.post_form(&path, &pairs).is(429);
        assert_ne!(refused.header("retry-after"), "", "{refused}");
        refused.has([
            "Your changes aren’t saved yet",
            "value=\"130\"",
            "value=\"eve@example.com\"",
            "The result you’re editing",
            "Show all results",
        ]);
        assert!(!refused.text.contains(">Bo<") && !refused.text.contains(">Cy<"), "{refused}");
    }
    // The notice of a save is shown even after the searches ran out.
    let next = anon.get(format!("{}?field_2=York&saved=x", case.query.page())).is(429);
    assert!(next.text.contains("Your changes were saved."), "{next}");
    // Room for more, too, costs a search.
    let more: Vec<(&str, &str)> = pairs.iter().copied().chain([("_action", "more")]).collect();
    let drawn = anon.post_form(action(&page), &more).is(200);
    assert!(!drawn.text.contains(">Bo<") && drawn.text.contains("value=\"130\""), "{drawn}");
    assert_eq!(case.stored(1)["field_3"], json!(36));
}

#[test]
fn rows_gone_meanwhile_are_not_found() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page("?field_2=Hull");
    case.patch(json!({"scope_conditions": [condition("field_3", "lt", json!(45))]}));
    let gone = post(&anon, &page, &[("field_2", "Hull"), ("field_3", "51")]).is(404);
    assert!(gone.text.contains("No longer available"), "{gone}");
    case.patch(json!({"enabled": false}));
    let off = post(&anon, &page, &[("field_2", "Hull"), ("field_3", "51")]).is(403);
    assert!(off.text.contains("This search is switched off"), "{off}");
    assert_eq!(case.stored(3)["field_3"], json!(50));
}
