//! The page after a submission: the owner's words with the answers in them, the owner's page, another answer.

use super::*;

fn after(w: &World, group: Value) {
    set(&w.owner, &w.form, json!({ "after_submission": group }));
}

fn words(title: &str, description: &str, rich: &str) -> Value {
    let text = json!({"title": title, "description": description});
    json!({"mode": "show_message", "show_message": {"style": "text", "text": text, "rich_text": rich}})
}

/// The settings that a program gets after it, and the page that a browser is led to.
fn sent(w: &World, values: Value, inputs: &[(&str, &str)]) -> (Value, Response) {
    let told = w.anon.post(w.form.submissions(), values).is(201);
    (told.data()["after_submission"].clone(), w.anon.get(w.post(inputs).leads()))
}

#[test]
fn thanks_name_what_was_answered_and_read_it_once() {
    let w = asking(json!([
        {"short_text": {}}, {"radio": {"choices": [{"api_code": "tea", "label": "Tea & cake"}]}},
        {"short_text": {"hidden": true, "default_value": "within"}}
    ]));
    let send = |name: &str| {
        let values = json!({"field_values": {"field_1": name, "field_2": "tea"}, "x_field_1": "flyer"});
        sent(&w, values, &[("field_1", name), ("field_2", "tea"), ("x_field_1", "flyer")])
    };
    let mark = "<i>{{field_2}}{{gen_code}}\"&";
    let description = "{{ field_2 }} · {{field_3}}· {{x_field_1}} · {{unknown}}";
    let rich =
        "<p>Dear <b>{{field_1}}</b>, <script>x</script><a href=\"https://shop.example/?n={{field_1}}\">on</a></p>";
    after(&w, words("Thank <you>, {{field_1}}", description, rich));
    let (told, page) = send(mark);
    let text = json!({"title": format!("Thank <you>, {mark}"), "description": "Tea & cake · · flyer · {{unknown}}"});
    assert_eq!(told["show_message"]["text"], text);
    page.has([
        "Thank &lt;you&gt;, &lt;i&gt;{{field_2}}{{gen_code}}&quot;&amp;",
        "Tea &amp; cake · · flyer · {{unknown}}",
    ]);
    after(&w, json!({"show_message": {"style": "rich_text"}}));
    let (told, page) = send(mark);
    let rich = told["show_message"]["rich_text"].as_str().expect("a text");
    for text in [rich, &page.text] {
        assert!(text.contains("<b>&lt;i&gt;{{field_2}}{{gen_code}}"), "{text}");
        assert!(!["<i>", "<script>x", "within"].iter().any(|leak| text.contains(leak)), "{text}");
    }
    // In an address an answer is data: it changes neither the target nor the text after it.
    let url = "https://shop.example/{{field_1}}/x?n={{field_1}}&k=v";
    after(&w, json!({"mode": "redirect", "redirect": {"url": url, "fields": ["field_2"]}}));
    let (told, page) = send("../a?b&c=d#e\"");
    let address =
        "https://shop.example/..%2Fa%3Fb%26c%3Dd%23e%22/x?n=..%2Fa%3Fb%26c%3Dd%23e%22&k=v&field_2=Tea+%26+cake";
    assert_eq!(told["redirect"]["url"], address);
    let address = address.replace('&', "&amp;");
    page.has([format!("content=\"0; url={address}\""), format!("href=\"{address}\" rel=\"noopener noreferrer\"")]);
}

#[test]
fn thanks_write_numbers_as_the_locale_does_and_programs_get_plain_ones() {
    let w = World::of(json!({"name": "A form", "locale": "de", "fields": [
        {"type": "number", "label": "n"},
        {"type": "formula", "label": "f", "expression": "field_1 * 2", "result_type": "number"}]}));
    let send = || sent(&w, json!({"field_values": {"field_1": 1234.5}}), &[("field_1", "1234,5")]);
    after(&w, words("{{field_1}} und {{field_2}}", "", ""));
    let (told, page) = send();
    assert_eq!(told["show_message"]["text"]["title"], "1234.5 und 2469");
    page.has([">1234,5 und 2469<"]);
    let redirect = json!({"url": "https://shop.example/?n={{field_1}}", "fields": ["field_1"]});
    after(&w, json!({"mode": "redirect", "redirect": redirect}));
    assert_eq!(send().0["redirect"]["url"], "https://shop.example/?n=1234.5&field_1=1234.5");
}

