//! The table of the settings: sections, and the controls of each with their paths. Labels are the texts
//! `settings-{words}`, effects `settings-{words}-notes`, options `settings-{words}-{option}`. Pages draw and read from
//! this table alone.

use crate::fields::values::results::{exam, pricing};
use crate::ops::forms::form_view::FormView;
use crate::web::pages::console::settings::table::Shape::{
    Addresses, Fields, Flag, Line, Mailable, Moment, Number, Questions, Rich, Rows, Secret, Text, Word,
};

/// Settings that are saved together.
pub struct Section {
    pub id: &'static str,
    pub groups: &'static [Group],
    /// Says if the section has an effect on a form.
    pub applies: fn(&FormView) -> bool,
}

impl Section {
    pub fn controls(&self) -> impl Iterator<Item = &'static Control> {
        self.groups.iter().flat_map(|group| group.controls)
    }

    /// The paths of its settings.
    pub fn paths(&self) -> Vec<&'static str> {
        self.controls().filter(|control| control.shape != Questions).map(|control| control.path).collect()
    }
}

/// Controls under one heading.
pub struct Group {
    /// Without a heading if empty.
    pub words: &'static str,
    /// A group with a heading stands open where this path has this value.
    pub opens: (&'static str, &'static str),
    pub controls: &'static [Control],
}

pub struct Control {
    pub path: &'static str,
    pub words: &'static str,
    pub shape: Shape,
}

/// How a value is shown and typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Flag,
    /// One line; the id of its datalist, or nothing.
    Line(&'static str),
    Secret,
    /// Several lines.
    Text,
    /// Markup.
    Rich,
    Number,
    Moment,
    /// One of these words. The empty one is null.
    Word(&'static [&'static str]),
    /// The field that holds an email address.
    Mailable,
    /// Fields with answers.
    Fields,
    /// One a line.
    Addresses,
    /// Rows of inputs; true for numbers.
    Rows(&'static [(&'static str, bool)]),
    /// Shown, and set elsewhere.
    Questions,
}

const fn control(path: &'static str, words: &'static str, shape: Shape) -> Control {
    Control { path, words, shape }
}

const fn plain(controls: &'static [Control]) -> Group {
    Group { words: "", opens: ("", ""), controls }
}

fn always(_: &FormView) -> bool {
    true
}

/// The switch of a letter that follows the receipt by default, and of one that does not.
const FOLLOWING: Shape = Word(&["", "true", "false"]);

/// A letter to respondents, besides the receipt.
macro_rules! letter {
    ($kind:literal, $switch:expr) => {
        Group {
            words: concat!("letter-", $kind),
            opens: (concat!("notifications.", $kind, ".enabled"), "true"),
            controls: &[
                control(concat!("notifications.", $kind, ".enabled"), "letter-enabled", $switch),
                control(concat!("notifications.", $kind, ".subject"), "letter-subject", Line("")),
                control(concat!("notifications.", $kind, ".message"), "letter-message", Rich),
                control(concat!("notifications.", $kind, ".include_values"), "letter-values", Flag),
            ],
        }
    };
}

