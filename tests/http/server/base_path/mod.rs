//! A base address with a path, for a service beside others on one host: every link, redirect, file and address that it
//! gives out lies below that path, and nothing outside of it is answered.

mod sent;

use std::collections::{BTreeSet, VecDeque};

use regex::Regex;
use serde_json::{Value, json};
use support::form_page::patient;
use support::images;
use support::raw::{exchange, statuses};
use support::session::{SETUP, Session};
use support::uploads::{png, prepare};
use support::{Caller, Form, Response, Server, field};
use url::Url;

const ORIGIN: &str = "https://forms.example.org";
const PATH: &str = "/at/forms";

fn base() -> String {
    format!("{ORIGIN}{PATH}")
}

fn server() -> Server {
    Server::with(&["--rate-limits", "off", "--base-url", &base()])
}

/// The path of an address of the service, which must lie below its own.
fn path_of(address: &str) -> &str {
    let path = address.strip_prefix(ORIGIN).unwrap_or(address);
    assert!(is_below(path), "{address}");
    path
}

fn is_below(path: &str) -> bool {
    let rest = path.strip_prefix(PATH);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

/// A caller who reaches the service as through a proxy, with a token.
fn owner(server: &Server) -> Caller {
    let user = server.user();
    Caller::new(&format!("{}{PATH}", server.base), user.token.as_deref(), &user.email)
}

fn form(owner: &Caller) -> Form {
    let form = owner.form(json!([
        {"type": "attachment", "label": "Sketch"},
        field("short_text", json!({})),
        field("dropdown", json!({"choices": [{"label": "One"}, {"label": "Two"}]})),
    ]));
    let settings = json!({
        "submission_options": {"allow_edit_after_submission": true},
        "certificate": {"enabled": true, "title": "Diploma", "body": "Done"},
    });
    let done = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(done.status, 200, "{done}");
    form
}

/// All texts in a value that are addresses of the service.
fn addresses(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("http") && text.contains("forms.example.org") => {
            out.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| addresses(item, out)),
        Value::Object(map) => map.values().for_each(|item| addresses(item, out)),
        _ => {}
    }
}

#[test]
fn what_programs_are_given_lies_below_the_path() {
    let server = server();
    let owner = owner(&server);
    let form = form(&owner);
    let anon = Caller::new(&owner.base, None, "");
    let get = |address: &str| {
        let answer = server.anon().get(path_of(address));
        assert_eq!(answer.status, 200, "{address}: {answer}");
    };
    // A file of an answer.
    let prepared = prepare(&anon, &form, "a.txt", "text/plain", 3);
    assert_eq!(prepared.status, 201, "{prepared}");
    let prepared = prepared.data();
    let to = prepared["upload_url"].as_str().expect("an address");
    let sent = server.anon().send("PUT", path_of(to), Some("text/plain"), b"abc");
    assert_eq!(sent.status, 200, "{sent}");
    let values = json!({"field_1": [{"upload_id": prepared["upload_id"]}], "field_2": "Ada"});
    let made = anon.post(form.submissions(), json!({"field_values": values}));
    assert_eq!(made.status, 201, "{made}");
    let mut found = Vec::new();
    addresses(&made.json(), &mut found);
    // An image, and a query with it in its header.
    let picture = png(8, 8);
    let image = images::prepared(&owner, "opensearch_header_image", "image/png", &picture);
    let to = image["upload_url"].as_str().expect("an address");
    let sent = server.anon().send("PUT", path_of(to), Some("image/png"), &picture);
    assert_eq!(sent.status, 200, "{sent}");
    let mut body = query(&form);
    body["header"] = json!({"background_image": {"upload_id": image["upload_id"]}});
    let query = owner.post("/api/v1/opensearch/queries", body);
    assert_eq!(query.status, 201, "{query}");
    for answer in [
        owner.get(form.path()),
        owner.get(form.entries()),
        owner.get(form.entry(1)),
        owner.get("/api/v1/forms"),
        owner.get("/api/v1/me"),
        anon.get(form.published()),
        query,
    ] {
        addresses(&answer.json(), &mut found);
    }
    assert!(found.len() > 6, "{found:?}");
    for address in found {
        get(&address);
    }
    // Redirects lead below it, and so does the metadata for applications that sign in.
    let described = owner.get("/api/v1/openapi.json").json();
    assert_eq!(described["servers"][0]["url"], base());
    let issuer = server.anon().get(format!("/.well-known/oauth-authorization-server{PATH}"));
    let issuer = issuer.json();
    assert_eq!(issuer["issuer"], base());
    let mut named = Vec::new();
    addresses(&issuer, &mut named);
    assert!(named.len() > 4, "{issuer}");
    named.iter().for_each(|address| _ = path_of(address));
}

