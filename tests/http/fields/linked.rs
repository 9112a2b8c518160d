//! Entries that link to entries of other forms: how they read, the choices, and who sees which part of the other form
//! (spec 2.7, contract 3.3 and 5, S42).

use std::collections::HashSet;

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

/// A directory of people, and a form whose first field links to it.
struct Case {
    owner: Caller,
    people: Form,
    form: Form,
}

impl Case {
    fn new() -> Self {
        Self::on(Server::shared().user())
    }

    fn on(owner: Caller) -> Self {
        let people = owner.form(json!([
            field("name", json!({"label": "Name"})),
            field("phone", json!({"label": "Phone"})),
            field("email", json!({"label": "E-mail"})),
            field("short_text", json!({"label": "Salary"})),
            field("short_text", json!({"label": "Town"})),
        ]));
        let form = owner.form(json!([linked(&people, json!(["field_1", "field_4", "field_5"]))]));
        Self { owner, people, form }
    }

    /// Adds somebody to the directory; their token.
    fn person(&self, name: &str, number: &str, town: &str) -> String {
        let made = self.owner.post(
            self.people.entries(),
            json!({"field_values": {
                "field_1": name,
                "field_2": {"country_id": "CN", "number": number},
                "field_3": "ada@example.com",
                "field_4": "secret salary",
                "field_5": town,
            }}),
        );
        assert_eq!(made.status, 201, "{made}");
        made.data()["token"].as_str().expect("a token").to_owned()
    }

    fn ada(&self) -> String {
        self.person("Ada Lovelace", "13800138000", "London")
    }

    fn link(&self, token: &str) -> Response {
        let body = json!({"field_values": {"field_1": token}});
        self.owner.post(self.form.entries(), body)
    }

    fn read(&self, serial: i64) -> Value {
        let entry = self.owner.get(self.form.entry(serial));
        assert_eq!(entry.status, 200, "{entry}");
        let listed = self.owner.get(self.form.entries()).json();
        let listed = listed["data"].as_array().cloned().unwrap_or_default();
        let same = listed.iter().find(|row| row["serial_number"] == serial);
        assert_eq!(same, Some(&entry.data()), "the list shows the same");
        entry.data()["field_1"].clone()
    }

    fn options(&self, query: &str) -> Response {
        let anon = Server::shared().anon();
        let anon = Caller::new(&self.owner.base, None, &anon.email);
        let form = &self.form.token;
        anon.get(format!("/api/v1/f/{form}/associated_entry_options?field=field_1&{query}"))
    }

    fn own_options(&self, query: &str) -> Response {
        let form = &self.form.token;
        self.owner.get(format!("/api/v1/forms/{form}/linked_form_options?field=field_1&{query}"))
    }

    fn set(&self, form: &Form, settings: Value) {
        let path = format!("{}/settings", form.path());
        let set = self.owner.patch(path, settings);
        assert_eq!(set.status, 200, "{set}");
    }
}

/// The name is shown, the phone number masked, the town shown; the salary is the owner's alone.
fn linked(people: &Form, search_fields: Value) -> Value {
    field(
        "linked_form",
        json!({
            "form_token": people.token,
            "search_fields": search_fields,
            "display_fields": [
                {"api_code": "field_1", "public": true},
                {"api_code": "field_2", "public": true, "protected": true},
                {"api_code": "field_3", "public": true, "protected": true},
                {"api_code": "field_4", "public": false},
            ],
        }),
    )
}

fn serials(answer: &Response) -> Vec<i64> {
    assert_eq!(answer.status, 200, "{answer}");
    let body = answer.json();
    let rows = body["data"].as_array().expect("a list");
    rows.iter().map(|row| row["serial_number"].as_i64().expect("a number")).collect()
}

