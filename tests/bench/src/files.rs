//! Files: uploads by `PUT` against a copy of the same file, downloads against nginx on the same disk, many small files
//! against a loop that writes them, and the memory of many uploads at once.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Plan;
use crate::process::Running;
use crate::subject::Subject;
use crate::table::Table;

const MB: u64 = 1 << 20;
/// The size of the large file.
const LARGE: u64 = 512 * MB;
const ROUNDS: u64 = 5;
/// The size of a range.
const RANGE: u64 = MB;
const RANGES: u64 = 4_000;
const RANGE_CONNECTIONS: u64 = 4;
pub const SMALL_FILES: u64 = 10_000;
const SENDERS: u64 = 16;
const PARALLEL: u64 = 50;
const PARALLEL_SIZE: u64 = 100 * MB;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
const PIECE: usize = 256 << 10;

/// Incompressible bytes, the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(8) {
            piece.copy_from_slice(&self.next().to_le_bytes()[..piece.len()]);
        }
    }
}

/// A keep-alive connection, with the bytes read beyond the last head.
struct KeepAlive {
    socket: TcpStream,
    buffer: Vec<u8>,
}

/// The head of an answer.
struct Head {
    text: String,
    length: u64,
    /// How much of the body is in the buffer.
    buffered: usize,
}

impl KeepAlive {
    fn open(base: &str) -> Self {
        let socket = TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
        socket.set_nodelay(true).expect("no delay");
        Self { socket, buffer: vec![0; PIECE] }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).expect("sends");
    }

    /// Sends a part of a file, from the page cache to the socket if the system can.
    fn send_part(&mut self, file: &mut File, from: u64, length: u64) {
        file.seek(SeekFrom::Start(from)).expect("seeks");
        let sent = std::io::copy(&mut file.take(length), &mut self.socket).expect("sends");
        assert_eq!(sent, length);
    }

    fn head(&mut self) -> Head {
        let mut read = 0;
        loop {
            let more = self.socket.read(&mut self.buffer[read..]).expect("answers");
            assert!(more > 0, "the server closed");
            read += more;
            let end = self.buffer[..read].windows(4).position(|at| at == b"\r\n\r\n");
            if let Some(end) = end {
                let text = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
                let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length = length.map_or(0, |length| length.parse().expect("a length"));
                self.buffer.copy_within(end + 4..read, 0);
                return Head { text, length, buffered: read - end - 4 };
            }
        }
    }

    /// Reads an answer whose status begins like this; returns its body.
    fn answer(&mut self, status: &str) -> Vec<u8> {
        let head = self.head();
        let mut body = self.buffer[..head.buffered].to_vec();
        while (body.len() as u64) < head.length {
            let read = self.socket.read(&mut self.buffer).expect("answers");
            assert!(read > 0, "the server closed");
            body.extend_from_slice(&self.buffer[..read]);
        }
        let begin = format!("http/1.1 {status}");
        let said = String::from_utf8_lossy(&body);
        assert!(head.text.starts_with(&begin), "{} {said}", head.text);
        body
    }

    /// Reads an answer and discards its body; returns the length.
    fn discard(&mut self) -> u64 {
        let head = self.head();
        assert!(head.text.starts_with("http/1.1 20"), "{}", head.text);
        let mut left = head.length - head.buffered as u64;
        while left > 0 {
            let read = self.socket.read(&mut self.buffer).expect("answers");
            assert!(read > 0, "the server closed");
            left -= read as u64;
        }
        head.length
    }

    fn post(&mut self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(request.as_bytes());
        let answer = self.answer("201");
        serde_json::from_slice(&answer).expect("JSON")
    }

    /// Announces a file; returns its id and upload address.
    fn prepare(&mut self, form: &str, size: u64) -> (String, String) {
        let body = json!({
            "field_api_code": "field_1", "file_name": "a.bin",
            "content_type": "application/octet-stream", "file_size": size,
        });
        let made = self.post(&format!("/api/v1/f/{form}/entry_attachments"), &body);
        let text = |key: &str| made["data"][key].as_str().expect("a text").to_owned();
        (text("upload_id"), path_of(&text("upload_url")))
    }

    fn put(&mut self, path: &str, size: u64, body: impl FnOnce(&mut Self)) {
        let head = format!(
            "PUT {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/octet-stream\r\n\
             Content-Length: {size}\r\n\r\n"
        );
        self.send(head.as_bytes());
        body(self);
        self.answer("200");
    }

    fn submit(&mut self, form: &str, upload: &str) -> Value {
        let body = json!({"field_values": {"field_1": [upload]}});
        self.post(&format!("/api/v1/f/{form}/entries"), &body)
    }
}

