//! Bars that lie one below the other, each with its name before it and its numbers behind it.

use maud::{Markup, Render, html};

use crate::web::pages::ui::report::percent;

pub struct LyingBar<'a> {
    pub label: Markup,
    /// Depth in a tree, from 0.
    pub depth: usize,
    /// The part of the whole length, 0 to 1.
    pub length: f64,
    /// The number that counts: `12`.
    pub value: String,
    /// The share behind the number: `40 %`. Nothing if empty.
    pub share: String,
    /// Where the entries behind it are; none where no list shows them.
    pub address: Option<&'a str>,
}

/// Bars whose numbers are aligned in columns of one width.
pub struct LyingBars<'a> {
    pub bars: Vec<LyingBar<'a>>,
    /// Their names are numbers, which take little room.
    pub has_short_names: bool,
    /// Headings of the value and the share, where their meaning is not plain.
    pub heads: Option<[String; 2]>,
}

/// Steps that labels of a tree are moved in by; deeper ones stay there.
const DEPTHS: usize = 3;

impl Render for LyingBars<'_> {
    fn render(&self) -> Markup {
        html! {
            ul.chart-bars role="list" data-short[self.has_short_names] data-heads[self.heads.is_some()] {
                @if let Some([value, share]) = &self.heads {
                    li.chart-row { span.chart-name {} span.chart-bar {} span.chart-share { (value) } span.chart-share { (share) } }
                }
                @for bar in &self.bars {
                    li {
                        @if let Some(address) = bar.address {
                            a.chart-row href=(address) data-depth=(bar.depth.min(DEPTHS)) { (line(bar)) }
                        } @else {
                            div.chart-row data-depth=(bar.depth.min(DEPTHS)) { (line(bar)) }
                        }
                    }
                }
            }
        }
    }
}

fn line(bar: &LyingBar) -> Markup {
    html! {
        span.chart-name { (bar.label) }
        svg.chart-bar width="100%" height="12" aria-hidden="true" focusable="false" {
            @if bar.length > 0.0 { rect.fill width=(percent(bar.length)) height="12" rx="3" {} }
        }
        span.chart-value { (bar.value) }
        @if !bar.share.is_empty() { span.chart-share { (bar.share) } }
    }
}
