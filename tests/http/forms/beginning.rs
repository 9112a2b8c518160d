//! Beginning a form: on `/forms/new`, with nothing, an example, a pasted list or another form; and forms that have no
//! questions yet.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::{Caller, Form, Response, Server, field, multipart, sharing};

use super::controls::value_of;
use super::{FORMS, choices};

const ANN: &str = "ann@example.org";
const ALL: &str = "form:read form:write form:delete entry:read entry:write";
const NONE_GIVEN: &str = "fields: must have 1 to 500 fields";
const NONE_THERE: &str = "fields: can't be empty when the form is published: add at least one field first";

/// The list that the console's design names, and its kinds.
const LIST: &str = "Your name *\nEmail *\nPhone\nDate of birth\nHow many people will come?\nTrack *\n- Letterpress\n\
    - Sourdough\n- Other\n---\nRate your experience 1–5\nUpload a photo\nI agree to the rules *\nAnything else? (long)";
const KINDS: [&str; 11] = [
    "name",
    "email",
    "phone",
    "date",
    "number",
    "radio",
    "page_break",
    "rating",
    "attachment",
    "checkbox",
    "long_text",
];

struct Desk {
    server: Server,
    owner: Caller,
    ann: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let ann = Session::on(&server).signed_in(ANN);
    ann.get("/forms/new").is(200);
    Desk { server, owner, ann }
}

impl Desk {
    fn form(&self, body: Value) -> Form {
        self.owner.form_with(body)
    }

    /// Begins a form on the page: it is not published, has no public page, and its questions are shown. Returns it.
    fn begins(&self, pairs: &[(&str, &str)]) -> Value {
        self.ann.get("/forms/new").is(200);
        let led = self.ann.post("/forms/new", pairs).leads();
        let token = led.strip_prefix("/forms/").and_then(|rest| rest.strip_suffix("/build"));
        let token = token.unwrap_or_else(|| panic!("{pairs:?} leads to {led}"));
        self.ann.get(&led).is(200);
        let form = self.owner.get(format!("{FORMS}/{token}")).is(200).data();
        assert_eq!(form["published"], false, "{form}");
        self.server.anon().get(format!("/f/{token}")).is(404);
        form
    }

    fn publish(&self, form: &Value) {
        let path = format!("{FORMS}/{}", form["token"].as_str().expect("a token"));
        self.owner.patch(path, json!({"published": true})).is(200);
    }
}

/// The post of a page's table, unchanged.
fn table(page: &Response) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let between = |text: &str, start: &str, end: &str| {
        let rest = text.split_once(start)?.1;
        Some(rest.split_once(end)?.0.to_owned())
    };
    for at in 0.. {
        let name = |member: &str| format!("q[{at}].{member}");
        let Some(label) = between(&page.text, &format!("name=\"{}\" value=\"", name("label")), "\"") else { break };
        pairs.push((name("label"), label));
        let select =
            between(&page.text, &format!("<select class=\"input paste-kind\" name=\"{}\"", name("type")), "</select>");
        let kinds = select.expect("a select");
        let chosen = kinds.split("<option ").find(|option| option.contains(" selected")).expect("a chosen kind");
        pairs.push((name("type"), between(chosen, "value=\"", "\"").expect("a kind")));
        let tick = between(&page.text, &format!("name=\"{}\"", name("required")), ">");
        if tick.is_some_and(|tick| tick.contains(" checked")) {
            pairs.push((name("required"), "true".to_owned()));
        }
        let area = between(&page.text, &format!("name=\"{}\"", name("choices")), "</textarea>");
        if let Some(area) = area {
            pairs.push((name("choices"), area.split_once('>').expect("a text").1.trim().to_owned()));
        }
    }
    pairs
}

fn kinds(form: &Value) -> Vec<&str> {
    let fields = form["fields"].as_array().expect("fields");
    fields.iter().map(|field| field["type"].as_str().expect("a type")).collect()
}

