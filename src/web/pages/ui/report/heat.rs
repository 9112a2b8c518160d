//! A table whose cells are the darker the more they hold. The numbers are in them: nothing is said by colour alone.

use maud::{Markup, Render, html};

pub struct HeatCell {
    pub value: String,
    /// The share below it in small letters; nothing if empty.
    pub share: String,
    /// How dark it is, 0 to 1.
    pub shade: f64,
}

pub struct HeatLine {
    pub label: Markup,
    pub cells: Vec<HeatCell>,
}

pub struct HeatTable<'a> {
    /// The name of the table, for screen readers.
    pub caption: &'a str,
    pub columns: Vec<Markup>,
    pub lines: Vec<HeatLine>,
}

/// Steps of darkness above none.
const SHADES: f64 = 5.0;

impl Render for HeatTable<'_> {
    fn render(&self) -> Markup {
        html! {
            div.table-wrap role="group" tabindex="0" aria-label=(self.caption) {
                table.heat {
                    caption.visually-hidden { (self.caption) }
                    thead {
                        tr { td {} @for column in &self.columns { th scope="col" { (column) } } }
                    }
                    tbody {
                        @for line in &self.lines {
                            tr {
                                th scope="row" { (line.label) }
                                @for cell in &line.cells {
                                    td data-shade=((cell.shade.clamp(0.0, 1.0) * SHADES).ceil()) {
                                        (cell.value)
                                        @if !cell.share.is_empty() { " " span.chart-share { (cell.share) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
