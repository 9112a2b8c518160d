//! Forms: create, read, change, copy, delete, restore (contract section 3).

pub mod access;
pub(in crate::ops) mod access_password;
pub mod availability;
pub mod beginnings;
pub(in crate::ops) mod drafted_parts;
pub mod drafts;
pub(in crate::ops) mod field_edits;
pub mod field_rules;
pub mod find;
pub mod folders;
pub mod form_file;
pub mod form_lists;
pub mod form_sections;
pub mod form_view;
pub(in crate::ops) mod placeholders;
pub mod published;
pub mod ready_themes;
pub(in crate::ops) mod removed_values;
pub mod renamed_choices;
pub mod rewrites;
pub mod settings;
pub(in crate::ops) mod settings_body;
pub mod settings_edit;
pub mod state;
pub mod themes;
pub mod versions;

use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::id::FormToken;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::patch::Patch;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::Field;
use crate::fields::definition::{self, Definition, Drafted};
use crate::fields::files::links::FilesCx;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::links::linked::Named;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::form::{Form, FormSection, LAYOUTS, Parts, SCENES};
use crate::model::precondition::IfMatch;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::locales;
use crate::ops::app::App;
use crate::ops::capacity;
use crate::ops::entries::{links, unique_index_build};
use crate::ops::exams::rescoring;
use crate::ops::files::images::{self, UsedImages};
use crate::ops::forms::access::Right;
use crate::ops::forms::drafted_parts::DraftedParts;
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::versions::record;
use crate::query::form_cache::ParsedForm;
use crate::store;
use crate::store::forms::{self, Head, NewForm};

/// Maximum characters of a form's name.
pub const MAX_NAME: usize = 200;
const MAX_DESCRIPTION: usize = 10_000;

/// Creates a form. `at` has the faults found in the body so far.
///
/// # Errors
/// 404 for an unknown folder, 422.
pub fn create(app: &App, caller: &Caller, body: Json, at: Issues) -> Result<FormView> {
    app.run_until_stored(caller.user.token.as_str(), || try_create(app, caller, body.clone(), at.clone()))
}

fn try_create(app: &App, caller: &Caller, body: Json, mut at: Issues) -> Result<FormView> {
    let found = look_up(app, caller, &body)?;
    folders::check_named(app, caller, &body)?;
    let NewFormRequest { head, scene, folder, fields } =
        NewFormRequest::read(&mut Reader::new(body, &mut at), &caller.user.locale, &locales::known_timezone(caller));
    let definition = fields.map(|fields| {
        let timezone = TimeZone::get(&head.timezone).unwrap_or(TimeZone::UTC);
        if head.published && is_empty_list(&fields) {
            at.push_at("fields", definition::none_given());
        }
        Definition::create(fields, &cx_of(&head, &timezone, &found), &mut at)
    });
    if let Some(definition) = &definition {
        check_files(app, definition, &mut at);
    }
    at.into_result()?;
    let parts = Parts {
        fields: definition.map(|d| d.to_stored()).unwrap_or_default(),
        settings: json!({}),
        theme: json!({}),
        field_rules: json!([]),
    };
    let images = UsedImages::of(found.images());
    insert(app, caller, (head, scene, parts), folder, images)
}

fn is_empty_list(fields: &Json) -> bool {
    fields.as_array().is_some_and(Vec::is_empty)
}

/// Checks that no field allows larger files than the server accepts. It runs only without other faults, since only then
/// a field has the same index as in the request.
fn check_files(app: &App, definition: &Definition, at: &mut Issues) {
    fn check<'f>(fields: impl Iterator<Item = &'f Field>, max: u64, at: &mut Issues) {
        for (i, field) in fields.enumerate() {
            at.index(i, |at| {
                let files = field.kind.files();
                let asked = files.and_then(|files| files.largest_file_mb());
                if asked.is_some_and(|size| size > max) {
                    at.push_at("max_size", Reason::between(1, max));
                }
                at.key("dimensions", |at| {
                    check(field.kind.sub_fields().iter(), max, at);
                });
            });
        }
    }
    if at.is_empty() {
        let max = app.config.max_upload_mb;
        at.key("fields", |at| check(definition.fields.iter(), max, at));
    }
}

/// The request for a new form. Its fields are read when its time zone is known.
struct NewFormRequest {
    head: Head,
    scene: &'static str,
    folder: Option<String>,
    fields: Option<Json>,
}

