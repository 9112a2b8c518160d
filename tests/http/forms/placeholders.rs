//! Placeholders in the texts of a form's settings: those that stand for nothing are told of.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

/// Settings with this text wherever placeholders are filled in.
fn everywhere(text: &str) -> Value {
    let address = format!("https://example.com/{text}?a={text}");
    json!({
        "certificate": {"title": text, "body": text},
        "notifications": {"receipt": {"subject": text, "message": format!("<p>{text}</p>")}},
        "after_submission": {
            "mode": "redirect",
            "show_message": {"style": "text", "rich_text": format!("<p>{text}</p>"), "text": {"title": text, "description": text}},
            "redirect": {"url": address},
        },
    })
}

const ATTRIBUTES: [&str; 8] = [
    "after_submission.redirect.url",
    "after_submission.show_message.rich_text",
    "after_submission.show_message.text.description",
    "after_submission.show_message.text.title",
    "certificate.body",
    "certificate.title",
    "notifications.receipt.message",
    "notifications.receipt.subject",
];

/// What is told of a change, in the order of the attributes.
fn told(owner: &Caller, form: &Form, settings: &Value) -> Vec<(String, String)> {
    let done = owner.patch(form.part("settings"), settings.clone());
    assert_eq!(done.status, 200, "{done}");
    let warnings = done.json()["warnings"].clone();
    let text = |of: &Value| of.as_str().expect("a text").to_owned();
    let warnings = warnings.as_array().into_iter().flatten();
    let mut told: Vec<(String, String)> =
        warnings.map(|warning| (text(&warning["attribute"]), text(&warning["message"]))).collect();
    told.sort();
    told
}

fn same_everywhere(message: &str) -> Vec<(String, String)> {
    ATTRIBUTES.map(|attribute| (attribute.to_owned(), message.to_owned())).to_vec()
}

#[test]
fn placeholders_that_stand_for_nothing_are_told_of() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(
        told(&owner, &form, &everywhere("{{field_1}} {{field_99}}")),
        same_everywhere("has a placeholder that stands for nothing in this form: {{field_99}}")
    );
    assert_eq!(
        told(&owner, &form, &everywhere("{{nonsense}} {{exam_score}} {{nonsense}}")),
        same_everywhere("has placeholders that stand for nothing in this form: {{nonsense}}, {{exam_score}}")
    );
    let blanks = json!({"certificate": {"body": "{{ field_1 }} {{ field_9 }}"}});
    let [(_, message)] = &told(&owner, &form, &blanks)[..] else {
        panic!("one warning");
    };
    assert!(message.ends_with(": {{field_9}}"), "{message}");
    // Other braces are the owner's, and what a request does not bring is not told of.
    assert_eq!(told(&owner, &form, &everywhere("{field_9} {{field_9")), []);
    told(&owner, &form, &everywhere("{{field_99}}"));
    let other = json!({"submission_options": {"show_progress": true}});
    assert_eq!(told(&owner, &form, &other), []);
}

#[test]
fn placeholders_that_are_filled_are_not_told_of() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let goods = json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 3}]});
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": [
        field("radio", json!({"choices": choices})),
        field("product", goods),
        field("short_text", json!({"hidden": true})),
    ]}));
    let set = json!({
        "verification_code": {"enabled": true},
        "exam": {"questions": {"field_1": {"score": 5, "answer": "a"}}},
    });
    assert_eq!(told(&owner, &form, &set), []);
    let names = [
        "serial_number",
        "created_at",
        "updated_at",
        "x_field_1",
        "exam_score",
        "total_price",
        "preferential_price",
        "gen_code",
        "field_1",
        "field_2",
        "field_3",
    ];
    let all: Vec<String> = names.iter().map(|name| format!("{{{{{name}}}}}")).collect();
    assert_eq!(told(&owner, &form, &everywhere(&all.join(" "))), []);
    let mode = json!({"after_submission": {"mode": "show_message"}});
    assert_eq!(told(&owner, &form, &mode), []);
    let values = json!({"field_1": "a", "field_2": [{"api_code": "tea", "number": 2}]});
    let sent = server.anon().post(form.submissions(), json!({"field_values": values, "x_field_1": "flyer"}));
    assert_eq!(sent.status, 201, "{sent}");
    let shown = sent.data()["after_submission"]["show_message"]["text"]["title"].clone();
    let shown = shown.as_str().expect("a text");
    assert!(!shown.contains("{{"), "{shown}");
    for part in ["flyer", "A", "Tea"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
