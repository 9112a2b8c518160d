//! The sentences of the description: what statuses, codes, scopes and keys mean. No type and no bound
//! stands here: those come from the code that holds them.

use serde_json::json;

use crate::base::error::Code;
use crate::base::json::Json;
use crate::model::scope::Scope;

/// What holds for all of the API.
pub const INTRODUCTION: &str = "Make forms, publish them, take submissions and read the entries.\n\n\
    Bodies are JSON in UTF-8 with `Content-Type: application/json`. Answers are `{ data }`, lists \
    `{ data, pagination }`, errors `{ error, code?, error_details? }`. Unknown keys are ignored, and null \
    counts as absent where it isn't said to clear. Date-times are RFC 3339 in UTC with milliseconds. \
    `HEAD` works where `GET` does, but not on `/api/v1/oauth/authorize`. Any origin may call with a token; \
    cookies don't count.";

/// What a token is.
pub const TOKENS: &str = "A personal access token, from the profile page or `formsvc token create`, in the \
    header `Authorization: Bearer …`. The scopes that an operation names are the ones that the token needs.";

/// How applications get tokens.
pub const OAUTH: &str = "An application acts for its user: the authorization code grant with PKCE (`S256`, \
    always), for applications that `formsvc app create` registered. The access token is a JWT, works for an \
    hour, and is sent as a personal one is. Its refresh token works once.";

/// How applications show which one they are.
pub const CLIENTS: &str = "The application's `client_id` and `client_secret`. Both may stand in the body \
    instead; a public client has no secret and sends its `client_id` there.";

/// The statuses of errors that routes answer alike, without a code.
pub const STATUSES: [u16; 13] = [
    400, 401, 403, 404, 408, 410, 413, 415, 416, 422, 429, 500, 503,
];

const TAGS: [(&str, &str, &str); 13] = [
    (
        "Forms",
        "/api/v1/forms",
        "A form: its fields, and what is set of it.",
    ),
    (
        "Settings, theme, rules",
        "/api/v1/forms/{form_token}/",
        "What a form does, how it looks, which fields show when.",
    ),
    (
        "Collaborators",
        "/api/v1/forms/{form_token}/collaborators",
        "With whom a form is shared, and how far.",
    ),
    (
        "Folders",
        "/api/v1/folders",
        "The caller's own order of forms; nobody else sees it.",
    ),
    (
        "Entries",
        "/api/v1/forms/{form_token}/entries",
        "What was submitted to a form, for those who may see it.",
    ),
    (
        "Trash",
        "/api/v1/forms/{form_token}/trash",
        "Entries that were deleted, for 30 days.",
    ),
    (
        "Published forms",
        "/api/v1/f/",
        "A form as respondents see and fill it in: no token needed.",
    ),
    (
        "Forms submitted to",
        "/api/v1/participated_forms",
        "What the caller has submitted while signed in.",
    ),
    ("Caller", "/api/v1/me", "Who calls."),
    (
        "Files",
        "/files/",
        "What is uploaded: prepared first, then sent to an address of its own, then named where it belongs.",
    ),
    (
        "Applications",
        "/api/v1/oauth/",
        "How applications of others get to act for their users: OAuth 2.0.",
    ),
    (
        "Audit log",
        "/api/v1/audit_events",
        "Who did what in the organisation.",
    ),
    ("Service", "/", "The service itself."),
];

/// The groups of operations, in the order they are shown.
pub fn tags() -> Json {
    let all = TAGS.iter();
    all.map(|(name, _, text)| json!({"name": name, "description": text}))
        .collect()
}

/// The group of a route: the one with the longest beginning of its path.
pub fn tag_of(path: &str) -> &'static str {
    if path.starts_with("/.well-known/") {
        return "Applications";
    }
    if path.starts_with("/uploads/") || path.ends_with("attachments") {
        return "Files";
    }
    // Where a form lies is said by folders; what is done to the whole form belongs to it.
    if path.ends_with("/folder") {
        return "Folders";
    }
    let path = path
        .strip_suffix("/restore")
        .or_else(|| path.strip_suffix("/copy"))
        .unwrap_or(path);
    TAGS.iter()
        .filter(|(_, begin, _)| path.starts_with(begin))
        .max_by_key(|(_, begin, _)| begin.len())
        .map_or("Service", |(name, _, _)| name)
}

