//! Addresses that leave the service by other ways than answers: in mail, in deliveries to webhooks, on certificates and
//! in QR codes, and those for programs.

use std::collections::BTreeSet;

use qrcode::{Color, QrCode};
use regex::Regex;
use serde_json::{Value, json};
use support::form_page::patient;
use support::pdf::poppler_output;
use support::peers::mail::{MailServer, flags};
use support::peers::wire_receiver::Receiver;
use support::session::{PASSWORD, Session, account};
use support::uploads::prepare;
use support::{Caller, Form, Server, field, means, text};

use super::{ORIGIN, PATH, addresses, base, form, is_below, owner, path_of};
use crate::oauth::{AUTHORIZE, TOKEN, app};

const HOST: &str = "forms.example.org";
const OWNER: &str = "ann@example.org";

/// Checks that each mention of the service's host in a text is followed by its path; returns their number.
fn mentions(text: &str) -> usize {
    let all = text.match_indices(HOST);
    all.map(|(at, _)| {
        let rest = &text[at + HOST.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || "\"<>”。,".contains(c));
        let rest = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        assert!(is_below(rest), "{rest}: {text}");
    })
    .count()
}

/// The addresses of the service in a text, each of which is answered.
fn followed(server: &Server, text: &str) -> Vec<String> {
    let pattern = Regex::new(&format!("{ORIGIN}[^\\s\"<>]*")).expect("a pattern");
    let found: BTreeSet<String> = pattern.find_iter(text).map(|it| it.as_str().replace("&amp;", "&")).collect();
    for address in &found {
        let answer = server.anon().get(path_of(address));
        assert!([200, 303].contains(&answer.status), "{address}: {answer}");
    }
    found.into_iter().collect()
}

