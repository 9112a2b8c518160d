//! By what right files are sent, and for which fields.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::secret;
use crate::fields::{Field, Fields};
use crate::model::form::Form;
use crate::ops::app::App;
use crate::ops::entries::respondent_entries::{self, Ask};
use crate::ops::forms::published::{self, Password, Published, Visitor};
use crate::ops::queries::edit;
use crate::ops::queries::search::Results;
use crate::ops::queries::visit::OpenQuery;
use crate::query::form_cache::ParsedForm;

/// The entry that a post changes, and the right to it.
pub struct Own {
    /// Its token.
    pub entry: String,
    /// The right, if any was sent.
    pub edit_token: Option<String>,
}

/// The right by which files are sent.
pub enum Right {
    /// Of a respondent, by the form's password or the right to the entry.
    Respondent { published: Box<Published>, own: Option<Own>, address: String },
    /// Of a visitor of a public query, by the right to edit a row, in which these fields may be edited.
    Visitor { open: Box<OpenQuery>, entry: String, editable: Vec<String> },
    /// Of a collaborator who may change entries, by the CSRF token of the session.
    Collaborator { form: Box<Form>, parsed: Arc<ParsedForm>, csrf: String },
    /// There is nothing to send files for; the handler of the post says why.
    Nobody,
}

/// Proofs in a post that its sender may send files.
#[derive(Clone, Copy)]
pub struct UploadRight<'g> {
    /// The form's password.
    pub password: Option<&'g Password>,
    /// The texts that came so far.
    pub texts: &'g [(String, String)],
}

impl Right {
    /// That of a visitor to the row that was found for the post.
    ///
    /// # Errors
    /// Internal.
    pub fn of_visitor(found: Result<Results>, entry: &str) -> Result<Self> {
        match found {
            Ok(Results { open, .. }) => {
                let columns = open.columns().into_iter();
                let editable = columns.filter(|column| column.is_editable);
                Ok(Self::Visitor {
                    editable: editable.map(|column| column.rule.field.clone()).collect(),
                    open: Box::new(open),
                    entry: entry.to_owned(),
                })
            }
            Err(Error::NotFound(_) | Error::NotHere(_)) => Ok(Self::Nobody),
            Err(error) => Err(error),
        }
    }

    /// The form and its fields.
    pub fn form_and_fields(&self) -> Option<(&Form, &Fields)> {
        match self {
            Right::Respondent { published, .. } => Some((&published.form, &published.parsed.definition.fields)),
            Right::Visitor { open, .. } => Some((&open.form, &open.parsed.definition.fields)),
            Right::Collaborator { form, parsed, .. } => Some((form, &parsed.definition.fields)),
            Right::Nobody => None,
        }
    }

    /// Whether the page shows a field: what visitors may edit may be hidden in the form.
    pub fn shows(&self, field: &Field) -> bool {
        match self {
            Right::Respondent { .. } => !field.hidden,
            Right::Visitor { editable, .. } => editable.contains(&field.api_code),
            Right::Collaborator { .. } => true,
            Right::Nobody => false,
        }
    }

    pub fn field(&self, code: &str) -> Option<&Field> {
        let (_, fields) = self.form_and_fields()?;
        fields.get(code).filter(|field| self.shows(field))
    }

    /// Whether these proofs allow sending files.
    pub fn admits(&self, app: &App, given: UploadRight) -> bool {
        match self {
            Right::Respondent { published, own, address } => {
                let visitor = Visitor::of_page(given.password, address);
                match own {
                    None => published::check_password(app, published, visitor).is_ok(),
                    Some(own) => {
                        let ask = Ask {
                            form: published.form.token.as_str(),
                            entry: &own.entry,
                            edit_token: own.edit_token.as_deref(),
                            visitor,
                        };
                        respondent_entries::find(app, &ask).is_ok()
                    }
                }
            }
            Right::Visitor { open, entry, .. } => {
                let mut texts = given.texts.iter();
                let token = texts.find(|(name, _)| name == "edit_token");
                let token = token.map_or("", |(_, token)| token.as_str());
                edit::check_right(app, open, entry, token, clock::now()).is_ok()
            }
            Right::Collaborator { csrf, .. } => {
                let mut texts = given.texts.iter();
                let sent = texts.find(|(name, _)| name == "csrf");
                sent.is_some_and(|(_, sent)| secret::same(sent.as_bytes(), csrf.as_bytes()))
            }
            Right::Nobody => false,
        }
    }
}
