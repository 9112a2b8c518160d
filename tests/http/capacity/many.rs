//! Many entries at once: bulk requests and imports are all or nothing, and say which rows find no room.

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, steps};

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, submit};

fn bulk(owner: &Caller, form: &Form, thing: Thing, number: usize) -> Response {
    let entries = vec![thing.values(1); number];
    owner.post(form.part("entries/bulk"), json!({ "entries": entries }))
}

#[test]
fn a_bulk_request_finds_room_for_all_or_none() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(3)]));
        let made = bulk(&owner, &form, thing, 5);
        if thing == Thing::Choice {
            assert_eq!(made.status, 201, "quotas of choices don't bind collaborators: {made}");
            assert_none_left(&server, &form, thing);
            continue;
        }
        assert_eq!(made.status, 422, "{made}");
        let paths = [3, 4].map(|nth| format!("entries[{nth}].{}", thing.attribute()));
        assert_eq!(made.attributes(), paths);
        assert_eq!(steps::count(&owner, &form), 0);
        assert_eq!(bulk(&owner, &form, thing, 3).status, 201, "nothing was taken");
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

/// A file whose rows take one each.
fn file(thing: Thing, rows: usize) -> String {
    let day = super::monday();
    let (header, row) = match thing {
        Thing::Choice => ("field_1".to_owned(), "A".to_owned()),
        Thing::Stock => ("field_1.api_code,field_1.number".to_owned(), "Tea,1".to_owned()),
        Thing::Variant => {
            ("field_1.api_code,field_1.number,field_1.specification".to_owned(), "Cake,1,large".to_owned())
        }
        Thing::Day => ("field_1.api_code,field_1.scheduled_at".to_owned(), format!("Room,{day}")),
        Thing::Slot => ("field_1.api_code,field_1.scheduled_at".to_owned(), format!("Room,{day} 09:00")),
    };
    format!("{header}\n{}", format!("{row}\n").repeat(rows))
}

fn import(owner: &Caller, form: &Form, file: &str, dry_run: bool) -> Response {
    let path = format!("{}?dry_run={dry_run}", form.part("entries/import"));
    owner.send("POST", &path, Some("text/csv"), file.as_bytes())
}

fn row_path(thing: Thing, nth: usize) -> String {
    let inner = thing.attribute().trim_start_matches("field_values.");
    format!("rows[{nth}].{inner}")
}

#[test]
fn an_import_finds_room_for_all_or_none() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        // The second is staged in pieces before it turns out that its last rows find no room.
        for most in [4, 300] {
            let form = owner.form(json!([thing.field(most)]));
            let most = usize::try_from(most).expect("few");
            let all = import(&owner, &form, &file(thing, most), true);
            assert_eq!(all.status, 200, "{thing:?}: {all}");
            let too_many = file(thing, most + 2);
            if thing == Thing::Choice {
                assert_eq!(import(&owner, &form, &too_many, false).status, 201);
                assert_none_left(&server, &form, thing);
                continue;
            }
            for dry_run in [true, false] {
                let refused = import(&owner, &form, &too_many, dry_run);
                assert_eq!(refused.status, 422, "{thing:?}: {refused}");
                let paths = [most, most + 1].map(|nth| row_path(thing, nth));
                assert_eq!(refused.attributes(), paths, "{refused}");
            }
            assert_eq!(steps::count(&owner, &form), 0);
            let fits = import(&owner, &form, &file(thing, most), false);
            assert_eq!(fits.status, 201, "nothing was taken by the others: {fits}");
            assert_none_left(&server, &form, thing);
            assert_eq!(owner.delete(form.entry(1)).status, 200);
            submit(&server, &form, thing);
        }
    }
    assert_counted(&server);
}

#[test]
fn entries_that_come_while_a_file_is_read_are_not_overbooked() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot] {
        let form = owner.form(json!([thing.field(600)]));
        let file = file(thing, 599);
        let (imported, taken) = std::thread::scope(|scope| {
            let imported = scope.spawn(|| import(&owner, &form, &file, false));
            let taken: Vec<u16> = (0..4)
                .map(|_| {
                    let one = server.anon().post(form.submissions(), thing.values(1));
                    one.status
                })
                .collect();
            (imported.join().expect("no panic"), taken)
        });
        let singles = taken.iter().filter(|status| **status == 201).count();
        let expected = match imported.status {
            201 => 599 + singles,
            422 => singles,
            _ => panic!("{imported}"),
        };
        assert!(expected <= 600, "{thing:?}: {expected}");
        let stored = usize::try_from(steps::count(&owner, &form)).expect("few");
        assert_eq!(stored, expected, "{thing:?}: {imported}");
        let rest = i64::try_from(600 - expected).expect("few");
        if rest > 0 {
            assert_eq!(owner.post(form.entries(), thing.values(rest)).status, 201);
        }
        assert_full(&owner.post(form.entries(), thing.values(1)), thing);
    }
    assert_counted(&server);
}

#[test]
fn an_edit_by_bulk_of_the_same_entry_is_counted_once() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(8)]));
        assert_eq!(owner.post(form.entries(), thing.values(1)).status, 201);
        let other = json!({"field_values": {"field_1": thing.other()}});
        support::at_once(8, |n| {
            let body: Value = if n % 2 == 0 { thing.values(1) } else { other.clone() };
            for _ in 0..5 {
                let done = owner.patch(form.entry(1), body.clone());
                assert_eq!(done.status, 200, "{thing:?}: {done}");
            }
        });
        assert_eq!(owner.patch(form.entry(1), thing.values(1)).status, 200);
        assert_counted(&server);
        let seven = bulk(&owner, &form, thing, 7);
        assert_eq!(seven.status, 201, "{thing:?}: {seven}");
        assert_none_left(&server, &form, thing);
    }
}