/// An address without scheme and host.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..]).to_owned()
}

fn sync_folder(path: &Path) {
    let folder = path.parent().expect("a folder");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("flushed");
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// A file of noise.
fn source(dir: &Path) -> PathBuf {
    let path = dir.join("source");
    let mut file = File::create(&path).expect("a file");
    let (mut noise, mut piece) = (Noise(88_172_645_463_325_252), vec![0; 1 << 20]);
    for _ in 0..LARGE / MB {
        noise.fill(&mut piece);
        file.write_all(&piece).expect("written");
    }
    file.sync_all().expect("flushed");
    path
}

/// Copies the file and syncs it; in MB per second.
fn copy(source: &Path, dir: &Path) -> f64 {
    let path = dir.join("copy");
    let begun = Instant::now();
    let mut to = File::create(&path).expect("a file");
    std::io::copy(&mut File::open(source).expect("a file"), &mut to).expect("copied");
    to.sync_all().expect("flushed");
    sync_folder(&path);
    let took = begun.elapsed().as_secs_f64();
    fs::remove_file(&path).expect("removed");
    (LARGE / MB) as f64 / took
}

/// Uploads the file, rotated by some bytes so that no two are alike; returns MB per second and the id.
fn upload(subject: &Subject, source: &Path, turn: u64) -> (f64, String) {
    let mut connection = KeepAlive::open(&subject.server.base);
    let (id, path) = connection.prepare(&subject.form, LARGE);
    let mut file = File::open(source).expect("a file");
    let begun = Instant::now();
    connection.put(&path, LARGE, |connection| {
        connection.send_part(&mut file, turn, LARGE - turn);
        connection.send_part(&mut file, 0, turn);
    });
    ((LARGE / MB) as f64 / begun.elapsed().as_secs_f64(), id)
}

/// A running nginx. Its workers end when it is told to stop, but not when it is killed.
struct Nginx {
    running: Running,
    program: PathBuf,
    dir: PathBuf,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let mut stop = Command::new(&self.program);
        stop.arg("-p").arg(&self.dir).args(["-c", "nginx.conf", "-s", "stop"]);
        let _ = stop.stderr(Stdio::null()).status();
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// nginx over a folder of the data directory, with a prefix of its own.
fn nginx(program: &Path, dir: &Path, root: &Path) -> Nginx {
    let dir = dir.join("nginx");
    fs::create_dir_all(dir.join("logs")).expect("a folder");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    // Debian's own configuration, but for logs and the number of requests on a connection.
    let conf = format!(
        "worker_processes auto; pid nginx.pid; error_log stderr crit;\n\
         events {{ worker_connections 768; }}\n\
         http {{ sendfile on; tcp_nopush on; access_log off; keepalive_requests 1000000;\n\
         default_type application/octet-stream;\n\
         client_body_temp_path logs/a; proxy_temp_path logs/b; fastcgi_temp_path logs/c;\n\
         uwsgi_temp_path logs/d; scgi_temp_path logs/e;\n\
         server {{ listen 127.0.0.1:{port}; root {}; }} }}\n",
        root.display()
    );
    // As root its workers would run as a user who can't read the folder.
    let user = Command::new("id").arg("-un").output().expect("id runs");
    let user = String::from_utf8_lossy(&user.stdout).trim().to_owned();
    let user = if user == "root" { "user root;\n" } else { "" };
    fs::write(dir.join("nginx.conf"), format!("{user}{conf}")).expect("written");
    let child = Command::new(program)
        .arg("-p")
        .arg(&dir)
        .args(["-c", "nginx.conf", "-g", "daemon off;"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    Nginx { running: Running::at(format!("http://127.0.0.1:{port}"), child), program: program.to_owned(), dir }
}

fn get(path: &str, range: Option<u64>) -> String {
    let range = range.map_or_else(String::new, |from| format!("Range: bytes={from}-{}\r\n", from + RANGE - 1));
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{range}\r\n")
}

/// Downloads a whole file; in MB per second.
fn download(base: &str, path: &str) -> f64 {
    let mut connection = KeepAlive::open(base);
    let begun = Instant::now();
    connection.send(get(path, None).as_bytes());
    assert_eq!(connection.discard(), LARGE);
    (LARGE / MB) as f64 / begun.elapsed().as_secs_f64()
}

/// Reads scattered ranges of a file; ranges per second.
fn ranges(base: &str, path: &str) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for who in 0..RANGE_CONNECTIONS {
            scope.spawn(move || {
                let (mut connection, mut noise) = (KeepAlive::open(base), Noise(who + 1));
                for _ in 0..RANGES / RANGE_CONNECTIONS {
                    let from = noise.next() % (LARGE - RANGE);
                    connection.send(get(path, Some(from)).as_bytes());
                    assert_eq!(connection.discard(), RANGE);
                }
            });
        }
    });
    RANGES as f64 / begun.elapsed().as_secs_f64()
}

/// Alternates several measurements of both; returns the medians.
fn by_turns(ours: impl Fn() -> f64, theirs: impl Fn() -> f64) -> (f64, f64) {
    let _ = (ours(), theirs());
    let rounds = (0..ROUNDS).map(|_| (ours(), theirs()));
    let (ours, theirs): (Vec<f64>, Vec<f64>) = rounds.unzip();
    (median(ours), median(theirs))
}

fn downloads(subject: &Subject, program: &Path, dir: &Path, link: &str, table: &mut Table) {
    let blobs = subject.data.join("blobs");
    let largest = largest_in(&blobs);
    let server = nginx(program, dir, &blobs);
    let theirs = format!("/{}", largest.strip_prefix(&blobs).expect("inside").display());
    let (base, other) = (&subject.server.base, &server.running.base);
    let (own, peer) = by_turns(|| download(base, link), || download(other, &theirs));
    let work = "download of 512 MB";
    table.ratio_of(work, own, " MB/s", "nginx", peer, 0.7);
    let (own, peer) = by_turns(|| ranges(base, link), || ranges(other, &theirs));
    let work = "ranges of 1 MB, 4 connections";
    table.ratio_of(work, own, "/s", "nginx", peer, 0.7);
}

/// The largest stored file.
fn largest_in(blobs: &Path) -> PathBuf {
    let folders = fs::read_dir(blobs).expect("a folder").flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder.path()).ok());
    let files = files.flatten().flatten().map(|file| file.path());
    files.max_by_key(|path| fs::metadata(path).map_or(0, |file| file.len())).expect("a file")
}

