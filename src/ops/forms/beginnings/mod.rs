//! Examples that a new form can start from: one for each scene, in the languages of the pages. A form that is made here
//! is not published.

mod from_file;

use std::sync::LazyLock;

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::{self, settings};

pub use from_file::make_of_definition;

static ENGLISH: LazyLock<Vec<Json>> = LazyLock::new(|| read(include_str!("../../../../assets/beginnings/en.json")));
static CHINESE: LazyLock<Vec<Json>> = LazyLock::new(|| read(include_str!("../../../../assets/beginnings/zh-CN.json")));

fn read(text: &str) -> Vec<Json> {
    serde_json::from_str(text).expect("the file is fixed, and a test reads it")
}

/// The examples in the language of these pages: each has `scene`, `name`, `about`, `fields` and `settings`.
pub fn examples(locale: &str) -> &'static [Json] {
    if locale.starts_with("zh") { &CHINESE } else { &ENGLISH }
}

/// Makes the example of a scene into a form.
///
/// # Errors
/// 404 for an unknown scene.
pub fn make_example(app: &App, caller: &Caller, locale: &str, scene: &str, folder: &str) -> Result<FormView> {
    let example = examples(locale).iter().find(|example| example["scene"] == scene);
    let example = example.ok_or(Error::NotFound(Noun::Page))?;
    let made = make(app, caller, locale, folder, &example["name"], &example["scene"], &example["fields"])?;
    let token = made.form.token.as_str();
    settings::update(app, caller, token, example["settings"].clone(), &IfMatch::Absent, Issues::new())?;
    forms::show(app, caller, token)
}

/// Makes a form of these questions, none or more.
///
/// # Errors
/// 404 for an unknown folder, 422.
pub fn make_of(app: &App, caller: &Caller, locale: &str, folder: &str, name: &str, fields: &Json) -> Result<FormView> {
    make(app, caller, locale, folder, &json!(name), &json!("form"), fields)
}

fn make(
    app: &App,
    caller: &Caller,
    locale: &str,
    folder: &str,
    name: &Json,
    scene: &Json,
    fields: &Json,
) -> Result<FormView> {
    let body = json!({
        "name": name,
        "scene": scene,
        "locale": locale,
        "published": false,
        "folder_token": folder,
        "fields": fields,
    });
    forms::create(app, caller, body, Issues::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::form::SCENES;

    #[test]
    fn each_scene_has_an_example_in_each_language() {
        let shape = |locale| -> Vec<(&Json, Vec<&Json>)> {
            let of = |example: &'static Json| example["fields"].as_array().expect("fields").iter();
            examples(locale).iter().map(|it| (&it["scene"], of(it).map(|field| &field["type"]).collect())).collect()
        };
        assert_eq!(shape("en"), shape("zh-CN"));
        for (scene, _) in SCENES {
            let example = examples("en").iter().find(|example| example["scene"] == scene).expect(scene);
            let count = example["fields"].as_array().expect("fields").len();
            assert!((4..=8).contains(&count), "{scene}: {count}");
        }
    }
}
