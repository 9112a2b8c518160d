//! The pages of webhooks, for a form's managers.

use serde_json::{Value, json};
use support::peers::receiver::{Answer, Receiver, closed_port};
use support::session::{Session, account, shown, with_account};
use support::sharing::share;
use support::{Caller, Form, Response, Server, field, steps, until};

use super::{FLAGS, KINDS, Webhook};

const ALL: &str = "form:read form:write form:delete entry:read entry:write integration:read integration:write";
const MAKE: [(&str, &str); 3] =
    [("trigger_events", "entry_created"), ("trigger_events", "entry_updated"), ("enabled", "true")];

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

fn desk() -> Desk {
    let (server, email) = with_account(&FLAGS);
    let owner = server.token(email, ALL);
    let choices = json!([{"label": "Soup"}, {"label": "Pie"}]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("radio", json!({"label": "Meal", "choices": choices})),
        field("email", json!({"label": "Email"})),
    ]));
    let browser = Session::on(&server).signed_in(email);
    Desk { server, owner, form, browser }
}

impl Desk {
    fn list(&self) -> String {
        format!("/forms/{}/webhooks", self.form.token)
    }

    fn page(&self, id: &str) -> String {
        format!("/forms/{}/webhooks/{id}", self.form.token)
    }

    /// Adds a webhook on the page, and opens its own page; its id.
    fn made(&self, url: &str) -> String {
        self.browser.get(&self.list()).is(200);
        let led = self.browser.post(&self.list(), &[&[("url", url)], &MAKE[..]].concat()).leads();
        let id = led.split('/').nth(4).expect("an id").to_owned();
        self.browser.get(&self.page(&id)).is(200);
        id
    }

    /// The state for the page's script.
    fn state(&self, id: &str, query: &str) -> Value {
        let answer = self.browser.get(&format!("/forms/{}/webhooks/{id}/state?{query}", self.form.token)).is(200);
        answer.json()["data"].clone()
    }

    /// Posts a whole webhook to its page.
    fn save(&self, id: &str, pairs: &[(&str, &str)]) -> Response {
        self.browser.post(&self.page(id), pairs)
    }

    /// The API's view of it.
    fn api(&self, id: &str) -> Value {
        self.owner.get(format!("{}/integrations/webhooks/{id}", self.form.path())).is(200).data()
    }
}

/// The version that the form of a webhook was drawn from.
fn version(page: &Response) -> String {
    let (_, form) = page.text.split_once("id=\"webhook\"").unwrap_or_else(|| panic!("no form: {page}"));
    let (_, rest) = form.split_once("name=\"version\" value=\"").unwrap_or_else(|| panic!("no version: {page}"));
    rest.split('"').next().expect("a value").to_owned()
}

/// The public ids of the deliveries on a page, the latest first.
fn listed(page: &Response) -> Vec<String> {
    let cells = page.text.split("data-delivery=\"").skip(1).filter(|cell| cell.contains("data-cell=\"state\""));
    let mut ids: Vec<String> = cells.map(|cell| cell.split('"').next().expect("an id").to_owned()).collect();
    ids.dedup();
    ids
}

#[test]
fn a_form_without_webhooks_teaches_what_one_is() {
    let desk = desk();
    let page = desk.browser.get(&desk.list()).is(200);
    page.has(["Webhooks", "Enter the address of your program", "value=\"entry_restored\" checked", "What is sent"]);
    // The example is made from the form's own questions.
    let choice = desk.form.body["fields"][1]["choices"][0]["api_code"].as_str().expect("a code").to_owned();
    page.has([
        "&quot;event&quot;: &quot;entry_created&quot;",
        "&quot;field_3&quot;: &quot;",
        &desk.form.token,
        &choice,
    ]);
    desk.browser
        .get(&format!("/forms/{}/settings", desk.form.token))
        .is(200)
        .has([&desk.list(), "/integrations/webhooks"]);
}

#[test]
fn the_example_body_has_an_answer_to_each_question() {
    let desk = desk();
    let plain = ["long_text", "number", "date", "time", "rating", "nps", "url", "phone", "address", "location", "name"];
    let form = desk.owner.form(plain.iter().map(|kind| field(kind, json!({"label": kind}))).collect());
    let page = desk.browser.get(&format!("/forms/{}/webhooks", form.token)).is(200);
    let example = page.text.split("<pre").nth(1).expect("an example");
    for at in 1..=plain.len() {
        let begin = format!("&quot;field_{at}&quot;: ");
        let (_, value) = example.split_once(&begin).unwrap_or_else(|| panic!("no field_{at}: {example}"));
        assert!(!value.starts_with("null"), "{}", plain[at - 1]);
    }
}

