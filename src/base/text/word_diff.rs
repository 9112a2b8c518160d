//! Which words of two texts differ.

/// Texts of more words are compared as a whole.
const MOST_WORDS: usize = 2_000;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    pub text: &'t str,
    /// Whether the other text has it too, in the same order.
    pub is_shared: bool,
}

/// Both texts in pieces: shared ones, and those that only one text has. Together the pieces of a text are the text.
pub fn pieces<'t>(one: &'t str, other: &'t str) -> [Vec<Piece<'t>>; 2] {
    let (left, right) = (words(one), words(other));
    if left.len() > MOST_WORDS || right.len() > MOST_WORDS {
        let whole = |text| Vec::from([Piece { text, is_shared: one == other }]);
        return [whole(one), whole(other)];
    }
    let (shared_left, shared_right) = shared(&left, &right);
    [joined(one, &left, &shared_left), joined(other, &right, &shared_right)]
}

/// Words, the room between them, and each sign of a script that has no room between words.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let class = class_of(c);
        if before.is_some_and(|before| before != class || class == Class::Sign) {
            out.push(&text[start..at]);
            start = at;
        }
        before = Some(class);
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Room,
    Sign,
}

fn class_of(c: char) -> Class {
    match c {
        _ if c.is_whitespace() => Class::Room,
        // Kana, Han and Hangul: from here to the private use area.
        '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => Class::Sign,
        _ if c.is_alphanumeric() || c == '\'' || c == '’' => Class::Word,
        _ => Class::Sign,
    }
}

/// For each word of both texts, whether it is in their longest common sequence.
fn shared(left: &[&str], right: &[&str]) -> (Vec<bool>, Vec<bool>) {
    // The length of the longest common sequence of the rests that begin there.
    let mut lengths = vec![vec![0_u16; right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i][j] = match left[i] == right[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut in_left, mut in_right) = (vec![false; left.len()], vec![false; right.len()]);
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            (in_left[i], in_right[j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    (in_left, in_right)
}

/// Words that follow each other and are alike in this become one piece.
fn joined<'t>(text: &'t str, words: &[&str], shared: &[bool]) -> Vec<Piece<'t>> {
    let mut out: Vec<Piece> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for (at, word) in words.iter().enumerate() {
        end += word.len();
        if shared.get(at + 1) != Some(&shared[at]) {
            out.push(Piece { text: &text[start..end], is_shared: shared[at] });
            start = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    /// Pieces in a line, those of one text alone in brackets.
    fn told(pieces: &[Piece]) -> String {
        pieces.iter().map(|it| if it.is_shared { it.text.to_owned() } else { format!("[{}]", it.text) }).collect()
    }

    #[test]
    fn words_that_differ_are_told() {
        let rows = [
            ("Your full name", "Your name", "Your [full ]name", "Your name"),
            ("Which day?", "Which days?", "Which [day]?", "Which [days]?"),
            ("您的姓名", "您的全名", "您的[姓]名", "您的[全]名"),
            ("", "New", "", "[New]"),
            ("Same", "Same", "Same", "Same"),
        ];
        for (one, other, left, right) in rows {
            let [was, is] = pieces(one, other);
            assert_eq!((told(&was).as_str(), told(&is).as_str()), (left, right));
        }
        let long = "a ".repeat(MOST_WORDS);
        assert_eq!(pieces(&long, "b")[0].len(), 1);
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn pieces_are_the_texts_and_what_is_shared_is_the_same(one in "[ab é 中.]{0,20}", other in "[ab é 中.]{0,20}") {
            let whole = |pieces: &[Piece]| pieces.iter().map(|it| it.text).collect::<String>();
            let common = |pieces: &[Piece]| {
                pieces.iter().filter(|it| it.is_shared).map(|it| it.text).collect::<String>()
            };
            let [was, is] = pieces(&one, &other);
            prop_assert_eq!(whole(&was), one.clone());
            prop_assert_eq!(whole(&is), other.clone());
            prop_assert_eq!(common(&was), common(&is));
        }
    }
}
