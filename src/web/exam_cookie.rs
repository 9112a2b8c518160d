//! The cookie of a browser that began an exam whose time is limited, for that form's pages alone: opening the page once
//! more gives no new time. It goes when the exam is handed in. The API neither sets nor reads it (S10).

use warp::http::header;

use crate::base::id::FormToken;
use crate::ops::App;
use crate::web::call::Call;
use crate::web::reply::Answer;

const NAME: &str = "formsvc_exam";
const SECS: i64 = 30 * 86_400;

/// When this browser was given this call's form, signed.
pub fn of<'a>(call: &'a Call) -> Option<&'a str> {
    call.cookie(NAME)
}

/// The answer that leaves the start with the browser.
pub fn keep(app: &App, form: &FormToken, start: &str, answer: Answer) -> Answer {
    set(app, form, start, SECS, answer)
}

/// The answer that takes it away.
pub fn clear(app: &App, form: &FormToken, answer: Answer) -> Answer {
    set(app, form, "", 0, answer)
}

fn set(app: &App, form: &FormToken, value: &str, secs: i64, answer: Answer) -> Answer {
    let config = &app.config;
    let secure = if config.is_https() { " Secure;" } else { "" };
    let path = format!("{}/f/{form}", config.base_path());
    let cookie =
        format!("{NAME}={value};{secure} HttpOnly; SameSite=Lax; Path={path}; Max-Age={secs}");
    answer.header(header::SET_COOKIE, &cookie)
}