#[test]
fn thanks_say_what_was_done() {
    let goods = json!([{"api_code": "tea", "name": "Tea", "price": 3}]);
    let slots = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 9}]});
    let item = json!({"api_code": "tour", "name": "Tour", "quota_setting": slots});
    let (ordered, booked) = (
        [("field_2[0].api_code", "tea"), ("field_2[0].number", "2")],
        [("field_3[0].api_code", "tour"), ("field_3[0].scheduled_at", "2090-01-07")],
    );
    for (scene, inputs, english, chinese) in [
        ("form", &[("field_1", "Ada")][..], "Thank you", "谢谢您"),
        ("survey", &[], "Thank you", "谢谢您"),
        ("registration", &[], "Your registration is in", "报名成功"),
        ("exam", &[], "Your exam is handed in", "试卷已提交"),
        ("order", &ordered, "Your order is placed", "订单已提交"),
        ("form", &ordered, "Your order is placed", "订单已提交"),
        ("booking", &booked, "Your booking is confirmed", "预约成功"),
        // Without orders and bookings, the page mentions none.
        ("order", &[], "Thank you", "谢谢您"),
        ("booking", &[], "Thank you", "谢谢您"),
    ] {
        let w = World::of(json!({"name": "A form", "scene": scene, "fields": [
            {"type": "short_text", "label": "t"},
            {"type": "product", "label": "p", "goods_items": goods},
            {"type": "booking", "label": "b", "reservation_items": [item]}]}));
        let receipt = w.post(inputs).leads();
        for (locale, title) in [("en", english), ("zh-CN", chinese)] {
            set(&w.owner, &w.form, json!({ "locale": locale }));
            w.anon.get(&receipt).has([format!("<h1>{title}</h1>"), format!("<title>{title}</title>")]);
        }
        // The owner's words replace it.
        after(&w, words("Until then!", "", ""));
        w.anon.get(&receipt).has(["<h1>Until then!</h1>"]).lacks([format!("<h1>{chinese}</h1>")]);
    }
}

#[test]
fn thanks_tell_first_what_was_sent_and_then_what_to_do() {
    let w = simple().settings(editable(true));
    let page = w.anon.get(w.post(&[("field_1", "Ada")]).leads());
    let place = |part: &str| page.text.find(part).unwrap_or_else(|| panic!("{part}: {page}"));
    let parts =
        ["<dl class=\"receipt\">", "class=\"row ways\"", "Edit your answers", "id=\"print\"", "id=\"edit-link\""];
    assert!(parts.map(place).is_sorted(), "{page}");
    assert_eq!(page.text.matches("class=\"row ways\"").count(), 1, "{page}");
}

#[test]
fn thanks_lead_to_another_answer_while_one_is_taken() {
    let w = simple();
    let first = w.post(&[("field_1", "Ada")]).leads();
    let leads = |receipt: &str, to: &str| w.anon.get(receipt).is(200).text.contains(&format!("href=\"{to}\""));
    assert!(leads(&first, &w.form.page()));
    // In a frame it stays in the frame.
    let framed = format!("{}?embed=1", w.form.page());
    assert!(leads(&w.anon.post_form(&framed, &[("field_1", "Ada")]).leads(), &framed));
    for shut in [
        json!({"availability": {"entries_limit": 2}}),
        json!({"availability": {"entries_limit": null, "manually_closed": true}}),
        json!({"availability": {"manually_closed": false}, "submission_options": {"one_per_respondent": "browser"}}),
    ] {
        set(&w.owner, &w.form, shut.clone());
        assert!(!leads(&first, &w.form.page()), "{shut}");
    }
}
