//! Lists of the forms that a user owns or that are shared with them. Small columns decide the order; whole rows are
//! read for one page only.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::text;
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

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

/// Restricts a list by the user's folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    Anywhere,
    /// Forms in no folder.
    NoFolder,
    Folder(i64),
}

#[derive(Clone, Debug)]
pub struct ListFilter {
    /// The user who owns the forms or with whom they are shared.
    pub user: UserId,
    /// A part of the name, compared without regard to case and width.
    pub name: Option<String>,
    pub within: Within,
    /// The user's own forms in the trash since this time, instead of all that are live.
    pub trashed_since: Option<Time>,
}

impl ListFilter {
    /// The tables to read, and the condition on their rows.
    fn sources(&self) -> (&'static [&'static str], String) {
        match self.trashed_since {
            None => (&SOURCES, "f.deleted_at IS NULL".to_owned()),
            Some(since) => (&SOURCES[..1], format!("f.deleted_at >= {}", since.millis())),
        }
    }
}

/// A position in a list of forms: the value of the sort key and the form's number.
pub type ListPosition = (i64, i64);

/// Owned and shared forms. Rows of forms are long, so the second is read through an index too.
const SOURCES: [&str; 2] = [
    "forms f WHERE f.owner_id = ?1",
    "collaborators s CROSS JOIN forms f INDEXED BY forms_live ON f.form_no = s.form_no WHERE s.user_id = ?1",
];

/// Up to `limit` positions of a list in its order, starting after `after`.
pub fn positions(
    tx: &Tx,
    filter: &ListFilter,
    sort: Sort,
    after: Option<ListPosition>,
    limit: usize,
) -> Result<Vec<ListPosition>> {
    let key = match sort {
        Sort::CreatedAt => "f.created_at",
        Sort::UpdatedAt => "f.updated_at",
        Sort::LastEntryCreatedAt => {
            "(SELECT ifnull(c.last_entry_at, 0) FROM form_counters c WHERE c.form_no = f.form_no)"
        }
    };
    let (last_key, form_no) = after.unwrap_or((i64::MAX, i64::MAX));
    let mut positions = Vec::new();
    let (sources, state) = filter.sources();
    for source in sources {
        let mut values: Vec<Value> = vec![
            filter.user.0.into(),
            last_key.into(),
            form_no.into(),
            i64::try_from(limit).unwrap_or(i64::MAX).into(),
        ];
        let clauses = clauses(filter, &mut values);
        let sql = format!(
            "SELECT {key} AS k, f.form_no FROM {source} AND {state}{clauses} \
             AND ({key}, f.form_no) < (?2, ?3) ORDER BY k DESC, f.form_no DESC LIMIT ?4"
        );
        let part: Vec<ListPosition> = tx.all(&sql, params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        positions.extend(part);
    }
    positions.sort_unstable_by(|a, b| b.cmp(a));
    positions.truncate(limit);
    Ok(positions)
}

/// The number of forms in a list.
pub fn count(tx: &Tx, filter: &ListFilter) -> Result<i64> {
    let mut total = 0;
    let (sources, state) = filter.sources();
    for source in sources {
        let mut values: Vec<Value> = vec![filter.user.0.into()];
        let clauses = clauses(filter, &mut values);
        let sql = format!("SELECT count(*) FROM {source} AND {state}{clauses}");
        let part: i64 = tx.one(&sql, params_from_iter(values), |row| row.get(0))?;
        total += part;
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
            out.push_str(&format!(" AND f.form_no IN (SELECT p.form_no FROM placements p WHERE p.folder_id = ?{at})"));
        }
    }
    out
}
