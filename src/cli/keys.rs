//! `formsvc keys`: the keys that access tokens are signed with.

use serde_json::json;

use crate::cli::beside;
use crate::cli::failure::Failure;
use crate::cli::settings::Cx;
use crate::ops::oauth::keys;

/// Signs with a new key from now on.
pub fn rotate(cx: &Cx) -> Result<(), Failure> {
    let kid = beside(cx, |app| Ok(keys::rotate(app)?))?;
    cx.out
        .note("access tokens are signed with a new key; the old one verifies for two hours more");
    cx.out.result(&kid, &json!({"kid": kid}))
}
