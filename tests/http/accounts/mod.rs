//! Accounts: sign-in, sessions, second factor, members, collaborators, plans and the audit log.

pub mod audit;
pub mod collaborators;
pub mod faults;
pub mod form_folders;
pub mod me;
pub mod members;
pub mod pages;
pub mod plans;
pub mod second_factor;
pub mod sessions;
pub mod users;
