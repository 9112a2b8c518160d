//! Addresses that nothing is sent to (S71).

use super::receiver::Receiver;
use super::{Hook, enter, form, hook};
use crate::support::{Caller, Server};

const NOT_PUBLIC: &str = "the receiver's address is not public";

/// What is not public, in all the ways in which hosts can be written.
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

/// Webhooks for these URLs, at most as many to a form as it may have.
fn hooks(owner: &Caller, urls: &[String]) -> Vec<(String, Hook)> {
    let mut all = Vec::new();
    for some in urls.chunks(20) {
        let form = form(owner);
        for url in some {
            all.push((url.clone(), hook(owner, &form, url)));
        }
        enter(owner, &form, "x");
    }
    all
}

#[test]
fn nothing_is_sent_to_addresses_that_are_not_public() {
    let server = Server::start();
    let owner = server.user();
    // Something listens at the port on all addresses of this machine.
    let receiver = Receiver::on("[::]:0", |_, _| {});
    let port = receiver.address.port();
    let urls: Vec<String> = REFUSED.iter().map(|host| format!("http://{host}:{port}/")).collect();
    for (url, hook) in hooks(&owner, &urls) {
        let row = hook.until_fault(&owner);
        assert_eq!(row["error"], NOT_PUBLIC, "{url}: {row}");
        assert_eq!((&row["status"], row["response_status"].is_null()), (&serde_json::json!("pending"), true));
        // The test of a webhook goes no other way.
        let tested = owner.post(format!("{}/test", hook.path), serde_json::json!({}));
        assert_eq!(tested.data()["error"], NOT_PUBLIC, "{url}: {tested}");
    }
    assert!(receiver.got().is_empty());
    // Neither the log nor the answers name what an address was resolved to.
    assert!(!server.stderr().contains("127.0.0.1"), "{}", server.stderr());
}

#[test]
fn the_operator_may_allow_addresses_that_are_not_public() {
    let receiver = Receiver::on("[::]:0", |socket, _| super::receiver::answer(socket, 200));
    let server = super::server();
    let owner = server.user();
    let port = receiver.address.port();
    let hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1"];
    let urls = hosts.map(|host| format!("http://{host}:{port}/"));
    for (url, hook) in hooks(&owner, &urls) {
        let row = hook.until_latest(&owner, &url, |row| row["attempts"] == 1);
        assert_eq!(row["status"], "delivered", "{url}: {row}");
    }
    assert_eq!(receiver.got().len(), hosts.len());
}

#[test]
fn no_proxy_of_the_environment_is_used() {
    let proxy = Receiver::with_status(200);
    let receiver = Receiver::with_status(200);
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = std::process::Command::new(crate::support::PROGRAM);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir.path()).args(super::PRIVATE);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, format!("http://{}", proxy.address));
    }
    let server = Server::launch(command, dir.path());
    let owner = server.user();
    let form = form(&owner);
    hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    receiver.wait_for(1);
    assert!(proxy.got().is_empty());
}
