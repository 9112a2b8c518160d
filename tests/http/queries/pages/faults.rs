//! Faults, limits of the plan and changes of others are shown at their part, with all typed values.

use serde_json::json;

use super::{OFF, controls, desk, section};

#[test]
fn faults_stand_at_their_part_with_what_was_typed() {
    let desk = desk();
    let before = desk.stored();
    let search = desk.post(
        "search",
        &[
            ("search_field_rules[0].fields[0].field", "field_4"),
            ("search_field_rules[0].fields[0].fuzzy", "true"),
            ("search_field_rules[0].fields[1].field", "field_4"),
            ("search_field_rules[0].fields[2].field", "field_99"),
            ("search_field_rules[0].fields[2].label", "Typed <here>"),
            ("search_field_rules[1].operand", "or"),
        ],
    );
    search.is(422).has([
        "This field is found by its whole value only",
        "Each field can be used once",
        "The form has no such field any more",
        "Add at least one field, or remove the group",
        "value=\"Typed &lt;here&gt;\"",
        "href=\"#search_field_rules[0].fields[0].fuzzy\"",
    ]);
    let shows = desk.post(
        "shows",
        &[("display_field_rules[0].highlight.color", "red"), ("display_field_rules[1].highlight.position", "first")],
    );
    let shows = shows.is(422);
    shows.has(["Enter a color such as #0F766E", "Enter a whole number", "value=\"red\"", "value=\"first\""]);
    assert!(!section(&shows, "search").contains("fault"), "{shows}");
    let none = desk.post("shows", &[("display_field_rules[0].shown", OFF), ("display_field_rules[1].shown", OFF)]);
    none.is(422).has(["Tick at least one field"]);
    desk.post("only", &[("f[0].field", "field_4"), ("f[0].operator", "gt"), ("f[0].value", "many")])
        .is(422)
        .has(["class=\"fault\"", "value=\"many\""]);
    let page = desk.post(
        "page",
        &[
            ("name", " "),
            ("search_button.text", ""),
            ("search_button.color", "blue"),
            ("description", &"x".repeat(10_001)),
        ],
    );
    page.is(422).has(["Name: Fill in this field", "Enter a color such as #0F766E", "Use at most 10000 characters"]);
    assert_eq!(desk.stored(), before);
    desk.browser.post(&desk.part("elsewhere"), &[]).is(404);
}

#[test]
fn what_the_plan_lacks_is_said_at_its_part() {
    let desk = desk();
    desk.plan("standard");
    let scope = [("f[0].field", "field_4"), ("f[0].operator", "gt"), ("f[0].value", "17")];
    let only = desk.post("only", &scope).is(402);
    let said = section(&only, "only");
    assert!(said.contains("The plan doesn’t include this") && said.contains("“standard”"), "{only}");
    assert!(controls(&only, "only").contains(&("f[0].value".to_owned(), "17".to_owned())), "{only}");
    let shows = desk.post("shows", &[("display_field_rules[0].editable", "true")]).is(402);
    assert!(section(&shows, "shows").contains("visitors can’t change answers"), "{shows}");
    assert!(!section(&shows, "only").contains("The plan doesn’t include this"), "{shows}");
    // Without public queries at all there is nothing to make one with.
    desk.plan("free");
    desk.browser.get(&desk.list()).is(200).has(["has no public queries"]).lacks(["id=\"make\""]);
    desk.browser.post(&desk.list(), &[("name", "Another")]).is(402).has(["has no public queries"]);
    assert_eq!(desk.stored()["scope_conditions"], json!([]));
}

#[test]
fn two_people_lose_nothing() {
    let desk = desk();
    let bob = desk.share("manager");
    let (by_ann, by_bob) = (desk.browser.get(&desk.page()).is(200), bob.get(&desk.page()).is(200));
    desk.post_from(&desk.browser, &by_ann, "page", &[("name", "From Ann"), ("description", "Hello")]).leads();
    // Another part is nobody's concern.
    desk.post_from(&bob, &by_bob, "shows", &[("display_field_rules[0].label", "Who")]).leads();
    let typed = [("name", "From <Bob>"), ("search_button.text", "Go")];
    let refused = desk.post_from(&bob, &by_bob, "page", &typed).is(412);
    refused.has(["Somebody else changed this part", "“\u{2068}From Ann\u{2069}”", "value=\"From &lt;Bob&gt;\""]);
    assert_eq!(desk.stored()["name"], "From Ann");
    desk.post_from(&bob, &refused, "page", &[]).leads();
    assert_eq!(desk.stored()["name"], "From <Bob>");
    // The same for lists: the other user's value is told in words.
    desk.set(
        json!({"search_field_rules": [{"operand": "or", "fields": [{"field": "field_1"}, {"field": "field_4"}]}]}),
    );
    let late = desk.post_from(&bob, &by_bob, "search", &[("search_field_rules[0].operand", "or")]).is(412);
    late.has(["Your &lt;name&gt; or Age"]);
    // Saved again, it takes the place of theirs.
    desk.post_from(&desk.browser, &late, "search", &[]).leads();
    desk.save("search", &[]);
}

#[test]
fn rules_that_reveal_too_much_are_told() {
    let desk = desk();
    let reveals = "“\u{2068}Email\u{2069}” is masked in the results, but visitors can search by a part of it";
    desk.browser.get(&desk.page()).is(200).lacks([reveals]);
    desk.save("search", &[("search_field_rules[0].fields[0].fuzzy", "true")]);
    let page = desk.browser.get(&desk.page()).is(200);
    assert!(section(&page, "search").contains(reveals), "{page}");
    desk.save(
        "search",
        &[
            ("search_field_rules[0].fields[0].field", "serial_number"),
            ("search_field_rules[0].fields[0].fuzzy", "false"),
        ],
    );
    desk.browser.get(&desk.page()).is(200).has(["numbers can be tried one after the other"]).lacks([reveals]);
    desk.save("only", &[("f[0].field", "field_1"), ("f[0].operator", "not_null")]);
    desk.save("shows", &[("display_field_rules[0].editable", "true")]);
    desk.browser.get(&desk.page()).is(200).has(["Visitors may change “\u{2068}Your &lt;name&gt;\u{2069}”"]);
}
