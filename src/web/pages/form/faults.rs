//! The faults of a form page, for people and for the page's script: which field, on which page, in the form's words.

use serde_json::Map;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::texts::{self, Texts};
use crate::fields::Field;
use crate::fields::kind::{Ask, Cx, ShownFault};
use crate::web::pages::form::answer_messages::{self, Telling};
use crate::web::pages::form::form_view::FilledForm;
use crate::web::pages::form::pagination::{self, FormPage};

/// One fault, for people.
pub struct FieldFault<'f> {
    /// Which field.
    pub field: &'f Field,
    /// On which page.
    pub page: usize,
    /// The message.
    pub text: String,
    /// The language of that, where it is the owner's and not the page's.
    pub lang: Option<&'f str>,
    /// Faults inside the value, by paths from the value on, in the form's words.
    pub inside: Vec<ShownFault>,
    /// Lines of the summary for it.
    pub lines: Vec<FaultLine>,
}

/// One line of the summary: the answer, or a part of it.
pub struct FaultLine {
    /// The name of the part.
    pub label: String,
    pub text: String,
    /// The path from the value on; empty for the answer itself.
    pub at: String,
    /// The id of the control, after the field's.
    pub control: String,
}

impl FilledForm {
    /// Of these faults, those of fields that rules don't hide.
    pub fn shown_issues(&self, issues: &[Issue]) -> Vec<Issue> {
        if issues.is_empty() {
            return Vec::new();
        }
        let fields = &self.published.parsed.definition.fields;
        let is_shown = |issue: &&Issue| {
            let field = field_of(issue).and_then(|code| fields.get(code));
            field.is_some_and(|field| !self.hides(field))
        };
        issues.iter().filter(is_shown).cloned().collect()
    }

    /// The title of the browser's tab while something is wrong.
    pub fn title_with_faults(&self) -> String {
        let name = self.published.form.name.as_str();
        let args = [("title", name.into())];
        self.texts().fill("form-title-faults", &args)
    }

    /// The faults with the summary's title, for the script of the page.
    pub fn faults_json(&self, issues: &[Issue]) -> Json {
        let parts = self.parts();
        let faults = self.faults(&parts, issues);
        let mut told = ForScript::of(self.texts(), self.owners_lang(), self.published.form.versions.form);
        for field in parts.iter().flat_map(|part| &part.fields) {
            told.add(field, self.hides(field), self.value(field), &self.cx());
        }
        told.json(&faults)
    }

    /// The page that holds the first of these faults.
    pub fn page_of(&self, issues: &[Issue]) -> Option<usize> {
        let parts = self.parts();
        let faults = self.faults(&parts, issues);
        faults.iter().map(|fault| fault.page).min()
    }

    /// The fields of these paths.
    pub fn fields_of(&self, attributes: &[String]) -> Vec<&str> {
        let fields = self.published.parsed.definition.fields.iter();
        let is_named = |code: &str| attributes.iter().any(|it| code_of(it) == Some(code));
        let named = fields.filter(|field| is_named(&field.api_code));
        named.map(|field| field.api_code.as_str()).collect()
    }

    /// Only the faults of this page's fields.
    pub fn of_page(&self, issues: Vec<Issue>, page: usize) -> Vec<Issue> {
        let parts = self.parts();
        issues
            .into_iter()
            .filter(|issue| field_of(issue).is_some_and(|code| pagination::page_of(&parts, code) == page))
            .collect()
    }

    pub fn faults<'f>(&'f self, parts: &[FormPage<'f>], issues: &[Issue]) -> Vec<FieldFault<'f>> {
        let texts = self.texts();
        let mut out: Vec<FieldFault> = Vec::new();
        for (page, part) in parts.iter().enumerate() {
            for field in &part.fields {
                let locale = &self.published.form.locale;
                let value = self.values.get(&field.api_code);
                let has_edit_link = self.published.may_edit_later();
                let Some(said) = said_of(field, value, issues, texts, locale, has_edit_link) else {
                    continue;
                };
                out.push(said.at(field, page, texts, self.owners_lang()));
            }
        }
        out
    }
}

/// The answer to the script of a page: faults, questions that rules hide, results of formulas.
pub struct ForScript<'f> {
    texts: &'f Texts,
    owners_lang: Option<&'f str>,
    version: i64,
    hidden: Vec<&'f str>,
    outputs: Map<String, Json>,
}

