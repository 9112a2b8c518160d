//! `number`, `rating`, `nps` and `phone`.

use serde_json::{Value, json};

use super::Group;

pub fn groups() -> Vec<Group> {
    let number = Group::of("number", json!({}))
        .keeps([
            json!(0),
            json!(-3),
            json!(2.5),
            json!(0.1),
            json!(1e-7),
            json!(1e300),
            json!(9_007_199_254_740_991_i64),
            json!(0.300_000_000_000_000_04),
        ])
        .takes(json!(100_000_000_000_000_000_i64), json!(1e17))
        .refuses(json!(123_456_789_012_345_678_i64), "has too many digits to be stored exactly: use a text question")
        .refuses(json!(-9_007_199_254_740_993_i64), "has too many digits to be stored exactly: use a text question")
        .refuses(json!(u64::MAX), "has too many digits to be stored exactly: use a text question")
        .takes(json!(3.0), json!(3))
        .takes(json!(-0.0), json!(0))
        .refuses(json!("5"), "must be a number")
        .refuses(json!(""), "must be a number")
        .refuses(json!(true), "must be a number")
        .refuses(json!([]), "must be a number")
        .refuses(json!([5]), "must be a number")
        .refuses(json!({}), "must be a number")
        .refuses(json!({"value": 5}), "must be a number");
    let bounded = Group::of("number", json!({"min": -1.5, "max": 10, "precision": 2}))
        .keeps([json!(-1.5), json!(10), json!(0.25)])
        // Half goes away from zero, as the text of the number reads.
        .takes(json!(2.345), json!(2.35))
        .takes(json!(1.005), json!(1.01))
        .takes(json!(-1.005), json!(-1.01))
        .takes(json!(9.999), json!(10))
        // The stored value is compared.
        .takes(json!(10.004), json!(10))
        .refuses(json!(10.005), "must be 10 or less")
        .refuses(json!(-1.51), "must be -1.5 or more")
        .refuses(json!(1e300), "must be 10 or less");
    let whole = Group::of("number", json!({"precision": 0}))
        .takes(json!(2.5), json!(3))
        .takes(json!(-2.5), json!(-3))
        .takes(json!(-0.4), json!(0));
    vec![
        number,
        bounded,
        whole,
        points("rating", json!({}), 1, 5),
        points("rating", json!({"rating_max": 10, "icon": "heart"}), 1, 10),
        points("nps", json!({"min_label": "No"}), 0, 10),
        phone(),
        phone_of_some(),
    ]
}

fn points(kind: &'static str, own: Value, low: i64, high: i64) -> Group {
    let range = format!("must be {low} to {high}");
    let whole = "must be a whole number";
    let mut group = Group::of(kind, own).keeps((low..=high).map(Value::from));
    // A float that is whole is the whole number.
    group = group.takes(json!(3.0), json!(3));
    for beyond in [json!(low - 1), json!(high + 1), json!(-3), json!(9_007_199_254_740_991_i64)] {
        group = group.refuses(beyond, &range);
    }
    for odd in [json!("3"), json!(""), json!(2.5), json!(true), json!([3]), json!({"value": 3}), json!(1e300)] {
        group = group.refuses(odd, whole);
    }
    group
}

fn read(country: &str, code: &str, number: &str) -> Value {
    json!({"country_id": country, "country_code": code, "number": number})
}

