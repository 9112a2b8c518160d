//! A public query as visitors use it: whether it can be used, and its rules applied to today's form.

use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::filter::Filter;
use crate::fields::links::LinkedData;
use crate::fields::public_query::{Displayed, QueriedForm, SearchOption, Searched};
use crate::model::form::Form;
use crate::model::public_query::{DisplayRule, PublicQuery, SearchField, Status};
use crate::model::user::{Capability, OrganizationSettings};
use crate::ops::app::App;
use crate::ops::queries::{certificates, form_of, plan_of, queried, status};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::accounts::organizations;
use crate::store::db::tx::Tx;
use crate::store::queries;

/// Why a query can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shut {
    /// Its managers switched it off.
    Disabled,
    /// Its form was deleted.
    FormGone,
    /// The form holds more entries than the plan allows.
    OverPlan,
}

impl Shut {
    /// As an error of the API.
    pub fn error(self) -> Error {
        match self {
            Self::Disabled => Error::NotHere("This query is switched off"),
            Self::FormGone => Error::NotFound(Noun::Query),
            Self::OverPlan => Error::NotHere("This query is not available at the moment"),
        }
    }
}

/// A query that can be used, with its form.
pub struct OpenQuery {
    pub query: PublicQuery,
    pub form: Form,
    pub parsed: Arc<ParsedForm>,
    /// Whose it is.
    pub organization: Arc<OrganizationSettings>,
    /// The forms that it links to.
    pub forms: LinkedData,
    /// Whether the plan lets visitors edit.
    may_edit: bool,
}

/// The query as a visitor finds it.
pub enum Visit {
    Open(Box<OpenQuery>),
    Shut(Shut),
}

impl Visit {
    /// # Errors
    /// 403 or 404 for one that can't be used.
    pub fn open(self) -> Result<OpenQuery> {
        match self {
            Self::Open(query) => Ok(*query),
            Self::Shut(shut) => Err(shut.error()),
        }
    }
}

/// A query, for its page.
///
/// # Errors
/// 404.
pub fn of(app: &App, token: &str) -> Result<Visit> {
    app.store.read(|tx| load(&app.cache, tx, token))
}

/// A query, if there is one.
///
/// # Errors
/// 404.
pub fn load(cache: &Cache, tx: &Tx, token: &str) -> Result<Visit> {
    let query = queries::by_token(tx, token)?.ok_or(Error::NotFound(Noun::Query))?;
    let form = form_of(tx, &query)?.filter(|form| form.deleted_at.is_none());
    let Some(form) = form else {
        return Ok(Visit::Shut(Shut::FormGone));
    };
    if !query.content.enabled {
        return Ok(Visit::Shut(Shut::Disabled));
    }
    let plan = plan_of(tx, &form)?;
    if status(Some(&form), plan) == Status::EntriesCountLimited {
        return Ok(Visit::Shut(Shut::OverPlan));
    }
    let parsed = cache.parsed(tx, &form)?;
    let forms = linked_entries::forms_of(cache, tx, &parsed)?;
    let organization = organizations::settings_of_owner(tx, form.owner)?;
    let may_edit = plan.has(Capability::EditableResults);
    Ok(Visit::Open(Box::new(OpenQuery { query, form, parsed, organization, forms, may_edit })))
}

/// A field that visitors see, and how.
pub struct Column<'q> {
    pub rule: &'q DisplayRule,
    pub field: Displayed<'q>,
    /// Whether they may change it.
    pub is_editable: bool,
}

impl Column<'_> {
    pub fn label(&self, texts: &Texts) -> String {
        let own = self.rule.label.clone();
        own.unwrap_or_else(|| self.field.label(texts))
    }
}

/// A field that visitors fill in.
pub struct SearchInput<'q> {
    pub rule: &'q SearchField,
    pub field: Searched<'q>,
}

impl SearchInput<'_> {
    /// The options that visitors choose from; empty where they type.
    pub fn options(&self) -> Vec<SearchOption> {
        if self.rule.fuzzy { Vec::new() } else { self.field.options() }
    }

    pub fn label(&self, texts: &Texts) -> String {
        let own = self.rule.label.clone();
        own.unwrap_or_else(|| self.field.label(texts))
    }
}

impl OpenQuery {
    fn form(&self) -> QueriedForm<'_> {
        queried(&self.parsed, &self.forms)
    }

    /// The columns that visitors see, in the order of the rules, without fields that the form no longer has and without
    /// a certificate that would reveal masked values.
    pub fn columns(&self) -> Vec<Column<'_>> {
        let mut all = Displayed::all(self.form());
        let rules = &self.query.content.rules;
        let is_withheld = certificates::is_withheld(self.form(), rules);
        let rules = rules.display.iter();
        rules
            .filter_map(|rule| {
                let at = all.iter().position(|it| it.code() == rule.field)?;
                let field = all.swap_remove(at);
                if is_withheld && field.is_certificate() {
                    return None;
                }
                Some(Column { is_editable: rule.editable && self.may_edit && field.may_be_editable(), rule, field })
            })
            .collect()
    }

    /// Whether visitors see this field masked.
    pub fn masks(&self, code: &str) -> bool {
        let mut columns = self.columns().into_iter();
        columns.any(|column| column.rule.field == code && column.field.is_masked(column.rule.protected))
    }

    /// The inputs for visitors, by groups; `None` where the form no longer has the field.
    pub fn asked(&self) -> Vec<Vec<Option<SearchInput<'_>>>> {
        let mut all = Searched::all(self.form());
        let groups = self.query.content.rules.search.iter();
        groups
            .map(|group| {
                let fields = group.fields.iter();
                fields
                    .map(|rule| {
                        let at = all.iter().position(|it| it.code() == rule.field)?;
                        let field = all.swap_remove(at);
                        Some(SearchInput { rule, field })
                    })
                    .collect()
            })
            .collect()
    }

    /// Which entries visitors can find at all. Conditions that no longer fit the form let none through.
    pub fn scope(&self, tx: &Tx) -> Filter {
        let conditions = Json::Array(self.query.content.rules.scope.clone());
        let mut at = Issues::new();
        let cx = self.parsed.cx_with(tx.now, false, &self.forms);
        let fields = &self.parsed.definition.fields;
        let mut filter = Filter::of_conditions(&conditions, fields, &cx, &mut at);
        if !at.is_empty() {
            filter.any_of.push(Vec::new());
        }
        filter
    }
}
