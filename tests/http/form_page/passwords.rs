//! A form's password: on its page, over the API, and against guessing.

use support::field;

use super::*;

fn locked() -> World {
    let fields = one_line(json!({"required": true}));
    World::of(json!({"name": "Under the roses", "fields": fields})).settings(password("sesame"))
}

#[test]
fn password_opens_the_page_it_is_for() {
    let w = locked();
    w.page().is(403).lacks(["roses", "field_1"]);
    let give = |given| w.post(&[("_action", "open"), ("_password", given)]);
    give("sesam").is(403).has(["Incorrect password"]);
    let page = give("sesame").is(200);
    page.has(["roses"]).lacks(["sesame"]);
    let grant = hidden(&page, "_grant");
    let send = |w: &World, grant: &str| w.post(&[("_grant", grant), ("field_1", "x")]).status;
    assert_eq!(send(&w, &grant), 303);
    assert_eq!(send(&w, ""), 403);
    assert_eq!(send(&locked(), &grant), 403, "a grant is for one form");
    set(&w.owner, &w.form, password("another one"));
    assert_eq!(send(&w, &grant), 403, "a grant ends with the password");
}

#[test]
fn password_is_needed_over_the_api() {
    let w = locked();
    let refused = w.anon.get(w.form.published());
    assert_eq!(refused.to_string(), r#"403 {"error":"This form needs a password","code":"password_required"}"#);
    w.anon.header("x-form-password", "simsim").get(w.form.published()).refuses(403, "password_invalid");
    let right = w.anon.header("x-form-password", "sesame");
    right.get(w.form.published()).is(200);
    let body = |password: Value| json!({"field_values": {"field_1": "x"}, "password": password});
    right.post(w.form.submissions(), body(Value::Null)).is(201);
    // The answers to other passwords in the body are in `tables/availability.txt`.
    w.anon.post(w.form.submissions(), body(Value::Null)).refuses(403, "password_required");
}

#[test]
fn wrong_passwords_wait_after_ten_and_right_ones_after_a_hundred() {
    // The limits of requests are off here, and this one holds all the same.
    let w = locked();
    let given = |given: &str| w.anon.header("x-form-password", given).get(w.form.published());
    for _ in 0..10 {
        given("no").refuses(403, "password_invalid");
    }
    // The next wrong ones wait; a right one gets in all the same, and takes no try back.
    for _ in 0..2 {
        let refused = given("no").is(429);
        assert!(refused.header("retry-after").parse::<u32>().is_ok(), "{:?}", refused.headers);
        given("sesame").is(200);
    }
    w.anon.post(w.form.submissions(), json!({"field_values": {"field_1": "x"}, "password": "sesame"})).is(201);
    // A guesser without end is not told the right password either.
    for n in 12..100 {
        given(&format!("guess {n}")).is(429);
    }
    given("sesame").is(429);
}

#[test]
fn page_that_was_open_before_a_new_password_guesses_nothing() {
    let w = locked();
    let grant = hidden(&w.post(&[("_action", "open"), ("_password", "sesame")]), "_grant");
    set(&w.owner, &w.form, password("another one"));
    for _ in 0..120 {
        let typed = [("_page", "0"), ("_action", "next"), ("_grant", &grant), ("field_1", "Ada Lovelace")];
        w.post(&typed).is(403).has(["Ada Lovelace"]);
    }
    // A visitor with wrong passwords has to wait, and keeps the typed values.
    let guess = |word| w.post(&[("_page", "0"), ("_action", "open"), ("_password", word), ("field_1", "Ada Lovelace")]);
    for n in 0..12 {
        guess("wrong").is(if n < 10 { 403 } else { 429 }).has(["Ada Lovelace"]);
    }
    guess("another one").is(200).has([r#"value="Ada Lovelace""#]);
}

#[test]
fn a_form_that_is_taken_down_asks_for_its_password_too() {
    let w = locked();
    let stamp = hidden(&w.post(&[("_action", "open"), ("_password", "sesame")]), "_time");
    w.owner.patch(w.form.path(), json!({"published": false})).is(200);
    let typed = [("_page", "0"), ("_time", &stamp), ("_action", "submit"), ("field_1", "typed")];
    let post = |word| w.post(&[&typed[..], &[("_password", word)]].concat());
    post("sesame").is(404).has([r#"value="typed""#]);
    for n in 0..12 {
        post("wrong").is(if n < 10 { 404 } else { 429 }).lacks(["field_1"]);
    }
}

#[test]
fn guesses_and_submissions_count_by_address() {
    let server = Server::with(&["--trusted-proxies", "127.0.0.0/8", "--limit-submissions", "2"]);
    let owner = server.user();
    let from = |address: &str| server.anon().header("x-forwarded-for", address);
    let form = owner.form(one_line(json!({})));
    let submit = |address: &str| super::submit(&from(address), &form, json!({"field_1": "x"})).status;
    // Neighbours of one network have limits of their own, while an IPv6 network of one owner has one.
    for (addresses, statuses) in [
        (["192.0.2.1", "192.0.2.1", "192.0.2.1"], [201, 201, 429]),
        (["192.0.2.2", "192.0.2.3", "192.0.2.4"], [201, 201, 201]),
        (["2001:db8::1", "2001:db8::2", "2001:db8::3"], [201, 201, 429]),
        (["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1"], [201, 201, 201]),
    ] {
        assert_eq!(addresses.map(submit), statuses, "{addresses:?}");
    }
    let locked = owner.form(json!([field("short_text", json!({}))]));
    set(&owner, &locked, password("sesame"));
    let wrong = |address| from(address).header("x-form-password", "no").get(locked.published());
    for _ in 0..10 {
        wrong("192.0.2.1").is(403);
        wrong("2001:db8::1").is(403);
    }
    for (address, status) in [("192.0.2.1", 429), ("192.0.2.2", 403), ("2001:db8::2", 429), ("2001:db8:0:1::1", 403)] {
        assert_eq!(wrong(address).status, status, "{address}");
    }
}
