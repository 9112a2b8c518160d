//! The texts of the description: statuses, codes, scopes and keys. Types and limits come from the code that enforces
//! them.

use serde_json::json;

use crate::base::error::Code;
use crate::base::json::Json;
use crate::model::scope::Scope;

/// Rules of the whole API.
pub const INTRODUCTION: &str = "Create forms, publish them, accept submissions and read the entries.\n\nBodies are \
    JSON in UTF-8 with `Content-Type: application/json`. Answers are `{ data }`, lists `{ data, pagination }`, errors \
    `{ error, code?, error_details? }`. Unknown keys of a body and unknown query parameters are ignored and listed in \
    `warnings`, or in the header `X-Warnings` where the answer is no such envelope; with `Prefer: handling=strict` \
    they are refused. An import always refuses unknown parameters. Null counts as absent unless it is documented to \
    clear a value. Date-times are RFC 3339 in UTC with milliseconds. `HEAD` works where `GET` does, except on \
    `/api/v1/oauth/authorize`. Any origin can call the API with a token; cookies are ignored.";

pub const TOKENS: &str = "A personal access token, from the profile page or `formsvc token create`, in the \
    header `Authorization: Bearer …`. The token needs the scopes that an operation lists.";

/// How applications get tokens.
pub const OAUTH: &str = "An application acts for its user through the authorization code grant with PKCE \
    (`S256`, required). Register applications with `formsvc app create`. The access token is a JWT, works for one \
    hour, and is sent like a personal access token. The refresh token works once.";

/// How applications authenticate.
pub const CLIENTS: &str = "The application's `client_id` and `client_secret`. Both can be sent in the body \
    instead; a public client has no secret and sends its `client_id` there.";

/// The statuses of errors without a code, which routes share.
pub const STATUSES: [u16; 13] = [400, 401, 403, 404, 408, 410, 413, 415, 416, 422, 429, 500, 503];

const TAGS: [(&str, &str, &str); 18] = [
    ("Forms", "/api/v1/forms", "Forms, their fields and properties."),
    (
        "Settings, theme, rules",
        "/api/v1/forms/{form_token}/",
        "How a form behaves, how it looks, and which fields are shown when.",
    ),
    ("Collaborators", "/api/v1/forms/{form_token}/collaborators", "The people a form is shared with, and their roles."),
    ("Versions", "/api/v1/forms/{form_token}/versions", "What a form said over time, to read and to bring back."),
    (
        "Webhooks and events",
        "/api/v1/forms/{form_token}/integrations/",
        "Events of a form's entries, sent to other services.",
    ),
    ("Folders", "/api/v1/folders", "The caller's own folders of forms; nobody else sees them."),
    ("Entries", "/api/v1/forms/{form_token}/entries", "The entries submitted to a form, for its collaborators."),
    ("Trash", "/api/v1/forms/{form_token}/trash", "Entries deleted in the last 30 days."),
    ("Published forms", "/api/v1/f/", "Forms as respondents see and fill them in; no token needed."),
    (
        "Public queries",
        "/api/v1/opensearch/",
        "Pages on which visitors look up entries of a form: their definitions, for managers, and their use, without a \
         token.",
    ),
    ("Forms submitted to", "/api/v1/participated_forms", "The forms that the caller has submitted to while signed in."),
    ("Caller", "/api/v1/me", "The calling user and token."),
    ("Organization", "/api/v1/organization", "What the pages of forms show of whose they are."),
    ("Members", "/api/v1/members", "The members of the caller's organization."),
    ("Files", "/files/", "Uploads: prepare a file, upload it to its own address, then refer to it where it belongs."),
    ("Applications", "/api/v1/oauth/", "How third-party applications act for users: OAuth 2.0."),
    ("Activity log", "/api/v1/audit_events", "Who did what in the organization."),
    ("Service", "/", "The service itself."),
];

/// The groups of operations, in the order they are shown.
pub fn tags() -> Json {
    let all = TAGS.iter();
    all.map(|(name, _, text)| json!({"name": name, "description": text})).collect()
}

