//! The page of a form's settings: each setting is set, cleared and read back through the API, faults stand beside
//! their controls, two people lose nothing, and roles decide what is offered.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read";
const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";
/// Takes a pair out of what is posted: an empty checkbox.
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

/// What was typed, what the API then reads at which path, and what it reads once the controls are empty again.
type Case = (&'static str, &'static [(&'static str, &'static str)], fn() -> Value);

const CASES: &[Case] = &[
    (
        "general",
        &[("description", "Two\r\nlines"), ("locale", "zh-CN"), ("timezone", "Asia/Tokyo")],
        || json!({"locale": "zh-CN", "timezone": "Asia/Tokyo"}),
    ),
    (
        "availability",
        &[
            ("availability.manually_closed", "true"),
            ("availability.schedule.start_at", "2027-03-01T08:00"),
            ("availability.schedule.end_at", "2027-07-01T08:00:30"),
            ("availability.entries_limit", "1,000"),
            ("availability.show_countdown", "true"),
            ("availability.show_form_before_open", "true"),
            ("capacity.hold_minutes", "10"),
            ("capacity.waiting_list", "true"),
        ],
        || {
            json!({
                "availability": {
                    "manually_closed": true,
                    // On the form's clock in Berlin, in winter and in summer.
                    "schedule": {"start_at": "2027-03-01T07:00:00.000Z", "end_at": "2027-07-01T06:00:30.000Z"},
                    "entries_limit": 1000, "show_countdown": true, "show_form_before_open": true,
                },
                "capacity": {"hold_minutes": 10, "waiting_list": true},
            })
        },
    ),
    (
        "access",
        &[
            ("access_control.access_password", "open <sesame>"),
            ("submission_options.one_per_respondent", "account"),
            ("browse_linked_entries", "true"),
        ],
        || {
            json!({
                "access_control": {"access_password": "open <sesame>"},
                "submission_options": {"one_per_respondent": "account"},
                "browse_linked_entries": true,
            })
        },
    ),
    (
        "filling-in",
        &[("submission_options.show_progress", "true"), ("submission_options.show_field_number", "true")],
        || json!({"submission_options": {"show_progress": true, "show_field_number": true}}),
    ),
    (
        "after",
        &[
            ("after_submission.mode", "redirect"),
            ("after_submission.show_message.style", "rich_text"),
            ("after_submission.show_message.text.title", "Thanks"),
            ("after_submission.show_message.text.description", "Until soon"),
            ("after_submission.show_message.rich_text", "<p>Thank <b>you</b></p>"),
            ("after_submission.redirect.url", "https://example.com/done"),
            ("after_submission.redirect.fields", "field_1"),
            ("after_submission.redirect.fields", "field_3"),
            ("after_submission.report.score_based_feedbacks[0].start_point", "0.5"),
            ("after_submission.report.score_based_feedbacks[0].end_point", "1.5"),
            ("after_submission.report.score_based_feedbacks[0].comment", "Try again"),
            ("after_submission.report.score_based_feedbacks[1].start_point", "1.5"),
            ("after_submission.report.score_based_feedbacks[1].end_point", "2.5"),
            ("after_submission.show_answers", OFF),
            ("submission_options.allow_edit_after_submission", "true"),
        ],
        || {
            json!({
                "after_submission": {
                    "mode": "redirect",
                    "show_message": {
                        "style": "rich_text", "rich_text": "<p>Thank <b>you</b></p>",
                        "text": {"title": "Thanks", "description": "Until soon"},
                    },
                    "redirect": {"url": "https://example.com/done", "fields": ["field_1", "field_3"]},
                    "report": {"score_based_feedbacks": [
                        {"start_point": 0.5, "end_point": 1.5, "comment": "Try again"},
                        {"start_point": 1.5, "end_point": 2.5, "comment": ""},
                    ]},
                    "show_answers": false,
                },
                "submission_options": {"allow_edit_after_submission": true},
            })
        },
    ),
    (
        "exam",
        &[
            ("exam.duration_minutes", "45"),
            ("exam.pass_score", "1.5"),
            ("exam.show_score", "true"),
            ("exam.show_answers", "true"),
        ],
        || json!({"exam": {"duration_minutes": 45, "pass_score": 1.5, "show_score": true, "show_answers": true}}),
    ),
    (
        "orders",
        &[
            ("pricing.currency", "EUR"),
            ("pricing.discounts[0].min_total", "100.5"),
            ("pricing.discounts[0].percent_off", "7.5"),
            ("pricing.discounts[1].min_total", "200.5"),
            ("pricing.discounts[1].amount_off", "20.25"),
        ],
        || {
            json!({"pricing": {"currency": "EUR", "discounts": [
                {"min_total": 100.5, "percent_off": 7.5}, {"min_total": 200.5, "amount_off": 20.25},
            ]}})
        },
    ),
    (
        "codes",
        &[
            ("verification_code.enabled", "true"),
            ("verification_code.length", "12"),
            ("certificate.enabled", "true"),
            ("certificate.title", "Well done"),
            ("certificate.body", "{{field_2}} has passed"),
            ("certificate.min_score", "2.5"),
        ],
        || {
            json!({
                "verification_code": {"enabled": true, "length": 12},
                "certificate": {"enabled": true, "title": "Well done", "body": "{{field_2}} has passed", "min_score": 2.5},
            })
        },
    ),
    (
        "notifications",
        &[
            ("notifications.receipt.field", "field_3"),
            ("notifications.receipt.subject", "Hello"),
            ("notifications.receipt.message", "<p>Hello</p>"),
            ("notifications.receipt.include_values", "true"),
            ("notifications.receipt.for_programs", "true"),
            ("notifications.notice.to", "a@example.com\r\n\r\n b@example.com "),
            ("notifications.waiting.enabled", "false"),
            ("notifications.moved_up.subject", "Come"),
            ("notifications.cancelled.message", "<p>Gone</p>"),
            ("notifications.changed.include_values", "true"),
            ("notifications.reminder.subject", "Tomorrow"),
        ],
        || {
            json!({"notifications": {
                "receipt": {
                    "field": "field_3", "subject": "Hello", "message": "<p>Hello</p>", "include_values": true,
                    "for_programs": true,
                },
                "notice": {"to": ["a@example.com", "b@example.com"]},
                "waiting": {"enabled": false}, "moved_up": {"subject": "Come"}, "cancelled": {"message": "<p>Gone</p>"},
                "changed": {"include_values": true}, "reminder": {"subject": "Tomorrow"},
            }})
        },
    ),
];

