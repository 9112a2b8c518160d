//! Rules as plain data, for the script of the form's page: what it can see for itself in the controls it
//! applies at once. It is never told of a hidden field (S43); what it is not told, the server says.

use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text;
use crate::fields::cond::{Cond, Key};
use crate::fields::filter::condition::Condition;
use crate::fields::kind::Live;
use crate::fields::local_number;
use crate::fields::rules::{Action, Rule, Rules};
use crate::fields::{Field, Fields};

/// What the script needs; `None` where no rule and no formula is at work on the page:
/// `{reads: {field_1: {as: "codes"}}, rules: [{any, if: [[field, condition]]}], targets: [[field,
/// {show: [0], hide: [], require: []}]], asks}`. Targets stand in the form's order; with `asks` there is
/// more that only the server can say.
pub fn data(fields: &Fields, rules: &Rules, locale: &str) -> Option<Json> {
    let mut out = Data {
        locale,
        ..Data::default()
    };
    let shown = |field: &&Field| !field.hidden;
    out.asks = fields
        .iter()
        .filter(shown)
        .any(|field| field.kind.computed().is_some());
    for (place, field) in fields.iter().enumerate() {
        let about: Vec<(usize, &Rule)> = rules.about(place).collect();
        if field.hidden || about.is_empty() {
            continue;
        }
        match out.target(fields, &about) {
            Some(target) => out.targets.push(json!([field.api_code, target])),
            None => out.asks = true,
        }
    }
    (out.asks || !out.targets.is_empty()).then(|| {
        json!({"reads": out.reads, "rules": out.rules, "targets": out.targets, "asks": out.asks})
    })
}

/// How much the script is told of rules, in bytes: a short condition may stand for a thousand choices.
const MAX_BYTES: usize = 128 << 10;

#[derive(Default)]
struct Data<'f> {
    /// The form's locale.
    locale: &'f str,
    reads: Map<String, Json>,
    rules: Vec<Json>,
    /// How many bytes these are.
    bytes: usize,
    /// Where the form's rules stand in `rules`; none for those that can't be told.
    known: HashMap<usize, Option<usize>>,
    targets: Vec<Json>,
    asks: bool,
}

impl Data<'_> {
    /// What rules do to a field, by their places in `rules`; `None` when one of them can't be told.
    fn target(&mut self, fields: &Fields, about: &[(usize, &Rule)]) -> Option<Json> {
        let told: Vec<Option<usize>> = about
            .iter()
            .map(|(at, rule)| self.place_of(*at, rule, fields))
            .collect();
        let told: Option<Vec<usize>> = told.into_iter().collect();
        let mut out = json!({"show": [], "hide": [], "require": []});
        for ((_, rule), place) in about.iter().zip(told?) {
            let list = match rule.action {
                Action::Show => "show",
                Action::Hide => "hide",
                Action::Require => "require",
            };
            if let Some(list) = out[list].as_array_mut() {
                list.push(json!(place));
            }
        }
        Some(out)
    }

    /// Where a rule stands in `rules`, while there is room for it.
    fn place_of(&mut self, at: usize, rule: &Rule, fields: &Fields) -> Option<usize> {
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        let told = Some(()).filter(|()| self.bytes < MAX_BYTES);
        let told = told.and_then(|()| as_data(rule, fields));
        self.bytes += told.as_ref().map_or(0, |data| data.to_string().len());
        let told = told.filter(|_| self.bytes < MAX_BYTES);
        let place = told.map(|data| {
            for condition in rule.conditions.iter().flatten() {
                if let Some(field) = fields.at(condition.question.place)
                    && let Some(live) = field.kind.live()
                {
                    self.reads
                        .insert(field.api_code.clone(), reading(live, self.locale));
                }
            }
            self.rules.push(data);
            self.rules.len() - 1
        });
        self.known.insert(at, place);
        place
    }
}

fn reading(live: Live, locale: &str) -> Json {
    match live {
        Live::Text => json!({"as": "text"}),
        Live::Number(decimals) => json!({
            "as": "number", "decimals": decimals, "group": local_number::group_mark(locale),
        }),
        Live::Codes => json!({"as": "codes"}),
        Live::Date(length) => json!({"as": "date", "length": length}),
    }
}

fn as_data(rule: &Rule, fields: &Fields) -> Option<Json> {
    let conditions: Option<Vec<Json>> = rule
        .conditions
        .iter()
        .map(|condition| condition_data(condition.as_ref()?, fields))
        .collect();
    Some(json!({"any": rule.is_any, "if": conditions?}))
}

fn condition_data(condition: &Condition, fields: &Fields) -> Option<Json> {
    let field = fields
        .at(condition.question.place)
        .filter(|field| !field.hidden)?;
    field.kind.live()?;
    if condition.question.column.is_some() {
        return None;
    }
    Some(json!([field.api_code, cond_data(&condition.cond, field)]))
}

fn cond_data(cond: &Cond, field: &Field) -> Json {
    let inner = |cond: &Cond| cond_data(cond, field);
    match cond {
        Cond::Null => json!({"null": true}),
        Cond::In(keys) => json!({"in": keys.iter().map(key_data).collect::<Json>()}),
        Cond::Set(keys) => json!({"set": keys.iter().map(key_data).collect::<Json>()}),
        Cond::Range { low, high } => {
            let bound = |bound: &Option<(Key, bool)>| {
                let told = bound.as_ref();
                told.map(|(key, is_inside)| json!([key_data(key), is_inside]))
            };
            json!({"low": bound(low), "high": bound(high)})
        }
        // The script knows choices by their codes alone.
        Cond::Like(part) if field.kind.live() == Some(Live::Codes) => {
            let own = field.kind.for_respondent();
            let choices = own["choices"].as_array().into_iter().flatten();
            let is_like = |choice: &&Json| {
                let label = choice["label"].as_str().unwrap_or_default();
                text::fold(label).contains(part.as_str())
            };
            json!({"in": choices.filter(is_like).map(|choice| &choice["api_code"]).collect::<Vec<_>>()})
        }
        Cond::Like(part) => json!({"like": part}),
        Cond::Not(cond) => json!({"not": inner(cond)}),
        Cond::Any(several) => json!({"any": several.iter().map(inner).collect::<Json>()}),
        Cond::Both(a, b) => json!({"all": [inner(a), inner(b)]}),
    }
}

fn key_data(key: &Key) -> Json {
    match key {
        Key::Text(text) | Key::Code(text) | Key::Label(text) => json!(text),
        Key::Number(number) => json!(number),
    }
}
