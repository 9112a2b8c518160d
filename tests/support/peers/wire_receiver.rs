//! A receiver of webhooks for tests of the wire: it answers with any bytes, over TCP or TLS, at any address, and keeps
//! requests with their line, headers and connection. Tests of deliveries and their order use `receiver`.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::until;
use serde_json::Value;

/// Something that can be read and written.
pub trait Wire: Read + Write {}
impl<S: Read + Write> Wire for S {}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Got {
    /// `POST /path HTTP/1.1`
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// On which of the connections, from 0.
    pub connection: usize,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().unwrap_or_else(|| panic!("no {name}: {self:?}"));
        assert!(found.next().is_none(), "{name} twice: {self:?}");
        &value.1
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// A running receiver. It ends with the test's process.
pub struct Receiver {
    pub address: SocketAddr,
    got: Arc<Mutex<Vec<Got>>>,
}

type Answer = dyn Fn(&mut dyn Wire, usize) + Send + Sync;

impl Receiver {
    /// One on this machine that answers each request with this status.
    pub fn with_status(status: u16) -> Self {
        Self::start(move |socket, _| answer(socket, status))
    }

    /// One on this machine that answers the n-th request, from 0, by this function.
    pub fn start(answer: impl Fn(&mut dyn Wire, usize) + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1:0", answer)
    }

    /// The same at another address.
    pub fn on(address: &str, answer: impl Fn(&mut dyn Wire, usize) + Send + Sync + 'static) -> Self {
        Self::over(address, |socket| Some(Box::new(socket)), answer)
    }

    /// The same over each connection as `wrap` transforms it, such as TLS.
    pub fn over(
        address: &str,
        wrap: impl Fn(TcpStream) -> Option<Box<dyn Wire>> + Send + Sync + 'static,
        answer: impl Fn(&mut dyn Wire, usize) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("an address");
        let got = Arc::new(Mutex::new(Vec::new()));
        let (to, wrap) = (Arc::clone(&got), Arc::new(wrap));
        let answer: Arc<Answer> = Arc::new(answer);
        std::thread::spawn(move || {
            for (connection, socket) in listener.incoming().enumerate() {
                let Ok(socket) = socket else { break };
                let (to, wrap, answer) = (Arc::clone(&to), Arc::clone(&wrap), Arc::clone(&answer));
                std::thread::spawn(move || {
                    if let Some(wire) = wrap(socket) {
                        serve(wire, connection, &to, &*answer);
                    }
                });
            }
        });
        Self { address, got }
    }

    /// Its address as a webhook's.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The messages that arrived so far.
    pub fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no panic").clone()
    }

    /// Waits until so much has arrived.
    pub fn wait_for(&self, count: usize) -> Vec<Got> {
        until(&format!("{count} deliveries"), || self.got.lock().expect("no panic").len() >= count);
        self.got()
    }
}

fn serve(wire: Box<dyn Wire>, connection: usize, to: &Mutex<Vec<Got>>, answer: &Answer) {
    let mut reader = BufReader::new(wire);
    while let Some(got) = read(&mut reader, connection) {
        let number = {
            let mut all = to.lock().expect("no panic");
            all.push(got);
            all.len() - 1
        };
        answer(reader.get_mut(), number);
    }
}

fn read(reader: &mut BufReader<Box<dyn Wire>>, connection: usize) -> Option<Got> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Got { line: line.trim_end().to_owned(), headers, body, connection })
}

/// An answer without content.
pub fn answer(socket: &mut dyn Wire, status: u16) {
    raw(socket, &format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n"));
}

/// Any bytes; the other side may be gone.
pub fn raw(socket: &mut dyn Wire, text: &str) {
    let _ = socket.write_all(text.as_bytes());
    let _ = socket.flush();
}
