//! `matrix_rating`: statements rated in the same dimensions.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::grid::{self, MAX_DIMENSIONS, Named, draw};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, Ask, BuildCx, Control, Cx, Facets, Grading, InputCx, Item, Kind, KindRow, Parts, Sample, Sheet,
};
use crate::fields::report::grids::Ratings;
use crate::fields::scales::{self, Mark};
use crate::fields::{grading, inputs};

pub static KIND: KindRow = KindRow {
    name: "matrix_rating",
    facets: Facets {
        displayable: true, asked_by: &["=matrix rating", "=rating grid", "=矩阵评分"], ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Tea"}, {"api_code": "t", "label": "Cake"}],
                "dimensions": [{"api_code": "x", "label": "Taste"}, {"api_code": "y", "label": "Price"}]}"#,
            write: r#"{"t": {"y": 2.0, "gone": "x"}, "s": {"y": 5, "x": 1}, "gone": 1}"#,
            stored: r#"{"s": {"x": 1, "y": 5}, "t": {"y": 2}}"#,
            text: "Tea (Taste: 1, Price: 5); Cake (Price: 2)",
        },
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Tea"}], "dimensions": [{"api_code": "x", "label": "Taste"}], "rating_max": 10}"#,
            write: r#"{"s": {"x": 10}}"#,
            stored: r#"{"s": {"x": 10}}"#,
            text: "Tea (Taste: 10)",
        },
    ],
};

#[derive(Serialize)]
struct MatrixRating {
    statements: Vec<Named>,
    dimensions: Vec<Named>,
    rating_max: i64,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let mut seen = HashSet::new();
    let statements = grid::read_statements(reader, cx, &mut seen);
    let dimensions = grid::read_named(reader, "dimensions", MAX_DIMENSIONS, cx, &mut seen);
    Box::new(MatrixRating { statements, dimensions, rating_max: reader.opt_int("rating_max", 2..=10).unwrap_or(5) })
}

impl MatrixRating {
    fn parse_row(&self, raw: Json, at: &mut Issues) -> Json {
        let Json::Object(mut given) = raw else {
            at.push(Reason::MustBe(Expected::Other("an object of cells")));
            return Json::Null;
        };
        let mut row = Map::new();
        for dimension in &self.dimensions {
            let raw = given.shift_remove(&dimension.api_code);
            if let Some(raw) = raw.filter(|raw| !raw.is_null()) {
                let range = 1..=self.rating_max;
                let point = at.key(&dimension.api_code, |at| scales::parse(&range, &raw, at));
                if !point.is_null() {
                    row.insert(dimension.api_code.clone(), point);
                }
            }
        }
        Json::Object(row)
    }

    /// The cells of a statement: the points of the scale, for each dimension.
    fn cells(&self, statement: &Named, cx: &InputCx) -> Markup {
        let row = &cx.value[statement.api_code.as_str()];
        html! {
            @for dimension in &self.dimensions {
                @let path = format!(".{}.{}", statement.api_code, dimension.api_code);
                @let name = format!("{}{path}", cx.name);
                @let fault = cx.fault_at(&path);
                @let label = format!("{} ({})", dimension.label, statement.label);
                td data-cell=(name) {
                    fieldset.cell aria-describedby=[fault.map(|_| format!("{name}-fault"))] {
                        legend.cell-label {
                            bdi lang=[cx.owners_lang()] { (dimension.label) }
                            span.visually-hidden lang=[cx.owners_lang()] { " (" (statement.label) ")" }
                        }
                        (draw::said(cx, &path, fault))
                        (scales::input(1..=self.rating_max, Mark::Number, &InputCx {
                            name: &name,
                            label: &label,
                            value: &row[dimension.api_code.as_str()],
                            invalid: fault.is_some(),
                            faults: &[],
                            described_by: "",
                            ..*cx
                        }, &|point| cx.texts.fill("rating-point", &[
                            ("point", point.into()), ("points", self.rating_max.into()),
                        ]), None))
                        (inputs::clear(cx, &name, None))
                    }
                }
            }
        }
    }
}

impl Kind for MatrixRating {
    fn read_schema(&self) -> Json {
        let point = scales::schema(&(1..=self.rating_max));
        grid::schema(&self.statements, &grid::schema(&self.dimensions, &point))
    }

    fn write_schema(&self) -> Json {
        let point = grid::nullable(scales::schema(&(1..=self.rating_max)));
        let row = grid::nullable(grid::schema(&self.dimensions, &point));
        grid::schema(&self.statements, &row)
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let columns = self.dimensions.iter().map(|it| it.api_code.as_str());
        if !grid::check_columns(&self.statements, &raw, columns, at) {
            return Json::Null;
        }
        grid::parse_statements(&self.statements, raw, at, |raw, at| self.parse_row(raw, at))
    }

