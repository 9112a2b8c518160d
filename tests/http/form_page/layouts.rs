//! The form page's layouts and what its owner's options change: one question at a time, numbers, how
//! far one has come, what is kept, what follows a submission.

use serde_json::{Value, json};
use support::steps::set_part;
use support::{Response, Server, field};

/// The cards of a page that are drawn, and of them those that are shown.
fn cards(page: &Response) -> (usize, Vec<usize>) {
    let sections: Vec<&str> = page.text.split("<section").skip(1).collect();
    let shown = sections.iter().enumerate().filter(|(_, text)| {
        let tag = text.split('>').next().unwrap_or_default();
        !tag.contains(" hidden")
    });
    (sections.len(), shown.map(|(at, _)| at).collect())
}

fn cards_form() -> Value {
    json!({"name": "One by one", "layout": "card", "description": "It takes a minute.", "fields": [
        {"type": "description", "label": "Before we begin", "content": "<p>Nothing here is graded.</p>"},
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "long_text", "label": "Story"},
        {"type": "page_break", "next_text": "Now the numbers", "previous_text": "To the story"},
        {"type": "number", "label": "Years", "min": 3},
        {"type": "description", "label": "The end", "content": "<p>That was all.</p>"},
    ]})
}

#[test]
fn cards_are_pages_without_a_script() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(cards_form());
    let first = anon.get(form.page());
    assert_eq!(cards(&first), (3, vec![0]), "{first}");
    assert!(first.text.contains("class=\"cards\"") && first.text.contains("card.js"), "{first}");
    assert!(first.text.contains(">1 of 3</span>"), "{first}");
    let go = |page: &str, action: &str, years: &str| {
        anon.post_form(
            form.page(),
            &[("_page", page), ("_action", action), ("field_2", "Ada"), ("field_3", "Long\nago"), ("field_5", years)],
        )
    };
    let empty = anon.post_form(form.page(), &[("_page", "0"), ("_action", "next")]);
    assert_eq!((empty.status, cards(&empty).1), (422, vec![0]), "{empty}");
    let second = go("0", "next", "2");
    assert_eq!((second.status, cards(&second).1), (200, vec![1]), "{second}");
    assert!(second.text.contains("form-head later"), "the head steps back: {second}");
    assert!(second.text.contains(">Now the numbers</button>"), "{second}");
    let third = go("1", "next", "2");
    assert_eq!(cards(&third).1, [2], "{third}");
    assert!(third.text.contains(">To the story</button>") && third.text.contains("That was all"), "{third}");
    let back = go("2", "back", "2");
    assert_eq!(cards(&back).1, [1], "{back}");
    assert!(
        back.text.contains("value=\"Ada\"")
            && back.text.contains("Long\nago</textarea>")
            && back.text.contains("value=\"2\""),
        "round trips keep everything: {back}"
    );
    let faulty = go("2", "submit", "2");
    assert_eq!((faulty.status, cards(&faulty).1), (422, vec![2]), "{faulty}");
    assert_eq!(go("2", "submit", "4").status, 303);
    // The same form by pages: no data changes.
    let done = owner.patch(form.path(), json!({"layout": "classic"}));
    assert_eq!(done.status, 200, "{done}");
    let classic = anon.get(form.page());
    assert_eq!(cards(&classic), (2, vec![0]), "{classic}");
    assert!(!classic.text.contains("card.js"), "{classic}");
    assert_eq!(owner.get(form.entries()).data()[0]["field_3"], "Long\nago");
}

