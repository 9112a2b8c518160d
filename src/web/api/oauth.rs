//! `/api/v1/oauth/`: the endpoints that applications call themselves: token, revocation, public keys and metadata
//! (RFC 6749, 7009, 7517, 8414).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use warp::http::{StatusCode, header};

use crate::base::error::{Error, OAuthCode, Result};
use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::http::net;
use crate::model::oauth::Client;
use crate::ops::oauth::clients::{self, Credentials};
use crate::ops::oauth::codes::{self, Exchange};
use crate::ops::oauth::metadata::{
    AUTH_METHODS, CHALLENGE_METHODS, GRANT_TYPES, Metadata, RESPONSE_MODES, RESPONSE_TYPES,
};
use crate::ops::oauth::{ACCESS_SECS, Params, REFRESH_SECS, Tokens, grants, keys, refresh};
use crate::web::openapi::doc::AnswerBody::Bare;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// Tokens for an application.
#[derive(Serialize, JsonSchema)]
struct TokenBody {
    /// For the API, as `Authorization: Bearer …`: a JWT (RFC 9068).
    access_token: String,
    #[schemars(extend("const" = "Bearer"))]
    token_type: &'static str,
    /// The lifetime of the access token in seconds.
    expires_in: i64,
    /// Gets the next pair of tokens; works once.
    refresh_token: String,
    /// The lifetime of the refresh token in seconds.
    refresh_token_expires_in: i64,
    /// The access token's scopes, separated by spaces.
    scope: String,
}

/// Empty.
#[derive(Serialize, JsonSchema)]
struct RevokedBody {}

/// Public keys (RFC 7517).
#[derive(Serialize, JsonSchema)]
struct KeysBody {
    keys: Vec<KeyBody>,
}

/// A key that access tokens may be signed with (RFC 8037).
#[derive(Serialize, JsonSchema)]
struct KeyBody {
    #[schemars(extend("const" = "OKP"))]
    kty: &'static str,
    #[schemars(extend("const" = "Ed25519"))]
    crv: &'static str,
    /// The public key in base64url.
    x: String,
    /// The key's identifier in token headers.
    kid: String,
    #[schemars(extend("const" = "EdDSA"))]
    alg: &'static str,
    #[serde(rename = "use")]
    #[schemars(extend("const" = "sig"))]
    usage: &'static str,
}