#[test]
fn a_form_may_have_no_fields_until_it_is_published() {
    let owner = Server::shared().user();
    for body in [json!({"name": "A", "published": false}), json!({"name": "A", "published": false, "fields": []})] {
        let form = owner.form_with(body);
        assert_eq!(form.body["fields"], json!([]));
        let change = |body: Value| owner.patch(form.path(), body);
        change(json!({"published": true})).refuses_with(&[NONE_THERE]);
        change(json!({"published": true, "fields": []})).refuses_with(&[NONE_GIVEN]);
        Server::shared().anon().get(form.page()).is(404);
        Server::shared().anon().get(form.published()).is(404);
        change(json!({"name": "B"})).is(200);
        change(json!({"published": true, "fields": [field("short_text", json!({}))]})).is(200);
        change(json!({"fields": []})).refuses_with(&[NONE_GIVEN]);
        change(json!({"fields": [], "published": false})).is(200);
        assert_eq!(owner.get(form.path()).data()["fields"], json!([]));
    }
    owner.post(FORMS, json!({"name": "A"})).refuses_with(&["fields: is required"]);
    owner.post(FORMS, json!({"name": "A", "published": true, "fields": []})).refuses_with(&[NONE_GIVEN]);
    owner.post(FORMS, json!({"name": "A", "published": false, "fields": 7})).refuses_with(&["fields: must be a list"]);
}

#[test]
fn every_page_and_file_of_a_form_without_fields_is_there() {
    let desk = desk();
    let form = desk.form(json!({"name": "Empty", "published": false}));
    let pages = [
        "build",
        "build/paste",
        "publish",
        "preview",
        "entries",
        "entries/new",
        "trash",
        "share",
        "settings",
        "people",
        "poster",
        "settings/definition",
    ];
    for page in pages {
        let path = format!("/forms/{}/{page}", form.token);
        let shown = desk.ann.get(&path);
        assert!(shown.status < 400, "{page}: {shown}");
    }
    let paths = [
        "entries",
        "entries/report",
        "entries/export?format=csv",
        "entries/export?format=xlsx",
        "entries/export?format=json",
        "settings",
        "theme",
        "field_rules",
        "trash/entries",
    ];
    for path in paths {
        desk.owner.get(form.part(path)).is(200);
    }
    desk.owner.post(form.entries(), json!({"field_values": {}})).is(201);
    desk.owner
        .patch(form.part("settings"), json!({"certificate": {"enabled": true, "title": "T", "body": "B"}}))
        .is(200);
    for path in ["entries", "entries/report", "entries/export?format=csv", "entries/1"] {
        desk.owner.get(form.part(path)).is(200);
    }
    for page in ["entries", "entries/1", "entries/1/edit"] {
        desk.ann.get(&format!("/forms/{}/{page}", form.token)).is(200);
    }
    // A copy over the API is published, and one of nothing is not.
    let copy = desk.owner.post(form.part("copy"), json!({})).is(201).data();
    assert_eq!(copy["published"], false);
    // The page of publishing names the missing parts.
    desk.ann.get(&format!("/forms/{}/share", form.token)).is(200);
    let led = desk.ann.post_on(&format!("/forms/{}/share/publish", form.token), &[]);
    led.is(200).has(["Add at least one question."]);
}

