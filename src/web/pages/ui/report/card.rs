//! The card of a question, the head of a report, and the same chart for several groups of entries.

use maud::{Markup, Render, html};

/// All cards, one below the other. On paper two stand on a sheet.
pub struct ReportCards {
    /// Which entries are in it, in words, on paper alone; nothing if empty.
    pub about: String,
    pub cards: Vec<Markup>,
}

impl Render for ReportCards {
    fn render(&self) -> Markup {
        html! {
            div.report {
                @if !self.about.is_empty() { p.on-paper { (self.about) } }
                @for card in &self.cards { (card) }
            }
        }
    }
}

/// Stands where the cards will be; their coming hides it.
pub struct Waiting<'a> {
    pub id: &'a str,
    pub text: &'a str,
}

impl Render for Waiting<'_> {
    fn render(&self) -> Markup {
        html! { p.report-waiting id=(self.id) { (self.text) } }
    }
}

pub struct ReportCard<'a> {
    /// The heading's id.
    pub id: &'a str,
    pub title: Markup,
    /// How many answered, beside the heading.
    pub answered: Markup,
    pub chart: Markup,
    /// Opens to the numbers; none if empty.
    pub table: Markup,
}

impl Render for ReportCard<'_> {
    fn render(&self) -> Markup {
        html! {
            section.card.report-card aria-labelledby=(self.id) {
                header {
                    h2 id=(self.id) { (self.title) }
                    p { (self.answered) }
                }
                (self.chart)
                (self.table)
            }
        }
    }
}

/// A table that opens: it can be copied.
pub struct NumberTable<'a> {
    pub summary: &'a str,
    /// Which question it is about, for screen readers.
    pub about: Markup,
    pub table: Markup,
    pub copy: &'a str,
    pub copied: &'a str,
}

impl Render for NumberTable<'_> {
    fn render(&self) -> Markup {
        html! {
            details.disclosure.number-table {
                summary { (self.summary) span.visually-hidden { " " (self.about) } }
                (self.table)
                div.row {
                    button.button.quiet.small.scripted type="button" data-copy-table data-copied=(self.copied) {
                        (self.copy) span.visually-hidden { " " (self.about) }
                    }
                }
            }
        }
    }
}

/// The same chart for each group of entries, side by side.
pub struct Multiples {
    /// Names, how many answered, charts.
    pub groups: Vec<(Markup, Markup, Markup)>,
}

impl Render for Multiples {
    fn render(&self) -> Markup {
        html! {
            div.multiples {
                @for (label, answered, chart) in &self.groups {
                    div {
                        h3 { (label) }
                        p.chart-share { (answered) }
                        div { (chart) }
                    }
                }
            }
        }
    }
}

/// The parts of a question with columns, one below the other.
pub struct ChartParts {
    /// Names, how many answered, charts.
    pub parts: Vec<(Markup, Markup, Markup)>,
}

impl Render for ChartParts {
    fn render(&self) -> Markup {
        html! {
            div.chart-parts {
                @for (label, answered, chart) in &self.parts {
                    div {
                        header { h3 { (label) } p.chart-share { (answered) } }
                        (chart)
                    }
                }
            }
        }
    }
}
