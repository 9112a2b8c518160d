//! Webhooks: what one costs the submissions of its form, how many deliveries a core makes, and what others notice of
//! receivers that hang.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::Plan;
use crate::load::{self, Make};
use crate::rows::{self, by_turns};
use crate::subject::Subject;
use crate::table::Table;

const FLAGS: [&str; 3] = ["--rate-limits", "off", "--allow-private-webhooks"];
/// Webhooks of one form, the most that it may have.
const PER_FORM: usize = 20;
/// Forms whose webhooks are answered, and those whose webhooks hang: 900 and 100 webhooks.
const GOOD_FORMS: usize = 45;
const HANGING_FORMS: usize = 5;
/// One entry in so much time, each of which goes to all webhooks of its form.
const PACE: Duration = Duration::from_millis(100);
/// Entries whose deliveries are counted, and of how many webhooks.
const ENTRIES: usize = 3_000;
const RECEIVERS: usize = 8;
/// Before this word in a body stands nothing that matters here; behind it the time when its entry was sent.
const SENT: &str = "\"field_1\":\"t";

/// What arrived: how many requests, and the microseconds from sending an entry to its delivery.
#[derive(Default)]
struct Arrived {
    count: AtomicU64,
    delays: Mutex<Vec<u64>>,
}

impl Arrived {
    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The 99th percentile in milliseconds of what arrived since the last call.
    fn p99(&self) -> f64 {
        let mut delays = std::mem::take(&mut *self.delays.lock().expect("no panic"));
        delays.sort_unstable();
        let last = delays.len().saturating_sub(1);
        let at = delays.get((delays.len() * 99 / 100).min(last));
        at.map_or(f64::INFINITY, |micros| *micros as f64 / 1000.0)
    }
}

/// Measures all of it.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir: PathBuf = std::env::temp_dir().join(format!("formsvc-hooks-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    cost(plan, &dir.join("cost"), &mut table);
    rate(plan, &dir.join("rate"), &mut table);
    hanging(plan, &dir.join("hanging"), &mut table);
    let _ = std::fs::remove_dir_all(&dir);
    table
}

/// Submissions to a form with a webhook beside those to one without.
fn cost(plan: &Plan, dir: &std::path::Path, table: &mut Table) {
    let (port, _) = receiver(true);
    let subject = Subject::start_with(&plan.program, dir, &FLAGS, &rows::fields());
    let form = subject.new_form("With a webhook", &rows::fields());
    add_hook(&subject, &form, &format!("http://127.0.2.1:{port}/"));
    let path = format!("/api/v1/f/{form}/entries");
    let with: Make = Arc::new(move |n| {
        let body = json!({"field_values": rows::values(n)}).to_string();
        load::post(&path, "application/json", &body)
    });
    let without = rows::submission(&subject);
    let base = &*subject.server.base;
    let figures = by_turns(plan.seconds, 64, &[(base, &[201], &with), (base, &[201], &without)]);
    table.ratio(
        "submission to a form with a webhook that is delivered meanwhile",
        figures[0].rate,
        "without",
        figures[1].rate,
        0.8,
    );
}

/// Deliveries of what was entered at once, to receivers that answer at once.
fn rate(plan: &Plan, dir: &std::path::Path, table: &mut Table) {
    let (port, arrived) = receiver(true);
    let subject = Subject::start_with(&plan.program, dir, &FLAGS, &rows::fields());
    for n in 0..RECEIVERS {
        let url = format!("http://127.0.2.{}:{port}/", n + 1);
        add_hook(&subject, &subject.form, &url);
    }
    for first in (0..ENTRIES).step_by(1_000) {
        let entries: Vec<Value> =
            (first..first + 1_000).map(|n| json!({"field_values": rows::values(n as u64)})).collect();
        let path = format!("/api/v1/forms/{}/entries/bulk", subject.form);
        subject.ask("POST", &path, &json!({"entries": entries}).to_string());
    }
    let (from, cpu, begun) = (arrived.count(), subject.server.cpu_seconds(), Instant::now());
    let all = (ENTRIES * RECEIVERS) as u64;
    while arrived.count() < all {
        assert!(begun.elapsed() < Duration::from_secs(300), "they don't arrive");
        thread::sleep(Duration::from_millis(5));
    }
    let took = begun.elapsed().as_secs_f64();
    let made = (all - from) as f64;
    table.ratio(
        "deliveries per second of the service's processor time, to receivers on this machine",
        made / (subject.server.cpu_seconds() - cpu).max(0.01),
        "target",
        500.0,
        1.0,
    );
    table.note("deliveries per second then", &format!("{:.0}", made / took));
}

