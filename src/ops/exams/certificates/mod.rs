//! Certificates of entries: a PDF at a signed link, made on request. The same entry gives the same bytes.

mod design;
pub mod extra_fonts;
mod issuer;
mod name_line;
mod ornament;
pub mod sample;

use std::sync::Arc;

use serde_json::json;

use crate::base::clock::{self, Time};
use crate::base::config::Config;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::secret::{Keys, Purpose};
use crate::base::text::phrase::phrase;
use crate::base::text::texts;
use crate::fields::display::local_date;
use crate::fields::kind::Cx;
use crate::fields::values::stored;
use crate::media::typeset::pdf::{self, Color, Head};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::settings::Certificate;

use crate::ops::app::App;
use crate::ops::entries::{Shape, after_submission};
use crate::ops::exams::certificates::design::{Code, Content, Fact, Text};
use crate::ops::exams::certificates::name_line::NameLine;
use crate::ops::queries::links as query_links;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::accounts::organizations;
use crate::store::{entries, forms};

/// Lifetime of a link, in seconds: that of links to files.
const LINK_SECS: i64 = 24 * 3600;
/// The colour of the frame if the form has none of its own.
const ACCENT: Color = [26, 54, 93];
/// Characters that a warning names.
const MOST_NAMED: usize = 20;
/// Letters of a file's name.
const MOST_NAME: usize = 80;

