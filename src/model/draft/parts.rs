//! Parts of a draft besides its questions. Two people who change different rules, or different members of another part,
//! both keep their changes.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::base::json::Json;

/// A part of a form that is published with its questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// A list, in the API's shape.
    Rules,
    /// The members that were set.
    Theme,
    /// `exam.questions` of the settings: by the code of a question.
    ExamQuestions,
}

impl PartName {
    pub const ALL: [Self; 3] = [Self::Rules, Self::Theme, Self::ExamQuestions];

    /// Its name in addresses and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Theme => "theme",
            Self::ExamQuestions => "exam_questions",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// The parts that respondents see.
pub type PublishedParts = Vec<(PartName, Json)>;

/// A part of a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftPart {
    pub name: PartName,
    /// The draft's version when it changed last.
    pub version: i64,
    pub body: Json,
    /// The published content when the draft began.
    pub base: Json,
}

impl DraftPart {
    /// A part in which nothing was changed.
    pub fn of_published(name: PartName, published: Json) -> Self {
        Self { name, version: 0, body: published.clone(), base: published }
    }

    /// Whether the part differs from the content published when the draft began.
    pub fn is_changed(&self) -> bool {
        self.body != self.base
    }

    /// Adopts changes published over the API meanwhile, except to items that the draft changed too.
    pub fn adopt(&mut self, published: &Json) {
        if self.base == *published {
            return;
        }
        if let Some(body) = merged(&self.base, published, &self.body) {
            self.body = body;
            self.base = published.clone();
        }
    }
}

/// `current` after the change that made `to` of `from`; `None` if another change affects the same item.
pub fn merged(from: &Json, to: &Json, current: &Json) -> Option<Json> {
    if current == from || current == to {
        return Some(to.clone());
    }
    if from == to {
        return Some(current.clone());
    }
    match (from, to, current) {
        (Json::Object(from), Json::Object(to), Json::Object(current)) => merged_members(from, to, current),
        (Json::Array(from), Json::Array(to), Json::Array(current)) => merged_items(from, to, current),
        _ => None,
    }
}

fn merged_members(from: &Map<String, Json>, to: &Map<String, Json>, current: &Map<String, Json>) -> Option<Json> {
    let mut out = current.clone();
    let keys: HashSet<&String> = from.keys().chain(to.keys()).filter(|key| from.get(*key) != to.get(*key)).collect();
    for key in keys {
        let member = match (from.get(key), to.get(key), current.get(key)) {
            (was, is, now) if was == now || is == now => is.cloned(),
            (Some(was), Some(is), Some(now)) => Some(merged(was, is, now)?),
            _ => return None,
        };
        match member {
            Some(member) => {
                out.insert(key.clone(), member);
            }
            None => {
                out.shift_remove(key);
            }
        }
    }
    Some(Json::Object(out))
}

fn merged_items(from: &[Json], to: &[Json], current: &[Json]) -> Option<Json> {
    let without = |these: &[Json], those: &[Json]| {
        let mut left: Vec<&Json> = those.iter().collect();
        let mut out = Vec::new();
        for item in these {
            match left.iter().position(|other| *other == item) {
                Some(at) => drop(left.swap_remove(at)),
                None => out.push(item.clone()),
            }
        }
        out
    };
    let (gone, come) = (without(from, to), without(to, from));
    // The kept items must stay in order: moving items counts as a change of the whole list.
    let kept = |items: &[Json], others: &[Json]| without(items, others);
    if kept(from, &gone) != kept(to, &come) {
        return None;
    }
    let mut out = current.to_vec();
    let mut come = come.into_iter();
    for (at, item) in gone.iter().enumerate() {
        let place = out.iter().position(|other| other == item)?;
        let replaced = if gone.len() - at <= come.len() { come.next() } else { None };
        match replaced {
            Some(item) => out[place] = item,
            None => drop(out.remove(place)),
        }
    }
    for item in come {
        // After the one that it follows.
        let before = to.iter().position(|other| *other == item).and_then(|at| at.checked_sub(1)).map(|at| &to[at]);
        let place = match before {
            None => 0,
            Some(before) => out.iter().position(|other| other == before).map_or(out.len(), |at| at + 1),
        };
        out.insert(place, item);
    }
    Some(Json::Array(out))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_of_different_rules_and_members_are_both_kept() {
        let cases = [
            // Another item was changed, added, removed.
            (json!([1, 2]), json!([1, 3]), json!([4, 2]), Some(json!([4, 3]))),
            (json!([1, 2]), json!([1, 2, 3]), json!([1]), Some(json!([1, 3]))),
            (json!([1, 2]), json!([0, 1, 2]), json!([1, 2, 9]), Some(json!([0, 1, 2, 9]))),
            (json!([1, 2, 3]), json!([1, 3]), json!([1, 2, 3, 4]), Some(json!([1, 3, 4]))),
            (json!([1, 2, 3]), json!([5]), json!([1, 2, 3, 4]), Some(json!([5, 4]))),
            // The same item was changed.
            (json!([1, 2]), json!([1, 3]), json!([1, 4]), None),
            (json!([1, 2]), json!([2, 1]), json!([1, 2, 3]), None),
            (json!([1, 2]), json!([2, 1]), json!([1, 2]), Some(json!([2, 1]))),
            (json!({"a": 1, "b": 2}), json!({"a": 3}), json!({"a": 1, "b": 2, "c": 4}), Some(json!({"a": 3, "c": 4}))),
            (json!({"a": 1}), json!({"a": 2}), json!({"a": 3}), None),
            (
                json!({"a": {"b": 1}}),
                json!({"a": {"b": 2}}),
                json!({"a": {"b": 1, "c": 3}}),
                Some(json!({"a": {"b": 2, "c": 3}})),
            ),
        ];
        for (from, to, current, wanted) in cases {
            assert_eq!(merged(&from, &to, &current), wanted, "{from} {to} {current}");
        }
    }

    #[test]
    fn a_part_follows_what_is_published_as_far_as_it_changed_other_things() {
        let mut part = DraftPart::of_published(PartName::Rules, json!([1, 2]));
        part.body = json!([1, 3]);
        part.adopt(&json!([4, 2]));
        assert_eq!((&part.body, &part.base), (&json!([4, 3]), &json!([4, 2])));
        part.adopt(&json!([4, 9]));
        assert_eq!((&part.body, &part.base), (&json!([4, 3]), &json!([4, 2])));
        for part in PartName::ALL {
            assert_eq!(PartName::by_name(part.name()), Some(part));
        }
    }
}
