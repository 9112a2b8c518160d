//! `/docs`: the API's description as pages, rendered from the same document that programs read. They need no script
//! and say nothing that the document does not.

mod page;
mod schema;

use maud::{Markup, PreEscaped, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::base::text::texts;
use crate::web::assets;
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// A group of operations, which has a page of its own.
struct Section<'a> {
    slug: String,
    title: &'a str,
    text: &'a str,
}

/// `GET /docs`
pub fn index(call: &Call) -> Result<Reply> {
    let document = &call.site.description.document;
    let content = page::start(document, &call.app.config.base_url);
    Ok(page_reply(call, document, "", "API", &content))
}

/// `GET /docs/{section}`
pub fn section(call: &Call) -> Result<Reply> {
    let document = &call.site.description.document;
    let slug = call.param("section");
    if slug == "kinds" {
        return Ok(page_reply(call, document, slug, "Field types", &page::kinds(document)));
    }
    if slug == "errors" {
        return Ok(page_reply(call, document, slug, "Errors", &page::errors(document)));
    }
    let sections = sections(document);
    let found = sections.iter().find(|section| section.slug == slug);
    let found = found.ok_or(Error::NotFound(Noun::Page))?;
    let content = page::operations(document, found, &call.app.config.base_url);
    Ok(page_reply(call, document, slug, found.title, &content))
}

/// The groups of operations.
fn sections(document: &Json) -> Vec<Section<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| {
        let title = tag["name"].as_str().unwrap_or_default();
        let words: Vec<String> = title
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        Section { slug: words.join("-"), title, text: tag["description"].as_str().unwrap_or_default() }
    })
    .collect()
}

/// The operations of a group: method, path and operation.
fn operations_of<'a>(document: &'a Json, tag: &str) -> Vec<(&'a str, &'a str, &'a Json)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, item)| {
            let item = item.as_object().into_iter().flatten();
            item.map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
        })
        .filter(|(_, _, operation)| operation["tags"][0] == tag)
        .collect()
}

fn page_reply(call: &Call, document: &Json, slug: &str, title: &str, content: &Markup) -> Reply {
    let config = &call.app.config;
    let base = config.base_path();
    let header = html! {
        header.site-head {
            nav aria-label="formsvc" {
                a.brand href={ (base) "/docs" } {
                    img src=(assets::address(config, "icon.svg")) alt="" width="24" height="24";
                    "formsvc API"
                }
                a href={ (base) "/api/v1/openapi.json" } { "openapi.json" }
            }
        }
    };
    let current = |of: &str| (of == slug).then_some("page");
    let content = html! {
        div.docs {
            nav.docs-nav aria-label="Sections" tabindex="0" {
                // Collapsed on phones; on wide screens the stylesheet shows it beside the text.
                details {
                    summary { "Contents" }
                    ul {
                        li { a href={ (base) "/docs" } aria-current=[current("")] { "Start" } }
                        @for section in sections(document) {
                            li {
                                a href={ (base) "/docs/" (section.slug) } aria-current=[current(&section.slug)] { (section.title) }
                                @if section.slug == slug {
                                    ul {
                                        @for (_, _, operation) in operations_of(document, section.title) {
                                            li { a href={ "#" (text(&operation["operationId"])) } { (text(&operation["summary"])) } }
                                        }
                                    }
                                }
                            }
                        }
                        li { a href={ (base) "/docs/kinds" } aria-current=[current("kinds")] { "Field types" } }
                        li { a href={ (base) "/docs/errors" } aria-current=[current("errors")] { "Errors" } }
                    }
                }
            }
            div.docs-text { (content) }
        }
    };
    let mut answer = Page::new(config, texts::texts("en"), PageShape::Docs, title)
        .style("docs.css")
        .header(header)
        .answer(StatusCode::OK, &content);
    answer.may_compress = true;
    answer.into()
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

/// Resolves a reference to its target and name; else the value itself.
fn resolve<'a>(document: &'a Json, value: &'a Json) -> (&'a Json, Option<&'a str>) {
    let Some(to) = value.get("$ref").and_then(Json::as_str) else {
        return (value, None);
    };
    let found = document.pointer(to.trim_start_matches('#'));
    (found.unwrap_or(value), to.rsplit('/').next())
}

/// Renders Markdown of the document: paragraphs, lists and `code`.
fn prose(text: &str) -> Markup {
    html! {
        @for block in text.split("\n\n") {
            @let (items, lines): (Vec<&str>, Vec<&str>) = block.lines().partition(|line| line.starts_with("- "));
            @if !lines.is_empty() { p { (inline(&lines.join(" "))) } }
            @if !items.is_empty() {
                ul { @for item in items { li { (inline(&item[2..])) } } }
            }
        }
    }
}

/// Renders `code` in a sentence.
fn inline(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Pretty-printed JSON.
fn code(value: &Json) -> Markup {
    html! { pre tabindex="0" { code { (pretty(value)) } } }
}

fn pretty(value: &Json) -> String {
    format!("{value:#}")
}

/// Allows line breaks in a long path.
fn breakable(path: &str) -> Markup {
    html! {
        @for part in path.split_inclusive('/') { (part) (PreEscaped("<wbr>")) }
    }
}

/// The example request as a `curl` command.
fn curl(base: &str, method: &str, path: &str, (document, operation): (&Json, &Json)) -> String {
    let required = |place: &str| -> Vec<&str> {
        let all = operation["parameters"].as_array().into_iter().flatten();
        let all = all.map(|parameter| resolve(document, parameter).0);
        let needed = all.filter(|it| it["in"] == place && it["required"] == json!(true));
        needed.map(|it| text(&it["name"])).collect()
    };
    let mut path = path.replace("{form_token}", "$FORM").replace("{serial_number}", "1");
    for (at, name) in required("query").iter().enumerate() {
        path.push(if at == 0 { '?' } else { '&' });
        path.push_str(&format!("{name}=${}", name.to_uppercase()));
    }
    let mut lines = vec![format!("curl \"{base}{path}\"")];
    if method != "get" {
        lines[0] = format!("curl -X {} \"{base}{path}\"", method.to_uppercase());
    }
    let needs_token = operation["security"][0].get("bearer").is_some();
    if needs_token {
        lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    for name in required("header") {
        let variable = name.trim_start_matches("X-").replace('-', "_");
        lines.push(format!("-H \"{name}: ${}\"", variable.to_uppercase()));
    }
    let content = &operation["requestBody"]["content"];
    let example = &content["application/json"]["example"];
    let mut kinds = content.as_object().into_iter().flatten().map(|(kind, _)| kind);
    let is_file = content.get("application/json").is_none();
    if let Some(kind) = kinds.next().filter(|_| is_file) {
        lines.push(format!("-H 'Content-Type: {kind}'"));
        lines.push("--data-binary @FILE".to_owned());
    }
    if *example != json!(null) {
        lines.push("-H 'Content-Type: application/json'".to_owned());
        lines.push(format!("-d '{}'", pretty(example).replace('\'', r"'\''")));
    }
    lines.join(" \\\n  ")
}
