//! What all requests share: the service, the route table as a router, the rate tables.

use std::sync::{Arc, OnceLock};

use matchit::Router;
use warp::http::Method;

use crate::base::rate::RateTable;
use crate::ops::App;
use crate::web::openapi::Description;
use crate::web::paths::is_open;
use crate::web::route::Route;
use crate::web::table;

/// Large bodies that are in memory at once.
const LARGE_BODIES: usize = 4;

/// Shared by all requests.
pub struct Site {
    /// The running service.
    pub app: Arc<App>,
    /// Requests by token.
    pub api_rate: RateTable,
    /// Submissions by form and network.
    pub submission_rate: RateTable,
    /// Whose turn it is to prepare a write where it arrived: one processor stays free for reads.
    pub turns: tokio::sync::Semaphore,
    /// Whose turn it is to send a body larger than others: a few of them fit into memory.
    pub large_bodies: tokio::sync::Semaphore,
    /// Where requests wait that others came before too often.
    pub line: tokio::sync::Mutex<()>,
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
        let mut paths: Vec<(&'static str, Vec<&'static Route>)> = Vec::new();
        for route in table::routes() {
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
        Self {
            app,
            api_rate: RateTable::default(),
            submission_rate: RateTable::default(),
            turns: tokio::sync::Semaphore::new(processors.saturating_sub(1).max(1)),
            large_bodies: tokio::sync::Semaphore::new(LARGE_BODIES),
            line: tokio::sync::Mutex::default(),
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
        let wanted = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        match found.value.iter().find(|row| row.method == *wanted) {
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
                if methods.contains(&"GET") {
                    methods.push("HEAD");
                }
                // Pages are asked for by browsers, which never ask about them first.
                if is_open(path) {
                    methods.push("OPTIONS");
                }
                Matched::OtherMethod(methods.join(", "))
            }
        }
    }
}
