//! Redirect addresses of OAuth clients: which may be registered, which a request may name, and how answers are appended
//! to them (S29, S37).

use url::Url;

use crate::base::error::OAuthCode;
use crate::base::reason::{Expected, Reason};

const LONGEST: usize = 2_048;
/// Loopback hosts. Their port may differ in each request, because an app listens on any free port (RFC 8252 section
/// 7.3).
const LOOPBACK: [&str; 2] = ["http://127.0.0.1", "http://[::1]"];

/// Checks whether an address may be registered.
///
/// # Errors
/// Why it may not, as a phrase that follows the parameter's name.
pub fn check(text: &str) -> Result<(), Reason> {
    if text.len() > LONGEST {
        return Err(Reason::TooLong { most: LONGEST });
    }
    let Ok(url) = Url::parse(text) else {
        return Err(Reason::MustBe(Expected::Other("an absolute address")));
    };
    let is_local = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    match url.scheme() {
        "https" => {}
        "http" if is_local => {}
        "http" => {
            return Err(Reason::MustBe(Expected::Other("https, unless it is on 127.0.0.1 or [::1]")));
        }
        scheme if scheme.contains('.') => {}
        _ => {
            return Err(Reason::MustBe(Expected::Other("https, or have a scheme with a dot such as com.example.app")));
        }
    }
    if text.contains('#') {
        return Err(Reason::other("must have no fragment"));
    }
    if !url.username().is_empty() || url.password().is_some() || authority(text).contains('@') {
        return Err(Reason::other("must have no user in it"));
    }
    if text.contains('*') {
        return Err(Reason::other("must have no wildcard"));
    }
    // Addresses are compared as text later, so only the normalized spelling is accepted. An empty path may stay empty.
    let normal = url.as_str();
    if normal != text && normal.strip_suffix('/') != Some(text) {
        return Err(Reason::other(format!("must be written as {normal}")));
    }
    Ok(())
}

fn authority(text: &str) -> &str {
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether the requested address equals a registered one. The port of a loopback address is not compared.
pub fn is_registered(registered: &[String], asked: &str) -> bool {
    registered.iter().any(|known| known == asked || portless(known).is_some_and(|known| portless(asked) == Some(known)))
}

/// Splits a loopback address into its host and the part after the port.
fn portless(text: &str) -> Option<(&'static str, &str)> {
    let (host, rest) = LOOPBACK.iter().find_map(|host| Some((*host, text.strip_prefix(host)?)))?;
    let Some(port) = rest.strip_prefix(':') else {
        let ends = rest.is_empty() || rest.starts_with(['/', '?']);
        return ends.then_some((host, rest));
    };
    let end = port.find(|c: char| !c.is_ascii_digit()).unwrap_or(port.len());
    let (port, rest) = port.split_at(end);
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let ends = rest.is_empty() || rest.starts_with(['/', '?']);
    (is_port && ends).then_some((host, rest))
}

/// Name of a redirect address on the consent page: its host, or its private-use scheme.
pub fn display_name(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else {
        return redirect_uri.to_owned();
    };
    match url.host_str() {
        Some(host) if url.scheme().starts_with("http") => host.to_owned(),
        _ => url.scheme().to_owned(),
    }
}

/// The redirect that answers an authorization request.
pub struct Back<'a> {
    /// A registered address of the client.
    pub redirect_uri: &'a str,
    /// The client's `state`, returned unchanged.
    pub state: Option<&'a str>,
    /// The issuer, by which a client of several servers tells their answers apart (RFC 9207).
    pub issuer: &'a str,
}

