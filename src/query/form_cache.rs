//! Cache of parsed forms by token and version. The version is read in each transaction, so that a change by another
//! process is seen at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jiff::tz::TimeZone;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::FormToken;
use crate::fields::definition::Definition;
use crate::fields::display::dates;
use crate::fields::files::links::{FileLinks, FilesCx};
use crate::fields::images::Images;
use crate::fields::kind::Cx;
use crate::fields::links::{LinkedData, NOTHING};
use crate::fields::system::{self, SystemField};
use crate::fields::texts::after_template::Template;
use crate::fields::values::results::exam::{self, Key};
use crate::fields::values::results::pricing::Prices;
use crate::fields::values::results::{self, Scheme};
use crate::fields::values::rules::Rules;
use crate::fields::values::{Checked, Values};
use crate::model::form::{Form, Parts};
use crate::model::results::Results;
use crate::model::settings::Settings;
use crate::query::segments::{Column, columns};
use crate::query::tail_cache::TailCache;
use crate::store::backups::restoring;
use crate::store::db::tx::Tx;
use crate::store::entries::entry_keys::{self, IndexState};
use crate::store::files::images;
use crate::store::forms;

const FORMS: usize = 256;
/// Estimated memory of all of them.
const BYTES: usize = 64 << 20;
/// Estimated memory per byte of a definition.
const PARSED: usize = 20;
/// Rules of more bytes may take milliseconds for a long answer.
const LARGE_RULES: usize = 8 << 10;
/// More fields that formulas need which depend on the day: a list computes them for each of its entries.
const MANY_DAILY: usize = 8;

/// A form with its parts parsed.
pub struct ParsedForm {
    /// The parts as they are stored.
    pub parts: Parts,
    /// The settings, read.
    pub settings: Settings,
    pub definition: Definition,
    pub rules: Rules,
    /// A checksum of the fields, and of the last restore.
    fields_mark: u32,
    /// The numbers of the indexes to which entries add keys.
    pub keyed: Vec<u32>,
    /// The fields whose keys for public queries are complete.
    pub searched: Vec<u32>,
    pub form_no: i64,
    /// Whether entries link to entries of other forms.
    pub links: bool,
    /// Whether entries may have files.
    pub files: bool,
    /// The images that its parts name.
    pub images: Images,
    /// The form's timezone; UTC where the stored name is no longer known.
    pub timezone: TimeZone,
    /// The template of `after_submission`, parsed when first needed.
    pub after_submission: OnceLock<Template>,
    heavy: bool,
    file_links: Arc<FileLinks>,
    locale: String,
    pub scene: String,
    result_fields: OnceLock<Vec<&'static SystemField>>,
    exam_key: OnceLock<Option<Key>>,
    columns: OnceLock<Vec<Column>>,
}

impl ParsedForm {
    /// Its images, loaded once more.
    ///
    /// # Errors
    /// 503.
    pub fn images_again(&self, tx: &Tx) -> Result<Images> {
        images_of(tx, self.form_no, &self.file_links.base_url)
    }

