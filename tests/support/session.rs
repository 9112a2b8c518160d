//! Sessions on the pages over plain HTTP, and accounts that can sign in.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::{Caller, Response, Server, formsvc, text};

pub const PASSWORD: &str = "a quiet harbour";

/// A browser: keeps cookies, sends a browser's headers, and knows the CSRF token of the page it is on.
pub struct Session {
    caller: Caller,
    origin: String,
    cookies: Mutex<BTreeMap<String, String>>,
    csrf: Mutex<String>,
}

impl Session {
    pub fn on(server: &Server) -> Self {
        Self::of(server.anon())
    }

    /// The browser of somebody who has no cookie yet.
    pub fn of(caller: Caller) -> Self {
        Self { origin: caller.base.clone(), caller, cookies: Mutex::default(), csrf: Mutex::default() }
    }

    /// The same, of a service that is reached under this origin.
    pub fn at(mut self, origin: &str) -> Self {
        origin.clone_into(&mut self.origin);
        self
    }

    /// The same, as seen from another network.
    pub fn from(server: &Server, address: &str) -> Self {
        Self::on(server).header("x-forwarded-for", address)
    }

    /// The same, with one more header on every request.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.caller = self.caller.header(name, value);
        self
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().expect("no panic").get(name).cloned()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().expect("no panic");
        cookies.insert(name.to_owned(), value.to_owned());
    }

    pub fn csrf(&self) -> String {
        self.csrf.lock().expect("no panic").clone()
    }

    pub fn caller(&self) -> Caller {
        let cookies = self.cookies.lock().expect("no panic");
        let line: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if line.is_empty() { self.caller.clone() } else { self.caller.header("cookie", &line.join("; ")) }
    }

    /// Keeps the cookies that the answer sets.
    fn keep(&self, answer: Response) -> Response {
        let mut cookies = self.cookies.lock().expect("no panic");
        for line in answer.headers.get_all("set-cookie") {
            let line = line.to_str().expect("text");
            let (pair, rest) = line.split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a pair");
            if rest.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        if let Some((_, rest)) = answer.text.split_once(r#"name="csrf" value=""#) {
            let token = rest.split('"').next().unwrap_or_default();
            token.clone_into(&mut self.csrf.lock().expect("no panic"));
        }
        answer
    }

    pub fn get(&self, path: &str) -> Response {
        self.keep(self.caller().get(path))
    }

    /// Posts the form of the page that it is on.
    pub fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Response {
        let csrf = self.csrf();
        let pairs = [&[("csrf", csrf.as_str())], pairs].concat();
        let caller = self.caller().header("origin", &self.origin);
        self.keep(caller.post_form(path, &pairs))
    }

    /// Posts the form of the page that it is on, and follows to the page it leads to.
    pub fn post_on(&self, path: &str, pairs: &[(&str, &str)]) -> Response {
        let led = self.post(path, pairs);
        assert_eq!(led.status, 303, "{led}");
        self.get(led.header("location"))
    }

    /// Goes to the sign-in page and fills it in.
    pub fn sign_in(&self, email: &str, password: &str) -> Response {
        self.get("/sign-in");
        self.post("/sign-in", &[("email", email), ("password", password)])
    }

    /// Signs in, which must work, and looks at the profile.
    pub fn signed_in(self, email: &str) -> Self {
        let answer = self.sign_in(email, PASSWORD);
        assert_eq!((answer.status, answer.header("location")), (303, "/forms"), "{answer}");
        assert_eq!(self.get("/profile").status, 200);
        self
    }
}

/// A server with an account that has a password.
pub fn with_account(flags: &[&str]) -> (Server, &'static str) {
    let server = Server::with(flags);
    account(&server, "ann@example.org");
    (server, "ann@example.org")
}

pub fn account(server: &Server, email: &str) {
    let args = ["user", "create", email, "--name", "Ann <b>Lee</b>", "--password-stdin"];
    let made = formsvc(&server.dir, &args, PASSWORD);
    assert!(made.status.success(), "{}", text(&made.stderr));
}

pub fn link_path(server: &Server) -> String {
    let link = server.setup_link.clone().expect("a link");
    link[server.base.len()..].to_owned()
}

pub const SETUP: [(&str, &str); 5] = [
    ("name", "Ann Lee"),
    ("organization", "Example <i>Club</i>"),
    ("email", "ann@example.org"),
    ("password", PASSWORD),
    ("timezone", "Europe/Berlin"),
];

/// The unescaped text that the page shows in an element.
pub fn shown(page: &str, id: &str) -> String {
    let start = page.find(&format!("id=\"{id}\">")).expect("the element") + id.len() + 6;
    let end = page[start..].find('<').expect("its end") + start;
    page[start..end].replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The parts of an answer that could tell one kind of refusal from another.
pub fn traits(answer: &Response, email: &str) -> String {
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["x-request-id", "date", "set-cookie", "content-length"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}", value.to_str().expect("text")))
        .collect();
    headers.sort();
    let csrf = answer.text.split_once(r#"name="csrf" value=""#).map_or("", |(_, rest)| &rest[..43]);
    let body = answer.text.replace(csrf, "[csrf]").replace(email, "[email]");
    format!("{} {headers:?} {body}", answer.status)
}
