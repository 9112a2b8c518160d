//! The values that a visitor entered on the page, by the fields of the query.

use url::form_urlencoded;

use crate::base::json::Json;
use crate::ops::queries::search::SearchValues;
use crate::ops::queries::visit::OpenQuery;
use crate::web::query_values;
use crate::web::request::call::Call;

/// As long as a proof may be.
const MOST_PROOF: usize = 200;

/// A search as it was filled in.
pub struct Typed {
    given: SearchValues,
    /// The work that the script did for it, so that its other pages need none; empty without.
    proof: String,
}

impl Typed {
    /// From the address of a call; parameters that the query does not ask for are left out.
    pub fn of_address(call: &Call, open: &OpenQuery) -> Self {
        let mut given = query_values::of_address(call);
        let asked = open.asked();
        let is_asked = |code: &str| {
            let mut known = asked.iter().flatten().flatten();
            known.any(|asked| asked.rule.field == code)
        };
        given.retain(|code, _| is_asked(code));
        let proof = call.query("proof").unwrap_or_default();
        Self { given, proof: Some(proof).filter(|proof| proof.len() <= MOST_PROOF).unwrap_or_default() }
    }

    /// None at all.
    pub fn nothing() -> Self {
        Self { given: SearchValues::new(), proof: String::new() }
    }

    /// Whether the form was sent, be it blank.
    pub fn is_search(&self) -> bool {
        !self.given.is_empty()
    }

    pub fn search_values(&self) -> &SearchValues {
        &self.given
    }

    pub fn proof(&self) -> &str {
        &self.proof
    }

    /// The text in a field.
    pub fn text(&self, code: &str) -> &str {
        self.given.get(code).and_then(Json::as_str).unwrap_or_default()
    }

    /// The same as parameters of an address; blank fields are left out.
    pub fn parameters(&self) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for code in self.given.keys() {
            let text = self.text(code);
            if !text.is_empty() {
                out.append_pair(code, text);
            }
        }
        if !self.proof.is_empty() {
            out.append_pair("proof", &self.proof);
        }
        out.finish()
    }
}
