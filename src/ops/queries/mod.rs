//! Public queries: managers of a form set up pages on which visitors look up its entries (spec 2.2 to 2.6, contract
//! section 8).

mod body;
pub mod certificates;
pub mod counts;
pub mod edit;
pub mod export;
pub mod files;
pub mod first;
pub mod fit;
pub mod index;
pub mod links;
pub mod outline;
pub mod search;
mod shape;
pub mod state;
pub mod visit;

pub use body::{create_schema, update_schema};
pub use shape::{QueryBody, Suggestions};

use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::base::id::QueryToken;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::filter;
use crate::fields::links::LinkedData;
use crate::fields::public_query::QueriedForm;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::precondition::{Etag, IfMatch};
use crate::model::public_query::{Content, PublicQuery, Status};
use crate::model::role::Role;
use crate::model::user::{Capability, Plan};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::plans;
use crate::ops::app::App;
use crate::ops::files::images::{self, UsedImages};
use crate::ops::forms::access::{self, Right};
use crate::ops::queries::body::BodyCx;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::{forms, queries};

/// A query as its managers see it.
pub struct QueryView {
    pub body: QueryBody,
    pub etag: Etag,
    /// Warnings about settings that may be unintended.
    pub warnings: Vec<Issue>,
}

/// The form of a query, parsed, and the forms that it links to.
struct FormOf {
    form: Form,
    parsed: Arc<ParsedForm>,
    found: LinkedData,
}

impl FormOf {
    fn load(app: &App, tx: &Tx, form: Form) -> Result<Self> {
        let parsed = app.cache.parsed(tx, &form)?;
        let found = linked_entries::forms_of(&app.cache, tx, &parsed)?;
        Ok(Self { form, parsed, found })
    }
}

/// A form as public queries see it.
pub(in crate::ops) fn queried<'f>(parsed: &'f ParsedForm, found: &'f LinkedData) -> QueriedForm<'f> {
    QueriedForm {
        fields: &parsed.definition.fields,
        scene: &parsed.scene,
        settings: &parsed.settings,
        results: parsed.result_fields(),
        found,
    }
}

/// Makes a query.
///
/// # Errors
/// 402, 403, 404, 422.
pub fn create(app: &App, caller: &Caller, body: Json) -> Result<QueryView> {
    app.run_until_stored(caller.user.token.as_str(), || try_create(app, caller, body.clone()))
}

fn try_create(app: &App, caller: &Caller, mut body: Json) -> Result<QueryView> {
    let named = body["form_token"].as_str().map(str::to_owned);
    let of = named
        .as_deref()
        .map(|token| {
            app.store.read(|tx| {
                let form = access::form_for(tx, caller, token, Right::Manage)?;
                FormOf::load(app, tx, form)
            })
        })
        .transpose()?;
    plans::need(caller, Capability::PublicQueries)?;
    need_for(caller, &body)?;
    let mut at = Issues::new();
    if named.is_none() && body.is_object() {
        let reason = match &body["form_token"] {
            Json::Null => Reason::Required,
            _ => Reason::MustBe(Expected::Text),
        };
        at.push_at("form_token", reason);
    }
    if let Some(body) = body.as_object_mut() {
        body.shift_remove("form_token");
    }
    let locale = of.as_ref().map_or("en", |of| of.form.locale.as_str());
    let (content, images) = read(app, caller, body, body::defaults(locale), true, of.as_ref(), at)?;
    // Without a form there was a fault.
    let form = of.ok_or(Error::NotFound(Noun::Form))?.form;
    let token = QueryToken::random();
    let (query, who) = (token.clone(), caller.clone());
    app.store.write(move |tx| {
        // The form as it was read: the fields that the query uses must still be there.
        forms::check_version(tx, form.form_no, form.version)?;
        images.store(tx)?;
        audit::note_about(tx, By::caller(&who), Action::QueryCreated, query.as_str(), &form)?;
        queries::insert(tx, &query, form.form_no, who.user.id, &content)
    })?;
    show(app, caller, token.as_str())
}

