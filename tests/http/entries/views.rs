//! Saved views of a form's entries.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::steps::add;
use support::store::database;
use support::{Caller, Form, Response, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";
const OWNER: &str = "ann@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

/// A form of a text and a number with four entries.
fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, OWNER);
    let owner = server.token(OWNER, ALL);
    let form = owner
        .form(json!([field("short_text", json!({"label": "Town"})), field("number", json!({"label": "Guests"})),]));
    for n in 1..=4 {
        let town = if n % 2 == 0 { "Evenford" } else { "Oddham" };
        add(&owner, &form, json!({"field_1": format!("{town} {n}"), "field_2": n * 10}));
    }
    let browser = Session::on(&server).signed_in(OWNER);
    Desk { server, owner, form, browser }
}

impl Desk {
    fn list(&self) -> String {
        format!("/forms/{}/entries", self.form.token)
    }

    fn views(&self) -> String {
        format!("/forms/{}/views", self.form.token)
    }

    fn view(&self, token: &str) -> String {
        format!("/forms/{}/views/{token}", self.form.token)
    }

    /// Somebody with a role in the form, in a browser of theirs.
    fn person(&self, role: &str) -> Session {
        let email = format!("{role}@example.org");
        account(&self.server, &email);
        share(&self.owner, &self.form, &self.server.token(&email, "form:read"), role);
        let browser = Session::on(&self.server).signed_in(&email);
        browser.get(&self.list()).is(200);
        browser
    }
}

/// Saves a view; where it leads, and its token.
fn saved(desk: &Desk, browser: &Session, name: &str, query: &str, more: &[(&str, &str)]) -> (String, String) {
    let fields = [&[("view_name", name), ("query", query)], more].concat();
    let led = browser.post(&desk.views(), &fields).leads();
    let (_, token) = led.rsplit_once("view=").expect("a view");
    (led.clone(), token.to_owned())
}

/// The tabs of a page: the name of each with its address; the current one is marked.
fn tabs(page: &Response) -> Vec<(String, String, bool)> {
    let Some((_, rest)) = page.text.split_once("class=\"view-tabs\"") else {
        return Vec::new();
    };
    let bar = rest.split("</nav>").next().expect("its end");
    let tab = |text: &str| {
        let address = text.split('"').next().expect("an address").replace("&amp;", "&");
        let (head, label) = text.split_once('>').expect("a label");
        let label = label.split("</a>").next().expect("its end").replace("<bdi>", "").replace("</bdi>", "");
        let label = label.split(" <span").next().expect("a label").to_owned();
        (label, address, head.contains("aria-current"))
    };
    bar.split("<a href=\"").skip(1).map(tab).collect()
}

fn names(page: &Response) -> Vec<String> {
    tabs(page).into_iter().map(|(name, ..)| name).collect()
}

#[test]
fn a_view_is_a_named_address_and_a_changed_one_offers_to_be_saved() {
    let desk = desk();
    // Without anything to save nothing is shown.
    let page = desk.browser.get(&desk.list()).is(200);
    page.lacks(["view-tabs", "Save view"]);
    let filters = json!([{"field": "field_2", "operator": "gt", "value": 15}]).to_string();
    let page = desk.browser.get(&format!("{}?keyword=even&sort=field_2&columns=field_1", desk.list())).is(200);
    page.has(["Save view", "name=\"query\" value=\"keyword=even&amp;sort=field_2&amp;columns=field_1\""]);
    let (led, token) = saved(&desk, &desk.browser, "Even towns", "keyword=even&sort=field_2&columns=field_1&x=1", &[]);
    assert_eq!(led, format!("{}?keyword=even&sort=field_2&columns=field_1&view={token}", desk.list()));
    let page = desk.browser.get(&led).is(200);
    page.has(["2 of 4", "Edit view"]).lacks(["Save changes", "Save as"]);
    let all = ("All".to_owned(), desk.list(), false);
    assert_eq!(tabs(&page), [all, ("Even towns".to_owned(), led.clone(), true)]);
    // Pages of its entries keep the view.
    page.has([&format!("view={token}\">2</a>")]);
    // Another order is a change: saved as its own or in the view's place.
    let changed = format!("{}?keyword=even&sort=-field_2&columns=field_1&view={token}", desk.list());
    let page = desk.browser.get(&changed).is(200);
    page.has(["Save changes", "Save as"]).lacks(["Edit view"]);
    let led = desk.browser.post(&desk.view(&token), &[("query", "keyword=even&sort=-field_2&columns=field_1")]).leads();
    assert_eq!(led, changed);
    desk.browser.get(&led).is(200).lacks(["Save changes"]);
    // Taking all conditions away is a change too.
    desk.browser.get(&format!("{}?view={token}", desk.list())).is(200).has(["Save changes"]).lacks(["Save as"]);
    desk.browser.post(&desk.view(&token), &[("query", "")]).leads_to(&format!("{}?view={token}", desk.list()));
    // Renamed, then deleted after a question.
    let led = desk.browser.post(&desk.view(&token), &[("view_name", " Towns ")]).leads();
    assert_eq!(names(&desk.browser.get(&led).is(200)), ["All", "Towns"]);
    let delete = format!("/forms/{}/views/{token}/delete", desk.form.token);
    desk.browser.get(&delete).is(200).has(["Delete the view", "Towns", "No entry is deleted"]);
    desk.browser.post(&delete, &[]).leads_to(&desk.list());
    desk.browser.get(&desk.list()).is(200).lacks(["view-tabs"]);
    // An address with a view that is gone is the list that it says.
    desk.browser.get(&format!("{}?keyword=even&view={token}", desk.list())).is(200).has(["2 of 4", "Save view"]);
    desk.browser.get(&delete).is(404);
    desk.browser.post(&desk.view(&token), &[("view_name", "x")]).is(404);
    // A condition is passed on unchanged.
    let (led, _) = saved(&desk, &desk.browser, "Many", &form_encoded("filters", &filters), &[]);
    desk.browser.get(&led).is(200).has(["3 of 4", "Edit view"]);
}

