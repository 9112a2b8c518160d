//! A filter between the socket and the HTTP server: it passes only complete request heads that can be parsed in one
//! way, and their bodies.
//!
//! The server behind it accepts a bare line feed as a line end and reconciles contradictory lengths. A proxy in
//! front may parse such a head differently, which allows request smuggling. So a head is held back until it is
//! complete and checked. A refused head is replaced by a placeholder request that names the reason: the answer then
//! leaves in order and has our format. The gate does no IO.

use httparse::{EMPTY_HEADER, Header, Request, Status};
use hyper::http::uri::Authority;
use hyper::{StatusCode, Uri};

/// In bytes.
pub const MAX_URL: usize = 8 * 1024;

/// In bytes.
pub const MAX_HEAD: usize = 16 * 1024;

/// Header fields per head.
pub const MAX_FIELDS: usize = 100;

/// A longer request line has a URL over the limit, whatever the method.
const MAX_REQUEST_LINE: usize = MAX_URL + 64;

/// Checks the bytes of one connection.
#[derive(Debug, Default)]
pub struct Gate {
    state: GateState,
    /// The incomplete head so far.
    head: Vec<u8>,
    /// Start of its last line.
    line_start: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum GateState {
    #[default]
    Head,
    /// Bytes left of a body.
    Body(u64),
    /// A chunked body: the connection closes after its answer, so its end does not matter.
    FinalBody,
    /// A head was refused; nothing passes any more.
    Closed,
}

/// The outcome for the bytes of one read.
#[derive(Debug, PartialEq, Eq)]
pub struct Passed {
    /// Whether the bytes completed a head, or made it invalid.
    pub ended_head: bool,
    /// Passes in their place; `None` if they pass unchanged.
    pub replacement: Option<Vec<u8>>,
}

/// Why a head is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The address has a character that must be escaped there.
    Address,
    /// The address is too long.
    LongAddress,
    /// The head is too large.
    LargeHead,
    /// Anything else that is not HTTP, or that could be parsed in more than one way.
    Malformed,
}

impl Refusal {
    /// By the names in placeholders.
    const ALL: [(&str, Self); 4] = [
        ("address", Self::Address),
        ("long-address", Self::LongAddress),
        ("large-head", Self::LargeHead),
        ("malformed", Self::Malformed),
    ];

    /// The placeholder with this target. No client can send one: its target has no path.
    pub fn of_target(target: &Uri) -> Option<Self> {
        if target.path_and_query().is_some() {
            return None;
        }
        let name = target.authority().map_or("", |name| name.as_str());
        let known = Self::ALL.iter().find(|(known, _)| *known == name);
        Some(known.map_or(Self::Malformed, |(_, refusal)| *refusal))
    }

    fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, refusal)| *refusal == self);
        known.map_or("malformed", |(name, _)| name)
    }

    pub const fn status(self) -> StatusCode {
        match self {
            Self::Address | Self::Malformed => StatusCode::BAD_REQUEST,
            Self::LongAddress => StatusCode::URI_TOO_LONG,
            Self::LargeHead => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }
}

