//! Opens and closes the service over a data dir.

use std::sync::Arc;

use crate::base::config::Config;
use crate::base::error::DataDirFault;
use crate::fields::files::links::FileLinks;
use crate::ops::accounts::state::AccountState;
use crate::ops::accounts::token_uses;
use crate::ops::app::after_job::AfterJob;
use crate::ops::app::{App, Service, preparing};
use crate::ops::backups::state::BackupState;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::state::DeliveryState;
use crate::ops::entries::state::EntryState;
use crate::ops::exams::state::ExamState;
use crate::ops::files::state::FileState;
use crate::ops::forms::state::FormState;
use crate::ops::oauth::state::OauthState;
use crate::ops::queries::counts;
use crate::ops::queries::state::QueryState;
use crate::ops::transfer::state::TransferState;
use crate::query::form_cache::Cache;
use crate::store::Store;
use crate::store::db::data_dir::DataDir;
use crate::store::entries::entry_keys;
use crate::store::server::service_address;

/// A data dir that this process has locked.
pub struct LockedDir(DataDir);

impl LockedDir {
    /// Locks the data dir of a server; creates it if it is missing.
    ///
    /// # Errors
    /// It can't be used, or another server uses it.
    pub fn of(config: &Config) -> Result<Self, DataDirFault> {
        DataDir::create(&config.data_dir).map(Self)
    }
}

impl App {
    /// Opens the data dir of a server.
    ///
    /// # Errors
    /// The data dir can't be used.
    pub fn serve(dir: LockedDir, config: Config) -> Result<Self, DataDirFault> {
        let app = Self::open(dir.0, config)?;
        if let Err(e) = app.store.write(entry_keys::abandon) {
            tracing::error!("keys whose building was cut off are still there: {e:?}");
        }
        Ok(app)
    }

    /// Opens an existing data dir that a running server may also use. The base address defaults to that of the last
    /// server.
    ///
    /// # Errors
    /// The data dir is missing or can't be used.
    pub fn beside(config: Config) -> Result<Self, DataDirFault> {
        Self::open(DataDir::existing(&config.data_dir)?, config)
    }

    fn open(dir: DataDir, mut config: Config) -> Result<Self, DataDirFault> {
        let (store, after_job) = Store::open(dir, config.checkpoints, |keys, tx| {
            if config.base_url.is_empty() {
                // An unreadable address counts as none, because `doctor` also opens damaged databases.
                let known = service_address::get(tx).ok().flatten();
                config.base_url = known.unwrap_or_default();
            }
            let links = FileLinks { base_url: config.base_url.clone(), keys: Arc::clone(keys) };
            AfterJob {
                cache: Arc::new(Cache::new(links)),
                outbox: Arc::new(Outbox::new(Arc::clone(keys), &config)),
                stream_wakeups: Arc::default(),
            }
        })?;
        let AfterJob { cache, outbox, stream_wakeups } = &*after_job;
        let service = Service {
            cache: Arc::clone(cache),
            accounts: AccountState::default(),
            backups: BackupState::default(),
            delivery: DeliveryState::new(Arc::clone(outbox), Arc::clone(stream_wakeups), &config.webhooks),
            entries: EntryState::default(),
            exams: ExamState::default(),
            files: FileState::default(),
            forms: FormState::default(),
            oauth: OauthState::default(),
            queries: QueryState::default(),
            server: Arc::default(),
            transfer: TransferState::default(),
            repeats: preparing::repeats(),
            config,
        };
        Ok(Self { store, service: Arc::new(service) })
    }

    /// Completes queued work and closes the database.
    pub fn close(&self) {
        if let Err(e) = token_uses::write(self) {
            tracing::warn!("the last uses of tokens were not noted: {e:?}");
        }
        if let Err(e) = counts::write(self) {
            tracing::warn!("the last views of public queries were not counted: {e:?}");
        }
        self.store.close();
    }
}
