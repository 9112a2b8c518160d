//! The page of a form's look: a control for each key of the API's theme, ready themes, contrast and its cure, pictures,
//! rights to change it; and pictures of rich texts.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::images::picture;
use support::multipart::Body;
use support::session::{Session, account};
use support::uploads::png;
use support::{Caller, Form, Response, Server, field};

const ANN: &str = "ann@example.org";

struct Studio {
    server: Server,
    owner: Caller,
    form: Form,
    /// Signed in as the owner.
    browser: Session,
}

fn studio() -> Studio {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let notes = json!({"label": "Name", "notes": "<p>As in your <b>passport</b></p>"});
    let form = owner.form_with(json!({"name": "Tea", "fields": [field("short_text", notes)]}));
    let browser = Session::on(&server).signed_in(ANN);
    browser.get(&format!("/forms/{}/theme", form.token)).is(200);
    Studio { server, owner, form, browser }
}

impl Studio {
    fn page(&self) -> String {
        format!("/forms/{}/theme", self.form.token)
    }

    fn header(&self) -> String {
        format!("/forms/{}/theme/header", self.form.token)
    }

    fn wallpaper(&self) -> String {
        format!("/forms/{}/theme/wallpaper", self.form.token)
    }

    fn pictures(&self) -> String {
        format!("/forms/{}/build/images", self.form.token)
    }

    fn steps(&self) -> [String; 2] {
        [
            format!("/forms/{}/build/undo?page=theme", self.form.token),
            format!("/forms/{}/build/redo?page=theme", self.form.token),
        ]
    }

    /// Publishes the waiting changes, and returns the theme that respondents have then.
    fn published(&self) -> Value {
        let address = format!("/forms/{}/publish", self.form.token);
        let page = self.browser.get(&address).is(200).text;
        if let Some((_, rest)) = page.split_once("name=\"draft_version\" value=\"") {
            let version = rest.split('"').next().expect("a version");
            self.browser.post(&address, &[("draft_version", version)]).is(303);
        }
        self.live()
    }

    /// The theme that respondents have.
    fn live(&self) -> Value {
        self.owner.get(self.form.part("theme")).data()
    }

