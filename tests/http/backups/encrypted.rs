//! Backups that are encrypted with a passphrase.

use std::fs;
use std::io::{Read as _, Write as _};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rand::RngExt as _;
use serde_json::json;
use support::steps::again;
use support::uploads::uploaded;
use support::{PROGRAM, Server, at_once, field, means, rounds, text};

use crate::backups::{backup, done, names};

const PASSPHRASE: &str = "correct horse battery staple";

fn sealed(dir: &Path, passphrase: Option<&str>, args: &[&str]) -> Output {
    let mut command = Command::new(&*PROGRAM);
    command.args(args).arg("--data-dir").arg(dir);
    command.envs(passphrase.map(|it| ("FORMSVC_BACKUP_PASSPHRASE", it)));
    command.stdin(Stdio::null()).output().expect("it runs")
}

fn encrypted_backup(dir: &Path) -> PathBuf {
    let made = sealed(dir, Some(PASSPHRASE), &["backup", "create", "--json"]);
    let made = done(&made);
    assert_eq!(made["encrypted"], json!(true));
    PathBuf::from(made["file"].as_str().expect("a path"))
}

/// The decrypted contents of a backup.
fn opened(path: &Path) -> Vec<u8> {
    let file = fs::File::open(path).expect("there");
    let decryptor = age::Decryptor::new(file).expect("a head");
    let identity = age::scrypt::Identity::new(PASSPHRASE.to_owned().into());
    let mut content = Vec::new();
    decryptor
        .decrypt(iter::once(&identity as &dyn age::Identity))
        .expect("the passphrase")
        .read_to_end(&mut content)
        .expect("whole");
    content
}

