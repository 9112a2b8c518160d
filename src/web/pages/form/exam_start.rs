//! The page before an exam whose time is limited: the time allowed, and the conditions. None of its questions is shown,
//! and the time begins when its button asks for them.

use maud::{Markup, html};
use url::form_urlencoded::{Serializer, parse};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::Texts;
use crate::ops::exams::time::ExamTime;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::{Password, Published};
use crate::web::forms::form_password;
use crate::web::pages::form::{is_embedded, preview, states};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::theme::Theme;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// In the address of an exam's page: its respondent has read the conditions, and begins.
const START: &str = "start";

/// Whether a call asks for the questions of an exam.
pub fn is_asked(call: &Call) -> bool {
    call.query(START).is_some_and(|value| value == "1")
}

/// Whether an exam begins on this page: its time is limited, and it takes answers now.
pub fn has_one(published: &Published) -> bool {
    published.status == Status::Open && published.exam_time().is_some()
}

/// The page before an exam begins.
///
/// # Errors
/// Internal.
pub fn page(call: &Call, texts: &'static Texts, published: &Published, password: Option<&Password>) -> Result<Answer> {
    let form = &published.form;
    let theme = Theme::of_form(&published.parsed);
    let owners_lang = texts.other(&form.locale);
    let embedded = is_embedded(call);
    let mut page = Page::new(&call.app.config, texts, PageShape::Plain, &form.name)
        .of_form(&form.locale)
        .owners_title()
        .theme(&theme)
        .masthead(Masthead::of(&call.app.config, &published.organization))
        .preview(preview::of(&call.app.config, published, &theme))
        .embedded(embedded);
    if embedded {
        page = page.script("embed.js");
    }
    let content = html! {
        div.card {
            (sign(Sign::Clock))
            h1 lang=[owners_lang] { bdi { (form.name) } }
            @if let Some(text) = form.description.as_deref().filter(|text| !text.trim().is_empty()) {
                p.description dir="auto" lang=[owners_lang] { (text) }
            }
            (facts(call, texts, published))
            ul.rules {
                @for rule in ["exam-rule-start", "exam-rule-end"] {
                    li { (texts.fill(rule, &[("button", texts.say("exam-start").into())])) }
                }
            }
            (button(call, texts, published, password)?)
        }
    };
    let mut answer = page.answer(StatusCode::OK, &content);
    // The sealed password is on the page beside values of the address.
    answer.may_compress = answer.may_compress && password.is_none();
    Ok(answer)
}

fn facts(call: &Call, texts: &Texts, published: &Published) -> Markup {
    let asked = published.parsed.definition.fields.with_values();
    let questions = asked.filter(|field| !field.hidden && field.kind.computed().is_none()).count();
    let closes = published.availability().schedule.end_at;
    let is_short = |time: ExamTime| time.due(call.now) < call.now.plus_secs(time.minutes() * states::MINUTE);
    let ends_early = published.exam_time().is_some_and(is_short);
    html! {
        dl.facts.brief {
            @if let Some(time) = published.exam_time() {
                dt { (texts.say("exam-time")) }
                dd { (states::duration(texts, time.minutes() * states::MINUTE)) }
            }
            dt { (texts.say("exam-questions")) }
            dd { (questions) }
            @if let Some(at) = closes {
                dt { (texts.say("exam-closes")) }
                dd { (states::moment(published, texts, at)) }
            }
        }
        @if ends_early { p.hint { (texts.say("exam-closes-early")) } }
    }
}

/// Asks for the questions at this address, with the values in it; behind a password by a post that has it.
fn button(call: &Call, texts: &Texts, published: &Published, password: Option<&Password>) -> Result<Markup> {
    let form = published.form.token.as_str();
    let path = format!("{}{}", call.app.config.base_path(), call.path);
    let own = || parse(call.query.as_bytes()).filter(|(name, _)| name != START);
    let start = html! { button.button { (texts.say("exam-start")) } };
    let grant = password.filter(|_| published.has_password());
    let grant = grant.map(|password| form_password::seal(call.app.keys(), form, &password.text)).transpose()?;
    Ok(html! {
        @if let Some(grant) = grant {
            @let query = Serializer::new(String::new()).extend_pairs(own()).append_pair(START, "1").finish();
            form method="post" action={ (path) "?" (query) } {
                input type="hidden" name="_action" value="open";
                input type="hidden" name="_grant" value=(grant);
                (start)
            }
        } @else {
            form method="get" action=(path) {
                @for (name, value) in own() { input type="hidden" name=(name) value=(value); }
                input type="hidden" name=(START) value="1";
                (start)
            }
        }
    })
}
