//! `formsvc keys`: the signing keys of access tokens.

use serde_json::json;

use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;
use crate::cli::with_app;
use crate::ops::oauth::keys;

pub fn rotate(cx: &Cx) -> Result<(), Failure> {
    let kid = with_app(cx, |app| Ok(keys::rotate(app)?))?;
    cx.out.note("access tokens are signed with a new key; the old one verifies them for two more hours");
    cx.out.result(&kid, &json!({"kid": kid}))
}
