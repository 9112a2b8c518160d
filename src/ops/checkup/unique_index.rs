//! Compares the exact keys of unique and searched fields with the entries, in batches between which others write. After
//! an upgrade that changes the comparison of values, this makes the keys again.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::values::{Values, stored};
use crate::model::entry::Entry;
use crate::ops::app::App;
use crate::ops::entries::exact_keys;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::key_hash::Hash;
use crate::store::entries::{self, Table, entry_keys, listing};
use crate::store::{forms, transfer};

/// Rows of one transaction.
const BATCH: usize = 1_000;
/// The most values of one field that are named because two entries have them.
const MOST_DOUBLES: usize = 100;

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Entries and keys that were checked.
    pub looked_at: usize,
    /// Entries that lack a key, and keys that no entry has.
    pub wrong: usize,
    /// Two entries of each value that a unique field has twice, with the form and the field.
    pub doubled: Vec<String>,
    /// Forms whose keys are being made again after an upgrade. They are not checked.
    pub outdated: usize,
    /// Forms that were changed meanwhile, and not checked to the end.
    pub unfinished: usize,
}

/// One form whose index is checked.
#[derive(Clone)]
struct FormCheck {
    form_no: i64,
    version: i64,
    parsed: Arc<ParsedForm>,
    token: String,
}

/// Checks all forms, and repairs them where `fix` says so.
pub fn run(app: &App, fix: bool) -> Result<Checked> {
    look(app, fix, |_| true)
}

/// Makes the keys again of forms that an upgrade left outdated ones; how many forms. Entries that have the same value
/// since are named in the log: they stay.
pub fn renew(app: &App) -> Result<usize> {
    let outdated = app.store.read(entry_keys::outdated_forms)?;
    if outdated.is_empty() {
        return Ok(0);
    }
    let checked = look(app, true, |form| outdated.contains(form))?;
    for double in checked.doubled {
        tracing::warn!("since the upgrade, two entries have the same value of a unique field ({double}): change one");
    }
    Ok(outdated.len())
}

fn look(app: &App, fix: bool, wanted: impl Fn(&str) -> bool) -> Result<Checked> {
    let mut checked = Checked::default();
    let (forms, outdated) = app.store.read(|tx| Ok((entry_keys::forms(tx)?, entry_keys::outdated_forms(tx)?)))?;
    for token in forms.into_iter().filter(|token| wanted(token)) {
        if outdated.contains(&token) && !fix {
            checked.outdated += 1;
            continue;
        }
        let check = app.store.read(|tx| {
            let Some(form) = linked_entries::live(tx, &token)? else {
                return Ok(None);
            };
            // Entries of an import have their keys before they become visible.
            if transfer::first_hidden(tx, form.form_no)?.is_some() {
                return Ok(None);
            }
            Ok(Some(FormCheck {
                form_no: form.form_no,
                version: form.version,
                parsed: app.cache.parsed(tx, &form)?,
                token: token.clone(),
            }))
        })?;
        match check.map_or(Ok(()), |check| check.whole(app, fix, &mut checked)) {
            Err(Error::Stale) => checked.unfinished += 1,
            done => done?,
        }
    }
    Ok(checked)
}

/// The keys of a field: unique ones, or those by which public queries search.
#[derive(Clone, Copy)]
struct Index<'f> {
    number: u32,
    field: &'f Field,
    is_unique: bool,
}

impl Index<'_> {
    fn keys(&self, values: &Values, cx: &Cx) -> Vec<String> {
        if self.is_unique {
            let key = exact_keys::of_field(self.field, values, cx);
            key.into_iter().collect()
        } else {
            exact_keys::searched(self.field, values, cx)
        }
    }
}

impl FormCheck {
    fn whole(&self, app: &App, fix: bool, checked: &mut Checked) -> Result<()> {
        let kept = self.entries(app, fix, checked)?;
        self.keys(app, fix, &kept, checked)?;
        for index in self.indexes().filter(|index| index.is_unique) {
            let doubles = app.store.read(|tx| entry_keys::doubles(tx, self.form_no, index.number, MOST_DOUBLES))?;
            for (one, other) in doubles {
                let field = &index.field.api_code;
                checked.doubled.push(format!("form {}, {field}, entries {one} and {other}", self.token));
            }
        }
        if fix {
            let form_no = self.form_no;
            app.store.write(move |tx| entry_keys::renewed(tx, form_no))?;
        }
        Ok(())
    }

