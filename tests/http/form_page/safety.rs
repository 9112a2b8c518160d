//! Secrets that pages keep from respondents, and attacks that fail: hidden fields, system keys, hostile words in every
//! place, owner's patterns and redirects of a form.

use super::*;

const MARK: &str = "\"'><m4rk onload=x>{{field_1}}</style></script><!--";

#[test]
fn hostile_words_are_words_on_every_page() {
    let mut fields = every_kind(MARK, "<m4rk onload=x>");
    fields[0]["default_value"] = json!(MARK);
    fields[1]["default_value"] = json!(MARK);
    fields[3]["default_value"] = json!({"value": "else", "other_text": MARK});
    for layout in ["classic", "card"] {
        let w = World::of(json!({"name": MARK, "description": MARK, "layout": layout, "fields": fields}));
        let theme = json!({"header": {"type": "text", "text": MARK}, "submit_button": {"text": MARK}});
        set_part(&w.owner, &w.form, "theme", theme);
        let message = json!({"style": "text", "text": {"title": MARK, "description": MARK}});
        set(&w.owner, &w.form, json!({"after_submission": {"mode": "show_message", "show_message": message}}));
        let codes: Vec<String> = (1..=29).map(|n| format!("field_{n}")).collect();
        let inputs: Vec<(&str, &str)> = codes.iter().map(|code| (code.as_str(), MARK)).collect();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(&inputs).append_pair("x_field_1", MARK).finish();
        let turned = [&inputs[..], &[("_page", "0"), ("_action", "next"), ("x_field_1", MARK)]].concat();
        let receipt = w.post(&[("field_1", MARK), ("x_field_1", MARK)]).leads();
        for page in [
            w.page(),
            w.anon.get(format!("{}?{query}", w.form.page())),
            w.anon.get(format!("{}?embed=1&{query}", w.form.page())),
            w.post(&inputs),
            w.post(&turned),
            w.anon.get(&receipt),
        ] {
            assert!([200, 422].contains(&page.status), "{page}");
            page.has(["m4rk"]).lacks(["<m4rk", "\"'>", "</script><!--"]);
        }
        let checked = [&inputs[..], &[("_page", "0"), ("_action", "check")]].concat();
        let told = w.anon.header("accept", "application/json").post_form(w.form.page(), &checked).is(200);
        assert_eq!(told.header("content-type"), "application/json");
        let policy = told.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; frame-ancestors"), "{policy}");
    }
}

#[test]
fn respondents_see_nothing_of_what_is_hidden_and_can_set_none_of_it() {
    let text = json!({"hidden": true, "label": "planted-1", "notes": "planted-2", "placeholder": "planted-3",
        "default_value": "planted-4"});
    let w = asking(json!([
        {"short_text": {}}, {"short_text": text},
        {"radio": {"hidden": true, "label": "planted-5", "choices": [
            {"api_code": "planted6", "label": "planted-7", "score": 90210, "quota": 90211}]}},
        {"radio": {"choices": [{"api_code": "open", "label": "Open", "score": 90212, "quota": 5},
            {"api_code": "planted8", "label": "planted-9", "hidden": true}]}},
        {"number": {}}
    ]));
    let rules = json!([rule("field_2", "planted-10", "show", "field_5"), rule("field_1", "show", "show", "field_5")]);
    set_rules(&w.owner, &w.form, rules);
    for page in [
        w.page(),
        w.anon.get(format!("{}?field_2=x&field_3=planted6&field_4=open", w.form.page())),
        w.post(&typed("_page=0&field_4=wrong")),
        w.anon.get(w.form.published()),
    ] {
        page.lacks(["planted", "9021", "field_2", "field_3"]);
    }
    let inputs = "_page=0&field_1=show&field_2=mine&field_3=planted6&field_5=7&serial_number=99&created_at=2001-01-01\
        &creator_name=Mallory&exam_score=100&total_price=0&token=x&info_filling_duration=1";
    w.post(&typed(inputs)).is(303);
    let open = w.newest();
    for (key, stored) in
        [("field_5", json!(7)), ("field_3", Value::Null), ("creator_name", Value::Null), ("serial_number", json!(1))]
    {
        assert_eq!(open[key], stored, "{key}: {open}");
    }
    assert!(open["field_2"] != "mine" && open["token"] != "x", "{open}");
    assert!(open["created_at"].as_str().is_some_and(|at| at > "2026"), "{open}");
    // Hidden by a rule: whatever is sent with it is not taken.
    w.post(&typed("_page=0&field_1=no&field_5=7")).is(303);
    assert_eq!(w.newest()["field_5"], Value::Null);
    // A choice that is hidden can't be taken either.
    w.post(&typed("_page=0&field_4=planted8")).is(422);
}

