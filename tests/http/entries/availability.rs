//! Whether an entry is stored, by the form's availability, the sender and the way (contract sections 4 and 5): every
//! combination, from `tables/availability.txt`.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::session::{PASSWORD, Session};
use support::sharing::share;
use support::steps::{count, newest, set};
use support::tables::table_rows;
use support::{Caller, Form, Response, Server, at_once, field, formsvc, text};

const TABLE: &str = include_str!("../tables/availability.txt");

const WAYS: [&str; 5] = ["api", "page", "collaborator", "bulk", "import"];

const FORMS: [&str; 22] = [
    "open",
    "started",
    "not open yet",
    "shown before",
    "closed by time",
    "closed by switch",
    "full",
    "room again",
    "password none",
    "password wrong",
    "password right",
    "closed and password none",
    "closed and password right",
    "browser first",
    "browser answered",
    "account first",
    "account answered",
    "closed and answered",
    "choice full",
    "sold out",
    "unpublished",
    "trashed",
];

/// The password of the forms that have one.
const RIGHT: &str = "sesame";

const SIGNED_IN: [&str; 5] = ["stranger", "viewer", "editor", "manager", "owner"];

/// The sender of an answer.
struct Person {
    name: &'static str,
    /// With a token of all scopes, except for the two named after their only one.
    caller: Caller,
    /// The token's user on pages.
    browser: Option<Session>,
}

impl Person {
    /// Everybody; a form is shared with those whose names are roles.
    fn all(server: &Server) -> Vec<Self> {
        let with_token = |name, caller| Self { name, caller, browser: None };
        let (respondent, reader) = (server.user().email, server.user().email);
        let mut all = vec![
            with_token("nobody", server.anon()),
            with_token("respondent", server.token(&respondent, "form:respond")),
            with_token("reader", server.token(&reader, "form:read entry:read")),
        ];
        for name in SIGNED_IN {
            let email = format!("{name}@example.org");
            let mut args = vec!["user", "create", &email, "--name", "Ada"];
            args.push("--password-stdin");
            if name == "stranger" {
                args.extend(["--organization", "Elsewhere"]);
            }
            let made = formsvc(&server.dir, &args, PASSWORD);
            assert!(made.status.success(), "{}", text(&made.stderr));
            let scopes = "form:read form:write form:delete entry:read entry:write entry:delete form:respond";
            all.push(Self {
                name,
                caller: server.token(&email, scopes),
                browser: Some(Session::on(server).signed_in(&email)),
            });
        }
        all
    }

    fn is_in(&self, cell: &str) -> bool {
        cell.split(", ").any(|who| match who {
            "named" => !["nobody", "reader"].contains(&self.name),
            "signed in" => SIGNED_IN.contains(&self.name),
            name => name == self.name,
        })
    }
}

/// Whether a cell such as `all but sold out, trashed` or `open, full` means this form.
fn means(cell: &str, form: &str) -> bool {
    let is_named = |list: &str| list.split(", ").any(|name| name == form);
    match cell.strip_prefix("all") {
        Some(rest) => !rest.strip_prefix(" but ").is_some_and(is_named),
        None => is_named(cell),
    }
}

/// A form, and the answers that respondents send to it.
struct Target {
    form: Form,
    values: Value,
    password: Option<&'static str>,
    /// The cookie of a browser that has answered.
    cookie: String,
}

