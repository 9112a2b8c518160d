//! Validates the body of a settings PATCH: every member, all faults at once.

use std::cell::RefCell;
use std::collections::HashSet;

use rust_decimal::Decimal;
use serde_json::{Map, json};
use url::Url;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::patch::Patch;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::identity;
use crate::fields::Fields;
use crate::fields::display::money;
use crate::fields::kind::Cx;
use crate::fields::texts::rich_text;
use crate::fields::values::is_blank;
use crate::fields::values::results::exam::{self, Partial};
use crate::model::notification_settings::Notifications;
use crate::model::settings::{AfterMode, Settings};
use crate::model::user::LONGEST_EMAIL;
use crate::ops::accounts::locales::{read_locale, read_timezone};
use crate::ops::accounts::users;

/// A checked change.
pub struct Change {
    /// The form's new locale.
    pub locale: Option<String>,
    /// The form's new timezone.
    pub timezone: Option<String>,
    /// The groups with the members that were named; null takes one away.
    pub groups: Json,
}

/// Reads the body; faults stay in the reader.
pub fn read(reader: &mut Reader, fields: &Fields, cx: &Cx) -> Change {
    let locale = read_locale(reader);
    let timezone = read_timezone(reader);
    let mut groups = Group::default();
    groups.object(reader, "after_submission", |after, out| {
        out.word(after, "mode", &["show_message", "redirect", "report"]);
        out.object(after, "show_message", |message, out| {
            out.word(message, "style", &["rich_text", "text"]);
            out.rich_text(message, "rich_text", cx);
            out.object(message, "text", |text, out| {
                out.text(text, "title", 200);
                out.text(text, "description", 10_000);
            });
        });
        out.object(after, "redirect", |redirect, out| {
            out.url(redirect, "url");
            out.fields(redirect, "fields", fields);
        });
        out.object(after, "report", |report, out| {
            out.list(report, "score_based_feedbacks", 100, |item| {
                let start = item.number("start_point");
                let end = item.number("end_point");
                if start.zip(end).is_some_and(|(start, end)| start > end) {
                    item.fault("end_point", Reason::LessThan("start_point"));
                }
                let comment = item.opt_text("comment", 10_000).unwrap_or_default();
                json!({"start_point": start, "end_point": end, "comment": comment})
            });
        });
        out.flag(after, "show_answers");
    });
    groups.object(reader, "availability", |group, out| {
        out.flag(group, "manually_closed");
        out.object(group, "schedule", |schedule, out| {
            out.time(schedule, "start_at");
            out.time(schedule, "end_at");
        });
        out.entries_limit(group);
        out.flag(group, "show_countdown");
        out.flag(group, "show_form_before_open");
    });
    groups.object(reader, "access_control", |group, out| {
        out.text(group, "access_password", 256);
        // An empty password would be none that anybody could give.
        if out.0.get("access_password") == Some(&json!("")) {
            out.0.insert("access_password".to_owned(), Json::Null);
        }
    });
    groups.object(reader, "submission_options", |group, out| {
        out.flag(group, "show_progress");
        out.flag(group, "show_field_number");
        out.word(group, "one_per_respondent", &["none", "browser", "account"]);
        out.flag(group, "allow_edit_after_submission");
    });
    groups.object(reader, "verification_code", |group, out| {
        out.flag(group, "enabled");
        out.int(group, "length", 6, 16);
    });
    groups.object(reader, "certificate", |group, out| {
        out.flag(group, "enabled");
        out.text(group, "title", 200);
        out.text(group, "body", 10_000);
        out.number(group, "min_score");
    });
    groups.object(reader, "exam", |group, out| {
        out.int(group, "duration_minutes", 1, 7 * 24 * 60);
        out.points(group, "pass_score", exam::MAX_POINTS);
        out.flag(group, "show_score");
        out.flag(group, "show_answers");
        out.questions(group, fields, cx);
    });
    groups.object(reader, "pricing", |group, out| {
        out.currency(group, "currency");
        out.list(group, "discounts", 100, discount);
    });
    groups.object(reader, "capacity", |group, out| {
        out.int(group, "hold_minutes", 0, 60);
        out.flag(group, "waiting_list");
    });
    groups.flag(reader, "browse_linked_entries");
    notifications(&mut groups, reader, fields, cx);
    Change { locale, timezone, groups: Json::Object(groups.0) }
}

