//! The hosted page of a form, as a browser without a script would use it.

use serde_json::{Value, json};
use support::form_page::{hidden, patient};
use support::steps::{count, set};
use support::{Caller, Form, Response, Server, field};

const ZH: &str = "zh-CN,zh;q=0.9,en;q=0.5";

fn pages() -> Value {
    json!({"name": "Three pages", "fields": [
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "page_break", "next_text": "On"},
        {"type": "email", "label": "Address", "required": true},
        {"type": "page_break", "previous_text": "Before"},
        {"type": "long_text", "label": "Words"},
    ]})
}

fn one_line(own: Value) -> Value {
    json!([field("short_text", own)])
}

/// The page that is shown, from 0.
fn shown(page: &Response) -> String {
    hidden(page, "_page")
}

#[test]
fn posts_of_both_encodings_are_stored_and_thanked_for() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({"required": true})));
    let done = anon.post_form(form.page(), &[("field_1", "Ada")]);
    assert_eq!(done.status, 303, "{done}");
    let receipt = done.header("location").to_owned();
    assert!(receipt.starts_with(&format!("/f/{}/done?", form.token)), "{receipt}");
    let thanks = anon.get(&receipt);
    assert_eq!(thanks.status, 200, "{thanks}");
    assert!(thanks.text.contains("<strong>1</strong>"), "{thanks}");
    assert_eq!(thanks.header("x-robots-tag"), "noindex");
    assert_eq!(thanks.header("cache-control"), "no-store");
    for forged in [receipt.replace("n=1", "n=2"), format!("{receipt}x"), format!("/f/{}/done?n=1", form.token)] {
        assert_eq!(anon.get(&forged).status, 404, "{forged}");
    }
    let body = "--b\r\nContent-Disposition: form-data; name=\"field_1\"\r\n\r\n爱达\r\n\
                --b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.txt\"\r\n\r\nno\r\n--b--\r\n";
    let done = anon.send("POST", &form.page(), Some("multipart/form-data; boundary=b"), body.as_bytes());
    assert_eq!(done.status, 303, "{done}");
    let entries = owner.get(form.entries()).data();
    assert_eq!(entries[0]["field_1"], "爱达", "{entries}");
    assert_eq!(entries[1]["field_1"], "Ada", "{entries}");
}

#[test]
fn broken_multipart_is_refused() {
    let server = Server::shared();
    let form = server.user().form(one_line(json!({})));
    let anon = server.anon();
    let long = "b".repeat(71);
    let part = |n: usize| format!("--b\r\nContent-Disposition: form-data; name=\"f{n}\"\r\n\r\nx\r\n");
    let many: String = (0..1001).map(part).chain(["--b--\r\n".to_owned()]).collect();
    for (kind, body) in [
        ("multipart/form-data", "x".to_owned()),
        (&*format!("multipart/form-data; boundary={long}"), format!("--{long}--\r\n")),
        ("multipart/form-data; boundary=b", "--b\r\nnothing".to_owned()),
        ("multipart/form-data; boundary=b", many),
    ] {
        let refused = anon.send("POST", &form.page(), Some(kind), body.as_bytes());
        assert_eq!(refused.status, 400, "{kind} {refused}");
        assert!(refused.header("content-type").starts_with("text/html"));
    }
}

