//! Versions of a form: each change stores the form's content, and programs and managers read and restore earlier ones.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::store::database;
use support::{Caller, Form, Response, Server, field, sharing};

use super::{NO_FORM, choices, fields, has, is_healthy, old, replace, rule};

const ALL: &str = "form:read form:write form:delete entry:read entry:write";
const ANN: &str = "ann@example.org";

fn version_path(form: &Form, version: i64) -> String {
    format!("/api/v1/forms/{}/versions/{version}", form.token)
}

fn restore(owner: &Caller, form: &Form, version: i64, body: Value) -> Response {
    owner.post(format!("/api/v1/forms/{}/versions/{version}/restore", form.token), body)
}

/// The versions, latest first.
fn versions(owner: &Caller, form: &Form) -> Vec<Value> {
    let listed = owner.get(format!("/api/v1/forms/{}/versions?page_size=100", form.token)).is(200).data();
    listed.as_array().expect("a list").clone()
}

/// The changes of the latest version.
fn latest(owner: &Caller, form: &Form) -> Value {
    versions(owner, form)[0]["changes"].clone()
}

fn count(owner: &Caller, form: &Form) -> usize {
    versions(owner, form).len()
}

/// A form of a name and of a track of two choices.
fn course(owner: &Caller) -> Form {
    owner.form_with(json!({"name": "Course", "fields": [
        field("short_text", json!({"label": "Your name"})),
        field("radio", json!({"label": "Track", "choices": choices(["a", "b"])})),
    ]}))
}

/// The codes of the form's fields, in order.
fn codes(owner: &Caller, form: &Form) -> Vec<String> {
    let fields = owner.get(form.path()).is(200).data()["fields"].clone();
    let fields = fields.as_array().expect("fields").iter();
    fields.map(|field| field["api_code"].as_str().expect("a code").to_owned()).collect()
}

#[test]
fn each_change_of_what_a_form_says_makes_a_version_and_nothing_else_does() {
    let owner = Server::shared().user();
    let form = course(&owner);
    let me = owner.get("/api/v1/me").is(200).data();
    let first = versions(&owner, &form);
    assert_eq!(first.len(), 1);
    has(&first[0], json!({"version": 1, "by": "api", "changes": []}));
    assert_eq!(first[0]["user"], json!({"id": me["id"], "name": me["name"], "email": me["email"]}));
    assert_eq!(first[0].get("name"), None);
    let isolated = |text: &str| format!("“\u{2068}{text}\u{2069}”");
    owner.patch(form.path(), json!({"name": "Evening course"})).is(200);
    assert_eq!(latest(&owner, &form), json!(["Form renamed"]));
    owner.patch(form.path(), json!({"description": "For all."})).is(200);
    assert_eq!(latest(&owner, &form), json!(["Description changed"]));
    let mut fields = fields(&form);
    fields[0]["label"] = json!("Full name");
    fields.push(field("date", json!({"label": "Birthday"})));
    fields.swap(0, 1);
    replace(&owner, &form, json!(fields)).is(200);
    let told = [
        format!("Changed {}: Question", isolated("Full name")),
        format!("Added {}", isolated("Birthday")),
        "Questions reordered".to_owned(),
    ];
    assert_eq!(latest(&owner, &form), json!(told));
    owner.put(form.part("field_rules"), json!({"rules": [rule("show 3: 1 not_null")]})).is(200);
    assert_eq!(latest(&owner, &form), json!(["The rules"]));
    owner.patch(form.part("theme"), json!({"font": "serif"})).is(200);
    assert_eq!(latest(&owner, &form), json!(["The look"]));
    assert_eq!(count(&owner, &form), 6);
    // Changes without effect, and changes of other things than the form's content.
    owner.patch(form.path(), json!({"name": "Evening course"})).is(200);
    replace(&owner, &form, owner.get(form.path()).data()["fields"].clone()).is(200);
    owner.put(form.part("field_rules"), json!({"rules": [rule("show 3: 1 not_null")]})).is(200);
    owner.patch(form.part("theme"), json!({"font": "serif"})).is(200);
    owner.patch(form.part("settings"), json!({"availability": {"entries_limit": 9}})).is(200);
    owner.patch(form.path(), json!({"published": false, "locale": "zh-CN"})).is(200);
    owner.patch(form.path(), json!({"name": ""})).is(422);
    assert_eq!(count(&owner, &form), 6);
}

