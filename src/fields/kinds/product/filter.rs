//! Conditions on orders: by good, or by good and some of its options.

use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::filter::cond::{self, Key};

/// The filter key of a good with some of its options: `cake/l/s`.
pub fn key_of(good: &str, options: &[&str]) -> Key {
    let steps: Vec<&str> = [good].into_iter().chain(options.iter().copied()).collect();
    Key::Code(steps.join("/"))
}

/// A good in a filter: its code, or `{ api_code, specs }`.
pub fn key(value: &Json) -> Result<Key, Reason> {
    let fault = || Reason::MustBe(Expected::Other("a product's api_code or an object with api_code and specs"));
    let (good, specs) = match value {
        Json::String(good) => (good.as_str(), None),
        Json::Object(item) => {
            let good = item.get("api_code").and_then(Json::as_str);
            (good.ok_or_else(fault)?, item.get("specs").filter(|specs| !specs.is_null()))
        }
        _ => return Err(fault()),
    };
    if good.is_empty() {
        return Err(Reason::Empty);
    }
    let specs = match specs {
        None => Vec::new(),
        Some(specs) => {
            let specs = specs.as_array().ok_or_else(fault)?.iter();
            specs.map(|spec| spec.as_str().ok_or_else(fault)).collect::<Result<_, _>>()?
        }
    };
    let mut specs: Vec<&str> = specs;
    specs.sort_unstable();
    specs.dedup();
    Ok(cond::way([good].into_iter().chain(specs)))
}
