//! OAuth clients: registered by the operator, and authenticated at each request by their secret (S38).

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, OAuthCode, Result};
use crate::base::id;
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::base::secret::{self, Secret};
use crate::model::audit::Action;
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::users;
use crate::ops::app::App;
use crate::ops::oauth::redirect;
use crate::store::oauth::clients::{self, NewClient};

const ID_LENGTH: usize = 22;
const MOST_ADDRESSES: usize = 50;
/// Wrong secrets per minute, of one client from one address.
const FAILURES: u32 = 10;

/// The registration of an application.
pub struct NewApp {
    /// Shown to users.
    pub name: String,
    pub redirect_uris: Vec<String>,
    /// The scopes it may request.
    pub scopes: Scopes,
    /// Whether the app can't keep a secret.
    pub is_public: bool,
}

/// A newly registered application. Its secret is shown once.
pub struct Registered {
    /// Its public id.
    pub client_id: String,
    /// `None` for a public client.
    pub secret: Option<Secret>,
    pub name: String,
}

/// Registers an application.
///
/// # Errors
/// 422.
pub fn create(app: &App, new: NewApp) -> Result<Registered> {
    let mut at = Issues::new();
    let name = users::check_name("name", new.name, &mut at);
    if new.scopes.is_empty() {
        at.push_at("scopes", Reason::NoScope);
    }
    let count = new.redirect_uris.len();
    if count == 0 {
        at.push_at("redirect_uris", Reason::other("must name at least one address"));
    } else if count > MOST_ADDRESSES {
        let fault = format!("are too many (at most {MOST_ADDRESSES})");
        at.push_at("redirect_uris", Reason::other(fault));
    }
    for (i, uri) in new.redirect_uris.iter().enumerate() {
        if let Err(fault) = redirect::check(uri) {
            at.push_at(&format!("redirect_uris[{i}]"), fault);
        }
    }
    at.into_result()?;
    let client_id = id::random(ID_LENGTH);
    let secret = (!new.is_public).then(secret::random_text);
    let row = NewClient {
        client_id: client_id.clone(),
        name: name.clone(),
        secret_hash: secret.as_ref().map(|secret| secret::hash(secret.reveal())),
        redirect_uris: new.redirect_uris,
        scopes: new.scopes,
    };
    app.store.write(move |tx| {
        clients::insert(tx, &row)?;
        audit::note_everywhere(tx, By::operator, Action::AppCreated, &row.client_id)
    })?;
    Ok(Registered { client_id, secret, name })
}

/// All applications, oldest first.
pub fn list(app: &App) -> Result<Vec<Client>> {
    app.store.read(clients::all)
}

/// # Errors
/// 404.
pub fn show(app: &App, client_id: &str) -> Result<Client> {
    app.store.read(|tx| clients::by_client_id(tx, client_id))?.ok_or(Error::NotFound(Noun::App))
}

/// Removes an application. All its grants end at once (S35).
///
/// # Errors
/// 404.
pub fn delete(app: &App, client_id: String) -> Result<()> {
    let existed = app.store.write(move |tx| {
        let existed = clients::delete(tx, &client_id)?;
        if existed {
            audit::note_everywhere(tx, By::operator, Action::AppDeleted, &client_id)?;
        }
        Ok(existed)
    })?;
    if existed { Ok(()) } else { Err(Error::NotFound(Noun::App)) }
}

/// The client credentials of a request.
pub struct Credentials {
    /// The public id.
    pub client_id: String,
    /// `None` from a public client.
    pub secret: Option<Secret>,
}

/// The client that sends a request, from this address.
///
/// # Errors
/// `invalid_client`; 429 after many of those.
pub fn authenticate(app: &App, credentials: &Credentials, address: &str, now: Time) -> Result<Client> {
    let key = (credentials.client_id.as_str(), address);
    let is_limited = app.config.limits.on;
    let left = app.oauth.client_failures.peek(&key, FAILURES, now);
    if is_limited && left.remaining == 0 {
        return Err(Error::TooMany(left.reset_secs.max(1)));
    }
    let found = app.store.read(|tx| clients::by_client_id(tx, &credentials.client_id))?;
    let found = found.filter(|client| match (&client.secret_hash, &credentials.secret) {
        (Some(kept), Some(sent)) => secret::same(kept, &secret::hash(sent.reveal())),
        (None, None) => true,
        _ => false,
    });
    found.ok_or_else(|| {
        app.oauth.client_failures.hit(&key, FAILURES, now);
        unknown()
    })
}

/// The error for a client that is not authenticated.
pub fn unknown() -> Error {
    Error::oauth(OAuthCode::InvalidClient, "the client is unknown, or did not show that it is the one")
}
