//! Saved views of the list: tabs beside the list of all, and the forms that save, rename and delete them. The address
//! stays the truth; `view` in it names the one it began as.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::text::isolated;
use crate::model::caller::Caller;
use crate::model::entry::saved_view::MOST_VIEWS;
use crate::model::role::Role;
use crate::ops::entries::views::{self, NAME, SeenView, ViewChange};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, account_messages, widgets};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Summary, SummaryLine, Tone, message};
use crate::web::pages::ui::section::{Disclosure, Section};
use crate::web::pages::ui::settings::control::{Control, Input};
use crate::web::pages::ui::views::tabs::{ViewTab, ViewTabs};
use crate::web::pages::ui::words::{name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const QUERY: &str = "query";
const SHARED: &str = "is_shared";

/// The views of the list on a page, with the one that its address names.
pub struct ViewBar<'a> {
    pub frame: &'a FormFrame<'a>,
    pub address: &'a ListAddress,
    /// The page that the tabs lead to.
    pub path: &'a str,
    /// Parameters of that page beside those of lists.
    pub more: &'a [(&'static str, &'a str)],
    /// Whether views are saved and changed there.
    pub has_acts: bool,
}

impl ViewBar<'_> {
    /// Nothing where there is no view, and nothing to save as one.
    ///
    /// # Errors
    /// 404.
    pub fn draw(&self) -> Result<Markup> {
        let (frame, address) = (self.frame, self.address);
        let texts = frame.texts;
        let seen = views::list(frame.call.app, frame.caller, frame.view.form.token.as_str())?;
        let query = address.query();
        let may_save = self.has_acts && !query.is_empty();
        if seen.is_empty() && !may_save {
            return Ok(Markup::default());
        }
        let chosen = address.view().and_then(|token| seen.iter().find(|one| one.view.token == token));
        let page = frame.address(self.path);
        let all = ViewTab {
            address: ListAddress::of_query("").leads(&page, self.more, &[]),
            label: html! { (texts.say("views-all")) },
            note: "",
            is_here: chosen.is_none(),
        };
        let shared = texts.say("views-shared");
        let saved = seen.iter().map(|one| ViewTab {
            address: list_of(one).leads(&page, self.more, &[]),
            label: name(&one.view.content.name),
            note: if one.view.content.is_shared { &shared } else { "" },
            is_here: chosen.is_some_and(|chosen| chosen.view.id == one.view.id),
        });
        let acts = match chosen {
            _ if !self.has_acts => Markup::default(),
            None if may_save => self.save("views-save", &query),
            None => Markup::default(),
            Some(chosen) => self.acts(chosen, &query),
        };
        Ok(html! {
            (ViewTabs { label: &texts.say("views"), tabs: std::iter::once(all).chain(saved).collect(), end: acts })
            @if chosen.is_some_and(|chosen| chosen.has_lost) {
                (message(Tone::Warn, &texts.say("view-lost"), &texts.say("view-lost-text")))
            }
        })
    }

    /// The actions on the chosen view.
    fn acts(&self, chosen: &SeenView, query: &str) -> Markup {
        let (frame, texts) = (self.frame, self.frame.texts);
        let is_changed = chosen.has_lost || list_of(chosen).query() != query;
        if !is_changed {
            return if chosen.may_change { self.edit(chosen) } else { Markup::default() };
        }
        let action = frame.address(&format!("views/{}", chosen.view.token));
        let label = texts.say("views-save-changes");
        let button = Button { label: &label, is_small: true, ..Button::default() };
        let content = html! { (hidden(QUERY, query)) (button) };
        let save = PostForm { action: &action, csrf: &frame.csrf, content, ..PostForm::default() };
        html! {
            @if chosen.may_change { (save) }
            @if !query.is_empty() { (self.save("views-save-as", query)) }
        }
    }

    /// The form of a new view, behind its words.
    fn save(&self, summary: &str, query: &str) -> Markup {
        let content = new_form(self.frame, query, &Typed { name: "", is_shared: false, fault: "" });
        Disclosure { summary: &self.frame.say(summary), is_open: false, content }.render()
    }

    /// The form that renames and shares a view, and the way to its end.
    fn edit(&self, chosen: &SeenView) -> Markup {
        let (frame, texts) = (self.frame, self.frame.texts);
        let content = &chosen.view.content;
        let own = format!("views/{}", chosen.view.token);
        let delete = Button {
            label: &texts.say("view-delete"),
            press: Press::Go(&frame.address(&format!("{own}/delete"))),
            weight: Weight::Danger,
            ..Button::default()
        };
        let typed = Typed { name: &content.name, is_shared: content.is_shared, fault: "" };
        let content = named_form(frame, &own, &typed, Markup::default(), delete.render());
        Disclosure { summary: &texts.say("view-edit"), is_open: false, content }.render()
    }
}

/// The list that a view shows.
fn list_of(view: &SeenView) -> ListAddress {
    ListAddress::of_query(&view.query).with_view(&view.view.token)
}

/// The values in the form of a view.
struct Typed<'a> {
    name: &'a str,
    is_shared: bool,
    /// The fault of the name; nothing if empty.
    fault: &'a str,
}

fn new_form(frame: &FormFrame, query: &str, typed: &Typed) -> Markup {
    named_form(frame, "views", typed, hidden(QUERY, query), Markup::default())
}

