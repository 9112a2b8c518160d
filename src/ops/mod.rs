//! What the service does, as synchronous functions: the only layer that decides permission and opens
//! transactions. It knows nothing of HTTP.

pub mod access;
mod access_password;
pub mod after_submission;
pub mod audit;
pub mod availability;
pub mod bulk;
pub mod checkup;
pub mod collaborators;
mod content_types;
mod disk_space;
pub mod edit_right;
pub mod entries;
pub mod entry_lists;
pub mod entry_shape;
mod exact_keys;
pub mod exports;
mod field_edits;
pub mod field_rules;
mod file_checkup;
pub mod files;
pub mod folders;
pub mod form_lists;
pub mod form_sections;
pub mod form_uploads;
pub mod form_view;
pub mod forms;
pub mod idempotency;
mod image_variants;
pub mod images;
pub mod imports;
pub mod incoming;
pub mod linked_options;
pub mod links;
pub mod locales;
pub mod members;
pub mod oauth;
pub mod passwords;
pub mod plans;
pub mod published;
pub mod receipt;
pub mod reports;
pub mod respondent_entries;
pub mod respondents;
mod rewrite_checkup;
pub mod rewrites;
mod rewriting;
pub mod second_factor;
pub mod segments;
pub mod service_address;
pub mod sessions;
pub mod settings;
mod settings_body;
pub mod setup;
pub mod shown_once;
pub mod sign_in;
pub mod submission;
pub mod surroundings;
pub mod sweeps;
pub mod themes;
mod throttle;
pub mod token_uses;
pub mod tokens;
pub mod trash;
mod unique_index_build;
mod unique_index_check;
pub mod uploads;
pub mod users;

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use crate::base::config::Config;
use crate::base::error::{DataDirFault, Result};
use crate::base::rate::RateTable;
use crate::base::secret::Keys;
use crate::fields::files::links::FileLinks;
use crate::ops::exports::Underway;
use crate::ops::incoming::Incoming;
use crate::ops::oauth::access::Signatures;
use crate::ops::oauth::keys::Signer;
use crate::ops::passwords::Hashers;
use crate::ops::rewriting::Rewriting;
use crate::ops::shown_once::ShownOnce;
use crate::ops::throttle::Throttle;
use crate::ops::token_uses::Uses;
pub use crate::query::form_cache as cache;
use crate::query::form_cache::Cache;
use crate::query::segment_builder::UpToDate;
use crate::store::data_dir::DataDir;
pub use crate::store::writer::Ticket;
use crate::store::{self, Store, entry_keys};

/// What every operation is given: the running service, and what it reads with.
pub struct App {
    /// Database and files.
    pub(in crate::ops) store: Store,
    service: Arc<Service>,
}

impl Deref for App {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// What all requests share beside the store.
pub struct Service {
    /// The effective settings.
    pub config: Config,
    /// Parsed forms, by version.
    pub(in crate::ops) cache: Arc<Cache>,
    /// Wrong access passwords, by network and form.
    pub(in crate::ops) password_tries: RateTable,
    /// Limits how many passwords are hashed at once.
    pub(in crate::ops) hashers: Hashers,
    /// Failed sign-ins.
    pub(in crate::ops) throttle: Throttle,
    /// Failed tries of OAuth clients to show who they are, by client and address.
    pub(in crate::ops) client_failures: RateTable,
    /// Signatures of access tokens that were right.
    pub(in crate::ops) signatures: Signatures,
    /// The key that signs access tokens.
    pub(in crate::ops) signer: Signer,
    /// Tokens that were used, until that is written.
    pub(in crate::ops) uses: Uses,
    /// Forms whose segments are complete.
    pub(in crate::ops) segments_up_to_date: UpToDate,
    /// Uploads whose files are on their way.
    pub(in crate::ops) coming: Arc<Mutex<HashSet<String>>>,
    /// Files in posts of pages that are on their way.
    pub(in crate::ops) incoming: Incoming,
    /// Exports under way.
    pub(in crate::ops) exports: Underway,
    /// Forms whose entries are rewritten before an edit is answered.
    pub(in crate::ops) rewriting: Rewriting,
    /// Secrets that a page is about to show.
    pub shown_once: ShownOnce,
}

impl App {
    /// Opens the data dir to serve from it, making it where it is missing; takes its lock.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn serve(config: Config) -> Result<Self, DataDirFault> {
        let dir = DataDir::create(&config.data_dir)?;
        let app = Self::over(Store::open(dir)?, config);
        if let Err(e) = app.store.write(entry_keys::abandon) {
            tracing::error!("keys whose building was cut off are still there: {e:?}");
        }
        Ok(app)
    }

