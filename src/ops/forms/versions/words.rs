//! Changes of a form in words.

use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::model::form_version::FormChange;

/// A change in words: its subject and its details, empty where there are none.
pub struct Told {
    pub text: String,
    pub details: String,
}

impl Told {
    /// Both in one line.
    pub fn line(&self) -> String {
        match self.details.is_empty() {
            true => self.text.clone(),
            false => format!("{}: {}", self.text, self.details),
        }
    }
}

/// A change in the reader's language.
pub fn told(texts: &Texts, change: &FormChange) -> Told {
    let named = |id: &str, label: &str| {
        let label = if label.trim().is_empty() { texts.say("build-untitled") } else { isolated(label) };
        texts.fill(id, &[("label", label.into())])
    };
    let text = match change {
        FormChange::Name => texts.say("publish-renamed"),
        FormChange::Description => texts.say("publish-described"),
        FormChange::Added { label, .. } => named("publish-added", label),
        FormChange::Removed { label, .. } => named("publish-removed", label),
        FormChange::Changed { label, .. } => named("publish-edited", label),
        FormChange::Reordered => texts.say("publish-reordered"),
        FormChange::Part { part } => texts.say(&format!("publish-part-{}", part.name())),
    };
    let details = match change {
        FormChange::Changed { keys, .. } => keys.iter().map(|key| key_words(texts, key)).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    Told { text, details }
}

/// The name of a definition's key.
pub fn key_words(texts: &Texts, key: &str) -> String {
    texts.find(&format!("prop-{key}")).unwrap_or_else(|| key.to_owned())
}
