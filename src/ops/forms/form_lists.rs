//! Lists of forms: the caller's own and shared ones (spec 4.9), and those that they have submitted to (contract section
//! 5).

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::{FolderToken, QueryToken};
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::role::Role;
use crate::ops::app::App;
use crate::ops::forms::availability::{self, Status};
use crate::ops::forms::{access, folders};
use crate::store::entries::respondents;
use crate::store::forms;
use crate::store::forms::form_lists::{self, ListFilter, Sort, Within};
use crate::store::queries;

pub struct FormListItem {
    pub form: Form,
    /// The caller's role.
    pub role: Role,
}

pub struct ListRequest {
    /// A part of the name.
    pub name: Option<String>,
    /// The caller's folder; empty for forms in no folder.
    pub folder: Option<String>,
    pub sort: Sort,
    /// The caller's own forms in the trash, instead of live ones.
    pub is_trashed: bool,
    pub page: PageRequest,
}

/// The orders; the first one is the default.
pub const SORTS: [(&str, Sort); 3] = [
    ("created_at", Sort::CreatedAt),
    ("updated_at", Sort::UpdatedAt),
    ("last_entry_created_at", Sort::LastEntryCreatedAt),
];

/// The order with this name.
///
/// # Errors
/// 400 with the allowed names.
pub fn sort_by_name(name: Option<&str>) -> Result<Sort> {
    let wanted = name.unwrap_or(SORTS[0].0);
    let sort = SORTS.iter().find(|(known, _)| *known == wanted);
    sort.map(|(_, sort)| *sort).ok_or_else(|| {
        let names = SORTS.map(|(name, _)| name).join(", ");
        Error::BadRequest(format!("sort must be one of {names}").into())
    })
}

/// The caller's forms, and those that are shared with them.
///
/// # Errors
/// 400 for a cursor of another list, 403 for another user's folder, 404 for an unknown one.
pub fn list(app: &App, caller: &Caller, request: ListRequest) -> Result<Page<FormListItem>> {
    let place = request.page.place()?;
    let size = request.page.size;
    app.store.read(|tx| {
        let within = match request.folder.as_deref() {
            None => Within::Anywhere,
            Some("") => Within::NoFolder,
            Some(token) => Within::Folder(folders::own(tx, caller, token)?.id),
        };
        let filter = ListFilter {
            user: caller.user.id,
            name: request.name.filter(|name| !name.is_empty()),
            within,
            trashed_since: request.is_trashed.then(|| access::trash_cutoff(tx.now)),
        };
        let mut positions = form_lists::positions(tx, &filter, request.sort, place, size + 1)?;
        let total = form_lists::count(tx, &filter)?;
        let more = positions.len() > size;
        positions.truncate(size);
        let next = positions.last().filter(|_| more).map(|(value, form_no)| format!("{value}.{form_no}"));
        let mut rows = Vec::with_capacity(positions.len());
        for (_, form_no) in positions {
            let form = forms::by_number(tx, form_no)?;
            if let Some(role) = access::role(tx, caller, &form)? {
                rows.push(FormListItem { form, role });
            }
        }
        Ok(Page { rows, total, next })
    })
}

/// How many live forms the caller owns or shares.
pub struct Totals {
    pub all: i64,
    /// Forms in none of the caller's folders.
    pub outside: i64,
}

pub fn totals(app: &App, caller: &Caller) -> Result<Totals> {
    app.store.read(|tx| {
        let count = |within| {
            let filter = ListFilter { user: caller.user.id, name: None, within, trashed_since: None };
            form_lists::count(tx, &filter)
        };
        Ok(Totals { all: count(Within::Anywhere)?, outside: count(Within::NoFolder)? })
    })
}

/// Details of a form that lists on pages show besides its row.
pub struct Overview {
    /// `None` unless it is published.
    pub status: Option<Status>,
    /// Its public queries, oldest first, where the caller manages them.
    pub queries: Vec<ListedQuery>,
    /// The caller's folder that contains it.
    pub folder: Option<FolderToken>,
}

pub struct ListedQuery {
    pub token: QueryToken,
    pub name: String,
}

/// The same for each of these forms, in their order.
///
/// # Errors
/// Internal, when a stored form is damaged.
pub fn overviews(app: &App, caller: &Caller, forms: &[FormListItem]) -> Result<Vec<Overview>> {
    app.store.read(|tx| {
        let overview = |item: &FormListItem| {
            let form = &item.form;
            let status = match form.published {
                true => {
                    let parsed = app.cache.parsed(tx, form)?;
                    Some(availability::status(&parsed.settings.availability, form.entries_count, tx.now))
                }
                false => None,
            };
            let names = match item.role >= Role::Manager {
                true => queries::names(tx, form.form_no)?,
                false => Vec::new(),
            };
            let queries = names.into_iter().map(|(token, name)| ListedQuery { token, name }).collect();
            Ok(Overview { status, queries, folder: folders::of_form(tx, caller, form.form_no)? })
        };
        forms.iter().map(overview).collect()
    })
}

/// A form that the caller has submitted to.
pub struct ParticipatedForm {
    pub form: Form,
    /// The caller's role; `None` if they are only a respondent.
    pub role: Option<Role>,
    /// When they last submitted.
    pub last_at: Time,
    /// How often they submitted.
    pub count: i64,
}

/// The forms that the caller has submitted to while signed in, latest first.
///
/// # Errors
/// 400 for a cursor of another list.
pub fn participated(app: &App, caller: &Caller, page: &PageRequest) -> Result<Page<ParticipatedForm>> {
    let place = page.place()?;
    app.store.read(|tx| {
        let all = respondents::forms_of(tx, caller.user.id)?;
        let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
        let before =
            |it: &respondents::Participation| place.is_none_or(|place| (it.last_at.millis(), it.form_no) < place);
        let mut some: Vec<_> = all.into_iter().filter(before).collect();
        let more = some.len() > page.size;
        some.truncate(page.size);
        let next = some.last().filter(|_| more).map(|last| format!("{}.{}", last.last_at.millis(), last.form_no));
        let mut rows = Vec::with_capacity(some.len());
        for it in some {
            let form = forms::by_number(tx, it.form_no)?;
            rows.push(ParticipatedForm {
                role: access::role(tx, caller, &form)?,
                form,
                last_at: it.last_at,
                count: it.count,
            });
        }
        Ok(Page { rows, total, next })
    })
}
