//! A value of a row as visitors see it: text, links to files, a signature, a web address.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::fields::files::draw::size_words;
use crate::ops::queries::search::Value;
use crate::ops::queries::visit::Column;
use crate::web::pages::query::frame::QueryPage;

/// Draws it.
pub fn draw(page: &QueryPage, column: &Column, value: &Value) -> Markup {
    let texts = page.texts;
    let origin = page.call.app.config.origin();
    // Our own addresses are the same page's.
    let own = |url: &str| url.strip_prefix(origin).unwrap_or(url).to_owned();
    let lang = page.owners_lang();
    let type_name = column.field.type_name();
    if column.field.is_certificate()
        && let Some(url) = value.json["url"].as_str()
    {
        return html! { a href=(own(url)) download { (texts.say("query-certificate")) } };
    }
    let has_files = column.field.kind().has_files();
    if has_files && let Some(url) = value.json.as_str() {
        return html! {
            a.query-signature href=(own(url)) {
                img src=(own(url)) alt=(texts.say("query-signature")) loading="lazy" decoding="async";
            }
        };
    }
    let files = files(&value.json);
    if has_files && !files.is_empty() {
        return html! {
            ul.query-files {
                @for file in files {
                    li {
                        a href=(own(file["url"].as_str().unwrap_or_default())) {
                            bdi { (file["name"].as_str().unwrap_or_default()) }
                        }
                        @if let Some(bytes) = file["file_size"].as_u64() {
                            " " span.muted { (size_words(bytes, texts)) }
                        }
                    }
                }
            }
        };
    }
    match value.lines.as_slice() {
        [] => html! {
            span.muted { span aria-hidden="true" { "–" } span.visually-hidden { (texts.say("receipt-blank")) } }
        },
        [line] if column.field.is_masked(column.rule.protected) => html! {
            bdi { (line) } span.visually-hidden { " " (texts.say("query-masked")) }
        },
        [line] if type_name == "url" && is_web(line) => html! {
            a href=(line) rel="nofollow noopener noreferrer" dir="ltr" { (line) }
        },
        [line] => html! { span.lines dir="auto" lang=[lang] { (line) } },
        lines => html! {
            ul { @for line in lines { li.lines dir="auto" lang=[lang] { (line) } } }
        },
    }
}

/// Files in a value: a list of them, or one.
fn files(value: &Json) -> Vec<&Json> {
    let is_file = |file: &&Json| file["url"].is_string();
    match value {
        Json::Array(files) => files.iter().filter(is_file).collect(),
        one => Some(one).filter(is_file).into_iter().collect(),
    }
}

/// No other scheme becomes a link.
fn is_web(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    address.starts_with("https://") || address.starts_with("http://")
}
