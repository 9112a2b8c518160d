//! Every page of a signed-in user, as the table of routes lists them: who may look at it and act on it, its policy, its
//! frame, and that owners' and respondents' texts are text on it.

use serde_json::json;
use support::page_text::page_text;
use support::{Response, Server};

use super::owned::{MARK, Own, ROLES, desk, filled, word};
use super::{ALL, ANN, printed};
use crate::forms::panels::chinese::english;

/// The pages below a form that the lesser roles may look at; managers may look at the others.
const READ_BY_VIEWERS: &[&str] = &[
    "",
    "/bookings",
    "/build",
    "/build/state",
    "/build/use/{code}",
    "/entries",
    "/entries/condition",
    "/entries/export",
    "/entries/print",
    "/entries/state",
    "/entries/{serial_number}",
    "/folder",
    "/jobs/{job_id}",
    "/jobs/{job_id}/refused",
    "/poster",
    "/preview",
    "/qr.png",
    "/qr.svg",
    "/report",
    "/rules",
    "/settings",
    "/settings/definition",
    "/share",
    "/share/prefilled",
    "/theme",
    "/trash",
];
const READ_BY_EDITORS: &[&str] = &[
    "/bookings/days",
    "/checkin",
    "/entries/bulk",
    "/entries/import",
    "/entries/import/{import_token}",
    "/entries/new",
    "/entries/{serial_number}/edit",
    "/trash/{serial_number}/delete",
];
/// The same of what they may do.
const DONE_BY_VIEWERS: &[&str] =
    &["/entries/chosen", "/folder", "/preview", "/views", "/views/{view_id}", "/views/{view_id}/delete"];
const DONE_BY_EDITORS: &[&str] = &[
    "/bookings/{serial_number}",
    "/checkin",
    "/checkin/{serial_number}/undo",
    "/entries/bulk",
    "/entries/import",
    "/entries/import/{import_token}",
    "/entries/new",
    "/entries/{serial_number}/booking",
    "/entries/{serial_number}/edit",
    "/entries/{serial_number}/trash",
    "/jobs/{job_id}/stop",
    "/jobs/{job_id}/undo",
    "/trash/chosen",
    "/trash/{serial_number}/delete",
    "/trash/{serial_number}/restore",
];
const DONE_BY_OWNERS: &[&str] = &["/delete"];

/// What is of its maker alone, whatever the role, and what is of deleted forms.
const OWN: &[&str] = &["/views/{view_id}/delete", "/restore"];

/// What some pages are asked.
const QUERIES: [(&str, &str); 4] = [
    ("/entries/print", "serials=1"),
    ("/entries/condition", "field=field_1"),
    ("/entries/state", "after=1"),
    ("/bookings/days", "field=field_4&item=hall&from=2090-01-01&to=2090-01-31"),
];

struct Row {
    method: String,
    path: String,
}

impl Row {
    /// Below a form.
    fn rest(&self) -> Option<&str> {
        self.path.strip_prefix("/forms/{form_token}")
    }

    /// The least of the roles that may use it.
    fn role(&self) -> usize {
        let rest = self.rest().expect("a form's");
        let (viewers, editors) = match self.method.as_str() {
            "GET" => (READ_BY_VIEWERS, READ_BY_EDITORS),
            _ => (DONE_BY_VIEWERS, DONE_BY_EDITORS),
        };
        let is_owners = self.method == "POST" && DONE_BY_OWNERS.contains(&rest);
        let lists = [viewers.contains(&rest), editors.contains(&rest), !is_owners];
        lists.iter().position(|is_in| *is_in).unwrap_or(lists.len())
    }

    fn address(&self, own: &Own) -> String {
        let query = QUERIES.iter().find(|(rest, _)| self.rest() == Some(*rest));
        filled(&self.path, own) + &query.map(|(_, query)| format!("?{query}")).unwrap_or_default()
    }
}

/// The rows of the table of routes that are for who is signed in.
fn rows(server: &Server) -> Vec<Row> {
    let listed = printed(server, &["routes"]);
    let listed = listed.as_array().expect("a list").iter().filter(|row| row["access"] == "session");
    listed.map(|row| Row { method: word(&row["method"]), path: word(&row["path"]) }).collect()
}

/// The address as it fits: what the trash has is the second entry, and parts of a draft are kept or taken.
fn fitting(address: &str) -> String {
    address.replace("/trash/1/", "/trash/2/").replace("/parts/rules/remove", "/parts/rules/keep")
}

