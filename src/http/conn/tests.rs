//! The transport over real sockets, with short waits and a filter of its own. Cases without waiting are tested from
//! outside, on the built program.

use std::path::Path;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use warp::path::FullPath;
use warp::{Filter, Reply};

use hyper::StatusCode;

use super::*;
use crate::http::body::{BodyFault, read_limited};
use crate::http::budget::Budget;

const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// How long something that must happen is waited for, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(30);

/// Holds requests for `/slow` until the test lets them go.
struct Gate {
    came: Semaphore,
    opened: Semaphore,
}

impl Gate {
    fn closed() -> Arc<Self> {
        Arc::new(Self { came: Semaphore::new(0), opened: Semaphore::new(0) })
    }

    async fn pass(&self) {
        self.came.add_permits(1);
        self.opened.acquire().await.expect("never closed").forget();
    }

    /// Waits until a request is held.
    async fn holds_one(&self) {
        let came = timeout(PATIENCE, self.came.acquire()).await;
        came.expect("a request").expect("never closed").forget();
    }

    fn open(&self) {
        self.opened.add_permits(1);
    }
}

struct Server {
    address: SocketAddr,
    gate: Arc<Gate>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<usize>,
}

impl Server {
    async fn start() -> Server {
        Server::with(|_| {}, |_| {}).await
    }

