//! The body of a signed-in page's form that has a document beside its texts, which is read once and not kept. Its memory
//! is accounted for before a byte of it comes.

use bytes::Buf;
use futures_util::Stream;
use tokio::time::timeout;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::{FileFault, Reason};
use crate::http::blocking::spawn_blocking;
use crate::http::body::BodyFault;
use crate::http::budget::MemoryShare;
use crate::http::multipart::{self, Files, Limits};
use crate::ops::files::form_uploads::Posted;
use crate::web::forms::posting;
use crate::web::request::call::{Body, Parts};
use crate::web::request::matched_request::MatchedRequest;
use crate::web::request::session;

/// The name of the form's input.
pub const INPUT: &str = "document";
/// Maximum size of a document.
const MOST_BYTES: usize = 4 << 20;
const MB: usize = 1 << 20;

/// What a body may hold: a form without a document as much as elsewhere, and a document that is a little too large is
/// answered by the page itself.
pub const LIMITS: Limits = Limits { texts: MB, total: 16 << 20 };

/// A document, while it comes.
#[derive(Default)]
struct Document {
    name: String,
    bytes: Option<Vec<u8>>,
    is_too_large: bool,
}

impl Files for Document {
    fn open(&mut self, _: &str, name: &str, _: Option<&str>, _: &[(String, String)]) -> Result<()> {
        *self = Self { name: name.to_owned(), bytes: Some(Vec::new()), is_too_large: false };
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(read) = &mut self.bytes {
            if read.len() + bytes.len() > MOST_BYTES {
                self.bytes = None;
                self.is_too_large = true;
            } else {
                read.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Receives the body; a document that is too large stands among the faults.
///
/// # Errors
/// 400, 403, 408, 413, 503.
pub async fn receive<S, B>(request: &MatchedRequest, kind: &str, stream: S, share: &mut MemoryShare) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let shared = request.clone();
    spawn_blocking(move || {
        let empty = Body::default();
        // The handler says the rest to whoever is not signed in.
        session::optional_caller(&shared.call(&empty))?.ok_or(Error::StalePage)
    })
    .await?;
    if !share.grow(MOST_BYTES).await {
        return Err(BodyFault::Busy.error(LIMITS.total));
    }
    let read = multipart::read(kind, stream, Document::default(), LIMITS, share);
    let deadline = posting::deadline(request.site.app.config.request_timeout, LIMITS.total);
    let (document, pairs) = timeout(deadline, read).await.unwrap_or(Err(Error::BodyTimeout))?;
    let mut posted = Posted::default();
    if document.is_too_large {
        let fault = FileFault::TooLarge { megabytes: (MOST_BYTES / MB) as u64 };
        posted.faults.push(Issue::new(INPUT.to_owned(), Reason::file(document.name, fault)));
    }
    Ok(Body { parts: Some(Parts { pairs, posted, document: document.bytes }), ..Body::default() })
}
