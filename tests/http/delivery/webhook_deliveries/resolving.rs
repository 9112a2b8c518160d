//! Names: every address that a name has is judged, and one that was judged is connected to (S71). In a network of its
//! own, with a resolver of the test's own.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::peers::wire_receiver::{Receiver, answer};
use support::{Caller, Form, Server, means, text};

use super::NOT_PUBLIC;
use crate::delivery::{Webhook, enter, has_in, told, until_shown};

/// Set within its own network.
const INSIDE: &str = "TEST_IN_OWN_NETWORK";

/// Addresses that are public, on this network's loopback.
const PUBLIC: &str = "9.9.9.10";
const OTHER: &str = "9.9.9.11";
const PUBLIC_6: &str = "2620:fe::10";

const SET_UP: &str = "set -e
    ip link set lo up
    for address in 9.9.9.10/32 9.9.9.11/32 10.1.2.3/32 169.254.169.254/32 100.64.0.1/32; do
        ip addr add $address dev lo
    done
    for address in 2620:fe::10/128 fd00::1/128 fec0::1/128; do ip addr add $address dev lo nodad; done
    mount --bind \"$0\"/resolv.conf /etc/resolv.conf
    mount --bind \"$0\"/nsswitch.conf /etc/nsswitch.conf
    exec \"$@\"";

#[test]
fn every_address_of_a_name_is_judged_and_a_judged_one_is_connected_to() {
    if std::env::var_os(INSIDE).is_some() {
        inside();
        return;
    }
    if !means::has(&["root", "unshare", "ip"]) {
        return;
    }
    let may = Command::new("unshare").args(["-n", "-m", "true"]).output();
    if !may.is_ok_and(|done| done.status.success()) {
        means::skip("the right to make namespaces");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).expect("written");
    };
    write("resolv.conf", "nameserver 127.0.0.53\n");
    write("nsswitch.conf", "hosts: files dns\n");
    let own = std::env::current_exe().expect("this program");
    let thread = std::thread::current();
    let done = Command::new("unshare")
        .args(["-n", "-m", "sh", "-c", SET_UP])
        .arg(dir.path())
        .arg(own)
        .args(["--exact", thread.name().expect("a name"), "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("it runs");
    let said = text(&[done.stdout, done.stderr].concat());
    assert!(done.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

/// A resolver: the addresses of each name, question by question; the last answer stays.
struct Resolver {
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

type Names = BTreeMap<&'static str, Vec<Vec<IpAddr>>>;

impl Resolver {
    fn start(names: Names) -> Self {
        let socket = UdpSocket::bind("127.0.0.53:53").expect("a port");
        let asked: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut packet = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut packet) {
                let answer = answered(&packet[..length], &names, &noted);
                let _ = socket.send_to(&answer, from);
            }
        });
        Self { asked }
    }

    /// How often a name's IPv4 addresses were asked for.
    fn asked(&self, name: &str) -> usize {
        let asked = self.asked.lock().expect("no panic");
        asked.get(name).copied().unwrap_or_default()
    }
}

fn answered(query: &[u8], names: &Names, asked: &Mutex<BTreeMap<String, usize>>) -> Vec<u8> {
    let (mut name, mut at) = (String::new(), 12);
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        name.push_str(&String::from_utf8_lossy(&query[at + 1..end]));
        name.push('.');
        at = end;
    }
    let name = name.trim_end_matches('.').to_lowercase();
    let kind = u16::from_be_bytes([query[at + 1], query[at + 2]]);
    let question = &query[12..at + 5];
    let all = names.get(name.as_str());
    let mut asked = asked.lock().expect("no panic");
    let count = asked.entry(name).or_default();
    let now = all.map(|answers| answers[(*count).min(answers.len() - 1)].clone());
    // Both kinds are asked for each time: IPv4 first, or IPv6 of the same answer after it.
    if kind == 1 {
        *count += 1;
    }
    let found: Vec<Vec<u8>> = now
        .iter()
        .flatten()
        .filter_map(|address| match (address, kind) {
            (IpAddr::V4(address), 1) => Some(address.octets().to_vec()),
            (IpAddr::V6(address), 28) => Some(address.octets().to_vec()),
            _ => None,
        })
        .collect();
    let mut out = query[..2].to_vec();
    out.extend([0x81, if all.is_some() { 0x80 } else { 0x83 }, 0, 1]);
    out.extend(u16::try_from(found.len()).expect("few").to_be_bytes());
    out.extend([0, 0, 0, 0]);
    out.extend(question);
    for bytes in found {
        out.extend([0xc0, 12]);
        out.extend(kind.to_be_bytes());
        out.extend([0, 1, 0, 0, 0, 0]);
        out.extend(u16::try_from(bytes.len()).expect("few").to_be_bytes());
        out.extend(bytes);
    }
    out
}

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

