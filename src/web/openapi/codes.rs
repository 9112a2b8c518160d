//! Error codes that several operations share, by status.

use crate::base::error::Code::{
    self, HoldLimit, OutOfStock, PlanRequired, QuotaExceeded, UploadExpired, UploadIncomplete, UploadNotFound,
    UploadPurposeMismatch, UploadUsed,
};

/// The error codes of an upload that can't be used.
pub const UPLOADS: (u16, &[Code]) =
    (422, &[UploadNotFound, UploadIncomplete, UploadUsed, UploadExpired, UploadPurposeMismatch]);

/// The error code for features that the plan lacks.
pub const PLAN: (u16, &[Code]) = (402, &[PlanRequired]);

/// The error codes where there is not enough room.
pub const NO_ROOM: (u16, &[Code]) = (409, &[QuotaExceeded, OutOfStock]);

/// The same, or a hold would keep too much of it.
pub const NOT_HELD: (u16, &[Code]) = (409, &[QuotaExceeded, OutOfStock, HoldLimit]);
