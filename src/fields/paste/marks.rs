//! What stands before and behind the text of a line: bullets, numbers and letters; stars, brackets and lines to write on.

use crate::base::text::fold;
use crate::fields::kind::KindRow;
use crate::fields::kinds::KINDS;

/// Ends of a line that make its question required.
const REQUIRED: [&str; 10] =
    ["*", "＊", "(required)", "[required]", "（required）", "(必填)", "（必填）", "[必填]", "【必填】", "(必须)"];
/// Ends of a line that state the default.
const OPTIONAL: [&str; 6] = ["(optional)", "[optional]", "(选填)", "（选填）", "(可选)", "（可选）"];
/// Signs before a question or a choice. A single ASCII one needs a space behind it.
const BULLETS: [&str; 12] = ["-", "*", "+", "•", "·", "–", "—", "●", "▪", "‣", "o\t", "§\t"];
/// Signs before a choice: boxes and circles to tick.
const BOXES: [&str; 13] = ["○", "◯", "□", "☐", "☑", "❑", "◦", "[ ]", "[]", "[x]", "( )", "()", "（ ）"];
/// Starts of a line that begins a page, folded. Folding makes a full-width colon an ordinary one.
const PAGES: [&str; 4] = ["page", "页", "分页", "页面"];
/// The same where a number follows.
const NUMBERED_PAGES: [&str; 4] = ["page ", "section ", "part ", "step "];
/// Their ends where a number stands before them.
const PARTS: [&str; 3] = ["部分", "页", "步"];
const NUMERALS: &str = "一二三四五六七八九十";
/// Tags that say no more than that a question is one.
const TAGS: [&str; 4] = ["填空", "问答", "简答", "单行填空"];
/// What lines to write on are made of.
const FILL: [char; 7] = ['_', '＿', '.', '…', '/', '-', ' '];

/// What a line begins with. Marks of the same sort are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Bullet,
    Box,
    Letter,
    /// `1.` and `1、`.
    Number,
    /// `1)` and `(1)`.
    Bracketed,
    /// `一、`
    Ordinal,
}

/// A mark, the number that it is, from 1, and the text behind it; `None` where a line has no mark.
pub fn mark_of(line: &str) -> Option<(Mark, u32, &str)> {
    let line = line.trim_start();
    for (bullets, mark) in [(&BULLETS[..], Mark::Bullet), (&BOXES[..], Mark::Box)] {
        for bullet in bullets {
            if let Some(after) = line.strip_prefix(bullet) {
                // A hyphen that belongs to a word or a number is none.
                let needs_space = bullet.is_ascii() && bullet.len() == 1;
                if !needs_space || after.is_empty() || after.starts_with(char::is_whitespace) {
                    return Some((mark, 0, after.trim_start()));
                }
            }
        }
    }
    let inner = line.strip_prefix(['(', '（']);
    let rest = inner.unwrap_or(line);
    // `Q3.`
    let asked =
        rest.strip_prefix(['Q', 'q']).filter(|rest| inner.is_none() && rest.starts_with(|c| half(c).is_ascii_digit()));
    let (mark, number, rest) = numeral(asked.unwrap_or(rest))?;
    let sign = rest.chars().next()?;
    let after = &rest[sign.len_utf8()..];
    let is_apart = after.starts_with(char::is_whitespace);
    let is_bracket = half(sign) == ')';
    let mark = match (mark, half(sign)) {
        (Mark::Letter, '.' | '、' | ')')
            if is_apart || !sign.is_ascii() || !after.starts_with(|c: char| c.is_ascii()) =>
        {
            mark
        }
        (Mark::Number, ')') if is_apart || !after.starts_with(|c: char| c.is_ascii_digit()) => Mark::Bracketed,
        (Mark::Number, '.') if is_apart || !sign.is_ascii() || after.starts_with(char::is_alphabetic) => mark,
        (Mark::Number, '、') | (Mark::Ordinal, '、' | '.') => mark,
        (Mark::Number, ':') if asked.is_some() => mark,
        _ => return None,
    };
    let is_whole = inner.is_none() || is_bracket;
    // A text that is no more than a mark is a text.
    (is_whole && !after.trim().is_empty()).then(|| (mark, number, after.trim_start()))
}

