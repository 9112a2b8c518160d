//! The builder's page: its questions in order, the page as respondents will see it, and the chosen question.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::words::aside;

/// The name of the ticks of questions.
pub const TICK: &str = "code";
/// The id of the form that sends them.
const FORM: &str = "questions";

/// Three columns on a desk; on a phone one of them has the page.
pub struct Builder<'a> {
    pub outline: Markup,
    /// The address of the form's page as the draft has it.
    pub preview: &'a str,
    pub preview_title: &'a str,
    /// The words of the link past the preview, whose controls take a stop each.
    pub skip: &'a str,
    pub panel: Markup,
    /// The name of the chosen question's column.
    pub panel_label: &'a str,
    /// Whether a phone shows the chosen question in place of the list.
    pub shows_panel: bool,
}

impl Render for Builder<'_> {
    fn render(&self) -> Markup {
        html! {
            div.builder.chosen[self.shows_panel] {
                section.builder-outline data-scrolls { (self.outline) }
                div.builder-preview {
                    a.skip href="#properties" { (self.skip) }
                    iframe #preview src=(self.preview) title=(self.preview_title) loading="lazy" {}
                }
                section.builder-panel #properties data-scrolls tabindex="-1" aria-label=(self.panel_label) { (self.panel) }
            }
        }
    }
}

/// A question in the list.
pub struct OutlineRow<'a> {
    pub code: &'a str,
    /// The address of the page with it chosen.
    pub address: String,
    /// As respondents see it; empty where they see none.
    pub number: String,
    /// Its label, or the text in place of one.
    pub label: Markup,
    pub is_untitled: bool,
    /// Its kind in words; empty where the label says it.
    pub kind: String,
    pub is_chosen: bool,
    /// Whether a new page begins here.
    pub is_break: bool,
    /// Required, hidden and the like.
    pub marks: Vec<String>,
    /// The points that it brings in an exam, in words; empty without any.
    pub points: String,
    /// How many faults keep it from being published, in words; empty without any.
    pub faults: String,
    /// The label of its tick.
    pub tick: String,
}

/// The questions, with the actions on ticked ones.
pub struct Outline<'a> {
    pub label: &'a str,
    /// The points of all questions together; none if empty.
    pub total: &'a str,
    pub rows: Vec<OutlineRow<'a>>,
    /// Where the acts go; without it the list is only read.
    pub acts: Option<OutlineActs<'a>>,
}

/// The actions on ticked questions.
pub struct OutlineActs<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    pub label: &'a str,
    /// How many are ticked, with `{n}` for the number: a script fills it in.
    pub count: &'a str,
    /// Each is named `act`; its value is the action.
    pub acts: Vec<(&'a str, &'a str)>,
    /// Words of a move for the script, with `{label}`, `{place}` and `{count}`.
    pub moved: &'a str,
    /// The same of a form of several pages, with `{page}` too.
    pub moved_to_page: &'a str,
    /// The name of the link between two rows that adds a question there: a script shows it.
    pub add_here: &'a str,
    /// Where the script asks for changes of others.
    pub state: &'a str,
    /// The draft's version that the list shows.
    pub version: i64,
}

impl Render for Outline<'_> {
    fn render(&self) -> Markup {
        html! {
            @let acts = self.acts.as_ref();
            @if !self.total.is_empty() { p.outline-total #points-total { (self.total) } }
            ol.outline role="list" aria-label=(self.label) data-action=[acts.map(|acts| acts.action)]
                data-moved=[acts.map(|acts| acts.moved)] data-moved-to-page=[acts.map(|acts| acts.moved_to_page)]
                data-state=[acts.map(|acts| acts.state)]
                data-version=[acts.map(|acts| acts.version)] {
                @for row in &self.rows { (row.draw(self.acts.is_some())) }
            }
            @if let Some(acts) = &self.acts {
                template #add-here { a.outline-add tabindex="-1" aria-label=(acts.add_here) title=(acts.add_here) { "+" } }
                form.selection id=(FORM) method="post" action=(acts.action) novalidate aria-label=(acts.label) {
                    (csrf_field(acts.csrf))
                    p role="status" data-count=(acts.count) {}
                    @for (value, label) in &acts.acts {
                        button.button.quiet.small type="submit" name="act" value=(value) { (label) }
                    }
                }
            }
        }
    }
}

impl OutlineRow<'_> {
    fn draw(&self, can_change: bool) -> Markup {
        html! {
            li.outline-row.page-break[self.is_break] data-code=(self.code) {
                @if can_change {
                    span.handle aria-hidden="true" {}
                    input.row-tick type="checkbox" form=(FORM) name=(TICK) value=(self.code) aria-label=(self.tick)
                        autocomplete="off";
                }
                a href=(self.address) aria-current=[self.is_chosen.then_some("true")] {
                    @if !self.number.is_empty() { span.outline-number { (self.number) } }
                    span.outline-label.untitled[self.is_untitled] { (self.label) }
                    @let told = std::iter::once(&self.kind).chain(&self.marks).filter(|words| !words.is_empty());
                    span.outline-kind { (told.map(String::as_str).collect::<Vec<_>>().join(" · ")) }
                    @if !self.points.is_empty() { span.outline-points { (self.points) } }
                    @if !self.faults.is_empty() { span.outline-fault title=(self.faults) { (aside(&html! { (self.faults) })) } }
                }
            }
        }
    }
}

/// Who else is here; a script fills it in.
pub fn presence() -> Markup {
    html! { p.presence.small.muted #people role="status" {} }
}

/// The bar above the columns: adding, steps back and forth, whether all is saved, publishing.
pub struct BuilderBar<'a> {
    pub start: Markup,
    pub csrf: &'a str,
    /// Address, label and whether there is such a step.
    pub steps: [(String, String, bool); 2],
    pub end: Markup,
}

impl Render for BuilderBar<'_> {
    fn render(&self) -> Markup {
        html! {
            div.builder-bar {
                div.row {
                    (self.start)
                    @for ((action, label, is_there), id) in self.steps.iter().zip(["undo", "redo"]) {
                        form method="post" action=(action) {
                            (csrf_field(self.csrf))
                            button.button.quiet.small id=(id) type="submit" disabled[!is_there] { (label) }
                        }
                    }
                }
                div.row { (self.end) }
            }
        }
    }
}

/// Says whether all that was typed is saved; a script keeps it.
pub struct SaveState<'a> {
    /// The current text.
    pub text: &'a str,
    /// Ids and words of the possible texts.
    pub words: Vec<(&'a str, String)>,
}

impl Render for SaveState<'_> {
    fn render(&self) -> Markup {
        html! {
            span.save-state role="status" data-save-chip {
                (self.text)
                @for (id, words) in &self.words { template data-word=(id) { (words) } }
            }
        }
    }
}
