//! Three ways to what entries a filter means: exact keys, column segments, and the entries themselves. All
//! come to what `Filter::holds` says of every entry; the first two are quicker. Within one transaction,
//! what segments don't know is asked of the entries: what changed since they were made, what is not sealed
//! yet, what was too long.

use std::ops::ControlFlow;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::columns::{Bits, Column, Segment};
use crate::fields::cond::{Cond, Key, Op, holds_in_cells};
use crate::fields::filter::subject::{Question, Subject};
use crate::fields::filter::{Clause, Filter};
use crate::fields::{system, values};
use crate::model::serials::Serials;
use crate::ops::cache::Cache;
use crate::ops::entry_query::{self, Among, Query};
use crate::ops::links;
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Row};
use crate::store::tx::Tx;
use crate::store::{entry_keys, segments};

// More rows of a block than that are read one after the other rather than each by its address.
const FAR_APART: usize = 400;
// So many entries with one key are looked at; where there are more, other ways are better.
const WITH_ONE_KEY: usize = 257;
const SERIAL: &str = "serial_number";
/// The serials of all live entries of a form that match.
///
/// # Errors
/// Internal; 503 when it takes too long.
pub fn matching(cache: &Cache, tx: &Tx, form_no: i64, query: &Query) -> Result<Serials> {
    Ways::plan(cache, tx, form_no, query)?.all()
}

/// A filter over a form, ready to be asked block by block within one transaction.
struct Ways<'q> {
    cache: &'q Cache,
    tx: &'q Tx<'q>,
    among: Among,
    query: &'q Query,
    steps: Vec<Step<'q>>,
    sealed_upto: i64,
}

