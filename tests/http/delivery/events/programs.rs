//! Random programs of changes over several forms, with no webhook, one and three of different kinds: as many events
//! come as there were changes, in their order, each with the API's view of that time; refused changes send none.
//! One program of 100 steps; `TEST_EVENT_STEPS=2000` in the environment sets the number of steps, `TEST_EVENT_SEED=7`
//! another seed.

use jiff::{ToSpan as _, Zoned};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, Response, Server, field, rounds};

use crate::delivery::events::oracle::Oracle;
use crate::delivery::{FLAGS, KINDS, import, link, query, respondent, restore, values, visitor};

const ALONE: usize = 0;
const THREE: usize = 1;
const NOBODY: usize = 2;
const BOOKED: usize = 3;
const LINKING: usize = 4;

/// The right of a respondent to an entry of one of the forms.
struct Respondent {
    at: usize,
    serial: i64,
    path: String,
    caller: Caller,
}

struct Program {
    oracle: Oracle,
    anon: Caller,
    query: String,
    respondents: Vec<Respondent>,
    rng: StdRng,
    /// The places of each day.
    quota: i64,
    count: usize,
}

/// A booking of one place on each day, up to the quota.
pub fn booked(quota: i64) -> Value {
    let days: Vec<Value> = (1..=7).map(|weekday| json!({"weekday": weekday, "quota": quota})).collect();
    field(
        "booking",
        json!({"reservation_items": [{"api_code": "room", "name": "Room",
            "quota_setting": {"kind": "weekly", "weekly_quotas": days}}]}),
    )
}

/// A place on the first or the second of two days that can be booked.
pub fn place(day: i64) -> Value {
    let day = Zoned::now().date() + (28 + day).days();
    json!([{"api_code": "room", "scheduled_at": day.to_string()}])
}

/// The first fields of an existing form.
pub fn coded(fields: impl IntoIterator<Item = Value>) -> Value {
    let fields = (1..).zip(fields).map(|(number, mut field)| {
        field["api_code"] = json!(format!("field_{number}"));
        field
    });
    fields.collect()
}

pub fn text_field() -> Value {
    field("short_text", json!({"max_length": 40}))
}

