//! The waiting keys as the writer knows them by heart: found by their hashes, and brought into their order when
//! they go on.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

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

    /// Its keys, each by its place.
    pub fn lent(&self) -> impl Iterator<Item = Lent<'_>> {
        let keys = self.keys.iter();
        keys.map(|(field, key)| (self.form_no, *field, key.as_str(), self.serial))
    }
}

/// The keys that wait, of all forms.
#[derive(Default)]
pub struct Known {
    waiting: Group,
    moving: Option<Moving>,
}

/// Keys one behind the other in memory: they are gone over in another order than that in which they came.
#[derive(Default)]
struct Group {
    keys: Vec<One>,
    texts: String,
    /// By their hashes.
    places: HashTable<(u64, usize)>,
    /// The bytes that all that ever came took, about: what was taken away leaves a gap.
    size: usize,
}

struct One {
    form_no: i64,
    serial: i64,
    field: u32,
    is_gone: bool,
    text: Range<usize>,
}

/// Keys on their way, those that are there already among them.
struct Moving {
    run: Option<i64>,
    group: Group,
    order: Vec<Next>,
    /// How many of them are there.
    there: usize,
    /// Up to which serials these are all, by forms.
    upto: BTreeMap<i64, i64>,
}

/// A key that moves.
struct Next {
    form_no: i64,
    field: u32,
    /// How the key begins behind what all of the field begin with: most differ here, so that few texts need
    /// be looked at.
    begins: u64,
    place: usize,
}

/// Some of the keys that move.
pub struct Piece<'k> {
    /// The run to which they go. None: each to its place.
    pub run: Option<i64>,
    pub keys: Vec<Lent<'k>>,
    /// With the last piece: up to which serials that was everything, by forms.
    pub all_upto: Option<&'k BTreeMap<i64, i64>>,
}

impl Group {
    fn with_room(keys: usize, texts: usize) -> Self {
        Self {
            keys: Vec::with_capacity(keys),
            texts: String::with_capacity(texts),
            places: HashTable::with_capacity(keys),
            size: 0,
        }
    }

    fn add(&mut self, entry: &OfEntry, hashing: &Hashing) {
        for (form_no, field, key, serial) in entry.lent() {
            let place = (hashing.of(field, key), self.keys.len());
            self.places.insert_unique(place.0, place, |it| it.0);
            let start = self.texts.len();
            self.texts.push_str(key);
            self.keys.push(One {
                form_no,
                serial,
                field,
                is_gone: false,
                text: start..self.texts.len(),
            });
            self.size += key.len() + BESIDE;
        }
    }

    fn remove(&mut self, entry: &OfEntry, hashing: &Hashing) {
        for key in entry.lent() {
            let (keys, texts) = (&self.keys, &self.texts);
            let is_it = |place: &(u64, usize)| lent(keys, texts, place.1) == Some(key);
            let found = self.places.find_entry(hashing.of(key.1, key.2), is_it);
            let gone = found.map(|found| found.remove().0.1);
            if let Some(one) = gone.ok().and_then(|gone| self.keys.get_mut(gone)) {
                one.is_gone = true;
            }
        }
    }

    fn remove_form(&mut self, form_no: i64) {
        let keys = &mut self.keys;
        self.places.retain(|place| {
            let own = keys.get_mut(place.1).filter(|one| one.form_no == form_no);
            own.map(|one| one.is_gone = true).is_none()
        });
    }

    fn with_hash(&self, hash: u64) -> impl Iterator<Item = Lent<'_>> {
        let places = self.places.iter_hash(hash);
        let places = places.filter(move |place| place.0 == hash);
        places.filter_map(|place| self.key(place.1))
    }

    /// All keys, by their places.
    fn all(&self) -> impl Iterator<Item = (usize, Lent<'_>)> {
        (0..self.keys.len()).filter_map(|place| Some((place, self.key(place)?)))
    }

    fn key(&self, place: usize) -> Option<Lent<'_>> {
        lent(&self.keys, &self.texts, place)
    }
}

