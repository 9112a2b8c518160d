//! The page with a script on the random forms of `tests/http/form_page/agreement.rs`: answers sent there are taken or
//! refused, and stored, as the same answers are over the API; and the values shown on the page before are true.

use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use support::random_forms::{Answers, TO_EACH, answers, entries, make, of_json, plan, unique};
use support::{Caller, Form, Server, rounds};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

/// Makes the page's own script take somebody for a person.
const SHIFT: char = '\u{e008}';

/// Fills the pages in, one after the other, as far as they allow. Rules and the script decide which answers can be seen
/// and changed: the others are reported.
const FILL: &str = "
    const [wishes, how, done] = arguments;
    const form = document.getElementById('form');
    const forward = document.getElementById('forward');
    const tick = () => new Promise((go) => { setTimeout(go, 0); });
    const until = async (holds) => {
        for (let n = 0; n < 1500 && !holds(); n += 1) await new Promise((go) => { setTimeout(go, 10); });
        return holds();
    };
    const shut = [];
    const kept = {};
    const type = (input, text) => {
        if (input.value === text) return;
        input.focus();
        input.value = text;
        for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, {bubbles: true}));
    };
    const choose = (box, code) => {
        const inputs = [...box.querySelectorAll('input[type=radio]')];
        const wanted = inputs.find((input) => input.value === code);
        if (wanted?.disabled) shut.push([box.dataset.field, code]);
        else if (wanted) { if (!wanted.checked) wanted.click(); return; }
        const chosen = inputs.find((input) => input.checked);
        if (!chosen) return;
        const clear = box.querySelector('button.clear');
        if (clear?.checkVisibility()) clear.click();
        else kept[box.dataset.field] = chosen.value;
    };
    const tick_boxes = (box, codes) => {
        for (const input of box.querySelectorAll('input[type=checkbox]')) {
            const wanted = codes.includes(input.value);
            if (input.disabled) { if (wanted) shut.push([box.dataset.field, input.value]); }
            else if (input.checked !== wanted) input.click();
        }
    };
    const order = (box, goods) => {
        for (const good of box.querySelectorAll('.good')) {
            const input = good.querySelector('[name$=\".number\"]');
            const wanted = goods[good.dataset.code];
            if (!input || input.disabled) { if (wanted !== undefined) shut.push([box.dataset.field, good.dataset.code]); }
            else if (how.steps && wanted > 0) {
                type(input, '');
                for (let n = 0; n < wanted; n += 1) good.querySelector('[data-stepper] button:last-of-type').click();
                const most = Number(input.dataset.most ?? wanted);
                if (wanted > most) kept[good.dataset.code] = most;
            } else type(input, wanted === undefined ? '' : String(wanted));
        }
    };
    const fill = (answers) => {
        for (const box of boxes()) {
            // Of a wish before this one.
            for (const code of [box.dataset.field, ...[...box.querySelectorAll('.good')].map((good) => good.dataset.code)]) delete kept[code];
            shut.splice(0, shut.length, ...shut.filter(([field]) => field !== box.dataset.field));
            if (box.hidden) continue;
            const code = box.dataset.field;
            if (['field_1', 'field_9'].includes(code)) choose(box, answers[code]);
            if (code === 'field_2') tick_boxes(box, answers[code]);
            if (['field_3', 'field_4'].includes(code)) type(box.querySelector('input'), answers[code]);
            if (code === 'field_5') order(box, answers[code]);
        }
    };
    const page = () => form.querySelector('section.page:not([hidden])');
    const boxes = () => [...page().querySelectorAll('.field[data-field]')];
    const wrong = () => [...document.querySelectorAll('.field.wrong')].map((box) => box.dataset.field);
    const text = (selector) => {
        const element = document.querySelector(selector);
        return element?.checkVisibility() ? element.innerText : '';
    };
    // Each question to the server has its answer.
    let asked = 0;
    let told = 0;
    const plain = window.fetch;
    window.fetch = (...all) => { asked += 1; return plain(...all); };
    form.addEventListener('checked', () => { told += 1; });
    (async () => {
        await until(() => document.readyState === 'complete');
        const backward = document.getElementById('backward');
        const goBack = async () => {
            const before = form.elements._page.value;
            backward.click();
            if (!await until(() => form.elements._page.value !== before)) throw new Error(`no way back from ${before} ${JSON.stringify(history.state)}`);
        };
        // Whose answers were refused finds them again, on the page where they were.
        while (backward && !backward.hidden) await goBack();
        let back = how.back;
        for (;;) {
            // Somebody may think again, and leave answers where a rule hides them.
            for (const wish of wishes) fill(wish);
            await tick();
            if (forward.value === 'submit') break;
            const before = form.elements._page.value;
            forward.click();
            await until(() => form.elements._page.value !== before || !forward.hasAttribute('aria-busy'));
            if (form.elements._page.value === before) break;
            if (back) {
                back = false;
                await goBack();
                forward.click();
                if (!await until(() => form.elements._page.value !== before)) throw new Error('no way on');
            }
        }
        let outputs = null;
        const is_last = forward.value === 'submit';
        if (how.computes && is_last) {
            await until(() => told === asked);
            const before = asked;
            form.dispatchEvent(new Event('input', {bubbles: true}));
            await until(() => asked > before && told === asked);
            outputs = Object.fromEntries(['field_6', 'field_7', 'field_8'].map((code) => [code, document.getElementById(code).textContent]));
        }
        const goods = document.querySelector('[data-field=field_5]');
        done({shut, kept, outputs, is_last, wrong: wrong(), page: Number(form.elements._page.value),
            orders: goods.hidden ? '' : goods.querySelector('.goods-total').textContent,
            total: [...document.querySelectorAll('#order-total:not([hidden]) p:not([hidden])')].map((line) => line.textContent),
            pages: Object.fromEntries([...form.querySelectorAll('.field[data-field]')].map((box) => [box.dataset.field, Number(box.closest('section.page').dataset.page)]))});
    })().catch((fault) => done(String(fault)));
