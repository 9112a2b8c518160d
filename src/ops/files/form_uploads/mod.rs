//! Files in a multipart post of a form's page, of the page of a public query that lets rows be edited, or of the page
//! on which a collaborator edits an entry. Each is written to disk while it arrives, under the rules of its field, and
//! becomes an upload that the answers name. A post that breaks off leaves nothing behind.

mod part_headers;
mod right;

pub use right::{Own, UploadRight};

use std::io::BufReader;
use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::{FileFault, Reason, Things};
use crate::base::{clock, id, text};
use crate::fields::Field;
use crate::fields::files::rules::{FileRules, PICTURE, SOUND};
use crate::media::{audio_duration, handwriting, image};
use crate::model::caller::Caller;
use crate::model::upload::{Upload, UploadTarget};
use crate::ops::app::App;
use crate::ops::entries::respondent_entries;
use crate::ops::files::content_types;
use crate::ops::files::form_uploads::part_headers::UploadInput;
use crate::ops::files::form_uploads::right::Right;
use crate::ops::files::upload_quota::{Origin, PostedBytes};
use crate::ops::files::uploads::{LINK_SECS, MB, RANDOM};
use crate::ops::forms::access;
use crate::ops::forms::published::{self, Password};
use crate::ops::queries::search;
use crate::store::files::blobs::{BlobWriter, WrittenBlob, hex};
use crate::store::files::uploads;

/// Rows of a grid, each of which may bring files.
const MOST_ROWS: u64 = 100;
/// Suffix of a signature input's name for the input of the typed name.
pub const TYPED: &str = ".typed";
const MAX_SIGNED: usize = 100;
/// A post of a form's page while it is received.
pub struct Posting {
    app: Arc<App>,
    right: Right,
    /// Bytes written so far, which count with those of the sender's other posts.
    part: PostedBytes,
    takes_files: bool,
    /// Whether the sender has shown the form's password or the right to the entry.
    is_admitted: bool,
    /// The password that was wrong, which is asked about once: each try counts.
    wrong: Option<Option<Password>>,
    current: Option<OpenFile>,
    received: Vec<ReceivedFile>,
    /// Files that were not taken because the password was not there yet.
    too_early: Vec<(UploadInput, String)>,
    faults: Vec<(String, Reason)>,
    refused: Option<Refusal>,
}

struct OpenFile {
    place: UploadInput,
    name: String,
    content_type: String,
    max_mb: u64,
    writing: BlobWriter,
}

struct ReceivedFile {
    place: UploadInput,
    name: String,
    content_type: String,
    is_alone: bool,
    is_typed: bool,
    duration: Option<f64>,
    written: WrittenBlob,
}

/// Why files can't be taken just now.
#[derive(Clone, Copy)]
pub enum Refusal {
    /// Too many came from that network.
    TooMany(u64),
    /// There is no room, or the disk fails.
    Busy(&'static str, u64),
}

impl Refusal {
    /// As requests fail by it.
    pub fn error(self) -> Error {
        match self {
            Self::TooMany(secs) => Error::TooMany(secs),
            Self::Busy(why, secs) => Error::Busy(why, secs),
        }
    }
}

/// The outcome of the files of a post.
#[derive(Default)]
pub struct Posted {
    /// The stored files.
    pub files: Vec<PostedFile>,
    /// The faults of others, by the paths of the API.
    pub faults: Vec<Issue>,
    /// Why not all could be taken.
    pub refused: Option<Refusal>,
    /// Files that may not be sent without the form's password: input and name.
    pub lost: Vec<(String, String)>,
}

/// A file that is kept.
pub struct PostedFile {
    /// The name of its input.
    pub input: String,
    /// The upload that it became.
    pub upload: String,
    /// The same for the same file each time it is sent.
    pub fingerprint: String,
    /// Whether its field has room for no other.
    pub is_alone: bool,
    /// Whether the file was drawn from a typed name.
    pub is_typed: bool,
}

impl Posting {
    /// Begins to take a post.
    ///
    /// # Errors
    /// 404 unless the form is published.
    pub fn begin(app: Arc<App>, form: &str, own: Option<Own>, origin: Origin, address: String) -> Result<Self> {
        let (published, part) = app.store.read(|tx| {
            let published = published::load(&app, tx, form)?;
            Ok((published, app.files.upload_quota.begin(tx, origin)?))
        })?;
        let takes_files = match own {
            None => published.status.check().is_ok(),
            Some(_) => respondent_entries::check_open(&published).is_ok() && published.may_edit_later(),
        };
        let right = Right::Respondent { published: Box::new(published), own, address };
        Ok(Self::new(app, right, part, takes_files))
    }

