//! Linked forms as a table of decisions: who sees which part of a linked entry in which way (S42), and the state of
//! links when entries, fields or the form that they lead to go and come back.

use serde_json::{Value, json};
use support::peers::mail::{MailServer, serving};
use support::sharing::share;
use support::steps::set;
use support::store::database;
use support::{Caller, Form, Response, Server, field, formsvc, text};

/// The contents of a directory's entry, by who may see them.
const PUBLIC: &str = "Ada Lovelace";
const PHONE: &str = "13800138000";
/// The same, as people read it.
const PHONE_SHOWN: &str = "138 0013 8000";
const EMAIL: &str = "ada@mark.example";
/// Shown to collaborators alone; also searched by them.
const PRIVATE: &str = "salary-mark";
/// Searched, not shown.
const SEARCHED: &str = "town-mark";
/// Neither.
const NEITHER: &str = "diary-mark";
/// An entry that nobody links to.
const OTHER: &str = "Grace Hopper";

/// The part of these that may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// Nothing at all.
    Nothing,
    /// The label of the entry: the public field, and the number that is searched, masked.
    Label,
    /// The public field, and the protected ones masked.
    Masked,
    /// All shown fields: also protected and private ones.
    Shown,
    /// Those and the searched fields.
    All,
}

impl Sight {
    /// Which of the texts are seen: public, phone, e-mail, private, searched.
    fn sees(self) -> [bool; 5] {
        match self {
            Self::Nothing => [false; 5],
            Self::Label | Self::Masked => [true, false, false, false, false],
            Self::Shown => [true, true, true, true, false],
            Self::All => [true; 5],
        }
    }

    fn check(self, way: &str, seen: &str) {
        let seen = &seen.replace(PHONE_SHOWN, PHONE);
        let texts = [PUBLIC, PHONE, EMAIL, PRIVATE, SEARCHED];
        for (text, sees) in texts.into_iter().zip(self.sees()) {
            assert_eq!(seen.contains(text), sees, "{way}: {text} in {seen}");
        }
        let masked = ["138****8000", "a***@mark.example"].map(|text| seen.contains(text));
        let is_masked = self == Self::Masked;
        let expected = [is_masked || self == Self::Label, is_masked];
        assert_eq!(masked, expected, "{way}: masks in {seen}");
        for never in [NEITHER, OTHER] {
            assert!(!seen.contains(never), "{way}: {never} in {seen}");
        }
    }
}

struct Case {
    server: Server,
    owner: Caller,
    people: Form,
    form: Form,
    /// The token of the linked entry.
    ada: String,
}

fn token_of(answer: &Response) -> String {
    assert_eq!(answer.status, 201, "{answer}");
    answer.data()["token"].as_str().expect("a token").to_owned()
}

fn link_to(people: &Form) -> Value {
    field(
        "linked_form",
        json!({
            "form_token": people.token,
            "search_fields": ["field_1", "field_2", "field_4", "field_5"],
            "display_fields": [
                {"api_code": "field_1", "public": true},
                {"api_code": "field_2", "public": true, "protected": true},
                {"api_code": "field_3", "public": true, "protected": true},
                {"api_code": "field_4", "public": false},
            ],
        }),
    )
}

impl Case {
    fn on(server: Server) -> Self {
        let owner = server.user();
        let people = owner.form(json!([
            field("name", json!({"label": "Name"})),
            field("phone", json!({"label": "Phone"})),
            field("email", json!({"label": "E-mail"})),
            field("short_text", json!({"label": "Private"})),
            field("short_text", json!({"label": "Searched"})),
            field("short_text", json!({"label": "Neither"})),
        ]));
        let person = |name: &str, phone: &str, email: &str| {
            let values = json!({
                "field_1": name, "field_2": {"country_id": "CN", "number": phone}, "field_3": email,
                "field_4": PRIVATE, "field_5": SEARCHED, "field_6": NEITHER,
            });
            token_of(&owner.post(people.entries(), json!({ "field_values": values })))
        };
        let ada = person(PUBLIC, PHONE, EMAIL);
        person(OTHER, "13900139000", "grace@example.com");
        let form = owner.form(json!([link_to(&people), field("email", json!({}))]));
        let message = json!({"mode": "show_message", "show_message": {"style": "text",
            "text": {"title": "Thanks", "description": "You chose {{field_1}}."}}});
        let options = json!({"allow_edit_after_submission": true});
        let settings = json!({"submission_options": options, "after_submission": message});
        set(&owner, &form, settings);
        Self { server, owner, people, form, ada }
    }

