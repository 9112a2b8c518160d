//! The frame of every page: head, skip link, header and footer; and the widgets that pages share.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warp::http::{HeaderName, StatusCode};

use crate::base::config::Config;
use crate::base::id;
use crate::base::text::texts::Texts;
use crate::web::assets;
use crate::web::csp::Csp;
use crate::web::pages::ui::theme::Theme;
use crate::web::request::reply::Answer;

/// 22 characters of an alphabet of 62 hold more than 128 bits (S9).
const NONCE_LENGTH: usize = 22;

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 11] = ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur"];

/// A page layout of the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageShape {
    /// One card: sign-in, errors, thanks.
    Plain,
    /// A signed-in page: has a header, and its content in `.wide`.
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
    is_embedded: bool,
    is_hidden_from_search: bool,
    leads_to: Option<&'a str>,
    leads_to_app: bool,
    preview: Option<Preview>,
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
            is_embedded: false,
            is_hidden_from_search: false,
            leads_to: None,
            leads_to_app: false,
            preview: None,
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

    /// Adds a stylesheet of `assets/css`, for what few pages have.
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

    /// In another site's frame: without a footer, and with a policy that allows framing.
    pub fn embedded(mut self, is_embedded: bool) -> Self {
        self.is_embedded = is_embedded;
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

    pub fn preview(mut self, preview: Option<Preview>) -> Self {
        self.preview = preview;
        self
    }

    pub fn answer(self, status: StatusCode, content: &Markup) -> Answer {
        let css = self.theme.and_then(|theme| theme.css.as_deref());
        let nonce = css.map(|_| id::random(NONCE_LENGTH));
        let markup = self.draw(css.zip(nonce.as_deref()), content);
        let csp = if self.is_embedded {
            Csp::Embedded { nonce }
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

    fn draw(&self, style: Option<(&str, &str)>, content: &Markup) -> Markup {
        let file = |name: &str| assets::address(self.config, name);
        let font = self.theme.and_then(|theme| theme.font);
        let is_dark = self.theme.is_some_and(|theme| theme.is_dark);
        let has_paper = self.theme.is_some_and(|theme| theme.has_paper);
        html! {
            (DOCTYPE)
            html lang=(self.texts.locale()) dir=(direction(self.locale)) data-font=[font]
                data-scheme=[is_dark.then_some("dark")] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(if is_dark { "dark" } else { "light dark" });
                    title lang=[self.title_lang] { (self.title) }
                    @if let Some(preview) = &self.preview { (previewed(preview)) }
                    @if let Some(address) = self.leads_to {
                        meta http-equiv="refresh" content=(format!("0; url={address}"));
                    }
                    link rel="icon" type="image/svg+xml" href=(file("icon.svg"));
                    link rel="stylesheet" href=(file("app.css"));
                    @if let Some(name) = self.style { link rel="stylesheet" href=(file(name)); }
                    @if let Some((css, nonce)) = style {
                        style nonce=(nonce) { (PreEscaped(css)) }
                    }
                    @for name in assets::bundles_of(self.scripts.iter().copied()) {
                        script type="module" src=(file(name)) {}
                    }
                }
                body class=(self.classes(has_paper)) data-modules=[self.modules()] {
                    a.skip href="#main" { (self.texts.say("page-skip")) }
                    @if let Some(header) = &self.header { (header) }
                    main #main tabindex="-1" { (content) }
                    @if !self.is_embedded {
                        footer.site-foot { p { bdi { (self.texts.say("page-footer")) } } }
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
        if has_paper && self.shape == PageShape::Form && !self.is_embedded {
            classes.push_str(" papered");
            if self.theme.is_some_and(|theme| theme.has_picture) {
                classes.push_str(" pictured");
            }
        }
        if self.is_embedded {
            classes.push_str(" embedded");
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Note,
    /// Success.
    Good,
    Warn,
    /// Failure.
    Bad,
}

/// A message box; screen readers announce it when the page loads.
pub fn message(tone: Tone, title: &str, text: &str) -> Markup {
    let class = match tone {
        Tone::Note => "message",
        Tone::Good => "message good",
        Tone::Warn => "message warn",
        Tone::Bad => "message bad",
    };
    html! {
        div class=(class) role=(if tone == Tone::Bad { "alert" } else { "status" }) {
            h2 { (title) }
            @if !text.is_empty() { p { (text) } }
        }
    }
}

/// The hidden CSRF field of every form on signed-in pages (S20).
pub fn csrf_field(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// A one-line input with label, help and fault.
#[derive(Clone, Copy, Default)]
pub struct LineField<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// The `type`; `text` if empty.
    pub kind: &'a str,
    pub value: &'a str,
    /// Help below the label.
    pub notes: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub autocomplete: &'a str,
    pub required: bool,
    /// The id of a datalist; none if empty.
    pub list: &'a str,
    /// Focus it when the page loads, even without a fault.
    pub focus: bool,
    /// Adds a button that shows the password, with these texts.
    pub reveal: Option<&'a Texts>,
}

/// Renders the input. The first input with a fault gets the focus when the page loads.
pub fn line_field(field: &LineField) -> Markup {
    let filled = |text: &'static str, of: &str| (!of.is_empty()).then_some(text);
    let name = field.name;
    let described: Vec<String> = [filled("notes", field.notes), filled("fault", field.fault)]
        .into_iter()
        .flatten()
        .map(|part| format!("{name}-{part}"))
        .collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    html! {
        div class=(if field.fault.is_empty() { "field" } else { "field wrong" }) {
            label for=(name) { (field.label) }
            @if !field.notes.is_empty() { p.notes id={ (name) "-notes" } { (field.notes) } }
            @if !field.fault.is_empty() { p.fault id={ (name) "-fault" } { (field.fault) } }
            @let input = html! {
                input.input id=(name) name=(name) value=(field.value)
                    type=(if field.kind.is_empty() { "text" } else { field.kind })
                    required[field.required] autofocus[field.focus || !field.fault.is_empty()]
                    aria-describedby=[described]
                    aria-invalid=[filled("true", field.fault)]
                    list=[(!field.list.is_empty()).then_some(field.list)]
                    autocomplete=[(!field.autocomplete.is_empty()).then_some(field.autocomplete)];
            };
            @match field.reveal {
                Some(texts) => div.revealing { (input) (reveal_button(texts, name)) },
                None => (input),
            }
        }
    }
}

/// A button that shows and hides a typed password; only with scripts.
fn reveal_button(texts: &Texts, name: &str) -> Markup {
    let say = |id: &str| texts.say(id);
    html! {
        button.button.quiet.small.scripted type="button" data-reveal=(name) aria-controls=(name)
            data-hide=(say("password-hide")) data-shown=(say("password-shown"))
            data-hidden=(say("password-hidden")) {
            span { (say("password-show")) }
            span.visually-hidden { " " (say("password-what")) }
        }
    }
}

/// A round icon above the title of a plain page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Check,
    /// Closed or locked.
    Lock,
    /// Not open yet.
    Clock,
    /// Not found or failed.
    Question,
}

/// Renders an icon; decorative only.
pub fn sign(sign: Sign) -> Markup {
    let class = if sign == Sign::Check { "sign good" } else { "sign" };
    html! {
        svg class=(class) viewBox="0 0 24 24" aria-hidden="true" {
            @match sign {
                Sign::Check => { path d="m5 12.5 4.5 4.5L19 7.5" {} }
                Sign::Lock => {
                    path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" {}
                }
                Sign::Clock => {
                    circle cx="12" cy="12" r="9" {}
                    path d="M12 7v5l3.5 2" {}
                }
                Sign::Question => {
                    circle cx="12" cy="12" r="9" {}
                    path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.6v.1" {}
                }
            }
        }
    }
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
