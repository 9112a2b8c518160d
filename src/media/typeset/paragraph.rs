//! A paragraph: where its lines break, and the glyphs of each line from left to right. Lengths are in sizes of the
//! letters.

use std::ops::Range;

use harfrust::{Direction, ShapeOptions, UnicodeBuffer};
use icu_segmenter::{LineSegmenter, options::LineBreakOptions};
use krilla::text::{GlyphId, KrillaGlyph};
use unicode_bidi::{Level, ParagraphBidiInfo};

use crate::media::typeset::fonts::{Face, Fonts};
use crate::media::typeset::itemize::{self, Item};

/// A paragraph that was measured.
pub struct Paragraph<'t, 'f> {
    text: &'t str,
    bidi: ParagraphBidiInfo<'t>,
    items: Vec<Item<'f>>,
    /// Possible line breaks, and the end.
    stops: Vec<usize>,
    /// Starts of glyphs: a word that is too long for a line breaks there.
    clusters: Vec<usize>,
    /// The width of the text before each byte.
    before: Vec<f32>,
}

/// A line, ready to be drawn.
pub struct TextLine<'f> {
    /// From left to right.
    pub parts: Vec<TextRun<'f>>,
    pub width: f32,
}

/// A part of a line in one font and direction.
pub struct TextRun<'f> {
    pub face: &'f Face,
    /// The text of the glyphs.
    pub text: String,
    pub glyphs: Vec<KrillaGlyph>,
    pub width: f32,
}

impl<'t, 'f> Paragraph<'t, 'f> {
    /// Measures a text without line breaks, in the direction of its first letter.
    pub fn new(fonts: &'f Fonts, text: &'t str) -> Self {
        Self::of(fonts, text, None)
    }

    /// Measures a part of a text, which has the direction of the whole.
    pub fn part(fonts: &'f Fonts, text: &'t str, is_rtl: bool) -> Self {
        let level = if is_rtl { Level::rtl() } else { Level::ltr() };
        Self::of(fonts, text, Some(level))
    }

    /// Whether the text is read from right to left.
    pub fn is_rtl(&self) -> bool {
        self.bidi.paragraph_level.is_rtl()
    }

    fn of(fonts: &'f Fonts, text: &'t str, level: Option<Level>) -> Self {
        let bidi = ParagraphBidiInfo::new(text, level);
        let items = itemize::items(fonts, text);
        let segmenter = LineSegmenter::new_for_non_complex_scripts(LineBreakOptions::default());
        let stops = segmenter.segment_str(text).filter(|stop| *stop > 0);
        let stops = stops.collect();
        let mut paragraph = Self { text, bidi, items, stops, clusters: Vec::new(), before: vec![0.0; text.len() + 1] };
        paragraph.measure();
        paragraph
    }

    fn measure(&mut self) {
        // The algorithm of directions expects a character.
        if self.text.is_empty() {
            return;
        }
        let mut advances = vec![0.0; self.text.len() + 1];
        let (_, runs) = self.bidi.visual_runs(0..self.text.len());
        for run in runs {
            for part in self.shape(&run) {
                for glyph in &part.1.glyphs {
                    let at = part.0 + glyph.text_range.start;
                    advances[at] += glyph.x_advance;
                    self.clusters.push(at);
                }
            }
        }
        self.clusters.sort_unstable();
        self.clusters.dedup();
        let mut sum = 0.0;
        for (before, advance) in self.before.iter_mut().zip(advances) {
            *before = sum;
            sum += advance;
        }
    }

    /// The parts of a run of one direction, in the order of the text, each with where it begins.
    fn shape(&self, run: &Range<usize>) -> Vec<(usize, TextRun<'f>)> {
        let level = self.bidi.levels.get(run.start).copied();
        let is_rtl = level.is_some_and(|level| level.is_rtl());
        let mut out = Vec::new();
        for item in &self.items {
            let (start, end) = (item.range.start.max(run.start), item.range.end.min(run.end));
            if start < end {
                out.push((start, shaped(item.face, &self.text[start..end], is_rtl)));
            }
        }
        out
    }

