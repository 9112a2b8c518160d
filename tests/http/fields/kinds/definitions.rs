//! Definitions of fields: their stored members, and their faults (contract 3.1, S47, S49).

use serde_json::{Value, json};
use support::steps::make;
use support::{Server, field};

use crate::fields::kinds::{faults, refuse};

fn choices() -> Value {
    json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}])
}

#[test]
fn every_key_of_every_kind_is_kept() {
    let owner = Server::shared().user();
    let rules = json!({"min_length": 1, "max_length": 9, "pattern": "[a-z]*", "pattern_message": "small"});
    let common = json!({
        "label": "L", "notes": "<p>n</p>", "required": true, "hidden": false, "placeholder": "p",
    });
    let choices = json!([
        {"api_code": "a", "label": "A", "hidden": true, "quota": 3, "score": 1.5},
        {"api_code": "b_2", "label": "B", "is_other": true},
        {"api_code": "C", "label": "C", "allow_extended_text": true},
    ]);
    let plain = json!([choices[0], {"api_code": "C", "label": "C"}]);
    let plain_and_other = json!([choices[0], choices[1]]);
    let tree = json!([
        {"api_code": "a", "label": "A", "children": [{"api_code": "b", "label": "B", "children": [{"api_code": "c", "label": "C"}]}]},
        {"api_code": "d", "label": "D"},
    ]);
    for (kind, own) in [
        ("short_text", rules.clone()),
        ("long_text", rules.clone()),
        ("name", rules),
        ("email", json!({"allowed_domains": ["example.com"]})),
        ("phone", json!({"default_country": "CN", "allowed_countries": ["CN", "US"]})),
        ("number", json!({"min": -1, "max": 2.5, "precision": 6, "unit": "kg"})),
        ("date", json!({"precision": "month", "min": "2026-01", "max": "today"})),
        ("radio", json!({"choices": choices, "random_order": true})),
        ("checkbox", json!({"choices": choices, "random_order": true, "min_selected": 1, "max_selected": 2})),
        ("url", json!({})),
        ("time", json!({"include_second": true})),
        ("dropdown", json!({"choices": plain_and_other})),
        ("image_radio", json!({"choices": plain})),
        ("image_checkbox", json!({"choices": plain, "min_selected": 1, "max_selected": 2})),
        ("cascade", json!({"levels": 3, "choices": tree})),
        ("ranking", json!({"choices": plain, "min_ranked": 1, "max_ranked": 2})),
        ("rating", json!({"rating_max": 10, "icon": "number"})),
        ("nps", json!({"min_label": "Never", "max_label": "Sure"})),
    ] {
        let mut sent = json!({"api_code": "field_1", "type": kind});
        for (key, value) in common.as_object().into_iter().chain(own.as_object()).flatten() {
            sent[key] = value.clone();
        }
        let mut new = sent.clone();
        new.as_object_mut().expect("an object").remove("api_code");
        let form = owner.form(json!([new]));
        assert_eq!(form.body["fields"], json!([sent]), "{kind}");
        // A definition that was read may be written back.
        let again = owner.patch(form.path(), json!({"fields": form.body["fields"]}));
        assert_eq!(again.data()["fields"], form.body["fields"], "{kind}: {again}");
    }
    let form = owner.form(json!([
        {"type": "page_break", "previous_text": "Back", "next_text": "On"},
        {"type": "page_break", "label": "Part two", "required": true, "hidden": true, "default_value": 1},
        {"type": "description", "label": "D", "content": "<p onclick=x>Hi <script>1</script><b>you</b></p>"},
    ]));
    assert_eq!(
        form.body["fields"],
        json!([
            {"api_code": "field_1", "type": "page_break", "label": "", "hidden": false, "previous_text": "Back", "next_text": "On"},
            {"api_code": "field_2", "type": "page_break", "label": "Part two", "hidden": true},
            {"api_code": "field_3", "type": "description", "label": "D", "hidden": false, "content": "<p>Hi <b>you</b></p>"},
        ])
    );
}

