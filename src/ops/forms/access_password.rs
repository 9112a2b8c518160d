//! The access password of a form, stored encrypted (S25), as URL-safe text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::secret::Purpose;
use crate::model::settings::Settings;
use crate::ops::app::App;

const PLACE: &str = "/access_control/access_password";

/// Seals the password in settings that are about to be kept.
pub fn seal(app: &App, settings: &mut Json) -> Result<()> {
    if let Some(password) = settings.pointer_mut(PLACE)
        && let Some(plain) = password.as_str()
    {
        let sealed = app.keys().seal(Purpose::AccessPassword, plain.as_bytes())?;
        *password = json!(URL_SAFE_NO_PAD.encode(sealed));
    }
    Ok(())
}

/// The password of kept settings; none when there is none.
///
/// # Errors
/// Internal, when it was sealed under another key.
pub fn open(app: &App, settings: &Settings) -> Result<Option<String>> {
    let Some(sealed) = &settings.access_control.access_password else {
        return Ok(None);
    };
    URL_SAFE_NO_PAD
        .decode(sealed)
        .ok()
        .and_then(|sealed| app.keys().open(Purpose::AccessPassword, &sealed))
        .and_then(|plain| String::from_utf8(plain).ok())
        .map(Some)
        .ok_or_else(|| Error::internal("an access password can't be opened"))
}