impl<'f> ForScript<'f> {
    /// Of a page of this version of the form.
    pub fn of(texts: &'f Texts, owners_lang: Option<&'f str>, version: i64) -> Self {
        Self { texts, owners_lang, version, hidden: Vec::new(), outputs: Map::new() }
    }

    /// Adds a field that stands on the page.
    pub fn add(&mut self, field: &'f Field, is_hidden: bool, value: Option<&Json>, cx: &Cx) {
        if is_hidden {
            self.hidden.push(&field.api_code);
        }
        if field.kind.computed().is_some() {
            let lines = value.map_or_else(Vec::new, |value| field.kind.lines(value, cx));
            self.outputs.insert(field.api_code.clone(), lines.join(", ").into());
        }
    }

    pub fn json(self, faults: &[FieldFault]) -> Json {
        serde_json::json!({
            "version": self.version,
            "titles": faults_titles(self.texts, faults.len()),
            "lang": self.owners_lang,
            "faults": faults.iter().map(FieldFault::json).collect::<Json>(),
            "hidden": self.hidden,
            "outputs": self.outputs,
        })
    }
}

impl FieldFault<'_> {
    fn json(&self) -> Json {
        let line = |line: &FaultLine| serde_json::json!({"at": line.at, "label": line.label, "text": line.text});
        serde_json::json!({
            "field": self.field.api_code,
            "text": self.text,
            "lang": self.lang,
            "inside": self.inside.iter().filter(|inner| !inner.path.is_empty()).map(inside_json).collect::<Json>(),
            "lines": self.lines.iter().map(line).collect::<Json>(),
        })
    }
}

/// The faults of one field, in the form's words.
pub struct FieldFaults {
    /// Whether the first of them is the owner's message.
    pub is_owners: bool,
    /// At least one, by paths from the value on.
    pub inside: Vec<ShownFault>,
}

impl FieldFaults {
    /// As they are shown at their field.
    pub fn at<'f>(self, field: &'f Field, page: usize, texts: &Texts, owners_lang: Option<&'f str>) -> FieldFault<'f> {
        FieldFault {
            field,
            page,
            text: self.text(texts),
            lang: owners_lang.filter(|_| self.is_owners),
            lines: self.lines(&name_of(texts, field), texts),
            inside: self.inside,
        }
    }

    /// The message at the field itself: the first fault, with the part that it is about.
    pub fn text(&self, texts: &Texts) -> String {
        let first = &self.inside[0];
        match &first.part {
            Some(part) => {
                let args = [("part", text::capitalized(&part.label).into()), ("text", first.text.as_str().into())];
                texts.fill("fault-in-part", &args)
            }
            None => first.text.clone(),
        }
    }

    /// The lines of the summary for an answer of this name: each part with a name by itself, else the first fault
    /// alone.
    pub fn lines(&self, name: &str, texts: &Texts) -> Vec<FaultLine> {
        let line = |fault: &ShownFault| {
            let (label, control) = match &fault.part {
                Some(part) => (part_of(name, &part.label, texts), part.control.clone()),
                None => (name.to_owned(), String::new()),
            };
            let at = if fault.part.is_some() { fault.path.clone() } else { String::new() };
            FaultLine { label, text: fault.text.clone(), at, control }
        };
        let (first, others) = self.inside.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        first.into_iter().chain(others.iter().filter(|fault| fault.part.is_some())).map(line).collect()
    }
}

