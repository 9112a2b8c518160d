//! The ranges of scores that have a text, drawn on a line with gaps and overlaps.

use maud::{Markup, Render};

use crate::base::json::Json;
use crate::fields::display::local_number;
use crate::fields::kind::ScoreRange;
use crate::fields::values::results::bands::{Coverage, scores_of};
use crate::model::settings::Feedback;
use crate::web::pages::console::settings::values::ValueCx;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::settings::bands::{BandLine, Span};

/// The most gaps, and the most overlaps, that are said in words.
const MOST_SAID: usize = 6;

/// Of ranges as they are stored or were typed; nothing without any that can be read.
pub fn draw(cx: &ValueCx, ranges: &Json) -> Markup {
    let texts = cx.texts;
    let ranges = ranges.as_array().map_or(&[][..], Vec::as_slice);
    let bands: Option<Vec<Feedback>> = ranges.iter().map(band).collect();
    let Some(bands) = bands.filter(|bands| !bands.is_empty()) else {
        return Markup::default();
    };
    let scores = scores_of(cx.fields);
    let coverage = Coverage::of(&bands, scores);
    let line = Line::of(&bands, scores);
    let said = |id: &str, args: &[(&'static str, String)]| {
        let args: Vec<_> = args.iter().map(|(name, text)| (*name, text.as_str().into())).collect();
        texts.fill(id, &args)
    };
    let number = |number: f64| local_number::show(&number.to_string(), cx.locale);
    let from_to = |from: f64, to: f64| vec![("from", number(from)), ("to", number(to))];
    let mut notes = Vec::new();
    for gap in coverage.gaps.iter().take(MOST_SAID) {
        let id = match (scores.is_whole, gap.from < gap.to) {
            (true, false) => "bands-gap-one",
            (true, true) => "bands-gap",
            (false, _) => "bands-gap-between",
        };
        notes.push((Tone::Warn, said(id, &from_to(gap.from, gap.to))));
    }
    for overlap in coverage.overlaps.iter().take(MOST_SAID) {
        let mut args = from_to(overlap.from, overlap.to);
        args.push(("first", (overlap.first + 1).to_string()));
        args.push(("second", (overlap.second + 1).to_string()));
        let id = if overlap.from < overlap.to { "bands-overlap" } else { "bands-overlap-one" };
        notes.push((Tone::Warn, said(id, &args)));
    }
    if scores.least == scores.most {
        notes = vec![(Tone::Note, texts.say("bands-no-scores"))];
    } else if notes.is_empty() {
        notes.push((Tone::Good, said("bands-whole", &from_to(scores.least, scores.most))));
    }
    BandLine {
        title: &texts.say("bands-title"),
        bands: bands.iter().map(|band| line.span(band.start_point, band.end_point)).collect(),
        gaps: coverage.gaps.iter().map(|gap| line.span(gap.from, gap.to)).collect(),
        overlaps: coverage.overlaps.iter().map(|overlap| line.span(overlap.from, overlap.to)).collect(),
        ends: [&number(line.least), &number(line.most)],
        notes,
    }
    .render()
}

fn band(range: &Json) -> Option<Feedback> {
    let (start_point, end_point) = (range["start_point"].as_f64()?, range["end_point"].as_f64()?);
    (start_point <= end_point).then(|| Feedback { start_point, end_point, comment: String::new() })
}

/// The scores on the line, from one end to the other.
struct Line {
    least: f64,
    most: f64,
    /// Half the width of a whole score on the line.
    half: f64,
}

impl Line {
    fn of(bands: &[Feedback], scores: ScoreRange) -> Self {
        Self {
            least: bands.iter().fold(scores.least, |least, band| least.min(band.start_point)),
            most: bands.iter().fold(scores.most, |most, band| most.max(band.end_point)),
            half: if scores.is_whole { 0.5 } else { 0.0 },
        }
    }

    fn span(&self, from: f64, to: f64) -> Span {
        let length = self.most - self.least + 2.0 * self.half;
        let place = |at: f64| if length > 0.0 { ((at - self.least) / length).clamp(0.0, 1.0) } else { 0.0 };
        Span { from: place(from), to: place(to + 2.0 * self.half) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_scores_take_the_same_room_each() {
        let band = |start_point, end_point| Feedback { start_point, end_point, comment: String::new() };
        let scores = ScoreRange { least: 0.0, most: 9.0, is_whole: true };
        let line = Line::of(&[band(0.0, 4.0)], scores);
        assert_eq!(line.span(0.0, 4.0), Span { from: 0.0, to: 0.5 });
        assert_eq!(line.span(5.0, 9.0), Span { from: 0.5, to: 1.0 });
        let line = Line::of(&[band(-5.0, 5.0)], ScoreRange { least: 0.0, most: 15.0, is_whole: false });
        assert_eq!(line.span(0.0, 5.0), Span { from: 0.25, to: 0.5 });
    }
}
