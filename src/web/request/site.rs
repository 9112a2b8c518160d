//! State that all requests share: the service, its description, rate tables and admission.

use std::sync::{Arc, LazyLock};

use tokio_util::sync::CancellationToken;

use crate::base::rate::RateTable;
use crate::ops::app::App;
use crate::web::openapi::description::Description;
use crate::web::request::admission::Admission;
use crate::web::request::untrusted_proxy::UntrustedProxy;

/// Shared by all requests.
pub struct Site {
    pub app: Arc<App>,
    /// Requests by token.
    pub api_rate: RateTable,
    /// Submissions by form and address.
    pub submission_rate: RateTable,
    /// Searches of public queries, by the hour.
    pub query_rate: RateTable,
    pub admission: Arc<Admission>,
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
        Self {
            app,
            api_rate: RateTable::default(),
            submission_rate: RateTable::default(),
            query_rate: RateTable::per(3600),
            admission: Arc::default(),
            untrusted_proxy: UntrustedProxy::default(),
            stopping: CancellationToken::new(),
            description: LazyLock::new(Box::new(move || describe(&base_url))),
        }
    }
}