impl Back<'_> {
    /// The address with a code.
    pub fn code(&self, code: &str) -> String {
        self.with(&[("code", code)])
    }

    /// The address with an error.
    pub fn error(&self, code: OAuthCode, description: &str) -> String {
        self.with(&[("error", code.name()), ("error_description", description)])
    }

    fn with(&self, pairs: &[(&str, &str)]) -> String {
        // Registered addresses are valid URLs.
        let Ok(mut url) = Url::parse(self.redirect_uri) else {
            return self.redirect_uri.to_owned();
        };
        let state = self.state.map(|state| ("state", state));
        url.query_pairs_mut().extend_pairs(pairs).extend_pairs(state).append_pair("iss", self.issuer);
        url.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::base::cases::cases;

    use super::*;

    #[test]
    fn what_may_be_registered() {
        for good in [
            "https://example.org/cb",
            "https://example.org",
            "https://example.org/cb?a=1",
            "https://example.org:8443/cb",
            "http://127.0.0.1/cb",
            "http://127.0.0.1:3000/cb",
            "http://[::1]/cb",
            "http://localhost:3000/cb",
            "com.example.app:/cb",
            "com.example.app://cb",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/cb",
            "example.org/cb",
            "http://example.org/cb",
            "http://127.0.0.1.example.org/cb",
            "https://example.org/cb#x",
            "https://example.org/cb#",
            "https://me@example.org/cb",
            "https://me:pw@example.org/cb",
            "https://@example.org/cb",
            "https://*.example.org/cb",
            "https://example.org/*",
            "https://Example.org/cb",
            "https://example.org/a/../cb",
            "https://example.org:443/cb",
            "https:example.org/cb",
            "https://example.org\\cb",
            "https://example.org/\ncb",
            " https://example.org/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "myapp:/cb",
            &format!("https://example.org/{}", "x".repeat(LONGEST)),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_very_text_is_registered_and_loopback_with_any_port() {
        let web = ["https://example.org/cb".to_owned()];
        assert!(is_registered(&web, "https://example.org/cb"));
        for other in [
            "",
            "https://example.org/cb/",
            "https://example.org/CB",
            "https://EXAMPLE.org/cb",
            "https://example.org/c%62",
            "https://example.org/%2e/cb",
            "https://example.org/cb?x=1",
            "https://example.org/cb#x",
            "https://example.org:443/cb",
            "https://me@example.org/cb",
            "https://www.example.org/cb",
            "https://example.org.evil.example/cb",
            "https://evil.example/https://example.org/cb",
            "http://example.org/cb",
            " https://example.org/cb",
        ] {
            assert!(!is_registered(&web, other), "{other}");
        }
        let local = ["http://127.0.0.1/cb".to_owned(), "http://[::1]:1/cb".to_owned()];
        for good in [
            "http://127.0.0.1/cb",
            "http://127.0.0.1:1/cb",
            "http://127.0.0.1:65535/cb",
            "http://[::1]/cb",
            "http://[::1]:50000/cb",
        ] {
            assert!(is_registered(&local, good), "{good}");
        }
        for bad in [
            "http://127.0.0.1:0/cb",
            "http://127.0.0.1:65536/cb",
            "http://127.0.0.1:/cb",
            "http://127.0.0.1:80x/cb",
            "http://127.0.0.1:80@evil.example/cb",
            "http://127.0.0.1.evil.example/cb",
            "http://127.0.0.1@evil.example/cb",
            "http://127.0.0.1/",
            "http://127.0.0.1/cb/",
            "http://127.0.0.2/cb",
            "http://localhost/cb",
            "https://127.0.0.1/cb",
        ] {
            assert!(!is_registered(&local, bad), "{bad}");
        }
        let named = ["http://localhost:3000/cb".to_owned()];
        assert!(is_registered(&named, "http://localhost:3000/cb"));
        assert!(!is_registered(&named, "http://localhost:3001/cb"));
    }

    #[test]
    fn what_goes_back_is_put_behind_what_was_there() {
        let back = |redirect_uri, state| Back { redirect_uri, state, issuer: "https://forms.example" }.code("c");
        assert_eq!(
            back("https://example.org/cb?a=%2F&b", Some("x y&z=1\r\n\"")),
            "https://example.org/cb?a=%2F&b&code=c&state=x+y%26z%3D1%0D%0A%22\
             &iss=https%3A%2F%2Fforms.example"
        );
        assert_eq!(back("com.example.app:/cb", None), "com.example.app:/cb?code=c&iss=https%3A%2F%2Fforms.example");
        assert_eq!(display_name("https://example.org:8443/cb"), "example.org");
        assert_eq!(display_name("com.example.app:/cb"), "com.example.app");
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn any_state_comes_back_as_it_was(state in "\\PC{1,60}") {
            let back = Back {
                redirect_uri: "https://example.org/cb?a=1",
                state: Some(&state),
                issuer: "https://forms.example",
            };
            let url = Url::parse(&back.code("c")).expect("an address");
            let found = url.query_pairs().find(|(name, _)| name == "state");
            prop_assert_eq!(found.map(|(_, value)| value.into_owned()), Some(state));
        }

        #[test]
        fn no_text_is_registered_that_leads_elsewhere(text in "(http://(127\\.0\\.0\\.1|\\[::1\\]))?[:@/?#a-z0-9.%\\\\]{0,20}") {
            let registered = ["http://127.0.0.1/cb".to_owned(), "http://[::1]/cb".to_owned()];
            if is_registered(&registered, &text) {
                let url = Url::parse(&text).expect("an address");
                prop_assert!(matches!(url.host_str(), Some("127.0.0.1" | "[::1]")), "{}", text);
                prop_assert_eq!(url.path(), "/cb");
            }
        }
    }
}
