//! Writers of one form that tolerate a kill of the server: they change entries in every way but for good, and remember
//! the answers.

use rand::RngExt as _;
use rand::rngs::ThreadRng;
use serde_json::{Value, json};
use support::Form;
use support::raw::Talk;

use super::crashes::Change;

const ROWS: usize = 5;

/// The state that all writers share.
#[derive(Clone, Copy)]
pub struct Writing<'s> {
    pub base: &'s str,
    pub token: &'s str,
    pub form: &'s Form,
    /// The token of a public query.
    pub query: &'s str,
}

/// An entry of the writer's own.
struct Own {
    serial: i64,
    /// Its address for its respondent, and the right.
    respondent: Option<(String, String)>,
    text: String,
    whole: Option<Value>,
    is_trashed: bool,
    /// It was in the trash under this text.
    was_trashed: bool,
}

/// One of the writers.
pub struct Writer<'s> {
    writing: Writing<'s>,
    name: String,
    count: usize,
    own: Vec<Own>,
    changes: Vec<Change>,
    rng: ThreadRng,
}

/// The server answers no more.
struct Killed;

type Done = Result<(), Killed>;

impl<'s> Writer<'s> {
    pub fn new(writing: Writing<'s>, name: String) -> Self {
        Self { writing, name, count: 0, own: Vec::new(), changes: Vec::new(), rng: rand::rng() }
    }

    /// Changes entries until nobody answers; returns its changes, and at last the ones of unknown outcome.
    pub fn write(mut self) -> Vec<Change> {
        let Some(mut talk) = Talk::open(self.writing.base) else {
            return self.changes;
        };
        while self.step(&mut talk).is_ok() {}
        self.changes
    }

    fn step(&mut self, talk: &mut Talk) -> Done {
        let live = |own: &Own| !own.is_trashed;
        match self.rng.random_range(0..15) {
            0 => self.create(talk),
            1 => self.submit(talk),
            2 => self.post_page(talk),
            3 => self.bulk(talk),
            4 => self.import(talk),
            5 | 6 => match self.one(live) {
                Some(at) => self.update(talk, at),
                None => self.create(talk),
            },
            7 | 8 => match self.one(|own| live(own) && own.respondent.is_some()) {
                Some(at) => self.edit_as_respondent(talk, at),
                None => self.submit(talk),
            },
            9 => match self.one(live) {
                Some(at) => self.edit_on_query(talk, at),
                None => self.create(talk),
            },
            10 | 11 => match self.one(|own| live(own) && !own.was_trashed) {
                Some(at) => self.trash(talk, at),
                None => self.create(talk),
            },
            12 => match self.one(|own| own.is_trashed) {
                Some(at) => self.restore(talk, at),
                None => self.submit(talk),
            },
            _ => self.refused(talk),
        }
    }