/// The name of an error's answer among the components.
pub fn response_name(status: u16) -> &'static str {
    match status {
        400 => "BadRequest",
        401 => "Unauthenticated",
        403 => "Forbidden",
        404 => "NotFound",
        408 => "BodyTimeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "PreconditionFailed",
        413 => "TooLarge",
        415 => "UnsupportedType",
        416 => "OutOfRange",
        422 => "Invalid",
        429 => "TooMany",
        500 => "Internal",
        _ => "Unavailable",
    }
}

/// What an error's status says.
pub fn response_text(status: u16) -> &'static str {
    match status {
        400 => {
            "The request can't be understood: no valid JSON, a cursor or a page size that can't be, a header that is malformed."
        }
        401 => "The token is missing or not valid.",
        403 => "The token lacks the scope, or the caller may not do this.",
        404 => "There is no such thing, or the caller may not see it.",
        405 => "The address has no such method: `Allow` lists those that it has.",
        408 => "The body did not come in time.",
        409 => "It collides with something else.",
        410 => "It was used already.",
        412 => "What is to be changed is not what the client has seen.",
        413 => "The body is too large.",
        415 => "The body is of no type that is taken there, such as JSON in UTF-8.",
        416 => "There is no such part of it.",
        422 => "What was sent has faults: `error_details` lists all of them.",
        429 => "Too many requests: wait, then try again.",
        500 => "A fault of the service. The request id leads to it in the log.",
        _ => "The service can't take this just now: wait, then try again.",
    }
}

/// Every status of an error with what it says.
pub fn all_statuses() -> impl Iterator<Item = (u16, &'static str)> {
    let mut all = STATUSES.to_vec();
    all.extend([405, 409, 412]);
    all.sort_unstable();
    all.into_iter()
        .map(|status| (status, response_text(status)))
}

/// When a code is given.
pub fn code(code: Code) -> &'static str {
    match code {
        Code::PasswordRequired => "the form has a password, and none was given",
        Code::PasswordInvalid => "the password is wrong",
        Code::FormClosed => "the form no longer takes submissions",
        Code::FormNotOpen => "the form does not yet take submissions",
        Code::FormFull => "the form has as many entries as it takes",
        Code::QuotaExceeded => "a choice or a booking has no place left",
        Code::OutOfStock => "a product is sold out",
        Code::DataLoss => "the edit would delete collected data; `confirm_data_loss` allows it",
        Code::PlanRequired => "the plan lacks the capability",
        Code::VersionConflict => "`If-Match` does not match",
        Code::IdempotencyConflict => "the key was used with another request",
        Code::AlreadySubmitted => {
            "the form takes one entry from each respondent, and has this one's"
        }
        Code::UploadNotFound => "there is no such upload",
        Code::UploadIncomplete => "the upload's file did not come yet",
        Code::UploadUsed => "the upload was used already",
        Code::UploadExpired => "the upload's file did not come in time",
        Code::UploadPurposeMismatch => "the upload was prepared for another form, field or purpose",
        Code::UploadInProgress => "the upload's file is being sent by another request",
    }
}

/// What a scope allows.
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::FormRead => "Read forms and folders.",
        Scope::FormWrite => "Create and update forms and folders.",
        Scope::FormDelete => "Delete forms and folders.",
        Scope::EntryRead => "Read submissions to a form.",
        Scope::EntryWrite => "Create or change entries on the owner's behalf.",
        Scope::EntryDelete => "Delete entries.",
        Scope::FormRespond => "Submit to a published form on a respondent's behalf.",
        Scope::IntegrationRead => "List webhooks and other integrations.",
        Scope::IntegrationWrite => "Set up webhooks and other integrations.",
    }
}

