//! Public queries: definitions, and the answers to visitors who know only the address (handbook `public-queries.md`).

pub mod certificates;
pub mod counters;
pub mod definitions;
pub mod edits;
pub mod exports;
pub mod files;
pub mod form_edits;
pub mod header_images;
pub mod keys;
pub mod leaks;
pub mod limits;
pub mod linked;
pub mod page;
pub mod pages;
pub mod paging;
pub mod plans;
pub mod random;
pub mod refusals;
pub mod search;
pub mod search_kinds;
pub mod shown_kinds;
pub mod states;
pub mod suggestions;

use jiff::civil::Weekday;
use jiff::{ToSpan as _, Zoned};
use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

/// Where definitions are made and listed.
const PATH: &str = "/api/v1/opensearch/queries";

/// All scopes that a test of queries may need.
const SCOPES: &str = "form:read form:write form:delete entry:read entry:write entry:delete form:respond";

/// A query that a test made.
#[derive(Clone)]
struct Query {
    token: String,
    base: String,
}

impl Query {
    fn of(answer: &Response, owner: &Caller) -> Self {
        assert!([200, 201].contains(&answer.status), "{answer}");
        let token = answer.data()["token"].as_str().expect("a token").to_owned();
        Self { token, base: owner.base.clone() }
    }

    /// Makes one of a whole body.
    fn new(owner: &Caller, body: Value) -> Self {
        let made = owner.post(PATH, body.clone());
        assert_eq!(made.status, 201, "{body}: {made}");
        Self::of(&made, owner)
    }

    /// Makes one that is searched and shows by these rules.
    fn ruled(owner: &Caller, form: &Form, groups: Value, rules: Value) -> Self {
        Self::new(owner, body(form, groups, rules))
    }

    /// Makes one of these rules and further keys.
    fn with(owner: &Caller, form: &Form, groups: Value, rules: Value, own: Value) -> Self {
        let mut whole = body(form, groups, rules);
        for (key, value) in own.as_object().expect("keys") {
            whole[key] = value.clone();
        }
        Self::new(owner, whole)
    }

    /// The definition's address.
    fn path(&self) -> String {
        format!("{PATH}/{}", self.token)
    }

    /// The page's address.
    fn page(&self) -> String {
        format!("/q/{}", self.token)
    }

    /// The API's address for visitors.
    fn public(&self) -> String {
        format!("/api/v1/q/{}", self.token)
    }

    /// The address of a file of the results.
    fn export(&self, format: &str, values: &Value) -> String {
        format!("/q/{}/export?format={format}&{}", self.token, typed(values))
    }

    /// The page's address with these values typed in.
    fn typed(&self, values: &Value) -> String {
        format!("/q/{}?{}", self.token, typed(values))
    }

    fn anon(&self) -> Caller {
        Caller::new(&self.base, None, "")
    }

    fn change(&self, owner: &Caller, change: Value) -> Response {
        owner.patch(self.path(), change).is(200)
    }

    /// A search as a visitor's program sends it.
    fn ask(&self, body: Value) -> Response {
        self.anon().post(format!("{}/search", self.public()), body)
    }

    /// The entries found for these values, at most a hundred.
    fn search(&self, values: &Value) -> Response {
        self.ask(json!({"values": values, "page_size": 100}))
    }

    /// The rows that are found.
    fn rows(&self, values: &Value) -> Vec<Value> {
        let found = self.search(values);
        assert_eq!(found.status, 200, "{values}: {found}");
        let rows = found.json()["data"].as_array().expect("rows").clone();
        assert_eq!(found.json()["pagination"]["total"], rows.len(), "{values}: {found}");
        rows
    }

    /// The serial numbers that are found, of a query that shows them.
    fn serials(&self, values: &Value) -> Vec<i64> {
        let rows = self.rows(values);
        let number = |row: &Value| row["serial_number"].as_i64();
        rows.iter().map(|row| number(row).unwrap_or_else(|| panic!("no number: {row}"))).collect()
    }

    /// Asserts which entries are found.
    fn finds(&self, values: Value, expected: &[i64]) {
        assert_eq!(self.serials(&values), expected, "{values}");
    }

    /// Asserts where a search is refused.
    fn refuses(&self, values: Value, expected: &[&str]) -> Response {
        let refused = self.search(&values);
        assert_eq!(refused.status, 422, "{values}: {refused}");
        assert_eq!(refused.attributes(), expected, "{values}: {refused}");
        refused
    }

    /// The row of an entry, and the address at which it is changed.
    fn row(&self, values: &Value, serial: i64) -> (Value, String) {
        let rows = self.rows(values);
        let row = rows.iter().find(|row| row["serial_number"] == serial);
        let row = row.unwrap_or_else(|| panic!("no {serial}: {rows:?}"));
        let entry = row["entry_token"].as_str().expect("a token");
        (row.clone(), format!("/api/v1/q/{}/entries/{entry}", self.token))
    }

