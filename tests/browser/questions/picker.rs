//! Bookings in a calendar, and full or nearly full days: by keyboard alone, without a script, in every light.

use serde_json::{Value, json};
use support::clock::noon;
use support::steps::set;
use support::{Form, Server, field};

use crate::driver::steps::{NOTHING, click, load, put, send, set_value};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::looks::look_at;

const END: char = '\u{e010}';
const HOME: char = '\u{e011}';
const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';
const DOWN: char = '\u{e015}';
const PAGE_DOWN: char = '\u{e00f}';
const PAGE_UP: char = '\u{e00e}';

/// A form with a name, a meal, cake, a desk by the hour and a tour at weekends of January 2090.
pub fn day_out(locale: &str) -> Value {
    let slot = |code: &str, weekday: i64, start: &str, end: &str, quota: Value| json!({"code": code, "weekday": weekday, "start_time": start, "end_time": end, "quota": quota});
    let meal = |code: &str, label: &str, quota: Value| json!({"api_code": code, "label": label, "quota": quota});
    json!({"name": "A day out", "locale": locale, "fields": [
        field("name", json!({"label": "Name", "required": true})),
        field("radio", json!({"label": "Lunch", "choices": [
            meal("soup", "Soup", json!(1)), meal("pie", "Pie", json!(4)), meal("bread", "Bread", json!(null)),
        ]})),
        field("dropdown", json!({"label": "Seat", "choices": [meal("window", "Window", json!(1)), meal("aisle", "Aisle", json!(2))]})),
        field("product", json!({"label": "Cake", "goods_items": [
            {"api_code": "bun", "name": "Bun", "price": 2, "stock": 1},
            {"api_code": "tart", "name": "Tart", "price": 3, "dimensions": [
                {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]},
                {"api_code": "fruit", "name": "Fruit", "options": [{"api_code": "p", "name": "plum"}, {"api_code": "c", "name": "cherry"}]},
            ], "skus": [{"specification": {"size": "l", "fruit": "p"}, "stock": 1}, {"specification": {"size": "s", "fruit": "p"}, "stock": 2}]},
        ]})),
        field("booking", json!({"label": "Desk", "reservation_items": [{"api_code": "desk", "name": "Desk", "quota_setting": {
            "kind": "time_range", "start_date": "2090-01-02", "closed_dates": ["2090-01-16"], "daily_time_range_quotas": [
                slot("am", 1, "09:00", "12:00", json!(1)), slot("pm", 1, "13:00", "17:00", json!(2)), slot("eve", 2, "17:00", "19:00", json!(1)),
            ]}}]})),
        field("booking", json!({"label": "Tour", "reservation_items": [{"api_code": "tour", "name": "Tour", "quota_setting": {
            "kind": "weekly", "start_date": "2090-01-01", "end_date": "2090-01-31",
            "weekly_quotas": [{"weekday": 6, "quota": 2}, {"weekday": 7, "quota": null}]}}]})),
    ]})
}

/// Somebody else takes the soup, the window, the bun, the large tart, a desk and the tour of the seventh.
pub fn taken_by_others(form: &Form) {
    let sent = Server::shared().anon().post(
        form.submissions(),
        json!({"field_values": {
            "field_1": "Ada", "field_2": "soup", "field_3": "window",
            "field_4": [{"api_code": "bun", "number": 1}, {"api_code": "tart", "number": 1, "specification": {"size": "l", "fruit": "p"}}],
            "field_5": [{"api_code": "desk", "scheduled_at": "2090-01-03T17:00"}],
            "field_6": [{"api_code": "tour", "scheduled_at": "2090-01-07"}],
        }}),
    );
    assert_eq!(sent.status, 201, "{sent}");
    for (n, day) in [(2, "2090-01-07"), (3, "2090-01-14")] {
        let sent = Server::shared().anon().post(
            form.submissions(),
            json!({"field_values": {"field_1": format!("Guest {n}"), "field_6": [{"api_code": "tour", "scheduled_at": day}]}}),
        );
        assert_eq!(sent.status, 201, "{sent}");
    }
}

/// Waits until the numbers of free places are loaded: those of the calendar in sight.
pub fn loaded(browser: &Browser, code: &str) {
    browser.run(&format!("document.querySelector('[data-field={code}] .picker').scrollIntoView({{block: 'center'}})"));
    browser.until(&format!(
        "performance.getEntriesByType('resource').some(e => e.name.includes('field={code}') && e.responseEnd > 0)
         && !document.querySelector('[data-field={code}] [aria-busy]')"
    ));
}

