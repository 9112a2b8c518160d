//! Forms inside other sites' pages, in colours of the device, on paper and in colours that their owners chose.

use serde_json::{Value, json};
use support::steps::set_part;
use support::{Server, until};

use crate::driver::steps::{NOTHING, load, set};
use crate::driver::webdriver::{Browser, Look, TAB};
use crate::forms;
use crate::looks::host;
use crate::questions::every_kind;

/// Whether all of the focus ring is within the frame.
const RING: &str = "
    const e = document.activeElement;
    const drawn = [e, e.closest('.choice, .grid-choice'), e.nextElementSibling, e.closest('.input')].find(x => x && getComputedStyle(x).outlineStyle !== 'none');
    const box = drawn.getBoundingClientRect(), style = getComputedStyle(drawn);
    const room = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
    const all = document.documentElement;
    return {what: e.name || e.id, left: box.left - room, right: all.clientWidth - box.right - room,
        top: box.top + scrollY - room, bottom: all.scrollHeight - box.bottom - scrollY - room}";

/// The space below the last thing that is seen.
const REST: &str = "innerHeight - Math.max(...[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.trap, .visually-hidden')).map(e => e.getBoundingClientRect().bottom))";

#[test]
fn a_frame_is_as_tall_as_its_form_and_cuts_no_ring() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "checkbox", "label": "Meals", "choices": [{"api_code": "a", "label": "Breakfast"}, {"api_code": "b", "label": "Dinner", "allow_extended_text": true}]},
        {"type": "email", "label": "Email", "required": true},
        {"type": "page_break"},
        {"type": "nps", "label": "How likely?"},
    ]));
    let framed = format!("{}{}?embed=1", server.base, form.page());
    for (width, height) in [(320, 10), (360, 2000), (1000, 10)] {
        let page = format!(
            "<!doctype html><title>Host</title><body style='margin:0'><script>const told = [];
             onmessage = e => {{ told.push(e.data.height); document.querySelector('iframe').height = e.data.height }}</script>
             <iframe src='{framed}' width={width} height={height} style='border:0'></iframe>"
        );
        let browser = Browser::open(Look::DESK);
        browser.go(&host(&page));
        // Told, taken over and the same a moment later.
        let settled = || {
            let mut before = None;
            loop {
                browser.until("told.length > 0 && Number(document.querySelector('iframe').height) === told.at(-1)");
                std::thread::sleep(std::time::Duration::from_millis(150));
                let height = browser.run("return told.at(-1)").as_u64();
                if before == height {
                    return height.expect("a height");
                }
                before = height;
            }
        };
        let whole = |what: &str| {
            let mut height = 0;
            until(&format!("{what} fits into its frame, {width} wide"), || {
                height = settled();
                browser.frame(Some(0));
                let fits = format!(
                    "const rest = {REST}; return rest >= 6 && rest <= 24 && document.documentElement.scrollHeight <= innerHeight"
                );
                let fits = browser.run(&fits);
                browser.frame(None);
                fits == json!(true)
            });
            height
        };
        let first = whole("the first page");
        browser.frame(Some(0));
        browser.run("document.querySelector('.skip').remove(); document.activeElement.blur()");
        for _ in 0..4 {
            browser.keys([TAB]);
            let room = browser.run(RING);
            for side in ["left", "right", "top", "bottom"] {
                assert!(room[side].as_f64().is_some_and(|room| room >= 0.0), "{width}: {side} of {room}");
            }
        }
        browser.run("document.getElementById('forward').click()");
        browser.until("document.activeElement?.id === 'summary'");
        let room = browser.run(RING);
        for side in ["left", "right", "top", "bottom"] {
            assert!(room[side].as_f64().is_some_and(|room| room >= 0.0), "{width}: {side} of {room}");
        }
        browser.frame(None);
        let faults = whole("a fault");
        assert!(faults > first, "{faults} of {first}");
        browser.frame(Some(0));
        for (line, text) in [("field_1", "Ada"), ("field_3", "ada@example.com")] {
            browser
                .run(&format!("{line}.value = '{text}'; {line}.dispatchEvent(new Event('change', {{bubbles: true}}))"));
            browser.until(&format!("!document.querySelector('.wrong[data-field={line}]')"));
        }
        browser.until("!document.querySelector('.field.wrong')");
        browser.run("document.getElementById('forward').click()");
        browser.until("document.querySelector('[name=_page]').value === '1'");
        browser.frame(None);
        let second = whole("the second page");
        assert!(second < faults, "{second} of {faults}");
        assert_eq!(browser.complaints(), NOTHING);
    }
    // The page that thanks is one too.
    let sent = server
        .anon()
        .post_form(format!("{}?embed=1", form.page()), &[("field_1", "Ada"), ("field_3", "ada@example.com")]);
    assert_eq!(sent.status, 303, "{sent}");
    let thanks = format!("{}{}", server.base, sent.header("location"));
    let page = format!(
        "<!doctype html><title>Host</title><script>onmessage = e => {{ document.querySelector('iframe').height = e.data.height }}</script>
         <iframe src='{thanks}' width=400 height=1500 style='border:0'></iframe>"
    );
    let browser = Browser::open(Look::DESK);
    browser.go(&host(&page));
    browser.until("document.querySelector('iframe').height < 1500");
    browser.frame(Some(0));
    let rest = browser.run(&format!("return {REST}")).as_f64().expect("a length");
    assert!((6.0..=24.0).contains(&rest), "{rest}");
}

