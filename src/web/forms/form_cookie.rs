//! Cookies that a browser sends to the pages of one form alone. The API neither sets nor reads them (S10), and pages in
//! another site's frame don't get them (S9).

use warp::http::header;

use crate::base::id::FormToken;
use crate::ops::app::App;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// A kind of cookie.
pub struct FormCookie {
    name: &'static str,
    secs: i64,
}

/// The cookie of a browser that answered a form which takes one submission from each.
pub const ANSWERED: FormCookie = FormCookie { name: "formsvc_answered", secs: 365 * 86_400 };

/// When the browser began an exam whose time is limited: opening the page once more gives no new time. It goes when the
/// exam is handed in.
pub const EXAM: FormCookie = FormCookie { name: "formsvc_exam", secs: 30 * 86_400 };

/// The hold of a respondent who fills in the form: it is theirs also after they loaded the page again.
pub const HOLD: FormCookie = FormCookie { name: "formsvc_hold", secs: 3600 };

impl FormCookie {
    /// Its value for this call's form.
    pub fn of<'a>(&self, call: &'a Call) -> Option<&'a str> {
        call.cookie(self.name)
    }

    /// The answer that leaves it with the browser.
    pub fn keep(&self, app: &App, form: &FormToken, value: &str, answer: Answer) -> Answer {
        self.set(app, form, value, self.secs, answer)
    }

    /// The answer that takes it away.
    pub fn clear(&self, app: &App, form: &FormToken, answer: Answer) -> Answer {
        self.set(app, form, "", 0, answer)
    }

    fn set(&self, app: &App, form: &FormToken, value: &str, secs: i64, answer: Answer) -> Answer {
        let (config, name) = (&app.config, self.name);
        let secure = if config.is_https() { " Secure;" } else { "" };
        let path = format!("{}/f/{form}", config.base_path());
        let cookie = format!("{name}={value};{secure} HttpOnly; SameSite=Lax; Path={path}; Max-Age={secs}");
        answer.header(header::SET_COOKIE, &cookie)
    }
}
