//! Parsers of setting values, for flags, variables and the config file. Error messages follow the setting's name.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use rustls::pki_types::DnsName;
use serde::Serialize;
use url::{Host, Url};

use crate::base::config::{AccessLog, Checkpoints};
use crate::model::scope::Scope;
use crate::model::user::{OrganizationRole, Plan};
use crate::ops::accounts::users;
use crate::ops::exams::certificates::extra_fonts;
use crate::ops::transfer::exports::{Format, Headers};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    /// One JSON object per line.
    Json,
}

/// Each level includes those above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

const FORMATS: [(&str, LogFormat); 2] = [("text", LogFormat::Text), ("json", LogFormat::Json)];
const LEVELS: [(&str, LogLevel); 5] = [
    ("error", LogLevel::Error),
    ("warn", LogLevel::Warn),
    ("info", LogLevel::Info),
    ("debug", LogLevel::Debug),
    ("trace", LogLevel::Trace),
];
const ACCESS_LOGS: [(&str, AccessLog); 3] =
    [("on", AccessLog::On), ("off", AccessLog::Off), ("address", AccessLog::Address)];
const CHECKPOINTS: [(&str, Checkpoints); 2] = [("own", Checkpoints::Own), ("external", Checkpoints::External)];
const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];
const TRUTH: [(&str, bool); 4] = [("true", true), ("false", false), ("1", true), ("0", false)];

fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        format!("must be {}", names.join(" or "))
    })
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LEVELS.iter().find(|(_, known)| known == self).map_or("", |(name, _)| name))
    }
}

/// A folder that can be read.
pub fn fonts_dir(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match extra_fonts::unreadable(&path) {
        None => Ok(path),
        Some(error) => Err(format!("must be a folder that can be read: {error}")),
    }
}

/// `csv`, `xlsx` or `json`.
pub fn export_format(text: &str) -> Result<Format, String> {
    word(text, &Format::ALL)
}

/// `labels` or `api_codes`.
pub fn export_headers(text: &str) -> Result<Headers, String> {
    word(text, &Headers::ALL)
}

/// `text` or `json`.
pub fn log_format(text: &str) -> Result<LogFormat, String> {
    word(text, &FORMATS)
}

/// `error` to `trace`.
pub fn log_level(text: &str) -> Result<LogLevel, String> {
    word(text, &LEVELS)
}

/// `on` or `off`; also TOML's `true` and `false`.
pub fn on_off(text: &str) -> Result<bool, String> {
    word(text, &SWITCH).or_else(|fault| word(text, &TRUTH[..2]).map_err(|_| fault))
}

/// `on`, `off` or `address`; also TOML's `true` and `false`.
pub fn access_log(text: &str) -> Result<AccessLog, String> {
    let found = word(text, &ACCESS_LOGS);
    found.or_else(|fault| match word(text, &TRUTH[..2]) {
        Ok(true) => Ok(AccessLog::On),
        Ok(false) => Ok(AccessLog::Off),
        Err(_) => Err(fault),
    })
}

/// `own` or `external`.
pub fn checkpoints(text: &str) -> Result<Checkpoints, String> {
    word(text, &CHECKPOINTS)
}

/// The value of a flag without an argument.
pub fn truth(text: &str) -> Result<bool, String> {
    word(text, &TRUTH)
}

/// The name of a server, for a certificate: in lower case and ASCII.
pub fn domain(text: &str) -> Result<String, String> {
    let fault = |what: &str| Err(format!("must be {what}, such as forms.example.org"));
    if text.contains('*') {
        return fault("a name without *, since wildcards can't be validated over TLS");
    }
    if text.parse::<IpAddr>().is_ok() || text.starts_with('[') {
        return fault("a name, not an IP address");
    }
    if text.contains([':', '/', '@']) {
        return fault("only a name, without a scheme, port or path");
    }
    match Host::parse(text) {
        Ok(Host::Domain(name)) if DnsName::try_from(name.as_str()).is_ok() && !name.ends_with('.') => Ok(name),
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => fault("a name, not an IP address"),
        _ => fault("the name of a server"),
    }
}

/// An email address.
pub fn email(text: &str) -> Result<String, String> {
    if users::is_email(text) && text.is_ascii() {
        return Ok(text.to_owned());
    }
    Err("must be an email address, such as admin@example.org".to_owned())
}

/// An https address.
pub fn https(text: &str) -> Result<String, String> {
    match Url::parse(text) {
        Ok(url) if url.scheme() == "https" && url.username().is_empty() && url.password().is_none() => Ok(url.into()),
        _ => Err("must be an https address, such as https://ca.example.org/directory".to_owned()),
    }
}

/// The public address: http or https with an optional path, without a trailing slash.
pub fn base_url(text: &str) -> Result<String, String> {
    let form = || "must be an http or https address, such as https://forms.example.org".to_owned();
    let url = Url::parse(text).map_err(|_| form())?;
    let is_plain =
        url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(form());
    }
    if !is_plain {
        return Err("must have no query, fragment or user in it".to_owned());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// `10.0.0.0/8`, or one address.
pub fn network(text: &str) -> Result<IpNet, String> {
    text.parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| "must be a network such as 10.0.0.0/8 or an IP address".to_owned())
}

