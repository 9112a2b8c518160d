//! Validates the authorization requests of clients: whether they may be answered at all (S28), and whether the user
//! must be asked for consent (S36).

use crate::base::error::{Error, OAuthCode, Result};
use crate::base::{clock, secret};
use crate::model::audit::Action;
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::model::user::User;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::oauth::redirect::{self, Back};
use crate::ops::oauth::{Params, invalid_request, invalid_scope, is_pkce};
use crate::store::oauth::codes::{self, NewCode};
use crate::store::oauth::{clients, grants};

/// Lifetime of a code in seconds.
const CODE_SECS: i64 = 60;
const LONGEST_STATE: usize = 2_048;

/// The parameters that are checked for duplicates; others are ignored.
pub const PARAMETERS: [&str; 10] = [
    "client_id",
    "redirect_uri",
    "response_type",
    "response_mode",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "request",
    "request_uri",
];

/// The result of reading an authorization request.
pub enum AuthorizationRequest {
    /// The client or its redirect address is unknown, so the browser must not be redirected.
    Unknown(Unknown),
    /// An error, sent to the client by redirecting to this address.
    Refused(String),
    /// A valid request that needs the user's decision.
    Fine(Box<Asking>),
}

/// Why an error is shown to the user instead of being sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No client has this id.
    Client,
    /// The redirect address is not registered for the client.
    Address,
}

/// A valid request.
pub struct Asking {
    pub client: Client,
    /// The requested scopes.
    pub scopes: Scopes,
    /// The address that receives the answer.
    pub redirect_uri: String,
    state: Option<String>,
    challenge: String,
}

/// Reads and validates an authorization request.
pub fn read(app: &App, params: &Params) -> Result<AuthorizationRequest> {
    // If a parameter is repeated, another component may have checked a different value, so none of its values counts.
    let sole = |name| params.one(name).ok().flatten();
    let Some(client_id) = sole("client_id") else {
        return Ok(AuthorizationRequest::Unknown(Unknown::Client));
    };
    let client = app.store.read(|tx| clients::by_client_id(tx, client_id))?;
    let Some(client) = client else {
        return Ok(AuthorizationRequest::Unknown(Unknown::Client));
    };
    let redirect_uri =
        sole("redirect_uri").filter(|uri| redirect::is_registered(&client.redirect_uris, uri)).map(str::to_owned);
    let Some(redirect_uri) = redirect_uri else {
        return Ok(AuthorizationRequest::Unknown(Unknown::Address));
    };
    let state = sole("state").filter(|state| state.chars().count() <= LONGEST_STATE);
    let back = Back { redirect_uri: &redirect_uri, state, issuer: &app.config.base_url };
    match requested_scopes(params, &client) {
        Ok((scopes, challenge)) => Ok(AuthorizationRequest::Fine(Box::new(Asking {
            client,
            scopes,
            state: state.map(str::to_owned),
            redirect_uri,
            challenge,
        }))),
        Err(Error::OAuth(code, description)) => Ok(AuthorizationRequest::Refused(back.error(code, &description))),
        Err(other) => Err(other),
    }
}

/// Returns the requested scopes and the code challenge.
fn requested_scopes(params: &Params, client: &Client) -> Result<(Scopes, String)> {
    for name in PARAMETERS {
        params.one(name)?;
    }
    if params.one("request")?.is_some() {
        let text = "request objects are not supported";
        return Err(Error::oauth(OAuthCode::RequestNotSupported, text));
    }
    if params.one("request_uri")?.is_some() {
        let text = "request objects are not supported";
        return Err(Error::oauth(OAuthCode::RequestUriNotSupported, text));
    }
    if params.one("response_type")?.is_some_and(|it| it != "code") {
        let text = "response_type must be code";
        return Err(Error::oauth(OAuthCode::UnsupportedResponseType, text));
    }
    if params.one("response_mode")?.is_some_and(|it| it != "query") {
        return Err(invalid_request("response_mode must be query"));
    }
    if let Some(state) = params.one("state")?
        && state.chars().count() > LONGEST_STATE
    {
        let text = format!("state must have at most {LONGEST_STATE} characters");
        return Err(invalid_request(text));
    }
    let challenge = params.need("code_challenge")?;
    if params.one("code_challenge_method")? != Some("S256") {
        return Err(invalid_request("code_challenge_method must be S256"));
    }
    if !is_pkce(challenge) {
        return Err(invalid_request("code_challenge must be 43 to 128 letters, digits or -._~"));
    }
    let scopes = match params.one("scope")? {
        None => client.scopes,
        Some(text) => Scopes::parse_strict(text)
            .filter(|scopes| !scopes.is_empty() && client.scopes.contains(*scopes))
            .ok_or_else(invalid_scope)?,
    };
    Ok((scopes, challenge.to_owned()))
}

impl Asking {
    /// Whether the user must consent: always for public clients, because any program can claim their id; for
    /// confidential clients if they request more scopes than the user has granted (S36).
    pub fn needs_consent(&self, app: &App, user: &User) -> Result<bool> {
        if self.client.is_public() {
            return Ok(true);
        }
        let allowed = app.store.read(|tx| grants::scopes_of(tx, user.id, &self.client))?;
        Ok(!allowed.iter().any(|scopes| scopes.contains(self.scopes)))
    }

    /// Records the user's consent; returns the redirect address with a code.
    pub fn allow(&self, app: &App, user: &User) -> Result<String> {
        let code = secret::random_text();
        let hash = secret::hash(code.reveal());
        let row = NewCode {
            client: self.client.id,
            user: user.id,
            redirect_uri: self.redirect_uri.clone(),
            challenge: self.challenge.clone(),
            scopes: self.scopes,
            expires_at: clock::now().plus_secs(CODE_SECS),
        };
        let (by, client) = (By::person(user), self.client.client_id.clone());
        app.store.write(move |tx| {
            audit::note(tx, by, Action::AppAllowed, &client)?;
            codes::insert(tx, &hash, &row)
        })?;
        Ok(self.back(app).code(code.reveal()))
    }

    /// Returns the redirect address that reports the user's refusal.
    pub fn deny(&self, app: &App) -> String {
        self.back(app).error(OAuthCode::AccessDenied, "the user did not allow it")
    }

    fn back<'a>(&'a self, app: &'a App) -> Back<'a> {
        Back { redirect_uri: &self.redirect_uri, state: self.state.as_deref(), issuer: &app.config.base_url }
    }
}
