//! What may pass from a socket to the HTTP parser: a strict reading of request heads and of where bodies end.
//!
//! The parser behind it takes a bare line feed for a line's end and reconciles contradicting lengths, where a
//! proxy in front may read otherwise, and then a request that somebody else wrote slips in between. Here such a head
//! is cut off and ended in a way that the parser refuses, so that answers still leave in order. It does no IO.

/// The longest URL that is taken; the exact check is made on the parsed request.
pub const MAX_URL: usize = 8 * 1024;

/// A request line this long holds a URL over the limit, whatever the method.
const LONGEST_LINE: usize = MAX_URL + 64;

/// Ends a head so that no parser takes it. The empty line makes a parser that waits for one look.
const MALFORMED: &[u8] = b"\0\r\n\r\n";

/// Ends a head within its URL, so that it is parsed and answered as a request with too long a URL.
const OVERLONG: &[u8] = b" HTTP/1.1\r\nhost: x\r\n\r\n";

/// Follows the bytes of one connection.
#[derive(Debug, Default)]
pub struct Gate {
    at: At,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    length: Option<u64>,
    is_chunked: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before a head.
    #[default]
    Start,
    RequestLine,
    Fields,
    Body(u64),
    /// A chunked body: the connection ends with the answer to it, so where it ends does not matter.
    LastBody,
    Cut,
}

/// What became of the bytes of one read.
#[derive(Debug, PartialEq, Eq)]
pub struct Passed {
    /// The end of a head was among them.
    pub ended_head: bool,
    /// Where the bytes were cut off, and what stands there instead. Nothing passes after that.
    pub cut: Option<(usize, &'static [u8])>,
}

struct Malformed;

impl Gate {
    /// Judges the bytes that were just read.
    pub fn pass(&mut self, bytes: &[u8]) -> Passed {
        let mut ended_head = false;
        let mut i = 0;
        while i < bytes.len() {
            match self.at {
                At::LastBody | At::Cut => break,
                At::Body(left) => {
                    let here = (bytes.len() - i).min(usize::try_from(left).unwrap_or(usize::MAX));
                    i += here;
                    self.at = match left - here as u64 {
                        0 => At::Start,
                        left => At::Body(left),
                    };
                }
                At::Start | At::RequestLine | At::Fields => {
                    let feed = bytes[i..].iter().position(|&byte| byte == b'\n');
                    let end = feed.map_or(bytes.len(), |feed| i + feed);
                    let in_request_line = self.at != At::Fields;
                    if in_request_line && self.begun.len() + (end - i) > LONGEST_LINE {
                        let at = i + (LONGEST_LINE - self.begun.len());
                        return self.cut(at, OVERLONG, ended_head);
                    }
                    if feed.is_none() {
                        self.at = if in_request_line {
                            At::RequestLine
                        } else {
                            At::Fields
                        };
                        self.begun.extend_from_slice(&bytes[i..]);
                        break;
                    }
                    let judged = if self.begun.is_empty() {
                        self.line(&bytes[i..end])
                    } else {
                        let mut line = std::mem::take(&mut self.begun);
                        line.extend_from_slice(&bytes[i..end]);
                        self.line(&line)
                    };
                    match judged {
                        Ok(was_last) => ended_head |= was_last,
                        Err(Malformed) => return self.cut(end, MALFORMED, ended_head),
                    }
                    i = end + 1;
                }
            }
        }
        Passed {
            ended_head,
            cut: None,
        }
    }

    /// Whether a head has begun and not ended.
    pub fn is_in_head(&self) -> bool {
        matches!(self.at, At::RequestLine | At::Fields)
    }

    /// Whether the client may still be sending something that nobody is going to read.
    pub fn is_within_request(&self) -> bool {
        self.at != At::Start
    }

    fn cut(&mut self, at: usize, instead: &'static [u8], ended_head: bool) -> Passed {
        self.at = At::Cut;
        self.begun = Vec::new();
        Passed {
            ended_head,
            cut: Some((at, instead)),
        }
    }

    /// Takes a line without its line feed; says whether it was the last of a head.
    fn line(&mut self, line: &[u8]) -> Result<bool, Malformed> {
        let line = line.strip_suffix(b"\r").ok_or(Malformed)?;
        match (self.at, line) {
            (At::Fields, []) => self.end_head().map(|()| true),
            (At::Fields, _) => self.field(line).map(|()| false),
            // Some clients send an empty line after a body.
            (_, []) => {
                self.at = At::Start;
                Ok(false)
            }
            _ => {
                self.at = At::Fields;
                Ok(false)
            }
        }
    }

    fn field(&mut self, line: &[u8]) -> Result<(), Malformed> {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            return Err(Malformed); // Continued lines are read in two ways.
        }
        let colon = line
            .iter()
            .position(|&byte| byte == b':')
            .ok_or(Malformed)?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = value.trim_ascii();
            let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let text = std::str::from_utf8(value).map_err(|_| Malformed)?;
            if !is_number || self.length.is_some() {
                return Err(Malformed);
            }
            self.length = Some(text.parse().map_err(|_| Malformed)?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.is_chunked = true;
        }
        Ok(())
    }

