//! The routes of the API and others for programs: access, handler and description. Schemas come from the code that
//! reads and writes the bodies.

use crate::base::error::Code::{
    self, AlreadySubmitted, DataLoss, FormClosed, FormFull, FormNotOpen, HoldLimit, OutOfStock, PasswordInvalid,
    PasswordRequired, PlanRequired, QuotaExceeded, UploadExpired, UploadInProgress, UploadIncomplete, UploadNotFound,
    UploadPurposeMismatch, UploadUsed, WaitingListFull,
};
use crate::model::role::Role::{Editor, Manager, Owner, Viewer};
use crate::model::scope::Scope::{
    EntryDelete, EntryRead, EntryWrite, FormDelete, FormRead, FormWrite, IntegrationRead, IntegrationWrite,
};
use crate::web::api::accounts::{audit, collaborators, me, members};
use crate::web::api::capacity::{booking_days, holds};
use crate::web::api::delivery::{event_stream, notifications, webhooks};
use crate::web::api::entries::{self, entry_lists, in_trash, linked_options, own_entries, reports};
use crate::web::api::files::uploads;
use crate::web::api::forms::{self, folders, form_lists, form_sections, published};
use crate::web::api::queries::{definitions, visits};
use crate::web::api::{health, oauth, openapi, transfer};
use crate::web::files::{certificates, entry_files, images};
use crate::web::forms::verification;
use crate::web::openapi::doc::AnswerBody::{self, Bare, Data, Events, File, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::{
    booking_days as days_of_booking, entry_filters, entry_list, folder_list, form_list, image, option_list,
    verification_code,
};
use crate::web::request::paging;
use crate::web::request::route::BodyRule::{Json, OptionalJson, Sheet};
use crate::web::request::route::Run::{AnyToken, Client, Open, Respond, Scoped, Upload};
use crate::web::request::route::{BODY_LIMIT, BULK_LIMIT, Route, SHEETS};

/// The error codes of an upload that can't be used.
const UPLOADS: (u16, &[Code]) =
    (422, &[UploadNotFound, UploadIncomplete, UploadUsed, UploadExpired, UploadPurposeMismatch]);

/// The error code of what the plan lacks.
const PLAN: (u16, &[Code]) = (402, &[PlanRequired]);

/// The error codes where there is not enough room.
const NO_ROOM: (u16, &[Code]) = (409, &[QuotaExceeded, OutOfStock]);

/// The same, or a hold would keep too much of it.
const NOT_HELD: (u16, &[Code]) = (409, &[QuotaExceeded, OutOfStock, HoldLimit]);

/// The content types of files.
const FILE_TYPES: AnswerBody = File(&[
    ("application/octet-stream", None),
    ("application/pdf", None),
    ("image/jpeg", None),
    ("image/png", None),
    ("image/webp", None),
    ("image/gif", None),
    ("text/plain", None),
    ("audio/*", None),
    ("video/*", None),
]);

const PDF: AnswerBody = File(&[("application/pdf", None)]);

/// The content types of images.
const IMAGE_TYPES: AnswerBody =
    File(&[("image/jpeg", None), ("image/png", None), ("image/webp", None), ("image/gif", None)]);

#[rustfmt::skip] // Keeps a row's first line on one line.
pub static ROUTES: &[Route] = &[
    // Forms.
    Route::get("/api/v1/forms", Scoped(FormRead, form_lists::list))
        .doc(Doc::new("list_forms", 200, Page(&form_lists::LIST_ITEM))
            .says("List forms", "The caller's forms and those shared with them, without their fields, in the chosen order with the newest first.")
            .query(form_list)),
    Route::post("/api/v1/forms", Scoped(FormWrite, forms::create))
        .doc(Doc::new("create_form", 201, Data(&forms::FORM))
            .says("Create a form", "The fields get their `api_code` in order: `field_1`, `field_2`, …")
            .takes(&forms::CREATE, r#"{"name": "Summer workshop", "fields": [{"type": "name", "label": "Your name", "required": true}, {"type": "radio", "label": "Track", "choices": [{"label": "Letterpress"}, {"label": "Sourdough"}]}]}"#)
            .tagged()
            .codes(&[UPLOADS])),
    Route::get("/api/v1/forms/{form_token}", Scoped(FormRead, forms::show)).by(Viewer)
        .doc(Doc::new("get_form", 200, Data(&forms::FORM))
            .says("Read a form", "The form with its fields.")
            .tagged()),
    Route::patch("/api/v1/forms/{form_token}", Scoped(FormWrite, forms::update)).by(Manager)
        .doc(Doc::new("update_form", 200, Data(&forms::FORM))
            .says("Change a form", "Only the given keys change. `fields` replaces the whole list: an item with an `api_code` edits that field, one without adds a field, and fields that are left out are removed. Removing something that entries hold data for requires `confirm_data_loss`: it is then deleted from all entries, including those in the trash, in the background. Changed formulas are computed again for all entries before the request is answered, which takes longer with many entries.")
            .takes(&forms::UPDATE, r#"{"name": "Autumn workshop", "published": false}"#)
            .tagged()
            .guarded()
            .codes(&[(422, &[DataLoss]), UPLOADS])),
    Route::delete("/api/v1/forms/{form_token}", Scoped(FormDelete, forms::delete)).by(Owner)
        .doc(Doc::new("delete_form", 200, Data(&forms::DELETED))
            .says("Delete a form", "Moves the form to the trash for 30 days; its public pages go offline at once. Only the form's owner can do this.")
            .guarded()),
    Route::post("/api/v1/forms/{form_token}/restore", Scoped(FormDelete, forms::restore)).body(OptionalJson(BODY_LIMIT)).by(Owner)
        .doc(Doc::new("restore_form", 200, Data(&forms::FORM))
            .says("Restore a form", "Takes the form out of the trash, with its entries.")
            .tagged()),
    Route::post("/api/v1/forms/{form_token}/copy", Scoped(FormWrite, forms::copy)).body(OptionalJson(BODY_LIMIT)).by(Manager)
        .doc(Doc::new("copy_form", 201, Data(&forms::FORM))
            .says("Copy a form", "Copies fields, settings, theme and rules, but no entries. Without a `name` the copy is named after the original.")
            .takes(&forms::COPY, r#"{"name": "Summer workshop, second round"}"#)
            .tagged()),
    Route::get("/api/v1/forms/{form_token}/collaborators", Scoped(FormRead, collaborators::list)).by(Manager)
        .doc(Doc::new("list_collaborators", 200, Page(&collaborators::COLLABORATOR))
            .says("List collaborators", "The people the form is shared with and their roles, without its owner. Only managers see them.")
            .query(paging::parameters)),
    Route::put("/api/v1/forms/{form_token}/collaborators/{user_id}", Scoped(FormWrite, collaborators::put)).by(Manager)
        .doc(Doc::new("put_collaborator", 200, Data(&collaborators::COLLABORATOR))
            .says("Share a form", "Shares the form with someone in the same organization, named by `id` or email address, or changes their role. A `viewer` reads, an `editor` also edits entries, a `manager` also edits the form.")
            .takes(&collaborators::PUT, r#"{"role": "editor"}"#)),
    Route::delete("/api/v1/forms/{form_token}/collaborators/{user_id}", Scoped(FormWrite, collaborators::delete)).by(Manager)
        .doc(Doc::new("delete_collaborator", 200, Data(&collaborators::DELETED))
            .says("Stop sharing a form", "Takes effect with their next request, and ends requests in progress.")),
    Route::put("/api/v1/forms/{form_token}/folder", Scoped(FormWrite, folders::put_form)).by(Viewer)
        .doc(Doc::new("put_form_folder", 200, Data(&folders::PLACEMENT))
            .says("Put a form into a folder", "Moves the form into one of the caller's folders, or with null out of its folder. Nothing changes for other users.")
            .takes(&folders::PLACEMENT_WRITE, r#"{"folder_token": null}"#)),
    Route::patch("/api/v1/forms/{form_token}/folder", Scoped(FormWrite, folders::put_form)).by(Viewer)
        .doc(Doc::new("patch_form_folder", 200, Data(&folders::PLACEMENT))
            .says("Put a form into a folder", "The same as `PUT`.")
            .takes(&folders::PLACEMENT_WRITE, r#"{"folder_token": null}"#)),
    Route::get("/api/v1/forms/{form_token}/settings", Scoped(FormRead, form_sections::settings)).by(Viewer)
        .doc(Doc::new("get_settings", 200, Data(&form_sections::SETTINGS[0]))
            .says("Read the settings", "Settings that were never changed have their default. Only managers see the access password.")
            .tagged()),
    Route::get("/api/v1/forms/{form_token}/notifications", Scoped(FormRead, notifications::list)).by(Manager)
        .doc(Doc::new("list_notifications", 200, Page(&notifications::NOTIFICATION))
            .says("List notifications", "The emails that the form's entries brought about, latest first: receipts to respondents and notices to the addresses in the settings. Kept for 30 days. An email that was put off by the mail server, or could not be sent, is tried nine more times over three days. Mail has limits, so that nobody is flooded by what strangers submit: what waits for its hour is `pending` with a later `next_attempt_at`, and what is never sent is `failed`.")
            .counts(&notifications::COUNTS)
            .query(paging::parameters)),
    Route::patch("/api/v1/forms/{form_token}/settings", Scoped(FormWrite, form_sections::update_settings)).by(Manager)
        .doc(Doc::new("update_settings", 200, Data(&form_sections::SETTINGS[0]))
            .says("Change the settings", "Groups are merged key by key; null resets a key to its default.")
            .takes(&form_sections::SETTINGS[1], r#"{"availability": {"schedule": {"end_at": "2026-12-24T12:00:00Z"}, "entries_limit": 100}}"#)
            .tagged()
            .guarded()),
    Route::delete("/api/v1/forms/{form_token}/holds", Scoped(FormWrite, holds::end_all)).inline().by(Manager)
        .doc(Doc::new("end_holds", 200, Data(&holds::ENDED))
            .says("End all holds", "What respondents hold while they fill in the form is free at once. They can still submit, if there is room then. How much is held is told to managers as `held` in `GET /f/{form_token}` and `GET /f/{form_token}/availability`.")),
    Route::get("/api/v1/forms/{form_token}/theme", Scoped(FormRead, form_sections::theme)).by(Viewer)
        .doc(Doc::new("get_theme", 200, Data(&form_sections::THEME[0]))
            .says("Read the theme", "Colors, font, header, wallpaper and button.")
            .tagged()),
    Route::patch("/api/v1/forms/{form_token}/theme", Scoped(FormWrite, form_sections::update_theme)).by(Manager)
        .doc(Doc::new("update_theme", 200, Data(&form_sections::THEME[0]))
            .says("Change the theme", "Null resets a key to its default. Weak contrast gives one of the `warnings` and is never refused.")
            .takes(&form_sections::THEME[1], r##"{"primary_color": "#0F766E", "font": "serif"}"##)
            .tagged()
            .guarded()
            .codes(&[UPLOADS])),
    Route::get("/api/v1/forms/{form_token}/field_rules", Scoped(FormRead, form_sections::rules)).by(Viewer)
        .doc(Doc::new("get_field_rules", 200, Data(&form_sections::RULES))
            .says("Read the field rules", "Which fields are shown and required, and when.")
            .tagged()),
    Route::put("/api/v1/forms/{form_token}/field_rules", Scoped(FormWrite, form_sections::replace_rules)).by(Manager)
        .doc(Doc::new("replace_field_rules", 200, Data(&form_sections::RULES))
            .says("Replace the field rules", "A field named by a `show` rule is hidden until one such rule applies. Conditions can use only fields that come before the rule's fields.")
            .takes(&form_sections::RULES, r#"{"rules": [{"condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": "AbCd12"}]}, "action": "show", "fields": ["field_3"]}]}"#)
            .tagged()
            .guarded()),
    // Webhooks.
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks", Scoped(IntegrationRead, webhooks::list)).by(Manager)
        .doc(Doc::new("list_webhooks", 200, Page(&webhooks::WEBHOOK))
            .says("List webhooks", "The form's webhooks, latest first. Only managers see them.")
            .query(paging::parameters)),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks", Scoped(IntegrationWrite, webhooks::create)).by(Manager).tells_keys()
        .doc(Doc::new("create_webhook", 201, Data(&webhooks::WITH_SECRET))
            .says("Add a webhook", "From now on, events of the chosen kinds are sent to `url`, signed with the `secret`, which only this answer shows. A form has at most 20 webhooks.")
            .takes(&webhooks::CREATE, r#"{"url": "https://example.com/hooks/workshop", "trigger_events": ["entry_created", "entry_updated"]}"#)
            .tagged()),
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationRead, webhooks::show)).by(Manager)
        .doc(Doc::new("get_webhook", 200, Data(&webhooks::WEBHOOK))
            .says("Read a webhook", "The webhook, without its secret.")
            .tagged()),
    Route::patch("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationWrite, webhooks::update)).by(Manager).tells_keys()
        .doc(Doc::new("update_webhook", 200, Data(&webhooks::WEBHOOK))
            .says("Change a webhook", "Only the given keys change; `trigger_events` is replaced as a whole. Disabling a webhook fails its pending deliveries; after it is enabled again, it gets new events only.")
            .takes(&webhooks::UPDATE, r#"{"enabled": false}"#)
            .tagged()
            .guarded()),
    Route::delete("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}", Scoped(IntegrationWrite, webhooks::delete)).by(Manager)
        .doc(Doc::new("delete_webhook", 200, Data(&webhooks::DELETED))
            .says("Delete a webhook", "Its deliveries are removed too; pending ones are not sent.")
            .guarded()),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/rotate_secret", Scoped(IntegrationWrite, webhooks::rotate_secret)).body(OptionalJson(BODY_LIMIT)).by(Manager)
        .doc(Doc::new("rotate_webhook_secret", 200, Data(&webhooks::WITH_SECRET))
            .says("Replace the secret", "Only this answer shows the new secret. For 24 hours deliveries carry two signatures, the new secret's first, so that receivers can change over.")
            .tagged()
            .guarded()),
    Route::get("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries", Scoped(IntegrationRead, webhooks::deliveries)).by(Manager)
        .doc(Doc::new("list_webhook_deliveries", 200, Page(&webhooks::DELIVERY))
            .says("List deliveries", "What was sent to the webhook and what waits, latest first. Kept for 30 days. A delivery that fails is tried nine more times over three days.")
            .query(paging::parameters)),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/test", Scoped(IntegrationWrite, webhooks::test)).body(OptionalJson(BODY_LIMIT)).by(Manager)
        .doc(Doc::new("test_webhook", 200, Data(&webhooks::DELIVERY))
            .says("Test a webhook", "Sends a `ping` at once, also to a disabled webhook, and answers with its delivery, also if that failed: within about 15 seconds. It is not tried again. At most 10 tests a minute.")),
    Route::post("/api/v1/forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", Scoped(IntegrationWrite, webhooks::redeliver)).body(OptionalJson(BODY_LIMIT)).by(Manager)
        .doc(Doc::new("redeliver", 200, Data(&webhooks::DELIVERY))
            .says("Deliver again", "Sends a delivery that was delivered or has failed once more: the same body with the same `webhook-id`, tried as often as a new one. Refused while it is pending or the webhook is disabled.")
            .checks_stored()),
    // Folders.
    Route::get("/api/v1/folders", Scoped(FormRead, folders::list))
        .doc(Doc::new("list_folders", 200, Page(&folders::FOLDER))
            .says("List folders", "The caller's folders: all of them, or those in one folder.")
            .query(folder_list)),
    Route::post("/api/v1/folders", Scoped(FormWrite, folders::create))
        .doc(Doc::new("create_folder", 201, Data(&folders::FOLDER))
            .says("Create a folder", "Creates a folder at the top level or in another folder, at most five levels deep. Folders with the same parent have different names.")
            .takes(&folders::CREATE, r#"{"name": "Workshops"}"#)),
    Route::get("/api/v1/folders/{folder_token}", Scoped(FormRead, folders::show))
        .doc(Doc::new("get_folder", 200, Data(&folders::FOLDER))
            .says("Read a folder", "The folder, with the number of folders and forms directly in it.")),
    Route::patch("/api/v1/folders/{folder_token}", Scoped(FormWrite, folders::update))
        .doc(Doc::new("update_folder", 200, Data(&folders::FOLDER))
            .says("Rename a folder", "Only the name can be changed; other keys are ignored.")
            .takes(&folders::UPDATE, r#"{"name": "Past workshops"}"#)),
    Route::delete("/api/v1/folders/{folder_token}", Scoped(FormDelete, folders::delete))
        .doc(Doc::new("delete_folder", 200, Data(&folders::DELETED))
            .says("Delete a folder", "The folder's forms and subfolders move up one level. If a folder there has the same name as one that would move, the answer is 422 and nothing moves.")
            .checks_stored()),
    // Public queries.
    Route::get("/api/v1/opensearch/queries", Scoped(FormRead, definitions::list))
        .doc(Doc::new("list_public_queries", 200, Page(&definitions::QUERY))
            .says("List public queries", "The queries of all forms that the caller manages, or of one form, latest first.")
            .query(definitions::list_parameters)),
    Route::post("/api/v1/opensearch/queries", Scoped(FormWrite, definitions::create))
        .doc(Doc::new("create_public_query", 201, Data(&definitions::QUERY))
            .says("Create a public query", "Publishes a page at `/q/{token}` where visitors look up entries of a form: they fill in the search fields and see the display fields of the entries that match. The caller must be a manager of the form. In an `and` group visitors fill in every field; in an `or` group one is enough. Unknown keys are refused. `warnings` beside `data` names rules that give away more than they seem to: a masked field that can be searched by parts, a search by serial number alone, which can be counted through, and an editable field of `scope_conditions`, by which visitors can take an entry out of the query.")
            .takes(&definitions::CREATE, r##"{"form_token": "AbCdEf1234", "name": "Find your certificate", "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}, {"field": "serial_number", "label": "Member number"}]}], "display_field_rules": [{"field": "field_1", "highlight": {"color": "#B91C1C", "position": 1}}, {"field": "field_2", "protected": true}]}"##)
            .tagged()
            .codes(&[PLAN, UPLOADS])),
    Route::get("/api/v1/opensearch/queries/suggestions", Scoped(FormRead, definitions::suggestions))
        .doc(Doc::new("suggest_query_fields", 200, Data(&definitions::SUGGESTIONS))
            .says("List the fields of queries", "What queries of a form may search by and show.")
            .query(definitions::suggestion_parameters)
            .requires(&["form_token"])
            .checks_query()),
    Route::get("/api/v1/opensearch/queries/{query_token}", Scoped(FormRead, definitions::show))
        .doc(Doc::new("get_public_query", 200, Data(&definitions::QUERY))
            .says("Read a public query", "The query with its rules and counters. Only managers of its form see it.")
            .tagged()),
    Route::patch("/api/v1/opensearch/queries/{query_token}", Scoped(FormWrite, definitions::update))
        .doc(Doc::new("update_public_query", 200, Data(&definitions::QUERY))
            .says("Change a public query", "Only the given keys change; lists are replaced as a whole. The form can't be changed.")
            .takes(&definitions::UPDATE, r#"{"enabled": false, "messages": {"no_result": "Nobody of that name passed."}}"#)
            .tagged()
            .guarded()
            .codes(&[PLAN, UPLOADS])),
    Route::delete("/api/v1/opensearch/queries/{query_token}", Scoped(FormDelete, definitions::delete))
        .doc(Doc::new("delete_public_query", 200, Data(&definitions::DELETED))
            .says("Delete a public query", "Its page is gone at once.")
            .guarded()),
    Route::get("/api/v1/q/{query_token}", Open(visits::show))
        .doc(Doc::new("get_query_outline", 200, Data(&visits::OUTLINE))
            .says("Read a query as a visitor", "What a front end needs to draw the query: texts, search fields with their choices, and columns. 403 if it is switched off or not available, 404 if its form was deleted.")
            .can_be_shut()),
    Route::post("/api/v1/q/{query_token}/search", Open(visits::find)).tells_keys()
        .doc(Doc::new("search_query", 200, Page(&visits::ROW))
            .says("Search as a visitor", "The entries that match, newest first, with the fields that the query shows. A missing or invalid value is a 422 at `values.<field>`. Files are linked for an hour. One address may search 30 times a minute and 300 times an hour in one query; beyond that the answer is 429. Where the outline has `proof_of_work`, searches without a `proof` get a tenth of that, and their 429 says so.")
            .takes(&visits::SEARCH, r#"{"values": {"field_1": "Ada Lovelace", "serial_number": 12}}"#)
            .can_be_shut()),
    Route::patch("/api/v1/q/{query_token}/entries/{entry_token}", Open(visits::update)).blocking().tells_keys()
        .doc(Doc::new("update_query_row", 200, Data(&visits::ROW))
            .says("Edit a row as a visitor", "Changes fields that the query makes editable; others are ignored. Needs the row's `edit_token`, in the header `X-Edit-Token` or in the body. Values are validated as when the form's entry is updated. A masked value that is sent back changes nothing.")
            .takes(&visits::EDIT, r#"{"edit_token": "1800000000.signature", "field_values": {"field_2": "Hut 8"}}"#)
            .can_be_shut()
            .codes(&[NO_ROOM, UPLOADS])),
    Route::post("/api/v1/q/{query_token}/entries/{entry_token}/attachments", Open(uploads::prepare_in_query)).tells_keys()
        .doc(Doc::new("prepare_query_attachment", 201, Data(&uploads::PREPARED_ATTACHMENT))
            .says("Prepare an upload for a row", "Announces a file for an editable field of a row, whether or not the form is open. Needs the row's `edit_token`, in the header `X-Edit-Token` or in the body. `PUT` the bytes to `upload_url`; the `upload_id` is then a value of the field in `update_query_row`.")
            .takes(&uploads::QUERY_ATTACHMENT, r#"{"edit_token": "1800000000.signature", "field_api_code": "field_4", "file_name": "plan.pdf", "content_type": "application/pdf", "file_size": 120034}"#)
            .can_be_shut()),
    // Entries.
    Route::get("/api/v1/forms/{form_token}/entries", Scoped(EntryRead, entry_lists::list)).by(Viewer)
        .doc(Doc::new("list_entries", 200, Page(&entries::ENTRY))
            .says("List entries", "A form's entries, newest first. Pages are stable: no row is skipped or repeated when entries are added or deleted in between.")
            .query(entry_list)
            .checks_query()),
    Route::post("/api/v1/forms/{form_token}/entries/query", Scoped(EntryRead, entry_lists::query)).inline().by(Viewer)
        .doc(Doc::new("query_entries", 200, Page(&entries::ENTRY))
            .says("Query entries", "The same list with the query in the body, for filters that are too long for a URL.")
            .takes(&entry_lists::QUERY, r#"{"filters": [{"field": "field_2", "operator": "any_in", "value": ["AbCd12"]}], "sort": "-created_at", "page_size": 50}"#)),
    Route::post("/api/v1/forms/{form_token}/entries", Scoped(EntryWrite, entries::create)).inline().by(Editor)
        .doc(Doc::new("create_entry", 201, Data(&entries::ENTRY))
            .says("Add an entry", "Adds an entry on the owner's behalf. Values are validated as for a respondent, but schedule, limits, password and quotas of choices don't apply. Stock and places do: 409.")
            .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
            .tagged()
            .idempotent()
            .codes(&[NO_ROOM, UPLOADS])),
    Route::get("/api/v1/forms/{form_token}/entries/export", Scoped(EntryRead, transfer::export)).blocking().by(Viewer)
        .doc(Doc::new("export_entries", 200, File(transfer::FILES))
            .says("Export entries", "All entries as a file, the oldest first. A spreadsheet has a column for each part of a value: of an address, of a phone, of a table's rows, which stand one above the other in a cell. In a form with a waiting list, `waiting_position` says who waits, 1 for the next. Dates and times are cells of that type in XLSX, and certificates have their link. What stands there can be imported again, but for what the service sets itself. CSV is UTF-8 with a byte order mark; text that a spreadsheet would run as a formula begins with `'`. JSON is a bare array of entries as lists show them. A token may have 4 exports open at a time, all clients together 16; beyond that the answer is 429.")
            .query(transfer::parameters)
            .checks_query()),
    Route::get("/api/v1/forms/{form_token}/events", Scoped(EntryRead, event_stream::open)).blocking().by(Viewer)
        .doc(Doc::new("stream_events", 200, Events)
            .says("Stream events", "What happens to the form's entries, as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html) that arrive within moments: `id` identifies the event, `event` is its kind (`entry_created`, `entry_updated`, `entry_deleted` or `entry_restored`), and `data` is the same JSON that webhooks get, on one line. After a lost connection, send the last `id` as `Last-Event-ID`: the stream goes on with the event after it, none is left out and none comes twice. Events are kept for 7 days; where those after that `id` are gone, the answer is 410. A comment line comes every 15 seconds. The stream ends within 30 seconds when the caller loses the right to read the entries, and at once when the service stops. Clients that read too slowly are disconnected. A token may have 5 streams open at a time (429), all clients together 1,000 (503).")),
    Route::post("/api/v1/forms/{form_token}/entries/import", Scoped(EntryWrite, transfer::import)).body(Sheet(BULK_LIMIT)).by(Editor).refuses_unknown()
        .doc(Doc::new("import_entries", 201, Data(&transfer::IMPORTED))
            .says("Import entries", "Adds the rows of a CSV or XLSX file as entries: all of them, or none. The first row contains `api_code`s or labels; differences in case and blanks don't matter. Columns that match no field are ignored, and listed in `warnings`; with `Prefer: handling=strict` they are refused. Cells have the format of an export; CSV may also contain numbers and dates as the form's `locale` writes them. Errors are listed by row: `rows[12].field_3`, where `rows[0]` is the first below the header. At most 16 MiB and 200,000 rows.")
            .takes_file(SHEETS, "field_1,field_2\nAda Lovelace,36\n")
            .query(transfer::import_parameters)
            .also(200)
            .codes(&[UPLOADS])),
    Route::post("/api/v1/forms/{form_token}/entries/bulk", Scoped(EntryWrite, entries::create_many)).body(Json(BULK_LIMIT)).by(Editor)
        .doc(Doc::new("create_entries", 201, Data(&entries::CREATED_MANY))
            .says("Add many entries", "Adds at most 1,000 entries at once: all of them, or none. The errors of all entries are listed together, each with its path, such as `entries[3].field_values.field_2`; also where a product or a booking does not suffice for all of them.")
            .takes(&entries::WRITE_MANY, r#"{"entries": [{"field_values": {"field_1": "Ada Lovelace"}}, {"field_values": {"field_1": "Grace Hopper"}}]}"#)
            .idempotent()
            .codes(&[UPLOADS])),
    Route::get("/api/v1/forms/{form_token}/entries/report", Scoped(EntryRead, reports::show)).by(Viewer)
        .doc(Doc::new("get_report", 200, Data(&reports::REPORT))
            .says("Read the report", "A summary of the entries, question by question: how often each choice was selected; minimum, maximum, mean and sum of numbers; the newest texts; and so on. Fields and choices that were removed from the form are not included.")
            .query(entry_filters)
            .checks_query()),
    Route::get("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryRead, entries::show)).by(Viewer)
        .doc(Doc::new("get_entry", 200, Data(&entries::ENTRY))
            .says("Read an entry", "Contains every field of the form: null or an empty list where there is no answer.")
            .tagged()),
    Route::patch("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryWrite, entries::update)).inline().by(Editor)
        .doc(Doc::new("update_entry", 200, Data(&entries::ENTRY))
            .says("Change an entry", "Only the given fields change; null clears a field. What changes nothing leaves `updated_at` and the `ETag` as they are and is no event. 409 if it takes more of a product or a booking than is left.")
            .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada King"}}"#)
            .tagged()
            .guarded()
            .codes(&[NO_ROOM, UPLOADS])),
    Route::patch("/api/v1/forms/{form_token}/entries/{serial_number}/reservation_status", Scoped(EntryWrite, entries::set_reservation_status)).inline().by(Editor).tells_keys()
        .doc(Doc::new("set_reservation_status", 200, Data(&entries::ENTRY))
            .says("Set the state of a booking", "A cancelled booking gives its places back. 409 if it is reserved or completed again and there is no room any more; 422 for an entry without a booking.")
            .takes(&entries::RESERVATION_STATUS, r#"{"status": "completed"}"#)
            .tagged()
            .guarded()
            .codes(&[NO_ROOM])),
    Route::delete("/api/v1/forms/{form_token}/entries/{serial_number}", Scoped(EntryDelete, entries::delete)).inline().by(Editor)
        .doc(Doc::new("delete_entry", 200, Data(&entries::DELETED))
            .says("Delete an entry", "Moves the entry to the trash for 30 days.")
            .guarded()),
    Route::get("/api/v1/forms/{form_token}/trash/entries", Scoped(EntryRead, in_trash::list)).by(Viewer)
        .doc(Doc::new("list_trashed_entries", 200, Page(&entries::ENTRY))
            .says("List the trash", "Deleted entries, kept for 30 days and listed like other entries.")
            .query(entry_list)
            .checks_query()),
    Route::post("/api/v1/forms/{form_token}/trash/entries/{serial_number}/restore", Scoped(EntryWrite, in_trash::restore)).body(OptionalJson(BODY_LIMIT)).inline().by(Editor)
        .doc(Doc::new("restore_entry", 200, Data(&entries::ENTRY))
            .says("Restore an entry", "The entry keeps its number and token. 422 if another entry has one of its unique values by now; 409 if the form accepts one response per account and the respondent has responded again, or if its products or places are no longer available.")
            .tagged()
            .guarded()
            .checks_stored()
            .codes(&[(409, &[AlreadySubmitted, QuotaExceeded, OutOfStock])])),
    Route::delete("/api/v1/forms/{form_token}/trash/entries/{serial_number}", Scoped(EntryDelete, in_trash::delete)).inline().by(Editor)
        .doc(Doc::new("delete_trashed_entry", 200, Data(&entries::DELETED))
            .says("Delete an entry permanently", "Deletes the entry permanently, with its files.")
            .guarded()),
    Route::get("/api/v1/forms/{form_token}/linked_form_options", Scoped(EntryRead, linked_options::for_collaborator)).blocking().by(Viewer)
        .doc(Doc::new("list_linked_form_options", 200, Page(&linked_options::OPTION))
            .says("Search for entries to link to", "The entries that a linked field can refer to, without masking.")
            .query(option_list)
            .checks_query()),
    // Published forms.
    Route::get("/api/v1/f/{form_token}", Respond(published::show))
        .doc(Doc::new("get_published_form", 200, Data(&published::PUBLISHED))
            .says("Read a published form", "The form as respondents see it: without hidden fields, scores and quotas, but with how many are `remaining` where something is limited, and for managers how many are `held`. It contains fields only while it accepts submissions.")
            .password()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid])])),
    Route::post("/api/v1/f/{form_token}/entries", Respond(published::submit)).inline()
        .doc(Doc::new("submit_entry", 201, Data(&published::ACCEPTED))
            .says("Submit an entry", "Submits an entry as a respondent. A form can be limited to one response per browser or account; the latter requires a token. All errors in the values are listed at once, each with its path. 409 names the choices, products and bookings for which there is not enough room. With `waiting_list`, 20 entries of a network can wait in a form.")
            .takes(&published::SUBMISSION, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
            .idempotent()
            .password()
            .codes(&[
                (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
                (409, &[AlreadySubmitted, QuotaExceeded, OutOfStock, WaitingListFull]),
                UPLOADS,
            ])),
    Route::get("/api/v1/f/{form_token}/entries/{entry_token}", Open(own_entries::show))
        .doc(Doc::new("get_own_entry", 200, Data(&own_entries::OWN_ENTRY))
            .says("Read your own entry", "A respondent's own entry, if the form's settings have `allow_edit_after_submission`. Requires the `edit_token`; the entry's token gives no access.")
            .tagged()
            .password()
            .edit_token()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid])])),
    Route::patch("/api/v1/f/{form_token}/entries/{entry_token}", Open(own_entries::update)).inline()
        .doc(Doc::new("update_own_entry", 200, Data(&own_entries::OWN_ENTRY))
            .says("Change your own entry", "Only the given fields change; null clears a field. Validated like a submission; fields that respondents can't see keep their values. A cancelled booking stays cancelled, whatever is changed. Not possible before the form opens or after it closes.")
            .takes(&own_entries::CHANGE, r#"{"field_values": {"field_1": "Ada King"}}"#)
            .tagged()
            .guarded()
            .password()
            .edit_token()
            .codes(&[
                (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen]),
                NO_ROOM,
                UPLOADS,
            ])),
    Route::post("/api/v1/f/{form_token}/entries/{entry_token}/cancel_booking", Open(own_entries::cancel_booking)).body(OptionalJson(BODY_LIMIT)).inline().tells_keys()
        .doc(Doc::new("cancel_own_booking", 200, Data(&own_entries::OWN_ENTRY))
            .says("Cancel your own booking", "Sets the state of the booking to `cancelled` and gives its places back. Like a change of the entry, it is not possible before the form opens or after it closes. 422 if there is no booking, or it is completed.")
            .takes(&own_entries::PASSWORD, r#"{}"#)
            .tagged()
            .password()
            .edit_token()
            .checks_stored()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen])])),
    Route::delete("/api/v1/f/{form_token}/entries/{entry_token}/waiting", Open(own_entries::leave_waiting_list)).inline()
        .doc(Doc::new("leave_waiting_list", 200, Data(&entries::DELETED))
            .says("Leave the waiting list", "Moves an entry that waits for room to the trash. 422 if it does not wait, or no longer does.")
            .password()
            .edit_token()
            .checks_stored()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid])])),
    Route::post("/api/v1/f/{form_token}/holds", Respond(holds::create)).inline()
        .doc(Doc::new("create_hold", 201, Data(&holds::HOLD))
            .says("Keep places", "Keeps what these values would take for `capacity.hold_minutes` of the form's settings, so that nobody else takes it while the form is filled in. A submission with the `hold_token` uses it up. Only fields that take something are looked at. A hold keeps at most half of what is left of each thing, and at least 1; 409 with `hold_limit` if it would keep more. An address can have 5 holds of a form at a time; after two that ended without a submission within a day, it has to wait ten times `capacity.hold_minutes` for the next one. Until then the answer is 429. A submission needs no hold. 403 if the form has no holds.")
            .takes(&holds::REQUEST, r#"{"field_values": {"field_2": "AbCd12"}}"#)
            .password()
            .codes(&[
                (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
                NOT_HELD,
            ])),
    Route::put("/api/v1/f/{form_token}/holds/{hold_token}", Respond(holds::replace)).inline()
        .doc(Doc::new("replace_hold", 200, Data(&holds::HOLD))
            .says("Change what is kept", "Keeps what these values would take instead. Where there is no room for them, or it would be more than half of what is left, the hold stays as it is. Its end stays the same.")
            .takes(&holds::REQUEST, r#"{"field_values": {"field_2": "EfGh34"}}"#)
            .password()
            .codes(&[
                (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
                NOT_HELD,
            ])),
    Route::delete("/api/v1/f/{form_token}/holds/{hold_token}", Respond(holds::delete)).inline()
        .doc(Doc::new("delete_hold", 200, Data(&holds::FREED))
            .says("Free what is kept", "Ends a hold. It also ends by itself. Either way it counts as unused.")
            .password()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid])])),
    Route::get("/api/v1/f/{form_token}/associated_entry_options", Open(linked_options::for_respondent)).blocking()
        .doc(Doc::new("list_associated_entry_options", 200, Page(&linked_options::OPTION))
            .says("Search for entries to link to", "The entries that a linked field can refer to, as respondents see them: public fields only, protected ones masked. A keyword of fewer than two characters finds nothing unless the linked form allows browsing. Only while the form accepts submissions.")
            .query(option_list)
            .password()
            .checks_query()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])])),
    Route::get("/api/v1/f/{form_token}/availability", Respond(booking_days::show)).blocking()
        .doc(Doc::new("list_booking_days", 200, Data(&booking_days::DAYS))
            .says("List bookable days", "The days from `from` to `to` on which a booking field can be booked, full ones included, each with the places left: of the day, or of each of its slots. Days and slots are those of the form's `timezone`. Days that are closed, outside the item's dates, or too near or too far ahead are left out. Works whenever the form shows its fields.")
            .query(days_of_booking)
            .requires(&["field", "from", "to"])
            .password()
            .checks_query()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])])),
    Route::get("/api/v1/f/{form_token}/verify", Open(verification::show))
        .doc(Doc::new("verify_code", 200, Data(&verification::VERIFICATION))
            .says("Verify a code", "Whether an entry of the form has this verification code; entries in the trash don't count. Case, blanks and hyphens are ignored. 404 unless the form is published and `verification_code.enabled` is set. Also available at `/f/{form_token}/verify`, as a page or, with `Accept: application/json`, as this answer. 20 codes a minute per address and form.")
            .query(verification_code)),
    Route::get("/api/v1/participated_forms", Scoped(FormRead, form_lists::participated))
        .doc(Doc::new("list_participated_forms", 200, Page(&form_lists::PARTICIPATED))
            .says("List forms submitted to", "The forms that the caller has submitted to while signed in, latest first.")
            .query(paging::parameters)),
    // Files.
    Route::post("/api/v1/attachments", AnyToken(uploads::prepare_image)).tells_keys()
        .doc(Doc::new("prepare_image", 201, Data(&uploads::PREPARED_IMAGE))
            .says("Prepare an image for a form", "Announces an image. Upload its bytes to `upload_url` with `PUT` within the hour, then use its `upload_id` where the image belongs.")
            .takes(&uploads::IMAGE, r#"{"purpose": "header_image", "file_name": "header.png", "content_type": "image/png", "file_size": 20480}"#)),
    Route::post("/api/v1/f/{form_token}/entry_attachments", Open(uploads::prepare_attachment)).tells_keys()
        .doc(Doc::new("prepare_entry_attachment", 201, Data(&uploads::PREPARED_ATTACHMENT))
            .says("Prepare a file for an answer", "Announces a file for a field. Upload its bytes to `upload_url` with `PUT` within the hour, then use its `upload_id` in the field's value. Only while the form accepts submissions.")
            .takes(&uploads::ATTACHMENT, r#"{"field_api_code": "field_3", "file_name": "report.pdf", "content_type": "application/pdf", "file_size": 20480}"#)
            .password()
            .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])])),
    Route::post("/api/v1/attachment_commitments", AnyToken(uploads::commit)).tells_keys()
        .doc(Doc::new("commit_images", 200, Data(&uploads::COMMITTED))
            .says("Commit images for rich text", "Uploads of purpose `rich_text_image` become images that rich text can show with `<img src=\"{image_url}\">`. An image that no text uses within a day is deleted.")
            .takes(&uploads::COMMIT, r#"{"upload_ids": ["6fWq2mXr8bKzT1yNcVhJ3p"]}"#)
            .codes(&[UPLOADS])),
    Route::put("/uploads/{upload_id}", Upload(uploads::put))
        .doc(Doc::new("put_file", 200, Data(&uploads::UPLOADED))
            .says("Upload a file", "Upload to the prepared address, with the announced content type; no token needed. This works once; an interrupted upload can be repeated.")
            .takes_file(&["*/*"], "")
            .signed()
            .codes(&[(409, &[UploadInProgress])])),
    Route::get("/files/{id}/{name}", Open(entry_files::show))
        .doc(Doc::new("get_file", 200, FILE_TYPES)
            .says("Download a file of an entry", "Use the `url` in the entry, which works for 24 hours. Supports `Range`.")
            .also(206)
            .tagged()
            .signed()),
    Route::get("/certificates/{entry_token}", Open(certificates::show)).blocking()
        .doc(Doc::new("get_certificate", 200, PDF)
            .says("Download a certificate", "Use the `url` in the entry's `x_field_certificate`, which works for 24 hours. The PDF is made on request and always the same for the same entry. 404 if the entry is deleted or no longer has a certificate.")
            .signed()),
    Route::get("/images/{id}", Open(images::show)).blocking()
        .doc(Doc::new("get_image", 200, IMAGE_TYPES)
            .says("Download an image of a form", "Public, at the `image_url` given by the form, its theme or its rich text; the image at an address never changes. It contains no metadata. An image that is narrower than `w`, animated or can't be made smaller is returned as it is. Supports `Range`.")
            .also(206)
            .tagged()
            .query(image)
            .checks_query()),
    // The caller.
    Route::get("/api/v1/me", AnyToken(me::show))
        .doc(Doc::new("get_me", 200, Data(&me::ME))
            .says("Read the caller", "The calling user and token.")),
    Route::patch("/api/v1/me", Scoped(FormWrite, me::update)).tells_keys()
        .doc(Doc::new("update_me", 200, Data(&me::ME))
            .says("Change the caller", "Changes the caller's name, locale and time zone.")
            .takes(&me::UPDATE, r#"{"timezone": "Asia/Shanghai"}"#)),
    Route::get("/api/v1/members", Scoped(FormRead, members::list))
        .doc(Doc::new("list_members", 200, Page(&members::MEMBER))
            .says("List members", "The members of the caller's organization, in the order in which they joined. A form can be shared with each of them.")
            .query(paging::parameters)),
    // Applications.
    Route::post("/api/v1/oauth/token", Client(oauth::token))
        .doc(Doc::new("create_tokens", 200, Bare(&oauth::TOKENS))
            .says("Get tokens", "Exchanges a code or a refresh token. A code is used up by any attempt, valid or not. A refresh token works once: presenting it again more than 10 seconds after its use, or after its successor was used, revokes the whole grant.")
            .takes(&oauth::TOKEN_REQUEST, r#"{"grant_type": "authorization_code", "code": "nU2y…", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "redirect_uri": "https://app.example.com/callback", "client_id": "Yb3xLr0bAqkT5uVfW9sJ2d"}"#)),
    Route::post("/api/v1/oauth/revoke", Client(oauth::revoke))
        .doc(Doc::new("revoke_token", 200, Bare(&oauth::REVOKED))
            .says("Revoke a token", "Revokes an access token or a refresh token, and with it the whole grant. An unknown token is not an error (RFC 7009).")
            .takes(&oauth::REVOKE_REQUEST, r#"{"client_id": "Yb3xLr0bAqkT5uVfW9sJ2d", "client_secret": "b1U…", "token": "kq8…"}"#)),
    Route::get("/api/v1/oauth/jwks", Open(oauth::jwks)).blocking()
        .doc(Doc::new("get_keys", 200, Bare(&oauth::KEYS))
            .says("Read the public keys", "The keys that verify access tokens. Keys rotate every 90 days; the previous key stays listed for two more hours.")),
    Route::get("/.well-known/oauth-authorization-server", Open(oauth::metadata))
        .doc(Doc::new("get_oauth_metadata", 200, Bare(&oauth::METADATA))
            .says("Read the OAuth server metadata", "Endpoints and capabilities (RFC 8414). If the base URL has a path, it can also be appended to this one.")),
    Route::get("/api/v1/audit_events", Scoped(FormRead, audit::list))
        .doc(Doc::new("list_audit_events", 200, Page(&audit::EVENT))
            .says("Read the audit log", "Who did what to which form, token or person in the caller's organization, latest first. Events contain names, but neither values nor secrets, and never change. Only owners of the organization can read them.")
            .query(audit::parameters)),
    // The service itself.
    Route::get("/api/v1/openapi.json", Open(openapi::show))
        .doc(Doc::new("get_openapi", 200, Bare(&openapi::DOCUMENT))
            .says("Read the API description", "This OpenAPI document.")
            .tagged()),
    Route::get("/healthz", Open(health::alive))
        .doc(Doc::new("get_health", 200, Bare(&health::STATUS))
            .says("Check liveness", "The process is running. For supervisors.")),
    Route::get("/readyz", Open(health::ready)).blocking()
        .doc(Doc::new("get_readiness", 200, Bare(&health::STATUS))
            .says("Check readiness", "Reading and writing work.")),
];
