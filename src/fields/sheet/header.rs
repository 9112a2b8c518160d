//! Reads a header row and the rows below it: which cells give which field.

use std::collections::HashSet;

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text;
use crate::fields::kind::Cx;
use crate::fields::sheet::form::{Head, heads};
use crate::fields::system::SystemField;
use crate::fields::{Field, Fields};

/// Maps the cells of a row to fields.
pub struct Reading {
    fields: Vec<Source>,
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
enum Target {
    /// One of a field's columns.
    Part(usize, usize),
    /// All of a field that has several columns.
    Whole(usize),
    /// A column about the entry itself, which can't be imported.
    Own,
    Unknown,
}

/// The possible names in a header row.
struct Names<'f> {
    fields: &'f Fields,
    heads: Vec<Head>,
}

impl Names<'_> {
    fn target(head: &Head) -> Target {
        head.place.map_or(Target::Own, |(place, part)| Target::Part(place, part))
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

    /// Resolves a name: a code, a column's name in exports, or an unambiguous label.
    fn find(&self, name: &str) -> Result<Target, String> {
        if name.is_empty() {
            return Ok(Target::Unknown);
        }
        if let Some(head) = self.heads.iter().find(|head| head.code == name) {
            return Ok(Self::target(head));
        }
        if let Some((place, _)) = self.parted().find(|(_, field)| field.api_code == name) {
            return Ok(Target::Whole(place));
        }
        if let Some(head) = self.heads.iter().find(|head| head.shown == name) {
            return Ok(Self::target(head));
        }
        let named = self.heads.iter().filter(|head| head.label.trim() == name);
        let parts = named.filter(|head| head.place.is_some());
        let wholes = self.parted().filter(|(_, field)| field.label.trim() == name);
        let mut found: Vec<(Target, &str)> = parts
            .map(|head| (Self::target(head), head.code.as_str()))
            .chain(wholes.map(|(place, field)| (Target::Whole(place), field.api_code.as_str())))
            .collect();
        match (found.pop(), found.is_empty()) {
            (None, _) => Ok(Target::Unknown),
            (Some((target, _)), true) => Ok(target),
            (Some((_, last)), false) => {
                let codes: Vec<&str> = found.iter().map(|(_, code)| *code).chain([last]).collect();
                Err(format!("{name:?} is the label of several columns: use one of {}", codes.join(", ")))
            }
        }
    }
}

impl Reading {
    /// Reads a header row. Unknown names are ignored; faults are at `header[i]`.
    pub fn of_header(fields: &Fields, results: &[&SystemField], names: &[String], cx: &Cx, at: &mut Issues) -> Self {
        let known = Names { fields, heads: heads(fields, results, cx) };
        let faults = at.count();
        let mut seen: HashSet<Target> = HashSet::new();
        let mut out: Vec<Source> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let clean = text::clean(name.clone()).unwrap_or_default();
            let target = known.find(clean.trim());
            let mut fault = |message: String| at.key("header", |at| at.index(i, |at| at.push(Reason::other(message))));
            let target = match target {
                Ok(Target::Unknown) => continue,
                Ok(target) if target != Target::Own && !seen.insert(target) => {
                    fault(format!("{:?} stands twice", clean.trim()));
                    continue;
                }
                Ok(target) => target,
                Err(message) => {
                    fault(message);
                    continue;
                }
            };
            match target {
                Target::Part(place, part) => {
                    let source = source(&mut out, place);
                    if source.parts.len() <= part {
                        source.parts.resize(part + 1, None);
                    }
                    source.parts[part] = Some(i);
                }
                Target::Whole(place) => source(&mut out, place).whole = Some(i),
                Target::Own | Target::Unknown => {}
            }
        }
        for source in &mut out {
            let columns = known.heads.iter().filter_map(|head| head.place);
            let count = columns.filter(|(place, _)| *place == source.place).count();
            source.parts.resize(count, None);
        }
        if out.is_empty() && at.count() == faults {
            at.push_at("header", Reason::other("names no field of this form"));
        }
        Self { fields: out }
    }

    /// A row's values in the write shape; a field whose cells are all empty is null. Faults are under the fields'
    /// names; the fields with non-empty cells are returned as well.
    pub fn given<'f>(
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