    fn end_head(&mut self) -> Result<(), Malformed> {
        self.at = match (self.length.take(), std::mem::take(&mut self.is_chunked)) {
            (Some(_), true) => return Err(Malformed),
            (None, true) => At::LastBody,
            (None | Some(0), false) => At::Start,
            (Some(length), false) => At::Body(length),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::cases;
    use proptest::prelude::*;

    /// What the parser gets to see, given whole and byte by byte: both must agree.
    fn seen(sent: &[u8]) -> Vec<u8> {
        let mut whole = sent.to_vec();
        if let Some((at, instead)) = Gate::default().pass(sent).cut {
            whole.truncate(at);
            whole.extend_from_slice(instead);
        }
        let (mut gate, mut single) = (Gate::default(), Vec::new());
        for byte in sent {
            if gate.at == At::Cut {
                break;
            }
            match gate.pass(&[*byte]).cut {
                Some((0, instead)) => single.extend_from_slice(instead),
                None => single.push(*byte),
                Some((at, _)) => panic!("cut one byte at {at}"),
            }
        }
        assert_eq!(
            String::from_utf8_lossy(&whole),
            String::from_utf8_lossy(&single)
        );
        whole
    }

    #[test]
    fn well_formed_requests_pass_unchanged() {
        for sent in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\na\nb\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:\t0 \r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
        ] {
            assert_eq!(seen(sent.as_bytes()), sent.as_bytes(), "{sent}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_cut_off() {
        for (sent, kept) in [
            ("\nGET / HTTP/1.1\r\n", ""),
            ("GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1"),
            (
                "GET / HTTP/1.1\r\nA: b\n\nGET /2 HTTP/1.1\r\n",
                "GET / HTTP/1.1\r\nA: b",
            ),
            (
                "GET / HTTP/1.1\r\nA: b\r\n\nGET /2",
                "GET / HTTP/1.1\r\nA: b\r\n",
            ),
            (
                "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n",
                "GET / HTTP/1.1\r\nA: b\r\n c: d\r",
            ),
            ("GET / HTTP/1.1\r\nA\r\n", "GET / HTTP/1.1\r\nA\r"),
            (
                "P / HTTP/1.1\r\nContent-Length: +1\r\n",
                "P / HTTP/1.1\r\nContent-Length: +1\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length: 1, 1\r\n",
                "P / HTTP/1.1\r\nContent-Length: 1, 1\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length: 0x1\r\n",
                "P / HTTP/1.1\r\nContent-Length: 0x1\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length:\r\n",
                "P / HTTP/1.1\r\nContent-Length:\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n",
                "P / HTTP/1.1\r\nContent-Length: 99999999999999999999\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r\n",
                "P / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r",
            ),
            (
                "P / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "P / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r",
            ),
        ] {
            let expected = [kept.as_bytes(), MALFORMED].concat();
            assert_eq!(
                String::from_utf8_lossy(&seen(sent.as_bytes())),
                String::from_utf8_lossy(&expected)
            );
        }
    }

    #[test]
    fn a_url_without_end_is_ended() {
        let sent = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(100_000));
        let seen = seen(sent.as_bytes());
        assert_eq!(seen.len(), LONGEST_LINE + OVERLONG.len());
        assert!(seen.ends_with(OVERLONG));
        let fits = format!(
            "GET /{} HTTP/1.1\r\nHost: a\r\n\r\n",
            "a".repeat(MAX_URL - 1)
        );
        assert_eq!(Gate::default().pass(fits.as_bytes()).cut, None);
    }

    #[test]
    fn the_state_says_where_a_client_stopped() {
        let mut gate = Gate::default();
        assert!(!gate.is_in_head() && !gate.is_within_request());
        gate.pass(b"\r\n");
        assert!(!gate.is_in_head());
        assert!(!gate.pass(b"P").ended_head);
        assert!(gate.is_in_head());
        assert!(
            gate.pass(b" / HTTP/1.1\r\nContent-Length: 2\r\n\r\n")
                .ended_head
        );
        assert!(!gate.is_in_head() && gate.is_within_request());
        gate.pass(b"ab");
        assert!(!gate.is_within_request());
    }
    proptest! {
        #![proptest_config(cases())]

        /// However the network cuts the bytes, the parser sees the same, and never a line that ends in two ways.
        #[test]
        fn any_bytes_in_any_pieces_are_judged_alike(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..24),
        ) {
            let sent = parts.concat();
            let seen = seen(sent.as_bytes());
            prop_assert!(seen.len() <= sent.len() + MALFORMED.len());
        }
    }

    const PARTS: &[&str] = &[
        "GET / HTTP/1.1\r\n",
        "POST /x HTTP/1.1\r\n",
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
    ];
}
