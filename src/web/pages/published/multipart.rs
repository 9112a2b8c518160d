//! The texts of a `multipart/form-data` body that lies in memory whole. Never keeps a file: those are
//! sent apart, to addresses of their own.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use multer::Multipart;

use crate::base::error::{Error, Result};

/// More parts than any form's page has (S49).
const MAX_PARTS: usize = 1000;
/// What the standard allows.
const MAX_BOUNDARY: usize = 70;

/// The names and texts of the parts, in their order; parts without a name or with a file's are passed
/// over. `kind` is the content type as it came.
///
/// # Errors
/// 400 for a body that is not what its content type says, or not UTF-8, or too much.
pub fn texts(kind: &str, body: Bytes) -> Result<Vec<(String, String)>> {
    let boundary = multer::parse_boundary(kind).map_err(broken)?;
    if boundary.len() > MAX_BOUNDARY {
        return Err(Error::BadRequest("The boundary is too long".to_owned()));
    }
    let whole = stream::iter([Ok::<_, Infallible>(body)]);
    let mut parts = Multipart::new(whole, boundary);
    let read = async {
        let mut pairs = Vec::new();
        while let Some(part) = parts.next_field().await.map_err(broken)? {
            if pairs.len() >= MAX_PARTS {
                return Err(Error::BadRequest("The form has too many parts".to_owned()));
            }
            let Some(name) = part.name().map(str::to_owned) else {
                continue;
            };
            if part.file_name().is_some() {
                continue;
            }
            let bytes = part.bytes().await.map_err(broken)?;
            let text = String::from_utf8(bytes.into())
                .map_err(|_| Error::BadRequest("The form is not UTF-8".to_owned()))?;
            pairs.push((name, text));
        }
        Ok(pairs)
    };
    // Nothing is waited for: the body is here.
    read.now_or_never()
        .unwrap_or_else(|| Err(Error::internal("a body in memory was waited for")))
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err gives")]
fn broken(fault: multer::Error) -> Error {
    Error::BadRequest(format!("The form can't be read: {fault}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    const KIND: &str = "multipart/form-data; boundary=cut";

    fn part(name: &str, text: &str) -> String {
        format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    }

    /// Words of the format in any order, so that more than the first line is reached.
    fn nearly() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            Just(b"--cut".to_vec()),
            Just(b"--cut--".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"Content-Disposition: form-data; name=\"field_1\"".to_vec()),
            Just(b"Content-Disposition: form-data; name=\"f\"; filename=\"x\"".to_vec()),
            Just(b"Content-Type: text/plain; charset=utf-16".to_vec()),
            Just(b"Content-Transfer-Encoding: base64".to_vec()),
            prop::collection::vec(any::<u8>(), 0..20),
        ];
        prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_was_put_in_comes_out(
            parts in prop::collection::vec(("[a-z0-9_.\\[\\]]{1,20}", any::<String>()), 0..20),
        ) {
            prop_assume!(parts.iter().all(|(_, text)| !text.contains("--cut")));
            let body: String = parts.iter().map(|(name, text)| part(name, text)).collect();
            let read = texts(KIND, Bytes::from(body + "--cut--\r\n"));
            prop_assert_eq!(read.expect("a whole body"), parts);
        }

        #[test]
        fn no_body_is_more_than_refused(body in nearly(), cut in 0..400_usize) {
            let whole = texts(KIND, Bytes::from(body.clone()));
            let start = texts(KIND, Bytes::copy_from_slice(&body[..cut.min(body.len())]));
            for read in [whole, start] {
                prop_assert!(matches!(read, Ok(_) | Err(Error::BadRequest(_))));
            }
        }

        #[test]
        fn no_content_type_is_more_than_refused(kind in "(multipart/form-data)?[ ;a-z=\"\\\\\\PC]{0,90}") {
            let read = texts(&kind, Bytes::from_static(b"--a\r\n\r\n--a--"));
            prop_assert!(matches!(read, Ok(_) | Err(Error::BadRequest(_))));
        }
    }
}