#[test]
fn a_webhook_is_made_and_its_secret_is_shown_once() {
    let desk = desk();
    let receiver = Receiver::start();
    desk.browser.get(&desk.list()).is(200);
    let url = receiver.url("/a");
    let led = desk.browser.post(&desk.list(), &[&[("url", url.as_str())], &MAKE[..]].concat()).leads();
    let id = led.split('/').nth(4).expect("an id").to_owned();
    assert_eq!(led, format!("/forms/{}/webhooks/{id}/secret", desk.form.token));
    let page = desk.browser.get(&led).is(200);
    page.has(["Copy it now", "data-copy=\"secret\"", &desk.page(&id)]);
    let secret = shown(&page.text, "secret");
    assert!(secret.starts_with("whsec_"), "{secret}");
    desk.browser.get(&led).is(200).has(["It was shown already"]).lacks(["whsec_"]);
    desk.browser.get(&desk.page(&id)).is(200).lacks(["whsec_"]);
    let content = json!([url, ["entry_created", "entry_updated"], true]);
    let api = desk.api(&id);
    assert_eq!(json!([api["url"], api["trigger_events"], api["enabled"]]), content);
    // It is the key that signs.
    steps::add(&desk.owner, &desk.form, json!({"field_1": "Ada"}));
    let got = receiver.first_taken("/a", 1).remove(0);
    assert!(Webhook { id: id.clone(), form: desk.form.path(), secret }.signed(&got));
    until("its result is noted", || desk.browser.get(&desk.list()).text.contains("Delivered "));
    desk.browser.get(&desk.list()).is(200).has(["New entry, Entry changed", &url]);
    // Another one replaces it after a question, and is shown once too.
    let rotate = format!("/forms/{}/webhooks/{id}/rotate", desk.form.token);
    desk.browser.get(&rotate).is(200).has(["Replace the secret", "For 24 hours"]);
    let led = desk.browser.post(&rotate, &[]).leads();
    let page = desk.browser.get(&led).is(200);
    let second = shown(&page.text, "secret");
    steps::add(&desk.owner, &desk.form, json!({"field_1": "Bea"}));
    let got = receiver.first_taken("/a", 2).remove(1);
    assert!(Webhook { id: id.clone(), form: desk.form.path(), secret: second }.signed(&got));
}

#[test]
fn faults_stand_beside_their_controls_and_what_was_typed_stays() {
    let desk = desk();
    let long = format!("https://example.com/{}", "x".repeat(2_048));
    let cases = [
        ("", "Fill in this field"),
        ("example.com/hook", "Begin the address with https:// or http://"),
        ("https://ann@example.com", "Remove the user name and password"),
        ("https://example.com:22/", "Use port 80, 443, or one from 1024"),
        ("https://exa mple.com/", "Remove spaces and backslashes"),
        ("https:///x", "valid host"),
        (&long, "at most 2,048 characters"),
    ];
    desk.browser.get(&desk.list()).is(200);
    for (url, words) in cases {
        let page = desk.browser.post(&desk.list(), &[("url", url), ("trigger_events", "entry_deleted")]).is(422);
        page.has(["id=\"url-fault\"", words, "href=\"#url\"", "value=\"entry_deleted\" checked"]);
        page.has([format!("value=\"{url}\"")]);
        page.lacks(["id=\"trigger_events-fault\"", "value=\"entry_created\" checked"]);
    }
    // All at once.
    let page = desk.browser.post(&desk.list(), &[("url", "x")]).is(422);
    page.has(["Begin the address with", "Choose at least one event", "href=\"#trigger_events\""]);
    let id = desk.made("https://example.com/a");
    let page = desk.save(&id, &[("url", "ftp://example.com")]).is(422);
    page.has(["Begin the address with", "Choose at least one event", "value=\"ftp://example.com\""]);
    assert_eq!(desk.api(&id)["url"], "https://example.com/a");
}

