//! Files as values: writing, storing and showing them. Nothing here reads the bytes of a file.

pub mod draw;
pub mod links;
pub mod rules;
pub mod stored_file;
mod type_names;

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason, UploadFault};
use crate::fields::Field;
use crate::fields::files::stored_file::StoredFile;
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;
use crate::fields::values::stored::Values;
use crate::model::upload::{Upload, UploadTarget};

/// The uploads and files named in a request, as looked up in the store.
#[derive(Clone, Default)]
pub struct FoundFiles {
    /// Whether the values come from the form's own page, whose posts bring files with them.
    pub by_page: bool,
    /// By `upload_id`, with the reason if it can't be used.
    uploads: BTreeMap<String, (Upload, Option<UploadFault>)>,
    /// The entry's own files by id: each with its field and stored value.
    own: BTreeMap<String, (String, Json)>,
}

impl FoundFiles {
    pub const NONE: Self = Self { by_page: false, uploads: BTreeMap::new(), own: BTreeMap::new() };

    /// Adds an upload, with the reason if it can't be used.
    pub fn add_upload(&mut self, upload: Upload, fault: Option<UploadFault>) {
        self.uploads.insert(upload.token.clone(), (upload, fault));
    }

    /// Adds the files of an entry's values.
    pub fn add_own(&mut self, stored: &Values) {
        for (field, value) in stored {
            each_of([value], |file| {
                if let Some(id) = StoredFile::of(file).id {
                    self.own.insert(id.to_owned(), (field.clone(), file.clone()));
                }
            });
        }
    }

    /// The uploads that these values use, without files that the entry already has.
    pub fn new_uploads(&self, stored: &Values) -> Vec<String> {
        let ids = ids(stored);
        let uploads = self.uploads.keys().filter(|token| {
            let id = crate::model::upload::file_token(token);
            !self.own.contains_key(id) && ids.iter().any(|known| known == id)
        });
        uploads.cloned().collect()
    }

    fn upload(&self, token: &str, cx: &Cx) -> Result<Json, UploadFault> {
        let (upload, fault) = self.uploads.get(token).ok_or(UploadFault::NotFound)?;
        if let Some(fault) = fault {
            return Err(*fault);
        }
        let is_here = matches!(&upload.target, UploadTarget::Entry { field, dimension, .. }
            if field == cx.files.field && dimension.as_deref() == cx.files.column);
        if !is_here {
            return Err(UploadFault::OtherPurpose);
        }
        Ok(json!(StoredFile {
            id: Some(upload.file_token()),
            name: Some(&upload.file_name),
            file_size: Some(upload.file_size),
            content_type: Some(&upload.content_type),
            duration: upload.duration,
        }))
    }

    /// The stored value of a named file, if it may be kept.
    fn named(&self, token: &str) -> Option<Json> {
        if let Some((_, own)) = self.own.get(token) {
            return Some(own.clone());
        }
        let (upload, fault) = self.uploads.get(token)?;
        let shown = json!({"name": upload.file_name, "file_size": upload.file_size});
        fault.is_none().then_some(shown)
    }
}

/// The stored value of a file in the write shape: one that the entry already has, or an upload. On error, the fault of
/// the value.
pub fn parse(given: &Json, cx: &Cx) -> Result<Json, Reason> {
    let found = &cx.found.files;
    let (id, upload) = match given {
        Json::Object(members) => match members.get("id") {
            Some(id) => (Some(id), None),
            None => (None, members.get("upload_id")),
        },
        bare => (Some(bare), Some(bare)),
    };
    let text = |name: Option<&Json>| name.and_then(Json::as_str).map(str::to_owned);
    if text(id).or_else(|| text(upload)).is_none() {
        return Err(Reason::MustBe(Expected::Other("an id, or an object with id or upload_id")));
    }
    if let Some((field, own)) = text(id).and_then(|id| found.own.get(&id))
        && field == cx.files.field
    {
        return Ok(own.clone());
    }
    let uploaded = match text(upload) {
        Some(upload) => found.upload(&upload, cx),
        None => Err(UploadFault::NotFound),
    };
    uploaded.map_err(Reason::Upload)
}

/// The stored value of the file that a page's post brought for a field; null if there is none.
pub fn parse_of_page(raw: &Json, cx: &Cx, at: &mut Issues) -> Json {
    let file = &raw["file"];
    if !cx.found.files.by_page || !file.is_string() {
        return Json::Null;
    }
    parse(file, cx).unwrap_or_else(|fault| {
        at.push(fault);
        Json::Null
    })
}

