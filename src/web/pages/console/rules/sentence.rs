//! Rules as sentences: read from their controls, and told in words.

use serde_json::json;

use crate::base::json::Json;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::fields::filter::compared::Written;
use crate::fields::filter::subject::Question;
use crate::fields::form_part::FormPart;
use crate::fields::values::rules::Action;
use crate::fields::{Field, Fields};
use crate::model::draft::Draft;
use crate::ops::forms::drafts::compare::{item_label, label};
use crate::ops::forms::drafts::parts;
use crate::web::pages::console::rules::words;
use crate::web::pages::ui::rules::sentence::ACTION;

/// A rule that says nothing yet.
pub fn blank() -> Json {
    json!({
        "condition": {"operand": "and", "items": [{"field": "", "operator": ""}]},
        "action": Action::ALL[0].0,
        "fields": [],
    })
}

/// The field or the column of that name.
pub fn asked<'f>(fields: &'f Fields, name: &str) -> Option<&'f Field> {
    Question::find(fields, name)?.asked(fields)
}

/// The rule of a post, after a button of it was carried out.
pub fn read(posted: &FormPart, fields: &Fields) -> Json {
    let text = |part: Option<&FormPart>| part.and_then(FormPart::first).unwrap_or_default().to_owned();
    let condition = posted.member("condition");
    let operand = text(condition.and_then(|it| it.member("operand")));
    let posted_items = condition.and_then(|it| it.member("items"));
    let mut items: Vec<Json> = posted_items
        .into_iter()
        .flat_map(FormPart::members)
        .filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(_, item)| read_item(item, fields))
        .collect();
    let mut targets: Vec<String> =
        posted.member("fields").into_iter().flat_map(FormPart::values).map(str::to_owned).collect();
    targets = targets.into_iter().flat_map(|code| on_page(fields, &code).unwrap_or_else(|| vec![code])).collect();
    let mut seen = Vec::new();
    targets.retain(|code| {
        !seen.contains(code) && {
            seen.push(code.clone());
            true
        }
    });
    let action = text(posted.member(ACTION));
    let place = |list: &str| {
        let at = action.strip_prefix(list)?.strip_prefix('[')?.strip_suffix("].remove")?;
        at.parse::<usize>().ok()
    };
    match (action.as_str(), place("condition.items"), place("fields")) {
        ("condition.items.add", ..) => items.push(json!({"field": "", "operator": ""})),
        (_, Some(at), _) if at < items.len() => drop(items.remove(at)),
        (_, _, Some(at)) if at < targets.len() => drop(targets.remove(at)),
        _ => {}
    }
    json!({
        "condition": {"operand": if operand == "or" { "or" } else { "and" }, "items": items},
        "action": text(posted.member("action")),
        "fields": targets,
    })
}

/// The codes of the questions of the page that a page break begins; `None` if the code is no page break's.
pub fn on_page(fields: &Fields, code: &str) -> Option<Vec<String>> {
    let begins = fields.iter().position(|field| field.api_code == code && field.kind.page_break().is_some())?;
    let after = fields.iter().skip(begins + 1);
    let own = after.take_while(|field| field.kind.page_break().is_none());
    Some(own.map(|field| field.api_code.clone()).collect())
}

fn read_item(item: &FormPart, fields: &Fields) -> Json {
    let text = |name: &str| item.member(name).and_then(FormPart::first).unwrap_or_default().to_owned();
    if let Some(kept) = serde_json::from_str::<Json>(&text("kept")).ok().filter(Json::is_object) {
        return kept;
    }
    let (field, operator) = (text("field"), text("operator"));
    let Some(kind) = asked(fields, &field).map(|field| field.kind.as_ref()) else {
        return json!({"field": field, "operator": operator});
    };
    if field != text("was") {
        // The value compared belongs to another question.
        let operator = kind.operators().first().map_or("", |op| op.name());
        return json!({"field": field, "operator": operator});
    }
    let compared = kind.compared();
    let value = item.member("value");
    let mut values: Vec<Json> =
        value.into_iter().flat_map(FormPart::values).map(|text| compared.value_of(text)).collect();
    values.extend(value.into_iter().flat_map(FormPart::objects));
    Written { field, operator, values }.to_json(kind)
}

