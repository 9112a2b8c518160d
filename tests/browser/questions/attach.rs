//! Files, a signature and a recording from a telephone, with a network that comes and goes; and the same without
//! a script.

use std::fs;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, PATIENT, press_button, put, reload, send};
use crate::driver::webdriver::{Browser, Look};

/// A connection to the server that can be cut in the middle of a transfer.
struct Wire {
    base: String,
    is_cut: Arc<AtomicBool>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    fn to(base: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let wire = Self {
            base: format!("http://{}", listener.local_addr().expect("bound")),
            is_cut: Arc::default(),
            ends: Arc::default(),
        };
        let server = base.trim_start_matches("http://").to_owned();
        let (is_cut, ends) = (Arc::clone(&wire.is_cut), Arc::clone(&wire.ends));
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if is_cut.load(Ordering::Relaxed) {
                    continue;
                }
                let far = TcpStream::connect(&server).expect("a server");
                let copy = |end: &TcpStream| end.try_clone().expect("a socket");
                let pairs = [(copy(&near), copy(&far)), (copy(&far), copy(&near))];
                ends.lock().expect("no panic").extend([near, far]);
                for (mut from, mut to) in pairs {
                    thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        wire
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
        for end in self.ends.lock().expect("no panic").drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

struct Desk {
    wire: Wire,
    owner: Caller,
    form: Form,
    browser: Browser,
    folder: tempfile::TempDir,
}

fn open(look: Look, fields: Value) -> Desk {
    open_on(Server::shared(), look, fields)
}

fn open_on(server: &Server, look: Look, fields: Value) -> Desk {
    let owner = server.user();
    let form = owner.form(fields);
    let browser = Browser::open(look);
    let wire = Wire::to(&server.base);
    browser.go(&format!("{}{}", wire.base, form.page()));
    browser.until("document.readyState === 'complete'");
    Desk { wire, owner, form, browser, folder: tempfile::tempdir().expect("a folder") }
}

impl Desk {
    fn file(&self, name: &str, size: usize) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, vec![b'x'; size]).expect("a file");
        path
    }

    fn choose(&self, name: &str, files: &[(&str, usize)]) {
        let paths: Vec<PathBuf> = files.iter().map(|(name, size)| self.file(name, *size)).collect();
        self.browser.choose(name, &paths);
    }

    fn press(&self, button: &str) {
        press_button(&self.browser, button);
    }

    fn send(&self) {
        send(&self.browser);
    }

    fn sent(&self) -> Value {
        self.browser.until("location.pathname.endsWith('/done')");
        self.owner.get(self.form.entry(1)).data()
    }

    /// Looks at the current page, in light and dark.
    fn look(&self, name: &str, look: Look) {
        for (look, side) in [(look, "light"), (look.dark(), "dark")] {
            self.browser.look(look);
            self.browser.shot(&format!("{name}-{}-{side}", look.width), look);
            let wide = self.browser.run("return document.documentElement.scrollWidth");
            assert_eq!(wide, json!(look.width), "{name}");
            if look.script {
                assert_eq!(self.browser.axe(), NOTHING, "{name} {side}");
            }
        }
        self.browser.look(look);
    }
}

fn names(files: &Value) -> Vec<&str> {
    let files = files.as_array().expect("files").iter();
    files.filter_map(|file| file["name"].as_str()).collect()
}

const THERE: &str = "document.querySelectorAll('.file-list li.there').length";

#[test]
fn files_go_ahead_and_outlive_a_lost_network() {
    if !Browser::is_installed() {
        return;
    }
    let desk = open(
        Look::PHONE,
        json!([
            field("attachment", json!({"label": "Papers", "max_count": 3, "max_size": 3, "required": true})),
            field("signature", json!({"label": "Your signature", "required": true})),
            field("audio", json!({"label": "Say hello", "max_duration": 60})),
        ]),
    );
    let browser = &desk.browser;
    desk.choose("field_1", &[("a.txt", 2000), ("b.txt", 3000)]);
    browser.until(&format!("{THERE} === 2"));
    assert!(browser.text(".file-said").contains("uploaded"));
    // Too large, empty, one too many: told before anything is sent.
    desk.choose("field_1", &[("large.txt", (3 << 20) + 1)]);
    assert!(browser.text(".file-said").contains("large.txt is larger than 3 MB"));
    // The network goes away in the middle.
    browser.slow(15_000);
    desk.choose("field_1", &[("c.txt", 400_000)]);
    browser.until("document.querySelector('.file-list progress')?.value > 0");
    assert_eq!(browser.run("return document.querySelector('.file-list progress').ariaLabel"), json!("Uploading c.txt"));
    desk.wire.cut(true);
    browser.until("document.querySelector('.file-list li.failed')");
    assert!(browser.text(".file-said").contains("c.txt couldn’t be uploaded"));
    desk.look("attach-failed", Look::PHONE);
    desk.wire.cut(false);
    desk.press("Try again: c.txt");
    browser.until("document.querySelector('.file-list progress')?.value > 0");
    desk.look("attach-going", Look::PHONE);
    browser.offline(false);
    browser.until(&format!("{THERE} === 3"));
    desk.press("Remove b.txt");
    assert_eq!(browser.run(&format!("return {THERE}")), json!(2));
    // Sign and record.
    desk.press("Type");
    browser.keys("Ada Lovelace".chars());
    browser.run("document.activeElement.blur()");
    browser.until("document.getElementsByName('field_2')[0].files.length === 1");
    desk.press("Record");
    browser.until("!/^0:0[01]/.test(document.querySelector('.recorder-time').textContent)");
    desk.press("Stop");
    browser.until("document.getElementsByName('field_3')[0].files.length === 1");
    desk.look("attach", Look::PHONE);
    desk.look("attach", Look::DESK);
    browser.complaints();
    desk.send();
    let entry = desk.sent();
    assert_eq!(names(&entry["field_1"]), ["a.txt", "c.txt"]);
    assert_eq!(entry["field_1"][1]["file_size"], 400_000);
    assert!(entry["field_2"].as_str().is_some_and(|url| url.contains("/files/")), "{entry}");
    let audio = &entry["field_3"];
    assert_eq!(audio["content_type"], "audio/webm", "{entry}");
    let secs = audio["duration"].as_f64().expect("seconds");
    assert!((1.5..60.0).contains(&secs), "{entry}");
    assert!(browser.text("main").contains("c.txt"), "{}", browser.text("main"));
    desk.look("attach-done", Look::PHONE);
}

#[test]
fn who_sends_while_a_file_is_on_its_way_waits() {
    if !Browser::is_installed() {
        return;
    }
    let desk = open(Look::DESK, json!([field("attachment", json!({"max_size": 3}))]));
    let browser = &desk.browser;
    browser.until(PATIENT);
    browser.slow(10_000);
    desk.choose("field_1", &[("slow.txt", 300_000)]);
    browser.until("document.querySelector('.file-list progress')?.value > 0");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.querySelector('#before-fields')?.innerText.includes('Uploading your files')");
    browser.slow(10_000_000);
    let entry = desk.sent();
    assert_eq!(names(&entry["field_1"]), ["slow.txt"]);
}

#[test]
fn where_no_more_go_ahead_files_come_with_the_form() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let attachment = field("attachment", json!({"label": "Papers", "max_count": 2}));
    let name = field("short_text", json!({"label": "Name", "required": true}));
    let desk = open_on(server, Look::DESK, json!([attachment, name]));
    let browser = &desk.browser;
    // Others behind the same address have begun as many as it may have.
    let prepare = json!({
        "field_api_code": "field_1", "file_name": "a", "content_type": "a/b", "file_size": 1,
    });
    let path = format!("/api/v1/f/{}/entry_attachments", desk.form.token);
    let refused = (0..1_000).find(|_| {
        let status = server.anon().post(&path, prepare.clone()).status;
        assert!([201, 429].contains(&status), "{status}");
        status == 429
    });
    assert!(refused.is_some());
    desk.choose("field_1", &[("a.txt", 2000)]);
    browser.until("document.querySelector('.file-said').innerText === 'a.txt will be sent with the form.'");
    desk.choose("field_1", &[("b.txt", 3000)]);
    let here = "[...document.getElementsByName('field_1')[0].files].map((file) => file.name).join() === 'a.txt,b.txt'";
    browser.until(here);
    assert_eq!(browser.run("return document.querySelectorAll('.file-list li.here').length"), json!(2));
    // Missing answers are reported, and the files stay.
    desk.send();
    browser.until("document.querySelector('.field.wrong')");
    browser.until(here);
    browser.run("document.getElementsByName('field_2')[0].value = 'Ada'");
    browser.run("document.getElementById('forward').click()");
    assert_eq!(names(&desk.sent()["field_1"]), ["a.txt", "b.txt"]);
}

