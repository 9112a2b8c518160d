//! The time that an exam allows. It runs from when its respondent was given the form, which the service signs; what
//! comes later is stored, and marked as late.

use crate::base::clock::Time;
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::secret::{Keys, Purpose};
use crate::fields::values::results::exam;
use crate::model::form::Form;
use crate::model::results::Results;
use crate::model::settings::Settings;

/// Longer than any token.
pub const MAX_TOKEN: usize = 100;
/// Seconds that a submission may take from the browser to the server after the time is over.
const GRACE_SECS: i64 = 15;

/// The time that a form allows.
#[derive(Clone, Copy, Debug)]
pub struct ExamTime {
    minutes: i64,
    /// When the form opened: the questions may have been there to be read before.
    opened_at: Option<Time>,
    /// When it closes: what comes then is refused.
    closes_at: Option<Time>,
}

/// The time of one submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// When it is over; none where nobody knows when it began.
    pub due_at: Option<Time>,
}

impl ExamTime {
    /// None where as much time as one likes may be taken.
    pub fn of_form(form: &Form, settings: &Settings) -> Option<Self> {
        let minutes = settings.exam.duration_minutes?;
        let schedule = &settings.availability.schedule;
        (form.scene == exam::SCENE).then_some(Self {
            minutes,
            opened_at: schedule.start_at,
            closes_at: schedule.end_at,
        })
    }

    pub fn minutes(self) -> i64 {
        self.minutes
    }

    /// End of the time of a respondent who began at `began`: before the form closes, early enough that the page's
    /// automatic submission at that moment is still accepted.
    pub fn due(self, began: Time) -> Time {
        let began = self.opened_at.map_or(began, |opened| began.max(opened));
        let due = began.plus_secs(self.minutes * 60);
        let last = self.closes_at.map(|closes| closes.minus_secs(GRACE_SECS));
        last.map_or(due, |last| due.min(last.max(began)))
    }

    /// The time of a submission with this token. Without one that is ours nobody knows it, and it counts as late.
    pub fn timing(self, keys: &Keys, form: &str, token: Option<&str>, now: Time) -> Timing {
        let began = token.and_then(|token| started(keys, form, token));
        Timing { due_at: began.map(|began| self.due(began.min(now))) }
    }
}

impl Timing {
    /// Whether the time is known to be over.
    pub fn is_over(self, now: Time) -> bool {
        self.due_at.is_some_and(|due| now >= due)
    }

    pub fn is_late(self, now: Time) -> bool {
        self.due_at.is_none_or(|due| is_past(due, now))
    }
}

fn is_past(due: Time, now: Time) -> bool {
    now.minus_secs(GRACE_SECS) > due
}

/// The results of an entry that somebody changed: what its respondent changes after the time is late.
pub fn of_change(results: Results, respondent: bool, now: Time) -> Results {
    let is_past = results.due_at.is_some_and(|due| is_past(due, now));
    Results { is_late: results.is_late || respondent && is_past, ..results }
}

/// Whether a fault says no more than that a question was not answered: when the time is over, answers that are there
/// are taken without it.
pub fn is_unanswered(issue: &Issue) -> bool {
    let field = issue.attribute.strip_prefix("field_values.");
    issue.reason == Reason::Blank && field.is_some_and(|field| !field.contains(['.', '[']))
}

/// When somebody was given a form, in a form that nobody else can write.
pub fn start_token(keys: &Keys, form: &str, now: Time) -> String {
    let millis = now.millis().to_string();
    let parts = [form.as_bytes(), millis.as_bytes()];
    format!("{millis}.{}", keys.sign(Purpose::PageTime, &parts))
}

