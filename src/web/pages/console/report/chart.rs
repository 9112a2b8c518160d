//! How each chart of a report is drawn.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::report::chart::{Bar, Card, Cell, Chart, Figures, HeatRow, Label, Said};
use crate::fields::report::numbers::{DETRACTORS, PROMOTERS};
use crate::web::pages::console::report::filled::filled;
use crate::web::pages::console::report::{Part, ReportPage, figures};
use crate::web::pages::ui::report::bars::{LyingBar, LyingBars};
use crate::web::pages::ui::report::card::ChartParts;
use crate::web::pages::ui::report::columns::{StandingColumn, StandingColumns};
use crate::web::pages::ui::report::figures::{Beside, Figures as ShownFigures};
use crate::web::pages::ui::report::heat::{HeatCell, HeatLine, HeatTable};
use crate::web::pages::ui::report::segments::{Mood, Segment, SegmentBar};
use crate::web::pages::ui::report::texts::{SaidText, SaidTexts};
use crate::web::pages::ui::words::{muted, name, small};

/// The most columns that have a name each.
const NAMED: usize = 12;
/// Characters of names that fit below that many columns on a phone.
const FIT: usize = 24;
/// The most bars that lie below each other: the table has all.
const MOST: usize = 40;
/// The most columns that are read one by one to screen readers; the table has them all.
const TOLD: usize = 40;

/// The share of respondents that the longest bar stands for: the same in all parts, so that they compare.
pub fn scale(parts: &[&Part]) -> f64 {
    let shares = parts.iter().flat_map(|part| {
        let answered = part.card.answered.max(1) as f64;
        part.card.chart.bars().iter().map(move |bar| bar.count as f64 / answered)
    });
    shares.fold(0.0, f64::max)
}

/// Lying bars take half or all of the room, so that a small share looks like one.
fn rounded(scale: f64) -> f64 {
    if scale > 0.5 { scale.max(1.0) } else { 0.5 }
}

pub fn draw(page: &ReportPage, part: &Part, scale: f64) -> Markup {
    let card = part.card;
    match &card.chart {
        Chart::Nothing => Markup::default(),
        _ if card.answered == 0 => muted(page.frame.say("report-unanswered")),
        Chart::Bars { bars, other, extended, total_price } => html! {
            (lying(page, part, bars, rounded(scale)))
            @if let Some(price) = total_price {
                (shown_figures(page, &[("report-price", figures::price(page, price))]))
            }
            (said(page, part, "report-other", other, false))
            (said(page, part, "report-extended", extended, false))
        },
        Chart::Booked { bars, days } => {
            let most = days.iter().map(|day| day.count).max().unwrap_or_default();
            let by_day = standing(page, part, days, most as f64 / card.answered as f64);
            let heading = html! { (page.frame.say("report-booked-days")) };
            html! {
                (lying(page, part, bars, rounded(scale)))
                (ChartParts { parts: vec![(heading, Markup::default(), by_day)] })
            }
        }
        Chart::Histogram { bars, figures: own } => {
            Beside { figures: numbers(page, own), chart: standing(page, part, bars, scale) }.render()
        }
        Chart::Columns { bars, ends } => {
            // Where columns are days, their ends are labelled below them already.
            let is_coarse = |(first, _): &&(String, String)| bars.iter().any(|bar| !is_named(&bar.label, first));
            let ends = ends.as_ref().filter(is_coarse).map(|(first, last)| {
                if first == last {
                    return small(figures::date(page, first));
                }
                let ends = [("first", figures::date(page, first).into()), ("last", figures::date(page, last).into())];
                small(page.frame.texts.fill("report-dates", &ends))
            });
            html! {
                (standing(page, part, bars, scale))
                @if let Some(ends) = ends { (ends) }
            }
        }
        Chart::Scale { bars, figures: own } => Beside {
            figures: shown_figures(page, &[("report-mean", figures::mean(page, &own.mean))]),
            chart: lying(page, part, bars, rounded(scale)),
        }
        .render(),
        Chart::Promoters { bars, score, figures: own } => Beside {
            figures: shown_figures(
                page,
                &[("report-nps", figures::mean(page, score)), ("report-mean", figures::mean(page, &own.mean))],
            ),
            chart: html! { (bands(page, part, bars)) (standing(page, part, bars, scale)) },
        }
        .render(),
        Chart::Ranks { rows } => {
            let bars = rows.iter().map(|row| LyingBar {
                label: label(page, &Label::Text(row.label.clone())),
                depth: 0,
                length: row.length,
                value: figures::mean(page, &row.mean),
                share: figures::count(row.firsts),
                address: None,
            });
            let heads = Some([page.frame.say("report-mean-place"), page.frame.say("report-firsts")]);
            html! {
                (muted(page.frame.say("report-ranks")))
                (LyingBars { bars: bars.collect(), has_short_names: false, heads })
            }
        }
        Chart::Heat { columns, rows } => heat(page, card, columns, rows, &|page, row, cell| {
            let count = cell.value.as_u64().unwrap_or_default();
            (figures::count(count), figures::share(page, count, row.answered))
        }),
        Chart::MeanHeat { columns, rows } => {
            heat(page, card, columns, rows, &|page, _, cell| (figures::mean(page, &cell.value), String::new()))
        }
        Chart::Texts(texts) => said(page, part, "", texts, card.is_found),
        Chart::Files(count) => {
            let count = i64::try_from(*count).unwrap_or(i64::MAX);
            html! { p { (page.frame.texts.fill("entries-files", &[("count", count.into())])) } (all(page, part)) }
        }
        Chart::Parts { rows, parts } => {
            let rows = page.frame.texts.fill("report-rows", &[("count", figures::count(*rows).into())]);
            html! { (muted(rows)) (columned(page, part, parts)) }
        }
        Chart::Columned(parts) => columned(page, part, parts),
    }
}

