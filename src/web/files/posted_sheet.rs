//! The body of a signed-in page's form that has a spreadsheet beside its texts. It is read into memory, as spreadsheets
//! of the API are; the sender's right to add entries to the form is checked before.

use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::Stream;
use tokio::time::timeout;

use crate::base::error::{Error, Result};
use crate::http::budget::MemoryShare;
use crate::http::multipart::{self, Files, Limits};
use crate::ops::files::form_uploads::Posted;
use crate::ops::transfer::imports::MAX_BYTES;
use crate::web::request::call::{Body, Parts};

/// Texts and heads of such a form.
const TEXTS: usize = 64 << 10;
/// The name of the form's input.
pub const INPUT: &str = "file";
/// The text that tells the file's name.
pub const FILE_NAME: &str = "file_name";

/// The limits of a body.
pub const LIMITS: Limits = Limits { texts: TEXTS, total: MAX_BYTES + TEXTS as u64 };

/// The file while it comes. The page has one input for a file, so the last one counts.
#[derive(Default)]
struct PostedSheet {
    name: Option<String>,
    bytes: Vec<u8>,
}

/// Receives the body: the file as its bytes, and the file's name among the texts.
///
/// # Errors
/// 400, 408, 413.
pub async fn receive<S, B>(kind: &str, stream: S, deadline: Duration, share: &mut MemoryShare) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let read = multipart::read(kind, stream, PostedSheet::default(), LIMITS, share);
    let (sheet, mut pairs) = timeout(deadline, read).await.unwrap_or(Err(Error::BodyTimeout))?;
    if let Some(name) = sheet.name {
        pairs.push((FILE_NAME.to_owned(), name));
    }
    Ok(Body { bytes: Bytes::from(sheet.bytes), parts: Some(Parts { pairs, posted: Posted::default() }) })
}

impl Files for PostedSheet {
    fn open(&mut self, _: &str, name: &str, _: Option<&str>, _: &[(String, String)]) -> Result<()> {
        self.name = Some(name.to_owned());
        self.bytes.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if (self.bytes.len() + bytes.len()) as u64 > MAX_BYTES {
            return Err(Error::TooLarge(MAX_BYTES));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