    /// Begins to take the post of a row of a public query. The form need not be open, or published.
    ///
    /// # Errors
    /// Internal.
    pub fn begin_in_query(app: Arc<App>, query: &str, entry: &str, origin: Origin) -> Result<Self> {
        let (found, part) = app.store.read(|tx| {
            let found = search::entry(&app, tx, query, entry);
            Ok((found, app.files.upload_quota.begin(tx, origin)?))
        })?;
        let right = Right::of_visitor(found, entry)?;
        let takes_files = !matches!(right, Right::Nobody);
        Ok(Self::new(app, right, part, takes_files))
    }

    /// Begins to take the post of a page on which a collaborator changes or adds an entry. `csrf` is the token that the
    /// post must have before its files.
    ///
    /// # Errors
    /// 403, 404.
    pub fn begin_in_console(app: Arc<App>, caller: &Caller, form: &str, origin: Origin, csrf: String) -> Result<Self> {
        let (form, parsed, part) = app.store.read(|tx| {
            let form = access::form_for(tx, caller, form, access::Right::Enter)?;
            let parsed = app.cache.parsed(tx, &form)?;
            Ok((form, parsed, app.files.upload_quota.begin(tx, origin)?))
        })?;
        let right = Right::Collaborator { form: Box::new(form), parsed, csrf };
        Ok(Self::new(app, right, part, true))
    }

    fn new(app: Arc<App>, right: Right, part: PostedBytes, takes_files: bool) -> Self {
        Self {
            right,
            part,
            takes_files,
            is_admitted: false,
            wrong: None,
            current: None,
            received: Vec::new(),
            too_early: Vec::new(),
            faults: Vec::new(),
            refused: None,
            app,
        }
    }

    /// The service.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The form's token.
    pub fn form(&self) -> &str {
        self.right.form_and_fields().map_or("", |(form, _)| form.token.as_str())
    }

    /// The most bytes that files of the form's fields may come to.
    pub fn most_bytes(&self) -> u64 {
        let limit = self.app.config.max_upload_mb;
        let of = |field: &Field| {
            let rules = field.kind.file_rules()?;
            Some(rules.max_mb.min(limit) * MB * rules.max_count as u64)
        };
        // Files that nobody takes are skipped, whatever their size.
        let Some((_, fields)) = self.right.form_and_fields() else {
            return limit * MB;
        };
        let seen = fields.iter().filter(|field| self.right.shows(field));
        let most = seen.map(|field| {
            let columns = field.kind.sub_fields().iter().filter_map(of).sum::<u64>();
            of(field).unwrap_or_default() + columns * MOST_ROWS
        });
        most.sum()
    }

    /// Whether a field may occur in a post only once.
    pub fn is_single(&self, input: &str) -> bool {
        self.right.field(input).is_some_and(|field| field.kind.write_schema()["type"] != "array")
    }

    /// A file begins. One that is not taken is passed over.
    pub fn open(&mut self, input: &str, name: &str, content_type: Option<&str>) -> Result<()> {
        self.current = None;
        if !self.takes_files || self.refused.is_some() {
            return Ok(());
        }
        let Some(place) = UploadInput::of(input) else {
            return Ok(());
        };
        let Some(rules) = self.rules(&place) else {
            return Ok(());
        };
        let (max_mb, max_count) = (rules.max_mb.min(self.app.config.max_upload_mb), rules.max_count);
        let name = part_headers::name(name);
        let content_type = part_headers::content_type(content_type, &name, rules.media);
        if content_types::SCRIPTS.contains(&content_type.as_str()) || !rules.takes(&content_type) {
            self.fault(&place, Reason::file(name, FileFault::OtherType));
            return Ok(());
        }
        let beside = self.received.iter().filter(|came| came.place == place).count();
        if beside >= max_count {
            self.fault(&place, Reason::too_many(max_count, Things::Files));
            return Ok(());
        }
        if !self.is_admitted {
            self.too_early.push((place, name));
            return Ok(());
        }
        let begun = self.app.store.blobs().create();
        if let Some(writing) = self.or_refused(begun)? {
            self.current = Some(OpenFile { place, name, content_type, max_mb, writing });
        }
        Ok(())
    }