fn form_encoded(name: &str, value: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
}

#[test]
fn a_view_is_ones_own_unless_a_manager_shares_it() {
    let desk = desk();
    let [viewer, editor, manager] = ["viewer", "editor", "manager"].map(|role| desk.person(role));
    let (_, own) = saved(&desk, &viewer, "Mine", "keyword=odd", &[]);
    let (shared, token) = saved(&desk, &manager, "For all", "keyword=even", &[("is_shared", "true")]);
    assert_eq!(names(&viewer.get(&desk.list()).is(200)), ["All", "Mine", "For all"]);
    assert_eq!(names(&editor.get(&desk.list()).is(200)), ["All", "For all"]);
    let report = format!("/forms/{}/report", desk.form.token);
    let page = viewer.get(&format!("{report}?keyword=odd&view={own}")).is(200);
    assert_eq!(tabs(&page)[2].1, format!("{report}?keyword=even&view={token}"));
    page.lacks(["Edit view", "Save changes"]);
    // Viewers have no control for shared views, and can't change them either.
    let page = viewer.get(&shared).is(200);
    page.has(["2 of 4"]).lacks(["Edit view", "is_shared"]);
    let page = viewer.get(&format!("{}?keyword=odd&view={token}", desk.list())).is(200);
    page.has(["Save as"]).lacks(["Save changes", "is_shared"]);
    viewer.post(&desk.view(&token), &[("query", "keyword=odd")]).is(403);
    viewer.post(&desk.view(&token), &[("view_name", "Theirs")]).is(403);
    let delete = format!("/forms/{}/views/{token}/delete", desk.form.token);
    viewer.get(&delete).is(403);
    viewer.post(&delete, &[]).is(403);
    viewer.post(&desk.views(), &[("view_name", "x"), ("query", "keyword=x"), ("is_shared", "true")]).is(403);
    viewer.post(&desk.view(&own), &[("view_name", "Mine"), ("is_shared", "true")]).is(403);
    // Nobody else has the own one; every manager has the shared one.
    editor.post(&desk.view(&own), &[("view_name", "x")]).is(404);
    desk.browser.get(&desk.list());
    desk.browser.post(&desk.view(&own), &[("view_name", "x")]).is(404);
    desk.browser.post(&desk.view(&token), &[("view_name", "Everyone"), ("is_shared", "true")]).leads();
    assert_eq!(names(&viewer.get(&desk.list())), ["All", "Mine", "Everyone"]);
    // No longer shared, it is its maker's again.
    desk.browser.post(&desk.view(&token), &[("view_name", "Everyone")]).leads();
    assert_eq!(names(&viewer.get(&desk.list())), ["All", "Mine"]);
    assert_eq!(names(&manager.get(&desk.list())), ["All", "Everyone"]);
    // A stranger finds none of it.
    account(&desk.server, "stranger@example.org");
    let stranger = Session::on(&desk.server).signed_in("stranger@example.org");
    for post in [desk.views(), desk.view(&token), delete] {
        stranger.post(&post, &[("view_name", "x"), ("query", "keyword=x")]).is_for(404, post);
    }
}

