//! Holds the exact keys of unique fields against the entries, in pieces between which others write.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::fields::{Field, stored};
use crate::model::entry::Entry;
use crate::ops::cache::ParsedForm;
use crate::ops::{App, exact_keys, links};
use crate::store::entries::{self, Shelf};
use crate::store::entry_keys;
use crate::store::key_walk::Place;
use crate::store::tx::Tx;
use crate::store::{forms, imports};

/// Looked at in one transaction.
const PIECE: usize = 1_000;

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Entries and keys that were looked at.
    pub looked_at: usize,
    /// Entries that lack a key, and keys that no entry has.
    pub wrong: usize,
}

/// One form whose keys are looked at.
struct Look {
    form_no: i64,
    version: i64,
    parsed: Arc<ParsedForm>,
}

/// Looks at all of them, and puts right what is wrong where `fix` says so.
///
/// # Errors
/// `Stale` where a form changes meanwhile.
pub fn look(app: &App, fix: bool) -> Result<Found> {
    let mut found = Found::default();
    for token in app.store.read(entry_keys::forms)? {
        let look = app.store.read(|tx| {
            let Some(form) = links::live(tx, &token)? else {
                return Ok(None);
            };
            // What an import brings has its keys, but is not there yet.
            if imports::first_hidden(tx, form.form_no)?.is_some() {
                return Ok(None);
            }
            Ok(Some(Look {
                form_no: form.form_no,
                version: form.version,
                parsed: app.cache.parsed(tx, &form)?,
            }))
        })?;
        if let Some(look) = look {
            look.entries(app, fix, &mut found)?;
            look.keys(app, fix, &mut found)?;
        }
    }
    Ok(found)
}

impl Look {
    /// The fields whose keys can be told: those of before a change of type are not made again.
    fn fields(&self) -> impl Iterator<Item = &Field> {
        let fields = self.parsed.definition.fields.iter();
        fields.filter(|field| field.unique && field.past.is_empty())
    }

    fn key(&self, field: &Field, entry: &Entry) -> Result<Option<String>> {
        let values = stored::values(&entry.values).map_err(Error::internal)?;
        let cx = self.parsed.cx(clock::now(), false);
        Ok(exact_keys::of_field(field, &values, &cx))
    }

    /// Whether every entry has its keys.
    fn entries(&self, app: &App, fix: bool, found: &mut Found) -> Result<()> {
        let (form_no, mut after) = (self.form_no, 0);
        loop {
            let (last, count, lacking) = app.store.read(|tx| {
                forms::still(tx, form_no, self.version)?;
                let piece = entries::walk(tx, form_no, Shelf::Live, after, PIECE)?;
                let last = piece.last().map(|entry| entry.serial);
                let mut lacking = Vec::new();
                for (entry, field) in piece
                    .iter()
                    .flat_map(|it| self.fields().map(move |f| (it, f)))
                {
                    let number = field.number();
                    if let Some(key) = self.key(field, entry)?
                        && !entry_keys::has(tx, form_no, number, &key, entry.serial)?
                    {
                        lacking.push((number, key, entry.serial));
                    }
                }
                Ok((last, piece.len(), lacking))
            })?;
            found.looked_at += count;
            found.wrong += lacking.len();
            if fix {
                self.put_right(app, lacking)?;
            }
            match last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }

    /// Whether every key is that of an entry.
    fn keys(&self, app: &App, fix: bool, found: &mut Found) -> Result<()> {
        for field in self.fields() {
            let (form_no, number) = (self.form_no, field.number());
            let mut begun = Some(Place::first());
            while let Some(place) = begun {
                let (count, next, astray) = app.store.read(|tx| {
                    forms::still(tx, form_no, self.version)?;
                    let walked = entry_keys::walk(tx, form_no, number, &place, PIECE)?;
                    let mut astray = Vec::new();
                    for (key, serial) in &walked.keys {
                        if !self.is_own(tx, field, key, *serial)? {
                            astray.push((number, key.clone(), *serial));
                        }
                    }
                    Ok((walked.keys.len(), walked.next, astray))
                })?;
                found.looked_at += count;
                found.wrong += astray.len();
                if fix {
                    self.put_right(app, astray)?;
                }
                begun = next;
            }
        }
        Ok(())
    }

    fn is_own(&self, tx: &Tx, field: &Field, key: &str, serial: i64) -> Result<bool> {
        let entry = entries::by_serial(tx, self.form_no, serial)?;
        let own = entry.map(|entry| self.key(field, &entry)).transpose()?;
        Ok(own.flatten().as_deref() == Some(key))
    }

    /// Adds keys that entries have, and takes others away: as it is now, whatever it was before.
    fn put_right(&self, app: &App, keys: Vec<(u32, String, i64)>) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let look = Self {
            parsed: Arc::clone(&self.parsed),
            ..*self
        };
        app.store.write(move |tx| {
            forms::still(tx, look.form_no, look.version)?;
            for (number, key, serial) in keys {
                let Some(field) = look.fields().find(|field| field.number() == number) else {
                    continue;
                };
                if look.is_own(tx, field, &key, serial)? {
                    entry_keys::insert(tx, look.form_no, number, &key, serial)?;
                } else {
                    entry_keys::remove(tx, look.form_no, number, &key, serial)?;
                }
            }
            Ok(())
        })
    }
}
