//! Ranges of scores that have a text each: scores with no range, and scores in two of them.

use crate::fields::Fields;
use crate::fields::kind::ScoreRange;
use crate::model::settings::Feedback;

/// Scores from one to another, both included unless the scores between are not whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    pub from: f64,
    pub to: f64,
}

/// Scores in two ranges: respondents read the text of the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Places in the list.
    pub first: usize,
    pub second: usize,
    pub from: f64,
    pub to: f64,
}

/// Gaps and overlaps of a list of ranges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    pub gaps: Vec<Gap>,
    pub overlaps: Vec<Overlap>,
}

/// The scores that the answers to a form may have together.
pub fn scores_of(fields: &Fields) -> ScoreRange {
    let asked = fields.iter().filter(|field| !field.hidden);
    let ranges = asked.filter_map(|field| {
        let range = field.kind.scores()?.range();
        Some(if field.required { range } else { range.or_none() })
    });
    ranges.fold(ScoreRange::ZERO, ScoreRange::plus)
}

impl Coverage {
    pub fn of(bands: &[Feedback], scores: ScoreRange) -> Self {
        let bands: Vec<(f64, f64)> = bands.iter().map(|band| (band.start_point, band.end_point)).collect();
        let bands: Vec<(f64, f64)> = match scores.is_whole {
            // Numbers between whole numbers are no scores.
            true => bands.into_iter().map(|(from, to)| (from.ceil(), to.floor())).collect(),
            false => bands,
        };
        let gaps = if scores.is_whole { whole_gaps(&bands, scores) } else { gaps(&bands, scores) };
        Self { gaps, overlaps: overlaps(&bands, scores.is_whole) }
    }
}

fn sorted(bands: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = bands.iter().copied().filter(|(from, to)| from <= to).collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    sorted
}

fn whole_gaps(bands: &[(f64, f64)], scores: ScoreRange) -> Vec<Gap> {
    let mut gaps = Vec::new();
    // The first score of which nothing is known to have a text.
    let mut next = scores.least.ceil();
    for (from, to) in sorted(bands) {
        if from > next && next <= scores.most {
            gaps.push(Gap { from: next, to: (from - 1.0).min(scores.most) });
        }
        next = next.max(to + 1.0);
    }
    if next <= scores.most {
        gaps.push(Gap { from: next, to: scores.most.floor() });
    }
    gaps
}

fn gaps(bands: &[(f64, f64)], scores: ScoreRange) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut covered = scores.least;
    for (from, to) in sorted(bands) {
        if from > covered && covered < scores.most {
            gaps.push(Gap { from: covered, to: from.min(scores.most) });
        }
        covered = covered.max(to);
    }
    if covered < scores.most {
        gaps.push(Gap { from: covered, to: scores.most });
    }
    gaps
}

fn overlaps(bands: &[(f64, f64)], is_whole: bool) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    for (first, one) in bands.iter().enumerate() {
        for (second, other) in bands.iter().enumerate().skip(first + 1) {
            let (from, to) = (one.0.max(other.0), one.1.min(other.1));
            // Ranges that meet in a point leave no score out and none in doubt.
            if from < to || is_whole && from <= to {
                overlaps.push(Overlap { first, second, from, to });
            }
        }
    }
    overlaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(bands: &[(f64, f64)], (least, most): (f64, f64), is_whole: bool) -> (Vec<(f64, f64)>, Vec<[f64; 4]>) {
        let band = |(start_point, end_point): &(f64, f64)| Feedback {
            start_point: *start_point,
            end_point: *end_point,
            comment: String::new(),
        };
        let bands: Vec<Feedback> = bands.iter().map(band).collect();
        let Coverage { gaps, overlaps } = Coverage::of(&bands, ScoreRange { least, most, is_whole });
        let place = |place: usize| f64::from(u32::try_from(place).expect("few"));
        (
            gaps.iter().map(|gap| (gap.from, gap.to)).collect(),
            overlaps.iter().map(|it| [place(it.first), place(it.second), it.from, it.to]).collect(),
        )
    }

    #[test]
    fn whole_scores_fall_into_no_cracks() {
        for (bands, scores, gaps, overlaps) in [
            (vec![], (0.0, 3.0), vec![(0.0, 3.0)], vec![]),
            (vec![(0.0, 4.0), (5.0, 10.0)], (0.0, 10.0), vec![], vec![]),
            (vec![(0.0, 4.5), (4.6, 10.0)], (0.0, 10.0), vec![], vec![]),
            (vec![(5.0, 10.0), (0.0, 3.0)], (0.0, 12.0), vec![(4.0, 4.0), (11.0, 12.0)], vec![]),
            (vec![(2.0, 5.0), (5.0, 9.0)], (0.0, 9.0), vec![(0.0, 1.0)], vec![[0.0, 1.0, 5.0, 5.0]]),
            (
                vec![(0.0, 9.0), (2.0, 3.0), (3.0, 4.0)],
                (0.0, 9.0),
                vec![],
                vec![[0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 3.0]],
            ),
            (vec![(20.0, 30.0)], (0.0, 9.0), vec![(0.0, 9.0)], vec![]),
            (vec![(-5.0, 0.0)], (-2.0, 1.0), vec![(1.0, 1.0)], vec![]),
        ] {
            assert_eq!(coverage(&bands, scores, true), (gaps, overlaps), "{bands:?} {scores:?}");
        }
    }

    #[test]
    fn other_scores_lie_between_ranges_that_do_not_meet() {
        for (bands, scores, gaps, overlaps) in [
            (vec![(0.0, 4.0), (4.0, 10.0)], (0.0, 10.0), vec![], vec![]),
            (vec![(0.0, 4.0), (5.0, 10.0)], (0.0, 10.5), vec![(4.0, 5.0), (10.0, 10.5)], vec![]),
            (vec![(0.0, 4.5), (4.0, 10.0)], (0.0, 10.0), vec![], vec![[0.0, 1.0, 4.0, 4.5]]),
            (vec![(1.0, 2.0)], (0.0, 0.5), vec![(0.0, 0.5)], vec![]),
        ] {
            assert_eq!(coverage(&bands, scores, false), (gaps, overlaps), "{bands:?} {scores:?}");
        }
    }

    #[test]
    fn scores_of_answers_add_up() {
        let scores = [3.0, -1.0, 0.0, 2.0];
        let one = ScoreRange::of_one(&scores);
        assert_eq!((one.least, one.most, one.is_whole), (-1.0, 3.0, true));
        let several = ScoreRange::of_several(&scores, 4);
        assert_eq!((several.least, several.most), (-1.0, 5.0));
        assert_eq!(ScoreRange::of_several(&scores, 1).most, 3.0);
        let sum = one.plus(ScoreRange::of_one(&[0.5, 1.5]));
        assert_eq!((sum.least, sum.most, sum.is_whole), (-0.5, 4.5, false));
        assert_eq!(ScoreRange::of_one(&[2.0, 5.0]).or_none().least, 0.0);
        assert_eq!(ScoreRange::of_one(&[]), ScoreRange::ZERO);
    }
}
