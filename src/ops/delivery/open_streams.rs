//! The streams of events that are open in this process, and how many may be (S99).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::error::{Error, Result};
use crate::model::caller::Credential;
use crate::model::user::{OrganizationId, User, UserId};

/// The open streams of one token, of a user, of an organisation, and of all (S99).
const MOST_EACH: usize = 5;
const MOST_OF_USER: usize = 20;
const MOST_OF_ORGANIZATION: usize = 200;
const MOST: usize = 1_000;
/// When to come again where all are open.
const WAIT_SECS: u64 = 30;
/// The caller who opened a stream.
pub(in crate::ops) type Owner = (Credential, UserId, OrganizationId);

pub(in crate::ops) fn owner(credential: Credential, user: &User) -> Owner {
    (credential, user.id, user.organization.id)
}

/// The open streams of this process.
#[derive(Debug, Default)]
pub struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    by_owner: HashMap<Owner, usize>,
    by_form: HashMap<i64, Readers>,
}

/// The readers of a form's events.
#[derive(Clone, Copy, Debug)]
struct Readers {
    count: usize,
    /// The last event that was looked for on behalf of other processes.
    seen: i64,
}

/// A place of an open stream. It is free again when it is dropped.
#[derive(Debug)]
pub(in crate::ops) struct StreamSlot {
    streams: Arc<Streams>,
    owner: Owner,
    form_no: Option<i64>,
}

impl Streams {
    /// How many are open.
    pub(in crate::ops) fn count(&self) -> usize {
        self.open().by_owner.values().sum()
    }

    /// A place for one more stream.
    pub(in crate::ops) fn place(streams: &Arc<Self>, owner: Owner) -> Result<StreamSlot> {
        let mut open = streams.open();
        let count = |is_counted: fn(&Owner, &Owner) -> bool| -> usize {
            open.by_owner.iter().filter(|(other, _)| is_counted(other, &owner)).map(|(_, count)| count).sum()
        };
        let own = count(|other, owner| other == owner);
        let refused = |text| Err(Error::TooManyOpen(text, WAIT_SECS));
        if own >= MOST_EACH {
            return refused("This token has 5 event streams open: close one of them first");
        }
        if count(|other, owner| other.1 == owner.1) >= MOST_OF_USER {
            return refused("You have 20 event streams open: close one of them first");
        }
        if count(|other, owner| other.2 == owner.2) >= MOST_OF_ORGANIZATION {
            return refused("Your organization has 200 event streams open: close one of them first");
        }
        if count(|_, _| true) >= MOST {
            return Err(Error::Busy("1,000 event streams are open", WAIT_SECS));
        }
        open.by_owner.insert(owner, own + 1);
        Ok(StreamSlot { streams: Arc::clone(streams), owner, form_no: None })
    }

    /// The forms whose events are read, with the last ones that were looked for.
    pub(in crate::ops) fn forms(&self) -> Vec<(i64, i64)> {
        let open = self.open();
        let all = open.by_form.iter();
        all.map(|(form_no, readers)| (*form_no, readers.seen)).collect()
    }

    pub(in crate::ops) fn see(&self, form_no: i64, last: i64) {
        if let Some(readers) = self.open().by_form.get_mut(&form_no) {
            readers.seen = last;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Each change is complete in itself, so a panic elsewhere leaves the tables consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamSlot {
    pub(in crate::ops) fn of_form(&mut self, form_no: i64, seen: i64) {
        let mut open = self.streams.open();
        let readers = open.by_form.entry(form_no);
        readers.or_insert(Readers { count: 0, seen }).count += 1;
        self.form_no = Some(form_no);
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        let Open { by_owner, by_form } = &mut *open;
        if let Some(own) = by_owner.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                by_owner.remove(&self.owner);
            }
        }
        if let Some(form_no) = self.form_no
            && let Some(readers) = by_form.get_mut(&form_no)
        {
            readers.count -= 1;
            if readers.count == 0 {
                by_form.remove(&form_no);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_a_user_an_organization_and_all_have_so_many_places() {
        let streams = Arc::default();
        // Of 4 tokens of each of 10 users of each of 5 organisations.
        let place = |token: i64| {
            let owner = (Credential::PersonalToken(token), UserId(token / 4), OrganizationId(token / 40));
            Streams::place(&streams, owner)
        };
        let mut places = Vec::new();
        for token in 0..200 {
            // Another token of a user of this organisation would do.
            for _ in 0..5 {
                places.push(place(token).expect("a place"));
            }
            assert!(matches!(place(token), Err(Error::TooManyOpen(..))), "{token}");
        }
        let refused = |owner: Owner| match Streams::place(&streams, owner) {
            Err(Error::TooManyOpen(text, _) | Error::Busy(text, _)) => text.to_owned(),
            other => panic!("{other:?}"),
        };
        let token = Credential::PersonalToken;
        assert_eq!(
            refused((token(7), UserId(1), OrganizationId(0))),
            "This token has 5 event streams open: close one of them first"
        );
        assert_eq!(
            refused((token(900), UserId(1), OrganizationId(0))),
            "You have 20 event streams open: close one of them first"
        );
        assert_eq!(
            refused((token(900), UserId(900), OrganizationId(0))),
            "Your organization has 200 event streams open: close one of them first"
        );
        assert_eq!(refused((token(900), UserId(900), OrganizationId(900))), "1,000 event streams are open");
        places.remove(35).of_form(1, 0);
        assert!(place(8).is_err());
        places.push(place(7).expect("the place that became free"));
        drop(places);
        let open = streams.open();
        assert!(open.by_owner.is_empty() && open.by_form.is_empty());
    }
}