/// A form with the name of a view, and for managers whether it is shared; `beside` is shown beside its button.
fn named_form(frame: &FormFrame, path: &str, typed: &Typed, more: Markup, beside: Markup) -> Markup {
    let texts = frame.texts;
    let shares = Control {
        name: SHARED,
        label: &texts.say("view-share"),
        notes: &texts.say("view-share-notes"),
        fault: "",
        news: "",
        input: Input::Tick { is_on: typed.is_shared },
    };
    let content = html! {
        (more)
        (line_field(&LineField {
            name: NAME,
            label: &texts.say("view-name"),
            value: typed.name,
            fault: typed.fault,
            autocomplete: "off",
            required: true,
            ..LineField::default()
        }))
        @if frame.view.role >= Role::Manager { (shares) }
        (row(html! { (Button::quiet(&texts.say("view-save"))) (beside) }))
    };
    PostForm { action: &frame.address(path), csrf: &frame.csrf, content, ..PostForm::default() }.render()
}

/// `POST /forms/{form_token}/views`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let form = call.param("form_token");
    let list = ListAddress::of_query(posted.text(QUERY));
    let body = serde_json::json!({
        NAME: posted.text(NAME).trim(),
        QUERY: list.query(),
        SHARED: !posted.text(SHARED).is_empty(),
    });
    match views::create(call.app, caller, form, body) {
        Ok(token) => Ok(to_list(call, &list.with_view(&token))),
        Err(Error::Invalid(faults)) => {
            let frame = FormFrame::load(call, caller)?;
            let fault = fault_of_name(&frame, &faults);
            let is_shared = !posted.text(SHARED).is_empty();
            let typed = Typed { name: posted.text(NAME), is_shared, fault: &fault };
            let form = new_form(&frame, &list.query(), &typed);
            Ok(refused(&frame, &list, &faults, &form).into())
        }
        Err(other) => Err(other),
    }
}

/// `POST /forms/{form_token}/views/{view_id}`: saves the view's query, or its name and whether it is shared.
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let (form, token) = (call.param("form_token"), call.param("view_id"));
    let frame = FormFrame::load(call, caller)?;
    let is_shared = !posted.text(SHARED).is_empty();
    // The form of the name has none of the query.
    let is_named = posted.all(NAME).next().is_some();
    let change = if is_named {
        ViewChange {
            name: Some(posted.text(NAME).trim().to_owned()),
            // Others have no such control.
            is_shared: (is_shared || frame.view.role >= Role::Manager).then_some(is_shared),
            ..ViewChange::default()
        }
    } else {
        ViewChange { query: Some(ListAddress::of_query(posted.text(QUERY)).query()), ..ViewChange::default() }
    };
    match views::update(call.app, caller, form, token, change) {
        Ok(()) => {
            let seen = views::list(call.app, caller, form)?;
            let view = seen.iter().find(|one| one.view.token == token);
            Ok(to_list(call, &view.map_or_else(|| ListAddress::of_query(""), list_of)))
        }
        Err(Error::Invalid(faults)) => {
            let fault = fault_of_name(&frame, &faults);
            let path = format!("views/{token}");
            let typed = Typed { name: posted.text(NAME), is_shared, fault: &fault };
            let form = named_form(&frame, &path, &typed, Markup::default(), Markup::default());
            let list = ListAddress::of_query("").with_view(token);
            Ok(refused(&frame, &list, &faults, &form).into())
        }
        Err(other) => Err(other),
    }
}

fn to_list(call: &Call, list: &ListAddress) -> Reply {
    let path = format!("/forms/{}/entries", call.param("form_token"));
    session::to_page(&call.app.config, &list.leads(&path, &[], &[])).into()
}

fn fault_of_name(frame: &FormFrame, faults: &[Issue]) -> String {
    console::fault(frame.texts, faults, NAME)
}

/// The form by itself, with the typed values and the reason why they were not saved.
fn refused(frame: &FormFrame, list: &ListAddress, faults: &[Issue], form: &Markup) -> Answer {
    let texts = frame.texts;
    let lines = faults.iter().map(|issue| match issue.attribute.as_str() {
        NAME => SummaryLine { field: NAME, text: account_messages::message(texts, issue) },
        QUERY => SummaryLine { field: "", text: texts.say("view-fault-long") },
        _ => SummaryLine { field: "", text: texts.fill("view-fault-most", &[("count", MOST_VIEWS.into())]) },
    });
    let title = texts.say("views-save");
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back {
                address: &list.leads(&frame.address("entries"), &[], &[]),
                label: &texts.say("forms-entries"),
            }),
            title: html! { (title) },
            ..PageHead::default()
        })
        (Summary { title: &texts.say("account-faults"), lines: lines.collect() })
        (Section { content: form.clone(), ..Section::default() })
    };
    let page_title = widgets::page_title(texts, &frame.title(&title), true);
    let page = console::page(frame.call, &frame.caller.user, &frame.csrf, texts, &page_title);
    page.answer(StatusCode::UNPROCESSABLE_ENTITY, &content)
}

/// `GET /forms/{form_token}/views/{view_id}/delete`
pub fn confirm_delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, token) = (call.param("form_token"), call.param("view_id"));
    let seen = views::list(call.app, caller, form)?;
    let view = seen.iter().find(|one| one.view.token == token).ok_or(Error::NotFound(Noun::View))?;
    if !view.may_change {
        return Err(Error::Forbidden);
    }
    let texts = console::texts_of(&caller.user);
    let text = if view.view.content.is_shared { "view-delete-text-shared" } else { "view-delete-text" };
    let confirmation = Confirmation {
        title: texts.fill("view-delete-title", &[("name", isolated(&view.view.content.name).into())]),
        text: texts.say(text),
        button: texts.say("view-delete"),
        back: &list_of(view).leads(&format!("/forms/{form}/entries"), &[], &[]),
    };
    Ok(FormFrame::load(call, caller)?.ask(&confirmation).into())
}

/// `POST /forms/{form_token}/views/{view_id}/delete`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, token) = (call.param("form_token"), call.param("view_id"));
    views::delete(call.app, caller, form, token)?;
    Ok(to_list(call, &ListAddress::of_query("")))
}
