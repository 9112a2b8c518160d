//! Passwords: how they are kept, and that a change is not lost (S14, S18).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use support::session::{PASSWORD, Session, with_account};
use support::store::database;
use support::{Server, at_once, formsvc};

use super::ANN;

fn stored(server: &Server) -> String {
    database(&server.dir).query_row("SELECT password_hash FROM users", [], |row| row.get(0)).expect("a hash")
}

fn hashed(params: Params, password: &str) -> String {
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    PasswordHasher::hash_password(&hasher, password.as_bytes()).expect("hashes").to_string()
}

/// Of a hash that is computed at once.
fn weak() -> Params {
    Params::new(8, 1, 1, None).expect("parameters")
}

#[test]
fn passwords_are_kept_as_todays_hash_and_renewed() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let today = "$argon2id$v=19$m=19456,t=2,p=1$";
    let first = stored(&server);
    let salt = first.strip_prefix(today).and_then(|rest| rest.split('$').next()).map(str::len);
    assert_eq!(salt, Some(22), "16 bytes of salt: {first}");
    let old = hashed(weak(), PASSWORD);
    database(&server.dir).execute("UPDATE users SET password_hash = ?1", [&old]).expect("sets");
    Session::on(&server).sign_in(email, "wrong password").is(422);
    assert_eq!(stored(&server), old);
    Session::on(&server).signed_in(email);
    assert!(stored(&server).starts_with(today), "{}", stored(&server));
    Session::on(&server).signed_in(email);
    // The same text from another keyboard.
    let args = ["user", "set-password", email, "--password-stdin"];
    assert!(formsvc(&server.dir, &args, "caf\u{e9} au lait").status.success());
    Session::on(&server).sign_in(email, "cafe\u{301} au lait").is(303);
}

#[test]
fn a_password_that_is_changed_during_a_sign_in_stays_changed_and_lets_nobody_in() {
    let (server, _) = with_account(&["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"]);
    // Each from its own network: how many fail, after which an account waits, is chance here.
    let networks = AtomicUsize::new(0);
    let browser = || Session::from(&server, &format!("10.0.{}.1", networks.fetch_add(1, Ordering::Relaxed)));
    // The old one is checked quickly and renewed slowly, so that the change comes in between.
    let old = hashed(weak(), PASSWORD);
    let new = hashed(Params::default(), "another quiet harbour");
    let set = |hash: &str| {
        let database = database(&server.dir);
        database.execute_batch("BEGIN IMMEDIATE; DELETE FROM sessions").expect("ends sessions");
        database.execute("UPDATE users SET password_hash = ?1", [hash]).expect("sets");
        database.execute_batch("COMMIT").expect("commits");
    };
    let change_after = |ms: u64| {
        thread::sleep(Duration::from_millis(ms));
        set(&new);
    };
    for round in 1..=8 {
        set(&old);
        let browsers = at_once(4, |n| {
            let browser = browser();
            match n {
                3 => change_after(round * 12),
                _ => drop(browser.sign_in(ANN, PASSWORD)),
            }
            browser
        });
        for browser in browsers {
            browser.get("/profile").is_for(303, round);
        }
        assert_eq!(stored(&server), new, "{round}");
    }
    // Nor can a user who still knew the old one set another.
    let old = hashed(Params::default(), PASSWORD);
    for round in 1..=8 {
        set(&old);
        let browser = browser().signed_in(ANN);
        let typed = [("old_password", PASSWORD), ("password", "a third quiet harbour")];
        at_once(2, |n| match n {
            0 => drop(browser.post("/profile/password", &typed)),
            _ => change_after(round * 12),
        });
        assert_eq!(stored(&server), new, "{round}");
    }
}
