//! An organization on its forms: who changes its settings, which logos are accepted, and where they are seen.

use serde_json::{Value, json};
use support::images::{picture, uploaded};
use support::multipart::Body;
use support::session::Session;
use support::sharing::share;
use support::store::database;
use support::uploads::{files_in, png};
use support::{Caller, Response, at_once, field, text};

use super::{ANN, BOB, anns, events, invited, printed, ran};

const PATH: &str = "/api/v1/organization";
const PAGE: &str = "/members/organization";
const POWERED_BY: &str = "Powered by formsvc";
const DAY_MS: i64 = 24 * 3600 * 1000;

/// A form of the caller's with a query.
fn form_with_query(owner: &Caller, settings: Value) -> (String, String) {
    let form = owner.form_with(json!({"name": "Guest book", "fields": [field("short_text", json!({}))]}));
    owner.patch(form.part("settings"), settings).is(200);
    let query = owner.post(
        "/api/v1/opensearch/queries",
        json!({
            "form_token": form.token, "name": "Who came",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "field_1"}],
        }),
    );
    let query = query.is(201).data()["token"].as_str().expect("a token").to_owned();
    (form.token, query)
}

/// Posts a picture with the page's form, as a browser does.
fn post_logo(browser: &Session, bytes: Option<&[u8]>) -> Response {
    browser.get(PAGE).is(200);
    let body = Body::default().text("csrf", &browser.csrf());
    let body = match bytes {
        Some(bytes) => body.file("image", "logo.png", "image/png", bytes),
        None => body,
    };
    let caller = browser.caller();
    body.send(&caller.header("origin", &caller.base), "/members/organization/logo")
}

#[test]
fn owners_change_the_organization_and_members_read_it() {
    let (server, owner) = anns();
    let ann = server.token(ANN, "form:read form:write");
    ran(&server, &["user", "create", BOB, "--name", "Bob"]);
    let bob = server.token(BOB, "form:read form:write");
    let fresh = bob.get(PATH).is(200);
    assert_eq!(fresh.data()["name_is_shown"], false);
    assert_eq!(
        (&fresh.data()["logo"], &fresh.data()["color"], &fresh.data()["show_powered_by"]),
        (&Value::Null, &Value::Null, &json!(true))
    );
    bob.patch(PATH, json!({"name": 5})).is(403);
    server.token(ANN, "form:read").patch(PATH, json!({"name": "x"})).is(403);
    // All faults are reported at once.
    let odd = json!({"name": " ", "color": "teal", "logo": {"upload_id": "x"}, "show_powered_by": "no"});
    ann.patch(PATH, odd).refuses_with(&[
        "name: can't be blank",
        "logo.upload_id: is not an uploaded file",
        "color: must be a color such as #2563EB",
        "show_powered_by: must be true or false",
    ]);
    let other = uploaded(&ann, "header_image", "image/png", &png(30, 20));
    ann.patch(PATH, json!({"logo": {"upload_id": other}}))
        .refuses_with(&["logo.upload_id: was uploaded for another purpose"]);
    let logo = uploaded(&ann, "organization_logo", "image/png", &png(300, 100));
    let change = json!({"name": "Acme", "color": "#0f766e", "logo": {"upload_id": logo}, "show_powered_by": false});
    let changed = ann.patch(PATH, change).is(200);
    let shown = changed.data();
    assert_eq!(
        shown,
        json!({
            "id": shown["id"], "name": "Acme", "name_is_shown": true, "logo": picture(&ann, &logo),
            "color": "#0F766E", "show_powered_by": false,
        })
    );
    assert_eq!(bob.get(PATH).data(), shown);
    assert_eq!(super::me(&bob)["organization"]["name"], "Acme");
    server.anon().get(format!("/images/{logo}")).is(200);
    // A write with the tag of an older read is refused.
    let before = ann.header("if-match", fresh.header("etag"));
    before.patch(PATH, json!({"name": "Late"})).refuses(412, "version_conflict");
    ann.header("if-match", changed.header("etag")).patch(PATH, json!({"color": null, "logo": null})).is(200);
    assert_eq!(bob.get(PATH).data()["logo"], Value::Null);
    assert_eq!(events(&ann, "organization.updated"), 2);
    owner.get("/audit").has(["Organization changed"]);
    // Of changes at once none is lost.
    let changes = [json!({"name": "Both"}), json!({"color": "#112233"}), json!({"show_powered_by": true})];
    at_once(3, |n| ann.patch(PATH, changes[n].clone()).is(200));
    let all = ann.get(PATH).data();
    assert_eq!(
        (&all["name"], &all["color"], &all["show_powered_by"]),
        (&json!("Both"), &json!("#112233"), &json!(true))
    );
}

