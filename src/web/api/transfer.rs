//! `/api/v1/forms/{form_token}/entries/export` and `…/import`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::schema_builder::reference;
use crate::base::reason::Reason;
use crate::fields::columns::form::Headers;
use crate::fields::columns::mapping::Mapping;
use crate::fields::filter;
use crate::model::caller::Caller;
use crate::ops::transfer::exports::Format;
use crate::ops::transfer::imports;
pub use crate::web::files::entry_export::export;
use crate::web::files::entry_export::word;
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::{Data, File};
use crate::web::openapi::doc::{Doc, Parameter};
use crate::web::openapi::shape::{Shape, names};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::route::SHEETS;
use crate::web::request::unknown_keys;

/// Entries without an envelope.
static ENTRIES: Shape = Shape::new("EntryArray", || json!({"type": "array", "items": reference("Entry")}));

/// The formats of an export.
pub static FILES: &[(&str, Option<&Shape>)] =
    &[(SHEETS[0], None), (SHEETS[1], None), ("application/json", Some(&ENTRIES))];

/// The query parameters of an export.
pub fn parameters() -> Vec<Parameter> {
    vec![
        Parameter {
            name: "format",
            schema: json!({"type": "string", "enum": names(&Format::ALL), "default": Format::ALL[0].0}),
            text: "The file format.",
        },
        Parameter {
            name: "headers",
            schema: json!({"type": "string", "enum": names(&Headers::ALL), "default": Headers::ALL[0].0}),
            text: "The column headers of a spreadsheet.",
        },
        Parameter {
            name: "filters",
            schema: json!({"type": "string", "contentMediaType": "application/json"}),
            text: "Conditions, as for lists.",
        },
        Parameter {
            name: "keyword",
            schema: json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
            text: "Part of a text, name, email or web address or phone number in any field or column; ignores case and character width.",
        },
        Parameter {
            name: "fields",
            schema: json!({"type": "string", "examples": ["field_1,field_3"]}),
            text: "The keys to return, separated by commas: fields, or system keys such as `creator_name`. The four fixed keys are always included.",
        },
    ]
}

pub const IMPORT_ENTRIES: Doc = Doc::new("import_entries", 201, Data(&IMPORTED))
    .says(
        "Import entries",
        "Adds the rows of a CSV or XLSX file as entries: all of them, or none. The first row contains `api_code`s or \
         labels; differences in case and blanks don't matter. Columns that match no field are ignored, and listed in \
         `warnings`; with `Prefer: handling=strict` they are refused. Cells have the format of an export; CSV may \
         also contain numbers and dates as the form's `locale` writes them. Errors are listed by row: \
         `rows[12].field_3`, where `rows[0]` is the first below the header. At most 16 MiB and 200,000 rows.",
    )
    .takes_file(SHEETS, "field_1,field_2\nAda Lovelace,36\n")
    .query(import_parameters)
    .also(200)
    .codes(&[UPLOADS]);

/// `POST /forms/{form_token}/entries/import`
pub fn import(call: &Call, caller: &Caller) -> Result<Reply> {
    let mut at = Issues::new();
    let dry_run = word(call, "dry_run", &DRY_RUN, &mut at);
    // A `dry_run` without a value probably means yes; it must not be taken for no.
    if call.query("dry_run").is_some_and(|word| word.is_empty()) {
        at.push_at("dry_run", Reason::MustBeOneOf(names(&DRY_RUN).join(", ")));
    }
    let columns = Mapping::of_text(call.query("columns").as_deref(), &mut at)?;
    let request = imports::Request {
        columns,
        job: None,
        form: call.param("form_token"),
        file: call.body,
        dry_run,
        is_strict: unknown_keys::is_strict(call.headers),
    };
    let done = imports::run(call.app, caller, &request, at, &mut |_| {})??;
    let body = ImportedBody { created: done.created, rows: done.rows, dry_run };
    let status = if dry_run { StatusCode::OK } else { StatusCode::CREATED };
    Ok(reply::data_with(status, &body)?.warn(done.warnings).into())
}

/// The answer to an import.
pub static IMPORTED: Shape = Shape::of_type::<ImportedBody>("ImportedEntries");

/// What an import came to.
#[derive(Serialize, JsonSchema)]
struct ImportedBody {
    /// The number of entries added; 0 if the file was only validated.
    created: usize,
    /// The number of rows in the file, without the header.
    rows: usize,
    /// Whether the file was only validated.
    dry_run: bool,
}

const DRY_RUN: [(&str, bool); 2] = [("false", false), ("true", true)];

/// The query parameters of an import.
pub fn import_parameters() -> Vec<Parameter> {
    vec![
        Parameter {
            name: "dry_run",
            schema: json!({"type": "boolean", "default": false}),
            text: "Only validate the file.",
        },
        Parameter {
            name: "columns",
            schema: json!({
                "type": "string",
                "contentMediaType": "application/json",
                "examples": [r#"{"Mail": "field_2", "Town": "field_4.city", "Remarks": null}"#],
            }),
            text: "Where columns go whose names say something else: a JSON object of column names, each with the code \
                   of a field or of a part of one as in an export's headers, or with null to leave the column out. \
                   Columns that it does not name go by their names.",
        },
    ]
}

pub const EXPORT_ENTRIES: Doc = Doc::new("export_entries", 200, File(FILES))
    .says(
        "Export entries",
        "All entries as a file, oldest first. A spreadsheet has a column for each part of a value: of an address, of a \
         phone, of a table's columns, with its rows one per line in a cell. In a form with a waiting list, \
         `waiting_position` is the place on it, 1 for the next. In XLSX, dates and times are cells of that type; \
         certificates are links. An export can be imported again, except for values that the service sets itself. CSV \
         is UTF-8 with a byte order mark; text that a spreadsheet would run as a formula is prefixed with `'`. JSON is \
         a bare array of entries as lists show them. A token may have 4 exports open at a time, all clients together \
         16; more are answered with 429.",
    )
    .query(parameters)
    .checks_query();
