//! The way of a request, from the row of the route table that it matches to its answer.

pub mod admission;
pub mod auth;
pub mod call;
pub mod dispatch;
pub mod error;
pub mod intake;
pub mod matched_request;
pub mod paging;
pub mod paths;
pub(in crate::web) mod proof;
pub mod query_parameters;
pub(in crate::web) mod rates;
pub mod reply;
pub mod request_metrics;
pub mod route;
pub(in crate::web) mod router;
pub mod send;
pub mod session;
pub mod site;
pub mod unknown_keys;
pub mod untrusted_proxy;
