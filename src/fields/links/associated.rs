//! Fields of a linked form as fields of the form that links to it: `field_3_associated_field_1`. Filters, columns and
//! public queries can use only the linked field's search and display fields, and the entry's serial number (S42).

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::filter::cond::Key;
use crate::fields::kind::{Cx, Facets, Kind};
use crate::fields::links::{DisplayedField, LinkRules, LinkTarget, LinkedData};
use crate::fields::system::{self, SystemField};
use crate::fields::{Field, Fields, values};

const BETWEEN: &str = "_associated_";
/// The only system field that is included.
const NUMBER: &str = "serial_number";

/// A field of a linked form, as seen from the linking form.
pub struct Associated<'f> {
    /// The linked field of this form.
    pub field: &'f Field,
    /// Its settings about the other form.
    pub rules: &'f LinkRules,
    pub sub: Sub<'f>,
}

/// A field of the other form.
#[derive(Clone, Copy)]
pub enum Sub<'f> {
    /// A question.
    Field(&'f Field),
    /// The entry's serial number.
    System(&'static SystemField),
}

/// The name of a linked form's field in this form.
pub fn name(field: &str, code: &str) -> String {
    format!("{field}{BETWEEN}{code}")
}

/// Resolves a name; `None` if this form has no such linked field, or the linked form (which must have been loaded) no
/// such search or display field.
pub fn find<'f>(fields: &'f Fields, found: &'f LinkedData, name: &str) -> Option<Associated<'f>> {
    let (own, code) = name.split_once(BETWEEN)?;
    of_field(fields.get(own)?, found, code)
}

/// Resolves the name of a linked form's field, given the linked field.
pub fn of_field<'f>(field: &'f Field, found: &'f LinkedData, code: &str) -> Option<Associated<'f>> {
    let rules = field.kind.link_rules()?;
    let sub = if code == NUMBER {
        Sub::System(system::by_name(NUMBER)?)
    } else {
        let is_named = rules.search_fields.iter().any(|known| known == code);
        let form = found.form(&rules.form_token)?;
        Sub::Field(form.fields.get(code).filter(|_| is_named || rules.shown_as(code).is_some())?)
    };
    Some(Associated { field, rules, sub })
}

/// All fields of a linked field, the serial number first and the others in the order of the definition.
pub fn all<'f>(field: &'f Field, found: &'f LinkedData) -> Vec<Associated<'f>> {
    let Some(rules) = field.kind.link_rules() else {
        return Vec::new();
    };
    let mut subs: Vec<Sub> = system::by_name(NUMBER).map(Sub::System).into_iter().collect();
    if let Some(form) = found.form(&rules.form_token) {
        let shown = rules.display_fields.iter().map(|shown| &shown.api_code);
        let mut codes: Vec<&String> = rules.search_fields.iter().chain(shown).collect();
        let mut seen = std::collections::HashSet::new();
        codes.retain(|code| seen.insert(code.as_str()));
        let fields = codes.into_iter().filter_map(|code| form.fields.get(code));
        subs.extend(fields.map(Sub::Field));
    }
    let of = |sub| Associated { field, rules, sub };
    subs.into_iter().map(of).collect()
}

impl<'f> Sub<'f> {
    /// Its name in the other form.
    pub fn code(self) -> &'f str {
        match self {
            Self::Field(field) => &field.api_code,
            Self::System(field) => field.name,
        }
    }

    pub fn kind(self) -> &'f dyn Kind {
        match self {
            Self::Field(field) => field.kind.as_ref(),
            Self::System(field) => field.kind,
        }
    }

    /// How a public query may use it.
    pub fn facets(self) -> Facets {
        match self {
            Self::Field(field) => field.row.facets,
            Self::System(field) => field.facets,
        }
    }
}

