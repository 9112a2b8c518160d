//! The hosted page of a form, as a browser without a script uses it: sent, turned, framed, and the files that it loads.

use super::*;

fn pages() -> World {
    World::of(json!({"name": "Three pages", "fields": [
        {"type": "short_text", "label": "Name", "required": true}, {"type": "page_break", "next_text": "On"},
        {"type": "email", "label": "Address", "required": true}, {"type": "page_break", "previous_text": "Before"},
        {"type": "long_text", "label": "Words"},
    ]}))
}

#[test]
fn posts_of_both_encodings_are_stored() {
    let w = World::with(one_line(json!({"required": true})));
    let receipt = w.post(&[("field_1", "Ada")]).leads();
    assert!(receipt.starts_with(&format!("/f/{}/done?", w.form.token)), "{receipt}");
    let parts = "--b\r\nContent-Disposition: form-data; name=\"field_1\"\r\n\r\n爱达\r\n\
                 --b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.txt\"\r\n\r\nno\r\n--b--\r\n";
    w.anon.send("POST", &w.form.page(), Some("multipart/form-data; boundary=b"), parts.as_bytes()).is(303);
    let entries = w.owner.get(w.form.entries()).data();
    assert_eq!((&entries[0]["field_1"], &entries[1]["field_1"]), (&json!("爱达"), &json!("Ada")), "{entries}");
}

#[test]
fn an_answer_to_a_question_that_was_removed_meanwhile_is_not_dropped_in_silence() {
    let w =
        World::of(json!({"name": "Two", "fields": [field("short_text", json!({})), field("short_text", json!({}))]}));
    w.owner.patch(w.form.path(), json!({"fields": [field("short_text", json!({"api_code": "field_1"}))]})).is(200);
    let post = |other: &[(&str, &str)]| w.post(&[&[("_page", "0"), ("field_1", "Ada")], other].concat());
    let told = post(&[("field_2", "Lovelace")]).is(409);
    told.has(["A question was removed", "submit again", "value=\"Ada\""]).lacks(["name=\"field_2\""]);
    assert_eq!(w.owner.get(w.form.entries()).data(), json!([]));
    // Left blank, it loses nothing.
    post(&[("field_2", "")]).is(303);
}