/// The columns of a question, each with its chart.
fn columned(page: &ReportPage, part: &Part, cards: &[Card]) -> Markup {
    let parts = cards.iter().map(|card| {
        let own = Part { card, conditions: part.conditions.clone() };
        let title = html! { span lang=[page.frame.owners_lang()] { (page.title(&card.label)) } };
        (title, html! { (figures::count(card.answered)) }, draw(page, &own, scale(&[&own])))
    });
    ChartParts { parts: parts.collect() }.render()
}

/// A bar's words; the owner's have their language.
pub fn label(page: &ReportPage, label: &Label) -> Markup {
    let words = figures::label(page, label);
    match label {
        Label::Text(_) => html! { span lang=[page.frame.owners_lang()] { (name(&words)) } },
        _ => html! { (words) },
    }
}

/// Where the entries behind a bar are.
pub fn address(page: &ReportPage, part: &Part, bar: &Bar) -> Option<String> {
    let found = part.card.conditions(bar).filter(|_| bar.count > 0)?;
    Some(page.leads_to_entries(part.conditions.iter().cloned().chain(found).collect()))
}

fn lying(page: &ReportPage, part: &Part, all: &[Bar], scale: f64) -> Markup {
    let answered = part.card.answered;
    let mut bars: Vec<&Bar> = all.iter().collect();
    let is_cut = bars.len() > MOST;
    if is_cut {
        bars.sort_by_key(|bar| std::cmp::Reverse(bar.count));
        bars.truncate(MOST);
    }
    let addresses: Vec<Option<String>> = bars.iter().map(|bar| address(page, part, bar)).collect();
    // One entry may order several of a thing: how many are sold says more than the share.
    let has_units = bars.iter().any(|bar| bar.units.is_some());
    let heads = has_units.then(|| ["forms-entries", "report-units"].map(|id| page.frame.say(id)));
    let bars = bars.iter().zip(&addresses).map(|(bar, address)| LyingBar {
        label: label(page, &bar.label),
        // Out of the tree's order, depths say nothing.
        depth: if is_cut { 0 } else { bar.depth },
        length: bar.count as f64 / answered.max(1) as f64 / scale,
        value: figures::count(bar.count),
        share: bar.units.map_or_else(|| figures::share(page, bar.count, answered), figures::count),
        address: address.as_deref(),
    });
    let has_short_names = matches!(part.card.chart, Chart::Scale { .. });
    let most = [("count", MOST.into()), ("all", all.len().into())];
    html! {
        (LyingBars { bars: bars.collect(), has_short_names, heads })
        @if is_cut { (small(page.frame.texts.fill("report-most", &most))) }
    }
}

fn standing(page: &ReportPage, part: &Part, bars: &[Bar], scale: f64) -> Markup {
    let answered = part.card.answered.max(1) as f64;
    let filled = filled(bars);
    let addresses: Vec<Option<String>> = filled.iter().map(|bar| address(page, part, bar)).collect();
    let hint = |bar: &Bar| page.frame.texts.labelled(&figures::label(page, &bar.label), &figures::count(bar.count));
    let columns = filled.iter().zip(&addresses).map(|(bar, address)| StandingColumn {
        height: bar.count as f64 / answered / scale.max(f64::MIN_POSITIVE),
        hint: hint(bar),
        address: address.as_deref(),
    });
    let about: Vec<String> = bars.iter().filter(|bar| bar.count > 0).take(TOLD).map(hint).collect();
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
    let (labels, end) = labels(page, &filled);
    StandingColumns { about: about.join("; "), columns: columns.collect(), labels, end, most: figures::count(most) }
        .render()
}

/// Names below columns, and where the last one ends: each one's name where there is room, else those of the first and
/// the last.
fn labels(page: &ReportPage, bars: &[Bar]) -> (Vec<Markup>, Option<Markup>) {
    let short = |bar: &Bar| match &bar.label {
        // A step is named by where it begins.
        Label::Range(from, _) => figures::number(page, from),
        Label::Week(monday) => figures::date(page, monday),
        label => figures::label(page, label),
    };
    let mut names: Vec<String> = bars.iter().map(short).collect();
    let end = match bars.last().map(|bar| &bar.label) {
        Some(Label::Range(_, to)) => Some(figures::number(page, to)),
        _ => None,
    };
    if names.len() > NAMED || names.iter().map(|name| name.chars().count()).sum::<usize>() > FIT {
        let last = names.pop().filter(|_| end.is_none() && !names.is_empty());
        names.truncate(1);
        names.extend(last);
    }
    (names.into_iter().map(|name| html! { (name) }).collect(), end.map(|end| html! { (end) }))
}