#[test]
fn each_beginning_makes_a_form_that_is_not_published() {
    let desk = desk();
    let empty = desk.begins(&[("from", "empty"), ("name", " Picnic ")]);
    assert_eq!((&empty["name"], &empty["fields"]), (&json!("Picnic"), &json!([])));
    let source =
        desk.form(json!({"name": "Source", "fields": [field("radio", json!({"choices": choices(["a", "b"])}))]}));
    let copy = desk.begins(&[("from", "copy"), ("form", &source.token)]);
    assert_eq!((&copy["name"], kinds(&copy)), (&json!("Source (copy)"), vec!["radio"]));
    // In the folder that the page was opened from.
    desk.ann.get("/forms");
    let folder = desk.owner.post("/api/v1/folders", json!({"name": "Club"})).is(201).data();
    let folder = folder["token"].as_str().expect("a token").to_owned();
    desk.ann.get(&format!("/forms?folder={folder}")).is(200).has([&*format!("/forms/new?folder={folder}")]);
    let placed = desk.begins(&[("from", "empty"), ("name", "x"), ("folder", &folder)]);
    assert_eq!(placed["folder_token"], json!(folder));
    // Faults are shown with the typed values.
    let long = "x".repeat(201);
    desk.ann.get("/forms/new");
    let refused = desk.ann.post("/forms/new", &[("from", "empty"), ("name", &long)]).is(422);
    refused.has([&*format!("value=\"{long}\""), "Use at most 200 characters"]);
    for (pairs, status) in [
        (vec![("from", "empty"), ("name", " ")], 422),
        (vec![("from", "list"), ("list", " \n ")], 422),
        (vec![("from", "copy")], 422),
        (vec![("from", "copy"), ("form", "aaaaaaaaaa")], 404),
        (vec![("from", "kind"), ("scene", "riddle")], 404),
        (vec![("from", "nowhere")], 404),
        (vec![("from", "questions"), ("name", "")], 422),
    ] {
        desk.ann.get("/forms/new");
        desk.ann.post("/forms/new", &pairs).is_for(status, &pairs);
    }
}

#[test]
fn forms_are_copied_by_those_who_manage_them() {
    let desk = desk();
    let other = desk.server.user();
    let form = other.form_with(json!({"name": "Shared", "fields": [field("short_text", json!({}))]}));
    let copy = [("from", "copy"), ("form", form.token.as_str())];
    desk.ann.get("/forms/new").is(200).lacks(["Shared"]);
    desk.ann.post("/forms/new", &copy).is(404);
    sharing::share(&other, &form, &desk.owner, "editor");
    // Its questions may be picked, the whole of it may not be copied.
    let offered = || desk.ann.get("/forms/new").is(200).text.matches("<bdi>Shared</bdi>").count();
    assert_eq!(offered(), 1);
    desk.ann.post("/forms/new", &copy).is(403);
    sharing::share(&other, &form, &desk.owner, "manager");
    assert_eq!(offered(), 2);
    desk.begins(&copy);
}

