//! How a kind stands on the form's page.

use maud::{Markup, html};

use crate::base::json::{Json, digits};
use crate::base::text::texts::Texts;
use crate::fields::definition::items;
use crate::fields::display::local_number;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{Counted, Cx};
use crate::fields::schedule::occupancy::Left;

/// The control of a kind, and what it posts.
pub trait Control {
    /// The control, without label, notes and error: `fields` and the page draw those. Nothing where the page never
    /// shows one.
    fn input(&self, cx: &InputCx) -> Markup {
        let _ = cx;
        html! {}
    }

    /// What the page posted → write shape; null when nothing was.
    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let _ = cx;
        part.single()
    }

    /// What the control shows of a stored value: what it would post for it. `None` where that is the read shape.
    fn page_value(&self, stored: &Json) -> Option<Json> {
        let _ = stored;
        None
    }

    /// Whether the control is several controls under one legend (then the page draws a fieldset).
    fn is_group(&self) -> bool {
        false
    }

    /// What the definition allows, in one line: people read it before they answer.
    fn limits(&self, texts: &Texts, cx: &Cx) -> Option<String> {
        let _ = (texts, cx);
        None
    }

    /// The part of an answer at a path inside the value, if it has a control of its own. `value` is the write shape as it
    /// was posted.
    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let _ = (path, value, texts);
        None
    }

    /// What the owner says of the form that an answer must have: people read it before they answer.
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

    /// How the page's script reads the control, so that rules which look at the field apply at once;
    /// `None` where only the server can say what a value means.
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

    /// Where it parts two pages of the form, the words of their buttons.
    fn page_break(&self) -> Option<PageBreak<'_>> {
        None
    }
}

/// How the page's script makes keys of what a control would post under the field's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Folded text.
    Text,
    /// A number of so many decimals, if any number is given.
    Number(Option<i64>),
    /// The codes of choices.
    Codes,
    /// A date or time, cut to so many characters.
    Date(usize),
}

/// The owner's words on the buttons beside a page break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageBreak<'a> {
    /// Back to the page before it.
    pub previous_text: Option<&'a str>,
    /// On to the page after it.
    pub next_text: Option<&'a str>,
}

/// What drawing a control needs to know.
pub struct InputCx<'a> {
    /// The input's name, as the write shape's path: `field_3`. Also its `id`.
    pub name: &'a str,
    /// The label, for controls inside a group that need an `aria-label`.
    pub label: &'a str,
    /// What stands in the control: the write shape as it was typed, null when nothing was.
    pub value: &'a Json,
    /// What the page posted, by the controls' names; none where the page is drawn for the first time.
    pub posted: Option<&'a FormPart>,
    /// Whether a value is needed.
    pub required: bool,
    /// The placeholder, where the kind can show one.
    pub placeholder: Option<&'a str>,
    /// Whether the value was refused.
    pub invalid: bool,
    /// What is mixed on this page is mixed by it: another for each page, the same while it is filled in.
    pub seed: &'a str,
    /// What is wrong inside the value, in the form's words: paths begin at the value (`[2].field_1`).
    pub faults: &'a [ShownFault],
    /// Ids of the notes and the error, for `aria-describedby`; empty when there are none.
    pub described_by: &'a str,
    /// Words in the form's language.
    pub texts: &'a Texts,
    /// What prices are in, as an ISO 4217 code.
    pub currency: &'a str,
    /// The form and the moment.
    pub cx: &'a Cx<'a>,
}

impl<'a> InputCx<'a> {
    /// The language of the owner's words, where the page's own are in another.
    pub fn owners_lang(&self) -> Option<&'a str> {
        self.texts.other(self.cx.locale)
    }

    /// The language of the page's own words, where they stand among the owner's and those are in another.
    pub fn own_lang(&self) -> Option<&'static str> {
        self.owners_lang().map(|_| self.texts.locale())
    }

    /// What stands in a control for a number: what was typed there, else the number as the form's locale writes it.
    pub fn number_in(&self, name: &str, value: &Json) -> String {
        let locale = self.cx.locale;
        let Json::Number(number) = value else {
            return typed(value);
        };
        let typed = self.posted.and_then(|posted| posted.typed_as(name, value, locale));
        typed.map_or_else(|| local_number::in_control(&number.to_string(), locale), str::to_owned)
    }

    /// What is left of a counter of the field, or of this cell's column; `None` where there is no limit.
    pub fn left(&self, counter: &str, limit: Option<i64>) -> Option<Left> {
        let limit = limit.and_then(|limit| u64::try_from(limit).ok())?;
        let field = self.name.split(['.', '[']).next().unwrap_or_default();
        // A cell's name ends in its column: `field_5[0].field_2`.
        let column = self.name.rsplit_once('.').map_or("", |(_, column)| column);
        let occupancy = &self.cx.found.occupancy;
        occupancy.left(field, &items::path(column, counter), Some(limit))
    }

    /// What is left of a day or slot; `None` where there is no limit.
    pub fn left_of(&self, limit: &Counted) -> Option<Left> {
        let places = limit.places.and_then(|places| i64::try_from(places).ok());
        self.left(&limit.counter, places)
    }

    /// The message to stand at one place inside the value.
    pub fn fault_at(&self, path: &str) -> Option<&'a str> {
        let found = self.faults.iter().find(|fault| fault.path == path);
        let own = found.filter(|fault| !fault.is_joined);
        own.map(|fault| fault.text.as_str())
    }

    pub fn is_wrong_at(&self, path: &str) -> bool {
        self.faults.iter().any(|fault| fault.path == path)
    }
}

/// A part of an answer with a control of its own, for messages about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// What people call it inside the answer: `postal code`, `row 2, name`.
    pub label: String,
    /// The id of its control, or of the message at it, after the field's: `.city`. Empty for the control that has the
    /// field's own id.
    pub control: String,
    pub ask: Ask,
}

/// What whoever left a part blank is asked to do.
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
    /// Whether one message at the whole value stands for this fault and others.
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
