//! The entries that a linked field can be set to, for respondents and collaborators (contract section 5). Respondents
//! search and see only public fields, with protected ones masked (S42).

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::base::reason::{Expected, Reason};
use crate::base::{clock, text};
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::links::{LinkRules, LinkedData, LinkedEntry, LinkedForm, Offer};
use crate::fields::values::Values;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::ops::app::App;
use crate::ops::entries::links;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::{self, Published, Visitor};
use crate::query::as_read::Picker;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::listing::{self, Sort};
use crate::store::entries::{self, Table};

/// Shorter keywords find nothing, unless browsing is allowed.
const MIN_KEYWORD: usize = 2;
const MAX_KEYWORD: usize = 200;
/// The most entries that are scanned for one answer. The cursor resumes from there.
const MAX_SCANNED: usize = 10_000;
/// The same on threads that must not block.
const MAX_SCANNED_QUICKLY: usize = 1000;
const BATCH: usize = 500;
/// The number of options on a page.
const OFFERED: usize = 20;

/// A search for options.
pub struct Request {
    /// The linked field.
    pub field: String,
    /// A part of a text in one of the search fields.
    pub keyword: String,
    pub page: PageRequest,
}

/// A search in a control of a form page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// The linked field.
    pub field: String,
    pub keyword: String,
}

/// The options of a published form's linked field, as respondents see them.
///
/// # Errors
/// 400 for a cursor of another list, 403 for the password or while no submissions are accepted, 404, 422 for another
/// field.
pub fn for_respondent(app: &App, token: &str, visitor: Visitor, request: &Request) -> Result<Page<String>> {
    let published = published::show(app, token, visitor)?;
    published.status.check()?;
    app.store.read(|tx| list(app, tx, &published.parsed, true, request))
}

/// The same for collaborators: all fields, none masked.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404, 422 for another field.
pub fn for_collaborator(app: &App, caller: &Caller, token: &str, request: &Request) -> Result<Page<String>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        list(app, tx, &parsed, false, request)
    })
}

fn list(app: &App, tx: &Tx, parsed: &ParsedForm, respondent: bool, request: &Request) -> Result<Page<String>> {
    let field = parsed.definition.fields.get(&request.field);
    let rules = field
        .filter(|field| !(respondent && field.hidden))
        .and_then(|field| field.kind.link_rules())
        .ok_or_else(|| Error::invalid("field", Reason::MustBe(Expected::Other("a linked_form field of this form"))))?;
    if text::length(&request.keyword) > MAX_KEYWORD {
        let message = Reason::TooLong { most: MAX_KEYWORD };
        return Err(Error::invalid("keyword", message));
    }
    let cx = parsed.cx(tx.now, respondent);
    let search_page = Search {
        keyword: &request.keyword,
        place: request.page.place()?,
        size: request.page.size,
        max_scanned: MAX_SCANNED,
    };
    let found = search(&app.cache, tx, rules, &search_page, &cx)?;
    let rows = found.page.rows.iter().filter_map(|entry| {
        let form = found.form.as_deref()?;
        Some(serde_json::to_string(&LinkedOption::new(rules, form, entry, &cx)).map_err(Error::internal))
    });
    Ok(Page { rows: rows.collect::<Result<_>>()?, total: found.page.total, next: found.page.next })
}

/// An entry that can be linked to.
#[derive(Serialize, JsonSchema)]
pub struct LinkedOption<'e> {
    /// The value that links to the entry.
    entry_token: &'e str,
    #[schemars(range(min = 1))]
    serial_number: i64,
    /// The entry's label.
    label: String,
    /// The displayed values, by the linked form's `api_code`s.
    #[schemars(schema_with = "displayed_values")]
    display_fields: Json,
}

fn displayed_values(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "additionalProperties": reference("FieldValue")})
}