/// # Errors
/// 403, 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<QueryView> {
    app.store.read(|tx| {
        let (query, form) = managed(tx, caller, token)?;
        view(app, tx, &query, form.as_ref())
    })
}

/// A page of the queries that the caller manages: of one form, or of all; latest first.
///
/// # Errors
/// 403, 404 for the form.
pub fn list(app: &App, caller: &Caller, form: Option<&str>, page: &PageRequest) -> Result<Page<String>> {
    let place = page.place()?;
    app.store.read(|tx| {
        let form = form.map(|token| access::form_for(tx, caller, token, Right::Manage));
        let form_no = form.transpose()?.map(|form| form.form_no);
        let before = place.map(|(_, id)| id);
        let user = caller.user.id;
        let mut rows = queries::managed(tx, user, form_no, before, page.size + 1)?;
        let more = rows.len() > page.size;
        rows.truncate(page.size);
        let next = rows.last().filter(|_| more).map(|last| format!("0.{}", last.id));
        let shown = rows.iter().map(|query| {
            let form = form_of(tx, query)?;
            serde_json::to_string(&read_shape(app, tx, query, form.as_ref())?).map_err(Error::internal)
        });
        Ok(Page { rows: shown.collect::<Result<_>>()?, total: queries::count_managed(tx, user, form_no)?, next })
    })
}

/// Changes the members that the body names.
///
/// # Errors
/// 402, 403, 404, 412, 422.
pub fn update(app: &App, caller: &Caller, token: &str, body: Json, if_match: &IfMatch) -> Result<QueryView> {
    app.run_until_stored(token, || try_update(app, caller, token, body.clone(), if_match))
}

fn try_update(app: &App, caller: &Caller, token: &str, body: Json, if_match: &IfMatch) -> Result<QueryView> {
    let (query, of) = app.store.read(|tx| {
        let (query, form) = managed(tx, caller, token)?;
        let live = form.filter(|form| form.deleted_at.is_none());
        let of = live.map(|form| FormOf::load(app, tx, form)).transpose()?;
        Ok((query, of))
    })?;
    if_match.check(&query.etag())?;
    need_for(caller, &body)?;
    let set = query.content.clone();
    let faults = Issues::new();
    let (content, images) = read(app, caller, body, set, false, of.as_ref(), faults)?;
    if content == query.content {
        return show(app, caller, token);
    }
    let (id, version, who) = (query.id, query.version, caller.clone());
    let name = query.token.clone();
    app.store.write(move |tx| {
        if let Some(of) = &of {
            forms::check_version(tx, of.form.form_no, of.form.version)?;
        }
        images.store(tx)?;
        audit::note(tx, By::caller(&who), Action::QueryUpdated, name.as_str())?;
        queries::update(tx, id, version, &content)
    })?;
    show(app, caller, token)
}

/// # Errors
/// 403, 404, 412.
pub fn delete(app: &App, caller: &Caller, token: &str, if_match: IfMatch) -> Result<()> {
    let (caller, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let (query, _) = managed(tx, &caller, &token)?;
        if_match.check(&query.etag())?;
        audit::note(tx, By::caller(&caller), Action::QueryDeleted, &token)?;
        queries::delete(tx, query.id)
    })
}

/// How many entries a form has, and how many its queries work with; `None` for no limit.
///
/// # Errors
/// 403, 404.
pub fn entries_of(app: &App, caller: &Caller, form: &str) -> Result<(i64, Option<i64>)> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        Ok((form.entries_count, plan_of(tx, &form)?.entries_per_form()))
    })
}

/// The fields that queries of a form may search by and show.
///
/// # Errors
/// 403, 404.
pub fn suggestions(app: &App, caller: &Caller, form: &str) -> Result<Suggestions> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let of = FormOf::load(app, tx, form)?;
        Ok(Suggestions::of(queried(&of.parsed, &of.found), &of.form.locale))
    })
}

