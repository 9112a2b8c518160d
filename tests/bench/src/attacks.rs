//! What other users notice of attacks: each attack at ten times the size that once stopped the service, while another
//! form takes submissions. Reports their p99 relative to an idle service, and the service's memory.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Plan;
use crate::load::{self, Make};
use crate::subject::Subject;
use crate::table::Table;

const MB: usize = 1 << 20;
/// Connections of the other users.
const OTHERS: usize = 4;
/// Maximum memory at any time.
const MAX_MEMORY_MB: f64 = 300.0;
/// Maximum ratio of a submission's time to that without an attack.
const MAX_SLOWDOWN: f64 = 3.0;
const EDGE: &str = "bench-edge";

/// Attacks until told to stop, reports when it is under way, and returns a summary.
type Attack = fn(&Subject, &Stage) -> String;

/// Progress of an attack.
#[derive(Default)]
struct Stage {
    is_under_way: AtomicBool,
    is_over: AtomicBool,
}

impl Stage {
    fn begin(&self) {
        self.is_under_way.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

const ATTACKS: [(&str, Attack); 6] = [
    ("400 posts of 10 MB that then drip", dripping_posts),
    ("640 posts that are said to be endless", endless_posts),
    ("16 at a time, answers to the hardest pattern", hard_pattern),
    ("5,000 bodies of many values by nobody", large_bodies),
    ("40 slow bodies of a token", slow_bodies),
    ("1,000 exports that nobody reads", unread_exports),
];

/// Measures each attack on a service of its own.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-attacks-{}", std::process::id()));
    for (name, attack) in ATTACKS {
        std::fs::create_dir_all(&dir).expect("a folder");
        let fields = json!([
            {"type": "short_text", "label": "Name"},
            {"type": "attachment", "label": "File", "max_size": 10},
            {"type": "short_text", "label": "Hard", "pattern": "[01]*1[01]{90}", "max_length": 50000},
            {"type": "long_text", "label": "Long"},
        ]);
        let flags = ["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"];
        let subject = Subject::start_with(&plan.program, &dir, &flags, &fields);
        let other = json!([{"type": "short_text", "label": "Name"}]);
        let other = submissions(&subject.new_form("Other", &other));
        let run = || load::run(&subject.server.base, OTHERS, plan.seconds, &[201], &other);
        run();
        let alone = run();
        let stage = Stage::default();
        let (beside, outcome) = thread::scope(|scope| {
            let attack = scope.spawn(|| attack(&subject, &stage));
            while !stage.is_under_way.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(50));
            }
            thread::sleep(Duration::from_secs(1));
            let beside = run();
            stage.is_over.store(true, Ordering::Relaxed);
            (beside, attack.join().expect("no panic"))
        });
        table.at_most(&format!("p99 of submissions beside {name}"), beside.p99, "ms", "alone", alone.p99, MAX_SLOWDOWN);
        table.limit("memory, the most then", subject.server.peak_mb(), "MB", MAX_MEMORY_MB);
        table.note("what came of it", &outcome);
        drop(subject);
        std::fs::remove_dir_all(&dir).expect("our own folder");
    }
    table
}

fn submissions(form: &str) -> Make {
    let path = format!("/api/v1/f/{form}/entries");
    Arc::new(move |n| {
        let body = json!({"field_values": {"field_1": format!("name {n}")}}).to_string();
        load::post(&path, "application/json", &body)
    })
}

fn connect(subject: &Subject) -> TcpStream {
    let address = subject.server.base.trim_start_matches("http://");
    let socket = TcpStream::connect(address).expect("connects");
    let patience = Some(Duration::from_millis(200));
    socket.set_read_timeout(patience).expect("a time-out");
    socket.set_write_timeout(patience).expect("a time-out");
    socket
}

/// The status received within the time-out, otherwise 0.
fn status(socket: &mut TcpStream) -> u16 {
    let mut head = [0; 12];
    match socket.read_exact(&mut head) {
        Ok(()) => std::str::from_utf8(&head[9..]).ok().and_then(|status| status.parse().ok()).unwrap_or(0),
        Err(_) => 0,
    }
}

