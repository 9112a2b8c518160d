//! The posted values of one field: the pairs whose names begin with the field's, as a small tree. `field_5.country_id`
//! and `field_7[0].field_1` follow the write shape's paths (contract 5).

use serde_json::Map;

use crate::base::json::Json;
use crate::fields::display::local_number;

/// The posted values under one name.
#[derive(Clone, Debug, Default)]
pub struct FormPart {
    values: Vec<String>,
    members: Vec<(String, FormPart)>,
}

impl FormPart {
    /// The tree of all pairs of a post; its members are the fields.
    pub fn tree<'p>(pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> Self {
        let mut root = Self::default();
        for (name, value) in pairs {
            let mut part = &mut root;
            for step in steps(name) {
                part = part.member_mut(step);
            }
            part.values.push(value.to_owned());
        }
        root
    }

    fn member_mut(&mut self, name: &str) -> &mut Self {
        let at = match self.members.iter().position(|(known, _)| known == name) {
            Some(at) => at,
            None => {
                self.members.push((name.to_owned(), Self::default()));
                self.members.len() - 1
            }
        };
        &mut self.members[at].1
    }

    /// The part under a name: `country_id`, `0`.
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, part)| part)
    }

    /// The part at a path such as `field_7[0].field_1`.
    pub fn at(&self, path: &str) -> Option<&Self> {
        steps(path).try_fold(self, |part, step| part.member(step))
    }

    /// The members, in the order they were posted.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.members.iter().map(|(name, part)| (name.as_str(), part))
    }

    /// The non-empty values posted under exactly this name.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The first non-empty value.
    pub fn first(&self) -> Option<&str> {
        self.values().next()
    }

    /// The text typed at a path such as `field_7[0].field_1`, if it parses to this number.
    pub fn typed_as(&self, path: &str, number: &Json, locale: &str) -> Option<&str> {
        let typed = self.at(path)?.first()?;
        let readings = [local_number::of_form(typed.trim(), locale), local_number::small_of_form(typed.trim())];
        let is_it = |read: &Json| read.is_number() && read.as_f64() == number.as_f64();
        readings.iter().any(is_it).then_some(typed)
    }

    /// True if something was posted here, or further down.
    pub fn is_filled(&self) -> bool {
        self.first().is_some() || self.members.iter().any(|(_, part)| part.is_filled())
    }

    /// The first value as text, or null.
    pub fn single(&self) -> Json {
        self.first().map_or(Json::Null, Json::from)
    }

    /// The first value of a member as text, or null.
    pub fn single_at(&self, name: &str) -> Json {
        self.member(name).map_or(Json::Null, Self::single)
    }

    /// The members as objects of texts, without empty texts and empty objects.
    pub fn objects(&self) -> impl Iterator<Item = Json> {
        let objects = self.members().map(|(_, parts)| {
            let texts = parts.members().filter_map(|(name, part)| Some((name.to_owned(), Json::from(part.first()?))));
            texts.collect::<Map<_, _>>()
        });
        objects.filter(|object| !object.is_empty()).map(Json::Object)
    }

    /// Members as an object of texts, without empty ones; null if all are.
    pub fn object(&self, names: &[&str]) -> Json {
        let object: Map<String, Json> = names
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), Json::from(self.member(name)?.first()?))))
            .collect();
        if object.is_empty() { Json::Null } else { Json::Object(object) }
    }
}

/// The steps of a path. A hostile name could be nested as deep as it is long: eight steps reach every write shape.
fn steps(name: &str) -> impl Iterator<Item = &str> {
    let steps = name.split(['.', '[']).take(8);
    steps.map(|step| step.trim_end_matches(']'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::base::cases::cases;

    fn depth(part: &FormPart) -> usize {
        let inner = part.members().map(|(_, inner)| depth(inner)).max();
        inner.map_or(0, |inner| inner + 1)
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn any_names_make_a_tree(pairs in prop::collection::vec(("[a-z0-9_.\\[\\]]{0,40}|.{0,20}", ".{0,5}"), 0..20)) {
            let tree = FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            prop_assert!(depth(&tree) <= 8);
        }
    }

    #[test]
    fn a_number_is_shown_as_it_was_typed() {
        let tree = FormPart::tree([("f.latitude", "52.345"), ("f.longitude", "1,234")]);
        let typed = |path, number: Json, locale| tree.typed_as(path, &number, locale);
        // In degrees, a separator never groups digits.
        assert_eq!(typed("f.latitude", json!(52.345), "de"), Some("52.345"));
        assert_eq!(typed("f.longitude", json!(1.234), "en"), Some("1,234"));
        assert_eq!(typed("f.longitude", json!(1234), "en"), Some("1,234"));
        assert_eq!(typed("f.longitude", json!(12), "en"), None);
    }

    #[test]
    fn names_are_paths() {
        let tree = FormPart::tree([
            ("field_1", "a"),
            ("field_2", "x"),
            ("field_2", "y"),
            ("field_5.country_id", "CN"),
            ("field_5.number", ""),
            ("field_7[0].field_1", "cell"),
        ]);
        let field = |name| tree.member(name).expect("posted");
        assert_eq!(field("field_1").single(), json!("a"));
        assert_eq!(field("field_2").values().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(field("field_5").object(&["country_id", "number"]), json!({"country_id": "CN"}));
        let cell = field("field_7").member("0").and_then(|row| row.member("field_1"));
        assert_eq!(cell.map(FormPart::single), Some(json!("cell")));
        assert!(tree.member("field_9").is_none());
    }
}
