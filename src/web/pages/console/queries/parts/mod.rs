//! The parts of a query's page: the posted values of each, and its drawing.

mod only;
mod page;
mod search;
mod shows;

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::ops::forms::settings_edit::{is_same, version_of};
use crate::web::pages::console::Posted;
use crate::web::pages::console::build::rich_texts::RichTexts;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::queries::editor::Outcome;
use crate::web::pages::console::queries::messages;
use crate::web::pages::console::queries::typed::{self, SCOPE, SEARCH, SHOWN};
use crate::web::pages::console::queries::word;
use crate::web::pages::ui::look::pictures::UploadForm;
use crate::web::pages::ui::notice::{Notice, Summary, SummaryLine, Tone, message};
use crate::web::pages::ui::queries::editor::PartForm;
use crate::web::pages::ui::queries::search::Checked;
use crate::web::pages::ui::settings::sections::SettingsSection;

/// The id of the form that sends a picture.
const UPLOAD: &str = "upload-picture";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The fields that visitors search by.
    Search,
    /// The fields that they see of an entry.
    Shows,
    /// Which entries can be found.
    Only,
    /// The page's texts, picture and switches.
    Page,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Search, Self::Shows, Self::Only, Self::Page];

    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Shows => "shows",
            Self::Only => "only",
            Self::Page => "page",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The part that an attribute of the API's body belongs to.
    fn of_attribute(attribute: &str) -> Self {
        let lists = [(SEARCH, Self::Search), (SHOWN, Self::Shows), (SCOPE, Self::Only)];
        lists.into_iter().find(|(list, _)| attribute.starts_with(list)).map_or(Self::Page, |(_, part)| part)
    }

    /// The posted values, in the shape of the part.
    pub(in crate::web::pages::console) fn read(self, frame: &FormFrame, posted: &Posted, stored: &Json) -> Json {
        let pairs: Vec<(&str, &str)> = posted.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let locale = &frame.caller.user.locale;
        match self {
            Self::Search => typed::search(&pairs),
            Self::Shows => typed::shown(&pairs, locale),
            Self::Only => only::read(frame, posted),
            Self::Page => typed::page(&pairs, stored["header"]["background_image"]["id"].as_str(), locale),
        }
    }

    /// Whether a choice of the part asks for a further row.
    pub(in crate::web::pages::console) fn adds(self, posted: &Posted) -> bool {
        self == Self::Only && !posted.text("add").is_empty()
    }

    pub(in crate::web::pages::console) fn act_on_conditions(self, posted: &Posted, typed: &mut Json) {
        only::act_on(posted, typed);
    }
}

pub struct Drawing<'a> {
    frame: &'a FormFrame<'a>,
    stored: &'a Json,
    /// The fields that queries of the form may search by and show.
    known: &'a Json,
    warnings: &'a [Issue],
    outcome: &'a Outcome,
    /// The trees of the two messages, for their editors.
    trees: [String; 2],
}

impl<'a> Drawing<'a> {
    /// # Errors
    /// Internal.
    pub fn of(
        frame: &'a FormFrame<'a>,
        stored: &'a Json,
        known: &'a Json,
        warnings: &'a [Issue],
        outcome: &'a Outcome,
    ) -> Result<Self> {
        let rich = RichTexts::of(frame);
        let page = match (&outcome.typed, outcome.part) {
            (Some(typed), Some(Part::Page)) => typed,
            _ => stored,
        };
        let tree = |key: &str| rich.tree(word(&page["messages"], key));
        let trees = [tree("has_result")?, tree("no_result")?];
        Ok(Self { frame, stored, known, warnings, outcome, trees })
    }

    fn say(&self, id: &str) -> String {
        self.frame.say(id)
    }

    /// The typed values of a part that is shown again, else the stored ones.
    fn values(&self, part: Part) -> Option<&Json> {
        self.outcome.typed.as_ref().filter(|_| self.outcome.part == Some(part))
    }

    /// The faults of a control, one sentence each.
    fn fault(&self, path: &str) -> String {
        let own = self.outcome.faults.iter().filter(|issue| issue.attribute == path);
        own.map(|issue| messages::fault(self.frame.texts, issue)).collect::<Vec<_>>().join(" ")
    }

    fn checked<T>(&self, path: &str, value: T) -> Checked<T> {
        Checked { value, fault: self.fault(path) }
    }

    pub fn part<'s>(&self, part: Part) -> SettingsSection<'s> {
        let name = part.name();
        let is_posted = self.outcome.part == Some(part);
        let content = match part {
            Part::Search => self.search(),
            Part::Shows => self.shows(),
            Part::Only => self.only(),
            Part::Page => self.page(),
        };
        let stored_version = version_of(&part.values(self.stored));
        let version = match (&self.outcome.version, is_posted && self.outcome.typed.is_some()) {
            (Some(loaded), true) => loaded.clone(),
            _ => stored_version,
        };
        let own = format!("queries/{}/{name}", word(self.stored, "token"));
        let form = PartForm {
            action: &self.frame.address(&own),
            csrf: &self.frame.csrf,
            version: &version,
            is_changed: self.values(part).is_some_and(|typed| !is_same(&part.body(typed), &part.values(self.stored))),
            // A button changed the contents of the part, and nothing in it takes the focus.
            is_focused: is_posted && self.is_acted_on() && self.outcome.focus.is_none(),
            content,
            save: &self.say("profile-save"),
            unsaved: &self.say("settings-unsaved"),
        };
        SettingsSection {
            id: name,
            title: self.say(&format!("queries-{name}")),
            text: self.say(&format!("queries-{name}-text")),
            reason: String::new(),
            is_open: is_posted,
            content: html! {
                @if is_posted { (self.said(part)) }
                (self.warned(part))
                (form)
            },
        }
    }