impl Associated<'_> {
    pub fn name(&self) -> String {
        name(&self.field.api_code, self.sub.code())
    }

    pub fn label(&self, texts: &Texts) -> String {
        let own = match self.sub {
            Sub::Field(field) => field.label.clone(),
            Sub::System(field) => field.label(texts),
        };
        format!("{} · {own}", self.field.label)
    }

    /// Whether anyone but collaborators may see it. Serial numbers are always visible to them.
    pub fn is_public(&self) -> bool {
        matches!(self.sub, Sub::System(_)) || self.displayed_field().is_some_and(|shown| shown.public)
    }

    /// Whether respondents see the field masked, and so may not search by it.
    pub fn is_protected(&self) -> bool {
        self.displayed_field().is_some_and(|shown| shown.protected)
    }

    fn displayed_field(&self) -> Option<&DisplayedField> {
        self.rules.shown_as(self.sub.code())
    }

    /// The linked entry's stored value, given the linked field's stored value; `None` if there is no link, the entry is
    /// gone or has no such value. The entry must have been loaded.
    pub fn stored(&self, link: Option<&Json>, cx: &Cx) -> Option<Json> {
        let link = self.field.kind.links(link?).into_iter().next()?;
        let LinkTarget::There(form, linked) = cx.found.target(&link) else {
            return None;
        };
        match self.sub {
            Sub::Field(field) => {
                let stored = linked.values.get(&field.api_code);
                values::today(field, stored, &form.cx(cx))
            }
            Sub::System(field) => Some(field.stored(&linked.entry, &form.cx(cx))),
        }
    }

    /// The filter keys. Dates are on this form's wall clock (contract section 4).
    pub fn keys(&self, link: Option<&Json>, cx: &Cx) -> Vec<Key> {
        let stored = self.stored(link, cx);
        stored.map_or_else(Vec::new, |stored| self.sub.kind().keys(&stored, cx))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::base::text::texts::texts;
    use crate::fields::definition::Definition;
    use crate::fields::filter::cond::Op;

    fn form() -> Definition {
        let mut at = Issues::new();
        let raw = json!([{
            "type": "linked_form", "label": "Person", "form_token": "LinkedForm",
            "search_fields": ["field_1"],
            "display_fields": [
                {"api_code": "field_1", "public": true},
                {"api_code": "field_2", "public": true, "protected": true},
            ],
        }, {"type": "name", "label": "Name"}]);
        let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        definition
    }

    #[test]
    fn names_lead_to_what_is_searched_or_shown() {
        let (form, found) = (form(), LinkedData::of_a_test());
        let named = |name: &str| find(&form.fields, found, name);
        for code in ["field_1", "field_2", "serial_number"] {
            let name = format!("field_1_associated_{code}");
            assert_eq!(named(&name).map(|it| it.name()), Some(name));
        }
        // The age is neither searched nor shown; the others don't exist.
        for name in [
            "field_1_associated_field_3",
            "field_1_associated_field_9",
            "field_1_associated_created_at",
            "field_1_associated_",
            "field_2_associated_field_1",
            "field_9_associated_field_1",
            "field_1",
            "_associated_field_1",
        ] {
            assert!(named(name).is_none(), "{name}");
        }
        let all = all(form.fields.get("field_1").expect("it"), found);
        let names: Vec<_> =
            all.iter().map(|it| (it.sub.code(), it.label(texts("en")), it.is_public(), it.is_protected())).collect();
        assert_eq!(
            names,
            [
                ("serial_number", "Person · Number".to_owned(), true, false),
                ("field_1", "Person · Name".to_owned(), true, false),
                ("field_2", "Person · Phone".to_owned(), true, true),
            ]
        );
        assert!(all[2].sub.facets().protectable && all[0].sub.facets().searchable);
    }

    #[test]
    fn conditions_see_the_linked_entrys_value() {
        let (form, cx) = (form(), Cx::of_a_test(false));
        let link = |serial: i64| json!({"form_token": "LinkedForm", "entry_token": format!("{serial:022}"), "serial_number": serial});
        let holds = |code: &str, op: Op, value: Json, stored: Option<&Json>| {
            let name = name("field_1", code);
            let it = find(&form.fields, LinkedData::of_a_test(), &name).expect("it");
            let cond = it.sub.kind().condition(op, &value, &cx).expect("a condition");
            cond.holds(&it.keys(stored, &cx))
        };
        let (ada, empty, gone) = (link(1), link(2), link(3));
        assert!(holds("field_1", Op::Like, json!("LOVE"), Some(&ada)));
        assert!(!holds("field_1", Op::Like, json!("Grace"), Some(&ada)));
        assert!(holds("field_2", Op::Eq, json!("13800138000"), Some(&ada)));
        assert!(holds("serial_number", Op::Gte, json!(1), Some(&ada)));
        assert!(holds("serial_number", Op::Eq, json!(2), Some(&empty)));
        // No link, a missing entry, and a blank value all count as null.
        for nothing in [None, Some(&gone), Some(&empty)] {
            assert!(holds("field_1", Op::Null, json!(null), nothing));
            assert!(holds("field_1", Op::Ne, json!("Ada Lovelace"), nothing));
        }
        for nothing in [None, Some(&gone)] {
            assert!(holds("serial_number", Op::Null, json!(null), nothing));
        }
    }
}
