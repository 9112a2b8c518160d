//! The preview's questions are those of the public page, in every kind and both layouts.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Server, field};

use super::fields;

const ANN: &str = "ann@example.org";

/// The questions of a page, without what is of one visit or one place: what stands from the first page of the form up
/// to its buttons.
fn questions(page: &str) -> String {
    let (_, rest) = page.split_once("<section class=\"page").expect("a page of questions");
    let end = rest.find("class=\"actions").expect("the buttons");
    rest[..end].to_owned()
}

#[test]
fn the_preview_has_the_questions_of_the_public_page() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let ann = Session::on(&server).signed_in(ANN);
    let other = owner.form_with(json!({"name": "Members", "fields": [field("name", json!({}))]}));
    let mut all = fields();
    let linked = json!({"form_token": other.token, "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}]});
    let more: [(&str, Value); 8] = [
        ("page_break", json!({"next_text": "On", "previous_text": "Back"})),
        ("description", json!({"notes": "<p>Read <b>this</b>.</p>"})),
        ("attachment", json!({"max_count": 2})),
        ("audio", json!({})),
        ("signature", json!({})),
        ("formula", json!({"expression": "field_7 * 2", "result_type": "number"})),
        ("linked_form", linked),
        ("short_text", json!({"required": true, "placeholder": "Here", "notes": "<p>Why?</p>"})),
    ];
    all.as_array_mut().expect("a list").extend(more.map(|(kind, own)| field(kind, own)));
    for layout in ["classic", "card"] {
        let form = owner.form_with(json!({"name": "All", "layout": layout, "fields": all}));
        let public = questions(&server.anon().get(form.page()).is(200).text);
        assert!(public.matches("data-field=\"").count() > 30, "{layout}: {public}");
        for query in ["", "?canvas=1"] {
            let preview = ann.get(&format!("/forms/{}/preview{query}", form.token)).is(200);
            // A frame of the builder has the same page: its first button may differ, its questions may not.
            assert_eq!(questions(&preview.text), public, "{layout} {query}");
        }
    }
}