#[test]
fn a_collaborator_reads_all_that_is_shown() {
    let case = Case::new();
    let token = case.ada();
    let phone = json!({"country_id": "CN", "country_code": "86", "number": "13800138000"});
    let read = json!({
        "entry_token": token,
        "serial_number": 1,
        "associated_fields": {"field_1": "Ada Lovelace", "field_4": "secret salary", "field_5": "London"},
        "display_fields": {
            "field_1": "Ada Lovelace", "field_2": phone, "field_3": "ada@example.com",
            "field_4": "secret salary",
        },
    });
    assert_eq!(case.link(&token).data()["field_1"], read);
    assert_eq!(case.read(1), read);
    let none = case.owner.patch(case.form.entry(1), json!({"field_values": {"field_1": null}}));
    assert_eq!(none.data()["field_1"], json!(null));
    let again = case.owner.patch(case.form.entry(1), json!({"field_values": {"field_1": token}}));
    assert_eq!(again.data()["field_1"], read);
    // Changes of the linked entry show here.
    case.owner.patch(case.people.entry(1), json!({"field_values": {"field_1": "Ada King", "field_5": null}}));
    let read = case.read(1);
    assert_eq!(read["associated_fields"], json!({"field_1": "Ada King", "field_4": "secret salary", "field_5": null}));
}

#[test]
fn a_respondent_sees_public_fields_alone_and_protected_ones_masked() {
    let case = Case::new();
    let token = case.ada();
    let sent = Server::shared().anon().post(case.form.submissions(), json!({"field_values": {"field_1": token}}));
    assert_eq!(sent.status, 201, "{sent}");
    let masked = json!({"country_id": "CN", "country_code": "86", "number": "138****8000"});
    assert_eq!(
        sent.data()["entry"]["field_1"],
        json!({
            "entry_token": token,
            "serial_number": 1,
            "associated_fields": {"field_1": "Ada Lovelace"},
            "display_fields": {
                "field_1": "Ada Lovelace", "field_2": masked, "field_3": "a***@example.com",
            },
        })
    );
    for hidden in ["13800138000", "ada@", "secret salary", "London"] {
        assert!(!sent.text.contains(hidden), "{hidden}: {sent}");
    }
}

#[test]
fn what_is_gone_reads_as_deleted() {
    let case = Case::new();
    let token = case.ada();
    let other = case.person("Grace Hopper", "13800138001", "New York");
    case.link(&token);
    case.link(&other);
    let gone = json!({"deleted": true});
    case.owner.delete(case.people.entry(1));
    assert_eq!(case.read(1), gone);
    assert_eq!(case.read(2)["serial_number"], 2);
    // The other answers of an entry stay as they are, and the link may be changed.
    let kept = case.owner.patch(case.form.entry(1), json!({"field_values": {}}));
    assert_eq!(kept.data()["field_1"], gone);
    assert_eq!(case.link(&token).faults(), ["field_values.field_1: is not an entry of the linked form"]);
    // What a read gives can be sent back: the link stays. Another entry's link is not taken for it.
    let sent_back = |serial: i64, value: Value| {
        case.owner.patch(case.form.entry(serial), json!({"field_values": {"field_1": value}}))
    };
    assert_eq!(sent_back(1, gone.clone()).is(200).data()["field_1"], gone);
    assert_eq!(sent_back(2, case.read(2)).is(200).data()["field_1"]["serial_number"], 2);
    assert_eq!(sent_back(2, gone.clone()).faults(), ["field_values.field_1: is not an entry of the linked form"]);
    let back = format!("{}/restore", case.people.trashed(1));
    assert_eq!(case.owner.post(back, json!({})).is(200).data()["token"], json!(token));
    assert_eq!(case.read(1)["entry_token"], json!(token));
    case.owner.delete(case.people.entry(1));
    // The whole form in the trash, and back.
    assert_eq!(case.owner.delete(case.people.path()).status, 200);
    assert_eq!(case.read(2), gone);
    assert_eq!(case.link(&other).status, 422);
    assert_eq!(serials(&case.options("keyword=grace")), [0; 0]);
    let restored = format!("{}/restore", case.people.path());
    assert_eq!(case.owner.send("POST", &restored, None, b"").status, 200);
    assert_eq!(case.read(2)["entry_token"], json!(other));
    assert_eq!(case.link(&other).status, 201);
    assert_eq!(case.read(1), gone);
}

