//! One bar of a few segments that make a whole, with their names and numbers below it.

use maud::{Markup, Render, html};

use crate::web::pages::ui::report::percent;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Bad,
    Neutral,
    Good,
}

pub struct Segment<'a> {
    pub mood: Mood,
    pub label: &'a str,
    /// 0 to 1; the parts add up to 1.
    pub part: f64,
    pub value: String,
    pub share: String,
    pub address: Option<&'a str>,
}

pub struct SegmentBar<'a> {
    pub segments: Vec<Segment<'a>>,
}

impl Render for SegmentBar<'_> {
    fn render(&self) -> Markup {
        let mut from = 0.0;
        let placed = self.segments.iter().map(|segment| {
            let start = from;
            from += segment.part;
            (segment, start)
        });
        let placed: Vec<(&Segment, f64)> = placed.collect();
        html! {
            div.chart-segments {
                svg width="100%" height="28" aria-hidden="true" focusable="false" {
                    @for (segment, start) in &placed {
                        rect class=(class(segment.mood)) x=(percent(*start)) width=(percent(segment.part)) height="28" {}
                    }
                }
                ul role="list" {
                    @for segment in &self.segments {
                        li {
                            svg width="10" height="10" aria-hidden="true" focusable="false" {
                                rect class=(class(segment.mood)) width="10" height="10" rx="2" {}
                            }
                            @let words = html! {
                                (segment.label) " " strong { (segment.value) } " " span.chart-share { (segment.share) }
                            };
                            @match segment.address {
                                Some(address) => a href=(address) { (words) },
                                None => span { (words) },
                            }
                        }
                    }
                }
            }
        }
    }
}

fn class(mood: Mood) -> &'static str {
    match mood {
        Mood::Bad => "segment bad",
        Mood::Neutral => "segment",
        Mood::Good => "segment good",
    }
}
