//! Bulk creation of entries: each is checked outside the writer like a single one, then all are stored in one
//! commit, or none (contract section 4).

use std::collections::HashSet;

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::{self, Issue, Issues};
use crate::base::json::Json;
use crate::base::json::json_list::{self, JsonList};
use crate::base::json::unknown_members::{Ignored, UNKNOWN};
use crate::base::reader::Reader;
use crate::base::reason::{Reason, UploadFault};
use crate::base::text::phrase::phrase;
use crate::fields::kind::Cx;
use crate::fields::values::KnownValues;
use crate::model::caller::Caller;
use crate::model::entry::NewEntry;
use crate::model::settings::VerificationCode;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity;
use crate::ops::entries::draft::Draft;
use crate::ops::entries::exact_keys::{self, Keys};
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::{links, read_field_values};
use crate::ops::exams::verification;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::entries::{self, entry_keys};
use crate::store::forms;

/// The key of the entries in the body.
pub const LIST: &str = "entries";
/// The most entries of one request.
pub const MOST: usize = 1_000;

/// As many are parsed, looked up and checked together, or as many as have so much text.
const PIECE: usize = 50;
const PIECE_BYTES: usize = 256 << 10;
/// The largest size of all entries with their computed values: they stay in memory until they are stored.
const MOST_STORED: usize = 32 << 20;
/// An entry that would be too large alone is so among others.
const MOST_BYTES: usize = 1 << 20;

/// Adds entries on the owner's behalf. `at` holds the faults of the list as such. Returns the answer as JSON text.
///
/// # Errors
/// 400 for an entry that is no JSON, 403, 404, 409 for a key that was used for another request, 422 with
/// the faults of all entries.
pub fn create(
    app: &App,
    caller: &Caller,
    token: &str,
    list: &JsonList,
    at: Issues,
    once: Option<Once>,
    ignored: &mut Ignored,
) -> Result<String> {
    let attempt = || store(app, caller, token, list, at.clone(), once.clone(), ignored)?.wait();
    app.run_until_stored(token, attempt)
}

fn store(
    app: &App,
    caller: &Caller,
    token: &str,
    list: &JsonList,
    mut at: Issues,
    once: Option<Once>,
    ignored: &mut Ignored,
) -> Result<Ticket<String>> {
    let (form, parsed, before) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let before = match &once {
            Some(once) => once.before(tx, app.keys(), form.form_no)?,
            None => None,
        };
        Ok((form, parsed, before))
    })?;
    if let Some(answer) = before {
        return Ok(Ticket::ready(Ok(answer)));
    }
    let items: Vec<&str> = list.items().collect();
    let mut drafts = Drafts {
        form_no: form.form_no,
        creator: caller.user.name.clone(),
        codes: parsed.settings.verification_code.clone(),
        entries: Vec::with_capacity(items.len()),
        unique: HashSet::new(),
        uploads: HashSet::new(),
        bytes: 0,
    };
    let mut known = Known { values: KnownValues::of(&parsed.definition.fields), found: Issues::new() };
    let mut looked_at = 0;
    while looked_at < items.len() {
        let piece = next_piece(&items[looked_at..]);
        let first = looked_at;
        looked_at += piece.len();
        let piece = parse(piece, first, &mut at)?;
        app.store.read(|tx| {
            let given = piece.iter().map(|(_, raw)| raw["field_values"].as_object());
            let found = links::of_new(&app.cache, tx, &parsed, given)?;
            let cx = parsed.cx_with(clock::now(), false, &found);
            for (index, raw) in piece {
                known.report(index, &raw, &cx);
                drafts.add(tx, &parsed, (index, raw), &cx, &mut at)?;
            }
            Ok(())
        })?;
        if drafts.bytes > MOST_STORED {
            at.push_at(
                LIST,
                Reason::other(phrase!(
                    "come to more than {} bytes with their computed values: send fewer at a time",
                    MOST_STORED
                )),
            );
            break;
        }
        if at.count() >= issue::MOST {
            break;
        }
    }
    if looked_at < items.len() && at.count() >= issue::MOST {
        at.stop_early();
    }
    ignored.add(known.found);
    at.append(std::mem::take(&mut ignored.faults));
    at.into_result()?;
    let keys = app.store.shared_keys();
    Ok(app.store.submit(move |tx| {
        if let Some(once) = &once
            && let Some(answer) = once.before(tx, &keys, form.form_no)?
        {
            return Ok(answer);
        }
        forms::check_version(tx, form.form_no, form.version)?;
        let serials = drafts.store(tx)?;
        let answer = json!({"created": serials.len(), "serial_numbers": serials}).to_string();
        if let Some(once) = &once {
            once.remember(tx, &keys, form.form_no, &answer)?;
        }
        Ok(answer)
    }))
}

/// The JSON Schema of the answer.
pub fn answer_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "created": {"type": "integer", "minimum": 1, "description": "The number of entries added."},
            "serial_numbers": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "description": "Their serial numbers, in the order of the request.",
            },
        },
        "required": ["created", "serial_numbers"],
    })
}

