//! Messages for faults and warnings of a query, in the reader's language.

use crate::base::issue::Issue;
use crate::base::reason::{Expected, Reason};
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::queries::typed::{SEARCH, SHOWN};

/// The path of the picture above the page, which the faults of a posted file belong to.
pub const PICTURE: &str = "header.background_image";

/// The message beside a control.
pub fn fault(texts: &Texts, issue: &Issue) -> String {
    let path = issue.attribute.as_str();
    let leaf = path.rsplit('.').next().unwrap_or_default();
    let id = match (&issue.reason, leaf) {
        (Reason::Required | Reason::Empty | Reason::Blank, "color") => "organization-fault-color",
        (Reason::Required | Reason::Empty, _) => "account-fault-blank",
        (Reason::MustBe(Expected::Other(_) | Expected::Color), "color") => "organization-fault-color",
        (Reason::MustBe(Expected::Number), _) => "fault-number",
        (Reason::MustBe(Expected::WholeNumber), _) => "fault-whole",
        (Reason::Between(low, high), _) => {
            return texts.fill("fault-from-to", &[("a", low.as_str().into()), ("b", high.as_str().into())]);
        }
        (Reason::Other(_), "fuzzy") => "queries-fault-fuzzy",
        (Reason::Other(_), "editable") => "queries-fault-editable",
        (Reason::Other(_), "fields") => "queries-fault-no-field",
        (Reason::Other(text), "field") if text.is("is named twice") => "queries-fault-twice",
        (Reason::Other(_), "field") => "queries-fault-gone",
        (Reason::Other(_), SEARCH) => "queries-fault-no-group",
        (Reason::Other(_), SHOWN) => "queries-fault-none-shown",
        (Reason::TooMany { .. }, SEARCH) => "queries-fault-many-groups",
        _ if path.starts_with(PICTURE) => {
            // The words of a file that is missing or no picture.
            return account_messages::message(texts, &Issue::new(INPUT.to_owned(), issue.reason.clone()));
        }
        _ => return account_messages::message(texts, issue),
    };
    texts.say(id)
}

/// Warnings about rules that reveal values, or have no effect. `label` names a field of a list of the query by the path
/// of its item.
pub fn warning(texts: &Texts, issue: &Issue, label: &dyn Fn(&str) -> String) -> String {
    let path = issue.attribute.as_str();
    let (item, leaf) = path.rsplit_once('.').unwrap_or((path, ""));
    let id = match leaf {
        "fuzzy" => "queries-warning-mask",
        "field" if path.starts_with(SEARCH) => "queries-warning-number",
        "field" if path.starts_with(SHOWN) => "queries-warning-certificate",
        "editable" => "queries-warning-scope",
        _ => return texts.phrase(&issue.reason.phrase()),
    };
    texts.fill(id, &[("field", isolated(&label(item)).into())])
}
