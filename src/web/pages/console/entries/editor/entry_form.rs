//! The controls of an entry's questions with their values. Words of the controls are in the reader's language, the
//! owner's in the form's.

use maud::{Markup, Render, html};
use serde_json::Map;

use crate::base::error::Result;
use crate::base::id;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{InputCx, ShownFault};
use crate::fields::texts::rich_text;
use crate::fields::values::Values;
use crate::fields::values::live;
use crate::fields::values::rules::Action;
use crate::ops::entries::entry_editor::{EntryEditor, Subject};
use crate::ops::entries::linked_options::Find;
use crate::ops::forms::availability::{self, Status};
use crate::web::pages::console::entries::editor::conflict;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::form::faults::{FieldFault, ForScript, faults_titles, name_of, said_of};
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::ui::entries::editor::{WrongAnswers, WrongLine};
use crate::web::pages::ui::entries::question::{Optional, Question, TextBlock};

/// The name of the input that keeps the initial values of the controls.
pub const SHOWN: &str = "_shown";

pub struct EntryForm<'a> {
    pub frame: &'a FormFrame<'a>,
    pub editor: EntryEditor,
    /// The values in the controls, in the write shape.
    pub values: Map<String, Json>,
    /// The same as it was typed: numbers are shown again as their writers wrote them.
    posted: FormPart,
    /// The values that the controls showed before anything was typed.
    pub shown: Map<String, Json>,
    /// The name of the next sending.
    pub once: String,
    /// The tag of the entry that the page showed, to be compared when it is saved.
    pub tag: Option<String>,
}

impl<'a> EntryForm<'a> {
    /// The form before anything is typed.
    ///
    /// # Errors
    /// 403, 404.
    pub fn open(frame: &'a FormFrame<'a>, subject: Subject) -> Result<Self> {
        let (call, caller) = (frame.call, frame.caller);
        let editor = EntryEditor::open(call.app, caller, call.param("form_token"), subject, call.now)?;
        let mut own = Self {
            frame,
            editor,
            values: Map::new(),
            posted: FormPart::default(),
            shown: Map::new(),
            once: id::random(22),
            tag: None,
        };
        own.look_up(&[])?;
        own.shown = own.editor.shown_values();
        own.values.clone_from(&own.shown);
        own.tag = own.editor.tag()?;
        Ok(own)
    }

    /// Puts the posted values into the controls. Our own page has every control, so a missing one was left empty;
    /// others leave fields as they are.
    pub fn take(&mut self, sent: &FormPost) {
        let pairs = self.frame.call.form();
        let given = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let kept = given(SHOWN).and_then(|text| serde_json::from_str(text).ok());
        if let Some(Json::Object(kept)) = kept {
            self.shown.extend(kept);
        }
        let nothing = FormPart::default();
        let cx = self.editor.cx();
        let values = self.editor.written().map(|field| {
            let code = field.api_code.as_str();
            let shown = || self.shown.get(code).cloned().unwrap_or_default();
            if given(&conflict::taken(code)) == Some(conflict::THEIRS) {
                return (code.to_owned(), shown());
            }
            let part = sent.tree.member(code).or(sent.is_ours.then_some(&nothing));
            (code.to_owned(), part.map_or_else(shown, |part| field.kind.form_value(part, &cx)))
        });
        self.values = values.collect();
        self.posted.clone_from(&sent.tree);
        if let Some(once) = &sent.once {
            self.once.clone_from(once);
        }
        self.tag.clone_from(&sent.tag);
    }

    /// Takes the tag that the entry has now. Returns false if its answers changed, too: then they are chosen between.
    ///
    /// # Errors
    /// 403, 404.
    pub fn follow(&mut self) -> Result<bool> {
        let Some(entry) = &self.editor.entry else {
            return Ok(false);
        };
        let now = Self::open(self.frame, Subject::Entry(Some(entry.serial)))?;
        let null = Json::Null;
        let is_same = now.editor.written().all(|field| {
            let shown = self.shown.get(&field.api_code).unwrap_or(&null);
            !now.differs(field, shown, now.shown.get(&field.api_code))
        });
        if is_same {
            self.tag = now.tag;
        }
        Ok(is_same)
    }

    /// Takes the next post for another one than the last.
    pub fn begin_again(&mut self) {
        self.once = id::random(22);
    }

