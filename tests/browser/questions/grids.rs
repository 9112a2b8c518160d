//! Grids: a table on a desk and cards on a phone, rows that come and go, and faults beside cells.

use serde_json::{Value, json};
use support::Server;

use crate::driver::steps::{NOTHING, PATIENT, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

fn tasting() -> Value {
    let named = |codes: &[(&str, &str)]| -> Value {
        codes.iter().map(|(code, label)| json!({"api_code": code, "label": label})).collect()
    };
    let teas = named(&[("darj", "Darjeeling, first flush"), ("sen", "Sencha"), ("lap", "Lapsang souchong")]);
    json!({
        "name": "The long tasting",
        "description": "Tell us what you thought, and who comes along next time.",
        "fields": [
            {"type": "likert", "label": "How was it?", "required": true, "notes": "<p>One answer a line.</p>", "statements":
                named(&[("room", "The room was easy to find"), ("time", "There was enough time for each tea"), ("word", "I would tell a friend")]),
                "choices": named(&[("1", "Strongly disagree"), ("2", "Disagree"), ("3", "Neither"), ("4", "Agree"), ("5", "Strongly agree")])},
            {"type": "likert", "label": "When could you come again?", "multiple": true, "statements":
                named(&[("mon", "Monday"), ("tue", "Tuesday")]), "choices": named(&[("am", "Morning"), ("pm", "Afternoon"), ("ev", "Evening")])},
            {"type": "matrix_rating", "label": "Rate the teas", "statements": teas, "dimensions": named(&[("nose", "Scent"), ("taste", "Taste")])},
            {"type": "matrix_rating", "label": "And in one figure", "statements": teas, "rating_max": 10, "dimensions":
                named(&[("all", "All in all"), ("price", "For the price")])},
            {"type": "matrix", "label": "What may we send you?", "statements": teas, "dimensions": [
                {"type": "number", "label": "Packets", "unit": "× 50 g", "min": 0},
                {"type": "radio", "label": "Cut", "choices": named(&[("leaf", "Whole leaf"), ("fine", "Fine")])},
                {"type": "short_text", "label": "Wishes", "placeholder": "Grind, gift wrap"}]},
            {"type": "table", "label": "Who comes along?", "max_rows": 5, "dimensions": [
                {"type": "name", "label": "Name", "required": true},
                {"type": "date", "label": "Arrives", "notes": "<p>Doors open at two.</p>"},
                {"type": "checkbox", "label": "Eats", "choices": named(&[("veg", "Vegetables"), ("fish", "Fish")])},
                {"type": "phone", "label": "Phone", "default_country": "GB"}]}
        ]
    })
}

fn names(browser: &Browser) -> Value {
    browser.run(
        "return [...document.querySelectorAll('[data-field=field_6] .grid-row')].filter(e => e.checkVisibility())
            .map(e => e.dataset.cell + ' ' + e.querySelector('legend').textContent + ' ' + e.querySelector('input').name + '=' + e.querySelector('input').value)",
    )
}

fn focused(browser: &Browser) -> Value {
    browser.run("return document.activeElement.name || document.activeElement.textContent")
}

#[test]
fn grids_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let mut form = tasting();
    let address = format!("{}{}", server.base, owner.form_with(form.clone()).page());
    look_at(&browser, "grids", &address);
    // A table where there is room for it, in which each button is called by its row and its column.
    browser.look(Look::DESK);
    browser.go(&address);
    let shape =
        "const cell = document.querySelector('.grid td label'); return getComputedStyle(cell.closest('td')).display";
    assert_eq!(browser.run(shape), json!("table-cell"));
    browser.look(Look::PHONE);
    assert_eq!(browser.run(shape), json!("block"));
    let small = browser.run(
        "return [...document.querySelectorAll('.grid-choice, .grid .point')].filter(e => e.checkVisibility())
            .map(e => e.getBoundingClientRect()).filter(r => r.height < 44 || r.width < 24).length",
    );
    assert_eq!(small, json!(0));
    form["locale"] = json!("ar");
    look_at(&browser, "grids-rtl", &format!("{}{}", server.base, owner.form_with(form).page()));
}

#[test]
fn labels_in_another_script_stand_beside_their_controls() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    let labels = ["جيد", "Photo"];
    for locale in ["en", "ar"] {
        let choices: Vec<Value> = labels.iter().map(|label| json!({"label": label})).collect();
        let form = owner.form_with(json!({"name": "Words", "locale": locale, "fields": [
            {"type": "radio", "label": "Which?", "choices": choices}, {"type": "number", "label": "Weight", "unit": "× 50 g"}]}));
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        let far = browser.run(
            "return [...document.querySelectorAll('.choice')].map(choice => {
                 const range = document.createRange(); range.selectNodeContents(choice.querySelector('.choice-label'));
                 const [text, dot] = [range.getBoundingClientRect(), choice.querySelector('input').getBoundingClientRect()];
                 return Math.min(Math.abs(text.left - dot.right), Math.abs(dot.left - text.right));
             }).filter(gap => gap > 24)",
        );
        assert_eq!(far, json!([]), "{locale}");
        browser.shot(&format!("words-{locale}"), Look::DESK);
    }
}

