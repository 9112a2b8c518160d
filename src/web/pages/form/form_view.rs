//! A form page with the values typed so far and their faults, as HTML or as JSON for the page's script.

use std::sync::Arc;

use serde_json::Map;
use warp::http::StatusCode;

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;
use crate::fields::values::live;
use crate::fields::values::results::pricing::{self, Prices};
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::capacity::occupancy::{self, Own};
use crate::ops::capacity::page_holds::{self, PageHold};
use crate::ops::entries::Shape;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::linked_options::{self, Find};
use crate::ops::exams::time;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::Published;
use crate::web::pages::form::changed_entry::ChangedEntry;
use crate::web::pages::form::inspector::ToldRule;
use crate::web::pages::form::pagination::{self, FormPage, Layout};
use crate::web::pages::form::{edit_entry, preview};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::theme::Theme;
use crate::web::request::reply::Answer;

/// A form page about to be drawn. It owns its data, so that it can be drawn after a write failed.
pub struct FilledForm {
    /// The service.
    pub app: Arc<App>,
    /// The words of the form's language: to find them takes longer than to draw a field.
    pub texts: &'static Texts,
    /// The form.
    pub published: Arc<Published>,
    /// The values of the fields, by api_code, in the write shape.
    pub values: Map<String, Json>,
    /// The same as it was typed: numbers are shown again as their writers wrote them.
    pub posted: FormPart,
    /// The page to show, from 0.
    pub page: usize,
    /// When the page was loaded, signed.
    pub stamp: String,
    /// The name of the next sending.
    pub once: String,
    /// The form's password, sealed.
    pub grant: Option<String>,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// The CSRF token of the session, where somebody signed in answers.
    pub csrf: Option<String>,
    /// The entry that is changed, where it is there already.
    pub own: Option<ChangedEntry>,
    /// The preview of a draft: nothing that is sent is stored.
    pub preview: Option<Preview>,
    /// The token of the hold that the page has.
    pub hold_token: Option<String>,
    /// That hold, unless it has ended.
    pub hold: Option<PageHold>,
    /// Whether a chosen part is not held, although there is room for it.
    pub is_hold_short: bool,
    /// Whether a chosen part is full and the answers may wait for it.
    pub waits: bool,
    /// Whether the page is in another site's frame.
    pub is_embedded: bool,
    /// Whether the script of the page asks, which draws the faults itself.
    pub for_script: bool,
    /// The answers read from the values.
    pub answers: Answers,
    /// When the request came.
    pub now: Time,
}

/// The differences of a draft's preview from a published form's page.
#[derive(Clone)]
pub struct Preview {
    /// Where it is posted to.
    pub action: String,
    /// Whether the page is in the builder, to be looked at alone.
    pub is_canvas: bool,
    /// The token of the session that may look at it.
    pub csrf: String,
    /// The draft's rules in words, in the order of those that are read.
    pub rules: Arc<[ToldRule]>,
    /// The texts in the reader's language.
    pub texts: &'static Texts,
    /// The use of the answers in place of a trial entry.
    pub fills: Option<Fills>,
}

/// The use of answers in a preview.
#[derive(Clone)]
pub enum Fills {
    /// The default of the question with this code.
    Default(Box<Caller>, String),
    /// The right answer to the question with this code.
    RightAnswer(Box<Caller>, String),
    /// A link that fills the form in.
    Link,
}

impl Fills {
    /// The text id of the button.
    pub const fn button(&self) -> &'static str {
        match self {
            Self::Default(..) => "default-take",
            Self::RightAnswer(..) => "answer-take",
            Self::Link => "prefilled-make",
        }
    }
}

/// The notice above the fields.
#[derive(Default)]
pub struct Notice {
    /// The answer's status.
    pub status: StatusCode,
    /// The faults, by the paths of the API.
    pub issues: Vec<Issue>,
    /// A message in a box: title and text.
    pub notice: Option<(Tone, String, String)>,
    /// A link below the message: address and words. It opens beside the page.
    pub link: Option<(String, String)>,
    /// Whether the form can't be sent now.
    pub is_shut: bool,
    /// Whether the notice asks to press the button once more: it stands there, and the button has the focus.
    pub is_again: bool,
    /// Whether the page shows changes of the form, so that the script has the server draw it again.
    pub is_outdated: bool,
    /// Whether the page asks if the answers shall wait for room, in place of the questions.
    pub asks_to_wait: bool,
    /// Whether nothing was typed yet, so that answers kept by the browser may come back.
    pub is_fresh: bool,
}

