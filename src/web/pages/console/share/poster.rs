//! The code of the form's link as a file, and the sheet to hang up.

use bytes::Bytes;
use maud::{Render, html};
use warp::http::{StatusCode, header};

use crate::base::error::Result;
use crate::base::text::texts;
use crate::http::net;
use crate::model::caller::Caller;
use crate::web::csp::Csp;
use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::share::link::address;
use crate::web::pages::ui::layout::direction;
use crate::web::pages::ui::qr;
use crate::web::pages::ui::share::poster::{Poster, print_button};
use crate::web::pages::ui::toolbar::Toolbar;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `GET /forms/{form_token}/qr.svg`
pub fn svg(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    Ok(file(&frame, "svg", "image/svg+xml", qr::svg_file(&address(&frame))?.into_bytes()).into())
}

/// `GET /forms/{form_token}/qr.png`
pub fn png(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    Ok(file(&frame, "png", "image/png", qr::png_file(&address(&frame))?).into())
}

/// A picture for download, named after the form.
fn file(frame: &FormFrame, ending: &str, content_type: &'static str, bytes: Vec<u8>) -> Answer {
    let mut answer = Answer::empty(StatusCode::OK);
    answer.body = Bytes::from(bytes);
    answer.content_type = Some(content_type);
    answer.csp = Csp::Files;
    let name = net::attachment(&format!("{}.{ending}", frame.view.form.name));
    answer.header(header::CONTENT_DISPOSITION, &name).header(header::CACHE_CONTROL, "no-store")
}

/// `GET /forms/{form_token}/poster`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let form = &frame.view.form;
    // Respondents read it: its words are in their language.
    let words = texts::texts(&form.locale);
    let content = html! {
        (Toolbar {
            start: html! { p { a href=(frame.address("share")) { (frame.say("share-back")) } } },
            end: print_button(&frame.say("share-print")),
        })
        (Poster {
            name: &form.name,
            text: &words.say("poster-text"),
            address: &address(&frame),
            code_name: &frame.say("share-code-picture"),
            lang: words.locale(),
            dir: direction(&form.locale),
        }.render())
    };
    let title = frame.title(&frame.say("share-poster-title"));
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title);
    Ok(page.script("share.js").answer(StatusCode::OK, &content).into())
}