    /// The right to change the row of an entry, and the address at which it is changed.
    fn right(&self, values: &Value, serial: i64) -> (String, String) {
        let (row, path) = self.row(values, serial);
        (row["edit_token"].as_str().unwrap_or_else(|| panic!("no right: {row}")).to_owned(), path)
    }

    /// Changes the row of an entry by the right to it.
    fn edit(&self, values: &Value, serial: i64, change: Value) -> Response {
        let (right, path) = self.right(values, serial);
        self.anon().header("x-edit-token", &right).patch(path, json!({ "field_values": change }))
    }
}

/// Values as a page's address has them: nothing for none, and a path of a cascade by its last choice.
fn typed(values: &Value) -> String {
    let mut out = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in values.as_object().expect("values") {
        match value {
            Value::Null => {}
            Value::String(text) => {
                out.append_pair(name, text);
            }
            Value::Object(path) => {
                let last = path.values().next_back().and_then(Value::as_str);
                out.append_pair(name, last.unwrap_or_default());
            }
            other => {
                out.append_pair(name, &other.to_string());
            }
        }
    }
    out.finish()
}

/// A whole body for a query of these rules.
fn body(form: &Form, groups: Value, rules: Value) -> Value {
    json!({
        "form_token": form.token, "name": "Look up", "search_field_rules": groups, "display_field_rules": rules,
    })
}

/// One group all of whose fields must be filled in; exact.
fn all_of(fields: &[&str]) -> Value {
    json!([group("and", fields, false)])
}

/// One group of which any field will do; exact.
fn any_of(fields: &[&str]) -> Value {
    json!([group("or", fields, false)])
}

fn group(operand: &str, fields: &[&str], fuzzy: bool) -> Value {
    let fields: Vec<Value> = fields.iter().map(|field| json!({"field": field, "fuzzy": fuzzy})).collect();
    json!({"operand": operand, "fields": fields})
}

/// Rules that show these fields as they are.
fn shown(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({"field": field})).collect()
}

/// A condition of a scope.
fn condition(field: &str, operator: &str, value: Value) -> Value {
    json!({"field": field, "operator": operator, "value": value})
}

/// Adds entries of these values.
fn fill(owner: &Caller, form: &Form, entries: &[Value]) {
    for values in entries {
        support::steps::add(owner, form, values.clone());
    }
}

/// Changes values of an entry as its owner.
fn set_values(owner: &Caller, form: &Form, serial: i64, values: Value) {
    owner.patch(form.entry(serial), json!({ "field_values": values })).is(200);
}

/// Restores the thing in the trash under this address.
fn restore(owner: &Caller, path: String) {
    owner.post(path + "/restore", json!({})).is(200);
}

/// A user, and a form of names and numbers.
fn people(server: &Server) -> (Caller, Form) {
    let owner = server.user();
    let form = owner.form(json!([
        field("name", json!({"label": "Name"})),
        field("short_text", json!({"label": "Town"})),
        field("number", json!({"label": "Age"})),
    ]));
    (owner, form)
}

/// A query by name that shows the number, the name and the town.
fn simple(owner: &Caller, form: &Form) -> Query {
    let rules = shown(&["serial_number", "field_1", "field_2"]);
    Query::ruled(owner, form, all_of(&["field_1"]), rules)
}

/// A user of another organisation.
fn stranger(server: &Server, name: &str) -> Caller {
    let email = format!("{}@far.example", name.replace(' ', "-"));
    let made = server.run(&["user", "create", &email, "--name", "F", "--organization", name]);
    assert!(made.status.success());
    server.token(&email, SCOPES)
}

/// A server with a single user, whose organisation is on this plan.
fn on_plan(plan: &str) -> (Server, Caller) {
    let server = Server::alone("its organization has a plan of its own");
    let owner = server.user_named("ann@example.org", "Ann");
    set_plan(&server, plan);
    (server, owner)
}

fn set_plan(server: &Server, plan: &str) {
    let set = server.run(&["plan", "set", "Ann", plan]);
    assert!(set.status.success());
}

/// The addresses that a page links to, as written in it.
fn links(page: &Response) -> Vec<String> {
    let rest = page.text.split("href=\"").skip(1);
    rest.map(|rest| rest.split('"').next().unwrap_or_default()).map(|href| href.replace("&amp;", "&")).collect()
}

/// A link as this client's path.
fn local(caller: &Caller, url: &str) -> String {
    url.strip_prefix(&caller.base).unwrap_or(url).to_owned()
}

/// A Monday that can be booked for weeks to come.
fn monday() -> String {
    let mut day = Zoned::now().date() + 28.days();
    while day.weekday() != Weekday::Monday {
        day += 1.day();
    }
    day.to_string()
}