impl Gate {
    /// Checks the bytes that were just read.
    pub fn pass(&mut self, bytes: &[u8]) -> Passed {
        let mut passed = Passed { ended_head: false, replacement: None };
        match &mut self.state {
            GateState::FinalBody => return passed,
            GateState::Body(left) if *left > bytes.len() as u64 => {
                *left -= bytes.len() as u64;
                return passed;
            }
            _ => {}
        }
        let (mut out, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let count = match self.state {
                GateState::Closed => break,
                GateState::FinalBody => rest.len(),
                GateState::Body(left) => rest.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
                GateState::Head => memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1),
            };
            let (now, later) = rest.split_at(count);
            rest = later;
            match self.state {
                GateState::Head => {
                    self.head.extend_from_slice(now);
                    match self.check_line(rest.is_empty()) {
                        Ok(None) => continue,
                        Ok(Some(next)) => {
                            out.append(&mut self.head);
                            self.state = next;
                        }
                        Err(refusal) => {
                            out.extend_from_slice(&placeholder(&self.head, refusal));
                            self.state = GateState::Closed;
                        }
                    }
                    passed.ended_head = true;
                    self.head = Vec::new();
                    self.line_start = 0;
                }
                GateState::Body(left) => {
                    out.extend_from_slice(now);
                    self.state = match left - count as u64 {
                        0 => GateState::Head,
                        left => GateState::Body(left),
                    };
                }
                GateState::FinalBody | GateState::Closed => out.extend_from_slice(now),
            }
        }
        passed.replacement = Some(out);
        passed
    }

    /// Whether a head is incomplete.
    pub fn is_in_head(&self) -> bool {
        !self.head.is_empty()
    }

    /// Whether a head was refused: nothing passes after that.
    pub fn is_closed(&self) -> bool {
        self.state == GateState::Closed
    }

    /// Whether the client may still be sending a request that nobody will read.
    pub fn is_within_request(&self) -> bool {
        self.state != GateState::Head || self.is_in_head()
    }

    /// Checks the head after each line and at the end of a read; returns the next state once it is complete.
    fn check_line(&mut self, is_end_of_read: bool) -> Result<Option<GateState>, Refusal> {
        let line = &self.head[self.line_start..];
        if self.line_start == 0 && line.len() > MAX_REQUEST_LINE {
            return Err(Refusal::LongAddress);
        }
        if self.head.len() > MAX_HEAD {
            return Err(Refusal::LargeHead);
        }
        let ends = line.ends_with(b"\n");
        if ends && self.line_start == 0 {
            // Its faults are reported before those of later lines, however the bytes arrive.
            parse(&self.head)?;
        }
        if ends && !line.ends_with(b"\r\n") {
            return Err(Refusal::Malformed);
        }
        let is_empty = line == b"\r\n";
        if is_empty && self.line_start == 0 {
            // Some clients send an empty line after a body.
            self.head.clear();
            return Ok(None);
        }
        if ends {
            self.line_start = self.head.len();
        }
        if is_empty || is_end_of_read { parse(&self.head) } else { Ok(None) }
    }
}

/// Passes in place of a refused head.
fn placeholder(head: &[u8], refusal: Refusal) -> Vec<u8> {
    // The answer to a HEAD request has no body, even if refused.
    let method = if head.starts_with(b"HEAD ") { "HEAD" } else { "GET" };
    format!("{method} {} HTTP/1.1\r\n\r\n", refusal.name()).into_bytes()
}

/// Parses a head as the server will; returns the next state if it is complete.
fn parse(head: &[u8]) -> Result<Option<GateState>, Refusal> {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let mut request = Request::new(&mut fields);
    match request.parse(head) {
        Ok(Status::Partial) => Ok(None),
        Ok(Status::Complete(_)) => state_after(&request).map(Some),
        Err(httparse::Error::TooManyHeaders) => Err(Refusal::LargeHead),
        Err(httparse::Error::Version) if has_space_in_address(&request, head) => Err(Refusal::Address),
        Err(_) => Err(Refusal::Malformed),
    }
}

/// Whether more of an address follows where the version should be.
fn has_space_in_address(request: &Request, head: &[u8]) -> bool {
    let line = request.method.zip(request.path);
    let rest = line.and_then(|(method, path)| head.get(method.len() + path.len() + 2..));
    rest.is_some_and(|rest| !rest.starts_with(b"HTTP/"))
}

/// The state after a head, if its target, host and lengths are unambiguous.
fn state_after(request: &Request) -> Result<GateState, Refusal> {
    let malformed = Refusal::Malformed;
    let target = request.path.unwrap_or_default();
    if target.len() > MAX_URL {
        return Err(Refusal::LongAddress);
    }
    // A target without a path (`CONNECT host:port`) is for proxies.
    let target = Uri::try_from(target).map_err(|_| Refusal::Address)?;
    target.path_and_query().ok_or(malformed)?;
    let host = single_field(request.headers, "host")?.ok_or(malformed)?;
    if host.contains(&b'@') || Authority::try_from(host).is_err() {
        return Err(malformed);
    }
    let length = single_field(request.headers, "content-length")?;
    let coding = single_field(request.headers, "transfer-encoding")?;
    match (length, coding) {
        (None, None) => Ok(GateState::Head),
        (Some(length), None) => match parse_length(length).ok_or(malformed)? {
            0 => Ok(GateState::Head),
            length => Ok(GateState::Body(length)),
        },
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && request.version == Some(1) => {
            Ok(GateState::FinalBody)
        }
        _ => Err(malformed),
    }
}