/// The group of a route: the one with the longest matching path prefix.
pub fn tag_of(path: &str) -> &'static str {
    if path.starts_with("/.well-known/") {
        return "Applications";
    }
    if path.starts_with("/api/v1/q/") {
        return "Public queries";
    }
    if path.starts_with("/uploads/") || path.ends_with("attachments") {
        return "Files";
    }
    // Moving a form belongs to folders; actions on a whole form belong to forms.
    if path.ends_with("/folder") {
        return "Folders";
    }
    let path = path.strip_suffix("/restore").or_else(|| path.strip_suffix("/copy")).unwrap_or(path);
    TAGS.iter()
        .filter(|(_, begin, _)| path.starts_with(begin))
        .max_by_key(|(_, begin, _)| begin.len())
        .map_or("Service", |(name, _, _)| name)
}

/// The component name of an error's answer.
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

pub fn response_text(status: u16) -> &'static str {
    match status {
        400 => "Malformed request: invalid JSON, cursor, page size or header.",
        401 => "The token is missing or invalid.",
        402 => "The organization's plan does not include this.",
        403 => "The token lacks the scope, or the caller lacks the permission.",
        404 => "Not found, or not visible to the caller.",
        405 => "The method is not supported here; `Allow` lists those that are.",
        408 => "The body was not received in time.",
        409 => "Conflicts with the current state.",
        410 => "Already used, permanently deleted, or no longer stored.",
        412 => "The resource has changed since the client read it.",
        413 => "The body is too large.",
        415 => "Unsupported content type; usually JSON in UTF-8 is expected.",
        416 => "The requested range is not available.",
        422 => "The input is invalid: `error_details` lists all errors.",
        429 => "Too many requests: wait, then retry.",
        500 => "Server error. Find it in the log by `X-Request-Id`.",
        _ => "The service can't handle this at the moment: wait, then retry.",
    }
}

/// Every error status with its text.
pub fn all_statuses() -> impl Iterator<Item = (u16, &'static str)> {
    let mut all = STATUSES.to_vec();
    all.extend([402, 405, 409, 412]);
    all.sort_unstable();
    all.into_iter().map(|status| (status, response_text(status)))
}

/// When an error has this code.
pub fn code(code: Code) -> &'static str {
    match code {
        Code::PasswordRequired => "the form has a password and none was sent",
        Code::PasswordInvalid => "the password is wrong",
        Code::FormClosed => "the form no longer accepts submissions",
        Code::FormNotOpen => "the form does not accept submissions yet",
        Code::FormFull => "the form has reached its maximum number of entries",
        Code::QuotaExceeded => "a choice or a booking is full or does not have enough places left",
        Code::OutOfStock => "a product is sold out or there is not enough in stock",
        Code::HoldLimit => "the hold asks for more than half of what is left; a submission can take all of it",
        Code::WaitingListFull => "the client's network has its maximum number of entries on the waiting list",
        Code::DataLoss => "the edit would delete collected data; `confirm_data_loss` allows it",
        Code::PlanRequired => "the plan does not include this",
        Code::VersionConflict => "`If-Match` or `expected_total` does not match",
        Code::CannotUndo => "the job is not over, or can't be undone",
        Code::IdempotencyConflict => "the key was used with another request",
        Code::AlreadySubmitted => "the form accepts one entry per respondent, and this one has already submitted",
        Code::UploadNotFound => "the upload does not exist",
        Code::UploadIncomplete => "the file has not been uploaded yet",
        Code::UploadUsed => "the upload has already been used",
        Code::UploadExpired => "the file was not uploaded in time",
        Code::UploadPurposeMismatch => "the upload was prepared for another form, field or purpose",
        Code::UploadInProgress => "another request is uploading the file",
    }
}

/// The description of a scope.
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

