//! Questions in the rows of a table, as spreadsheets and word processors copy them: the columns hold the question, its
//! kind, whether it is required, and its choices.

use crate::base::text::fold;
use crate::fields::paste::marks::named;

/// The names of the columns, folded.
const NAMES: [(Column, &[&str]); 4] = [
    (Column::Label, &["question", "questions", "label", "field", "name", "title", "题目", "问题", "名称", "字段"]),
    (Column::Kind, &["type", "kind", "field type", "question type", "answer type", "类型", "题型"]),
    (Column::Required, &["required", "required?", "mandatory", "必填", "是否必填"]),
    (Column::Choices, &["options", "choices", "answers", "values", "选项"]),
];
const YES: [&str; 8] = ["yes", "y", "x", "true", "required", "是", "必填", "✓"];
const NO: [&str; 6] = ["no", "n", "false", "optional", "否", "选填"];
const BETWEEN: [char; 7] = [',', ';', '/', '|', '，', '；', '、'];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Number,
    Label,
    Kind,
    Required,
    Choices,
}

/// The lines of a list that say what a table does; `None` if the text is no table.
pub fn lines(text: &str) -> Option<String> {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split('\t').map(str::trim).collect())
        .collect();
    let [first, others @ ..] = rows.as_slice() else { return None };
    // A cell that is empty at the end may have lost its tab, and lists are indented by tabs.
    let is_row = |row: &Vec<&str>| row.len() > 1 && row.len() <= first.len() && row.iter().any(|cell| !cell.is_empty());
    let is_indented = text.lines().any(|line| line.starts_with('\t'));
    if others.is_empty() || first.len() < 2 || is_indented || !rows.iter().all(is_row) {
        return None;
    }
    let column = |name: &str| {
        let name = fold(name);
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(column, _)| *column)
    };
    let header: Vec<Option<Column>> = first.iter().map(|cell| column(cell)).collect();
    let has_header = header.contains(&Some(Column::Label)) && header.iter().flatten().count() > 1;
    let body = if has_header { others } else { &rows };
    let columns = if has_header { header } else { guessed(&rows) };
    // Other tables are lists whose lines happen to have tabs.
    columns.contains(&Some(Column::Label)).then(|| body.iter().map(|row| written(row, &columns)).collect())
}

/// The columns of a table without a header: numbers or not, the questions, and what the others hold throughout.
fn guessed(rows: &[Vec<&str>]) -> Vec<Option<Column>> {
    let all = |at: usize, is: &dyn Fn(&str) -> bool| {
        let mut cells = rows.iter().filter_map(|row| row.get(at)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| is(cell))
    };
    let is_number = |cell: &str| cell.trim_end_matches(['.', ')', '、']).bytes().all(|byte| byte.is_ascii_digit());
    let begins = usize::from(all(0, &is_number));
    let column = |at: usize| {
        if at < begins {
            Some(Column::Number)
        } else if at == begins {
            Some(Column::Label)
        } else if all(at, &|cell| named(cell).is_some()) {
            Some(Column::Kind)
        } else if all(at, &|cell| YES.contains(&fold(cell).as_str()) || NO.contains(&fold(cell).as_str())) {
            Some(Column::Required)
        } else {
            Some(Column::Choices)
        }
    };
    (0..rows.first().map_or(0, Vec::len)).map(column).collect()
}

/// A row as the lines of a list.
fn written(row: &[&str], columns: &[Option<Column>]) -> String {
    let (mut label, mut marks, mut choices) = (String::new(), String::new(), String::new());
    for (cell, column) in row.iter().zip(columns).filter(|(cell, _)| !cell.is_empty()) {
        match column {
            Some(Column::Number) => {}
            Some(Column::Kind) => marks.push_str(&format!(" ({cell})")),
            Some(Column::Required) if YES.contains(&fold(cell).as_str()) => marks.push_str(" *"),
            Some(Column::Required) if NO.contains(&fold(cell).as_str()) => {}
            Some(Column::Choices) => {
                let listed = cell.split(BETWEEN).map(str::trim).filter(|choice| !choice.is_empty());
                choices.extend(listed.map(|choice| format!("  {choice}\n")));
            }
            _ if label.is_empty() => label.push_str(cell),
            _ => label.push_str(&format!(" {cell}")),
        }
    }
    format!("{label}{marks}\n{choices}")
}
