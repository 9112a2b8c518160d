//! A file that somebody said would come, and what it is for.

use crate::base::clock::Time;
use crate::base::error::Code;

/// What an upload is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A part of a form of this organisation: an image.
    Element {
        /// One of [`PURPOSES`].
        purpose: &'static str,
        /// The organisation's number.
        organization: i64,
    },
    /// An answer to a field of a form.
    Entry {
        /// The form's number.
        form_no: i64,
        /// The field's api_code.
        field: String,
        /// The column's, where the field is a grid.
        dimension: Option<String>,
    },
}

/// What images of forms may be for, as the API calls it.
pub const PURPOSES: [(&str, &str); 7] = [
    ("header_image", "header_image"),
    ("wallpaper_image", "wallpaper_image"),
    ("rich_text_image", "rich_text_image"),
    ("choice_image", "choice_image"),
    ("product_image", "product_image"),
    ("booking_image", "booking_image"),
    ("opensearch_header_image", "opensearch_header_image"),
];

/// What files of answers are for, in the store.
pub const ENTRY_ATTACHMENT: &str = "entry_attachment";

impl Target {
    /// As the store calls it.
    pub fn purpose(&self) -> &'static str {
        match self {
            Self::Element { purpose, .. } => purpose,
            Self::Entry { .. } => ENTRY_ATTACHMENT,
        }
    }
}

/// How long a file that came can be used, from when it was prepared.
pub const KEPT_SECS: i64 = 24 * 3600;

/// An upload.
#[derive(Clone, Debug)]
pub struct Upload {
    /// `upload_id`.
    pub token: String,
    /// What it is for.
    pub target: Target,
    /// The file's name, cleaned.
    pub file_name: String,
    /// Its type, bare and in lower case.
    pub content_type: String,
    /// How many bytes it has.
    pub file_size: u64,
    /// How many seconds it lasts, where it is a recording that says so.
    pub duration: Option<f64>,
    /// Until when it may come.
    pub expires_at: Time,
    /// When it was prepared.
    pub created_at: Time,
    /// Whether it came.
    pub is_put: bool,
    /// Whether it was used.
    pub is_used: bool,
}

impl Upload {
    /// Why it can't be used now; `None` when it can.
    pub fn fault(&self, now: Time) -> Option<Code> {
        let end = match self.is_put {
            true => self.created_at.plus_secs(KEPT_SECS),
            false => self.expires_at,
        };
        if self.is_used {
            Some(Code::UploadUsed)
        } else if end <= now {
            Some(Code::UploadExpired)
        } else {
            (!self.is_put).then_some(Code::UploadIncomplete)
        }
    }

    /// The name of the file that it becomes: the last part of its own.
    pub fn file_token(&self) -> &str {
        file_token(&self.token)
    }
}

/// The name of the file that an upload of this name becomes.
pub fn file_token(upload: &str) -> &str {
    upload.rsplit('.').next().unwrap_or(upload)
}
