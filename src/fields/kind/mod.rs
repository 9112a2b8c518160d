//! Definition of a field kind: one trait, one row, one file each. A kind is pure: it never does IO, never reads the
//! clock and never writes SQL.
//!
//! [`Kind`] has the operations that every kind has on its values, [`Control`] its part of the page. Further
//! capabilities are optional: each is a trait in a file of its own here, and a method of `Kind` that returns it, `None`
//! by default. Where a missing capability has a natural answer, such as an empty list, `dyn Kind` gives it under the
//! name of the capability's method.
//!
//! Stored values are JSON. A kind whose values have members of fixed names reads and writes them by a struct, such as
//! `Line` of a booking or `PostalAddress`, which borrows from the JSON; no other code takes a stored value apart.

mod calendar;
mod capacity;
mod control;
mod cx;
mod files;
mod grading;
mod grid;
mod linking;
mod lookup;
mod masking;
mod operand;
mod parts;
mod sheet;
pub mod tally;

use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::filter::compared::Compared;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::kind::tally::{Answered, Room, Tally};
use crate::fields::texts::pattern::Cost;
use crate::fields::texts::text_rules::TextRules;
use crate::fields::values::formula::Computed;

pub use calendar::{Booked, Calendar, Counted, Day, Places, SlotPlaces};
pub use capacity::{Capacity, Counters, Limit, Ordered, Remaining, Take, Used, UsedOf, put_remaining};
pub use control::{AnswerPart, Ask, Control, InputCx, Live, PageBreak, ShownFault, typed};
pub use cx::{BuildCx, Cx};
pub use files::Files;
pub use grading::{Grading, Marks};
pub use grid::Grid;
pub use linking::Linking;
pub use lookup::{Lookup, LookupPart, begins_with};
pub use masking::Masking;
pub use operand::{Operand, ScoreRange, Scores};
pub use parts::{Item, Parts, check_name};
pub use sheet::Sheet;

/// A field's kind with its own settings: `{type: "rating", rating_max: 5}`, read. The struct itself serialises to the
/// own keys of the definition (contract 3.1), absent ones left out.
pub trait Kind: AsJson + Control + Send + Sync {
    // Write.

    /// The source of values.
    fn writer(&self) -> Writer {
        Writer::Anyone
    }

    /// Whether entries have a value of this field at all.
    fn has_value(&self) -> bool {
        true
    }

    /// JSON Schema of a value as requests give it, null aside.
    fn write_schema(&self) -> Json {
        self.read_schema()
    }

