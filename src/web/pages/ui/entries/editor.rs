//! The form in which an entry is changed or added: the controls of its questions, saved by one button. The scripts of a
//! form's page make it better.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::form::csrf_field;

pub struct EditorForm<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// Names and values of further inputs.
    pub inputs: Vec<(&'a str, String)>,
    /// True if files come with it.
    pub has_files: bool,
    /// Where files go ahead of it, if they may.
    pub uploads: Option<String>,
    /// The rules for the script; none if there are none.
    pub rules: Option<&'a Json>,
    /// The questions that rules hide now, with blanks between.
    pub hidden: String,
    /// True if something in it is not saved yet.
    pub is_changed: bool,
    /// The version of the form.
    pub version: i64,
    /// The title of the browser's tab, and while something is wrong.
    pub titles: (&'a str, &'a str),
    /// The summary of faults above the questions.
    pub summary: Markup,
    pub questions: Markup,
    pub save: &'a str,
    /// The address of the page without it.
    pub cancel: &'a str,
    pub texts: &'a Texts,
}

impl Render for EditorForm<'_> {
    fn render(&self) -> Markup {
        let say = |id: &str| self.texts.say(id);
        let (title, wrong) = self.titles;
        html! {
            div #before-fields data-title=(title) data-wrong=(wrong) { (self.summary) }
            form.card.editor #form method="post" action=(self.action) novalidate
                enctype=[self.has_files.then_some("multipart/form-data")] data-uploads=[self.uploads.as_ref()]
                data-page="0" data-rules=[self.rules] data-version=(self.version) data-changed[self.is_changed] {
                // First: files are taken by it as they come.
                (csrf_field(self.csrf))
                // Marks the post as this form's, which has every control.
                input type="hidden" name="_page" value="0";
                @for (name, value) in &self.inputs { input type="hidden" name=(name) value=(value); }
                @if self.rules.is_some() { input type="hidden" name="_hidden" value=(self.hidden); }
                div.trap aria-hidden="true" {
                    // Enter presses the first button of a form: this one, whatever buttons a control has.
                    button.enter name="_action" value="submit" tabindex="-1" {}
                }
                section.page data-page="0" { (self.questions) }
                div.actions {
                    button.button #forward name="_action" value="submit" data-texts=(self.save)
                        aria-keyshortcuts="Control+Enter Meta+Enter" { (self.save) }
                    (Button { label: &say("question-no"), press: Press::Go(self.cancel), ..Button::default() })
                }
            }
            p.visually-hidden #sending role="status" data-word=(say("editing-saving")) data-slow=(say("form-slow")) {}
            template #when-offline { p { (say("editing-offline")) } }
            template #when-online {
                p { (say("editing-online")) }
                button.button.small type="button" { (self.save) }
            }
            @if self.has_files {
                template #when-uploading { p { (say("form-uploading")) } }
                template #when-unsent { p { (say("form-unsent")) } }
            }
        }
    }
}

/// One line of the summary of faults.
pub struct WrongLine<'a> {
    /// The code of the question.
    pub code: &'a str,
    /// The path inside the answer, and the id of its control after the question's code.
    pub at: &'a str,
    pub control: &'a str,
    pub label: &'a str,
    /// The language of the label, if it is not the page's.
    pub lang: Option<&'a str>,
    pub text: &'a str,
    pub text_lang: Option<&'a str>,
}

/// The faults of the answers, by questions. It takes the focus.
pub struct WrongAnswers<'a> {
    /// With one question left, with two, and so on.
    pub titles: Vec<String>,
    pub questions: Vec<Vec<WrongLine<'a>>>,
}

impl Render for WrongAnswers<'_> {
    fn render(&self) -> Markup {
        html! {
            @if let Some(title) = self.titles.last() {
                div.message.summary.before-form #summary tabindex="-1" autofocus role="alert"
                    data-titles=(self.titles.join("\n")) {
                    h2 { (title) }
                    ul {
                        @for lines in &self.questions {
                            li {
                                @for line in lines {
                                    div {
                                        a href={ "#" (line.code) (line.control) } data-to=(line.code)
                                            data-at=(line.at) {
                                            bdi lang=[line.lang] { (line.label) } " – "
                                            span.told lang=[line.text_lang] { (line.text) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