/// What 900 webhooks notice of 100 others that hang.
fn hanging(plan: &Plan, dir: &std::path::Path, table: &mut Table) {
    let (good_port, arrived) = receiver(true);
    let (hanging_port, hung) = receiver(false);
    let fields = json!([{"type": "short_text", "label": "Text"}]);
    let subject = Subject::start_with(&plan.program, dir, &FLAGS, &fields);
    let forms = |count: usize, network: &str, port: u16| -> Vec<String> {
        let made = (0..count).map(|form| {
            let token = subject.new_form("Hooks", &fields);
            for hook in 0..PER_FORM {
                let host = 1 + (form * PER_FORM + hook) % 250;
                add_hook(&subject, &token, &format!("http://{network}.{host}:{port}/"));
            }
            token
        });
        made.collect()
    };
    let good = forms(GOOD_FORMS, "127.0.2", good_port);
    let bad = forms(HANGING_FORMS, "127.0.1", hanging_port);
    let seconds = Duration::from_secs_f64(plan.seconds.max(4.0) * 5.0);
    let enter = |form: &str| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = now.expect("after 1970").as_micros();
        let body = json!({"field_values": {"field_1": format!("t{micros}")}});
        let path = format!("/api/v1/forms/{form}/entries");
        subject.ask("POST", &path, &body.to_string());
    };
    let drive = |with_bad: bool| {
        let begun = Instant::now();
        for n in 0.. {
            if begun.elapsed() >= seconds {
                break;
            }
            enter(&good[n % good.len()]);
            if with_bad {
                enter(&bad[n % bad.len()]);
            }
            let due = PACE * u32::try_from(n + 1).unwrap_or(u32::MAX);
            thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        thread::sleep(Duration::from_secs(1));
        arrived.p99()
    };
    // The first rounds prove who is quick.
    drive(false);
    let alone = drive(false);
    let before = subject.server.memory_mb();
    drive(true);
    let beside = drive(true);
    let grown = subject.server.memory_mb() - before;
    assert!(hung.count() > 0, "nothing hangs");
    table.at_most(
        "p99 from an entry to its delivery for 900 webhooks while 100 others hang",
        beside,
        "ms",
        "alone",
        alone,
        2.0,
    );
    table.limit("memory that the hanging ones take", grown.max(0.0), "MB", 30.0);
}

fn add_hook(subject: &Subject, form: &str, url: &str) {
    let body = json!({"url": url, "trigger_events": ["entry_created"]});
    let path = format!("/api/v1/forms/{form}/integrations/webhooks");
    subject.ask("POST", &path, &body.to_string());
}

/// A receiver on all addresses of this machine, which answers at once or never.
fn receiver(answers: bool) -> (u16, Arc<Arrived>) {
    let arrived = Arc::new(Arrived::default());
    let to = Arc::clone(&arrived);
    let (say, said) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = TcpListener::bind("0.0.0.0:0").await.expect("a port");
            let port = listener.local_addr().expect("an address").port();
            say.send(port).expect("somebody waits");
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&to), answers));
            }
        });
    });
    (said.recv().expect("a port"), arrived)
}

async fn serve(mut socket: TcpStream, arrived: Arc<Arrived>, answers: bool) {
    let mut buffer = Vec::with_capacity(16 << 10);
    loop {
        let whole = whole(&buffer);
        let Some(end) = whole else {
            match socket.read_buf(&mut buffer).await {
                Ok(1..) => continue,
                _ => return,
            }
        };
        arrived.count.fetch_add(1, Ordering::Relaxed);
        if !answers {
            // Until the other side goes.
            while let Ok(1..) = socket.read_buf(&mut buffer).await {}
            return;
        }
        note(&buffer[..end], &arrived);
        buffer.drain(..end);
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        if socket.write_all(answer).await.is_err() {
            return;
        }
    }
}

/// The length of the request that the bytes begin with, once all of it is there.
fn whole(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).ok()?;
    let length = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok())?;
    (bytes.len() >= head + length).then_some(head + length)
}

/// Notes how long ago the entry of this body was sent.
fn note(request: &[u8], arrived: &Arrived) {
    let text = String::from_utf8_lossy(request);
    let Some((_, rest)) = text.split_once(SENT) else {
        return;
    };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(now.expect("after 1970").as_micros()).unwrap_or_default();
    if let Ok(sent) = digits.parse::<u64>() {
        let mut delays = arrived.delays.lock().expect("no panic");
        delays.push(now.saturating_sub(sent));
    }
}