/// Some conditions that can be asked of segments.
enum Step<'q> {
    /// Of the serial number itself.
    Serial(&'q Cond),
    /// All of these of one column.
    Column(Option<i64>, Vec<&'q Cond>),
    /// One of any of several columns.
    AnyOf(Vec<Option<i64>>, &'q Cond),
    /// Of the entry that a linked field's column leads to.
    Link(Option<i64>, Linked),
}

/// What is known of the linked form's entries.
struct Linked {
    /// Those for which the condition holds.
    hits: Serials,
    /// All that are live: a link to another leads nowhere.
    live: Serials,
    /// Whether the condition holds where a link leads nowhere.
    holds_for_none: bool,
}

/// What a step says of a block's rows.
struct Said {
    yes: Bits,
    unknown: Bits,
}

impl Said {
    fn nothing() -> Self {
        Self {
            yes: Bits::none(),
            unknown: Bits::all(),
        }
    }
}

impl<'q> Ways<'q> {
    fn plan(cache: &'q Cache, tx: &'q Tx<'q>, form_no: i64, query: &'q Query) -> Result<Self> {
        let mut out = Self {
            cache,
            tx,
            among: Among {
                form_no,
                shelf: Shelf::Live,
            },
            query,
            steps: Vec::new(),
            sealed_upto: segments::sealed_upto(tx, form_no)?,
        };
        if out.sealed_upto == 0 {
            return Ok(out);
        }
        let mut rest = &query.filter.clauses[..];
        while let Some(first) = rest.first() {
            // Those about one subject stand together.
            let same = rest
                .iter()
                .take_while(|clause| clause.subject == first.subject);
            let (same, after) = rest.split_at(same.count());
            rest = after;
            out.add_steps(&first.subject, same)?;
        }
        if let Some(keyword) = &query.filter.keyword {
            let slots = keyword.among.iter().map(|question| {
                let subject = Subject::Question(question.clone());
                out.slot(|column| column.is_of(&subject))
            });
            let slots = slots.collect::<Result<_>>()?;
            out.steps.push(Step::AnyOf(slots, &keyword.cond));
        }
        out.cheapest_first()?;
        Ok(out)
    }

    fn add_steps(&mut self, subject: &Subject, clauses: &'q [Clause]) -> Result<()> {
        let conds = clauses.iter().map(|clause| &clause.cond);
        match subject {
            Subject::System(field) if field.name == SERIAL => {
                self.steps.extend(conds.map(Step::Serial));
            }
            Subject::Question(_) | Subject::System(_) => {
                let slot = self.slot(|column| column.is_of(subject))?;
                self.steps.push(Step::Column(slot, conds.collect()));
            }
            Subject::Linked(linked) => {
                let slot = self.slot(|column| column.is_link_at(linked.place))?;
                for cond in conds {
                    let known = self.linked(linked.place, &linked.code, cond)?;
                    self.steps.push(Step::Link(slot, known));
                }
            }
        }
        Ok(())
    }

    fn slot(&self, is_it: impl Fn(&Column) -> bool) -> Result<Option<i64>> {
        let column = self
            .query
            .parsed
            .columns()
            .iter()
            .find(|column| is_it(column));
        let slot = column.map(|it| segments::slot(self.tx, self.among.form_no, &it.name, it.mark));
        Ok(slot.transpose()?.flatten())
    }

    /// Short segments are asked before long ones, and what is not there is asked last.
    fn cheapest_first(&mut self) -> Result<()> {
        let block = segments::block_of(self.sealed_upto) / 2;
        let size = |slot: &Option<i64>| -> Result<i64> {
            let size = slot.map(|slot| segments::size(self.tx, self.among.form_no, slot, block));
            Ok(size.transpose()?.flatten().unwrap_or(i64::from(u32::MAX)))
        };
        let mut priced = Vec::new();
        for step in self.steps.drain(..).collect::<Vec<_>>() {
            let price = match &step {
                Step::Serial(_) => 0,
                Step::Column(slot, _) | Step::Link(slot, _) => size(slot)?,
                Step::AnyOf(slots, _) => slots.iter().map(size).sum::<Result<i64>>()?,
            };
            priced.push((price, step));
        }
        priced.sort_by_key(|(price, _)| *price);
        self.steps = priced.into_iter().map(|(_, step)| step).collect();
        Ok(())
    }

    /// The entries of the linked form for which a condition holds. None of a form in the trash is live.
    fn linked(&self, place: usize, code: &str, cond: &Cond) -> Result<Linked> {
        let mut out = Linked {
            hits: Serials::default(),
            live: Serials::default(),
            holds_for_none: holds_in_cells(cond, &[]),
        };
        let tx = self.tx;
        let own = &self.query.parsed;
        let field = own.definition.fields.at(place);
        let Some(rules) = field.and_then(|field| field.kind.link_rules()) else {
            return Ok(out);
        };
        let Some(form) = links::live(tx, &rules.form_token)? else {
            return Ok(out);
        };
        let parsed = self.cache.parsed(tx, &form)?;
        let fields = &parsed.definition.fields;
        let everything = Query::of(&parsed, Filter::default());
        out.live = Ways::plan(self.cache, tx, form.form_no, &everything)?.all()?;
        let subject = match system::by_name(code) {
            Some(field) => Subject::System(field),
            None => match Question::find(fields, code) {
                Some(question) => Subject::Question(question),
                None => return Ok(out),
            },
        };
        if parsed.reads_as(own) {
            let filter = Filter {
                clauses: vec![Clause {
                    subject,
                    cond: cond.clone(),
                }],
                keyword: None,
            };
            let there = Query::of(&parsed, filter);
            out.hits = Ways::plan(self.cache, tx, form.form_no, &there)?.all()?;
            return Ok(out);
        }
        // Its keys are made with this form's timezone and language, which its segments don't have.
        let (here, there) = (own.cx(tx.now, false), parsed.cx(tx.now, false));
        let field = fields.get(code);
        let mut look = |row: Row| {
            tx.go_on()?;
            let values = values::pick(row.values, &[code]).map_err(Error::internal)?;
            let keys = match field {
                Some(field) => values::today(field, values.get(code), &there)
                    .map_or_else(Vec::new, |stored| field.kind.keys(&stored, &here)),
                None => subject
                    .cells(fields, &row.entry()?, &values, &here)
                    .concat(),
            };
            if holds_in_cells(cond, &[keys]) {
                out.hits.insert(row.serial);
            }
            Ok(ControlFlow::Continue(()))
        };
        let _ = entry_scan::scan(tx, Shelf::Live, form.form_no, 0, i64::MAX, &mut look)?;
        Ok(out)
    }

    /// All entries that match.
    fn all(&self) -> Result<Serials> {
        if let Some(few) = self.by_key()? {
            return Ok(few);
        }
        let mut out = Serials::default();
        if self.sealed_upto > 0 {
            for block in 0..=segments::block_of(self.sealed_upto) {
                self.tx.go_on()?;
                let rows = self.block(block)?;
                if !rows.is_empty() {
                    out.set_block(block, rows.words());
                }
            }
        }
        self.scan((self.sealed_upto, i64::MAX), &mut |serial| {
            out.insert(serial);
        })?;
        Ok(out)
    }

    fn scan(&self, range: (i64, i64), each: &mut dyn FnMut(i64)) -> Result<()> {
        entry_query::scan(self.cache, self.tx, self.among, self.query, range, each)
    }

    /// Where a field that is looked up by value must equal one: the few entries that have its key.
    fn by_key(&self) -> Result<Option<Serials>> {
        for clause in &self.query.filter.clauses {
            let Some((field, key)) = self.exact_key(clause) else {
                continue;
            };
            let form_no = self.among.form_no;
            let few = entry_keys::with_key(self.tx, form_no, field, key, WITH_ONE_KEY)?;
            if few.len() < WITH_ONE_KEY {
                let mut out = Serials::default();
                self.look_at(&few, &mut |serial| out.insert(serial))?;
                return Ok(Some(out));
            }
        }
        Ok(None)
    }

    fn look_at(&self, serials: &[i64], each: &mut dyn FnMut(i64)) -> Result<()> {
        let (cache, tx, query) = (self.cache, self.tx, self.query);
        entry_query::look_at(cache, tx, self.among, query, serials, each)
    }

    fn exact_key(&self, clause: &'q Clause) -> Option<(u32, &'q str)> {
        let Subject::Question(question) = &clause.subject else {
            return None;
        };
        let field = question.asked(&self.query.parsed.definition.fields)?;
        let Cond::In(wanted) = &clause.cond else {
            return None;
        };
        let [Key::Text(text)] = &wanted[..] else {
            return None;
        };
        // Keys are not made again when the type changes. Of other kinds than text, the key is not what a
        // condition compares.
        let is_text = field.kind.operators() == Op::TEXT
            && field.kind.unique_key(&Json::String(text.clone())).as_ref() == Some(text);
        let is_kept = question.column.is_none() && field.unique && field.past.is_empty();
        (is_text && is_kept).then(|| (field.number(), text.as_str()))
    }

    /// The rows of one block that match.
    fn block(&self, block: i64) -> Result<Bits> {
        let form_no = self.among.form_no;
        let Some(live) = segments::live(self.tx, form_no, block)? else {
            return self.look(block, &Bits::all());
        };
        let changes = segments::changes(self.tx, form_no, block)?;
        let changed = Bits::of(changes.iter().map(|change| segments::row_of(change.serial)));
        let mut left = live.without(&changed);
        let mut doubtful = Bits::none();
        for step in &self.steps {
            if left.is_empty() {
                break;
            }
            let said = self.ask(step, block, &left)?;
            left = left.and(&said.yes.or(&said.unknown));
            doubtful = doubtful.or(&said.unknown.without(&said.yes));
        }
        let doubtful = left.and(&doubtful);
        let sure = left.without(&doubtful);
        Ok(sure.or(&self.look(block, &doubtful.or(&changed))?))
    }

    /// What a step says of the rows that are left.
    fn ask(&self, step: &Step, block: i64, left: &Bits) -> Result<Said> {
        match step {
            Step::Serial(cond) => {
                let serials = Segment::counting_from(segments::serial_of(block, 0));
                Ok(serials.ask(cond).map_or_else(Said::nothing, |yes| Said {
                    yes,
                    unknown: Bits::none(),
                }))
            }
            Step::Column(slot, conds) => self.segment(*slot, block, |segment| {
                let mut yes = segment.unknown().inverted();
                for cond in conds {
                    yes = yes.and(&segment.ask(cond)?);
                }
                Some(Said {
                    yes,
                    unknown: segment.unknown().clone(),
                })
            }),
            Step::AnyOf(slots, cond) => {
                let mut all = Said {
                    yes: Bits::none(),
                    unknown: Bits::none(),
                };
                for slot in slots {
                    if left.without(&all.yes).is_empty() {
                        break;
                    }
                    let said = self.segment(*slot, block, |segment| {
                        Some(Said {
                            yes: segment.ask(cond)?.without(segment.unknown()),
                            unknown: segment.unknown().clone(),
                        })
                    })?;
                    all.yes = all.yes.or(&said.yes);
                    all.unknown = all.unknown.or(&said.unknown);
                }
                all.unknown = all.unknown.without(&all.yes);
                Ok(all)
            }
            Step::Link(slot, linked) => self.segment(*slot, block, |segment| {
                let mut yes = if linked.holds_for_none {
                    Bits::all()
                } else {
                    Bits::none()
                };
                for (row, serial) in segment.numbers()? {
                    // It was a whole number below 2^32 when it was put there.
                    let serial = serial as i64;
                    let holds = if linked.live.contains(serial) {
                        linked.hits.contains(serial)
                    } else {
                        linked.holds_for_none
                    };
                    if holds {
                        yes.add(row);
                    } else {
                        yes.remove(row);
                    }
                }
                Some(Said {
                    yes: yes.without(segment.unknown()),
                    unknown: segment.unknown().clone(),
                })
            }),
        }
    }

    /// Asks a segment; where there is none, or none that can be read, nothing is known.
    fn segment(
        &self,
        slot: Option<i64>,
        block: i64,
        ask: impl FnOnce(&Segment) -> Option<Said>,
    ) -> Result<Said> {
        let Some(slot) = slot else {
            return Ok(Said::nothing());
        };
        let said = segments::with(self.tx, self.among.form_no, slot, block, |data| {
            Segment::read(data).and_then(|segment| ask(&segment))
        })?;
        Ok(said.flatten().unwrap_or_else(Said::nothing))
    }

    /// Asks the entries themselves: those of these rows that are live and match.
    fn look(&self, block: i64, rows: &Bits) -> Result<Bits> {
        let mut out = Bits::none();
        if rows.count() > FAR_APART {
            let range = (segments::last_of(block - 1), segments::last_of(block));
            self.scan(range, &mut |serial| out.add(segments::row_of(serial)))?;
            return Ok(out.and(rows));
        }
        let serials: Vec<i64> = rows
            .iter()
            .map(|row| segments::serial_of(block, row))
            .collect();
        self.look_at(&serials, &mut |serial| out.add(segments::row_of(serial)))?;
        Ok(out)
    }
}
