//! Fields that visitors search by.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::filter::Clause;
use crate::fields::filter::subject::{Linked, Question, Subject};
use crate::fields::kind::{Cx, Kind, LookupPart};
use crate::fields::links::associated::{self, Associated, Sub};
use crate::fields::public_query::{QueriedForm, QueriedName};
use crate::fields::{Field, Fields};

/// Fewer characters are no part of a value (S68), but for those that may be a whole name or word.
const LEAST_PART: usize = 2;
/// A character that may be a word by itself: 雷, あ, 김.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]\z").expect("the pattern is fixed, and a test runs it")
});
/// More are no value at all.
const MOST: usize = 1_000;
const PART: &str = "_attribute_";

/// A field, or a part of one, that a query may search by.
pub struct Searched<'f> {
    of: QueriedName<'f>,
    part: Option<&'static LookupPart>,
}

impl<'f> Searched<'f> {
    /// All that queries of a form may search by.
    pub fn all(form: QueriedForm<'f>) -> Vec<Self> {
        let mut all = Vec::new();
        for of in QueriedName::all(form) {
            // A masked value must not be found out by searching.
            let is_protected = matches!(&of, QueriedName::Linked(linked) if linked.is_protected());
            if of.facets().searchable && !is_protected {
                all.push(Self { of, part: None });
            } else if let QueriedName::Field(field) = of {
                let parts = field.kind.lookup_parts().iter();
                all.extend(parts.map(|part| Self { of: QueriedName::Field(field), part: Some(part) }));
            }
        }
        all
    }

    /// The field of a name; `None` if queries may not search by it.
    pub fn find(form: QueriedForm<'f>, code: &str) -> Option<Self> {
        Self::all(form).into_iter().find(|it| it.code() == code)
    }

    /// Its name in queries.
    pub fn code(&self) -> String {
        let own = self.of.code();
        match self.part {
            Some(part) => format!("{own}{PART}{}", part.code),
            None => own,
        }
    }

    /// Its own label.
    pub fn label(&self, texts: &Texts) -> String {
        let own = self.of.label(texts);
        match self.part {
            Some(part) => format!("{own} · {}", texts.say(part.label)),
            None => own,
        }
    }

    /// The type of its values.
    pub fn type_name(&self) -> &'static str {
        self.of.type_name()
    }

    /// Whether a part of the value may be enough.
    pub fn may_be_fuzzy(&self) -> bool {
        self.part.is_some() || self.of.facets().fuzzy
    }

    /// The field whose values have keys in the index of exact keys: those of which many entries have different ones.
    pub fn indexed(&self) -> Option<u32> {
        match &self.of {
            QueriedName::Field(field) if self.part.is_none() => {
                let kind = field.kind.as_ref();
                let is_one_of_many = kind.parts().is_none() && kind.linking().is_none();
                is_one_of_many.then(|| field.number())
            }
            _ => None,
        }
    }

    /// The visitor's options, if an exact search is for one of several items that respondents see.
    pub fn options(&self) -> Vec<SearchOption> {
        let kind = self.of.kind();
        let is_one = self.part.map_or(kind.linking().is_none(), |part| part.is_item);
        let mut options = Vec::new();
        if is_one && kind.parts().is_some() {
            let shown = kind.for_respondent();
            for list in ["choices", "reservation_items"] {
                add_options(&shown[list], &[], &mut options);
            }
        }
        options
    }

    /// The kind of its values.
    pub fn kind(&self) -> &dyn Kind {
        self.of.kind()
    }

    /// Whether it searches by the time of a booking.
    pub fn is_moment(&self) -> bool {
        self.part.is_some_and(|part| !part.is_item)
    }

    /// A visitor's input as clauses, one of which must hold. A masked value must not be guessable character by
    /// character.
    ///
    /// # Errors
    /// The fault of the input.
    pub fn clauses(&self, fields: &Fields, given: &Json, by: By, cx: &Cx) -> Result<Vec<Clause>, Reason> {
        let given = cleaned(given)?;
        let fuzzy = by != By::Whole;
        if fuzzy {
            let typed = given.as_str().ok_or(Reason::MustBe(Expected::Text))?;
            let is_enough = text::length(typed) >= LEAST_PART || by == By::Part && WORD.is_match(typed);
            if !is_enough {
                return Err(Reason::TooShort { least: LEAST_PART });
            }
        }
        match &self.of {
            QueriedName::Field(field) if field.kind.linking().is_some() => linked_entry(fields, field, &given, cx),
            of => {
                let part = self.part.map_or("", |part| part.code);
                let cond = of.kind().find_by(part, &given, fuzzy, cx)?;
                let subject = subject(fields, of).ok_or(Reason::NotAllowed)?;
                Ok(vec![Clause { subject, cond }])
            }
        }
    }
}

