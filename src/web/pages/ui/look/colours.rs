//! Colours of a theme: ready ones, and a control for each with its contrast.

use maud::{Markup, Render, html};

use crate::base::colour::Colour;
use crate::web::pages::ui::build::panel::ACTION;

/// A theme to choose with one press: a small page in its colours.
pub struct ReadyTheme<'a> {
    /// The value of its button.
    pub act: String,
    pub label: String,
    pub primary: &'a str,
    pub background: &'a str,
    pub text: &'a str,
    /// The colour around the page.
    pub around: &'a str,
    pub is_chosen: bool,
}

/// Themes to choose from.
pub struct ReadyThemes<'a> {
    pub label: &'a str,
    pub themes: Vec<ReadyTheme<'a>>,
}

impl Render for ReadyThemes<'_> {
    fn render(&self) -> Markup {
        html! {
            div.ready-themes role="group" aria-label=(self.label) {
                @for theme in &self.themes {
                    button.ready-theme type="submit" name=(ACTION) value=(theme.act)
                        aria-pressed=(if theme.is_chosen { "true" } else { "false" }) {
                        svg viewBox="0 0 60 40" aria-hidden="true" {
                            rect width="60" height="40" fill=(theme.around) {}
                            rect x="8" y="6" width="44" height="34" rx="3" fill=(theme.background) {}
                            rect x="13" y="12" width="26" height="3.5" rx="1.75" fill=(theme.text) {}
                            rect x="13" y="19" width="34" height="2.5" rx="1.25" fill=(theme.text) opacity="0.45" {}
                            rect x="13" y="27" width="16" height="7" rx="2.5" fill=(theme.primary) {}
                        }
                        span { (theme.label) }
                    }
                }
            }
        }
    }
}

/// How well a colour can be read on the background.
pub struct Contrast<'a> {
    /// The id of the background's control.
    pub on: &'a str,
    /// The contrast, and whether it is enough.
    pub now: (f64, bool),
    /// Words with `{ratio}`, where it is enough and where it is not.
    pub words: [&'a str; 2],
    /// The button that takes the nearest colour that can be read: its value and words.
    pub heal: (String, &'a str),
}

/// A colour: a line for its six digits, and the browser's own choice beside it.
pub struct ColourField<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// The name of the browser's choice, for screen readers.
    pub pick: &'a str,
    pub value: &'a str,
    /// The meaning of an empty line: the colour that is then shown, and its words. Nothing if it can't be empty.
    pub empty: Option<(&'a str, &'a str)>,
    /// The id of the control whose colour is shown where this one is empty.
    pub falls_to: Option<&'a str>,
    /// The fault; empty if none.
    pub fault: &'a str,
    pub contrast: Option<Contrast<'a>>,
}

impl Render for ColourField<'_> {
    fn render(&self) -> Markup {
        let id = self.name;
        // The browser's choice takes nothing but a colour.
        let is_colour = Colour::parse(self.value).is_some();
        let shown = if is_colour { self.value } else { self.empty.map_or("#FFFFFF", |(colour, _)| colour) };
        let parts =
            [(self.empty.is_some(), "notes"), (!self.fault.is_empty(), "fault"), (self.contrast.is_some(), "contrast")];
        let about: Vec<String> =
            parts.iter().filter(|(is_there, _)| *is_there).map(|(_, part)| format!("{id}-{part}")).collect();
        html! {
            div class=(if self.fault.is_empty() { "field colour-field" } else { "field colour-field wrong" }) {
                label for=(id) { (self.label) }
                div.colour-line {
                    input type="color" value=(shown) aria-label=(self.pick) data-picks=(id);
                    input.input id=(id) name=(id) type="text" value=(self.value) maxlength="7" autocomplete="off"
                        spellcheck="false" data-colour data-empty=[self.empty.map(|(colour, _)| colour)]
                        data-falls-to=[self.falls_to] placeholder=[self.empty.map(|(_, words)| words)]
                        aria-describedby=[(!about.is_empty()).then(|| about.join(" "))]
                        aria-invalid=[(!self.fault.is_empty()).then_some("true")];
                }
                @if let Some((_, words)) = self.empty { p.visually-hidden id={ (id) "-notes" } { (words) } }
                @if !self.fault.is_empty() { p.fault id={ (id) "-fault" } { (self.fault) } }
                @if let Some(contrast) = &self.contrast { (contrast.draw(id)) }
            }
        }
    }
}

impl Contrast<'_> {
    fn draw(&self, id: &str) -> Markup {
        let (ratio, is_enough) = self.now;
        let words = self.words[usize::from(!is_enough)].replace("{ratio}", &format!("{ratio:.1}"));
        html! {
            div.contrast data-contrast=(id) data-on=(self.on) data-fine=(self.words[0]) data-weak=(self.words[1])
                data-state=(if is_enough { "fine" } else { "weak" }) {
                p id={ (id) "-contrast" } role="status" { (words) }
                button.button.quiet.small type="submit" name=(ACTION) value=(self.heal.0) hidden[is_enough] {
                    (self.heal.1)
                }
            }
        }
    }
}