    /// The indexes whose keys can be told: unique ones of before a change of type are not made again.
    fn indexes(&self) -> impl Iterator<Item = Index<'_>> {
        let fields = self.parsed.definition.fields.iter();
        fields.flat_map(|field| {
            let is_unique = field.unique && field.past.is_empty();
            let unique = is_unique.then_some(Index { number: field.number(), field, is_unique: true });
            let is_searched = self.parsed.searched.contains(&field.number());
            let searched =
                is_searched.then_some(Index { number: entry_keys::searched(field.number()), field, is_unique: false });
            unique.into_iter().chain(searched)
        })
    }

    fn keys_of(&self, index: Index, entry: &Entry) -> Result<Vec<String>> {
        let values = stored::values(&entry.values).map_err(Error::internal)?;
        let cx = self.parsed.cx(clock::now(), false);
        Ok(index.keys(&values, &cx))
    }

    /// Checks that every entry has its keys; returns how many keys of each field are those of entries.
    fn entries(&self, app: &App, fix: bool, checked: &mut Checked) -> Result<HashMap<u32, usize>> {
        let (form_no, mut after) = (self.form_no, 0);
        let mut kept = HashMap::new();
        loop {
            let (last, count, lacking) = app.store.read(|tx| {
                forms::check_version(tx, form_no, self.version)?;
                let batch = listing::walk(tx, form_no, Table::Live, after, BATCH)?;
                let last = batch.last().map(|entry| entry.serial);
                let mut lacking = Vec::new();
                let cx = self.parsed.cx(clock::now(), false);
                for entry in &batch {
                    let values = stored::values(&entry.values).map_err(Error::internal)?;
                    for index in self.indexes() {
                        let number = index.number;
                        for key in index.keys(&values, &cx) {
                            let has = entry_keys::has(tx, form_no, number, &key, entry.serial)?;
                            if !has {
                                lacking.push((number, entry.serial));
                            }
                            if has || fix {
                                *kept.entry(number).or_default() += 1;
                            }
                        }
                    }
                }
                Ok((last, batch.len(), lacking))
            })?;
            checked.looked_at += count;
            checked.wrong += lacking.len();
            if fix {
                self.add(app, lacking)?;
            }
            match last {
                Some(last) => after = last,
                None => return Ok(kept),
            }
        }
    }

    /// Whether every key is that of an entry. Where the counts agree, no key is read.
    fn keys(&self, app: &App, fix: bool, kept: &HashMap<u32, usize>, checked: &mut Checked) -> Result<()> {
        for index in self.indexes() {
            let (form_no, number) = (self.form_no, index.number);
            let kept = kept.get(&number).copied().unwrap_or_default();
            if app.store.read(|tx| entry_keys::count(tx, form_no, number))? == kept {
                continue;
            }
            let mut after = (Hash::default(), 0);
            loop {
                let (count, last, strays) = app.store.read(|tx| {
                    forms::check_version(tx, form_no, self.version)?;
                    let keys = entry_keys::walk(tx, form_no, number, after, BATCH)?;
                    let mut strays = Vec::new();
                    for (hash, serial) in &keys {
                        if !self.is_own(tx, index, *hash, *serial)? {
                            strays.push((number, *hash, *serial));
                        }
                    }
                    Ok((keys.len(), keys.last().copied(), strays))
                })?;
                checked.looked_at += count;
                checked.wrong += strays.len();
                if fix {
                    self.remove(app, strays)?;
                }
                match last {
                    Some(last) => after = last,
                    None => break,
                }
            }
        }
        Ok(())
    }

    fn is_own(&self, tx: &Tx, index: Index, hash: Hash, serial: i64) -> Result<bool> {
        // Of an import that came in since: its entry is not seen yet.
        if transfer::hides(tx, self.form_no, serial)? {
            return Ok(true);
        }
        let Some(entry) = entries::by_serial(tx, self.form_no, serial)? else {
            return Ok(false);
        };
        let hash_of = |key: &String| entry_keys::hash(tx, self.form_no, index.number, key);
        Ok(self.keys_of(index, &entry)?.iter().any(|key| hash_of(key) == hash))
    }

    /// Adds the keys of fields that entries lack, as the entries are now.
    fn add(&self, app: &App, lacking: Vec<(u32, i64)>) -> Result<()> {
        self.repair(app, lacking, |check, tx, (number, serial)| {
            let entry = entries::by_serial(tx, check.form_no, serial)?;
            if let (Some(entry), Some(index)) = (entry, check.index(number)) {
                for key in check.keys_of(index, &entry)? {
                    entry_keys::insert(tx, check.form_no, number, &key, serial)?;
                }
            }
            Ok(())
        })
    }

    /// Removes keys that no entry has, as the entries are now.
    fn remove(&self, app: &App, strays: Vec<(u32, Hash, i64)>) -> Result<()> {
        self.repair(app, strays, |check, tx, (number, hash, serial)| match check.index(number) {
            Some(index) if !check.is_own(tx, index, hash, serial)? => {
                entry_keys::remove_hash(tx, check.form_no, number, hash, serial)
            }
            _ => Ok(()),
        })
    }

    fn index(&self, number: u32) -> Option<Index<'_>> {
        self.indexes().find(|index| index.number == number)
    }

    fn repair<T: Send + 'static>(
        &self,
        app: &App,
        wrong: Vec<T>,
        one: impl Fn(&Self, &Tx, T) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        if wrong.is_empty() {
            return Ok(());
        }
        let check = self.clone();
        app.store.write(move |tx| {
            forms::check_version(tx, check.form_no, check.version)?;
            wrong.into_iter().try_for_each(|it| one(&check, tx, it))
        })
    }
}
