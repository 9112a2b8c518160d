//! Values in the page of a form for its next post.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::{Response, until};

/// The value of a hidden input of the page.
pub fn hidden(page: &Response, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let rest = page.text.split(&start).nth(1).unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// A stamp of the page, old enough: it waits as a person would.
pub fn patient(page: &Response) -> String {
    let stamp = hidden(page, "_time");
    let loaded: u128 = stamp.split('.').next().and_then(|ms| ms.parse().ok()).expect("a time");
    until("two seconds have gone by", || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
        now.as_millis() > loaded + 2100
    });
    stamp
}