fn plain() -> Value {
    json!([
        text_field(),
        field("number", json!({"unique": true})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
    ])
}

impl Program {
    fn new(server: &Server, seed: u64) -> Self {
        let mut oracle = Oracle::new(server.user());
        let owner = oracle.owner.clone();
        for (at, fields) in [plain(), plain(), plain(), json!([text_field(), booked(1)])].into_iter().enumerate() {
            let form = owner.form_with(json!({"name": format!("Form {at}"), "fields": fields}));
            assert_eq!(oracle.watch(form), at);
        }
        let linked = link(oracle.form(ALONE));
        oracle.watch(owner.form(json!([text_field(), linked])));
        for at in [ALONE, THREE, NOBODY, BOOKED, LINKING] {
            let settings = json!({"submission_options": {"allow_edit_after_submission": true},
                "capacity": {"waiting_list": at == BOOKED, "hold_minutes": 10}});
            set(&owner, oracle.form(at), settings);
        }
        for (at, kinds) in [
            (ALONE, &KINDS[..]),
            (THREE, &KINDS[..1]),
            (THREE, &KINDS[1..3]),
            (THREE, &["entry_restored", "entry_deleted", "entry_created", "entry_updated"]),
            (BOOKED, &KINDS[..]),
            (LINKING, &KINDS[..]),
        ] {
            oracle.want(at, kinds);
        }
        Self {
            anon: server.anon(),
            query: query(&owner, oracle.form(THREE)),
            oracle,
            respondents: Vec::new(),
            rng: StdRng::seed_from_u64(seed),
            quota: 1,
            count: 0,
        }
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.rng.random_range(0..sides)
    }

    fn text(&mut self) -> String {
        self.count += 1;
        // Now and then one that is refused.
        match self.roll(8) {
            0 => "x".repeat(41),
            _ => format!("text {}", self.count),
        }
    }

    /// Values for a new entry of a form, or a change of all of an entry.
    fn values(&mut self, at: usize) -> Value {
        let text = self.text();
        let day = i64::from(self.roll(3) > 0);
        let number = self.roll(60);
        match at {
            BOOKED if self.roll(5) > 0 => json!({"field_1": text, "field_2": place(day)}),
            BOOKED => json!({"field_1": text, "field_2": []}),
            LINKING => match self.pick(ALONE, false) {
                Some(serial) => {
                    let token = &self.oracle.entry(ALONE, serial)["token"];
                    json!({"field_1": text, "field_2": token})
                }
                None => json!({"field_1": text}),
            },
            _ => json!({"field_1": text, "field_2": number}),
        }
    }

    /// The number of a random entry.
    fn pick(&mut self, at: usize, is_trashed: bool) -> Option<i64> {
        let (live, trash) = self.oracle.serials(at);
        let all = if is_trashed { trash } else { live };
        (!all.is_empty()).then(|| all[self.roll(all.len())])
    }

    fn form(&self, at: usize) -> Form {
        let form = self.oracle.form(at);
        Form { token: form.token.clone(), body: form.body.clone() }
    }

    fn submit(&mut self, at: usize, wait: bool) -> Response {
        let mut body = values(self.values(at));
        if wait {
            body["waiting_list"] = json!(true);
        }
        let form = self.form(at);
        let made = self.anon.post(form.submissions(), body);
        if made.status == 201 {
            let serial = made.data()["entry"]["serial_number"].as_i64().expect("a number");
            let (path, caller) = respondent(&self.anon, &form, &made);
            self.respondents.push(Respondent { at, serial, path, caller });
        }
        made
    }

    /// Asks as one of the respondents.
    fn respond(&mut self, method: &str, part: &str) -> Option<Response> {
        let right = |one: &Respondent| part.is_empty() || one.at == BOOKED;
        let all: Vec<usize> = (0..self.respondents.len()).filter(|nth| right(&self.respondents[*nth])).collect();
        let nth = *all.get(self.roll(all.len().max(1)))?;
        let (at, serial) = (self.respondents[nth].at, self.respondents[nth].serial);
        let same = self.oracle.serials(at).0.contains(&serial) && self.roll(6) == 0;
        let body = match same {
            true => json!({"field_1": self.oracle.entry(at, serial)["field_1"]}),
            false => self.values(at),
        };
        let one = &self.respondents[nth];
        let (caller, path) = (&one.caller, format!("{}{part}", one.path));
        Some(match method {
            "PATCH" => caller.patch(path, values(body)),
            "POST" => caller.post(path, json!({})),
            _ => caller.delete(path),
        })
    }

    fn edit_on_query(&mut self) -> Option<Response> {
        let serial = self.pick(THREE, false)?;
        let (path, caller) = visitor(&self.anon, &self.query, serial);
        Some(caller.patch(path, values(json!({"field_1": self.text()}))))
    }

    /// Several at once, of which one may be wrong.
    fn many(&mut self, at: usize, as_file: bool) -> Response {
        let form = self.form(at);
        let rows: Vec<Value> = (0..3).map(|_| self.values(at)).collect();
        let owner = self.oracle.owner.clone();
        if as_file {
            let texts = rows.iter().filter_map(|row| row["field_1"].as_str());
            let file = texts.fold("field_1\n".to_owned(), |file, text| file + text + "\n");
            return import(&owner, &form, &format!("?dry_run={}", self.roll(4) == 0), &file);
        }
        let entries: Vec<Value> = rows.into_iter().map(values).collect();
        owner.post(form.part("entries/bulk"), json!({ "entries": entries }))
    }

    fn update(&mut self, at: usize) -> Option<Response> {
        let serial = self.pick(at, false)?;
        let form = self.form(at);
        let owner = self.oracle.owner.clone();
        let path = form.entry(serial);
        Some(match self.roll(6) {
            0 => {
                let text = self.oracle.entry(at, serial)["field_1"].clone();
                owner.patch(path, values(json!({"field_1": text})))
            }
            1 => {
                let other = owner.header("If-Match", "\"other\"");
                other.patch(path, values(self.values(at)))
            }
            2 => owner.patch(path, values(json!({}))),
            _ => owner.patch(path, values(self.values(at))),
        })
    }

    /// More places, or fewer, or a hold that comes and goes.
    fn change_room(&mut self) -> Response {
        let (form, owner) = (self.form(BOOKED), self.oracle.owner.clone());
        if self.roll(3) == 0 {
            let body = values(json!({"field_2": place(1)}));
            let held = self.anon.post(format!("{}/holds", form.published()), body);
            if held.status != 201 {
                return held;
            }
            let token = held.data()["hold_token"].as_str().expect("a token").to_owned();
            return self.anon.delete(format!("{}/holds/{token}", form.published()));
        }
        self.quota = if self.quota == 1 { 2 + i64::from(self.roll(2) > 0) } else { 1 };
        let fields = coded([text_field(), booked(self.quota)]);
        owner.patch(form.path(), json!({ "fields": fields }))
    }

    fn step(&mut self) -> Option<(String, Response)> {
        let at = self.roll(5);
        let form = self.form(at);
        let owner = self.oracle.owner.clone();
        let (name, answer) = match self.roll(22) {
            0 | 1 => ("create", owner.post(form.entries(), values(self.values(at)))),
            2 | 3 => ("submit", self.submit(at, false)),
            4 | 5 => ("submit and wait", self.submit(BOOKED, true)),
            6 => ("page", {
                let text = self.text();
                self.anon.post_form(form.page(), &[("field_1", &text)])
            }),
            7 => ("bulk", self.many(at, false)),
            8 => ("import", self.many(at, true)),
            9 | 10 => ("update", self.update(at)?),
            11 => ("own edit", self.respond("PATCH", "")?),
            12 => ("query edit", self.edit_on_query()?),
            13 | 20 => {
                let trash = self.pick(at, false)?;
                ("trash", owner.delete(form.entry(trash)))
            }
            14 | 21 => {
                let full = (0..5).filter(|at| !self.oracle.serials(*at).1.is_empty());
                let full: Vec<usize> = full.collect();
                let at = *full.get(self.roll(full.len().max(1)))?;
                let serial = self.pick(at, true)?;
                ("restore", restore(&owner, &self.form(at), serial))
            }
            15 => {
                let gone = self.pick(at, true)?;
                ("purge", owner.delete(form.trashed(gone)))
            }
            16 => ("twice", {
                let once = self.anon.header("idempotency-key", &format!("key {}", self.count).replace(' ', "-"));
                let body = values(self.values(at));
                once.post(form.submissions(), body.clone());
                once.post(form.submissions(), body)
            }),
            17 => match self.roll(2) {
                0 => ("cancel", self.respond("POST", "/cancel_booking")?),
                _ => ("leave", self.respond("DELETE", "/waiting")?),
            },
            18 => {
                let serial = self.pick(BOOKED, false)?;
                let status = ["reserved", "cancelled", "completed"][self.roll(3)];
                let path = format!("{}/reservation_status", self.form(BOOKED).entry(serial));
                ("status", owner.patch(path, json!({"status": status})))
            }
            _ => ("room", self.change_room()),
        };
        Some((format!("{at}: {name}"), answer))
    }
}

#[test]
fn as_many_events_come_as_there_were_changes() {
    let steps = rounds("TEST_EVENT_STEPS", 100);
    let seed = rounds("TEST_EVENT_SEED", 1);
    let mut program = Program::new(Server::shared_with(&FLAGS), seed);
    let mut refused = 0;
    for _ in 0..steps {
        let Some((what, answer)) = program.step() else {
            continue;
        };
        assert!(answer.status < 500, "{what}: {answer}");
        let came = program.oracle.noted(format!("{what}: {answer}"));
        if answer.status >= 400 {
            refused += 1;
            assert!(came.is_empty(), "{what}: {answer}: {came:?}");
        }
    }
    // A late webhook gets no earlier events.
    program.oracle.want(NOBODY, &KINDS);
    program.oracle.settle();
    let counts = program.oracle.counts();
    assert!(counts.values().all(|count| *count > 5), "{counts:?}");
    assert!(refused > steps / 20, "{refused}");
}
