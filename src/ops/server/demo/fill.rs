//! Makes the forms of an example from their files, in the way in which people make them: by the operations that pages and
//! programs use. Only the times are set afterwards.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::json_list::JsonList;
use crate::base::json::unknown_members::Ignored;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::accounts::collaborators;
use crate::ops::app::App;
use crate::ops::capacity::reservations;
use crate::ops::delivery::webhooks;
use crate::ops::entries::submission::{self, Submission};
use crate::ops::entries::{bulk, trash};
use crate::ops::files::form_uploads::{Posting, TYPED, UploadRight};
use crate::ops::files::posted_images::PostedImage;
use crate::ops::files::upload_quota::Origin;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::change;
use crate::ops::forms::{self, field_rules, folders, settings, themes};
use crate::ops::queries;
use crate::ops::server::demo::generate::{Generator, Made};
use crate::ops::server::demo::recipe::Recipe;
use crate::ops::server::demo::{pictures, recipe};
use crate::store::entries::{self, counters};
use crate::store::server::example_past::{self, Arrival};

/// In the order in which they are made: a form comes after the one that it is linked with.
const FILES: [&str; 8] = [
    include_str!("forms/members.json"),
    include_str!("forms/courses.json"),
    include_str!("forms/exam.json"),
    include_str!("forms/incidents.json"),
    include_str!("forms/shop.json"),
    include_str!("forms/survey.json"),
    include_str!("forms/workshops.json"),
    include_str!("forms/festival.json"),
];

/// A form with everything that belongs to it: bodies of the API, and the recipe of its entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleForm {
    /// Others call it so.
    key: String,
    /// `$` and a key are a placeholder for the token of that form.
    form: Json,
    /// The name of its folder, if it is in one.
    folder: Option<String>,
    #[serde(default)]
    settings: Json,
    #[serde(default)]
    theme: Json,
    /// The number of the colours of its picture.
    picture: Option<usize>,
    #[serde(default)]
    rules: Json,
    /// The email addresses of its collaborators, and their roles.
    #[serde(default)]
    shared: Vec<(String, String)>,
    entries: Recipe,
    /// The form whose entries its entries are linked with.
    linked: Option<String>,
    /// The number of its entries in the trash.
    #[serde(default)]
    trashed: i64,
    /// A question that was added and not published yet.
    #[serde(default)]
    draft: Json,
    #[serde(default)]
    webhook: Json,
    #[serde(default)]
    query: Json,
    /// The score from which an entry has the certificate that is shown.
    certified_from: Option<f64>,
}

/// Things to look at.
pub struct Filled {
    /// The token of the first query.
    pub query: String,
    /// The token of an entry that has a certificate.
    pub certified: String,
}

pub struct Filler {
    app: Arc<App>,
    pub owner: Caller,
    origin: Origin,
    photos: RefCell<HashMap<String, Vec<u8>>>,
}

impl Filler {
    pub fn new(app: &App, owner: Caller) -> Self {
        let origin = Origin::new(app.keys(), "127.0.0.1", true, clock::now());
        Self { app: Arc::new(app.share()), owner, origin, photos: RefCell::default() }
    }

    /// # Errors
    /// 503.
    pub fn fill(&self) -> Result<Filled> {
        let (mut known, mut placed) = (HashMap::new(), HashMap::new());
        let mut filled = Filled { query: String::new(), certified: String::new() };
        for file in FILES {
            let example = read(file, &known)?;
            let token = self.add(&example, &known, &mut placed, &mut filled)?;
            known.insert(example.key, token);
        }
        Ok(filled)
    }

    /// Adds a form; its token.
    fn add(
        &self,
        example: &ExampleForm,
        known: &HashMap<String, String>,
        folders: &mut HashMap<String, String>,
        filled: &mut Filled,
    ) -> Result<String> {
        let (app, owner, any) = (&*self.app, &self.owner, &IfMatch::Absent);
        let mut body = example.form.clone();
        if let Some(folder) = &example.folder {
            body["folder_token"] = json!(self.folder(folder, folders)?);
        }
        let form = forms::create(app, owner, body, Issues::new())?.form;
        let token = form.token.as_str();
        if example.settings.is_object() {
            settings::update(app, owner, token, example.settings.clone(), any, Issues::new())?;
        }
        let mut theme = example.theme.clone();
        if let Some(palette) = example.picture {
            let picture = pictures::landscape(&example.key, palette, (960, 240))?;
            let upload = self.image("header.png", &picture, "header_image")?;
            theme["header"] = json!({"type": "image", "images": [{"upload_id": upload}]});
        }
        themes::update(app, owner, token, theme, any, Issues::new())?;
        if example.rules.is_array() {
            let rules = json!({"rules": example.rules});
            field_rules::replace(app, owner, token, rules, any, Issues::new())?;
        }
        self.add_entries(example, token, known)?;
        if let Some(least) = example.certified_from {
            filled.certified = self.certified(token, least)?;
        }
        for (email, role) in &example.shared {
            collaborators::put(app, owner, token, email, json!({"role": role}), Issues::new())?;
        }
        if example.draft.is_object() {
            change::add(app, owner, token, vec![example.draft.clone()], "")?;
        }
        if example.webhook.is_object() {
            webhooks::create(app, owner, token, example.webhook.clone())?;
        }
        if example.query.is_object() {
            let mut query = example.query.clone();
            query["form_token"] = json!(token);
            let query = queries::create(app, owner, query)?.body.token;
            if filled.query.is_empty() {
                filled.query = query;
            }
        }
        Ok(token.to_owned())
    }

