//! Parts of pages about webhooks: deliveries and their outcomes.

pub mod delivery;
