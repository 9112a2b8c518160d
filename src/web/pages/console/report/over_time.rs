//! The head of a report: how many entries there are, when they came, and on which day most of them.

use maud::{Markup, Render, html};

use crate::fields::report::chart::{Card, Chart};
use crate::fields::report::moments::Unit;
use crate::ops::entries::reports::Overview;
use crate::web::pages::console;
use crate::web::pages::console::report::{Part, ReportPage, chart, figures, numbers};
use crate::web::pages::ui::report::card::ReportCard;
use crate::web::pages::ui::report::figures::{Beside, Figures};
use crate::web::pages::ui::words::joined;

/// The key of the moment when an entry came.
const CREATED: &str = "created_at";

pub fn card(page: &ReportPage, report: &Overview) -> Markup {
    let frame = &page.frame;
    let over_time = &report.over_time;
    let chart = Chart::Columns { bars: over_time.bars.clone(), ends: None };
    let own = Card { api_code: CREATED.to_owned(), answered: report.total, chart, ..Card::default() };
    let part = Part { card: &own, conditions: Vec::new() };
    // One day says nothing that the ends don't.
    let has_chart = over_time.bars.len() > 1;
    let unit = has_chart.then(|| frame.say(words(over_time.unit)));
    let facts = [Some(count(page, report)), unit, ends(page, report)];
    let facts = facts.map(|fact| html! { (fact.unwrap_or_default()) });
    let title = html! { (frame.say("report-over-time")) };
    let table = numbers::table(page, &part, &[]).filter(|_| has_chart);
    ReportCard {
        id: "report-total",
        title: title.clone(),
        answered: joined(&facts),
        chart: if has_chart { drawn(page, report, &part) } else { Markup::default() },
        table: table.map(|table| page.opening(title, table)).unwrap_or_default(),
    }
    .render()
}

/// The columns beside the busiest day, which leads to its entries.
fn drawn(page: &ReportPage, report: &Overview, part: &Part) -> Markup {
    let columns = chart::draw(page, part, chart::scale(&[part]));
    let Some(busiest) = &report.over_time.busiest else {
        return columns;
    };
    let day = html! { (figures::label(page, &busiest.label)) };
    let day = match chart::address(page, part, busiest) {
        Some(address) => html! { a href=(address) { (day) } },
        None => day,
    };
    let names = ["report-busiest", "report-busiest-count"].map(|id| page.frame.say(id));
    let pairs = vec![(names[0].as_str(), day), (names[1].as_str(), html! { (figures::count(busiest.count)) })];
    Beside { figures: Figures { pairs }.render(), chart: columns }.render()
}

/// How many entries are in it, of how many.
fn count(page: &ReportPage, report: &Overview) -> String {
    let texts = page.frame.texts;
    if page.address.is_all() {
        let total = i64::try_from(report.total).unwrap_or(i64::MAX);
        return texts.fill("entries-count", &[("count", total.into())]);
    }
    let all = u64::try_from(page.frame.view.form.entries_count).unwrap_or_default();
    let counts =
        [("count", figures::count(report.total).into()), ("all", figures::count(all.max(report.total)).into())];
    texts.fill("report-found", &counts)
}

/// When the first and the last entry came.
fn ends(page: &ReportPage, report: &Overview) -> Option<String> {
    let user = &page.frame.caller.user;
    let (first, last) = report.over_time.ends?;
    let [first, last] = [first, last].map(|moment| console::moment_text(user, moment));
    if first == last {
        return Some(first);
    }
    Some(page.frame.texts.fill("report-ends", &[("first", first.into()), ("last", last.into())]))
}

fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::Day => "report-by-day",
        Unit::Week => "report-by-week",
        Unit::Month => "report-by-month",
        Unit::Year => "report-by-year",
    }
}
