//! Owners' patterns (S47): matched in linear time by engines with bounded memory, and never sent to the browser, which
//! would backtrack.
//!
//! A match takes at most the number of states times the length of the text. The length of a text is limited accordingly
//! before it is matched, and a form's patterns are limited in sum.

use std::iter::Sum;

use regex_automata::meta::{BuildError, Builder, Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Look};
use serde::{Serialize, Serializer};

use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things};
use crate::base::text::phrase::{Phrase, phrase};

const MAX_PATTERN: usize = 1000;
const MAX_NESTING: u32 = 50;
const MAX_PATTERNS: usize = 50;
/// Maximum steps of a form's patterns for one entry: about a fifth of a second.
const MAX_STEPS: u64 = 20_000_000;
/// Maximum memory of one compiled pattern, and of all patterns of a form.
const MAX_BYTES: usize = 2 << 20;
const MAX_BYTES_OF_FORM: usize = 16 << 20;
/// Maximum memory of the fastest engine.
const MAX_ONE_PASS: usize = 64 << 10;
/// The length that must be possible if only the pattern limits it.
const LEAST_LENGTH: usize = 250;
/// Maximum bytes of an entry, however many texts it has.
const MAX_ENTRY: u64 = 1 << 20;

const TOO_LARGE: Reason = Reason::Other(Phrase::plain("is too large: use fewer or smaller repetitions"));

/// A pattern for whole texts.
pub struct Pattern {
    text: String,
    regex: Regex,
    states: u64,
    /// The shortest matching text, in bytes.
    shortest: usize,
    /// The longest matching text, in bytes; `None` if unlimited.
    longest: Option<usize>,
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl Pattern {
    /// Reads `pattern`.
    pub fn read(reader: &mut Reader) -> Option<Self> {
        let text = reader.opt_text("pattern", MAX_PATTERN)?;
        if text.is_empty() {
            reader.fault("pattern", Reason::Empty);
            return None;
        }
        let compiled = Self::compile(text);
        compiled.map_err(|fault| reader.fault("pattern", fault)).ok()
    }

    fn compile(text: String) -> Result<Self, Reason> {
        let mut parser = ParserBuilder::new().nest_limit(MAX_NESTING).build();
        let hir = parser.parse(&text).map_err(|_| Reason::other("is not a valid RE2 pattern"))?;
        let states = states(&hir);
        if states > MAX_STEPS {
            return Err(TOO_LARGE);
        }
        let (shortest, longest) = (hir.properties().minimum_len().unwrap_or_default(), hir.properties().maximum_len());
        // The whole text must match, as in an HTML `pattern`.
        let whole = Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]);
        let config = Config::new()
            .hybrid(false)
            .dfa(false)
            .which_captures(WhichCaptures::None)
            .onepass_size_limit(Some(MAX_ONE_PASS))
            .nfa_size_limit(Some(MAX_BYTES));
        let regex = Builder::new().configure(config).build_from_hir(&whole);
        Ok(Self { text, regex: regex.map_err(|_: BuildError| TOO_LARGE)?, states, shortest, longest })
    }

    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The maximum length in characters of a field with this pattern: its `max_length`, otherwise the longest match of
    /// the pattern, up to `most`. Fails if the pattern takes too many steps for texts of this length.
    pub fn fit(&self, least: usize, max: Option<usize>, most: usize) -> Result<usize, Reason> {
        let length = |steps: u64| usize::try_from(steps / self.states).unwrap_or(usize::MAX);
        let allowed = length(MAX_STEPS);
        let wanted = max.unwrap_or(most);
        if self.longest.unwrap_or(wanted).min(wanted) <= allowed && (max.is_some() || self.longest.is_some()) {
            return Ok(wanted);
        }
        // A form may have any number of patterns without a limit of their own.
        let share = length(MAX_STEPS / MAX_PATTERNS as u64).min(most);
        let needed = least.max(self.shortest);
        if max.is_none() && share >= needed.max(LEAST_LENGTH) {
            return Ok(share);
        }
        Err(if allowed < needed {
            TOO_LARGE
        } else {
            Reason::other(phrase!("takes too many steps: give the field a max_length of at most {}", allowed))
        })
    }

    /// The cost for a text of at most this many characters.
    pub fn cost(&self, length: usize) -> Cost {
        let length = self.longest.map_or(length, |longest| longest.min(length));
        Cost {
            patterns: 1,
            steps: self.states.saturating_mul(length as u64),
            states: self.states,
            bytes: self.regex.memory_usage(),
        }
    }
}

/// The states between which a match advances by a character. States within a character don't count, because only one of
/// them is in use at a time.
fn states(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Capture(capture) => states(&capture.sub),
        HirKind::Concat(list) => list.iter().map(states).fold(0, u64::saturating_add),
        HirKind::Alternation(list) => list.iter().map(states).fold(1, u64::saturating_add),
        HirKind::Repetition(repetition) => {
            let (least, inner) = (u64::from(repetition.min), states(&repetition.sub));
            // An optional repetition adds a state where the paths branch.
            let more = repetition.max.map_or(1, |max| u64::from(max) - least);
            let always = least.saturating_mul(inner);
            always.saturating_add(more.saturating_mul(inner.saturating_add(1)))
        }
    }
    .max(1)
}

/// The cost of patterns for one entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    patterns: usize,
    steps: u64,
    states: u64,
    bytes: usize,
}

impl Cost {
    /// Maximum steps for all texts together.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Memory of the compiled patterns.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same patterns for this many rows.
    pub fn of_rows(self, rows: usize) -> Self {
        let steps = self.steps.saturating_mul(rows as u64);
        Self { steps: steps.min(self.states.saturating_mul(MAX_ENTRY)), ..self }
    }