/// 1 or more.
pub fn per_minute(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "must be a number per minute, 1 or more".to_owned())
}

/// 8 to 24, or 0 for none.
pub fn proof_bits(text: &str) -> Result<u32, String> {
    let bits = text.parse().ok();
    bits.filter(|bits| *bits == 0 || (8..=24).contains(bits))
        .ok_or_else(|| "must be 0 (off) or a number of bits from 8 to 24".to_owned())
}

/// 1 second to an hour.
pub fn seconds(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|n| (1..=3600).contains(n))
        .ok_or_else(|| "must be a number of seconds, 1 to 3600".to_owned())
}

/// 1 MB to 1 TB.
pub fn megabytes(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|n| (1..=1 << 20).contains(n)).ok_or_else(|| "must be 1 to 1048576".to_owned())
}

/// 0 to 1 TB.
pub fn megabytes_or_none(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|n| (0..=1 << 20).contains(n)).ok_or_else(|| "must be 0 to 1048576".to_owned())
}

pub fn scope(text: &str) -> Result<Scope, String> {
    Scope::by_name(text).ok_or_else(|| {
        let names: Vec<&str> = Scope::ALL.into_iter().map(Scope::name).collect();
        format!("must be one of {}", names.join(", "))
    })
}

pub fn plan(text: &str) -> Result<Plan, String> {
    Plan::by_name(text).ok_or_else(|| format!("must be one of {}", Plan::ALL.map(Plan::name).join(", ")))
}

pub fn organization_role(text: &str) -> Result<OrganizationRole, String> {
    OrganizationRole::by_name(text).ok_or_else(|| "must be owner or member".to_owned())
}

/// A token's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Until it is revoked.
    Never,
    /// This many seconds.
    Secs(i64),
}

/// `90d`, `12h`, `30m`, `45s` or `never`; at most 100 years.
pub fn expiry(text: &str) -> Result<Expiry, String> {
    let form = || "must be a time such as 90d, 12h or 30m, or never".to_owned();
    if text == "never" {
        return Ok(Expiry::Never);
    }
    duration(text).map(Expiry::Secs).ok_or_else(form)
}

/// A time between two runs, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub i64);

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
        let fits = |(unit, _): &&(i64, char)| self.0 % unit == 0 && (self.0 > *unit || *unit < 86_400);
        let (unit, name) = units.iter().find(fits).copied().unwrap_or((1, 's'));
        write!(f, "{}{name}", self.0 / unit)
    }
}

/// `24h`, `7d`, `30m` or `45s`.
pub fn interval(text: &str) -> Result<Interval, String> {
    let secs = duration(text).map(Interval);
    secs.ok_or_else(|| "must be a time such as 24h, 7d or 30m".to_owned())
}

/// 1 or more.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| "must be a whole number, 1 or more".to_owned())
}

/// Seconds; at most 100 years.
fn duration(text: &str) -> Option<i64> {
    let unit = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        _ => return None,
    };
    let number: i64 = text[..text.len() - 1].parse().ok()?;
    let secs = number.checked_mul(unit)?;
    (1..=100 * 366 * 86_400).contains(&secs).then_some(secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls() {
        for (text, kept) in [
            ("https://forms.example.org", "https://forms.example.org"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("HTTPS://Example.org/forms/", "https://example.org/forms"),
        ] {
            assert_eq!(base_url(text).as_deref(), Ok(kept));
        }
        for text in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https://example.org/?a=1",
            "https://example.org/#x",
            "https://me:pw@example.org",
            "javascript:alert(1)",
        ] {
            assert!(base_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn expiries() {
        assert_eq!(expiry("90d"), Ok(Expiry::Secs(7_776_000)));
        assert_eq!(expiry("1s"), Ok(Expiry::Secs(1)));
        assert_eq!(expiry("never"), Ok(Expiry::Never));
        for text in ["", "d", "90", "-1d", "0d", "99999999999999999d", "36601d", "1é"] {
            assert!(expiry(text).is_err(), "{text}");
        }
    }

    #[test]
    fn intervals_are_shown_as_they_are_written() {
        for (text, secs) in [("24h", 86_400), ("7d", 604_800), ("90m", 5_400), ("45s", 45)] {
            assert_eq!(interval(text), Ok(Interval(secs)));
            assert_eq!(Interval(secs).to_string(), text);
        }
        assert!(interval("never").is_err() && interval("0h").is_err());
        assert_eq!(at_least_one("1"), Ok(1));
        assert!(at_least_one("0").is_err());
    }

    #[test]
    fn words_and_networks() {
        assert_eq!(on_off("off"), Ok(false));
        assert_eq!(on_off("true"), Ok(true));
        assert!(on_off("1").is_err());
        assert_eq!(log_level("debug"), Ok(LogLevel::Debug));
        assert!(log_level("loud").is_err());
        assert_eq!(network("10.0.0.1").map(|net| net.to_string()), Ok("10.0.0.1/32".to_owned()));
        assert!(per_minute("0").is_err());
    }
}