fn small(n: u64) -> Vec<u8> {
    let mut noise = Noise(n + 1);
    let mut bytes = vec![0; usize::try_from(1024 + noise.next() % 3073).expect("small")];
    noise.fill(&mut bytes);
    bytes
}

/// Announces, uploads and submits small files; files per second.
pub fn small_files(subject: &Subject) -> f64 {
    let (base, form) = (&*subject.server.base, &*subject.form);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for who in 0..SENDERS {
            scope.spawn(move || {
                let mut connection = KeepAlive::open(base);
                for n in (who..SMALL_FILES).step_by(SENDERS as usize) {
                    let bytes = small(n);
                    let size = bytes.len() as u64;
                    let (id, path) = connection.prepare(form, size);
                    connection.put(&path, size, |connection| connection.send(&bytes));
                    connection.submit(form, &id);
                }
            });
        }
    });
    SMALL_FILES as f64 / begun.elapsed().as_secs_f64()
}

/// Writes the same files one after the other, syncing each with its folder; files per second.
fn small_loop(dir: &Path) -> f64 {
    let dir = dir.join("loop");
    fs::create_dir_all(&dir).expect("a folder");
    let begun = Instant::now();
    for n in 0..SMALL_FILES {
        let path = dir.join(n.to_string());
        let mut file = File::create(&path).expect("a file");
        file.write_all(&small(n)).expect("written");
        file.sync_all().expect("flushed");
        sync_folder(&path);
    }
    let rate = SMALL_FILES as f64 / begun.elapsed().as_secs_f64();
    fs::remove_dir_all(&dir).expect("removed");
    rate
}

