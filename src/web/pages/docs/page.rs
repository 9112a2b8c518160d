//! The contents of the pages: the start page, a group of operations, the field types, the errors.

use maud::{Markup, html};
use serde_json::json;

use crate::base::json::Json;
use crate::web::openapi::words;
use crate::web::pages::docs::schema::{kind, table};
use crate::web::pages::docs::{Section, breakable, code, curl, inline, operations_of, prose, resolve, sections, text};

/// Introduction and list of all operations.
pub fn start(document: &Json, base: &str) -> Markup {
    let bearer = &document["components"]["securitySchemes"]["bearer"];
    html! {
        h1 { "The API" }
        p.lead { (text(&document["info"]["summary"])) }
        (prose(text(&document["info"]["description"])))
        h2 { "Tokens and scopes" }
        (prose(text(&bearer["description"])))
        (prose(text(&document["components"]["securitySchemes"]["oauth2"]["description"])))
        pre tabindex="0" { code { "export TOKEN=fsv_…\ncurl \"" (base) "/api/v1/me\" \\\n  -H \"Authorization: Bearer $TOKEN\"" } }
        div.table-wrap tabindex="0" {
            table.table {
                thead { tr { th { "Scope" } th { "Allows" } } }
                tbody {
                    @for (scope, allows) in bearer["x-scopes"].as_object().into_iter().flatten() {
                        tr { td { code { (scope) } } td { (text(allows)) } }
                    }
                }
            }
        }
        h2 { "Operations" }
        @for section in sections(document) {
            h3 { a href={ "docs/" (section.slug) } { (section.title) } }
            p.muted { (section.text) }
            ul.operations {
                @for (method, path, operation) in operations_of(document, section.title) {
                    li {
                        a href={ "docs/" (section.slug) "#" (text(&operation["operationId"])) } {
                            (badge(method)) " " code { (breakable(path)) }
                        }
                        span.muted { (text(&operation["summary"])) }
                    }
                }
            }
        }
    }
}

fn badge(method: &str) -> Markup {
    html! { span class={ "method " (method) } { (method.to_uppercase()) } }
}

pub fn operations(document: &Json, section: &Section, base: &str) -> Markup {
    html! {
        h1 { (section.title) }
        p.lead { (section.text) }
        @for (method, path, operation) in operations_of(document, section.title) {
            section.operation id=(text(&operation["operationId"])) tabindex="-1" {
                h2 { (text(&operation["summary"])) }
                p.call-line { (badge(method)) " " code { (breakable(path)) } }
                (prose(text(&operation["description"])))
                p.small { (access(operation)) }
                (parameters(document, operation))
                (body(document, operation))
                (answers(document, operation))
                h3 { "Example" }
                pre tabindex="0" { code { (curl(base, method, path, (document, operation))) } }
            }
        }
    }
}

fn access(operation: &Json) -> Markup {
    let security = operation["security"].as_array().map_or(&[][..], Vec::as_slice);
    let has = |way: &str| security.iter().find(|known| known.get(way).is_some());
    let is_open = security.iter().any(|way| *way == json!({}));
    html! {
        @if has("client").is_some() {
            "Requires the application’s credentials, in the header or the body."
        } @else if let Some(needed) = has("bearer") {
            @if is_open {
                "No token needed; a token that is sent needs scope " code { (text(&needed["bearer"][0])) } "."
            } @else {
                "Needs a token"
                @if let Some(scope) = needed["bearer"][0].as_str() { " with scope " code { (scope) } } "."
            }
        } @else {
            "No token needed."
        }
    }
}

