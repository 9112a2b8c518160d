//! Applications of others, and what people allowed them.

use crate::base::clock::Time;
use crate::model::scope::Scopes;
use crate::model::user::UserId;

/// An application that is registered here.
#[derive(Clone, Debug)]
pub struct Client {
    /// Inside the database.
    pub id: i64,
    /// Its public id.
    pub client_id: String,
    /// What people are shown.
    pub name: String,
    /// The hash of its secret; none: a public client, which can't keep one.
    pub secret_hash: Option<[u8; 32]>,
    /// Where people may be led back to.
    pub redirect_uris: Vec<String>,
    /// What it may ask for.
    pub scopes: Scopes,
    /// When it was registered.
    pub created_at: Time,
}

impl Client {
    /// Whether it can't keep a secret: an app on somebody's phone, a page in a browser.
    pub fn is_public(&self) -> bool {
        self.secret_hash.is_none()
    }
}

/// What a user allowed a client once. It is there until it ends.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Inside the database.
    pub id: i64,
    /// The name that access tokens carry.
    pub token: String,
    /// The client's number inside the database.
    pub client: i64,
    /// Who allowed it.
    pub user: UserId,
    /// What.
    pub scopes: Scopes,
    /// How many refresh tokens there were; the last one is live.
    pub generation: i64,
    /// When it was allowed.
    pub created_at: Time,
    /// When an access token of it was last used, to the minute.
    pub last_used_at: Option<Time>,
}

/// A grant as its user sees it among others.
#[derive(Clone, Debug)]
pub struct ConnectedApp {
    /// What names it when it is to end.
    pub token: String,
    /// What the application is called.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// When it was allowed.
    pub created_at: Time,
    /// When it last did something, to the minute.
    pub last_used_at: Option<Time>,
}
