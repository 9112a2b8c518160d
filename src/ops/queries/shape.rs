//! Public queries as their managers read them (spec 2.2).

use serde_json::json;

use crate::base::issue::Issue;
use crate::base::json::{Json, schema_builder};
use crate::base::reason::Reason;
use crate::base::text::texts::texts;
use crate::fields::public_query::{Displayed, QueriedForm, Searched};
use crate::model::form::Form;
use crate::model::public_query::{BackgroundImage, DisplayRule, Operand, PublicQuery, Rules, SearchField, Status};
use crate::ops::queries::body;

pub fn whole(base_url: &str, query: &PublicQuery, form: Option<&Form>, status: Status) -> Json {
    let (content, rules) = (&query.content, &query.content.rules);
    let form = form.filter(|_| status != Status::FormNotFound);
    let image = rules.background_image.as_ref();
    json!({
        "token": query.token.as_str(),
        "form_token": form.map(|form| form.token.as_str()),
        "url": format!("{base_url}/q/{}", query.token),
        "status": status.name(),
        "name": content.name,
        "description": content.description,
        "enabled": content.enabled,
        "allow_to_export_results": content.allow_to_export_results,
        "search_button": rules.search_button,
        "messages": rules.messages,
        "header": {"background_image": image.map(|image| background_image(base_url, image))},
        "search_field_rules": search(rules),
        "display_field_rules": rules.display.iter().map(display).collect::<Vec<_>>(),
        "scope_conditions": rules.scope,
        "searches_count": query.searches_count,
        "views_count": query.views_count,
        "created_at": Json::from(query.created_at),
        "updated_at": Json::from(query.updated_at),
    })
}

/// The image of the header.
pub fn background_image(base_url: &str, image: &BackgroundImage) -> Json {
    json!({
        "id": image.id,
        "image_url": format!("{base_url}/images/{}", image.id),
        "position_x": image.position_x,
        "position_y": image.position_y,
    })
}

fn search(rules: &Rules) -> Vec<Json> {
    let field = |field: &SearchField| json!({"field": field.field, "label": field.label, "fuzzy": field.fuzzy});
    let groups = rules.search.iter();
    groups
        .map(|group| {
            let fields: Vec<Json> = group.fields.iter().map(field).collect();
            json!({"operand": group.operand.name(), "fields": fields})
        })
        .collect()
}

fn display(rule: &DisplayRule) -> Json {
    json!({
        "field": rule.field,
        "label": rule.label,
        "editable": rule.editable,
        "protected": rule.protected,
        "highlight": rule.highlight,
    })
}

/// What rules give away beyond what they seem to.
pub fn warnings(rules: &Rules) -> Vec<Issue> {
    let mut all = guessed_masks(rules);
    all.extend(counted_through(rules));
    all.extend(left_scopes(rules));
    all
}

fn warning(at: String, text: &'static str) -> Issue {
    Issue::new(at, Reason::other(text))
}

/// That a masked value can be found out by parts of it (S68).
fn guessed_masks(rules: &Rules) -> Vec<Issue> {
    let is_masked = |code: &str| {
        let mut display = rules.display.iter();
        display.any(|rule| rule.protected && rule.field == code)
    };
    let groups = rules.search.iter().enumerate();
    groups
        .flat_map(|(i, group)| {
            let fields = group.fields.iter().enumerate();
            let told = fields.filter(|(_, field)| field.fuzzy && is_masked(&field.field));
            told.map(move |(j, _)| {
                warning(
                    format!("search_field_rules[{i}].fields[{j}].fuzzy"),
                    "lets visitors find out the masked value of this field piece by piece",
                )
            })
        })
        .collect()
}