/// How a visitor's value is compared with those of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Whole,
    Part,
    /// A part of what results show masked.
    MaskedPart,
}

/// One of the things that a visitor chooses from.
pub struct SearchOption {
    pub code: String,
    /// Its label, after those of the levels above it.
    pub label: String,
}

fn add_options(list: &Json, above: &[&str], options: &mut Vec<SearchOption>) {
    for item in list.as_array().into_iter().flatten() {
        let label = item["label"].as_str().or(item["name"].as_str());
        let way = [above, &[label.unwrap_or_default()]].concat();
        options.push(SearchOption {
            code: item["api_code"].as_str().unwrap_or_default().to_owned(),
            label: way.join(" / "),
        });
        add_options(&item["children"], &way, options);
    }
}

/// Text without blanks around it and not too long; other values as they are.
fn cleaned(given: &Json) -> Result<Json, Reason> {
    let Json::String(typed) = given else {
        return Ok(given.clone());
    };
    if text::length(typed) > MOST {
        return Err(Reason::TooLong { most: MOST });
    }
    let typed = text::clean(typed.clone()).ok_or(Reason::Nul)?;
    Ok(Json::from(typed.trim()))
}

fn subject(fields: &Fields, of: &QueriedName) -> Option<Subject> {
    Some(match of {
        QueriedName::Field(field) => {
            Subject::Question(Question { place: fields.position(&field.api_code)?, column: None })
        }
        QueriedName::System(field) => Subject::System(field),
        QueriedName::Linked(linked) => linked_subject(fields, linked)?,
    })
}

fn linked_subject(fields: &Fields, linked: &Associated) -> Option<Subject> {
    Some(Subject::Linked(Linked {
        place: fields.position(&linked.field.api_code)?,
        code: linked.sub.code().to_owned(),
    }))
}

/// Finds an entry of another form by its number or its label.
fn linked_entry(fields: &Fields, field: &Field, given: &Json, cx: &Cx) -> Result<Vec<Clause>, Reason> {
    let given = &match given {
        Json::Number(serial) => Json::from(serial.to_string()),
        other => other.clone(),
    };
    if !given.is_string() {
        return Err(Reason::MustBe(Expected::Text));
    }
    let mut clauses = Vec::new();
    let Some(rules) = field.kind.link_rules() else {
        return Ok(clauses);
    };
    for linked in associated::all(field, cx.found) {
        let is_searched = match linked.sub {
            Sub::System(_) => true,
            Sub::Field(sub) => rules.searched(true).any(|code| code == sub.api_code),
        };
        let cond = linked.sub.kind().find_by("", given, false, cx);
        if let (true, Ok(cond), Some(subject)) = (is_searched, cond, linked_subject(fields, &linked)) {
            clauses.push(Clause { subject, cond });
        }
    }
    Ok(clauses)
}

#[cfg(test)]
mod tests {
    use super::WORD;

    #[test]
    fn some_characters_are_words() {
        for word in ["雷", "蓝", "𠮷", "あ", "ア", "ｱ", "김", "ㄱ", "々"] {
            assert!(WORD.is_match(word), "{word}");
        }
        for other in ["a", "5", "é", "Я", "ก", "·", "。", "👍", "", "雷蓝"] {
            assert!(!WORD.is_match(other), "{other}");
        }
    }
}
