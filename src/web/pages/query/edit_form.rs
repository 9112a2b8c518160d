//! The form in which a visitor edits a row: the kinds' own controls for the fields that the query lets be edited. Values
//! that visitors see masked stand masked in it, and stay as they are unless they are typed over (S70).

use maud::{Markup, Render, html};
use serde_json::Map;

use crate::base::clock::Time;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::texts;
use crate::fields::Field;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{Cx, InputCx, ShownFault};
use crate::fields::texts::rich_text;
use crate::ops::queries::search::{Results, has_mask};
use crate::ops::queries::visit::Column;
use crate::web::pages::form::faults::{FieldFaults, faults_titles, name_of, said_of};
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::query::frame::QueryPage;
use crate::web::pages::ui::entries::question::{Optional, Question};
use crate::web::request::call::Call;

/// The editable fields of a row, each with the initial value of its control.
pub struct EditForm<'r> {
    fields: Vec<Editable<'r>>,
    cx: Cx<'r>,
    currency: &'r str,
}

struct Editable<'r> {
    field: &'r Field,
    /// The query's own label.
    label: Option<String>,
    is_masked: bool,
    shown: &'r Json,
}

/// The post of the form.
pub struct Posted {
    pub edit_token: String,
    /// The values of the controls, in the write shapes of their kinds.
    pub values: Map<String, Json>,
    pub sent: FormPost,
    /// The faults, by the paths of the API.
    pub issues: Vec<Issue>,
}

/// Whether visitors can edit a column on a page. A hidden field offers no entries to link to.
pub fn has_control(column: &Column) -> bool {
    let field = column.field.field().filter(|_| column.is_editable);
    field.is_some_and(|field| {
        let is_offered = !field.hidden || field.kind.linking().is_none();
        is_offered && (field.kind.is_written() || field.kind.comes_by_page())
    })
}

impl<'r> EditForm<'r> {
    /// For the first row; `shown` comes from `Results::page_values`.
    pub fn of(results: &'r Results, shown: &'r [Option<Json>], now: Time) -> Self {
        let columns = results.open.columns();
        let fields = columns.iter().zip(shown);
        let fields = fields.filter_map(|(column, shown)| {
            let field = column.field.field().filter(|_| has_control(column))?;
            Some(Editable {
                field,
                label: column.rule.label.clone(),
                is_masked: column.field.is_masked(column.rule.protected),
                shown: shown.as_ref()?,
            })
        });
        Self { fields: fields.collect(), cx: results.cx(now), currency: &results.open.parsed.settings.pricing.currency }
    }

