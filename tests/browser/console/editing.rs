//! An entry changed and added in the console: every kind of question, in every light, by keyboard and without a script;
//! its files in place, and its answers on paper.

use serde_json::{Value, json};
use support::pdf::poppler_output;
use support::steps::add;
use support::uploads::{self, uploaded};
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, click, put};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::{look_at, look_at_on};
use crate::questions::images::scene;
use crate::questions::{every_kind, picker};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";
const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
const ESCAPE: char = '\u{e00c}';
const CONTROL: char = '\u{e009}';

struct Desk {
    server: Server,
    owner: Caller,
    browser: Browser,
}

/// A service with somebody signed in; none without a browser.
fn desk(look: Look) -> Option<Desk> {
    if !Browser::is_installed() {
        return None;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, ALL);
    let browser = Browser::open(look);
    sign_in(&browser, &server);
    Some(Desk { server, owner, browser })
}

impl Desk {
    fn page(&self, form: &Form, rest: &str) -> String {
        format!("{}/forms/{}/{rest}", self.server.base, form.token)
    }

    fn open(&self, form: &Form, rest: &str) {
        self.browser.go(&self.page(form, rest));
        self.browser.until("document.readyState === 'complete'");
    }

    fn entry(&self, form: &Form, serial: i64) -> Value {
        self.owner.get(form.entry(serial)).data()
    }

    /// A file for the question about slides.
    fn slides(&self, form: &Form, name: &str) -> Value {
        let (kind, bytes) = ("application/pdf", b"%PDF-1.4 slides");
        let asked =
            json!({"field_api_code": "field_29", "file_name": name, "content_type": kind, "file_size": bytes.len()});
        let prepared = self.owner.post(format!("/api/v1/f/{}/entry_attachments", form.token), asked).is(201).data();
        uploads::send(&self.owner, &prepared, kind, bytes).is(200);
        prepared["upload_id"].clone()
    }

    /// Saves the form, which must work.
    fn save(&self) {
        click(&self.browser, "#forward");
        self.browser.until("document.querySelector('.message.good, #summary, .message.bad')");
        assert!(!self.browser.text(".message.good").is_empty(), "{}", self.browser.text("main"));
    }
}

/// Answers to every kind, with numbers as programs write them.
fn answers() -> Value {
    let mut answers = every_kind::answers();
    answers["field_8"] = json!(12);
    for (row, count) in [("room", 3), ("food", 4), ("talk", 5)] {
        answers["field_21"][row]["field_1"] = json!(count);
    }
    for (row, age) in [41, 50, 7].into_iter().enumerate() {
        answers["field_23"][row]["field_2"] = json!(age);
    }
    answers
}

/// Other answers, except for computed ones.
fn other_answers() -> Value {
    json!({
        "field_2": "Charles Babbage", "field_3": "Royal Society", "field_4": "Three\nFour\n",
        "field_5": "charles@example.org", "field_6": "https://example.org/charles",
        "field_7": {"country_id": "GB", "number": "2079460019"}, "field_8": 7,
        "field_9": "2090-06-06", "field_10": {"hour": 10, "minute": 45},
        "field_11": "bread", "field_12": ["tue"],
        "field_13": "photo", "field_14": "bad", "field_15": ["mon", "thu"],
        "field_16": {"level_1": "s", "level_2": "c"}, "field_17": {"food": 2, "talk": 1, "room": 3},
        "field_18": 2, "field_19": 0, "field_20": {"room": ["bad"], "food": ["good"], "talk": ["fair"]},
        "field_21": {"room": {"field_1": 6, "field_2": "warm"}, "food": {"field_1": 7, "field_2": "cold"}, "talk": {"field_1": 8, "field_2": "long"}},
        "field_22": {"room": {"now": 5}, "food": {"now": 1}, "talk": {"now": 4}},
        "field_23": [{"field_1": "Joseph", "field_2": 31}],
        "field_24": {"address_line1": "1 Dorset Street", "city": "London", "state": "GB-LND", "postal_code": "W1U 4EG", "country": "GB"},
        "field_25": {"longitude": -0.15, "latitude": 51.52, "address": "At the corner"},
        "field_26": [{"api_code": "shirt", "number": 3, "specification": {"size": "s"}}],
        "field_27": [{"api_code": "press", "scheduled_at": "2090-06-05"}],
    })
}

