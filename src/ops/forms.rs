//! Forms: make, read, change, copy, delete, restore, list (contract section 3).

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::id::FormToken;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::patch::Patch;
use crate::base::reader::Reader;
use crate::fields::Field;
use crate::fields::definition::{self, Definition};
use crate::fields::kind::Cx;
use crate::fields::links::{Found, Named};
use crate::model::caller::Caller;
use crate::model::form::{Form, LAYOUTS, Part, Parts, SCENES};
use crate::model::page::{Page, PageRequest};
use crate::model::precondition::IfMatch;
use crate::ops::access::{self, Right, Role};
use crate::ops::cache::ParsedForm;
use crate::ops::{App, field_edits, links, locales};
use crate::store::forms::{self, Head, ListFilter, NewForm, Sort};
use crate::store::tx::Tx;

const MAX_NAME: usize = 200;
const MAX_DESCRIPTION: usize = 10_000;

/// A form as its caller may see it.
pub struct FormView {
    /// The row.
    pub form: Form,
    /// Its parts.
    pub parsed: Arc<ParsedForm>,
    /// The caller's role.
    pub role: Role,
}

/// A form in a list.
pub struct FormListItem {
    /// The row.
    pub form: Form,
    /// The caller's role.
    pub role: Role,
}

/// Makes a form.
///
/// # Errors
/// 404 for an unknown folder, 422.
pub fn create(app: &App, caller: &Caller, body: Json) -> Result<FormView> {
    let found = found(app, caller, &body)?;
    let mut at = Issues::new();
    let New {
        head,
        scene,
        folder,
        fields,
    } = New::read(
        &mut Reader::new(body, &mut at),
        &caller.user.locale,
        &locales::known_timezone(caller),
    );
    let definition = fields.map(|fields| {
        let timezone = TimeZone::get(&head.timezone).unwrap_or(TimeZone::UTC);
        Definition::create(fields, &cx_of(&head, &timezone, &found), &mut at)
    });
    if let Some(definition) = &definition {
        check_files(app, definition, &mut at);
    }
    at.into_result()?;
    no_folder(folder.as_deref())?;
    let parts = Parts {
        fields: definition.map(|d| d.to_stored()).unwrap_or_default(),
        settings: json!({}),
        theme: json!({}),
        field_rules: json!([]),
    };
    insert(app, caller, head, scene, parts)
}

/// No field may ask for larger files than the server takes. A field's place in the list is its place in
/// the request only while nothing else is wrong.
fn check_files(app: &App, definition: &Definition, at: &mut Issues) {
    fn check<'f>(fields: impl Iterator<Item = &'f Field>, most: u64, at: &mut Issues) {
        for (i, field) in fields.enumerate() {
            at.index(i, |at| {
                let asked = field.kind.largest_file_mb();
                if asked.is_some_and(|size| size > most) {
                    at.push_at("max_size", format!("must be 1 to {most}"));
                }
                at.key("dimensions", |at| {
                    check(field.kind.sub_fields().iter(), most, at);
                });
            });
        }
    }
    if at.is_empty() {
        let most = app.config.max_upload_mb;
        at.key("fields", |at| check(definition.fields.iter(), most, at));
    }
}

/// What a new form is asked to be; its fields are read when its timezone is known.
struct New {
    head: Head,
    scene: &'static str,
    folder: Option<String>,
    fields: Option<Json>,
}

impl New {
    fn read(reader: &mut Reader, locale: &str, timezone: &str) -> Self {
        let name = reader.text("name", MAX_NAME);
        let description = reader.opt_text("description", MAX_DESCRIPTION);
        let scene = reader.opt_word("scene", &SCENES).unwrap_or("form");
        let layout = reader.opt_word("layout", &LAYOUTS).unwrap_or("classic");
        let locale = locales::read_locale(reader).unwrap_or_else(|| locale.to_owned());
        let timezone = locales::read_timezone(reader).unwrap_or_else(|| timezone.to_owned());
        let folder = reader.opt_text("folder_token", 64);
        reader.note("fields", definition::list_schema);
        Self {
            head: Head {
                name,
                description,
                layout: layout.to_owned(),
                locale,
                timezone,
                published: true,
            },
            scene,
            folder,
            fields: reader.required("fields"),
        }
    }
}

/// The JSON Schema of the body of `create`.
pub fn create_schema() -> Json {
    Reader::describe(|reader| {
        New::read(reader, "", "");
    })
}