#[test]
fn cards_that_rules_hide_are_passed_over() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(json!({"name": "Short ways", "layout": "card", "fields": [
        field("short_text", json!({})), field("short_text", json!({})), field("short_text", json!({})),
    ]}));
    let rule = json!({"condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "long"}]},
        "action": "show", "fields": ["field_2"]});
    let put = owner.put(format!("{}/field_rules", form.path()), json!({"rules": [rule]}));
    assert_eq!(put.status, 200, "{put}");
    let go = |page: &str, action: &str, way: &str| {
        let known = if way == "long" { "" } else { "field_2" };
        let pairs = [("_page", page), ("_action", action), ("_hidden", known), ("field_1", way), ("field_2", "within")];
        anon.post_form(form.page(), &pairs)
    };
    assert_eq!(cards(&go("0", "next", "short")).1, [2]);
    assert_eq!(cards(&go("2", "back", "short")).1, [0]);
    assert_eq!(cards(&go("0", "next", "long")).1, [1]);
    assert_eq!(cards(&go("2", "back", "long")).1, [1]);
    let sent = go("2", "submit", "short");
    assert_eq!(sent.status, 303, "{sent}");
    assert_eq!(owner.get(form.entries()).data()[0]["field_2"], json!(null));
}

#[test]
fn enter_leads_on_whatever_buttons_a_question_has() {
    let server = Server::shared();
    let form = server.user().form_with(cards_form());
    let page = server.anon().get(form.page());
    let body = page.text.split("<form").nth(1).expect("a form");
    let first = body.split("<button").nth(1).expect("a button");
    assert!(first.starts_with(" class=\"enter\" name=\"_action\" value=\"next\""), "{first}");
}

#[test]
fn options_show_numbers_and_how_far_one_has_come() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({"default_value": "x"})),
        field("checkbox", json!({"choices": [{"label": "A"}]})),
        field("description", json!({"content": "<p>x</p>"})),
        field("number", json!({})),
    ]));
    let plain = anon.get(form.page());
    assert!(!plain.text.contains("<progress") && !plain.text.contains("class=\"number\""), "{plain}");
    let options = json!({"submission_options": {"show_progress": true, "show_field_number": true}});
    set_part(&owner, &form, "settings", options.clone());
    let page = anon.get(form.page());
    assert!(page.text.contains("max=\"3\" value=\"1\"") && page.text.contains("1 of 3 answered"), "{page}");
    assert!(page.text.contains("progress.js"), "{page}");
    let numbers: Vec<&str> = page.text.split("class=\"number\">").skip(1).map(|rest| &rest[..2]).collect();
    assert_eq!(numbers, ["1.", "2.", "3."], "{page}");
    let paged = owner.form_with(cards_form());
    let label = "<span role=\"status\">1 of 3</span>";
    let page = anon.get(paged.page());
    assert!(page.text.contains(label) && !page.text.contains("<progress"), "{page}");
    set_part(&owner, &paged, "settings", options);
    let page = anon.get(paged.page());
    assert!(page.text.contains(label) && page.text.contains("max=\"3\" value=\"1\""), "{page}");
}

#[test]
fn what_is_kept_in_the_browser_is_said_and_bounded() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({"required": true}))]));
    let page = anon.get(form.page());
    let keep = |page: &Response| {
        let rest = page.text.split("data-keep=\"").nth(1)?;
        rest.split('"').next().map(str::to_owned)
    };
    let first = keep(&page).expect("kept under a name");
    assert_eq!(first, form.token);
    assert!(page.text.contains("data-fresh") && page.text.contains("saved on this device until you submit"), "{page}");
    assert!(
        page.text.contains("data-modules=\"keep.js") && !page.text.contains("blocking="),
        "a script that is late keeps nothing from being drawn: {page}"
    );
    // What was typed last is on the page itself.
    let refused = anon.post_form(form.page(), &[("_page", "0")]);
    assert!(keep(&refused).is_some() && !refused.text.contains("data-fresh"), "{refused}");
    // What changes in the form keeps the name: each answer comes back whose question still has its type.
    set_part(&owner, &form, "theme", json!({"primary_color": "#00AA55"}));
    assert_eq!(keep(&anon.get(form.page())).as_ref(), Some(&first));
    let fields = json!({"fields": [{"type": "short_text", "label": "Another"}], "confirm_data_loss": true});
    assert_eq!(owner.patch(form.path(), fields).status, 200);
    let changed = anon.get(form.page());
    assert_eq!(keep(&changed), Some(first));
    assert!(changed.text.contains("data-field=\"field_2\" data-type=\"short_text\""), "{changed}");
    let done = anon.post_form(form.page(), &[("field_2", "x")]);
    let thanks = anon.get(done.header("location"));
    assert!(
        thanks.text.contains(&format!("data-sent=\"{}\"", form.token)) && thanks.text.contains("keep.js"),
        "{thanks}"
    );
    // Never in another site's page, and never behind a password.
    let framed = anon.get(format!("{}?embed=1", form.page()));
    assert!(
        keep(&framed).is_none() && !framed.text.contains("keep.js") && !framed.text.contains("saved on this device"),
        "{framed}"
    );
    set_part(&owner, &form, "settings", json!({"access_control": {"access_password": "open sesame"}}));
    let opened = anon.post_form(form.page(), &[("_action", "open"), ("_password", "open sesame")]);
    assert_eq!(opened.status, 200, "{opened}");
    assert!(keep(&opened).is_none() && !opened.text.contains("keep.js"), "{opened}");
}