#[test]
fn a_webhook_is_changed_turned_off_and_deleted() {
    let desk = desk();
    let id = desk.made("https://example.com/a");
    let page = desk.browser.get(&desk.page(&id)).is(200);
    page.has(["Webhook to", "example.com", "Nothing was sent yet"]);
    let first = version(&page);
    let own = ("version", first.as_str());
    let led = desk.save(&id, &[own, ("url", "https://example.org/b"), ("trigger_events", "entry_deleted")]).leads();
    desk.browser.get(&led).is(200).has(["Saved", "https://example.org/b", ">Off<"]);
    let api = desk.api(&id);
    assert_eq!((&api["trigger_events"], &api["enabled"]), (&json!(["entry_deleted"]), &json!(false)));
    // Somebody else saved meanwhile: the typed values stay, beside theirs.
    let page = desk.save(&id, &[own, ("url", "https://example.net/c"), ("trigger_events", "entry_deleted")]).is(412);
    page.has(["Somebody else changed this webhook", "value=\"https://example.net/c\"", "id=\"url-news\""]);
    page.has(["set this to “https://example.org/b”"]).lacks(["id=\"trigger_events-news\""]);
    assert_eq!(desk.api(&id)["url"], "https://example.org/b");
    let second = version(&page);
    let again = [("version", second.as_str()), ("url", "https://example.net/c"), ("trigger_events", "entry_deleted")];
    desk.save(&id, &again).leads();
    assert_eq!(desk.api(&id)["url"], "https://example.net/c");
    let delete = format!("/forms/{}/webhooks/{id}/delete", desk.form.token);
    desk.browser.get(&delete).is(200).has(["Delete the webhook to", "https://example.net/c"]);
    let led = desk.browser.post(&delete, &[]).leads();
    desk.browser.get(&led).is(200).has(["Webhook deleted"]).lacks(["example.net"]);
    for gone in [desk.page(&id), delete, format!("{}/secret", desk.page(&id)), format!("{}/state", desk.page(&id))] {
        desk.browser.get(&gone).is_for(404, gone);
    }
}

#[test]
fn a_test_shows_its_record_and_failed_deliveries_are_sent_again() {
    let desk = desk();
    let receiver = Receiver::start();
    let id = desk.made(&receiver.url("/a"));
    let test = format!("/forms/{}/webhooks/{id}/test", desk.form.token);
    desk.browser.post_on(&test, &[]).is(200).has(["The test was delivered", "200 after ", ">Test<", ">Delivered<"]);
    receiver.now(|_| Answer::Status(500));
    desk.browser.post_on(&test, &[]).is(200).has(["The test was not delivered", "answered with an error", "500 after"]);
    // An event waits after a failure, and says when it is tried next.
    steps::add(&desk.owner, &desk.form, json!({"field_1": "Ada"}));
    until("a failed attempt", || desk.browser.get(&desk.list()).text.contains("Failed once, next try "));
    let page = desk.browser.get(&desk.page(&id)).is(200);
    let ids = listed(&page);
    assert_eq!(ids.len(), 3, "{page}");
    let row = desk.state(&id, &format!("first=1&shown={}", ids.join(",")));
    let first = row["deliveries"].as_array().expect("rows").iter().find(|row| row["id"] == json!(ids[0]));
    let first = first.expect("the event");
    let told = (&first["tone"], &first["is_waiting"], &first["cells"]["state"], &row["words"]);
    assert_eq!(told, (&json!("warn"), &json!(true), &json!("Waiting"), &json!("")));
    // By state.
    let of_state = |state: &str| listed(&desk.browser.get(&format!("{}?status={state}", desk.page(&id))).is(200));
    assert_eq!(of_state("pending"), ids[..1]);
    assert_eq!(of_state("failed"), ids[1..2]);
    assert_eq!(of_state("delivered"), ids[2..]);
    assert_eq!(of_state(""), ids);
    for page in ["", "/state"] {
        desk.browser.get(&format!("{}{page}?status=zz", desk.page(&id))).is(400).has(["status must be one of pending"]);
    }
    // A waiting delivery is not sent again; a failed one is.
    let again = |delivery: &str| format!("/forms/{}/webhooks/{id}/deliveries/{delivery}/again", desk.form.token);
    desk.browser.post(&again(&ids[0]), &[]).is(422).has(["This can’t be sent again now"]);
    receiver.now(|_| Answer::Status(200));
    desk.browser.post_on(&again(&ids[1]), &[]).is(200).has(["It is sent again"]);
    let state = format!("shown={}", ids[1]);
    until("it is delivered", || desk.state(&id, &state)["deliveries"][0]["cells"]["state"] == json!("Delivered"));
    // Later deliveries are announced, on the first page alone.
    steps::add(&desk.owner, &desk.form, json!({"field_1": "Bea"}));
    until("a new one", || desk.state(&id, &format!("first=1&shown={}", ids[0]))["words"] == json!("1 new delivery"));
    assert_eq!(desk.state(&id, &format!("shown={}", ids[0]))["words"], json!(""));
    // A webhook that is off sends nothing again.
    desk.save(&id, &[("url", "https://example.com"), ("trigger_events", "entry_created")]).leads();
    desk.browser.get(&desk.page(&id)).is(200).lacks(["Send again"]);
    desk.browser.post(&again(&ids[1]), &[]).is(422);
    desk.browser.post(&again("dlv_unknown"), &[]).is(404);
}