#[test]
fn names_are_told_apart_and_there_is_a_limit() {
    let desk = desk();
    let manager = desk.person("manager");
    saved(&desk, &desk.browser, "Odd", "keyword=odd", &[]);
    let (_, shared) = saved(&desk, &manager, "For all", "keyword=even", &[("is_shared", "true")]);
    let refused = |name: &str, query: &str| {
        desk.browser.post(&desk.views(), &[("view_name", name), ("query", query), ("is_shared", "true")]).is(422)
    };
    for name in ["odd", " ODD ", "For all"] {
        let page = refused(name, "keyword=kept");
        page.has(["There is a view with this name already", "name=\"query\" value=\"keyword=kept\"", "checked"]);
        page.has([format!("value=\"{name}\"")]);
    }
    refused("", "keyword=kept").has(["Fill in this field"]);
    refused(&"x".repeat(101), "keyword=kept").has(["100"]);
    refused("Long", &format!("keyword={}", "x".repeat(9_000))).has(["too many conditions or columns"]);
    let taken = desk.browser.post(&desk.view(&shared), &[("view_name", "Odd"), ("is_shared", "true")]).is(422);
    taken.has(["There is a view with this name already"]);
    for n in 1..50 {
        saved(&desk, &desk.browser, &format!("View {n}"), "keyword=odd", &[]);
    }
    refused("One more", "keyword=odd").has(["You have 50 views of this form"]);
    // Others have their own.
    saved(&desk, &manager, "One more", "keyword=odd", &[]);
}

#[test]
fn a_view_of_a_removed_question_opens_with_what_is_left() {
    let desk = desk();
    let filters = json!([
        {"field": "field_2", "operator": "gt", "value": 15},
        {"field": "field_1", "operator": "like", "value": "Even"},
    ]);
    let query = [
        form_encoded("filters", &filters.to_string()),
        "sort=-field_2".to_owned(),
        "columns=field_1,field_2:wide,created_at".to_owned(),
    ];
    let (led, token) = saved(&desk, &desk.browser, "Large", &query.join("&"), &[]);
    desk.browser.get(&led).is(200).has(["2 of 4"]).lacks(["Part of this view"]);
    let fields = json!({"fields": [desk.form.body["fields"][0]], "confirm_data_loss": true});
    desk.owner.patch(desk.form.path(), fields).is(200);
    let page = desk.browser.get(&desk.list()).is(200);
    let (_, address, _) = tabs(&page).remove(1);
    let left = json!([{"field": "field_1", "operator": "like", "value": "Even"}]).to_string();
    let left = format!("{}&columns=field_1%2Ccreated_at", form_encoded("filters", &left));
    assert_eq!(address, format!("{}?{left}&view={token}", desk.list()));
    let page = desk.browser.get(&address).is(200);
    page.has(["2 of 4", "Part of this view is left out", "Save changes"]);
    desk.browser.post(&desk.view(&token), &[("query", &left)]).leads_to(&address);
    desk.browser.get(&address).is(200).lacks(["Part of this view", "Save changes"]);
}

#[test]
fn views_go_with_their_form_and_their_maker() {
    let desk = desk();
    let manager = desk.person("manager");
    saved(&desk, &desk.browser, "Own", "keyword=odd", &[]);
    saved(&desk, &manager, "Theirs", "keyword=odd", &[]);
    saved(&desk, &manager, "For all", "keyword=even", &[("is_shared", "true")]);
    let left = || -> Vec<String> {
        let database = database(&desk.server.dir);
        let mut rows = database.prepare("SELECT name FROM saved_views ORDER BY id").expect("a table");
        rows.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a name")).collect()
    };
    // A user who no longer sees the form leaves the shared views behind.
    let people = desk.owner.get(desk.form.part("collaborators")).is(200).data();
    let id =
        people.as_array().expect("people").iter().find(|one| one["role"] == "manager").expect("one")["user_id"].clone();
    desk.owner.delete(format!("{}/{}", desk.form.part("collaborators"), id.as_str().expect("an id"))).is(200);
    assert_eq!(left(), ["Own", "For all"]);
    // A copy of the form has none of them.
    let copy = desk.owner.post(desk.form.part("copy"), json!({})).is(201).data();
    let copied = format!("/forms/{}/entries", copy["token"].as_str().expect("a token"));
    desk.browser.get(&copied).is(200).lacks(["view-tabs"]);
    let gone = support::formsvc(&desk.server.dir, &["user", "delete", "manager@example.org", "--yes"], "");
    assert!(gone.status.success(), "{}", support::text(&gone.stderr));
    assert_eq!(left(), ["Own"]);
}

/// The table stores text alone: nothing of it is read as markup.
#[test]
fn a_name_is_text() {
    let desk = desk();
    let (led, _) = saved(&desk, &desk.browser, "<b>Bold</b>", "keyword=odd", &[]);
    desk.browser.get(&led).is(200).has(["&lt;b&gt;Bold&lt;/b&gt;"]).lacks(["<b>Bold"]);
    let data: Value = desk.owner.get(desk.form.path()).is(200).data();
    assert_eq!(data.get("views"), None);
}
