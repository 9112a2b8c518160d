//! Files as values have them: which ones a field takes, what is stored of one, where it is read from, and
//! the control that chooses them. Nothing here sees a byte of a file.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::error::Code;
use crate::base::image;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::secret::{Keys, Purpose};
use crate::fields::Field;
use crate::fields::form_part::FormPart;
use crate::fields::inputs;
use crate::fields::kind::{Cx, InputCx};
use crate::fields::values::Values;
use crate::model::upload::{Target, Upload};

/// What `media_type` may say.
pub const MEDIA: [(&str, &str); 6] = [
    ("all", "all"),
    ("image", "image"),
    ("video", "video"),
    ("audio", "audio"),
    ("document", "document"),
    ("custom", "custom"),
];

/// Documents by the ends of their names: browsers know more of these than of content types.
const DOCUMENTS: &str = ".pdf,.doc,.docx,.odt,.rtf,.txt,.md,.csv,.xls,.xlsx,.ods,.ppt,.pptx,.odp";

const MAX_TYPES: usize = 50;
const MAX_TYPE: usize = 127;

/// The `content_types` of a field that takes those alone.
pub fn read_types(reader: &mut Reader) -> Vec<String> {
    if !reader.has("content_types") {
        reader.fault("content_types", "is required");
    }
    let faults = reader.issues().count();
    let types = reader.opt_texts("content_types", MAX_TYPE, |text| {
        is_type(text)
            .then_some(())
            .ok_or("must be a content type such as image/png")
    });
    let is_read = reader.issues().count() == faults;
    if let Some(types) = &types
        && is_read
        && !(1..=MAX_TYPES).contains(&types.len())
    {
        let message = format!("must have 1 to {MAX_TYPES} content types");
        reader.fault("content_types", message);
    }
    types.unwrap_or_default()
}

/// A bare content type in lower case, or all of a kind: `image/*`.
fn is_type(text: &str) -> bool {
    let is_name = |name: &str| {
        let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b".+-_".contains(&c);
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(allowed)
    };
    text.split_once('/')
        .is_some_and(|(kind, own)| is_name(kind) && (own == "*" || is_name(own)))
}

/// What a browser is told of the files that fit; it lets people choose others all the same.
pub fn accept(media: &str, types: &[String]) -> Option<String> {
    match media {
        "image" | "video" | "audio" => Some(format!("{media}/*")),
        "document" => Some(DOCUMENTS.to_owned()),
        "custom" => Some(types.join(",")),
        _ => None,
    }
}

/// Documents by their content types, beside all that begin as one of `DOCUMENT_FAMILIES`.
const DOCUMENT_TYPES: [&str; 11] = [
    "application/pdf",
    "application/msword",
    "application/rtf",
    "text/rtf",
    "text/plain",
    "text/markdown",
    "text/csv",
    "application/csv",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/epub+zip",
];
const DOCUMENT_FAMILIES: [&str; 2] = [
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
];

/// Which files a field takes.
#[derive(Clone, Copy)]
pub struct FileRules<'a> {
    /// The largest one, in MB of 1,048,576 bytes.
    pub max_mb: u64,
    /// How many.
    pub max_count: usize,
    /// One of `MEDIA`, or `PICTURE` or `SOUND`.
    pub media: &'a str,
    /// Of `custom`, the types; all of a kind as `image/*`.
    pub types: &'a [String],
}

/// Media of fields that say nothing of media: pictures that are told by their bytes.
pub const PICTURE: &str = "picture";
/// Recordings: browsers call some of them videos by the ends of their names.
pub const SOUND: &str = "sound";

impl FileRules<'_> {
    /// Whether files of a type are taken; it is bare and in lower case. A drawing that can hold a script
    /// counts as no image.
    pub fn takes(&self, content_type: &str) -> bool {
        let is_of = |kind: &str| {
            let rest = content_type.strip_prefix(kind);
            let own = rest.and_then(|rest| rest.strip_prefix('/'));
            own.is_some_and(|own| kind != "image" || !own.starts_with("svg"))
        };
        match self.media {
            "all" => true,
            PICTURE => image::TYPES.contains(&content_type),
            SOUND => is_of("audio"),
            "document" => {
                DOCUMENT_TYPES.contains(&content_type)
                    || DOCUMENT_FAMILIES
                        .iter()
                        .any(|family| content_type.starts_with(family))
            }
            "custom" => self.types.iter().any(|one| match one.strip_suffix("/*") {
                Some(kind) => is_of(kind),
                None => one == content_type,
            }),
            media => is_of(media),
        }
    }
}

/// What reading and writing files needs to know beside the form.
#[derive(Clone, Copy, Default)]
pub struct FilesCx<'a> {
    /// Makes addresses; none where nobody gets to see them.
    pub links: Option<&'a FileLinks>,
    /// The field whose value is read from a request.
    pub field: &'a str,
    /// The column of it.
    pub column: Option<&'a str>,
}

/// Makes the addresses that files are read from, each for a day.
pub struct FileLinks {
    /// The service's address.
    pub base_url: String,
    /// What they are signed with.
    pub keys: Arc<Keys>,
}

