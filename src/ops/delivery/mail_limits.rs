//! Limits on mail about forms, which strangers cause by submitting (S97): how much an address gets, and how much is
//! sent per hour and per day. Hours are those of the clock, so that waiting mail is planned by counting.

use crate::base::clock::Time;
use crate::base::config::MailLimits;
use crate::base::error::Result;
use crate::model::user::OrganizationId;
use crate::store::db::tx::Tx;
use crate::store::delivery::outbox;

const HOUR_SECS: i64 = 3600;
const DAY_SECS: i64 = 24 * HOUR_SECS;
/// Mails about all forms that an address gets in a day, unless it may get more in an hour.
const DAILY: u32 = 10;
/// How many hours a mail waits at most.
const LONGEST_WAIT: i64 = 48;

/// A mail that is to be planned.
pub struct Planned<'a> {
    pub form_no: i64,
    pub organization: OrganizationId,
    /// The pseudonym of the network whose submission causes it; none where that is not counted.
    pub sender: Option<&'a str>,
    /// The folded address; none where its owner agreed to all of it.
    pub recipient: Option<&'a str>,
}

impl Planned<'_> {
    /// The hour that it is sent in, since 1970; none where it is held back.
    pub fn hour(&self, tx: &Tx, limits: &MailLimits) -> Result<Option<i64>> {
        if let Some(recipient) = self.recipient {
            let since = |secs| tx.now.minus_secs(secs);
            let about_form = outbox::count_to(tx, recipient, Some(self.form_no), since(HOUR_SECS))?;
            let about_all = outbox::count_to(tx, recipient, None, since(DAY_SECS))?;
            if about_form >= limits.per_recipient || about_all >= DAILY.max(limits.per_recipient) {
                return Ok(None);
            }
        }
        let first = hour_of(tx.now);
        for hour in first..first + LONGEST_WAIT {
            if self.has_room(tx, limits, hour)? {
                return Ok(Some(hour));
            }
        }
        Ok(None)
    }

    fn has_room(&self, tx: &Tx, limits: &MailLimits, hour: i64) -> Result<bool> {
        Ok(outbox::count_in_day(tx, self.organization, hour)? < limits.per_day
            && outbox::count_in_hour(tx, self.form_no, None, hour)? < limits.per_form
            && match self.sender {
                Some(sender) => outbox::count_in_hour(tx, self.form_no, Some(sender), hour)? < limits.per_sender,
                None => true,
            })
    }
}

/// When a mail that is planned for this hour may be sent.
pub fn due(hour: i64, now: Time) -> Time {
    now.max(Time::from_millis(hour * HOUR_SECS * 1000))
}

fn hour_of(now: Time) -> i64 {
    now.millis().div_euclid(HOUR_SECS * 1000)
}
