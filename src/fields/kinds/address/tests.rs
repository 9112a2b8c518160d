//! Filters by parts, texts of any case, and states given by their names.

use super::*;
use crate::fields::form_part::FormPart;

fn address(own: Json) -> Box<dyn Kind> {
    let mut at = Issues::new();
    let kind = build(&mut Reader::new(own, &mut at), &BuildCx::default());
    assert!(at.is_empty());
    kind
}

fn holds(op: Op, value: Json, stored: &Json) -> bool {
    let (kind, cx) = (address(json!({})), Cx::of_a_test(false));
    let keys = if stored.is_null() { Vec::new() } else { kind.keys(stored, &cx) };
    kind.condition(op, &value, &cx).expect("a condition").holds(&keys)
}

#[test]
fn only_given_parts_count_and_text_folds() {
    let shanghai = json!({"city": "Shanghai", "state": "CN-SH", "country": "CN", "address_line1": "１ Ｎanjing Road"});
    for (op, value, expected) in [
        (Op::Eq, json!({"country": "CN"}), true),
        (Op::Eq, json!({"city": "SHANGHAI", "country": "CN"}), true),
        (Op::Eq, json!({"city": "shanghai", "country": "US"}), false),
        (Op::Eq, json!({"country": "cn"}), false),
        (Op::Eq, json!({"address_line1": "1 nanjing road", "address_line2": null, "postal_code": ""}), true),
        (Op::Eq, json!({"city": "Shang"}), false),
        (Op::Ne, json!({"country": "US"}), true),
        (Op::Ne, json!({"country": "CN"}), false),
        (Op::AnyIn, json!([{"country": "US"}, {"state": "CN-SH"}]), true),
        (Op::NoneIn, json!([{"country": "US"}, {"city": "Jena"}]), true),
        (Op::Like, json!("nanjing"), true),
        (Op::Like, json!("cn-sh"), true),
        (Op::Like, json!("china"), true),
        (Op::Like, json!("city="), false),
        (Op::NotNull, json!(null), true),
    ] {
        assert_eq!(holds(op, value.clone(), &shanghai), expected, "{op:?} {value}");
    }
    assert!(holds(Op::Ne, json!({"city": "x"}), &Json::Null));
    assert!(holds(Op::NoneIn, json!([{"city": "x"}]), &Json::Null));
    assert!(!holds(Op::Eq, json!({"city": "x"}), &Json::Null));
}

#[test]
fn conditions_that_ask_for_nothing_are_refused() {
    let (kind, cx) = (address(json!({})), Cx::of_a_test(false));
    for (op, value) in [
        (Op::Eq, json!({})),
        (Op::Eq, json!({"city": ""})),
        (Op::Eq, json!("Shanghai")),
        (Op::Eq, json!([{"city": "x"}])),
        (Op::Eq, json!({"city": 5})),
        (Op::AnyIn, json!({"city": "x"})),
        (Op::AnyIn, json!([])),
        (Op::AnyIn, json!(["x"])),
        (Op::Like, json!({"city": "x"})),
    ] {
        assert!(kind.condition(op, &value, &cx).is_err(), "{op:?} {value}");
    }
}

#[test]
fn a_post_may_name_the_state() {
    let posted = |own: Json, pairs: &[(&str, &str)]| {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (format!("f.{key}"), *value)).collect();
        let tree = FormPart::tree(pairs.iter().map(|(key, value)| (key.as_str(), *value)));
        address(own).form_value(tree.member("f").expect("posted"), &Cx::of_a_test(true))
    };
    assert_eq!(
        posted(json!({}), &[("country", "US"), ("state", "california"), ("city", "")]),
        json!({"country": "US", "state": "US-CA"})
    );
    assert_eq!(
        posted(json!({}), &[("country", "US"), ("state", "nowhere")]),
        json!({"country": "US", "state": "nowhere"})
    );
    assert_eq!(posted(json!({}), &[("country", "US"), ("city", "")]), Json::Null);
    assert_eq!(posted(json!({"required_parts": ["country"]}), &[("country", "US")]), json!({"country": "US"}));
    assert_eq!(posted(json!({}), &[("city", "")]), Json::Null);
}

#[test]
fn an_address_in_one_cell_is_read_where_it_is_sure() {
    let cx = Cx::of_a_test(false);
    let read = |country: Option<&str>, typed: &str| {
        let kind = address(json!({"default_country": country}));
        let sheet = kind.sheet().expect("a sheet");
        sheet.written(typed, &cx).map(|value| {
            let parts = AddressPart::names().into_iter().filter_map(|name| value[name].as_str());
            parts.collect::<Vec<_>>().join("|")
        })
    };
    for (country, typed, parts) in [
        (Some("DE"), "Marienplatz 1, 80331 München", Some("Marienplatz 1|München|80331|DE")),
        (Some("DE"), "Marienplatz 1\n80331 München\nGermany", Some("Marienplatz 1|München|80331|DE")),
        (None, "Marienplatz 1, 80331 München, DE", Some("Marienplatz 1|München|80331|DE")),
        (Some("DE"), "c/o Doe, Weg 2, 80331 München", Some("c/o Doe|Weg 2|München|80331|DE")),
        (Some("NL"), "Dam 1, 1012 JS Amsterdam", Some("Dam 1|Amsterdam|1012 JS|NL")),
        (None, "1 Main St, Springfield, Illinois 62701, United States", Some("1 Main St|Springfield|US-IL|62701|US")),
        (Some("GB"), "1 High Street, London SW1A 1AA", Some("1 High Street|London|SW1A 1AA|GB")),
        (Some("DE"), "80331 München", None),
        // Without a country, the order of the parts is unknown.
        (None, "Marienplatz 1, 80331 München", None),
        (None, "Marienplatz 1, 80331 München, Bayern", None),
        (Some("DE"), "Marienplatz", None),
        (Some("DE"), "", None),
    ] {
        assert_eq!(read(country, typed).as_deref(), parts, "{typed}");
    }
}