/// A part of an answer: `Address, postal code`, `What may we pack? Tea, quantity`.
fn part_of(name: &str, part: &str, texts: &Texts) -> String {
    match texts::own_mark(name) {
        Some(blank) => format!("{name}{blank}{}", text::capitalized(part)),
        None => texts.fill("fault-part", &[("field", name.into()), ("part", part.into())]),
    }
}

/// The faults of a field among those of an entry, by the paths of the API. `value` is the posted write shape;
/// `has_edit_link` says whether respondents got a link that changes their answers.
pub fn said_of(
    field: &Field,
    value: Option<&Json>,
    issues: &[Issue],
    texts: &Texts,
    locale: &str,
    has_edit_link: bool,
) -> Option<FieldFaults> {
    let of_field = |issue: &&Issue| field_of(issue) == Some(&field.api_code);
    let mut own = issues.iter().filter(of_field).peekable();
    let first = own.peek()?;
    let types = file_types(field, texts);
    let telling = Telling { locale, types: types.as_deref(), field_type: field.row.name, has_edit_link };
    let is_owners = matches!(first.reason, Reason::Owners(_)) && path_inside(first, &field.api_code).is_empty();
    let inside = own.map(|issue| {
        let path = path_inside(issue, &field.api_code);
        let part = field.kind.part(path, value.unwrap_or(&Json::Null), texts);
        let ask = part.as_ref().filter(|_| issue.reason == Reason::Blank).map_or(Ask::Answer, |part| part.ask);
        let text = match ask {
            Ask::Answer => answer_messages::message(texts, &issue.reason, telling),
            Ask::Enter => texts.say("fault-blank-enter"),
            Ask::Choose => texts.say("fault-blank-choose"),
        };
        ShownFault { path: path.to_owned(), text, is_joined: issue.reason == Reason::NoCoordinates, part }
    });
    Some(FieldFaults { is_owners, inside: inside.collect() })
}

/// The types of files that a field or its first column of files takes, for people.
fn file_types(field: &Field, texts: &Texts) -> Option<String> {
    let mut all = std::iter::once(field).chain(field.kind.sub_fields());
    all.find_map(|field| field.kind.file_rules())?.types_in(texts)
}

/// A fault inside a value, for the script of the page.
fn inside_json(fault: &ShownFault) -> Json {
    let mut json = serde_json::json!({"at": fault.path, "text": fault.text});
    if fault.is_joined {
        json["joined"] = true.into();
    }
    json
}

/// The api_code that an issue's path begins with, below `field_values`.
fn field_of(issue: &Issue) -> Option<&str> {
    code_of(&issue.attribute)
}

fn code_of(attribute: &str) -> Option<&str> {
    let rest = attribute.strip_prefix("field_values.")?;
    rest.split(['.', '[']).next()
}

/// The path of an issue from the value of its field on; empty for the value itself.
fn path_inside<'i>(issue: &'i Issue, api_code: &str) -> &'i str {
    let start = "field_values.".len() + api_code.len();
    issue.attribute.get(start..).unwrap_or_default()
}

/// The summary's title with one fault, with two, and so on: corrected faults are no longer counted.
pub fn faults_titles(texts: &Texts, count: usize) -> Vec<String> {
    let title = |count| {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        texts.fill("form-faults", &[("count", count.into())])
    };
    (1..=count).map(title).collect()
}

/// The name of a fault's field.
pub fn name_of(texts: &Texts, field: &Field) -> String {
    if field.label.is_empty() { texts.say("form-unnamed") } else { field.label.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_follows_its_question() {
        for (locale, name, part, shown) in [
            ("en", "Address", "postal code", "Address, postal code"),
            ("en", "What may we pack?", "tea, quantity", "What may we pack? Tea, quantity"),
            ("zh-CN", "地址", "邮编", "地址：邮编"),
            ("zh-CN", "您要什么？", "数量", "您要什么？数量"),
        ] {
            assert_eq!(part_of(name, part, texts::texts(locale)), shown);
        }
    }
}
