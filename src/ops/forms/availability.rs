//! Whether a form takes submissions now, by its settings and the number of its entries.

use crate::base::clock::Time;
use crate::base::error::{Code, Error, Result};
use crate::base::named::named;
use crate::model::settings::{Availability, Schedule};

named! {
    /// The `status` of a published form.
    pub enum Status {
        /// It takes submissions.
        Open = "open",
        /// Not yet.
        NotOpen = "not_open",
        /// No more.
        Closed = "closed",
        /// It has as many entries as it takes.
        Full = "full",
    }
}

impl Status {
    /// Checks that a submission is accepted.
    ///
    /// # Errors
    /// 403 with the reason.
    pub fn check(self) -> Result<()> {
        let (code, message) = match self {
            Self::Open => return Ok(()),
            Self::NotOpen => (Code::FormNotOpen, "This form does not take submissions yet"),
            Self::Closed => (Code::FormClosed, "This form no longer takes submissions"),
            Self::Full => (Code::FormFull, "This form has all the submissions that it takes"),
        };
        Err(Error::Refused(code, message.to_owned()))
    }
}

/// A status with its reason, for the form's own people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It closes then, if ever.
    Open {
        until: Option<Time>,
    },
    OpensAt(Time),
    ClosedByHand,
    ClosedSince(Time),
    /// It has this many entries, and takes no more.
    Full {
        limit: i64,
    },
}

impl Standing {
    pub fn status(self) -> Status {
        match self {
            Self::Open { .. } => Status::Open,
            Self::OpensAt(_) => Status::NotOpen,
            Self::ClosedByHand | Self::ClosedSince(_) => Status::Closed,
            Self::Full { .. } => Status::Full,
        }
    }
}

/// The status now of a form with this many live entries.
pub fn status(group: &Availability, entries: i64, now: Time) -> Status {
    standing(group, entries, now).status()
}

/// The same with its reason. Being closed by a person takes precedence over the schedule.
pub fn standing(group: &Availability, entries: i64, now: Time) -> Standing {
    let Schedule { start_at, end_at } = group.schedule;
    if group.manually_closed {
        return Standing::ClosedByHand;
    }
    if let Some(end) = end_at.filter(|end| now >= *end) {
        return Standing::ClosedSince(end);
    }
    if let Some(start) = start_at.filter(|start| now < *start) {
        return Standing::OpensAt(start);
    }
    match group.entries_limit.filter(|limit| entries >= *limit) {
        Some(limit) => Standing::Full { limit },
        None => Standing::Open { until: end_at },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_opens_and_fills() {
        let time = |text: &str| Time::parse(text);
        let now = time("2026-05-01T12:00:00Z").expect("a time");
        let status = |group: &Availability, entries| status(group, entries, now);
        assert_eq!(status(&Availability::default(), 9), Status::Open);
        let closed = Availability { manually_closed: true, ..Availability::default() };
        assert_eq!(status(&closed, 0), Status::Closed);
        let limited = Availability { entries_limit: Some(2), ..Availability::default() };
        assert_eq!(status(&limited, 2), Status::Full);
        let scheduled = |start: &str, end: &str| Availability {
            schedule: Schedule { start_at: time(start), end_at: time(end) },
            ..Availability::default()
        };
        let later = scheduled("2026-05-01T12:00:01Z", "2026-05-02T00:00:00Z");
        assert_eq!(status(&later, 0), Status::NotOpen);
        let over = scheduled("2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z");
        assert_eq!(status(&over, 0), Status::Closed);
    }
}
