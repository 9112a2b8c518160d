//! The authenticated caller of a request.

use crate::model::scope::{Scope, Scopes};
use crate::model::user::User;

/// How the caller was authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A personal access token, by its row id.
    PersonalToken(i64),
    /// An application's access token, by the row id of its grant.
    Grant(i64),
    /// A session cookie.
    Session,
    /// The command line, acting for a user.
    CommandLine,
}

/// A user with the permissions of their credential.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: User,
    pub credential: Credential,
    /// A session has all scopes.
    pub scopes: Scopes,
}

impl Caller {
    /// A caller with all scopes: a signed-in user, or the command line.
    pub fn with_all_scopes(user: User, credential: Credential) -> Self {
        Self { user, credential, scopes: Scope::ALL.into_iter().collect() }
    }
}

/// The sender of a submission, for idempotency and limits. Anonymous senders are distinguished by network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A user with a token.
    User(crate::model::user::UserId),
    /// An address, as its /24 or /64.
    Network(String),
}
