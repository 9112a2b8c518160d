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
use crate::fields::stored;
use crate::fields::{system, values};
use crate::model::serials::Serials;
use crate::ops::cache::Cache;
use crate::ops::entry_query::{Among, Query};
use crate::ops::unsealed::{self, Pieces};
use crate::ops::{entry_walk, links};
use crate::store::entries::Shelf;
use crate::store::entry_keys;
use crate::store::entry_scan::{self, Row};
use crate::store::segments::{self, Unsealed};
use crate::store::tx::Tx;

// More rows of a block than that are read one after the other rather than each by its address.
const FAR_APART: usize = 400;
// So many entries with one key are looked at; where there are more, other ways are better.
const WITH_ONE_KEY: usize = 257;
const SERIAL: &str = "serial_number";

/// The serials of all entries that match.
pub fn matching(cache: &Cache, tx: &Tx, among: Among, query: &Query) -> Result<Serials> {
    if among.shelf == Shelf::Live {
        return Ways::plan(cache, tx, among.form_no, query)?.all();
    }
    // Of the trash nothing is kept but the entries.
    let mut out = Serials::default();
    entry_walk::scan(cache, tx, among, query, (0, i64::MAX), &mut |serial| {
        out.insert(serial);
    })?;
    Ok(out)
}

/// A filter over a form, ready to be asked block by block within one transaction.
struct Ways<'q> {
    cache: &'q Cache,
    tx: &'q Tx<'q>,
    among: Among,
    query: &'q Query,
    steps: Vec<Step<'q>>,
    unsealed: Unsealed,
}

/// A column, and where its segments are, if there are any.
#[derive(Clone, Copy)]
struct Place<'q> {
    column: Option<&'q Column>,
    slot: Option<i64>,
}

