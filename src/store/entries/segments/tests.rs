//! Slots of segments, up to the last one that a form can have.

use rusqlite::params;

use super::{BLOCKS, SLOTS, drop_some, segment_id, slots};
use crate::base::config::Checkpoints;
use crate::base::error::Error;
use crate::store::Store;
use crate::store::db::after_job::Nothing;
use crate::store::db::data_dir::DataDir;
use crate::store::db::rows::internal;

#[test]
fn a_slot_is_emptied_before_it_is_free_the_last_one_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(DataDir::create(dir.path()).expect("a data dir"), Checkpoints::Own, |_, _| Nothing)
        .expect("opens")
        .0;
    let left = store.write(|tx| {
        let mut left = Vec::new();
        for form_no in [6, 7] {
            for slot in [0, SLOTS - 2, SLOTS - 1] {
                tx.connection
                    .execute(
                        "INSERT INTO segment_columns (form_no, slot, name, mark) VALUES (?1, ?2, ?2, 0)",
                        params![form_no, slot],
                    )
                    .map_err(internal)?;
                for block in [0, 1, BLOCKS - 1] {
                    tx.connection
                        .execute(
                            "INSERT INTO segments (id, data) VALUES (?1, x'00')",
                            [segment_id(form_no, slot, block)],
                        )
                        .map_err(internal)?;
                }
            }
        }
        for form_no in [6, 7] {
            while drop_some(tx, form_no, SLOTS - 1, 2)? {}
            let count: i64 =
                tx.connection.query_row("SELECT count(*) FROM segments", [], |row| row.get(0)).map_err(internal)?;
            left.push((slots(tx, form_no)?.len(), count));
        }
        Err::<(), _>(Error::Internal(format!("{left:?}")))
    });
    assert!(matches!(&left, Err(Error::Internal(left)) if left == "[(2, 15), (2, 12)]"), "{left:?}");
}
