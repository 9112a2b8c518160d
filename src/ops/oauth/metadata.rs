//! What clients are told of this provider (RFC 8414): as it behaves, and nothing else (S37).

use crate::model::scope::Scope;
use crate::ops::App;

/// Addresses and abilities.
pub struct Metadata {
    /// Who this is: what `iss` says.
    pub issuer: String,
    /// Where browsers go.
    pub authorization_endpoint: String,
    /// Where codes and refresh tokens are exchanged.
    pub token_endpoint: String,
    /// Where tokens are ended.
    pub revocation_endpoint: String,
    /// Where public keys are.
    pub jwks_uri: String,
    /// Where people read.
    pub service_documentation: String,
    /// What may be asked for.
    pub scopes: Vec<&'static str>,
}

/// What an authorisation answers with.
pub const RESPONSE_TYPES: [&str; 1] = ["code"];
/// How the answer comes.
pub const RESPONSE_MODES: [&str; 1] = ["query"];
/// What is exchanged for tokens.
pub const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
/// How clients show who they are.
pub const AUTH_METHODS: [&str; 3] = ["client_secret_basic", "client_secret_post", "none"];
/// How codes are bound to who asked for them.
pub const CHALLENGE_METHODS: [&str; 1] = ["S256"];

impl Metadata {
    /// Of a running service.
    pub fn of(app: &App) -> Self {
        let base = &app.config.base_url;
        Self {
            issuer: base.clone(),
            authorization_endpoint: format!("{base}/api/v1/oauth/authorize"),
            token_endpoint: format!("{base}/api/v1/oauth/token"),
            revocation_endpoint: format!("{base}/api/v1/oauth/revoke"),
            jwks_uri: format!("{base}/api/v1/oauth/jwks"),
            service_documentation: format!("{base}/docs"),
            scopes: Scope::ALL.into_iter().map(Scope::name).collect(),
        }
    }
}
