//! The form page: title, pages of fields, what is wrong, buttons. It draws what it is given and
//! decides nothing.

use std::sync::Arc;

use maud::{Markup, PreEscaped, html};
use serde_json::Map;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::texts::{self, Texts};
use crate::fields::Field;
use crate::fields::kind::{Cx, InputCx};
use crate::ops::App;
use crate::ops::published::Published;
use crate::ops::{settings, themes};
use crate::web::pages::layout::{Page, Shape, Tone, message};
use crate::web::pages::published::parts::{self, Part};
use crate::web::pages::published::sent::TRAP;
use crate::web::pages::published::{address, states, words};
use crate::web::pages::theme::Theme;
use crate::web::reply::Answer;

/// A form page about to be drawn. It owns what it needs, so that it can be drawn after a write failed.
pub struct Sheet {
    /// The service.
    pub app: Arc<App>,
    /// The form.
    pub published: Arc<Published>,
    /// What stands in the fields, by api_code, in the write shape.
    pub values: Map<String, Json>,
    /// The page to show, from 0.
    pub page: usize,
    /// When the page was loaded, signed.
    pub stamp: String,
    /// The name of the next sending.
    pub once: String,
    /// The form's password, sealed.
    pub grant: Option<String>,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// Whether it stands in another site's frame.
    pub is_embedded: bool,
    /// When the request came.
    pub now: Time,
}

/// What the page says above the fields.
#[derive(Default)]
pub struct Said {
    /// The answer's status.
    pub status: StatusCode,
    /// The faults, by the paths of the API.
    pub issues: Vec<Issue>,
    /// A message in a box: title and text.
    pub notice: Option<(Tone, String, String)>,
    /// Whether the form can't be sent now.
    pub is_shut: bool,
}

/// One fault, for people.
struct Fault<'f> {
    field: &'f Field,
    page: usize,
    text: String,
}

