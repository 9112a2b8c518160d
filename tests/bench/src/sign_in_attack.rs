//! Sign-in under attack: a thousand guesses from a hundred addresses while others read, then a sign-in of the owner.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, process};

const OWNER: &str = "owner@example.com";
const PASSWORD: &str = "a right horse with a battery";
const ADDRESSES: u64 = 100;
const GUESSES: u64 = 1_000;
const ENTRIES: u64 = 1_000;
/// Wrong password, rate limited, or server busy: never signed in.
const REFUSED: [u16; 3] = [422, 429, 503];

/// A browser's cookie, and the token of the open form.
struct Browser {
    cookies: Vec<String>,
    csrf: String,
}

impl Browser {
    /// A browser that has opened the sign-in page.
    fn on_sign_in_page(base: &str) -> Self {
        let page = answer(base, &load::get("/sign-in", None));
        let (_, after) = page.split_once("name=\"csrf\" value=\"").expect("a form");
        let csrf = after.split('"').next().expect("a value").to_owned();
        let cookies = cookies(&page);
        Self { cookies, csrf }
    }

    /// Signs in from an address.
    fn sign_in(&self, base: &str, from: &str, email: &str, password: &str) -> Vec<u8> {
        let headers = format!("Origin: {base}\r\nX-Forwarded-For: {from}\r\nCookie: {}\r\n", self.cookies.join("; "));
        let pairs = [("csrf", &*self.csrf), ("email", email), ("password", password)];
        let body: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={}", value.replace('@', "%40").replace(' ', "+")))
            .collect();
        let kind = "application/x-www-form-urlencoded";
        load::post_as("/sign-in", kind, &headers, &body.join("&"))
    }
}

fn cookies(answer: &str) -> Vec<String> {
    let lines = answer.lines().take_while(|line| !line.is_empty());
    let set = lines.filter_map(|line| line.strip_prefix("set-cookie: "));
    set.filter_map(|it| it.split(';').next().map(str::to_owned)).collect()
}

/// Sends one request; returns the head of the answer and the start of its body.
fn answer(base: &str, request: &[u8]) -> String {
    let mut socket = TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
    socket.write_all(request).expect("sends");
    let (mut all, mut piece) = (Vec::new(), [0; 1 << 14]);
    loop {
        let read = socket.read(&mut piece).expect("answers");
        all.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&all);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().expect("a number"));
            body.len() >= length
        });
        if whole || read == 0 {
            return text.replace("\r\n", "\n");
        }
    }
}

/// Guesses, each from the next address, for the accounts that `email` gives.
fn guesses(base: &str, net: u8, email: fn(u64) -> String) -> Make {
    let (base, browser) = (base.to_owned(), Browser::on_sign_in_page(base));
    Arc::new(move |n| {
        let from = format!("10.{net}.{}.1", n % ADDRESSES);
        browser.sign_in(&base, &from, &email(n), &format!("a wrong horse {n}"))
    })
}

/// Measures on a service of its own with default limits.
pub fn measure(plan: &Plan, dir: &std::path::Path, table: &mut Table) {
    let dir = dir.join("attack");
    std::fs::create_dir_all(&dir).expect("a folder");
    let limits = ["--trusted-proxies", "127.0.0.0/8", "--limit-api", "1000000000"];
    let fields = json!([{"type": "short_text", "label": "Name"}]);
    let subject = Subject::start_with(&plan.program, &dir, &limits, &fields);
    let base = subject.server.base.as_str();
    let data = subject.data.to_str().expect("a path");
    let create = ["user", "create", OWNER, "--name", "Owner", "--password-stdin", "--data-dir", data];
    process::output(&plan.program, &create, PASSWORD);
    let entries: Vec<_> = (0..ENTRIES).map(|n| json!({"field_values": {"field_1": n.to_string()}})).collect();
    let path = format!("/api/v1/forms/{}/entries/bulk", subject.form);
    subject.ask("POST", &path, &json!({"entries": entries}).to_string());

    // A browser that is already signed in.
    let mut browser = Browser::on_sign_in_page(base);
    let entered = answer(base, &browser.sign_in(base, "192.0.2.1", OWNER, PASSWORD));
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    let device = cookies(&entered).into_iter().filter(|it| it.contains("device"));
    browser.cookies.extend(device);

    let read = subject.by_serial(ENTRIES);
    let alone = load::run(base, 4, plan.seconds, &[200], &read);
    let beside = |guess: Make| {
        let base_too = base.to_owned();
        let attack = std::thread::spawn(move || load::fill(&base_too, 16, GUESSES, &REFUSED, &guess).seconds);
        let read = load::run(base, 4, plan.seconds, &[200], &read);
        (read, attack.join().expect("no panic"))
    };
    let (one, seconds) = beside(guesses(base, 1, |_| OWNER.to_owned()));
    let begun = Instant::now();
    let entered = answer(base, &browser.sign_in(base, "192.0.2.1", OWNER, PASSWORD));
    assert!(entered.starts_with("HTTP/1.1 303"), "the owner is locked out: {entered}");
    table.note(
        "1,000 guesses from 100 addresses at one account",
        &format!(
            "{seconds:.1} s, none let in; its owner's browser then in {:.0} ms",
            begun.elapsed().as_secs_f64() * 1000.0
        ),
    );
    let (many, _) = beside(guesses(base, 2, |n| format!("guess{n}@example.com")));
    for (work, beside) in
        [("p99 of reads beside guesses at one account", one), ("p99 of reads beside guesses at many accounts", many)]
    {
        table.at_most(work, beside.p99, "ms", "alone", alone.p99, 3.0);
    }
}