impl<'e> LinkedOption<'e> {
    fn new(rules: &LinkRules, form: &LinkedForm, entry: &'e LinkedEntry, cx: &Cx) -> Self {
        Self {
            entry_token: entry.entry.token.as_str(),
            serial_number: entry.entry.serial,
            label: rules.label(form, entry, cx),
            display_fields: rules.display(form, entry, cx),
        }
    }
}

/// A page of entries that can be linked to.
struct Options {
    form: Option<Arc<LinkedForm>>,
    may_browse: bool,
    page: Page<LinkedEntry>,
}

/// One page of a search.
struct Search<'k> {
    keyword: &'k str,
    /// The number of matches on the previous pages, and the serial number that they ended at.
    place: Option<(i64, i64)>,
    size: usize,
    max_scanned: usize,
}

/// The entries with the keyword in a search field, newest first.
fn search(cache: &Cache, tx: &Tx, rules: &LinkRules, search_page: &Search, cx: &Cx) -> Result<Options> {
    let mut options = Options { form: None, may_browse: false, page: Page { rows: Vec::new(), total: 0, next: None } };
    let Some(row) = linked_entries::live(tx, &rules.form_token)? else {
        return Ok(options);
    };
    let parsed = cache.parsed(tx, &row)?;
    // Collaborators see the entries anyway; how little a respondent may type is the other form's decision.
    let is_browsed = parsed.settings.browse_linked_entries;
    options.may_browse = is_browsed || !cx.respondent;
    let form = linked_entries::linked(cache, tx, &row)?;
    let keyword = text::fold(search_page.keyword.trim());
    let read = |entry| linked_entries::read(tx, &parsed, entry);
    // An entry's token is a valid keyword.
    let named = entries::by_token(tx, row.form_no, search_page.keyword.trim())?;
    if let Some(entry) = named {
        options.page.rows.push(read(entry)?);
        options.page.total = 1;
    } else if keyword.is_empty() && options.may_browse {
        options.page = browse(tx, &row, search_page, read)?;
    } else if text::length(&keyword) >= MIN_KEYWORD || options.may_browse {
        let picker = Picker::new(&parsed, rules.searched(cx.respondent).collect());
        let own_cx = parsed.cx(tx.now, false);
        let is_match = |entry: &Entry| {
            let values = picker.values(&entry.values, &own_cx)?;
            Ok(rules.matches(&form, &values, &keyword, cx))
        };
        let batch_after = |after: Option<i64>, limit| {
            let place = after.map(|serial| (0, serial));
            let no = row.form_no;
            listing::list(tx, no, Table::Live, Sort::Serial, true, place, limit)
        };
        if rules.searched(cx.respondent).next().is_some() {
            options.page = scan(search_page, batch_after, is_match, read)?;
        }
    }
    options.form = Some(form);
    Ok(options)
}

fn browse(
    tx: &Tx,
    form: &Form,
    search_page: &Search,
    read: impl Fn(Entry) -> Result<LinkedEntry>,
) -> Result<Page<LinkedEntry>> {
    let size = search_page.size + 1;
    let mut rows = listing::list(tx, form.form_no, Table::Live, Sort::Serial, true, search_page.place, size)?;
    let more = rows.len() > search_page.size;
    rows.truncate(search_page.size);
    let next = rows.last().filter(|_| more);
    let next = next.map(|entry| format!("0.{}", entry.serial));
    let rows = rows.into_iter().map(read).collect::<Result<_>>()?;
    Ok(Page { rows, total: form.entries_count, next })
}

