//! Parameters of the page's address: values that it fills in (`?field_1=Ada`) and stores with the entry
//! (`?x_field_1=flyer`), and their counterpart for programs.

use super::*;

fn opened(w: &World, query: &str) -> Response {
    w.anon.get(format!("{}?{query}", w.form.page())).is(200)
}

#[test]
fn address_fills_in_and_is_stored() {
    let w = asking(json!([
        {"short_text": {"default_value": "as always"}},
        {"radio": {"choices": [{"api_code": "aaaa", "label": "A"}, {"api_code": "bbbb", "label": "B"}]}},
        {"short_text": {"hidden": true}}
    ]));
    w.page().has([r#"value="as always""#]);
    let page = opened(&w, "field_1=%22%3E%3Cb%3E&field_2=bbbb&field_3=no&x_field_1=flyer&field_9=x");
    page.has([r#"value="&quot;&gt;&lt;b&gt;""#, r#"value="bbbb" checked"#]).lacks(["field_3"]);
    assert_eq!(hidden(&page, "x_field_1"), "flyer");
    let long = "x".repeat(256);
    opened(&w, &format!("x_field_1={long}")).lacks([&long]);
    w.post(&[("x_field_1", &long)]).is(422);
    // Emptied on our page is empty; left out by another client is the default.
    w.post(&typed("_page=0&field_1=&x_field_1=flyer")).is(303);
    let entry = w.newest();
    assert_eq!((&entry["field_1"], &entry["x_field_1"]), (&json!(null), &json!("flyer")), "{entry}");
    w.post(&typed("field_2=aaaa&field_3=no")).is(303);
    let entry = w.newest();
    assert_eq!((&entry["field_1"], &entry["field_3"]), (&json!("as always"), &json!(null)), "{entry}");
}

#[test]
fn address_fills_in_whole_values_and_their_parts() {
    let choices = json!([{"api_code": "aaaa", "label": "A"}, {"api_code": "oooo", "label": "O", "is_other": true}]);
    let w = asking(json!([
        {"short_text": {}}, {"phone": {}}, {"checkbox": {"choices": choices}}, {"short_text": {"hidden": true}}
    ]));
    let [country, number] = [r#"value="FR" selected"#, r#"value="612345678""#];
    // A text is used unchanged, also where it looks like JSON.
    let [text, other] = [r#"value="{&quot;a&quot;:1}""#, r#"value="mine""#];
    for (query, shown) in [
        ("field_1=%7B%22a%22%3A1%7D&field_2.country_id=FR&field_2.number=612345678&field_3=aaaa&field_3=oooo", text),
        (
            "field_2=%7B%22country_id%22%3A%22FR%22%2C%22number%22%3A%22612345678%22%7D&field_4=no\
             &field_3=%5B%22aaaa%22%2C%7B%22value%22%3A%22oooo%22%2C%22other_text%22%3A%22mine%22%7D%5D",
            other,
        ),
    ] {
        let page = opened(&w, query);
        page.has([country, number, shown]).lacks(["field_4"]);
        assert_eq!(page.text.matches(" checked").count(), 2, "{query}: {page}");
    }
    // A page comes for any text there.
    let odd = "%5B %7B%7D %5B%5B%5B1%5D%5D%5D %7B%22value%22%3A%7B%7D%7D %5Bnull%2C1%2Ctrue%5D %00 %FF%FE";
    let names = "field_1 field_2 field_3 field_2.number field_3[0].value field_1[ field_2.... field_99";
    for (odd, name) in odd.split(' ').flat_map(|odd| names.split(' ').map(move |name| (odd, name))) {
        let page = w.anon.get(format!("{}?{name}={odd}", w.form.page()));
        assert_eq!(page.status, 200, "{name}={odd}");
    }
    opened(&w, &format!("field_3={}", "%5B".repeat(2000)));
}

#[test]
fn programs_send_the_address_field_and_when_filling_in_began() {
    let w = simple();
    let post = |body| w.anon.post(w.form.submissions(), body);
    post(json!({"field_values": {"field_1": "x"}, "x_field_1": "flyer", "started_at": "2020-01-01T00:00:00Z"})).is(201);
    let entry = w.newest();
    let seconds = entry["info_filling_duration"].as_i64().expect("seconds");
    assert!(entry["x_field_1"] == "flyer" && seconds > 6 * 365 * 86_400, "{entry}");
    let bad = json!({"field_values": {}, "x_field_1": "x".repeat(256), "started_at": "yesterday", "password": 1});
    assert_eq!(post(bad).attributes(), ["password", "x_field_1", "started_at"]);
    assert_eq!(post(json!({})).faults(), ["field_values: is required"]);
    assert_eq!(post(json!({"field_values": []})).faults(), ["field_values: must be an object"]);
}
