//! Charts of a report: bars and the like, each with the conditions that find the entries behind it. A kind's tally
//! decides which ones it has. Pure: pages give them shape and words.

use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter::cond::Op;

/// The name of a bar. Numbers and dates are written by the page, as its reader's language has them.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// The owner's words.
    Text(String),
    Number(Json),
    /// From the first number up to but not including the second.
    Range(Json, Json),
    /// A day, a month or a year: `2026-11-29`, `2026-11`, `2026`.
    Date(String),
    /// The week that begins on this Monday.
    Week(String),
    /// An hour of the day.
    Hour(usize),
}

/// Conditions on a question, all of which hold for exactly the entries that a bar counts.
pub type Found = Vec<(Op, Json)>;

#[derive(Clone, Debug)]
pub struct Bar {
    pub label: Label,
    pub count: u64,
    /// Depth in a tree of choices, from 0.
    pub depth: usize,
    /// The units that were ordered or booked, where that is more than entries.
    pub units: Option<u64>,
    /// `None` if no conditions match exactly the bar's entries.
    pub found: Option<Found>,
}

impl Bar {
    pub fn new(label: Label, count: u64, found: Option<Found>) -> Self {
        Self { label, count, depth: 0, units: None, found }
    }

    /// Estimated memory.
    pub fn bytes(&self) -> usize {
        let label = match &self.label {
            Label::Text(text) | Label::Date(text) | Label::Week(text) => text.len(),
            _ => 0,
        };
        // A condition is about as long as two names.
        size_of::<Self>() + label + self.found.as_ref().map_or(0, |found| found.len() * 128)
    }

    /// A bar of the entries that have this value.
    pub fn of_value(label: Label, count: u64, value: Json) -> Self {
        Self::new(label, count, Some(vec![(Op::Eq, value)]))
    }

    /// A bar of the entries that have this code among others.
    pub fn of_code(label: &str, count: u64, code: &str) -> Self {
        Self::new(Label::Text(label.to_owned()), count, Some(vec![(Op::AnyIn, json!([code]))]))
    }
}

/// Summary of numbers; null if there are none.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub least: Json,
    pub greatest: Json,
    pub mean: Json,
    pub sum: Json,
}

/// The places that were given to one choice of a ranking.
#[derive(Clone, Debug)]
pub struct Places {
    pub label: String,
    /// How often it was given a place.
    pub count: u64,
    /// How often that was the first.
    pub firsts: u64,
    /// The mean place; null without any.
    pub mean: Json,
    /// The part of the longest bar that it takes, 0 to 1.
    pub length: f64,
}

/// A cell of a heat table.
#[derive(Clone, Debug)]
pub struct Cell {
    /// A count or a mean; null for none.
    pub value: Json,
    /// How dark it is, 0 to 1.
    pub shade: f64,
}

#[derive(Clone, Debug)]
pub struct HeatRow {
    pub label: String,
    pub answered: u64,
    pub cells: Vec<Cell>,
}

/// A text and the number of its entry.
pub type Said = (i64, String);

#[derive(Clone, Debug, Default)]
pub enum Chart {
    /// Only the number of answers.
    #[default]
    Nothing,
    /// Horizontal bars, one per choice, item or place.
    Bars {
        bars: Vec<Bar>,
        /// Texts typed for the other choice, and those added to choices.
        other: Vec<Said>,
        extended: Vec<Said>,
        /// Total price of ordered goods.
        total_price: Option<Json>,
    },
    /// Booked items, and the days for which they are booked.
    Booked { bars: Vec<Bar>, days: Vec<Bar> },
    /// Bars that stand side by side, from the least number to the greatest.
    Histogram { bars: Vec<Bar>, figures: Figures },
    /// Columns over time; the ends are the earliest and the latest.
    Columns { bars: Vec<Bar>, ends: Option<(String, String)> },
    /// One bar per point of a scale.
    Scale { bars: Vec<Bar>, figures: Figures },
    /// Detractors, passives and promoters in one bar, and the points of the scale; the score is null without answers.
    Promoters { bars: Vec<Bar>, figures: Figures, score: Json },
    /// Mean places, the best first: the longest bar is the best.
    Ranks { rows: Vec<Places> },
    /// How often each choice was taken in each line.
    Heat { columns: Vec<String>, rows: Vec<HeatRow> },
    /// The mean of each line in each column.
    MeanHeat { columns: Vec<String>, rows: Vec<HeatRow> },
    /// The newest texts.
    Texts(Vec<Said>),
    /// Number of files.
    Files(u64),
    /// The columns of a table, over `rows` rows.
    Parts { rows: u64, parts: Vec<Card> },
    /// The columns of a matrix.
    Columned(Vec<Card>),
}

