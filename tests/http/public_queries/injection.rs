//! What owners and respondents write is text on a query's pages, and the pages are as strict as others (S53).

use serde_json::json;

use crate::public_queries::{Query, body, fill, links, local};
use crate::support::{Server, field};

#[test]
fn what_people_write_stays_text() {
    let owner = Server::shared().user();
    let mark = "<img src=x onerror=alert(1)>\"'&amp;</script>{{7*7}}";
    let choices = json!([{"api_code": "a", "label": mark}]);
    let form = owner.form_with(json!({"name": mark, "fields": [
        field("short_text", json!({"label": mark, "notes": "<b>n</b>"})),
        field("radio", json!({"label": mark, "choices": choices})),
        field("attachment", json!({"label": mark})),
        field("short_text", json!({"label": "Key"})),
    ]}));
    fill(&owner, &form, &[json!({"field_1": mark, "field_2": "a", "field_4": mark})]);
    let rules =
        json!([{"field": "field_1", "label": mark, "editable": true}, {"field": "field_2"}, {"field": "field_3"}]);
    let groups = json!([
        {"operand": "and", "fields": [{"field": "field_4", "label": mark}]},
        {"operand": "or", "fields": [{"field": "field_2"}, {"field": "field_1"}]}]);
    let mut whole = body(&form, groups, rules);
    whole["name"] = json!(mark);
    whole["description"] = json!(mark);
    whole["search_button"] = json!({"text": mark});
    whole["messages"] = json!({"has_result": mark, "no_result": mark});
    whole["allow_to_export_results"] = json!(true);
    let query = Query::new(&owner, whole);
    let found = json!({"field_4": mark, "field_2": "a"});
    let anon = query.anon();
    let first = anon.get(query.typed(&found));
    let mut pages = vec![
        anon.get(query.page()),
        anon.get(query.typed(&json!({"field_4": mark, "field_2": "", "field_1": mark}))),
        anon.get(query.typed(&json!({"field_4": "", "field_1": mark}))),
        anon.get(query.typed(&json!({"field_4": format!("{mark}x"), "field_1": mark}))),
        anon.get(format!("/q/{}", "%3Cimg%20src%3Dx%3E")),
    ];
    for link in links(&first) {
        let link = local(&anon, &link);
        if link.starts_with(&query.page()) && !link.contains("/export") {
            pages.push(anon.get(link));
        }
    }
    pages.push(first);
    for page in pages {
        assert!(page.header("content-type").starts_with("text/html"), "{page}");
        for word in ["<img src=x", "onerror=alert(1)>", "</script>{{", "javascript:"] {
            assert!(!page.text.contains(word), "{word}: {page}");
        }
        assert!(!page.text.contains("<script>"), "nothing inline: {page}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert!(page.header("cache-control").contains("no-store"), "{page}");
        let referrer = page.header("referrer-policy");
        assert!(["no-referrer", "same-origin"].contains(&referrer), "{referrer}");
    }
}
