//! Signatures, as the published libraries of Standard Webhooks verify them (S73).

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::wire_receiver::{Got, Receiver};
use support::{Server, means, text};

use crate::delivery::{FLAGS, KINDS, NOWHERE, Webhook, enter, told};

const DAY: u32 = 86_400;

fn script(name: &str) -> String {
    format!("{}/http/delivery/webhook_deliveries/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The verdict of a library on a delivery.
fn said(mut command: Command, got: &Got, secret: &str) -> String {
    let headers: Value =
        got.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>().into();
    let given = json!({"secret": secret, "headers": headers, "body": text(&got.body)});
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    serde_json::to_writer(child.stdin.take().expect("piped"), &given).expect("written");
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success());
    text(&done.stdout).trim().to_owned()
}

fn python() -> Option<Command> {
    let has_it = Command::new(means::python())
        .args(["-c", "import standardwebhooks"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_it {
        means::skip("TEST_PYTHON, a Python with standardwebhooks, as tests/run sets it");
        return None;
    }
    let mut command = Command::new(means::python());
    command.arg(script("verify.py"));
    Some(command)
}

fn node() -> Option<Command> {
    let modules = means::node_modules();
    if !Path::new(&modules.join("standardwebhooks")).is_dir() {
        means::skip("standardwebhooks of npm, as tests/run installs it");
        return None;
    }
    if !means::has(&["node"]) {
        return None;
    }
    let mut command = Command::new("node");
    command.arg(script("verify.js")).env("NODE_PATH", modules);
    Some(command)
}

#[test]
fn published_libraries_verify_deliveries_and_refuse_altered_ones() {
    let receiver = Receiver::with_status(200);
    let (owner, form, own) = told(Server::shared_with(&FLAGS), &receiver.url());
    let other = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    enter(&owner, &form, "Ada \u{1F980} \"quoted\"");
    let got = receiver.wait_for(1).remove(0);
    for library in [python, node] {
        let Some(_) = library() else { return };
        let said = |got: &Got, secret: &str| said(library().expect("there"), got, secret);
        assert_eq!(said(&got, &own.secret), "verified");
        assert_ne!(said(&got, &other.secret), "verified");
        let mut altered = got.clone();
        let length = altered.body.len();
        altered.body[length - 2] = b' ';
        assert_ne!(said(&altered, &own.secret), "verified");
        let mut shifted = got.clone();
        for (name, value) in &mut shifted.headers {
            if name == "webhook-timestamp" {
                *value = (value.parse::<i64>().expect("seconds") - 1).to_string();
            }
        }
        assert_ne!(said(&shifted, &own.secret), "verified");
    }
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    if python().is_none() {
        return;
    }
    let receiver = Receiver::with_status(200);
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let server = clock.server(dir.path(), &FLAGS);
    let (owner, form, own) = told(&server, &receiver.url());
    let new = own.rotated(&owner).secret;
    // The library uses the same clock: it refuses a delivery that is five minutes off.
    let said = |got: &Got, secret: &str| {
        let mut python = python().expect("there");
        clock.lend(&mut python);
        said(python, got, secret)
    };
    for (number, (ahead, old_signs)) in [(0, true), (DAY - 600, true), (DAY + 60, false)].into_iter().enumerate() {
        clock.ahead(ahead);
        enter(&owner, &form, "x");
        let got = receiver.wait_for(number + 1).remove(number);
        assert_eq!(said(&got, &new), "verified", "{ahead}");
        assert_eq!(said(&got, &own.secret) == "verified", old_signs, "{ahead}");
        let signatures = got.header("webhook-signature").split(' ').count();
        assert_eq!(signatures, 1 + usize::from(old_signs));
        // The newest first: a receiver that looks at only one signature gets the new secret's.
        let mut first = got.clone();
        for (name, value) in &mut first.headers {
            if name == "webhook-signature" {
                value.truncate(value.find(' ').unwrap_or(value.len()));
            }
        }
        assert_eq!(said(&first, &new), "verified");
    }
    let stale = receiver.got().remove(0);
    assert_ne!(said(&stale, &new), "verified", "a day old");
}
