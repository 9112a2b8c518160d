//! The controls of a row, and the row that they post.

use maud::{Markup, html};
use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::form_part::FormPart;
use crate::fields::grid::cells::Columns;
use crate::fields::grid::{draw, member};
use crate::fields::kind::{AnswerPart, Ask, Cx, InputCx};
use crate::fields::values::is_blank;

impl Columns {
    /// The cell at a path inside a row, or a part of it; `row` is the row's name, and the row's value the write shape.
    pub fn part(&self, row: &str, row_path: &str, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let path = path.strip_prefix('.')?;
        let (code, inside) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        let field = self.shown_fields().find(|field| field.api_code == code)?;
        let part = field.kind.part(inside, &value[code], texts);
        let label = format!("{row}, {}", field.label);
        Some(AnswerPart {
            label: part.as_ref().map_or(label.clone(), |part| format!("{label}, {}", part.label)),
            control: format!("{row_path}.{code}-fault"),
            ask: part.map_or(Ask::Answer, |part| part.ask),
        })
    }

    /// The row posted by a page; an empty object if there is none. A cell left empty is null, so that it takes no
    /// default.
    pub fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let nothing = FormPart::default();
        let cells: Map<String, Json> = self
            .shown_fields()
            .map(|field| {
                let part = part.member(&field.api_code).unwrap_or(&nothing);
                (field.api_code.clone(), field.kind.form_value(part, cx))
            })
            .collect();
        if cells.values().all(is_blank) { json!({}) } else { Json::Object(cells) }
    }

    /// Draws the controls of a row at a path of the value, with the row's name and whether the owner wrote that.
    /// Without a `row` the defaults show.
    pub fn draw(
        &self,
        cx: &InputCx,
        path: &str,
        (label, is_row_owners): (&str, bool),
        row: Option<&Json>,
        is_needed: &dyn Fn(&Field) -> bool,
    ) -> Markup {
        let is_empty = row.is_some_and(is_blank);
        html! {
            div.cells {
                @for field in self.shown_fields() {
                    @let typed = row.and_then(|row| member(row, &field.api_code));
                    (draw::Cell {
                        field,
                        path: format!("{path}.{}", field.api_code),
                        row: label,
                        is_row_owners,
                        value: typed.or(is_empty.then_some(&Json::Null)),
                        required: is_needed(field),
                    }.draw(cx))
                }
            }
        }
    }
}