#[test]
fn what_all_fields_have_is_checked() {
    let owner = Server::shared().user();
    let faults = |own: Value| faults(&owner, "short_text", own);
    refuse(
        &faults,
        &[
            (json!({"label": null}), &[".label: can't be blank"]),
            (json!({"label": " \u{7}\n"}), &[".label: can't be blank"]),
            (json!({"label": "x".repeat(501)}), &[".label: is too long (at most 500 characters)"]),
            (json!({"label": "a\0"}), &[".label: must not contain NUL characters"]),
            (
                json!({
                    "label": [], "notes": {}, "required": "yes", "hidden": 1, "placeholder": 2, "unique": null, "default_value": 3,
                }),
                &[
                    ".label: must be a string",
                    ".notes: must be a string",
                    ".required: must be true or false",
                    ".hidden: must be true or false",
                    ".placeholder: must be a string",
                    ".default_value: must be a string",
                ],
            ),
        ],
    );
    assert_eq!(faults(json!({"notes": "x".repeat((64 << 10) + 1)})).len(), 1);
    assert_eq!(faults(json!({"api_code": "field_1"})), [".api_code: is not a field of this form"]);
    let no_type = make(&owner, &json!([{"label": "x"}, {"type": 5, "label": "x"}, {"type": "Radio", "label": "x"}]));
    assert_eq!(no_type.attributes(), ["fields[0].type", "fields[1].type", "fields[2].type"]);
    for unlabelled in ["description", "radio", "date"] {
        let answer = make(&owner, &json!([{"type": unlabelled, "choices": choices()}]));
        assert_eq!(answer.faults(), ["fields[0].label: can't be blank"]);
    }
}

#[test]
fn texts_rules_are_checked() {
    let owner = Server::shared().user();
    for kind in ["short_text", "long_text", "name"] {
        let faults = |own: Value| faults(&owner, kind, own);
        refuse(
            &faults,
            &[
                (
                    json!({"min_length": -1, "max_length": 0}),
                    &[".min_length: must be 0 to 100000", ".max_length: must be 1 to 100000"],
                ),
                (
                    json!({"min_length": 1.5, "max_length": "9"}),
                    &[".min_length: must be a whole number", ".max_length: must be a whole number"],
                ),
                (json!({"min_length": 5, "max_length": 4}), &[".max_length: must not be less than min_length"]),
                (json!({"max_length": 100_001}), &[".max_length: must be 1 to 100000"]),
            ],
        );
        for bad in ["(", "[a", "a{2,1}", "(?=a)", "(?<!a)b", "(a)\\1", "a)|(b", "\\", "*"] {
            assert_eq!(faults(json!({"pattern": bad})), [".pattern: is not a valid RE2 pattern"], "{bad}");
        }
        assert_eq!(
            faults(json!({"pattern": 5, "pattern_message": "x".repeat(501)})),
            [".pattern: must be a string", ".pattern_message: is too long (at most 500 characters)"]
        );
        // A default has to be a value that the field takes.
        assert_eq!(
            faults(json!({"max_length": 2, "pattern": "\\d+", "default_value": "abc"})),
            [".default_value: is too long (at most 2 characters)"]
        );
    }
}

