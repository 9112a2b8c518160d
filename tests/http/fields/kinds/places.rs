//! `address` and `location`: where something is, over the API and on the page.

use serde_json::{Value, json};
use support::{Response, Server, field};

use super::Group;
use crate::fields::kinds::faults;

/// An address as it reads: six parts, null where they are not given.
fn address(given: Value) -> Value {
    let mut whole = json!({
        "address_line1": null, "address_line2": null, "city": null,
        "state": null, "postal_code": null, "country": null,
    });
    for (part, value) in given.as_object().into_iter().flatten() {
        whole[part] = value.clone();
    }
    whole
}

pub fn groups() -> Vec<Group> {
    vec![any_address(), strict_address(), location()]
}

fn any_address() -> Group {
    let parts = "must be an object with address_line1, address_line2, city, state, postal_code and country";
    let mut group = Group::of("address", json!({}))
        .keeps([
            address(json!({
                "address_line1": "1 Main St", "address_line2": "Apt 2", "city": "Springfield",
                "state": "US-IL", "postal_code": "62701", "country": "US",
            })),
            address(json!({"city": "上海", "state": "CN-SH", "country": "CN"})),
            address(json!({"country": "HK", "address_line1": "  <b>\"1\"</b> "})),
            address(json!({"state": "DE-TH"})),
            address(json!({"city": "x".repeat(200)})),
        ])
        .takes(
            json!({"city": "e\u{301}", "country": "FR", "unknown": 5, "postal_code": " "}),
            address(json!({"city": "\u{e9}", "country": "FR"})),
        )
        .takes(json!({}), json!(null))
        .takes(json!({"city": " ", "country": null}), json!(null))
        .refuses(json!("Springfield"), parts)
        .refuses(json!(["US"]), parts)
        .refuses(json!(5), parts)
        .refuses(json!({"city": 5}), ".city: must be a string")
        .refuses(json!({"address_line1": "a\0"}), ".address_line1: must not contain NUL characters")
        .refuses(json!({"postal_code": "x".repeat(21)}), ".postal_code: is too long (at most 20 characters)")
        .keeps([address(json!({"postal_code": "sw1a 1aa", "country": "GB"}))])
        // Without a country, or in one whose codes have no known form.
        .keeps([address(json!({"postal_code": "1"})), address(json!({"postal_code": "1", "country": "HK"}))])
        .refuses(
            json!({"postal_code": "1011", "country": "DE"}),
            ".postal_code: is not a postal code of Germany, such as 10115",
        )
        .refuses(json!({"state": "US-IL", "country": "CA"}), ".state: is not an ISO 3166-2 code of Canada")
        .refuses(
            json!({"state": "IL", "country": "US"}),
            ".state: is not an ISO 3166-2 code of United States of America",
        )
        .refuses(
            json!({"state": "us-il", "country": "US"}),
            ".state: is not an ISO 3166-2 code of United States of America",
        )
        .refuses(json!({"state": "Illinois"}), ".state: must be an ISO 3166-2 code such as CN-SH")
        .refuses_for(
            json!({"city": [], "state": {}, "country": "XX"}),
            &[
                ".city: must be a string",
                ".state: must be a string",
                ".country: must be an ISO 3166-1 alpha-2 code such as CN",
            ],
        );
    for bad in ["XX", "cn", "CHN", "China", "86"] {
        group = group.refuses(json!({"country": bad}), ".country: must be an ISO 3166-1 alpha-2 code such as CN");
    }
    group
}

fn strict_address() -> Group {
    let own = json!({
        "default_country": "CN", "required_parts": ["address_line1", "city", "state", "country"],
    });
    let whole = json!({"address_line1": "1", "city": "a", "state": "CN-AH", "country": "CN"});
    Group::of("address", own)
        .keeps([address(whole.clone())])
        // Nobody can name a state where there are none.
        .keeps([address(json!({"address_line1": "1", "city": "Hong Kong", "country": "HK"}))])
        .takes(json!({"address_line1": "", "city": ""}), json!(null))
        .refuses_for(
            json!({"country": "CN"}),
            &[".address_line1: can't be blank", ".city: can't be blank", ".state: can't be blank"],
        )
        .refuses_for(
            json!({"address_line1": "1", "city": " ", "state": "US-IL", "country": "CN"}),
            &[".city: can't be blank", ".state: is not an ISO 3166-2 code of China"],
        )
        .refuses(json!({"address_line1": "1", "city": "a", "state": "CN-AH"}), ".country: can't be blank")
}

