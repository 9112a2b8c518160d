//! The frame of every page: head, skip link, header and footer.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warp::http::{HeaderName, StatusCode};

use crate::base::config::Config;
use crate::base::id;
use crate::base::text::texts::Texts;
use crate::model::user::{Density, Preferences};
use crate::web::assets;
use crate::web::csp::Csp;
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::theme::Theme;
use crate::web::request::reply::Answer;

/// 22 characters of an alphabet of 62 hold more than 128 bits (S9).
const NONCE_LENGTH: usize = 22;

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 11] = ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur"];

/// The stylesheet of signed-in pages and those that lead there.
pub const CONSOLE_STYLE: &str = "console.css";

/// The id of the footer.
const FOOT: &str = "foot";

/// A page layout of the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageShape {
    /// One card: sign-in, errors, thanks.
    Plain,
    /// A signed-in page: has a header, and the console's stylesheet.
    Console,
    /// Text beside a list of its sections.
    Docs,
    /// A published form.
    Form,
    /// A public query.
    Query,
}

/// The preview of a page's link in other programs (Open Graph).
pub struct Preview {
    pub title: String,
    pub description: Option<String>,
    /// The full address of a picture.
    pub image: Option<String>,
    /// The page's full address.
    pub address: String,
}

/// A page to be rendered.
pub struct Page<'a> {
    config: &'a Config,
    texts: &'static Texts,
    title: &'a str,
    /// The language of the title, if it is not the page's.
    title_lang: Option<&'a str>,
    shape: PageShape,
    /// Decides the text direction.
    locale: &'a str,
    theme: Option<&'a Theme>,
    /// A stylesheet beside the common one.
    style: Option<&'static str>,
    /// Modules, in the order in which they run.
    scripts: Vec<&'static str>,
    header: Option<Markup>,
    masthead: Option<Masthead>,
    is_embedded: bool,
    /// Shows another page of ours in a frame.
    is_framing: bool,
    /// Stands in such a frame.
    is_framed: bool,
    /// May stand in such a frame, and stays the page that it is.
    is_frameable: bool,
    is_hidden_from_search: bool,
    leads_to: Option<&'a str>,
    leads_to_app: bool,
    /// How its reader likes it to be.
    preferences: Preferences,
    /// Seconds after which it loads itself again where no script runs.
    refresh: Option<u32>,
    preview: Option<Preview>,
    /// The id of the element with whose arrival a signed-in page is painted first.
    painted_with: &'static str,
}

impl<'a> Page<'a> {
    /// A page in the language of `texts`.
    pub fn new(config: &'a Config, texts: &'static Texts, shape: PageShape, title: &'a str) -> Self {
        Self {
            config,
            texts,
            title,
            title_lang: None,
            shape,
            locale: texts.locale(),
            theme: None,
            style: None,
            scripts: Vec::new(),
            header: None,
            masthead: None,
            is_embedded: false,
            is_framing: false,
            is_framed: false,
            is_frameable: false,
            is_hidden_from_search: false,
            leads_to: None,
            leads_to_app: false,
            preferences: Preferences::default(),
            refresh: None,
            preview: None,
            painted_with: FOOT,
        }
    }

    /// Uses the text direction of the form's locale. The page's own texts may be in another language; the owner's texts
    /// are marked with theirs.
    pub fn of_form(mut self, locale: &'a str) -> Self {
        self.locale = locale;
        self
    }

    /// Marks the title as written by the form's owner.
    pub fn owners_title(mut self) -> Self {
        self.title_lang = self.texts.other(self.locale);
        self
    }

