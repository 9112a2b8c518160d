//! Checks that the contents of files exist and match their names, and that unreferenced ones are gone.

use std::fs::File;
use std::io::{self, Read as _};

use sha2::{Digest as _, Sha256};

use crate::base::error::Result;
use crate::ops::app::App;
use crate::store::files::blobs::{self, Blob, hex};
use crate::store::files::images;

const PAGE: usize = 500;
const PIECE: usize = 64 << 10;

/// The result of the check.
#[derive(Default)]
pub struct FileFindings {
    /// How many contents there are.
    pub looked_at: usize,
    /// How many of them are missing or altered.
    pub lost: usize,
    /// The name of the first of these.
    pub first_lost: Option<String>,
    /// Files that no row knows, smaller images that are to be made again, and contents that are named by another number of rows than is counted.
    pub stray: usize,
}

/// Runs the check; with `fix`, repairable faults are repaired.
///
/// # Errors
/// Something could not be looked at.
pub fn look(app: &App, fix: bool) -> Result<FileFindings> {
    let mut found = FileFindings::default();
    let mut behind = None;
    loop {
        let page = app.store.read(|tx| blobs::page(tx, behind, PAGE))?;
        let Some(last) = page.last() else { break };
        behind = Some(last.hash);
        for blob in &page {
            found.looked_at += 1;
            // It may have been removed since, with its row.
            if !is_whole(app, blob) && app.store.read(|tx| blobs::is_known(tx, &blob.hash))? {
                let hash = blob.hash;
                if app.store.read(|tx| images::is_only_variants(tx, &hash))? {
                    found.stray += 1;
                    if fix {
                        app.store.write(move |tx| images::forget_variants(tx, &hash))?;
                    }
                    continue;
                }
                found.lost += 1;
                found.first_lost.get_or_insert_with(|| hex(&blob.hash));
            }
        }
    }
    let miscounted = app.store.read(blobs::miscounted)?;
    let images = app.store.read(images::miscounted)?;
    found.stray += miscounted.len() + images.len() + app.store.unknown_blobs(fix)?;
    if fix {
        for image in images {
            app.store.write(move |tx| images::recount(tx, &image))?;
        }
        for hash in miscounted {
            app.store.write(move |tx| blobs::recount(tx, &hash))?;
        }
    }
    Ok(found)
}

/// Contents that the disk can't read back are lost.
fn is_whole(app: &App, blob: &Blob) -> bool {
    let Ok(mut file) = app.store.blobs().read(&blob.hash) else {
        return false;
    };
    digest(&mut file).is_ok_and(|found| found == (blob.hash, blob.size))
}

fn digest(file: &mut File) -> io::Result<(blobs::Hash, u64)> {
    let (mut sha, mut size) = (Sha256::new(), 0);
    let mut piece = vec![0; PIECE];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok((sha.finalize().into(), size));
        }
        sha.update(&piece[..read]);
        size += read as u64;
    }
}
