//! Rows edited in place, in the results of the page: the form below its row, and what comes of a post.

use serde_json::{Value, json};

use crate::public_queries::{Query, all_of, body, condition, fill, links, shown};
use crate::support::{Caller, Form, Response, Server, field};

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
    fill(&owner, &form, &[entry("Ada", "York", 36), entry("Bo", "York", 40), entry("Cy", "Hull", 50)]);
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
        let page = self.query.anon().get(self.query.page() + search);
        assert_eq!(page.status, 200, "{page}");
        page
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

/// Where the form of a page posts to.
fn action(page: &Response) -> String {
    let form = page.text.split("<form id=\"form\" method=\"post\" action=\"");
    let action = form.clone().nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(form.count(), 2, "one form: {page}");
    action.expect("a form").replace("&amp;", "&")
}

fn right(page: &Response) -> String {
    let input = page.text.split("name=\"edit_token\" value=\"").nth(1);
    let right = input.and_then(|rest| rest.split('"').next());
    right.expect("a right").to_owned()
}

fn post(caller: &Caller, page: &Response, pairs: &[(&str, &str)]) -> Response {
    let right = right(page);
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
fn each_row_has_a_link_that_draws_its_form_below_it() {
    let case = case();
    let page = case.page("?field_2=York");
    assert!(!page.text.contains("name=\"edit_token\""), "{page}");
    let edits: Vec<String> = links(&page).into_iter().filter(|link| link.ends_with("#edit")).collect();
    let (bo, ada) = (case.token(2), case.token(1));
    let expected = [&bo, &ada].map(|token| format!("{}?field_2=York&edit={token}#edit", case.query.page()));
    assert_eq!(edits, expected);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    assert_eq!(twice(&page), [""; 0], "{page}");
    for text in [
        "<h3 id=\"edit-title\">Edit <bdi>Ada</bdi></h3>",
        "id=\"edit\" tabindex=\"-1\" aria-labelledby=\"edit-title\"",
        "<td role=\"cell\" colspan=\"5\">",
        "id=\"search-field_2\" name=\"field_2\" type=\"text\" value=\"York\"",
        "id=\"field_2\"",
        "value=\"j***@example.com\"",
        ">2 results</h2>",
    ] {
        assert!(page.text.contains(text), "{text}: {page}");
    }
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
fn the_form_of_the_only_result_is_there_at_once() {
    let case = case();
    let page = case.page("?field_2=Hull");
    assert!(page.text.contains(">Edit <bdi>Cy</bdi></h3>"), "{page}");
    assert!(action(&page).contains("&in=results"), "{page}");
    assert!(!page.text.contains(">Cancel<"), "{page}");
    // Where nothing may be edited, there is none.
    case.patch(json!({"display_field_rules": [{"field": "field_1"}]}));
    let page = case.page("?field_2=Hull");
    assert!(!page.text.contains("id=\"edit\"") && !page.text.contains("#edit"), "{page}");
}

#[test]
fn a_post_that_leaves_fields_out_leaves_them_as_they_are_unless_it_is_the_pages() {
    let case = case();
    let anon = case.query.anon();
    let ada = case.token(1);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    let saved = post(&anon, &page, &[("field_3", "37")]);
    assert_eq!(saved.status, 303, "{saved}");
    let stored = case.stored(1);
    assert_eq!(
        [&stored["field_2"], &stored["field_3"], &stored["field_4"]],
        [&json!("York"), &json!(37), &json!("jane@example.com")]
    );
    // Also where it is refused: the form shows what is stored.
    let refused = post(&anon, &page, &[("field_3", "x")]);
    assert_eq!(refused.status, 422, "{refused}");
    assert!(refused.text.contains("value=\"York\""), "{refused}");
    // A post of nothing changes nothing.
    let saved = post(&anon, &page, &[]);
    assert_eq!(saved.status, 303, "{saved}");
    assert_eq!(case.stored(1), stored);
    // The page says that a post is its own: what it does not bring was cleared, such as ticks.
    assert!(page.text.contains("<input type=\"hidden\" name=\"_page\" value=\"0\">"), "{page}");
    let saved = post(&anon, &page, &[("_page", "0"), ("field_2", "York"), ("field_3", "38")]);
    assert_eq!(saved.status, 303, "{saved}");
    let stored = case.stored(1);
    assert_eq!(
        [&stored["field_2"], &stored["field_3"], &stored["field_4"]],
        [&json!("York"), &json!(38), &Value::Null]
    );
}

#[test]
fn what_is_saved_stands_in_the_results_again() {
    let case = case();
    let anon = case.query.anon();
    let ada = case.token(1);
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    let typed = [("field_2", "York"), ("field_3", "37"), ("field_4", "j***@example.com")];
    let saved = post(&anon, &page, &typed);
    assert_eq!(saved.status, 303, "{saved}");
    let next = saved.header("location").to_owned();
    assert_eq!(next, format!("{}?field_2=York&saved={ada}#saved", case.query.page()));
    let next = anon.get(next.trim_end_matches("#saved"));
    assert_eq!(next.status, 200, "{next}");
    for text in ["id=\"saved\" tabindex=\"-1\"", "<h2>Saved</h2>", "shows your changes", ">37<", ">2 results</h2>"] {
        assert!(next.text.contains(text), "{text}: {next}");
    }
    assert!(!next.text.contains("name=\"edit_token\""), "{next}");
    assert_eq!(twice(&next), [""; 0], "{next}");
    let stored = case.stored(1);
    assert_eq!([&stored["field_3"], &stored["field_4"]], [&json!(37), &json!("jane@example.com")]);
    // An entry that the search no longer finds was saved all the same.
    let page = case.page(&format!("?field_2=York&edit={ada}"));
    let saved = post(&anon, &page, &[("field_2", "Leeds"), ("field_3", "37"), ("field_4", "j***@example.com")]);
    assert_eq!(saved.status, 303, "{saved}");
    let next = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(next.text.contains("<h2>Saved</h2>") && next.text.contains("no longer in this list"), "{next}");
    assert!(next.text.contains(">1 result</h2>") && !next.text.contains("Ada"), "{next}");
    assert_eq!(case.stored(1)["field_2"], "Leeds");
    // And where it was the only one.
    let page = case.page("?field_2=Leeds");
    let saved = post(&anon, &page, &[("field_2", "Bath"), ("field_3", "37"), ("field_4", "j***@example.com")]);
    let next = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(next.text.contains("No results") && next.text.contains("no longer in this list"), "{next}");
}

#[test]
fn the_page_of_results_stays_the_one_that_it_was() {
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
    let wrong = post(&anon, &page, &[("field_2", "Rye"), ("field_3", "121")]);
    assert_eq!(wrong.status, 422, "{wrong}");
    assert!(wrong.text.contains(">25 results</h2>") && wrong.text.contains("N0."), "{wrong}");
    let saved = post(&anon, &wrong, &[("field_2", "Rye"), ("field_3", "120")]);
    assert_eq!(saved.status, 303, "{saved}");
    let back = anon.get(saved.header("location").trim_end_matches("#saved"));
    assert!(back.text.contains("<h2>Saved</h2>") && back.text.contains(">120<"), "{back}");
    assert!(back.text.contains("N0.") && !back.text.contains("N24."), "{back}");
}

#[test]
fn what_is_wrong_is_told_at_the_row_with_all_that_was_typed() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page(&format!("?field_2=York&edit={}", case.token(1)));
    let wrong = post(&anon, &page, &[("field_2", "Elsewhere"), ("field_3", "many"), ("field_4", "j***@example.com")]);
    assert_eq!(wrong.status, 422, "{wrong}");
    for text in [
        "<title>Error: Look up</title>",
        "id=\"summary\" tabindex=\"-1\" autofocus",
        "href=\"#field_3\"",
        "id=\"field_3-fault\"",
        "value=\"many\"",
        "value=\"Elsewhere\"",
        ">2 results</h2>",
        ">Bo<",
        "id=\"search-field_2\" name=\"field_2\" type=\"text\" value=\"York\"",
    ] {
        assert!(wrong.text.contains(text), "{text}: {wrong}");
    }
    assert_eq!(twice(&wrong), [""; 0], "{wrong}");
    assert_eq!(case.stored(1)["field_2"], "York");
    // A right of another row opens nothing, nor does none.
    let other = right(&case.page(&format!("?field_2=York&edit={}", case.token(2))));
    for wrong in [other.as_str(), "", "1.x"] {
        let refused = anon.post_form(action(&page), &[("edit_token", wrong), ("field_2", "Eve")]);
        assert_eq!(refused.status, 404, "{refused}");
    }
    let altered = action(&page).replace("signature=", "signature=x");
    let refused = anon.post_form(altered, &[("edit_token", right(&page).as_str())]);
    assert_eq!(refused.status, 403, "{refused}");
}

#[test]
fn a_mask_of_an_older_value_gives_way_to_the_one_of_today() {
    let case = case();
    let page = case.page("?field_2=Hull");
    assert!(page.text.contains("value=\"j***@example.com\""), "{page}");
    let email = json!({"field_values": {"field_4": "zoe@example.org"}});
    assert_eq!(case.owner.patch(case.form.entry(3), email).status, 200);
    let who = case.query.anon();
    let typed = |mask| [("field_2", "Hull"), ("field_3", "51"), ("field_4", mask)];
    let refused = post(&who, &page, &typed("j***@example.com"));
    assert_eq!(refused.status, 422, "{refused}");
    assert!(refused.text.contains("id=\"field_4-fault\""), "{refused}");
    assert!(refused.text.contains("value=\"z***@example.org\""), "{refused}");
    assert!(refused.text.contains("value=\"51\""), "{refused}");
    // It can be left as it is now.
    let saved = post(&who, &refused, &typed("z***@example.org"));
    assert_eq!(saved.status, 303, "{saved}");
    let stored = case.stored(3);
    assert_eq!((&stored["field_3"], &stored["field_4"]), (&json!(51), &json!("zoe@example.org")));
}

#[test]
fn where_there_is_no_room_the_row_says_so() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field(
            "radio",
            json!({"label": "Course", "choices": [
            {"label": "Rowing", "api_code": "row", "quota": 1}, {"label": "Chess", "api_code": "chess"}]})
        ),
    ]));
    fill(&owner, &form, &[json!({"field_1": "Ada", "field_2": "row"}), json!({"field_1": "Bo", "field_2": "chess"})]);
    let mut rules = shown(&["field_1", "field_2"]);
    rules[1]["editable"] = json!(true);
    let query = Query::new(&owner, body(&form, all_of(&["field_1"]), rules));
    let anon = query.anon();
    let page = anon.get(query.page() + "?field_1=Bo");
    let full = post(&anon, &page, &[("field_2", "row")]);
    assert_eq!(full.status, 409, "{full}");
    assert!(full.text.contains("id=\"field_2-fault\"") && full.text.contains(">1 result</h2>"), "{full}");
    assert!(full.text.contains("<h3 id=\"edit-title\">"), "{full}");
}

