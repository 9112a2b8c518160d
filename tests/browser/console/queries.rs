//! Public queries in the browser: made with groups, shown fields, a mask and a scope beside the visitors' page.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, click, press_button, put, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::{look_at, look_at_on};

const FRAME: &str = "document.getElementById('preview')?.contentDocument";
const SEARCH: &str = "search_field_rules";
const SHOWN: &str = "display_field_rules";

fn party(server: &Server) -> (Caller, Form) {
    let owner = account(server, OWNER, "Ada Lovelace");
    let choices = json!([{"api_code": "a", "label": "Soup"}, {"api_code": "b", "label": "Pie"}]);
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": [
        field("name", json!({"label": "Your name"})),
        field("email", json!({"label": "Email"})),
        field("short_text", json!({"label": "Town in which you live most of the year, as it stands on your letters"})),
        field("radio", json!({"label": "What will you eat?", "choices": choices})),
    ]}));
    for (name, meal) in [("Grace", "a"), ("Joan", "b")] {
        let email = format!("{}@example.org", name.to_lowercase());
        let values = json!({"field_1": name, "field_2": email, "field_3": "Arlington", "field_4": meal});
        support::steps::add(&owner, &form, values);
    }
    (owner, form)
}

fn save(browser: &Browser, part: &str) {
    click(browser, &format!("#{part} .save-row button"));
    browser.until(&format!("document.querySelector('#{part} .message.good')?.textContent === 'Saved'"));
}

/// Waits until the frame's page has run its scripts.
fn framed(browser: &Browser) {
    browser.until(&format!("{FRAME}?.querySelector('.query-form') && {FRAME}.readyState === 'complete'"));
}

/// Searches in the frame, as a visitor does.
fn search(browser: &Browser, values: &[(&str, &str)]) {
    framed(browser);
    for (name, text) in values {
        browser.run(&format!("const page = {FRAME}; page.querySelector('.query-form [name={name}]').value = '{text}'"));
    }
    browser.run(&format!("const page = {FRAME}; page.querySelector('.query-form').requestSubmit()"));
    browser.until(&format!("{FRAME}?.querySelector('#results')"));
}

fn in_frame(browser: &Browser, text: &str) {
    browser.until(&format!("{FRAME}?.body?.textContent.includes({})", json!(text)));
}

