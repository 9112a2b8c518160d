//! The answers to a form as its page posts them, or those that a visitor of a public query edits, where files come with
//! them or typed names become pictures. The operations decide what concerns the disk and the form's fields.

use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use futures_util::Stream;
use tokio::time::timeout;

use crate::base::error::{Error, Result};
use crate::http::blocking::spawn_blocking;
use crate::http::budget::MemoryShare;
use crate::http::multipart::{self, Files, Limits, Pairs};
use crate::ops::files::form_uploads::{Own, Posting, TYPED, UploadRight};
use crate::web::forms::form_password;
use crate::web::request::call::{Call, Parts};
use crate::web::request::session;

/// The beginning of the addresses at which collaborators edit entries.
const CONSOLE: &str = "/forms/";
/// The heads of all parts, and the bytes between them.
const HEADS: u64 = 512 << 10;
/// How fast a post has to come, all in all, and how long the longest may take.
const BYTES_PER_SECOND: u64 = 16 << 10;
const LONGEST: Duration = Duration::from_secs(3600);

/// Begins to take the post of a form's page, of an entry's, of a row's of a public query, or of a signed-in page's.
///
/// # Errors
/// 403 without a session or the right to change entries, 404.
pub fn begin(call: &Call) -> Result<Posting> {
    if call.pattern.starts_with(CONSOLE) {
        // The handler answers senders who are not signed in.
        let caller = session::optional_caller(call)?.ok_or(Error::StalePage)?;
        let (app, form) = (Arc::clone(&call.site.app), call.param("form_token"));
        return Posting::begin_in_console(app, &caller, form, call.origin(), session::csrf(call));
    }
    let entry = call.param("entry_token");
    let query = call.param("query_token");
    if !query.is_empty() {
        let app = Arc::clone(&call.site.app);
        return Posting::begin_in_query(app, query, entry, call.origin());
    }
    let own = (!entry.is_empty()).then(|| Own { entry: entry.to_owned(), edit_token: call.query("edit_token") });
    let app = Arc::clone(&call.site.app);
    let form = call.param("form_token");
    Posting::begin(app, form, own, call.origin(), call.address())
}

/// The limits of a post: the files that the form's fields take, the texts, and the parts' heads.
pub fn limits(posting: &Posting, texts: usize) -> Limits {
    let total = posting.most_bytes() + texts as u64 + HEADS;
    Limits { texts, total }
}

/// How long a post of so many bytes may take, where a small body may take `patience`.
pub fn deadline(patience: Duration, length: u64) -> Duration {
    (patience + Duration::from_secs(length / BYTES_PER_SECOND)).min(LONGEST)
}

/// Receives the body; `kind` is the content type as it came, `deadline` how long it may take, `share` the memory that
/// its texts take. A body that breaks off leaves nothing behind.
///
/// # Errors
/// 400 for a body that does not match its content type, or is not UTF-8, or too large; 408, 413.
pub async fn receive<S, B>(
    kind: &str,
    stream: S,
    posting: Posting,
    (limits, deadline): (Limits, Duration),
    share: &mut MemoryShare,
) -> Result<Parts>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let read = multipart::read(kind, stream, posting, limits, share);
    let read = timeout(deadline, read).await;
    let (posting, pairs) = read.unwrap_or(Err(Error::BodyTimeout))?;
    if let Some(name) = twice(&posting, &pairs) {
        let message = format!("{name} is sent twice in the form");
        return Err(Error::BadRequest(message.into()));
    }
    spawn_blocking(move || finish(posting, pairs)).await
}

/// The parts of a urlencoded body, where names that were typed in it become pictures.
///
/// # Errors
/// 404; internal.
pub fn signed(call: &Call) -> Result<Option<Parts>> {
    let pairs = call.form();
    let is_signed = |(name, text): &(String, String)| name.ends_with(TYPED) && !text.is_empty();
    if !pairs.iter().any(is_signed) {
        return Ok(None);
    }
    finish(begin(call)?, pairs).map(Some)
}

/// Keeps the files, in the place of the texts of their inputs.
fn finish(posting: Posting, mut pairs: Pairs) -> Result<Parts> {
    let password = form_password::posted(posting.app().keys(), posting.form(), &pairs);
    let posted = posting.finish(&pairs, password.as_ref())?;
    for file in &posted.files {
        let typed = format!("{}{TYPED}", file.input);
        // It comes in the place of the one that was there.
        pairs.retain(|(name, _)| {
            let is_instead = *name == file.input || (!file.is_typed && *name == typed);
            !(file.is_alone && is_instead)
        });
        pairs.push((file.input.clone(), file.upload.clone()));
    }
    Ok(Parts { pairs, posted })
}

impl Files for Posting {
    fn open(&mut self, input: &str, name: &str, content_type: Option<&str>, texts: &[(String, String)]) -> Result<()> {
        let password = form_password::posted(self.app().keys(), self.form(), texts);
        self.admit(UploadRight { password: password.as_ref(), texts });
        self.open(input, name, content_type)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)
    }

    fn close(&mut self) -> Result<()> {
        self.close()
    }
}

/// A field that occurs with two texts although it takes one.
fn twice<'p>(posting: &Posting, pairs: &'p [(String, String)]) -> Option<&'p str> {
    let given = pairs.iter().filter(|(_, text)| !text.is_empty());
    let mut given: Vec<&(String, String)> = given.collect();
    given.sort();
    given.dedup();
    let pair = given.windows(2).find(|pair| {
        let [(one, _), (other, _)] = pair else {
            return false;
        };
        one == other && posting.is_single(one)
    })?;
    pair.first().map(|(name, _)| name.as_str())
}
