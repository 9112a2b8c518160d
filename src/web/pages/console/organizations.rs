//! `/members/organization`: the organization's name, logo and colour on its forms, for its owners. The posted values
//! are compared with those that the page showed, so that two owners who save at once lose nothing.

use maud::{Markup, Render, html};
use serde_json::{Map, json};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::model::user::OrganizationSettings;
use crate::ops::accounts::organizations;
use crate::web::files::posted_image::INPUT;
use crate::web::pages::console::{self, Posted, fault, line, members, widgets};
use crate::web::pages::ui::button::{Button, Weight};
use crate::web::pages::ui::colour::swatch;
use crate::web::pages::ui::field::{Choice, FileField, LineField, TickField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{muted, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const HERE: &str = "/members/organization";
const POWERED_BY: &str = "show_powered_by";
/// The ids of the fields, and the text ids of their labels.
const FIELDS: [(&str, &str); 3] =
    [("name", "organization-name"), ("color", "organization-color"), (INPUT, "organization-logo-file")];
/// The tries of a save when other owners save at the same moment.
const ATTEMPTS: usize = 5;

/// The outcome of the last action.
#[derive(Default)]
struct Outcome {
    done: Option<String>,
    faults: Vec<Issue>,
    /// The values as typed, where they were not saved.
    typed: Option<Values>,
    is_overtaken: bool,
}

/// The settings as the page's inputs hold them.
#[derive(Clone, PartialEq, Eq)]
struct Values {
    name: String,
    /// Empty for none.
    color: String,
    show_powered_by: bool,
}

impl Values {
    fn of(set: &OrganizationSettings) -> Self {
        Self {
            name: set.name.clone(),
            color: set.color.clone().unwrap_or_default(),
            show_powered_by: set.show_powered_by,
        }
    }

    /// The values posted under these names behind `prefix`.
    fn posted(posted: &Posted, prefix: &str) -> Self {
        let text = |name: &str| posted.text(&format!("{prefix}{name}")).trim().to_owned();
        Self { name: text("name"), color: text("color"), show_powered_by: !text(POWERED_BY).is_empty() }
    }

    /// The differences from these values, as the body of a change.
    fn change_from(&self, was: &Self) -> Map<String, Json> {
        let color = (!self.color.is_empty()).then_some(&self.color);
        let all = [
            ("name", self.name != was.name, json!(self.name)),
            ("color", !self.color.eq_ignore_ascii_case(&was.color), json!(color)),
            (POWERED_BY, self.show_powered_by != was.show_powered_by, json!(self.show_powered_by)),
        ];
        let changed = all.into_iter().filter(|(_, is_changed, _)| *is_changed);
        changed.map(|(key, _, value)| (key.to_owned(), value)).collect()
    }

    /// The typed values where they differ from `was`, else the current ones.
    fn over(self, was: &Self, now: &Self) -> Self {
        Self {
            name: if self.name == was.name { now.name.clone() } else { self.name },
            color: if self.color == was.color { now.color.clone() } else { self.color },
            show_powered_by: match self.show_powered_by == was.show_powered_by {
                true => now.show_powered_by,
                false => self.show_powered_by,
            },
        }
    }
}

/// `GET /members/organization`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    members::only_owners(caller)?;
    let known = ["saved", "logo", "removed"];
    let done = call.query("done").filter(|done| known.contains(&done.as_str()));
    Ok(view(call, caller, StatusCode::OK, &Outcome { done, ..Outcome::default() })?.into())
}

/// `POST /members/organization`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    members::only_owners(caller)?;
    let posted = Posted::of(call);
    let (typed, was) = (Values::posted(&posted, ""), Values::posted(&posted, "was_"));
    for _ in 0..ATTEMPTS {
        let now = organizations::show(call.app, caller)?;
        let mut change = typed.change_from(&was);
        let meanwhile = Values::of(&now).change_from(&was);
        if change.iter().any(|(key, value)| meanwhile.get(key).is_some_and(|theirs| theirs != value)) {
            let typed = typed.over(&was, &Values::of(&now));
            let outcome = Outcome { typed: Some(typed), is_overtaken: true, ..Outcome::default() };
            return Ok(view(call, caller, StatusCode::CONFLICT, &outcome)?.into());
        }
        // Saving a name that was made up makes it one that is meant.
        if !now.is_name_shown && !change.contains_key("name") {
            change.insert("name".to_owned(), json!(now.name));
        }
        let condition = IfMatch::Tags(vec![now.etag().0]);
        match organizations::update(call.app, caller, Json::Object(change), &condition, Issues::new()) {
            Ok(_) => return Ok(done(call, "saved")),
            Err(Error::VersionConflict) => {}
            Err(error) => {
                let faults = console::faults(error, &posted)?;
                let outcome = Outcome { faults, typed: Some(typed), ..Outcome::default() };
                return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into());
            }
        }
    }
    Err(Error::VersionConflict)
}

