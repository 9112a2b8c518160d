//! A `multipart/form-data` body, read as it comes: its texts are kept, its files are handed on a piece at a time.
//! Never holds a file in memory.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _};
use multer::Multipart;
use warp::http::header;

use crate::base::error::{Error, Result};
use crate::http::blocking::spawn_blocking;
use crate::http::body::{self, BodyFault, Pace};
use crate::http::budget::MemoryShare;
use crate::http::transfer_buffer::UPLOADS;

/// More parts than any form's page has (S49).
const MAX_PARTS: usize = 1000;
/// The limit of RFC 2046.
const MAX_BOUNDARY: usize = 70;
/// The headers of a part (S50).
const MAX_HEAD: usize = 8 << 10;
/// Bytes read of parts without a name or a file, and after the last part.
const MAX_UNNAMED: usize = 64 << 10;

/// Whether a content type is of this kind.
pub fn is_multipart(kind: &str) -> bool {
    let start = kind.get(..10);
    start.is_some_and(|start| start.eq_ignore_ascii_case("multipart/"))
}

/// Receiver of files. It may wait for the disk.
pub trait Files: Send + 'static {
    /// Begins a file, sent by the input `input` after these texts.
    ///
    /// # Errors
    /// Chosen by the implementation; the body is then read no further.
    fn open(&mut self, input: &str, name: &str, content_type: Option<&str>, texts: &[(String, String)]) -> Result<()>;
    /// Adds bytes to the file.
    ///
    /// # Errors
    /// As above.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Ends the file.
    ///
    /// # Errors
    /// As above.
    fn close(&mut self) -> Result<()>;
}

/// The names of inputs, each with its text.
pub type Pairs = Vec<(String, String)>;

/// Limits of a body.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes of all texts together.
    pub texts: usize,
    /// All bytes.
    pub total: u64,
}

/// Reads the parts: texts are returned, and files go to `files`. `kind` is the content type as received.
///
/// # Errors
/// 400 for a body that does not match its content type, or is not UTF-8, or is too large; 408, 413; the errors of
/// `files`.
pub async fn read<S, B, E, F>(
    kind: &str,
    stream: S,
    mut files: F,
    limits: Limits,
    share: &mut MemoryShare,
) -> Result<(F, Pairs)>
where
    S: Stream<Item = std::result::Result<B, E>> + Send,
    B: Buf,
    F: Files,
{
    let broken = |fault| broken(fault, limits.total);
    let boundary = multer::parse_boundary(kind).map_err(broken)?;
    if boundary.len() > MAX_BOUNDARY {
        return Err(bad("The boundary is too long"));
    }
    let mut body = pin!(body::paced(stream, limits.total, Pace::default()));
    let tap = Tap::default();
    let sips = Sips { body: body.as_mut(), tap: tap.clone() };
    let mut parts = Multipart::new(sips, boundary);
    let (mut pairs, mut count, mut size) = (Vec::new(), 0, 0);
    let mut unnamed = MAX_UNNAMED;
    loop {
        tap.at_head();
        let Some(mut part) = parts.next_field().await.map_err(broken)? else {
            break;
        };
        tap.at_body();
        count += 1;
        if count > MAX_PARTS {
            return Err(bad("The form has too many parts"));
        }
        let head = part.headers().iter();
        let head: usize = head.map(|(name, value)| name.as_str().len() + value.len()).sum();
        if head > MAX_HEAD {
            return Err(bad("The headers of a part are too long"));
        }
        let name = part.name().map(str::to_owned);
        let file = part.file_name().map(str::to_owned);
        match (name, file) {
            (Some(name), None) => {
                let mut text = Vec::new();
                size += name.len();
                while let Some(chunk) = part.chunk().await.map_err(broken)? {
                    size += chunk.len();
                    if size > limits.texts {
                        return Err(Error::TooLarge(limits.texts as u64));
                    }
                    if !share.grow(size).await {
                        return Err(BodyFault::Busy.error(limits.total));
                    }
                    text.extend_from_slice(&chunk);
                }
                if size > limits.texts {
                    return Err(Error::TooLarge(limits.texts as u64));
                }
                let text = String::from_utf8(text).map_err(|_| bad("The form is not UTF-8"))?;
                pairs.push((name, text));
            }
            (Some(name), Some(file)) if !file.is_empty() => {
                let kind = part.headers().get(header::CONTENT_TYPE);
                let kind = kind.and_then(|kind| Some(kind.to_str().ok()?.to_owned()));
                (files, pairs) = spawn_blocking(move || {
                    files.open(&name, &file, kind.as_deref(), &pairs)?;
                    Ok((files, pairs))
                })
                .await?;
                files = write(files, &mut part, broken).await?;
            }
            // No file was chosen, or the part has no name.
            _ => {
                while let Some(chunk) = part.chunk().await.map_err(broken)? {
                    let left = unnamed.checked_sub(chunk.len());
                    unnamed = left.ok_or_else(|| bad("Parts without a name hold too much"))?;
                }
            }
        }
    }
    drop(parts);
    // Bytes after the last part belong to no part.
    while let Some(Ok(chunk)) = body.next().await {
        let Some(left) = unnamed.checked_sub(chunk.len()) else {
            break;
        };
        unnamed = left;
    }
    Ok((files, pairs))
}

