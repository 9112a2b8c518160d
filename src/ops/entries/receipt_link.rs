//! The address of an entry's thank-you page: signed, so that only people who were given it can open the page.

use crate::base::id::EntryToken;
use crate::base::secret::{Keys, Purpose};

/// The query of the address, for an entry by its serial number and its token.
pub fn query(keys: &Keys, form: &str, (serial, entry): (i64, &EntryToken)) -> String {
    let signature = keys.sign(Purpose::Receipt, &parts(form, entry));
    format!("n={serial}&s={signature}")
}

/// True if a signature is of this entry's page.
pub fn opens(keys: &Keys, form: &str, entry: &EntryToken, signature: &str) -> bool {
    keys.verify(Purpose::Receipt, &parts(form, entry), signature)
}

fn parts<'p>(form: &'p str, entry: &'p EntryToken) -> [&'p [u8]; 2] {
    [form.as_bytes(), entry.as_str().as_bytes()]
}
