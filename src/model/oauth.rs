//! OAuth clients and the grants of users to them.

use crate::base::clock::Time;
use crate::model::scope::Scopes;
use crate::model::user::UserId;

/// A registered application.
#[derive(Clone, Debug)]
pub struct Client {
    /// The row id.
    pub id: i64,
    /// The public id.
    pub client_id: String,
    /// Shown to users.
    pub name: String,
    /// `None` for a public client, which can't keep a secret.
    pub secret_hash: Option<[u8; 32]>,
    pub redirect_uris: Vec<String>,
    /// The scopes it may request.
    pub scopes: Scopes,
    pub created_at: Time,
}

impl Client {
    /// Whether the client can't keep a secret, such as an app on a phone or a page in a browser.
    pub fn is_public(&self) -> bool {
        self.secret_hash.is_none()
    }
}

/// A user's authorization of a client. The row is deleted when it ends.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The row id.
    pub id: i64,
    /// The public id, which access tokens carry.
    pub token: String,
    /// The client's row id.
    pub client: i64,
    /// The user who gave it.
    pub user: UserId,
    pub scopes: Scopes,
    /// The number of refresh tokens so far. The last one is valid.
    pub generation: i64,
    pub created_at: Time,
    /// When an access token of it was last used, to the minute.
    pub last_used_at: Option<Time>,
}

/// A grant in its user's list.
#[derive(Clone, Debug)]
pub struct ConnectedApp {
    /// The grant's public id.
    pub token: String,
    /// The application's name.
    pub name: String,
    pub scopes: Scopes,
    pub created_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Time>,
}