/// The address of an entry's certificate; `None` if it has none.
pub fn link(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Option<String> {
    let links = cx.files.links.filter(|_| parsed.settings.certificate.is_given(&entry.results))?;
    let (base, token) = (&links.base_url, entry.token.as_str());
    if let Some(row) = cx.files.row {
        let address = query_links::certificate(&links.keys, row, cx.now);
        return Some(format!("{base}{address}"));
    }
    Some(format!("{base}{}", signed_path(&links.keys, token, cx.now)))
}

/// The path of the certificate of the entry with this token.
pub(in crate::ops) fn signed_path(keys: &Keys, token: &str, now: Time) -> String {
    let expires = now.plus_secs(LINK_SECS).millis() / 1000;
    let signature = signature(keys, token, expires);
    format!("/certificates/{token}?expires={expires}&signature={signature}")
}

/// `x_field_certificate`: `{url}` or null.
pub fn link_value(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Json {
    link(parsed, entry, cx).map_or(Json::Null, |url| json!({"url": url}))
}

/// The JSON Schema of `x_field_certificate`.
pub fn schema() -> Json {
    json!({
        "anyOf": [
            {
                "type": "object",
                "properties": {"url": {"type": "string", "format": "uri"}},
                "required": ["url"],
            },
            {"type": "null"},
        ],
        "description": "The link to the certificate, which works for 24 hours; null if the entry has none. Absent if the form gives none.",
    })
}

fn signature(keys: &Keys, token: &str, expires: i64) -> String {
    let expires = expires.to_string();
    keys.sign(Purpose::CertificateLink, &[token.as_bytes(), expires.as_bytes()])
}

fn opens(keys: &Keys, token: &str, expires: &str, signed: &str, now: Time) -> bool {
    let parts = [token.as_bytes(), expires.as_bytes()];
    let is_ours = keys.verify(Purpose::CertificateLink, &parts, signed);
    let until = expires.parse::<i64>().ok();
    is_ours && until.is_some_and(|until| now.millis() / 1000 < until)
}

/// A certificate, as it is sent.
pub struct Document {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The certificate of a link.
///
/// # Errors
/// 403 for an invalid or expired link, 404 if the entry is gone or has none.
pub fn open(app: &App, token: &str, expires: &str, signature: &str) -> Result<Document> {
    if !opens(app.keys(), token, expires, signature, clock::now()) {
        return Err(Error::BadLink);
    }
    of_entry(app, token)
}

/// The certificate of an entry, for a caller with permission.
///
/// # Errors
/// 404 if the entry is gone or has none.
pub(in crate::ops) fn of_entry(app: &App, token: &str) -> Result<Document> {
    let found = app.store.read(|tx| {
        let Some(form_no) = entries::form_of(tx, token) else {
            return Ok(None);
        };
        if !forms::is_live(tx, form_no)? {
            return Ok(None);
        }
        let Some(entry) = entries::by_token(tx, form_no, token)? else {
            return Ok(None);
        };
        let form = forms::by_number(tx, form_no)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        let issuer = organizations::settings_of_owner(tx, form.owner)?;
        Ok(Some((form, parsed, entry, found, issuer)))
    })?;
    let found = found.filter(|(_, parsed, entry, ..)| parsed.settings.certificate.is_given(&entry.results));
    let (form, parsed, entry, found, issuer) = found.ok_or(Error::NotFound(Noun::Entry))?;
    // The certificate does not depend on the time of the request.
    let cx = parsed.cx_with(entry.created_at, true, &found);
    let (logo, issuer) = (issuer::logo(app, &issuer), issuer.name.clone());
    let content =
        Content { issuer, logo, ..content(&app.config, &form, &parsed, &parsed.settings.certificate, &entry, &cx) };
    drawn(app, &form, &entry, &content)
}

fn drawn(app: &App, form: &Form, entry: &Entry, content: &Content) -> Result<Document> {
    let pages = design::pages(app.exams.fonts(&app.config), content);
    let head =
        Head { title: content.title.clone(), language: form.locale.clone(), created_at: in_utc(entry.updated_at) };
    let title = content.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = title.chars().take(MOST_NAME).collect();
    Ok(Document { name: format!("{} {}.pdf", short.trim(), entry.serial), bytes: pdf::write(&head, &pages)? })
}

fn in_utc(at: Time) -> (u16, u8, u8, u8, u8, u8) {
    let at = at.timestamp().to_zoned(jiff::tz::TimeZone::UTC);
    let number = |number: i8| u8::try_from(number).unwrap_or_default();
    (
        u16::try_from(at.year()).unwrap_or_default(),
        number(at.month()),
        number(at.day()),
        number(at.hour()),
        number(at.minute()),
        number(at.second()),
    )
}

fn content(
    config: &Config,
    form: &Form,
    parsed: &Arc<ParsedForm>,
    certificate: &Certificate,
    entry: &Entry,
    cx: &Cx,
) -> Content {
    let texts = texts::texts(&form.locale);
    let title = after_submission::line(parsed, entry, cx, &certificate.title);
    let title = match title.trim() {
        "" => texts.say("certificate-title"),
        title => title.to_owned(),
    };
    let day = entry.created_at.timestamp().to_zoned(parsed.timezone.clone());
    let day = day.date().to_string();
    let address = address(config, form.token.as_str());
    let code = entry.results.gen_code.clone();
    let code = code.filter(|_| parsed.settings.verification_code.enabled);
    Content {
        issuer: String::new(),
        logo: None,
        signature: texts.say("certificate-signature"),
        form_name: form.name.clone(),
        title,
        body: body(parsed, certificate, entry, cx),
        date: Fact { label: texts.say("certificate-date"), text: local_date::alone(&day, &form.locale) },
        number: Fact { label: texts.say("certificate-number"), text: entry.serial.to_string() },
        code: code.map(|code| Code {
            address: format!("{address}?code={code}"),
            label: texts.say("certificate-code"),
            notes: texts.fill("certificate-verify", &[("address", address.as_str().into())]),
            text: code,
        }),
        accent: accent(&parsed.parts.theme).unwrap_or(ACCENT),
    }
}

/// The text, with the name apart.
fn body(parsed: &ParsedForm, certificate: &Certificate, entry: &Entry, cx: &Cx) -> Text {
    let filled = |template: &str| after_submission::line(parsed, entry, cx, template);
    let line = NameLine::of(parsed, &certificate.body);
    let apart = line.as_ref().and_then(|line| Some((line.around()?, name(line, entry, cx)?)));
    match apart {
        Some(((before, after), name)) => Text { before: filled(before), name: Some(name), after: filled(after) },
        None => Text { before: filled(&certificate.body), name: None, after: String::new() },
    }
}

fn name(line: &NameLine, entry: &Entry, cx: &Cx) -> Option<String> {
    let stored = stored::values(&entry.values).ok()?;
    let name = line.field.kind.text(stored.get(&line.field.api_code)?, cx);
    (!name.trim().is_empty()).then_some(name)
}

/// The name on an entry's certificate, masked: enough for others to see whose it is not. `None` if the entry has no
/// certificate, or the certificate has no name.
pub(in crate::ops) fn masked_name(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Option<String> {
    let line = NameLine::of(parsed, &parsed.settings.certificate.body)
        .filter(|_| parsed.settings.certificate.is_given(&entry.results))?;
    Some(line.field.kind.mask(&name(&line, entry, cx)?))
}

/// The page that checks codes of the form.
pub fn address(config: &Config, form_token: &str) -> String {
    format!("{}/f/{form_token}/verify", config.base_url)
}

/// The form's own colour.
fn accent(theme: &Json) -> Option<Color> {
    let digits = theme["primary_color"].as_str()?.strip_prefix('#')?;
    let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

/// The characters of an entry's certificate that no font has, and that are drawn as boxes; none if it has no
/// certificate.
pub fn unwritable(app: &App, form: &Form, shape: &Shape, entry: &Entry) -> Vec<char> {
    let parsed = &shape.parsed;
    if !parsed.settings.certificate.is_given(&entry.results) {
        return Vec::new();
    }
    let cx = shape.cx(entry.created_at);
    let Content { form_name, title, body, .. } =
        content(&app.config, form, parsed, &parsed.settings.certificate, entry, &cx);
    let texts = [form_name, title, body.before, body.name.unwrap_or_default(), body.after];
    app.exams.fonts(&app.config).missing(&texts.join(" "))
}

/// Warnings about characters that no font has, and that are drawn as boxes.
pub fn warnings(app: &App, form_name: &str, certificate: &Certificate) -> Vec<Issue> {
    // The form's name is drawn too.
    let name = if certificate.enabled { form_name } else { "" };
    let texts = [("title", certificate.title.as_str()), ("body", certificate.body.as_str()), ("enabled", name)];
    let missing = |text: &str| app.exams.fonts(&app.config).missing(text);
    texts
        .into_iter()
        .filter_map(|(key, text)| {
            let missing = missing(text);
            let mut named: Vec<String> =
                missing.iter().take(MOST_NAMED).map(|it| format!("{it} (U+{:04X})", u32::from(*it))).collect();
            if missing.len() > MOST_NAMED {
                named.push("…".to_owned());
            }
            let named = named.join(", ");
            let message = match key {
                "enabled" => phrase!("shows the form's name, which has characters that no font has: {}", named),
                _ => phrase!("has characters that no font has: {}", named),
            };
            let attribute = format!("certificate.{key}");
            (!missing.is_empty()).then(|| Issue::new(attribute, Reason::other(message)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_of_one_entry_and_ends() {
        let (keys, now) = (Keys::new([7; 32]), Time::from_millis(1_795_000_000_000));
        let until = now.plus_secs(LINK_SECS).millis() / 1000;
        let signed = signature(&keys, "token", until);
        let opens =
            |token: &str, expires: i64, signed: &str, now| opens(&keys, token, &expires.to_string(), signed, now);
        assert!(opens("token", until, &signed, now));
        assert!(opens("token", until, &signed, now.plus_secs(LINK_SECS - 1)));
        assert!(!opens("token", until, &signed, now.plus_secs(LINK_SECS)));
        assert!(!opens("other", until, &signed, now));
        assert!(!opens("token", until + 1, &signed, now));
        let as_file = keys.sign(Purpose::FileLink, &[b"token", until.to_string().as_bytes()]);
        assert!(!opens("token", until, &as_file, now));
    }

    #[test]
    fn a_theme_gives_its_colour() {
        let theme = serde_json::json!({"primary_color": "#1A2b3C"});
        assert_eq!(accent(&theme), Some([0x1a, 0x2b, 0x3c]));
        assert_eq!(accent(&Json::Null), None);
    }
}
