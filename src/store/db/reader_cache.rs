//! A reader connection's cache of recent rows, such as the caller of a token and the row of a form. It is valid until
//! another connection commits, which SQLite's `data_version` shows.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use rusqlite::Connection;

use crate::model::form::Form;
use crate::model::user::{OrganizationSettings, User, UserId};
use crate::store::accounts::tokens::TokenRow;
use crate::store::oauth::grants::GrantRow;

/// Hidden entries of running imports: form number, first and last serial.
pub type Hidden = Vec<(i64, i64, i64)>;

// A full map is cleared. More distinct keys than this are in use at once only where that does not matter.
const MAX_ROWS: usize = 256;

/// Rows cached by one reader, cleared when the database has changed.
#[derive(Default)]
pub struct ReaderCache {
    version: i64,
    callers: RefCell<HashMap<[u8; 32], (TokenRow, User)>>,
    grants: RefCell<HashMap<String, GrantRow>>,
    forms: RefCell<HashMap<String, Form>>,
    organizations: RefCell<HashMap<UserId, Arc<OrganizationSettings>>>,
    hidden: RefCell<Option<Arc<Hidden>>>,
}

impl ReaderCache {
    /// Clears the cache if the database has changed. Call it at the start of a snapshot: this read fixes the snapshot.
    pub fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if version != self.version {
            self.version = version;
            self.callers.get_mut().clear();
            self.grants.get_mut().clear();
            self.forms.get_mut().clear();
            self.organizations.get_mut().clear();
            self.hidden.get_mut().take();
        }
        Ok(())
    }

    /// The caller with this token hash, loaded by `load` on a miss. Errors and unknown tokens are not cached.
    pub fn caller<E>(
        &self,
        hash: &[u8; 32],
        load: impl FnOnce() -> Result<Option<(TokenRow, User)>, E>,
    ) -> Result<Option<(TokenRow, User)>, E> {
        cached(&self.callers, hash, load)
    }

    /// The grant with the public id that an access token names.
    pub fn grant<E>(
        &self,
        public_id: &str,
        load: impl FnOnce() -> Result<Option<GrantRow>, E>,
    ) -> Result<Option<GrantRow>, E> {
        cached(&self.grants, public_id, load)
    }

    /// The form with this token.
    pub fn form<E>(&self, token: &str, load: impl FnOnce() -> Result<Option<Form>, E>) -> Result<Option<Form>, E> {
        cached(&self.forms, token, load)
    }

    /// The organisation of a form's owner, as pages show it.
    pub fn organization_of<E>(
        &self,
        owner: UserId,
        load: impl FnOnce() -> Result<Arc<OrganizationSettings>, E>,
    ) -> Result<Arc<OrganizationSettings>, E> {
        if let Some(known) = self.organizations.borrow().get(&owner) {
            return Ok(Arc::clone(known));
        }
        let loaded = load()?;
        let mut known = self.organizations.borrow_mut();
        if known.len() >= MAX_ROWS {
            known.clear();
        }
        known.insert(owner, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// The entries of running imports, which are not visible yet.
    pub fn hidden<E>(&self, load: impl FnOnce() -> Result<Hidden, E>) -> Result<Arc<Hidden>, E> {
        if let Some(hidden) = &*self.hidden.borrow() {
            return Ok(Arc::clone(hidden));
        }
        let hidden = Arc::new(load()?);
        self.hidden.replace(Some(Arc::clone(&hidden)));
        Ok(hidden)
    }
}

fn cached<K, Q, V, E>(
    rows: &RefCell<HashMap<K, V>>,
    key: &Q,
    load: impl FnOnce() -> Result<Option<V>, E>,
) -> Result<Option<V>, E>
where
    K: Borrow<Q> + Hash + Eq,
    Q: ToOwned<Owned = K> + Hash + Eq + ?Sized,
    V: Clone,
{
    if let Some(row) = rows.borrow().get(key) {
        return Ok(Some(row.clone()));
    }
    let loaded = load()?;
    if let Some(row) = &loaded {
        let mut rows = rows.borrow_mut();
        if rows.len() >= MAX_ROWS {
            rows.clear();
        }
        rows.insert(key.to_owned(), row.clone());
    }
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_connection_changes_is_asked_for_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("test.db");
        let writer = Connection::open(&path).expect("opens");
        writer.execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t (x)").expect("a table");
        let reader = Connection::open(&path).expect("opens");
        let kept: RefCell<HashMap<String, i64>> = RefCell::default();
        let asked = |n| cached(&kept, "a", || Ok::<_, ()>(Some(n)));
        assert_eq!(asked(1), Ok(Some(1)));
        assert_eq!(asked(2), Ok(Some(1)));
        let mut memo = ReaderCache::default();
        memo.refresh(&reader).expect("a number");
        let before = memo.version;
        memo.refresh(&reader).expect("a number");
        assert_eq!(memo.version, before);
        writer.execute_batch("INSERT INTO t VALUES (1)").expect("a row");
        memo.refresh(&reader).expect("a number");
        assert_ne!(memo.version, before);
    }

    #[test]
    fn nothing_unknown_and_no_fault_is_kept() {
        let kept: RefCell<HashMap<String, i64>> = RefCell::default();
        assert_eq!(cached(&kept, "a", || Err(())), Err(()));
        assert_eq!(cached(&kept, "a", || Ok::<_, ()>(None)), Ok(None));
        assert_eq!(cached(&kept, "a", || Ok::<_, ()>(Some(3))), Ok(Some(3)));
    }
}