#[test]
fn pages_turn_without_a_script() {
    let w = pages();
    let first = w.page();
    assert_eq!(hidden(first.has([">On</button>"]), "_page"), "0");
    let post = |page: &str, action: &str, name: &str, mail: &str| {
        w.post(&[("_page", page), ("_action", action), ("field_1", name), ("field_3", mail), ("field_5", "kept")])
    };
    let shows = |answer: Response, status: u16, page: &str| {
        let answer = answer.is(status);
        assert_eq!(hidden(&answer, "_page"), page, "{answer}");
        answer
    };
    // A page of one question needs no summary, and only this page's faults are shown.
    shows(post("0", "next", "", ""), 422, "0")
        .has([r#"id="field_1-fault" tabindex="-1" autofocus"#])
        .lacks([r##"href="#field_1""##, "field_3-fault"]);
    shows(post("0", "next", "Ada", ""), 200, "1").has([r#"value="Ada""#, ">kept</textarea>"]);
    shows(post("1", "back", "Ada", "wrong"), 200, "0").has([r#"value="wrong""#]);
    // The end checks all, and shows the first page with a fault.
    shows(post("2", "submit", "Ada", "wrong"), 422, "1").has(["<title>Error: Three pages</title>"]);
    assert_eq!(w.count(), 0);
    post("2", "submit", "Ada", "ada@example.com").is(303);
    assert_eq!(w.count(), 1);
}

#[test]
fn script_is_told_what_is_wrong() {
    let w = pages();
    let script = w.anon.header("accept", "application/json, text/plain, */*");
    let page = script.get(w.form.page());
    assert!(page.text.starts_with("<!DOCTYPE html>"), "{page}");
    for (action, status) in [("check", 200), ("submit", 422)] {
        let told = script.post_form(w.form.page(), &[("_page", "0"), ("_action", action)]).is(status);
        let faults = told.json()["faults"].as_array().expect("a list").clone();
        let fields: Vec<&Value> = faults.iter().map(|fault| &fault["field"]).collect();
        assert_eq!(fields, ["field_1", "field_3"], "{action}: {told}");
    }
}

#[test]
fn the_quick_and_the_trapped_are_asked_again() {
    let w = simple();
    let page = w.page();
    let stamp = hidden(&page, "_time");
    let forged = stamp.replacen(char::is_numeric, "1", 3);
    let other = hidden(&w.anon.get(w.owner.form(one_line(json!({}))).page()), "_time");
    for (input, value) in
        [("_time", stamp.as_str()), ("_time", &forged), ("_time", &other), ("_homepage", "https://spam.example/")]
    {
        let asked = w.post(&[(input, value), ("field_1", "typed <here>")]);
        assert_eq!(asked.status, 422, "{input} {value}: {asked}");
        asked.has(["typed &lt;here&gt;", "That was quick", "Please press “Submit” once more."]);
        // The button has the focus, and its notice stands there.
        let (before, after) = asked.text.split_once("That was quick").expect("a notice");
        assert!(before.contains("id=\"field_1\"") && before.contains("id=\"again\""), "{asked}");
        assert!(after.contains("autofocus aria-describedby=\"again\"") && !before.contains("autofocus"), "{asked}");
    }
    assert_eq!(w.count(), 0);
    w.post(&[("_time", &patient(&page)), ("_page", "0"), ("field_1", "typed")]).is(303);
    assert_eq!(w.newest()["info_filling_duration"], 2);
}

#[test]
fn two_clicks_store_one_entry() {
    let w = simple();
    let once = hidden(&w.page(), "_once");
    let click = |text: &str| w.post(&[("_once", &once), ("field_1", text)]);
    let first = click("a").leads();
    assert_eq!(click("a").leads(), first);
    // A browser parts the same answers anew each time that it sends them.
    for edge in ["one", "two"] {
        let part =
            |name, text| format!("--{edge}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        let body = format!("{}{}--{edge}--\r\n", part("_once", once.as_str()), part("field_1", "a"));
        let kind = format!("multipart/form-data; boundary={edge}");
        assert_eq!(w.anon.send("POST", &w.form.page(), Some(&kind), body.as_bytes()).leads(), first, "{edge}");
    }
    assert_eq!(w.count(), 1);
    // Back, changed, sent again: that may be meant, so the page asks.
    let asked = click("b").is(409);
    assert_ne!(hidden(asked.has([r#"value="b""#]), "_once"), once);
}

#[test]
fn a_frame_gets_its_own_policy_and_no_cookie() {
    let w = World::with(one_line(json!({"required": true})));
    let framed = format!("{}?embed=1", w.form.page());
    let page = w.anon.get(&framed);
    page.has(["embed.js", &format!("action=\"{framed}\"")]).lacks(["<footer"]);
    let faulty = w.anon.post_form(&framed, &[]).is(422);
    let thanks = w.anon.get(w.anon.post_form(&framed, &[("field_1", "x")]).leads());
    for answer in [&page, &faulty, &thanks] {
        assert!(answer.header("content-security-policy").contains("frame-ancestors *;"), "{:?}", answer.headers);
        assert!(answer.headers.get("set-cookie").is_none(), "{:?}", answer.headers);
    }
    assert!(w.page().header("content-security-policy").contains("frame-ancestors 'none'"));
}

#[test]
fn too_many_submissions_keep_what_was_typed() {
    let server = Server::shared_with(&["--limit-submissions", "1"]);
    let w = World::on(server, json!({"name": "A form", "fields": one_line(json!({}))}));
    w.post(&[("field_1", "a")]).is(303);
    let refused = w.post(&[("field_1", "still here")]).is(429);
    refused.has(["still here"]);
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|secs| secs > 0), "{:?}", refused.headers);
}

/// The weight of a page with them is tested in `tests/browser/weight.rs`.
#[test]
fn files_of_a_page_are_packed_and_never_change() {
    let w = asking(json!([{"short_text": {}}, {"number": {}}, {"date": {}}, {"phone": {}}]));
    let names = files_of(&w.page());
    assert!(names.len() > 1, "{names:?}");
    for name in &names {
        let file = w.anon.get(name).is(200);
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{name}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{name}");
        let again = w.anon.header("if-none-match", file.header("etag")).get(name);
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{name}");
        // Smaller still for clients that accept that coding, and only then.
        for (taken, coding) in [("gzip, deflate, br, zstd", "br"), ("br;q=0, gzip", "gzip"), ("identity", "")] {
            let packed = w.anon.header("accept-encoding", taken).get(name);
            let told = (packed.header("vary"), packed.header("content-encoding"));
            assert_eq!(told, ("Accept-Encoding", coding), "{name} {taken}");
        }
        let length = bytes(&w.anon, name);
        assert!(length > 0 && length <= file.text.len(), "{name}: {length}");
    }
    let other = names[0].replace("/assets/", "/assets/0");
    for bad in [other.as_str(), "/assets/x/app.css", "/assets/x/..%2f..%2fCargo.toml", "/assets/"] {
        assert_eq!(w.anon.get(bad).status, 404, "{bad}");
    }
}

/// The style sheets and scripts that a page asks for.
fn files_of(page: &Response) -> Vec<String> {
    let named = ["href=\"/assets/", "src=\"/assets/"].into_iter().flat_map(|start| page.text.split(start).skip(1));
    named.map(|rest| format!("/assets/{}", rest.split('"').next().unwrap_or_default())).collect()
}

/// How many bytes an answer's body has on the wire.
fn bytes(caller: &Caller, path: &str) -> usize {
    let answer = caller.header("accept-encoding", "gzip").get(path);
    assert_eq!(answer.header("content-encoding"), "gzip", "{path}");
    answer.header("content-length").parse().expect("a length")
}
