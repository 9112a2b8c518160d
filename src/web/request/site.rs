//! State that all requests share: the service, its description, rate tables and semaphores.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::base::rate::RateTable;
use crate::http::budget::Budget;
use crate::ops::app::App;
use crate::web::openapi::description::Description;
use crate::web::request::untrusted_proxy::UntrustedProxy;

/// Concurrent bulk requests.
const BULK: usize = 4;
/// How long a body waits for memory.
const BODY_WAIT: Duration = Duration::from_secs(5);

/// Shared by all requests.
pub struct Site {
    pub app: Arc<App>,
    /// Requests by token.
    pub api_rate: RateTable,
    /// Submissions by form and address.
    pub submission_rate: RateTable,
    /// Searches of public queries, by the hour.
    pub query_rate: RateTable,
    /// Limits inline writes: one processor stays free for reads.
    pub turns: Semaphore,
    pub bodies: Budget,
    /// Memory of large answers until clients have read them.
    pub answers: Budget,
    /// Limits requests to large forms.
    pub heavy: Arc<Semaphore>,
    /// Limits requests with large bodies, which take much memory when parsed.
    pub large: Arc<Semaphore>,
    /// Limits bulk requests.
    pub bulk: Arc<Semaphore>,
    /// Where requests wait that others came before too often.
    pub line: tokio::sync::Mutex<()>,
    pub untrusted_proxy: UntrustedProxy,
    /// Cancelled when the service stops.
    pub stopping: CancellationToken,
    /// The API's description, generated on first use.
    pub description: LazyLock<Description, Box<dyn FnOnce() -> Description + Send>>,
}

impl Site {
    /// `describe` gets the service's own address.
    pub fn new(app: Arc<App>, describe: fn(&str) -> Description) -> Self {
        let base_url = app.config.base_url.clone();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let all_but_one = processors.saturating_sub(1).max(1);
        Self {
            app,
            api_rate: RateTable::default(),
            submission_rate: RateTable::default(),
            query_rate: RateTable::per(3600),
            turns: Semaphore::new(all_but_one),
            bodies: Budget::new(BODY_WAIT),
            answers: Budget::new(Duration::ZERO),
            heavy: Arc::new(Semaphore::new(all_but_one.min(BULK))),
            large: Arc::new(Semaphore::new(all_but_one.min(BULK))),
            bulk: Arc::new(Semaphore::new(BULK)),
            line: tokio::sync::Mutex::default(),
            untrusted_proxy: UntrustedProxy::default(),
            stopping: CancellationToken::new(),
            description: LazyLock::new(Box::new(move || describe(&base_url))),
        }
    }
}
