//! Entries of an example, made by its recipe: the same for the same name and the same time.

use std::collections::{HashMap, HashSet};

use jiff::tz::TimeZone;
use jiff::{Span, Zoned};
use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::ops::server::demo::chance::Chance;
use crate::ops::server::demo::people::{self, Person};
use crate::ops::server::demo::recipe::{Choice, Files, Good, Recipe, Remark, Reservation, Slot, Value, Who};
use crate::ops::server::demo::rhythm::{self, Moment, as_float};

/// The number of people that come again and again.
const REGULARS: usize = 420;
/// A prime, so that people come in no order and nobody twice.
const STRIDE: usize = 1013;
/// The number of days that somebody looks at where one is full.
const LOOKS: usize = 8;
/// The share of chance in an answer.
const NOISE: f64 = 0.12;

/// An entry that is to be made.
pub struct Made {
    pub at: Time,
    pub duration_secs: i64,
    pub x_field_1: Option<String>,
    /// Write shapes by api_code.
    pub values: Json,
    /// Whether it waits for room.
    pub waits: bool,
    /// The end of its booking.
    pub booked_until: Option<Time>,
    /// The names of its files.
    pub files: Vec<String>,
    /// The name that it is signed with.
    pub signed: Option<String>,
}

/// Makes the entries of one form. It knows the room that each leaves to those after it, and the entries that they may name.
pub struct Generator<'r> {
    recipe: &'r Recipe,
    zone: TimeZone,
    now: Time,
    chance: Chance,
    /// Tokens of entries that can be linked with, by the numbers of people.
    links: Vec<Option<String>>,
    /// Places that are booked, and goods that are sold.
    taken: HashMap<String, i64>,
    waiting: usize,
}

/// Somebody who makes an entry: at a time, in a mood.
struct Maker {
    /// The number of the person.
    number: usize,
    person: Person,
    at: Zoned,
    mood: f64,
    waits: bool,
    booked_until: Option<Time>,
    /// They found no place, and send nothing.
    leaves: bool,
}

impl<'r> Generator<'r> {
    /// `name` is that of the form.
    pub fn new(recipe: &'r Recipe, name: &str, zone: TimeZone, now: Time, links: Vec<Option<String>>) -> Self {
        Self { recipe, zone, now, chance: Chance::of(name), links, taken: HashMap::new(), waiting: 0 }
    }

    /// The entries, in the order in which they come.
    pub fn entries(mut self) -> Vec<Made> {
        let recipe = self.recipe;
        let moments = rhythm::moments(&recipe.rhythm, recipe.count, &self.zone, self.now, &mut self.chance);
        let made = moments.iter().enumerate();
        made.filter_map(|(number, moment)| self.entry(number, moment)).collect()
    }

    fn entry(&mut self, number: usize, moment: &Moment) -> Option<Made> {
        let recipe = self.recipe;
        let number = match recipe.who {
            Who::Regulars => self.chance.place(REGULARS),
            Who::InTurn => number,
            Who::Among(count) => number * STRIDE % count,
        };
        let mood = recipe.mood.mean + recipe.mood.spread * self.chance.deviation();
        let mut maker = Maker {
            number,
            person: people::person(recipe.people, number),
            at: moment.at.clone(),
            mood: mood + recipe.mood.rise * (moment.progress - 0.5),
            waits: false,
            booked_until: None,
            leaves: false,
        };
        let mut values = Map::new();
        for (code, value) in &recipe.answers {
            let made = self.value(value, &mut maker);
            if !made.is_null() {
                values.insert(code.clone(), made);
            }
        }
        let files = recipe.files.as_ref().map(|files| self.files(files)).unwrap_or_default();
        let signs = recipe.signed.as_ref().is_some_and(|(_, share)| self.chance.happens(*share));
        if maker.leaves {
            return None;
        }
        let minutes = recipe.minutes * (self.chance.deviation() * 0.45).exp();
        Some(Made {
            at: moment.time(),
            duration_secs: i64::from(whole(minutes * 60.0).max(14)),
            x_field_1: self.chance.choice(&recipe.came_by).and_then(|by| by.0.as_str()).map(str::to_owned),
            values: Json::Object(values),
            waits: maker.waits,
            booked_until: maker.booked_until,
            files,
            signed: signs.then_some(maker.person.name),
        })
    }