/// Left, top, width and height of an element on the page.
fn place(browser: &Browser, element: &str) -> [f64; 4] {
    let found = browser.run(&format!(
        "const box = {element}.getBoundingClientRect(); return [box.left + scrollX, box.top + scrollY, box.width, box.height]"
    ));
    let numbers: Vec<f64> = found.as_array().expect("a place").iter().filter_map(Value::as_f64).collect();
    numbers.try_into().expect("four numbers")
}

/// How much lighter or darker the colours of a part are, at most: 0 to 255.
fn relief(browser: &Browser, [x, y, width, height]: [f64; 4]) -> u8 {
    let image = browser.pixels([x, y, width, height]);
    let greys = image.pixels().map(|pixel| pixel.0.iter().map(|part| u32::from(*part)).sum::<u32>() / 3);
    let (low, high) = greys.fold((255, 0), |(low, high), grey| (grey.min(low), grey.max(high)));
    u8::try_from(high.saturating_sub(low)).unwrap_or(u8::MAX)
}

/// Whether two elements of the same size look different.
fn differ(browser: &Browser, one: &str, other: &str) -> bool {
    let (one, other) = (place(browser, one), place(browser, other));
    let inner = |[x, y, _, height]: [f64; 4]| browser.pixels([x + 1.0, y + 1.0, 6.0, height - 2.0]);
    let (one, other) = (inner(one), inner(other));
    let pairs = one.pixels().zip(other.pixels());
    pairs.filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 60)).count() > 8
}

fn chosen(browser: &Browser) {
    browser.run(
        "for (const name of ['field_11', 'field_14', 'field_18', 'field_19']) {
            const all = document.getElementsByName(name); all[Math.min(2, all.length - 1)]?.click(); }
         document.getElementById('field_1')?.focus(); document.activeElement.blur(); scrollTo(0, 0)",
    );
}