/// `expected` is in `found`, member by member; an item of a list whole.
#[track_caller]
fn contains(found: &Value, expected: &Value, path: &str) {
    match expected.as_object() {
        Some(members) => {
            for (key, member) in members {
                contains(&found[key], member, &format!("{path}.{key}"));
            }
        }
        None => assert_eq!(found, expected, "{path}"),
    }
}

/// The paths of a schema's values: what has no members of its own.
fn leaves(schema: &Value, path: &str, out: &mut Vec<String>) {
    let members = schema["properties"].as_object().filter(|_| path != "exam.questions");
    let Some(members) = members else {
        out.push(path.to_owned());
        return;
    };
    for (key, member) in members {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        leaves(member, &inner, out);
    }
}

#[test]
fn every_setting_has_a_control() {
    let desk = desk();
    let document = desk.owner.get("/api/v1/openapi.json").is(200).json();
    let mut paths = Vec::new();
    leaves(&document["components"]["schemas"]["SettingsUpdate"], "", &mut paths);
    assert!(paths.len() > 50, "{paths:?}");
    paths.retain(|path| path != "exam.questions");
    paths.extend(["name", "description", "layout", "published"].map(str::to_owned));
    for locale in ["en", "zh-CN"] {
        desk.owner.patch("/api/v1/me", json!({ "locale": locale })).is(200);
        let page = desk.browser.get(&desk.page()).is(200);
        for path in &paths {
            let named = [format!("name=\"{path}\""), format!("name=\"{path}[0].")];
            assert!(named.iter().any(|name| page.text.contains(name)), "no control sets {path}");
        }
        // Words that are missing would be shown as their ids.
        page.lacks([">settings-", ">scene-"]);
    }
}

