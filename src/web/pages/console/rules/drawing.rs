//! A rule as it is drawn: its controls and its notes.

use maud::{Markup, Render, html};

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::isolated;
use crate::fields::field::Field;
use crate::fields::filter::compared::{ComparedItem, Controls, Written, option_text};
use crate::fields::filter::subject::Question;
use crate::fields::kind::Kind;
use crate::fields::values::rules::Action;
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::logic::{Never, RuleSense};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::sentence::{self, RuleWords, asked, on_page};
use crate::web::pages::console::rules::words;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::rules::sentence::{Condition, ConditionLine, QuestionOption, Sentence, SentenceForm, Word};
use crate::web::pages::ui::rules::value::{Part, Pick, ValueControls};

/// The most later questions that a rule offers to move.
const MOST_MOVES: usize = 12;

pub struct Drawing<'a> {
    pub frame: &'a FormFrame<'a>,
    pub words: RuleWords<'a>,
    pub checked: &'a Checked,
    pub can_change: bool,
    pub senses: Vec<RuleSense>,
    pub counts: Vec<Option<i64>>,
    /// The search that the page shows, as the end of addresses.
    pub query: String,
    /// The place of the rule that is being made: its missing parts are no faults yet.
    pub open: Option<usize>,
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.frame.texts.say(id)
    }

    /// The rule at a place of the list.
    pub fn rule(&self, at: usize, rule: &Json, all: &[Json]) -> Markup {
        let texts = self.frame.texts;
        let id = format!("rule-{}", at + 1);
        let title = texts.fill("publish-rule", &[("number", (at + 1).into())]);
        let mut faults: Vec<Issue> = self.checked.of_rule(at).collect();
        if self.open == Some(at) {
            faults.retain(|fault| !words::is_unfinished(rule, fault));
        }
        let text = self.words.sentence(rule);
        let controls = self.can_change.then(|| self.controls(&id, rule, &faults, (at, all.len())));
        let label = texts.labelled(&title, &text);
        Sentence { id: &id, title: &title, text: &text, label: &label, controls, notes: self.notes(at, rule, &faults) }
            .render()
    }

    fn notes(&self, at: usize, rule: &Json, faults: &[Issue]) -> Vec<(Tone, Markup)> {
        let texts = self.frame.texts;
        let mut notes = Vec::new();
        let total = self.frame.view.form.entries_count;
        if let Some(count) = self.counts.get(at).copied().flatten() {
            let words = texts.fill("rules-holds", &[("count", count.into()), ("total", total.into())]);
            notes.push((Tone::Note, html! { (words) }));
        }
        let renamed = self.checked.renamed.iter().filter(|renamed| renamed.rule == at);
        notes.extend(renamed.map(|renamed| (Tone::Warn, html! { (words::renamed(texts, renamed)) })));
        let sense = self.senses.get(at);
        let never = sense.and_then(|sense| sense.never.as_ref()).map(|never| match never {
            Never::Excluded(code) => ("rules-never", code),
            Never::Hidden(code) => ("rules-never-hidden", code),
        });
        if let Some((words, code)) = never {
            let words = texts.fill(words, &[("label", self.words.label(code).into())]);
            notes.push((Tone::Warn, html! { (words) }));
        }
        if let Some(other) = sense.and_then(|sense| sense.contradicts) {
            let words = texts.fill("rules-contradicts", &[("number", (other + 1).into())]);
            notes.push((Tone::Warn, html! { a href={ "#rule-" (other + 1) } { (words) } }));
        }
        // Faults of conditions and of the rule's questions are shown at their controls.
        let is_told = |fault: &&Issue| {
            self.can_change
                && (fault.attribute.starts_with("condition.items[") || fault.attribute.starts_with("fields"))
        };
        let rest = faults.iter().filter(|fault| !is_told(fault));
        notes.extend(rest.map(|fault| (Tone::Bad, html! { (words::fault(texts, rule, fault)) })));
        notes
    }

    fn controls(&self, id: &str, rule: &Json, faults: &[Issue], (at, count): (usize, usize)) -> SentenceForm {
        let texts = self.frame.texts;
        let own = self.frame.address(&format!("rules/{}", sentence::id(rule)));
        let query = &self.query;
        let targets: Vec<&str> = rule["fields"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let fields = self.words.fields;
        let first = targets.iter().filter_map(|code| fields.position(code)).min();
        let items = rule["condition"]["items"].as_array().into_iter().flatten();
        let is_any = rule["condition"]["operand"] == "or";
        let row = Row { id, own: &own, rule, first, faults };
        let conditions = items.enumerate().map(|(place, item)| {
            let joined = match (place, is_any) {
                (0, _) => String::new(),
                (_, true) => self.say("rules-or"),
                (_, false) => self.say("rules-and"),
            };
            self.condition(&row, place, item, joined)
        });
        let of_targets = faults.iter().filter(|fault| fault.attribute.starts_with("fields"));
        let may_be = |field: &&Field| field.kind.page_break().is_none() && !targets.contains(&field.api_code.as_str());
        let free = fields.iter().filter(may_be).filter(|field| self.words.questions.has(&field.api_code));
        let no_target = pick("", self.say("rules-target-add"), true);
        let mut acts = Vec::new();
        if at > 0 {
            acts.push(("up", format!("{own}/up{query}"), self.say("build-up")));
        }
        if at + 1 < count {
            acts.push(("down", format!("{own}/down{query}"), self.say("build-down")));
        }
        acts.push(("remove", format!("{own}/remove{query}"), self.say("rules-remove")));
        let target = |code: &&str| {
            let label = self.words.label(code);
            let remove = texts.fill("rules-target-remove", &[("label", label.clone().into())]);
            ((*code).to_owned(), label, remove)
        };
        let action =
            |(word, _): &(&str, Action)| pick(word, self.say(&format!("rules-action-{word}")), rule["action"] == *word);
        SentenceForm {
            id: id.to_owned(),
            action: format!("{own}{query}"),
            csrf: self.frame.csrf.clone(),
            when: self.say("rules-when"),
            operand: Word {
                name: "condition.operand".to_owned(),
                id: format!("{id}.operand"),
                label: self.say("rules-operand"),
                choices: vec![
                    pick("and", self.say("rules-operand-and"), !is_any),
                    pick("or", self.say("rules-operand-or"), is_any),
                ],
            },
            conditions: conditions.collect(),
            add_condition: self.say("rules-condition-add"),
            later: (self.say("rules-later"), self.later(&row, &targets)),
            then: self.say("rules-then"),
            act: Word {
                name: "action".to_owned(),
                id: format!("{id}.action"),
                label: self.say("rules-action"),
                choices: Action::ALL.iter().map(action).collect(),
            },
            targets: targets.iter().map(target).collect(),
            target_fault: of_targets.map(|it| words::fault(texts, rule, it)).collect::<Vec<_>>().join(" · "),
            add_target: Word {
                name: "fields".to_owned(),
                id: format!("{id}.fields"),
                label: self.say("rules-target"),
                choices: std::iter::once(no_target)
                    .chain(free.map(|field| pick(&field.api_code, self.words.label(&field.api_code), false)))
                    .chain(self.pages(&targets))
                    .collect(),
            },
            save: self.say("build-save"),
            acts,
        }
    }

    /// The pages whose questions a rule can be about at once.
    fn pages(&self, targets: &[&str]) -> Vec<Pick> {
        let fields = self.words.fields;
        let breaks = fields.iter().filter(|field| field.kind.page_break().is_some()).enumerate();
        let is_free = |code: &String| !targets.contains(&code.as_str()) && self.words.questions.has(code);
        let page = |(at, field): (usize, &Field)| {
            let own = on_page(fields, &field.api_code)?;
            let number = (at + 2).to_string();
            let name = if field.label.is_empty() { number } else { format!("{number} ({})", isolated(&field.label)) };
            let label = self.frame.texts.fill("rules-target-page", &[("page", name.into())]);
            (own.iter().filter(|code| is_free(code)).count() > 1).then(|| pick(&field.api_code, label, false))
        };
        breaks.filter_map(page).collect()
    }

    fn condition(&self, row: &Row, place: usize, item: &Json, joined: String) -> ConditionLine {
        let texts = self.frame.texts;
        let name = format!("condition.items[{place}]");
        let own = row.faults.iter().filter(|fault| is_at(&fault.attribute, &name));
        let fault: Vec<String> = own.map(|fault| words::fault(texts, row.rule, fault)).collect();
        let written = Written::of_json(item);
        let field = asked(self.words.fields, &written.field);
        let is_shown = match field {
            None => written.field.is_empty(),
            Some(field) => written.is_shown_whole(field.kind.as_ref(), item) || written.values.is_empty(),
        };
        let condition = if is_shown {
            let kind = field.map(|field| field.kind.as_ref());
            let fault_id = (!fault.is_empty()).then(|| format!("{}-{place}-fault", row.id));
            Condition::Open {
                questions: self.questions(&written.field, row.first),
                question_label: self.say("rules-question"),
                operator: kind.map(|kind| self.operators(row, &name, &written, kind)),
                value: kind.and_then(|kind| self.value(row, &name, &written, kind, fault_id).map(Box::new)),
                was: written.field.clone(),
            }
        } else {
            Condition::Kept { words: self.words.condition(item), json: item.to_string() }
        };
        ConditionLine {
            name,
            joined,
            condition,
            fault: fault.join(" · "),
            remove: self.say("rules-condition-remove"),
            ways: self.ways(row, &written.field),
        }
    }

    /// The questions that conditions may look at, with those that come too late for the rule.
    fn questions(&self, chosen: &str, first: Option<usize>) -> Vec<QuestionOption> {
        let fields = self.words.fields;
        let target = first.and_then(|first| fields.at(first)).map(|field| self.words.label(&field.api_code));
        let all = fields.iter().enumerate().flat_map(|(place, field)| {
            let columns = field.kind.sub_fields().iter().filter(|column| !column.kind.operators().is_empty());
            let columns = columns.map(|column| format!("{}.{}", field.api_code, column.api_code));
            let itself = (!field.kind.operators().is_empty()).then(|| field.api_code.clone());
            itself.into_iter().chain(columns).map(move |name| (place, name)).collect::<Vec<_>>()
        });
        let option = |(place, name): (usize, String)| {
            let is_late = first.is_some_and(|first| place >= first);
            let label = self.words.label(&name);
            let label = match target.as_ref().filter(|_| is_late && first != Some(place)) {
                Some(target) => {
                    let args = [("label", label.into()), ("target", target.clone().into())];
                    self.frame.texts.fill("rules-late", &args)
                }
                None => label,
            };
            QuestionOption { is_chosen: name == chosen, code: name, label, is_late }
        };
        let none = QuestionOption {
            code: String::new(),
            label: self.say("rules-choose"),
            is_chosen: chosen.is_empty(),
            is_late: false,
        };
        std::iter::once(none).chain(all.map(option)).collect()
    }

    fn operators(&self, row: &Row, name: &str, written: &Written, kind: &dyn Kind) -> Word {
        let picks = kind
            .operators()
            .iter()
            .map(|op| pick(op.name(), words::operator(self.frame.texts, *op, kind), op.name() == written.operator));
        Word {
            name: format!("{name}.operator"),
            id: format!("{}.{name}.operator", row.id),
            label: self.say("entries-filter-operator"),
            choices: picks.collect(),
        }
    }

    fn value(
        &self,
        row: &Row,
        name: &str,
        written: &Written,
        kind: &dyn Kind,
        fault: Option<String>,
    ) -> Option<ValueControls> {
        let picks = |items: Vec<ComparedItem>| -> Vec<Pick> {
            let chosen = |item: &ComparedItem| written.values.contains(&item.value);
            items.iter().map(|item| pick(&option_text(&item.value), item.label.clone(), chosen(item))).collect()
        };
        let is_item = |items: &[ComparedItem], value: &Json| items.iter().any(|item| item.value == *value);
        let mut controls = ValueControls {
            name: format!("{name}.value"),
            id: format!("{}.{name}.value", row.id),
            label: self.say("entries-filter-value"),
            lines: ("text", Vec::new()),
            fault,
            ..ValueControls::default()
        };
        let takes_days = kind.compared().takes_days();
        match written.controls(kind) {
            Controls::None => return None,
            Controls::Lines(input, count) => controls.lines = (input, lines(written.values.iter(), count)),
            Controls::One(items) | Controls::Several(items) if takes_days => {
                let several = matches!(written.controls(kind), Controls::Several(_));
                let mut days = written.values.iter().filter(|value| !is_item(&items, value)).collect::<Vec<_>>();
                let count = if several { days.len() + 1 } else { 1 };
                days.truncate(count);
                controls.lines = ("date", lines(days.into_iter(), count));
                let all = picks(items);
                if several { controls.several = all } else { controls.one = all }
            }
            Controls::One(items) => controls.one = picks(items),
            Controls::Several(items) => controls.several = picks(items),
            Controls::Objects(members, count) => {
                let object = |at: usize| {
                    let value = written.values.get(at).cloned().unwrap_or_default();
                    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
                    let parts = members.iter();
                    parts.map(|(name, words)| Part { name, label: self.say(words), text: text(name) }).collect()
                };
                controls.objects = (0..count).map(object).collect();
            }
        }
        Some(controls)
    }

    /// Questions that the rule could look at if they came before its targets.
    fn later(&self, row: &Row, targets: &[&str]) -> Vec<(String, String, String)> {
        let fields = self.words.fields;
        let Some(first) = row.first else {
            return Vec::new();
        };
        let could_be = |field: &&Field| {
            let kind = &field.kind;
            let is_asked = !kind.operators().is_empty() || !kind.sub_fields().is_empty();
            is_asked && !targets.contains(&field.api_code.as_str())
        };
        let later = fields.iter().skip(first).filter(could_be).take(MOST_MOVES);
        later.flat_map(|field| self.ways(row, &field.api_code)).collect()
    }

    /// The ways out of a condition on a question that stands too late, and of later questions that could be chosen.
    fn ways(&self, row: &Row, name: &str) -> Vec<(String, String, String)> {
        let fields = self.words.fields;
        let Some((place, first)) = Question::find(fields, name).map(|question| question.place).zip(row.first) else {
            return Vec::new();
        };
        let Some((field, target)) = fields.at(place).zip(fields.at(first)).filter(|_| place > first) else {
            return Vec::new();
        };
        let args = [
            ("label", self.words.label(&field.api_code).into()),
            ("target", self.words.label(&target.api_code).into()),
        ];
        let words = self.frame.texts.fill("rules-move-before", &args);
        vec![(format!("{}/before{}", row.own, self.query), field.api_code.clone(), words)]
    }
}

/// Common parts of the controls of a rule's conditions.
struct Row<'r> {
    id: &'r str,
    /// Where the rule is saved.
    own: &'r str,
    rule: &'r Json,
    /// The place of the first question that the rule is about.
    first: Option<usize>,
    faults: &'r [Issue],
}

/// The texts of the values, in `count` lines.
fn lines<'v>(values: impl Iterator<Item = &'v Json>, count: usize) -> Vec<String> {
    let mut texts: Vec<String> = values.map(option_text).collect();
    texts.resize(count, String::new());
    texts
}

fn pick(value: &str, label: String, is_chosen: bool) -> Pick {
    Pick { value: value.to_owned(), label, is_chosen }
}

/// Whether a path begins at another.
fn is_at(path: &str, at: &str) -> bool {
    path.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
