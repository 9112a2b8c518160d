//! Damaged backups: whichever byte is flipped and wherever the end is cut off.

use std::fs;

use rand::RngExt as _;
use serde_json::json;
use support::uploads::uploaded;
use support::{Server, at_once, field, formsvc, rounds};

use crate::backups::{backup, refused};

#[test]
fn any_flipped_byte_and_any_cut_is_found() {
    let flips = rounds("TEST_BACKUP_DAMAGE", 80);
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&owner, &form, "a.json", "application/json", b"[1,2,3]");
    assert_eq!(owner.post(form.entries(), json!({"field_values": {"field_1": [id]}})).status, 201);
    let whole = fs::read(backup(&server.dir)).expect("there");
    let home = tempfile::tempdir().expect("a folder");
    at_once(2, |thread| {
        let mut rng = rand::rng();
        let file = home.path().join(format!("{thread}.tar.zst"));
        let path = file.to_str().expect("a plain path");
        let look = |bytes: &[u8], what: &str| {
            fs::write(&file, bytes).expect("written");
            let verified = formsvc(home.path(), &["backup", "verify", path], "");
            assert_eq!(verified.status.code(), Some(7), "{what}");
        };
        for nth in (thread..flips).step_by(2) {
            let mut bytes = whole.clone();
            // The ends in any case.
            let at = match nth {
                0..60 => bytes.len() - 1 - nth,
                60..70 => nth - 60,
                _ => rng.random_range(0..bytes.len()),
            };
            bytes[at] ^= 1 << rng.random_range(0..8);
            look(&bytes, &format!("byte {at} of {}", bytes.len()));
            if nth % 20 < 2 {
                refused(&file, 7, "");
            }
        }
        for nth in (thread..flips / 4).step_by(2) {
            let end = match nth {
                0..10 => whole.len() - 1 - nth,
                10..16 => nth - 10,
                _ => rng.random_range(0..whole.len()),
            };
            look(&whole[..end], &format!("cut at {end} of {}", whole.len()));
            if nth % 10 < 2 {
                refused(&file, 7, "");
            }
        }
    });
}

#[test]
fn the_damaged_part_is_named() {
    let server = Server::alone("its data dir is looked at");
    let bytes = fs::read(backup(&server.dir)).expect("there");
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("damaged");
    let mut flipped = bytes.clone();
    let middle = bytes.len() / 2;
    flipped[middle] ^= 0x55;
    fs::write(&file, flipped).expect("written");
    refused(&file, 7, "formsvc.db");
    fs::write(&file, &bytes[..middle]).expect("written");
    refused(&file, 7, "cut off");
    fs::write(&file, "something else").expect("written");
    refused(&file, 7, "is not a backup of formsvc");
}
