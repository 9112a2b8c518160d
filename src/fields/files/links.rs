//! The addresses that files are read from: signed, and for a day.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::base::clock::Time;
use crate::base::secret::{Keys, Purpose};

/// What reading and writing files needs to know beside the form.
#[derive(Clone, Copy, Default)]
pub struct FilesCx<'a> {
    /// Makes addresses; none where nobody gets to see them.
    pub links: Option<&'a FileLinks>,
    /// The field whose value is read from a request.
    pub field: &'a str,
    /// The column of it.
    pub column: Option<&'a str>,
}

/// Makes the addresses that files are read from, each for a day.
pub struct FileLinks {
    /// The service's address.
    pub base_url: String,
    /// What they are signed with.
    pub keys: Arc<Keys>,
}

const LINK_SECS: i64 = 24 * 3600;

impl FileLinks {
    /// The address of a file.
    pub fn url(&self, id: &str, name: &str, now: Time) -> String {
        let expires = now.plus_secs(LINK_SECS).millis() / 1000;
        let signature = signature(&self.keys, id, name, expires);
        let base = &self.base_url;
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        format!("{base}/files/{id}/{name}?expires={expires}&signature={signature}")
    }
}

fn signature(keys: &Keys, id: &str, name: &str, expires: i64) -> String {
    let expires = expires.to_string();
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    keys.sign(Purpose::FileLink, &parts)
}

/// Whether an address is one that was made, and still holds.
pub fn opens(keys: &Keys, id: &str, name: &str, expires: &str, signed: &str, now: Time) -> bool {
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    let is_ours = keys.verify(Purpose::FileLink, &parts, signed);
    let until = expires.parse::<i64>().ok();
    is_ours && until.is_some_and(|until| now.millis() / 1000 < until)
}
