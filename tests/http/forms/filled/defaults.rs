//! Defaults in the builder: a question is filled in with its own control, and the answer becomes its default.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field, sharing};

use super::{borrowed, fields, filled, kinds, posted, query};
use crate::forms::choices;
use crate::forms::controls::panel;

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

fn desk(fields: Value) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write entry:read entry:write");
    let form = owner.form_with(json!({"name": "All", "fields": fields}));
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    Desk { server, owner, form, ann }
}

impl Desk {
    fn build(&self, rest: &str) -> String {
        format!("/forms/{}/build{rest}", self.form.token)
    }

    fn take(&self, code: &str) -> String {
        format!("/forms/{}/preview?take={code}", self.form.token)
    }

    fn defaults(&self) -> Vec<Value> {
        let headers = self.ann.caller().header("accept", "application/json");
        let draft = headers.get(self.build("")).is(200).data();
        let fields = draft["fields"].as_array().expect("fields");
        fields.iter().map(|field| field["default_value"].clone()).collect()
    }

    fn panel(&self, code: &str) -> Response {
        self.ann.get(&self.build(&format!("?field={code}"))).is(200)
    }

    fn publish(&self) {
        let address = format!("/forms/{}/publish", self.form.token);
        let page = self.ann.get(&address).is(200);
        let version = page.text.split("name=\"draft_version\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        self.ann.post(&address, &[("draft_version", version.expect("something to publish"))]).leads();
    }
}

#[test]
fn a_question_of_every_kind_takes_its_default_from_its_control() {
    let desk = desk(fields());
    for (at, (kind, _, _)) in kinds().into_iter().enumerate() {
        let code = format!("field_{}", at + 1);
        desk.panel(&code).has(["None: the question is empty when the form opens.", "Take as default"]);
        // The page shows the question alone; the value of its address is in the control.
        let page = desk.ann.get(&format!("{}&{}", desk.take(&code), query(Some(at)))).is(200);
        let pairs = posted(&page.text);
        assert!(pairs.len() > 1 && pairs.iter().all(|(name, _)| name.starts_with(&code) || name == "_page"), "{kind}");
        let led = desk.ann.post(&desk.take(&code), &borrowed(&pairs)).leads();
        assert!(led.ends_with(&format!("?field={code}&done=default")), "{kind}: {led}");
    }
    let defaults = desk.defaults();
    for ((kind, _, answer), default) in kinds().into_iter().zip(&defaults) {
        assert_eq!(&answer, default, "{kind}");
    }
    let words = page_text(&desk.panel("field_11"));
    assert!(words.contains("AAAA, CCCC") && words.contains("Remove the default"), "{words}");
    let wanted = desk.server.anon().get(format!("{}?{}", desk.form.page(), query(None))).is(200);
    let before = desk.server.anon().get(desk.form.page()).is(200);
    before.lacks(["Ada Lovelace"]);
    desk.publish();
    let shown = desk.server.anon().get(desk.form.page()).is(200);
    assert_eq!(filled(&shown.text), filled(&wanted.text));
    let stored = desk.server.anon().post(desk.form.submissions(), json!({"field_values": {}})).is(201).data();
    assert_eq!(stored["entry"]["field_3"], "Ada Lovelace");
}

#[test]
fn a_default_is_one_step_and_can_be_removed() {
    let desk = desk(json!([field("short_text", json!({"label": "Town", "required": true}))]));
    desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "Ulm")]).leads();
    desk.ann.get(&desk.build("?field=field_1&done=default")).is(200).has(["The default is set.", "Ulm"]);
    assert_eq!(desk.defaults(), [json!("Ulm")]);
    desk.ann.post(&desk.build("/undo"), &[]).leads();
    assert_eq!(desk.defaults(), [json!(null)]);
    desk.ann.post(&desk.build("/redo"), &[]).leads();
    desk.ann.post(&desk.build("/fields/field_1/no-default"), &[]).leads();
    assert_eq!(desk.defaults(), [json!(null)]);
    // A page with a script asks for the faults first, and nothing is taken yet.
    let script = desk.ann.caller().header("accept", "application/json").header("origin", &desk.server.base);
    let csrf = desk.ann.csrf();
    let pairs = [("csrf", &*csrf), ("_page", "0"), ("field_1", "Ulm")];
    assert_eq!(script.post_form(desk.take("field_1"), &pairs).is(200).text, "{}");
    assert_eq!(desk.defaults(), [json!(null)]);
}

#[test]
fn what_is_no_answer_is_no_default() {
    let desk = desk(json!([
        field("number", json!({"label": "How many?", "max": 9})),
        field("radio", json!({"label": "Track", "choices": choices(["aaaa", "bbbb"]), "hidden": true})),
        field("date", json!({"label": "Day", "default_value": "today"})),
        field("description", json!({"label": "Note", "content": "<p>x</p>"})),
        field("attachment", json!({"label": "File"})),
    ]));
    let post =
        |code: &str, pairs: &[(&str, &str)]| desk.ann.post(&desk.take(code), &[&[("_page", "0")], pairs].concat());
    post("field_1", &[]).is(422).has(["Take as default", "data-field=\"field_1\""]);
    post("field_1", &[("field_1", "12")]).is(422).has(["value=\"12\"", "9"]);
    // Rules, `hidden` and `required` keep nobody from setting a default.
    desk.ann.get(&desk.take("field_2")).is(200).has(["value=\"bbbb\""]);
    post("field_2", &[("field_2", "bbbb")]).leads();
    assert_eq!(desk.defaults()[..3], [json!(null), json!("bbbb"), json!("today")]);
    desk.panel("field_3").has(["The day or time at which the form is opened"]);
    for code in ["field_4", "field_5"] {
        desk.panel(code).lacks(["Take as default"]);
        desk.ann.get(&desk.take(code)).is(422);
    }
    desk.ann.get(&desk.take("field_9")).is(404);
    // A question that is not sound has none until it is.
    let page = desk.panel("field_2");
    let pairs = panel(&page.text, "field_2", &[("label", "")]);
    desk.ann.post(&desk.build("/fields/field_2"), &borrowed(&pairs)).leads();
    desk.ann.get(&desk.take("field_2")).is(422).has(["Correct this question first"]);
}

#[test]
fn managers_alone_set_defaults() {
    let desk = desk(json!([field("short_text", json!({"label": "Town"}))]));
    account(&desk.server, BOB);
    let bob = desk.server.token(BOB, "form:read");
    let browser = Session::on(&desk.server).signed_in(BOB);
    let acts = [desk.take("field_1"), desk.build("/fields/field_1/no-default")];
    browser.get(&desk.take("field_1")).is(404);
    for role in ["viewer", "editor"] {
        sharing::share(&desk.owner, &desk.form, &bob, role);
        browser.get(&desk.build("?field=field_1")).is(200).lacks(["Take as default"]);
        browser.get(&desk.take("field_1")).is(403);
        for act in &acts {
            browser.post(act, &[("_page", "0"), ("field_1", "x")]).is_for(403, act);
        }
    }
    assert_eq!(desk.defaults(), [json!(null)]);
}
