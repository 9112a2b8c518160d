//! Parts of pages about webhooks: what was sent, and what became of it.

pub mod delivery;