#[test]
fn pages_turn_without_a_script() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(pages());
    let first = anon.get(form.page());
    assert_eq!(shown(&first), "0");
    assert!(first.text.contains(">On</button>"), "{first}");
    let next = |page: &str, action: &str, name: &str, mail: &str| {
        anon.post_form(
            form.page(),
            &[("_page", page), ("_action", action), ("field_1", name), ("field_3", mail), ("field_5", "kept")],
        )
    };
    let stays = next("0", "next", "", "");
    assert_eq!((stays.status, shown(&stays)), (422, "0".to_owned()), "{stays}");
    // A page of one question needs no summary.
    assert!(
        !stays.text.contains("href=\"#field_1\"")
            && stays.text.contains("id=\"field_1-fault\" tabindex=\"-1\" autofocus"),
        "{stays}"
    );
    assert!(!stays.text.contains("field_3-fault"), "only this page's faults: {stays}");
    let second = next("0", "next", "Ada", "");
    assert_eq!((second.status, shown(&second)), (200, "1".to_owned()), "{second}");
    assert!(second.text.contains("value=\"Ada\"") && second.text.contains(">kept</textarea>"), "{second}");
    let back = next("1", "back", "Ada", "wrong");
    assert_eq!((back.status, shown(&back)), (200, "0".to_owned()), "{back}");
    assert!(back.text.contains("value=\"wrong\""), "{back}");
    // The end checks all, and shows the first page with a fault.
    let faulty = next("2", "submit", "Ada", "wrong");
    assert_eq!((faulty.status, shown(&faulty)), (422, "1".to_owned()), "{faulty}");
    assert!(faulty.text.contains("<title>Error: Three pages</title>"), "{faulty}");
    assert_eq!(count(&owner, &form), 0);
    assert_eq!(next("2", "submit", "Ada", "ada@example.com").status, 303);
    assert_eq!(count(&owner, &form), 1);
}

#[test]
fn the_script_is_told_what_is_wrong() {
    let server = Server::shared();
    let anon = server.anon();
    let form = server.user().form_with(pages());
    let told =
        anon.header("accept", "application/json").post_form(form.page(), &[("_page", "0"), ("_action", "check")]);
    assert_eq!(told.status, 200, "{told}");
    let fields: Vec<Value> =
        told.json()["faults"].as_array().expect("a list").iter().map(|f| f["field"].clone()).collect();
    assert_eq!(fields, [json!("field_1"), json!("field_3")]);
}

#[test]
fn who_is_too_quick_or_walks_into_the_trap_is_asked_again() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    let page = anon.get(form.page());
    let stamp = hidden(&page, "_time");
    let forged = stamp.replacen(char::is_numeric, "1", 3);
    let other = hidden(&anon.get(owner.form(one_line(json!({}))).page()), "_time");
    for pairs in [
        [("_time", stamp.as_str()), ("field_1", "typed <here>")],
        [("_time", &forged), ("field_1", "typed <here>")],
        [("_time", &other), ("field_1", "typed <here>")],
        [("_homepage", "https://spam.example/"), ("field_1", "typed <here>")],
    ] {
        let asked = anon.post_form(form.page(), &pairs);
        assert_eq!(asked.status, 422, "{pairs:?} {asked}");
        assert!(asked.text.contains("typed &lt;here&gt;") && asked.text.contains("submit again"), "{asked}");
    }
    assert_eq!(count(&owner, &form), 0);
    let stamp = patient(&page);
    let sent = anon.post_form(form.page(), &[("_time", &stamp), ("_page", "0"), ("field_1", "typed")]);
    assert_eq!(sent.status, 303, "{sent}");
    let entries = owner.get(form.entries()).data();
    assert_eq!(entries[0]["info_filling_duration"], 2, "{entries}");
}

#[test]
fn two_clicks_store_one_entry() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    let once = hidden(&anon.get(form.page()), "_once");
    let click = |text: &str| anon.post_form(form.page(), &[("_once", &once), ("field_1", text)]);
    let (first, second) = (click("a"), click("a"));
    assert_eq!((first.status, second.status), (303, 303));
    assert_eq!(first.header("location"), second.header("location"));
    // A browser parts the same answers anew each time that it sends them.
    for boundary in ["one", "two"] {
        let part = |name: &str, text: &str| {
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let body = format!("{}{}--{boundary}--\r\n", part("_once", &once), part("field_1", "a"));
        let kind = format!("multipart/form-data; boundary={boundary}");
        let again = anon.send("POST", &form.page(), Some(&kind), body.as_bytes());
        assert_eq!(again.header("location"), first.header("location"), "{again}");
    }
    assert_eq!(count(&owner, &form), 1);
    // Back, changed, sent again: that may be meant, so the page asks.
    let asked = click("b");
    assert_eq!(asked.status, 409, "{asked}");
    assert!(asked.text.contains("value=\"b\""), "{asked}");
    assert_ne!(hidden(&asked, "_once"), once);
}

