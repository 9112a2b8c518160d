//! The throughput of the same HTTP library and database in a program that does next to nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;
use warp::Filter as _;

const BATCH: usize = 256;

type Job = (String, oneshot::Sender<()>);

/// Serves one ceiling until it is killed; prints its port first.
pub fn run(name: &str, dir: Option<PathBuf>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // Bound and released: the next line binds the same port.
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        println!("listening on http://127.0.0.1:{port}");
        let body = r#"{"data":{"serial_number":1,"token":"abcdefghijklmnopqrstuv","field_1":"Ada"}}"#;
        match name {
            "constant" => {
                let all = warp::any().map(move || body);
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            "json" => {
                let all = warp::body::bytes().map(move |bytes: Bytes| {
                    let parsed: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
                    drop(parsed);
                    body
                });
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            "row" => {
                let rows = Arc::new(Mutex::new(read_only(&dir.expect("a database"))));
                let all = warp::path::param().map(move |id: i64| {
                    let rows = rows.lock().expect("no panic");
                    rows.prepare_cached("SELECT \"values\" FROM entries WHERE id = ?1")
                        .and_then(|mut select| select.query_row([id], |row| row.get::<_, String>(0)))
                        .expect("a row")
                });
                warp::serve(all).run(([127, 0, 0, 1], port)).await;
            }
            "single" | "grouped" => {
                let batch = if name == "grouped" { BATCH } else { 1 };
                let queue = Arc::new(writer(&dir.expect("a folder"), batch));
                let all = warp::body::bytes().then(move |bytes: Bytes| {
                    let queue = Arc::clone(&queue);
                    async move {
                        let parsed: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
                        let (done, stored) = oneshot::channel();
                        queue.send((parsed.to_string(), done)).expect("the writer runs");
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

/// A connection for reading, with as little memory as one of formsvc's.
pub fn read_only(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).expect("a database");
    connection.execute_batch("PRAGMA cache_size = -2048").expect("a pragma");
    connection
}

/// A table `rows` with nothing but JSONB values.
pub fn jsonb(path: &Path, bodies: impl Iterator<Item = String>) {
    let mut connection = Connection::open(path).expect("a database");
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)").expect("a table");
    let tx = connection.transaction().expect("begins");
    {
        let mut insert = tx.prepare("INSERT INTO rows (body) VALUES (jsonb(?1))").expect("an insert");
        bodies.for_each(|body| {
            insert.execute([body]).expect("is stored");
        });
    }
    tx.commit().expect("commits");
}

/// Counts the rows that meet a condition, and reads the newest 20.
pub fn scan(rows: &Connection, condition: &str) -> i64 {
    let mut ids = rows.prepare(&format!("SELECT id FROM rows WHERE {condition} ORDER BY id")).expect("a query");
    let found: Vec<i64> = ids.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("rows");
    for id in found.iter().rev().take(20) {
        let body = "SELECT json(body) FROM rows WHERE id = ?1";
        let text = rows.query_row(body, [id], |row| row.get::<_, String>(0));
        drop(text.expect("a row"));
    }
    found.len() as i64
}

/// Reads the stored values of a form's entries and writes their text to a socket; returns the number of entries.
pub fn copy_rows(rows: &Connection, form_no: i64, to: &mut impl std::io::Write) -> usize {
    let mut select =
        rows.prepare("SELECT \"values\" FROM entries WHERE id > ?1 AND id < ?2 ORDER BY id").expect("a query");
    let mut rows = select.query([form_no << 32, (form_no + 1) << 32]).expect("rows");
    let mut count = 0;
    while let Some(row) = rows.next().expect("a row") {
        let text = row.get_ref(0).and_then(|text| Ok(text.as_bytes()?));
        to.write_all(text.expect("a text")).expect("takes it");
        to.write_all(b"\n").expect("takes it");
        count += 1;
    }
    count
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
            next = if done.len() < batch { jobs.try_recv().ok() } else { None };
        }
        connection.execute_batch("COMMIT").expect("commits");
        for reply in done {
            let _ = reply.send(());
        }
    }
}
