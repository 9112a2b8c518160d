//! The API's description of itself: served, printed, whole, and true of its own examples. Every other test checks that
//! its answers match it, at `support::contract`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::{Server, field, formsvc, text};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Every object of the document with the pointer that leads to it.
fn walk(value: &Value, pointer: &str, see: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => {
            see(pointer, value);
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                walk(value, &format!("{pointer}/{key}"), see);
            }
        }
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                walk(value, &format!("{pointer}/{i}"), see);
            }
        }
        _ => {}
    }
}

fn names(map: &Value) -> Vec<String> {
    map.as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn it_is_served_to_anybody_and_kept_by_its_tag() {
    let server = Server::shared();
    let served = server.anon().get("/api/v1/openapi.json");
    assert_eq!(served.status, 200, "{served}");
    assert_eq!(served.header("cache-control"), "no-store");
    assert_eq!(served.header("access-control-allow-origin"), "*");
    let tag = served.header("etag").to_owned();
    let again = server.anon().header("if-none-match", &tag).get("/api/v1/openapi.json");
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    let mut document = served.json();
    assert_eq!(document["servers"], json!([{"url": server.base}]));
    document["servers"] = json!([{"url": "/"}]);
    let flow = "/components/securitySchemes/oauth2/flows/authorizationCode";
    for key in ["authorizationUrl", "tokenUrl", "refreshUrl"] {
        let url = document.pointer_mut(&format!("{flow}/{key}")).expect("an address");
        *url = json!(url.as_str().expect("text").trim_start_matches(&server.base));
    }
    assert_eq!(document, CONTRACT.document);
    let packed = server.anon().header("accept-encoding", "gzip").get("/api/v1/openapi.json");
    assert_eq!(packed.header("vary"), "Accept-Encoding");
}

#[test]
fn every_route_is_described_and_every_description_has_a_route() {
    let printed = formsvc(Path::new("/nowhere"), &["routes", "--json"], "");
    let rows: Value = serde_json::from_str(&text(&printed.stdout)).expect("JSON");
    let rows: BTreeSet<String> = rows
        .as_array()
        .expect("a list")
        .iter()
        .filter(|row| {
            let is_page = ["page", "session"].contains(&row["access"].as_str().expect("text"));
            // An application has to know where it sends its user.
            !is_page || row["path"] == "/api/v1/oauth/authorize" && row["method"] == "GET"
        })
        .map(|row| {
            let scopes = match row["access"].as_str().expect("text") {
                "open" | "page" | "signature" => json!([]),
                "client" => json!([{"client": []}, {}]),
                "known" => json!([{"bearer": []}, {"oauth2": []}]),
                "open or known" => json!([{}, {"bearer": []}, {"oauth2": []}]),
                "open or form:respond" => {
                    json!([{}, {"bearer": ["form:respond"]}, {"oauth2": ["form:respond"]}])
                }
                scope => json!([{"bearer": [scope]}, {"oauth2": [scope]}]),
            };
            let method = row["method"].as_str().expect("text").to_lowercase();
            format!("{method} {} {scopes}", row["path"].as_str().expect("text"))
        })
        .collect();
    let mut described = BTreeSet::new();
    for (path, item) in CONTRACT.document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            assert!(METHODS.contains(&method.as_str()), "{method}");
            described.insert(format!("{method} {path} {}", operation["security"]));
        }
    }
    assert_eq!(rows, described);
}

#[test]
fn every_operation_says_what_it_takes_and_answers() {
    let mut ids = BTreeSet::new();
    for (path, item) in CONTRACT.document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let at = format!("{method} {path}");
            let id = operation["operationId"].as_str().expect("a name");
            assert!(ids.insert(id.to_owned()), "{id}");
            let parameters: BTreeSet<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|parameter| parameter["$ref"].as_str()?.rsplit('/').next())
                .collect();
            for name in path.split('/').filter_map(|part| part.strip_prefix('{')) {
                assert!(parameters.contains(name.trim_end_matches('}')), "{at}: {name}");
            }
            let answers = names(&operation["responses"]);
            assert!(answers.iter().any(|status| status.starts_with('2')), "{at}");
            let is_page = operation["responses"]["200"]["content"].get("text/html").is_some();
            let statuses =
                if is_page { vec!["303", "400", "500", "503"] } else { vec!["400", "401", "429", "500", "503"] };
            for status in statuses {
                assert!(answers.contains(&status.to_owned()), "{at}: {status}");
            }
            let has_body = ["post", "put", "patch"].contains(&method.as_str());
            assert_eq!(answers.contains(&"415".to_owned()), has_body, "{at}");
            if let Some(body) = operation.get("requestBody") {
                let kinds = ["application/json", "text/csv", "*/*"].into_iter();
                let mut kinds = kinds.filter_map(|kind| body["content"].get(kind));
                let content = kinds.next().expect("a kind of body");
                // Any file at all has none.
                let is_any = body["content"].get("*/*").is_some();
                let has_example = content.get("example").is_some();
                assert!(has_example || is_any, "{at}: no example");
                // OAuth has a word for each fault, and one status for most.
                let refused = if path.starts_with("/api/v1/oauth/") { "400" } else { "422" };
                assert!(answers.contains(&refused.to_owned()), "{at}");
            }
        }
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_part_is_used() {
    let document = &CONTRACT.document;
    let mut used = BTreeSet::new();
    walk(document, "", &mut |pointer, value| {
        let discriminated = value["mapping"].as_object().into_iter().flatten();
        let named = discriminated.map(|(_, to)| to).chain(value.get("$ref"));
        for to in named.filter_map(Value::as_str) {
            let to = to.trim_start_matches('#');
            assert!(document.pointer(to).is_some(), "{pointer} names {to}");
            used.insert(to.to_owned());
        }
    });
    for kind in names(&document["components"]) {
        for name in names(&document["components"][&kind]) {
            let pointer = format!("/components/{kind}/{name}");
            assert!(kind == "securitySchemes" || used.contains(&pointer), "{pointer} is used nowhere");
        }
    }
}