/// A file, a piece at a time.
async fn write<F: Files>(
    mut files: F,
    part: &mut multer::Field<'_>,
    broken: impl Fn(multer::Error) -> Error,
) -> Result<F> {
    let share = UPLOADS.share();
    let mut piece = Vec::new();
    loop {
        let chunk = part.chunk().await.map_err(&broken)?;
        let is_over = chunk.is_none();
        if let Some(chunk) = chunk {
            piece.extend_from_slice(&chunk);
        }
        if share.is_full(&piece) || is_over {
            (files, piece) = spawn_blocking(move || {
                files.write(&piece)?;
                if is_over {
                    files.close()?;
                }
                Ok((files, piece))
            })
            .await?;
            piece = share.reuse(piece);
        }
        if is_over {
            return Ok(files);
        }
    }
}

fn bad(message: &str) -> Error {
    Error::BadRequest(message.to_owned().into())
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err gives")]
fn broken(fault: multer::Error, total: u64) -> Error {
    if let multer::Error::StreamReadFailed(fault) = &fault
        && let Some(fault) = fault.downcast_ref::<MultipartFault>()
    {
        return match fault {
            MultipartFault::Head => bad("The headers of a part are too long"),
            MultipartFault::Body(fault) => fault.error(total),
        };
    }
    bad(&format!("The form can't be read: {fault}"))
}

/// Why there is no more of a body.
#[derive(Debug, thiserror::Error)]
enum MultipartFault {
    #[error("it broke off")]
    Body(BodyFault),
    #[error("a head is too long")]
    Head,
}

/// Doles out the body to the parser, which would otherwise buffer all that has arrived.
#[derive(Clone, Default)]
struct Tap(Arc<TapState>);

#[derive(Default)]
struct TapState {
    /// The bytes that may come before the head of a part is over.
    room: AtomicUsize,
    is_thirsty: AtomicBool,
    /// Number of times that the parser asked for more although it had all that it may get.
    asked: AtomicUsize,
}

/// How often the parser may ask for more before it has looked at the bytes it was given.
const PATIENCE: usize = 3;

impl Tap {
    fn at_head(&self) {
        self.0.room.store(MAX_HEAD, Ordering::Relaxed);
        self.0.is_thirsty.store(false, Ordering::Relaxed);
        self.0.asked.store(0, Ordering::Relaxed);
    }

    fn at_body(&self) {
        self.0.room.store(usize::MAX, Ordering::Relaxed);
    }

    fn is_dry(&self) -> bool {
        self.0.room.load(Ordering::Relaxed) == 0
    }

    fn took(&self, count: usize) {
        let room = self.0.room.load(Ordering::Relaxed);
        if room != usize::MAX {
            self.0.room.store(room.saturating_sub(count), Ordering::Relaxed);
        }
    }
}

/// Passes a body on a chunk at a time: before each, the parser first looks at the bytes that it has.
struct Sips<'b, S> {
    body: Pin<&'b mut S>,
    tap: Tap,
}

