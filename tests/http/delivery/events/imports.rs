//! An import is an event for each entry once it can be seen, however long the file.

use serde_json::{Value, json};
use support::world::World;
use support::{Server, store, text};

use super::{bodies, data_of, entry_of, expect, happened};
use crate::delivery::{KINDS, NOWHERE, Webhook, enter, fields, import, ok, values};

fn long(rows: usize) -> String {
    let rows = (0..rows).map(|n| format!("name {n}\n"));
    format!("field_1\n{}", rows.collect::<String>())
}

#[test]
fn a_short_file_and_one_from_the_command_line() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let made = import(&owner, &form, "", &long(3));
    assert_eq!(made.status, 201, "{made}");
    let file = server.dir.join(format!("{}.csv", form.token));
    std::fs::write(&file, long(2)).expect("written");
    let file = file.to_str().expect("text");
    let done = server.run(&["entries", "import", &form.token, file]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    expect(server, &form, &[1, 2, 3, 4, 5].map(|serial| ("entry_created", serial)));
    assert_eq!(webhook.kinds(&owner).len(), 5);
    for (serial, body) in (1..).zip(bodies(server, &form)) {
        assert_eq!(entry_of(&body), data_of(&owner.get(form.entry(serial))));
    }
}

#[test]
fn a_long_file_is_told_whole_while_its_entries_change() {
    const ROWS: i64 = 3_000;
    let server = Server::alone("the whole database is looked at");
    let (owner, form) = crate::delivery::simple(&server);
    enter(&owner, &form, "before");
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let file = long(usize::try_from(ROWS).expect("a size"));
    let (mut changed, mut deleted) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let coming = scope.spawn(|| import(&owner, &form, "", &file));
        // From the last one on, whose event comes last.
        let mut serial = ROWS + 1;
        while !coming.is_finished() && serial > 1 {
            if owner.get(form.entry(serial)).status == 404 {
                continue;
            }
            if serial % 2 == 0 {
                let edit = values(json!({"field_1": "changed"}));
                ok(owner.patch(form.entry(serial), edit));
                changed.push(serial);
            } else {
                ok(owner.delete(form.entry(serial)));
                deleted.push(serial);
            }
            serial -= 1;
        }
        let made = coming.join().expect("no panic");
        assert_eq!(made.data()["created"], ROWS, "{made}");
    });
    let told = happened(&server, &form);
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
    assert_eq!(webhook.deliveries(&owner).len(), count);
    assert_eq!(store::count(&server.dir, "SELECT count(*) FROM imports"), 0);
    // None told of an entry before it could be seen.
    let bodies = bodies(&server, &form);
    let first: Value = serde_json::from_str(&bodies[0]).expect("JSON");
    assert_eq!(first["event"], "entry_created");
}

#[test]
fn without_anybody_who_wants_them_nothing_is_written() {
    let World { server, owner, form, .. } = World::with(fields());
    Webhook::new(&owner, &form, NOWHERE, &["entry_deleted"]);
    let made = import(&owner, &form, "", &long(1_500));
    assert_eq!(made.status, 201, "{made}");
    expect(server, &form, &[]);
    ok(owner.delete(form.entry(700)));
    expect(server, &form, &[("entry_deleted", 700)]);
}

#[test]
fn work_on_many_entries_is_told_entry_by_entry() {
    let World { server, owner, form, .. } = World::with(fields());
    (1..=3).for_each(|n| enter(&owner, &form, &format!("entry {n}")));
    Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let over = |begun: support::Response| {
        let id = begun.is(202).data()["id"].as_str().expect("an id").to_owned();
        let job = form.part(&format!("jobs/{id}"));
        support::until("the job is over", || !owner.get(&job).is(200).data()["finished_at"].is_null());
        job
    };
    let chosen = json!({"serial_numbers": [1, 2], "expected_total": 2});
    let mut change = chosen.clone();
    change["field_values"] = json!({"field_1": "changed"});
    over(owner.post(form.part("entries/bulk_update"), change));
    let trashed = over(owner.post(form.part("entries/bulk_trash"), chosen));
    over(owner.post(format!("{trashed}/undo"), json!({})));
    let mut told = happened(server, &form);
    // Of one job in any order.
    told.chunks_mut(2).for_each(<[_]>::sort_unstable);
    let kinds = ["entry_updated", "entry_deleted", "entry_restored"];
    let wanted: Vec<(String, i64)> = kinds.iter().flat_map(|kind| [1, 2].map(|n| ((*kind).to_owned(), n))).collect();
    assert_eq!(told, wanted);
}