    fn new() -> Self {
        Self::on(Server::alone("its organization is its own"))
    }

    fn values(&self) -> Value {
        json!({"field_values": {"field_1": self.ada}})
    }

    fn find(&self, keyword: &str, accept: &str) -> Response {
        let anon = self.server.anon().header("Accept", accept);
        let pairs = [("_action", "find"), ("_page", "0"), ("_find.field_1", keyword)];
        anon.post_form(self.form.page(), &pairs)
    }

    fn options(&self, keyword: &str) -> Response {
        let path = format!("/api/v1/f/{}/associated_entry_options", self.form.token);
        let query = format!("?field=field_1&keyword={keyword}");
        self.server.anon().get(path + &query)
    }

    fn own_options(&self, caller: &Caller, keyword: &str) -> Response {
        let path = format!("{}/linked_form_options", self.form.path());
        caller.get(format!("{path}?field=field_1&keyword={keyword}"))
    }

    fn export(&self, caller: &Caller, format: &str) -> Response {
        caller.get(format!("{}/export?format={format}", self.form.entries()))
    }
}

/// A respondent sees no more than the public fields, masked where they are protected.
#[test]
fn respondents_see_public_fields_alone_in_every_way() {
    let case = Case::new();
    let (anon, form) = (case.server.anon(), &case.form);
    let sent = anon.post(form.submissions(), case.values());
    assert_eq!(sent.status, 201, "{sent}");
    let data = sent.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("a right");
    let own = anon.header("x-edit-token", right);
    let own_path = format!("/api/v1/f/{}/entries/{token}", form.token);
    let posted = anon.post_form(form.page(), &[("field_1", &case.ada)]);
    let receipt = posted.header("location").to_owned();
    let refused = json!({"field_values": {"field_1": case.ada, "field_2": "no address"}});
    let faulty = [("field_1", case.ada.as_str()), ("field_2", "no address")];
    for (way, seen, sight) in [
        ("the page", anon.get(form.page()), Sight::Nothing),
        ("the definition", anon.get(form.published()), Sight::Nothing),
        ("a page with a token", anon.get(form.page() + &format!("?field_1={}", case.ada)), Sight::Masked),
        ("a search on the page", case.find("lovelace", "text/html"), Sight::Masked),
        ("a script's search", case.find("lovelace", "application/json"), Sight::Masked),
        ("options by keyword", case.options("LOVE"), Sight::Masked),
        ("options by token", case.options(&case.ada), Sight::Masked),
        ("options without a keyword", case.options(""), Sight::Nothing),
        ("an answer to a submission", sent.clone(), Sight::Masked),
        ("a refused submission", anon.post(form.submissions(), refused), Sight::Nothing),
        ("a page with faults", anon.post_form(form.page(), &faulty), Sight::Masked),
        ("the receipt", anon.get(&receipt), Sight::Label),
        ("the own entry", own.get(&own_path), Sight::Masked),
        (
            "a change of the own entry",
            own.patch(&own_path, json!({"field_values": {"field_2": "me@example.com"}})),
            Sight::Masked,
        ),
        (
            "the own entry's page",
            anon.get(form.page() + &format!("/entries/{token}?edit_token={right}")),
            Sight::Masked,
        ),
        ("an entry without the right", anon.get(&own_path), Sight::Nothing),
        ("the collaborators' options", case.own_options(&anon, "love"), Sight::Nothing),
        ("the collaborators' list", anon.get(form.entries()), Sight::Nothing),
        ("an export", case.export(&anon, "csv"), Sight::Nothing),
    ] {
        sight.check(way, &seen.text);
    }
    // Text that they may not see finds nothing, on the page and over the API.
    for keyword in [PRIVATE, SEARCHED, NEITHER, PHONE, "8000", EMAIL, "mark.example"] {
        for found in [case.options(keyword), case.find(keyword, "text/html"), case.find(keyword, "application/json")] {
            assert!(!found.text.contains(&case.ada), "{keyword}: {found}");
            assert!(!found.text.contains(PUBLIC), "{keyword}: {found}");
        }
    }
}