    /// Looks up the values of the controls and their options.
    ///
    /// # Errors
    /// 503 while no reader is free.
    pub fn look_up(&mut self, finds: &[Find]) -> Result<()> {
        self.editor.look_up(self.frame.call.app, &self.values, finds)
    }

    /// Reads the values of the controls, which rules and formulas depend on.
    pub fn read(&mut self) {
        let given = self.changed();
        self.editor.read(given);
    }

    /// The values to save: of a stored entry the changed ones.
    pub fn changed(&self) -> Values {
        let is_new = self.editor.entry.is_none();
        let changed = self.editor.written().filter_map(|field| {
            let typed = self.values.get(&field.api_code)?;
            let is_given = is_new || self.differs(field, typed, self.shown.get(&field.api_code));
            is_given.then(|| (field.api_code.clone(), typed.clone()))
        });
        changed.collect()
    }

    /// True if the control looks different with the other value, which is stored differently, too.
    pub fn differs(&self, field: &Field, one: &Json, other: Option<&Json>) -> bool {
        let null = Json::Null;
        let other = other.unwrap_or(&null);
        let drawn = |value: &Json| self.control(field, value, None, ("", &[])).into_string();
        one != other && drawn(one) != drawn(other) && !self.editor.is_same(field, one, other)
    }

    fn fields(&self) -> impl Iterator<Item = &Field> {
        self.editor.parsed.definition.fields.iter().filter(|field| field.kind.page_break().is_none())
    }

    fn place(&self, field: &Field) -> usize {
        let fields = &self.editor.parsed.definition.fields;
        fields.position(&field.api_code).unwrap_or(usize::MAX)
    }

    fn hides(&self, field: &Field) -> bool {
        self.editor.answers.checked().outcome.hides(self.place(field))
    }

    /// The value in a control, or the result of a formula.
    fn value(&self, field: &Field) -> Option<&Json> {
        let computed = field.kind.computed().map(|_| &self.editor.answers.checked().values);
        computed.unwrap_or(&self.values).get(&field.api_code)
    }

