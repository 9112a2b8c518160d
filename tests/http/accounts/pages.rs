//! Account pages as a program sees them: what is shown once and to whom, what is asked before it is done, and what is
//! not told.

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account, shown, with_account};
use support::{Server, text};

const BOB: &str = "bob@example.org";

#[test]
fn a_new_secret_is_for_the_session_that_made_it_once() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let other = Session::on(&server).signed_in(email);
    for (post, page, pairs, id) in [
        ("/profile/tokens", "/profile/tokens/made", &[("token_name", "x"), ("scopes", "form:read")][..], "token"),
        ("/members/invitations", "/members/invitations/made", &[("role", "member")], "link"),
    ] {
        let mark = format!("id=\"{id}\"");
        let led = browser.post(post, pairs);
        assert_eq!((led.status, led.header("location")), (303, page));
        assert!(led.text.is_empty(), "{led}");
        // Another session of the same person sees nothing, and looking at the headers spends nothing.
        assert!(!other.get(page).text.contains(&mark), "{page}");
        assert_eq!(browser.caller().send("HEAD", page, None, b"").status, 405);
        let made = browser.get(page);
        assert_eq!((made.status, made.header("cache-control")), (200, "no-store"));
        assert!(!shown(&made.text, id).is_empty());
        let again = browser.get(page);
        assert_eq!(again.status, 200);
        assert!(!again.text.contains(&mark) && again.text.contains("shown only once"));
        assert_eq!(Session::on(&server).get(page).status, 303);
    }
}

#[test]
fn a_question_changes_nothing_and_is_asked_of_who_may_answer_it() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    account(&server, BOB);
    let ann = server.token(email, "form:read form:write");
    let browser = Session::on(&server).signed_in(email);
    let bob = Session::on(&server).signed_in(BOB);
    let number = browser.get("/profile").text;
    let number = number.split("/profile/tokens/").nth(1).expect("a row");
    let number = number.split('/').next().expect("a number").to_owned();
    let revoke = format!("/profile/tokens/{number}/revoke");
    let id = server.token(BOB, "form:read").get("/api/v1/me").data()["id"].clone();
    let disable = format!("/members/{}/disable", id.as_str().expect("an id"));
    let folder = ann.post("/api/v1/folders", json!({"name": "<i>Events</i>"})).data();
    let delete = format!("/forms/folders/{}/delete", folder["token"].as_str().expect("a token"));
    for (path, name) in [
        (&revoke, "test"),
        (&disable, "Ann &lt;b&gt;Lee&lt;/b&gt;"),
        (&delete, "&lt;i&gt;Events&lt;/i&gt;"),
        (&"/profile/sessions/end".to_owned(), "everywhere else"),
    ] {
        let page = browser.get(path);
        assert_eq!(page.status, 200, "{path}: {page}");
        assert!(page.text.contains(name), "{path}");
        assert!(page.text.contains(&format!("action=\"{path}\"")), "the yes posts to the same address: {path}");
    }
    assert_eq!(ann.get("/api/v1/me").status, 200);
    assert_eq!(bob.get("/profile").status, 200);
    assert_eq!(ann.get("/api/v1/folders").data()[0]["token"], folder["token"]);
    // Not of others, nor of what is not there.
    for (path, status) in [
        (revoke.as_str(), 404),
        (&disable, 403),
        (&delete, 403),
        ("/profile/tokens/x/revoke", 404),
        ("/profile/apps/x/disconnect", 404),
        ("/members/invitations/1/revoke", 403),
        ("/forms/folders/x/delete", 404),
        ("/forms/x/people/y/remove", 404),
        ("/forms/x/folder", 404),
        ("/forms/x/link", 404),
    ] {
        assert_eq!(bob.get(path).status, status, "{path}");
    }
    assert_eq!(browser.post(&revoke, &[]).status, 303);
    assert_eq!(ann.get("/api/v1/me").status, 401);
    assert_eq!(browser.get(&revoke).status, 404);
}

#[test]
fn faults_of_people_keep_the_navigation_and_say_as_whom() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    account(&server, BOB);
    let bob = Session::on(&server).signed_in(BOB);
    for (path, status, words) in [
        ("/audit", 403, "Only owners can do this"),
        ("/nowhere", 404, "Page not found"),
        ("/f/nothinghere", 404, "This form can’t be found"),
        ("/forms/nothinghere/people", 404, "This form can’t be found"),
    ] {
        let page = bob.get(path);
        assert_eq!(page.status, status, "{path}");
        for part in [words, "href=\"/members\"", BOB, "href=\"/forms\""] {
            assert!(page.text.contains(part), "{path}: {part}");
        }
        assert!(!page.text.contains("too long"), "{path}");
        // A stranger is told of nobody.
        let page = Session::on(&server).get(path);
        assert!(!page.text.contains("/sign-out"), "{path}");
    }
    // Only what does not come from a page of this session is said to be too old.
    bob.get("/profile");
    let stale = bob.caller().header("origin", &server.base).post_form("/profile", &[("csrf", "x")]);
    assert_eq!(stale.status, 403);
    assert!(stale.text.contains("open for too long") && stale.text.contains("href=\"/members\""));
    // Another's folder is neither.
    let ann = server.token(email, "form:write");
    let folder = ann.post("/api/v1/folders", json!({"name": "x"})).data();
    let path = format!("/forms?folder={}", folder["token"].as_str().expect("one"));
    let page = bob.get(&path);
    assert_eq!(page.status, 403);
    assert!(page.text.contains("don’t have access") && !page.text.contains("too long"));
    // The way back is to this very folder.
    let next = format!(r#"name="next" value="{path}""#);
    assert!(page.text.contains(&next), "{page}");
    // Signing in as another leads back to the page.
    bob.get("/audit");
    let left = bob.post("/sign-out", &[("next", "/audit")]);
    assert_eq!(left.header("location"), "/sign-in?next=%2Faudit");
    let left = Session::on(&server).signed_in(BOB);
    let left = left.post("/sign-out", &[("next", "https://evil.example/")]);
    assert_eq!(left.header("location"), "/sign-in");
}