";

/// The outcome of sending: the page after it, or the one with its faults.
const OUTCOME: &str = "
    const form = document.getElementById('form');
    return {done: location.pathname.endsWith('/done'), sending: Boolean(form?.dataset.sending),
        wrong: [...document.querySelectorAll('.field.wrong')].map((box) => box.dataset.field)}";

/// The full options on the page, by field.
const SHUT: &str = "
    return [...document.querySelectorAll('#form .field input:disabled, #form .good.sold')].map((one) => [one.closest('.field').dataset.field,
        one.closest('.good')?.dataset.code ?? one.value])";

/// The answers to fill in, for the page.
fn wish(answers: &Answers) -> Value {
    let goods = answers.goods.iter().map(|(code, number)| ((*code).to_owned(), json!(number)));
    json!({
        "field_1": answers.one,
        "field_2": answers.several,
        "field_3": answers.number.unwrap_or_default(),
        "field_4": answers.text.unwrap_or_default(),
        "field_5": Value::Object(goods.collect()),
        "field_9": answers.last,
    })
}

/// Answers that can be given on a page: it offers no other choices than there are.
fn possible(dice: &mut StdRng) -> Answers {
    let mut answers = answers(dice);
    answers.one = answers.one.filter(|code| *code != "nothing");
    answers
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Pairs of texts, sorted.
fn pairs(list: &Value) -> Vec<(String, String)> {
    let list = list.as_array().into_iter().flatten();
    let mut pairs: Vec<_> = list.map(|pair| (text(&pair[0]).to_owned(), text(&pair[1]).to_owned())).collect();
    pairs.sort();
    pairs
}

fn codes(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("{list}"));
    unique(list.iter().map(|code| text(code).to_owned()).collect())
}

/// The answers without those that the page does not let anybody choose, and with those that it keeps.
fn follow(answers: &mut Answers, filled: &Value) {
    for (field, code) in pairs(&filled["shut"]) {
        match field.as_str() {
            "field_1" => answers.one = None,
            "field_2" => answers.several.retain(|one| *one != code),
            "field_5" => answers.goods.retain(|(one, _)| *one != code),
            "field_9" => answers.last = None,
            other => panic!("{other}"),
        }
    }
    let kept = |key: &str, codes: &[&'static str]| {
        let kept = filled["kept"][key].as_str()?;
        codes.iter().copied().find(|code| *code == kept)
    };
    answers.one = kept("field_1", &["a", "b", "c"]).or(answers.one);
    answers.last = kept("field_9", &["g", "h"]).or(answers.last);
    for (code, number) in &mut answers.goods {
        *number = filled["kept"][*code].as_i64().unwrap_or(*number);
    }
}

/// The full options in the published form, by field.
fn full(anon: &Caller, form: &Form) -> Vec<(String, String)> {
    let shown = anon.get(form.published()).data();
    let fields = shown["fields"].as_array().expect("fields").iter();
    let mut full: Vec<_> = fields
        .flat_map(|field| {
            let items = ["choices", "goods_items"].map(|list| field[list].as_array());
            let items = items.into_iter().flatten().flatten();
            let full = items.filter(|item| item["remaining"] == 0);
            full.map(|item| {
                let code = |value: &Value| text(value).to_owned();
                (code(&field["api_code"]), code(&item["api_code"]))
            })
            .collect::<Vec<_>>()
        })
        .collect();
    full.sort();
    full
}

/// The number in a text such as `Total: $1,234.50`.
fn number(text: &str) -> Option<f64> {
    let digits = text.chars().filter(|c| c.is_ascii_digit() || ".-".contains(*c));
    digits.collect::<String>().parse().ok()
}

