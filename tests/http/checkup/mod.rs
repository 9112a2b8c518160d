//! The findings and repairs of `doctor`.

mod doctor;
