//! A request as handlers see it: typed getters for parameters, query, headers, cookies and body.

use std::net::IpAddr;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;
use warp::http::{HeaderMap, Method};

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::json::{self, Json};
use crate::base::text::phrase::Phrase;
use crate::http::net;
use crate::model::caller::Sender;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::files::form_uploads::Posted;
use crate::ops::files::upload_quota::Origin;
use crate::web::request::site::Site;

/// A request with its body.
pub struct Call<'a> {
    pub app: &'a App,
    pub site: &'a Site,
    /// `GET` for a `HEAD` request.
    pub method: &'a Method,
    /// The path pattern of the row that answers.
    pub pattern: &'static str,
    /// The path below the base address, not decoded.
    pub path: &'a str,
    /// The part behind `?`, not decoded.
    pub query: &'a str,
    pub headers: &'a HeaderMap,
    /// Empty if the row takes no body.
    pub body: &'a Bytes,
    /// The parts of a body with files.
    pub parts: Option<&'a Parts>,
    /// The client's address as trusted proxies report it; `None` on a unix socket without a proxy.
    pub client: Option<IpAddr>,
    /// For the answer and the log.
    pub request_id: &'a str,
    /// When the request arrived.
    pub now: Time,
    pub(in crate::web) params: &'a [(String, String)],
}

impl Call<'_> {
    /// A path parameter, decoded; empty if the row's pattern has no such name.
    pub fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// A path parameter that is a serial number. Anything else is treated as not found.
    pub fn number(&self, name: &str) -> Option<i64> {
        let text = self.param(name);
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|_| plain)
    }

    /// 404 if a path parameter that is a serial number can't be one. A number of no entry is the handler's.
    pub fn check_numbers(&self) -> Result<()> {
        let text = self.param("serial_number");
        let is_number = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        if is_number { Ok(()) } else { Err(Error::NotANumber(Noun::Entry, text.to_owned())) }
    }

    /// 400 for programs if the query does not decode to UTF-8. Pages accept any query.
    pub fn check_query(&self) -> Result<()> {
        let decoded = percent_decode_str(self.query).decode_utf8();
        let fault = |_| Error::BadRequest(Phrase::plain("the address is not valid UTF-8"));
        decoded.map(|_| ()).map_err(fault)
    }

    pub fn pairs(&self) -> form_urlencoded::Parse<'_> {
        form_urlencoded::parse(self.query.as_bytes())
    }

    /// The last value of a query parameter.
    pub fn query(&self, name: &str) -> Option<String> {
        self.pairs().filter(|(key, _)| key == name).last().map(|(_, value)| value.into_owned())
    }

    /// A header's value; `None` if it is not ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A form's access password from the header: any text in UTF-8.
    pub fn form_password(&self) -> Option<&str> {
        let value = self.headers.get("x-form-password")?;
        std::str::from_utf8(value.as_bytes()).ok()
    }

    /// A cookie's value. Malformed cookies beside it are ignored.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.headers
            .get_all("cookie")
            .iter()
            .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
            .filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The body as JSON, parsed strictly.
    pub fn json(&self) -> Result<Json> {
        json::parse(self.body)
    }

    /// The body as JSON; an empty object if there is no body.
    pub fn optional_json(&self) -> Result<Json> {
        if self.body.is_empty() { Ok(Json::Object(serde_json::Map::new())) } else { self.json() }
    }

    /// The pairs of a form's body.
    pub fn form(&self) -> Vec<(String, String)> {
        if let Some(parts) = self.parts {
            return parts.pairs.clone();
        }
        form_urlencoded::parse(self.body).map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
    }

    /// The `If-Match` header; 400 if it is not a list of tags.
    pub fn if_match(&self) -> Result<IfMatch> {
        let fault = || Error::BadRequest(Phrase::plain("If-Match must be * or a list of ETags"));
        let mut lines = Vec::new();
        for line in self.headers.get_all("if-match") {
            lines.push(line.to_str().map_err(|_| fault())?);
        }
        match lines.join(", ") {
            _ if lines.is_empty() => Ok(IfMatch::Absent),
            text if text.trim() == "*" => Ok(IfMatch::Any),
            text => net::strong_tags(&text).map(IfMatch::Tags).ok_or_else(fault),
        }
    }

    /// The client's network: IPv4 /24 or IPv6 /64.
    pub fn network(&self) -> String {
        net::network(self.client)
    }

    /// The client's address for rate limits: IPv4, or IPv6 /64.
    pub fn address(&self) -> String {
        net::address(self.client)
    }

    /// The sender of files, for upload limits.
    pub fn origin(&self) -> Origin {
        Origin::new(self.app.keys(), &self.address(), self.is_local(), self.now)
    }

    /// Whether the client is this machine.
    pub fn is_local(&self) -> bool {
        self.client.is_none_or(|client| client.is_loopback())
    }

    /// The sender of a submission without a token.
    pub fn sender(&self) -> Sender {
        Sender::Network(self.network())
    }
}

/// A received body.
#[derive(Default)]
pub struct Body {
    /// Empty if it came in parts, or the row takes none.
    pub bytes: Bytes,
    /// The parts of a body with files.
    pub parts: Option<Parts>,
}

impl Body {
    /// In bytes, without files.
    pub fn size(&self) -> usize {
        let pairs = self.parts.iter().flat_map(|parts| &parts.pairs);
        let pairs: usize = pairs.map(|(name, text)| name.len() + text.len()).sum();
        self.bytes.len() + pairs
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, parts: None }
    }
}

/// A form body with files, or with typed signatures that were drawn as pictures.
#[derive(Default)]
pub struct Parts {
    /// Names and texts of the parts in order, then names and upload ids of the files.
    pub pairs: Vec<(String, String)>,
    pub posted: Posted,
}

/// Decodes one path segment; `None` if it is not UTF-8.
pub fn decode(segment: &str) -> Option<String> {
    percent_decode_str(segment).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
