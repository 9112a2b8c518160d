//! Ranges of scores on a line: the range of each, the gaps and the overlaps.

use maud::{Markup, Render, html};

use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::report::percent;

/// A part of the line, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub from: f64,
    pub to: f64,
}

pub struct BandLine<'a> {
    pub title: &'a str,
    /// In the order of the list: they are numbered from 1.
    pub bands: Vec<Span>,
    pub gaps: Vec<Span>,
    pub overlaps: Vec<Span>,
    /// The labels at the ends of the line.
    pub ends: [&'a str; 2],
    /// The same in words.
    pub notes: Vec<(Tone, String)>,
}

impl Render for BandLine<'_> {
    fn render(&self) -> Markup {
        let rect = |class: &'static str, span: &Span| {
            html! {
                rect class=(class) x=(percent(span.from)) width=(percent((span.to - span.from).max(0.0))) y="4"
                    height="24" {}
            }
        };
        html! {
            figure.band-line {
                figcaption { (self.title) }
                svg width="100%" height="32" aria-hidden="true" focusable="false" {
                    rect.band-track width="100%" y="4" height="24" {}
                    @for band in &self.bands { (rect("band", band)) }
                    @for gap in &self.gaps { (rect("band-gap", gap)) }
                    @for overlap in &self.overlaps { (rect("band-overlap", overlap)) }
                    @for (at, band) in self.bands.iter().enumerate() {
                        text x=(percent(f64::midpoint(band.from, band.to))) y="20" text-anchor="middle" { (at + 1) }
                    }
                }
                div.band-ends aria-hidden="true" { @for end in self.ends { span { (end) } } }
                ul role="list" {
                    @for (tone, note) in &self.notes {
                        li class=[tone.class()] { (note) }
                    }
                }
            }
        }
    }
}