/// When the form was given out; none for a token that is not ours, or another form's.
pub fn started(keys: &Keys, form: &str, token: &str) -> Option<Time> {
    let (millis, signature) = token.split_once('.')?;
    let parts = [form.as_bytes(), millis.as_bytes()];
    if !keys.verify(Purpose::PageTime, &parts, signature) {
        return None;
    }
    millis.parse().ok().map(Time::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        Time::parse(text).expect("a time")
    }

    #[test]
    fn a_token_is_of_one_form_and_one_moment() {
        let keys = Keys::new([7; 32]);
        let began = at("2026-11-20T10:00:00Z");
        let token = start_token(&keys, "AbCdEfGhIj", began);
        assert!(token.len() <= MAX_TOKEN);
        assert_eq!(started(&keys, "AbCdEfGhIj", &token), Some(began));
        assert_eq!(started(&keys, "JiHgFeDcBa", &token), None);
        let earlier = token.replacen('1', "0", 1);
        for odd in ["", ".", "12", "12.", earlier.as_str()] {
            assert_eq!(started(&keys, "AbCdEfGhIj", odd), None, "{odd}");
        }
    }

    #[test]
    fn the_time_runs_from_the_start() {
        let keys = Keys::new([7; 32]);
        let time = |opened: Option<&str>| ExamTime { minutes: 30, opened_at: opened.map(at), closes_at: None };
        let began = start_token(&keys, "form", at("2026-11-20T10:00:00Z"));
        for (opened, now, is_over, is_late) in [
            (None, "2026-11-20T10:29:59Z", false, false),
            (None, "2026-11-20T10:30:00Z", true, false),
            (None, "2026-11-20T10:30:15Z", true, false),
            (None, "2026-11-20T10:30:16Z", true, true),
            (Some("2026-11-20T10:10:00Z"), "2026-11-20T10:39:00Z", false, false),
            (Some("2026-11-20T09:00:00Z"), "2026-11-20T10:39:00Z", true, true),
        ] {
            let now = at(now);
            let timing = time(opened).timing(&keys, "form", Some(&began), now);
            assert_eq!((timing.is_over(now), timing.is_late(now)), (is_over, is_late), "{now}");
        }
        let now = at("2026-11-20T10:00:01Z");
        for token in [None, Some("1.x")] {
            let timing = time(None).timing(&keys, "form", token, now);
            assert!(!timing.is_over(now) && timing.is_late(now), "{token:?}");
        }
    }

    #[test]
    fn the_time_is_over_before_the_form_closes() {
        for (began, closes, due) in [
            ("10:00:00", "11:00:00", "10:30:00"),
            ("10:00:00", "10:30:15", "10:30:00"),
            ("10:00:00", "10:30:00", "10:29:45"),
            ("10:00:00", "10:10:00", "10:09:45"),
            // A respondent who begins at the last moment gets no time.
            ("10:09:50", "10:10:00", "10:09:50"),
        ] {
            let of_day = |clock: &str| at(&format!("2026-11-20T{clock}Z"));
            let time = ExamTime { minutes: 30, opened_at: None, closes_at: Some(of_day(closes)) };
            assert_eq!(time.due(of_day(began)), of_day(due), "{began} {closes}");
        }
    }

    #[test]
    fn only_a_respondent_is_late_with_a_change() {
        let results = |due: Option<&str>, is_late| Results { due_at: due.map(at), is_late, ..Results::default() };
        let now = at("2026-11-20T11:00:00Z");
        for (before, respondent, is_late) in [
            (results(None, false), true, false),
            (results(None, true), false, true),
            (results(Some("2026-11-20T10:00:00Z"), false), true, true),
            (results(Some("2026-11-20T10:00:00Z"), false), false, false),
            (results(Some("2026-11-20T12:00:00Z"), false), true, false),
        ] {
            assert_eq!(of_change(before.clone(), respondent, now).is_late, is_late, "{before:?}");
        }
    }

    #[test]
    fn a_missing_answer_is_forgiven_and_a_wrong_one_is_not() {
        for (path, reason, expected) in [
            ("field_values.field_1", Reason::Blank, true),
            ("field_values.field_1.city", Reason::Blank, false),
            ("field_values.field_1[0].number", Reason::Blank, false),
            ("field_values", Reason::Blank, false),
            ("field_values.field_1", Reason::other("is odd"), false),
        ] {
            let issue = Issue::new(path.to_owned(), reason);
            assert_eq!(is_unanswered(&issue), expected, "{path}");
        }
    }
}