#[test]
fn patterns_are_bounded() {
    let owner = Server::shared().user();
    for huge in ["((a{100}){100}){100}", "\\p{L}{1000}", "(?:x{1000}){1000}"] {
        assert_eq!(
            faults(&owner, "short_text", json!({"pattern": huge})),
            [".pattern: is too large: use fewer or smaller repetitions"],
            "{huge}"
        );
    }
    let deep = format!("{}a{}", "(".repeat(51), ")".repeat(51));
    assert_eq!(faults(&owner, "short_text", json!({"pattern": deep})).len(), 1);
    let long = "a".repeat(1001);
    assert_eq!(
        faults(&owner, "short_text", json!({"pattern": long})),
        [".pattern: is too long (at most 1000 characters)"]
    );
    let with_patterns = |count: usize| make(&owner, &json!(vec![field("name", json!({"pattern": "a"})); count]));
    assert_eq!(with_patterns(50).status, 201);
    assert_eq!(with_patterns(51).faults(), ["fields: may have at most 50 patterns"]);
    // A backtracking engine would not answer this before the client gives up.
    let form = owner.form(json!([field("long_text", json!({"pattern": "(?:a?){500}a{500}"}))]));
    let value = json!({"field_values": {"field_1": "a".repeat(100_000)}});
    assert_eq!(owner.post(form.entries(), value).faults(), ["field_values.field_1: has the wrong format"]);
}

#[test]
fn the_rules_of_other_kinds_are_checked() {
    let owner = Server::shared().user();
    let country = "must be an ISO 3166-1 alpha-2 code such as CN";
    for (kind, own, expected) in [
        ("email", json!({"allowed_domains": "x.de"}), vec![".allowed_domains: must be a list".to_owned()]),
        (
            "email",
            json!({"allowed_domains": ["x.de", "x", 5, "@x.de", ""]}),
            [
                "[1]: must be a domain such as example.com",
                "[2]: must be a string",
                "[3]: must be a domain such as example.com",
                "[4]: must be a domain such as example.com",
            ]
            .map(|fault| format!(".allowed_domains{fault}"))
            .to_vec(),
        ),
        (
            "phone",
            json!({"default_country": "XX", "allowed_countries": ["CN", 5, "cn", "ZZ"]}),
            vec![
                format!(".default_country: {country}"),
                ".allowed_countries[1]: must be a string".to_owned(),
                format!(".allowed_countries[2]: {country}"),
                format!(".allowed_countries[3]: {country}"),
            ],
        ),
        (
            "phone",
            json!({"default_value": {"country_id": "CN", "number": "1"}}),
            vec![".default_value.number: is not a phone number of China".to_owned()],
        ),
        (
            "number",
            json!({"min": "0", "max": [], "precision": 7, "unit": "x".repeat(31)}),
            vec![
                ".min: must be a number".to_owned(),
                ".max: must be a number".to_owned(),
                ".precision: must be 0 to 6".to_owned(),
                ".unit: is too long (at most 30 characters)".to_owned(),
            ],
        ),
        ("number", json!({"min": 2, "max": 1}), vec![".max: must not be less than min".to_owned()]),
        ("number", json!({"max": 1, "default_value": 2}), vec![".default_value: must be 1 or less".to_owned()]),
        (
            "date",
            json!({"precision": "year"}),
            vec![".precision: must be one of month, day, minute, second".to_owned()],
        ),
        (
            "date",
            json!({"min": "2026-02-30", "max": "tomorrow"}),
            vec![".min: must be YYYY-MM-DD or today".to_owned(), ".max: must be YYYY-MM-DD or today".to_owned()],
        ),
        ("date", json!({"min": "2026-02-02", "max": "2026-02-01"}), vec![".max: must not be before min".to_owned()]),
        (
            "date",
            json!({"default_value": "yesterday"}),
            vec![".default_value: must be a date in the format YYYY-MM-DD".to_owned()],
        ),
        (
            "url",
            json!({"default_value": "example.com"}),
            vec![".default_value: is not a web address such as https://example.com".to_owned()],
        ),
        ("time", json!({"include_second": 1}), vec![".include_second: must be true or false".to_owned()]),
        (
            "time",
            json!({"default_value": {"hour": 24, "minute": 0}}),
            vec![".default_value.hour: must be 0 to 23".to_owned()],
        ),
        (
            "rating",
            json!({"rating_max": 1, "icon": "sun"}),
            vec![".rating_max: must be 2 to 10".to_owned(), ".icon: must be one of star, heart, number".to_owned()],
        ),
        (
            "rating",
            json!({"rating_max": 11, "icon": 5}),
            vec![".rating_max: must be 2 to 10".to_owned(), ".icon: must be one of star, heart, number".to_owned()],
        ),
        ("rating", json!({"rating_max": 2.5}), vec![".rating_max: must be a whole number".to_owned()]),
        ("rating", json!({"rating_max": 3, "default_value": 4}), vec![".default_value: must be 1 to 3".to_owned()]),
        (
            "nps",
            json!({"min_label": 0, "max_label": "x".repeat(101)}),
            vec![
                ".min_label: must be a string".to_owned(),
                ".max_label: is too long (at most 100 characters)".to_owned(),
            ],
        ),
        ("page_break", json!({"next_text": 5}), vec![".next_text: must be a string".to_owned()]),
        (
            "page_break",
            json!({"previous_text": "x".repeat(61)}),
            vec![".previous_text: is too long (at most 60 characters)".to_owned()],
        ),
        ("description", json!({"content": []}), vec![".content: must be a string".to_owned()]),
    ] {
        let found = faults(&owner, kind, own.clone());
        assert_eq!(found, expected, "{kind} {own}");
    }
    for kind in [
        "date",
        "radio",
        "checkbox",
        "page_break",
        "description",
        "time",
        "dropdown",
        "image_radio",
        "image_checkbox",
        "cascade",
        "ranking",
        "rating",
        "nps",
    ] {
        let own = json!({"unique": true, "choices": choices()});
        assert_eq!(faults(&owner, kind, own), [format!(".unique: is not possible for {kind}")]);
    }
}

