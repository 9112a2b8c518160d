//! A form's access password in a post of its page: typed, or sealed in a hidden field of the page shown after it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::base::error::Result;
use crate::base::secret::Purpose;
use crate::ops::{App, published};

/// The password in a post. A sealed password that was changed meanwhile counts as none, not as a wrong guess.
pub fn given(app: &App, form: &str, pairs: &[(String, String)]) -> Option<String> {
    let one = |name: &str| {
        let mut own = pairs
            .iter()
            .filter(|(key, value)| key == name && !value.is_empty());
        own.next().map(|(_, value)| value.as_str())
    };
    let given = one("_password").map(str::to_owned);
    given.or_else(|| {
        let carried = open(app, form, one("_grant")?)?;
        let opens = published::opens(app, form, &carried);
        opens.unwrap_or_default().then_some(carried)
    })
}

/// Seals the password for a hidden field of this form's page.
pub fn seal(app: &App, form: &str, password: &str) -> Result<String> {
    let plain = format!("{form}\n{password}");
    let sealed = app.keys().seal(Purpose::PagePassword, plain.as_bytes())?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// Reverses [`seal`]; `None` for another form's.
fn open(app: &App, form: &str, sealed: &str) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = app.keys().open(Purpose::PagePassword, &sealed)?;
    let plain = String::from_utf8(plain).ok()?;
    let (known, password) = plain.split_once('\n')?;
    (known == form).then(|| password.to_owned())
}