/// The server's endpoints and capabilities (RFC 8414).
#[derive(Serialize, JsonSchema)]
struct MetadataBody {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    scopes_supported: Vec<&'static str>,
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    revocation_endpoint: String,
    revocation_endpoint_auth_methods_supported: [&'static str; 3],
    code_challenge_methods_supported: [&'static str; 1],
    authorization_response_iss_parameter_supported: bool,
    service_documentation: String,
}

/// An error in the OAuth format.
#[derive(Serialize, JsonSchema)]
struct ErrorBody {
    #[schemars(extend("enum" = OAuthCode::ALL.map(OAuthCode::name)))]
    error: &'static str,
    /// For humans.
    error_description: String,
}

pub static TOKENS: Shape = Shape::of_type::<TokenBody>("OAuthTokens");
/// The answer to a revocation.
pub static REVOKED: Shape = Shape::of_type::<RevokedBody>("OAuthRevoked");
pub static KEYS: Shape = Shape::of_type::<KeysBody>("JsonWebKeys");
/// The server's metadata.
pub static METADATA: Shape = Shape::of_type::<MetadataBody>("OAuthMetadata");
/// An error of the token and revocation endpoints.
pub static ERROR: Shape = Shape::of_type::<ErrorBody>("OAuthError");
/// The body of a token request.
pub static TOKEN_REQUEST: Shape = Shape::new("OAuthTokenRequest", token_request);
/// The body of a revocation.
pub static REVOKE_REQUEST: Shape = Shape::new("OAuthRevocation", revoke_request);

fn token_request() -> Json {
    request_schema(
        &[
            ("grant_type", ""),
            ("code", "With `authorization_code`: the code."),
            ("code_verifier", "With `authorization_code`: the verifier of the challenge."),
            ("redirect_uri", "With `authorization_code`: the address the code was sent to; optional."),
            ("refresh_token", "With `refresh_token`: the token."),
            ("scope", "With `refresh_token`: a subset of the granted scopes."),
        ],
        &["grant_type"],
    )
}

fn revoke_request() -> Json {
    request_schema(
        &[
            ("token", "An access token or a refresh token."),
            ("token_type_hint", "Ignored: the type is recognized from the token."),
        ],
        &["token"],
    )
}

fn request_schema(parameters: &[(&str, &str)], required: &[&str]) -> Json {
    let credentials = [
        ("client_id", "Required without an `Authorization` header."),
        ("client_secret", "Likewise; a public client has none."),
    ];
    let mut properties = serde_json::Map::new();
    for (name, text) in parameters.iter().chain(&credentials) {
        let mut schema = json!({"type": "string"});
        if *name == "grant_type" {
            schema["enum"] = json!(GRANT_TYPES);
        } else {
            schema["description"] = json!(text);
        }
        properties.insert((*name).to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "required": required})
}

pub const CREATE_TOKENS: Doc = Doc::new("create_tokens", 200, Bare(&TOKENS))
    .says(
        "Get tokens",
        "Exchanges a code or a refresh token. A code is used up by any attempt, valid or not. A refresh token works \
         once: presenting it again more than 10 seconds after its use, or after its successor was used, revokes the \
         whole grant.",
    )
    .takes(&TOKEN_REQUEST, r#"{"grant_type": "authorization_code", "code": "nU2y…", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "redirect_uri": "https://app.example.com/callback", "client_id": "Yb3xLr0bAqkT5uVfW9sJ2d"}"#);

/// Exchanges a code or a refresh token for a pair of tokens.
pub fn token(call: &Call) -> Result<Reply> {
    let params = params(call)?;
    let client = client(call, &params)?;
    let tokens = match params.need("grant_type")? {
        "authorization_code" => codes::exchange(
            call.app,
            &client,
            &Exchange {
                code: params.need("code")?,
                verifier: params.one("code_verifier")?,
                redirect_uri: params.one("redirect_uri")?,
            },
        ),
        "refresh_token" => refresh::refresh(call.app, &client, params.need("refresh_token")?, params.one("scope")?),
        _ => Err(Error::oauth(
            OAuthCode::UnsupportedGrantType,
            format!("grant_type must be {}", GRANT_TYPES.join(" or ")),
        )),
    }?;
    let Tokens { access, refresh, scopes } = tokens;
    bare(&TokenBody {
        access_token: access,
        token_type: "Bearer",
        expires_in: ACCESS_SECS,
        refresh_token: refresh,
        refresh_token_expires_in: REFRESH_SECS,
        scope: scopes.to_string(),
    })
}

pub const REVOKE_TOKEN: Doc = Doc::new("revoke_token", 200, Bare(&REVOKED))
    .says(
        "Revoke a token",
        "Revokes an access token or a refresh token, and with it the whole grant. An unknown token is not an error \
        (RFC 7009).",
    )
    .takes(&REVOKE_REQUEST, r#"{"client_id": "Yb3xLr0bAqkT5uVfW9sJ2d", "client_secret": "b1U…", "token": "kq8…"}"#);

/// Revokes a token and its grant.
pub fn revoke(call: &Call) -> Result<Reply> {
    let params = params(call)?;
    let client = client(call, &params)?;
    grants::revoke(call.app, &client, params.need("token")?)?;
    bare(&RevokedBody {})
}

pub const GET_KEYS: Doc = Doc::new("get_keys", 200, Bare(&KEYS)).says(
    "Read the public keys",
    "The keys that verify access tokens. Keys rotate every 90 days; the previous key stays listed for two more \
         hours.",
);

pub fn jwks(call: &Call) -> Result<Reply> {
    bare(&json!({"keys": keys::published(call.app)?}))
}

pub const GET_OAUTH_METADATA: Doc = Doc::new("get_oauth_metadata", 200, Bare(&METADATA)).says(
    "Read the OAuth server metadata",
    "Endpoints and capabilities (RFC 8414). If the base URL has a path, it can also be appended to this one.",
);

pub fn metadata(call: &Call) -> Result<Reply> {
    let it = Metadata::of(call.app);
    bare(&MetadataBody {
        issuer: it.issuer,
        authorization_endpoint: it.authorization_endpoint,
        token_endpoint: it.token_endpoint,
        jwks_uri: it.jwks_uri,
        scopes_supported: it.scopes,
        response_types_supported: RESPONSE_TYPES,
        response_modes_supported: RESPONSE_MODES,
        grant_types_supported: GRANT_TYPES,
        token_endpoint_auth_methods_supported: AUTH_METHODS,
        revocation_endpoint: it.revocation_endpoint,
        revocation_endpoint_auth_methods_supported: AUTH_METHODS,
        code_challenge_methods_supported: CHALLENGE_METHODS,
        authorization_response_iss_parameter_supported: true,
        service_documentation: it.service_documentation,
    })
}

fn bare(body: &impl Serialize) -> Result<Reply> {
    let text = serde_json::to_string(body).map_err(Error::internal)?;
    let answer = Answer::json_text(StatusCode::OK, text);
    // RFC 6749 requires this of answers with tokens, for old proxies.
    Ok(answer.header(header::PRAGMA, "no-cache").into())
}

/// The parameters of the body; each may be sent once.
fn params(call: &Call) -> Result<Params> {
    let kind = call.header("content-type").unwrap_or_default();
    let params =
        if kind.to_ascii_lowercase().contains("json") { from_json(call.json()?)? } else { Params::new(call.form()) };
    match params.repeated() {
        Some(name) => Err(Error::oauth(OAuthCode::InvalidRequest, format!("{name} must be sent once"))),
        None => Ok(params),
    }
}

/// The known parameters; others are ignored, whatever their type (RFC 6749 section 3.2).
const PARAMETERS: [&str; 10] = [
    "client_id",
    "client_secret",
    "grant_type",
    "code",
    "code_verifier",
    "redirect_uri",
    "refresh_token",
    "scope",
    "token",
    "token_type_hint",
];

/// Reads string parameters; null counts as absent.
fn from_json(body: Json) -> Result<Params> {
    let fault = |text: String| Error::oauth(OAuthCode::InvalidRequest, text);
    let Json::Object(members) = body else {
        return Err(fault("the body must be an object".to_owned()));
    };
    let mut pairs = Vec::new();
    for (name, value) in members {
        match value {
            Json::String(value) => pairs.push((name, value)),
            Json::Null => {}
            _ if !PARAMETERS.contains(&name.as_str()) => {}
            _ => return Err(fault(format!("{name} must be a string"))),
        }
    }
    Ok(Params::new(pairs))
}

/// Authenticates the client by header or body, never by both (S38).
fn client(call: &Call, params: &Params) -> Result<Client> {
    let (named, secret) = (params.one("client_id")?, params.one("client_secret")?);
    let both = || {
        let text = "a client says once who it is: in the header or in the body";
        Error::oauth(OAuthCode::InvalidRequest, text)
    };
    let credentials = match basic(call)? {
        Some(_) if secret.is_some() => return Err(both()),
        Some(known) if named.is_some_and(|named| named != known.client_id) => return Err(both()),
        Some(known) => known,
        None => Credentials {
            client_id: named.ok_or_else(clients::unknown)?.to_owned(),
            secret: secret.map(|secret| Secret::new(secret.to_owned())),
        },
    };
    let address = net::address(call.client);
    clients::authenticate(call.app, &credentials, &address, call.now)
}

/// The credentials of a `Basic` header; `None` without one.
fn basic(call: &Call) -> Result<Option<Credentials>> {
    let Some(value) = call.headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| clients::unknown())?;
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(clients::unknown());
    }
    let pair = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (id, secret) = pair.as_deref().and_then(|pair| pair.split_once(':')).ok_or_else(clients::unknown)?;
    let secret = decoded(secret);
    Ok(Some(Credentials { client_id: decoded(id), secret: (!secret.is_empty()).then(|| Secret::new(secret)) }))
}

/// Client id and secret are urlencoded in the header (RFC 6749 section 2.3.1).
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}
