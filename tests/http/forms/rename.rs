//! Another name for a form, typed in the head of its pages.

use serde_json::json;
use support::session::{Session, account};
use support::{Server, field};

const ANN: &str = "ann@example.org";

#[test]
fn managers_rename_a_form_where_its_name_stands() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form_with(json!({"name": "Party <b>", "fields": [field("short_text", json!({}))]}));
    let name = || owner.get(form.path()).is(200).data()["name"].clone();
    let rename = format!("/forms/{}/rename", form.token);
    let browser = Session::on(&server).signed_in(ANN);
    let version = |from: &str| {
        let page = browser.get(&format!("/forms/{}/{from}", form.token)).is(200);
        page.has(["Name of the form", "popovertarget=\"rename\"", &format!("name=\"page\" value=\"{from}\"")]);
        let (_, rest) = page.text.split_once("name=\"version\" value=\"").expect("a version");
        rest.split('"').next().expect("its end").to_owned()
    };
    let loaded = version("share");
    let send = |typed: &str, version: &str, page: &str| {
        browser.post(&rename, &[("name", typed), ("version", version), ("page", page)])
    };
    send("Summer party", &loaded, "share").leads_to(&format!("/forms/{}/share", form.token));
    assert_eq!(name(), "Summer party");
    // A name that nobody changes is no conflict, and odd pages lead to the form.
    send("Summer party", &loaded, "https://evil.example/").leads_to(&format!("/forms/{}/", form.token));
    send("Summer party", &loaded, &"a".repeat(70_000)).leads_to(&format!("/forms/{}/", form.token));
    // The question that was open in the builder stays open.
    let build = browser.get(&format!("/forms/{}/build?field=field_1", form.token)).is(200);
    build.has(["name=\"field\" value=\"field_1\""]);
    let from_builder = |field: &str| {
        browser.post(&rename, &[("name", "Summer party"), ("version", &loaded), ("page", "build"), ("field", field)])
    };
    from_builder("field_1").leads_to(&format!("/forms/{}/build?field=field_1", form.token));
    from_builder(&"a".repeat(70_000)).leads_to(&format!("/forms/{}/build", form.token));
    from_builder("x&y").leads_to(&format!("/forms/{}/build", form.token));
    // Somebody else gave it another one: what was typed stays, and is sent with the new one known.
    owner.patch(form.path(), json!({"name": "Garden <i>"})).is(200);
    let told = send("Lawn party", &loaded, "entries").is(412);
    told.has([
        "Somebody renamed it to “\u{2068}Garden &lt;i&gt;\u{2069}” meanwhile",
        "value=\"Lawn party\"",
        "id=\"new-name\"",
    ]);
    assert_eq!(name(), "Garden <i>");
    send("Lawn party", &version("entries"), "entries").leads();
    assert_eq!(name(), "Lawn party");
    for typed in ["", &"x".repeat(300)] {
        let refused = send(typed, &version("entries"), "entries").is(422);
        refused.has(["id=\"new-name-fault\"", &format!("value=\"{typed}\"")]);
    }
    assert_eq!(name(), "Lawn party");
    // Others neither see it nor may do it.
    for (role, status) in [("viewer", 403), ("editor", 403), ("manager", 303)] {
        let email = format!("{role}@example.org");
        account(&server, &email);
        owner.put(format!("/api/v1/forms/{}/collaborators/{email}", form.token), json!({"role": role})).is(200);
        let other = Session::on(&server).signed_in(&email);
        let page = other.get(&format!("/forms/{}/entries", form.token)).is(200);
        assert_eq!(page.text.contains("popovertarget=\"rename\""), status == 303, "{role}");
        other.post(&rename, &[("name", "Lawn party"), ("version", ""), ("page", "")]).is_for(status, role);
    }
    account(&server, "stranger@example.org");
    let stranger = Session::on(&server).signed_in("stranger@example.org");
    stranger.get("/forms").is(200);
    stranger.post(&rename, &[("name", "x")]).is(404);
}