/// The meaning of keys, wherever they occur.
const KEYS: &[(&str, &str)] = &[
    ("api_code", "The name in requests and answers. Assigned if omitted; never reused."),
    ("label", "The question, or its name."),
    (
        "notes",
        "Help text below the label. Rich text with p, br, b, strong, i, em, u, s, a, ul, ol, li, h1 to h4, blockquote \
         and img (uploaded images); other tags are removed.",
    ),
    ("required", "Whether a respondent must answer."),
    ("hidden", "Hidden from respondents; writable through the API."),
    ("placeholder", "Shown in the empty input."),
    ("default_value", "In the field's write format; dates also accept `today` and `now`."),
    (
        "unique",
        "No two entries outside the trash can have the same value. Case, character width, surrounding blanks, \
         invisible characters and the ASCII form of international domains make no difference.",
    ),
    ("min_length", "Minimum number of characters."),
    ("max_length", "Maximum number of characters."),
    (
        "pattern",
        "A pattern in RE2 syntax that the whole value must match. Without `max_length`, a complex pattern limits the \
         length of texts.",
    ),
    ("pattern_message", "The error message for a value that doesn't match. The form's page also shows it as a hint."),
    ("allowed_domains", "The allowed domains of addresses; all if empty."),
    ("default_country", "The preselected country, as an ISO 3166-1 alpha-2 code."),
    ("allowed_countries", "The allowed countries; all if empty."),
    ("min", "The smallest value."),
    ("max", "The largest value."),
    ("unit", "Shown after the number."),
    ("choices", "The choices."),
    ("is_other", "Adds a text input for another answer; at most one choice can have it."),
    ("allow_extended_text", "Adds an optional text input."),
    ("quota", "How many respondents can choose it."),
    ("capacity", "How the form deals with quotas, stock and places."),
    (
        "hold_minutes",
        "For how many minutes limited choices, products and places are held for a respondent who fills in the form; 0 \
         turns holds off.",
    ),
    (
        "waiting_list",
        "In settings: whether a submission can join a waiting list if there is no room. In a submission: whether \
         this one joins it then.",
    ),
    ("hold_token", "The hold that the submission uses."),
    (
        "remaining",
        "How many are left; only in published forms, where there is a limit. For a weekday or a time slot: on the \
         next day that can be booked.",
    ),
    (
        "held",
        "How many are held for respondents who are filling in the form; beside `remaining`, only for managers of \
         the form whose token has form:read.",
    ),
    ("score", "The points of a choice, for evaluations and `SCORE`, or of a question of an exam."),
    ("random_order", "Shuffles the choices on each page load."),
    ("min_selected", "Minimum number of choices."),
    ("max_selected", "Maximum number of choices."),
    ("min_ranked", "Minimum number of ranked choices."),
    ("max_ranked", "Maximum number of ranked choices."),
    ("levels", "The number of levels."),
    ("children", "The choices of the next level."),
    ("rating_max", "The highest rating."),
    ("icon", "The symbol of a rating."),
    ("min_label", "Label of the lowest score."),
    ("max_label", "Label of the highest score."),
    ("statements", "The rows."),
    ("dimensions", "The columns."),
    ("multiple", "Whether several choices can be selected."),
    ("min_rows", "Minimum number of rows."),
    ("max_rows", "Maximum number of rows."),
    ("required_parts", "The required parts."),
    ("max_size", "Maximum file size in MB."),
    ("max_count", "Maximum number of files."),
    ("media_type", "The accepted types of files."),
    ("content_types", "The content types accepted with `custom`."),
    ("max_duration", "Maximum length of a recording in seconds."),
    ("goods_items", "The products."),
    ("reservation_items", "The bookable items."),
    ("quota_setting", "The bookable days or time slots, and how many places each has."),
    ("weekday", "The day of the week: 1 is Monday, 7 is Sunday."),
    ("price", "In the form's currency."),
    ("original_price", "The former price, shown crossed out."),
    ("stock", "The number in stock; omit it for no limit."),
    ("skus", "Prices and stock of individual variants."),
    ("include_second", "Whether to ask for seconds."),
    (
        "locale",
        "A language tag. The page's own words exist in English and Simplified Chinese; with other locales they \
         are in English, and `warnings` beside `data` says so.",
    ),
    ("expression", "The formula."),
    ("result_type", "Type of the result."),
    ("previous_text", "Label of the Back button."),
    ("next_text", "Label of the Next button."),
    ("content", "Rich text."),
    ("search_fields", "The fields of the linked form to search."),
    ("display_fields", "The fields of the linked form to display."),
    ("confirm_data_loss", "Allows an edit that deletes collected data."),
    ("field_values", "Values by `api_code`, in their write format."),
    ("folder_token", "The caller's folder."),
    ("parent_folder_token", "The parent folder; omit it for the top level."),
    ("started_at", "When the respondent started."),
    ("x_field_1", "Stored with the entry, for example where the respondent came from."),
    ("password", "The form's access password, if it has one."),
    ("show_progress", "Shows the respondent's progress."),
    ("show_field_number", "Numbers the questions."),
    (
        "one_per_respondent",
        "Limits each respondent to one submission, and sets how respondents are recognized: by `browser` on the \
         form's page only, since the API uses no cookies and accepts every submission; by `account` with a token.",
    ),
    ("allow_edit_after_submission", "Respondents can edit their entry."),
    (
        "show_answers",
        "Shows the answers after submission; in the settings of an exam, the correct ones. If respondents can edit \
         their answers, the correct ones are shown once the form has closed.",
    ),
    ("show_score", "Shows the points after submission."),
    (
        "duration_minutes",
        "The time limit, counted from when the form is loaded. It ends 15 seconds before the form closes at the \
         latest. Later submissions are marked as late; once the form has closed they are refused.",
    ),
    ("pass_score", "The points needed to pass."),
    (
        "start_token",
        "`exam.start_token` of the published form, for an exam with a time limit. Without it the submission is late.",
    ),
    ("currency", "An ISO 4217 code."),
    (
        "discounts",
        "Only one discount applies: the one with the highest `min_total` that the total reaches; of several with \
         the same, the first. A discount has either `percent_off` or `amount_off`, and never makes the price \
         negative.",
    ),
    (
        "pricing",
        "How orders are priced. The service computes `total_price` and `preferential_price`, both rounded to the \
         currency's decimals; they change only when the products of the entry change.",
    ),
    ("min_total", "The order total from which the discount applies."),
    ("percent_off", "The discount in percent."),
    ("amount_off", "The discount as an amount."),
    ("min_number", "Minimum quantity of one variant in an order."),
    ("max_number", "Maximum quantity of one variant in an order."),
    (
        "exam",
        "How entries are scored in a form with the scene `exam`, and which results respondents see after they submit.",
    ),
    (
        "questions",
        "The scored questions by `api_code`; hidden ones don't count. After a change all entries are scored again, \
         and `rescored_at` is set in those whose score changed.",
    ),
    ("scored", "Whether the question counts; true if omitted. A question that counts needs `score` and `answer`."),
    ("mode", "Shown after a submission: the message, the redirect's page, or the report of an evaluation."),
    ("length", "The length of new codes."),
    (
        "score_based_feedbacks",
        "The comments of an evaluation by score range, both bounds included; the first range that matches applies.",
    ),
    (
        "notifications",
        "Emails about entries. They need a mail server (`--smtp-url`). `subject` and `message` (rich text) can contain placeholders such as `{{field_1}}`; null for the standard words.",
    ),
    (
        "receipt",
        "An email to the respondent about a new entry. `field` is the email field with the address, which all emails to the respondent go to; null for the first one that is not hidden. `for_programs` sends them for submissions by the API without a token too.",
    ),
    ("notice", "An email to each of these addresses, with a link to unsubscribe."),
    (
        "waiting",
        "An email to the respondent whose entry joins the waiting list. Sent if the receipt is, unless `enabled` says otherwise.",
    ),
    (
        "moved_up",
        "An email to the respondent whose entry moves up from the waiting list. Sent if the receipt is, unless `enabled` says otherwise.",
    ),
    (
        "cancelled",
        "An email to the respondent whose booking is cancelled. Sent if the receipt is, unless `enabled` says otherwise.",
    ),
    ("changed", "An email to the respondent whose answers are changed, by themselves or by the form's people."),
    ("reminder", "An email to the respondent a day before each booking."),
    ("include_values", "Puts the answers into the email."),
    ("manually_closed", "Accepts no submissions, regardless of the schedule."),
    ("entries_limit", "The maximum number of entries, at least 2; null for no limit."),
    ("show_countdown", "Shows a countdown to the form's opening or closing."),
    ("show_form_before_open", "Shows the questions before the form opens. They can be answered once it does."),
    ("access_password", "Visitors must enter it to see the form."),
    (
        "partial",
        "The points of a partly correct answer to a question with several choices: `none`; `proportional`, a share for \
         each right choice, and none if a wrong one is selected; `per_choice`, a share for each right choice less one \
         for each wrong one.",
    ),
    (
        "verification_code",
        "Gives each new entry a code that is unique in the form and never changes. Entries from before it was enabled \
         have none.",
    ),
    (
        "certificate",
        "A PDF for each entry, generated on request. In `title` and `body`, `{{field_1}}` stands for an answer; \
         `{{serial_number}}`, `{{created_at}}`, `{{gen_code}}` and `{{exam_score}}` for properties of the entry. A \
         character that no font has is listed in `warnings` and drawn as a box.",
    ),
    ("min_score", "The score from which an entry has a certificate; null for all entries."),
    ("answer", "The correct answer, in the write format."),
];

/// Adds the text of its key to each property without a description.
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
