//! A file in the body of a request: to the disk a piece at a time, as it comes. A slow one holds no thread, and
//! none is in memory whole.

use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::Buf;
use futures_util::{Stream, StreamExt as _};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::ops::App;
use crate::ops::uploads::Taking;
use crate::web::blocking::spawn_blocking;
use crate::web::body::{self, Pace};
use crate::web::reply::{self, Answer};
use crate::web::transfer_buffer::UPLOADS;

/// What becomes of the file once a piece is written, with that piece's room.
type Written = Pin<Box<dyn Future<Output = Result<(Taking, Vec<u8>)>> + Send>>;

/// Takes the file in. When the client goes away, what came is gone.
///
/// # Errors
/// 400, 408, 410, 413, 422, 503.
pub async fn receive<S, B>(taking: Taking, stream: S, app: Arc<App>) -> Result<Answer>
where
    S: Stream<Item = std::result::Result<B, warp::Error>> + Send,
    B: Buf,
{
    let limit = taking.limit();
    let share = UPLOADS.share();
    let mut body = pin!(body::paced(stream, limit, Pace::default()));
    let mut piece = Vec::new();
    let mut written: Written = Box::pin(ready(Ok((taking, Vec::new()))));
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|fault| fault.error(limit))?;
        // Copied: a small chunk may hold on to a large buffer.
        piece.extend_from_slice(&chunk);
        if share.is_full(&piece) {
            // One is written while the next one comes.
            let (mut taking, next) = written.await?;
            written = Box::pin(spawn_blocking(move || {
                taking.write(&piece)?;
                Ok((taking, piece))
            }));
            piece = share.next(next);
        }
    }
    let (mut taking, _) = written.await?;
    let kept = spawn_blocking(move || {
        taking.write(&piece)?;
        drop(piece);
        taking.finish(&app)
    });
    Ok(reply::data_text(StatusCode::OK, &kept.await?.to_string()))
}
