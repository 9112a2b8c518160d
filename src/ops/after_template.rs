//! The group `after_submission` before answers are filled into it: made once for a form, and kept with it.

use serde_json::json;

use crate::base::json::Json;
use crate::fields::images::Images;
use crate::fields::rich_text;

/// The texts in which answers may stand; whether they are HTML.
pub const TEXTS: [(&str, bool); 3] = [
    ("/show_message/text/title", false),
    ("/show_message/text/description", false),
    ("/show_message/rich_text", true),
];

/// The group as it is before anything is filled in: made once for a form.
pub struct Template {
    /// The group.
    pub group: Json,
    /// The group as JSON text, where it is the same after every submission.
    pub text: Option<String>,
}

impl Template {
    /// Looks for placeholders, and cleans what is HTML.
    pub fn of(mut group: Json, images: &Images) -> Self {
        if let Some(text) = group.pointer_mut("/show_message/rich_text")
            && let Some(html) = text.as_str()
        {
            *text = json!(rich_text::clean(html, images));
        }
        let texts = TEXTS.iter().filter_map(|(path, _)| group.pointer(path));
        let is_filled = texts
            .filter_map(Json::as_str)
            .any(|text| text.contains("{{"));
        let is_same = !is_filled && group["mode"] != "redirect";
        Self {
            text: is_same.then(|| group.to_string()),
            group,
        }
    }
}
