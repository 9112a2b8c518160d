//! The other people working on a draft: kept in memory, and forgotten when they are not heard of.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::base::clock::Time;
use crate::model::user::UserId;

/// Pages say that they are open every few seconds.
const GONE_AFTER_MILLIS: i64 = 12_000;

/// People at drafts, by form.
#[derive(Default)]
pub struct Presence {
    forms: Mutex<HashMap<i64, Vec<Person>>>,
}

/// Somebody at a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub user: UserId,
    pub name: String,
    /// The question that they are at, if any.
    pub field: String,
    seen_at: Time,
}

impl Presence {
    /// Notes where a user is, and returns the others.
    pub fn note(&self, form_no: i64, user: UserId, name: &str, field: &str, now: Time) -> Vec<Person> {
        let Ok(mut forms) = self.forms.lock() else {
            return Vec::new();
        };
        let is_here = |person: &Person| now.millis() - person.seen_at.millis() < GONE_AFTER_MILLIS;
        forms.retain(|_, people| {
            people.retain(is_here);
            !people.is_empty()
        });
        let people = forms.entry(form_no).or_default();
        people.retain(|person| person.user != user);
        let others = people.clone();
        people.push(Person { user, name: name.to_owned(), field: field.to_owned(), seen_at: now });
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_one_another_until_they_are_silent() {
        let presence = Presence::default();
        let at = |millis| Time::from_millis(millis);
        assert!(presence.note(1, UserId(1), "Ada", "", at(0)).is_empty());
        let others = presence.note(1, UserId(2), "Bob", "field_1", at(4_000));
        assert_eq!(others.iter().map(|person| person.name.as_str()).collect::<Vec<_>>(), ["Ada"]);
        assert!(presence.note(2, UserId(3), "Eve", "", at(5_000)).is_empty());
        assert!(presence.note(1, UserId(2), "Bob", "", at(13_000)).is_empty());
    }
}
