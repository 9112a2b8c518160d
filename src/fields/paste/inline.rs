//! Choices that stand in the line of their question: `Dinner? (Yes / No)`, `Size (S, M, L)`, `Day? a) Monday b) Tuesday`.

use crate::base::text::fold;
use crate::fields::paste::asked_by;
use crate::fields::paste::marks::{bracketed, without_fill};

/// The longest choice, in characters.
const LONGEST: usize = 40;
/// The same where commas stand between choices, as they do between the words of a sentence.
const LONGEST_WORDS: usize = 20;
const MOST: usize = 20;
const SLASHES: [char; 4] = ['/', '／', '|', '｜'];
const COMMAS: [char; 5] = [',', '，', '、', ';', '；'];
/// Choices that fit whatever a label asks for, folded.
const ANSWERS: [&str; 12] = ["yes", "no", "y", "n", "maybe", "是", "否", "有", "无", "需要", "不需要", "没有"];
/// Starts of a text in brackets that explains, folded.
const EXPLAINS: [&str; 8] = ["e.g", "eg ", "for example", "i.e", "such as", "like ", "例如", "如"];

/// The label without its choices, and the choices; `None` where a line has none.
pub fn split(label: &str) -> Option<(&str, Vec<String>)> {
    lettered(label).or_else(|| in_brackets(label)).or_else(|| behind(label))
}

fn in_brackets(label: &str) -> Option<(&str, Vec<String>)> {
    let (rest, inner) = bracketed(label)?;
    let explains = EXPLAINS.iter().any(|start| fold(inner).starts_with(start));
    let choices = listed(inner, &SLASHES, LONGEST, 2).or_else(|| listed(inner, &COMMAS, LONGEST_WORDS, 3))?;
    (!explains && (are_answers(&choices) || asked_by(rest, false).is_none())).then_some((rest, choices))
}

/// Choices behind a question mark or a colon.
fn behind(label: &str) -> Option<(&str, Vec<String>)> {
    let (at, sign) = label.char_indices().rfind(|(_, c)| matches!(c, '?' | '？' | ':' | '：'))?;
    let end = at + sign.len_utf8();
    let choices = listed(&label[end..], &SLASHES, LONGEST, 2)?;
    let rest = if matches!(sign, '?' | '？') { &label[..end] } else { &label[..at] };
    let is_sure = are_answers(&choices) || choices.len() > 2 || asked_by(rest, false).is_none();
    (is_sure && !rest.trim().is_empty()).then(|| (rest.trim_end(), choices))
}

/// Choices with letters before them.
fn lettered(label: &str) -> Option<(&str, Vec<String>)> {
    let find = |from: usize, letter: char, sign: &str| {
        let mark = format!("{letter}{sign}");
        label[from..].match_indices(&mark).map(|(at, _)| (from + at, from + at + mark.len())).find(|(at, end)| {
            let is_apart = !label[..*at].ends_with(char::is_alphanumeric);
            is_apart && (!sign.is_ascii() || label[*end..].starts_with(char::is_whitespace))
        })
    };
    for first in ['a', 'A'] {
        for sign in [")", ".", "、", "．", "）"] {
            let mut places = Vec::new();
            for letter in (first..).take(MOST) {
                let from = places.last().map_or(0, |(_, end)| *end);
                let Some(place) = find(from, letter, sign) else { break };
                places.push(place);
            }
            let ends = places.iter().skip(1).map(|(at, _)| *at).chain([label.len()]);
            let text = |((_, start), end): (&(usize, usize), usize)| {
                let end_signs = |c: char| c.is_whitespace() || COMMAS.contains(&c) || SLASHES.contains(&c) || c == '(';
                label[*start..end].trim().trim_end_matches(end_signs).to_owned()
            };
            let choices: Vec<String> = places.iter().zip(ends).map(text).collect();
            let rest = label[..places.first().map_or(0, |(at, _)| *at)].trim_end_matches([' ', '(']);
            if choices.len() > 1 && !rest.is_empty() && choices.iter().all(|choice| !choice.is_empty()) {
                return Some((rest, choices));
            }
        }
    }
    None
}

/// The texts between these signs, if they can be choices.
fn listed(text: &str, signs: &[char], longest: usize, least: usize) -> Option<Vec<String>> {
    let parts: Vec<String> = text.split(signs).map(|part| without_fill(part.trim()).to_owned()).collect();
    let is_choice = |part: &String| !part.is_empty() && part.chars().count() <= longest;
    // The parts of a date.
    let is_date = parts.iter().all(|part| fold(part).chars().all(|c| "dmy_年月日0123456789".contains(c)));
    ((least..=MOST).contains(&parts.len()) && parts.iter().all(is_choice) && !is_date).then_some(parts)
}

fn are_answers(choices: &[String]) -> bool {
    choices.iter().all(|choice| ANSWERS.contains(&fold(choice).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_told_from_words() {
        for (line, label, choices) in [
            ("Dinner? (Yes / No)", "Dinner?", "Yes No"),
            ("是否需要住宿？（是／否）", "是否需要住宿？", "是 否"),
            ("Would you recommend us? Yes/No", "Would you recommend us?", "Yes No"),
            ("Gender: Male / Female / Other", "Gender", "Male Female Other"),
            ("T-shirt size (S, M, L, XL)", "T-shirt size", "S M L XL"),
            ("Which day? a) Monday b) Tuesday, c) Friday", "Which day?", "Monday Tuesday Friday"),
            ("学历：A、高中 B、本科", "学历：", "高中 本科"),
            ("Age? 18–25 / 26–40 / 41+", "Age?", "18–25 26–40 41+"),
        ] {
            let wanted: Vec<String> = choices.split(' ').map(str::to_owned).collect();
            assert_eq!(split(line), Some((label, wanted)), "{line}");
        }
        for line in [
            "Date of birth (dd/mm/yyyy)",
            "出生日期（年/月/日）",
            "Phone (home/mobile)",
            "Address (street, town, country)",
            "Allergies (e.g. nuts, milk, gluten)",
            "Website: https://example.com/a/b",
            "Due: 12/05/2026",
            "Plan a. and nothing else",
            "Pros and/or cons",
            "Cost (incl. tax)",
        ] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
