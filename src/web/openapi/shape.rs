//! Shapes of bodies: named JSON Schemas, taken from what reads or writes the body.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::base::json::Json;

/// A named schema among the document's components.
pub struct Shape {
    /// The name.
    pub name: &'static str,
    /// Makes the schema.
    pub schema: fn() -> Json,
}

impl Shape {
    /// Of what makes the schema.
    pub const fn new(name: &'static str, schema: fn() -> Json) -> Self {
        Self { name, schema }
    }

    /// Of the struct that is written.
    pub const fn of_type<T: JsonSchema>(name: &'static str) -> Self {
        Self {
            name,
            schema: written::<T>,
        }
    }
}

/// The schema of a struct as serde writes it. What it holds stands inside it, not beside.
fn written<T: JsonSchema>() -> Json {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Json::Object(map) = &mut schema {
        map.shift_remove("title");
    }
    schema
}

/// A schema as `schemars` knows it; one that is no schema at all says nothing.
pub fn schema(schema: Json) -> Schema {
    Schema::try_from(schema).unwrap_or_default()
}

/// The words of a list of words and what they mean.
pub fn names<T, const N: usize>(words: &[(&'static str, T); N]) -> [&'static str; N] {
    std::array::from_fn(|i| words[i].0)
}