fn query(form: &Form) -> Value {
    json!({
        "form_token": form.token, "name": "Look up", "allow_to_export_results": true,
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_2", "fuzzy": false}]}],
        "display_field_rules": [{"field": "field_2"}, {"field": "field_1"}],
    })
}

#[test]
fn outside_of_the_path_nothing_is_answered_but_health() {
    let server = server();
    let owner = owner(&server);
    let form = form(&owner);
    let outside = server.anon();
    let token = owner.token.as_deref().expect("a token");
    for path in [
        "/",
        "/sign-in",
        "/forms",
        "/docs",
        "/at",
        "/at/",
        "/at/form",
        "/at/formsx/sign-in",
        "/at/forms/at/forms/sign-in",
        "//at/forms/sign-in",
        "/at//forms/sign-in",
        "/AT/forms/sign-in",
        "/.well-known/oauth-authorization-server",
        "/api/v1/me",
        &form.path(),
        &form.page(),
        &format!("{}/entries", form.page()),
        &format!("{PATH}x/healthz"),
    ] {
        let raw =
            format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n");
        let answer = exchange(&server.base, raw.as_bytes());
        assert_eq!(statuses(&answer), ["404"], "{path}");
    }
    let posted = outside.post(form.submissions(), json!({"field_values": {"field_2": "x"}}));
    assert_eq!(posted.status, 404, "{posted}");
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 0);
    let raw = format!("OPTIONS {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", form.submissions());
    assert_eq!(statuses(&exchange(&server.base, raw.as_bytes())), ["404"]);
    for path in ["/healthz", "/readyz", "/at/forms/healthz", "/at/forms/readyz"] {
        assert_eq!(outside.get(path).status, 200, "{path}");
    }
    let page = outside.get("/elsewhere");
    assert!(page.text.contains(&format!("href=\"{PATH}/assets/")), "{page}");
}

/// Every address that a page, a script or a style sheet leads to.
struct Crawl<'b> {
    browser: &'b Session,
    waiting: VecDeque<String>,
    seen: BTreeSet<String>,
    links: Regex,
    tags: Regex,
    imports: Regex,
}