/// The JSON Schema of the body.
pub fn schema() -> Json {
    let cx = Cx::of_none();
    Reader::describe(|reader| {
        read(reader, &Fields::new(Vec::new()), &cx);
    })
}

/// Checks that need the merged settings.
pub fn check_whole(settings: &Settings, at: &mut Issues) {
    let schedule = &settings.availability.schedule;
    if let (Some(start), Some(end)) = (schedule.start_at, schedule.end_at)
        && end <= start
    {
        at.push_at("availability.schedule.end_at", Reason::MustBe(Expected::Other("after start_at")));
    }
    let after = &settings.after_submission;
    if after.mode == AfterMode::Redirect && after.redirect.url.is_none() {
        at.push_at("after_submission.redirect.url", Reason::Blank);
    }
    let notice = &settings.notifications.notice;
    if notice.enabled && notice.to.is_empty() {
        at.push_at("notifications.notice.to", Reason::Blank);
    }
}

/// The most that a discount begins at or takes off, in units of the currency.
const MAX_AMOUNT: i64 = 999_999_999_999;
const MAX_PERCENT: i64 = 100;

/// Addresses that a form's notices go to.
const MAX_NOTICES: usize = 10;

fn notifications(groups: &mut Group, reader: &mut Reader, fields: &Fields, cx: &Cx) {
    groups.object(reader, "notifications", |group, out| {
        out.object(group, "receipt", |receipt, out| {
            out.flag(receipt, "enabled");
            out.mailable_field(receipt, "field", fields);
            out.letter(receipt, cx);
            out.flag(receipt, "for_programs");
        });
        out.object(group, "notice", |notice, out| {
            out.flag(notice, "enabled");
            out.addresses(notice, "to");
            out.letter(notice, cx);
        });
        for kind in Notifications::LETTERS {
            out.object(group, kind.name(), |letter, out| {
                out.flag(letter, "enabled");
                out.letter(letter, cx);
            });
        }
    });
}

fn discount(item: &mut Reader) -> Json {
    if !item.has("min_total") {
        item.fault("min_total", Reason::Required);
    }
    let min_total = amount(item, "min_total", MAX_AMOUNT);
    let percent = amount(item, "percent_off", MAX_PERCENT);
    let amount = amount(item, "amount_off", MAX_AMOUNT);
    if percent.is_some() == amount.is_some() {
        item.fault("percent_off", Reason::other("must be given, or amount_off, and not both"));
    }
    let mut out = Map::new();
    for (key, value) in [("min_total", min_total), ("percent_off", percent), ("amount_off", amount)] {
        if let Some(value) = value {
            out.insert(key.to_owned(), json!(value));
        }
    }
    Json::Object(out)
}

/// A number that prices are compared and computed with: as exact as they are.
fn amount(item: &mut Reader, key: &str, most: i64) -> Option<f64> {
    item.note(key, || json!({"type": "number", "minimum": 0, "maximum": most}));
    let found = item.opt_number(key)?;
    let is_within = |exact: Decimal| (Decimal::ZERO..=Decimal::from(most)).contains(&exact);
    let is_fine = |exact: Decimal| exact.scale() <= money::MAX_DECIMALS;
    let (is_within, is_fine) = match money::decimal(&json!(found)) {
        Some(exact) => (is_within(exact), is_fine(exact)),
        // Numbers that no decimal can hold are very large, or very close to zero.
        None => (found.abs() < 1.0, false),
    };
    if !is_within {
        item.fault(key, Reason::between(0, most));
    } else if !is_fine {
        let decimals = Things::Other("decimals");
        item.fault(key, Reason::too_many(money::MAX_DECIMALS, decimals));
    }
    Some(found)
}

