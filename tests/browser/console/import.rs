//! A spreadsheet comes in: columns with other names, faults to correct, the corrected file, and its undoing.

use serde_json::json;
use support::steps::count;
use support::{Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

#[test]
fn a_file_with_other_columns_is_corrected_and_comes_in() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write entry:delete");
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": [
        field("name", json!({"label": "Your name", "required": true})),
        field("email", json!({"label": "Where do we write to?", "required": true})),
        field("number", json!({"label": "Seat at the table of the founders", "unique": true})),
    ]}));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("guests of the party.csv");
    let send = |browser: &Browser, text: &str| {
        std::fs::write(&file, text).expect("writes");
        browser.choose("file", std::slice::from_ref(&file));
        browser.run("document.querySelector('input[type=file]').form.querySelector('button').click()");
        browser.until("/import\\/[^/]+$/.test(location.pathname)");
    };
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let import = format!("{}/forms/{}/entries/import", server.base, form.token);
    browser.go(&import);
    send(&browser, "Guest,邮箱,No.,Remarks\nAda,ada@example.org,1,\nGrace,grace@,1,x\n,kat@example.org,2,\n");
    // The address is found by its column's name; the name is missing until a column goes there.
    let goes = "return [...document.querySelectorAll('main select')].map((select) => select.value)";
    assert_eq!(browser.run(goes), json!(["", "field_2", "", ""]));
    let columns = browser.run("return location.href").as_str().expect("text").to_owned();
    look_at(&browser, "import-columns", &columns);
    let missing = "return [...document.querySelectorAll('#missing li')]\
                   .filter((it) => it.checkVisibility()).map((it) => it.textContent)";
    let choose = |at: usize, code: &str| {
        browser.run(&format!(
            "const select = document.querySelectorAll('main select')[{at}]; select.value = '{code}'; \
             select.dispatchEvent(new Event('change', {{bubbles: true}}))"
        ));
    };
    assert_eq!(browser.run(missing), json!(["Your name"]));
    choose(0, "field_1");
    assert_eq!(browser.run("return document.getElementById('missing').checkVisibility()"), json!(false));
    choose(1, "");
    assert_eq!(browser.run(missing), json!(["Where do we write to?"]));
    choose(1, "field_2");
    choose(2, "field_3");
    let check = "document.querySelector('main select').form.querySelector('button').click()";
    browser.run(check);
    // A fault is shown with its row, its column and the cell.
    browser.until("document.querySelector('.message.bad h2')?.textContent === 'The file has 3 faults'");
    let cells = "return [...document.querySelectorAll('#refused ~ details tbody tr')]\
                 .map((row) => [...row.cells].map((cell) => cell.lastChild.textContent))";
    assert_eq!(
        browser.run(cells),
        json!([
            ["Row 3", "grace@", "is not an email address"],
            ["Row 3", "1", "has already been taken"],
            ["Row 4", "blank", "can't be blank"]
        ])
    );
    let job = browser.run("return location.href").as_str().expect("text").to_owned();
    look_at(&browser, "import-faults", &job);
    // The file with its faults, corrected, keeps where its columns go.
    browser.go(&job);
    let marked = browser.wait_for(
        "const [done] = arguments; fetch(document.querySelector('a[href$=\"/refused\"]').href)\
         .then((answer) => answer.text()).then(done)",
        json!([]),
    );
    let marked = marked.as_str().expect("text").to_owned();
    let corrected = marked.replace("Grace,grace@,1", "Grace,grace@example.org,3").replace(",,kat", ",Katherine,kat");
    browser.go(&import);
    send(&browser, &corrected);
    assert_eq!(browser.run(goes), json!(["", "field_1", "field_2", "field_3", ""]));
    browser.run(check);
    browser.until("document.querySelector('.message.good h2')?.textContent === 'All 3 rows are good'");
    browser.run("document.querySelector('[name=act][value=import]').form.querySelector('button').click()");
    browser.until("document.querySelector('.message.good h2')?.textContent === '3 entries were added'");
    assert_eq!(count(&owner, &form), 3);
    browser.run("document.querySelector('form[action$=\"/undo\"] button').click()");
    browser.until("document.querySelector('.message.good h2')?.textContent === '3 entries are in the trash'");
    assert_eq!(count(&owner, &form), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
