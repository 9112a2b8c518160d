//! Rich text: an editor that shows the formatted text, by keys and by its toolbar; pasted text is plain, the stored
//! text is one that the service allows; a picture in its place; and without scripts a text with tags.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::console::panel_steps::{drafted, open};
use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

const CONTROL: char = '\u{e009}';
const ENTER: char = '\u{e007}';
const RIGHT: char = '\u{e014}';
const AREA: &str = "document.querySelector('#panel .rich-area')";

fn workshop(server: &Server) -> (Caller, Form) {
    let owner = account(server, OWNER, "Ada Lovelace");
    let form = owner.form_with(json!({"name": "Workshop", "fields": [
        field("short_text", json!({"label": "Name"})),
        field("description", json!({"content": "<p>Bring <b>water</b></p>"})),
    ]}));
    (owner, form)
}

fn open_area(browser: &Browser, server: &Server, form: &Form) {
    open(browser, server, form, "field_2");
    browser.until("document.querySelector('#panel .rich-area')");
}

fn press(browser: &Browser, act: &str) {
    browser.run(&format!("document.querySelector('#panel [data-rich-act={act}]').click()"));
}

fn select_all(browser: &Browser) {
    browser.run(&format!("{AREA}.focus(); getSelection().selectAllChildren({AREA})"));
}

#[test]
fn a_rich_text_is_edited_as_it_is_read() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = workshop(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    open_area(&browser, &server, &form);
    browser.complaints();
    assert_eq!(browser.run(&format!("return {AREA}.innerHTML")), "<p>Bring <b>water</b></p>");
    let tree = browser.tree();
    assert!(tree.iter().any(|(role, name)| role == "toolbar" && name == "Formatting"), "{tree:?}");
    browser.shot("rich-1280", Look::DESK);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    // By keys.
    browser.run(&format!("{AREA}.focus(); getSelection().selectAllChildren({AREA}); getSelection().collapseToEnd()"));
    browser.chord(&[CONTROL, 'b']);
    browser.keys(" and ".chars());
    browser.chord(&[CONTROL, 'i']);
    browser.keys("tea".chars());
    browser.until(&format!("{} === '<p>Bring <b>water</b> and <i>tea</i></p>'", drafted(1, "field.content")));
    browser.until("document.querySelector('#panel [data-rich-act=italic]').ariaPressed === 'true'");
    // Pasted text is plain.
    select_all(&browser);
    browser.run(&format!(
        "const data = new DataTransfer(); data.setData('text/html', '<h1 style=\"color:red\">Red<script>1</script></h1>');
         data.setData('text/plain', 'Plain <b> words');
         {AREA}.dispatchEvent(new ClipboardEvent('paste', {{clipboardData: data, bubbles: true, cancelable: true}}))"
    ));
    browser.until(&format!("{AREA}.textContent === 'Plain <b> words'"));
    assert_eq!(browser.run(&format!("return {AREA}.querySelectorAll('h1, script').length")), 0);
    // A link, by its key and one line for the address.
    select_all(&browser);
    browser.chord(&[CONTROL, 'k']);
    browser.until("document.activeElement.matches('.rich-ask input')");
    browser.keys("example.org/map".chars());
    browser.keys([ENTER]);
    browser.until(&format!("{AREA}.querySelector('a')?.getAttribute('href') === 'https://example.org/map'"));
    // A list and a heading by the toolbar, which is one stop with arrows.
    press(&browser, "bullets");
    browser.until(&format!("{AREA}.querySelector('ul > li a')"));
    browser.run("document.querySelector('#panel [data-rich-act=bold]').focus()");
    browser.keys([RIGHT, RIGHT]);
    assert_eq!(browser.run("return document.activeElement.dataset.richAct"), "link");
    assert_eq!(
        browser.run("return document.querySelector('#panel .rich-bar').querySelectorAll('[tabindex=\"0\"]').length"),
        1
    );
    // A picture of ours.
    browser.wait_for(
        "const done = arguments[arguments.length - 1];
         const canvas = Object.assign(document.createElement('canvas'), {width: 40, height: 20});
         canvas.toBlob((blob) => {
             const files = new DataTransfer(); files.items.add(new File([blob], 'a.png', {type: 'image/png'}));
             const input = document.querySelector('#panel .rich-bar [type=file]');
             input.files = files.files; input.dispatchEvent(new Event('change')); done(true);
         })",
        json!([]),
    );
    browser.until(&format!("{AREA}.querySelector('img')?.naturalWidth === 40"));
    browser.until("document.activeElement.matches('.rich-ask input')");
    browser.keys("A blank sheet".chars());
    browser.keys([ENTER]);
    browser.until("document.querySelector('[data-save-chip]').dataset.state === 'saved'");
    browser.until("document.querySelector('#panel textarea[name=content]').value.includes('alt=\"A blank sheet\"')");
    assert_eq!(browser.complaints(), NOTHING);
    // The stored text is one that the service allows.
    browser.run(
        "document.querySelector('[data-save-chip]').dataset.state = ''; document.querySelector('#panel').requestSubmit()",
    );
    browser.until("document.querySelector('[data-save-chip]').dataset.state === 'saved'");
    browser.go(&format!("{}/forms/{}/publish", server.base, form.token));
    browser.run("document.querySelector('form[action$=publish] button').click()");
    browser.until("location.pathname.endsWith('/share')");
    let stored: Value = owner.get(form.path()).is(200).data()["fields"][1]["content"].clone();
    let stored = stored.as_str().expect("a text");
    assert!(
        stored.contains(
            "<a href=\"https://example.org/map\" rel=\"noopener noreferrer nofollow\">Plain &lt;b&gt; words</a>"
        ),
        "{stored}"
    );
    assert!(
        stored.contains("<ul><li>") && stored.contains("alt=\"A blank sheet\" width=\"40\" height=\"20\""),
        "{stored}"
    );
}

#[test]
fn a_rich_text_on_a_phone_and_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = workshop(&server);
    let browser = Browser::open(Look::PHONE);
    sign_in(&browser, &server);
    for look in [Look::PHONE, Look::PHONE.dark()] {
        browser.look(look);
        open_area(&browser, &server, &form);
        browser.shot(if look.dark { "rich-360-dark" } else { "rich-360-light" }, look);
        assert_eq!(browser.axe(), NOTHING);
    }
    browser.go(&format!("{}/forms/{}/settings#after", server.base, form.token));
    browser.until("document.querySelector('#after .rich-area')");
    assert_eq!(
        browser.run("return document.querySelectorAll('[data-changed]').length"),
        0,
        "an editor changes nothing"
    );
    drop(browser);
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/build?field=field_2", server.base, form.token));
    let text = "document.querySelector('#panel textarea[name=content]')";
    assert_eq!(browser.run(&format!("return {text}.value")), "<p>Bring <b>water</b></p>");
    assert!(browser.text("#panel .rich-tags").contains("ul, ol, li"));
    browser.run(&format!(
        "document.body.dataset.left = ''; {text}.value = '<p>Bring <i>tea</i></p>'; document.querySelector('.panel-save').click()"
    ));
    browser.until(&format!("document.body.dataset.left === undefined && {text}.value.includes('tea')"));
}
