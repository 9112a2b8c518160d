//! A query as front ends draw it: texts, search fields, columns; nothing of any entry.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::base::text::texts::{Texts, texts};
use crate::fields::public_query::SearchOption;
use crate::model::public_query::{Highlight, Messages, Operand, SearchButton};
use crate::ops::app::App;
use crate::ops::queries::shape::{self, Header};
use crate::ops::queries::visit::{self, Column, OpenQuery, SearchInput};

/// A query for its visitors.
#[derive(Serialize, JsonSchema)]
pub struct QueryOutline {
    /// Its identifier in URLs.
    token: String,
    /// The public page.
    #[schemars(extend("format" = "uri"))]
    url: String,
    name: String,
    description: Option<String>,
    /// The form's language tag.
    locale: String,
    /// The form's IANA time zone.
    timezone: String,
    allow_to_export_results: bool,
    search_button: SearchButton,
    messages: Messages,
    header: Header,
    search_field_rules: Vec<OutlineGroup>,
    display_field_rules: Vec<OutlineColumn>,
}

/// Fields that are searched together.
#[derive(Serialize, JsonSchema)]
struct OutlineGroup {
    #[schemars(extend("enum" = Operand::ALL.map(Operand::name)))]
    operand: &'static str,
    fields: Vec<OutlineField>,
}

/// A field to search by.
#[derive(Serialize, JsonSchema)]
struct OutlineField {
    field: String,
    label: String,
    #[serde(rename = "type")]
    type_name: &'static str,
    /// Whether part of the value is enough.
    fuzzy: bool,
    /// Search by the `api_code` of one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<OutlineChoice>,
}

/// A choice of a field to search by.
#[derive(Serialize, JsonSchema)]
struct OutlineChoice {
    api_code: String,
    label: String,
}

/// A column of the results.
#[derive(Serialize, JsonSchema)]
struct OutlineColumn {
    field: String,
    label: String,
    #[serde(rename = "type")]
    type_name: &'static str,
    editable: bool,
    protected: bool,
    highlight: Option<Highlight>,
}

/// A query for its visitors.
///
/// # Errors
/// 403 or 404 for one that can't be used.
pub fn show(app: &App, token: &str) -> Result<QueryOutline> {
    let open = app.store.read(|tx| visit::load(&app.cache, tx, token)?.open())?;
    Ok(QueryOutline::of(&app.config.base_url, &open))
}

impl QueryOutline {
    fn of(base_url: &str, open: &OpenQuery) -> Self {
        let texts = texts(&open.form.locale);
        let (content, rules) = (&open.query.content, &open.query.content.rules);
        let groups = rules.search.iter().zip(open.asked());
        let search = groups.map(|(group, asked)| OutlineGroup {
            operand: group.operand.name(),
            fields: asked.iter().flatten().map(|it| field(it, texts)).collect(),
        });
        Self {
            token: open.query.token.to_string(),
            url: shape::url(base_url, &open.query),
            name: content.name.clone(),
            description: content.description.clone(),
            locale: open.form.locale.clone(),
            timezone: open.form.timezone.clone(),
            allow_to_export_results: content.allow_to_export_results,
            search_button: rules.search_button.clone(),
            messages: rules.messages.clone(),
            header: Header::of(base_url, rules),
            search_field_rules: search.collect(),
            display_field_rules: open.columns().iter().map(|it| column(it, texts)).collect(),
        }
    }
}

fn field(asked: &SearchInput, texts: &Texts) -> OutlineField {
    let choice =
        |option: &SearchOption| OutlineChoice { api_code: option.code.to_string(), label: option.label.to_string() };
    OutlineField {
        field: asked.rule.field.clone(),
        label: asked.label(texts).to_string(),
        type_name: asked.field.type_name(),
        fuzzy: asked.rule.fuzzy,
        choices: asked.options().iter().map(choice).collect(),
    }
}

fn column(column: &Column, texts: &Texts) -> OutlineColumn {
    OutlineColumn {
        field: column.rule.field.clone(),
        label: column.label(texts).to_string(),
        type_name: column.field.type_name(),
        editable: column.is_editable,
        protected: column.rule.protected,
        highlight: column.rule.highlight.clone(),
    }
}