    /// Whether the page shows a part as a button changed it.
    fn is_acted_on(&self) -> bool {
        let outcome = self.outcome;
        outcome.typed.is_some() && outcome.faults.is_empty() && !outcome.is_overtaken && !outcome.lacks_plan
    }

    /// The notice after a post.
    fn said(&self, part: Part) -> Markup {
        let texts = self.frame.texts;
        let outcome = self.outcome;
        let lines = outcome.faults.iter().map(|issue| {
            let said = messages::fault(texts, issue);
            SummaryLine { field: self.control_of(&issue.attribute), text: self.named(&issue.attribute, said) }
        });
        let plan = self.frame.caller.user.organization.plan.name();
        let plan_text = if part == Part::Only { "queries-plan-scope" } else { "queries-plan-editable" };
        html! {
            @if let Some(done) = outcome.done { (message(Tone::Good, &self.say(done), "")) }
            @if outcome.is_overtaken {
                (Notice {
                    tone: Tone::Bad,
                    title: &self.say("queries-overtaken"),
                    text: &self.say("settings-changed-text"),
                    content: html! { p { (self.say("queries-overtaken-now")) } (self.told(part)) },
                })
            }
            @if outcome.lacks_plan {
                (message(Tone::Bad, &self.say("queries-plan"), &texts.fill(plan_text, &[("plan", plan.into())])))
            }
            (Summary { title: &self.say("account-faults"), lines: lines.collect() })
        }
    }

    /// The id of the control that an attribute belongs to.
    fn control_of<'i>(&self, attribute: &'i str) -> &'i str {
        // A condition has its fault beside it.
        if attribute.starts_with(SCOPE) { "" } else { attribute }
    }

    /// A fault with the name of its field, where that is known.
    fn named(&self, attribute: &str, said: String) -> String {
        let item = attribute.rsplit_once('.').map_or(attribute, |(item, _)| item);
        let label = match Part::of_attribute(attribute) {
            Part::Search | Part::Shows => self.label_at(item),
            Part::Page => page::label_id(attribute).map(|id| self.say(id)).unwrap_or_default(),
            Part::Only => String::new(),
        };
        if label.is_empty() { said } else { format!("{label}: {said}") }
    }

    /// The warnings about rules of the part.
    fn warned(&self, part: Part) -> Markup {
        let own = self.warnings.iter().filter(|issue| Part::of_attribute(&issue.attribute) == part);
        let label = |item: &str| self.stored_label(item);
        let lines: Vec<String> = own.map(|issue| messages::warning(self.frame.texts, issue, &label)).collect();
        html! {
            @if !lines.is_empty() {
                (Notice {
                    tone: Tone::Warn,
                    title: &self.say("queries-warnings"),
                    content: html! { @for line in &lines { p { (line) } } },
                    ..Notice::default()
                })
            }
        }
    }

    /// The stored part in words.
    fn told(&self, part: Part) -> Markup {
        match part {
            Part::Search => html! { p { (self.told_search()) } },
            Part::Shows => html! { p { (self.told_shows()) } },
            Part::Only => html! { p { (self.told_only()) } },
            Part::Page => self.told_page(),
        }
    }

    /// The label of a field of the form, or its code where the form has none.
    fn label_of(&self, list: &str, code: &str) -> String {
        let mut all = self.known[list].as_array().into_iter().flatten();
        let label = all.find(|it| it["field"] == code).map(|it| word(it, "label").trim().to_owned());
        label.filter(|label| !label.is_empty()).unwrap_or_else(|| code.to_owned())
    }

    /// The label of the field at the path of an item, as it was typed, else stored.
    fn label_at(&self, item: &str) -> String {
        let (list, name) = if item.starts_with(SEARCH) { (SEARCH, "searchable") } else { (SHOWN, "displayable") };
        let of = self.values(Part::of_attribute(item)).unwrap_or(&self.stored[list]);
        self.label_in(of, item.strip_prefix(list).unwrap_or_default(), name)
    }

    fn stored_label(&self, item: &str) -> String {
        let (list, name) = if item.starts_with(SEARCH) { (SEARCH, "searchable") } else { (SHOWN, "displayable") };
        self.label_in(&self.stored[list], item.strip_prefix(list).unwrap_or_default(), name)
    }

    /// `[0].fields[1]` in a list.
    fn label_in(&self, list: &Json, place: &str, name: &str) -> String {
        let numbers = place.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<usize>().ok());
        let mut at = list;
        for (depth, number) in numbers.enumerate() {
            at = if depth == 0 { &at[number] } else { &at["fields"][number] };
        }
        at["field"].as_str().map(|code| self.label_of(name, code)).unwrap_or_default()
    }

    /// The forms of the uploads in the parts, beside the parts' own.
    pub fn upload_forms(&self) -> Markup {
        let own = format!("queries/{}/image", word(self.stored, "token"));
        UploadForm { id: UPLOAD, action: &self.frame.address(&own), csrf: &self.frame.csrf }.render()
    }
}
