//! The theme of a draft, as its page shows it.

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::images::Images;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::app::App;
use crate::ops::forms::drafts::{self, DraftView};
use crate::ops::forms::themes;

pub struct DraftTheme {
    pub shown: DraftView,
    /// As clients read it.
    pub theme: Json,
    /// The draft's version when it changed last.
    pub version: i64,
    /// The images that the form and its draft name.
    pub images: Images,
}

/// # Errors
/// 404.
pub fn load(app: &App, caller: &Caller, token: &str) -> Result<DraftTheme> {
    let shown = drafts::load(app, caller, token)?;
    let images = app.store.read(|tx| shown.view.parsed.images_again(tx))?;
    let theme = themes::shown(shown.draft.body(PartName::Theme), &images);
    let version = shown.draft.part(PartName::Theme).map_or(0, |part| part.version);
    Ok(DraftTheme { shown, theme, version, images })
}
