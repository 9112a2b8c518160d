//! The faults of a search, by fields and groups, in the form's language.

use maud::{Markup, html};

use crate::base::issue::Issue;
use crate::base::reason::{Expected, Reason};
use crate::base::text::is_blank;
use crate::base::text::texts::Texts;
use crate::model::public_query::Operand;
use crate::ops::queries::visit::{OpenQuery, SearchInput};
use crate::web::pages::form::answer_messages::{self, Telling};
use crate::web::pages::query::frame::QueryPage;
use crate::web::pages::query::search_form::{self, Entry};
use crate::web::pages::query::typed::Typed;

/// The faults of a search.
#[derive(Default)]
pub struct Faults(Vec<SearchFault>);

struct SearchFault {
    /// The field to go to.
    field: String,
    /// Its label; none where the fault is of a group, whose message names its fields.
    label: Option<String>,
    /// The group, if it is the group's.
    group: Option<usize>,
    text: String,
}

impl Faults {
    /// From the paths of the API.
    pub fn of_search(open: &OpenQuery, typed: &Typed, issues: &[Issue], texts: &Texts) -> Self {
        let groups = open.query.content.rules.search.iter().zip(open.asked());
        let mut faults = Vec::new();
        for (at, (group, asked)) in groups.enumerate() {
            let asked: Vec<&SearchInput> = asked.iter().flatten().collect();
            let is_left_out = |it: &&SearchInput| is_blank(typed.text(&it.rule.field));
            let is_any = group.operand == Operand::Or && asked.len() > 1;
            if is_any && asked.iter().all(is_left_out) {
                let labels: Vec<String> = asked.iter().map(|it| it.label(texts)).collect();
                let fields = texts.any_of(&labels).unwrap_or_default();
                faults.push(SearchFault {
                    field: asked[0].rule.field.clone(),
                    label: None,
                    group: Some(at),
                    text: texts.fill("query-fault-any", &[("fields", fields.into())]),
                });
                continue;
            }
            for it in asked {
                let path = format!("values.{}", it.rule.field);
                let own = issues.iter().find(|issue| issue.attribute == path);
                faults.extend(own.map(|issue| SearchFault {
                    field: it.rule.field.clone(),
                    label: Some(it.label(texts)),
                    group: None,
                    text: text(it, &issue.reason, &open.form.locale, texts),
                }));
            }
        }
        Self(faults)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fault of a field.
    pub fn of_field(&self, code: &str) -> Option<&str> {
        let own = |fault: &&SearchFault| fault.group.is_none() && fault.field == code;
        self.0.iter().find(own).map(|fault| fault.text.as_str())
    }

    /// The fault of a group.
    pub fn of_group(&self, at: usize) -> Option<&str> {
        let own = |fault: &&SearchFault| fault.group == Some(at);
        self.0.iter().find(own).map(|fault| fault.text.as_str())
    }

    /// All of them above the search; it takes the focus.
    pub fn summary(&self, page: &QueryPage) -> Markup {
        let texts = page.texts;
        html! {
            @if !self.is_empty() {
                div.message.summary.before-form #summary tabindex="-1" autofocus role="alert" {
                    h2 { (texts.say("query-faults")) }
                    ul {
                        @for fault in &self.0 {
                            li {
                                a href={ "#" (search_form::input_id(&fault.field)) } {
                                    @if let Some(label) = &fault.label {
                                        bdi lang=[page.owners_lang()] { (label) } " – "
                                    }
                                    (fault.text)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn text(asked: &SearchInput, reason: &Reason, locale: &str, texts: &Texts) -> String {
    let entry = search_form::entry(asked);
    match (reason, entry) {
        (Reason::Blank, Entry::Choice(_)) => texts.say("query-fault-choose"),
        // Alone in its group, it is as if all were needed.
        (Reason::Blank | Reason::Other(_), _) => texts.say("query-fault-blank"),
        (Reason::MustBe(Expected::Other(_)), Entry::Month | Entry::Day) => texts.say("query-fault-date"),
        (Reason::MustBe(Expected::Other(_)), Entry::DateStart) => texts.say("query-fault-start"),
        (Reason::MustBe(Expected::Other(_)), Entry::Moment) => texts.say("query-fault-moment"),
        _ => {
            let telling = Telling { locale, types: None, field_type: "", has_edit_link: false };
            answer_messages::message(texts, reason, telling)
        }
    }
}
