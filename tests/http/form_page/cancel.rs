//! `/f/{form_token}/entries/{entry_token}/cancel`: a respondent cancels a booking on a page, after a question.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

const DAY: &str = "2090-01-07";

fn tours(owner: &Caller, settings: Value) -> Form {
    let item = json!({"api_code": "tour", "name": "Tour <b>A</b>", "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 1}]}});
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("booking", json!({"label": "When", "reservation_items": [item]})),
    ]));
    set(owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    set(owner, &form, settings);
    form
}

/// The address of the receipt of a booking.
fn booked(form: &Form, extra: &[(&str, &str)]) -> String {
    let booking = [("field_1", "Ada"), ("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", DAY)];
    let pairs: Vec<_> = booking.iter().chain(extra).copied().collect();
    let sent = Server::shared().anon().post_form(form.page(), &pairs);
    assert_eq!(sent.status, 303, "{sent}");
    sent.header("location").to_owned()
}

fn get(address: &str) -> Response {
    Server::shared().anon().get(address)
}

/// The address of the link to the question on a page.
fn link(page: &Response) -> Option<String> {
    let links = page.text.split("href=\"").skip(1);
    let links = links.filter_map(|rest| rest.split('"').next());
    let mut links = links.filter(|link| link.contains("/cancel?"));
    links.next().map(|link| link.replace("&amp;", "&"))
}

fn status(owner: &Caller, form: &Form) -> Value {
    owner.get(form.entry(1)).data()["reservation_status_fsf_field"].clone()
}

#[test]
fn a_booking_is_cancelled_after_a_question() {
    let owner = Server::shared().user();
    let form = tours(&owner, json!({}));
    let receipt = booked(&form, &[]);
    let address = link(&get(&receipt)).expect("a way to cancel");
    let (form_token, entry) = (&form.token, owner.get(form.entry(1)).data());
    let token = entry["token"].as_str().expect("a token");
    let path = format!("/f/{form_token}/entries/{token}/cancel?");
    assert!(address.contains(&path), "{address}");
    let question = get(&address);
    assert_eq!(question.status, 200, "{question}");
    for seen in ["Cancel this booking?", "Tour &lt;b&gt;A&lt;/b&gt; 7 January 2090", "Keep booking"] {
        assert!(question.text.contains(seen), "{seen}: {question}");
    }
    assert_eq!(status(&owner, &form), "reserved", "a question changes nothing");
    // The page on which the entry is changed leads there too.
    let own = address.replace("/cancel?", "?");
    assert_eq!(link(&get(&own)).as_ref(), Some(&address), "{own}");

    let done = Server::shared().anon().post_form(&address, &[("_action", "submit")]);
    assert_eq!(done.status, 303, "{done}");
    assert_eq!(status(&owner, &form), "cancelled");
    let after = get(done.header("location"));
    assert!(after.text.contains("Booking cancelled"), "{after}");
    assert_eq!(link(&after), None, "{after}");
    let again = get(&receipt);
    assert!(again.text.contains("Your booking is cancelled."), "{again}");
    // Its place is free again.
    let left = format!("/api/v1/f/{}/availability?field=field_2&from={DAY}&to={DAY}", form.token);
    assert_eq!(get(&left).data()[0]["remaining"], 1);
    let question = get(&address);
    assert!(question.text.contains("There is no booking to cancel"), "{question}");
    let twice = Server::shared().anon().post_form(&address, &[("_action", "submit")]);
    assert_eq!(twice.status, 303, "{twice}");
    assert_eq!(status(&owner, &form), "cancelled");
}

#[test]
fn who_may_not_cancel_finds_no_way_to_it() {
    let owner = Server::shared().user();
    let form = tours(&owner, json!({}));
    let receipt = booked(&form, &[]);
    let address = link(&get(&receipt)).expect("a way to cancel");
    let post = |address: &str| Server::shared().anon().post_form(address, &[("_action", "submit")]);
    // Without the right to the entry there is none.
    let (path, _) = address.split_once('?').expect("a right");
    for wrong in [path.to_owned(), format!("{path}?edit_token=nonsense")] {
        assert_eq!(get(&wrong).status, 404);
        assert_eq!(post(&wrong).status, 404);
    }
    // A link without it leads to no question.
    let (plain, _) = receipt.split_once("&edit_token").expect("a right");
    assert_eq!(link(&get(plain)), None);
    set(&owner, &form, json!({"availability": {"manually_closed": true}}));
    assert_eq!(link(&get(&receipt)), None);
    for page in [get(&address), post(&address)] {
        assert_eq!(page.status, 200, "{page}");
        assert!(page.text.contains("no longer accepting"), "{page}");
    }
    set(&owner, &form, json!({"availability": {"manually_closed": false}}));
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": false}}));
    assert_eq!(link(&get(&receipt)), None);
    for page in [get(&address), post(&address)] {
        assert_eq!(page.status, 403, "{page}");
    }
    assert_eq!(status(&owner, &form), "reserved");
}

