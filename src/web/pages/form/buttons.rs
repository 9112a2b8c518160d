//! The buttons of a form page, and the texts below them.

use maud::{Markup, html};

use crate::base::text::isolated;
use crate::web::pages::form::draw::lines;
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::pagination::{FormPage, Layout};
use crate::web::pages::ui::theme::Theme;

impl FilledForm {
    /// The buttons that lead from page to page.
    pub fn actions(&self, theme: &Theme, parts: &[FormPage], page: usize, said: &Notice) -> Markup {
        let texts = self.texts();
        let ours = |key: &str| Worded { text: texts.say(key), lang: texts.locale() };
        let owned = |text: &str| Worded { text: text.replace('\n', " "), lang: &self.published.form.locale };
        let fills = self.preview.as_ref().and_then(|preview| preview.fills.as_ref());
        let submit = match (&self.own, fills, &theme.submit) {
            (Some(_), ..) => ours("own-save"),
            (None, Some(fills), _) => ours(fills.button()),
            (None, None, Some(owners)) => owned(owners),
            (None, None, None) => ours("form-submit"),
        };
        let last = parts.len() - 1;
        let is_last = self.is_last(parts, page);
        let is_first = parts.iter().take(page).all(|part| self.is_empty(part));
        let next = |at: usize| {
            let own = parts[at].after.and_then(|after| after.next_text);
            own.map_or_else(|| ours("form-next"), owned)
        };
        let back = |at: usize| {
            let own = parts[at].before.and_then(|before| before.previous_text);
            own.map_or_else(|| ours("form-back"), owned)
        };
        // One bar for all pages: the words of the others wait for the script.
        let forward: Vec<Worded> =
            (0..parts.len()).map(|at| if at < last { next(at) } else { submit.clone() }).collect();
        let backward: Vec<Worded> = (0..parts.len()).map(back).collect();
        let to_wait = ours("wait-button");
        let forward_now = match is_last {
            true if self.waits => &to_wait,
            true => &forward[last],
            false => &forward[page],
        };
        let backward_now = &backward[page];
        html! {
            div.actions {
                button.button #forward name="_action" value=(self.forward_action(is_last))
                    autofocus[said.is_again] aria-describedby=[said.is_again.then_some("again")]
                    lang=[self.said_in(forward_now)] data-langs=[self.langs(&forward)]
                    data-texts=(lines(forward.iter().map(|word| word.text.clone())))
                    data-wait=[self.has_waiting_list().then_some(&to_wait.text)] {
                    (forward_now.text)
                }
                @if parts.len() > 1 {
                    button.button.quiet #backward name="_action" value="back" hidden[is_first]
                        lang=[self.said_in(backward_now)] data-langs=[self.langs(&backward)]
                        data-texts=(lines(backward.iter().map(|word| word.text.clone()))) {
                        (backward_now.text)
                    }
                }
                @if self.layout() == Layout::Card {
                    @let hint = |key: &str| texts.fill("form-press", &[("key", key.into())]);
                    span.press #hint aria-hidden="true" data-enter=(hint("Enter ↵")) data-area=(hint("Ctrl + Enter ↵")) {}
                }
            }
            // One card after the other need not say it.
            @let is_inside = self.layout() == Layout::Card && !is_first && !is_last;
            (self.draft_notice(is_inside))
        }
    }

    /// The action of the button that leads on.
    pub fn forward_action(&self, is_last: bool) -> &'static str {
        match is_last {
            true if self.waits => "wait",
            true => "submit",
            false => "next",
        }
    }

    /// Below a form that opens later: without a script, a button checks whether it is open by now.
    pub fn early_actions(&self, is_inert: bool) -> Markup {
        let texts = self.texts();
        html! {
            div.actions {
                @if is_inert && self.grant.is_none() {
                    // This page again, with the values of its address.
                    a.button.quiet #check-open href="" { (texts.say("form-check-open")) }
                } @else {
                    button.button.quiet #check-open name="_action" value="more" { (texts.say("form-check-open")) }
                }
            }
            @if !is_inert { (self.draft_notice(false)) }
        }
    }

    /// The words of the button that submits, ours or the owner's.
    pub fn submit_words(&self) -> String {
        if self.own.is_some() {
            return self.texts().say("own-save");
        }
        if self.waits {
            return self.texts().say("wait-button");
        }
        let owners = Theme::of_form(&self.published.parsed).submit;
        owners.map_or_else(|| self.texts().say("form-submit"), |owners| owners.replace('\n', " "))
    }

    /// The `lang` of a button, where its words are not in the page's own language.
    fn said_in<'w>(&self, word: &'w Worded) -> Option<&'w str> {
        self.texts().other(word.lang)
    }

    /// The languages of a button's words, for the script, where they are not all the page's own.
    fn langs(&self, words: &[Worded]) -> Option<String> {
        let differ = words.iter().any(|word| self.said_in(word).is_some());
        differ.then(|| lines(words.iter().map(|word| word.lang.to_owned())))
    }

    /// The note that a draft stays on the device, and to whom it is sent then where a name is set.
    fn kept_here(&self) -> String {
        let organization = &self.published.organization;
        if organization.is_name_shown {
            return self.texts().fill("form-kept-for", &[("name", isolated(&organization.name).into())]);
        }
        self.texts().say("form-kept-here")
    }

    /// A note on where typed answers are kept. Its two lines, with and without a script, take the same room.
    fn draft_notice(&self, is_away: bool) -> Markup {
        let texts = self.texts();
        let without_script = if self.own.is_some() { "own-text" } else { "form-kept" };
        html! {
            p.kept.away[is_away] #kept {
                span { (texts.say(without_script)) }
                @if self.kept_under().is_some() { span { (self.kept_here()) } }
            }
        }
    }
}

/// The words of a button, ours or the owner's.
#[derive(Clone)]
struct Worded<'w> {
    text: String,
    lang: &'w str,
}
