//! The channels by which entries came: what the links said that respondents followed.

use rusqlite::params;

use crate::base::error::Result;
use crate::store::db::tx::Tx;
use crate::store::entries::SERIALS;

/// Each channel of a form with the number of its live entries, those of most entries first, at most so many.
pub fn counted(tx: &Tx, form_no: i64, most: i64) -> Result<Vec<(String, i64)>> {
    let low = form_no << 32;
    tx.all(
        "SELECT x_field_1, count(*) FROM entries WHERE id > ?1 AND id < ?2 AND x_field_1 <> '' \
             GROUP BY x_field_1 ORDER BY count(*) DESC, x_field_1 LIMIT ?3",
        params![low, low + SERIALS, most],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
