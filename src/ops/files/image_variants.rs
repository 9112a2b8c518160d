//! Smaller ones of images, made when somebody asks for them first and then kept: one at a time, in bounded
//! time and memory. Where one can't be made, or not now, the image itself will do.

use std::io::Read as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::media::image;
use crate::media::shrink::{self, Smaller};
use crate::ops::app::App;
use crate::ops::files::entry_files::Readable;
use crate::ops::server::disk_space;
use crate::store::files::blobs::hex;
use crate::store::files::images::{self as rows, Image, Variant};

const TIME: Duration = Duration::from_secs(10);
/// As many may wait for their turn; each holds a thread.
const MAX_WAITING: usize = 8;

/// The file to serve for an image at a width.
pub enum VariantFile {
    /// The smaller one.
    Smaller(Readable),
    /// Nothing smaller than the image itself, now or ever.
    Itself,
    /// It can't be made now.
    NotNow,
}

/// The image in this width, made if it must be.
pub fn open(app: &App, image: &Image, width: u32) -> Result<VariantFile> {
    if image.width <= width {
        return Ok(VariantFile::Itself);
    }
    if let Some(found) = stored_variant(app, image, width)? {
        return Ok(found);
    }
    // A new variant must be stored, or it would be made for each request.
    if disk_space::check(app).is_err() {
        return Ok(VariantFile::NotNow);
    }
    let Some(turn) = DecoderTurn::wait() else {
        return Ok(VariantFile::NotNow);
    };
    // Somebody else may have had the same wish.
    if let Some(found) = stored_variant(app, image, width)? {
        return Ok(found);
    }
    let mut bytes = Vec::new();
    let mut file = app.store.blobs().read(&image.hash)?;
    file.read_to_end(&mut bytes).map_err(Error::internal)?;
    let made = make(bytes, width, turn);
    match keep(app, image, width, made) {
        Ok(()) => {}
        Err(Error::Busy(..)) => return Ok(VariantFile::NotNow),
        Err(error) => return Err(error),
    }
    Ok(stored_variant(app, image, width)?.unwrap_or(VariantFile::NotNow))
}

/// The stored variant; a missing file is made anew.
fn stored_variant(app: &App, image: &Image, width: u32) -> Result<Option<VariantFile>> {
    let found = app.store.read(|tx| rows::variant(tx, &image.token, width))?;
    let Some(Variant { content_type, size, hash }) = (match found {
        None => return Ok(None),
        Some(variant) => variant,
    }) else {
        return Ok(Some(VariantFile::Itself));
    };
    let Ok(file) = app.store.blobs().read(&hash) else {
        let forgotten = app.store.write(move |tx| rows::forget_variants(tx, &hash));
        return match forgotten {
            Ok(()) => Ok(None),
            Err(Error::Busy(..)) => Ok(Some(VariantFile::NotNow)),
            Err(error) => Err(error),
        };
    };
    Ok(Some(VariantFile::Smaller(Readable { name: String::new(), content_type, size, sha256: hex(&hash), file })))
}

fn keep(app: &App, image: &Image, width: u32, made: Option<Smaller>) -> Result<()> {
    let token = image.token.clone();
    let Some(Smaller { content_type, bytes }) = made else {
        return app.store.write(move |tx| rows::store_variant(tx, &token, width, None));
    };
    let mut writing = app.store.blobs().create()?;
    writing.write(&bytes)?;
    app.store.keep_blob(writing, move |tx, blob| rows::store_variant(tx, &token, width, Some((content_type, blob))))
}

/// Makes it on a thread of its own. One that takes too long is given up, though the turn is only over when it
/// has come to its end: so there are never two.
fn make(bytes: Vec<u8>, width: u32, turn: DecoderTurn) -> Option<Smaller> {
    let (to, from) = mpsc::channel();
    let work = move || {
        let _turn = turn;
        let made = image::strip(&bytes).and_then(|bare| shrink::shrink(&bare, width));
        // The requester may have given up.
        let _ = to.send(made);
    };
    let name = "image".to_owned();
    let begun = thread::Builder::new().name(name).spawn(work);
    if let Err(error) = begun {
        tracing::warn!("no thread for an image: {error}");
        return None;
    }
    match from.recv_timeout(TIME) {
        Ok(made) => made,
        Err(RecvTimeoutError::Timeout) => {
            tracing::warn!("a smaller image was not made in {} s", TIME.as_secs());
            None
        }
        Err(RecvTimeoutError::Disconnected) => {
            tracing::error!("a smaller image could not be made: its thread panicked");
            None
        }
    }
}

/// The right to decode.
struct DecoderTurn(Arc<DecoderTurns>);

#[derive(Default)]
struct DecoderTurns {
    state: Mutex<DecoderState>,
    free: Condvar,
}

#[derive(Default)]
struct DecoderState {
    is_taken: bool,
    waiting: usize,
}

impl DecoderTurn {
    /// `None` where too many wait, or too long.
    fn wait() -> Option<Self> {
        static TURNS: std::sync::LazyLock<Arc<DecoderTurns>> = std::sync::LazyLock::new(Arc::default);
        let turns = Arc::clone(&TURNS);
        let until = Instant::now() + TIME;
        let mut state = turns.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_taken && state.waiting >= MAX_WAITING {
            return None;
        }
        state.waiting += 1;
        while state.is_taken {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.waiting -= 1;
                return None;
            }
            let woken = turns.free.wait_timeout(state, left);
            (state, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        state.is_taken = true;
        drop(state);
        Some(Self(turns))
    }
}

impl Drop for DecoderTurn {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_taken = false;
        drop(state);
        self.0.free.notify_one();
    }
}
