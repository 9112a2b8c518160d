//! Signed rights to an entry that a search found: its view, its certificate, and its editing. Each is of use for an hour,
//! in this query alone (S27, S67).

use crate::base::clock::Time;
use crate::base::secret::{Keys, Purpose};
use crate::fields::files::links::{QueryRow, ROW_SECS};

const VIEW: &str = "view";
const CERTIFICATE: &str = "certificate";

/// The address of an entry's view.
pub fn view(keys: &Keys, row: QueryRow, now: Time) -> String {
    address(keys, row, VIEW, "", now)
}

/// The address of an entry's certificate.
pub fn certificate(keys: &Keys, row: QueryRow, now: Time) -> String {
    address(keys, row, CERTIFICATE, "/certificate", now)
}

fn address(keys: &Keys, row: QueryRow, of: &str, end: &str, now: Time) -> String {
    let expires = (now.plus_secs(ROW_SECS).millis() / 1000).to_string();
    let parts = [of, row.query, row.entry, &expires].map(str::as_bytes);
    let signature = keys.sign(Purpose::QueryRow, &parts);
    let QueryRow { query, entry } = row;
    format!("/q/{query}/entries/{entry}{end}?expires={expires}&signature={signature}")
}

/// Whether that opens an entry's view.
pub fn opens_view(keys: &Keys, row: QueryRow, expires: &str, signature: &str, now: Time) -> bool {
    opens(keys, row, VIEW, expires, signature, now)
}

/// Whether that opens an entry's certificate.
pub fn opens_certificate(keys: &Keys, row: QueryRow, expires: &str, signature: &str, now: Time) -> bool {
    opens(keys, row, CERTIFICATE, expires, signature, now)
}

fn opens(keys: &Keys, row: QueryRow, of: &str, expires: &str, signature: &str, now: Time) -> bool {
    let parts = [of, row.query, row.entry, expires].map(str::as_bytes);
    keys.verify(Purpose::QueryRow, &parts, signature) && is_before(expires, now)
}

fn is_before(expires: &str, now: Time) -> bool {
    let until = expires.parse::<i64>().ok();
    until.is_some_and(|until| now.millis() / 1000 < until)
}

/// The right to edit these fields of an entry.
pub fn edit_token(keys: &Keys, row: QueryRow, fields: &[&str], now: Time) -> String {
    let expires = (now.plus_secs(ROW_SECS).millis() / 1000).to_string();
    let signature = sign_edit(keys, row, fields, &expires);
    format!("{expires}.{signature}")
}

/// Whether that is the right to edit these fields of an entry.
pub fn may_edit(keys: &Keys, row: QueryRow, fields: &[&str], token: &str, now: Time) -> bool {
    let Some((expires, signature)) = token.split_once('.') else {
        return false;
    };
    let fields = fields.join(",");
    let parts = [row.query, row.entry, &fields, expires].map(str::as_bytes);
    keys.verify(Purpose::QueryEdit, &parts, signature) && is_before(expires, now)
}

fn sign_edit(keys: &Keys, row: QueryRow, fields: &[&str], expires: &str) -> String {
    let fields = fields.join(",");
    let parts = [row.query, row.entry, &fields, expires].map(str::as_bytes);
    keys.sign(Purpose::QueryEdit, &parts)
}
