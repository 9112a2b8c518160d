//! Uploads: a client announces a file, gets an address, and sends the file there. Whether the file is allowed is
//! decided before its first byte is read.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::secret::{Keys, Purpose};
use crate::base::{id, text};
use crate::fields::files::links::QueryRow;
use crate::fields::files::rules::FileRules;
use crate::fields::{Field, Fields};
use crate::media::image;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::scope::Scope;
use crate::model::upload::{PURPOSES, Upload, UploadTarget};
use crate::ops::app::App;
use crate::ops::files::content_types;
use crate::ops::files::upload_quota::{Allowed, Origin};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::{self, Visitor};
use crate::ops::queries::{edit, search};
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::files::uploads;

pub(in crate::ops) const MB: u64 = 1 << 20;
pub(in crate::ops) const IMAGE_BYTES: u64 = 5 * MB;
pub(in crate::ops) const LINK_SECS: i64 = 3600;
pub(in crate::ops) const RANDOM: usize = 22;
pub(in crate::ops) const MAX_NAME: usize = 255;
const MAX_TYPE: usize = 255;
const MAX_CODE: usize = 64;
/// Maximum open uploads of one address for one form (S64).
const MOST_OPEN: i64 = 300;
const OPEN_WAIT_SECS: u64 = 60;

/// A prepared upload.
pub struct Prepared {
    /// Its target and expiry.
    pub upload: Upload,
    /// The signed address that takes the file.
    pub url: String,
}

/// Prepares the upload of a form's image.
///
/// # Errors
/// 422, 429, 503.
pub fn prepare_image(app: &App, caller: &Caller, origin: Origin, body: Json) -> Result<Prepared> {
    let mut at = Issues::new();
    let asked = read_image(&mut Reader::new(body, &mut at));
    at.into_result()?;
    let target = UploadTarget::Element { purpose: asked.purpose, organization: caller.user.organization.id.0 };
    prepare(app, id::random(RANDOM), target, asked.file, origin)
}

struct Image {
    purpose: &'static str,
    file: File,
}

/// The announced properties of a file.
#[derive(Default)]
struct File {
    name: String,
    content_type: String,
    size: u64,
}

fn read_image(reader: &mut Reader) -> Image {
    let purpose = reader.word("purpose", &PURPOSES).unwrap_or_default();
    let name = read_name(reader);
    let types = image::TYPES.map(|name| (name, name));
    let content_type = reader.word("content_type", &types).unwrap_or_default();
    Image { purpose, file: File { name, content_type: content_type.to_owned(), size: read_size(reader, IMAGE_BYTES) } }
}

/// The JSON Schema of the body of `prepare_image`.
pub fn image_schema() -> Json {
    Reader::describe(|reader| {
        read_image(reader);
    })
}

/// Prepares the upload of a file for an entry. Respondents can do so while the form takes submissions; who may change
/// its entries always can, for hidden fields, too.
///
/// # Errors
/// For respondents 403 for a missing or wrong password or a form that is not open; 404, 422, 429, 503.
pub fn prepare_attachment(
    app: &App,
    token: &str,
    (caller, visitor): (Option<&Caller>, Visitor),
    origin: Origin,
    body: Json,
) -> Result<Prepared> {
    if let Some((form, parsed)) = app.store.read(|tx| form_of_editor(app, tx, caller, token))? {
        let mut at = Issues::new();
        let asked = {
            let mut reader = Reader::new(body, &mut at);
            let fields = &parsed.definition.fields;
            let all = SeenFields { fields, is_seen: &|_| true, is_column_seen: |_| true };
            let asked = read_attachment(&mut reader, Some(all), app.config.max_upload_mb);
            reader.opt_text("password", 256);
            asked
        };
        at.into_result()?;
        return prepare_for(app, &form, asked, origin);
    }
    let published = app.store.read(|tx| published::load(app, tx, token))?;
    let mut at = Issues::new();
    let asked = {
        let mut reader = Reader::new(body, &mut at);
        let fields = &published.parsed.definition.fields;
        let seen = SeenFields { fields, is_seen: &is_shown, is_column_seen: is_shown };
        let asked = read_attachment(&mut reader, Some(seen), app.config.max_upload_mb);
        (asked, reader.opt_text("password", 256))
    };
    let (asked, password) = asked;
    let password = visitor.password.or(password.as_deref());
    published::check_password(app, &published, Visitor { password, ..visitor })?;
    published.status.check()?;
    at.into_result()?;
    prepare_for(app, &published.form, asked, origin)
}