#[test]
fn choices_are_checked() {
    let owner = Server::shared().user();
    for kind in ["radio", "checkbox", "dropdown", "image_radio", "image_checkbox", "ranking"] {
        let of = |list: Value| faults(&owner, kind, json!({"choices": list}));
        assert_eq!(faults(&owner, kind, json!({})), [".choices: is required"]);
        refuse(
            &of,
            &[
                (json!("a"), &[".choices: must be a list"]),
                (json!([]), &[".choices: must have 1 to 1000 choices"]),
                (json!(vec![json!({"label": "x"}); 1001]), &[".choices: must have 1 to 1000 choices"]),
                (json!(["a"]), &[".choices[0]: must be an object"]),
                (
                    json!([{"label": ""}, {"api_code": "a b", "label": "x"}, {"api_code": "", "label": "x"}]),
                    &[
                        ".choices[0].label: can't be blank",
                        ".choices[1].api_code: must be 1 to 32 letters, digits or underscores",
                        ".choices[2].api_code: must be 1 to 32 letters, digits or underscores",
                    ],
                ),
                (
                    json!([{"api_code": "a", "label": "x"}, {"api_code": "A", "label": "x"}, {"api_code": "a", "label": "x"}]),
                    &[".choices[2].api_code: is listed twice"],
                ),
            ],
        );
        let others = of(
            json!([{"label": "x", "is_other": true, "allow_extended_text": true}, {"label": "y", "is_other": true}]),
        );
        if ["radio", "checkbox", "dropdown"].contains(&kind) {
            let why = if kind == "dropdown" { "this type" } else { "the other choice" };
            assert_eq!(
                others,
                [
                    &format!(".choices[0].allow_extended_text: is not possible for {why}"),
                    ".choices[1].is_other: is possible for one choice only",
                ]
            );
        } else {
            assert_eq!(
                others,
                [
                    ".choices[0].is_other: is not possible for this type",
                    ".choices[0].allow_extended_text: is not possible for this type",
                    ".choices[1].is_other: is not possible for this type",
                ]
            );
        }
        if kind == "dropdown" {
            assert_eq!(
                of(json!([{"label": "x", "allow_extended_text": true}])),
                [".choices[0].allow_extended_text: is not possible for this type"]
            );
        }
        assert_eq!(
            of(json!([{"label": "x", "hidden": 1, "quota": -1, "score": "1", "image": {"id": "x"}}])),
            [
                ".choices[0].hidden: must be true or false",
                ".choices[0].quota: must be 0 to 4294967295",
                ".choices[0].score: must be a number",
                ".choices[0].image.id: is not an image of this organization",
            ]
        );
        let default = faults(&owner, kind, json!({"choices": choices(), "default_value": ["zz"]}));
        assert_eq!(default.len(), 1);
        assert!(default[0].starts_with(".default_value"), "{default:?}");
    }
    for (kind, min, max) in [
        ("checkbox", "min_selected", "max_selected"),
        ("image_checkbox", "min_selected", "max_selected"),
        ("ranking", "min_ranked", "max_ranked"),
    ] {
        let of = |low: i64, high: i64| faults(&owner, kind, json!({"choices": choices(), min: low, max: high}));
        assert_eq!(of(3, 0), [format!(".{min}: must be 0 to 2"), format!(".{max}: must be 1 to 2")]);
        assert_eq!(of(2, 1), [format!(".{max}: must not be less than {min}")]);
    }
}