#[test]
fn every_example_keeps_to_its_schema() {
    let document = &CONTRACT.document;
    let mut seen = 0;
    let mut hold = |pointer: &str, example: &Value| {
        let faults = CONTRACT.faults(pointer, example);
        assert!(faults.is_empty(), "{pointer}: {example}\n{}", faults.join("\n"));
        seen += 1;
    };
    for name in names(&document["components"]["schemas"]) {
        let pointer = format!("/components/schemas/{name}");
        let schema = document.pointer(&pointer).expect("a schema");
        CONTRACT.validator(&pointer);
        for example in schema["examples"].as_array().into_iter().flatten() {
            hold(&pointer, example);
        }
    }
    walk(document, "", &mut |pointer, value| {
        if let (Some(example), Some(_)) = (value.get("example"), value.get("schema")) {
            hold(&format!("{pointer}/schema"), example);
        }
    });
    assert!(seen > 60, "{seen}");
}

#[test]
fn every_kind_shows_how_it_is_defined_written_and_read() {
    let schemas = &CONTRACT.document["components"]["schemas"];
    let kinds = &schemas["FieldDefinition"]["discriminator"]["mapping"];
    for kind in names(kinds) {
        let definition = kinds[&kind].as_str().expect("a name").rsplit('/').next().expect("a name");
        let stem = definition.trim_end_matches("Definition");
        let examples = |part: &str| schemas[format!("{stem}{part}")]["examples"].as_array().map_or(0, Vec::len);
        assert!(examples("Definition") > 0, "{kind}");
        assert!(schemas.get(format!("{stem}Field")).is_some(), "{kind}");
        if !["page_break", "description"].contains(&kind.as_str()) {
            assert!(schemas.get(format!("{stem}Value")).is_some(), "{kind}");
            let is_written = schemas.get(format!("{stem}Input")).is_some();
            assert!(!is_written || examples("Value") > 0, "{kind}");
        }
    }
}

#[test]
fn every_kind_says_how_entries_are_found_by_it() {
    let schemas = &CONTRACT.document["components"]["schemas"];
    let conditions = |name: &str| &schemas[format!("{name}Definition")]["x-conditions"];
    let score = ["any_in", "eq", "gt", "gte", "lt", "lte", "ne", "none_in", "not_null", "null"];
    assert_eq!(conditions("Nps")["operators"], json!(score));
    let product = ["any_in", "like", "none_in", "not_null", "null"];
    assert_eq!(conditions("Product")["operators"], json!(product));
    assert_eq!(conditions("Matrix")["operators"], json!([]));
    let said = conditions("Matrix")["value"].as_str().expect("words");
    assert!(said.contains("`field_1.field_2`"), "{said}");
    for none in ["Likert", "Location", "Audio", "PageBreak"] {
        assert_eq!(*conditions(none), Value::Null, "{none}");
    }
    let page = Server::shared().anon().get("/docs/kinds").text;
    assert_eq!(page.matches("Entries can't be filtered by it.").count(), 5);
    assert!(page.contains("<code>not_between</code>"));
}