#[test]
fn a_file_of_another_kind_is_told_at_once() {
    if !Browser::is_installed() {
        return;
    }
    let desk = open(Look::DESK, json!([field("attachment", json!({"media_type": "image", "max_count": 2}))]));
    desk.choose("field_1", &[("page.png", 500)]);
    desk.browser.until("document.querySelector('.file-said').innerText.includes('can’t be used')");
    assert_eq!(desk.browser.run("return document.querySelectorAll('.file-list li').length"), json!(0));
    desk.send();
    assert_eq!(desk.sent()["field_1"], json!([]));
}

#[test]
fn all_of_it_goes_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let desk = open(
        Look::PHONE.without_script(),
        json!([
            field("attachment", json!({"label": "Papers", "max_count": 3})),
            field("signature", json!({"label": "Your signature", "required": true})),
            field("audio", json!({"label": "Say hello"})),
            field("short_text", json!({"label": "Name", "required": true})),
        ]),
    );
    let browser = &desk.browser;
    assert!(browser.text("main").contains("Record with an app"), "{}", browser.text("main"));
    desk.choose("field_1", &[("a.txt", 10), ("b.txt", 20), ("c.txt", 30)]);
    browser.run("document.getElementsByName('field_2.typed')[0].value = 'Ada Lovelace'");
    desk.send();
    // The name is missing: the files are still there, and one is taken out.
    browser.until("document.querySelectorAll('.kept-files li').length === 3");
    desk.look("attach-plain", Look::PHONE.without_script());
    browser.run("document.querySelectorAll('.kept-files input')[1].click()");
    browser.run("document.getElementsByName('field_4')[0].value = 'Ada'");
    desk.send();
    let entry = desk.sent();
    assert_eq!(names(&entry["field_1"]), ["a.txt", "c.txt"]);
    assert!(entry["field_2"].as_str().is_some_and(|url| url.contains("/files/")), "{entry}");
}

