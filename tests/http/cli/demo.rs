//! `serve --demo`: an example that anybody may spoil, and the data that it leaves alone (contract section 10).

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};
use support::session::Session;
use support::{Caller, PROGRAM, Server, formsvc, text};

/// A service with an example, in its own home.
struct Demo {
    child: Child,
    said: Value,
    base: String,
    /// From the start of the program until it served.
    took: Duration,
}

impl Demo {
    fn start(home: &Path, args: &[&str]) -> Self {
        let begun = Instant::now();
        let mut child =
            serve(home, args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        out.read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).expect("one document");
        let base = said["listening"][0].as_str().expect("an address");
        Self { child, base: base.to_owned(), said, took: begun.elapsed() }
    }

    /// Its account, with a token.
    fn owner(&self, dir: &Path) -> Caller {
        let email = self.said["demo"]["email"].as_str().expect("an address");
        let asked = ["--name", "t", "--scope", "form:read", "entry:read"];
        let made = formsvc(dir, &[&["token", "create", "--user", email], &asked[..]].concat(), "");
        assert!(made.status.success(), "{}", text(&made.stderr));
        Caller::new(&self.base, Some(text(&made.stdout).trim()), email)
    }

    fn end(mut self) {
        let pid = self.child.id().to_string();
        let done = Command::new("kill").args(["-s", "TERM", &pid]).status();
        assert!(done.expect("kill runs").success());
        assert_eq!(self.child.wait().expect("ends").code(), Some(0));
    }
}

/// The command, with the home's folder for temporary files.
fn serve(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(&*PROGRAM);
    command
        .args(["serve", "--demo", "--json", "--listen", "127.0.0.1:0"])
        .args(args)
        .env("HOME", home)
        .env("TMPDIR", home)
        .env("FORMSVC_DATA_DIR", home.join("own"))
        .env("FORMSVC_BACKUP_EVERY", "24h")
        .env("FORMSVC_BACKUP_TO", home.join("backups"))
        .stdin(Stdio::null());
    command
}

fn inside(home: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(home).expect("a folder");
    found.map(|it| it.expect("an entry").path()).collect()
}

