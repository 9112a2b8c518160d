//! Reads a header row and the rows below it: which cells give which field, and which columns are ignored.

use std::collections::HashMap;

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::{Phrase, phrase};
use crate::base::text::{self, identity};
use crate::fields::columns::form::{Head, heads};
use crate::fields::columns::mapping::{Mapping, cleaned};
use crate::fields::kind::Cx;
use crate::fields::system::SystemField;
use crate::fields::{Field, Fields};

/// Maps the cells of a row to fields.
pub struct Reading {
    fields: Vec<Source>,
    columns: Vec<Column>,
}

/// A column of a file.
pub struct Column {
    /// Its name in the file.
    pub name: String,
    pub meaning: Meaning,
}

/// Meaning of a column for the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Cells of a field: its index in the form, and the name of the column in the API, such as `field_3.city`.
    Read(usize, String),
    /// A value that the service sets, such as the number of the entry.
    Set,
    /// A field whose values can't be imported, such as formulas.
    Unwritten,
    Unknown,
    /// The column has no name.
    Nameless,
    /// The mapping leaves it out.
    LeftOut,
}

/// The cells of one field.
struct Source {
    /// The index of the field in the form.
    place: usize,
    /// The cell of each of its columns; `None` if the file lacks that column.
    parts: Vec<Option<usize>>,
    /// A single cell for all of a field that has several columns.
    whole: Option<usize>,
}

/// The meaning of a name in a header row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum HeaderName {
    /// One of a field's columns.
    Part(usize, usize),
    /// All of a field that has several columns.
    Whole(usize),
    /// A column about the entry itself, which can't be imported.
    Own,
    Unknown,
    /// The mapping leaves it out.
    LeftOut,
}

impl HeaderName {
    /// Whether two columns give the same value.
    fn collides(self, other: Self) -> bool {
        match (self, other) {
            (Self::Part(place, _), Self::Whole(whole)) | (Self::Whole(whole), Self::Part(place, _)) => place == whole,
            (Self::Own | Self::Unknown | Self::LeftOut, _) => false,
            (own, other) => own == other,
        }
    }
}

/// The possible names in a header row.
pub struct Names<'f> {
    fields: &'f Fields,
    heads: Vec<Head>,
    /// The names in the form in which they are compared if no name matches exactly.
    folded: HashMap<String, Vec<(HeaderName, String)>>,
    /// The columns that a mapping names, each with its target or the reason why it has none.
    mapped: Vec<(String, Result<HeaderName, Reason>)>,
}

impl<'f> Names<'f> {
    /// The names of a form's columns. `results` are the results that an export would have.
    pub fn of(fields: &'f Fields, results: &[&SystemField], cx: &Cx) -> Self {
        let mut names = Self { fields, heads: heads(fields, results, cx), folded: HashMap::new(), mapped: Vec::new() };
        let mut folded: HashMap<String, Vec<(HeaderName, String)>> = HashMap::new();
        let mut add = |name: &str, target: HeaderName, code: &str| {
            let known = folded.entry(same(name)).or_default();
            if !known.iter().any(|(other, _)| *other == target) {
                known.push((target, code.to_owned()));
            }
        };
        for head in &names.heads {
            for name in [&head.code, &head.shown, &head.label] {
                add(name, Self::target(head), &head.code);
            }
        }
        for (place, field) in names.parted() {
            for name in [&field.api_code, &field.label] {
                add(name, HeaderName::Whole(place), &field.api_code);
            }
        }
        names.folded = folded;
        names
    }

    /// The same names under a mapping, which decides about the columns that it names.
    pub fn mapped(mut self, mapping: &Mapping) -> Self {
        let columns = mapping.columns().iter();
        self.mapped = columns.map(|(name, code)| (name.clone(), self.target_of_code(code.as_deref()))).collect();
        self
    }

    /// The target of a code in a mapping.
    fn target_of_code(&self, code: Option<&str>) -> Result<HeaderName, Reason> {
        let Some(code) = code else {
            return Ok(HeaderName::LeftOut);
        };
        let head = self.heads.iter().find(|head| head.code == code);
        let target = match head {
            Some(head) => Some(Self::target(head)),
            None => self.parted().find(|(_, field)| field.api_code == code).map(|(place, _)| HeaderName::Whole(place)),
        };
        let Some(target) = target else {
            return Err(Reason::other(phrase!("{} is no field of this form and no part of one", format!("{code:?}"))));
        };
        match self.meaning(target, code) {
            Meaning::Read(..) => Ok(target),
            Meaning::Set => Err(Reason::other(phrase!("{} is set by the service", format!("{code:?}")))),
            _ => Err(Reason::other(phrase!("{} can't be imported", format!("{code:?}")))),
        }
    }

    /// The number of columns that an export has.
    pub fn count(&self) -> usize {
        self.heads.len()
    }