/// Encrypted with the least work, or as much as a file may claim.
fn closed(content: &[u8], work: u8) -> Vec<u8> {
    let mut recipient = age::scrypt::Recipient::new(PASSPHRASE.to_owned().into());
    recipient.set_work_factor(work);
    let recipients = iter::once(&recipient as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(recipients).expect("one");
    let mut out = encryptor.wrap_output(Vec::new()).expect("memory");
    out.write_all(content).expect("memory");
    out.finish().expect("memory")
}

fn parts(content: &[u8]) -> Vec<String> {
    let unpacked = zstd::decode_all(content).expect("unpacked");
    let mut archive = tar::Archive::new(unpacked.as_slice());
    let name = |part: tar::Entry<'_, &[u8]>| part.path().expect("a path").display().to_string();
    let entries = archive.entries().expect("an archive");
    entries.map(|part| name(part.expect("a part"))).collect()
}

#[test]
fn a_passphrase_that_went_missing_is_noticed() {
    let server = Server::alone("its data dir is looked at");
    let doctor = || {
        let found = done(&server.run(&["doctor", "--json"]));
        let found = found.as_array().expect("a list").clone();
        let mut found = found.into_iter().filter(|it| it["check"] == "backups");
        found.next().expect("a check")
    };
    let old = encrypted_backup(&server.dir);
    let name = "formsvc-20200101T000000Z.tar.zst.age";
    fs::rename(&old, old.with_file_name(name)).expect("renamed");
    assert_eq!(doctor()["state"], "OK");
    backup(&server.dir);
    let found = doctor();
    assert_eq!(found["state"], "WARN");
    let said = found["text"].as_str().expect("text");
    assert!(said.contains("is not encrypted, and earlier ones are"), "{said}");
    fs::remove_file(old.with_file_name(name)).expect("removed");
    assert_eq!(doctor()["state"], "OK");
}

#[test]
fn a_passphrase_encrypts_and_alone_opens() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&owner, &form, "a.json", "application/json", b"[1,2,3]");
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
    assert_eq!(made.status, 201, "{made}");
    let file = encrypted_backup(&server.dir);
    let path = file.to_str().expect("a plain path");
    assert!(path.ends_with(".tar.zst.age"), "{path}");
    let bytes = fs::read(&file).expect("there");
    assert!(bytes.starts_with(b"age-encryption.org/v1\n-> scrypt "));
    assert_eq!(parts(&opened(&file))[..2], ["manifest.jsonl", "keys/instance"]);
    let listed = done(&server.run(&["backup", "list", "--json"]));
    assert_eq!((&listed[0]["file"], &listed[0]["encrypted"]), (&json!(path), &json!(true)));
    let verify = |passphrase| sealed(&server.dir, passphrase, &["backup", "verify", path, "--json"]);
    assert_eq!(done(&verify(Some(PASSPHRASE)))["ok"], json!(true));
    let without = verify(None);
    assert_eq!(without.status.code(), Some(3));
    let said = text(&without.stderr);
    assert!(said.contains("is encrypted: set FORMSVC_BACKUP_PASSPHRASE"), "{said}");
    let wrong = verify(Some("correct horse battery"));
    assert_eq!(wrong.status.code(), Some(7));
    let said = text(&wrong.stderr);
    assert!(said.contains("the passphrase does not open"), "{said}");
    // No file beside it contains a passphrase.
    for name in names(&server.dir.join("backups")) {
        let content = fs::read(server.dir.join("backups").join(name)).expect("there");
        assert!(!content.windows(PASSPHRASE.len()).any(|it| it == PASSPHRASE.as_bytes()));
    }

    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("restored");
    let refused = sealed(&dir, None, &["restore", path, "--no-input"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(names(home.path()).is_empty());
    // By the file that a variable names.
    let secret = home.path().join("passphrase");
    fs::write(&secret, format!("{PASSPHRASE}\n")).expect("written");
    let restored = Command::new(&*PROGRAM)
        .args(["restore", path, "--no-input", "--json", "--data-dir"])
        .arg(&dir)
        .env("FORMSVC_BACKUP_PASSPHRASE_FILE", &secret)
        .output()
        .expect("it runs");
    assert_eq!(done(&restored)["lost_files"], 0);
    let kept = Server::over(&dir, &["--rate-limits", "off"]);
    let entries = again(&owner, &kept).get(form.entries());
    assert_eq!(entries.json()["pagination"]["total"], 1, "{entries}");
}

#[test]
fn a_line_of_the_config_file_names_the_file_of_the_passphrase() {
    let server = Server::alone("its data dir is looked at");
    let home = tempfile::tempdir().expect("a folder");
    let config = home.path().join("formsvc.toml");
    let secret = home.path().join("passphrase");
    let line = format!("backup_passphrase_file = \"{}\"\n", secret.display());
    fs::write(&config, line).expect("written");
    let config = config.to_str().expect("a plain path");
    let create = |variable: &str, value: &str| {
        let args = ["--config", config, "backup", "create", "--json", "--data-dir"];
        let mut command = Command::new(&*PROGRAM);
        command.args(args).arg(&server.dir).env(variable, value);
        command.output().expect("it runs")
    };
    // Nothing is made in clear where the file is missing.
    let missing = create("X", "x");
    let said = text(&missing.stderr);
    assert_eq!(missing.status.code(), Some(3), "{said}");
    assert!(said.contains("backup_passphrase_file in"), "{said}");
    fs::write(&secret, format!("{PASSPHRASE}\n")).expect("written");
    let made = done(&create("X", "x"));
    opened(Path::new(made["file"].as_str().expect("a path")));
    // Both variables win over the file.
    let other = home.path().join("other");
    fs::write(&other, "another passphrase").expect("written");
    let other = other.to_str().expect("a plain path");
    for (variable, value) in
        [("FORMSVC_BACKUP_PASSPHRASE", "another passphrase"), ("FORMSVC_BACKUP_PASSPHRASE_FILE", other)]
    {
        let made = done(&create(variable, value));
        let file = made["file"].as_str().expect("a path");
        let verify = |passphrase| {
            let out = sealed(&server.dir, Some(passphrase), &["backup", "verify", file]);
            out.status.code()
        };
        assert_eq!(verify(PASSPHRASE), Some(7), "{variable}");
        assert_eq!(verify("another passphrase"), Some(0), "{variable}");
    }
}

#[test]
fn the_published_tool_opens_it() {
    if !means::has(&["age", "script"]) {
        return;
    }
    let server = Server::alone("its data dir is looked at");
    let file = encrypted_backup(&server.dir);
    let home = tempfile::tempdir().expect("a folder");
    let to = home.path().join("opened.tar.zst");
    // It asks for the passphrase on a terminal alone.
    let command = format!("age --decrypt --output {} {}", to.display(), file.display());
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{PASSPHRASE}").expect("it reads");
    let out = child.wait_with_output().expect("output");
    drop(stdin);
    assert!(out.status.success(), "{}", text(&out.stdout));
    let found = parts(&fs::read(&to).expect("there"));
    assert!(found.contains(&"formsvc.db".to_owned()), "{found:?}");
    // It is a whole backup that needs no passphrase any more.
    let path = to.to_str().expect("a plain path");
    let verified = server.run(&["backup", "verify", path]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
}

#[test]
fn names_say_what_is_encrypted() {
    let server = Server::alone("its data dir is looked at");
    let home = tempfile::tempdir().expect("a folder");
    let at = |name: &str| home.path().join(name).display().to_string();
    let create =
        |passphrase, name| sealed(&server.dir, passphrase, &["backup", "create", "--no-input", "-o", &at(name)]);
    let plain = create(Some(PASSPHRASE), "mine.tar.zst");
    assert_eq!(plain.status.code(), Some(2));
    assert!(text(&plain.stderr).contains("ends in .age"), "{}", text(&plain.stderr));
    let without = create(None, "mine.tar.zst.age");
    assert_eq!(without.status.code(), Some(2));
    assert!(text(&without.stderr).contains("needs a passphrase"));
    assert!(names(home.path()).is_empty());
    let short = create(Some("short"), "mine.tar.zst.age");
    assert_eq!(short.status.code(), Some(3));
    assert!(text(&short.stderr).contains("at least 8 characters"));
    let shown = sealed(&server.dir, Some(PASSPHRASE), &["config", "show", "--json"]);
    assert_eq!(done(&shown)["backup_passphrase"]["value"], "********");
}

/// Runs a command on a terminal, and types this.
fn on_terminal(dir: &Path, args: &str, typed: &[&str]) -> (Option<i32>, String) {
    let command = format!("{} {args} --data-dir {}", *PROGRAM, dir.display());
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut stdin = child.stdin.take().expect("piped");
    for line in typed {
        writeln!(stdin, "{line}").expect("it reads");
    }
    let out = child.wait_with_output().expect("output");
    drop(stdin);
    (out.status.code(), text(&out.stdout))
}

#[test]
fn a_terminal_is_asked() {
    if !means::has(&["script"]) {
        return;
    }
    let server = Server::alone("its data dir is looked at");
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("asked.tar.zst.age");
    let create = format!("backup create -o {}", file.display());
    let (code, said) = on_terminal(&server.dir, &create, &[PASSPHRASE, "another passphrase"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(!file.exists());
    let (code, said) = on_terminal(&server.dir, &create, &[PASSPHRASE, PASSPHRASE]);
    assert_eq!(code, Some(0), "{said}");
    let verify = format!("backup verify {}", file.display());
    let (code, said) = on_terminal(&server.dir, &verify, &[PASSPHRASE]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = on_terminal(&server.dir, &verify, &["wrong passphrase"]);
    assert_eq!(code, Some(7), "{said}");
}

#[test]
fn any_damage_is_found_and_no_file_makes_it_work_forever() {
    let flips = rounds("TEST_BACKUP_DAMAGE", 30);
    let server = Server::alone("its data dir is looked at");
    let plain = opened(&encrypted_backup(&server.dir));
    // Quick to open, so that many can be tried.
    let whole = closed(&plain, 2);
    let home = tempfile::tempdir().expect("a folder");
    let verify = |thread: usize, bytes: &[u8]| {
        let file = home.path().join(format!("{thread}.tar.zst.age"));
        fs::write(&file, bytes).expect("written");
        let path = file.to_str().expect("a plain path");
        sealed(home.path(), Some(PASSPHRASE), &["backup", "verify", path])
    };
    let taken = verify(0, &whole);
    assert!(taken.status.success(), "{}", text(&taken.stderr));
    let head = whole.len() - closed(b"", 2).len();
    assert!(head < whole.len());
    at_once(2, |thread| {
        let mut rng = rand::rng();
        for nth in (thread..flips).step_by(2) {
            let mut bytes = whole.clone();
            // The head is 150 bytes long.
            let at = match nth % 3 {
                0 => rng.random_range(0..180),
                1 => bytes.len() - 1 - rng.random_range(0..100),
                _ => rng.random_range(0..bytes.len()),
            };
            bytes[at] ^= 1 << rng.random_range(0..8);
            // A work factor of more digits is not tried.
            let out = verify(thread, &bytes);
            assert_eq!(out.status.code(), Some(7), "byte {at}: {}", text(&out.stderr));
        }
        for nth in (thread..flips / 4).step_by(2) {
            // Also where a piece of age ends.
            let end = match nth % 3 {
                0 => (200 + 65_552 * (nth / 3)).min(whole.len() - 1),
                _ => rng.random_range(0..whole.len()),
            };
            let out = verify(thread, &whole[..end]);
            assert_eq!(out.status.code(), Some(7), "cut at {end}: {}", text(&out.stderr));
        }
    });
    let head = String::from_utf8_lossy(&whole[..200]).into_owned();
    let line = head.lines().nth(1).expect("a line");
    let hard = line.trim_end_matches('2').to_owned() + "40";
    let mut hostile = whole.clone();
    let at = head.find(line).expect("there");
    hostile.splice(at..at + line.len(), hard.bytes());
    let out = verify(0, &hostile);
    assert_eq!(out.status.code(), Some(7));
    assert!(text(&out.stderr).contains("2^17 are the most: decrypt it with age first"), "{}", text(&out.stderr));
}
