//! What all requests share: the service, the route table as a router, the rate tables.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use matchit::Router;
use tokio::sync::Semaphore;
use warp::http::Method;

use crate::base::rate::RateTable;
use crate::ops::App;
use crate::web::budget::Budget;
use crate::web::openapi::Description;
use crate::web::paths::is_for_programs;
use crate::web::route::Route;
use crate::web::table;
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
    description: OnceLock<Description>,
    router: Router<Vec<&'static Route>>,
}

/// What the router says of a path and method.
pub enum Matched {
    /// The row, and the parameters as they came.
    Row(&'static Route, Vec<(String, String)>),
    /// The path is known; these methods would do.
    OtherMethod(String),
    /// No such path.
    Nothing,
}

impl Site {
    /// Over a running service.
    pub fn new(app: Arc<App>) -> Self {
        Self::with(app, table::routes())
    }

    /// The same, with these routes.
    pub(in crate::web) fn with(
        app: Arc<App>,
        routes: impl IntoIterator<Item = &'static Route>,
    ) -> Self {
        let mut paths: Vec<(&'static str, Vec<&'static Route>)> = Vec::new();
        for route in routes {
            match paths.iter_mut().find(|(path, _)| *path == route.path) {
                Some((_, rows)) => rows.push(route),
                None => paths.push((route.path, vec![route])),
            }
        }
        let mut router = Router::new();
        for (path, rows) in paths {
            router
                .insert(path, rows)
                .expect("the route tables are fixed, and a test builds them");
        }
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
            description: OnceLock::new(),
            router,
        }
    }

    /// The API's description.
    pub fn description(&self) -> &Description {
        self.description
            .get_or_init(|| Description::new(&self.app.config.base_url))
    }

    /// Finds the row that answers.
    pub fn find(&self, method: &Method, path: &str) -> Matched {
        let Ok(found) = self.router.at(path) else {
            return Matched::Nothing;
        };
        let answers = |row: &&&Route| match *method {
            Method::HEAD => row.takes_head,
            _ => row.method == *method,
        };
        match found.value.iter().find(answers) {
            Some(row) => {
                let params = found
                    .params
                    .iter()
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .collect();
                Matched::Row(row, params)
            }
            None => {
                let mut methods: Vec<&str> =
                    found.value.iter().map(|row| row.method.as_str()).collect();
                if found.value.iter().any(|row| row.takes_head) {
                    methods.push("HEAD");
                }
                // Pages are asked for by browsers, which never ask about them first.
                if is_for_programs(path) {
                    methods.push("OPTIONS");
                }
                Matched::OtherMethod(methods.join(", "))
            }
        }
    }
}
