//! Pre-filled links: the form's people fill it in with the values for the link, and the link opens it so.

use serde_json::json;
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field, sharing};

use super::{borrowed, fields, filled, posted, query};
use crate::forms::controls::attribute;
use crate::forms::{choices, rules};

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

fn desk(body: serde_json::Value) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form_with(body);
    let ann = Session::on(&server).signed_in(ANN);
    Desk { server, owner, form, ann }
}

impl Desk {
    fn preview(&self) -> String {
        format!("/forms/{}/preview?prefill=1", self.form.token)
    }

    fn make(&self, pairs: &[(&str, &str)]) -> Response {
        self.ann.post(&self.preview(), &[&[("_page", "0")], pairs].concat())
    }
}

/// The links of a page.
fn links(page: &Response) -> Vec<String> {
    let inputs = page.text.split("<input").filter(|tag| tag.contains(" readonly"));
    inputs.filter_map(|tag| attribute(tag.split('>').next()?, "value")).collect()
}

#[test]
fn a_link_fills_in_questions_of_every_kind() {
    let desk = desk(json!({"name": "All", "layout": "card", "fields": fields()}));
    desk.ann.get(&format!("/forms/{}/share", desk.form.token)).is(200).has(["Pre-filled link", "preview?prefill=1"]);
    let page = desk.ann.get(&format!("{}&{}", desk.preview(), query(None))).is(200);
    page.has(["Create the link", "Fill in what the link should say"]);
    let led = desk.ann.post(&desk.preview(), &borrowed(&posted(&page.text))).leads();
    let made = desk.ann.get(&led).is(200);
    made.has(["of at most 8000 characters", "Change the answers"]);
    let link = links(&made).remove(0);
    assert!(link.starts_with(&format!("{}/f/{}?field_1=A+%22quoted", desk.server.base, desk.form.token)), "{link}");
    let path = link.strip_prefix(&desk.server.base).expect("our own");
    let opened = desk.server.anon().get(path).is(200);
    let wanted = desk.server.anon().get(format!("{}?{}", desk.form.page(), query(None))).is(200);
    assert_eq!(filled(&opened.text), filled(&wanted.text));
    // The same again, to change it.
    let again = format!("{}&{}", desk.preview(), path.split_once('?').expect("a query").1);
    assert_eq!(filled(&desk.ann.get(&again).is(200).text), filled(&page.text));
}

#[test]
fn all_questions_can_be_filled_in_and_none_must_be() {
    let desk = desk(json!({"name": "Courses", "fields": [
        field("short_text", json!({"label": "Course", "required": true})),
        field("page_break", json!({})),
        field("radio", json!({"label": "Track", "choices": choices(["aaaa", "bbbb"]), "required": true})),
        field("date", json!({"label": "Day", "default_value": "today"})),
        field("short_text", json!({"label": "Inside", "hidden": true})),
    ]}));
    desk.owner.put(desk.form.part("field_rules"), rules(&["show 3: 1 eq never"])).is(200);
    let page = desk.ann.get(&desk.preview()).is(200);
    page.has(["data-field=\"field_1\"", "data-field=\"field_3\"", "Create the link"]).lacks(["field_5"]);
    // Default values are no part of the link: they may be others tomorrow.
    let led = desk.ann.post(&desk.preview(), &borrowed(&posted(&page.text))).leads();
    desk.ann.get(&led).is(200).has(["This link fills in nothing yet."]);
    let led = desk.make(&[("field_3", "bbbb")]).leads();
    assert!(led.contains("/share/prefilled?field_3=bbbb"), "{led}");
    let page = desk.ann.get(&format!("{led}&channels=Poster%0A%0ANews+%26+more%0A&field_9")).is(200);
    let [own, poster, news] = links(&page).try_into().expect("three links");
    assert!(own.ends_with("?field_3=bbbb&field_9="), "{own}");
    assert!(poster.ends_with("&x_field_1=Poster") && news.ends_with("&x_field_1=News+%26+more"), "{poster} {news}");
    page.has(["Poster", "News &amp; more", "<svg class=\"scan\""]);
    let many = "x%0A".repeat(51);
    let page = desk.ann.get(&format!("{led}&channels={many}")).is(200);
    page.has(["At most 50 channels"]);
    assert_eq!(links(&page).len(), 51);
}

/// Channels by which entries came are listed with their numbers, and new ones beside them.
#[test]
fn channels_are_counted() {
    let desk = desk(json!({"name": "Courses", "fields": [field("short_text", json!({"label": "Town"}))]}));
    let page = format!("/forms/{}/share/prefilled", desk.form.token);
    desk.ann.get(&page).is(200).lacks(["x_field_1="]);
    for channel in ["poster", "<b>news</b>", "poster", ""] {
        let body = json!({"field_values": {"field_1": "Ulm"}, "x_field_1": channel});
        desk.server.anon().post(desk.form.submissions(), body).is(201);
    }
    let listed = desk.ann.get(&page).is(200);
    listed.has(["&lt;b&gt;news&lt;/b&gt;", "2 entries", "1 entry", "QR code: poster"]);
    let [poster, news] = links(&listed).try_into().expect("two links");
    assert!(
        poster.ends_with("?x_field_1=poster") && news.ends_with("?x_field_1=%3Cb%3Enews%3C%2Fb%3E"),
        "{poster} {news}"
    );
    let listed = desk.ann.get(&format!("{page}?channels=flyer%0Aposter")).is(200);
    let [flyer, poster, _] = links(&listed).try_into().expect("three links");
    assert!(flyer.ends_with("=flyer") && poster.ends_with("=poster"), "{flyer} {poster}");
    listed.has(["No entries yet"]);
}

#[test]
fn a_link_that_is_too_long_keeps_what_was_typed() {
    let desk = desk(json!({"name": "Long", "fields": [
        field("long_text", json!({"label": "Story"})), field("email", json!({"label": "E-mail"})),
    ]}));
    let story = "é".repeat(1_400);
    let refused = desk.make(&[("field_1", &story)]).is(422);
    refused.has(["The link is too long", "Leave out the longest answers.", &story]);
    desk.make(&[("field_2", "nobody")]).is(422).has(["value=\"nobody\""]);
    let led = desk.make(&[("field_1", &"é".repeat(1_000))]).leads();
    desk.ann.get(&led).is(200).has(["The link is too long for a QR code."]);
}

#[test]
fn who_sees_the_form_may_make_links() {
    let desk = desk(json!({"name": "Shared", "fields": [field("short_text", json!({"label": "Town"}))]}));
    account(&desk.server, BOB);
    let bob = desk.server.token(BOB, "form:read");
    let browser = Session::on(&desk.server).signed_in(BOB);
    let page = format!("/forms/{}/share/prefilled", desk.form.token);
    browser.get(&page).is(404);
    browser.get(&desk.preview()).is(404);
    sharing::share(&desk.owner, &desk.form, &bob, "viewer");
    browser.get(&desk.preview()).is(200);
    let led = browser.post(&desk.preview(), &[("_page", "0"), ("field_1", "Ulm")]).leads();
    browser.get(&led).is(200).has(["field_1=Ulm"]);
    // A form that nobody can open has no link.
    desk.owner.patch(desk.form.path(), json!({"published": false})).is(200);
    browser.get(&page).is(200).lacks(["field_1=Ulm", "<svg class=\"scan\""]);
    browser.get(&desk.preview()).is(200).lacks(["Create the link"]);
}
