//! Each setting has a control, and is set, cleared and read back through the API.

use serde_json::{Value, json};

use super::{OFF, controls, desk};

/// The typed values, the value that the API then reads at which path, and the value once the controls are empty again.
type Case = (&'static str, &'static [(&'static str, &'static str)], fn() -> Value);

const CASES: &[Case] = &[
    (
        "general",
        &[("description", "Two\r\nlines"), ("locale", "zh-CN"), ("timezone", "Asia/Tokyo")],
        || json!({"locale": "zh-CN", "timezone": "Asia/Tokyo"}),
    ),
    (
        "availability",
        &[
            ("availability.manually_closed", "true"),
            ("availability.schedule.start_at", "2027-03-01T08:00"),
            ("availability.schedule.end_at", "2027-07-01T08:00:30"),
            ("availability.entries_limit", "1,000"),
            ("availability.show_countdown", "true"),
            ("availability.show_form_before_open", "true"),
            ("capacity.hold_minutes", "10"),
            ("capacity.waiting_list", "true"),
        ],
        || {
            json!({
                "availability": {
                    "manually_closed": true,
                    // On the form's clock in Berlin, in winter and in summer.
                    "schedule": {"start_at": "2027-03-01T07:00:00.000Z", "end_at": "2027-07-01T06:00:30.000Z"},
                    "entries_limit": 1000, "show_countdown": true, "show_form_before_open": true,
                },
                "capacity": {"hold_minutes": 10, "waiting_list": true},
            })
        },
    ),
    (
        "access",
        &[
            ("access_control.access_password", "open <sesame>"),
            ("submission_options.one_per_respondent", "account"),
            ("browse_linked_entries", "true"),
        ],
        || {
            json!({
                "access_control": {"access_password": "open <sesame>"},
                "submission_options": {"one_per_respondent": "account"},
                "browse_linked_entries": true,
            })
        },
    ),
    (
        "filling-in",
        &[("submission_options.show_progress", "true"), ("submission_options.show_field_number", "true")],
        || json!({"submission_options": {"show_progress": true, "show_field_number": true}}),
    ),
    (
        "after",
        &[
            ("after_submission.mode", "redirect"),
            ("after_submission.show_message.style", "rich_text"),
            ("after_submission.show_message.text.title", "Thanks"),
            ("after_submission.show_message.text.description", "Until soon"),
            ("after_submission.show_message.rich_text", "<p>Thank <b>you</b></p>"),
            ("after_submission.redirect.url", "https://example.com/done"),
            ("after_submission.redirect.fields", "field_1"),
            ("after_submission.redirect.fields", "field_3"),
            ("after_submission.report.score_based_feedbacks[0].start_point", "0.5"),
            ("after_submission.report.score_based_feedbacks[0].end_point", "1.5"),
            ("after_submission.report.score_based_feedbacks[0].comment", "Try again"),
            ("after_submission.report.score_based_feedbacks[1].start_point", "1.5"),
            ("after_submission.report.score_based_feedbacks[1].end_point", "2.5"),
            ("after_submission.show_answers", OFF),
            ("submission_options.allow_edit_after_submission", "true"),
        ],
        || {
            json!({
                "after_submission": {
                    "mode": "redirect",
                    "show_message": {
                        "style": "rich_text", "rich_text": "<p>Thank <b>you</b></p>",
                        "text": {"title": "Thanks", "description": "Until soon"},
                    },
                    "redirect": {"url": "https://example.com/done", "fields": ["field_1", "field_3"]},
                    "report": {"score_based_feedbacks": [
                        {"start_point": 0.5, "end_point": 1.5, "comment": "Try again"},
                        {"start_point": 1.5, "end_point": 2.5, "comment": ""},
                    ]},
                    "show_answers": false,
                },
                "submission_options": {"allow_edit_after_submission": true},
            })
        },
    ),
    (
        "exam",
        &[
            ("exam.duration_minutes", "45"),
            ("exam.pass_score", "1.5"),
            ("exam.show_score", "true"),
            ("exam.show_answers", "true"),
        ],
        || json!({"exam": {"duration_minutes": 45, "pass_score": 1.5, "show_score": true, "show_answers": true}}),
    ),
    (
        "orders",
        &[
            ("pricing.currency", "EUR"),
            ("pricing.discounts[0].min_total", "100.5"),
            ("pricing.discounts[0].percent_off", "7.5"),
            ("pricing.discounts[1].min_total", "200.5"),
            ("pricing.discounts[1].amount_off", "20.25"),
        ],
        || {
            json!({"pricing": {"currency": "EUR", "discounts": [
                {"min_total": 100.5, "percent_off": 7.5}, {"min_total": 200.5, "amount_off": 20.25},
            ]}})
        },
    ),
    (
        "codes",
        &[
            ("verification_code.enabled", "true"),
            ("verification_code.length", "12"),
            ("certificate.enabled", "true"),
            ("certificate.title", "Well done"),
            ("certificate.body", "{{field_2}} has passed"),
            ("certificate.min_score", "2.5"),
        ],
        || {
            json!({
                "verification_code": {"enabled": true, "length": 12},
                "certificate": {"enabled": true, "title": "Well done", "body": "{{field_2}} has passed", "min_score": 2.5},
            })
        },
    ),
    (
        "notifications",
        &[
            ("notifications.receipt.field", "field_3"),
            ("notifications.receipt.subject", "Hello"),
            ("notifications.receipt.message", "<p>Hello</p>"),
            ("notifications.receipt.include_values", "true"),
            ("notifications.receipt.for_programs", "true"),
            ("notifications.notice.to", "a@example.com\r\n\r\n b@example.com "),
            ("notifications.waiting.enabled", "false"),
            ("notifications.moved_up.subject", "Come"),
            ("notifications.cancelled.message", "<p>Gone</p>"),
            ("notifications.changed.include_values", "true"),
            ("notifications.reminder.subject", "Tomorrow"),
        ],
        || {
            json!({"notifications": {
                "receipt": {
                    "field": "field_3", "subject": "Hello", "message": "<p>Hello</p>", "include_values": true,
                    "for_programs": true,
                },
                "notice": {"to": ["a@example.com", "b@example.com"]},
                "waiting": {"enabled": false}, "moved_up": {"subject": "Come"}, "cancelled": {"message": "<p>Gone</p>"},
                "changed": {"include_values": true}, "reminder": {"subject": "Tomorrow"},
            }})
        },
    ),
];

