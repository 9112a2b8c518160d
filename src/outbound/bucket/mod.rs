//! A place in a bucket of an S3-compatible store, for synchronous callers. A written object becomes visible once all of
//! it has arrived.

mod fault;
mod reader;
mod upload;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::list::{PaginatedListOptions, PaginatedListStore as _};
use object_store::multipart::MultipartStore as _;
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectMeta, ObjectStoreExt as _, PutPayload, RetryConfig};
use tokio::runtime::{Builder, Runtime};

use crate::base::backup_target::BucketPath;
use crate::base::config::S3;
pub use crate::outbound::bucket::fault::BucketFault;
pub use crate::outbound::bucket::reader::Reader;
pub use crate::outbound::bucket::upload::{Note, Upload};
use crate::outbound::bucket_http::StoreHttp;

/// The most retries of a failed request.
const RETRIES: usize = 5;
const RETRY_TIME: Duration = Duration::from_secs(120);

/// The most files that a list may have.
const MOST_LISTED: usize = 10_000_000;

#[derive(Clone)]
pub struct Bucket {
    store: AmazonS3,
    place: BucketPath,
    /// Its thread sends requests while the caller goes on.
    runtime: Arc<Runtime>,
}

impl Bucket {
    /// Sends no request yet.
    ///
    /// # Errors
    /// A setting is missing or can't be used.
    pub fn new(settings: &S3, place: BucketPath) -> Result<Self, BucketFault> {
        let (Some(access), Some(secret)) = (&settings.access_key, &settings.secret_key) else {
            return Err(BucketFault::NoKeys);
        };
        let http = StoreHttp::new(settings.ca.as_deref()).ok_or(BucketFault::Certificates)?;
        let backoff =
            BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(5), base: 3.0 };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(place.bucket.as_str())
            .with_access_key_id(access.reveal())
            .with_secret_access_key(secret.reveal())
            .with_region(settings.region.as_str())
            .with_virtual_hosted_style_request(settings.virtual_hosts)
            // Not all stores have it.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIME })
            .with_http_connector(http);
        if let Some(endpoint) = &settings.endpoint {
            let mut endpoint = endpoint.clone();
            if settings.virtual_hosts {
                let host = endpoint.host_str().unwrap_or_default();
                let host = format!("{}.{host}", place.bucket);
                endpoint.set_host(Some(&host)).map_err(|e| BucketFault::Failed(e.to_string()))?;
            }
            builder = builder
                .with_allow_http(endpoint.scheme() == "http")
                .with_endpoint(endpoint.as_str().trim_end_matches('/'));
        }
        let failed = |e: &dyn std::fmt::Display| BucketFault::Failed(e.to_string());
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(|e| failed(&e))?;
        Ok(Self { store: builder.build().map_err(|e| failed(&e))?, place, runtime: Arc::new(runtime) })
    }

    pub fn place(&self) -> &BucketPath {
        &self.place
    }

    /// A place in it.
    pub fn within(&self, name: &str) -> Self {
        Self { place: self.place.join(name), ..self.clone() }
    }

    fn key(&self, name: &str) -> Path {
        Path::from(self.place.key(name))
    }

    /// The files directly below the bucket's prefix, with sizes in bytes.
    ///
    /// # Errors
    /// The store fails.
    pub fn files(&self) -> Result<Vec<(String, u64)>, BucketFault> {
        let prefix = Path::from(self.place.prefix.as_str());
        let name = |it: ObjectMeta| Some((it.location.filename()?.to_owned(), it.size));
        Ok(self.list(&prefix, Some("/"))?.into_iter().filter_map(name).collect())
    }

    /// All in this folder of it, whose names have the folders below that in them.
    ///
    /// # Errors
    /// The store fails.
    pub fn tree(&self, folder: &str) -> Result<Vec<(String, u64)>, BucketFault> {
        let prefix = self.key(folder);
        let start = format!("{prefix}/");
        let named = |it: ObjectMeta| {
            let key = it.location.to_string();
            (key.strip_prefix(&start).unwrap_or(&key).to_owned(), it.size)
        };
        Ok(self.list(&prefix, None)?.into_iter().map(named).collect())
    }

    /// All objects below a prefix, page by page, without those behind another delimiter.
    fn list(&self, prefix: &Path, delimiter: Option<&'static str>) -> Result<Vec<ObjectMeta>, BucketFault> {
        let below = Some(format!("{prefix}/")).filter(|prefix| prefix != "/");
        let (mut all, mut page_token) = (Vec::new(), None);
        let mut room = MOST_LISTED;
        loop {
            let options = PaginatedListOptions {
                delimiter: delimiter.map(Cow::Borrowed),
                page_token: page_token.clone(),
                ..PaginatedListOptions::default()
            };
            let page = self.runtime.block_on(self.store.list_paginated(below.as_deref(), options))?;
            room = room.saturating_sub(page.result.objects.len().max(1));
            all.extend(page.result.objects);
            match page.page_token {
                None => return Ok(all),
                // A store that gives the same page again and again would keep a backup busy for ever.
                next if next == page_token || room == 0 => {
                    return Err(BucketFault::Failed("its list does not end".to_owned()));
                }
                next => page_token = next,
            }
        }
    }

    /// The size in bytes; `None` if it is not there.
    ///
    /// # Errors
    /// The store fails.
    pub fn size(&self, name: &str) -> Result<Option<u64>, BucketFault> {
        match self.head(name) {
            Ok(found) => Ok(Some(found.size)),
            Err(BucketFault::NotFound) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn head(&self, name: &str) -> Result<ObjectMeta, BucketFault> {
        let key = self.key(name);
        Ok(self.runtime.block_on(self.store.head(&key))?)
    }

    /// Reads something small.
    ///
    /// # Errors
    /// It is not there, or the store fails.
    pub fn get(&self, name: &str, most: u64) -> Result<Vec<u8>, BucketFault> {
        let key = self.key(name);
        let got = self.store.get_range(&key, 0..most);
        Ok(self.runtime.block_on(got)?.to_vec())
    }

    /// Writes something small.
    ///
    /// # Errors
    /// The store fails.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), BucketFault> {
        let key = self.key(name);
        let put = self.store.put(&key, PutPayload::from(bytes));
        self.runtime.block_on(put)?;
        Ok(())
    }

    /// # Errors
    /// The store fails. A missing object is no error.
    pub fn remove(&self, name: &str) -> Result<(), BucketFault> {
        let key = self.key(name);
        gone(self.runtime.block_on(self.store.delete(&key)))
    }

    /// Ends an upload to this key of the bucket that its process could not end. One that the store does not know is no
    /// error.
    ///
    /// # Errors
    /// The store fails.
    pub fn abort(&self, key: &str, id: &str) -> Result<(), BucketFault> {
        let (key, id) = (Path::from(key), id.to_owned());
        gone(self.runtime.block_on(self.store.abort_multipart(&key, &id)))
    }
}

/// Removing an object that does not exist succeeds.
fn gone(removed: object_store::Result<()>) -> Result<(), BucketFault> {
    match removed.map_err(BucketFault::from) {
        Err(BucketFault::NotFound) => Ok(()),
        done => done,
    }
}