#[test]
fn the_address_fills_in_and_is_stored() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({"default_value": "as always"})),
        field("radio", json!({"choices": [{"api_code": "aaaa", "label": "A"}, {"api_code": "bbbb", "label": "B"}]})),
        field("short_text", json!({"hidden": true})),
    ]));
    assert!(anon.get(form.page()).text.contains("value=\"as always\""));
    let page =
        anon.get(format!("{}?field_1=%22%3E%3Cb%3E&field_2=bbbb&field_3=no&x_field_1=flyer&field_9=x", form.page()));
    assert_eq!(page.status, 200);
    assert!(page.text.contains("value=\"&quot;&gt;&lt;b&gt;\""), "{page}");
    assert!(page.text.contains("value=\"bbbb\" checked"), "{page}");
    assert!(!page.text.contains("field_3"), "{page}");
    assert_eq!(hidden(&page, "x_field_1"), "flyer");
    let long = "x".repeat(256);
    assert!(!anon.get(format!("{}?x_field_1={long}", form.page())).text.contains(&long));
    assert_eq!(anon.post_form(form.page(), &[("x_field_1", &long)]).status, 422);
    // Emptied on our page is empty; left out by another client is the default.
    assert_eq!(anon.post_form(form.page(), &[("_page", "0"), ("field_1", ""), ("x_field_1", "flyer")]).status, 303);
    assert_eq!(anon.post_form(form.page(), &[("field_2", "aaaa"), ("field_3", "no")]).status, 303);
    let entries = owner.get(form.entries()).data();
    assert_eq!((&entries[1]["field_1"], &entries[1]["x_field_1"]), (&json!(null), &json!("flyer")), "{entries}");
    assert_eq!((&entries[0]["field_1"], &entries[0]["field_3"]), (&json!("as always"), &json!(null)), "{entries}");
}

#[test]
fn a_frame_gets_its_own_policy_and_no_cookie() {
    let server = Server::shared();
    let anon = server.anon();
    let form = server.user().form(one_line(json!({"required": true})));
    let framed = format!("{}?embed=1", form.page());
    let page = anon.get(&framed);
    assert!(page.header("content-security-policy").contains("frame-ancestors *;"));
    assert!(page.text.contains("embed.js") && page.text.contains(&format!("action=\"{framed}\"")), "{page}");
    assert!(!page.text.contains("<footer"));
    let (faulty, sent) = (anon.post_form(&framed, &[]), anon.post_form(&framed, &[("field_1", "x")]));
    assert_eq!((faulty.status, sent.status), (422, 303));
    let thanks = anon.get(sent.header("location"));
    for answer in [&page, &faulty, &thanks] {
        assert!(answer.header("content-security-policy").contains("frame-ancestors *;"), "{answer}");
        assert!(answer.headers.get("set-cookie").is_none());
    }
    assert!(anon.get(form.page()).header("content-security-policy").contains("frame-ancestors 'none'"));
}