/// The day that has the focus, and why it can't be booked.
fn focused(browser: &Browser) -> String {
    let name =
        browser.run("const e = document.activeElement; return [e.dataset.date ?? e.id, e.title].join(' ').trim()");
    name.as_str().unwrap_or_default().to_owned()
}

pub fn day_button(code: &str, day: &str) -> String {
    format!("[data-field={code}] [data-date=\"{day}\"]")
}

/// The name of a day, and whether it can't be chosen.
pub fn day(browser: &Browser, code: &str, day: &str) -> (String, bool) {
    let found = browser.run(&format!(
        "const e = document.querySelector({}); return [e.ariaLabel, e.ariaDisabled === 'true']",
        json!(day_button(code, day))
    ));
    (found[0].as_str().unwrap_or_default().to_owned(), found[1] == json!(true))
}

#[test]
fn a_slot_is_booked_by_keyboard_alone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(day_out("en-GB"));
    taken_by_others(&form);
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_1", "Grace");
    loaded(&browser, "field_5");
    // One stop for the whole month: the first day that can be booked.
    browser.run("document.querySelector('[data-field=field_5] .picker-turn:last-of-type').focus()");
    browser.keys([TAB]);
    assert_eq!(focused(&browser), "2090-01-02");
    for (key, expected) in [
        (RIGHT, "2090-01-03 fully booked"),
        (RIGHT, "2090-01-04 closed"),
        (LEFT, "2090-01-03 fully booked"),
        (END, "2090-01-08 closed"),
        (HOME, "2090-01-02"),
        (DOWN, "2090-01-09"),
        (DOWN, "2090-01-16 closed"),
        (PAGE_DOWN, "2090-02-16 closed"),
        (PAGE_UP, "2090-01-16 closed"),
        (PAGE_UP, "2090-01-02"),
    ] {
        browser.keys([key]);
        assert_eq!(focused(&browser), expected, "{key:?}");
    }
    // A day that can't be booked says why, and is not chosen.
    browser.keys([RIGHT, ENTER]);
    let said = browser.text("[data-field=field_5] [data-says]");
    assert!(said.ends_with("is fully booked. Choose another day."), "{said}");
    browser.keys([LEFT, ENTER]);
    assert_eq!(browser.text("[data-field=field_5] [data-says]"), "");
    let legend = browser.text("[data-field=field_5] .picker-legend");
    assert!(legend.starts_with("Times on Monday"), "{legend}");
    let slots = browser.text("[data-field=field_5] .picker-slots .choices");
    assert_eq!(slots.replace('\n', " "), "09:00–12:00 1 left 13:00–17:00 2 left");
    browser.keys([TAB, DOWN]);
    let chosen = browser.run("return document.activeElement.value");
    assert_eq!(chosen, "desk/pm");
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(4)).data();
    assert_eq!(entry["field_5"][0]["time_range_code"], "pm", "{entry}");
    assert!(
        entry["field_5"][0]["scheduled_at"].as_str().is_some_and(|at| at.starts_with("2090-01-02T13:00")),
        "{entry}"
    );
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_slot_that_has_begun_is_not_offered() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let (zone, today) = noon();
    let slot = |code: &str, weekday: i64, start: &str, end: &str| json!({"code": format!("{code}{weekday}"), "weekday": weekday, "start_time": start, "end_time": end, "quota": 5});
    let slots: Vec<Value> =
        (1..=7).flat_map(|day| [slot("early", day, "00:00", "00:30"), slot("late", day, "23:30", "24:00")]).collect();
    let form = owner.form_with(json!({"name": "Desks", "timezone": zone, "fields": [
        field("booking", json!({"label": "Desk", "reservation_items": [{"api_code": "desk", "name": "Desk",
            "quota_setting": {"kind": "time_range", "daily_time_range_quotas": slots}}]})),
    ]}));
    // Nobody can wait for it, either.
    set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    loaded(&browser, "field_1");
    click(&browser, &day_button("field_1", &today));
    let slots = browser.text("[data-field=field_1] .picker-slots .choices");
    assert_eq!(slots.replace('\n', " "), "23:30–24:00 5 left");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn what_is_full_is_shown_and_can_not_be_chosen() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for (locale, words) in [
        ("en-GB", ["Full", "4 left", "Sold out", "1 left", "2 left"]),
        ("zh-CN", ["已满", "剩余 4", "已售罄", "剩余 1", "剩余 2"]),
    ] {
        let [full, four, sold, one, two] = words;
        let form = owner.form_with(day_out(locale));
        taken_by_others(&form);
        for look in [Look::PHONE, Look::PHONE.without_script()] {
            let browser = Browser::open(look);
            load(&browser, server, &form);
            let text = |selector: &str| browser.text(selector).replace('\n', " ");
            assert_eq!(text("[data-field=field_2] .choice:has([value=soup])"), format!("Soup {full}"));
            assert_eq!(text("[data-field=field_2] .choice:has([value=pie])"), format!("Pie {four}"));
            assert_eq!(text("[data-field=field_2] .choice:has([value=bread])"), "Bread");
            // For a sold-out product the name is enough.
            assert_eq!(text(".good[data-code=bun]"), format!("Bun {sold}"));
            let tart = text(".good[data-code=tart] .stock");
            assert_eq!(tart, format!("large, plum: {sold} small, plum: {two}"));
            let options = browser.run("return [...field_3.options].slice(1).map(e => [e.text, e.disabled])");
            assert_eq!(options, json!([[format!("Window ({full})"), true], [format!("Aisle ({two})"), false]]));
            let shut = browser.run("return [...document.querySelectorAll('#form :disabled')].filter(e => e.localName === 'input').map(e => e.value || e.closest('.good')?.dataset.code)");
            assert_eq!(shut, json!(["soup"]));
            if look.script {
                // A plum tart is small, or none.
                set_value(&browser, "field_4[0].specification.fruit", "p");
                let large = "return document.getElementsByName('field_4[0].specification.size')[0].options[2].disabled";
                assert_eq!(browser.run(large), json!(true));
                set_value(&browser, "field_4[0].specification.fruit", "c");
                assert_eq!(browser.run(large), json!(false));
                loaded(&browser, "field_6");
                let (name, is_shut) = day(&browser, "field_6", "2090-01-07");
                assert!(is_shut, "{name}");
                let (name, is_shut) = day(&browser, "field_6", "2090-01-14");
                assert!(!is_shut && name.ends_with(one), "{name}");
                assert_eq!(browser.axe(), NOTHING);
            } else {
                let days = browser.run("return [...document.getElementsByName('field_6[0].scheduled_at')[0].options].slice(1, 4).map(e => [e.value, e.disabled, e.text])");
                assert_eq!((&days[0][0], &days[0][1]), (&json!("2090-01-01"), &json!(false)));
                assert_eq!((&days[1][0], &days[1][1]), (&json!("2090-01-07"), &json!(true)));
                assert!(days[1][2].as_str().is_some_and(|text| text.ends_with(&format!("({full})"))), "{days}");
            }
            browser.complaints();
        }
    }
}

