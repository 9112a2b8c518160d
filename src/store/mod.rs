//! All SQL and all files. `rusqlite` is named nowhere else. Nothing here decides permission or knows HTTP.
//!
//! Reads go through a small pool of read-only connections, long ones through [`db::searches`], writes through one
//! thread that groups jobs into commits ([`db::writer`]). Every query is a function that takes a [`db::tx::Tx`].

pub mod accounts;
pub mod backups;
pub mod capacity;
pub mod checkup;
pub mod db;
pub mod delivery;
pub mod entries;
pub mod files;
pub mod forms;
pub mod oauth;
pub mod queries;
pub mod server;
pub mod transfer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use r2d2::{Pool, PooledConnection};

use crate::base::clock;
use crate::base::config::Checkpoints;
use crate::base::error::{DataDirFault, Error, Result};
use crate::base::secret::Keys;
use crate::store::db::after_job::AfterJob;
use crate::store::db::connection::{self, DatabaseFile, Reader, Readers};
use crate::store::db::data_dir::DataDir;
use crate::store::db::row_secrets::RowSecrets;
use crate::store::db::searches::{Searches, Snapshots};
use crate::store::db::tx::Tx;
use crate::store::db::write_metrics::WriteMetrics;
pub use crate::store::db::writer::Maintenance;
use crate::store::db::writer::{Ticket, Writer};
use crate::store::db::{canary, checkpoints, rows, schema};
use crate::store::files::blobs::{self, Blob, BlobWriter, Blobs, WrittenBlob};
use crate::store::oauth::signing_keys::KeyFiles;

const READERS: u32 = 4;
const READER_WAIT: Duration = Duration::from_secs(2);
const READ_TIME: Duration = Duration::from_secs(10);

/// The database and the files of one data dir.
pub struct Store {
    shared: Arc<Shared>,
    /// The snapshot that a request reads from. Without it each read takes a reader from the pool.
    held: Option<Mutex<Snapshot>>,
}

struct Shared {
    readers: Pool<Readers>,
    searches: Searches,
    writer: Writer,
    dir: DataDir,
    file: DatabaseFile,
    blobs: Blobs,
    key_files: KeyFiles,
    keys: Arc<Keys>,
    secrets: RowSecrets,
}

