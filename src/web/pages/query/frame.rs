//! The frame of a query's pages: title, header, and the notice above the search.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::text;
use crate::base::text::texts::{Texts, texts};
use crate::ops::queries::search::ResultRow;
use crate::ops::queries::visit::OpenQuery;
use crate::web::pages::query::detail::SAVED;
use crate::web::pages::query::in_place::Beside;
use crate::web::pages::query::search_faults::Faults;
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{look, results, search_form};
use crate::web::pages::ui::layout::{Page, PageShape, Preview};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// The widths of the header image (see `fields::images`).
const WIDTHS: [u32; 3] = [320, 640, 1280];
/// All programs with previews of links cut longer descriptions.
const MAX_PREVIEW: usize = 200;

/// Pages of a query that can be used.
pub struct QueryPage<'a> {
    pub call: &'a Call<'a>,
    pub open: &'a OpenQuery,
    /// In the form's language.
    pub texts: &'static Texts,
}

/// The notice above the search.
#[derive(Default)]
pub struct Said {
    pub status: StatusCode,
    pub notice: Option<(Tone, String, String)>,
    pub faults: Faults,
}

/// The results to be drawn.
pub struct ShownResults<'s> {
    pub rows: &'s [ResultRow],
    /// How many there are; unknown where only the row that is edited is shown.
    pub total: Option<i64>,
    /// The cursor of the next page.
    pub next: Option<&'s str>,
    /// The content below one of the rows.
    pub beside: Option<&'s Beside>,
}

/// A page about to be drawn, besides its content.
#[derive(Default)]
pub struct Drawn<'d> {
    pub status: StatusCode,
    pub title: &'d str,
    /// Whether the title is the owner's words alone.
    pub is_owners_title: bool,
    /// Whether nothing was searched yet.
    pub is_fresh: bool,
    /// Modules of controls.
    pub scripts: &'d [&'static str],
}

impl<'a> QueryPage<'a> {
    pub fn new(call: &'a Call<'a>, open: &'a OpenQuery) -> Self {
        let texts = texts(&open.form.locale);
        Self { call, open, texts }
    }

    /// The language of the owner's words, where the page's own are in another.
    pub fn owners_lang(&self) -> Option<&'a str> {
        self.texts.other(&self.open.form.locale)
    }

    /// The path of the query's page.
    pub fn address(&self) -> String {
        let base = self.call.app.config.base_path();
        format!("{base}/q/{}", self.open.query.token)
    }

    /// The same with a search.
    pub fn search_address(&self, typed: &Typed) -> String {
        let parameters = typed.parameters();
        let own = self.address();
        if parameters.is_empty() { own } else { format!("{own}?{parameters}") }
    }

    /// Before anything was searched.
    pub fn fresh(&self) -> Answer {
        self.search(&Typed::nothing(), &Said::default())
    }

    /// The search with the entered values, without results.
    pub fn search(&self, typed: &Typed, said: &Said) -> Answer {
        let name = self.open.query.content.name.as_str();
        let is_wrong = !said.faults.is_empty();
        let title = if is_wrong {
            let args = [("title", name.into())];
            self.texts.fill("form-title-faults", &args)
        } else {
            name.to_owned()
        };
        let content = html! {
            (self.head(false))
            // The search that was to show the change could not run.
            @if typed.is_search() && self.call.query(SAVED).is_some() {
                div.before-form {
                    (message(Tone::Good, &self.texts.say("query-saved"), &self.texts.say("query-saved-unseen-text")))
                }
            }
            @if let Some((tone, title, text)) = &said.notice {
                div.before-form { (message(*tone, title, text)) }
            }
            (said.faults.summary(self))
            (search_form::draw(self, typed, &said.faults, false))
        };
        let drawn = Drawn {
            status: said.status,
            title: &title,
            is_owners_title: !is_wrong,
            is_fresh: !typed.is_search(),
            scripts: &[],
        };
        self.answer(&drawn, &content)
    }

    /// The page with the results of a search.
    pub fn results(&self, typed: &Typed, shown: &ShownResults) -> Answer {
        let name = self.open.query.content.name.as_str();
        let is_wrong = shown.beside.is_some_and(|beside| beside.is_wrong);
        let args = [("name", name.into()), ("title", name.into())];
        let title = if is_wrong { "form-title-faults" } else { "query-title-results" };
        let title = self.texts.fill(title, &args);
        let content = html! {
            (self.head(true))
            (search_form::draw(self, typed, &Faults::default(), true))
            (results::draw(self, typed, shown))
        };
        let drawn =
            Drawn { title: &title, scripts: shown.beside.map_or(&[], |beside| &beside.scripts), ..Drawn::default() };
        self.answer(&drawn, &content)
    }

    pub fn answer(&self, drawn: &Drawn, content: &Markup) -> Answer {
        let theme = look::theme(&self.open.query.content.rules);
        let config = &self.call.app.config;
        let mut page = Page::new(config, self.texts, PageShape::Query, drawn.title)
            .of_form(&self.open.form.locale)
            .theme(&theme)
            .masthead(Masthead::of(config, &self.open.organization))
            .frameable()
            .style("query.css")
            .script("query.js")
            .script("submit_once.js");
        if drawn.is_owners_title {
            page = page.owners_title();
        }
        if drawn.is_fresh {
            page = page.preview(Some(self.preview()));
        }
        for script in drawn.scripts {
            page = page.script(script);
        }
        let mut answer = page.answer(drawn.status, content);
        // No cookie counts here: a client that can request a page, with the rights in it, has its address already.
        answer.may_compress = true;
        answer
    }

    /// The name and the owner's description; before a search, a text of ours where there is no description.
    fn head(&self, has_results: bool) -> Markup {
        let content = &self.open.query.content;
        let about = content.description.as_deref();
        html! {
            @if let Some(image) = &content.rules.background_image {
                @let path = self.image_path(&image.id);
                @let sizes: Vec<String> = WIDTHS.iter().map(|width| format!("{path}?w={width} {width}w")).collect();
                div.query-cover {
                    img src=(path) srcset=(sizes.join(", ")) sizes="(min-width: 82rem) 80rem, 100vw" alt="" decoding="async";
                }
            }
            header.form-head {
                h1 lang=[self.owners_lang()] { bdi { (content.name) } }
                @if let Some(text) = about.filter(|text| !text.trim().is_empty()) {
                    p.description dir="auto" lang=[self.owners_lang()] { (text) }
                } @else if !has_results && self.open.asked().iter().flatten().flatten().next().is_some() {
                    p.description { (self.texts.say("query-about")) }
                }
            }
        }
    }

    fn image_path(&self, id: &str) -> String {
        format!("{}/images/{id}", self.call.app.config.base_path())
    }

    fn preview(&self) -> Preview {
        let content = &self.open.query.content;
        let origin = self.call.app.config.origin();
        let about = content.description.as_deref().unwrap_or_default();
        let about = text::shortened(about.trim(), MAX_PREVIEW);
        let image = content.rules.background_image.as_ref();
        Preview {
            title: content.name.clone(),
            description: (!about.is_empty()).then_some(about),
            image: image.map(|image| {
                let largest = WIDTHS[WIDTHS.len() - 1];
                format!("{origin}{}?w={largest}", self.image_path(&image.id))
            }),
            address: format!("{origin}{}", self.address()),
        }
    }
}
