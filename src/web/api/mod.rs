//! The JSON API: bodies to operations, results to envelopes. No HTML.

mod audit;
mod collaborators;
pub mod docs;
mod entries;
mod entry_lists;
mod exchange;
mod folders;
mod form_lists;
mod forms;
mod health;
mod linked_options;
mod me;
pub mod oauth;
mod openapi;
mod own_entries;
mod parts;
mod published;
mod reports;
mod trash;
mod uploads;

use crate::model::role::Role::{Editor, Manager, Owner, Viewer};
use crate::model::scope::Scope::{
    EntryDelete, EntryRead, EntryWrite, FormDelete, FormRead, FormWrite,
};
use crate::web::route::{
    Route, act, client_post, delete, get, known_get, known_post, open_get, open_patch, open_post,
    patch, post, post_many, post_sheet, put, put_file, respond_get, respond_post,
};
use crate::web::{files, images};

/// The routes of the API, and those beside it that answer machines.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
    // Forms.
    get   ("/api/v1/forms",                                      FormRead,    form_lists::list),
    post  ("/api/v1/forms",                                      FormWrite,   forms::create).tells_keys(),
    get   ("/api/v1/forms/{form_token}",                         FormRead,    forms::show).by(Viewer),
    patch ("/api/v1/forms/{form_token}",                         FormWrite,   forms::update).by(Manager).tells_keys(),
    delete("/api/v1/forms/{form_token}",                         FormDelete,  forms::delete).by(Owner),
    act   ("/api/v1/forms/{form_token}/restore",                 FormDelete,  forms::restore).by(Owner),
    act   ("/api/v1/forms/{form_token}/copy",                    FormWrite,   forms::copy).by(Manager).tells_keys(),
    get   ("/api/v1/forms/{form_token}/collaborators",           FormRead,    collaborators::list).by(Manager),
    put   ("/api/v1/forms/{form_token}/collaborators/{user_id}", FormWrite,   collaborators::put).by(Manager),
    delete("/api/v1/forms/{form_token}/collaborators/{user_id}", FormWrite,   collaborators::delete).by(Manager),
    put   ("/api/v1/forms/{form_token}/folder",                  FormWrite,   folders::put_form).by(Viewer),
    get   ("/api/v1/forms/{form_token}/settings",                FormRead,    parts::settings).by(Viewer),
    patch ("/api/v1/forms/{form_token}/settings",                FormWrite,   parts::update_settings).by(Manager).tells_keys(),
    get   ("/api/v1/forms/{form_token}/theme",                   FormRead,    parts::theme).by(Viewer),
    patch ("/api/v1/forms/{form_token}/theme",                   FormWrite,   parts::update_theme).by(Manager).tells_keys(),
    get   ("/api/v1/forms/{form_token}/field_rules",             FormRead,    parts::rules).by(Viewer),
    put   ("/api/v1/forms/{form_token}/field_rules",             FormWrite,   parts::replace_rules).by(Manager).tells_keys(),
    // Folders.
    get   ("/api/v1/folders",                                    FormRead,    folders::list),
    post  ("/api/v1/folders",                                    FormWrite,   folders::create),
    get   ("/api/v1/folders/{folder_token}",                     FormRead,    folders::show),
    patch ("/api/v1/folders/{folder_token}",                     FormWrite,   folders::update),
    delete("/api/v1/folders/{folder_token}",                     FormDelete,  folders::delete),
    // Entries.
    get   ("/api/v1/forms/{form_token}/entries",                 EntryRead,   entry_lists::list).by(Viewer),
    post  ("/api/v1/forms/{form_token}/entries/query",           EntryRead,   entry_lists::query).quick().by(Viewer),
    post  ("/api/v1/forms/{form_token}/entries",                 EntryWrite,  entries::create).quick().by(Editor),
    get   ("/api/v1/forms/{form_token}/entries/export",          EntryRead,   exchange::export).slow().by(Viewer),
    post_sheet("/api/v1/forms/{form_token}/entries/import",      EntryWrite, exchange::import).by(Editor),
    post_many("/api/v1/forms/{form_token}/entries/bulk",         EntryWrite,  entries::create_many).by(Editor),
    get   ("/api/v1/forms/{form_token}/entries/report",          EntryRead,   reports::show).by(Viewer),
    get   ("/api/v1/forms/{form_token}/entries/{serial_number}", EntryRead,   entries::show).by(Viewer),
    patch ("/api/v1/forms/{form_token}/entries/{serial_number}", EntryWrite,  entries::update).quick().by(Editor),
    delete("/api/v1/forms/{form_token}/entries/{serial_number}", EntryDelete, entries::delete).quick().by(Editor),
    get   ("/api/v1/forms/{form_token}/trash/entries",           EntryRead,   trash::list).by(Viewer),
    act   ("/api/v1/forms/{form_token}/trash/entries/{serial_number}/restore", EntryWrite, trash::restore).quick().by(Editor),
    delete("/api/v1/forms/{form_token}/trash/entries/{serial_number}", EntryDelete, trash::delete).quick().by(Editor),
    get   ("/api/v1/forms/{form_token}/linked_form_options",     EntryRead, linked_options::for_collaborator).slow().by(Viewer),
    // Published forms.
    respond_get ("/api/v1/f/{form_token}",                       published::show),
    respond_post("/api/v1/f/{form_token}/entries",               published::submit).quick(),
    open_get    ("/api/v1/f/{form_token}/entries/{entry_token}", own_entries::show),
    open_patch  ("/api/v1/f/{form_token}/entries/{entry_token}", own_entries::update).quick(),
    open_get    ("/api/v1/f/{form_token}/associated_entry_options", linked_options::for_respondent).slow(),
    get   ("/api/v1/participated_forms",                         FormRead,    form_lists::participated),
    // Files.
    known_post("/api/v1/attachments",                             uploads::prepare_image),
    open_post("/api/v1/f/{form_token}/entry_attachments",        uploads::prepare_attachment),
    known_post("/api/v1/attachment_commitments",                  uploads::commit),
    put_file("/uploads/{upload_id}",                             uploads::put),
    open_get("/files/{id}/{name}",                               files::show),
    open_get("/images/{id}",                                     images::show).slow(),
    // The caller.
    known_get("/api/v1/me",                                      me::show),
    patch    ("/api/v1/me",                                      FormWrite, me::update),
    // Applications.
    client_post("/api/v1/oauth/token",                           oauth::token),
    client_post("/api/v1/oauth/revoke",                          oauth::revoke),
    open_get("/api/v1/oauth/jwks",                               oauth::jwks).slow(),
    open_get("/.well-known/oauth-authorization-server",          oauth::metadata),
    get      ("/api/v1/audit_events",                            FormRead,  audit::list),
    // The service itself.
    open_get("/api/v1/openapi.json",                             openapi::show),
    open_get("/healthz",                                         health::alive),
    open_get("/readyz",                                          health::ready).slow(),
];
