//! Commands about accounts: users, tokens, plans, the set-up link.

pub(in crate::cli) mod plan;
pub(in crate::cli) mod setup_link;
pub(in crate::cli) mod token;
pub(in crate::cli) mod user;