/// `POST /members/organization/logo`: the image came with the form, and is an upload by now.
pub fn put_logo(call: &Call, caller: &Caller) -> Result<Reply> {
    members::only_owners(caller)?;
    let posted = Posted::of(call);
    let upload = posted.text(INPUT);
    let faults = match call.parts.map(|parts| parts.posted.faults.as_slice()) {
        Some(faults) if !faults.is_empty() => faults.to_vec(),
        _ if upload.is_empty() => vec![Issue::new(INPUT.to_owned(), Reason::Blank)],
        _ => {
            let body = json!({"logo": {"upload_id": upload}});
            organizations::update(call.app, caller, body, &IfMatch::Absent, Issues::new())?;
            return Ok(done(call, "logo"));
        }
    };
    let outcome = Outcome { faults, ..Outcome::default() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

/// `POST /members/organization/logo/remove`
pub fn remove_logo(call: &Call, caller: &Caller) -> Result<Reply> {
    organizations::update(call.app, caller, json!({"logo": null}), &IfMatch::Absent, Issues::new())?;
    Ok(done(call, "removed"))
}

fn done(call: &Call, what: &str) -> Reply {
    session::to_page(&call.app.config, &format!("{HERE}?done={what}")).into()
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let set = organizations::show(call.app, caller)?;
    let base = call.app.config.base_path();
    let heading = texts.say("organization-title");
    let title = widgets::page_title(texts, &heading, !outcome.faults.is_empty());
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/members"), label: &texts.say("members-title") }),
            title: html! { (heading) },
            lead: html! { (texts.say("organization-lead")) },
            ..PageHead::default()
        })
        @if let Some(done) = &outcome.done {
            (message(Tone::Good, &texts.say(&format!("organization-done-{done}")), ""))
        }
        @if outcome.is_overtaken {
            (message(Tone::Warn, &texts.say("organization-overtaken"), &texts.say("organization-overtaken-text")))
        }
        (widgets::fault_summary(texts, &outcome.faults, &FIELDS))
        (about(call, texts, &csrf, &set, outcome))
        (logo(call, texts, &csrf, &set, &outcome.faults))
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
}

fn about(call: &Call, texts: &Texts, csrf: &str, set: &OrganizationSettings, outcome: &Outcome) -> Markup {
    let was = Values::of(set);
    let typed = outcome.typed.as_ref().unwrap_or(&was);
    let faults = &outcome.faults;
    let name_notes = if set.is_name_shown { "organization-name-notes" } else { "organization-name-made-up" };
    let fields = html! {
        input type="hidden" name="was_name" value=(was.name);
        input type="hidden" name="was_color" value=(was.color);
        input type="hidden" name="was_show_powered_by" value=(if was.show_powered_by { "on" } else { "" });
        (line(texts, faults, LineField {
            name: "name",
            label: &texts.say("organization-name"),
            notes: &texts.say(name_notes),
            value: &typed.name,
            autocomplete: "organization",
            required: true,
            ..LineField::default()
        }))
        (line(texts, faults, LineField {
            name: "color",
            label: &texts.say("organization-color"),
            notes: &texts.say("organization-color-notes"),
            value: &typed.color,
            autocomplete: "off",
            ..LineField::default()
        }))
        (seen(texts, set))
        (TickField {
            name: POWERED_BY,
            label: &texts.say("organization-foot"),
            fault: "",
            choices: vec![Choice::new("on", texts.say("organization-powered-by"), typed.show_powered_by)],
        })
        (Button::main(&texts.say("profile-save")))
    };
    let action = format!("{}{HERE}", call.app.config.base_path());
    Section {
        id: "about",
        title: html! { (texts.say("organization-about")) },
        content: PostForm { action: &action, csrf, content: fields, ..PostForm::default() }.render(),
        ..Section::default()
    }
    .render()
}

/// The saved colour, and how well it can be seen.
fn seen(texts: &Texts, set: &OrganizationSettings) -> Markup {
    let Some((color, (ratio, is_as_it_is))) =
        set.color.as_deref().and_then(|color| Some((color, Masthead::contrast(color)?)))
    else {
        return Markup::default();
    };
    let words = if is_as_it_is { "organization-color-seen" } else { "organization-color-adjusted" };
    row(html! { (swatch(color)) (muted(texts.fill(words, &[("ratio", format!("{ratio:.1}").into())]))) })
}

fn logo(call: &Call, texts: &Texts, csrf: &str, set: &OrganizationSettings, faults: &[Issue]) -> Markup {
    let config = &call.app.config;
    let base = config.base_path();
    let upload = html! {
        (FileField {
            name: INPUT,
            label: &texts.say("organization-logo-file"),
            notes: &texts.say("organization-logo-notes"),
            fault: &fault(texts, faults, INPUT),
            accept: "image/png,image/jpeg,image/webp,image/gif",
        })
        (Button::quiet(&texts.say("organization-logo-upload")))
    };
    let remove = Button { label: &texts.say("organization-logo-remove"), weight: Weight::Danger, ..Button::default() };
    Section {
        id: "logo",
        title: html! { (texts.say("organization-logo")) },
        content: html! {
            @if set.logo.is_some() {
                (muted(texts.say("organization-logo-shown")))
                (Masthead::of(config, set))
            }
            (PostForm {
                action: &format!("{base}{HERE}/logo"),
                csrf,
                content: upload,
                has_file: true,
                ..PostForm::default()
            })
            @if set.logo.is_some() {
                (PostForm {
                    action: &format!("{base}{HERE}/logo/remove"),
                    csrf,
                    content: remove.render(),
                    ..PostForm::default()
                })
            }
        },
        ..Section::default()
    }
    .render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, color: &str, show_powered_by: bool) -> Values {
        Values { name: name.to_owned(), color: color.to_owned(), show_powered_by }
    }

    #[test]
    fn what_was_not_touched_is_not_changed() {
        let was = values("Acme", "#0F766E", true);
        assert!(values("Acme", "#0f766e", true).change_from(&was).is_empty());
        let change = values("Acme", "", false).change_from(&was);
        assert_eq!(Json::Object(change), json!({"color": null, "show_powered_by": false}));
    }

    #[test]
    fn what_another_owner_saved_meanwhile_stays() {
        let (was, now) = (values("Acme", "", true), values("Acme Ltd", "#0F766E", true));
        assert!(values("Acme", "#000000", false).over(&was, &now) == values("Acme Ltd", "#000000", false));
    }
}
