//! Every page in light and dark, on a phone and on a desk: axe-core finds nothing, nothing is wider
//! than the window, and hostile text is shown as text.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;
use support::{Form, Server};

use crate::driver::steps::{NOTHING, set};
use crate::driver::webdriver::{Browser, Look};
use crate::forms;

/// Looks at a page from all sides.
pub fn look_at(browser: &Browser, name: &str, address: &str) {
    look_at_on(browser, name, Look::PHONE, &|| browser.go(address));
}

/// The same with this phone; `reach` opens the page.
pub fn look_at_on(browser: &Browser, name: &str, phone: Look, reach: &dyn Fn()) {
    for look in [phone, Look::DESK] {
        let width = look.width;
        browser.look(look);
        reach();
        browser.until("document.readyState === 'complete'");
        is_whole(browser, &format!("{name}-{width}-light"), look);
        assert_eq!(browser.axe(), NOTHING, "{name} {width}");
        browser.complaints(); // What axe itself provokes is not the page's.
        browser.darken(look);
        is_whole(browser, &format!("{name}-{width}-dark"), look.dark());
        assert_eq!(browser.axe_of_colors(), NOTHING, "{name} {width} dark");
        browser.complaints();
    }
    let narrow = Look { width: 320, ..Look::PHONE };
    browser.look(narrow);
    assert_eq!(browser.run("return document.documentElement.scrollWidth"), json!(320), "{name}");
    let small = browser.run(
        "return [...document.querySelectorAll('main button:not(.enter), main a.button, main .input, main .choice, main select, .site-head :is(a, button), .docs-nav a')]
            .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 120))",
    );
    assert_eq!(small, json!([]), "{name}: targets under 44 px");
}

/// Checks that the current page is as wide as the window, and that the console says nothing.
fn is_whole(browser: &Browser, name: &str, look: Look) {
    browser.shot(name, look);
    let wide = browser.run("return document.documentElement.scrollWidth");
    assert_eq!(wide, json!(look.width), "{name}");
    assert_eq!(browser.complaints(), NOTHING, "{name}");
}

/// Looks at the current page.
fn looks_whole(browser: &Browser, name: &str, look: Look) {
    is_whole(browser, name, look);
    assert_eq!(browser.axe(), NOTHING, "{name}");
    browser.complaints();
}

#[test]
fn forms_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let page = |form: &Form| format!("{}{}", server.base, form.page());
    let mut whole = forms::workshop();
    if let Some(fields) = whole["fields"].as_array_mut() {
        fields.retain(|field| field["type"] != "page_break");
    }
    look_at(&browser, "form", &page(&owner.form_with(forms::workshop())));
    look_at(&browser, "form-all", &page(&owner.form_with(whole)));
    look_at(&browser, "form-zh", &page(&owner.form_with(forms::chinese())));
    look_at(&browser, "form-rtl", &page(&owner.form_with(forms::arabic())));
    let themed = owner.form_with(forms::workshop());
    let theme = json!({"primary_color": "#0F766E", "background_color": "#FFFDF7", "text_color": "#1C1917",
        "font": "serif", "wallpaper": {"color": "#F3E8D2"}, "header": {"type": "text", "text": "Riverside Print Workshop"},
        "submit_button": {"text": "Send my registration", "color": "#FACC15"}});
    let done = owner.patch(format!("{}/theme", themed.path()), theme);
    assert_eq!(done.status, 200, "{done}");
    look_at(&browser, "form-theme", &page(&themed));
}

#[test]
fn choices_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = server.user().form_with(forms::choices());
    let address = format!("{}{}", server.base, form.page());
    look_at(&Browser::open(Look::DESK), "form-choices", &address);
}