/// The value of a field that may be sent only once.
fn single_field<'h>(fields: &[Header<'h>], name: &str) -> Result<Option<&'h [u8]>, Refusal> {
    let mut values = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
    match (values.next(), values.next()) {
        (first, None) => Ok(first.map(|field| field.value.trim_ascii())),
        _ => Err(Refusal::Malformed),
    }
}

/// A length: digits only.
fn parse_length(text: &[u8]) -> Option<u64> {
    let text = str::from_utf8(text).ok()?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain)?;
    i64::try_from(number).ok().map(|_| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::cases;
    use proptest::prelude::*;

    /// The bytes as the server sees them; passing them whole and one by one must give the same.
    fn seen(sent: &[u8]) -> String {
        let passed = |gate: &mut Gate, bytes: &[u8]| {
            let replacement = gate.pass(bytes).replacement;
            replacement.unwrap_or_else(|| bytes.to_vec())
        };
        let whole = passed(&mut Gate::default(), sent);
        let mut gate = Gate::default();
        let single: Vec<u8> = sent.iter().flat_map(|byte| passed(&mut gate, &[*byte])).collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&whole), text(&single));
        text(&whole)
    }

    #[test]
    fn well_formed_requests_pass_unchanged() {
        for sent in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\na\nb\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:\t0 \r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n1\na\n0\n\n",
            "OPTIONS * HTTP/1.0\r\nhost: [::1]:80\r\n\r\n",
        ] {
            assert_eq!(seen(sent.as_bytes()), sent);
        }
        let after_a_body =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let without = after_a_body.replace("\r\na\r\n", "\r\na");
        assert_eq!(seen(after_a_body.as_bytes()), without);
        assert_eq!(seen(b"GET / HTTP/1.1\r\nHost: a\r\n"), "", "held back");
    }

    #[test]
    fn another_stands_in_for_a_refused_head() {
        let ask = |fields: &str| format!("P / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        let get = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
        let fine = get("/");
        for (sent, refusal) in [
            ("\nGET / HTTP/1.1\r\n".to_owned(), Refusal::Malformed),
            ("GET / HTTP/1.1\nHost: a\n\n".to_owned(), Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\nA: b\n\nGET /2".to_owned(), Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\n\nGET /2".to_owned(), Refusal::Malformed),
            (ask(" c: d\r\n"), Refusal::Malformed),
            (ask("A\r\n"), Refusal::Malformed),
            (ask("A: b\rc\r\n"), Refusal::Malformed),
            (ask("Host: a\r\n"), Refusal::Malformed),
            (ask("").replace("Host: a", "Host: a@b"), Refusal::Malformed),
            (ask("").replace("Host: a\r\n", ""), Refusal::Malformed),
            (ask("Content-Length: +1\r\n"), Refusal::Malformed),
            (ask("Content-Length: 1, 1\r\n"), Refusal::Malformed),
            (ask("Content-Length: 0x1\r\n"), Refusal::Malformed),
            (ask("Content-Length:\r\n"), Refusal::Malformed),
            (ask("Content-Length: 9223372036854775808\r\n"), Refusal::Malformed),
            (ask("Content-Length: 1\r\ncontent-length: 1\r\n"), Refusal::Malformed),
            (ask("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), Refusal::Malformed),
            (ask("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), Refusal::Malformed),
            (ask("Transfer-Encoding: gzip, chunked\r\n"), Refusal::Malformed),
            (ask("Transfer-Encoding: chunked\r\n").replace("1.1", "1.0"), Refusal::Malformed),
            (get("a:80"), Refusal::Malformed),
            (get("400"), Refusal::Malformed),
            (get("/\u{7f}"), Refusal::Malformed),
            (get("/").replace("1.1", "2.0"), Refusal::Malformed),
            (get("/a b"), Refusal::Address),
            (get("/?a=b c"), Refusal::Address),
            ("GET /a b\n".to_owned(), Refusal::Address),
            ("GET /a b HTTP/1.1\r\n\n".to_owned(), Refusal::Address),
            (get("/?a=\"b\""), Refusal::Address),
            (get("/?a=<b>"), Refusal::Address),
            (get("http://["), Refusal::Address),
            (get(&format!("/{}", "a".repeat(MAX_URL))), Refusal::LongAddress),
            (get(&format!("/{}", "a".repeat(100_000))), Refusal::LongAddress),
            (ask(&"A: b\r\n".repeat(MAX_FIELDS)), Refusal::LargeHead),
            (ask(&format!("A: {}\r\n", "b".repeat(MAX_HEAD))), Refusal::LargeHead),
        ] {
            let placeholder = format!("GET {} HTTP/1.1\r\n\r\n", refusal.name());
            assert_eq!(seen(sent.as_bytes()), placeholder, "{sent:?}");
            let after = format!("{fine}{sent}{fine}");
            assert_eq!(seen(after.as_bytes()), format!("{fine}{placeholder}"), "{sent:?}");
            let target = Uri::try_from(refusal.name()).expect("a target");
            assert_eq!(Refusal::of_target(&target), Some(refusal));
        }
        assert!(seen(b"HEAD / HTTP/1.1\r\n\r\n").starts_with("HEAD malformed "));
        for target in ["/", "*", "http://a/", "http://a"] {
            assert_eq!(Refusal::of_target(&Uri::try_from(target).expect("a target")), None);
        }
    }

    #[test]
    fn heads_have_a_size() {
        let url = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(MAX_URL - 1));
        let begun = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
        let head = format!("{begun}{}\r\n\r\n", "b".repeat(MAX_HEAD - begun.len() - 4));
        let fields = format!("{}A: \r\n\r\n", "A: b\r\n".repeat(MAX_FIELDS - 2));
        let fields = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}");
        for fits in [url, head, fields] {
            assert_eq!(seen(fits.as_bytes()), fits);
        }
    }

    #[test]
    fn the_state_says_where_a_client_stopped() {
        let mut gate = Gate::default();
        assert!(!gate.is_in_head() && !gate.is_within_request());
        gate.pass(b"\r\n");
        assert!(!gate.is_in_head());
        assert!(!gate.pass(b"P").ended_head);
        assert!(gate.is_in_head() && gate.is_within_request());
        let rest = b" / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n";
        assert!(gate.pass(rest).ended_head);
        assert!(!gate.is_in_head() && gate.is_within_request());
        gate.pass(b"ab");
        assert!(!gate.is_within_request() && !gate.is_closed());
        gate.pass(b"\n");
        assert!(gate.is_within_request() && gate.is_closed());
    }

    proptest! {
        #![proptest_config(cases())]

        /// However the network splits the bytes, the server sees the same.
        #[test]
        fn any_bytes_in_any_pieces_are_judged_alike(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..24),
        ) {
            let sent = parts.concat();
            let seen = seen(sent.as_bytes());
            prop_assert!(seen.len() <= sent.len() + placeholder(b"", Refusal::LongAddress).len());
        }
    }

    const PARTS: &[&str] = &[
        "GET / HTTP/1.1\r\n",
        "POST /x HTTP/1.1\r\n",
        "GET /a b HTTP/1.1\r\n",
        "GET /?a=\"b\" HTTP/1.1\r\n",
        "Host: a\r\n",
        "Content-Length: 3\r\n",
        "content-length: 12\r\n",
        "Transfer-Encoding: chunked\r\n",
        "\r\n",
        "\r\n\r\n",
        "\n",
        "\r",
        "a",
        "abc",
        " ",
        ":",
        "3\r\nabc\r\n",
        "0\r\n\r\n",
        "\0",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
    ];
}
