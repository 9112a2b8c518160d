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
        .says("List forms", "The caller's forms and those that are shared with them, newest first in the chosen order, without their fields.")
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
        .says("Change a form", "Only the named members change. `fields` replaces the whole list: an item with `api_code` edits that field, one without adds a field, and a field left out is removed. Removing what entries hold data for needs `confirm_data_loss`.")
        .takes(&forms::UPDATE, r#"{"name": "Autumn workshop", "published": false}"#)
        .tagged()
        .guarded()
        .codes(&[(422, &[DataLoss]), UPLOADS]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}", "delete_form", 200, Data(&forms::DELETED))
        .says("Delete a form", "It goes to the trash for 30 days, and its public pages stop at once. Its owner alone may do this.")
        .guarded(),
    Doc::new("POST", "/api/v1/forms/{form_token}/restore", "restore_form", 200, Data(&forms::FORM))
        .says("Take a form out of the trash", "Its entries come back with it.")
        .tagged(),
    Doc::new("POST", "/api/v1/forms/{form_token}/copy", "copy_form", 201, Data(&forms::FORM))
        .says("Copy a form", "Structure, settings, theme and rules; no entries. Without a name the copy is called after its original.")
        .takes(&forms::COPY, r#"{"name": "Summer workshop, second round"}"#)
        .tagged(),
    Doc::new("GET", "/api/v1/forms/{form_token}/collaborators", "list_collaborators", 200, Page(&collaborators::COLLABORATOR))
        .says("List collaborators", "With whom the form is shared, and how far; its owner aside. Managers alone see them.")
        .query(paging::parameters),
    Doc::new("PUT", "/api/v1/forms/{form_token}/collaborators/{user_id}", "put_collaborator", 200, Data(&collaborators::COLLABORATOR))
        .says("Share a form", "With somebody of the same organisation, or changes how far. A `viewer` reads, an `editor` also changes entries, a `manager` also changes the form.")
        .takes(&collaborators::PUT, r#"{"role": "editor"}"#),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/collaborators/{user_id}", "delete_collaborator", 200, Data(&collaborators::DELETED))
        .says("Stop sharing a form", "It holds from their next request on, and for what is under way."),
    Doc::new("PUT", "/api/v1/forms/{form_token}/folder", "put_form_folder", 200, Data(&folders::PLACEMENT))
        .says("Put a form into a folder", "Into one of the caller's own, or with null into none. It changes nothing for others.")
        .takes(&folders::PLACE, r#"{"folder_token": null}"#),
    Doc::new("GET", "/api/v1/forms/{form_token}/settings", "get_settings", 200, Data(&parts::SETTINGS[0]))
        .says("Read the settings", "What was never set has its default. Only managers see the access password.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/settings", "update_settings", 200, Data(&parts::SETTINGS[0]))
        .says("Change the settings", "Groups are merged member by member; null takes a member back to its default.")
        .takes(&parts::SETTINGS[1], r#"{"availability": {"schedule": {"end_at": "2026-12-24T12:00:00Z"}, "entries_limit": 100}}"#)
        .tagged()
        .guarded(),
    Doc::new("GET", "/api/v1/forms/{form_token}/theme", "get_theme", 200, Data(&parts::THEME[0]))
        .says("Read the theme", "Colours, font, header, wallpaper and button.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/theme", "update_theme", 200, Data(&parts::CHANGED_THEME))
        .says("Change the theme", "Null takes a member back to its default. Weak contrast is warned of, never refused.")
        .takes(&parts::THEME[1], r##"{"primary_color": "#0F766E", "font": "serif"}"##)
        .tagged()
        .guarded()
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/field_rules", "get_field_rules", 200, Data(&parts::RULES))
        .says("Read the field rules", "Which fields are shown and required, and when.")
        .tagged(),
    Doc::new("PUT", "/api/v1/forms/{form_token}/field_rules", "replace_field_rules", 200, Data(&parts::RULES))
        .says("Replace the field rules", "A field that a `show` rule names is hidden until one of them holds. Conditions see only fields before the fields that the rule is about.")
        .takes(&parts::RULES, r#"{"rules": [{"condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": "AbCd12"}]}, "action": "show", "fields": ["field_3"]}]}"#)
        .tagged()
        .guarded(),
    Doc::new("GET", "/api/v1/forms/{form_token}/linked_form_options", "list_linked_form_options", 200, Page(&linked_options::OPTION))
        .says("Search for entries to link to", "The entries that a linked field may be set to, without masking.")
        .query(option_list)
        .checks_query(),
    // Folders.
    Doc::new("GET", "/api/v1/folders", "list_folders", 200, Page(&folders::FOLDER))
        .says("List folders", "The caller's folders: all of them, or those in one.")
        .query(folder_list),
    Doc::new("POST", "/api/v1/folders", "create_folder", 201, Data(&folders::FOLDER))
        .says("Create a folder", "At the top, or in another folder, at most five levels deep. No two folders in the same place have the same name.")
        .takes(&folders::CREATE, r#"{"name": "Workshops"}"#),
    Doc::new("GET", "/api/v1/folders/{folder_token}", "get_folder", 200, Data(&folders::FOLDER))
        .says("Read a folder", "With how many folders and forms lie in it, one level down."),
    Doc::new("PATCH", "/api/v1/folders/{folder_token}", "update_folder", 200, Data(&folders::FOLDER))
        .says("Rename a folder", "Its name alone can be changed; other members are ignored.")
        .takes(&folders::UPDATE, r#"{"name": "Past workshops"}"#),
    Doc::new("DELETE", "/api/v1/folders/{folder_token}", "delete_folder", 200, Data(&folders::DELETED))
        .says("Delete a folder", "The forms and folders in it move up one level. Where a folder there has the name of one that would move, this is 422 and nothing moves.")
        .checks_stored(),
    // Entries.
    Doc::new("GET", "/api/v1/forms/{form_token}/entries", "list_entries", 200, Page(&entries::ENTRY))
        .says("List entries", "A form's entries, the newest first. Pages are stable: no row is skipped or repeated when others come or go meanwhile.")
        .query(entry_list)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/query", "query_entries", 200, Page(&entries::ENTRY))
        .says("Query entries", "The same list, asked for in a body: for filters that are too long for an address.")
        .takes(&entry_lists::QUERY, r#"{"filters": [{"field": "field_2", "operator": "any_in", "value": ["AbCd12"]}], "sort": "-created_at", "page_size": 50}"#),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries", "create_entry", 201, Data(&entries::ENTRY))
        .says("Add an entry", "On the owner's behalf: values are checked as a respondent's are, but no schedule, limit or password refuses them.")
        .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
        .tagged()
        .once()
        .codes(&[UPLOADS]),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/bulk", "create_entries", 201, Data(&entries::CREATED_MANY))
        .says("Add many entries", "As one is added, at most 1,000 at once and all or none: the faults of all of them are told together, each with its path, such as `entries[3].field_values.field_2`.")
        .takes(&entries::WRITE_MANY, r#"{"entries": [{"field_values": {"field_1": "Ada Lovelace"}}, {"field_values": {"field_1": "Grace Hopper"}}]}"#)
        .once()
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/report", "get_report", 200, Data(&reports::REPORT))
        .says("Read the report", "What the entries come to, question by question: how often each choice was chosen, least, greatest, mean and sum of numbers, the newest texts, and so on. Values count as they are read: what was removed from the form is not in it.")
        .query(entry_filters)
        .checks_query(),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/export", "export_entries", 200, File(exchange::FILES))
        .says("Export entries", "All entries as a file, the oldest first. A spreadsheet has a column for each part of a value: of an address, of a phone, of a table's rows, which stand one above the other in a cell. What stands there can be imported again. CSV is UTF-8 with a byte order mark; text that a spreadsheet would run as a formula begins with `'`. JSON is a bare array of entries as lists show them. A token may have 4 exports open at a time, all clients together 16; beyond that the answer is 429.")
        .query(exchange::parameters)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/entries/import", "import_entries", 201, Data(&exchange::IMPORTED))
        .says("Import entries", "The rows of a CSV or XLSX file as new entries: all of them, or none. The first row names `api_code`s or labels; columns that name no field are passed over. Cells are as an export writes them. Every fault stands at its row: `rows[12].field_3`, where `rows[0]` is the first below the header. At most 16 MiB and 200,000 rows.")
        .takes_file(SHEETS, "field_1,field_2\nAda Lovelace,36\n")
        .query(exchange::import_parameters)
        .also(200)
        .codes(&[UPLOADS]),
    Doc::new("GET", "/api/v1/forms/{form_token}/entries/{serial_number}", "get_entry", 200, Data(&entries::ENTRY))
        .says("Read an entry", "Every field of the form is there: null, or an empty list, where nothing was answered.")
        .tagged(),
    Doc::new("PATCH", "/api/v1/forms/{form_token}/entries/{serial_number}", "update_entry", 200, Data(&entries::ENTRY))
        .says("Change an entry", "Only the named fields change; null clears one.")
        .takes(&entries::WRITE, r#"{"field_values": {"field_1": "Ada King"}}"#)
        .tagged()
        .guarded()
        .codes(&[UPLOADS]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/entries/{serial_number}", "delete_entry", 200, Data(&entries::DELETED))
        .says("Delete an entry", "It goes to the trash for 30 days.")
        .guarded(),
    // The trash.
    Doc::new("GET", "/api/v1/forms/{form_token}/trash/entries", "list_trashed_entries", 200, Page(&entries::ENTRY))
        .says("List the trash", "Entries that were deleted, until their 30 days are over. Listed as the others are.")
        .query(entry_list)
        .checks_query(),
    Doc::new("POST", "/api/v1/forms/{form_token}/trash/entries/{serial_number}/restore", "restore_entry", 200, Data(&entries::ENTRY))
        .says("Take an entry out of the trash", "It comes back under its number and token. A unique value that another entry has by now is 422; 409 where its respondent answered a form again that takes one entry from each account.")
        .tagged()
        .guarded()
        .checks_stored()
        .codes(&[(409, &[AlreadySubmitted])]),
    Doc::new("DELETE", "/api/v1/forms/{form_token}/trash/entries/{serial_number}", "delete_trashed_entry", 200, Data(&entries::DELETED))
        .says("Delete an entry for good", "Nothing is left of it.")
        .guarded(),
    // Published forms.
    Doc::new("GET", "/api/v1/f/{form_token}", "get_published_form", 200, Data(&published::PUBLISHED))
        .says("Read a published form", "The form as respondents see it: without hidden fields, scores and quotas. It has fields only while it takes submissions.")
        .password()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid])]),
    Doc::new("POST", "/api/v1/f/{form_token}/entries", "submit_entry", 201, Data(&published::ACCEPTED))
        .says("Submit an entry", "A respondent's submission. A form may take one from each browser or account: the latter needs a token. All faults of its values are told at once, each with its path.")
        .takes(&published::SUBMISSION, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
        .once()
        .password()
        .codes(&[
            (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
            (409, &[AlreadySubmitted]),
            UPLOADS,
        ]),
    Doc::new("GET", "/api/v1/f/{form_token}/entries/{entry_token}", "get_own_entry", 200, Data(&own_entries::OWN_ENTRY))
        .says("Read the own entry", "A respondent's own submission, where the form's settings allow `allow_edit_after_submission`. The entry's token gives no right to it; the `edit_token` does.")
        .tagged()
        .password()
        .own()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid])]),
    Doc::new("PATCH", "/api/v1/f/{form_token}/entries/{entry_token}", "update_own_entry", 200, Data(&own_entries::OWN_ENTRY))
        .says("Change the own entry", "Only the named fields change; null clears one. Checked as a submission is: what respondents can't see stays as it is. Not before the form opens, and not after it closed.")
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
        .says("Search for entries to link to", "The entries that a linked field may be set to, as respondents see them: public fields only, protected ones masked. A keyword shorter than two characters finds nothing unless the linked form may be browsed. Only while the form takes submissions.")
        .query(option_list)
        .password()
        .checks_query()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]),
    Doc::new("GET", "/api/v1/participated_forms", "list_participated_forms", 200, Page(&form_lists::PARTICIPATED))
        .says("List forms submitted to", "The forms that the caller has submitted to while signed in, the latest first.")
        .query(paging::parameters),
    // Files.
    Doc::new("POST", "/api/v1/attachments", "prepare_image", 201, Data(&uploads::PREPARED_IMAGE))
        .says("Prepare an image of a form", "Says which image will come. Its bytes are sent to `upload_url` with `PUT` within the hour, and its `upload_id` is then named where the image belongs.")
        .takes(&uploads::IMAGE, r#"{"purpose": "header_image", "file_name": "header.png", "content_type": "image/png", "file_size": 20480}"#),
    Doc::new("POST", "/api/v1/f/{form_token}/entry_attachments", "prepare_entry_attachment", 201, Data(&uploads::PREPARED_ATTACHMENT))
        .says("Prepare a file of an answer", "Says which file will come, and for which field. Its bytes are sent to `upload_url` with `PUT` within the hour, and its `upload_id` is then named in the field's value. Only while the form takes submissions.")
        .takes(&uploads::ATTACHMENT, r#"{"field_api_code": "field_3", "file_name": "report.pdf", "content_type": "application/pdf", "file_size": 20480}"#)
        .password()
        .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]),
    Doc::new("POST", "/api/v1/attachment_commitments", "commit_images", 200, Data(&uploads::COMMITTED))
        .says("Take images over for rich text", "Uploads of purpose `rich_text_image` become images, which rich text may then show with `<img src=\"{image_url}\">`. One that no text shows within a day goes again.")
        .takes(&uploads::COMMIT, r#"{"upload_ids": ["6fWq2mXr8bKzT1yNcVhJ3p"]}"#)
        .codes(&[UPLOADS]),
    Doc::new("PUT", "/uploads/{upload_id}", "put_file", 200, Data(&uploads::KEPT))
        .says("Send a file", "To the address that preparing gave, with the content type that was said; no token is needed. It works once. One that broke off may be sent again.")
        .takes_file(&["*/*"], "")
        .signed()
        .codes(&[(409, &[UploadInProgress])]),
    Doc::new("GET", "/files/{id}/{name}", "get_file", 200, FILE_TYPES)
        .says("Read a file of an entry", "By the `url` that reading the entry gave, for 24 hours. `Range` is heeded.")
        .also(206)
        .tagged()
        .signed(),
    Doc::new("GET", "/images/{id}", "get_image", 200, IMAGE_TYPES)
        .says("Read an image of a form", "For everybody, by the `image_url` that the form, its theme or its texts give; what it shows never changes. Nothing is in it but the picture. An image that is narrower than `w`, moves or can't be made smaller comes as it is. `Range` is heeded.")
        .also(206)
        .tagged()
        .query(image)
        .checks_query(),
    // The caller.
    Doc::new("GET", "/api/v1/me", "get_me", 200, Data(&me::ME))
        .says("Read the caller", "The user and the token that called."),
    Doc::new("PATCH", "/api/v1/me", "update_me", 200, Data(&me::ME))
        .says("Change the caller", "The caller's own name, locale and time zone.")
        .takes(&me::UPDATE, r#"{"timezone": "Asia/Shanghai"}"#),
    // Applications.
    Doc::new("GET", "/api/v1/oauth/authorize", "authorize_app", 200, Html)
        .says("Ask a user for access", "An application leads its user's browser here. The user signs in and decides; the browser is led back to `redirect_uri` with `code`, `state` and `iss`, or with `error`, `error_description`, `state` and `iss`. A code works once, for a minute. Nobody is led to an address that is not the application's.")
        .query(authorization),
    Doc::new("POST", "/api/v1/oauth/token", "create_tokens", 200, Bare(&oauth::TOKENS))
        .says("Get tokens", "For a code, or for a refresh token. Whatever is wrong with the try, a code is spent by it. A refresh token works once: one that comes again later than 10 seconds after its use, or after its successor was used, ends all that the user allowed by that code.")
        .takes(&oauth::TOKEN_REQUEST, r#"{"grant_type": "authorization_code", "code": "nU2y…", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "redirect_uri": "https://app.example.com/callback", "client_id": "Yb3xLr0bAqkT5uVfW9sJ2d"}"#),
    Doc::new("POST", "/api/v1/oauth/revoke", "revoke_token", 200, Bare(&oauth::REVOKED))
        .says("End a token", "An access token or a refresh token: both end, and what the user allowed by that code with them. An unknown token is no error (RFC 7009).")
        .takes(&oauth::REVOKE_REQUEST, r#"{"client_id": "Yb3xLr0bAqkT5uVfW9sJ2d", "client_secret": "b1U…", "token": "kq8…"}"#),
    Doc::new("GET", "/api/v1/oauth/jwks", "get_keys", 200, Bare(&oauth::KEYS))
        .says("Read the public keys", "Access tokens are signed with one of them. A new one signs every 90 days; the one before it stays here for two hours more."),
    Doc::new("GET", "/.well-known/oauth-authorization-server", "get_oauth_metadata", 200, Bare(&oauth::METADATA))
        .says("Read what OAuth clients need to know", "Addresses and abilities (RFC 8414). Where the base address has a path, that may stand behind this one too."),
    Doc::new("GET", "/api/v1/audit_events", "list_audit_events", 200, Page(&audit::EVENT))
        .says("Read the audit log", "Who did what in the caller's organisation to which form, token or person, the latest first. Events hold names of things, and neither values nor secrets; they are never changed. The organisation's owners alone may read them.")
        .query(audit::parameters),
    // The service itself.
    Doc::new("GET", "/api/v1/openapi.json", "get_openapi", 200, Bare(&openapi::DOCUMENT))
        .says("Read this description", "The OpenAPI document of this version.")
        .tagged(),
    Doc::new("GET", "/healthz", "get_health", 200, Bare(&health::STATUS))
        .says("Is it alive?", "The process answers. For supervisors."),
    Doc::new("GET", "/readyz", "get_readiness", 200, Bare(&health::STATUS))
        .says("Is it able?", "Reading and writing work."),
];

fn folder_list() -> Vec<Parameter> {
    let mut all = vec![Parameter {
        name: "parent_folder_token",
        schema: json!({"type": "string"}),
        text: "The folder that they lie in; empty for those at the top.",
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
        text("client_id", "The application."),
        text(
            "redirect_uri",
            "One of the application's addresses, letter by letter; of `http://127.0.0.1` and `http://[::1]` the port may be another.",
        ),
        word("response_type", "code", "May be left out."),
        text(
            "scope",
            "What is asked for, separated by blanks; all that the application is registered with when left out.",
        ),
        text("state", "Comes back untouched; at most 2,048 characters."),
        text("code_challenge", "The verifier's SHA-256, base64url."),
        word(
            "code_challenge_method",
            "S256",
            "How the challenge was made.",
        ),
    ]
}

fn form_list() -> Vec<Parameter> {
    let mut all = vec![
        Parameter {
            name: "name",
            schema: json!({"type": "string"}),
            text: "Part of the name.",
        },
        Parameter {
            name: "folder_token",
            schema: json!({"type": "string"}),
            text: "The caller's folder; empty for forms in none.",
        },
        Parameter {
            name: "sort",
            schema: json!({"type": "string", "enum": names(&form_ops::SORTS), "default": form_ops::SORTS[0].0}),
            text: "By which time, the latest first.",
        },
    ];
    all.extend(paging::parameters());
    all
}

fn image() -> Vec<Parameter> {
    vec![Parameter {
        name: "w",
        schema: json!({"type": "integer", "enum": WIDTHS}),
        text: "At most so many pixels wide.",
    }]
}

fn option_list() -> Vec<Parameter> {
    let text = |name, text| Parameter {
        name,
        schema: json!({"type": "string"}),
        text,
    };
    let mut all = vec![
        text("field", "The `api_code` of the linked field."),
        text("keyword", "Part of a text in one of its search fields."),
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
            text: "Conditions, all of which must hold: a JSON list of `{field, operator, value}`.",
        },
        Parameter {
            name: "keyword",
            schema: json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
            text: "Part of what was typed into a field of text, a name, an e-mail or web address, a phone number, or a column of such; case and width don't count.",
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
            text: "The order, with `-` for descending.",
        },
        Parameter {
            name: "fields",
            schema: json!({"type": "string", "examples": ["field_1,field_3"]}),
            text: "What to show, separated by commas: fields, `creator_name` and the like; the four fixed keys always come.",
        },
    ]);
    all.extend(paging::parameters());
    all
}