#[test]
fn rows_come_and_go() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(tasting());
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.has-script')");
    assert_eq!(names(&browser), json!(["field_6[0] Row 1 field_6[0].field_1="]));
    let add = || browser.run("document.querySelector('[data-add]').click()");
    let remove = |at: usize| browser.run(&format!("document.querySelectorAll('[data-remove]')[{at}].click()"));
    set_value(&browser, "field_6[0].field_1", "Ann");
    add();
    assert_eq!(focused(&browser), json!("field_6[1].field_1"));
    assert_eq!(
        browser.run("return document.querySelector('[data-rows] [role=status]').textContent"),
        json!("Row 2 added")
    );
    set_value(&browser, "field_6[1].field_1", "Bob");
    browser.run("document.getElementById('field_6[1].field_3').click()");
    add();
    set_value(&browser, "field_6[2].field_1", "Cleo");
    browser.run("document.querySelectorAll('[name=\"field_6[2].field_3\"]')[1].click()");
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    remove(1);
    assert_eq!(
        names(&browser),
        json!(["field_6[0] Row 1 field_6[0].field_1=Ann", "field_6[1] Row 2 field_6[1].field_1=Cleo"])
    );
    assert_eq!(focused(&browser), json!("Remove: Row 2"));
    add();
    add();
    add();
    assert_eq!(names(&browser).as_array().map(Vec::len), Some(5));
    assert_eq!(browser.run("return document.querySelector('[data-add]').hidden"), json!(true));
    browser.shot("grids-rows-360", Look::PHONE);
    // A table that comes back after a reload has all its rows, also those that the page began without.
    set_value(&browser, "field_6[4].field_1", "Eve");
    browser.until("Object.values(localStorage).some(text => text.includes('Eve'))");
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.has-script')");
    browser.until("document.getElementsByName('field_6[4].field_1')[0]?.value === 'Eve'");
    assert_eq!(names(&browser).as_array().map(Vec::len), Some(5));
    for at in [4, 3, 2] {
        remove(at);
    }
    let add_is_back = "return document.querySelector('[data-add]').checkVisibility()";
    assert_eq!(browser.run(add_is_back), json!(true));
    for statement in ["room", "time", "word"] {
        browser.run(&format!("document.getElementById('field_1.{statement}.4').click()"));
    }
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_6"], json!([{"field_1": "Ann"}, {"field_1": "Cleo", "field_3": [{"value": "fish"}]}]));
    assert_eq!(entry["field_1"], json!({"room": ["4"], "time": ["4"], "word": ["4"]}));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn faults_of_cells_are_said_where_they_are() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let mut form = tasting();
    let fields = form["fields"].as_array_mut().expect("fields");
    fields.push(json!({"type": "page_break"}));
    fields.push(json!({"type": "short_text", "label": "Last words"}));
    let form = owner.form_with(form);
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.has-script')");
    browser.run("document.getElementById('field_1.room.4').click(); document.getElementById('field_1.time.4').click()");
    set_value(&browser, "field_5.sen.field_1", "many");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.querySelector('#summary')");
    let faults = "return [...document.querySelectorAll('.fault')].map(e => e.id + ' ' + e.textContent)";
    assert_eq!(
        browser.run(faults),
        json!([
            "field_1-fault I would tell a friend: Choose one",
            "field_1.word-fault Choose one",
            "field_5-fault Sencha, Packets: Enter a number",
            "field_5.sen.field_1-fault Enter a number",
        ])
    );
    let wrong = "return [...document.querySelectorAll('[aria-invalid]')].map(e => e.name).filter((e, i, all) => all.indexOf(e) === i)";
    assert_eq!(browser.run(wrong), json!(["field_1.word", "field_5.sen.field_1"]));
    browser.shot("grids-faults-1280", Look::DESK);
    assert_eq!(browser.axe(), NOTHING);
    // One that is corrected goes when it is.
    browser.run("document.getElementById('field_1.word.4').click()");
    browser.until("!document.getElementById('field_1.word-fault')");
    assert_eq!(browser.run(wrong), json!(["field_5.sen.field_1"]));
}

#[test]
fn a_grid_is_filled_in_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(tasting());
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert_eq!(names(&browser).as_array().map(Vec::len), Some(3));
    let buttons =
        "return [...document.querySelectorAll('[data-add], [data-remove]')].filter(e => e.checkVisibility()).length";
    assert_eq!(browser.run(buttons), json!(0));
    browser.shot("grids-plain-360", Look::PHONE);
    // More rows come with the page itself, which keeps the typed values.
    browser.run(
        "for (const i of [0, 1]) document.getElementById(`field_6[${i}].field_1`).value = `Guest ${i}`;
         document.querySelector('[value=more]').click()",
    );
    browser.until("document.readyState === 'complete' && location.hash === '#field_6'");
    assert_eq!(browser.run("return document.querySelectorAll('.grid-row.spare').length"), json!(2));
    assert_eq!(names(&browser).as_array().map(Vec::len), Some(4));
    browser.run(
        "for (const s of ['room', 'time', 'word']) document.getElementById(`field_1.${s}.2`).checked = true;
         document.getElementById('field_3.sen.taste').checked = true;
         document.getElementById('field_6[3].field_1').value = 'Ann'",
    );
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_3"], json!({"sen": {"taste": 1}}));
    assert_eq!(entry["field_6"], json!([{"field_1": "Guest 0"}, {"field_1": "Guest 1"}, {"field_1": "Ann"}]));
}
