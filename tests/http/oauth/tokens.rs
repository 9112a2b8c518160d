//! Access tokens: the accepted ones, and their lifetime (S24, S33, S34, S35).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::Sha256;
use support::session::Session;
use support::{Response, Server, at_once, text};

use crate::oauth::{App, Pair, REVOKE, age, app, count, error, somebody};

fn part(token: &str, at: usize) -> Value {
    let part = token.split('.').nth(at).expect("a part");
    let bytes = URL_SAFE_NO_PAD.decode(part).expect("base64url");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn key_files(server: &Server) -> Vec<PathBuf> {
    let files = fs::read_dir(server.dir.join("keys")).expect("a folder");
    let files = files.map(|file| file.expect("a file").path());
    let is_signing = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        name.starts_with("signing-")
    };
    files.filter(is_signing).collect()
}

/// The server's own key, as nobody but its owner can read it.
fn key(server: &Server) -> Ed25519KeyPair {
    let files = key_files(server);
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    let seed = fs::read(file).expect("readable");
    Ed25519KeyPair::from_seed_unchecked(&seed).expect("a key")
}

fn signed(key: &Ed25519KeyPair, header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", encoded(header), encoded(claims));
    let signature = key.sign(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
}

fn me(server: &Server, token: &str) -> Response {
    server.anon().with_token(token).get("/api/v1/me")
}

fn is_refused(server: &Server, token: &str, why: &str) {
    let answer = me(server, token);
    assert_eq!(answer.to_string(), r#"401 {"error":"Invalid access token"}"#, "{why}");
    assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{why}");
}

fn set<'s>(server: &'s Server) -> (App<'s>, Session, String, Pair) {
    let ours = app(server, &[]);
    let (browser, email) = somebody(server);
    let pair = ours.tokens(&browser);
    (ours, browser, email, pair)
}

#[test]
fn it_is_what_rfc_9068_describes() {
    let server = Server::shared();
    let (ours, _, _, pair) = set(server);
    let header = part(&pair.access, 0);
    let jwks = server.anon().get("/api/v1/oauth/jwks").json();
    let kid = jwks["keys"][0]["kid"].clone();
    assert_eq!(header, json!({"typ": "at+jwt", "alg": "EdDSA", "kid": kid}));
    let claims = part(&pair.access, 1);
    let user = me(server, &pair.access).data();
    assert_eq!(claims["iss"], server.base);
    assert_eq!(claims["aud"], server.base);
    assert_eq!(claims["sub"], user["id"]);
    assert_eq!(claims["client_id"], ours.id);
    assert_eq!(claims["scope"], pair.scope);
    assert!(claims["jti"].as_str().is_some_and(|jti| jti.len() >= 22));
    let (iat, exp) = (&claims["iat"], &claims["exp"]);
    assert_eq!(exp.as_i64().expect("a number") - iat.as_i64().expect("a number"), 3_600);
    let next = Pair::of(&ours.refresh(&pair.refresh));
    assert_ne!(part(&next.access, 1)["jti"], claims["jti"]);
}

#[test]
fn only_a_token_as_we_make_them_is_taken() {
    let server = Server::shared();
    let (_, _, _, pair) = set(server);
    let key = key(server);
    let (header, claims) = (part(&pair.access, 0), part(&pair.access, 1));
    assert_eq!(me(server, &signed(&key, &header, &claims)).status, 200, "we can forge one");
    let exp = claims["exp"].as_i64().expect("a number");
    let iat = claims["iat"].as_i64().expect("a number");
    let with = |of: &Value, name: &str, value: Value| {
        let mut other = of.clone();
        other[name] = value;
        other
    };
    let without = |of: &Value, name: &str| {
        let mut other = of.clone();
        other.as_object_mut().expect("an object").remove(name);
        other
    };
    for (name, value) in [
        ("alg", json!("none")),
        ("alg", json!("HS256")),
        ("typ", json!("JWT")),
        ("typ", json!("application/at+jwt")),
        ("kid", json!("other")),
        ("kid", json!("../instance")),
        ("jku", json!("https://evil.example/jwks")),
        ("jwk", json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})),
        ("x5u", json!("https://evil.example/x")),
        ("crit", json!(["exp"])),
    ] {
        let forged = signed(&key, &with(&header, name, value.clone()), &claims);
        is_refused(server, &forged, &format!("{name}: {value}"));
    }
    for name in ["alg", "typ", "kid"] {
        is_refused(server, &signed(&key, &without(&header, name), &claims), name);
    }
    for (name, value) in [
        ("iss", json!("https://evil.example")),
        ("iss", json!([server.base])),
        ("aud", json!("https://evil.example")),
        ("aud", json!([server.base, "https://evil.example"])),
        ("exp", json!(exp.to_string())),
        ("exp", json!(iat - 10)),
        ("exp", json!(exp as f64 + 0.5)),
        ("exp", Value::Null),
        ("iat", json!(iat + 600)),
        ("iat", json!(iat.to_string())),
        ("nbf", json!(iat + 600)),
        ("nbf", json!(iat.to_string())),
        ("sub", json!("somebody")),
        ("sub", json!(1)),
        ("client_id", json!("other")),
        ("jti", json!(1)),
        ("scope", json!(["form:read"])),
        ("sid", json!("other")),
    ] {
        let forged = signed(&key, &header, &with(&claims, name, value.clone()));
        is_refused(server, &forged, &format!("{name}: {value}"));
    }
    for name in ["iss", "aud", "exp", "iat", "sub", "client_id", "jti", "scope", "sid"] {
        is_refused(server, &signed(&key, &header, &without(&claims, name)), name);
    }
    let begun = signed(&key, &header, &with(&claims, "nbf", json!(iat)));
    assert_eq!(me(server, &begun).status, 200);
    // More scopes than were allowed are of no use, fewer are fewer.
    let fewer = signed(&key, &header, &with(&claims, "scope", json!("form:read")));
    assert_eq!(me(server, &fewer).data()["token"]["scopes"], json!(["form:read"]));
    // A clock that is a little off.
    let now = part(&Pair::of(&app_refresh(server)).access, 1)["iat"].as_i64().expect("a number");
    for (exp, status) in [(now - 2, 200), (now - 20, 401)] {
        let late = signed(&key, &header, &with(&claims, "exp", json!(exp)));
        assert_eq!(me(server, &late).status, status, "{exp}");
    }
    let early = with(&claims, "iat", json!(now + 3));
    assert_eq!(me(server, &signed(&key, &header, &early)).status, 200);
}