/// The key at a place. None: it was taken away.
fn lent<'k>(keys: &[One], texts: &'k str, place: usize) -> Option<Lent<'k>> {
    let one = keys.get(place).filter(|one| !one.is_gone)?;
    let text = texts.get(one.text.clone())?;
    Some((one.form_no, one.field, text, one.serial))
}

impl Moving {
    fn begin(run: Option<i64>, group: Group) -> Self {
        let mut shared: HashMap<(i64, u32), &str> = HashMap::new();
        let mut upto = BTreeMap::new();
        for (_, (form_no, field, key, serial)) in group.all() {
            let shared = shared.entry((form_no, field)).or_insert(key);
            *shared = &shared[..common(shared, key)];
            let last: &mut i64 = upto.entry(form_no).or_default();
            *last = serial.max(*last);
        }
        let keys = group.all().map(|(place, (form_no, field, key, _))| {
            let shared = shared.get(&(form_no, field));
            Next {
                form_no,
                field,
                begins: beginning(&key.as_bytes()[shared.map_or(0, |shared| shared.len())..]),
                place,
            }
        });
        let mut order: Vec<Next> = keys.collect();
        order.sort_unstable_by(|one, other| {
            let first = |it: &Next| (it.form_no, it.field, it.begins);
            (first(one).cmp(&first(other)))
                .then_with(|| group.key(one.place).cmp(&group.key(other.place)))
        });
        Self {
            run,
            group,
            order,
            there: 0,
            upto,
        }
    }

    fn piece(&mut self, limit: usize) -> Piece<'_> {
        let next = self.order.iter().skip(self.there).take(limit);
        let keys = next.filter_map(|next| self.group.key(next.place));
        let keys = keys.collect();
        self.there = self.order.len().min(self.there + limit);
        Piece {
            run: self.run,
            keys,
            all_upto: (self.there == self.order.len()).then_some(&self.upto),
        }
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
            .filter(move |it| (it.0, it.1, it.2) == (form_no, field, key))
            .map(|(.., serial)| serial)
    }

    /// Whether a key of one of these hashes waits. Each look is one at memory that is far away: where nothing else is
    /// done in between, the processor looks for many at once.
    pub fn may_have_any(&self, hashes: &[u64]) -> bool {
        self.groups().any(|group| {
            let mut hashes = hashes.iter();
            hashes.any(|hash| group.places.find(*hash, |place| place.0 == *hash).is_some())
        })
    }

    /// All that wait of a form.
    pub fn of_form(&self, form_no: i64) -> impl Iterator<Item = Lent<'_>> {
        let all = self.groups().flat_map(Group::all);
        all.map(|(_, key)| key).filter(move |key| key.0 == form_no)
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
            let next = Group::with_room(self.waiting.keys.len(), self.waiting.texts.len());
            Moving::begin(run, std::mem::replace(&mut self.waiting, next))
        });
    }

    pub fn add(&mut self, entry: &OfEntry, hashing: &Hashing) {
        self.waiting.add(entry, hashing);
    }

    pub fn remove(&mut self, entry: &OfEntry, hashing: &Hashing) {
        if let Some(moving) = &mut self.moving {
            moving.group.remove(entry, hashing);
        }
        self.waiting.remove(entry, hashing);
    }

    /// Takes away what waits of a form.
    pub fn remove_form(&mut self, form_no: i64) {
        if let Some(moving) = &mut self.moving {
            moving.group.remove_form(form_no);
        }
        self.waiting.remove_form(form_no);
    }

    /// The next keys of those that move, about `limit`.
    pub fn piece(&mut self, limit: usize) -> Option<Piece<'_>> {
        self.moving.as_mut().map(|moving| moving.piece(limit))
    }

    /// Forgets those that move: all of them are there.
    pub fn end_moving(&mut self) {
        self.moving = None;
    }
}
