//! The describing side of a reader: it builds the JSON Schema of the values that are read.

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::schema_builder::{self, SchemaBuilder};
use crate::base::reader::Reader;

impl Reader<'_> {
    /// The JSON Schema of the objects that `read` reads. `read` runs twice: over an object that seems to have every
    /// key, which shows which keys are read, then over an empty one, which shows which are required. In both passes
    /// all values are absent but objects, and lists, which hold one item.
    pub fn describe(read: impl Fn(&mut Reader)) -> Json {
        let mut whole = Json::Null;
        for is_empty in [false, true] {
            let schema = Reader::build_schema(SchemaBuilder::new(is_empty), |reader| read(reader)).0;
            if is_empty {
                schema_builder::merge(&mut whole, schema);
            } else {
                whole = schema;
            }
        }
        whole
    }

    fn build_schema<T>(pass: SchemaBuilder, read: impl FnOnce(&mut Reader) -> T) -> (Json, T) {
        let mut reader = Reader { map: Map::new(), at: &mut Issues::new(), whole: true, schema: Some(pass) };
        let out = read(&mut reader);
        let schema = reader.schema.map_or(Json::Null, SchemaBuilder::schema);
        (schema, out)
    }

    /// Adds facts to the schema of a key that its reading does not show, such as a format or bounds that are checked
    /// later. Free unless a schema is built.
    pub fn note(&mut self, key: &str, more: impl FnOnce() -> Json) {
        if let Some(builder) = &mut self.schema {
            builder.member(key, more());
        }
    }

    /// Marks a key as required in the schema when the check happens outside the reader.
    pub fn mark_required(&mut self, key: &str) {
        if let Some(builder) = &mut self.schema {
            builder.require(key);
        }
    }

    /// If a schema is built, makes it `schema` for the whole object and returns true.
    pub fn describe_as(&mut self, schema: impl FnOnce() -> Json) -> bool {
        match &mut self.schema {
            Some(builder) => {
                builder.replace_by(schema());
                true
            }
            None => false,
        }
    }

    /// Whether a schema is built; the values read are empty then.
    pub fn is_describing(&self) -> bool {
        self.schema.is_some()
    }

    /// Builds the schema of an object inside this one; `None` past the depth limit, or if no schema is built.
    pub(in crate::base::reader) fn describe_inner<T>(
        &mut self,
        read: impl FnOnce(&mut Reader) -> T,
    ) -> Option<(Json, T)> {
        let pass = self.schema.as_ref()?.inner();
        (pass.depth <= schema_builder::MAX_DEPTH).then(|| Reader::build_schema(pass, read))
    }
}