/// The first items, as far as they are parsed together.
fn next_piece<'i, 'b>(items: &'i [&'b str]) -> &'i [&'b str] {
    let mut bytes = 0;
    let fits = |item: &&&str| {
        bytes += item.len();
        bytes <= PIECE_BYTES
    };
    let count = items.iter().take(PIECE).take_while(fits).count();
    &items[..count.max(1)]
}

/// Some of the items as values, each with its place in the list.
fn parse(items: &[&str], first: usize, at: &mut Issues) -> Result<Vec<(usize, Json)>> {
    let mut out = Vec::with_capacity(items.len());
    for (index, text) in (first..).zip(items) {
        if text.len() > MOST_BYTES {
            at.key(LIST, |at| {
                at.index(index, |at| {
                    at.push(Reason::other(phrase!("is too large (at most {} bytes)", MOST_BYTES)));
                });
            });
        } else {
            out.push((index, json_list::item(text, LIST, index)?));
        }
    }
    Ok(out)
}

/// Keys and values of the entries that no field reads.
struct Known<'f> {
    values: KnownValues<'f>,
    found: Issues,
}

impl Known<'_> {
    /// Reports it for one entry, under its place in the list.
    fn report(&mut self, index: usize, raw: &Json, cx: &Cx) {
        let Some(members) = raw.as_object() else {
            return;
        };
        let at = &mut self.found;
        at.key(LIST, |at| {
            at.index(index, |at| {
                for (key, value) in members {
                    match value.as_object().filter(|_| key == "field_values") {
                        Some(given) => at.key(key, |at| self.values.report(given, cx, at)),
                        None if key != "field_values" => at.push_at(key, UNKNOWN),
                        None => {}
                    }
                }
            });
        });
    }
}

/// Checked entries that wait for the checks that only the writer can do.
struct Drafts {
    form_no: i64,
    creator: String,
    codes: VerificationCode,
    entries: Vec<(NewEntry, Keys)>,
    /// Unique keys of the entries, each of which may occur once.
    unique: HashSet<(u32, String)>,
    /// Uploads that the entries claim: each is for one of them.
    uploads: HashSet<String>,
    /// The total size of their values.
    bytes: usize,
}

impl Drafts {
    /// Checks one entry; its faults go to `at`, under its place in the list.
    fn add(
        &mut self,
        tx: &Tx,
        parsed: &ParsedForm,
        (index, raw): (usize, Json),
        cx: &Cx,
        at: &mut Issues,
    ) -> Result<()> {
        at.key(LIST, |at| {
            at.index(index, |at| {
                let raw = read_field_values(&mut Reader::new(raw, at));
                let draft = Draft::of_new(parsed, raw, cx, at);
                let unique = draft.unique(parsed, cx);
                for (field, key) in &unique {
                    let is_new = self.unique.insert((*field, key.clone()));
                    if !is_new || self.is_taken(tx, *field, key)? {
                        let Issue { attribute, reason } = exact_keys::already_used(*field);
                        at.push_at(&attribute, reason);
                    }
                }
                let entry = draft.entry(parsed, cx, Some(self.creator.clone()));
                for upload in &entry.uploads {
                    if !self.uploads.insert(upload.clone()) {
                        let field = upload.split('.').nth(1).unwrap_or_default();
                        at.key("field_values", |at| {
                            at.push_at(field, UploadFault::Used);
                        });
                    }
                }
                self.bytes += entry.values.len();
                self.entries.push((entry, unique));
                Ok(())
            })
        })
    }

    /// Whether an entry has this key. It is asked again when they are stored.
    fn is_taken(&self, tx: &Tx, field: u32, key: &str) -> Result<bool> {
        entry_keys::is_of_entry(tx, self.form_no, field, key)
    }

    /// Stores them all; their serial numbers.
    ///
    /// # Errors
    /// 422 for unique values taken meanwhile, and for lack of room.
    fn store(self, tx: &Tx) -> Result<Vec<i64>> {
        let mut at = Issues::new();
        for (index, (_, unique)) in self.entries.iter().enumerate() {
            for (field, key) in unique {
                if entry_keys::is_taken(tx, self.form_no, *field, key, None)? {
                    let Issue { attribute, reason } = exact_keys::already_used(*field);
                    at.key(LIST, |at| {
                        at.index(index, |at| at.push_at(&attribute, reason));
                    });
                }
            }
        }
        let rows = self.entries.iter().map(|(entry, _)| &entry.takes[..]);
        for (index, fault) in capacity::of_rows(tx, self.form_no, rows, false)? {
            at.key(LIST, |at| {
                at.index(index, |at| at.push_at(&fault.attribute, fault.reason));
            });
        }
        at.into_result()?;
        let form_no = self.form_no;
        self.entries
            .into_iter()
            .map(|(mut entry, _)| {
                verification::assign(tx, form_no, &self.codes, &mut entry)?;
                Ok(entries::insert(tx, form_no, entry)?.serial)
            })
            .collect()
    }
}