/// Whether a column has a name as exact as this date.
fn is_named(label: &Label, date: &str) -> bool {
    matches!(label, Label::Date(own) if own.len() >= date.len())
}

fn shown_figures(page: &ReportPage, pairs: &[(&str, String)]) -> Markup {
    let names: Vec<String> = pairs.iter().map(|(id, _)| page.frame.say(id)).collect();
    let pairs = names.iter().zip(pairs).map(|(name, (_, value))| (name.as_str(), html! { (value) }));
    ShownFigures { pairs: pairs.collect() }.render()
}

fn numbers(page: &ReportPage, own: &Figures) -> Markup {
    shown_figures(
        page,
        &[
            ("report-mean", figures::mean(page, &own.mean)),
            ("report-least", figures::number(page, &own.least)),
            ("report-greatest", figures::number(page, &own.greatest)),
            ("report-sum", figures::number(page, &own.sum)),
        ],
    )
}

/// Detractors, passives and promoters.
fn bands(page: &ReportPage, part: &Part, bars: &[Bar]) -> Markup {
    let within = |low: i64, high: i64| -> u64 {
        let point = |bar: &Bar| match &bar.label {
            Label::Number(point) => point.as_i64(),
            _ => None,
        };
        bars.iter().filter(|bar| point(bar).is_some_and(|it| (low..=high).contains(&it))).map(|bar| bar.count).sum()
    };
    let all = part.card.answered;
    let bands = [
        (Mood::Bad, "report-detractors", (None, Some(DETRACTORS))),
        (Mood::Neutral, "report-passives", (Some(DETRACTORS + 1), Some(PROMOTERS - 1))),
        (Mood::Good, "report-promoters", (Some(PROMOTERS), None)),
    ];
    let bands = bands.map(|(mood, words, (low, high))| {
        let count = within(low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX));
        let ends = [low.map(|low| (Op::Gte, low)), high.map(|high| (Op::Lte, high))].into_iter().flatten();
        let found = ends.map(|(op, value)| part.card.condition(op, &Json::from(value)));
        let address = page.leads_to_entries(part.conditions.iter().cloned().chain(found).collect());
        (mood, page.frame.say(words), count, (count > 0 && part.card.is_found).then_some(address))
    });
    let segments = bands.iter().map(|(mood, label, count, address)| Segment {
        mood: *mood,
        label,
        part: *count as f64 / all.max(1) as f64,
        value: figures::count(*count),
        share: figures::share(page, *count, all),
        address: address.as_deref(),
    });
    SegmentBar { segments: segments.collect() }.render()
}

/// The number of a cell, and the text below it.
type Words<'w> = &'w dyn Fn(&ReportPage, &HeatRow, &Cell) -> (String, String);

fn heat(page: &ReportPage, card: &Card, columns: &[String], rows: &[HeatRow], words: Words) -> Markup {
    let own = |text: &String| html! { span lang=[page.frame.owners_lang()] { (name(text)) } };
    let line = |row: &HeatRow| HeatLine {
        label: own(&row.label),
        cells: row
            .cells
            .iter()
            .map(|cell| {
                let (value, share) = words(page, row, cell);
                HeatCell { value, share, shade: cell.shade }
            })
            .collect(),
    };
    // A column without a name holds means.
    let head = |text: &String| {
        if text.is_empty() {
            html! { (page.frame.say("report-mean")) }
        } else {
            own(text)
        }
    };
    HeatTable {
        caption: &card.label,
        columns: columns.iter().map(head).collect(),
        lines: rows.iter().map(line).collect(),
    }
    .render()
}

/// Texts with the way to their entries; nothing where there are none.
fn said(page: &ReportPage, part: &Part, heading: &str, texts: &[Said], has_all: bool) -> Markup {
    if texts.is_empty() {
        return Markup::default();
    }
    let frame = &page.frame;
    let texts = texts.iter().map(|(serial, text)| SaidText {
        text,
        number: format!("#{serial}"),
        address: page.address.leads(&frame.address(&format!("entries/{serial}")), &[], &[]),
        about: frame.texts.fill("entries-entry", &[("serial", (*serial).into())]),
    });
    let heading = if heading.is_empty() { String::new() } else { frame.say(heading) };
    let all = if has_all { all(page, part) } else { Markup::default() };
    SaidTexts { heading: &heading, texts: texts.collect(), all }.render()
}

/// A link to all entries that answered.
fn all(page: &ReportPage, part: &Part) -> Markup {
    if !part.card.is_found {
        return Markup::default();
    }
    let found = part.card.condition(Op::NotNull, &Json::Null);
    let address = page.leads_to_entries(part.conditions.iter().cloned().chain([found]).collect());
    let count = figures::count(part.card.answered);
    html! { a href=(address) { (page.frame.texts.fill("report-all", &[("count", count.into())])) } }
}