    /// The columns that have segments.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| {
            let cx = self.cx(Time::default(), false);
            let mut columns = columns(&self.definition.fields, &cx);
            // Their keys are other ones tomorrow, though no entry changes.
            let is_daily = |column: &Column| column.place().is_some_and(|it| self.rules.is_daily(it));
            columns.retain(|column| !is_daily(column));
            columns
        })
    }

    /// A checksum of everything that entries show besides their stored values: part of their ETags.
    pub fn entry_mark(&self, now: Time) -> u32 {
        if !self.rules.has_daily() {
            return self.fields_mark;
        }
        let mut mark = crc32fast::Hasher::new_with_initial(self.fields_mark);
        let now = dates::local(now.timestamp(), &self.timezone);
        mark.update(dates::Precision::Day.cut(&now).as_bytes());
        mark.update(self.locale.as_bytes());
        mark.update(self.parts.field_rules.to_string().as_bytes());
        mark.finalize()
    }

    /// The form as it would be with these fields, settings, theme and rules: for looks at a draft, never for entries.
    pub fn with_draft(&self, definition: Definition, parts: Parts, settings: Settings, images: Images) -> Self {
        let cx = self.cx(Time::default(), false);
        let (rules, _) = Rules::read(&parts.field_rules, &definition.fields, &cx);
        let links = definition.fields.linking().next().is_some();
        Self {
            parts,
            settings,
            rules,
            fields_mark: self.fields_mark,
            keyed: Vec::new(),
            searched: Vec::new(),
            form_no: self.form_no,
            links,
            files: definition.fields.iter().any(|field| field.kind.has_files()),
            images,
            timezone: self.timezone.clone(),
            after_submission: OnceLock::new(),
            heavy: definition.is_heavy(),
            file_links: Arc::clone(&self.file_links),
            locale: self.locale.clone(),
            scene: self.scene.clone(),
            result_fields: OnceLock::new(),
            exam_key: OnceLock::new(),
            columns: OnceLock::new(),
            definition,
        }
    }

    /// The system fields of its entries that are results.
    pub fn result_fields(&self) -> &[&'static SystemField] {
        self.result_fields.get_or_init(|| {
            let fields = &self.definition.fields;
            system::results_of(&self.scene, &self.settings, fields).collect()
        })
    }

    /// The correct answers of an exam; `None` for other forms.
    pub fn exam_key(&self) -> Option<&Key> {
        let made = || {
            let cx = self.cx(Time::default(), false);
            let key = || Key::of(&self.settings.exam, &self.definition.fields, &cx);
            (self.scene == exam::SCENE).then(key)
        };
        self.exam_key.get_or_init(made).as_ref()
    }

    /// Whether entries have values derived from their answers, the rules and the form's language: formulas, scores or
    /// reports.
    pub fn derives(&self) -> bool {
        self.rules.has_formulas() || results::is_scored(&self.scene)
    }

    fn scheme(&self) -> Scheme<'_> {
        Scheme {
            scene: &self.scene,
            settings: &self.settings,
            fields: &self.definition.fields,
            rules: &self.rules,
            key: self.exam_key(),
        }
    }

    /// The results of a new entry with these values, which has those already.
    pub fn results(&self, checked: &Checked, before: &Results, cx: &Cx) -> Results {
        results::of(&self.scheme(), checked, before, cx)
    }

    /// The results of an entry whose values were `old` and are these now.
    pub fn results_of_change(&self, old: &Values, checked: &Checked, before: &Results, cx: &Cx) -> Results {
        results::of_change(&self.scheme(), old, checked, before, cx)
    }

    /// The results of an entry after an edit of the form.
    pub fn results_again(&self, values: &Values, before: &Results, now: Time, cx: &Cx) -> Results {
        results::again(&self.scheme(), values, before, now, cx)
    }

    /// The price of an order with these values; `None` if the form sells nothing.
    pub fn prices(&self, checked: &Checked, cx: &Cx) -> Option<Prices> {
        results::prices(&self.scheme(), checked, cx)
    }

    /// Whether drawing its page or storing a submission takes more than some milliseconds.
    pub fn is_heavy(&self) -> bool {
        self.heavy
    }

    /// Whether values have the same keys as in another form.
    pub fn reads_as(&self, other: &Self) -> bool {
        self.timezone == other.timezone && self.locale == other.locale
    }

    /// The context for values, without anything of other forms.
    pub fn cx(&self, now: Time, respondent: bool) -> Cx<'_> {
        self.cx_with(now, respondent, &NOTHING)
    }

    /// The context for values, with data loaded from other forms.
    pub fn cx_with<'a>(&'a self, now: Time, respondent: bool, found: &'a LinkedData) -> Cx<'a> {
        Cx {
            timezone: &self.timezone,
            locale: &self.locale,
            now,
            respondent,
            found,
            files: FilesCx {
                // Without a base URL there are no links.
                links: Some(&*self.file_links).filter(|links| !links.base_url.is_empty()),
                ..FilesCx::default()
            },
            pass_score: self.settings.exam.pass_score.filter(|_| self.scene == exam::SCENE),
            has_waiting_list: self.settings.capacity.waiting_list,
        }
    }
}

/// Forms by token.
#[derive(Default)]
struct Forms(HashMap<FormToken, CachedForm>);

struct CachedForm {
    version: i64,
    parsed: Arc<ParsedForm>,
    /// Estimated memory.
    bytes: usize,
}

impl Forms {
    /// Adds a form. The largest are evicted first, so that small ones stay.
    fn keep(&mut self, token: &FormToken, kept: CachedForm) {
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
    /// Segments of the newest entries.
    pub(in crate::query) tail: TailCache,
}

impl Cache {
    /// An empty cache.
    pub fn new(file_links: FileLinks) -> Self {
        Self { file_links: Arc::new(file_links), forms: Mutex::default(), tail: TailCache::default() }
    }