#[test]
fn tokens_are_found_after_a_restart_and_in_their_own_form_alone() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let flags = ["--rate-limits", "off"];
    let server = Server::over(dir.path(), &flags);
    let case = Case::on(server.user());
    let tokens: Vec<String> = (0..50).map(|n| case.person(&format!("Person {n}"), "13800138000", "London")).collect();
    assert_eq!(tokens.iter().collect::<HashSet<_>>().len(), 50);
    assert!(tokens.iter().all(|token| token.len() == 22));
    let own = case.link(&tokens[7]);
    assert_eq!(own.data()["field_1"]["serial_number"], 8, "{own}");
    // The entry of this form is none of the other.
    let foreign = own.data()["token"].as_str().expect("a token").to_owned();
    assert_eq!(case.link(&foreign).status, 422);
    server.kill();
    let server = Server::over(dir.path(), &flags);
    let owner = Caller::new(&server.base, case.owner.token.as_deref(), "");
    let case = Case { owner, ..case };
    assert_eq!(case.read(1)["entry_token"], json!(tokens[7]));
    for (token, serial) in tokens.iter().zip(1..).step_by(9) {
        let made = case.link(token).data()["field_1"].clone();
        assert_eq!(made["serial_number"], serial);
    }
}

#[test]
fn options_show_what_a_respondent_may_see() {
    let case = Case::new();
    let token = case.ada();
    let masked = json!({"country_id": "CN", "country_code": "86", "number": "138****8000"});
    let found = case.options("keyword=LOVE");
    assert_eq!(
        found.json(),
        json!({
            "data": [{
                "entry_token": token,
                "serial_number": 1,
                "label": "Ada Lovelace",
                "display_fields": {
                    "field_1": "Ada Lovelace", "field_2": masked, "field_3": "a***@example.com",
                },
            }],
            "pagination": {"total": 1, "next_cursor": ""},
        })
    );
    assert_eq!(serials(&case.options(&format!("keyword={token}"))), [1]);
    // A collaborator sees and searches all, unmasked.
    let found = case.own_options("keyword=salary").json();
    assert_eq!(found["data"][0]["label"], "Ada Lovelace · secret salary · London");
    assert_eq!(
        found["data"][0]["display_fields"],
        json!({
            "field_1": "Ada Lovelace",
            "field_2": {"country_id": "CN", "country_code": "86", "number": "13800138000"},
            "field_3": "ada@example.com",
            "field_4": "secret salary",
        })
    );
}

#[test]
fn nobody_finds_by_what_they_may_not_see() {
    let case = Case::new();
    case.ada();
    // In the search fields but not public, public but protected, not shown at all.
    for keyword in ["secret", "salary", "London", "13800138000", "138", "ada@", "example"] {
        let found = case.options(&format!("keyword={keyword}"));
        assert_eq!(found.json(), json!({"data": [], "pagination": {"total": 0, "next_cursor": ""}}), "{keyword}");
    }
    let protected = case.owner.form(json!([linked(&case.people, json!(["field_2", "field_3"]))]));
    let anon = Server::shared().anon();
    let form = &protected.token;
    let ask =
        |keyword: &str| anon.get(format!("/api/v1/f/{form}/associated_entry_options?field=field_1&keyword={keyword}"));
    for keyword in ["138", "ada", "example.com"] {
        assert_eq!(serials(&ask(keyword)), [0; 0], "{keyword}");
    }
    // Nor does the label show more than the mask does.
    case.set(&case.people, json!({"browse_linked_entries": true}));
    let browsed = ask("").json();
    assert_eq!(browsed["data"][0]["label"], "+86 138****8000 · a***@example.com");
}

