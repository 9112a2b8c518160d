//! Webhooks reach public addresses only, unless the server runs with `--allow-private-webhooks` (S71).

use serde_json::json;
use support::peers::wire_receiver::{Receiver, answer};
use support::{Caller, PROGRAM, Server};

use super::NOT_PUBLIC;
use crate::delivery::{FLAGS, KINDS, Webhook, enter, fields, has_in, told};

/// Addresses that are not public, in all the ways in which hosts can be written.
#[rustfmt::skip] // A table.
const REFUSED: &[&str] = &[
    "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255",
    "192.168.0.1", "100.64.0.1", "100.127.255.255", "169.254.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192",
    "192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    "2130706433", "017700000001", "0x7f000001", "0X7F.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "0", "10.1",
    "3232235521", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "127.0.0.1.", "①②⑦.⓪.⓪.①", "１２７.0.0.1",
    "%31%32%37.0.0.1", "localhost", "LOCALHOST",
    "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[fc00::1]", "[FD00::1]", "[fd00:ec2::254]", "[fe80::1]", "[febf::1]", "[fec0::1]",
    "[feff::1]", "[ff02::1]", "[ff0e::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::169.254.169.254]", "[64:ff9b:1::1]", "[2002:7f00:1::1]",
    "[2002:a00:1::]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001::1]", "[2a00:1450::5efe:10.0.0.1]",
    "[2a00:1450::200:5efe:127.0.0.1]",
];

/// Webhooks on these hosts, at most as many to a form as it may have.
fn webhooks(owner: &Caller, hosts: &'static [&str], port: u16) -> Vec<(&'static str, Webhook)> {
    let mut all = Vec::new();
    for some in hosts.chunks(20) {
        let form = owner.form(fields());
        for host in some {
            let url = format!("http://{host}:{port}/");
            all.push((*host, Webhook::new(owner, &form, &url, &KINDS)));
        }
        enter(owner, &form, "x");
    }
    all
}

#[test]
fn nothing_is_sent_to_addresses_that_are_not_public() {
    let server = Server::alone("its log is read");
    let owner = server.user();
    // Something listens at the port on all addresses of this machine.
    let receiver = Receiver::on("[::]:0", |_, _| {});
    for (host, webhook) in webhooks(&owner, REFUSED, receiver.address.port()) {
        let row = webhook.until_fault(&owner);
        has_in(host, &row, &json!({"error": NOT_PUBLIC, "status": "pending", "response_status": null}));
        // The test of a webhook goes no other way.
        has_in(host, &webhook.test(&owner), &json!({"error": NOT_PUBLIC}));
    }
    assert!(receiver.got().is_empty());
    // Neither the log nor the answers name the resolved address.
    assert!(!server.stderr().contains("127.0.0.1"), "{}", server.stderr());
}

#[test]
fn the_operator_may_allow_addresses_that_are_not_public() {
    const HOSTS: &[&str] = &["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1"];
    let receiver = Receiver::on("[::]:0", |socket, _| answer(socket, 200));
    let owner = Server::shared_with(&FLAGS).user();
    for (host, webhook) in webhooks(&owner, HOSTS, receiver.address.port()) {
        let row = webhook.until_latest(&owner, host, |row| row["attempts"] == 1);
        has_in(host, &row, &json!({"status": "delivered"}));
    }
    assert_eq!(receiver.got().len(), HOSTS.len());
}

#[test]
fn no_proxy_of_the_environment_is_used() {
    let proxy = Receiver::with_status(200);
    let receiver = Receiver::with_status(200);
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = std::process::Command::new(&*PROGRAM);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir.path()).args(FLAGS);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, format!("http://{}", proxy.address));
    }
    let server = Server::launch(command, dir.path());
    let (owner, form, _) = told(&server, &receiver.url());
    enter(&owner, &form, "x");
    receiver.wait_for(1);
    assert!(proxy.got().is_empty());
}
