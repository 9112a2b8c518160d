//! Plans a query: which segments answer which conditions, in which order. Conditions on linked fields are resolved
//! to the matching entries of the linked form first.

use std::ops::ControlFlow;

use crate::base::error::Result;
use crate::fields::filter::cond::{Cond, holds_in_cells};
use crate::fields::filter::subject::{Question, Subject};
use crate::fields::filter::{Clause, Filter};
use crate::fields::{system, values};
use crate::model::serials::Serials;
use crate::query::as_read::Picker;
use crate::query::form_cache::Cache;
use crate::query::request::Query;
use crate::query::segments::Column;
use crate::query::{linked_entries, tail_cache};
use crate::store::db::tx::Tx;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, EntryRow};
use crate::store::entries::segments::{self, Unsealed};

const SERIAL: &str = "serial_number";

/// A query over the live entries of a form, ready to be evaluated block by block within one transaction.
pub struct Plan<'q> {
    pub cache: &'q Cache,
    pub tx: &'q Tx<'q>,
    pub form_no: i64,
    pub query: &'q Query,
    pub steps: Vec<Step<'q>>,
    pub unsealed: Unsealed,
}

/// A column and the slot of its segments, as far as there are any.
#[derive(Clone, Copy)]
pub struct ColumnSlot<'q> {
    pub column: Option<&'q Column>,
    pub slot: Option<i64>,
}

