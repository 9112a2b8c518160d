//! Who calls: a user, by a token or a session.

use crate::model::scope::{Scope, Scopes};
use crate::model::user::User;

/// How the caller showed who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A personal access token, by its number.
    PersonalToken(i64),
    /// An access token of an application, by the number of its grant.
    Grant(i64),
    /// A session cookie.
    Session,
    /// The command line, as the owner of the machine.
    CommandLine,
}

/// A user who calls, and what they may do with it.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who.
    pub user: User,
    /// How.
    pub credential: Credential,
    /// What the token may do; a session may do all.
    pub scopes: Scopes,
}

impl Caller {
    /// A user who is signed in, or who is acted for by the command line.
    pub fn whole(user: User, credential: Credential) -> Self {
        Self {
            user,
            credential,
            scopes: Scope::ALL.into_iter().collect(),
        }
    }
}

/// Who sends a submission: for idempotency and limits. Anonymous senders are told apart by network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A user with a token.
    User(crate::model::user::UserId),
    /// An address, as its /24 or /64.
    Network(String),
}
