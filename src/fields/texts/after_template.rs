//! The group `after_submission` before placeholders are filled: made once for each version of a form.

use crate::fields::images::Images;
use crate::fields::texts::rich_text;
use crate::model::settings::{AfterMode, AfterSubmission};

/// The group before anything is filled in: made once per form.
pub struct Template {
    /// The group.
    pub group: AfterSubmission,
    /// The group as JSON text, where it is the same after every submission.
    pub text: Option<String>,
}

impl Template {
    /// Looks for placeholders, and cleans HTML.
    pub fn of(mut group: AfterSubmission, images: &Images) -> Self {
        let message = &mut group.show_message;
        message.rich_text = rich_text::clean(&message.rich_text, images);
        let texts = [&message.text.title, &message.text.description, &message.rich_text];
        let is_filled = texts.iter().any(|text| text.contains("{{"));
        let is_same = !is_filled && group.mode != AfterMode::Redirect;
        Self { text: is_same.then(|| json_text(&group)), group }
    }
}

/// The group as answers have it.
pub fn json_text(group: &AfterSubmission) -> String {
    serde_json::to_string(group).unwrap_or_default()
}
