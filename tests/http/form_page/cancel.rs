//! `/f/{form_token}/entries/{entry_token}/cancel`: a respondent cancels a booking on a page, after a question.

use super::*;

const DAY: &str = "2090-01-07";

/// A booking of somebody, and where it is cancelled.
struct Booked {
    w: World,
    receipt: String,
    /// The address of the question.
    cancel: String,
    /// The address of the page on which the entry is changed.
    own: String,
}

impl Booked {
    fn new() -> Self {
        let quota = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 1}]});
        let item = json!({"api_code": "tour", "name": "Tour <b>A</b>", "quota_setting": quota});
        let w =
            asking(json!([{"short_text": {}}, {"booking": {"reservation_items": [item]}}])).settings(editable(true));
        let booking = [("field_1", "Ada"), ("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", DAY)];
        let receipt = w.post(&booking).leads();
        let cancel = link(&w.anon.get(&receipt), "/cancel?").expect("a way to cancel");
        let own = cancel.replace("/cancel?", "?");
        Self { w, receipt, cancel, own }
    }

    fn get(&self, address: &str) -> Response {
        self.w.anon.get(address)
    }

    /// Answers the question.
    fn cancel(&self) -> Response {
        self.w.anon.post_form(&self.cancel, &[("_action", "submit")])
    }

    fn set(&self, settings: Value) {
        set(&self.w.owner, &self.w.form, settings);
    }

    #[track_caller]
    fn is(&self, status: &str) {
        let entry = self.w.owner.get(self.w.form.entry(1)).data();
        assert_eq!(entry["reservation_status_fsf_field"], status, "{entry}");
    }

    /// Asserts that a page has no link to the question.
    #[track_caller]
    fn leads_nowhere(&self, address: &str) {
        assert_eq!(link(&self.get(address), "/cancel?"), None, "{address}");
    }
}

#[test]
fn booking_is_cancelled_after_a_question() {
    let b = Booked::new();
    let form = &b.w.form;
    let entry = b.w.newest();
    let token = entry["token"].as_str().expect("a token");
    assert!(b.cancel.contains(&format!("/f/{}/entries/{token}/cancel?", form.token)), "{}", b.cancel);
    let question = b.get(&b.cancel).is(200);
    question.has(["Cancel this booking?", "Tour &lt;b&gt;A&lt;/b&gt; · 7 January 2090", "Keep booking"]);
    // A question changes nothing. The page on which the entry is changed leads there too.
    b.is("reserved");
    b.get(&b.receipt).has(["<h1>Your booking is confirmed</h1>"]).lacks(["<s>"]);
    assert_eq!(link(&b.get(&b.own), "/cancel?").as_ref(), Some(&b.cancel), "{}", b.own);

    let done = b.cancel().leads();
    b.is("cancelled");
    b.get(&done).has(["Booking cancelled"]);
    b.leads_nowhere(&done);
    // A cancelled booking is struck through, and can be booked again; its receipt says so whenever it is opened again.
    for receipt in [&done, &b.receipt] {
        let page = b.get(receipt);
        page.has(["<h1>Booking cancelled</h1>", "Your other answers stay."]);
        page.has([
            "<s>Tour &lt;b&gt;A&lt;/b&gt; · 7 January 2090</s>",
            "<strong class=\"cancelled\">Cancelled</strong>",
        ]);
        page.has([">Ada</dd>", ">Book again</a>"]).lacks(["Submit another response", "<s>Ada"]);
    }
    // Its place is free again.
    let left = b.get(&format!("{}/availability?field=field_2&from={DAY}&to={DAY}", form.published()));
    assert_eq!(left.data()[0]["remaining"], 1, "{left}");
    b.get(&b.cancel).has(["There is no booking to cancel"]);
    b.cancel().is(303);
    b.is("cancelled");
}

