//! Signing in and out on the web: the page, its cookies, its redirects, and the facts that it hides (S16, S17, S20).

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account, traits, with_account};
use support::steps::set;
use support::{Server, until};

use super::{ANN, BOB, encoded, printed, ran};

const FREE: [&str; 2] = ["--rate-limits", "off"];

#[test]
fn signing_in_and_out() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server);
    browser.get("/").leads_to("/sign-in");
    let led = browser.get("/profile?done=profile").leads_to("/sign-in?next=%2Fprofile%3Fdone%3Dprofile");
    let next = ("next", "/profile?done=profile");
    browser.get(led.header("location")).has([r#"name="next" value="/profile?done=profile""#]);
    let answer =
        browser.post("/sign-in", &[("email", " ANN@example.org "), ("password", PASSWORD), next]).leads_to(next.1);
    let session = browser.cookie("formsvc_session").expect("a session");
    assert_eq!(session.len(), 43, "256 bits");
    let cookie = format!("formsvc_session={session}; HttpOnly; SameSite=Lax; Path=/");
    assert_eq!(answer.header("set-cookie"), cookie);
    assert_eq!(browser.cookie("formsvc_visit"), None);
    let profile = browser.get("/profile").is(200);
    assert_eq!(profile.header("cache-control"), "no-store");
    profile.has(["Ann &lt;b&gt;Lee&lt;/b&gt;"]).lacks(["<b>Lee"]);
    browser.get("/").leads_to("/forms");
    browser.get("/sign-in").leads_to("/forms");
    // A session is of no use for the API.
    browser.get("/api/v1/me").is(401);

    browser.post("/sign-out", &[]).leads_to("/sign-in");
    assert_eq!(browser.cookie("formsvc_session"), None);
    browser.set_cookie("formsvc_session", &session);
    assert_eq!(browser.get("/profile").status, 303, "the session has ended on the server");
    assert_ne!(Session::on(&server).signed_in(email).cookie("formsvc_session"), Some(session));
}

#[test]
fn cookies_of_an_https_address_are_its_hosts_alone() {
    let server = Server::with(&["--base-url", "https://forms.example.org/sub"]);
    account(&server, ANN);
    let browser = Session::on(&server).at("https://forms.example.org");
    assert_eq!(browser.get("/sub/profile").header("location"), "/sub/sign-in?next=%2Fsub%2Fprofile");
    browser.get("/sub/sign-in");
    let answer = browser.post("/sub/sign-in", &[("email", ANN), ("password", PASSWORD)]).leads_to("/sub/forms");
    let cookies = answer.headers.get_all("set-cookie").iter().map(|line| line.to_str().expect("text"));
    let session = browser.cookie("__Host-formsvc_session").expect("a session");
    let cookie = format!("__Host-formsvc_session={session}; Secure; HttpOnly; SameSite=Lax; Path=/");
    assert_eq!(answer.header("set-cookie"), cookie);
    for line in cookies {
        assert!(line.starts_with("__Host-") && line.contains("; Secure; HttpOnly; SameSite=Lax; Path=/"), "{line}");
    }
    let page = browser.get("/sub/profile").is(200);
    page.has([r#"action="/sub/sign-out""#]);
    assert_eq!(page.header("strict-transport-security"), "max-age=31536000");
}

#[test]
fn sign_in_and_sign_out_lead_to_our_own_addresses_alone() {
    let (server, email) = with_account(&FREE);
    for (next, on) in [
        ("/profile?done=profile", "/profile?done=profile"),
        ("/f/abc", "/f/abc"),
        ("//evil.example", "/forms"),
        ("/\\evil.example", "/forms"),
        ("/\t/evil.example", "/forms"),
        ("/%09/evil.example", "/forms"),
        ("https:evil.example", "/forms"),
        ("https://evil.example/", "/forms"),
        ("/..//evil.example", "/forms"),
        ("/\r\nset-cookie: a=b", "/forms"),
        ("evil", "/forms"),
        ("", "/forms"),
    ] {
        let browser = Session::on(&server);
        browser.get("/sign-in");
        let typed = browser.post("/sign-in", &[("email", email), ("password", PASSWORD), ("next", next)]);
        let again = browser.get(&format!("/sign-in?next={}", encoded(next)));
        for led in [typed, again] {
            assert_eq!((led.status, led.header("location")), (303, on), "{next:?}");
        }
    }
    // Signing in as another leads back to the page.
    for (next, on) in [("/audit", "/sign-in?next=%2Faudit"), ("https://evil.example/", "/sign-in")] {
        Session::on(&server).signed_in(email).post("/sign-out", &[("next", next)]).leads_to(on);
    }
}

#[test]
fn sign_in_does_not_tell_whether_an_account_is_there() {
    let (server, email) = with_account(&["--rate-limits", "off", "--log-level", "debug"]);
    account(&server, "gone@example.org");
    ran(&server, &["user", "disable", "gone@example.org"]);
    // One without a password.
    ran(&server, &["user", "create", "none@example.org", "--name", "X"]);
    let browser = Session::on(&server);
    let try_in = |email: &str, password: &str| {
        browser.get("/sign-in");
        let logged = server.stderr().len();
        let answer = browser.post("/sign-in", &[("email", email), ("password", password)]);
        // The line about the request follows those about its hashes.
        let request = format!("id={}", answer.header("x-request-id"));
        until("the request is logged", || server.stderr().contains(&request));
        let lines = server.stderr()[logged..].to_owned();
        let hashes = lines.lines().filter_map(|line| Some(line.split_once("hashed a password ")?.1.to_owned()));
        (traits(&answer, email), hashes.collect::<Vec<_>>())
    };
    let (wrong, _) = try_in(email, "wrong");
    assert!(wrong.starts_with("422 ") && wrong.contains("Incorrect email or password"), "{wrong}");
    for (email, password) in [
        (email, "wrong"),
        ("nobody@example.org", "wrong"),
        ("gone@example.org", PASSWORD),
        ("none@example.org", "wrong"),
    ] {
        let (answer, hashes) = try_in(email, password);
        assert_eq!(answer, wrong, "{email}");
        assert_eq!(hashes, ["memory_kib=19456 passes=2"], "{email}");
    }
}

#[test]
fn another_address_of_the_service_tells_the_right_one() {
    let server = Server::with(&["--base-url", "http://forms.example.org"]);
    account(&server, ANN);
    // On a plain address that is not this machine's, browsers send no more than Origin.
    let browser = Session::on(&server);
    let answer = browser.sign_in(ANN, PASSWORD).is(403);
    answer.has([r#"<a href="http://forms.example.org">"#, "--base-url"]);
    assert_eq!(browser.cookie("formsvc_session"), None);
}

#[test]
fn the_sign_in_page_names_only_forms_that_their_link_shows() {
    let (server, email) = with_account(&FREE);
    let owner = server.token(email, "form:read form:write");
    let made = |name: &str, settings: Value| {
        let form = owner.form_with(json!({"name": name, "fields": [{"type": "short_text", "label": "A"}]}));
        set(&owner, &form, settings);
        form
    };
    let page = |path: &str| server.anon().get(format!("/sign-in?next={}", encoded(path))).is(200);
    let by_account = json!({"submission_options": {"one_per_respondent": "account"}});
    let open = made("Board <b>election</b>", by_account.clone());
    page(&open.page()).has(["Board &lt;b&gt;election&lt;/b&gt;"]).lacks(["<b>election"]);
    let mut settings = by_account.clone();
    settings["access_control"] = json!({"access_password": "let me in please"});
    let locked = made("Secret election", settings);
    let hidden = made("Hidden election", by_account);
    owner.patch(hidden.path(), json!({"published": false})).is(200);
    let anybody = made("Guest book", json!({}));
    page(&locked.page()).lacks(["Secret election"]);
    page(&hidden.page()).lacks(["Hidden election"]);
    page(&anybody.page()).lacks(["Guest book"]);
    page("/f/nothing").lacks(["Sign in to answer"]);
    page(&format!("//evil.example{}", open.page())).lacks(["Board"]);
}

#[test]
fn the_sign_in_page_names_the_application_that_is_next() {
    let (server, _) = with_account(&FREE);
    let callback = "https://board.example.com/callback";
    let made =
        printed(&server, &["app", "create", "--public", "--name", "Survey <b>board", "--redirect-uri", callback]);
    let asks = format!(
        "/api/v1/oauth/authorize?client_id={}&redirect_uri={callback}&state=xyz\
         &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
        made["client_id"].as_str().expect("an id")
    );
    let led = server.anon().get(asks).is(303);
    let page = server.anon().get(led.header("location"));
    page.has(["Sign in to continue to", "Survey &lt;b&gt;board"]).lacks(["<b>board"]);
    // A made-up request names no application.
    for odd in ["", "?resume=x", "?resume=W10", "?client_id=x"] {
        let next = encoded(&format!("/api/v1/oauth/authorize{odd}"));
        server.anon().get(format!("/sign-in?next={next}")).is_for(200, odd).lacks(["continue to"]);
    }
}

#[test]
fn a_blank_sign_in_is_no_try() {
    let server = Server::with(&[]);
    account(&server, BOB);
    let browser = Session::on(&server);
    for _ in 0..20 {
        let page = browser.sign_in("", "").is(422);
        page.has(["id=\"email-fault\"", "id=\"password-fault\""]).lacks(["Incorrect"]);
    }
    browser.sign_in(BOB, PASSWORD).is(303);
}