#[test]
fn a_query_is_made_beside_what_visitors_see() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization has a plan of its own");
    let (owner, form) = party(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/queries", server.base, form.token);
    look_at(&browser, "queries-none", &list);
    browser.look(Look::DESK);
    browser.go(&format!("{}/forms/{}/share", server.base, form.token));
    click(&browser, "section:has(> #queries) a.button");
    browser.until("document.getElementById('name')");
    put(&browser, "name", "Am I registered?");
    press_button(&browser, "Create");
    framed(&browser);
    in_frame(&browser, "Am I registered?");
    let editor = browser.run("return location.href.split('?')[0]");
    let editor = editor.as_str().expect("an address").to_owned();
    let stored = |key: &str| -> Value {
        let all = owner.get(format!("/api/v1/opensearch/queries?form_token={}", form.token)).json();
        all["data"][0][key].clone()
    };
    // Nothing moves by itself.
    browser.go(&editor);
    framed(&browser);
    assert!(browser.shifted() < 0.001, "{}", browser.shifts());
    look_at(&browser, "query", &editor);
    browser.look(Look::DESK);
    browser.go(&editor);

    // Search: a line is taken away at once, a group is added by the server, and nothing is saved before that is asked for.
    browser.until("document.querySelector('#search').dataset.ready === ''");
    click(&browser, "[name=act][value='remove-field:0:1']");
    browser.until("document.querySelectorAll('.query-field').length === 1");
    browser.until("document.querySelector('#search [data-text]').textContent === 'Not saved yet'");
    click(&browser, "[value='add-group']");
    browser.until("document.querySelectorAll('.query-group').length === 2");
    browser.until(&format!("document.activeElement.name === '{SEARCH}[1].fields[0].field'"));
    assert_eq!(stored(SEARCH).as_array().map(Vec::len), Some(1));
    set_value(&browser, &format!("{SEARCH}[1].operand"), "or");
    set_value(&browser, &format!("{SEARCH}[1].fields[0].field"), "field_3");
    set_value(&browser, &format!("{SEARCH}[1].fields[0].fuzzy"), "true");
    save(&browser, "search");
    framed(&browser);
    let asked = browser.run(&format!("return [...{FRAME}.querySelectorAll('.query-form .input')].map(e => e.name)"));
    assert_eq!(asked, json!(["field_2", "field_3"]));

    // Shows: the address first and masked, the meal highlighted, all in the frame once it is saved.
    let rows =
        format!("[...document.querySelectorAll('[name^=\"{SHOWN}\"][name$=\".field\"]')].map(e => e.value).join()");
    browser.until(&format!("{rows}.startsWith('field_1,field_2,field_3,field_4')"));
    click(&browser, "[data-shown]:nth-child(2) [data-move=up]");
    browser.until(&format!("{rows}.startsWith('field_2,field_1')"));
    browser.run(&format!(
        "const row = document.querySelector('[data-shown] [value=field_2]').closest('li');
         row.querySelector('details').open = true; row.querySelector('[name$=\".protected\"]').click();
         document.querySelector('[name=\"{SHOWN}[3].highlight.color\"]').value = '#0F766E'"
    ));
    save(&browser, "shows");
    let shown = stored(SHOWN);
    assert_eq!((&shown[0]["field"], &shown[0]["protected"]), (&json!("field_2"), &json!(true)));
    assert_eq!(shown[3]["highlight"], json!({"color": "#0F766E", "position": 4}));
    framed(&browser);
    search(&browser, &[("field_2", "joan@example.org"), ("field_3", "Arl")]);
    in_frame(&browser, "j***@example.org");

    // Only these entries: one that does not meet the conditions is not found.
    set_value(&browser, "add", "field_4");
    press_button(&browser, "Add condition");
    browser.until("document.querySelector('[name=\"f[0].value\"][value=a]')");
    click(&browser, "[name='f[0].value'][value=a]");
    save(&browser, "only");
    assert_eq!(stored("scope_conditions"), json!([{"field": "field_4", "operator": "eq", "value": "a"}]));
    framed(&browser);
    search(&browser, &[("field_2", "joan@example.org"), ("field_3", "Arl")]);
    browser.until(&format!("!{FRAME}.body.textContent.includes('j***@')"));
    // Managers' own tries are not counted.
    assert_eq!((stored("views_count"), stored("searches_count")), (json!(0), json!(0)));

    // Limits of the plan are shown where they matter, and typed values are kept.
    let organization = owner.get("/api/v1/me").data()["organization"]["id"].clone();
    let organization = organization.as_str().expect("an id");
    assert!(server.run(&["plan", "set", organization, "standard"]).status.success());
    click(&browser, "#only .save-row button");
    browser.until("document.querySelector('#only .message.bad')?.textContent.includes('“standard”')");
    browser.until("document.querySelector('[name=\"f[0].value\"][value=a]').checked");
    assert_eq!(browser.run("return document.querySelectorAll('#search .message, #shows .message').length"), json!(0));
    assert!(server.run(&["plan", "set", organization, "unlimited"]).status.success());
    // A page with unsaved changes asks, which browsers allow only after a gesture: it learns of a post.
    let leave = || {
        browser.run(
            "const form = document.querySelector('form[data-changed]'); \
             if (form) { form.dataset.session = 'asked'; form.dispatchEvent(new Event('submit')); }",
        );
    };
    look_at_on(&browser, "query-refused", Look::PHONE, &|| {
        leave();
        browser.go(&editor);
        browser.until("document.querySelector('#page').dataset.ready === ''");
        browser.run("document.querySelector('#page').open = true");
        set_value(&browser, "search_button.color", "blue");
        browser.run(
            "const form = document.querySelector('#page form'); form.elements.name.value = '';
             document.querySelector('#page .save-row button').click()",
        );
        browser.until("document.querySelectorAll('#page .fault:not([hidden])').length === 2");
    });
    leave();
    look_at(&browser, "queries", &list);

    // Switched off, the frame's place says so.
    browser.look(Look::DESK);
    browser.go(&editor);
    press_button(&browser, "Switch off");
    browser.until("document.querySelector('.look-frame .empty')?.textContent.includes('The page is switched off')");
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    press_button(&browser, "Switch on");
    framed(&browser);

    // On a phone without a script, the same by posts.
    let phone = Browser::open(Look::PHONE.without_script());
    sign_in(&phone, &server);
    phone.go(&editor);
    phone.run("document.querySelector('#shows').open = true");
    click(&phone, "[value='down:0']");
    phone.until(&format!("{rows}.startsWith('field_1,field_2')"));
    phone.until("document.querySelector('#shows').open");
    phone.shot("query-shows-360", Look::PHONE);
    click(&phone, "#shows .save-row button");
    phone.until("document.querySelector('#shows .message.good')?.textContent === 'Saved'");
    assert_eq!(stored(SHOWN)[0]["field"], "field_1");
    assert_eq!(phone.complaints(), NOTHING);
}
