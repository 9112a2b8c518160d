//! Each page of the console: whole, with the right headers, for the right roles, with texts that are text whatever they
//! hold, and in Chinese for who reads Chinese. The pages are those that `formsvc routes` lists: a new one is met here.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::multipart::Body;
use support::page_text::{english, page_text};
use support::session::{Session, account};
use support::sharing::{id, share};
use support::steps::{add, set, set_part};
use support::{Caller, Form, Response, Server};

use crate::form_page::every_kind;
use crate::server::headers::{page_csp, without_nonce};

use super::{ALL, ANN, BOB, anns, folder, invited, printed};

/// What tries to be markup, a placeholder, and text from right to left.
const MARK: &str = "\"'><m4rk onload=x>{{7*7}}\u{202e}<!--";
const WORD: &str = "报名";
/// Names of things, languages and programs, and examples of codes.
const NAMES: [&str; 8] = ["test", "Example", "App", "English", "Excel", "formsvc", "en", "copy"];

/// The pages of a form that not everybody sees with whom it is shared, by the least role that does.
const ROLES: &[(&str, &[&str])] = &[
    (
        "editor",
        &[
            "/entries/bulk",
            "/entries/import",
            "/entries/import/{import_token}",
            "/entries/new",
            "/entries/{serial_number}/edit",
            "/bookings/days",
            "/checkin",
            "/trash/{serial_number}/delete",
        ],
    ),
    (
        "manager",
        &[
            "/build/fields/{code}/pictures",
            "/build/paste",
            "/build/from",
            "/publish",
            "/history",
            "/history/{version}",
            "/history/{version}/preview",
            "/views/{view_id}/delete",
            "/queries",
            "/queries/{query_token}",
            "/queries/{query_token}/delete",
            "/people",
            "/people/{user_id}/remove",
            "/settings/certificate",
            "/webhooks",
            "/webhooks/{webhook_id}",
            "/webhooks/{webhook_id}/state",
            "/webhooks/{webhook_id}/secret",
            "/webhooks/{webhook_id}/rotate",
            "/webhooks/{webhook_id}/delete",
        ],
    ),
];

/// Pages that lead on to another one, or that show what was just made and nothing later.
const LEAD_ON: &[&str] = &["/forms/{form_token}", "/profile/tokens/made", "/members/invitations/made"];

/// What some pages have to be asked for.
const QUERIES: &[(&str, &str)] = &[
    ("/find", "q=a"),
    ("/entries/condition", "field=field_1"),
    ("/entries/state", "after=1"),
    ("/entries/print", "serials=1"),
    ("/bookings/days", "field=field_17&item=ITEM&from=2030-01-01&to=2030-01-31"),
];

/// A server with one thing of each kind, whose owner wrote the same text everywhere.
struct Console {
    server: Server,
    ann: Session,
    owner: Caller,
    form: Form,
    /// The code of something that can be booked.
    item: String,
    /// The parameters of addresses.
    own: BTreeMap<&'static str, String>,
}