    /// The next bytes of the file.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let count = bytes.len() as u64;
        let Some(mut coming) = self.current.take() else {
            return Ok(());
        };
        if coming.writing.size() + count > coming.max_mb * MB {
            let megabytes = coming.max_mb;
            let reason = Reason::file(coming.name, FileFault::TooLarge { megabytes });
            self.fault(&coming.place, reason);
            return Ok(());
        }
        let counted = self.part.add(&self.app, count);
        let written = counted.and_then(|()| coming.writing.write(bytes));
        if self.or_refused(written)?.is_some() {
            self.current = Some(coming);
        }
        Ok(())
    }

    /// The file ends.
    pub fn close(&mut self) -> Result<()> {
        let Some(mut coming) = self.current.take() else {
            return Ok(());
        };
        let Some(rules) = self.rules(&coming.place) else {
            return Ok(());
        };
        let (is_alone, is_sound) = (rules.max_count == 1, rules.media == SOUND);
        match check(&mut coming, rules)? {
            Some(fault) => {
                let reason = Reason::file(coming.name, fault);
                self.fault(&coming.place, reason);
            }
            None => {
                let duration = match is_sound {
                    true => audio_duration::seconds(coming.writing.reread()?),
                    false => None,
                };
                let written = coming.writing.finish();
                if let Some(written) = self.or_refused(written)? {
                    self.received.push(ReceivedFile {
                        place: coming.place,
                        name: coming.name,
                        content_type: coming.content_type,
                        is_alone,
                        is_typed: false,
                        duration,
                        written,
                    });
                }
            }
        }
        Ok(())
    }

    /// Names that were typed as signatures become pictures, where no picture came.
    fn sign(&mut self, pairs: &[(String, String)], given: UploadRight) -> Result<()> {
        let asked = pairs.iter().find(|(key, _)| key == "_action");
        if asked.is_some_and(|(_, action)| action != "submit") {
            return Ok(());
        }
        for (key, name) in pairs {
            let input = key.strip_suffix(TYPED);
            let Some(input) = input.filter(|_| !text::is_blank(name)) else {
                continue;
            };
            let place = UploadInput { input: input.to_owned(), field: input.to_owned(), column: None };
            let rules = self.rules(&place);
            let is_signature = rules.is_some_and(|rules| rules.media == PICTURE);
            let is_there = self.received.iter().any(|came| came.place == place);
            if !is_signature || is_there || !self.takes_files || self.refused.is_some() {
                continue;
            }
            if !self.admit(given) {
                return Ok(());
            }
            if text::length(name) > MAX_SIGNED {
                self.fault(&place, Reason::TooLong { most: MAX_SIGNED });
                continue;
            }
            let Some(png) = handwriting::png(name) else {
                self.fault(&place, Reason::Undrawable);
                continue;
            };
            let counted = self.part.add(&self.app, png.len() as u64);
            let written = counted.and_then(|()| {
                let mut writing = self.app.store.blobs().create()?;
                writing.write(&png)?;
                writing.finish()
            });
            if let Some(written) = self.or_refused(written)? {
                self.received.push(ReceivedFile {
                    place,
                    name: "signature.png".to_owned(),
                    content_type: "image/png".to_owned(),
                    is_alone: true,
                    is_typed: true,
                    duration: None,
                    written,
                });
            }
        }
        Ok(())
    }

    /// The post was received whole, with these texts: its files are kept if the sender may send any.
    pub fn finish(mut self, pairs: &[(String, String)], password: Option<&Password>) -> Result<Posted> {
        let given = UploadRight { password, texts: pairs };
        self.sign(pairs, given)?;
        let brought = !self.received.is_empty() || !self.too_early.is_empty();
        if brought && !self.admit(given) {
            let lost = self.too_early.into_iter();
            return Ok(Posted { lost: lost.map(|(place, name)| (place.input, name)).collect(), ..Posted::default() });
        }
        for (place, name) in std::mem::take(&mut self.too_early) {
            self.fault(&place, Reason::file(name, FileFault::BeforePassword));
        }
        let kept = self.keep();
        let files = self.or_refused(kept)?.unwrap_or_default();
        let mut by_input: Vec<(String, Vec<Reason>)> = Vec::new();
        for (input, reason) in self.faults {
            match by_input.iter_mut().find(|(known, _)| *known == input) {
                Some((_, reasons)) if reasons.contains(&reason) => {}
                Some((_, reasons)) => reasons.push(reason),
                None => by_input.push((input, vec![reason])),
            }
        }
        let faults = by_input
            .into_iter()
            .map(|(input, reasons)| Issue::new(format!("field_values.{input}"), Reason::Several(reasons)));
        let faults = faults.collect();
        Ok(Posted { files, faults, refused: self.refused, lost: Vec::new() })
    }

