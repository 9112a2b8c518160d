//! `cascade`: a path through a tree of choices: country, region, town.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set, Things};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::Type;
use crate::fields::inputs;
use crate::fields::items::item_code;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Control, Cx, Facets, InputCx, Item, Kind, Operand, Parts, Row, Sample, Sheet,
};
use crate::fields::known_keys;
use crate::fields::report::choices::{Level, Levels};
use crate::fields::sheet::{self, Cell, Column};

const MAX_NODES: usize = 5000;
const MAX_LABEL: usize = 500;
const LEVELS: [&str; 5] = ["level_1", "level_2", "level_3", "level_4", "level_5"];

pub static KIND: Row = Row {
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

/// A choice and those below it. A choice without children ends the path.
#[derive(Serialize)]
struct Node {
    api_code: String,
    label: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Node>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let levels = reader.opt_int("levels", 2..=5).unwrap_or(2);
    let levels = usize::try_from(levels).unwrap_or(2);
    let mut seen = HashSet::new();
    reader.note("choices", || json!({"minItems": 1}));
    if !reader.has("choices") {
        reader.fault("choices", Reason::Required);
    }
    let choices = read_nodes(reader, "choices", levels, cx, &mut seen);
    let counts = choices.as_ref().map(|_| seen.len());
    if counts.is_some_and(|count| count == 0 || count > MAX_NODES) {
        reader.fault("choices", Reason::not_one_to(MAX_NODES, Things::Choices));
    }
    Box::new(Cascade {
        levels,
        choices: choices.unwrap_or_default(),
    })
}

/// Reads the choices of one list and those below, `depth` levels in all.
fn read_nodes(
    reader: &mut Reader,
    list: &str,
    depth: usize,
    cx: &BuildCx,
    seen: &mut HashSet<String>,
) -> Option<Vec<Node>> {
    reader.opt_objects(list, |item| {
        let api_code = item_code(item, cx, seen);
        let label = item.text("label", MAX_LABEL);
        let children = if depth > 1 {
            read_nodes(item, "children", depth - 1, cx, seen).unwrap_or_default()
        } else {
            if item
                .opt_list("children")
                .is_some_and(|list| !list.is_empty())
            {
                item.fault("children", Reason::other("must not be deeper than levels"));
            }
            Vec::new()
        };
        Node {
            api_code,
            label,
            children,
        }
    })
}

fn named(nodes: &[Node]) -> impl Iterator<Item = (&str, &str)> + Clone {
    nodes
        .iter()
        .map(|node| (node.api_code.as_str(), node.label.as_str()))
}

fn find<'n>(nodes: &'n [Node], code: &str) -> Option<&'n Node> {
    nodes.iter().find(|node| node.api_code == code)
}

/// The codes of a value, from the first level down.
fn codes(value: &Json) -> impl Iterator<Item = &str> {
    LEVELS.iter().map_while(|level| value[*level].as_str())
}

/// The value of a path.
fn value<'n>(path: impl IntoIterator<Item = &'n str>) -> Json {
    let levels = LEVELS.iter().zip(path);
    Json::Object(
        levels
            .map(|(level, code)| ((*level).to_owned(), json!(code)))
            .collect(),
    )
}

/// The path to the node with this code, which is unique in the tree.
fn path_to<'n>(nodes: &'n [Node], code: &str) -> Option<Vec<&'n Node>> {
    nodes.iter().find_map(|node| {
        if node.api_code == code {
            return Some(vec![node]);
        }
        let mut path = path_to(&node.children, code)?;
        path.insert(0, node);
        Some(path)
    })
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
        let properties: Map<String, Json> = levels
            .map(|level| ((*level).to_owned(), json!({"type": "string"})))
            .collect();
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
        let level = |name: &str| {
            given
                .get(name)
                .filter(|code| !code.is_null() && *code != "")
        };
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
            let moved = given
                .iter()
                .rev()
                .find_map(|code| path_to(&self.choices, code));
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

    /// Every path from the top down, so that a part of the path matches what is below it; and the labels.
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

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| self.way(value))
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        fn add<'n>(nodes: &'n [Node], level: usize, all: &mut Vec<Level<'n>>) {
            for node in nodes {
                all.push(Level {
                    level,
                    code: &node.api_code,
                    label: &node.label,
                });
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
}

