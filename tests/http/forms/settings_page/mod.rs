//! The page of a form's settings: two people lose nothing, and roles decide which settings are offered.

mod every_setting;
mod faults;

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read";
const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";
/// Takes a pair out of the post: an empty checkbox.
const OFF: &str = "-";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    account(&server, BOB);
    let owner = server.token(ANN, ALL);
    let choices = json!([{"api_code": "a", "label": "Soup"}, {"api_code": "b", "label": "Pie"}]);
    let form = owner.form_with(json!({"name": "Spring exam", "scene": "exam", "timezone": "Europe/Berlin", "fields": [
        field("radio", json!({"label": "What is for lunch?", "choices": choices})),
        field("short_text", json!({"label": "Remark <b>"})),
        field("email", json!({"label": "Your email"})),
    ]}));
    let browser = Session::on(&server).signed_in(ANN);
    Desk { server, owner, form, browser }
}

impl Desk {
    fn page(&self) -> String {
        format!("/forms/{}/settings", self.form.token)
    }

    fn section(&self, section: &str) -> String {
        format!("/forms/{}/settings/{}", self.form.token, section)
    }

    fn definition(&self) -> String {
        format!("/forms/{}/settings/definition", self.form.token)
    }

    fn settings(&self) -> Value {
        self.owner.get(self.form.part("settings")).is(200).data()
    }

    /// Posts a section as its page shows it, but for these values.
    fn post(&self, browser: &Session, section: &str, changes: &[(&str, &str)]) -> Response {
        let page = browser.get(&self.page()).is(200);
        self.post_from(browser, &page, section, changes)
    }

    /// The same from a page that was loaded before.
    fn post_from(&self, browser: &Session, page: &Response, section: &str, changes: &[(&str, &str)]) -> Response {
        let mut pairs = controls(page, section);
        pairs.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        let mut pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        pairs.extend(changes.iter().filter(|(_, value)| *value != OFF));
        browser.post(&self.section(section), &pairs)
    }

    fn save(&self, section: &str, changes: &[(&str, &str)]) {
        let led = self.post(&self.browser, section, changes).leads();
        assert_eq!(led, format!("{}?saved={section}#{section}", self.page()));
    }
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(plain)
}

/// The pairs that a browser would post of a section's form.
fn controls(page: &Response, section: &str) -> Vec<(String, String)> {
    let (_, rest) = page.text.split_once(&format!("id=\"{section}\"")).unwrap_or_else(|| panic!("no {section}"));
    let form = rest.split("</form>").next().expect("a form");
    let mut pairs = Vec::new();
    for part in form.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag");
        let name = attribute(tag, "name");
        let value = attribute(tag, "value");
        let is_ticked = !tag.contains("type=\"checkbox\"") || tag.ends_with(" checked") || tag.contains(" checked ");
        match (tag.split(' ').next().unwrap_or_default(), name) {
            ("input", Some(name)) if is_ticked && name != "csrf" => pairs.push((name, value.unwrap_or_default())),
            ("textarea", Some(name)) => pairs.push((name, plain(text.strip_prefix('\n').unwrap_or(text)))),
            ("select", Some(name)) => pairs.push((name, String::new())),
            ("option", _) if tag.contains(" selected") => {
                pairs.last_mut().expect("a select").1 = value.expect("a value");
            }
            _ => {}
        }
    }
    pairs
}

#[test]
fn two_people_lose_nothing() {
    let desk = desk();
    support::sharing::share(&desk.owner, &desk.form, &desk.server.token(BOB, ALL), "manager");
    let (ann, bob) = (&desk.browser, &Session::on(&desk.server).signed_in(BOB));
    let title = "after_submission.show_message.text.title";
    let text = "after_submission.show_message.text.description";
    let (seen_by_ann, seen_by_bob) = (ann.get(&desk.page()).is(200), bob.get(&desk.page()).is(200));
    desk.post_from(ann, &seen_by_ann, "after", &[(title, "From Ann"), (text, "Hello")]).leads();
    // Another section is nobody's concern.
    desk.post_from(bob, &seen_by_bob, "codes", &[("verification_code.length", "10")]).leads();
    let typed = [(title, "From <Bob>"), ("submission_options.allow_edit_after_submission", "true")];
    let refused = desk.post_from(bob, &seen_by_bob, "after", &typed).is(412);
    refused.has([
        "Somebody else changed these settings",
        "Somebody else set this to “\u{2068}From Ann\u{2069}”. Saving replaces it with what you typed.",
        "Somebody else changed this. Here is the new value.",
    ]);
    assert_eq!(desk.settings()["after_submission"]["show_message"]["text"]["title"], "From Ann");
    let shown = controls(&refused, "after");
    for (name, value) in [typed[0], typed[1], (text, "Hello")] {
        assert!(shown.contains(&(name.to_owned(), value.to_owned())), "{name} {shown:?}");
    }
    desk.post_from(bob, &refused, "after", &[]).leads();
    let now = desk.settings();
    let expected = json!({"title": "From <Bob>", "description": "Hello"});
    assert_eq!(now["after_submission"]["show_message"]["text"], expected);
    assert_eq!(now["submission_options"]["allow_edit_after_submission"], true);
    // A page with faults keeps the version that it was loaded with.
    let seen = bob.get(&desk.page()).is(200);
    desk.post(ann, "codes", &[("verification_code.length", "7")]).leads();
    let wrong = desk.post_from(bob, &seen, "codes", &[("verification_code.length", "12")]).is(412);
    wrong.has(["set this to “\u{2068}7\u{2069}”"]);
    // A user who types the same has no conflict.
    desk.post_from(bob, &seen, "codes", &[("verification_code.length", "7")]).leads();
}

