//! Texts that the script of a form page shows, in the form's language, as hidden elements of the page.

use maud::{Markup, html};

use crate::model::settings::OnePer;
use crate::web::pages::form::form_view::FilledForm;
use crate::web::pages::form::single_response;

impl FilledForm {
    /// The messages of the script, in the form's language.
    pub fn words_of_the_script(&self) -> Markup {
        let texts = self.texts();
        html! {
            p.visually-hidden #sending role="status" data-word=(texts.say("form-sending"))
                data-slow=(texts.say("form-slow")) {}
            template #when-offline {
                p { (texts.say("form-offline")) }
            }
            @if self.uploads().is_some() {
                template #when-uploading { p { (texts.say("form-uploading")) } }
                template #when-unsent { p { (texts.say("form-unsent")) } }
            }
            template #when-online {
                p { (texts.say("form-online")) }
                button.button.small type="button" { (texts.say("form-send-now")) }
            }
            @if self.own.is_none() { (self.words_of_what_was_sent()) }
        }
    }

    /// The message in the form's place for a respondent who comes back after sending it.
    fn words_of_what_was_sent(&self) -> Markup {
        let texts = self.texts();
        html! {
            template #when-sent {
                h2 { (texts.say("form-sent")) }
                p { (texts.say("form-was-sent-text")) }
                p.row.ways {
                    a.button { (texts.say("form-receipt")) }
                    @if single_response::of(&self.published) == OnePer::None {
                        button.button.quiet type="button" { (texts.say("done-again")) }
                    }
                }
            }
        }
    }

    /// The message for restored answers.
    pub fn words_of_what_was_kept(&self) -> Markup {
        let texts = self.texts();
        html! {
            @let again = |word| self.published.parsed.files.then(|| texts.fill(word, &[("fields", "{fields}".into())]));
            template #when-restored data-choose=[again("form-choose-again")] data-sign=[again("form-sign-again")]
                data-record=[again("form-record-again")] {
                p { (texts.say("form-restored")) }
                button.button.quiet.small type="button" value="over" data-ask=(texts.say("form-start-over-sure")) {
                    (texts.say("form-start-over"))
                }
                button.button.quiet.small type="button" value="close" { (texts.say("form-close")) }
            }
        }
    }
}
