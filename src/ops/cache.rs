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
use crate::model::settings::Settings;
use crate::ops::after_template::Template;
use crate::ops::images;
use crate::ops::unsealed::Newest;
use crate::store::tx::Tx;
use crate::store::{entry_keys, forms};

const FORMS: usize = 256;
/// The memory that they may take, as it is estimated.
const BYTES: usize = 64 << 20;
/// What a byte of a definition comes to when it is parsed.
const PARSED: usize = 20;
/// Rules of more bytes may take milliseconds for a long answer.
const LARGE_RULES: usize = 8 << 10;

/// A form with its parts read.
pub struct ParsedForm {
    /// The parts as they are stored.
    pub parts: Parts,
    /// The settings, read.
    pub settings: Settings,
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
    heavy: bool,
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

    /// Whether an answer to its page or a submission must not be made where others would wait for it.
    pub fn is_heavy(&self) -> bool {
        self.heavy
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

/// Forms by token.
#[derive(Default)]
struct Forms(HashMap<FormToken, Kept>);

struct Kept {
    version: i64,
    parsed: Arc<ParsedForm>,
    /// The memory that it takes, as it is estimated.
    bytes: usize,
}

impl Forms {
    /// Keeps one; the largest give way to it, so that small ones never do.
    fn keep(&mut self, token: &FormToken, kept: Kept) {
        self.0.remove(token);
        if self.0.len() >= FORMS {
            self.0.clear();
        }
        while self.bytes() + kept.bytes > BYTES {
            let largest = self.0.iter().max_by_key(|(_, kept)| kept.bytes);
            let Some(largest) = largest.map(|(token, _)| token.clone()) else {
                break;
            };
            self.0.remove(&largest);
        }
        self.0.insert(token.clone(), kept);
    }

    fn bytes(&self) -> usize {
        self.0.values().map(|kept| kept.bytes).sum()
    }
}

/// The parsed forms in use.
pub struct Cache {
    file_links: Arc<FileLinks>,
    forms: Mutex<Forms>,
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

    /// Whether work on a form takes more than some milliseconds; none where it has to be read first.
    pub fn is_heavy(&self, token: &str) -> Option<bool> {
        let forms = self.forms.lock().ok()?;
        let kept = forms.0.get(&FormToken::new(token))?;
        Some(kept.parsed.is_heavy())
    }

    /// Reads a form, and says whether work on it takes more than some milliseconds.
    pub fn read(&self, tx: &Tx, token: &str) -> Result<bool> {
        let form = forms::by_token(tx, token)?;
        let parsed = form.map(|form| self.parsed(tx, &form)).transpose()?;
        Ok(parsed.is_some_and(|parsed| parsed.is_heavy()))
    }

    /// The parts of a form whose row was read in this transaction.
    ///
    /// # Errors
    /// Internal, when the stored fields are damaged.
    pub fn parsed(&self, tx: &Tx, form: &Form) -> Result<Arc<ParsedForm>> {
        if let Ok(forms) = self.forms.lock()
            && let Some(kept) = forms.0.get(&form.token)
            && kept.version == form.version
        {
            return Ok(Arc::clone(&kept.parsed));
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
        let stored = parts.fields.to_string();
        let fields_mark = crc32fast::hash(stored.as_bytes());
        let bytes = definition.pattern_cost().bytes() + stored.len() * PARSED;
        let links = definition.fields.linking().next().is_some();
        let files = definition.fields.iter().any(|field| field.kind.has_files());
        let parsed = Arc::new(ParsedForm {
            form_no: form.form_no,
            files,
            heavy: definition.is_heavy() || parts.field_rules.to_string().len() > LARGE_RULES,
            file_links: Arc::clone(&self.file_links),
            settings: Settings::of(&parts.settings)?,
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
        // What the writer reads may be rolled back.
        if !tx.is_writing()
            && let Ok(mut forms) = self.forms.lock()
        {
            let kept = Kept {
                version: form.version,
                parsed: Arc::clone(&parsed),
                bytes,
            };
            forms.keep(&form.token, kept);
        }
        Ok(parsed)
    }
}