/// Conditions that segments can answer. All steps of a plan must hold.
pub enum Step<'q> {
    /// On the serial number, which needs no segment.
    Serial(&'q Cond),
    /// All of these on one column.
    Column(ColumnSlot<'q>, Vec<&'q Cond>),
    /// One on any of several columns.
    AnyOf(Vec<ColumnSlot<'q>>, &'q Cond),
    /// On the entry that a linked field leads to.
    Link(ColumnSlot<'q>, LinkedMatches),
    /// One of these must hold.
    OneOf(Vec<Step<'q>>),
}

impl<'q> Step<'q> {
    pub fn columns(&self) -> Vec<ColumnSlot<'q>> {
        match self {
            Self::Serial(_) => Vec::new(),
            Self::Column(column, _) | Self::Link(column, _) => vec![*column],
            Self::AnyOf(columns, _) => columns.clone(),
            Self::OneOf(steps) => steps.iter().flat_map(Step::columns).collect(),
        }
    }
}

/// Entries of the linked form for which a condition holds.
pub struct LinkedMatches {
    /// The entries for which it holds.
    pub matching: Serials,
    /// All live entries: a link to any other leads nowhere.
    pub live: Serials,
    /// Whether it holds where a link leads nowhere.
    pub holds_for_none: bool,
}

impl<'q> Plan<'q> {
    pub fn new(cache: &'q Cache, tx: &'q Tx<'q>, form_no: i64, query: &'q Query) -> Result<Self> {
        let mut plan =
            Self { cache, tx, form_no, query, steps: Vec::new(), unsealed: segments::unsealed(tx, form_no)? };
        // Steps follow all links of the form beforehand: for a few entries a scan is cheaper.
        if plan.unsealed.after == 0 && query.filter.follows_links() {
            plan.unsealed.upto = 0;
        }
        if plan.unsealed.after == 0 && tail_cache::blocks(&plan.unsealed).is_empty() {
            return Ok(plan);
        }
        // Clauses about one subject follow each other.
        for same in query.filter.clauses.chunk_by(|a, b| a.subject == b.subject) {
            let steps = plan.steps_of(&same[0].subject, same)?;
            plan.steps.extend(steps);
        }
        for some in &query.filter.any_of {
            let mut steps = Vec::new();
            for clause in some {
                steps.extend(plan.steps_of(&clause.subject, std::slice::from_ref(clause))?);
            }
            plan.steps.push(Step::OneOf(steps));
        }
        if let Some(keyword) = &query.filter.keyword {
            let columns = keyword.among.iter().map(|question| {
                let subject = Subject::Question(question.clone());
                plan.column_slot(|column| column.is_of(&subject))
            });
            let columns = columns.collect::<Result<_>>()?;
            plan.steps.push(Step::AnyOf(columns, &keyword.cond));
        }
        plan.sort_by_cost()?;
        Ok(plan)
    }

    fn steps_of(&self, subject: &Subject, clauses: &'q [Clause]) -> Result<Vec<Step<'q>>> {
        let conds = clauses.iter().map(|clause| &clause.cond);
        Ok(match subject {
            Subject::System(field) if field.name == SERIAL => conds.map(Step::Serial).collect(),
            Subject::Question(_) | Subject::System(_) => {
                let column = self.column_slot(|column| column.is_of(subject))?;
                vec![Step::Column(column, conds.collect())]
            }
            Subject::Linked(linked) => {
                let column = self.column_slot(|column| column.is_link_at(linked.place))?;
                let step = |cond| {
                    let matches = self.linked_matches(linked.place, &linked.code, cond)?;
                    Ok(Step::Link(column, matches))
                };
                conds.map(step).collect::<Result<_>>()?
            }
        })
    }

    fn column_slot(&self, is_it: impl Fn(&Column) -> bool) -> Result<ColumnSlot<'q>> {
        let mut columns = self.query.parsed.columns().iter();
        let column = columns.find(|column| is_it(column));
        let slot = column.map(|it| segments::slot(self.tx, self.form_no, &it.name, it.mark));
        let slot = slot.transpose()?.flatten();
        Ok(ColumnSlot { column, slot })
    }

    /// Puts short segments before long ones and missing ones last; the block in the middle is taken as typical.
    fn sort_by_cost(&mut self) -> Result<()> {
        if self.steps.len() < 2 {
            return Ok(());
        }
        let block = segments::block_of(self.unsealed.after) / 2;
        let size = |column: &ColumnSlot| -> Result<i64> {
            let size = column.slot.map(|slot| segments::size(self.tx, self.form_no, slot, block));
            Ok(size.transpose()?.flatten().unwrap_or(i64::from(u32::MAX)))
        };
        let mut costs = Vec::new();
        for step in std::mem::take(&mut self.steps) {
            let cost = step.columns().iter().map(size).sum::<Result<i64>>()?;
            costs.push((cost, step));
        }
        costs.sort_by_key(|(cost, _)| *cost);
        self.steps = costs.into_iter().map(|(_, step)| step).collect();
        Ok(())
    }

    /// The entries of the linked form for which a condition holds. No entry of a form in the trash is live.
    fn linked_matches(&self, place: usize, code: &str, cond: &Cond) -> Result<LinkedMatches> {
        let mut out = LinkedMatches {
            matching: Serials::default(),
            live: Serials::default(),
            holds_for_none: holds_in_cells(cond, &[]),
        };
        let tx = self.tx;
        let own = &self.query.parsed;
        let field = own.definition.fields.at(place);
        let Some(rules) = field.and_then(|field| field.kind.link_rules()) else {
            return Ok(out);
        };
        let Some(form) = linked_entries::live(tx, &rules.form_token)? else {
            return Ok(out);
        };
        let parsed = self.cache.parsed(tx, &form)?;
        let fields = &parsed.definition.fields;
        let everything = Query::of(&parsed, Filter::default());
        out.live = Plan::new(self.cache, tx, form.form_no, &everything)?.run()?;
        let subject = match system::by_name(code) {
            Some(field) => Subject::System(field),
            None => match Question::find(fields, code) {
                Some(question) => Subject::Question(question),
                None => return Ok(out),
            },
        };
        if parsed.reads_as(own) {
            let filter = Filter { clauses: vec![Clause { subject, cond: cond.clone() }], ..Filter::default() };
            let query = Query::of(&parsed, filter);
            out.matching = Plan::new(self.cache, tx, form.form_no, &query)?.run()?;
            return Ok(out);
        }
        // Keys are made with this form's timezone and language, but the linked form's segments with its own.
        let (here, there) = (own.cx(tx.now, false), parsed.cx(tx.now, false));
        let field = fields.get(code);
        let picker = Picker::new(&parsed, vec![code]);
        let mut evaluate = |row: EntryRow| {
            tx.check_deadline()?;
            let values = picker.values(row.values, &there)?;
            let keys = match field {
                Some(field) => values::today(field, values.get(code), &there)
                    .map_or_else(Vec::new, |stored| field.kind.keys(&stored, &here)),
                None => subject.cells(fields, &row.entry()?, &values, &here).concat(),
            };
            if holds_in_cells(cond, &[keys]) {
                out.matching.insert(row.serial);
            }
            Ok(ControlFlow::Continue(()))
        };
        let _ = entry_scan::scan(tx, Table::Live, form.form_no, 0, i64::MAX, &mut evaluate)?;
        Ok(out)
    }
}
