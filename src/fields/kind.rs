//! What a field kind is: one trait, one row, one file each. A kind is pure: it never does IO, never
//! reads the clock and never writes SQL.

use jiff::tz::TimeZone;
use maud::Markup;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::texts::Texts;
use crate::fields::Field;
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::files::links::FilesCx;
use crate::fields::files::rules::FileRules;
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Computed, Number, Type, Value};
use crate::fields::images::Images;
use crate::fields::inputs;
use crate::fields::links::{Found, Link, LinkRules, NOTHING};
use crate::fields::local_number;
use crate::fields::pattern::Cost;
use crate::fields::report::{Answered, Room, Tally};
use crate::fields::sheet::{Cell, Column};

/// A field's kind with its own settings: what `{type: "rating", rating_max: 5}` becomes. The struct
/// itself serialises to the own keys of the definition (contract 3.1), absent ones left out.
pub trait Kind: AsJson + Send + Sync {
    /// Whether values are taken from requests at all; others come about by themselves.
    fn is_written(&self) -> bool {
        true
    }

    /// Whether values are files that only the form's own page brings, with what `form_value` makes of a post.
    fn comes_by_page(&self) -> bool {
        false
    }

    /// What the page's control shows of a stored value: what it would post for it.
    fn page_value(&self, stored: &Json, cx: &Cx) -> Json {
        self.read(stored, cx)
    }

    /// Write shape → stored value; `Json::Null` is blank. Every fault goes to `at`, which stands at the
    /// value; after a fault the returned value means nothing. `raw` is never null.
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json;

    /// What its patterns may cost for one value.
    fn pattern_cost(&self) -> Cost {
        Cost::default()
    }

    /// What a value that isn't blank lacks where the field must be answered: a matrix has to be answered
    /// whole. After a fault it is asked for what parsing left. `at` stands at the value.
    fn check_whole(&self, stored: &Json, at: &mut Issues) {
        let _ = (stored, at);
    }

    /// Whether entries have a value of this field at all.
    fn has_value(&self) -> bool {
        true
    }

    /// What a read shows where nothing is stored: null, or `[]` for list kinds.
    fn empty(&self) -> Json {
        Json::Null
    }

    /// JSON Schema of a value as reads show it, null aside.
    fn read_schema(&self) -> Json {
        json!({"type": "string"})
    }

    /// JSON Schema of a value as requests give it, null aside.
    fn write_schema(&self) -> Json {
        self.read_schema()
    }

    /// Whether the stored JSON text is the read shape, so that reads may splice it unparsed.
    fn reads_as_stored(&self) -> bool {
        true
    }

    /// A value that an earlier definition of the field wrote, without what no longer exists: removed
    /// choices, digits beyond today's precision. Called only for fields whose definition changed so.
    fn prune(&self, stored: Json, cx: &Cx) -> Json {
        let _ = cx;
        stored
    }

    /// A stored value without what belongs to parts of the field that were removed. What today's definition only
    /// hides stays: it may be shown again. Called only for fields that lost parts.
    fn without_removed(&self, stored: Json, cx: &Cx) -> Json {
        self.prune(stored, cx)
    }