    /// Number of names in a header row that have a meaning here.
    pub fn known(&self, header: &[String]) -> usize {
        let found = header.iter().map(|name| self.find(&cleaned(name)));
        found.filter(|target| *target != Ok(HeaderName::Unknown)).count()
    }

    /// Possible targets of a file's columns: the codes of fields and their parts, each with its name in exports.
    pub fn targets(&self) -> Vec<(String, String)> {
        let is_written = |place: usize| self.fields.at(place).is_some_and(|field| field.kind.is_written());
        let parts = self.heads.iter().filter(|head| head.place.is_some_and(|(place, _)| is_written(place)));
        let parts = parts.map(|head| (head.place.map(|(place, _)| place), head.code.clone(), head.shown.clone()));
        let wholes = self.parted().filter(|(place, _)| is_written(*place));
        let wholes = wholes.map(|(place, field)| (Some(place), field.api_code.clone(), field.label.clone()));
        let mut all: Vec<(Option<usize>, String, String)> = wholes.chain(parts).collect();
        // The whole of a field before its parts.
        all.sort_by_key(|(place, ..)| *place);
        all.into_iter().map(|(_, code, shown)| (code, shown)).collect()
    }

    /// The code of the only field or part with a similar name: the same letters and digits.
    pub fn alike(&self, name: &str) -> Option<String> {
        let letters = |name: &str| same(name).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let wanted = letters(name);
        let mut found = self.targets().into_iter().filter(|(_, shown)| letters(shown) == wanted);
        let (code, _) = found.next().filter(|_| !wanted.is_empty())?;
        found.next().is_none().then_some(code)
    }

    fn target(head: &Head) -> HeaderName {
        head.place.map_or(HeaderName::Own, |(place, part)| HeaderName::Part(place, part))
    }

    /// Fields that have only partial columns.
    fn parted(&self) -> impl Iterator<Item = (usize, &Field)> {
        let has_whole = |place: usize| {
            let code = |head: &Head| self.fields.at(place).is_some_and(|f| f.api_code == head.code);
            self.heads.iter().any(code)
        };
        let fields = self.fields.iter().enumerate();
        fields.filter(move |(place, field)| field.kind.has_value() && !has_whole(*place))
    }

    /// Resolves a name: a code, a column's name in exports, or an unambiguous label. If no name matches exactly, case,
    /// blanks and invisible characters are ignored.
    fn find(&self, name: &str) -> Result<HeaderName, Phrase> {
        if name.is_empty() {
            return Ok(HeaderName::Unknown);
        }
        if let Some((_, target)) = self.mapped.iter().find(|(column, _)| column == name) {
            return Ok(target.as_ref().copied().unwrap_or(HeaderName::Unknown));
        }
        match self.equal(name)? {
            HeaderName::Unknown => {
                let known = self.folded.get(&same(name)).map_or(&[][..], Vec::as_slice);
                let questions = known.iter().filter(|(target, _)| *target != HeaderName::Own).cloned().collect();
                match only(name, questions)? {
                    HeaderName::Unknown if !known.is_empty() => Ok(HeaderName::Own),
                    target => Ok(target),
                }
            }
            target => Ok(target),
        }
    }

    fn equal(&self, name: &str) -> Result<HeaderName, Phrase> {
        if let Some(head) = self.heads.iter().find(|head| head.code == name) {
            return Ok(Self::target(head));
        }
        if let Some((place, _)) = self.parted().find(|(_, field)| field.api_code == name) {
            return Ok(HeaderName::Whole(place));
        }
        if let Some(head) = self.heads.iter().find(|head| head.shown == name) {
            return Ok(Self::target(head));
        }
        let named = self.heads.iter().filter(|head| head.label.trim() == name);
        let parts = named.filter(|head| head.place.is_some());
        let wholes = self.parted().filter(|(_, field)| field.label.trim() == name);
        let found = parts
            .map(|head| (Self::target(head), head.code.clone()))
            .chain(wholes.map(|(place, field)| (HeaderName::Whole(place), field.api_code.clone())));
        only(name, found.collect())
    }

    /// The meaning of a column for the form.
    fn meaning(&self, target: HeaderName, name: &str) -> Meaning {
        let read = |place: usize, code: &str| match self.fields.at(place) {
            Some(field) if field.kind.is_written() => Meaning::Read(place, code.to_owned()),
            _ => Meaning::Unwritten,
        };
        match target {
            HeaderName::Part(place, part) => {
                let mut heads = self.heads.iter();
                let head = heads.find(|head| head.place == Some((place, part)));
                read(place, head.map_or("", |head| head.code.as_str()))
            }
            HeaderName::Whole(place) => read(place, self.fields.at(place).map_or("", |field| field.api_code.as_str())),
            HeaderName::Own => Meaning::Set,
            HeaderName::LeftOut => Meaning::LeftOut,
            HeaderName::Unknown if name.is_empty() => Meaning::Nameless,
            HeaderName::Unknown => Meaning::Unknown,
        }
    }
}

