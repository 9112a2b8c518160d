//! One submission from each respondent (`one_per_respondent`). A browser is known by a cookie, an account by its
//! session; entries in the trash don't count. The writer decides, so that of two submissions at once one is stored.

use crate::base::error::{Code, Error, Result};
use crate::base::id::{EntryToken, FormToken};
use crate::base::secret::{Keys, Purpose};
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::settings::{OnePer, Settings};
use crate::model::user::UserId;
use crate::ops::app::App;
use crate::store::db::tx::Tx;
use crate::store::entries::{self, respondents};

/// A respondent of a form.
pub struct Respondent {
    /// The user who is signed in, or whose token it is.
    pub caller: Option<Caller>,
    /// The cookie that marks an earlier answer to this form.
    pub answered_cookie: Option<String>,
    /// The pseudonym of their address today.
    pub sender: String,
}

/// The signed cookie that names an answered entry, so that nobody else can write it. It gives no right to that answer.
pub fn answered_cookie(keys: &Keys, form: &FormToken, entry: &EntryToken) -> String {
    let parts = [form.as_str(), entry.as_str()].map(str::as_bytes);
    format!("{entry}.{}", keys.sign(Purpose::AnswerMark, &parts))
}

/// The answer that a cookie is of; none for one that is not ours, or another form's.
fn answered_entry(keys: &Keys, form: &FormToken, cookie: &str) -> Option<EntryToken> {
    let (entry, sent) = cookie.split_once('.')?;
    let parts = [form.as_str(), entry].map(str::as_bytes);
    keys.verify(Purpose::AnswerMark, &parts, sent).then(|| EntryToken::new(entry))
}

/// The key that the answer of one respondent is looked up by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// By nothing: there may be any number.
    Unlimited,
    /// By its token.
    Entry(EntryToken),
    /// By the account.
    Account(UserId),
}

impl Claim {
    /// Of a respondent to a form.
    ///
    /// # Errors
    /// 401 where it takes an account and nobody is signed in.
    pub fn of(keys: &Keys, form: &Form, settings: &Settings, who: &Respondent) -> Result<Self> {
        match settings.submission_options.one_per_respondent {
            OnePer::None => Ok(Self::Unlimited),
            OnePer::Browser => Ok(who
                .answered_cookie
                .as_deref()
                .and_then(|cookie| answered_entry(keys, &form.token, cookie))
                .map_or(Self::Unlimited, Self::Entry)),
            OnePer::Account => who
                .caller
                .as_ref()
                .map(|caller| Self::Account(caller.user.id))
                .ok_or(Error::Unauthenticated { sent: false }),
        }
    }

    /// The live entry of the respondent, if there is one.
    pub fn answer(&self, tx: &Tx, form_no: i64) -> Result<Option<EntryToken>> {
        match self {
            Self::Unlimited => Ok(None),
            Self::Entry(entry) => {
                let found = entries::by_token(tx, form_no, entry.as_str())?;
                Ok(found.map(|entry| entry.token))
            }
            Self::Account(user) => respondents::answer_of(tx, form_no, *user),
        }
    }

    /// Checks that there is none yet.
    ///
    /// # Errors
    /// 409.
    pub fn check(&self, tx: &Tx, form_no: i64) -> Result<()> {
        match self.answer(tx, form_no)? {
            None => Ok(()),
            Some(_) => Err(Error::Conflict(
                Code::AlreadySubmitted,
                "This form takes one submission from each respondent, and has yours".to_owned(),
            )),
        }
    }
}

/// The entry with which a respondent has answered a form that takes one answer from each.
///
/// # Errors
/// 401 where it takes an account and nobody is signed in.
pub fn answer_of(app: &App, form: &Form, settings: &Settings, who: &Respondent) -> Result<Option<EntryToken>> {
    match Claim::of(app.keys(), form, settings, who)? {
        Claim::Unlimited => Ok(None),
        claim => app.store.read(|tx| claim.answer(tx, form.form_no)),
    }
}

/// Checks that an entry may come out of the trash: its respondent did not answer again meanwhile.
///
/// # Errors
/// 409.
pub fn check_restored(tx: &Tx, form_no: i64, settings: &Settings, serial: i64) -> Result<()> {
    if settings.submission_options.one_per_respondent != OnePer::Account {
        return Ok(());
    }
    match respondents::of_trashed(tx, form_no, serial)? {
        None => Ok(()),
        Some(user) => match respondents::answer_of(tx, form_no, user)? {
            None => Ok(()),
            Some(_) => Err(Error::Conflict(
                Code::AlreadySubmitted,
                "Its respondent has answered again, and the form takes one submission from each".to_owned(),
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_of_one_form_and_one_answer() {
        let keys = Keys::new([7; 32]);
        let (form, other) = (FormToken::new("AbCdEfGhIj"), FormToken::new("JiHgFeDcBa"));
        let entry = EntryToken::new("0123456789abcdefABCDEF");
        let text = answered_cookie(&keys, &form, &entry);
        assert_eq!(answered_entry(&keys, &form, &text), Some(entry));
        assert_eq!(answered_entry(&keys, &other, &text), None);
        assert_eq!(answered_entry(&Keys::new([8; 32]), &form, &text), None);
        let (own, signature) = text.split_once('.').expect("two parts");
        for odd in ["", ".", own, &format!("{own}."), &format!("1{}.{signature}", &own[1..]), &format!(".{signature}")]
        {
            assert_eq!(answered_entry(&keys, &form, odd), None, "{odd}");
        }
    }
}
