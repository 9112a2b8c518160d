//! In which language the texts of a form's pages are said to be: the page's own words in the one that they
//! are written in, the owner's in the form's locale.

use serde_json::{Value, json};
use support::form_page::patient;
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

/// Every text of the owner begins with it and is one word.
const OWNERS: char = '§';
/// Elements that have no end.
const VOID: [&str; 6] = ["meta", "link", "input", "img", "br", "hr"];
/// What is read to people beside the text of an element.
const READ: [&str; 5] = ["placeholder", "aria-label", "title", "alt", "label"];

/// Every text of a page, also of attributes that are read to people, with the language it is said to be in.
fn texts(page: &Response) -> Vec<(String, String)> {
    let mut open: Vec<(String, String)> = Vec::new();
    let mut found = Vec::new();
    let mut rest = page.text.as_str();
    while let Some(at) = rest.find('<') {
        let language = open.last().map_or("", |(_, language)| language).to_owned();
        found.push((language.clone(), rest[..at].trim().to_owned()));
        let end = at + rest[at..].find('>').expect("a tag's end");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop().map(|(name, _)| name);
            assert_eq!(last.as_deref(), Some(name), "{page}");
            continue;
        }
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        let attribute = |name: &str| {
            let value = tag.split(&format!(" {name}=\"")).nth(1)?;
            value.split('"').next()
        };
        let language = attribute("lang").map_or(language, str::to_owned);
        for read in READ {
            found.push((language.clone(), attribute(read).unwrap_or_default().to_owned()));
        }
        if name == "style" || name == "script" {
            rest = &rest[rest.find("</").expect("an end")..];
        }
        if !VOID.contains(&name) && !name.starts_with('!') {
            open.push((name.to_owned(), language));
        }
    }
    found.retain(|(_, text)| text.chars().any(char::is_alphabetic));
    found
}

/// The owner's texts are in the form's language, all others in that of the words.
fn check(page: &Response, owners: &str, own: &str) {
    let texts = texts(page);
    assert!(texts.iter().any(|(_, text)| text.contains(OWNERS)), "{page}");
    for (language, text) in texts {
        // A sentence of the page that has words of the owner in it is the page's.
        let is_owners = text.starts_with(OWNERS) && !text.contains(' ');
        let expected = if is_owners { owners } else { own };
        let is_mixed = text.contains(OWNERS) && !is_owners;
        assert!(is_mixed || language == expected, "{text:?} is in {language:?}");
    }
    let start = format!("<html lang=\"{own}\" dir=\"ltr\"");
    assert!(page.text.contains(&start), "{start}");
}

fn choices() -> Value {
    json!([
        {"api_code": "one1", "label": "§Eins", "allow_extended_text": true},
        {"api_code": "two2", "label": "§Zwei"}, {"api_code": "else", "label": "§Anderes", "is_other": true},
    ])
}

/// A field of every kind that shows words of its owner.
fn fields() -> Value {
    let plain = json!([{"api_code": "one1", "label": "§Eins"}, {"api_code": "two2", "label": "§Zwei"}]);
    let other =
        json!([{"api_code": "one1", "label": "§Eins"}, {"api_code": "else", "label": "§Anderes", "is_other": true}]);
    let rows = json!([{"api_code": "row1", "label": "§Zeile"}, {"api_code": "row2", "label": "§Reihe"}]);
    let cells = json!([field("short_text", json!({"label": "§Zelle", "notes": "<p>§Notiz</p>", "required": true}))]);
    let tree = json!([{"label": "§Baum", "children": [{"label": "§Ast"}]}, {"label": "§Busch", "children": [{"label": "§Zweig"}]}]);
    let goods = json!([{"api_code": "tea1", "name": "§Tee", "description": "§Grün", "price": 3.5, "original_price": 4,
        "dimensions": [{"name": "§Größe", "options": [{"name": "§Klein"}, {"name": "§Groß"}]}]}]);
    let week = json!({"kind": "time_range", "daily_time_range_quotas": [
        {"code": "a", "weekday": 1, "start_time": "09:00", "end_time": "10:00", "quota": null}]});
    let rooms = json!([{"name": "§Raum", "description": "§Hell", "quota_setting": week},
        {"name": "§Saal", "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 2, "quota": 3}]}}]);
    let mut fields = vec![
        json!({"type": "description", "label": "§Vorab", "content": "<p>§Bitte</p>", "notes": "<p>§Hinweis</p>"}),
        field(
            "short_text",
            json!({"label": "§Text", "notes": "<p>§Notiz</p>", "placeholder": "§Platz", "required": true,
            "pattern": "[A-Z]+", "pattern_message": "§Großbuchstaben"}),
        ),
        field("long_text", json!({"label": "§Lang", "placeholder": "§Platz"})),
        field("number", json!({"label": "§Zahl", "unit": "§kg"})),
        field("radio", json!({"label": "§Wahl", "choices": choices()})),
        field("checkbox", json!({"label": "§Viele", "choices": choices()})),
        field("dropdown", json!({"label": "§Liste", "choices": other})),
        field("dropdown", json!({"label": "§Liste", "choices": plain, "placeholder": "§Bitte"})),
        field("cascade", json!({"label": "§Stufen", "choices": tree})),
        field("ranking", json!({"label": "§Rang", "choices": plain})),
        field("rating", json!({"label": "§Sterne"})),
        field("nps", json!({"label": "§Empfehlung", "min_label": "§Nie", "max_label": "§Immer"})),
        field("likert", json!({"label": "§Aussagen", "statements": rows, "choices": plain})),
        field("matrix", json!({"label": "§Raster", "statements": rows, "dimensions": cells})),
        field(
            "matrix_rating",
            json!({"label": "§Noten", "statements": rows, "rating_max": 3,
            "dimensions": [{"label": "§Spalte"}, {"label": "§Ecke"}]}),
        ),
        field("table", json!({"label": "§Tabelle", "dimensions": cells})),
        field("product", json!({"label": "§Waren", "goods_items": goods, "unit": "§Stück"})),
        field("booking", json!({"label": "§Termin", "reservation_items": rooms})),
        field("booking", json!({"label": "§Termine", "reservation_items": rooms, "allow_multiple_items": true})),
    ];
    for kind in ["phone", "date", "time", "address", "location", "attachment", "audio", "signature", "email"] {
        fields.push(field(kind, json!({"label": "§Feld"})));
    }
    Value::Array(fields)
}

fn form(owner: &Caller, locale: &str) -> Form {
    owner.form_with(json!({"name": "§Anmeldung", "description": "§Worum", "locale": locale, "fields": fields()}))
}

#[test]
fn owners_words_have_the_forms_language_and_the_pages_own_theirs() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner, "de");
    check(&anon.get(form.page()), "de", "en");
    let faulty = anon.post_form(form.page(), &[("_page", "0"), ("field_2", "klein")]);
    assert_eq!(faulty.status, 422);
    assert!(faulty.text.contains("<p class=\"fault\" id=\"field_2-fault\" lang=\"de\">§Großbuchstaben"), "{faulty}");
    check(&faulty, "de", "en");
    let closed = |group: Value| set(&owner, &form, json!({"availability": group}));
    closed(json!({"opens_at": "2999-01-01T00:00:00Z"}));
    check(&anon.get(form.page()), "de", "en");
    closed(json!({"opens_at": null, "manually_closed": true}));
    check(&anon.get(form.page()), "de", "en");
}

#[test]
fn words_in_the_forms_language_need_no_second_one() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for locale in ["en", "zh-CN"] {
        let page = anon.get(form(&owner, locale).page());
        check(&page, locale, locale);
        assert_eq!(page.text.matches(" lang=").count(), 1, "{page}");
    }
    // Another country's variety is the owner's, the words are as they are written.
    check(&anon.get(form(&owner, "en-GB").page()), "en-GB", "en");
}

