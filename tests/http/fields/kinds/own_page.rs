//! The page on which a respondent changes the own answers, in every kind: it is filled in with the stored values, and
//! posted unchanged it changes nothing.

use serde_json::json;
use support::steps::set;
use support::{Response, Server};

use super::{groups, values};

/// The text between `key="` and `"` in a tag.
fn part(tag: &str, key: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {key}=\""))?;
    let raw = rest.split('"').next()?;
    Some(plain(raw))
}

fn plain(markup: &str) -> String {
    let mut text = markup.to_owned();
    for (code, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replace(code, letter);
    }
    text
}

/// The post of a page by a browser without a script.
fn controls(page: &str) -> Vec<(String, String)> {
    let form = page.split_once("<form ").map_or("", |(_, form)| form);
    let form = form.split("</form>").next().unwrap_or_default();
    let mut pairs = Vec::new();
    let mut select = None;
    for piece in form.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let name = part(tag, "name").unwrap_or_default();
        let value = || part(tag, "value").unwrap_or_default();
        let is_off = tag.contains(" disabled") || name.starts_with("_homepage");
        match tag.split(' ').next().unwrap_or_default() {
            "input" if !is_off && !name.is_empty() => {
                let is_ticked = ["radio", "checkbox"].iter().any(|kind| tag.contains(&format!("type=\"{kind}\"")));
                if !is_ticked || tag.contains(" checked") {
                    pairs.push((name, value()));
                }
            }
            "textarea" => pairs.push((name, plain(text).replace('\n', "\r\n"))),
            // The first option counts where none is chosen.
            "select" => select = Some((name, None)),
            "option" => {
                if let Some((_, chosen)) = &mut select
                    && (chosen.is_none() || tag.contains(" selected"))
                {
                    *chosen = Some(value());
                }
            }
            "/select" => {
                if let Some((name, Some(value))) = select.take() {
                    pairs.push((name, value));
                }
            }
            _ => {}
        }
    }
    pairs
}

#[test]
fn a_page_posted_as_it_stands_changes_nothing() {
    let server = Server::shared();
    let (anyone, anon) = (server.user(), server.anon());
    let mut count = 0;
    for group in groups() {
        let owner = group.owner(&anyone);
        let form = group.form(owner);
        let options = json!({"allow_edit_after_submission": true});
        set(owner, &form, json!({"submission_options": options}));
        for (written, _) in &group.taken {
            let made = anon.post(form.submissions(), values(written));
            if made.status != 201 {
                continue; // For collaborators alone.
            }
            let data = made.data();
            let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
            let (token, right) = (text(&data["entry"]["token"]), text(&data["edit_token"]));
            let address = format!("/f/{}/entries/{token}?edit_token={right}", form.token);
            let page = anon.get(&address);
            assert_eq!(page.status, 200, "{} {written}: {page}", group.kind);
            let pairs = controls(&page.text);
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let serial = data["entry"]["serial_number"].as_i64().expect("a number");
            let before = owner.get(form.entry(serial));
            let saved = anon.post_form(&address, &pairs);
            let case = || format!("{} {written} {pairs:?}", group.kind);
            assert_eq!(saved.status, 303, "{}: {saved}", case());
            let after = owner.get(form.entry(serial));
            if group.kind == "product" {
                // The page has goods in the order of the form.
                let lines = |answer: &Response| {
                    let list = answer.data()["field_1"].as_array().cloned();
                    let mut lines: Vec<String> = list.iter().flatten().map(ToString::to_string).collect();
                    lines.sort();
                    lines
                };
                assert_eq!(lines(&after), lines(&before), "{}", case());
            } else {
                assert_eq!(after.text, before.text, "{}", case());
            }
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}
