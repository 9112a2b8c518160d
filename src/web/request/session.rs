//! Sessions in the browser: cookies (S19), CSRF tokens bound to them (S20), and the redirect after sign-in (S21).

use url::Url;
use warp::http::{Method, header};

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::secret::{self, Purpose};
use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::user_agent::UserAgent;
use crate::ops::accounts::sessions;
use crate::ops::accounts::sign_in::SignedIn;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// The session cookie.
const SESSION: &str = "formsvc_session";
/// The cookie that CSRF tokens before sign-in are bound to.
const VISIT: &str = "formsvc_visit";
/// The cookie that identifies a known browser at the next sign-in.
const DEVICE: &str = "formsvc_device";

const DEVICE_SECS: i64 = 365 * 86_400;
/// Longer cookies are not ours.
const LONGEST_COOKIE: usize = 128;

/// The caller of the session cookie, or a redirect to sign in. A post without the session's CSRF token, or from
/// another site, is refused.
pub fn caller(call: &Call) -> Result<std::result::Result<Caller, Reply>> {
    match optional_caller(call)? {
        Some(caller) => {
            if *call.method == Method::POST {
                check(call, &binding(SESSION, cookie_value(call).unwrap_or_default()))?;
            }
            Ok(Ok(caller))
        }
        None if call.header("accept").is_some_and(|accept| accept.starts_with("application/json")) => {
            // A script has a page to keep: it asks for the sign-in by itself.
            Err(Error::Unauthenticated { sent: false })
        }
        None => Ok(Err(to_sign_in(call).into())),
    }
}

/// The signed-in caller, if any.
pub fn optional_caller(call: &Call) -> Result<Option<Caller>> {
    match cookie_value(call) {
        Some(text) => sessions::resume(call.app, text),
        None => Ok(None),
    }
}

/// The session cookie's value. Pages within other pages read none (S9).
pub fn cookie_value<'a>(call: &'a Call) -> Option<&'a str> {
    cookie(call, SESSION).filter(|_| call.query("embed").as_deref() != Some("1"))
}

/// The browser's name for itself.
pub fn agent(call: &Call) -> UserAgent {
    UserAgent::of(call.header("user-agent").unwrap_or_default())
}

/// The device cookie of an earlier sign-in.
pub fn device<'a>(call: &'a Call) -> Option<&'a str> {
    cookie(call, DEVICE)
}

fn cookie<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.cookie(&full_name(&call.app.config, name)).filter(|value| !value.is_empty() && value.len() <= LONGEST_COOKIE)
}

/// Browsers accept the `__Host-` prefix only with `Secure`, the path `/`, and from this host.
fn full_name(config: &Config, name: &str) -> String {
    if config.is_https() { format!("__Host-{name}") } else { name.to_owned() }
}

fn set_cookie(config: &Config, name: &str, value: &str, secs: Option<i64>) -> String {
    let name = full_name(config, name);
    let secure = if config.is_https() { " Secure;" } else { "" };
    let age = secs.map_or_else(String::new, |secs| format!("; Max-Age={secs}"));
    format!("{name}={value};{secure} HttpOnly; SameSite=Lax; Path=/{age}")
}

/// Adds the cookies of a new session to the answer.
pub fn begin(config: &Config, answer: Answer, signed_in: &SignedIn) -> Answer {
    let session = set_cookie(config, SESSION, signed_in.session.reveal(), None);
    let device = set_cookie(config, DEVICE, &signed_in.device, Some(DEVICE_SECS));
    let visit = set_cookie(config, VISIT, "", Some(0));
    answer.header(header::SET_COOKIE, &session).header(header::SET_COOKIE, &device).header(header::SET_COOKIE, &visit)
}

/// Removes the session cookie.
pub fn end(config: &Config, answer: Answer) -> Answer {
    let gone = set_cookie(config, SESSION, "", Some(0));
    answer.header(header::SET_COOKIE, &gone)
}

/// The value that a CSRF token is bound to: the hash of a cookie's name and value.
struct Binding([u8; 32]);

fn binding(name: &str, value: &str) -> Binding {
    Binding(secret::hash_parts(&[name.as_bytes(), value.as_bytes()]))
}

/// The CSRF token of pages after sign-in.
pub fn csrf(call: &Call) -> String {
    token(call, &binding(SESSION, cookie_value(call).unwrap_or_default()))
}

fn token(call: &Call, binding: &Binding) -> String {
    call.app.keys().sign(Purpose::Csrf, &[&binding.0])
}

/// A visit before sign-in: its forms are bound to a cookie of its own.
pub struct Visit {
    value: String,
    is_new: bool,
}

impl Visit {
    /// The browser's visit, or a new one.
    pub fn of(call: &Call) -> Self {
        match cookie(call, VISIT) {
            Some(value) => Self { value: value.to_owned(), is_new: false },
            None => Self { value: secret::random_text().reveal().to_owned(), is_new: true },
        }
    }

    pub fn csrf(&self, call: &Call) -> String {
        token(call, &binding(VISIT, &self.value))
    }