/// The form, if the caller may change its entries by the token.
fn form_of_editor(app: &App, tx: &Tx, caller: Option<&Caller>, token: &str) -> Result<Option<(Form, Arc<ParsedForm>)>> {
    let Some(caller) = caller.filter(|caller| caller.scopes.has(Scope::EntryWrite)) else {
        return Ok(None);
    };
    match access::form_for(tx, caller, token, Right::Enter) {
        Ok(form) => {
            let parsed = app.cache.parsed(tx, &form)?;
            Ok(Some((form, parsed)))
        }
        Err(Error::NotFound(_) | Error::Forbidden) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Prepares the upload of a file for a row of a public query, which a visitor may edit. The form need not be open, or
/// published.
///
/// # Errors
/// 403 for a query that can't be used, 404 without the right to edit the row, 422, 429, 503.
pub fn prepare_in_query(
    app: &App,
    row: QueryRow,
    edit_token: Option<&str>,
    origin: Origin,
    body: Json,
) -> Result<Prepared> {
    let results = app.store.read(|tx| search::entry(app, tx, row.query, row.entry))?;
    let open = &results.open;
    let columns = open.columns();
    let is_theirs = |field: &Field| {
        let mut columns = columns.iter();
        columns.any(|column| column.is_editable && column.rule.field == field.api_code)
    };
    let mut at = Issues::new();
    let (asked, in_body) = {
        let mut reader = Reader::new(body, &mut at);
        let fields = &open.parsed.definition.fields;
        let most = app.config.max_upload_mb;
        let seen = SeenFields { fields, is_seen: &is_theirs, is_column_seen: is_shown };
        let asked = read_attachment(&mut reader, Some(seen), most);
        (asked, read_edit_token(&mut reader))
    };
    let edit_token = edit_token.or(in_body.as_deref()).unwrap_or_default();
    edit::check_right(app, open, row.entry, edit_token, clock::now())?;
    at.into_result()?;
    prepare_for(app, &open.form, asked, origin)
}

fn prepare_for(app: &App, form: &Form, asked: Attachment, origin: Origin) -> Result<Prepared> {
    let mut parts = vec![form.token.to_string(), asked.field.clone()];
    parts.extend(asked.dimension.clone());
    parts.push(id::random(RANDOM));
    let target = UploadTarget::Entry { form_no: form.form_no, field: asked.field, dimension: asked.dimension };
    prepare(app, parts.join("."), target, asked.file, origin)
}

struct Attachment {
    field: String,
    dimension: Option<String>,
    file: File,
}

/// The fields of a form, and which of them and of their columns the sender sees.
#[derive(Clone, Copy)]
struct SeenFields<'f> {
    fields: &'f Fields,
    is_seen: &'f dyn Fn(&Field) -> bool,
    is_column_seen: fn(&Field) -> bool,
}

fn is_shown(field: &Field) -> bool {
    !field.hidden
}

fn read_attachment(reader: &mut Reader, seen: Option<SeenFields>, most_mb: u64) -> Attachment {
    let field = reader.text("field_api_code", MAX_CODE);
    let dimension = reader.opt_text("dimension_api_code", MAX_CODE);
    let rules = seen.and_then(|seen| find(reader, seen, &field, dimension.as_deref()));
    let most = rules.map_or(most_mb, |rules| rules.max_mb.min(most_mb));
    Attachment {
        file: File {
            name: read_name(reader),
            content_type: read_type(reader, rules),
            size: read_size(reader, most * MB),
        },
        field,
        dimension,
    }
}

fn read_edit_token(reader: &mut Reader) -> Option<String> {
    reader.opt_text("edit_token", 500)
}

/// Returns the file rules of the field or of its column. Faults of the names go to `reader`. Fields that the sender
/// does not see are treated as unknown.
fn find<'f>(reader: &mut Reader, seen: SeenFields<'f>, code: &str, column: Option<&str>) -> Option<FileRules<'f>> {
    if code.is_empty() {
        return None;
    }
    let takes = |field: &&Field| field.kind.has_files() && !field.kind.comes_by_page();
    let field = seen.fields.get(code).filter(|field| (seen.is_seen)(field));
    let Some(field) = field.filter(takes) else {
        reader.fault("field_api_code", Reason::other("is not an attachment field of this form"));
        return None;
    };
    let key = "dimension_api_code";
    match (field.kind.file_rules(), column) {
        (Some(rules), None) => Some(rules),
        (Some(_), Some(_)) => {
            reader.fault(key, Reason::other("is not a column of this field"));
            None
        }
        (None, None) => {
            reader.fault(key, Reason::Required);
            None
        }
        (None, Some(column)) => {
            let columns = field.kind.sub_fields().iter();
            let mut columns = columns.filter(|field| (seen.is_column_seen)(field)).filter(takes);
            let found = columns.find(|field| field.api_code == column);
            let rules = found.and_then(|field| field.kind.file_rules());
            if rules.is_none() {
                reader.fault(key, Reason::other("is not an attachment column of this field"));
            }
            rules
        }
    }
}