    /// The folder of this name, which is made if missing.
    fn folder(&self, name: &str, folders: &mut HashMap<String, String>) -> Result<String> {
        if let Some(token) = folders.get(name) {
            return Ok(token.clone());
        }
        let token = folders::create(&self.app, &self.owner, json!({"name": name}), Issues::new())?.token.to_string();
        folders.insert(name.to_owned(), token.clone());
        Ok(token)
    }

    fn add_entries(&self, example: &ExampleForm, token: &str, known: &HashMap<String, String>) -> Result<()> {
        let now = clock::now();
        let links = match example.linked.as_ref().and_then(|key| known.get(key)) {
            Some(linked) => self.tokens(linked)?,
            None => Vec::new(),
        };
        let zone = example.form["timezone"].as_str().and_then(|name| TimeZone::get(name).ok());
        let zone = zone.unwrap_or(TimeZone::UTC);
        let made = Generator::new(&example.entries, &example.key, zone, now, links).entries();
        let recipe = &example.entries;
        // Serial numbers follow the times, so those that need a request of their own part the others.
        let is_alone = |made: &Made| made.waits || !made.files.is_empty() || made.signed.is_some();
        for run in made.chunk_by(|one, next| !is_alone(one) && !is_alone(next)) {
            match run {
                [alone] if is_alone(alone) => self.submit(token, recipe, alone)?,
                run => self.submit_all(token, run)?,
            }
        }
        self.settle(token, &made, now)?;
        let arrivals: Vec<Arrival> = made
            .into_iter()
            .map(|made| Arrival {
                at: made.at,
                duration_secs: made.duration_secs,
                changed_at: made.booked_until.filter(|until| *until < now),
                x_field_1: made.x_field_1,
            })
            .collect();
        let form_no = self.form_no(token)?;
        let made_at = arrivals.first().map_or(now, |first| first.at.minus_secs(MADE_BEFORE_SECS));
        let count = i64::try_from(arrivals.len()).map_err(Error::internal)?;
        self.app.store.write(move |tx| example_past::give(tx, form_no, made_at, &arrivals))?;
        for number in 0..example.trashed {
            let serial = count - 11 - 23 * number;
            trash::put(&self.app, &self.owner, token, Some(serial), IfMatch::Absent)?.wait()?;
        }
        Ok(())
    }

    fn submit_all(&self, token: &str, made: &[Made]) -> Result<()> {
        for made in made.chunks(bulk::MOST) {
            let entries = made.iter().map(|made| json!({"field_values": made.values}));
            let body = json!({bulk::LIST: entries.collect::<Json>()}).to_string();
            let mut at = Issues::new();
            let list = JsonList::read(body.as_bytes(), bulk::LIST, bulk::MOST, &mut at)?;
            bulk::create(&self.app, &self.owner, token, &list, at, None, &mut Ignored::default())?;
        }
        Ok(())
    }

    /// Submits an entry that waits, or that comes with files.
    fn submit(&self, token: &str, recipe: &Recipe, made: &Made) -> Result<()> {
        let mut values = made.values.clone();
        if !made.files.is_empty() || made.signed.is_some() {
            self.upload(token, recipe, made, &mut values)?;
        }
        let submission = Submission { waits: made.waits, ..Submission::of_console(values) };
        submission::create(&self.app, &self.owner, token, submission, None, &mut Ignored::default())?.wait()?;
        Ok(())
    }

    /// Uploads files and the signature as the page of a new entry does, and names them in its values.
    fn upload(&self, token: &str, recipe: &Recipe, made: &Made, values: &mut Json) -> Result<()> {
        const CSRF: &str = "example";
        let app = Arc::clone(&self.app);
        let mut posting = Posting::begin_in_console(app, &self.owner, token, self.origin.clone(), CSRF.to_owned())?;
        let mut texts = vec![("csrf".to_owned(), CSRF.to_owned())];
        let signature = recipe.signed.as_ref().map(|(field, _)| field.as_str());
        if let (Some(name), Some(field)) = (&made.signed, signature) {
            texts.push((format!("{field}{TYPED}"), name.clone()));
        }
        posting.admit(UploadRight { password: None, texts: &texts });
        let files = recipe.files.as_ref().map(|files: &recipe::Files| files.field.as_str()).unwrap_or_default();
        for name in &made.files {
            posting.open(files, name, Some("image/png"))?;
            posting.write(&self.photo(name)?)?;
            posting.close()?;
        }
        let posted = posting.finish(&texts, None)?;
        if let Some(refusal) = posted.refused {
            return Err(refusal.error());
        }
        let mut uploads = Vec::new();
        for file in posted.files {
            match signature {
                Some(field) if file.input == field => values[field] = json!({"file": file.upload}),
                _ => uploads.push(json!({"upload_id": file.upload})),
            }
        }
        if !uploads.is_empty() {
            values[files] = json!(uploads);
        }
        Ok(())
    }