#[test]
fn a_form_shows_whose_it_is() {
    let (server, _) = anns();
    let ann = server.token(ANN, "form:read form:write entry:write integration:read integration:write");
    let (form, query) = form_with_query(&ann, json!({}));
    let (closed, _) = form_with_query(&ann, json!({"availability": {"schedule": {"end_at": "2020-01-01T00:00:00Z"}}}));
    let (locked, _) = form_with_query(&ann, json!({"access_control": {"access_password": "sesame"}}));
    let anon = server.anon();
    let receipt = anon.post_form(format!("/f/{form}"), &[("field_1", "x"), ("_page", "0"), ("_action", "submit")]);
    let receipt = receipt.is(303).header("location").to_owned();
    let exam = json!({"name": "Exam", "scene": "exam", "fields": [field("short_text", json!({}))]});
    let exam = ann.form_with(exam);
    ann.patch(exam.part("settings"), json!({"exam": {"duration_minutes": 30}})).is(200);
    let pages = [format!("/f/{form}"), format!("/f/{closed}"), receipt, format!("/q/{query}"), exam.page()];
    for page in &pages {
        // The name of an organization that nobody named is its first user's.
        anon.get(page).is(200).has([POWERED_BY]).lacks(["masthead", "--band", "Ann &lt;b&gt;"]);
    }
    let logo = uploaded(&ann, "organization_logo", "image/png", &png(300, 100));
    let change = json!({"name": "A & B", "color": "#0F766E", "logo": {"upload_id": logo}, "show_powered_by": false});
    ann.patch(PATH, change).is(200);
    let image = format!("<img src=\"/images/{logo}\"");
    for page in &pages {
        let shown = anon.get(page).is(200);
        shown.has([image.as_str(), "<bdi>A &amp; B</bdi>", ":root{--band:#0f766e}"]).lacks([POWERED_BY]);
        assert!(shown.text.find("masthead") < shown.text.find("<h1"), "above the title: {shown}");
    }
    // In another site's frame no organization is shown; and a form behind a password reveals nothing.
    anon.get(format!("/f/{form}?embed=1")).is(200).lacks(["masthead", "--band"]);
    anon.get(format!("/f/{locked}")).is(403).lacks([image.as_str(), "A &amp; B", "--band", POWERED_BY]);
    // The form's colour comes before the organization's.
    ann.patch(format!("/api/v1/forms/{form}/theme"), json!({"primary_color": "#7C3AED"})).is(200);
    anon.get(&pages[0]).has([":root{--band:var(--accent)}"]).lacks(["#0f766e"]);
    ann.patch(PATH, json!({"logo": null, "color": null, "show_powered_by": true})).is(200);
    anon.get(&pages[1]).has(["<bdi>A &amp; B</bdi>", POWERED_BY]).lacks([image.as_str(), "--band"]);
}

#[test]
fn a_logo_stays_as_long_as_it_is_one() {
    let (server, _) = anns();
    let ann = server.token(ANN, "form:read form:write");
    let count = || files_in(&server.dir, "blobs").len();
    let later = || {
        let ages =
            ["UPDATE images SET idle_since = idle_since - ?1", "UPDATE uploads SET created_at = created_at - ?1"];
        for age in ages {
            database(&server.dir).execute(age, [DAY_MS]).expect("ages");
        }
        ran(&server, &["jobs", "run-once", "files"]);
    };
    let set = |size: u32| {
        let logo = uploaded(&ann, "organization_logo", "image/png", &png(size, 100));
        ann.patch(PATH, json!({"logo": {"upload_id": logo}})).is(200);
    };
    set(300);
    later();
    assert_eq!(count(), 1);
    ran(&server, &["doctor"]);
    // A file that `doctor` counts anew is still the organization's logo.
    database(&server.dir).execute("UPDATE images SET uses = 0, idle_since = 0", []).expect("changed");
    let found = text(&server.run(&["doctor"]).stdout);
    assert!(found.contains("1 stored file is unused or miscounted"), "{found}");
    ran(&server, &["doctor", "--fix"]);
    later();
    assert_eq!(count(), 1);
    set(301);
    assert_eq!(count(), 2);
    later();
    assert_eq!(count(), 1);
    ann.patch(PATH, json!({"logo": null})).is(200);
    later();
    assert_eq!(count(), 0);
}