impl NewFormRequest {
    fn read(reader: &mut Reader, locale: &str, timezone: &str) -> Self {
        let name = reader.text("name", MAX_NAME);
        let description = reader.opt_text("description", MAX_DESCRIPTION);
        let scene = reader.opt_word("scene", &SCENES).unwrap_or("form");
        let layout = reader.opt_word("layout", &LAYOUTS).unwrap_or("classic");
        let locale = locales::read_locale(reader).unwrap_or_else(|| locale.to_owned());
        let timezone = locales::read_timezone(reader).unwrap_or_else(|| timezone.to_owned());
        let published = reader.bool("published", true);
        let folder = reader.opt_text("folder_token", folders::LONGEST_TOKEN);
        reader.note("fields", definition::list_schema);
        let fields = match reader.raw("fields") {
            None if published => {
                reader.fault_beside_others("fields", Reason::Required);
                None
            }
            None => Some(json!([])),
            given => given,
        };
        Self {
            head: Head { name, description, layout: layout.to_owned(), locale, timezone, published },
            scene,
            folder,
            fields,
        }
    }
}

/// The JSON Schema of the body of `create`.
pub fn create_schema() -> Json {
    Reader::describe(|reader| {
        NewFormRequest::read(reader, "", "");
    })
}

fn insert(
    app: &App,
    caller: &Caller,
    (head, scene, parts): (Head, &str, Parts),
    folder: Option<String>,
    images: UsedImages,
) -> Result<FormView> {
    let token = FormToken::random();
    let definition = Definition::from_stored(parts.fields.clone()).map_err(Error::internal)?;
    let unique: Vec<u32> = unique_index_build::unique_numbers(&definition);
    let form = NewForm { token: token.clone(), owner: caller.user.id, head, scene: scene.to_owned(), parts };
    let who = caller.clone();
    app.store.write(move |tx| {
        images.store(tx)?;
        let form_no = forms::insert(tx, &form)?;
        let by = By::caller(&who);
        audit::note_form(tx, by, Action::FormCreated, form.token.as_str())?;
        record::begin(tx, form_no, by)?;
        if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
            folders::place(tx, &who, form_no, Some(&folder))?;
        }
        unique_index_build::start_empty(tx, form_no, &unique)
    })?;
    show(app, caller, token.as_str())
}

/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<FormView> {
    app.store.read(|tx| form_view::load(app, tx, caller, token, Right::Read))
}

/// Changes a form; `fields` replaces the list. `at` has the faults found in the body so far. Returns the form and
/// warnings.
///
/// # Errors
/// 403, 404, 412, 422, also `data_loss`.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    at: Issues,
) -> Result<(FormView, Vec<Issue>)> {
    update_drafted(app, caller, token, body, &DraftedParts::default(), if_match, at)
}

/// The same with the other parts of a draft: it goes with a body that has `fields`.
pub(in crate::ops) fn update_drafted(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    parts: &DraftedParts,
    if_match: &IfMatch,
    at: Issues,
) -> Result<(FormView, Vec<Issue>)> {
    app.run_until_stored(token, || try_update(app, caller, token, body.clone(), parts, if_match, at.clone()))
}