#[test]
fn each_row_is_for_its_role_and_those_above() {
    let desk = desk();
    let rows = rows(&desk.server);
    let below: Vec<&Row> = rows.iter().filter(|row| row.rest().is_some_and(|rest| !OWN.contains(&rest))).collect();
    assert!(below.len() > 100, "{}", below.len());
    let mut wrong = Vec::new();
    for (role, browser) in &desk.people {
        let rank = ROLES.iter().position(|known| known == role).expect("a role");
        browser.get("/profile");
        for row in &below {
            let address = fitting(&row.address(&desk.own));
            let is_allowed = rank >= row.role();
            // Nothing is done by those who may.
            if row.method != "GET" && is_allowed {
                continue;
            }
            let answer = match row.method.as_str() {
                "GET" => browser.get(&address),
                _ => browser
                    .post(&address, &[("name", "Mine"), ("act", "remove"), ("code", "field_1"), ("type", "date")]),
            };
            let is_right = if is_allowed { [200, 303].contains(&answer.status) } else { answer.status == 403 };
            if !is_right {
                wrong.push(format!("{role}: {} {}: {}", row.method, row.path, answer.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nobody did anything.
    let owner = desk.server.token(ANN, ALL);
    let token = &desk.own["{form_token}"];
    let form = owner.get(format!("/api/v1/forms/{token}")).is(200).data();
    let now = (&form["name"], form["fields"].as_array().map(Vec::len));
    assert_eq!(now, (&json!(format!("Fair {MARK}")), Some(5)));
}

/// S9's texts for pages of the console, without the nonce.
fn policies() -> [String; 3] {
    let page = |source: &str, ancestors: &str| {
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; \
             media-src 'self' blob:; connect-src 'self'; {source}form-action 'self'; base-uri 'none'; \
             frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'"
        )
    };
    [page("", "'none'"), page("frame-src 'self'; ", "'none'"), page("", "'self'")]
}

fn without_nonce(policy: &str) -> String {
    let Some((before, rest)) = policy.split_once(" 'nonce-") else { return policy.to_owned() };
    format!("{before}{}", rest.split_once('\'').expect("its end").1)
}

/// What is wrong with a page.
fn faults(path: &str, page: &Response) -> Vec<String> {
    let [plain, framing, framed] = policies();
    let text = &page.text;
    let mut faults = Vec::new();
    let mut expect = |is_right: bool, what: String| {
        if !is_right {
            faults.push(format!("{path}: {what}"));
        }
    };
    let is_framed = path.ends_with("/preview");
    let frames = ["/build", "/rules", "/theme", "/history/{version}", "/share", "/entries", "/queries/{query_token}"];
    let policy = without_nonce(page.header("content-security-policy"));
    let known = match is_framed {
        true => vec![&framed],
        // Pages that may frame are no others.
        false if frames.iter().any(|end| path == format!("/forms/{{form_token}}{end}")) => vec![&plain, &framing],
        false => vec![&plain],
    };
    expect(known.contains(&&policy), policy.clone());
    expect(text.matches("<h1").count() == 1, format!("{} h1", text.matches("<h1").count()));
    expect(text.matches("<main").count() == 1, "no main".to_owned());
    expect(text.contains("href=\"#main\"") && text.contains("id=\"main\""), "no link past the head".to_owned());
    let title =
        text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).map_or("", |(title, _)| title);
    expect(!title.trim().is_empty(), "no title".to_owned());
    let of_form = path.starts_with("/forms/{form_token}/");
    expect(!of_form || title.contains("Fair"), format!("a title without the form: {title}"));
    for broken in ["<m4rk", "\"'>", ">49<"] {
        expect(!text.contains(broken), format!("{broken} is not escaped"));
    }
    faults
}

#[test]
fn each_page_is_whole_and_takes_texts_for_texts() {
    let desk = desk();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in rows(&desk.server).iter().filter(|row| row.method == "GET") {
        let page = desk.ann.get(&fitting(&row.address(&desk.own)));
        if page.status == 200 && page.header("content-type").starts_with("text/html") {
            seen += 1;
            wrong.extend(faults(&row.path, &page));
        } else if ![200, 303].contains(&page.status) {
            wrong.push(format!("{}: {}", row.path, page.status));
        }
    }
    assert!(seen > 45, "{seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Words that are names or codes, in any language.
const NAMES: &[&str] = &[
    // Of this test.
    "mk",
    "onload",
    "hall",
    "Fair",
    "test",
    "Example",
    "App",
    "Lovelace",
    // Of programs, languages and tags.
    "Excel",
    "formsvc",
    "English",
    "http",
    "https",
    "br",
    "ul",
    "ol",
    "li",
    "blockquote",
    "img",
    "curl",
    "en",
    "zh",
    // Of scopes and roles in addresses.
    "form",
    "entry",
    "integration",
    "read",
    "write",
    "delete",
    "respond",
];

/// The text of a page's `main` without what is for programs.
fn words_of(page: &Response) -> String {
    let mut page = page.clone();
    for tag in ["pre", "code", "script"] {
        while let Some((before, rest)) = page.text.split_once(&format!("<{tag}")) {
            let after = rest.split_once(&format!("</{tag}>")).map_or("", |(_, after)| after);
            page.text = format!("{before}{after}");
        }
    }
    page_text(&page)
}

#[test]
fn each_page_speaks_the_language_of_its_reader() {
    let desk = desk();
    desk.server.token(ANN, "form:write").patch("/api/v1/me", json!({"locale": "zh-CN"})).is(200);
    let mut wrong = Vec::new();
    for row in rows(&desk.server).iter().filter(|row| row.method == "GET") {
        let page = desk.ann.get(&fitting(&row.address(&desk.own)));
        if page.status != 200 || !page.header("content-type").starts_with("text/html") {
            continue;
        }
        if !page.text.contains("<html lang=\"zh-CN\"") {
            wrong.push(format!("{}: another language", row.path));
        }
        let text = words_of(&page);
        let lines = text.lines().filter(|line| !line.starts_with('['));
        let words: Vec<&str> = lines.flat_map(english).filter(|word| !NAMES.contains(word)).collect();
        if !words.is_empty() {
            wrong.push(format!("{}: {}", row.path, words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
