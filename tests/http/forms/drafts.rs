//! The builder's drafts over plain posts: respondents see nothing of them until they are published, each change can be
//! taken back, two people lose nothing, and changes over the API are kept or asked about.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::clock::Clock;
use support::page_text::page_text;
use support::session::{Session, account};
use support::store::database;
use support::{Caller, Form, Response, Server, field, rounds, sharing, until};

use super::controls::{attribute, panel, value_of};
use super::{choices, entry, replace};

const ALL: &str = "form:read form:write form:delete entry:read entry:write";
const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

/// A form of three questions: a name, a track of three choices, and a remark.
fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    account(&server, BOB);
    let owner = server.token(ANN, ALL);
    let form = owner.form_with(json!({"name": "Workshop", "fields": [
        field("short_text", json!({"label": "Your name"})),
        field("radio", json!({"label": "Track", "choices": choices(["a", "b", "c"])})),
        field("long_text", json!({"label": "Remark"})),
    ]}));
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    Desk { server, owner, form, ann }
}

/// Somebody's browser, signed in.
fn browser_of(desk: &Desk, email: &str) -> Session {
    let session = Session::on(&desk.server).signed_in(email);
    session.get(&desk.build("")).is(200);
    session
}

impl Desk {
    fn build(&self, rest: &str) -> String {
        format!("/forms/{}/build{rest}", self.form.token)
    }

    fn publish_page(&self) -> String {
        format!("/forms/{}/publish", self.form.token)
    }

    fn preview(&self) -> String {
        format!("/forms/{}/preview", self.form.token)
    }

    /// The draft.
    fn draft(&self) -> Value {
        let headers = self.ann.caller().header("accept", "application/json");
        headers.get(self.build("")).is(200).data()
    }

    fn labels(&self) -> Vec<String> {
        let draft = self.draft();
        let fields = draft["fields"].as_array().expect("fields");
        fields.iter().map(|field| field["label"].as_str().expect("a label").to_owned()).collect()
    }

    fn published_labels(&self) -> Vec<String> {
        let form = self.owner.get(self.form.path()).is(200).data();
        let fields = form["fields"].as_array().expect("fields");
        fields.iter().map(|field| field["label"].as_str().expect("a label").to_owned()).collect()
    }

    /// Adds a question as its button does. Returns its code.
    fn add(&self, kind: &str, after: &str) -> String {
        let led = self.ann.post(&self.build("/fields"), &[("type", kind), ("after", after)]).leads();
        led.split_once("?field=").expect("the new one is chosen").1.to_owned()
    }

    /// Saves the question's panel as it is shown, with these values changed.
    fn save(&self, session: &Session, code: &str, changes: &[(&str, &str)]) -> Response {
        let page = session.get(&self.build(&format!("?field={code}"))).is(200);
        self.save_from(session, &page, code, changes)
    }