#[test]
fn who_may_not_cancel_finds_no_way_to_it() {
    let b = Booked::new();
    // Without the right to the entry there is none.
    let (path, _) = b.cancel.split_once('?').expect("a right");
    for wrong in [path, &format!("{path}?edit_token=nonsense")] {
        b.get(wrong).is(404);
        b.w.anon.post_form(wrong, &[("_action", "submit")]).is(404);
    }
    // A link without it leads to no question.
    b.leads_nowhere(b.receipt.split_once("&edit_token").expect("a right").0);
    let mut fixed = editable(false);
    fixed["availability"] = json!({"manually_closed": false});
    let closed = json!({"availability": {"manually_closed": true}});
    for (settings, status, said) in [(closed, 200, "no longer accepting"), (fixed, 403, "")] {
        b.set(settings);
        b.leads_nowhere(&b.receipt);
        for page in [b.get(&b.cancel), b.cancel()] {
            page.is(status).has([said]);
        }
    }
    b.is("reserved");
}

#[test]
fn question_asks_for_the_forms_password() {
    const QUESTION: [&str; 1] = ["Cancel this booking?"];
    let b = Booked::new();
    b.set(password("sesame"));
    let open = |given| b.w.anon.post_form(&b.cancel, &[("_action", "open"), ("_password", given)]);
    b.get(&b.cancel).lacks(QUESTION);
    open("no").lacks(QUESTION);
    b.cancel().lacks(["Booking cancelled"]);
    b.is("reserved");
    let question = open("sesame");
    let grant = hidden(question.has(QUESTION), "_grant");
    b.w.anon.post_form(&b.cancel, &[("_action", "submit"), ("_grant", &grant)]).is(303);
    b.is("cancelled");
}

#[test]
fn what_is_not_cancelled_says_why() {
    let b = Booked::new();
    let settle = |status: &str| {
        let path = format!("{}/reservation_status", b.w.form.entry(1));
        b.w.owner.patch(path, json!({ "status": status })).is(200);
    };
    settle("completed");
    for (locale, title, text) in [
        ("zh-CN", "这项预约不能取消", "预约已经完成，没有任何更改。"),
        ("en", "This booking can’t be cancelled", "It is already completed. Nothing was changed."),
    ] {
        b.set(json!({ "locale": locale }));
        for page in [b.get(&b.cancel().leads()), b.get(&b.cancel)] {
            page.has([&*format!("<h1>{title}</h1>"), text]);
        }
        b.is("completed");
    }
    // Reserved again it can be cancelled, and the old address of the receipt no longer says otherwise.
    let refused = b.cancel().leads();
    settle("reserved");
    b.get(&refused).lacks(["can’t be cancelled"]);
    // Nothing booked is nothing to cancel.
    b.w.owner.patch(b.w.form.entry(1), json!({"field_values": {"field_2": []}})).is(200);
    b.get(&b.cancel().leads()).has(["<h1>There is no booking to cancel</h1>", "Nothing was changed."]);
}

#[test]
fn cancelled_booking_is_told_of_before_it_is_edited() {
    let b = Booked::new();
    let [title, text] = ["Your booking is cancelled", "Editing your answers doesn’t book again."];
    b.get(&b.own).lacks([title, text]);
    b.cancel().is(303);
    let says_first = |parts: [&str; 2]| {
        let page = b.get(&b.own);
        let (before, _) = page.text.split_once("<form").unwrap_or_else(|| panic!("no form: {page}"));
        assert!(parts.iter().all(|part| before.contains(part)), "{parts:?} before the form: {page}");
    };
    says_first([title, text]);
    // So does the page that has a fault, and it is true.
    let book = |day| {
        let booking = [("field_1", "Grace"), ("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", day)];
        b.w.anon.post_form(&b.own, &booking)
    };
    book("no day").is(422).has([text]);
    let saved = book("2090-01-14").leads();
    b.is("cancelled");
    b.get(&saved).has(["Your booking is cancelled."]);
    b.set(json!({"locale": "zh-CN"}));
    says_first(["您的预约已经取消", "修改回答不会重新预约。"]);
}
