//! How often a password may be tried: per address, per account and network, and per account from everywhere (S23), and
//! how much of the service its hashes take.

use std::sync::atomic::{AtomicUsize, Ordering};

use support::session::{PASSWORD, Session, account, with_account};
use support::{Response, Server, at_once};

use super::{ANN, BOB, anns};

/// Flags with which an address may try often, and says of whom it passes on requests.
const PROXIED: [&str; 4] = ["--limit-sign-ins", "10000", "--trusted-proxies", "127.0.0.0/8"];

/// Five wrong passwords, as many as a network may try at an account.
fn guess(browser: &Session) {
    for n in 0..5 {
        browser.sign_in(ANN, "wrong").is_for(422, n);
    }
}

/// The seconds after which a refused one may try again.
fn wait(answer: &Response) -> u64 {
    assert_eq!(answer.status, 429, "{answer}");
    answer.header("retry-after").parse().unwrap_or_else(|e| panic!("{e}: {answer}"))
}

/// A sign-in with this password from a network, in a browser that has this device cookie or none.
fn from(server: &Server, address: &str, device: Option<&str>) -> Response {
    let browser = Session::from(server, address);
    if let Some(device) = device {
        browser.set_cookie("formsvc_device", device);
    }
    browser.sign_in(ANN, PASSWORD)
}

#[test]
fn an_address_has_ten_tries_a_minute() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server);
    let statuses: Vec<u16> = (0..11).map(|i| browser.sign_in(&format!("a{i}@example.org"), "wrong").status).collect();
    assert_eq!((&statuses[..10], statuses[10]), (&[422; 10][..], 429));
    let answer = browser.sign_in(email, PASSWORD);
    assert!((1..=60).contains(&wait(&answer)), "{answer}");
    // Typed values are kept.
    answer.has(["Too many attempts", email]);
    // A forged header does not make another address of it.
    from(&server, "203.0.113.9", None).is(429);
}

#[test]
fn guessing_from_one_network_waits_longer_and_longer() {
    let (server, email) = with_account(&PROXIED);
    let owner = Session::from(&server, "203.0.113.7").signed_in(email);
    let device = owner.cookie("formsvc_device").expect("a device cookie");
    let attacker = Session::from(&server, "203.0.113.200");
    guess(&attacker);
    let wait = wait(&attacker.sign_in(email, PASSWORD));
    assert!((30..=60).contains(&wait), "{wait}");
    // So does the whole network, be the password right, but other networks and other accounts do not.
    from(&server, "203.0.113.9", None).is(429);
    from(&server, "203.0.114.9", None).is(303);
    attacker.sign_in("other@example.org", "wrong").is(422);
    // The owner's own browser is known and signs in from there as well.
    from(&server, "203.0.113.7", Some(&device)).is(303);
    // Its cookie is no free pass for guesses, nor for another account, nor forged.
    account(&server, BOB);
    let guesser = Session::from(&server, "198.51.100.1");
    guesser.set_cookie("formsvc_device", &device);
    guess(&guesser);
    guesser.sign_in(email, PASSWORD).is(429);
    from(&server, "203.0.113.8", Some(&format!("{}x", &device[..device.len() - 1]))).is(429);
}

#[test]
fn without_rate_limits_an_account_waits_all_the_same() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server);
    // An address may try as many accounts as it likes.
    for i in 0..20 {
        browser.sign_in(&format!("a{i}@example.org"), "wrong").is_for(422, i);
    }
    guess(&browser);
    browser.sign_in(email, PASSWORD).is(429);
}

#[test]
fn an_account_under_attack_from_everywhere_lets_its_owner_in() {
    let (server, email) = with_account(&PROXIED);
    let device = Session::from(&server, "203.0.113.7").signed_in(email).cookie("formsvc_device");
    let device = device.expect("a device cookie");
    let network = |n: usize| Session::from(&server, &format!("10.{}.{}.1", n / 250, n % 250));
    for n in 0..20 {
        guess(&network(n));
        if n == 18 {
            // Below the hundredth failure a right password is let in from a network that nobody knows.
            from(&server, "198.51.100.9", None).is(303);
        }
    }
    // Now only known browsers may try.
    for n in 20..40 {
        network(n).sign_in(email, "wrong").is_for(429, n);
    }
    from(&server, "198.51.100.9", None).is(429);
    from(&server, "198.51.100.9", Some(&device)).is(303);
    // Others are not touched by it.
    account(&server, BOB);
    Session::from(&server, "198.51.100.9").sign_in(BOB, PASSWORD).is(303);
}

#[test]
fn a_session_does_not_serve_to_guess_the_password() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server).signed_in(email);
    let change =
        |old| browser.post("/profile/password", &[("old_password", old), ("password", "another quiet harbour")]);
    for n in 0..5 {
        change("wrong").is_for(422, n);
    }
    assert_ne!(change(PASSWORD).is(429).header("retry-after"), "");
}

#[test]
fn hashing_is_bounded_and_the_rest_goes_on() {
    let (server, _) = anns();
    let before = server.peak_memory();
    let reader = server.token(ANN, "form:read");
    let ended = AtomicUsize::new(0);
    // The last one asks the API while the others try to sign in.
    let answers = at_once(201, |n| {
        if n == 200 {
            reader.get("/api/v1/me").is(200);
            assert!(ended.load(Ordering::Relaxed) < 200, "the API answers meanwhile");
            return None;
        }
        let answer = Session::on(&server).sign_in(ANN, PASSWORD);
        ended.fetch_add(1, Ordering::Relaxed);
        Some(answer)
    });
    for answer in answers.iter().flatten() {
        let is_put_off = answer.status == 503 && !answer.header("retry-after").is_empty();
        assert!(answer.status == 303 || is_put_off, "{answer}");
    }
    assert!(answers.iter().flatten().any(|answer| answer.status == 303));
    let grown = (server.peak_memory() - before) >> 20;
    assert!(grown <= 100, "{grown} MB more");
}
