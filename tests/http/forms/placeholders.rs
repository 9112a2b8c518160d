//! Placeholders in the texts of a form's settings: unknown ones are reported.

use serde_json::{Value, json};
use support::world::World;
use support::{Caller, Form, field};

use crate::forms::{choices, line};

/// Settings with this text wherever placeholders are filled in.
fn everywhere(text: &str) -> Value {
    let shown =
        json!({"style": "text", "rich_text": format!("<p>{text}</p>"), "text": {"title": text, "description": text}});
    let redirect = json!({"url": format!("https://example.com/{text}?a={text}")});
    json!({
        "certificate": {"title": text, "body": text},
        "notifications": {"receipt": {"subject": text, "message": format!("<p>{text}</p>")}},
        "after_submission": {"mode": "redirect", "show_message": shown, "redirect": redirect},
    })
}

/// The warnings about a change, in the order of the attributes.
fn told(owner: &Caller, form: &Form, settings: &Value) -> Vec<String> {
    let done = owner.patch(form.part("settings"), settings.clone()).is(200).json();
    let text = |of: &Value| of.as_str().expect("a text").to_owned();
    let warnings = done["warnings"].as_array().into_iter().flatten();
    let mut told: Vec<String> =
        warnings.map(|warning| text(&warning["attribute"]) + " " + &text(&warning["message"])).collect();
    told.sort();
    told
}

#[test]
fn placeholders_that_stand_for_nothing_are_told_of() {
    let World { owner, form, .. } = World::with(json!([line()]));
    let attributes = [
        "after_submission.redirect.url",
        "after_submission.show_message.rich_text",
        "after_submission.show_message.text.description",
        "after_submission.show_message.text.title",
        "certificate.body",
        "certificate.title",
        "notifications.receipt.message",
        "notifications.receipt.subject",
    ];
    for (text, message) in [
        ("{{field_1}} {{field_99}}", "has a placeholder that stands for nothing in this form: {{field_99}}"),
        (
            "{{nonsense}} {{exam_score}} {{nonsense}}",
            "has placeholders that stand for nothing in this form: {{nonsense}}, {{exam_score}}",
        ),
    ] {
        let expected = attributes.map(|attribute| format!("{attribute} {message}"));
        assert_eq!(told(&owner, &form, &everywhere(text)), expected, "{text}");
    }
    let blanks = json!({"certificate": {"body": "{{ field_1 }} {{ field_9 }}"}});
    let expected = "certificate.body has a placeholder that stands for nothing in this form: {{field_9}}";
    assert_eq!(told(&owner, &form, &blanks), [expected]);
    // Other braces are the owner's, and texts that a request does not bring are not reported.
    assert_eq!(told(&owner, &form, &everywhere("{field_9} {{field_9")), [""; 0]);
    assert_eq!(told(&owner, &form, &everywhere("{{field_99}}")).len(), 8);
    assert_eq!(told(&owner, &form, &json!({"submission_options": {"show_progress": true}})), [""; 0]);
}

#[test]
fn placeholders_that_are_filled_are_not_told_of() {
    let World { owner, anon, form, .. } = World::of(json!({"name": "Exam", "scene": "exam", "fields": [
        field("radio", json!({"choices": choices(["a", "b"])})),
        field("product", json!({"goods_items": [{"api_code": "tea", "name": "Tea", "price": 3}]})),
        field("short_text", json!({"hidden": true})),
    ]}));
    let names = "serial_number created_at updated_at x_field_1 exam_score total_price preferential_price gen_code field_1 field_2 field_3";
    let all: Vec<String> = names.split(' ').map(|name| format!("{{{{{name}}}}}")).collect();
    for settings in [
        json!({"verification_code": {"enabled": true}, "exam": {"questions": {"field_1": {"score": 5, "answer": "a"}}}}),
        everywhere(&all.join(" ")),
        json!({"after_submission": {"mode": "show_message"}}),
    ] {
        assert_eq!(told(&owner, &form, &settings), [""; 0], "{settings}");
    }
    let values = json!({"field_1": "a", "field_2": [{"api_code": "tea", "number": 2}]});
    let sent = anon.post(form.submissions(), json!({"field_values": values, "x_field_1": "flyer"})).is(201).data();
    let shown = sent["after_submission"]["show_message"]["text"]["title"].as_str().expect("a text");
    assert!(!shown.contains("{{"), "{shown}");
    for part in ["flyer", "A", "Tea"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
