//! Unknown keys of a request body: reported so that a typo does not go unnoticed. They are warnings beside the data,
//! or faults if the client asks for it (`Prefer: handling=strict`, RFC 7240). The known keys come from the schemas
//! of the API's description; keys that a read shows count as known.

use serde_json::json;
use warp::http::HeaderMap;

use crate::base::error::Result;
use crate::base::issue::{self, Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::{self, Ignored};
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::route::Route;

/// Collects the keys of `body` that none of the `shapes` has.
pub fn of(call: &Call, body: &Json, shapes: &[&Shape]) -> Ignored {
    let document = &call.site.description.document;
    let schemas = &document["components"]["schemas"];
    let known: Vec<&Json> = shapes.iter().map(|shape| &schemas[shape.name]).collect();
    let mut at = Issues::new();
    unknown_members::report(body, &known, document, &mut at);
    let mut ignored = Ignored::of(is_strict(call.headers));
    ignored.add(at);
    ignored
}

/// The unknown keys of a call whose row leaves them to this.
///
/// # Errors
/// 422 if the client asks for that.
pub fn check(route: &Route, call: &Call) -> Result<Vec<Issue>> {
    let shape = route.doc.as_ref().and_then(|doc| doc.takes).filter(|_| route.tells_keys);
    // The handler refuses a body that is no JSON.
    let (Some(shape), Ok(body)) = (shape, call.optional_json()) else {
        return Ok(Vec::new());
    };
    let keys = of(call, &body, &[shape]);
    keys.faults.into_result()?;
    Ok(keys.warnings)
}

/// Whether the client prefers refusal to warnings. The first `handling` preference counts.
pub fn is_strict(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").iter();
    let wishes = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|wish| wish.split(';').next()?.split_once('='));
    let mut handling = wishes.filter(|(name, _)| name.trim().eq_ignore_ascii_case("handling"));
    handling.next().is_some_and(|(_, value)| {
        let value = value.trim().trim_matches('"');
        value.eq_ignore_ascii_case("strict")
    })
}

/// The JSON Schema of a list of warnings.
pub fn schema() -> Json {
    json!({
        "type": "array",
        "description": "Parts of the request that were accepted but may be mistakes, such as unknown keys and query \
                        parameters. Omitted if there are none.",
        "maxItems": issue::MOST,
        "items": {
            "type": "object",
            "properties": {
                "attribute": {"type": "string", "description": "A path from the body's root, or the name of a query parameter."},
                "message": {"type": "string", "description": "Completes a sentence that begins with the attribute."},
            },
            "required": ["attribute", "message"],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictness_is_asked_for_as_rfc_7240_says() {
        let is = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("prefer", line.parse().expect("a header"));
            }
            is_strict(&headers)
        };
        for lines in [
            &["handling=strict"][..],
            &["Handling = \"strict\""],
            &["respond-async, wait=10; x=y, handling=strict; foo=bar"],
            &["return=minimal", "handling=strict"],
        ] {
            assert!(is(lines), "{lines:?}");
        }
        for lines in
            [&[][..], &["handling=lenient"], &["handling=lenient, handling=strict"], &["strict"], &["handling"]]
        {
            assert!(!is(lines), "{lines:?}");
        }
    }
}
