//! `/forms/{form_token}/entries/print`: chosen entries, each on a sheet of paper.

use maud::{Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::model::caller::Caller;
use crate::ops::entries;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::whole::WholeEntry;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::entries::sheet::{PrintButton, Sheet};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// The most entries that are printed at once.
const MOST: usize = 200;

/// `GET /forms/{form_token}/entries/print`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let serials = serials(&call.query("serials").unwrap_or_default())?;
    let (shape, found) = entries::show_several(call.app, caller, call.param("form_token"), &serials)?;
    if found.is_empty() {
        return Err(Error::NotFound(Noun::Entry));
    }
    let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let heading = frame.texts.fill("entries-print-title", &[("count", count.into())]);
    let gone = serials.len() - found.len();
    let lead = match i64::try_from(gone).unwrap_or_default() {
        0 => frame.say("entries-print-text"),
        gone => frame.texts.fill("entries-print-gone", &[("count", gone.into())]),
    };
    let sheets = found.iter().map(|entry| {
        let whole = WholeEntry::of(&frame, &shape, entry)?;
        Ok(Sheet {
            above: html! { span lang=[frame.owners_lang()] { (name(&frame.view.form.name)) } " · " (whole.origin()) },
            title: html! { (whole.title()) },
            content: html! { (whole.answered()) (whole.facts()) },
        })
    });
    let sheets = sheets.collect::<Result<Vec<Sheet>>>()?;
    let list = ListAddress::of(call, None).leads(&frame.address("entries"), &[], &[]);
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back { address: &list, label: &frame.say("entries-back") }),
            title: html! { (heading) },
            lead: html! { (lead) },
            actions: PrintButton { label: &frame.say("entries-print"), is_small: false }.render(),
            ..PageHead::default()
        })
        @for sheet in &sheets { (sheet) }
    };
    let title = frame.title(&heading);
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title).script("print.js");
    Ok(page.answer(StatusCode::OK, &content).into())
}

/// The numbers of the entries, in the order in which they are named.
fn serials(list: &str) -> Result<Vec<i64>> {
    let wrong =
        || Error::BadRequest(format!("serials must be 1 to {MOST} numbers of entries, with commas between").into());
    let numbers: Vec<i64> =
        list.split(',').map(str::parse).collect::<std::result::Result<_, _>>().map_err(|_| wrong())?;
    if numbers.len() > MOST { Err(wrong()) } else { Ok(numbers) }
}
