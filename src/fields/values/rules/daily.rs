//! Formulas that depend on the day: they use `TODAY()`, read such a formula, or are hidden by rules that look at one.
//! Their stored values are those of the day on which the entry was saved, so they are computed whenever it is read.

use crate::fields::Fields;
use crate::fields::kind::Cx;
use crate::fields::values::rules::{Held, MAX_COMPUTED, Rules, compute};
use crate::fields::values::{self, Values};

/// The formulas of a form that depend on the day.
#[derive(Debug, Default)]
pub struct Daily {
    /// By the fields' positions: whether the field is one.
    is_daily: Vec<bool>,
    /// Their positions and those of all that they need, in the order of evaluation.
    order: Vec<usize>,
}

impl Daily {
    /// Finds them; `order` is the order of evaluation of all fields.
    pub(super) fn of(fields: &Fields, depends: &[Vec<usize>], order: &[usize]) -> Self {
        let formula = |place: usize| Some(&fields.at(place)?.kind.computed()?.formula);
        let mut varies = vec![false; fields.len()];
        for place in order.iter().copied() {
            let uses_today = formula(place).is_some_and(|formula| formula.uses_today());
            varies[place] = uses_today || depends[place].iter().any(|on| varies[*on]);
        }
        let is_daily = (0..fields.len()).map(|place| varies[place] && formula(place).is_some());
        let is_daily: Vec<bool> = is_daily.collect();
        let mut needed = is_daily.clone();
        for place in order.iter().rev() {
            if needed[*place] {
                depends[*place].iter().for_each(|on| needed[*on] = true);
            }
        }
        let order = order.iter().copied().filter(|place| needed[*place]);
        Self { order: order.collect(), is_daily }
    }
}

impl Rules {
    /// Whether a formula depends on the day.
    pub fn has_daily(&self) -> bool {
        !self.daily.order.is_empty()
    }

    /// Whether the field at this position is a formula that depends on the day.
    pub fn is_daily(&self, place: usize) -> bool {
        self.daily.is_daily.get(place).copied().unwrap_or_default()
    }

    /// The positions of the fields that formulas which depend on the day need, these formulas included.
    pub fn needed_daily(&self) -> &[usize] {
        &self.daily.order
    }

    /// Computes the formulas that depend on the day, for stored values that are read. Rules hide what they hide on that
    /// day; other values stay as they are stored.
    pub fn refresh(&self, fields: &Fields, values: &mut Values, cx: &Cx) {
        let mut held = Held { known: vec![None; self.list.len()], trace: None };
        let (mut seen, mut computed) = (Values::new(), 0);
        for place in self.daily.order.iter().copied() {
            let Some(field) = fields.at(place) else {
                continue;
            };
            let code = &field.api_code;
            let is_hidden = self.hides(place, &mut held, fields, &seen, cx);
            if !self.is_daily(place) {
                let value = values::today(field, values.get(code), cx).filter(|_| !is_hidden);
                seen.extend(value.map(|value| (code.clone(), value)));
                continue;
            }
            values.shift_remove(code);
            if is_hidden {
                continue;
            }
            compute(field, fields, &mut seen, cx);
            if let Some(value) = seen.get(code) {
                computed += value.as_str().map_or(0, str::len);
                if computed <= MAX_COMPUTED {
                    values.insert(code.clone(), value.clone());
                }
            }
        }
    }
}