#[test]
fn thanks_name_what_was_answered_and_read_it_once() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({})),
        field("radio", json!({"choices": [{"api_code": "tea", "label": "Tea & cake"}]})),
        field("short_text", json!({"hidden": true, "default_value": "within"})),
    ]));
    let send = |name: &str| {
        let body = json!({"field_values": {"field_1": name, "field_2": "tea"}, "x_field_1": "flyer"});
        let sent = anon.post(format!("/api/v1/f/{}/entries", form.token), body);
        assert_eq!(sent.status, 201, "{sent}");
        let page = anon.post_form(form.page(), &[("field_1", name), ("field_2", "tea"), ("x_field_1", "flyer")]);
        assert_eq!(page.status, 303, "{page}");
        (sent.data()["after_submission"].clone(), anon.get(page.header("location")))
    };
    let mark = "<i>{{field_2}}{{gen_code}}\"&";
    set_part(
        &owner,
        &form,
        "settings",
        json!({"after_submission": {"mode": "show_message", "show_message": {
        "style": "text",
        "text": {"title": "Thank you, {{field_1}}", "description": "{{ field_2 }} · {{field_3}}· {{x_field_1}} · {{unknown}}"},
        "rich_text": "<p>Dear <b>{{field_1}}</b>, <a href=\"https://shop.example/?n={{field_1}}\">on</a></p>"}}}),
    );
    let (told, page) = send(mark);
    assert_eq!(told["show_message"]["text"]["title"], format!("Thank you, {mark}"));
    assert_eq!(told["show_message"]["text"]["description"], "Tea & cake · · flyer · {{unknown}}");
    assert!(page.text.contains("Thank you, &lt;i&gt;{{field_2}}{{gen_code}}&quot;&amp;"), "{page}");
    assert!(page.text.contains("Tea &amp; cake · · flyer · {{unknown}}"), "{page}");
    set_part(&owner, &form, "settings", json!({"after_submission": {"show_message": {"style": "rich_text"}}}));
    let (told, page) = send(mark);
    for text in [told["show_message"]["rich_text"].as_str().expect("a text"), &page.text] {
        assert!(text.contains("<b>&lt;i&gt;{{field_2}}{{gen_code}}") && !text.contains("<i>"), "{text}");
        assert!(!text.contains("within"), "{text}");
    }
    // In an address an answer is data: it changes neither where it leads nor what follows it.
    set_part(
        &owner,
        &form,
        "settings",
        json!({"after_submission": {"mode": "redirect",
        "redirect": {"url": "https://shop.example/{{field_1}}/x?n={{field_1}}&k=v", "fields": ["field_2"]}}}),
    );
    let (told, page) = send("../a?b&c=d#e");
    let address = "https://shop.example/..%2Fa%3Fb%26c%3Dd%23e/x?n=..%2Fa%3Fb%26c%3Dd%23e&k=v&field_2=Tea+%26+cake";
    assert_eq!(told["redirect"]["url"], address);
    assert!(page.text.contains(&format!("href=\"{}\"", address.replace('&', "&amp;"))), "{page}");
}