#[test]
fn colours_of_the_device_show_what_is_chosen() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let progress = json!({"submission_options": {"show_progress": true}});
    set(&owner, &form, progress);
    let browser = Browser::open(Look::DESK);
    browser.force_colors();
    load(&browser, server, &form);
    chosen(&browser);
    assert_eq!(browser.run("return matchMedia('(forced-colors: active)').matches"), json!(true));
    browser.until("document.querySelector('.progress progress').value > 0");
    // A copy of the whole part, which the script does not know and thus does not set back to the count; no
    // transition on its way to a half.
    browser.run(
        "const still = new CSSStyleSheet();
         still.replaceSync('progress::-webkit-progress-value { transition: none !important; }');
         document.adoptedStyleSheets.push(still);
         const part = document.querySelector('.progress'), copy = part.cloneNode(true);
         part.replaceWith(copy);
         const bar = copy.querySelector('progress');
         bar.value = bar.max / 2;",
    );
    browser.shot("forced-colors", Look::DESK);
    // A list has its arrow.
    let [x, y, width, height] = place(&browser, "document.querySelector('select.input')");
    assert!(relief(&browser, [x + width - 34.0, y + 8.0, 28.0, height - 16.0]) > 100, "no arrow");
    // The bar has a done half, another half and an edge.
    let [x, y, width, height] = place(&browser, "document.querySelector('.progress progress')");
    assert!(relief(&browser, [x + width / 2.0 - 20.0, y + height / 2.0, 40.0, 1.0]) > 60, "no progress");
    assert!(relief(&browser, [x + width - 20.0, y - 2.0, 4.0, height + 4.0]) > 60, "no edge");
    let scale =
        |name: &str, at: usize| format!("document.getElementsByName('{name}')[{at}].closest('.point, .choice')");
    for name in ["field_19", "field_18", "field_11"] {
        let (one, other) = (scale(name, 2), scale(name, if name == "field_18" { 4 } else { 1 }));
        let (a, b) = (place(&browser, &one), place(&browser, &other));
        let (a, b) = (browser.pixels(a), browser.pixels(b));
        let count =
            a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 60)).count();
        assert!(count > 40, "{name}: {count}");
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn paper_shows_what_is_chosen_and_nothing_to_press() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let progress = json!({"submission_options": {"show_progress": true}});
    set(&owner, &form, progress);
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    chosen(&browser);
    browser.run("document.querySelector('.toast').textContent = 'A word'");
    browser.print();
    browser.shot("paper-filled", Look::DESK);
    let seen = "[...document.querySelectorAll('button, progress, .progress, .toast, .kept, .skip')].filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 90))";
    assert_eq!(browser.run(&format!("return {seen}")), json!([]));
    let point = |name: &str, at: usize| format!("document.getElementsByName('{name}')[{at}].closest('.point')");
    // Backgrounds are not printed: it is the edge that tells.
    let edge = |at: usize| {
        let point = point("field_19", at);
        browser.run(&format!(
            "const s = getComputedStyle({point}.querySelector('span')); return [s.borderTopWidth, s.borderTopColor]"
        ))
    };
    assert_eq!(edge(2), json!(["3px", "rgb(0, 0, 0)"]));
    assert_eq!(edge(3)[0], "1px");
    assert!(differ(&browser, &point("field_19", 2), &point("field_19", 3)));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_button_has_an_edge_where_its_colour_is_near_the_pages() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    // Relative luminance and contrast, as WCAG has them.
    let contrast = "
        const lum = text => { const c = text.match(/[\\d.]+/g).slice(0, 3).map(p => p / 255).map(p => p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4);
            return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
        const contrast = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) / (Math.min(lum(a), lum(b)) + 0.05);
        const style = getComputedStyle(document.getElementById('forward'));
        const page = getComputedStyle(document.querySelector('main')).backgroundColor;
        const ground = page === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.documentElement).backgroundColor : page;
        const [button, edge] = [contrast(style.backgroundColor, ground), contrast(style.borderTopColor, ground)];
        return {button, edge, width: style.borderTopWidth, ground, colour: style.borderTopColor}";
    for (theme, near) in [
        (json!({"submit_button": {"color": "#FACC15"}}), [true, false]),
        (json!({"submit_button": {"color": "#FFFFFF"}}), [true, false]),
        (json!({"submit_button": {"color": "#111111"}}), [false, true]),
        (json!({"submit_button": {"color": "#0F766E"}}), [false, false]),
        (json!({"background_color": "#FEF3C7", "submit_button": {"color": "#FDE68A"}}), [true, false]),
        (json!({"background_color": "#101010", "submit_button": {"color": "#202020"}}), [true, true]),
    ] {
        let form = owner.form_with(forms::workshop());
        set_part(&owner, &form, "theme", theme.clone());
        for (look, near) in [Look::DESK, Look::DESK.dark()].into_iter().zip(near) {
            browser.look(look);
            load(&browser, server, &form);
            let found = browser.run(contrast);
            let number = |key: &str| found[key].as_f64().expect("a ratio");
            assert_eq!(number("button") < 3.0, near, "{theme} {found}");
            assert!(number("edge") >= 2.99 && found["width"] == json!("1px"), "{theme} {found}");
            let name = format!(
                "button-{}-{}",
                found["colour"].as_str().unwrap_or_default().replace([' ', ','], ""),
                look.dark
            );
            browser.shot(&name, look);
        }
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_frame_is_as_tall_whatever_it_was_before() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let mut cards = forms::cards();
    cards["name"] = json!("Cards in a frame");
    let form = server.user().form_with(cards);
    let framed = format!("{}{}?embed=1", server.base, form.page());
    let told = [10, 700, 2000].map(|height| {
        let page = format!(
            "<!doctype html><title>Host</title><body style='margin:0'><script>const told = [];
             onmessage = e => {{ told.push(e.data.height); document.querySelector('iframe').height = e.data.height }}</script>
             <iframe src='{framed}' width=400 height={height} style='border:0'></iframe>"
        );
        let browser = Browser::open(Look::DESK);
        browser.go(&host(&page));
        browser.until("told.length > 0");
        std::thread::sleep(std::time::Duration::from_millis(500));
        browser.run("return [told[0], told.at(-1)]")
    });
    assert_eq!(told[0][0], told[0][1], "{told:?}");
    assert_eq!((&told[1], &told[2]), (&told[0], &told[0]));
}
