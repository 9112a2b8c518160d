//! Imports: an event for each entry once the entries can be seen, however long the file.

use serde_json::{Value, json};

use super::{ALL, Hook, bodies, data_of, entry_of, told};
use crate::support::steps::{add, simple};
use crate::support::{Server, text};

fn long(rows: usize) -> String {
    let rows = (0..rows).map(|n| format!("name {n}\n"));
    format!("field_1\n{}", rows.collect::<String>())
}

#[test]
fn a_short_file_and_one_from_the_command_line() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let path = format!("{}/import", form.entries());
    let made = owner.send("POST", &path, Some("text/csv"), long(3).as_bytes());
    assert_eq!(made.status, 201, "{made}");
    let file = server.dir.join(format!("{}.csv", form.token));
    std::fs::write(&file, long(2)).expect("written");
    let file = file.to_str().expect("text");
    let done = server.run(&["entries", "import", &form.token, file]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let expected: Vec<(String, i64)> = (1..=5).map(|serial| ("entry_created".to_owned(), serial)).collect();
    assert_eq!(told(server, &form), expected);
    assert_eq!(hook.kinds(&owner).len(), 5);
    for (serial, body) in (1..).zip(bodies(server, &form)) {
        assert_eq!(entry_of(&body), data_of(&owner.get(form.entry(serial))));
    }
}

#[test]
fn a_long_file_is_told_whole_while_its_entries_change() {
    const ROWS: i64 = 3_000;
    let server = Server::start();
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    add(&owner, &form, json!({"field_1": "before"}));
    let hook = Hook::of(&owner, &form, &ALL);
    let file = long(usize::try_from(ROWS).expect("a size"));
    let path = format!("{}/import", form.entries());
    let (mut changed, mut deleted) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let coming = scope.spawn(|| owner.send("POST", &path, Some("text/csv"), file.as_bytes()));
        // From the last one on, which is told last.
        let mut serial = ROWS + 1;
        while !coming.is_finished() && serial > 1 {
            if owner.get(form.entry(serial)).status == 404 {
                continue;
            }
            if serial % 2 == 0 {
                let edit = json!({"field_values": {"field_1": "changed"}});
                assert_eq!(owner.patch(form.entry(serial), edit).status, 200);
                changed.push(serial);
            } else {
                assert_eq!(owner.delete(form.entry(serial)).status, 200);
                deleted.push(serial);
            }
            serial -= 1;
        }
        let made = coming.join().expect("no panic");
        assert_eq!(made.data()["created"], ROWS, "{made}");
    });
    let told = told(&server, &form);
    let place = |kind: &str, serial: i64| {
        let places = told.iter().enumerate();
        let places = places.filter(|(_, it)| it.0 == kind && it.1 == serial);
        let places: Vec<usize> = places.map(|(at, _)| at).collect();
        assert_eq!(places.len(), 1, "{kind} {serial}");
        places[0]
    };
    for serial in 2..=ROWS + 1 {
        place("entry_created", serial);
    }
    for (kind, serials) in [("entry_updated", &changed), ("entry_deleted", &deleted)] {
        for serial in serials {
            assert!(place("entry_created", *serial) < place(kind, *serial), "{kind} {serial}");
        }
    }
    let count = usize::try_from(ROWS).expect("a size") + changed.len() + deleted.len();
    assert_eq!(told.len(), count);
    assert_eq!(hook.deliveries(&owner).len(), count);
    let left: i64 =
        super::database(&server).query_row("SELECT count(*) FROM imports", [], |row| row.get(0)).expect("a number");
    assert_eq!(left, 0);
    // None told of an entry before it could be seen.
    let bodies = bodies(&server, &form);
    let first: Value = serde_json::from_str(&bodies[0]).expect("JSON");
    assert_eq!(first["event"], "entry_created");
}

#[test]
fn without_anybody_who_wants_them_nothing_is_written() {
    let server = Server::shared();
    let (owner, form) = simple();
    Hook::of(&owner, &form, &["entry_deleted"]);
    let path = format!("{}/import", form.entries());
    let made = owner.send("POST", &path, Some("text/csv"), long(1_500).as_bytes());
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(told(server, &form).len(), 0);
    assert_eq!(owner.delete(form.entry(700)).status, 200);
    assert_eq!(told(server, &form), [("entry_deleted".to_owned(), 700)]);
}