fn insert(app: &App, caller: &Caller, head: Head, scene: &str, parts: Parts) -> Result<FormView> {
    let token = FormToken::random();
    let definition = Definition::from_stored(parts.fields.clone()).map_err(Error::internal)?;
    let unique: Vec<u32> = field_edits::unique_numbers(&definition);
    let form = NewForm {
        token: token.clone(),
        owner: caller.user.id,
        head,
        scene: scene.to_owned(),
        parts,
    };
    app.store.write(move |tx| {
        let form_no = forms::insert(tx, &form)?;
        field_edits::start_empty(tx, form_no, &unique)
    })?;
    show(app, caller, token.as_str())
}

/// Shows a form.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<FormView> {
    app.store
        .read(|tx| view(app, tx, caller, token, Right::Read))
}

fn view(app: &App, tx: &Tx, caller: &Caller, token: &str, right: Right) -> Result<FormView> {
    let form = access::form_for(tx, caller, token, right)?;
    let parsed = app.cache.parsed(tx, &form)?;
    let role = access::role(caller, &form).ok_or(Error::NotFound(Noun::Form))?;
    Ok(FormView { form, parsed, role })
}

/// Changes a form; `fields` replaces the list.
///
/// # Errors
/// 403, 404, 412, 422, also `data_loss`.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
) -> Result<FormView> {
    let old = app
        .store
        .read(|tx| view(app, tx, caller, token, Right::Manage))?;
    if_match.check(&old.form.etag(Part::Form))?;
    let found = found(app, caller, &body)?;
    let mut at = Issues::new();
    let Update {
        head,
        folder,
        fields,
        confirmed,
    } = Update::read(&mut Reader::new(body, &mut at), head_of(&old.form));
    let timezone = TimeZone::get(&head.timezone).unwrap_or(TimeZone::UTC);
    let edit = match fields {
        Patch::Value(fields) => Some(old.parsed.definition.replace(
            fields,
            &cx_of(&head, &timezone, &found),
            &mut at,
        )),
        _ => None,
    };
    if let Some(edit) = &edit {
        check_files(app, &edit.definition, &mut at);
    }
    at.into_result()?;
    no_folder(folder.as_deref())?;
    match edit {
        None => {
            let (form_no, version) = (old.form.form_no, old.form.version);
            app.store.write(move |tx| {
                forms::still(tx, form_no, version)?;
                forms::update(tx, form_no, &head, None)
            })?;
        }
        Some(edit) => field_edits::apply(app, &old, head, edit, confirmed)?,
    }
    show(app, caller, token)
}

/// What a PATCH asks of a form.
struct Update {
    head: Head,
    folder: Option<String>,
    fields: Patch<Json>,
    confirmed: bool,
}

impl Update {
    fn read(reader: &mut Reader, old: Head) -> Self {
        let confirmed = reader.bool("confirm_data_loss", false);
        let (head, folder) = read_head(reader, old);
        reader.note("fields", definition::list_schema);
        let fields = reader.raw_patch("fields");
        if fields == Patch::Null {
            reader.fault("fields", "must be a list");
        }
        Self {
            head,
            folder,
            fields,
            confirmed,
        }
    }
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        Update::read(reader, Head::default());
    })
}

fn head_of(form: &Form) -> Head {
    Head {
        name: form.name.clone(),
        description: form.description.clone(),
        layout: form.layout.clone(),
        locale: form.locale.clone(),
        timezone: form.timezone.clone(),
        published: form.published,
    }
}

/// What of the head a PATCH changes, and the folder that it names.
fn read_head(reader: &mut Reader, old: Head) -> (Head, Option<String>) {
    let name = if reader.names("name") {
        reader.text("name", MAX_NAME)
    } else {
        old.name
    };
    let head = Head {
        name,
        description: reader
            .patch_text("description", MAX_DESCRIPTION)
            .over(old.description),
        layout: reader
            .opt_word("layout", &LAYOUTS)
            .map_or(old.layout, str::to_owned),
        locale: locales::read_locale(reader).unwrap_or(old.locale),
        timezone: locales::read_timezone(reader).unwrap_or(old.timezone),
        published: reader.bool("published", old.published),
    };
    (head, reader.opt_text("folder_token", 64))
}

/// Copies structure, settings, theme and rules, without entries.
///
/// # Errors
/// 403, 404, 422.
pub fn copy(app: &App, caller: &Caller, token: &str, body: Json) -> Result<FormView> {
    let (old, kept_back) = app.store.read(|tx| {
        let old = view(app, tx, caller, token, Right::Manage)?;
        let kept_back = links::not_for(tx, caller, &old.parsed)?;
        Ok((old, kept_back))
    })?;
    let mut at = Issues::new();
    for i in kept_back {
        at.push_at(
            &format!("fields[{i}].form_token"),
            "must be a form that you manage",
        );
    }
    let (name, folder) = read_copy(&mut Reader::new(body, &mut at), &old.form.name);
    at.into_result()?;
    no_folder(folder.as_deref())?;
    let head = Head {
        name,
        published: true,
        ..head_of(&old.form)
    };
    insert(app, caller, head, &old.form.scene, old.parsed.parts.clone())
}