/// `expected` is in `found`, member by member; an item of a list whole.
#[track_caller]
fn contains(found: &Value, expected: &Value, path: &str) {
    match expected.as_object() {
        Some(members) => {
            for (key, member) in members {
                contains(&found[key], member, &format!("{path}.{key}"));
            }
        }
        None => assert_eq!(found, expected, "{path}"),
    }
}

/// The paths of a schema's values: nodes without members of their own.
fn leaves(schema: &Value, path: &str, out: &mut Vec<String>) {
    let members = schema["properties"].as_object().filter(|_| path != "exam.questions");
    let Some(members) = members else {
        out.push(path.to_owned());
        return;
    };
    for (key, member) in members {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        leaves(member, &inner, out);
    }
}

#[test]
fn every_setting_has_a_control() {
    let desk = desk();
    let document = desk.owner.get("/api/v1/openapi.json").is(200).json();
    let mut paths = Vec::new();
    leaves(&document["components"]["schemas"]["SettingsUpdate"], "", &mut paths);
    assert!(paths.len() > 50, "{paths:?}");
    paths.retain(|path| path != "exam.questions");
    paths.extend(["name", "description", "layout", "published"].map(str::to_owned));
    for locale in ["en", "zh-CN"] {
        desk.owner.patch("/api/v1/me", json!({ "locale": locale })).is(200);
        let page = desk.browser.get(&desk.page()).is(200);
        for path in &paths {
            let named = [format!("name=\"{path}\""), format!("name=\"{path}[0].")];
            assert!(named.iter().any(|name| page.text.contains(name)), "no control sets {path}");
        }
        // Words that are missing would be shown as their ids.
        page.lacks([">settings-", ">scene-"]);
    }
}

#[test]
fn each_setting_is_set_and_cleared() {
    let desk = desk();
    let defaults = desk.settings();
    // Some have a default that is typed.
    let typed = ["locale", "timezone", "verification_code.length", "pricing.currency", "capacity.hold_minutes"];
    for (section, changes, expected) in CASES {
        desk.save(section, changes);
        contains(&desk.settings(), &expected(), section);
        // The page's values are those that it takes: saved unchanged, nothing changes.
        let before = desk.settings();
        desk.save(section, &[]);
        assert_eq!(desk.settings(), before, "{section}");
        let page = desk.browser.get(&desk.page()).is(200);
        let cleared: Vec<(&str, &str)> = changes
            .iter()
            .map(|(name, value)| match *name {
                name if typed.contains(&name) => (name, default(name)),
                name if name.ends_with(".mode") => (name, "show_message"),
                name if name.ends_with(".style") => (name, "text"),
                name if name.ends_with("one_per_respondent") => (name, "none"),
                name if name.ends_with("show_answers") && *value == OFF => (name, "true"),
                name if *value == "true" || name.ends_with(".fields") => (name, OFF),
                name => (name, ""),
            })
            .collect();
        let led = desk.post_from(&desk.browser, &page, section, &cleared).leads();
        assert!(led.contains("saved="), "{led}");
        let after = desk.settings();
        contains(&after, &defaults, section);
    }
    // Members of the form itself.
    desk.save("general", &[("name", "Autumn <exam>"), ("layout", "card"), ("description", "One\r\nTwo")]);
    let form = desk.owner.get(desk.form.path()).data();
    assert_eq!((&form["name"], &form["layout"]), (&json!("Autumn <exam>"), &json!("card")));
    assert_eq!(form["description"], json!("One\nTwo"));
    desk.save("general", &[("description", "")]);
    assert_eq!(desk.owner.get(desk.form.path()).data()["description"], Value::Null);
    // The points of questions are shown here, and set elsewhere.
    let questions = json!({"field_1": {"scored": true, "score": 2, "answer": "a"}});
    desk.owner.patch(desk.form.part("settings"), json!({"exam": {"questions": questions}})).is(200);
    let page = desk.browser.get(&desk.page()).is(200);
    page.has(["What is for lunch?", ">Soup<", "Autumn &lt;exam&gt;", "/entries", "/webhooks", "/opensearch/queries"]);
    // Letters that follow the receipt say so, and an answer that is saved is as the API has it.
    assert!(controls(&page, "notifications").contains(&("notifications.waiting.enabled".to_owned(), String::new())));
}

fn default(name: &str) -> &'static str {
    match name {
        "locale" => "en",
        "timezone" => "Europe/Berlin",
        "verification_code.length" => "8",
        "pricing.currency" => "USD",
        _ => "0",
    }
}