const LINK_SECS: i64 = 24 * 3600;

impl FileLinks {
    /// The address of a file.
    pub fn url(&self, id: &str, name: &str, now: Time) -> String {
        let expires = now.plus_secs(LINK_SECS).millis() / 1000;
        let signature = signature(&self.keys, id, name, expires);
        let base = &self.base_url;
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        format!("{base}/files/{id}/{name}?expires={expires}&signature={signature}")
    }
}

fn signature(keys: &Keys, id: &str, name: &str, expires: i64) -> String {
    let expires = expires.to_string();
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    keys.sign(Purpose::FileLink, &parts)
}

/// Whether an address is one that was made, and still holds.
pub fn opens(keys: &Keys, id: &str, name: &str, expires: &str, signed: &str, now: Time) -> bool {
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    let is_ours = keys.verify(Purpose::FileLink, &parts, signed);
    let until = expires.parse::<i64>().ok();
    is_ours && until.is_some_and(|until| now.millis() / 1000 < until)
}

/// What was looked up of uploads and files that values name.
#[derive(Default)]
pub struct FoundFiles {
    /// Whether the form's own page gives the values: files come with it that nobody else can give.
    pub by_page: bool,
    /// By `upload_id`, with why it can't be used.
    uploads: BTreeMap<String, (Upload, Option<Code>)>,
    /// The files that the entry has, by their ids: the field of each, and how it is stored.
    own: BTreeMap<String, (String, Json)>,
}

impl FoundFiles {
    /// Nothing was looked up.
    pub const NONE: Self = Self {
        by_page: false,
        uploads: BTreeMap::new(),
        own: BTreeMap::new(),
    };

    /// Adds an upload, with why it can't be used if it can't.
    pub fn add_upload(&mut self, upload: Upload, fault: Option<Code>) {
        self.uploads.insert(upload.token.clone(), (upload, fault));
    }

    /// Adds the files of an entry's values.
    pub fn add_own(&mut self, stored: &Values) {
        for (field, value) in stored {
            each_of([value], |file| {
                if let Some(id) = file["id"].as_str() {
                    self.own
                        .insert(id.to_owned(), (field.clone(), file.clone()));
                }
            });
        }
    }

    /// The uploads that values are made of; files that the entry has already are none.
    pub fn taken(&self, stored: &Values) -> Vec<String> {
        let ids = ids(stored);
        let uploads = self.uploads.keys().filter(|token| {
            let id = crate::model::upload::file_token(token);
            !self.own.contains_key(id) && ids.iter().any(|known| known == id)
        });
        uploads.cloned().collect()
    }

    fn upload(&self, token: &str, cx: &Cx) -> Result<Json, Code> {
        let (upload, fault) = self.uploads.get(token).ok_or(Code::UploadNotFound)?;
        if let Some(code) = fault {
            return Err(*code);
        }
        let is_here = matches!(&upload.target, Target::Entry { field, dimension, .. }
            if field == cx.files.field && dimension.as_deref() == cx.files.column);
        if !is_here {
            return Err(Code::UploadPurposeMismatch);
        }
        let mut stored = json!({
            "id": upload.file_token(),
            "name": upload.file_name,
            "file_size": upload.file_size,
            "content_type": upload.content_type,
        });
        if let Some(duration) = upload.duration {
            stored["duration"] = json!(duration);
        }
        Ok(stored)
    }

    /// A file that a value names and that may be kept, as it is stored.
    fn named(&self, token: &str) -> Option<Json> {
        if let Some((_, own)) = self.own.get(token) {
            return Some(own.clone());
        }
        let (upload, fault) = self.uploads.get(token)?;
        let shown = json!({"name": upload.file_name, "file_size": upload.file_size});
        fault.is_none().then_some(shown)
    }
}

/// A file of a write shape as it is stored: one that the entry has, or one that was uploaded.
///
/// # Errors
/// What is wrong with it.
pub fn parse(given: &Json, cx: &Cx) -> Result<Json, &'static str> {
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
        return Err("must be an id, or an object with id or upload_id");
    }
    if let Some((field, own)) = text(id).and_then(|id| found.own.get(&id))
        && field == cx.files.field
    {
        return Ok(own.clone());
    }
    let uploaded = match text(upload) {
        Some(upload) => found.upload(&upload, cx),
        None => Err(Code::UploadNotFound),
    };
    uploaded.map_err(Code::upload_fault)
}

/// The file that a page's post brought for a field, as it is stored; null where there is none.
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

/// What a page posted of a field that is a file: what names the file, and one thing that is said beside it.
pub fn value_of_page(part: &FormPart, beside: &str) -> Json {
    let file = part.values().last();
    let said = part.single_at(beside);
    let mut value = Map::new();
    value.extend(file.map(|file| ("file".to_owned(), json!(file))));
    if !said.is_null() {
        value.insert(beside.to_owned(), said);
    }
    if value.is_empty() {
        Json::Null
    } else {
        Json::Object(value)
    }
}

