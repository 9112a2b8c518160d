//! Lists of forms: those that somebody owns and those that are shared with them, as one. They are ordered by
//! small columns; the rows themselves are read for one page alone.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::base::error::Result;
use crate::base::text;
use crate::model::user::UserId;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// The orders of spec 4.9; all are newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By creation.
    CreatedAt,
    /// By the last change of the form.
    UpdatedAt,
    /// By the newest entry; forms without entries come last.
    LastEntryCreatedAt,
}

/// Forms by the user's folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// All of them.
    Anywhere,
    /// Those that lie in none.
    NoFolder,
    /// Those that lie in this one.
    Folder(i64),
}

/// Which forms are listed.
#[derive(Clone, Debug)]
pub struct ListFilter {
    /// Whose, and shared with whom.
    pub user: UserId,
    /// Part of the name, in any case and width.
    pub name: Option<String>,
    /// Where they lie.
    pub within: Within,
}

/// A place in a list of forms: the value it is sorted by, and the form.
pub type Place = (i64, i64);

/// The two ways to a form. Rows of forms are long, so the second goes by an index too.
const WAYS: [&str; 2] = [
    "forms f WHERE f.owner_id = ?1",
    "collaborators s CROSS JOIN forms f INDEXED BY forms_live ON f.form_no = s.form_no WHERE s.user_id = ?1",
];

/// Places of a list in its order, from after `place` on, at most `limit`.
pub fn places(
    tx: &Tx,
    filter: &ListFilter,
    sort: Sort,
    place: Option<Place>,
    limit: usize,
) -> Result<Vec<Place>> {
    let key = match sort {
        Sort::CreatedAt => "f.created_at",
        Sort::UpdatedAt => "f.updated_at",
        Sort::LastEntryCreatedAt => {
            "(SELECT ifnull(c.last_entry_at, 0) FROM form_counters c WHERE c.form_no = f.form_no)"
        }
    };
    let (at, form_no) = place.unwrap_or((i64::MAX, i64::MAX));
    let mut found = Vec::new();
    for way in WAYS {
        let mut values: Vec<Value> = vec![
            filter.user.0.into(),
            at.into(),
            form_no.into(),
            i64::try_from(limit).unwrap_or(i64::MAX).into(),
        ];
        let clauses = clauses(filter, &mut values);
        let ask = format!(
            "SELECT {key} AS k, f.form_no FROM {way} AND f.deleted_at IS NULL{clauses} \
             AND ({key}, f.form_no) < (?2, ?3) ORDER BY k DESC, f.form_no DESC LIMIT ?4"
        );
        let some: rusqlite::Result<Vec<Place>> =
            tx.connection.prepare_cached(&ask).and_then(|mut select| {
                select
                    .query_map(params_from_iter(values), |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })?
                    .collect()
            });
        found.extend(some.map_err(internal)?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    Ok(found)
}

/// How many forms a list has.
pub fn count(tx: &Tx, filter: &ListFilter) -> Result<i64> {
    let mut total = 0;
    for way in WAYS {
        let mut values: Vec<Value> = vec![filter.user.0.into()];
        let clauses = clauses(filter, &mut values);
        let ask = format!("SELECT count(*) FROM {way} AND f.deleted_at IS NULL{clauses}");
        let some: i64 = tx.one(&ask, params_from_iter(values), |row| row.get(0))?;
        total += some;
    }
    Ok(total)
}

fn clauses(filter: &ListFilter, values: &mut Vec<Value>) -> String {
    let mut out = String::new();
    let mut bind = |value: Value| {
        values.push(value);
        values.len()
    };
    if let Some(name) = &filter.name {
        let at = bind(text::fold(name).into());
        out.push_str(&format!(" AND instr(f.name_folded, ?{at}) > 0"));
    }
    match filter.within {
        Within::Anywhere => {}
        Within::NoFolder => out.push_str(
            " AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.user_id = ?1 \
             AND p.form_no = f.form_no)",
        ),
        Within::Folder(folder) => {
            let at = bind(folder.into());
            out.push_str(&format!(
                " AND f.form_no IN (SELECT p.form_no FROM placements p WHERE p.folder_id = ?{at})"
            ));
        }
    }
    out
}
