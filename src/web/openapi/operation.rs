//! One operation: parameters, bodies and all possible answers, derived from the row and its description.

use serde_json::{Map, json};

use crate::base::error::Code;
use crate::base::issue;
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::model::scope::Scope;
use crate::web::openapi::doc::{AnswerBody, Doc, Parameter};
use crate::web::openapi::words;
use crate::web::request::query_parameters;
use crate::web::request::route::{BodyRule, Route, Run};

pub fn describe(route: &Route, doc: &Doc) -> Json {
    let mut out = json!({
        "operationId": doc.id,
        "summary": doc.summary,
        "description": doc.text,
        "tags": [words::tag_of(route.path)],
        "security": security(route),
    });
    let parameters = parameters(route, doc);
    if !parameters.is_empty() {
        out["parameters"] = Json::Array(parameters);
    }
    if let Some(body) = request_body(route, doc) {
        out["requestBody"] = body;
    }
    out["responses"] = Json::Object(responses(route, doc));
    out
}

fn security(route: &Route) -> Json {
    // Personal tokens and those of applications have the same scopes.
    let either = |scopes: Json| [json!({"bearer": scopes}), json!({"oauth2": scopes})];
    let no_token = [json!({})];
    match route.run {
        Run::Scoped(scope, _) => json!(either(json!([scope.name()]))),
        Run::AnyToken(_) => json!(either(json!([]))),
        Run::Respond(_) => {
            let tokens = either(json!([Scope::FormRespond.name()]));
            json!([&no_token[..], &tokens[..]].concat())
        }
        Run::OpenOrKnown(_) => json!([&no_token[..], &either(json!([]))[..]].concat()),
        Run::Client(_) => json!([{"client": []}, {}]),
        Run::Open(_) | Run::Upload(_) | Run::Page(_) | Run::Session(_) => json!([]),
    }
}

fn component(kind: &str, name: &str) -> Json {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

fn parameters(route: &Route, doc: &Doc) -> Vec<Json> {
    let mut out: Vec<Json> = path_parameters(route.path).map(|name| component("parameters", name)).collect();
    for Parameter { name, schema, text } in (doc.query)() {
        let mut one = json!({"name": name, "in": "query", "description": text, "schema": schema});
        if doc.required.contains(&name) {
            one["required"] = true.into();
        }
        out.push(one);
    }
    let is_read = route.method.as_str() == "GET";
    let headers = [
        ("IfNoneMatch", doc.is_tagged && is_read),
        ("IfMatch", doc.is_guarded),
        ("IdempotencyKey", doc.is_idempotent),
        ("FormPassword", doc.has_password),
        ("EditToken", doc.needs_edit_token),
        ("Prefer", query_parameters::are_told(route)),
        ("LastEventId", is_stream(doc)),
    ];
    let named = headers.into_iter().filter(|(_, is_heeded)| *is_heeded);
    out.extend(named.map(|(name, _)| component("parameters", name)));
    out
}

fn is_stream(doc: &Doc) -> bool {
    matches!(doc.answer, AnswerBody::Events)
}

/// The parameters of a path: `form_token` of `/f/{form_token}`.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// The parameters that routes share, by component name.
pub fn shared_parameters() -> Json {
    let path = |name: &str, schema: Json, text: &str| json!({"name": name, "in": "path", "required": true, "description": text, "schema": schema});
    let header = |name: &str, schema: Json, text: &str| json!({"name": name, "in": "header", "description": text, "schema": schema});
    let text = || json!({"type": "string"});
    let mut edit_token = header(
        "X-Edit-Token",
        text(),
        "The `edit_token` from the answer to the submission. Without it, or with a wrong one, the answer is 404.",
    );
    edit_token["required"] = json!(true);
    json!({
        "form_token": path("form_token", text(), "The form's `token`."),
        "query_token": path("query_token", text(), "The query's `token`."),
        "folder_token": path("folder_token", text(), "The folder's `token`."),
        "user_id": path("user_id", text(), "The user's `id`, as in `GET /members`, or their email address."),
        "serial_number": path("serial_number", json!({"type": "integer", "minimum": 1}), "The entry's `serial_number`."),
        "entry_token": path("entry_token", text(), "The entry's `token`."),
        "delivery_id": path("delivery_id", text(), "The delivery's `id`."),
        "version": path("version", json!({"type": "integer", "minimum": 1}), "The number of the version."),
        "webhook_id": path("webhook_id", text(), "The webhook's `id`."),
        "job_id": path("job_id", text(), "The job's `id`."),
        "hold_token": path("hold_token", text(), "The `hold_token`."),
        "upload_id": path("upload_id", text(), "The prepared `upload_id`."),
        "id": path("id", text(), "The file's `id`."),
        "name": path("name", text(), "The file's `name`."),
        "EditToken": edit_token,
        "IfNoneMatch": header("If-None-Match", text(), "`ETag`s that the client has; if one of them is current, the answer is 304."),
        "IfMatch": header("If-Match", text(), "`ETag`s that the client has read; if none of them is current, the answer is 412. Without this header the last write wins."),
        "IdempotencyKey": header(
            "Idempotency-Key",
            json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}),
            "Repeating a request with the same key and body within 24 hours returns the first answer and stores \
             nothing twice.",
        ),
        "Prefer": header(
            "Prefer",
            text(),
            "With `handling=strict` (RFC 7240), unknown query parameters and unknown keys of the body are refused with \
             422 instead of listed in `warnings`.",
        ),
        "LastEventId": header("Last-Event-ID", text(), "The `id` of the last received event: the stream continues \
                                                        with the next one. Without this header it starts with new \
                                                        events."),
        "FormPassword": header("X-Form-Password", text(), "The form's access password, if it has one."),
    })
}

