//! `attachment`: uploaded files.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::columns::{self, Cell};
use crate::fields::files;
use crate::fields::files::draw::{self, FileInput};
use crate::fields::files::rules::{self, FileRules};
use crate::fields::files::stored_file::StoredFile;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Control, Cx, Facets, Files, InputCx, Kind, KindRow, Sample, Sheet};
use crate::fields::report::texts::Files as Named;

pub static KIND: KindRow = KindRow {
    name: "attachment",
    facets: Facets {
        displayable: true,
        in_cells: true,
        conditions: Some("`like` searches the file names."),
        asked_by: &["upload", "attach", "attachment", "=file", "=photo", "your photo", "上传", "附件", "文件"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample { definition: "{}", write: "[]", stored: "[]", text: "" },
        Sample {
            definition: r#"{"max_size": 5, "max_count": 3, "media_type": "custom",
                "content_types": ["image/png", "application/pdf"]}"#,
            write: "[]",
            stored: "[]",
            text: "",
        },
    ],
};

const DEFAULT_SIZE: i64 = 10;
/// More than any server allows; the server's own limit is checked elsewhere.
const MAX_SIZE: i64 = 1 << 20;
const MAX_COUNT: i64 = 20;
const BYTES: i64 = 1 << 20;

#[derive(Serialize)]
struct Attachment {
    max_size: i64,
    max_count: i64,
    media_type: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    content_types: Vec<String>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let max_size = reader.opt_int("max_size", 1..=MAX_SIZE);
    let max_count = reader.opt_int("max_count", 1..=MAX_COUNT);
    let media_type = reader.opt_word("media_type", &rules::MEDIA);
    let media_type = media_type.unwrap_or("all");
    let content_types = if media_type == "custom" {
        rules::read_types(reader)
    } else {
        rules::skip_types(reader);
        Vec::new()
    };
    Box::new(Attachment {
        max_size: max_size.unwrap_or(DEFAULT_SIZE),
        max_count: max_count.unwrap_or(1),
        media_type,
        content_types,
    })
}

impl Attachment {
    /// Whether the field accepts images as such, or lists an image type.
    fn takes_pictures(&self) -> bool {
        let mut types = self.content_types.iter();
        self.media_type == "image" || types.any(|kind| kind.starts_with("image/"))
    }
}

fn items(stored: &Json) -> &[Json] {
    stored.as_array().map_or(&[], Vec::as_slice)
}

impl Kind for Attachment {
    fn read_schema(&self) -> Json {
        json!({"type": "array", "items": files::schema(), "maxItems": self.max_count})
    }

    fn write_schema(&self) -> Json {
        let by = |key: &str| {
            let mut properties = Map::new();
            properties.insert(key.to_owned(), json!({"type": "string"}));
            json!({"type": "object", "properties": properties, "required": [key]})
        };
        let file = json!({"anyOf": [{"type": "string"}, by("upload_id"), by("id")]});
        json!({"type": "array", "items": file, "maxItems": self.max_count})
    }

    fn empty(&self) -> Json {
        json!([])
    }

    /// A file is an upload, or one that the entry already has.
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(given) = raw else {
            at.push(Reason::MustBe(Expected::Other("a list of files")));
            return Json::Null;
        };
        if i64::try_from(given.len()).unwrap_or(i64::MAX) > self.max_count {
            at.push(Reason::too_many(self.max_count, Things::Files));
            return Json::Null;
        }
        let mut stored: Vec<Json> = Vec::new();
        for (i, file) in given.iter().enumerate() {
            at.index(i, |at| match files::parse(file, cx) {
                Ok(file) if stored.contains(&file) => at.push(Reason::Repeated),
                Ok(file) => stored.push(file),
                Err(fault) => at.push(fault),
            });
        }
        Json::Array(stored)
    }

    fn reads_as_stored(&self) -> bool {
        false
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        items(stored).iter().map(|file| files::read(file, cx)).collect()
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let names = items(stored).iter().map(files::name);
        names.map(str::to_owned).collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let files = items(stored).iter();
        files.map(|file| Key::text(files::name(file))).collect()
    }

    fn operators(&self) -> &'static [Op] {
        &[Op::Like, Op::Null, Op::NotNull]
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_text(op, value)
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Named::default())
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Files for Attachment {
    fn file_rules(&self) -> FileRules<'_> {
        FileRules {
            max_mb: u64::try_from(self.max_size).unwrap_or_default(),
            max_count: usize::try_from(self.max_count).unwrap_or(1),
            media: self.media_type,
            types: &self.content_types,
        }
    }

    /// The default is no explicit request: the server's limit may be lower.
    fn largest_file_mb(&self) -> Option<u64> {
        let asked = u64::try_from(self.max_size).ok();
        asked.filter(|_| self.max_size != DEFAULT_SIZE)
    }
}