/// What keys mean wherever they stand.
const KEYS: &[(&str, &str)] = &[
    (
        "api_code",
        "The name in requests and answers. Given when left out; never used again.",
    ),
    ("label", "The question, or what people call it."),
    (
        "notes",
        "Help below the label: rich text, of which p, br, b, strong, i, em, u, s, a, ul, ol, li, h1 to h4 and blockquote are kept.",
    ),
    ("required", "Whether a respondent must answer."),
    (
        "hidden",
        "Hidden from respondents; writable through the API.",
    ),
    ("placeholder", "Shown in an empty control."),
    (
        "default_value",
        "In the field's write shape; dates also know `today` and `now`.",
    ),
    ("unique", "No two live entries have the same value."),
    ("min_length", "The fewest characters."),
    ("max_length", "The most characters."),
    (
        "pattern",
        "What the whole value must match, in RE2 syntax. Without `max_length`, a complex pattern limits the length of texts.",
    ),
    ("pattern_message", "What is said when it doesn't."),
    (
        "allowed_domains",
        "The domains that addresses may have; none: all.",
    ),
    (
        "default_country",
        "The country chosen at first, as an ISO 3166-1 alpha-2 code.",
    ),
    (
        "allowed_countries",
        "The countries to choose from; none: all.",
    ),
    ("min", "The least value."),
    ("max", "The greatest value."),
    ("unit", "Shown behind the number."),
    ("choices", "What there is to choose from."),
    (
        "is_other",
        "The respondent says what else; one choice at most.",
    ),
    ("allow_extended_text", "The respondent may add a text."),
    ("quota", "How many may choose it."),
    ("score", "What it counts in an exam."),
    ("random_order", "Shown in another order each time."),
    ("min_selected", "The fewest choices."),
    ("max_selected", "The most choices."),
    ("min_ranked", "The fewest ranks."),
    ("max_ranked", "The most ranks."),
    ("levels", "How many levels there are."),
    ("children", "The choices of the next level."),
    ("rating_max", "The best rating."),
    ("icon", "What ratings are drawn as."),
    ("min_label", "Beside the lowest score."),
    ("max_label", "Beside the highest score."),
    ("statements", "The rows."),
    ("dimensions", "The columns."),
    ("multiple", "Whether several may be chosen."),
    ("min_rows", "The fewest rows."),
    ("max_rows", "The most rows."),
    ("required_parts", "The parts that must be given."),
    ("max_size", "The largest file, in MB."),
    ("max_count", "The most files."),
    ("media_type", "Which files are taken."),
    (
        "content_types",
        "The content types that `custom` stands for.",
    ),
    ("max_duration", "The longest recording, in seconds."),
    ("goods_items", "What there is to order."),
    ("reservation_items", "What there is to book."),
    ("quota_setting", "When there are places, and how many."),
    ("price", "In the form's currency."),
    ("original_price", "The price before, shown crossed out."),
    ("stock", "How many there are; none: no limit."),
    ("skus", "Prices and stock of single specifications."),
    ("include_second", "Whether seconds are asked for."),
    (
        "locale",
        "A language tag. Pages have their own words in English and Simplified Chinese; in English for other \
         locales, of which `warnings` beside `data` tells.",
    ),
    ("expression", "What is computed."),
    ("result_type", "What comes of it."),
    ("previous_text", "The words on the button back."),
    ("next_text", "The words on the button on."),
    ("content", "Rich text."),
    (
        "search_fields",
        "The linked form's fields that are searched.",
    ),
    ("display_fields", "The linked form's fields that are shown."),
    (
        "confirm_data_loss",
        "Allows an edit that deletes collected data.",
    ),
    ("field_values", "Values by api_code, in their write shapes."),
    ("folder_token", "The caller's folder."),
    (
        "parent_folder_token",
        "The folder that it lies in; none: at the top.",
    ),
    ("started_at", "When the respondent began."),
    (
        "x_field_1",
        "Kept with the entry: where the respondent came from, for example.",
    ),
    ("password", "The form's access password, where it has one."),
    (
        "warnings",
        "Pairs of colours that people with low vision can't tell apart.",
    ),
    ("show_progress", "Shows how far the respondent is."),
    ("show_field_number", "Numbers the questions."),
    (
        "one_per_respondent",
        "Whether a respondent may submit once only, and by what they are known.",
    ),
    (
        "allow_edit_after_submission",
        "A respondent may change the own entry.",
    ),
    (
        "manually_closed",
        "Takes no submissions, whatever the schedule says.",
    ),
    (
        "entries_limit",
        "How many entries the form takes; null: any number.",
    ),
    (
        "show_countdown",
        "Shows how long it is until the form opens or closes.",
    ),
    (
        "show_form_before_open",
        "Shows the questions before the form opens.",
    ),
    (
        "access_password",
        "Asked of everybody who comes to the form.",
    ),
    ("partial", "What an answer that is partly right counts."),
    ("answer", "The right answer, in the write shape."),
];

/// Gives each property the sentence of its key, where it has none of its own.
pub fn explain(schemas: &mut Json) {
    match schemas {
        Json::Object(map) => {
            if let Some(Json::Object(properties)) = map.get_mut("properties") {
                for (key, schema) in properties {
                    let words = KEYS.iter().find(|(known, _)| known == key);
                    if let (Some((_, text)), Json::Object(schema)) = (words, schema)
                        && !schema.contains_key("description")
                    {
                        schema.insert("description".to_owned(), json!(text));
                    }
                }
            }
            map.values_mut().for_each(explain);
        }
        Json::Array(items) => items.iter_mut().for_each(explain),
        _ => {}
    }
}