/// The answers of an entry, without number, token and times.
fn answers_of(entry: &Value) -> Value {
    let fields = entry.as_object().expect("an entry").iter().filter(|(key, _)| key.starts_with("field_"));
    fields.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn every_kind_stays_unless_it_is_changed_and_becomes_what_the_api_makes_of_it() {
    for look in [Look::DESK, PHONE.without_script()] {
        let Some(desk) = desk(look) else {
            return;
        };
        let form = desk.owner.form_with(every_kind::form_in(&desk.owner, "en", "card"));
        let with_slides = |mut answers: Value, name: &str| {
            answers["field_29"] = json!([{"upload_id": desk.slides(&form, name)}]);
            answers
        };
        // The option by its token.
        let options = format!("/api/v1/forms/{}/linked_form_options?field=field_31", form.token);
        let options = desk.owner.get(options).data();
        let mut answers = with_slides(answers(), "one.pdf");
        answers["field_31"] = options[0]["entry_token"].clone();
        let mut others = with_slides(other_answers(), "two.pdf");
        others["field_31"] = options[1]["entry_token"].clone();
        add(&desk.owner, &form, answers);
        add(&desk.owner, &form, others);
        let (first, second) = (desk.entry(&form, 1), desk.entry(&form, 2));
        desk.open(&form, "entries/1/edit");
        desk.save();
        let tag = |entry: &Value| (entry["updated_at"].clone(), answers_of(entry));
        let without_links = |entry: &Value| tag(entry).1.to_string().split("url\":").next().map(str::to_owned);
        let after = desk.entry(&form, 1);
        assert_eq!((tag(&after).0, without_links(&after)), (tag(&first).0, without_links(&first)), "saved unchanged");
        assert_eq!(desk.browser.complaints(), NOTHING);
        // The controls of the second entry, posted as a change of the first.
        desk.open(&form, "entries/2/edit");
        let controls = desk.browser.run(
            "return [...new FormData(document.getElementById('form'))].filter(([n, v]) => n.startsWith('field_') && typeof v === 'string')",
        );
        desk.open(&form, "entries/1/edit");
        let status = desk.browser.wait_for(
            "const [controls, done] = arguments; const form = document.getElementById('form');
             const body = new URLSearchParams();
             for (const name of ['csrf', '_page', '_tag', '_shown', '_once']) body.append(name, form.elements[name].value);
             for (const [name, value] of controls) if (!name.startsWith('field_29')) body.append(name, value);
             for (const [name, value] of new FormData(form)) if (name.startsWith('field_29') && typeof value === 'string') body.append(name, value);
             body.append('_action', 'submit');
             fetch(form.action, {method: 'POST', body, headers: {Accept: 'application/json'}})
                 .then(async (answer) => done([answer.status, await answer.text()]))",
            json!([controls]),
        );
        assert_eq!(status[0], 200, "{status}");
        let changed = answers_of(&desk.entry(&form, 1));
        for (code, value) in answers_of(&second).as_object().expect("answers") {
            if code != "field_29" {
                assert_eq!(&changed[code], value, "{code}");
            }
        }
        assert_eq!(changed["field_29"][0]["name"], "one.pdf");
        assert_eq!(changed["field_32"], 84, "the formula follows");
    }
}

#[test]
fn editing_in_every_light() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.owner.form_with(every_kind::form_in(&desk.owner, "en", "classic"));
    add(&desk.owner, &form, answers());
    let browser = &desk.browser;
    look_at_on(browser, "editing", PHONE, &|| browser.go(&desk.page(&form, "entries/1/edit")));
    look_at_on(browser, "editing-new-faults", PHONE, &|| {
        desk.open(&form, "entries/new");
        put(browser, "field_5", "nobody");
        click(browser, "#forward");
        browser.until("document.activeElement?.id === 'summary'");
        browser.complaints(); // The answer that told the faults.
    });
    look_at_on(browser, "editing-conflict", PHONE, &|| {
        desk.open(&form, "entries/1/edit");
        put(browser, "field_2", "Augusta Ada King");
        let theirs = json!({"field_values": {"field_2": format!("Ada {}", browser.run("return performance.timeOrigin")), "field_12": ["wed"]}});
        desk.owner.patch(form.entry(1), theirs).is(200);
        click(browser, "#forward");
        browser.until("document.querySelector('.difference')");
        browser.complaints(); // The answer that told of the change.
    });
    click(browser, "input[value=mine]");
    click(browser, "main .card > .row .button");
    browser.until("document.querySelector('.message.good')");
    assert_eq!(desk.entry(&form, 1)["field_2"], "Augusta Ada King");
    look_at(browser, "entry-every", &desk.page(&form, "entries/1?saved=1"));
    // The calendar of a booking has the places left, here too.
    desk.open(&form, "entries/1/edit");
    picker::loaded(browser, "field_27");
    let notes =
        "[...document.querySelectorAll('[data-field=field_27] .picker-note[role=status]')].map(e => e.textContent)";
    assert_eq!(browser.run(&format!("return {notes}.join('')")), "");
    look_at(browser, "entries-print", &desk.page(&form, "entries/print?serials=1,1"));
    let chinese = desk.owner.form_with(every_kind::form_in(&desk.owner, "zh-CN", "classic"));
    look_at_on(browser, "editing-zh", PHONE, &|| browser.go(&desk.page(&chinese, "entries/new")));
}