#[test]
fn other_pages_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let page = |form: &Form| format!("{}{}", server.base, form.page());
    look_at(&browser, "not-found", &format!("{}/f/nothinghere", server.base));

    let closed = owner.form_with(forms::workshop());
    set(&owner, &closed, json!({"availability": {"manually_closed": true}}));
    look_at(&browser, "closed", &page(&closed));

    let later = owner.form_with(forms::chinese());
    set(
        &owner,
        &later,
        json!({"availability": {"show_countdown": true, "schedule": {"start_at": "2090-01-01T08:00:00Z"}}}),
    );
    look_at(&browser, "not-open", &page(&later));

    // A visitor who may read the form before it opens reads all of it.
    for layout in ["classic", "card"] {
        let mut early = forms::workshop();
        early["layout"] = json!(layout);
        let early = owner.form_with(early);
        let schedule = json!({"start_at": "2090-01-01T08:00:00Z"});
        set(&owner, &early, json!({"availability": {"show_form_before_open": true, "schedule": schedule}}));
        look_at(&browser, &format!("early-{layout}"), &page(&early));
        let all = "[...document.querySelectorAll('.field')].every(field => field.checkVisibility())";
        assert_eq!(browser.run(&format!("return {all}")), json!(true));
    }

    let full = owner.form_with(forms::chinese());
    set(&owner, &full, json!({"availability": {"entries_limit": 2}}));
    for name in ["Ada", "Bea"] {
        let values = json!({"field_1": name, "field_2": "ada@example.com", "field_4": full.body["fields"][3]["choices"][0]["api_code"]});
        let made = server.anon().post(full.submissions(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
    }
    look_at(&browser, "full", &page(&full));

    let locked = owner.form_with(forms::workshop());
    set(&owner, &locked, json!({"access_control": {"access_password": "let me in please"}}));
    look_at(&browser, "locked", &page(&locked));

    let done = owner.form_with(json!({"name": "Guest book", "fields": [{"type": "short_text", "label": "Your name"}]}));
    let answer = server.anon().post_form(done.page(), &[("field_1", "Ada")]);
    assert_eq!(answer.status, 303, "{answer}");
    let done_at = format!("{}{}", server.base, answer.header("location"));
    look_at(&browser, "done", &done_at);

    // Form, receipt and closed page have one ground, and a card at one place: sending does not look like another site.
    for look in [Look::PHONE, Look::DESK, Look::DESK.dark()] {
        browser.look(look);
        let cards = [page(&done), done_at.clone(), page(&closed)].map(|address| {
            browser.go(&address);
            browser.until("document.readyState === 'complete'");
            browser.run(
                "const card = document.querySelector('main > .card') ?? document.querySelector('main');
                 const {left, top, width} = card.getBoundingClientRect();
                 const color = e => getComputedStyle(e).backgroundColor;
                 return [left, top, width, color(document.body), color(card), getComputedStyle(card).borderRadius]",
            )
        });
        assert_eq!([&cards[1], &cards[2]], [&cards[0]; 2], "{}", look.width);
        assert_ne!(cards[0][3], cards[0][4], "the card stands out from the ground");
    }
}

#[test]
fn thanks_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let thanks = |form: &Form| {
        let answer = server.anon().post_form(form.page(), &[("field_1", "Ada")]);
        assert_eq!(answer.status, 303, "{answer}");
        format!("{}{}", server.base, answer.header("location"))
    };
    let book = |locale: &str| {
        let fields = json!([{"type": "short_text", "label": "Your name"}]);
        owner.form_with(json!({"name": "Guest book", "locale": locale, "fields": fields}))
    };
    let rich = book("en");
    let words = "<h2>See you in June</h2><p>Dear {{field_1}}, bring <b>good shoes</b> and:</p><ul><li>a hat</li><li>water</li></ul>\
        <blockquote>There is no bad weather.</blockquote><p><a href=\"https://example.com/way\">How to find us</a></p>";
    set(
        &owner,
        &rich,
        json!({"after_submission": {"mode": "show_message", "show_message": {"style": "rich_text", "rich_text": words}},
            "submission_options": {"allow_edit_after_submission": true}}),
    );
    look_at(&browser, "done-rich", &thanks(&rich));
    let text = browser.text("main");
    assert!(text.contains("Dear Ada") && text.contains("See you in June"), "{text}");
    // Another answer is one press away.
    let again = "[...document.querySelectorAll('main a')].find(a => a.textContent === 'Submit another response')";
    browser.run(&format!("{again}.click()"));
    browser.until(&format!("location.pathname === '{}'", rich.page()));
    assert_eq!(browser.run("return field_1.value"), "");
    let own = book("ar");
    set(
        &owner,
        &own,
        json!({"after_submission": {"mode": "show_message", "show_message": {"style": "text",
            "text": {"title": "شكراً لك", "description": "نراك قريباً.\nأحضر قبعة."}}}}),
    );
    look_at(&browser, "done-rtl", &thanks(&own));
    browser.print();
    browser.shot("done-print", Look::PHONE);
    let pressed = "[...document.querySelectorAll('.button')].some(button => button.checkVisibility())";
    assert_eq!(browser.run(&format!("return {pressed}")), json!(false));
}

