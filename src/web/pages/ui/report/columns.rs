//! Columns that stand side by side: steps of numbers, days, hours. Their numbers are in the text beside them and in the
//! table below; the keyboard has the links of that table.

use maud::{Markup, Render, html};

use crate::web::pages::ui::report::percent;

/// Pixels of the highest column.
const HEIGHT: f64 = 140.0;
/// A low one is seen all the same.
const LEAST: f64 = 2.0;
/// The part of its place that a column leaves empty on both sides together.
const GAP: f64 = 0.18;

pub struct StandingColumn<'a> {
    /// The part of the whole height, 0 to 1.
    pub height: f64,
    /// Shown where the pointer rests: `3 May 2026: 12`.
    pub hint: String,
    pub address: Option<&'a str>,
}

pub struct StandingColumns<'a> {
    /// The same in words, for screen readers.
    pub about: String,
    pub columns: Vec<StandingColumn<'a>>,
    /// Stand below it, as far apart as they are many.
    pub labels: Vec<Markup>,
    /// Where the last column ends, if labels say where columns begin.
    pub end: Option<Markup>,
    /// The number of the highest one, above it.
    pub most: String,
}

impl Render for StandingColumns<'_> {
    fn render(&self) -> Markup {
        let count = self.columns.len().max(1) as f64;
        html! {
            figure.chart-columns {
                p.visually-hidden { (self.about) }
                p.chart-most aria-hidden="true" { (self.most) }
                svg width="100%" height=(HEIGHT) aria-hidden="true" focusable="false" {
                    @for (at, column) in self.columns.iter().enumerate() {
                        @let drawn = drawn(column, at as f64 / count, 1.0 / count);
                        @match column.address {
                            Some(address) => a href=(address) tabindex="-1" { (drawn) },
                            None => g { (drawn) },
                        }
                    }
                }
                div.chart-labels data-edges[self.end.is_some()] aria-hidden="true" {
                    @for label in &self.labels { span { (label) } }
                    @if let Some(end) = &self.end { span { (end) } }
                }
            }
        }
    }
}

/// The column, before an area as high as the chart that takes the pointer.
fn drawn(column: &StandingColumn, from: f64, width: f64) -> Markup {
    let high = if column.height > 0.0 { (column.height.min(1.0) * HEIGHT).max(LEAST) } else { 0.0 };
    html! {
        title { (column.hint) }
        rect.area x=(percent(from)) width=(percent(width)) height=(HEIGHT) {}
        rect.fill x=(percent(from + width * GAP / 2.0)) width=(percent(width * (1.0 - GAP))) y=(format!("{:.1}", HEIGHT - high))
            height=(format!("{high:.1}")) rx="1.5" {}
    }
}