    fn save_from(&self, session: &Session, page: &Response, code: &str, changes: &[(&str, &str)]) -> Response {
        let pairs = panel(&page.text, code, changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        session.post(&self.build(&format!("/fields/{code}")), &pairs)
    }

    fn act(&self, code: &str, act: &str, more: &[(&str, &str)]) {
        self.ann.post(&self.build(&format!("/fields/{code}/{act}")), more).leads();
    }

    /// Publishes the draft that the page shows.
    fn publish(&self, more: &[(&str, &str)]) -> Response {
        let page = self.ann.get(&self.publish_page()).is(200);
        let version = value_of(&page.text, "draft_version").expect("something to publish");
        self.ann.post(&self.publish_page(), &[&[("draft_version", &*version)], more].concat())
    }
}

/// Codes and labels, for messages.
fn short(fields: &Value) -> Vec<String> {
    let fields = fields.as_array().expect("fields").iter();
    fields.map(|field| format!("{} {}", field["api_code"], field["label"])).collect()
}

#[test]
fn respondents_see_nothing_of_a_draft_until_it_is_published() {
    let desk = desk();
    let before = page_text(&desk.server.anon().get(desk.form.page()).is(200));
    let sent = json!({"field_values": {"field_1": "Ada", "field_2": "a"}});
    desk.owner.post(desk.form.entries(), sent).is(201);
    // What programs see of it.
    let parts = ["entries", "entries/report", "entries/export?format=csv", "entries/export?format=json"];
    let told = || {
        let definition = desk.server.anon().get(desk.form.published()).is(200).text;
        let all = parts.map(|part| desk.owner.get(desk.form.part(part)).is(200).text);
        (definition, all)
    };
    let before_it = told();
    let code = desk.add("email", "field_1");
    assert_eq!(code, "field_4");
    // A faulty question is kept and reported, and keeps the draft from being published.
    assert_eq!(desk.labels(), ["Your name", "", "Track", "Remark"]);
    let page = desk.ann.get(&desk.build("?field=field_4")).is(200);
    page.has(["Untitled question", "Changes not published", "Select \u{2068}Untitled question\u{2069}"]);
    page.lacks([">…<"]);
    // A formula that names it has no fault itself.
    let formula = desk.add("formula", "field_3");
    desk.save(&desk.ann, &formula, &[("label", "Sum"), ("expression", "LEN(field_4)")]).leads();
    let refused = desk.ann.get(&desk.publish_page()).is(200);
    refused.lacks([&*format!("/build?field={formula}\"")]);
    desk.act(&formula, "remove", &[]);
    refused.has(["Complete these before you publish", "/build?field=field_4"]).lacks(["name=\"draft_version\""]);
    let version = desk.draft()["version"].to_string();
    desk.ann.post(&desk.publish_page(), &[("draft_version", &version)]).is(422);
    desk.save(&desk.ann, "field_4", &[("label", "Your e-mail"), ("required", "true")]).leads();
    desk.act("field_3", "move", &[("after", "")]);
    assert_eq!(desk.labels(), ["Remark", "Your name", "Your e-mail", "Track"]);
    let shown = desk.ann.get(&desk.preview()).is(200);
    assert!(shown.text.contains("Your e-mail"), "the preview shows it");
    assert_eq!(desk.published_labels(), ["Your name", "Track", "Remark"]);
    assert_eq!(page_text(&desk.server.anon().get(desk.form.page()).is(200)), before);
    assert_eq!(told(), before_it);
    let changes = page_text(&desk.ann.get(&desk.publish_page()).is(200));
    for line in ["Added", "Your e-mail", "Questions reordered"] {
        assert!(changes.contains(line), "{line} in {changes}");
    }
    let led = desk.publish(&[]).leads();
    assert_eq!(led, format!("/forms/{}/share?done=published", desk.form.token));
    assert_eq!(desk.published_labels(), ["Remark", "Your name", "Your e-mail", "Track"]);
    let form = desk.owner.get(desk.form.path()).is(200).data();
    assert_eq!((&form["fields"][2]["api_code"], &form["fields"][2]["required"]), (&json!("field_4"), &json!(true)));
    // The public page equals the preview's, except for values of one visit.
    desk.ann.get(&desk.publish_page()).is(200).has(["There is nothing to publish"]).lacks(["name=\"draft_version\""]);
    let draft = desk.draft();
    assert_eq!(draft["version"], 0);
}

#[test]
fn each_change_can_be_taken_back_and_made_again() {
    let desk = desk();
    let first = desk.draft();
    let mut states = vec![first["fields"].clone()];
    for step in 0..rounds("TEST_DRAFT_STEPS", 24) {
        let fields = desk.draft()["fields"].as_array().expect("fields").clone();
        let code = |at: usize| fields[at % fields.len()]["api_code"].as_str().expect("a code").to_owned();
        match step % 6 {
            0 => drop(desk.add("radio", &code(step))),
            1 => drop(desk.save(&desk.ann, &code(step), &[("label", &format!("Label {step}"))]).leads()),
            2 => desk.act(&code(step), "move", &[("after", &code(step + 2))]),
            3 => desk.act(&code(step), "copy", &[]),
            4 => desk.act(&code(step), "required", &[]),
            _ => desk.act(&code(step), "remove", &[]),
        }
        let now = desk.draft()["fields"].clone();
        if states.last() != Some(&now) {
            states.push(now);
        }
    }
    assert!(states.len() > 15, "most steps change something");
    for (n, state) in states.iter().enumerate().rev().skip(1) {
        let led = desk.ann.post(&desk.build("/undo"), &[]).leads();
        assert_eq!(short(&desk.draft()["fields"]), short(state), "{n}: {led}");
        for (now, was) in desk.draft()["fields"].as_array().expect("fields").iter().zip(state.as_array().expect("it")) {
            assert_eq!(now, was);
        }
    }
    assert_eq!(desk.ann.post(&desk.build("/undo"), &[]).leads(), desk.build("?done=nothing"));
    // From another device.
    let elsewhere = browser_of(&desk, ANN);
    for state in states.iter().skip(1) {
        elsewhere.post(&desk.build("/redo"), &[]).leads();
        assert_eq!(desk.draft()["fields"], *state);
    }
    // Throwing all of it away is asked about first.
    desk.ann.get(&format!("/forms/{}/publish", desk.form.token)).is(200).has(["/build/discard\""]);
    desk.ann.get(&desk.build("/discard")).is(200).has(["<h1>Throw the draft away?</h1>", "This can’t be undone."]);
    assert_ne!(desk.draft()["fields"], first["fields"]);
    desk.ann.post(&desk.build("/discard"), &[]).leads();
    assert_eq!(desk.draft()["fields"], first["fields"]);
}

#[test]
fn typing_without_a_pause_is_one_step() {
    let desk = desk();
    for text in ["Wh", "Which", "Which track?"] {
        desk.save(&desk.ann, "field_2", &[("label", text)]).leads();
    }
    desk.save(&desk.ann, "field_1", &[("label", "Who are you?")]).leads();
    desk.ann.post(&desk.build("/undo"), &[]).leads();
    desk.ann.post(&desk.build("/undo"), &[]).leads();
    assert_eq!(desk.labels(), ["Your name", "Track", "Remark"]);
}

#[test]
fn two_people_meet_only_at_the_same_question() {
    let desk = desk();
    let bob = desk.server.token(BOB, "form:read");
    sharing::share(&desk.owner, &desk.form, &bob, "manager");
    let bob = browser_of(&desk, BOB);
    let (anns, bobs) = (desk.ann.get(&desk.build("?field=field_1")), bob.get(&desk.build("?field=field_2")));
    desk.save_from(&desk.ann, &anns, "field_1", &[("label", "Ann's")]).leads();
    desk.save_from(&bob, &bobs, "field_2", &[("label", "Bob's")]).leads();
    assert_eq!(desk.labels(), ["Ann's", "Bob's", "Remark"]);
    // The same one: the second sees both, and decides.
    let late = desk.save_from(&bob, &anns, "field_1", &[("label", "Bob's too")]);
    late.has(["Somebody else changed this question meanwhile", "Bob's too", "Ann's"]);
    let late = late.is(412);
    desk.save_from(&bob, &late, "field_1", &[]).leads();
    assert_eq!(desk.labels(), ["Bob's too", "Bob's", "Remark"]);
    let json = bob.caller().header("accept", "application/json").header("origin", &desk.server.base);
    let typed = [("csrf", &*bob.csrf()), ("_tag", "0"), ("label", "Late")];
    let refused = json.post_form(desk.build("/fields/field_1"), &typed).is(412);
    assert_eq!(refused.data()["field"]["label"], "Bob's too");
    // Each undoes their own changes, unless another one changed the same since.
    assert_eq!(desk.ann.post(&desk.build("/undo"), &[]).leads(), desk.build("?done=overtaken"));
    bob.post(&desk.build("/undo"), &[]).leads();
    assert_eq!(desk.labels(), ["Ann's", "Bob's", "Remark"]);
    // Two moves both hold.
    desk.act("field_1", "move", &[("after", "field_3")]);
    bob.post(&desk.build("/fields/field_2/move"), &[("after", "field_1")]).leads();
    assert_eq!(desk.labels(), ["Remark", "Ann's", "Bob's"]);
    // The people here, and their changes.
    let state = |who: &Session, query: &str| {
        let who = who.caller().header("accept", "application/json");
        who.get(desk.build(&format!("/state?{query}"))).is(200).data()
    };
    state(&bob, "field=field_2");
    let seen = state(&desk.ann, "field=field_1&since=0");
    assert_eq!(seen["people"][0]["field"], "field_2");
    assert_eq!(seen["changed"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_the_api_changes_meanwhile_is_kept_or_asked_about() {
    let desk = desk();
    desk.save(&desk.ann, "field_2", &[("label", "Which track?")]).leads();
    let new = desk.add("number", "field_3");
    desk.save(&desk.ann, &new, &[("label", "Guests")]).leads();
    let mut fields = desk.form.body["fields"].as_array().expect("fields").clone();
    fields[0]["label"] = json!("Full name");
    fields.push(field("date", json!({"label": "Birthday"})));
    let put = replace(&desk.owner, &desk.form, json!(fields)).is(200).data();
    // The draft has taken a number that the API must not give again.
    assert_eq!((new.as_str(), &put["fields"][3]["api_code"]), ("field_4", &json!("field_5")));
    assert_eq!(desk.labels(), ["Full name", "Which track?", "Remark", "Birthday", "Guests"]);
    desk.publish(&[]).leads();
    assert_eq!(desk.published_labels(), ["Full name", "Which track?", "Remark", "Birthday", "Guests"]);
    // The same question here and there: the page asks.
    desk.save(&desk.ann, "field_2", &[("label", "Mine")]).leads();
    let mut fields = desk.owner.get(desk.form.path()).data()["fields"].as_array().expect("fields").clone();
    fields[1]["label"] = json!("Theirs");
    replace(&desk.owner, &desk.form, json!(fields)).is(200);
    let page = desk.ann.get(&desk.publish_page()).is(200);
    page.has(["Mine", "Theirs"]).lacks(["name=\"draft_version\""]);
    let version = desk.draft()["version"].to_string();
    desk.ann.post(&desk.publish_page(), &[("draft_version", &version)]).is(422);
    desk.ann.post(&desk.build("/fields/field_2/keep"), &[]).leads();
    desk.publish(&[]).leads();
    assert_eq!(desk.published_labels()[1], "Mine");
    // One that is gone over there comes as a new question, or not at all.
    desk.save(&desk.ann, "field_3", &[("label", "Remarks")]).leads();
    let mut fields = desk.owner.get(desk.form.path()).data()["fields"].as_array().expect("fields").clone();
    fields.remove(2);
    replace(&desk.owner, &desk.form, json!(fields)).is(200);
    desk.ann.get(&desk.publish_page()).is(200).has(["Remarks"]).lacks(["name=\"draft_version\""]);
    desk.ann.post(&desk.build("/fields/field_3/keep"), &[]).leads();
    desk.publish(&[]).leads();
    let fields = desk.owner.get(desk.form.path()).data()["fields"].clone();
    assert_eq!((&fields[2]["label"], &fields[2]["api_code"]), (&json!("Remarks"), &json!("field_6")));
}

#[test]
fn answers_are_deleted_only_by_a_tick() {
    let desk = desk();
    let sent = json!({"field_values": {"field_1": "Ada", "field_2": "a", "field_3": "Hello"}});
    desk.server.anon().post(desk.form.submissions(), sent).is(201);
    let json = desk.ann.caller().header("accept", "application/json");
    assert_eq!(json.get(desk.build("/use/field_3")).is(200).data(), json!({"entries": 1}));
    desk.ann.get(&desk.build("?field=field_3")).is(200).has(["Hide it instead", "deleted for good"]);
    desk.act("field_3", "remove", &[]);
    let warned = desk.ann.get(&desk.publish_page()).is(200);
    warned.has(["Answers will be deleted", "answered in 1 entry", "confirm_data_loss"]);
    let told = desk.publish(&[]);
    told.has(["Answers will be deleted", "Remark", "answered in 1 entry", "confirm_data_loss"]);
    told.is(422);
    assert_eq!(entry(&desk.owner, &desk.form, 1)["field_3"], "Hello");
    desk.publish(&[("confirm_data_loss", "true")]).leads();
    assert_eq!(entry(&desk.owner, &desk.form, 1).get("field_3"), None);
    // Hiding keeps them.
    desk.act("field_1", "hidden", &[]);
    desk.publish(&[]).leads();
    assert_eq!(entry(&desk.owner, &desk.form, 1)["field_1"], "Ada");
}

#[test]
fn kinds_change_where_answers_stay() {
    let desk = desk();
    let page = desk.ann.get(&desk.build("?field=field_2")).is(200).text;
    let kinds: Vec<String> = {
        let select = page.split_once("id=\"question-type\"").expect("kinds").1.split("</select>").next().expect("end");
        select.split("<option").skip(1).filter_map(|tag| attribute(tag, "value")).collect()
    };
    assert_eq!(kinds, ["radio", "checkbox", "dropdown"]);
    desk.act("field_2", "type", &[("type", "checkbox")]);
    let refused = desk.ann.post(&desk.build("/fields/field_2/type"), &[("type", "date")]).is(422);
    refused.has(["become answers of that kind"]);
    desk.publish(&[]).leads();
    let form = desk.owner.get(desk.form.path()).data();
    assert_eq!(
        (&form["fields"][1]["type"], form["fields"][1]["choices"].as_array().map(Vec::len)),
        (&json!("checkbox"), Some(3))
    );
    // A new question may become any kind.
    let new = desk.add("radio", "");
    desk.act(&new, "type", &[("type", "date")]);
    assert_eq!(desk.draft()["fields"][0]["type"], "date");
}

#[test]
fn several_questions_are_changed_at_once() {
    let desk = desk();
    let many = |act: &str, codes: &[&str], more: &[(&str, &str)]| {
        let mut pairs: Vec<(&str, &str)> = codes.iter().map(|code| ("code", *code)).collect();
        pairs.push(("act", act));
        desk.ann.post(&desk.build("/fields/many"), &[&pairs, more].concat())
    };
    // Each act is one step, whatever it changes.
    for act in ["required", "hidden", "copy", "remove"] {
        let before = desk.draft()["fields"].clone();
        many(act, &["field_1", "field_2", "field_3"], &[]).leads();
        let after = desk.draft()["fields"].clone();
        let flags: Vec<&Value> = after.as_array().expect("fields").iter().map(|field| &field[act]).collect();
        match act {
            "copy" => assert_eq!(flags.len(), 6),
            "remove" => assert_eq!(flags.len(), 0),
            _ => assert_eq!(flags, [true; 3], "{act}"),
        }
        desk.ann.post(&desk.build("/undo"), &[]).leads();
        assert_eq!(desk.draft()["fields"], before, "{act}");
    }
    many("move", &["field_1", "field_2"], &[("after", "field_3")]).leads();
    assert_eq!(desk.labels(), ["Remark", "Your name", "Track"]);
    many("up", &["field_2", "field_1"], &[]).leads();
    assert_eq!(desk.labels(), ["Your name", "Track", "Remark"]);
    many("required", &["field_1", "field_3"], &[]).leads();
    let required: Vec<Value> =
        desk.draft()["fields"].as_array().expect("fields").iter().map(|f| f["required"].clone()).collect();
    assert_eq!(required, [true, false, true]);
    many("copy", &["field_2"], &[]).leads();
    let draft = desk.draft();
    let copied: BTreeMap<String, Value> = serde_json::from_value(draft["fields"][2].clone()).expect("an object");
    assert_eq!((&copied["label"], &copied["api_code"]), (&json!("Track"), &json!("field_7")));
    assert!(copied["choices"][0].get("api_code").is_none_or(|code| code != "a"), "choices have codes of their own");
    many("remove", &["field_1", "field_2", "field_3"], &[]).leads();
    assert_eq!(desk.labels(), ["Track"]);
    desk.ann.post(&desk.build("/undo"), &[]).leads();
    assert_eq!(desk.labels().len(), 4);
    many("remove", &[], &[]).is(422);
    many("fly", &["field_1"], &[]).is(404);
    many("remove", &["field_77"], &[]).is(404);
}

#[test]
fn roles_read_a_draft_and_managers_change_it() {
    let desk = desk();
    let bob = desk.server.token(BOB, "form:read");
    let browser = Session::on(&desk.server).signed_in(BOB);
    let token = &desk.form.token;
    let pages = [
        desk.build(""),
        desk.preview(),
        desk.publish_page(),
        format!("/forms/{}/build/state", token),
        format!("/forms/{}/build/use/{}", token, "field_1"),
    ];
    for page in &pages {
        browser.get(page).is(404);
    }
    let token = &desk.form.token;
    let acts = [
        format!("/forms/{}/build/fields", token),
        format!("/forms/{}/build/fields/many", token),
        format!("/forms/{}/build/fields/{}", token, "field_1"),
        format!("/forms/{}/build/fields/{}/{}", token, "field_1", "remove"),
        format!("/forms/{}/build/undo", token),
        format!("/forms/{}/build/redo", token),
        format!("/forms/{}/build/discard", token),
    ];
    for role in ["viewer", "editor"] {
        sharing::share(&desk.owner, &desk.form, &bob, role);
        let page = browser.get(&desk.build("?field=field_1")).is(200);
        page.has(["Only managers change this form"]).lacks(["/undo\"", "Add a question", "name=\"act\""]);
        browser.get(&desk.preview()).is(200);
        browser.get(&desk.publish_page()).is(403);
        let pairs = [("type", "date"), ("code", "field_1"), ("act", "remove"), ("label", "x"), ("_tag", "0")];
        for act in &acts {
            browser.post(act, &pairs).is_for(403, act);
        }
        browser.post(&desk.publish_page(), &[("draft_version", "0")]).is(403);
    }
    assert_eq!(desk.labels(), ["Your name", "Track", "Remark"]);
}

#[test]
fn a_preview_takes_answers_and_keeps_none() {
    let desk = desk();
    let code = desk.add("email", "field_1");
    desk.save(&desk.ann, &code, &[("label", "Your e-mail"), ("required", "true")]).leads();
    let page = desk.ann.get(&desk.preview()).is(200);
    let policy = page.header("content-security-policy").to_owned();
    assert!(policy.contains("frame-ancestors 'self'"), "{policy}");
    let build = desk.ann.get(&desk.build("")).is(200);
    let policy = build.header("content-security-policy");
    assert!(policy.contains("frame-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    let answers = |email| [("field_1", "Ada"), ("field_4", email), ("_action", "submit"), ("_page", "0")];
    let refused = desk.ann.post(&desk.preview(), &answers("nonsense"));
    refused.has(["nonsense"]);
    refused.is(422);
    let thanks = desk.ann.post(&desk.preview(), &answers("ada@example.org")).is(200);
    assert!(page_text(&thanks).contains("Thank you"), "{thanks}");
    assert_eq!(desk.owner.get(desk.form.entries()).is(200).json()["pagination"]["total"], 0);
    desk.server.anon().post_form(desk.preview(), &answers("x")).is(303);
}

#[test]
fn a_preview_takes_no_place_no_stock_and_no_file_and_tells_nobody() {
    let desk = desk();
    let scarce = json!([{"api_code": "a", "label": "A", "quota": 1}, {"api_code": "b", "label": "B"}]);
    let goods = json!([{"api_code": "bag", "name": "Bag", "price": 5, "stock": 1}]);
    let form = desk.owner.form_with(json!({"name": "Fair", "fields": [
        field("radio", json!({"label": "Track", "choices": scarce})),
        field("product", json!({"label": "Goods", "goods_items": goods})),
        field("attachment", json!({"label": "Photo"})),
    ]}));
    let webhook = json!({"url": "https://example.com/", "trigger_events": ["entry_created"]});
    let token = desk.server.token(ANN, "form:read integration:write integration:read");
    let webhook = token.post(form.part("integrations/webhooks"), webhook).is(201).data();
    let preview = format!("/forms/{}/preview", form.token);
    desk.ann.get(&preview).is(200);
    let kept = || support::uploads::files_in(&desk.server.dir, "blobs").len();
    let before = kept();
    for _ in 0..2 {
        let body =
            support::multipart::body().text("csrf", &desk.ann.csrf()).text("_page", "0").text("_action", "submit");
        let body = body.text("field_1", "a").text("field_2[0].api_code", "bag").text("field_2[0].number", "1");
        let caller = desk.ann.caller().header("origin", &desk.server.base);
        let done = body.file("field_3", "a.txt", "text/plain", b"a text").send(&caller, &preview).is(200);
        assert!(page_text(&done).contains("Thank you") || page_text(&done).contains("order"), "{done}");
    }
    // A file goes like any that no entry names.
    database(&desk.server.dir).execute("UPDATE uploads SET created_at = created_at - 86400001", []).expect("a day");
    assert!(desk.server.run(&["jobs", "run-once", "files"]).status.success());
    assert_eq!((kept(), support::uploads::files_in(&desk.server.dir, "tmp").len()), (before, 0));
    let values = json!({"field_values": {"field_1": "a", "field_2": [{"api_code": "bag", "number": 1}]}});
    let sent = desk.server.anon().post(form.submissions(), values).is(201).data();
    assert_eq!(sent["entry"]["serial_number"], 1);
    let deliveries = format!("integrations/webhooks/{}/deliveries", webhook["id"].as_str().expect("an id"));
    let told = token.get(form.part(&deliveries)).is(200).json();
    assert_eq!(told["pagination"]["total"], 1, "of the entry alone: {told}");
}

/// The server is killed while somebody types.
#[test]
fn answered_saves_outlast_a_crash() {
    let desk = desk();
    let mut again: Option<Server> = None;
    for round in 0..rounds("TEST_CRASH_ROUNDS", 4) {
        let server = again.as_ref().unwrap_or(&desk.server);
        let ann = Session::on(server).signed_in(ANN);
        let answered = AtomicUsize::new(0);
        thread::scope(|scope| {
            let typing = scope.spawn(|| {
                for n in 1.. {
                    desk.save(&ann, "field_1", &[("label", &format!("{round}/{n}"))]).leads();
                    answered.store(n, Ordering::Relaxed);
                }
            });
            until("some are saved", || answered.load(Ordering::Relaxed) > 2);
            thread::sleep(Duration::from_millis(rand::rng().random_range(0..150)));
            server.kill();
            assert!(typing.join().is_err(), "nobody answers any more");
        });
        let next = Server::over(&desk.server.dir, &["--rate-limits", "off"]);
        let draft = Session::on(&next).signed_in(ANN).caller().header("accept", "application/json");
        let label = draft.get(desk.build("")).is(200).data()["fields"][0]["label"].clone();
        // The one on its way may be in.
        let answered = answered.into_inner();
        let is_there = [answered, answered + 1].map(|n| json!(format!("{round}/{n}"))).contains(&label);
        assert!(is_there, "round {round}: {label}, though {answered} were answered");
        again = Some(next);
    }
}

#[test]
fn saves_are_limited_by_the_minute_for_each_person_and_form() {
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &[]);
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let form = owner.form_with(json!({"name": "x", "fields": [field("short_text", json!({"label": "First"}))]}));
    let ann = Session::on(&server).signed_in(ANN);
    let path = format!("/forms/{}/build/fields/field_1", form.token);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    let save = |at: usize| {
        let draft = ann.caller().header("accept", "application/json");
        let label = format!("Label {at}");
        let csrf = ann.csrf();
        let pairs = [("csrf", csrf.as_str()), ("_tag", "-1"), ("label", label.as_str())];
        draft.header("origin", &draft.base).post_form(&path, &pairs)
    };
    // A save of an older text is counted too.
    for at in 0..120 {
        let status = save(at).status;
        assert!([200, 412].contains(&status), "save {at}: {status}");
    }
    let refused = save(120).is(429);
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|secs| (1..=60).contains(&secs)), "{refused}");
    // Another form has its own minute.
    let other = owner.form_with(json!({"name": "y", "fields": [field("short_text", json!({"label": "First"}))]}));
    ann.get(&format!("/forms/{}/build", other.token)).is(200);
    ann.post(&format!("/forms/{}/build/fields/field_1", other.token), &[("_tag", "0"), ("label", "x")]).is(303);
}

#[test]
fn a_full_form_says_so_before_anything_is_added() {
    let desk = desk();
    let line = json!({"type": "description", "label": "Line"});
    let form = desk.owner.form_with(json!({"name": "Long", "fields": vec![line; 500]}));
    let page = desk.ann.get(&format!("/forms/{}/build?add=field_500", form.token)).is(200);
    page.has(["A form has at most 500 questions"]).lacks(["id=\"palette\""]);
    desk.ann.post(&format!("/forms/{}/build/fields", form.token), &[("type", "email"), ("after", "field_500")]).is(422);
}

#[test]
fn page_breaks_are_added_named_moved_and_removed_and_the_preview_follows() {
    let desk = desk();
    let pages = || desk.ann.get(&desk.preview()).is(200).text.matches("<section class=\"page\"").count();
    assert_eq!(pages(), 1);
    let code = desk.add("page_break", "field_1");
    assert_eq!(pages(), 2);
    desk.save(&desk.ann, &code, &[("next_text", "To the tracks"), ("previous_text", "Back to you")]).leads();
    desk.ann.get(&desk.preview()).has(["To the tracks"]);
    let break_at =
        || desk.draft()["fields"].as_array().expect("fields").iter().position(|it| it["type"] == "page_break");
    assert_eq!(break_at(), Some(1));
    desk.act(&code, "down", &[]);
    assert_eq!(break_at(), Some(2));
    assert_eq!(pages(), 2);
    // Behind it stands nothing, which is no page.
    desk.act(&code, "move", &[("after", "field_3")]);
    assert_eq!((break_at(), pages()), (Some(3), 1));
    desk.act(&code, "remove", &[]);
    assert_eq!((break_at(), pages()), (None, 1));
}