    /// Stored value → read shape.
    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let _ = cx;
        stored.clone()
    }

    /// For people: pages, export, `like`.
    fn text(&self, stored: &Json, cx: &Cx) -> String;

    /// The same by its parts, where it has several: a line for each row, item, statement or choice.
    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        vec![self.text(stored, cx)]
    }

    /// Whether a stored value's JSON text tells what `text`, `keys` and `sheet_cells` say of it, so that walks
    /// over many entries need not parse it.
    fn plain(&self) -> Option<Plain> {
        None
    }

    /// The columns of a spreadsheet that values fill: one, unless their parts have columns of their own.
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let _ = cx;
        vec![Column::whole()]
    }

    /// What stands in each of `sheet_columns` for a stored value.
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![Cell::of(stored, || self.text(stored, cx))]
    }

    /// What stands in `sheet_columns` → write shape. There are as many cells, and one at least says
    /// something. What only a spreadsheet's reader can find wrong goes to `at`, which stands at the value.
    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let _ = (cx, at);
        json!(cells.first())
    }

    /// The whole value in one cell, where it has several columns → write shape: that shape as JSON.
    fn sheet_whole(&self, cell: &str, cx: &Cx, at: &mut Issues) -> Json {
        let _ = cx;
        match crate::base::json::parse(cell.trim().as_bytes()) {
            Ok(value @ (Json::Object(_) | Json::Array(_))) => value,
            _ => {
                at.push(Reason::other(
                    "must be given in the columns of its parts, or as JSON",
                ));
                Json::Null
            }
        }
    }

    /// The text as a protected column of a public query shows it.
    fn mask(&self, text: &str) -> String {
        text.to_owned()
    }

    /// The read shape as a protected column shows it.
    fn masked(&self, stored: &Json, cx: &Cx) -> Json {
        Json::String(self.mask(&self.text(stored, cx)))
    }

    /// What conditions look at. The default is the folded text.
    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        vec![Key::text(&self.text(stored, cx))]
    }

    /// The operators of spec 2.6 that are valid here; none: not filterable.
    fn operators(&self) -> &'static [Op] {
        &[]
    }

    /// A condition of a filter, checked. `op` is one of `operators`.
    ///
    /// # Errors
    /// A fault of the value: its attribute is `value`.
    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        let _ = cx;
        cond::by_text(op, value)
    }

    /// How the page's script reads the control, so that rules which look at the field apply at once;
    /// `None` where only the server can say what a value means.
    fn live(&self) -> Option<Live> {
        None
    }

    /// What a formula finds here; `None`: formulas can't read it.
    fn operand_type(&self) -> Option<Type> {
        None
    }

    /// A stored value, as a formula finds it.
    fn operand(&self, stored: &Json, cx: &Cx) -> Option<Value> {
        Value::of(self.operand_type()?, stored, || self.text(stored, cx))
    }

    /// Whether values have a score.
    fn has_scores(&self) -> bool {
        false
    }

    /// The score of a stored value.
    fn score(&self, stored: &Json) -> Option<Number> {
        let _ = stored;
        None
    }

    /// Of what values are computed; such a kind is never written.
    fn computed(&self) -> Option<&Computed> {
        None
    }

    /// By what `unique` compares two values; `None` where the kind can't be unique.
    fn unique_key(&self, stored: &Json) -> Option<String> {
        let _ = stored;
        None
    }

    /// The named parts of the definition that values point to: choices, statements, items.
    fn items(&self) -> Vec<Item<'_>> {
        Vec::new()
    }

    /// Which of `items` a stored value points to.
    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let _ = stored;
        Vec::new()
    }

    /// Whether a stored value points to the one of `items` with this code.
    fn points_to(&self, stored: &Json, code: &str) -> bool {
        self.uses(stored).contains(&code)
    }

    /// What a stored value takes of things of which there may be only so many. Everything countable is
    /// named, also what has no limit today: a limit that is set later counts what was taken before.
    fn takes(&self, stored: &Json, cx: &Cx) -> Vec<Take> {
        let _ = (stored, cx);
        Vec::new()
    }

    /// What a stored value costs; `None` where the kind has no prices.
    fn total(&self, stored: &Json) -> Option<Decimal> {
        let _ = stored;
        None
    }

    /// The fields inside this one, numbered within it: the columns of a matrix or a table.
    fn sub_fields(&self) -> &[Field] {
        &[]
    }

    /// The stored cells of one of `sub_fields`, blank ones left out: `field_3.field_1` of a filter is any
    /// of them.
    fn cells<'v>(&self, stored: &'v Json, api_code: &str) -> Vec<&'v Json> {
        let _ = (stored, api_code);
        Vec::new()
    }

    /// Which files its values are, where they are files.
    fn file_rules(&self) -> Option<FileRules<'_>> {
        None
    }

    /// Whether a value may hold files.
    fn has_files(&self) -> bool {
        let columns = self.sub_fields();
        self.file_rules().is_some() || columns.iter().any(|column| column.kind.has_files())
    }

    /// The largest file that the definition asks for, in MB; the server takes no larger ones than it is
    /// told to.
    fn largest_file_mb(&self) -> Option<u64> {
        None
    }

    /// The own keys as the store keeps them: with what only we need to know of fields inside.
    fn to_stored(&self) -> Json {
        self.as_json()
    }

    /// What it says of another form, where values link to that form's entries.
    fn link_rules(&self) -> Option<&LinkRules> {
        None
    }

    /// The entries of other forms that a value in its write shape names: `parse` asks `cx.found` for them.
    fn wants(&self, raw: &Json) -> Vec<Link> {
        let _ = raw;
        Vec::new()
    }

    /// The entries of other forms that a stored value links to: reading asks `cx.found` for them.
    fn links(&self, stored: &Json) -> Vec<Link> {
        let _ = stored;
        Vec::new()
    }

    /// The own keys as a respondent may see them: no scores, answers, quotas or hidden choices.
    fn for_respondent(&self) -> Json {
        self.as_json()
    }

    /// Counts the answers for a report.
    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        let _ = room;
        Box::new(Answered)
    }

    /// The control on the form page, without label, notes and error: `fields` and the page draw those.
    fn input(&self, cx: &InputCx) -> Markup;

    /// The value with which the control is largest, where respondents may add rows to it.
    fn fullest(&self) -> Option<Json> {
        None
    }

    /// What the definition allows, in one line: people read it before they answer.
    fn limits(&self, texts: &Texts, cx: &Cx) -> Option<String> {
        let _ = (texts, cx);
        None
    }

    /// The module among the assets that makes the control better; the page loads it once.
    fn script(&self) -> Option<&'static str> {
        None
    }

    /// A field's `default_value` as a value in the write shape: dates know the words `today` and `now`.
    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        let _ = cx;
        raw.clone()
    }

    /// Whether the control is several controls under one legend (then the page draws a fieldset).
    fn is_group(&self) -> bool {
        false
    }

    /// Where it parts two pages of the form, the words of their buttons.
    fn page_break(&self) -> Option<PageBreak<'_>> {
        None
    }

    /// What the page posted → write shape; null when nothing was.
    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let _ = cx;
        part.single()
    }
}