impl Target {
    /// A form in the state of this name.
    fn make(name: &str, people: &[Person]) -> Self {
        let by_name = |name: &str| people.iter().find(|person| person.name == name);
        let owner = &by_name("owner").expect("an owner").caller;
        let choices = json!([{"api_code": "a", "label": "A", "quota": 1}]);
        let goods = json!([{"api_code": "tea", "name": "Tea", "price": 3, "stock": 1}]);
        let form = owner.form(json!([
            field("short_text", json!({})),
            field("radio", json!({ "choices": choices })),
            field("product", json!({ "goods_items": goods })),
        ]));
        for role in ["viewer", "editor", "manager"] {
            share(owner, &form, &by_name(role).expect("one").caller, role);
        }
        let values = match name {
            "choice full" => json!({"field_2": "a"}),
            "sold out" => json!({"field_3": [{"api_code": "tea", "number": 1}]}),
            _ => json!({"field_1": "x"}),
        };
        let body = json!({ "field_values": values });
        let anon = &by_name("nobody").expect("one").caller;
        let mut cookie = String::new();
        // Earlier respondents.
        match name {
            "full" | "room again" => {
                for _ in 0..2 {
                    assert_eq!(anon.post(form.submissions(), body.clone()).status, 201);
                }
            }
            "choice full" | "sold out" => {
                assert_eq!(anon.post(form.submissions(), body).status, 201);
            }
            "browser answered" => {
                set(owner, &form, one_per("browser"));
                let done = anon.post_form(form.page(), &[("field_1", "before")]);
                let kept = done.header("set-cookie").split(';').next();
                let kept = kept.and_then(|pair| pair.strip_prefix("formsvc_answered="));
                cookie = kept.expect("a cookie").to_owned();
            }
            "account answered" | "closed and answered" => {
                for person in people.iter().filter(|person| person.is_in("named")) {
                    let sent = person.caller.post(form.submissions(), body.clone());
                    assert_eq!(sent.status, 201, "{sent}");
                }
            }
            _ => {}
        }
        for settings in settings(name) {
            set(owner, &form, settings);
        }
        match name {
            "room again" => assert_eq!(owner.delete(form.entry(1)).status, 200),
            "unpublished" => {
                let done = owner.patch(form.path(), json!({"published": false}));
                assert_eq!(done.status, 200, "{done}");
            }
            "trashed" => assert_eq!(owner.delete(form.path()).status, 200),
            _ => {}
        }
        let password = match name {
            "password right" | "closed and password right" => Some(RIGHT),
            "password wrong" => Some("simsim"),
            _ => None,
        };
        Self { form, values, password, cookie }
    }

    fn send(&self, way: &str, person: &Person) -> Response {
        let (form, caller) = (&self.form, &person.caller);
        let body = json!({"field_values": self.values});
        match way {
            "api" => {
                let mut body = body;
                if let Some(password) = self.password {
                    body["password"] = json!(password);
                }
                let cookie = format!("formsvc_answered={}", self.cookie);
                caller.header("cookie", &cookie).post(form.submissions(), body)
            }
            "page" => self.send_page(person),
            "collaborator" => caller.post(form.entries(), body),
            "bulk" => caller.post(format!("{}/bulk", form.entries()), json!({ "entries": [body] })),
            "import" => {
                let (column, value) = self.only();
                let cell = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let file = format!("{column}\n\"{}\"\n", cell.replace('"', "\"\""));
                let path = format!("{}/import", form.entries());
                caller.send("POST", &path, Some("text/csv"), file.as_bytes())
            }
            other => panic!("{other}"),
        }
    }

    /// The one field that is answered.
    fn only(&self) -> (&String, &Value) {
        let values = self.values.as_object().expect("values");
        values.iter().next().expect("an answer")
    }

    /// As a browser does: a session, the cookie of an earlier answer, and the password typed on the page that asks
    /// for it.
    fn send_page(&self, person: &Person) -> Response {
        let page = self.form.page();
        let mut pairs: Vec<(String, String)> = match self.only() {
            (name, Value::String(value)) => vec![(name.clone(), value.clone())],
            (name, goods) => {
                let code = goods[0]["api_code"].as_str().expect("a code");
                let number = goods[0]["number"].to_string();
                vec![(format!("{name}[0].api_code"), code.to_owned()), (format!("{name}[0].number"), number)]
            }
        };
        let caller = match &person.browser {
            Some(browser) => {
                browser.set_cookie("formsvc_answered", &self.cookie);
                pairs.push(("_csrf".to_owned(), browser.csrf()));
                browser.caller()
            }
            None => {
                let cookie = format!("formsvc_answered={}", self.cookie);
                person.caller.header("cookie", &cookie)
            }
        };
        let caller = caller.header("origin", &caller.base);
        if let Some(password) = self.password {
            let typed = ("_password".to_owned(), password.to_owned());
            let open = [("_action", "open"), ("_password", password)];
            let is_right = password == RIGHT;
            let opened = is_right.then(|| caller.post_form(&page, &open));
            // A form that takes answers is shown, with the values that the next post carries along.
            let opened = opened.filter(|page| page.text.contains("name=\"_grant\""));
            pairs.push(opened.map_or(typed, |page| ("_grant".to_owned(), hidden(&page, "_grant"))));
        }
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&**a, &**b)).collect();
        caller.post_form(&page, &pairs)
    }
}

