//! `audio`: a voice recording. Values can't be given in a request: the form's page uploads the file.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::files;
use crate::fields::files::draw::{self, FileInput};
use crate::fields::files::rules::{FileRules, SOUND};
use crate::fields::files::stored_file::StoredFile;
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{BuildCx, Control, Cx, Facets, Files, InputCx, Kind, KindRow, Sample, Writer};

pub static KIND: KindRow = KindRow {
    name: "audio",
    facets: Facets { displayable: true, asked_by: &["audio", "record your voice", "录音", "语音"], ..Facets::NONE },
    build,
    samples: &[
        Sample { definition: "{}", write: r#"{"id": "a"}"#, stored: "null", text: "" },
        Sample { definition: r#"{"max_duration": 10}"#, write: r#""a""#, stored: "null", text: "" },
    ],
};

const DEFAULT_SECS: i64 = 60;
const MAX_SECS: i64 = 3600;
/// Recorders stop a little late.
const GRACE_SECS: f64 = 1.0;

#[derive(Serialize)]
struct Audio {
    max_duration: i64,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let max_duration = reader.opt_int("max_duration", 1..=MAX_SECS);
    Box::new(Audio { max_duration: max_duration.unwrap_or(DEFAULT_SECS) })
}

impl Audio {
    fn max_secs(&self) -> f64 {
        u32::try_from(self.max_duration).map_or(0.0, f64::from)
    }
}

impl Kind for Audio {
    fn writer(&self) -> Writer {
        Writer::Page
    }

    fn read_schema(&self) -> Json {
        let mut schema = files::schema();
        schema["properties"]["duration"] = json!({"type": "number", "minimum": 0});
        schema["required"] = json!(["id", "name", "url", "file_size", "content_type", "duration"]);
        schema
    }

    /// The recording posted by a page; anything else is dropped. The duration comes from the file or, if the file lacks
    /// it, from the page, up to the maximum.
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let mut stored = files::parse_of_page(&raw, cx, at);
        if stored.is_null() {
            return stored;
        }
        let known = StoredFile::of(&stored).duration;
        let most = self.max_secs();
        if known.is_some_and(|secs| secs > most + GRACE_SECS) {
            at.push(Reason::RecordingTooLong { seconds: self.max_duration });
            return Json::Null;
        }
        let said = || {
            let said = raw["duration"].as_str().and_then(|text| text.parse::<f64>().ok());
            said.filter(|secs| secs.is_finite() && *secs >= 0.0).map_or(0.0, |secs| secs.min(most))
        };
        let secs = known.unwrap_or_else(said);
        stored["duration"] = json!((secs * 100.0).round() / 100.0);
        stored
    }

    fn reads_as_stored(&self) -> bool {
        false
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let mut read = files::read(stored, cx);
        read["duration"] = json!(StoredFile::of(stored).duration);
        read
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        files::name(stored).to_owned()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(self)
    }
}

impl Files for Audio {
    fn file_rules(&self) -> FileRules<'_> {
        // Uncompressed stereo takes less than 200 KB a second.
        let secs = u64::try_from(self.max_duration).unwrap_or_default();
        FileRules { max_mb: 10 + secs / 5, max_count: 1, media: SOUND, types: &[] }
    }
}

impl Control for Audio {
    fn page_value(&self, stored: &Json) -> Option<Json> {
        Some(json!({"file": StoredFile::of(stored).id}))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let minutes = format!("{}:{:02}", self.max_duration / 60, self.max_duration % 60);
        let hint = cx.texts.fill("audio-without", &[("time", minutes.as_str().into())]);
        let say = |id: &str| cx.texts.say(id);
        html! {
            div.recorder data-recorder data-max=(self.max_duration) data-record=(say("audio-record"))
                data-stop=(say("audio-stop")) data-again=(say("audio-again")) data-delete=(say("audio-delete"))
                data-recording=(say("audio-recording")) data-done=(say("audio-done"))
                data-deleted=(say("audio-deleted")) data-denied=(say("audio-denied"))
                data-failed=(say("audio-failed")) data-player=(say("audio-player"))
                data-with=(cx.texts.fill("audio-with", &[("time", minutes.as_str().into())])) {
                (draw::kept_files(cx, &cx.value["file"]))
                // The script inserts its buttons here.
                div.recorder-tools {}
                (draw::input(cx, &FileInput {
                    label: Some(&say("audio-file")),
                    accept: Some("audio/*"),
                    is_multiple: false,
                        button: None,
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

    /// The recording, and its duration as measured by the page.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        files::value_of_page(part, "duration")
    }
}