    async fn with(limits: impl FnOnce(&mut Transport), waits: impl FnOnce(&mut Timeouts)) -> Server {
        let mut transport = Transport {
            listen: vec!["127.0.0.1:0".parse().expect("an address")],
            tls: None,
            max_connections: 4096,
            max_connections_per_address: None,
            trusted_proxies: Vec::new(),
            stall: PATIENCE,
            drain: PATIENCE,
        };
        limits(&mut transport);
        let mut listeners = bind(&transport).await.expect("a free port");
        waits(&mut listeners.shared.timeouts);
        let address = match listeners.listeners[0].address() {
            crate::http::listen::BoundAddr::Http(address) => *address,
            other => panic!("{other}"),
        };
        let (stop, stopped) = oneshot::channel();
        let stopped = async { drop(stopped.await) };
        let gate = Gate::closed();
        let serving = tokio::spawn(listeners.serve(filter(Arc::clone(&gate)), stopped));
        Server { address, gate, stop: Some(stop), serving }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    /// Sends on a connection of its own, and reads until the server closes it.
    async fn exchange(&self, sent: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect().await;
        stream.write_all(sent.as_ref()).await.expect("sent");
        read_all(&mut stream).await
    }
}

/// Answers with the size of the body, with much for `/big`, or behind the gate for `/slow`.
fn filter(gate: Arc<Gate>) -> HttpHandler {
    let filter = warp::path::full()
        .and(warp::body::stream())
        .and(warp::ext::get::<Peer>())
        .and(warp::any().map(move || Arc::clone(&gate)))
        .then(async |path: FullPath, body, peer: Peer, gate: Arc<Gate>| {
            if path.as_str() == "/slow" {
                gate.pass().await;
            }
            if path.as_str() == "/big" {
                return Response::new(vec![b'x'; 32 << 20].into());
            }
            assert_ne!(path.as_str(), "/panic");
            if path.as_str() == "/unread" {
                return StatusCode::PAYLOAD_TOO_LARGE.into_response();
            }
            let mut share = Budget::new(Duration::ZERO).share(None);
            match read_limited(body, 100_000, Duration::from_secs(5), &mut share).await {
                Ok(bytes) => format!("<{} from {}>", bytes.len(), peer.0.is_some()).into_response(),
                Err(BodyFault::Broken) => StatusCode::BAD_REQUEST.into_response(),
                Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
            }
        })
        .boxed();
    HttpHandler {
        filter,
        refuse: Arc::new(|refusal: Option<Refusal>, _| {
            let status = refusal.map_or(StatusCode::INTERNAL_SERVER_ERROR, Refusal::status);
            status.into_response()
        }),
        stopping: CancellationToken::new(),
    }
}

async fn read_all(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut got = Vec::new();
    // A reset ends the reading too: the bytes before it count.
    let read = timeout(PATIENCE, stream.read_to_end(&mut got)).await;
    assert!(read.is_ok(), "still open after {:?}", String::from_utf8_lossy(&got));
    String::from_utf8_lossy(&got).into_owned()
}

/// Whether the other end closes within the time.
async fn closes(stream: &mut TcpStream, within: Duration) -> bool {
    let mut got = Vec::new();
    timeout(within, stream.read_to_end(&mut got)).await.is_ok()
}

fn answers(got: &str) -> Vec<&str> {
    got.match_indices("HTTP/1.").map(|(at, _)| &got[at + 9..at + 12]).collect()
}

#[tokio::test]
async fn heads_have_a_deadline() {
    let server = Server::with(|_| {}, |waits| waits.head = Duration::from_millis(400)).await;
    let mut silent = server.connect().await;
    let mut dribbling = server.connect().await;
    let mut second_head = server.connect().await;
    second_head.write_all(format!("{GET}GET").as_bytes()).await.expect("sent");
    let mut idle = server.connect().await;
    idle.write_all(GET.as_bytes()).await.expect("sent");
    let dribble = async {
        while dribbling.write_all(b"G").await.is_ok() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    let ended = timeout(PATIENCE, dribble).await;
    assert!(ended.is_ok(), "still taken after {PATIENCE:?}");
    assert!(closes(&mut silent, PATIENCE).await);
    assert!(closes(&mut second_head, PATIENCE).await);
    assert!(!closes(&mut idle, Duration::from_secs(1)).await, "an idle connection has longer");
}

#[tokio::test]
async fn idle_connections_and_slow_readers_are_closed() {
    let shorten = |waits: &mut Timeouts| {
        waits.idle = Duration::from_millis(600);
        waits.stall = Duration::from_millis(600);
    };
    let server = Server::with(|_| {}, shorten).await;
    let mut idle = server.connect().await;
    idle.write_all(GET.as_bytes()).await.expect("sent");
    let mut slow = server.connect().await;
    slow.write_all(b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
    assert!(closes(&mut idle, PATIENCE).await);
    sleep(Duration::from_millis(600)).await;
    let mut got = Vec::new();
    let _ = timeout(PATIENCE, slow.read_to_end(&mut got)).await.expect("closed");
    assert!(got.len() < 32 << 20, "all of it came");
    // A client that reads gets the whole answer.
    let server = Server::start().await;
    assert!(server.exchange("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.len() > 32 << 20);
}

#[tokio::test]
async fn a_panic_is_one_answer() {
    let server = Server::start().await;
    let got = server.exchange(format!("GET /panic HTTP/1.1\r\nHost: a\r\n\r\n{GET}")).await;
    assert_eq!(answers(&got), ["500"], "{got}");
    assert_eq!(answers(&server.exchange("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n").await), ["400"]);
}

#[tokio::test]
async fn an_answer_before_the_end_of_the_request_arrives() {
    let server = Server::with(|_| {}, |waits| waits.linger = Duration::from_secs(2)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n").await.expect("sent");
    for _ in 0..20 {
        stream.write_all(&[b'x'; 100_000]).await.expect("the server still reads");
    }
    let got = read_all(&mut stream).await;
    assert_eq!(answers(&got), ["413"], "{got}");
}

#[tokio::test]
async fn caps_hold_and_the_busy_come_first() {
    let server = Server::with(|limits| limits.max_connections_per_address = Some(3), |_| {}).await;
    let mut within = vec![server.connect().await, server.connect().await];
    for stream in &mut within {
        stream.write_all(GET.as_bytes()).await.expect("sent");
        stream.read_u8().await.expect("an answer");
    }
    let ask = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    assert_eq!(answers(&server.exchange(ask).await), ["200"]);
    within.push(server.connect().await);
    within[2].write_all(GET.as_bytes()).await.expect("sent");
    within[2].read_u8().await.expect("an answer");
    assert_eq!(server.exchange("").await, "", "the fourth is refused");
    within.clear();
    let room = async { while answers(&server.exchange(ask).await) != ["200"] {} };
    timeout(PATIENCE, room).await.expect("there is room again");

    let server = Server::with(|limits| limits.max_connections = 4, |_| {}).await;
    let mut busy = server.connect().await;
    busy.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
    server.gate.holds_one().await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(server.connect().await);
    }
    assert_eq!(answers(&server.exchange(ask).await), ["200"], "idle ones give way");
    server.gate.open();
    busy.read_u8().await.expect("the busy one is answered");
}

#[tokio::test]
async fn a_request_in_flight_is_answered_at_the_end() {
    let mut server = Server::start().await;
    let mut idle = server.connect().await;
    idle.write_all(GET.as_bytes()).await.expect("sent");
    let mut flying = server.connect().await;
    flying.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
    server.gate.holds_one().await;
    drop(server.stop.take());
    assert!(closes(&mut idle, PATIENCE).await);
    assert!(TcpStream::connect(server.address).await.is_err(), "new clients are refused");
    server.gate.open();
    assert_eq!(answers(&read_all(&mut flying).await), ["200"]);
    let ended = timeout(PATIENCE, server.serving).await;
    assert_eq!(ended.expect("it ends").expect("no panic"), 0);

    let mut server = Server::with(|limits| limits.drain = Duration::from_millis(100), |_| {}).await;
    let mut cut = server.connect().await;
    cut.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
    server.gate.holds_one().await;
    drop(server.stop.take());
    assert_eq!(server.serving.await.expect("no panic"), 1);
    assert_eq!(read_all(&mut cut).await, "");
}

#[tokio::test]
async fn unix_sockets_are_served_and_cleaned_up() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("http.sock");
    drop(std::os::unix::net::UnixListener::bind(&path)); // What a killed server leaves.
    let on = |path: &Path| Transport {
        listen: vec![ListenOn::Unix(path.to_owned())],
        tls: None,
        max_connections: 4,
        max_connections_per_address: Some(1),
        trusted_proxies: Vec::new(),
        stall: PATIENCE,
        drain: Duration::from_secs(1),
    };
    let listeners = bind(&on(&path)).await.expect("a socket");
    assert_eq!(listeners.urls(), [format!("unix:{}", path.display())]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o660);
    let taken = bind(&on(&path)).await.expect_err("taken").to_string();
    assert!(taken.contains("another server answers there"), "{taken}");
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listeners.serve(filter(Gate::closed()), async { drop(stopped.await) }));
    for _ in 0..2 {
        let mut stream = UnixStream::connect(&path).await.expect("a connection");
        stream.write_all(b"GET / HTTP/1.0\r\nHost: a\r\n\r\n").await.expect("sent");
        assert!(read_all(&mut stream).await.contains("<0 from false>"));
    }
    drop(stop);
    serving.await.expect("no panic");
    assert!(!path.exists());
    std::fs::write(&path, "precious").expect("a file");
    let refused = bind(&on(&path)).await.expect_err("no socket").to_string();
    assert!(refused.contains("is not a socket") && path.exists(), "{refused}");
}