#[test]
fn forms_that_take_nothing_say_so_and_lose_nothing() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    let stamp = patient(&anon.get(form.page()));
    let typed = [("_page", "0"), ("_time", stamp.as_str()), ("field_1", "typed")];
    let sends = |page: &Response| {
        ["submit", "next"].iter().any(|action| {
            let button = format!("name=\"_action\" value=\"{action}\"");
            page.text.contains(&button)
        })
    };
    for (settings, words) in [
        (json!({"manually_closed": true}), "is closed"),
        (
            json!({"manually_closed": false, "schedule": {"start_at": "2090-01-01T00:00:00Z"}, "show_countdown": true}),
            "not open yet",
        ),
    ] {
        set(&owner, &form, json!({"availability": settings}));
        let page = anon.get(form.page());
        assert_eq!(page.status, 200);
        assert!(page.text.contains(words) && !page.text.contains("field_1"), "{page}");
        let refused = anon.post_form(form.page(), &typed);
        assert_eq!(refused.status, 403, "{refused}");
        assert!(refused.text.contains(words) && refused.text.contains("value=\"typed\""), "{refused}");
        // Whoever was never given the questions gets none.
        let guessed = [("_page", "0"), ("_action", "more"), ("_time", "1.x")];
        let refused_too = anon.post_form(form.page(), &guessed);
        assert_eq!(refused_too.status, 403, "{refused_too}");
        assert!(refused_too.text.contains(words) && !refused_too.text.contains("field_1"), "{refused_too}");
        // Nothing sends it; what opens later can be asked for again.
        assert!(!sends(&refused), "{refused}");
        assert_eq!(refused.text.contains("value=\"more\""), words == "not open yet", "{refused}");
    }
    set(&owner, &form, json!({"availability": {"show_form_before_open": true}}));
    let early = anon.get(form.page());
    assert!(early.text.contains("field_1") && !sends(&early), "{early}");
    set(&owner, &form, json!({"availability": {"schedule": null, "entries_limit": 2}}));
    for expected in [303, 303, 403] {
        assert_eq!(anon.post_form(form.page(), &typed).status, expected);
    }
    assert!(anon.get(form.page()).text.contains("is full"));
    assert_eq!(count(&owner, &form), 2);
}

#[test]
fn a_password_opens_the_page_it_is_for() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let locked = || {
        let form = owner.form_with(json!({"name": "Under the roses", "fields": one_line(json!({}))}));
        set(&owner, &form, json!({"access_control": {"access_password": "sesame seeds"}}));
        form
    };
    let form = locked();
    let asks = anon.get(form.page());
    assert_eq!(asks.status, 403, "{asks}");
    assert!(!asks.text.contains("roses") && !asks.text.contains("field_1"), "{asks}");
    let give =
        |form: &Form, password: &str| anon.post_form(form.page(), &[("_action", "open"), ("_password", password)]);
    let wrong = give(&form, "sesame");
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("Incorrect password"), "{wrong}");
    let page = give(&form, "sesame seeds");
    assert_eq!(page.status, 200, "{page}");
    assert!(page.text.contains("roses") && !page.text.contains("sesame"), "{page}");
    let grant = hidden(&page, "_grant");
    let send = |form: &Form, grant: &str| anon.post_form(form.page(), &[("_grant", grant), ("field_1", "x")]).status;
    assert_eq!(send(&form, &grant), 303);
    assert_eq!(send(&form, ""), 403);
    assert_eq!(send(&locked(), &grant), 403, "a grant is for one form");
    set(&owner, &form, json!({"access_control": {"access_password": "another one"}}));
    assert_eq!(send(&form, &grant), 403, "a grant ends with the password");
}

#[test]
fn pages_speak_the_forms_language_and_errors_the_readers() {
    let server = Server::shared();
    let anon = server.anon();
    let form = server.user().form_with(
        json!({"name": "表单", "locale": "zh-CN", "fields": one_line(json!({"required": true, "max_length": 3}))}),
    );
    let page = anon.get(form.page());
    assert!(page.text.contains("<html lang=\"zh-CN\"") && page.text.contains(">提交</button>"), "{page}");
    assert!(anon.post_form(form.page(), &[("_page", "0")]).text.contains("请回答此问题"));
    assert!(anon.post_form(form.page(), &[("field_1", "四个字符")]).text.contains("最多 3 个字符"));
    let missing = anon.header("accept-language", ZH).get("/f/nothinghere");
    assert_eq!(missing.status, 404);
    assert!(missing.text.contains("找不到这个表单") && missing.text.contains("lang=\"zh-CN\""), "{missing}");
    assert!(anon.get("/f/nothinghere").text.contains("This form can’t be found"));
    let arabic = server.user().form_with(json!({"name": "استمارة", "locale": "ar", "fields": one_line(json!({}))}));
    assert!(anon.get(arabic.page()).text.contains("<html lang=\"en\" dir=\"rtl\""));
}

