//! Draws the look of a form: with controls for managers, as facts for others.

use maud::{Markup, Render, html};

use crate::base::issue::Issue;
use crate::base::text::isolated;
use crate::fields::images::{Image, MAX_IMAGES};
use crate::ops::forms::{ready_themes, themes};
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::theme::stored::Edited;
use crate::web::pages::console::theme::{Outcome, value};
use crate::web::pages::ui::build::outline::{BuilderBar, SaveState};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::look::colours::{ColourField, Contrast, ReadyTheme, ReadyThemes};
use crate::web::pages::ui::look::pictures::{Picture, Pictures, Upload, UploadForm};
use crate::web::pages::ui::look::{Few, LookForm, LookGroup, act};
use crate::web::pages::ui::notice::{Summary, SummaryLine};
use crate::web::pages::ui::words::{facts, row};

/// The paths of the typed or chosen values, and the text ids of their labels.
pub const FIELDS: [(&str, &str); 9] = [
    ("primary_color", "look-primary"),
    ("background_color", "look-background"),
    ("text_color", "look-text"),
    ("font", "look-font"),
    ("header.type", "look-header-type"),
    ("header.text", "look-header-text"),
    ("wallpaper.color", "look-wallpaper-color"),
    ("submit_button.text", "look-button-text"),
    ("submit_button.color", "look-button-color"),
];

/// The paths of pictures, and the text ids of their labels.
const UPLOADS: [(&str, &str); 2] =
    [("header.images", "look-header-upload"), ("wallpaper.image", "look-wallpaper-upload")];

/// The colour around a form without a wallpaper.
const PLAIN_AROUND: &str = "#F5F6F8";