    /// The modules of its controls.
    pub fn scripts(&self) -> impl Iterator<Item = &'static str> {
        let all = self.fields().flat_map(|field| std::iter::once(field).chain(field.kind.sub_fields()));
        all.filter_map(|field| field.kind.script())
    }

    /// The rules for the script.
    pub fn rules(&self) -> Option<Json> {
        let parsed = &self.editor.parsed;
        live::for_collaborator(&parsed.definition.fields, &parsed.rules, &self.editor.form.locale)
    }

    /// The questions that rules hide now, with blanks between.
    pub fn hidden(&self) -> String {
        let hidden = self.fields().filter(|field| self.hides(field)).map(|field| field.api_code.as_str());
        hidden.collect::<Vec<_>>().join(" ")
    }

    /// True if a question shows that rules hid when the page was drawn.
    pub fn reveals(&self, hidden: Option<&str>) -> bool {
        let was: Vec<&str> = hidden.unwrap_or_default().split(' ').collect();
        self.fields().any(|field| was.contains(&field.api_code.as_str()) && !self.hides(field))
    }

    /// Where files go ahead of the form: only where respondents may send them, too.
    pub fn uploads(&self) -> Option<String> {
        let (form, parsed) = (&self.editor.form, &self.editor.parsed);
        let settings = &parsed.settings;
        let status = availability::status(&settings.availability, form.entries_count, self.frame.call.now);
        let is_open = form.published && status == Status::Open && settings.access_control.access_password.is_none();
        let are_seen = self.fields().all(|field| !(field.hidden && field.kind.has_files()));
        let base = self.frame.call.app.config.base_path();
        let address = || format!("{base}/api/v1/f/{}/entry_attachments", form.token);
        (parsed.files && is_open && are_seen).then(address)
    }

    /// The faults by questions.
    pub fn faults(&self, issues: &[Issue]) -> Vec<FieldFault<'_>> {
        let texts = self.frame.texts;
        let faults = self.fields().filter_map(|field| {
            let said = said_of(field, self.values.get(&field.api_code), issues, texts, self.editor.cx().locale, false)?;
            Some(said.at(field, 0, texts, self.frame.owners_lang()))
        });
        faults.collect()
    }

    /// The answer to the script of the page.
    pub fn for_script(&self, issues: &[Issue]) -> Json {
        let (frame, cx) = (self.frame, self.editor.cx());
        let mut told = ForScript::of(frame.texts, frame.owners_lang(), self.editor.form.versions.form);
        for field in self.fields() {
            told.add(field, self.hides(field), self.value(field), &cx);
        }
        told.json(&self.faults(issues))
    }

    pub fn summary(&self, faults: &[FieldFault]) -> Markup {
        let frame = self.frame;
        let questions = faults.iter().map(|fault| {
            let lines = fault.lines.iter().map(|line| WrongLine {
                code: &fault.field.api_code,
                at: &line.at,
                control: &line.control,
                label: &line.label,
                lang: frame.owners_lang().filter(|_| !fault.field.label.is_empty()),
                text: &line.text,
                text_lang: fault.lang,
            });
            lines.collect()
        });
        WrongAnswers { titles: faults_titles(frame.texts, faults.len()), questions: questions.collect() }.render()
    }

    /// All questions and the texts between them.
    pub fn questions(&self, faults: &[FieldFault]) -> Markup {
        let drawn = self.fields().map(|field| {
            let fault = faults.iter().find(|fault| fault.field.api_code == field.api_code);
            if field.kind.has_value() { self.question(field, fault) } else { self.text_block(field) }
        });
        html! { @for question in drawn { (question) } }
    }

    /// One question alone.
    pub fn only(&self, field: &Field, issues: &[Issue]) -> Markup {
        let faults = self.faults(issues);
        self.question(field, faults.iter().find(|fault| fault.field.api_code == field.api_code))
    }

    fn question(&self, field: &Field, fault: Option<&FieldFault>) -> Markup {
        let (frame, cx) = (self.frame, self.editor.cx());
        let place = self.place(field);
        let mut about = self.editor.parsed.rules.about(place);
        let is_ruled = about.any(|(_, rule)| rule.action == Action::Require);
        let is_required = self.editor.answers.checked().outcome.requires(place) || field.required && self.hides(field);
        let is_written = field.kind.computed().is_none();
        let mut question = Question {
            code: &field.api_code,
            type_name: field.row.name,
            label: html! { (name_of(frame.texts, field)) },
            lang: frame.owners_lang(),
            optional: is_written.then(|| Optional {
                words: frame.say("form-optional"),
                is_shown: !is_required,
                is_ruled,
            }),
            aside: if field.hidden { frame.say("editing-hidden") } else { String::new() },
            notes: field.notes.as_deref().map(rich_text::drawn).unwrap_or_default(),
            fault: fault.map_or("", |fault| &fault.text),
            fault_lang: fault.and_then(|fault| fault.lang),
            wanted: field.format_hint(),
            limits: field.kind.limits(frame.texts, &cx),
            is_group: field.kind.is_group(),
            is_hidden: self.hides(field),
            is_always_required: field.required && is_ruled,
            ..Question::default()
        };
        let described = question.described_by();
        let inside = fault.map_or(&[][..], |fault| &fault.inside);
        let null = Json::Null;
        let value = self.value(field).unwrap_or(&null);
        question.control = self.control(field, value, Some(&self.posted), (&described, inside));
        question.render()
    }

    fn text_block(&self, field: &Field) -> Markup {
        let notes = field.notes.as_deref().map(rich_text::drawn).unwrap_or_default();
        TextBlock {
            code: &field.api_code,
            label: &field.label,
            lang: self.frame.owners_lang(),
            is_hidden: self.hides(field),
            content: html! { (notes) (self.control(field, &Json::Null, None, ("", &[]))) },
        }
        .render()
    }

    fn control(
        &self,
        field: &Field,
        value: &Json,
        posted: Option<&FormPart>,
        (described_by, faults): (&str, &[ShownFault]),
    ) -> Markup {
        field.kind.input(&InputCx {
            name: &field.api_code,
            label: &field.label,
            value,
            posted,
            // The server alone checks; rules may hide it.
            required: false,
            placeholder: field.placeholder.as_deref(),
            invalid: !faults.is_empty(),
            faults,
            described_by,
            texts: self.frame.texts,
            currency: &self.editor.parsed.settings.pricing.currency,
            seed: &self.once,
            cx: &self.editor.cx(),
        })
    }
}
