//! The questions and functions for a formula, to read; a script completes the typed text from them.

use maud::{Markup, Render, html};

pub struct FormulaHelp<'a> {
    /// The id of the formula's area.
    pub area: &'a str,
    /// Where a script asks for its faults.
    pub address: &'a str,
    pub csrf: &'a str,
    /// The code of the formula's question.
    pub code: &'a str,
    pub title: &'a str,
    /// A heading and the options below it.
    pub questions: (&'a str, Vec<FormulaOption>),
    pub functions: (&'a str, Vec<FormulaOption>),
}

pub struct FormulaOption {
    /// The code to insert into the formula.
    pub code: String,
    /// The parameters of a function, with commas between them.
    pub parameters: Option<String>,
    /// The name for people; the code if empty.
    pub name: String,
    pub more: String,
}

impl Render for FormulaHelp<'_> {
    fn render(&self) -> Markup {
        html! {
            div.formula-help data-formula=(self.area) data-address=(self.address) data-csrf=(self.csrf)
                data-code=(self.code) {
                p.formula-hint.small data-hint hidden {}
                p.formula-state.small role="status" data-state {}
                details.panel-more {
                    summary { (self.title) }
                    @for (title, options) in [&self.questions, &self.functions] {
                        @if !options.is_empty() {
                            h4 { (title) }
                            ul.formula-options role="list" { @for option in options { (option) } }
                        }
                    }
                }
            }
        }
    }
}

impl Render for FormulaOption {
    fn render(&self) -> Markup {
        html! {
            li data-option=(self.code) data-parameters=[&self.parameters] data-name=(self.name) {
                code { (self.code) @if let Some(parameters) = &self.parameters { "(" (parameters) ")" } }
                @if !self.name.is_empty() { " " bdi { (self.name) } }
                " " span.muted { (self.more) }
            }
        }
    }
}
