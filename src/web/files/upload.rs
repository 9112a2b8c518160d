//! Streams an uploaded file to disk. A slow upload holds no thread, and no file is in memory whole.

use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::Buf;
use futures_util::{Stream, StreamExt as _};

use crate::base::error::Result;
use crate::http::blocking::spawn_blocking;
use crate::http::body::{self, Pace};
use crate::http::transfer_buffer::UPLOADS;
use crate::ops::app::App;
use crate::ops::files::received_files::Taking;
use crate::web::request::reply::{self, Answer};

/// A write in progress; returns the file and the buffer for reuse.
type PendingWrite = Pin<Box<dyn Future<Output = Result<(Taking, Vec<u8>)>> + Send>>;

/// Receives the file. If the client disconnects, the received part is dropped.
pub async fn receive<S, B>(taking: Taking, stream: S, app: Arc<App>) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let limit = taking.limit();
    let share = UPLOADS.share();
    let mut body = pin!(body::paced(stream, limit, Pace::default()));
    let mut buffer = Vec::new();
    let mut pending: PendingWrite = Box::pin(ready(Ok((taking, Vec::new()))));
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|fault| fault.error(limit))?;
        // Copied: a small chunk may keep a large buffer alive.
        buffer.extend_from_slice(&chunk);
        if share.is_full(&buffer) {
            // One buffer is written while the next is filled.
            let (mut taking, spare) = pending.await?;
            pending = Box::pin(spawn_blocking(move || {
                taking.write(&buffer)?;
                Ok((taking, buffer))
            }));
            buffer = share.reuse(spare);
        }
    }
    let (mut taking, _) = pending.await?;
    let kept = spawn_blocking(move || {
        taking.write(&buffer)?;
        drop(buffer);
        taking.finish(&app)
    });
    reply::data(&kept.await?)
}
