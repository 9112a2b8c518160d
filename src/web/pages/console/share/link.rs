//! The ways to respondents: the link, its code, the snippets that embed the form in other sites.

use maud::{Markup, Render, html};

use crate::model::settings::OnePer;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::widgets::copyable;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{Disclosure, EmptyState, Section};
use crate::web::pages::ui::share::code::Code;
use crate::web::pages::ui::share::link_line::LinkLine;

/// The height of an embedded form whose page does not grow with it, in pixels.
const HEIGHT: u32 = 640;

/// The form's public address.
pub fn address(frame: &FormFrame) -> String {
    format!("{}/f/{}", frame.call.app.config.base_url, frame.view.form.token)
}

/// Stands in place of the link of a form that is not published.
pub fn unpublished(frame: &FormFrame, is_manager: bool) -> Markup {
    let text = if is_manager { "link-unpublished" } else { "link-unpublished-for-others" };
    Section {
        id: "link",
        title: html! { (frame.say("link-title")) },
        content: EmptyState { text: &frame.say(text), ..EmptyState::default() }.render(),
        ..Section::default()
    }
    .render()
}

pub fn link(frame: &FormFrame) -> Markup {
    let base = frame.call.app.config.base_path();
    let open = Button {
        label: &frame.say("link-open"),
        press: Press::Go(&format!("{base}/f/{}", frame.view.form.token)),
        weight: Weight::Main,
        ..Button::default()
    };
    Section {
        id: "link-title",
        title: html! { (frame.say("link-title")) },
        text: &frame.say("link-text"),
        content: LinkLine {
            id: "link",
            labelled_by: "link-title",
            address: &address(frame),
            actions: open.render(),
            texts: frame.texts,
        }
        .render(),
    }
    .render()
}

pub fn code(frame: &FormFrame) -> Markup {
    let download = |file: &str, label: &str| {
        let (label, address) = (frame.say(label), frame.address(file));
        Button { label: &label, press: Press::Go(&address), is_small: true, ..Button::default() }.render()
    };
    Section {
        id: "code",
        title: html! { (frame.say("share-code")) },
        content: Code {
            text: &address(frame),
            name: &frame.say("share-code-picture"),
            actions: html! {
                (download("qr.svg", "share-code-svg"))
                (download("qr.png", "share-code-png"))
                (download("poster", "share-poster"))
            },
        }
        .render(),
        ..Section::default()
    }
    .render()
}

pub fn embed(frame: &FormFrame) -> Markup {
    let is_alone = frame.view.parsed.settings.submission_options.one_per_respondent != OnePer::None;
    let (fixed, growing) = snippets(frame);
    let copied = |id: &str, text: &str| copyable(frame.texts, id, text, &frame.say("copy-snippet"));
    Section {
        id: "embed",
        title: html! { (frame.say("share-embed")) },
        text: &if is_alone { String::new() } else { frame.say("share-embed-text") },
        content: html! {
            @if is_alone {
                (message(Tone::Note, &frame.say("share-embed-alone"), &frame.say("share-embed-alone-text")))
            } @else {
                (copied("embed-growing", &growing))
                (Disclosure {
                    summary: &frame.say("share-embed-fixed"),
                    is_open: false,
                    content: copied("embed-fixed", &fixed),
                })
            }
        },
    }
    .render()
}

/// The snippets for pages of other sites: with a fixed height, and growing with the form.
fn snippets(frame: &FormFrame) -> (String, String) {
    let form = &frame.view.form;
    let src = format!("{}?embed=1", address(frame));
    let embedded = html! {
        iframe src=(src) title=(form.name) width="100%" height=(HEIGHT) style="border:0" {}
    };
    let script = html! { script src={ (frame.call.app.config.base_url) "/embed.js" } async {} };
    let fixed = embedded.into_string();
    let growing = format!("{fixed}\n{}", script.into_string());
    (fixed, growing)
}
