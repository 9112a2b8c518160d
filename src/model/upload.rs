//! An announced upload and its target.

use crate::base::clock::Time;
use crate::base::reason::UploadFault;

/// The target of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadTarget {
    /// An image in a form of this organisation.
    Element {
        /// One of [`PURPOSES`].
        purpose: &'static str,
        organization: i64,
    },
    /// An answer to a field of a form.
    Entry {
        form_no: i64,
        /// The field's api_code.
        field: String,
        /// The column's api_code, if the field is a grid.
        dimension: Option<String>,
    },
}

/// The purposes of images on pages, as the API names them.
pub const PURPOSES: [(&str, &str); 8] = [
    ("header_image", "header_image"),
    ("wallpaper_image", "wallpaper_image"),
    ("rich_text_image", "rich_text_image"),
    ("choice_image", "choice_image"),
    ("product_image", "product_image"),
    ("booking_image", "booking_image"),
    ("opensearch_header_image", "opensearch_header_image"),
    (ORGANIZATION_LOGO, ORGANIZATION_LOGO),
];

/// The purpose of an organisation's logo.
pub const ORGANIZATION_LOGO: &str = "organization_logo";

/// The purpose of files in answers, as the database names it.
pub const ENTRY_ATTACHMENT: &str = "entry_attachment";

impl UploadTarget {
    /// The name in the database.
    pub fn purpose(&self) -> &'static str {
        match self {
            Self::Element { purpose, .. } => purpose,
            Self::Entry { .. } => ENTRY_ATTACHMENT,
        }
    }
}

/// How long uploaded content can be used, from the announcement.
pub const KEPT_SECS: i64 = 24 * 3600;

#[derive(Clone, Debug)]
pub struct Upload {
    /// `upload_id`.
    pub token: String,
    pub target: UploadTarget,
    /// Cleaned.
    pub file_name: String,
    /// Without parameters, in lower case.
    pub content_type: String,
    /// In bytes.
    pub file_size: u64,
    /// Duration of a recording in seconds, if its container has it.
    pub duration: Option<f64>,
    /// When the upload URL expires.
    pub expires_at: Time,
    /// When it was announced.
    pub created_at: Time,
    /// Whether the content was uploaded.
    pub is_put: bool,
    pub is_used: bool,
}

impl Upload {
    /// Why it can't be used now, if so.
    pub fn fault(&self, now: Time) -> Option<UploadFault> {
        let end = match self.is_put {
            true => self.created_at.plus_secs(KEPT_SECS),
            false => self.expires_at,
        };
        if self.is_used {
            Some(UploadFault::Used)
        } else if end <= now {
            Some(UploadFault::Expired)
        } else {
            (!self.is_put).then_some(UploadFault::Incomplete)
        }
    }

    /// The token of the file that it becomes.
    pub fn file_token(&self) -> &str {
        file_token(&self.token)
    }
}

/// The token of the file that an upload becomes: the last part of the upload's token.
pub fn file_token(upload: &str) -> &str {
    upload.rsplit('.').next().unwrap_or(upload)
}
