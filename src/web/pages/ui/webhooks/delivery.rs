//! The row of a delivery. A script keeps it up to date: each cell that can change names its delivery and itself.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::Tone;

/// The parts of a delivery that can change, in words; empty where there is none.
pub struct DeliveryWords {
    pub tone: Tone,
    pub state: String,
    pub fault: String,
    pub attempts: String,
    pub answer: String,
    pub next: String,
}

/// The post that sends a delivery once more.
pub struct Again<'a> {
    pub action: String,
    pub csrf: &'a str,
    pub label: &'a str,
    /// Which one, for screen readers.
    pub about: Markup,
    /// Still waits: there is nothing to send again.
    pub is_waiting: bool,
}

pub struct DeliveryRow<'a> {
    pub id: &'a str,
    pub when: Markup,
    pub event: String,
    pub words: DeliveryWords,
    /// None while the webhook sends nothing.
    pub again: Option<Again<'a>>,
}

impl DeliveryRow<'_> {
    /// Time, event, state, attempts, answer, next try, and actions.
    pub fn cells(&self) -> Vec<Markup> {
        let (id, words) = (self.id, &self.words);
        let changing = |name: &str, text: &str| html! { span data-delivery=(id) data-cell=(name) { (text) } };
        let chip = html! {
            span class={ "chip" @if let Some(class) = words.tone.class() { " " (class) } } data-delivery=(id)
                data-cell="state" { (words.state) }
        };
        let again = self.again.as_ref().map(|again| {
            let button = Button { label: again.label, is_small: true, about: again.about.clone(), ..Button::default() };
            let content = button.render();
            let form = PostForm { action: &again.action, csrf: again.csrf, content, ..PostForm::default() };
            html! { div data-delivery=(id) data-cell="again" hidden[again.is_waiting] { (form) } }
        });
        vec![
            self.when.clone(),
            html! { (self.event) },
            html! {
                (chip)
                p.small.muted data-delivery=(id) data-cell="fault" { (words.fault) }
            },
            changing("attempts", &words.attempts),
            changing("answer", &words.answer),
            changing("next", &words.next),
            again.unwrap_or_default(),
        ]
    }
}

/// Asks how the deliveries on the page are, and says that others came.
pub struct LiveDeliveries<'a> {
    pub state: &'a str,
    /// The list as it is now.
    pub list: &'a str,
    pub show: &'a str,
}

impl Render for LiveDeliveries<'_> {
    fn render(&self) -> Markup {
        html! {
            div.new-entries.row #new-deliveries role="status" data-state=(self.state) hidden {
                span {}
                a.button.quiet.small href=(self.list) { (self.show) }
            }
        }
    }
}