/// Many large uploads at once: memory above idle, and throughput.
fn parallel(subject: &Subject, source: &Path, table: &mut Table) {
    let (base, form) = (&*subject.server.base, &*subject.form);
    let idle = subject.server.memory_mb();
    let begun = Instant::now();
    let most = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..PARALLEL)
            .map(|n| {
                scope.spawn(move || {
                    let mut connection = KeepAlive::open(base);
                    let (_, path) = connection.prepare(form, PARALLEL_SIZE);
                    let mut file = File::open(source).expect("a file");
                    connection.put(&path, PARALLEL_SIZE, |connection| {
                        connection.send_part(&mut file, n * 8 * MB, PARALLEL_SIZE);
                    });
                })
            })
            .collect();
        let mut most = idle;
        while senders.iter().any(|sender| !sender.is_finished()) {
            most = most.max(subject.server.memory_mb());
            std::thread::sleep(BETWEEN_LOOKS);
        }
        most
    });
    let rate = (PARALLEL * PARALLEL_SIZE / MB) as f64 / begun.elapsed().as_secs_f64();
    // Resident memory, as any observer sees it. An earlier peak would hide it.
    let work = "memory while 50 files of 100 MB come, above idle";
    table.limit(work, most - idle, "MB", 64.0);
    table.note("those", &format!("{rate:.0} MB/s"));
}

/// Runs all measurements.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-files-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a folder");
    let flags = ["--rate-limits", "off", "--max-upload-mb", "1024"];
    let fields = json!([{"type": "attachment", "label": "File", "max_size": 1024}]);
    let subject = Subject::start_with(&plan.program, &dir, &flags, &fields);
    let source = source(&dir);
    parallel(&subject, &source, &mut table);

    let (mut copies, mut uploads, mut id) = (Vec::new(), Vec::new(), String::new());
    for turn in 0..=ROUNDS {
        let copied = copy(&source, &dir);
        let uploaded = upload(&subject, &source, turn * MB);
        // The first round only warms up.
        if turn > 0 {
            copies.push(copied);
            uploads.push(uploaded.0);
        }
        id = uploaded.1;
    }
    let work = "upload of 512 MB";
    let (ours, theirs) = (median(uploads), median(copies));
    table.ratio_of(work, ours, " MB/s", "a copy that is flushed", theirs, 0.6);

    let stored = KeepAlive::open(&subject.server.base).submit(&subject.form, &id);
    let file = &stored["data"]["entry"]["field_1"][0];
    let link = path_of(file["url"].as_str().expect("a link"));
    match &plan.nginx {
        Some(program) => downloads(&subject, program, &dir, &link, &mut table),
        None => table.note("downloads beside nginx", "left out: there is no nginx"),
    }

    let (own, theirs) = (small_files(&subject), small_loop(&dir));
    table.note(
        "10,000 files of 1 to 4 KB, prepared, sent and submitted",
        &format!("{own:.0} files/s; a loop that writes and flushes them {theirs:.0}/s: {:.2}", own / theirs),
    );
    table.note("memory after that", &format!("{:.0} MB", subject.server.memory_mb()));
    drop(subject);
    let _ = fs::remove_dir_all(&dir);
    table
}