    fn one(&mut self, is: impl Fn(&Own) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.own.len()).filter(|at| is(&self.own[*at])).collect();
        (!all.is_empty()).then(|| all[self.rng.random_range(0..all.len())])
    }

    fn text(&mut self) -> String {
        self.count += 1;
        format!("{}.{}", self.name, self.count)
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.writing.token)
    }

    /// Sends JSON as the owner.
    fn owner(&self, talk: &mut Talk, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        json_of(talk.ask(method, path, &self.bearer(), body))
    }

    /// Notes a change; `answer` is none where none came.
    fn note(&mut self, kind: &'static str, text: &str, serial: Option<i64>, answer: Option<Value>) -> Done {
        let is_answered = answer.is_some();
        self.changes.push(Change { kind, text: text.to_owned(), serial, answer });
        if is_answered { Ok(()) } else { Err(Killed) }
    }

    fn keep(&mut self, entry: &Value, text: String, respondent: Option<(String, String)>, whole: bool) {
        self.own.push(Own {
            serial: entry["serial_number"].as_i64().expect("a number"),
            respondent,
            text,
            whole: whole.then(|| entry.clone()),
            is_trashed: false,
            was_trashed: false,
        });
    }

    fn create(&mut self, talk: &mut Talk) -> Done {
        let text = self.text();
        let path = self.writing.form.entries();
        let made = self.owner(talk, "POST", &path, Some(&values(&text)));
        let entry = data_of(made, 201);
        self.note("entry_created", &text, None, entry.clone())?;
        if let Some(entry) = entry {
            self.keep(&entry, text, None, true);
        }
        Ok(())
    }

    fn submit(&mut self, talk: &mut Talk) -> Done {
        let text = self.text();
        let path = self.writing.form.submissions();
        let made = json_of(talk.post(&path, &values(&text)));
        let data = data_of(made, 201);
        let entry = data.as_ref().map(|data| data["entry"].clone());
        self.note("entry_created", &text, None, entry.clone())?;
        if let (Some(data), Some(entry)) = (data, entry) {
            let token = entry["token"].as_str().expect("a token");
            let right = data["edit_token"].as_str().expect("a right").to_owned();
            self.keep(&entry, text, Some((format!("{path}/{token}"), right)), false);
        }
        Ok(())
    }

    fn post_page(&mut self, talk: &mut Talk) -> Done {
        let text = self.text();
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        let path = self.writing.form.page();
        let posted = talk.send("POST", &path, kind, &format!("field_1={text}"));
        let entry = posted.map(|(status, body)| {
            assert_eq!(status, 303, "{body}");
            json!({"field_1": text})
        });
        self.note("entry_created", &text, None, entry)
    }

    /// Notes new entries that were asked for together.
    fn note_all(&mut self, texts: &[String], is_answered: bool) -> Done {
        for text in texts {
            let entry = is_answered.then(|| json!({"field_1": text}));
            let _ = self.note("entry_created", text, None, entry);
        }
        if is_answered { Ok(()) } else { Err(Killed) }
    }

    fn bulk(&mut self, talk: &mut Talk) -> Done {
        let texts: Vec<String> = (0..ROWS).map(|_| self.text()).collect();
        let entries: Vec<Value> = texts.iter().map(|text| values(text)).collect();
        let path = self.writing.form.part("entries/bulk");
        let made = self.owner(talk, "POST", &path, Some(&json!({"entries": entries})));
        let data = data_of(made, 201);
        self.note_all(&texts, data.is_some())?;
        let serials = data.ok_or(Killed)?["serial_numbers"].as_array().expect("numbers").clone();
        for (serial, text) in serials.iter().zip(texts) {
            self.keep(&json!({"serial_number": serial}), text, None, false);
        }
        Ok(())
    }

    fn import(&mut self, talk: &mut Talk) -> Done {
        let texts: Vec<String> = (0..ROWS).map(|_| self.text()).collect();
        let file = format!("field_1\n{}\n", texts.join("\n"));
        let head = format!("{}\r\nContent-Type: text/csv\r\n", self.bearer());
        let path = self.writing.form.part("entries/import");
        let made = talk.send("POST", &path, &head, &file);
        if let Some((status, body)) = &made {
            assert_eq!(*status, 201, "{body}");
        }
        self.note_all(&texts, made.is_some())
    }

    /// The result of a change of an entry's text.
    fn changed(&mut self, at: usize, text: String, answer: Option<(u16, Value)>, whole: bool) -> Done {
        let serial = self.own[at].serial;
        let entry = data_of(answer, 200);
        let known = entry.as_ref().map(|entry| match whole {
            true => entry.clone(),
            false => json!({"field_1": text, "serial_number": serial}),
        });
        self.note("entry_updated", &text, Some(serial), known)?;
        let own = &mut self.own[at];
        own.text = text;
        own.whole = entry.filter(|_| whole);
        own.was_trashed = false;
        Ok(())
    }

    fn update(&mut self, talk: &mut Talk, at: usize) -> Done {
        let text = self.text();
        let path = self.writing.form.entry(self.own[at].serial);
        let answer = self.owner(talk, "PATCH", &path, Some(&values(&text)));
        self.changed(at, text, answer, true)
    }

    fn edit_as_respondent(&mut self, talk: &mut Talk, at: usize) -> Done {
        let text = self.text();
        let (path, right) = self.own[at].respondent.clone().expect("a right");
        let header = format!("X-Edit-Token: {right}");
        let answer = json_of(talk.ask("PATCH", &path, &header, Some(&values(&text))));
        self.changed(at, text, answer, false)
    }

    fn edit_on_query(&mut self, talk: &mut Talk, at: usize) -> Done {
        let public = format!("/api/v1/q/{}", self.writing.query);
        let wanted = json!({"values": {"serial_number": self.own[at].serial}});
        let found = data_of(json_of(talk.post(&format!("{public}/search"), &wanted)), 200).ok_or(Killed)?;
        let row = &found[0];
        let word = |key: &str| row[key].as_str().expect("a text").to_owned();
        let header = format!("X-Edit-Token: {}", word("edit_token"));
        let path = format!("{public}/entries/{}", word("entry_token"));
        let text = self.text();
        let answer = json_of(talk.ask("PATCH", &path, &header, Some(&values(&text))));
        self.changed(at, text, answer, false)
    }

    fn trash(&mut self, talk: &mut Talk, at: usize) -> Done {
        let (serial, text) = (self.own[at].serial, self.own[at].text.clone());
        let path = self.writing.form.entry(serial);
        let answer = self.owner(talk, "DELETE", &path, None);
        let whole = self.own[at].whole.clone();
        let entry =
            data_of(answer, 200).map(|_| whole.unwrap_or_else(|| json!({"field_1": text, "serial_number": serial})));
        self.note("entry_deleted", &text, Some(serial), entry)?;
        self.own[at].is_trashed = true;
        self.own[at].was_trashed = true;
        Ok(())
    }

    fn restore(&mut self, talk: &mut Talk, at: usize) -> Done {
        let (serial, text) = (self.own[at].serial, self.own[at].text.clone());
        let path = format!("{}/restore", self.writing.form.trashed(serial));
        let answer = self.owner(talk, "POST", &path, None);
        let entry = data_of(answer, 200);
        self.note("entry_restored", &text, Some(serial), entry.clone())?;
        self.own[at].is_trashed = false;
        self.own[at].whole = entry;
        Ok(())
    }

    /// Sends a request that is refused, which makes no event either.
    fn refused(&mut self, talk: &mut Talk) -> Done {
        let form = self.writing.form;
        let too_long = values(&format!("refused {}", "x".repeat(60)));
        let (status, body) = match self.one(|own| !own.is_trashed) {
            Some(at) if self.rng.random_range(0..2) > 0 => {
                let path = form.entry(self.own[at].serial);
                let head = format!("{}\r\nIf-Match: \"x\"", self.bearer());
                let answer = json_of(talk.ask("PATCH", &path, &head, Some(&values("refused"))));
                let answer = answer.ok_or(Killed)?;
                assert_eq!(answer.0, 412, "{}", answer.1);
                json_of(talk.ask("PATCH", &path, &self.bearer(), Some(&too_long)))
            }
            _ => {
                let entries = json!({"entries": [values("refused"), too_long]});
                let path = form.part("entries/bulk");
                self.owner(talk, "POST", &path, Some(&entries))
            }
        }
        .ok_or(Killed)?;
        assert_eq!(status, 422, "{body}");
        Ok(())
    }
}

fn values(text: &str) -> Value {
    json!({"field_values": {"field_1": text}})
}

/// The data of an answer, which has to be of this status.
fn data_of(answer: Option<(u16, Value)>, expected: u16) -> Option<Value> {
    answer.map(|(status, body)| {
        assert_eq!(status, expected, "{body}");
        body["data"].clone()
    })
}

fn json_of(answer: Option<(u16, String)>) -> Option<(u16, Value)> {
    answer.map(|(status, body)| (status, serde_json::from_str(&body).expect("JSON")))
}
