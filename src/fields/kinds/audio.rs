//! `audio`: a recording of a voice. No request gives a value of it: it comes with its file.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::cond::Key;
use crate::fields::files::{self, FileInput};
use crate::fields::form_part::FormPart;
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Kind, Row, Sample};

/// The row in the table.
pub static KIND: Row = Row {
    name: "audio",
    facets: Facets {
        displayable: true,
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#"{"id": "a"}"#,
            stored: "null",
            text: "",
        },
        Sample {
            definition: r#"{"max_duration": 10}"#,
            write: r#""a""#,
            stored: "null",
            text: "",
        },
    ],
};

const DEFAULT_SECS: i64 = 60;
const MAX_SECS: i64 = 3600;

#[derive(Serialize)]
struct Audio {
    max_duration: i64,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let max_duration = reader.opt_int("max_duration", 1..=MAX_SECS);
    Box::new(Audio {
        max_duration: max_duration.unwrap_or(DEFAULT_SECS),
    })
}

impl Kind for Audio {
    fn is_written(&self) -> bool {
        false
    }

    fn read_schema(&self) -> Json {
        let mut schema = files::schema();
        schema["properties"]["duration"] = json!({"type": "number", "minimum": 0});
        schema["required"] = json!(["id", "name", "url", "file_size", "content_type", "duration"]);
        schema
    }

    /// Whatever is given is dropped.
    fn parse(&self, _: Json, _: &Cx, _: &mut Issues) -> Json {
        Json::Null
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        files::name(stored).to_owned()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let minutes = format!("{}:{:02}", self.max_duration / 60, self.max_duration % 60);
        let hint = cx
            .texts
            .fill("audio-without", &[("time", minutes.as_str().into())]);
        let say = |id: &str| cx.texts.say(id);
        html! {
            div.recorder data-recorder data-max=(self.max_duration) data-record=(say("audio-record"))
                data-stop=(say("audio-stop")) data-again=(say("audio-again")) data-delete=(say("audio-delete"))
                data-recording=(say("audio-recording")) data-done=(say("audio-done"))
                data-deleted=(say("audio-deleted")) data-denied=(say("audio-denied"))
                data-failed=(say("audio-failed")) data-player=(say("audio-player"))
                data-with=(cx.texts.fill("audio-with", &[("time", minutes.as_str().into())])) {
                // The script's buttons come here.
                div.recorder-tools {}
                (files::input(cx, &FileInput {
                    label: Some(&say("audio-file")),
                    accept: Some("audio/*"),
                    is_multiple: false,
                    hint: &hint,
                }))
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("recorder.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    /// The name of a file that came without the file says nothing.
    fn form_value(&self, _: &FormPart) -> Json {
        Json::Null
    }
}