fn one_per(what: &str) -> Value {
    json!({"submission_options": {"one_per_respondent": what}})
}

fn settings(name: &str) -> Vec<Value> {
    let past = "2020-01-01T00:00:00Z";
    let future = "2100-01-01T00:00:00Z";
    let closed = json!({"availability": {"manually_closed": true}});
    let password = json!({"access_control": {"access_password": RIGHT}});
    match name {
        "started" => {
            let schedule = json!({"start_at": past, "end_at": future});
            vec![json!({"availability": {"schedule": schedule, "entries_limit": 1000}})]
        }
        "not open yet" => vec![json!({"availability": {"schedule": {"start_at": future}}})],
        "shown before" => {
            let schedule = json!({"start_at": future});
            vec![json!({"availability": {"schedule": schedule, "show_form_before_open": true}})]
        }
        "closed by time" => vec![json!({"availability": {"schedule": {"end_at": past}}})],
        "closed by switch" => vec![closed],
        "full" | "room again" => vec![json!({"availability": {"entries_limit": 2}})],
        "password none" | "password wrong" | "password right" => vec![password],
        "closed and password none" | "closed and password right" => vec![closed, password],
        "browser first" => vec![one_per("browser")],
        "account first" | "account answered" => vec![one_per("account")],
        "closed and answered" => vec![one_per("account"), closed],
        _ => vec![],
    }
}

/// The words on the page for a code.
fn words(code: &str) -> &'static str {
    match code {
        "form_closed" => "This form is closed",
        "form_not_open" => "This form is not open yet",
        "form_full" => "This form is full",
        "password_required" | "password_invalid" => "This form is protected",
        "already_submitted" => "You’ve already responded",
        "quota_exceeded" => "This is full",
        "out_of_stock" => "This is sold out",
        "-" => "",
        other => panic!("{other}"),
    }
}

#[test]
fn who_gets_an_entry_into_which_form_by_which_way() {
    let server = Server::shared();
    let people = Person::all(server);
    let owner = &people.last().expect("the owner").caller;
    let table: Vec<_> = table_rows(TABLE).collect();
    let used = at_once(WAYS.len(), |at| {
        let way = WAYS[at];
        let mut used = Vec::new();
        for name in FORMS {
            let target = Target::make(name, &people);
            let form = &target.form;
            for person in &people {
                let what = format!("{way}, {name}, {}", person.name);
                let mut own = table.iter().enumerate().filter(|(_, row)| {
                    let is_way = row[0].split(", ").any(|one| one == way);
                    is_way && means(row[1], name) && person.is_in(row[2])
                });
                let (at, row) = own.next().unwrap_or_else(|| panic!("no row: {what}"));
                assert!(own.next().is_none(), "two rows: {what}");
                used.push(at);
                let total = || (name != "trashed").then(|| count(owner, form));
                let before = total();
                let sent = target.send(way, person);
                assert_eq!(sent.status.to_string(), row[3], "{what}: {sent}");
                if way == "page" {
                    assert!(sent.text.contains(words(row[4])), "{what}: {sent}");
                } else {
                    let code = sent.json()["code"].as_str().map(str::to_owned);
                    let expected = Some(row[4].to_owned()).filter(|code| code != "-");
                    assert_eq!(code, expected, "{what}: {sent}");
                }
                let is_stored = row[5] == "yes";
                let expected = before.map(|before| before + i64::from(is_stored));
                assert_eq!(total(), expected, "{what}: {sent}");
                if is_stored {
                    // The next one finds the form as this one did.
                    let serial = newest(owner, form)["serial_number"].as_i64();
                    let gone = owner.delete(form.entry(serial.expect("a number")));
                    assert_eq!(gone.status, 200, "{gone}");
                }
            }
            if name == "trashed" {
                let path = format!("{}/restore", form.path());
                assert_eq!(owner.post(path, json!({})).status, 200);
                assert_eq!(count(owner, form), 0, "{way}");
            }
        }
        used
    });
    let used = used.concat();
    for (at, row) in table.iter().enumerate() {
        assert!(used.contains(&at), "{row:?} says nothing");
    }
}