fn console(text: &str, locale: &str) -> Console {
    let (server, ann) = anns();
    let owner = server.token(ANN, &format!("{ALL} integration:write"));
    let fields = every_kind(text, "m");
    let form = owner
        .form_with(json!({"name": text, "description": text, "locale": locale, "published": true, "fields": fields}));
    set_part(
        &owner,
        &form,
        "theme",
        json!({"header": {"type": "text", "text": text}, "submit_button": {"text": text}}),
    );
    let message = json!({"style": "text", "text": {"title": text, "description": text}});
    let after = json!({"mode": "show_message", "show_message": message});
    set(&owner, &form, json!({"after_submission": after, "verification_code": {"enabled": true}}));
    let condition = json!({"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": text}]});
    let rules = json!({"rules": [{"condition": condition, "action": "show", "fields": ["field_2"]}]});
    owner.put(form.part("field_rules"), rules).is(200);
    for _ in 0..3 {
        let other = json!({"value": "else", "other_text": text});
        add(
            &owner,
            &form,
            json!({
                "field_1": text, "field_2": text, "field_3": 7, "field_4": other, "field_5": ["two2"], "field_7": "one1",
                "field_10": 4, "field_11": 9, "field_12": {"row1": ["one1"]}, "field_15": [{"field_1": text}],
                "field_23": "2026-05-01",
            }),
        );
    }
    owner.delete(form.entry(3)).is(200);
    let folder = folder(&owner, text);
    owner.put(form.part("folder"), json!({ "folder_token": folder })).is(200);
    let word = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned();
    let rules = json!({
        "form_token": form.token, "name": text,
        "search_field_rules": [{"operand": "and", "fields": [{"field": "serial_number", "fuzzy": false}]}],
        "display_field_rules": [{"field": "field_1", "editable": true}],
    });
    let query = owner.post("/api/v1/opensearch/queries", rules).is(201).data();
    let job = owner.post(form.part("entries/bulk_trash"), json!({"serial_numbers": [99], "expected_total": 0}));
    let webhook = json!({"url": "https://example.com", "trigger_events": ["entry_created"]});
    let webhook = owner.post(form.part("integrations/webhooks"), webhook).is(201).data();
    invited(&server, &ann, "member");
    account(&server, BOB);
    let bob = server.token(BOB, "form:read");
    share(&owner, &form, &bob, "viewer");
    let app = crate::oauth::app(&server, &[]);
    app.tokens(&ann);
    let page = [ann.get("/profile").text, ann.get("/members").text].concat();
    let number = |begin: &str| {
        let rest = page.split_once(begin).unwrap_or_else(|| panic!("no {begin}")).1;
        rest.split('/').next().expect("a number").to_owned()
    };
    let views = format!("/forms/{}/views", form.token);
    let view = ann.post(&views, &[("view_name", text), ("query", "keyword=x"), ("is_shared", "true")]).leads();
    let view = view.split_once("view=").map_or_else(|| panic!("no view: {view}"), |(_, rest)| rest.to_owned());
    let file = Body::default().text("csrf", &ann.csrf()).file("file", "a.csv", "text/csv", b"A\nb\n");
    let caller = ann.caller();
    let import = file.send(&caller.header("origin", &caller.base), &format!("/forms/{}/entries/import", form.token));
    let import = import.leads().rsplit('/').next().expect("a token").to_owned();
    let own = BTreeMap::from([
        ("{form_token}", form.token.clone()),
        ("{folder_token}", folder),
        ("{query_token}", word(&query["token"])),
        ("{job_id}", word(&job.is(202).data()["id"])),
        ("{webhook_id}", word(&webhook["id"])),
        ("{import_token}", import),
        ("{view_id}", view.split('&').next().expect("a token").to_owned()),
        ("{serial_number}", "1".to_owned()),
        ("/trash/{serial_number}", "3".to_owned()),
        ("{user_id}", id(&bob)),
        ("{version}", "1".to_owned()),
        ("{code}", "field_4".to_owned()),
        ("{grant}", number("/profile/apps/")),
        ("/tokens/{id}", number("/profile/tokens/")),
        ("/invitations/{id}", number("/members/invitations/")),
    ]);
    let item = word(&form.body["fields"][16]["reservation_items"][0]["api_code"]);
    Console { server, ann, owner, form, item, own }
}

impl Console {
    /// The addresses of all pages for who is signed in, as listed and filled in. A page with another parameter has to
    /// be added to the map above.
    fn pages(&self) -> Vec<(String, String)> {
        let listed = printed(&self.server, &["routes"]);
        let rows = listed.as_array().expect("a list").iter();
        let rows = rows.filter(|row| row["method"] == "GET" && row["access"] == "session");
        rows.map(|row| row["path"].as_str().expect("text").to_owned()).map(|path| (self.filled(&path), path)).collect()
    }

    fn filled(&self, path: &str) -> String {
        let mut before = "";
        let parts = path.split('/').map(|part| {
            let named = format!("/{before}/{part}");
            before = part;
            match part.starts_with('{') {
                true => {
                    let own = self.own.get(named.as_str()).or_else(|| self.own.get(part));
                    own.unwrap_or_else(|| panic!("{path}: which {part}?")).as_str()
                }
                false => part,
            }
        });
        let address = parts.collect::<Vec<_>>().join("/");
        match QUERIES.iter().find(|(end, _)| path.ends_with(end)) {
            Some((_, query)) => format!("{address}?{}", query.replace("ITEM", &self.item)),
            None => address,
        }
    }