fn phone() -> Group {
    let given = |country: Value, number: Value| json!({"country_id": country, "number": number});
    let no_country = ".country_id: must be an ISO 3166-1 alpha-2 code such as CN";
    Group::of("phone", json!({"default_country": "DE"}))
        .keeps([read("CN", "86", "13800138000"), read("US", "1", "2025550123")])
        .takes(given(json!("CN"), json!("138 0013-8000")), read("CN", "86", "13800138000"))
        .takes(given(json!("CN"), json!("+86 138 0013 8000")), read("CN", "86", "13800138000"))
        // A dialling code is no part of the local number, however it was typed.
        .takes(given(json!("CN"), json!("0086 138 0013 8000")), read("CN", "86", "13800138000"))
        .takes(given(json!("US"), json!("1 (202) 555-0123")), read("US", "1", "2025550123"))
        .takes(given(json!("DE"), json!("030 123456")), read("DE", "49", "30123456"))
        .takes(given(json!("DE"), json!("0151 23456789")), read("DE", "49", "15123456789"))
        .takes(given(json!("DE"), json!("+49 (0)151/23456789")), read("DE", "49", "15123456789"))
        .takes(given(json!("RU"), json!("8 912 345-67-89")), read("RU", "7", "9123456789"))
        .takes(given(json!("NU"), json!("4012")), read("NU", "683", "4012"))
        // A number that says its country belongs to that one.
        .takes(given(json!("CN"), json!("+1 2025550123")), read("US", "1", "2025550123"))
        .takes(given(json!("CN"), json!("0049 151 23456789")), read("DE", "49", "15123456789"))
        .takes(given(json!("DE"), json!("＋383 43 123 456")), read("XK", "383", "43123456"))
        .takes(given(json!("XK"), json!("043 123 456")), read("XK", "383", "43123456"))
        .takes(json!({"number": "+86 13800138000"}), read("CN", "86", "13800138000"))
        .takes(given(json!(""), json!("+1 416 555 0123")), read("CA", "1", "4165550123"))
        .takes(given(json!("US"), json!("+1 416 555 0123")), read("US", "1", "4165550123"))
        .takes(given(json!("IT"), json!("06 1234 5678")), read("IT", "39", "0612345678"))
        .takes(
            json!({"country_id": "GB", "country_code": "999", "number": "020 7946 0018", "note": "ignored"}),
            read("GB", "44", "2079460018"),
        )
        .takes(
            json!({"country_id": "GB", "country_code": null, "number": "02079460018"}),
            read("GB", "44", "2079460018"),
        )
        // A country alone is no answer.
        .takes(json!({"country_id": "CN"}), json!(null))
        .takes(given(json!("CN"), json!("  ")), json!(null))
        .takes(json!({}), json!(null))
        .refuses(json!("+86 13800138000"), "must be an object with country_id and number")
        .refuses(json!(138), "must be an object with country_id and number")
        .refuses(json!([]), "must be an object with country_id and number")
        .refuses(json!({"number": "13800138000"}), ".country_id: can't be blank")
        .refuses(given(json!(""), json!("13800138000")), ".country_id: can't be blank")
        .refuses(given(json!("cn"), json!("13800138000")), no_country)
        .refuses(given(json!("XX"), json!("13800138000")), no_country)
        .refuses(given(json!("CHN"), json!("13800138000")), no_country)
        .refuses(given(json!(86), json!("13800138000")), ".country_id: must be a string")
        .refuses(given(json!("CN"), json!(13_800_138_000_i64)), ".number: must be a string")
        .refuses(given(json!("CN"), json!("12")), ".number: is not a phone number of China")
        .refuses(given(json!("CN"), json!("call me")), ".number: is not a phone number of China")
        .refuses(given(json!("CN"), json!("+999 2025550123")), ".number: is not a phone number of China")
        .refuses(given(json!("DE"), json!("12")), ".number: is not a phone number of Germany")
        .refuses(given(json!("DE"), json!("110")), ".number: is not a phone number of Germany")
        .refuses(given(json!("DE"), json!("+49 1234")), ".number: is not a phone number of Germany")
        .refuses(given(json!("US"), json!("555-0123")), ".number: is not a phone number of United States of America")
        .refuses(given(json!("CN"), json!("1".repeat(20))), ".number: is not a phone number of China")
        .refuses(given(json!("CN"), json!("1".repeat(41))), ".number: is too long (at most 40 characters)")
        .refuses(given(json!("CN"), json!("138\u{0}00138000")), ".number: must not contain NUL characters")
        .refuses(
            json!({"country_id": "CN", "country_code": 86, "number": "13800138000"}),
            ".country_code: must be a string",
        )
        .refuses_for(given(json!(1), json!(2)), &[".number: must be a string", ".country_id: must be a string"])
}

fn phone_of_some() -> Group {
    let other =
        |country: &str| format!(".number: is a phone number of {country}, which is not one of the allowed countries");
    Group::of("phone", json!({"allowed_countries": ["US", "GB"]}))
        .keeps([read("GB", "44", "2079460018")])
        .takes(json!({"country_id": "CN", "number": "+44 20 7946 0018"}), read("GB", "44", "2079460018"))
        .refuses(
            json!({"country_id": "CN", "number": "13800138000"}),
            ".country_id: is not one of the allowed countries",
        )
        .refuses(json!({"country_id": "GB", "number": "+86 13800138000"}), &other("China"))
        .refuses(json!({"country_id": "GB", "number": "0086 13800138000"}), &other("China"))
        .refuses(json!({"number": "+1 416 555 0123"}), &other("Canada"))
}