fn request_body(route: &Route, doc: &Doc) -> Option<Json> {
    if !doc.takes_file.is_empty() {
        let types = doc.takes_file.iter();
        let content: Map<String, Json> = types
            .map(|name| {
                let is_text = name.starts_with("text/");
                let text = || json!({"schema": {"type": "string"}, "example": doc.example});
                let shape = if is_text { text() } else { json!({}) };
                ((*name).to_owned(), shape)
            })
            .collect();
        return Some(json!({"required": true, "content": content}));
    }
    let shape = doc.takes?;
    let mut content = json!({"schema": reference(shape.name)});
    if let Ok(example) = serde_json::from_str::<Json>(doc.example) {
        content["example"] = example;
    }
    let is_required = matches!(route.body, BodyRule::Json(_) | BodyRule::Params(_));
    let mut kinds = json!({"application/json": content});
    if matches!(route.body, BodyRule::Params(_)) {
        kinds["application/x-www-form-urlencoded"] = json!({"schema": reference(shape.name)});
    }
    Some(json!({"required": is_required, "content": kinds}))
}

fn responses(route: &Route, doc: &Doc) -> Map<String, Json> {
    match route.run {
        Run::Page(_) | Run::Session(_) => return page_responses(doc),
        Run::Client(_) => return client_responses(route, doc),
        _ => {}
    }
    let mut out = Map::new();
    let is_read = route.method.as_str() == "GET";
    // Of these, only a change of the own entry or row is counted with limits that the answer tells.
    let is_open = matches!(route.run, Run::Open(_) | Run::OpenOrKnown(_)) && route.method.as_str() != "PATCH";
    let is_rate_limited = !is_open;
    for status in [Some(doc.status), doc.also].into_iter().flatten() {
        out.insert(status.to_string(), success(route, doc, is_rate_limited));
    }
    if doc.is_tagged && is_read {
        out.insert("304".to_owned(), component("responses", "NotModified"));
    }
    let has_body = route.body != BodyRule::None;
    let is_scoped = matches!(route.run, Run::Scoped(..));
    let takes_file = matches!(route.run, Run::Upload(_));
    let is_about_one = path_parameters(route.path).next().is_some() && !takes_file;
    let names_another = [
        "list_forms",
        "create_form",
        "list_folders",
        "create_folder",
        "list_public_queries",
        "create_public_query",
        "suggest_query_fields",
    ]
    .contains(&doc.id);
    let plain = [
        (400, true),
        (401, true),
        (402, false),
        (403, is_scoped || doc.is_signed || doc.can_be_shut || matches!(route.run, Run::Respond(_))),
        (404, is_about_one || names_another),
        (408, has_body),
        (409, doc.is_idempotent),
        (410, takes_file || is_stream(doc) || doc.is_idempotent),
        (412, doc.is_guarded),
        (413, has_body),
        (415, has_body),
        (416, doc.also == Some(206)),
        (
            422,
            doc.takes.is_some()
                || !doc.takes_file.is_empty()
                || doc.can_be_invalid
                || query_parameters::are_told(route),
        ),
        (429, true),
        (500, true),
        (503, true),
    ];
    for (status, can_be) in plain {
        let codes = codes(doc, status);
        if can_be || !codes.is_empty() {
            let answer = if doc.is_signed && is_read && matches!(status, 403 | 404) {
                let mut answer = error(status, &codes, is_open);
                answer["content"]["text/html"] = json!({"schema": {"type": "string"}});
                answer
            } else if codes.is_empty() {
                component("responses", words::response_name(status))
            } else {
                error(status, &codes, is_open)
            };
            out.insert(status.to_string(), answer);
        }
    }
    out
}