#[test]
fn the_calendar_opens_at_the_first_week_with_room() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let slot = |weekday: i64| json!({"code": format!("w{weekday}"), "weekday": weekday, "start_time": "10:00", "end_time": "11:00", "quota": 1});
    // Saturdays alone. The one of January is taken: the next ones are the fourth and eleventh of February.
    let item = json!({"api_code": "kiln", "name": "Kiln", "quota_setting": {"kind": "time_range",
        "start_date": "2090-01-24", "end_date": "2090-04-30", "daily_time_range_quotas": [slot(6)]}});
    let form = owner.form(json!([field("booking", json!({"label": "Kiln", "reservation_items": [item]}))]));
    let browser = Browser::open(Look::PHONE);
    let days = "[...document.querySelectorAll('.picker-day')].map(e => e.dataset.date.slice(5))";
    browser.go(&format!("{}{}", server.base, form.page()));
    loaded(&browser, "field_1");
    // No week before the first day that the plan has.
    assert_eq!(browser.run(&format!("return {days}[0]")), "01-23");
    let sent = server.anon().post(
        form.submissions(),
        json!({"field_values": {"field_1": [{"api_code": "kiln", "scheduled_at": "2090-01-28T10:00"}]}}),
    );
    assert_eq!(sent.status, 201, "{sent}");
    browser.go(&format!("{}{}", server.base, form.page()));
    loaded(&browser, "field_1");
    browser.until(&format!("{days}[0] === '02-01'"));
    // A closed day looks different from one out of range, and the last place from many.
    browser.run(&format!("{}.click()", "document.querySelector('.picker-turn')"));
    browser.until(&format!("{days}[0] === '01-23'"));
    let look = |date: &str| {
        browser.run(&format!(
            "const own = getComputedStyle(document.querySelector('[data-date=\"{date}\"]')); return own.backgroundColor + own.opacity"
        ))
    };
    assert_ne!(look("2090-01-23"), look("2090-01-30"));
    click(&browser, ".picker-turn:last-of-type");
    click(&browser, &day_button("field_1", "2090-02-04"));
    assert_eq!(browser.text(".picker-slots .left.last"), "1 left");
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
}

