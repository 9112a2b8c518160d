//! `page_break`: starts a new page of the form; has no value.

use maud::{Markup, html};
use serde::Serialize;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::kind::{self, BuildCx, Control, Cx, Facets, InputCx, Kind, KindRow, Sample};

const MAX_BUTTON: usize = 60;

pub static KIND: KindRow = KindRow {
    name: "page_break",
    facets: Facets { label_optional: true, ..Facets::NONE },
    build,
    samples: &[Sample {
        definition: r#"{"previous_text": "Back", "next_text": "Go on"}"#,
        write: "null",
        stored: "null",
        text: "",
    }],
};

#[derive(Serialize)]
struct PageBreak {
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_text: Option<String>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(PageBreak {
        previous_text: reader.opt_text("previous_text", MAX_BUTTON),
        next_text: reader.opt_text("next_text", MAX_BUTTON),
    })
}

impl Kind for PageBreak {
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

impl Control for PageBreak {
    fn input(&self, _: &InputCx) -> Markup {
        html! {}
    }

    fn page_break(&self) -> Option<kind::PageBreak<'_>> {
        Some(kind::PageBreak { previous_text: self.previous_text.as_deref(), next_text: self.next_text.as_deref() })
    }
}