/// The answers of a page: always a page or a redirect.
fn page_responses(doc: &Doc) -> Map<String, Json> {
    let page = |text: &str| {
        json!({
            "description": text,
            "headers": headers(false),
            "content": {"text/html": {"schema": {"type": "string"}}},
        })
    };
    let mut out = Map::new();
    out.insert(doc.status.to_string(), page(doc.summary));
    for status in [400, 500, 503] {
        out.insert(status.to_string(), page(words::response_text(status)));
    }
    let mut redirect = json!({"description": "The browser is redirected.", "headers": headers(false)});
    redirect["headers"]["Location"] = component("headers", "Location");
    out.insert("303".to_owned(), redirect);
    out
}

/// The answers of OAuth endpoints, with errors in their format.
fn client_responses(route: &Route, doc: &Doc) -> Map<String, Json> {
    let mut out = Map::new();
    out.insert(doc.status.to_string(), success(route, doc, false));
    for status in [400, 401, 408, 413, 415, 429, 500, 503] {
        let mut answer = error(status, &[], true);
        answer["content"]["application/json"]["schema"] = reference("OAuthError");
        if status == 401 {
            answer["description"] = json!("Client authentication failed.");
        }
        out.insert(status.to_string(), answer);
    }
    out
}

/// The codes of an error of this route: its own, and those of the headers that it supports.
fn codes(doc: &Doc, status: u16) -> Vec<Code> {
    let own = doc.codes.iter().filter(|(of, _)| *of == status);
    let mut all: Vec<Code> = own.flat_map(|(_, codes)| codes.iter().copied()).collect();
    if status == 409 && doc.is_idempotent {
        all.push(Code::IdempotencyConflict);
    }
    if status == 412 && doc.is_guarded {
        all.push(Code::VersionConflict);
    }
    all
}

fn success(route: &Route, doc: &Doc, is_rate_limited: bool) -> Json {
    let mut headers = headers(is_rate_limited);
    let is_envelope = matches!(doc.answer, AnswerBody::Data(_) | AnswerBody::Page(_));
    if query_parameters::are_told(route) && !is_envelope {
        headers["X-Warnings"] = component("headers", "Warnings");
    }
    if query_parameters::are_told(route) {
        headers["Preference-Applied"] = component("headers", "PreferenceApplied");
    }
    if doc.is_tagged {
        let name = if doc.is_idempotent { "ETagOfNew" } else { "ETag" };
        headers["ETag"] = component("headers", name);
    }
    let json = |schema: Json| json!({"application/json": {"schema": schema}});
    let content = match doc.answer {
        AnswerBody::Html => json!({"text/html": {"schema": {"type": "string"}}}),
        AnswerBody::Events => json!({"text/event-stream": {"schema": {"type": "string"}}}),
        AnswerBody::Bare(shape) => json(reference(shape.name)),
        AnswerBody::Data(shape) => json(with_warnings(
            route,
            json!({
                "type": "object",
                "properties": {"data": reference(shape.name)},
                "required": ["data"],
            }),
        )),
        AnswerBody::Page(shape) => {
            let mut envelope = json!({
                "type": "object",
                "properties": {
                    "data": {"type": "array", "items": reference(shape.name)},
                    "pagination": reference("Pagination"),
                },
                "required": ["data", "pagination"],
            });
            for (name, text) in doc.counts {
                envelope["properties"][name] = json!({"type": "integer", "minimum": 0, "description": text});
                if let Json::Array(required) = &mut envelope["required"] {
                    required.push(json!(name));
                }
            }
            json(with_warnings(route, envelope))
        }
        AnswerBody::File(types) => {
            headers["Content-Disposition"] = component("headers", "ContentDisposition");
            let types = types.iter().map(|(name, shape)| {
                let schema = shape.map(|shape| json!({"schema": reference(shape.name)}));
                ((*name).to_owned(), schema.unwrap_or_else(|| json!({})))
            });
            Json::Object(types.collect())
        }
    };
    json!({"description": doc.summary, "headers": headers, "content": content})
}

