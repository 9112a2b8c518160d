//! In-memory state of exams.

use std::sync::OnceLock;

use crate::base::config::Config;
use crate::media::typeset::fonts::Fonts;
use crate::ops::exams::certificates::extra_fonts;

/// Of exams, between requests.
#[derive(Default)]
pub struct ExamState {
    fonts: OnceLock<Fonts>,
}

impl ExamState {
    /// The fonts of certificates, read when they are first needed.
    pub(in crate::ops) fn fonts(&self, config: &Config) -> &Fonts {
        self.fonts.get_or_init(|| extra_fonts::load(config.fonts_dir.as_deref()))
    }
}