#[test]
fn the_apis_pages_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let browser = Browser::open(Look::DESK);
    for (page, name) in
        [("", "docs"), ("/entries", "docs-entries"), ("/kinds", "docs-kinds"), ("/errors", "docs-errors")]
    {
        look_at(&browser, name, &format!("{}/docs{page}", server.base));
        assert_ne!(browser.text("h1"), "Page not found");
    }
}

#[test]
fn the_owners_first_pages_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let browser = Browser::open(Look::DESK);
    let link = server.setup_link.clone().expect("a link for the first account");
    look_at(&browser, "setup", &link);
    look_at(&browser, "sign-in", &format!("{}/sign-in", server.base));

    browser.look(Look::DESK);
    browser.go(&link);
    for (name, text) in [
        ("name", "Ada Lovelace"),
        ("organization", "Analytical Society"),
        ("email", "ada@example.com"),
        ("password", "eleven wise kettles"),
    ] {
        browser.run(&format!("document.getElementsByName('{name}')[0].value = '{text}'"));
    }
    browser.run("document.querySelector('main [type=submit]').click()");
    browser.until("document.body.innerText.includes('fsv_')");
    browser.shot("first-token-1280", Look::DESK);
    assert_eq!(browser.complaints(), NOTHING);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    look_at(&browser, "profile", &format!("{}/profile", server.base));

    // The notices for a token that was made, and for one that could not be.
    let press = "document.querySelector('form[action$=\"/profile/tokens\"]').submit()";
    browser.look(Look::PHONE);
    browser.run(press);
    browser.until("document.readyState === 'complete' && document.querySelector('#summary')");
    looks_whole(&browser, "profile-faults", Look::PHONE);
    browser.until("document.activeElement.id === 'summary'");
    browser.run("document.getElementsByName('token_name')[0].value = 'A script that copies all answers into a spreadsheet every night';
        for (const box of document.getElementsByName('scopes')) box.checked = true");
    browser.run(press);
    browser.until("document.readyState === 'complete' && document.querySelector('#token')");
    looks_whole(&browser, "profile-token", Look::PHONE);
    // And in the other language.
    browser.go(&format!("{}/profile", server.base));
    browser.run("const form = document.querySelector('form[action$=\"/profile\"]'); form.elements.locale.value = 'zh-CN'; form.requestSubmit()");
    browser.until("document.readyState === 'complete' && location.search === '?done=profile'");
    look_at(&browser, "profile-zh", &format!("{}/profile?done=profile", server.base));
}

#[test]
fn a_frame_is_told_the_height_and_nothing_else() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = server.user().form_with(forms::chinese());
    let framed = format!("{}{}?embed=1", server.base, form.page());
    let host = host(&format!(
        "<!doctype html><meta name=viewport content='width=device-width'><title>Host</title><script>window.told = []; \
         onmessage = e => {{ told.push(e.data); document.querySelector('iframe').height = e.data.height }}</script>\
         <iframe src='{framed}' width=360 height=10 style='border:0'></iframe>"
    ));
    let browser = Browser::open(Look::PHONE);
    browser.go(&host);
    browser.until("told.length > 0 && told.at(-1).height > 400");
    assert_eq!(browser.run("return Object.keys(told[0])"), json!(["height"]));
    let settled = "Number(document.querySelector('iframe').height) === told.at(-1).height";
    browser.until(settled);
    browser.shot("embedded-360", Look::PHONE);
    let count = browser.run("return told.length").as_u64().unwrap_or(0);
    assert!(count < 10, "the frame and its page chase each other: {count}");
    assert_eq!(browser.complaints(), NOTHING);
}

