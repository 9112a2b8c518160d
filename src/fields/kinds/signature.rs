//! `signature`: a drawn signature, or a typed name. Values can't be given in a request: the form's page uploads the
//! file.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text::texts::texts;
use crate::fields::files;
use crate::fields::files::draw::{self, FileInput};
use crate::fields::files::rules::{FileRules, PICTURE};
use crate::fields::files::stored_file::StoredFile;
use crate::fields::filter::cond::{Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::inputs;
use crate::fields::kind::{BuildCx, Control, Cx, Facets, Files, InputCx, Kind, KindRow, Sample, Writer};

pub static KIND: KindRow = KindRow {
    name: "signature",
    facets: Facets {
        displayable: true,
        conditions: Some("No value: whether there is a signature."),
        asked_by: &["signature", "sign here", "签名", "签字"],
        ..Facets::NONE
    },
    build,
    samples: &[Sample { definition: "{}", write: r#""https://example.com/signature.png""#, stored: "null", text: "" }],
};

const MAX_MB: u64 = 5;

#[derive(Serialize)]
struct Signature {}

fn build(_: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Signature {})
}

impl Kind for Signature {
    fn writer(&self) -> Writer {
        Writer::Page
    }

    fn read_schema(&self) -> Json {
        json!({"type": "string", "format": "uri"})
    }

    /// The picture posted by a page; anything else is dropped.
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        files::parse_of_page(&raw, cx, at)
    }

    fn reads_as_stored(&self) -> bool {
        false
    }

    /// The address of the picture.
    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        files::read(stored, cx)["url"].take()
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        files::name(stored).to_owned()
    }

    fn lines(&self, _: &Json, cx: &Cx) -> Vec<String> {
        vec![texts(cx.locale).say("signature-signed")]
    }

    /// A key that shows that there is one.
    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let id = StoredFile::of(stored).id.map(str::to_owned);
        id.map(Key::Code).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        &[Op::Null, Op::NotNull]
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(self)
    }
}

impl Files for Signature {
    fn file_rules(&self) -> FileRules<'_> {
        FileRules { max_mb: MAX_MB, max_count: 1, media: PICTURE, types: &[] }
    }
}

impl Control for Signature {
    fn page_value(&self, stored: &Json) -> Option<Json> {
        Some(json!({"file": StoredFile::of(stored).id}))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let say = |id: &str| cx.texts.say(id);
        let typed = format!("{}.typed", cx.name);
        html! {
            div.signature data-signature data-draw=(say("signature-draw")) data-type=(say("signature-type"))
                data-way=(say("signature-way")) data-pad=(say("signature-pad")) data-preview=(say("signature-preview"))
                data-undo=(say("signature-undo")) data-clear=(say("signature-clear"))
                data-signed=(say("signature-signed")) data-cleared=(say("signature-cleared")) {
                // A typed name is drawn again on each post.
                @if cx.value["typed"].is_null() { (draw::kept_files(cx, &cx.value["file"])) }
                div.signature-file {
                    (draw::input(cx, &FileInput {
                        label: Some(&say("signature-file")),
                        accept: Some("image/*"),
                        is_multiple: false,
                        button: None,
                        hint: "",
                    }))
                }
                div.signature-typed {
                    label.part-label for=(typed) { (say("signature-typed")) }
                    input.input id=(typed) name=(typed) type="text" autocomplete="name"
                        value=(inputs::typed(&cx.value["typed"])) dir="auto";
                }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("signature.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    /// The picture, and the typed name so that the page can show it again.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        files::value_of_page(part, "typed")
    }
}
