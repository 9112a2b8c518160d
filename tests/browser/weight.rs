//! The weight of a page on its way to the browser; all files are named at once, so that one hop brings all of it.

use std::fs;

use serde_json::{Value, json};
use support::Server;

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};
use crate::questions::every_kind;

/// Of any form, whatever it asks.
const MOST: u64 = 60_000;

/// All loaded files: the page first. `late` are those that the page itself does not name.
const LOADED: &str = "
    const named = new Set([...document.querySelectorAll('link[href], script[src], img[src]')].map(e => e.href || e.src));
    const [page] = performance.getEntriesByType('navigation');
    const all = [page, ...performance.getEntriesByType('resource')].map(e => ({
        name: e.name.split('?')[0].split('/').pop(), bytes: e.transferSize, picture: e.initiatorType === 'img', plain: e.decodedBodySize, late: e !== page && !named.has(e.name)}));
    return {all, bytes: all.reduce((sum, e) => sum + e.bytes, 0), late: all.filter(e => e.late).map(e => e.name)}";

pub fn loaded(browser: &Browser, address: &str) -> Value {
    browser.go(address);
    browser.until("document.readyState === 'complete'");
    browser.run(LOADED)
}

#[test]
fn any_form_is_light_and_comes_in_one_hop() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for layout in ["classic", "card"] {
        // A browser that has seen nothing yet.
        let browser = Browser::open(Look::PHONE);
        for locale in ["en", "zh-CN"] {
            let form = owner.form_with(every_kind::form_in(&owner, locale, layout));
            let found = loaded(&browser, &format!("{}{}", server.base, form.page()));
            if locale == "en" {
                assert!(found["bytes"].as_u64().is_some_and(|bytes| bytes < MOST), "{found:#}");
            } else {
                // Of the second form the page alone is loaded.
                let again = found["all"].as_array().expect("a list").iter().skip(1);
                let fresh: Vec<_> = again.filter(|one| one["bytes"] != json!(0)).collect();
                assert_eq!(fresh, Vec::<&Value>::new());
            }
            assert_eq!(found["late"], json!([]), "{found:#}");
        }
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn account_pages_come_in_one_hop() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let browser = Browser::open(Look::DESK);
    for path in ["/sign-in", "/docs"] {
        let found = loaded(&browser, &format!("{}{path}", server.base));
        assert_eq!(found["late"], json!([]), "{found:#}");
    }
    let found = loaded(&browser, server.setup_link.as_deref().expect("a link"));
    assert_eq!(found["late"], json!([]), "{found:#}");
}

/// The packed bytes of a page's files and of those of its frames, cached or not. Signed-in pages hold secrets, so that
/// they are not packed themselves.
const PACKED: &str = "
    const views = [window, ...[...document.querySelectorAll('iframe')].map(frame => frame.contentWindow)];
    const files = new Map(views.flatMap(view => [...view.performance.getEntriesByType('navigation'),
        ...view.performance.getEntriesByType('resource')]).filter(one => one.name.startsWith('http')).map(one => [one.name, one.encodedBodySize]));
    const bytes = [...files].filter(([name]) => name.includes('/assets/')).reduce((sum, [, bytes]) => sum + bytes, 0);
    return {origins: [...new Set([...files.keys()].map(name => new URL(name).origin))], bytes,
        files: Object.fromEntries(files)}";

#[test]
fn signed_in_pages_are_light_and_load_nothing_from_elsewhere() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada");
    let form = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    // The builder and its like show the form's own page.
    let of_form = [
        ("build?field=field_3", 90_000),
        ("theme", 90_000),
        ("rules", 50_000),
        ("entries", 50_000),
        ("publish", 50_000),
        ("history", 50_000),
        ("share", 50_000),
        ("report", 50_000),
        ("settings", 50_000),
        ("entries/import", 50_000),
    ];
    let of_form = of_form.map(|(page, most)| (format!("/forms/{}/{page}", form.token), most));
    let others = ["/forms", "/forms/new", "/profile"].map(|path| (path.to_owned(), 50_000));
    for (path, most) in of_form.into_iter().chain(others) {
        browser.go(&format!("{}{path}", server.base));
        browser.until("document.readyState === 'complete'");
        let found = browser.run(PACKED);
        assert_eq!(found["origins"], json!([server.base]), "{path}");
        assert!(found["bytes"].as_u64().is_some_and(|bytes| bytes < most), "{path}: {found:#}");
    }
    assert_eq!(browser.complaints(), NOTHING);
}

/// A stylesheet as a browser reads it, rule by rule. Texts of custom properties are as they were written.
const RULES: &str = "
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return [...sheet.cssRules].map(rule => rule.cssText.replace(/([,:])\\s+/g, '$1'))";

#[test]
fn the_packed_stylesheet_means_what_was_written() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}/sign-in", server.base));
    let served =
        browser.run("return fetch(document.querySelector('[rel=stylesheet]').href).then(answer => answer.text())");
    let served = served.as_str().expect("a text");
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/css/app")).expect("a folder");
    let files: Vec<String> =
        folder.map(|file| fs::read_to_string(file.expect("a file").path()).expect("a text")).collect();
    assert!(served.len() < files.concat().len() * 9 / 10);
    let read = |text: &str| -> Vec<String> {
        let rules = browser.run(&format!("const text = {}; {RULES}", json!(text)));
        serde_json::from_value(rules).expect("texts")
    };
    let rules = read(served);
    let written = files.iter().map(|file| read(file)).inspect(|written| {
        assert!(rules.windows(written.len()).any(|part| part == written), "{written:#?}");
    });
    assert_eq!(written.map(|written| written.len()).sum::<usize>(), rules.len());
}
