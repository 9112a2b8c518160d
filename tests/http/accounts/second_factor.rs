//! The second factor: codes of an authenticator app and recovery codes (S93).

use std::time::{SystemTime, UNIX_EPOCH};

use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use support::form_page::hidden;
use support::session::{PASSWORD, Session, account, shown, with_account};
use support::{Response, Server, at_once, until};

use super::{ANN, BOB, anns, but, events, files_hold_none, ran};

const PAGE: &str = "/profile/second-factor";
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The code that an app shows for a secret, so many steps from now.
fn code(secret: &str, steps: i64) -> String {
    let digits = secret.chars().map(|c| ALPHABET.find(c).expect("a digit"));
    let bits: String = digits.map(|digit| format!("{digit:05b}")).collect();
    let ends = (8..=bits.len()).step_by(8);
    let bytes: Vec<u8> = ends.map(|end| u8::from_str_radix(&bits[end - 8..end], 2).expect("bits")).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("later");
    let step = now.as_secs() as i64 / 30 + steps;
    let tag = sign(&Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &bytes), &step.to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[19] & 15);
    let word: [u8; 4] = tag[at..at + 4].try_into().expect("four");
    format!("{:06}", (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000)
}

/// Sets a second factor up; its secret and the recovery codes.
fn set_up(browser: &Session) -> (String, Vec<String>) {
    let page = browser.get(PAGE).is(200);
    let (secret, offer) = (shown(&page.text, "secret"), hidden(&page, "offer"));
    // Of the step before, so that the one of now is still good for signing in.
    let typed = code(&secret, -1);
    let done = browser.post_on(PAGE, &[("offer", &offer), ("code", &typed), ("password", PASSWORD)]);
    (secret, shown(&done.text, "codes").lines().map(str::to_owned).collect())
}

/// Gives the password; the page that asks for the code.
fn halfway(server: &Server) -> (Session, String) {
    let browser = Session::on(server);
    let page = browser.sign_in(ANN, PASSWORD).is(200);
    assert!(browser.cookie("formsvc_session").is_none());
    (browser, hidden(&page, "ticket"))
}

fn give(browser: &Session, ticket: &str, code: &str) -> Response {
    let answer = browser.post("/sign-in/code", &[("ticket", ticket), ("code", code)]);
    let is_in = browser.cookie("formsvc_session").is_some();
    assert_eq!(is_in, answer.status == 303, "{answer}");
    answer
}

/// Signs in with this code.
fn finish(server: &Server, code: &str) -> Response {
    let (browser, ticket) = halfway(server);
    give(&browser, &ticket, code)
}

#[test]
fn the_second_step_leads_on_to_an_app_as_the_first_one_does() {
    let (server, browser) = anns();
    let (secret, _) = set_up(&browser);
    let browser = Session::on(&server);
    browser.get("/sign-in");
    let next = "/api/v1/oauth/authorize?client_id=x";
    let page = browser.post("/sign-in", &[("email", ANN), ("password", PASSWORD), ("next", next)]);
    assert_eq!(hidden(&page, "next"), next);
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("form-action"), "{policy}");
    let (ticket, typed) = (hidden(&page, "ticket"), code(&secret, 0));
    browser.post("/sign-in/code", &[("ticket", &ticket), ("code", &typed), ("next", next)]).leads_to(next);
}

#[test]
fn a_second_factor_is_set_up_with_the_password_and_a_code() {
    let (server, browser) = anns();
    let page = browser.get(PAGE);
    let (secret, offer) = (shown(&page.text, "secret"), hidden(&page, "offer"));
    assert_eq!(secret.len(), 32);
    page.has([&format!("otpauth://totp/formsvc:ann%40example.org?secret={secret}&amp;issuer=formsvc")]);
    let typed = code(&secret, 0);
    let typed = [("offer", offer.as_str()), ("code", typed.as_str()), ("password", PASSWORD)];
    for (field, value) in [("password", "not mine at all"), ("code", "000000"), ("offer", "AAAA")] {
        let refused = browser.post(PAGE, &but(typed, field, value)).is_for(422, field);
        refused.has(["-fault\""]);
        if field != "offer" {
            assert_eq!(shown(&refused.text, "secret"), secret, "{field}");
        }
    }
    // Another's offer is none.
    account(&server, BOB);
    let bob = Session::on(&server).signed_in(BOB);
    bob.get(PAGE);
    bob.post(PAGE, &typed).is(422);
    let (secret, codes) = set_up(&browser);
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.len() == 19 && code.matches('-').count() == 3), "{codes:?}");
    // Neither is shown again, nor stored in plain text.
    browser.get("/profile/second-factor/codes").is(200).has(["shown only once"]).lacks([&codes[0]]);
    browser.get(PAGE).has(["10 recovery codes"]).lacks([&secret, &codes[0]]);
    files_hold_none(&server, &[&secret, &codes[0], &codes[0].replace('-', "")]);
}