/// The only one of the columns that have a name.
fn only(name: &str, mut found: Vec<(HeaderName, String)>) -> Result<HeaderName, Phrase> {
    match (found.pop(), found.is_empty()) {
        (None, _) => Ok(HeaderName::Unknown),
        (Some((target, _)), true) => Ok(target),
        (Some((_, last)), false) => {
            let codes: Vec<&str> = found.iter().map(|(_, code)| code.as_str()).chain([last.as_str()]).collect();
            Err(phrase!("{} is the label of several columns: use one of {}", format!("{name:?}"), codes.join(", ")))
        }
    }
}

/// The form in which two names are compared: without case, runs of blanks and invisible characters.
fn same(name: &str) -> String {
    let folded = identity::of_text(name);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Reading {
    /// Reads a header row. Unknown names are ignored; faults are at `header[i]`, those of a mapping at `columns`.
    pub fn of_header(known: &Names, header: &[String], at: &mut Issues) -> Self {
        let faults = at.count();
        let mut seen: HashMap<HeaderName, &str> = HashMap::new();
        let mut out: Vec<Source> = Vec::new();
        let names: Vec<String> = header.iter().map(|name| cleaned(name)).collect();
        at.key("columns", |at| {
            for (column, target) in &known.mapped {
                if !names.contains(column) {
                    at.push_at(column, Reason::other("is not a column of the file"));
                }
                if let Err(reason) = target {
                    at.push_at(column, reason.clone());
                }
            }
        });
        let mut columns = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let mut fault = |message: Phrase| at.key("header", |at| at.index(i, |at| at.push(Reason::other(message))));
            let target = known.find(name).unwrap_or_else(|message| {
                fault(message);
                HeaderName::Unknown
            });
            if let Some(first) = seen.iter().find(|(other, _)| target.collides(**other)).map(|(_, first)| *first) {
                fault(phrase!(
                    "{} and {} name the same field: keep one of them",
                    format!("{name:?}"),
                    format!("{first:?}")
                ));
                columns.push(Column { name: name.clone(), meaning: Meaning::Unknown });
                continue;
            }
            columns.push(Column { name: name.clone(), meaning: known.meaning(target, name) });
            match target {
                HeaderName::Part(place, part) => {
                    let source = source(&mut out, place);
                    if source.parts.len() <= part {
                        source.parts.resize(part + 1, None);
                    }
                    source.parts[part] = Some(i);
                }
                HeaderName::Whole(place) => source(&mut out, place).whole = Some(i),
                HeaderName::Own | HeaderName::Unknown | HeaderName::LeftOut => continue,
            }
            seen.insert(target, name);
        }
        for source in &mut out {
            let columns = known.heads.iter().filter_map(|head| head.place);
            let count = columns.filter(|(place, _)| *place == source.place).count();
            source.parts.resize(count, None);
        }
        if out.is_empty() && at.count() == faults {
            at.push_at("header", Reason::other("names no field of this form"));
        }
        Self { fields: out, columns }
    }

    /// The columns that the header names.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The field that takes the cells of a column, and the column's name in the API.
    pub fn field_of<'f>(&self, fields: &'f Fields, column: usize) -> Option<(&'f Field, &str)> {
        match &self.columns.get(column)?.meaning {
            Meaning::Read(place, code) => Some((fields.at(*place)?, code)),
            _ => None,
        }
    }

    /// A row's values in the write shape; a field whose cells are all empty is null. Faults are under the fields'
    /// names; the fields with non-empty cells are returned as well.
    pub fn row_values<'f>(
        &self,
        fields: &'f Fields,
        cells: &[String],
        cx: &Cx,
        at: &mut Issues,
    ) -> (Map<String, Json>, Vec<&'f str>) {
        let cell = |i: Option<usize>| i.and_then(|i| cells.get(i)).map_or("", String::as_str);
        let mut given = Map::new();
        let mut faulty = Vec::new();
        for source in &self.fields {
            let Some(field) = fields.at(source.place).filter(|f| f.kind.is_written()) else {
                continue;
            };
            let before = at.count();
            let whole = cell(source.whole);
            let value = at.key(&field.api_code, |at| {
                if !text::is_blank(whole) {
                    return field.kind.sheet_whole(whole, cx, at);
                }
                let parts: Vec<&str> = source.parts.iter().map(|part| cell(*part)).collect();
                if parts.iter().all(|part| text::is_blank(part)) {
                    Json::Null
                } else {
                    field.kind.sheet_value(&parts, cx, at)
                }
            });
            if at.count() > before {
                faulty.push(field.api_code.as_str());
            }
            given.insert(field.api_code.clone(), value);
        }
        (given, faulty)
    }
}

fn source(out: &mut Vec<Source>, place: usize) -> &mut Source {
    let known = out.iter().position(|source| source.place == place);
    let index = known.unwrap_or_else(|| {
        out.push(Source { place, parts: Vec::new(), whole: None });
        out.len() - 1
    });
    &mut out[index]
}
