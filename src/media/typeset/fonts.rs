//! The fonts: the program's own, each unpacked when one of its characters first comes up, then others.

use std::fmt;
use std::sync::{Arc, OnceLock};

use harfrust::ShaperData;
use krilla::text::Font;
use skrifa::raw::FileRef;
use skrifa::{FontRef, MetadataProvider as _};

use crate::base::packed;

/// The most fonts that one file has.
const MAX_IN_FILE: u32 = 64;

/// One of the program's own fonts.
struct Packed {
    /// Compressed with Brotli.
    data: &'static [u8],
    /// The spans that its characters are in: others need no look.
    spans: &'static [(u32, u32)],
}

macro_rules! packed {
    ($name:literal, $spans:expr) => {
        Packed { data: include_bytes!(concat!("../../../assets/fonts/certificate/", $name, ".br")), spans: $spans }
    };
}

/// Han characters, kana, their punctuation and wide forms.
const HAN: &[(u32, u32)] = &[
    (0xB7, 0xB7),
    (0x2014, 0x2026),
    (0x3000, 0x312F),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF01, 0xFFEE),
];

/// The first that has a character draws it.
static PACKED: [Packed; 6] = [
    packed!("latin", &[(0x20, 0x58F), (0x1E00, 0x2FFF), (0xA720, 0xA7FF), (0xFB00, 0xFB06), (0xFFFD, 0xFFFD)]),
    packed!("arabic", &[(0x600, 0x8FF), (0x200C, 0x200F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)]),
    packed!("hebrew", &[(0x590, 0x5FF), (0xFB1D, 0xFB4F)]),
    packed!("devanagari", &[(0x900, 0x97F), (0x1CD0, 0x1CFF), (0x25CC, 0x25CC), (0xA8E0, 0xA8FF)]),
    packed!("han", HAN),
    packed!("han-rest", HAN),
];
const LATIN: usize = 0;

/// All fonts that documents are drawn with.
pub struct Fonts {
    own: [OnceLock<Option<Face>>; PACKED.len()],
    others: Vec<Face>,
}

impl Default for Fonts {
    fn default() -> Self {
        Self::with(Vec::new())
    }
}

impl Fonts {
    /// The program's own, and others for characters that those lack.
    pub fn with(others: Vec<Face>) -> Self {
        Self { own: Default::default(), others }
    }

    fn own(&self, place: usize) -> Option<&Face> {
        self.own[place].get_or_init(|| Face::new(Arc::new(packed::unpacked(PACKED[place].data)), 0)).as_ref()
    }

    /// The font that draws a character; `None` if no font has it.
    pub fn of(&self, character: char) -> Option<&Face> {
        let code = u32::from(character);
        let is_in = |spans: &[(u32, u32)]| spans.iter().any(|(first, last)| (*first..=*last).contains(&code));
        (0..PACKED.len())
            .filter(|place| is_in(PACKED[*place].spans))
            .filter_map(|place| self.own(place))
            .chain(&self.others)
            .find(|face| face.has(character))
    }

    /// The font whose box stands for characters that no font has.
    pub fn fallback(&self) -> Option<&Face> {
        self.own(LATIN)
    }

    /// The visible characters of a text that no font has, each once.
    pub fn missing(&self, text: &str) -> Vec<char> {
        let mut out = Vec::new();
        for character in text.chars() {
            if !is_invisible(character)
                && !character.is_whitespace()
                && !out.contains(&character)
                && self.of(character).is_none()
            {
                out.push(character);
            }
        }
        out
    }
}

/// One font.
pub struct Face {
    data: Arc<Vec<u8>>,
    index: u32,
    pub(super) font: Font,
    pub(super) shaping: ShaperData,
}

impl fmt::Debug for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a font of {} bytes", self.data.len())
    }
}

impl PartialEq for Face {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data) && self.index == other.index
    }
}

impl Face {
    fn new(data: Arc<Vec<u8>>, index: u32) -> Option<Self> {
        let font = Font::new(Arc::clone(&data).into(), index)?;
        let shaping = ShaperData::new(&FontRef::from_index(&data, index).ok()?);
        Some(Self { data, index, font, shaping })
    }

    /// All fonts of a file; empty if it is none.
    pub fn of_file(data: Vec<u8>) -> Vec<Self> {
        let count = match FileRef::new(&data) {
            Ok(FileRef::Font(_)) => 1,
            Ok(FileRef::Collection(all)) => all.len().min(MAX_IN_FILE),
            Err(_) => 0,
        };
        let data = Arc::new(data);
        (0..count).filter_map(|index| Self::new(Arc::clone(&data), index)).collect()
    }

    pub(super) fn reading(&self) -> Option<FontRef<'_>> {
        FontRef::from_index(&self.data, self.index).ok()
    }

    /// Whether the font has a glyph for a character.
    pub fn has(&self, character: char) -> bool {
        let glyph = |font: FontRef| font.charmap().map(character);
        self.reading().and_then(glyph).is_some()
    }
}

/// Whether a character is never drawn: controls, joiners, marks of direction, selectors.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0xAD | 0x34F
                | 0x61C
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x202A..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFF8
                | 0xE0000..=0xE0FFF
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_own_font_is_one_and_has_its_script() {
        let fonts = Fonts::default();
        for place in 0..PACKED.len() {
            assert!(fonts.own(place).is_some(), "{place}");
        }
        for text in [
            "Ærøskøbing, ünïcödé — “quotes” …",
            "Ελληνικά ᾧ",
            "Щука і їжак",
            "العربية ١٢٣ پژگ",
            "עִבְרִית",
            "हिन्दी क्षत्रिय",
            "证书與獎狀、東京カナ",
            "Tiếng Việt ₫ € №",
        ] {
            assert!(fonts.missing(text).is_empty(), "{text}");
        }
        assert_eq!(fonts.missing("a😀b\u{200d}😀ꦏ"), ['😀', 'ꦏ']);
    }

    #[test]
    fn what_is_no_font_has_none() {
        assert!(Face::of_file(b"%PDF-1.7".to_vec()).is_empty());
        assert!(Face::of_file(Vec::new()).is_empty());
    }
}
