//! Public queries as their managers read them (spec 2.2).

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::texts;
use crate::fields::public_query::{Displayed, QueriedForm, Searched};
use crate::model::form::Form;
use crate::model::public_query::{
    DisplayRule, Messages, Operand, PublicQuery, Rules, SearchButton, SearchField, Status,
};
use crate::ops::queries::body;

/// A query in answers.
#[derive(Serialize, JsonSchema)]
pub struct QueryBody {
    /// Its identifier in URLs.
    pub(in crate::ops) token: String,
    /// The form that it reads; null if that was deleted.
    form_token: Option<String>,
    /// The public page.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// `entries_count_limited`: the form has more entries than the plan allows.
    #[schemars(extend("enum" = Status::ALL.map(Status::name)))]
    status: &'static str,
    name: String,
    description: Option<String>,
    /// Whether the public page accepts searches.
    enabled: bool,
    allow_to_export_results: bool,
    search_button: SearchButton,
    messages: Messages,
    header: Header,
    #[schemars(schema_with = "search_rules")]
    search_field_rules: Vec<Json>,
    #[schemars(schema_with = "display_rules")]
    display_field_rules: Vec<Json>,
    #[schemars(schema_with = "scope_conditions")]
    scope_conditions: Vec<Json>,
    #[schemars(range(min = 0))]
    searches_count: i64,
    #[schemars(range(min = 0))]
    views_count: i64,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

/// The header of a query's page.
#[derive(Serialize, JsonSchema)]
pub struct Header {
    background_image: Option<HeaderImage>,
}

/// The image of a header.
#[derive(Serialize, JsonSchema)]
struct HeaderImage {
    id: String,
    #[schemars(extend("format" = "uri"))]
    image_url: String,
    position_x: Option<f64>,
    position_y: Option<f64>,
}

impl QueryBody {
    pub fn of(base_url: &str, query: &PublicQuery, form: Option<&Form>, status: Status) -> Self {
        let (content, rules) = (&query.content, &query.content.rules);
        let form = form.filter(|_| status != Status::FormNotFound);
        Self {
            token: query.token.to_string(),
            form_token: form.map(|form| form.token.to_string()),
            url: url(base_url, query),
            status: status.name(),
            name: content.name.clone(),
            description: content.description.clone(),
            enabled: content.enabled,
            allow_to_export_results: content.allow_to_export_results,
            search_button: rules.search_button.clone(),
            messages: rules.messages.clone(),
            header: Header::of(base_url, rules),
            search_field_rules: search(rules),
            display_field_rules: rules.display.iter().map(display).collect(),
            scope_conditions: rules.scope.clone(),
            searches_count: query.searches_count,
            views_count: query.views_count,
            created_at: query.created_at.to_string(),
            updated_at: query.updated_at.to_string(),
        }
    }
}

impl Header {
    pub fn of(base_url: &str, rules: &Rules) -> Self {
        let image = rules.background_image.as_ref();
        let background_image = image.map(|image| HeaderImage {
            id: image.id.clone(),
            image_url: format!("{base_url}/images/{}", image.id),
            position_x: image.position_x,
            position_y: image.position_y,
        });
        Self { background_image }
    }
}

/// The address of a query's public page.
pub fn url(base_url: &str, query: &PublicQuery) -> String {
    format!("{base_url}/q/{}", query.token)
}

/// The schema of a list as bodies write it.
fn written(list: &str) -> Schema {
    Schema::try_from(body::create_schema()["properties"][list].take()).unwrap_or_default()
}

fn search_rules(_: &mut SchemaGenerator) -> Schema {
    written("search_field_rules")
}

fn display_rules(_: &mut SchemaGenerator) -> Schema {
    written("display_field_rules")
}

fn scope_conditions(_: &mut SchemaGenerator) -> Schema {
    written("scope_conditions")
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

/// Warnings about rules that reveal more than they seem to.
pub fn warnings(rules: &Rules) -> Vec<Issue> {
    let mut all = guessed_masks(rules);
    all.extend(counted_through(rules));
    all.extend(left_scopes(rules));
    all
}

fn warning(at: String, text: &'static str) -> Issue {
    Issue::new(at, Reason::other(text))
}

/// Warnings that a masked value can be found out by parts of it (S68).
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

/// Warnings that a serial number alone finds entries: numbers can be counted up.
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
                "is enough to find an entry, and numbers can be tried one after the other: also ask for something \
                 that strangers can't guess",
            )
        })
        .collect()
}

/// Warnings that an edit can take an entry out of the scope.
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
            "lets visitors move the entry out of scope_conditions, and then nobody finds it in this query",
        )
    })
    .collect()
}

/// What queries of a form may search by and show.
#[derive(Serialize, JsonSchema)]
pub struct Suggestions {
    searchable: Vec<Searchable>,
    displayable: Vec<Displayable>,
}

/// A field that visitors may search by.
#[derive(Serialize, JsonSchema)]
struct Searchable {
    /// The name to use in rules.
    field: String,
    label: String,
    /// The type of the values.
    #[serde(rename = "type")]
    type_name: &'static str,
    /// Whether the field can be searched by a part of its value.
    fuzzy: bool,
}

/// A field that visitors may see.
#[derive(Serialize, JsonSchema)]
struct Displayable {
    /// The name to use in rules.
    field: String,
    label: String,
    /// The type of the values.
    #[serde(rename = "type")]
    type_name: &'static str,
    /// Whether visitors can be allowed to edit it.
    editable: bool,
    /// Whether values can be masked.
    protected: bool,
}

impl Suggestions {
    pub fn of(form: QueriedForm, locale: &str) -> Self {
        let texts = texts(locale);
        let searchable = Searched::all(form).into_iter().map(|it| Searchable {
            field: it.code(),
            label: it.label(texts),
            type_name: it.type_name(),
            fuzzy: it.may_be_fuzzy(),
        });
        let displayable = Displayed::all(form).into_iter().map(|it| Displayable {
            field: it.code(),
            label: it.label(texts),
            type_name: it.type_name(),
            editable: it.may_be_editable(),
            protected: it.may_be_protected(),
        });
        Self { searchable: searchable.collect(), displayable: displayable.collect() }
    }
}
