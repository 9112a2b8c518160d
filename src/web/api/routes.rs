//! The routes of the API and others for programs: method, path, access rule, handler, and its description, which stands
//! above it.

use crate::model::role::Role::{Editor, Manager, Owner, Viewer};
use crate::model::scope::Scope::{
    EntryDelete, EntryRead, EntryWrite, FormDelete, FormRead, FormWrite, IntegrationRead, IntegrationWrite,
};
use crate::web::api::accounts::{audit, collaborators, me, members, organizations};
use crate::web::api::capacity::{booking_days, holds};
use crate::web::api::delivery::{event_stream, notifications, webhooks};
use crate::web::api::entries::{self, entry_lists, in_trash, jobs, linked_options, own_entries, reports};
use crate::web::api::files::uploads;
use crate::web::api::forms::{self, folders, form_lists, form_sections, published, versions};
use crate::web::api::queries::{definitions, visits};
use crate::web::api::{health, oauth, openapi, transfer};
use crate::web::files::{certificates, entry_files, images};
use crate::web::forms::verification;
use crate::web::request::route::BodyRule::{Json, OptionalJson, Sheet};
use crate::web::request::route::Run::{AnyToken, Client, Open, OpenOrKnown, Respond, Scoped, Upload};
use crate::web::request::route::{BODY_LIMIT, BULK_LIMIT, Route};

