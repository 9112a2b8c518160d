//! Sanitised rich text as a tree of JSON, for the editor: pages take no HTML from scripts or for them. A text is a
//! string, an element is `["p", ...]` with its attributes, if it has any, as an object after its name.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::images::Images;
use crate::fields::texts::rich_text;

/// Elements without an end tag.
const VOID: [&str; 2] = ["br", "img"];
/// The attribute that sanitising adds by itself.
const ADDED: &str = "rel";

/// The nodes of a rich text as it would be stored.
pub fn of(html: &str, images: &Images) -> Json {
    Json::Array(parse(&rich_text::clean(html, images)))
}

/// Reads the sanitiser's own output: each element has its end tag, each value its quotes.
fn parse(clean: &str) -> Vec<Json> {
    // Open elements, each with its content so far; the first holds all.
    let mut open: Vec<Vec<Json>> = vec![Vec::new()];
    let mut rest = clean;
    while let Some((text, tail)) = rest.split_once('<') {
        push_text(&mut open, text);
        let (tag, tail) = tail.split_once('>').unwrap_or((tail, ""));
        rest = tail;
        if tag.starts_with('/') {
            close(&mut open);
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = vec![json!(name)];
        let attributes = read_attributes(attributes);
        if !attributes.is_empty() {
            element.push(Json::Object(attributes));
        }
        open.push(element);
        if VOID.contains(&name) {
            close(&mut open);
        }
    }
    push_text(&mut open, rest);
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().unwrap_or_default()
}

fn close(open: &mut Vec<Vec<Json>>) {
    if open.len() > 1
        && let Some(element) = open.pop()
        && let Some(parent) = open.last_mut()
    {
        parent.push(Json::Array(element));
    }
}

fn push_text(open: &mut [Vec<Json>], text: &str) {
    if let Some(parent) = open.last_mut()
        && !text.is_empty()
    {
        parent.push(json!(plain(text)));
    }
}

fn read_attributes(mut text: &str) -> Map<String, Json> {
    let mut out = Map::new();
    while let Some((name, tail)) = text.trim_start().split_once("=\"")
        && let Some((value, tail)) = tail.split_once('"')
    {
        if name != ADDED {
            out.insert(name.to_owned(), json!(plain(value)));
        }
        text = tail;
    }
    out
}

/// A text with HTML entities decoded.
fn plain(text: &str) -> String {
    [("&nbsp;", "\u{a0}"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (sign, plain)| text.replace(sign, plain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;
    use crate::fields::images::NOTHING;

    /// Writes a tree as the editor does.
    fn html(nodes: &[Json]) -> String {
        let sign = |text: &str| {
            let signs = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")];
            signs.iter().fold(text.to_owned(), |text, (plain, sign)| text.replace(plain, sign))
        };
        let write = |node: &Json| match node {
            Json::String(text) => sign(text),
            Json::Array(element) => {
                let name = element[0].as_str().expect("a name");
                let attributes = element.get(1).and_then(Json::as_object);
                let inner = &element[1 + usize::from(attributes.is_some())..];
                let attributes: String = attributes
                    .into_iter()
                    .flatten()
                    .map(|(key, value)| format!(" {key}=\"{}\"", sign(value.as_str().expect("a text"))))
                    .collect();
                let end = if VOID.contains(&name) { String::new() } else { format!("</{name}>") };
                format!("<{name}{attributes}>{}{end}", html(inner))
            }
            other => panic!("{other}"),
        };
        nodes.iter().map(write).collect()
    }

    #[test]
    fn a_text_is_a_tree() {
        let text =
            "<p>Bring <b>5 &lt; 6</b> &amp; a <a href=\"https://a.example/?x=1&amp;y\">map</a><br></p><ul><li>x</ul>";
        let tree = json!([
            ["p", "Bring ", ["b", "5 < 6"], " & a ", ["a", {"href": "https://a.example/?x=1&y"}, "map"], ["br"]],
            ["ul", ["li", "x"]],
        ]);
        assert_eq!(of(text, &NOTHING), tree);
        assert_eq!(of("", &NOTHING), json!([]));
        assert_eq!(of("<script>x</script>&amp;lt;", &NOTHING), json!(["&lt;"]));
        let mut images = Images::of_request("https://forms.example");
        images.add("sea".to_owned(), (30, 20));
        let tree = of("<img src='https://forms.example/images/sea' alt='a \"b\" &lt; c'><img src=x>", &images);
        let own =
            json!({"src": "https://forms.example/images/sea", "alt": "a \"b\" < c", "width": "30", "height": "20"});
        assert_eq!(tree, json!([["img", own]]));
    }

    /// A block as an editor may produce it: parsers move elements that are nested in other ways.
    fn block() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "<b>x</b>",
            "<i>a <u>b</u></i>",
            "<a href=\"https://h/?a&b\">m <b>n</b></a>",
            "<br>",
            "&amp;lt;",
            "&nbsp;",
            "&lt;",
            "\"",
            "é",
            "text ",
            "<img src=x>",
            "<script>y</script>",
            "<span>z</span>",
        ]);
        let tags = prop::sample::select(vec!["p", "h3", "blockquote", "ul", "ol"]);
        (tags, prop::collection::vec(pieces, 0..8)).prop_map(|(tag, pieces)| {
            let inner = pieces.concat();
            let inner = if tag.ends_with('l') { format!("<li>{inner}</li><li>{inner}</li>") } else { inner };
            format!("<{tag}>{inner}</{tag}>")
        })
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_the_editor_writes_is_the_same_tree(blocks in prop::collection::vec(block(), 0..6)) {
            let tree = of(&blocks.concat(), &NOTHING);
            let nodes = tree.as_array().cloned().unwrap_or_default();
            prop_assert_eq!(of(&html(&nodes), &NOTHING), tree);
        }
    }
}