/// The count of each status.
fn counted(mut statuses: Vec<u16>) -> String {
    statuses.sort_unstable();
    let parts = statuses.chunk_by(|a, b| a == b).map(|same| {
        let status = match same[0] {
            0 => "no answer".to_owned(),
            status => status.to_string(),
        };
        format!("{} × {status}", same.len())
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn post_head(subject: &Subject, length: usize) -> String {
    format!(
        "POST /f/{} HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: 192.0.2.7\r\n\
         Content-Type: multipart/form-data; boundary={EDGE}\r\nContent-Length: {length}\r\n\r\n",
        subject.form
    )
}

fn dripping_posts(subject: &Subject, stage: &Stage) -> String {
    let head = post_head(subject, 10 * MB + 1000);
    let part = "Content-Disposition: form-data; name=\"field_2\"; filename=\"a\"";
    let begun = format!("{head}--{EDGE}\r\n{part}\r\n\r\n");
    let file = vec![b'x'; 10 * MB - 100_000];
    let mut sockets: Vec<TcpStream> = Vec::new();
    for _ in 0..400 {
        let mut socket = connect(subject);
        let _ = socket.write_all(begun.as_bytes());
        let _ = socket.write_all(&file);
        sockets.push(socket);
    }
    stage.begin();
    while !stage.is_over() {
        for socket in &mut sockets {
            let _ = socket.write(&[b'x'; 200]);
        }
        thread::sleep(Duration::from_millis(100));
    }
    let tmp = std::fs::read_dir(subject.data.join("tmp")).expect("a folder");
    let kept = tmp.flatten().filter_map(|file| file.metadata().ok());
    let kept: u64 = kept.map(|file| file.len()).sum();
    format!("{} MB on the disk", kept >> 20)
}

fn endless_posts(subject: &Subject, stage: &Stage) -> String {
    let head = post_head(subject, 99_999_999_999);
    let mut sockets: Vec<TcpStream> = (0..640)
        .map(|_| {
            let mut socket = connect(subject);
            let _ = socket.write_all(head.as_bytes());
            socket
        })
        .collect();
    stage.begin();
    while !stage.is_over() {
        for socket in &mut sockets {
            let _ = socket.write(b"x");
        }
        thread::sleep(Duration::from_millis(100));
    }
    counted(sockets.iter_mut().map(status).collect())
}

fn hard_pattern(subject: &Subject, stage: &Stage) -> String {
    let path = format!("/api/v1/f/{}/entries", subject.form);
    let body = json!({"field_values": {"field_3": "01".repeat(25_000)}}).to_string();
    let request = load::post_as(&path, "application/json", "Connection: close\r\n", &body);
    let too_long = json!({"field_values": {"field_3": "01".repeat(500_000)}}).to_string();
    let too_long = load::post_as(&path, "application/json", "Connection: close\r\n", &too_long);
    let times = send_until(subject, stage, 16, |n| match n % 2 {
        0 => &request,
        _ => &too_long,
    });
    let field = json!({"type": "short_text", "label": "Hard", "pattern": "[01]*1[01]{8000}"});
    let refused = subject.status("/api/v1/forms", &json!({"name": "Hard", "fields": [field]}));
    format!("{times}; the pattern of 8,000 steps: {refused}")
}

fn large_bodies(subject: &Subject, stage: &Stage) -> String {
    let body = format!("[{}[]]", "[],".repeat(MB / 3 - 10));
    let close = "Connection: close\r\n";
    let request = load::post_as("/api/v1/oauth/token", "application/json", close, &body);
    send_until(subject, stage, 500, |_| &request)
}

/// Sends requests over this many concurrent connections, at most ten on each.
fn send_until<'r>(
    subject: &Subject,
    stage: &Stage,
    connections: usize,
    request: impl Fn(usize) -> &'r [u8] + Sync,
) -> String {
    let begun = Instant::now();
    stage.begin();
    let all = thread::scope(|scope| {
        let senders = (0..connections).map(|_| {
            scope.spawn(|| {
                let mut statuses = Vec::new();
                for n in 0..10 {
                    if stage.is_over() {
                        break;
                    }
                    let mut socket = connect(subject);
                    let patience = Some(Duration::from_secs(30));
                    socket.set_read_timeout(patience).expect("a time-out");
                    socket.set_write_timeout(patience).expect("a time-out");
                    let _ = socket.write_all(request(n));
                    statuses.push(status(&mut socket));
                }
                statuses
            })
        });
        let senders: Vec<_> = senders.collect();
        let all = senders.into_iter().flat_map(|it| it.join().expect("no panic"));
        all.collect::<Vec<_>>()
    });
    let (count, seconds) = (all.len(), begun.elapsed().as_secs_f64());
    format!("{count} in {seconds:.1} s: {}", counted(all))
}

fn slow_bodies(subject: &Subject, stage: &Stage) -> String {
    let entries = format!("/api/v1/forms/{}/entries", subject.form);
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{{\"entries\":",
            subject.token
        )
    };
    let nowhere = "/api/v1/forms/nowhere000/entries/bulk".to_owned();
    let paths = [format!("{entries}/bulk"), nowhere];
    let mut sockets: Vec<TcpStream> = (0..40)
        .map(|nth| {
            let mut socket = connect(subject);
            let _ = socket.write_all(head(&paths[nth % 2]).as_bytes());
            socket
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    let many = json!({"entries": [{"field_values": {"field_1": "x".repeat(20_000)}}]});
    subject.ask("POST", &paths[0], &many.to_string());
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    stage.begin();
    while !stage.is_over() {
        for socket in &mut sockets {
            let _ = socket.write(b" ");
        }
        thread::sleep(Duration::from_secs(1));
    }
    let statuses = sockets.iter_mut().map(status).collect();
    format!("a bulk beside them in {took:.0} ms; {}", counted(statuses))
}

fn unread_exports(subject: &Subject, stage: &Stage) -> String {
    let bulk = format!("/api/v1/forms/{}/entries/bulk", subject.form);
    let entry = json!({"field_values": {"field_4": "long ".repeat(2000)}});
    for _ in 0..20 {
        let entries = json!({"entries": vec![&entry; 1000]});
        subject.ask("POST", &bulk, &entries.to_string());
    }
    let path = format!("/api/v1/forms/{}/entries/export?format=csv", subject.form);
    let request = load::get(&path, Some(&subject.token));
    let mut statuses = Vec::new();
    let mut sockets = Vec::new();
    stage.begin();
    for _ in 0..1000 {
        let mut socket = connect(subject);
        let _ = socket.write_all(&request);
        statuses.push(status(&mut socket));
        sockets.push(socket);
    }
    while !stage.is_over() {
        thread::sleep(Duration::from_millis(50));
    }
    counted(statuses)
}
