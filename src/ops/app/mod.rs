//! The context of every operation: the running service, and the connection that it reads with.

mod after_job;
pub mod opening;
mod preparing;
pub(in crate::ops) mod turns;

use std::ops::Deref;
use std::sync::Arc;

use crate::base::config::{Checkpoints, Config};
use crate::base::error::Result;
use crate::base::secret::Keys;
use crate::ops::accounts::state::AccountState;
use crate::ops::app::turns::Turns;
use crate::ops::backups::state::BackupState;
use crate::ops::delivery::state::DeliveryState;
use crate::ops::entries::state::EntryState;
use crate::ops::exams::state::ExamState;
use crate::ops::files::state::FileState;
use crate::ops::forms::state::FormState;
use crate::ops::oauth::state::OauthState;
use crate::ops::queries::state::QueryState;
use crate::ops::server::state::ServerState;
use crate::ops::transfer::state::TransferState;
use crate::query::form_cache::Cache;
pub use crate::query::form_cache::ParsedForm;
use crate::store::Store;
pub use crate::store::db::writer::Ticket;

/// The context of every operation: the running service, and the connection that it reads with.
pub struct App {
    /// The database and the files.
    pub(in crate::ops) store: Store,
    service: Arc<Service>,
}

impl Deref for App {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// The state that all requests share besides the store: the settings, the parsed forms, and each subject's own state.
pub struct Service {
    /// The effective settings.
    pub config: Config,
    /// Parsed forms, by version.
    pub(in crate::ops) cache: Arc<Cache>,
    pub accounts: AccountState,
    pub(in crate::ops) backups: BackupState,
    pub delivery: DeliveryState,
    pub(in crate::ops) entries: EntryState,
    pub(in crate::ops) exams: ExamState,
    pub(in crate::ops) files: FileState,
    pub forms: FormState,
    pub(in crate::ops) oauth: OauthState,
    pub queries: QueryState,
    pub(in crate::ops) server: Arc<ServerState>,
    pub(in crate::ops) transfer: TransferState,
    /// Operations that are run again, by the thing that they change.
    repeats: Turns,
}

impl App {
    /// The process that writes the database's log back into it, as far as this process knows.
    pub fn checkpoints(&self) -> Checkpoints {
        self.store.checkpoints()
    }

    /// The service for one request, with a reader of its own: all its reads see one snapshot and don't wait for a
    /// connection. `None` if all readers are in use.
    pub fn with_reader(&self) -> Option<Self> {
        Some(Self { store: self.store.with_reader()?, service: Arc::clone(&self.service) })
    }

    /// The same service, for work that outlives a request.
    pub fn share(&self) -> Self {
        Self { store: self.store.share(), service: Arc::clone(&self.service) }
    }

    /// The same for work that may wait for its reader. Not to be called from async code.
    ///
    /// # Errors
    /// 503 if all readers are in use for 2 s.
    pub fn reading(&self) -> Result<Self> {
        Ok(Self { store: self.store.reading()?, service: Arc::clone(&self.service) })
    }

    /// Loads a form into the cache; returns whether processing it takes more than a few milliseconds. False if the form
    /// does not exist.
    pub fn read_form(&self, form_token: &str) -> Result<bool> {
        self.store.read(|tx| self.cache.read(tx, form_token))
    }

    /// Whether processing a form takes more than a few milliseconds; `None` if it is not in the cache.
    pub fn is_heavy(&self, form_token: &str) -> Option<bool> {
        self.cache.is_heavy(form_token)
    }

    /// Checks that reading and writing work, for `/readyz`.
    ///
    /// # Errors
    /// 503 if either fails.
    pub fn ready(&self) -> Result<()> {
        self.store.read(|_| Ok(()))?;
        self.store.write(|_| Ok(()))
    }

    /// The keys for signatures and sealed texts.
    pub fn keys(&self) -> &Keys {
        self.store.keys()
    }
}