/// The JSON Schema of the body of `prepare_attachment`.
pub fn attachment_schema() -> Json {
    Reader::describe(|reader| {
        read_attachment(reader, None, 1 << 20);
        reader.opt_text("password", 256);
    })
}

/// The JSON Schema of the body of `prepare_in_query`.
pub fn query_attachment_schema() -> Json {
    Reader::describe(|reader| {
        read_attachment(reader, None, 1 << 20);
        read_edit_token(reader);
    })
}

fn read_name(reader: &mut Reader) -> String {
    let given = reader.text("file_name", MAX_NAME);
    let name = text::file_name(&given);
    if name.is_none() && !given.is_empty() {
        reader.fault("file_name", Reason::other("is not the name of a file"));
    }
    name.unwrap_or_default()
}

fn read_type(reader: &mut Reader, rules: Option<FileRules>) -> String {
    let given = reader.text("content_type", MAX_TYPE);
    if given.is_empty() {
        return given;
    }
    let bare = content_types::essence(&given);
    if !content_types::is_type(&bare) {
        reader.fault("content_type", Reason::MustBe(Expected::Other("a content type such as image/png")));
    } else if content_types::SCRIPTS.contains(&bare.as_str()) {
        reader.fault("content_type", Reason::NotAllowed);
    } else if rules.is_some_and(|rules| !rules.takes(&bare)) {
        reader.fault("content_type", Reason::other("is not accepted by this field"));
    }
    bare
}

fn read_size(reader: &mut Reader, most: u64) -> u64 {
    if !reader.has("file_size") {
        reader.fault("file_size", Reason::Required);
    }
    let size = reader.opt_int("file_size", 1..=most.cast_signed());
    size.map_or(0, i64::cast_unsigned)
}

fn prepare(app: &App, token: String, target: UploadTarget, file: File, origin: Origin) -> Result<Prepared> {
    let allowed = Allowed::now(app, origin)?;
    let form_no = match &target {
        UploadTarget::Entry { form_no, .. } => Some(*form_no),
        UploadTarget::Element { .. } => None,
    };
    let upload = app.store.write(move |tx| {
        if uploads::open_count(tx, allowed.sender(), form_no)? >= MOST_OPEN {
            return Err(Error::TooMany(OPEN_WAIT_SECS));
        }
        allowed.check(tx, file.size)?;
        let upload = Upload {
            token,
            target,
            file_name: file.name,
            content_type: file.content_type,
            file_size: file.size,
            duration: None,
            expires_at: tx.now.plus_secs(LINK_SECS),
            created_at: tx.now,
            is_put: false,
            is_used: false,
        };
        uploads::insert(tx, &upload, allowed.sender())?;
        Ok(upload)
    })?;
    let base = &app.config.base_url;
    let signature = sign(app.keys(), &upload);
    Ok(Prepared { url: format!("{base}/uploads/{}?signature={signature}", upload.token), upload })
}

pub(in crate::ops::files) fn sign(keys: &Keys, upload: &Upload) -> String {
    let expires = upload.expires_at.millis().to_string();
    let parts = [upload.token.as_bytes(), upload.target.purpose().as_bytes(), expires.as_bytes()];
    keys.sign(Purpose::Upload, &parts)
}
