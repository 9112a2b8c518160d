//! The entries that a linked field may be set to: for respondents and for collaborators (contract
//! section 5). A respondent searches and sees public fields alone, and protected ones masked (S42).

use std::sync::Arc;

use serde_json::json;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::schema_builder::reference;
use crate::base::text;
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::links::{Found, LinkRules, LinkedEntry, LinkedForm, Offer};
use crate::fields::stored;
use crate::fields::values::Values;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::page::{Page, PageRequest};
use crate::ops::access::{self, Right};
use crate::ops::cache::{Cache, ParsedForm};
use crate::ops::published::{self, Published, Visitor};
use crate::ops::{App, links};
use crate::store::entries::{self, Sort, Table};
use crate::store::tx::Tx;

/// Fewer characters of a keyword find nothing, unless everything may be browsed.
const MIN_KEYWORD: usize = 2;
const MAX_KEYWORD: usize = 200;
/// So many entries are looked through for one answer; the cursor goes on from there.
const LOOKED_THROUGH: usize = 10_000;
/// The same where nobody may be kept waiting.
const GLANCED_THROUGH: usize = 1000;
const PIECE: usize = 500;
/// So many are offered on a page.
const OFFERED: usize = 20;

/// What is searched for, and which page of it.
pub struct Request {
    /// The linked field.
    pub field: String,
    /// Part of a text in one of the search fields.
    pub keyword: String,
    /// Which page.
    pub page: PageRequest,
}

/// A search in a control of a form page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// The linked field.
    pub field: String,
    /// What was typed.
    pub keyword: String,
}

/// The options of a published form's linked field, as respondents see them.
///
/// # Errors
/// 400 for a cursor of another list, 403 for the password or while no submissions are taken, 404, 422 for
/// another field.
pub fn for_respondent(
    app: &App,
    token: &str,
    visitor: Visitor,
    request: &Request,
) -> Result<Page<String>> {
    let published = published::show(app, token, visitor)?;
    published.status.check()?;
    app.store
        .read(|tx| list(app, tx, &published.parsed, true, request))
}

/// The same for collaborators: all fields, and none masked.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404, 422 for another field.
pub fn for_collaborator(
    app: &App,
    caller: &Caller,
    token: &str,
    request: &Request,
) -> Result<Page<String>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        list(app, tx, &parsed, false, request)
    })
}

fn list(
    app: &App,
    tx: &Tx,
    parsed: &ParsedForm,
    respondent: bool,
    request: &Request,
) -> Result<Page<String>> {
    let field = parsed.definition.fields.get(&request.field);
    let rules = field
        .filter(|field| !(respondent && field.hidden))
        .and_then(|field| field.kind.link_rules())
        .ok_or_else(|| {
            Error::invalid(
                "field",
                Reason::MustBe(Expected::Other("a linked_form field of this form")),
            )
        })?;
    if text::length(&request.keyword) > MAX_KEYWORD {
        let message = Reason::TooLong { most: MAX_KEYWORD };
        return Err(Error::invalid("keyword", message));
    }
    let cx = parsed.cx(tx.now, respondent);
    let look = Look {
        keyword: &request.keyword,
        place: request.page.place()?,
        size: request.page.size,
        at_most: LOOKED_THROUGH,
    };
    let found = search(&app.cache, tx, rules, &look, &cx)?;
    let rows = found.page.rows.iter().filter_map(|entry| {
        let form = found.form.as_deref()?;
        Some(option(rules, form, entry, &cx).to_string())
    });
    Ok(Page {
        rows: rows.collect(),
        total: found.page.total,
        next: found.page.next,
    })
}

/// The JSON Schema of one of them.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "entry_token": {"type": "string", "description": "The value that links to the entry."},
            "serial_number": {"type": "integer", "minimum": 1},
            "label": {"type": "string", "description": "The entry's label."},
            "display_fields": {
                "type": "object",
                "description": "The displayed values, by the linked form's `api_code`s.",
                "additionalProperties": reference("FieldValue"),
            },
        },
        "required": ["entry_token", "serial_number", "label", "display_fields"],
    })
}

fn option(rules: &LinkRules, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
    json!({
        "entry_token": entry.entry.token.as_str(),
        "serial_number": entry.entry.serial,
        "label": rules.label(form, entry, cx),
        "display_fields": rules.display(form, entry, cx),
    })
}

