//! Pictures of a theme: the present ones with their actions, and the choice of another one.

use maud::{Markup, Render, html};

use crate::fields::images::Image;
use crate::web::pages::ui::build::panel::ACTION;
use crate::web::pages::ui::form::csrf_field;

pub struct Pictures<'a> {
    pub label: &'a str,
    pub pictures: Vec<Picture<'a>>,
}

pub struct Picture<'a> {
    pub image: Image,
    /// Its number in words.
    pub name: String,
    /// The buttons for it: the value, the sign and the words of each, and the words with the picture's name.
    pub acts: Vec<(String, &'static str, &'a str, String)>,
}

impl Render for Pictures<'_> {
    fn render(&self) -> Markup {
        html! {
            @if !self.pictures.is_empty() {
                ol.look-pictures role="list" aria-label=(self.label) {
                    @for picture in &self.pictures {
                        li {
                            (picture.image.draw(&picture.name, "6rem"))
                            @for (value, sign, words, label) in &picture.acts {
                                button.part-act type="submit" name=(ACTION) value=(value) title=(words)
                                    aria-label=(label) { (sign) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A file to choose. Its form is another one than that of the controls around it: `UploadForm`.
pub struct Upload<'a> {
    pub id: &'a str,
    pub form: &'a str,
    /// The name of the input in the post.
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    pub button: &'a str,
    /// The name of the bar that shows how much was sent.
    pub progress: &'a str,
    /// Said where the server can't be reached.
    pub failed: &'a str,
}

impl Render for Upload<'_> {
    fn render(&self) -> Markup {
        let (id, form) = (self.id, self.form);
        let fault = format!("{id}-fault");
        let about = format!("{id}-notes {fault}");
        html! {
            div.field.wrong[!self.fault.is_empty()] data-upload data-failed=(self.failed) {
                label for=(id) { (self.label) }
                p.notes id={ (id) "-notes" } { (self.notes) }
                p.fault id=(fault) role="alert" hidden[self.fault.is_empty()] { (self.fault) }
                div.row {
                    input.input id=(id) name=(self.name) form=(form) type="file" aria-describedby=(about)
                        accept="image/png,image/jpeg,image/webp,image/gif";
                    button.button.quiet.upload-button type="submit" form=(form) { (self.button) }
                }
                progress max="1" hidden aria-label=(self.progress) {}
            }
        }
    }
}

/// The form of an `Upload`, without anything to see.
pub struct UploadForm<'a> {
    pub id: &'a str,
    pub action: &'a str,
    pub csrf: &'a str,
}

impl Render for UploadForm<'_> {
    fn render(&self) -> Markup {
        html! {
            form id=(self.id) method="post" action=(self.action) enctype="multipart/form-data" novalidate {
                (csrf_field(self.csrf))
            }
        }
    }
}