#[test]
fn examples_of_all_scenes_can_be_published_and_filled_in_both_languages() {
    const SCENES: [&str; 8] = ["registration", "booking", "order", "survey", "exam", "evaluation", "form", "vote"];
    let desk = desk();
    for locale in ["en", "zh-CN"] {
        desk.owner.patch("/api/v1/me", json!({"locale": locale})).is(200);
        for scene in SCENES {
            let form = desk.begins(&[("from", "kind"), ("scene", scene)]);
            assert_eq!((&form["scene"], &form["locale"]), (&json!(scene), &json!(locale)));
            desk.publish(&form);
            let token = form["token"].as_str().expect("a token");
            desk.server.anon().get(format!("/f/{token}")).is(200);
            let settings = desk.owner.get(format!("{FORMS}/{token}/settings")).is(200).data();
            match scene {
                "exam" => {
                    assert_eq!(settings["exam"]["duration_minutes"], 20);
                    let right = json!({"field_1": "Ada", "field_2": "c", "field_3": "b", "field_4": ["a", "c"], "field_5": 150});
                    let made = desk.owner.post(format!("{FORMS}/{token}/entries"), json!({"field_values": right}));
                    assert_eq!(made.is(201).data()["exam_score"], 50);
                }
                "order" => {
                    assert!(settings["pricing"]["currency"].is_string(), "{settings}");
                    // Nothing can be delivered without a street and a town.
                    let address = form["fields"].as_array().expect("fields").iter().find(|it| it["type"] == "address");
                    let parts = address.expect("an address")["required_parts"].to_string();
                    assert!(parts.contains("city") && parts.contains("address_line1"), "{parts}");
                }
                "booking" => assert_eq!(form["fields"][0]["reservation_items"].as_array().map(Vec::len), Some(1)),
                "form" => {
                    let values = json!({"field_1": "Ada", "field_2": "ada@example.org", "field_5": "Hello"});
                    let path = format!("/api/v1/f/{token}/entries");
                    desk.server.anon().post(path, json!({"field_values": values})).is(201);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_pasted_list_becomes_a_form_without_a_script() {
    let desk = desk();
    let page = desk.ann.post("/forms/new", &[("from", "list"), ("list", LIST)]).is(200);
    let mut pairs = table(&page);
    let proposed: Vec<&str> =
        pairs.iter().filter(|(name, _)| name.ends_with(".type")).map(|(_, kind)| kind.as_str()).collect();
    assert_eq!(proposed, KINDS);
    // One kind is changed and one question left out; without a name it is asked for, and all stays.
    pairs.iter_mut().find(|(name, _)| name == "q[3].type").expect("a kind").1 = "short_text".to_owned();
    pairs.push(("q[2].left_out".to_owned(), "true".to_owned()));
    pairs.push(("from".to_owned(), "questions".to_owned()));
    let plain = |pairs: &[(String, String)]| -> Vec<(String, String)> { pairs.to_vec() };
    let send = |pairs: &[(String, String)]| {
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        desk.ann.post("/forms/new", &pairs)
    };
    let refused = send(&pairs).is(422);
    let mut again = plain(&table(&refused));
    assert_eq!(again.iter().find(|(name, _)| name == "q[3].type").map(|(_, kind)| kind.as_str()), Some("short_text"));
    refused.has(["name=\"q[2].left_out\" value=\"true\" aria-label=\"Question 3: Leave out\" checked"]);
    again.extend(
        [("q[2].left_out", "true"), ("from", "questions"), ("name", "Fair")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let led = send(&again).leads();
    let token = led.trim_start_matches("/forms/").trim_end_matches("/build").to_owned();
    let form = desk.owner.get(format!("{FORMS}/{token}")).is(200).data();
    let mut wanted = KINDS.to_vec();
    wanted[3] = "short_text";
    wanted.remove(2);
    assert_eq!(kinds(&form), wanted);
    let required = form["fields"].as_array().expect("fields").iter().filter(|field| field["required"] == true);
    assert_eq!(required.count(), 4);
    let track = &form["fields"][4]["choices"];
    assert_eq!((&track[0]["label"], &track[2]["is_other"]), (&json!("Letterpress"), &json!(true)), "{form}");
}

#[test]
fn the_title_of_a_pasted_list_is_the_name_of_the_form() {
    let desk = desk();
    let list = "Summer fair\n\n1. Name\n2. Email";
    let page = desk.ann.post("/forms/new", &[("from", "list"), ("list", list)]).is(200);
    assert_eq!(value_of(&page.text, "name").as_deref(), Some("Summer fair"));
    assert_eq!(table(&page).iter().filter(|(name, _)| name.ends_with(".type")).count(), 2);
    // A form that has a name keeps it: the title is left out, and can be taken in.
    let form = desk.form(json!({"name": "Workshop", "published": false, "fields": []}));
    let page =
        desk.ann.post(&format!("/forms/{}/build/paste", form.token), &[("from", "list"), ("list", list)]).is(200);
    page.has([
        "value=\"Summer fair\"",
        "name=\"q[0].left_out\" value=\"true\" aria-label=\"Question 1: Leave out\" checked",
    ]);
}

#[test]
fn a_pasted_list_is_one_step_of_a_draft() {
    let desk = desk();
    let form = desk.form(json!({"name": "Workshop", "published": false, "fields": [
        field("short_text", json!({"label": "First"})),
        field("short_text", json!({"label": "Last"})),
    ]}));
    let build = format!("/forms/{}/build", form.token);
    let labels = || {
        let draft = desk.ann.caller().header("accept", "application/json").get(&build).is(200).data();
        let fields = draft["fields"].as_array().expect("fields").clone();
        fields.iter().map(|field| field["label"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    desk.ann.get(&build).is(200);
    desk.ann.get(&format!("/forms/{}/build/paste", form.token)).is(200).has(["Paste a list"]);
    let path = format!("/forms/{}/build/paste", form.token);
    desk.ann.post(&path, &[("from", "list"), ("list", "\n")]).is(422);
    // A page is no question, nor is what is left out.
    desk.ann.post(&path, &[("from", "list"), ("list", "One\nPage 2\nTwo")]).is(200).has(["Add 2 questions"]);
    let page = desk.ann.post(&path, &[("from", "list"), ("after", "field_1"), ("list", "One\nTwo *")]).is(200);
    page.has(["Add 2 questions"]);
    let mut pairs = table(&page);
    pairs
        .extend([("from", "questions"), ("after", "field_1")].map(|(name, value)| (name.to_owned(), value.to_owned())));
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(desk.ann.post(&path, &pairs).leads(), format!("{build}?field=field_3"));
    assert_eq!(labels(), ["First", "One", "Two", "Last"]);
    desk.ann.post(&format!("{build}/undo"), &[]).is(303);
    assert_eq!(labels(), ["First", "Last"]);
    // Only managers, and nobody else hears of it.
    account(&desk.server, "eve@example.org");
    let eve = Session::on(&desk.server).signed_in("eve@example.org");
    eve.get("/forms");
    eve.get(&path).is(404);
    eve.post(&path, &[("from", "list"), ("list", "x")]).is(404);
    let owner = desk.server.token("eve@example.org", ALL);
    sharing::share(&desk.owner, &form, &owner, "editor");
    eve.get(&path).is(403);
    eve.post(&path, &[("from", "list"), ("list", "x")]).is(403);
}

/// Posts a file to the page, in a browser's way.
fn sends_file(desk: &Desk, name: &str, bytes: &[u8]) -> Response {
    desk.ann.get("/forms/new").is(200);
    let body = multipart::body().text("csrf", &desk.ann.csrf()).text("from", "file");
    let body = if name.is_empty() { body } else { body.file("file", name, "application/octet-stream", bytes) };
    let caller = desk.ann.caller();
    body.send(&caller.header("origin", &caller.base), "/forms/new")
}

#[test]
fn a_definition_as_a_file_becomes_the_same_form() {
    let desk = desk();
    let form = desk.form(json!({"name": "Season", "scene": "exam", "fields": [
        field("short_text", json!({"label": "Gone"})),
        field("radio", json!({"label": "Track", "choices": choices(["Letterpress", "Sourdough"])})),
        field("number", json!({"label": "Hours"})),
        field("formula", json!({"label": "Twice", "expression": "field_3 * 2", "result_type": "number"})),
        field("table", json!({"label": "Guests", "dimensions": [
            field("short_text", json!({"label": "Name"})),
            field("dropdown", json!({"label": "Meal", "choices": choices(["Soup", "Salad"])})),
        ]})),
        field("cascade", json!({"label": "Place", "choices": [
            {"label": "North", "children": [{"label": "Harbour"}]},
            {"label": "South", "children": [{"label": "Market"}]},
        ]})),
    ]}));
    // Its first question is gone: codes have gaps.
    let fields = desk.owner.get(form.path()).data()["fields"].as_array().expect("fields")[1..].to_vec();
    desk.owner.patch(form.path(), json!({"fields": fields})).is(200);
    let track = fields[0]["choices"][1]["api_code"].clone();
    let rules = json!({"rules": [{
        "condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": track}]},
        "action": "show",
        "fields": ["field_3"],
    }]});
    let set = desk.owner.put(form.part("field_rules"), rules.clone());
    set.is(200);
    let settings = json!({
        "exam": {"questions": {"field_2": {"scored": true, "answer": track, "score": 5}}},
        "availability": {"entries_limit": 40},
    });
    desk.owner.patch(form.part("settings"), settings).is(200);
    desk.owner.patch(form.part("theme"), json!({"primary_color": "#112233"})).is(200);
    desk.ann.get("/forms");
    let file = desk.ann.get(&format!("/forms/{}/settings/definition", form.token)).is(200).json();
    let whole = desk.owner.get(form.path()).is(200).json();
    for document in [&file, &whole] {
        let led = sends_file(&desk, "season.json", document.to_string().as_bytes()).leads();
        let token = led.trim_start_matches("/forms/").trim_end_matches("/build").to_owned();
        let path = format!("{FORMS}/{token}");
        let made = desk.owner.get(&path).is(200).data();
        assert_eq!((&made["published"], &made["name"]), (&json!(false), &json!("Season")));
        assert_eq!(made["fields"], desk.owner.get(form.path()).data()["fields"]);
        if document["settings"].is_object() {
            for part in ["settings", "theme", "field_rules"] {
                let (there, here) = (form.part(part), format!("{path}/{part}"));
                assert_eq!(desk.owner.get(here).is(200).data(), desk.owner.get(there).is(200).data(), "{part}");
            }
        }
        // Codes that were given are not given again.
        let mut fields = made["fields"].as_array().expect("fields").clone();
        fields.push(field("short_text", json!({})));
        let added = desk.owner.patch(&path, json!({"fields": fields})).is(200).data();
        assert_eq!(added["fields"][5]["api_code"], "field_7");
    }
}

#[test]
fn a_file_that_is_no_form_says_what_is_wrong() {
    let desk = desk();
    let count = || desk.owner.get(FORMS).is(200).json()["pagination"]["total"].clone();
    let before = count();
    let faulty = json!({"name": "", "fields": [{"type": "radio", "label": "x"}], "theme": {"font": "comic"}});
    let settings = json!({"name": "x", "fields": [], "settings": {"availability": {"schedule": {"start_at": 7}}}});
    let strange = json!({"name": "x", "fields": [{"type": "short_text", "label": "x", "api_code": "constructor"}]});
    let cases: [(&str, &[u8], &str); 9] = [
        ("", b"", "Choose"),
        ("empty.json", b"", "Choose"),
        ("a.json", b"{\"name\": ", "JSON"),
        ("a.json", b"{\"name\": \"x\"}", "has no list of fields"),
        ("a.json", &faulty.to_string().into_bytes(), "theme.font must be"),
        ("a.json", &settings.to_string().into_bytes(), "settings.availability.schedule.start_at must be"),
        ("a.json", &strange.to_string().into_bytes(), "is not a field of this form"),
        ("a.csv", b"\xff\xff", "not valid UTF-8"),
        ("a.csv", b"\n\n", "has no header"),
    ];
    for (name, bytes, words) in cases {
        sends_file(&desk, name, bytes).is_for(422, words).has([words]);
    }
    sends_file(&desk, "a.csv", &vec![b'a'; (16 << 20) + 1]).is(413);
    assert_eq!(count(), before, "nothing is made of a file with faults");
    // Posts of signed-out visitors are refused.
    let stranger = Session::on(&desk.server).caller();
    multipart::body().file("file", "a.json", "application/json", b"{}").send(&stranger, "/forms/new").is(303);
}

#[test]
fn the_header_of_a_spreadsheet_becomes_questions() {
    let desk = desk();
    let table_of = "Name,Email,Guests,Arrives,Track\nAda,ada@example.org,2,2026-05-03,Letterpress\n\
        Alan,alan@example.org,1,2026-05-04,Sourdough\nEdith,e@example.org,,2026-05-03,Sourdough\n\
        Grace,g@example.org,3,2026-05-03,Letterpress\n";
    let page = sends_file(&desk, "guests.csv", table_of.as_bytes()).is(200);
    let pairs = table(&page);
    let of = |end: &str| -> Vec<&str> {
        pairs.iter().filter(|(name, _)| name.ends_with(end)).map(|(_, value)| value.as_str()).collect()
    };
    assert_eq!(of(".label"), ["Name", "Email", "Guests", "Arrives", "Track"]);
    assert_eq!(of(".type"), ["name", "email", "number", "date", "radio"]);
    assert_eq!(of(".choices"), ["Letterpress\nSourdough"]);
    let form = desk.form(json!({"name": "x", "fields": [field("short_text", json!({"label": "Remark"}))]}));
    let sheet = desk.owner.get(form.part("entries/export?format=xlsx")).is(200);
    sends_file(&desk, "x.xlsx", &sheet.bytes).is(200).has(["Remark"]);
}
