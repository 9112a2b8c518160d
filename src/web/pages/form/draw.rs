//! The HTML of a form page: title, fields by pages, faults, buttons.

use maud::{Markup, html};

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::kind::{Cx, InputCx};
use crate::fields::texts::rich_text;
use crate::fields::values::rules::Action;
use crate::ops::forms::availability::Status;
use crate::web::pages::form::faults::{FaultLine, FieldFault, faults_titles};
use crate::web::pages::form::form_post::TRAP;
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::pagination::{FormPage, Layout};
use crate::web::pages::form::progress::number_of;
use crate::web::pages::form::withdraw::Subject;
use crate::web::pages::form::{address, changed_entry, states};
use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::theme::Theme;

/// How wide an image above the title is.
const HEAD_IMAGE: &str = "(min-width: 46rem) 40rem, 100vw";

impl FilledForm {
    /// All between head and footer.
    pub fn content(
        &self,
        theme: &Theme,
        parts: &[FormPage],
        faults: &[FieldFault],
        said: &Notice,
        rules: Option<&Json>,
    ) -> Markup {
        let form = &self.published.form;
        let texts = self.texts();
        let page = self.page.min(parts.len() - 1);
        let options = &self.published.parsed.settings.submission_options;
        let is_card = self.layout() == Layout::Card;
        let is_last = self.is_last(parts, page);
        let keeps = self.takes_typing(said) && self.kept_under().is_some();
        let is_early = said.is_shut && self.is_early();
        let is_inert = self.is_inert(said);
        let opens = self.published.availability().schedule.start_at;
        let opens = opens.filter(|_| is_early).map(Time::millis);
        html! {
            @if !self.is_embedded {
                header.form-head.later[is_card && page > 0] {
                    @if let Some(header) = &theme.header { p.banner lang=[self.owners_lang()] { bdi { (header) } } }
                    @if !theme.images.is_empty() {
                        div.head-images {
                            @for image in &theme.images { (image.draw_at_once("", HEAD_IMAGE)) }
                        }
                    }
                    h1 lang=[self.owners_lang()] { bdi { (form.name) } }
                    @if let Some(text) = form.description.as_deref().filter(|text| !text.trim().is_empty()) {
                        p.description dir="auto" lang=[self.owners_lang()] { (text) }
                    }
                }
            }
            @if let Some(own) = self.own.as_ref().filter(|_| said.notice.is_none()) {
                div.before-form.own-note {
                    (message(Tone::Note, &texts.say("own-title"), &texts.say("own-text")))
                    @let address = changed_entry::Address {
                        form: &form.token,
                        entry: &own.entry,
                        embedded: self.is_embedded,
                    };
                    @if let Some(cancel) = Subject::Booking.address(&self.app, &address) {
                        p { a href=(cancel) { (texts.say("done-cancel")) } }
                    }
                }
            }
            @if self.own.as_ref().is_some_and(|own| own.is_cancelled()) {
                div.before-form {
                    (message(Tone::Warn, &texts.say("own-cancelled"), &texts.say("own-cancelled-text")))
                }
            }
            @if let Some((tone, title, text)) = said.notice.as_ref().filter(|_| !said.is_again) {
                div.before-form {
                    (message(*tone, title, text))
                    @if let Some((address, words)) = &said.link {
                        p { a href=(address) target="_blank" { (words) } }
                    }
                }
            }
            @if !said.is_shut { (self.examples_button()) }
            @if !said.asks_to_wait { (self.summary(parts, page, faults)) }
            @if said.is_shut {
                (states::opening(&self.published, texts, self.now))
            } @else {
                (states::closing(&self.published, texts, self.now))
                (self.time_left())
            }
            @if keeps { div.toast #toast role="status" {} }
            form #form.cards[is_card] method="post" action=(self.action()) enctype=[self.enctype()]
                data-uploads=[self.uploads()] novalidate data-page=(page)
                data-keep=[self.kept_under().filter(|_| keeps)]
                data-fresh[said.is_fresh] data-waits[self.waits && !said.asks_to_wait]
                data-rules=[rules] data-version=(form.versions.form)
                data-until=[opens] data-now=[opens.map(|_| self.now.millis())] {
                (self.own_inputs(page, is_last, !said.is_shut && !said.asks_to_wait))
                @if rules.is_some() { (self.hidden_input(parts)) }
                @if said.asks_to_wait {
                    (self.question_to_wait(faults))
                    // The answers go along unseen.
                    div hidden { (self.pages(parts, None, &[], options.show_field_number)) }
                } @else if said.is_shut {
                    // Nothing leads from page to page: all of them are there to be read.
                    @let all = self.pages(parts, None, faults, options.show_field_number);
                    @if is_inert {
                        fieldset.inert disabled aria-label=(texts.say("form-not-open")) { (all) }
                    } @else {
                        (all)
                    }
                    @if is_early { (self.early_actions(is_inert)) }
                } @else {
                    // Nothing else tells how many cards there are.
                    @let has_bar = options.show_progress || is_card && parts.len() > 1;
                    (self.progress(parts, page, has_bar))
                    (self.pages(parts, Some(page), faults, options.show_field_number))
                    (self.order_total())
                    (self.kept_until())
                    (self.waits_for_room())
                    @if let Some((tone, title, text)) = said.notice.as_ref().filter(|_| said.is_again) {
                        div.again #again { (message(*tone, title, text)) }
                    }
                    (self.actions(theme, parts, page, said))
                    (self.why_button())
                }
            }
            @if !said.is_shut { (self.words_of_the_script()) }
            @if keeps { (self.words_of_what_was_kept()) }
        }
    }

    fn currency(&self) -> &str {
        &self.published.parsed.settings.pricing.currency
    }

    /// Where the form is posted to.
    pub fn action(&self) -> String {
        if let Some(own) = &self.own {
            let form = &self.published.form.token;
            return changed_entry::address(&self.app, form, &own.entry.token, self.is_embedded);
        }
        if let Some(preview) = &self.preview {
            return preview.action.clone();
        }
        let path = address(&self.app.config, self.published.form.token.as_str());
        if self.is_embedded { format!("{path}?embed=1") } else { path }
    }

    /// Where files go ahead of the form: not behind a password, which the page has sealed, and not where only
    /// changes are taken.
    pub fn uploads(&self) -> Option<String> {
        let form = &self.published.form;
        let may = self.grant.is_none() && self.published.status == Status::Open;
        let base = self.app.config.base_path();
        let address = || format!("{base}/api/v1/f/{}/entry_attachments", form.token);
        (may && self.published.parsed.files).then(address)
    }

    /// Files come in parts.
    fn enctype(&self) -> Option<&'static str> {
        let has_files = self.published.parsed.files;
        has_files.then_some("multipart/form-data")
    }

