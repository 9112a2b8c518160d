//! The fields that visitors search by, in groups.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::web::pages::console::queries::parts::{Drawing, Part};
use crate::web::pages::console::queries::typed::SEARCH;
use crate::web::pages::console::queries::word;
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::queries::search::{SearchField, SearchGroup, SearchGroups, SearchWords};
use crate::web::pages::ui::words::name;

impl Drawing<'_> {
    pub(super) fn search(&self) -> Markup {
        let groups = self.values(Part::Search).unwrap_or(&self.stored[SEARCH]);
        let say = |id: &str| self.say(&format!("queries-search-{id}"));
        let words = SearchWords {
            group: say("group"),
            operand: say("operand"),
            all: say("all"),
            any: say("any"),
            field: say("field"),
            compared: say("compared"),
            exact: say("exact"),
            part: say("part"),
            label: say("label"),
            add_field: say("add-field"),
            add_group: say("add-group"),
            remove: self.say("grid-remove"),
            remove_group: say("remove-group"),
            and: say("and"),
        };
        let drawn = groups.as_array().into_iter().flatten().enumerate().map(|(at, group)| {
            let path = format!("{SEARCH}[{at}]");
            let fields = group["fields"].as_array().into_iter().flatten().enumerate();
            SearchGroup {
                is_any: group["operand"] == "or",
                fault: self.fault(&format!("{path}.fields")),
                fields: fields.map(|(place, field)| self.field(&format!("{path}.fields[{place}]"), field)).collect(),
            }
        });
        SearchGroups {
            name: SEARCH,
            fault: self.fault(SEARCH),
            groups: drawn.collect(),
            focus: self.outcome.focus.filter(|_| self.outcome.part == Some(Part::Search)),
            words: &words,
        }
        .render()
    }

    fn field(&self, path: &str, field: &Json) -> SearchField<'_> {
        SearchField {
            fields: self.checked(&format!("{path}.field"), self.choices(word(field, "field"))),
            fuzzy: self.checked(&format!("{path}.fuzzy"), field["fuzzy"] == true),
            label: self.checked(&format!("{path}.label"), word(field, "label").to_owned()),
        }
    }

    /// All fields that may be searched by, and the chosen one even if the form no longer has it.
    fn choices(&self, chosen: &str) -> Vec<Choice<'_>> {
        let known = || self.known["searchable"].as_array().into_iter().flatten();
        let lang = self.frame.owners_lang();
        let mut all: Vec<Choice> = known()
            .map(|it| {
                let code = word(it, "field");
                let label = html! { (self.label_of("searchable", code)) };
                Choice { lang, ..Choice::new(code, label, code == chosen) }
            })
            .collect();
        if !known().any(|it| it["field"] == chosen)
            && let Some(stored) = self.stored_code(chosen)
        {
            let gone = self.frame.texts.fill("queries-gone", &[("field", stored.into())]);
            all.push(Choice::new(stored, gone, true));
        }
        all
    }

    /// A code as the stored groups have it.
    fn stored_code(&self, code: &str) -> Option<&str> {
        let groups = self.stored[SEARCH].as_array().into_iter().flatten();
        let mut fields = groups.flat_map(|group| group["fields"].as_array().into_iter().flatten());
        fields.find(|field| field["field"] == code).and_then(|field| field["field"].as_str())
    }

    pub(super) fn told_search(&self) -> String {
        let texts = self.frame.texts;
        let groups = self.stored[SEARCH].as_array().into_iter().flatten().map(|group| {
            let fields = group["fields"].as_array().into_iter().flatten();
            let labels: Vec<String> = fields.map(|field| self.label_of("searchable", word(field, "field"))).collect();
            let is_any = group["operand"] == "or";
            (if is_any { texts.any_of(&labels) } else { texts.all_of(&labels) }).unwrap_or_default()
        });
        groups.collect::<Vec<_>>().join("; ")
    }

    /// A field's label as its owner wrote it.
    pub(super) fn owners_label(&self, list: &str, code: &str) -> Markup {
        html! { span lang=[self.frame.owners_lang()] { (name(&self.label_of(list, code))) } }
    }
}