/// The answer to a refresh just now: tells the server's time.
fn app_refresh(server: &Server) -> Response {
    let (ours, _, _, pair) = set(server);
    ours.refresh(&pair.refresh)
}

#[test]
fn another_key_or_another_kind_of_signature_is_of_no_use() {
    let server = Server::shared();
    let (_, _, _, pair) = set(server);
    let (header, claims) = (part(&pair.access, 0), part(&pair.access, 1));
    let other = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key");
    is_refused(server, &signed(&other, &header, &claims), "another key");
    // The public key as a shared secret.
    let public = key(server).public_key().as_ref().to_vec();
    let hs256 = json!({"typ": "at+jwt", "alg": "HS256", "kid": header["kid"]});
    for secret in [public.clone(), URL_SAFE_NO_PAD.encode(&public).into_bytes()] {
        let message = format!("{}.{}", encoded(&hs256), encoded(&claims));
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).expect("a key");
        mac.update(message.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        is_refused(server, &format!("{message}.{signature}"), "HS256");
    }
    let none = json!({"typ": "at+jwt", "alg": "none", "kid": header["kid"]});
    let (message, signature) = pair.access.rsplit_once('.').expect("three parts");
    for (token, why) in [
        (format!("{}.{}.", encoded(&none), encoded(&claims)), "none"),
        (format!("{message}."), "no signature"),
        (message.to_owned(), "two parts"),
        (format!("{}.x", pair.access), "four parts"),
        (format!("{message}.{signature}="), "padding"),
        (format!(" {message}.{}", &signature[1..]), "a shorter one"),
        (pair.refresh.clone(), "a refresh token"),
        ("..".to_owned(), "nothing"),
        ("a.b.c".to_owned(), "no token at all"),
        (format!("{}.{}", "a".repeat(4_000), "b.c"), "a long one"),
    ] {
        is_refused(server, &token, why);
    }
}

