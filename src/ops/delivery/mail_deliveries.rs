//! Deliveries of the outbox, as the background job goes through them: what is due is taken out, tried, and settled.

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::outbox::{ClaimedMessage, DeliveryFault, MailLane, Message};
use crate::ops::app::{App, Ticket};
use crate::ops::delivery::notifications;
use crate::store::delivery::outbox;

/// The longest that one attempt may take.
pub const LONGEST_ATTEMPT_SECS: u64 = 60;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;

/// The waits between attempts, in seconds. After the last of them it fails.
const WAITS: [i64; 9] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// Each wait is longer by up to this part, so that what failed together is not tried together.
const JITTER: i64 = 10;

/// Mails to be sent now.
pub struct Due {
    pub messages: Vec<ClaimedMessage>,
    /// When the next one is due; `None` if none waits.
    pub next: Option<Time>,
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    Delivered,
    /// It may succeed later.
    PutOff(DeliveryFault),
    /// It never will.
    Failed(DeliveryFault),
}

/// Takes up to `limit` mails of a lane that are due.
pub fn claim(app: &App, lane: MailLane, limit: usize) -> Ticket<Due> {
    app.store.submit(move |tx| Ok(Due { messages: outbox::claim(tx, lane, limit)?, next: outbox::next_due(tx, lane)? }))
}

/// Makes messages due at once that were being sent when the last server ended.
///
/// # Errors
/// 503.
pub fn release(app: &App) -> Result<usize> {
    app.store.write(outbox::release)
}

/// Content of a message; `None` if it can't be read any more.
///
/// # Errors
/// 503.
pub fn open(app: &App, message: &ClaimedMessage) -> Result<Option<Message>> {
    match message.entry {
        Some(entry) if message.body.is_empty() => notifications::again(app, message.kind, entry, &message.target),
        _ => Ok(app.delivery.outbox.open(&message.body)),
    }
}

/// Notes what became of an attempt.
pub fn settle(app: &App, message: &ClaimedMessage, attempt: Attempt) -> Ticket<()> {
    let (id, attempts) = (message.id, message.attempts);
    let figures = Arc::clone(&app.server);
    app.store.submit(move |tx| {
        let next = match attempt {
            Attempt::PutOff(_) => next_attempt(tx.now, attempts),
            _ => None,
        };
        match (attempt, next) {
            (Attempt::Delivered, _) => {
                figures.mails.delivered.add(1);
                outbox::delivered(tx, id)
            }
            (Attempt::PutOff(fault), Some(next)) => {
                figures.mails.put_off.add(1);
                outbox::put_off(tx, id, fault, next)
            }
            (Attempt::PutOff(fault) | Attempt::Failed(fault), _) => {
                figures.mails.failed.add(1);
                outbox::failed(tx, id, fault)
            }
        }
    })
}

/// Waits until mail of a lane is queued.
pub async fn queued(app: &App, lane: MailLane) {
    app.delivery.outbox.queued(lane).await;
}

/// When a message is tried again after so many attempts.
pub(in crate::ops) fn next_attempt(now: Time, attempts: u32) -> Option<Time> {
    let place = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let wait = WAITS.get(place)? * 1000;
    let jitter = rand::random_range(0..=wait / JITTER);
    Some(Time::from_millis(now.millis() + wait + jitter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_day_and_end() {
        let now = Time::from_millis(1_000_000);
        for (place, wait) in (1..).zip(WAITS) {
            for _ in 0..20 {
                let next = next_attempt(now, place).expect("another one");
                let millis = next.millis() - now.millis();
                assert!((wait * 1000..=wait * 1100).contains(&millis), "{place}: {millis}");
            }
        }
        assert_eq!(next_attempt(now, 10), None);
        assert_eq!(next_attempt(now, 0), None);
    }
}