    fn files(&mut self, files: &Files) -> Vec<String> {
        if !self.chance.happens(files.share) {
            return Vec::new();
        }
        let count = 1 + self.chance.place(files.most);
        let first = self.chance.place(files.names.len());
        files.names.iter().cycle().skip(first).take(count).cloned().collect()
    }

    /// A value in the write shape; null for none.
    fn value(&mut self, value: &Value, maker: &mut Maker) -> Json {
        match value {
            Value::Pick(choices) => {
                let picked = self.chance.choice(choices);
                maker.mood += picked.map_or(0.0, |choice| choice.2);
                picked.map_or(Json::Null, |choice| choice.0.clone())
            }
            Value::Several(choices) => self.several(choices),
            Value::Scale(steps) => {
                let last = i64::try_from(steps.len()).unwrap_or(1) - 1;
                let step = usize::try_from(self.score(0, last, maker.mood)).unwrap_or_default();
                steps.get(step).cloned().unwrap_or_default()
            }
            Value::Score(least, most) => json!(self.score(*least, *most, maker.mood)),
            Value::List(value) => json!([self.value(value, maker)]),
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| (key.clone(), self.value(value, maker)));
                Json::Object(members.collect())
            }
            Value::Rows(rows, value) => {
                let mood = maker.mood;
                let mut made = Map::new();
                for (row, change) in rows {
                    maker.mood = mood + change;
                    made.insert(row.clone(), self.value(value, maker));
                }
                maker.mood = mood;
                Json::Object(made)
            }
            Value::Table(most, row) => {
                let count = 1 + self.chance.place(*most);
                Json::Array((0..count).map(|_| self.value(row, maker)).collect())
            }
            Value::Ranking(codes) => self.ranking(codes),
            Value::Amount(least, most) => json!(self.amount(*least, *most)),
            Value::Day(before, after) => {
                let days = self.chance.between(-before, *after);
                shifted(&maker.at, Span::new().days(days), "%Y-%m-%d")
            }
            Value::Moment(hours) => {
                let ago = self.chance.between(10, hours * 60);
                shifted(&maker.at, Span::new().minutes(-ago), "%Y-%m-%d %H:%M")
            }
            Value::Born(least, most) => {
                let days = self.chance.between(least * 365, most * 365 + 200);
                shifted(&maker.at, Span::new().days(-days), "%Y-%m-%d")
            }
            Value::Maybe(share, value) => match self.chance.happens(*share) {
                true => self.value(value, maker),
                false => Json::Null,
            },
            Value::Remark(remark) => self.remark(remark, maker.mood),
            Value::Answer(hard, right, others) => {
                let knows = self.chance.happens((maker.mood - hard).clamp(0.04, 0.98));
                let other = self.chance.one_of(others);
                other.filter(|_| !knows).unwrap_or(right).clone()
            }
            Value::FullName => json!(maker.person.name),
            Value::Mail => json!(maker.person.mail),
            Value::Telephone => maker.person.telephone.clone(),
            Value::Home => maker.person.home.clone(),
            Value::Link => json!(self.links.get(maker.number)),
            Value::IfLinked(yes, no) => match self.links.get(maker.number) {
                Some(Some(_)) => yes.clone(),
                _ => no.clone(),
            },
            Value::Order(goods) => self.order(goods),
            Value::Reservation(reservation) => self.reservation(reservation, maker),
        }
    }

    fn score(&mut self, least: i64, most: i64, mood: f64) -> i64 {
        let share = (mood + NOISE * self.chance.deviation()).clamp(0.0, 1.0);
        least + i64::from(whole(as_float(most - least) * share))
    }

    /// Small ones are more frequent.
    fn amount(&mut self, least: i64, most: i64) -> i64 {
        let span = as_float(most - least) + 0.999;
        least + i64::from(whole((span * self.chance.share().powi(2)).floor()))
    }

    fn several(&mut self, choices: &[(Json, f64)]) -> Json {
        let taken = choices.iter().filter(|(_, share)| self.chance.happens(*share));
        let mut taken: Vec<Json> = taken.map(|(choice, _)| choice.clone()).collect();
        if taken.is_empty() {
            taken.extend(choices.first().map(|(choice, _)| choice.clone()));
        }
        Json::Array(taken)
    }

    fn ranking(&mut self, codes: &[String]) -> Json {
        let mut places: Vec<(f64, &String)> =
            (0..).zip(codes).map(|(place, code)| (f64::from(place) + 1.6 * self.chance.deviation(), code)).collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        (1..).zip(places).map(|(rank, (_, code))| (code.clone(), json!(rank))).collect::<Map<_, _>>().into()
    }

    fn remark(&mut self, remark: &Remark, mood: f64) -> Json {
        if !self.chance.happens(remark.share) {
            return Json::Null;
        }
        let by_mood = match mood {
            mood if mood > 0.66 => &remark.good,
            mood if mood > 0.42 => &remark.fair,
            _ => &remark.poor,
        };
        let pool = if by_mood.is_empty() { &remark.any } else { by_mood };
        let Some(said) = self.chance.one_of(pool) else {
            return Json::Null;
        };
        let more = self.chance.one_of(&remark.any).filter(|more| *more != said && self.chance.happens(0.25));
        match more {
            // Chinese has no space between sentences.
            Some(more) if said.ends_with('。') => json!(format!("{said}{more}")),
            Some(more) => json!(format!("{said} {more}")),
            None => json!(said),
        }
    }

    fn order(&mut self, goods: &[Good]) -> Json {
        let mut lines = Vec::new();
        for good in goods {
            if self.chance.happens(good.share) {
                lines.extend(self.line(good));
            }
        }
        if lines.is_empty() {
            lines.extend(goods.iter().find_map(|good| self.line(good)));
        }
        Json::Array(lines)
    }

    fn line(&mut self, good: &Good) -> Option<Json> {
        let number = self.amount(1, good.most);
        let sold = self.taken.entry(good.code.clone()).or_default();
        if good.stock.is_some_and(|stock| *sold + number > stock) {
            return None;
        }
        *sold += number;
        let mut line = json!({"api_code": good.code, "number": number});
        if let Some(Choice(variant, ..)) = self.chance.choice(&good.variants) {
            line["specification"] = variant.clone();
        }
        Some(line)
    }

    fn reservation(&mut self, reservation: &Reservation, maker: &mut Maker) -> Json {
        let mut asked = HashSet::new();
        for _ in 0..LOOKS {
            let number = self.amount(1, reservation.most);
            let place = self.chance.weighted(reservation.slots.iter().map(|slot| slot.weight));
            let Some((slot, (start, end))) =
                reservation.slots.get(place).and_then(|slot| Some((slot, self.next(slot, reservation.ahead, maker)?)))
            else {
                continue;
            };
            let booked = json!([{
                "api_code": slot.item,
                "scheduled_at": start.strftime("%Y-%m-%dT%H:%M").to_string(),
                "end_at": end.strftime("%Y-%m-%dT%H:%M").to_string(),
                "number": number,
            }]);
            let taken = self.taken.entry(format!("{} {}", slot.item, start.date())).or_default();
            if *taken + number <= slot.places {
                *taken += number;
                maker.booked_until = Some(Time::from_millis(end.timestamp().as_millisecond()));
                return booked;
            }
            let is_ahead = start.timestamp() > self.now.timestamp();
            if is_ahead && *taken == slot.places && self.waiting < reservation.waiting && asked.insert(place) {
                self.waiting += 1;
                maker.waits = true;
                return booked;
            }
        }
        maker.leaves = true;
        Json::Null
    }

    /// A day of a slot that is soon after somebody asks.
    fn next(&mut self, slot: &Slot, ahead: i64, maker: &Maker) -> Option<(Zoned, Zoned)> {
        let after = 1 + i64::from(whole(as_float(ahead - 1) * self.chance.share().powi(2)));
        let mut date = maker.at.date().checked_add(Span::new().days(after)).ok()?;
        while date.weekday().to_monday_one_offset() != slot.weekday {
            date = date.tomorrow().ok()?;
        }
        let at = |time: &String| date.to_datetime(time.parse().ok()?).to_zoned(self.zone.clone()).ok();
        Some((at(&slot.start)?, at(&slot.end)?))
    }
}

/// A moved time as it is written.
fn shifted(at: &Zoned, by: Span, format: &str) -> Json {
    at.checked_add(by).map_or(Json::Null, |at| json!(at.strftime(format).to_string()))
}

/// Small numbers, rounded.
#[expect(clippy::cast_possible_truncation, reason = "they are far from the ends of the type")]
fn whole(number: f64) -> i32 {
    number.round() as i32
}

#[cfg(test)]
mod tests;
