//! The provider's metadata matches its behaviour (S37).

use serde_json::json;
use support::{Server, raw};

use crate::oauth::{app, somebody};

const WELL_KNOWN: &str = "/.well-known/oauth-authorization-server";

#[test]
fn it_names_every_address_and_ability() {
    let server = Server::shared();
    let answer = server.anon().get(WELL_KNOWN);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let base = &server.base;
    let methods = json!(["client_secret_basic", "client_secret_post", "none"]);
    assert_eq!(
        answer.json(),
        json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/api/v1/oauth/authorize"),
            "token_endpoint": format!("{base}/api/v1/oauth/token"),
            "jwks_uri": format!("{base}/api/v1/oauth/jwks"),
            "scopes_supported": [
                "form:read", "form:write", "form:delete", "entry:read", "entry:write",
                "entry:delete", "form:respond", "integration:read", "integration:write",
            ],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint": format!("{base}/api/v1/oauth/revoke"),
            "revocation_endpoint_auth_methods_supported": methods,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "service_documentation": format!("{base}/docs"),
        })
    );
    for address in ["service_documentation", "jwks_uri"] {
        let named = answer.json()[address].as_str().expect("an address").to_owned();
        assert_eq!(server.anon().get(&named[base.len()..]).status, 200, "{named}");
    }
    assert_eq!(server.anon().get(format!("{WELL_KNOWN}/forms")).status, 404);
}

#[test]
fn a_base_address_with_a_path_stands_in_both_places() {
    let base = "http://127.0.0.1:9/a/forms";
    let server = Server::with(&["--rate-limits", "off", "--base-url", base]);
    for path in [format!("/a/forms{WELL_KNOWN}"), format!("{WELL_KNOWN}/a/forms")] {
        let answer = server.anon().get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.json()["issuer"], base);
        assert_eq!(answer.json()["token_endpoint"], format!("{base}/api/v1/oauth/token"));
    }
    for path in [
        WELL_KNOWN.to_owned(),
        format!("{WELL_KNOWN}/a"),
        format!("{WELL_KNOWN}/forms"),
        format!("{WELL_KNOWN}/b/forms"),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let answer = raw::exchange(&server.base, request.as_bytes());
        assert_eq!(raw::statuses(&answer), ["404"], "{path}");
    }
    // The address itself leads home, with its slash and without.
    for path in ["/a/forms", "/a/forms/"] {
        let home = server.anon().get(path);
        assert_eq!(home.header("location"), "/a/forms/sign-in", "{path}");
    }
    // A user who must sign in comes back below that path.
    let ours = app(&server, &[]);
    let led = server.anon().get(format!("/a/forms{}", ours.address()));
    let to = led.header("location");
    let start = "/a/forms/sign-in?next=%2Fa%2Fforms%2Fapi%2Fv1%2Foauth%2Fauthorize%3Fresume%3D";
    assert!(to.starts_with(start), "{to}");
    let back =
        server.anon().get(format!("/a/forms{}&response_type=token", ours.address().replace("response_type=code&", "")));
    let to = back.header("location");
    assert!(to.ends_with("&iss=http%3A%2F%2F127.0.0.1%3A9%2Fa%2Fforms"), "{to}");
}

#[test]
fn tokens_of_another_address_are_of_no_use() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let pair = ours.tokens(&browser);
    assert_eq!(ours.call(&pair).get("/api/v1/me").status, 200);
    server.kill();
    let other = Server::over(dir.path(), &["--rate-limits", "off", "--base-url", "http://127.0.0.1:9"]);
    let caller = other.anon().with_token(&pair.access);
    assert_eq!(caller.get("/api/v1/me").status, 401);
    let ours = super::App { server: &other, ..ours };
    let next = super::Pair::of(&ours.refresh(&pair.refresh));
    assert_eq!(ours.call(&next).get("/api/v1/me").status, 200, "grants live on");
}