#[test]
fn scopes_hold_as_for_personal_tokens() {
    let server = Server::shared();
    let ours = app(server, &["--scope", "form:read", "form:write"]);
    let (browser, _) = somebody(server);
    let pair = ours.tokens(&browser);
    let caller = ours.call(&pair);
    let form = caller.form(json!([{"type": "short_text", "label": "Name"}]));
    assert_eq!(caller.get(form.path()).status, 200);
    let refused = caller.get(form.entries());
    assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    assert_eq!(refused.header("www-authenticate"), "Bearer error=\"insufficient_scope\", scope=\"entry:read\"");
    assert_eq!(caller.delete(form.path()).status, 403);
    let twice = caller.header("authorization", &format!("Bearer {}", pair.access));
    assert_eq!(twice.get("/api/v1/me").status, 400);
    let query = server.anon().get(format!("/api/v1/me?access_token={}", pair.access));
    assert_eq!(query.status, 401);
}

#[test]
fn what_ends_ends_at_once() {
    let server = Server::shared();
    // Each of them after the token was used, so that nothing of it is remembered.
    let used = || {
        let made = set(server);
        assert_eq!(me(server, &made.3.access).status, 200);
        made
    };
    let (ours, _, _, pair) = used();
    assert_eq!(ours.post(REVOKE, &[("token", &pair.access)]).status, 200);
    is_refused(server, &pair.access, "revoked by the access token");
    assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_grant");

    let (ours, _, _, pair) = used();
    let next = Pair::of(&ours.refresh(&pair.refresh));
    assert_eq!(ours.post(REVOKE, &[("token", &next.refresh)]).status, 200);
    is_refused(server, &pair.access, "revoked by the refresh token");
    is_refused(server, &next.access, "revoked by the refresh token");

    let (ours, _, email, pair) = used();
    assert!(server.run(&["user", "disable", &email]).status.success());
    is_refused(server, &pair.access, "the user is disabled");
    assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_grant");

    let (ours, _, email, pair) = used();
    let code = ours.code(&Session::on(server).signed_in(&email));
    let gone = server.run(&["user", "delete", &email, "--yes"]);
    assert!(gone.status.success(), "{}", text(&gone.stderr));
    is_refused(server, &pair.access, "the user is deleted");
    assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_grant");
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");

    let (ours, _, _, pair) = used();
    let gone = server.run(&["app", "delete", &ours.id, "--yes"]);
    assert!(gone.status.success(), "{}", text(&gone.stderr));
    is_refused(server, &pair.access, "the app is removed");
    assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_client");
}