/// A page of entries that may be linked to.
struct Options {
    form: Option<Arc<LinkedForm>>,
    may_browse: bool,
    page: Page<LinkedEntry>,
}

/// A look for a keyword.
struct Look<'k> {
    keyword: &'k str,
    /// How many were found on the pages before, and the serial number that they ended at.
    place: Option<(i64, i64)>,
    size: usize,
    at_most: usize,
}

/// The newest entries first that have the keyword in a search field.
fn search(cache: &Cache, tx: &Tx, rules: &LinkRules, look: &Look, cx: &Cx) -> Result<Options> {
    let mut options = Options {
        form: None,
        may_browse: false,
        page: Page {
            rows: Vec::new(),
            total: 0,
            next: None,
        },
    };
    let Some(row) = links::live(tx, &rules.form_token)? else {
        return Ok(options);
    };
    let parsed = cache.parsed(tx, &row)?;
    // Collaborators see the entries anyway; how little a respondent may type is the other form's decision.
    let is_browsed = parsed.settings.browse_linked_entries;
    options.may_browse = is_browsed || !cx.respondent;
    let form = links::linked(cache, tx, &row)?;
    let keyword = text::fold(look.keyword.trim());
    // Whoever has an entry's token may ask what it is called.
    let named = entries::by_token(tx, row.form_no, look.keyword.trim())?;
    if let Some(entry) = named {
        options.page.rows.push(links::read(entry)?);
        options.page.total = 1;
    } else if keyword.is_empty() && options.may_browse {
        options.page = browse(tx, row.form_no, row.entries_count, look)?;
    } else if text::length(&keyword) >= MIN_KEYWORD || options.may_browse {
        let is_match = |values: &Values| rules.matches(&form, values, &keyword, cx);
        let codes: Vec<&str> = rules.searched(cx.respondent).collect();
        let piece_from = |after: Option<i64>, limit| {
            let place = after.map(|serial| (0, serial));
            let no = row.form_no;
            entries::list(tx, no, Table::Live, Sort::Serial, true, place, limit)
        };
        options.page = look_through(look, &codes, piece_from, is_match)?;
    }
    options.form = Some(form);
    Ok(options)
}

fn browse(tx: &Tx, form_no: i64, total: i64, look: &Look) -> Result<Page<LinkedEntry>> {
    let size = look.size + 1;
    let mut rows = entries::list(
        tx,
        form_no,
        Table::Live,
        Sort::Serial,
        true,
        look.place,
        size,
    )?;
    let more = rows.len() > look.size;
    rows.truncate(look.size);
    let next = rows.last().filter(|_| more);
    let next = next.map(|entry| format!("0.{}", entry.serial));
    let rows = rows.into_iter().map(links::read).collect::<Result<_>>()?;
    Ok(Page { rows, total, next })
}

/// Looks through the entries from a place on, newest first and never more than so many. The total counts
/// what was found up to where the look ended: all there is, where a form has no more entries than that.
fn look_through(
    look: &Look,
    codes: &[&str],
    piece_from: impl Fn(Option<i64>, usize) -> Result<Vec<Entry>>,
    is_match: impl Fn(&Values) -> bool,
) -> Result<Page<LinkedEntry>> {
    let before = look.place.map_or(0, |(found, _)| found);
    let mut found = 0;
    let mut rows: Vec<LinkedEntry> = Vec::new();
    let mut last = look.place.map(|(_, serial)| serial);
    let mut left = look.at_most;
    let mut at_end = codes.is_empty();
    while !at_end && left > 0 {
        let limit = left.min(PIECE);
        let piece = piece_from(last, limit)?;
        at_end = piece.len() < limit;
        left -= piece.len();
        for entry in piece {
            last = Some(entry.serial);
            let values = stored::pick(&entry.values, codes).map_err(Error::internal)?;
            if is_match(&values) {
                found += 1;
                if rows.len() < look.size {
                    rows.push(links::read(entry)?);
                }
            }
        }
    }
    let is_full = i64::try_from(rows.len()).is_ok_and(|shown| shown < found);
    let next = if is_full {
        // Those behind this page are found again from here.
        let shown = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        rows.last()
            .map(|last| format!("{}.{}", before + shown, last.entry.serial))
    } else {
        last.filter(|_| !at_end)
            .map(|serial| format!("{}.{serial}", before + found))
    };
    Ok(Page {
        rows,
        total: before + found,
        next,
    })
}