#[rustfmt::skip] // Each row on one line.
pub static ROUTES: &[Route] = &[
    // Forms.
    Route::get("/api/v1/forms", Scoped(FormRead, form_lists::list)).doc(form_lists::LIST_FORMS),
    Route::post("/api/v1/forms", Scoped(FormWrite, forms::create)).doc(forms::CREATE_FORM),
    Route::get("/api/v1/forms/{form_token}", Scoped(FormRead, forms::show)).by(Viewer).doc(forms::GET_FORM),
    Route::patch("/api/v1/forms/{form_token}", Scoped(FormWrite, forms::update)).by(Manager).doc(forms::UPDATE_FORM),
    Route::delete("/api/v1/forms/{form_token}", Scoped(FormDelete, forms::delete)).by(Owner).doc(forms::DELETE_FORM),
    Route::post("/api/v1/forms/{form_token}/restore", Scoped(FormDelete, forms::restore)).body(OptionalJson(BODY_LIMIT)).by(Owner).doc(forms::RESTORE_FORM),
    Route::post("/api/v1/forms/{form_token}/copy", Scoped(FormWrite, forms::copy)).body(OptionalJson(BODY_LIMIT)).by(Manager).doc(forms::COPY_FORM),
    Route::get("/api/v1/forms/{form_token}/collaborators", Scoped(FormRead, collaborators::list)).by(Manager).doc(collaborators::LIST_COLLABORATORS),
    Route::put("/api/v1/forms/{form_token}/collaborators/{user_id}", Scoped(FormWrite, collaborators::put)).by(Manager).doc(collaborators::PUT_COLLABORATOR),
    Route::delete("/api/v1/forms/{form_token}/collaborators/{user_id}", Scoped(FormWrite, collaborators::delete)).by(Manager).doc(collaborators::DELETE_COLLABORATOR),
    Route::put("/api/v1/forms/{form_token}/folder", Scoped(FormWrite, folders::put_form)).by(Viewer).doc(folders::PUT_FORM_FOLDER),
    Route::patch("/api/v1/forms/{form_token}/folder", Scoped(FormWrite, folders::put_form)).by(Viewer).doc(folders::PATCH_FORM_FOLDER),
    Route::get("/api/v1/forms/{form_token}/settings", Scoped(FormRead, form_sections::settings)).by(Viewer).doc(form_sections::GET_SETTINGS),
    Route::get("/api/v1/forms/{form_token}/notifications", Scoped(FormRead, notifications::list)).by(Manager).doc(notifications::LIST_NOTIFICATIONS),
    Route::patch("/api/v1/forms/{form_token}/settings", Scoped(FormWrite, form_sections::update_settings)).by(Manager).doc(form_sections::UPDATE_SETTINGS),
    Route::delete("/api/v1/forms/{form_token}/holds", Scoped(FormWrite, holds::end_all)).inline().by(Manager).doc(holds::END_HOLDS),
    Route::get("/api/v1/forms/{form_token}/theme", Scoped(FormRead, form_sections::theme)).by(Viewer).doc(form_sections::GET_THEME),
    Route::patch("/api/v1/forms/{form_token}/theme", Scoped(FormWrite, form_sections::update_theme)).by(Manager).doc(form_sections::UPDATE_THEME),
    Route::get("/api/v1/forms/{form_token}/field_rules", Scoped(FormRead, form_sections::rules)).by(Viewer).doc(form_sections::GET_FIELD_RULES),
    Route::put("/api/v1/forms/{form_token}/field_rules", Scoped(FormWrite, form_sections::replace_rules)).by(Manager).doc(form_sections::REPLACE_FIELD_RULES),
    Route::get("/api/v1/forms/{form_token}/versions", Scoped(FormRead, versions::list)).by(Manager).doc(versions::LIST_VERSIONS),
    Route::get("/api/v1/forms/{form_token}/versions/{version}", Scoped(FormRead, versions::show)).by(Manager).doc(versions::GET_VERSION),
    Route::post("/api/v1/forms/{form_token}/versions/{version}/restore", Scoped(FormWrite, versions::restore)).body(OptionalJson(BODY_LIMIT)).by(Manager).doc(versions::RESTORE_VERSION),
    // Webhooks.
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks", Scoped(IntegrationRead, webhooks::list)).by(Manager).doc(webhooks::LIST_WEBHOOKS),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks", Scoped(IntegrationWrite, webhooks::create)).by(Manager).tells_keys().doc(webhooks::CREATE_WEBHOOK),
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationRead, webhooks::show)).by(Manager).doc(webhooks::GET_WEBHOOK),
    Route::patch("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationWrite, webhooks::update)).by(Manager).tells_keys().doc(webhooks::UPDATE_WEBHOOK),
    Route::delete("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationWrite, webhooks::delete)).by(Manager).doc(webhooks::DELETE_WEBHOOK),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/rotate_secret", Scoped(IntegrationWrite, webhooks::rotate_secret)).body(OptionalJson(BODY_LIMIT)).by(Manager).doc(webhooks::ROTATE_WEBHOOK_SECRET),
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries", Scoped(IntegrationRead, webhooks::deliveries)).by(Manager).doc(webhooks::LIST_WEBHOOK_DELIVERIES),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/test", Scoped(IntegrationWrite, webhooks::test)).body(OptionalJson(BODY_LIMIT)).by(Manager).doc(webhooks::TEST_WEBHOOK),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", Scoped(IntegrationWrite, webhooks::redeliver)).body(OptionalJson(BODY_LIMIT)).by(Manager).doc(webhooks::REDELIVER),
    // Folders.
    Route::get("/api/v1/folders", Scoped(FormRead, folders::list)).doc(folders::LIST_FOLDERS),
    Route::post("/api/v1/folders", Scoped(FormWrite, folders::create)).doc(folders::CREATE_FOLDER),
    Route::get("/api/v1/folders/{folder_token}", Scoped(FormRead, folders::show)).doc(folders::GET_FOLDER),
    Route::patch("/api/v1/folders/{folder_token}", Scoped(FormWrite, folders::update)).doc(folders::UPDATE_FOLDER),
    Route::delete("/api/v1/folders/{folder_token}", Scoped(FormDelete, folders::delete)).doc(folders::DELETE_FOLDER),
    // Public queries.
    Route::get("/api/v1/opensearch/queries", Scoped(FormRead, definitions::list)).doc(definitions::LIST_PUBLIC_QUERIES),
    Route::post("/api/v1/opensearch/queries", Scoped(FormWrite, definitions::create)).doc(definitions::CREATE_PUBLIC_QUERY),
    Route::get("/api/v1/opensearch/queries/suggestions", Scoped(FormRead, definitions::suggestions)).doc(definitions::SUGGEST_QUERY_FIELDS),
    Route::get("/api/v1/opensearch/queries/{query_token}", Scoped(FormRead, definitions::show)).doc(definitions::GET_PUBLIC_QUERY),
    Route::patch("/api/v1/opensearch/queries/{query_token}", Scoped(FormWrite, definitions::update)).doc(definitions::UPDATE_PUBLIC_QUERY),
    Route::delete("/api/v1/opensearch/queries/{query_token}", Scoped(FormDelete, definitions::delete)).doc(definitions::DELETE_PUBLIC_QUERY),
    Route::get("/api/v1/q/{query_token}", Open(visits::show)).doc(visits::GET_QUERY_OUTLINE),
    Route::post("/api/v1/q/{query_token}/search", Open(visits::find)).tells_keys().doc(visits::SEARCH_QUERY),
    Route::patch("/api/v1/q/{query_token}/entries/{entry_token}", Open(visits::update)).blocking().tells_keys().doc(visits::UPDATE_QUERY_ROW),
    Route::post("/api/v1/q/{query_token}/entries/{entry_token}/attachments", Open(uploads::prepare_in_query)).tells_keys().doc(uploads::PREPARE_QUERY_ATTACHMENT),
    // Entries.
    Route::get("/api/v1/forms/{form_token}/entries", Scoped(EntryRead, entry_lists::list)).by(Viewer).doc(entry_lists::LIST_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/entries/query", Scoped(EntryRead, entry_lists::query)).inline().by(Viewer).doc(entry_lists::QUERY_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/entries", Scoped(EntryWrite, entries::create)).inline().by(Editor).doc(entries::CREATE_ENTRY),
    Route::get("/api/v1/forms/{form_token}/entries/export", Scoped(EntryRead, transfer::export)).blocking().by(Viewer).doc(transfer::EXPORT_ENTRIES),
    Route::get("/api/v1/forms/{form_token}/events", Scoped(EntryRead, event_stream::open)).blocking().by(Viewer).doc(event_stream::STREAM_EVENTS),
    Route::post("/api/v1/forms/{form_token}/entries/import", Scoped(EntryWrite, transfer::import)).body(Sheet(BULK_LIMIT)).by(Editor).refuses_unknown().doc(transfer::IMPORT_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/entries/bulk", Scoped(EntryWrite, entries::create_many)).body(Json(BULK_LIMIT)).by(Editor).doc(entries::CREATE_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/entries/bulk_trash", Scoped(EntryDelete, jobs::trash)).by(Editor).doc(jobs::TRASH_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/entries/bulk_update", Scoped(EntryWrite, jobs::update)).by(Editor).doc(jobs::UPDATE_ENTRIES),
    Route::get("/api/v1/forms/{form_token}/jobs/{job_id}", Scoped(EntryRead, jobs::show)).by(Viewer).doc(jobs::GET_JOB),
    Route::post("/api/v1/forms/{form_token}/jobs/{job_id}/stop", Scoped(EntryWrite, jobs::stop)).body(OptionalJson(BODY_LIMIT)).inline().by(Editor).doc(jobs::STOP_JOB),
    Route::post("/api/v1/forms/{form_token}/jobs/{job_id}/undo", Scoped(EntryWrite, jobs::undo)).body(OptionalJson(BODY_LIMIT)).inline().by(Editor).doc(jobs::UNDO_JOB),
    Route::get("/api/v1/forms/{form_token}/entries/report", Scoped(EntryRead, reports::show)).by(Viewer).doc(reports::GET_REPORT),
    Route::get("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryRead, entries::show)).by(Viewer).doc(entries::GET_ENTRY),
    Route::patch("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryWrite, entries::update)).inline().by(Editor).doc(entries::UPDATE_ENTRY),
    Route::patch("/api/v1/forms/{form_token}/entries/{serial_number}/reservation_status", Scoped(EntryWrite, entries::set_reservation_status)).inline().by(Editor).tells_keys().doc(entries::SET_RESERVATION_STATUS),
    Route::delete("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryDelete, entries::delete)).inline().by(Editor).doc(entries::DELETE_ENTRY),
    Route::get("/api/v1/forms/{form_token}/trash/entries", Scoped(EntryRead, in_trash::list)).by(Viewer).doc(in_trash::LIST_TRASHED_ENTRIES),
    Route::post("/api/v1/forms/{form_token}/trash/entries/{serial_number}/restore", Scoped(EntryWrite, in_trash::restore)).body(OptionalJson(BODY_LIMIT)).inline().by(Editor).doc(in_trash::RESTORE_ENTRY),
    Route::delete("/api/v1/forms/{form_token}/trash/entries/{serial_number}", Scoped(EntryDelete, in_trash::delete)).inline().by(Editor).doc(in_trash::DELETE_TRASHED_ENTRY),
    Route::get("/api/v1/forms/{form_token}/linked_form_options", Scoped(EntryRead, linked_options::for_collaborator)).blocking().by(Viewer).doc(linked_options::LIST_LINKED_FORM_OPTIONS),
    // Published forms.
    Route::get("/api/v1/f/{form_token}", Respond(published::show)).doc(published::GET_PUBLISHED_FORM),
    Route::post("/api/v1/f/{form_token}/entries", Respond(published::submit)).inline().doc(published::SUBMIT_ENTRY),
    Route::get("/api/v1/f/{form_token}/entries/{entry_token}", Open(own_entries::show)).doc(own_entries::GET_OWN_ENTRY),
    Route::patch("/api/v1/f/{form_token}/entries/{entry_token}", Open(own_entries::update)).inline().doc(own_entries::UPDATE_OWN_ENTRY),
    Route::post("/api/v1/f/{form_token}/entries/{entry_token}/cancel_booking", Open(own_entries::cancel_booking)).body(OptionalJson(BODY_LIMIT)).inline().tells_keys().doc(own_entries::CANCEL_OWN_BOOKING),
    Route::delete("/api/v1/f/{form_token}/entries/{entry_token}/waiting", Open(own_entries::leave_waiting_list)).inline().doc(own_entries::LEAVE_WAITING_LIST),
    Route::post("/api/v1/f/{form_token}/holds", Respond(holds::create)).inline().doc(holds::CREATE_HOLD),
    Route::put("/api/v1/f/{form_token}/holds/{hold_token}", Respond(holds::replace)).inline().doc(holds::REPLACE_HOLD),
    Route::delete("/api/v1/f/{form_token}/holds/{hold_token}", Respond(holds::delete)).inline().doc(holds::DELETE_HOLD),
    Route::get("/api/v1/f/{form_token}/associated_entry_options", Open(linked_options::for_respondent)).blocking().doc(linked_options::LIST_ASSOCIATED_ENTRY_OPTIONS),
    Route::get("/api/v1/f/{form_token}/availability", Respond(booking_days::show)).blocking().doc(booking_days::LIST_BOOKING_DAYS),
    Route::get("/api/v1/f/{form_token}/verify", Open(verification::show)).doc(verification::VERIFY_CODE),
    Route::get("/api/v1/participated_forms", Scoped(FormRead, form_lists::participated)).doc(form_lists::LIST_PARTICIPATED_FORMS),
    // Files.
    Route::post("/api/v1/attachments", AnyToken(uploads::prepare_image)).tells_keys().doc(uploads::PREPARE_IMAGE),
    Route::post("/api/v1/f/{form_token}/entry_attachments", OpenOrKnown(uploads::prepare_attachment)).tells_keys().doc(uploads::PREPARE_ENTRY_ATTACHMENT),
    Route::post("/api/v1/attachment_commitments", AnyToken(uploads::commit)).tells_keys().doc(uploads::COMMIT_IMAGES),
    Route::put("/uploads/{upload_id}", Upload(uploads::put)).doc(uploads::PUT_FILE),
    Route::get("/files/{id}/{name}", Open(entry_files::show)).doc(entry_files::GET_FILE),
    Route::get("/certificates/{entry_token}", Open(certificates::show)).blocking().doc(certificates::GET_CERTIFICATE),
    Route::get("/images/{id}", Open(images::show)).blocking().doc(images::GET_IMAGE),
    // The caller.
    Route::get("/api/v1/me", AnyToken(me::show)).doc(me::GET_ME),
    Route::patch("/api/v1/me", Scoped(FormWrite, me::update)).tells_keys().doc(me::UPDATE_ME),
    Route::get("/api/v1/organization", Scoped(FormRead, organizations::show)).doc(organizations::GET_ORGANIZATION),
    Route::patch("/api/v1/organization", Scoped(FormWrite, organizations::update)).doc(organizations::UPDATE_ORGANIZATION),
    Route::get("/api/v1/members", Scoped(FormRead, members::list)).doc(members::LIST_MEMBERS),
    // Applications.
    Route::post("/api/v1/oauth/token", Client(oauth::token)).doc(oauth::CREATE_TOKENS),
    Route::post("/api/v1/oauth/revoke", Client(oauth::revoke)).doc(oauth::REVOKE_TOKEN),
    Route::get("/api/v1/oauth/jwks", Open(oauth::jwks)).blocking().doc(oauth::GET_KEYS),
    Route::get("/.well-known/oauth-authorization-server", Open(oauth::metadata)).doc(oauth::GET_OAUTH_METADATA),
    Route::get("/api/v1/audit_events", Scoped(FormRead, audit::list)).doc(audit::LIST_AUDIT_EVENTS),
    // The service itself.
    Route::get("/api/v1/openapi.json", Open(openapi::show)).doc(openapi::GET_OPENAPI),
    Route::get("/healthz", Open(health::alive)).doc(health::GET_HEALTH),
    Route::get("/readyz", Open(health::ready)).blocking().doc(health::GET_READINESS),
];