/// A question in a report.
#[derive(Clone, Debug, Default)]
pub struct Card {
    pub api_code: String,
    pub label: String,
    pub answered: u64,
    /// Whether lists can be narrowed to the entries with an answer.
    pub is_found: bool,
    pub chart: Chart,
}

impl Card {
    /// Estimated memory.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.label.len() + self.chart.bytes()
    }

    /// A condition on the question, as filters have it.
    pub fn condition(&self, op: Op, value: &Json) -> Json {
        match op {
            Op::Null | Op::NotNull => json!({"field": self.api_code, "operator": op.name()}),
            op => json!({"field": self.api_code, "operator": op.name(), "value": value}),
        }
    }

    /// The conditions that find the entries behind one of its bars, in the format of filters.
    pub fn conditions(&self, bar: &Bar) -> Option<Vec<Json>> {
        let found = bar.found.as_ref()?;
        Some(found.iter().map(|(op, value)| self.condition(*op, value)).collect())
    }
}

impl Chart {
    /// Estimated memory.
    fn bytes(&self) -> usize {
        let said = |texts: &[Said]| texts.iter().map(|(_, text)| size_of::<Said>() + text.len()).sum::<usize>();
        match self {
            Self::Bars { bars, other, extended, .. } => {
                bars.iter().map(Bar::bytes).sum::<usize>() + said(other) + said(extended)
            }
            Self::Booked { bars, days } => bars.iter().chain(days).map(Bar::bytes).sum(),
            Self::Histogram { bars, .. }
            | Self::Columns { bars, .. }
            | Self::Scale { bars, .. }
            | Self::Promoters { bars, .. } => bars.iter().map(Bar::bytes).sum(),
            Self::Ranks { rows } => rows.iter().map(|row| size_of::<Places>() + row.label.len()).sum(),
            Self::Heat { columns, rows } | Self::MeanHeat { columns, rows } => {
                let row = |row: &HeatRow| row.label.len() + row.cells.len() * size_of::<Cell>();
                columns.iter().map(String::len).sum::<usize>() + rows.iter().map(row).sum::<usize>()
            }
            Self::Texts(texts) => said(texts),
            Self::Parts { parts, .. } | Self::Columned(parts) => parts.iter().map(Card::bytes).sum(),
            Self::Nothing | Self::Files(_) => 0,
        }
    }

    /// Its bars, if it has such.
    pub fn bars(&self) -> &[Bar] {
        match self {
            Self::Bars { bars, .. }
            | Self::Booked { bars, .. }
            | Self::Histogram { bars, .. }
            | Self::Columns { bars, .. }
            | Self::Scale { bars, .. }
            | Self::Promoters { bars, .. } => bars,
            _ => &[],
        }
    }

    pub fn bars_mut(&mut self) -> &mut [Bar] {
        match self {
            Self::Bars { bars, .. }
            | Self::Booked { bars, .. }
            | Self::Histogram { bars, .. }
            | Self::Columns { bars, .. }
            | Self::Scale { bars, .. }
            | Self::Promoters { bars, .. } => bars,
            _ => &mut [],
        }
    }
}

/// Conditions that find the dates that begin with this text, among dates of at least its length.
pub fn of_dates(text: &str, is_whole: bool) -> Found {
    // A year has neither first nor last days that depend on it; the length of a month is that of the calendar.
    let last = text.parse::<jiff::civil::Date>().ok().or_else(|| format!("{text}-01").parse().ok());
    match text.len() {
        4 if is_whole => vec![(Op::Between, json!([format!("{text}-01-01"), format!("{text}-12-31")]))],
        4 => vec![(Op::Between, json!([format!("{text}-01"), format!("{text}-12")]))],
        7 if is_whole => {
            let last = last.map_or(31, |first| first.days_in_month());
            vec![(Op::Between, json!([format!("{text}-01"), format!("{text}-{last:02}")]))]
        }
        _ => vec![(Op::Eq, json!(text))],
    }
}
