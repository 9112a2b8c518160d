//! Query parameters that a route does not know or can't read: reported like unknown keys of bodies, so that a misspelt
//! filter does not pass for one that matches all. The known ones are those in the API's description of the route.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::web::openapi;
use crate::web::request::call::Call;
use crate::web::request::route::{Route, Run};
use crate::web::request::unknown_keys;

/// The query parameters of an operation.
#[derive(Default)]
struct Known {
    names: Vec<&'static str>,
    /// Of these, those whose values are JSON.
    in_json: Vec<&'static str>,
}

/// By the operation's id.
static KNOWN: LazyLock<HashMap<&str, Known>> = LazyLock::new(|| {
    let known = openapi::operations().map(|(_, doc)| {
        let mut known = Known::default();
        for parameter in (doc.query)() {
            known.names.push(parameter.name);
            if parameter.schema["contentMediaType"] == "application/json" {
                known.in_json.push(parameter.name);
            }
        }
        (doc.id, known)
    });
    known.collect()
});

/// Whether a route reports unknown parameters. OAuth endpoints must ignore them (RFC 6749), and pages do.
pub fn are_told(route: &Route) -> bool {
    let is_page = matches!(route.run, Run::Page(_) | Run::Session(_) | Run::Client(_));
    route.path.starts_with("/api/") && !is_page
}

/// The parameters of a call that its row ignores.
///
/// # Errors
/// 422 if the client asks for that, or if the misspelt parameter may have been meant to change nothing.
pub fn check(route: &Route, call: &Call) -> Result<Vec<Issue>> {
    if call.query.is_empty() || !are_told(route) {
        return Ok(Vec::new());
    }
    let known = route.doc.as_ref().and_then(|doc| KNOWN.get(doc.id));
    let Some(known) = known else {
        return Ok(Vec::new());
    };
    let mut at = Issues::new();
    let mut seen: Vec<String> = Vec::new();
    for (name, value) in call.pairs() {
        if seen.iter().any(|seen| *seen == name) {
            if known.names.contains(&name.as_ref()) && !at.has_fault_at(&name) {
                at.push_at(&name, Reason::other("is given more than once: the last one counts"));
            }
        } else if !known.names.contains(&name.as_ref()) {
            at.push_at(&name, unknown(&known.names));
        } else if known.in_json.contains(&name.as_ref()) && value.trim() == "null" {
            at.push_at(&name, Reason::other("is null, which is no condition: give a list, or leave it out"));
        }
        seen.push(name.into_owned());
    }
    if unknown_keys::is_strict(call.headers) || route.refuses_unknown {
        at.into_result()?;
        return Ok(Vec::new());
    }
    Ok(at.into_list())
}

fn unknown(known: &[&str]) -> Reason {
    match known {
        [] => Reason::other("is not a known parameter (there are none here)"),
        names => Reason::other(format!("is not a known parameter (use {})", names.join(", "))),
    }
}