fn read_copy(reader: &mut Reader, old: &str) -> (String, Option<String>) {
    let name = if reader.names("name") {
        reader.text("name", MAX_NAME)
    } else {
        let short: String = old.chars().take(MAX_NAME - 7).collect();
        format!("{short} (copy)")
    };
    (name, reader.opt_text("folder_token", 64))
}

/// The JSON Schema of the body of `copy`.
pub fn copy_schema() -> Json {
    Reader::describe(|reader| {
        read_copy(reader, "");
    })
}

/// Moves a form to the trash; its public pages stop at once.
///
/// # Errors
/// 403, 404, 412.
pub fn trash(app: &App, caller: &Caller, token: &str, if_match: IfMatch) -> Result<()> {
    let (caller, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Own)?;
        if_match.check(&form.etag(Part::Form))?;
        forms::set_deleted(tx, form.form_no, true)
    })
}

/// Takes a form out of the trash.
///
/// # Errors
/// 403, 404.
pub fn restore(app: &App, caller: &Caller, token: &str) -> Result<FormView> {
    let (who, name) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::trashed_form_for(tx, &who, &name, Right::Own)?;
        forms::set_deleted(tx, form.form_no, false)
    })?;
    show(app, caller, token)
}

/// What a list of forms is asked for.
pub struct ListRequest {
    /// Part of the name.
    pub name: Option<String>,
    /// The caller's folder; empty for forms in none.
    pub folder: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Which page.
    pub page: PageRequest,
}

/// The orders; the first one holds where none is named.
pub const SORTS: [(&str, Sort); 3] = [
    ("created_at", Sort::CreatedAt),
    ("updated_at", Sort::UpdatedAt),
    ("last_entry_created_at", Sort::LastEntryCreatedAt),
];

/// The order of that name.
///
/// # Errors
/// 400 that lists the allowed ones.
pub fn sort_by_name(name: Option<&str>) -> Result<Sort> {
    let wanted = name.unwrap_or(SORTS[0].0);
    let found = SORTS.iter().find(|(known, _)| *known == wanted);
    found.map(|(_, sort)| *sort).ok_or_else(|| {
        let names = SORTS.map(|(name, _)| name).join(", ");
        Error::BadRequest(format!("sort must be one of {names}"))
    })
}

/// The caller's forms.
///
/// # Errors
/// 400 for a cursor of another list, 404 for an unknown folder.
pub fn list(app: &App, caller: &Caller, request: ListRequest) -> Result<Page<FormListItem>> {
    // Nobody has folders yet, so every form is in none.
    no_folder(
        request
            .folder
            .as_deref()
            .filter(|folder| !folder.is_empty()),
    )?;
    let place = request.page.place()?;
    let filter = ListFilter {
        owner: caller.user.id,
        name: request.name.filter(|name| !name.is_empty()),
    };
    app.store.read(|tx| {
        let mut rows = forms::list(tx, &filter, request.sort, place, request.page.size + 1)?;
        let total = forms::count(tx, &filter)?;
        let more = rows.len() > request.page.size;
        rows.truncate(request.page.size);
        let next = rows
            .last()
            .filter(|_| more)
            .map(|(_, (value, form_no))| format!("{value}.{form_no}"));
        let rows = rows
            .into_iter()
            .filter_map(|(form, _)| {
                let role = access::role(caller, &form)?;
                Some(FormListItem { form, role })
            })
            .collect();
        Ok(Page { rows, total, next })
    })
}

/// What the fields of a body name in other forms.
fn found(app: &App, caller: &Caller, body: &Json) -> Result<Found> {
    let named = Named::of(&body["fields"]);
    if named.is_nothing() {
        return Ok(Found::default());
    }
    app.store
        .read(|tx| links::of_definition(&app.cache, tx, caller, named))
}

fn cx_of<'a>(head: &'a Head, timezone: &'a TimeZone, found: &'a Found) -> Cx<'a> {
    Cx {
        timezone,
        locale: &head.locale,
        now: clock::now(),
        respondent: false,
        found,
    }
}

fn no_folder(folder: Option<&str>) -> Result<()> {
    match folder {
        None => Ok(()),
        Some(_) => Err(Error::NotFound(Noun::Folder)),
    }
}