#[test]
fn each_setting_is_set_and_cleared() {
    let desk = desk();
    let defaults = desk.settings();
    // Some have a default that is typed.
    let typed = ["locale", "timezone", "verification_code.length", "pricing.currency", "capacity.hold_minutes"];
    for (section, changes, expected) in CASES {
        desk.save(section, changes);
        contains(&desk.settings(), &expected(), section);
        // The page shows what it takes: nothing changes when it is saved as it is.
        let before = desk.settings();
        desk.save(section, &[]);
        assert_eq!(desk.settings(), before, "{section}");
        let page = desk.browser.get(&desk.page()).is(200);
        let cleared: Vec<(&str, &str)> = changes
            .iter()
            .map(|(name, value)| match *name {
                name if typed.contains(&name) => (name, default(name)),
                name if name.ends_with(".mode") => (name, "show_message"),
                name if name.ends_with(".style") => (name, "text"),
                name if name.ends_with("one_per_respondent") => (name, "none"),
                name if name.ends_with("show_answers") && *value == OFF => (name, "true"),
                name if *value == "true" || name.ends_with(".fields") => (name, OFF),
                name => (name, ""),
            })
            .collect();
        let led = desk.post_from(&desk.browser, &page, section, &cleared).leads();
        assert!(led.contains("saved="), "{led}");
        let after = desk.settings();
        contains(&after, &defaults, section);
    }
    // Members of the form itself.
    desk.save("general", &[("name", "Autumn <exam>"), ("layout", "card"), ("description", "One\r\nTwo")]);
    let form = desk.owner.get(desk.form.path()).data();
    assert_eq!((&form["name"], &form["layout"]), (&json!("Autumn <exam>"), &json!("card")));
    assert_eq!(form["description"], json!("One\nTwo"));
    desk.save("general", &[("description", "")]);
    assert_eq!(desk.owner.get(desk.form.path()).data()["description"], Value::Null);
    // What questions are worth is shown, and set elsewhere.
    let questions = json!({"field_1": {"scored": true, "score": 2, "answer": "a"}});
    desk.owner.patch(desk.form.part("settings"), json!({"exam": {"questions": questions}})).is(200);
    let page = desk.browser.get(&desk.page()).is(200);
    page.has(["What is for lunch?", ">Soup<", "Autumn &lt;exam&gt;", "/entries", "/webhooks", "/opensearch/queries"]);
    // Letters that follow the receipt say so, and an answer that is saved is as the API has it.
    assert!(controls(&page, "notifications").contains(&("notifications.waiting.enabled".to_owned(), String::new())));
}

fn default(name: &str) -> &'static str {
    match name {
        "locale" => "en",
        "timezone" => "Europe/Berlin",
        "verification_code.length" => "8",
        "pricing.currency" => "USD",
        _ => "0",
    }
}