#[test]
fn an_unreachable_receiver_is_told_in_words_and_tests_have_a_limit() {
    let desk = desk();
    let id = desk.made(&format!("http://127.0.0.1:{}/", closed_port()));
    let test = format!("/forms/{}/webhooks/{id}/test", desk.form.token);
    let words = ["The test was not delivered", "The host can’t be reached"];
    desk.browser.post_on(&test, &[]).is(200).has(words);
    desk.browser.get(&desk.list()).is(200).has(["Not delivered: ", "The host can’t be reached"]);
    let refused = (0..10).map(|_| desk.browser.post(&test, &[])).find(|answer| answer.status == 429);
    refused.expect("a limit").has(["Too many tests", "Try again in"]);
}

#[test]
fn deliveries_are_paged() {
    let desk = desk();
    let receiver = Receiver::start();
    let id = desk.made(&receiver.url("/a"));
    super::enter_many(&desk.owner, &desk.form, 30);
    receiver.first_taken("/a", 30);
    let first = desk.browser.get(&desk.page(&id)).is(200);
    assert_eq!(listed(&first).len(), 25);
    first.has(["Older deliveries"]).lacks(["Latest deliveries"]);
    let (_, rest) = first.text.split_once("?cursor=").expect("a cursor");
    let cursor = rest.split('"').next().expect("its end");
    let second = desk.browser.get(&format!("{}?cursor={cursor}", desk.page(&id))).is(200);
    assert_eq!(listed(&second).len(), 5);
    second.has(["Latest deliveries"]).lacks(["Older deliveries"]);
    assert!(listed(&second).iter().all(|one| !listed(&first).contains(one)));
}

#[test]
fn only_managers_see_webhooks() {
    let desk = desk();
    let id = desk.made("https://example.com/a");
    let own = desk.page(&id);
    let pages = [desk.list(), own.clone(), format!("{own}/secret"), format!("{own}/state"), format!("{own}/delete")];
    for (role, status) in [("viewer", 403), ("editor", 403), ("manager", 200), ("stranger", 404)] {
        let email = format!("{role}@example.org");
        account(&desk.server, &email);
        let theirs = desk.server.token(&email, "form:read");
        if role != "stranger" {
            share(&desk.owner, &desk.form, &theirs, role);
        }
        let browser = Session::on(&desk.server).signed_in(&email);
        for page in &pages {
            browser.get(page).is_for(status, (role, page));
        }
        if status != 404 {
            let settings = browser.get(&format!("/forms/{}/settings", desk.form.token)).is(200);
            assert_eq!(settings.text.contains(&format!("{}\"", desk.list())), status == 200, "{role}");
        }
        if status != 200 {
            for post in ["", "/rotate", "/test", "/delete", "/deliveries/x/again"] {
                browser.post(&format!("{own}{post}"), &[("url", "https://example.org")]).is_for(status, (role, post));
            }
            browser.post(&desk.list(), &[("url", "https://example.org")]).is_for(status, role);
        }
    }
    // 20 are the most: then there is no form for another.
    for _ in 0..19 {
        let body = json!({"url": "https://example.com/b", "trigger_events": KINDS});
        desk.owner.post(super::list(&desk.form), body).is(201);
    }
    desk.browser.get(&desk.list()).is(200).has(["This form has 20 webhooks"]).lacks(["Add webhook"]);
    let more = [("url", "https://example.com"), ("trigger_events", "entry_created")];
    desk.browser.post(&desk.list(), &more).is(422).has(["20 webhooks"]);
}
