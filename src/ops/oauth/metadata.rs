//! Metadata of the authorization server (RFC 8414, S37).

use crate::model::scope::Scope;
use crate::ops::app::App;

pub struct Metadata {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub revocation_endpoint: String,
    pub jwks_uri: String,
    pub service_documentation: String,
    pub scopes: Vec<&'static str>,
}

pub const RESPONSE_TYPES: [&str; 1] = ["code"];
pub const RESPONSE_MODES: [&str; 1] = ["query"];
pub const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
pub const AUTH_METHODS: [&str; 3] = ["client_secret_basic", "client_secret_post", "none"];
pub const CHALLENGE_METHODS: [&str; 1] = ["S256"];

impl Metadata {
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
