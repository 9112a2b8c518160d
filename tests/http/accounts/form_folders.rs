//! The pages of one's forms: `/forms` with its folders, `/forms/{form_token}/people`.

use serde_json::json;
use support::session::{Session, account, with_account};
use support::{Caller, Form, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write";

fn form(owner: &Caller, name: &str) -> Form {
    owner.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}))
}

fn ready() -> (Server, Caller, Session) {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, ALL);
    let browser = Session::on(&server).signed_in(email);
    (server, owner, browser)
}

#[test]
fn forms_are_listed_searched_and_moved_into_folders() {
    let (_server, owner, browser) = ready();
    let (party, poll) = (form(&owner, "Garden <party>"), form(&owner, "Poll"));
    let page = browser.get("/forms");
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Garden &lt;party&gt;") && page.text.contains("2 forms"));
    let found = browser.get("/forms?name=GARDEN").text;
    assert!(found.contains(&party.token) && !found.contains(&poll.token));
    assert!(browser.get("/forms?name=zebra").text.contains("No forms match “\u{2068}zebra\u{2069}”."));

    let made = browser.post("/forms/folders", &[("folder_name", "Events"), ("folder", "")]);
    assert_eq!(made.status, 303, "{made}");
    let folder = owner.get("/api/v1/folders").data()[0]["token"].clone();
    let folder = folder.as_str().expect("a token").to_owned();
    assert_eq!(made.header("location"), format!("/forms?folder={folder}"));
    let moved = browser.post(&format!("/forms/{}/folder", party.token), &[("to", &folder), ("folder", "")]);
    assert_eq!((moved.status, moved.header("location")), (303, "/forms"));
    assert_eq!(owner.get(party.path()).data()["folder_token"], folder);
    let top = browser.get("/forms").text;
    assert!(!top.contains(&format!("/f/{}", party.token)) && top.contains("Events"));
    let inside = browser.get(&format!("/forms?folder={folder}")).text;
    assert!(inside.contains(&format!("/f/{}", party.token)));
    // Who searches at the top searches everywhere.
    assert!(browser.get("/forms?name=garden").text.contains(&party.token));

    let again = browser.post("/forms/folders", &[("folder_name", "EVENTS"), ("folder", "")]);
    assert_eq!(again.status, 422);
    assert!(again.text.contains("value=\"EVENTS\""));
    let inner = browser.post("/forms/folders", &[("folder_name", "Inner"), ("folder", &folder)]);
    assert_eq!(inner.status, 303);
    let renamed = browser.post(&format!("/forms/folders/{folder}/rename"), &[("folder_name", "Feasts")]);
    assert_eq!(renamed.status, 303);
    assert_eq!(owner.get(format!("/api/v1/folders/{folder}")).data()["name"], "Feasts");
    let gone = browser.post(&format!("/forms/folders/{folder}/delete"), &[]);
    assert_eq!((gone.status, gone.header("location")), (303, "/forms"));
    assert_eq!(owner.get(party.path()).data()["folder_token"], serde_json::Value::Null);
    assert_eq!(browser.get(&format!("/forms?folder={folder}")).status, 404);
}

#[test]
fn long_lists_go_on() {
    let (_server, owner, browser) = ready();
    for n in 0..52 {
        form(&owner, &format!("Form {n:02}"));
    }
    let page = browser.get("/forms").text;
    assert!(page.contains("Form 51") && page.contains("Form 02") && !page.contains("Form 01"));
    let (_, rest) = page.split_once("button quiet\" href=\"").expect("a way on");
    let next = rest.split('"').next().expect("an address").replace("&amp;", "&");
    let page = browser.get(&next).text;
    assert!(page.contains("Form 01") && page.contains("Form 00") && !page.contains("Form 02"));
    assert_eq!(browser.get("/forms?cursor=x").status, 400);
}

#[test]
fn a_form_is_shared_with_a_colleague_by_address() {
    let (server, owner, browser) = ready();
    account(&server, "bob@example.org");
    let bob = server.token("bob@example.org", ALL);
    let form = form(&owner, "Poll");
    let people = format!("/forms/{}/people", form.token);
    let page = browser.get(&people);
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Not shared with anyone yet.") && page.text.contains("bob@example.org"));
    let shared = browser.post(&people, &[("email", " BOB@example.org "), ("role", "editor")]);
    assert_eq!((shared.status, shared.header("location")), (303, format!("{people}?done=shared").as_str()));
    assert_eq!(bob.get(form.path()).data()["role"], "editor");
    let odd = browser.post(&people, &[("email", "who@example.org"), ("role", "viewer")]);
    assert_eq!(odd.status, 422);
    assert!(odd.text.contains("id=\"email-fault\"") && odd.text.contains("who@example.org"));
    let own = browser.post(&people, &[("email", "ann@example.org"), ("role", "viewer")]);
    assert_eq!(own.status, 422);
    // Editors see the form on their list, and not with whom it is shared.
    let bobs = Session::on(&server).signed_in("bob@example.org");
    let list = bobs.get("/forms").text;
    assert!(list.contains(&form.token) && !list.contains("/people") && list.contains("Editor"));
    assert_eq!(bobs.get(&people).status, 403);
    assert_eq!(bobs.post(&people, &[("email", "bob@example.org"), ("role", "manager")]).status, 403);
    let id = bob.get("/api/v1/me").data()["id"].clone();
    let remove = "/forms/{form_token}/people/{user_id}/remove"
        .replace("{form_token}", &form.token)
        .replace("{user_id}", id.as_str().expect("an id"));
    assert_eq!(bobs.post(&remove, &[]).status, 403);
    let removed = browser.post(&remove, &[]);
    assert_eq!(removed.status, 303);
    assert_eq!(bob.get(form.path()).status, 404);
    assert_eq!(bobs.get(&people).status, 404);
}