#[test]
fn whoever_edits_too_fast_keeps_what_was_typed_and_searches_nothing() {
    let server = Server::with(&["--limit-searches", "2"]);
    let case = case_on(&server);
    let anon = case.query.anon();
    let page = case.page(&format!("?field_2=York&edit={}", case.token(1)));
    let typed = [("field_2", "York"), ("field_3", "130"), ("field_4", "eve@example.com")];
    assert_eq!(post(&anon, &page, &typed).status, 422);
    // The address names another search by now: that runs no more.
    let moved = action(&page).replace("field_2=York", "field_2=Hull");
    let right = right(&page);
    let mut pairs = vec![("edit_token", right.as_str())];
    pairs.extend(typed);
    for path in [action(&page), moved] {
        let refused = anon.post_form(&path, &pairs);
        assert_eq!(refused.status, 429, "{refused}");
        assert_ne!(refused.header("retry-after"), "", "{refused}");
        for text in [
            "Your changes aren’t saved yet",
            "value=\"130\"",
            "value=\"eve@example.com\"",
            "The result you’re editing",
            "Show all results",
        ] {
            assert!(refused.text.contains(text), "{text}: {refused}");
        }
        assert!(!refused.text.contains(">Bo<") && !refused.text.contains(">Cy<"), "{refused}");
    }
    // What was saved before the searches ran out is said all the same.
    let next = anon.get(format!("{}?field_2=York&saved=x", case.query.page()));
    assert_eq!(next.status, 429, "{next}");
    assert!(next.text.contains("Your changes were saved."), "{next}");
    // Room for more, too, costs a search.
    let more: Vec<(&str, &str)> = pairs.iter().copied().chain([("_action", "more")]).collect();
    let drawn = anon.post_form(action(&page), &more);
    assert_eq!(drawn.status, 200, "{drawn}");
    assert!(!drawn.text.contains(">Bo<") && drawn.text.contains("value=\"130\""), "{drawn}");
    assert_eq!(case.stored(1)["field_3"], json!(36));
}

#[test]
fn rows_that_went_meanwhile_are_not_found() {
    let case = case();
    let anon = case.query.anon();
    let page = case.page("?field_2=Hull");
    case.patch(json!({"scope_conditions": [condition("field_3", "lt", json!(45))]}));
    let gone = post(&anon, &page, &[("field_2", "Hull"), ("field_3", "51")]);
    assert_eq!(gone.status, 404, "{gone}");
    assert!(gone.text.contains("No longer available"), "{gone}");
    case.patch(json!({"enabled": false}));
    let off = post(&anon, &page, &[("field_2", "Hull"), ("field_3", "51")]);
    assert_eq!(off.status, 403, "{off}");
    assert!(off.text.contains("This search is switched off"), "{off}");
    assert_eq!(case.stored(3)["field_3"], json!(50));
}
