//! `/forms/new`: the ways to begin a form. Each makes a form that is not published, and leads to its questions.

mod file;
mod pasted;
mod picked;

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::ops::forms::form_lists::FormListItem;
use crate::ops::forms::{self, beginnings};
use crate::web::files::posted_sheet::INPUT;
use crate::web::pages::console::build::picking;
use crate::web::pages::console::{self, Posted, account_messages, form_trash, texts_of};
use crate::web::pages::ui::build::beginnings::{Beginning, Beginnings};
use crate::web::pages::ui::build::paste::PasteField;
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{FileField, LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{Columns, Section};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// `GET /forms/new`; `folder` is the folder that the form goes to.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted(vec![("folder".to_owned(), call.query("folder").unwrap_or_default())]);
    Ok(view(call, caller, StatusCode::OK, &posted, &[])?.into())
}

/// `POST /forms/new`: begins a form as `from` says.
pub fn submit(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let (locale, folder) = (texts_of(&caller.user).locale(), posted.text("folder"));
    let made = match posted.text("from") {
        "empty" => beginnings::make_of(call.app, caller, locale, folder, posted.text("name").trim(), &json!([])),
        "kind" => beginnings::make_example(call.app, caller, locale, posted.text("scene"), folder),
        "copy" => copy(call, caller, &posted),
        "list" => return pasted::read(call, caller, &posted),
        "file" => return file::read(call, caller, &posted),
        "questions" => return pasted::make(call, caller, &posted),
        "pick" => return picked::choose(call, caller, &posted),
        "picked" => return picked::make(call, caller, &posted),
        _ => return Err(Error::NotFound(Noun::Page)),
    };
    match made {
        Ok(made) => Ok(to_questions(call, made.form.token.as_str())),
        Err(Error::Invalid(faults)) => {
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &posted, &faults)?.into())
        }
        Err(other) => Err(other),
    }
}

fn copy(call: &Call, caller: &Caller, posted: &Posted) -> Result<forms::form_view::FormView> {
    let token = posted.text("form");
    if token.is_empty() {
        return Err(Error::Invalid(vec![Issue::new("form", Reason::Required)]));
    }
    let name = form_trash::name_of_copy(call, caller, token)?;
    let body = json!({"name": name, "folder_token": posted.text("folder")});
    forms::copy_unpublished(call.app, caller, token, body, Issues::new())
}

fn to_questions(call: &Call, token: &str) -> Reply {
    session::to_page(&call.app.config, &format!("/forms/{token}/build")).into()
}

/// The page with the typed values, and their faults.
fn view(call: &Call, caller: &Caller, status: StatusCode, posted: &Posted, faults: &[Issue]) -> Result<Answer> {
    let (texts, csrf) = (texts_of(&caller.user), session::csrf(call));
    let ways = Drawing { call, texts, csrf: &csrf, posted, faults };
    let copies = ways.copies(caller)?;
    let content = html! {
        (head(call, texts))
        (ways.kinds())
        (Columns { main: html! { (ways.list()) (ways.file()) }, side: html! { (ways.empty()) (copies) }, is_level: false })
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &texts.say("new-form-title")).answer(status, &content))
}

fn head(call: &Call, texts: &Texts) -> Markup {
    PageHead {
        back: Some(Back {
            address: &format!("{}/forms", call.app.config.base_path()),
            label: &texts.say("forms-back"),
        }),
        title: html! { (texts.say("new-form-title")) },
        lead: html! { (texts.say("new-form-lead")) },
        ..PageHead::default()
    }
    .render()
}

struct Drawing<'a> {
    call: &'a Call<'a>,
    texts: &'static Texts,
    csrf: &'a str,
    posted: &'a Posted,
    faults: &'a [Issue],
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.texts.say(id)
    }

    /// The value typed into a card, and all of its faults in words.
    fn typed(&self, from: &str, name: &str) -> (&str, String) {
        if self.posted.text("from") != from {
            return ("", String::new());
        }
        let faults = self.faults.iter().map(|fault| account_messages::message(self.texts, fault));
        (self.posted.text(name), faults.collect::<Vec<_>>().join(" "))
    }

    /// A card: a form with its starting point.
    fn card(&self, from: &str, content: Markup) -> Markup {
        self.card_with(from, content, false)
    }

    fn card_with(&self, from: &str, content: Markup, has_file: bool) -> Markup {
        let content = html! {
            input type="hidden" name="from" value=(from);
            input type="hidden" name="folder" value=(self.posted.text("folder"));
            (content)
        };
        let action = format!("{}/forms/new", self.call.app.config.base_path());
        Section {
            id: &format!("from-{from}"),
            title: html! { (self.say(&format!("new-form-{from}"))) },
            text: &self.say(&format!("new-form-{from}-text")),
            content: PostForm { action: &action, csrf: self.csrf, content, has_file, ..PostForm::default() }.render(),
        }
        .render()
    }

    fn empty(&self) -> Markup {
        let (value, fault) = self.typed("empty", "name");
        let field = LineField {
            name: "name",
            label: &self.say("new-form-name"),
            value,
            fault: &fault,
            required: true,
            autocomplete: "off",
            ..LineField::default()
        };
        self.card("empty", html! { (line_field(&field)) (Button::quiet(&self.say("new-form-empty-button"))) })
    }

    fn kinds(&self) -> Markup {
        let examples = beginnings::examples(self.texts.locale()).iter().map(|example| Beginning {
            value: example["scene"].as_str().unwrap_or_default(),
            title: example["name"].as_str().unwrap_or_default(),
            about: example["about"].as_str().unwrap_or_default(),
        });
        let examples = Beginnings { name: "scene", label: &self.say("new-form-kind"), examples: examples.collect() };
        self.card("kind", examples.render())
    }

    fn list(&self) -> Markup {
        let (value, fault) = self.typed("list", "list");
        let field = PasteField {
            name: "list",
            label: &self.say("paste-label"),
            notes: &self.say("paste-notes"),
            fault: &fault,
            example: &self.say("paste-example"),
            value,
        };
        self.card("list", html! { (field) (Button::quiet(&self.say("paste-button"))) })
    }

    fn file(&self) -> Markup {
        let (_, fault) = self.typed("file", INPUT);
        let field = FileField {
            name: INPUT,
            label: &self.say("new-form-document"),
            notes: &self.say("new-form-document-notes"),
            fault: &fault,
            accept: ".json,.csv,.xlsx",
        };
        self.card_with("file", html! { (field) (Button::quiet(&self.say("new-form-file-button"))) }, true)
    }

    /// The forms that the caller may copy, and those of which questions may be picked; nothing without any.
    fn copies(&self, caller: &Caller) -> Result<Markup> {
        let readable = picking::readable(self.call.app, caller)?;
        let managed: Vec<&FormListItem> = readable.iter().filter(|item| item.role >= Role::Manager).collect();
        let readable: Vec<&FormListItem> = readable.iter().collect();
        Ok(html! { (self.source("copy", &managed)) (self.source("pick", &readable)) })
    }

    /// A card that begins with one of these forms.
    fn source(&self, from: &str, forms: &[&FormListItem]) -> Markup {
        if forms.is_empty() {
            return Markup::default();
        }
        let (chosen, fault) = self.typed(from, "form");
        let content = html! {
            @if !fault.is_empty() {
                (message(Tone::Bad, &fault, ""))
            }
            (picking::form_field(self.texts, forms, &format!("{from}-form"), chosen))
            (Button::quiet(&self.say(&format!("new-form-{from}-button"))))
        };
        self.card(from, content)
    }
}