pub const SECTIONS: &[Section] = &[
    Section {
        id: "general",
        applies: always,
        groups: &[plain(&[
            control("name", "name", Line("")),
            control("description", "description", Text),
            control("locale", "locale", Line("locales")),
            control("timezone", "timezone", Line("timezones")),
            control("layout", "layout", Word(&["classic", "card"])),
        ])],
    },
    Section {
        id: "availability",
        applies: always,
        groups: &[plain(&[
            control("availability.manually_closed", "closed", Flag),
            control("availability.schedule.start_at", "start", Moment),
            control("availability.schedule.end_at", "end", Moment),
            control("availability.entries_limit", "places", Number),
            control("availability.show_countdown", "countdown", Flag),
            control("availability.show_form_before_open", "before-open", Flag),
            control("capacity.hold_minutes", "hold", Number),
            control("capacity.waiting_list", "waiting-list", Flag),
        ])],
    },
    Section {
        id: "access",
        applies: always,
        groups: &[plain(&[
            control("access_control.access_password", "password", Secret),
            control("submission_options.one_per_respondent", "one-per", Word(&["none", "browser", "account"])),
            control("browse_linked_entries", "browse", Flag),
        ])],
    },
    Section {
        id: "filling-in",
        applies: always,
        groups: &[plain(&[
            control("submission_options.show_progress", "progress", Flag),
            control("submission_options.show_field_number", "numbers", Flag),
        ])],
    },
    Section {
        id: "after",
        applies: always,
        groups: &[
            plain(&[control("after_submission.mode", "after-mode", Word(&["show_message", "redirect", "report"]))]),
            Group {
                words: "after-message",
                opens: ("after_submission.mode", "show_message"),
                controls: &[
                    control("after_submission.show_message.style", "after-style", Word(&["text", "rich_text"])),
                    control("after_submission.show_message.text.title", "after-title", Line("")),
                    control("after_submission.show_message.text.description", "after-description", Text),
                    control("after_submission.show_message.rich_text", "after-rich", Rich),
                ],
            },
            Group {
                words: "after-redirect",
                opens: ("after_submission.mode", "redirect"),
                controls: &[
                    control("after_submission.redirect.url", "redirect-url", Line("")),
                    control("after_submission.redirect.fields", "redirect-fields", Fields),
                ],
            },
            Group {
                words: "after-report",
                opens: ("after_submission.mode", "report"),
                controls: &[control(
                    "after_submission.report.score_based_feedbacks",
                    "feedbacks",
                    Rows(&[("start_point", true), ("end_point", true), ("comment", false)]),
                )],
            },
            plain(&[
                control("after_submission.show_answers", "show-answers", Flag),
                control("submission_options.allow_edit_after_submission", "edit", Flag),
            ]),
        ],
    },
    Section {
        id: "exam",
        applies: |view| view.form.scene == exam::SCENE,
        groups: &[plain(&[
            control("exam.duration_minutes", "duration", Number),
            control("exam.pass_score", "pass", Number),
            control("exam.show_score", "exam-score", Flag),
            control("exam.show_answers", "exam-answers", Flag),
            control("exam.questions", "questions", Questions),
        ])],
    },
    Section {
        id: "orders",
        applies: |view| pricing::has_prices(&view.parsed.definition.fields),
        groups: &[plain(&[
            control("pricing.currency", "currency", Line("")),
            control(
                "pricing.discounts",
                "discounts",
                Rows(&[("min_total", true), ("percent_off", true), ("amount_off", true)]),
            ),
        ])],
    },
    Section {
        id: "codes",
        applies: always,
        groups: &[
            Group {
                words: "code",
                opens: ("verification_code.enabled", "true"),
                controls: &[
                    control("verification_code.enabled", "code-enabled", Flag),
                    control("verification_code.length", "code-length", Number),
                ],
            },
            Group {
                words: "certificate",
                opens: ("certificate.enabled", "true"),
                controls: &[
                    control("certificate.enabled", "certificate-enabled", Flag),
                    control("certificate.title", "certificate-title", Line("")),
                    control("certificate.body", "certificate-body", Text),
                    control("certificate.min_score", "certificate-score", Number),
                ],
            },
        ],
    },
    Section {
        id: "notifications",
        applies: always,
        groups: &[
            Group {
                words: "letter-receipt",
                opens: ("notifications.receipt.enabled", "true"),
                controls: &[
                    control("notifications.receipt.enabled", "receipt-enabled", Flag),
                    control("notifications.receipt.field", "receipt-field", Mailable),
                    control("notifications.receipt.subject", "letter-subject", Line("")),
                    control("notifications.receipt.message", "letter-message", Rich),
                    control("notifications.receipt.include_values", "letter-values", Flag),
                    control("notifications.receipt.for_programs", "receipt-programs", Flag),
                ],
            },
            Group {
                words: "letter-notice",
                opens: ("notifications.notice.enabled", "true"),
                controls: &[
                    control("notifications.notice.enabled", "notice-enabled", Flag),
                    control("notifications.notice.to", "notice-to", Addresses),
                    control("notifications.notice.subject", "letter-subject", Line("")),
                    control("notifications.notice.message", "letter-message", Rich),
                    control("notifications.notice.include_values", "letter-values", Flag),
                ],
            },
            letter!("waiting", FOLLOWING),
            letter!("moved_up", FOLLOWING),
            letter!("cancelled", FOLLOWING),
            letter!("changed", Flag),
            letter!("reminder", Flag),
        ],
    },
];

/// The control whose value has an attribute.
pub fn control_of(attribute: &str) -> Option<&'static Control> {
    SECTIONS.iter().flat_map(Section::controls).find(|control| {
        let rest = attribute.strip_prefix(control.path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// The id of the words of an option, or of a column.
pub fn option_id(words: &str, option: &str) -> String {
    let option = if option.is_empty() { "default" } else { option };
    format!("settings-{words}-{option}").replace('_', "-")
}
