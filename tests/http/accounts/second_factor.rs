//! The second factor: codes of an authenticator app and recovery codes (S93).

use std::time::{SystemTime, UNIX_EPOCH};

use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use support::session::{PASSWORD, Session, shown, with_account};
use support::{Response, Server, at_once, until};

const PAGE: &str = "/profile/second-factor";
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The code that an app shows for a secret, so many steps from now.
fn code(secret: &str, steps: i64) -> String {
    let mut bits = 0_u64;
    let (mut count, mut bytes) = (0, Vec::new());
    for c in secret.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == c).expect("a digit");
        bits = bits << 5 | digit as u64;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("later");
    let step = now.as_secs() as i64 / 30 + steps;
    let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &bytes);
    let tag = sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[19] & 15);
    let word: [u8; 4] = tag[at..at + 4].try_into().expect("four");
    format!("{:06}", (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000)
}

fn hidden(page: &Response, name: &str) -> String {
    let mark = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.text.split_once(&mark).unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('"').next().expect("its end").to_owned()
}

/// Sets a second factor up; its secret and the recovery codes.
fn set_up(browser: &Session) -> (String, Vec<String>) {
    let page = browser.get(PAGE);
    assert_eq!(page.status, 200);
    let (secret, offer) = (shown(&page.text, "secret"), hidden(&page, "offer"));
    // Of the step before, so that the one of now is still good for signing in.
    let typed = code(&secret, -1);
    let done = browser.post_on(PAGE, &[("offer", &offer), ("code", &typed), ("password", PASSWORD)]);
    let codes = shown(&done.text, "codes");
    (secret, codes.lines().map(str::to_owned).collect())
}

/// Gives the password; the page that asks for the code.
fn halfway(server: &Server, email: &str) -> (Session, String) {
    let browser = Session::on(server);
    let page = browser.sign_in(email, PASSWORD);
    assert_eq!(page.status, 200, "{page}");
    assert!(browser.cookie("formsvc_session").is_none());
    let ticket = hidden(&page, "ticket");
    (browser, ticket)
}

fn finish(server: &Server, email: &str, code: &str) -> u16 {
    let (browser, ticket) = halfway(server, email);
    let answer = browser.post("/sign-in/code", &[("ticket", &ticket), ("code", code)]);
    let is_in = browser.cookie("formsvc_session").is_some();
    assert_eq!(is_in, answer.status == 303, "{answer}");
    answer.status
}

#[test]
fn the_second_step_leads_on_to_an_app_as_the_first_one_does() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let (secret, _) = set_up(&Session::on(&server).signed_in(email));
    let browser = Session::on(&server);
    browser.get("/sign-in");
    let next = "/api/v1/oauth/authorize?client_id=x";
    let page = browser.post("/sign-in", &[("email", email), ("password", PASSWORD), ("next", next)]);
    assert_eq!(hidden(&page, "next"), next);
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("form-action"), "{policy}");
    let (ticket, typed) = (hidden(&page, "ticket"), code(&secret, 0));
    let on = browser.post("/sign-in/code", &[("ticket", &ticket), ("code", &typed), ("next", next)]);
    assert_eq!((on.status, on.header("location")), (303, next));
}

#[test]
fn it_is_set_up_with_the_password_and_a_code() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let page = browser.get(PAGE);
    let (secret, offer) = (shown(&page.text, "secret"), hidden(&page, "offer"));
    assert_eq!(secret.len(), 32);
    assert!(
        page.text.contains(&format!("otpauth://totp/formsvc:ann%40example.org?secret={secret}&amp;issuer=formsvc"))
    );
    let typed = code(&secret, 0);
    for (field, value) in [("password", "not mine at all"), ("code", "000000"), ("offer", "AAAA")] {
        let mut pairs = [("offer", offer.as_str()), ("code", typed.as_str()), ("password", PASSWORD)];
        for pair in &mut pairs {
            if pair.0 == field {
                pair.1 = value;
            }
        }
        let refused = browser.post(PAGE, &pairs);
        assert_eq!(refused.status, 422, "{field}");
        assert!(refused.text.contains("-fault\""), "{field}");
        if field != "offer" {
            assert_eq!(shown(&refused.text, "secret"), secret, "{field}");
        }
    }
    // Another's offer is none.
    support::session::account(&server, "bob@example.org");
    let bob = Session::on(&server).signed_in("bob@example.org");
    bob.get(PAGE);
    let stolen = bob.post(PAGE, &[("offer", &offer), ("code", &typed), ("password", PASSWORD)]);
    assert_eq!(stolen.status, 422);
    let (secret, codes) = set_up(&browser);
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.len() == 19 && code.matches('-').count() == 3));
    // Neither is shown again, nor kept as it is.
    let again = browser.get("/profile/second-factor/codes");
    assert!(again.status == 200 && again.text.contains("shown only once"));
    assert!(!again.text.contains(&codes[0]));
    let page = browser.get(PAGE).text;
    assert!(!page.contains(&secret) && !page.contains(&codes[0]) && page.contains("10 recovery codes"));
    let files = ["formsvc.db", "formsvc.db-wal"].map(|file| std::fs::read(server.dir.join(file)));
    let plain = codes[0].replace('-', "");
    for file in files.into_iter().flatten() {
        for text in [&secret, &codes[0], &plain] {
            assert!(!file.windows(text.len()).any(|part| part == text.as_bytes()));
        }
    }
}

