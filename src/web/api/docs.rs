//! What is said of each route of the API: every row of the route table has a description here, and a test
//! holds the two together. Shapes are named, not written down: they come from what reads and writes them.

use serde_json::json;

use crate::base::error::Code;
use crate::base::error::Code::{
    AlreadySubmitted, DataLoss, FormClosed, FormFull, FormNotOpen, PasswordInvalid,
    PasswordRequired, UploadExpired, UploadInProgress, UploadIncomplete, UploadNotFound,
    UploadPurposeMismatch, UploadUsed,
};
use crate::fields::filter;
use crate::fields::images::WIDTHS;
use crate::ops::{entry_lists as list_ops, form_lists as form_ops};
use crate::web::api::{
    audit, collaborators, entries, entry_lists, exchange, folders, form_lists, forms, health,
    linked_options, me, oauth, openapi, own_entries, parts, published, reports, uploads,
};
use crate::web::openapi::doc::Body::{Bare, Data, File, Html, Page};
use crate::web::openapi::doc::{Body, Doc, Parameter};
use crate::web::openapi::shape::names;
use crate::web::paging;
use crate::web::route::SHEETS;

/// Why an upload can't be used.
const UPLOADS: (u16, &[Code]) = (
    422,
    &[
        UploadNotFound,
        UploadIncomplete,
        UploadUsed,
        UploadExpired,
        UploadPurposeMismatch,
    ],
);