pub struct Drawing<'a> {
    pub frame: &'a FormFrame<'a>,
    pub edited: &'a Edited,
    pub outcome: &'a Outcome,
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.frame.texts.say(id)
    }

    fn text(&self, path: &str) -> &str {
        value(self.edited, self.outcome, path).as_str().unwrap_or_default()
    }

    fn fault(&self, path: &str) -> String {
        let found = self.outcome.faults.iter().find(|issue| issue.attribute == path);
        found.map(|issue| self.told(issue)).unwrap_or_default()
    }

    fn told(&self, fault: &Issue) -> String {
        if !UPLOADS.iter().any(|(path, _)| *path == fault.attribute) {
            return account_messages::message(self.frame.texts, fault);
        }
        // The words of a file that is missing or no picture.
        account_messages::message(self.frame.texts, &Issue::new(INPUT.to_owned(), fault.reason.clone()))
    }

    /// All that is wrong, each with a link to its control.
    pub fn summary(&self) -> Markup {
        let label = |path: &str| {
            let found = FIELDS.iter().chain(&UPLOADS).find(|(known, _)| *known == path);
            found.map(|(_, words)| self.say(words)).unwrap_or_default()
        };
        let lines = self.outcome.faults.iter().map(|issue| SummaryLine {
            field: &issue.attribute,
            text: self.frame.texts.labelled(&label(&issue.attribute), &self.told(issue)),
        });
        Summary { title: &self.say("account-faults"), lines: lines.collect() }.render()
    }

    /// Steps back and forth, whether all is saved, publishing.
    pub fn bar(&self) -> Markup {
        let has_news = self.edited.is_changed || !self.frame.view.form.published;
        let words = ["saving", "saved", "unsaved", "refused", "offline"];
        let words = words.map(|word| (word, self.say(&format!("build-{word}"))));
        let publish = self.frame.address("publish");
        BuilderBar {
            start: Markup::default(),
            csrf: &self.frame.csrf,
            steps: [
                (self.frame.address("build/undo?page=theme"), self.say("build-undo"), self.edited.can_undo),
                (self.frame.address("build/redo?page=theme"), self.say("build-redo"), self.edited.can_redo),
            ],
            end: html! {
                (SaveState { text: &self.say("build-saves-itself"), words: words.into_iter().collect() })
                (Button {
                    label: &self.say("build-publish"),
                    press: Press::Go(&publish),
                    is_small: true,
                    weight: if has_news { Weight::Main } else { Weight::Quiet },
                    ..Button::default()
                })
            },
        }
        .render()
    }

    pub fn controls(&self) -> Markup {
        let group = |title: &str, content: Markup| LookGroup { title: &self.say(title), content }.render();
        let content = html! {
            (group("look-ready", self.ready_themes()))
            (group("look-colors", html! {
                (self.colour("primary_color"))
                (self.colour("background_color"))
                (self.colour("text_color"))
            }))
            (group("look-letters", self.few("font", &["system", "serif", "mono"])))
            (group("look-header", self.header()))
            (group("look-wallpaper", self.wallpaper()))
            (group("look-button", html! {
                (self.line("submit_button.text", "look-button-text-notes"))
                (self.colour("submit_button.color"))
            }))
            (row(act("default", &self.say("look-default"))))
        };
        html! {
            (LookForm {
                action: &self.frame.address("theme"),
                csrf: &self.frame.csrf,
                tag: &self.edited.tag,
                content,
                save: &self.say("build-save"),
            })
            @for place in ["header", "wallpaper"] {
                (UploadForm {
                    id: &format!("upload-{place}"),
                    action: &self.frame.address(&format!("theme/{place}")),
                    csrf: &self.frame.csrf,
                })
            }
        }
    }

    fn ready_themes(&self) -> Markup {
        let themes = ready_themes::READY.iter().map(|ready| ReadyTheme {
            act: format!("ready.{}", ready.name),
            label: self.say(&format!("look-ready-{}", ready.name)),
            primary: ready.primary,
            background: ready.background,
            text: ready.text,
            around: if ready.wallpaper.is_empty() { PLAIN_AROUND } else { ready.wallpaper },
            is_chosen: ready_themes::is_ready(&self.edited.theme, ready),
        });
        ReadyThemes { label: &self.say("look-ready"), themes: themes.collect() }.render()
    }

    fn label(&self, path: &str) -> String {
        FIELDS.iter().find(|(known, _)| *known == path).map(|(_, words)| self.say(words)).unwrap_or_default()
    }

    fn colour(&self, path: &str) -> Markup {
        let label = self.label(path);
        let theme = &self.edited.theme;
        let primary = theme["primary_color"].as_str().unwrap_or_default();
        let (none, same) = (self.say("look-no-color"), self.say("look-same-color"));
        let (empty, falls_to) = match path {
            "wallpaper.color" => (Some((PLAIN_AROUND, none.as_str())), None),
            "submit_button.color" => (Some((primary, same.as_str())), Some("primary_color")),
            _ => (None, None),
        };
        let words = ["look-contrast-fine", "look-contrast-weak"]
            .map(|id| self.frame.texts.fill(id, &[("ratio", "{ratio}".into())]));
        let heal = self.say("look-heal");
        let contrast = themes::READ_COLOURS.contains(&path).then(|| themes::contrast(theme, path)).flatten();
        ColourField {
            name: path,
            label: &label,
            pick: &self.frame.texts.fill("look-pick", &[("color", label.as_str().into())]),
            value: self.text(path),
            empty,
            falls_to,
            fault: &self.fault(path),
            contrast: contrast.map(|now| Contrast {
                on: "background_color",
                now,
                words: [&words[0], &words[1]],
                heal: (format!("readable.{path}"), &heal),
            }),
        }
        .render()
    }

    fn few(&self, path: &str, words: &[&'static str]) -> Markup {
        let id = FIELDS.iter().find(|(known, _)| *known == path).map_or("", |(_, words)| words);
        Few {
            name: path,
            label: &self.say(id),
            choices: words.iter().map(|word| (*word, self.say(&format!("{id}-{word}")))).collect(),
            chosen: self.text(path),
        }
        .render()
    }

    fn line(&self, path: &str, notes: &str) -> Markup {
        line_field(&LineField {
            name: path,
            label: &self.label(path),
            notes: &self.say(notes),
            value: self.text(path),
            fault: &self.fault(path),
            autocomplete: "off",
            ..LineField::default()
        })
    }

    fn header(&self) -> Markup {
        let count = self.edited.header_images.len();
        let words = ["up", "down", "remove"].map(|word| self.say(&format!("build-part-{word}")));
        let acts = [("up", "↑"), ("down", "↓"), ("remove", "×")];
        let pictures = self.edited.header_images.iter().enumerate().map(|(at, image)| {
            let name = self.frame.texts.fill("look-picture", &[("number", (at + 1).into())]);
            let acts = acts
                .iter()
                .zip(&words)
                .filter(|((act, _), _)| !((*act == "up" && at == 0) || (*act == "down" && at + 1 == count)))
                .map(|((act, sign), words)| self.act(format!("{act}.{}", image.id), sign, words, &name))
                .collect();
            Picture { image: image.clone(), name, acts }
        });
        html! {
            (self.few("header.type", &["none", "text", "image"]))
            (self.line("header.text", "look-header-text-notes"))
            (Pictures { label: &self.say("look-pictures"), pictures: pictures.collect() })
            @if count < MAX_IMAGES { (self.upload("header", "header.images")) }
        }
    }

    fn wallpaper(&self) -> Markup {
        let remove = self.say("build-part-remove");
        let name = self.say("look-wallpaper-image");
        let pictures = self.edited.wallpaper.iter().map(|image| Picture {
            image: image.clone(),
            name: name.clone(),
            acts: vec![self.act("wallpaper".to_owned(), "×", &remove, &name)],
        });
        html! {
            (self.colour("wallpaper.color"))
            (Pictures { label: &name, pictures: pictures.collect() })
            (self.upload("wallpaper", "wallpaper.image"))
        }
    }

    /// A button for the picture with this name.
    fn act<'w>(
        &self,
        value: String,
        sign: &'static str,
        words: &'w str,
        of: &str,
    ) -> (String, &'static str, &'w str, String) {
        (value, sign, words, self.frame.texts.labelled(words, of))
    }

    fn upload(&self, place: &str, path: &str) -> Markup {
        Upload {
            id: path,
            form: &format!("upload-{place}"),
            name: INPUT,
            label: &self.say(&format!("look-{place}-upload")),
            notes: &self.say("look-upload-notes"),
            fault: &self.fault(path),
            button: &self.say("organization-logo-upload"),
            progress: &self.say("rich-progress"),
            failed: &self.say("rich-failed"),
        }
        .render()
    }

    /// The look in words, for users who may not change it.
    pub fn facts(&self) -> Markup {
        let told = FIELDS.iter().map(|(path, words)| {
            let value = self.text(path);
            let word = self.frame.texts.find(&format!("{words}-{value}"));
            let told = match word {
                Some(word) => html! { (word) },
                None if value.is_empty() => html! { (self.say("settings-nothing")) },
                None => html! { span lang=[self.frame.owners_lang()] { (isolated(value)) } },
            };
            (self.say(words), told)
        });
        let pictures = |images: &[Image]| html! { @for image in images { (image.draw("", "6rem")) } };
        let told: Vec<(String, Markup)> = told.collect();
        let mut pairs: Vec<(&str, Markup)> = told.iter().map(|(term, value)| (term.as_str(), value.clone())).collect();
        let (header, wallpaper) = (self.say("look-pictures"), self.say("look-wallpaper-image"));
        if !self.edited.header_images.is_empty() {
            pairs.push((&header, pictures(&self.edited.header_images)));
        }
        if let Some(image) = &self.edited.wallpaper {
            pairs.push((&wallpaper, pictures(std::slice::from_ref(image))));
        }
        html! { (facts(&pairs)) }
    }
}