#[test]
fn mail_and_redirects_tell_a_respondent_no_more() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let case = Case::on(serving(&mail));
    let receipt = json!({"enabled": true, "for_programs": true, "message": "<p>You chose {{field_1}}.</p>"});
    let notice = json!({"enabled": true, "to": [case.owner.email], "include_values": true});
    let redirect = json!({"mode": "redirect", "redirect": {
        "url": "https://example.com/{{field_1}}", "fields": ["field_1"]}});
    let notifications = json!({"receipt": receipt, "notice": notice});
    let settings = json!({"notifications": notifications, "after_submission": redirect});
    set(&case.owner, &case.form, settings);
    let mut values = case.values();
    values["field_values"]["field_2"] = json!("me@example.com");
    let sent = case.server.anon().post(case.form.submissions(), values);
    assert_eq!(sent.status, 201, "{sent}");
    let url = sent.data()["after_submission"]["redirect"]["url"].clone();
    let url = url.as_str().expect("an address");
    let url = url.replace("%20", " ").replace('+', " ");
    Sight::Label.check("a redirect", &url);
    let got = mail.mail_to("me@example.com");
    for seen in [got.text(), got.html()] {
        assert!(seen.contains(PUBLIC), "{seen}");
        for hidden in [PHONE, PHONE_SHOWN, EMAIL, PRIVATE, SEARCHED, NEITHER, OTHER] {
            assert!(!seen.contains(hidden), "{hidden}: {seen}");
        }
    }
    // The owner's notice calls the entry as collaborators do.
    let notice = mail.mail_to(&case.owner.email);
    let told = notice.text();
    assert!(told.contains(PRIVATE) && !told.contains(NEITHER), "{told}");
}

#[test]
fn collaborators_see_all_that_is_shown_and_strangers_nothing() {
    let case = Case::new();
    let form = &case.form;
    assert_eq!(case.owner.post(form.entries(), case.values()).status, 201);
    // Neither of them has anything to do with the directory.
    let (viewer, stranger) = (case.server.user(), case.server.user());
    share(&case.owner, form, &viewer, "viewer");
    assert_eq!(viewer.get(case.people.path()).status, 404);
    for (who, is_in) in [(&case.owner, true), (&viewer, true), (&stranger, false)] {
        let if_in = |sight| if is_in { sight } else { Sight::Nothing };
        let keyword = format!("{}?keyword=zzz", form.entries());
        for (way, seen, sight) in [
            ("an entry", who.get(form.entry(1)), Sight::All),
            ("the list", who.get(form.entries()), Sight::All),
            ("a query", who.post(form.query(), json!({"filters": []})), Sight::All),
            ("a keyword", who.get(keyword), Sight::Nothing),
            ("options", case.own_options(who, "love"), Sight::All),
            ("an export as JSON", case.export(who, "json"), Sight::All),
            ("an export as CSV", case.export(who, "csv"), Sight::Shown),
        ] {
            assert_eq!(seen.status, if is_in { 200 } else { 404 }, "{way}: {seen}");
            if_in(sight).check(way, &seen.text);
        }
    }
    for keyword in [PRIVATE, SEARCHED, PHONE] {
        let found = case.own_options(&viewer, keyword);
        assert!(found.text.contains(&case.ada), "{keyword}: {found}");
    }
    for keyword in [NEITHER, EMAIL] {
        let found = case.own_options(&viewer, keyword);
        assert!(!found.text.contains(&case.ada), "{keyword}: {found}");
    }
    // Conditions see searched and shown fields, and nothing else.
    for (code, value, status) in [("field_4", PRIVATE, 200), ("field_5", SEARCHED, 200), ("field_6", NEITHER, 422)] {
        let code = format!("field_1_associated_{code}");
        let filters = json!([{"field": code, "operator": "eq", "value": value}]);
        let found = viewer.post(form.query(), json!({ "filters": filters }));
        assert_eq!(found.status, status, "{code}: {found}");
    }
}

#[test]
fn a_default_tells_respondents_its_token_alone() {
    let case = Case::new();
    let made = case.owner.post(case.form.entries(), case.values());
    let read = made.data()["field_1"].clone();
    assert!(read.to_string().contains(PRIVATE), "{read}");
    let mut own = link_to(&case.people);
    // A value that was read may be written back.
    own["default_value"] = read;
    let form = case.owner.form(json!([own]));
    assert_eq!(form.body["fields"][0]["default_value"], json!(case.ada));
    let shown = case.server.anon().get(form.published());
    let field = &shown.data()["fields"][0];
    assert_eq!(field["default_value"], json!(case.ada));
    Sight::Nothing.check("the definition", &shown.text);
    let page = case.server.anon().get(form.page());
    Sight::Masked.check("the page", &page.text);
}

