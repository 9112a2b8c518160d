//! Addresses: how many are in each country.

use std::collections::HashMap;

use serde_json::json;

use crate::base::text::texts::texts;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
use crate::fields::places;
use crate::fields::places::addresses::PostalAddress;
use crate::fields::report::chart::{Bar, Chart, Label};
use crate::fields::report::{count, described, list, members, text};

/// Tally of addresses by country.
#[derive(Default)]
pub struct Countries {
    by_code: HashMap<String, u64>,
}

impl Countries {
    /// Codes, names and counts, the most frequent first.
    fn all(&self, cx: &Cx) -> Vec<(&str, String, u64)> {
        let mut all: Vec<(&str, u64)> = self.by_code.iter().map(|(code, n)| (code.as_str(), *n)).collect();
        all.sort_by(|(a, many), (b, more)| more.cmp(many).then_with(|| a.cmp(b)));
        let words = texts(cx.locale);
        let name = |code: &str| places::country(code).map_or_else(|| code.to_owned(), |c| c.name_in(words));
        all.into_iter().map(|(code, count)| (code, name(code), count)).collect()
    }
}

impl Tally for Countries {
    fn add(&mut self, answer: &Answer) -> bool {
        let country = PostalAddress::of(answer.stored).country;
        if !country.is_empty() {
            *self.by_code.entry(country.to_owned()).or_default() += 1;
        }
        true
    }

    fn result(&self, cx: &Cx) -> Members {
        let all = self.all(cx).into_iter();
        let all = all.map(|(code, name, count)| json!({"country": code, "label": name, "count": count}));
        members([("countries", all.collect())])
    }

    fn schema(&self) -> Members {
        let all = list([("country", text()), ("label", text()), ("count", count())]);
        let words =
            "The number of addresses per country, most frequent first. Addresses without a country are not counted.";
        members([("countries", described(all, words))])
    }

    fn chart(&self, cx: &Cx) -> Chart {
        let bars = self.all(cx).into_iter();
        let bars = bars.map(|(code, name, count)| Bar::of_value(Label::Text(name), count, json!({"country": code})));
        Chart::Bars { bars: bars.collect(), other: Vec::new(), extended: Vec::new(), total_price: None }
    }
}
