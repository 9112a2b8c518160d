//! What pages keep from respondents and what respondents can't do to them: hidden fields, system keys,
//! hostile words in every place, addresses that fill in, owner's patterns and where a form leads.

use serde_json::{Value, json};
use support::steps::set_part;
use support::{Server, field};

const MARK: &str = "\"'><m4rk onload=x>{{field_1}}</style></script><!--";

/// A definition whose every word is hostile.
fn hostile(kind: &str, own: Value) -> Value {
    let mut field = field(kind, own);
    field["label"] = json!(MARK);
    if kind != "description" {
        field["notes"] = json!(MARK);
        field["placeholder"] = json!(MARK);
    }
    field
}

/// Fields of every kind that needs nothing but words.
fn all(mark: &str) -> Value {
    let list = json!([{"api_code": "a", "label": mark}, {"api_code": "o", "label": mark, "is_other": true}]);
    let plain = json!([{"api_code": "a", "label": mark}, {"api_code": "b", "label": mark}]);
    json!([
        hostile("short_text", json!({"default_value": mark})),
        hostile("long_text", json!({"default_value": mark})),
        hostile("name", json!({})),
        hostile("email", json!({})),
        hostile("url", json!({})),
        hostile("phone", json!({})),
        hostile("number", json!({"unit": "<m4rk onload=x>"})),
        hostile("date", json!({})),
        hostile("time", json!({})),
        hostile("radio", json!({"choices": list, "default_value": {"value": "o", "other_text": mark}})),
        hostile("checkbox", json!({"choices": list})),
        hostile("dropdown", json!({"choices": list})),
        hostile(
            "cascade",
            json!({"choices": [{"api_code": "a", "label": mark, "children": [{"api_code": "b", "label": mark}]}]})
        ),
        hostile("ranking", json!({"choices": plain})),
        hostile("rating", json!({})),
        hostile("nps", json!({"min_label": mark, "max_label": mark})),
        hostile(
            "likert",
            json!({"statements": plain, "choices": [{"api_code": "c", "label": mark}, {"api_code": "d", "label": mark}]})
        ),
        hostile(
            "product",
            json!({"goods_items": [{"api_code": "a", "name": mark, "description": mark, "price": 1,
            "dimensions": [{"api_code": "d", "name": mark, "options": [{"api_code": "o", "name": mark}]}]}], "unit": "<m4rk onload=x>"})
        ),
        hostile(
            "booking",
            json!({"reservation_items": [{"api_code": "a", "name": mark, "description": mark,
            "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 2}]}}]})
        ),
        hostile("description", json!({"content": mark})),
    ])
}

#[test]
fn hostile_words_are_words_on_every_page() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for layout in ["classic", "card"] {
        let form = owner.form_with(json!({"name": MARK, "description": MARK, "layout": layout, "fields": all(MARK)}));
        set_part(
            &owner,
            &form,
            "theme",
            json!({"header": {"type": "text", "text": MARK}, "submit_button": {"text": MARK}}),
        );
        set_part(
            &owner,
            &form,
            "settings",
            json!({"after_submission": {"mode": "show_message",
            "show_message": {"style": "text", "text": {"title": MARK, "description": MARK}}}}),
        );
        let codes: Vec<String> = (1..=19).map(|n| format!("field_{n}")).collect();
        let typed: Vec<(&str, &str)> = codes.iter().map(|code| (code.as_str(), MARK)).collect();
        let query: String = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&typed)
            .append_pair("x_field_1", MARK)
            .finish();
        let sent = anon.post_form(form.page(), &[("field_1", MARK), ("x_field_1", MARK)]);
        assert_eq!(sent.status, 303, "{sent}");
        for page in [
            anon.get(form.page()),
            anon.get(format!("{}?{query}", form.page())),
            anon.get(format!("{}?embed=1&{query}", form.page())),
            anon.post_form(form.page(), &typed),
            anon.post_form(
                form.page(),
                &[&typed[..], &[("_page", "0"), ("_action", "next"), ("x_field_1", MARK)]].concat(),
            ),
            anon.get(sent.header("location")),
        ] {
            assert!([200, 422].contains(&page.status), "{page}");
            assert!(page.text.contains("m4rk"), "{page}");
            assert!(!page.text.contains("<m4rk") && !page.text.contains("\"'>"), "{page}");
            assert!(!page.text.contains("</script><!--"), "{page}");
        }
        let told = anon
            .header("accept", "application/json")
            .post_form(form.page(), &[&typed[..], &[("_page", "0"), ("_action", "check")]].concat());
        assert_eq!((told.status, told.header("content-type")), (200, "application/json"));
        assert!(told.header("content-security-policy").starts_with("default-src 'none'; frame-ancestors"));
    }
}

#[test]
fn respondents_see_nothing_of_what_is_hidden_and_can_set_none_of_it() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({})),
        field("short_text", json!({"hidden": true, "label": "planted-1", "notes": "planted-2", "placeholder": "planted-3", "default_value": "planted-4"})),
        field("radio", json!({"hidden": true, "label": "planted-5", "choices": [{"api_code": "planted6", "label": "planted-7", "score": 90210, "quota": 90211}]})),
        field("radio", json!({"choices": [
            {"api_code": "open", "label": "Open", "score": 90212, "quota": 5},
            {"api_code": "planted8", "label": "planted-9", "hidden": true}]})),
        field("number", json!({})),
    ]));
    let rule = |field: &str, value: &str, target: &str| {
        json!({"condition": {"operand": "and", "items": [{"field": field, "operator": "eq", "value": value}]},
               "action": "show", "fields": [target]})
    };
    let put = owner.put(
        format!("{}/field_rules", form.path()),
        json!({"rules": [rule("field_2", "planted-10", "field_5"), rule("field_1", "show", "field_5")]}),
    );
    assert_eq!(put.status, 200, "{put}");
    let pages = [
        anon.get(form.page()),
        anon.get(format!("{}?field_2=x&field_3=planted6&field_4=open", form.page())),
        anon.post_form(form.page(), &[("_page", "0"), ("field_4", "wrong")]),
        anon.get(form.published()),
    ];
    for page in &pages {
        for planted in ["planted", "9021", "field_2", "field_3"] {
            assert!(!page.text.contains(planted), "{planted}: {page}");
        }
    }
    let sent = anon.post_form(
        form.page(),
        &[
            ("_page", "0"),
            ("field_1", "show"),
            ("field_2", "mine"),
            ("field_3", "planted6"),
            ("field_5", "7"),
            ("serial_number", "99"),
            ("created_at", "2001-01-01"),
            ("creator_name", "Mallory"),
            ("exam_score", "100"),
            ("total_price", "0"),
            ("token", "x"),
            ("info_filling_duration", "1"),
        ],
    );
    assert_eq!(sent.status, 303, "{sent}");
    // Hidden by a rule: whatever is sent with it is not taken.
    let sent = anon.post_form(form.page(), &[("_page", "0"), ("field_1", "no"), ("field_5", "7")]);
    assert_eq!(sent.status, 303, "{sent}");
    let entries = owner.get(form.entries()).data();
    let (by_rule, open) = (&entries[0], &entries[1]);
    assert_eq!((&open["field_5"], &by_rule["field_5"]), (&json!(7), &json!(null)), "{entries}");
    assert_ne!(open["field_2"], "mine");
    assert_eq!((&open["field_3"], &open["creator_name"]), (&json!(null), &json!(null)));
    assert_eq!(open["serial_number"], 1);
    assert_ne!(open["token"], "x");
    assert!(open["created_at"].as_str().is_some_and(|at| at > "2026"), "{open}");
    // A choice that is hidden can't be taken either.
    let refused = anon.post_form(form.page(), &[("_page", "0"), ("field_4", "planted8")]);
    assert_eq!(refused.status, 422);
}

