//! The numbers of a chart as a table, to read one by one and to copy.

use maud::{Markup, Render, html};

use crate::fields::report::chart::{Bar, Card, Chart, HeatRow, Label};
use crate::web::pages::console::report::{Part, ReportPage, ShownGroup, chart, figures};
use crate::web::pages::ui::table::{Column, Holds, Narrow, Table};
use crate::web::pages::ui::words::name;

/// The table of a question; none where there is nothing to number. Where the report is split, it has a column for each
/// of `groups`.
pub fn table(page: &ReportPage, whole: &Part, groups: &[ShownGroup]) -> Option<Markup> {
    let own = own_table(page, whole, groups)?;
    let Chart::Booked { days, .. } = &whole.card.chart else {
        return Some(own);
    };
    let caption = page.frame.say("report-booked-days");
    Some(html! { (own) (drawn(&caption, of_bars(page, whole, days, &[]))) })
}

fn own_table(page: &ReportPage, whole: &Part, groups: &[ShownGroup]) -> Option<Markup> {
    let say = |id: &str| page.frame.say(id);
    let lines = match &whole.card.chart {
        _ if whole.card.answered == 0 => return None,
        Chart::Bars { bars, .. }
        | Chart::Booked { bars, .. }
        | Chart::Histogram { bars, .. }
        | Chart::Columns { bars, .. }
        | Chart::Scale { bars, .. }
        | Chart::Promoters { bars, .. } => of_bars(page, whole, bars, groups),
        Chart::Ranks { rows } => {
            let headings = ["report-answer", "report-mean-place", "report-firsts", "report-ranked"].map(say);
            let rows = rows.iter().map(|row| {
                vec![
                    own(page, &row.label),
                    html! { (figures::mean(page, &row.mean)) },
                    html! { (figures::count(row.firsts)) },
                    html! { (figures::count(row.count)) },
                ]
            });
            (headings.into(), rows.collect())
        }
        Chart::Heat { columns, rows } => of_heat(page, columns, rows, false),
        Chart::MeanHeat { columns, rows } => of_heat(page, columns, rows, true),
        Chart::Columned(cards) | Chart::Parts { parts: cards, .. } => of_parts(page, cards)?,
        Chart::Nothing | Chart::Texts(_) | Chart::Files(_) => return None,
    };
    let caption = if whole.card.label.is_empty() { say("report-over-time") } else { whole.card.label.clone() };
    Some(drawn(&caption, lines))
}

fn drawn(caption: &str, (headings, rows): Lines) -> Markup {
    let columns = headings.iter().enumerate().map(|(at, heading)| Column {
        heading,
        holds: if at == 0 { Holds::Text } else { Holds::Numbers },
        ..Column::default()
    });
    Table { caption, columns: columns.collect(), rows, narrow: Narrow::Scroll }.render()
}

type Lines = (Vec<String>, Vec<Vec<Markup>>);

fn own(page: &ReportPage, text: &str) -> Markup {
    html! { span lang=[page.frame.owners_lang()] { (name(text)) } }
}

fn of_bars(page: &ReportPage, whole: &Part, bars: &[Bar], groups: &[ShownGroup]) -> Lines {
    let say = |id: &str| page.frame.say(id);
    if !groups.is_empty() && !are_alike(whole, groups) {
        let headings = ["report-group", named(bars), "forms-entries", "report-shares"].map(say);
        let rows = groups.iter().flat_map(|group| {
            let bars = group.part.card.chart.bars().iter();
            bars.map(|bar| std::iter::once(group.title(page)).chain(of_bar(page, &group.part, bar)).collect())
        });
        return (headings.into(), rows.collect());
    }
    let has_units = bars.iter().any(|bar| bar.units.is_some());
    let mut headings = vec![say(named(bars)), say("forms-entries"), say("report-shares")];
    headings.extend(has_units.then(|| say("report-units")));
    headings.extend(groups.iter().map(|group| group.words(page)));
    let rows = bars.iter().map(|bar| {
        let mut row: Vec<Markup> = of_bar(page, whole, bar).into();
        row.extend(has_units.then(|| html! { (figures::count(bar.units.unwrap_or_default())) }));
        row.extend(groups.iter().map(|group| {
            let same = group.part.card.chart.bars().iter().find(|own| own.label == bar.label && own.found == bar.found);
            let words = html! { (figures::count(same.map_or(0, |bar| bar.count))) };
            match same.and_then(|bar| chart::address(page, &group.part, bar)) {
                Some(address) => html! { a href=(address) { (words) } },
                None => words,
            }
        }));
        row
    });
    (headings, rows.collect())
}

