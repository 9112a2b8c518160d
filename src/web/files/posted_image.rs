//! The body of a signed-in page's form that has an image beside its texts. The sender must be signed in before a byte
//! of it is kept.

use std::sync::Arc;

use bytes::Buf;
use futures_util::Stream;
use tokio::time::timeout;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::http::blocking::spawn_blocking;
use crate::http::budget::MemoryShare;
use crate::http::multipart::{self, Files, Limits};
use crate::ops::files::posted_images::PostedImage;
use crate::web::forms::posting;
use crate::web::request::call::{Body, Parts};
use crate::web::request::matched_request::MatchedRequest;
use crate::web::request::session;

/// Texts and heads of such a form.
const TEXTS: usize = 64 << 10;
/// More than an image may have, so that the page itself answers an image that is a little too large.
const MOST_BYTES: u64 = 32 << 20;
/// The name of the form's input.
pub const INPUT: &str = "image";

/// The limits of a body.
pub const LIMITS: Limits = Limits { texts: TEXTS, total: MOST_BYTES };

/// Receives the body. The name of the image's upload is added to the texts, its faults to the faults.
///
/// # Errors
/// 400, 403, 408, 413, 429, 503.
pub async fn receive<S, B>(
    request: &MatchedRequest,
    kind: &str,
    purpose: &'static str,
    stream: S,
    share: &mut MemoryShare,
) -> Result<Body>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let shared = request.clone();
    let begun = spawn_blocking(move || {
        let empty = Body::default();
        let call = shared.call(&empty);
        // The handler answers senders who are not signed in.
        session::optional_caller(&call)?.ok_or(Error::StalePage)?;
        PostedImage::begin(Arc::clone(&call.site.app), call.origin())
    });
    let read = multipart::read(kind, stream, begun.await?, LIMITS, share);
    let deadline = posting::deadline(request.site.app.config.request_timeout, LIMITS.total);
    let (image, pairs) = timeout(deadline, read).await.unwrap_or(Err(Error::BodyTimeout))?;
    let shared = request.clone();
    spawn_blocking(move || {
        let mut body = Body { parts: Some(Parts { pairs, ..Parts::default() }), ..Body::default() };
        // Nothing is kept for a sender without the right to post; the handler answers that.
        let Ok(Ok(caller)) = session::caller(&shared.call(&body)) else {
            return Ok(body);
        };
        let kept = image.finish(&caller, purpose)?;
        if let Some(parts) = &mut body.parts {
            match kept {
                Some(Ok(upload)) => parts.pairs.push((INPUT.to_owned(), upload)),
                Some(Err(reason)) => parts.posted.faults.push(Issue::new(INPUT.to_owned(), reason)),
                None => {}
            }
        }
        Ok(body)
    })
    .await
}

impl Files for PostedImage {
    fn open(&mut self, _: &str, name: &str, _: Option<&str>, _: &[(String, String)]) -> Result<()> {
        self.open(name)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