#[test]
fn an_example_is_complete_and_leaves_nothing_behind() {
    let home = tempfile::tempdir().expect("a folder");
    let demo = Demo::start(home.path(), &[]);
    let is_measured = std::env::var_os("TEST_SPEED").is_some();
    assert!(!is_measured || demo.took < Duration::from_secs(10), "{:?}", demo.took);
    let [dir] = &inside(home.path())[..] else {
        panic!("the data dir alone: {:?}", inside(home.path()));
    };
    assert_eq!(demo.said["setup_link"], Value::Null);
    assert_eq!(demo.said["demo"]["sign_in"], format!("{}/sign-in", demo.base));
    // Its account signs in with the printed password.
    let anon = Caller::new(&demo.base, None, "");
    let password = demo.said["demo"]["password"].as_str().expect("a password");
    let browser = Session::of(anon.clone());
    let signed_in = browser.sign_in("demo@example.com", password);
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/forms"));
    // The others sign in with the same password, and see the forms shared with them.
    let names = ["editor@example.com", "viewer@example.com"];
    assert_eq!(demo.said["demo"]["colleagues"], json!(names));
    for name in names {
        let colleague = Session::of(anon.clone());
        assert_eq!(colleague.sign_in(name, password).header("location"), "/forms");
        colleague.get("/forms").is(200).has(["Membership of the Green Valley Club"]);
    }
    // Eight forms of all scenes, each with a page and entries of a year.
    let owner = demo.owner(dir);
    let forms = owner.get("/api/v1/forms?page_size=100").data();
    let forms = forms.as_array().expect("a list");
    let mut scenes: Vec<&str> = forms.iter().map(|form| form["scene"].as_str().expect("a scene")).collect();
    scenes.sort_unstable();
    assert_eq!(scenes, ["booking", "evaluation", "exam", "form", "order", "registration", "survey", "vote"]);
    let mut oldest = Vec::new();
    for form in forms {
        let token = form["token"].as_str().expect("a token");
        let is_closed = form["scene"] == "survey";
        let (page, closed) = (anon.get(format!("/f/{token}")), ["This form is closed"]);
        match is_closed {
            true => page.is(200).has(closed),
            false => page.is(200).lacks(closed),
        };
        assert!((150..=3_000).contains(&form["entries_count"].as_i64().expect("a number")), "{form}");
        let first = owner.get(format!("/api/v1/forms/{token}/entries?page_size=1&sort=created_at")).data()[0].take();
        let last = owner.get(format!("/api/v1/forms/{token}/entries?page_size=1&sort=-created_at")).data()[0].take();
        let [made, first, last, now] =
            [&form["created_at"], &first["created_at"], &last["created_at"], &json!(Timestamp::now().to_string())]
                .map(|time| time.as_str().expect("a time").parse::<Timestamp>().expect("a time"));
        assert!(made < first && first < last && last <= now, "{form}: {made} {first} {last} {now}");
        assert!(now.duration_since(last).as_hours() < 24 * 21, "{form}");
        oldest.push(now.duration_since(first).as_hours() / 24);
        browser.get(&format!("/forms/{token}/report")).is(200);
    }
    // Both languages: the form in Chinese has questions, a page and answers in it.
    let tokens = forms.iter().map(|form| form["token"].as_str().expect("a token"));
    let locale = |token: &str| owner.get(format!("/api/v1/forms/{token}")).data()["locale"].clone();
    let (chinese, english): (Vec<&str>, Vec<&str>) = tokens.partition(|token| locale(token) == "zh-CN");
    assert_eq!((chinese.len(), english.len()), (1, 7));
    let chinese = chinese[0];
    anon.get(format!("/f/{chinese}")).is(200).has(["<html lang=\"zh-CN\"", "课程"]);
    let answers = owner.get(format!("/api/v1/forms/{chinese}/entries?page_size=100")).is(200).text;
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    assert!(answers.chars().any(is_chinese), "{answers}");
    let of_a_year = oldest.iter().filter(|days| (330..=367).contains(*days)).count();
    assert!(of_a_year >= 7, "{oldest:?}");
    // Visitors find entries, on the page that was printed and that the form's row leads to.
    let query_page = demo.said["demo"]["query_page"].as_str().expect("an address");
    let query = query_page.strip_prefix(&format!("{}/q/", demo.base)).expect("a query's page");
    anon.get(format!("/q/{query}")).is(200).has(["Green Valley"]);
    browser.get("/forms").is(200).has([format!("href=\"/q/{query}\"").as_str(), "Query page"]);
    let asked = json!({"values": {"field_2": "ada.lovelace@example.com"}});
    let found = anon.post(format!("/api/v1/q/{query}/search"), asked).json()["data"][0].take();
    assert_eq!((&found["field_1"], &found["field_2"]), (&json!("A**"), &json!("a***@example.com")));
    let certificate = demo.said["demo"]["certificate"].as_str().expect("an address");
    let certificate = anon.get(certificate.strip_prefix(&demo.base).expect("an address of the service"));
    assert_eq!((certificate.status, certificate.header("content-type")), (200, "application/pdf"));
    // The next start makes it anew.
    let keys = |demo: &Demo| ["password", "query_page"].map(|key| demo.said["demo"][key].clone());
    let before = keys(&demo);
    demo.end();
    assert_eq!(inside(home.path()), [""; 0].map(PathBuf::from));
    let demo = Demo::start(home.path(), &[]);
    let path = |address: &Value| address.as_str().and_then(|it| it.rsplit('/').next()).map(str::to_owned);
    let after = keys(&demo);
    assert!(before[0] != after[0] && path(&before[1]) != path(&after[1]), "{before:?} {after:?}");
    let anon = Caller::new(&demo.base, None, "");
    let signed_in = Session::of(anon).sign_in("demo@example.com", after[0].as_str().expect("a password"));
    assert_eq!(signed_in.header("location"), "/forms");
    demo.end();
}

#[test]
fn an_example_without_a_place_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let refused = serve(home.path(), &[]).env("TMPDIR", home.path().join("missing")).output().expect("runs");
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("name an empty folder with --data-dir"), "{said}");
    assert!(inside(home.path()).is_empty());
}

#[test]
fn an_example_stays_in_an_empty_data_dir_that_is_named_and_enters_no_other() {
    let home = tempfile::tempdir().expect("a folder");
    let named = home.path().join("named");
    let flag = ["--data-dir", named.to_str().expect("text")];
    // A start that fails leaves it empty.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let refused = [&flag[..], &["--listen", &address]].concat();
    let refused = serve(home.path(), &refused).output().expect("runs");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("choose another place with --listen"));
    Demo::start(home.path(), &flag).end();
    assert_eq!(inside(home.path()), [named.as_path()]);
    // It is served again without another example.
    let again = serve(home.path(), &flag).output().expect("runs");
    assert_eq!(again.status.code(), Some(6));
    let said = text(&again.stderr);
    assert!(said.contains("has accounts"), "{said}");
    assert!(said.contains("leave out --demo"), "{said}");
    let server = Server::over(&named, &[]);
    assert_eq!(server.setup_link, None);
    assert_eq!(server.user().get("/api/v1/forms").status, 200);
    // One that has accounts is as it was.
    let users = server.run(&["user", "list"]);
    assert_eq!(text(&users.stdout).matches("demo@example.com").count(), 1);
}
