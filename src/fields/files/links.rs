//! Signed addresses of files, valid for a day.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::base::clock::Time;
use crate::base::secret::{Keys, Purpose};
use crate::fields::kind::Cx;

/// Context for reading and writing files, besides the form.
#[derive(Clone, Copy, Default)]
pub struct FilesCx<'a> {
    /// Makes addresses; `None` if nobody gets to see them.
    pub links: Option<&'a FileLinks>,
    /// The field whose value is read from a request.
    pub field: &'a str,
    /// Its column, in a grid.
    pub column: Option<&'a str>,
    /// The row of a public query that shows them, whose links go through the query.
    pub row: Option<QueryRow<'a>>,
}

/// An entry that a public query shows.
#[derive(Clone, Copy)]
pub struct QueryRow<'a> {
    /// The query's token.
    pub query: &'a str,
    /// The entry's token.
    pub entry: &'a str,
}

/// How long a link of a public query works.
pub const ROW_SECS: i64 = 3600;

/// Makes addresses of files, valid for a day.
pub struct FileLinks {
    /// The service's base address.
    pub base_url: String,
    /// The signing keys.
    pub keys: Arc<Keys>,
}

const LINK_SECS: i64 = 24 * 3600;

impl FileLinks {
    /// The address of a file, for the reader in this context.
    pub fn url_in(&self, cx: &Cx, id: &str, name: &str) -> String {
        let Some(row) = cx.files.row else {
            return self.url(id, name, cx.now);
        };
        let expires = cx.now.plus_secs(ROW_SECS).millis() / 1000;
        let signature = self.sign_row(row, id, name, expires);
        let (base, QueryRow { query, entry }) = (&self.base_url, row);
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        format!("{base}/q/{query}/entries/{entry}/files/{id}/{name}?expires={expires}&signature={signature}")
    }

    fn sign_row(&self, row: QueryRow, id: &str, name: &str, expires: i64) -> String {
        let expires = expires.to_string();
        let parts = [row.query, row.entry, id, name, &expires];
        self.keys.sign(Purpose::QueryFile, &parts.map(str::as_bytes))
    }

    pub fn url(&self, id: &str, name: &str, now: Time) -> String {
        let expires = now.plus_secs(LINK_SECS).millis() / 1000;
        let signature = signature(&self.keys, id, name, expires);
        let base = &self.base_url;
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        format!("{base}/files/{id}/{name}?expires={expires}&signature={signature}")
    }
}

/// Whether the address of a file that a public query shows has a valid signature and has not expired.
pub fn opens_in_row(keys: &Keys, row: QueryRow, [id, name, expires, signed]: [&str; 4], now: Time) -> bool {
    let parts = [row.query, row.entry, id, name, expires].map(str::as_bytes);
    let is_ours = keys.verify(Purpose::QueryFile, &parts, signed);
    let until = expires.parse::<i64>().ok();
    is_ours && until.is_some_and(|until| now.millis() / 1000 < until)
}

fn signature(keys: &Keys, id: &str, name: &str, expires: i64) -> String {
    let expires = expires.to_string();
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    keys.sign(Purpose::FileLink, &parts)
}

/// Whether an address has a valid signature and has not expired.
pub fn opens(keys: &Keys, id: &str, name: &str, expires: &str, signed: &str, now: Time) -> bool {
    let parts = [id.as_bytes(), name.as_bytes(), expires.as_bytes()];
    let is_ours = keys.verify(Purpose::FileLink, &parts, signed);
    let until = expires.parse::<i64>().ok();
    is_ours && until.is_some_and(|until| now.millis() / 1000 < until)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn links() -> FileLinks {
        FileLinks { base_url: "https://example.org".to_owned(), keys: Arc::new(Keys::new([7; 32])) }
    }

    /// The parts of an address: id, name, expiry and signature.
    fn parts(url: &str) -> [String; 4] {
        let (path, query) = url.split_once("?expires=").expect("a query");
        let (expires, signature) = query.split_once("&signature=").expect("a signature");
        let mut names = path.rsplit('/').map(|part| {
            let name = percent_encoding::percent_decode_str(part);
            name.decode_utf8().expect("text").into_owned()
        });
        let (name, id) = (names.next().expect("a name"), names.next().expect("an id"));
        [id, name, expires.to_owned(), signature.to_owned()]
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn an_address_opens_its_own_file_for_a_day(
            id in "[A-Za-z0-9]{1,22}",
            name in "\\PC{1,20}",
            secs in 0..2 * LINK_SECS,
            part in 0..4_usize,
            other in "\\PC{0,24}",
        ) {
            let (links, now) = (links(), Time::from_millis(1_795_000_000_000));
            let own = parts(&links.url(&id, &name, now));
            prop_assert_eq!((&own[0], &own[1]), (&id, &name));
            let opens = |[id, name, expires, signed]: &[String; 4], now| {
                opens(&links.keys, id, name, expires, signed, now)
            };
            prop_assert_eq!(opens(&own, now.plus_secs(secs)), secs < LINK_SECS);
            let mut altered = own.clone();
            altered[part] = other;
            prop_assert_eq!(opens(&altered, now), altered == own);
        }
    }
}
