//! The waiting keys as the writer knows them by heart: found by their hashes, and brought into their order when
//! they go on.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use hashbrown::HashTable;

use crate::store::key_blocks::Lent;
use crate::store::key_filter::Hashing;

/// What a key takes besides its text, about.
const BESIDE: usize = 96;

/// The keys of an entry: numbers of fields, and keys.
#[derive(Clone, Debug)]
pub struct OfEntry {
    pub form_no: i64,
    pub serial: i64,
    pub keys: Vec<(u32, String)>,
}

impl OfEntry {
    /// Whether it has a key.
    pub fn has(&self, field: u32, key: &str) -> bool {
        let mut keys = self.keys.iter();
        keys.any(|(other, text)| *other == field && text == key)
    }
}

/// The keys that wait, of all forms.
#[derive(Default)]
pub struct Known {
    waiting: Group,
    moving: Option<Moving>,
}

#[derive(Default)]
struct Group {
    /// In the order in which they came; none where one was taken away.
    entries: Vec<Option<Rc<OfEntry>>>,
    places: HashTable<Place>,
    /// The bytes that all that ever came took, about: what was taken away leaves a gap.
    size: usize,
}

/// Where a key stands.
struct Place {
    hash: u64,
    entry: usize,
}

/// Keys on their way, those that are there already among them.
struct Moving {
    run: Option<i64>,
    group: Group,
    order: Vec<Next>,
    /// How many of them are there.
    there: usize,
}

/// A key that moves: the entry's, and which of that.
struct Next {
    form_no: i64,
    field: u32,
    /// How the key begins behind what all of the field begin with: most differ here, so that few texts need
    /// be looked at.
    begins: u64,
    entry: usize,
    nth: usize,
}

/// One key of an entry.
pub struct OneKey {
    pub entry: Rc<OfEntry>,
    /// Which one.
    pub nth: usize,
}

impl OneKey {
    /// As it goes on.
    pub fn lent(&self) -> Option<Lent<'_>> {
        let (field, key) = self.entry.keys.get(self.nth)?;
        Some((self.entry.form_no, *field, key, self.entry.serial))
    }
}

/// Some of the keys that move.
pub struct Piece {
    /// The run to which they go. None: each to its place.
    pub run: Option<i64>,
    pub keys: Vec<OneKey>,
    /// With the last piece: up to which serials that was everything, by forms.
    pub all_upto: Option<BTreeMap<i64, i64>>,
}

impl Group {
    fn with_room(keys: usize) -> Self {
        Self {
            places: HashTable::with_capacity(keys),
            ..Self::default()
        }
    }

    fn add(&mut self, entry: Rc<OfEntry>, hashing: &Hashing) {
        for (field, key) in &entry.keys {
            let place = Place {
                hash: hashing.of(*field, key),
                entry: self.entries.len(),
            };
            self.places.insert_unique(place.hash, place, |it| it.hash);
            self.size += key.len() + BESIDE;
        }
        self.entries.push(Some(entry));
    }

    fn remove(&mut self, entry: &OfEntry, hashing: &Hashing) {
        let entries = &self.entries;
        let is_it = |hash: u64, place: &Place| {
            let other = entries.get(place.entry).and_then(Option::as_ref);
            place.hash == hash
                && other.is_some_and(|it| (it.form_no, it.serial) == (entry.form_no, entry.serial))
        };
        let mut gone = None;
        for (field, key) in &entry.keys {
            let hash = hashing.of(*field, key);
            if let Ok(found) = self.places.find_entry(hash, |place| is_it(hash, place)) {
                gone = Some(found.remove().0.entry);
            }
        }
        if let Some(place) = gone.and_then(|gone| self.entries.get_mut(gone)) {
            *place = None;
        }
    }

    fn with_hash(&self, hash: u64) -> impl Iterator<Item = &OfEntry> {
        self.places
            .iter_hash(hash)
            .filter(move |place| place.hash == hash)
            .filter_map(|place| self.entries.get(place.entry)?.as_deref())
    }

    fn entries(&self) -> impl Iterator<Item = &OfEntry> {
        self.entries.iter().flatten().map(|entry| &**entry)
    }
}

