//! Finds the row of the route table that answers a request.

use warp::http::Method;

use crate::web::request::paths::is_for_programs;
use crate::web::request::route::Route;

/// The route table, indexed by path.
pub struct Router(matchit::Router<Vec<&'static Route>>);

/// Result of a look-up by path and method.
pub enum Matched {
    /// The row, and the path's parameters, not decoded.
    Row(&'static Route, Vec<(String, String)>),
    /// The path exists for these methods only.
    OtherMethod(String),
    /// No such path.
    NotFound,
}

impl Router {
    /// Several rows may share a path.
    pub fn new(routes: impl IntoIterator<Item = &'static Route>) -> Self {
        let mut paths: Vec<(&'static str, Vec<&'static Route>)> = Vec::new();
        for route in routes {
            match paths.iter_mut().find(|(path, _)| *path == route.path) {
                Some((_, rows)) => rows.push(route),
                None => paths.push((route.path, vec![route])),
            }
        }
        let mut router = matchit::Router::new();
        for (path, rows) in paths {
            router.insert(path, rows).expect("the route tables are fixed, and a test builds them");
        }
        Self(router)
    }

    pub fn find(&self, method: &Method, path: &str) -> Matched {
        let Ok(found) = self.0.at(path) else {
            return Matched::NotFound;
        };
        let answers = |row: &&&Route| match *method {
            Method::HEAD => row.takes_head,
            _ => row.method == *method,
        };
        if let Some(row) = found.value.iter().find(answers) {
            let params = found.params.iter();
            let params = params.map(|(key, value)| (key.to_owned(), value.to_owned()));
            return Matched::Row(row, params.collect());
        }
        let mut methods: Vec<&str> = found.value.iter().map(|row| row.method.as_str()).collect();
        if found.value.iter().any(|row| row.takes_head) {
            methods.push("HEAD");
        }
        // Browsers send no preflight requests for pages.
        if is_for_programs(path) {
            methods.push("OPTIONS");
        }
        Matched::OtherMethod(methods.join(", "))
    }
}