/// Enters something and gives the webhook's latest delivery once it was tried.
fn tried((owner, form, webhook): &(Caller, Form, Webhook), deliveries: usize) -> Value {
    enter(owner, form, "x");
    let tried = |rows: &Vec<Value>| rows.len() == deliveries && rows[0]["attempts"] == 1;
    until_shown("it is tried", || webhook.deliveries(owner), tried).remove(0)
}

fn inside() {
    let public = address(PUBLIC);
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut names = Names::new();
    names.insert("good.test", vec![vec![public]]);
    names.insert("two.test", vec![vec![public, address(OTHER)]]);
    names.insert("six.test", vec![vec![address(PUBLIC_6)]]);
    names.insert("flips.test", vec![vec![public], vec![loopback]]);
    let mixed = [
        ("loopback.test", "127.0.0.1"),
        ("private.test", "10.1.2.3"),
        ("metadata.test", "169.254.169.254"),
        ("shared.test", "100.64.0.1"),
        ("ula.test", "fd00::1"),
        ("site.test", "fec0::1"),
        ("mapped.test", "::ffff:127.0.0.1"),
        ("nat64.test", "64:ff9b::127.0.0.1"),
    ];
    for (name, other) in mixed {
        names.insert(name, vec![vec![public, address(other)]]);
    }
    names.insert("127.0.0.1.test", vec![vec![loopback]]);
    let resolver = Resolver::start(names);
    let receiver = Receiver::on("[::]:8080", |socket, _| answer(socket, 200));
    let server = Server::alone("its log is read");
    let at = |host: &str| told(&server, &format!("http://{host}:8080/"));

    let row = tried(&at("GOOD.test"), 1);
    assert_eq!(row["status"], "delivered", "{row}");
    let got = receiver.wait_for(1).remove(0);
    assert_eq!(got.header("host"), "good.test:8080", "the old name");

    for host in ["two.test", "six.test", PUBLIC, "[2620:fe::10]", "0x0909090a"] {
        let before = receiver.got().len();
        has_in(host, &tried(&at(host), 1), &json!({"status": "delivered"}));
        assert_eq!(receiver.got().len(), before + 1, "{host}: one address of it");
    }

    let before = receiver.got().len();
    for (name, _) in mixed.into_iter().chain([("127.0.0.1.test", "")]) {
        let own = at(name);
        has_in(name, &tried(&own, 1), &json!({"error": NOT_PUBLIC}));
        has_in(name, &own.2.test(&own.0), &json!({"error": NOT_PUBLIC}));
    }
    assert_eq!(receiver.got().len(), before);

    // A name that has another address from the second question on: it is asked once for an attempt, and the checked
    // address is the one connected to.
    let flipping = at("flips.test");
    has_in("flips.test", &tried(&flipping, 1), &json!({"status": "delivered"}));
    assert_eq!(resolver.asked("flips.test"), 1);
    has_in("flips.test again", &tried(&flipping, 2), &json!({"error": NOT_PUBLIC}));
    assert_eq!(resolver.asked("flips.test"), 2);
    assert_eq!(receiver.got().len(), before + 1);
    let log = server.stderr();
    for secret in ["9.9.9.10", "127.0.0.1", "10.1.2.3"] {
        assert!(!log.contains(secret), "{log}");
    }

    let unknown = json!({"error": "the receiver's name can't be resolved"});
    has_in("nobody.test", &tried(&at("nobody.test"), 1), &unknown);
}