#[test]
fn signing_in_takes_a_code_and_each_code_works_once() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let (secret, codes) = set_up(&browser);
    // The session that set it up goes on.
    assert_eq!(browser.get("/profile").status, 200);
    assert_eq!(finish(&server, email, "000000"), 422);
    assert_eq!(finish(&server, email, ""), 422);
    assert_eq!(finish(&server, email, &code(&secret, 5)), 422);
    let typed = code(&secret, 1);
    assert_eq!(finish(&server, email, &typed), 303);
    // Again in its own window, and one of before it.
    assert_eq!(finish(&server, email, &typed), 422);
    assert_eq!(finish(&server, email, &code(&secret, 0)), 422);
    // Recovery codes, in any case and without their dashes.
    assert_eq!(finish(&server, email, &codes[0]), 303);
    assert_eq!(finish(&server, email, &codes[0]), 422);
    assert_eq!(finish(&server, email, &codes[1].to_lowercase().replace('-', " ")), 303);
    assert!(browser.get(PAGE).text.contains("8 recovery codes"));
    // Of two at once with one code, one gets in.
    let all: Vec<u16> = at_once(3, |_| finish(&server, email, &codes[2]));
    assert_eq!(all.iter().filter(|status| **status == 303).count(), 1, "{all:?}");
}

#[test]
fn the_ticket_is_ours_and_ends_with_the_password() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let (_, codes) = set_up(&browser);
    let (half, ticket) = halfway(&server, email);
    let (head, signature) = ticket.rsplit_once('.').expect("parts");
    let (user, end) = head.split_once('.').expect("parts");
    let later = end.parse::<i64>().expect("a number") + 1;
    for odd in [
        String::new(),
        "x".to_owned(),
        head.to_owned(),
        format!("{head}.{}", "A".repeat(signature.len())),
        format!("{user}.{later}.{signature}"),
        format!("AAAAAAAAAA.{end}.{signature}"),
    ] {
        let refused = half.post("/sign-in/code", &[("ticket", &odd), ("code", &codes[0])]);
        assert_eq!(refused.status, 422, "{odd}");
        assert!(refused.text.contains("name=\"password\""), "{odd}");
    }
    // A post that is not from our page.
    let foreign = Session::on(&server);
    let refused = foreign.post("/sign-in/code", &[("ticket", &ticket), ("code", &codes[0])]);
    assert_eq!(refused.status, 403);
    browser.get("/profile");
    let changed =
        browser.post("/profile/password", &[("old_password", PASSWORD), ("password", "another quiet harbour")]);
    assert_eq!(changed.status, 303);
    let refused = half.post("/sign-in/code", &[("ticket", &ticket), ("code", &codes[0])]);
    assert_eq!(refused.status, 422);
    assert!(half.cookie("formsvc_session").is_none());
}

#[test]
fn guessing_codes_waits_and_a_right_password_does_not_help() {
    let (server, email) = with_account(&["--limit-sign-ins", "1000"]);
    let browser = Session::on(&server).signed_in(email);
    let (secret, _) = set_up(&browser);
    for _ in 0..5 {
        assert_eq!(finish(&server, email, "000000"), 422);
    }
    let (half, ticket) = halfway(&server, email);
    let late = half.post("/sign-in/code", &[("ticket", &ticket), ("code", &code(&secret, 0))]);
    assert_eq!(late.status, 429);
    assert!(!late.header("retry-after").is_empty());
    // Owners of the organisation read of it.
    let owner = server.token(email, "form:read");
    let noted = |action: &str| {
        let page = owner.get(format!("/api/v1/audit_events?action=member.{action}"));
        page.json()["pagination"]["total"].clone()
    };
    until("the wait is noted", || noted("sign_in_throttled") == 1);
    assert_eq!(noted("sign_in_failed"), 5);
    assert_eq!(noted("signed_in"), 1);
    // The browser that was signed in before is told apart, and gets in.
    assert_eq!(browser.post("/sign-out", &[]).status, 303);
    let page = browser.sign_in(email, PASSWORD);
    let ticket = hidden(&page, "ticket");
    let done = browser.post("/sign-in/code", &[("ticket", &ticket), ("code", &code(&secret, 0))]);
    assert_eq!(done.status, 303, "{done}");
}

#[test]
fn it_is_changed_and_taken_away_with_the_password() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let (_, old) = set_up(&browser);
    let codes = "/profile/second-factor/codes";
    let remove = "/profile/second-factor/remove";
    for path in [codes, remove] {
        assert_eq!(browser.post(path, &[("password", "not mine at all")]).status, 422, "{path}");
    }
    let renewed = browser.post_on(codes, &[("password", PASSWORD)]);
    let new = shown(&renewed.text, "codes");
    assert_eq!(finish(&server, email, &old[0]), 422);
    assert_eq!(finish(&server, email, new.lines().next().expect("a code")), 303);
    let gone = browser.post(remove, &[("password", PASSWORD)]);
    assert_eq!((gone.status, gone.header("location")), (303, "/profile?done=second-factor"));
    Session::on(&server).signed_in(email);
    assert_eq!(browser.post(codes, &[("password", PASSWORD)]).status, 404);
    // Who runs the service helps somebody who has lost all of it.
    browser.get(PAGE);
    set_up(&browser);
    halfway(&server, email);
    assert!(server.run(&["user", "remove-second-factor", email]).status.success());
    Session::on(&server).signed_in(email);
}