impl Sheet for Attachment {
    /// `name (id)`, separated by commas.
    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let files = items(stored).iter().map(|file| {
            let id = StoredFile::of(file).id.unwrap_or_default();
            format!("{} ({id})", files::name(file))
        });
        vec![columns::list(files)]
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let files = columns::items(cells.first().copied().unwrap_or_default()).into_iter();
        let files = files.map(|file| {
            let id = file.strip_suffix(')').and_then(|file| file.rsplit_once(" ("));
            json!({"id": id.map_or(file.as_str(), |(_, id)| id)})
        });
        files.collect()
    }
}

impl Control for Attachment {
    fn input(&self, cx: &InputCx) -> Markup {
        let (count, size) = (self.max_count, self.max_size);
        let say = |id: &str| {
            let args = [("count", count.into()), ("size", size.into())];
            cx.texts.fill(id, &args)
        };
        let of_file = |id: &str| {
            let args = [("name", "{name}".into()), ("size", size.into())];
            cx.texts.fill(id, &args)
        };
        let types = self.file_rules().types_in(cx.texts);
        let kinds = match (self.media_type, &types) {
            ("custom", Some(types)) => cx.texts.fill("file-custom", &[("types", types.as_str().into())]),
            ("all", _) | (_, None) => String::new(),
            (media, _) => cx.texts.say(&format!("file-{media}")),
        };
        let refused = match &types {
            Some(types) => {
                let args = [("name", "{name}".into()), ("types", types.as_str().into())];
                cx.texts.fill("file-refused", &args)
            }
            None => of_file("file-refused-any"),
        };
        let pick = cx.texts.fill("file-pick", &[("count", count.into())]);
        let hint = [kinds, say("file-room")].join(" ");
        html! {
            div.files data-files data-max-count=(count) data-max-bytes=(size * BYTES)
                data-remove=(of_file("file-remove")) data-too-large=(of_file("file-too-large"))
                data-too-many=(say("file-too-many")) data-empty=(of_file("file-empty"))
                data-going=(of_file("file-going")) data-there=(of_file("file-there"))
                data-refused=(refused) data-full=(say("file-full")) data-failed=(of_file("file-failed"))
                data-again=(cx.texts.say("file-again")) data-with=(of_file("file-with"))
                data-photo=[self.takes_pictures().then(|| cx.texts.say("file-photo"))] {
                (draw::kept_files(cx, cx.value))
                (draw::input(cx, &FileInput {
                    label: None,
                    accept: rules::accept(self.media_type, &self.content_types).as_deref(),
                    is_multiple: count > 1,
                    button: Some(&pick),
                    hint: hint.trim(),
                }))
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("files.js")
    }

    /// Ids of files: those already there first, then those of this post.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let bare = part.values();
        let listed = part.members().filter_map(|(_, file)| {
            let id = file.member("upload_id").or_else(|| file.member("id"));
            id.unwrap_or(file).first()
        });
        let files: Vec<&str> = bare.chain(listed).collect();
        if files.is_empty() { Json::Null } else { json!(files) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_files_are_found_by_their_names() {
        let kind = build(&mut Reader::new(json!({}), &mut Issues::new()), &BuildCx::default());
        let cx = Cx::of_a_test(false);
        let stored = json!([
            {"id": "a", "name": "Résumé.PDF", "file_size": 5, "content_type": "application/pdf"},
            {"id": "b", "name": "photo.jpg", "file_size": 6, "content_type": "image/jpeg"},
        ]);
        assert_eq!(kind.text(&stored, &cx), "Résumé.PDF, photo.jpg");
        let holds = |op, value: Json, stored: &Json| {
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&kind.keys(stored, &cx))
        };
        assert!(holds(Op::Like, json!("résumé.pdf"), &stored));
        assert!(holds(Op::Like, json!("photo"), &stored));
        assert!(!holds(Op::Like, json!("image/jpeg"), &stored));
        assert!(holds(Op::NotNull, json!(null), &stored));
        assert!(holds(Op::Null, json!(null), &json!([])));
        assert!(!holds(Op::Like, json!("photo"), &json!([])));
        assert!(kind.condition(Op::Like, &json!(""), &cx).is_err());
    }

    #[test]
    fn a_post_without_a_file_is_none() {
        let kind = build(&mut Reader::new(json!({}), &mut Issues::new()), &BuildCx::default());
        let posted = |pairs: &[(&str, &str)]| {
            let tree = FormPart::tree(pairs.iter().copied());
            kind.form_value(tree.member("f").expect("posted"), &Cx::of_a_test(true))
        };
        assert_eq!(posted(&[("f", "")]), Json::Null);
        assert_eq!(posted(&[("f", "a.png"), ("f", "b.png")]), json!(["a.png", "b.png"]));
        assert_eq!(posted(&[("f[0].upload_id", "u1"), ("f[1].id", "i2"), ("f[2]", "u3")]), json!(["u1", "i2", "u3"]));
    }
}
