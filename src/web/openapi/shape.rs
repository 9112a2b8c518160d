//! Shapes of bodies: named JSON Schemas from the code that reads or writes the body.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::base::json::Json;

/// A named schema among the document's components.
pub struct Shape {
    pub name: &'static str,
    pub schema: fn() -> Json,
}

impl Shape {
    pub const fn new(name: &'static str, schema: fn() -> Json) -> Self {
        Self { name, schema }
    }

    /// The shape of a struct that is serialized.
    pub const fn of_type<T: JsonSchema>(name: &'static str) -> Self {
        Self { name, schema: serialized_schema::<T> }
    }
}

/// The schema of a struct as serde writes it, with nested schemas inline.
fn serialized_schema<T: JsonSchema>() -> Json {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Json::Object(map) = &mut schema {
        map.shift_remove("title");
    }
    schema
}

/// The answer to a deletion: what was deleted.
#[derive(Serialize, JsonSchema)]
pub struct Deleted<T> {
    #[schemars(extend("const" = true))]
    deleted: bool,
    #[serde(flatten)]
    what: T,
}

impl<T> Deleted<T> {
    pub const fn new(what: T) -> Self {
        Self { deleted: true, what }
    }
}

/// The token of what was deleted.
#[derive(Serialize, JsonSchema)]
pub struct DeletedToken<'t> {
    token: &'t str,
}

/// An answer with the token of a deleted thing.
pub const fn deleted(token: &str) -> Deleted<DeletedToken<'_>> {
    Deleted::new(DeletedToken { token })
}

/// Converts to `schemars`' type; an invalid schema becomes an empty one.
pub fn schema(schema: Json) -> Schema {
    Schema::try_from(schema).unwrap_or_default()
}

/// The words of a list of words with their values.
pub fn names<T, const N: usize>(words: &[(&'static str, T); N]) -> [&'static str; N] {
    std::array::from_fn(|i| words[i].0)
}