#[test]
fn each_fault_stands_beside_its_control() {
    let desk = desk();
    let question = json!({"field_1": {"scored": true, "score": 2, "answer": "a"}});
    desk.owner.patch(desk.form.part("settings"), json!({"exam": {"questions": question}})).is(200);
    let before = desk.settings();
    for (section, changes, faults) in [
        (
            "general",
            vec![("name", ""), ("locale", "klingon!"), ("timezone", "Mars"), ("description", "kept")],
            vec![
                ("name", "Fill in this field"),
                ("locale", "Choose a language from the list"),
                ("timezone", "Choose a time zone from the list, such as Europe/Berlin"),
            ],
        ),
        (
            "general",
            vec![("locale", ""), ("timezone", " ")],
            vec![
                ("locale", "Choose a language from the list"),
                ("timezone", "Choose a time zone from the list, such as Europe/Berlin"),
            ],
        ),
        (
            "availability",
            vec![
                ("availability.entries_limit", "1"),
                ("availability.schedule.start_at", "soon"),
                ("capacity.hold_minutes", "90"),
            ],
            vec![
                ("availability.entries_limit", "Enter 2 or more. To take no entries, close the form instead."),
                ("availability.schedule.start_at", "Enter a date and a time"),
                ("capacity.hold_minutes", "Enter a number from 0 to 60"),
            ],
        ),
        (
            "availability",
            vec![
                ("availability.schedule.start_at", "2027-03-01T08:00"),
                ("availability.schedule.end_at", "2027-02-01T08:00"),
            ],
            vec![("availability.schedule.end_at", "Choose a time after the one when it opens")],
        ),
        (
            "after",
            vec![("after_submission.mode", "redirect")],
            vec![("after_submission.redirect.url", "Fill in this field")],
        ),
        (
            "after",
            vec![
                ("after_submission.redirect.url", "nowhere"),
                ("after_submission.report.score_based_feedbacks[3].start_point", "9"),
                ("after_submission.report.score_based_feedbacks[3].end_point", "many"),
                ("after_submission.report.score_based_feedbacks[3].comment", "kept"),
            ],
            vec![
                ("after_submission.redirect.url", "Enter a web address like https://example.com"),
                ("after_submission.report.score_based_feedbacks[0].end_point", "Enter a number"),
            ],
        ),
        (
            "exam",
            vec![("exam.duration_minutes", "1.5"), ("exam.pass_score", "-1")],
            vec![
                ("exam.duration_minutes", "Enter a whole number"),
                ("exam.pass_score", "Enter a number from 0 to 1000000000"),
            ],
        ),
        (
            "exam",
            vec![("exam.pass_score", "3")],
            vec![("exam.pass_score", "The questions give fewer points than this")],
        ),
        (
            "orders",
            vec![
                ("pricing.currency", "XXL"),
                ("pricing.discounts[0].percent_off", "5"),
                ("pricing.discounts[0].amount_off", "5"),
            ],
            vec![
                ("pricing.currency", "Enter three letters of a currency, such as EUR"),
                ("pricing.discounts[0].min_total", "Fill in this field"),
                ("pricing.discounts[0].percent_off", "Enter percent or an amount, not both"),
            ],
        ),
        (
            "codes",
            vec![("verification_code.length", "99"), ("certificate.min_score", "x")],
            vec![
                ("verification_code.length", "Enter a number from 6 to 16"),
                ("certificate.min_score", "Enter a number"),
            ],
        ),
        (
            "notifications",
            vec![("notifications.notice.enabled", "true"), ("notifications.notice.to", "a@example.com\r\nnobody")],
            vec![("notifications.notice.to", "Line 2: Enter an email address, such as ann@example.org.")],
        ),
        (
            "notifications",
            vec![("notifications.notice.enabled", "true")],
            vec![("notifications.notice.to", "Fill in this field")],
        ),
    ] {
        let page = desk.post(&desk.browser, section, &changes).is_for(422, (section, &changes));
        for (id, words) in &faults {
            page.has([format!("href=\"#{id}\""), format!("id=\"{id}-fault\">{words}")]);
        }
        // What was typed stays, what is wrong and what is not; rows close up.
        let shown = controls(&page, section);
        for (name, value) in changes {
            let (name, value) = (name.replace("[3]", "[0]"), value.trim().replace("\r\n", "\n"));
            assert!(shown.contains(&(name.clone(), value)), "{name} {shown:?}");
        }
        assert_eq!(desk.settings(), before, "{section}");
    }
    // Mended on that page, it is saved.
    let refused = desk.post(&desk.browser, "codes", &[("verification_code.length", "99"), ("certificate.title", "T")]);
    desk.post_from(&desk.browser, &refused, "codes", &[("verification_code.length", "9")]).leads();
    assert_eq!(desk.settings()["certificate"]["title"], "T");
    // What is stored but does nothing is said.
    let warned = desk.post(&desk.browser, "after", &[("after_submission.show_message.text.title", "Dear {{field_9}}")]);
    warned.is(200).has(["Saved, but have a look", "Title: These stand for nothing in this form: {{field_9}}"]);
    desk.browser.get(&desk.page()).has(["This server sends no email"]);
    desk.browser.post(&desk.section("nothing"), &[]).is(404);
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
    // Who types the same is at peace.
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