fn parameters(document: &Json, operation: &Json) -> Markup {
    let all: Vec<&Json> = operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| resolve(document, parameter).0)
        .collect();
    html! {
        @if !all.is_empty() {
            h3 { "Parameters" }
            div.table-wrap tabindex="0" {
                table.table.keys {
                    thead { tr { th { "Name" } th { "Type" } th { "Meaning" } } }
                    tbody {
                        @for parameter in all {
                            tr {
                                td { code { (text(&parameter["name"])) } " " span.muted.small { (text(&parameter["in"])) } }
                                td { (kind(document, &parameter["schema"])) }
                                td {
                                    (inline(text(&parameter["description"])))
                                    @if let Some(default) = parameter["schema"].get("default") {
                                        " " span.muted.small { "default " (default.as_str().map_or_else(|| default.to_string(), str::to_owned)) }
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

fn body(document: &Json, operation: &Json) -> Markup {
    let content = &operation["requestBody"]["content"];
    let schema = &content["application/json"]["schema"];
    html! {
        @if !schema.is_object() && content.is_object() {
            h3 { "Body" }
            p {
                @for (i, kind) in content.as_object().into_iter().flatten().map(|(kind, _)| kind).enumerate() {
                    @if i > 0 { ", " } code { (kind) }
                }
            }
        }
        @if schema.is_object() {
            h3 { "Body" }
            details open { summary { (resolve(document, schema).1.unwrap_or("Object")) } (table(document, schema)) }
        }
    }
}

fn answers(document: &Json, operation: &Json) -> Markup {
    let answers = operation["responses"].as_object();
    let (good, bad): (Vec<_>, Vec<_>) =
        answers.into_iter().flatten().partition(|(status, _)| status.starts_with(['2', '3']));
    html! {
        h3 { "Answers" }
        @for (status, answer) in good {
            @let answer = resolve(document, answer).0;
            @let schema = &answer["content"]["application/json"]["schema"];
            @let data = schema.pointer("/properties/data").unwrap_or(schema);
            details {
                summary {
                    span.status { (status) } " "
                    @if data.is_object() { code { (envelope(schema)) } " " (kind(document, data)) } @else { (text(&answer["description"])) }
                }
                @if data.is_object() {
                    @let inner = if data["items"].is_object() { &data["items"] } else { data };
                    (table(document, inner))
                }
            }
        }
        ul.faults-of {
            @for (status, answer) in bad {
                @let (answer, name) = resolve(document, answer);
                li {
                    span.status { (status) } " "
                    @if name.is_some() { (inline(text(&answer["description"]))) } @else { div { (prose(text(&answer["description"]))) } }
                }
            }
        }
    }
}

fn envelope(schema: &Json) -> &'static str {
    if schema.pointer("/properties/pagination").is_some() {
        "{ data: […], pagination }"
    } else if schema.pointer("/properties/data").is_some() {
        "{ data }"
    } else {
        "{ … }"
    }
}

/// So many are shown of each type: products come with and without variants, bookings by slot and by day.
const EXAMPLES: usize = 2;

/// Every field type with its keys and examples.
pub fn kinds(document: &Json) -> Markup {
    let schemas = &document["components"]["schemas"];
    let mapping = schemas["FieldDefinition"]["discriminator"]["mapping"].as_object();
    let all: Vec<(&String, String)> = mapping
        .into_iter()
        .flatten()
        .map(|(kind, to)| {
            let name = text(to).rsplit('/').next().unwrap_or_default();
            (kind, name.trim_end_matches("Definition").to_owned())
        })
        .collect();
    html! {
        h1 { "Field types" }
        p.lead { "The keys of each type's definition, and the format of its values when written and read." }
        ul.kinds-list {
            @for (kind, _) in &all { li { a href={ "#" (kind) } { code { (kind) } } } }
        }
        @for (kind_name, name) in &all {
            @let part = |end: &str| &schemas[format!("{name}{end}")];
            section.operation id=(kind_name) tabindex="-1" {
                h2 { code { (kind_name) } }
                details {
                    summary { "Keys of the definition" }
                    (table(document, part("Definition")))
                }
                h3 { "Definition" }
                @for example in part("Definition")["examples"].as_array().into_iter().flatten().take(EXAMPLES) { (code(example)) }
                @for (title, end) in [("Written", "Input"), ("Read", "Value")] {
                    @if part(end).is_object() {
                        h3 { (title) }
                        p { (kind(document, part(end))) }
                        @for example in part(end)["examples"].as_array().into_iter().flatten().take(EXAMPLES) { (code(example)) }
                    }
                }
                @let conditions = &part("Definition")["x-conditions"];
                @if part("Value").is_object() {
                    h3 { "Conditions" }
                    p { (inline(text(conditions.get("value").unwrap_or(&json!("Entries can't be filtered by it."))))) }
                    @if let Some(operators) = conditions["operators"].as_array() {
                        p.small {
                            @for (i, operator) in operators.iter().enumerate() { @if i > 0 { ", " } code { (text(operator)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The format of errors, and the statuses.
pub fn errors(document: &Json) -> Markup {
    let components = &document["components"];
    html! {
        h1 { "Errors" }
        p.lead { "All errors have the same format. All errors in a body are listed at once, each with its path." }
        (table(document, &components["schemas"]["Error"]))
        h2 { "Statuses" }
        ul.faults-of {
            @for (status, meaning) in words::all_statuses() {
                li { span.status { (status) } " " (inline(meaning)) }
            }
        }
    }
}