    /// A browser of somebody with a role in the form.
    fn person(&self, role: &str) -> Session {
        let email = format!("{role}@example.org");
        account(&self.server, &email);
        let user = self.server.token(&email, "form:read");
        share(&self.owner, &self.form, &user, role);
        Session::on(&self.server).signed_in(&email)
    }
}

/// What is wrong with a page as it is sent.
fn faults(page: &Response, path: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |is_right: bool, what: &str| {
        if !is_right {
            faults.push(format!("{path}: {what}"));
        }
    };
    if !page.header("content-type").starts_with("text/html") {
        return Vec::new();
    }
    let text = &page.text;
    for sign in ["<m4rk", "\"'>", "{{49", ">49<"] {
        must(!text.contains(sign), sign);
    }
    if text.contains("<html") {
        must(text.matches("<h1").count() == 1, "one h1");
        must(text.matches("<main").count() == 1, "one main");
        must(text.contains("class=\"skip"), "a link past the header");
        let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).unwrap_or_default().0;
        must(!title.is_empty(), "a title");
        // A question before an act names what it is about.
        let is_question = path.ends_with("/delete") || path.ends_with("/rotate");
        let is_named = title.contains("m4rk") || is_question || !path.contains("{form_token}");
        must(is_named, &format!("the form's name in the title {title}"));
        let plain = page_csp("", "'none'");
        let policies = [plain.replace("form-action", "frame-src 'self'; form-action"), page_csp("", "'self'"), plain];
        let policy = without_nonce(page.header("content-security-policy"));
        must(policies.contains(&policy), &policy);
    }
    faults
}

#[test]
fn texts_are_text_on_each_page_which_is_whole() {
    let console = console(MARK, "en");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (address, path) in console.pages() {
        let page = console.ann.get(&address);
        if page.status == 303 && LEAD_ON.contains(&path.as_str()) {
            continue;
        }
        if page.status != 200 {
            wrong.push(format!("{path}: {}", page.status));
        }
        seen += usize::from(page.text.contains("m4rk"));
        wrong.extend(faults(&page, &path));
    }
    assert!(seen > 30, "{seen} pages show the text");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_page_is_for_its_roles() {
    let console = console(WORD, "en");
    let people = ["viewer", "editor", "manager"].map(|role| (role, console.person(role)));
    account(&console.server, "stranger@example.org");
    let stranger = Session::on(&console.server).signed_in("stranger@example.org");
    let mut wrong = Vec::new();
    for (address, path) in console.pages().iter().filter(|(_, path)| path.contains("{form_token}")) {
        let own = console.ann.get(address).status;
        let end = path.strip_prefix("/forms/{form_token}").expect("a page of a form");
        let least = ROLES.iter().find(|(_, ends)| ends.contains(&end));
        let least = least.map_or("viewer", |(role, _)| role);
        let mut is_in = false;
        for (role, browser) in &people {
            is_in |= *role == least;
            let (is, expected) = (browser.get(address).status, if is_in { own } else { 403 });
            // A file that somebody sent is theirs alone.
            let is_led_on = is_in && is == 303 && end == "/entries/import/{import_token}";
            if is != expected && !is_led_on {
                wrong.push(format!("{path} for a {role}: {is}, not {expected}"));
            }
        }
        let is = stranger.get(address).status;
        if is != 404 {
            wrong.push(format!("{path} for a stranger: {is}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_page_is_chinese_for_who_reads_chinese() {
    let console = console(WORD, "zh-CN");
    console.owner.patch("/api/v1/me", json!({"locale": "zh-CN"})).is(200);
    let mut wrong = Vec::new();
    for (address, path) in console.pages() {
        let page = console.ann.get(&address);
        if page.status != 200 || !page.text.contains("<html") {
            continue;
        }
        page.has(["<html lang=\"zh-CN\""]);
        let text = page_text(&page);
        // The addresses of links stand below the text; code, addresses and lists of HTML's tags are the same everywhere.
        let is_code =
            |line: &&str| ["]: ", "`", "\": ", "<script", "HTML：", "http"].iter().any(|sign| line.contains(sign));
        for line in text.lines().filter(|line| !is_code(line)) {
            let words: Vec<&str> = english(line).into_iter().filter(|word| !NAMES.contains(word)).collect();
            if !words.is_empty() {
                wrong.push(format!("{path}: {words:?} in {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