#[test]
fn the_page_of_kinds_describes_variants_and_weekdays() {
    let page = Server::shared().anon().get("/docs/kinds").is(200);
    page.has([
        "<code>goods_items[].dimensions</code>",
        "The ways in which variants differ, such as size and color.",
        "<code>goods_items[].dimensions[].options</code>",
        "for the <code>api_code</code> of each dimension the <code>api_code</code> of one of its options",
        "The day of the week: 1 is Monday, 7 is Sunday.",
    ]);
    // An example with variants: the offered ones, and an order of one.
    let product = page.text.split_once("id=\"product\"").expect("the type").1;
    let product = product.split_once("</section>").expect("its end").0;
    for part in ["&quot;skus&quot;", "&quot;dimensions&quot;", "&quot;specification&quot;"] {
        assert!(product.matches(part).count() > 0, "{part}: {product}");
    }
    let owner = Server::shared().user();
    let refused = owner.patch(
        owner.form(json!([{"type": "name", "label": "y"}])).part("settings"),
        json!({"availability": {"entries_limit": 1}}),
    );
    refused.refuses_with(&[
        "availability.entries_limit: must be at least 2: a limit counts the entries of several people. \
                            To stop after one, or to take none, set availability.manually_closed",
    ]);
}

#[test]
fn what_is_refused_for_its_shape_does_not_keep_to_the_schema() {
    let at = |name: &str| format!("/components/schemas/{name}");
    let whole = json!({"name": "x", "fields": [{"type": "name", "label": "y"}]});
    assert_eq!(CONTRACT.faults(&at("FormCreate"), &whole), Vec::<String>::new());
    let owner = Server::shared().user();
    for (key, odd) in [
        ("name", json!("")),
        ("name", json!(1)),
        ("scene", json!("party")),
        ("layout", json!(true)),
        ("fields", json!({})),
        ("fields", json!([{"label": "y"}])),
        ("fields", json!([{"type": "hologram", "label": "y"}])),
        ("fields", json!([{"type": "name"}])),
        ("fields", json!([{"type": "name", "label": ""}])),
        ("fields", json!([{"type": "name", "label": "y", "max_length": 0}])),
        ("fields", json!([{"type": "number", "label": "y", "precision": 7}])),
        ("fields", json!([{"type": "radio", "label": "y"}])),
        ("fields", json!([{"type": "radio", "label": "y", "choices": [{}]}])),
    ] {
        let mut body = whole.clone();
        body[key] = odd.clone();
        assert_eq!(owner.post("/api/v1/forms", body.clone()).status, 422, "{key}: {odd}");
        assert!(!CONTRACT.faults(&at("FormCreate"), &body).is_empty(), "{key}: {odd}");
    }
    for (name, odd) in [
        ("SettingsUpdate", json!({"availability": {"entries_limit": 1}})),
        ("SettingsUpdate", json!({"after_submission": {"mode": "dance"}})),
        ("ThemeUpdate", json!({"primary_color": "red"})),
        ("FieldRules", json!({"rules": [{"action": "show", "fields": ["field_1"]}]})),
        ("EntryWrite", json!({})),
        ("Submission", json!({"field_values": {}, "x_field_1": 1})),
        ("PhoneInput", json!("138")),
        ("NumberInput", json!("3")),
        ("RadioInput", json!(["a"])),
    ] {
        assert!(!CONTRACT.faults(&at(name), &odd).is_empty(), "{name}: {odd}");
    }
}

#[test]
fn the_pages_to_read_tell_of_everything() {
    let anon = Server::shared().anon();
    let start = anon.get("/docs");
    assert_eq!(start.status, 200);
    assert!(start.header("content-security-policy").contains("default-src 'none'"));
    let links = |page: &str| -> Vec<String> {
        let hrefs = page.split("href=\"").skip(1);
        hrefs.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
    };
    let mut sections: BTreeSet<String> = links(&start.text).into_iter().collect();
    sections.retain(|to| to.starts_with("/docs/"));
    assert!(sections.len() > 6, "{sections:?}");
    let mut whole = String::new();
    for section in &sections {
        let name = section.trim_start_matches("/docs/");
        let page = anon.get(format!("/docs/{name}"));
        assert_eq!(page.status, 200, "{section}");
        assert!(!page.text.contains("<script"), "{section}");
        whole.push_str(&page.text);
    }
    for (path, item) in CONTRACT.document["paths"].as_object().expect("paths") {
        for operation in item.as_object().expect("operations").values() {
            let id = operation["operationId"].as_str().expect("a name");
            assert!(whole.contains(&format!("id=\"{id}\"")), "{path}: {id}");
        }
    }
    for kind in names(&CONTRACT.document["components"]["schemas"]["FieldDefinition"]["discriminator"]["mapping"]) {
        assert!(whole.contains(&format!("id=\"{kind}\"")), "{kind}");
    }
    // Examples have the required parameters besides the path.
    for needed in ["X-Edit-Token: $EDIT_TOKEN", "?field=$FIELD&amp;from=$FROM&amp;to=$TO"] {
        assert!(whole.contains(needed), "{needed}");
    }
    assert_eq!(anon.get("/docs/nothing").status, 404);
}