/// That a serial number alone finds entries: numbers can be counted up.
fn counted_through(rules: &Rules) -> Vec<Issue> {
    let [group] = rules.search.as_slice() else {
        return Vec::new();
    };
    let is_enough = group.operand == Operand::Or || group.fields.len() == 1;
    let is_number =
        |field: &SearchField| field.field == "serial_number" || field.field.ends_with("_associated_serial_number");
    let fields = group.fields.iter().enumerate();
    let numbers = fields.filter(|(_, field)| is_enough && is_number(field));
    numbers
        .map(|(j, _)| {
            warning(
                format!("search_field_rules[0].fields[{j}].field"),
                "is enough to find an entry, and numbers can be counted through: ask for something that strangers can't guess as well",
            )
        })
        .collect()
}

/// That an edit can take an entry out of the scope.
fn left_scopes(rules: &Rules) -> Vec<Issue> {
    let is_condition_on = |code: &str| {
        let mut fields = rules.scope.iter().filter_map(|it| it["field"].as_str());
        fields.any(|field| {
            let rest = field.strip_prefix(code);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with("_associated_"))
        })
    };
    let display = rules.display.iter().enumerate();
    let told = display.filter(|(_, rule)| rule.editable && is_condition_on(&rule.field));
    told.map(|(i, _)| {
        warning(
            format!("display_field_rules[{i}].editable"),
            "lets visitors take the entry out of scope_conditions: then nobody finds it in this query",
        )
    })
    .collect()
}

/// What queries of a form may search by and show.
pub fn suggestions(form: QueriedForm, locale: &str) -> Json {
    let texts = texts(locale);
    let searchable: Vec<Json> = Searched::all(form)
        .iter()
        .map(|it| {
            json!({
                "field": it.code(),
                "label": it.label(texts),
                "type": it.type_name(),
                "fuzzy": it.may_be_fuzzy(),
            })
        })
        .collect();
    let displayable: Vec<Json> = Displayed::all(form)
        .iter()
        .map(|it| {
            json!({
                "field": it.code(),
                "label": it.label(texts),
                "type": it.type_name(),
                "editable": it.may_be_editable(),
                "protected": it.may_be_protected(),
            })
        })
        .collect();
    json!({"searchable": searchable, "displayable": displayable})
}

/// The JSON Schema of a query in answers.
pub fn schema() -> Json {
    let written = body::create_schema();
    let mut properties = json!({
        "token": {"type": "string", "description": "Its identifier in addresses."},
        "form_token": {"type": ["string", "null"], "description": "The form that it reads; null if that was deleted."},
        "url": {"type": "string", "format": "uri", "description": "The public page."},
        "status": {
            "type": "string",
            "enum": Status::ALL.map(Status::name),
            "description": "`entries_count_limited`: the form holds more entries than the plan allows.",
        },
        "name": {"type": "string"},
        "description": {"type": ["string", "null"]},
        "enabled": {"type": "boolean", "description": "Whether the public page accepts searches."},
        "allow_to_export_results": {"type": "boolean"},
        "search_button": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "color": {"type": "string"}},
            "required": ["text", "color"],
        },
        "messages": {
            "type": "object",
            "properties": {
                "has_result": {"type": "string", "description": "Rich text above results."},
                "no_result": {"type": "string", "description": "Rich text shown when nothing matches."},
            },
            "required": ["has_result", "no_result"],
        },
        "header": {
            "type": "object",
            "properties": {"background_image": {
                "type": ["object", "null"],
                "properties": {
                    "id": {"type": "string"},
                    "image_url": {"type": "string", "format": "uri"},
                    "position_x": {"type": ["number", "null"]},
                    "position_y": {"type": ["number", "null"]},
                },
                "required": ["id", "image_url", "position_x", "position_y"],
            }},
            "required": ["background_image"],
        },
        "searches_count": {"type": "integer", "minimum": 0},
        "views_count": {"type": "integer", "minimum": 0},
        "created_at": {"type": "string", "format": "date-time"},
        "updated_at": {"type": "string", "format": "date-time"},
    });
    for list in ["search_field_rules", "display_field_rules", "scope_conditions"] {
        properties[list] = written["properties"][list].clone();
    }
    schema_builder::whole(properties)
}
