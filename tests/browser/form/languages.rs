//! A German form, for which there are no words of ours: each word on the page says whose language it is.

use serde_json::{Value, json};
use support::{Server, field};

use crate::driver::webdriver::{Browser, Look};

/// Every text of the owner is in guillemets, so that it is told from ours.
fn own(text: &str) -> String {
    format!("«{text}»")
}

fn every_kind(companies: &str) -> Value {
    let choices = |more: Value| {
        let mut list = json!([{"api_code": "a", "label": own("Apfel")}, {"api_code": "b", "label": own("Birne")}]);
        if let (Some(list), true) = (list.as_array_mut(), more.is_object()) {
            list.push(more);
        }
        list
    };
    let other = json!({"api_code": "o", "label": own("Sonst"), "is_other": true});
    let named = json!([{"api_code": "s", "label": own("Räume")}, {"api_code": "t", "label": own("Essen")}]);
    let cells = json!([
        {"type": "number", "label": own("Alter"), "unit": own("Jahre")},
        {"type": "phone", "label": own("Telefon")},
        {"type": "radio", "label": own("Obst"), "choices": choices(Value::Null)},
        {"type": "date", "label": own("Tag"), "min": "2026-01-01"},
    ]);
    let slots = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 9}]});
    let kinds = [
        ("short_text", json!({"placeholder": own("Wort"), "min_length": 2, "max_length": 9})),
        ("long_text", json!({"placeholder": own("Satz")})),
        ("name", json!({})),
        ("email", json!({})),
        ("url", json!({})),
        ("phone", json!({"default_country": "DE", "placeholder": own("Nummer")})),
        ("number", json!({"unit": own("Stück"), "min": 1})),
        ("date", json!({"max": "2090-01-01"})),
        ("time", json!({})),
        ("radio", json!({"choices": choices(other.clone())})),
        ("checkbox", json!({"choices": choices(other.clone()), "max_selected": 2})),
        ("dropdown", json!({"choices": choices(other), "placeholder": own("Wähle")})),
        ("image_radio", json!({"choices": choices(Value::Null)})),
        ("image_checkbox", json!({"choices": choices(Value::Null)})),
        ("cascade", json!({"choices": [{"label": own("Nord"), "children": [{"label": own("Küste")}]}]})),
        ("ranking", json!({"choices": choices(Value::Null)})),
        ("rating", json!({})),
        ("nps", json!({"min_label": own("Nie"), "max_label": own("Immer")})),
        ("likert", json!({"statements": named, "choices": choices(Value::Null)})),
        ("matrix", json!({"statements": named, "dimensions": cells})),
        ("matrix_rating", json!({"statements": named, "dimensions": [{"api_code": "n", "label": own("Jetzt")}]})),
        ("table", json!({"dimensions": cells, "min_rows": 1})),
        ("address", json!({"default_country": "DE"})),
        ("location", json!({})),
        ("attachment", json!({"media_type": "image", "max_count": 2})),
        ("audio", json!({})),
        ("signature", json!({})),
        (
            "product",
            json!({"unit": own("Stk"), "goods_items": [
            {"api_code": "tee", "name": own("Tee"), "description": own("Grün"), "price": 3, "dimensions": [
                {"api_code": "g", "name": own("Größe"), "options": [{"api_code": "k", "name": own("klein")}]}]}]}),
        ),
        (
            "booking",
            json!({"reservation_items": [{"api_code": "r", "name": own("Raum"), "description": own("Hell"), "quota_setting": slots},
            {"api_code": "q", "name": own("Saal"), "quota_setting": slots}]}),
        ),
        (
            "linked_form",
            json!({"form_token": companies, "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}]}),
        ),
        ("description", json!({"content": format!("<p>{}</p>", own("Etwas"))})),
    ];
    let fields = kinds.into_iter().map(|(kind, mut more)| {
        more["label"] = json!(own(kind));
        more["notes"] = json!(format!("<p>{}</p>", own("Hinweis")));
        field(kind, more)
    });
    let fields: Vec<Value> = fields.collect();
    json!({"name": own("Anmeldung"), "description": own("Bitte"), "locale": "de", "fields": fields})
}

/// Texts and names of controls with words in another language than the page declares, or in two languages.
const ODD: &str = "
    const odd = [];
    const has = (text) => /\\p{L}{2}/u.test(text);
    const look = (element, text, how) => {
        if (!has(text)) return;
        const lang = element.closest('[lang]').lang;
        const left = text.replaceAll(/«[^»]*»/g, '');
        const isOwners = left !== text;
        if (isOwners && has(left)) odd.push(`${how}: both languages in ${text}`);
        else if (lang !== (isOwners ? 'de' : 'en')) odd.push(`${how}: ${text} is said to be ${lang}, in ${element.outerHTML.slice(0, 120)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const at = walker.currentNode.parentElement;
        if (at.closest('script, style, template')) continue;
        look(at, walker.currentNode.data, 'text');
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
        for (const name of ['aria-label', 'placeholder', 'title']) {
            if (element.hasAttribute(name)) look(element, element.getAttribute(name), `${name} of ${element.localName} ${element.name ?? ''}`);
        }
    }
    return [...new Set(odd)];
";

#[test]
fn every_word_says_whose_language_it_is() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let companies = owner.form(json!([field("name", json!({}))]));
    let form = owner.form_with(every_kind(&companies.token));
    for look in [Look::DESK, Look::DESK.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        if look.script {
            browser.until("document.querySelector('.rank-list') && document.querySelector('button.clear')");
        }
        assert_eq!(browser.run(ODD), json!([]), "{}", look.script);
    }
}