/// Scans entries from a position, newest first, up to a limit. The total counts the matches up to where the scan ended:
/// all of them, if the form has no more entries.
fn scan(
    search_page: &Search,
    batch_after: impl Fn(Option<i64>, usize) -> Result<Vec<Entry>>,
    is_match: impl Fn(&Entry) -> Result<bool>,
    read: impl Fn(Entry) -> Result<LinkedEntry>,
) -> Result<Page<LinkedEntry>> {
    let before = search_page.place.map_or(0, |(found, _)| found);
    let mut found = 0;
    let mut rows: Vec<LinkedEntry> = Vec::new();
    let mut last = search_page.place.map(|(_, serial)| serial);
    let mut left = search_page.max_scanned;
    let mut at_end = false;
    while !at_end && left > 0 {
        let limit = left.min(BATCH);
        let batch = batch_after(last, limit)?;
        at_end = batch.len() < limit;
        left -= batch.len();
        for entry in batch {
            last = Some(entry.serial);
            if is_match(&entry)? {
                found += 1;
                if rows.len() < search_page.size {
                    rows.push(read(entry)?);
                }
            }
        }
    }
    let is_full = i64::try_from(rows.len()).is_ok_and(|shown| shown < found);
    let next = if is_full {
        // The next page starts here and finds the remaining matches again.
        let shown = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        rows.last().map(|last| format!("{}.{}", before + shown, last.entry.serial))
    } else {
        last.filter(|_| !at_end).map(|serial| format!("{}.{serial}", before + found))
    };
    Ok(Page { rows, total: before + found, next })
}

/// Entries and files that a form page needs to look up: those of its values and of the entry `old` that it changes, and
/// the options of its controls. A field with a search offers the matches, others the options that can be browsed.
pub fn for_page(
    app: &App,
    published: &Published,
    (given, old): (&Values, Option<&Entry>),
    finds: &[Find],
    may_block: bool,
) -> Result<LinkedData> {
    let parsed = &published.parsed;
    let mut found = LinkedData::default();
    if parsed.links || parsed.files {
        found = app.store.read(|tx| {
            let mut found = links::of_write(&app.cache, tx, parsed, Some(given), old)?;
            let fields = parsed.definition.fields.linking();
            let looks = if may_block { Looks::LONG } else { Looks::BRIEF };
            offer_all(app, tx, parsed, fields, finds, looks, &mut found)?;
            Ok(found)
        })?;
    }
    found.files.by_page = true;
    Ok(found)
}

/// For whom options are looked up, and how far.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Looks {
    is_respondent: bool,
    max_scanned: usize,
}

impl Looks {
    /// For a respondent, on a thread that may wait.
    const LONG: Self = Self { is_respondent: true, max_scanned: MAX_SCANNED };
    /// For a respondent, on a thread that must not block.
    pub const BRIEF: Self = Self { is_respondent: true, max_scanned: MAX_SCANNED_QUICKLY };
    /// For a collaborator, on a thread that may wait.
    pub const COLLABORATOR: Self = Self { is_respondent: false, max_scanned: MAX_SCANNED };
}

/// Adds the options of these linked fields; to respondents, none of hidden ones.
pub(in crate::ops) fn offer_all<'f>(
    app: &App,
    tx: &Tx,
    parsed: &ParsedForm,
    fields: impl Iterator<Item = &'f Field>,
    finds: &[Find],
    looks: Looks,
    found: &mut LinkedData,
) -> Result<()> {
    let Looks { is_respondent, max_scanned } = looks;
    let cx = parsed.cx(tx.now, is_respondent);
    for field in fields.filter(|field| !(is_respondent && field.hidden)) {
        let find = finds.iter().find(|find| find.field == field.api_code);
        let keyword = find.map_or("", |find| find.keyword.as_str());
        if let Some((form, offer)) = offer(&app.cache, tx, field, keyword, max_scanned, &cx)? {
            found.add_form(form.0, form.1);
            found.add_offer(field.api_code.clone(), offer);
        }
    }
    Ok(())
}

type Named = (String, Arc<LinkedForm>);

fn offer(
    cache: &Cache,
    tx: &Tx,
    field: &Field,
    keyword: &str,
    max_scanned: usize,
    cx: &Cx,
) -> Result<Option<(Named, Offer)>> {
    let Some(rules) = field.kind.link_rules() else {
        return Ok(None);
    };
    let keyword: String = keyword.chars().take(MAX_KEYWORD).collect();
    let search_page = Search { keyword: &keyword, place: None, size: OFFERED, max_scanned };
    let options = search(cache, tx, rules, &search_page, cx)?;
    let offer = Offer {
        keyword,
        more: options.page.next.is_some(),
        entries: options.page.rows,
        may_browse: options.may_browse,
    };
    let form = options.form.map(|form| (rules.form_token.clone(), form));
    Ok(form.map(|form| (form, offer)))
}

