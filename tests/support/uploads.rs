//! Files of answers: sample contents, their way to the server, and the files on its disk.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Caller, Form, Response};

/// A picture of `width` times `height` pixels as far as its header goes.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    out.extend(width.to_be_bytes());
    out.extend(height.to_be_bytes());
    out.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
    out.extend(b"\0\0\0\0IEND\xaeB\x60\x82");
    out
}

/// The part of an address behind the server's.
pub fn path_of<'u>(caller: &Caller, url: &'u str) -> &'u str {
    url.strip_prefix(&caller.base).expect("an address of ours")
}

/// Prepares a file of an answer.
pub fn prepare(caller: &Caller, form: &Form, name: &str, kind: &str, size: usize) -> Response {
    let body = json!({
        "field_api_code": "field_1", "file_name": name, "content_type": kind, "file_size": size,
    });
    caller.post(format!("/api/v1/f/{}/entry_attachments", form.token), body)
}

/// Sends a file to where preparing says.
pub fn send(caller: &Caller, prepared: &Value, kind: &str, bytes: &[u8]) -> Response {
    let url = prepared["upload_url"].as_str().expect("an address");
    caller.send("PUT", path_of(caller, url), Some(kind), bytes)
}

/// Prepares a file and sends it; its `upload_id`.
pub fn uploaded(caller: &Caller, form: &Form, name: &str, kind: &str, bytes: &[u8]) -> String {
    let prepared = prepare(caller, form, name, kind, bytes.len());
    assert_eq!(prepared.status, 201, "{prepared}");
    let sent = send(caller, &prepared.data(), kind, bytes);
    assert_eq!(sent.status, 200, "{sent}");
    prepared.data()["upload_id"].as_str().expect("an id").to_owned()
}

/// Files that lie below a folder of the data dir; the lock aside.
pub fn files_in(dir: &Path, folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("lock") {
                found.push(path);
            }
        }
    }
    found
}

/// Silence at 8 kHz.
pub fn wav(millis: usize) -> Vec<u8> {
    let size = u32::try_from(millis * 8).expect("short");
    let mut out = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    out.extend(8000_u32.to_le_bytes());
    out.extend(8000_u32.to_le_bytes());
    out.extend([1, 0, 8, 0]);
    out.extend(b"data");
    out.extend(size.to_le_bytes());
    out.extend(vec![128; millis * 8]);
    out
}
