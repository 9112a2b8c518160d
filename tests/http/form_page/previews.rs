//! What other programs show of a form's link before anybody follows it.

use serde_json::{Value, json};
use support::images::uploaded;
use support::steps::set;
use support::uploads::png;
use support::{Caller, Form, Response, Server};

const MARK: &str = "\"><script>m4rk</script>";

fn form(owner: &Caller, own: Value) -> Form {
    let mut body = json!({"name": format!("Summer {MARK}"), "description": format!("Three days.\n\nIn small groups {MARK}"),
        "fields": [{"type": "short_text", "label": "Name"}]});
    for (key, value) in own.as_object().expect("an object") {
        body[key] = value.clone();
    }
    owner.form_with(body)
}

/// The content of one of the page's properties.
fn property(page: &Response, name: &str) -> Option<String> {
    let start = format!("=\"{name}\" content=\"");
    let rest = page.text.split(&start).nth(1)?;
    rest.split('"').next().map(str::to_owned)
}

fn none(page: &Response, what: &str) {
    assert!(!page.text.contains("\"og:"), "{what}: {page}");
    assert!(property(page, "description").is_none(), "{what}: {page}");
}

#[test]
fn a_form_that_is_open_to_all_says_what_it_is() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner, json!({}));
    let page = anon.get(format!("{}?field_1=Ada&x_field_1=y", form.page()));
    let escaped = "&quot;&gt;&lt;script&gt;m4rk&lt;/script&gt;";
    let address = format!("{}{}", server.base, form.page());
    for (name, content) in [
        ("og:type", "website".to_owned()),
        ("og:title", format!("Summer {escaped}")),
        ("og:description", format!("Three days. In small groups {escaped}")),
        ("description", format!("Three days. In small groups {escaped}")),
        // Nothing of what the link fills in.
        ("og:url", address),
    ] {
        assert_eq!(property(&page, name), Some(content), "{name}: {page}");
    }
    assert_eq!(property(&page, "og:image"), None);
    let header = uploaded(&owner, "header_image", "image/png", &png(1600, 500));
    let look = json!({"header": {"type": "image", "images": [{"upload_id": header}]}});
    let done = owner.patch(format!("{}/theme", form.path()), look);
    assert_eq!(done.status, 200, "{done}");
    let page = anon.get(form.page());
    let image = property(&page, "og:image").expect("an image");
    assert!(image.starts_with(&format!("{}/images/", server.base)), "{image}");
    assert_eq!(anon.get(image.trim_start_matches(&*server.base)).status, 200);
    assert_eq!(property(&page, "twitter:card").as_deref(), Some("summary_large_image"));
    // A long description is cut at a word.
    let done = owner.patch(form.path(), json!({"description": "Word and word. ".repeat(60)}));
    assert_eq!(done.status, 200, "{done}");
    let cut = property(&anon.get(form.page()), "og:description").expect("a description");
    assert!(cut.chars().count() <= 200 && cut.ends_with("word…"), "{cut}");
}

#[test]
fn what_is_not_for_all_is_not_told_by_its_link() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let made = |settings: Value| {
        let form = form(&owner, json!({}));
        set(&owner, &form, settings);
        form
    };
    let locked = made(json!({"access_control": {"access_password": "sesame"}}));
    none(&anon.get(locked.page()), "locked");
    none(&anon.post_form(locked.page(), &[("_action", "open"), ("_password", "sesame")]), "opened");
    let closed = made(json!({"availability": {"manually_closed": true}}));
    let page = anon.get(closed.page());
    assert!(property(&page, "og:title").is_some(), "{page}");
    assert!(property(&page, "og:description").is_none() && !page.text.contains("Three days"), "{page}");
    let both =
        made(json!({"availability": {"manually_closed": true}, "access_control": {"access_password": "sesame"}}));
    none(&anon.get(both.page()), "closed and locked");
    none(&anon.post_form(both.page(), &[("_action", "open"), ("_password", "sesame")]), "closed and opened");
    let members = made(json!({"submission_options": {"one_per_respondent": "account"}}));
    none(&anon.get(members.page()), "of accounts");
    let editable = made(json!({"submission_options": {"allow_edit_after_submission": true}}));
    let done = anon.post_form(editable.page(), &[("field_1", "Ada")]);
    let thanks = anon.get(done.header("location"));
    none(&thanks, "thanks");
    let link = support::form_page::hidden(&thanks, "edit-link").replace("&amp;", "&");
    none(&anon.get(link.trim_start_matches(&*server.base)), "an entry");
    none(&anon.get("/f/nothing"), "no form");
}