    fn own_inputs(&self, page: usize, is_last: bool, takes_it: bool) -> Markup {
        let texts = self.texts();
        html! {
            input type="hidden" name="_page" value=(page);
            input type="hidden" name="_time" value=(self.stamp);
            input type="hidden" name="_once" value=(self.once);
            input type="hidden" name="_sign" value="";
            @if let Some(grant) = &self.grant { input type="hidden" name="_grant" value=(grant); }
            @if let Some(csrf) = &self.csrf { input type="hidden" name="_csrf" value=(csrf); }
            @if let Some(preview) = &self.preview { (csrf_field(&preview.csrf)) }
            @if let Some(tag) = self.own.as_ref().and_then(|own| own.tag.as_ref()) {
                input type="hidden" name="_tag" value=(tag);
            }
            @if self.keeps_places() {
                input type="hidden" name="_hold" value=(self.hold.as_ref().and(self.hold_token.as_deref()).unwrap_or_default());
            }
            @if let Some(x) = &self.x_field_1 { input type="hidden" name="x_field_1" value=(x); }
            div.trap aria-hidden="true" {
                // Enter presses the first button of a form: this one, whatever buttons a question has.
                @if takes_it {
                    button.enter name="_action" value=(self.forward_action(is_last)) tabindex="-1" {}
                }
                label for=(TRAP) { (texts.say("form-trap")) }
                input id=(TRAP) name=(TRAP) type="text" tabindex="-1" autocomplete="off";
            }
        }
    }

    /// Whether no page after this one has a question.
    pub fn is_last(&self, parts: &[FormPage], page: usize) -> bool {
        let mut later = parts.iter().skip(page + 1);
        later.all(|part| self.is_empty(part))
    }

    /// The fields that rules hide now: those that the next post reveals have not been seen yet.
    fn hidden_input(&self, parts: &[FormPage]) -> Markup {
        let fields = parts.iter().flat_map(|part| &part.fields);
        let hidden: Vec<&str> = fields.filter(|field| self.hides(field)).map(|field| field.api_code.as_str()).collect();
        html! { input type="hidden" name="_hidden" value=(hidden.join(" ")); }
    }