#[test]
fn mail_leads_below_the_path() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let base = base();
    let url = mail.url();
    let flags = [&flags(&url)[..], &["--base-url", &base]].concat();
    let server = Server::with(&flags);
    let owner = owner(&server);
    server.user_named("owner@example.com", "Olga");
    let form = owner.form(json!([field("email", json!({})), field("short_text", json!({}))]));
    let settings = json!({
        "submission_options": {"allow_edit_after_submission": true},
        "notifications": {
            "receipt": {"enabled": true, "for_programs": true},
            "notice": {"enabled": true, "to": ["owner@example.com"], "include_values": true},
        },
    });
    let done = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(done.status, 200, "{done}");
    let anon = Caller::new(&owner.base, None, "");
    let values = json!({"field_1": "ada@example.com", "field_2": "x"});
    let made = anon.post(form.submissions(), json!({"field_values": values}));
    assert_eq!(made.status, 201, "{made}");

    account(&server, OWNER);
    let made = server.run(&["user", "set-role", OWNER, "owner"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let browser = Session::on(&server).at(ORIGIN);
    browser.get(&format!("{PATH}/forgot-password"));
    let asked = browser.post(&format!("{PATH}/forgot-password"), &[("email", OWNER)]);
    assert_eq!(asked.status, 200, "{asked}");
    let at = |path: &str| format!("{PATH}{path}");
    browser.get(&at("/sign-in"));
    let signed_in = [("email", OWNER), ("password", PASSWORD)];
    let done = browser.post(&at("/sign-in"), &signed_in);
    assert_eq!(done.status, 303, "{done}");
    browser.get(&at("/members"));
    let pairs = [("role", "member"), ("email", "bob@example.org")];
    let invited = browser.post_on(&at("/members/invitations"), &pairs);
    assert_eq!(invited.status, 200, "{invited}");

    for (to, begins) in [
        ("ada@example.com", &["/f/"][..]),
        ("owner@example.com", &["/f/"]),
        (OWNER, &["/reset-password/"]),
        ("bob@example.org", &["/invitation/"]),
    ] {
        let got = mail.mail_to(to);
        let stop = got.header("List-Unsubscribe");
        assert_eq!(stop.is_empty(), to != "owner@example.com", "{to}: {stop}");
        for part in [got.text(), got.html(), &stop] {
            assert!(mentions(part) > 0 || part.is_empty(), "{to}: {part}");
            let found = followed(&server, part);
            for begin in begins.iter().filter(|_| part != stop) {
                let begin = format!("{base}{begin}");
                let is_there = found.iter().any(|address| address.starts_with(&begin));
                assert!(is_there, "{to}: no {begin} in {part}");
            }
        }
    }
}

#[test]
fn webhooks_tell_addresses_below_the_path() {
    let receiver = Receiver::with_status(204);
    let base = base();
    let flags = ["--rate-limits", "off", "--allow-private-webhooks", "--base-url", &base];
    let server = Server::with(&flags);
    let owner = owner(&server);
    let form = form(&owner);
    let made = owner.post(
        format!("{}/integrations/webhooks", form.path()),
        json!({"url": receiver.url(), "trigger_events": ["entry_created"]}),
    );
    assert_eq!(made.status, 201, "{made}");
    let sketch = sketch(&server, &Caller::new(&owner.base, None, ""), &form);
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": [sketch]}}));
    assert_eq!(made.status, 201, "{made}");
    let told = receiver.wait_for(1).remove(0).json();
    let mut found = Vec::new();
    addresses(&told, &mut found);
    // The file and the certificate.
    assert_eq!(found.len(), 2, "{told}");
    for address in found {
        let answer = server.anon().get(path_of(&address));
        assert_eq!(answer.status, 200, "{address}: {answer}");
    }
}

/// The id of an uploaded file for the form's first field.
fn sketch(server: &Server, anon: &Caller, form: &Form) -> Value {
    let prepared = prepare(anon, form, "a.txt", "text/plain", 3);
    assert_eq!(prepared.status, 201, "{prepared}");
    let prepared = prepared.data();
    let to = prepared["upload_url"].as_str().expect("an address");
    let sent = server.anon().send("PUT", path_of(to), Some("text/plain"), b"abc");
    assert_eq!(sent.status, 200, "{sent}");
    prepared["upload_id"].clone()
}

/// The dark modules of a code, as the page's pictures have them.
fn modules(text: &str) -> BTreeSet<(usize, usize)> {
    const MARGIN: usize = 4;
    let code = QrCode::new(text).expect("it fits");
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate();
    dark.filter(|(_, color)| *color == Color::Dark).map(|(at, _)| (at % width + MARGIN, at / width + MARGIN)).collect()
}

/// The dark modules of the pictures on a page.
fn pictures(page: &str) -> Vec<BTreeSet<(usize, usize)>> {
    let path = Regex::new(r#"<svg class="scan".*?<path d="([^"]*)""#).expect("a pattern");
    let module = Regex::new(r"M(\d+) (\d+)h1v1h-1z").expect("a pattern");
    let number = |text: &str| text.parse().expect("a number");
    path.captures_iter(page)
        .map(|found| {
            let modules = module.captures_iter(found.get(1).expect("a path").as_str());
            modules.map(|it| (number(&it[1]), number(&it[2]))).collect()
        })
        .collect()
}

#[test]
fn codes_and_certificates_lead_below_the_path() {
    let server = super::server();
    let owner = owner(&server);
    let form = form(&owner);
    let settings = json!({"verification_code": {"enabled": true}});
    let done = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(done.status, 200, "{done}");
    let browser = Session::on(&server).at(ORIGIN);
    let page = format!("{PATH}{}", form.page());
    let stamp = patient(&browser.get(&page));
    let filled = [("_page", "0"), ("_time", stamp.as_str()), ("field_2", "Ada")];
    let done = browser.post(&page, &filled);
    assert_eq!(done.status, 303, "{done}");
    let receipt = browser.get(path_of(done.header("location")));
    let entry = owner.get(form.entry(1)).data();
    let code = entry["gen_code"].as_str().expect("a code");
    let verify = format!("{}/f/{}/verify?code={code}", base(), form.token);
    let edit = Regex::new(r#"id="edit-link"[^>]* value="([^"]*)""#).expect("a pattern");
    let edit = edit.captures(&receipt.text);
    let edit = edit.unwrap_or_else(|| panic!("no link: {receipt}"))[1].replace("&amp;", "&");
    for address in [&verify, &edit] {
        assert_eq!(server.anon().get(path_of(address)).status, 200, "{address}");
    }
    let shown = pictures(&receipt.text);
    assert_eq!(shown.len(), 2, "{receipt}");
    assert!(shown.contains(&modules(&verify)) && shown.contains(&modules(&edit)));

    if !means::has(&["pdfinfo", "pdftotext"]) {
        return;
    }
    let certificate = entry["x_field_certificate"]["url"].as_str();
    let pdf = server.anon().get(path_of(certificate.expect("a link")));
    assert_eq!(pdf.status, 200, "{pdf}");
    let links = poppler_output("pdfinfo", &["-url"], &pdf.bytes);
    assert!(mentions(&links) > 0 && links.contains(&verify), "{links}");
    let text = poppler_output("pdftotext", &["-raw"], &pdf.bytes).replace('\n', "");
    assert!(mentions(&text) > 0, "{text}");
}

#[test]
fn programs_are_led_below_the_path() {
    let server = super::server();
    let owner = owner(&server);
    let described = owner.get("/api/v1/openapi.json").json();
    let mut found = Vec::new();
    addresses(&described, &mut found);
    for path in ["", AUTHORIZE, TOKEN] {
        let address = format!("{}{path}", base());
        assert!(found.contains(&address), "no {address}: {found:?}");
    }
    for address in &found {
        path_of(address);
    }
    // RFC 9207: an answer to an application names its issuer.
    let app = app(&server, &[]);
    let asks = app.asks().into_iter();
    let asks = asks.map(|(key, value)| if key == "response_type" { (key, "token") } else { (key, value) });
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(asks);
    let back = owner.get(format!("{AUTHORIZE}?{}", query.finish()));
    let to = url::Url::parse(back.header("location")).unwrap_or_else(|e| panic!("{e}: {back}"));
    let issuer = to.query_pairs().find(|(key, _)| key == "iss");
    assert_eq!(issuer.expect("an issuer").1, base());
}