/// The options of one field, as the script of a page gets them.
pub fn offered(app: &App, parsed: &ParsedForm, find: &Find, is_respondent: bool) -> Result<Json> {
    let cx = parsed.cx(clock::now(), is_respondent);
    let field = parsed.definition.fields.get(&find.field).filter(|field| !(is_respondent && field.hidden));
    let rules = field.and_then(|field| field.kind.link_rules());
    let (Some(field), Some(rules)) = (field, rules) else {
        return Ok(json!({"options": [], "more": false}));
    };
    let found = app.store.read(|tx| offer(&app.cache, tx, field, &find.keyword, MAX_SCANNED, &cx))?;
    let Some(((_, form), offer)) = found else {
        return Ok(json!({"options": [], "more": false}));
    };
    let options = offer.entries.iter().map(|entry| {
        let details = rules.details(&form, entry, &cx).into_iter();
        json!({
            "token": entry.entry.token.as_str(),
            "label": rules.label(&form, entry, &cx),
            "details": details.map(|(name, text)| json!({"name": name, "text": text})).collect::<Json>(),
        })
    });
    Ok(json!({"options": options.collect::<Json>(), "more": offer.more}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Time;
    use crate::base::id::EntryToken;
    use crate::model::results::Results;

    /// Entries 1 to 100, newest first; every tenth is looked for.
    fn piece_from(after: Option<i64>, limit: usize) -> Result<Vec<Entry>> {
        let newest = after.map_or(100, |serial| serial - 1);
        let entry = |serial: i64| Entry {
            serial,
            token: EntryToken::new(serial.to_string()),
            created_at: Time::from_millis(0),
            updated_at: Time::from_millis(0),
            version: 1,
            creator_name: None,
            duration_secs: None,
            x_field_1: None,
            waiting_position: None,
            values: String::new(),
            results: Results::default(),
        };
        Ok((1..=newest).rev().take(limit).map(entry).collect())
    }

    /// All pages, with the total that each tells, and how many there were.
    fn walk(size: usize, max_scanned: usize) -> (Vec<i64>, Vec<i64>) {
        let (mut found, mut totals, mut place) = (Vec::new(), Vec::new(), None);
        loop {
            let search_page = Search { keyword: "", place, size, max_scanned };
            let is_match = |entry: &Entry| Ok(entry.serial % 10 == 0);
            let read = |entry| {
                let values = Values::new();
                Ok(LinkedEntry { entry, values })
            };
            let page = scan(&search_page, piece_from, is_match, read).expect("a page");
            assert!(page.rows.len() <= size);
            found.extend(page.rows.iter().map(|row| row.entry.serial));
            totals.push(page.total);
            let Some(next) = page.next else {
                return (found, totals);
            };
            let (before, serial) = next.split_once('.').expect("a place");
            place = Some((before.parse().expect("a number"), serial.parse().expect("a number")));
        }
    }

    #[test]
    fn pages_hold_each_match_once_however_far_a_look_goes() {
        let all: Vec<i64> = (1..=10).rev().map(|n| n * 10).collect();
        for size in [1, 3, 10, 50] {
            for max_scanned in [1, 7, 10, 25, 99, 100, 101, 1000] {
                let (found, totals) = walk(size, max_scanned);
                assert_eq!(found, all, "{size} {max_scanned}");
                assert_eq!(totals.last(), Some(&10), "{size} {max_scanned}");
                assert!(totals.is_sorted(), "{totals:?}");
            }
        }
        // A search_page that reaches the end tells the whole number at once, on every page.
        assert_eq!(walk(3, 1000).1, [10, 10, 10, 10]);
    }
}
