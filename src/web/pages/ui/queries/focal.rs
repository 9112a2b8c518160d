//! The point of a picture that stays in view where the picture is cut.

use maud::{Markup, Render, html};

use crate::web::pages::ui::queries::editor::ACT;
use crate::web::pages::ui::queries::search::Checked;

/// The nine places of the buttons, in percent: the text id of each ends with its name.
pub const POINTS: [(&str, &str, u8, u8); 9] = [
    ("top-left", "↖", 0, 0),
    ("top", "↑", 50, 0),
    ("top-right", "↗", 100, 0),
    ("left", "←", 0, 50),
    ("middle", "•", 50, 50),
    ("right", "→", 100, 50),
    ("bottom-left", "↙", 0, 100),
    ("bottom", "↓", 50, 100),
    ("bottom-right", "↘", 100, 100),
];

/// Two lines with percents, each with a slider that a script joins to it, and buttons for the usual places.
pub struct FocalPoint<'a> {
    pub label: &'a str,
    pub notes: &'a str,
    /// The picture's address.
    pub picture: &'a str,
    /// The names of the lines, which are also their ids.
    pub names: [&'a str; 2],
    pub labels: [&'a str; 2],
    pub values: [Checked<String>; 2],
    /// The words of the buttons, in the order of `POINTS`.
    pub points: Vec<String>,
}

impl Render for FocalPoint<'_> {
    fn render(&self) -> Markup {
        let lines = self.names.iter().zip(self.labels).zip(&self.values);
        html! {
            fieldset.focal tabindex="-1" data-focal {
                legend { (self.label) }
                p.notes { (self.notes) }
                div.focal-parts {
                    img.focal-picture src=(self.picture) alt="";
                    div.focal-points role="group" aria-label=(self.label) {
                        @for ((_, sign, x, y), words) in POINTS.iter().zip(&self.points) {
                            button.button.quiet.small type="submit" name=(ACT) value={ "point:" (x) ":" (y) } aria-label=(words)
                                title=(words) { (sign) }
                        }
                    }
                }
                @for ((name, label), checked) in lines {
                    @let fault = (!checked.fault.is_empty()).then(|| format!("{name}-fault"));
                    div.field.wrong[fault.is_some()] {
                        label for=(name) { (label) }
                        @if let Some(id) = &fault { p.fault id=(id) { (checked.fault) } }
                        div.focal-line {
                            input.scripted type="range" min="0" max="100" step="1" aria-label=(label) data-slides=(name)
                                value=(if checked.value.is_empty() { "50" } else { &checked.value });
                            input.input id=(name) name=(name) type="text" inputmode="decimal" autocomplete="off"
                                placeholder="50" value=(checked.value) aria-describedby=[&fault]
                                aria-invalid=[fault.is_some().then_some("true")];
                            span aria-hidden="true" { "%" }
                        }
                    }
                }
            }
        }
    }
}