#[test]
fn roles_decide_what_settings_offer() {
    let desk = desk();
    desk.save("access", &[("access_control.access_password", "sesame")]);
    let bob = desk.server.token(BOB, ALL);
    let browser = Session::on(&desk.server).signed_in(BOB);
    browser.get(&desk.page()).is(404);
    browser.post(&desk.section("general"), &[("name", "Mine")]).is(404);
    for role in ["viewer", "editor"] {
        support::sharing::share(&desk.owner, &desk.form, &bob, role);
        let page = browser.get(&desk.page()).is(200);
        page.has(["Only managers change settings", "Spring exam", "********", "One entry for each person"]);
        page.lacks(["sesame", "name=\"version\"", "settings/general", "settings/delete"]);
        for section in ["general", "codes", "published", "copy", "delete"] {
            browser.post(&desk.section(section), &[("name", "Mine"), ("published", "false")]).is(403);
        }
    }
    support::sharing::share(&desk.owner, &desk.form, &bob, "manager");
    let page = browser.get(&desk.page()).is(200);
    page.has(["sesame", "settings/general", "settings/copy"]).lacks(["settings/delete"]);
    browser.post(&desk.section("delete"), &[("confirm-name", "Spring exam")]).is(403);
}

#[test]
fn a_form_goes_offline_is_copied_and_comes_back_from_the_trash() {
    let desk = desk();
    desk.save("access", &[("access_control.access_password", "sesame")]);
    let page = desk.browser.get(&desk.page()).is(200);
    let version = support::form_page::hidden(&page, "published");
    assert_eq!(version, "false");
    let acts = page.text.split_once("settings/published").expect("an act").1.to_owned();
    let version = acts.split("name=\"version\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("one");
    let path = desk.section("published");
    let done = desk.browser.post_on(&path, &[("version", version), ("published", "false")]);
    done.has(["The form is offline", "Publish the form"]);
    assert_eq!(desk.owner.get(desk.form.path()).data()["published"], false);
    desk.browser.post(&path, &[("version", version), ("published", "true")]).is(412);
    let copied = desk.browser.post_on(&desk.section("copy"), &[("copy-name", "Second <round>")]);
    copied.has(["This is the copy", "Second &lt;round&gt;"]);
    desk.browser.get(&desk.page());
    let long = "x".repeat(201);
    let refused = desk.browser.post(&desk.section("copy"), &[("copy-name", &long)]).is(422);
    refused.has([&*format!("value=\"{long}\""), "Use at most 200 characters"]);
    // The definition as a file, without the password.
    let file = desk.browser.get(&desk.definition()).is(200);
    assert!(file.header("content-disposition").contains("Spring exam.json"), "{file}");
    let definition = file.json();
    assert_eq!(definition["fields"][0]["label"], "What is for lunch?");
    assert_eq!(definition["settings"]["access_control"]["access_password"], Value::Null);
    assert_eq!(definition["settings"]["verification_code"]["length"], 8);
    assert_eq!(definition["fields"], desk.owner.get(desk.form.path()).data()["fields"]);
    desk.browser.get(&desk.page());
    let wrong = desk.browser.post(&desk.section("delete"), &[("confirm-name", "Spring")]).is(422);
    wrong.has(["This is not the form’s name", "value=\"Spring\""]);
    let gone = desk.browser.post_on(&desk.section("delete"), &[("confirm-name", " Spring exam ")]);
    gone.has(["is in the trash", "Undo"]);
    desk.owner.get(desk.form.path()).is(404);
    desk.browser.post(&format!("/forms/{}/restore", desk.form.token), &[]).leads();
    desk.owner.get(desk.form.path()).is(200);
}