/// A number, letter or Chinese numeral at the start of a text, and what follows it.
fn numeral(text: &str) -> Option<(Mark, u32, &str)> {
    let digits: String = text.chars().map(half).take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() {
        let end = text.char_indices().nth(digits.len()).map_or(text.len(), |(at, _)| at);
        return (digits.len() <= 3).then(|| (Mark::Number, digits.parse().unwrap_or(0), &text[end..]));
    }
    let count = text.chars().take_while(|c| NUMERALS.contains(*c)).count();
    if (1..=3).contains(&count) {
        let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
        let place = text.chars().next().and_then(|c| NUMERALS.chars().position(|known| known == c));
        let number = if count == 1 { place.map_or(0, |at| at + 1) } else { 0 };
        return Some((Mark::Ordinal, u32::try_from(number).unwrap_or(0), &text[end..]));
    }
    let first = text.chars().next()?;
    let letter = half(first).to_ascii_lowercase();
    letter
        .is_ascii_lowercase()
        .then(|| (Mark::Letter, u32::from(letter) - u32::from('a') + 1, &text[first.len_utf8()..]))
}

/// The ASCII character that a full-width one stands for.
fn half(c: char) -> char {
    match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// A line without what stands before its text, also where several marks do: `- [ ] Friday`.
pub fn without_marks_before(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some((mark, _, after)) = mark_of(rest) {
        rest = after;
        if !matches!(mark, Mark::Bullet | Mark::Box) {
            break;
        }
    }
    rest
}

/// The text of a heading as Markdown writes it.
pub fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len()).then(|| rest.strip_prefix(' ').map(str::trim)).flatten()
}

/// The title of the page that a line begins; empty if it has none.
pub fn page(line: &str) -> Option<String> {
    let is_rule = line.chars().count() >= 3 && line.chars().all(|c| "-—–_=*".contains(c));
    if is_rule {
        return Some(String::new());
    }
    if let Some(heading) = heading(line) {
        return Some(heading.to_owned());
    }
    let folded = fold(line);
    let ordinal = line.strip_prefix('第').and_then(|rest| {
        let rest = rest.trim_start_matches(|c: char| half(c).is_ascii_digit() || NUMERALS.contains(c));
        PARTS.iter().find_map(|part| rest.strip_prefix(part))
    });
    let numbered = NUMBERED_PAGES.iter().find_map(|word| folded.strip_prefix(word)).is_some_and(|rest| {
        let number = rest.split([':', '-', '–', '—']).next().unwrap_or_default().trim();
        !number.is_empty()
            && number.len() <= 3
            && number.bytes().all(|byte| byte.is_ascii_digit() || b"ivx".contains(&byte))
    });
    let is_split = |c: char| matches!(c, ':' | '：' | '-' | '–' | '—');
    if let Some(title) = ordinal {
        let title = title.trim_start_matches(|c: char| is_split(c) || c == '、' || c.is_whitespace());
        return Some(title.to_owned());
    }
    if numbered {
        return Some(line.split_once(is_split).map_or(String::new(), |(_, title)| title.trim().to_owned()));
    }
    let (start, title) = line.split_once([':', '：'])?;
    PAGES.contains(&fold(start).as_str()).then(|| title.trim().to_owned())
}

/// A line without the marks at its ends: the label, whether it is required, and the kind that a mark names.
pub fn without_marks(line: &str) -> (String, bool, Option<&'static KindRow>) {
    let (mut label, mut is_required, mut hint) = (line.trim(), false, None);
    loop {
        let before = label;
        for (marks, requires) in [(&REQUIRED[..], true), (&OPTIONAL[..], false)] {
            if let Some(shorter) = marks.iter().find_map(|mark| without_end(label, mark)) {
                is_required |= requires;
                label = shorter;
            }
        }
        label = without_fill(label);
        let tag = tagged(label).or_else(|| bracketed(label).filter(|_| hint.is_none()));
        if let Some((shorter, inner)) = tag {
            let inner = inner.strip_suffix('题').unwrap_or(inner);
            if let Some(row) = named(inner) {
                hint = hint.or(Some(row));
                label = shorter;
            } else if TAGS.contains(&inner) {
                label = shorter;
            }
        }
        if label == before {
            return (label.to_owned(), is_required, hint);
        }
    }
}