fn try_update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    parts: &DraftedParts,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<(FormView, Vec<Issue>)> {
    let (old, drafted_next) = app.store.read(|tx| {
        let old = form_view::load(app, tx, caller, token, Right::Manage)?;
        let next_field = store::forms::drafts::next_field(tx, old.form.form_no)?;
        Ok((old, next_field))
    })?;
    if_match.check(&old.form.etag(FormSection::Form))?;
    parts.check_bases(&old.parsed)?;
    let drafted = Drafted { codes: parts.codes.clone(), next_field: drafted_next };
    let found = look_up(app, caller, &body)?;
    folders::check_named(app, caller, &body)?;
    // A form's folder is private to the caller: moving it does not change the form.
    let moves_only = body.as_object().is_some_and(|body| body.len() == 1 && body.contains_key("folder_token"));
    let UpdateRequest { head, folder, fields, confirmed } =
        UpdateRequest::read(&mut Reader::new(body, &mut at), head_of(&old.form));
    let timezone = TimeZone::get(&head.timezone).unwrap_or(TimeZone::UTC);
    let gives_none = matches!(&fields, Patch::Value(fields) if is_empty_list(fields));
    let edit = match fields {
        Patch::Value(fields) => {
            let cx = cx_of(&head, &timezone, &found);
            Some(old.parsed.definition.replace_drafted(fields, &drafted, &cx, &mut at))
        }
        _ => None,
    };
    if let Some(edit) = &edit {
        check_files(app, &edit.definition, &mut at);
    }
    if head.published && gives_none {
        at.push_at("fields", definition::none_given());
    } else if head.published && edit.is_none() && old.parsed.definition.fields.is_empty() {
        at.push_at("fields", Reason::NoFields);
    }
    at.into_result()?;
    let (form_no, version) = (old.form.form_no, old.form.version);
    let removals = edit.as_ref().map_or(&[][..], |edit| &edit.removals);
    let mut warnings = field_rules::naming_removed(parts.rules(&old.parsed), removals);
    warnings.extend(rescoring::naming_removed(&old.parsed, removals));
    if let Some(edit) = &edit {
        let (rules, known) = (parts.rules(&old.parsed), &old.parsed.parts.field_rules);
        let fields = (&old.parsed.definition.fields, &edit.definition.fields);
        warnings.extend(renamed_choices::warnings(rules, known, fields.0, fields.1));
    }
    let edits_fields = edit.is_some();
    match edit {
        None if moves_only => {}
        None => {
            let (by, token) = (By::caller(caller), token.to_owned());
            let recomputes = old.parsed.derives() && field_edits::speaks_other(&old, &head);
            app.store.write(move |tx| {
                forms::check_version(tx, form_no, version)?;
                audit::note_form(tx, by, Action::FormUpdated, &token)?;
                let before = record::before(tx, form_no)?;
                forms::update(tx, form_no, &head, None)?;
                record::keep(tx, form_no, &before, by, None)?;
                if recomputes {
                    rewrites::recompute(tx, form_no)?;
                }
                Ok(())
            })?;
            if recomputes && !rewrites::entries_now(app, form_no) {
                warnings.push(rewrites::warning("fields"));
            }
        }
        Some(edit) => {
            let images = UsedImages::of(found.images());
            let is_done = field_edits::apply(app, caller, &old, head, edit, (confirmed, images), parts)?;
            warnings.extend((!is_done).then(|| rewrites::warning("fields")));
        }
    }
    if edits_fields {
        warnings.extend(exceeded(app, caller, token, &old.parsed)?);
    }
    if folder != Patch::Absent {
        let (who, folder) = (caller.clone(), folder.over(None));
        app.store.write(move |tx| folders::place(tx, &who, form_no, folder.as_deref()))?;
    }
    Ok((show(app, caller, token)?, warnings))
}

/// Warnings of limits that an edit of `old` set below the amount taken.
fn exceeded(app: &App, caller: &Caller, token: &str, old: &ParsedForm) -> Result<Vec<Issue>> {
    app.store.read(|tx| {
        let now = form_view::load(app, tx, caller, token, Right::Manage)?.parsed;
        let counts = store::capacity::taken_counts(tx, now.form_no)?;
        let (before, after) = (&old.definition.fields, &now.definition.fields);
        Ok(capacity::exceeded(before, after, &counts, &now.cx(tx.now, false)))
    })
}

/// The request to change a form.
struct UpdateRequest {
    head: Head,
    folder: Patch<String>,
    fields: Patch<Json>,
    confirmed: bool,
}

impl UpdateRequest {
    fn read(reader: &mut Reader, old: Head) -> Self {
        let confirmed = reader.bool("confirm_data_loss", false);
        let (head, folder) = read_head(reader, old);
        reader.note("fields", definition::list_schema);
        let fields = reader.raw_patch("fields");
        if fields == Patch::Null {
            reader.fault("fields", Reason::MustBe(Expected::List));
        }
        Self { head, folder, fields, confirmed }
    }
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        UpdateRequest::read(reader, Head::default());
    })
}

pub(in crate::ops::forms) fn head_of(form: &Form) -> Head {
    Head {
        name: form.name.clone(),
        description: form.description.clone(),
        layout: form.layout.clone(),
        locale: form.locale.clone(),
        timezone: form.timezone.clone(),
        published: form.published,
    }
}

