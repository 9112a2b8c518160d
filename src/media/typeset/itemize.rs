//! Which font draws each part of a text. Letters take the first font that has them; marks stay with the letter before
//! them, and punctuation with the letters around it, so that words are shaped as a whole.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::media::typeset::fonts::{Face, Fonts, is_invisible};

/// A part of a text that one font draws.
#[derive(Debug)]
pub struct Item<'f> {
    pub range: Range<usize>,
    pub face: &'f Face,
}

/// The parts of a text, in order. Characters that no font has go to one whose box stands for them.
pub fn items<'f>(fonts: &'f Fonts, text: &str) -> Vec<Item<'f>> {
    let mut out: Vec<Item> = Vec::new();
    let letters = letters(fonts, text);
    let mut next = 0;
    for (at, character) in text.char_indices() {
        let current = out.last().map(|item| item.face);
        while letters.get(next).is_some_and(|(place, _)| *place <= at) {
            next += 1;
        }
        let coming = letters.get(next).map(|(_, face)| *face);
        let face = if is_invisible(character) || is_combining_mark(character) {
            current.or_else(|| fonts.of(character))
        } else if is_letter(character) {
            fonts.of(character)
        } else {
            // Punctuation that Han characters and others share is wide with Han characters.
            let near = if is_opening(character) { [coming, current] } else { [current, coming] };
            let near = near.into_iter().flatten().find(|face| face.has(character));
            near.or_else(|| fonts.of(character))
        };
        let Some(face) = face.or_else(|| fonts.fallback()) else {
            continue;
        };
        let end = at + character.len_utf8();
        match out.last_mut() {
            Some(item) if item.face == face && item.range.end == at => item.range.end = end,
            _ => out.push(Item { range: at..end, face }),
        }
    }
    out
}

/// The letters, with their positions.
fn letters<'f>(fonts: &'f Fonts, text: &str) -> Vec<(usize, &'f Face)> {
    text.char_indices()
        .filter(|(_, character)| is_letter(*character) && !is_combining_mark(*character))
        .filter_map(|(at, character)| Some((at, fonts.of(character)?)))
        .collect()
}

/// Whether a mark belongs to the character after it.
fn is_opening(character: char) -> bool {
    matches!(character, '\u{2018}' | '\u{201c}')
}

/// Digits count as letters of the font that has them, like those of words.
fn is_letter(character: char) -> bool {
    character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts<'t>(fonts: &Fonts, text: &'t str) -> Vec<&'t str> {
        let items = items(fonts, text);
        items.iter().map(|item| &text[item.range.clone()]).collect()
    }

    #[test]
    fn words_are_not_cut() {
        let fonts = Fonts::default();
        assert_eq!(parts(&fonts, "Ada, 1815."), ["Ada, 1815."]);
        assert_eq!(parts(&fonts, "“证书”"), ["“证书”"]);
        assert_eq!(parts(&fonts, "“Ada”“证书”"), ["“Ada”", "“证书”"]);
        assert_eq!(parts(&fonts, "Ada（艾达）"), ["Ada", "（艾达）"]);
        assert_eq!(parts(&fonts, "क्\u{200d}ष"), ["क्\u{200d}ष"]);
        assert_eq!(parts(&fonts, "עִבְ"), ["עִבְ"]);
        assert_eq!(parts(&fonts, "a😀b"), ["a😀b"]);
        assert!(parts(&fonts, "").is_empty());
    }
}
