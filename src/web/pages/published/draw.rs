//! Draws a form page: title, pages of fields, what is wrong, buttons.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::base::texts::Texts;
use crate::fields::Field;
use crate::fields::kind::{Cx, InputCx};
use crate::fields::rich_text;
use crate::fields::rules::Action;
use crate::ops::availability::Status;
use crate::ops::settings;
use crate::web::pages::layout::{Tone, message};
use crate::web::pages::published::parts::{Layout, Part};
use crate::web::pages::published::sent::TRAP;
use crate::web::pages::published::sheet::{Fault, Said, Seen, Sheet, faults_title, name_of};
use crate::web::pages::published::{address, changed_entry, states};
use crate::web::pages::theme::Theme;

/// How wide an image above the title is.
const HEAD_IMAGE: &str = "(min-width: 46rem) 40rem, 100vw";

impl Sheet {
    /// All between head and footer.
    pub fn content(
        &self,
        theme: &Theme,
        parts: &[Part],
        faults: &[Fault],
        said: &Said,
        rules: Option<&Json>,
    ) -> Markup {
        let form = &self.published.form;
        let seen = self.seen();
        let texts = self.texts();
        let page = self.page.min(parts.len() - 1);
        let options = settings::submission_options(&self.published.parsed.parts.settings);
        let is_card = self.layout() == Layout::Card;
        let is_last = self.is_last(&seen, parts, page);
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
                @let args = [("serial", own.entry.serial.into()), ("button", texts.say("own-save").into())];
                div.before-form.own-note {
                    (message(Tone::Note, &texts.say("own-title"), &texts.fill("own-text", &args)))
                }
            }
            @if let Some((tone, title, text)) = &said.notice {
                div.before-form {
                    (message(*tone, title, text))
                    @if let Some((address, words)) = &said.link {
                        p { a href=(address) target="_blank" { (words) } }
                    }
                }
            }
            (self.summary(page, faults))
            @if said.is_shut {
                (states::opening(&self.published, texts, self.now))
            } @else {
                (states::closing(&self.published, texts, self.now))
            }
            form #form.cards[is_card] method="post" action=(self.action()) enctype=[self.enctype()]
                data-uploads=[self.uploads()] novalidate data-page=(page)
                data-pages=(parts.len()) data-keep=[self.kept_under().filter(|_| !said.is_shut)]
                data-fresh[said.is_fresh] data-rules=[rules] {
                (self.own_inputs(page, is_last, !said.is_shut))
                @if rules.is_some() { (self.hidden_input(&seen, parts)) }
                @if said.is_shut {
                    // Nothing leads from page to page: all of them are there to be read.
                    (self.pages(parts, None, faults, options["show_field_number"] == true, &seen))
                } @else {
                    (self.progress(parts, page, options["show_progress"] == true, &seen))
                    (self.pages(parts, Some(page), faults, options["show_field_number"] == true, &seen))
                    (self.actions(theme, parts, page, &seen))
                }
            }
            @if !said.is_shut { (self.words_of_the_script()) }
        }
    }

    fn currency(&self) -> &str {
        settings::currency(&self.published.parsed.parts.settings)
    }

    fn action(&self) -> String {
        if let Some(own) = &self.own {
            let form = &self.published.form.token;
            return changed_entry::address(&self.app, form, &own.entry.token, self.is_embedded);
        }
        let path = address(&self.app.config, self.published.form.token.as_str());
        if self.is_embedded {
            format!("{path}?embed=1")
        } else {
            path
        }
    }

    /// Where files go ahead of the form: not behind a password, which the page has sealed, and not where only
    /// changes are taken.
    fn uploads(&self) -> Option<String> {
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
            @if let Some(grant) = &self.grant { input type="hidden" name="_grant" value=(grant); }
            @if let Some(csrf) = &self.csrf { input type="hidden" name="_csrf" value=(csrf); }
            @if let Some(tag) = self.own.as_ref().and_then(|own| own.tag.as_ref()) {
                input type="hidden" name="_tag" value=(tag);
            }
            @if let Some(x) = &self.x_field_1 { input type="hidden" name="x_field_1" value=(x); }
            div.trap aria-hidden="true" {
                // Enter presses the first button of a form: this one, whatever buttons a question has.
                @if takes_it {
                    button.enter name="_action" value=(if is_last { "submit" } else { "next" }) tabindex="-1" {}
                }
                label for=(TRAP) { (texts.say("form-trap")) }
                input id=(TRAP) name=(TRAP) type="text" tabindex="-1" autocomplete="off";
            }
        }
    }

    /// Whether there is nothing to answer behind a page.
    fn is_last(&self, seen: &Seen, parts: &[Part], page: usize) -> bool {
        let mut later = parts.iter().skip(page + 1);
        later.all(|part| self.is_empty(seen, part))
    }

    /// What rules hide now: what the next post reveals was not seen yet.
    fn hidden_input(&self, seen: &Seen, parts: &[Part]) -> Markup {
        let fields = parts.iter().flat_map(|part| &part.fields);
        let hidden: Vec<&str> = fields
            .filter(|field| self.hides(seen, field))
            .map(|field| field.api_code.as_str())
            .collect();
        html! { input type="hidden" name="_hidden" value=(hidden.join(" ")); }
    }

    fn summary(&self, page: usize, faults: &[Fault]) -> Markup {
        let texts = self.texts();
        html! {
            div #before-fields {
                @if !faults.is_empty() {
                    div.message.summary.before-form #summary tabindex="-1" autofocus role="alert" {
                        h2 { (faults_title(texts, faults.len())) }
                        ul {
                            @for fault in faults {
                                li {
                                    @let label = name_of(texts, fault.field);
                                    @if fault.page == page {
                                        a href={ "#" (fault.field.api_code) } data-to=(fault.field.api_code) {
                                            (in_summary(&label, fault, self.owners_lang()))
                                        }
                                    } @else {
                                        @let number = i64::try_from(fault.page + 1).unwrap_or_default();
                                        span data-to=(fault.field.api_code) { (in_summary(&label, fault, self.owners_lang())) } " "
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

    /// The questions by pages; with no page given, all are shown.
    fn pages(
        &self,
        parts: &[Part],
        page: Option<usize>,
        faults: &[Fault],
        numbered: bool,
        seen: &Seen,
    ) -> Markup {
        let cx = self.cx();
        let marks = Marks::of(parts);
        let mut number = 0;
        html! {
            @for (at, part) in parts.iter().enumerate() {
                @let label = (parts.len() > 1).then(|| self.page_label(at, parts.len()));
                section.page hidden[page.is_some_and(|page| page != at)] data-page=(at) tabindex=[label.is_some().then_some("-1")]
                    aria-label=[label] {
                    @for field in &part.fields {
                        @if field.kind.has_value() {
                            @let fault = faults.iter().find(|fault| fault.field.api_code == field.api_code);
                            @let counted = {
                                number += usize::from(!self.hides(seen, field));
                                numbered.then_some(number)
                            };
                            (self.field(field, &cx, marks, fault, counted, seen))
                        } @else {
                            (self.text_block(field, &cx, self.hides(seen, field)))
                        }
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
        fault: Option<&Fault>,
        number: Option<usize>,
        seen: &Seen,
    ) -> Markup {
        // What is hidden now will be asked for when it shows.
        let required = self.requires(seen, field) || field.required && self.hides(seen, field);
        let is_ruled = self.is_ruled(field);
        let texts = self.texts();
        let code = &field.api_code;
        let described: Vec<String> = [
            field.notes.is_some().then(|| format!("{code}-notes")),
            fault.map(|_| format!("{code}-fault")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let described = described.join(" ");
        let null = Json::Null;
        let input = field.kind.input(&InputCx {
            name: code,
            label: &field.label,
            value: self.value(seen, field).unwrap_or(&null),
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
            @if let Some(fault) = fault { p.fault id={ (code) "-fault" } lang=[fault.lang] { (fault.text) } }
        };
        html! {
            div.field.wrong[fault.is_some()] data-field=(code) hidden[self.hides(seen, field)]
                data-required[field.required && is_ruled] {
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

    fn actions(&self, theme: &Theme, parts: &[Part], page: usize, seen: &Seen) -> Markup {
        let texts = self.texts();
        let ours = |key: &str| Worded {
            text: texts.say(key),
            lang: texts.locale(),
        };
        let owned = |text: &str| Worded {
            text: text.replace('\n', " "),
            lang: &self.published.form.locale,
        };
        let submit = match (&self.own, &theme.submit) {
            (Some(_), _) => ours("own-save"),
            (None, Some(owners)) => owned(owners),
            (None, None) => ours("form-submit"),
        };
        let last = parts.len() - 1;
        let is_last = self.is_last(seen, parts, page);
        let is_first = parts
            .iter()
            .take(page)
            .all(|part| self.is_empty(seen, part));
        let next = |at: usize| {
            let own = parts[at].after.and_then(|after| after.next_text);
            own.map_or_else(|| ours("form-next"), owned)
        };
        let back = |at: usize| {
            let own = parts[at].before.and_then(|before| before.previous_text);
            own.map_or_else(|| ours("form-back"), owned)
        };
        // One bar for all pages: the words of the others wait for the script.
        let forward: Vec<Worded> = (0..parts.len())
            .map(|at| if at < last { next(at) } else { submit.clone() })
            .collect();
        let backward: Vec<Worded> = (0..parts.len()).map(back).collect();
        let (forward_now, backward_now) =
            (&forward[if is_last { last } else { page }], &backward[page]);
        html! {
            div.actions {
                button.button #forward name="_action" value=(if is_last { "submit" } else { "next" })
                    lang=[self.said_in(forward_now)] data-langs=[self.langs(&forward)]
                    data-texts=(lines(forward.iter().map(|word| word.text.clone()))) {
                    (forward_now.text)
                }
                @if parts.len() > 1 {
                    button.button.quiet #backward name="_action" value="back" hidden[is_first]
                        lang=[self.said_in(backward_now)] data-langs=[self.langs(&backward)]
                        data-texts=(lines(backward.iter().map(|word| word.text.clone()))) {
                        (backward_now.text)
                    }
                }
                @if self.layout() == Layout::Card {
                    @let hint = |key: &str| texts.fill("form-press", &[("key", key.into())]);
                    span.press #hint aria-hidden="true" data-enter=(hint("Enter ↵")) data-area=(hint("Ctrl + Enter ↵")) {}
                }
            }
            (self.kept(&submit.text))
        }
    }

    /// The `lang` of a button, where its words are not in the page's own language.
    fn said_in<'w>(&self, word: &'w Worded) -> Option<&'w str> {
        self.texts().other(word.lang)
    }

    /// The languages of a button's words, for the script, where they are not all the page's own.
    fn langs(&self, words: &[Worded]) -> Option<String> {
        let differ = words.iter().any(|word| self.said_in(word).is_some());
        differ.then(|| lines(words.iter().map(|word| word.lang.to_owned())))
    }

    /// What becomes of what was typed. Which line holds depends on whether a script runs, and both
    /// take the same room.
    fn kept(&self, submit: &str) -> Markup {
        let texts = self.texts();
        let host = self.app.config.origin().split_once("://");
        let host = host.map_or("", |(_, host)| host);
        let args = [("host", host.into()), ("button", submit.into())];
        html! {
            p.kept #kept {
                span { bdi { (texts.fill("form-kept", &args)) } }
                @if self.kept_under().is_some() { span { bdi { (texts.fill("form-kept-here", &args)) } } }
            }
        }
    }

    /// How far the respondent has come: by pages, or by answers where there is one page.
    fn progress(&self, parts: &[Part], page: usize, has_bar: bool, seen: &Seen) -> Markup {
        let texts = self.texts();
        let name = has_bar.then(|| texts.say("form-progress"));
        let is_card = self.layout() == Layout::Card;
        let pages = parts.len();
        if pages > 1 {
            let labels = (0..pages).map(|at| self.page_label(at, pages));
            return html! {
                div.progress data-texts=(lines(labels)) {
                    @if has_bar { progress aria-label=[name] max=(pages) value=(page + 1) {} }
                    span role=[is_card.then_some("status")] { (self.page_label(page, pages)) }
                }
            };
        }
        let questions = || {
            parts[0]
                .fields
                .iter()
                .filter(|field| field.kind.has_value() && field.kind.computed().is_none())
                .filter(|field| !self.hides(seen, field))
        };
        let is_answered = |field: &&&Field| {
            let value = self.values.get(&field.api_code).unwrap_or(&Json::Null);
            !matches!(value, Json::Null) && value.as_array().is_none_or(|list| !list.is_empty())
        };
        let (answered, all) = (questions().filter(is_answered).count(), questions().count());
        let label = |answered: &str| {
            let all = i64::try_from(all).unwrap_or_default();
            texts.fill(
                "form-answered",
                &[("answered", answered.into()), ("all", all.into())],
            )
        };
        html! {
            @if has_bar && all > 0 {
                div.progress.answered data-answered=(label("%")) {
                    progress aria-label=[name] max=(all) value=(answered) {}
                    span { (label(&answered.to_string())) }
                }
            }
        }
    }

    fn page_label(&self, page: usize, pages: usize) -> String {
        let number = |at: usize| i64::try_from(at).unwrap_or_default();
        let key = match self.layout() {
            Layout::Pages => "form-page",
            Layout::Card => "form-card",
        };
        let args = [
            ("page", number(page + 1).into()),
            ("pages", number(pages).into()),
        ];
        self.texts().fill(key, &args)
    }

    /// What only a script says, in the form's language.
    fn words_of_the_script(&self) -> Markup {
        let texts = self.texts();
        html! {
            div.toast #toast role="status" {}
            template #when-offline {
                p { (texts.say("form-offline")) }
            }
            @if self.uploads().is_some() {
                template #when-uploading { p { (texts.say("form-uploading")) } }
                template #when-unsent { p { (texts.say("form-unsent")) } }
            }
            template #when-online {
                p { (texts.say("form-online")) }
                button.button.small type="button" { (texts.say("form-send-now")) }
            }
            @if self.kept_under().is_some() {
                template #when-restored {
                    p { (texts.say("form-restored")) }
                    button.button.quiet.small type="button" value="over" data-ask=(texts.say("form-start-over-sure")) {
                        (texts.say("form-start-over"))
                    }
                    button.button.quiet.small type="button" value="close" { (texts.say("form-close")) }
                }
            }
        }
    }
}

/// One fault among all of a page.
fn in_summary(label: &str, fault: &Fault, owners_lang: Option<&str>) -> Markup {
    let lang = owners_lang.filter(|_| !fault.field.label.is_empty());
    html! {
        @match lang { Some(lang) => span lang=(lang) { (label) }, None => (label) }
        " – "
        @match fault.lang { Some(lang) => span lang=(lang) { (fault.text) }, None => (fault.text) }
    }
}

/// One text a line, for the script.
fn lines(texts: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = texts.map(|text| text.replace('\n', " ")).collect();
    lines.join("\n")
}

/// What a button says, ours or the owner's.
#[derive(Clone)]
struct Worded<'w> {
    text: String,
    lang: &'w str,
}

/// Which fields are marked: the smaller number of the required and the others.
#[derive(Clone, Copy)]
struct Marks {
    optional: bool,
}

impl Marks {
    fn of(parts: &[Part]) -> Self {
        let fields = || {
            parts
                .iter()
                .flat_map(|part| &part.fields)
                .filter(|field| field.kind.has_value())
        };
        let required = fields().filter(|field| field.required).count();
        Self {
            optional: required * 2 >= fields().count(),
        }
    }

    /// The mark of a field, drawn also where a rule may make it right later.
    fn draw(self, field: &Field, required: bool, is_ruled: bool, texts: &Texts) -> Markup {
        let is_right = self.optional != required;
        let (name, id) = if self.optional {
            ("optional", "form-optional")
        } else {
            ("required", "form-required")
        };
        html! {
            @if field.kind.computed().is_none() && (is_right || is_ruled) {
                " " span.mark data-mark=[is_ruled.then_some(name)] hidden[!is_right] { (texts.say(id)) }
            }
        }
    }
}
