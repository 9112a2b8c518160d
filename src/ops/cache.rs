//! Parsed forms, kept by token and version: a version read in this transaction decides whether one may
//! be used, so that a change by another process is seen at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jiff::tz::TimeZone;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::FormToken;
use crate::fields::columns::{self, Column};
use crate::fields::definition::Definition;
use crate::fields::files::links::{FileLinks, FilesCx};
use crate::fields::images::Images;
use crate::fields::kind::Cx;
use crate::fields::links::{Found, NOTHING};
use crate::fields::rules::Rules;
use crate::model::form::{Form, Parts};
use crate::ops::after_template::Template;
use crate::ops::images;
use crate::ops::unsealed::Newest;
use crate::store::tx::Tx;
use crate::store::{entry_keys, forms};

const FORMS: usize = 256;

/// A form with its parts read.
pub struct ParsedForm {
    /// The parts as they are stored.
    pub parts: Parts,
    /// The fields.
    pub definition: Definition,
    /// The rules over them.
    pub rules: Rules,
    /// Differs when the fields differ: part of the tags of entries.
    pub fields_mark: u32,
    /// The fields whose entries add exact keys.
    pub keyed: Vec<u32>,
    /// The form's number.
    pub form_no: i64,
    /// Whether entries link to entries of other forms.
    pub links: bool,
    /// Whether entries may have files.
    pub files: bool,
    /// The images that its parts name.
    pub images: Images,
    /// The form's timezone; UTC where the stored name is no longer known.
    pub timezone: TimeZone,
    /// What follows a submission, once it was asked for.
    pub(in crate::ops) after_submission: OnceLock<Template>,
    file_links: Arc<FileLinks>,
    locale: String,
    columns: OnceLock<Vec<Column>>,
}

impl ParsedForm {
    /// The columns that have segments.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| {
            let cx = self.cx(Time::default(), false);
            columns::columns(&self.definition.fields, &cx)
        })
    }

    /// Whether the same value has the same keys as in another form.
    pub fn reads_as(&self, other: &Self) -> bool {
        self.timezone == other.timezone && self.locale == other.locale
    }

    /// What reading and writing values needs to know where nothing of other forms matters.
    pub fn cx(&self, now: Time, respondent: bool) -> Cx<'_> {
        self.cx_with(now, respondent, &NOTHING)
    }

    /// What reading and writing values needs to know, with what was looked up in other forms.
    pub fn cx_with<'a>(&'a self, now: Time, respondent: bool, found: &'a Found) -> Cx<'a> {
        Cx {
            timezone: &self.timezone,
            locale: &self.locale,
            now,
            respondent,
            found,
            files: FilesCx {
                // An address that nobody knows leads nowhere: then there are none.
                links: Some(&*self.file_links).filter(|links| !links.base_url.is_empty()),
                ..FilesCx::default()
            },
        }
    }
}

/// The parsed forms in use.
pub struct Cache {
    file_links: Arc<FileLinks>,
    forms: Mutex<HashMap<FormToken, (i64, Arc<ParsedForm>)>>,
    /// What filters look at of the newest entries.
    pub(in crate::ops) newest: Newest,
}

impl Cache {
    /// An empty one; addresses of files are made so.
    pub fn new(file_links: FileLinks) -> Self {
        Self {
            file_links: Arc::new(file_links),
            forms: Mutex::default(),
            newest: Newest::default(),
        }
    }

    /// The parts of a form whose row was read in this transaction.
    ///
    /// # Errors
    /// Internal, when the stored fields are damaged.
    pub fn parsed(&self, tx: &Tx, form: &Form) -> Result<Arc<ParsedForm>> {
        if let Ok(forms) = self.forms.lock()
            && let Some((version, parsed)) = forms.get(&form.token)
            && *version == form.version
        {
            return Ok(Arc::clone(parsed));
        }
        let parts = forms::parts(tx, form.form_no)?;
        let images = images::of_form(tx, form.form_no, &self.file_links.base_url)?;
        let definition =
            Definition::from_stored_with(parts.fields.clone(), &images).map_err(Error::internal)?;
        let timezone = TimeZone::get(&form.timezone).unwrap_or(TimeZone::UTC);
        let cx = Cx {
            timezone: &timezone,
            locale: &form.locale,
            now: tx.now,
            respondent: false,
            found: &NOTHING,
            files: FilesCx::default(),
        };
        let (rules, faults) = Rules::read(&parts.field_rules, &definition.fields, &cx);
        if !faults.is_empty() {
            tracing::warn!(form = %form.token, ?faults, "stored field rules don't fit the fields");
        }
        let fields_mark = crc32fast::hash(parts.fields.to_string().as_bytes());
        let links = definition.fields.linking().next().is_some();
        let files = definition.fields.iter().any(|field| field.kind.has_files());
        let parsed = Arc::new(ParsedForm {
            form_no: form.form_no,
            files,
            file_links: Arc::clone(&self.file_links),
            parts,
            definition,
            rules,
            links,
            images,
            fields_mark,
            keyed: entry_keys::keyed(tx, form.form_no)?,
            timezone,
            after_submission: OnceLock::new(),
            locale: form.locale.clone(),
            columns: OnceLock::new(),
        });
        if let Ok(mut forms) = self.forms.lock() {
            if forms.len() >= FORMS {
                forms.clear();
            }
            forms.insert(form.token.clone(), (form.version, Arc::clone(&parsed)));
        }
        Ok(parsed)
    }
}
