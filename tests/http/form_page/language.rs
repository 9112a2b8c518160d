//! In which language the texts of a form's pages are said to be: the page's own words in the one that they
//! are written in, the owner's in the form's locale.

use super::*;

/// Every text of the owner begins with it and is one word.
const OWNERS: char = '§';
/// Elements that have no end.
const VOID: [&str; 6] = ["meta", "link", "input", "img", "br", "hr"];
/// Attributes that are read to people beside the text of an element.
const READ: [&str; 5] = ["placeholder", "aria-label", "title", "alt", "label"];

/// Every text of a page, also of attributes that are read to people, with its declared language.
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
        let attribute = |name: &str| tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next();
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
    page.has([format!("<html lang=\"{own}\" dir=\"ltr\"")]);
}

fn world(locale: &str) -> World {
    let mut fields = every_kind("§Wort", "§kg");
    fields[0]["required"] = json!(true);
    fields[0]["pattern"] = json!("[A-Z]+");
    fields[0]["pattern_message"] = json!("§Großbuchstaben");
    World::of(json!({"name": "§Anmeldung", "description": "§Worum", "locale": locale, "fields": fields}))
}

#[test]
fn owners_words_have_the_forms_language_and_the_pages_own_theirs() {
    let w = world("de");
    check(&w.page(), "de", "en");
    let faulty = w.post(&typed("_page=0&field_1=klein")).is(422);
    faulty.has([r#"<p class="fault" id="field_1-fault" lang="de">§Großbuchstaben"#]);
    check(&faulty, "de", "en");
    for group in [json!({"opens_at": "2999-01-01T00:00:00Z"}), json!({"opens_at": null, "manually_closed": true})] {
        set(&w.owner, &w.form, json!({ "availability": group }));
        check(&w.page(), "de", "en");
    }
}

#[test]
fn words_in_the_forms_language_need_no_second_one() {
    for locale in ["en", "zh-CN"] {
        let page = world(locale).page();
        check(&page, locale, locale);
        assert_eq!(page.text.matches(" lang=").count(), 1, "{page}");
    }
    // Another country's variety is the owner's, the words are as they are written.
    check(&world("en-GB").page(), "en-GB", "en");
}

#[test]
fn buttons_and_thanks_say_whose_words_they_have() {
    let w = World::of(json!({"name": "§Seiten", "locale": "fr", "fields": [
        {"type": "short_text", "label": "§Un"}, {"type": "page_break", "next_text": "§Suite"},
        {"type": "short_text", "label": "§Deux"}]}));
    let first = w.page();
    check(&first, "fr", "en");
    first.has(["data-langs=\"fr\nen\""]);
    let receipt = w.post(&[("field_1", "§a"), ("_page", "1"), ("_time", &patient(&first))]).leads();
    check(&w.anon.get(&receipt), "fr", "en");
    for shown in [
        json!({"style": "text", "text": {"title": "§Merci", "description": "§Bientôt"}}),
        json!({"style": "rich_text", "rich_text": "<p>§Merci</p>"}),
    ] {
        set(&w.owner, &w.form, json!({"after_submission": {"mode": "show_message", "show_message": shown}}));
        check(&w.anon.get(&receipt), "fr", "en");
    }
}

#[test]
fn form_of_a_language_without_words_keeps_its_direction() {
    world("ar").page().has([r#"<html lang="en" dir="rtl""#, r#"<h1 lang="ar">"#]);
}

#[test]
fn pages_speak_the_forms_language_and_errors_the_readers() {
    let fields = one_line(json!({"required": true, "max_length": 3}));
    let w = World::of(json!({"name": "表单", "locale": "zh-CN", "fields": fields}));
    w.page().has([r#"<html lang="zh-CN""#, ">提交</button>"]);
    w.post(&[("_page", "0")]).has(["请回答此问题"]);
    w.post(&[("field_1", "四个字符")]).has(["最多 3 个字符"]);
    let chinese = w.anon.header("accept-language", "zh-CN,zh;q=0.9,en;q=0.5");
    chinese.get("/f/nothinghere").is(404).has(["找不到这个表单", r#"lang="zh-CN""#]);
    w.anon.get("/f/nothinghere").is(404).has(["This form can’t be found"]);
}

#[test]
fn locale_without_words_is_told() {
    let owner = Server::shared().user();
    let english = "has no translation: the page's own words, such as buttons and errors, will be in English";
    let told = |answer: &Response, is_told: bool| {
        let warning = json!([{"attribute": "locale", "message": english}]);
        assert_eq!(answer.json().get("warnings"), is_told.then_some(&warning), "{answer}");
    };
    for (locale, is_told) in [
        ("de", true),
        ("ar", true),
        ("pt-BR", true),
        ("en", false),
        ("en-GB", false),
        ("zh-CN", false),
        ("zh-TW", false),
    ] {
        let body = json!({"name": "a", "locale": locale, "fields": [{"type": "name", "label": "Name"}]});
        let made = owner.post("/api/v1/forms", body).is(201);
        told(&made, is_told);
        assert_eq!(made.data()["locale"], locale);
        let form = format!("/api/v1/forms/{}", made.data()["token"].as_str().expect("a token"));
        for (change, is_told) in
            [(json!({"locale": "fr"}), true), (json!({"name": "b"}), false), (json!({"locale": "zh-CN"}), false)]
        {
            let changed = owner.patch(&form, change).is(200);
            told(&changed, is_told);
            assert!(!changed.header("etag").is_empty(), "{changed}");
        }
    }
}