#[test]
fn an_entry_is_changed_by_keys_and_rules_follow() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let choices = json!([{"api_code": "soup", "label": "Soup"}, {"api_code": "pie", "label": "Pie"}]);
    let form = desk.owner.form(json!([
        field("radio", json!({"label": "Food", "choices": choices})),
        field("short_text", json!({"label": "Which pie?", "required": true})),
        field("number", json!({"label": "Guests", "max": 9})),
        field("formula", json!({"label": "Plates", "expression": "field_3 * 2", "result_type": "number"})),
    ]));
    let rule = json!({
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "pie"}]},
        "action": "show", "fields": ["field_2"],
    });
    desk.owner.put(form.part("field_rules"), json!({"rules": [rule]})).is(200);
    add(&desk.owner, &form, json!({"field_1": "soup", "field_3": 2}));
    let browser = &desk.browser;
    desk.open(&form, "entries/1?keyword=soup");
    click(browser, "main a[href*='/edit']");
    browser.until("document.getElementById('forward') && document.readyState === 'complete'");
    browser.until("document.querySelector('[data-field=field_2]').hidden");
    click(browser, "input[value=pie]");
    browser.until("!document.querySelector('[data-field=field_2]').hidden");
    put(browser, "field_3", "4");
    browser.until("document.getElementById('field_4').textContent.trim() === '8'");
    // Ctrl+Enter saves; a missing answer is reported at its question, and the focus leads there.
    browser.run("document.getElementById('field_3').focus()");
    browser.chord(&[CONTROL, ENTER]);
    browser.until("document.querySelector('[data-field=field_2].wrong')");
    put(browser, "field_2", "Leek");
    browser.run("document.getElementById('field_3').focus()");
    browser.chord(&[CONTROL, ENTER]);
    browser.until("location.search.includes('keyword=soup') && document.querySelector('.message.good')");
    assert_eq!(desk.entry(&form, 1)["field_2"], "Leek");
    // Escape leaves; the browser asks where something was changed (the driver says yes to that by itself).
    let leaves = "return dispatchEvent(new Event('beforeunload', {cancelable: true}))";
    desk.open(&form, "entries/1/edit");
    assert_eq!(browser.run(leaves), json!(true));
    put(browser, "field_2", "Plum");
    assert_eq!(browser.run(leaves), json!(false));
    browser.keys([ESCAPE]);
    browser.until("location.pathname.endsWith('/entries/1')");
    assert_eq!(desk.entry(&form, 1)["field_2"], "Leek");
    browser.complaints();
}

#[test]
fn files_stand_in_place_and_entries_on_sheets_of_paper() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let form = desk.owner.form(json!([
        field("attachment", json!({"label": "Pictures", "max_count": 3})),
        field("short_text", json!({"label": "Name"})),
        field("long_text", json!({"label": "Wishes"})),
    ]));
    let picture = uploaded(&desk.owner, &form, "garden.jpg", "image/jpeg", &scene(64, 48, [150, 190, 230]));
    let sound = uploaded(&desk.owner, &form, "bell.wav", "audio/wav", &uploads::wav(300));
    let text = uploaded(&desk.owner, &form, "plan.txt", "text/plain", b"a plan");
    let files: Value = [picture, sound, text].iter().map(|id| json!({"upload_id": id})).collect();
    add(&desk.owner, &form, json!({"field_1": files, "field_2": "Ada"}));
    let rows: Vec<Value> =
        (0..49).map(|n| json!({"field_values": {"field_2": format!("Guest {n}"), "field_3": "Shade"}})).collect();
    desk.owner.post(format!("{}/bulk", form.entries()), json!({"entries": rows})).is(201);
    let browser = &desk.browser;
    desk.open(&form, "entries/1");
    browser.until(
        "[...document.images].some(image => image.alt === 'garden.jpg' && image.complete && image.naturalWidth === 64)",
    );
    let seen = browser.run(
        "return [document.querySelectorAll('audio[controls]').length,
                 [...document.querySelectorAll('.entry-files a')].map(a => a.textContent.trim()).filter(Boolean).join(),
                 performance.getEntriesByType('resource').every(({name}) => new URL(name).origin === location.origin)]",
    );
    assert_eq!(seen, json!([1, "garden.jpg,bell.wav,plan.txt", true]));
    assert_eq!(browser.complaints(), NOTHING);
    // One entry on one sheet, without bars; many of them on as many.
    browser.print();
    let bars = browser.run(
        "return ['.site-head', '.tabs', '.page-title > .row', '.disclosure'].filter(s => document.querySelector(s)?.checkVisibility())",
    );
    assert_eq!(bars, json!([]));
    // The sheet says which form it is of.
    let name = "return document.querySelector('.form-bar-title').textContent.length > 3
                    && document.querySelector('.form-bar-title bdi').checkVisibility()";
    assert_eq!(browser.run(name), json!(true));
    let above = browser.run(
        "const [dt, dd] = document.querySelectorAll('.answers > div')[1].children; return dt.getBoundingClientRect().bottom <= dd.getBoundingClientRect().top",
    );
    assert_eq!(above, json!(true));
    let all: Vec<String> = (1..=50).map(|n| n.to_string()).collect();
    desk.open(&form, &format!("entries/print?serials={}", all.join(",")));
    let pages = poppler_output("pdfinfo", &[], &browser.pdf());
    assert!(pages.contains("Pages:           50"), "{pages}");
}

