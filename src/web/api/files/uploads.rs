//! `/api/v1/attachments`, `/api/v1/f/{form_token}/entry_attachments` and the upload addresses that they return.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Code::{
    FormClosed, FormFull, FormNotOpen, PasswordInvalid, PasswordRequired, UploadInProgress,
};
use crate::base::error::Result;
use crate::fields::files::links::QueryRow;
use crate::model::caller::Caller;
use crate::model::upload::UploadTarget;
use crate::ops::files::images;
use crate::ops::files::received_files::{self, ReceivedFile, Taking};
use crate::ops::files::uploads::{self, Prepared};
use crate::ops::forms::published::Visitor;
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// A prepared upload of an image.
#[derive(Serialize, JsonSchema)]
struct ImageBody {
    /// Refers to the image after the upload.
    upload_id: String,
    /// The address to upload to, with `PUT`.
    #[schemars(extend("format" = "uri"))]
    upload_url: String,
    /// When the upload expires.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
    /// Its purpose.
    purpose: String,
}

/// A prepared upload of a file.
#[derive(Serialize, JsonSchema)]
struct AttachmentBody {
    /// Refers to the file in the field's value after the upload.
    upload_id: String,
    /// The address to upload to, with `PUT`.
    #[schemars(extend("format" = "uri"))]
    upload_url: String,
    /// When the upload expires.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
    /// The field.
    field_api_code: String,
    /// The column, if the field has columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimension_api_code: Option<String>,
}

/// The body to announce an image.
pub static IMAGE: Shape = Shape::new("NewImage", uploads::image_schema);

/// An image for use in rich text.
#[derive(Serialize, JsonSchema)]
struct CommittedBody {
    /// The upload that became this image.
    upload_id: String,
    /// Its name.
    id: String,
    /// The image's address.
    #[schemars(extend("format" = "uri"))]
    image_url: String,
}

/// The body to announce a file for an answer.
pub static ATTACHMENT: Shape = Shape::new("NewEntryAttachment", uploads::attachment_schema);

/// The body to announce a file for a row of a public query.
pub static QUERY_ATTACHMENT: Shape = Shape::new("NewQueryAttachment", uploads::query_attachment_schema);

/// The answer to an announced image.
pub static PREPARED_IMAGE: Shape = Shape::of_type::<ImageBody>("PreparedImage");

/// The answer to an announced file.
pub static PREPARED_ATTACHMENT: Shape = Shape::of_type::<AttachmentBody>("PreparedEntryAttachment");

/// The body to turn uploads into images for rich text.
pub static COMMIT: Shape = Shape::new("NewCommitments", images::commit_schema);

/// The answer to that.
pub static COMMITTED: Shape = Shape::of_type::<Vec<CommittedBody>>("Commitments");

/// The answer to an upload.
pub static UPLOADED: Shape = Shape::of_type::<ReceivedFile>("UploadedFile");

pub const PREPARE_IMAGE: Doc = Doc::new("prepare_image", 201, Data(&PREPARED_IMAGE))
    .says(
        "Prepare an image for a form",
        "Announces an image. Upload its bytes to `upload_url` with `PUT` within the hour, then use its `upload_id` \
         where the image belongs.",
    )
    .takes(
        &IMAGE,
        r#"{"purpose": "header_image", "file_name": "header.png", "content_type": "image/png", "file_size": 20480}"#,
    );

/// `POST /attachments`
pub fn prepare_image(call: &Call, caller: &Caller) -> Result<Reply> {
    let origin = call.origin();
    let Prepared { upload, url } = uploads::prepare_image(call.app, caller, origin, call.json()?)?;
    let body = ImageBody {
        purpose: upload.target.purpose().to_owned(),
        upload_id: upload.token,
        upload_url: url,
        expires_at: upload.expires_at.to_string(),
    };
    Ok(reply::created(&body)?.into())
}