#[test]
fn no_pattern_of_an_owner_reaches_a_browser() {
    let server = Server::shared();
    let form = server.user().form(json!([
        field("short_text", json!({"pattern": "^(a+)+$", "pattern_message": "only letters a"})),
        field("long_text", json!({"pattern": "(x?){50}"})),
    ]));
    let page = server.anon().get(form.page());
    assert!(!page.text.contains("pattern") && !page.text.contains("(a+)+"), "{page}");
    let refused = server.anon().post_form(form.page(), &[("_page", "0"), ("field_1", "b")]);
    assert!(refused.text.contains("nly letters a"), "{refused}");
}

#[test]
fn a_theme_is_never_more_than_its_values() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let path = format!("{}/theme", form.path());
    for bad in [
        "</style><script>x</script>",
        "url(https://h/x)",
        "#12345",
        "#1234567",
        "red",
        "#ffffff;}*{display:none",
        "var(--x)",
        "expression(1)",
    ] {
        for (at, body) in [
            ("primary_color", json!({"primary_color": bad})),
            ("background_color", json!({"background_color": bad})),
            ("text_color", json!({"text_color": bad})),
            ("font", json!({"font": bad})),
            ("header.type", json!({"header": {"type": bad}})),
            ("wallpaper.color", json!({"wallpaper": {"color": bad}})),
            ("submit_button.color", json!({"submit_button": {"color": bad}})),
        ] {
            let refused = owner.patch(&path, body);
            assert_eq!(refused.status, 422, "{at} {bad}: {refused}");
            assert!(refused.faults()[0].starts_with(&format!("{at}: ")), "{refused}");
        }
    }
    // An accent too weak to read is drawn stronger, in light and in dark.
    set_part(&owner, &form, "theme", json!({"primary_color": "#FFF7A8", "submit_button": {"color": "#FFF7A8"}}));
    let page = anon.get(form.page());
    let style = page.text.split("<style").nth(1).and_then(|rest| rest.split("</style>").next()).expect("a block");
    assert!(
        style.contains("prefers-color-scheme: dark") && !style.contains("--accent:#fff7a8;--accent-ink:#ffffff"),
        "{style}"
    );
    assert!(style.contains("--button:#fff7a8") && style.contains("--button-ink:#0b1220"), "{style}");
}

