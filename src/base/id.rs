//! Public ids: random tokens over `[A-Za-z0-9]` (contract section 1).

use std::fmt;

use rand::RngExt as _;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `len` random characters of `[A-Za-z0-9]`, each worth 5.95 bits, from the system's generator.
pub fn random(len: usize) -> String {
    let mut rng = rand::rng();
    (0..len).map(|_| char::from(BASE62[rng.random_range(0..62)])).collect()
}

/// `n` in base 62, padded with `0` to `len` characters. Higher digits that do not fit are dropped.
pub fn base62(mut n: u128, len: usize) -> String {
    let mut out = vec![b'0'; len];
    for digit in out.iter_mut().rev() {
        *digit = BASE62[usize::try_from(n % 62).unwrap_or_default()];
        n /= 62;
    }
    out.into_iter().map(char::from).collect()
}

/// Parses the output of `base62`. `None` for other characters or a number that is too large.
pub fn parse_base62(text: &str) -> Option<u128> {
    text.bytes().try_fold(0u128, |n, b| {
        let digit = BASE62.iter().position(|c| *c == b)?;
        n.checked_mul(62)?.checked_add(u128::try_from(digit).ok()?)
    })
}

/// Whether the text is a valid code of an item: `^[A-Za-z0-9_]{1,32}$`.
pub fn is_item_code(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident $(, $len:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            $(
                pub fn random() -> Self {
                    Self(random($len))
                }
            )?

            /// A token from the database or a URL.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

token!(
    /// A form's public id, 10 characters.
    FormToken,
    10
);
token!(
    /// A folder's public id, 10 characters.
    FolderToken,
    10
);
token!(
    /// A public query's id, 10 characters.
    QueryToken,
    10
);
token!(
    /// A webhook's public id: `whk_` and 16 characters.
    WebhookToken
);
token!(
    /// An entry's public id, 22 characters that the store generates. It grants no access.
    EntryToken
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base62_reads_back() {
        for n in [0, 61, 62, u128::from(u64::MAX), u128::MAX] {
            assert_eq!(parse_base62(&base62(n, 22)), Some(n));
        }
        assert_eq!(parse_base62("-"), None);
        assert_eq!(parse_base62(&"z".repeat(22)), None);
    }

    #[test]
    fn tokens_are_of_the_alphabet() {
        assert_eq!(FormToken::random().as_str().len(), 10);
        assert!(is_item_code(&random(8)));
        assert!(!is_item_code("") && !is_item_code("a-b") && !is_item_code(&"a".repeat(33)));
    }
}
