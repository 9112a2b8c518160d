//! The charts of a report, for the page of all parts.

use maud::{Markup, Render, html};

use crate::web::pages::ui::report::bars::{LyingBar, LyingBars};
use crate::web::pages::ui::report::card::{ChartParts, Multiples, NumberTable, ReportCard, ReportCards};
use crate::web::pages::ui::report::columns::{StandingColumn, StandingColumns};
use crate::web::pages::ui::report::figures::{Beside, Figures};
use crate::web::pages::ui::report::heat::{HeatCell, HeatLine, HeatTable};
use crate::web::pages::ui::report::segments::{Mood, Segment, SegmentBar};
use crate::web::pages::ui::report::texts::{SaidText, SaidTexts};
use crate::web::pages::ui::words::name;

/// A card of each chart.
pub fn cards(long: &str) -> Markup {
    let all = [lying(long), standing(), stacked(), heat(long), said(long)];
    let titles = ["Choices", "Numbers", "Net promoter score", "Statements", "What was written"];
    let ids = ["report-1", "report-2", "report-3", "report-4", "report-5"];
    let cards = all.into_iter().zip(titles).zip(ids).map(|((chart, title), id)| {
        ReportCard {
            id,
            title: name(title),
            answered: html! { "812 of 1,000 answered (81%)" },
            chart,
            table: NumberTable {
                summary: "Numbers",
                about: name(title),
                table: html! { p { "A table" } },
                copy: "Copy as table",
                copied: "Copied",
            }
            .render(),
        }
        .render()
    });
    ReportCards { about: "Only entries where: Town is Delft".to_owned(), cards: cards.collect() }.render()
}

fn lying(long: &str) -> Markup {
    let bars = || {
        let bar = |label: &str, depth: usize, length: f64, address: Option<&'static str>| LyingBar {
            label: name(label),
            depth,
            length,
            value: "1,234".to_owned(),
            share: "42%".to_owned(),
            address,
        };
        LyingBars {
            bars: vec![
                bar("Tea", 0, 1.0, Some("#tea")),
                bar(long, 1, 0.42, Some("#long")),
                bar("Nothing", 2, 0.0, None),
            ],
            has_short_names: false,
            heads: None,
        }
        .render()
    };
    let group = |label: &str| (name(label), html! { "12 of 20" }, bars());
    html! { (bars()) (Multiples { groups: vec![group("Men"), group("Women")] }) }
}

fn standing() -> Markup {
    let column = |at: u32| StandingColumn {
        height: f64::from(at) / 6.0,
        hint: format!("{at}0: {at}"),
        address: (at > 0).then_some("#column"),
    };
    let chart = StandingColumns {
        about: "10: 1; 20: 2".to_owned(),
        columns: (0..7).map(column).collect(),
        labels: (0..7).map(|at| html! { (at) "0" }).collect(),
        end: Some(html! { "70" }),
        most: "6".to_owned(),
    };
    let pairs = vec![("Mean", html! { "4.2" }), ("Least", html! { "1" }), ("Greatest", html! { "6" })];
    Beside { figures: Figures { pairs }.render(), chart: chart.render() }.render()
}

fn stacked() -> Markup {
    let segment = |mood: Mood, label: &'static str, part: f64| Segment {
        mood,
        label,
        part,
        value: "7".to_owned(),
        share: "20%".to_owned(),
        address: Some("#segment"),
    };
    let segments = vec![
        segment(Mood::Bad, "Detractors", 0.2),
        segment(Mood::Neutral, "Passives", 0.3),
        segment(Mood::Good, "Promoters", 0.5),
    ];
    SegmentBar { segments }.render()
}

fn heat(long: &str) -> Markup {
    let cell = |at: u32| HeatCell { value: at.to_string(), share: "20%".to_owned(), shade: f64::from(at) / 5.0 };
    let line = |label: &str| HeatLine { label: name(label), cells: (0..6).map(cell).collect() };
    let table = HeatTable {
        caption: "Statements",
        columns: (0..6).map(|at| html! { "Column " (at) }).collect(),
        lines: vec![line("Short"), line(long)],
    };
    ChartParts { parts: vec![(name("Column"), html! { "12" }, table.render())] }.render()
}

fn said(long: &str) -> Markup {
    let text = |serial: u32| SaidText {
        text: long,
        number: format!("#{serial}"),
        address: "#entry".to_owned(),
        about: format!("Entry {serial}"),
    };
    SaidTexts {
        heading: "What “other” is",
        texts: vec![text(12), text(11)],
        all: html! { a href="#all" { "Show all" } },
    }
    .render()
}
