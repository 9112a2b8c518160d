//! Field rules (contract section 5): which fields are shown and which are required for given values. The same code
//! serves API, page and import. Formulas are computed in the same pass, because rules may read them, and they may not
//! read what a rule hides.

mod daily;
#[cfg(test)]
mod tests;

use jiff::tz::TimeZone;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::Phrase;
use crate::fields::definition::depends;
use crate::fields::display::dates;
use crate::fields::filter::condition::Condition;
use crate::fields::kind::Cx;
use crate::fields::values::formula::{Moment, Number, Sources, Value};
use crate::fields::values::rules::daily::Daily;
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};

/// Maximum text that the formulas of an entry produce, in bytes.
const MAX_COMPUTED: usize = 1 << 20;

/// The fault of a condition on a later field.
pub const OUT_OF_ORDER: Reason = Reason::Other(Phrase::plain("must stand before the fields that the rule is about"));

/// The effect of a rule on its fields while its condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The fields are hidden until one such rule holds.
    Show,
    /// The fields are hidden.
    Hide,
    /// The fields are required, unless they are hidden.
    Require,
}

impl Action {
    /// The names in rules.
    pub const ALL: [(&'static str, Self); 3] = [("show", Self::Show), ("hide", Self::Hide), ("require", Self::Require)];
}

#[derive(Debug)]
pub struct Rule {
    pub action: Action,
    /// Whether one condition is enough.
    pub is_any: bool,
    /// A condition that can't be read any more never holds.
    pub conditions: Vec<Option<Condition>>,
    /// The positions of the fields it affects.
    pub targets: Vec<usize>,
}

/// A fault in stored or given rules.
#[derive(Debug)]
pub struct RuleFault {
    /// Index of the rule.
    pub rule: usize,
    /// Index of its condition; `None` if the fault is in the rule's fields.
    pub condition: Option<usize>,
    /// The position of the field that the condition names, if any.
    pub field: Option<usize>,
    /// The fault, with a path from the condition or the rule.
    pub issue: Issue,
}

/// The compiled rules of a form.
#[derive(Debug, Default)]
pub struct Rules {
    list: Vec<Rule>,
    /// For each field, the rules that affect it.
    by_field: Vec<Vec<usize>>,
    /// The fields in the order of evaluation, after their dependencies.
    order: Vec<usize>,
    has_formulas: bool,
    daily: Daily,
}

/// The outcome of the rules for one entry.
#[derive(Debug, Default)]
pub struct RuleEffects {
    hidden: Vec<bool>,
    required: Vec<bool>,
    too_long: Option<usize>,
}

impl RuleEffects {
    /// Whether a rule hides the field at this position.
    pub fn hides(&self, place: usize) -> bool {
        self.hidden.get(place).copied().unwrap_or_default()
    }

    /// Whether the field at this position is required, by itself or by a rule.
    pub fn requires(&self, place: usize) -> bool {
        self.required.get(place).copied().unwrap_or_default()
    }

    /// The position of the first formula whose text exceeds the limit of the entry; it is omitted.
    pub fn too_long(&self) -> Option<usize> {
        self.too_long
    }
}

impl Rules {
    /// Reads stored rules. Conditions may have become invalid since they were stored: these never hold, and are among
    /// the faults.
    pub fn read(stored: &Json, fields: &Fields, cx: &Cx) -> (Self, Vec<RuleFault>) {
        let mut faults = Vec::new();
        let mut list = Vec::new();
        for (at, rule) in stored.as_array().into_iter().flatten().enumerate() {
            let codes = rule["fields"].as_array().into_iter().flatten();
            let targets: Vec<usize> = codes.filter_map(|code| fields.position(code.as_str()?)).collect();
            let action = Action::ALL
                .iter()
                .find(|(name, _)| rule["action"] == *name)
                .map_or(Action::Require, |(_, action)| *action);
            let items = rule["condition"]["items"].as_array().into_iter().flatten();
            let conditions = items
                .enumerate()
                .map(|(i, item)| {
                    let text = |key: &str| item[key].as_str().unwrap_or_default();
                    let (field, op) = (text("field"), text("operator"));
                    let found = Condition::read(fields, field, op, &item["value"], cx)
                        .and_then(|found| in_order(found, &targets));
                    found
                        .map_err(|issue| {
                            let outer = field.split('.').next().unwrap_or_default();
                            faults.push(RuleFault {
                                rule: at,
                                condition: Some(i),
                                field: fields.position(outer),
                                issue,
                            });
                        })
                        .ok()
                })
                .collect();
            list.push(Rule { action, is_any: rule["condition"]["operand"] == "or", conditions, targets });
        }
        let (rules, round) = Self::of(list, fields);
        faults.extend(round);
        (rules, faults)
    }

    /// Rules that were read one by one; those in cycles are reported.
    fn of(list: Vec<Rule>, fields: &Fields) -> (Self, Vec<RuleFault>) {
        let mut depends = depends::of_formulas(fields);
        let mut by_field = vec![Vec::new(); fields.len()];
        for (at, rule) in list.iter().enumerate() {
            for target in &rule.targets {
                by_field[*target].push(at);
                if rule.action != Action::Require {
                    let looks = rule.conditions.iter().flatten();
                    depends[*target].extend(looks.map(|condition| condition.question.place));
                }
            }
        }
        let mut order = depends::order(&depends);
        let mut faults = Vec::new();
        if order.len() < fields.len() {
            // A cycle needs a rule and a formula: rules alone only look at earlier fields.
            for (at, rule) in list.iter().enumerate() {
                let looks = |target: &usize| rule.action != Action::Require && depends::is_round(&depends, *target);
                if rule.targets.iter().any(looks) {
                    faults.push(RuleFault {
                        rule: at,
                        condition: None,
                        field: rule.targets.iter().copied().find(|target| looks(target)),
                        issue: Issue::new(
                            "fields".to_owned(),
                            Reason::other("must not name a field of which a formula makes what the rule looks at"),
                        ),
                    });
                }
            }
            let known = order.clone();
            order.extend((0..fields.len()).filter(|place| !known.contains(place)));
        }
        let rules = Self {
            list,
            by_field,
            daily: Daily::of(fields, &depends, &order),
            order,
            has_formulas: fields.iter().any(|field| field.kind.computed().is_some()),
        };
        (rules, faults)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any rule shows or hides fields by the value of a field at such a position.
    pub fn hides_by(&self, is_one: impl Fn(usize) -> bool) -> bool {
        let mut hiding = self.list.iter().filter(|rule| rule.action != Action::Require);
        hiding.any(|rule| {
            let mut conditions = rule.conditions.iter().flatten();
            conditions.any(|condition| is_one(condition.question.place))
        })
    }

    /// The rules that affect the field at this position, with their indices.
    pub fn about(&self, place: usize) -> impl Iterator<Item = (usize, &Rule)> {
        let known = self.by_field.get(place).into_iter().flatten();
        known.filter_map(|at| Some((*at, self.list.get(*at)?)))
    }

    /// Whether there is no rule and no formula.
    pub fn is_idle(&self) -> bool {
        self.is_empty() && !self.has_formulas
    }

    pub fn has_formulas(&self) -> bool {
        self.has_formulas
    }

    /// Evaluates the rules as `settle` does, and returns the results of each rule's conditions.
    pub fn trace(&self, fields: &Fields, values: &mut Values, cx: &Cx) -> (RuleEffects, Trace) {
        let mut trace = Trace(vec![Vec::new(); self.list.len()]);
        let effects = self.settled(fields, values, cx, Some(&mut trace));
        (effects, trace)
    }

    /// Evaluates the rules for these values, removes values that a rule hides, and computes formulas. A hidden value
    /// counts as blank for later rules and formulas.
    pub fn settle(&self, fields: &Fields, values: &mut Values, cx: &Cx) -> RuleEffects {
        self.settled(fields, values, cx, None)
    }

    fn settled(&self, fields: &Fields, values: &mut Values, cx: &Cx, trace: Option<&mut Trace>) -> RuleEffects {
        let mut out = RuleEffects {
            hidden: vec![false; fields.len()],
            required: fields.iter().map(|field| field.required && field.is_given(cx)).collect(),
            too_long: None,
        };
        if self.is_idle() {
            return out;
        }
        let mut held = Held { known: vec![None; self.list.len()], trace };
        let mut computed = 0;
        for place in self.order.iter().copied() {
            let Some(field) = fields.at(place) else {
                continue;
            };
            let is_hidden = self.hides(place, &mut held, fields, values, cx);
            out.hidden[place] = is_hidden;
            if is_hidden {
                values.shift_remove(&field.api_code);
            } else if field.kind.computed().is_some() {
                compute(field, fields, values, cx);
                let text = values.get(&field.api_code).and_then(Json::as_str);
                computed += text.map_or(0, str::len);
                if computed > MAX_COMPUTED {
                    values.shift_remove(&field.api_code);
                    out.too_long.get_or_insert(place);
                }
            }
        }
        for (at, rule) in self.list.iter().enumerate() {
            if rule.action == Action::Require && held.get(at, rule, fields, values, cx) {
                for target in &rule.targets {
                    out.required[*target] = true;
                }
            }
        }
        for (place, field) in fields.iter().enumerate() {
            // A field that can't be written can't be required.
            let can_be = field.kind.has_value() && field.is_given(cx);
            out.required[place] &= can_be && !out.hidden[place];
        }
        out
    }
}

impl Rules {
    /// Whether a rule hides the field at this position.
    fn hides(&self, place: usize, held: &mut Held, fields: &Fields, values: &Values, cx: &Cx) -> bool {
        let (mut is_shown, mut waits, mut is_hidden) = (false, false, false);
        for at in &self.by_field[place] {
            let rule = &self.list[*at];
            if rule.action == Action::Require {
                continue;
            }
            let holds = held.get(*at, rule, fields, values, cx);
            match rule.action {
                Action::Show => {
                    waits = true;
                    is_shown |= holds;
                }
                _ => is_hidden |= holds,
            }
        }
        is_hidden || (waits && !is_shown)
    }
}

impl Rule {
    /// Whether the rule holds if its conditions give these results.
    fn decides(&self, mut each: impl Iterator<Item = bool>) -> bool {
        if self.is_any { each.any(|holds| holds) } else { each.all(|holds| holds) }
    }
}

/// Results of each rule's conditions; empty for a rule that was not evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace(Vec<Vec<bool>>);

impl Trace {
    /// The results of the conditions of the rule at this index.
    pub fn of(&self, rule: usize) -> &[bool] {
        self.0.get(rule).map_or(&[], Vec::as_slice)
    }
}

/// Whether each rule holds, as far as that is known.
struct Held<'t> {
    known: Vec<Option<bool>>,
    trace: Option<&'t mut Trace>,
}

impl Held<'_> {
    fn get(&mut self, at: usize, rule: &Rule, fields: &Fields, values: &Values, cx: &Cx) -> bool {
        if let Some(known) = self.known[at] {
            return known;
        }
        let each = rule.conditions.iter().map(|condition| {
            let condition = condition.as_ref();
            condition.is_some_and(|condition| condition.holds(fields, values, cx))
        });
        let holds = match self.trace.as_deref_mut() {
            None => rule.decides(each),
            Some(trace) => {
                trace.0[at] = each.collect();
                rule.decides(trace.0[at].iter().copied())
            }
        };
        self.known[at] = Some(holds);
        holds
    }
}

/// Conditions may only look at fields before their targets.
fn in_order(condition: Condition, targets: &[usize]) -> Result<Condition, Issue> {
    match targets.iter().min() {
        Some(first) if condition.question.place >= *first => Err(Issue::new("field", OUT_OF_ORDER)),
        _ => Ok(condition),
    }
}

fn compute(field: &Field, fields: &Fields, values: &mut Values, cx: &Cx) {
    let Some(computed) = field.kind.computed() else {
        return;
    };
    let sources = Entry { fields, values, cx };
    let value = computed.value(&sources);
    if values::is_blank(&value) {
        values.shift_remove(&field.api_code);
    } else {
        values.insert(field.api_code.clone(), value);
    }
}

/// An entry's values, as formulas read them.
struct Entry<'e> {
    fields: &'e Fields,
    values: &'e Values,
    cx: &'e Cx<'e>,
}

impl Sources for Entry<'_> {
    fn field(&self, code: &str) -> Option<Value> {
        let field = self.fields.get(code)?;
        let stored = self.values.get(code)?;
        field.kind.operand()?.operand_value(stored, self.cx)
    }

    fn score(&self, code: &str) -> Option<Number> {
        let field = self.fields.get(code)?;
        field.kind.scores()?.score(self.values.get(code)?)
    }

    fn today(&self) -> Option<Moment> {
        let timezone: &TimeZone = self.cx.timezone;
        let now = dates::local(self.cx.now.timestamp(), timezone);
        Moment::read(dates::Precision::Day.cut(&now))
    }
}
