//! What one reader found lately and nobody has changed since: the caller of a token, the row of a form.
//! It holds only while no other connection has committed, which SQLite tells by a number.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use rusqlite::Connection;

use crate::model::form::Form;
use crate::model::user::User;
use crate::store::imports::Hidden;
use crate::store::oauth_grants::Found;
use crate::store::tokens::TokenRow;

// More are asked for at once only where forgetting some does not matter either.
const MOST: usize = 256;

/// What a reader keeps. All of it is forgotten when the database has changed.
#[derive(Default)]
pub struct Memo {
    version: i64,
    callers: RefCell<HashMap<[u8; 32], (TokenRow, User)>>,
    grants: RefCell<HashMap<String, Found>>,
    forms: RefCell<HashMap<String, Form>>,
    hidden: RefCell<Option<Arc<Hidden>>>,
}

impl Memo {
    /// Forgets what may have changed. To be called at the start of a snapshot, which it fixes.
    pub fn follow(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if version != self.version {
            self.version = version;
            self.callers.get_mut().clear();
            self.grants.get_mut().clear();
            self.forms.get_mut().clear();
            self.hidden.get_mut().take();
        }
        Ok(())
    }

    /// The caller of a token's hash, asked for once.
    ///
    /// # Errors
    /// What `ask` returns; that is not kept, nor is an unknown token.
    pub fn caller<E>(
        &self,
        hash: &[u8; 32],
        ask: impl FnOnce() -> Result<Option<(TokenRow, User)>, E>,
    ) -> Result<Option<(TokenRow, User)>, E> {
        remembered(&self.callers, hash, ask)
    }

    /// The grant of an access token by what that names, asked for once.
    ///
    /// # Errors
    /// What `ask` returns; that is not kept, nor is an unknown grant.
    pub fn grant<E>(
        &self,
        named: &str,
        ask: impl FnOnce() -> Result<Option<Found>, E>,
    ) -> Result<Option<Found>, E> {
        remembered(&self.grants, named, ask)
    }

    /// The form of a token, asked for once.
    ///
    /// # Errors
    /// What `ask` returns; that is not kept, nor is an unknown token.
    pub fn form<E>(
        &self,
        token: &str,
        ask: impl FnOnce() -> Result<Option<Form>, E>,
    ) -> Result<Option<Form>, E> {
        remembered(&self.forms, token, ask)
    }
}

impl Memo {
    /// The entries that are not yet to be seen, asked for once.
    ///
    /// # Errors
    /// What `ask` returns; that is not kept.
    pub fn hidden<E>(&self, ask: impl FnOnce() -> Result<Hidden, E>) -> Result<Arc<Hidden>, E> {
        if let Some(known) = &*self.hidden.borrow() {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(ask()?);
        self.hidden.replace(Some(Arc::clone(&found)));
        Ok(found)
    }
}

fn remembered<K, Q, V, E>(
    kept: &RefCell<HashMap<K, V>>,
    key: &Q,
    ask: impl FnOnce() -> Result<Option<V>, E>,
) -> Result<Option<V>, E>
where
    K: Borrow<Q> + Hash + Eq,
    Q: ToOwned<Owned = K> + Hash + Eq + ?Sized,
    V: Clone,
{
    if let Some(found) = kept.borrow().get(key) {
        return Ok(Some(found.clone()));
    }
    let found = ask()?;
    if let Some(found) = &found {
        let mut kept = kept.borrow_mut();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(key.to_owned(), found.clone());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_connection_changes_is_asked_for_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("test.db");
        let writer = Connection::open(&path).expect("opens");
        writer
            .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t (x)")
            .expect("a table");
        let reader = Connection::open(&path).expect("opens");
        let kept: RefCell<HashMap<String, i64>> = RefCell::default();
        let asked = |n| remembered(&kept, "a", || Ok::<_, ()>(Some(n)));
        assert_eq!(asked(1), Ok(Some(1)));
        assert_eq!(asked(2), Ok(Some(1)));
        let mut memo = Memo::default();
        memo.follow(&reader).expect("a number");
        let before = memo.version;
        memo.follow(&reader).expect("a number");
        assert_eq!(memo.version, before);
        writer
            .execute_batch("INSERT INTO t VALUES (1)")
            .expect("a row");
        memo.follow(&reader).expect("a number");
        assert_ne!(memo.version, before);
    }

    #[test]
    fn nothing_unknown_and_no_fault_is_kept() {
        let kept: RefCell<HashMap<String, i64>> = RefCell::default();
        assert_eq!(remembered(&kept, "a", || Err(())), Err(()));
        assert_eq!(remembered(&kept, "a", || Ok::<_, ()>(None)), Ok(None));
        assert_eq!(remembered(&kept, "a", || Ok::<_, ()>(Some(3))), Ok(Some(3)));
    }
}