/// A link in one state of its target.
struct State {
    name: &'static str,
    change: fn(&Case),
    /// Whether the entry is there.
    is_there: bool,
}

fn restore_form(case: &Case) {
    let path = format!("{}/restore", case.people.path());
    let done = case.owner.send("POST", &path, None, b"");
    assert_eq!(done.status, 200, "{done}");
}

fn run(case: &Case, job: &str) {
    let done = formsvc(&case.server.dir, &["jobs", "run-once", job], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[test]
fn links_follow_the_chain_of_deletion() {
    let states: &[&[State]] = &[
        &[
            State { name: "as made", change: |_| {}, is_there: true },
            State {
                name: "in the trash",
                change: |case| assert_eq!(case.owner.delete(case.people.entry(1)).status, 200),
                is_there: false,
            },
            State {
                name: "restored",
                change: |case| {
                    let path = format!("{}/restore", case.people.trashed(1));
                    assert_eq!(case.owner.post(path, json!({})).status, 200);
                },
                is_there: true,
            },
            State {
                name: "in the trash again",
                change: |case| assert_eq!(case.owner.delete(case.people.entry(1)).status, 200),
                is_there: false,
            },
            State {
                name: "deleted for good",
                change: |case| assert_eq!(case.owner.delete(case.people.trashed(1)).status, 200),
                is_there: false,
            },
        ],
        &[
            State {
                name: "its form in the trash",
                change: |case| assert_eq!(case.owner.delete(case.people.path()).status, 200),
                is_there: false,
            },
            State { name: "its form restored", change: restore_form, is_there: true },
            State {
                name: "its form in the trash, and itself",
                change: |case| {
                    assert_eq!(case.owner.delete(case.people.entry(1)).status, 200);
                    assert_eq!(case.owner.delete(case.people.path()).status, 200);
                },
                is_there: false,
            },
            State { name: "its form restored without it", change: restore_form, is_there: false },
            State {
                name: "its form deleted for good",
                change: |case| {
                    assert_eq!(case.owner.delete(case.people.path()).status, 200);
                    let old = "UPDATE forms SET deleted_at = 1 WHERE deleted_at IS NOT NULL";
                    let done = database(&case.server.dir).execute(old, []);
                    assert_eq!(done.expect("SQL"), 1);
                    run(case, "deleted-forms");
                    let left = "SELECT count(*) FROM forms";
                    assert_eq!(support::store::count(&case.server.dir, left), 1);
                },
                is_there: false,
            },
        ],
    ];
    for chain in states {
        let case = Case::new();
        let anon = case.server.anon();
        let sent = anon.post(case.form.submissions(), case.values());
        assert_eq!(sent.status, 201, "{sent}");
        let data = sent.data();
        let token = data["entry"]["token"].as_str().expect("a token");
        let right = data["edit_token"].as_str().expect("a right").to_owned();
        let own = format!("/api/v1/f/{}/entries/{token}", case.form.token);
        let page = case.form.page() + &format!("/entries/{token}?edit_token={right}");
        let posted = anon.post_form(case.form.page(), &[("field_1", &case.ada)]);
        let receipt = posted.header("location").to_owned();
        for State { name, change, is_there } in *chain {
            change(&case);
            let gone = json!({"deleted": true});
            let collaborators = case.owner.get(case.form.entry(1));
            let theirs = anon.header("x-edit-token", &right).get(&own);
            for entry in [&collaborators, &theirs] {
                let link = &entry.data()["field_1"];
                assert_eq!(*link != gone, *is_there, "{name}: {entry}");
            }
            let sight = |sight| if *is_there { sight } else { Sight::Nothing };
            sight(Sight::All).check(name, &collaborators.text);
            sight(Sight::Masked).check(name, &theirs.text);
            sight(Sight::Masked).check(name, &anon.get(&page).text);
            let receipt = anon.get(&receipt);
            assert_eq!(receipt.status, 200, "{name}: {receipt}");
            sight(Sight::Label).check(name, &receipt.text);
            let csv = case.export(&case.owner, "csv");
            assert_eq!(csv.status, 200, "{name}: {csv}");
            sight(Sight::Shown).check(name, &csv.text);
            assert_eq!(csv.text.contains(&case.ada), *is_there, "{name}: {csv}");
            sight(Sight::Masked).check(name, &case.options("lovelace").text);
            sight(Sight::Masked).check(name, &case.find("lovelace", "text/html").text);
            let filled = anon.get(case.form.page() + &format!("?field_1={}", case.ada));
            sight(Sight::Masked).check(name, &filled.text);
            // New links need an existing entry; other answers of old ones may change.
            let refused = anon.post(case.form.submissions(), case.values());
            assert_eq!(refused.status == 201, *is_there, "{name}: {refused}");
            if !is_there {
                let said = ["field_values.field_1: is not an entry of the linked form"];
                assert_eq!(refused.faults(), said, "{name}");
            }
            let values = json!({"field_values": {"field_2": "me@example.com"}});
            let edited = case.owner.patch(case.form.entry(1), values);
            assert_eq!(edited.status, 200, "{name}: {edited}");
            let code = "field_1_associated_field_1";
            let filters = |operator: &str| json!({"filters": [{"field": code, "operator": operator}]});
            let found = case.owner.post(case.form.query(), filters("not_null"));
            if found.status == 200 {
                let serials = found.text.contains("\"serial_number\":1,");
                assert_eq!(serials, *is_there, "{name}: {found}");
            } else {
                // Of a form that is gone for good nobody knows the fields.
                assert_eq!(*name, "its form deleted for good", "{found}");
            }
            // The form itself can be edited, whatever its links lead to.
            let mut fields = case.owner.get(case.form.path()).data()["fields"].clone();
            fields[0]["label"] = json!(format!("Who, {name}?"));
            let edited = case.owner.patch(case.form.path(), json!({ "fields": fields }));
            assert_eq!(edited.status, 200, "{name}: {edited}");
        }
    }
}

#[test]
fn a_form_whose_default_is_gone_can_be_edited() {
    let case = Case::new();
    let mut own = link_to(&case.people);
    own["default_value"] = json!(case.ada);
    let form = case.owner.form(json!([own]));
    assert_eq!(case.owner.delete(case.people.entry(1)).status, 200);
    let mut fields = form.body["fields"].clone();
    fields[0]["label"] = json!("Who?");
    let edit = |fields: &Value| case.owner.patch(form.path(), json!({ "fields": fields }));
    let edited = edit(&fields);
    assert_eq!(edited.status, 200, "{edited}");
    // Another default must be there.
    fields[0]["default_value"] = json!("zzzzzzzzzzzzzzzzzzzzzz");
    let said = ["fields[0].default_value: is not an entry of the linked form"];
    assert_eq!(edit(&fields).faults(), said);
    let empty = json!({"field_values": {}});
    let sent = case.server.anon().post(form.submissions(), empty);
    assert_eq!(sent.data()["entry"]["field_1"], json!(null), "{sent}");
}

#[test]
fn removed_fields_are_shown_and_searched_no_more() {
    let case = Case::new();
    assert_eq!(case.owner.post(case.form.entries(), case.values()).status, 201);
    let mut fields = case.people.body["fields"].as_array().expect("fields").clone();
    // The name, the phone number and the fields that only collaborators see.
    fields.retain(|field| ["field_3", "field_5"].contains(&field["api_code"].as_str().unwrap_or("")));
    let body = json!({"fields": fields, "confirm_data_loss": true});
    let edited = case.owner.patch(case.people.path(), body);
    assert_eq!(edited.status, 200, "{edited}");
    let link = case.owner.get(case.form.entry(1)).data()["field_1"].clone();
    assert_eq!(link["associated_fields"], json!({"field_5": SEARCHED}));
    assert_eq!(link["display_fields"], json!({"field_3": EMAIL}));
    let found = case.options(&case.ada).data();
    assert_eq!(found[0]["label"], "a***@mark.example", "{found}");
    assert_eq!(found[0]["display_fields"], json!({"field_3": "a***@mark.example"}));
    assert_eq!(case.options("lovelace").data(), json!([]));
    assert_eq!(case.own_options(&case.owner, "lovelace").data(), json!([]));
    // Without a label left, it is shown as its number.
    fields.remove(0);
    let body = json!({"fields": fields, "confirm_data_loss": true});
    assert_eq!(case.owner.patch(case.people.path(), body).status, 200);
    let found = case.options(&case.ada).data();
    assert_eq!((&found[0]["label"], &found[0]["display_fields"]), (&json!("#1"), &json!({})));
    let csv = case.export(&case.owner, "csv");
    assert!(csv.status == 200 && csv.text.contains(&case.ada), "{csv}");
}
