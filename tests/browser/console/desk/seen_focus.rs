//! Whoever goes through a page by the Tab key sees where they are: no bar covers what has the focus.

use serde_json::json;
use support::Server;

use crate::console::entries::registration;
use crate::console::people::sign_in;
use crate::driver::webdriver::{Browser, Look, TAB};

/// Stops of the Tab key on each page.
const STOPS: usize = 45;

/// What covers `own`, an element with the focus, or where it is out of sight; empty if it is seen.
pub(super) const COVERED: &str = "
    const document = own.ownerDocument;
    if (own === document.body || own.localName === 'iframe') return '';
    let {left, right, top, bottom} = own.getBoundingClientRect();
    // A wide heading of a table that scrolls is seen by its beginning.
    const box = own.closest('thead a') && own.closest('.table-wrap')?.getBoundingClientRect();
    if (box && Math.min(right, box.right) - Math.max(left, box.left) >= 24) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    const isOwn = (other) => own.contains(other) || other.contains(own) || [...own.labels ?? []].some((label) => label.contains(other));
    const middle = [(left + right) / 2, (top + bottom) / 2];
    if (!document.elementFromPoint(...middle)) return `${own.outerHTML.slice(0, 160)} is out of sight`;
    const points = [middle, [middle[0], top + 2], [middle[0], bottom - 2], [left + 2, middle[1]], [right - 2, middle[1]]];
    const over = points.map(([x, y]) => document.elementFromPoint(x, y)).find((other) => other && !isOwn(other));
    return over ? `${own.outerHTML.slice(0, 160)} is under ${over.outerHTML.slice(0, 160)}` : ''";

#[test]
fn no_bar_covers_what_has_the_focus() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let script = format!("const own = document.activeElement; {{ {COVERED} }}");
    let mut covered = Vec::new();
    for look in [Look { width: 390, height: 844, ..Look::PHONE }, Look { height: 600, ..Look::DESK }] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        for page in ["settings", "share", "build?field=field_5", "theme", "report"] {
            browser.go(&format!("{}/forms/{}/{page}", server.base, form.token));
            browser.until("document.readyState === 'complete'");
            for _ in 0..STOPS {
                browser.keys([TAB]);
                let found = browser.run(&script);
                if found != json!("") {
                    covered.push(format!("{page} {}: {found}", look.width));
                }
            }
        }
    }
    assert!(covered.is_empty(), "{covered:#?}");
}