/// Some conditions that can be asked of segments.
enum Step<'q> {
    /// Of the serial number itself.
    Serial(&'q Cond),
    /// All of these of one column.
    Column(Place<'q>, Vec<&'q Cond>),
    /// One of any of several columns.
    AnyOf(Vec<Place<'q>>, &'q Cond),
    /// Of the entry that a linked field's column leads to.
    Link(Place<'q>, Linked),
}

impl<'q> Step<'q> {
    /// The columns that it asks.
    fn places(&self) -> &[Place<'q>] {
        match self {
            Self::Serial(_) => &[],
            Self::Column(place, _) | Self::Link(place, _) => std::slice::from_ref(place),
            Self::AnyOf(places, _) => places,
        }
    }
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

/// Where the segments of a block are.
#[derive(Clone, Copy)]
enum Source<'s> {
    /// In the file.
    Sealed(i64),
    /// In memory: it is not full yet.
    Newest(&'s Pieces),
}

/// What a step says of a block's rows.
struct Said {
    yes: Bits,
    unknown: Bits,
}

/// What segments say of some rows of a block.
struct Answer {
    sure: Bits,
    /// Of these they don't know.
    doubtful: Bits,
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
            unsealed: segments::unsealed(tx, form_no)?,
        };
        // All links are followed before the first entry is looked at, which is more than a few entries need.
        if out.unsealed.after == 0 && query.filter.follows_links() {
            out.unsealed.upto = 0;
        }
        if out.unsealed.after == 0 && unsealed::blocks(&out.unsealed).is_empty() {
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
            let places = keyword.among.iter().map(|question| {
                let subject = Subject::Question(question.clone());
                out.place(|column| column.is_of(&subject))
            });
            let places = places.collect::<Result<_>>()?;
            out.steps.push(Step::AnyOf(places, &keyword.cond));
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
                let place = self.place(|column| column.is_of(subject))?;
                self.steps.push(Step::Column(place, conds.collect()));
            }
            Subject::Linked(linked) => {
                let place = self.place(|column| column.is_link_at(linked.place))?;
                for cond in conds {
                    let known = self.linked(linked.place, &linked.code, cond)?;
                    self.steps.push(Step::Link(place, known));
                }
            }
        }
        Ok(())
    }

    fn place(&self, is_it: impl Fn(&Column) -> bool) -> Result<Place<'q>> {
        let mut columns = self.query.parsed.columns().iter();
        let column = columns.find(|column| is_it(column));
        let slot = column.map(|it| segments::slot(self.tx, self.among.form_no, &it.name, it.mark));
        let slot = slot.transpose()?.flatten();
        Ok(Place { column, slot })
    }

    /// Short segments are asked before long ones, and what is not there is asked last.
    fn cheapest_first(&mut self) -> Result<()> {
        if self.steps.len() < 2 {
            return Ok(());
        }
        let block = segments::block_of(self.unsealed.after) / 2;
        let size = |place: &Place| -> Result<i64> {
            let size = place.slot;
            let size = size.map(|slot| segments::size(self.tx, self.among.form_no, slot, block));
            Ok(size.transpose()?.flatten().unwrap_or(i64::from(u32::MAX)))
        };
        let mut priced = Vec::new();
        for step in self.steps.drain(..).collect::<Vec<_>>() {
            let price = step.places().iter().map(size).sum::<Result<i64>>()?;
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
            let values = stored::pick(row.values, &[code]).map_err(Error::internal)?;
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
        let mut upto = self.unsealed.after;
        if upto > 0 {
            for block in 0..=segments::block_of(upto) {
                self.tx.go_on()?;
                let rows = self.block(block)?;
                if !rows.is_empty() {
                    out.set_block(block, rows.words());
                }
            }
        }
        for block in unsealed::blocks(&self.unsealed) {
            let Some((rows, reached)) = self.newest(block)? else {
                break;
            };
            out.set_block(block, rows.words());
            upto = reached;
            if upto < segments::last_of(block) {
                break;
            }
        }
        self.scan((upto, i64::MAX), &mut |serial| {
            out.insert(serial);
        })?;
        Ok(out)
    }

    /// The rows of a block that is not full yet that match, and the last serial that was asked; none where
    /// the entries themselves are better asked.
    fn newest(&self, block: i64) -> Result<Option<(Bits, i64)>> {
        let places = self.steps.iter().flat_map(Step::places);
        let columns: Option<Vec<&Column>> = places.map(|place| place.column).collect();
        let parsed = &self.query.parsed;
        let columns = match columns {
            None => return Ok(None),
            // Which entries are there is said by any.
            Some(none) if none.is_empty() => parsed.columns().last().into_iter().collect(),
            Some(columns) => columns,
        };
        let (tx, form_no) = (self.tx, self.among.form_no);
        let newest = &self.cache.newest;
        let pieces = newest.of(tx, form_no, parsed, &columns, &self.unsealed, block)?;
        let Some(pieces) = pieces else {
            return Ok(None);
        };
        let said = self.narrow(Source::Newest(&pieces), block, pieces.live.clone())?;
        let rows = said.sure.or(&self.look(block, &said.doubtful)?);
        Ok(Some((rows, pieces.upto)))
    }

    fn scan(&self, range: (i64, i64), each: &mut dyn FnMut(i64)) -> Result<()> {
        entry_walk::scan(self.cache, self.tx, self.among, self.query, range, each)
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
        entry_walk::look_at(cache, tx, self.among, query, serials, each)
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
        let said = self.narrow(Source::Sealed(block), block, live.without(&changed))?;
        let looked = self.look(block, &said.doubtful.or(&changed))?;
        Ok(said.sure.or(&looked))
    }

    /// What all steps leave of some rows.
    fn narrow(&self, source: Source, block: i64, mut left: Bits) -> Result<Answer> {
        let mut doubtful = Bits::none();
        for step in &self.steps {
            if left.is_empty() {
                break;
            }
            let said = self.ask(step, source, block, &left)?;
            left = left.and(&said.yes.or(&said.unknown));
            doubtful = doubtful.or(&said.unknown.without(&said.yes));
        }
        let doubtful = left.and(&doubtful);
        Ok(Answer {
            sure: left.without(&doubtful),
            doubtful,
        })
    }

    /// What a step says of the rows that are left.
    fn ask(&self, step: &Step, source: Source, block: i64, left: &Bits) -> Result<Said> {
        match step {
            Step::Serial(cond) => {
                let serials = Segment::counting_from(segments::serial_of(block, 0));
                Ok(serials.ask(cond).map_or_else(Said::nothing, |yes| Said {
                    yes,
                    unknown: Bits::none(),
                }))
            }
            Step::Column(place, conds) => self.segments(place, source, |segment| {
                let mut yes = segment.unknown().inverted();
                for cond in conds {
                    yes = yes.and(&segment.ask(cond)?);
                }
                Some(Said {
                    yes,
                    unknown: segment.unknown().clone(),
                })
            }),
            Step::AnyOf(places, cond) => {
                let mut all = Said {
                    yes: Bits::none(),
                    unknown: Bits::none(),
                };
                for place in places {
                    if left.without(&all.yes).is_empty() {
                        break;
                    }
                    let said = self.segments(place, source, |segment| {
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
            Step::Link(place, linked) => self.segments(place, source, |segment| {
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

    /// Asks the segments of a column; where there is none, or none that can be read, nothing is known.
    fn segments(
        &self,
        place: &Place,
        source: Source,
        ask: impl Fn(&Segment) -> Option<Said>,
    ) -> Result<Said> {
        match (source, place.slot, place.column) {
            (Source::Sealed(block), Some(slot), _) => {
                let form_no = self.among.form_no;
                let said = segments::with(self.tx, form_no, slot, block, |data| {
                    Segment::read(data).and_then(|segment| ask(&segment))
                })?;
                Ok(said.flatten().unwrap_or_else(Said::nothing))
            }
            (Source::Newest(pieces), _, Some(column)) => {
                let mut all = Said {
                    yes: Bits::none(),
                    unknown: Bits::none(),
                };
                for piece in pieces.of(column) {
                    let said = piece.segment().and_then(|segment| ask(&segment));
                    let said = said.unwrap_or_else(Said::nothing);
                    all.yes = all.yes.or(&said.yes.and(&piece.live));
                    all.unknown = all.unknown.or(&said.unknown.and(&piece.live));
                }
                Ok(all)
            }
            _ => Ok(Said::nothing()),
        }
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
