//! One request, as handlers see it: typed getters over parameters, query, headers, cookies and body.

use std::net::IpAddr;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;
use warp::http::{HeaderMap, Method};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::{self, Json};
use crate::model::caller::Sender;
use crate::model::precondition::IfMatch;
use crate::ops::App;
use crate::ops::form_uploads::Posted;
use crate::ops::incoming::Origin;
use crate::web::net;
use crate::web::site::Site;

/// A request whose body was read.
pub struct Call<'a> {
    /// The running service.
    pub app: &'a App,
    /// What all requests share.
    pub site: &'a Site,
    /// The method, `GET` for a `HEAD`.
    pub method: &'a Method,
    /// The pattern of the row that answers.
    pub pattern: &'static str,
    /// The path as it came, below the base address.
    pub path: &'a str,
    /// The part behind `?`, as it came.
    pub query: &'a str,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// The body; empty when the row takes none.
    pub body: &'a Bytes,
    /// The parts of the body, where it brought files.
    pub parts: Option<&'a Parts>,
    /// Who asks, after trusted proxies; none on a unix socket without them.
    pub client: Option<IpAddr>,
    /// In the answer and the log.
    pub request_id: &'a str,
    /// When the request came.
    pub now: Time,
    pub(in crate::web) params: &'a [(String, String)],
}

impl Call<'_> {
    /// A parameter of the path, decoded. Every name stands in the row's pattern; another is empty.
    pub fn param(&self, name: &str) -> &str {
        self.params
            .iter()
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// A parameter of the path that counts: serial numbers. Anything else is as good as unknown.
    pub fn number(&self, name: &str) -> Option<i64> {
        let text = self.param(name);
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|_| plain)
    }

    /// What is wrong with the query, for programs: pages make the best of it.
    ///
    /// # Errors
    /// 400 where what its percent signs stand for is not UTF-8.
    pub fn check_query(&self) -> Result<()> {
        let decoded = percent_decode_str(self.query).decode_utf8();
        let fault = |_| Error::BadRequest("the address is not valid UTF-8".to_owned());
        decoded.map(|_| ()).map_err(fault)
    }

    /// The pairs of the query.
    pub fn pairs(&self) -> form_urlencoded::Parse<'_> {
        form_urlencoded::parse(self.query.as_bytes())
    }

    /// The last value of a query parameter; none when it is not there.
    pub fn query(&self, name: &str) -> Option<String> {
        self.pairs()
            .filter(|(key, _)| key == name)
            .last()
            .map(|(_, value)| value.into_owned())
    }

    /// A header that is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The access password of a form, as the header brings it: any text, in UTF-8.
    pub fn form_password(&self) -> Option<&str> {
        let value = self.headers.get("x-form-password")?;
        std::str::from_utf8(value.as_bytes()).ok()
    }

    /// A cookie. Others beside it, of any bytes, do not matter.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.headers
            .get_all("cookie")
            .iter()
            .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
            .filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The body as JSON, read strictly.
    ///
    /// # Errors
    /// 400.
    pub fn json(&self) -> Result<Json> {
        json::parse(self.body)
    }

    /// The body as JSON where it may be left out: then an empty object.
    ///
    /// # Errors
    /// 400.
    pub fn optional_json(&self) -> Result<Json> {
        if self.body.is_empty() {
            Ok(Json::Object(serde_json::Map::new()))
        } else {
            self.json()
        }
    }

    /// The pairs of a urlencoded body.
    pub fn form(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.body)
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect()
    }

    /// What `If-Match` demands.
    ///
    /// # Errors
    /// 400 when it is no list of tags.
    pub fn if_match(&self) -> Result<IfMatch> {
        let fault = || Error::BadRequest("If-Match must be * or a list of ETags".to_owned());
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

    /// The network of the client's address: its /24, or its /64.
    pub fn network(&self) -> String {
        net::network(self.client)
    }

    /// The client's address as limits count it; IPv6 as its /64.
    pub fn address(&self) -> String {
        net::address(self.client)
    }

    /// Who sends files, as they are counted.
    pub fn origin(&self) -> Origin {
        Origin::new(self.app.keys(), &self.address(), self.is_local(), self.now)
    }

    /// Whether it comes from this machine itself.
    pub fn is_local(&self) -> bool {
        self.client.is_none_or(|client| client.is_loopback())
    }

    /// The sender of a submission without a token.
    pub fn sender(&self) -> Sender {
        Sender::Network(self.network())
    }
}

/// A body that was read.
#[derive(Default)]
pub struct Body {
    /// Its bytes, unless it came in parts; none when the row takes none.
    pub bytes: Bytes,
    /// Its parts, where it brought files.
    pub parts: Option<Parts>,
}

impl Body {
    /// How many bytes it has.
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

/// A body that brought files, or what became pictures.
pub struct Parts {
    /// The names and texts of the parts, in their order; then those of the files, which are uploads now.
    pub pairs: Vec<(String, String)>,
    /// The files.
    pub posted: Posted,
}

/// Decodes one segment of a path; none when it is not UTF-8.
pub fn decode(segment: &str) -> Option<String> {
    percent_decode_str(segment)
        .decode_utf8()
        .ok()
        .map(std::borrow::Cow::into_owned)
}