    /// Write shape → stored value; `Json::Null` is blank. Every fault goes to `at`, which is at the value; after a
    /// fault the returned value means nothing. `raw` is never null. For kinds without a writer, any value is a fault.
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let _ = (raw, cx);
        at.push(Reason::other("can't be set"));
        Json::Null
    }

    /// Faults of an incomplete value in a required field, such as a matrix with an unanswered row. After a fault it
    /// checks what parsing left. `at` is at the value.
    fn check_whole(&self, stored: &Json, at: &mut Issues) {
        let _ = (stored, at);
    }

    /// A field's `default_value` as a value in the write shape: dates know the words `today` and `now`.
    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        let _ = cx;
        raw.clone()
    }

    // Keep.

    /// A value that an earlier definition of the field wrote, without parts that no longer exist: removed choices,
    /// digits beyond today's precision. Called only for fields whose definition changed so.
    fn prune(&self, stored: Json, cx: &Cx) -> Json {
        let _ = cx;
        stored
    }

    /// A stored value without data of removed parts of the field. Data that today's definition only hides stays: it may
    /// be shown again. Called only for fields that lost parts.
    fn without_removed(&self, stored: Json, cx: &Cx) -> Json {
        self.prune(stored, cx)
    }

    /// A value that was stored when the field was of a type that may become this one.
    fn adopt(&self, stored: Json) -> Json {
        stored
    }

    // Show.

    /// The read shape of a missing value: null, or `[]` for list kinds.
    fn empty(&self) -> Json {
        Json::Null
    }

    /// JSON Schema of a value as reads show it, null aside.
    fn read_schema(&self) -> Json {
        json!({"type": "string"})
    }

    /// Whether the stored JSON text is the read shape, so that reads may splice it unparsed.
    fn reads_as_stored(&self) -> bool {
        true
    }

    /// Stored value → read shape.
    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let _ = cx;
        stored.clone()
    }

    /// The text for people: pages, export, `like`.
    fn text(&self, stored: &Json, cx: &Cx) -> String;

    /// The text in parts, if there are several: a line for each row, item, statement or choice.
    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        vec![self.text(stored, cx)]
    }

    /// The own keys as a respondent may see them: no scores, answers, quotas or hidden choices.
    fn for_respondent(&self) -> Json {
        self.as_json()
    }

    // Filter.

    /// Whether a stored value's JSON text is enough for `text`, `keys` and `sheet_cells`, so that scans of many entries
    /// need not parse it.
    fn plain(&self) -> Option<Plain> {
        None
    }

    /// Keys that conditions compare. The default is the folded text.
    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        vec![Key::text(&self.text(stored, cx))]
    }

    /// The operators of spec 2.6 that are valid here; none: not filterable.
    fn operators(&self) -> &'static [Op] {
        &[]
    }

    /// Whether an answer may have several of the items that conditions compare: `eq` then means these and no others.
    fn takes_several(&self) -> bool {
        false
    }

    /// The items that values of conditions are chosen from, or how they are typed.
    fn compared(&self) -> Compared {
        Compared::of(self.operators())
    }

    /// A condition of a filter, checked. `op` is one of `operators`.
    ///
    /// # Errors
    /// A fault of the value: its attribute is `value`.
    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        let _ = cx;
        cond::by_text(op, value)
    }

    /// The order of a list of entries by this question's answers; `None` if it has none. The default is by the only key
    /// of numbers, dates, scores and texts.
    fn answer_order(&self) -> Option<AnswerOrder> {
        let sorted = [Op::NUMBER, Op::DATE, Op::SCORE, Op::TEXT];
        sorted.contains(&self.operators()).then_some(AnswerOrder::Key)
    }

    /// The key by which `unique` compares values; `None` if the kind can't be unique.
    fn unique_key(&self, stored: &Json) -> Option<String> {
        let _ = stored;
        None
    }

    // Count.

    /// Counts the answers for a report.
    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        let _ = room;
        Box::new(Answered)
    }

    /// The choices by which a report can be split, codes and labels: those of a question with one answer. Empty for
    /// other kinds.
    fn groups(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    // Optional capabilities.

    /// The owner's rules for texts.
    fn text_rules(&self) -> Option<&TextRules> {
        None
    }

    /// The formula that computes values; such a kind is never written.
    fn computed(&self) -> Option<&Computed> {
        None
    }

    /// Its columns, where those are fields of their own.
    fn grid(&self) -> Option<&dyn Grid> {
        None
    }

    /// Requirements on files, if values are files.
    fn files(&self) -> Option<&dyn Files> {
        None
    }

    /// Whether a cell of a spreadsheet may have several lines. Of others the blanks around the text are no part.
    fn has_lines(&self) -> bool {
        false
    }

    /// Links of values to other forms.
    fn linking(&self) -> Option<&dyn Linking> {
        None
    }

    /// Columns and cells of values in a spreadsheet, unless it is one column with their text.
    fn sheet(&self) -> Option<&dyn Sheet> {
        None
    }

    /// Limited resources that values take.
    fn capacity(&self) -> Option<&dyn Capacity> {
        None
    }

    /// The days on which it can be booked.
    fn calendar(&self) -> Option<&dyn Calendar> {
        None
    }

    /// The named parts of the definition that values point to.
    fn parts(&self) -> Option<&dyn Parts> {
        None
    }

    /// How formulas read values.
    fn operand(&self) -> Option<&dyn Operand> {
        None
    }

    /// The scores of values.
    fn scores(&self) -> Option<&dyn Scores> {
        None
    }

    /// Whether answers are right, where an exam can score them.
    fn grading(&self) -> Option<&dyn Grading> {
        None
    }

    /// How visitors of a public query find values, where that is not by `condition`.
    fn lookup(&self) -> Option<&dyn Lookup> {
        None
    }

    /// How a protected column of a public query shows values.
    fn masking(&self) -> Option<&dyn Masking> {
        None
    }
}