#[test]
fn the_sign_in_page_names_only_forms_that_their_link_shows() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, "form:read form:write");
    let made = |name: &str, settings: serde_json::Value| {
        let fields = json!([{"type": "short_text", "label": "A"}]);
        let form = owner.form_with(json!({"name": name, "fields": fields}));
        let set = owner.patch(format!("{}/settings", form.path()), settings);
        assert_eq!(set.status, 200, "{set}");
        form
    };
    let by_account = json!({"submission_options": {"one_per_respondent": "account"}});
    let named = |path: &str, name: &str| {
        let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
        let page = server.anon().get(format!("/sign-in?next={next}"));
        assert_eq!(page.status, 200);
        page.text.contains(name)
    };
    let open = made("Board <b>election</b>", by_account.clone());
    assert!(named(&open.page(), "Board &lt;b&gt;election&lt;/b&gt;"));
    assert!(!named(&open.page(), "<b>election"));
    let mut settings = by_account.clone();
    settings["access_control"] = json!({"access_password": "let me in please"});
    let locked = made("Secret election", settings);
    assert!(!named(&locked.page(), "Secret election"));
    let hidden = made("Hidden election", by_account);
    let taken = owner.patch(hidden.path(), json!({"published": false}));
    assert_eq!(taken.status, 200, "{taken}");
    assert!(!named(&hidden.page(), "Hidden election"));
    let anybody = made("Guest book", json!({}));
    assert!(!named(&anybody.page(), "Guest book"));
    assert!(!named("/f/nothing", "Sign in to answer"));
    assert!(!named(&format!("//evil.example{}", open.page()), "Board"));
}

#[test]
fn the_sign_in_page_names_the_application_that_is_next() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    let callback = "https://board.example.com/callback";
    let args = ["app", "create", "--json", "--public", "--name", "Survey <b>board", "--redirect-uri"];
    let made = server.run(&[&args[..], &[callback]].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let asks = format!(
        "/api/v1/oauth/authorize?client_id={}&redirect_uri={callback}&state=xyz\
         &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
        made["client_id"].as_str().expect("an id")
    );
    let led = server.anon().get(asks);
    assert_eq!(led.status, 303, "{led}");
    let page = server.anon().get(led.header("location"));
    assert!(page.text.contains("Sign in to continue to"), "{page}");
    assert!(page.text.contains("Survey &lt;b&gt;board") && !page.text.contains("<b>board"));
    // What is made up names nobody.
    for odd in ["", "?resume=x", "?resume=W10", "?client_id=x"] {
        let next = format!("/api/v1/oauth/authorize{odd}");
        let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let page = server.anon().get(format!("/sign-in?next={next}"));
        assert!(page.status == 200 && !page.text.contains("continue to"), "{odd}");
    }
}

#[test]
fn browsers_are_asked_to_check_nothing() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    account(&server, BOB);
    let owner = server.token(email, "form:read form:write");
    let fields = json!([{"type": "short_text", "label": "A"}]);
    let form = owner.form(fields).token;
    let folder = owner.post("/api/v1/folders", json!({"name": "x"})).data();
    let folder = folder["token"].as_str().expect("a token");
    let stranger = Session::on(&server);
    let browser = Session::on(&server).signed_in(email);
    let mut forms = 0;
    for (visitor, path) in [
        (&stranger, "/sign-in".to_owned()),
        (&browser, "/profile".to_owned()),
        (&browser, "/profile/second-factor".to_owned()),
        (&browser, "/profile/sessions/end".to_owned()),
        (&browser, "/forms".to_owned()),
        (&browser, format!("/forms?folder={folder}")),
        (&browser, format!("/forms/{form}/people")),
        (&browser, format!("/forms/{form}/folder")),
        (&browser, "/members".to_owned()),
        (&browser, "/welcome".to_owned()),
        (&browser, "/nowhere".to_owned()),
    ] {
        let page = visitor.get(&path).text;
        for tag in page.split("<form").skip(1) {
            let tag = tag.split('>').next().expect("its end");
            if tag.contains("method=\"post\"") {
                assert!(tag.contains(" novalidate"), "{path}: {tag}");
                forms += 1;
            }
        }
    }
    assert!(forms > 20, "{forms}");
}

#[test]
fn what_is_blank_at_sign_in_is_no_try() {
    let server = Server::with(&[]);
    account(&server, BOB);
    let browser = Session::on(&server);
    for _ in 0..20 {
        let page = browser.sign_in("", "");
        assert_eq!(page.status, 422);
        assert!(page.text.contains("id=\"email-fault\"") && page.text.contains("id=\"password-fault\""));
        assert!(!page.text.contains("Incorrect"));
    }
    assert_eq!(browser.sign_in(BOB, PASSWORD).status, 303);
}
