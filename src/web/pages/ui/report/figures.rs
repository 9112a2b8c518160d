//! A few numbers that represent many: the mean, the sum, the ends.

use maud::{Markup, Render, html};

/// The first one leads: the others explain it.
pub struct Figures<'a> {
    /// Names and numbers.
    pub pairs: Vec<(&'a str, Markup)>,
}

impl Render for Figures<'_> {
    fn render(&self) -> Markup {
        html! {
            dl.chart-figures {
                @for (name, value) in &self.pairs {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}

/// Figures beside a chart where there is room, else above it.
pub struct Beside {
    pub figures: Markup,
    pub chart: Markup,
}

impl Render for Beside {
    fn render(&self) -> Markup {
        html! { div.chart-beside { (self.figures) div { (self.chart) } } }
    }
}
