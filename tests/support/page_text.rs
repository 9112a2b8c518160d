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

/// English words of a text: letters alone, the first of which may be a capital. Codes, functions and units are none.
pub fn english(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-/@+".contains(c);
    let words = text.split(|c| !is_part(c)).filter(|word| word.len() > 1);
    let is_word = |word: &&str| {
        let rest = &word[1..];
        word.as_bytes()[0].is_ascii_alphabetic() && rest.bytes().all(|b| b.is_ascii_lowercase())
    };
    // What is typed here, and the names of file types and things of the trade.
    let names = [
        "Ada", "Ann", "Lee", "Desk", "Track", "Seat", "Italy", "Rome", "Europe", "today", "Webhook", "day", "month",
        "year",
    ];
    words.filter(is_word).filter(|word| !names.contains(word)).collect()
}
