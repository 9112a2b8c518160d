//! A form's definition as a file.

use bytes::Bytes;

use crate::base::error::{Error, Result};
use crate::http::stream::ChunkSource;
use crate::model::caller::Caller;
use crate::ops::forms::form_file;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `GET /forms/{form_token}/settings/definition`
pub fn download(call: &Call, caller: &Caller) -> Result<Reply> {
    let (name, definition) = form_file::of(call.app, caller, call.param("form_token"))?;
    let text = serde_json::to_string_pretty(&definition).map_err(Error::internal)?;
    let mut text = Some(Bytes::from(text));
    let chunks = ChunkSource::new(move |_| Ok(text.take()));
    Ok(Answer::file(&format!("{name}.json"), "application/json", chunks).into())
}
