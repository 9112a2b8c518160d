//! The decision tables in `tests/http/tables`.

/// The cells of each row.
pub fn table_rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let cells = line.split('|').map(str::trim);
        cells.filter(|cell| !cell.is_empty()).collect()
    })
}
