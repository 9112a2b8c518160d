//! The operations of the service, as synchronous functions. Only this layer decides permissions and opens transactions.
//! It is independent of HTTP.

pub mod accounts;
pub mod backups;
pub mod capacity;
pub mod checkup;
pub mod delivery;
pub mod entries;
pub mod exams;
pub mod files;
pub mod forms;
pub mod oauth;
pub mod queries;
pub mod server;
pub mod transfer;

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};

use crate::base::config::{Checkpoints, Config};
use crate::base::error::{DataDirFault, Result};
use crate::base::rate::RateTable;
use crate::base::secret::Keys;
use crate::fields::files::links::FileLinks;
use crate::media::typeset::fonts::Fonts;
use crate::ops::accounts::passwords::Hashers;
use crate::ops::accounts::shown_once::ShownOnce;
use crate::ops::accounts::throttle::Throttle;
use crate::ops::accounts::token_uses::Uses;
use crate::ops::backups::pause::BackupPause;
use crate::ops::delivery::open_streams::Streams;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::stream_wakeups::EventBells;
use crate::ops::exams::certificates::extra_fonts;
use crate::ops::files::upload_quota::Incoming;
use crate::ops::forms::rewriting::Rewriting;
use crate::ops::oauth::access::Signatures;
use crate::ops::oauth::keys::Signer;
use crate::ops::queries::counts::QueryCounts;
use crate::ops::queries::index::Tended;
use crate::ops::server::metrics::Figures;
use crate::ops::transfer::exports::Underway;
use crate::outbound::client::Client;
use crate::outbound::request_slots::Places;
use crate::query::form_cache::Cache;
pub use crate::query::form_cache::ParsedForm;
use crate::query::segment_builder::UpToDate;
use crate::store::db::data_dir::DataDir;
pub use crate::store::db::writer::Ticket;
use crate::store::entries::entry_keys;
use crate::store::{self, Store};

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

/// State shared by all requests, besides the store.
pub struct Service {
    /// The effective settings.
    pub config: Config,
    /// After a scheduled backup that failed.
    pub(in crate::ops) backup_pause: BackupPause,
    /// Parsed forms, by version.
    pub(in crate::ops) cache: Arc<Cache>,
    /// Wrong access passwords, by network and form.
    pub(in crate::ops) password_tries: RateTable,
    /// The threads that hash passwords.
    pub(in crate::ops) hashers: Hashers,
    /// Failed sign-ins.
    pub(in crate::ops) throttle: Throttle,
    /// Failed authentications of OAuth clients, by client and address.
    pub(in crate::ops) client_failures: RateTable,
    /// Cached signatures of verified access tokens.
    pub(in crate::ops) signatures: Signatures,
    /// The key that signs access tokens.
    pub(in crate::ops) signer: Signer,
    /// Uses of tokens that are not yet written to the database.
    pub(in crate::ops) uses: Uses,
    /// Views and searches of public queries that are not yet written to the database.
    pub query_counts: QueryCounts,
    /// Forms whose keys for public queries are what those need.
    pub(in crate::ops) query_keys: Tended,
    /// Forms whose segments are complete.
    pub(in crate::ops) segments_up_to_date: UpToDate,
    /// Uploads whose files are being received.
    pub(in crate::ops) coming: Arc<Mutex<HashSet<String>>>,
    /// Files in form posts that are being received.
    pub(in crate::ops) incoming: Incoming,
    /// Takes messages that leave the service.
    pub(in crate::ops) outbox: Arc<Outbox>,
    /// Sends events to webhooks; `None` if the certificates that it should trust can't be used.
    pub(in crate::ops) client: Option<Client>,
    /// What it has underway.
    pub places: Places,
    /// Tests of webhooks, by webhook.
    pub(in crate::ops) webhook_tests: RateTable,
    /// Wakes the readers of event streams.
    pub(in crate::ops) event_bells: Arc<EventBells>,
    /// Open event streams.
    pub(in crate::ops) streams: Arc<Streams>,
    /// Counts for operators.
    pub(in crate::ops) figures: Arc<Figures>,
    /// Running exports.
    pub(in crate::ops) exports: Underway,
    /// Forms whose entries are being rewritten before an edit is answered.
    pub(in crate::ops) rewriting: Rewriting,
    /// The fonts of certificates, read when first needed.
    fonts: OnceLock<Fonts>,
    /// Secrets that a page will show once.
    pub shown_once: ShownOnce,
}

impl App {
    /// Opens and locks the data dir of a server; creates it if it is missing.
    ///
    /// # Errors
    /// The data dir can't be used.
    pub fn serve(config: Config) -> Result<Self, DataDirFault> {
        let dir = DataDir::create(&config.data_dir)?;
        let app = Self::over(Store::open(dir, config.checkpoints)?, config);
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
    pub fn beside(mut config: Config) -> Result<Self, DataDirFault> {
        let dir = DataDir::existing(&config.data_dir)?;
        let store = Store::open(dir, config.checkpoints)?;
        if config.base_url.is_empty() {
            // An unreadable address counts as none, because `doctor` also opens damaged databases.
            let known = store.read(store::server::service_address::get).ok().flatten();
            config.base_url = known.unwrap_or_default();
        }
        Ok(Self::over(store, config))
    }

    /// The same service with a base address that became known later.
    pub fn with_base_url(self, base_url: String) -> Self {
        let config = Config { base_url, ..self.config.clone() };
        Self::over(self.store, config)
    }

    /// Who writes the log of the database back into it, as far as this process knows.
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

    fn cache(store: &Store, config: &Config) -> Arc<Cache> {
        Arc::new(Cache::new(FileLinks { base_url: config.base_url.clone(), keys: store.shared_keys() }))
    }

    fn over(store: Store, config: Config) -> Self {
        let service = Service {
            backup_pause: BackupPause::default(),
            cache: Self::cache(&store, &config),
            coming: Arc::default(),
            incoming: Incoming::default(),
            outbox: Arc::new(Outbox::new(store.shared_keys(), &config)),
            client: Client::new(config.webhooks.may_be_private, config.webhooks.ca.as_deref()),
            places: Places::default(),
            webhook_tests: RateTable::default(),
            event_bells: Arc::default(),
            streams: Arc::default(),
            figures: Arc::default(),
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
            query_counts: QueryCounts::default(),
            query_keys: Tended::default(),
            segments_up_to_date: UpToDate::default(),
            fonts: OnceLock::new(),
            shown_once: ShownOnce::default(),
        };
        Self { store, service: Arc::new(service) }
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

    /// The fonts of certificates.
    pub(in crate::ops) fn fonts(&self) -> &Fonts {
        let load = || extra_fonts::load(self.config.fonts_dir.as_deref());
        self.fonts.get_or_init(load)
    }

    /// The keys for signatures and sealed texts.
    pub fn keys(&self) -> &Keys {
        self.store.keys()
    }

    /// Completes queued work and closes the database.
    pub fn close(&self) {
        if let Err(e) = accounts::token_uses::write(self) {
            tracing::warn!("the last uses of tokens were not noted: {e:?}");
        }
        if let Err(e) = queries::counts::write(self) {
            tracing::warn!("the last views of public queries were not counted: {e:?}");
        }
        self.store.close();
    }
}
