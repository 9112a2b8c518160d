//! The page of a form as its draft has it: the same page, and nothing that is sent is stored.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::receipt::Receipt;
use crate::ops::forms::published::Published;
use crate::web::pages::form::check::faults;
use crate::web::pages::form::form_post::FormPost;
use crate::web::pages::form::form_view::{FilledForm, Notice, Preview};
use crate::web::pages::form::inspector::ToldRule;
use crate::web::pages::form::storing::refused;
use crate::web::pages::form::{done, go_on, notice, prefill, sheet, take};
use crate::web::pages::ui::notice::Tone;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// What a preview tells whoever looks at it.
pub struct Told {
    /// The draft's rules in words, in the order of those that are read.
    pub rules: Arc<[ToldRule]>,
    /// The reader's words.
    pub texts: &'static Texts,
}

/// The page before anything was typed.
pub fn show(call: &Call, published: Published, told: Told) -> Result<Reply> {
    let mut sheet = of(call, published, told)?;
    sheet.for_script = false;
    sheet.look_up(&[], false)?;
    sheet.values = prefill::with_defaults(std::mem::take(&mut sheet.values), &sheet);
    let raw = Json::Object(sheet.values.clone());
    sheet.answers = Answers::of_fresh_page(Arc::clone(&sheet.answers.shape), raw, call.now);
    sheet.page = sheet.next_page(0, false).unwrap_or_default();
    let is_canvas = sheet.preview.as_ref().is_some_and(|preview| preview.is_canvas);
    let notice = (!is_canvas).then(|| notice(sheet.texts(), Tone::Note, "preview"));
    Ok(sheet.answer(&Notice { is_fresh: true, notice, ..Notice::default() }).into())
}

/// A post of the page: the same checks as of a published form.
pub fn submit(call: &Call, published: Published, told: Told) -> Result<Reply> {
    let sent = FormPost::read(call);
    let mut sheet = of(call, published, told)?;
    take(&mut sheet, &sent);
    sheet.page = sent.page;
    go_on(call, sheet, sent)
}

fn of(call: &Call, published: Published, Told { rules, texts }: Told) -> Result<FilledForm> {
    let mut sheet = sheet(call, Arc::new(published), None)?;
    let is_canvas = call.query("canvas").is_some_and(|value| value == "1");
    let query = if is_canvas { "?canvas=1" } else { "" };
    let action = format!("{}/forms/{}/preview{query}", call.app.config.base_path(), sheet.published.form.token);
    sheet.preview = Some(Preview { action, is_canvas, csrf: session::csrf(call), rules, texts });
    sheet.csrf = None;
    sheet.is_embedded = false;
    Ok(sheet)
}

/// What a submission that could be stored leads to.
///
/// # Errors
/// What keeps the page from being drawn again.
pub fn finish(call: &Call, sheet: FilledForm, sent: &FormPost) -> Result<Reply> {
    let issues = faults(&sheet, sent);
    if !issues.is_empty() {
        return refused(sheet, Error::Invalid(issues)).map(Reply::from);
    }
    let FilledForm { published, preview, answers, .. } = sheet;
    let Some((published, preview)) = Arc::into_inner(published).zip(preview) else {
        return Err(Error::internal("a preview is sent once"));
    };
    let serial = published.form.entries_count + 1;
    let receipt = Receipt::of_preview(published, &answers, call.now);
    Ok(done::page(call, &receipt, serial, Some(&preview.action)).into())
}