#[test]
fn where_a_form_leads_is_its_owners_word_alone() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({}))]));
    for bad in [
        "javascript:alert(1)",
        "data:text/html,x",
        "//e.example/",
        "https://u:p@e.example/",
        "ftp://e.example/",
        "e.example",
        "/x",
        "",
    ] {
        let body = json!({"after_submission": {"mode": "redirect", "redirect": {"url": bad}}});
        let refused = owner.patch(format!("{}/settings", form.path()), body);
        assert_eq!(refused.status, 422, "{bad}: {refused}");
    }
    for template in [
        "https://{{field_1}}/",
        "https://{{field_1}}.example/",
        "https://shop.example{{field_1}}/x",
        "https://shop.example/x",
    ] {
        let body = json!({"after_submission": {"mode": "redirect", "redirect": {"url": template}}});
        let done = owner.patch(format!("{}/settings", form.path()), body);
        assert!([200, 422].contains(&done.status), "{template}: {done}");
        for answer in ["evil.example", "@evil.example", ".evil.example", "//evil.example/", "\\evil.example"] {
            let sent = anon.post_form(form.page(), &[("field_1", answer)]);
            // Never to another origin at once: our own page leads on.
            assert!(sent.header("location").starts_with(&format!("{}/done?", form.page())), "{sent}");
            let thanks = anon.get(sent.header("location"));
            assert!(!thanks.text.contains("evil.example/\"") && !thanks.text.contains("url=https://evil"), "{thanks}");
        }
    }
    // Nobody learns the address before.
    let shown = anon.get(form.published());
    assert!(!shown.text.contains("shop.example") && !anon.get(form.page()).text.contains("shop.example"));
}