#[test]
fn short_keywords_find_nothing_unless_everything_may_be_browsed() {
    let case = Case::new();
    case.ada();
    case.person("李四", "13800138001", "北京");
    let short = ["", "keyword=", "keyword=a", "keyword=%20a%20", "keyword=李"];
    // The rule binds respondents alone. The owner's search looks into the salaries, too.
    let own = [vec![2, 1], vec![2, 1], vec![2, 1], vec![2, 1], vec![2]];
    for (query, own) in short.into_iter().zip(&own) {
        assert_eq!(serials(&case.options(query)), [0; 0], "{query}");
        assert_eq!(serials(&case.own_options(query)), *own, "{query}");
    }
    assert_eq!(serials(&case.options("keyword=李四")), [2]);
    assert_eq!(serials(&case.options("keyword=ad")), [1]);
    case.set(&case.people, json!({"browse_linked_entries": true}));
    let found = [vec![2, 1], vec![2, 1], vec![1], vec![1], vec![2]];
    for ((query, found), own) in short.into_iter().zip(found).zip(own) {
        assert_eq!(serials(&case.options(query)), found, "{query}");
        assert_eq!(serials(&case.own_options(query)), own, "{query}");
    }
    // The setting of the form that is linked to counts, not that of the form that links.
    case.set(&case.people, json!({"browse_linked_entries": false}));
    case.set(&case.form, json!({"browse_linked_entries": true}));
    assert_eq!(serials(&case.options("")), [0; 0]);
}

#[test]
fn keywords_are_parts_of_texts_whatever_their_case_and_width() {
    let case = Case::new();
    case.person("Straße 100%", "13800138000", "x");
    case.person("ADA_Lovelace", "13800138000", "x");
    for (keyword, found) in [
        ("strasse", vec![1]),
        ("STRASSE", vec![1]),
        ("00%25", vec![1]),
        ("a%25", vec![]),
        ("a_l", vec![2]),
        ("d_l", vec![]),
        ("ａｄａ", vec![2]),
        ("lovelace%20", vec![2]),
        ("love%20lace", vec![]),
    ] {
        let answer = case.options(&format!("keyword={keyword}"));
        assert_eq!(serials(&answer), found, "{keyword}");
    }
    let long = "x".repeat(201);
    let refused = case.options(&format!("keyword={long}"));
    assert_eq!(refused.faults(), ["keyword: is too long (at most 200 characters)"]);
}

#[test]
fn options_come_in_pages_newest_first() {
    let case = Case::new();
    for n in 0..7 {
        let name = if n % 2 == 0 { "Ada" } else { "Grace" };
        case.person(&format!("{name} {n}"), "13800138000", "x");
    }
    let walk = |query: &str| {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = case.options(&format!("{query}&page_size=2&cursor={cursor}"));
            found.extend(serials(&page));
            let body = page.json();
            let total = body["pagination"]["total"].as_u64().expect("a number");
            cursor = body["pagination"]["next_cursor"].as_str().expect("a text").to_owned();
            if cursor.is_empty() {
                return (found, total);
            }
        }
    };
    assert_eq!(walk("keyword=ada"), (vec![7, 5, 3, 1], 4));
    assert_eq!(walk("keyword=grace"), (vec![6, 4, 2], 3));
    assert_eq!(walk("keyword=nobody"), (vec![], 0));
    case.set(&case.people, json!({"browse_linked_entries": true}));
    assert_eq!(walk("keyword="), (vec![7, 6, 5, 4, 3, 2, 1], 7));
    let first = case.options("keyword=ada&page_size=2").json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("a text").to_owned();
    // Entries that go meanwhile leave no hole, and a cursor is of use for its own list alone.
    case.owner.delete(case.people.entry(5));
    let next = case.options(&format!("keyword=ada&page_size=2&cursor={cursor}"));
    assert_eq!(serials(&next), [3, 1]);
    for query in [
        format!("keyword=grace&cursor={cursor}"),
        "keyword=ada&cursor=x".to_owned(),
        "keyword=ada&page_size=0".to_owned(),
        "keyword=ada&page_size=101".to_owned(),
    ] {
        assert_eq!(case.options(&query).status, 400, "{query}");
    }
    assert_eq!(case.own_options(&format!("keyword=ada&page_size=2&cursor={cursor}")).status, 400);
}

