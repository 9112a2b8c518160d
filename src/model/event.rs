//! Events of entries, sent to webhooks and to readers of the form's stream (contract section 9).

use crate::base::clock::Time;
use crate::base::named::named;

/// How long events are kept for streams, and how long they are written for them after one was open.
pub const STREAM_SECS: i64 = 7 * 86_400;

named! {
    pub enum EventKind {
        /// An entry was submitted, created or imported.
        EntryCreated = "entry_created",
        /// An entry was changed.
        EntryUpdated = "entry_updated",
        /// An entry went to the trash.
        EntryDeleted = "entry_deleted",
        /// An entry came out of the trash.
        EntryRestored = "entry_restored",
        /// A test of a webhook. Nobody subscribes to it.
        Ping = "ping",
    }
}

impl EventKind {
    /// The kinds that webhooks subscribe to and streams tell.
    pub const OF_ENTRIES: [Self; 4] = [Self::EntryCreated, Self::EntryUpdated, Self::EntryDeleted, Self::EntryRestored];
}

/// A stored event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The form's number and the event's: ascending within a form, in the order of commits.
    pub id: i64,
    /// The public id, `evt_…`: the body's `id`.
    pub token: String,
    pub kind: EventKind,
    /// The entry's serial number; `None` for a ping.
    pub serial: Option<i64>,
    pub created_at: Time,
    /// The JSON text, exactly as it is sent.
    pub body: Vec<u8>,
}

/// An event to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// The id from `store::delivery::events::next`.
    pub id: i64,
    pub kind: EventKind,
    /// The entry's serial number; `None` for a ping.
    pub serial: Option<i64>,
    pub body: &'a [u8],
}
