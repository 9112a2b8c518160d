//! The JSON API: bodies to operations, results to envelopes. No HTML.

pub mod docs;
mod entries;
mod entry_lists;
mod exchange;
mod forms;
mod health;
mod linked_options;
mod me;
mod openapi;
mod own_entries;
mod parts;
mod published;
mod reports;
mod trash;

use crate::model::scope::Scope::{
    EntryDelete, EntryRead, EntryWrite, FormDelete, FormRead, FormWrite,
};
use crate::web::route::{
    Route, act, delete, get, known_get, open_get, open_patch, patch, post, post_many, post_sheet,
    put, respond_get, respond_post,
};

/// The routes of the API, and those beside it that answer machines.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
    // Forms.
    get   ("/api/v1/forms",                         FormRead,    forms::list),
    post  ("/api/v1/forms",                         FormWrite,   forms::create),
    get   ("/api/v1/forms/{form}",                  FormRead,    forms::show),
    patch ("/api/v1/forms/{form}",                  FormWrite,   forms::update),
    delete("/api/v1/forms/{form}",                  FormDelete,  forms::delete),
    act   ("/api/v1/forms/{form}/restore",          FormDelete,  forms::restore),
    act   ("/api/v1/forms/{form}/copy",             FormWrite,   forms::copy),
    get   ("/api/v1/forms/{form}/settings",         FormRead,    parts::settings),
    patch ("/api/v1/forms/{form}/settings",         FormWrite,   parts::update_settings),
    get   ("/api/v1/forms/{form}/theme",            FormRead,    parts::theme),
    patch ("/api/v1/forms/{form}/theme",            FormWrite,   parts::update_theme),
    get   ("/api/v1/forms/{form}/field_rules",      FormRead,    parts::rules),
    put   ("/api/v1/forms/{form}/field_rules",      FormWrite,   parts::replace_rules),
    // Entries.
    get   ("/api/v1/forms/{form}/entries",          EntryRead,   entry_lists::list),
    post  ("/api/v1/forms/{form}/entries/query",    EntryRead,   entry_lists::query).quick(),
    post  ("/api/v1/forms/{form}/entries",          EntryWrite,  entries::create).quick(),
    get   ("/api/v1/forms/{form}/entries/export",   EntryRead,   exchange::export).slow(),
    post_sheet("/api/v1/forms/{form}/entries/import", EntryWrite, exchange::import),
    post_many("/api/v1/forms/{form}/entries/bulk",  EntryWrite,  entries::create_many),
    get   ("/api/v1/forms/{form}/entries/report",   EntryRead,   reports::show),
    get   ("/api/v1/forms/{form}/entries/{serial}", EntryRead,   entries::show),
    patch ("/api/v1/forms/{form}/entries/{serial}", EntryWrite,  entries::update).quick(),
    delete("/api/v1/forms/{form}/entries/{serial}", EntryDelete, entries::delete).quick(),
    get   ("/api/v1/forms/{form}/trash/entries",    EntryRead,   trash::list),
    act   ("/api/v1/forms/{form}/trash/entries/{serial}/restore", EntryWrite, trash::restore).quick(),
    delete("/api/v1/forms/{form}/trash/entries/{serial}", EntryDelete, trash::delete).quick(),
    get   ("/api/v1/forms/{form}/linked_form_options", EntryRead, linked_options::for_collaborator).slow(),
    // Published forms.
    respond_get ("/api/v1/f/{form}",         published::show),
    respond_post("/api/v1/f/{form}/entries", published::submit).quick(),
    open_get    ("/api/v1/f/{form}/entries/{entry}", own_entries::show),
    open_patch  ("/api/v1/f/{form}/entries/{entry}", own_entries::update).quick(),
    open_get    ("/api/v1/f/{form}/associated_entry_options", linked_options::for_respondent).slow(),
    // The caller.
    known_get("/api/v1/me",            me::show),
    patch    ("/api/v1/me", FormWrite, me::update),
    // The service itself.
    open_get("/api/v1/openapi.json", openapi::show),
    open_get("/healthz", health::alive),
    open_get("/readyz",  health::ready).slow(),
];
