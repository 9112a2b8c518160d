//! The parts that pages are made of, on one page with all their states. A unit test of `pages/ui/sample.rs` draws it
//! into `parts.html`; here it is given with the files and the policy of the program.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::json;
use support::Server;

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at_on;

const PAGE: &str = include_str!("parts.html");
const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
const ESCAPE: char = '\u{e00c}';

/// The address of the page, which loads the program's files.
fn served(server: &Server) -> String {
    let sign_in = server.anon().get("/sign-in");
    let folder = sign_in.text.split("href=\"").find_map(|rest| rest.split_once("icon.svg\"")).expect("an icon").0;
    let policy = sign_in.header("content-security-policy").to_owned();
    let files: HashMap<String, String> = PAGE
        .split(['"', ' '])
        .filter(|text| [".css", ".js", ".svg"].iter().any(|ending| text.ends_with(ending)))
        .map(|name| (name.to_owned(), server.anon().get(format!("{folder}{name}")).text))
        .collect();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    // A browser also opens connections that it does not use.
    std::thread::spawn(move || {
        let (files, policy) = (&files, &policy);
        std::thread::scope(|all| {
            for stream in listener.incoming().flatten() {
                all.spawn(move || answer(stream, files, policy));
            }
        });
    });
    address
}

fn answer(mut stream: TcpStream, files: &HashMap<String, String>, policy: &str) -> std::io::Result<()> {
    let mut head = [0; 4096];
    let length = stream.read(&mut head)?;
    let head = String::from_utf8_lossy(&head[..length]);
    let name = head.split([' ', '?']).nth(1).unwrap_or_default().trim_start_matches('/');
    let text = files.get(name).map_or(PAGE, String::as_str);
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css",
        Some((_, "js")) => "text/javascript",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Security-Policy: {policy}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    )
}

#[test]
fn every_part_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let address = served(Server::shared());
    let browser = Browser::open(Look::DESK);
    look_at_on(&browser, "parts", PHONE, &|| browser.go(&address));
    let narrow = Look { width: 320, ..PHONE };
    for look in [narrow, narrow.dark()] {
        browser.look(look);
        browser.go(&address);
        browser.until("document.readyState === 'complete'");
        browser.shot(if look.dark { "parts-320-dark" } else { "parts-320-light" }, look);
        assert_eq!(browser.axe(), NOTHING);
        browser.complaints();
    }
}

#[test]
fn menus_and_dialogs_open_and_close_by_keys_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let address = served(Server::shared());
    for look in [PHONE, Look::DESK, PHONE.dark(), Look::DESK.dark(), PHONE.without_script()] {
        let browser = Browser::open(look);
        browser.go(&address);
        browser.until("document.readyState === 'complete'");
        let side = format!("{}-{}", look.width, if look.dark { "dark" } else { "light" });
        for (opener, part) in
            [("[popovertarget=row-1]", "#row-1"), ("[commandfor=dialog][command=show-modal]", "#dialog")]
        {
            let opener = format!("document.querySelector('{opener}')");
            let part = format!("document.querySelector('{part}')");
            assert_eq!(browser.run(&format!("return {part}.checkVisibility()")), json!(false));
            browser.run(&format!("{opener}.focus()"));
            browser.keys([ENTER]);
            browser.until(&format!("{part}.checkVisibility()"));
            // It is whole in the window.
            browser.until(&format!(
                "(box => box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight)({part}.getBoundingClientRect())"
            ));
            let name = if part.contains("dialog") { "dialog" } else { "menu" };
            browser.shot(&format!("parts-{name}-{side}"), look);
            // It is a script, too.
            if look.script {
                assert_eq!(browser.axe(), NOTHING, "{name} {side}");
                browser.complaints();
            }
            browser.keys([ESCAPE]);
            browser.until(&format!("!{part}.checkVisibility() && document.activeElement === {opener}"));
        }
    }
}