#[test]
fn signing_in_takes_a_code_and_each_code_works_once() {
    let (server, browser) = anns();
    let (secret, codes) = set_up(&browser);
    // The session that set it up goes on.
    browser.get("/profile").is(200);
    let typed = code(&secret, 1);
    for (typed, status, what) in [
        ("000000", 422, "another code"),
        ("", 422, "none"),
        (&code(&secret, 5), 422, "one of later"),
        (&typed, 303, "the next one"),
        (&typed, 422, "it again, in its own window"),
        (&code(&secret, 0), 422, "one of before it"),
        (&codes[0], 303, "a recovery code"),
        (&codes[0], 422, "it again"),
        (&codes[1].to_lowercase().replace('-', " "), 303, "one in lower case and without its dashes"),
    ] {
        finish(&server, typed).is_for(status, what);
    }
    browser.get(PAGE).has(["8 recovery codes"]);
    // Of several at once with one code, one gets in.
    let all = at_once(3, |_| finish(&server, &codes[2]).status);
    assert_eq!(all.iter().filter(|status| **status == 303).count(), 1, "{all:?}");
}

#[test]
fn the_ticket_is_ours_and_ends_with_the_password() {
    let (server, browser) = anns();
    let (_, codes) = set_up(&browser);
    let (half, ticket) = halfway(&server);
    let (head, signature) = ticket.rsplit_once('.').expect("parts");
    let (user, end) = head.split_once('.').expect("parts");
    let later = end.parse::<i64>().expect("a number") + 1;
    for odd in [
        "",
        "x",
        head,
        &format!("{head}.{}", "A".repeat(signature.len())),
        &format!("{user}.{later}.{signature}"),
        &format!("AAAAAAAAAA.{end}.{signature}"),
    ] {
        give(&half, odd, &codes[0]).is_for(422, odd).has(["name=\"password\""]);
    }
    // A post that is not from our page.
    give(&Session::on(&server), &ticket, &codes[0]).is(403);
    let typed = [("old_password", PASSWORD), ("password", "another quiet harbour")];
    browser.post("/profile/password", &typed).is(303);
    give(&half, &ticket, &codes[0]).is(422);
}

#[test]
fn guessing_codes_waits_and_a_right_password_does_not_help() {
    let (server, email) = with_account(&["--limit-sign-ins", "1000"]);
    let browser = Session::on(&server).signed_in(email);
    let (secret, _) = set_up(&browser);
    for n in 0..5 {
        finish(&server, "000000").is_for(422, n);
    }
    assert_ne!(finish(&server, &code(&secret, 0)).is(429).header("retry-after"), "");
    // Owners of the organisation read of it.
    let owner = server.token(email, "form:read");
    until("the wait is noted", || events(&owner, "member.sign_in_throttled") == 1);
    assert_eq!((events(&owner, "member.sign_in_failed"), events(&owner, "member.signed_in")), (5, 1));
    // The browser that was signed in before is recognised, and gets in.
    browser.post("/sign-out", &[]).is(303);
    let ticket = hidden(&browser.sign_in(email, PASSWORD), "ticket");
    give(&browser, &ticket, &code(&secret, 0)).is(303);
}

#[test]
fn a_second_factor_is_changed_and_taken_away_with_the_password() {
    let (server, browser) = anns();
    let (_, old) = set_up(&browser);
    let (codes, remove) = ("/profile/second-factor/codes", "/profile/second-factor/remove");
    for path in [codes, remove] {
        browser.post(path, &[("password", "not mine at all")]).is_for(422, path);
    }
    let new = shown(&browser.post_on(codes, &[("password", PASSWORD)]).text, "codes");
    finish(&server, &old[0]).is(422);
    finish(&server, new.lines().next().expect("a code")).is(303);
    browser.post(remove, &[("password", PASSWORD)]).leads_to("/profile?done=second-factor");
    Session::on(&server).signed_in(ANN);
    browser.post(codes, &[("password", PASSWORD)]).is(404);
    // An operator helps a user who has lost all of it.
    set_up(&browser);
    halfway(&server);
    ran(&server, &["user", "remove-second-factor", ANN]);
    Session::on(&server).signed_in(ANN);
}