/// The members that may be left out of a value, as paths.
fn optional_members(schema: &Value, value: &Value) -> Vec<Vec<String>> {
    if let Some(to) = schema["$ref"].as_str() {
        let pointed = CONTRACT.document.pointer(to.trim_start_matches('#'));
        return optional_members(pointed.expect("a schema"), value);
    }
    let below = |key: &str, schema: &Value, value: &Value| {
        let inner = optional_members(schema, value).into_iter();
        inner.map(|path| [vec![key.to_owned()], path].concat()).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    if let (Some(item), true) = (value.get(0), schema["items"].is_object()) {
        found.extend(below("0", &schema["items"], item));
    }
    for choice in ["anyOf", "oneOf"].iter().filter_map(|key| schema[key].as_array()).flatten() {
        found.extend(optional_members(choice, value));
    }
    let no_names = Vec::new();
    let required = schema["required"].as_array().unwrap_or(&no_names);
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        if !value.is_object() {
            break;
        }
        found.extend(below(key, member, &value[key]));
        if !required.contains(&json!(key)) {
            found.push(vec![key.clone()]);
        }
    }
    found
}

#[test]
fn null_is_taken_as_absent_where_the_description_allows_it_and_refused_elsewhere() {
    let server = Server::shared();
    let owner = server.user();
    let text = json!({"type": "short_text", "label": "Text"});
    let linked = owner.form(json!([text, text, text, text]));
    let schemas = &CONTRACT.document["components"]["schemas"];
    let definitions = schemas["FieldDefinition"]["oneOf"].as_array();
    let (mut taken, mut refused) = (0, 0);
    for definition in definitions.expect("a list of types") {
        let pointer = definition["$ref"].as_str().expect("a reference");
        let schema = CONTRACT.document.pointer(pointer.trim_start_matches('#'));
        let schema = schema.expect("a schema");
        let mut field = schema["examples"][0].clone();
        if field["type"] == "linked_form" {
            field["form_token"] = json!(linked.token);
        }
        let status = |field: &Value| {
            let body = json!({"name": "Nulls", "fields": [field]});
            let made = owner.post("/api/v1/forms", body.clone());
            let faults = CONTRACT.faults("/components/schemas/FormCreate", &body);
            (made.status, faults.is_empty(), made)
        };
        let (plain, _, made) = status(&field);
        assert_eq!(plain, 201, "{pointer}: {made}");
        for path in optional_members(schema, &field) {
            let at = format!("/{}", path.join("/"));
            let parent = &at[..at.rfind('/').expect("a slash")];
            let last = path.last().expect("a key");
            let mut absent = field.clone();
            let members = absent.pointer_mut(parent).expect("an object");
            members.as_object_mut().expect("an object").remove(last);
            let mut null = absent.clone();
            null.pointer_mut(parent).expect("an object")[last] = Value::Null;
            let ((without, _, _), (with, is_allowed, made)) = (status(&absent), status(&null));
            assert_eq!(with, without, "{pointer}{at}: {made}");
            // A fault of another kind may remain, such as of members that go together.
            assert!(is_allowed || with == 422, "{pointer}{at}: {made}");
            if with == 201 { taken += 1 } else { refused += 1 }
        }
    }
    assert!(taken > 400 && refused < 20, "{taken} taken, {refused} refused");
}

#[test]
fn open_routes_send_the_limits_that_they_describe() {
    let server = Server::with(&[]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let made = owner.post(
        "/api/v1/opensearch/queries",
        json!({"form_token": form.token, "name": "Look up",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "field_1", "editable": true}]}),
    );
    let token = made.data()["token"].as_str().expect("a token").to_owned();
    owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    let anon = server.anon();
    let found = anon.post(format!("/api/v1/q/{token}/search"), json!({"values": {"field_1": "Ada"}}));
    let row = found.json()["data"][0].clone();
    let path = format!("/api/v1/q/{token}/entries/{}", row["entry_token"].as_str().expect("a token"));
    let edited = anon.patch(path, json!({"edit_token": row["edit_token"], "field_values": {"field_1": "Eve"}}));
    let described = anon.get("/api/v1/openapi.json").json();
    for (pointer, answer) in [
        ("/paths/~1q~1{query_token}~1search/post", &found),
        ("/paths/~1q~1{query_token}~1entries~1{entry_token}/patch", &edited),
    ] {
        assert_eq!(answer.status, 200, "{answer}");
        let operation = described
            .pointer(pointer)
            .or_else(|| described.pointer(&pointer.replacen("/paths/", "/paths/~1api~1v1", 1)));
        let headers = &operation.expect("described")["responses"]["200"]["headers"];
        for name in ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] {
            let is_sent = !answer.header(&name.to_lowercase()).is_empty();
            assert_eq!(headers.get(name).is_some(), is_sent, "{pointer} {name}");
        }
    }
}
