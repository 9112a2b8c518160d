//! `/docs` on a telephone: nothing is wider than the window, the list of its parts folds, targets are large.

use serde_json::json;
use support::Server;

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

#[test]
fn docs_fit_a_telephone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    for width in [320, 360, 390] {
        let look = Look { width, ..Look::PHONE };
        let browser = Browser::open(look);
        for path in ["", "/entries", "/forms", "/kinds", "/errors"] {
            browser.go(&format!("{}/docs{path}", server.base));
            browser.until("document.readyState === 'complete'");
            let name = format!("docs{}-{width}", path.replace('/', "-"));
            browser.shot(&name, look);
            assert_eq!(browser.run("return document.documentElement.scrollWidth"), json!(width), "{name}");
            // A wider element scrolls in itself.
            let wide = browser.run(
                "return [...document.querySelectorAll('main *')].filter(e => {
                    const box = e.getBoundingClientRect();
                    return box.right > innerWidth + 1 && !e.closest('pre, .table-wrap');
                }).map(e => e.outerHTML.slice(0, 100))",
            );
            assert_eq!(wide, json!([]), "{name}");
            // The first heading is seen at once: the list of parts is folded.
            let top = browser.run("return document.querySelector('h1').getBoundingClientRect().top");
            assert!(top.as_f64() < Some(300.0), "{name}: {top}");
            assert!(browser.shifted() < 0.01, "{name}: {}", browser.shifts());
            let is_folded = browser.run("return !document.querySelector('.docs-nav details').open");
            assert_eq!(is_folded, json!(true), "{name}");
            browser.run("document.querySelector('.docs-nav summary').click()");
            let small = browser.run(
                "return [...document.querySelectorAll('.docs-nav a, .docs-nav summary, .operations a, .kinds-list a, .site-head a, main summary')]
                    .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 100))",
            );
            assert_eq!(small, json!([]), "{name}");
            if width == 360 {
                assert_eq!(browser.complaints(), NOTHING, "{name}");
                assert_eq!(browser.axe(), NOTHING, "{name}");
                browser.complaints();
            }
        }
    }
}

#[test]
fn docs_list_their_parts_on_a_desk() {
    if !Browser::is_installed() {
        return;
    }
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}/docs/entries", Server::shared().base));
    let shown = browser
        .run("return [...document.querySelectorAll('.docs-nav a')].filter(a => a.checkVisibility()).length > 10");
    assert_eq!(shown, json!(true));
    assert!(browser.shifted() < 0.01, "{}", browser.shifts());
    browser.shot("docs-entries-1280", Look::DESK);
}
