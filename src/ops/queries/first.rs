//! The first query of a form: visitors find their entry by their own data, and other personal data is masked.

use serde_json::json;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::public_query::{Displayed, QueriedForm, Searched};
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::queries::{FormOf, QueryView, create, queried};

/// As many as a visitor fills in without a second thought.
const SEARCHED: usize = 2;
/// As many as fit on a card of results.
const SHOWN: usize = 6;

/// Makes a query of a form that has nothing but a name yet.
///
/// # Errors
/// 402, 403, 404, 422.
pub fn make(app: &App, caller: &Caller, form: &str, name: &str) -> Result<QueryView> {
    let (search, display) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let of = FormOf::load(app, tx, form)?;
        Ok(rules(queried(&of.parsed, &of.found)))
    })?;
    let body = json!({"form_token": form, "name": name, "search_field_rules": search, "display_field_rules": display});
    create(app, caller, body)
}

/// The groups that are searched and the fields that are shown.
fn rules(form: QueriedForm) -> (Json, Json) {
    let shown = Displayed::all(form);
    let searched: Vec<String> = Searched::all(form).iter().map(Searched::code).collect();
    let asked = asked(&shown, &searched);
    let fields: Json = asked.iter().map(|code| json!({ "field": code })).collect();
    let questions = shown.iter().filter(|it| it.field().is_some());
    let mut display: Vec<Json> = questions
        .take(SHOWN)
        .map(|it| json!({"field": it.code(), "protected": it.may_be_protected() && !asked.contains(&it.code())}))
        .collect();
    if display.is_empty() {
        display.extend(shown.first().map(|it| json!({"field": it.code()})));
    }
    (json!([{"operand": "and", "fields": fields}]), Json::Array(display))
}

/// The questions to search by, hardest to guess first: addresses, then other personal data, then the rest.
fn asked(shown: &[Displayed], searched: &[String]) -> Vec<String> {
    let questions = shown.iter().filter_map(|it| Some((it.field()?, it.may_be_protected())));
    let questions = questions.filter(|(field, _)| searched.contains(&field.api_code));
    let mut ranked: Vec<(u8, String)> = questions
        .map(|(field, is_personal)| {
            let rank = if field.row.facets.mailable { 0 } else { u8::from(!is_personal) + 1 };
            (rank, field.api_code.clone())
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let has_personal = ranked.first().is_some_and(|(rank, _)| *rank < 2);
    ranked.retain(|(rank, _)| !has_personal || *rank < 2);
    ranked.truncate(SEARCHED);
    if ranked.is_empty() {
        return searched.first().cloned().into_iter().collect();
    }
    ranked.into_iter().map(|(_, code)| code).collect()
}