/// A stored file as reads show it.
pub fn read(file: &Json, cx: &Cx) -> Json {
    let id = file["id"].as_str().unwrap_or_default();
    let url = cx
        .files
        .links
        .map(|links| links.url(id, name(file), cx.now));
    json!({
        "id": id,
        "name": name(file),
        "url": url,
        "file_size": file["file_size"],
        "content_type": file["content_type"],
    })
}

/// Calls `f` with each stored file of these values. No other value has an id and a size.
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

/// The ids of the files in an entry's values.
pub fn ids(stored: &Values) -> Vec<String> {
    let mut out = Vec::new();
    each_of(stored.values(), |file| {
        out.extend(file["id"].as_str().map(str::to_owned))
    });
    out
}

/// The names of the files in these stored values.
pub fn names<'v>(stored: impl Iterator<Item = &'v Json>) -> Vec<String> {
    let mut out = Vec::new();
    for value in stored {
        let from = out.len();
        each_of([value], |file| out.push(name(file).to_owned()));
        // Walked through from behind.
        out[from..].reverse();
    }
    out
}

const RANDOM_PART: usize = 22;

/// What may be the name of an upload in a write shape, wherever it stands.
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
    text.len() <= 128
        && text.rsplit('.').next().map(str::len) == Some(RANDOM_PART)
        && text.bytes().all(allowed)
}

/// Says of each file in a row of cells that it stands twice, where one of `seen` is it; then these are seen too.
/// The places are those of the stored cells.
pub fn say_twice(columns: &[Field], row: &Json, seen: &mut HashSet<String>, at: &mut Issues) {
    for column in columns.iter().filter(|column| column.kind.has_files()) {
        let Some(Json::Array(files)) = row.get(&column.api_code) else {
            continue;
        };
        at.key(&column.api_code, |at| {
            for (i, file) in files.iter().enumerate() {
                let id = file["id"].as_str().unwrap_or_default();
                if !seen.insert(id.to_owned()) {
                    at.index(i, |at| at.push("stands twice"));
                }
            }
        });
    }
}

/// The name of a stored file.
pub fn name(file: &Json) -> &str {
    file["name"].as_str().unwrap_or_default()
}

/// JSON Schema of a file as reads show it.
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

/// What names files in a write shape: ids, or objects with one.
fn tokens(given: &Json) -> Vec<&str> {
    let items = match given {
        Json::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let named = items.iter().map(|item| {
        let named = item.get("upload_id").or_else(|| item.get("id"));
        named.unwrap_or(item)
    });
    named.filter_map(Json::as_str).collect()
}

/// The files that are there already, each with a box that is ticked: without its tick one is left out.
pub fn kept(cx: &InputCx, given: &Json) -> Markup {
    let found = &cx.cx.found.files;
    let files = tokens(given).into_iter();
    let files: Vec<_> = files
        .filter_map(|token| Some((token, found.named(token)?)))
        .collect();
    if files.is_empty() {
        return html! {};
    }
    html! {
        ul.kept-files aria-label=(cx.texts.say("file-kept")) {
            @for (token, file) in &files {
                @let size = file["file_size"].as_u64().unwrap_or_default();
                li {
                    label.kept-file {
                        input type="checkbox" name=(cx.name) value=(token) checked data-name=(name(file))
                            data-size=(size);
                        bdi.file-name { (name(file)) }
                        span.file-size.muted { (size_words(size)) }
                    }
                }
            }
        }
        p.kept-hint.muted.small { (cx.texts.say("file-kept-hint")) }
    }
}

/// A size for people.
fn size_words(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes.div_ceil(1024)),
        _ => format!("{}.{} MB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20),
    }
}

/// The input that takes a file, with what it says of itself.
pub struct FileInput<'a> {
    /// Its own label, inside a group.
    pub label: Option<&'a str>,
    /// `accept`.
    pub accept: Option<&'a str>,
    /// Whether several files may be chosen.
    pub is_multiple: bool,
    /// What may be chosen, for people; may be empty.
    pub hint: &'a str,
}

/// Draws it.
pub fn input(cx: &InputCx, file: &FileInput) -> Markup {
    let hint = (!file.hint.is_empty()).then(|| format!("{}-hint", cx.name));
    let described = [inputs::described_by(cx), hint.as_deref()];
    let described: Vec<&str> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    html! {
        @if let Some(label) = file.label { label.part-label for=(cx.name) { (label) } }
        input.file-input type="file" id=(cx.name) name=(cx.name) accept=[file.accept]
            multiple[file.is_multiple] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described];
        @if let Some(id) = hint { p.file-hint.muted.small id=(id) { (file.hint) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_content_types() {
        for good in [
            "image/png",
            "image/*",
            "application/vnd.ms-excel",
            "model/gltf+json",
            "x/3g2",
        ] {
            assert!(is_type(good), "{good}");
        }
        for bad in [
            "png",
            "*/*",
            "image/",
            "/png",
            "Image/PNG",
            "image/png; q=1",
            "a/b/c",
            "image/ *",
            "",
        ] {
            assert!(!is_type(bad), "{bad}");
        }
    }
}