    /// Opens a data dir that is there, beside a server that may run on it. Its address is the last server's, unless
    /// one is named.
    ///
    /// # Errors
    /// When there is none or it can't be used.
    pub fn beside(mut config: Config) -> Result<Self, DataDirFault> {
        let dir = DataDir::existing(&config.data_dir)?;
        let store = Store::open(dir)?;
        if config.base_url.is_empty() {
            // One that can't be read is as good as none: `doctor` comes here, too.
            let known = store.read(store::service_address::get).ok().flatten();
            config.base_url = known.unwrap_or_default();
        }
        Ok(Self::over(store, config))
    }

    /// The same service, when it is known at last where it is reached.
    pub fn with_base_url(self, base_url: String) -> Self {
        let config = Config {
            base_url,
            ..self.config.clone()
        };
        Self::over(self.store, config)
    }

    /// The same service for one request, with a reader of its own: its reads see one snapshot and never wait for a
    /// reader. `None` when all are taken.
    pub fn with_reader(&self) -> Option<Self> {
        Some(Self {
            store: self.store.with_reader()?,
            service: Arc::clone(&self.service),
        })
    }

    fn cache(store: &Store, config: &Config) -> Arc<Cache> {
        Arc::new(Cache::new(FileLinks {
            base_url: config.base_url.clone(),
            keys: store.shared_keys(),
        }))
    }

    fn over(store: Store, config: Config) -> Self {
        let service = Service {
            cache: Self::cache(&store, &config),
            coming: Arc::default(),
            incoming: Incoming::default(),
            exports: Underway::default(),
            rewriting: Rewriting::default(),
            config,
            password_tries: RateTable::default(),
            hashers: Hashers::default(),
            throttle: Throttle::default(),
            client_failures: RateTable::default(),
            signatures: Signatures::default(),
            signer: Signer::default(),
            uses: Uses::default(),
            segments_up_to_date: UpToDate::default(),
            shown_once: ShownOnce::default(),
        };
        Self {
            store,
            service: Arc::new(service),
        }
    }

    /// Reads a form, and says whether work on it takes more than some milliseconds. One that is not there takes none.
    pub fn read_form(&self, form_token: &str) -> Result<bool> {
        self.store.read(|tx| self.cache.read(tx, form_token))
    }

    /// Whether work on a form takes more than some milliseconds; none where it has to be read first.
    pub fn is_heavy(&self, form_token: &str) -> Option<bool> {
        self.cache.is_heavy(form_token)
    }

    /// Whether reading and writing work, for `/readyz`.
    ///
    /// # Errors
    /// 503 when one does not.
    pub fn ready(&self) -> Result<()> {
        self.store.read(|_| Ok(()))?;
        self.store.write(|_| Ok(()))
    }

    /// The keys that signatures and sealed texts are made with.
    pub fn keys(&self) -> &Keys {
        self.store.keys()
    }

    /// Finishes what is queued and closes the database.
    pub fn close(&self) {
        if let Err(e) = token_uses::write(self) {
            tracing::warn!("the last uses of tokens were not noted: {e:?}");
        }
        self.store.close();
    }
}