    /// Whether there is nothing to edit.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The modules of its controls.
    pub fn scripts(&self) -> Vec<&'static str> {
        let fields = self.fields.iter().map(|it| it.field);
        let all = fields.flat_map(|field| std::iter::once(field).chain(field.kind.sub_fields()));
        all.filter_map(|field| field.kind.script()).collect()
    }

    /// Reads a post. Our own page has every control, so a missing one was left empty. Others leave fields as they are.
    pub fn read(&self, call: &Call) -> Posted {
        let sent = FormPost::read(call);
        let nothing = FormPart::default();
        let values = self.fields.iter().filter_map(|it| {
            let code = &it.field.api_code;
            let part = sent.tree.member(code);
            let part = part.or(sent.is_ours.then_some(&nothing))?;
            Some((code.clone(), it.field.kind.form_value(part, &self.cx)))
        });
        let edit_token = sent.tree.member("edit_token");
        Posted {
            edit_token: edit_token.and_then(FormPart::first).unwrap_or_default().to_owned(),
            values: values.collect(),
            issues: Vec::new(),
            sent,
        }
    }

    /// The values that differ from the stored ones: untouched fields need not satisfy rules that are newer than the
    /// entry.
    pub fn changed(&self, posted: &Posted) -> Map<String, Json> {
        let is_new = |it: &Editable, typed: &Json| {
            // Values that look the same are the same.
            let drawn = |value: &Json| self.control(it, value, None, "", &[], "").into_string();
            typed != it.shown && drawn(typed) != drawn(it.shown)
        };
        let all = self.fields.iter().filter_map(|it| {
            let code = &it.field.api_code;
            let typed = posted.values.get(code)?;
            is_new(it, typed).then(|| (code.clone(), typed.clone()))
        });
        all.collect()
    }

    /// The faults above the form; they take the focus.
    pub fn summary(&self, page: &QueryPage, posted: Option<&Posted>) -> Markup {
        let faults: Vec<(&Editable, FieldFaults)> =
            self.fields.iter().filter_map(|it| Some((it, self.faults(page, it, posted)?))).collect();
        let titles = faults_titles(page.texts, faults.len());
        html! {
            @if let Some(title) = titles.last() {
                div.message.summary.before-form #summary tabindex="-1" autofocus role="alert" {
                    h2 { (title) }
                    ul {
                        @for (it, faults) in &faults {
                            li {
                                @for line in faults.lines(&it.label(page), page.texts) {
                                    div {
                                        a href={ "#" (it.field.api_code) (line.control) } data-to=(it.field.api_code) {
                                            bdi lang=[page.owners_lang()] { (line.label) } " – "
                                            span lang=[page.owners_lang().filter(|_| faults.is_owners)] { (line.text) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn faults(&self, page: &QueryPage, it: &Editable, posted: Option<&Posted>) -> Option<FieldFaults> {
        let issues = posted.map_or(&[][..], |posted| &posted.issues);
        let value = posted.and_then(|posted| posted.values.get(&it.field.api_code));
        said_of(it.field, value, issues, page.texts, self.cx.locale, false)
    }

    /// The form with the posted values. `cancel` is the address of the page without it.
    pub fn draw(
        &self,
        page: &QueryPage,
        address: &str,
        edit_token: &str,
        posted: Option<&Posted>,
        cancel: Option<&str>,
    ) -> Markup {
        let texts = page.texts;
        let has_files = self.fields.iter().any(|it| it.field.kind.has_files());
        let enctype = has_files.then_some("multipart/form-data");
        html! {
            form #form method="post" action=(address) enctype=[enctype] novalidate data-busy=(texts.say("query-saving")) {
                // First: files are taken by this right as they come.
                input type="hidden" name="edit_token" value=(edit_token);
                // Marks the post as this form's, which has every control.
                input type="hidden" name="_page" value="0";
                div.trap aria-hidden="true" {
                    // Enter presses the first button of a form: this one, whatever buttons a control has.
                    button.enter name="_action" value="submit" tabindex="-1" {}
                }
                @for it in &self.fields { (self.field(page, it, posted)) }
                div.actions {
                    button.button name="_action" value="submit" { (texts.say("own-save")) }
                    @if let Some(cancel) = cancel {
                        a.button.quiet href=(cancel) { (texts.say("query-cancel")) }
                    }
                }
            }
        }
    }

    fn field(&self, page: &QueryPage, it: &Editable, posted: Option<&Posted>) -> Markup {
        let texts = page.texts;
        let (field, code) = (it.field, it.field.api_code.as_str());
        let faults = self.faults(page, it, posted);
        let inside = faults.as_ref().map_or(&[][..], |faults| &faults.inside);
        let said = faults.as_ref().map(|faults| faults.text(texts)).unwrap_or_default();
        let lang = page.owners_lang();
        let mut question = Question {
            code,
            type_name: field.row.name,
            label: html! { (it.label(page)) },
            lang,
            optional: Some(Optional { words: texts.say("form-optional"), is_shown: !field.required, is_ruled: false }),
            notes: field.notes.as_deref().map(rich_text::drawn).unwrap_or_default(),
            masked: if it.is_masked && !it.shown.is_null() { texts.say("query-masked-edit") } else { String::new() },
            fault: &said,
            fault_lang: lang.filter(|_| faults.as_ref().is_some_and(|faults| faults.is_owners)),
            wanted: field.format_hint(),
            limits: field.kind.limits(texts, &self.cx),
            is_group: field.kind.is_group(),
            ..Question::default()
        };
        // A mask of another value than the current one can't be sent again: today's takes its place.
        let posted = posted.filter(|posted| {
            let typed = posted.values.get(code);
            !(it.is_masked && typed.is_some_and(has_mask))
        });
        let typed = posted.and_then(|posted| posted.values.get(code));
        let tree = posted.map(|posted| &posted.sent.tree);
        let described = question.described_by();
        question.control = self.control(it, typed.unwrap_or(it.shown), tree, &described, inside, code);
        question.render()
    }

    fn control(
        &self,
        it: &Editable,
        value: &Json,
        posted: Option<&FormPart>,
        described_by: &str,
        faults: &[ShownFault],
        seed: &str,
    ) -> Markup {
        it.field.kind.input(&InputCx {
            name: &it.field.api_code,
            label: &it.field.label,
            value,
            posted,
            required: it.field.required,
            placeholder: it.field.placeholder.as_deref(),
            invalid: !faults.is_empty(),
            faults,
            described_by,
            texts: texts(self.cx.locale),
            currency: self.currency,
            seed,
            cx: &self.cx,
        })
    }
}

impl Editable<'_> {
    fn label(&self, page: &QueryPage) -> String {
        let own = self.label.clone();
        own.unwrap_or_else(|| name_of(page.texts, self.field))
    }
}