fn location() -> Group {
    let parts = "must be an object with longitude, latitude and address";
    let mut group = Group::of("location", json!({}))
        .keeps([
            json!({"longitude": 116.397_128, "latitude": 39.916_527, "address": "故宫"}),
            json!({"longitude": -180, "latitude": -90, "address": ""}),
            json!({"longitude": 180, "latitude": 90, "address": "\u{1f44d} <b>&"}),
            json!({"longitude": 0.1, "latitude": -0.000_001, "address": "x".repeat(500)}),
        ])
        .takes(
            json!({"longitude": 1, "latitude": 2, "altitude": 3}),
            json!({"longitude": 1, "latitude": 2, "address": ""}),
        )
        .takes(
            json!({"longitude": 1, "latitude": 2, "address": " \n"}),
            json!({"longitude": 1, "latitude": 2, "address": ""}),
        )
        .takes(json!({}), json!(null))
        .takes(json!({"longitude": null, "address": " "}), json!(null))
        .refuses(json!("39.9, 116.4"), parts)
        .refuses(json!([116.4, 39.9]), parts)
        .refuses_for(json!({"address": "Berlin"}), &[".longitude: can't be blank", ".latitude: can't be blank"])
        .refuses(json!({"longitude": 1}), ".latitude: can't be blank")
        .refuses(json!({"latitude": 1, "longitude": null}), ".longitude: can't be blank")
        .refuses_for(
            json!({"longitude": "1", "latitude": true, "address": 5}),
            &[".longitude: must be a number", ".latitude: must be a number", ".address: must be a string"],
        )
        .refuses(
            json!({"longitude": 1, "latitude": 2, "address": "x".repeat(501)}),
            ".address: is too long (at most 500 characters)",
        )
        .refuses(json!({"longitude": 1, "latitude": 2, "address": "\0"}), ".address: must not contain NUL characters");
    for (longitude, latitude, fault) in [
        (180.000_001, 0.0, ".longitude: must be -180 to 180"),
        (-181.0, 0.0, ".longitude: must be -180 to 180"),
        (0.0, 90.5, ".latitude: must be -90 to 90"),
        (0.0, -1e300, ".latitude: must be -90 to 90"),
    ] {
        group = group.refuses(json!({"longitude": longitude, "latitude": latitude}), fault);
    }
    group
}

#[test]
fn definitions_are_kept_and_checked() {
    let owner = Server::shared().user();
    let own = json!({"default_country": "CN", "required_parts": ["city", "country"]});
    let form = owner.form(json!([field("address", own.clone())]));
    let kept = form.body["fields"][0].clone();
    for (key, value) in own.as_object().into_iter().flatten() {
        assert_eq!(kept[key], *value, "{key}");
    }
    let again = owner.patch(form.path(), json!({"fields": [kept]}));
    assert_eq!(again.data()["fields"], json!([kept]), "{again}");
    let part = "must be one of address_line1, address_line2, city, state, postal_code, country";
    for (own, expected) in [
        (
            json!({"default_country": "cn", "required_parts": "city"}),
            vec![
                ".default_country: must be an ISO 3166-1 alpha-2 code such as CN".to_owned(),
                ".required_parts: must be a list".to_owned(),
            ],
        ),
        (
            json!({"default_country": 5, "required_parts": ["city", "town", 5, ""]}),
            vec![
                ".default_country: must be a string".to_owned(),
                format!(".required_parts[1]: {part}"),
                ".required_parts[2]: must be a string".to_owned(),
                format!(".required_parts[3]: {part}"),
            ],
        ),
        (
            json!({"default_value": {"country": "XX"}}),
            vec![".default_value.country: must be an ISO 3166-1 alpha-2 code such as CN".to_owned()],
        ),
        (json!({"unique": true}), vec![".unique: is not possible for address".to_owned()]),
    ] {
        assert_eq!(faults(&owner, "address", &own), expected, "{own}");
    }
}

/// The attributes of the control of that name.
fn control<'p>(page: &'p Response, name: &str) -> &'p str {
    let at = page.text.find(&format!("name=\"{name}\""));
    let at = at.unwrap_or_else(|| panic!("no {name}: {page}"));
    let start = page.text[..at].rfind('<').expect("a tag");
    let end = page.text[at..].find('>').expect("an end") + at;
    &page.text[start..end]
}