#[test]
fn only_linked_fields_that_respondents_see_have_options() {
    let case = Case::new();
    let mut hidden = linked(&case.people, json!(["field_1"]));
    hidden["hidden"] = json!(true);
    let form = case.owner.form(json!([field("short_text", json!({})), hidden]));
    let anon = Server::shared().anon();
    let fault = ["field: must be a linked_form field of this form"];
    for query in ["", "?field=", "?field=field_1", "?field=field_2", "?field=field_9"] {
        let path = format!("/api/v1/f/{}/associated_entry_options{query}", form.token);
        assert_eq!(anon.get(path).faults(), fault, "{query}");
    }
    for (query, status) in [("", 422), ("?field=field_1", 422), ("?field=field_2", 200)] {
        let path = format!("/api/v1/forms/{}/linked_form_options{query}", form.token);
        assert_eq!(case.owner.get(path).status, status, "{query}");
    }
    // A respondent's value for it is dropped like that of any hidden field.
    let token = case.ada();
    let sent = anon.post(form.submissions(), json!({"field_values": {"field_2": token}}));
    assert_eq!(sent.status, 201, "{sent}");
    assert_eq!(case.owner.get(form.entry(1)).data()["field_2"], json!(null));
}

#[test]
fn a_password_and_a_closed_form_guard_the_options() {
    let case = Case::new();
    case.ada();
    let path = format!("/api/v1/f/{}/associated_entry_options?field=field_1&keyword=ada", case.form.token);
    let anon = Server::shared().anon();
    assert_eq!(serials(&anon.get(&path)), [1]);
    case.set(&case.form, json!({"access_control": {"access_password": "sesame"}}));
    assert_eq!(anon.get(&path).json()["code"], "password_required");
    let wrong = anon.header("X-Form-Password", "no");
    assert_eq!(wrong.get(&path).json()["code"], "password_invalid");
    let right = anon.header("X-Form-Password", "sesame");
    assert_eq!(serials(&right.get(&path)), [1]);
    case.set(&case.form, json!({"availability": {"manually_closed": true}}));
    let closed = right.get(&path);
    assert_eq!((closed.status, &closed.json()["code"]), (403, &json!("form_closed")));
    case.owner.patch(case.form.path(), json!({"published": false}));
    assert_eq!(right.get(&path).status, 404);
    // Collaborators of the form go on, others don't know it.
    assert_eq!(serials(&case.own_options("keyword=ada")), [1]);
    let stranger = Server::shared().user();
    let path = format!("/api/v1/forms/{}/linked_form_options?field=field_1&keyword=ada", case.form.token);
    assert_eq!(stranger.get(&path).status, 404);
    let lesser = Server::shared().token(&case.owner.email, "form:read");
    assert_eq!(lesser.get(&path).json()["error"], "Insufficient scope");
}

#[test]
fn searches_are_limited_apart_from_submissions() {
    let server = Server::with(&["--limit-submissions", "3"]);
    let case = Case::on(server.user());
    let statuses: Vec<u16> = (0..4).map(|_| case.options("keyword=ada").status).collect();
    assert_eq!(statuses, [200, 200, 200, 429]);
    let anon = server.anon();
    let sent = anon.post(case.form.submissions(), json!({"field_values": {}}));
    assert_eq!(sent.status, 201, "{sent}");
    assert_eq!(case.own_options("keyword=ada").status, 200);
}

#[test]
fn another_form_in_its_place_is_a_loss_that_is_said() {
    let case = Case::new();
    case.link(&case.ada());
    let other = case.owner.form(json!([field("name", json!({}))]));
    let mut moved = linked(&other, json!(["field_1"]));
    moved["api_code"] = json!("field_1");
    moved["display_fields"] = json!([]);
    let edit = |confirmed: bool| {
        case.owner.patch(case.form.path(), json!({"fields": [moved], "confirm_data_loss": confirmed}))
    };
    let refused = edit(false);
    assert_eq!(refused.json()["code"], "data_loss", "{refused}");
    let attribute = format!("fields.field_1.form_token.{}", case.people.token);
    assert_eq!(refused.attributes(), [attribute]);
    assert_eq!(edit(true).status, 200);
    assert_eq!(case.read(1), json!(null));
}

