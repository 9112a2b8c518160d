//! `cascade`: a path through a tree of choices: country, region, town.

#[cfg(test)]
mod tests;
mod tree;

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set, Things};
use crate::base::text::identity;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::filter::compared::{Compared, ComparedItem};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Control, Cx, Facets, Grading, InputCx, Item, Kind, KindRow, Lookup, Operand, Parts, Sample, Sheet,
    check_name,
};
use crate::fields::kinds::cascade::tree::{Node, find, named, option, options, path_to, read_nodes};
use crate::fields::report::choices::{Level, Levels};
use crate::fields::values::formula::Type;
use crate::fields::values::known_keys;
use crate::fields::{grading, inputs};

const MAX_NODES: usize = 5000;
const LEVELS: [&str; 5] = ["level_1", "level_2", "level_3", "level_4", "level_5"];

pub static KIND: KindRow = KindRow {
    name: "cascade",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        conditions: Some(
            "An object of `level_1` and the levels below it; a partial path finds everything below it. `like` searches the labels of all levels.",
        ),
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "eu", "label": "Europe", "children": [{"api_code": "it", "label": "Italy"}]}]}"#,
            write: r#"{"level_1": "eu", "level_2": "it", "level_3": "ignored"}"#,
            stored: r#"{"level_1": "eu", "level_2": "it"}"#,
            text: "Europe / Italy",
        },
        Sample {
            definition: r#"{"levels": 3, "choices": [{"api_code": "a", "label": "A", "children": [{"api_code": "b", "label": "B", "children": [{"api_code": "c", "label": "C"}]}]}]}"#,
            write: r#"{"level_3": "c", "level_2": "b", "level_1": "a"}"#,
            stored: r#"{"level_1": "a", "level_2": "b", "level_3": "c"}"#,
            text: "A / B / C",
        },
    ],
};

#[derive(Serialize)]
struct Cascade {
    levels: usize,
    choices: Vec<Node>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let levels = reader.opt_int("levels", 2..=5).unwrap_or(2);
    let levels = usize::try_from(levels).unwrap_or(2);
    let mut seen = HashSet::new();
    reader.note("choices", || json!({"minItems": 1, "x-ui": "tree"}));
    if !reader.has("choices") {
        reader.fault("choices", Reason::Required);
    }
    let choices = read_nodes(reader, "choices", levels, cx, &mut seen);
    let counts = choices.as_ref().map(|_| seen.len());
    if counts.is_some_and(|count| count == 0 || count > MAX_NODES) {
        reader.fault("choices", Reason::not_one_to(MAX_NODES, Things::Choices));
    }
    Box::new(Cascade { levels, choices: choices.unwrap_or_default() })
}

/// The codes of a value, from the first level down.
fn codes(value: &Json) -> impl Iterator<Item = &str> {
    LEVELS.iter().map_while(|level| value[*level].as_str())
}

/// The value of a path.
fn value<'n>(path: impl IntoIterator<Item = &'n str>) -> Json {
    let levels = LEVELS.iter().zip(path);
    Json::Object(levels.map(|(level, code)| ((*level).to_owned(), json!(code))).collect())
}

impl Cascade {
    /// The nodes on a value's path, as far as they exist.
    fn path<'n>(&'n self, stored: &Json) -> Vec<&'n Node> {
        let mut nodes = self.choices.as_slice();
        let mut path = Vec::new();
        for code in codes(stored) {
            let Some(node) = find(nodes, code) else { break };
            path.push(node);
            nodes = &node.children;
        }
        path
    }
}

impl Kind for Cascade {
    fn read_schema(&self) -> Json {
        let levels = LEVELS.iter().take(self.levels);
        let properties: Map<String, Json> =
            levels.map(|level| ((*level).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties, "required": ["level_1"]})
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let Json::Object(given) = raw else {
            at.push(Reason::MustBe(Expected::Levels));
            return Json::Null;
        };
        if !known_keys::check(&given, LEVELS[..self.levels].iter().copied(), at) {
            return Json::Null;
        }
        let level = |name: &str| given.get(name).filter(|code| !code.is_null() && *code != "");
        let levels = &LEVELS[..self.levels];
        if levels.iter().all(|name| level(name).is_none()) {
            return Json::Null;
        }
        let mut nodes = self.choices.as_slice();
        let mut path = Vec::new();
        for name in levels {
            match level(name).map(Json::as_str) {
                None if nodes.is_empty() => {}
                None => {
                    at.push_at(name, Reason::Blank);
                    break;
                }
                Some(None) => {
                    at.push_at(name, Reason::MustBe(Expected::Text));
                    break;
                }
                Some(Some(code)) => match find(nodes, code) {
                    Some(node) => {
                        path.push(node.api_code.as_str());
                        nodes = &node.children;
                    }
                    None => {
                        at.push_at(name, Reason::NotOneOf(Set::Choices));
                        break;
                    }
                },
            }
        }
        value(path)
    }

