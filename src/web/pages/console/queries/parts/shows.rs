//! The fields that visitors see of an entry: those that are ticked, in their order.

use maud::{Markup, Render};
use serde_json::json;

use crate::base::json::Json;
use crate::fields::display::local_number;
use crate::web::pages::console::queries::parts::{Drawing, Part};
use crate::web::pages::console::queries::typed::{SHOWN, TICK};
use crate::web::pages::console::queries::word;
use crate::web::pages::ui::queries::search::Checked;
use crate::web::pages::ui::queries::shown::{ShownField, ShownFields, ShownWords};

impl Drawing<'_> {
    pub(super) fn shows(&self) -> Markup {
        let all = match self.values(Part::Shows) {
            Some(typed) => typed.as_array().cloned().unwrap_or_default(),
            None => self.all_fields(),
        };
        let say = |id: &str| self.say(&format!("queries-shows-{id}"));
        let words = ShownWords {
            shown: self.say("queries-shows"),
            up: self.say("build-part-up"),
            down: self.say("build-part-down"),
            more: say("more"),
            label: self.say("queries-search-label"),
            masked: say("masked"),
            editable: say("editable"),
            color: say("color"),
            pick: self.frame.texts.fill("look-pick", &[("color", say("color").into())]),
            no_color: say("no-color"),
            position: say("position"),
            position_notes: say("position-notes"),
        };
        let fields = all.iter().enumerate().map(|(at, row)| self.shown(at, row)).collect();
        ShownFields { name: SHOWN, fault: self.fault(SHOWN), fields, words: &words }.render()
    }

    /// The stored rules, and behind them the other fields that may be shown.
    fn all_fields(&self) -> Vec<Json> {
        let rules = self.stored[SHOWN].as_array().into_iter().flatten();
        let mut all: Vec<Json> = rules
            .cloned()
            .map(|mut rule| {
                rule[TICK] = json!(true);
                rule
            })
            .collect();
        let others = self.known["displayable"].as_array().into_iter().flatten();
        let others: Vec<Json> = others
            .filter(|it| all.iter().all(|rule| rule["field"] != it["field"]))
            .map(|it| json!({ "field": it["field"] }))
            .collect();
        all.extend(others);
        all
    }

    fn shown(&self, at: usize, row: &Json) -> ShownField<'_> {
        let path = format!("{SHOWN}[{at}]");
        let code = word(row, "field");
        let known = self.known["displayable"].as_array().into_iter().flatten().find(|it| it["field"] == code);
        let may = |key: &str| known.is_some_and(|it| it[key] == true) || row[key] == true;
        let flag = |key: &str| may(key).then(|| self.checked(&format!("{path}.{key}"), row[key] == true));
        let highlight = &row["highlight"];
        let position = match &highlight["position"] {
            Json::Number(number) => local_number::in_control(&number.to_string(), &self.frame.caller.user.locale),
            Json::String(typed) => typed.clone(),
            _ => String::new(),
        };
        let field = ShownField {
            code: code.to_owned(),
            label: self.owners_label("displayable", code),
            is_shown: self.checked(&format!("{path}.field"), row[TICK] == true),
            own_label: self.checked(&format!("{path}.label"), word(row, "label").to_owned()),
            masked: flag("protected"),
            editable: flag("editable"),
            color: self.checked(&format!("{path}.highlight.color"), word(highlight, "color").to_owned()),
            position: self.checked(&format!("{path}.highlight.position"), position),
            state: self.state_of(row),
            is_open: false,
            focus: self.focus_of(at),
        };
        let is_wrong = |checked: &Option<Checked<bool>>| checked.as_ref().is_some_and(|it| !it.fault.is_empty());
        let lines = [&field.own_label.fault, &field.color.fault, &field.position.fault];
        let is_open = is_wrong(&field.masked) || is_wrong(&field.editable) || lines.iter().any(|it| !it.is_empty());
        ShownField { is_open, ..field }
    }

    fn focus_of(&self, at: usize) -> &'static str {
        let is_here = self.outcome.part == Some(Part::Shows) && self.outcome.focus == Some((at, 0));
        if is_here { self.outcome.pressed } else { "" }
    }

    /// How a field is shown, in a few words.
    fn state_of(&self, row: &Json) -> String {
        let flags = [("protected", "queries-shows-is-masked"), ("editable", "queries-shows-is-editable")];
        let flags = flags.iter().filter(|(key, _)| row[*key] == true).map(|(_, id)| self.say(id));
        let own = row["label"].as_str().map(|label| format!("“{label}”"));
        let marked = row["highlight"].is_object().then(|| self.say("queries-shows-is-marked"));
        own.into_iter().chain(flags).chain(marked).collect::<Vec<_>>().join(" · ")
    }

    pub(super) fn told_shows(&self) -> String {
        let rules = self.stored[SHOWN].as_array().into_iter().flatten();
        let labels: Vec<String> = rules.map(|rule| self.label_of("displayable", word(rule, "field"))).collect();
        self.frame.texts.all_of(&labels).unwrap_or_default()
    }
}
