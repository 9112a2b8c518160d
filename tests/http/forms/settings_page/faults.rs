//! Faults of a setting stand beside its control.

use serde_json::json;

use super::{controls, desk};

#[test]
fn each_fault_stands_beside_its_control() {
    let desk = desk();
    let question = json!({"field_1": {"scored": true, "score": 2, "answer": "a"}});
    desk.owner.patch(desk.form.part("settings"), json!({"exam": {"questions": question}})).is(200);
    let before = desk.settings();
    for (section, changes, faults) in [
        (
            "general",
            vec![("name", ""), ("locale", "klingon!"), ("timezone", "Mars"), ("description", "kept")],
            vec![
                ("name", "Fill in this field"),
                ("locale", "Choose a language from the list"),
                ("timezone", "Choose a time zone from the list, such as Europe/Berlin"),
            ],
        ),
        (
            "general",
            vec![("locale", ""), ("timezone", " ")],
            vec![
                ("locale", "Choose a language from the list"),
                ("timezone", "Choose a time zone from the list, such as Europe/Berlin"),
            ],
        ),
        (
            "availability",
            vec![
                ("availability.entries_limit", "1"),
                ("availability.schedule.start_at", "soon"),
                ("capacity.hold_minutes", "90"),
            ],
            vec![
                ("availability.entries_limit", "Enter 2 or more. To take no entries, close the form instead."),
                ("availability.schedule.start_at", "Enter a date and a time"),
                ("capacity.hold_minutes", "Enter a number from 0 to 60"),
            ],
        ),
        (
            "availability",
            vec![
                ("availability.schedule.start_at", "2027-03-01T08:00"),
                ("availability.schedule.end_at", "2027-02-01T08:00"),
            ],
            vec![("availability.schedule.end_at", "Choose a time after the one when it opens")],
        ),
        (
            "after",
            vec![("after_submission.mode", "redirect")],
            vec![("after_submission.redirect.url", "Fill in this field")],
        ),
        (
            "after",
            vec![
                ("after_submission.redirect.url", "nowhere"),
                ("after_submission.report.score_based_feedbacks[3].start_point", "9"),
                ("after_submission.report.score_based_feedbacks[3].end_point", "many"),
                ("after_submission.report.score_based_feedbacks[3].comment", "kept"),
            ],
            vec![
                ("after_submission.redirect.url", "Enter a web address like https://example.com"),
                ("after_submission.report.score_based_feedbacks[0].end_point", "Enter a number"),
            ],
        ),
        (
            "exam",
            vec![("exam.duration_minutes", "1.5"), ("exam.pass_score", "-1")],
            vec![
                ("exam.duration_minutes", "Enter a whole number"),
                ("exam.pass_score", "Enter a number from 0 to 1000000000"),
            ],
        ),
        (
            "exam",
            vec![("exam.pass_score", "3")],
            vec![("exam.pass_score", "The questions give fewer points than this")],
        ),
        (
            "orders",
            vec![
                ("pricing.currency", "XXL"),
                ("pricing.discounts[0].percent_off", "5"),
                ("pricing.discounts[0].amount_off", "5"),
            ],
            vec![
                ("pricing.currency", "Enter three letters of a currency, such as EUR"),
                ("pricing.discounts[0].min_total", "Fill in this field"),
                ("pricing.discounts[0].percent_off", "Enter percent or an amount, not both"),
            ],
        ),
        (
            "codes",
            vec![("verification_code.length", "99"), ("certificate.min_score", "x")],
            vec![
                ("verification_code.length", "Enter a number from 6 to 16"),
                ("certificate.min_score", "Enter a number"),
            ],
        ),
        (
            "notifications",
            vec![("notifications.notice.enabled", "true"), ("notifications.notice.to", "a@example.com\r\nnobody")],
            vec![("notifications.notice.to", "Line 2: Enter an email address, such as ann@example.org.")],
        ),
        (
            "notifications",
            vec![("notifications.notice.enabled", "true")],
            vec![("notifications.notice.to", "Fill in this field")],
        ),
    ] {
        let page = desk.post(&desk.browser, section, &changes).is_for(422, (section, &changes));
        for (id, words) in &faults {
            page.has([format!("href=\"#{id}\""), format!("id=\"{id}-fault\">{words}")]);
        }
        // Typed values stay, faulty and sound ones; rows close up.
        let shown = controls(&page, section);
        for (name, value) in changes {
            let (name, value) = (name.replace("[3]", "[0]"), value.trim().replace("\r\n", "\n"));
            assert!(shown.contains(&(name.clone(), value)), "{name} {shown:?}");
        }
        assert_eq!(desk.settings(), before, "{section}");
    }
    // Mended on that page, it is saved.
    let refused = desk.post(&desk.browser, "codes", &[("verification_code.length", "99"), ("certificate.title", "T")]);
    desk.post_from(&desk.browser, &refused, "codes", &[("verification_code.length", "9")]).leads();
    assert_eq!(desk.settings()["certificate"]["title"], "T");
    // A stored setting without effect is reported.
    let warned = desk.post(&desk.browser, "after", &[("after_submission.show_message.text.title", "Dear {{field_9}}")]);
    warned.is(200).has(["Saved, but have a look", "Title: This form has no such placeholders: {{field_9}}"]);
    desk.browser.get(&desk.page()).has(["This server sends no email"]);
    desk.browser.post(&desk.section("nothing"), &[]).is(404);
}
