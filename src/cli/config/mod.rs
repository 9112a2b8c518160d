//! `formsvc config show`: each setting with its value and source.

pub(in crate::cli) mod args;
pub(in crate::cli) mod backup_settings;
pub(in crate::cli) mod certificates;
pub(in crate::cli) mod flags;
pub(in crate::cli) mod layers;
pub(in crate::cli) mod mail_values;
pub(in crate::cli) mod rows;
pub(in crate::cli) mod settings;
pub(in crate::cli) mod values;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::cli::config::rows::Serve;
use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;

/// Prints the effective settings of `serve` with these flags. Secrets are masked.
pub fn show(cx: Cx, flags: &Serve) -> Result<(), Failure> {
    cx.service(flags)?;
    cx.password()?;
    let out = cx.out;
    let mut document = Map::new();
    let mut rows = Vec::new();
    for row in cx.layers.into_rows() {
        let shown = match &row.value {
            Json::Null => "-".to_owned(),
            Json::String(text) => text.clone(),
            Json::Array(items) if items.is_empty() => "-".to_owned(),
            Json::Array(items) => {
                let texts: Vec<&str> = items.iter().filter_map(Json::as_str).collect();
                texts.join(", ")
            }
            other => other.to_string(),
        };
        let source = row.source.to_string();
        document.insert(row.name.replace('-', "_"), json!({"value": row.value, "source": source}));
        rows.push(vec![row.name, shown, source]);
    }
    out.table(&["setting", "value", "source"], &rows, &document.into())
}
