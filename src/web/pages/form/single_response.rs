//! Forms that take one submission from each respondent: who comes to the page, and the pages in place of the form.

use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::settings::OnePer;
use crate::ops::entries::respondents::{self, Respondent};
use crate::ops::forms::published::Published;
use crate::web::forms::form_cookie::ANSWERED;
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::form::form_view::{FilledForm, Notice};
use crate::web::pages::form::{changed_entry, is_embedded, notice, states};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;
use crate::web::request::session;

/// The way in which a form knows its respondents.
pub fn of(published: &Published) -> OnePer {
    published.parsed.settings.submission_options.one_per_respondent
}

/// The page in place of an open form: to sign in, for respondents who have answered, or for a form that must not be
/// framed. None: the form.
///
/// # Errors
/// 503.
pub fn instead(call: &Call, published: &Published) -> Result<Option<Answer>> {
    let one_per = of(published);
    if one_per == OnePer::None {
        return Ok(None);
    }
    if is_embedded(call) {
        return Ok(Some(states::alone(call.app, published, StatusCode::OK)));
    }
    let caller = match one_per {
        OnePer::Account => session::optional_caller(call)?,
        OnePer::None | OnePer::Browser => None,
    };
    let answered_cookie = ANSWERED.of(call).map(str::to_owned);
    let who = Respondent { caller, answered_cookie, sender: call.origin().sender };
    let (form, settings) = (&published.form, &published.parsed.settings);
    match respondents::answer_of(call.app, form, settings, &who) {
        Err(Error::Unauthenticated { .. }) => Ok(Some(Answer::see_other(&session::sign_in_and_back(call)))),
        Err(error) => Err(error),
        Ok(None) => Ok(None),
        Ok(Some(entry)) => {
            // A browser may be somebody else's by now; an account is its owner's.
            let may_change = one_per == OnePer::Account && published.may_edit_later();
            let change = may_change.then(|| changed_entry::address(call.app, &form.token, &entry, false));
            let answer = states::answered(call.app, published, change.as_deref(), StatusCode::OK);
            Ok(Some(answer))
        }
    }
}

/// The account that sends an answer, where the form takes one from each; or the page that says why it
/// can't be stored as it came, with everything typed.
///
/// # Errors
/// 503.
pub fn sender(call: &Call, sheet: &FilledForm, sent: &FormPost) -> Result<std::result::Result<Option<Caller>, Answer>> {
    let one_per = of(&sheet.published);
    if one_per != OnePer::None && sheet.is_embedded {
        let alone = states::alone(call.app, &sheet.published, StatusCode::FORBIDDEN);
        return Ok(Err(alone));
    }
    if one_per != OnePer::Account {
        return Ok(Ok(None));
    }
    let texts = sheet.texts();
    let caller = session::optional_caller(call)?;
    if caller.is_some() && session::is_ours(call, sent.csrf.as_deref()) {
        return Ok(Ok(caller));
    }
    let mut said = Notice { status: StatusCode::FORBIDDEN, ..Notice::default() };
    if caller.is_some() {
        said.notice = Some(notice(texts, Tone::Warn, "form-from-elsewhere"));
    } else {
        said.notice = Some(notice(texts, Tone::Warn, "form-signed-out"));
        said.link = Some((session::sign_in_and_back(call), texts.say("form-sign-in")));
    }
    Ok(Err(sheet.answer(&said)))
}