/// A text without the line to write on at its end, and without a colon.
pub fn without_fill(text: &str) -> &str {
    let rest = text.trim_end_matches(FILL);
    let fill = &text[rest.len()..];
    let is_fill = fill.matches(['_', '＿']).count() > 1 || fill.contains("....") || fill.contains("……");
    let rest = if is_fill { rest } else { text };
    let rest = rest.strip_suffix([':', '：']).unwrap_or(rest).trim_end();
    if rest.is_empty() { text } else { rest }
}

/// The text before a mark, whatever its case; `None` if nothing would be left.
fn without_end<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(mark.len())?;
    let end = text.get(at..)?;
    let rest = text[..at].trim_end();
    (end.eq_ignore_ascii_case(mark) && !rest.is_empty()).then_some(rest)
}

/// A text in brackets at the end, and the text before it.
pub fn bracketed(label: &str) -> Option<(&str, &str)> {
    let inner = label.strip_suffix([')', '）'])?;
    let open = inner.rfind(['(', '（'])?;
    let rest = inner[..open].trim_end();
    let inner = inner[open..].trim_start_matches(['(', '（']);
    (!rest.is_empty()).then_some((rest, inner))
}

/// A tag before a label, and the label: `【单选】`.
fn tagged(label: &str) -> Option<(&str, &str)> {
    let (inner, rest) = label.strip_prefix(['【', '[', '［'])?.split_once(['】', ']', '］'])?;
    let rest = rest.trim_start();
    (!rest.is_empty()).then_some((rest, inner))
}

/// The kind that a mark names.
pub fn named(mark: &str) -> Option<&'static KindRow> {
    let folded = fold(mark.trim());
    let name = folded.replace([' ', '-'], "_");
    KINDS.iter().copied().find(|row| {
        let mut words = row.facets.asked_by.iter().map(|words| words.trim_start_matches('='));
        row.name == name || words.any(|words| words == folded)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_from_words() {
        for (line, wanted) in [
            ("- a", Some((Mark::Bullet, 0, "a"))),
            ("-a", None),
            ("☐ a", Some((Mark::Box, 0, "a"))),
            ("o\ta", Some((Mark::Bullet, 0, "a"))),
            ("a) b", Some((Mark::Letter, 1, "b"))),
            ("(b) c", Some((Mark::Letter, 2, "c"))),
            ("Ｃ．其他", Some((Mark::Letter, 3, "其他"))),
            ("e.g. this", None),
            ("1. a", Some((Mark::Number, 1, "a"))),
            ("1.\ta", Some((Mark::Number, 1, "a"))),
            ("2.姓名", Some((Mark::Number, 2, "姓名"))),
            ("１．姓名", Some((Mark::Number, 1, "姓名"))),
            ("1.5 hours", None),
            ("12:30", None),
            ("Q3. a", Some((Mark::Number, 3, "a"))),
            ("Q3: a", Some((Mark::Number, 3, "a"))),
            ("4) a", Some((Mark::Bracketed, 4, "a"))),
            ("（２）女", Some((Mark::Bracketed, 2, "女"))),
            ("二、您的年龄", Some((Mark::Ordinal, 2, "您的年龄"))),
            ("十二、年龄", Some((Mark::Ordinal, 0, "年龄"))),
            ("一共多少人", None),
            ("Quantity", None),
            ("2026. ", None),
        ] {
            assert_eq!(mark_of(line), wanted, "{line}");
        }
        assert_eq!(without_marks_before("- [ ] Friday"), "Friday");
    }

    #[test]
    fn a_heading_begins_a_page() {
        for (line, title) in [
            ("---", Some("")),
            ("Page: Feedback", Some("Feedback")),
            ("页：反馈", Some("反馈")),
            ("## About you", Some("About you")),
            ("Section 2: Your work", Some("Your work")),
            ("PART II – Your work", Some("Your work")),
            ("Step 3", Some("")),
            ("第一部分：基本信息", Some("基本信息")),
            ("第2页", Some("")),
            ("Section of the library", None),
            ("Part: which one?", None),
            ("第一次来吗？", None),
        ] {
            assert_eq!(page(line).as_deref(), title, "{line}");
        }
    }
}