#[test]
fn an_entry_is_copied_as_link_and_as_text() {
    let Some(desk) = desk(PHONE) else {
        return;
    };
    let form = desk.owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    add(&desk.owner, &form, json!({"field_1": "Ada"}));
    let browser = &desk.browser;
    desk.open(&form, "entries/1");
    click(browser, "[popovertarget=entry-more]");
    browser.until("document.getElementById('entry-more').checkVisibility()");
    for id in ["entry-text", "entry-link"] {
        // By a key: browsers let a script copy only when a person presses one.
        browser.run(&format!("document.querySelector('[data-copy={id}]').focus()"));
        browser.keys([ENTER]);
        browser.until(&format!("document.querySelector('[data-copy={id}]').textContent === 'Copied'"));
    }
    let held = browser
        .run("return [document.getElementById('entry-text').value, document.getElementById('entry-link').value]");
    assert_eq!(held, json!(["A form – Entry 1\n\nName\nAda", desk.page(&form, "entries/1")]));
}

/// Texts are open to be selected then, and controls that need a script are not there.
#[test]
fn an_entry_is_copied_without_a_script_too() {
    let Some(desk) = desk(PHONE.without_script()) else {
        return;
    };
    let form = desk.owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    add(&desk.owner, &form, json!({"field_1": "Ada"}));
    let browser = &desk.browser;
    desk.open(&form, "entries/1");
    click(browser, ".disclosure:has(#entry-text) > summary");
    browser.until("document.getElementById('entry-text').checkVisibility()");
    assert_eq!(browser.text("[data-copy=entry-text]"), "");
}

#[test]
fn hostile_answers_are_text_where_entries_are_edited() {
    let Some(desk) = desk(Look::DESK) else {
        return;
    };
    let mark = "\"'><img src=x onerror=alert(1)><script>alert(2)</script></textarea>\u{202e}";
    let form = desk.owner.form_with(json!({"name": mark, "fields": [
        field("short_text", json!({"label": mark, "notes": mark, "placeholder": mark})),
        field("long_text", json!({"label": mark})),
        field("radio", json!({"label": mark, "choices": [{"api_code": "own", "label": mark, "is_other": true}]})),
        field("short_text", json!({"label": mark, "hidden": true})),
    ]}));
    let values =
        json!({"field_1": mark, "field_2": mark, "field_3": {"value": "own", "other_text": mark}, "field_4": mark});
    add(&desk.owner, &form, values);
    let browser = &desk.browser;
    let is_text = || {
        let seen = "return [document.querySelectorAll('main :is(img, script)').length,
                           [...document.querySelectorAll('main :is(dd, legend, label)')].some(e => e.textContent.includes('<script>'))]";
        assert_eq!(browser.run(seen), json!([0, true]));
        assert_eq!(browser.complaints(), NOTHING);
    };
    for page in ["entries/1", "entries/1/edit", "entries/new", "entries/print?serials=1"] {
        desk.open(&form, page);
        is_text();
    }
    desk.open(&form, "entries/1/edit");
    let area = browser.run("return field_2.value");
    assert!(area.as_str().is_some_and(|area| area.contains("</textarea>")), "{area}");
    put(browser, "field_4", "<b>mine</b>");
    desk.owner.patch(form.entry(1), json!({"field_values": {"field_4": format!("{mark}!")}})).is(200);
    click(browser, "#forward");
    browser.until("document.querySelector('.difference')");
    browser.complaints(); // The answer that told of the change.
    is_text();
    assert!(browser.text(".differences").contains("<b>mine</b>"));
}