pub const PREPARE_ENTRY_ATTACHMENT: Doc = Doc::new("prepare_entry_attachment", 201, Data(&PREPARED_ATTACHMENT))
    .says(
        "Prepare a file for an answer",
        "Announces a file for a field. Upload its bytes to `upload_url` with `PUT` within the hour, then use its \
         `upload_id` in the field's value. Respondents can do this only while the form accepts submissions. Editors \
         of the form whose token has `entry:write` always can, for hidden fields too and without the password.",
    )
    .takes(&ATTACHMENT, r#"{"field_api_code": "field_3", "file_name": "report.pdf", "content_type": "application/pdf", "file_size": 20480}"#)
    .password()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]);

/// `POST /f/{form_token}/entry_attachments`
pub fn prepare_attachment(call: &Call, caller: Option<&Caller>) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let origin = call.origin();
    let token = call.param("form_token");
    let prepared = uploads::prepare_attachment(call.app, token, (caller, visitor), origin, call.json()?)?;
    prepared_attachment(prepared)
}

pub const PREPARE_QUERY_ATTACHMENT: Doc = Doc::new("prepare_query_attachment", 201, Data(&PREPARED_ATTACHMENT))
    .says(
        "Upload a file while editing a result",
        "Announces a file for an editable field of a result, whether or not the form is open. Needs the result's \
         `edit_token`, in the header `X-Edit-Token` or in the body. Upload the bytes to `upload_url` with `PUT`, \
         then use the `upload_id` in the field's value in `update_query_row`.",
    )
    .takes(&QUERY_ATTACHMENT, r#"{"edit_token": "1800000000.signature", "field_api_code": "field_4", "file_name": "plan.pdf", "content_type": "application/pdf", "file_size": 120034}"#)
    .can_be_shut();

/// `POST /q/{query_token}/entries/{entry_token}/attachments`
pub fn prepare_in_query(call: &Call) -> Result<Reply> {
    let row = QueryRow { query: call.param("query_token"), entry: call.param("entry_token") };
    let (edit_token, origin) = (call.header("x-edit-token"), call.origin());
    let prepared = uploads::prepare_in_query(call.app, row, edit_token, origin, call.json()?)?;
    prepared_attachment(prepared)
}

fn prepared_attachment(Prepared { upload, url }: Prepared) -> Result<Reply> {
    let (field_api_code, dimension_api_code) = match upload.target {
        UploadTarget::Entry { field, dimension, .. } => (field, dimension),
        UploadTarget::Element { .. } => (String::new(), None),
    };
    let body = AttachmentBody {
        upload_id: upload.token,
        upload_url: url,
        expires_at: upload.expires_at.to_string(),
        field_api_code,
        dimension_api_code,
    };
    Ok(reply::created(&body)?.into())
}

pub const COMMIT_IMAGES: Doc = Doc::new("commit_images", 200, Data(&COMMITTED))
    .says(
        "Turn uploads into images for rich text",
        "Turns uploads of purpose `rich_text_image` into images that rich text can show with `<img \
         src=\"{image_url}\">`. An image that no text uses within a day is deleted.",
    )
    .takes(&COMMIT, r#"{"upload_ids": ["6fWq2mXr8bKzT1yNcVhJ3p"]}"#)
    .codes(&[UPLOADS]);

/// `POST /attachment_commitments`
pub fn commit(call: &Call, caller: &Caller) -> Result<Reply> {
    let committed = images::commit(call.app, caller, call.json()?)?;
    let shown = committed.into_iter().map(|one| CommittedBody {
        upload_id: one.upload_id,
        id: one.image.id,
        image_url: one.image.image_url,
    });
    Ok(reply::data(&shown.collect::<Vec<_>>())?.into())
}

pub const PUT_FILE: Doc = Doc::new("put_file", 200, Data(&UPLOADED))
    .says(
        "Upload a file",
        "Upload to the prepared address, with the announced content type; no token needed. This works once; an \
         interrupted upload can be repeated.",
    )
    .takes_file(&["*/*"], "")
    .signed()
    .codes(&[(409, &[UploadInProgress])]);

/// `PUT /uploads/{upload_id}`
pub fn put(call: &Call) -> Result<Taking> {
    let signature = call.query("signature").unwrap_or_default();
    let kind = call.header("content-type");
    received_files::begin(call.app, call.param("upload_id"), &signature, kind)
}