#[test]
fn a_form_can_be_edited_after_what_it_links_to_is_gone() {
    let case = Case::new();
    case.link(&case.ada());
    case.owner.delete(case.people.path());
    let mut kept = linked(&case.people, json!(["field_1", "field_4", "field_5"]));
    kept["api_code"] = json!("field_1");
    kept["label"] = json!("Another label");
    let edited = case.owner.patch(case.form.path(), json!({"fields": [kept.clone()]}));
    assert_eq!(edited.status, 200, "{edited}");
    kept["search_fields"] = json!(["field_1"]);
    let edited = case.owner.patch(case.form.path(), json!({"fields": [kept]}));
    assert_eq!(edited.faults(), ["fields[0].form_token: must be a form that you manage"]);
}

#[test]
fn a_copy_links_where_the_form_does() {
    let case = Case::new();
    let token = case.ada();
    let path = format!("{}/copy", case.form.path());
    let copy = case.owner.send("POST", &path, None, b"");
    assert_eq!(copy.status, 201, "{copy}");
    let copy = copy.data()["token"].as_str().expect("a token").to_owned();
    let made = case.owner.post(format!("/api/v1/forms/{copy}/entries"), json!({"field_values": {"field_1": token}}));
    assert_eq!(made.data()["field_1"]["serial_number"], 1, "{made}");
}

#[test]
fn fields_that_go_there_are_left_out_here() {
    let case = Case::new();
    case.link(&case.ada());
    let fields: Vec<Value> = case.people.body["fields"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|field| !["field_2", "field_4"].contains(&field["api_code"].as_str().unwrap_or("")))
        .cloned()
        .collect();
    let edited = case.owner.patch(case.people.path(), json!({"fields": fields, "confirm_data_loss": true}));
    assert_eq!(edited.status, 200, "{edited}");
    let read = case.read(1);
    assert_eq!(read["associated_fields"], json!({"field_1": "Ada Lovelace", "field_5": "London"}));
    assert_eq!(read["display_fields"], json!({"field_1": "Ada Lovelace", "field_3": "ada@example.com"}));
}

#[test]
fn a_default_is_chosen_while_it_is_there() {
    let case = Case::new();
    let token = case.ada();
    let mut with_default = linked(&case.people, json!(["field_1"]));
    with_default["default_value"] = json!(token);
    let form = case.owner.form(json!([with_default]));
    let anon = Server::shared().anon();
    let send = || {
        let sent = anon.post(form.submissions(), json!({"field_values": {}}));
        assert_eq!(sent.status, 201, "{sent}");
        sent.data()["entry"]["field_1"]["entry_token"].clone()
    };
    assert_eq!(send(), json!(token));
    let page = anon.get(form.page()).text;
    assert!(page.contains(&format!("value=\"{token}\" checked")), "{page}");
    case.owner.delete(case.people.entry(1));
    assert_eq!(send(), json!(null));
    assert!(!anon.get(form.page()).text.contains(&token));
}

/// The page's own inputs, by name.
fn inputs(page: &str) -> Vec<(String, String)> {
    let part = |tag: &str, key: &str| {
        let at = tag.find(&format!(" {key}=\""))? + key.len() + 3;
        Some(tag[at..].split('"').next()?.to_owned())
    };
    page.split("<input")
        .skip(1)
        .filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag))
        .filter(|tag| !tag.contains("type=\"radio\"") || tag.contains(" checked"))
        .filter_map(|tag| Some((part(tag, "name")?, part(tag, "value").unwrap_or_default())))
        .collect()
}

