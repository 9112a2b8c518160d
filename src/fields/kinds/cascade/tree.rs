//! The tree of choices: its definition, ways through it, and the options of a control.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::definition::items::item_code;
use crate::fields::kind::BuildCx;

const MAX_LABEL: usize = 500;

/// A choice and those below it. A choice without children ends the path.
#[derive(Serialize)]
pub struct Node {
    pub api_code: String,
    pub label: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

/// Reads the choices of one list and those below, `depth` levels in all.
pub fn read_nodes(
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
            if item.opt_list("children").is_some_and(|list| !list.is_empty()) {
                item.fault("children", Reason::other("must not be deeper than levels"));
            }
            Vec::new()
        };
        Node { api_code, label, children }
    })
}

pub fn named(nodes: &[Node]) -> impl Iterator<Item = (&str, &str)> + Clone {
    nodes.iter().map(|node| (node.api_code.as_str(), node.label.as_str()))
}

pub fn find<'n>(nodes: &'n [Node], code: &str) -> Option<&'n Node> {
    nodes.iter().find(|node| node.api_code == code)
}

/// The path to the node with this code, which is unique in the tree.
pub fn path_to<'n>(nodes: &'n [Node], code: &str) -> Option<Vec<&'n Node>> {
    nodes.iter().find_map(|node| {
        if node.api_code == code {
            return Some(vec![node]);
        }
        let mut path = path_to(&node.children, code)?;
        path.insert(0, node);
        Some(path)
    })
}

/// The options of all paths that continue this one.
pub fn options(way: &mut Vec<&Node>, chosen: &str) -> Markup {
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
pub fn option(way: &[&Node], said: &[&Node], chosen: &str) -> Markup {
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