fn with_warnings(route: &Route, mut envelope: Json) -> Json {
    if query_parameters::are_told(route) {
        envelope["properties"]["warnings"] = reference("Warnings");
    }
    envelope
}

fn headers(is_rate_limited: bool) -> Json {
    let mut out = json!({"X-Request-Id": component("headers", "RequestId")});
    if is_rate_limited {
        for name in ["Limit", "Remaining", "Reset"] {
            out[format!("RateLimit-{name}")] = component("headers", &format!("RateLimit{name}"));
        }
    }
    out
}

pub fn shared_headers() -> Json {
    let header = |kind: &str, required: bool, text: &str| json!({"description": text, "required": required, "schema": {"type": kind}});
    json!({
        "ContentDisposition": header("string", true, "The name to save the file under."),
        "Location": header("string", true, "The address to continue at."),
        "Warnings": header("string", false, "Parts of the request that were accepted but may be mistakes, such as \
                                             unknown query parameters, separated by semicolons."),
        "RequestId": header("string", true, "Identifies the request in the server's log."),
        "ETag": header("string", true, "The version of the resource, for `If-Match` and `If-None-Match`."),
        "ETagOfNew": header("string", false, "The version that was stored; absent from a repeated answer."),
        "PreferenceApplied": header("string", false, "`handling=strict` if the request preferred it."),
        "RateLimitLimit": header("integer", false, "Requests allowed per minute, if limited."),
        "RateLimitRemaining": header("integer", false, "Requests left."),
        "RateLimitReset": header("integer", false, "Seconds until the limit resets."),
        "RetryAfter": header("integer", true, "Seconds to wait."),
        "WwwAuthenticate": header("string", false, "What the token is missing (RFC 6750)."),
    })
}

fn error(status: u16, codes: &[Code], is_open: bool) -> Json {
    let mut schema = reference("Error");
    let mut text = words::response_text(status).to_owned();
    if !codes.is_empty() {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        schema = json!({"allOf": [schema, {"properties": {"code": {"enum": names}}}]});
        for code in codes {
            text.push_str(&format!("\n- `{}`: {}", code.name(), words::code(*code)));
        }
    }
    let mut headers = headers(!is_open);
    if matches!(status, 401 | 403) {
        headers["WWW-Authenticate"] = component("headers", "WwwAuthenticate");
    }
    if matches!(status, 429 | 503) {
        headers["Retry-After"] = component("headers", "RetryAfter");
    }
    json!({
        "description": text,
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    })
}

/// The answers that routes share, by component name.
pub fn shared_responses() -> Map<String, Json> {
    let mut out = Map::new();
    out.insert(
        "NotModified".to_owned(),
        json!({
            "description": "The client's version is current.",
            "headers": {"ETag": component("headers", "ETag"), "X-Request-Id": component("headers", "RequestId")},
        }),
    );
    for status in words::STATUSES {
        let mut answer = error(status, &[], false);
        let schema = &mut answer["content"]["application/json"]["schema"];
        if status == 422 {
            *schema = json!({"allOf": [reference("Error"), {"required": ["error_details"]}]});
        }
        out.insert(words::response_name(status).to_owned(), answer);
    }
    out
}

/// `{ error, code?, error_details? }`
pub fn error_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "error": {"type": "string", "description": "For humans."},
            "code": {
                "type": "string",
                "enum": Code::ALL.map(Code::name),
                "description": "A code for programs, where clients may need one.",
            },
            "error_details": {
                "type": "array",
                "description": "All errors in the input. If there are very many, the last one says how many more there are.",
                "maxItems": issue::MOST,
                "items": {
                    "type": "object",
                    "properties": {
                        "attribute": {
                            "type": "string",
                            "description": "A path from the body's root, such as `field_values.field_3[0].number`.",
                        },
                        "message": {
                            "type": "string",
                            "description": "Completes a sentence that begins with the attribute.",
                        },
                        "position": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "Where the error stands in a formula, in characters from its beginning.",
                        },
                        "length": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "How many characters of a formula are wrong.",
                        },
                    },
                    "required": ["attribute", "message"],
                },
            },
        },
        "required": ["error"],
        "additionalProperties": false,
    })
}
