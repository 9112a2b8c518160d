//! Orders in a spreadsheet.

use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts::texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::kind::{Cx, Sheet};
use crate::fields::kinds::product::Product;
use crate::fields::kinds::product::line::ProductLine;

impl Sheet for Product {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        let mut columns =
            vec![Column::part("api_code", words.say("sheet-item")), Column::part("number", words.say("sheet-number"))];
        if self.has_variants() {
            columns.push(Column::part("specification", words.say("sheet-specification")));
        }
        columns
    }

    /// Lines are written one per line in each cell.
    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let rows = ProductLine::all(stored).map(|line| {
            let code = line.api_code.unwrap_or_default();
            vec![
                Cell::text(columns::word(self.named(), code)),
                line.number.map_or(Cell::Blank, |number| Cell::Number(number.into())),
                self.variant(&line),
            ]
        });
        columns::stacks(2 + usize::from(self.has_variants()), rows)
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let rows = columns::filled_rows(cells);
        rows.map(|row| self.line_of_row(&row, cx)).collect()
    }
}

impl Product {
    fn has_variants(&self) -> bool {
        let mut goods = self.goods_items.iter();
        goods.any(|good| !good.dimensions.is_empty())
    }

    /// The options of a line in the order of the good's dimensions, separated by commas.
    fn variant(&self, line: &ProductLine) -> Cell {
        let good = line.api_code.and_then(|code| self.find(code));
        let dimensions = good.map_or(&[][..], |good| &good.dimensions);
        columns::list(
            dimensions.iter().map(|dimension| {
                columns::word(dimension.named(), line.option(&dimension.api_code).unwrap_or_default())
            }),
        )
    }

    /// One line of an order in the write shape, from a spreadsheet row.
    fn line_of_row(&self, row: &[String], cx: &Cx) -> Json {
        let cell = |i: usize| row.get(i).map_or("", |cell| columns::trimmed(cell));
        let code = columns::meant(self.named(), cell(0)).unwrap_or(cell(0));
        let mut line = json!({"api_code": code, "number": columns::number(cell(1), cx.locale)});
        if let Some(good) = self.find(code).filter(|good| !good.dimensions.is_empty()) {
            let options = good.dimensions.iter().zip(columns::items(cell(2)));
            let options = options.map(|(dimension, typed)| {
                let code = columns::meant(dimension.named(), &typed).unwrap_or(&typed);
                (dimension.api_code.clone(), json!(code))
            });
            line["specification"] = Json::Object(options.collect());
        }
        line
    }
}
