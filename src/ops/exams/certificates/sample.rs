//! A sample of a form's certificate, filled with examples of answers. Nothing of it is stored.

use crate::base::clock;
use crate::base::error::Result;
use crate::fields::Fields;
use crate::fields::kind::Cx;
use crate::fields::values::{Values, examples, stored};
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::results::Results;
use crate::model::settings::Certificate;
use crate::ops::app::App;
use crate::ops::exams::certificates::design::Content;
use crate::ops::exams::certificates::{Document, content, drawn, issuer};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::store::accounts::organizations;

/// The most characters of a title and of a text: those of settings.
const MOST_TITLE: usize = 200;
const MOST_BODY: usize = 10_000;
/// A verification code as its pages show one.
const CODE: &str = "ABCD2345";

/// The certificate of an entry that could be the form's next one. `title` and `body` replace the stored texts.
///
/// # Errors
/// 403, 404.
pub fn of(app: &App, caller: &Caller, token: &str, title: Option<&str>, body: Option<&str>) -> Result<Document> {
    let (form, parsed, issuer) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Manage)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let issuer = organizations::settings_of_owner(tx, form.owner)?;
        Ok((form, parsed, issuer))
    })?;
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let set = &parsed.settings.certificate;
    let certificate = Certificate {
        title: title.map_or_else(|| set.title.clone(), |title| cut(title, MOST_TITLE)),
        body: body.map_or_else(|| set.body.clone(), |body| cut(body, MOST_BODY)),
        ..set.clone()
    };
    let now = clock::now();
    let cx = parsed.cx(now, true);
    let entry = Entry {
        created_at: now,
        updated_at: now,
        values: stored::text(&answers(&parsed.definition.fields, &cx)),
        results: results(&parsed),
        ..Entry::without_values(form.entries_count + 1)
    };
    let (logo, issuer) = (issuer::logo(app, &issuer), issuer.name.clone());
    let content = Content { issuer, logo, ..content(&app.config, &form, &parsed, &certificate, &entry, &cx) };
    drawn(app, &form, &entry, &content)
}

fn answers(fields: &Fields, cx: &Cx) -> Values {
    fields.iter().filter_map(|field| Some((field.api_code.clone(), examples::answer(field, cx)?))).collect()
}

fn results(parsed: &ParsedForm) -> Results {
    Results {
        exam_score: parsed.exam_key().map(|key| key.most()),
        gen_code: Some(CODE.to_owned()),
        ..Results::default()
    }
}
