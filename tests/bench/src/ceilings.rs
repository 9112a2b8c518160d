//! What the same HTTP library and database give when a program does next to nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::oneshot;
use warp::Filter as _;

const BATCH: usize = 256;

type Job = (String, oneshot::Sender<()>);

/// Serves one ceiling until it is killed; prints its port first.
pub fn run(name: &str, dir: Option<PathBuf>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // Bound and let go again: the next line takes the same port.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|socket| socket.local_addr())
            .expect("a port")
            .port();
        println!("listening on http://127.0.0.1:{port}");
        let body =
            r#"{"data":{"serial_number":1,"token":"abcdefghijklmnopqrstuv","field_1":"Ada"}}"#;
        match name {
            "constant" => {
                let all = warp::any().map(move || body);
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            "json" => {
                let all = warp::body::bytes().map(move |bytes: Bytes| {
                    let parsed: serde_json::Value =
                        serde_json::from_slice(&bytes).unwrap_or_default();
                    drop(parsed);
                    body
                });
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            "single" | "grouped" => {
                let batch = if name == "grouped" { BATCH } else { 1 };
                let queue = Arc::new(writer(&dir.expect("a folder"), batch));
                let all = warp::body::bytes().then(move |bytes: Bytes| {
                    let queue = Arc::clone(&queue);
                    async move {
                        let parsed: serde_json::Value =
                            serde_json::from_slice(&bytes).unwrap_or_default();
                        let (done, stored) = oneshot::channel();
                        queue
                            .send((parsed.to_string(), done))
                            .expect("the writer runs");
                        stored.await.expect("it is stored");
                        body
                    }
                });
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            other => panic!("no ceiling is called {other}"),
        }
    });
}

fn writer(dir: &Path, batch: usize) -> SyncSender<Job> {
    let connection = Connection::open(dir.join("ceiling.db")).expect("a database");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; \
             CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)",
        )
        .expect("a table");
    let (queue, jobs) = sync_channel(1024);
    std::thread::spawn(move || store(&connection, &jobs, batch));
    queue
}

fn store(connection: &Connection, jobs: &Receiver<Job>, batch: usize) {
    while let Ok(first) = jobs.recv() {
        let mut done = Vec::new();
        connection.execute_batch("BEGIN IMMEDIATE").expect("begins");
        let mut next = Some(first);
        while let Some((body, reply)) = next {
            connection
                .prepare_cached("INSERT INTO rows (body) VALUES (?1)")
                .and_then(|mut insert| insert.execute([body]))
                .expect("is stored");
            done.push(reply);
            next = if done.len() < batch {
                jobs.try_recv().ok()
            } else {
                None
            };
        }
        connection.execute_batch("COMMIT").expect("commits");
        for reply in done {
            let _ = reply.send(());
        }
    }
}