/// Another site's page at an address of its own.
pub fn host(page: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    std::thread::spawn(move || {
        // Browsers also open connections on which they ask nothing: no other one waits for them.
        for mut stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    address
}

#[test]
fn very_wide_windows_and_paper() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = server.user().form_with(forms::workshop());
    let browser = Browser::open(Look::DESK);
    let wide = Look { width: 3840, height: 2160, ..Look::DESK };
    browser.look(wide);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    browser.shot("form-3840", wide);
    assert_eq!(browser.run("return document.documentElement.scrollWidth"), json!(3840));
    browser.print();
    let all = browser.run("return [...document.querySelectorAll('section.page')].every(s => s.checkVisibility())");
    assert_eq!(all, json!(true), "every page is on paper");
    assert_eq!(browser.run("return document.querySelector('.actions').checkVisibility()"), json!(false));
}

#[test]
fn short_choices_stand_in_two_columns() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let word = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung";
    let choices = |labels: [&str; 4]| -> Vec<_> { labels.map(|label| json!({"label": label})).to_vec() };
    let form = server.user().form_with(json!({"name": "Choices", "fields": [
        {"type": "radio", "label": word, "choices": choices(["North", "South", "East", "West"])},
        {"type": "checkbox", "label": "How will you come here, and how do you go home?", "choices":
            choices(["On foot", "By bicycle, over the hills", "With somebody who has a car and room in it", word])},
    ]}));
    let address = format!("{}{}", server.base, form.page());
    let browser = Browser::open(Look::PHONE);
    look_at(&browser, "columns", &address);
    let columns = |field: &str| {
        browser.run(&format!(
            "return new Set([...document.querySelectorAll('[data-field={field}] .choice')].map(e => Math.round(e.getBoundingClientRect().left))).size"
        ))
    };
    for look in [Look::PHONE, Look::DESK] {
        browser.look(look);
        assert_eq!(columns("field_1"), json!(2), "{}", look.width);
        assert_eq!(columns("field_2"), json!(1), "{}", look.width);
    }
}

#[test]
fn who_wants_no_motion_gets_none() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let mut cards = forms::cards();
    cards["fields"][1]["required"] = json!(false);
    let form = server.user().form_with(cards);
    let browser = Browser::open(Look::PHONE);
    let moves = || {
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        browser.run(
            "form.dispatchEvent(new CustomEvent('goto', {detail: document.querySelectorAll('section.page')[1]}));
             return document.getAnimations().length > 0",
        )
    };
    let book = server.user().form_with(json!({"name": "Book", "fields": [{"type": "short_text", "label": "Name"}]}));
    let sent = server.anon().post_form(book.page(), &[("field_1", "Ada")]);
    assert_eq!(sent.status, 303, "{sent}");
    let done = format!("{}{}", server.base, sent.header("location"));
    // The sign on the receipt is drawn, once; nothing else moves.
    let drawn = || {
        browser.go(&done);
        browser.until("document.readyState === 'complete'");
        browser.run("const name = getComputedStyle(document.querySelector('.sign path')).animationName; return [name, document.querySelectorAll('.sign').length]")
    };
    assert_eq!(moves(), json!(true));
    assert_eq!(drawn(), json!(["drawn", 1]));
    browser.stand_still();
    assert_eq!(moves(), json!(false));
    assert_eq!(drawn(), json!(["none", 1]));
}

#[test]
fn hostile_text_is_text() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let mark = "\"'><img src=x onerror=alert(1)><script>alert(2)</script></textarea>\u{202e}";
    let form = owner.form_with(json!({
        "name": mark, "description": mark,
        "fields": [
            {"type": "short_text", "label": mark, "placeholder": mark, "default_value": mark, "required": true},
            {"type": "long_text", "label": mark, "default_value": mark},
            {"type": "radio", "label": mark, "choices": [{"label": mark}, {"label": "b", "is_other": true}]},
            {"type": "number", "label": mark, "unit": "\"><b>"},
        ]
    }));
    set(
        &owner,
        &form,
        json!({"after_submission": {"mode": "show_message", "show_message": {
        "style": "text", "text": {"title": mark, "description": mark}}}}),
    );
    let browser = Browser::open(Look::DESK);
    let address = format!("{}{}?field_4={}", server.base, form.page(), "%22%3E%3Cscript%3Ealert(3)%3C/script%3E");
    browser.go(&address);
    browser.until("document.readyState === 'complete'");
    assert!(browser.text("h1").contains("<script>"));
    assert_eq!(browser.run("return document.querySelectorAll('main img, main script').length"), json!(0));
    // The wrong number comes back as it was typed; then all is sent.
    browser.run("document.getElementById('forward').click()");
    browser.until("document.getElementById('summary')");
    assert_eq!(browser.run("return field_4.value"), "\"><script>alert(3)</script>");
    browser.run("field_4.value = '1'; document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert!(browser.text("h1").contains("<script>"));
    assert_eq!(browser.complaints(), NOTHING);
}