/// The head with the changes of a PATCH, and the folder that it names.
fn read_head(reader: &mut Reader, old: Head) -> (Head, Patch<String>) {
    let name = if reader.contains_key("name") { reader.text("name", MAX_NAME) } else { old.name };
    let head = Head {
        name,
        description: reader.patch_text("description", MAX_DESCRIPTION).over(old.description),
        layout: reader.opt_word("layout", &LAYOUTS).map_or(old.layout, str::to_owned),
        locale: locales::read_locale(reader).unwrap_or(old.locale),
        timezone: locales::read_timezone(reader).unwrap_or(old.timezone),
        published: reader.bool("published", old.published),
    };
    (head, reader.patch_text("folder_token", folders::LONGEST_TOKEN))
}

/// Copies structure, settings, theme and rules, without entries. The copy is published, if it has fields. `at` has the
/// faults found in the body so far.
///
/// # Errors
/// 403, 404, 422.
pub fn copy(app: &App, caller: &Caller, token: &str, body: Json, at: Issues) -> Result<FormView> {
    make_copy(app, caller, token, body, true, at)
}

/// The same, but the copy is not published.
///
/// # Errors
/// As `copy`.
pub fn copy_unpublished(app: &App, caller: &Caller, token: &str, body: Json, at: Issues) -> Result<FormView> {
    make_copy(app, caller, token, body, false, at)
}

fn make_copy(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    is_published: bool,
    mut at: Issues,
) -> Result<FormView> {
    let (old, not_copyable) = app.store.read(|tx| {
        let old = form_view::load(app, tx, caller, token, Right::Manage)?;
        let not_copyable = links::not_for(tx, caller, &old.parsed)?;
        Ok((old, not_copyable))
    })?;
    folders::check_named(app, caller, &body)?;
    for i in not_copyable {
        at.push_at(&format!("fields[{i}].form_token"), Reason::MustBe(Expected::Other("a form that you manage")));
    }
    let (name, folder) = read_copy(&mut Reader::new(body, &mut at), &old.form.name);
    at.into_result()?;
    let published = is_published && !old.parsed.definition.fields.is_empty();
    let head = Head { name, published, ..head_of(&old.form) };
    let parts = old.parsed.parts.clone();
    let form = (head, old.form.scene.as_str(), parts);
    insert(app, caller, form, folder, UsedImages::default())
}

fn read_copy(reader: &mut Reader, old: &str) -> (String, Option<String>) {
    let name = if reader.contains_key("name") {
        reader.text("name", MAX_NAME)
    } else {
        let short: String = old.chars().take(MAX_NAME - 7).collect();
        format!("{short} (copy)")
    };
    (name, reader.opt_text("folder_token", folders::LONGEST_TOKEN))
}

/// The JSON Schema of the body of `copy`.
pub fn copy_schema() -> Json {
    Reader::describe(|reader| {
        read_copy(reader, "");
    })
}

/// Moves a form to the trash. Its public pages stop at once.
///
/// # Errors
/// 403, 404, 412.
pub fn trash(app: &App, caller: &Caller, token: &str, if_match: IfMatch) -> Result<()> {
    let (caller, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Own)?;
        if_match.check(&form.etag(FormSection::Form))?;
        audit::note_form(tx, By::caller(&caller), Action::FormDeleted, &token)?;
        forms::set_deleted(tx, form.form_no, true)
    })
}

/// # Errors
/// 403, 404.
pub fn restore(app: &App, caller: &Caller, token: &str) -> Result<FormView> {
    let (who, name) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::trashed_form_for(tx, &who, &name, Right::Own)?;
        audit::note_form(tx, By::caller(&who), Action::FormRestored, &name)?;
        forms::set_deleted(tx, form.form_no, false)
    })?;
    show(app, caller, token)
}

/// Looks up the forms, entries and images that the fields of a body refer to.
pub(in crate::ops::forms) fn look_up(app: &App, caller: &Caller, body: &Json) -> Result<LinkedData> {
    let named = Named::of(&body["fields"]);
    let mut found = if named.is_nothing() {
        LinkedData::default()
    } else {
        app.store.read(|tx| links::of_definition(&app.cache, tx, caller, named))?
    };
    found.add_images(images::of_request(app, caller, &body["fields"])?);
    Ok(found)
}

pub(in crate::ops::forms) fn cx_of<'a>(head: &'a Head, timezone: &'a TimeZone, found: &'a LinkedData) -> Cx<'a> {
    Cx {
        timezone,
        locale: &head.locale,
        now: clock::now(),
        respondent: false,
        found,
        files: FilesCx::default(),
        pass_score: None,
        has_waiting_list: false,
    }
}