#[test]
fn thanks_in_the_owners_words_or_on_to_their_page() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    let thanks = |text: &str| {
        let sent = anon.post_form(form.page(), &[("field_1", text)]);
        assert_eq!(sent.status, 303, "{sent}");
        assert!(sent.header("location").starts_with("/f/"), "{sent}");
        anon.get(sent.header("location"))
    };
    let after = |group: Value| set(&owner, &form, json!({"after_submission": group}));
    after(
        json!({"mode": "show_message", "show_message": {"style": "text", "text": {"title": "See you <soon>", "description": "In June"}}}),
    );
    let page = thanks("a");
    assert!(page.text.contains("See you &lt;soon&gt;") && page.text.contains("In June"), "{page}");
    after(json!({"show_message": {"style": "rich_text", "rich_text": "<p>Bring <b>boots</b><script>x</script></p>"}}));
    let page = thanks("b");
    assert!(page.text.contains("<b>boots</b>") && !page.text.contains("<script>x"), "{page}");
    after(json!({"mode": "redirect", "redirect": {"url": "https://shop.example/thanks?a=1", "fields": ["field_1"]}}));
    let page = thanks("c&d=\"");
    let address = "https://shop.example/thanks?a=1&amp;field_1=c%26d%3D%22";
    assert!(page.text.contains(&format!("content=\"0; url={address}\"")), "{page}");
    assert!(page.text.contains(&format!("href=\"{address}\" rel=\"noopener noreferrer\"")), "{page}");
}

#[test]
fn too_many_submissions_keep_what_was_typed() {
    let server = Server::with(&["--limit-submissions", "1"]);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    assert_eq!(anon.post_form(form.page(), &[("field_1", "a")]).status, 303);
    let refused = anon.post_form(form.page(), &[("field_1", "still here")]);
    assert_eq!(refused.status, 429, "{refused}");
    assert!(refused.text.contains("still here"), "{refused}");
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|secs| secs > 0));
}

#[test]
fn a_theme_is_colours_under_the_policys_nonce() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(one_line(json!({})));
    assert!(!anon.get(form.page()).text.contains("<style"));
    let done = owner.patch(format!("{}/theme", form.path()), json!({"primary_color": "#00AA55"}));
    assert_eq!(done.status, 200, "{done}");
    let (one, two) = (anon.get(form.page()), anon.get(form.page()));
    let nonce = |page: &Response| {
        let policy = page.header("content-security-policy").to_owned();
        policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce").to_owned()
    };
    assert!(one.text.contains(&format!("<style nonce=\"{}\">:root{{--bg:#ffffff;", nonce(&one))), "{one}");
    assert_ne!(nonce(&one), nonce(&two));
}

