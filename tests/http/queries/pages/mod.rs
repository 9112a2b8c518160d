//! The pages on which managers make public queries: every key of the API has a control, faults are shown at their part,
//! roles and plans decide which parts are offered.

mod every_key;
mod faults;
mod lines;
mod list;

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::{Caller, Form, Response, Server, field};

use crate::queries::{PATH, SCOPES};

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";
/// Takes a pair out of the post: an empty checkbox.
const OFF: &str = "-";

/// A manager on the pages of a form's query.
struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
    query: String,
}

/// A query by the email that shows the name and the masked email.
fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password, and its organization has a plan");
    account(&server, ANN);
    account(&server, BOB);
    let owner = server.token(ANN, SCOPES);
    let choices = json!([{"api_code": "a", "label": "Soup"}, {"api_code": "b", "label": "Pie"}]);
    let form = owner.form_with(json!({"name": "Summer party", "fields": [
        field("name", json!({"label": "Your <name>"})),
        field("email", json!({"label": "Email"})),
        field("radio", json!({"label": "Lunch", "choices": choices})),
        field("number", json!({"label": "Age"})),
    ]}));
    let body = json!({
        "form_token": form.token, "name": "Am I registered?",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_2"}]}],
        "display_field_rules": [{"field": "field_1"}, {"field": "field_2", "protected": true}],
    });
    let made = owner.post(PATH, body).is(201).data();
    let query = made["token"].as_str().expect("a token").to_owned();
    let browser = Session::on(&server).signed_in(ANN);
    Desk { server, owner, form, browser, query }
}

impl Desk {
    fn list(&self) -> String {
        format!("/forms/{}/queries", self.form.token)
    }

    fn page(&self) -> String {
        format!("/forms/{}/queries/{}", self.form.token, self.query)
    }

    fn part(&self, part: &str) -> String {
        format!("/forms/{}/queries/{}/{}", self.form.token, self.query, part)
    }

    fn deletion(&self) -> String {
        format!("/forms/{}/queries/{}/delete", self.form.token, self.query)
    }

    fn switch(&self) -> String {
        format!("/forms/{}/queries/{}/enabled", self.form.token, self.query)
    }

    fn picture(&self) -> String {
        format!("/forms/{}/queries/{}/image", self.form.token, self.query)
    }

    fn no_picture(&self) -> String {
        format!("/forms/{}/queries/{}/image/remove", self.form.token, self.query)
    }

    fn stored(&self) -> Value {
        self.owner.get(format!("{PATH}/{}", self.query)).is(200).data()
    }

    fn set(&self, change: Value) {
        self.owner.patch(format!("{PATH}/{}", self.query), change).is(200);
    }

    fn plan(&self, plan: &str) {
        // Each account of this server is of its first organization.
        let organization = self.owner.get("/api/v1/me").data()["organization"]["id"].clone();
        let set = self.server.run(&["plan", "set", organization.as_str().expect("an id"), plan]);
        assert!(set.status.success(), "{set:?}");
    }

    /// Posts a part as a page shows it, but for these values.
    fn post_from(&self, browser: &Session, page: &Response, part: &str, changes: &[(&str, &str)]) -> Response {
        let mut pairs = controls(page, part);
        pairs.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        let mut pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        pairs.extend(changes.iter().filter(|(_, value)| *value != OFF));
        browser.post(&self.part(part), &pairs)
    }

    fn post(&self, part: &str, changes: &[(&str, &str)]) -> Response {
        let page = self.browser.get(&self.page()).is(200);
        self.post_from(&self.browser, &page, part, changes)
    }

    fn save(&self, part: &str, changes: &[(&str, &str)]) {
        let led = self.post(part, changes).leads();
        assert_eq!(led, format!("{}?saved={part}#{part}", self.page()));
    }

    fn share(&self, role: &str) -> Session {
        share(&self.owner, &self.form, &self.server.token(BOB, SCOPES), role);
        Session::on(&self.server).signed_in(BOB)
    }
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(plain)
}

/// The contents of a part's section.
fn section(page: &Response, part: &str) -> String {
    let (_, rest) = page.text.split_once(&format!("id=\"{part}\"")).unwrap_or_else(|| panic!("no {part}"));
    rest.split("</form>").next().expect("a form").to_owned()
}

/// The pairs that a browser would post of a part's form.
fn controls(page: &Response, part: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let section = section(page, part);
    // The blank row that a script copies is not sent.
    let section = match section.split_once("<template>").zip(section.split_once("</template>")) {
        Some(((before, _), (_, after))) => format!("{before}{after}"),
        None => section,
    };
    for piece in section.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag");
        let name = attribute(tag, "name").filter(|_| !tag.contains(" form=\""));
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