/// The types that files are sent as.
const FILE_TYPES: Body = File(&[
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

/// The types that images are sent as.
const IMAGE_TYPES: Body = File(&[
    ("image/jpeg", None),
    ("image/png", None),
    ("image/webp", None),
    ("image/gif", None),
]);

/// One for each row, in the order of the rows.
pub static DOCS: &[Doc] = &[
    // Forms.
    Doc::new("GET", "/api/v1/forms", "list_forms", 200, Page(&form_lists::LIST_ITEM))
        .says("List forms", "The caller's forms and those shared with them, without their fields, in the chosen order with the newest first.")
        .query(form_list),
    Doc::new("POST", "/api/v1/forms", "create_form", 201, Data(&forms::FORM))
        .says("Create a form", "The fields get their `api_code` in order: `field_1`, `field_2`, …")
        .takes(&forms::CREATE, r#"{"name": "Summer workshop", "fields": [{"type": "name", "label": "Your name", "required": true}, {"type": "radio", "label": "Track", "choices": [{"label": "Letterpress"}, {"label": "Sourdough"}]}]}"#)
        .tagged()
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}", "get_form", 200, Data(&forms::FORM))
        .says("Read a form", "The form with its fields.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}", "update_form", 200, Data(&forms::FORM))
        .says("Change a form", "Only the given keys change. `fields` replaces the whole list: an item with an `api_code` edits that field, one without adds a field, and fields that are left out are removed. Removing something that entries hold data for requires `confirm_data_loss`: it is then deleted from all entries, including those in the trash, in the background. Changed formulas are computed again for all entries before the request is answered, which takes longer with many entries.")
        .takes(&forms::UPDATE, r#"{"name": "Autumn workshop", "published": false}"#)
        .tagged()
        .guarded()
        .codes(&[(422, &[DataLoss]), UPLOADS]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}", "delete_form", 200, Data(&forms::DELETED))
        .says("Delete a form", "Moves the form to the trash for 30 days; its public pages go offline at once. Only the form's owner can do this.")
        .guarded(),
    Doc::new("POST", "/api/v1/forms/{form_token}/restore", "restore_form", 200, Data(&forms::FORM))
        .says("Restore a form", "Takes the form out of the trash, with its entries.")
        .tagged(),
    Doc::new("POST", "/api/v1/forms/{form_token}/copy", "copy_form", 201, Data(&forms::FORM))
        .says("Copy a form", "Copies fields, settings, theme and rules, but no entries. Without a `name` the copy is named after the original.")
        .takes(&forms::COPY, r#"{"name": "Summer workshop, second round"}"#)
        .tagged(),
    Doc::new("GET", "/api/v1/forms/{form_token}/collaborators", "list_collaborators", 200, Page(&collaborators::COLLABORATOR))
        .says("List collaborators", "The people the form is shared with and their roles, without its owner. Only managers see them.")
        .query(paging::parameters),
    Doc::new("PUT", "/api/v1/forms/{form_token}/collaborators/{user_id}", "put_collaborator", 200, Data(&collaborators::COLLABORATOR))
        .says("Share a form", "Shares the form with someone in the same organization, or changes their role. A `viewer` reads, an `editor` also edits entries, a `manager` also edits the form.")
        .takes(&collaborators::PUT, r#"{"role": "editor"}"#),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/collaborators/{user_id}", "delete_collaborator", 200, Data(&collaborators::DELETED))
        .says("Stop sharing a form", "Takes effect with their next request, and ends requests in progress."),
    Doc::new("PUT", "/api/v1/forms/{form_token}/folder", "put_form_folder", 200, Data(&folders::PLACEMENT))
        .says("Put a form into a folder", "Moves the form into one of the caller's folders, or with null out of its folder. Nothing changes for other users.")
        .takes(&folders::PLACE, r#"{"folder_token": null}"#),
    Doc::new("GET", "/api/v1/forms/{form_token}/settings", "get_settings", 200, Data(&parts::SETTINGS[0]))
        .says("Read the settings", "Settings that were never changed have their default. Only managers see the access password.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/settings", "update_settings", 200, Data(&parts::SETTINGS[0]))
        .says("Change the settings", "Groups are merged key by key; null resets a key to its default.")
        .takes(&parts::SETTINGS[1], r#"{"availability": {"schedule": {"end_at": "2026-12-24T12:00:00Z"}, "entries_limit": 100}}"#)
        .tagged()
        .guarded(),
    Doc::new("GET", "/api/v1/forms/{form_token}/theme", "get_theme", 200, Data(&parts::THEME[0]))
        .says("Read the theme", "Colors, font, header, wallpaper and button.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/theme", "update_theme", 200, Data(&parts::THEME[0]))
        .says("Change the theme", "Null resets a key to its default. Weak contrast gives one of the `warnings` and is never refused.")
        .takes(&parts::THEME[1], r##"{"primary_color": "#0F766E", "font": "serif"}"##)
        .tagged()
        .guarded()
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/field_rules", "get_field_rules", 200, Data(&parts::RULES))
        .says("Read the field rules", "Which fields are shown and required, and when.")
        .tagged(),
    Doc::new("PUT", "/api/v1/forms/{form_token}/field_rules", "replace_field_rules", 200, Data(&parts::RULES))
        .says("Replace the field rules", "A field named by a `show` rule is hidden until one such rule applies. Conditions can use only fields that come before the rule's fields.")
        .takes(&parts::RULES, r#"{"rules": [{"condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": "AbCd12"}]}, "action": "show", "fields": ["field_3"]}]}"#)
        .tagged()
        .guarded(),
    Doc::new("GET", "/api/v1/forms/{form_token}/linked_form_options", "list_linked_form_options", 200, Page(&linked_options::OPTION))
        .says("Search for entries to link to", "The entries that a linked field can refer to, without masking.")
        .query(option_list)
        .checks_query(),
    // Folders.
    Doc::new("GET", "/api/v1/folders", "list_folders", 200, Page(&folders::FOLDER))
        .says("List folders", "The caller's folders: all of them, or those in one folder.")
        .query(folder_list),
    Doc::new("POST", "/api/v1/folders", "create_folder", 201, Data(&folders::FOLDER))
        .says("Create a folder", "Creates a folder at the top level or in another folder, at most five levels deep. Folders with the same parent have different names.")
        .takes(&folders::CREATE, r#"{"name": "Workshops"}"#),
    Doc::new("GET", "/api/v1/folders/{folder_token}", "get_folder", 200, Data(&folders::FOLDER))
        .says("Read a folder", "The folder, with the number of folders and forms directly in it."),
    Doc::new("PATCH", "/api/v1/folders/{folder_token}", "update_folder", 200, Data(&folders::FOLDER))
        .says("Rename a folder", "Only the name can be changed; other keys are ignored.")
        .takes(&folders::UPDATE, r#"{"name": "Past workshops"}"#),
    Doc::new("DELETE", "/api/v1/folders/{folder_token}", "delete_folder", 200, Data(&folders::DELETED))
        .says("Delete a folder", "The folder's forms and subfolders move up one level. If a folder there has the same name as one that would move, the answer is 422 and nothing moves.")
        .checks_stored(),
    // Entries.
    Doc::new("GET", "/api/v1/forms/{form_token}/entries", "list_entries", 200, Page(&entries::ENTRY))
        .says("List entries", "A form's entries, newest first. Pages are stable: no row is skipped or repeated when entries are added or deleted in between.")
        .query(entry_list)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/query", "query_entries", 200, Page(&entries::ENTRY))
        .says("Query entries", "The same list with the query in the body, for filters that are too long for a URL.")
        .takes(&entry_lists::QUERY, r#"{"filters": [{"field": "field_2", "operator": "any_in", "value": ["AbCd12"]}], "sort": "-created_at", "page_size": 50}"#),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries", "create_entry", 201, Data(&entries::ENTRY))
        .says("Add an entry", "Adds an entry on the owner's behalf. Values are validated as for a respondent, but schedule, limits and password don't apply.")
        .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
        .tagged()
        .once()
        .codes(&[UPLOADS]),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/bulk", "create_entries", 201, Data(&entries::CREATED_MANY))
        .says("Add many entries", "Adds at most 1,000 entries at once: all of them, or none. The errors of all entries are listed together, each with its path, such as `entries[3].field_values.field_2`.")
        .takes(&entries::WRITE_MANY, r#"{"entries": [{"field_values": {"field_1": "Ada Lovelace"}}, {"field_values": {"field_1": "Grace Hopper"}}]}"#)
        .once()
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/report", "get_report", 200, Data(&reports::REPORT))
        .says("Read the report", "A summary of the entries, question by question: how often each choice was selected; minimum, maximum, mean and sum of numbers; the newest texts; and so on. Fields and choices that were removed from the form are not included.")
        .query(entry_filters)
        .checks_query(),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/export", "export_entries", 200, File(exchange::FILES))
        .says("Export entries", "All entries as a file, the oldest first. A spreadsheet has a column for each part of a value: of an address, of a phone, of a table's rows, which stand one above the other in a cell. What stands there can be imported again. CSV is UTF-8 with a byte order mark; text that a spreadsheet would run as a formula begins with `'`. JSON is a bare array of entries as lists show them. A token may have 4 exports open at a time, all clients together 16; beyond that the answer is 429.")
        .query(exchange::parameters)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/import", "import_entries", 201, Data(&exchange::IMPORTED))
        .says("Import entries", "Adds the rows of a CSV or XLSX file as entries: all of them, or none. The first row contains `api_code`s or labels; columns that match no field are ignored. Cells have the format of an export. Errors are listed by row: `rows[12].field_3`, where `rows[0]` is the first below the header. At most 16 MiB and 200,000 rows.")
        .takes_file(SHEETS, "field_1,field_2\nAda Lovelace,36\n")
        .query(exchange::import_parameters)
        .also(200)
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/{serial_number}", "get_entry", 200, Data(&entries::ENTRY))
        .says("Read an entry", "Contains every field of the form: null or an empty list where there is no answer.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/entries/{serial_number}", "update_entry", 200, Data(&entries::ENTRY))
        .says("Change an entry", "Only the given fields change; null clears a field.")
        .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada King"}}"#)
        .tagged()
        .guarded()
        .codes(&[UPLOADS]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/entries/{serial_number}", "delete_entry", 200, Data(&entries::DELETED))
        .says("Delete an entry", "Moves the entry to the trash for 30 days.")
        .guarded(),
    // The trash.
    Doc::new("GET", "/api/v1/forms/{form_token}/trash/entries", "list_trashed_entries", 200, Page(&entries::ENTRY))
        .says("List the trash", "Deleted entries, kept for 30 days and listed like other entries.")
        .query(entry_list)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/trash/entries/{serial_number}/restore", "restore_entry", 200, Data(&entries::ENTRY))
        .says("Restore an entry", "The entry keeps its number and token. 422 if another entry has one of its unique values by now; 409 if the form accepts one response per account and the respondent has responded again.")
        .tagged()
        .guarded()
        .checks_stored()
        .codes(&[(409, &[AlreadySubmitted])]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/trash/entries/{serial_number}", "delete_trashed_entry", 200, Data(&entries::DELETED))
        .says("Delete an entry permanently", "Deletes the entry permanently, with its files.")
        .guarded(),
    // Published forms.
    Doc::new("GET", "/api/v1/f/{form_token}", "get_published_form", 200, Data(&published::PUBLISHED))
        .says("Read a published form", "The form as respondents see it: without hidden fields, scores and quotas. It contains fields only while it accepts submissions.")
        .password()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid])]),
    Doc::new("POST", "/api/v1/f/{form_token}/entries", "submit_entry", 201, Data(&published::ACCEPTED))
        .says("Submit an entry", "Submits an entry as a respondent. A form can be limited to one response per browser or account; the latter requires a token. All errors in the values are listed at once, each with its path.")
        .takes(&published::SUBMISSION, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
        .once()
        .password()
        .codes(&[
            (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
            (409, &[AlreadySubmitted]),
            UPLOADS,
        ]),
    Doc::new("GET", "/api/v1/f/{form_token}/entries/{entry_token}", "get_own_entry", 200, Data(&own_entries::OWN_ENTRY))
        .says("Read your own entry", "A respondent's own entry, if the form's settings have `allow_edit_after_submission`. Requires the `edit_token`; the entry's token gives no access.")
        .tagged()
        .password()
        .own()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid])]),
    Doc::new("PATCH", "/api/v1/f/{form_token}/entries/{entry_token}", "update_own_entry", 200, Data(&own_entries::OWN_ENTRY))
        .says("Change your own entry", "Only the given fields change; null clears a field. Validated like a submission; fields that respondents can't see keep their values. Not possible before the form opens or after it closes.")
        .takes(&own_entries::CHANGE, r#"{"field_values": {"field_1": "Ada King"}}"#)
        .tagged()
        .guarded()
        .password()
        .own()
        .codes(&[
            (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen]),
            UPLOADS,
        ]),
    Doc::new("GET", "/api/v1/f/{form_token}/associated_entry_options", "list_associated_entry_options", 200, Page(&linked_options::OPTION))
        .says("Search for entries to link to", "The entries that a linked field can refer to, as respondents see them: public fields only, protected ones masked. A keyword of fewer than two characters finds nothing unless the linked form allows browsing. Only while the form accepts submissions.")
        .query(option_list)
        .password()
        .checks_query()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]),
    Doc::new("GET", "/api/v1/participated_forms", "list_participated_forms", 200, Page(&form_lists::PARTICIPATED))
        .says("List forms submitted to", "The forms that the caller has submitted to while signed in, latest first.")
        .query(paging::parameters),
    // Files.
    Doc::new("POST", "/api/v1/attachments", "prepare_image", 201, Data(&uploads::PREPARED_IMAGE))
        .says("Prepare an image for a form", "Announces an image. Upload its bytes to `upload_url` with `PUT` within the hour, then use its `upload_id` where the image belongs.")
        .takes(&uploads::IMAGE, r#"{"purpose": "header_image", "file_name": "header.png", "content_type": "image/png", "file_size": 20480}"#),
    Doc::new("POST", "/api/v1/f/{form_token}/entry_attachments", "prepare_entry_attachment", 201, Data(&uploads::PREPARED_ATTACHMENT))
        .says("Prepare a file for an answer", "Announces a file for a field. Upload its bytes to `upload_url` with `PUT` within the hour, then use its `upload_id` in the field's value. Only while the form accepts submissions.")
        .takes(&uploads::ATTACHMENT, r#"{"field_api_code": "field_3", "file_name": "report.pdf", "content_type": "application/pdf", "file_size": 20480}"#)
        .password()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]),
    Doc::new("POST", "/api/v1/attachment_commitments", "commit_images", 200, Data(&uploads::COMMITTED))
        .says("Commit images for rich text", "Uploads of purpose `rich_text_image` become images that rich text can show with `<img src=\"{image_url}\">`. An image that no text uses within a day is deleted.")
        .takes(&uploads::COMMIT, r#"{"upload_ids": ["6fWq2mXr8bKzT1yNcVhJ3p"]}"#)
        .codes(&[UPLOADS]),
    Doc::new("PUT", "/uploads/{upload_id}", "put_file", 200, Data(&uploads::KEPT))
        .says("Upload a file", "Upload to the prepared address, with the announced content type; no token needed. This works once; an interrupted upload can be repeated.")
        .takes_file(&["*/*"], "")
        .signed()
        .codes(&[(409, &[UploadInProgress])]),
    Doc::new("GET", "/files/{id}/{name}", "get_file", 200, FILE_TYPES)
        .says("Download a file of an entry", "Use the `url` in the entry, which works for 24 hours. Supports `Range`.")
        .also(206)
        .tagged()
        .signed(),
    Doc::new("GET", "/images/{id}", "get_image", 200, IMAGE_TYPES)
        .says("Download an image of a form", "Public, at the `image_url` given by the form, its theme or its rich text; the image at an address never changes. It contains no metadata. An image that is narrower than `w`, animated or can't be made smaller is returned as it is. Supports `Range`.")
        .also(206)
        .tagged()
        .query(image)
        .checks_query(),
    // The caller.
    Doc::new("GET", "/api/v1/me", "get_me", 200, Data(&me::ME))
        .says("Read the caller", "The calling user and token."),
    Doc::new("PATCH", "/api/v1/me", "update_me", 200, Data(&me::ME))
        .says("Change the caller", "Changes the caller's name, locale and time zone.")
        .takes(&me::UPDATE, r#"{"timezone": "Asia/Shanghai"}"#),
    // Applications.
    Doc::new("GET", "/api/v1/oauth/authorize", "authorize_app", 200, Html)
        .says("Ask a user for access", "An application sends its user's browser here. The user signs in and decides; the browser is redirected to `redirect_uri` with `code`, `state` and `iss`, or with `error`, `error_description`, `state` and `iss`. A code works once, for one minute. Only registered addresses of the application are redirected to.")
        .query(authorization),
    Doc::new("POST", "/api/v1/oauth/token", "create_tokens", 200, Bare(&oauth::TOKENS))
        .says("Get tokens", "Exchanges a code or a refresh token. A code is used up by any attempt, valid or not. A refresh token works once: presenting it again more than 10 seconds after its use, or after its successor was used, revokes the whole grant.")
        .takes(&oauth::TOKEN_REQUEST, r#"{"grant_type": "authorization_code", "code": "nU2y…", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "redirect_uri": "https://app.example.com/callback", "client_id": "Yb3xLr0bAqkT5uVfW9sJ2d"}"#),
    Doc::new("POST", "/api/v1/oauth/revoke", "revoke_token", 200, Bare(&oauth::REVOKED))
        .says("Revoke a token", "Revokes an access token or a refresh token, and with it the whole grant. An unknown token is not an error (RFC 7009).")
        .takes(&oauth::REVOKE_REQUEST, r#"{"client_id": "Yb3xLr0bAqkT5uVfW9sJ2d", "client_secret": "b1U…", "token": "kq8…"}"#),
    Doc::new("GET", "/api/v1/oauth/jwks", "get_keys", 200, Bare(&oauth::KEYS))
        .says("Read the public keys", "The keys that verify access tokens. Keys rotate every 90 days; the previous key stays listed for two more hours."),
    Doc::new("GET", "/.well-known/oauth-authorization-server", "get_oauth_metadata", 200, Bare(&oauth::METADATA))
        .says("Read the OAuth server metadata", "Endpoints and capabilities (RFC 8414). If the base URL has a path, it can also be appended to this one."),
    Doc::new("GET", "/api/v1/audit_events", "list_audit_events", 200, Page(&audit::EVENT))
        .says("Read the audit log", "Who did what to which form, token or person in the caller's organization, latest first. Events contain names, but neither values nor secrets, and never change. Only owners of the organization can read them.")
        .query(audit::parameters),
    // The service itself.
    Doc::new("GET", "/api/v1/openapi.json", "get_openapi", 200, Bare(&openapi::DOCUMENT))
        .says("Read the API description", "This OpenAPI document.")
        .tagged(),
    Doc::new("GET", "/healthz", "get_health", 200, Bare(&health::STATUS))
        .says("Check liveness", "The process is running. For supervisors."),
    Doc::new("GET", "/readyz", "get_readiness", 200, Bare(&health::STATUS))
        .says("Check readiness", "Reading and writing work."),
];

fn folder_list() -> Vec<Parameter> {
    let mut all = vec![Parameter {
        name: "parent_folder_token",
        schema: json!({"type": "string"}),
        text: "The parent folder; empty for the top level.",
    }];
    all.extend(paging::parameters());
    all
}

fn authorization() -> Vec<Parameter> {
    let text = |name, text| Parameter {
        name,
        schema: json!({"type": "string"}),
        text,
    };
    let word = |name, word: &str, text| Parameter {
        name,
        schema: json!({"type": "string", "enum": [word]}),
        text,
    };
    vec![
        text("client_id", "The application's `client_id`."),
        text(
            "redirect_uri",
            "One of the application's registered addresses, exactly; for `http://127.0.0.1` and `http://[::1]` the port may differ.",
        ),
        word("response_type", "code", "Optional."),
        text(
            "scope",
            "The requested scopes, separated by spaces; all registered scopes if omitted.",
        ),
        text("state", "Returned unchanged; at most 2,048 characters."),
        text(
            "code_challenge",
            "The SHA-256 of the verifier, in base64url.",
        ),
        word("code_challenge_method", "S256", "The challenge method."),
    ]
}

fn form_list() -> Vec<Parameter> {
    let mut all = vec![
        Parameter {
            name: "name",
            schema: json!({"type": "string"}),
            text: "A part of the name.",
        },
        Parameter {
            name: "folder_token",
            schema: json!({"type": "string"}),
            text: "One of the caller's folders; empty for forms that are in none.",
        },
        Parameter {
            name: "sort",
            schema: json!({"type": "string", "enum": names(&form_ops::SORTS), "default": form_ops::SORTS[0].0}),
            text: "The time to sort by, latest first.",
        },
    ];
    all.extend(paging::parameters());
    all
}

fn image() -> Vec<Parameter> {
    vec![Parameter {
        name: "w",
        schema: json!({"type": "integer", "enum": WIDTHS}),
        text: "The maximum width in pixels.",
    }]
}

fn option_list() -> Vec<Parameter> {
    let text = |name, text| Parameter {
        name,
        schema: json!({"type": "string"}),
        text,
    };
    let mut all = vec![
        text("field", "The linked field's `api_code`."),
        text("keyword", "Part of the text in one of its search fields."),
    ];
    all.extend(paging::parameters());
    all
}

/// What says which entries are asked for.
fn entry_filters() -> Vec<Parameter> {
    vec![
        Parameter {
            name: "filters",
            schema: json!({"type": "string", "contentMediaType": "application/json", "examples": [r#"[{"field": "field_1", "operator": "like", "value": "ada"}]"#]}),
            text: "Conditions that must all be met: a JSON list of `{field, operator, value}`.",
        },
        Parameter {
            name: "keyword",
            schema: json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
            text: "Part of a text, name, email or web address or phone number in any field or column; ignores case and character width.",
        },
    ]
}

fn entry_list() -> Vec<Parameter> {
    let ascending = names(&list_ops::SORTS);
    let sorts: Vec<String> = ascending
        .iter()
        .flat_map(|name| [(*name).to_owned(), format!("-{name}")])
        .collect();
    let mut all = entry_filters();
    all.extend([
        Parameter {
            name: "sort",
            schema: json!({"type": "string", "enum": sorts, "default": list_ops::DEFAULT_SORT}),
            text: "The sort order, with `-` for descending.",
        },
        Parameter {
            name: "fields",
            schema: json!({"type": "string", "examples": ["field_1,field_3"]}),
            text: "The keys to return, separated by commas: fields, or system keys such as `creator_name`. The four fixed keys are always included.",
        },
    ]);
    all.extend(paging::parameters());
    all
}
