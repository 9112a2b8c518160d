//! Requests by route, for operators. The labels are patterns of the route table, so there are as many as routes.

use std::collections::HashMap;
use std::time::Duration;

use warp::http::{Method, StatusCode};

use crate::base::metrics::{Counter, Histogram, Kind, Page};
use crate::http::access_log::NO_ROUTE;
use crate::web::request::route::Route;

/// Upper bounds of the time to an answer, in seconds.
const BOUNDS: &[f64] = &[0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Counts and times since the service started.
#[derive(Debug)]
pub struct RequestMetrics {
    rows: Vec<RouteMetrics>,
    places: HashMap<(&'static str, Method), usize>,
}

#[derive(Debug)]
struct RouteMetrics {
    route: &'static str,
    method: String,
    by_class: [Counter; CLASSES.len()],
    latency: Histogram,
}

impl RouteMetrics {
    fn new(route: &'static str, method: &str) -> Self {
        Self { route, method: method.to_owned(), by_class: Default::default(), latency: Histogram::new(BOUNDS) }
    }
}

impl RequestMetrics {
    pub fn new(routes: impl IntoIterator<Item = &'static Route>) -> Self {
        // The first row is for requests without a route, whose methods may be anything.
        let mut rows = vec![RouteMetrics::new(NO_ROUTE, NO_ROUTE)];
        let mut places = HashMap::new();
        for route in routes {
            places.insert((route.path, route.method.clone()), rows.len());
            rows.push(RouteMetrics::new(route.path, route.method.as_str()));
        }
        Self { rows, places }
    }

    /// Counts an answer, with the time from the request's head to it.
    pub fn count(&self, route: Option<&Route>, status: StatusCode, took: Duration) {
        let place = route.and_then(|it| self.places.get(&(it.path, it.method.clone())));
        let row = &self.rows[place.copied().unwrap_or_default()];
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        row.by_class[class].add(1);
        row.latency.observe(took);
    }

    /// Writes the figures of all routes that have been requested.
    pub fn draw(&self, page: &mut Page) {
        let help = "Answers by route and class of status; \"-\" stands for requests without a route.";
        let mut family = page.family("formsvc_http_requests_total", Kind::Counter, help);
        for row in &self.rows {
            for (class, count) in CLASSES.iter().zip(&row.by_class) {
                if count.get() > 0 {
                    let (route, method) = (("route", row.route), ("method", &*row.method));
                    family.add(&[route, method, ("status", *class)], count);
                }
            }
        }
        let help = "Time from the end of a request's head to the start of its answer.";
        let name = "formsvc_http_request_duration_seconds";
        let mut family = page.family(name, Kind::Histogram, help);
        for row in self.rows.iter().filter(|row| !row.latency.is_empty()) {
            let labels = [("route", row.route), ("method", &*row.method)];
            family.add_histogram(&labels, &row.latency);
        }
    }
}