    /// Whether these rights allow sending files: checked before the first file is kept. The handler of the answers
    /// checks again.
    pub fn admit(&mut self, given: UploadRight) -> bool {
        let is_known = matches!(self.right, Right::Respondent { .. })
            && self.wrong.as_ref().is_some_and(|wrong| wrong.as_ref() == given.password);
        if !self.is_admitted && !is_known {
            self.is_admitted = self.right.admits(&self.app, given);
            self.wrong = (!self.is_admitted).then(|| given.password.cloned());
        }
        self.is_admitted
    }

    /// Makes uploads of the files, all at once.
    fn keep(&mut self) -> Result<Vec<PostedFile>> {
        let expires_at = clock::now().plus_secs(LINK_SECS);
        let (mut files, mut rows, mut written) = (Vec::new(), Vec::new(), Vec::new());
        let received = std::mem::take(&mut self.received);
        let Some((form, _)) = self.right.form_and_fields() else {
            return Ok(files);
        };
        for came in received {
            let place = came.place;
            let mut parts = vec![form.token.to_string(), place.field.clone()];
            parts.extend(place.column.clone());
            parts.push(id::random(RANDOM));
            let blob = came.written.blob();
            let upload = Upload {
                token: parts.join("."),
                target: UploadTarget::Entry { form_no: form.form_no, field: place.field, dimension: place.column },
                file_name: came.name,
                content_type: came.content_type,
                file_size: blob.size,
                duration: came.duration,
                expires_at,
                created_at: clock::now(),
                is_put: false,
                is_used: false,
            };
            files.push(PostedFile {
                input: place.input,
                upload: upload.token.clone(),
                fingerprint: format!("{} {}", hex(&blob.hash), upload.file_name),
                is_alone: came.is_alone,
                is_typed: came.is_typed,
            });
            rows.push(upload);
            written.push(came.written);
        }
        if files.is_empty() {
            return Ok(files);
        }
        let sender = self.part.sender().to_owned();
        self.app.store.keep_blobs(written, move |tx, blobs| {
            for (upload, blob) in rows.iter().zip(blobs) {
                uploads::insert(tx, upload, &sender)?;
                uploads::put(tx, &upload.token, blob, None)?;
            }
            Ok(())
        })?;
        Ok(files)
    }

    fn rules(&self, place: &UploadInput) -> Option<FileRules<'_>> {
        let field = self.right.field(&place.field)?;
        match &place.column {
            None => field.kind.file_rules(),
            Some(column) => {
                let columns = field.kind.sub_fields().iter();
                let mut columns = columns.filter(|column| !column.hidden);
                let column = columns.find(|field| field.api_code == *column)?;
                column.kind.file_rules()
            }
        }
    }

    fn fault(&mut self, place: &UploadInput, reason: Reason) {
        self.faults.push((place.input.clone(), reason));
    }

    /// Returns the value; on an error that may pass, notes the refusal and returns `None`.
    fn or_refused<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => return Ok(Some(value)),
            Err(Error::Busy(why, secs)) => self.refused = Some(Refusal::Busy(why, secs)),
            Err(Error::TooMany(secs)) => self.refused = Some(Refusal::TooMany(secs)),
            Err(error) => return Err(error),
        }
        Ok(None)
    }
}

/// The fault of a complete file. If a picture has another type than declared, the type is corrected: phones save
/// received pictures under any name.
fn check(coming: &mut OpenFile, rules: FileRules) -> Result<Option<FileFault>> {
    if coming.writing.size() == 0 {
        return Ok(Some(FileFault::Empty));
    }
    let is_picture = image::TYPES.contains(&coming.content_type.as_str());
    if !is_picture && rules.media != PICTURE {
        return Ok(None);
    }
    let header = image::header(BufReader::new(coming.writing.reread()?));
    let header = header.filter(|header| rules.takes(header.content_type));
    let Some(header) = header else {
        return Ok(Some(FileFault::Damaged));
    };
    if header.width.max(header.height) > image::MAX_SIDE {
        let most = image::MAX_SIDE;
        return Ok(Some(FileFault::TooManyPixels { most }));
    }
    header.content_type.clone_into(&mut coming.content_type);
    Ok(None)
}