#[test]
fn the_question_asks_for_the_forms_password() {
    let owner = Server::shared().user();
    let form = tours(&owner, json!({}));
    let receipt = booked(&form, &[]);
    let address = link(&get(&receipt)).expect("a way to cancel");
    set(&owner, &form, json!({"access_control": {"access_password": "sesame"}}));
    let anon = Server::shared().anon();
    let locked = get(&address);
    assert!(!locked.text.contains("Cancel this booking?"), "{locked}");
    let wrong = anon.post_form(&address, &[("_action", "open"), ("_password", "no")]);
    assert!(!wrong.text.contains("Cancel this booking?"), "{wrong}");
    assert!(!anon.post_form(&address, &[("_action", "submit")]).text.contains("Booking cancelled"));
    assert_eq!(status(&owner, &form), "reserved");
    let question = anon.post_form(&address, &[("_action", "open"), ("_password", "sesame")]);
    assert!(question.text.contains("Cancel this booking?"), "{question}");
    let grant = hidden(&question, "_grant");
    let done = anon.post_form(&address, &[("_action", "submit"), ("_grant", &grant)]);
    assert_eq!(done.status, 303, "{done}");
    assert_eq!(status(&owner, &form), "cancelled");
}

#[test]
fn what_is_not_cancelled_says_why() {
    let owner = Server::shared().user();
    let form = tours(&owner, json!({}));
    let receipt = booked(&form, &[]);
    let address = link(&get(&receipt)).expect("a way to cancel");
    let post = || Server::shared().anon().post_form(&address, &[("_action", "submit")]);
    let settle = |status: &str| {
        let path = format!("{}/reservation_status", form.entry(1));
        assert_eq!(owner.patch(path, json!({"status": status})).status, 200);
    };
    settle("completed");
    for (locale, title, text) in [
        ("en", "This booking can’t be cancelled", "It is already completed. Nothing was changed."),
        ("zh-CN", "这项预约不能取消", "预约已经完成，没有任何更改。"),
    ] {
        set(&owner, &form, json!({"locale": locale}));
        let refused = post();
        assert_eq!(refused.status, 303, "{refused}");
        for page in [get(refused.header("location")), get(&address)] {
            assert!(page.text.contains(&format!("<h1>{title}</h1>")), "{page}");
            assert!(page.text.contains(text), "{page}");
        }
        assert_eq!(status(&owner, &form), "completed");
    }
    set(&owner, &form, json!({"locale": "en"}));
    // Reserved again it can be cancelled, and the old address of the receipt no longer says otherwise.
    let refused = post().header("location").to_owned();
    settle("reserved");
    assert!(!get(&refused).text.contains("can’t be cancelled"));
    // Nothing booked is nothing to cancel.
    let none = json!({"field_values": {"field_2": []}});
    assert_eq!(owner.patch(form.entry(1), none).status, 200);
    let page = get(post().header("location"));
    for seen in ["<h1>There is no booking to cancel</h1>", "Nothing was changed."] {
        assert!(page.text.contains(seen), "{seen}: {page}");
    }
}

#[test]
fn a_cancelled_booking_is_told_of_before_it_is_edited() {
    let owner = Server::shared().user();
    let form = tours(&owner, json!({}));
    let receipt = booked(&form, &[]);
    let address = link(&get(&receipt)).expect("a way to cancel");
    let own = address.replace("/cancel?", "?");
    let [title, text] = ["Your booking is cancelled", "Editing your answers doesn’t book again."];
    let page = get(&own);
    assert!(!page.text.contains(title) && !page.text.contains(text), "{page}");
    let anon = Server::shared().anon();
    assert_eq!(anon.post_form(&address, &[("_action", "submit")]).status, 303);
    let place = |page: &Response, part: &str| page.text.find(part).expect("it is there");
    let page = get(&own);
    for part in [title, text] {
        assert!(place(&page, part) < place(&page, "<form"), "{part}: {page}");
    }
    // So does the page that has a fault, and it is true.
    let booking = [("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", "no day")];
    let again = anon.post_form(&own, &booking);
    assert_eq!(again.status, 422, "{again}");
    assert!(again.text.contains(text), "{again}");
    let saved = anon.post_form(
        &own,
        &[("field_1", "Grace"), ("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", "2090-01-14")],
    );
    assert_eq!(saved.status, 303, "{saved}");
    assert_eq!(status(&owner, &form), "cancelled");
    assert!(get(saved.header("location")).text.contains("Your booking is cancelled."));
    set(&owner, &form, json!({"locale": "zh-CN"}));
    let page = get(&own);
    for part in ["您的预约已经取消", "修改回答不会重新预约。"] {
        assert!(place(&page, part) < place(&page, "<form"), "{part}: {page}");
    }
}
