//! One-time set-up links.