impl Sheet {
    /// The words of the form's language.
    pub fn texts(&self) -> &'static Texts {
        texts::texts(&self.published.form.locale)
    }

    /// The faults with the summary's title, for the script of the page.
    pub fn faults_json(&self, issues: &[Issue]) -> Json {
        let texts = self.texts();
        let parts = parts::split(&self.published.parsed.definition.fields);
        let faults = self.faults(&parts, issues);
        let shown: Json = faults
            .iter()
            .map(|fault| {
                serde_json::json!({
                    "field": fault.field.api_code,
                    "label": name_of(texts, fault.field),
                    "text": fault.text,
                })
            })
            .collect();
        serde_json::json!({"title": faults_title(texts, faults.len()), "faults": shown})
    }

    /// The page that holds the first of these faults.
    pub fn page_of(&self, issues: &[Issue]) -> Option<usize> {
        let parts = parts::split(&self.published.parsed.definition.fields);
        let faults = self.faults(&parts, issues);
        faults.iter().map(|fault| fault.page).min()
    }

    /// Only the faults of this page's fields.
    pub fn of_page(&self, issues: Vec<Issue>, page: usize) -> Vec<Issue> {
        let parts = parts::split(&self.published.parsed.definition.fields);
        issues
            .into_iter()
            .filter(|issue| {
                field_of(issue).is_some_and(|code| parts::page_of(&parts, code) == page)
            })
            .collect()
    }

    fn faults<'f>(&self, parts: &[Part<'f>], issues: &[Issue]) -> Vec<Fault<'f>> {
        let texts = self.texts();
        let mut out: Vec<Fault> = Vec::new();
        for (page, part) in parts.iter().enumerate() {
            for field in &part.fields {
                let own = issues
                    .iter()
                    .find(|issue| field_of(issue) == Some(&field.api_code));
                if let Some(issue) = own {
                    out.push(Fault {
                        field,
                        page,
                        text: words::fault(texts, &issue.message),
                    });
                }
            }
        }
        out
    }

    /// The answer.
    pub fn answer(&self, said: &Said) -> Answer {
        let form = &self.published.form;
        let texts = self.texts();
        let theme = Theme::of(&themes::shown(&self.published.parsed.parts.theme));
        let parts = parts::split(&self.published.parsed.definition.fields);
        let faults = self.faults(&parts, &said.issues);
        let title = if faults.is_empty() {
            form.name.clone()
        } else {
            texts.fill("form-title-faults", &[("title", form.name.as_str().into())])
        };
        let mut page = Page::new(&self.app.config, texts, Shape::Form, &title)
            .lang(&form.locale)
            .theme(&theme)
            .embedded(self.is_embedded)
            .script("form.js");
        if self.is_embedded {
            page = page.script("embed.js");
        }
        let mut answer = page.answer(said.status, &self.content(&theme, &parts, &faults, said));
        // Nothing in it is secret: what was typed comes back to whoever typed it, over their own line.
        answer.may_compress = self.grant.is_none();
        answer
    }

    fn content(&self, theme: &Theme, parts: &[Part], faults: &[Fault], said: &Said) -> Markup {
        let form = &self.published.form;
        let texts = self.texts();
        let page = self.page.min(parts.len() - 1);
        let options = settings::submission_options(&self.published.parsed.parts.settings);
        html! {
            @if !self.is_embedded {
                header.form-head {
                    @if let Some(header) = &theme.header { p.banner { bdi { (header) } } }
                    h1 { bdi { (form.name) } }
                    @if let Some(text) = form.description.as_deref().filter(|text| !text.trim().is_empty()) {
                        p.description { (text) }
                    }
                }
            }
            @if let Some((tone, title, text)) = &said.notice {
                div.before-form { (message(*tone, title, text)) }
            }
            (self.summary(page, faults))
            @if !said.is_shut {
                (states::closing(&self.published, texts, self.now))
            }
            form #form method="post" action=(self.action()) novalidate data-page=(page)
                data-pages=(parts.len()) data-offline=(texts.say("form-offline")) {
                (self.own_inputs(page))
                @if parts.len() > 1 || options["show_progress"] == true { (progress(texts, page, parts.len())) }
                (self.pages(parts, page, faults, options["show_field_number"] == true))
                @if !said.is_shut { (self.actions(theme, parts, page)) }
            }
        }
    }

    fn action(&self) -> String {
        let path = address(&self.app.config, self.published.form.token.as_str());
        if self.is_embedded {
            format!("{path}?embed=1")
        } else {
            path
        }
    }

    fn own_inputs(&self, page: usize) -> Markup {
        let texts = self.texts();
        html! {
            input type="hidden" name="_page" value=(page);
            input type="hidden" name="_time" value=(self.stamp);
            input type="hidden" name="_once" value=(self.once);
            @if let Some(grant) = &self.grant { input type="hidden" name="_grant" value=(grant); }
            @if let Some(x) = &self.x_field_1 { input type="hidden" name="x_field_1" value=(x); }
            div.trap aria-hidden="true" {
                label for=(TRAP) { (texts.say("form-trap")) }
                input id=(TRAP) name=(TRAP) type="text" tabindex="-1" autocomplete="off";
            }
        }
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
                                            (label) ": " (fault.text)
                                        }
                                    } @else {
                                        @let number = i64::try_from(fault.page + 1).unwrap_or_default();
                                        (label) ": " (fault.text) " "
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

    fn pages(&self, parts: &[Part], page: usize, faults: &[Fault], numbered: bool) -> Markup {
        let texts = self.texts();
        let cx = self.published.parsed.cx(self.now, true);
        let marks = Marks::of(parts);
        let mut number = 0;
        html! {
            @for (at, part) in parts.iter().enumerate() {
                @let label = (parts.len() > 1).then(|| page_label(texts, at, parts.len()));
                section.page hidden[at != page] data-page=(at) tabindex=[label.is_some().then_some("-1")]
                    aria-label=[label] {
                    @for field in &part.fields {
                        @if field.kind.has_value() {
                            @let fault = faults.iter().find(|fault| fault.field.api_code == field.api_code);
                            @let counted = { number += 1; numbered.then_some(number) };
                            (self.field(field, &cx, marks, fault.map(|fault| fault.text.as_str()), counted))
                        } @else {
                            (self.text_block(field, &cx))
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
        fault: Option<&str>,
        number: Option<usize>,
    ) -> Markup {
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
            value: self.values.get(code).unwrap_or(&null),
            required: field.required,
            placeholder: field.placeholder.as_deref(),
            invalid: fault.is_some(),
            described_by: &described,
            texts,
            cx,
        });
        let label = html! {
            @if let Some(number) = number { span.number { (number) "." } }
            bdi { (field.label) }
            @if let Some(mark) = marks.of_field(field) { " " span.mark { (texts.say(mark)) } }
        };
        let notes = html! {
            @if let Some(notes) = &field.notes {
                div.notes.rich id={ (code) "-notes" } { (PreEscaped(notes)) }
            }
        };
        let fault = html! {
            @if let Some(text) = fault { p.fault id={ (code) "-fault" } { (text) } }
        };
        let wrong = !fault.0.is_empty();
        html! {
            div.field.wrong[wrong] data-field=(code) {
                @if field.kind.is_group() {
                    fieldset aria-describedby=[(!described.is_empty()).then_some(&described)] {
                        legend.label { (label) }
                        (notes) (fault) (input)
                    }
                } @else {
                    label.label for=(code) { (label) }
                    (notes) (fault) (input)
                }
            }
        }
    }

    /// A field without a value: text between the questions.
    fn text_block(&self, field: &Field, cx: &Cx) -> Markup {
        let input = field.kind.input(&InputCx {
            name: &field.api_code,
            label: &field.label,
            value: &Json::Null,
            required: false,
            placeholder: None,
            invalid: false,
            described_by: "",
            texts: self.texts(),
            cx,
        });
        html! {
            div.field data-field=(field.api_code) {
                @if !field.label.is_empty() { h2.block-title { bdi { (field.label) } } }
                @if let Some(notes) = &field.notes { div.notes.rich { (PreEscaped(notes)) } }
                (input)
            }
        }
    }

    fn actions(&self, theme: &Theme, parts: &[Part], page: usize) -> Markup {
        let texts = self.texts();
        let submit = theme
            .submit
            .clone()
            .unwrap_or_else(|| texts.say("form-submit"));
        let last = parts.len() - 1;
        let next = |at: usize| {
            let own = parts[at].after.and_then(|after| after.next_text);
            own.map_or_else(|| texts.say("form-next"), str::to_owned)
        };
        let back = |at: usize| {
            let own = parts[at].before.and_then(|before| before.previous_text);
            own.map_or_else(|| texts.say("form-back"), str::to_owned)
        };
        // One bar for all pages: the words of the others wait for the script. Enter presses the first
        // button, which leads on.
        let forward = (0..parts.len()).map(|at| if at < last { next(at) } else { submit.clone() });
        let backward = (0..parts.len()).map(back);
        html! {
            div.actions {
                button.button #forward name="_action" value=(if page < last { "next" } else { "submit" })
                    data-texts=(lines(forward.clone())) {
                    (forward.clone().nth(page).unwrap_or_default())
                }
                @if parts.len() > 1 {
                    button.button.quiet #backward name="_action" value="back" hidden[page == 0]
                        data-texts=(lines(backward.clone())) {
                        (backward.clone().nth(page).unwrap_or_default())
                    }
                }
            }
            @let host = self.app.config.origin().split_once("://").map_or("", |(_, host)| host);
            p.kept { bdi { (texts.fill("form-kept", &[("host", host.into()), ("button", submit.as_str().into())])) } }
        }
    }
}

fn faults_title(texts: &Texts, count: usize) -> String {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    texts.fill("form-faults", &[("count", count.into())])
}

fn progress(texts: &Texts, page: usize, pages: usize) -> Markup {
    let label = page_label(texts, page, pages);
    html! {
        div.progress data-texts=(lines((0..pages).map(|at| page_label(texts, at, pages)))) {
            progress aria-label=(texts.say("form-progress")) max=(pages) value=(page + 1) {}
            span { (label) }
        }
    }
}

/// One text a line, for the script.
fn lines(texts: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = texts.map(|text| text.replace('\n', " ")).collect();
    lines.join("\n")
}

fn page_label(texts: &Texts, page: usize, pages: usize) -> String {
    let number = |at: usize| i64::try_from(at).unwrap_or_default();
    texts.fill(
        "form-page",
        &[
            ("page", number(page + 1).into()),
            ("pages", number(pages).into()),
        ],
    )
}

/// The api_code that an issue's path begins with, below `field_values`.
fn field_of(issue: &Issue) -> Option<&str> {
    let rest = issue.attribute.strip_prefix("field_values.")?;
    rest.split(['.', '[']).next()
}

fn name_of(texts: &Texts, field: &Field) -> String {
    if field.label.is_empty() {
        texts.say("form-unnamed")
    } else {
        field.label.clone()
    }
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

    fn of_field(self, field: &Field) -> Option<&'static str> {
        match (self.optional, field.required) {
            (true, false) => Some("form-optional"),
            (false, true) => Some("form-required"),
            _ => None,
        }
    }
}
