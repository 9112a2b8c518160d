//! The pages of the user's forms: `/forms` with its folders, `/forms/{form_token}/people`.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::id;
use support::{Caller, Form, Server, field};

use super::{ALL, ANN, BOB, anns};

fn form(owner: &Caller, name: &str) -> Form {
    owner.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}))
}

fn ready() -> (Server, Caller, Session) {
    let (server, browser) = anns();
    let owner = server.token(ANN, ALL);
    (server, owner, browser)
}

#[test]
fn forms_are_listed_searched_and_moved_into_folders() {
    let (_server, owner, browser) = ready();
    let (party, poll) = (form(&owner, "Garden <party>"), form(&owner, "Poll"));
    let address = format!("/forms/{}\"", party.token);
    browser.get("/forms").is(200).has(["Garden &lt;party&gt;", "2 forms"]);
    browser.get("/forms?name=GARDEN").has([&party.token]).lacks([&poll.token]);
    browser.get("/forms?name=zebra").has(["No forms match “\u{2068}zebra\u{2069}”."]);

    let made = browser.post("/forms/folders", &[("folder_name", "Events"), ("folder", "")]);
    let folder = owner.get("/api/v1/folders").data()[0]["token"].clone();
    let folder = folder.as_str().expect("a token");
    let inside = format!("/forms?folder={folder}");
    made.leads_to(&inside);
    browser.post(&format!("/forms/{}/folder", party.token), &[("to", folder), ("folder", "")]).leads_to("/forms");
    assert_eq!(owner.get(party.path()).data()["folder_token"], folder);
    // All forms come first, each with its folder; then those outside of all.
    browser.get("/forms").has(["2 forms", &address, &*format!("Folder: <a href=\"{inside}\">")]);
    browser.get("/forms?folder=none").has(["Poll"]).lacks([&address]);
    browser.get(&inside).has([&address]).lacks(["Poll"]);
    let count = |words: &str, count: i64| format!("{words}</span> <span class=\"muted small\">{count}</span>");
    browser.get(&inside).has([count("All forms", 2), count("No folder", 1), count("Events</bdi>", 1)]);
    // A search at the top searches everywhere.
    browser.get("/forms?name=garden").has([&party.token]);

    browser.post("/forms/folders", &[("folder_name", "Inner"), ("folder", folder)]).is(303);
    browser.post(&format!("/forms/folders/{folder}/rename"), &[("folder_name", "Feasts")]).is(303);
    assert_eq!(owner.get(format!("/api/v1/folders/{folder}")).data()["name"], "Feasts");
    // The tree has all folders wherever one is, each in its own.
    let inner = owner.get("/api/v1/folders").data();
    let inner = inner.as_array().and_then(|all| all.iter().find(|it| it["name"] == "Inner")).expect("the inner one");
    let inner = format!("/forms?folder={}", inner["token"].as_str().expect("a token"));
    for here in ["/forms", "/forms?folder=none", &inside, &inner] {
        let page = browser.get(here).is(200);
        let (_, tree) = page.text.split_once("class=\"folder-tree\"").expect("a tree");
        let (tree, _) = tree.split_once("</nav>").expect("its end");
        assert_eq!(tree.matches("<ul").count(), 2, "{tree}");
        let current = tree.split("<a ").find(|link| link.contains("aria-current=\"page\"")).expect("a current one");
        assert!(current.starts_with(&format!("href=\"{here}\"")), "{current}");
    }
    browser.get("/forms").has(["forms.js", "Move the form to a folder", "Entries of the form"]);
    browser.post(&format!("/forms/folders/{folder}/delete"), &[]).leads_to("/forms");
    assert_eq!(owner.get(party.path()).data()["folder_token"], Value::Null);
    browser.get(&inside).is(404);
}

#[test]
fn long_lists_of_forms_go_on() {
    let (_server, owner, browser) = ready();
    for n in 0..52 {
        form(&owner, &format!("Form {n:02}"));
    }
    let page = browser.get("/forms");
    page.has(["Form 51", "Form 02"]).lacks(["Form 01"]);
    let next = page.text.split("button quiet\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let next = next.expect("a way on").replace("&amp;", "&");
    browser.get(&next).has(["Form 01", "Form 00"]).lacks(["Form 02"]);
    browser.get("/forms?cursor=x").is(400);
}

#[test]
fn a_form_is_shared_with_a_colleague_by_address() {
    let (server, owner, browser) = ready();
    account(&server, BOB);
    let bob = server.token(BOB, ALL);
    let form = form(&owner, "Poll");
    let people = format!("/forms/{}/people", form.token);
    browser.get(&people).is(200).has(["Not shared with anyone yet.", BOB]);
    let typed = [("email", " BOB@example.org "), ("role", "editor")];
    browser.post(&people, &typed).leads_to(&format!("{people}?done=shared"));
    assert_eq!(bob.get(form.path()).data()["role"], "editor");
    // Editors see the form on their list, and not with whom it is shared.
    let bobs = Session::on(&server).signed_in(BOB);
    bobs.get("/forms").has([&form.token, "Editor"]).lacks(["/people"]);
    bobs.get(&people).is(403);
    bobs.post(&people, &[("email", BOB), ("role", "manager")]).is(403);
    let remove = "/forms/{form_token}/people/{user_id}/remove";
    let remove = remove.replace("{form_token}", &form.token).replace("{user_id}", &id(&bob));
    bobs.post(&remove, &[]).is(403);
    browser.post(&remove, &[]).is(303);
    bob.get(form.path()).is(404);
    bobs.get(&people).is(404);
}
