//! The letter after an exam: the score and the way to the certificate, as the thank-you page has them. A booking's
//! certificate is its ticket.

use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, field};

use super::letters::{booked, class, mail_of};
use super::{notify, receipts, sending, submit};
use crate::delivery::ok;

/// An exam of one question, with answer `a`.
fn exam(owner: &Caller, locale: &str, settings: Value) -> Form {
    let choices = json!([{"api_code": "a", "label": "Paris"}, {"api_code": "b", "label": "Rome"}]);
    let fields = json!([field("email", json!({})), field("radio", json!({"label": "Capital", "choices": choices}))]);
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "locale": locale, "fields": fields}));
    notify(owner, &form, &receipts());
    set(owner, &form, json!({"exam": {"questions": {"field_2": {"scored": true, "score": 2, "answer": "a"}}}}));
    set(owner, &form, settings);
    form
}

#[test]
fn the_letter_has_the_score_and_the_certificate_that_the_page_has() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let shown = json!({"exam": {"show_score": true, "pass_score": 2}});
    let certified = json!({"certificate": {"enabled": true, "title": "Diploma", "min_score": 2}});
    let (score, is_certified) = ("You scored 2 of 2: Passed", "See your certificate");
    for (nth, (locale, settings, answer, has, lacks)) in [
        ("en", &shown, "a", vec![score], vec![is_certified]),
        ("en", &shown, "b", vec!["You scored 0 of 2: Not passed"], vec![]),
        ("en", &json!({"exam": {"show_score": true}}), "a", vec!["You scored 2 of 2\n"], vec!["assed"]),
        // The settings show no score.
        ("en", &certified, "a", vec![is_certified], vec!["scored", "change your answers"]),
        // Too few points for the certificate.
        ("en", &certified, "b", vec![], vec!["scored", is_certified]),
        ("zh-CN", &shown, "a", vec!["您的得分：2 / 2：合格"], vec![]),
        ("zh-CN", &certified, "a", vec!["查看证书"], vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let form = exam(&owner, locale, settings.clone());
        let to = format!("{nth}@example.com");
        submit(&owner, &form, &json!({"field_1": to, "field_2": answer}));
        let got = mail.mail_to(&to);
        for part in has {
            assert!(got.text().contains(part) && got.html().contains(part.trim()), "{part}: {}", got.text());
        }
        for part in lacks {
            assert!(!got.text().contains(part) && !got.html().contains(part), "{part}: {}", got.text());
        }
        if settings == &certified && answer == "a" {
            let link = got.link(&server.base, &format!("/f/{}/done", form.token));
            server.anon().get(&link).is(200).has(["/certificates/"]);
        }
    }
}

#[test]
fn a_letter_about_a_cancelled_booking_has_no_ticket() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let (to, ticket) = ("ada@example.com", "See your certificate");
    let form = booked(&owner, "en", "Asia/Shanghai", &receipts());
    set(&owner, &form, json!({"certificate": {"enabled": true, "title": "Ticket"}}));
    submit(&owner, &form, &class(to, "11:15"));
    let got = mail.mail_to(to);
    assert!(got.text().contains(ticket), "{}", got.text());
    ok(owner.patch(form.part("entries/1/reservation_status"), json!({"status": "cancelled"})));
    let got = mail_of(&mail, to, "Booking cancelled");
    assert!(!got.text().contains(ticket), "{}", got.text());
}
