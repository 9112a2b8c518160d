//! Rich texts of a form: the initial text of their editor, and the pictures that are placed in them.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::images::Image;
use crate::model::caller::Caller;
use crate::ops::files::images;
use crate::ops::forms::access::{self, Right};
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::{Posted, account_messages, texts_of};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};

/// The purpose of pictures in rich texts.
pub const PURPOSE: &str = "rich_text_image";

/// Reads the tree of an HTML text.
type TreeOf<'a> = dyn Fn(&str) -> Result<String> + 'a;

/// The data that editors of rich texts are drawn from.
pub struct RichTexts<'a> {
    pub texts: &'static Texts,
    images: String,
    tree: Box<TreeOf<'a>>,
}

impl<'a> RichTexts<'a> {
    pub fn of(frame: &'a FormFrame<'a>) -> Self {
        let images = frame.address("build/images");
        let tree = |html: &str| Ok(images::rich_tree(frame.call.app, frame.caller, html)?.to_string());
        Self { texts: frame.texts, images, tree: Box::new(tree) }
    }

    /// Of a page without rich texts.
    #[cfg(test)]
    pub fn none(texts: &'static Texts) -> Self {
        Self { texts, images: String::new(), tree: Box::new(|_| Ok(String::new())) }
    }

    /// The tree of a text, for its editor.
    pub fn tree(&self, html: &str) -> Result<String> {
        (self.tree)(html)
    }

    /// The address that takes pictures.
    pub fn images(&self) -> String {
        self.images.clone()
    }
}

/// `POST /forms/{form_token}/build/images`: a picture for a rich text of the form.
pub fn place(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    match posted(call, caller, PURPOSE)? {
        Ok(image) => {
            let (width, height) = image.size();
            let body = json!({"id": image.id, "image_url": image.image_url, "width": width, "height": height});
            Ok(reply::data(&body)?.into())
        }
        Err(faults) => Ok(refused(caller, &faults)?.into()),
    }
}

/// The image that came with a page, or its faults.
pub fn posted(call: &Call, caller: &Caller, purpose: &'static str) -> Result<std::result::Result<Image, Vec<Issue>>> {
    let posted = Posted::of(call);
    let upload = posted.text(INPUT);
    match call.parts.map(|parts| parts.posted.faults.as_slice()) {
        Some(faults) if !faults.is_empty() => Ok(Err(faults.to_vec())),
        _ if upload.is_empty() => Ok(Err(vec![Issue::new(INPUT.to_owned(), Reason::Blank)])),
        _ => match images::commit_posted(call.app, caller, upload, purpose) {
            Ok(image) => Ok(Ok(image)),
            Err(Error::Invalid(faults)) => Ok(Err(faults)),
            Err(other) => Err(other),
        },
    }
}

/// Answers a script with the faults.
pub fn refused(caller: &Caller, faults: &[Issue]) -> Result<Answer> {
    let texts = texts_of(&caller.user);
    let told = faults
        .iter()
        .map(|fault| json!({"attribute": fault.attribute, "message": account_messages::message(texts, fault)}));
    let body = json!({"issues": told.collect::<Vec<_>>()});
    reply::data_with(StatusCode::UNPROCESSABLE_ENTITY, &body)
}
