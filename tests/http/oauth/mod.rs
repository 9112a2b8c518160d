//! The OAuth provider from outside (security statements S28 to S38): an application, a browser, and their exchanges.

mod authorize;
mod clients;
mod codes;
mod commands;
mod consent;
mod metadata;
mod refresh;
mod secrets;
mod tokens;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use serde_json::Value;
use support::session::{Session, account};
use support::{Caller, Response, Server, store, text};
use url::Url;

pub const AUTHORIZE: &str = "/api/v1/oauth/authorize";
pub const TOKEN: &str = "/api/v1/oauth/token";
pub const REVOKE: &str = "/api/v1/oauth/revoke";
pub const REDIRECT: &str = "https://app.example.com/callback";
/// The example of RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A registered application.
pub struct App<'s> {
    pub server: &'s Server,
    pub id: String,
    pub secret: Option<String>,
}

/// Pairs that an address or a body is made of.
pub type Pairs<'a> = Vec<(&'a str, &'a str)>;

/// Registers an application that may ask for everything, with more flags.
pub fn app<'s>(server: &'s Server, flags: &[&str]) -> App<'s> {
    let args = ["app", "create", "--json", "--name", "Example App"];
    let args = [&args, &["--redirect-uri", REDIRECT][..], flags].concat();
    let made = server.run(&args);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    App {
        server,
        id: made["client_id"].as_str().expect("an id").to_owned(),
        secret: made["client_secret"].as_str().map(str::to_owned),
    }
}

/// Somebody new, signed in.
pub fn somebody(server: &Server) -> (Session, String) {
    static PEOPLE: AtomicU32 = AtomicU32::new(1);
    let number = PEOPLE.fetch_add(1, Ordering::Relaxed);
    let email = format!("oauth{number}@example.org");
    account(server, &email);
    (Session::on(server).signed_in(&email), email)
}

impl App<'_> {
    /// The parameters of a request for access.
    pub fn asks(&self) -> Pairs<'_> {
        vec![
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("state", "a state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ]
    }

    /// Where a browser is sent.
    pub fn address(&self) -> String {
        address(&self.asks())
    }

    /// Where the browser comes back to after its user allowed it.
    pub fn allowed(&self, browser: &Session) -> Back {
        allowed(browser, &self.asks())
    }

    /// A new code.
    pub fn code(&self, browser: &Session) -> String {
        self.allowed(browser).code()
    }

    /// How it says in a body which one it is.
    pub fn credentials(&self) -> Pairs<'_> {
        let secret = self.secret.as_deref();
        let secret = secret.map(|secret| ("client_secret", secret));
        [("client_id", self.id.as_str())].into_iter().chain(secret).collect()
    }

    /// Posts to an endpoint with the application's credentials.
    pub fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Response {
        let pairs = [self.credentials(), pairs.to_vec()].concat();
        self.server.anon().post_form(path, &pairs)
    }

    /// Exchanges a code.
    pub fn exchange(&self, code: &str) -> Response {
        self.post(TOKEN, &exchange(code))
    }

    /// Goes all the way.
    pub fn tokens(&self, browser: &Session) -> Pair {
        Pair::of(&self.exchange(&self.code(browser)))
    }

    /// Uses a refresh token.
    pub fn refresh(&self, token: &str) -> Response {
        self.post(TOKEN, &[("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// Calls the API with an access token.
    pub fn call(&self, pair: &Pair) -> Caller {
        self.server.anon().with_token(&pair.access)
    }
}

/// The parameters of the exchange of a code.
pub fn exchange(code: &str) -> Pairs<'_> {
    vec![("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER), ("redirect_uri", REDIRECT)]
}

/// An access and a refresh token.
#[derive(Clone)]
pub struct Pair {
    pub access: String,
    pub refresh: String,
    pub scope: String,
}

impl Pair {
    pub fn of(answer: &Response) -> Self {
        assert_eq!(answer.status, 200, "{answer}");
        let body = answer.json();
        let text = |key: &str| body[key].as_str().expect("text").to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token"), scope: text("scope") }
    }
}

/// The authorization endpoint with these pairs.
pub fn address(pairs: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    format!("{AUTHORIZE}?{}", query.extend_pairs(pairs).finish())
}

/// These pairs, with one of them changed, or without it.
pub fn but<'a>(pairs: &[(&'a str, &'a str)], name: &'a str, value: Option<&'a str>) -> Pairs<'a> {
    let others = pairs.iter().copied().filter(|(key, _)| *key != name);
    others.chain(value.map(|value| (name, value))).collect()
}

/// Goes to the consent page and grants the request; or comes back at once where nothing is asked.
pub fn allowed(browser: &Session, pairs: &[(&str, &str)]) -> Back {
    let page = browser.get(&address(pairs));
    if page.status == 303 {
        return Back::of(&page);
    }
    decide(browser, &page, "approve")
}

/// Presses a button of the consent page.
pub fn decide(browser: &Session, page: &Response, decision: &str) -> Back {
    assert_eq!(page.status, 200, "{page}");
    Back::of(&browser.post(AUTHORIZE, &[("resume", &resume(page)), ("decision", decision)]))
}

/// The request that the consent page carries.
pub fn resume(page: &Response) -> String {
    let (_, rest) =
        page.text.split_once(r#"name="resume" value=""#).unwrap_or_else(|| panic!("no consent page: {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// The redirect of a browser, with its parameters.
#[derive(Debug)]
pub struct Back {
    pub to: String,
    pub with: BTreeMap<String, String>,
}

impl Back {
    pub fn of(answer: &Response) -> Self {
        assert_eq!(answer.status, 303, "{answer}");
        let url =
            Url::parse(answer.header("location")).unwrap_or_else(|e| panic!("{e}: {}", answer.header("location")));
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let with: BTreeMap<String, String> = pairs.iter().cloned().collect();
        assert_eq!(with.len(), pairs.len(), "each once: {pairs:?}");
        let mut to = url;
        to.set_query(None);
        Self { to: to.into(), with }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.with.get(name).map(String::as_str)
    }

    pub fn code(&self) -> String {
        let code = self.get("code");
        code.unwrap_or_else(|| panic!("no code: {self:?}")).to_owned()
    }
}

/// The name of an OAuth error, after its body was looked at.
pub fn error(answer: &Response) -> String {
    let body = answer.json();
    let keys: Vec<&String> = body.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["error", "error_description"], "{answer}");
    assert!(!body["error_description"].as_str().expect("text").is_empty());
    assert_eq!(answer.header("cache-control"), "no-store");
    let name = body["error"].as_str().expect("a name");
    let status = if name == "invalid_client" { 401 } else { 400 };
    assert_eq!(answer.status, status, "{answer}");
    name.to_owned()
}

pub fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// Changes times in the database.
pub fn age(server: &Server, sql: &str) {
    let changed = database(server).execute(sql, []).expect("ages");
    assert!(changed > 0, "{sql}");
}

pub fn database(server: &Server) -> Connection {
    store::database(&server.dir)
}

pub fn count(server: &Server, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let count = database(server).query_row(&sql, [], |row| row.get(0));
    count.expect("a number")
}