#[test]
fn cascades_are_checked() {
    let owner = Server::shared().user();
    let of = |own: Value| faults(&owner, "cascade", own);
    let leaf = |code: &str| json!({"api_code": code, "label": "x"});
    refuse(
        &of,
        &[
            (json!({}), &[".choices: is required"]),
            (json!({"levels": 1, "choices": [leaf("a")]}), &[".levels: must be 2 to 5"]),
            (json!({"levels": "3", "choices": "x"}), &[".levels: must be a whole number", ".choices: must be a list"]),
            (json!({"choices": []}), &[".choices: must have 1 to 5000 choices"]),
            (
                json!({"choices": [{"label": "x", "children": {}}, 5]}),
                &[".choices[0].children: must be a list", ".choices[1]: must be an object"],
            ),
            (
                json!({"choices": [{"api_code": "a", "label": "", "children": [leaf("a"), leaf("b c")]}]}),
                &[
                    ".choices[0].label: can't be blank",
                    ".choices[0].children[0].api_code: is listed twice",
                    ".choices[0].children[1].api_code: must be 1 to 32 letters, digits or underscores",
                ],
            ),
            (
                json!({"choices": [{"label": "x", "children": [{"label": "x", "children": [leaf("c")]}]}]}),
                &[".choices[0].children[0].children: must not be deeper than levels"],
            ),
            (
                json!({"choices": [{"api_code": "a", "label": "x", "children": [leaf("b")]}], "default_value": {"level_1": "a"}}),
                &[".default_value.level_2: can't be blank"],
            ),
        ],
    );
    let many = |count: usize| {
        let children = vec![json!({"label": "x"}); count];
        json!([field("cascade", json!({"choices": [{"label": "a", "children": children}]}))])
    };
    assert_eq!(make(&owner, &many(4999)).status, 201);
    assert_eq!(make(&owner, &many(5000)).faults(), ["fields[0].choices: must have 1 to 5000 choices"]);
}

#[test]
fn a_form_has_so_many_fields_and_a_field_so_many_choices() {
    let owner = Server::shared().user();
    let many = |count: usize| make(&owner, &json!(vec![json!({"type": "name", "label": "n"}); count]));
    assert_eq!(many(501).faults(), ["fields: must have 1 to 500 fields"]);
    assert_eq!(many(0).faults(), ["fields: must have 1 to 500 fields"]);
    let list = vec![json!({"label": "x"}); 1000];
    let made = make(&owner, &json!([field("checkbox", json!({"choices": list}))]));
    assert_eq!(made.status, 201);
    for odd in [json!({}), json!("x"), json!(5)] {
        assert_eq!(make(&owner, &odd).faults(), ["fields: must be a list"]);
    }
}