impl FilledForm {
    /// Where a field stands in the form.
    pub fn place(&self, field: &Field) -> usize {
        let fields = &self.published.parsed.definition.fields;
        fields.position(&field.api_code).unwrap_or(usize::MAX)
    }

    /// Whether rules hide a field.
    pub fn hides(&self, field: &Field) -> bool {
        self.answers.checked().outcome.hides(self.place(field))
    }

    /// Whether a field must be answered.
    pub fn requires(&self, field: &Field) -> bool {
        self.answers.checked().outcome.requires(self.place(field))
    }

    /// The value of a field: as typed, or as its formula computes it.
    pub fn value(&self, field: &Field) -> Option<&Json> {
        let computed = field.kind.computed().map(|_| &self.answers.checked().values);
        computed.unwrap_or(&self.values).get(&field.api_code)
    }

    /// Whether rules hide all there is on a page: then it is passed over.
    pub fn is_empty(&self, part: &FormPage) -> bool {
        part.fields.iter().all(|field| self.hides(field))
    }

    /// The first page from this one on, or from the one before it backwards, that is not empty.
    pub fn next_page(&self, from: usize, backwards: bool) -> Option<usize> {
        let parts = self.parts();
        let is_full = |at: &usize| parts.get(*at).is_some_and(|part| !self.is_empty(part));
        if backwards { (0..from.min(parts.len())).rev().find(is_full) } else { (from..parts.len()).find(is_full) }
    }

    /// The first page with a field that was hidden as the page was shown, and is no more.
    pub fn revealed(&self, hidden: Option<&str>) -> Option<usize> {
        let was: Vec<&str> = hidden?.split(' ').collect();
        self.parts().iter().position(|part| {
            let mut fields = part.fields.iter();
            fields.any(|field| was.contains(&field.api_code.as_str()) && !self.hides(field))
        })
    }