impl Store {
    /// Opens the data dir, brings the database to this version and starts the writer. `checkpoints` is the setting; if
    /// no server opens it, that of the last server may count. `after_job` makes the hooks of the writer's jobs from the
    /// instance key and a look at the database; they are returned with the store.
    ///
    /// # Errors
    /// When the data dir can't be used; nothing was changed then.
    pub fn open<J: AfterJob + 'static>(
        dir: DataDir,
        checkpoints: Checkpoints,
        after_job: impl FnOnce(&Arc<Keys>, &Tx) -> J,
    ) -> Result<(Self, Arc<J>), DataDirFault> {
        let keys = Arc::new(dir.keys()?);
        let path = dir.database();
        let mut connection = connection::open(&path).map_err(|e| dir.fault(e))?;
        schema::refuse_newer(&connection, &dir)?;
        let is_planted = canary::check(&connection, &keys, &dir)?;
        connection::make_writer(&connection).map_err(|e| dir.fault(e))?;
        schema::migrate(&mut connection, &dir)?;
        if !is_planted {
            canary::store(&connection, &keys, &dir)?;
        }
        let file = DatabaseFile { checkpoints: checkpoints::decide(&connection, checkpoints, dir.is_locked()), path };
        file.set_up_close(&connection).map_err(|e| dir.fault(e))?;
        dir.mark_running()?;
        let readers = Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .test_on_check_out(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connection_timeout(READER_WAIT)
            .build(Readers::new(&file, READ_TIME))
            .map_err(|e| DataDirFault::Failed(dir.to_string(), e.to_string()))?;
        let secrets = RowSecrets::new(&keys);
        let failed = |e: std::io::Error| DataDirFault::Failed(dir.to_string(), e.to_string());
        let after_job = Arc::new(after_job(&keys, &Tx::opening(&connection, &secrets, clock::now())));
        let follows: Arc<dyn AfterJob> = Arc::<J>::clone(&after_job);
        let writer = Writer::start(connection, file.checkpoints, secrets.clone(), follows).map_err(failed)?;
        let searches = Searches::start(&file, READ_TIME, secrets.clone()).map_err(failed)?;
        let blobs = Blobs::new(&dir)?;
        if dir.is_locked() {
            blobs.remove_temporary_files().map_err(failed)?;
        }
        let shared =
            Shared { blobs, key_files: KeyFiles::of(&dir)?, readers, searches, writer, dir, file, keys, secrets };
        let store = Self { shared: Arc::new(shared), held: None };
        if store.shared.dir.is_locked()
            && let Err(e) = store.remove_backup_leftovers()
        {
            tracing::warn!("what an interrupted backup left can't be removed: {e:?}");
        }
        Ok((store, after_job))
    }

    /// The same store for one request, with a reader of its own: its reads see one snapshot and never wait for a
    /// reader. `None` when all are taken.
    pub fn with_reader(&self) -> Option<Self> {
        self.shared.readers.try_get().map(|it| self.over(it))
    }

    /// The same, for one that may wait for its reader. Not to be called from async code.
    ///
    /// # Errors
    /// 503 when all readers are taken for 2 s.
    pub fn reading(&self) -> Result<Self> {
        self.reader().map(|it| self.over(it))
    }

    fn over(&self, reader: PooledConnection<Readers>) -> Self {
        Self { shared: Arc::clone(&self.shared), held: Some(Mutex::new(Snapshot::new(reader))) }
    }

    fn reader(&self) -> Result<PooledConnection<Readers>> {
        let reader = self.shared.readers.get();
        reader.map_err(|_| Error::Busy("all readers are busy", 1))
    }

    /// The same store, for work that outlives a request. It takes a reader of the pool for each read.
    pub fn share(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), held: None }
    }

    /// The keys that signatures and sealed texts are made with.
    pub fn keys(&self) -> &Keys {
        &self.shared.keys
    }

    /// The same, for a job of the writer.
    pub fn shared_keys(&self) -> Arc<Keys> {
        Arc::clone(&self.shared.keys)
    }

    /// The files of the keys that sign access tokens.
    pub fn key_files(&self) -> KeyFiles {
        self.shared.key_files.clone()
    }

    /// Runs `f` over one snapshot of the database: all reads of a store with a reader see the same one.
    ///
    /// # Errors
    /// The error of `f`; 503 when all readers are taken for 2 s.
    pub fn read<T>(&self, f: impl FnOnce(&Tx) -> Result<T>) -> Result<T> {
        let mut result = Err(Error::internal("a read was not run"));
        let mut f = Some(f);
        self.read_dyn(&mut |tx| {
            if let Some(f) = f.take() {
                result = f(tx);
            }
        })?;
        result
    }

    /// `read`, compiled once for all of its callers.
    fn read_dyn(&self, f: &mut dyn FnMut(&Tx)) -> Result<()> {
        let secrets = &self.shared.secrets;
        match self.held.as_ref().map(Mutex::try_lock) {
            Some(Ok(mut held)) => held.read(secrets, f),
            Some(Err(TryLockError::Poisoned(held))) => held.into_inner().read(secrets, f),
            // A read within a read.
            Some(Err(TryLockError::WouldBlock)) | None => Snapshot::new(self.reader()?).read(secrets, f),
        }
    }

    /// Queues a search that takes its time, over one snapshot, on a thread of its own. When the ticket is
    /// dropped, it ends.
    pub fn search<T: Send + 'static>(&self, f: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Ticket<T> {
        self.shared.searches.submit(f)
    }

    /// Queues a search that takes one snapshot after the other, on a thread of its own. When the ticket is
    /// dropped, it ends.
    pub fn search_in_steps<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Snapshots) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        self.shared.searches.submit_steps(f)
    }

    /// Queues `f` for the writer. The ticket is answered after the commit that holds the change.
    pub fn submit<T: Send + 'static>(&self, f: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Ticket<T> {
        self.shared.writer.submit(f)
    }

    /// Queues `f` and waits for its commit. Not to be called from async code.
    ///
    /// # Errors
    /// The error of `f`; 503 when the queue or the disk is full.
    pub fn write<T: Send + 'static>(&self, f: impl FnOnce(&Tx) -> Result<T> + Send + 'static) -> Result<T> {
        self.shared.writer.submit(f).wait()
    }

    /// The bytes of files.
    pub fn blobs(&self) -> &Blobs {
        &self.shared.blobs
    }

    /// Keeps a file that was written to the side: its bytes first, then in one commit its row and the work of `f`. Not
    /// to be called from async code.
    ///
    /// # Errors
    /// The error of `f`; 503 when the disk is full or fails.
    pub fn keep_blob<T: Send + 'static>(
        &self,
        writing: BlobWriter,
        f: impl FnOnce(&Tx, &Blob) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.keep_blobs(vec![writing.finish()?], move |tx, blobs| match blobs {
            [blob] => f(tx, blob),
            _ => Err(Error::internal("one file became another number")),
        })
    }

    /// Keeps files that were written to the side: their bytes first, then in one commit their rows and the work of `f`.
    /// Not to be called from async code.
    ///
    /// # Errors
    /// The error of `f`; 503 when the disk is full or fails.
    pub fn keep_blobs<T: Send + 'static>(
        &self,
        files: Vec<WrittenBlob>,
        f: impl FnOnce(&Tx, &[Blob]) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // Held until the rows exist: the removal of contents without a row waits for it.
        let _lock = self.shared.blobs.lock_shared()?;
        let placed = files.into_iter().map(|file| self.shared.blobs.place(file));
        let placed = placed.collect::<Result<Vec<Blob>>>()?;
        self.write(move |tx| {
            for blob in &placed {
                blobs::insert(tx, blob)?;
            }
            f(tx, &placed)
        })
    }

    /// Removes up to `limit` contents that no row names any more; says how many.
    ///
    /// # Errors
    /// 503.
    pub fn remove_idle_blobs(&self, limit: usize) -> Result<usize> {
        let _lock = self.shared.blobs.lock_exclusive()?;
        // A running backup names contents that must stay.
        let Some(_no_backup) = self.lock_out_backups()? else {
            return Ok(0);
        };
        let gone = self.write(move |tx| blobs::forget_idle(tx, limit))?;
        for hash in &gone {
            self.shared.blobs.remove(hash)?;
        }
        Ok(gone.len())
    }

    /// Files among the contents that no row knows; returns their number, and removes them if `remove` is set. A process
    /// that ended between a file and its row leaves such files.
    ///
    /// # Errors
    /// 503.
    pub fn unknown_blobs(&self, remove: bool) -> Result<usize> {
        let mut count = 0;
        for folder in self.shared.blobs.folders()? {
            let _lock = self.shared.blobs.lock_exclusive()?;
            let no_backup = self.lock_out_backups()?;
            if remove && no_backup.is_none() {
                break;
            }
            let found = self.shared.blobs.hashes_in(&folder)?;
            let unknown = self.read(|tx| blobs::without_row(tx, found))?;
            for hash in unknown.iter().filter(|_| remove) {
                self.shared.blobs.remove(hash)?;
            }
            count += unknown.len();
        }
        Ok(count)
    }

    /// Runs maintenance on the database file. False if other connections prevented it.
    pub fn maintain(&self, maintenance: Maintenance) -> Result<bool> {
        self.shared.writer.maintain(maintenance)
    }

    /// Whether this process writes the log back into the database file.
    pub fn checkpoints(&self) -> Checkpoints {
        self.shared.file.checkpoints
    }

    /// The number of writes submitted so far. Background work pauses while it grows.
    pub fn writes(&self) -> u64 {
        self.shared.writer.count()
    }

    /// Load and durations of the writer.
    pub fn write_figures(&self) -> &WriteMetrics {
        self.shared.writer.figures()
    }

    /// Whether the store accepts no more writes.
    pub fn is_closed(&self) -> bool {
        self.shared.writer.is_closed()
    }

    /// Ends the writer after the jobs that are queued, so that the process may leave.
    pub fn close(&self) {
        self.shared.writer.close();
        self.shared.dir.mark_clean();
    }
}

/// A reader of the pool, and its snapshot once something was read: one state of the database.
struct Snapshot {
    reader: PooledConnection<Readers>,
    is_begun: bool,
}

impl Snapshot {
    fn new(reader: PooledConnection<Readers>) -> Self {
        Self { reader, is_begun: false }
    }

    fn read(&mut self, secrets: &RowSecrets, f: &mut dyn FnMut(&Tx)) -> Result<()> {
        if !self.is_begun {
            self.reader.begin().map_err(rows::internal)?;
            self.is_begun = true;
        }
        f(&Tx::reading(&self.reader, secrets, clock::now()));
        Ok(())
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if self.is_begun {
            self.reader.end();
        }
    }
}

fn ask<T>(reader: &Reader, secrets: &RowSecrets, f: impl FnOnce(&Tx) -> T) -> std::thread::Result<T> {
    let tx = Tx::reading(reader, secrets, clock::now());
    catch_unwind(AssertUnwindSafe(|| f(&tx)))
}
