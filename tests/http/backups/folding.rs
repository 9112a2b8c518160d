//! The upgrade after which invisible characters, outer blanks and the ASCII form of a domain make no difference: old
//! values count like new ones, and new duplicates stay and are named.

use rusqlite::{Connection, params};
use serde_json::json;
use support::session::Session;
use support::{Server, text, until};

use crate::backups::released::{expected, unpacked};

const OLD_USERS: [(&str, &str); 3] =
    [("cat@ü.example", "Cat One"), ("cat@xn--tda.example", "Cat Two"), ("dan@xn--tda.example", "Dan")];
const OLD_FOLDERS: [&str; 3] = ["Plans", "Pla\u{200b}ns", "\u{2060}Solo"];
const OLD_VALUES: [(i64, &str); 3] = [(2, "p1@xn--tda.example"), (3, "p2@ü.example"), (4, "p2@xn--tda.example")];

/// Values that the version before took for different.
fn fill(database: &Connection, form: &str) {
    for (nth, (email, name)) in OLD_USERS.iter().enumerate() {
        let added = database.execute(
            "INSERT INTO users (token, organization_id, role, email, email_folded, name, locale, timezone, \
                 password_hash, created_at, updated_at) \
             SELECT ?1, organization_id, 'member', ?2, ?2, ?3, locale, timezone, password_hash, created_at, updated_at \
                 FROM users WHERE email = 'ada@example.com'",
            params![format!("olduser{nth}"), email, name],
        );
        assert_eq!(added, Ok(1), "{email}");
    }
    for (nth, name) in OLD_FOLDERS.iter().enumerate() {
        let added = database.execute(
            "INSERT INTO folders (token, user_id, name, name_folded, created_at) \
             SELECT ?1, id, ?2, lower(?2), created_at FROM users WHERE email = 'ada@example.com'",
            params![format!("oldfolder{nth}"), name],
        );
        assert_eq!(added, Ok(1), "{name:?}");
    }
    for (serial, value) in OLD_VALUES {
        let changed = database.execute(
            "UPDATE entries SET \"values\" = json_set(\"values\", '$.\"2\"', ?3) \
             WHERE id = (SELECT form_no << 32 | ?2 FROM forms WHERE token = ?1)",
            params![form, serial, value],
        );
        assert_eq!(changed, Ok(1), "{value}");
        // Some hash, as that of the old key is one.
        let changed = database.execute(
            "UPDATE entry_keys SET key = randomblob(16) WHERE field = 2 AND serial = ?2 \
                 AND form_no = (SELECT form_no FROM forms WHERE token = ?1)",
            params![form, serial],
        );
        assert_eq!(changed, Ok(1), "{value}");
    }
}

#[test]
fn what_an_upgrade_makes_the_same_stays_and_counts_as_such() {
    let home = unpacked("V1");
    let word = |key: &str| expected("V1")[key].as_str().expect("text").to_owned();
    let form = word("form");
    let database = Connection::open(home.path().join("formsvc.db")).expect("opens");
    fill(&database, &form);
    let server = Server::over(home.path(), &["--rate-limits", "off"]);
    let owner = server.anon().with_token(&word("token"));
    let outdated = "SELECT count(*) FROM key_fields WHERE state = 'outdated'";
    until("keys are made again", || {
        let ran = server.run(&["jobs", "run-once", "outdated-keys"]);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        database.query_row(outdated, [], |row| row.get(0)) == Ok(0)
    });

    let post = |email: &str| {
        let body = json!({"field_values": {"field_1": "New", "field_2": email}});
        server.anon().post(format!("/api/v1/f/{form}/entries"), body)
    };
    for taken in ["p0@example.com", "P1@Ü.example", "p1@xn--tda.example", "p2@ü.example", "p2@XN--TDA.example"] {
        assert_eq!(post(taken).faults(), ["field_values.field_2: has already been taken"], "{taken}");
    }
    post("p9@xn--tda.example").is(201);
    let doctor = || {
        let done = server.run(&["doctor"]);
        (done.status.code(), text(&done.stdout))
    };
    let (code, said) = doctor();
    assert_eq!(code, Some(7), "{said}");
    let named = format!("(form {form}, field_2, entries 3 and 4): change one of each two");
    assert!(said.contains(&named), "{said}");
    assert!(said.contains("WARN  accounts: ") && said.contains(" alone (cat@xn--tda.example): delete one"), "{said}");
    // Both stay, also where something else of them is changed.
    let entry = |serial: i64| format!("/api/v1/forms/{form}/entries/{serial}");
    for (serial, value) in &OLD_VALUES[1..] {
        assert_eq!(owner.get(entry(*serial)).data()["field_2"], *value);
    }
    owner.patch(entry(4), json!({"field_values": {"field_2": "p4@xn--tda.example"}})).is(200);
    let (code, said) = doctor();
    assert!(code == Some(0) && said.contains("OK    keys: the index of unique values matches the entries"), "{said}");

    for (email, name) in [
        ("cat@ü.example", "Cat One"),
        ("cat@xn--tda.example", "Cat Two"),
        ("dan@xn--tda.example", "Dan"),
        ("\u{200b}DAN@ü.example", "Dan"),
    ] {
        Session::on(&server).signed_in(email).get("/profile").is(200).has([name]);
    }
    for taken in ["plans", "PLANS ", "solo", "So\u{ad}lo"] {
        let refused = owner.post("/api/v1/folders", json!({"name": taken}));
        assert_eq!(refused.faults(), ["name: has already been taken"], "{taken:?}");
    }
    let folders = owner.get("/api/v1/folders?page_size=50").text;
    for kept in OLD_FOLDERS {
        assert!(folders.contains(kept), "{kept:?}: {folders}");
    }
}
