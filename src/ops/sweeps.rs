//! Removes what has had its time, in short transactions that let other writes between them.

use crate::base::clock;
use crate::base::error::Result;
use crate::ops::{App, sessions};
use crate::store::{idempotency, setup_links};

const AT_ONCE: usize = 1_000;

/// Ends sessions whose time is over.
///
/// # Errors
/// Internal, 503.
pub fn sessions(app: &App) -> Result<usize> {
    let (begun, seen) = sessions::oldest(clock::now());
    in_pieces(|| {
        app.store
            .write(move |tx| crate::store::sessions::end_old(tx, begun, seen, AT_ONCE))
    })
}

/// Forgets set-up links whose time is over.
///
/// # Errors
/// Internal, 503.
pub fn setup_links(app: &App) -> Result<usize> {
    app.store.write(setup_links::forget_old)
}

/// Forgets remembered answers of more than a day ago.
///
/// # Errors
/// Internal, 503.
pub fn idempotent_answers(app: &App) -> Result<usize> {
    in_pieces(|| app.store.write(|tx| idempotency::forget_old(tx, AT_ONCE)))
}

fn in_pieces(mut piece: impl FnMut() -> Result<usize>) -> Result<usize> {
    let mut all = 0;
    loop {
        let done = piece()?;
        all += done;
        if done < AT_ONCE {
            return Ok(all);
        }
    }
}
