//! 100 requests at once, 8 of them to one host, one to a webhook; receivers that hang hold up nobody else.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use support::peers::wire_receiver::{Receiver, answer};
use support::{Caller, Form, Server, until};

use crate::delivery::{FLAGS, KINDS, Webhook, enter, enter_many, fields, told};

/// Counts the requests that are underway.
#[derive(Default)]
struct Gate {
    underway: AtomicUsize,
    most: AtomicUsize,
    is_open: AtomicBool,
}

impl Gate {
    /// Waits until the gate is open.
    fn pass(&self) {
        let now = self.underway.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        while !self.is_open.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.underway.fetch_sub(1, Ordering::SeqCst);
    }

    fn until(&self, count: usize) {
        until(&format!("{count} underway"), || self.underway.load(Ordering::SeqCst) >= count);
        // More would have come by now.
        std::thread::sleep(Duration::from_millis(200));
    }

    fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

/// A server whose places for requests no other test takes.
fn server() -> Server {
    Server::with(&FLAGS)
}

/// Webhooks on these hosts, one for each, over as many forms as it takes. Each form gets an entry.
fn webhooks(owner: &Caller, hosts: &[String], port: u16) -> (Vec<Form>, Vec<Webhook>) {
    let (mut forms, mut all) = (Vec::new(), Vec::new());
    for some in hosts.chunks(20) {
        let form = owner.form(fields());
        let urls = some.iter().map(|host| format!("http://{host}:{port}/"));
        all.extend(urls.map(|url| Webhook::new(owner, &form, &url, &KINDS)));
        enter(owner, &form, "first");
        forms.push(form);
    }
    (forms, all)
}

#[test]
fn eight_requests_go_to_one_host_at_once() {
    let gate = Arc::new(Gate::default());
    let at = Arc::clone(&gate);
    let receiver = Receiver::start(move |socket, _| {
        at.pass();
        answer(socket, 200);
    });
    let server = server();
    let owner = server.user();
    let hosts = vec!["127.0.0.1".to_owned(); 20];
    let (_, all) = webhooks(&owner, &hosts, receiver.address.port());
    gate.until(8);
    gate.open();
    for webhook in &all {
        webhook.until_delivered(&owner);
    }
    assert_eq!(gate.most(), 8);
}

#[test]
fn a_hundred_requests_are_underway_at_once_at_most() {
    let gate = Arc::new(Gate::default());
    let at = Arc::clone(&gate);
    let receiver = Receiver::on("0.0.0.0:0", move |socket, number| {
        // All answer once, so that they are known to be quick.
        if number >= 120 {
            at.pass();
        }
        answer(socket, 200);
    });
    let server = server();
    let owner = server.user();
    let hosts: Vec<String> = (0..120).map(|n| format!("127.0.3.{}", 1 + n / 6)).collect();
    let mut forms = Vec::new();
    for some in hosts.chunks(20) {
        forms.extend(webhooks(&owner, some, receiver.address.port()).0);
        receiver.wait_for(20 * forms.len());
    }
    for form in &forms {
        enter(&owner, form, "second");
    }
    gate.until(100);
    assert_eq!(gate.most(), 100);
    gate.open();
    receiver.wait_for(240);
    assert_eq!(gate.most(), 100);
}

#[test]
fn receivers_that_hang_hold_up_nobody_else() {
    let hanging = Receiver::on("0.0.0.0:0", |_, _| std::thread::park());
    let good = Receiver::with_status(200);
    let server = server();
    let (owner, own, quick) = told(&server, &good.url());
    enter(&owner, &own, "first");
    quick.until_delivered(&owner);
    // Far more than there are places.
    let hosts: Vec<String> = (0..160).map(|n| format!("127.0.4.{}", 1 + n / 4)).collect();
    let (_, all) = webhooks(&owner, &hosts, hanging.address.port());
    hanging.wait_for(90);
    for n in 0..20 {
        enter(&owner, &own, &format!("n{n}"));
    }
    good.wait_for(21);
    let is_waiting = |webhook: &Webhook| webhook.deliveries(&owner)[0]["attempts"] == 0;
    assert!(all.iter().rev().any(is_waiting), "they hang meanwhile");
}

#[test]
fn a_webhook_gets_one_request_at_a_time() {
    let inside = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let (at, noted) = (Arc::clone(&inside), Arc::clone(&seen));
    let receiver = Receiver::start(move |socket, _| {
        let now = at.fetch_add(1, Ordering::SeqCst) + 1;
        noted.lock().expect("no panic").insert(now);
        std::thread::sleep(Duration::from_millis(5));
        at.fetch_sub(1, Ordering::SeqCst);
        answer(socket, 200);
    });
    let (owner, form, _) = told(Server::shared_with(&FLAGS), &receiver.url());
    for _ in 0..2 {
        enter_many(&owner, &form, 60);
    }
    receiver.wait_for(120);
    assert_eq!(*seen.lock().expect("no panic"), BTreeSet::from([1]));
}