/// What stored values are that say all by themselves; the kind then leaves the one cell of a spreadsheet to
/// its default.
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

/// A part of what there may be only so many of: places of a slot on a day, pieces in stock, a choice's
/// share. Whoever writes adds up what live entries take of a counter and holds the sum to the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    /// What is counted, by a name that is unique in the field and stays the same: `room/2026-11-20/am`.
    pub counter: String,
    /// How many of it.
    pub amount: u64,
    /// How many all live entries may take together; none: any number.
    pub limit: Option<u64>,
    /// The part of the value that takes it, for the fault's path: `[2].number`.
    pub at: String,
}

/// One named part of a definition.
#[derive(Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The list it stands in: `choices`, `statements`, `goods_items` …
    pub list: &'static str,
    /// Its api_code; of a part within a part, with the outer codes before it: `cake.size.large`.
    pub code: &'a str,
    /// What people call it.
    pub label: &'a str,
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

/// What reading and writing values needs to know of the form and the moment.
pub struct Cx<'a> {
    /// The form's timezone.
    pub timezone: &'a TimeZone,
    /// The form's locale, such as `en` or `zh-CN`.
    pub locale: &'a str,
    /// When the request began.
    pub now: Time,
    /// Whether a respondent writes or reads, rather than a collaborator.
    pub respondent: bool,
    /// What was looked up in other forms.
    pub found: &'a Found,
    /// What files need.
    pub files: FilesCx<'a>,
}

impl<'a> Cx<'a> {
    /// The same, for a value of this field.
    pub fn of_field(&self, field: &'a Field) -> Self {
        let files = FilesCx {
            field: &field.api_code,
            ..self.files
        };
        Self { files, ..*self }
    }

    /// The same, for a cell of this column of the field.
    pub fn of_column(&self, column: &'a Field) -> Self {
        let files = FilesCx {
            column: Some(&column.api_code),
            ..self.files
        };
        Self { files, ..*self }
    }
}

impl Cx<'static> {
    /// No form at all, at no time: for descriptions.
    pub fn of_none() -> Self {
        static UTC: TimeZone = TimeZone::UTC;
        Self {
            timezone: &UTC,
            locale: "en",
            now: Time::default(),
            respondent: false,
            found: &NOTHING,
            files: FilesCx::default(),
        }
    }
}

#[cfg(test)]
impl Cx<'static> {
    /// A form in UTC, at noon of 20 November 2026.
    pub fn of_a_test(respondent: bool) -> Self {
        static UTC: TimeZone = TimeZone::UTC;
        Self {
            timezone: &UTC,
            locale: "en",
            now: Time::parse("2026-11-20T12:00:00Z").expect("a time"),
            respondent,
            found: Found::of_a_test(),
            files: FilesCx::default(),
        }
    }
}

/// What reading a definition needs to know.
#[derive(Clone, Copy, Default)]
pub struct BuildCx<'a> {
    /// All kinds, for kinds made of others.
    pub kinds: &'static [&'static Row],
    /// Item names that this field has, or once had and lost: the latter are never used again.
    pub known: &'a [String],
    /// Of these, the ones that it lost.
    pub retired: &'a [String],
    /// The kind that the field has had so far.
    pub old: Option<&'a dyn Kind>,
    /// Whether the definition comes from the store, where it has what `Kind::to_stored` adds.
    pub is_stored: bool,
    /// What was looked up in other forms; none where the definition was checked long ago.
    pub found: Option<&'a Found>,
    /// What was looked up of images.
    pub images: &'a Images,
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
            return inputs::typed(value);
        };
        let typed = self
            .posted
            .and_then(|posted| posted.typed_as(name, value, locale));
        typed.map_or_else(
            || local_number::in_control(&number.to_string(), locale),
            str::to_owned,
        )
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

/// A fault inside a value, in the form's words.
#[derive(Clone)]
pub struct ShownFault {
    /// From the value on: `[2].field_1`.
    pub path: String,
    pub text: String,
    /// Whether one message at the whole value stands for this fault and others.
    pub is_joined: bool,
}

/// What a kind may be used for (spec 2.4, 2.5), and which header keys it takes.
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
    };
}

/// A kind's row in the table.
pub struct Row {
    /// The `type` in a definition.
    pub name: &'static str,
    /// What it may be used for.
    pub facets: Facets,
    /// Reads the own keys of a definition; faults stay in the reader.
    pub build: fn(&mut Reader, &BuildCx) -> Box<dyn Kind>,
    /// Examples that tests walk.
    pub samples: &'static [Sample],
}

/// One example of a kind: the texts are JSON.
pub struct Sample {
    /// Own keys of the definition.
    pub definition: &'static str,
    /// A value in its write shape.
    pub write: &'static str,
    /// The same as it is stored.
    pub stored: &'static str,
    /// The same for people.
    pub text: &'static str,
}
