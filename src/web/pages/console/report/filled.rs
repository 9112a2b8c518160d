//! Columns over time with those between them that have nothing, so that each stands at its time.

use jiff::ToSpan as _;

use crate::fields::report::chart::{Bar, Label};

/// The most columns that empty ones may be put between.
const MOST_FILLED: usize = 800;

/// The columns with the empty ones between them; as they are where those would be too many.
pub fn filled(bars: &[Bar]) -> Vec<Bar> {
    let mut out: Vec<Bar> = Vec::with_capacity(bars.len());
    for bar in bars {
        while let Some(next) = out.last().and_then(|last| after(&last.label)) {
            // Dates of one unit sort as text.
            if out.len() > MOST_FILLED || time(&next) >= time(&bar.label) {
                break;
            }
            out.push(Bar::new(next, 0, None));
        }
        out.push(bar.clone());
        if out.len() > MOST_FILLED {
            return bars.to_vec();
        }
    }
    out
}

/// The date of a column over time.
fn time(label: &Label) -> Option<&str> {
    match label {
        Label::Date(date) | Label::Week(date) => Some(date),
        _ => None,
    }
}

/// The column after one over time.
fn after(label: &Label) -> Option<Label> {
    match label {
        Label::Date(date) => next_date(date).map(Label::Date),
        Label::Week(monday) => {
            let next = monday.parse::<jiff::civil::Date>().ok()?.checked_add(7.days()).ok()?;
            Some(Label::Week(next.to_string()))
        }
        _ => None,
    }
}

/// The day, month or year after one.
fn next_date(date: &str) -> Option<String> {
    match date.len() {
        4 => date.parse::<i32>().ok().map(|year| format!("{:04}", year + 1)),
        7 => {
            let first = format!("{date}-01").parse::<jiff::civil::Date>().ok()?;
            let next = first.last_of_month().tomorrow().ok()?;
            Some(next.strftime("%Y-%m").to_string())
        }
        _ => Some(date.parse::<jiff::civil::Date>().ok()?.tomorrow().ok()?.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_at_their_time() {
        let bar = |date: &str| Bar::new(Label::Date(date.to_owned()), 1, None);
        let dates = |bars: &[Bar]| {
            let all = filled(bars).into_iter();
            all.map(|bar| (figures_of(&bar.label), bar.count)).collect::<Vec<_>>()
        };
        let figure = |date: &str, count: u64| (date.to_owned(), count);
        assert_eq!(
            dates(&[bar("2026-02-27"), bar("2026-03-02")]),
            [figure("2026-02-27", 1), figure("2026-02-28", 0), figure("2026-03-01", 0), figure("2026-03-02", 1)]
        );
        assert_eq!(
            dates(&[bar("2025-11"), bar("2026-01")]),
            [figure("2025-11", 1), figure("2025-12", 0), figure("2026-01", 1)]
        );
        assert_eq!(dates(&[bar("1999"), bar("2001")]), [figure("1999", 1), figure("2000", 0), figure("2001", 1)]);
        let week = |monday: &str| Bar::new(Label::Week(monday.to_owned()), 1, None);
        let filled = filled(&[week("2026-12-21"), week("2027-01-04")]);
        let mondays: Vec<Option<&str>> = filled.iter().map(|bar| time(&bar.label)).collect();
        assert_eq!(mondays, [Some("2026-12-21"), Some("2026-12-28"), Some("2027-01-04")]);
    }

    fn figures_of(label: &Label) -> String {
        match label {
            Label::Date(date) => date.clone(),
            other => format!("{other:?}"),
        }
    }
}