#[test]
fn a_day_is_chosen_from_a_short_list_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(day_out("en-GB"));
    let browser = Browser::open(Look::PHONE.without_script());
    load(&browser, server, &form);
    put(&browser, "field_1", "Grace");
    set_value(&browser, "field_6[0].scheduled_at", "2090-01-14");
    browser.shot("picker-plain-360", Look::PHONE);
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_6"][0]["api_code"], "tour", "{entry}");
    let lines = browser.text(".receipt");
    assert!(lines.contains("Tour · 14 January 2090"), "{lines}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_place_that_somebody_else_took_is_said_beside_the_question() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let form = owner.form_with(day_out("en-GB"));
        let browser = Browser::open(look);
        load(&browser, server, &form);
        put(&browser, "field_1", "Grace");
        click(&browser, "[name=field_2][value=soup]");
        if look.script {
            loaded(&browser, "field_6");
            click(&browser, &day_button("field_6", "2090-01-07"));
        } else {
            set_value(&browser, "field_6[0].scheduled_at", "2090-01-07");
        }
        taken_by_others(&form);
        send(&browser);
        browser.until("document.getElementById('summary') && document.readyState === 'complete'");
        browser.shot(&format!("picker-taken-{}", look.script), look);
        assert!(browser.text("#field_2-fault").contains("full"), "{}", browser.text("main"));
        assert!(browser.text("[id='field_6[0].scheduled_at-fault']").contains("full"));
        // All typed answers are there, and full options say so now.
        assert_eq!(browser.run("return field_1.value"), "Grace");
        assert_eq!(browser.run("return document.querySelector('[name=field_2]:checked').value"), "soup");
        assert!(browser.text("[data-field=field_2] .choice:has([value=soup])").contains("Full"));
        click(&browser, "[name=field_2][value=pie]");
        if look.script {
            loaded(&browser, "field_6");
            let (name, is_shut) = day(&browser, "field_6", "2090-01-07");
            assert!(is_shut && name.contains("fully booked"), "{name}");
            click(&browser, &day_button("field_6", "2090-01-14"));
        } else {
            set_value(&browser, "field_6[0].scheduled_at", "2090-01-14");
        }
        send(&browser);
        browser.until("location.pathname.endsWith('/done')");
        let entry = owner.get(form.entry(4)).data();
        assert_eq!(entry["field_2"]["value"], "pie", "{entry}");
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn the_calendar_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for (locale, name) in [("en-GB", "picker"), ("zh-CN", "picker-zh"), ("ar", "picker-rtl")] {
        let form = owner.form_with(day_out(locale));
        taken_by_others(&form);
        look_at(&browser, name, &format!("{}{}", server.base, form.page()));
        let phone = Look { width: 390, ..Look::PHONE };
        for (look, side) in [(phone, "light"), (phone.dark(), "dark")] {
            browser.look(look);
            load(&browser, server, &form);
            for code in ["field_5", "field_6"] {
                loaded(&browser, code);
            }
            click(&browser, &day_button("field_5", "2090-01-09"));
            click(&browser, &day_button("field_6", "2090-01-14"));
            browser.shot(&format!("{name}-chosen-390-{side}"), look);
            assert_eq!(browser.run("return document.documentElement.scrollWidth"), json!(390));
            assert_eq!(browser.axe(), NOTHING, "{name} {side}");
            browser.complaints();
        }
    }
    // English words on a page from right to left: the number is still before the word.
    let is_in_order = browser.run(
        "const left = [...document.querySelectorAll('.picker .left, .choice .left, .stock li')];
         const at = (node, start) => { const range = new Range(); range.setStart(node, start); range.setEnd(node, start + 1); return range.getBoundingClientRect().left; };
         const ends = e => { const all = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), texts = []; while (all.nextNode()) texts.push(all.currentNode); return [texts[0], texts.at(-1)]; };
         const seen = left.filter(e => e.checkVisibility());
         return [seen.length > 4, seen.filter(e => { const [first, last] = ends(e); return at(first, 0) > at(last, last.length - 1); }).map(e => e.innerText)]",
    );
    assert_eq!(is_in_order, json!([true, []]));
    browser.force_colors();
    // Days that can't be booked have no frame where colours are the system's either.
    let frames = browser.run(
        "const color = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
         return [color('html', 'backgroundColor'), color('.picker-day[aria-disabled=true]', 'borderTopColor'),
             color('.picker-day:not([aria-disabled=true], [aria-pressed=true])', 'borderTopColor')]",
    );
    assert_eq!(frames[0], frames[1]);
    assert_ne!(frames[0], frames[2]);
    browser.shot("picker-forced-390", Look { width: 390, ..Look::PHONE });
}
