//! `description`: rich text between the questions, without values.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::kind::{BuildCx, Control, Cx, Facets, InputCx, Kind, KindRow, Sample};
use crate::fields::texts::rich_text;

pub static KIND: KindRow = KindRow {
    name: "description",
    facets: Facets::NONE,
    build,
    samples: &[Sample {
        definition: r#"{"content": "<p>Please bring a <b>passport</b>.</p>"}"#,
        write: "null",
        stored: "null",
        text: "",
    }],
};

#[derive(Serialize)]
struct Description {
    content: String,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    reader.note("content", || json!({"x-ui": "rich_text"}));
    Box::new(Description { content: rich_text::read(reader, "content", cx.images).unwrap_or_default() })
}

impl Kind for Description {
    fn parse(&self, _: Json, _: &Cx, _: &mut Issues) -> Json {
        Json::Null
    }

    fn has_value(&self) -> bool {
        false
    }

    fn text(&self, _: &Json, _: &Cx) -> String {
        String::new()
    }
}

impl Control for Description {
    fn input(&self, cx: &InputCx) -> Markup {
        // Sanitised when it was written.
        html! { div.rich-text dir="auto" lang=[cx.owners_lang()] { (rich_text::drawn(&self.content)) } }
    }
}
