//! Verification codes: each entry of a form with codes gets one that no other entry of the form has, and keeps it.
//! Anybody who is shown a code can have it checked.

use std::collections::HashSet;

use rand::RngExt as _;
use unicode_normalization::UnicodeNormalization as _;

use crate::base::error::{Error, Noun, Result};
use crate::model::entry::{Entry, NewEntry};
use crate::model::settings::VerificationCode;
use crate::ops::app::App;
use crate::ops::exams::certificates;
use crate::ops::forms::published::{self, Published};
use crate::store::db::tx::Tx;
use crate::store::entries;
use crate::store::entries::entry_keys::{self, CODE};
use crate::store::transfer::StagedRow;

/// Letters and digits that can't be mistaken for each other, not even in handwriting.
const ALPHABET: &[u8; 23] = b"ACDEFHJKMNPQRTVWXY34679";
/// Lengths from which the codes of a form are drawn; a code that is taken is drawn again.
const TRIES: usize = 100;
/// Longer texts are no codes.
const MOST_TYPED: usize = 64;

/// Gives a new entry its code, within the job that stores it.
pub(in crate::ops) fn assign(tx: &Tx, form_no: i64, settings: &VerificationCode, entry: &mut NewEntry) -> Result<()> {
    if settings.enabled {
        let code = free(tx, form_no, settings, &HashSet::new())?;
        give(entry, code);
    }
    Ok(())
}

/// The same for the rows of a part of an import, which are stored together.
pub(in crate::ops) fn assign_rows(
    tx: &Tx,
    form_no: i64,
    settings: &VerificationCode,
    rows: &[StagedRow],
) -> Result<Vec<StagedRow>> {
    let mut drawn = HashSet::new();
    let mut rows = rows.to_vec();
    for row in &mut rows {
        let code = free(tx, form_no, settings, &drawn)?;
        drawn.insert(code.clone());
        // Reserved until the row is an entry.
        row.unique.push((CODE, code.clone()));
        give(&mut row.entry, code);
    }
    Ok(rows)
}

fn give(entry: &mut NewEntry, code: String) {
    entry.keys.push((CODE, code.clone()));
    entry.results.gen_code = Some(code);
}

/// A code that no entry has: neither a live one, nor one in the trash or in an import.
fn free(tx: &Tx, form_no: i64, settings: &VerificationCode, drawn: &HashSet<String>) -> Result<String> {
    let length = usize::try_from(settings.length).unwrap_or_default();
    for _ in 0..TRIES {
        let code = random(length);
        if !drawn.contains(&code) && !entry_keys::is_held(tx, form_no, CODE, &code)? {
            return Ok(code);
        }
    }
    Err(Error::internal("a form has no verification codes left"))
}

fn random(length: usize) -> String {
    let mut random = rand::rng();
    let letter = |_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())]);
    (0..length).map(letter).collect()
}

/// The live entry that has a code.
pub fn find(tx: &Tx, form_no: i64, code: &str) -> Result<Option<Entry>> {
    let serials = entry_keys::with_key(tx, form_no, CODE, code, 1)?;
    // Looked up where there is none, too: it takes as long.
    let serial = serials.first().copied().unwrap_or(NO_ENTRY);
    let entry = entries::by_serial(tx, form_no, serial)?;
    Ok(entry.filter(|entry| entry.results.gen_code.as_deref() == Some(code)))
}

/// A serial number that no entry has.
const NO_ENTRY: i64 = (1 << 32) - 1;

/// A published form whose entries have codes. Its password is not asked for: who verifies a certificate is nobody
/// who fills in the form.
///
/// # Errors
/// 404.
pub fn form(app: &App, token: &str) -> Result<Published> {
    let published = app.store.read(|tx| published::load(app, tx, token))?;
    if published.parsed.settings.verification_code.enabled { Ok(published) } else { Err(Error::NotFound(Noun::Form)) }
}

/// A code that is valid.
pub struct Verified {
    /// The name on its certificate, masked, where it has one. None of a form with a password: nothing of it is told to who
    /// does not have that.
    pub masked_name: Option<String>,
}

/// The live entry of the form that has the code which was typed, in whatever case and with whatever blanks. That of an
/// entry which waits for room is not valid yet.
pub fn verify(app: &App, published: &Published, typed: &str) -> Result<Option<Verified>> {
    let code = code_of(typed).unwrap_or_default();
    let found = app.store.read(|tx| find(tx, published.form.form_no, &code))?;
    let verified = |entry: Entry| {
        let parsed = &published.parsed;
        let cx = parsed.cx(entry.created_at, true);
        let name = (!published.has_password()).then(|| certificates::masked_name(parsed, &entry, &cx));
        Verified { masked_name: name.flatten() }
    };
    Ok(found.filter(|entry| !entry.results.is_waiting).map(verified))
}

/// The code that was typed; `None` if it can't be one.
pub(in crate::ops) fn code_of(typed: &str) -> Option<String> {
    let code: String =
        typed.nfkc().filter(|typed| !(typed.is_whitespace() || *typed == '-')).take(MOST_TYPED).collect();
    let code = code.to_ascii_uppercase();
    let is_one = !code.is_empty() && code.bytes().all(|letter| ALPHABET.contains(&letter));
    is_one.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_no_lookalikes() {
        for _ in 0..200 {
            let code = random(16);
            assert_eq!(code.len(), 16);
            assert!(!code.contains(['0', 'O', '1', 'I', 'L', '2', 'Z', '5', 'S', '8', 'B', 'U', 'G']));
            assert_eq!(code_of(&code.to_lowercase()), Some(code));
        }
    }

    #[test]
    fn case_blanks_and_width_do_not_matter() {
        for typed in ["acd34", " AC D3\t4 ", "ac-d34", "ＡＣＤ３４", "\u{3000}acd34\n"] {
            assert_eq!(code_of(typed).as_deref(), Some("ACD34"), "{typed}");
        }
        for typed in ["", " ", "acd0", "é", &"A".repeat(1 << 16)[..0]] {
            assert_eq!(code_of(typed), None, "{typed}");
        }
    }
}
