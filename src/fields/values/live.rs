//! Rules as data for the script of the form's page, which applies those it can evaluate from the controls. It never
//! gets a hidden field (S43); for anything that it does not get it asks the server.

use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text;
use crate::fields::display::local_number;
use crate::fields::filter::cond::{Cond, Key};
use crate::fields::filter::condition::Condition;
use crate::fields::kind::Live;
use crate::fields::values::rules::{Action, Rule, Rules};
use crate::fields::{Field, Fields};

/// The data for the script, or `None` if no rule and no formula affects the page: `{reads: {field_1: {as: "codes"}},
/// rules: [{any, if: [[field, condition]]}], targets: [[field, {show: [0], hide: [], require: []}]], asks}`. Targets
/// are in the form's order; `asks` means that there is more for the server to evaluate.
pub fn data(fields: &Fields, rules: &Rules, locale: &str) -> Option<Json> {
    of_page(fields, rules, Data { locale, ..Data::default() })
}

/// The data for the script of a collaborator's page, which has hidden fields too.
pub fn for_collaborator(fields: &Fields, rules: &Rules, locale: &str) -> Option<Json> {
    of_page(fields, rules, Data { locale, has_hidden: true, ..Data::default() })
}

fn of_page(fields: &Fields, rules: &Rules, mut out: Data) -> Option<Json> {
    let has_hidden = out.has_hidden;
    let is_shown = |field: &Field| has_hidden || !field.hidden;
    out.asks = fields.iter().any(|field| is_shown(field) && field.kind.computed().is_some());
    for (place, field) in fields.iter().enumerate() {
        let about: Vec<(usize, &Rule)> = rules.about(place).collect();
        if !is_shown(field) || about.is_empty() {
            continue;
        }
        match out.target(fields, &about) {
            Some(target) => out.targets.push(json!([field.api_code, target])),
            None => out.asks = true,
        }
    }
    (out.asks || !out.targets.is_empty())
        .then(|| json!({"reads": out.reads, "rules": out.rules, "targets": out.targets, "asks": out.asks}))
}

/// Maximum size of the rules sent to the script, in bytes: a short condition may cover a thousand choices.
const MAX_BYTES: usize = 128 << 10;

#[derive(Default)]
struct Data<'f> {
    locale: &'f str,
    /// True if the page has hidden fields.
    has_hidden: bool,
    reads: Map<String, Json>,
    rules: Vec<Json>,
    /// Size of the rules so far.
    bytes: usize,
    /// The index in `rules` of each of the form's rules; `None` for those the script can't evaluate.
    known: HashMap<usize, Option<usize>>,
    targets: Vec<Json>,
    asks: bool,
}

impl Data<'_> {
    /// The effects on a field, by index in `rules`; `None` if the script can't evaluate one of them.
    fn target(&mut self, fields: &Fields, about: &[(usize, &Rule)]) -> Option<Json> {
        let told: Vec<Option<usize>> = about.iter().map(|(at, rule)| self.place_of(*at, rule, fields)).collect();
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

    /// The index of a rule in `rules`, which is added if it fits.
    fn place_of(&mut self, at: usize, rule: &Rule, fields: &Fields) -> Option<usize> {
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        let told = Some(()).filter(|()| self.bytes < MAX_BYTES);
        let told = told.and_then(|()| as_data(rule, fields, self.has_hidden));
        self.bytes += told.as_ref().map_or(0, |data| data.to_string().len());
        let told = told.filter(|_| self.bytes < MAX_BYTES);
        let place = told.map(|data| {
            for condition in rule.conditions.iter().flatten() {
                if let Some(field) = fields.at(condition.question.place)
                    && let Some(live) = field.kind.live()
                {
                    self.reads.insert(field.api_code.clone(), reading(live, self.locale));
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

fn as_data(rule: &Rule, fields: &Fields, has_hidden: bool) -> Option<Json> {
    let data = |condition: &Option<Condition>| condition_data(condition.as_ref()?, fields, has_hidden);
    let conditions: Option<Vec<Json>> = rule.conditions.iter().map(data).collect();
    Some(json!({"any": rule.is_any, "if": conditions?}))
}

fn condition_data(condition: &Condition, fields: &Fields, has_hidden: bool) -> Option<Json> {
    let field = fields.at(condition.question.place).filter(|field| has_hidden || !field.hidden)?;
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
        // The script knows choices only by their codes.
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
