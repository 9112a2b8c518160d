//! A value of an entry as its form's people see it: in a cell, and whole.

use maud::{Markup, html};

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::fields::display::money;
use crate::fields::files::draw::size_words;
use crate::fields::kind::{Cx, Plain};
use crate::ops::entries::shown_answers::EntryColumn;
use crate::ops::forms;
use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::entries::answers::{self, FileLink};
use crate::web::pages::ui::table::Holds;

/// The kind of values in a column's cells.
pub fn holds(column: &EntryColumn) -> Holds {
    if is_number(column) { Holds::Numbers } else { Holds::Text }
}

fn is_number(column: &EntryColumn) -> bool {
    match column {
        EntryColumn::Question(field) => field.kind.plain() == Some(Plain::Number),
        EntryColumn::System(field) => field.type_name() == "number",
    }
}

/// A value in the cell of a table.
pub fn short(frame: &FormFrame, column: &EntryColumn, value: &Json, cx: &Cx) -> Markup {
    if let Some(own) = moment(frame, column, value).or_else(|| price(frame, column, value, cx)) {
        return own;
    }
    let files = files(column, value, cx);
    if !files.is_empty() {
        let count = i64::try_from(files.len()).unwrap_or(i64::MAX);
        return html! { (frame.texts.fill("entries-files", &[("count", count.into())])) };
    }
    answers::clipped(&text(column, value, cx), frame.owners_lang())
}

/// The text of a cell. Days are written as on the entry's page: those of exports break at their hyphens.
fn text(column: &EntryColumn, value: &Json, cx: &Cx) -> String {
    let kind = column.kind();
    let has_days = kind.calendar().is_some() || kind.plain() == Some(Plain::Code);
    if has_days { kind.lines(value, cx).join("; ") } else { kind.text(value, cx) }
}

/// The whole value.
pub fn whole(frame: &FormFrame, column: &EntryColumn, value: &Json, cx: &Cx) -> Markup {
    if let Some(own) = moment(frame, column, value).or_else(|| price(frame, column, value, cx)) {
        return own;
    }
    let files = files(column, value, cx);
    if files.is_empty() {
        return lines(frame, column, value, cx);
    }
    let unnamed = frame.say("signature-signed");
    let origin = frame.call.app.config.origin();
    let links = files.iter().map(|file| FileLink {
        // Our own addresses are the same page's.
        address: own_address(file, origin),
        name: file["name"].as_str().unwrap_or_default(),
        picture: file["name"].as_str().unwrap_or(&unnamed),
        size: file["file_size"].as_u64().map(|bytes| size_words(bytes, frame.texts)).unwrap_or_default(),
        content_type: file["content_type"].as_str().unwrap_or_default(),
    });
    answers::files(&links.collect::<Vec<_>>())
}

/// The value in lines; a linked entry leads to its page, and an order shows its price.
fn lines(frame: &FormFrame, column: &EntryColumn, value: &Json, cx: &Cx) -> Markup {
    let kind = column.kind();
    let shown = answers::lines(&kind.lines(value, cx), frame.owners_lang());
    if let Some(address) = linked_page(frame, column, value, cx).filter(|_| !shown.0.is_empty()) {
        return answers::linked(&address, &shown);
    }
    let Some(total) = kind.total(value) else {
        return shown;
    };
    let price = money::price(total, &frame.view.parsed.settings.pricing.currency, cx.locale);
    html! { (shown) p { (frame.texts.fill("shop-total", &[("price", price.into())])) } }
}

/// The page of the entry that a value links to, if the reader may see it.
fn linked_page(frame: &FormFrame, column: &EntryColumn, value: &Json, cx: &Cx) -> Option<String> {
    let link = column.kind().links(value).into_iter().next()?;
    let serial = column.kind().read(value, cx)["serial_number"].as_i64()?;
    let call = frame.call;
    let is_readable = forms::show(call.app, frame.caller, &link.form).is_ok();
    is_readable.then(|| format!("{}/forms/{}/entries/{serial}", call.app.config.base_path(), link.form))
}

/// An amount in the form's currency.
fn price(frame: &FormFrame, column: &EntryColumn, value: &Json, cx: &Cx) -> Option<Markup> {
    let EntryColumn::System(field) = column else {
        return None;
    };
    let amount = money::decimal(value).filter(|_| field.is_price())?;
    let price = money::price(amount, &frame.view.parsed.settings.pricing.currency, cx.locale);
    Some(html! { (price) })
}

fn own_address<'f>(file: &'f Json, origin: &str) -> &'f str {
    let url = file["url"].as_str().unwrap_or_default();
    url.strip_prefix(origin).unwrap_or(url)
}

/// A moment in the reader's time zone.
fn moment(frame: &FormFrame, column: &EntryColumn, value: &Json) -> Option<Markup> {
    let EntryColumn::System(_) = column else {
        return None;
    };
    let at = Time::parse(value.as_str()?)?;
    Some(console::moment(&frame.caller.user, at))
}

/// The files in a value, as programs read them.
fn files(column: &EntryColumn, value: &Json, cx: &Cx) -> Vec<Json> {
    if column.kind().files().is_none() {
        return Vec::new();
    }
    let is_file = |file: &Json| file["url"].is_string();
    match column.kind().read(value, cx) {
        Json::Array(files) => files.into_iter().filter(is_file).collect(),
        Json::String(url) => vec![serde_json::json!({"url": url, "content_type": "image/png"})],
        one => Some(one).filter(is_file).into_iter().collect(),
    }
}