/// Sends the filled-in form; returns the fields with faults, none where it was stored.
fn send(browser: &Browser) -> Vec<String> {
    browser.run("document.getElementById('forward').click()");
    let begun = Instant::now();
    loop {
        let outcome = browser.run(OUTCOME);
        let wrong = codes(&outcome["wrong"]);
        if outcome["done"] == true {
            return Vec::new();
        }
        if outcome["sending"] == false && !wrong.is_empty() {
            return wrong;
        }
        let main = browser.text("main");
        assert!(begun.elapsed() < Duration::from_secs(60), "{outcome} {main}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Checks that the page showed the prices and results that were stored.
fn assert_shown(filled: &Value, entry: &Value, what: &str) {
    let total = filled["total"].as_array().expect("lines");
    let shown: Vec<_> = total.iter().map(|line| number(text(line))).collect();
    let of = |key: &str| entry[key].as_f64();
    let (before, after) = (of("total_price"), of("preferential_price"));
    if !shown.is_empty() {
        assert_eq!(shown[0], before, "{what}: {filled} {entry}");
        assert_eq!(*shown.last().expect("a line"), after, "{what}: {filled} {entry}");
    }
    if let Some(sum) = number(text(&filled["orders"])) {
        assert_eq!(Some(sum), before, "{what}: {filled} {entry}");
    } else {
        assert!(before.is_none_or(|sum| sum == 0.0), "{what}: {filled} {entry}");
    }
    let outputs = filled["outputs"].as_object();
    for (code, shown) in outputs.into_iter().flatten() {
        assert_eq!(number(text(shown)), entry[code].as_f64(), "{what} {code}: {filled} {entry}");
    }
}

#[test]
fn the_page_with_a_script_agrees_with_the_api() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let submissions = rounds("TEST_PAGE_SUBMISSIONS", 30_usize);
    let first = rounds("TEST_PAGE_SEED", 0_u64);
    let browser = Browser::open(Look::DESK);
    let (mut taken, mut refused, mut left) = (0, 0, submissions);
    for seed in first.. {
        let mut dice = StdRng::seed_from_u64(seed);
        let plan = plan(&mut dice);
        let [api, page] = [(); 2].map(|()| make(&owner, &plan));
        let to_each = left.min(TO_EACH);
        for n in 0..to_each {
            let what = format!("seed {seed}, {n}");
            // Anew: a reload would go on, with the pages before in the history.
            browser.go("about:blank");
            browser.go(&format!("{}{}", server.base, page.page()));
            browser.keys([SHIFT]);
            assert_eq!(pairs(&browser.run(SHUT)), full(&anon, &page), "{what}");
            // Somebody else may be quicker.
            if dice.random_bool(0.2) {
                let body = json!({"field_values": possible(&mut dice).json()});
                let both = [&api, &page].map(|form| anon.post(form.submissions(), body.clone()));
                let [one, other] = both.map(|sent| of_json(&sent, "field_values."));
                assert_eq!(one, other, "{what}");
            }
            let mut wishes = Vec::new();
            if dice.random_bool(0.3) {
                wishes.push(wish(&possible(&mut dice)));
            }
            let mut answers = possible(&mut dice);
            wishes.push(wish(&answers));
            let how = json!({
                "steps": dice.random_bool(0.5), "back": dice.random_bool(0.2), "computes": dice.random_bool(0.2),
            });
            let filled = browser.wait_for(FILL, json!([wishes, how]));
            assert!(filled.is_object(), "{what}: {filled}");
            follow(&mut answers, &filled);
            let what = format!("{what}: {answers:?}");

            let sent = anon.post(api.submissions(), json!({"field_values": answers.json()}));
            let mut by_api = of_json(&sent, "field_values.");
            let by_page = if filled["is_last"] == true {
                send(&browser)
            } else {
                // It does not turn before the faults of a page are corrected: all of them are reported there.
                let of = |code: &String| filled["pages"][code].as_u64();
                assert!(by_api.iter().all(|code| of(code) >= filled["page"].as_u64()), "{what}: {sent}");
                by_api.retain(|code| of(code) == filled["page"].as_u64());
                codes(&filled["wrong"])
            };
            assert_eq!(by_api, by_page, "{what}: {sent} {filled}");
            if by_page.is_empty() {
                assert_shown(&filled, &sent.data()["entry"], &what);
                taken += 1;
            } else {
                refused += 1;
            }
        }
        assert_eq!(entries(&owner, &api), entries(&owner, &page), "seed {seed}");
        assert_eq!(browser.complaints(), NOTHING, "seed {seed}");
        left -= to_each;
        if left == 0 {
            break;
        }
    }
    assert!(taken * 4 > submissions && refused * 20 > submissions, "{taken} {refused}");
}