    /// Moved choices are found in their new place; if some no longer exist, those above them remain.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let given: Vec<&str> = codes(&stored).collect();
        let mut path = self.path(&stored);
        if path.len() < given.len() {
            let moved = given.iter().rev().find_map(|code| path_to(&self.choices, code));
            path = moved.unwrap_or_default();
        }
        value(path.into_iter().map(|node| node.api_code.as_str()))
    }

    /// A moved choice was not removed: it is found under its new path.
    fn without_removed(&self, stored: Json, cx: &Cx) -> Json {
        if codes(&stored).all(|code| path_to(&self.choices, code).is_some()) {
            return stored;
        }
        self.prune(stored, cx)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let path = self.path(stored);
        let labels: Vec<&str> = path.iter().map(|node| node.label.as_str()).collect();
        labels.join(" / ")
    }

    /// Every path from the top down, so that a part of the path matches everything below it; and the labels.
    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let path = self.path(stored);
        let codes: Vec<&str> = path.iter().map(|node| node.api_code.as_str()).collect();
        let ways = (1..=codes.len()).map(|len| Key::Code(codes[..len].join("/")));
        let labels = path.iter().map(|node| Key::label(&node.label));
        ways.chain(labels).collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn compared(&self) -> Compared {
        fn add(nodes: &[Node], path: &Map<String, Json>, labels: &str, items: &mut Vec<ComparedItem>) {
            for node in nodes {
                let mut path = path.clone();
                path.insert(format!("level_{}", path.len() + 1), json!(node.api_code));
                let labels = if labels.is_empty() { node.label.clone() } else { format!("{labels} / {}", node.label) };
                items.push(ComparedItem::new(path.clone(), &labels));
                add(&node.children, &path, &labels, items);
            }
        }
        let mut items = Vec::new();
        add(&self.choices, &Map::new(), "", &mut items);
        Compared::Items(items)
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| self.way(value))
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        fn add<'n>(nodes: &'n [Node], level: usize, all: &mut Vec<Level<'n>>) {
            for node in nodes {
                all.push(Level { level, code: &node.api_code, label: &node.label });
                add(&node.children, level + 1, all);
            }
        }
        let mut all = Vec::new();
        add(&self.choices, 1, &mut all);
        Box::new(Levels::new(all))
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Same)
    }
}

impl Lookup for Cascade {
    /// A choice of any level includes all below it.
    fn find_by(&self, _: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        match given {
            Json::String(code) if !fuzzy && !code.is_empty() => {
                Ok(Cond::In(vec![cond::way(way_to(&self.choices, code))]))
            }
            given => <dyn Kind>::by_operator(self, given, fuzzy, cx),
        }
    }
}

/// The codes from the top to a choice; of an unknown one, itself.
fn way_to<'n>(nodes: &'n [Node], code: &'n str) -> Vec<&'n str> {
    fn below<'n>(nodes: &'n [Node], code: &str, way: &mut Vec<&'n str>) -> bool {
        nodes.iter().any(|node| {
            way.push(&node.api_code);
            if node.api_code == code || below(&node.children, code, way) {
                return true;
            }
            way.pop();
            false
        })
    }
    let mut way = Vec::new();
    if below(nodes, code, &mut way) { way } else { vec![code] }
}

impl Parts for Cascade {
    fn items(&self) -> Vec<Item<'_>> {
        fn add<'n>(nodes: &'n [Node], items: &mut Vec<Item<'n>>) {
            for node in nodes {
                items.push(Item { list: "choices", code: &node.api_code, label: &node.label });
                add(&node.children, items);
            }
        }
        let mut items = Vec::new();
        add(&self.choices, &mut items);
        items
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        codes(stored).collect()
    }

    /// Each level's choice must be among those below the level above it.
    fn check_names(&self, value: &Json, _: &[Item], at: &mut Issues) {
        let mut nodes = self.choices.as_slice();
        for level in LEVELS.iter().take(self.levels) {
            let Some(code) = value[*level].as_str() else {
                return;
            };
            let found = nodes.iter().find(|node| node.api_code == code);
            let Some(found) = found else {
                let items: Vec<Item> = nodes
                    .iter()
                    .map(|node| Item { list: "choices", code: &node.api_code, label: &node.label })
                    .collect();
                at.key(level, |at| check_name(code, items.iter(), at));
                return;
            };
            nodes = &found.children;
        }
    }
}

