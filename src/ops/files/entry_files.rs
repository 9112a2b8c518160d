//! Files of entries: looks up the files that values refer to, and opens one by its link.

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::id;
use crate::base::reason::UploadFault;
use crate::fields::files::{self, FoundFiles, links};
use crate::fields::links::LinkedData;
use crate::fields::values::{self, Values, stored};
use crate::model::entry::Entry;
use crate::model::upload::UploadTarget;
use crate::ops::app::App;
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::files::blobs::hex;
use crate::store::files::entry_files::{self as rows, FileCopy};
use crate::store::files::uploads;
use crate::store::{entries, forms};

/// Looks up the uploads in the values of a request, and the current files of an entry.
pub fn look_up(
    tx: &Tx,
    parsed: &ParsedForm,
    given: Option<&Values>,
    old: Option<&Entry>,
    found: &mut LinkedData,
) -> Result<()> {
    if !parsed.files {
        return Ok(());
    }
    if let Some(old) = old {
        let values = stored::values(&old.values).map_err(Error::internal)?;
        found.files.add_own(&values);
    }
    let fields = parsed.definition.fields.iter();
    let given = fields.filter(|field| field.kind.has_files()).filter_map(|field| given?.get(&field.api_code));
    for token in given.flat_map(files::named) {
        let Some(upload) = uploads::by_token(tx, &token)? else {
            continue;
        };
        let is_here = matches!(&upload.target, UploadTarget::Entry { form_no, .. } if *form_no == parsed.form_no);
        let fault = if is_here { upload.fault(tx.now) } else { Some(UploadFault::OtherPurpose) };
        found.files.add_upload(upload, fault);
    }
    Ok(())
}

/// Looks up the files of entries of the form that rows of a spreadsheet refer to by id.
pub fn of_entries<'v>(tx: &Tx, parsed: &ParsedForm, given: impl IntoIterator<Item = &'v Values>) -> Result<FoundFiles> {
    let mut found = FoundFiles::NONE;
    if !parsed.files {
        return Ok(found);
    }
    for given in given {
        let fields = parsed.definition.fields.iter();
        let given = fields.filter(|field| field.kind.has_files()).filter_map(|field| given.get(&field.api_code));
        for id in given.flat_map(files::named) {
            let file = rows::by_token(tx, &id)?;
            let Some((_, serial)) = file.map(|file| file.entry).filter(|(form_no, _)| *form_no == parsed.form_no)
            else {
                continue;
            };
            if let Some(entry) = entries::by_serial(tx, parsed.form_no, serial)? {
                found.add_own(&stored::values(&entry.values).map_err(Error::internal)?);
            }
        }
    }
    Ok(found)
}

/// Gives the files in an entry's values new ids, and returns the copies to be made.
pub fn copied(stored: &mut Values) -> Vec<FileCopy> {
    let named = files::name_anew(stored, || id::random(files::RANDOM_PART));
    let copies = named.into_iter().map(|(of, token)| FileCopy { token, of });
    copies.collect()
}

/// Whether an entry shows a file. The file of a removed field may still exist, but is not shown.
fn is_shown(parsed: &ParsedForm, entry: &Entry, id: &str, now: Time) -> Result<bool> {
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    let cx = parsed.cx(now, false);
    let fields = parsed.definition.fields.iter();
    let mut shown = fields
        .filter(|field| field.kind.has_files())
        .filter_map(|field| values::today(field, stored.get(&field.api_code), &cx));
    Ok(shown.any(|value| files::ids_of(&value).iter().any(|known| known == id)))
}

/// The parts of a download link.
pub struct Link<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub expires: &'a str,
    pub signature: &'a str,
}

/// A file opened for reading.
pub struct Readable {
    pub name: String,
    /// As declared by the sender.
    pub content_type: String,
    /// In bytes.
    pub size: u64,
    /// In hexadecimal.
    pub sha256: String,
    pub file: std::fs::File,
}

/// Opens the file of a link.
///
/// # Errors
/// 403 for an invalid or expired link, 404 if the file or its entry is gone.
pub fn open(app: &App, link: &Link) -> Result<Readable> {
    let (id, name) = (link.id, link.name);
    let keys = app.keys();
    if !links::opens(keys, id, name, link.expires, link.signature, clock::now()) {
        return Err(Error::BadLink);
    }
    read(app, id)
}

/// Opens a file for a caller with permission.
///
/// # Errors
/// 404 if the file or its entry is gone.
pub(in crate::ops) fn read(app: &App, id: &str) -> Result<Readable> {
    let file = app.store.read(|tx| {
        let Some(file) = rows::by_token(tx, id)? else {
            return Ok(None);
        };
        let (form_no, serial) = file.entry;
        if !forms::is_live(tx, form_no)? {
            return Ok(None);
        }
        let Some(entry) = entries::by_serial(tx, form_no, serial)? else {
            return Ok(None);
        };
        let parsed = app.cache.parsed(tx, &forms::by_number(tx, form_no)?)?;
        Ok(is_shown(&parsed, &entry, id, tx.now)?.then_some(file))
    })?;
    let file = file.ok_or(Error::NotFound(Noun::File))?;
    Ok(Readable {
        sha256: hex(&file.hash),
        file: app.store.blobs().read(&file.hash)?,
        name: file.name,
        content_type: file.content_type,
        size: file.size,
    })
}
