//! A form's access password in a post of its page: typed, or sealed in a hidden field of the page shown after it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::error::Result;
use crate::base::secret::{Keys, Purpose};
use crate::ops::forms::published::Password;

/// The form's password in a post.
pub fn posted(keys: &Keys, form: &str, pairs: &[(String, String)]) -> Option<Password> {
    let one = |name: &str| {
        let mut own = pairs.iter().filter(|(key, value)| key == name && !value.is_empty());
        own.next().map(|(_, value)| value.as_str())
    };
    match one("_password") {
        Some(typed) => Some(Password { text: typed.to_owned(), is_carried: false }),
        None => carried(keys, form, one("_grant")?),
    }
}

/// The password that a page carries along, sealed by [`seal`].
pub fn carried(keys: &Keys, form: &str, sealed: &str) -> Option<Password> {
    let text = open(keys, form, sealed)?;
    Some(Password { text, is_carried: true })
}

/// The password, sealed for this form's page, so that the next post carries it.
pub fn seal(keys: &Keys, form: &str, password: &str) -> Result<String> {
    let plain = format!("{form}\n{password}");
    let sealed = keys.seal(Purpose::PagePassword, plain.as_bytes())?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// The password that [`seal`] sealed for this form.
fn open(keys: &Keys, form: &str, sealed: &str) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = keys.open(Purpose::PagePassword, &sealed)?;
    let plain = String::from_utf8(plain).ok()?;
    let (known, password) = plain.split_once('\n')?;
    (known == form).then(|| password.to_owned())
}