/// Loads the page again once its draft has this in it.
fn come_back(desk: &Desk, kept: &str) {
    let is_kept = format!("Object.values(localStorage).some(kept => kept.includes('{kept}'))");
    desk.browser.until(&is_kept);
    reload(&desk.browser);
}

#[test]
fn files_come_back_with_the_draft() {
    if !Browser::is_installed() {
        return;
    }
    let column = json!({"type": "attachment", "label": "Photo"});
    let desk = open(
        Look::PHONE,
        json!([
            field("short_text", json!({"label": "Name"})),
            field("attachment", json!({"label": "Swimming certificate", "required": true})),
            field("table", json!({"label": "Children", "dimensions": [column]})),
        ]),
    );
    let browser = &desk.browser;
    desk.choose("field_2", &[("certificate.pdf", 2000)]);
    browser.until(&format!("{THERE} === 1"));
    desk.choose("field_3[0].field_1", &[("child.txt", 3000)]);
    assert_eq!(browser.run("return document.querySelectorAll('.grid-row').length"), json!(1), "the row is still there");
    browser.until(&format!("{THERE} === 2"));
    let id = browser.run("return document.querySelector('.file-list input').value");
    come_back(&desk, "certificate.pdf");
    browser.until(&format!("{THERE} === 2"));
    assert!(browser.text("[data-field=field_3] .file-list").contains("child.txt"));
    assert_eq!(browser.run("return document.querySelector('.file-list input').value"), id);
    assert!(browser.text("[data-field=field_2] .file-list").contains("certificate.pdf"));
    let toast = browser.text("#toast");
    assert!(toast.contains("We’ve restored your answers"), "{toast}");
    desk.look("files-restored", Look::PHONE);
    // What came back has been kept once more: nothing writes over what follows.
    browser.until("performance.now() > 3000");
    // Files that the server no longer has, and those that never arrived there, are named.
    browser.run(
        "for (const name of Object.keys(localStorage)) { const kept = JSON.parse(localStorage[name]); \
         for (const file of kept.files) file.at -= 24 * 3600000; localStorage[name] = JSON.stringify(kept); }",
    );
    reload(browser);
    browser.until("document.querySelector('#toast p')");
    let toast = browser.text("#toast");
    assert!(toast.contains("Choose your files again: Swimming certificate, Children"), "{toast}");
    assert!(!toast.contains("We’ve restored"), "nothing else was typed: {toast}");
    assert_eq!(browser.run(&format!("return {THERE}")), json!(0));
    let is_seen = "return document.querySelector('[data-field=field_3] .file-pick').checkVisibility()";
    assert_eq!(browser.run(is_seen), json!(true));
    desk.look("files-expired", Look::PHONE);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_restored_file_is_submitted() {
    if !Browser::is_installed() {
        return;
    }
    let attachment = json!({"label": "Papers", "required": true, "max_count": 2});
    let desk =
        open(Look::DESK, json!([field("short_text", json!({"label": "Name"})), field("attachment", attachment)]));
    let browser = &desk.browser;
    desk.choose("field_2", &[("one.txt", 2000), ("two.txt", 2000)]);
    browser.until(&format!("{THERE} === 2"));
    put(browser, "field_1", "Ada");
    come_back(&desk, "two.txt");
    browser.until(&format!("{THERE} === 2"));
    // One that is taken out stays out.
    browser.run("document.querySelector('.file-list button').click()");
    browser.until(&format!("{THERE} === 1"));
    browser.until("!Object.values(localStorage).some(kept => kept.includes('one.txt'))");
    come_back(&desk, "two.txt");
    browser.until(&format!("{THERE} === 1"));
    desk.send();
    let stored = desk.sent();
    assert_eq!(names(&stored["field_2"]), ["two.txt"], "{stored}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_signature_and_a_recording_that_did_not_come_back_are_named() {
    if !Browser::is_installed() {
        return;
    }
    let desk = open(
        Look::PHONE,
        json!([
            field("short_text", json!({"label": "Name"})),
            field("signature", json!({"label": "Your consent"})),
            field("signature", json!({"label": "The witness"})),
            field("audio", json!({"label": "A greeting"})),
            field("attachment", json!({"label": "Papers"})),
        ]),
    );
    let browser = &desk.browser;
    browser.until("document.querySelectorAll('.signature-pad').length === 2");
    // Nothing was made: there is nothing to name.
    put(browser, "field_1", "Ada");
    come_back(&desk, "Ada");
    let toast = browser.text("#toast");
    assert!(toast.contains("We’ve restored your answers") && !toast.contains("again"), "{toast}");

    browser.until("document.querySelectorAll('.signature-pad').length === 2");
    let place = browser.run(
        "const pad = document.querySelector('.signature-pad'); pad.scrollIntoView({block: 'center'});
         const box = pad.getBoundingClientRect(); return [box.left, box.top]",
    );
    let (left, top) = (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"));
    browser.drag(&[(left + 30.0, top + 40.0), (left + 90.0, top + 90.0), (left + 120.0, top + 30.0)]);
    browser.until("document.getElementsByName('field_2')[0].files.length === 1");
    // A typed signature is a text, and comes back.
    browser.run(
        "[...document.querySelectorAll('[data-field=field_3] button')].find(one => one.textContent === 'Type').click()",
    );
    put(browser, "field_3.typed", "Grace Hopper");
    press_button(browser, "Record");
    browser.until("document.querySelector('.recorder').classList.contains('recording')");
    thread::sleep(std::time::Duration::from_millis(1200));
    press_button(browser, "Stop");
    browser.until("document.getElementsByName('field_4')[0].files.length === 1");
    come_back(&desk, "field_4");
    let toast = browser.text("#toast");
    for said in ["We’ve restored your answers", "Sign again: Your consent", "Record again: A greeting"] {
        assert!(toast.contains(said), "{said}: {toast}");
    }
    assert!(!toast.contains("witness") && !toast.contains("Choose your files"), "{toast}");
    browser.until("document.getElementsByName('field_3')[0].files.length === 1");
    desk.look("signature-lost", Look::PHONE);
    // A file that was removed by hand is no loss.
    browser.run("document.querySelector('#toast [value=close]').click()");
    put(browser, "field_1", "Ada King");
    come_back(&desk, "Ada King");
    let toast = browser.text("#toast");
    assert!(!toast.contains("again:"), "{toast}");
    assert_eq!(browser.complaints(), NOTHING);
}