#[test]
fn buttons_and_thanks_say_whose_words_they_have() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(json!({"name": "§Seiten", "locale": "fr", "fields": [
        field("short_text", json!({"label": "§Un"})), {"type": "page_break", "next_text": "§Suite"},
        field("short_text", json!({"label": "§Deux"}))]}));
    let first = anon.get(form.page());
    check(&first, "fr", "en");
    assert!(first.text.contains("data-langs=\"fr\nen\""), "{first}");
    let sent = anon.post_form(form.page(), &[("field_1", "§a"), ("_page", "1"), ("_time", &patient(&first))]);
    assert_eq!(sent.status, 303, "{sent}");
    check(&anon.get(sent.header("location")), "fr", "en");
    for shown in [
        json!({"style": "text", "text": {"title": "§Merci", "description": "§Bientôt"}}),
        json!({"style": "rich_text", "rich_text": "<p>§Merci</p>"}),
    ] {
        set(&owner, &form, json!({"after_submission": {"mode": "show_message", "show_message": shown}}));
        check(&anon.get(sent.header("location")), "fr", "en");
    }
}

#[test]
fn a_form_of_a_language_without_words_keeps_its_direction() {
    let server = Server::shared();
    let form = form(&server.user(), "ar");
    let page = server.anon().get(form.page());
    assert!(page.text.contains("<html lang=\"en\" dir=\"rtl\""), "{page}");
    assert!(page.text.contains("<h1 lang=\"ar\">"), "{page}");
}

#[test]
fn a_locale_without_words_is_told() {
    let server = Server::shared();
    let owner = server.user();
    let body = |locale: &str| json!({"name": "a", "locale": locale, "fields": [field("name", json!({}))]});
    let warning = json!([{
        "attribute": "locale",
        "message": "has no translation: the page's own words, such as buttons and errors, will be in English",
    }]);
    for locale in ["de", "ar", "pt-BR"] {
        let made = owner.post("/api/v1/forms", body(locale));
        assert_eq!(made.status, 201, "{made}");
        assert_eq!(made.json()["warnings"], warning, "{made}");
        assert_eq!(made.data()["locale"], locale);
        let form = format!("/api/v1/forms/{}", made.data()["token"].as_str().expect("a token"));
        let changed = owner.patch(&form, json!({"locale": "fr"}));
        assert_eq!((changed.status, &changed.json()["warnings"]), (200, &warning));
        assert!(!changed.header("etag").is_empty(), "{changed}");
        for change in [json!({"name": "b"}), json!({"locale": "zh-CN"})] {
            let changed = owner.patch(&form, change);
            assert_eq!(changed.status, 200, "{changed}");
            assert_eq!(changed.json().get("warnings"), None, "{changed}");
        }
    }
    for locale in ["en", "en-GB", "zh-CN", "zh-TW"] {
        let made = owner.post("/api/v1/forms", body(locale));
        assert_eq!(made.status, 201, "{made}");
        assert_eq!(made.json().get("warnings"), None, "{made}");
    }
}