#[test]
fn no_pattern_of_an_owner_reaches_a_browser() {
    let w = asking(json!([
        {"short_text": {"pattern": "^(a+)+$", "pattern_message": "only letters a"}},
        {"long_text": {"pattern": "(x?){50}"}}
    ]));
    w.page().lacks(["pattern", "(a+)+"]);
    w.post(&[("_page", "0"), ("field_1", "b")]).has(["nly letters a"]);
}

#[test]
fn a_theme_is_never_more_than_its_values() {
    let w = simple();
    w.page().lacks(["<style"]);
    let bad = "</style><script>x</script>|url(https://h/x)|#12345|#1234567|red|#ffffff;}*{display:none|var(--x)|expression(1)";
    for bad in bad.split('|') {
        for (at, body) in [
            ("primary_color", json!({"primary_color": bad})),
            ("background_color", json!({"background_color": bad})),
            ("text_color", json!({"text_color": bad})),
            ("font", json!({"font": bad})),
            ("header.type", json!({"header": {"type": bad}})),
            ("wallpaper.color", json!({"wallpaper": {"color": bad}})),
            ("submit_button.color", json!({"submit_button": {"color": bad}})),
        ] {
            let refused = w.owner.patch(w.form.part("theme"), body);
            assert_eq!(refused.status, 422, "{at} {bad}: {refused}");
            assert_eq!(refused.attributes()[0], at, "{bad}: {refused}");
        }
    }
    // An accent too weak to read is drawn stronger, in light and in dark.
    let weak = json!({"primary_color": "#FFF7A8", "submit_button": {"color": "#FFF7A8"}});
    set_part(&w.owner, &w.form, "theme", weak);
    let page = w.page();
    page.has(["\">:root{--bg:#ffffff;", "prefers-color-scheme: dark", "--button:#fff7a8", "--button-ink:#0b1220"]);
    let light = page.text.split("prefers-color-scheme").next().expect("a part");
    assert!(!light.contains("--accent:#fff7a8"), "{light}");
}

#[test]
fn where_a_form_leads_is_its_owners_word_alone() {
    let w = simple();
    let lead = |url: &str| -> Response {
        let body = json!({"after_submission": {"mode": "redirect", "redirect": {"url": url}}});
        w.owner.patch(w.form.part("settings"), body)
    };
    let bad = "javascript:alert(1) data:text/html,x //e.example/ https://u:p@e.example/ ftp://e.example/ e.example /x ";
    for bad in bad.split(' ') {
        let refused = lead(bad);
        assert_eq!(refused.status, 422, "{bad}: {refused}");
    }
    let templates =
        "https://{{field_1}}/ https://{{field_1}}.example/ https://shop.example{{field_1}}/x https://shop.example/x";
    for template in templates.split(' ') {
        let done = lead(template);
        assert!([200, 422].contains(&done.status), "{template}: {done}");
        for answer in ["evil.example", "@evil.example", ".evil.example", "//evil.example/", "\\evil.example"] {
            // Never to another origin at once: our own page leads on.
            let led = w.post(&[("field_1", answer)]).leads();
            assert!(led.starts_with(&format!("{}/done?", w.form.page())), "{template} {answer}: {led}");
            w.anon.get(led).lacks(["evil.example/\"", "url=https://evil"]);
        }
    }
    // Nobody learns the address before.
    w.page().lacks(["shop.example"]);
    w.anon.get(w.form.published()).lacks(["shop.example"]);
}
