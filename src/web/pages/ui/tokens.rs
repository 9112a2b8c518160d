//! The colours of the stylesheet, and their contrast.

use crate::base::colour::{Colour, EDGE, TEXT};

const STYLE: &str = include_str!("../../../../assets/css/app/base.css");
const CHARTS: &str = include_str!("../../../../assets/css/console/report.css");

/// Grounds, and the texts on them.
const TEXTS: [(&str, &[&str]); 8] = [
    ("bg", &["text", "muted", "accent", "danger", "good", "warn"]),
    ("wash", &["text", "muted", "accent", "danger"]),
    ("ground", &["text", "muted", "accent", "danger"]),
    ("accent-soft", &["text", "muted", "accent"]),
    ("danger-soft", &["text", "muted", "danger"]),
    ("good-soft", &["text", "muted", "good", "accent"]),
    ("warn-soft", &["text", "muted", "warn", "accent"]),
    ("button", &["button-ink"]),
];
/// Grounds, and the edges of controls and the outline of the focus on them.
const EDGES: [(&str, &[&str]); 3] = [
    ("bg", &["line", "accent", "button", "danger", "good", "warn"]),
    ("wash", &["line", "accent", "danger"]),
    ("ground", &["line", "accent", "button", "danger"]),
];

/// The colours of the stylesheet's own blocks, light and dark.
fn blocks() -> [(&'static str, &'static str); 2] {
    let block = |after: &str| STYLE.split_once(after).and_then(|(_, rest)| rest.split_once('}')).expect("a block").0;
    [("light", block(":root {")), ("dark", block("(prefers-color-scheme: dark) {\n    :root {"))]
}

fn token(block: &str, name: &str) -> Colour {
    let (_, rest) = block.split_once(&format!("--{name}:")).unwrap_or_else(|| panic!("no --{name}"));
    let text = rest.split(';').next().unwrap_or_default().trim();
    Colour::parse(text).unwrap_or_else(|| panic!("--{name}: {text}"))
}

/// The pairs whose contrast is too weak, with the contrast.
fn weak(block: &str, pairs: &[(&str, &[&str])], least: f64) -> Vec<String> {
    let all = pairs.iter().flat_map(|(ground, marks)| marks.iter().map(move |mark| (ground, mark)));
    all.filter_map(|(ground, mark)| {
        let contrast = token(block, mark).contrast(token(block, ground));
        (contrast < least).then(|| format!("--{mark} on --{ground}: {contrast:.2}"))
    })
    .collect()
}

#[test]
fn texts_can_be_read_and_edges_seen() {
    for (name, block) in blocks() {
        let weak = [weak(block, &TEXTS, TEXT), weak(block, &EDGES, EDGE)].concat();
        assert!(weak.is_empty(), "{name}: {weak:?}");
    }
}

/// The value that a rule of the charts gives to a property.
fn of_chart(selector: &str, property: &str) -> &'static str {
    let rules = CHARTS.lines().filter_map(|line| line.trim().strip_prefix(selector)?.trim_start().strip_prefix('{'));
    let values = rules.filter_map(|rule| rule.split_once(&format!(" {property}: ")));
    let values: Vec<&str> = values.filter_map(|(_, rest)| Some(rest.split_once(';')?.0)).collect();
    let [value] = values[..] else { panic!("{property} of {selector}: {values:?}") };
    value
}

/// The colour of a value such as `var(--bg)`.
fn named(block: &str, value: &str) -> Colour {
    let name = value.strip_prefix("var(--").and_then(|rest| rest.strip_suffix(')'));
    token(block, name.unwrap_or_else(|| panic!("{value} names no colour")))
}

#[test]
fn neighbours_in_charts_are_told_apart() {
    let segments = [".segment.bad", ".segment", ".segment.good"].map(|selector| of_chart(selector, "fill"));
    let line = (".chart-segments > svg > .segment", "stroke");
    assert_eq!(of_chart(line.0, "stroke-width"), "2");
    for (name, block) in blocks() {
        let line = named(block, of_chart(line.0, line.1));
        for pair in segments.windows(2) {
            let [left, right] = [pair[0], pair[1]].map(|fill| named(block, fill));
            let apart = left.contrast(right).max(left.contrast(line).min(right.contrast(line)));
            assert!(apart >= EDGE, "{name}: {pair:?}: {apart:.2}");
        }
        let apart = named(block, of_chart(".fill", "fill")).contrast(named(block, "var(--bg)"));
        assert!(apart >= EDGE, "{name}: bars: {apart:.2}");
    }
    // Cells say their numbers, whatever their colour; the ground is seen between them.
    assert_eq!((of_chart(".heat", "border-collapse"), of_chart(".heat", "border-spacing")), ("separate", "2px"));
}

#[test]
fn both_lights_have_the_same_colours() {
    let [light, dark] = blocks().map(|(_, block)| {
        let lines = block.lines().filter(|line| line.contains(": #"));
        lines.filter_map(|line| line.trim().split_once(':')).map(|(name, _)| name).collect::<Vec<_>>()
    });
    assert!(light.len() > 15);
    assert_eq!(light, dark);
}
