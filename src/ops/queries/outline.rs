//! A query as front ends draw it: texts, search fields, columns; nothing of any entry.

use serde_json::json;

use crate::base::error::Result;
use crate::base::json::{Json, schema_builder};
use crate::base::text::texts::{Texts, texts};
use crate::fields::public_query::SearchOption;
use crate::model::public_query::Operand;
use crate::ops::app::App;
use crate::ops::queries::shape;
use crate::ops::queries::visit::{self, Asked, Column, OpenQuery};

/// A query for its visitors.
///
/// # Errors
/// 403 or 404 for one that can't be used.
pub fn show(app: &App, token: &str) -> Result<Json> {
    let open = app.store.read(|tx| visit::load(&app.cache, tx, token)?.open())?;
    Ok(of(&app.config.base_url, &open))
}

fn of(base_url: &str, open: &OpenQuery) -> Json {
    let texts = texts(&open.form.locale);
    let (content, rules) = (&open.query.content, &open.query.content.rules);
    let groups = rules.search.iter().zip(open.asked());
    let search: Vec<Json> = groups
        .map(|(group, asked)| {
            let fields: Vec<Json> = asked.iter().flatten().map(|it| field(it, texts)).collect();
            json!({"operand": group.operand.name(), "fields": fields})
        })
        .collect();
    let image = rules.background_image.as_ref();
    let columns = open.columns();
    json!({
        "token": open.query.token.as_str(),
        "url": format!("{base_url}/q/{}", open.query.token),
        "name": content.name,
        "description": content.description,
        "locale": open.form.locale,
        "timezone": open.form.timezone,
        "allow_to_export_results": content.allow_to_export_results,
        "search_button": rules.search_button,
        "messages": rules.messages,
        "header": {
            "background_image": image.map(|image| shape::background_image(base_url, image)),
        },
        "search_field_rules": search,
        "display_field_rules": columns.iter().map(|it| column(it, texts)).collect::<Vec<_>>(),
    })
}

fn field(asked: &Asked, texts: &Texts) -> Json {
    let mut out = json!({
        "field": asked.rule.field,
        "label": asked.label(texts),
        "type": asked.field.type_name(),
        "fuzzy": asked.rule.fuzzy,
    });
    let options = asked.options();
    if !options.is_empty() {
        let choice = |option: &SearchOption| json!({"api_code": option.code, "label": option.label});
        out["choices"] = options.iter().map(choice).collect();
    }
    out
}

fn column(column: &Column, texts: &Texts) -> Json {
    json!({
        "field": column.rule.field,
        "label": column.label(texts),
        "type": column.field.type_name(),
        "editable": column.is_editable,
        "protected": column.rule.protected,
        "highlight": column.rule.highlight,
    })
}

/// The JSON Schema of a query for its visitors.
pub fn schema() -> Json {
    let whole = shape::schema();
    let mut properties = json!({});
    for key in ["token", "url", "name", "description", "allow_to_export_results", "search_button", "messages", "header"]
    {
        properties[key] = whole["properties"][key].clone();
    }
    properties["locale"] = json!({"type": "string", "description": "The form's language tag."});
    properties["timezone"] = json!({"type": "string", "description": "The form's IANA time zone."});
    properties["search_field_rules"] = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "operand": {"type": "string", "enum": Operand::ALL.map(Operand::name)},
                "fields": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "field": {"type": "string"},
                            "label": {"type": "string"},
                            "type": {"type": "string"},
                            "fuzzy": {"type": "boolean", "description": "Whether part of the value is enough."},
                            "choices": {
                                "type": "array",
                                "description": "What is searched for is the `api_code` of one of these.",
                                "items": {
                                    "type": "object",
                                    "properties": {"api_code": {"type": "string"}, "label": {"type": "string"}},
                                    "required": ["api_code", "label"],
                                },
                            },
                        },
                        "required": ["field", "label", "type", "fuzzy"],
                    },
                },
            },
            "required": ["operand", "fields"],
        },
    });
    properties["display_field_rules"] = json!({
        "type": "array",
        "items": schema_builder::whole(json!({
            "field": {"type": "string"},
            "label": {"type": "string"},
            "type": {"type": "string"},
            "editable": {"type": "boolean"},
            "protected": {"type": "boolean"},
            "highlight": {
                "type": ["object", "null"],
                "properties": {"color": {"type": "string"}, "position": {"type": "integer"}},
                "required": ["color", "position"],
            },
        })),
    });
    let mut schema = schema_builder::whole(properties);
    schema["properties"]["proof_of_work"] = json!({
        "type": "object",
        "description": "Only where the service asks for it. Without a `proof`, a tenth of the searches is allowed. A proof is the challenge, a dot and a number such that the SHA-256 of the proof, a line feed and the values (a line `name=value` for each that is not blank, sorted) begins with `bits` zero bits. A challenge is good for ten minutes.",
        "properties": {"challenge": {"type": "string"}, "bits": {"type": "integer"}},
        "required": ["challenge", "bits"],
    });
    schema
}