/// The members of one group that a body names.
#[derive(Default)]
struct Group(Map<String, Json>);

impl Group {
    /// Takes a member over as `read` makes it; null stays null.
    fn member(&mut self, reader: &mut Reader, key: &str, read: impl FnOnce(&mut Reader) -> Option<Json>) {
        let value = match reader.patch(key, read) {
            Patch::Absent => return,
            Patch::Null => Json::Null,
            Patch::Value(value) => value,
        };
        self.0.insert(key.to_owned(), value);
    }

    fn object(&mut self, reader: &mut Reader, key: &str, read: impl FnOnce(&mut Reader, &mut Self)) {
        self.member(reader, key, |reader| {
            reader.opt_object(key, |inner| {
                let mut out = Self::default();
                read(inner, &mut out);
                Json::Object(out.0)
            })
        });
    }

    fn flag(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| reader.opt_bool(key).map(Json::from));
    }

    fn int(&mut self, reader: &mut Reader, key: &str, low: i64, high: i64) {
        self.member(reader, key, |reader| reader.opt_int(key, low..=high).map(Json::from));
    }

    fn entries_limit(&mut self, reader: &mut Reader) {
        const KEY: &str = "entries_limit";
        let most = u32::MAX;
        self.member(reader, KEY, |reader| {
            reader.note(KEY, || json!({"type": "integer", "minimum": 2, "maximum": most}));
            let limit = reader.opt_int(KEY, i64::MIN..=i64::MAX)?;
            if limit < 2 {
                reader.fault(KEY, Reason::other(
                    "must be at least 2: a limit counts the entries of several people. To stop after one, or to take none, set \
                     availability.manually_closed",
                ));
            } else if limit > i64::from(most) {
                reader.fault(KEY, Reason::between(2, most));
            }
            Some(Json::from(limit))
        });
    }

    fn number(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| reader.opt_number(key).map(Json::from));
    }

    /// A number that is not negative.
    fn points(&mut self, reader: &mut Reader, key: &str, max: u32) {
        self.member(reader, key, |reader| {
            reader.note(key, || json!({"type": "number", "minimum": 0, "maximum": max}));
            let points = reader.opt_number(key)?;
            if !(0.0..=f64::from(max)).contains(&points) {
                reader.fault(key, Reason::between(0, max));
            }
            Some(Json::from(points))
        });
    }

    fn text(&mut self, reader: &mut Reader, key: &str, max: usize) {
        self.member(reader, key, |reader| reader.opt_text(key, max).map(Json::from));
    }

    fn rich_text(&mut self, reader: &mut Reader, key: &str, cx: &Cx) {
        self.member(reader, key, |reader| rich_text::read(reader, key, cx.found.images()).map(Json::from));
    }

    /// The owner's words for a mail.
    fn letter(&mut self, reader: &mut Reader, cx: &Cx) {
        self.text(reader, "subject", 200);
        self.rich_text(reader, "message", cx);
        self.flag(reader, "include_values");
    }

    fn word(&mut self, reader: &mut Reader, key: &str, words: &[&'static str]) {
        let words: Vec<(&str, &str)> = words.iter().map(|word| (*word, *word)).collect();
        self.member(reader, key, |reader| reader.opt_word(key, &words).map(Json::from));
    }

    fn time(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| reader.opt_time(key).map(Json::from));
    }

    fn url(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| {
            reader.note(key, || json!({"format": "uri"}));
            let text = reader.opt_text(key, 2048)?;
            let url = Url::parse(&text).ok().filter(|url| {
                matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
            });
            if url.is_none() {
                reader.fault(key, Reason::MustBe(Expected::Other("an http or https address")));
            }
            url.map(|url| Json::from(url.as_str()))
        });
    }

    fn fields(&mut self, reader: &mut Reader, key: &str, fields: &Fields) {
        self.member(reader, key, |reader| {
            let codes = reader.opt_texts(key, 64, |code| {
                let found = fields.get(code).filter(|field| field.kind.has_value());
                found.map(|_| ()).ok_or(Reason::NotField)
            })?;
            Some(json!(codes))
        });
    }

    fn mailable_field(&mut self, reader: &mut Reader, key: &str, fields: &Fields) {
        self.member(reader, key, |reader| {
            let code = reader.opt_text(key, 64)?;
            if !fields.get(&code).is_some_and(|field| field.row.facets.mailable) {
                reader.fault(key, Reason::other("is not an email field of this form"));
            }
            Some(Json::from(code))
        });
    }

    /// Email addresses, each once.
    fn addresses(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| {
            reader.note(key, || json!({"maxItems": MAX_NOTICES}));
            let known = RefCell::new(HashSet::new());
            let addresses = reader.opt_texts(key, LONGEST_EMAIL, |address| {
                if !users::is_email(address) {
                    Err(Reason::NotEmail)
                } else if known.borrow_mut().insert(identity::of_email(address)) {
                    Ok(())
                } else {
                    Err(Reason::other("is in the list already"))
                }
            })?;
            if addresses.len() > MAX_NOTICES {
                reader.fault(key, Reason::too_many(MAX_NOTICES, Things::Other("addresses")));
            }
            Some(json!(addresses))
        });
    }

    fn list(&mut self, reader: &mut Reader, key: &str, max: usize, read: impl FnMut(&mut Reader) -> Json) {
        self.member(reader, key, |reader| {
            reader.note(key, || json!({"maxItems": max}));
            let items = reader.opt_objects(key, read)?;
            if items.len() > max {
                reader.fault(key, Reason::too_many(max, Things::Other("items")));
            }
            Some(Json::Array(items))
        });
    }

    fn currency(&mut self, reader: &mut Reader, key: &str) {
        self.member(reader, key, |reader| {
            reader.note(key, || json!({"type": "string", "pattern": "^[A-Z]{3}$"}));
            let code = reader.opt_text(key, 3)?;
            if !money::is_currency(&code) {
                reader.fault(key, Reason::MustBe(Expected::Other("an ISO 4217 code such as EUR")));
            }
            Some(Json::from(code))
        });
    }

    /// `questions`: the scored fields, each with an answer in its write shape.
    fn questions(&mut self, reader: &mut Reader, fields: &Fields, cx: &Cx) {
        self.member(reader, "questions", |reader| {
            let questions = reader.opt_map("questions", |code, item| {
                let mut question = Group::default();
                question.flag(item, "scored");
                let is_scored = question.0.get("scored") != Some(&json!(false));
                let has_score = item.has("score");
                question.points(item, "score", exam::MAX_SCORE);
                question.word(item, "partial", &Partial::ALL.map(|(name, _)| name));
                let answer = item.raw_patch("answer");
                let Some(field) = fields.get(code).filter(|field| field.kind.has_value()) else {
                    item.issues().push(Reason::NotField);
                    return None;
                };
                if is_scored && field.kind.grading().is_none() {
                    item.fault("scored", Reason::other("is not possible for this type"));
                } else if is_scored {
                    let has_answer = matches!(answer, Patch::Value(_));
                    for (key, is_there) in [("score", has_score), ("answer", has_answer)] {
                        if !is_there {
                            item.fault(key, Reason::Required);
                        }
                    }
                }
                if let Patch::Value(answer) = answer {
                    item.issues().key("answer", |at| {
                        let faults = at.count();
                        let right = field.kind.parse(answer.clone(), cx, at);
                        if at.count() == faults && is_blank(&right) {
                            at.push(Reason::Blank);
                        }
                    });
                    question.0.insert("answer".to_owned(), answer);
                }
                Some(Json::Object(question.0))
            })?;
            Some(Json::Object(questions.into_iter().collect()))
        });
    }
}
