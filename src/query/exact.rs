//! Look-ups by exact keys: where a few entries can be read instead of all being asked.

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::filter::Clause;
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::filter::subject::Subject;
use crate::model::serials::Serials;
use crate::query::form_cache::Cache;
use crate::query::request::{EntrySet, Query};
use crate::query::scan::Scan;
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, entry_keys};

const SERIAL: &str = "serial_number";
const CODE: &str = "gen_code";
/// The index is used where fewer entries have the key: a field that was not always unique may have many.
const MAX_WITH_ONE_KEY: usize = 257;
/// More are not looked up one by one.
const MAX_KEYS: usize = 4;

/// The live entries that match, where keys leave only a few to evaluate.
pub fn matching(cache: &Cache, tx: &Tx, form_no: i64, query: &Query) -> Result<Option<Serials>> {
    let filter = &query.filter;
    let alone = filter.clauses.iter().map(std::slice::from_ref);
    for clauses in alone.chain(filter.any_of.iter().map(Vec::as_slice)) {
        if let Some(few) = few(tx, form_no, query, clauses)? {
            let set = EntrySet { form_no, table: Table::Live };
            let mut out = Serials::default();
            Scan::new(cache, tx, set, query).serials(&few, &mut |serial| out.insert(serial))?;
            return Ok(Some(out));
        }
    }
    Ok(None)
}

/// The entries that may meet one of these clauses; `None` where keys can't tell, or they are many.
fn few(tx: &Tx, form_no: i64, query: &Query, clauses: &[Clause]) -> Result<Option<Vec<i64>>> {
    let mut few = Vec::new();
    for clause in clauses {
        let Some(keys) = keys_of(clause) else {
            return Ok(None);
        };
        for key in keys {
            if let Some(serial) = serial_of(clause, key) {
                few.push(serial);
                continue;
            }
            let Some((field, key)) = indexed(query, clause, key) else {
                return Ok(None);
            };
            let found = entry_keys::with_key(tx, form_no, field, &key, MAX_WITH_ONE_KEY)?;
            few.extend(found);
            if few.len() >= MAX_WITH_ONE_KEY {
                return Ok(None);
            }
        }
    }
    few.sort_unstable();
    few.dedup();
    Ok(Some(few))
}

/// The few keys that meet a clause.
fn keys_of(clause: &Clause) -> Option<&[Key]> {
    match &clause.cond {
        Cond::In(wanted) => (wanted.len() <= MAX_KEYS).then_some(wanted),
        // A date that equals one.
        Cond::Range { low: Some((low, true)), high: Some((high, true)) } => {
            (low == high).then(|| std::slice::from_ref(low))
        }
        _ => None,
    }
}

/// The entry itself, where a clause names its number.
fn serial_of(clause: &Clause, key: &Key) -> Option<i64> {
    match (&clause.subject, key) {
        (Subject::System(field), Key::Number(number)) if field.name == SERIAL => {
            let is_one = number.fract() == 0.0 && (0.0..4_294_967_296.0).contains(number);
            // No entry has another number.
            Some(if is_one { *number as i64 } else { 0 })
        }
        _ => None,
    }
}

/// The key under which an index has the entries that meet a clause, and the index's number; `None` where none does.
fn indexed(query: &Query, clause: &Clause, key: &Key) -> Option<(u32, String)> {
    let question = match &clause.subject {
        Subject::Question(question) if question.column.is_none() => question,
        Subject::System(field) if field.name == CODE => {
            // Codes are capital letters and digits.
            let Key::Text(code) = key else { return None };
            return Some((entry_keys::CODE, code.to_ascii_uppercase()));
        }
        _ => return None,
    };
    let parsed = &query.parsed;
    let field = question.asked(&parsed.definition.fields)?;
    if parsed.searched.contains(&field.number()) {
        return Some((entry_keys::searched(field.number()), key.exact()?));
    }
    let Key::Text(text) = key else { return None };
    // The index is not rebuilt when a type changes. For kinds other than text, conditions compare something else than
    // its key; for texts it can be used if the key leaves nothing out.
    let is_text =
        field.kind.operators() == Op::TEXT && field.kind.unique_key(&Json::String(text.clone())).as_ref() == Some(text);
    let is_indexed = field.unique && field.past.is_empty();
    (is_text && is_indexed).then(|| (field.number(), text.clone()))
}