impl dyn Kind + '_ {
    /// Whether requests can give values; others are set by the service.
    pub fn is_written(&self) -> bool {
        self.writer() == Writer::Anyone
    }

    /// Whether values are files that only the form's own page sends, in the shape of `form_value`.
    pub fn comes_by_page(&self) -> bool {
        self.writer() == Writer::Page
    }

    /// The cost of matching its patterns against one value.
    pub fn pattern_cost(&self) -> Cost {
        let own = self.text_rules().map(TextRules::pattern_cost);
        let cells = self.grid().map(|grid| {
            let columns = grid.sub_fields().iter();
            let row: Cost = columns.map(|column| column.kind.pattern_cost()).sum();
            row.of_rows(grid.max_rows())
        });
        own.into_iter().chain(cells).sum()
    }
}

/// Source of the values of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Any writer of an entry.
    Anyone,
    /// The form's own page alone.
    Page,
    /// Nobody: the service sets them.
    Nobody,
}

/// How a list of entries is put in the order of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerOrder {
    /// By the first key.
    Key,
    /// By the position of the choice that the first key names.
    Choices(Vec<String>),
}

/// Type of stored values that need no interpretation; the kind then leaves the one cell of a spreadsheet to its
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// A string: its text is that string, its only key the same as [`Key::Text`].
    Text,
    /// A string: its text is that string, its only key the same as [`Key::Code`].
    Code,
    /// A number: its only key is that number.
    Number,
}

/// Serialises a kind's struct without making the trait generic.
pub trait AsJson {
    /// The own keys of the definition.
    fn as_json(&self) -> Json;
}

impl<T: Serialize> AsJson for T {
    fn as_json(&self) -> Json {
        // A kind's struct has string keys and finite numbers, which is all that could fail here.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Uses of a kind (spec 2.4, 2.5), and the header keys that it takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facets {
    /// A public query may search by it.
    pub searchable: bool,
    /// Searched by 'contains' too.
    pub fuzzy: bool,
    /// A public query may show it.
    pub displayable: bool,
    /// A public query may mask it.
    pub protectable: bool,
    /// `unique: true` is allowed.
    pub unique: bool,
    /// `label` may be left out.
    pub label_optional: bool,
    /// A column of a grid may be of it.
    pub in_cells: bool,
    /// Values are addresses that mail can be sent to.
    pub mailable: bool,
    /// The types that a field of it may be changed to, with its values.
    pub becomes: &'static [&'static str],
    /// The format of values in conditions, for people; `None` if the operators suffice.
    pub conditions: Option<&'static str>,
    /// Words of labels that ask for such a value, folded, in all languages of pages; after `=` they are the whole
    /// label, after `+` they count where choices follow.
    pub asked_by: &'static [&'static str],
}

impl Facets {
    /// None of them.
    pub const NONE: Self = Self {
        searchable: false,
        fuzzy: false,
        displayable: false,
        protectable: false,
        unique: false,
        label_optional: false,
        in_cells: false,
        mailable: false,
        becomes: &[],
        conditions: None,
        asked_by: &[],
    };
}

/// A kind's row in the table.
pub struct KindRow {
    /// The `type` in a definition.
    pub name: &'static str,
    /// The uses of the kind.
    pub facets: Facets,
    /// Reads the own keys of a definition; faults stay in the reader.
    pub build: fn(&mut Reader, &BuildCx) -> Box<dyn Kind>,
    /// Examples that tests walk.
    pub samples: &'static [Sample],
}

impl PartialEq for KindRow {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl std::fmt::Debug for KindRow {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// One example of a kind: the texts are JSON.
pub struct Sample {
    /// Own keys of the definition.
    pub definition: &'static str,
    /// A value in its write shape.
    pub write: &'static str,
    /// The value as it is stored.
    pub stored: &'static str,
    /// The value for people.
    pub text: &'static str,
}
