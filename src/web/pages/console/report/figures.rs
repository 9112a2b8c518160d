//! Numbers, shares and dates of a report, as its reader's language writes them.

use crate::base::json::Json;
use crate::base::text::texts;
use crate::fields::display::{local_date, local_number, money};
use crate::fields::report::chart::Label;
use crate::web::pages::console::report::ReportPage;

pub fn count(count: u64) -> String {
    texts::grouped(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A part of a whole, in percent; nothing of nothing.
pub fn share(page: &ReportPage, count: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    let exact = count as f64 * 100.0 / whole as f64;
    // A share above 0 is never shown as 0 %, and one below 100 never as 100 %.
    let (id, shown) = match exact {
        exact if exact > 0.0 && exact < 0.5 => ("report-share-below", 1.0),
        exact if exact < 100.0 && exact > 99.5 => ("report-share-above", 99.0),
        exact => ("report-share", exact.round()),
    };
    page.frame.texts.fill(id, &[("share", format!("{shown:.0}").into())])
}

/// A number as it is; a dash where there is none.
pub fn number(page: &ReportPage, number: &Json) -> String {
    match number {
        Json::Number(number) => local_number::show(&number.to_string(), page.frame.texts.locale()),
        _ => "–".to_owned(),
    }
}

/// An amount of money, in the form's currency.
pub fn price(page: &ReportPage, amount: &Json) -> String {
    let pricing = &page.frame.view.parsed.settings.pricing;
    money::decimal(amount)
        .map_or_else(|| "–".to_owned(), |amount| money::price(amount, &pricing.currency, page.frame.texts.locale()))
}

/// A mean, to two digits.
pub fn mean(page: &ReportPage, mean: &Json) -> String {
    let rounded = mean.as_f64().filter(|mean| mean.abs() < 1e15).map(|mean| format!("{mean:.2}"));
    let Some(text) = rounded else {
        return number(page, mean);
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    local_number::show(if text == "-0" { "0" } else { text }, page.frame.texts.locale())
}

/// A day, a month or a year.
pub fn date(page: &ReportPage, date: &str) -> String {
    let texts = page.frame.texts;
    local_date::show(date, texts, texts.locale())
}

/// The words of a bar.
pub fn label(page: &ReportPage, label: &Label) -> String {
    match label {
        Label::Text(text) if text.is_empty() => page.frame.say("form-unnamed"),
        Label::Text(text) => text.clone(),
        Label::Number(own) => number(page, own),
        Label::Range(from, to) => {
            let ends = [("from", number(page, from).into()), ("to", number(page, to).into())];
            page.frame.texts.fill("report-range", &ends)
        }
        Label::Date(own) => date(page, own),
        Label::Week(monday) => page.frame.texts.fill("report-week-of", &[("day", date(page, monday).into())]),
        Label::Hour(hour) => format!("{hour:02}:00"),
    }
}