impl Parts for Cascade {
    fn items(&self) -> Vec<Item<'_>> {
        fn add<'n>(nodes: &'n [Node], items: &mut Vec<Item<'n>>) {
            for node in nodes {
                items.push(Item {
                    list: "choices",
                    code: &node.api_code,
                    label: &node.label,
                });
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
}

impl Sheet for Cascade {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        let levels = LEVELS.iter().take(self.levels).zip(1..);
        levels
            .map(|(level, number)| Column::part(level, number.to_string()))
            .collect()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let mut nodes = self.choices.as_slice();
        let mut cells = Vec::new();
        for code in codes(stored).take(self.levels) {
            cells.push(Cell::text(sheet::word(named(nodes), code)));
            nodes = find(nodes, code).map_or(&[], |node| &node.children);
        }
        cells.resize(self.levels, Cell::Blank);
        cells
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let mut nodes = self.choices.as_slice();
        let mut way = Vec::new();
        for cell in cells.iter().map(|cell| cell.trim()) {
            let code = sheet::meant(named(nodes), cell).unwrap_or(cell);
            nodes = find(nodes, code).map_or(&[], |node| &node.children);
            way.push(code);
        }
        value(way)
    }
}

impl Operand for Cascade {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Control for Cascade {
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
        const FAULT: Reason = Reason::MustBe(Expected::Other(
            "an object of level_1 and the levels below it, each a choice's api_code",
        ));
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

/// The options of all paths that continue this one.
fn options(way: &mut Vec<&Node>, chosen: &str) -> Markup {
    let children = way.last().map_or(&[][..], |node| node.children.as_slice());
    html! {
        @for child in children {
            ({
                way.push(child);
                let drawn = if child.children.is_empty() {
                    option(way, &way[1..], chosen)
                } else {
                    options(way, chosen)
                };
                way.pop();
                drawn
            })
        }
    }
}

/// The option of a complete path; `said` are the nodes that no heading names.
fn option(way: &[&Node], said: &[&Node], chosen: &str) -> Markup {
    let codes: Vec<&str> = way.iter().map(|node| node.api_code.as_str()).collect();
    let codes = codes.join("/");
    let labels: Vec<&str> = said.iter().map(|node| node.label.as_str()).collect();
    html! {
        option value=(codes) selected[codes == chosen] dir="auto"
            // The labels for the script, unless they can be read from the text.
            data-labels=[(labels.len() > 1).then(|| json!(labels).to_string())] {
            (labels.join(" / "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(raw: Json) -> (Box<dyn Kind>, Vec<String>) {
        let mut at = Issues::new();
        let cx = BuildCx::default();
        let kind = build(&mut Reader::new(raw, &mut at), &cx);
        let faults = at.into_list().into_iter();
        let faults = faults.map(|issue| format!("{}: {}", issue.attribute, issue.message()));
        (kind, faults.collect())
    }

    /// Three levels; one path ends early.
    fn world() -> Box<dyn Kind> {
        let (kind, faults) = built(json!({"levels": 3, "choices": [
            {"api_code": "eu", "label": "Europe", "children": [
                {"api_code": "it", "label": "Italy", "children": [
                    {"api_code": "rome", "label": "Rome"}, {"api_code": "bari", "label": "Bari"}]},
                {"api_code": "va", "label": "Vatican"}]},
            {"api_code": "sea", "label": "At sea"},
        ]}));
        assert_eq!(faults, Vec::<String>::new());
        kind
    }

    #[test]
    fn a_part_of_the_way_finds_what_lies_below() {
        let cx = Cx::of_a_test(false);
        let world = world();
        let rome = world.keys(
            &json!({"level_1": "eu", "level_2": "it", "level_3": "rome"}),
            &cx,
        );
        let holds = |op, value: Json| {
            let cond = world.condition(op, &value, &cx).expect("a condition");
            cond.holds(&rome)
        };
        assert!(holds(Op::Eq, json!({"level_1": "eu"})));
        assert!(holds(
            Op::Eq,
            json!({"level_1": "eu", "level_2": "it", "level_3": null})
        ));
        assert!(holds(
            Op::Eq,
            json!({"level_1": "eu", "level_2": "it", "level_3": "rome"})
        ));
        assert!(!holds(Op::Eq, json!({"level_1": "eu", "level_2": "va"})));
        assert!(holds(Op::Ne, json!({"level_1": "sea"})));
        assert!(holds(
            Op::AnyIn,
            json!([{"level_1": "sea"}, {"level_1": "eu", "level_2": "it"}])
        ));
        assert!(!holds(Op::NoneIn, json!([{"level_1": "eu"}])));
        assert!(holds(Op::Like, json!("ital")) && holds(Op::Like, json!("ROM")));
        assert!(!holds(Op::Like, json!("eu/")) && !holds(Op::Like, json!("vatican")));
        assert!(!holds(Op::Eq, json!({"level_1": "nowhere"})));
        for bad in [
            json!("eu"),
            json!({}),
            json!({"level_2": "it"}),
            json!({"level_1": "eu", "level_3": "rome"}),
            json!({"level_1": "eu", "level_4": "x"}),
            json!({"level_1": ""}),
            json!({"level_1": 5}),
            json!([{"level_1": "eu"}]),
        ] {
            assert!(world.condition(Op::Eq, &bad, &cx).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_was_moved_is_found_and_what_is_gone_leaves_the_rest() {
        let cx = Cx::of_a_test(false);
        for (stored, today) in [
            (
                json!({"level_1": "sea", "level_2": "it", "level_3": "bari"}),
                json!({"level_1": "eu", "level_2": "it", "level_3": "bari"}),
            ),
            (
                json!({"level_1": "gone", "level_2": "va"}),
                json!({"level_1": "eu", "level_2": "va"}),
            ),
            (
                json!({"level_1": "eu", "level_2": "gone"}),
                json!({"level_1": "eu"}),
            ),
            (json!({"level_1": "gone"}), json!({})),
        ] {
            assert_eq!(world().prune(stored, &cx), today);
        }
    }

    #[test]
    fn the_list_holds_whole_ways_alone() {
        let texts = crate::base::texts::texts("en");
        let cx = Cx::of_a_test(true);
        let drawn = |value: Json| {
            let input = InputCx {
                posted: None,
                name: "field_1",
                label: "Where?",
                value: &value,
                required: false,
                placeholder: None,
                invalid: false,
                faults: &[],
                described_by: "",
                currency: "USD",
                seed: "",
                texts,
                cx: &cx,
            };
            world().input(&input).into_string()
        };
        let page = drawn(json!({"level_1": "eu", "level_2": "va"}));
        let values: Vec<&str> = page
            .split("<option value=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(values, ["", "eu/it/rome", "eu/it/bari", "eu/va", "sea"]);
        assert!(page.contains(r#"<option value="eu/va" selected"#), "{page}");
        assert!(page.contains("Italy / Rome"), "{page}");
        // What a script left incomplete is kept.
        assert!(
            drawn(json!({"level_1": "eu"}))
                .contains(r#"<option value="eu" data-partial selected>Europe<"#)
        );
        let posted = |pairs: &[(&'static str, &'static str)]| {
            let tree = FormPart::tree(pairs.iter().copied());
            world().form_value(
                tree.member("field_1").expect("posted"),
                &Cx::of_a_test(true),
            )
        };
        assert_eq!(
            posted(&[("field_1", "eu/va")]),
            json!({"level_1": "eu", "level_2": "va"})
        );
        assert_eq!(
            posted(&[("field_1.level_1", "sea")]),
            json!({"level_1": "sea"})
        );
        assert_eq!(posted(&[("field_1", "")]), json!(null));
    }

    #[test]
    fn definitions_are_bounded() {
        let leaf = json!({"label": "x"});
        let faults = |raw: Json| built(raw).1;
        assert_eq!(
            faults(json!({"levels": 6})),
            ["levels: must be 2 to 5", "choices: is required"]
        );
        assert_eq!(
            faults(json!({"choices": []})),
            ["choices: must have 1 to 5000 choices"]
        );
        let deep = json!([{"label": "a", "children": [{"label": "b", "children": [leaf]}]}]);
        assert_eq!(
            faults(json!({"choices": deep})),
            ["choices[0].children[0].children: must not be deeper than levels"]
        );
        assert_eq!(
            faults(
                json!({"choices": [{"api_code": "a", "label": "a", "children": [{"api_code": "a", "label": ""}]}]})
            ),
            [
                "choices[0].children[0].api_code: stands twice",
                "choices[0].children[0].label: can't be blank"
            ]
        );
        let wide =
            |count| json!({"choices": [{"label": "a", "children": vec![leaf.clone(); count]}]});
        assert_eq!(faults(wide(4999)).len(), 0);
        assert_eq!(faults(wide(5000)), ["choices: must have 1 to 5000 choices"]);
    }
}
