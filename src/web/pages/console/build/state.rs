//! The changes of other users to a draft, for the script of its page.

use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::ops::entries::entry_lists::{self, FilterRequest, ListRequest, Order, Sort};
use crate::ops::forms::drafts;
use crate::ops::forms::drafts::compare::label;
use crate::web::pages::console::texts_of;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// `GET /forms/{form_token}/build/state`: `{"data": {"version", "people", "changed"}}`. `field` says where the caller is,
/// `since` is the version that its page shows.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    let field: String = call.query("field").unwrap_or_default().chars().take(32).collect();
    let form_no = shown.view.form.form_no;
    let others = call.app.forms.presence.note(form_no, caller.user.id, &caller.user.name, &field, call.now);
    let people: Vec<_> = others.iter().map(|person| json!({"name": person.name, "field": person.field})).collect();
    let since: i64 = call.query("since").and_then(|since| since.parse().ok()).unwrap_or(i64::MAX);
    let changed = shown.draft.present().filter(|(question, _)| question.version > since);
    let changed: Vec<_> =
        changed.map(|(question, body)| json!({"code": question.code, "label": label(body)})).collect();
    let texts = texts_of(&caller.user);
    let names: Vec<&str> = others.iter().map(|person| person.name.as_str()).collect();
    let words = match names.as_slice() {
        [] => String::new(),
        names => texts.fill("build-people", &[("names", names.join(", ").into()), ("count", names.len().into())]),
    };
    Ok(reply::data(&json!({
        "version": shown.draft.version,
        "people": people,
        "changed": changed,
        "words": words,
    }))?
    .into())
}

/// `GET /forms/{form_token}/build/use/{code}`: `{"data": {"entries"}}`, how many entries answer a question.
pub fn uses(call: &Call, caller: &Caller) -> Result<Reply> {
    let entries = total(call, caller, json!([{"field": call.param("code"), "operator": "not_null"}]))?;
    Ok(reply::data(&json!({"entries": entries}))?.into())
}

/// How many entries of the form match.
pub fn total(call: &Call, caller: &Caller, filters: Json) -> Result<i64> {
    let request = ListRequest {
        filter: FilterRequest { filters, keyword: None },
        order: Order::Entry(Sort::Serial),
        descending: true,
        fields: Some(Vec::new()),
        page: PageRequest { size: 1, after: None },
    };
    Ok(entry_lists::live(call.app, caller, call.param("form_token"), request, Issues::new())?.wait()?.page.total)
}