    /// The width of a part of the text, without blanks at its end.
    fn width(&self, range: Range<usize>) -> f32 {
        let end = range.start + self.text[range.clone()].trim_end().len();
        self.before[end] - self.before[range.start]
    }

    /// The lines within a width; one glyph at least on each.
    pub fn wrap(&self, width: f32) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let (mut start, mut end) = (0, 0);
        for stop in self.stops.iter().copied() {
            if self.width(start..stop) <= width {
                end = stop;
                continue;
            }
            if end > start {
                lines.push(start..end);
                start = end;
            }
            while self.width(start..stop) > width {
                let Some(cut) = self.cut(start, stop, width) else {
                    break;
                };
                lines.push(start..cut);
                start = cut;
            }
            end = stop;
        }
        if end > start || lines.is_empty() {
            lines.push(start..end);
        }
        lines
    }

    /// The break of a word that is too long.
    fn cut(&self, start: usize, stop: usize, width: f32) -> Option<usize> {
        let from = self.clusters.partition_point(|at| *at <= start);
        let inner = self.clusters[from..].iter().take_while(|at| **at < stop);
        let mut cut = None;
        for at in inner.copied() {
            if cut.is_some() && self.before[at] - self.before[start] > width {
                break;
            }
            cut = Some(at);
        }
        cut
    }

    /// As many lines as at `width`, with lengths as equal as possible.
    pub fn balance(&self, width: f32) -> Vec<Range<usize>> {
        let lines = self.wrap(width);
        if lines.len() < 2 {
            return lines;
        }
        let (mut least, mut most) = (0.0, width);
        for _ in 0..12 {
            let middle = f32::midpoint(least, most);
            if self.wrap(middle).len() <= lines.len() {
                most = middle;
            } else {
                least = middle;
            }
        }
        self.wrap(most)
    }

    /// A line's glyphs.
    pub fn line(&self, range: Range<usize>) -> TextLine<'f> {
        let end = range.start + self.text[range.clone()].trim_end().len();
        let mut parts = Vec::new();
        if range.start < end {
            let (_, runs) = self.bidi.visual_runs(range.start..end);
            for run in runs {
                let is_rtl = self.bidi.levels.get(run.start).is_some_and(Level::is_rtl);
                let mut shaped: Vec<TextRun> = self.shape(&run).into_iter().map(|it| it.1).collect();
                if is_rtl {
                    shaped.reverse();
                }
                parts.extend(shaped);
            }
        }
        TextLine { width: parts.iter().map(|part| part.width).sum(), parts }
    }
}