    pub fn theme(mut self, theme: &'a Theme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// Adds a stylesheet of `assets/css`, for parts that few pages have.
    pub fn style(mut self, name: &'static str) -> Self {
        self.style = Some(name);
        self
    }

    /// Adds a module of `assets/js`, once.
    pub fn script(mut self, name: &'static str) -> Self {
        if !self.scripts.contains(&name) {
            self.scripts.push(name);
        }
        self
    }

    /// A header above the content: the navigation of signed-in pages.
    pub fn header(mut self, header: Markup) -> Self {
        self.header = Some(header);
        self
    }

    /// Says whose page it is, except in another site's frame, and whether its foot names formsvc.
    pub fn masthead(mut self, masthead: Masthead) -> Self {
        self.masthead = Some(masthead);
        self
    }

    /// In another site's frame: without a footer, and with a policy that allows framing.
    pub fn embedded(mut self, is_embedded: bool) -> Self {
        self.is_embedded = is_embedded;
        self
    }

    /// Has a frame for other pages of ours.
    pub fn framing(mut self) -> Self {
        self.is_framing = true;
        self
    }

    /// May be shown in a frame of another page of ours, as it is.
    pub fn frameable(mut self) -> Self {
        self.is_frameable = true;
        self
    }

    /// In a frame of another page of ours: without a footer, and its links open in the whole window.
    pub fn framed(mut self) -> Self {
        self.is_framed = true;
        self
    }

    /// Excludes search engines (S58).
    pub fn hidden_from_search(mut self) -> Self {
        self.is_hidden_from_search = true;
        self
    }

    /// Redirects to another address at once.
    pub fn leads_to(mut self, address: Option<&'a str>) -> Self {
        self.leads_to = address;
        self
    }

    /// Its forms may redirect to a third-party application: uses the consent policy.
    pub fn leads_to_app(mut self) -> Self {
        self.leads_to_app = true;
        self
    }

    /// As its reader likes it.
    pub fn liked(mut self, preferences: Preferences) -> Self {
        self.preferences = preferences;
        self
    }

    /// Loads itself again after so many seconds where no script runs.
    pub fn refreshing(mut self, secs: u32) -> Self {
        self.refresh = Some(secs);
        self
    }

    pub fn preview(mut self, preview: Option<Preview>) -> Self {
        self.preview = preview;
        self
    }

    pub fn answer(self, status: StatusCode, content: &Markup) -> Answer {
        let band = self.band();
        let css = [self.theme.and_then(|theme| theme.css.as_deref()), band.as_deref()];
        let css = css.iter().any(Option::is_some).then(|| css.into_iter().flatten().collect::<String>());
        let nonce = css.as_ref().map(|_| id::random(NONCE_LENGTH));
        let markup = self.draw(css.as_deref().zip(nonce.as_deref()), content);
        let csp = if self.is_embedded {
            Csp::Embedded { nonce }
        } else if self.is_framing {
            Csp::Framing { nonce }
        } else if self.is_framed || self.is_frameable {
            Csp::Framed { nonce }
        } else if self.leads_to_app {
            Csp::Consent
        } else {
            Csp::Page { nonce }
        };
        let answer = Answer::html(status, csp, markup);
        if self.is_hidden_from_search {
            answer.header(HeaderName::from_static("x-robots-tag"), "noindex")
        } else {
            answer
        }
    }

    /// The same in two parts: an answer that ends with the content so far, whose last element has the id `last`, and the
    /// markup after the rest of the content.
    pub fn answer_in_parts(self, status: StatusCode, content: &Markup, last: &'static str) -> (Answer, Markup) {
        let mark = format!("<!--{}-->", id::random(NONCE_LENGTH));
        let mut answer = Self { painted_with: last, ..self }.answer(status, &html! { (content) (PreEscaped(&mark)) });
        let place = memchr::memmem::find(&answer.body, mark.as_bytes()).unwrap_or(answer.body.len());
        let after = answer.body.split_off(place);
        let after = String::from_utf8_lossy(after.get(mark.len()..).unwrap_or_default()).into_owned();
        (answer, PreEscaped(after))
    }

    /// The style of the band at the top: in the form's colour, else in the organization's.
    fn band(&self) -> Option<String> {
        let masthead = self.masthead.as_ref().filter(|_| !self.is_embedded)?;
        if self.theme.is_some_and(|theme| theme.is_coloured) {
            return Some(":root{--band:var(--accent)}".to_owned());
        }
        masthead.css()
    }

    fn draw(&self, style: Option<(&str, &str)>, content: &Markup) -> Markup {
        let file = |name: &str| assets::address(self.config, name);
        let font = self.theme.and_then(|theme| theme.font);
        let is_dark = self.theme.is_some_and(|theme| theme.is_dark);
        let has_paper = self.theme.is_some_and(|theme| theme.has_paper);
        let is_powered_by_shown = self.masthead.as_ref().is_none_or(|masthead| masthead.is_powered_by_shown);
        let has_foot = !self.is_embedded && !self.is_framed && is_powered_by_shown;
        html! {
            (DOCTYPE)
            html lang=(self.texts.locale()) dir=(direction(self.locale)) data-font=[font]
                data-scheme=[is_dark.then_some("dark")] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(if is_dark { "dark" } else { "light dark" });
                    @if self.is_framed { base target="_top"; }
                    title lang=[self.title_lang] { (self.title) }
                    @if let Some(preview) = &self.preview { (previewed(preview)) }
                    @if let Some(address) = self.leads_to {
                        meta http-equiv="refresh" content=(format!("0; url={address}"));
                    }
                    @if let Some(secs) = self.refresh { noscript { meta http-equiv="refresh" content=(secs); } }
                    link rel="icon" type="image/svg+xml" href=(file("icon.svg"));
                    link rel="stylesheet" href=(file("app.css"));
                    @let is_console = self.shape == PageShape::Console;
                    // What comes later on a slow network would move what is painted already.
                    @if is_console && has_foot { link rel="expect" href={ "#" (self.painted_with) } blocking="render"; }
                    @if let Some(name) = self.style.or(is_console.then_some(CONSOLE_STYLE)) { link rel="stylesheet" href=(file(name)); }
                    @if let Some((css, nonce)) = style {
                        style nonce=(nonce) { (PreEscaped(css)) }
                    }
                    @for name in assets::bundles_of(self.scripts.iter().copied()) {
                        script type="module" src=(file(name)) {}
                    }
                }
                body class=(self.classes(has_paper)) data-modules=[self.modules()]
                    data-no-letters[!self.preferences.letter_keys] {
                    a.skip href="#main" { (self.texts.say("page-skip")) }
                    @if let Some(header) = &self.header { (header) }
                    main #main tabindex="-1" {
                        @if let Some(masthead) = self.masthead.as_ref().filter(|_| !self.is_embedded) { (masthead) }
                        @if self.shape == PageShape::Console { div.wide.stack { (content) } } @else { (content) }
                    }
                    @if has_foot {
                        footer.site-foot id=(FOOT) { p { bdi { (self.texts.say("page-footer")) } } }
                    }
                }
            }
        }
    }

    /// The modules to run, in order; several share a file.
    fn modules(&self) -> Option<String> {
        let names = &self.scripts;
        (!names.is_empty()).then(|| names.join(" "))
    }

    fn classes(&self, has_paper: bool) -> String {
        let mut classes = match self.shape {
            PageShape::Plain => "plain",
            PageShape::Console => "console",
            PageShape::Docs => "docs-page",
            PageShape::Form => "form-page",
            PageShape::Query => "query-page",
        }
        .to_owned();
        // The pages in place of a form and after it look like the form itself.
        let is_of_form = self.shape == PageShape::Plain && self.theme.is_some();
        if is_of_form {
            classes.push_str(" of-form");
        }
        if has_paper && (is_of_form || self.shape == PageShape::Form) && !self.is_embedded {
            classes.push_str(" papered");
            if self.theme.is_some_and(|theme| theme.has_picture) {
                classes.push_str(" pictured");
            }
        }
        if self.band().is_some() {
            classes.push_str(" banded");
        }
        if self.preferences.density == Density::Compact {
            classes.push_str(" compact");
        }
        if self.is_embedded {
            classes.push_str(" embedded");
        }
        if self.is_framed {
            classes.push_str(" framed");
        }
        classes
    }
}

fn previewed(preview: &Preview) -> Markup {
    html! {
        meta property="og:type" content="website";
        meta property="og:title" content=(preview.title);
        meta property="og:url" content=(preview.address);
        @if let Some(text) = &preview.description {
            meta property="og:description" content=(text);
            meta name="description" content=(text);
        }
        @if let Some(image) = &preview.image {
            meta property="og:image" content=(image);
            meta name="twitter:card" content="summary_large_image";
        }
    }
}

/// The text direction of a language: `rtl` or `ltr`.
pub fn direction(lang: &str) -> &'static str {
    let language = lang.split(['-', '_']).next().unwrap_or_default();
    if RIGHT_TO_LEFT.contains(&language.to_ascii_lowercase().as_str()) { "rtl" } else { "ltr" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_directions() {
        assert_eq!(direction("ar"), "rtl");
        assert_eq!(direction("he-IL"), "rtl");
        assert_eq!(direction("zh-CN"), "ltr");
        assert_eq!(direction(""), "ltr");
    }
}