#[test]
fn an_address_is_filled_in_without_a_script() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let own = json!({"default_country": "US", "required": true, "required_parts": ["city", "state"]});
    let form = owner.form(json!([field("address", own)]));
    let page = anon.get(form.page());
    for (name, token) in [
        ("field_1.address_line1", "address-line1"),
        ("field_1.address_line2", "address-line2"),
        ("field_1.city", "address-level2"),
        ("field_1.state", "address-level1"),
        ("field_1.postal_code", "postal-code"),
        ("field_1.country", "country"),
    ] {
        let control = control(&page, name);
        assert!(control.contains(&format!("autocomplete=\"{token}\"")), "{control}");
    }
    assert!(control(&page, "field_1.state").starts_with("<select"), "{page}");
    assert!(page.text.contains("<option value=\"US-CA\">California</option>"));
    assert!(page.text.contains("<option value=\"US\" selected>"));
    // A country alone is no answer.
    let refused = anon.post_form(form.page(), &[("field_1.country", "US")]);
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Answer this question"));
    // Only what it needs is marked.
    for (part, is_marked) in [("city", true), ("state", true), ("address_line1", false), ("country", false)] {
        let control = control(&refused, &format!("field_1.{part}"));
        assert_eq!(control.contains("aria-invalid=\"true\""), is_marked, "{control}");
    }
    // Another country brings its own states, and the typed text stays.
    let pairs = [("field_1.country", "DE"), ("field_1.city", "Jena"), ("field_1.state", "US-CA")];
    let refused = anon.post_form(form.page(), &pairs);
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"field_1.state-fault\""), "{refused}");
    assert!(refused.text.contains("Choose a state or province of Germany"));
    assert!(refused.text.contains("<option value=\"DE-TH\">"));
    assert!(control(&refused, "field_1.city").contains("value=\"Jena\""));
    assert!(control(&refused, "field_1.state").contains("aria-invalid=\"true\""));
    assert!(!control(&refused, "field_1.city").contains("aria-invalid"));
    // A state may be typed by its name.
    let pairs = [("field_1.country", "DE"), ("field_1.city", "Jena"), ("field_1.state", "thüringen")];
    assert_eq!(anon.post_form(form.page(), &pairs).status, 303);
    let stored = owner.get(form.entry(1)).data()["field_1"].clone();
    let expected = address(json!({"country": "DE", "city": "Jena", "state": "DE-TH"}));
    assert_eq!(stored, expected);
}

#[test]
fn a_location_is_typed_without_a_script() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("location", json!({"required": true}))]));
    let page = anon.get(form.page());
    assert!(page.runs("location.js"));
    let pairs = [("field_1.longitude", "13,4,1"), ("field_1.latitude", "91"), ("field_1.address", "<b>Berlin")];
    let refused = anon.post_form(form.page(), &pairs);
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"field_1.longitude-fault\""), "{refused}");
    assert!(refused.text.contains("Enter a number from -90 to 90"));
    assert!(control(&refused, "field_1.longitude").contains("value=\"13,4,1\""));
    assert!(control(&refused, "field_1.address").contains("value=\"&lt;b&gt;Berlin\""));
    let pairs = [("field_1.longitude", "13.4"), ("field_1.latitude", "-52.5")];
    assert_eq!(anon.post_form(form.page(), &pairs).status, 303);
    assert_eq!(
        owner.get(form.entry(1)).data()["field_1"],
        json!({"longitude": 13.4, "latitude": -52.5, "address": ""})
    );
    let empty = anon.post_form(form.page(), &[("field_1.longitude", "")]);
    assert!(empty.text.contains("Answer this question"));
}

#[test]
fn scripts_find_the_states_of_a_country() {
    let server = Server::shared();
    let form = server.user().form(json!([field("address", json!({}))]));
    let page = server.anon().get(form.page());
    let script = page.text.split("src=\"").find(|rest| rest.contains("/form_controls.js\""));
    let folder = script.and_then(|rest| rest.split("form_controls.js").next()).expect("the script");
    assert!(page.runs("address.js"));
    let list = server.anon().get(format!("{folder}states-CN.json"));
    assert_eq!(list.status, 200, "{list}");
    assert_eq!(list.header("content-type"), "application/json");
    assert!(list.header("cache-control").contains("immutable"));
    assert_eq!(list.json()["zh-CN"][0], json!(["CN-AH", "安徽省"]));
    assert_eq!(server.anon().get(format!("{folder}states-HK.json")).status, 404);
}
