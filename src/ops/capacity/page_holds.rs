//! The hold of a form's page: while somebody fills the page in, it keeps what they have chosen so far.

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::secret;
use crate::fields::values::Values;
use crate::model::capacity::TakenAmount;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::holds::{self, Held};
use crate::ops::capacity::{self, Asker};
use crate::ops::entries::answers::Answers;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::Published;
use crate::store::capacity::holds as rows;
use crate::store::forms;

/// A hold and what it keeps.
pub struct PageHold {
    pub expires_at: Time,
    pub takes: Vec<TakenAmount>,
}

/// Whether a form's pages keep what is chosen on them.
pub fn are_kept(published: &Published) -> bool {
    published.status == Status::Open && published.parsed.settings.capacity.hold_minutes > 0
}

/// The hold of a page, unless it has ended.
///
/// # Errors
/// 503 while no reader is free.
pub fn find(app: &App, published: &Published, token: &str) -> Result<Option<PageHold>> {
    app.store.read(|tx| {
        let found = rows::find(tx, published.form.form_no, &secret::hash(token))?;
        let Some(hold) = found else { return Ok(None) };
        Ok(Some(PageHold { expires_at: hold.expires_at, takes: rows::takes_of(tx, hold)? }))
    })
}

/// The faults of answers for which not enough is left; answers with other faults are skipped. `given` has the values in
/// the page's fields, `kept` the amounts of the page's hold.
///
/// # Errors
/// 503 while no reader is free.
pub fn full(
    app: &App,
    published: &Published,
    (answers, given): (&Answers, &Values),
    kept: &[TakenAmount],
) -> Result<Vec<Issue>> {
    let wanted = holds::wanted_of_page(answers, given);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    app.store.read(|tx| capacity::faults(tx, published.form.form_no, Asker::Respondent, kept, &wanted))
}

/// The hold of a page, and its shortages.
pub struct HeldByPage {
    /// `None` where nothing is kept: nothing limited was chosen, or the sender may have no more holds.
    pub held: Option<Held>,
    /// The faults of what found no room.
    pub full: Vec<Issue>,
    /// Whether some available choice is not held. It can be submitted all the same.
    pub is_short: bool,
}

/// Keeps what these answers take, as far as there is room, in the place of what the page has kept so far. Those with
/// faults are passed over.
///
/// # Errors
/// 503.
pub fn keep(
    app: &App,
    published: &Published,
    sender: &str,
    token: Option<&str>,
    (answers, given): (&Answers, &Values),
) -> Result<Ticket<HeldByPage>> {
    let parsed = &published.parsed;
    let mut wanted = holds::wanted_of_page(answers, given);
    let before = match token {
        Some(token) => find(app, published, token)?.zip(Some(token)),
        None => None,
    };
    let kept = |held: Option<Held>| Ok(Ticket::ready(Ok(HeldByPage { held, full: Vec::new(), is_short: false })));
    match before {
        None if wanted.is_empty() => return kept(None),
        Some((hold, token)) if holds::are_same(&hold.takes, &wanted) => {
            return kept(Some(Held { token: token.to_owned(), expires_at: hold.expires_at }));
        }
        _ => {}
    }
    let token = before.map(|(_, token)| token.to_owned());
    let (form, sender) = (published.form.clone(), sender.to_owned());
    let minutes = parsed.settings.capacity.hold_minutes;
    Ok(app.store.submit(move |tx| {
        forms::check_version(tx, form.form_no, form.version)?;
        let form_no = form.form_no;
        let before = match token {
            Some(token) => rows::find(tx, form_no, &secret::hash(&token))?.zip(Some(token)),
            None => None,
        };
        let kept = match &before {
            Some((hold, _)) => rows::takes_of(tx, *hold)?,
            None => Vec::new(),
        };
        let mut full = capacity::faults_of_hold(tx, form_no, &kept, &wanted)?;
        wanted.retain(|one| full.iter().all(|issue| issue.attribute != one.attribute));
        let faults = full.len();
        full.retain(|issue| !matches!(issue.reason, Reason::HoldTooLarge { .. }));
        let mut is_short = full.len() < faults;
        let held = match before {
            None if wanted.is_empty() => None,
            Some((hold, _)) if wanted.is_empty() => {
                rows::let_go(tx, form_no, hold)?;
                None
            }
            Some((hold, token)) => {
                rows::refill(tx, form_no, hold, &holds::taken_amounts(&wanted))?;
                let expires_at = hold.expires_at;
                Some(Held { token, expires_at })
            }
            None => match holds::insert(tx, form_no, &sender, minutes, &wanted) {
                Err(Error::TooManyOpen(..)) => {
                    is_short = true;
                    None
                }
                held => Some(held?),
            },
        };
        Ok(HeldByPage { held, full, is_short })
    }))
}
