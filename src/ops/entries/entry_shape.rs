//! An entry as reads show it (spec 2.7, contract 3.3), as JSON text.

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::json::schema_builder::{or_null, reference};
use crate::fields::kind::Cx;
use crate::fields::{Field, system, values};
use crate::model::entry::Entry;
use crate::model::settings::AfterMode;
use crate::ops::exams::certificates;
use crate::query::as_read;
use crate::query::form_cache::ParsedForm;

/// The approximate size in bytes of an entry without its values.
const BESIDE: usize = 512;

/// The results that a respondent sees in the own entry.
const THEIRS: [&str; 4] = [WAITING, "total_price", "preferential_price", "reservation_status_fsf_field"];

/// The place in the waiting list, a result of forms that have one.
const WAITING: &str = "waiting_position";

/// The place of a waiting entry in a form that has no waiting list any more.
fn waiting(parsed: &ParsedForm, entry: &Entry, out: &mut String) {
    if !parsed.settings.capacity.waiting_list && entry.results.is_waiting {
        let place = json!(entry.waiting_position);
        out.push_str(&format!(",\"{WAITING}\":{place}"));
    }
}

/// The whole entry, or the four fixed keys and the wanted ones.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn whole(parsed: &ParsedForm, entry: &Entry, wanted: Option<&[String]>, cx: &Cx) -> Result<String> {
    let mut out = fixed(entry);
    let is_wanted = |code: &str| wanted.is_none_or(|codes| codes.iter().any(|wanted| wanted.as_str() == code));
    for (name, value) in system::beside(entry) {
        if is_wanted(name) {
            out.push_str(&format!(",\"{name}\":{value}"));
        }
    }
    if is_wanted(WAITING) {
        waiting(parsed, entry, &mut out);
    }
    results(parsed, entry, is_wanted, cx, &mut out);
    let shown = |field: &&Field| is_wanted(&field.api_code);
    members(parsed, entry, cx, shown, &mut out)?;
    out.push('}');
    Ok(out)
}

/// The JSON Schema of a whole entry; of a chosen few fields too, but for the keys that are always there.
pub fn schema() -> Json {
    let mut schema = respondent_schema();
    let more = json!({
        "info_filling_duration": {
            "type": ["integer", "null"],
            "description": "The seconds it took to fill in; null if not measured.",
        },
        "creator_name": {
            "type": ["string", "null"],
            "description": "The user who added it, if any.",
        },
        "x_field_1": {"type": "string", "description": "The value of `x_field_1` in the form's address."},
    });
    if let (Json::Object(all), Json::Object(more)) = (&mut schema["properties"], more) {
        all.extend(more);
        all.extend(described_results(|_| true));
    }
    schema
}

/// The JSON Schemas of results.
fn described_results(is_shown: impl Fn(&str) -> bool) -> impl Iterator<Item = (String, Json)> {
    const DESCRIBED: [(&str, &str); 8] = [
        ("exam_score", "The points of an exam; null where nothing is scored."),
        ("exam_passed", "Whether the points reach the exam's `pass_score`; null where nothing is scored."),
        ("total_price", "The price of an order before the discount."),
        ("preferential_price", "The price of an order after the discount."),
        ("reservation_status_fsf_field", "The state of a booking; null where nothing is booked."),
        ("evaluation_report", "The score of an evaluation, with the comment of its range."),
        ("is_late", "Whether an exam was submitted, or edited by its respondent, after the time was up."),
        ("rescored_at", "When the score was last changed by an edit of the form; null if never."),
    ];
    let shown = DESCRIBED.into_iter().filter(move |(name, _)| is_shown(name));
    shown.filter_map(|(name, description)| {
        let field = system::by_name(name)?;
        let mut schema = or_null(field.kind.read_schema());
        schema["description"] = json!(description);
        Some((name.to_owned(), schema))
    })
}

/// The JSON Schema of the entry as a respondent sees it.
pub fn respondent_schema() -> Json {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "serial_number": {"type": "integer", "minimum": 1},
            "token": {"type": "string"},
            "created_at": {"type": "string", "format": "date-time"},
            "updated_at": {"type": "string", "format": "date-time"},
            "waiting_position": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "The place on the waiting list, 1 for the next; null if the entry does not wait. \
                                Only in forms with a waiting list.",
            },
        },
        "required": ["serial_number", "token", "created_at", "updated_at"],
        "patternProperties": {"^field_[1-9][0-9]*$": reference("FieldValue")},
    });
    if let Json::Object(all) = &mut schema["properties"] {
        all.extend(described_results(|name| THEIRS.contains(&name)));
    }
    schema
}

/// The respondent's own entry as they see it: no hidden field, nothing of collaborators.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn for_respondent(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Result<String> {
    let mut out = fixed(entry);
    let is_theirs = |name: &str| THEIRS.contains(&name);
    waiting(parsed, entry, &mut out);
    results(parsed, entry, is_theirs, cx, &mut out);
    members(parsed, entry, cx, |field| !field.hidden, &mut out)?;
    out.push('}');
    Ok(out)
}

/// The results that the settings let a respondent see after a submission, as members to follow others.
pub fn results_for_respondent(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> String {
    let mut out = String::new();
    let settings = &parsed.settings;
    results(
        parsed,
        entry,
        |name| match name {
            "exam_score" => settings.exam.show_score && entry.results.exam_score.is_some(),
            "evaluation_report" => {
                let is_shown = settings.after_submission.mode == AfterMode::Report;
                is_shown && entry.results.evaluation_report.is_some()
            }
            "gen_code" | "x_field_certificate" => true,
            _ => false,
        },
        cx,
        &mut out,
    );
    out
}

fn fixed(entry: &Entry) -> String {
    // Most of the text is in the stored text already.
    let mut out = String::with_capacity(entry.values.len() + entry.values.len() / 4 + BESIDE);
    let created_at = entry.created_at.to_string();
    let own = (entry.updated_at != entry.created_at).then(|| entry.updated_at.to_string());
    let updated_at = own.as_ref().unwrap_or(&created_at);
    let head = ["{\"serial_number\":", &entry.serial.to_string(), ",\"token\":\"", entry.token.as_str()];
    let times = ["\",\"created_at\":\"", &created_at, "\",\"updated_at\":\"", updated_at, "\""];
    head.into_iter().chain(times).for_each(|part| out.push_str(part));
    out
}

fn results(parsed: &ParsedForm, entry: &Entry, is_wanted: impl Fn(&str) -> bool, cx: &Cx, out: &mut String) {
    let fields = parsed.result_fields().iter();
    for field in fields.filter(|field| is_wanted(field.name)) {
        let value = if field.is_link() { certificates::link_value(parsed, entry, cx) } else { field.stored(entry, cx) };
        out.push_str(&format!(",\"{}\":{value}", field.name));
    }
}

fn members(
    parsed: &ParsedForm,
    entry: &Entry,
    cx: &Cx,
    shown: impl Fn(&&Field) -> bool,
    out: &mut String,
) -> Result<()> {
    let fields = parsed.definition.fields.with_values().filter(shown);
    let stored = as_read::text(parsed, &entry.values, cx)?;
    values::write_members(fields, &stored, cx, out).map_err(Error::internal)
}
