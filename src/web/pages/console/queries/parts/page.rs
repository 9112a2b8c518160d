//! The texts and switches of the page: its name and words, the button, the picture above it, and whether it is on.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::fields::display::local_number;
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::queries::messages::PICTURE;
use crate::web::pages::console::queries::parts::{Drawing, Part, UPLOAD};
use crate::web::pages::console::queries::word;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::look::colours::ColourField;
use crate::web::pages::ui::look::pictures::Upload;
use crate::web::pages::ui::queries::focal::{FocalPoint, POINTS};
use crate::web::pages::ui::rich_text::RichText;
use crate::web::pages::ui::settings::control::{Control, Input};
use crate::web::pages::ui::words::{facts, row};

/// The controls, and the text ids of their labels.
const LABELS: [(&str, &str); 11] = [
    ("name", "queries-name"),
    ("description", "queries-page-description"),
    ("search_button.text", "queries-page-button"),
    ("search_button.color", "queries-page-color"),
    ("messages.has_result", "queries-page-has-result"),
    ("messages.no_result", "queries-page-no-result"),
    ("allow_to_export_results", "queries-page-export"),
    ("enabled", "queries-page-enabled"),
    ("header.background_image.position_x", "queries-page-x"),
    ("header.background_image.position_y", "queries-page-y"),
    (PICTURE, "queries-page-picture"),
];

pub fn label_id(path: &str) -> Option<&'static str> {
    LABELS.iter().find(|(known, _)| *known == path).map(|(_, id)| *id)
}

impl Drawing<'_> {
    /// The value of a control.
    fn at(&self, path: &str) -> &Json {
        let page = self.values(Part::Page).unwrap_or(self.stored);
        path.split('.').fold(page, |json, key| &json[key])
    }

    fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }

    fn label(&self, path: &str) -> String {
        label_id(path).map(|id| self.say(id)).unwrap_or_default()
    }

    /// A note on the value that somebody else saved in place of the typed one.
    fn news(&self, path: &str) -> String {
        let stored = path.split('.').fold(self.stored, |json, key| &json[key]);
        let typed = self.at(path);
        let is_news = self.outcome.is_overtaken && self.values(Part::Page).is_some() && typed != stored;
        let told = match stored {
            Json::Bool(is_on) => self.say(if *is_on { "settings-on" } else { "settings-off" }),
            Json::String(text) => crate::base::text::isolated(text),
            _ => self.say("settings-nothing"),
        };
        if is_news { self.frame.texts.fill("settings-changed-now", &[("value", told.into())]) } else { String::new() }
    }

    fn control(&self, path: &str, notes: &str, input: Input) -> Markup {
        let notes = if notes.is_empty() { String::new() } else { self.say(notes) };
        Control {
            name: path,
            label: &self.label(path),
            notes: &notes,
            fault: &self.fault(path),
            news: &self.news(path),
            input,
        }
        .render()
    }

    fn line(&self, path: &str, notes: &str) -> Markup {
        self.control(path, notes, Input::Line { value: self.text(path), mode: "", list: "" })
    }

    fn tick(&self, path: &str, notes: &str) -> Markup {
        self.control(path, notes, Input::Tick { is_on: self.at(path) == &Json::Bool(true) })
    }

    fn rich(&self, path: &str, tree: &str, notes: &str) -> Markup {
        let rich = RichText { value: self.text(path), tree, images: "", texts: self.frame.texts };
        self.control(path, notes, Input::Rich(rich))
    }

    pub(super) fn page(&self) -> Markup {
        const COLOR: &str = "search_button.color";
        let color = self.label(COLOR);
        html! {
            (self.line("name", ""))
            (self.control("description", "", Input::Lines { value: self.text("description") }))
            (self.line("search_button.text", ""))
            (ColourField {
                name: COLOR,
                label: &color,
                pick: &self.frame.texts.fill("look-pick", &[("color", color.as_str().into())]),
                value: self.text(COLOR),
                empty: None,
                falls_to: None,
                fault: &self.fault(COLOR),
                contrast: None,
            })
            (self.rich("messages.has_result", &self.trees[0], "queries-page-has-result-notes"))
            (self.rich("messages.no_result", &self.trees[1], "queries-page-no-result-notes"))
            (self.picture())
            (self.tick("allow_to_export_results", "queries-page-export-notes"))
            (self.tick("enabled", "queries-page-enabled-notes"))
        }
    }

    fn picture(&self) -> Markup {
        let stored = &self.stored["header"]["background_image"];
        let remove = self.frame.address(&format!("queries/{}/image/remove", word(self.stored, "token")));
        html! {
            (Upload {
                id: PICTURE,
                form: UPLOAD,
                name: INPUT,
                label: &self.label(PICTURE),
                notes: &self.say("queries-page-picture-notes"),
                fault: &self.fault(PICTURE),
                button: &self.say("organization-logo-upload"),
                progress: &self.say("rich-progress"),
                failed: &self.say("rich-failed"),
            })
            @if stored.is_object() {
                (self.focal(word(stored, "image_url")))
                (row(Button {
                    label: &self.say("queries-page-picture-remove"),
                    press: Press::SubmitTo(&remove),
                    is_small: true,
                    ..Button::default()
                }))
            }
        }
    }

    fn focal(&self, picture: &str) -> Markup {
        let names = ["header.background_image.position_x", "header.background_image.position_y"];
        let labels = names.map(|name| self.label(name));
        let value = |name: &str| match self.at(name) {
            Json::Number(number) => {
                let text = number.to_string();
                let text = text.strip_suffix(".0").unwrap_or(&text);
                local_number::in_control(text, &self.frame.caller.user.locale)
            }
            Json::String(typed) => typed.clone(),
            _ => String::new(),
        };
        FocalPoint {
            label: &self.say("queries-page-focal"),
            notes: &self.say("queries-page-focal-notes"),
            picture,
            names,
            labels: [&labels[0], &labels[1]],
            values: names.map(|name| self.checked(name, value(name))),
            points: POINTS.iter().map(|(id, ..)| self.say(&format!("queries-point-{id}"))).collect(),
        }
        .render()
    }

    /// The stored page in a few lines.
    pub(super) fn told_page(&self) -> Markup {
        let paths = ["name", "description", "search_button.text"];
        let labels = paths.map(|path| self.label(path));
        let value = |path: &str| path.split('.').fold(self.stored, |json, key| &json[key]).as_str().unwrap_or("");
        let pairs: Vec<(&str, Markup)> =
            labels.iter().zip(paths).map(|(label, path)| (label.as_str(), html! { bdi { (value(path)) } })).collect();
        html! { (facts(&pairs)) }
    }
}
