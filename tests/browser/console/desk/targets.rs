//! What is pressed is large enough: for a mouse, and for a finger on a phone and on a tablet (WCAG 2.5.8).

use serde_json::json;
use support::Server;

use crate::console::desk::every_page;
use crate::console::people::sign_in;
use crate::driver::webdriver::{Browser, Look};

/// Targets that are too small, in the parts that are open or in the page as it comes.
///
/// Of those that are smaller, some are allowed: links in a sentence; targets in a circle of the wanted size that no other
/// target reaches into; and targets for which there is another that does the same: the bars of a chart have a table of
/// links, the edge of a column has the choice of columns, and the line beside an entry has buttons.
const SMALL: &str = "
    const least = matchMedia('(pointer: coarse)').matches ? 44 : 24;
    // What is scrolled out of its box is not there, and what floats above the page is reached by scrolling that.
    const parents = (e) => e.parentElement ? [e.parentElement, ...parents(e.parentElement)] : [];
    const isInside = (e) => {
        const own = e.getBoundingClientRect();
        return parents(e).filter((box) => box !== document.body && box !== document.documentElement && getComputedStyle(box).overflow !== 'visible')
            .every((box) => { const {top, bottom, left, right} = box.getBoundingClientRect();
                return own.bottom > top && own.top < bottom && own.right > left && own.left < right });
    };
    const layerOf = (e) => [e, ...parents(e)].find((box) => ['fixed', 'sticky', 'absolute'].includes(getComputedStyle(box).position));
    const isSeen = (e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('.skip, .trap, .visually-hidden') && isInside(e);
    const boxOf = (e) => {
        const label = e.matches('input, select, textarea') && e.closest('label');
        const {left, top, right, bottom} = (label || e).getBoundingClientRect();
        return {e, layer: layerOf(e), left, top, right, bottom, wide: right - left, high: bottom - top, x: (left + right) / 2, y: (top + bottom) / 2};
    };
    const links = new Set([...document.querySelectorAll('table a[href]')].map((link) => link.href));
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, .handle')]
        .filter((e) => isSeen(e) && (!isOpen || e.closest('details')) && !links.has(e.closest('svg') && new URL(e.href.baseVal, location).href))
        .map(boxOf).filter(({wide, high}) => wide > 1 && high > 1);
    const isSmall = ({wide, high}) => Math.min(wide, high) < least - 0.5;
    const isInSentence = ({e}) => e.localName === 'a' && getComputedStyle(e).display === 'inline'
        && [...e.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim().length > 1);
    const isFar = (own, other) => {
        if (isSmall(other)) return Math.hypot(own.x - other.x, own.y - other.y) >= least - 0.5;
        const across = Math.max(other.left - own.x, 0, own.x - other.right);
        const down = Math.max(other.top - own.y, 0, own.y - other.bottom);
        return Math.hypot(across, down) >= least / 2 - 0.5;
    };
    const isAlone = (own) => all.every((other) => other === own || other.layer !== own.layer || other.e.contains(own.e) || own.e.contains(other.e) || isFar(own, other));
    return [least, all.length, all.filter((own) => isSmall(own) && !isInSentence(own) && !isAlone(own))
        .map(({e, wide, high}) => `${Math.round(wide)}x${Math.round(high)} ${e.outerHTML.slice(0, 140)}`)]";

#[test]
fn targets_are_large_enough_for_a_mouse_and_for_a_finger() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let pages = every_page(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let phone = Look { width: 390, height: 844, ..Look::PHONE };
    let mut small = Vec::new();
    for (look, least) in [(Look::DESK, 24), (phone, 44), (Look { height: 800, ..Look::DESK }, 44)] {
        browser.look(look);
        browser.fingers(least == 44);
        for page in &pages {
            browser.go(&format!("{}{page}", server.base));
            browser.until("document.readyState === 'complete'");
            let opened = [false, true].map(|is_open| {
                if is_open {
                    browser.run("for (const part of document.querySelectorAll('details')) part.open = true");
                }
                let found = browser.run(&format!("const isOpen = {is_open}; {SMALL}"));
                assert_eq!(found[0], json!(least), "{page}");
                small.extend(
                    found[2].as_array().expect("a list").iter().map(|one| format!("{page} {} {one}", look.width)),
                );
                found[1].as_u64().unwrap_or(0)
            });
            assert!(opened[0] > 8, "{page}: {opened:?}");
        }
    }
    assert!(small.is_empty(), "{small:#?}");
}