    /// Posts the page's controls with these changes.
    fn post(&self, changes: &[(&str, &str)]) -> Response {
        let page = self.browser.get(&self.page()).is(200).text;
        let pairs = controls(&page, changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        self.browser.post(&self.page(), &pairs)
    }

    fn send(&self, who: &Session, address: &str, bytes: Option<&[u8]>, accept: &str) -> Response {
        let body = Body::default().text("csrf", &who.csrf());
        let body = match bytes {
            Some(bytes) => body.file("image", "a.png", "image/png", bytes),
            None => body,
        };
        let caller = who.caller();
        body.send(&caller.header("origin", &caller.base).header("accept", accept), address)
    }

    fn colleague(&self, name: &str, role: &str) -> Session {
        let email = format!("{name}@example.org");
        account(&self.server, &email);
        if !role.is_empty() {
            self.browser.get(&format!("/forms/{}/people", self.form.token));
            let posted = [("email", email.as_str()), ("role", role)];
            self.browser.post(&format!("/forms/{}/people", self.form.token), &posted).is(303);
        }
        Session::on(&self.server).signed_in(&email)
    }
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// The names and values that a browser would post, with these changes.
pub(super) fn controls(page: &str, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let (_, form) = page.split_once("id=\"panel\"").expect("the controls");
    let form = form.split("</form>").next().expect("its end");
    let mut pairs = Vec::new();
    for tag in form.split("<input").skip(1).filter_map(|rest| rest.split('>').next()) {
        let (Some(name), kind) = (attribute(tag, "name"), attribute(tag, "type").unwrap_or_default()) else {
            continue;
        };
        let is_off = kind == "radio" && !tag.contains(" checked");
        if name != "csrf" && kind != "file" && !is_off && !changes.iter().any(|(changed, _)| *changed == name) {
            pairs.push((name.to_owned(), attribute(tag, "value").unwrap_or_default().to_owned()));
        }
    }
    pairs.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    pairs
}

/// The paths of a schema's leaves; an upload is one.
fn leaves(schema: &Value, prefix: &str, out: &mut BTreeSet<String>) {
    for (key, inner) in schema["properties"].as_object().expect("properties") {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        if inner["properties"].is_object() && !["image", "images"].contains(&key.as_str()) {
            leaves(inner, &path, out);
        } else {
            out.insert(path);
        }
    }
}

#[test]
fn each_key_of_the_apis_theme_has_a_control() {
    let studio = studio();
    let described = studio.owner.get("/api/v1/openapi.json").json();
    let mut paths = BTreeSet::new();
    leaves(&described["components"]["schemas"]["ThemeUpdate"], "", &mut paths);
    assert_eq!(paths.len(), 11, "{paths:?}");
    let page = studio.browser.get(&studio.page()).is(200);
    page.has(paths.iter().map(|path| format!("id=\"{path}\"")));
    let set: [(&str, &str); 9] = [
        ("primary_color", "#0f766e"),
        ("background_color", "#FFFDF7"),
        ("text_color", "#1C1917"),
        ("font", "serif"),
        ("header.type", "text"),
        ("header.text", "Riverside & <b>"),
        ("wallpaper.color", "#F3E8D2"),
        ("submit_button.text", "Send it"),
        ("submit_button.color", "#7C2D12"),
    ];
    assert_eq!(studio.post(&set).leads(), studio.page());
    assert_eq!(studio.live()["font"], "system", "it waits for publishing");
    studio.browser.get(&format!("/forms/{}/preview?canvas=1", studio.form.token)).has(["#fffdf7", "Riverside"]);
    assert_eq!(
        studio.published(),
        json!({
            "primary_color": "#0F766E", "background_color": "#FFFDF7", "text_color": "#1C1917", "font": "serif",
            "header": {"type": "text", "text": "Riverside & <b>", "images": []},
            "wallpaper": {"color": "#F3E8D2", "image": null},
            "submit_button": {"text": "Send it", "color": "#7C2D12"},
        })
    );
    // The controls show it, and an empty one takes its key back.
    studio.browser.get(&studio.page()).has([
        "value=\"#7C2D12\"",
        "Riverside &amp; &lt;b&gt;",
        "value=\"serif\" checked",
    ]);
    studio.post(&[("submit_button.color", ""), ("wallpaper.color", ""), ("header.text", " ")]).is(303);
    let now = studio.published();
    assert_eq!(now["submit_button"], json!({"text": "Send it", "color": null}));
    assert_eq!((&now["wallpaper"]["color"], &now["header"]["text"]), (&Value::Null, &Value::Null));
    studio.post(&[("_action", "default")]).is(303);
    assert_eq!(studio.published()["primary_color"], "#2563EB");
    assert_eq!(studio.published()["header"], json!({"type": "none", "text": null, "images": []}));
}

#[test]
fn weak_colours_are_said_and_healed() {
    let studio = studio();
    studio.post(&[("text_color", "#CCCCCC"), ("submit_button.color", "#FFFF00")]).is(303);
    let page = studio.browser.get(&studio.page());
    page.has(["1.6:1", "readable.text_color", "data-state=\"weak\""]);
    let weak = |page: &Response| page.text.matches("data-state=\"weak\"").count();
    assert_eq!(weak(&page), 2);
    studio.published();
    let told = studio.owner.patch(studio.form.part("theme"), json!({})).is(200).json();
    assert_eq!(told["warnings"].as_array().map(Vec::len), Some(2), "the API says the same");
    studio.post(&[("_action", "readable.text_color")]).is(303);
    studio.post(&[("_action", "readable.submit_button.color")]).is(303);
    assert_eq!(weak(&studio.browser.get(&studio.page())), 0);
    studio.published();
    let told = studio.owner.patch(studio.form.part("theme"), json!({})).is(200).json();
    assert_eq!(told.get("warnings").and_then(Value::as_array).map_or(0, Vec::len), 0);
    // The words stay as the owner wrote them, the colours are the chosen ones.
    studio.post(&[("submit_button.text", "Go"), ("_action", "ready.night")]).is(303);
    let theme = studio.published();
    assert_eq!((&theme["background_color"], &theme["submit_button"]["text"]), (&json!("#111827"), &json!("Go")));
    let page = studio.browser.get(&studio.page());
    assert_eq!(weak(&page), 0);
    page.has(["value=\"ready.night\" aria-pressed=\"true\""]);
    // Each press is a step back and forth.
    studio.post(&[("_action", "default")]).is(303);
    let [undo, redo] = studio.steps();
    assert_eq!(studio.browser.post(&undo, &[]).leads(), studio.page());
    studio.browser.get(&studio.page()).has(["value=\"ready.night\" aria-pressed=\"true\"", "value=\"Go\""]);
    assert_eq!(studio.browser.post(&redo, &[]).leads(), studio.page());
    studio.browser.get(&studio.page()).has(["value=\"ready.sky\" aria-pressed=\"true\""]);
    let led = studio.browser.post(&redo, &[]).leads();
    studio.browser.get(&led).is(200).has(["nothing to undo or redo"]);
}

#[test]
fn what_is_wrong_is_said_and_kept() {
    let studio = studio();
    let before = studio.published();
    let page = studio.post(&[("primary_color", "red"), ("text_color", "#12345"), ("header.text", "Kept")]).is(422);
    page.has(["value=\"red\"", "value=\"#12345\"", "value=\"Kept\"", "primary_color-fault", "text_color-fault"]);
    page.has(["href=\"#primary_color\"", "such as #0F766E"]);
    assert_eq!(studio.published(), before);
    // Two people at once: the second one sees that, with the own text.
    let page = studio.browser.get(&studio.page()).text;
    studio.post(&[("primary_color", "#0F766E")]).is(303);
    let pairs = controls(&page, &[("submit_button.text", "Mine")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    studio.browser.post(&studio.page(), &pairs).is(412).has(["value=\"Mine\"", "Somebody else changed"]);
    assert_eq!(studio.published()["primary_color"], "#0F766E");
}

#[test]
fn pictures_come_with_the_page() {
    let studio = studio();
    let ids = |theme: &Value| -> Vec<String> {
        let images = theme["header"]["images"].as_array().expect("a list").iter();
        images.map(|image| image["id"].as_str().expect("an id").to_owned()).collect()
    };
    for size in [(300, 100), (200, 100)] {
        let sent = studio.send(&studio.browser, &studio.header(), Some(&png(size.0, size.1)), "text/html");
        assert_eq!(sent.leads(), studio.page());
    }
    let theme = studio.published();
    let [first, second] = &ids(&theme)[..] else { panic!("{theme}") };
    assert_eq!(theme["header"]["type"], "image");
    assert_eq!(theme["header"]["images"][0], picture(&studio.owner, first));
    studio.post(&[("_action", &format!("down.{first}"))]).is(303);
    assert_eq!(ids(&studio.published()), [second.clone(), first.clone()]);
    studio.post(&[("_action", &format!("remove.{second}"))]).is(303);
    assert_eq!(ids(&studio.published()).join(" "), *first);
    let sent = studio.send(&studio.browser, &studio.wallpaper(), Some(&png(400, 300)), "application/json").is(200);
    let paper = sent.data()["theme"]["wallpaper"]["image"]["id"].clone();
    assert_eq!(studio.published()["wallpaper"]["image"]["id"], paper);
    studio.browser.get(&format!("/forms/{}/preview?canvas=1", studio.form.token)).has(["pictured"]);
    studio.post(&[("_action", "wallpaper")]).is(303);
    assert_eq!(studio.published()["wallpaper"]["image"], Value::Null);
    // The fault of a file that is no picture is shown beside it.
    for (bytes, words) in [(None, "Choose a picture first"), (Some(&b"GIF?"[..]), "Choose a PNG")] {
        studio.browser.get(&studio.page());
        studio.send(&studio.browser, &studio.header(), bytes, "text/html").is(422).has([words, "header.images-fault"]);
        let told = studio.send(&studio.browser, &studio.wallpaper(), bytes, "application/json").is(422).data();
        assert!(told["issues"][0]["message"].as_str().expect("words").contains(words), "{told}");
    }
    let large = vec![0; (5 << 20) + 1];
    studio.browser.get(&studio.page());
    studio.send(&studio.browser, &studio.header(), Some(&large), "text/html").is(422).has(["up to 5 MB"]);
}

#[test]
fn pictures_of_rich_texts_are_shown_in_their_editor() {
    let studio = studio();
    let made = studio.send(&studio.browser, &studio.pictures(), Some(&png(30, 20)), "application/json").is(200).data();
    assert_eq!((&made["width"], &made["height"]), (&json!(30), &json!(20)));
    let address = made["image_url"].as_str().expect("an address");
    let notes = format!("<p>See <a href=\"https://a.example/\">this</a> <img src=\"{address}\" alt=\"A cup\"></p>");
    let content = json!({"type": "description", "label": "Welcome", "content": notes});
    let one = json!({"api_code": "field_1", "type": "short_text", "label": "Name", "notes": notes});
    studio.owner.patch(studio.form.path(), json!({"fields": [one, content]})).is(200);
    let build = |code: &str| format!("/forms/{}/build?field={code}", studio.form.token);
    let page = studio.browser.get(&build("field_1")).is(200);
    let tree = format!("[\"img\",{{\"src\":\"{address}\",\"alt\":\"A cup\",\"width\":\"30\",\"height\":\"20\"}}]");
    page.has([tree.replace('"', "&quot;")]).has(["role=\"toolbar\"", "&lt;img src=", "HTML: p, br"]);
    studio.browser.get(&build("field_2")).has([tree.replace('"', "&quot;")]);
    // Settings have the same editor.
    let message = json!({"after_submission": {"mode": "show_message", "show_message": {
        "style": "rich_text", "rich_text": "<h2>Thanks, {{field_1}}</h2>"}}});
    studio.owner.patch(studio.form.part("settings"), message).is(200);
    let settings = studio.browser.get(&format!("/forms/{}/settings", studio.form.token)).is(200);
    settings.has(["[[&quot;h2&quot;,&quot;Thanks, {{field_1}}&quot;]]", "/build/images"]);
}

#[test]
fn each_role_does_what_it_may() {
    let studio = studio();
    studio.post(&[("header.type", "text"), ("header.text", "By the river")]).is(303);
    let posts = [studio.page(), studio.header(), studio.wallpaper(), studio.pictures()];
    for role in ["viewer", "editor"] {
        let who = studio.colleague(role, role);
        let page = who.get(&studio.page()).is(200);
        page.has(["By the river", "#2563EB", "Only managers", "canvas=1"]).lacks(["id=\"panel\"", "/theme/header"]);
        for address in &posts {
            who.post(address, &[("primary_color", "#000000")]).is_for(403, address);
            who.get(&studio.page());
            studio.send(&who, address, Some(&png(3, 2)), "text/html");
        }
    }
    let manager = studio.colleague("manager", "manager");
    manager.get(&studio.page()).has(["id=\"panel\""]);
    let stranger = studio.colleague("stranger", "");
    stranger.get(&studio.page()).is(404);
    for address in &posts {
        stranger.post(address, &[("primary_color", "#000000")]).is_for(404, address);
    }
    let theme = studio.published();
    assert_eq!((&theme["primary_color"], &theme["header"]["images"]), (&json!("#2563EB"), &json!([])));
    let back = format!("/sign-in?next=%2Fforms%2F{}%2Ftheme", studio.form.token);
    Session::on(&studio.server).get(&studio.page()).leads_to(&back);
}
