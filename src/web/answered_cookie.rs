//! The cookie of a browser that answered a form which takes one submission from each, for that form's pages alone.
//! The API neither sets nor reads it (S10).

use warp::http::header;

use crate::base::id::FormToken;
use crate::ops::{App, respondents};
use crate::web::call::Call;
use crate::web::reply::Answer;

const NAME: &str = "formsvc_answered";
const SECS: i64 = 365 * 86_400;

/// What the browser keeps of an answer to this call's form.
pub fn of<'a>(call: &'a Call) -> Option<&'a str> {
    call.cookie(NAME)
}

/// The answer that leaves the mark of a submission.
pub fn keep(app: &App, form: &FormToken, serial: i64, answer: Answer) -> Answer {
    let (config, mark) = (
        &app.config,
        respondents::answered_cookie(app.keys(), form, serial),
    );
    let secure = if config.is_https() { " Secure;" } else { "" };
    let path = format!("{}/f/{form}", config.base_path());
    let cookie =
        format!("{NAME}={mark};{secure} HttpOnly; SameSite=Lax; Path={path}; Max-Age={SECS}");
    answer.header(header::SET_COOKIE, &cookie)
}