#[test]
fn a_text_shows_numbers_and_dates_as_the_locale_writes_them() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(json!({"name": "A form", "locale": "de", "fields": [
        field("number", json!({})),
        field("formula", json!({"expression": "field_1 * 2", "result_type": "number"})),
    ]}));
    set_part(
        &owner,
        &form,
        "settings",
        json!({"after_submission": {"mode": "show_message", "show_message": {
            "style": "text", "text": {"title": "{{field_1}} und {{field_2}}", "description": ""}}}}),
    );
    let body = json!({"field_values": {"field_1": 1234.5}});
    let sent = anon.post(format!("/api/v1/f/{}/entries", form.token), body.clone());
    let told = &sent.data()["after_submission"];
    assert_eq!(told["show_message"]["text"]["title"], "1234.5 und 2469");
    let done = anon.post_form(form.page(), &[("field_1", "1234,5")]);
    let page = anon.get(done.header("location"));
    assert!(page.text.contains(">1234,5 und 2469<"), "{page}");
    set_part(
        &owner,
        &form,
        "settings",
        json!({"after_submission": {"mode": "redirect",
            "redirect": {"url": "https://shop.example/?n={{field_1}}", "fields": ["field_1"]}}}),
    );
    let sent = anon.post(format!("/api/v1/f/{}/entries", form.token), body);
    assert_eq!(sent.data()["after_submission"]["redirect"]["url"], "https://shop.example/?n=1234.5&field_1=1234.5");
}

#[test]
fn the_address_fills_in_whole_values_and_their_parts() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({})),
        field("phone", json!({})),
        field("checkbox", json!({"choices": [{"api_code": "aaaa", "label": "A"}, {"api_code": "oooo", "label": "O", "is_other": true}]})),
        field("short_text", json!({"hidden": true})),
    ]));
    let get = |query: &str| anon.get(format!("{}?{query}", form.page()));
    // A text stays as it is, also where it looks like JSON.
    let page =
        get("field_1=%7B%22a%22%3A1%7D&field_2.country_id=FR&field_2.number=612345678&field_3=aaaa&field_3=oooo");
    assert!(page.text.contains("value=\"{&quot;a&quot;:1}\""), "{page}");
    assert!(page.text.contains("value=\"FR\" selected") && page.text.contains("value=\"612345678\""), "{page}");
    assert_eq!(page.text.matches(" checked").count(), 2, "{page}");
    let page = get(
        "field_2=%7B%22country_id%22%3A%22FR%22%2C%22number%22%3A%22612345678%22%7D&field_3=%5B%22aaaa%22%2C%7B%22value%22%3A%22oooo%22%2C%22other_text%22%3A%22mine%22%7D%5D&field_4=no",
    );
    assert!(page.text.contains("value=\"FR\" selected") && page.text.contains("value=\"612345678\""), "{page}");
    assert_eq!(page.text.matches(" checked").count(), 2, "{page}");
    assert!(page.text.contains("value=\"mine\"") && !page.text.contains("field_4"), "{page}");
    // Whatever stands there, a page comes.
    for odd in
        ["%5B", "%7B%7D", "%5B%5B%5B1%5D%5D%5D", "%7B%22value%22%3A%7B%7D%7D", "%5Bnull%2C1%2Ctrue%5D", "%00", "%FF%FE"]
    {
        for field in [
            "field_1",
            "field_2",
            "field_3",
            "field_2.number",
            "field_3[0].value",
            "field_1[",
            "field_2....",
            "field_99",
        ] {
            assert_eq!(get(&format!("{field}={odd}")).status, 200, "{field}={odd}");
        }
    }
    let deep = "%5B".repeat(2000);
    assert_eq!(get(&format!("field_3={deep}")).status, 200);
}
