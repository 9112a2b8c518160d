//! Each kind of secret is of use in one place (S26): of an edit token, the signatures of an upload, a file and a
//! receipt, a cursor, a session, a page's own token and the cookie of an answer, each is tried in every place, and only
//! its own one takes it.

use serde_json::json;
use support::session::{Session, with_account};
use support::steps::set;
use support::uploads::{path_of, prepare, uploaded};
use support::{Form, Response, field};

/// The cookie of a browser that has answered a form that takes one answer from each.
const MARK: &str = "formsvc_answered";

/// The value of a query parameter.
fn param<'a>(address: &'a str, name: &str) -> &'a str {
    let (_, query) = address.split_once('?').expect("a query");
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(key, _)| *key == name);
    found.map(|(_, value)| value).expect("the parameter")
}

fn cookie(answer: &Response, name: &str) -> String {
    let mut lines = answer.headers.get_all("set-cookie").iter();
    let found = lines.find_map(|line| {
        let (pair, _) = line.to_str().ok()?.split_once(';')?;
        let (key, value) = pair.split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    found.expect("the cookie")
}

#[test]
fn a_secret_opens_one_place() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({"max_count": 5})), field("short_text", json!({}))]));
    let options = json!({"allow_edit_after_submission": true});
    set(&owner, &form, json!({"submission_options": options}));
    let single = owner.form(json!([field("short_text", json!({}))]));
    let options = json!({"one_per_respondent": "browser"});
    set(&owner, &single, json!({"submission_options": options}));

    let file = uploaded(&anon, &form, "a.txt", "text/plain", b"abc");
    let values = json!({"field_values": {"field_1": [file], "field_2": "x"}});
    let made = anon.post(form.submissions(), values).data();
    let entry = made["entry"]["token"].as_str().expect("a token");
    let edit_token = made["edit_token"].as_str().expect("a right");
    let prepared = prepare(&anon, &form, "b.txt", "text/plain", 3).data();
    let upload = path_of(&anon, prepared["upload_url"].as_str().expect("an address"));
    let read = owner.get(form.entry(1)).data();
    let file = path_of(&anon, read["field_1"][0]["url"].as_str().expect("a link")).to_owned();
    let done = anon.post_form(form.page(), &[("field_2", "y")]);
    let receipt = done.header("location").to_owned();
    let list = format!("{}?page_size=1", form.entries());
    let page = owner.get(&list).json();
    let cursor = page["pagination"]["next_cursor"].as_str().expect("more");
    let answered = anon.post_form(single.page(), &[("field_1", "Ada")]);
    let mark = cookie(&answered, MARK);
    let browser = Session::on(&server).signed_in(email);
    let session = browser.cookie("formsvc_session").expect("a session");

    let secrets = [
        ("edit token", edit_token.to_owned()),
        ("upload", param(upload, "signature").to_owned()),
        ("file", param(&file, "signature").to_owned()),
        ("receipt", param(&receipt, "s").to_owned()),
        ("cursor", cursor.to_owned()),
        ("session", session),
        ("csrf", browser.csrf()),
        ("mark", mark),
    ];
    let with = |address: &str, name: &str, secret: &str| address.replacen(param(address, name), secret, 1);
    let mut opened = Vec::new();
    for (place, _) in &secrets {
        for (kind, secret) in &secrets {
            let is_open = match *place {
                "edit token" => {
                    let own = format!("{}/entries/{entry}", form.published());
                    let answer = anon.header("X-Edit-Token", secret).get(own);
                    assert!([200, 404].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "upload" => {
                    let address = with(upload, "signature", secret);
                    let answer = anon.send("PUT", &address, Some("text/plain"), b"abc");
                    assert!([200, 403].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "file" => {
                    let answer = anon.get(with(&file, "signature", secret));
                    assert!([200, 403].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "receipt" => {
                    let answer = anon.get(with(&receipt, "s", secret));
                    assert!([200, 404].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "cursor" => {
                    let answer = owner.get(format!("{list}&cursor={secret}"));
                    assert!([200, 400].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "session" => {
                    let line = format!("formsvc_session={secret}");
                    let answer = anon.header("Cookie", &line).get("/profile");
                    assert!([200, 303].contains(&answer.status), "{kind}: {answer}");
                    answer.status == 200
                }
                "csrf" => {
                    let caller = browser.caller().header("origin", &anon.base);
                    let pairs = [("csrf", secret.as_str()), ("name", "Ada"), ("locale", "en")];
                    let answer = caller.post_form("/profile", &pairs);
                    answer.status != 403
                }
                _ => is_marked(&anon, &single, secret),
            };
            if is_open {
                opened.push((*place, *kind));
            }
        }
    }
    let own: Vec<_> = secrets.iter().map(|(kind, _)| (*kind, *kind)).collect();
    assert_eq!(opened, own);
}

/// Whether the form's page takes the browser for one that has answered.
fn is_marked(anon: &support::Caller, form: &Form, mark: &str) -> bool {
    let caller = anon.header("Cookie", &format!("{MARK}={mark}"));
    let answer = caller.get(form.page());
    assert_eq!(answer.status, 200, "{answer}");
    !answer.text.contains("name=\"field_1\"")
}