/// A page's post for a field with one file: the id of the file, and one more member, `beside`.
pub fn value_of_page(part: &FormPart, beside: &str) -> Json {
    let file = part.values().last();
    let said = part.single_at(beside);
    let mut value = Map::new();
    value.extend(file.map(|file| ("file".to_owned(), json!(file))));
    if !said.is_null() {
        value.insert(beside.to_owned(), said);
    }
    if value.is_empty() { Json::Null } else { Json::Object(value) }
}

/// The read shape of a stored file.
pub fn read(file: &Json, cx: &Cx) -> Json {
    let file = StoredFile::of(file);
    let (id, name) = (file.id.unwrap_or_default(), file.name.unwrap_or_default());
    let url = cx.files.links.map(|links| links.url_in(cx, id, name));
    json!({
        "id": id,
        "name": name,
        "url": url,
        "file_size": file.file_size,
        "content_type": file.content_type,
    })
}

/// Calls `f` with each stored file in these values. No other value has an id and a size.
fn each_of<'v>(stored: impl IntoIterator<Item = &'v Json>, mut f: impl FnMut(&Json)) {
    let mut rest: Vec<&Json> = stored.into_iter().collect();
    while let Some(value) = rest.pop() {
        match value {
            Json::Array(items) => rest.extend(items),
            Json::Object(map) if map.contains_key("id") && map.contains_key("file_size") => {
                f(value);
            }
            Json::Object(map) => rest.extend(map.values()),
            _ => {}
        }
    }
}

/// Gives each file in these values a new id; returns pairs of old and new.
pub fn name_anew(stored: &mut Values, mut new: impl FnMut() -> String) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest: Vec<&mut Json> = stored.values_mut().collect();
    while let Some(value) = rest.pop() {
        match value {
            Json::Array(items) => rest.extend(items),
            Json::Object(map) if map.contains_key("id") && map.contains_key("file_size") => {
                let id = new();
                if let Some(Json::String(old)) = map.insert("id".to_owned(), json!(id)) {
                    out.push((old, id));
                }
            }
            Json::Object(map) => rest.extend(map.values_mut()),
            _ => {}
        }
    }
    out
}

pub fn ids(stored: &Values) -> Vec<String> {
    ids_among(stored.values())
}

pub fn ids_of(stored: &Json) -> Vec<String> {
    ids_among([stored])
}

fn ids_among<'v>(stored: impl IntoIterator<Item = &'v Json>) -> Vec<String> {
    let mut out = Vec::new();
    each_of(stored, |file| out.extend(StoredFile::of(file).id.map(str::to_owned)));
    out
}

pub fn names<'v>(stored: impl Iterator<Item = &'v Json>) -> Vec<String> {
    let mut out = Vec::new();
    for value in stored {
        let from = out.len();
        each_of([value], |file| out.push(name(file).to_owned()));
        // Values are walked from the end.
        out[from..].reverse();
    }
    out
}

/// Characters of a file's id, which is also the last part of an upload's.
pub const RANDOM_PART: usize = 22;

/// All strings in a write shape that may be ids of uploads, at any depth.
pub fn named(raw: &Json) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = vec![raw];
    while let Some(value) = rest.pop() {
        match value {
            Json::Array(items) => rest.extend(items),
            Json::Object(map) => rest.extend(map.values()),
            Json::String(text) if is_upload_id(text) => out.push(text.clone()),
            _ => {}
        }
    }
    out
}

fn is_upload_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'_';
    text.len() <= 128 && text.rsplit('.').next().map(str::len) == Some(RANDOM_PART) && text.bytes().all(allowed)
}

/// Reports each file in a row of cells that is in `seen`, and adds the others to it. Paths are those of the stored
/// cells.
pub fn say_twice(columns: &[Field], row: &Json, seen: &mut HashSet<String>, at: &mut Issues) {
    for column in columns.iter().filter(|column| column.kind.has_files()) {
        let Some(Json::Array(files)) = row.get(&column.api_code) else {
            continue;
        };
        at.key(&column.api_code, |at| {
            for (i, file) in files.iter().enumerate() {
                let id = StoredFile::of(file).id.unwrap_or_default();
                if !seen.insert(id.to_owned()) {
                    at.index(i, |at| at.push(Reason::Repeated));
                }
            }
        });
    }
}

pub fn name(file: &Json) -> &str {
    StoredFile::of(file).name.unwrap_or_default()
}

/// JSON Schema of a file in the read shape.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"},
            "url": {"type": "string", "format": "uri"},
            "file_size": {"type": "integer", "minimum": 0},
            "content_type": {"type": "string"},
        },
        "required": ["id", "name", "url", "file_size", "content_type"],
    })
}
