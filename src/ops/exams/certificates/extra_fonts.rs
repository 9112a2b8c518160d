//! The fonts of the folder that `--fonts-dir` names, for characters that the program's own lack.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::media::typeset::fonts::{Face, Fonts};

const ENDINGS: [&str; 4] = ["ttf", "otf", "ttc", "otc"];
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 64 << 20;

/// The program's fonts, and those of a folder, in the order of the files' names.
pub fn load(folder: Option<&Path>) -> Fonts {
    let files = folder.map_or_else(|| Ok(Vec::new()), files);
    let files = files.unwrap_or_else(|error| {
        tracing::warn!("fonts-dir can't be read: {error}");
        Vec::new()
    });
    let faces = files.iter().flat_map(|file| {
        let faces = read(file).map_or_else(|_| Vec::new(), Face::of_file);
        if faces.is_empty() {
            tracing::warn!("{} is no font that can be used", file.display());
        }
        faces
    });
    Fonts::with(faces.collect())
}

/// Why a folder can't be read; `None` if it can.
pub fn unreadable(folder: &Path) -> Option<io::Error> {
    files(folder).err()
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let ending = ending.unwrap_or_default().to_ascii_lowercase();
        if ENDINGS.contains(&ending.as_str()) {
            out.push(path);
        }
    }
    out.sort();
    out.truncate(MOST_FILES);
    Ok(out)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(file)?.len() > MOST_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    fs::read(file)
}