impl<'b> Crawl<'b> {
    fn new(browser: &'b Session) -> Self {
        let regex = |text| Regex::new(text).expect("a pattern");
        Self {
            browser,
            waiting: VecDeque::new(),
            seen: BTreeSet::new(),
            links: regex(r#"\s(href|src|srcset|action|formaction|poster|content|data-[a-z-]+)="([^"]*)""#),
            tags: regex(r"<[a-z][^>]*>"),
            imports: regex(r#"(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]"#),
        }
    }

    fn from(&mut self, path: &str) -> &mut Self {
        self.waiting.push_back(path.to_owned());
        self
    }

    fn run(&mut self) {
        while let Some(path) = self.waiting.pop_front() {
            if !self.seen.insert(path.clone()) {
                continue;
            }
            assert!(self.seen.len() < 2_000, "it does not end: {path}");
            let answer = self.browser.get(&path);
            self.read(&path, &answer);
        }
    }

    fn read(&mut self, path: &str, answer: &Response) {
        // A page that says why something can't be done is one too.
        let is_there = (200..400).contains(&answer.status) || answer.status == 422;
        assert!(is_there, "{path}: {answer}");
        if answer.status >= 300 {
            let to = answer.header("location").to_owned();
            self.follow(path, &to, "Location");
            return;
        }
        let kind = answer.header("content-type").to_owned();
        if kind.starts_with("text/html") {
            self.read_page(path, &answer.text);
        } else if kind.starts_with("text/javascript") {
            let imports: Vec<String> =
                self.imports.captures_iter(&answer.text).map(|found| found[1].to_owned()).collect();
            for import in imports {
                assert!(import.starts_with("./"), "{path} imports {import}");
                self.follow(path, &import, "import");
            }
            let absolute = Regex::new(r#"["'`]/(api|f|q|assets|images|uploads|files|forms|docs|sign-in)\b"#);
            let absolute = absolute.expect("a pattern");
            assert!(!absolute.is_match(&answer.text), "{path} has an address without the path");
        } else if kind.starts_with("text/css") {
            assert!(!answer.text.contains("url(/"), "{path}");
        }
    }

    fn read_page(&mut self, path: &str, page: &str) {
        let tags: Vec<String> = self.tags.find_iter(page).map(|tag| tag.as_str().to_owned()).collect();
        for tag in tags {
            let is_post = tag.starts_with("<form") && tag.contains("method=\"post\"");
            let found: Vec<(String, String)> = self
                .links
                .captures_iter(&tag)
                .map(|found| (found[1].to_owned(), found[2].replace("&amp;", "&")))
                .collect();
            for (name, value) in found {
                match name.as_str() {
                    "action" | "formaction" if is_post || name == "formaction" => {
                        self.resolve(path, &value, &tag);
                    }
                    "href" | "src" | "action" | "poster" => self.follow(path, &value, &tag),
                    "srcset" => {
                        for one in value.split(',') {
                            let address = one.split_whitespace().next().unwrap_or_default();
                            self.follow(path, address, &tag);
                        }
                    }
                    _ if value.starts_with('/') || value.starts_with(ORIGIN) => {
                        let is_page = value.len() > 1 || value == ORIGIN;
                        assert!(
                            !is_page || value == ORIGIN || is_below(value.trim_start_matches(ORIGIN)),
                            "{path}: {tag}"
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    /// The path and query that an address leads to; `None` if that is elsewhere.
    fn resolve(&self, path: &str, address: &str, why: &str) -> Option<String> {
        let page = Url::parse(&format!("{ORIGIN}{path}")).expect("an address");
        let to = page.join(address).unwrap_or_else(|e| panic!("{path}: {why}: {e}"));
        if to.origin() != page.origin() {
            return None;
        }
        assert!(is_below(to.path()), "{path} leads to {to}: {why}");
        let query = to.query().map(|query| format!("?{query}")).unwrap_or_default();
        Some(format!("{}{query}", to.path()))
    }

    fn follow(&mut self, path: &str, address: &str, why: &str) {
        if let Some(to) = self.resolve(path, address, why) {
            self.waiting.push_back(to);
        }
    }

    fn has_seen(&self, part: &str) -> bool {
        self.seen.iter().any(|path| path.contains(part))
    }
}

#[test]
fn all_that_pages_lead_to_lies_below_the_path() {
    let server = server();
    let browser = Session::on(&server).at(ORIGIN);
    let setup = server.setup_link.clone().expect("a link");
    let setup = path_of(&setup);
    Crawl::new(&browser).from(&format!("{PATH}/sign-in")).from(setup).run();
    browser.get(setup);
    let welcome = browser.post(setup, &SETUP);
    assert_eq!(welcome.header("location"), format!("{PATH}/welcome"), "{welcome}");
    let welcome = browser.get(&format!("{PATH}/welcome"));
    Crawl::new(&browser).read(&format!("{PATH}/welcome"), &welcome);
    let made = browser.post(&format!("{PATH}/profile/sample-form"), &[]);
    assert_eq!(made.status, 303, "{made}");
    let sample = path_of(made.header("location")).to_owned();

    // A form and a query of the same account, made by a program.
    let scopes = "form:read form:write entry:read entry:write";
    let token = server.token("ann@example.org", scopes).token.expect("a token");
    let owner = Caller::new(&format!("{}{PATH}", server.base), Some(&token), "");
    let form = form(&owner);
    let query = owner.post("/api/v1/opensearch/queries", query(&form));
    assert_eq!(query.status, 201, "{query}");
    let query = query.data()["token"].as_str().expect("a token").to_owned();

    // Filled in over the page: a faulty value first, then a right one.
    let page = format!("{PATH}{}", form.page());
    let shown = browser.get(&page);
    let stamp = patient(&shown);
    let filled = [("_page", "0"), ("_time", stamp.as_str()), ("field_2", "Ada")];
    let faulty = [&filled[..2], &[("field_3", "no such choice")]].concat();
    let faults = browser.post(&page, &faulty);
    assert_eq!(faults.status, 422, "{faults}");
    let mut crawl = Crawl::new(&browser);
    crawl.read_page(&page, &faults.text);
    let done = browser.post(&page, &filled);
    assert_eq!(done.status, 303, "{done}");
    let receipt = path_of(done.header("location")).to_owned();
    let cookies: Vec<_> = done.headers.get_all("set-cookie").iter().collect();
    for line in cookies {
        let line = line.to_str().expect("text");
        let path = line.split("Path=").nth(1).and_then(|rest| rest.split(';').next());
        // The session's name asks for the path `/` (RFC 6265bis).
        assert!(line.starts_with("__Host-") || path.is_some_and(is_below), "{line}");
    }
    crawl
        .from(&sample)
        .from(&receipt)
        .from(&page)
        .from(&format!("{PATH}/q/{query}?field_2=Ada"))
        .from(&format!("{PATH}/forms"))
        .from(&format!("{PATH}/profile"))
        .from(&format!("{PATH}/members"))
        .from(&format!("{PATH}/audit"))
        .from(&format!("{PATH}/docs"))
        .from(PATH)
        .run();
    for part in
        ["/assets/", "/docs/", "/people", "/share", "/profile/second-factor", "/entries/", "/export", "/certificate"]
    {
        assert!(crawl.has_seen(part), "nothing led to {part}: {:#?}", crawl.seen);
    }
    // A fault's page, signed out: its links too.
    let nowhere = format!("{PATH}/nowhere");
    let lost = Session::on(&server).at(ORIGIN);
    crawl.seen.insert(nowhere.clone());
    crawl.read_page(&nowhere, &lost.get(&nowhere).text);
    crawl.run();
}