/// Posts a page as it stands, with some of its inputs filled in.
fn post(form: &Form, page: &str, change: &[(&str, &str)]) -> Response {
    let mut pairs = inputs(page);
    for (name, value) in change {
        pairs.retain(|(key, _)| key != name);
        pairs.push(((*name).to_owned(), (*value).to_owned()));
    }
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    Server::shared().anon().post_form(form.page(), &pairs)
}

#[test]
fn a_page_without_a_script_searches_and_chooses() {
    let case = Case::new();
    let token = case.ada();
    case.person("Ada Byron", "13800138001", "Paris");
    let anon = Server::shared().anon();
    let page = anon.get(case.form.page());
    assert!(page.text.contains("name=\"_find.field_1\""), "{page}");
    assert!(!page.text.contains("Ada "), "{page}");
    let find =
        |keyword: &str, action: &str| post(&case.form, &page.text, &[("_find.field_1", keyword), ("_action", action)]);
    let found = find("lovelace", "find");
    assert_eq!(found.status, 200, "{found}");
    assert!(found.text.contains(&format!("value=\"{token}\"")), "{found}");
    assert!(!found.text.contains("Ada Byron") && !found.text.contains("13800138000"));
    assert!(found.text.contains("138****8000"), "{found}");
    // Enter or another button does the same while nothing is chosen.
    for action in ["submit", "next"] {
        assert!(find("lovelace", action).text.contains(&token), "{action}");
    }
    assert!(find("nobody", "find").text.contains("No results."));
    assert!(find("a", "find").text.contains("Type at least 2 characters."));
    assert_eq!(case.owner.get(case.form.entries()).json()["pagination"]["total"], 0);
    // Once chosen, it is shown by its name, also when something else is wrong.
    let chosen = post(&case.form, &found.text, &[("field_1", &token), ("_action", "check")]);
    assert!(chosen.text.contains(&format!("value=\"{token}\" checked")), "{chosen}");
    let sent = post(&case.form, &found.text, &[("field_1", &token), ("_time", "")]);
    assert_eq!(sent.status, 303, "{sent}");
    assert_eq!(case.read(1)["entry_token"], json!(token));
    let odd = post(&case.form, &anon.get(case.form.page()).text, &[("field_1", "x"), ("_time", "")]);
    assert_eq!(odd.status, 422);
    assert!(odd.text.contains("Choose one from the list"), "{odd}");
}

#[test]
fn the_script_of_a_page_gets_the_same_options() {
    let case = Case::new();
    let token = case.ada();
    let anon = Server::shared().anon().header("Accept", "application/json");
    let ask = |pairs: &[(&str, &str)]| anon.post_form(case.form.page(), pairs);
    let find = [("_action", "find"), ("_page", "0"), ("_find.field_1", "ada")];
    assert_eq!(
        ask(&find).json(),
        json!({
            "options": [{"token": token, "label": "Ada Lovelace", "details": [
                {"name": "Phone", "text": "+86 138****8000"}, {"name": "E-mail", "text": "a***@example.com"},
            ]}],
            "more": false,
        })
    );
    let nothing = json!({"options": [], "more": false});
    assert_eq!(ask(&[("_action", "find"), ("_page", "0")]).json(), nothing);
    assert_eq!(ask(&[("_action", "find"), ("_page", "0"), ("_find.field_9", "ada")]).json(), nothing);
    // Behind a password nobody searches.
    case.set(&case.form, json!({"access_control": {"access_password": "sesame"}}));
    assert_eq!(ask(&find).status, 403);
}

#[test]
fn what_may_be_browsed_is_offered_at_once() {
    let case = Case::new();
    let token = case.person("<b>Ada</b>", "13800138000", "x");
    case.set(&case.people, json!({"browse_linked_entries": true}));
    let page = Server::shared().anon().get(case.form.page());
    assert!(page.text.contains(&format!("value=\"{token}\"")), "{page}");
    assert!(page.text.contains("&lt;b&gt;Ada") && !page.text.contains("<b>Ada"));
    let prefilled = Server::shared().anon().get(format!("{}?field_1={token}", case.form.page()));
    assert!(prefilled.text.contains(&format!("value=\"{token}\" checked")));
}
