//! Controls of a kind on the form's page.

use maud::{Markup, html};

use crate::base::json::{Json, digits};
use crate::base::text::texts::Texts;
use crate::fields::definition::items;
use crate::fields::display::local_number;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{Counted, Cx};
use crate::fields::schedule::occupancy::Left;

/// The control of a kind, and its posted values.
pub trait Control {
    /// The control, without label, notes and error: `fields` and the page draw those. Nothing where the page never
    /// shows one.
    fn input(&self, cx: &InputCx) -> Markup {
        let _ = cx;
        html! {}
    }

    /// The posted value → write shape; null if nothing was posted.
    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let _ = cx;
        part.single()
    }

    /// The control's content for a stored value: what it would post for it. `None` if that is the read shape.
    fn page_value(&self, stored: &Json) -> Option<Json> {
        let _ = stored;
        None
    }

    /// Whether the control is several controls under one legend (then the page draws a fieldset).
    fn is_group(&self) -> bool {
        false
    }

    /// The limits of the definition in one line: people read them before they answer.
    fn limits(&self, texts: &Texts, cx: &Cx) -> Option<String> {
        let _ = (texts, cx);
        None
    }

    /// The part of an answer at a path inside the value, if it has a control of its own. `value` is the write shape as
    /// it was posted.
    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let _ = (path, value, texts);
        None
    }

    /// The owner's description of the expected format: people read it before they answer.
    fn format_hint(&self) -> Option<&str> {
        None
    }

    /// The module among the assets that makes the control better; the page loads it once.
    fn script(&self) -> Option<&'static str> {
        None
    }

    /// The `type` of a line for a value, such as `tel`.
    fn line_type(&self) -> &'static str {
        "text"
    }

    /// How the page's script reads the control, so that rules that test the field apply at once; `None` if only the
    /// server can interpret a value.
    fn live(&self) -> Option<Live> {
        None
    }

    /// Examples in the write shape that keep to the definition, the likeliest first: where the samples of the kind may
    /// not, and its schema does not tell.
    fn examples(&self, cx: &Cx) -> Vec<Json> {
        let _ = cx;
        Vec::new()
    }

    /// The value with which the control is largest, where respondents may add rows to it.
    fn fullest(&self) -> Option<Json> {
        None
    }

    /// The labels of the buttons, if the field separates two pages of the form.
    fn page_break(&self) -> Option<PageBreak<'_>> {
        None
    }
}

/// How the page's script makes keys from the values that a control posts under the field's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Folded text.
    Text,
    /// A number with this many decimals, if any number is given.
    Number(Option<i64>),
    /// The codes of choices.
    Codes,
    /// A date or time, cut to this many characters.
    Date(usize),
}

/// The owner's words on the buttons beside a page break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageBreak<'a> {
    /// Back to the page before it.
    pub previous_text: Option<&'a str>,
    /// Label of the button to the next page.
    pub next_text: Option<&'a str>,
}

/// Context for drawing a control.
pub struct InputCx<'a> {
    /// The input's name, as the write shape's path: `field_3`. Also its `id`.
    pub name: &'a str,
    /// The label, for controls inside a group that need an `aria-label`.
    pub label: &'a str,
    /// The control's content: the write shape as it was typed, null if nothing was typed.
    pub value: &'a Json,
    /// The posted values, by the controls' names; `None` when the page is drawn for the first time.
    pub posted: Option<&'a FormPart>,
    /// Whether a value is needed.
    pub required: bool,
    /// The placeholder, where the kind can show one.
    pub placeholder: Option<&'a str>,
    /// Whether the value was refused.
    pub invalid: bool,
    /// Seed for shuffling on this page: another for each page, the same while it is filled in.
    pub seed: &'a str,
    /// Faults inside the value, in the form's words: paths begin at the value (`[2].field_1`).
    pub faults: &'a [ShownFault],
    /// Ids of the notes and the error, for `aria-describedby`; empty when there are none.
    pub described_by: &'a str,
    /// Words in the form's language.
    pub texts: &'a Texts,
    /// The currency of prices, as an ISO 4217 code.
    pub currency: &'a str,
    /// The form and the moment.
    pub cx: &'a Cx<'a>,
}

impl<'a> InputCx<'a> {
    /// The language of the owner's words, where the page's own are in another.
    pub fn owners_lang(&self) -> Option<&'a str> {
        self.texts.other(self.cx.locale)
    }

    /// The language of the page's own words among the owner's, if that is different.
    pub fn own_lang(&self) -> Option<&'static str> {
        self.owners_lang().map(|_| self.texts.locale())
    }

    /// Content of a control for a number: the typed text, else the number in the form's locale.
    pub fn number_in(&self, name: &str, value: &Json) -> String {
        let locale = self.cx.locale;
        let Json::Number(number) = value else {
            return typed(value);
        };
        let typed = self.posted.and_then(|posted| posted.typed_as(name, value, locale));
        typed.map_or_else(|| local_number::in_control(&number.to_string(), locale), str::to_owned)
    }

    /// Units left of a counter of the field, or of this cell's column; `None` if it has no limit.
    pub fn left(&self, counter: &str, limit: Option<i64>) -> Option<Left> {
        let limit = limit.and_then(|limit| u64::try_from(limit).ok())?;
        let field = self.name.split(['.', '[']).next().unwrap_or_default();
        // A cell's name ends in its column: `field_5[0].field_2`.
        let column = self.name.rsplit_once('.').map_or("", |(_, column)| column);
        let occupancy = &self.cx.found.occupancy;
        occupancy.left(field, &items::path(column, counter), Some(limit))
    }

    /// Units left of a day or slot; `None` if it has no limit.
    pub fn left_of(&self, limit: &Counted) -> Option<Left> {
        let places = limit.places.and_then(|places| i64::try_from(places).ok());
        self.left(&limit.counter, places)
    }

    /// The message for one place inside the value.
    pub fn fault_at(&self, path: &str) -> Option<&'a str> {
        let found = self.faults.iter().find(|fault| fault.path == path);
        let own = found.filter(|fault| !fault.is_joined);
        own.map(|fault| fault.text.as_str())
    }

    pub fn is_wrong_at(&self, path: &str) -> bool {
        self.faults.iter().any(|fault| fault.path == path)
    }

    /// Whether the value was refused, and none of its parts.
    pub fn is_wrong_as_a_whole(&self) -> bool {
        self.invalid && self.faults.iter().all(|fault| fault.path.is_empty())
    }
}

/// A part of an answer with a control of its own, for messages about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// Its name inside the answer: `postal code`, `row 2, name`.
    pub label: String,
    /// The id of its control, or of the message at it, after the field's: `.city`. Empty for the control that has the
    /// field's own id.
    pub control: String,
    pub ask: Ask,
}

/// Request to a respondent who left a part blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Answer,
    Enter,
    Choose,
}

/// A fault inside a value, in the form's words.
#[derive(Clone)]
pub struct ShownFault {
    /// From the value on: `[2].field_1`.
    pub path: String,
    pub text: String,
    /// Whether one message at the whole value covers this fault and others.
    pub is_joined: bool,
    /// The part that it is about, where that has a name.
    pub part: Option<AnswerPart>,
}

/// A value in the write shape as text, whatever its type.
pub fn typed(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) => digits::plain(&number.to_string()).into_owned(),
        other => other.to_string(),
    }
}