#[test]
fn a_new_key_signs_and_the_old_one_verifies_for_two_hours() {
    let server = Server::alone("its database is changed");
    let (ours, _, _, old) = set(&server);
    let kids = || -> Vec<String> {
        let jwks = server.anon().get("/api/v1/oauth/jwks").json();
        let keys = jwks["keys"].as_array().expect("keys").clone();
        keys.iter().map(|key| key["kid"].as_str().expect("a name").to_owned()).collect()
    };
    let first = kids();
    assert_eq!(first.len(), 1);
    let rotated = server.run(&["keys", "rotate"]);
    assert!(rotated.status.success(), "{}", text(&rotated.stderr));
    let second = text(&rotated.stdout).trim().to_owned();
    assert_eq!(kids(), [second.clone(), first[0].clone()]);
    // At once, beside the server.
    let new = Pair::of(&ours.refresh(&old.refresh));
    assert_eq!(part(&new.access, 0)["kid"], second);
    for pair in [&old, &new] {
        assert_eq!(me(&server, &pair.access).status, 200);
    }
    let files = key_files(&server);
    assert_eq!(files.len(), 1, "what signs no more is not kept");
    assert!(files[0].ends_with(format!("signing-{second}")));
    let mode = fs::metadata(&files[0]).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    age(&server, "UPDATE signing_keys SET retired_at = retired_at - 7190000 WHERE retired_at > 0");
    assert_eq!(me(&server, &old.access).status, 200);
    age(&server, "UPDATE signing_keys SET retired_at = retired_at - 11000 WHERE retired_at > 0");
    is_refused(&server, &old.access, "its key is too old");
    assert_eq!(me(&server, &new.access).status, 200);
    assert_eq!(kids(), std::slice::from_ref(&second));
    let swept = server.run(&["jobs", "run-once", "signing-keys", "--json"]);
    assert_eq!(text(&swept.stdout).trim(), r#"[{"job":"signing-keys","done":1}]"#);
    is_refused(&server, &old.access, "its key is gone");

    // After ninety days, by itself.
    age(&server, "UPDATE signing_keys SET created_at = created_at - 89 * 86400000");
    assert_eq!(kids(), std::slice::from_ref(&second));
    age(&server, "UPDATE signing_keys SET created_at = created_at - 86400000");
    let swept = server.run(&["jobs", "run-once", "signing-keys", "--json"]);
    assert_eq!(text(&swept.stdout).trim(), r#"[{"job":"signing-keys","done":1}]"#);
    let after = kids();
    assert_eq!((after.len(), &after[1]), (2, &second));
    let newest = Pair::of(&ours.refresh(&new.refresh));
    assert_eq!(part(&newest.access, 0)["kid"], after[0]);
    assert_eq!(me(&server, &new.access).status, 200);

    // A lost key is replaced; tokens that it signed are still valid.
    for file in key_files(&server) {
        fs::remove_file(file).expect("removes");
    }
    let last = Pair::of(&ours.refresh(&newest.refresh));
    assert_eq!(me(&server, &last.access).status, 200);
}

#[test]
fn keys_that_change_all_at_once_leave_one_that_signs_and_no_token_dead() {
    let server = Server::alone("its database is changed");
    let sets: Vec<_> = (0..3).map(|_| set(&server)).collect();
    let made = at_once(6, |n| match sets.get(n) {
        Some((ours, _, _, pair)) => {
            let mut pairs = vec![pair.clone()];
            for _ in 0..8 {
                let last = pairs.last().expect("one");
                pairs.push(Pair::of(&ours.refresh(&last.refresh)));
            }
            pairs
        }
        None => {
            for _ in 0..3 {
                let rotated = server.run(&["keys", "rotate"]);
                assert!(rotated.status.success(), "{}", text(&rotated.stderr));
            }
            Vec::new()
        }
    });
    let pairs: Vec<&Pair> = made.iter().flatten().collect();
    assert_eq!(pairs.len(), 27);
    for pair in pairs {
        assert_eq!(me(&server, &pair.access).status, 200);
    }
    assert_eq!(count(&server, "signing_keys WHERE retired_at IS NULL"), 1);
    assert_eq!(count(&server, "signing_keys"), 10);
    assert_eq!(key_files(&server).len(), 1);
}

#[test]
fn a_key_is_there_from_the_start_and_shows_its_public_half_alone() {
    let server = Server::with(&[]);
    let jwks = server.anon().get("/api/v1/oauth/jwks");
    assert_eq!(jwks.status, 200);
    let keys = jwks.json()["keys"].as_array().expect("keys").clone();
    assert_eq!(keys.len(), 1);
    let mut names: Vec<&String> = keys[0].as_object().expect("a key").keys().collect();
    names.sort();
    assert_eq!(names, ["alg", "crv", "kid", "kty", "use", "x"]);
    let x = URL_SAFE_NO_PAD.decode(keys[0]["x"].as_str().expect("x")).expect("base64url");
    assert_eq!(x, key(&server).public_key().as_ref());
}

#[test]
fn the_limit_of_requests_is_the_grants_own() {
    let server = Server::with(&["--limit-api", "3"]);
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let (one, other) = (ours.tokens(&browser), ours.tokens(&browser));
    for left in ["2", "1", "0"] {
        let answer = me(&server, &one.access);
        assert_eq!(answer.header("ratelimit-remaining"), left);
    }
    // The next token of the same grant is no way round it.
    let next = Pair::of(&ours.refresh(&one.refresh));
    assert_eq!(me(&server, &next.access).status, 429);
    assert_eq!(me(&server, &other.access).status, 200);
}
