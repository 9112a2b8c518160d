//! The text of a page, for snapshots: all text to be read on it, in its order.

use crate::Response;

/// Wide enough that no line breaks within a sentence.
const WIDTH: usize = 160;

/// The text of a page's `main`, a line for each block, with links, headings and choices marked.
pub fn page_text(page: &Response) -> String {
    let main = page.text.split("<main").nth(1).and_then(|rest| rest.split("</main>").next());
    let html = main.map_or_else(|| page.text.clone(), |main| format!("<main{main}</main>"));
    let text = html2text::config::plain().no_table_borders().string_from_read(html.as_bytes(), WIDTH);
    let text = text.unwrap_or_else(|e| panic!("{e}: {page}"));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}