    fn check_whole(&self, stored: &Json, at: &mut Issues) {
        for statement in &self.statements {
            at.key(&statement.api_code, |at| {
                for dimension in &self.dimensions {
                    let code = &dimension.api_code;
                    let lacks = grid::member(&stored[statement.api_code.as_str()], code).is_none();
                    if lacks && !at.has_fault_at(code) {
                        at.push_at(code, Reason::Blank);
                    }
                }
            });
        }
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        grid::prune_statements(&self.statements, stored, |row| {
            grid::prune_statements(&self.dimensions, row, |point| point)
        })
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join("; ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let rated = self.statements.iter().filter_map(|statement| {
            let row = grid::member(stored, &statement.api_code)?;
            let points: Vec<String> = self
                .dimensions
                .iter()
                .filter_map(|dimension| {
                    let point = grid::member(row, &dimension.api_code)?;
                    Some(format!("{}: {point}", dimension.label))
                })
                .collect();
            Some(format!("{} ({})", statement.label, points.join(", ")))
        });
        rated.collect()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Ratings::new(&self.statements, &self.dimensions, 1..=self.rating_max))
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Same)
    }
}

impl Parts for MatrixRating {
    fn items(&self) -> Vec<Item<'_>> {
        grid::items("statements", &self.statements).chain(grid::items("dimensions", &self.dimensions)).collect()
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let rows = stored.as_object().into_iter().flatten();
        rows.flat_map(|(statement, row)| {
            let points = row.as_object().into_iter().flatten();
            points.map(|(code, _)| code.as_str()).chain([statement.as_str()])
        })
        .collect()
    }
}

impl Sheet for MatrixRating {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        let columns = self.statements.iter().flat_map(|statement| {
            self.dimensions.iter().map(|dimension| {
                Column::part(&dimension.api_code, &dimension.label).within(&statement.api_code, &statement.label)
            })
        });
        columns.collect()
    }

    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        let cells = self.statements.iter().flat_map(|statement| {
            let row = grid::member(stored, &statement.api_code).unwrap_or(&Json::Null);
            self.dimensions.iter().map(|dimension| {
                let point = grid::member(row, &dimension.api_code).unwrap_or(&Json::Null);
                Cell::of(point, || self.text(stored, cx))
            })
        });
        cells.collect()
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let rows = self.statements.iter().zip(cells.chunks(self.dimensions.len().max(1)));
        let value = rows.map(|(statement, cells)| {
            let row = self.dimensions.iter().zip(cells);
            let row = row.filter(|(_, cell)| !text::is_blank(cell));
            let row = row.map(|(dimension, cell)| (dimension.api_code.clone(), columns::number(cell, cx.locale)));
            (statement.api_code.clone(), Json::Object(row.collect()))
        });
        Json::Object(value.collect())
    }
}

impl Control for MatrixRating {
    fn part(&self, path: &str, _: &Json, _: &Texts) -> Option<AnswerPart> {
        let statement = grid::statement_at(&self.statements, path)?;
        let code = path.rsplit_once('.').map(|(_, code)| code)?;
        let dimension = self.dimensions.iter().find(|dimension| dimension.api_code == code)?;
        let label = format!("{}, {}", statement.label, dimension.label);
        Some(AnswerPart { label, control: format!("{path}-fault"), ask: Ask::Choose })
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let columns: Vec<&str> = self.dimensions.iter().map(|dimension| dimension.label.as_str()).collect();
        let controls = usize::try_from(self.rating_max).unwrap_or_default() * columns.len();
        let is_table = draw::fits_table(columns.len(), controls);
        draw::table(cx, &self.statements, &columns, is_table, false, |statement| self.cells(statement, cx))
    }

    fn is_group(&self) -> bool {
        true
    }

    fn script(&self) -> Option<&'static str> {
        Some("clear.js")
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let rows = self.statements.iter().filter_map(|statement| {
            let posted = part.member(&statement.api_code)?;
            let row: Map<String, Json> = self
                .dimensions
                .iter()
                .filter_map(|dimension| {
                    let point = scales::form_value(posted.member(&dimension.api_code)?, cx);
                    (!point.is_null()).then(|| (dimension.api_code.clone(), point))
                })
                .collect();
            (!row.is_empty()).then(|| (statement.api_code.clone(), json!(row)))
        });
        Json::Object(rows.collect::<Map<_, _>>())
    }
}
