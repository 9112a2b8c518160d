//! What a visitor filled in on the page, by the fields of the query.

use url::form_urlencoded;

use crate::base::json::Json;
use crate::ops::public_queries::search::Given;
use crate::ops::public_queries::visit::OpenQuery;
use crate::web::call::Call;
use crate::web::query_values;

/// A search as it was filled in.
pub struct Typed(Given);

impl Typed {
    /// From the address of a call; what the query does not ask for is left out.
    pub fn of_address(call: &Call, open: &OpenQuery) -> Self {
        let mut given = query_values::of_address(call);
        let asked = open.asked();
        let is_asked = |code: &str| {
            let mut known = asked.iter().flatten().flatten();
            known.any(|asked| asked.rule.field == code)
        };
        given.retain(|code, _| is_asked(code));
        Self(given)
    }

    /// None at all.
    pub fn nothing() -> Self {
        Self(Given::new())
    }

    /// Whether the form was sent, be it blank.
    pub fn is_search(&self) -> bool {
        !self.0.is_empty()
    }

    pub fn given(&self) -> &Given {
        &self.0
    }

    /// What stands in a field.
    pub fn text(&self, code: &str) -> &str {
        self.0.get(code).and_then(Json::as_str).unwrap_or_default()
    }

    /// The same as parameters of an address; blank fields are left out.
    pub fn parameters(&self) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for code in self.0.keys() {
            let text = self.text(code);
            if !text.is_empty() {
                out.append_pair(code, text);
            }
        }
        out.finish()
    }
}
