//! The way through days: the one before, today, the next, and any other.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::table::PageLink;

pub struct DayBar<'a> {
    /// Whose days they are, for paper alone.
    pub of: Markup,
    pub previous: PageLink<'a>,
    pub today: PageLink<'a>,
    pub next: PageLink<'a>,
    /// The page that asks for another day.
    pub action: &'a str,
    /// Name, label and value of the input for the day.
    pub day: (&'a str, &'a str, &'a str),
    /// Name, label and choices of the filter of the day; nothing if there is only one choice.
    pub narrowing: (&'a str, &'a str, Vec<Choice<'a>>),
    pub show: &'a str,
}

impl Render for DayBar<'_> {
    fn render(&self) -> Markup {
        let link = |link: &PageLink, rel: Option<&str>| {
            html! { a.button.quiet.small href=(link.address) rel=[rel] { (link.label) } }
        };
        let (day, day_label, value) = self.day;
        let (narrowing, narrowing_label, choices) = &self.narrowing;
        html! {
            p.on-paper { (self.of) }
            div.day-bar {
                div.row.day-steps {
                    (link(&self.previous, Some("prev")))
                    (link(&self.today, None))
                    (link(&self.next, Some("next")))
                }
                form.day-ask method="get" action=(self.action) {
                    div {
                        label for=(day) { (day_label) }
                        input.input type="date" id=(day) name=(day) value=(value) required;
                    }
                    @if choices.len() > 1 {
                        div {
                            label for=(narrowing) { (narrowing_label) }
                            select.input id=(narrowing) name=(narrowing) {
                                @for choice in choices {
                                    option value=(choice.value) selected[choice.is_chosen] lang=[choice.lang] { (choice.label) }
                                }
                            }
                        }
                    }
                    (Button::quiet(self.show))
                }
            }
        }
    }
}