    /// Whether work on a form takes more than some milliseconds; `None` where the form is not cached.
    pub fn is_heavy(&self, token: &str) -> Option<bool> {
        let forms = self.forms.lock().ok()?;
        let kept = forms.0.get(&FormToken::new(token))?;
        Some(kept.parsed.is_heavy())
    }

    /// Like [`is_heavy`](Self::is_heavy), reading the form if it is not cached.
    pub fn read(&self, tx: &Tx, token: &str) -> Result<bool> {
        let form = forms::by_token(tx, token)?;
        let parsed = form.map(|form| self.parsed(tx, &form)).transpose()?;
        Ok(parsed.is_some_and(|parsed| parsed.is_heavy()))
    }

    /// A form whose row was read in this transaction, where it was parsed before.
    pub fn known(&self, form: &Form) -> Option<Arc<ParsedForm>> {
        let forms = self.forms.lock().ok()?;
        let kept = forms.0.get(&form.token)?;
        (kept.version == form.version).then(|| Arc::clone(&kept.parsed))
    }

    /// The parts of a form whose row was read in this transaction.
    ///
    /// # Errors
    /// Internal, when the stored fields are damaged.
    pub fn parsed(&self, tx: &Tx, form: &Form) -> Result<Arc<ParsedForm>> {
        if let Some(known) = self.known(form) {
            return Ok(known);
        }
        let parts = forms::parts(tx, form.form_no)?;
        let images = images_of(tx, form.form_no, &self.file_links.base_url)?;
        let definition = Definition::from_stored_with(parts.fields.clone(), &images).map_err(Error::internal)?;
        let timezone = TimeZone::get(&form.timezone).unwrap_or(TimeZone::UTC);
        let cx = Cx {
            timezone: &timezone,
            locale: &form.locale,
            now: tx.now,
            respondent: false,
            found: &NOTHING,
            files: FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        };
        let (rules, faults) = Rules::read(&parts.field_rules, &definition.fields, &cx);
        if !faults.is_empty() {
            tracing::warn!(form = %form.token, ?faults, "stored field rules don't fit the fields");
        }
        let stored = parts.fields.to_string();
        let mut fields_mark = crc32fast::Hasher::new();
        if let Some(restored) = restoring::mark(tx)? {
            fields_mark.update(&restored.to_be_bytes());
        }
        fields_mark.update(stored.as_bytes());
        let settings = Settings::of(&parts.settings)?;
        // The pass score decides about `exam_passed`.
        if let Some(pass_score) = settings.exam.pass_score {
            fields_mark.update(&pass_score.to_be_bytes());
        }
        let bytes = definition.pattern_cost().bytes() + stored.len() * PARSED;
        let links = definition.fields.linking().next().is_some();
        let files = definition.fields.iter().any(|field| field.kind.has_files());
        let indexes = entry_keys::states(tx, form.form_no)?;
        let parsed = Arc::new(ParsedForm {
            form_no: form.form_no,
            files,
            heavy: definition.is_heavy()
                || parts.field_rules.to_string().len() > LARGE_RULES
                || rules.needed_daily().len() > MANY_DAILY,
            file_links: Arc::clone(&self.file_links),
            settings,
            parts,
            definition,
            rules,
            links,
            images,
            fields_mark: fields_mark.finalize(),
            keyed: indexes
                .iter()
                .filter(|(_, state)| *state != IndexState::Dropping)
                .map(|(number, _)| *number)
                .collect(),
            searched: indexes
                .iter()
                .filter(|(_, state)| *state == IndexState::Ready)
                .filter_map(|(number, _)| entry_keys::searched_field(*number))
                .collect(),
            timezone,
            after_submission: OnceLock::new(),
            locale: form.locale.clone(),
            scene: form.scene.clone(),
            result_fields: OnceLock::new(),
            exam_key: OnceLock::new(),
            columns: OnceLock::new(),
        });
        // Data that the writer reads may be rolled back.
        if !tx.is_writing()
            && let Ok(mut forms) = self.forms.lock()
        {
            let kept = CachedForm { version: form.version, parsed: Arc::clone(&parsed), bytes };
            forms.keep(&form.token, kept);
        }
        Ok(parsed)
    }
}

/// The images that a form's parts name.
fn images_of(tx: &Tx, form_no: i64, base_url: &str) -> Result<Images> {
    let mut out = Images::of_stored(base_url);
    for image in images::of_form(tx, form_no)? {
        out.add(image.token, (image.width, image.height));
    }
    Ok(out)
}