/// The id of the unit of these bars: answers, or units of time.
fn named(bars: &[Bar]) -> &'static str {
    match bars.first().map(|bar| &bar.label) {
        Some(Label::Week(_)) => "report-week",
        Some(Label::Hour(_)) => "report-hour",
        Some(Label::Date(date)) => match date.len() {
            4 => "report-year",
            7 => "report-month",
            _ => "report-day",
        },
        _ => "report-answer",
    }
}

/// The words of a bar, its number and its share.
fn of_bar(page: &ReportPage, part: &Part, bar: &Bar) -> [Markup; 3] {
    let words = chart::label(page, &bar.label);
    let first = match chart::address(page, part, bar) {
        Some(address) => html! { a href=(address) { (words) } },
        None => words,
    };
    let share = figures::share(page, bar.count, part.card.answered);
    [first, html! { (figures::count(bar.count)) }, html! { (share) }]
}

/// Whether the bars of all groups are some of the whole's: numbers have steps of their own in each group.
fn are_alike(whole: &Part, groups: &[ShownGroup]) -> bool {
    let all = whole.card.chart.bars();
    let is_known = |bar: &Bar| all.iter().any(|own| own.label == bar.label);
    let is_stepped = matches!(whole.card.chart, Chart::Histogram { .. });
    !is_stepped && groups.iter().all(|group| group.part.card.chart.bars().iter().all(is_known))
}

fn of_heat(page: &ReportPage, columns: &[String], rows: &[HeatRow], is_mean: bool) -> Lines {
    let head = |text: &String| if text.is_empty() { page.frame.say("report-mean") } else { text.clone() };
    let headings = std::iter::once(page.frame.say("report-statement")).chain(columns.iter().map(head));
    let rows = rows.iter().map(|row| {
        let cells = row.cells.iter().map(|cell| match is_mean {
            true => html! { (figures::mean(page, &cell.value)) },
            false => html! { (figures::number(page, &cell.value)) },
        });
        let last = html! { (figures::count(row.answered)) };
        std::iter::once(own(page, &row.label)).chain(cells).chain([last]).collect()
    });
    (headings.chain([page.frame.say("report-answered-by")]).collect(), rows.collect())
}

/// The bars of each column, one below the other.
fn of_parts(page: &ReportPage, cards: &[Card]) -> Option<Lines> {
    let say = |id: &str| page.frame.say(id);
    let headings = vec![say("report-column"), say("report-answer"), say("report-number")];
    let mut rows = Vec::new();
    for card in cards {
        let mut push = |label: Markup, count: String| {
            rows.push(vec![own(page, &card.label), label, html! { (count) }]);
        };
        match &card.chart {
            Chart::Heat { columns, rows } | Chart::MeanHeat { columns, rows } => {
                for row in rows {
                    for (column, cell) in columns.iter().zip(&row.cells) {
                        let both = [row.label.as_str(), column].into_iter().filter(|it| !it.is_empty());
                        let both = both.collect::<Vec<_>>().join(" – ");
                        push(own(page, &both), figures::mean(page, &cell.value));
                    }
                }
            }
            _ => {
                for bar in card.chart.bars() {
                    push(chart::label(page, &bar.label), figures::count(bar.count));
                }
            }
        }
    }
    (!rows.is_empty()).then_some((headings, rows))
}
