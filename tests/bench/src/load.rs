//! The client: keep-alive connections on one thread, each sending its next request after the complete answer to the
//! last. The same for everything measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Makes the n-th request.
pub type Make = Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

/// The result of one measurement.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// How many answers there were.
    pub count: u64,
    /// Answers per second.
    pub rate: f64,
    pub seconds: f64,
    /// Median latency in milliseconds.
    pub p50: f64,
    /// 99th percentile in milliseconds.
    pub p99: f64,
}

/// A request with a body.
pub fn post(path: &str, kind: &str, body: &str) -> Vec<u8> {
    post_as(path, kind, "", body)
}

/// A request with a body and headers, each ended by a line break.
pub fn post_as(path: &str, kind: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\n{headers}Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A request with a JSON body and an access token.
pub fn post_json(path: &str, token: &str, body: &str) -> Vec<u8> {
    let auth = format!("Authorization: Bearer {token}\r\n");
    post_as(path, "application/json", &auth, body)
}

/// A request without a body.
pub fn get(path: &str, token: Option<&str>) -> Vec<u8> {
    let auth = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{auth}\r\n").into_bytes()
}

/// Sends requests over this many connections for a while; every answer must have one of these statuses.
pub fn run(base: &str, connections: usize, seconds: f64, statuses: &[u16], make: &Make) -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(drive(base, connections, Until::Time(Duration::from_secs_f64(seconds)), statuses, make))
}

/// Sends this many requests.
pub fn fill(base: &str, connections: usize, count: u64, statuses: &[u16], make: &Make) -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(drive(base, connections, Until::Count(count), statuses, make))
}

/// Sends requests until something is over.
pub fn run_until(base: &str, connections: usize, is_over: &Arc<AtomicBool>, statuses: &[u16], make: &Make) -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(drive(base, connections, Until::Over(Arc::clone(is_over)), statuses, make))
}

#[derive(Clone)]
enum Until {
    Time(Duration),
    Count(u64),
    Over(Arc<AtomicBool>),
}

static NEXT: AtomicU64 = AtomicU64::new(0);

async fn drive(base: &str, connections: usize, until: Until, statuses: &[u16], make: &Make) -> Measured {
    let address = base.trim_start_matches("http://").to_owned();
    let first = NEXT.load(Ordering::Relaxed);
    let begun = Instant::now();
    let tasks = tokio::task::LocalSet::new();
    let mut all = Vec::new();
    for _ in 0..connections {
        let (address, make, statuses, until) = (address.clone(), Arc::clone(make), statuses.to_vec(), until.clone());
        all.push(tasks.spawn_local(async move {
            let mut socket = TcpStream::connect(&address).await.expect("connects");
            socket.set_nodelay(true).expect("no delay");
            let mut times = Vec::new();
            let mut buffer = Vec::with_capacity(64 << 10);
            loop {
                let n = NEXT.fetch_add(1, Ordering::Relaxed);
                let over = match &until {
                    Until::Time(limit) => begun.elapsed() >= *limit,
                    Until::Count(count) => n >= first + count,
                    Until::Over(is_over) => is_over.load(Ordering::Relaxed),
                };
                if over {
                    return times;
                }
                let request = make(n);
                let sent = Instant::now();
                socket.write_all(&request).await.expect("sends");
                let status = answer(&mut socket, &mut buffer).await;
                assert!(statuses.contains(&status), "{status}: {}", String::from_utf8_lossy(&buffer));
                times.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
            }
        }));
    }
    let mut times = Vec::new();
    tasks
        .run_until(async {
            for task in all {
                times.extend(task.await.expect("no panic"));
            }
        })
        .await;
    let took = begun.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |share: f64| {
        let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |micros| f64::from(*micros) / 1000.0)
    };
    let count = times.len() as u64;
    Measured { count, rate: count as f64 / took, seconds: took, p50: at(0.5), p99: at(0.99) }
}

/// Reads one answer and returns its status. The bytes read stay in the buffer.
async fn answer(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> u16 {
    buffer.clear();
    let mut whole = None;
    loop {
        match whole {
            Some(Some(length)) if buffer.len() >= length => break,
            // Chunked: the last chunk is empty.
            Some(None) if buffer.ends_with(b"\r\n0\r\n\r\n") => break,
            _ => {}
        }
        let read = socket.read_buf(buffer).await.expect("reads");
        assert!(read > 0, "the server closed: {}", String::from_utf8_lossy(buffer));
        if whole.is_none()
            && let Some(end) = find(buffer, b"\r\n\r\n")
        {
            whole = Some(length(&buffer[..end]).map(|length| end + 4 + length));
        }
    }
    std::str::from_utf8(&buffer[9..12]).ok().and_then(|status| status.parse().ok()).expect("a status")
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// The length of the body; `None` if it is chunked.
fn length(head: &[u8]) -> Option<usize> {
    let head = String::from_utf8_lossy(head);
    let header = |wanted: &str| {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim().to_owned())
    };
    if header("transfer-encoding").is_some() {
        return None;
    }
    Some(header("content-length").map_or(0, |value| value.parse().expect("a length")))
}