/// Reads a body against the form, and finds the images that it names.
fn read(
    app: &App,
    caller: &Caller,
    body: Json,
    set: Content,
    is_new: bool,
    of: Option<&FormOf>,
    mut at: Issues,
) -> Result<(Content, UsedImages)> {
    let known = images::of_request(app, caller, &body["header"])?;
    let image = body["header"]["background_image"]["id"].as_str();
    let is_query_image = match image {
        Some(image) => app.store.read(|tx| queries::shows_image(tx, image))?,
        None => false,
    };
    let nothing = crate::fields::kind::Cx::of_none();
    let now = crate::base::clock::now();
    let cx = of.map(|of| of.parsed.cx_with(now, false, &of.found));
    let body_cx = BodyCx {
        form: of.map(|of| queried(&of.parsed, &of.found)),
        cx: cx.as_ref().unwrap_or(&nothing),
        images: &known,
        is_query_image,
    };
    let content = body::read(&mut Reader::new(body, &mut at), set, is_new, &body_cx);
    at.into_result()?;
    Ok((content, UsedImages::of(&known)))
}

/// Checks that the plan includes the features that a body asks for beyond a query as such.
///
/// # Errors
/// 402.
fn need_for(caller: &Caller, body: &Json) -> Result<()> {
    let scope = body["scope_conditions"].as_array();
    if scope.is_some_and(|conditions| !conditions.is_empty()) {
        plans::need(caller, Capability::ScopedData)?;
    }
    let mut rules = body["display_field_rules"].as_array().into_iter().flatten();
    if rules.any(|rule| rule["editable"] == true) {
        plans::need(caller, Capability::EditableResults)?;
    }
    Ok(())
}

/// The form of a query, also in the trash.
fn form_of(tx: &Tx, query: &PublicQuery) -> Result<Option<Form>> {
    query.form_no.map(|form_no| forms::by_number(tx, form_no)).transpose()
}

/// A query that the caller manages, and its form, also in the trash.
fn managed(tx: &Tx, caller: &Caller, token: &str) -> Result<(PublicQuery, Option<Form>)> {
    let unknown = || Error::NotFound(Noun::Query);
    let query = queries::by_token(tx, token)?.ok_or_else(unknown)?;
    let Some(form) = form_of(tx, &query)? else {
        let is_own = query.creator == Some(caller.user.id);
        return if is_own { Ok((query, None)) } else { Err(unknown()) };
    };
    match access::role(tx, caller, &form)? {
        None => Err(unknown()),
        Some(role) if role < Role::Manager => Err(Error::Forbidden),
        Some(_) => Ok((query, Some(form))),
    }
}

/// The plan of a form: that of its owner's organisation.
pub(in crate::ops) fn plan_of(tx: &Tx, form: &Form) -> Result<Plan> {
    Ok(users::by_id(tx, form.owner)?.organization.plan)
}

/// Whether a query of this form can be used.
pub(in crate::ops) fn status(form: Option<&Form>, plan: Plan) -> Status {
    match form.filter(|form| form.deleted_at.is_none()) {
        None => Status::FormNotFound,
        Some(form) => match plan.entries_per_form() {
            Some(most) if form.entries_count > most => Status::EntriesCountLimited,
            _ => Status::Active,
        },
    }
}

fn read_shape(app: &App, tx: &Tx, query: &PublicQuery, form: Option<&Form>) -> Result<QueryBody> {
    let plan = form.map_or(Ok(Plan::Unlimited), |form| plan_of(tx, form))?;
    Ok(QueryBody::of(&app.config.base_url, query, form, status(form, plan)))
}

fn view(app: &App, tx: &Tx, query: &PublicQuery, form: Option<&Form>) -> Result<QueryView> {
    let rules = &query.content.rules;
    let mut warnings = shape::warnings(rules);
    if let Some(form) = form.filter(|form| form.deleted_at.is_none()) {
        let of = FormOf::load(app, tx, form.clone())?;
        warnings.extend(certificates::warning(queried(&of.parsed, &of.found), rules));
        let cx = of.parsed.cx_with(tx.now, false, &of.found);
        let scope = Json::Array(rules.scope.clone());
        warnings
            .extend(filter::unknown_names(&scope, "scope_conditions", &of.parsed.definition.fields, &cx).into_list());
    }
    Ok(QueryView { body: read_shape(app, tx, query, form)?, etag: query.etag(), warnings })
}