impl Sheet for Cascade {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        let levels = LEVELS.iter().take(self.levels).zip(1..);
        levels.map(|(level, number)| Column::part(level, number.to_string())).collect()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let mut nodes = self.choices.as_slice();
        let mut cells = Vec::new();
        for code in codes(stored).take(self.levels) {
            cells.push(Cell::text(columns::word(named(nodes), code)));
            nodes = find(nodes, code).map_or(&[], |node| &node.children);
        }
        cells.resize(self.levels, Cell::Blank);
        cells
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let mut nodes = self.choices.as_slice();
        let mut way = Vec::new();
        for cell in cells.iter().map(|cell| cell.trim()) {
            let code = columns::meant(named(nodes), cell).unwrap_or(cell);
            nodes = find(nodes, code).map_or(&[], |node| &node.children);
            way.push(code);
        }
        value(way)
    }

    /// `Europe / Italy`.
    fn written(&self, cell: &str, _: &Cx) -> Option<Json> {
        way_of(&self.choices, cell).map(value)
    }
}

/// The codes of a path whose parts are separated by slashes, which labels may have too.
fn way_of<'n>(nodes: &'n [Node], typed: &str) -> Option<Vec<&'n str>> {
    if let Some(code) = columns::meant(named(nodes), typed.trim()) {
        return Some(vec![code]);
    }
    // A label may have slashes of its own; the one after them ends it.
    let slashes =
        nodes.iter().map(|node| identity::of_text(&node.label).matches('/').count()).max().unwrap_or_default();
    typed.match_indices('/').take(slashes + 1).find_map(|(at, _)| {
        let code = columns::meant(named(nodes), typed[..at].trim())?;
        let below = way_of(&find(nodes, code)?.children, &typed[at + 1..])?;
        Some(std::iter::once(code).chain(below).collect())
    })
}

impl Operand for Cascade {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Control for Cascade {
    /// The first path.
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let first = std::iter::successors(self.choices.first(), |node| node.children.first());
        vec![value(first.map(|node| node.api_code.as_str()))]
    }

    /// One list of complete paths, which the script splits into a list for each level.
    fn input(&self, cx: &InputCx) -> Markup {
        let chosen = match cx.value {
            Json::String(typed) => typed.clone(),
            value => codes(value).collect::<Vec<_>>().join("/"),
        };
        let path = self.path(cx.value);
        let is_partial = path.last().is_some_and(|node| !node.children.is_empty());
        html! {
            select.input.cascade id=(cx.name) name=(cx.name) required[cx.required]
                data-label=(cx.label) lang=[cx.owners_lang()] aria-invalid=[cx.invalid.then_some("true")]
                aria-describedby=[inputs::described_by(cx)] {
                (inputs::no_option(cx))
                @if is_partial {
                    option value=(chosen) data-partial selected {
                        (path.iter().map(|node| node.label.as_str()).collect::<Vec<_>>().join(" / "))
                    }
                }
                @for node in &self.choices {
                    @if node.children.is_empty() {
                        (option(&[node], &[node], &chosen))
                    } @else {
                        optgroup label=(node.label) { (options(&mut vec![node], &chosen)) }
                    }
                }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("cascade.js")
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        match part.first() {
            Some(way) => value(way.split('/')),
            None => part.object(&LEVELS),
        }
    }
}

impl Cascade {
    /// The way that a filter's value names.
    fn way(&self, value: &Json) -> Result<Key, Reason> {
        const FAULT: Reason =
            Reason::MustBe(Expected::Other("an object of level_1 and the levels below it, each a choice's api_code"));
        let given = value.as_object().ok_or(FAULT)?;
        let given: Vec<_> = given.iter().filter(|(_, code)| !code.is_null()).collect();
        let mut way = Vec::new();
        for level in LEVELS.iter().take(self.levels) {
            let Some((_, code)) = given.iter().find(|(name, _)| name == level) else {
                break;
            };
            way.push(code.as_str().filter(|code| !code.is_empty()).ok_or(FAULT)?);
        }
        // Levels out of order or unknown must not be ignored silently.
        if way.is_empty() || way.len() < given.len() {
            return Err(FAULT);
        }
        Ok(cond::way(way))
    }
}
