//! Posts of a page with files, as browsers make them.

use serde_json::Value;

use crate::uploads::path_of;
use crate::{Caller, Response};

pub const EDGE: &str = "----form-edge-1";

/// A body of parts, as browsers make it.
#[derive(Clone, Default)]
pub struct Body(Vec<u8>);

impl Body {
    pub fn text(mut self, name: &str, text: &str) -> Self {
        let head = format!("--{EDGE}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        self.0.extend(format!("{head}{text}\r\n").bytes());
        self
    }

    pub fn file(mut self, name: &str, file: &str, kind: &str, bytes: &[u8]) -> Self {
        let head = format!(
            "--{EDGE}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
             Content-Type: {kind}\r\n\r\n"
        );
        self.0.extend(head.bytes());
        self.0.extend(bytes);
        self.0.extend(b"\r\n");
        self
    }

    pub fn end(mut self) -> Vec<u8> {
        self.0.extend(format!("--{EDGE}--\r\n").bytes());
        self.0
    }

    pub fn send(self, caller: &Caller, path: &str) -> Response {
        let kind = format!("multipart/form-data; boundary={EDGE}");
        caller.send("POST", path, Some(&kind), &self.end())
    }
}

pub fn body() -> Body {
    Body::default().text("_page", "0")
}

/// The files that a page shows as stored: their names, and the values that refer to them.
pub fn kept(page: &Response) -> Vec<(String, String)> {
    let inputs = page.text.split("<input type=\"checkbox\" name=\"").skip(1);
    let files = inputs.filter_map(|rest| {
        let input = rest.split('>').next()?;
        let part = |key: &str| {
            let rest = input.split(&format!("{key}=\"")).nth(1)?;
            rest.split('"').next()
        };
        Some((part("data-name")?.to_owned(), part("value")?.to_owned()))
    });
    files.collect()
}

/// The answer at a link of an entry's file.
pub fn fetched(owner: &Caller, url: &Value) -> Response {
    owner.get(path_of(owner, url.as_str().expect("a link")))
}
