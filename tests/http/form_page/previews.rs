//! Previews of a form's link in other programs.

use support::images::uploaded;
use support::uploads::png;

use super::*;

const MARK: &str = "\"><script>m4rk</script>";

fn world() -> World {
    let description = format!("Three days.\n\nIn small groups {MARK}");
    let fields = json!([{"type": "short_text", "label": "Name"}]);
    World::of(json!({"name": format!("Summer {MARK}"), "description": description, "fields": fields}))
}

/// The content of one of the page's properties.
fn property(page: &Response, name: &str) -> Option<String> {
    let rest = page.text.split(&format!("=\"{name}\" content=\"")).nth(1)?;
    rest.split('"').next().map(str::to_owned)
}

fn none(page: &Response, what: &str) {
    assert!(!page.text.contains("\"og:"), "{what}: {page}");
    assert!(property(page, "description").is_none(), "{what}: {page}");
}

#[test]
fn form_that_is_open_to_all_says_what_it_is() {
    let w = world();
    let page = w.anon.get(format!("{}?field_1=Ada&x_field_1=y", w.form.page()));
    let escaped = "&quot;&gt;&lt;script&gt;m4rk&lt;/script&gt;";
    let description = format!("Three days. In small groups {escaped}");
    for (name, content) in [
        ("og:type", Some("website".to_owned())),
        ("og:title", Some(format!("Summer {escaped}"))),
        ("og:description", Some(description.clone())),
        ("description", Some(description)),
        // Without the values that the link fills in.
        ("og:url", Some(format!("{}{}", w.anon.base, w.form.page()))),
        ("og:image", None),
    ] {
        assert_eq!(property(&page, name), content, "{name}: {page}");
    }
    let header = uploaded(&w.owner, "header_image", "image/png", &png(1600, 500));
    let look = json!({"header": {"type": "image", "images": [{"upload_id": header}]}});
    set_part(&w.owner, &w.form, "theme", look);
    let page = w.page();
    let image = property(&page, "og:image").expect("an image");
    let path = image.strip_prefix(&w.anon.base).filter(|path| path.starts_with("/images/"));
    w.anon.get(path.unwrap_or_else(|| panic!("no address of ours: {image}"))).is(200);
    assert_eq!(property(&page, "twitter:card").as_deref(), Some("summary_large_image"));
    // A long description is cut at a word.
    w.owner.patch(w.form.path(), json!({"description": "Word and word. ".repeat(60)})).is(200);
    let cut = property(&w.page(), "og:description").expect("a description");
    assert!(cut.chars().count() <= 200 && cut.ends_with("word…"), "{cut}");
}

#[test]
fn what_is_not_for_all_is_not_told_by_its_link() {
    let closed = json!({"availability": {"manually_closed": true}});
    let mut both = password("sesame");
    both["availability"] = closed["availability"].clone();
    for (what, settings) in [("locked", password("sesame")), ("closed and locked", both)] {
        let w = world().settings(settings);
        none(&w.page(), what);
        none(&w.post(&[("_action", "open"), ("_password", "sesame")]), &format!("{what}, then opened"));
    }
    let page = world().settings(closed).page();
    assert!(property(&page, "og:title").is_some(), "{page}");
    assert_eq!(property(page.lacks(["Three days"]), "og:description"), None);
    none(&world().settings(json!({"submission_options": {"one_per_respondent": "account"}})).page(), "of accounts");
    let w = world().settings(editable(true));
    let thanks = w.anon.get(w.post(&[("field_1", "Ada")]).leads());
    none(&thanks, "thanks");
    let link = hidden(&thanks, "edit-link").replace("&amp;", "&");
    none(&w.anon.get(link.trim_start_matches(&*w.anon.base)), "an entry");
    none(&w.anon.get("/f/nothing"), "no form");
}