#[test]
fn a_version_is_the_whole_definition_and_a_list_has_pages() {
    let owner = Server::shared().user();
    let form = course(&owner);
    owner.patch(form.path(), json!({"description": "For all."})).is(200);
    owner.put(form.part("field_rules"), json!({"rules": [rule("show 2: 1 not_null")]})).is(200);
    owner.patch(form.part("theme"), json!({"font": "mono"})).is(200);
    let now = owner.get(form.path()).is(200).data();
    owner.patch(form.path(), json!({"name": "Other", "fields": [field("email", json!({"label": "E"}))]})).is(200);
    let shown = owner.get(version_path(&form, 4)).is(200).data();
    has(&shown, json!({"version": 4, "by": "api"}));
    for key in ["name", "description", "fields"] {
        assert_eq!(shown["form"][key], now[key], "{key}");
    }
    assert_eq!(shown["form"]["field_rules"], json!([rule("show 2: 1 not_null")]));
    assert_eq!(shown["form"]["theme"]["font"], "mono");
    assert_eq!(shown["form"]["theme"]["header"]["type"], "none");
    let list = format!("/api/v1/forms/{}/versions", form.token);
    let page = owner.get(format!("{list}?page_size=3")).is(200).json();
    let numbers = |page: &Value| {
        let rows = page["data"].as_array().expect("rows").iter();
        rows.map(|row| row["version"].as_i64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!((numbers(&page), &page["pagination"]["total"]), (vec![5, 4, 3], &json!(5)));
    let cursor = page["pagination"]["next_cursor"].as_str().expect("a cursor");
    assert_eq!(numbers(&owner.get(format!("{list}?page_size=3&cursor={cursor}")).is(200).json()), [2, 1]);
    for number in ["6", "0", "x", "-1"] {
        owner.get(format!("{list}/{number}")).is(404);
    }
}

#[test]
fn only_managers_read_versions_and_only_those_who_may_write_bring_them_back() {
    let server = Server::shared();
    let owner = server.user();
    let form = course(&owner);
    let other = server.user();
    assert_eq!(other.get(version_path(&form, 1)).to_string(), NO_FORM);
    for (role, status) in [("viewer", 403), ("editor", 403), ("manager", 200)] {
        sharing::share(&owner, &form, &other, role);
        other.get(version_path(&form, 1)).is_for(status, role);
        other.get(format!("/api/v1/forms/{}/versions", form.token)).is_for(status, role);
        restore(&other, &form, 1, json!({})).is_for(status, role);
    }
}

#[test]
fn a_version_comes_back_as_an_edit_with_new_codes_for_what_was_removed() {
    let server = Server::shared();
    let owner = server.user();
    let form = course(&owner);
    owner.put(form.part("field_rules"), json!({"rules": [rule("show 2: 1 not_null")]})).is(200);
    owner.patch(form.part("theme"), json!({"font": "mono", "primary_color": "#0F766E"})).is(200);
    owner.post(form.entries(), json!({"field_values": {"field_1": "Ada", "field_2": "b"}})).is(201);
    // The name goes, and a choice; a date comes.
    let track = old("field_2", "radio", json!({"label": "Which track?", "choices": choices(["a"])}));
    let edit = json!({
        "name": "Party", "fields": [track, field("date", json!({"label": "Day"}))], "confirm_data_loss": true,
    });
    owner.patch(form.path(), edit).is(200);
    owner.patch(form.part("theme"), json!({"font": null})).is(200);
    owner.patch(form.entry(1), json!({"field_values": {"field_3": "2026-12-24"}})).is(200);
    let before = count(&owner, &form);
    // A field that was added since has data.
    let refused = restore(&owner, &form, 3, json!({})).is(422);
    assert_eq!(refused.json()["code"], "data_loss");
    assert_eq!(count(&owner, &form), before, "nothing was done");
    for body in [json!(null), json!([]), json!({"confirm_data_loss": 1})] {
        restore(&owner, &form, 3, body.clone()).is(422);
        restore(&owner, &form, 99, body).is(404);
    }
    restore(&owner, &form, 99, json!({})).is(404);
    let stale = owner.header("if-match", r#""form-1""#);
    assert_eq!(
        restore(&stale, &form, 3, json!({"confirm_data_loss": true})).is(412).json()["code"],
        "version_conflict"
    );
    let answer = restore(&owner, &form, 3, json!({"confirm_data_loss": true})).is(200).json();
    let back = &answer["data"];
    assert_eq!(count(&owner, &form), before + 1, "in one write");
    assert_eq!(back["name"], "Course");
    assert_eq!(codes(&owner, &form), ["field_4", "field_2"]);
    assert_eq!(back["fields"][1]["label"], "Track");
    let choice = &back["fields"][1]["choices"];
    assert_eq!((&choice[0]["api_code"], &choice[1]["label"]), (&json!("a"), &json!("B")));
    assert_ne!(choice[1]["api_code"], "b");
    let told = answer["warnings"].to_string();
    assert!(told.contains("fields[0]") && told.contains("field_4"), "{told}");
    let rules = owner.get(form.part("field_rules")).is(200).data();
    assert_eq!(rules["rules"], json!([rule("show 2: 4 not_null")]));
    assert_eq!(owner.get(form.part("theme")).is(200).data()["font"], "mono");
    // Its old values do not come back.
    let entry = owner.get(form.entry(1)).is(200).data();
    assert_eq!((&entry["field_1"], &entry["field_4"]), (&Value::Null, &Value::Null));
    // The same again changes nothing.
    let before = count(&owner, &form);
    restore(&owner, &form, i64::try_from(before).expect("few"), json!({})).is(200);
    assert_eq!(count(&owner, &form), before);
}

#[test]
fn parts_that_were_removed_come_back_wherever_the_form_names_them() {
    let owner = Server::shared().user();
    let leaf = |code: &str| json!({"api_code": code, "label": code});
    let named = |code: &str| json!({"api_code": code, "name": code});
    let tree = |cities: Value| json!([{"api_code": "cn", "label": "China", "children": cities}]);
    let shirt = |sizes: Value, skus: Value| {
        json!([{"api_code": "shirt", "name": "Shirt", "price": 9, "skus": skus,
            "dimensions": [{"api_code": "size", "name": "Size", "options": sizes}]}])
    };
    let column = |codes: Value, own: Value| {
        let mut column = field("radio", own);
        column["choices"] = codes;
        json!([column])
    };
    let both = json!([leaf("a"), leaf("b")]);
    let of_default = |value: &str| json!({ "default_value": value });
    let before = json!([
        field("radio", json!({"choices": both, "default_value": "a"})),
        field(
            "cascade",
            json!({
                "choices": tree(json!([leaf("sh"), leaf("bj")])), "default_value": {"level_1": "cn", "level_2": "sh"},
            })
        ),
        field(
            "product",
            json!({"goods_items": shirt(
                json!([named("s"), named("m")]), json!([{"specification": {"size": "m"}, "price": 3}]),
            )})
        ),
        field("matrix", json!({"statements": [leaf("x")], "dimensions": column(both.clone(), of_default("a"))})),
        field("short_text", json!({})),
    ]);
    let form = owner.form(before);
    let city = json!({"field": "field_2", "operator": "eq", "value": {"level_1": "cn", "level_2": "sh"}});
    let shows = json!({"condition": {"operand": "and", "items": [city]}, "action": "show", "fields": ["field_5"]});
    owner.put(form.part("field_rules"), json!({ "rules": [shows] })).is(200);
    let left = json!([
        old("field_1", "radio", json!({"choices": [leaf("b")]})),
        old("field_2", "cascade", json!({"choices": tree(json!([leaf("bj")]))})),
        old("field_3", "product", json!({"goods_items": shirt(json!([named("s")]), json!([]))})),
        old(
            "field_4",
            "matrix",
            json!({
                "statements": [leaf("x")], "dimensions": column(json!([leaf("b")]), json!({"api_code": "field_1"})),
            })
        ),
        old("field_5", "short_text", json!({})),
    ]);
    owner.patch(form.path(), json!({"fields": left, "confirm_data_loss": true})).is(200);
    let back = restore(&owner, &form, 2, json!({})).is(200).data()["fields"].clone();
    let code = |path: &str, old: &str| {
        let code = back.pointer(path).expect(path).clone();
        assert!(code.is_string() && code != old, "{path}: {back}");
        code
    };
    assert_eq!(back[0]["default_value"], code("/0/choices/0/api_code", "a"));
    let city = json!({"level_1": "cn", "level_2": code("/1/choices/0/children/0/api_code", "sh")});
    assert_eq!(back[1]["default_value"], city);
    let size = code("/2/goods_items/0/dimensions/0/options/1/api_code", "m");
    assert_eq!(back[2]["goods_items"][0]["skus"], json!([{"specification": {"size": size}, "price": 3}]));
    assert_eq!(back[3]["dimensions"][0]["default_value"], code("/3/dimensions/0/choices/0/api_code", "a"));
    let rules = owner.get(form.part("field_rules")).is(200).data();
    assert_eq!(rules["rules"][0]["condition"]["items"][0]["value"], city);
}

#[test]
fn a_form_from_before_has_what_it_said_as_its_first_version() {
    let server = Server::alone("its database is changed");
    let owner = server.user();
    let form = course(&owner);
    database(&server.dir).execute("DELETE FROM form_versions", []).expect("it goes");
    assert_eq!(count(&owner, &form), 0);
    owner.patch(form.path(), json!({"name": "New"})).is(200);
    let kept = versions(&owner, &form);
    assert_eq!(kept.len(), 2);
    has(&kept[1], json!({"version": 1, "user": null, "changes": []}));
    assert_eq!(owner.get(version_path(&form, 1)).is(200).data()["form"]["name"], "Course");
    assert_eq!(owner.get(version_path(&form, 2)).is(200).data()["form"]["name"], "New");
    is_healthy(&server);
}

#[test]
fn the_newest_two_hundred_are_kept_large_ones_too() {
    let server = Server::alone("it is one of many changes");
    let owner = server.user();
    let form = course(&owner);
    for n in 0..210 {
        owner.patch(form.path(), json!({"description": format!("{n} {}", "x".repeat(9_000))})).is(200);
    }
    let listed = owner.get(format!("/api/v1/forms/{}/versions?page_size=1", form.token)).is(200).json();
    assert_eq!((&listed["pagination"]["total"], &listed["data"][0]["version"]), (&json!(200), &json!(211)));
    owner.get(version_path(&form, 11)).is(404);
    let oldest = owner.get(version_path(&form, 12)).is(200).data();
    assert!(oldest["form"]["description"].as_str().expect("a text").starts_with("10 xxx"));
}

/// A form of Ann's, and her browser.
struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let form = course(&owner);
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    Desk { server, owner, form, ann }
}

impl Desk {
    fn history(&self) -> String {
        format!("/forms/{}/history", self.form.token)
    }

    fn version(&self, number: i64) -> String {
        format!("/forms/{}/history/{number}", self.form.token)
    }

    fn preview(&self, number: i64) -> String {
        format!("/forms/{}/history/{number}/preview", self.form.token)
    }

    fn bring_back(&self, number: i64) -> Response {
        self.ann.post(&format!("/forms/{}/history/{number}/restore", self.form.token), &[])
    }

    fn draft(&self) -> Value {
        let headers = self.ann.caller().header("accept", "application/json");
        headers.get(format!("/forms/{}/build", self.form.token)).is(200).data()
    }

    fn labels(&self) -> Vec<String> {
        let draft = self.draft();
        let fields = draft["fields"].as_array().expect("fields").iter();
        fields.map(|field| field["label"].as_str().expect("a label").to_owned()).collect()
    }

    /// Publishes the draft under a name.
    fn publish(&self, name: &str) -> Response {
        let version = self.draft()["version"].to_string();
        let page = format!("/forms/{}/publish", self.form.token);
        self.ann.post(&page, &[("draft_version", &*version), ("version_name", name)])
    }

    fn add(&self, label: &str) {
        let build = format!("/forms/{}/build/fields", self.form.token);
        let led = self.ann.post(&build, &[("type", "short_text"), ("after", "field_2")]).leads();
        let code = led.split_once("?field=").expect("the new one is chosen").1;
        let page = self.ann.get(&led).is(200);
        let pairs = super::controls::panel(&page.text, code, &[("label", label)]);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        self.ann.post(&format!("{build}/{code}"), &pairs).leads();
    }
}

#[test]
fn what_is_published_on_pages_says_so_and_may_have_a_name() {
    let desk = desk();
    desk.add("Remark");
    desk.publish(&"x".repeat(101)).is(422).has(["Use at most 100 characters", &*"x".repeat(101)]);
    desk.publish("  With a remark ").leads();
    let all = versions(&desk.owner, &desk.form);
    assert_eq!(all.len(), 2);
    has(&all[0], json!({"version": 2, "by": "console", "name": "With a remark"}));
    let page = desk.ann.get(&format!("/forms/{}/publish", desk.form.token)).is(200);
    page.has([&*desk.history()]);
    // The head's other name.
    let settings = desk.ann.get(&format!("/forms/{}/build", desk.form.token)).is(200).text;
    let version = settings.split_once("name=\"version\" value=\"").expect("a version").1.split('"').next();
    let rename = [("name", "Evening course"), ("version", version.expect("it")), ("page", "build")];
    desk.ann.post(&format!("/forms/{}/rename", desk.form.token), &rename).leads();
    let all = versions(&desk.owner, &desk.form);
    has(&all[0], json!({"version": 3, "by": "console", "changes": ["Form renamed"]}));
    assert_eq!(all[0].get("name"), None);
    let page = desk.ann.get(&desk.history()).is(200);
    page.has(["Version 3", "Form renamed", "With a remark", "Remark", "The first version"]);
    page.has(["over the API", &*desk.version(2)]);
    // In the reader's language, over the API too.
    let profile = [("name", "Ann"), ("locale", "zh-CN"), ("timezone", "UTC")];
    desk.ann.post("/profile", &profile).leads();
    assert_eq!(latest(&desk.owner, &desk.form), json!(["表单名称有变"]));
}

#[test]
fn an_old_version_is_looked_at_compared_and_made_the_draft() {
    let desk = desk();
    let track = old("field_2", "radio", json!({"label": "Which track is yours?", "choices": choices(["a", "b"])}));
    let more = field("email", json!({"label": "E-mail"}));
    let edit = json!({"name": "Party", "fields": [track, more], "confirm_data_loss": true});
    desk.owner.patch(desk.form.path(), edit).is(200);
    let now = desk.owner.get(desk.form.path()).is(200).data();
    let page = desk.ann.get(&desk.version(1)).is(200);
    page.has(["Bring it back", "/history/1/preview?canvas=1"]);
    page.has([
        "What bringing it back changes",
        "Not everything can be restored",
        "Your name",
        "its old answers do not",
    ]);
    let preview = desk.ann.get(&format!("{}?canvas=1", desk.preview(1))).is(200);
    preview.has(["Your name", "Track"]).lacks(["E-mail", "Which track", "id=\"forward\""]);
    desk.ann.post(&desk.preview(1), &[("field_1", "Ada")]).is(405);
    let compared = desk.ann.get(&format!("{}?compare=1", desk.version(1))).is(200);
    compared.has(["Then and now", "<ins>Which track is yours?</ins>", "<del>Track</del>", "E-mail", "Party"]);
    // Nothing is published by it, and it is one step.
    let before = desk.labels();
    let led = desk.bring_back(1).leads();
    assert_eq!(led, format!("/forms/{}/build?done=restored", desk.form.token));
    desk.ann.get(&led).is(200).has(["The draft is that version now"]);
    assert_eq!(desk.labels(), ["Your name", "Track"]);
    assert_eq!(desk.draft()["fields"][0]["api_code"], "field_4");
    assert_eq!(desk.owner.get(desk.form.path()).is(200).data(), now);
    desk.ann.post(&format!("/forms/{}/build/undo", desk.form.token), &[]).leads();
    assert_eq!(desk.labels(), before);
    desk.ann.post(&format!("/forms/{}/build/redo", desk.form.token), &[]).leads();
    assert_eq!(desk.labels(), ["Your name", "Track"]);
    desk.publish("").leads();
    assert_eq!(codes(&desk.owner, &desk.form), ["field_4", "field_2"]);
    desk.ann.get(&desk.version(9)).is(404);
    // Rules and the look come along.
    desk.owner.put(desk.form.part("field_rules"), json!({"rules": [rule("show 2: 4 not_null")]})).is(200);
    desk.owner.patch(desk.form.part("theme"), json!({"font": "mono"})).is(200);
    let last = i64::try_from(count(&desk.owner, &desk.form)).expect("few");
    desk.owner.put(desk.form.part("field_rules"), json!({"rules": []})).is(200);
    desk.owner.patch(desk.form.part("theme"), json!({"font": null})).is(200);
    desk.bring_back(last).leads();
    let draft = desk.draft();
    assert_eq!((&draft["rules"], &draft["theme"]["font"]), (&json!([rule("show 2: 4 not_null")]), &json!("mono")));
    // A user who may not publish has no history.
    account(&desk.server, "bob@example.org");
    let bob = desk.server.token("bob@example.org", ALL);
    sharing::share(&desk.owner, &desk.form, &bob, "editor");
    let bob = Session::on(&desk.server).signed_in("bob@example.org");
    bob.get(&desk.history()).is(403);
    bob.get(&desk.version(1)).is(403);
    bob.get(&desk.preview(1)).is(403);
    let page = bob.get(&format!("/forms/{}/build", desk.form.token)).is(200);
    page.lacks([&*desk.history()]);
    bob.post(&format!("{}/restore", desk.version(1)), &[]).is(403);
}