/// What a form page needs of other forms: what its values link to, and what its controls offer. A field
/// that is searched offers what was found, another one what may be browsed.
pub fn for_page(
    app: &App,
    published: &Published,
    given: &Values,
    finds: &[Find],
    takes_its_time: bool,
) -> Result<Found> {
    let parsed = &published.parsed;
    if !parsed.links && !parsed.files {
        return Ok(Found::default());
    }
    let at_most = if takes_its_time {
        LOOKED_THROUGH
    } else {
        GLANCED_THROUGH
    };
    app.store.read(|tx| {
        let mut found = links::of_write(&app.cache, tx, parsed, Some(given), None)?;
        let cx = parsed.cx(tx.now, true);
        for field in parsed.definition.fields.linking().filter(|f| !f.hidden) {
            let find = finds.iter().find(|find| find.field == field.api_code);
            let keyword = find.map_or("", |find| find.keyword.as_str());
            if let Some((form, offer)) = offer(&app.cache, tx, field, keyword, at_most, &cx)? {
                found.add_form(form.0, form.1);
                found.add_offer(field.api_code.clone(), offer);
            }
        }
        Ok(found)
    })
}

type Named = (String, Arc<LinkedForm>);

fn offer(
    cache: &Cache,
    tx: &Tx,
    field: &Field,
    keyword: &str,
    at_most: usize,
    cx: &Cx,
) -> Result<Option<(Named, Offer)>> {
    let Some(rules) = field.kind.link_rules() else {
        return Ok(None);
    };
    let keyword: String = keyword.chars().take(MAX_KEYWORD).collect();
    let look = Look {
        keyword: &keyword,
        place: None,
        size: OFFERED,
        at_most,
    };
    let options = search(cache, tx, rules, &look, cx)?;
    let offer = Offer {
        keyword,
        more: options.page.next.is_some(),
        entries: options.page.rows,
        may_browse: options.may_browse,
    };
    let form = options.form.map(|form| (rules.form_token.clone(), form));
    Ok(form.map(|form| (form, offer)))
}

/// The options of one field, as the script of a form page gets them.
pub fn offered(app: &App, published: &Published, find: &Find) -> Result<Json> {
    let parsed = &published.parsed;
    let cx = parsed.cx(clock::now(), true);
    let field = parsed
        .definition
        .fields
        .get(&find.field)
        .filter(|f| !f.hidden);
    let rules = field.and_then(|field| field.kind.link_rules());
    let (Some(field), Some(rules)) = (field, rules) else {
        return Ok(json!({"options": [], "more": false}));
    };
    let found = app
        .store
        .read(|tx| offer(&app.cache, tx, field, &find.keyword, LOOKED_THROUGH, &cx))?;
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
            values: stored::of_test(&json!({"field_1": serial % 10 == 0})),
        };
        Ok((1..=newest).rev().take(limit).map(entry).collect())
    }

    /// All pages, with the total that each tells, and how many there were.
    fn walk(size: usize, at_most: usize) -> (Vec<i64>, Vec<i64>) {
        let (mut found, mut totals, mut place) = (Vec::new(), Vec::new(), None);
        loop {
            let look = Look {
                keyword: "",
                place,
                size,
                at_most,
            };
            let is_match = |values: &Values| values["field_1"] == true;
            let page = look_through(&look, &["field_1"], piece_from, is_match).expect("a page");
            assert!(page.rows.len() <= size);
            found.extend(page.rows.iter().map(|row| row.entry.serial));
            totals.push(page.total);
            let Some(next) = page.next else {
                return (found, totals);
            };
            let (before, serial) = next.split_once('.').expect("a place");
            place = Some((
                before.parse().expect("a number"),
                serial.parse().expect("a number"),
            ));
        }
    }

    #[test]
    fn pages_hold_each_match_once_however_far_a_look_goes() {
        let all: Vec<i64> = (1..=10).rev().map(|n| n * 10).collect();
        for size in [1, 3, 10, 50] {
            for at_most in [1, 7, 10, 25, 99, 100, 101, 1000] {
                let (found, totals) = walk(size, at_most);
                assert_eq!(found, all, "{size} {at_most}");
                assert_eq!(totals.last(), Some(&10), "{size} {at_most}");
                assert!(totals.is_sorted(), "{totals:?}");
            }
        }
        // A look that reaches the end tells the whole number at once, on every page.
        assert_eq!(walk(3, 1000).1, [10, 10, 10, 10]);
    }
}
