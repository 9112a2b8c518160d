//! A corpus of JSON, well formed and not, of the kinds that public corpora have: each text stands alone, as all answers
//! of an entry, and as one of them. Malformed JSON is 400 and stores nothing; the rest is taken or 422.

use serde_json::json;
use support::{Server, field};

/// Malformed JSON, or JSON that is refused as such: duplicate keys, lone surrogates, numbers that are not finite.
const BAD: &[&[u8]] = &[
    b"[1,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1:2]",
    b"[1",
    b"[",
    b"]",
    b"1]",
    b"[1]]",
    b"[\"a\"",
    b"[\"a\",",
    b"[\"a\x00b\"]",
    b"[1,\n1\n,1",
    b"{\"a\":1,}",
    b"{,\"a\":1}",
    b"{\"a\" 1}",
    b"{\"a\"}",
    b"{\"a\":}",
    b"{:1}",
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:1}",
    b"{\"a\":1",
    b"{\"a\":\"b",
    b"{",
    b"}",
    b"{\"a\":1}}",
    b"{\"a\":1 \"b\":2}",
    b"{\"a\":1,\"a\":2}",
    b"{\"a\":1,\"\\u0061\":2}",
    b"{\"a\":{\"b\":1,\"b\":1}}",
    b"[{\"a\":1,\"b\":2,\"a\":1}]",
    b"{\"a\":/**/1}",
    b"[1] // one",
    b"# one",
    b"<a>1</a>",
    b"\"a",
    b"a\"",
    b"'a'",
    b"`a`",
    b"\"a\nb\"",
    b"\"a\tb\"",
    b"\"a\x1fb\"",
    b"\"\\a\"",
    b"\"\\x41\"",
    b"\"\\'\"",
    b"\"\\u00\"",
    b"\"\\u00G0\"",
    b"\"\\U00000041\"",
    b"\"\\\"",
    b"\"\\",
    b"\"\\ud800\"",
    b"\"\\udc00\"",
    b"\"\\ud800\\ud800\"",
    b"\"\\udc00\\ud800\"",
    b"\"\\ud800x\"",
    b"\"\\ud800\\n\"",
    b"\"\xff\"",
    b"\"\xc0\xaf\"",
    b"\"\xc3\"",
    b"\"\xe2\x82\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xf8\x88\x80\x80\x80\"",
    b"\xff\xfe1\x00",
    b"\xfe\xff\x001",
    b"\xef\xbb\xbf1",
    b"\xc2\xa01",
    b"\xe2\x80\x8b1",
    b"\x0b1",
    b"\x0c1",
    b"+1",
    b"01",
    b"-01",
    b"-",
    b"--1",
    b"1.",
    b".1",
    b"-.1",
    b"1.e1",
    b"1e",
    b"1e+",
    b"1e1.5",
    b"1_000",
    b"1,000",
    b"0x1F",
    b"0b1",
    b"0o7",
    b"1n",
    b"1f",
    b"NaN",
    b"-NaN",
    b"Infinity",
    b"-Infinity",
    b"inf",
    b"1e999",
    b"-1e999",
    b"\xef\xbc\x91",
    b"True",
    b"TRUE",
    b"tru",
    b"truee",
    b"nul",
    b"None",
    b"nil",
    b"undefined",
    b"true false",
    b"null,",
    b"",
    b" ",
    b"\n",
];

/// JSON, odd as it may be.
const GOOD: &[&[u8]] = &[
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"-0.0",
    b"1e0",
    b"1E+2",
    b"1e-999",
    b"123456789012345678901234567890",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"1.7976931348623157e308",
    b"5e-324",
    b"0.1000000000000000055511151231257827",
    b"\"\"",
    b"\" \"",
    b"\"\\u0000\"",
    b"\"\\u001f\"",
    b"\"\x7f\"",
    b"\"\\/\\b\\f\\n\\r\\t\\\\\\\"\"",
    b"\"\\ud83d\\ude00\"",
    b"\"\\uD834\\uDD1E\"",
    b"\"\xf0\x9f\x98\x80\"",
    b"\"\\uffff\\ufffe\"",
    b"\"\xef\xbf\xbf\"",
    b"\"\xf4\x8f\xbf\xbf\"",
    b"\"\\u2028\\u2029\"",
    b"\"\xe2\x80\xae\"",
    b"\"e\xcc\x81\"",
    b"\"/*\"",
    b"[]",
    b"[ ]",
    b"[[]]",
    b"[null]",
    b"[1,null,\"a\",{}]",
    b"{}",
    b"{ }",
    b"{\"\":0}",
    b"{\"a\":{\"a\":{\"a\":1}}}",
    b"{\"\\u0000\":1}",
    b"{\"__proto__\":{\"x\":1}}",
    b"{\"constructor\":null}",
    b"{\"a\":1,\"A\":2}",
    b"{\"\\u00e9\":1,\"e\\u0301\":2}",
    b"{\"value\":{\"$ne\":null}}",
    b"\t\r\n [1]\n",
    b"[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
    b"[\"a\",[\"b\",[\"c\"]]]",
];

/// The text where an entry has none, all, or one of its answers.
fn documents(text: &[u8]) -> [Vec<u8>; 3] {
    let within = |before: &[u8], after: &[u8]| [before, text, after].concat();
    [text.to_vec(), within(b"{\"field_values\":", b"}"), within(b"{\"field_values\":{\"field_1\":", b"}}")]
}

#[test]
fn what_is_json_is_read_and_nothing_else() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let send = |body: &[u8]| {
        let kind = Some("application/json");
        let api = owner.send("POST", &form.entries(), kind, body);
        let published = anon.send("POST", &form.submissions(), kind, body);
        [api, published]
    };
    let (mut count, mut stored) = (0, 0);
    for (texts, is_json) in [(BAD, false), (GOOD, true)] {
        for body in texts.iter().flat_map(|text| documents(text)) {
            count += 1;
            for answer in send(&body) {
                let expected: &[u16] = if is_json { &[201, 422] } else { &[400] };
                let shown = String::from_utf8_lossy(&body);
                assert!(expected.contains(&answer.status), "{shown:?}: {answer}");
                stored += u64::from(answer.status == 201);
            }
        }
    }
    assert!(count >= 300, "{count}");
    let total = &owner.get(form.entries()).json()["pagination"]["total"];
    assert_eq!(total.as_u64(), Some(stored));
}