impl<S: Stream<Item = std::result::Result<Bytes, BodyFault>>> Stream for Sips<'_, S> {
    type Item = std::result::Result<Bytes, MultipartFault>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let tap = self.tap.clone();
        if !tap.0.is_thirsty.swap(true, Ordering::Relaxed) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if tap.is_dry() {
            if tap.0.asked.fetch_add(1, Ordering::Relaxed) > PATIENCE {
                return Poll::Ready(Some(Err(MultipartFault::Head)));
            }
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.body.as_mut().poll_next(cx).map(|chunk| {
            let chunk = chunk?;
            if let Ok(bytes) = &chunk {
                tap.took(bytes.len());
                tap.0.is_thirsty.store(false, Ordering::Relaxed);
            }
            Some(chunk.map_err(MultipartFault::Body))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream::iter;
    use proptest::prelude::*;

    use std::time::Duration;

    use super::*;
    use crate::base::cases::cases;
    use crate::http::budget::Budget;

    const KIND: &str = "multipart/form-data; boundary=cut";

    /// Each received file, with its name.
    #[derive(Default)]
    struct Heap {
        files: Vec<(String, Vec<u8>)>,
        open: usize,
    }

    impl Files for Heap {
        fn open(&mut self, _: &str, name: &str, _: Option<&str>, _: &[(String, String)]) -> Result<()> {
            self.files.push((name.to_owned(), Vec::new()));
            self.open += 1;
            Ok(())
        }

        fn write(&mut self, bytes: &[u8]) -> Result<()> {
            if let Some((_, file)) = self.files.last_mut() {
                file.extend_from_slice(bytes);
            }
            Ok(())
        }

        fn close(&mut self) -> Result<()> {
            self.open -= 1;
            Ok(())
        }
    }

    fn read_in(kind: &str, body: &[u8], step: usize) -> Result<(Heap, Pairs)> {
        let chunks = body.chunks(step.max(1)).map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
        let chunks: Vec<_> = chunks.collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let limits = Limits { texts: 1 << 20, total: 1 << 21 };
        let mut share = Budget::new(Duration::ZERO).share(None);
        runtime.block_on(read(kind, iter(chunks), Heap::default(), limits, &mut share))
    }

    fn part(name: &str, text: &str) -> String {
        format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    }

    /// Words of the format in any order, so that more than the first line is reached.
    fn nearly() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            Just(b"--cut".to_vec()),
            Just(b"--cut--".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"Content-Disposition: form-data; name=\"field_1\"".to_vec()),
            Just(b"Content-Disposition: form-data; name=\"f\"; filename=\"x\"".to_vec()),
            Just(b"Content-Type: text/plain; charset=utf-16".to_vec()),
            Just(b"Content-Transfer-Encoding: base64".to_vec()),
            prop::collection::vec(any::<u8>(), 0..20),
        ];
        prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
    }

    proptest! {
        // Many parts, in many pieces.
        #![proptest_config(ProptestConfig { cases: 500, ..cases() })]

        #[test]
        fn what_was_put_in_comes_out(
            parts in prop::collection::vec(("[a-z0-9_.\\[\\]]{1,20}", any::<String>()), 0..20),
            file in prop::collection::vec(any::<u8>(), 0..300), step in 1..200_usize,
        ) {
            prop_assume!(parts.iter().all(|(_, text)| !text.contains("--cut")));
            prop_assume!(!file.windows(5).any(|piece| piece == b"--cut"));
            let mut body: Vec<u8> = parts.iter().flat_map(|(name, text)| part(name, text).into_bytes()).collect();
            body.extend(b"--cut\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n");
            body.extend(&file);
            body.extend(b"\r\n--cut--\r\n");
            let (heap, read) = read_in(KIND, &body, step).expect("a whole body");
            prop_assert_eq!(read, parts);
            prop_assert_eq!((heap.files, heap.open), (vec![("x".to_owned(), file)], 0));
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_body_is_more_than_refused(body in nearly(), cut in 0..400_usize, step in 1..100_usize) {
            for body in [&body[..], &body[..cut.min(body.len())]] {
                let read = read_in(KIND, body, step);
                prop_assert!(matches!(read, Ok(_) | Err(Error::BadRequest(_))));
            }
        }

        #[test]
        fn no_content_type_is_more_than_refused(kind in "(multipart/form-data)?[ ;a-z=\"\\\\\\PC]{0,90}") {
            let read = read_in(&kind, b"--a\r\n\r\n--a--", 100);
            prop_assert!(matches!(read, Ok(_) | Err(Error::BadRequest(_))));
        }
    }

    #[test]
    fn a_head_has_its_limit() {
        let body = |length: usize| {
            let head = format!("Content-Disposition: form-data; name=\"{}\"", "n".repeat(length));
            format!("--cut\r\n{head}\r\n\r\nx\r\n--cut--\r\n")
        };
        for step in [100, 5000, 1 << 16] {
            assert!(read_in(KIND, body(8000).as_bytes(), step).is_ok(), "{step}");
            for length in [8200, 100_000] {
                let read = read_in(KIND, body(length).as_bytes(), step);
                assert!(matches!(read, Err(Error::BadRequest(_))), "{step} {length}");
            }
        }
    }
}