fn shaped<'f>(face: &'f Face, text: &str, is_rtl: bool) -> TextRun<'f> {
    let mut part = TextRun { face, text: text.to_owned(), glyphs: Vec::new(), width: 0.0 };
    let Some(font) = face.reading() else {
        return part;
    };
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.set_direction(if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight });
    buffer.guess_segment_properties();
    let shaper = face.shaping.shaper(&font).build();
    let glyphs = shaper.shape(buffer, ShapeOptions::new());
    let (infos, places) = (glyphs.glyph_infos(), glyphs.glyph_positions());
    let mut clusters: Vec<usize> = infos.iter().map(|info| info.cluster as usize).collect();
    clusters.push(text.len());
    clusters.sort_unstable();
    clusters.dedup();
    let size = face.font.units_per_em();
    #[expect(clippy::cast_precision_loss, reason = "units of a font are small")]
    let length = |units: i32| units as f32 / size;
    for (info, place) in infos.iter().zip(places) {
        let start = info.cluster as usize;
        let next = clusters.partition_point(|at| *at <= start);
        let end = clusters.get(next).copied().unwrap_or(text.len());
        part.width += length(place.x_advance);
        part.glyphs.push(KrillaGlyph::new(
            GlyphId::new(info.glyph_id),
            length(place.x_advance),
            length(place.x_offset),
            length(place.y_offset),
            length(place.y_advance),
            start..end,
            None,
        ));
    }
    part
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn lines<'t>(fonts: &Fonts, text: &'t str, width: f32) -> Vec<&'t str> {
        let lines = Paragraph::new(fonts, text).wrap(width);
        lines.into_iter().map(|line| text[line].trim_end()).collect()
    }

    #[test]
    fn lines_break_where_scripts_let_them() {
        let fonts = Fonts::default();
        let of = |text, width| lines(&fonts, text, width);
        assert_eq!(of("one two three", 4.0), ["one two", "three"]);
        assert_eq!(of("兹证明，王小明。", 4.0), ["兹证明，", "王小明。"]);
        assert_eq!(of("Llanfairpwll", 3.0).concat(), "Llanfairpwll");
        assert!(of("Llanfairpwll", 3.0).len() > 1);
        assert_eq!(of("", 3.0), [""]);
    }

    #[test]
    fn lines_are_balanced() {
        let fonts = Fonts::default();
        let text = "one two three four five six";
        let paragraph = Paragraph::new(&fonts, text);
        let greedy = paragraph.wrap(9.5);
        let balanced = paragraph.balance(9.5);
        assert_eq!(greedy.len(), balanced.len());
        assert_eq!(&text[balanced[1].clone()], "four five six");
    }

    #[test]
    fn a_line_runs_in_the_direction_of_its_letters() {
        let fonts = Fonts::default();
        let text = "שלום Ada";
        let paragraph = Paragraph::new(&fonts, text);
        let line = paragraph.line(0..text.len());
        let parts: Vec<&str> = line.parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(parts.concat().trim(), "Ada שלום");
    }

    #[test]
    fn a_part_has_the_direction_of_the_whole() {
        let fonts = Fonts::default();
        let first = |text: &str, is_rtl: bool| {
            let line = Paragraph::part(&fonts, text, is_rtl).line(0..text.len());
            line.parts.first().map(|part| part.text.trim().to_owned())
        };
        assert_eq!(first("Ada שלום", true).as_deref(), Some("שלום"));
        assert_eq!(first("Ada שלום", false).as_deref(), Some("Ada"));
    }

    #[test]
    fn letters_are_joined() {
        let fonts = Fonts::default();
        let glyphs = |text: &str| -> Vec<u32> {
            let line = Paragraph::new(&fonts, text).line(0..text.len());
            let all = line.parts.into_iter().flat_map(|part| part.glyphs);
            all.map(|glyph| glyph.glyph_id.to_u32()).collect()
        };
        let (alone, joined) = (glyphs("ب"), glyphs("ببب"));
        assert!(joined.iter().all(|glyph| *glyph != alone[0]));
        // A conjunct is one glyph.
        assert!(glyphs("क्ष").len() < "क्ष".chars().count());
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn nothing_is_lost(text in "[a-z 证书א-ת\u{627}-\u{64a}\u{905}-\u{94d}😀\u{202e}\u{301}]{0,40}", width in 0.5..20.0_f32) {
            let fonts = fonts();
            let paragraph = Paragraph::new(fonts, &text);
            for lines in [paragraph.wrap(width), paragraph.balance(width)] {
                let whole: String = lines.iter().map(|line| &text[line.clone()]).collect();
                prop_assert_eq!(&whole, &text);
                for line in lines {
                    let mut drawn: Vec<char> = paragraph
                        .line(line.clone())
                        .parts
                        .iter()
                        .flat_map(|part| part.text.chars().collect::<Vec<_>>())
                        .collect();
                    let mut wanted: Vec<char> = text[line].trim_end().chars().collect();
                    drawn.sort_unstable();
                    wanted.sort_unstable();
                    prop_assert_eq!(drawn, wanted);
                }
            }
        }
    }

    fn fonts() -> &'static Fonts {
        static FONTS: std::sync::LazyLock<Fonts> = std::sync::LazyLock::new(Fonts::default);
        &FONTS
    }
}
