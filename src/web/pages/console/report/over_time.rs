//! The head of a report: how many entries there are, and when they came.

use maud::{Markup, Render, html};

use crate::fields::report::chart::{Card, Chart};
use crate::ops::entries::reports::Overview;
use crate::web::pages::console;
use crate::web::pages::console::report::{Part, ReportPage, chart, figures, numbers};
use crate::web::pages::ui::report::card::ReportCard;

/// The key of the moment when an entry came.
const CREATED: &str = "created_at";

pub fn card(page: &ReportPage, report: &Overview) -> Markup {
    let frame = &page.frame;
    let chart = Chart::Columns { bars: report.days.clone(), ends: None };
    let own = Card { api_code: CREATED.to_owned(), answered: report.total, chart, ..Card::default() };
    let part = Part { card: &own, conditions: Vec::new() };
    let count = frame.texts.fill("entries-count", &[("count", i64::try_from(report.total).unwrap_or(i64::MAX).into())]);
    let all = frame.view.form.entries_count;
    let title = match page.address.is_all() {
        true => count,
        false => frame.texts.fill(
            "report-found",
            &[
                ("count", figures::count(page, report.total).into()),
                ("all", figures::count(page, u64::try_from(all).unwrap_or_default()).into()),
            ],
        ),
    };
    let user = &frame.caller.user;
    let ends = report.ends.map(|(first, last)| {
        let [first, last] = [first, last].map(|moment| console::moment_text(user, moment));
        if first == last {
            return first;
        }
        frame.texts.fill("report-ends", &[("first", first.into()), ("last", last.into())])
    });
    // One column says nothing.
    let has_chart = report.days.len() > 1;
    let about = html! { (frame.say("report-days")) };
    let table = numbers::table(page, &part, &[]).filter(|_| has_chart);
    ReportCard {
        id: "report-total",
        title: html! { (title) },
        answered: html! { (ends.unwrap_or_default()) },
        chart: if has_chart { chart::draw(page, &part, chart::scale(&[&part])) } else { Markup::default() },
        table: table.map(|table| page.opening(about, table)).unwrap_or_default(),
    }
    .render()
}