impl Moving {
    fn begin(run: Option<i64>, group: Group) -> Self {
        let mut shared: HashMap<(i64, u32), &str> = HashMap::new();
        for entry in group.entries() {
            for (field, key) in &entry.keys {
                let shared = shared.entry((entry.form_no, *field)).or_insert(key);
                *shared = &shared[..common(shared, key)];
            }
        }
        let begins = |form_no: i64, field: u32, key: &str| {
            let shared = shared
                .get(&(form_no, field))
                .map_or(0, |shared| shared.len());
            beginning(&key.as_bytes()[shared..])
        };
        let entries = group.entries.iter().enumerate();
        let mut order: Vec<Next> = entries
            .filter_map(|(place, entry)| Some((place, entry.as_ref()?)))
            .flat_map(|(place, entry)| {
                let (keys, begins) = (entry.keys.iter().enumerate(), &begins);
                keys.map(move |(nth, (field, key))| Next {
                    form_no: entry.form_no,
                    field: *field,
                    begins: begins(entry.form_no, *field, key),
                    entry: place,
                    nth,
                })
            })
            .collect();
        let key = |next: &Next| {
            let entry = group.entries.get(next.entry)?.as_ref()?;
            Some((entry.keys.get(next.nth)?, entry.serial))
        };
        order.sort_unstable_by(|one, other| {
            let first = |it: &Next| (it.form_no, it.field, it.begins);
            (first(one).cmp(&first(other))).then_with(|| key(one).cmp(&key(other)))
        });
        Self {
            run,
            group,
            order,
            there: 0,
        }
    }

    fn piece(&mut self, limit: usize) -> Vec<OneKey> {
        let next = self.order.iter().skip(self.there).take(limit);
        let keys: Vec<OneKey> = next
            .filter_map(|next| {
                let entry = self.group.entries.get(next.entry)?.as_ref()?;
                Some(OneKey {
                    entry: Rc::clone(entry),
                    nth: next.nth,
                })
            })
            .collect();
        self.there = self.order.len().min(self.there + limit);
        keys
    }
}

/// The first eight bytes, in the order of their text.
fn beginning(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (place, byte) in bytes.iter_mut().zip(key) {
        *place = *byte;
    }
    u64::from_be_bytes(bytes)
}

/// How many bytes both begin with, whole characters.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.char_indices().zip(other.chars());
    let mut differing = pairs.filter(|((_, a), b)| a != b);
    differing
        .next()
        .map_or(one.len().min(other.len()), |((at, _), _)| at)
}

impl Known {
    fn groups(&self) -> impl Iterator<Item = &Group> {
        let moving = self.moving.iter().map(|moving| &moving.group);
        moving.chain([&self.waiting])
    }

    /// The serials of a form that have a key of this hash.
    pub fn with_key(
        &self,
        hash: u64,
        form_no: i64,
        field: u32,
        key: &str,
    ) -> impl Iterator<Item = i64> {
        self.groups()
            .flat_map(move |group| group.with_hash(hash))
            .filter(move |entry| entry.form_no == form_no && entry.has(field, key))
            .map(|entry| entry.serial)
    }

    /// All that wait of a form.
    pub fn of_form(&self, form_no: i64) -> impl Iterator<Item = &OfEntry> {
        let all = self.groups().flat_map(Group::entries);
        all.filter(move |entry| entry.form_no == form_no)
    }

    /// The bytes of those that don't move yet, about.
    pub fn size(&self) -> usize {
        self.waiting.size
    }

    /// How many don't move yet.
    pub fn waiting(&self) -> usize {
        self.waiting.places.len()
    }

    /// Whether some are on their way.
    pub fn is_moving(&self) -> bool {
        self.moving.is_some()
    }

    /// The run to which some are on their way.
    pub fn filling(&self) -> Option<i64> {
        self.moving.as_ref().and_then(|moving| moving.run)
    }

    /// Has those that wait begin to move, when none do: to a run, or each to its place.
    pub fn begin_moving(&mut self, run: Option<i64>) {
        self.moving.get_or_insert_with(|| {
            // As many will come again.
            let next = Group::with_room(self.waiting.places.len());
            Moving::begin(run, std::mem::replace(&mut self.waiting, next))
        });
    }

    pub fn add(&mut self, entry: Rc<OfEntry>, hashing: &Hashing) {
        self.waiting.add(entry, hashing);
    }

    pub fn remove(&mut self, entry: &OfEntry, hashing: &Hashing) {
        if let Some(moving) = &mut self.moving {
            moving.group.remove(entry, hashing);
        }
        self.waiting.remove(entry, hashing);
    }

    /// The next keys of those that move, about `limit`.
    pub fn piece(&mut self, limit: usize) -> Option<Piece> {
        let moving = self.moving.as_mut()?;
        let (run, keys) = (moving.run, moving.piece(limit));
        let all_upto = (moving.there == moving.order.len()).then(|| {
            let mut upto = BTreeMap::new();
            for entry in moving.group.entries() {
                let last: &mut i64 = upto.entry(entry.form_no).or_default();
                *last = entry.serial.max(*last);
            }
            upto
        });
        if all_upto.is_some() {
            self.moving = None;
        }
        Some(Piece {
            run,
            keys,
            all_upto,
        })
    }
}
