//! Questions that a form takes over from another one, as copies with codes of their own. Formulas and rules that name
//! nothing but these questions come along; other rules, and what the exam says of the questions, stay behind.

use std::collections::HashSet;

use serde_json::json;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::kinds::by_name;
use crate::fields::values::formula::Formula;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::app::App;
use crate::ops::forms::drafts::parts::rules_of;
use crate::ops::forms::drafts::{DraftView, load, write};
use crate::ops::forms::versions::new_codes::NewCodes;

/// A form whose questions can be picked: as its draft has them.
pub struct Source(DraftView);

/// A question that can be picked.
pub struct Offered<'a> {
    pub code: &'a str,
    pub body: &'a Json,
    /// The codes of the questions that it is computed from.
    pub needs: Vec<String>,
    pub has_rules: bool,
}

/// The picked questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// Definitions with the codes of their own form, in its order.
    bodies: Vec<Json>,
    /// Rules among these questions alone, with the same codes.
    rules: Vec<Json>,
    /// Whether rules, or what the exam says of the questions, stay behind.
    pub leaves: bool,
}

/// The reason why questions can't be taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpicked {
    /// None was picked.
    Nothing,
    /// By the code of a formula: the code of a question that it is computed from and that was not picked.
    Needed(Vec<(String, String)>),
}

impl Source {
    /// # Errors
    /// 404.
    pub fn load(app: &App, caller: &Caller, token: &str) -> Result<Self> {
        load(app, caller, token).map(Self)
    }

    pub fn token(&self) -> &str {
        self.0.view.form.token.as_str()
    }

    pub fn name(&self) -> &str {
        &self.0.view.form.name
    }

    /// The language that its questions are in.
    pub fn locale(&self) -> &str {
        &self.0.view.form.locale
    }

    pub fn body(&self, code: &str) -> Option<&Json> {
        self.0.draft.get(code)?.body.as_ref()
    }

    /// Its questions, in their order.
    pub fn offered(&self) -> Vec<Offered<'_>> {
        let rules = rules_of(self.0.draft.body(PartName::Rules));
        let named: HashSet<&str> = rules.iter().flat_map(names_of).filter_map(|name| name.split('.').next()).collect();
        let present = self.0.draft.present();
        let offered = present.map(|(question, body)| Offered {
            code: &question.code,
            body,
            needs: needs(body),
            has_rules: named.contains(question.code.as_str()),
        });
        offered.collect()
    }

    /// These of its questions; codes that it doesn't have are passed over.
    ///
    /// # Errors
    /// The reason why they can't be taken over.
    pub fn pick(&self, codes: &[String]) -> std::result::Result<Picked, Unpicked> {
        let is_picked = |code: &str| codes.iter().any(|picked| picked == code);
        let picked: Vec<Offered> = self.offered().into_iter().filter(|question| is_picked(question.code)).collect();
        if picked.is_empty() {
            return Err(Unpicked::Nothing);
        }
        let missing = picked.iter().flat_map(|question| {
            let missing = question.needs.iter().filter(|code| !is_picked(code));
            missing.map(|code| (question.code.to_owned(), code.clone()))
        });
        let missing: Vec<(String, String)> = missing.collect();
        if !missing.is_empty() {
            return Err(Unpicked::Needed(missing));
        }
        let rules = rules_of(self.0.draft.body(PartName::Rules));
        let touching = rules.iter().filter(|rule| names_of(rule).any(|name| is_picked(field_of(name))));
        let (whole, broken): (Vec<&Json>, Vec<&Json>) =
            touching.partition(|rule| names_of(rule).all(|name| is_picked(field_of(name)) && self.keeps(name)));
        let exam = self.0.draft.body(PartName::ExamQuestions);
        Ok(Picked {
            bodies: picked.iter().map(|question| question.body.clone()).collect(),
            rules: whole.into_iter().cloned().collect(),
            leaves: !broken.is_empty() || picked.iter().any(|question| exam.get(question.code).is_some()),
        })
    }

    /// Whether a name in a rule means the same in the copy: columns are counted anew.
    fn keeps(&self, name: &str) -> bool {
        let Some((code, column)) = name.split_once('.') else {
            return true;
        };
        let columns = self.body(code).and_then(|body| body["dimensions"].as_array());
        let place = columns.and_then(|columns| columns.iter().position(|known| known["api_code"] == column));
        place.is_some_and(|at| column == format!("field_{}", at + 1))
    }
}

/// The codes that a rule names, those of its conditions and of what it acts on.
fn names_of(rule: &Json) -> impl Iterator<Item = &str> {
    let conditions = rule["condition"]["items"].as_array().into_iter().flatten();
    let targets = rule["fields"].as_array().into_iter().flatten();
    conditions.map(|condition| &condition["field"]).chain(targets).filter_map(Json::as_str)
}

/// The field of a name, which may name one of its columns.
fn field_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// The codes of the questions that a question is computed from.
fn needs(body: &Json) -> Vec<String> {
    let formula = body["expression"].as_str().and_then(|expression| Formula::read(expression).ok());
    formula.map(|formula| formula.fields().into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// Adds what was picked after a question, or at the beginning for an empty code, in one step. Returns the new codes.
///
/// # Errors
/// 403, 404, 422 over the most questions of a form.
pub fn take_over(app: &App, caller: &Caller, token: &str, picked: Picked, after: &str) -> Result<Vec<String>> {
    let after = after.to_owned();
    write(app, caller, token, "", move |change| {
        let mut new = NewCodes::default();
        for (at, body) in (change.draft.next_field..).zip(&picked.bodies) {
            let old = body["api_code"].as_str().unwrap_or_default();
            new.fields.insert(old.to_owned(), format!("field_{at}"));
        }
        let mut bodies = picked.bodies;
        for body in &mut bodies {
            new.in_formula(body);
            count_columns_anew(body);
        }
        let codes = change.insert(bodies, &after)?;
        if !picked.rules.is_empty() {
            let mut rules = rules_of(change.draft.body(PartName::Rules));
            rules.extend(rules_of(&new.in_rules(&json!(picked.rules))));
            change.draft.set_body(PartName::Rules, json!(rules));
        }
        Ok(codes)
    })
}

/// Takes out the codes of columns: they are those of a field that was published.
fn count_columns_anew(body: &mut Json) {
    for column in body["dimensions"].as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        if column.get("type").and_then(Json::as_str).and_then(by_name).is_some() {
            column.shift_remove("api_code");
        }
    }
}
