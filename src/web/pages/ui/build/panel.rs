//! The properties of the chosen question: a form that a script sends as it changes, and a button for those who have none.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::settings::control::Control;

/// The name of the version that a post is about.
pub const TAG: &str = "_tag";
/// The name of the buttons of lists.
pub const ACTION: &str = "_action";

/// The kind of the chosen question, and on a phone the way back to all of them.
pub struct PanelHead<'a> {
    pub back: &'a str,
    pub back_label: &'a str,
    pub title: &'a str,
}

impl Render for PanelHead<'_> {
    fn render(&self) -> Markup {
        html! {
            div.panel-head {
                a.panel-back href=(self.back) { (self.back_label) }
                h2 { (self.title) }
            }
        }
    }
}

pub struct Panel<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The question's code.
    pub code: &'a str,
    pub tag: i64,
    /// Whether it can only be read.
    pub is_fixed: bool,
    pub properties: Vec<Property<'a>>,
    /// What is seldom needed, and its heading.
    pub more: (&'a str, Vec<Property<'a>>),
    /// Sentences on what can't be changed here.
    pub told: Vec<String>,
    /// The button's words.
    pub save: &'a str,
}

pub enum Property<'a> {
    Control(Control<'a>),
    Rows(Parts<'a>),
}

/// The named parts of a question: choices, statements.
pub struct Parts<'a> {
    /// What the names begin with.
    pub name: &'a str,
    /// What the names of their lines end with.
    pub line: &'a str,
    pub label: &'a str,
    /// What is wrong with all of them; nothing if empty.
    pub fault: String,
    pub rows: Vec<Part<'a>>,
    pub words: PartWords<'a>,
    /// The parts as text, for those who edit them all at once; none if empty.
    pub text: Option<String>,
    /// Ready lists: the values of their buttons, and their names.
    pub ready: Vec<(String, String)>,
}

/// The words of the buttons.
pub struct PartWords<'a> {
    pub add: &'a str,
    pub up: &'a str,
    pub down: &'a str,
    pub remove: &'a str,
    pub more: &'a str,
    pub sort: &'a str,
    pub reverse: &'a str,
    pub text: &'a str,
    pub text_notes: &'a str,
    pub apply: &'a str,
    pub ready: &'a str,
}

pub struct Part<'a> {
    /// Empty for a new one.
    pub code: &'a str,
    pub label: &'a str,
    /// What is wrong; nothing if empty.
    pub fault: String,
    /// Its other properties.
    pub controls: Vec<Control<'a>>,
    /// Whether they are shown at once.
    pub is_special: bool,
}

impl Render for Panel<'_> {
    fn render(&self) -> Markup {
        html! {
            form.panel #panel method="post" action=(self.action) novalidate data-code=(self.code) {
                (csrf_field(self.csrf))
                input type="hidden" name=(TAG) value=(self.tag);
                // Enter in a line saves, whatever button comes first.
                button type="submit" hidden {}
                fieldset.panel-controls disabled[self.is_fixed] {
                    @for property in &self.properties { (property) }
                    @if !self.more.1.is_empty() {
                        details.panel-more {
                            summary { (self.more.0) }
                            @for property in &self.more.1 { (property) }
                        }
                    }
                }
                @for text in &self.told { p.muted.small { (text) } }
                @if !self.is_fixed { button.button.quiet.panel-save type="submit" { (self.save) } }
            }
        }
    }
}

impl Render for Property<'_> {
    fn render(&self) -> Markup {
        match self {
            Self::Control(control) => control.render(),
            Self::Rows(rows) => rows.render(),
        }
    }
}

impl Render for Parts<'_> {
    fn render(&self) -> Markup {
        let (name, words) = (self.name, &self.words);
        let button = |action: String, label: &str| {
            html! { button.button.quiet.small type="submit" name=(ACTION) value=(action) { (label) } }
        };
        let spare = Part { code: "", label: "", fault: String::new(), controls: Vec::new(), is_special: false };
        html! {
            fieldset.parts id=(name) data-parts=(name) {
                legend { (self.label) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                ol role="list" {
                    @for (at, row) in self.rows.iter().enumerate() { (self.row(at, row)) }
                    (self.row(self.rows.len(), &spare))
                }
                div.row {
                    button.button.quiet.small.scripted type="button" data-add { (words.add) }
                    @if self.rows.len() > 1 {
                        (button(format!("{name}.sort"), words.sort))
                        (button(format!("{name}.reverse"), words.reverse))
                    }
                }
                @if let Some(text) = &self.text {
                    details.panel-more {
                        summary { (words.text) }
                        p.notes id={ (name) "-text-notes" } { (words.text_notes) }
                        textarea.input name={ "_text." (name) } rows="8" aria-label=(words.text)
                            aria-describedby={ (name) "-text-notes" } spellcheck="false" dir="auto" { "\n" (text) }
                        (button(format!("{name}.text"), words.apply))
                    }
                }
                @if !self.ready.is_empty() {
                    details.panel-more {
                        summary { (words.ready) }
                        div.row { @for (action, label) in &self.ready { (button(action.clone(), label)) } }
                    }
                }
            }
        }
    }
}

impl Parts<'_> {
    fn row(&self, at: usize, part: &Part) -> Markup {
        let (words, prefix) = (&self.words, format!("{}[{at}]", self.name));
        let line = format!("{prefix}.{}", self.line);
        let is_spare = part.code.is_empty() && part.label.is_empty();
        let fault = (!part.fault.is_empty()).then(|| format!("{line}-fault"));
        let act = |verb: &str, label: &str, sign: &str| {
            html! {
                button.part-act type="submit" name=(ACTION) value={ (prefix) "." (verb) } title=(label)
                    aria-label={ (label) " " (part.label) } { (sign) }
            }
        };
        html! {
            li.part.spare[is_spare] {
                input type="hidden" name={ (prefix) ".api_code" } value=(part.code);
                input.input id=(line) name=(line) data-line type="text" value=(part.label) dir="auto"
                    autocomplete="off" aria-label={ (self.label) " " (at + 1) } aria-describedby=[&fault]
                    aria-invalid=[fault.is_some().then_some("true")];
                @if !is_spare {
                    (act("up", words.up, "↑")) (act("down", words.down, "↓")) (act("remove", words.remove, "×"))
                }
                @if let Some(id) = &fault { p.fault id=(id) { (part.fault) } }
                @if !part.controls.is_empty() {
                    details.part-more open[part.is_special] {
                        summary { (words.more) }
                        @for control in &part.controls { (control) }
                    }
                }
            }
        }
    }
}