    /// The photo of this name, which is drawn once.
    fn photo(&self, name: &str) -> Result<Vec<u8>> {
        if let Some(photo) = self.photos.borrow().get(name) {
            return Ok(photo.clone());
        }
        let photo = pictures::landscape(name, 3, (360, 240))?;
        self.photos.borrow_mut().insert(name.to_owned(), photo.clone());
        Ok(photo)
    }

    /// Bookings that are over took place, but for a few that were cancelled.
    fn settle(&self, token: &str, made: &[Made], now: Time) -> Result<()> {
        let mut tickets = Vec::new();
        for (serial, made) in (1..).zip(made) {
            if made.booked_until.is_some_and(|until| until < now) {
                let status = if serial % 13 == 0 { "cancelled" } else { "completed" };
                let body = json!({"status": status});
                let any = IfMatch::Absent;
                tickets.push(reservations::set(&self.app, &self.owner, token, Some(serial), body, any)?);
            }
        }
        for ticket in tickets {
            ticket.wait()?;
        }
        Ok(())
    }

    fn form_no(&self, token: &str) -> Result<i64> {
        self.app.store.read(|tx| Ok(access::form_for(tx, &self.owner, token, Right::Manage)?.form_no))
    }

    /// The tokens of a form's entries; none for those in the trash.
    fn tokens(&self, form: &str) -> Result<Vec<Option<String>>> {
        let form_no = self.form_no(form)?;
        self.app.store.read(|tx| {
            let next = counters::of_form(tx, form_no)?.next_serial;
            let mut tokens = Vec::new();
            for serial in 1..next {
                tokens.push(entries::by_serial(tx, form_no, serial)?.map(|entry| entry.token.to_string()));
            }
            Ok(tokens)
        })
    }

    /// The token of the last entry that has at least this score.
    fn certified(&self, form: &str, least: f64) -> Result<String> {
        let form_no = self.form_no(form)?;
        let found = self.app.store.read(|tx| {
            let next = counters::of_form(tx, form_no)?.next_serial;
            for serial in (1..next).rev() {
                let entry = entries::by_serial(tx, form_no, serial)?;
                if let Some(entry) = entry.filter(|it| it.results.exam_score.is_some_and(|score| score >= least)) {
                    return Ok(Some(entry.token.to_string()));
                }
            }
            Ok(None)
        })?;
        found.ok_or_else(|| Error::internal("nobody passed the exam of the example"))
    }

    /// Uploads an image for this purpose; its upload.
    ///
    /// # Errors
    /// 503.
    pub fn image(&self, name: &str, png: &[u8], purpose: &'static str) -> Result<String> {
        let mut posted = PostedImage::begin(Arc::clone(&self.app), self.origin.clone())?;
        posted.open(name)?;
        posted.write(png)?;
        let upload = posted.finish(&self.owner, purpose)?;
        upload.and_then(|upload| upload.ok()).ok_or_else(|| Error::internal("a picture of the example is refused"))
    }
}

/// A form is made so long before its first entry.
const MADE_BEFORE_SECS: i64 = 3 * 86_400;

fn read(file: &str, known: &HashMap<String, String>) -> Result<ExampleForm> {
    let with_tokens = known.iter().fold(file.to_owned(), |text, (key, token)| text.replace(&format!("${key}"), token));
    serde_json::from_str(&with_tokens).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_entries_at_any_time() {
        for now in ["2027-01-01T00:00:30Z", "2028-02-29T12:00:00Z", "2026-10-25T01:30:00Z"] {
            let now = Time::parse(now).expect("a time");
            let keys = FILES.map(|file| read(file, &HashMap::new()).expect("an example").key);
            for file in FILES {
                let example = read(file, &HashMap::new()).expect("an example");
                assert!(example.linked.is_none_or(|key| keys.contains(&key)));
                let zone = example.form["timezone"].as_str().expect("a time zone");
                let zone = TimeZone::get(zone).expect("a known time zone");
                let made = Generator::new(&example.entries, &example.key, zone, now, Vec::new()).entries();
                assert!((150..=3_000).contains(&made.len()), "{}: {}", example.key, made.len());
                assert!(made.is_sorted_by_key(|entry| entry.at) && made.iter().all(|entry| entry.at < now));
            }
        }
    }
}
