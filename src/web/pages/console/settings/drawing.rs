//! Draws a section of settings from the table: with controls for managers, as facts for others.

use std::collections::BTreeMap;

use maud::{Markup, Render, html};

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::model::role::Role;
use crate::ops::forms::settings_edit::{self, Edited};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::settings::Outcome;
use crate::web::pages::console::settings::table::{Control, Group, Section, Shape, control_of, option_id};
use crate::web::pages::console::settings::values::ValueCx;
use crate::web::pages::console::settings::{bands, messages};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::notice::{Notice, Summary, SummaryLine, Tone, message};
use crate::web::pages::ui::rich_text::RichText;
use crate::web::pages::ui::settings::control::{self as part, Input};
use crate::web::pages::ui::settings::rows::{Cell, InputRows, RowColumn};
use crate::web::pages::ui::settings::sections::{ControlGroup, SectionForm, SettingsSection};
use crate::web::pages::ui::settings::texts::{Placeholder, Placeholders, SampleLink};
use crate::web::pages::ui::words::{facts, muted};

/// The data that sections are drawn from.
pub struct Drawing<'a> {
    pub frame: &'a FormFrame<'a>,
    pub edited: &'a Edited,
    pub cx: ValueCx<'a>,
    pub outcome: &'a Outcome,
    /// The questions of the exam as its draft has them.
    pub questions: Markup,
    /// The time on the form's clock.
    pub clock: String,
    /// The trees of rich texts, by path.
    pub trees: BTreeMap<&'static str, String>,
    /// Where pictures of rich texts are posted.
    pub images: String,
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.cx.texts.say(id)
    }

    /// A section; `more` stands above its controls.
    pub fn section<'s>(&self, section: &'s Section, more: Markup) -> SettingsSection<'s> {
        let id = section.id;
        let is_posted = self.outcome.section == id;
        let text = self.say(&format!("settings-section-{id}-text"));
        let reason = if (section.applies)(&self.edited.view) {
            String::new()
        } else {
            self.say(&format!("settings-section-{id}-reason"))
        };
        let groups = html! {
            @for group in section.groups { (self.group(group)) }
            @if section.controls().any(takes_placeholders) { (self.placeholders()) }
        };
        let content = html! {
            @if is_posted { (self.said()) }
            (more)
            @if self.edited.view.role < Role::Manager {
                (groups)
            } @else {
                (self.form(section, groups))
            }
        };
        SettingsSection {
            id,
            title: self.say(&format!("settings-section-{id}")),
            text,
            reason,
            is_open: is_posted,
            content,
        }
    }

    fn form(&self, section: &Section, groups: Markup) -> Markup {
        let shown = (self.outcome.section == section.id).then_some(self.outcome.version.as_ref()).flatten();
        let version = match shown {
            Some(loaded) => loaded.clone(),
            None => settings_edit::version(&self.edited.values, &section.paths()),
        };
        SectionForm {
            action: &self.frame.address(&format!("settings/{}", section.id)),
            csrf: &self.frame.csrf,
            version: &version,
            content: groups,
            save: &self.say("profile-save"),
            unsaved: &self.say("settings-unsaved"),
        }
        .render()
    }

    /// The notice after a post.
    fn said(&self) -> Markup {
        let texts = self.cx.texts;
        let outcome = self.outcome;
        let warnings: Vec<String> =
            outcome.warnings.iter().filter_map(|issue| messages::warning(texts, issue)).collect();
        let lines = outcome.faults.iter().map(|issue| self.summary_line(issue)).collect();
        html! {
            @if let Some(done) = &outcome.done { (message(Tone::Good, &self.say(done), "")) }
            @if !warnings.is_empty() {
                (Notice {
                    tone: Tone::Warn,
                    title: &self.say("settings-warnings"),
                    content: html! { @for warning in &warnings { p { (warning) } } },
                    ..Notice::default()
                })
            }
            @if outcome.news.is_empty() {
                (Summary { title: &self.say("account-faults"), lines })
            } @else {
                (Summary { title: &self.say("settings-changed"), lines: self.news_lines() })
            }
        }
    }

    fn news_lines(&self) -> Vec<SummaryLine<'_>> {
        let first = SummaryLine { field: "", text: self.say("settings-changed-text") };
        let news = self.outcome.news.iter().map(|(path, words)| {
            let label = control_of(path).map(|control| self.say(&format!("settings-{}", control.words)));
            SummaryLine { field: path, text: self.cx.texts.labelled(&label.unwrap_or_default(), words) }
        });
        std::iter::once(first).chain(news).collect()
    }

    fn summary_line<'i>(&self, issue: &'i Issue) -> SummaryLine<'i> {
        let texts = self.cx.texts;
        let control = control_of(&issue.attribute);
        let said = messages::fault(texts, issue, control);
        let Some(control) = control else {
            return SummaryLine { field: "", text: texts.labelled(&issue.attribute, &said) };
        };
        let is_cell = matches!(control.shape, Shape::Rows(_)) && issue.attribute.ends_with(|c: char| c != ']');
        let field = if is_cell { &issue.attribute } else { control.path };
        let label = self.say(&format!("settings-{}", control.words));
        SummaryLine { field, text: texts.labelled(&label, &said) }
    }

    fn group(&self, group: &Group) -> Markup {
        let controls = html! {
            @for control in group.controls { (self.control(control)) }
            @if group.words == "certificate" { (self.certificate_sample()) }
        };
        let controls = if self.edited.view.role < Role::Manager {
            let pairs: Vec<(String, Markup)> = group.controls.iter().map(|control| self.fact(control)).collect();
            let pairs: Vec<(&str, Markup)> =
                pairs.iter().map(|(label, value)| (label.as_str(), value.clone())).collect();
            facts(&pairs)
        } else {
            controls
        };
        if group.words.is_empty() {
            return controls;
        }
        let (path, value) = group.opens;
        let is_on = self.cx.in_control(Shape::Line(""), self.value(path)) == value;
        let switch = group.controls.iter().find(|control| control.path == path);
        let is_touched = group
            .controls
            .iter()
            .any(|control| self.faults(control.path).next().is_some() || self.news(control.path).is_some());
        ControlGroup {
            title: &self.say(&format!("settings-{}", group.words)),
            state: &switch.map(|switch| self.cx.told(switch, self.value(path))).unwrap_or_default(),
            is_open: is_on || is_touched,
            content: controls,
        }
        .render()
    }

    /// The typed value of a section that is shown again, else the stored one.
    pub fn value(&self, path: &str) -> &Json {
        match &self.outcome.typed {
            Some((paths, typed)) if paths.contains(&path) => settings_edit::at(typed, path),
            _ => settings_edit::at(&self.edited.values, path),
        }
    }

    fn faults(&self, path: &str) -> impl Iterator<Item = &Issue> {
        let is_here = move |issue: &&Issue| control_of(&issue.attribute).is_some_and(|control| control.path == path);
        self.outcome.faults.iter().filter(is_here)
    }

    fn news(&self, path: &str) -> Option<&String> {
        self.outcome.news.iter().find(|(changed, _)| *changed == path).map(|(_, words)| words)
    }

    fn fact(&self, control: &Control) -> (String, Markup) {
        let value = self.value(control.path);
        let told = match control.shape {
            Shape::Questions => self.questions.clone(),
            _ => html! { (self.cx.told(control, value)) },
        };
        (self.say(&format!("settings-{}", control.words)), told)
    }

    fn control(&self, control: &Control) -> Markup {
        let texts = self.cx.texts;
        let path = control.path;
        let value = self.value(path);
        let label = self.say(&format!("settings-{}", control.words));
        let notes = texts.fill(&format!("settings-{}-notes", control.words), &[("clock", self.clock.as_str().into())]);
        let news = self.news(path).map_or("", String::as_str);
        let fault = self.fault(control);
        let text = self.cx.in_control(control.shape, value);
        let input = match control.shape {
            Shape::Questions => return html! { h3 { (label) } (muted(notes)) (self.questions) },
            Shape::Rows(columns) => {
                let rows = self.rows(control, columns, (&label, &notes, &fault, news));
                let has_scores = control.words == "feedbacks";
                return html! { (rows) @if has_scores { (bands::draw(&self.cx, value)) } };
            }
            Shape::Flag => Input::Tick { is_on: value == &Json::Bool(true) },
            Shape::Line(list) => Input::Line { value: &text, mode: "", list },
            Shape::Number => Input::Line { value: &text, mode: "decimal", list: "" },
            Shape::Secret => Input::Secret { value: &text },
            Shape::Text | Shape::Addresses => Input::Lines { value: &text },
            Shape::Rich => Input::Rich(RichText {
                value: &text,
                tree: self.trees.get(path).map_or("[]", String::as_str),
                images: &self.images,
                texts,
            }),
            Shape::Moment => Input::Moment { value: &text },
            Shape::Word(options) => Input::Select { choices: self.options(control, options, &text) },
            Shape::Mailable => Input::Select { choices: self.mailable(&text) },
            Shape::Fields => Input::Ticks { choices: self.fields(value) },
        };
        part::Control { name: path, label: &label, notes: &notes, fault: &fault, news, input }.render()
    }

    /// The faults of a control as a whole, one sentence each.
    fn fault(&self, control: &Control) -> String {
        let is_row = matches!(control.shape, Shape::Rows(_));
        let own = self.faults(control.path).filter(|issue| !is_row || issue.attribute == control.path);
        let words: Vec<String> = own
            .map(|issue| {
                let said = messages::fault(self.cx.texts, issue, Some(control));
                // The line of a text of several lines.
                match place(&issue.attribute, control.path) {
                    Some(place) => {
                        let line = i64::try_from(place + 1).unwrap_or(i64::MAX);
                        self.cx.texts.fill("settings-fault-line", &[("line", line.into()), ("fault", said.into())])
                    }
                    None => said,
                }
            })
            .collect();
        words.join(" ")
    }

    fn options<'c>(&self, control: &Control, options: &[&'c str], chosen: &str) -> Vec<Choice<'c>> {
        let option =
            |option: &&'c str| Choice::new(option, self.say(&option_id(control.words, option)), *option == chosen);
        options.iter().map(option).collect()
    }

    fn mailable(&self, chosen: &str) -> Vec<Choice<'_>> {
        let first = Choice::new("", self.say("settings-receipt-field-first"), chosen.is_empty());
        let fields = self.cx.fields.iter().filter(|field| field.row.facets.mailable);
        let fields = fields.map(|field| self.field_choice(&field.api_code, field.api_code == chosen));
        std::iter::once(first).chain(fields).collect()
    }

    fn fields(&self, chosen: &Json) -> Vec<Choice<'_>> {
        let is_chosen = |code: &str| chosen.as_array().is_some_and(|codes| codes.iter().any(|one| one == code));
        let fields = self.cx.fields.with_values();
        fields.map(|field| self.field_choice(&field.api_code, is_chosen(&field.api_code))).collect()
    }

    fn field_choice<'c>(&'c self, api_code: &'c str, is_chosen: bool) -> Choice<'c> {
        let choice = Choice::new(api_code, self.cx.label(api_code), is_chosen);
        Choice { lang: self.frame.owners_lang(), ..choice }
    }

    fn rows(
        &self,
        control: &Control,
        columns: &[(&str, bool)],
        (label, notes, fault, news): (&str, &str, &str, &str),
    ) -> Markup {
        let path = control.path;
        let labels: Vec<String> = columns.iter().map(|(key, _)| self.say(&option_id(control.words, key))).collect();
        let heads = columns.iter().zip(&labels);
        let heads: Vec<RowColumn> =
            heads.map(|((key, is_number), label)| RowColumn { key, label, is_number: *is_number }).collect();
        let cell = |at: usize, row: &Json, key: &str, is_number: bool| {
            let shape = if is_number { Shape::Number } else { Shape::Line("") };
            let place = format!("{path}[{at}].{key}");
            let faults = self.faults(path).filter(|issue| issue.attribute == place);
            let words: Vec<String> = faults.map(|issue| messages::fault(self.cx.texts, issue, Some(control))).collect();
            Cell { value: self.cx.in_control(shape, &row[key]), fault: words.join(" ") }
        };
        let rows = self.value(path).as_array().into_iter().flatten().enumerate();
        let rows =
            rows.map(|(at, row)| columns.iter().map(|(key, is_number)| cell(at, row, key, *is_number)).collect());
        InputRows {
            name: path,
            label,
            notes,
            fault,
            news,
            columns: &heads,
            rows: rows.collect(),
            add: &self.say(&format!("settings-{}-add", control.words)),
        }
        .render()
    }

    /// The placeholders for answers in texts of the section.
    fn placeholders(&self) -> Markup {
        if self.edited.view.role < Role::Manager {
            return Markup::default();
        }
        let fields = self.cx.fields.with_values();
        let placeholders = fields.map(|field| Placeholder {
            label: self.cx.label(&field.api_code),
            text: format!("{{{{{}}}}}", field.api_code),
        });
        Placeholders {
            summary: &self.say("settings-placeholders"),
            notes: &self.say("settings-placeholders-text"),
            insert: &self.say("settings-placeholders-insert"),
            lang: self.frame.owners_lang(),
            placeholders: placeholders.collect(),
        }
        .render()
    }

    /// The way to a sample of the certificate, as it is typed.
    fn certificate_sample(&self) -> Markup {
        SampleLink {
            address: &self.frame.address("settings/certificate"),
            label: &self.say("settings-certificate-sample"),
            notes: &self.say("settings-certificate-sample-notes"),
            names: "certificate.title certificate.body",
        }
        .render()
    }
}

fn takes_placeholders(control: &Control) -> bool {
    control.shape == Shape::Rich || control.words == "certificate-body"
}

/// The number of the item that an attribute names, in a list at this path.
fn place(attribute: &str, path: &str) -> Option<usize> {
    attribute.strip_prefix(path)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}