/// The questions that rules name.
#[derive(Clone, Copy)]
pub enum Questions<'a> {
    /// The questions of a draft, removed ones too.
    Draft(&'a Draft),
    /// The list of their definitions.
    List(&'a Json),
}

impl<'a> Questions<'a> {
    /// The definition of a question, and whether it is there still.
    fn find(self, code: &str) -> Option<(&'a Json, bool)> {
        match self {
            Self::Draft(draft) => {
                let question = draft.any(code)?;
                let body = question.body.as_ref().or(question.base.as_ref()).unwrap_or(&Json::Null);
                Some((body, question.body.is_some()))
            }
            Self::List(list) => {
                let found = list.as_array()?.iter().find(|body| body["api_code"] == code)?;
                Some((found, true))
            }
        }
    }

    /// The last published name of a part of a question.
    fn published_name(self, code: &str, part: &str) -> Option<&'a str> {
        match self {
            Self::Draft(draft) => item_label(draft.any(code)?.base.as_ref()?, part),
            Self::List(_) => None,
        }
    }

    pub fn has(self, code: &str) -> bool {
        self.find(code).is_some_and(|(_, is_there)| is_there)
    }
}

/// The words of rules.
pub struct RuleWords<'a> {
    pub texts: &'a Texts,
    pub questions: Questions<'a>,
    pub fields: &'a Fields,
}

impl RuleWords<'_> {
    /// The label of a question, of a column with its question's, or the text in place of one.
    pub fn label(&self, name: &str) -> String {
        let (outer, column) = name.split_once('.').map_or((name, None), |(outer, column)| (outer, Some(column)));
        let Some((body, is_there)) = self.questions.find(outer) else {
            return if name.is_empty() { self.texts.say("rules-no-question") } else { name.to_owned() };
        };
        let own = label(body).trim();
        let own = if own.is_empty() { self.texts.say("build-untitled") } else { isolated(own) };
        let own = match column.and_then(|_| asked(self.fields, name)) {
            Some(column) => format!("{own} · {}", isolated(&column.label)),
            None => own,
        };
        if is_there { own } else { self.texts.fill("rules-removed", &[("label", own.into())]) }
    }

    /// A condition in words.
    pub fn condition(&self, item: &Json) -> String {
        let written = Written::of_json(item);
        let label = self.label(&written.field);
        let Some((kind, op)) = asked(self.fields, &written.field).map(|field| field.kind.as_ref()).zip(written.op())
        else {
            return label;
        };
        let compared = kind.compared();
        let is_there = |code: &str| kind.items().iter().any(|item| item.code == code);
        let value = |value: &Json| {
            let gone = value.as_str().filter(|code| !is_there(code));
            let outer = written.field.split('.').next().unwrap_or_default();
            match gone.and_then(|code| self.questions.published_name(outer, code)) {
                Some(label) => self.texts.fill("rules-removed", &[("label", isolated(label).into())]),
                None => isolated(&compared.words(value, self.texts)),
            }
        };
        let values: Vec<String> = written.values.iter().map(value).collect();
        words::condition(self.texts, &label, op, kind, &values)
    }

    /// A rule in words.
    pub fn sentence(&self, rule: &Json) -> String {
        let is_any = rule["condition"]["operand"] == "or";
        let joined = self.texts.say(if is_any { "rules-or" } else { "rules-and" });
        let items = rule["condition"]["items"].as_array().into_iter().flatten();
        let conditions: Vec<String> = items.map(|item| self.condition(item)).collect();
        let targets = rule["fields"].as_array().into_iter().flatten();
        let targets: Vec<String> = targets.map(|code| self.label(code.as_str().unwrap_or_default())).collect();
        let targets = if targets.is_empty() { self.texts.say("rules-no-question") } else { targets.join(", ") };
        let action = rule["action"].as_str().unwrap_or_default();
        self.texts.fill(
            "rules-sentence",
            &[
                ("conditions", conditions.join(&format!(" {joined} ")).into()),
                ("action", self.texts.find(&format!("rules-action-{action}")).unwrap_or_default().into()),
                ("targets", targets.into()),
            ],
        )
    }
}

/// The codes of the questions that a rule names, in conditions or as targets.
pub fn names(rule: &Json) -> impl Iterator<Item = &str> {
    let items = rule["condition"]["items"].as_array().into_iter().flatten();
    let asked = items.filter_map(|item| item["field"].as_str()?.split('.').next());
    asked.chain(rule["fields"].as_array().into_iter().flatten().filter_map(Json::as_str))
}

/// The identity of a rule in addresses.
pub fn id(rule: &Json) -> String {
    parts::rule_name(rule)
}