    /// The words of the form's language.
    pub fn texts(&self) -> &'static Texts {
        self.texts
    }

    /// The language of the owner's words, where the page's own are in another.
    pub fn owners_lang(&self) -> Option<&str> {
        self.texts().other(&self.published.form.locale)
    }

    /// How the form is laid out.
    pub fn layout(&self) -> Layout {
        Layout::of(&self.published.form.layout)
    }

    /// Whether typed answers are worth keeping.
    pub fn takes_typing(&self, said: &Notice) -> bool {
        !said.is_shut || (self.is_early() && !self.is_inert(said))
    }

    /// Whether the questions are shown to be read alone: the form is not open yet, and nothing was typed into it.
    pub fn is_inert(&self, said: &Notice) -> bool {
        said.is_shut && self.is_early() && self.posted.members().next().is_none()
    }

    /// Whether chosen parts are held while the page is filled in.
    pub fn keeps_places(&self) -> bool {
        self.own.is_none() && self.preview.is_none() && page_holds::are_kept(&self.published)
    }

    /// Whether a submission that finds no room may wait for some.
    pub fn has_waiting_list(&self) -> bool {
        self.own.is_none() && self.published.parsed.settings.capacity.waiting_list
    }

    /// Whether the script asks about each limited thing that is chosen.
    pub fn asks_for_room(&self) -> bool {
        self.keeps_places() || self.has_waiting_list()
    }

    /// Whether its time is limited.
    pub fn has_limit(&self) -> bool {
        self.own.is_none() && self.preview.is_none() && self.published.exam_time().is_some()
    }

    /// Whether the browser keeps when it was begun.
    pub fn keeps_start(&self) -> bool {
        self.has_limit() && !self.is_embedded
    }

    /// When the time for it is over.
    pub fn due_at(&self) -> Option<Time> {
        let time = self.published.exam_time().filter(|_| self.has_limit())?;
        let form = self.published.form.token.as_str();
        let began = time::started(self.app.keys(), form, &self.stamp)?;
        Some(time.due(began))
    }

    pub fn is_over(&self) -> bool {
        self.due_at().is_some_and(|due| self.now >= due)
    }

    /// The price of the order as filled in, where several fields or a discount make up the price.
    pub fn prices(&self) -> Option<Prices> {
        let parsed = &self.published.parsed;
        let shown = parsed.definition.fields.iter().filter(|field| !field.hidden && pricing::is_priced(&*field.kind));
        match shown.count() {
            0 => None,
            1 if parsed.settings.pricing.discounts.is_empty() => None,
            _ => parsed.prices(self.answers.checked(), &self.answers.cx()),
        }
    }

    /// The answer to a submission that is stored: on to its receipt.
    pub fn received(&self, receipt: &str) -> Answer {
        if self.for_script {
            let body = serde_json::json!({"receipt": receipt});
            return Answer::json_text(StatusCode::OK, body.to_string());
        }
        Answer::see_other(receipt)
    }

    /// The pages.
    pub fn parts(&self) -> Vec<FormPage<'_>> {
        pagination::split(&self.published.parsed.definition.fields, self.layout())
    }

    /// The key under which the script keeps answers in the browser. None where they must not be kept: behind a
    /// password, or in another site's frame.
    pub fn kept_under(&self) -> Option<&str> {
        let may = self.grant.is_none() && !self.is_embedded && self.own.is_none() && self.preview.is_none();
        may.then(|| self.published.form.token.as_str())
    }

    /// Whether the form opens later: it can be filled in already, and sent then.
    pub fn is_early(&self) -> bool {
        self.own.is_none() && self.published.status == Status::NotOpen
    }

    /// The pages that are not empty.
    pub fn reachable(&self, parts: &[FormPage]) -> Vec<usize> {
        let pages = parts.iter().enumerate();
        pages.filter(|(_, part)| !self.is_empty(part)).map(|(at, _)| at).collect()
    }

    /// The context for reading and showing values.
    pub fn cx(&self) -> Cx<'_> {
        self.published.parsed.cx_with(self.now, true, &self.answers.shape.found)
    }

    /// Looks up the values of the fields, and a few of the options of their controls; more of them where it may take
    /// its time.
    pub fn look_up(&mut self, finds: &[Find], may_block: bool) -> Result<()> {
        let values = (&self.values, self.own.as_ref().map(|own| &own.entry));
        let found = linked_options::for_page(&self.app, &self.published, values, finds, may_block)?;
        let shape = Shape { parsed: Arc::clone(&self.published.parsed), found };
        self.answers = Answers::unread(Arc::new(shape), true, self.now);
        self.count()
    }

    /// Reads the values of the fields: all that is drawn or stored of them comes from there.
    pub fn read(&mut self) {
        let shape = Arc::clone(&self.answers.shape);
        let changed = self.own.as_ref().map(|own| edit_entry::changed(self, own));
        let (now, none) = (clock::now(), Issues::new());
        self.answers = match self.own.as_mut().zip(changed) {
            Some((own, changed)) => {
                own.changed = changed;
                let raw = Json::Object(own.changed.clone());
                Answers::of_change(shape, own.before.clone(), raw, true, now, none)
            }
            None => Answers::of_new(shape, Json::Object(self.values.clone()), true, now, none),
        };
    }

    /// Counts again the amounts taken of limited options.
    pub fn count(&mut self) -> Result<()> {
        let (app, published) = (&self.app, &self.published);
        self.hold = match &self.hold_token {
            Some(token) if self.keeps_places() => page_holds::find(app, published, token)?,
            _ => None,
        };
        let own = match (&self.own, &self.hold) {
            (Some(own), _) => Own::Entry(&own.before, &own.entry.results),
            (None, Some(hold)) => Own::Hold(&hold.takes),
            (None, None) => Own::Hold(&[]),
        };
        let occupancy = occupancy::for_page(app, &published.parsed, &own, self.now)?;
        self.answers.set_occupancy(occupancy);
        Ok(())
    }

    /// Checks whether chosen parts are full, where the answers may wait for room.
    pub fn look_for_room(&mut self) -> Result<()> {
        if self.has_waiting_list() {
            let kept = self.hold.as_ref().map_or(&[][..], |hold| &hold.takes);
            let full = page_holds::full(&self.app, &self.published, (&self.answers, &self.values), kept)?;
            self.waits = !full.is_empty();
        }
        Ok(())
    }

    /// The options found for one control, for the script of the page.
    pub fn options(&self, find: Option<&Find>) -> Result<Json> {
        let nothing = Find::default();
        linked_options::offered(&self.app, &self.published.parsed, find.unwrap_or(&nothing), true)
    }

    /// The answer.
    pub fn answer(&self, said: &Notice) -> Answer {
        if self.for_script {
            let mut body = self.faults_json(&said.issues);
            // Any notice besides faults needs a page that the server draws.
            body["says_more"] = (said.notice.is_some() || said.is_shut || said.is_outdated).into();
            return Answer::json_text(said.status, body.to_string());
        }
        let form = &self.published.form;
        let texts = self.texts();
        let theme = Theme::of_form(&self.published.parsed);
        let parts = self.parts();
        let faults = self.faults(&parts, &said.issues);
        let title = match faults.is_empty() {
            _ if said.asks_to_wait => self.title_to_wait(&faults),
            true => form.name.clone(),
            false => self.title_with_faults(),
        };
        let mut page = Page::new(&self.app.config, texts, PageShape::Form, &title)
            .of_form(&form.locale)
            .theme(&theme)
            .masthead(Masthead::of(&self.app.config, &self.published.organization))
            .embedded(self.is_embedded);
        if faults.is_empty() && !said.asks_to_wait {
            page = page.owners_title();
        }
        if self.preview.is_some() {
            page = page.frameable().hidden_from_search();
        }
        if self.own.is_none() && self.preview.is_none() && said.is_fresh {
            page = page.preview(preview::of(&self.app.config, &self.published, &theme));
        }
        if self.own.is_some() {
            page = page.hidden_from_search();
        }
        if self.takes_typing(said) && self.kept_under().is_some() {
            // First: others look at the answers that it brings back.
            page = page.script("keep.js");
        }
        page = page.script("form.js");
        if said.asks_to_wait {
            // Its buttons are for nobody's keys but the browser's.
        } else if !said.is_shut {
            page = page.script(match self.layout() {
                Layout::Card => "card.js",
                Layout::Pages => "enter.js",
            });
        } else if self.is_early() {
            page = page.script("enter.js");
        }
        let options = &self.published.parsed.settings.submission_options;
        if parts.len() == 1 && options.show_progress {
            page = page.script("progress.js");
        }
        if self.is_embedded {
            page = page.script("embed.js");
        }
        if self.has_limit() {
            page = page.script("exam.js");
        }
        if self.prices().is_some() {
            page = page.script("order.js");
        }
        let parsed = &self.published.parsed;
        let rules = live::data(&parsed.definition.fields, &parsed.rules, &form.locale);
        if rules.is_some() {
            page = page.script("rules.js");
        }
        if self.asks_for_room() && !said.is_shut {
            page = page.script("room.js");
        }
        let shown = parts.iter().flat_map(|part| &part.fields).copied();
        let all = shown.flat_map(|field| std::iter::once(field).chain(field.kind.sub_fields()));
        for name in all.filter_map(|field| field.kind.script()) {
            page = page.script(name);
        }
        let mut answer = page.answer(said.status, &self.content(&theme, &parts, &faults, said, rules.as_ref()));
        // Nothing in it is secret: typed answers come back over the sender's own connection. But the names of uploaded
        // files would be their sender's alone.
        let names_files = self.published.parsed.files && !said.is_fresh;
        let holds_secrets = self.grant.is_some()
            || self.csrf.is_some()
            || self.own.is_some()
            || self.preview.is_some()
            || self.hold.is_some();
        answer.may_compress = !holds_secrets && !names_files;
        answer
    }
}
