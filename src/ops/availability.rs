//! Whether a form takes submissions now: its settings and how many entries it has.

use crate::base::clock::Time;
use crate::base::error::{Code, Error, Result};
use crate::base::json::Json;
use crate::base::named::named;

named! {
    /// What `status` of a published form says.
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
    /// That a submission is taken.
    ///
    /// # Errors
    /// 403 with the reason.
    pub fn check(self) -> Result<()> {
        let (code, message) = match self {
            Self::Open => return Ok(()),
            Self::NotOpen => (Code::FormNotOpen, "This form does not take submissions yet"),
            Self::Closed => (Code::FormClosed, "This form no longer takes submissions"),
            Self::Full => (
                Code::FormFull,
                "This form has all the submissions that it takes",
            ),
        };
        Err(Error::Refused(code, message.to_owned()))
    }
}

/// The group `availability` of a form's settings.
#[derive(Clone, Debug, Default)]
pub struct Availability {
    /// Closed by hand.
    pub manually_closed: bool,
    /// From when on submissions are taken.
    pub opens_at: Option<Time>,
    /// Until when they are.
    pub closes_at: Option<Time>,
    /// How many entries the form takes.
    pub entries_limit: Option<i64>,
    /// Whether pages count down to these moments.
    pub show_countdown: bool,
    /// Whether the fields are shown before it opens.
    pub show_form_before_open: bool,
}

impl Availability {
    /// From the stored settings.
    pub fn of(settings: &Json) -> Self {
        let group = &settings["availability"];
        let flag = |key: &str| group[key].as_bool().unwrap_or(false);
        let time = |key: &str| group["schedule"][key].as_str().and_then(Time::parse);
        Self {
            manually_closed: flag("manually_closed"),
            opens_at: time("start_at"),
            closes_at: time("end_at"),
            entries_limit: group["entries_limit"].as_i64(),
            show_countdown: flag("show_countdown"),
            show_form_before_open: flag("show_form_before_open"),
        }
    }

    /// The status now, with this many live entries.
    pub fn status(&self, entries: i64, now: Time) -> Status {
        if self.manually_closed || self.closes_at.is_some_and(|end| now >= end) {
            Status::Closed
        } else if self.opens_at.is_some_and(|start| now < start) {
            Status::NotOpen
        } else if self.entries_limit.is_some_and(|limit| entries >= limit) {
            Status::Full
        } else {
            Status::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn closes_opens_and_fills() {
        let now = Time::parse("2026-05-01T12:00:00Z").expect("a time");
        let status = |settings: Json, entries| Availability::of(&settings).status(entries, now);
        assert_eq!(status(json!({}), 9), Status::Open);
        let group = |group: Json| json!({"availability": group});
        assert_eq!(
            status(group(json!({"manually_closed": true})), 0),
            Status::Closed
        );
        assert_eq!(status(group(json!({"entries_limit": 2})), 2), Status::Full);
        let schedule =
            |start: &str, end: &str| group(json!({"schedule": {"start_at": start, "end_at": end}}));
        assert_eq!(
            status(schedule("2026-05-01T12:00:01Z", "2026-05-02T00:00:00Z"), 0),
            Status::NotOpen
        );
        assert_eq!(
            status(schedule("2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"), 0),
            Status::Closed
        );
    }
}
