//! Accounts: users and organisations, members, collaborators, sessions, tokens and the audit log.

pub mod audit;
pub mod collaborators;
pub mod invitations;
pub mod organizations;
pub mod password_resets;
pub mod second_factors;
pub mod sessions;
pub mod setup_links;
pub mod tokens;
pub mod users;