    /// Adds the cookie to the answer if the browser has none yet.
    pub fn keep(&self, config: &Config, answer: Answer) -> Answer {
        if self.is_new {
            let cookie = set_cookie(config, VISIT, &self.value, None);
            answer.header(header::SET_COOKIE, &cookie)
        } else {
            answer
        }
    }
}

/// Checks that a post before sign-in comes from our own page in this browser.
pub fn check_visit(call: &Call) -> Result<()> {
    let value = cookie(call, VISIT).ok_or(Error::StalePage)?;
    check(call, &binding(VISIT, value))
}

/// Whether the post comes from a page under another address than the configured one: no browser can sign in there.
pub fn is_elsewhere(call: &Call) -> bool {
    let origin = call.header("origin");
    origin.is_some_and(|origin| origin != "null" && origin != call.app.config.origin())
        && call.header("sec-fetch-site").is_none()
}

/// Whether a post comes from our own page in this session, with this CSRF token.
pub fn is_ours(call: &Call, sent: Option<&str>) -> bool {
    let binding = binding(SESSION, cookie_value(call).unwrap_or_default());
    is_bound(call, &binding, sent)
}

fn check(call: &Call, binding: &Binding) -> Result<()> {
    let sent = call.form().into_iter().find(|(name, _)| name == "csrf");
    if is_bound(call, binding, sent.as_ref().map(|(_, sent)| sent.as_str())) { Ok(()) } else { Err(Error::StalePage) }
}

fn is_bound(call: &Call, binding: &Binding, sent: Option<&str>) -> bool {
    let is_ours = match call.header("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => call.header("origin") == Some(call.app.config.origin()),
    };
    let keys = call.app.keys();
    is_ours && sent.is_some_and(|sent| keys.verify(Purpose::Csrf, &[&binding.0], sent))
}

/// Redirects to the sign-in page, and from there back to the requested page.
pub fn to_sign_in(call: &Call) -> Answer {
    if *call.method == Method::GET && call.path != "/" {
        Answer::see_other(&sign_in_and_back(call))
    } else {
        to_page(&call.app.config, "/sign-in")
    }
}

/// The address of the sign-in page that leads back to this call's address.
pub fn sign_in_and_back(call: &Call) -> String {
    let wanted = address(call);
    let next: String = url::form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    format!("{}/sign-in?next={next}", call.app.config.base_path())
}

/// This call's address, as path and query.
pub fn address(call: &Call) -> String {
    let base = call.app.config.base_path();
    let query = if call.query.is_empty() { String::new() } else { format!("?{}", call.query) };
    format!("{base}{}{query}", call.path)
}

/// Redirects to a page of the service; `path` begins with a slash.
pub fn to_page(config: &Config, path: &str) -> Answer {
    Answer::see_other(&format!("{}{path}", config.base_path()))
}

/// The page that `next` names, as path and query; `None` if it is not certainly one of ours (S21).
pub fn next(config: &Config, next: &str) -> Option<String> {
    let lower = next.to_ascii_lowercase();
    let is_odd = next.contains('\\')
        || next.contains(|c: char| c.is_control())
        || ["%5c", "%00", "%09", "%0a", "%0d"].iter().any(|odd| lower.contains(odd));
    if !next.starts_with('/') || next.starts_with("//") || is_odd {
        return None;
    }
    let base = Url::parse(&config.base_url).ok()?;
    let url = base.join(next).ok()?;
    let path = url.path();
    let is_ours = url.origin() == base.origin()
        && !path.starts_with("//")
        && path.strip_prefix(config.base_path())?.starts_with('/');
    let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
    is_ours.then(|| format!("{path}{query}"))
}

/// The texts of a page before sign-in.
pub fn visitor_texts(call: &Call) -> &'static Texts {
    texts::texts(call.header("accept-language").unwrap_or("en"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn config(base_url: &str) -> Config {
        Config::sample(Path::new("/nowhere"), base_url)
    }

    #[test]
    fn only_our_own_pages_are_next() {
        let ours = config("https://example.org");
        for good in ["/", "/profile", "/profile?saved=1", "/f/x/done?a=%2Fb"] {
            assert_eq!(next(&ours, good).as_deref(), Some(good));
        }
        for bad in [
            "",
            "//e",
            "/\\e",
            "/\t/e",
            "/%09/e",
            "/%5Ce",
            "https:e",
            "https://e",
            "/..//e",
            "/.//e",
            "profile",
            "javascript:x",
            "\n/profile",
        ] {
            assert_eq!(next(&ours, bad), None, "{bad:?}");
        }
        let below = config("https://example.org/forms");
        assert_eq!(next(&below, "/forms/profile").as_deref(), Some("/forms/profile"));
        for bad in ["/profile", "/formsx", "/forms/../profile", "/forms//../..//e"] {
            assert_eq!(next(&below, bad), None, "{bad:?}");
        }
    }

    #[test]
    fn cookies_are_the_hosts_where_the_address_is_https() {
        let cookie = |base: &str| set_cookie(&config(base), SESSION, "x", None);
        assert_eq!(cookie("https://example.org"), "__Host-formsvc_session=x; Secure; HttpOnly; SameSite=Lax; Path=/");
        assert_eq!(cookie("http://127.0.0.1:1"), "formsvc_session=x; HttpOnly; SameSite=Lax; Path=/");
    }
}