    /// Reports patterns of a form that exceed the limits.
    pub fn fault(&self) -> Option<Reason> {
        if self.patterns > MAX_PATTERNS {
            return Some(Reason::too_many(MAX_PATTERNS, Things::Other("patterns")));
        }
        if self.steps > MAX_STEPS {
            return Some(Reason::other(
                "have patterns that take too many steps together: give the fields with a pattern a smaller max_length",
            ));
        }
        let is_large = self.bytes > MAX_BYTES_OF_FORM;
        is_large.then(|| Reason::other("have patterns that are too large together: use fewer or smaller repetitions"))
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, next| Self {
            patterns: sum.patterns + next.patterns,
            steps: sum.steps.saturating_add(next.steps),
            states: sum.states.saturating_add(next.states),
            bytes: sum.bytes.saturating_add(next.bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;

    /// The maximum length for a field with these keys, or its fault.
    fn fit(pattern: &str, max: Option<usize>) -> Result<usize, Reason> {
        let mut at = Issues::new();
        let pattern = Pattern::read(&mut Reader::new(json!({"pattern": pattern}), &mut at));
        let fault = || at.into_list().remove(0).reason;
        pattern.ok_or_else(fault)?.fit(0, max, 100_000)
    }

    #[test]
    fn usual_patterns_need_no_max_length() {
        for (pattern, good, bad) in [
            (r"^\d{11}$", "13800138000", "1380013800"),
            (r"^[A-Z]{2}-\d{4}$", "AB-1234", "AB-12345"),
            (r"^[\p{L} '-]{2,60}$", "Ångström O'Neil", "A1"),
            (r"[\p{L}\p{M} .'’-]{1,80}", "José M. García", "<"),
            (r"\p{Han}{2,20}", "欧阳娜娜", "欧"),
            (r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", "DE89370400440532013000", "DE8937"),
            (r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}", "SW1A 1AA", "SW1A"),
            (r"[\w.+-]+@[\w-]+(\.[\w-]+)+", "ada@example.com", "ada@com"),
            (
                r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*",
                "ada@example.com",
                "ada@-",
            ),
            (r"(https?://)?[\w.-]+(/\S*)?", "https://example.com/a?b", "a b"),
            (r"[^<>]*", "a\nb", "<b>"),
        ] {
            let taken = fit(pattern, None).unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
            assert!(taken >= 1_500, "{pattern}: {taken}");
            let compiled = Pattern::compile(pattern.to_owned()).expect("a pattern");
            assert!(compiled.matches(good), "{pattern}");
            assert!(!compiled.matches(bad), "{pattern}");
            // A form may have many of them.
            let cost: Cost = (0..10).map(|_| compiled.cost(taken)).sum();
            assert_eq!(cost.fault(), None, "{pattern}");
        }
    }

    #[test]
    fn texts_are_held_to_what_a_pattern_can_take() {
        let hard = "[01]*1[01]{8000}";
        assert_eq!(fit(hard, None), Err(TOO_LARGE));
        assert_eq!(fit(hard, Some(100_000)), Err(TOO_LARGE));
        let hard = "[01]*1[01]{0,4000}";
        let fault = "takes too many steps: give the field a max_length of at most 2499";
        for max in [None, Some(2_500)] {
            assert_eq!(fit(hard, max).map_err(|reason| reason.to_string()), Err(fault.to_owned()), "{max:?}");
        }
        assert_eq!(fit(hard, Some(2_499)), Ok(2_499));
        // 203 states: a fiftieth of all steps for each of fifty such fields.
        assert_eq!(fit("[01]*1[01]{200}", None), Ok(1_970));
        // The pattern matches nothing longer than 1,000 bytes, so it needs no other limit.
        assert_eq!(fit("(?:a?){500}a{500}", None), Ok(100_000));
        assert_eq!(fit("((a{100}){100}){100}", None), Err(TOO_LARGE));
        assert_eq!(fit("\\p{L}{1000}", None), Err(TOO_LARGE));
    }

    #[test]
    fn the_patterns_of_a_form_are_counted_together() {
        let pattern = Pattern::compile("[01]*1[01]{200}".to_owned()).expect("a pattern");
        let cost = pattern.cost(1_000);
        assert_eq!(cost.steps(), 203_000);
        let of = |times: usize| std::iter::repeat_n(cost, times).sum::<Cost>().fault();
        assert_eq!(of(50), None);
        assert!(of(51).is_some_and(|fault| fault.to_string().contains("50 patterns")));
        // A column of a hundred rows counts a hundred times, but only up to the size of an entry.
        assert!(cost.of_rows(99).fault().is_some_and(|fault| fault.to_string().contains("steps")));
        assert_eq!(cost.of_rows(98).fault(), None);
        assert_eq!(pattern.cost(100_000).of_rows(100).steps(), 203 << 20);
        let large = Pattern::compile(r"[\p{L}\p{M}]{1,80}".to_owned()).expect("a pattern");
        let large: Cost = (0..20).map(|_| large.cost(1)).sum();
        assert!(large.fault().is_some_and(|fault| fault.to_string().contains("too large")));
    }

    #[test]
    fn the_hardest_pattern_that_is_taken_ends_soon() {
        let pattern = Pattern::compile("[01]*1[01]{2000}".to_owned()).expect("a pattern");
        let longest = pattern.fit(0, Some(9_000), 100_000).expect("fits");
        let text = "0110100110010110".repeat(longest / 16) + "2";
        assert!(!pattern.matches(&text));
    }
}
