//! Many entries at once: to the trash and back, at a desk and by touch on a phone.

use serde_json::{Value, json};
use support::steps::{bulk, count};
use support::{Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::click;
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

#[test]
fn all_entries_go_to_the_trash_and_come_back() {
    const COUNT: i64 = 1_001;
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write entry:delete");
    let choices = json!([{"label": "Soup"}, {"label": "Pie with mushrooms, leek and a little cream"}]);
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": [
        field("name", json!({"label": "Your name"})),
        field("radio", json!({"label": "What will you eat at the table of the founders?", "choices": choices})),
        field("number", json!({"label": "Seat", "unique": true})),
    ]}));
    let entries: Vec<Value> = (1..=COUNT).map(|n| json!({"field_1": "Ines Faber", "field_3": n})).collect();
    bulk(&owner, &form, &entries);
    let before = owner.get(form.entry(7)).data();
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    for look in [Look::DESK, Look::PHONE] {
        browser.look(look);
        browser.go(&list);
        let is_phone = look.width < 600;
        let press = |selector: &str| if is_phone { browser.tap(selector) } else { click(&browser, selector) };
        if is_phone {
            press("[data-select]");
            browser.until("document.querySelector('.row-tick').checkVisibility()");
        }
        press(".row-tick");
        browser.until("document.querySelector('.row-tick').checked");
        let is_shown = "document.querySelector('.everything').checkVisibility()";
        assert_eq!(browser.run(&format!("return {is_shown}")), json!(false), "not before the page is ticked");
        press("[data-all]");
        browser.until(is_shown);
        press(".everything");
        browser.until("document.querySelector('h1')?.textContent === '1,001 entries'");
        press("#trash-total");
        browser.run("document.getElementById('trash-total').focus()");
        browser.keys("1001".chars());
        press("form:has([name=act][value=trash]) button");
        browser.until("location.pathname.includes('/jobs/')");
        browser
            .until("document.querySelector('.message.good')?.textContent.includes('1,001 entries are in the trash')");
        assert_eq!(count(&owner, &form), 0);
        press("form[action$='/undo'] button");
        browser.until("document.querySelector('.message.good')?.textContent.includes('1,001 entries are back')");
        assert_eq!(count(&owner, &form), COUNT);
        assert_eq!(owner.get(form.entry(7)).data(), before, "with number and token");
    }
    // The pages in every light; a job that refuses entries names them.
    look_at(&browser, "bulk", &format!("{list}/bulk?field=field_2"));
    let body = json!({"field_values": {"field_3": 2_000}, "serial_numbers": [1, 2, 3], "expected_total": 3});
    let job = owner.post(format!("{}/entries/bulk_update", form.path()), body).is(202).data();
    let job = format!("{}/forms/{}/jobs/{}", server.base, form.token, job["id"].as_str().expect("an id"));
    browser.go(&job);
    browser.until("document.querySelector('#refused')?.textContent === '2 entries were refused'");
    look_at(&browser, "job-refused", &job);
}
