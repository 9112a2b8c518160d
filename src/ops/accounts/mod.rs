//! Accounts: identity and permissions. Users, the members of an organisation, collaborators of forms, signing in and
//! its second factor, sessions, tokens, plans, and the audit log.

pub mod audit;
pub mod collaborators;
pub mod locales;
pub mod members;
pub mod organizations;
pub mod password_reset;
pub mod passwords;
pub mod plans;
pub mod preferences;
pub mod second_factor;
pub mod sessions;
pub mod setup;
pub mod shown_once;
pub mod sign_in;
pub mod state;
pub(in crate::ops) mod throttle;
pub mod token_uses;
pub mod tokens;
pub mod users;
