//! The kinds of questions to add, each a button.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

pub struct PaletteKind<'a> {
    /// The value of the button.
    pub name: &'a str,
    pub label: String,
    /// Words that find it, in all languages.
    pub search: String,
}

pub struct Palette<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The code of the question that the new one follows; empty for the beginning.
    pub after: &'a str,
    pub search: &'a str,
    pub none: &'a str,
    /// Titles and kinds.
    pub groups: Vec<(String, Vec<PaletteKind<'a>>)>,
}

impl Render for Palette<'_> {
    fn render(&self) -> Markup {
        html! {
            form.palette #palette method="post" action=(self.action) data-none=(self.none) {
                (csrf_field(self.csrf))
                input type="hidden" name="after" value=(self.after);
                input.input.scripted type="search" aria-label=(self.search) placeholder=(self.search) autocomplete="off"
                    enterkeyhint="go";
                p.muted role="status" data-none {}
                @for (title, kinds) in &self.groups {
                    fieldset.palette-group {
                        legend { (title) }
                        @for kind in kinds {
                            button.palette-kind type="submit" name="type" value=(kind.name) data-search=(kind.search) {
                                (kind.label)
                            }
                        }
                    }
                }
            }
        }
    }
}
