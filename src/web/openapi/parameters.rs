//! Query parameters of the API's description.

use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter;
use crate::fields::images::WIDTHS;
use crate::ops::entries::entry_lists as list_ops;
use crate::ops::forms::form_lists as form_ops;
use crate::web::openapi::doc::Parameter;
use crate::web::openapi::shape::names;
use crate::web::request::paging;

pub fn folder_list() -> Vec<Parameter> {
    let mut all = vec![Parameter {
        name: "parent_folder_token",
        schema: json!({"type": "string"}),
        text: "The parent folder; empty for the top level.",
    }];
    all.extend(paging::parameters());
    all
}

pub fn authorization() -> Vec<Parameter> {
    let text = |name, text| Parameter { name, schema: json!({"type": "string"}), text };
    let word = |name, word: &str, text| Parameter { name, schema: json!({"type": "string", "enum": [word]}), text };
    vec![
        text("client_id", "The application's `client_id`."),
        text(
            "redirect_uri",
            "One of the application's registered addresses, exactly; for `http://127.0.0.1` and `http://[::1]` the port may differ.",
        ),
        word("response_type", "code", "Optional."),
        text("scope", "The requested scopes, separated by spaces; all registered scopes if omitted."),
        text("state", "Returned unchanged; at most 2,048 characters."),
        text("code_challenge", "The SHA-256 of the verifier, in base64url."),
        word("code_challenge_method", "S256", "The challenge method."),
    ]
}

pub fn form_list() -> Vec<Parameter> {
    let mut all = vec![
        Parameter { name: "name", schema: json!({"type": "string"}), text: "A part of the name." },
        Parameter {
            name: "folder_token",
            schema: json!({"type": "string"}),
            text: "One of the caller's folders; empty for forms that are in none.",
        },
        Parameter {
            name: "sort",
            schema: json!({"type": "string", "enum": names(&form_ops::SORTS), "default": form_ops::SORTS[0].0}),
            text: "The time to sort by, latest first.",
        },
        Parameter {
            name: "trashed",
            schema: json!({"type": "string", "enum": ["false", "true"], "default": "false"}),
            text: "With `true`, the caller's own forms in the trash, which can be restored for 30 days.",
        },
    ];
    all.extend(paging::parameters());
    all
}

pub fn image() -> Vec<Parameter> {
    vec![Parameter {
        name: "w",
        schema: json!({"type": "integer", "enum": WIDTHS}),
        text: "The maximum width in pixels.",
    }]
}

pub fn verification_code() -> Vec<Parameter> {
    vec![Parameter { name: "code", schema: json!({"type": "string"}), text: "The code as it was typed." }]
}

pub fn booking_days() -> Vec<Parameter> {
    let text = |name, text| Parameter { name, schema: json!({"type": "string"}), text };
    let day = |name, text| Parameter { name, schema: json!({"type": "string", "format": "date"}), text };
    vec![
        text("field", "The booking field's `api_code`."),
        text("item", "The `api_code` of one of its items. Without it all items are listed, one after the other."),
        day("from", "The first day, as `YYYY-MM-DD`."),
        day("to", "The last day, at most 92 days later."),
    ]
}

pub fn option_list() -> Vec<Parameter> {
    let text = |name, text| Parameter { name, schema: json!({"type": "string"}), text };
    let mut all = vec![
        text("field", "The linked field's `api_code`."),
        text("keyword", "Part of the text in one of its search fields."),
    ];
    all.extend(paging::parameters());
    all
}

/// Which entries to select.
pub fn entry_filters() -> Vec<Parameter> {
    vec![
        Parameter {
            name: "filters",
            schema: json!({"type": "string", "contentMediaType": "application/json", "examples": [r#"[{"field": "field_1", "operator": "like", "value": "ada"}]"#]}),
            text: "Conditions that must all be met: a JSON list of `{field, operator, value}`.",
        },
        Parameter {
            name: "keyword",
            schema: json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
            text: "Part of a text, name, email or web address or phone number in any field or column; ignores case and character width.",
        },
    ]
}

pub fn report_query() -> Vec<Parameter> {
    let mut all = entry_filters();
    all.push(Parameter {
        name: "split",
        schema: json!({"type": "string", "examples": ["field_2"]}),
        text: "The `api_code` of a question with one choice as its answer and at most 8 choices: the report is repeated for each of them, in `split`.",
    });
    all
}

/// The schema of the order of entries.
pub fn sort_schema() -> Json {
    let ascending = names(&list_ops::SORTS).into_iter();
    let sorts = ascending.flat_map(|name| [name.to_owned(), format!("-{name}")]);
    let sorts = sorts.collect::<Vec<_>>();
    json!({
        "type": "string", "anyOf": [{"enum": sorts}, {"pattern": list_ops::QUESTION_SORT}],
        "default": list_ops::DEFAULT_SORT,
    })
}

pub fn entry_list() -> Vec<Parameter> {
    let mut all = entry_filters();
    all.extend([
        Parameter {
            name: "sort",
            schema: sort_schema(),
            text: "The sort order, with `-` for descending: what every entry has, or a question such as `field_3` \
                   (numbers, dates, times, scores, texts, a choice by its place; blank answers last).",
        },
        Parameter {
            name: "fields",
            schema: json!({"type": "string", "examples": ["field_1,field_3"]}),
            text: "The keys to return, separated by commas: fields, or system keys such as `creator_name`. The four fixed keys are always included.",
        },
    ]);
    all.extend(paging::parameters());
    all
}
