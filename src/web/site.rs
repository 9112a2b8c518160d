//! What all requests share: the service, its description, rate tables and semaphores.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::base::rate::RateTable;
use crate::ops::App;
use crate::web::budget::Budget;
use crate::web::openapi::description::Description;
use crate::web::untrusted_proxy::UntrustedProxy;

/// Requests that bring many entries and are worked on at once.
const BULK: usize = 4;
/// How long a body waits for memory.
const BODY_WAIT: Duration = Duration::from_secs(5);

/// Shared by all requests.
pub struct Site {
    /// The running service.
    pub app: Arc<App>,
    /// Requests by token.
    pub api_rate: RateTable,
    /// Submissions by form and address.
    pub submission_rate: RateTable,
    /// Whose turn it is to prepare a write where it arrived: one processor stays free for reads.
    pub turns: Semaphore,
    /// The memory for request bodies.
    pub bodies: Budget,
    /// The memory for answers that were not taken yet.
    pub answers: Budget,
    /// Whose turn it is among requests to large forms.
    pub heavy: Arc<Semaphore>,
    /// The same among those with large bodies, which take much memory when they are parsed.
    pub large: Arc<Semaphore>,
    /// The same among those that bring many entries.
    pub bulk: Arc<Semaphore>,
    /// Where requests wait that others came before too often.
    pub line: tokio::sync::Mutex<()>,
    /// Whether a proxy was warned of that is not trusted.
    pub untrusted_proxy: UntrustedProxy,
    /// The API's description, made when it is first asked for.
    pub description: LazyLock<Description, Box<dyn FnOnce() -> Description + Send>>,
}

impl Site {
    /// Over a running service. `describe` gets the service's own address.
    pub fn new(app: Arc<App>, describe: fn(&str) -> Description) -> Self {
        let base_url = app.config.base_url.clone();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let all_but_one = processors.saturating_sub(1).max(1);
        Self {
            app,
            api_rate: RateTable::default(),
            submission_rate: RateTable::default(),
            turns: Semaphore::new(all_but_one),
            bodies: Budget::new(BODY_WAIT),
            answers: Budget::new(Duration::ZERO),
            heavy: Arc::new(Semaphore::new(all_but_one.min(BULK))),
            large: Arc::new(Semaphore::new(all_but_one.min(BULK))),
            bulk: Arc::new(Semaphore::new(BULK)),
            line: tokio::sync::Mutex::default(),
            untrusted_proxy: UntrustedProxy::default(),
            description: LazyLock::new(Box::new(move || describe(&base_url))),
        }
    }
}