#[test]
fn thirty_fields_weigh_less_than_sixty_kilobytes_and_files_never_change() {
    let server = Server::shared();
    let anon = server.anon().header("accept-encoding", "gzip");
    let kinds = ["short_text", "long_text", "email", "phone", "number", "date"];
    let fields: Vec<Value> =
        (0..30).map(|n| field(kinds[n % kinds.len()], json!({"notes": "<p>Some words of help.</p>"}))).collect();
    let form = server.user().form(json!(fields));
    let plain = server.anon().get(form.page());
    let mut weight = bytes(&anon, &form.page());
    let mut names = Vec::new();
    for start in ["href=\"/assets/", "src=\"/assets/"] {
        for rest in plain.text.split(start).skip(1) {
            names.push(format!("/assets/{}", rest.split('"').next().unwrap_or_default()));
        }
    }
    for name in &names {
        let file = server.anon().get(name);
        assert_eq!(file.status, 200, "{name}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{name}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        let again = server.anon().header("if-none-match", file.header("etag")).get(name);
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{name}");
        // Smaller still for who takes that, and only then.
        let packed = |codings: &str| {
            let packed = server.anon().header("accept-encoding", codings).get(name);
            assert_eq!(packed.header("vary"), "Accept-Encoding", "{name}");
            packed.header("content-encoding").to_owned()
        };
        assert_eq!(packed("gzip, deflate, br, zstd"), "br", "{name}");
        assert_eq!(packed("br;q=0, gzip"), "gzip", "{name}");
        assert_eq!(packed("identity"), "", "{name}");
        let length = bytes(&anon, name);
        assert!(length > 0 && length <= file.text.len(), "{name}");
        weight += length;
    }
    assert!(weight < 60 << 10, "{weight} bytes");
    assert_eq!(server.anon().get(names[0].replace("/assets/", "/assets/0")).status, 404);
    for bad in ["/assets/x/app.css", "/assets/x/..%2f..%2fCargo.toml", "/assets/"] {
        assert_eq!(server.anon().get(bad).status, 404, "{bad}");
    }
}

/// How many bytes an answer's body has on the wire.
fn bytes(caller: &Caller, path: &str) -> usize {
    let answer = caller.get(path);
    assert_eq!(answer.header("content-encoding"), "gzip", "{path}");
    answer.header("content-length").parse().expect("a length")
}

#[test]
fn a_page_that_was_open_before_the_password_changed_guesses_nothing() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({"required": true}))]));
    let password = |word: &str| {
        let path = format!("{}/settings", form.path());
        let done = owner.patch(path, json!({"access_control": {"access_password": word}}));
        assert_eq!(done.status, 200, "{done}");
    };
    password("sesame");
    let page = anon.post_form(form.page(), &[("_action", "open"), ("_password", "sesame")]);
    let grant = page.text.split("name=\"_grant\" value=\"").nth(1);
    let grant = grant.and_then(|rest| rest.split('"').next()).expect("a grant");
    password("another one");
    let typed = [("_page", "0"), ("_action", "next"), ("_grant", grant), ("field_1", "Ada Lovelace")];
    for _ in 0..120 {
        let locked = anon.post_form(form.page(), &typed);
        assert_eq!(locked.status, 403, "{locked}");
        assert!(locked.text.contains("Ada Lovelace"), "{locked}");
    }
    // Whoever types wrong ones waits, and keeps what was typed.
    let guess = |word: &str| {
        let pairs = [("_page", "0"), ("_action", "open"), ("_password", word), ("field_1", "Ada Lovelace")];
        anon.post_form(form.page(), &pairs)
    };
    for n in 0..12 {
        let wrong = guess("wrong");
        assert_eq!(wrong.status, if n < 10 { 403 } else { 429 }, "{wrong}");
        assert!(wrong.text.contains("Ada Lovelace"), "{wrong}");
    }
    let right = guess("another one");
    assert_eq!(right.status, 200, "{right}");
    assert!(right.text.contains("value=\"Ada Lovelace\""), "{right}");
}

#[test]
fn refusals_have_their_status_for_scripts_too_and_pages_are_pages() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({"required": true}))]));
    let json = anon.header("Accept", "application/json, text/plain, */*");
    let page = json.get(form.page());
    assert!(page.text.starts_with("<!DOCTYPE html>"), "{page}");
    let refused = json.post_form(form.page(), &[("_page", "0"), ("_action", "submit"), ("field_1", "")]);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.json()["faults"][0]["field"], "field_1");
}