    fn summary(&self, parts: &[FormPage], page: usize, faults: &[FieldFault]) -> Markup {
        let texts = self.texts();
        let titles =
            if self.stands_alone(parts, page, faults) { Vec::new() } else { faults_titles(texts, faults.len()) };
        let reachable = self.reachable(parts);
        html! {
            div #before-fields data-title=(self.published.form.name) data-wrong=(self.title_with_faults()) {
                @if let Some(title) = titles.last() {
                    div.message.summary.before-form #summary tabindex="-1" autofocus role="alert"
                        data-titles=(lines(titles.iter().cloned())) {
                        h2 { (title) }
                        ul {
                            @for fault in faults {
                                li {
                                    @let code = &fault.field.api_code;
                                    @for line in &fault.lines {
                                        div {
                                            @if fault.page == page {
                                                a href={ "#" (code) (line.control) } data-to=(code) data-at=(line.at) {
                                                    (in_summary(line, fault, self.owners_lang()))
                                                }
                                            } @else {
                                                @let number = i64::try_from(number_of(&reachable, fault.page)).unwrap_or_default();
                                                span data-to=(code) data-at=(line.at) { (in_summary(line, fault, self.owners_lang())) } " "
                                                span.muted { (texts.fill("form-on-page", &[("page", number.into())])) }
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
    }

    /// Whether the one fault is of a page with one question: then its place says enough, without a summary.
    fn stands_alone(&self, parts: &[FormPage], page: usize, faults: &[FieldFault]) -> bool {
        let [only] = faults else { return false };
        let asks = |field: &&&Field| field.kind.has_value() && field.kind.computed().is_none();
        let questions = parts[page].fields.iter().filter(asks);
        let questions = questions.filter(|field| !self.hides(field));
        only.page == page && questions.count() == 1
    }

    /// The questions by pages; with no page given, all are shown.
    fn pages(&self, parts: &[FormPage], page: Option<usize>, faults: &[FieldFault], numbered: bool) -> Markup {
        let cx = self.cx();
        let marks = Marks::of(parts);
        let reachable = self.reachable(parts);
        let is_alone = page.is_some_and(|page| self.stands_alone(parts, page, faults));
        let mut number = 0;
        let trace = self.trace();
        html! {
            @for (at, part) in parts.iter().enumerate() {
                @let label = (parts.len() > 1).then(|| self.page_label(&reachable, at));
                section.page hidden[page.is_some_and(|page| page != at)] data-page=(at) tabindex=[label.is_some().then_some("-1")]
                    aria-label=[label] {
                    @for field in &part.fields {
                        @if field.kind.has_value() {
                            @let fault = faults.iter().find(|fault| fault.field.api_code == field.api_code);
                            @let counted = {
                                number += usize::from(!self.hides(field));
                                numbered.then_some(number)
                            };
                            (self.field(field, &cx, marks, (fault, is_alone), counted))
                        } @else {
                            (self.text_block(field, &cx, self.hides(field)))
                        }
                        (self.why(field, trace.as_ref()))
                    }
                }
            }
        }
    }

    fn field(
        &self,
        field: &Field,
        cx: &Cx,
        marks: Marks,
        (fault, is_alone): (Option<&FieldFault>, bool),
        number: Option<usize>,
    ) -> Markup {
        // A hidden field will be asked for when it shows.
        let required = self.requires(field) || field.required && self.hides(field);
        let is_ruled = self.is_ruled(field);
        let texts = self.texts();
        let code = &field.api_code;
        let limits = field.kind.limits(texts, cx);
        let wanted = field.format_hint();
        let described: Vec<String> = [
            field.notes.is_some().then(|| format!("{code}-notes")),
            fault.map(|_| format!("{code}-fault")),
            limits.is_some().then(|| format!("{code}-limits")),
            wanted.is_some().then(|| format!("{code}-wanted")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let described = described.join(" ");
        let null = Json::Null;
        let input = field.kind.input(&InputCx {
            name: code,
            label: &field.label,
            value: self.value(field).unwrap_or(&null),
            posted: Some(&self.posted),
            required,
            placeholder: field.placeholder.as_deref(),
            invalid: fault.is_some(),
            faults: fault.map_or(&[], |fault| &fault.inside),
            described_by: &described,
            texts,
            currency: self.currency(),
            seed: &self.once,
            cx,
        });
        let label = html! {
            @if let Some(number) = number { span.number { (number) "." } }
            bdi lang=[self.owners_lang()] { (field.label) }
            (marks.draw(field, required, is_ruled, texts))
        };
        let notes = html! {
            @if let Some(notes) = &field.notes {
                div.notes.rich id={ (code) "-notes" } lang=[self.owners_lang()] { (rich_text::drawn(notes)) }
            }
        };
        let said = html! {
            @if let Some(fault) = fault {
                p.fault id={ (code) "-fault" } lang=[fault.lang] tabindex=[is_alone.then_some("-1")]
                    autofocus[is_alone] role=[is_alone.then_some("alert")] { (fault.text) }
            }
            @if let Some(wanted) = wanted {
                p.limits id={ (code) "-wanted" } lang=[self.owners_lang()] { bdi { (wanted) } }
            }
            @if let Some(limits) = limits { p.limits id={ (code) "-limits" } { (limits) } }
        };
        html! {
            div.field.wrong[fault.is_some()] data-field=(code) hidden[self.hides(field)]
                data-required[field.required && is_ruled] data-takes[self.asks_for_room() && is_limited(field, cx)]
                data-type=(field.row.name) {
                @if field.kind.is_group() {
                    fieldset aria-describedby=[(!described.is_empty()).then_some(&described)] {
                        legend.label { (label) }
                        (notes) (said) (input)
                    }
                } @else {
                    label.label for=(code) { (label) }
                    (notes) (said) (input)
                }
            }
        }
    }

    /// The control of a field with a value in it, as it stands before anything is typed.
    pub fn control(&self, field: &Field, value: &Json, cx: &Cx) -> Markup {
        field.kind.input(&InputCx {
            name: &field.api_code,
            label: &field.label,
            value,
            posted: None,
            required: false,
            placeholder: None,
            invalid: false,
            faults: &[],
            described_by: "",
            texts: self.texts(),
            currency: self.currency(),
            seed: &self.once,
            cx,
        })
    }

    /// A field without a value: text between the questions.
    fn text_block(&self, field: &Field, cx: &Cx, is_hidden: bool) -> Markup {
        let input = self.control(field, &Json::Null, cx);
        html! {
            div.field data-field=(field.api_code) hidden[is_hidden] {
                @if !field.label.is_empty() { h2.block-title lang=[self.owners_lang()] { bdi { (field.label) } } }
                @if let Some(notes) = &field.notes { div.notes.rich lang=[self.owners_lang()] { (rich_text::drawn(notes)) } }
                (input)
            }
        }
    }

    /// Whether rules may ask for a field.
    fn is_ruled(&self, field: &Field) -> bool {
        let rules = &self.published.parsed.rules;
        let mut about = rules.about(self.place(field));
        about.any(|(_, rule)| rule.action == Action::Require)
    }
}

/// Whether the options of a field are limited.
fn is_limited(field: &Field, cx: &Cx) -> bool {
    let capacity = field.kind.capacity();
    capacity.is_some_and(|capacity| !capacity.shown_counters(cx).is_empty())
}

/// One fault among all of a page.
fn in_summary(line: &FaultLine, fault: &FieldFault, owners_lang: Option<&str>) -> Markup {
    let label = &line.label;
    let lang = owners_lang.filter(|_| !fault.field.label.is_empty());
    html! {
        @match lang { Some(lang) => span lang=(lang) { (label) }, None => (label) }
        " – "
        span.told lang=[fault.lang] { (line.text) }
    }
}

/// One text a line, for the script.
pub fn lines(texts: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = texts.map(|text| text.replace('\n', " ")).collect();
    lines.join("\n")
}

/// Which fields are marked: the smaller number of the required and the others.
#[derive(Clone, Copy)]
struct Marks {
    optional: bool,
}

impl Marks {
    fn of(parts: &[FormPage]) -> Self {
        let fields = || parts.iter().flat_map(|part| &part.fields).filter(|field| field.kind.has_value());
        let required = fields().filter(|field| field.required).count();
        Self { optional: required * 2 >= fields().count() }
    }

    /// The mark of a field, drawn also where a rule may make it right later.
    fn draw(self, field: &Field, required: bool, is_ruled: bool, texts: &Texts) -> Markup {
        let is_right = self.optional != required;
        let (name, id) = if self.optional { ("optional", "form-optional") } else { ("required", "form-required") };
        html! {
            @if field.kind.computed().is_none() && (is_right || is_ruled) {
                " " span.mark data-mark=[is_ruled.then_some(name)] hidden[!is_right] { (texts.say(id)) }
            }
        }
    }
}