#[test]
fn an_owner_sets_name_colour_and_logo_on_a_page() {
    let (server, owner) = anns();
    let ann = server.token(ANN, "form:read form:write");
    owner.get("/members").has([PAGE]);
    owner.get(PAGE).is(200).has(["Made up from your name"]);
    let was = [("was_name", "Ann <b>Lee</b>"), ("was_color", ""), ("was_show_powered_by", "on")];
    let save = |typed: &[(&str, &str)]| owner.post(PAGE, &[&was[..], typed].concat());
    // Saving the made-up name makes it the organization's name.
    save(&[("name", "Ann <b>Lee</b>"), ("color", ""), ("show_powered_by", "on")])
        .leads_to("/members/organization?done=saved");
    assert_eq!(ann.get(PATH).data()["name_is_shown"], true);
    save(&[("name", ""), ("color", "teal")]).is(422).has(["Enter a color such as #0F766E", "Fill in this field"]);
    // Another owner saves the colour meanwhile, and then the name too.
    ann.patch(PATH, json!({"color": "#FFFF00"})).is(200);
    save(&[("name", "Acme"), ("color", "")]).is(303);
    let set = ann.get(PATH).data();
    assert_eq!(
        (&set["name"], &set["color"], &set["show_powered_by"]),
        (&json!("Acme"), &json!("#FFFF00"), &json!(false))
    );
    owner.get(PAGE).has(["1.1 to 1 against a white page, where 3 is needed", "value=\"Acme\""]);
    let late = save(&[("name", "Mine"), ("color", "")]).is(409);
    late.has(["Someone else has just saved something else", "value=\"Mine\"", "value=\"#FFFF00\""]);
    // The picture comes with a plain post.
    let mut pixels = png(300, 100);
    pixels.extend(b"taken at 52.5 N 13.4 E");
    post_logo(&owner, Some(&pixels)).leads_to("/members/organization?done=logo");
    let logo = ann.get(PATH).data()["logo"]["id"].as_str().expect("an id").to_owned();
    let served = server.anon().get(format!("/images/{logo}")).is(200);
    assert!(!served.text.contains("taken at"), "metadata is removed");
    owner.get(PAGE).has([&format!("<img src=\"/images/{logo}\"")]);
    let (wide, large) = (png(20_000, 10), vec![0; (5 << 20) + 1]);
    for (bytes, words) in [
        (Some(&b"<svg/>"[..]), "This isn’t a picture that pages can show"),
        (Some(wide.as_slice()), "This picture has too many pixels"),
        (Some(large.as_slice()), "Choose one of up to 5 MB"),
        (None, "Choose a picture first"),
    ] {
        let refused = post_logo(&owner, bytes).is_for(422, words);
        assert!(page_text(&refused).contains(words), "{words}: {refused}");
    }
    assert_eq!(ann.get(PATH).data()["logo"]["id"], logo.as_str());
    owner.post("/members/organization/logo/remove", &[]).leads_to("/members/organization?done=removed");
    assert_eq!(ann.get(PATH).data()["logo"], Value::Null);
}

/// Without the marks around names and numbers.
fn page_text(page: &Response) -> String {
    page.text.replace(['\u{2068}', '\u{2069}'], "")
}

#[test]
fn members_see_no_page_of_the_organization() {
    let (server, owner) = anns();
    let joined = Session::on(&server);
    let path = invited(&server, &owner, "member");
    joined.get(&path);
    joined.post(&path, &super::members::typed(BOB)).is(303);
    joined.get("/members").is(200).lacks([PAGE]);
    joined.get(PAGE).is(403);
    joined.post(PAGE, &[("name", "Bob's")]).is(403);
    joined.post("/members/organization/logo/remove", &[]).is(403);
    // Nor does a visitor without a session leave a file.
    let count = files_in(&server.dir, "blobs").len();
    let caller = server.anon();
    let body = Body::default().text("csrf", "x").file("image", "a.png", "image/png", &png(30, 20));
    body.send(&caller.header("origin", &caller.base), "/members/organization/logo").is(403);
    assert_eq!(files_in(&server.dir, "blobs").len(), count);
}

#[test]
fn who_is_of_another_organization_is_named_as_such() {
    let (server, owner) = anns();
    let all = "form:read form:write integration:read integration:write";
    let ann = server.token(ANN, all);
    let created = |args: &[&str]| printed(&server, &[&["user", "create"], args].concat());
    // The chosen organization is named.
    let bob = server.run(&["user", "create", BOB, "--name", "Bob"]);
    let said = text(&bob.stderr);
    assert!(said.contains("bob@example.org is a member of Ann <b>Lee</b>"), "{said}");
    let eve = created(&["eve@example.org", "--name", "Eve", "--organization", "Elsewhere"]);
    assert_eq!((&eve["organization"]["name"], &eve["organization"]["role"]), (&json!("Elsewhere"), &json!("owner")));
    let form = ann.form(json!([field("short_text", json!({}))]));
    share(&ann, &form, &server.token(BOB, "form:read"), "editor");
    let listed = |caller: &Caller| caller.get(form.part("collaborators")).is(200).data()[0].clone();
    assert_eq!(listed(&ann).get("other_organization"), None);
    // The form goes to somebody elsewhere; whom it was shared with stays.
    owner.get("/members");
    let moved = "UPDATE forms SET owner_id = (SELECT id FROM users WHERE email = 'eve@example.org')";
    database(&server.dir).execute(moved, []).expect("moved");
    let eve = server.token("eve@example.org", all);
    assert_eq!(listed(&eve)["other_organization"], "Ann <b>Lee</b>");
}
