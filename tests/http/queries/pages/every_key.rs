//! Each key of the API's body has a control, and is set, cleared and read back.

use serde_json::{Value, json};
use support::images::uploaded;
use support::multipart::Body;
use support::uploads::png;

use super::{OFF, controls, desk};

/// The paths of a schema's values, items of lists by `[0]`.
fn leaves(schema: &Value, path: &str, out: &mut Vec<String>) {
    let alternatives = ["anyOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten();
    let object = std::iter::once(schema).chain(alternatives).find(|it| it["properties"].is_object());
    if let Some(members) = object.and_then(|it| it["properties"].as_object()) {
        for (key, member) in members {
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            leaves(member, &inner, out);
        }
    } else if schema["items"].is_object() && path != "scope_conditions" {
        leaves(&schema["items"], &format!("{path}[0]"), out);
    } else {
        out.push(path.to_owned());
    }
}

#[test]
fn every_key_has_a_control() {
    let desk = desk();
    let id = uploaded(&desk.owner, "opensearch_header_image", "image/png", &png(30, 20));
    desk.set(json!({
        "header": {"background_image": {"upload_id": id}},
        "scope_conditions": [{"field": "field_3", "operator": "eq", "value": "a"}],
        "display_field_rules": [{"field": "field_2"}],
    }));
    let document = desk.owner.get("/api/v1/openapi.json").is(200).json();
    let mut paths = Vec::new();
    leaves(&document["components"]["schemas"]["PublicQueryUpdate"], "", &mut paths);
    for known in ["search_field_rules[0].fields[0].fuzzy", "display_field_rules[0].highlight.color", "enabled"] {
        assert!(paths.iter().any(|path| path == known), "{known}: {paths:?}");
    }
    assert!(paths.len() >= 20, "{paths:?}");
    for locale in ["en", "zh-CN"] {
        desk.owner.patch("/api/v1/me", json!({ "locale": locale })).is(200);
        let page = desk.browser.get(&desk.page()).is(200);
        for path in &paths {
            let name = match path.as_str() {
                "scope_conditions" => "f[0].operator",
                // A picture is chosen as a file; the present one keeps its id.
                "header.background_image.id" | "header.background_image.upload_id" => "image",
                path => path,
            };
            assert!(page.text.contains(&format!("name=\"{name}\"")), "no control sets {path}: {page}");
        }
        // Words that are missing would be shown as their ids.
        page.lacks([">queries-", "\"queries-"]);
    }
}

/// `expected` is in `found`, member by member; an item of a list whole.
#[track_caller]
fn contains(found: &Value, expected: &Value) {
    for (key, member) in expected.as_object().expect("members") {
        assert_eq!(&found[key], member, "{key}");
    }
}

#[test]
fn each_part_is_set_cleared_and_read_back() {
    let desk = desk();
    let first = desk.stored();
    desk.save(
        "search",
        &[
            ("search_field_rules[0].operand", "or"),
            ("search_field_rules[0].fields[0].field", "field_2"),
            ("search_field_rules[0].fields[0].fuzzy", "true"),
            ("search_field_rules[0].fields[0].label", " Your <email> "),
            ("search_field_rules[0].fields[1].field", "field_1"),
            ("search_field_rules[1].operand", "and"),
            ("search_field_rules[1].fields[0].field", "serial_number"),
        ],
    );
    contains(
        &desk.stored(),
        &json!({"search_field_rules": [
            {"operand": "or", "fields": [
                {"field": "field_2", "label": "Your <email>", "fuzzy": true},
                {"field": "field_1", "label": null, "fuzzy": false},
            ]},
            {"operand": "and", "fields": [{"field": "serial_number", "label": null, "fuzzy": false}]},
        ]}),
    );
    desk.save(
        "shows",
        &[
            ("display_field_rules[0].label", "Who"),
            ("display_field_rules[0].editable", "true"),
            ("display_field_rules[0].highlight.color", "#0f766e"),
            ("display_field_rules[0].highlight.position", "3"),
            ("display_field_rules[1].protected", OFF),
            ("display_field_rules[3].shown", "true"),
        ],
    );
    let shown = desk.stored()["display_field_rules"].clone();
    let who = json!({
        "field": "field_1", "label": "Who", "editable": true, "protected": false,
        "highlight": {"color": "#0F766E", "position": 3},
    });
    let plain =
        |field: &str| json!({"field": field, "label": null, "editable": false, "protected": false, "highlight": null});
    assert_eq!(shown, json!([who, plain("field_2"), plain("field_4")]));
    desk.save(
        "only",
        &[
            ("f[0].field", "field_3"),
            ("f[0].operator", "eq"),
            ("f[0].value", "a"),
            ("f[1].field", "field_4"),
            ("f[1].operator", "gt"),
            ("f[1].value", "17"),
        ],
    );
    let scope = json!([
        {"field": "field_3", "operator": "eq", "value": "a"}, {"field": "field_4", "operator": "gt", "value": 17},
    ]);
    assert_eq!(desk.stored()["scope_conditions"], scope);
    desk.save(
        "page",
        &[
            ("name", "Find <me>"),
            ("description", "One\r\nTwo"),
            ("search_button.text", "Look"),
            ("search_button.color", "#112233"),
            ("messages.has_result", "<p>Found <b>you</b></p>"),
            ("messages.no_result", ""),
            ("allow_to_export_results", "true"),
            ("enabled", OFF),
        ],
    );
    contains(
        &desk.stored(),
        &json!({
            "name": "Find <me>", "description": "One\nTwo", "search_button": {"text": "Look", "color": "#112233"},
            "messages": {"has_result": "<p>Found <b>you</b></p>", "no_result": ""}, "allow_to_export_results": true,
            "enabled": false, "header": {"background_image": null},
        }),
    );
    // The page's values are those that it takes: nothing changes when a part is saved unchanged.
    let before = desk.stored();
    for part in ["search", "shows", "only", "page"] {
        desk.save(part, &[]);
    }
    assert_eq!(desk.stored(), before);
    // Cleared again.
    let keep = |names: &[&'static str]| names.iter().map(|name| (*name, OFF)).collect::<Vec<_>>();
    let mut search = keep(&[
        "search_field_rules[0].fields[1].field",
        "search_field_rules[0].fields[1].fuzzy",
        "search_field_rules[0].fields[1].label",
        "search_field_rules[1].operand",
        "search_field_rules[1].fields[0].field",
        "search_field_rules[1].fields[0].fuzzy",
        "search_field_rules[1].fields[0].label",
    ]);
    search.extend([
        ("search_field_rules[0].operand", "and"),
        ("search_field_rules[0].fields[0].fuzzy", "false"),
        ("search_field_rules[0].fields[0].label", ""),
    ]);
    desk.save("search", &search);
    desk.save(
        "shows",
        &[
            ("display_field_rules[0].label", ""),
            ("display_field_rules[0].editable", OFF),
            ("display_field_rules[0].highlight.color", ""),
            ("display_field_rules[0].highlight.position", ""),
            ("display_field_rules[1].protected", "true"),
            ("display_field_rules[2].shown", OFF),
        ],
    );
    desk.save(
        "only",
        &keep(&["f[0].field", "f[0].operator", "f[0].value", "f[1].field", "f[1].operator", "f[1].value"]),
    );
    desk.save(
        "page",
        &[
            ("name", "Am I registered?"),
            ("description", ""),
            ("search_button.text", "Search"),
            ("search_button.color", "#2563EB"),
            ("messages.has_result", first["messages"]["has_result"].as_str().expect("a text")),
            ("messages.no_result", first["messages"]["no_result"].as_str().expect("a text")),
            ("allow_to_export_results", OFF),
            ("enabled", "true"),
        ],
    );
    let mut last = desk.stored();
    last["updated_at"] = first["updated_at"].clone();
    assert_eq!(last, first);
}

#[test]
fn a_picture_is_placed_focused_and_removed() {
    let desk = desk();
    desk.browser.get(&desk.page());
    let csrf = desk.browser.csrf();
    let send = |bytes: &[u8]| {
        let name = if bytes.is_empty() { "" } else { "a.png" };
        let body = Body::default().text("csrf", &csrf).file("image", name, "image/png", bytes);
        body.send(&desk.browser.caller().header("origin", &desk.owner.base), &desk.picture())
    };
    send(b"no picture").is(422).has(["This isn’t a picture that pages can show", "header.background_image-fault"]);
    send(b"").is(422).has(["Choose a picture first"]);
    assert_eq!(desk.stored()["header"], json!({"background_image": null}));
    assert!(send(&png(60, 40)).leads().ends_with("?saved=image#page"));
    let image = |x: Value, y: Value| {
        let found = desk.stored()["header"]["background_image"].clone();
        assert_eq!((&found["position_x"], &found["position_y"]), (&x, &y), "{found}");
    };
    image(Value::Null, Value::Null);
    let (x, y) = ("header.background_image.position_x", "header.background_image.position_y");
    // A button sets the point, which is saved with the part.
    let pointed = desk.post("page", &[("act", "point:100:0")]).is(200);
    image(Value::Null, Value::Null);
    let pairs = controls(&pointed, "page");
    assert!(pairs.contains(&(x.to_owned(), "100".to_owned())) && pairs.contains(&(y.to_owned(), "0".to_owned())));
    desk.post_from(&desk.browser, &pointed, "page", &[]).leads();
    image(json!(100.0), json!(0.0));
    desk.save("page", &[(x, "12.5"), (y, "")]);
    image(json!(12.5), Value::Null);
    let wrong = desk.post("page", &[(x, "101"), (y, "middle")]).is(422);
    wrong.has(["Enter a number from 0 to 100", "Enter a number<", "value=\"101\"", "value=\"middle\""]);
    let removed = desk.browser.post_on(&desk.no_picture(), &[]);
    removed.has(["The picture is removed"]).lacks([x]);
    assert_eq!(desk.stored()["header"], json!({"background_image": null}));
}
